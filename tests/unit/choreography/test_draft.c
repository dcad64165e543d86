/* Drafts: what each change does to the block, what it costs, how new things are called, and that clones are apart. */
#include "frontends/choreography/draft.h"
#include "tests/support/chor_equal.h"
#include "tests/support/chor_input.h"
#include "tests/support/chor_layout.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"

#include <stdlib.h>
#include <string.h>

static chor_input input;
static hdi_draft *draft;

static void open_text(const char *text, const hdi_edit_costs *costs) {
  chor_input_open(&input, text);
  cr_assert_eq(hdi_draft_open(input.file, 0, costs, &draft), HD_OK);
}

static void close_all(void) {
  hdi_draft_free(draft);
  chor_input_close(&input);
}

static void begin(hdi_chor_edit_kind kind) {
  cr_assert_eq(hdi_draft_begin(draft, kind, HDI_CASE_NONE, input.file->blocks[0].arcs[0].span, "edit %d", 1), HD_OK);
}

static uint32_t state_called(const char *name) {
  for (uint32_t s = 0; s < draft->state_count; s++) {
    if (strcmp(draft->states[s].name, name) == 0) {
      return s;
    }
  }
  cr_assert_fail("no state %s", name);
  return HD_NONE;
}

static uint32_t arc_called(const char *message) {
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    if (!draft->arcs[a].removed && strcmp(draft->alphabet.messages[draft->arcs[a].message.v].name, message) == 0) {
      return a;
    }
  }
  cr_assert_fail("no arc %s", message);
  return HD_NONE;
}

/* The drafted file, printed. */
static void expect_file(const char *want) {
  hd_chor_file *file = NULL;
  cr_assert_eq(hdi_draft_file(draft, false, &file), HD_OK);
  hd_buffer printed = {0};
  hd_chor_print(file, &printed);
  cr_assert_str_eq(printed.data, want);
  hd_buffer_free(&printed);
  hd_chor_file_free(file);
}

#define TRANSFER                                                                                                    \
  "peers P1, P2\nstate s0:\n  P1 -> P2 : ms => s1\nstate s1:\n  P2 -> P1 : mf => s3\n  P1 -> P2 : mc => s2\nstate " \
  "s2:\n"                                                                                                           \
  "  P2 -> P1 : mf => s4\n"

Test(draft, unchanged_it_is_the_block) {
  for (uint64_t seed = 0; seed < 300; seed++) {
    char *text = hd_random_chor(seed, 2, 5);
    chor_input_open(&input, text);
    for (uint32_t b = 0; b < input.file->block_count; b++) {
      hd_chor_file *file = NULL;
      cr_assert_eq(hdi_draft_open(input.file, b, NULL, &draft), HD_OK);
      cr_assert_eq(hdi_draft_file(draft, false, &file), HD_OK);
      const char *difference = chor_difference(input.file, file);
      cr_assert_null(difference, "seed %llu: %s", (unsigned long long)seed, difference);
      cr_assert_null(chor_fault(file, input.text->size_bytes));
      hd_chor_file_free(file);
      hdi_draft_free(draft);
    }
    chor_input_close(&input);
    free(text);
  }
}

Test(draft, an_arc_to_an_existing_state_is_figure_1b) {
  open_text(TRANSFER, NULL);
  begin(HDI_EDIT_ADD_ARC);
  uint32_t s3 = state_called("s3"), s4 = state_called("s4");
  hd_message mc = chor_input_message(&input, "mc");
  cr_assert_eq(hdi_draft_add_arc(draft, s3, mc, s4, HD_NONE), HD_OK);
  cr_assert_eq(draft->cost, 1u);
  cr_assert_eq(draft->edits[0].cost, 1u);
  cr_assert_str_eq(draft->edits[0].words, "edit 1");
  cr_assert_eq(hdi_draft_find_arc(draft, s3, mc, s4), draft->arc_count - 1);
  cr_assert_eq(hdi_draft_find_arc(draft, s4, mc, s3), HD_NONE);
  expect_file(
      "peers P1, P2\nstate s0:\n  P1 -> P2 : ms => s1\nstate s1:\n  P2 -> P1 : mf => s3\n  P1 -> P2 : mc => s2\n"
      "state s2:\n  P2 -> P1 : mf => s4\nstate s3:\n  P1 -> P2 : mc => s4\n");
  close_all();
}

Test(draft, a_message_before_an_arc_takes_its_place) {
  open_text(TRANSFER, NULL);
  begin(HDI_EDIT_ADD_SYNC);
  hd_message nm;
  uint32_t mf = arc_called("mf");
  cr_assert_eq(hdi_draft_add_message(draft, (hd_peer){0}, (hd_peer){1}, &nm), HD_OK);
  cr_assert_eq(draft->cost, 0u, "a message costs where it is sent");
  cr_assert_eq(hdi_draft_sync(draft, mf, true, nm), HD_OK);
  cr_assert_eq(draft->cost, 1u);
  cr_assert_eq(draft->arcs[mf].from, state_called("ns0"), "the arc keeps its number");
  cr_assert_eq(draft->arcs[mf].origin, mf);
  expect_file(
      "peers P1, P2\nstate s0:\n  P1 -> P2 : ms => s1\nstate s1:\n  P1 -> P2 : nm0 => ns0\n  P1 -> P2 : mc => s2\n"
      "state s2:\n  P2 -> P1 : mf => s4\nstate s3:\nstate s4:\nstate ns0:\n  P2 -> P1 : mf => s3\n");
  /* a second one comes between the first one and the message */
  begin(HDI_EDIT_ADD_SYNC);
  cr_assert_eq(hdi_draft_add_message(draft, (hd_peer){1}, (hd_peer){0}, &nm), HD_OK);
  cr_assert_eq(hdi_draft_sync(draft, mf, true, nm), HD_OK);
  cr_assert_eq(draft->cost, 2u);
  expect_file(
      "peers P1, P2\nstate s0:\n  P1 -> P2 : ms => s1\nstate s1:\n  P1 -> P2 : nm0 => ns0\n  P1 -> P2 : mc => s2\n"
      "state s2:\n  P2 -> P1 : mf => s4\nstate s3:\nstate s4:\nstate ns0:\n  P2 -> P1 : nm1 => ns1\nstate ns1:\n"
      "  P2 -> P1 : mf => s3\n");
  close_all();
}

Test(draft, a_message_after_an_arc) {
  open_text(TRANSFER, &(hdi_edit_costs){.transition = 3, .message = 5, .state = 7});
  begin(HDI_EDIT_ADD_SYNC);
  hd_message nm;
  cr_assert_eq(hdi_draft_add_message(draft, (hd_peer){1}, (hd_peer){0}, &nm), HD_OK);
  cr_assert_eq(hdi_draft_sync(draft, arc_called("ms"), false, nm), HD_OK);
  cr_assert_eq(hdi_draft_sync(draft, arc_called("ms"), false, nm), HD_OK);
  cr_assert_eq(draft->cost, 10u);
  expect_file(
      "peers P1, P2\nstate s0:\n  P1 -> P2 : ms => ns1\nstate s1:\n  P2 -> P1 : mf => s3\n  P1 -> P2 : mc => s2\n"
      "state s2:\n  P2 -> P1 : mf => s4\nstate s3:\nstate s4:\nstate ns0:\n  P2 -> P1 : nm0 => s1\nstate ns1:\n"
      "  P2 -> P1 : nm0 => ns0\n");
  close_all();
}

#define SHARED                                                                                                        \
  "peers A, B\nstate a:\n  A -> B : x => c\n  B -> A : y => c\nfinal state c:\n  A -> B : z => c\n  B -> A : end => " \
  "d\n"                                                                                                               \
  "final state d:\n"

Test(draft, a_split_copies_the_way_out) {
  open_text(SHARED, &(hdi_edit_costs){.transition = 3, .message = 5, .state = 7});
  begin(HDI_EDIT_SPLIT_STATE);
  uint32_t copy, y = arc_called("y"), c = state_called("c");
  cr_assert_eq(hdi_draft_split(draft, c, &y, 1, &copy), HD_OK);
  cr_assert_eq(draft->cost, 7u);
  cr_assert_eq(draft->states[copy].origin, c);
  expect_file(
      "peers A, B\nstate a:\n  A -> B : x => c\n  B -> A : y => ns0\nfinal state c:\n  A -> B : z => c\n  B -> A : end "
      "=> d\nfinal state d:\nfinal state ns0:\n  A -> B : z => c\n  B -> A : end => d\n");
  close_all();
}

Test(draft, a_copy_of_all_that_follows_keeps_its_loops_inside) {
  open_text(SHARED, &(hdi_edit_costs){.transition = 3, .message = 5, .state = 7});
  begin(HDI_EDIT_COPY_FROM);
  uint32_t copy;
  cr_assert_eq(hdi_draft_copy_from(draft, state_called("c"), 5, &copy), HD_OK);
  cr_assert_eq(hdi_draft_add_arc(draft, state_called("a"), chor_input_message(&input, "z"), copy, HD_NONE), HD_OK);
  cr_assert_eq(draft->cost, 2u * 7u + 3u, "two states and the arc into them");
  expect_file(
      "peers A, B\nstate a:\n  A -> B : x => c\n  B -> A : y => c\n  A -> B : z => ns0\nfinal state c:\n  A -> B : z "
      "=> "
      "c\n  B -> A : end => d\nfinal state d:\nfinal state ns0:\n  A -> B : z => ns0\n  B -> A : end => ns1\nfinal "
      "state ns1:\n");
  cr_assert_eq(hdi_draft_copy_from(draft, state_called("a"), 9, &copy), HD_E_LIMIT, "5 states and 5 more");
  cr_assert_eq(draft->state_count, 5u);
  cr_assert_eq(hdi_draft_copy_from(draft, state_called("a"), 10, &copy), HD_OK);
  cr_assert_eq(draft->state_count, 10u);
  close_all();
}

Test(draft, what_no_run_reaches_any_more_is_dropped) {
  open_text(
      "peers A, B\nstate a:\n  A -> B : x => b\nstate b:\n  A -> B : y => c\nstate c:\nstate alone:\n  A -> B : z => "
      "e\n",
      NULL);
  begin(HDI_EDIT_REPLACE);
  cr_assert_eq(hdi_draft_redirect(draft, arc_called("x"), state_called("c")), HD_OK);
  cr_assert_eq(draft->cost, 1u);
  /* b goes; what stood beside the runs before is the user's */
  expect_file("peers A, B\nstate a:\n  A -> B : x => c\nstate c:\nstate alone:\n  A -> B : z => e\n");
  cr_assert_eq(hdi_draft_remove(draft, arc_called("z")), HD_OK);
  expect_file("peers A, B\nstate a:\n  A -> B : x => c\nstate c:\nstate alone:\n");
  cr_assert_eq(hdi_draft_remove(draft, arc_called("x")), HD_OK);
  hd_chor_file *file = NULL;
  cr_assert_eq(hdi_draft_file(draft, false, &file), HD_E_USAGE);
  cr_assert_null(file);
  close_all();
}

Test(draft, the_last_final_state_stays) {
  open_text("state a:\n A -> B : x => b\n A -> B : y => c\nstate b:\n A -> B : y => a\nfinal state c:\n", NULL);
  begin(HDI_EDIT_REPLACE);
  cr_assert_eq(hdi_draft_redirect(draft, draft->file->blocks[0].first_arc[0] + 1, state_called("b")), HD_OK);
  hd_chor_file *file = NULL;
  cr_assert_eq(hdi_draft_file(draft, false, &file), HD_OK);
  cr_assert(file->blocks[0].has_final, "otherwise every state without arcs would be an end");
  cr_assert_eq(file->blocks[0].state_count, 3u);
  hd_chor_file_free(file);
  close_all();
}

Test(draft, equal_arcs_count_once_and_rules_need_their_messages) {
  open_text("never x, y\nnever x .. x\nstate a:\n A -> B : x => b\n A -> B : x => c\nstate b:\n A -> B : y => c\n",
            NULL);
  begin(HDI_EDIT_REPLACE);
  cr_assert_eq(hdi_draft_redirect(draft, 1, state_called("b")), HD_OK);
  cr_assert_eq(hdi_draft_remove(draft, arc_called("y")), HD_OK);
  hd_chor_file *file = NULL;
  cr_assert_eq(hdi_draft_file(draft, true, &file), HD_OK);
  cr_assert_eq(file->blocks[0].arc_count, 1u);
  cr_assert_eq(file->blocks[0].rule_count, 1u);
  cr_assert_str_eq(file->blocks[0].rules[0].second, "x");
  hd_chor_file_free(file);
  close_all();
}

Test(draft, fresh_names_are_free_in_the_whole_file) {
  open_text(
      "choreography\nstate ns4:\n A -> B : nm1 => x\n A -> B : nm010 => ns\nchoreography two\nstate a:\n C -> D : m => "
      "ns17\n"
      " C -> D : nm99999999999999999999 => ns018\nstate nm3:\n D -> C : ns5 => a\n",
      NULL);
  begin(HDI_EDIT_ADD_ARC);
  uint32_t state;
  hd_message message;
  cr_assert_eq(hdi_draft_add_state(draft, HD_NONE, false, &state), HD_OK);
  cr_assert_str_eq(draft->states[state].name, "ns18");
  cr_assert_eq(hdi_draft_add_message(draft, (hd_peer){0}, (hd_peer){1}, &message), HD_OK);
  cr_assert_str_eq(draft->alphabet.messages[message.v].name, "nm4");
  cr_assert_eq(hdi_draft_add_state(draft, HD_NONE, false, &state), HD_OK);
  cr_assert_str_eq(draft->states[state].name, "ns19");
  close_all();
}

Test(draft, alone_a_block_is_a_file_with_all_peers) {
  chor_input_open(&input,
                  "choreography one\nstate a:\n A -> B : x => b\nchoreography two\nstate a:\n C -> D : y => b\n");
  cr_assert_eq(hdi_draft_open(input.file, 1, NULL, &draft), HD_OK);
  hd_chor_file *file = NULL;
  cr_assert_eq(hdi_draft_file(draft, true, &file), HD_OK);
  cr_assert_eq(file->block_count, 1u);
  cr_assert_str_eq(file->blocks[0].name, "two");
  cr_assert_eq(file->alphabet.peer_count, 4u);
  cr_assert_eq(file->blocks[0].arcs[0].message.v, chor_input_message(&input, "y").v);
  hd_system *system = NULL;
  cr_assert_eq(hd_project(file, &(hd_subset_limits){.states_max = 100}, &system), HD_OK);
  cr_assert_eq(system->machine_count, 4u);
  hd_system_free(system);
  hd_chor_file_free(file);
  close_all();
}

Test(draft, a_clone_is_equal_and_apart) {
  for (uint64_t seed = 0; seed < 60; seed++) {
    char *text = hd_random_chor(seed, 2, 4);
    open_text(text, NULL);
    chor_random_edits(draft, seed, 5);
    hdi_draft *clone = NULL;
    hd_chor_file *before = NULL, *after = NULL, *copied = NULL;
    hd_status status = hdi_draft_file(draft, false, &before);
    cr_assert_eq(hdi_draft_clone(draft, &clone), HD_OK);
    cr_assert_eq(clone->cost, draft->cost);
    chor_random_edits(clone, seed + 1, 6);
    cr_assert_eq(hdi_draft_file(draft, false, &after), status);
    if (status == HD_OK) {
      cr_assert_null(chor_difference(before, after), "seed %llu", (unsigned long long)seed);
    }
    /* and the other way round, with the original gone */
    hd_chor_file_free(after);
    after = NULL;
    status = hdi_draft_file(clone, false, &after);
    chor_random_edits(draft, seed + 2, 3);
    hdi_draft_free(draft);
    draft = clone;
    cr_assert_eq(hdi_draft_file(clone, false, &copied), status);
    if (status == HD_OK) {
      cr_assert_null(chor_difference(after, copied), "seed %llu", (unsigned long long)seed);
    }
    cr_assert_str_eq(clone->edits[4].words, "edit 4");
    hd_chor_file_free(before);
    hd_chor_file_free(after);
    hd_chor_file_free(copied);
    close_all();
    free(text);
  }
}

/* The states that a run of the draft reaches, found without hdi_draft_look. */
static void reach(bool *reached) {
  memset(reached, 0, draft->state_count);
  reached[draft->initial] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t a = 0; a < draft->arc_count; a++) {
      const hdi_draft_arc *arc = &draft->arcs[a];
      if (!arc->removed && reached[arc->from] && !reached[arc->to]) {
        reached[arc->to] = changed = true;
      }
    }
  }
}

static uint32_t state_in(const hd_chor *chor, const char *name) {
  for (uint32_t s = 0; s < chor->state_count; s++) {
    if (strcmp(chor->states[s].name, name) == 0) {
      return s;
    }
  }
  return HD_NONE;
}

/* Every reachable state and arc of the draft is in its file under the number that hdi_draft_look says, and each reached
 * state has there no other arcs. */
static void compare_with_file(uint64_t seed) {
  unsigned long long n = (unsigned long long)seed;
  hd_chor_file *file = NULL;
  bool *reached = malloc(draft->state_count);
  cr_assert_not_null(reached);
  reach(reached);
  if (hdi_draft_file(draft, true, &file) == HD_OK) {
    hdi_draft_view view;
    hd_arena *arena = hd_arena_new();
    cr_assert_eq(hdi_draft_look(draft, arena, &view), HD_OK);
    const hd_chor *chor = &file->blocks[0];
    cr_assert_null(chor_fault(file, input.text->size_bytes), "seed %llu", n);
    cr_assert_str_eq(chor->states[chor->initial].name, draft->states[draft->initial].name);
    for (uint32_t a = 0; a < draft->arc_count; a++) {
      const hdi_draft_arc *arc = &draft->arcs[a];
      bool found = arc->removed || !reached[arc->from];
      uint32_t from = state_in(chor, draft->states[arc->from].name);
      for (uint32_t i = 0; !found && i < chor->arc_count; i++) {
        found = chor->arcs[i].from == from && chor->arcs[i].message.v == arc->message.v &&
                strcmp(chor->states[chor->arcs[i].to].name, draft->states[arc->to].name) == 0;
      }
      cr_assert(found, "seed %llu: arc %u is missing", n, a);
    }
    for (uint32_t i = 0; i < chor->arc_count; i++) {
      const hdi_draft_arc *arc = &draft->arcs[view.arcs[i]];
      cr_assert(!arc->removed && arc->message.v == chor->arcs[i].message.v);
      cr_assert_eq(view.state_of[chor->arcs[i].from], arc->from);
      cr_assert_eq(view.state_of[chor->arcs[i].to], arc->to);
      cr_assert_eq(view.number[arc->from], chor->arcs[i].from);
    }
    hd_arena_free(arena);
  }
  hd_chor_file_free(file);
  free(reached);
}

Test(draft, random_drafts_and_their_files) {
  for (uint64_t seed = 0; seed < HD_TEST_COUNT(1500); seed++) {
    char *text = hd_random_chor(seed, 2, 4);
    open_text(text, NULL);
    chor_random_edits(draft, seed, (uint32_t)(seed % 9));
    compare_with_file(seed);
    close_all();
    free(text);
  }
}

Test(draft, names_of_edits_and_cases) {
  cr_assert_str_eq(hdi_chor_edit_name(HDI_EDIT_ADD_SYNC), "add-synchronisation");
  cr_assert_str_eq(hdi_chor_case_name(HDI_CASE_RELAX_2B_II), "relaxation 2b-ii");
}

Test(draft, dot_shows_what_was_added_as_the_paper_does) {
  open_text(TRANSFER, NULL);
  begin(HDI_EDIT_ADD_SYNC);
  hd_message nm;
  cr_assert_eq(hdi_draft_add_message(draft, (hd_peer){1}, (hd_peer){0}, &nm), HD_OK);
  cr_assert_eq(hdi_draft_sync(draft, arc_called("mc"), true, nm), HD_OK);
  begin(HDI_EDIT_ADD_ARC);
  cr_assert_eq(
      hdi_draft_add_arc(draft, state_called("s3"), chor_input_message(&input, "mc"), state_called("s4"), HD_NONE),
      HD_OK);
  hd_buffer out = {0};
  hdi_draft_print_dot(draft, &out);
  cr_assert_not_null(strstr(out.data, "s1 -> s5 [label=\"P2 -> P1 : nm0\",style=dotted,color=red,fontcolor=red];"));
  cr_assert_not_null(strstr(out.data, "s5 -> s2 [label=\"P1 -> P2 : mc\"];"), "moved, not added");
  cr_assert_not_null(strstr(out.data, "s3 -> s4 [label=\"P1 -> P2 : mc\",style=bold,color=blue,fontcolor=blue];"));
  cr_assert_not_null(strstr(out.data, "s4 [label=\"s4\",shape=doublecircle];"));
  cr_assert_not_null(strstr(out.data, "s3 [label=\"s3\"];"), "no end any more");
  cr_assert_not_null(strstr(out.data, "s5 [label=\"ns0\",style=dotted,color=red];"));
  hd_buffer_free(&out);
  close_all();
}

Test(draft, dot_shows_copies_of_behaviour_but_not_of_split_states) {
  open_text(SHARED, NULL);
  begin(HDI_EDIT_SPLIT_STATE);
  uint32_t y = arc_called("y"), copy, other;
  cr_assert_eq(hdi_draft_split(draft, state_called("c"), &y, 1, &copy), HD_OK);
  begin(HDI_EDIT_COPY_FROM);
  cr_assert_eq(hdi_draft_copy_from(draft, state_called("c"), 100, &other), HD_OK);
  cr_assert_eq(hdi_draft_add_arc(draft, state_called("d"), chor_input_message(&input, "z"), other, HD_NONE), HD_OK);
  hd_buffer out = {0};
  hdi_draft_print_dot(draft, &out);
  cr_assert_not_null(strstr(out.data, "s3 -> s1 [label=\"A -> B : z\"];"));
  cr_assert_not_null(strstr(out.data, "s0 -> s3 [label=\"B -> A : y\"];"), "redirected");
  cr_assert_not_null(strstr(out.data, "s4 -> s4 [label=\"A -> B : z\",style=bold,color=blue,fontcolor=blue];"));
  cr_assert_not_null(strstr(out.data, "s4 [label=\"ns1\",shape=doublecircle,style=bold,color=blue];"));
  hd_buffer_free(&out);
  close_all();
}

/* A message from one peer to another before the arcs of the two messages, in this order. */
static uint32_t *key_of(const char *first, const char *second, uint32_t from, uint32_t to, uint32_t *length) {
  const char *const arcs[] = {first, second};
  open_text(TRANSFER, NULL);
  for (int i = 0; i < 2; i++) {
    hd_message sync;
    begin(HDI_EDIT_ADD_SYNC);
    cr_assert_eq(hdi_draft_add_message(draft, (hd_peer){i == 0 ? from : 0}, (hd_peer){i == 0 ? to : 1}, &sync), HD_OK);
    cr_assert_eq(hdi_draft_sync(draft, arc_called(arcs[i]), true, sync), HD_OK);
  }
  uint32_t *key = hdi_draft_key(draft, length);
  cr_assert_not_null(key);
  close_all();
  return key;
}

static bool same_key(const uint32_t *a, uint32_t a_length, const uint32_t *b, uint32_t b_length) {
  return a_length == b_length && memcmp(a, b, a_length * sizeof *a) == 0;
}

Test(draft, keys_know_neither_names_nor_the_order_of_edits) {
  uint32_t lengths[4];
  uint32_t *there = key_of("ms", "mc", 0, 1, &lengths[0]), *back = key_of("mc", "ms", 0, 1, &lengths[1]);
  uint32_t *other = key_of("ms", "mc", 1, 0, &lengths[2]);
  cr_expect(same_key(there, lengths[0], back, lengths[1]));
  cr_expect(!same_key(there, lengths[0], other, lengths[2])); /* from the other peer */
  open_text(TRANSFER, NULL);
  uint32_t *plain = hdi_draft_key(draft, &lengths[3]);
  draft->states[state_called("s4")].final = true;
  uint32_t length = 0, *final = hdi_draft_key(draft, &length);
  cr_expect(!same_key(plain, lengths[3], final, length));
  free(final);
  free(plain);
  free(other);
  free(back);
  free(there);
  close_all();
}
