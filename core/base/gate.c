/* Gates on POSIX threads: a mutex and a condition variable, which is all that waiting without spinning needs.
 *
 * Locking, unlocking and waiting synchronise memory (POSIX.1-2008, 4.11). Waking asks that the gate is held, so that a
 * thread which has looked at its condition and is about to wait cannot miss it. A failure of these calls can only come
 * from a gate that is not initialised or from unlocking what is not held: the caller's mistake, hence HD_REQUIRE.
 * Threads: any. Cost: a system call when somebody must wait. */
#include "core/base/gate.h"

#include "core/base/check.h"

hd_status hd_gate_init(hd_gate *gate) {
  if (pthread_mutex_init(&gate->lock, NULL) != 0) {
    return HD_E_NOMEM;
  }
  if (pthread_cond_init(&gate->changed, NULL) != 0) {
    (void)pthread_mutex_destroy(&gate->lock);
    return HD_E_NOMEM;
  }
  return HD_OK;
}

void hd_gate_clear(hd_gate *gate) {
  HD_REQUIRE(pthread_cond_destroy(&gate->changed) == 0);
  HD_REQUIRE(pthread_mutex_destroy(&gate->lock) == 0);
}

void hd_gate_lock(hd_gate *gate) {
  HD_REQUIRE(pthread_mutex_lock(&gate->lock) == 0);
}

void hd_gate_unlock(hd_gate *gate) {
  HD_REQUIRE(pthread_mutex_unlock(&gate->lock) == 0);
}

void hd_gate_wait(hd_gate *gate) {
  HD_REQUIRE(pthread_cond_wait(&gate->changed, &gate->lock) == 0);
}

void hd_gate_wake_all(hd_gate *gate) {
  HD_REQUIRE(pthread_cond_broadcast(&gate->changed) == 0);
}

void hd_gate_wake_one(hd_gate *gate) {
  HD_REQUIRE(pthread_cond_signal(&gate->changed) == 0);
}
