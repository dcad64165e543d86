/* The thread team on OpenMP: one parallel region per run, its barrier, and nothing else of OpenMP anywhere.
 *
 * An OpenMP run-time may give fewer threads than asked (OMP_THREAD_LIMIT, nesting): then every thread of the region
 * sees the same wrong number and none calls the payload. When a thread cannot be created at all, both libgomp and
 * libomp end the process; a library must not. So before a team grows, the same number of plain threads is started and
 * joined as a rehearsal, and a refusal is reported. The run-times keep the threads of a calling thread's last region,
 * hence the rehearsal happens only when a run asks for more than that thread's last run had. Another process can still
 * take the last threads in between; that remains fatal in this twin, not in the pthread one. Memory order: entry and
 * exit of a region and the barrier imply a flush (OpenMP 5.0, 2.17.8), as strong as a lock. Threads: hd_team_run from
 * any thread outside a region. Cost: microseconds per run once the team exists. */
#include "core/base/team.h"

#include "core/base/check.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

struct hd_team {
  uint32_t count;
};

typedef struct rehearsal {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool over;
} rehearsal;

static void *rehearse_one(void *payload) {
  rehearsal *r = payload;
  (void)pthread_mutex_lock(&r->lock);
  while (!r->over) {
    (void)pthread_cond_wait(&r->changed, &r->lock);
  }
  (void)pthread_mutex_unlock(&r->lock);
  return NULL;
}

/* Whether `extra` threads can exist at the same time as this one. */
static bool rehearse(uint32_t extra) {
  rehearsal r = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
  pthread_t *threads = malloc(extra * sizeof threads[0]);
  if (threads == NULL) {
    return false;
  }
  uint32_t made = 0;
  while (made < extra && pthread_create(&threads[made], NULL, rehearse_one, &r) == 0) {
    made++;
  }
  (void)pthread_mutex_lock(&r.lock);
  r.over = true;
  (void)pthread_cond_broadcast(&r.changed);
  (void)pthread_mutex_unlock(&r.lock);
  for (uint32_t i = 0; i < made; i++) {
    (void)pthread_join(threads[i], NULL);
  }
  (void)pthread_cond_destroy(&r.changed);
  (void)pthread_mutex_destroy(&r.lock);
  free(threads);
  return made == extra;
}

hd_status hd_team_run(uint32_t count, hd_team_fn fn, void *payload) {
  static _Thread_local uint32_t last_count = 1;
  HD_REQUIRE(count >= 1 && count <= HD_TEAM_MAX && fn != NULL);
  if (count > last_count && !rehearse(count - 1)) {
    return HD_E_NOMEM;
  }
  int was_dynamic = omp_get_dynamic();
  omp_set_dynamic(0); /* the run-time may not choose a smaller team on its own */
  hd_team team = {count};
  bool complete = false;
#pragma omp parallel num_threads((int)count) default(none) shared(team, complete, count, fn, payload)
  {
    bool all_here = (uint32_t)omp_get_num_threads() == count;
    uint32_t worker = (uint32_t)omp_get_thread_num();
    if (worker == 0) {
      complete = all_here;
    }
    if (all_here) {
      fn(&team, worker, payload);
    }
  }
  omp_set_dynamic(was_dynamic);
  last_count = complete ? count : 1;
  return complete ? HD_OK : HD_E_NOMEM;
}

void hd_team_barrier(hd_team *team) {
  HD_ASSERT((uint32_t)omp_get_num_threads() == team->count);
  (void)team;
#pragma omp barrier
}

uint32_t hd_team_count(const hd_team *team) {
  return team->count;
}

const char *hd_team_kind(void) {
  return "openmp";
}
