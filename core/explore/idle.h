/* Workers without work: they wait for others to share some, and all together find out that there is none left. Internal
 * to core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_IDLE_H
#define HEDDLE_CORE_EXPLORE_IDLE_H

#include "core/base/atomic.h"
#include "core/base/compiler.h"
#include "core/base/gate.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct hdi_idle {
  uint32_t workers;
  hd_gate gate;
  bool over;        /* guarded by the gate: all workers wait, so there is no work */
  bool interrupted; /* guarded by the gate: nobody is to wait */
  alignas(HD_CACHE_LINE)
      hd_atomic_u32 waiting; /* how many do; written holding the gate, read after every chunk shared */
} hdi_idle;

/* Is there work that the asking worker could take? Reads the deques with hdi_deque_has_chunks. */
typedef bool (*hdi_idle_look)(const void *payload);

/* HD_E_NOMEM. */
hd_status hdi_idle_init(hdi_idle *idle, uint32_t workers);
void hdi_idle_clear(hdi_idle *idle);
/* Quiescent: everybody is busy again. */
void hdi_idle_reset(hdi_idle *idle);
/* A worker that holds no work, and whose deque is empty, waits until there is some (true) or it has nothing to wait for
 * any more (false): all wait, or somebody interrupted. */
bool hdi_idle_wait(hdi_idle *idle, hdi_idle_look look, const void *payload);
/* A worker has pushed a chunk: wakes one that waits. */
void hdi_idle_share(hdi_idle *idle);
/* Whether somebody waits; may be a little out of date. */
bool hdi_idle_is_wanted(const hdi_idle *idle);
/* Nobody is to wait until hdi_idle_reset. Any worker, any number of times. */
void hdi_idle_interrupt(hdi_idle *idle);
/* After hdi_idle_wait has answered false, and quiescent: was all the work done? */
bool hdi_idle_is_over(const hdi_idle *idle);

#endif
