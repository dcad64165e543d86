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
static const hdi_cw_costs COSTS = {.swap = 1};

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
    {"md_flush_bad", 0, 0, NULL, NULL},
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

static void expect_pairs(const char *words, const char *const *pairs, size_t count) {
  fixture f;
  open_words(&f, words);
  hd_cw_lower_options options = {.access = false};
  hd_cw_lowering *lowering = NULL;
  hdi_cw_orders orders;
  cr_assert(hd_cw_lower(f.program, &options, &lowering) == HD_OK);
  cr_assert(hdi_cw_orders_make(lowering, &COSTS, &orders) == HD_OK);
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
  cr_assert(hdi_cw_orders_make(lowering, &COSTS, &orders) == HD_OK);
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

/* The least cost of an order that the gate takes and that, unless `keeps`, has no deadlock; UINT64_MAX: none. */
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
    if (cost > least || !is_an_order(orders, inverted)) {
      continue;
    }
    hd_arena *arena = hd_arena_new();
    hdi_cw_edit edit;
    hdi_cw_edited edited;
    hdi_cw_evidence evidence;
    cr_assert(hdi_cw_orders_edit(orders, inverted, arena, &edit) == HD_OK);
    cr_assert(hdi_cw_edit_apply(f->program, &edit, &edited) == HD_OK);
    cr_assert(hdi_cw_judge(&f->baseline, &edited, &GATE, arena, &evidence) == HD_OK);
    if (evidence.accepted && (keeps || evidence.deadlocks == 0)) {
      *how_many = cost < least ? 1 : *how_many + 1;
      least = cost;
    }
    hdi_cw_edited_clear(&edited);
    hd_arena_free(arena);
  }
  return least;
}

typedef struct totals {
  uint32_t broken, repaired, compared;
} totals;

static void compare(uint64_t seed, const char *words, const fixture *f, const hdi_cw_reorder_answer *answer,
                    totals *sum) {
  hd_cw_lower_options options = {.access = false};
  hd_cw_lowering *lowering = NULL;
  hdi_cw_orders orders;
  cr_assert(hd_cw_lower(f->program, &options, &lowering) == HD_OK);
  cr_assert(hdi_cw_orders_make(lowering, &COSTS, &orders) == HD_OK);
  if (orders.pair_count <= 7 && answer->complete) {
    uint32_t how_many = 0;
    uint64_t least = least_by_enumeration(f, &orders, answer->keeps_deadlocks, &how_many);
    uint64_t found = answer->repair_count == 0 ? UINT64_MAX : answer->repairs[0].cost;
    cr_assert(found == least && (least == UINT64_MAX || how_many == answer->repair_count || how_many > 12),
              "seed %d: cost %d, %u repairs; expected %d, %u\n%s", (int)seed, (int)found, answer->repair_count,
              (int)least, how_many, words);
    sum->compared += orders.pair_count > 0;
  }
  hdi_cw_orders_clear(&orders);
  hd_cw_lowering_free(lowering);
}

static void check_random(uint64_t seed, totals *sum) {
  char *words = random_cw(seed);
  cw_counts before = cw_reference_explore(words, 20000);
  bool bad = before.error_states > 0 || before.out_of_range || before.division || before.deadlocks > 0;
  if (before.complete && bad && !before.endless) {
    fixture f;
    open_words(&f, words);
    if (f.baseline.sequential.bad_count == 0 && !f.baseline.sequential.fault) {
      sum->broken++;
      hdi_cw_reorder_answer answer = find(&f);
      for (uint32_t r = 0; r < answer.repair_count; r++) {
        cw_counts after = cw_reference_explore(answer.repairs[r].edited.text->data, 200000);
        cr_assert(after.complete && after.error_states == 0 && !after.out_of_range && !after.division &&
                      !after.endless && (answer.keeps_deadlocks || after.deadlocks == 0),
                  "seed %d: wrong repair\n%s", (int)seed, answer.repairs[r].edited.text->data);
      }
      sum->repaired += answer.repair_count > 0;
      compare(seed, words, &f, &answer, sum);
      hdi_cw_reorder_answer_clear(&answer);
    }
    close_fixture(&f);
  }
  free(words);
}

Test(reorder, random_programs) {
  totals sum = {0};
  uint64_t count = getenv("HEDDLE_FULL") == NULL ? HD_TEST_COUNT(240) : 4000;
  for (uint64_t seed = 1; seed <= count; seed++) {
    check_random(seed, &sum);
  }
  fprintf(stderr, "%u broken, %u repaired, %u costs equal those of all permutations\n", sum.broken, sum.repaired,
          sum.compared);
  cr_assert(sum.broken > count / 50 && sum.compared > 0);
  cr_assert(sum.repaired > 0 || count < 400);
}
