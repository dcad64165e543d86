/* One worker's part of a phase: takes chunks, follows steps, files what it meets.
 *
 *     chunk of the sub-level --CLOSE-->  states reached by a weight-0 step and new: fresh (the next sub-level)
 *                            \-------->  the state itself: closed[has such a step]
 *     chunk of the level     --EXPAND->  states reached by the other steps and new: fresh (the next level)
 *
 * A model without weight-0 steps has no CLOSE phase and EXPAND follows all steps. Each state passes each phase once, so
 * each step is followed once: its transition is counted, its fault or failed checks are filed, its successor is offered
 * to the visited set. Whoever is told that it is new owns it: evaluates the predicates and appends it to its own list.
 * A state in which neither phase met a step, faulty ones included, is stopped and is classified.
 *
 * Successors do not go to the visited set one by one but in batches, so that their buckets can be prefetched: when
 * HDI_BATCH of them are there, and when the worker leaves the phase. A set does not mind in which order states are
 * offered to it, so neither does the search. A model whose steps the fast path knows (hd_stepper_bulk_run) is
 * not stepped with descriptions: the successors of many states are written to the batch in one go. A state with a step
 * that needs a description, because it has a fault or a failed check, is stepped by itself.
 *
 * When the table is full, the successor goes to the worker's stash and everybody is asked to come to the barrier. The
 * worker first finishes the state it is at (its other successors are offered as usual), so no step is followed twice
 * and none is lost: the chunk and the place in it are kept in `current` and `cursor`, the stash is offered again after
 * the growth. When a run stops for good in the middle of a state, that state does not count as expanded.
 *
 * Work in a phase is found in the own deque first, then in those of the others. No chunk is added to a deque during a
 * phase, so a worker that finds all of them empty is done; a worker that keeps losing races for a chunk tries again,
 * and somebody else got one each time. Threads: everything here is the worker's own but the visited set, the deques and
 * the interrupt word. Cost: that of stepping and of one look-up per transition. */
#include "core/base/check.h"
#include "core/explore/search.h"

#include <stdlib.h>
#include <string.h>

static void fail(hdi_worker *worker, hd_status status) {
  if (status != HD_E_NOMEM) {
    worker->failure = status;
  }
  hdi_run_stop(worker->run, HD_END_MEMORY);
}

static void note_stop_slot(hdi_worker *worker, uint32_t slot, uint64_t level) {
  if (hd_slots_has(worker->run->search->stop_slots, slot) && level < worker->stop_level) {
    worker->stop_level = level;
  }
}

static void find_state(hdi_worker *worker, uint32_t slot, uint64_t level, const uint64_t *state) {
  hdi_finds_add_state(&worker->finds, slot, level, state);
  note_stop_slot(worker, slot, level);
}

static void find_step(hdi_worker *worker, uint32_t slot, const hd_step *step, const uint64_t *next) {
  uint64_t level = worker->run->level;
  hdi_finds_add_step(&worker->finds, slot, level, worker->state, worker->ordinal, step, next);
  note_stop_slot(worker, slot, level + step->weight);
}

/* `state` has just been inserted by this worker. */
static inline void accept(hdi_worker *worker, const uint64_t *state) {
  hdi_run *run = worker->run;
  HD_INVARIANT(hd_model_state_is_valid(run->model, state));
  worker->states++;
  if (hdi_list_append(&worker->fresh, &worker->pool, run->fill, state) != HD_OK) {
    fail(worker, HD_E_NOMEM);
  }
  const hd_search *search = run->search;
  if (search->predicate != NULL && !run->keep) {
    for (uint32_t i = 0; i < search->predicate_count; i++) {
      if (search->predicate(search->predicate_context, run->model, state, i)) {
        find_state(worker, HD_SLOT_PREDICATE(i), worker->fresh_level, state);
      }
    }
  }
}

hd_status hdi_words_append(hdi_words *words, const uint64_t *state, uint32_t count) {
  if (hdi_words_reserve(words, words->count + count) != HD_OK) {
    return HD_E_NOMEM;
  }
  HD_ASSERT(words->data != NULL);
  memcpy(words->data + words->count, state, count * sizeof *state);
  words->count += count;
  return HD_OK;
}

/* What the visited set said about a state that this worker offered. */
static void take_answer(hdi_worker *worker, hd_insert answer, const uint64_t *state) {
  switch (answer) {
    case HD_INSERT_NEW:
      accept(worker, state);
      break;
    case HD_INSERT_KNOWN:
      break;
    case HD_INSERT_FULL:
      if (hdi_words_append(&worker->stash, state, worker->run->words) == HD_OK) {
        hdi_run_pause(worker->run);
      } else {
        fail(worker, HD_E_NOMEM);
      }
      break;
    case HD_INSERT_NOMEM:
      fail(worker, HD_E_NOMEM);
      break;
  }
}

/* Offers `count` states, at most batch_room or HDI_BIN, to the visited set and takes its answers. */
static void offer(hdi_worker *worker, const uint64_t *states, size_t count) {
  const hdi_run *run = worker->run;
  size_t found = hd_visited_insert_many(run->visited, worker->number, states, count, worker->places, worker->answers);
  for (size_t i = 0; i < found; i++) {
    const uint64_t *state = states + (size_t)worker->places[i] * run->words;
    if (HD_LIKELY(worker->answers[i] == HD_INSERT_NEW)) {
      accept(worker, state);
    } else {
      take_answer(worker, (hd_insert)worker->answers[i], state);
    }
  }
}

/* HD-SYNC L10: relaxed; pairs with L4, L10 of other workers. Publishes: nothing, a sum for the memory limit. Why not
 * weaker: it must be one read-modify-write. Why not stronger: it guards no memory. */
static void charge(hdi_worker *worker, uint64_t more_bytes) {
  (void)hd_add_rlx(&worker->run->frontier_bytes, more_bytes);
}

/* NULL when memory is out. */
static hdi_parcel *empty_parcel(hdi_worker *worker) {
  hdi_parcel *parcel = worker->spare_parcels;
  if (parcel != NULL) {
    worker->spare_parcels = parcel->next;
    return parcel;
  }
  parcel = malloc(sizeof *parcel);
  if (parcel != NULL) {
    charge(worker, sizeof *parcel);
  }
  return parcel;
}

/* A bin is full, or the phase ends: it goes to the owner of its region. Any worker may offer any state, so where there
 * is no memory for a parcel this one does it. */
static void pass_bin(void *payload, uint32_t region, const uint64_t *states, uint32_t count) {
  hdi_worker *worker = payload;
  hdi_run *run = worker->run;
  uint32_t owner = run->alone ? worker->number : region % run->worker_count;
  hdi_parcel *parcel = owner == worker->number ? NULL : empty_parcel(worker);
  if (parcel == NULL) {
    offer(worker, states, count);
    return;
  }
  parcel->count = count;
  memcpy(parcel->states, states, count * sizeof *states);
  hdi_inbox_put(&run->workers[owner].inbox, parcel);
}

void hdi_level_receive(hdi_worker *worker) {
  hdi_parcel *next;
  for (hdi_parcel *parcel = hdi_inbox_take(&worker->inbox); parcel != NULL; parcel = next) {
    next = parcel->next;
    offer(worker, parcel->states, parcel->count);
    parcel->next = worker->spare_parcels;
    worker->spare_parcels = parcel;
  }
}

void hdi_level_clear_parcels(hdi_worker *worker) {
  hdi_parcel *lists[2] = {hdi_inbox_take(&worker->inbox), worker->spare_parcels};
  worker->spare_parcels = NULL;
  for (size_t i = 0; i < 2; i++) {
    for (hdi_parcel *parcel = lists[i], *next; parcel != NULL; parcel = next) {
      next = parcel->next;
      free(parcel);
    }
  }
}

/* Sorts the batch into bins; where there is no memory for them it is offered here and now. */
static void sort_batch(hdi_worker *worker) {
  hdi_scatter *scatter = &worker->scatter;
  if (scatter->bins == NULL && hdi_scatter_init(scatter, worker->batch_room) == HD_OK) {
    charge(worker, hdi_scatter_size_bytes(scatter));
  }
  if (scatter->bins != NULL) {
    hdi_scatter_add(scatter, worker->run->visited, worker->run->region_bits, worker->batch, worker->batch_count,
                    pass_bin, worker);
  } else {
    offer(worker, worker->batch, worker->batch_count);
  }
  hdi_level_receive(worker);
}

static void offer_batch(hdi_worker *worker) {
  if (HD_UNLIKELY(worker->run->symmetry != NULL)) {
    for (size_t i = 0; i < worker->batch_count; i++) {
      hd_symmetry_sort(worker->run->symmetry, worker->batch + i * worker->run->words);
    }
  }
  if (worker->run->region_bits > 0) {
    sort_batch(worker);
  } else {
    offer(worker, worker->batch, worker->batch_count);
  }
  worker->batch_count = 0;
}

void hdi_level_offer(hdi_worker *worker) {
  offer_batch(worker);
  hdi_scatter_flush(&worker->scatter, pass_bin, worker);
}

static void add_to_batch(hdi_worker *worker, const uint64_t *state) {
  const hdi_run *run = worker->run;
  memcpy(worker->batch + worker->batch_count * run->words, state, run->words * sizeof *state);
  if (++worker->batch_count >= HDI_BATCH) {
    offer_batch(worker);
  }
}

void hdi_level_seed(hdi_worker *worker) {
  const uint64_t *states;
  size_t count = hd_model_initial(worker->run->model, &states);
  for (size_t i = 0; i < count && hdi_worker_tick(worker); i++) {
    add_to_batch(worker, states + i * worker->run->words);
  }
  offer_batch(worker);
}

void hdi_level_retry(hdi_worker *worker) {
  hdi_words stash = worker->stash;
  worker->stash = (hdi_words){0};
  for (size_t i = 0; i < stash.count; i += worker->run->words) {
    const uint64_t *state = stash.data + i;
    take_answer(worker, hd_visited_insert(worker->run->visited, worker->number, state), state);
  }
  hdi_words_free(&stash);
}

static void file_step(hdi_worker *worker, const uint64_t *next, const hd_step *step) {
  if (step->fault != HD_FAULT_NONE) {
    find_step(worker, HD_SLOT_FAULT(step->fault), step, NULL);
    return;
  }
  for (uint32_t checks = step->checks_failed; checks != 0; checks &= checks - 1) {
    find_step(worker, HD_SLOT_CHECK(HD_COUNT_TRAILING_ZEROS_64(checks)), step, next);
  }
}

static bool close_step(void *payload, const uint64_t *next, const hd_step *step) {
  hdi_worker *worker = payload;
  worker->ordinal++;
  if (HD_UNLIKELY(step->fault != HD_FAULT_NONE || step->checks_failed != 0) && !worker->run->keep) {
    file_step(worker, next, step);
  }
  if (next != NULL) {
    worker->pending++;
    add_to_batch(worker, next);
  }
  return hdi_worker_tick(worker);
}

static bool expand_step(void *payload, const uint64_t *next, const hd_step *step) {
  hdi_worker *worker = payload;
  HD_ASSERT(step->weight == 1 || worker->run->any_order);
  worker->ordinal++;
  if (HD_UNLIKELY(step->fault != HD_FAULT_NONE || step->checks_failed != 0) && !worker->run->keep) {
    file_step(worker, next, step);
  }
  if (next != NULL) {
    worker->transitions++;
    add_to_batch(worker, next);
  }
  return hdi_worker_tick(worker);
}

/* Runs the steps of worker->state; false when the run has been stopped. */
static bool run_steps(hdi_worker *worker, hd_weight_filter weights, hd_emit emit) {
  worker->ordinal = 0;
  hd_status status = hd_stepper_run(worker->stepper, worker->state, weights, emit, worker);
  if (status == HD_OK) {
    return hdi_worker_tick(worker);
  }
  if (status != HD_E_CANCELLED) {
    fail(worker, status);
  }
  return false;
}

/* The state being worked on has been followed to CLOSE; worker->ordinal says how many steps it has. */
static bool end_close(hdi_worker *worker) {
  const hdi_run *run = worker->run;
  if (hdi_list_append(&worker->closed[worker->ordinal > 0], &worker->pool, run->fill, worker->state) != HD_OK) {
    fail(worker, HD_E_NOMEM);
    return false;
  }
  return true;
}

static void classify(hdi_worker *worker) {
  const hdi_run *run = worker->run;
  const hd_search *search = run->search;
  worker->stopped++;
  uint32_t kind = search->classify != NULL ? search->classify(search->classify_context, run->model, worker->state)
                                           : (hd_model_stop(run->model, worker->state) == HD_STOP_STUCK ? 1 : 0);
  HD_REQUIRE(kind < HD_STOP_KIND_MAX);
  if (kind != 0) {
    find_state(worker, HD_SLOT_STOP(kind), run->level, worker->state);
  }
}

/* The same for EXPAND. */
static void end_expand(hdi_worker *worker) {
  worker->expanded++;
  if (worker->ordinal == 0 && !worker->current->stepped && !worker->run->keep) {
    classify(worker);
  }
}

static hd_weight_filter phase_weights(const hdi_run *run) {
  if (run->phase == HDI_PHASE_CLOSE) {
    return HD_WEIGHT_ZERO;
  }
  return run->zero_weights ? HD_WEIGHT_ONE : HD_WEIGHT_ANY;
}

/* Follows the steps of the next state of the current chunk; false when the run has been stopped. */
static bool work_off_state(hdi_worker *worker) {
  const hdi_run *run = worker->run;
  bool close = run->phase == HDI_PHASE_CLOSE;
  worker->state = &worker->current->words[(size_t)worker->cursor * run->words];
  worker->cursor++;
  if (!run_steps(worker, phase_weights(run), close ? close_step : expand_step)) {
    return false;
  }
  if (close) {
    return end_close(worker);
  }
  end_expand(worker);
  return true;
}

/* Takes note of `done` states from the cursor on, whose successors have been written to the batch. */
static bool end_states(hdi_worker *worker, const uint32_t *ends, uint32_t done) {
  const hdi_run *run = worker->run;
  bool close = run->phase == HDI_PHASE_CLOSE;
  uint32_t before = 0;
  for (uint32_t i = 0; i < done; before = ends[i++]) {
    worker->ordinal = ends[i] - before;
    if (HD_LIKELY(!close && worker->ordinal != 0)) {
      continue;
    }
    worker->state = &worker->current->words[(size_t)(worker->cursor + i) * run->words];
    if (close && !end_close(worker)) {
      return false;
    }
    if (!close && !worker->current->stepped && !run->keep) {
      classify(worker);
    }
  }
  worker->expanded += close ? 0 : done;
  return true;
}

/* Follows the steps of some of the next states of the current chunk on the fast path. */
static bool work_off_bulk(hdi_worker *worker) {
  const hdi_run *run = worker->run;
  const hdi_chunk *chunk = worker->current;
  uint32_t ends[HDI_BULK_STATES];
  uint32_t count = chunk->count - worker->cursor;
  count = count < HDI_BULK_STATES ? count : HDI_BULK_STATES;
  bool odd = false;
  uint32_t done = hd_stepper_bulk_run(worker->stepper, &chunk->words[(size_t)worker->cursor * run->words], count,
                                      phase_weights(run), worker->batch + worker->batch_count * run->words,
                                      worker->batch_room - worker->batch_count, ends, &odd);
  uint32_t steps = done == 0 ? 0 : ends[done - 1];
  if (!end_states(worker, ends, done)) {
    return false;
  }
  worker->cursor += done;
  worker->batch_count += steps;
  *(run->phase == HDI_PHASE_CLOSE ? &worker->pending : &worker->transitions) += steps;
  if (worker->batch_count >= HDI_BATCH) {
    offer_batch(worker);
  }
  return hdi_worker_ticks(worker, steps + done) && (!odd || work_off_state(worker));
}

bool hdi_level_advance(hdi_worker *worker) {
  return worker->bulk ? work_off_bulk(worker) : work_off_state(worker);
}

/* The next chunk of the phase; NULL when there is none left. */
static hdi_chunk *take_chunk(hdi_worker *worker) {
  hdi_run *run = worker->run;
  hdi_chunk *chunk = hdi_deque_pop(&worker->work);
  if (chunk != NULL || run->alone) {
    return chunk;
  }
  bool retry = true;
  while (retry) {
    retry = false;
    for (uint32_t i = 1; i < run->worker_count; i++) {
      bool lost;
      chunk = hdi_deque_steal(&run->workers[(worker->number + i) % run->worker_count].work, &lost);
      if (chunk != NULL) {
        return chunk;
      }
      retry = retry || lost;
    }
  }
  return NULL;
}

static void work_off_chunks(hdi_worker *worker) {
  hdi_run *run = worker->run;
  for (;;) {
    if (worker->current == NULL) {
      worker->current = take_chunk(worker);
      worker->cursor = 0;
      if (worker->current == NULL) {
        return;
      }
    }
    while (worker->cursor < worker->current->count) {
      if (HD_UNLIKELY(hdi_run_interrupt(run) != HDI_GO)) {
        return;
      }
      if (!hdi_level_advance(worker)) {
        return;
      }
    }
    hdi_pool_give(&worker->pool, worker->current);
    worker->current = NULL;
  }
}

void hdi_level_work(hdi_worker *worker) {
  worker->fresh_level = worker->run->level + (worker->run->phase == HDI_PHASE_EXPAND ? 1 : 0);
  work_off_chunks(worker);
  hdi_level_offer(worker);
}
