/* The search engine: one parallel region for the whole run, levels, growth, and the end.
 *
 *     worker 0:       decide --+-- barrier -- act -- barrier -- decide ...
 *     other workers:  (wait)   |   barrier -- act -- barrier -- (wait) ...          act: work, grow, or return
 *
 * Between the second barrier and the next first one only worker 0 runs: everything is quiescent. There it closes the
 * phase that has ended, checks the ends of the search, and sets up the next phase by moving the workers' lists of new
 * chunks into the deques (so the owner's role of every deque passes to it and back through the barriers). A phase of at
 * most HDI_NARROW_STATES states it also works off itself, at once, without waking anybody: a chain of 10^6 levels costs
 * no barrier at all. The parallel region begins with the first wide phase; before it the caller's thread decides, and
 * grows the table in a team of its own.
 *
 *     SEED -> [ CLOSE sub-level 0 -> CLOSE sub-level 1 -> ... ] -> EXPAND level 0 -> [ CLOSE ... ] -> EXPAND level 1 ..
 *
 * CLOSE phases exist only for models with weight-0 steps. A level is the set of states whose cheapest run costs that
 * many weight-1 steps: by induction, EXPAND inserts every state that a weight-1 step leads to from the level before and
 * that is in no earlier level, and CLOSE adds what weight-0 steps reach from those, sub-level by sub-level, before any
 * weight-1 step of the level is followed. Which states are in which level and sub-level does not depend on who inserts
 * them; the counts and least findings are sums and minima over these sets. Therefore every complete level leaves the
 * same results for any number of workers, and the ends COMPLETE, FOUND, BUDGET and DEPTH are decided from complete
 * levels only.
 *
 * The table grows when all workers are at the barrier: between phases when it is 65 % full, and in the middle of a
 * phase when an insertion found it full (the pause protocol is argued in level.c). When growth is refused between
 * phases the search goes on until the table really is full, and ends with MEMORY only then.
 *
 * Cost: two barriers per wide phase; work at the quiescent point is a few instructions per chunk. */
#include "core/explore/search.h"

#include "core/base/affinity.h"
#include "core/base/check.h"
#include "core/base/machine.h"
#include "core/base/team.h"

#include <stdlib.h>
#include <string.h>

/* ---- making and freeing a run ---- */

static hd_status init_worker(hdi_run *run, uint32_t number) {
  hdi_worker *worker = &run->workers[number];
  worker->run = run;
  worker->number = number;
  worker->countdown = 1; /* so that even the smallest search sees a flag that is already set */
  worker->stop_level = UINT64_MAX;
  hdi_pool_init(&worker->pool, run->words, &run->frontier_bytes);
  worker->stepper = hd_stepper_new(run->model, run->search->filter);
  if (worker->stepper == NULL || hdi_deque_init(&worker->work) != HD_OK) {
    return HD_E_NOMEM;
  }
  if (run->reduction != NULL && hd_stepper_reduce(worker->stepper, run->reduction) != HD_OK) {
    return HD_E_NOMEM;
  }
  size_t bulk_max = hd_stepper_bulk_max(worker->stepper);
  size_t room = HDI_BATCH + bulk_max + HD_BULK_SLACK;
  worker->bulk = bulk_max > 0;
  worker->batch_room = room;
  worker->batch =
      room > SIZE_MAX / sizeof *worker->batch / run->words ? NULL : malloc(room * run->words * sizeof *worker->batch);
  size_t offered_max = (room > HDI_BIN ? room : HDI_BIN) + HD_BULK_SLACK;
  worker->places = malloc(offered_max * sizeof *worker->places);
  worker->answers = malloc(offered_max);
  if (worker->batch == NULL || worker->places == NULL || worker->answers == NULL) {
    return HD_E_NOMEM;
  }
  return hdi_finds_init(&worker->finds, run->model);
}

static void clear_worker(hdi_worker *worker) {
  hdi_pool *pool = &worker->pool;
  hdi_pool_give(pool, worker->current);
  for (hdi_chunk *chunk; (chunk = hdi_deque_pop(&worker->work)) != NULL;) {
    hdi_pool_give(pool, chunk);
  }
  hdi_list_clear(&worker->fresh, pool);
  hdi_list_clear(&worker->closed[0], pool);
  hdi_list_clear(&worker->closed[1], pool);
  hdi_pool_clear(pool);
  hdi_deque_clear(&worker->work);
  free(worker->batch);
  free(worker->places);
  free(worker->answers);
  hdi_level_clear_parcels(worker);
  hdi_scatter_clear(&worker->scatter);
  hdi_words_free(&worker->stash);
  hdi_finds_clear(&worker->finds);
  hd_stepper_free(worker->stepper);
}

void hdi_run_free(hdi_run *run) {
  if (run == NULL) {
    return;
  }
  for (uint32_t i = 0; run->workers != NULL && i < run->worker_count; i++) {
    if (run->workers[i].run != NULL) {
      clear_worker(&run->workers[i]);
    }
  }
  if (run->workers != NULL) {
    hdi_history_clear(&run->history, &run->workers[0].pool);
  }
  free(run->workers);
  hd_native_free(run->native);
  hd_reduction_free(run->reduction);
  hd_symmetry_free(run->symmetry);
  hd_visited_free(run->visited);
  hdi_idle_clear(&run->idle);
  free(run);
}

/* A predicate may look at anything: then every step is visible, and no set but all is safe. */
static hd_status init_reduction(hdi_run *run) {
  const hd_search *search = run->search;
  if (search->reduction == HD_REDUCE_FOR_CHECKS && search->predicate_count > 0) {
    run->unreduced = "a state predicate is looked for";
    return HD_OK;
  }
  return hd_reduction_new(run->model, search->filter, search->reduction, &run->reduction, &run->unreduced);
}

/* The visited set, whose halves are dealt out as the model asks when it is a tree. */
static hd_status init_visited(hdi_run *run, hd_visited_config *config) {
  uint32_t *chunks = run->words > 1 ? calloc(4 * (size_t)run->words, sizeof *chunks) : NULL;
  bool dealt = false;
  hd_status status =
      chunks != NULL ? hd_model_deal_chunks(run->model, chunks, &dealt) : (run->words > 1 ? HD_E_NOMEM : HD_OK);
  config->chunks = dealt ? chunks : NULL;
  status = status == HD_OK ? hd_visited_new(config, &run->visited) : status;
  config->chunks = NULL;
  free(chunks);
  return status;
}

static hd_status init_run(hdi_run *run) {
  const hd_search *search = run->search;
  hd_visited_config config = {.words = run->words,
                              .bits = run->words == 1 ? hd_model_bits(run->model) : 64,
                              .workers = run->worker_count,
                              .store = search->store,
                              .memory_max_bytes = run->memory_max_bytes};
  hd_status status = search->symmetry ? hd_symmetry_new(run->model, &run->symmetry) : HD_OK;
  if (status == HD_OK) {
    status = init_reduction(run);
  }
  if (status == HD_OK) {
    status = init_visited(run, &config);
  }
  if (status != HD_OK) {
    return status;
  }
  run->workers = aligned_alloc(HD_CACHE_LINE, run->worker_count * sizeof *run->workers);
  if (run->workers == NULL) {
    return HD_E_NOMEM;
  }
  memset(run->workers, 0, run->worker_count * sizeof *run->workers);
  for (uint32_t i = 0; i < run->worker_count && status == HD_OK; i++) {
    status = init_worker(run, i);
  }
  return status;
}

hd_status hdi_run_new(const hd_search *search, uint32_t threads, bool keep, uint64_t last_level, hdi_run **out) {
  *out = NULL;
  hdi_run *run = aligned_alloc(HD_CACHE_LINE, sizeof *run);
  if (run == NULL) {
    return HD_E_NOMEM;
  }
  memset(run, 0, sizeof *run);
  run->search = search;
  run->model = search->model;
  run->worker_count = threads;
  run->words = hd_model_words(search->model);
  run->any_order = search->order == HD_ORDER_ANY && !keep;
  run->zero_weights = !run->any_order && hd_model_has_zero_weights(search->model);
  run->keep = keep;
  run->last_level = last_level;
  run->memory_max_bytes = search->memory_max_bytes != 0 ? search->memory_max_bytes : hd_machine_recent_memory_bytes();
  run->start = run->shown_at = hd_machine_seconds();
  run->deadline = search->timeout_seconds > 0 ? run->start + search->timeout_seconds : 0;
  hd_status status = hdi_idle_init(&run->idle, threads);
  if (status != HD_OK) {
    free(run);
    return status;
  }
  status = init_run(run);
  if (status != HD_OK) {
    hdi_run_free(run);
    return status;
  }
  *out = run;
  return HD_OK;
}

/* ---- the quiescent point: everything up to the parallel part is worker 0's while the others wait ---- */

static hdi_action finish(hdi_run *run, hd_end end) {
  run->end = end;
  return HDI_ACTION_STOP;
}

/* Successors that found the table full. */
static uint64_t stashed_states(const hdi_run *run) {
  uint64_t words = 0;
  for (uint32_t i = 0; i < run->worker_count; i++) {
    words += run->workers[i].stash.count;
  }
  return words / run->words;
}

static uint64_t stop_level(const hdi_run *run) {
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < run->worker_count; i++) {
    least = run->workers[i].stop_level < least ? run->workers[i].stop_level : least;
  }
  return least;
}

static uint64_t fresh_states(const hdi_run *run) {
  uint64_t states = 0;
  for (uint32_t i = 0; i < run->worker_count; i++) {
    states += run->workers[i].fresh.states;
  }
  return states;
}

/* Would the memory limit bear the next growth of the table? */
static bool may_grow(const hdi_run *run) {
  size_t more_bytes = hd_visited_growth_bytes(run->visited);
  size_t held_bytes = hdi_run_memory_bytes(run);
  return !run->growth_refused && held_bytes <= run->memory_max_bytes &&
         more_bytes <= run->memory_max_bytes - held_bytes;
}

/* Moves the chunks of `list` into a deque, marked with `stepped`. On HD_E_NOMEM the rest stays in the list. */
static hd_status move_list(hdi_list *list, hdi_deque *deque, bool stepped) {
  while (list->first != NULL) {
    hdi_chunk *chunk = list->first;
    if (hdi_deque_push(deque, chunk) != HD_OK) {
      return HD_E_NOMEM;
    }
    chunk->stepped = stepped;
    list->first = chunk->next;
  }
  memset(list, 0, sizeof *list);
  return HD_OK;
}

/* Into how many regions the successors of a phase over `states` states are sorted. One worker sorts for the caches,
 * when the table is larger than they are. Several sort so that each region has one owner, and want some regions each,
 * so that they get equal shares. It pays when bins fill up; `successors` is what a state has at least, in a system
 * worth the trouble. */
static uint32_t choose_region_bits(const hdi_run *run, uint64_t states) {
  const uint64_t successors = 4, shares = 8, least_alone = 16;
  if (run->words > 1 || !hd_visited_has_regions(run->visited)) {
    return 0;
  }
  uint64_t workers = run->alone ? 1 : run->worker_count;
  uint64_t least = workers == 1 ? least_alone : shares * workers;
  uint64_t regions = hd_visited_regions(run->visited);
  if (regions < least && workers > 1) {
    regions = least;
  }
  regions = regions > HD_REGIONS_MAX ? HD_REGIONS_MAX : regions;
  uint32_t bits = 0;
  while ((uint64_t)2 << bits <= regions && ((uint64_t)2 << bits) * HDI_BIN <= states / workers * successors) {
    bits++;
  }
  return (uint64_t)1 << bits < least ? 0 : bits;
}

/* Chooses who works on `states` states and how full chunks get meanwhile: small chunks when the level is small, so that
 * everybody finds some. */
static void plan_phase(hdi_run *run, hdi_phase phase, uint64_t states) {
  const uint64_t chunks_per_worker = 8, fill_least = 64;
  uint64_t capacity = run->workers[0].pool.capacity;
  uint64_t fill = states / (chunks_per_worker * run->worker_count);
  fill = fill < fill_least ? fill_least : fill;
  run->fill = (uint32_t)(fill > capacity ? capacity : fill);
  run->phase = phase;
  run->alone = states <= HDI_NARROW_STATES || run->worker_count == 1;
  run->region_bits = choose_region_bits(run, states);
}

static hdi_deque *deque_for(hdi_run *run, uint32_t worker) {
  return &run->workers[run->alone ? 0 : worker].work;
}

/* Records the fresh states as sub-level run->sub of run->level. */
static hd_status record_fresh(hdi_run *run) {
  hd_status status = hdi_history_begin(&run->history, run->level, run->sub);
  for (uint32_t i = 0; i < run->worker_count && status == HD_OK; i++) {
    status = hdi_history_add(&run->history, &run->workers[i].fresh, &run->workers[i].pool);
  }
  return status;
}

/* Sets up a phase over the fresh states. */
static hd_status publish_fresh(hdi_run *run, hdi_phase phase, uint64_t states) {
  plan_phase(run, phase, states);
  if (states > HDI_NARROW_STATES) {
    hdi_run_take_native(run);
  }
  hd_status status = HD_OK;
  for (uint32_t i = 0; i < run->worker_count && status == HD_OK; i++) {
    hdi_deque_trim(&run->workers[i].work);
    status = move_list(&run->workers[i].fresh, deque_for(run, i), false);
  }
  return status;
}

/* Sets up the expansion of the closed level. */
static hd_status publish_closed(hdi_run *run) {
  plan_phase(run, HDI_PHASE_EXPAND, run->level_states);
  hd_status status = HD_OK;
  for (uint32_t i = 0; i < run->worker_count; i++) {
    for (uint32_t stepped = 0; stepped < 2 && status == HD_OK; stepped++) {
      status = move_list(&run->workers[i].closed[stepped], deque_for(run, i), stepped == 1);
    }
  }
  return status;
}

/* All states of run->level are known. */
static hdi_action level_closed(hdi_run *run) {
  if (run->level == run->last_level) {
    return finish(run, HD_END_DEPTH);
  }
  return stop_level(run) <= run->level ? finish(run, HD_END_FOUND) : HDI_ACTION_WORK;
}

/* Takes the fresh states into the level: as its first states, or as its next sub-level. */
static hdi_action take_fresh(hdi_run *run) {
  uint64_t states = fresh_states(run);
  run->level_states += states;
  run->frontier_peak = run->level_states > run->frontier_peak ? run->level_states : run->frontier_peak;
  if (run->keep && record_fresh(run) != HD_OK) {
    return finish(run, HD_END_MEMORY);
  }
  if (!run->zero_weights) {
    hdi_action action = level_closed(run);
    if (action != HDI_ACTION_WORK) {
      return action;
    }
  }
  hdi_phase phase = run->zero_weights ? HDI_PHASE_CLOSE : HDI_PHASE_EXPAND;
  return publish_fresh(run, phase, states) == HD_OK ? HDI_ACTION_WORK : finish(run, HD_END_MEMORY);
}

static hdi_action begin_level(hdi_run *run, uint64_t level) {
  run->level = level;
  run->levels = level + 1;
  run->sub = 0;
  run->level_states = 0;
  return take_fresh(run);
}

static hdi_action end_close(hdi_run *run) {
  if (fresh_states(run) > 0) {
    run->sub++;
    return take_fresh(run);
  }
  hdi_action action = level_closed(run);
  if (action != HDI_ACTION_WORK) {
    return action;
  }
  return publish_closed(run) == HD_OK ? HDI_ACTION_WORK : finish(run, HD_END_MEMORY);
}

/* The states of run->level are expanded: their weight-0 transitions count now. */
static void count_pending(hdi_run *run) {
  for (uint32_t i = 0; i < run->worker_count; i++) {
    run->workers[i].transitions += run->workers[i].pending;
    run->workers[i].pending = 0;
  }
}

static hdi_action end_expand(hdi_run *run) {
  const hd_search *search = run->search;
  uint64_t fresh = fresh_states(run);
  count_pending(run);
  if (fresh == 0) {
    return finish(run, HD_END_COMPLETE);
  }
  run->levels = run->level + 2; /* the next level holds states, whether or not the search goes on into it */
  run->frontier_peak = fresh > run->frontier_peak ? fresh : run->frontier_peak;
  /* Without weight-0 steps the next level is closed already, and its findings come before the other limits. */
  if (stop_level(run) <= run->level + (run->zero_weights ? 0 : 1)) {
    return finish(run, HD_END_FOUND);
  }
  if (search->states_budget != 0 && hd_visited_count(run->visited) >= search->states_budget) {
    return finish(run, HD_END_BUDGET);
  }
  if (search->depth_max != 0 && run->level + 1 >= search->depth_max) {
    return finish(run, HD_END_DEPTH);
  }
  return begin_level(run, run->level + 1);
}

static hdi_action end_phase(hdi_run *run) {
  switch (run->phase) {
    case HDI_PHASE_SEED:
      return begin_level(run, 0);
    case HDI_PHASE_CLOSE:
      return end_close(run);
    case HDI_PHASE_EXPAND:
      return end_expand(run);
  }
  return finish(run, HD_END_COMPLETE);
}

bool hdi_run_is_stopped(hdi_run *run) {
  uint32_t interrupt = hdi_run_interrupt(run);
  if (interrupt >= HDI_STOP(HD_END_COMPLETE)) {
    if (run->phase == HDI_PHASE_EXPAND) {
      count_pending(run);
    }
    run->end = HDI_STOP_END(interrupt);
    return true;
  }
  if (interrupt == HDI_PAUSE) {
    run->paused = true;
    hdi_run_resume(run);
  }
  return false;
}

bool hdi_run_is_full(hdi_run *run, hdi_action *action) {
  uint64_t stashed = stashed_states(run);
  if (stashed > 0) {
    /* One state may have more successors than the table has slots: it grows until they fit, then they are offered. */
    uint64_t slots = hd_visited_slots(run->visited);
    run->retry = slots + slots / 2 >= hd_visited_count(run->visited) + stashed || /* 3/4 of the doubled table */
                 hd_visited_growth_bytes(run->visited) == 0; /* the store needs no growth any more */
    *action = may_grow(run) ? HDI_ACTION_GROW : finish(run, HD_END_MEMORY);
  }
  return stashed > 0;
}

/* What all workers do next. */
static hdi_action decide(hdi_run *run) {
  if (run->any_order) {
    return hdi_any_decide(run);
  }
  for (;;) {
    if (hdi_run_is_stopped(run)) {
      return HDI_ACTION_STOP;
    }
    hdi_action action;
    if (hdi_run_is_full(run, &action)) {
      return action;
    }
    if (run->paused) {
      hdi_run_take_native(run);
    }
    if (!run->paused && !run->ready) {
      action = end_phase(run);
      if (action != HDI_ACTION_WORK) {
        return action;
      }
      run->ready = true;
      if (hd_visited_wants_growth(run->visited) && may_grow(run)) {
        return HDI_ACTION_GROW;
      }
    }
    run->ready = run->paused = false;
    if (!run->alone) {
      return HDI_ACTION_WORK;
    }
    hdi_level_work(&run->workers[0]);
  }
}

/* ---- the parallel part ---- */

static void grow(hdi_run *run, hd_team *team, uint32_t number) {
  hd_status status = hd_visited_grow(run->visited, team, number);
  if (status == HD_OK) {
    if (run->retry) {
      hdi_level_retry(&run->workers[number]);
    }
  } else if (number == 0) {
    run->growth_refused = true; /* read by worker 0 only, at the next quiescent point */
  }
}

/* Enters with run->action decided. */
static void work(hd_team *team, uint32_t number, void *payload) {
  hdi_run *run = payload;
  for (bool first = true;; first = false) {
    if (number == 0 && !first) {
      run->action = decide(run);
    }
    hd_team_barrier(team); /* the decision is there */
    switch (run->action) {
      case HDI_ACTION_STOP:
        return;
      case HDI_ACTION_GROW:
        grow(run, team, number);
        break;
      case HDI_ACTION_WORK:
        if (run->any_order) {
          hdi_any_work(&run->workers[number]);
        } else {
          hdi_level_work(&run->workers[number]);
        }
        if (run->region_bits > 0) {
          hd_team_barrier(team); /* all bins are with their owners */
          hdi_level_receive(&run->workers[number]);
        }
        break;
    }
    hd_team_barrier(team); /* quiescent */
  }
}

/* Bound workers keep their caches and, on machines with several memories, the memory that they touched first: parts of
 * a table that grows are written first by the worker that moves them. */
static void work_bound(hd_team *team, uint32_t number, void *payload) {
  const hdi_run *run = payload;
  hd_affinity affinity = {0};
  if (run->bind) {
    (void)hd_affinity_bind(&affinity, number); /* a worker that cannot be bound works all the same */
  }
  work(team, number, payload);
  hd_affinity_restore(&affinity);
}

static void grow_alone(hd_team *team, uint32_t number, void *payload) {
  grow(payload, team, number);
}

hd_status hdi_run_go(hdi_run *run) {
  hdi_run_begin_native(run);
  plan_phase(run, HDI_PHASE_SEED, 0);
  hdi_level_seed(&run->workers[0]);
  hd_status status = HD_OK;
  /* As long as no phase is wide there is no team: a small search never starts a thread. */
  while (status == HD_OK && (run->action = decide(run)) == HDI_ACTION_GROW) {
    status = hd_team_run(1, grow_alone, run);
  }
  if (status == HD_OK && run->action == HDI_ACTION_WORK) {
    run->bind = run->search->bind == HD_BIND_AUTO && run->worker_count > 1 && hd_affinity_cores() == run->worker_count;
    status = hd_team_run(run->worker_count, work_bound, run);
  }
  return status;
}
