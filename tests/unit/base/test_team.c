/* The thread team. Compiled into two programs: with the twin that the build chose, and with the pthread twin. */
#define _GNU_SOURCE 1 /* sched_setaffinity */
#include "core/base/team.h"
#include "tests/support/expect_failed_check.h"
#include "tests/support/hd_test.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 32 };

/* pthread_create of the twins passes through here (--wrap). */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *payload);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *payload);
static long creations_left = -1; /* -1: no limit */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *payload) {
  if (creations_left == 0) {
    return EAGAIN;
  }
  if (creations_left > 0) { /* set by tests with one caller only; without a limit several callers just read */
    creations_left--;
  }
  return __real_pthread_create(thread, attributes, run, payload);
}

typedef struct visit {
  uint32_t count;
  pthread_t caller;
  int visits[MOST]; /* per worker: no two workers share an entry */
  bool wrong[MOST];
} visit;

static void note_visit(hd_team *team, uint32_t worker, void *payload) {
  visit *v = payload;
  v->visits[worker]++;
  bool is_caller = pthread_equal(pthread_self(), v->caller) != 0;
  v->wrong[worker] = hd_team_count(team) != v->count || is_caller != (worker == 0);
}

static void assert_all_visited_once(uint32_t count) {
  visit v = {.count = count, .caller = pthread_self()};
  cr_assert(hd_team_run(count, note_visit, &v) == HD_OK);
  for (uint32_t i = 0; i < MOST; i++) {
    cr_assert(v.visits[i] == (i < count), "worker %u of %u ran %d times", i, count, v.visits[i]);
    cr_assert(!v.wrong[i], "worker %u of %u saw a wrong team", i, count);
  }
}

Test(team, is_the_twin_that_was_asked_for) {
  cr_assert_str_eq(hd_team_kind(), HD_TEST_TEAM_KIND);
}

Test(team, every_worker_runs_once) {
  for (uint32_t count = 1; count <= 9; count++) {
    assert_all_visited_once(count);
  }
  assert_all_visited_once(MOST);
  assert_all_visited_once(2);
  assert_all_visited_once(1);
  assert_all_visited_once(5);
}

typedef struct phases {
  uint32_t count, rounds;
  uint32_t done[MOST]; /* plain memory: only the barrier orders it */
  uint32_t early[MOST];
} phases;

static void run_phases(hd_team *team, uint32_t worker, void *payload) {
  phases *p = payload;
  for (uint32_t round = 1; round <= p->rounds; round++) {
    p->done[worker] = round;
    hd_team_barrier(team);
    for (uint32_t i = 0; i < p->count; i++) {
      p->early[worker] += p->done[i] != round;
    }
    hd_team_barrier(team);
  }
}

Test(team, the_barrier_waits_for_all_again_and_again) {
  static const uint32_t counts[] = {1, 2, 3, 8};
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
    phases p = {.count = counts[c], .rounds = 500};
    cr_assert(hd_team_run(p.count, run_phases, &p) == HD_OK);
    for (uint32_t i = 0; i < p.count; i++) {
      cr_assert(p.done[i] == p.rounds && p.early[i] == 0, "worker %u of %u saw %u early passes", i, p.count,
                p.early[i]);
    }
  }
}

static void hand_on(hd_team *team, uint32_t worker, void *payload) {
  uint64_t *value = payload;
  for (uint32_t turn = 0; turn < hd_team_count(team); turn++) {
    if (turn == worker) {
      *value = *value * 3 + worker;
    }
    hd_team_barrier(team);
  }
}

Test(team, the_barrier_publishes_what_was_written) {
  uint64_t value = 1, expected = 1;
  for (uint32_t worker = 0; worker < 8; worker++) {
    expected = expected * 3 + worker;
  }
  cr_assert(hd_team_run(8, hand_on, &value) == HD_OK);
  cr_assert(value == expected);
}

static void *run_own_team(void *payload) {
  uint64_t *value = payload;
  for (int i = 0; i < 20; i++) {
    *value = 1;
    if (hd_team_run(3, hand_on, value) != HD_OK) {
      *value = 0;
      break;
    }
  }
  return NULL;
}

Test(team, several_callers_have_teams_of_their_own) {
  enum { CALLERS = 3 };
  pthread_t callers[CALLERS];
  uint64_t values[CALLERS] = {0};
  for (int i = 0; i < CALLERS; i++) {
    cr_assert(pthread_create(&callers[i], NULL, run_own_team, &values[i]) == 0);
  }
  for (int i = 0; i < CALLERS; i++) {
    cr_assert(pthread_join(callers[i], NULL) == 0);
    cr_assert(values[i] == ((1 * 3 + 0) * 3 + 1) * 3 + 2);
  }
}

Test(team, when_a_thread_is_refused_nobody_runs) {
  for (long made = 0; made < 3; made++) {
    visit v = {.count = 4, .caller = pthread_self()};
    creations_left = made;
    hd_status status = hd_team_run(4, note_visit, &v);
    creations_left = -1;
    cr_assert(status == HD_E_NOMEM, "after %ld threads", made);
    for (uint32_t i = 0; i < MOST; i++) {
      cr_assert(v.visits[i] == 0);
    }
  }
  creations_left = 0;
  assert_all_visited_once(1); /* needs no thread */
  creations_left = -1;
  assert_all_visited_once(4); /* and the next run is as good as ever */
}

Test(team, a_run_time_limit_is_reported) {
  /* Both variables are read once, at start: hence a program of its own. It answers 0 when the team ran with three
   * workers, 1 when it was refused and nobody ran, 2 for anything else. */
  int limited = system("OMP_THREAD_LIMIT=2 " HD_TEST_LIMITED_TEAM);
  int free_choice = system("OMP_DYNAMIC=true OMP_NUM_THREADS=1 " HD_TEST_LIMITED_TEAM);
  cr_assert(WIFEXITED(limited) && WEXITSTATUS(limited) == (strcmp(hd_team_kind(), "openmp") == 0));
  cr_assert(WIFEXITED(free_choice) && WEXITSTATUS(free_choice) == 0);
}

Test(team, impossible_counts_are_broken_contracts) {
  EXPECT_FAILED_CHECK(hd_team_run(0, note_visit, NULL));
  EXPECT_FAILED_CHECK(hd_team_run(HD_TEAM_MAX + 1, note_visit, NULL));
  EXPECT_FAILED_CHECK(hd_team_run(1, NULL, NULL));
}

Test(team, default_count_obeys_affinity) {
  cpu_set_t all, one;
  cr_assert(sched_getaffinity(0, sizeof all, &all) == 0);
  uint32_t count = hd_team_default_count();
  cr_assert(count >= 1 && count <= (uint32_t)CPU_COUNT(&all) && count <= HD_TEAM_MAX);
  size_t core = 0;
  while (!CPU_ISSET(core, &all)) {
    core++;
  }
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  cr_assert(sched_setaffinity(0, sizeof one, &one) == 0);
  cr_assert(hd_team_default_count() == 1);
  cr_assert(sched_setaffinity(0, sizeof all, &all) == 0);
}

/* The quota of the library passes through here (--wrap). */
double __wrap_hdi_probe_cgroup_cores(const char *root);
static double quota;

double __wrap_hdi_probe_cgroup_cores(const char *root) {
  cr_assert_str_eq(root, "");
  return quota;
}

Test(team, default_count_obeys_the_processor_quota) {
  cpu_set_t all;
  cr_assert(sched_getaffinity(0, sizeof all, &all) == 0);
  uint32_t cores = (uint32_t)CPU_COUNT(&all);
  quota = 0;
  cr_assert(hd_team_default_count() == (cores < HD_TEAM_MAX ? cores : HD_TEAM_MAX), "0: no quota");
  quota = 1e9;
  cr_assert(hd_team_default_count() == (cores < HD_TEAM_MAX ? cores : HD_TEAM_MAX));
  quota = 0.2;
  cr_assert(hd_team_default_count() == 1);
  quota = 1;
  cr_assert(hd_team_default_count() == 1);
  quota = 1.5;
  cr_assert(hd_team_default_count() == (cores < 2 ? cores : 2), "a started core counts");
}
