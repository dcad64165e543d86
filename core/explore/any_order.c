/* The search without levels: whoever has no work steals some, and nobody waits for a level to end.
 *
 *     own deque (youngest) -> what is fresh, in part -> steal (oldest) -> wait until somebody shares, or all is done
 *
 * Each state is expanded once, by whoever takes the chunk it lies in, with all its steps whatever their weights; the
 * sets of states, steps and findings are those of the search by levels, therefore states, transitions, stopped states
 * and the counts of findings of a complete run are the same, for every number of workers. What is not known is how far
 * a state is from the start: there are no levels, findings have no length, and the counterexample of a finding is
 * looked for afterwards by a search by levels (outcome.c). A run that is cut short, by a finding too, has counts that
 * depend on who was faster.
 *
 * A worker fills chunks of its own. Full ones but the one being filled go to its deque, where others may take them;
 * when somebody waits (idle.c), halves of smaller ones go too. So a narrow search is one worker's, at no cost to the
 * others, who sleep: a search begins with worker 0 alone, without a team, and gets the team when it is wide.
 *
 * The pause protocol is that of level.c: a worker that finds the table full keeps the state in its stash and asks for a
 * pause; every worker leaves, whoever waits is woken to do so, all meet at the barrier, grow the table and offer their
 * stashes again. What a worker holds, its current chunk, the fresh ones and its deque, stays with it meanwhile. A
 * worker with something in its stash does not wait, for it has seen its own interrupt; so "all wait" implies no stash.
 *
 * Threads: everything is the worker's own but the visited set, the deques, the idle protocol and the interrupt word;
 * the decisions are worker 0's while the others wait at the barrier. Cost: that of stepping and of one look-up per
 * transition; a shared word is written only when workers run out of work. */
#include "core/explore/search.h"

#include "core/base/check.h"

#include <string.h>

/* Fewer states than this many are not worth another worker's while. */
enum { SHARE_LEAST = 64 };

/* ---- one worker ---- */

static void share_chunk(hdi_worker *worker, hdi_chunk *chunk) {
  chunk->next = NULL;
  if (hdi_deque_push(&worker->work, chunk) != HD_OK) {
    hdi_pool_give(&worker->pool, chunk); /* the run is over anyway */
    hdi_run_stop(worker->run, HD_END_MEMORY);
    return;
  }
  if (!worker->run->alone) {
    hdi_idle_share(&worker->run->idle);
  }
}

static hdi_chunk *take_fresh(hdi_worker *worker) {
  hdi_list *list = &worker->fresh;
  hdi_chunk *chunk = list->first;
  if (chunk != NULL) {
    list->first = chunk->next;
    list->last = list->first == NULL ? NULL : list->last;
    list->states -= chunk->count;
  }
  return chunk;
}

/* Somebody waits and finds nothing here. */
static bool is_wanted(const hdi_worker *worker) {
  const hdi_run *run = worker->run;
  return !run->alone && hdi_idle_is_wanted(&run->idle) && !hdi_deque_has_chunks(&worker->work);
}

/* Puts what is more than this worker needs next where others find it. */
static void share_fresh(hdi_worker *worker) {
  while (worker->fresh.first != worker->fresh.last) {
    share_chunk(worker, take_fresh(worker));
  }
  bool spare = worker->cursor < worker->current->count; /* something is left for this worker */
  if (spare && worker->fresh.states >= SHARE_LEAST && is_wanted(worker)) {
    share_chunk(worker, take_fresh(worker));
  }
}

/* The worker is about to work off `chunk`: when it is wanted, the second half goes to the deque. */
static void share_half(hdi_worker *worker, hdi_chunk *chunk) {
  const hdi_run *run = worker->run;
  if (chunk->count < 2 * SHARE_LEAST || !is_wanted(worker)) {
    return;
  }
  hdi_chunk *half = hdi_pool_take(&worker->pool);
  if (half == NULL) {
    return; /* then it stays whole */
  }
  uint32_t kept = chunk->count / 2;
  half->count = chunk->count - kept;
  memcpy(half->words, &chunk->words[(size_t)kept * run->words], (size_t)half->count * run->words * sizeof *half->words);
  chunk->count = kept;
  share_chunk(worker, half);
}

static hdi_chunk *steal(hdi_worker *worker) {
  hdi_run *run = worker->run;
  bool again = true;
  while (again) {
    again = false;
    for (uint32_t i = 1; i < run->worker_count; i++) {
      bool lost;
      hdi_chunk *chunk = hdi_deque_steal(&run->workers[(worker->number + i) % run->worker_count].work, &lost);
      if (chunk != NULL) {
        return chunk;
      }
      again = again || lost; /* then another worker got it, so this ends */
    }
  }
  return NULL;
}

/* Is there something to steal? */
static bool look(const void *payload) {
  const hdi_worker *worker = payload;
  const hdi_run *run = worker->run;
  for (uint32_t i = 1; i < run->worker_count; i++) {
    if (hdi_deque_has_chunks(&run->workers[(worker->number + i) % run->worker_count].work)) {
      return true;
    }
  }
  return false;
}

/* A chunk of the worker's own; NULL when it has none. */
static hdi_chunk *own_chunk(hdi_worker *worker) {
  hdi_chunk *chunk = hdi_deque_pop(&worker->work);
  if (chunk == NULL && worker->fresh.first == NULL) {
    hdi_level_offer(worker); /* among what has been collected there may be new states */
  }
  if (chunk == NULL) {
    chunk = take_fresh(worker);
  }
  if (chunk != NULL) {
    share_half(worker, chunk);
  }
  return chunk;
}

/* Sees to it that there is a current chunk; false when the worker has nothing to do here any more. */
static bool next_chunk(hdi_worker *worker) {
  hdi_run *run = worker->run;
  while (worker->current == NULL) {
    worker->cursor = 0;
    worker->current = own_chunk(worker);
    if (worker->current != NULL) {
      return true;
    }
    if (run->alone || hdi_run_interrupt(run) != HDI_GO) {
      return false;
    }
    worker->current = steal(worker);
    if (worker->current == NULL && !hdi_idle_wait(&run->idle, look, worker)) {
      return false;
    }
  }
  return true;
}

/* Enough for others to live on. */
static bool is_wide(const hdi_worker *worker) {
  return worker->fresh.states > HDI_NARROW_STATES || hdi_deque_has_chunks(&worker->work);
}

/* What ends a run besides time and memory. */
static void check_ends(hdi_worker *worker) {
  hdi_run *run = worker->run;
  if (worker->stop_level != UINT64_MAX) {
    hdi_run_stop(run, HD_END_FOUND);
  }
  if (run->search->states_budget != 0) {
    hdi_worker_show(worker);
    if (hdi_run_shown_states(run) >= run->search->states_budget) {
      hdi_run_stop(run, HD_END_BUDGET);
    }
  }
}

/* Works off the current chunk; false when the run has been interrupted. */
static bool work_off_chunk(hdi_worker *worker) {
  hdi_run *run = worker->run;
  while (worker->cursor < worker->current->count) {
    if (HD_UNLIKELY(hdi_run_interrupt(run) != HDI_GO) || !hdi_level_advance(worker)) {
      return false;
    }
    share_fresh(worker);
  }
  hdi_pool_give(&worker->pool, worker->current);
  worker->current = NULL;
  check_ends(worker);
  return true;
}

void hdi_any_work(hdi_worker *worker) {
  hdi_run *run = worker->run;
  bool wide = false;
  while (!wide && next_chunk(worker) && work_off_chunk(worker)) {
    wide = run->alone && run->worker_count > 1 && is_wide(worker);
  }
  hdi_level_offer(worker);
  if (!run->alone) {
    hdi_idle_interrupt(&run->idle); /* nobody is to wait for this worker */
  }
}

/* ---- worker 0, while the others wait ---- */

static bool has_work(const hdi_worker *worker) {
  return worker->current != NULL || worker->fresh.first != NULL || hdi_deque_has_chunks(&worker->work);
}

static hdi_action finish(hdi_run *run, hd_end end) {
  run->end = end;
  return HDI_ACTION_STOP;
}

hdi_action hdi_any_decide(hdi_run *run) {
  run->phase = HDI_PHASE_EXPAND; /* all the time */
  run->fill = run->workers[0].pool.capacity;
  for (;;) {
    check_ends(&run->workers[0]); /* as for the initial states */
    if (hdi_run_is_stopped(run)) {
      return HDI_ACTION_STOP;
    }
    run->paused = false;
    bool over = run->alone ? !has_work(&run->workers[0]) : hdi_idle_is_over(&run->idle);
    hdi_action action;
    if (hdi_run_is_full(run, &action)) {
      return action;
    }
    if (over) {
      return finish(run, HD_END_COMPLETE);
    }
    hdi_run_take_native(run);
    if (run->alone && run->worker_count > 1 && is_wide(&run->workers[0])) {
      run->alone = false;
    }
    if (!run->alone) {
      hdi_idle_reset(&run->idle);
      return HDI_ACTION_WORK;
    }
    hdi_any_work(&run->workers[0]);
  }
}
