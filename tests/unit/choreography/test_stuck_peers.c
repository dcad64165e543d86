/* `check --stuck-peers`: peers that wait for ever while others go on; random choreographies against a plain reference.
 */
#include "core/explore/bottom.h"
#include "frontends/choreography/frontend.h"
#include "frontends/drive.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"
#include "tests/support/run_text.h"
#include "tests/unit/explore/bottom_reference.h"

#include <stdlib.h>
#include <string.h>

/* A either starts an endless exchange with B, or tells C to stop: then C waits in vain. */
static const char *const gossip =
    "choreography Gossip\n"
    "state s0:\n  A -> B : start => s1\n  A -> C : stop => s3\n"
    "state s1:\n  B -> A : more => s2\n"
    "state s2:\n  A -> B : again => s1\n"
    "final state s3:\n";

static void check(run_text *run, const char *name, const char *text, bool stuck_peers) {
  run_text_init(run);
  run->options.stuck_peers = stuck_peers;
  run_text_command(run, HD_COMMAND_CHECK, name, text);
  cr_assert_eq(run->status, HD_OK);
}

static const char *fact(const run_text *run, const char *name) {
  for (size_t i = 0; i < run->result->fact_count; i++) {
    if (strcmp(run->result->facts[i].name, name) == 0) {
      return run->result->facts[i].text;
    }
  }
  return NULL;
}

Test(stuck_peers, one_waits_while_two_go_on) {
  run_text run;
  check(&run, "gossip.chor", gossip, false);
  cr_assert_eq(run.result->verdict, HD_VERDICT_HOLDS, "nobody asked");
  cr_assert_null(fact(&run, "stuck_peers"));
  run_text_free(&run);
  check(&run, "gossip.chor", gossip, true);
  const hd_result *result = run.result;
  cr_assert_eq(result->verdict, HD_VERDICT_VIOLATED);
  cr_assert_str_eq(fact(&run, "stuck_peers"), "C");
  cr_assert_eq(result->finding_count, 1u);
  const hd_finding *finding = &result->findings[0];
  cr_assert_str_eq(finding->kind, "stuck-peer");
  cr_assert_eq(finding->code, HD_DIAG_STUCK_PEER);
  cr_assert_str_eq(finding->message, "C can never move again, while A and B go on for ever");
  cr_assert_eq(finding->length, 1u, "one send: start");
  cr_assert_eq(finding->detail_count, 2u);
  cr_assert_str_eq(finding->details[1], "C waits for stop from A");
  cr_assert_geq(finding->cycle, 2u);
  cr_assert_eq(finding->trace_lines - (finding->cycle - 1), 4u, "once round: two messages, sent and received");
  cr_assert_not_null(result->trace, "the run can be saved");
  cr_assert_not_null(strstr(result->basis, "stuck peers: I_1 explored completely"));
  cr_assert_str_eq(result->scope, "with queues of length 1");
  hd_buffer text = {0};
  cr_assert_eq(hd_result_print_text(result, &text, false, 1), HD_OK);
  cr_assert_not_null(strstr(text.data, "    and from here round for ever:\n"));
  hd_buffer_free(&text);
  run_text_free(&run);
}

/* Each of these has no stuck peer, for another reason. */
Test(stuck_peers, who_may_stop_or_has_done_its_part_is_not_stuck) {
  static const char *const texts[] = {
      /* C may stop: the state in which the others go round is final */
      ("state s0:\n  A -> B : start => s1\n  A -> C : stop => s3\n"
       "final state s1:\n  B -> A : more => s2\nstate s2:\n  A -> B : again => s1\nfinal state s3:\n"),
      /* C has done its part and nothing is left for it to do */
      "state s0:\n  A -> C : done => s1\nstate s1:\n  B -> A : more => s2\nstate s2:\n  A -> B : again => s1\n",
      /* A may tell C at any time */
      "state s0:\n  A -> B : start => s1\n  A -> C : stop => s3\nstate s1:\n  B -> A : more => s0\nfinal state s3:\n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    run_text run;
    check(&run, "t.chor", texts[i], true);
    cr_assert_str_eq(fact(&run, "stuck_peers"), "none", "text %zu", i);
    for (size_t f = 0; f < run.result->finding_count; f++) {
      cr_assert_str_neq(run.result->findings[f].kind, "stuck-peer");
    }
    if (run.result->verdict == HD_VERDICT_HOLDS) {
      cr_assert_str_eq(run.result->scope, "for queues of length 1");
      cr_assert_not_null(strstr(run.result->basis, "stuck peers"));
    }
    run_text_free(&run);
  }
}

/* B and C play ping-pong; A, which may not stop, has filled its queue to D, which never reads. */
Test(stuck_peers, a_sender_without_room_is_stuck_too) {
  static const char *const fsa =
      ".outputs A\n.state graph\na0 D ! x a0\n.marking a0\n.end\n"
      ".outputs B\n.state graph\nb0 C ! p b1\nb1 C ? q b0\n.marking b0\n.end\n"
      ".outputs C\n.state graph\nc0 B ? p c1\nc1 B ! q c0\n.marking c0\n.end\n"
      ".outputs D\n.state graph\nd0 A ? y d1\n.marking d0\n.end\n";
  run_text run;
  check(&run, "t.fsa", fsa, true);
  cr_assert_eq(run.result->verdict, HD_VERDICT_VIOLATED);
  cr_assert_str_eq(fact(&run, "stuck_peers"), "A and D");
  const hd_finding *finding = &run.result->findings[0];
  cr_assert_eq(finding->length, 0u, "D waits in vain from the start");
  cr_assert_str_eq(finding->message, "D can never move again, while B and C go on for ever");
  run_text_free(&run);
}

Test(stuck_peers, limits_are_told) {
  run_text run;
  run_text_init(&run);
  run.options.stuck_peers = true;
  run.options.depth = 1;
  run_text_command(&run, HD_COMMAND_CHECK, "gossip.chor", gossip);
  cr_assert_eq(run.status, HD_OK);
  cr_assert_eq(run.result->verdict, HD_VERDICT_INCONCLUSIVE, "the diamond excludes stuck configurations only");
  cr_assert_str_eq(fact(&run, "stuck_peers"), "not decided");
  cr_assert_not_null(strstr(run.result->not_covered, "peers that wait for ever"));
  cr_assert_not_null(strstr(run.result->not_covered, "depth limit"));
  run_text_free(&run);
}

Test(stuck_peers, a_published_answer_has_no_search) {
  hd_options options;
  hd_diag *diag = hd_diag_new();
  cr_assert_not_null(diag);
  hd_options_init(&options);
  options.as_published = options.stuck_peers = true;
  cr_assert_eq(hd_drive_validate(&options, diag), HD_E_USAGE);
  options.as_published = false;
  cr_assert_eq(hd_drive_validate(&options, diag), HD_OK);
  hd_options_free(&options);
  hd_diag_free(diag);
}

Test(stuck_peers, the_same_for_every_team) {
  char *first = NULL;
  static const uint32_t teams[] = {1, 2, 3, 8};
  for (size_t t = 0; t < 4; t++) {
    run_text run;
    run_text_init(&run);
    run.options.stuck_peers = true;
    run.options.threads = teams[t];
    run_text_command(&run, HD_COMMAND_CHECK, "gossip.chor", gossip);
    char *json = run_text_comparable(&run);
    cr_assert(first == NULL || strcmp(first, json) == 0, "%u threads:\n%s\n%s", teams[t], first, json);
    run_text_free(&run);
    if (first == NULL) {
      first = json;
    } else {
      free(json);
    }
  }
  free(first);
}

/* I_k of random choreographies against components and backward reachability of the explicit graph. */
Test(stuck_peers, random_choreographies) {
  uint64_t found = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    char *bytes = hd_random_chor(seed, 3, 6);
    hd_text *text = NULL;
    hd_ast *ast = NULL;
    hd_diag *diag = hd_diag_new();
    cr_assert_eq(hd_text_from_bytes("random.chor", bytes, strlen(bytes), &text), HD_OK);
    cr_assert_eq(hd_frontend_choreography.parse(text, diag, &ast), HD_OK);
    hd_options options;
    hd_options_init(&options);
    hd_request request = {.options = &options};
    hdi_subject subject;
    cr_assert_eq(hdi_subject_make(ast, false, &request, &subject), HD_OK);
    hd_lowering *lowering = NULL;
    hd_semantics semantics = seed % 2 == 0 ? HD_MAILBOX : HD_P2P;
    cr_assert_eq(hd_lower_system(subject.system, NULL, NULL, 1, semantics, false, &lowering), HD_OK);
    hd_bottom_query query = {.must_go_on = hd_stuck_must_go_on, .context = lowering, .going_on = true};
    hd_bottom_outcome outcome;
    run_bottom(lowering->model, &query, &outcome);
    check_against_reference(lowering->model, &query, &outcome);
    found += outcome.found[1].count != 0;
    hd_bottom_outcome_clear(&outcome);
    hd_lowering_free(lowering);
    hdi_subject_clear(&subject);
    hd_options_free(&options);
    hd_frontend_choreography.free_ast(ast);
    hd_diag_free(diag);
    hd_text_free(text);
    free(bytes);
  }
  cr_assert_gt(found, 5, "%llu with a stuck peer", (unsigned long long)found);
}
