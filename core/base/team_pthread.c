/* The thread team on POSIX threads: the twin of team.c, with the same contract and no run-time behind it.
 *
 *   run:  create threads 1 .. n-1  ->  each waits at the gate  ->  all made: open the gate, the caller is worker 0
 *                                                              ->  one refused: close the gate, join, HD_E_NOMEM
 *
 * The gate guarantees that the payload runs on all workers or on none. The barrier is pthread_barrier_t, which is
 * reusable, and which POSIX lists among the functions that synchronise memory (4.12): all writes before it are seen by
 * every worker after it. Creating and joining threads synchronise too, which covers the entry and exit of a run.
 * A barrier object may be destroyed only when no thread is still inside a wait on it: hd_team_run joins all workers
 * first.
 * Threads: hd_team_run from any thread outside a team. Cost: one thread creation per worker and run. */
#include "core/base/team.h"

#include "core/base/check.h"

#include <pthread.h>
#include <stdlib.h>

typedef enum gate_state { GATE_SHUT, GATE_OPEN, GATE_CANCELLED } gate_state;

struct hd_team {
  uint32_t count;
  hd_team_fn fn;
  void *payload;
  pthread_barrier_t barrier;
  pthread_mutex_t lock; /* guards gate */
  pthread_cond_t changed;
  gate_state gate;
};

typedef struct member {
  hd_team *team;
  uint32_t worker;
  pthread_t thread;
} member;

static void *run_member(void *payload) {
  member *self = payload;
  hd_team *team = self->team;
  (void)pthread_mutex_lock(&team->lock);
  while (team->gate == GATE_SHUT) {
    (void)pthread_cond_wait(&team->changed, &team->lock);
  }
  bool go = team->gate == GATE_OPEN;
  (void)pthread_mutex_unlock(&team->lock);
  if (go) {
    team->fn(team, self->worker, team->payload);
  }
  return NULL;
}

static bool init_team(hd_team *team) {
  if (pthread_barrier_init(&team->barrier, NULL, team->count) != 0) {
    return false;
  }
  if (pthread_mutex_init(&team->lock, NULL) != 0) {
    (void)pthread_barrier_destroy(&team->barrier);
    return false;
  }
  if (pthread_cond_init(&team->changed, NULL) != 0) {
    (void)pthread_mutex_destroy(&team->lock);
    (void)pthread_barrier_destroy(&team->barrier);
    return false;
  }
  return true;
}

static void destroy_team(hd_team *team) {
  (void)pthread_cond_destroy(&team->changed);
  (void)pthread_mutex_destroy(&team->lock);
  (void)pthread_barrier_destroy(&team->barrier);
}

hd_status hd_team_run(uint32_t count, hd_team_fn fn, void *payload) {
  HD_REQUIRE(count >= 1 && count <= HD_TEAM_MAX && fn != NULL);
  hd_team team = {.count = count, .fn = fn, .payload = payload, .gate = GATE_SHUT};
  member *members = calloc(count, sizeof members[0]);
  if (members == NULL) {
    return HD_E_NOMEM;
  }
  if (!init_team(&team)) {
    free(members);
    return HD_E_NOMEM;
  }
  uint32_t made = 1; /* worker 0 is the caller */
  while (made < count) {
    members[made] = (member){.team = &team, .worker = made};
    if (pthread_create(&members[made].thread, NULL, run_member, &members[made]) != 0) {
      break;
    }
    made++;
  }
  bool complete = made == count;
  (void)pthread_mutex_lock(&team.lock);
  team.gate = complete ? GATE_OPEN : GATE_CANCELLED;
  (void)pthread_cond_broadcast(&team.changed);
  (void)pthread_mutex_unlock(&team.lock);
  if (complete) {
    fn(&team, 0, payload);
  }
  for (uint32_t i = 1; i < made; i++) {
    (void)pthread_join(members[i].thread, NULL);
  }
  destroy_team(&team);
  free(members);
  return complete ? HD_OK : HD_E_NOMEM;
}

void hd_team_barrier(hd_team *team) {
  (void)pthread_barrier_wait(&team->barrier);
}

uint32_t hd_team_count(const hd_team *team) {
  return team->count;
}

const char *hd_team_kind(void) {
  return "pthread";
}
