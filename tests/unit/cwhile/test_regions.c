/* Repair by atomic regions: the sizes that the literature's programs need, against exhaustive search on random
 * programs, and every repair explored once more by the plain interpreter. */
#include "core/explore/explore.h"
#include "frontends/cwhile/regions.h"
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

static void open_text(fixture *f, hd_text *text, bool access) {
  hd_diag *diag = hd_diag_new();
  f->text = text;
  cr_assert(diag != NULL && hd_cw_read(text, diag, &f->program) == HD_OK);
  hd_diag_free(diag);
  cr_assert(hdi_cw_baseline_make(f->program, access, &GATE, &f->baseline) == HD_OK);
}

static void open_words_as(fixture *f, const char *words, bool access) {
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("regions.cw", words, strlen(words), &text) == HD_OK);
  open_text(f, text, access);
}

static void open_words(fixture *f, const char *words) {
  open_words_as(f, words, false);
}

static void open_case(fixture *f, const char *name) {
  char path[512];
  hd_text *text = NULL;
  (void)snprintf(path, sizeof path, "%s/tests/cases/cwhile/%s.cw", HD_SOURCE_DIR, name);
  cr_assert(hd_text_read(path, &text) == HD_OK, "%s", path);
  open_text(f, text, false);
}

static void close_fixture(fixture *f) {
  hdi_cw_baseline_clear(&f->baseline);
  hd_cw_program_free(f->program);
  hd_text_free(f->text);
}

static hdi_cw_region_query query_for(const fixture *f, hdi_cw_wrap_kind kind) {
  return (hdi_cw_region_query){
      .baseline = &f->baseline, .kind = kind, .yields_max = 8, .tries_max = 400, .repairs_max = 12, .threads = 1};
}

static hdi_cw_region_answer find(const fixture *f, hdi_cw_wrap_kind kind) {
  hdi_cw_region_query query = query_for(f, kind);
  hdi_cw_region_answer answer;
  cr_assert(hdi_cw_regions_find(&query, &answer) == HD_OK);
  return answer;
}

/* ---- programs with known answers ---- */

static const struct {
  const char *name;
  uint32_t raw, strong, weak; /* yields; 0: none */
} known[] = {
    {"paper1", 1, 1, 2},
    {"ex_regr", 1, 1, 2},
    {"rtl_intr_mask", 1, 1, 2},
    {"rtl_hw_start", 1, 1, 2},
    {"arizona", 0, 2, 0},
    {"srp_attach", 2, 2, 3},
    {"iwl3945", 1, 3, 3},
    {"em28xx_with_asserts", 1, 1, 2},
    {"bank_3_threads", 1, 1, 2},
    {"bluetooth", 1, 1, 2},
    {"twostage", 1, 1, 2},
    {"wronglock_1_1", 2, 2, 3},
    {"julialang_rr_2362", 1, 1, 2},
    {"reorder_2", 1, 1, 2},
    {"f_acm", 4, 4, 6},
    {"lc_rc_i7core_edac", 1, 0, 0},
    {"bank_load_store_split", 1, 1, 2},
    {"cav14_ex5", 1, 1, 2},
};

Test(regions, sizes_of_the_literature) {
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    fixture f;
    open_case(&f, known[i].name);
    hdi_cw_region_answer strong = find(&f, HDI_CW_WRAP_ATOMIC), weak = find(&f, HDI_CW_WRAP_WATOMIC);
    cr_expect(strong.raw_minimum == known[i].raw, "%s: raw %u, expected %u", known[i].name, strong.raw_minimum,
              known[i].raw);
    uint32_t size = strong.region_count == 0 ? 0 : strong.regions[0].yield_count;
    cr_expect(size == known[i].strong, "%s: strong %u, expected %u", known[i].name, size, known[i].strong);
    size = weak.region_count == 0 ? 0 : weak.regions[0].yield_count;
    cr_expect(size == known[i].weak, "%s: weak %u, expected %u", known[i].name, size, known[i].weak);
    for (uint32_t r = 0; r < strong.region_count; r++) {
      cr_expect(strong.regions[r].yield_count == known[i].strong && strong.regions[r].evidence.accepted);
    }
    hdi_cw_region_answer_clear(&strong);
    hdi_cw_region_answer_clear(&weak);
    close_fixture(&f);
  }
}

/* The loop that the paper starts from: the same minimum, from at least as many bad runs. */
Test(regions, the_naive_loop_finds_the_same_minimum) {
  uint32_t naive_runs = 0, runs = 0;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    fixture f;
    open_case(&f, known[i].name);
    hdi_cw_region_answer plain = find(&f, HDI_CW_WRAP_ATOMIC), naive;
    hdi_cw_region_query query = query_for(&f, HDI_CW_WRAP_ATOMIC);
    query.naive = true;
    cr_assert(hdi_cw_regions_find(&query, &naive) == HD_OK);
    cr_expect(naive.raw_minimum == plain.raw_minimum && naive.raw_runs >= plain.raw_runs && plain.raw_complete,
              "%s: %u from %u runs, %u from %u", known[i].name, naive.raw_minimum, naive.raw_runs, plain.raw_minimum,
              plain.raw_runs);
    cr_expect(naive.region_count == plain.region_count);
    naive_runs += naive.raw_runs;
    runs += plain.raw_runs;
    hdi_cw_region_answer_clear(&plain);
    hdi_cw_region_answer_clear(&naive);
    close_fixture(&f);
  }
  cr_assert(naive_runs > runs, "%u, %u", naive_runs, runs);
}

Test(regions, a_preemption_free_bug_keeps_the_smaller_promise) {
  fixture f;
  open_case(&f, "twostage");
  hdi_cw_region_answer answer = find(&f, HDI_CW_WRAP_ATOMIC);
  cr_assert(answer.region_count == 1 && answer.regions[0].evidence.promise == HDI_CW_PROMISE_SEQUENTIAL);
  hdi_cw_region_answer_clear(&answer);
  close_fixture(&f);
  open_case(&f, "bank_3_threads");
  answer = find(&f, HDI_CW_WRAP_ATOMIC);
  cr_assert(answer.region_count == 1 && answer.regions[0].evidence.promise == HDI_CW_PROMISE_PREEMPTION_FREE);
  cr_assert(answer.regions[0].evidence.runs_kept == 6);
  hdi_cw_region_answer_clear(&answer);
  close_fixture(&f);
}

Test(regions, a_sum_that_must_be_constant) {
  fixture f;
  open_words(&f,
             "int a = 300, b = 100;\n"
             "thread t1 {\n  if (a >= 200) {\n    a = a - 200;\n    b = b + 200;\n  }\n}\n"
             "thread t2 {\n  assert(a + b == 400);\n}\n"
             "thread t3 {\n  if (b >= 100) {\n    b = b - 100;\n    a = a + 100;\n  }\n}\n");
  cr_assert(f.baseline.states > 0);
  hdi_cw_region_answer strong = find(&f, HDI_CW_WRAP_ATOMIC), weak = find(&f, HDI_CW_WRAP_WATOMIC);
  cr_assert(strong.region_count == 1 && strong.regions[0].yield_count == 2, "debit and credit, twice");
  cr_assert(weak.region_count == 1 && weak.regions[0].yield_count == 3, "and the checker");
  hdi_cw_region_answer_clear(&strong);
  hdi_cw_region_answer_clear(&weak);
  close_fixture(&f);
}

Test(regions, ghost_state_is_not_worth_a_block) {
  fixture f;
  open_words(&f,
             "int x = 0; ghost int seen = 0;\n"
             "thread t1 {\n  x = 1;\n  seen = 1;\n}\n"
             "thread t2 {\n  assert(x == 0 || seen == 1);\n}\n");
  hdi_cw_region_answer strong = find(&f, HDI_CW_WRAP_ATOMIC);
  cr_assert(strong.region_count == 0 && strong.raw_minimum == 1, "the block would only hide the ghost");
  hdi_cw_region_answer_clear(&strong);
  close_fixture(&f);
}

/* A parameter by reference is what it stands for: no ghost. */
Test(regions, references_are_no_ghosts) {
  fixture f;
  open_words(&f,
             "int total = 0;\n"
             "proc add(int amount, ref sum) {\n  int seen;\n  seen = sum;\n  sum = seen + amount;\n}\n"
             "thread boss {\n  int one, two;\n  one = async add(1, total);\n  two = async add(2, total);\n"
             "  join(one);\n  join(two);\n  assert(total == 3);\n}\n");
  for (int weak = 0; weak < 2; weak++) {
    hdi_cw_region_answer answer = find(&f, weak ? HDI_CW_WRAP_WATOMIC : HDI_CW_WRAP_ATOMIC);
    cr_assert(answer.region_count == 1 && answer.regions[0].yield_count == 1, "%u regions", answer.region_count);
    hdi_cw_region_answer_clear(&answer);
  }
  close_fixture(&f);
}

/* A statement of several accesses is one step in a block: its runs are the same all the same. */
Test(regions, statements_of_several_accesses_keep_their_runs) {
  static const struct {
    const char *words;
    uint32_t strong;
  } programs[] = {
      {"int[0..3] c = 0;\nthread a {\n  c = c + 1;\n  assert(c > 0);\n}\nthread b {\n  c = 0;\n}\n", 1},
      {"int c = 0, d = 0;\nthread a {\n  c = c + 1;\n  d = 1;\n}\n"
       "thread b {\n  c = c + 1;\n  await(d == 1);\n  assert(c == 2);\n}\n",
       2},
      {"int x = 0, y = 0, r = 0;\nthread a {\n  if (x == 0 && y == 0) {\n    r = x + y;\n  }\n  assert(r == 0);\n}\n"
       "thread b {\n  x = 1;\n  y = 1;\n}\n",
       2},
  };
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
    fixture f;
    open_words_as(&f, programs[i].words, true);
    hdi_cw_region_answer strong = find(&f, HDI_CW_WRAP_ATOMIC);
    cr_assert(strong.region_count > 0, "%s", programs[i].words);
    cr_expect(strong.regions[0].yield_count == programs[i].strong, "%u yields", strong.regions[0].yield_count);
    for (uint32_t r = 0; r < strong.region_count; r++) {
      const hdi_cw_evidence *evidence = &strong.regions[r].evidence;
      cr_expect(evidence->promise == HDI_CW_PROMISE_PREEMPTION_FREE && evidence->runs_kept > 0);
    }
    hdi_cw_region_answer_clear(&strong);
    close_fixture(&f);
  }
}

/* The step that goes wrong is a fault: it has no state after it, but may be kept from beginning all the same. */
Test(regions, faults_can_be_kept_from_beginning) {
  fixture f;
  open_words(&f, "int a[3] = 0; int i = 0;\nthread w {\n  i = 3;\n  i = 0;\n}\nthread r {\n  a[i] = 1;\n}\n");
  const hdi_cw_wrap_kind kinds[] = {HDI_CW_WRAP_ATOMIC, HDI_CW_WRAP_WATOMIC, HDI_CW_WRAP_LOCK};
  for (size_t k = 0; k < 3; k++) {
    hdi_cw_region_answer answer = find(&f, kinds[k]);
    cr_assert(answer.region_count == 1 && answer.regions[0].yield_count == (k == 0 ? 1 : 2), "%s",
              hdi_cw_wrap_name(kinds[k]));
    hdi_cw_region_answer_clear(&answer);
  }
  close_fixture(&f);
}

Test(regions, fixed_threads_keep_their_yields) {
  fixture f;
  open_words(&f, "int x = 0, y = 0;\nfixed thread t1 {\n  x = 1;\n  y = 1;\n}\nthread t2 {\n  assert(x == y);\n}\n");
  hdi_cw_region_answer strong = find(&f, HDI_CW_WRAP_ATOMIC);
  cr_assert(strong.region_count == 0 && strong.complete);
  hdi_cw_region_answer_clear(&strong);
  close_fixture(&f);
}

Test(regions, exact_regions_are_not_widened) {
  fixture f;
  open_case(&f, "bank_3_threads");
  hdi_cw_region_query query = query_for(&f, HDI_CW_WRAP_ATOMIC);
  query.exact = true;
  hdi_cw_region_answer answer;
  cr_assert(hdi_cw_regions_find(&query, &answer) == HD_OK);
  for (uint32_t r = 0; r < answer.region_count; r++) {
    cr_assert(answer.regions[r].blocks.widened == 0);
  }
  cr_assert(answer.region_count > 0 && answer.regions[0].yield_count > 1, "the whole of an if takes more yields");
  hdi_cw_region_answer_clear(&answer);
  close_fixture(&f);
}

/* The procedure is called from a block and would hold one itself. */
Test(regions, blocks_do_not_stand_inside_each_other) {
  fixture f;
  open_words(&f,
             "int x = 0;\nproc add() {\n  int r;\n  r = x;\n  x = r + 1;\n}\n"
             "proc work() {\n  add();\n}\n"
             "thread main {\n  int a, b;\n  a = async work();\n  b = async work();\n  join(a);\n  join(b);\n"
             "  assert(x == 2);\n}\n");
  hdi_cw_region_answer weak = find(&f, HDI_CW_WRAP_WATOMIC);
  cr_assert(weak.progress.ended[HD_CANDIDATE_REFUSED] + weak.region_count > 0);
  for (uint32_t r = 0; r < weak.region_count; r++) {
    cr_assert(weak.regions[r].evidence.accepted);
  }
  hdi_cw_region_answer_clear(&weak);
  close_fixture(&f);
}

Test(regions, threads_find_the_same) {
  const char *const names[] = {"f_acm", "wronglock_1_1", "iwl3945"};
  for (size_t i = 0; i < 3; i++) {
    fixture f;
    open_case(&f, names[i]);
    hdi_cw_region_answer one = find(&f, HDI_CW_WRAP_ATOMIC);
    hdi_cw_region_query query = query_for(&f, HDI_CW_WRAP_ATOMIC);
    for (query.threads = 2; query.threads <= 8; query.threads *= 2) {
      hdi_cw_region_answer many;
      cr_assert(hdi_cw_regions_find(&query, &many) == HD_OK);
      cr_assert(memcmp(&one.progress, &many.progress, sizeof one.progress) == 0 &&
                one.region_count == many.region_count);
      for (uint32_t r = 0; r < one.region_count; r++) {
        cr_assert(strcmp(one.regions[r].edited.text->data, many.regions[r].edited.text->data) == 0);
      }
      hdi_cw_region_answer_clear(&many);
    }
    hdi_cw_region_answer_clear(&one);
    close_fixture(&f);
  }
}

/* ---- random programs ---- */

static bool leaves_no_bad_run(const hdi_cw_yields *yields, const bool *chosen, bool weak) {
  hd_filter *filter = hdi_cw_yields_filter(yields, chosen, weak);
  hd_search search = {.model = yields->lowering->model, .filter = filter, .threads = 1, .bind = HD_BIND_NEVER};
  hd_outcome outcome;
  cr_assert(filter != NULL && hd_explore(&search, &outcome) == HD_OK && outcome.end == HD_END_COMPLETE);
  bool good = outcome.found[HD_SLOT_CHECK(0)].count == 0;
  for (int fault = HD_FAULT_NONE + 1; fault < HD_FAULT_COUNT; fault++) {
    good = good && outcome.found[HD_SLOT_FAULT(fault)].count == 0;
  }
  hd_outcome_clear(&outcome);
  hd_filter_free(filter);
  return good;
}

static bool gate_takes(const fixture *f, const hdi_cw_yields *yields, const bool *chosen, hdi_cw_wrap_kind kind) {
  hd_arena *arena = hd_arena_new();
  hdi_cw_blocks blocks;
  hdi_cw_edited edited;
  hdi_cw_evidence evidence;
  cr_assert(hdi_cw_blocks_make(yields, chosen, kind, arena, &blocks) == HD_OK);
  cr_assert(hdi_cw_edit_apply(f->program, &blocks.edit, &edited) == HD_OK);
  cr_assert(hdi_cw_judge(&f->baseline, &edited, &GATE, arena, &evidence) == HD_OK);
  hdi_cw_edited_clear(&edited);
  hd_arena_free(arena);
  return evidence.accepted;
}

/* The size of the smallest set that leaves no bad run and that the gate takes, by trying all sets; 0: there is none. */
static uint32_t smallest_by_enumeration(const fixture *f, const hdi_cw_yields *yields, hdi_cw_wrap_kind kind) {
  bool weak = kind != HDI_CW_WRAP_ATOMIC;
  uint32_t smallest = 0, count = weak ? yields->count : yields->statement_count;
  for (uint32_t set = 1; set < 1u << count; set++) {
    bool chosen[64] = {false};
    uint32_t size = 0;
    for (uint32_t y = 0; y < count; y++) {
      chosen[y] = ((set >> y) & 1) != 0;
      size += chosen[y];
    }
    if ((smallest == 0 || size < smallest) && leaves_no_bad_run(yields, chosen, weak) &&
        gate_takes(f, yields, chosen, kind)) {
      smallest = size;
    }
  }
  return smallest;
}

/* What the plain interpreter says of a repaired text. It does not know watomic, but locks. */
static void verify_by_interpreter(uint64_t seed, const hdi_cw_region *region, const cw_counts *before) {
  cw_counts after = cw_reference_explore(region->edited.text->data, 200000);
  cr_assert(after.complete && after.error_states == 0 && !after.out_of_range && !after.division && !after.endless,
            "seed %d: wrong repair\n%s", (int)seed, region->edited.text->data);
  cr_assert(before->deadlocks > 0 || after.deadlocks == 0, "seed %d: a new deadlock\n%s", (int)seed,
            region->edited.text->data);
}

static void verify_all(uint64_t seed, const hdi_cw_region_answer *answer, const cw_counts *before) {
  for (uint32_t r = 0; r < answer->region_count; r++) {
    verify_by_interpreter(seed, &answer->regions[r], before);
  }
}

/* The size found equals that of trying all sets, where there are few. */
static void compare_sizes(uint64_t seed, const fixture *f, const hdi_cw_region_answer *answer, hdi_cw_wrap_kind kind,
                          uint32_t *compared) {
  hd_cw_lower_options options = {.start_apart = true};
  hd_cw_lowering *lowering = NULL;
  hdi_cw_yields yields;
  cr_assert(hd_cw_lower(f->program, &options, &lowering) == HD_OK);
  cr_assert(hdi_cw_yields_make(lowering, &yields) == HD_OK);
  if (yields.count <= 8 && answer->complete) {
    uint32_t found = answer->region_count == 0 ? 0 : answer->regions[0].yield_count;
    uint32_t least = smallest_by_enumeration(f, &yields, kind);
    cr_assert(least == found, "seed %d, %s: %u found, %u by enumeration\n%s", (int)seed, hdi_cw_wrap_name(kind), found,
              least, f->text->data);
    (*compared)++;
  }
  hdi_cw_yields_clear(&yields);
  hd_cw_lowering_free(lowering);
}

typedef struct totals {
  uint32_t broken, repaired, weak, compared, compared_weak;
} totals;

static void check_random(uint64_t seed, totals *sum) {
  char *words = random_cw(seed);
  cw_counts before = cw_reference_explore(words, 20000);
  bool broken = before.complete && (before.error_states > 0 || before.out_of_range || before.division);
  if (broken && !before.endless) {
    fixture f;
    open_words(&f, words);
    if (f.baseline.sequential.bad_count == 0 && !f.baseline.sequential.fault) {
      sum->broken++;
      hdi_cw_region_answer strong = find(&f, HDI_CW_WRAP_ATOMIC), weak = find(&f, HDI_CW_WRAP_LOCK);
      verify_all(seed, &strong, &before);
      verify_all(seed, &weak, &before);
      sum->repaired += strong.region_count > 0;
      sum->weak += weak.region_count > 0;
      compare_sizes(seed, &f, &strong, HDI_CW_WRAP_ATOMIC, &sum->compared);
      compare_sizes(seed, &f, &weak, HDI_CW_WRAP_LOCK, &sum->compared_weak);
      hdi_cw_region_answer_clear(&strong);
      hdi_cw_region_answer_clear(&weak);
    }
    close_fixture(&f);
  }
  free(words);
}

Test(regions, random_programs) {
  totals sum = {0};
  uint64_t count = getenv("HEDDLE_FULL") == NULL ? HD_TEST_COUNT(240) : 4000;
  for (uint64_t seed = 1; seed <= count; seed++) {
    check_random(seed, &sum);
  }
  fprintf(stderr, "%u broken, %u repaired by strong regions, %u by weak ones, %u and %u sizes equal\n", sum.broken,
          sum.repaired, sum.weak, sum.compared, sum.compared_weak);
  cr_assert(sum.broken > count / 100 && sum.compared > 0);
  cr_assert(sum.repaired > 0 || count < 400);
}
