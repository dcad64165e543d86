/* Termination and waiting in a search without levels.
 *
 *     busy --own deque empty, nothing to steal--> waiting at the gate --a chunk is shared--> busy
 *                                                        |--the last of all workers comes--> over, for all
 *                                                        |--interrupt-----------------------> to the barrier
 *
 * Termination. A worker waits only when it holds no work and its own deque is empty; only the owner pushes, and not
 * while it waits. So when all workers wait all deques are empty and nobody holds work: the search is over, and stays
 * so. `waiting` is written holding the gate, hence the worker that brings it to the number of workers is right. A
 * worker that has work, on its way with a stolen chunk too, does not wait, so nobody ends early.
 *
 * No work lies while somebody sleeps. The worker that pushes stores bottom (F6) and then loads `waiting` (I3); the one
 * that is about to wait stores `waiting` (I1) and then looks at the deques (F16, F17). All are seq_cst, so in their one
 * total order either the store of bottom comes before the look, which then finds the chunk or that another worker has
 * taken it, or the store of `waiting` comes before the load, and the pusher wakes somebody. It takes the gate to do so;
 * the waiting worker holds the gate from its store on until it sleeps, so it cannot miss the call. One chunk wakes one
 * worker: whichever it is finds the chunk or that it has been taken.
 *
 * Interrupts are plain data under the gate. Threads: as the functions say. Cost: hdi_idle_share and hdi_idle_is_wanted
 * read one line that changes only when workers run out of work; waiting costs system calls. No spinning. */
#include "core/explore/idle.h"

#include "core/base/check.h"

hd_status hdi_idle_init(hdi_idle *idle, uint32_t workers) {
  idle->workers = workers;
  hdi_idle_reset(idle);
  return hd_gate_init(&idle->gate);
}

void hdi_idle_clear(hdi_idle *idle) {
  hd_gate_clear(&idle->gate);
}

void hdi_idle_reset(hdi_idle *idle) {
  idle->over = idle->interrupted = false;
  /* HD-SYNC I4: relaxed; pairs with none: quiescent, the barrier orders it. Publishes: nothing. Why not weaker: it is
   * the weakest. Why not stronger: nobody else runs. */
  hd_store_rlx(&idle->waiting, 0);
}

bool hdi_idle_is_over(const hdi_idle *idle) {
  return idle->over;
}

/* Holding the gate. */
static uint32_t add_waiting(hdi_idle *idle, uint32_t more) {
  /* HD-SYNC I2: relaxed; pairs with I1. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger: all
   * writes are made holding the gate, which orders this load behind them. */
  uint32_t waiting = hd_load_rlx(&idle->waiting) + more;
  /* HD-SYNC I1: seq_cst; pairs with I2, I3, I5. Publishes: that a worker is about to wait. Why not weaker: it must come
   * before the look at the deques in the one order of both. Why not stronger: it is the strongest. */
  hd_store_seq(&idle->waiting, waiting);
  return waiting;
}

bool hdi_idle_wait(hdi_idle *idle, hdi_idle_look look, const void *payload) {
  hd_gate_lock(&idle->gate);
  HD_ASSERT(!idle->over);
  if (add_waiting(idle, 1) == idle->workers) {
    idle->over = true;
    hd_gate_wake_all(&idle->gate);
  }
  bool found = false;
  while (!idle->over && !idle->interrupted && !(found = look(payload))) {
    hd_gate_wait(&idle->gate);
  }
  if (!idle->over) {
    (void)add_waiting(idle, (uint32_t)-1);
  }
  hd_gate_unlock(&idle->gate);
  return found;
}

void hdi_idle_share(hdi_idle *idle) {
  /* HD-SYNC I3: seq_cst; pairs with I1, F6. Publishes: nothing. Why not weaker: it must come after the store of bottom
   * in the one order of both. Why not stronger: it is the strongest. */
  if (HD_UNLIKELY(hd_load_seq(&idle->waiting) > 0)) {
    hd_gate_lock(&idle->gate);
    hd_gate_wake_one(&idle->gate);
    hd_gate_unlock(&idle->gate);
  }
}

bool hdi_idle_is_wanted(const hdi_idle *idle) {
  /* HD-SYNC I5: relaxed; pairs with I1. Publishes: nothing, a hint. Why not weaker: it is the weakest. Why not
   * stronger: a worker that sees it late shares its next chunk. */
  return hd_load_rlx(&idle->waiting) > 0;
}

void hdi_idle_interrupt(hdi_idle *idle) {
  hd_gate_lock(&idle->gate);
  idle->interrupted = true;
  hd_gate_wake_all(&idle->gate);
  hd_gate_unlock(&idle->gate);
}
