/* The search on systems whose numbers of states are known in closed form, for every number of threads and every store;
 * what stops it; what it says about states without steps. */
#include "core/explore/explore.h"

#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"

/* ---- closed forms ---- */

static uint64_t power(uint64_t base, uint32_t exponent) {
  uint64_t result = 1;
  for (uint32_t i = 0; i < exponent; i++) {
    result *= base;
  }
  return result;
}

static uint64_t central_binomial(uint32_t n) {
  uint64_t result = 1;
  for (uint32_t i = 1; i <= n; i++) {
    result = result * (n + i) / i;
  }
  return result;
}

static void check_counts(hd_model *model, uint64_t states, uint64_t transitions) {
  hd_search search = {.model = model};
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.end, HD_END_COMPLETE);
  cr_assert_eq(outcome.states, states, "%llu states, not %llu", (unsigned long long)outcome.states,
               (unsigned long long)states);
  cr_assert_eq(outcome.expanded, states);
  if (transitions != 0) {
    cr_assert_eq(outcome.transitions, transitions, "%llu transitions, not %llu",
                 (unsigned long long)outcome.transitions, (unsigned long long)transitions);
  }
  if (hd_model_words(model) == 1) {
    hd_outcome wide;
    search.store = HD_STORE_WIDE;
    hd_run_search(&search, 2, &wide);
    cr_assert_str_eq(wide.store, "wide");
    wide.store = outcome.store;
    hd_check_same_outcome(&outcome, &wide);
    hd_outcome_clear(&wide);
  }
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(search, ring) {
  for (uint32_t n = 2; n <= 8; n++) {
    check_counts(hd_model_ring(n, 1), central_binomial(n), 0);
  }
  check_counts(hd_model_ring(9, 1), 48620, 231660);
}

Test(search, pairs) {
  for (uint32_t n = 1; n <= 7; n++) {
    check_counts(hd_model_pairs(n), power(4, n), n * power(4, n));
  }
}

Test(search, star) {
  for (uint32_t n = 2; n <= 10; n++) {
    check_counts(hd_model_star(n), power(2, n) + n * power(2, n) + (uint64_t)n * (n - 1) * power(2, n) / 4, 0);
  }
}

Test(search, pipeline) {
  for (uint32_t n = 1; n <= 8; n++) {
    check_counts(hd_model_pipeline(n), power(2, 2 * n - 1), 0);
  }
}

Test(search, counter) {
  hd_model *model = hd_model_counter(4, 3);
  hd_outcome outcome;
  hd_run_search(&(hd_search){.model = model}, 2, &outcome);
  cr_assert_eq(outcome.states, 361775);
  cr_assert_eq(outcome.transitions, 1225956);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(search, filter) {
  check_counts(hd_model_filter(3), 417, 0);
  check_counts(hd_model_filter(4), 9272, 0);
  hd_model *model = hd_model_filter(5);
  hd_outcome outcome;
  hd_run_search(&(hd_search){.model = model}, 2, &outcome);
  cr_assert_eq(outcome.states, 223105);
  cr_assert_eq(outcome.transitions, 741065);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(search, dining) {
  for (uint32_t n = 2; n <= 9; n++) {
    check_counts(hd_model_dining(n), power(3, n) - 1, 0);
    check_counts(hd_model_rendezvous_dining(n), power(3, n) - 1, 0);
  }
}

Test(search, dining_has_one_deadlock_after_n_steps) {
  for (uint32_t n = 2; n <= 8; n++) {
    hd_model *models[2] = {hd_model_dining(n), hd_model_rendezvous_dining(n)};
    for (size_t m = 0; m < 2; m++) {
      hd_search search = {.model = models[m]};
      hd_slots_add(search.trace_slots, HD_SLOT_STOP(1));
      hd_outcome outcome;
      hd_run_on_all_counts(&search, &outcome);
      const hd_found *found = &outcome.found[HD_SLOT_STOP(1)];
      cr_assert_eq(outcome.stopped, 1);
      cr_assert_eq(found->count, 1);
      cr_assert_eq(found->level, n);
      cr_assert_not_null(found->trace);
      cr_assert_eq(found->trace->length, n);
      hd_outcome_clear(&outcome);
      hd_model_free(models[m]);
    }
  }
}

/* ---- shapes that are hard on a parallel search ---- */

Test(search, a_long_chain_needs_no_team) {
  const uint32_t length = 300000;
  hd_model *model = hd_model_chain(length, 1);
  for (size_t i = 0; i < 4; i++) {
    hd_search search = {.model = model};
    hd_outcome outcome;
    hd_run_search(&search, hd_thread_counts[i], &outcome);
    cr_assert_eq(outcome.end, HD_END_COMPLETE);
    cr_assert_eq(outcome.states, length + 1);
    cr_assert_eq(outcome.levels, length + 1);
    cr_assert_eq(outcome.transitions, length);
    cr_assert_eq(outcome.frontier_peak, 1);
    cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].level, length);
    /* Measured: 0.1 s. A barrier per level would take seconds on 8 threads, far more under a sanitizer. */
    cr_log_info("%u threads: %.3f s", hd_thread_counts[i], outcome.seconds);
    hd_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

Test(search, one_state_may_have_many_successors) {
  const uint32_t width = 100000;
  hd_model *model = hd_model_fan(width);
  hd_search search = {.model = model};
  hd_slots_add(search.trace_slots, HD_SLOT_STOP(1));
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.end, HD_END_COMPLETE);
  cr_assert_eq(outcome.states, width + 1);
  cr_assert_eq(outcome.transitions, width);
  cr_assert_eq(outcome.stopped, width);
  cr_assert_eq(outcome.levels, 2);
  cr_assert_eq(outcome.frontier_peak, width);
  cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].count, width);
  cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].trace->length, 1);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

/* ---- ends that are decided from complete levels ---- */

Test(search, depth_counts_expanded_levels) {
  hd_model *model = hd_model_pairs(4);
  hd_outcome whole;
  hd_run_search(&(hd_search){.model = model}, 1, &whole);
  uint64_t before = 0;
  for (uint64_t depth = 1; depth <= whole.levels + 1; depth++) {
    hd_search search = {.model = model, .depth_max = depth};
    hd_outcome outcome;
    hd_run_on_all_counts(&search, &outcome);
    cr_assert_eq(outcome.end, depth < whole.levels ? HD_END_DEPTH : HD_END_COMPLETE);
    cr_assert_eq(outcome.levels, depth < whole.levels ? depth + 1 : whole.levels);
    if (depth < whole.levels) {
      cr_assert_eq(outcome.expanded, before == 0 ? 1 : before, "the level before is expanded now");
      cr_assert_lt(outcome.expanded, outcome.states);
    }
    before = outcome.states;
    hd_outcome_clear(&outcome);
  }
  hd_outcome_clear(&whole);
  hd_model_free(model);
}

Test(search, the_budget_is_checked_at_the_end_of_a_level) {
  hd_model *model = hd_model_pairs(5);
  for (uint64_t budget = 1; budget < 1100; budget += 61) {
    hd_search search = {.model = model, .states_budget = budget};
    hd_outcome outcome;
    hd_run_on_all_counts(&search, &outcome);
    cr_assert_geq(outcome.states, budget < 1024 ? budget : 1024);
    cr_assert_eq(outcome.end, outcome.expanded == 1024 ? HD_END_COMPLETE : HD_END_BUDGET);
    if (outcome.end == HD_END_BUDGET) { /* one level less would not have been enough */
      cr_assert_lt(outcome.expanded, budget == 1 ? 2 : budget);
    }
    hd_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

Test(search, a_stop_slot_finishes_its_level) {
  const uint32_t n = 7;
  hd_model *model = hd_model_dining(n);
  hd_search search = {.model = model};
  hd_slots_add(search.stop_slots, HD_SLOT_STOP(1));
  hd_slots_add(search.trace_slots, HD_SLOT_STOP(1));
  hd_outcome outcome, depth;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.end, HD_END_FOUND);
  cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].level, n);
  cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].trace->length, n);
  hd_run_search(&(hd_search){.model = model, .depth_max = n + 1}, 1, &depth);
  cr_assert_eq(outcome.states, depth.states, "levels 0 to n are expanded, all of them");
  cr_assert_eq(outcome.expanded, depth.expanded);
  cr_assert_eq(outcome.transitions, depth.transitions);
  cr_assert_eq(outcome.levels, depth.levels);
  cr_assert_eq(outcome.frontier_peak, depth.frontier_peak);
  hd_outcome_clear(&depth);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

/* ---- predicates and classification ---- */

/* Index 0: at vertex 0; index 1: at an odd vertex; index 2: never. */
static bool vertex_predicate(const void *context, const hd_model *model, const uint64_t *state, uint32_t index) {
  (void)context;
  uint32_t vertex = hd_graph_vertex(model, state);
  return index == 0 ? vertex == 0 : index == 1 && vertex % 2 == 1;
}

/*   0 -> 1 -> 3 -> 5 -> 0     all of weight 1, and 0 -> 2 -> 4, 2 -> 6; 4 and 6 are stuck */
static hd_model *small_graph(void) {
  static const hd_arc arcs[] = {{0, 1, 1, -1, false}, {1, 3, 1, -1, false}, {3, 5, 1, -1, false}, {5, 0, 1, -1, false},
                                {0, 2, 1, -1, false}, {2, 4, 1, -1, false}, {2, 6, 1, -1, false}};
  return hd_model_graph(7, arcs, sizeof arcs / sizeof arcs[0], 0);
}

Test(search, predicates_are_asked_once_for_each_state) {
  hd_model *model = small_graph();
  hd_search search = {.model = model, .predicate = vertex_predicate, .predicate_count = 3};
  hd_want_all_traces(&search);
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.found[HD_SLOT_PREDICATE(0)].count, 1);
  cr_assert_eq(outcome.found[HD_SLOT_PREDICATE(0)].level, 0, "initial states are asked too");
  cr_assert_eq(outcome.found[HD_SLOT_PREDICATE(0)].trace->length, 0);
  cr_assert_eq(outcome.found[HD_SLOT_PREDICATE(1)].count, 3);
  cr_assert_eq(outcome.found[HD_SLOT_PREDICATE(1)].level, 1);
  cr_assert_eq(outcome.found[HD_SLOT_PREDICATE(1)].trace->length, 1);
  cr_assert_eq(outcome.found[HD_SLOT_PREDICATE(2)].count, 0);
  cr_assert_null(outcome.found[HD_SLOT_PREDICATE(2)].trace);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(search, a_predicate_stops_before_its_level_is_expanded) {
  hd_model *model = small_graph();
  for (uint32_t index = 0; index < 2; index++) {
    hd_search search = {.model = model, .predicate = vertex_predicate, .predicate_count = 2};
    hd_slots_add(search.stop_slots, HD_SLOT_PREDICATE(index));
    hd_outcome outcome;
    hd_run_on_all_counts(&search, &outcome);
    cr_assert_eq(outcome.end, HD_END_FOUND);
    cr_assert_eq(outcome.states, index == 0 ? 1 : 3);
    cr_assert_eq(outcome.expanded, index == 0 ? 0 : 1);
    cr_assert_eq(outcome.levels, index == 0 ? 1 : 2);
    hd_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

static uint32_t classify_vertex(const void *context, const hd_model *model, const uint64_t *state) {
  const uint32_t *kinds = context;
  return kinds[hd_graph_vertex(model, state)];
}

Test(search, the_frontend_classifies_states_without_steps) {
  hd_model *model = small_graph();
  static const uint32_t kinds[7] = {9, 9, 9, 9, 0, 9, HD_STOP_KIND_MAX - 1};
  hd_search search = {.model = model, .classify = classify_vertex, .classify_context = kinds};
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.stopped, 2);
  for (uint32_t kind = 0; kind < HD_STOP_KIND_MAX; kind++) {
    cr_assert_eq(outcome.found[HD_SLOT_STOP(kind)].count, kind == HD_STOP_KIND_MAX - 1 ? 1 : 0);
  }
  cr_assert_eq(outcome.found[HD_SLOT_STOP(HD_STOP_KIND_MAX - 1)].level, 2);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(search, findings_in_the_last_level_leave_the_search_complete) {
  static const hd_arc arc = {0, 1, 1, -1, false};
  hd_model *model = hd_model_graph(2, &arc, 1, 0);
  hd_search search = {.model = model};
  hd_slots_add(search.stop_slots, HD_SLOT_STOP(1));
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.end, HD_END_COMPLETE);
  cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].count, 1);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

/* 0 -> 1 -> 2 -> 3 with 1 and 2 protected: one compound step, in the counts and in the trace. */
Test(search, a_filter_applies_to_the_search_and_to_traces) {
  static const hd_arc arcs[] = {{0, 1, 1, -1, false}, {1, 2, 1, -1, false}, {2, 3, 1, -1, false}};
  hd_model *model = hd_model_graph(4, arcs, 3, 0);
  hd_filter *filter = hd_filter_new(model);
  cr_assert_not_null(filter);
  hd_filter_protect_strong(filter, hd_model_edge_to(model, (hd_edge){0}));
  hd_filter_protect_strong(filter, hd_model_edge_to(model, (hd_edge){1}));
  hd_search search = {.model = model, .filter = filter};
  hd_want_all_traces(&search);
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.states, 2);
  cr_assert_eq(outcome.transitions, 1);
  const hd_trace *trace = outcome.found[HD_SLOT_STOP(1)].trace;
  cr_assert_not_null(trace);
  cr_assert_eq(trace->length, 1);
  cr_assert(trace->steps[0].compound);
  cr_assert_eq(trace->inner_end[0], 2);
  hd_outcome_clear(&outcome);
  hd_filter_free(filter);
  hd_model_free(model);
}

Test(search, ends_have_words) {
  for (int end = 0; end < HD_END_COUNT; end++) {
    cr_assert_str_not_empty(hd_end_words((hd_end)end));
  }
}
