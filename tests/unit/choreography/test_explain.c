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

Test(explain, a_stuck_configuration_says_what_each_peer_waits_for) {
  static const char *const fsa =
      ".outputs Client\n.state graph\nc0 Server ! body c1\nc1 Server ! header c2\n.marking c0\n.end\n"
      ".outputs Server\n.state graph\ns0 Client ? header s1\ns1 Client ? body s2\n.marking s0\n.end\n";
  run_text run;
  run_text_init(&run);
  run_text_command(&run, HD_COMMAND_CHECK, "t.fsa", fsa);
  cr_assert_eq(run.status, HD_OK);
  cr_assert_eq(run.result->finding_count, 1u);
  const hd_finding *finding = &run.result->findings[0];
  cr_assert_eq(finding->detail_count, 3u);
  cr_assert_str_eq(finding->details[0], "the configuration: Client at c1, Server at s0; queued: Server [body]");
  cr_assert_str_eq(finding->details[1], "Client wants to send header to Server, where there is no room");
  cr_assert_str_eq(finding->details[2], "Server waits for header from Client; it cannot read body from Client");
  run_text_free(&run);
}

Test(explain, long_local_states_and_many_stuck_peers_are_cut_with_their_number) {
  hd_buffer fsa = {0}; /* 12 peers that wait for each other in a ring */
  for (unsigned i = 0; i < 12; i++) {
    hd_buffer_printf(&fsa, ".outputs P%u\n.state graph\na%u P%u ? m b%u\nb%u P%u ! m a%u\n.marking a%u\n.end\n", i, i,
                     (i + 11) % 12, i, i, (i + 1) % 12, i, i);
  }
  run_text run;
  run_text_init(&run);
  run_text_command(&run, HD_COMMAND_CHECK, "t.fsa", fsa.data);
  cr_assert_eq(run.status, HD_OK);
  const hd_finding *finding = &run.result->findings[0];
  cr_assert_eq(finding->detail_count, 1u + HD_STUCK_PEERS_MAX + 1u);
  cr_assert_str_eq(finding->details[HD_STUCK_PEERS_MAX + 1], "and 4 more peers may not stop");
  run_text_free(&run);
  hd_buffer_free(&fsa);

  hd_buffer chor = {0}; /* Z sees nothing of a long exchange, then a message it must answer */
  for (unsigned i = 0; i < 12; i++) {
    hd_buffer_printf(&chor, "state aLongStateName%u:\n  A -> B : x%u => aLongStateName%u\n", i, i, i + 1);
  }
  hd_buffer_add_text(&chor, "state aLongStateName12:\n  Z -> A : z => end\n");
  run_text_init(&run);
  run_text_command(&run, HD_COMMAND_CHECK, "t.chor", chor.data);
  hd_lowering *lowering = NULL;
  hd_system *system = NULL;
  cr_assert_eq(hd_project(run.ast->file, &(hd_subset_limits){.states_max = 100}, &system), HD_OK);
  cr_assert_eq(hd_lower_system(system, NULL, NULL, 1, HD_MAILBOX, &lowering), HD_OK);
  const uint64_t *initial;
  cr_assert_eq(hd_model_initial(lowering->model, &initial), 1u);
  const char *words = hd_explain_configuration(lowering, initial, run.result->arena);
  cr_assert_not_null(strstr(words, "Z at {aLongStateName0,aLongStateName1,aLongStateName2,... 13 states}"), "%s",
                     words);
  hd_lowering_free(lowering);
  hd_system_free(system);
  run_text_free(&run);
  hd_buffer_free(&chor);
}

Test(explain, a_stuck_configuration_whose_run_was_not_rebuilt_is_still_found) {
  run_text run;
  check_file_transfer(&run);
  hd_lowering *lowering = NULL;
  hd_system *system = NULL;
  cr_assert_eq(hd_project(run.ast->file, &(hd_subset_limits){.states_max = 100}, &system), HD_OK);
  cr_assert_eq(hd_lower_system(system, NULL, NULL, 1, HD_MAILBOX, &lowering), HD_OK);
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  outcome.found[HD_SLOT_STOP(HD_STUCK_DEADLOCK)] =
      (hd_found){.count = 3, .level = 7, .trace = NULL, .trace_status = HD_E_LIMIT};
  size_t before = run.result->finding_count;
  cr_assert_eq(hdi_add_stuck_findings(lowering, &outcome, run.result), HD_OK);
  cr_assert_eq(run.result->finding_count, before + 1);
  const hd_finding *finding = &run.result->findings[before];
  cr_assert_str_eq(finding->kind, "deadlock");
  cr_assert_not_null(finding->message);
  cr_assert_eq(finding->count, 3u);
  cr_assert_eq(finding->length, 7u);
  cr_assert_null(finding->trace);
  cr_assert_eq(finding->detail_count, 1u);
  hd_lowering_free(lowering);
  hd_system_free(system);
  run_text_free(&run);
}
