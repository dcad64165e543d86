/* Runs in words, saved traces and drawings. */
#include "frontends/choreography/explain.h"

#include "frontends/choreography/frontend.h"
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

#include <stdlib.h>

static void check_file_transfer(run_text *run) {
  char *text = run_text_load("tests/cases/choreography/file_transfer.chor");
  cr_assert_not_null(text);
  run_text_init(run);
  run_text_command(run, HD_COMMAND_CHECK, "f.chor", text);
  cr_assert_eq(run->status, HD_OK);
  cr_assert_geq(run->result->finding_count, 1u);
  free(text);
}

Test(explain, a_trace_is_told_in_the_source_s_terms) {
  run_text run;
  check_file_transfer(&run);
  const hd_finding *finding = &run.result->findings[0];
  cr_assert_str_eq(finding->trace[0].actor, "P1");
  cr_assert_str_eq(finding->trace[0].action, "send");
  cr_assert_str_eq(finding->trace[0].label, "ms");
  cr_assert_str_eq(finding->trace[0].peer, "P2");
  cr_assert_eq(finding->trace[0].position.line, 3u);
  uint64_t visible = 0;
  for (size_t i = 0; i < finding->trace_lines; i++) {
    visible += finding->trace[i].visible;
    cr_assert_eq(finding->trace[i].visible, strcmp(finding->trace[i].action, "send") == 0);
  }
  cr_assert_eq(visible, finding->length);
  run_text_free(&run);
}

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

Test(explain, a_saved_trace_runs_again) {
  run_text run;
  check_file_transfer(&run);
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

Test(explain, a_trace_that_is_wrong_is_refused_with_words) {
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
  check_file_transfer(&run);
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

Test(explain, a_drawing_shows_the_run_and_what_left_the_choreography) {
  run_text run;
  check_file_transfer(&run);
  const char *dot = run.result->dot;
  cr_assert_not_null(dot);
  cr_assert_not_null(strstr(dot, "\"P2 -> P1 : mf\",color=red"));
  cr_assert_not_null(strstr(dot, "not in the choreography"));
  cr_assert_null(strstr(dot, "\"P1 -> P2 : mc\",color=red"));
  run_text_free(&run);
}
