/* Gates: mutual exclusion, waiting without missing a wake-up, failing to be made. */
#include "core/base/gate.h"

#include "core/base/team.h"
#include "tests/support/hd_test.h"

#include <errno.h>

/* pthread_cond_init passes through here (--wrap). */
int __real_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
static bool refuse;

int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
  return refuse ? EAGAIN : __real_pthread_cond_init(condition, attributes);
}

enum { THREADS = 4, TURNS = 2000 };

typedef struct ring {
  hd_gate gate;
  uint32_t turn; /* guarded by the gate */
  uint64_t handed;
} ring;

/* Each waits for its turn and hands it on: a lost wake-up ends in everybody waiting. */
static void take_turns(hd_team *team, uint32_t worker, void *payload) {
  ring *r = payload;
  for (int i = 0; i < TURNS; i++) {
    hd_gate_lock(&r->gate);
    while (r->turn != worker) {
      hd_gate_wait(&r->gate);
    }
    r->turn = (worker + 1) % hd_team_count(team);
    r->handed++;
    hd_gate_wake_all(&r->gate);
    hd_gate_unlock(&r->gate);
  }
}

Test(gate, threads_take_turns) {
  ring r = {.turn = 0};
  cr_assert_eq(hd_gate_init(&r.gate), HD_OK);
  cr_assert_eq(hd_team_run(THREADS, take_turns, &r), HD_OK);
  cr_assert_eq(r.handed, THREADS * TURNS);
  cr_assert_eq(r.turn, 0);
  hd_gate_clear(&r.gate);
}

Test(gate, refused_memory_is_reported) {
  hd_gate gate;
  refuse = true;
  cr_assert_eq(hd_gate_init(&gate), HD_E_NOMEM);
  refuse = false;
  cr_assert_eq(hd_gate_init(&gate), HD_OK);
  hd_gate_clear(&gate);
}
