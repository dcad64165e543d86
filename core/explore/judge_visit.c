/* What a worker does with states while they are judged (judge.c): masks, the steps of states that are not settled, what
 * is left at the end.
 *
 *   batch:    | t t t | t | t t ... |       successors, W words each
 *   numbers:  | s1    | s2| s3      |       the states they belong to; ends[] says where each one's successors end
 *
 * Successors are looked up when the batch is full or the chunk ends, so that their buckets can be prefetched. In a pass
 * their masks are added to that of the state; in the phases of the graph (judge_graph.c) the arc is counted or stored.
 * A state with more successors than the batch holds comes in parts. Threads: any worker, its own batch; masks are
 * shared and changed by atomic OR only. Cost: see bottom.h. */
#include "core/explore/judge.h"

#include "core/base/check.h"

#include <string.h>

/* ---- masks ---- */

uint32_t hdi_must_go_on(const hd_bottom_query *query, const hd_model *model, const uint64_t *state, uint32_t instance) {
  uint32_t kind;
  if (query->must_go_on != NULL) {
    kind = query->must_go_on(query->context, model, state, instance);
  } else {
    hd_loc loc = hd_model_location(model, state, instance);
    bool rests =
        hd_model_loc_is_dead(model, loc) || (hd_model_loc_flags(model, loc) & (HD_LOC_END | HD_LOC_DAEMON)) != 0;
    kind = rests ? 0 : 1;
  }
  HD_REQUIRE(kind < HD_STOP_KIND_MAX);
  return kind;
}

static void set_bit(uint64_t *bits, uint32_t i) {
  bits[i / 64] |= (uint64_t)1 << (i % 64);
}

void hdi_add_movers(const hd_stepper *stepper, const hd_step *step, uint64_t *bits) {
  set_bit(bits, step->instance);
  if (step->partner_instance != HD_NONE) {
    set_bit(bits, step->partner_instance);
  }
  const hd_inner *inner;
  size_t count = hd_stepper_inner(stepper, &inner);
  for (size_t i = 0; i < count; i++) {
    set_bit(bits, inner[i].instance);
    if (inner[i].partner_instance != HD_NONE) {
      set_bit(bits, inner[i].partner_instance);
    }
  }
}

static void fill(const hdi_judge *judge, uint64_t *bits) {
  memset(bits, 0xff, judge->mask_words * sizeof *bits);
  bits[judge->mask_words - 1] = judge->last_mask;
}

static bool is_full(const hdi_judge *judge, const uint64_t *bits) {
  for (uint32_t i = 0; i + 1 < judge->mask_words; i++) {
    if (bits[i] != UINT64_MAX) {
      return false;
    }
  }
  return bits[judge->mask_words - 1] == judge->last_mask;
}

void hdi_mask_read(const hdi_judge *judge, uint64_t number, uint64_t *bits) {
  const hd_atomic_u64 *mask = &judge->masks[number * judge->mask_words];
  for (uint32_t i = 0; i < judge->mask_words; i++) {
    /* HD-SYNC J4: relaxed; pairs with J5. Publishes: nothing; an old value lacks bits, which a later pass finds; the
     * last pass sees all, the barrier before it lies between. Why not weaker: it is the weakest. Why not stronger: no
     * memory is reached through it. */
    bits[i] |= hd_load_rlx(&mask[i]);
  }
}

bool hdi_mask_is_full(const hdi_judge *judge, uint64_t number) {
  const hd_atomic_u64 *mask = &judge->masks[number * judge->mask_words];
  for (uint32_t i = 0; i + 1 < judge->mask_words; i++) {
    if (hd_load_rlx(&mask[i]) != UINT64_MAX) { /* HD-SYNC J4 again */
      return false;
    }
  }
  return hd_load_rlx(&mask[judge->mask_words - 1]) == judge->last_mask; /* HD-SYNC J4 again */
}

bool hdi_mask_add(hdi_judge *judge, uint64_t number, const uint64_t *bits) {
  hd_atomic_u64 *mask = &judge->masks[number * judge->mask_words];
  bool changed = false;
  for (uint32_t i = 0; i < judge->mask_words; i++) {
    if ((bits[i] & ~hd_load_rlx(&mask[i])) != 0) { /* HD-SYNC J4 again */
      /* HD-SYNC J5: relaxed; pairs with J4. Publishes: nothing, see there. Why not weaker: no bit may be lost. Why not
       * stronger: see there. */
      changed |= (bits[i] & ~hd_or_rlx(&mask[i], bits[i])) != 0;
    }
  }
  return changed;
}

/* ---- a worker's part of a pass ---- */

/* The successors from `begin` to `end` of the batch are those of state `number`, or some of them. */
static void gather(hdi_judge_worker *worker, uint64_t number, uint32_t begin, uint32_t end) {
  hdi_judge *judge = worker->judge;
  bool link = judge->phase != HDI_JUDGE_PASS;
  memset(worker->sum, 0, judge->mask_words * sizeof *worker->sum);
  hdi_mask_read(judge, number, worker->sum);
  for (uint32_t i = begin; i < end && (link || !is_full(judge, worker->sum)); i++) {
    uint64_t next = hdi_places_find(&judge->places, &worker->batch[(size_t)i * judge->words], worker->hashes[i]);
    if (next == HDI_NO_PLACE) { /* a complete search has met every successor */
      hdi_judge_fail(worker, HD_E_INTERNAL);
    } else if (link) {
      hdi_graph_add_arc(judge, number, next);
    } else {
      hdi_mask_read(judge, next, worker->sum);
    }
  }
  if (!link) {
    worker->changed |= hdi_mask_add(judge, number, worker->sum);
  }
}

/* Looks up the successors in the batch. */
static void flush(hdi_judge_worker *worker) {
  const hdi_judge *judge = worker->judge;
  for (uint32_t i = 0; i < worker->batch_count; i++) {
    worker->hashes[i] = hdi_places_hash(&judge->places, &worker->batch[(size_t)i * judge->words]);
    hdi_places_prefetch(&judge->places, worker->hashes[i]);
  }
  for (uint32_t e = 0, begin = 0; e < worker->entry_count; begin = worker->ends[e++]) {
    gather(worker, worker->numbers[e], begin, worker->ends[e]);
  }
  worker->entry_count = worker->batch_count = 0;
}

static void open_entry(hdi_judge_worker *worker, uint64_t number) {
  worker->numbers[worker->entry_count] = number;
  worker->ends[worker->entry_count] = worker->batch_count;
  worker->entry_count++;
}

/* A successor of the state of the last entry. */
static void add_successor(hdi_judge_worker *worker, const uint64_t *next) {
  uint32_t words = worker->judge->words;
  if (worker->batch_count >= HDI_JUDGE_BATCH) {
    uint64_t number = worker->numbers[worker->entry_count - 1];
    flush(worker);
    open_entry(worker, number);
  }
  memcpy(&worker->batch[(size_t)worker->batch_count * words], next, words * sizeof *next);
  worker->ends[worker->entry_count - 1] = ++worker->batch_count;
}

/* A step in the first pass: in `movers` are those that are known to be fine. */
static bool first_step(void *payload, const uint64_t *next, const hd_step *step) {
  hdi_judge_worker *worker = payload;
  uint64_t *own = worker->sum + worker->judge->mask_words;
  hdi_add_movers(worker->stepper, step, own);
  if (next != NULL) {
    worker->stepped = true;
    add_successor(worker, next);
  }
  return hdi_judge_tick(worker) && !is_full(worker->judge, own);
}

/* A step in a later pass. */
static bool later_step(void *payload, const uint64_t *next, const hd_step *step) {
  hdi_judge_worker *worker = payload;
  (void)step;
  if (next != NULL) {
    add_successor(worker, next);
  }
  return hdi_judge_tick(worker);
}

static bool step_state(hdi_judge_worker *worker, uint64_t number, const uint64_t *state, hd_emit emit) {
  if (worker->entry_count == HDI_JUDGE_BATCH) {
    flush(worker);
  }
  open_entry(worker, number);
  hd_status status = hd_stepper_run(worker->stepper, state, HD_WEIGHT_ANY, emit, worker);
  if (status != HD_OK && status != HD_E_CANCELLED) {
    hdi_judge_fail(worker, status);
  }
  return hdi_judge_tick(worker) && hdi_judge_interrupt(worker->judge) == 0;
}

/* The successors of a state that was stepped before: the fast path, where there is one, names no movers. */
static bool step_again(hdi_judge_worker *worker, uint64_t number, const uint64_t *state) {
  if (!worker->bulk) {
    return step_state(worker, number, state, later_step);
  }
  if (worker->entry_count == HDI_JUDGE_BATCH || worker->batch_count >= HDI_JUDGE_BATCH) {
    flush(worker);
  }
  uint32_t steps = 0;
  bool odd = false;
  uint64_t *next = &worker->batch[(size_t)worker->batch_count * worker->judge->words];
  if (hd_stepper_bulk_run(worker->stepper, state, 1, HD_WEIGHT_ANY, next, worker->batch_room - worker->batch_count,
                          &steps, &odd) == 0) {
    return step_state(worker, number, state, later_step);
  }
  open_entry(worker, number);
  worker->batch_count += steps;
  worker->ends[worker->entry_count - 1] = worker->batch_count;
  return hdi_judge_tick(worker) && hdi_judge_interrupt(worker->judge) == 0;
}

/* The instances that are fine in `state` by itself, and its successors. */
static bool first_visit(hdi_judge_worker *worker, uint64_t number, const uint64_t *state) {
  const hdi_judge *judge = worker->judge;
  uint64_t *own = worker->sum + judge->mask_words;
  memset(own, 0, judge->mask_words * sizeof *own);
  for (uint32_t i = 0; i < judge->instances; i++) {
    if (hdi_must_go_on(judge->query, judge->model, state, i) == 0) {
      set_bit(own, i);
    }
  }
  worker->stepped = false;
  if (!step_state(worker, number, state, first_step)) {
    return false;
  }
  if (judge->query->going_on && !worker->stepped) {
    fill(judge, own);
  }
  worker->changed |= hdi_mask_add(worker->judge, number, own);
  if (is_full(judge, own)) { /* its successors need not be looked up */
    worker->entry_count--;
    worker->batch_count = worker->entry_count == 0 ? 0 : worker->ends[worker->entry_count - 1];
  }
  return true;
}

bool hdi_judge_pass_chunk(hdi_judge_worker *worker, size_t index) {
  hdi_judge *judge = worker->judge;
  const hdi_chunk *chunk = judge->history->chunks.data[index];
  uint64_t first = judge->places.first[index];
  bool first_pass = judge->passes == 0;
  if (!first_pass && judge->unsettled[index] == 0) {
    return hdi_judge_tick(worker);
  }
  for (uint32_t k = 0; k < chunk->count; k++) {
    uint32_t i = judge->backwards ? chunk->count - 1 - k : k;
    const uint64_t *state = &chunk->words[(size_t)i * judge->words];
    bool more = first_pass                           ? first_visit(worker, first + i, state)
                : hdi_mask_is_full(judge, first + i) ? hdi_judge_tick(worker)
                                                     : step_again(worker, first + i, state);
    if (!more) {
      return false;
    }
  }
  flush(worker);
  uint32_t unsettled = 0;
  for (uint32_t i = 0; i < chunk->count; i++) {
    unsettled += hdi_mask_is_full(judge, first + i) ? 0u : 1u;
  }
  judge->unsettled[index] = unsettled;
  return worker->status == HD_OK;
}

bool hdi_judge_link_chunk(hdi_judge_worker *worker, size_t index) {
  const hdi_judge *judge = worker->judge;
  const hdi_chunk *chunk = judge->history->chunks.data[index];
  uint64_t first = judge->places.first[index];
  for (uint32_t i = 0; i < chunk->count && judge->unsettled[index] != 0; i++) {
    if (!hdi_mask_is_full(judge, first + i) &&
        !step_again(worker, first + i, &chunk->words[(size_t)i * judge->words])) {
      return false;
    }
  }
  flush(worker);
  return hdi_judge_tick(worker) && worker->status == HD_OK;
}

/* ---- what is left ---- */

static uint64_t level_of(const hdi_history *history, size_t chunk) {
  size_t low = 0, high = history->epochs.count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    low = history->epochs.data[middle].first <= chunk ? middle : low;
    high = history->epochs.data[middle].first <= chunk ? high : middle;
  }
  return history->epochs.data[low].level;
}

/* Files the instances left behind from a state on. */
static void collect_state(hdi_judge_worker *worker, uint64_t level, uint64_t number, const uint64_t *state) {
  const hdi_judge *judge = worker->judge;
  uint32_t kinds = 0;
  memset(worker->sum, 0, judge->mask_words * sizeof *worker->sum);
  hdi_mask_read(judge, number, worker->sum);
  for (uint32_t i = 0; i < judge->instances; i++) {
    if (((worker->sum[i / 64] >> (i % 64)) & 1) != 0) {
      continue;
    }
    hd_bottom_instance *instance = &worker->instances[i];
    instance->count++;
    instance->level = level < instance->level ? level : instance->level;
    kinds |= (uint32_t)1 << hdi_must_go_on(judge->query, judge->model, state, i);
  }
  HD_ASSERT((kinds & 1) == 0);
  for (uint32_t kind = 1; kind < HD_STOP_KIND_MAX; kind++) {
    if (((kinds >> kind) & 1) != 0) {
      hdi_finds_add_state(&worker->finds, HD_SLOT_STOP(kind), level, state);
    }
  }
}

bool hdi_judge_collect_chunk(hdi_judge_worker *worker, size_t index) {
  const hdi_judge *judge = worker->judge;
  if (judge->unsettled[index] == 0) {
    return hdi_judge_tick(worker);
  }
  const hdi_chunk *chunk = judge->history->chunks.data[index];
  uint64_t level = level_of(judge->history, index);
  for (uint32_t i = 0; i < chunk->count; i++) {
    if (!hdi_judge_tick(worker)) {
      return false;
    }
    collect_state(worker, level, judge->places.first[index] + i, &chunk->words[(size_t)i * judge->words]);
  }
  return true;
}
