/* Patching the user's text: what is written reads back as the draft, and what no edit touches keeps every byte. */
#include "frontends/choreography/draft.h"
#include "frontends/choreography/draft_lines.h"
#include "tests/support/chor_equal.h"
#include "tests/support/chor_input.h"
#include "tests/support/chor_layout.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MAX = 4 };

static chor_input input;
static hdi_draft *drafts[BLOCKS_MAX];

static void open_text(const char *text) {
  chor_input_open(&input, text);
  for (uint32_t b = 0; b < input.file->block_count; b++) {
    cr_assert_eq(hdi_draft_open(input.file, b, NULL, &drafts[b]), HD_OK);
  }
}

static void close_all(void) {
  for (uint32_t b = 0; b < input.file->block_count; b++) {
    hdi_draft_free(drafts[b]);
    drafts[b] = NULL;
  }
  chor_input_close(&input);
}

static void begin(hdi_chor_edit_kind kind) {
  cr_assert_eq(hdi_draft_begin(drafts[0], kind, HDI_CASE_NONE, (hd_span){0, 1}, "edit"), HD_OK);
}

static uint32_t state_called(const char *name) {
  for (uint32_t s = 0; s < drafts[0]->state_count; s++) {
    if (strcmp(drafts[0]->states[s].name, name) == 0) {
      return s;
    }
  }
  cr_assert_fail("no state %s", name);
  return HD_NONE;
}

static uint32_t arc_called(const char *message) {
  for (uint32_t a = 0; a < drafts[0]->arc_count; a++) {
    if (strcmp(drafts[0]->alphabet.messages[drafts[0]->arcs[a].message.v].name, message) == 0) {
      return a;
    }
  }
  cr_assert_fail("no arc %s", message);
  return HD_NONE;
}

static void add_arc(const char *from, const char *message, const char *to) {
  begin(HDI_EDIT_ADD_ARC);
  cr_assert_eq(
      hdi_draft_add_arc(drafts[0], state_called(from), chor_input_message(&input, message), state_called(to), HD_NONE),
      HD_OK);
}

static void add_sync(uint32_t from, uint32_t to, const char *message, bool before) {
  hd_message sync;
  begin(HDI_EDIT_ADD_SYNC);
  cr_assert_eq(hdi_draft_add_message(drafts[0], (hd_peer){from}, (hd_peer){to}, &sync), HD_OK);
  cr_assert_eq(hdi_draft_sync(drafts[0], arc_called(message), before, sync), HD_OK);
}

static void expect_text(const char *want) {
  hd_buffer out = {0};
  hd_buffer_add_text(&out, "kept ");
  cr_assert_eq(hdi_draft_patch(input.file, drafts, &out), HD_OK);
  cr_assert_str_eq(out.data, want);
  hd_buffer_free(&out);
}

Test(draft_patch, an_arc_follows_the_last_line_of_its_state) {
  open_text(
      "# who cancels?\nstate s0:\n\tP1 -> P2 : ms => s1   # start\n\nstate s1:\n\tP2 -> P1 : mf => s3\n\t# the "
      "race\n\tP1 "
      "-> P2 : mc => s2\n\t# end of s1\nstate s2:\n\tP2 -> P1 : mf => s4\nstate s3:\n");
  add_arc("s1", "ms", "s4");
  add_arc("s3", "mc", "s4");
  add_arc("s4", "mc", "s0");
  expect_text(
      "kept # who cancels?\nstate s0:\n\tP1 -> P2 : ms => s1   # start\n\nstate s1:\n\tP2 -> P1 : mf => s3\n\t# the "
      "race\n\tP1 -> P2 : mc => s2\n\tP1 -> P2 : ms => s4\n\t# end of s1\nstate s2:\n\tP2 -> P1 : mf => s4\nstate "
      "s3:\n\tP1 -> P2 : mc => s4\nstate s4:\n\tP1 -> P2 : mc => s0\n");
  close_all();
}

Test(draft_patch, a_message_before_an_arc_is_written_where_the_arc_stood) {
  open_text(
      "choreography t\r\nstate s0: P1 -> P2 : ms => s1\r\n\r\nstate s1:\r\n  P1  ->  P2: mc  => s2 // cancel\r\n  P2 "
      "-> "
      "P1 : mf => s3\r\n\r\nfinal state s3:\r\nfinal state s2: # over");
  add_sync(1, 0, "mc", true);
  expect_text(
      "kept choreography t\r\nstate s0: P1 -> P2 : ms => s1\r\n\r\nstate s1:\r\n  P2 -> P1 : nm0 => ns0 // cancel\r\n  "
      "P2 -> "
      "P1 : mf => s3\r\n\r\nfinal state s3:\r\nfinal state s2: # over\r\n\r\nstate ns0:\r\n  P1 -> P2 : mc => s2");
  close_all();
}

Test(draft_patch, a_message_after_an_arc_changes_its_target_only) {
  open_text("state t0:   A   ->  B :m   =>  t1   # first\n   state t1: C -> D : n => t2\nstate t2:");
  add_sync(1, 2, "m", false);
  expect_text(
      "kept state t0:   A   ->  B :m   =>  ns0   # first\n   state t1: C -> D : n => t2\nstate t2:\nstate ns0:\n  B -> "
      "C : "
      "nm0 => t1");
  close_all();
}

Test(draft_patch, comments_of_removed_lines_stay) {
  open_text(
      "state a: A -> B : x => b # to b\nstate b: # gone\n  A -> B : y => c // gone too\n  A -> B : z => c\nstate c: A "
      "-> B "
      ": x => c  # to itself\n");
  begin(HDI_EDIT_REPLACE);
  cr_assert_eq(hdi_draft_redirect(drafts[0], 0, state_called("c")), HD_OK);
  cr_assert_eq(hdi_draft_remove(drafts[0], 3), HD_OK);
  expect_text("kept state a: A -> B : x => c # to b\n# gone\n  // gone too\nstate c:  # to itself\n");
  close_all();
}

Test(draft_patch, repeated_arcs_are_changed_together) {
  open_text("state a:\n  A -> B : x => b # one\n  A -> B : y => b\n  A -> B : x => b # two\n  A -> B : y => b\n");
  begin(HDI_EDIT_REPLACE);
  cr_assert_eq(hdi_draft_redirect(drafts[0], 0, state_called("a")), HD_OK);
  expect_text("kept state a:\n  A -> B : x => a # one\n  A -> B : y => b\n  # two\n  A -> B : y => b\n");
  close_all();
}

Test(draft_patch, another_state_becomes_the_initial_one) {
  open_text(
      "state a:\n  A -> B : x => b\ninitial final state b:\n  A -> B : x => a\nfinal state c:\n  A -> B : y => b\n");
  add_arc("a", "x", "c");
  cr_assert_eq(hdi_draft_set_initial(drafts[0], state_called("a")), HD_OK);
  expect_text(
      "kept state a:\n  A -> B : x => b\n  A -> B : x => c\nfinal state b:\n  A -> B : x => a\nfinal state c:\n  A -> "
      "B : y "
      "=> b\n");
  cr_assert_eq(hdi_draft_set_initial(drafts[0], state_called("c")), HD_OK);
  expect_text(
      "kept state a:\n  A -> B : x => b\n  A -> B : x => c\nfinal state b:\n  A -> B : x => a\ninitial final state "
      "c:\n  A "
      "-> B : y => b\n");
  close_all();
}

Test(draft_patch, a_block_of_which_nothing_is_left_is_written_anew) {
  open_text(
      "# one\nchoreography one\n# mine\n  state a: # first\n    A -> B : x => b\n\n  # between\n  final state b:\n  "
      "never x, x\n"
      "  never x, y\n    A -> B : y => a\n# after\nchoreography two\nstate a:\n  C -> D : x => b");
  begin(HDI_EDIT_REPLACE);
  for (uint32_t a = 0; a < 2; a++) {
    cr_assert_eq(hdi_draft_remove(drafts[0], a), HD_OK);
  }
  uint32_t p, q;
  cr_assert_eq(hdi_draft_add_state(drafts[0], HD_NONE, true, &p), HD_OK);
  cr_assert_eq(hdi_draft_add_state(drafts[0], HD_NONE, false, &q), HD_OK);
  cr_assert_eq(hdi_draft_add_arc(drafts[0], q, chor_input_message(&input, "x"), p, HD_NONE), HD_OK);
  cr_assert_eq(hdi_draft_set_initial(drafts[0], q), HD_OK);
  expect_text(
      "kept # one\nchoreography one\n# mine\n  never x, x\n  final state ns0:\n\n  initial state ns1:\n    A -> B : x "
      "=> "
      "ns0\n# after\nchoreography two\nstate a:\n  C -> D : x => b");
  close_all();
}

Test(draft_patch, only_the_blocks_with_drafts_change) {
  open_text("\xEF\xBB\xBFstate a:\n A -> B : x => b\nchoreography two\nstate a:\n C -> D : x => b\n");
  hdi_draft *untouched = drafts[0];
  drafts[0] = NULL;
  cr_assert_eq(hdi_draft_begin(drafts[1], HDI_EDIT_ADD_ARC, HDI_CASE_NONE, (hd_span){0, 1}, "edit"), HD_OK);
  cr_assert_eq(hdi_draft_add_arc(drafts[1], 1, (hd_message){1}, 0, HD_NONE), HD_OK);
  expect_text(
      "kept \xEF\xBB\xBFstate a:\n A -> B : x => b\nchoreography two\nstate a:\n C -> D : x => b\nstate b:\n C -> D : "
      "x => "
      "a\n");
  drafts[0] = untouched;
  close_all();
}

Test(draft_patch, a_block_without_arcs_is_refused) {
  open_text("state a:\n A -> B : x => b\n");
  begin(HDI_EDIT_REPLACE);
  cr_assert_eq(hdi_draft_remove(drafts[0], 0), HD_OK);
  hd_buffer out = {0};
  cr_assert_eq(hdi_draft_patch(input.file, drafts, &out), HD_E_USAGE);
  hd_buffer_free(&out);
  close_all();
}

/* Does the arc stay? It may equal one before it by now. */
static bool is_seen(const hdi_draft_view *view, uint32_t arc) {
  for (uint32_t i = 0; i < view->arc_count; i++) {
    if (view->arcs[i] == arc) {
      return true;
    }
  }
  return false;
}

/* Are the lines of the text that no edit touches in the patched text, whole and in order? Comments and empty lines are
 * such lines; headers too, unless another state has become the initial one. */
static void check_untouched(unsigned long long seed, const char *patched, const bool *anew) {
  const hd_text *text = input.text;
  hd_arena *arena = hd_arena_new();
  hdi_line *lines;
  uint32_t count, at = 0, state = 0;
  hdi_draft_view views[BLOCKS_MAX];
  cr_assert_eq(hdi_lines_scan(input.file, arena, &lines, &count), HD_OK);
  for (uint32_t b = 0; b < input.file->block_count; b++) {
    cr_assert_eq(hdi_draft_look(drafts[b], arena, &views[b]), HD_OK);
  }
  const char *from = patched;
  for (uint32_t n = 0; n < text->line_count; n++) {
    const hdi_line *line = at < count && lines[at].number == n ? &lines[at++] : NULL;
    uint32_t block = line != NULL ? line->block : at < count ? lines[at].block : input.file->block_count - 1;
    bool expected = !anew[block];
    if (line != NULL && (line->state != HD_NONE || line->arc != HD_NONE)) {
      const hdi_draft *draft = drafts[line->block];
      state = line->state != HD_NONE ? line->state : state;
      expected = expected && views[line->block].number[state] != HD_NONE;
      expected = expected && (line->state == HD_NONE || draft->initial == input.file->blocks[block].initial);
      if (line->arc != HD_NONE) {
        const hdi_draft_arc *arc = &draft->arcs[line->arc];
        expected = expected && !arc->removed && arc->edit == HD_NONE && is_seen(&views[block], line->arc);
      }
    }
    expected = expected && (line == NULL || !line->is_rule);
    size_t length;
    const char *bytes = hd_text_line(text, n + 1, &length);
    for (bool found = false; expected && !found;) {
      const char *end = strchr(from, '\n');
      size_t have = end == NULL ? strlen(from) : (size_t)(end - from);
      have -= have > 0 && from[have - 1] == '\r' ? 1 : 0;
      found = have == length && memcmp(from, bytes, length) == 0;
      cr_assert(found || end != NULL, "seed %llu: line %u is lost from\n%s\n---\n%s", seed, n + 1, text->data, patched);
      from = end == NULL ? from + have : end + 1;
    }
  }
  hd_arena_free(arena);
}

/* Is none of the block's states that have a header in the text kept? */
static bool has_no_header_left(uint32_t block) {
  hd_arena *arena = hd_arena_new();
  hdi_line *lines;
  uint32_t count;
  hdi_draft_view view;
  bool none = true;
  cr_assert_eq(hdi_lines_scan(input.file, arena, &lines, &count), HD_OK);
  cr_assert_eq(hdi_draft_look(drafts[block], arena, &view), HD_OK);
  for (uint32_t i = 0; i < count; i++) {
    none = none && (lines[i].block != block || lines[i].state == HD_NONE || view.number[lines[i].state] == HD_NONE);
  }
  hd_arena_free(arena);
  return none;
}

/* The patched text read again, against the drafts' own files. */
static void check_reread(unsigned long long seed, const char *patched, const char *text) {
  chor_input again;
  chor_input_open(&again, patched);
  bool anew[BLOCKS_MAX] = {false}, any_anew = false;
  for (uint32_t b = 0; b < input.file->block_count; b++) {
    hd_chor_file *alone = NULL;
    cr_assert_eq(hdi_draft_file(drafts[b], true, &alone), HD_OK);
    hd_chor_file reread = *again.file;
    reread.blocks = &again.file->blocks[b];
    reread.block_count = 1;
    const char *difference = chor_renumbered_difference(alone, &reread);
    cr_assert_null(difference, "seed %llu, block %u: %s in\n%s\nfrom\n%s", seed, b, difference, patched, text);
    anew[b] = has_no_header_left(b);
    any_anew |= anew[b];
    hd_chor_file_free(alone);
  }
  if (!any_anew) {
    cr_assert_eq(chor_layout_comments(patched), chor_layout_comments(text),
                 "seed %llu: a comment is lost from\n%s\n---\n%s", seed, text, patched);
  }
  check_untouched(seed, patched, anew);
  chor_input_close(&again);
}

static void try_seed(uint64_t seed, uint32_t *patched, uint32_t *comments) {
  char *plain = hd_random_chor(seed, 2, 5);
  chor_input given;
  chor_input_open(&given, plain);
  char *text = chor_lay_out(given.file, seed);
  open_text(text);
  hd_chor_file without_rules = *input.file; /* the layout added some */
  for (uint32_t b = 0; b < without_rules.block_count; b++) {
    input.file->blocks[b].rule_count = 0;
  }
  const char *difference = chor_renumbered_difference(given.file, &without_rules);
  cr_assert_null(difference, "seed %llu: %s", (unsigned long long)seed, difference);
  close_all();
  open_text(text);
  bool writable = true;
  for (uint32_t b = 0; b < input.file->block_count; b++) {
    chor_random_edits(drafts[b], seed + b, (uint32_t)(seed % 8));
    hd_chor_file *file = NULL;
    writable = hdi_draft_file(drafts[b], false, &file) == HD_OK && writable;
    hd_chor_file_free(file);
  }
  hd_buffer out = {0};
  cr_assert_eq(hdi_draft_patch(input.file, drafts, &out), writable ? HD_OK : HD_E_USAGE);
  if (writable) {
    cr_assert(seed % 8 != 0 || strcmp(out.data, text) == 0, "seed %llu: nothing was to change",
              (unsigned long long)seed);
    check_reread((unsigned long long)seed, out.data, text);
    *patched += 1;
    *comments += chor_layout_comments(text);
  }
  hd_buffer_free(&out);
  close_all();
  chor_input_close(&given);
  free(text);
  free(plain);
}

Test(draft_patch, random_edits_of_random_layouts) {
  uint32_t patched = 0, comments = 0;
  uint64_t count = getenv("HEDDLE_FULL") != NULL ? 20000 : HD_TEST_COUNT(3000);
  for (uint64_t seed = 0; seed < count; seed++) {
    try_seed(seed, &patched, &comments);
  }
  cr_assert_gt(patched, count * 9 / 10);
  cr_assert_gt(comments, count);
}
