/* `heddle explore`, `heddle project` and `heddle replay` for choreographies and machines. */
#include "frontends/choreography/explain.h"
#include "frontends/choreography/frontend.h"

#include <string.h>

hd_status hdi_choreography_explore(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result) {
  const hd_options *options = request->options;
  hd_semantics semantics = (hd_semantics)options->semantics;
  hdi_subject subject;
  hd_lowering *lowering = NULL;
  hd_status status = hdi_subject_make(ast, false, request, &subject);
  if (status == HD_OK) {
    status = hd_lower_system(subject.system, NULL, NULL, options->bound, semantics, options->reduction, &lowering);
  }
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  if (status == HD_OK) {
    hd_search search;
    hdi_search_init(lowering, request, &search);
    status = hdi_explore(&search, diag, &outcome);
  }
  if (status == HD_OK) {
    hd_result_take_outcome(result, &outcome, hdi_stuck_count(&outcome));
    result->bound = options->bound;
    result->searched = hdi_searched(lowering, &outcome, result);
    result->semantics = hdi_semantics_name(semantics);
    result->not_covered = hdi_not_covered(&outcome, result);
    if (result->not_covered != NULL) {
      result->verdict = HD_VERDICT_INCONCLUSIVE;
    }
    status = hdi_add_stuck_findings(lowering, &outcome, result);
  }
  if (status == HD_OK) {
    const hd_trace *trace = NULL;
    for (uint32_t kind = 1; kind < HD_STUCK_COUNT && trace == NULL; kind++) {
      trace = outcome.found[HD_SLOT_STOP(kind)].trace;
    }
    status = hdi_set_emits(ast, lowering, trace, result);
  }
  hd_outcome_clear(&outcome);
  hd_lowering_free(lowering);
  hdi_subject_clear(&subject);
  return status;
}

static hd_status find_peer(const hd_system *system, const char *name, hd_diag *diag, hd_peer *out) {
  *out = (hd_peer){HD_NONE};
  if (name == NULL || *name == '\0') {
    return HD_OK;
  }
  for (uint32_t p = 0; p < system->alphabet.peer_count; p++) {
    if (strcmp(system->alphabet.peers[p], name) == 0) {
      *out = (hd_peer){p};
      return HD_OK;
    }
  }
  hd_buffer known = {0};
  for (uint32_t p = 0; p < system->alphabet.peer_count; p++) {
    hd_buffer_printf(&known, "%s%s", p == 0 ? "expected one of " : ", ", system->alphabet.peers[p]);
  }
  hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, known.failed ? NULL : known.data, "there is no peer %s",
              name);
  hd_buffer_free(&known);
  return HD_E_USAGE;
}

hd_status hdi_choreography_project(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_buffer *out) {
  const hd_options *options = request->options;
  hdi_subject subject;
  hd_peer peer = {HD_NONE};
  hd_status status = hdi_subject_make(ast, false, request, &subject);
  if (status == HD_OK) {
    status = find_peer(subject.system, options->peer, diag, &peer);
  }
  if (status == HD_OK && options->to == HD_TO_AUT && peer.v == HD_NONE) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, "say which with --peer NAME",
                "an .aut file holds one machine");
    status = HD_E_USAGE;
  }
  if (status == HD_OK) {
    switch ((hd_target)options->to) {
      case HD_TO_FSA:
        hd_fsa_print(subject.system, peer, out);
        break;
      case HD_TO_DOT:
        hd_machine_print_dot(subject.system, peer, out);
        break;
      case HD_TO_AUT:
        hd_machine_print_aut(subject.system, peer, out);
        break;
      case HD_TO_PROMELA:
      case HD_TO_MURPHI:
      case HD_TO_CHOR:
        hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, "heddle convert writes whole systems",
                    "a projection is written as fsa, dot or aut");
        hdi_subject_clear(&subject);
        return HD_E_USAGE;
    }
    status = out->failed ? HD_E_NOMEM : HD_OK;
  }
  hdi_subject_clear(&subject);
  return status;
}

/* The words after the last step: whether the run may go on, has ended, or is stuck and how. */
static bool stop_at_first(void *payload, const uint64_t *next, const hd_step *step) {
  (void)next;
  (void)step;
  *(bool *)payload = true;
  return false;
}

static hd_status describe_end(const hd_lowering *lowering, const hd_trace *trace, hd_finding *finding,
                              hd_arena *arena) {
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
  uint32_t stuck = moves ? HD_STUCK_NONE : hd_stuck_classify(lowering, lowering->model, state);
  finding->message = moves ? "the trace runs; the system can go on from its end"
                     : stuck == HD_STUCK_NONE
                         ? "the trace runs; it ends where every peer may stop"
                         : hd_arena_printf(arena, "the trace runs; it ends stuck: %s", hd_stuck_name((hd_stuck)stuck));
  return finding->message == NULL ? HD_E_NOMEM : HD_OK;
}

hd_status hdi_choreography_replay(const hd_ast *ast, const hd_text *text, const hd_request *request, hd_diag *diag,
                                  hd_result *result) {
  hdi_subject subject = {0};
  hd_lowering *lowering = NULL;
  hd_trace *trace = NULL;
  uint32_t bound = 1;
  hd_semantics semantics = HD_MAILBOX;
  hd_status status = hd_saved_trace_settings(text, diag, &bound, &semantics);
  if (status == HD_OK) {
    status = hdi_subject_make(ast, false, request, &subject);
  }
  if (status == HD_OK) {
    status = hd_lower_system(subject.system, NULL, NULL, bound, semantics, false, &lowering);
  }
  if (status == HD_OK) {
    status = hd_saved_trace_run(lowering, text, diag, &trace);
  }
  hd_finding *finding = status == HD_OK ? hd_result_add_finding(result) : NULL;
  if (status == HD_OK) {
    status = finding == NULL ? HD_E_NOMEM : hd_explain_trace(lowering, trace, true, result, finding);
  }
  if (status == HD_OK) {
    finding->kind = "replay";
    finding->code = HD_DIAG_REPLAYED;
    result->bound = bound;
    result->semantics = hdi_semantics_name(semantics);
    status = describe_end(lowering, trace, finding, result->arena);
  }
  hd_trace_free(trace);
  hd_lowering_free(lowering);
  hdi_subject_clear(&subject);
  return status;
}
