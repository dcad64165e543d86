/* Judging every state of a complete search.
 *
 * The mask of a state has a bit for each instance. It begins with the instances that are fine in the state by itself:
 * those that take part in one of its steps, those that need not go on there, and all of them when the query leaves out
 * states that can come to an end and the state has no successor. From then on masks only gain bits, those of their
 * successors' masks, until nothing changes: the least solution of
 *
 *     mask(s) = own(s) | mask(t1) | mask(t2) | ...            t1, t2, ... the successors of s
 *
 * which is unique, so that neither the order of the work nor the number of threads shows in it. That a worker reads a
 * mask while another adds to it does no harm either: it misses bits that it will find in the next pass.
 *
 *   INDEX    all chunks         every state can be found by its words (places.c)
 *   PASS 1   last level first   every state is stepped with descriptions, which say who moves
 *   PASS n   the other way round each time; only states whose mask is not full, until a pass changes nothing
 *   COLLECT  all chunks         the bits that are missing are the findings
 *
 * Levels are a good order because most steps lead to the next one: backwards, what a level gains is there for the level
 * before it in the same pass; forwards it is there for steps that lead back. A system without cycles needs one pass
 * and one that sees no change; one whose steps return to the first levels needs two or three. A level is worked off by
 * all workers, with a barrier behind it, or by worker 0 alone when it is narrow, as in search.c: a chain of 10^6 levels
 * costs no barrier and one pass. (Without order between levels two workers would run abreast on a chain, each missing
 * what the other finds, and it would cost a pass for each level.)
 *
 * A state whose mask is full is never stepped again, nor are its successors looked up. Successors are looked up in
 * batches, so that the index can be prefetched.
 *
 * Threads: workers share masks, which are changed by atomic OR only, and the counter that hands out chunks. Cost: see
 * bottom.h. */
#include "core/explore/judge.h"

#include "core/base/check.h"
#include "core/base/machine.h"
#include "core/base/team.h"
#include "core/explore/search.h"

#include <stdlib.h>
#include <string.h>

static uint32_t mask_words_of(const hd_model *model) {
  uint32_t instances = hd_model_instances(model);
  return instances == 0 ? 1 : (instances + 63) / 64;
}

size_t hdi_judge_size_bytes(const hd_model *model, const hdi_history *history, uint64_t states) {
  return hdi_places_size_bytes(states, history->chunks.count) +
         (size_t)states * mask_words_of(model) * sizeof(uint64_t) + history->chunks.count * sizeof(uint32_t);
}

/* ---- limits ---- */

static void stop(hdi_judge *judge, hd_end end) {
  uint32_t go = 0;
  /* HD-SYNC J1: relaxed; pairs with J2. Publishes: nothing: who sees it goes to the barrier. Why not weaker: the first
   * reason must stay. Why not stronger: the value returned is not used. */
  hd_cas_rlx(&judge->interrupt, &go, 1u + (uint32_t)end);
}

static uint32_t interrupt(const hdi_judge *judge) {
  /* HD-SYNC J2: relaxed; pairs with J1. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger: seeing
   * it late costs a little more work. */
  return hd_load_rlx(&judge->interrupt);
}

static void fail(hdi_judge_worker *worker, hd_status status) {
  worker->status = status;
  stop(worker->judge, HD_END_MEMORY);
}

static bool look_around(hdi_judge_worker *worker) {
  hdi_judge *judge = worker->judge;
  worker->countdown = HDI_CHECK_INTERVAL;
  /* HD-SYNC J3: relaxed; pairs with J3 in the caller, a store of any order. Publishes: nothing. Why not weaker: it is
   * the weakest. Why not stronger: no data comes with the flag. */
  if (judge->search->cancel != NULL && hd_load_rlx(judge->search->cancel) != 0) {
    stop(judge, HD_END_SIGNAL);
  }
  if (judge->deadline > 0 && hd_machine_seconds() >= judge->deadline) {
    stop(judge, HD_END_TIMEOUT);
  }
  return interrupt(judge) == 0;
}

/* One unit of work is done; false when all is to stop. */
static bool tick(hdi_judge_worker *worker) {
  return HD_LIKELY(--worker->countdown > 0) || look_around(worker);
}

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

/* bits |= mask of state `number`. */
static void add_mask(const hdi_judge *judge, uint64_t number, uint64_t *bits) {
  const hd_atomic_u64 *mask = &judge->masks[number * judge->mask_words];
  for (uint32_t i = 0; i < judge->mask_words; i++) {
    /* HD-SYNC J4: relaxed; pairs with J5. Publishes: nothing; an old value lacks bits, which a later pass finds; the
     * last pass sees all, the barrier before it lies between. Why not weaker: it is the weakest. Why not stronger: no
     * memory is reached through it. */
    bits[i] |= hd_load_rlx(&mask[i]);
  }
}

static bool is_settled(const hdi_judge *judge, uint64_t number) {
  const hd_atomic_u64 *mask = &judge->masks[number * judge->mask_words];
  for (uint32_t i = 0; i + 1 < judge->mask_words; i++) {
    if (hd_load_rlx(&mask[i]) != UINT64_MAX) { /* HD-SYNC J4 again */
      return false;
    }
  }
  return hd_load_rlx(&mask[judge->mask_words - 1]) == judge->last_mask; /* HD-SYNC J4 again */
}

/* mask of state `number` |= bits. */
static void add_to_mask(hdi_judge_worker *worker, uint64_t number, const uint64_t *bits) {
  hd_atomic_u64 *mask = &worker->judge->masks[number * worker->judge->mask_words];
  for (uint32_t i = 0; i < worker->judge->mask_words; i++) {
    if ((bits[i] & ~hd_load_rlx(&mask[i])) != 0) { /* HD-SYNC J4 again */
      /* HD-SYNC J5: relaxed; pairs with J4. Publishes: nothing, see there. Why not weaker: no bit may be lost. Why not
       * stronger: see there. */
      hd_or_rlx(&mask[i], bits[i]);
      worker->changed = true;
    }
  }
}

/* ---- a worker's part of a pass ---- */

/* Looks up the successors in the batch and adds their masks to those of the states they belong to. */
static void flush(hdi_judge_worker *worker) {
  const hdi_judge *judge = worker->judge;
  for (uint32_t i = 0; i < worker->batch_count; i++) {
    worker->hashes[i] = hdi_places_hash(&judge->places, &worker->batch[(size_t)i * judge->words]);
    hdi_places_prefetch(&judge->places, worker->hashes[i]);
  }
  uint32_t i = 0;
  for (uint32_t e = 0; e < worker->entry_count; e++) {
    memset(worker->sum, 0, judge->mask_words * sizeof *worker->sum);
    add_mask(judge, worker->numbers[e], worker->sum);
    for (; i < worker->ends[e] && !is_full(judge, worker->sum); i++) {
      uint64_t next = hdi_places_find(&judge->places, &worker->batch[(size_t)i * judge->words], worker->hashes[i]);
      if (next != HDI_NO_PLACE) {
        add_mask(judge, next, worker->sum);
      } else { /* a complete search has met every successor */
        fail(worker, HD_E_INTERNAL);
      }
    }
    i = worker->ends[e];
    add_to_mask(worker, worker->numbers[e], worker->sum);
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
  if (worker->batch_count == HDI_JUDGE_BATCH) {
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
  return tick(worker) && !is_full(worker->judge, own);
}

/* A step in a later pass. */
static bool later_step(void *payload, const uint64_t *next, const hd_step *step) {
  hdi_judge_worker *worker = payload;
  (void)step;
  if (next != NULL) {
    add_successor(worker, next);
  }
  return tick(worker);
}

static bool step_state(hdi_judge_worker *worker, uint64_t number, const uint64_t *state, hd_emit emit) {
  if (worker->entry_count == HDI_JUDGE_BATCH) {
    flush(worker);
  }
  open_entry(worker, number);
  hd_status status = hd_stepper_run(worker->stepper, state, HD_WEIGHT_ANY, emit, worker);
  if (status != HD_OK && status != HD_E_CANCELLED) {
    fail(worker, status);
  }
  return tick(worker) && interrupt(worker->judge) == 0;
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
  add_to_mask(worker, number, own);
  if (is_full(judge, own)) { /* its successors need not be looked up */
    worker->entry_count--;
    worker->batch_count = worker->entry_count == 0 ? 0 : worker->ends[worker->entry_count - 1];
  }
  return true;
}

static bool pass_chunk(hdi_judge_worker *worker, size_t index) {
  hdi_judge *judge = worker->judge;
  const hdi_chunk *chunk = judge->history->chunks.data[index];
  uint64_t first = judge->places.first[index];
  bool first_pass = judge->passes == 0;
  if (!first_pass && judge->unsettled[index] == 0) {
    return tick(worker);
  }
  for (uint32_t k = 0; k < chunk->count; k++) {
    uint32_t i = judge->backwards ? chunk->count - 1 - k : k;
    const uint64_t *state = &chunk->words[(size_t)i * judge->words];
    bool more = first_pass                     ? first_visit(worker, first + i, state)
                : is_settled(judge, first + i) ? tick(worker)
                                               : step_state(worker, first + i, state, later_step);
    if (!more) {
      return false;
    }
  }
  flush(worker);
  uint32_t unsettled = 0;
  for (uint32_t i = 0; i < chunk->count; i++) {
    unsettled += is_settled(judge, first + i) ? 0u : 1u;
  }
  judge->unsettled[index] = unsettled;
  return worker->status == HD_OK;
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
  add_mask(judge, number, worker->sum);
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

static bool collect_chunk(hdi_judge_worker *worker, size_t index) {
  const hdi_judge *judge = worker->judge;
  if (judge->unsettled[index] == 0) {
    return tick(worker);
  }
  const hdi_chunk *chunk = judge->history->chunks.data[index];
  uint64_t level = level_of(judge->history, index);
  for (uint32_t i = 0; i < chunk->count; i++) {
    if (!tick(worker)) {
      return false;
    }
    collect_state(worker, level, judge->places.first[index] + i, &chunk->words[(size_t)i * judge->words]);
  }
  return true;
}

/* ---- jobs ---- */

static bool index_chunk(hdi_judge_worker *worker, size_t index) {
  hdi_places_add_chunk(&worker->judge->places, index);
  return tick(worker);
}

/* One worker's part of a job. */
static void work(hdi_judge_worker *worker) {
  hdi_judge *judge = worker->judge;
  for (bool more = true; more;) {
    /* HD-SYNC J6: relaxed; pairs with J6 of other workers, J7. Publishes: nothing; chunks are read-only. Why not
     * weaker: it must be one read-modify-write. Why not stronger: it only hands out numbers. */
    size_t taken = (size_t)hd_add_rlx(&judge->next_chunk, 1);
    if (taken >= judge->end - judge->begin) {
      return;
    }
    size_t index = judge->backwards ? judge->end - 1 - taken : judge->begin + taken;
    switch (judge->phase) {
      case HDI_JUDGE_START:
        more = false;
        break;
      case HDI_JUDGE_INDEX:
        more = index_chunk(worker, index);
        break;
      case HDI_JUDGE_PASS:
        more = pass_chunk(worker, index);
        break;
      case HDI_JUDGE_COLLECT:
        more = collect_chunk(worker, index);
        break;
    }
  }
}

/* ---- worker 0, while the others wait ---- */

static void set_job(hdi_judge *judge, size_t begin, size_t end) {
  judge->begin = begin;
  judge->end = end;
  /* HD-SYNC J7: relaxed; pairs with J6. Publishes: nothing; the barrier orders it. Why not weaker: it is the weakest.
   * Why not stronger: quiescent. */
  hd_store_rlx(&judge->next_chunk, 0);
}

static void set_phase(hdi_judge *judge, hdi_judge_phase phase) {
  judge->phase = phase;
  set_job(judge, 0, judge->history->chunks.count);
}

/* The next epoch of the pass; false when it is over. */
static bool next_epoch(hdi_judge *judge) {
  const hdi_epochs *epochs = &judge->history->epochs;
  if (judge->epoch == epochs->count) {
    return false;
  }
  size_t index = judge->backwards ? epochs->count - 1 - judge->epoch : judge->epoch;
  const hdi_epoch *epoch = &epochs->data[index];
  judge->epoch++;
  set_job(judge, epoch->first, epoch->first + epoch->chunk_count);
  return true;
}

static void begin_pass(hdi_judge *judge) {
  judge->phase = HDI_JUDGE_PASS;
  judge->backwards = judge->passes % 2 == 0;
  judge->epoch = 0;
  for (uint32_t i = 0; i < judge->worker_count; i++) {
    judge->workers[i].changed = false;
  }
  (void)next_epoch(judge);
}

/* Is another pass needed? The first one may have changed every state. */
static bool is_changed(const hdi_judge *judge) {
  bool changed = false, left = false;
  for (uint32_t i = 0; i < judge->worker_count; i++) {
    changed |= judge->workers[i].changed;
  }
  for (size_t i = 0; changed && !left && i < judge->history->chunks.count; i++) {
    left = judge->unsettled[i] != 0;
  }
  return changed && left;
}

/* Sets up the next job; false when all is done. */
static bool next_job(hdi_judge *judge) {
  switch (judge->phase) {
    case HDI_JUDGE_START:
      set_phase(judge, HDI_JUDGE_INDEX);
      return true;
    case HDI_JUDGE_INDEX:
      begin_pass(judge);
      return true;
    case HDI_JUDGE_PASS:
      if (next_epoch(judge)) {
        return true;
      }
      judge->passes++;
      if (is_changed(judge)) {
        begin_pass(judge);
      } else {
        set_phase(judge, HDI_JUDGE_COLLECT);
      }
      return true;
    case HDI_JUDGE_COLLECT:
      break;
  }
  return false;
}

/* Is the job for the team? */
static bool is_wide(const hdi_judge *judge) {
  uint64_t states = 0;
  for (size_t i = judge->begin; i < judge->end && states <= HDI_NARROW_STATES; i++) {
    states += judge->history->chunks.data[i]->count;
  }
  return states > HDI_NARROW_STATES && judge->worker_count > 1;
}

/* Does narrow jobs at once; true when the next one is for the team. */
static bool go_alone(hdi_judge *judge) {
  while (interrupt(judge) == 0 && next_job(judge)) {
    if (is_wide(judge)) {
      return true;
    }
    work(&judge->workers[0]);
  }
  return false;
}

/* Enters with a job for the team. */
static void go_together(hd_team *team, uint32_t number, void *payload) {
  hdi_judge *judge = payload;
  do {
    work(&judge->workers[number]);
    hd_team_barrier(team); /* the job is done */
    if (number == 0) {
      judge->going = go_alone(judge);
    }
    hd_team_barrier(team); /* the next one is set up */
  } while (judge->going);
}

hd_status hdi_judge_go(hdi_judge *judge, hd_end *end) {
  hd_status status = HD_OK;
  judge->going = go_alone(judge);
  if (judge->going) {
    status = hd_team_run(judge->worker_count, go_together, judge);
  }
  for (uint32_t i = 0; i < judge->worker_count; i++) {
    status = judge->workers[i].status != HD_OK ? judge->workers[i].status : status;
  }
  *end = interrupt(judge) == 0 ? HD_END_COMPLETE : (hd_end)(interrupt(judge) - 1);
  return status;
}

void hdi_judge_left_behind(const hdi_judge *judge, const uint64_t *state, uint64_t *bits) {
  uint64_t number = hdi_places_find(&judge->places, state, hdi_places_hash(&judge->places, state));
  HD_REQUIRE(number != HDI_NO_PLACE);
  memset(bits, 0, judge->mask_words * sizeof *bits);
  add_mask(judge, number, bits);
  for (uint32_t i = 0; i < judge->mask_words; i++) {
    bits[i] = ~bits[i];
  }
  bits[judge->mask_words - 1] &= judge->last_mask;
}

/* ---- making and freeing ---- */

static hd_status init_worker(hdi_judge *judge, hdi_judge_worker *worker) {
  worker->judge = judge;
  worker->countdown = 1;
  worker->stepper = hd_stepper_new(judge->model, judge->search->filter);
  worker->sum = calloc(2 * (size_t)judge->mask_words, sizeof *worker->sum);
  worker->batch = malloc((size_t)HDI_JUDGE_BATCH * judge->words * sizeof *worker->batch);
  worker->instances = calloc(judge->instances, sizeof *worker->instances);
  if (worker->stepper == NULL || worker->sum == NULL || worker->batch == NULL || worker->instances == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t i = 0; i < judge->instances; i++) {
    worker->instances[i].level = UINT64_MAX;
  }
  return hdi_finds_init(&worker->finds, judge->model);
}

static void clear_worker(hdi_judge_worker *worker) {
  hd_stepper_free(worker->stepper);
  free(worker->sum);
  free(worker->batch);
  free(worker->instances);
  hdi_finds_clear(&worker->finds);
}

void hdi_judge_free(hdi_judge *judge) {
  if (judge == NULL) {
    return;
  }
  for (uint32_t i = 0; judge->workers != NULL && i < judge->worker_count; i++) {
    clear_worker(&judge->workers[i]);
  }
  free(judge->workers);
  free(judge->unsettled);
  free((void *)judge->masks);
  hdi_places_clear(&judge->places);
  free(judge);
}

static hd_status init(hdi_judge *judge) {
  hd_status status = hdi_places_init(&judge->places, judge->history, judge->words);
  if (status != HD_OK) {
    return status;
  }
  if (judge->places.states > SIZE_MAX / sizeof *judge->masks / judge->mask_words) {
    return HD_E_LIMIT;
  }
  judge->masks = calloc((size_t)judge->places.states * judge->mask_words, sizeof *judge->masks);
  judge->unsettled = calloc(judge->history->chunks.count, sizeof *judge->unsettled);
  judge->workers = aligned_alloc(HD_CACHE_LINE, judge->worker_count * sizeof *judge->workers);
  if (judge->workers != NULL) {
    memset(judge->workers, 0, judge->worker_count * sizeof *judge->workers);
  }
  if (judge->masks == NULL || judge->unsettled == NULL || judge->workers == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t i = 0; i < judge->worker_count && status == HD_OK; i++) {
    status = init_worker(judge, &judge->workers[i]);
  }
  return status;
}

hd_status hdi_judge_new(const hd_search *search, const hd_bottom_query *query, const hdi_history *history,
                        uint32_t threads, double deadline, hdi_judge **out) {
  *out = NULL;
  hdi_judge *judge = aligned_alloc(HD_CACHE_LINE, sizeof *judge);
  if (judge == NULL) {
    return HD_E_NOMEM;
  }
  memset(judge, 0, sizeof *judge);
  judge->search = search;
  judge->query = query;
  judge->model = search->model;
  judge->history = history;
  judge->worker_count = threads;
  judge->deadline = deadline;
  judge->words = hd_model_words(search->model);
  judge->instances = hd_model_instances(search->model);
  judge->mask_words = mask_words_of(search->model);
  uint32_t spare = judge->mask_words * 64 - judge->instances;
  judge->last_mask = spare == 64 ? 0 : UINT64_MAX >> spare;
  hd_status status = init(judge);
  if (status != HD_OK) {
    hdi_judge_free(judge);
    return status;
  }
  *out = judge;
  return HD_OK;
}
