/* Random programs: heddle against a plain interpreter that shares no code with it. Counts without reductions are the
 * same, verdicts with reductions are, for every number of threads and with domains inferred or not. */
#include "core/explore/explore.h"
#include "frontends/cwhile/lower.h"
#include "tests/support/cw_reference.h"
#include "tests/support/hd_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATES_MAX 20000

typedef struct program {
  hd_text *text;
  hd_cw_program *read;
} program;

static program read_program(const char *source) {
  program p = {.read = NULL};
  hd_diag *diag = hd_diag_new();
  cr_assert(hd_text_from_bytes("random.cw", source, strlen(source), &p.text) == HD_OK);
  hd_status status = hd_cw_read(p.text, diag, &p.read);
  cr_assert(status == HD_OK, "%s\n%s", hd_diag_count(diag) > 0 ? hd_diag_get(diag, 0)->message : "", source);
  hd_diag_free(diag);
  return p;
}

static void release(program *p) {
  hd_cw_program_free(p->read);
  hd_text_free(p->text);
}

static hd_outcome explore(const program *p, const hd_cw_lower_options *options, hd_reduce reduction, uint32_t threads) {
  hd_cw_lowering *lowering = NULL;
  cr_assert(hd_cw_lower(p->read, options, &lowering) == HD_OK);
  hd_search search = {.model = lowering->model,
                      .reduction = reduction,
                      .threads = threads,
                      .classify = hd_cw_classify,
                      .classify_context = lowering};
  if (options->keep_err) {
    search.predicate = hd_cw_predicate;
    search.predicate_count = 1;
    search.predicate_context = lowering;
  }
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  cr_assert(hd_explore(&search, &outcome) == HD_OK);
  cr_assert(outcome.end == HD_END_COMPLETE);
  hd_cw_lowering_free(lowering);
  return outcome;
}

static bool met(const hd_outcome *outcome, uint32_t slot) {
  return outcome->found[slot].count > 0;
}

static void demand_faults(const hd_outcome *outcome, const cw_counts *wanted, uint64_t seed, const char *what) {
  cr_assert(met(outcome, HD_SLOT_FAULT(HD_FAULT_RANGE)) == wanted->out_of_range, "seed %" PRIu64 ", %s: range", seed,
            what);
  cr_assert(met(outcome, HD_SLOT_FAULT(HD_FAULT_DIVISION)) == wanted->division, "seed %" PRIu64 ", %s: division", seed,
            what);
  cr_assert(met(outcome, HD_SLOT_FAULT(HD_FAULT_ENDLESS)) == wanted->endless, "seed %" PRIu64 ", %s: endless", seed,
            what);
}

static void demand_counts(hd_outcome outcome, const cw_counts *wanted, uint64_t seed, const char *what) {
  uint64_t deadlocks = outcome.found[HD_SLOT_STOP(HD_CW_STOP_DEADLOCK)].count;
  uint64_t errors = outcome.found[HD_SLOT_PREDICATE(0)].count;
  cr_assert(outcome.states == wanted->states && outcome.transitions == wanted->transitions &&
                deadlocks == wanted->deadlocks && errors == wanted->error_states,
            "seed %" PRIu64 ", %s: %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ", not %" PRIu64 " %" PRIu64
            " %" PRIu64 " %" PRIu64,
            seed, what, outcome.states, outcome.transitions, deadlocks, errors, wanted->states, wanted->transitions,
            wanted->deadlocks, wanted->error_states);
  demand_faults(&outcome, wanted, seed, what);
  hd_outcome_clear(&outcome);
}

static void demand_verdict(hd_outcome outcome, const cw_counts *wanted, uint64_t seed) {
  cr_assert(met(&outcome, HD_SLOT_STOP(HD_CW_STOP_DEADLOCK)) == (wanted->deadlocks > 0), "seed %" PRIu64 ": deadlock",
            seed);
  cr_assert(met(&outcome, HD_SLOT_CHECK(0)) == (wanted->error_states > 0), "seed %" PRIu64 ": assertion", seed);
  demand_faults(&outcome, wanted, seed, "reduced");
  hd_outcome_clear(&outcome);
}

/* True when the program was small enough to be compared. */
static bool compare(uint64_t seed) {
  char *source = random_cw(seed);
  cw_counts wanted = cw_reference_explore(source, STATES_MAX);
  if (wanted.complete) {
    program p = read_program(source);
    hd_cw_lower_options exact = {.keep_err = true}, wide = {.keep_err = true, .wide = true}, verdict = {.wide = false};
    demand_counts(explore(&p, &exact, HD_REDUCE_NOTHING, 1), &wanted, seed, "1 thread");
    demand_counts(explore(&p, &exact, HD_REDUCE_NOTHING, 3), &wanted, seed, "3 threads");
    demand_counts(explore(&p, &wide, HD_REDUCE_NOTHING, 1), &wanted, seed, "declared domains");
    demand_verdict(explore(&p, &verdict, HD_REDUCE_FOR_CHECKS, 1), &wanted, seed);
    release(&p);
  }
  free(source);
  return wanted.complete;
}

Test(differential, random_programs) {
  bool full = getenv("HEDDLE_FULL") != NULL;
  uint64_t count = full ? 2000 : HD_TEST_COUNT(200), compared = 0;
  for (uint64_t seed = 1; seed <= count; seed++) {
    compared += compare(seed);
  }
  cr_assert(compared * 10 >= count * 9, "only %" PRIu64 " of %" PRIu64 " programs were small enough", compared, count);
}

/* The interpreter itself, on programs whose counts can be seen. */
Test(differential, reference_counts) {
  cw_counts c = cw_reference_explore(
      "int[0..1] a = 0;\nint[0..1] b = 0;\nthread s { a = 1;\nb = 1;\n}\n"
      "thread c { await(a == 1);\nassert(b == 1);\n}\n",
      100);
  cr_assert(c.states == 8 && c.transitions == 8 && c.error_states == 2 && c.deadlocks == 0);
  c = cw_reference_explore("lock m;\nlock n;\nthread s { lock(m);\nlock(n);\n}\nthread c { lock(n);\nlock(m);\n}\n",
                           100);
  cr_assert(c.deadlocks == 3);
  c = cw_reference_explore("int[0..1] a = 0;\nthread s { atomic { while (*) { skip;\n} }\n}\n", 100);
  cr_assert(c.endless && c.states == 2 && c.transitions == 1, "%d %d %d", (int)c.endless, (int)c.states,
            (int)c.transitions);
}
