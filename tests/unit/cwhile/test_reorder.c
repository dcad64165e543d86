/* Repair by reordering: the orders that the literature's programs need, against all permutations on random programs,
 * and every repair explored once more by the plain interpreter. */
#include "core/explore/explore.h"
#include "frontends/cwhile/good_trace.h"
#include "frontends/cwhile/reorder.h"
#include "tests/support/cw_reference.h"
#include "tests/support/hd_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
  hd_text *text;
  hd_cw_program *program;
  hdi_cw_baseline baseline;
} fixture;

static const hdi_cw_gate_limits GATE = {.threads = 1};
static const hdi_cw_costs COSTS = {.swap = 1, .yield = 4};

static void open_text(fixture *f, hd_text *text) {
  hd_diag *diag = hd_diag_new();
  f->text = text;
  cr_assert(diag != NULL && hd_cw_read(text, diag, &f->program) == HD_OK);
  hd_diag_free(diag);
  cr_assert(hdi_cw_baseline_make(f->program, false, &GATE, &f->baseline) == HD_OK);
}

static void open_words(fixture *f, const char *words) {
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("reorder.cw", words, strlen(words), &text) == HD_OK);
  open_text(f, text);
}

static void open_case(fixture *f, const char *name) {
  char path[512];
  hd_text *text = NULL;
  (void)snprintf(path, sizeof path, "%s/tests/cases/cwhile/%s.cw", HD_SOURCE_DIR, name);
  cr_assert(hd_text_read(path, &text) == HD_OK, "%s", path);
  open_text(f, text);
}

static void close_fixture(fixture *f) {
  hdi_cw_baseline_clear(&f->baseline);
  hd_cw_program_free(f->program);
  hd_text_free(f->text);
}

static hdi_cw_reorder_query query_for(const fixture *f) {
  return (hdi_cw_reorder_query){
      .baseline = &f->baseline, .costs = &COSTS, .tries_max = 400, .repairs_max = 12, .threads = 1};
}

static hdi_cw_reorder_answer find(const fixture *f) {
  hdi_cw_reorder_query query = query_for(f);
  hdi_cw_reorder_answer answer;
  cr_assert(hdi_cw_reorder_find(&query, &answer) == HD_OK);
  return answer;
}

/* ---- programs with known answers ---- */

static const struct {
  const char *name;
  uint32_t swaps, repairs; /* of statements; 0: no order helps */
  const char *holds;       /* in the repaired text, one behind the other; NULL: nothing to say */
  const char *then;
} known[] = {
    {"paper1", 2, 1, "z", "x"},
    {"ex_regr", 0, 0, NULL, NULL},
    {"rtl_intr_mask", 1, 1, NULL, NULL},
    {"rtl_hw_start", 1, 1, NULL, NULL},
    {"usb_abba", 1, 0, NULL, NULL},
    {"arizona", 2, 1, "await(starting==0)", "pat = 1"},
    {"srp_attach", 2, 1, "reg = 1", "i3 = 1"},
    {"iwl3945", 1, 1, NULL, NULL},
    {"lc_rc_i7core_edac", 8, 1, "sn = 1", "sv = 1"},
    {"em28xx_with_asserts", 1, 1, NULL, NULL},
    {"bank_3_threads", 0, 0, NULL, NULL},
    {"bluetooth", 0, 0, NULL, NULL},
    {"twostage", 1, 1, NULL, NULL},
    {"wronglock_1_1", 0, 0, NULL, NULL},
    {"julialang_rr_2362", 1, 1, NULL, NULL},
    {"reorder_2", 0, 0, NULL, NULL},
    {"md_flush_bad", 1, 1, "await(work==0);", "atomic {\n    await(l==0);"},
};

Test(reorder, orders_of_the_literature) {
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    fixture f;
    open_case(&f, known[i].name);
    hdi_cw_reorder_answer answer = find(&f);
    uint32_t swaps = answer.repair_count == 0 ? 0 : answer.repairs[0].statements;
    cr_expect(swaps == known[i].swaps && answer.complete, "%s: %u swaps, expected %u", known[i].name, swaps,
              known[i].swaps);
    cr_expect(known[i].repairs == 0 || answer.repair_count == known[i].repairs, "%s: %u repairs", known[i].name,
              answer.repair_count);
    for (uint32_t r = 0; r < answer.repair_count; r++) {
      const char *text = answer.repairs[r].edited.text->data;
      cr_expect(answer.repairs[r].evidence.accepted && answer.repairs[r].evidence.deadlocks == 0);
      if (known[i].then != NULL && strlen(known[i].holds) > 1) {
        const char *first = strstr(text, known[i].holds), *second = strstr(text, known[i].then);
        cr_expect(first != NULL && second != NULL && first < second, "%s became\n%s", known[i].name, text);
      }
    }
    hdi_cw_reorder_answer_clear(&answer);
    close_fixture(&f);
  }
}

/* Figure 7: the flags y and z keep their order, x comes last. */
Test(reorder, figure_7_moves_x_last) {
  fixture f;
  open_words(&f,
             "int x = 0, y = 0, z = 0;\n"
             "thread t1 {\n  await(x == 1);\n  await(y == 1);\n  assert(z == 1);\n}\n"
             "thread t2 {\n  x = 1;\n  y = 1;\n  z = 1;\n}\n"
             "thread t3 {\n  await(z == 1);\n  assert(y == 1);\n}\n");
  hdi_cw_reorder_answer answer = find(&f);
  cr_assert(answer.repair_count == 1 && answer.repairs[0].swap_count == 2);
  cr_assert(strstr(answer.repairs[0].edited.text->data, "  y = 1;\n  z = 1;\n  x = 1;\n") != NULL, "%s",
            answer.repairs[0].edited.text->data);
  cr_assert(answer.repairs[0].evidence.promise == HDI_CW_PROMISE_PREEMPTION_FREE);
  hdi_cw_reorder_answer_clear(&answer);
  close_fixture(&f);
}

/* Everything that could change places has been executed when the assertion fails: only a cycle tells what helps. */
Test(reorder, whole_runs_teach_inversions) {
  fixture f;
  open_words(&f,
             "int a = 0, b = 0, end = 0, r = 0, s = 0;\n"
             "thread t1 {\n  a = 1;\n  b = 1;\n  end = 1;\n}\n"
             "thread t2 {\n  noreorder {\n    r = a;\n    s = b;\n    await(end == 1);\n    assert(r <= s);\n  }\n}\n");
  hdi_cw_reorder_answer answer = find(&f);
  cr_assert(answer.repair_count == 1 && answer.repairs[0].swap_count == 1);
  cr_assert(strstr(answer.repairs[0].edited.text->data, "  b = 1;\n  a = 1;\n") != NULL);
  hdi_cw_reorder_answer_clear(&answer);
  close_fixture(&f);
}

/* A run that changes threads at a wait has an image that changes them elsewhere: no preemption-free run any more. */
Test(reorder, images_of_preemption_free_runs) {
  fixture f;
  open_words(&f,
             "int x = 0, y = 0, u = 0, never = 0;\n"
             "thread t1 {\n  x = 1;\n  await(never == 0);\n  y = 1;\n}\nthread t2 {\n  u = 1;\n}\n");
  const uint32_t order[] = {1, 0, 2};
  hdi_cw_list_edit list = {.head = f.program->bodies[0].first, .count = 3, .order = order};
  hdi_cw_edit edit = {&list, 1};
  hdi_cw_edited edited;
  hd_cw_lower_options options = {.unfused = true};
  hd_cw_lowering *after = NULL;
  cr_assert(hdi_cw_edit_apply(f.program, &edit, &edited) == HD_OK);
  cr_assert(hd_cw_lower(edited.program, &options, &after) == HD_OK);
  uint32_t plain = 0, at_waits = 0;
  for (uint32_t i = 0; i < f.baseline.preemption_free.count; i++) {
    bool has = false;
    cr_assert(hdi_cw_run_has_image(after, edited.origin, &f.baseline.preemption_free.runs[i], false, &has) == HD_OK);
    plain += has;
    cr_assert(hdi_cw_run_has_image(after, edited.origin, &f.baseline.preemption_free.runs[i], true, &has) == HD_OK);
    at_waits += has;
  }
  cr_expect(f.baseline.preemption_free.count == 3 && plain == 3 && at_waits == 2, "%u runs, %u images, %u at waits",
            f.baseline.preemption_free.count, plain, at_waits);
  hd_cw_lowering_free(after);
  hdi_cw_edited_clear(&edited);
  close_fixture(&f);
}

/* How many preemption-free runs have an image at the same positions, and how many up to free transformations. */
static void expect_images(const char *words, const uint32_t *order, uint32_t runs, uint32_t same, uint32_t free) {
  fixture f;
  open_words(&f, words);
  hdi_cw_list_edit list = {.head = f.program->bodies[0].first, .order = order};
  list.count = hdi_cw_list_length(list.head);
  hdi_cw_edit edit = {&list, 1};
  hdi_cw_edited edited;
  hd_cw_lower_options options = {.unfused = true};
  hd_cw_lowering *after = NULL;
  uint32_t found_same = 0, found_free = 0;
  cr_assert(hdi_cw_edit_apply(f.program, &edit, &edited) == HD_OK);
  cr_assert(hd_cw_lower(edited.program, &options, &after) == HD_OK);
  for (uint32_t i = 0; i < f.baseline.preemption_free.count; i++) {
    const hdi_cw_complete_run *run = &f.baseline.preemption_free.runs[i];
    bool has = false, equivalent = false;
    cr_assert(hdi_cw_run_has_image(after, edited.origin, run, true, &has) == HD_OK);
    cr_assert(hdi_cw_run_has_equivalent(after, edited.origin, run, true, &equivalent) == HD_OK);
    cr_expect(equivalent || !has, "%s\nthe image of run %u is an equivalent", words, i);
    found_same += has;
    found_free += equivalent;
  }
  cr_expect(f.baseline.preemption_free.count == runs && found_same == same && found_free == free,
            "%s\n%u runs, %u images, %u equivalents", words, f.baseline.preemption_free.count, found_same, found_free);
  hd_cw_lowering_free(after);
  hdi_cw_edited_clear(&edited);
  close_fixture(&f);
}

Test(reorder, images_up_to_free_transformations) {
  const uint32_t await_first[] = {1, 0, 2}, locks[] = {1, 0, 2, 3, 4};
  /* What u does can come later; what reads x and not y can come later; what reads x after, y before cannot. */
  expect_images(
      "int x = 0, y = 0, u = 0, never = 0;\n"
      "thread t1 { x = 1; await(never == 0); y = 1; }\nthread t2 { u = 1; }\n",
      await_first, 3, 2, 3);
  expect_images(
      "int x = 0, y = 0, u = 0, never = 0;\n"
      "thread t1 { x = 1; await(never == 0); y = 1; }\nthread t2 { u = x; }\n",
      await_first, 3, 2, 3);
  expect_images(
      "int x = 0, y = 0, u = 0, never = 0;\n"
      "thread t1 { x = 1; await(never == 0); y = 1; }\nthread t2 { u = x + y; }\n",
      await_first, 3, 2, 2);
  /* A branch is part of the run: where it was decided by x it cannot be decided otherwise. */
  expect_images(
      "int x = 0, y = 0, u = 0, never = 0;\n"
      "thread t1 { x = 1; await(never == 0); y = 1; }\nthread t2 { if (x == 1) { if (y == 0) { u = 1; } } }\n",
      await_first, 3, 2, 2);
  /* Threads that async starts come after it, whatever they touch. */
  expect_images(
      "int x = 0, never = 0, u = 0;\nproc work() { u = 1; }\n"
      "thread t1 { async work(); await(never == 0); x = 1; }\n",
      (const uint32_t[]){0, 2, 1}, 2, 2, 2);
  /* A philosopher who takes the other fork first: the neighbour may have to eat before. */
  expect_images(
      "lock a, b, c; int eaten = 0;\n"
      "thread p0 { lock(a); lock(b); eaten = eaten + 1; unlock(b); unlock(a); }\n"
      "thread p1 { lock(b); lock(c); eaten = eaten + 1; unlock(c); unlock(b); }\n",
      locks, 4, 2, 4);
}

Test(reorder, philosophers_take_a_fork_in_another_order) {
  fixture f;
  open_words(&f,
             "lock a, b, c; int eaten = 0;\n"
             "thread p0 { lock(a); lock(b); eaten = eaten + 1; unlock(b); unlock(a); }\n"
             "thread p1 { lock(b); lock(c); eaten = eaten + 1; unlock(c); unlock(b); }\n"
             "thread p2 { lock(c); lock(a); eaten = eaten + 1; unlock(a); unlock(c); }\n");
  hdi_cw_reorder_answer answer = find(&f);
  cr_assert(answer.complete && answer.repair_count == 3, "%u repairs", answer.repair_count);
  for (uint32_t r = 0; r < 3; r++) {
    const hdi_cw_evidence *evidence = &answer.repairs[r].evidence;
    cr_expect(answer.repairs[r].swap_count == 1 && evidence->promise == HDI_CW_PROMISE_PREEMPTION_FREE);
    cr_expect(evidence->runs_kept_in_another_order > 0 && evidence->runs_kept_in_another_order < evidence->runs_kept);
  }
  hdi_cw_reorder_answer_clear(&answer);
  close_fixture(&f);
}

static void expect_pairs(const char *words, const char *const *pairs, size_t count) {
  fixture f;
  open_words(&f, words);
  hd_cw_lower_options options = {.access = false};
  hd_cw_lowering *lowering = NULL;
  hdi_cw_orders orders;
  cr_assert(hd_cw_lower(f.program, &options, &lowering) == HD_OK);
  cr_assert(hdi_cw_orders_make(lowering, &COSTS, false, &orders) == HD_OK);
  cr_expect(orders.pair_count == count, "%s\n%u pairs", words, orders.pair_count);
  for (uint32_t p = 0; p < orders.pair_count && p < count; p++) {
    hd_buffer told = {0};
    hd_cw_print_head(orders.units[orders.pairs[p].a].last, &told);
    hd_buffer_add_text(&told, " | ");
    hd_cw_print_head(orders.units[orders.pairs[p].b].last, &told);
    cr_expect(strcmp(told.data, pairs[p]) == 0, "%s, expected %s", told.data, pairs[p]);
    hd_buffer_free(&told);
  }
  hdi_cw_orders_clear(&orders);
  hd_cw_lowering_free(lowering);
  close_fixture(&f);
}

/* Nothing fails and nothing stops, yet a thread waits for ever: the program as it is is no repair. */
Test(reorder, who_is_left_behind_is_no_repair) {
  fixture f;
  open_words(&f,
             "int tick = 0, asked = 0, answered = 0;\n"
             "daemon thread clock { while (1 == 1) { tick = 1 - tick; } }\n"
             "thread client { asked = 1; tick = 0; await(answered == 1); }\n");
  cr_assert(f.baseline.has_left_behind);
  hdi_cw_reorder_answer answer = find(&f);
  cr_assert(answer.repair_count == 0 && answer.complete && answer.pair_count == 3);
  hdi_cw_reorder_answer_clear(&answer);
  close_fixture(&f);
}

Test(reorder, what_may_change_places) {
  const char *const simple[] = {"x = 1 | y = 2", "y = 2 | z = x"};
  expect_pairs("int x = 0, y = 0, z = 0; thread t { x = 1; y = 2; z = x; }", simple, 2);
  /* The assertion belongs to the statement behind it; one behind the last statement stays. */
  const char *const glued[] = {"x = 1 | y = 2"};
  expect_pairs("int x = 0, y = 0; thread t { x = 1; assert(y == 0); y = 2; assert(x == 1); }", glued, 1);
  /* Never across an if; labels and fixed threads stay. */
  expect_pairs("int x = 0, y = 0; thread t { x = 1; if (x == 1) { skip; } y = 2; }", NULL, 0);
  expect_pairs("int x = 0, y = 0; thread t { x = 1; L: y = 2; }", NULL, 0);
  expect_pairs("int x = 0, y = 0; fixed thread t { x = 1; y = 2; }", NULL, 0);
  expect_pairs("int x = 0, y = 0; thread t { noreorder { x = 1; y = 2; } }", NULL, 0);
  const char *const local[] = {"x = 1 | r = y"};
  expect_pairs("int x = 0, y = 0; thread t { int r = 0; x = 1; r = y; x = r; }", local, 1);
}

/* ---- good runs ---- */

/* The lessons of all good runs of a program, as "a before b" or "one of ...", sorted. */
static void expect_lessons(const char *words, const char *const *expected, size_t count) {
  fixture f;
  open_words(&f, words);
  hd_cw_lower_options options = {.access = false};
  hd_cw_lowering *lowering = NULL;
  hdi_cw_orders orders;
  hd_trace **traces = NULL;
  uint32_t trace_count = 0;
  hd_arena *arena = hd_arena_new();
  hdi_cw_lessons lessons = {0};
  cr_assert(hd_cw_lower(f.program, &options, &lowering) == HD_OK);
  cr_assert(hdi_cw_orders_make(lowering, &COSTS, false, &orders) == HD_OK);
  cr_assert(hdi_cw_find_good(lowering, 8, &traces, &trace_count) == HD_OK && trace_count > 0);
  for (uint32_t i = 0; i < trace_count; i++) {
    cr_assert(hdi_cw_learn_good(&orders, lowering, traces[i], arena, &lessons) == HD_OK);
    hd_trace_free(traces[i]);
  }
  free(traces);
  cr_expect(lessons.count == count, "%s\n%zu lessons", words, lessons.count);
  for (size_t i = 0; i < lessons.count; i++) {
    hd_buffer told = {0};
    for (size_t w = 0; w < lessons.list[i].count; w++) {
      for (uint32_t l = 0; l < lessons.list[i].ways[w].count; l++) {
        const hd_literal *literal = &lessons.list[i].ways[w].literals[l];
        cr_expect(literal->negated, "an order of the text is kept");
        hd_buffer_add_text(&told, l > 0 ? " and " : w > 0 ? " or " : "");
        hd_cw_print_head(orders.units[orders.pairs[literal->variable].a].last, &told);
        hd_buffer_add_text(&told, " < ");
        hd_cw_print_head(orders.units[orders.pairs[literal->variable].b].last, &told);
      }
    }
    bool is_expected = false;
    for (size_t e = 0; e < count; e++) {
      is_expected = is_expected || strcmp(told.data, expected[e]) == 0;
    }
    cr_expect(is_expected, "%s\nlearned %s", words, told.data);
    hd_buffer_free(&told);
  }
  hdi_cw_orders_clear(&orders);
  hd_cw_lowering_free(lowering);
  hd_arena_free(arena);
  close_fixture(&f);
}

/* Examples 2 and 3: the assertion B moves with what stands behind it, so B <= C holds by itself. */
Test(reorder, good_runs_of_the_paper) {
  const char *const second[] = {"x = 1 < y = 1 and await(y == 1) < skip"};
  expect_lessons("int x = 0, y = 0;\nthread t1 { x = 1; y = 1; }\nthread t2 { await(y == 1); assert(x == 1); skip; }\n",
                 second, 1);
  const char *const third[] = {"x = 1 < y = 1 and await(y == 1) < z = 1", "await(z == 1) < x = 0"};
  expect_lessons(
      "int x = 0, y = 0, z = 0;\nthread t1 { x = 1; y = 1; }\n"
      "thread t2 { await(y == 1); assert(x == 1); z = 1; }\nthread t3 { await(z == 1); x = 0; }\n",
      third, 2);
}

Test(reorder, good_runs_spare_bad_ones) {
  fixture f;
  open_case(&f, "lc_rc_i7core_edac");
  hdi_cw_reorder_answer with = find(&f);
  hdi_cw_reorder_query query = query_for(&f);
  query.bad_only = true;
  hdi_cw_reorder_answer without;
  cr_assert(hdi_cw_reorder_find(&query, &without) == HD_OK);
  cr_assert(with.good_runs > 0 && without.good_runs == 0);
  cr_assert(with.bad_runs * 4 < without.bad_runs, "%u with good runs, %u without", with.bad_runs, without.bad_runs);
  cr_assert(with.repair_count == 1 && without.repair_count == 1 && with.repairs[0].cost == without.repairs[0].cost);
  cr_assert(strcmp(with.repairs[0].edited.text->data, without.repairs[0].edited.text->data) == 0);
  hdi_cw_reorder_answer_clear(&with);
  hdi_cw_reorder_answer_clear(&without);
  close_fixture(&f);
}

/* ---- runs ---- */

static void expect_runs(const char *words, uint64_t expected, bool known_expected) {
  fixture f;
  open_words(&f, words);
  hd_cw_lower_options options = {.access = false};
  hd_cw_lowering *lowering = NULL;
  uint64_t count = 0;
  bool counted = false;
  cr_assert(hd_cw_lower(f.program, &options, &lowering) == HD_OK);
  cr_assert(hdi_cw_count_runs(lowering, 100000, &count, &counted) == HD_OK);
  cr_expect(counted == known_expected && (!counted || count == expected), "%s\n%d runs", words, (int)count);
  hd_cw_lowering_free(lowering);
  close_fixture(&f);
}

Test(reorder, runs_are_counted) {
  const char *const two = "int x = 0, y = 0; thread a { x = 1; x = 2; } thread b { y = 1; y = 2; }";
  expect_runs(two, 6, true); /* 4! / (2! 2!) */
  expect_runs(
      "int x = 0, y = 0, z = 0; thread a { x = 1; x = 2; } thread b { y = 1; y = 2; } thread c { z = 1; z = 2; }", 90,
      true);
  expect_runs("int x = 0; thread a { x = nondet(0,3); } thread b { await(x == 3); }", 1, true);
  expect_runs("int x = 0; thread a { while (*) { x = 1; } }", 0, false);
  fixture f;
  open_words(&f, two);
  cr_assert(f.baseline.sequential.count == 2 && f.baseline.preemption_free.count == 2 && f.baseline.runs == 6);
  close_fixture(&f);
}

Test(reorder, threads_find_the_same) {
  const char *const names[] = {"lc_rc_i7core_edac", "srp_attach", "md_flush_bad"};
  for (size_t i = 0; i < 3; i++) {
    fixture f;
    open_case(&f, names[i]);
    hdi_cw_reorder_answer one = find(&f);
    hdi_cw_reorder_query query = query_for(&f);
    for (query.threads = 2; query.threads <= 8; query.threads *= 2) {
      hdi_cw_reorder_answer many;
      cr_assert(hdi_cw_reorder_find(&query, &many) == HD_OK);
      cr_assert(memcmp(&one.progress, &many.progress, sizeof one.progress) == 0 &&
                one.repair_count == many.repair_count && one.bad_runs == many.bad_runs);
      for (uint32_t r = 0; r < one.repair_count; r++) {
        cr_assert(strcmp(one.repairs[r].edited.text->data, many.repairs[r].edited.text->data) == 0);
      }
      hdi_cw_reorder_answer_clear(&many);
    }
    hdi_cw_reorder_answer_clear(&one);
    close_fixture(&f);
  }
}

/* ---- orders with sections ---- */

/* x and y change at once, and f after both: each alone is not enough, and one block around all three costs more. */
static const char both_needed[] =
    "int f = 0, x = 0, y = 0;\n"
    "thread t1 {\n  f = 1;\n  x = 1;\n  y = 1;\n}\n"
    "thread t2 {\n  await(f == 1);\n  assert(x == 1);\n}\n"
    "thread t3 {\n  atomic {\n    assert(x == y);\n  }\n}\n";

Test(reorder, order_and_section_together) {
  fixture f;
  open_words(&f, both_needed);
  hdi_cw_reorder_answer plain = find(&f);
  cr_assert(plain.repair_count == 0 && plain.complete && plain.nothing != NULL);
  hdi_cw_reorder_query query = query_for(&f);
  query.sections = true;
  hdi_cw_reorder_answer mixed;
  cr_assert(hdi_cw_reorder_find(&query, &mixed) == HD_OK);
  cr_assert(mixed.complete && mixed.repair_count == 1, "%u repairs", mixed.repair_count);
  const hdi_cw_reordering *repair = &mixed.repairs[0];
  cr_expect(repair->cost == 6 && repair->swap_count == 2 && repair->section_count == 1);
  cr_expect(repair->sections[0].count == 2 && repair->sections[0].cost == 4);
  cr_expect(strstr(repair->edited.text->data, "  atomic {\n    x = 1;\n    y = 1;\n  }\n  f = 1;\n") != NULL);
  hdi_cw_reorder_answer_clear(&mixed);
  query.cost_max = 5;
  cr_assert(hdi_cw_reorder_find(&query, &mixed) == HD_OK);
  cr_assert(mixed.complete && mixed.repair_count == 0 && mixed.nothing == NULL);
  hdi_cw_reorder_answer_clear(&mixed);
  hdi_cw_reorder_answer_clear(&plain);
  close_fixture(&f);
}

static void expect_mixed(const char *words, uint64_t cost, const char *text) {
  fixture f;
  open_words(&f, words);
  hdi_cw_reorder_query query = query_for(&f);
  query.sections = true;
  hdi_cw_reorder_answer answer;
  cr_assert(hdi_cw_reorder_find(&query, &answer) == HD_OK);
  cr_assert(answer.complete && answer.repair_count == 1 && answer.repairs[0].cost == cost, "%u repairs, cost %d",
            answer.repair_count, answer.repair_count == 0 ? 0 : (int)answer.repairs[0].cost);
  cr_expect(strstr(answer.repairs[0].edited.text->data, text) != NULL, "%s", answer.repairs[0].edited.text->data);
  hdi_cw_reorder_answer_clear(&answer);
  close_fixture(&f);
}

/* Everything has been executed when the assertions fail: only a cycle through the section tells that it helps. */
Test(reorder, whole_runs_teach_sections) {
  expect_mixed(
      "int f = 0, a = 0, b = 0, end = 0, r = 0, s = 0, q = 0;\n"
      "thread t1 {\n  f = 1;\n  a = 1;\n  b = 1;\n  end = 1;\n}\n"
      "thread t2 {\n  noreorder {\n    atomic {\n      r = a;\n      s = b;\n    }\n    await(end == 1);\n"
      "    assert(r == s);\n  }\n}\n"
      "thread t3 {\n  noreorder {\n    await(f == 1);\n    q = a;\n    await(end == 1);\n    assert(q == 1);\n  }\n}\n",
      6, "  atomic {\n    a = 1;\n    b = 1;\n  }\n  f = 1;\n  end = 1;\n");
}

/* A candidate with a section around x and the await deadlocks, which says nothing about programs without it. */
Test(reorder, a_section_that_cannot_begin_is_not_needed) {
  expect_mixed(
      "int x = 0, y = 0, f = 0, a = 0, b = 0;\n"
      "thread t1 {\n  x = 1;\n  await(y == 1);\n  f = 1;\n  a = 1;\n  b = 1;\n}\n"
      "fixed thread t2 {\n  await(x == 1);\n  y = 1;\n}\n"
      "thread t3 {\n  await(f == 1);\n  assert(a == 1);\n}\n"
      "thread t4 {\n  atomic {\n    assert(a == b);\n  }\n}\n",
      6, "  atomic {\n    a = 1;\n    b = 1;\n  }\n  f = 1;\n");
}

/* One block around x and seen, and f behind it, would cost as much, but only hide the ghost. */
Test(reorder, sections_do_not_hide_ghosts) {
  fixture f;
  open_words(&f,
             "int f = 0, x = 0; ghost int seen = 0;\n"
             "thread t1 {\n  f = 1;\n  x = 1;\n  seen = 1;\n}\n"
             "thread t2 {\n  await(f == 1);\n  assert(x == 1);\n}\n"
             "thread t3 {\n  assert(x == 0 || seen == 1);\n}\n");
  hdi_cw_reorder_query query = query_for(&f);
  query.sections = true;
  query.cost_max = 6;
  hdi_cw_reorder_answer answer;
  cr_assert(hdi_cw_reorder_find(&query, &answer) == HD_OK);
  cr_assert(answer.complete && answer.repair_count == 1, "%u repairs", answer.repair_count);
  cr_assert(
      strstr(answer.repairs[0].edited.text->data, "  seen = 1;\n  atomic {\n    f = 1;\n    x = 1;\n  }\n") != NULL,
      "%s", answer.repairs[0].edited.text->data);
  hdi_cw_reorder_answer_clear(&answer);
  close_fixture(&f);
}

static hd_status make_orders(const fixture *f, bool sections, hd_cw_lowering **lowering, hdi_cw_orders *orders) {
  hd_cw_lower_options options = {.access = false};
  cr_assert(hd_cw_lower(f->program, &options, lowering) == HD_OK);
  return hdi_cw_orders_make(*lowering, &COSTS, sections, orders);
}

/* Every assignment of the formula is a program of this cost, and says so: no section that is none, none left out. */
Test(reorder, sections_are_rows_of_units) {
  fixture f;
  hd_cw_lowering *lowering = NULL;
  hdi_cw_orders orders;
  open_words(&f, "int x = 0, y = 0, z = 0; thread t { x = 1; y = 1; assert(x == 1); z = 1; assert(z == 1); }");
  cr_assert(make_orders(&f, true, &lowering, &orders) == HD_OK);
  hd_formula *formula = hdi_cw_orders_formula(&orders);
  hd_hitting_limits limits = {.choices_max = 200};
  /* 4 units of which the last stays; with nothing asked for the program as it is comes first, then by cost. */
  cr_assert(orders.unit_count == 4 && orders.pair_count == 2 && orders.units[3].stays);
  for (uint32_t round = 0; round < 40; round++) {
    hd_hitting_answer answer;
    cr_assert(hd_formula_solve(formula, &limits, &answer) == HD_OK);
    if (answer.choice_count == 0) {
      cr_assert(round > 10);
      hd_hitting_answer_clear(&answer);
      break;
    }
    for (size_t c = 0; c < answer.choice_count; c++) {
      bool chosen[64] = {false};
      hd_literal clause[64];
      uint64_t cost = 0;
      for (uint32_t i = 0; i < answer.choices[c].count; i++) {
        chosen[answer.choices[c].elements[i]] = true;
      }
      for (uint32_t v = 0; v < orders.variable_count; v++) {
        clause[v] = (hd_literal){v, chosen[v]};
      }
      hd_arena *arena = hd_arena_new();
      hdi_cw_section *sections = NULL;
      uint32_t count = 0;
      hdi_cw_edit edit;
      cr_assert(hdi_cw_sections_list(&orders, chosen, arena, &sections, &count) == HD_OK);
      cr_assert(hdi_cw_orders_edit(&orders, chosen, arena, &edit) == HD_OK);
      for (uint32_t s = 0; s < count; s++) {
        cost += sections[s].cost;
      }
      for (uint32_t p = 0; p < orders.pair_count; p++) {
        cost += chosen[p] ? orders.pairs[p].cost : 0;
      }
      cr_expect(cost == answer.cost && (edit.list_count > 0) == (cost > 0) &&
                (edit.list_count == 0 || edit.lists[0].wrap_count == count));
      cr_assert(hd_formula_clause(formula, clause, orders.variable_count) == HD_OK);
      hd_arena_free(arena);
    }
    hd_hitting_answer_clear(&answer);
  }
  hd_formula_free(formula);
  hdi_cw_orders_clear(&orders);
  hd_cw_lowering_free(lowering);
  close_fixture(&f);
}

/* ---- random programs ---- */

static bool is_an_order(const hdi_cw_orders *orders, const bool *inverted) {
  for (uint32_t a = 0; a < orders->unit_count; a++) {
    for (uint32_t b = 0; b < orders->unit_count; b++) {
      for (uint32_t c = 0; c < orders->unit_count; c++) {
        uint32_t block = orders->units[a].block;
        if (a != b && b != c && a != c && block != HD_NONE && orders->units[b].block == block &&
            orders->units[c].block == block && hdi_cw_comes_before(orders, inverted, a, b) &&
            hdi_cw_comes_before(orders, inverted, b, c) && !hdi_cw_comes_before(orders, inverted, a, c)) {
          return false;
        }
      }
    }
  }
  return true;
}

/* Does the gate take this order, without deadlocks and anybody left behind unless `keeps`? */
static bool passes(const fixture *f, const hdi_cw_orders *orders, const bool *chosen, bool keeps) {
  hd_arena *arena = hd_arena_new();
  hdi_cw_edit edit;
  hdi_cw_edited edited;
  hdi_cw_evidence evidence = {0};
  cr_assert(hdi_cw_orders_edit(orders, chosen, arena, &edit) == HD_OK);
  hd_status status = hdi_cw_edit_apply(f->program, &edit, &edited);
  cr_assert(status == HD_OK || (status == HD_E_INPUT && orders->section_of != NULL));
  if (status == HD_OK) {
    cr_assert(hdi_cw_judge(&f->baseline, &edited, &GATE, arena, &evidence) == HD_OK);
  }
  hdi_cw_edited_clear(&edited);
  hd_arena_free(arena);
  bool clean = evidence.deadlocks == 0 && !evidence.left_behind;
  return status == HD_OK && evidence.accepted && (keeps || clean);
}

/* The least cost of an order that passes; UINT64_MAX: none. */
static uint64_t least_by_enumeration(const fixture *f, const hdi_cw_orders *orders, bool keeps, uint32_t *how_many) {
  uint64_t least = UINT64_MAX;
  *how_many = 0;
  for (uint32_t set = 1; set < 1u << orders->pair_count; set++) {
    bool inverted[16] = {false};
    uint64_t cost = 0;
    for (uint32_t p = 0; p < orders->pair_count; p++) {
      inverted[p] = ((set >> p) & 1) != 0;
      cost += inverted[p] ? orders->pairs[p].cost : 0;
    }
    if (cost <= least && is_an_order(orders, inverted) && passes(f, orders, inverted, keeps)) {
      *how_many = cost < least ? 1 : *how_many + 1;
      least = cost;
    }
  }
  return least;
}

/* Chooses the sections that the bits say: bit u: unit u stands in one section with the unit before it in the new order;
 * bit u of `whole`: it is one step. False: there is nothing before it, or a unit of a section that is not whole. */
static bool choose_sections(const hdi_cw_orders *orders, uint32_t joined, uint32_t whole, bool *chosen,
                            uint64_t *cost) {
  uint32_t section[16], place[16]; /* per unit: the unit that its section begins with, its place among its block */
  for (uint32_t u = 0; u < orders->unit_count; u++) {
    place[u] = 0;
    for (uint32_t v = 0; v < orders->unit_count; v++) {
      bool before = v != u && orders->units[u].block != HD_NONE && orders->units[v].block == orders->units[u].block &&
                    hdi_cw_comes_before(orders, chosen, v, u);
      place[u] += before;
    }
  }
  for (uint32_t step = 0; step < orders->unit_count; step++) {
    for (uint32_t u = 0; u < orders->unit_count; u++) {
      if (place[u] != step) {
        continue;
      }
      section[u] = u;
      bool asks = ((joined >> u) & 1) != 0, has = false;
      for (uint32_t v = 0; asks && v < orders->unit_count; v++) {
        if (step > 0 && orders->units[v].block == orders->units[u].block && place[v] + 1 == step) {
          section[u] = section[v];
          has = true;
        }
      }
      if (asks != has) {
        return false;
      }
      *cost += asks ? orders->costs[orders->joined[u]] : 0;
    }
  }
  for (uint32_t u = 0; u < orders->unit_count; u++) {
    uint32_t own = orders->section_of[(size_t)u * orders->unit_count + u];
    bool is_whole = ((whole >> u) & 1) != 0;
    if (is_whole && (own == HD_NONE || orders->units[u].block == HD_NONE)) {
      return false;
    }
    for (uint32_t v = 0; v < orders->unit_count; v++) {
      if (v != u && orders->units[u].block != HD_NONE && orders->units[u].block == orders->units[v].block &&
          section[u] == section[v]) {
        chosen[orders->section_of[(size_t)u * orders->unit_count + v]] = true;
        if (own != HD_NONE && !is_whole) {
          return false;
        }
      }
    }
    if (is_whole) {
      chosen[own] = true;
      *cost += orders->costs[own];
    }
  }
  return true;
}

/* The same with at least one section: every order times every row of sections. */
static uint64_t least_with_sections(const fixture *f, const hdi_cw_orders *orders, bool keeps, uint32_t *how_many) {
  uint64_t least = UINT64_MAX;
  uint32_t units = orders->unit_count;
  *how_many = 0;
  for (uint32_t set = 1; set < 1u << orders->pair_count; set++) {
    for (uint32_t bits = 1; bits < 1u << (2 * units); bits++) {
      bool chosen[64] = {false};
      uint64_t cost = 0;
      for (uint32_t p = 0; p < orders->pair_count; p++) {
        chosen[p] = ((set >> p) & 1) != 0;
        cost += chosen[p] ? orders->pairs[p].cost : 0;
      }
      if (is_an_order(orders, chosen) &&
          choose_sections(orders, bits & ((1u << units) - 1), bits >> units, chosen, &cost) && cost <= least &&
          !hdi_cw_sections_only_ghost(orders, chosen) && passes(f, orders, chosen, keeps)) {
        *how_many = cost < least ? 1 : *how_many + 1;
        least = cost;
      }
    }
  }
  return least;
}

typedef struct totals {
  uint32_t broken, repaired, compared;
} totals;

static void compare(uint64_t seed, const char *words, const fixture *f, const hdi_cw_reorder_answer *answer,
                    bool sections, totals *sum) {
  hd_cw_lowering *lowering = NULL;
  hdi_cw_orders orders;
  cr_assert(make_orders(f, sections, &lowering, &orders) == HD_OK);
  bool small = sections ? orders.pair_count <= 3 && orders.unit_count <= 5 : orders.pair_count <= 7;
  if (small && answer->complete) {
    uint32_t how_many = 0;
    uint64_t least = sections ? least_with_sections(f, &orders, answer->keeps_deadlocks, &how_many)
                              : least_by_enumeration(f, &orders, answer->keeps_deadlocks, &how_many);
    uint64_t found = answer->repair_count == 0 ? UINT64_MAX : answer->repairs[0].cost;
    cr_assert(found == least && (least == UINT64_MAX || how_many == answer->repair_count || how_many > 12),
              "seed %d%s: cost %d, %u repairs; expected %d, %u\n%s", (int)seed, sections ? ", with sections" : "",
              (int)found, answer->repair_count, (int)least, how_many, words);
    sum->compared += orders.pair_count > 0;
  }
  hdi_cw_orders_clear(&orders);
  hd_cw_lowering_free(lowering);
}

static void check_answer(uint64_t seed, const char *words, const fixture *f, bool sections, totals *sum) {
  hdi_cw_reorder_query query = query_for(f);
  query.sections = sections;
  hdi_cw_reorder_answer answer;
  cr_assert(hdi_cw_reorder_find(&query, &answer) == HD_OK);
  for (uint32_t r = 0; r < answer.repair_count; r++) {
    cw_counts after = cw_reference_explore(answer.repairs[r].edited.text->data, 200000);
    cr_assert(after.complete && after.error_states == 0 && !after.out_of_range && !after.division && !after.endless &&
                  (answer.keeps_deadlocks || after.deadlocks == 0),
              "seed %d: wrong repair\n%s", (int)seed, answer.repairs[r].edited.text->data);
  }
  sum->repaired += answer.repair_count > 0;
  compare(seed, words, f, &answer, sections, sum);
  hdi_cw_reorder_answer_clear(&answer);
}

static void check_random(uint64_t seed, bool sections, totals *sum) {
  char *words = random_cw(seed);
  cw_counts before = cw_reference_explore(words, 20000);
  bool bad = before.error_states > 0 || before.out_of_range || before.division || before.deadlocks > 0;
  if (before.complete && bad && !before.endless) {
    fixture f;
    open_words(&f, words);
    if (f.baseline.sequential.bad_count == 0 && !f.baseline.sequential.fault) {
      sum->broken++;
      check_answer(seed, words, &f, sections, sum);
    }
    close_fixture(&f);
  }
  free(words);
}

static void check_many(uint64_t count, bool sections) {
  totals sum = {0};
  for (uint64_t seed = 1; seed <= count; seed++) {
    check_random(seed, sections, &sum);
  }
  fprintf(stderr, "%u broken, %u repaired, %u costs equal those of all programs\n", sum.broken, sum.repaired,
          sum.compared);
  cr_assert(sum.broken > count / 50 && sum.compared > 0);
  cr_assert(sum.repaired > 0 || count < 400);
}

Test(reorder, random_programs) {
  check_many(getenv("HEDDLE_FULL") == NULL ? HD_TEST_COUNT(240) : 4000, false);
}

Test(reorder, random_programs_with_sections) {
  check_many(getenv("HEDDLE_FULL") == NULL ? HD_TEST_COUNT(120) : 4000, true);
}
