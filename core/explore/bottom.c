/* Processes that are left behind.
 *
 * Definition. A bottom component is a strongly connected set of states that no step leaves. An instance is left behind
 * in a bottom component C when it must go on in every state of C and takes part in no step that is possible in C. There
 * is a finding for the instance when it is left behind in some bottom component that can be reached. Once in C nobody
 * can help it, whatever the scheduler does; in a component that is not a bottom one somebody still could.
 *
 * Computed without components. Call an instance fine in a state by itself when it takes part in one of its steps or
 * need not go on in it, and fine from s on when it is so by itself in some state that can be reached from s, s
 * included.
 *
 *   Theorem. There is a finding for instance p  iff  p is not fine from some reachable state s on.
 *   Proof. (=>) Let p be left behind in C and s in C. Exactly the states of C can be reached from s; in none of them
 *   does p move or need not go on. (<=) The states that can be reached from s are finitely many and closed under steps,
 *   so they include a bottom component C, which can be reached. p is not fine by itself in any of them, in particular
 *   in no state of C: it must go on in all of them and moves in none. []
 *
 * The states s of the theorem are those that are counted: from them on p is left behind for certain. They are closed
 * under steps. "Fine from s on" is a least fixed point over the successors, one bit for each instance and state, which
 * judge.c computes. Whether somebody must go on may depend on the whole state; when it depends on the instance's
 * location only, it cannot change any more once the instance never moves.
 *
 * A step that has a fault counts as a move of those that take part in it, but leads nowhere. With query->going_on every
 * instance is also fine in a state without successors: then, by the same proof, an instance is found when it is not
 * fine from s on, no run from s ever ends, and every bottom component that can be reached from s has a cycle. Nothing
 * is lost beside a search for stops and faults: what is left out can reach a state without successors, which that
 * search sees.
 *
 *   explore (keeping all states) -> judge -> collect -> | per kind: run to the least state (counterexample.c),
 *     history.c                    judge.c             |           way into a bottom component and cycle (lasso.c)
 *
 * Reductions. All of them keep some runs out of sight that lead to the same stops; what somebody does for ever is none
 * of their business, and a step left out may be the only move of an instance. So none may be in force here.
 *
 * Threads: the caller's, and teams of its own. Related: Barnat, Chaloupka, van de Pol, Distributed Algorithms for SCC
 * Decomposition (2011), whose backward reachability is replaced here by passes, since predecessors are not stored. */
#include "core/explore/bottom.h"

#include "core/base/check.h"
#include "core/base/machine.h"
#include "core/base/team.h"
#include "core/explore/counterexample.h"
#include "core/explore/judge.h"
#include "core/explore/lasso.h"
#include "core/explore/search.h"

#include <stdlib.h>
#include <string.h>

typedef struct bottom {
  hd_search search; /* the caller's, with nothing in it but the system and the limits */
  const hd_bottom_query *query;
  hd_bottom_outcome *outcome;
  hdi_history history; /* owned */
  hdi_finds finds;
  size_t memory_max_bytes, bits_words;
  double start, deadline;
} bottom;

/* ---- exploring ---- */

static bool has_eager(const hd_model *model) {
  for (uint32_t i = 0; i < hd_model_locs(model); i++) {
    if ((hd_model_loc_flags(model, (hd_loc){i}) & HD_LOC_EAGER) != 0) {
      return true;
    }
  }
  return false;
}

static hd_status take_run(bottom *b, hdi_run *run) {
  hd_bottom_outcome *outcome = b->outcome;
  hd_status status = HD_OK;
  outcome->end = run->end;
  HD_REQUIRE(!hd_visited_is_lossy(run->visited)); /* a run that keeps its states has an exact set */
  outcome->states = hd_visited_count(run->visited);
  outcome->levels = run->levels;
  for (uint32_t i = 0; i < run->worker_count; i++) {
    outcome->transitions += run->workers[i].transitions;
    status = run->workers[i].failure != HD_OK ? run->workers[i].failure : status;
  }
  b->history = run->history; /* its chunks are kept: no pool of the run frees them */
  memset(&run->history, 0, sizeof run->history);
  return status;
}

static hd_status explore(bottom *b) {
  hdi_run *run;
  hd_status status = hdi_run_new(&b->search, b->outcome->threads, true, UINT64_MAX, &run);
  if (status == HD_E_LIMIT) {
    b->outcome->end = HD_END_MEMORY;
    return HD_OK;
  }
  if (status != HD_OK) {
    return status;
  }
  status = hdi_run_go(run);
  if (status == HD_OK) {
    status = take_run(b, run);
  }
  hdi_run_free(run);
  return status;
}

static void clear_history(bottom *b) {
  hd_atomic_u64 bytes = 0; /* nobody asks for the account any more */
  hdi_pool pool;
  hdi_pool_init(&pool, hd_model_words(b->search.model), &bytes);
  hdi_history_clear(&b->history, &pool);
}

/* ---- judging ---- */

static hd_status take_judgement(bottom *b, const hdi_judge *judge) {
  hd_bottom_outcome *outcome = b->outcome;
  for (uint32_t w = 0; w < judge->worker_count; w++) {
    const hdi_judge_worker *worker = &judge->workers[w];
    hdi_finds_merge(&b->finds, &worker->finds);
    for (uint32_t i = 0; i < outcome->instance_count; i++) {
      hd_bottom_instance *instance = &outcome->instances[i];
      instance->count += worker->instances[i].count;
      instance->level = worker->instances[i].level < instance->level ? worker->instances[i].level : instance->level;
    }
  }
  for (uint32_t kind = 1; kind < HD_STOP_KIND_MAX; kind++) {
    const hdi_find *find = &b->finds.slots[HD_SLOT_STOP(kind)];
    hd_bottom_found *found = &outcome->found[kind];
    if (find->count == 0) {
      continue;
    }
    found->left_behind = calloc(b->bits_words, sizeof *found->left_behind);
    if (found->left_behind == NULL) {
      return HD_E_NOMEM;
    }
    found->count = find->count;
    found->level = find->level;
    hdi_judge_left_behind(judge, find->state, found->left_behind);
  }
  return HD_OK;
}

/* Does the limit bear what judging takes? What it bears beyond that is *left_bytes. */
static bool has_memory(bottom *b, size_t *left_bytes) {
  size_t held_bytes = 0;
  for (size_t i = 0; i < b->history.chunks.count; i++) {
    const hdi_chunk *chunk = b->history.chunks.data[i];
    held_bytes += sizeof *chunk + (size_t)chunk->capacity * hd_model_words(b->search.model) * sizeof(uint64_t);
  }
  size_t needed_bytes = hdi_judge_size_bytes(b->search.model, &b->history, b->outcome->states);
  b->outcome->needed_bytes = needed_bytes;
  if (held_bytes > b->memory_max_bytes || needed_bytes > b->memory_max_bytes - held_bytes) {
    return false;
  }
  *left_bytes = b->memory_max_bytes - held_bytes - needed_bytes;
  return true;
}

static hd_status judge(bottom *b) {
  size_t left_bytes = 0;
  if (!has_memory(b, &left_bytes)) {
    b->outcome->end = HD_END_MEMORY;
    return HD_OK;
  }
  hdi_judge *judge;
  hd_status status =
      hdi_judge_new(&b->search, b->query, &b->history, b->outcome->threads, b->deadline, left_bytes, &judge);
  if (status == HD_E_LIMIT) {
    b->outcome->end = HD_END_MEMORY;
    return HD_OK;
  }
  if (status != HD_OK) {
    return status;
  }
  status = hdi_judge_go(judge, &b->outcome->end);
  b->outcome->passes = judge->passes;
  if (status == HD_OK && b->outcome->end == HD_END_COMPLETE) {
    status = take_judgement(b, judge);
  }
  hdi_judge_free(judge);
  return status;
}

/* ---- runs ---- */

typedef struct wanted {
  const uint64_t *state;
  size_t size_bytes;
} wanted;

static bool leads_to(void *payload, const uint64_t *next, const hd_step *step) {
  const wanted *w = payload;
  (void)step;
  return next != NULL && memcmp(next, w->state, w->size_bytes) == 0;
}

/* Goes on with the trace into a bottom component and round it. */
static hd_status add_lasso(bottom *b, const hdi_lasso *lasso, hd_bottom_found *found) {
  hd_trace *trace = found->trace;
  hd_status status = HD_OK;
  size_t steps = lasso->states.count / trace->words;
  for (size_t i = 0; i < steps && status == HD_OK; i++) {
    wanted w = {lasso->states.data + i * trace->words, trace->words * sizeof(uint64_t)};
    status = hd_trace_extend(b->search.model, b->search.filter, trace, leads_to, &w);
  }
  found->cycle = steps == lasso->way ? trace->length : found->reached + lasso->way;
  if (status == HD_OK) {
    size_t failed_step;
    status = hd_trace_replay(b->search.model, b->search.filter, trace, &failed_step);
  }
  return status == HD_E_INPUT ? HD_E_INTERNAL : status;
}

/* Cuts the trace back to the run to the least state. */
static void drop_lasso(hd_bottom_found *found) {
  found->trace->length = found->reached;
  found->cycle = found->reached;
}

static hd_status show_component(bottom *b, const uint64_t *state, hd_bottom_found *found) {
  hdi_lasso lasso;
  double deadline = b->search.timeout_seconds > 0 ? hd_machine_seconds() + b->search.timeout_seconds : 0;
  found->reached = found->cycle = found->trace->length;
  found->lasso_status = hdi_lasso_find(&b->search, state, b->memory_max_bytes, deadline, &lasso);
  if (found->lasso_status == HD_OK) {
    found->lasso_status = add_lasso(b, &lasso, found);
    if (found->lasso_status == HD_OK) {
      HD_ASSERT(lasso.going.count == b->bits_words);
      found->going = lasso.going.data;
      lasso.going = (hdi_words){0};
    } else {
      drop_lasso(found);
    }
    hdi_lasso_clear(&lasso);
  }
  return found->lasso_status == HD_E_INTERNAL ? HD_E_INTERNAL : HD_OK;
}

static hd_status make_traces(bottom *b) {
  hd_search again = b->search;
  for (uint32_t kind = 1; kind < HD_STOP_KIND_MAX; kind++) {
    hd_slots_add(again.trace_slots, HD_SLOT_STOP(kind));
  }
  hd_outcome *traces = calloc(1, sizeof *traces);
  if (traces == NULL) {
    return HD_E_NOMEM;
  }
  hdi_counterexamples(&again, b->outcome->threads, &b->finds, traces);
  hd_status status = HD_OK;
  for (uint32_t kind = 1; kind < HD_STOP_KIND_MAX; kind++) {
    hd_found *run = &traces->found[HD_SLOT_STOP(kind)];
    hd_bottom_found *found = &b->outcome->found[kind];
    found->trace = run->trace;
    found->trace_status = run->trace_status;
    run->trace = NULL;
    if (found->trace != NULL && status == HD_OK) {
      status = show_component(b, b->finds.slots[HD_SLOT_STOP(kind)].state, found);
    }
    status = found->trace_status == HD_E_INTERNAL ? HD_E_INTERNAL : status;
  }
  hd_outcome_clear(traces);
  free(traces);
  return status;
}

/* ---- the search ---- */

static hd_status init(bottom *b, const hd_search *search) {
  hd_bottom_outcome *outcome = b->outcome;
  b->search = (hd_search){.model = search->model,
                          .filter = search->filter,
                          .reduction = HD_REDUCE_NOTHING,
                          .store = hd_store_exact(search->store), /* what a process can reach must be all there */
                          .order = HD_ORDER_LEVELS,
                          .memory_max_bytes = search->memory_max_bytes,
                          .timeout_seconds = search->timeout_seconds,
                          .depth_max = search->depth_max,
                          .states_budget = search->states_budget,
                          .cancel = search->cancel};
  b->memory_max_bytes = search->memory_max_bytes != 0 ? search->memory_max_bytes : hd_machine_recent_memory_bytes();
  b->start = hd_machine_seconds();
  b->deadline = search->timeout_seconds > 0 ? b->start + search->timeout_seconds : 0;
  b->bits_words = hd_model_instances(search->model) / 64 + 1;
  uint32_t threads = search->threads != 0 ? search->threads : hd_team_default_count();
  b->search.threads = outcome->threads = threads < HD_TEAM_MAX ? threads : HD_TEAM_MAX;
  outcome->instance_count = hd_model_instances(search->model);
  outcome->instances = calloc((size_t)outcome->instance_count + 1, sizeof *outcome->instances);
  if (outcome->instances == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t i = 0; i < outcome->instance_count; i++) {
    outcome->instances[i].level = UINT64_MAX;
  }
  return hdi_finds_init(&b->finds, search->model);
}

hd_status hd_bottom_search(const hd_search *search, const hd_bottom_query *query, hd_bottom_outcome *outcome) {
  HD_REQUIRE(search->model != NULL);
  HD_REQUIRE(!has_eager(search->model));
  memset(outcome, 0, sizeof *outcome);
  bottom b = {.query = query, .outcome = outcome};
  hd_status status = init(&b, search);
  if (status == HD_OK) {
    status = explore(&b);
  }
  if (status == HD_OK && outcome->end == HD_END_COMPLETE) {
    status = judge(&b);
  }
  clear_history(&b);
  outcome->seconds = hd_machine_seconds() - b.start;
  if (status == HD_OK && outcome->end == HD_END_COMPLETE) {
    status = make_traces(&b);
  }
  hdi_finds_clear(&b.finds);
  if (status != HD_OK) {
    hd_bottom_outcome_clear(outcome);
  }
  return status;
}

void hd_bottom_outcome_clear(hd_bottom_outcome *outcome) {
  for (uint32_t kind = 0; kind < HD_STOP_KIND_MAX; kind++) {
    hd_trace_free(outcome->found[kind].trace);
    free(outcome->found[kind].left_behind);
    free(outcome->found[kind].going);
  }
  free(outcome->instances);
  memset(outcome, 0, sizeof *outcome);
}
