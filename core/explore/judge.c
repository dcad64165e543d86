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
 *            (after HDI_JUDGE_PASSES of them the arcs of what is not settled are stored: judge_graph.c)
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

void hdi_judge_stop(hdi_judge *judge, hd_end end) {
  uint32_t go = 0;
  /* HD-SYNC J1: relaxed; pairs with J2. Publishes: nothing: who sees it goes to the barrier. Why not weaker: the first
   * reason must stay. Why not stronger: the value returned is not used. */
  hd_cas_rlx(&judge->interrupt, &go, 1u + (uint32_t)end);
}

uint32_t hdi_judge_interrupt(const hdi_judge *judge) {
  /* HD-SYNC J2: relaxed; pairs with J1. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger: seeing
   * it late costs a little more work. */
  return hd_load_rlx(&judge->interrupt);
}

void hdi_judge_fail(hdi_judge_worker *worker, hd_status status) {
  worker->status = status;
  hdi_judge_stop(worker->judge, HD_END_MEMORY);
}

bool hdi_judge_look_around(hdi_judge_worker *worker) {
  hdi_judge *judge = worker->judge;
  worker->countdown = HDI_CHECK_INTERVAL;
  /* HD-SYNC J3: relaxed; pairs with J3 in the caller, a store of any order. Publishes: nothing. Why not weaker: it is
   * the weakest. Why not stronger: no data comes with the flag. */
  if (judge->search->cancel != NULL && hd_load_rlx(judge->search->cancel) != 0) {
    hdi_judge_stop(judge, HD_END_SIGNAL);
  }
  if (judge->deadline > 0 && hd_machine_seconds() >= judge->deadline) {
    hdi_judge_stop(judge, HD_END_TIMEOUT);
  }
  return hdi_judge_interrupt(judge) == 0;
}

/* ---- jobs ---- */

static bool index_chunk(hdi_judge_worker *worker, size_t index) {
  hdi_places_add_chunk(&worker->judge->places, index);
  return hdi_judge_tick(worker);
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
        more = hdi_judge_pass_chunk(worker, index);
        break;
      case HDI_JUDGE_COUNT:
      case HDI_JUDGE_FILL:
        more = hdi_judge_link_chunk(worker, index);
        break;
      case HDI_JUDGE_SEED:
        more = hdi_graph_seed_chunk(worker, index);
        break;
      case HDI_JUDGE_SPREAD:
        more = hdi_graph_spread_part(worker, index);
        break;
      case HDI_JUDGE_COLLECT:
        more = hdi_judge_collect_chunk(worker, index);
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

/* A pass has ended. */
static void end_pass(hdi_judge *judge) {
  judge->passes++;
  if (!is_changed(judge)) {
    set_phase(judge, HDI_JUDGE_COLLECT);
  } else if (judge->passes >= HDI_JUDGE_PASSES && hdi_graph_begin(judge)) {
    set_phase(judge, HDI_JUDGE_COUNT);
  } else {
    begin_pass(judge);
  }
}

static void next_round(hdi_judge *judge) {
  if (hdi_graph_next_round(judge)) {
    judge->phase = HDI_JUDGE_SPREAD;
    set_job(judge, 0, (judge->graph.round.count + HDI_GRAPH_PART - 1) / HDI_GRAPH_PART);
  } else {
    set_phase(judge, HDI_JUDGE_COLLECT);
  }
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
      if (!next_epoch(judge)) {
        end_pass(judge);
      }
      return true;
    case HDI_JUDGE_COUNT:
      if (hdi_graph_reserve(judge)) {
        set_phase(judge, HDI_JUDGE_FILL);
      } else {
        begin_pass(judge);
      }
      return true;
    case HDI_JUDGE_FILL:
      set_phase(judge, HDI_JUDGE_SEED);
      return true;
    case HDI_JUDGE_SEED:
    case HDI_JUDGE_SPREAD:
      next_round(judge);
      return true;
    case HDI_JUDGE_COLLECT:
      break;
  }
  return false;
}

/* Is the job for the team? */
static bool is_wide(const hdi_judge *judge) {
  uint64_t states = judge->phase == HDI_JUDGE_SPREAD ? judge->graph.round.count : 0;
  bool chunks = judge->phase != HDI_JUDGE_SPREAD;
  for (size_t i = judge->begin; chunks && i < judge->end && states <= HDI_NARROW_STATES; i++) {
    states += judge->history->chunks.data[i]->count;
  }
  return states > HDI_NARROW_STATES && judge->worker_count > 1;
}

/* Does narrow jobs at once; true when the next one is for the team. */
static bool go_alone(hdi_judge *judge) {
  while (hdi_judge_interrupt(judge) == 0 && next_job(judge)) {
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
  *end = hdi_judge_interrupt(judge) == 0 ? HD_END_COMPLETE : (hd_end)(hdi_judge_interrupt(judge) - 1);
  return status;
}

void hdi_judge_left_behind(const hdi_judge *judge, const uint64_t *state, uint64_t *bits) {
  uint64_t number = hdi_places_find(&judge->places, state, hdi_places_hash(&judge->places, state));
  HD_REQUIRE(number != HDI_NO_PLACE);
  memset(bits, 0, judge->mask_words * sizeof *bits);
  hdi_mask_read(judge, number, bits);
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
  if (worker->stepper == NULL) {
    return HD_E_NOMEM;
  }
  size_t bulk_max = hd_stepper_bulk_max(worker->stepper);
  worker->bulk = bulk_max > 0;
  worker->batch_room = HDI_JUDGE_BATCH + bulk_max + HD_BULK_SLACK;
  worker->batch = worker->batch_room > SIZE_MAX / sizeof *worker->batch / judge->words
                      ? NULL
                      : malloc(worker->batch_room * judge->words * sizeof *worker->batch);
  worker->hashes = malloc(worker->batch_room * sizeof *worker->hashes);
  worker->instances = calloc(judge->instances, sizeof *worker->instances);
  if (worker->sum == NULL || worker->batch == NULL || worker->hashes == NULL || worker->instances == NULL) {
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
  free(worker->hashes);
  hdi_state_numbers_free(&worker->next);
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
  hdi_graph_clear(judge);
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
                        uint32_t threads, double deadline, size_t memory_max_bytes, hdi_judge **out) {
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
  judge->memory_max_bytes = memory_max_bytes;
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
