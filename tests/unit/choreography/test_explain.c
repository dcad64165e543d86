/* Runs in words. */
#include "frontends/choreography/explain.h"

#include "frontends/choreography/frontend.h"
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

static const char file_transfer[] = "tests/cases/choreography/file_transfer.chor";

Test(explain, a_trace_is_told_in_the_source_s_terms) {
  run_text run;
  run_text_check_file(&run, file_transfer);
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

Test(explain, a_peer_that_waits_and_has_no_room_gets_one_sentence_for_both) {
  static const char *const fsa =
      ".outputs C\n.state graph\nc0 S ? late c1\nc0 S ! more c2\n.marking c0\n.end\n"
      ".outputs S\n.state graph\ns0 C ? more s0\n.marking s0\n.end\n"
      ".outputs T\n.state graph\nt0 S ! stock t1\n.marking t0\n.end\n";
  run_text run;
  run_text_init(&run);
  run_text_command(&run, HD_COMMAND_CHECK, "t.fsa", fsa);
  cr_assert_eq(run.status, HD_OK);
  cr_assert_eq(run.result->findings[0].detail_count, 3u);
  cr_assert_str_eq(run.result->findings[0].details[1],
                   "C waits for late from S; it also wants to send more to S, where there is no room");
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
  cr_assert_eq(hd_lower_system(system, NULL, NULL, 1, HD_MAILBOX, false, &lowering), HD_OK);
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
