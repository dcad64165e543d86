/* `heddle check` for Cwhile programs.
 *
 *   1. every interleaving, reduced unless --no-reduction, up to the first level with a finding (--all: to the end)
 *   2. something was found and the search was reduced: again without reduction, because only then runs are shortest
 *   3. --fewest-switches: the same on the model that counts switches, whose levels are switches
 *   4. nothing was found and some thread can go on for ever: are there threads that must end and never move again?
 *   5. a failed assertion or a fault: is there such a run without any preemption (schedule.c)?
 *
 * "Holds" is said after complete searches only. One command runs on one thread and starts teams of its own. */
#include "core/explore/bottom.h"
#include "frontends/cwhile/explain.h"
#include "frontends/cwhile/frontend.h"

#include <string.h>

typedef struct check_run {
  const hd_ast *ast;
  const hd_request *request;
  hd_diag *diag;
  hd_result *result;
  hd_cw_lowering *lowering; /* of the runs that are told */
  hd_outcome outcome;
} check_run;

static void stop_at_findings(hd_search *search) {
  search->stop_slots[0] = search->trace_slots[0];
  search->stop_slots[1] = search->trace_slots[1];
}

static bool any_found(const hd_outcome *outcome) {
  for (int kind = 0; kind < HDI_CW_FINDING_COUNT; kind++) {
    if (hdi_cw_found(outcome, (hdi_cw_finding)kind) != NULL) {
      return true;
    }
  }
  return false;
}

static hd_status lower(check_run *run, bool count_switches) {
  hd_cw_lower_options options = {.access = run->request->options->granularity != 0, .count_switches = count_switches};
  hd_cw_lowering *lowering = NULL;
  hd_status status = hd_cw_lower(run->ast->program, &options, &lowering);
  if (status == HD_OK) {
    hd_cw_lowering_free(run->lowering);
    run->lowering = lowering;
  }
  return status;
}

/* Searches again for runs to tell; keeps what was found before when this search finds nothing in its time. */
static hd_status search_again(check_run *run, bool count_switches) {
  hd_cw_lowering *old = run->lowering;
  run->lowering = NULL;
  hd_status status = lower(run, count_switches);
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  if (status == HD_OK) {
    hd_search search;
    hdi_cw_search_init(run->lowering, run->request, &search);
    search.order = HD_ORDER_LEVELS;
    if (!run->request->options->all) {
      stop_at_findings(&search);
    }
    status = hdi_cw_run(&search, run->diag, &outcome);
  }
  if (status == HD_OK && any_found(&outcome)) {
    hd_outcome_clear(&run->outcome);
    hd_cw_lowering_free(old);
    run->outcome = outcome;
    return HD_OK;
  }
  hd_outcome_clear(&outcome);
  hd_cw_lowering_free(run->lowering);
  run->lowering = old;
  return status;
}

static hd_status search(check_run *run) {
  const hd_options *options = run->request->options;
  hd_status status = lower(run, false);
  if (status != HD_OK) {
    return status;
  }
  hd_search search;
  hdi_cw_search_init(run->lowering, run->request, &search);
  search.reduction = options->reduction ? HD_REDUCE_FOR_CHECKS : HD_REDUCE_NOTHING;
  if (!options->all) {
    stop_at_findings(&search);
  }
  status = hdi_cw_run(&search, run->diag, &run->outcome);
  if (status != HD_OK) {
    return status;
  }
  hd_result_take_outcome(run->result, &run->outcome, run->outcome.found[HD_SLOT_STOP(HD_CW_STOP_DEADLOCK)].count);
  hdi_cw_note(run->request, &run->outcome, run->result);
  bool found = any_found(&run->outcome);
  if (found && (options->fewest_switches || run->outcome.reduction != HD_REDUCE_NOTHING)) {
    status = search_again(run, options->fewest_switches);
  }
  return status;
}

/* ---- telling ---- */

static hd_status set_emits(check_run *run, const hd_trace *trace) {
  hd_result *result = run->result;
  bool access = run->request->options->granularity != 0;
  result->dot = hdi_cw_draw(run->lowering, trace, result->arena);
  if (trace != NULL) {
    result->trace = hdi_cw_saved_trace(run->lowering, trace, access, result->arena);
  }
  return result->dot == NULL || (trace != NULL && result->trace == NULL) ? HD_E_NOMEM : HD_OK;
}

static hd_status add_findings(check_run *run) {
  hd_status status = HD_OK;
  const hd_trace *first = NULL;
  for (int kind = 0; kind < HDI_CW_FINDING_COUNT && status == HD_OK; kind++) {
    const hd_found *found = hdi_cw_found(&run->outcome, (hdi_cw_finding)kind);
    if (found != NULL) {
      status = hdi_cw_add_finding(run->lowering, (hdi_cw_finding)kind, found, run->result);
      first = first == NULL ? found->trace : first;
    }
  }
  if (status == HD_OK && run->request->options->fewest_switches && first != NULL) {
    hd_result_add_number(run->result, "context_switches", hdi_cw_switches(first));
  }
  return status == HD_OK ? set_emits(run, first) : status;
}

/* ---- threads that are left behind while others go on ---- */

static hd_status add_left_behind(check_run *run, const hd_bottom_found *found) {
  hd_found as_found = {.count = found->count, .shortest = true, .level = found->level, .trace = found->trace};
  as_found.trace_status = found->trace_status;
  hd_status status = hdi_cw_add_finding(run->lowering, HDI_CW_FINDING_DEADLOCK, &as_found, run->result);
  if (status != HD_OK) {
    return status;
  }
  hd_finding *finding = &run->result->findings[run->result->finding_count - 1];
  finding->message = "a thread that must end never moves again, while others go on for ever";
  if (found->trace != NULL) {
    finding->length = found->reached;
    finding->position = found->reached == 0 ? (hd_position){1, 1} : finding->trace[found->reached - 1].position;
    finding->cycle = found->cycle < found->trace->length ? found->cycle + 1 : 0;
  }
  run->result->verdict = HD_VERDICT_VIOLATED;
  return set_emits(run, found->trace);
}

static hd_status check_left_behind(check_run *run) {
  hd_search search;
  hd_bottom_query query = {.must_go_on = hd_cw_must_go_on, .context = run->lowering, .going_on = true};
  hd_bottom_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  hdi_cw_search_init(run->lowering, run->request, &search);
  search.order = HD_ORDER_LEVELS;
  hd_status status = hd_bottom_search(&search, &query, &outcome);
  hd_result *result = run->result;
  if (status == HD_OK) {
    result->seconds += outcome.seconds;
    if (outcome.end != HD_END_COMPLETE) {
      result->verdict = HD_VERDICT_INCONCLUSIVE;
      result->not_covered = hd_arena_printf(result->arena, "threads that wait for ever while others go on: %s",
                                            hd_end_words(outcome.end));
    } else if (outcome.found[HD_CW_STOP_DEADLOCK].count > 0) {
      status = add_left_behind(run, &outcome.found[HD_CW_STOP_DEADLOCK]);
    }
  }
  hd_bottom_outcome_clear(&outcome);
  return status;
}

static hd_status conclude(check_run *run) {
  hd_result *result = run->result;
  if (any_found(&run->outcome)) {
    result->verdict = HD_VERDICT_VIOLATED;
    result->not_covered = NULL;
    return add_findings(run);
  }
  const char *bounds = hdi_cw_bounds_met(&run->outcome, result);
  if (run->outcome.end != HD_END_COMPLETE || bounds != NULL) {
    result->verdict = HD_VERDICT_INCONCLUSIVE;
    result->not_covered = bounds != NULL ? bounds : result->not_covered;
    return set_emits(run, NULL);
  }
  result->verdict = HD_VERDICT_HOLDS;
  result->basis = run->outcome.reduction == HD_REDUCE_NOTHING
                      ? "every interleaving explored"
                      : "every interleaving explored, independent steps in one order (stubborn sets)";
  hd_status status = set_emits(run, NULL);
  return status == HD_OK && run->lowering->has_loop ? check_left_behind(run) : status;
}

hd_status hdi_cw_check(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result) {
  check_run run = {.ast = ast, .request = request, .diag = diag, .result = result};
  hd_status status = search(&run);
  if (status == HD_OK) {
    status = conclude(&run);
  }
  bool assertion = status == HD_OK && hdi_cw_found(&run.outcome, HDI_CW_FINDING_ASSERTION) != NULL;
  for (int kind = HDI_CW_FINDING_OUT_OF_RANGE; kind < HDI_CW_FINDING_COUNT && status == HD_OK; kind++) {
    assertion = assertion || hdi_cw_found(&run.outcome, (hdi_cw_finding)kind) != NULL;
  }
  if (status == HD_OK && assertion) {
    status = hdi_cw_check_schedules(ast, request, diag, result);
  }
  hd_outcome_clear(&run.outcome);
  hd_cw_lowering_free(run.lowering);
  return status;
}
