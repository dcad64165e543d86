/* The published algorithm: the figures of the paper reproduced step by step, the faults of the literal rules reported,
 * and on random inputs what each mechanism promises. */
#include "core/base/machine.h"
#include "frontends/choreography/paper.h"
#include "frontends/choreography/subset.h"
#include "tests/support/chor_input.h"
#include "tests/support/chor_reference.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_MAX = 4000 };

static chor_input input;
static hdi_paper_run run;

static hdi_paper_query make_query(hdi_paper_mechanism prefer, uint32_t steps_max) {
  return (hdi_paper_query){
      .file = input.file, .limits = {.states_max = STATES_MAX}, .steps_max = steps_max, .prefer = prefer};
}

static void repair(hdi_paper_mechanism prefer) {
  hdi_paper_query query = make_query(prefer, HDI_PAPER_STEPS_MAX);
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
}

static void close_all(void) {
  hdi_paper_run_clear(&run);
  chor_input_close(&input);
}

static bool is_named(const char *want, size_t length, const char *from, const char *message, const char *to) {
  char text[256];
  int written = snprintf(text, sizeof text, "%s %s %s", from, message, to);
  return written == (int)length && strncmp(text, want, length) == 0;
}

/* The repaired block has exactly these transitions, "from message to; ...", in any order. */
static void expect_arcs(const char *want) {
  hd_arena *arena = hd_arena_new();
  hdi_draft_view view;
  cr_assert_eq(hdi_draft_look(run.draft, arena, &view), HD_OK);
  uint32_t count = 0;
  for (const char *at = want; *at != '\0'; count++) {
    size_t length = strcspn(at, ";");
    bool found = false;
    for (uint32_t i = 0; i < view.arc_count && !found; i++) {
      const hdi_draft_arc *arc = &run.draft->arcs[view.arcs[i]];
      found = is_named(at, length, run.draft->states[arc->from].name, run.draft->alphabet.messages[arc->message.v].name,
                       run.draft->states[arc->to].name);
    }
    cr_assert(found, "missing: %.*s", (int)length, at);
    at += length + (at[length] == ';' ? 2 : 0);
  }
  cr_assert_eq(view.arc_count, count, "%u transitions instead of %u", view.arc_count, count);
  hd_arena_free(arena);
}

static void expect_message(const char *name, const char *from, const char *to) {
  const hd_alphabet *alphabet = &run.draft->alphabet;
  for (uint32_t m = 0; m < alphabet->message_count; m++) {
    if (strcmp(alphabet->messages[m].name, name) == 0) {
      cr_assert_str_eq(alphabet->peers[alphabet->messages[m].from.v], from);
      cr_assert_str_eq(alphabet->peers[alphabet->messages[m].to.v], to);
      return;
    }
  }
  cr_assert_fail("no message %s", name);
}

static void expect_step(uint32_t step, const char *words, hdi_chor_case paper_case) {
  cr_assert_lt(step, run.step_count, "only %u steps", run.step_count);
  cr_assert_str_eq(run.steps[step].difference.words, words);
  hdi_chor_case got = run.draft->edits[run.steps[step].edit].paper_case;
  cr_assert_eq(got, paper_case, "step %u is %s", step, hdi_chor_case_name(got));
}

/* L(I_1) = L(C) by the reference explorer, which shares nothing with the algorithm. */
static void expect_realizable_with(hd_semantics semantics) {
  cr_assert_eq(run.end, HDI_PAPER_END_REALIZABLE, "%s", run.reason);
  hd_chor_file *file = NULL;
  cr_assert_eq(hdi_draft_file(run.draft, false, &file), HD_OK);
  chor_reference reference = chor_reference_explore(file, 1, semantics == HD_P2P, true, 200000);
  cr_assert(reference.finished && reference.realizable);
  hd_chor_file_free(file);
}

static void expect_realizable(void) {
  expect_realizable_with(HD_MAILBOX);
}

Test(paper, figure_1b_relaxes_the_file_transfer) {
  chor_input_open_case(&input, "file_transfer");
  repair(HDI_PAPER_RELAX);
  expect_realizable();
  cr_assert_eq(run.step_count, 1u);
  expect_step(0, "ms mf mc", HDI_CASE_RELAX_1A);
  expect_arcs("s0 ms s1; s1 mf s3; s1 mc s2; s2 mf s4; s3 mc s4");
  cr_assert_eq(run.draft->cost, 1u);
  cr_assert_eq(run.draft->edits[0].kind, HDI_EDIT_ADD_ARC);
  cr_assert_str_eq(run.draft->edits[0].words, "s3 also allows P1 -> P2 : mc => s4");
  close_all();
}

Test(paper, figure_1c_restricts_the_file_transfer) {
  chor_input_open_case(&input, "file_transfer");
  repair(HDI_PAPER_RESTRICT);
  expect_realizable();
  cr_assert_eq(run.step_count, 1u);
  expect_step(0, "ms mf mc", HDI_CASE_RESTRICT_2);
  expect_arcs("s0 ms s1; s1 mf s3; s1 nm0 ns0; ns0 mc s2; s2 mf s4");
  expect_message("nm0", "P2", "P1");
  cr_assert_eq(run.draft->cost, 1u);
  cr_assert_str_eq(run.draft->edits[0].words, "in s1, P1 waits for nm0 from P2 before it sends mc");
  close_all();
}

Test(paper, figure_4_copies_the_cycle_then_joins_it) {
  chor_input_open_case(&input, "branch_into_cycle");
  repair(HDI_PAPER_RELAX);
  expect_realizable();
  cr_assert_eq(run.step_count, 2u);
  expect_step(0, "n1 m1", HDI_CASE_RELAX_1B_I);
  expect_step(1, "m1 n1", HDI_CASE_RELAX_1A);
  expect_arcs("s1 m1 s2; s1 n1 s3; s2 m2 s2; s3 m1 ns0; ns0 m2 ns0; s2 n1 ns0");
  cr_assert_eq(run.draft->edits[0].kind, HDI_EDIT_COPY_FROM);
  cr_assert_str_eq(run.draft->edits[0].words, "s3 also allows P1 -> P2 : m1 => ns0, a copy of all that follows s2");
  close_all();
}

Test(paper, figure_5_lets_both_loops_turn_alone) {
  chor_input_open_case(&input, "independent_loop");
  repair(HDI_PAPER_RELAX);
  expect_realizable();
  cr_assert_eq(run.step_count, 2u);
  expect_step(0, "n", HDI_CASE_RELAX_2A_II);
  expect_step(1, "m m", HDI_CASE_RELAX_2A_II);
  expect_arcs("t0 m t1; t1 n t0; t0 n t0; t1 m t1");
  close_all();
}

Test(paper, figure_6_relaxes_the_reservation) {
  chor_input_open_case(&input, "reservation_session");
  repair(HDI_PAPER_RELAX);
  expect_realizable();
  cr_assert_eq(run.step_count, 2u);
  for (uint32_t i = 0; i < 2; i++) {
    cr_assert_eq(run.draft->edits[run.steps[i].edit].paper_case, HDI_CASE_RELAX_1A);
    cr_assert_eq(strncmp(run.steps[i].difference.words, "request cancel ", 15), 0);
  }
  expect_arcs(
      "Start request Decide; Decide succeed Success; Decide failed Sink; Decide cancel X; X cancelled End; "
      "Success confirm End; Success cancel End; Sink cancel End; X succeed End; X failed End");
  close_all();
}

Test(paper, figure_7b_adds_one_edge_to_the_tpm_contract) {
  chor_input_open_case(&input, "tpm");
  repair(HDI_PAPER_RELAX);
  expect_realizable();
  cr_assert_eq(run.step_count, 1u);
  expect_step(0, "Send AckStartSend GetTpmStatus SendComplete", HDI_CASE_RELAX_1A);
  expect_arcs(
      "RS Send R0; RS GetTpmStatus R1; R0 AckStartSend IO; IO GetTpmStatus IO0; IO SendComplete RS; R1 TpmStatus RS; "
      "IO0 TpmStatus IO; IO0 SendComplete R1");
  close_all();
}

Test(paper, figure_8b_lets_the_first_peer_begin) {
  chor_input_open_case(&input, "meta_conversation");
  repair(HDI_PAPER_RESTRICT);
  expect_realizable();
  cr_assert_eq(run.step_count, 1u);
  expect_step(0, "aStartcp bStartcp", HDI_CASE_RESTRICT_2);
  expect_arcs(
      "s0 aStartcp s1; s0 nm0 ns0; ns0 bStartcp s2; s1 bAccept s3; s1 bReject s4; s2 aAccept s5; s2 aReject s6");
  expect_message("nm0", "P1", "P2");
  close_all();
}

/* Restricts what sends `succeed` too early, relaxes the rest. */
static hdi_paper_choice no_success_after_cancel(void *payload, const hdi_draft *draft,
                                                const hdi_paper_difference *differences, uint32_t count) {
  (void)payload;
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(draft->alphabet.messages[differences[i].extra.v].name, "succeed") == 0) {
      return (hdi_paper_choice){HDI_PAPER_RESTRICT, i};
    }
  }
  return (hdi_paper_choice){HDI_PAPER_RELAX, HD_NONE};
}

Test(paper, figure_9_mixes_both_mechanisms) {
  chor_input_open_case(&input, "reservation_session");
  hdi_paper_query query = make_query(HDI_PAPER_RELAX, HDI_PAPER_STEPS_MAX);
  query.choose = no_success_after_cancel;
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  cr_assert_eq(run.step_count, 4u);
  expect_step(0, "request cancel succeed", HDI_CASE_RESTRICT_2);
  expect_step(1, "request failed nm0", HDI_CASE_RELAX_1B_II);
  expect_step(2, "request cancel failed", HDI_CASE_RELAX_1A);
  expect_step(3, "request nm0 failed", HDI_CASE_RELAX_1A);
  expect_arcs(
      "Start request Decide; Decide nm0 ns0; ns0 succeed Success; Decide failed Sink; Decide cancel X; X cancelled "
      "End; "
      "Success confirm End; Success cancel End; Sink cancel End; X failed End; Sink nm0 ns1; ns0 failed ns1");
  expect_realizable();
  expect_message("nm0", "C", "S");
  close_all();
}

Test(paper, independent_sequence_relaxed_and_restricted) {
  chor_input_open_case(&input, "independent_sequence");
  repair(HDI_PAPER_RELAX);
  expect_realizable();
  cr_assert_eq(run.step_count, 2u);
  expect_step(0, "n", HDI_CASE_RELAX_2B_II);
  expect_step(1, "n m", HDI_CASE_RELAX_2B_II);
  expect_arcs("t0 m t1; t1 n t2; t0 n ns0; ns0 m t2");
  hdi_paper_run_clear(&run);
  repair(HDI_PAPER_RESTRICT);
  expect_realizable();
  cr_assert_eq(run.step_count, 1u);
  expect_step(0, "n", HDI_CASE_RESTRICT_1);
  expect_arcs("t0 m ns0; ns0 nm0 t1; t1 n t2");
  expect_message("nm0", "P2", "P3");
  cr_assert_str_eq(run.draft->edits[0].words, "after m in t0, P2 tells P3 by nm0 before it goes on to t1");
  close_all();
}

Test(paper, case_1b_ii_adds_a_new_state) {
  chor_input_open(&input, "state s0:\n A -> B : x => s1\n B -> A : y => s2\n");
  repair(HDI_PAPER_RELAX);
  expect_realizable();
  expect_step(0, "y x", HDI_CASE_RELAX_1B_II);
  expect_step(1, "x y", HDI_CASE_RELAX_1A);
  expect_arcs("s0 x s1; s0 y s2; s2 x ns0; s1 y ns0");
  close_all();
}

Test(paper, case_1a_looks_through_moves_of_others_only) {
  hdi_paper_query query = make_query(HDI_PAPER_RELAX, 1);
  chor_input_open(
      &input,
      "state s0:\n A -> C : x => s1\n B -> A : y => s4\nstate s1:\n C -> B : w => s2\nstate s2:\n B -> A : y => "
      "s3\n");
  query.file = input.file;
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  expect_step(0, "y x", HDI_CASE_RELAX_1A);
  expect_arcs("s0 x s1; s0 y s4; s1 w s2; s2 y s3; s4 x s3");
  close_all();
  chor_input_open(
      &input,
      "state s0:\n A -> C : x => s1\n B -> A : y => s4\nstate s1:\n A -> B : w => s2\nstate s2:\n B -> A : y => "
      "s3\n");
  query.file = input.file;
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  expect_step(0, "y x", HDI_CASE_RELAX_1B_II);
  close_all();
}

Test(paper, case_2a_ii_when_all_that_follows_is_the_same_message) {
  chor_input_open(&input, "state t0:\n A -> B : a => t1\nstate t1:\n C -> D : m => t2\nstate t2:\n C -> D : m => t0\n");
  hdi_paper_query query = make_query(HDI_PAPER_RELAX, 1);
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  expect_step(0, "m", HDI_CASE_RELAX_2A_II);
  expect_arcs("t0 a t1; t1 m t2; t2 m t0; t0 m t0");
  close_all();
}

Test(paper, case_2a_i_goes_where_the_sender_can_go_on) {
  /* C sends m, then n, whatever A does: after an early m it stands where it can send n. */
  chor_input_open(&input, "state t0:\n A -> B : a => t1\nstate t1:\n C -> D : m => t2\nstate t2:\n C -> D : n => t0\n");
  hdi_paper_query query = make_query(HDI_PAPER_RELAX, 1);
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  expect_step(0, "m", HDI_CASE_RELAX_2A_I);
  expect_arcs("t0 a t1; t1 m t2; t2 n t0; t0 m t2");
  close_all();
}

Test(paper, case_2b_i_joins_the_path_again) {
  /* After w, A may send m at once; in s1 B's word must come first. m leads to s3, from which s1 can be reached. */
  chor_input_open(
      &input,
      "state s0:\n B -> C : b => s1\n A -> C : m => s3\nstate s1:\n B -> C : b => s2\nstate s3:\n B -> C : b "
      "=> s1\n");
  hdi_paper_query query = make_query(HDI_PAPER_RELAX, 1);
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  expect_step(0, "b m", HDI_CASE_RELAX_2B_I);
  expect_arcs("s0 b s1; s0 m s3; s1 b s2; s3 b s1; s1 m s3");
  close_all();
}

Test(paper, relaxation_may_run_for_ever) {
  chor_input_open_case(&input, "relaxation_runs_for_ever");
  repair(HDI_PAPER_RELAX);
  cr_assert_eq(run.end, HDI_PAPER_END_REPEATS, "%s", run.reason);
  cr_assert_eq(run.step_count, HDI_PAPER_STEPS_MAX);
  expect_step(0, "m0 m1 m2", HDI_CASE_RELAX_1B_II);
  cr_assert_not_null(strstr(run.reason, "go round in circles: after 100 steps"), "%s", run.reason);
  cr_assert_not_null(strstr(run.reason, "relaxation 1"), "%s", run.reason);
  cr_assert_str_eq(hdi_paper_end_name(run.end), "repeats");
  close_all();
}

Test(paper, restriction_may_run_for_ever) {
  /* In state 1 two peers compete. Each new message is waited for by one of them, and overtaken by the other. */
  chor_input_open(&input, "state 0:\n P -> Q : a => 1\nstate 1:\n R -> Q : b => 0\n Q -> P : c => 0\n");
  repair(HDI_PAPER_RESTRICT);
  cr_assert_eq(run.end, HDI_PAPER_END_REPEATS, "%s", run.reason);
  expect_step(0, "b", HDI_CASE_RESTRICT_1);
  expect_step(1, "a a", HDI_CASE_RESTRICT_1);
  expect_step(2, "a nm0 c", HDI_CASE_RESTRICT_1);
  expect_step(3, "a nm0 nm1 b", HDI_CASE_RESTRICT_1);
  cr_assert_str_eq(
      run.reason,
      "the literal rules go round in circles: after 100 steps the last ones repeat restriction 1, restriction "
      "1, restriction 1, and the shortest difference has 101 sends where the first had 1");
  close_all();
}

Test(paper, restriction_finds_the_arc_that_its_peer_does_not_see) {
  /* P1 may be in s1 again for all that it sees: only the second way out of s2 leads there without it. */
  chor_input_open(
      &input,
      "final state s0:\n P0 -> P1 : m1 => s1\nfinal state s1:\n P1 -> P2 : m1 => s2\nstate s2:\n P2 -> P0 : m1 "
      "=> s0\n P2 -> P0 : m0 => s1\n");
  repair(HDI_PAPER_RESTRICT);
  expect_realizable();
  expect_step(0, "m1 m1 m1", HDI_CASE_RESTRICT_1);
  expect_message("nm0", "P0", "P1");
  cr_assert_not_null(strstr(run.draft->edits[0].words, "after m0 in s2"), "%s", run.draft->edits[0].words);
  close_all();
}

Test(paper, restriction_may_name_one_peer_twice) {
  /* While y travels, A sends x and believes that z comes next; nobody has said anything since. */
  chor_input_open(
      &input,
      "state s0:\n B -> A : y => s1\n A -> B : x => s2\nstate s1:\n A -> B : x => s3\nstate s2:\n A -> B : z "
      "=> s4\n B -> A : y => s5\nstate s5:\n A -> B : z => s6\nstate s4:\n B -> A : y => s6\n");
  repair(HDI_PAPER_RESTRICT);
  cr_assert_eq(run.end, HDI_PAPER_END_SELF_SEND);
  cr_assert_str_eq(run.reason,
                   "restriction 2 makes A wait for a message from itself: of \"y x z\" it sends both z and the message "
                   "before it");
  cr_assert_eq(run.draft->edit_count, 0u);
  close_all();
}

Test(paper, a_choice_can_stop_a_run) {
  chor_input_open_case(&input, "file_transfer");
  repair(HDI_PAPER_STOP);
  cr_assert_eq(run.end, HDI_PAPER_END_STOPPED);
  cr_assert_str_eq(run.reason, "stopped by choice after 0 steps");
  cr_assert_eq(run.draft->edit_count, 0u);
  close_all();
}

Test(paper, limits_cut_a_run_short_and_say_so) {
  chor_input_open_case(&input, "branch_into_cycle");
  hdi_paper_query query = make_query(HDI_PAPER_RELAX, 0);
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  cr_assert_eq(run.end, HDI_PAPER_END_STEP_LIMIT);
  cr_assert_str_eq(run.reason, "not done after 0 steps: the shortest difference left has 2 sends, the first had 2");
  hdi_paper_run_clear(&run);
  query.steps_max = 2;
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  cr_assert_eq(run.end, HDI_PAPER_END_REALIZABLE, "two steps are enough");
  hdi_paper_run_clear(&run);
  query.limits.states_max = 3; /* the copy would be a fourth */
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  cr_assert_eq(run.end, HDI_PAPER_END_LIMIT);
  cr_assert_str_eq(run.reason, "cut short after 0 steps by a limit of time, memory or states");
  cr_assert_eq(run.draft->edit_count, 0u);
  hdi_paper_run_clear(&run);
  query.limits.states_max = STATES_MAX;
  query.limits.deadline_seconds = hd_machine_seconds() - 1;
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  cr_assert_eq(run.end, HDI_PAPER_END_LIMIT);
  hdi_paper_run_clear(&run);
  query.limits.deadline_seconds = 0;
  static const hd_atomic_u32 cancelled = 1;
  query.limits.cancel = &cancelled;
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  cr_assert_eq(run.end, HDI_PAPER_END_CANCELLED);
  close_all();
}

/* Det of the block with the messages from `known` on left out. */
static void determinise(const hd_chor *chor, uint32_t known, hd_arena *arena, hdi_subsets *out) {
  uint32_t *label = hd_arena_alloc_array(arena, chor->arc_count, sizeof label[0]);
  uint32_t *to = hd_arena_alloc_array(arena, chor->arc_count, sizeof to[0]);
  cr_assert(label != NULL && to != NULL);
  for (uint32_t a = 0; a < chor->arc_count; a++) {
    label[a] = chor->arcs[a].message.v < known ? chor->arcs[a].message.v : HDI_SILENT;
    to[a] = chor->arcs[a].to;
  }
  hdi_nfa nfa = {.state_count = chor->state_count,
                 .initial = chor->initial,
                 .first_arc = chor->first_arc,
                 .arc_label = label,
                 .arc_to = to};
  cr_assert_eq(hdi_subset_construct(&nfa, arena, &(hd_subset_limits){.states_max = 1u << 20}, out), HD_OK);
}

static uint32_t step(const hdi_subsets *dfa, uint32_t state, uint32_t label) {
  for (uint32_t a = dfa->first_arc[state]; a < dfa->first_arc[state + 1]; a++) {
    if (dfa->arcs[a].label == label) {
      return dfa->arcs[a].to;
    }
  }
  return HD_NONE;
}

/* Is every word of a one of b? */
static bool included(const hdi_subsets *a, const hdi_subsets *b) {
  bool *seen = calloc((size_t)a->state_count * b->state_count, sizeof seen[0]);
  uint32_t *stack = malloc((size_t)a->state_count * b->state_count * sizeof stack[0]);
  cr_assert(seen != NULL && stack != NULL);
  size_t depth = 0;
  bool good = true;
  seen[0] = true;
  stack[depth++] = 0;
  while (depth > 0 && good) {
    uint32_t pair = stack[--depth], x = pair / b->state_count, y = pair % b->state_count;
    for (uint32_t i = a->first_arc[x]; i < a->first_arc[x + 1]; i++) {
      uint32_t next = step(b, y, a->arcs[i].label);
      if (next == HD_NONE) {
        good = false;
        break;
      }
      uint32_t then = a->arcs[i].to * b->state_count + next;
      if (!seen[then]) {
        seen[then] = true;
        stack[depth++] = then;
      }
    }
  }
  free(seen);
  free(stack);
  return good;
}

/* What the mechanism promises of its steps: relaxing adds words, restricting changes none once its messages are left
 * out. */
static void check_promise(hdi_paper_mechanism mechanism, unsigned long long seed) {
  hd_chor_file *file = NULL;
  hd_arena *arena = hd_arena_new();
  cr_assert_eq(hdi_draft_file(run.draft, true, &file), HD_OK);
  uint32_t known = input.file->alphabet.message_count;
  hdi_subsets before, after;
  determinise(&input.file->blocks[0], known, arena, &before);
  determinise(&file->blocks[0], known, arena, &after);
  cr_assert(included(&before, &after), "seed %llu", seed);
  if (mechanism == HDI_PAPER_RESTRICT) {
    cr_assert(included(&after, &before), "seed %llu", seed);
  }
  if (mechanism == HDI_PAPER_RELAX && run.step_count > 0) {
    const hdi_paper_difference *first = &run.steps[0].difference;
    uint32_t state = 0;
    for (uint32_t i = 0; i < first->word_length && state != HD_NONE; i++) {
      state = step(&after, state, first->word[i].v);
    }
    cr_assert(state != HD_NONE && step(&after, state, first->extra.v) != HD_NONE, "seed %llu", seed);
  }
  hd_arena_free(arena);
  hd_chor_file_free(file);
}

typedef struct tally {
  uint32_t ends[HDI_PAPER_END_COUNT], tried;
} tally;

static void print_tally(const char *inputs, const char *mechanism, const tally *t) {
  for (int end = 0; end < HDI_PAPER_END_COUNT; end++) {
    fprintf(stderr, "%s, %s, %s: %u of %u\n", inputs, mechanism, hdi_paper_end_name((hdi_paper_end)end), t->ends[end],
            t->tried);
  }
}

/* One unrealizable input by one mechanism. */
static void try_input(hdi_paper_mechanism mechanism, hd_semantics semantics, uint32_t steps_max,
                      unsigned long long seed, tally *t) {
  hdi_paper_query query = make_query(mechanism, steps_max);
  query.limits.semantics = semantics;
  query.limits.states_max = 64; /* as many as the reference takes */
  cr_assert_eq(hdi_paper_repair(&query, &run), HD_OK);
  t->tried++;
  t->ends[run.end]++;
  cr_assert_eq(run.draft->edit_count, run.step_count);
  check_promise(mechanism, seed);
  if (run.end == HDI_PAPER_END_REALIZABLE) {
    expect_realizable_with(semantics);
  }
  hdi_paper_run_clear(&run);
}

static void try_random(hd_semantics semantics, uint64_t count, uint32_t steps_max, tally *relaxed, tally *restricted) {
  for (uint64_t seed = 0; seed < count; seed++) {
    char *text = hd_random_chor(seed, 2, 4);
    chor_input_open(&input, text);
    bool one_block = input.file->block_count == 1;
    if (one_block && !chor_input_decide(&input, 1, semantics, 1).realizable) {
      try_input(HDI_PAPER_RELAX, semantics, steps_max, (unsigned long long)seed, relaxed);
      try_input(HDI_PAPER_RESTRICT, semantics, steps_max, (unsigned long long)seed, restricted);
    }
    chor_input_close(&input);
    free(text);
  }
  cr_assert_gt(relaxed->ends[HDI_PAPER_END_REALIZABLE], relaxed->tried / 3);
  cr_assert_gt(restricted->ends[HDI_PAPER_END_REALIZABLE], restricted->tried / 2);
  cr_assert_eq(relaxed->ends[HDI_PAPER_END_SELF_SEND], 0u, "a case of relaxation always fits");
  cr_assert_gt(restricted->ends[HDI_PAPER_END_SELF_SEND], 0u);
}

Test(paper, random_inputs_keep_the_promises) {
  bool full = getenv("HEDDLE_FULL") != NULL;
  tally relaxed = {0}, restricted = {0};
  try_random(HD_MAILBOX, full ? 10000 : HD_TEST_COUNT(700), full ? 25 : 12, &relaxed, &restricted);
  if (full) {
    print_tally("2 to 4 peers", "relaxation", &relaxed);
    print_tally("2 to 4 peers", "restriction", &restricted);
  }
}

Test(paper, random_inputs_with_a_queue_for_each_sender) {
  tally relaxed = {0}, restricted = {0};
  try_random(HD_P2P, getenv("HEDDLE_FULL") != NULL ? 10000 : HD_TEST_COUNT(500), 12, &relaxed, &restricted);
}

/* Two peers, 3 states, 4 transitions drawn independently; each with a name of its own, or one of two names. */
static const char *draw_small(uint64_t seed, bool own_names) {
  static char text[512];
  uint64_t z = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
  size_t used = 0;
  uint32_t from[4], to[4], ways[4], names[4];
  for (uint32_t i = 0; i < 4; i++) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    from[i] = (uint32_t)(z >> 8) % 3;
    to[i] = (uint32_t)(z >> 16) % 3;
    ways[i] = (uint32_t)(z >> 24) % 2;
    names[i] = own_names ? i : (uint32_t)(z >> 32) % 2;
  }
  for (uint32_t s = 0; s < 3; s++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "state %u:\n", s);
    for (uint32_t i = 0; i < 4; i++) {
      if (from[i] == s) {
        used += (size_t)snprintf(text + used, sizeof text - used, " P%u -> P%u : m%u => %u\n", ways[i], 1 - ways[i],
                                 names[i], to[i]);
      }
    }
  }
  return text;
}

/* The shares in docs/choreography-repair.md: the full tier prints them and looks at more inputs. */
Test(paper, small_two_peer_inputs) {
  bool full = getenv("HEDDLE_FULL") != NULL;
  for (uint32_t family = 0; family < 2; family++) {
    tally relaxed = {0}, restricted = {0};
    for (uint64_t seed = 0; seed < (full ? 20000 : HD_TEST_COUNT(800)); seed++) {
      chor_input_open(&input, draw_small(seed, family == 0));
      if (!chor_input_decide(&input, 1, HD_MAILBOX, 1).realizable) {
        try_input(HDI_PAPER_RELAX, HD_MAILBOX, 25, (unsigned long long)seed, &relaxed);
        try_input(HDI_PAPER_RESTRICT, HD_MAILBOX, 25, (unsigned long long)seed, &restricted);
      }
      chor_input_close(&input);
    }
    if (full) {
      const char *inputs = family == 0 ? "own names" : "two names";
      print_tally(inputs, "relaxation", &relaxed);
      print_tally(inputs, "restriction", &restricted);
    }
    cr_assert(relaxed.tried > 40 && restricted.tried == relaxed.tried);
    cr_assert_gt(relaxed.ends[HDI_PAPER_END_REALIZABLE] * 2, relaxed.tried);
    cr_assert_gt(restricted.ends[HDI_PAPER_END_REALIZABLE] * 5, restricted.tried * 4);
    cr_assert_eq(restricted.ends[HDI_PAPER_END_SELF_SEND] == 0, family == 0, "two names make peers forget more");
    cr_assert_eq(restricted.ends[HDI_PAPER_END_SELF_SEND] + restricted.ends[HDI_PAPER_END_REALIZABLE],
                 restricted.tried);
  }
}
