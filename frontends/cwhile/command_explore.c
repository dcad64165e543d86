/* `heddle explore`, `heddle convert` and `heddle replay` for Cwhile programs.
 *
 * explore --no-reduction counts as docs/cwhile-language.md says, `err` kept: states, transitions, deadlocks, states in
 * which an assertion has failed. Without it independent steps are taken in one order, and no `err` is kept. */
#include "core/report/print_model.h"
#include "frontends/cwhile/explain.h"
#include "frontends/cwhile/frontend.h"

#include <string.h>

static bool is_access(const hd_request *request) {
  return request->options->granularity != 0;
}

static hd_status add_findings(const hd_cw_lowering *lowering, const hd_outcome *outcome, bool access,
                              hd_result *result) {
  const hd_trace *first = NULL;
  hd_status status = HD_OK;
  for (int kind = 0; kind < HDI_CW_FINDING_COUNT && status == HD_OK; kind++) {
    const hd_found *found = hdi_cw_found(outcome, (hdi_cw_finding)kind);
    if (found != NULL) {
      status = hdi_cw_add_finding(lowering, (hdi_cw_finding)kind, found, result);
      first = first == NULL ? found->trace : first;
    }
  }
  result->dot = hdi_cw_draw(lowering, first, result->arena);
  if (first != NULL) {
    result->trace = hdi_cw_saved_trace(lowering, first, access, result->arena);
  }
  return status != HD_OK                                                   ? status
         : result->dot == NULL || (first != NULL && result->trace == NULL) ? HD_E_NOMEM
                                                                           : HD_OK;
}

hd_status hdi_cw_explore(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result) {
  bool reduced = request->options->reduction;
  hd_cw_lower_options options = {.keep_err = !reduced, .access = is_access(request)};
  hd_cw_lowering *lowering = NULL;
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  hd_status status = hd_cw_lower(ast->program, &options, &lowering);
  if (status == HD_OK) {
    hd_search search;
    hdi_cw_search_init(lowering, request, &search);
    search.reduction = reduced ? HD_REDUCE_FOR_CHECKS : HD_REDUCE_NOTHING;
    if (!reduced) {
      search.predicate = hd_cw_predicate;
      search.predicate_count = 1;
      search.predicate_context = lowering;
    }
    status = hdi_cw_run(&search, diag, &outcome);
  }
  if (status == HD_OK) {
    hd_result_take_outcome(result, &outcome, outcome.found[HD_SLOT_STOP(HD_CW_STOP_DEADLOCK)].count);
    result->has_error_states = !reduced;
    result->error_states = outcome.found[HD_SLOT_PREDICATE(0)].count;
    hdi_cw_note(request, &outcome, result);
    const char *bounds = hdi_cw_bounds_met(&outcome, result);
    result->not_covered = bounds != NULL ? bounds : result->not_covered;
    result->verdict = result->not_covered != NULL ? HD_VERDICT_INCONCLUSIVE : HD_VERDICT_NONE;
    status = add_findings(lowering, &outcome, is_access(request), result);
  }
  hd_outcome_clear(&outcome);
  hd_cw_lowering_free(lowering);
  return status;
}

/* ---- convert ---- */

static hd_status refuse(hd_diag *diag, const char *why, const char *hint) {
  hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, hint, "%s", why);
  return HD_E_USAGE;
}

hd_status hdi_cw_convert(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_buffer *out) {
  hd_target to = (hd_target)request->options->to;
  if (to == HD_TO_FSA || to == HD_TO_AUT || to == HD_TO_CHOR) {
    return refuse(diag, "a program of threads is no choreography", "-t dot, promela or murphi");
  }
  hd_cw_lower_options options = {.keep_err = true, .access = is_access(request)};
  hd_cw_lowering *lowering = NULL;
  hd_status status = hd_cw_lower(ast->program, &options, &lowering);
  const char *why = NULL;
  if (status == HD_OK && to == HD_TO_DOT) {
    hd_arena *arena = hd_arena_new();
    const char *drawing = arena == NULL ? NULL : hdi_cw_draw(lowering, NULL, arena);
    hd_buffer_add_text(out, drawing == NULL ? "" : drawing);
    status = drawing == NULL || out->failed ? HD_E_NOMEM : HD_OK;
    hd_arena_free(arena);
  } else if (status == HD_OK && to == HD_TO_PROMELA) {
    status = hd_model_print_promela(lowering->model, out, &why);
  } else if (status == HD_OK) {
    status = hd_model_print_murphi(lowering->model, out, &why);
  }
  hd_cw_lowering_free(lowering);
  return why == NULL ? status : refuse(diag, why, "this language cannot say it");
}

/* ---- replay ---- */

static bool stop_at_first(void *payload, const uint64_t *next, const hd_step *step) {
  (void)next;
  (void)step;
  *(bool *)payload = true;
  return false;
}

static hd_status describe_end(const hd_cw_lowering *lowering, const hd_trace *trace, hd_finding *finding) {
  const uint64_t *state = trace->states + trace->length * trace->words;
  hd_stepper *stepper = hd_stepper_new(lowering->model, NULL);
  if (stepper == NULL) {
    return HD_E_NOMEM;
  }
  bool moves = false;
  hd_status status = hd_stepper_run(stepper, state, HD_WEIGHT_ANY, stop_at_first, &moves);
  hd_stepper_free(stepper);
  if (status != HD_OK && status != HD_E_CANCELLED) {
    return status;
  }
  bool failed = false, fault = trace->length > 0 && trace->steps[trace->length - 1].fault != HD_FAULT_NONE;
  for (size_t i = 0; i < trace->length; i++) {
    failed = failed || trace->steps[i].checks_failed != 0;
  }
  bool deadlock = !moves && hd_cw_classify(lowering, lowering->model, state) == HD_CW_STOP_DEADLOCK;
  finding->message = fault      ? "the trace runs; it ends in an error"
                     : failed   ? "the trace runs; an assertion fails in it"
                     : moves    ? "the trace runs; the program can go on from its end"
                     : deadlock ? "the trace runs; it ends in a deadlock"
                                : "the trace runs; it ends where no thread has to go on";
  return HD_OK;
}

hd_status hdi_cw_replay(const hd_ast *ast, const hd_text *text, const hd_request *request, hd_diag *diag,
                        hd_result *result) {
  (void)request;
  hd_cw_lower_options options = {.keep_err = false};
  hd_cw_lowering *lowering = NULL;
  hd_trace *trace = NULL;
  hd_status status = hdi_cw_saved_settings(text, diag, &options.access);
  if (status == HD_OK) {
    status = hd_cw_lower(ast->program, &options, &lowering);
  }
  if (status == HD_OK) {
    status = hdi_cw_saved_run(lowering, text, diag, &trace);
  }
  hd_finding *finding = status == HD_OK ? hd_result_add_finding(result) : NULL;
  if (status == HD_OK) {
    status = finding == NULL ? HD_E_NOMEM : hdi_cw_explain_trace(lowering, trace, result, finding);
  }
  if (status == HD_OK) {
    finding->kind = "replay";
    finding->code = HD_DIAG_REPLAYED;
    status = describe_end(lowering, trace, finding);
  }
  hd_trace_free(trace);
  hd_cw_lowering_free(lowering);
  return status;
}
