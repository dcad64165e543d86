/* Interrupting a run: limits, cancellation, growth of the table; and what progress displays are told.
 *
 * One word, `interrupt`, is read by every worker after every state, and written a few times in a run; it stays in every
 * core's cache until it changes. It goes 0 -> pause -> 0 for growth and from any value to a stop value once:
 *
 *     0 (go) --full table--> 1 (pause) --quiescent, worker 0--> 0          0, 1 --limit--> 2 + end (for good)
 *
 * Clock and caller's flag are looked at every HDI_CHECK_INTERVAL units of work, a unit being a state or a successor, so
 * that neither a long chain nor a state with many successors delays a stop. Memory is what the visited set and the
 * frontier hold; a growth of the table is refused beforehand (search.c) when it would pass the limit.
 * Threads: any worker; progress is worker 0's. Cost: a decrement per unit. */
#include "core/base/machine.h"
#include "core/explore/search.h"

#define SECONDS_BETWEEN_PROGRESS 0.2

uint32_t hdi_run_interrupt(const hdi_run *run) {
  /* HD-SYNC L1: relaxed; pairs with L2, L3, L9. Publishes: nothing: a worker that sees the word goes to a barrier,
   * which orders everything. Why not weaker: it is the weakest. Why not stronger: seeing it late costs one more state.
   */
  return hd_load_rlx(&run->interrupt);
}

void hdi_run_pause(hdi_run *run) {
  uint32_t expected = HDI_GO;
  /* HD-SYNC L2: relaxed; pairs with L1. Publishes: nothing. Why not weaker: a stop must not be overwritten. Why not
   * stronger: see L1; the value returned is not used. */
  hd_cas_rlx(&run->interrupt, &expected, HDI_PAUSE);
}

void hdi_run_stop(hdi_run *run, hd_end end) {
  uint32_t seen = hdi_run_interrupt(run);
  /* HD-SYNC L3: acq_rel; pairs with L1. Publishes: nothing. Why not weaker: the first reason must stay, and the value
   * returned decides whether to try again. Why not stronger: one location. */
  while (seen <= HDI_PAUSE && !hd_cas_acqrel(&run->interrupt, &seen, HDI_STOP(end))) {}
}

void hdi_run_resume(hdi_run *run) {
  uint32_t expected = HDI_PAUSE;
  /* HD-SYNC L9: relaxed; pairs with L1. Publishes: nothing; the barrier behind it orders it before any worker's next
   * state. Why not weaker: a stop that a display's callback asked for must stay. Why not stronger: quiescent. */
  hd_cas_rlx(&run->interrupt, &expected, HDI_GO);
}

size_t hdi_run_memory_bytes(const hdi_run *run) {
  /* HD-SYNC L4: relaxed; pairs with F1 (the pools' sum, frontier.c), L10. Publishes: nothing; a sum compared with a
   * limit. Why not weaker: it is the weakest. Why not stronger: it guards no memory. */
  return hd_visited_size_bytes(run->visited) + (size_t)hd_load_rlx(&run->frontier_bytes);
}

uint64_t hdi_run_shown_states(const hdi_run *run) {
  uint64_t states = 0;
  for (uint32_t i = 0; i < run->worker_count; i++) {
    states += hd_load_rlx(&run->workers[i].shown_states); /* HD-SYNC L11: relaxed; pairs with L7; see L6. */
  }
  return states;
}

void hdi_run_show_progress(hdi_run *run) {
  hd_progress progress = {.frontier = run->level_states, .level = run->level};
  for (uint32_t i = 0; i < run->worker_count; i++) {
    /* HD-SYNC L6: relaxed; pairs with L7. Publishes: nothing; figures for a display. Why not weaker: it is the weakest.
     * Why not stronger: they need not agree with one another. */
    progress.states += hd_load_rlx(&run->workers[i].shown_states);
    progress.transitions += hd_load_rlx(&run->workers[i].shown_transitions);
  }
  progress.seconds = hd_machine_seconds() - run->start;
  progress.memory_bytes = hd_machine_resident_bytes();
  run->search->progress(run->search->progress_payload, &progress);
}

void hdi_worker_show(hdi_worker *worker) {
  /* HD-SYNC L7: relaxed; pairs with L6, L11. Publishes: nothing; see there. Why not weaker: it is the weakest. Why not
   * stronger: see there. */
  hd_store_rlx(&worker->shown_states, worker->states);
  hd_store_rlx(&worker->shown_transitions, worker->transitions + worker->pending);
}

bool hdi_worker_check(hdi_worker *worker) {
  hdi_run *run = worker->run;
  worker->countdown = HDI_CHECK_INTERVAL;
  hdi_worker_show(worker);
  /* HD-SYNC L8: relaxed; pairs with L8 in the caller, a store of any order. Publishes: nothing. Why not weaker: it is
   * the weakest. Why not stronger: no data comes with the flag. */
  if (run->search->cancel != NULL && hd_load_rlx(run->search->cancel) != 0) {
    hdi_run_stop(run, HD_END_SIGNAL);
  }
  double now = hd_machine_seconds();
  if (run->deadline > 0 && now >= run->deadline) {
    hdi_run_stop(run, HD_END_TIMEOUT);
  }
  if (hdi_run_memory_bytes(run) > run->memory_max_bytes) {
    hdi_run_stop(run, HD_END_MEMORY);
  }
  if (worker->number == 0) {
    hdi_run_watch_native(run, now);
  }
  if (worker->number == 0 && run->search->progress != NULL && !run->keep &&
      now >= run->shown_at + SECONDS_BETWEEN_PROGRESS) {
    run->shown_at = now;
    hdi_run_show_progress(run);
  }
  return hdi_run_interrupt(run) <= HDI_PAUSE;
}
