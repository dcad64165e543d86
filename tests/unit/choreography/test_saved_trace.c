/* Saved traces: written, read, run, refused. */
#include "frontends/choreography/explain.h"

#include "frontends/choreography/frontend.h"
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

static const char file_transfer[] = "tests/cases/choreography/file_transfer.chor";

/* Replays `trace` on the input of `run`; returns the status and leaves the result in *result. */
static hd_status replay(const run_text *run, const char *trace, hd_diag *diag, hd_result **result) {
  hd_text *text = NULL;
  cr_assert_eq(hd_text_from_bytes("t.json", trace, strlen(trace), &text), HD_OK);
  *result = hd_result_new(HD_COMMAND_REPLAY, "f.chor");
  hd_request request = {.options = &run->options};
  hd_status status = run->frontend->replay(run->ast, text, &request, diag, *result);
  hd_text_free(text);
  return status;
}

Test(saved_trace, a_saved_trace_runs_again) {
  run_text run;
  run_text_check_file(&run, file_transfer);
  hd_result *result = NULL;
  cr_assert_not_null(run.result->trace);
  cr_assert_eq(replay(&run, run.result->trace, NULL, &result), HD_OK);
  cr_assert_eq(result->finding_count, 1u);
  cr_assert_eq(result->findings[0].length, 3u);
  cr_assert_eq(result->findings[0].trace_lines, run.result->findings[0].trace_lines);
  cr_assert_not_null(strstr(result->findings[0].trace[0].note, "P2 [ms]"));
  hd_result_free(result);
  run_text_free(&run);
}

Test(saved_trace, a_trace_that_is_wrong_is_refused_with_words) {
  static const struct {
    const char *trace, *words;
  } wrong[] = {
      {"", "expected"},
      {"{", "expected"},
      {"[]", "not a saved trace"},
      {"{\"schema\":\"heddle.trace/2\",\"frontend\":\"choreography\",\"steps\":[]}", "not a saved trace"},
      {"{\"schema\":\"heddle.trace/1\",\"frontend\":\"choreography\",\"steps\":[]}", "which system"},
      {"{\"schema\":\"heddle.trace/1\",\"frontend\":\"choreography\",\"bound\":0,\"semantics\":\"p2p\",\"steps\":[]}",
       "which system"},
      {"{\"schema\":\"heddle.trace/1\",\"frontend\":\"choreography\",\"bound\":1,\"semantics\":\"p2p\",\"steps\":[7]}",
       "step 1 of the trace is malformed"},
      {"{\"schema\":\"heddle.trace/"
       "1\",\"frontend\":\"choreography\",\"bound\":1,\"semantics\":\"p2p\",\"steps\":[{\"actor\":\"P1\","
       "\"action\":\"send\",\"label\":\"mc\",\"peer\":\"P2\"}]}",
       "step 1 of the trace, P1 send mc to P2, is not possible"},
  };
  run_text run;
  run_text_check_file(&run, file_transfer);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    hd_result *result = NULL;
    hd_diag *diag = hd_diag_new();
    cr_assert_eq(replay(&run, wrong[i].trace, diag, &result), HD_E_INPUT, "%s", wrong[i].trace);
    cr_assert_eq(hd_diag_count(diag), 1u);
    const hd_diagnostic *found = hd_diag_get(diag, 0);
    cr_assert(strstr(found->message, wrong[i].words) != NULL ||
                  (found->hint != NULL && strstr(found->hint, wrong[i].words) != NULL),
              "%s: %s", wrong[i].trace, found->message);
    hd_diag_free(diag);
    hd_result_free(result);
  }
  run_text_free(&run);
}

/* Values beyond a signed 32-bit number survive. */
Test(saved_trace, keeps_a_large_bound_and_the_semantics) {
  static const uint32_t bounds[] = {1, 7, INT32_MAX, (uint32_t)INT32_MAX + 1, UINT32_MAX};
  run_text run;
  run_text_check_file(&run, file_transfer);
  hd_system *system = NULL;
  hd_lowering *lowering = NULL;
  cr_assert_eq(hd_project(run.ast->file, &(hd_subset_limits){.states_max = 100}, &system), HD_OK);
  cr_assert_eq(hd_lower_system(system, NULL, NULL, 1, HD_P2P, false, &lowering), HD_OK);
  hd_trace *trace = hd_trace_begin(lowering->model, 0);
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    hd_lowering other = *lowering; /* only its name is asked for */
    other.bound = bounds[i];
    const char *saved = hd_explain_saved_trace(&other, trace, run.result->arena);
    cr_assert_not_null(saved);
    hd_text *text = NULL;
    cr_assert_eq(hd_text_from_bytes("t.json", saved, strlen(saved), &text), HD_OK);
    uint32_t bound = 0;
    hd_semantics semantics = HD_MAILBOX;
    cr_assert_eq(hd_saved_trace_settings(text, NULL, &bound, &semantics), HD_OK, "%s", saved);
    cr_assert_eq(bound, bounds[i]);
    cr_assert_eq(semantics, HD_P2P);
    hd_text_free(text);
  }
  hd_trace_free(trace);
  hd_lowering_free(lowering);
  hd_system_free(system);
  run_text_free(&run);
}
