/* What cuts a search short in the middle of a level: time, memory, the caller; and allocations that fail. */
#include "core/explore/explore.h"

#include "core/base/machine.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"

/* A search cut short tells a consistent story whatever it had reached. */
static void check_partial(const hd_outcome *outcome) {
  cr_assert_leq(outcome->expanded, outcome->states);
  cr_assert_leq(outcome->stopped, outcome->expanded);
  cr_assert_leq(outcome->frontier_peak, outcome->states);
  cr_assert_leq(outcome->levels, outcome->states);
}

Test(limits, a_timeout_ends_the_search_soon) {
  hd_model *model = hd_model_ring(14, 1); /* 40,116,600 states */
  for (size_t i = 0; i < 4; i++) {
    hd_search search = {.model = model, .timeout_seconds = 0.2};
    hd_outcome outcome;
    double start = hd_machine_seconds();
    hd_run_search(&search, hd_thread_counts[i], &outcome);
    double seconds = hd_machine_seconds() - start;
    cr_assert_eq(outcome.end, HD_END_TIMEOUT);
    cr_assert_geq(outcome.seconds, 0.2);
    cr_assert_lt(seconds, 5.0, "stopped after %.2f s", seconds); /* generous: the machine may be busy */
    cr_assert_gt(outcome.states, 1);
    check_partial(&outcome);
    hd_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

Test(limits, a_timeout_interrupts_a_state_with_many_successors) {
  hd_model *model = hd_model_fan(100000);
  hd_search search = {.model = model, .timeout_seconds = 1e-9};
  hd_outcome outcome;
  hd_run_search(&search, 2, &outcome);
  cr_assert_eq(outcome.end, HD_END_TIMEOUT);
  cr_assert_eq(outcome.expanded, 0);
  check_partial(&outcome);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

typedef struct canceller {
  hd_atomic_u32 flag;
  uint64_t after; /* states asked about before the flag is set */
  hd_atomic_u64 asked;
} canceller;

static bool count_and_cancel(const void *context, const hd_model *model, const uint64_t *state, uint32_t index) {
  (void)model;
  (void)state;
  (void)index;
  canceller *c = *(canceller *const *)context;
  if (hd_add_rlx(&c->asked, 1) == c->after) {
    hd_store_rlx(&c->flag, 1);
  }
  return false;
}

Test(limits, the_caller_can_stop_the_search) {
  hd_model *model = hd_model_pairs(9); /* 262,144 states */
  for (size_t i = 0; i < 4; i++) {
    canceller c = {.after = 20000};
    const canceller *context = &c;
    hd_search search = {.model = model,
                        .cancel = &c.flag,
                        .predicate = count_and_cancel,
                        .predicate_count = 1,
                        .predicate_context = &context};
    hd_outcome outcome;
    hd_run_search(&search, hd_thread_counts[i], &outcome);
    cr_assert_eq(outcome.end, HD_END_SIGNAL);
    /* every worker looks at the flag every 1024 units */
    cr_assert_leq(outcome.states, 20000 + 1 + 1024 * 8 + 8 * 20);
    check_partial(&outcome);
    hd_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

Test(limits, a_flag_set_before_the_start_is_seen) {
  hd_model *model = hd_model_pairs(1);
  hd_atomic_u32 flag;
  hd_store_rlx(&flag, 1);
  hd_search search = {.model = model, .cancel = &flag};
  hd_outcome outcome;
  hd_run_search(&search, 2, &outcome);
  cr_assert_eq(outcome.end, HD_END_SIGNAL);
  check_partial(&outcome);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(limits, memory_is_bounded) {
  static const struct {
    size_t megabytes;
    hd_store store;
  } cases[] = {{1, HD_STORE_AUTO}, {3, HD_STORE_AUTO}, {1, HD_STORE_WIDE}, {5, HD_STORE_WIDE}};
  hd_model *model = hd_model_pairs(9); /* 262,144 states */
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    for (size_t i = 0; i < 4; i++) {
      hd_search search = {.model = model, .memory_max_bytes = cases[c].megabytes << 20, .store = cases[c].store};
      hd_slots_add(search.trace_slots, HD_SLOT_STOP(1));
      hd_outcome outcome;
      hd_run_search(&search, hd_thread_counts[i], &outcome);
      cr_assert_eq(outcome.end, HD_END_MEMORY);
      cr_assert_leq(outcome.visited_bytes, cases[c].megabytes << 20);
      cr_assert_gt(outcome.states, 100);
      check_partial(&outcome);
      hd_outcome_clear(&outcome);
    }
  }
  hd_model_free(model);
}

Test(limits, no_memory_at_all_is_a_memory_end) {
  hd_model *model = hd_model_pairs(2);
  hd_search search = {.model = model, .memory_max_bytes = 10};
  hd_outcome outcome;
  hd_run_search(&search, 2, &outcome);
  cr_assert_eq(outcome.end, HD_END_MEMORY);
  cr_assert_eq(outcome.states, 0);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

/* The second search keeps all states and needs more than the first: the finding is reported, the trace is not. */
Test(limits, a_counterexample_that_does_not_fit_is_left_out) {
  const uint32_t length = 100000;
  hd_model *model = hd_model_chain(length, 1);
  hd_search search = {.model = model, .store = HD_STORE_WORD, .memory_max_bytes = (size_t)4 << 20};
  hd_slots_add(search.trace_slots, HD_SLOT_STOP(1));
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.end, HD_END_COMPLETE);
  cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].level, length);
  cr_assert_null(outcome.found[HD_SLOT_STOP(1)].trace);
  cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].trace_status, HD_E_NOMEM);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

typedef struct watcher {
  uint64_t calls;
  hd_progress last;
  bool backwards;
} watcher;

static void watch(void *payload, const hd_progress *progress) {
  watcher *w = payload;
  w->backwards = w->backwards || progress->states < w->last.states || progress->level < w->last.level ||
                 progress->transitions < w->last.transitions;
  w->last = *progress;
  w->calls++;
}

Test(limits, progress_is_shown_and_ends_with_the_final_counts) {
  hd_model *model = hd_model_ring(14, 1);
  for (size_t i = 0; i < 4; i += 3) {
    watcher w = {0};
    hd_search search = {.model = model, .timeout_seconds = 1.0, .progress = watch, .progress_payload = &w};
    hd_outcome outcome;
    hd_run_search(&search, hd_thread_counts[i], &outcome);
    cr_assert_geq(w.calls, 2);
    cr_assert_leq(w.calls, 12);
    cr_assert_not(w.backwards);
    cr_assert_eq(w.last.states, outcome.states);
    cr_assert_geq(w.last.transitions, outcome.transitions);
    cr_assert_gt(w.last.memory_bytes, 0);
    hd_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

/* ---- failure injection ---- */

/* Runs one search with allocation number `failing` failing; true when that many were made. */
static bool run_failing(const hd_search *search, uint64_t failing, bool for_good, const hd_outcome *expected) {
  hd_outcome outcome;
  hd_fail_alloc_after(failing, for_good);
  hd_status status = hd_explore(search, &outcome);
  bool failed = hd_fail_alloc_stop() > failing;
  cr_assert(status == HD_OK || status == HD_E_NOMEM, "status %d when allocation %llu fails", (int)status,
            (unsigned long long)failing);
  cr_assert(failed || status == HD_OK);
  if (status == HD_OK && outcome.end == HD_END_COMPLETE) {
    cr_assert_eq(outcome.states, expected->states);
    cr_assert_eq(outcome.transitions, expected->transitions);
    cr_assert_eq(outcome.expanded, expected->expanded);
    for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
      const hd_found *found = &outcome.found[slot];
      cr_assert_eq(found->count, expected->found[slot].count);
      cr_assert(found->trace_status == HD_OK || (failed && found->trace_status == HD_E_NOMEM && found->trace == NULL));
    }
  } else if (status == HD_OK) {
    cr_assert(failed);
    cr_assert_eq(outcome.end, HD_END_MEMORY);
    check_partial(&outcome);
  }
  hd_outcome_clear(&outcome);
  return failed;
}

static void check_failures(hd_model *model, hd_store store, uint32_t threads) {
  hd_search search = {.model = model, .threads = threads, .store = store};
  hd_want_all_traces(&search);
  hd_outcome expected;
  hd_run_search(&search, threads, &expected);
  for (int for_good = 0; for_good < 2; for_good++) {
    uint64_t failing = 0, step = 1;
    while (run_failing(&search, failing, for_good, &expected)) {
      failing += step;
      step = failing < 60 ? 1 : failing / 8; /* all of the set-up, then samples */
    }
    cr_assert_gt(failing, 10, "%llu allocations", (unsigned long long)failing);
  }
  hd_outcome_clear(&expected);
  hd_model_free(model);
}

Test(limits, failed_allocations_end_searches_cleanly) {
  for (uint32_t threads = 1; threads <= 3; threads += 2) {
    check_failures(hd_model_dining(6), HD_STORE_AUTO, threads);
    check_failures(hd_model_dining(6), HD_STORE_WIDE, threads);
    check_failures(hd_model_chain(300, 3), HD_STORE_AUTO, threads);
    check_failures(hd_model_fan(7000), HD_STORE_AUTO, threads);
    check_failures(hd_model_ring(5, 0), HD_STORE_AUTO, threads);
  }
}

Test(limits, failed_allocations_with_checks_and_faults) {
  enum { ARCS = 120 };
  hd_arc arcs[ARCS];
  hd_random_arcs(5, 40, arcs, ARCS, 3);
  check_failures(hd_model_graph(40, arcs, ARCS, 2), HD_STORE_AUTO, 2);
}
