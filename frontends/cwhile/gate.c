/* The gate (gate.h).
 *
 *   baseline   one complete search of the original; more, each of which knows the deadlocks told so far, until no new
 * way to deadlock is found; its runs without preemptions judgement  one complete search of the edited program, in which
 * deadlocks that the original has are a kind of their own; the search for threads left behind, when something can go on
 * for ever; the images of the runs
 *
 * Two deadlocks are the same when they block the same threads before the same statements of the original. A block that
 * the edit made stands for its first statement that was there before; a lock that the edit made is a place of its own,
 * which no deadlock of the original has. Threads: searches on a team; the baseline is read only. Memory: the search's.
 */
#include "frontends/cwhile/gate.h"

#include "core/base/machine.h"
#include "core/explore/bottom.h"

#include <string.h>

enum {
  BLOCKED_MAX = 64,            /* ways to deadlock */
  RUNS_MAX = 20000,            /* of each kind */
  STEPS_MAX = 2000000,         /* of the walks that collect them */
  COUNTED_STATES_MAX = 200000, /* of which all complete runs are counted */
  STOP_NEW = 1,                /* kinds of states without moves */
  STOP_KNOWN = 2
};

/* ---- where threads are blocked ---- */

/* The number before the edit of what a thread waits for. `origin` NULL: nothing was edited. */
static uint32_t original(const uint32_t *origin, const hd_cw_stmt *stmt) {
  uint32_t number = origin == NULL ? stmt->number : origin[stmt->number];
  for (const hd_cw_stmt *inside = stmt->body; number == HD_NONE && inside != NULL; inside = inside->next) {
    number = original(origin, inside);
  }
  return number;
}

/* Special places: the end or dead; a lock that the edit made. */
#define PLACE_ENDED HD_NONE
#define PLACE_NEW (HD_NONE - 1)

static uint32_t blocked_place(const hd_cw_lowering *lowering, const uint32_t *origin, const uint64_t *state,
                              uint32_t thread) {
  hd_loc at = hd_model_location(lowering->model, state, thread);
  if (hd_model_loc_is_dead(lowering->model, at) || lowering->flow.threads.data[thread].daemon) {
    return PLACE_ENDED;
  }
  const hdi_cw_loc *loc = &lowering->flow.locs.data[hd_model_loc_tag(lowering->model, at)];
  if (loc->end || loc->stmt == NULL) {
    return PLACE_ENDED;
  }
  uint32_t number = original(origin, loc->stmt);
  return number == HD_NONE ? PLACE_NEW : number;
}

typedef struct deadlocks {
  const hd_cw_lowering *lowering;
  const uint32_t *origin;
  const hdi_cw_baseline *baseline;
} deadlocks;

/* For hd_search.classify. */
static uint32_t classify(const void *context, const hd_model *model, const uint64_t *state) {
  const deadlocks *d = context;
  if (hd_cw_classify(d->lowering, model, state) == 0) {
    return 0;
  }
  for (uint32_t i = 0; i < d->baseline->blocked_count; i++) {
    bool same = true;
    for (uint32_t t = 0; t < d->lowering->flow.threads.count && same; t++) {
      uint32_t known = t < d->baseline->thread_count ? d->baseline->blocked[i].statements[t] : PLACE_ENDED;
      same = blocked_place(d->lowering, d->origin, state, t) == known;
    }
    if (same) {
      return STOP_KNOWN;
    }
  }
  return STOP_NEW;
}

/* ---- searches ---- */

static void init_search(const deadlocks *d, const hdi_cw_gate_limits *limits, hd_search *search) {
  *search = (hd_search){.model = d->lowering->model,
                        .threads = limits->threads == 0 ? 1 : limits->threads,
                        .order = HD_ORDER_LEVELS,
                        .bind = HD_BIND_NEVER,
                        .memory_max_bytes = limits->memory_max_bytes,
                        .classify = classify,
                        .classify_context = d,
                        .cancel = limits->cancel};
  if (limits->deadline_seconds > 0) {
    double left = limits->deadline_seconds - hd_machine_seconds();
    search->timeout_seconds = left > 1e-9 ? left : 1e-9;
  }
}

static hd_status end_as_status(hd_end end) {
  return end == HD_END_COMPLETE || end == HD_END_FOUND ? HD_OK : end == HD_END_SIGNAL ? HD_E_CANCELLED : HD_E_LIMIT;
}

static const hd_fault FAULTS[] = {HD_FAULT_RANGE, HD_FAULT_INDEX, HD_FAULT_DIVISION, HD_FAULT_ENDLESS};
static const hd_fault BOUNDS[] = {HD_FAULT_POOL, HD_FAULT_BLOCK_LIMIT};

static bool any_fault(const hd_outcome *outcome, const hd_fault *faults, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (outcome->found[HD_SLOT_FAULT(faults[i])].count > 0) {
      return true;
    }
  }
  return false;
}

static hd_status find_left_behind(const hd_cw_lowering *lowering, const hd_search *like, bool *found) {
  *found = false;
  if (!lowering->has_loop) {
    return HD_OK;
  }
  hd_search search = *like;
  hd_bottom_query query = {.must_go_on = hd_cw_must_go_on, .context = lowering, .going_on = true};
  hd_bottom_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  hd_status status = hd_bottom_search(&search, &query, &outcome);
  if (status == HD_OK) {
    status = end_as_status(outcome.end);
    *found = outcome.found[HD_CW_STOP_DEADLOCK].count > 0;
  }
  hd_bottom_outcome_clear(&outcome);
  return status;
}

/* ---- the original ---- */

static hd_status add_blocked(hdi_cw_baseline *out, const deadlocks *d, const hd_trace *trace) {
  const uint64_t *state = trace->states + trace->length * trace->words;
  uint32_t *statements = hd_arena_alloc_array(out->arena, out->thread_count, sizeof *statements);
  if (statements == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t t = 0; t < out->thread_count; t++) {
    statements[t] = blocked_place(d->lowering, NULL, state, t);
  }
  out->blocked[out->blocked_count++].statements = statements;
  return HD_OK;
}

/* One search; *more: a way to deadlock was found that was not known. */
static hd_status explore_original(hdi_cw_baseline *out, const deadlocks *d, const hdi_cw_gate_limits *limits,
                                  bool *more) {
  hd_search search;
  hd_outcome outcome;
  init_search(d, limits, &search);
  memset(&outcome, 0, sizeof outcome);
  hd_slots_add(search.trace_slots, HD_SLOT_STOP(STOP_NEW));
  hd_status status = hd_explore(&search, &outcome);
  if (status == HD_OK) {
    status = end_as_status(outcome.end);
  }
  *more = false;
  if (status == HD_OK) {
    out->states = outcome.states;
    out->transitions = outcome.transitions;
    out->deadlocks = outcome.found[HD_SLOT_STOP(STOP_NEW)].count + outcome.found[HD_SLOT_STOP(STOP_KNOWN)].count;
    out->has_assertion = outcome.found[HD_SLOT_CHECK(0)].count > 0;
    out->has_fault = any_fault(&outcome, FAULTS, sizeof FAULTS / sizeof FAULTS[0]);
    const hd_found *found = &outcome.found[HD_SLOT_STOP(STOP_NEW)];
    *more = found->count > 0 && out->blocked_count < BLOCKED_MAX;
    out->blocked_all = found->count == 0;
    if (*more) {
      status = found->trace == NULL ? found->trace_status : add_blocked(out, d, found->trace);
    }
  }
  hd_outcome_clear(&outcome);
  return status;
}

static hd_status make_baseline(hdi_cw_baseline *out, const hd_cw_lowering *lowering, const hdi_cw_gate_limits *limits) {
  deadlocks d = {lowering, NULL, out};
  out->thread_count = (uint32_t)lowering->flow.threads.count;
  out->blocked = hd_arena_alloc_array(out->arena, BLOCKED_MAX, sizeof *out->blocked);
  hd_status status = out->blocked == NULL ? HD_E_NOMEM : HD_OK;
  for (bool more = true; more && status == HD_OK;) {
    status = explore_original(out, &d, limits, &more);
  }
  if (status == HD_OK) {
    hd_search search;
    init_search(&d, limits, &search);
    status = find_left_behind(lowering, &search, &out->has_left_behind);
  }
  if (status == HD_OK) {
    status = hdi_cw_count_runs(lowering, COUNTED_STATES_MAX, &out->runs, &out->runs_known);
  }
  hdi_cw_run_limits run_limits = {RUNS_MAX, STEPS_MAX, limits->deadline_seconds, limits->cancel};
  if (status == HD_OK) {
    status = hdi_cw_runs_collect(out->program, out->access, HD_CW_SCHEDULE_SEQUENTIAL, &run_limits, &out->sequential);
  }
  if (status == HD_OK) {
    status = hdi_cw_runs_collect(out->program, out->access, HD_CW_SCHEDULE_PREEMPTION_FREE, &run_limits,
                                 &out->preemption_free);
  }
  return status;
}

hd_status hdi_cw_baseline_make(const hd_cw_program *program, bool access, const hdi_cw_gate_limits *limits,
                               hdi_cw_baseline *out) {
  *out = (hdi_cw_baseline){.arena = hd_arena_new(), .program = program, .access = access};
  hd_cw_lower_options options = {.access = access};
  hd_cw_lowering *lowering = NULL;
  hd_status status = out->arena == NULL ? HD_E_NOMEM : hd_cw_lower(program, &options, &lowering);
  if (status == HD_OK) {
    status = make_baseline(out, lowering, limits);
  }
  hd_cw_lowering_free(lowering);
  return status;
}

void hdi_cw_baseline_clear(hdi_cw_baseline *baseline) {
  hdi_cw_runs_clear(&baseline->sequential);
  hdi_cw_runs_clear(&baseline->preemption_free);
  hd_arena_free(baseline->arena);
  *baseline = (hdi_cw_baseline){0};
}

/* ---- the edited program ---- */

typedef struct judgement {
  const hdi_cw_baseline *baseline;
  const hdi_cw_edited *edited;
  const hdi_cw_gate_limits *limits;
  hd_arena *arena;
  hdi_cw_evidence *out;
} judgement;

static bool refuse(const judgement *j, const char *reason) {
  if (j->out->reason == NULL) {
    j->out->reason = reason;
  }
  return false;
}

static bool leave_undecided(const judgement *j, const char *reason) {
  j->out->undecided = true;
  return refuse(j, reason);
}

/* Nothing bad is reachable. */
static hd_status judge_states(const judgement *j, const hd_cw_lowering *lowering, bool *good) {
  deadlocks d = {lowering, j->edited->origin, j->baseline};
  hd_search search;
  hd_outcome outcome;
  init_search(&d, j->limits, &search);
  memset(&outcome, 0, sizeof outcome);
  hd_status status = hd_explore(&search, &outcome);
  *good = false;
  if (status == HD_OK) {
    j->out->states = outcome.states;
    j->out->transitions = outcome.transitions;
    j->out->deadlocks = outcome.found[HD_SLOT_STOP(STOP_KNOWN)].count;
    *good = outcome.found[HD_SLOT_CHECK(0)].count > 0 ? refuse(j, "an assertion can still fail")
            : any_fault(&outcome, FAULTS, sizeof FAULTS / sizeof FAULTS[0])
                ? refuse(j, "a step can still fault, or a block can run for ever")
            : outcome.found[HD_SLOT_STOP(STOP_NEW)].count > 0 && j->baseline->blocked_all
                ? refuse(j, "it can deadlock where the original cannot")
            : outcome.found[HD_SLOT_STOP(STOP_NEW)].count > 0
                ? leave_undecided(j, "the original deadlocks in too many ways for them to be compared")
            : any_fault(&outcome, BOUNDS, sizeof BOUNDS / sizeof BOUNDS[0])
                ? leave_undecided(j, "a bound of the model was met")
            : outcome.end != HD_END_COMPLETE ? leave_undecided(j, hd_end_words(outcome.end))
                                             : true;
  }
  hd_outcome_clear(&outcome);
  bool left_behind = false;
  if (status == HD_OK && *good) {
    status = find_left_behind(lowering, &search, &left_behind);
    if (status == HD_E_LIMIT || status == HD_E_CANCELLED) {
      *good = leave_undecided(j, "whether a thread is left behind was not decided");
      return HD_OK;
    }
    j->out->left_behind = left_behind;
    if (left_behind && !j->baseline->has_left_behind) {
      *good = refuse(j, "a thread that must end can be left behind for ever");
    }
  }
  return status;
}

/* Every run has its image, perhaps with steps of different threads that are independent in another order. */
static hd_status judge_runs(const judgement *j, const hd_cw_lowering *after, const hdi_cw_runs *runs,
                            bool only_at_waits, const char *reason, bool *good) {
  hd_status status = HD_OK;
  j->out->runs_kept_in_another_order = 0;
  for (uint32_t i = 0; i < runs->count && *good && status == HD_OK; i++) {
    bool has = false;
    status = hdi_cw_run_has_image(after, j->edited->origin, &runs->runs[i], only_at_waits, &has);
    if (status == HD_OK && !has) {
      status = hdi_cw_run_has_equivalent(after, j->edited->origin, &runs->runs[i], only_at_waits, &has);
      j->out->runs_kept_in_another_order += has;
      if (status == HD_E_LIMIT) {
        *good = leave_undecided(j, "whether a run is lost was not decided");
        return HD_OK;
      }
    }
    if (status == HD_OK && !has) {
      *good = refuse(j, reason);
    }
  }
  return status;
}

static hd_status judge_promises(const judgement *j, bool *good) {
  const hdi_cw_runs *sequential = &j->baseline->sequential, *free_runs = &j->baseline->preemption_free;
  hd_cw_lower_options options = {.access = j->baseline->access, .unfused = true};
  hd_cw_lowering *after = NULL;
  hd_status status = hd_cw_lower(j->edited->program, &options, &after);
  if (status == HD_OK && sequential->all) {
    status = judge_runs(j, after, sequential, false, "a complete sequential run is lost", good);
    j->out->promise = HDI_CW_PROMISE_SEQUENTIAL;
    j->out->runs_kept = sequential->count;
  }
  bool all_good = free_runs->all && free_runs->bad_count == 0 && !free_runs->fault;
  if (status == HD_OK && *good && sequential->all && all_good) {
    status = judge_runs(j, after, free_runs, true, "a complete preemption-free run is lost", good);
    j->out->promise = HDI_CW_PROMISE_PREEMPTION_FREE;
    j->out->runs_kept = free_runs->count;
  }
  hd_cw_lowering_free(after);
  return status;
}

static const char *basis_of(const judgement *j) {
  switch (j->out->promise) {
    case HDI_CW_PROMISE_NONE:
      return "every interleaving of the edited text explored; which runs are lost was not decided: there are too many";
    case HDI_CW_PROMISE_SEQUENTIAL:
      if (j->baseline->sequential.count == 0) {
        return "every interleaving of the edited text explored; the original has no complete sequential run that could "
               "be "
               "lost, and no more can be promised";
      }
      return j->baseline->preemption_free.bad_count > 0 || j->baseline->preemption_free.fault
                 ? "every interleaving of the edited text explored; every complete sequential run stays possible "
                   "(condition "
                   "c; a preemption-free run of the original is bad, so no more can be promised)"
                 : "every interleaving of the edited text explored; every complete sequential run stays possible "
                   "(condition c)";
    case HDI_CW_PROMISE_PREEMPTION_FREE:
      if (j->baseline->preemption_free.count == 0) {
        return "every interleaving of the edited text explored; the original has no complete run without preemptions "
               "that "
               "could be lost";
      }
      return "every interleaving of the edited text explored; every complete sequential and preemption-free run stays "
             "possible (conditions c and d)";
  }
  return "";
}

hd_status hdi_cw_judge(const hdi_cw_baseline *baseline, const hdi_cw_edited *edited, const hdi_cw_gate_limits *limits,
                       hd_arena *arena, hdi_cw_evidence *out) {
  *out = (hdi_cw_evidence){.accepted = false};
  judgement j = {baseline, edited, limits, arena, out};
  hd_cw_lower_options options = {.access = baseline->access};
  hd_cw_lowering *lowering = NULL;
  bool good = false;
  hd_status status = hd_cw_lower(edited->program, &options, &lowering);
  if (status == HD_OK) {
    status = judge_states(&j, lowering, &good);
  }
  if (status == HD_OK && good) {
    status = judge_promises(&j, &good);
  }
  if (status == HD_OK && good && baseline->runs_known) {
    status = hdi_cw_count_runs(lowering, COUNTED_STATES_MAX, &out->runs, &out->runs_known);
  }
  hd_cw_lowering_free(lowering);
  if (status == HD_E_LIMIT) {
    (void)leave_undecided(&j, "the edited program is too large for a model");
    return HD_OK;
  }
  out->accepted = status == HD_OK && good;
  out->basis = out->accepted ? basis_of(&j) : NULL;
  return status;
}
