/* The search without levels: it must agree with the search by levels in all that does not need levels, for every number
 * of threads. */
#include "core/explore/explore.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"

#include <stdlib.h>

/* Runs by levels, then in any order on each number of threads; compares what both know. Frees the model. */
static void compare(hd_model *model, const hd_search *options) {
  hd_search search = *options;
  search.model = model;
  hd_want_all_traces(&search);
  hd_outcome levels;
  hd_run_search(&search, 2, &levels);
  cr_assert_eq(levels.end, HD_END_COMPLETE);
  search.order = HD_ORDER_ANY;
  for (size_t i = 0; i < sizeof hd_thread_counts / sizeof hd_thread_counts[0]; i++) {
    hd_outcome any;
    hd_run_search(&search, hd_thread_counts[i], &any);
    cr_assert_eq(any.levels, 0);
    cr_assert_eq(any.frontier_peak, 0);
    any.levels = levels.levels;
    any.frontier_peak = levels.frontier_peak;
    for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
      if (any.found[slot].count == 0) {
        cr_assert_eq(any.found[slot].level, HD_LEVEL_UNKNOWN);
        any.found[slot].level = levels.found[slot].level;
      }
    }
    hd_check_same_outcome(&levels, &any); /* traces and their levels too */
    hd_outcome_clear(&any);
  }
  hd_outcome_clear(&levels);
  hd_model_free(model);
}

Test(any_order, families_are_counted_as_by_levels) {
  const hd_search options = {0};
  compare(hd_model_ring(8, 1), &options);
  compare(hd_model_ring(6, 0), &options);
  compare(hd_model_pairs(6), &options);
  compare(hd_model_star(7), &options);
  compare(hd_model_pipeline(6), &options);
  compare(hd_model_counter(3, 3), &options);
  compare(hd_model_dining(8), &options);
  compare(hd_model_rendezvous_dining(6), &options);
}

Test(any_order, narrow_and_star_shaped_spaces) {
  const hd_search options = {0};
  compare(hd_model_chain(1, 1), &options);
  compare(hd_model_chain(30000, 1), &options);
  compare(hd_model_chain(3000, 5), &options);
  compare(hd_model_fan(1), &options);
  compare(hd_model_fan(20000), &options);
}

/* Is the state's vertex a multiple of 7? */
static bool is_seventh(const void *context, const hd_model *model, const uint64_t *state, uint32_t index) {
  (void)context;
  return index == 0 && hd_graph_vertex(model, state) % 7 == 0;
}

Test(any_order, random_graphs_have_the_same_findings) {
  enum { ARCS = 900 };
  hd_arc *arcs = calloc(ARCS, sizeof *arcs);
  cr_assert_not_null(arcs);
  const hd_search options = {.predicate = is_seventh, .predicate_count = 2};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    uint32_t vertices = (uint32_t)(20 + 25 * seed);
    hd_random_arcs(seed, vertices, arcs, ARCS, seed % 3 == 0 ? 0 : (uint32_t)(2 + seed % 3));
    compare(hd_model_graph(vertices, arcs, ARCS, seed % 4 == 0 ? 3 : 0), &options);
  }
  free(arcs);
}

/* Wide, then a chain, then wide again: workers sleep and are woken. */
Test(any_order, workers_come_back_after_a_narrow_part) {
  enum { LEAVES = 3000, CHAIN = 2000, VERTICES = 2 * LEAVES + CHAIN + 1 };
  hd_arc *arcs = calloc(3 * LEAVES + CHAIN, sizeof *arcs);
  cr_assert_not_null(arcs);
  size_t count = 0;
  for (uint32_t i = 0; i < LEAVES; i++) {
    arcs[count++] = (hd_arc){0, 1 + i, 1, -1, false};
  }
  for (uint32_t i = 0; i < CHAIN; i++) { /* the first leaf goes on */
    arcs[count++] = (hd_arc){i == 0 ? 1 : LEAVES + i, LEAVES + 1 + i, 1, -1, false};
  }
  for (uint32_t i = 0; i < LEAVES; i++) {
    arcs[count++] = (hd_arc){LEAVES + CHAIN, LEAVES + CHAIN + 1 + i, 1, -1, false};
  }
  compare(hd_model_graph(VERTICES, arcs, count, 0), &(hd_search){0});
  free(arcs);
}

Test(any_order, a_deadlock_is_found_with_its_shortest_run) {
  const uint32_t n = 9;
  hd_model *model = hd_model_dining(n);
  hd_search search = {.model = model, .order = HD_ORDER_ANY};
  hd_slots_add(search.stop_slots, HD_SLOT_STOP(1));
  hd_slots_add(search.trace_slots, HD_SLOT_STOP(1));
  for (size_t i = 0; i < sizeof hd_thread_counts / sizeof hd_thread_counts[0]; i++) {
    hd_outcome outcome;
    hd_run_search(&search, hd_thread_counts[i], &outcome);
    cr_assert_eq(outcome.end, HD_END_FOUND);
    cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].level, n);
    cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].trace->length, n);
    hd_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

Test(any_order, without_traces_the_length_is_not_known) {
  hd_model *model = hd_model_dining(5);
  hd_outcome outcome;
  hd_run_search(&(hd_search){.model = model, .order = HD_ORDER_ANY}, 2, &outcome);
  cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].count, 1);
  cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].level, HD_LEVEL_UNKNOWN);
  cr_assert_null(outcome.found[HD_SLOT_STOP(1)].trace);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(any_order, initial_states_can_be_what_is_looked_for) {
  static const hd_arc arc = {0, 1, 1, -1, false};
  hd_model *model = hd_model_graph(2, &arc, 1, 0);
  hd_search search = {.model = model, .order = HD_ORDER_ANY, .predicate = is_seventh, .predicate_count = 1};
  hd_slots_add(search.stop_slots, HD_SLOT_PREDICATE(0));
  hd_outcome outcome;
  hd_run_search(&search, 3, &outcome);
  cr_assert_eq(outcome.end, HD_END_FOUND);
  cr_assert_eq(outcome.states, 1);
  cr_assert_eq(outcome.expanded, 0);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(any_order, limits_end_it) {
  hd_model *model = hd_model_ring(9, 1); /* 48620 states */
  for (size_t i = 0; i < sizeof hd_thread_counts / sizeof hd_thread_counts[0]; i++) {
    uint32_t threads = hd_thread_counts[i];
    hd_outcome outcome;
    hd_run_search(&(hd_search){.model = model, .order = HD_ORDER_ANY, .states_budget = 5000}, threads, &outcome);
    cr_assert_eq(outcome.end, HD_END_BUDGET);
    cr_assert_geq(outcome.states, 5000);
    cr_assert_lt(outcome.states, 48620);
    hd_outcome_clear(&outcome);
    hd_run_search(&(hd_search){.model = model, .order = HD_ORDER_ANY, .timeout_seconds = 1e-9}, threads, &outcome);
    cr_assert_eq(outcome.end, HD_END_TIMEOUT);
    cr_assert_lt(outcome.expanded, 48620);
    hd_outcome_clear(&outcome);
    hd_run_search(
        &(hd_search){.model = model, .order = HD_ORDER_ANY, .store = HD_STORE_WORD, .memory_max_bytes = 200000},
        threads, &outcome);
    cr_assert_eq(outcome.end, HD_END_MEMORY);
    cr_assert_lt(outcome.states, 48620);
    hd_outcome_clear(&outcome);
    hd_atomic_u32 cancel = 1;
    hd_run_search(&(hd_search){.model = model, .order = HD_ORDER_ANY, .cancel = &cancel}, threads, &outcome);
    cr_assert_eq(outcome.end, HD_END_SIGNAL);
    hd_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

Test(any_order, a_depth_needs_levels) {
  hd_model *model = hd_model_ring(3, 1);
  hd_outcome outcome;
  cr_assert_eq(hd_explore(&(hd_search){.model = model, .order = HD_ORDER_ANY, .depth_max = 2}, &outcome), HD_E_USAGE);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(any_order, orders_have_names) {
  cr_assert_str_eq(hd_order_name(HD_ORDER_LEVELS), "levels");
  cr_assert_str_eq(hd_order_name(HD_ORDER_ANY), "any");
}
