/* A gate: a lock, and a place where threads wait until somebody wakes them. For what is rare, like a worker that has
 * run out of work; never on the way of a state. */
#ifndef HEDDLE_CORE_BASE_GATE_H
#define HEDDLE_CORE_BASE_GATE_H

#include "core/base/status.h"

#include <pthread.h>

typedef struct hd_gate {
  pthread_mutex_t lock;
  pthread_cond_t changed;
} hd_gate;

/* HD_E_NOMEM when the system has no room for it. */
hd_status hd_gate_init(hd_gate *gate);
/* Nobody holds it or waits at it. */
void hd_gate_clear(hd_gate *gate);
void hd_gate_lock(hd_gate *gate);
void hd_gate_unlock(hd_gate *gate);
/* Holding the gate: lets it go, waits to be woken, takes it again. May return without having been woken. */
void hd_gate_wait(hd_gate *gate);
/* Holding the gate: wakes everybody who waits, or one of them. */
void hd_gate_wake_all(hd_gate *gate);
void hd_gate_wake_one(hd_gate *gate);

#endif
