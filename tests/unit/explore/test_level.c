/* Levels under weight-0 steps, and growth in the middle of one, on random systems against a plain explorer that finds
 * costs by relaxation. */
#include "core/explore/explore.h"

#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"
#include "tests/support/reference.h"

enum { ARCS_MAX = 15000 };

/* One random graph: counts and levels for every number of threads. */
static void check_random(uint64_t seed, uint32_t vertices, size_t arc_count, uint32_t zero_in, uint32_t padding) {
  static hd_arc arcs[ARCS_MAX];
  hd_random_arcs(seed, vertices, arcs, arc_count, zero_in);
  hd_model *model = hd_model_graph(vertices, arcs, arc_count, padding);
  hd_reference *reference = hd_reference_explore(model);
  hd_search search = {.model = model};
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  hd_reference_check_outcome(reference, &outcome);
  hd_outcome_clear(&outcome);
  hd_reference_free(reference);
  hd_model_free(model);
}

Test(level, random_graphs_with_weight_1_only) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    check_random(seed, 3 + (uint32_t)(seed % 50), 5 + seed * 3, 0, seed % 4 == 0 ? 3 : 0);
  }
}

Test(level, random_graphs_with_weight_0) {
  for (uint64_t seed = 1; seed <= 150; seed++) {
    check_random(seed * 7, 3 + (uint32_t)(seed % 60), 5 + seed * 2, 1 + (uint32_t)(seed % 5), seed % 4 == 0 ? 3 : 0);
  }
}

Test(level, wide_levels_with_weight_0) {
  for (uint64_t seed = 1; seed <= 4; seed++) {
    check_random(seed * 31, 6000, ARCS_MAX, (uint32_t)seed + 1, 0);
  }
}

/* Real systems: a level of the ring whose receives cost nothing has many sub-levels. */
Test(level, a_ring_whose_receives_cost_nothing) {
  for (uint32_t n = 2; n <= 8; n++) {
    hd_model *model = hd_model_ring(n, 0);
    hd_reference *reference = hd_reference_explore(model);
    hd_search search = {.model = model};
    hd_outcome outcome, all_steps;
    hd_run_on_all_counts(&search, &outcome);
    hd_reference_check_outcome(reference, &outcome);
    hd_model *costly = hd_model_ring(n, 1);
    hd_run_search(&(hd_search){.model = costly}, 1, &all_steps);
    cr_assert_eq(outcome.states, all_steps.states, "weights do not change what is reachable");
    cr_assert_eq(outcome.transitions, all_steps.transitions);
    cr_assert_lt(outcome.levels, all_steps.levels);
    hd_outcome_clear(&all_steps);
    hd_outcome_clear(&outcome);
    hd_model_free(costly);
    hd_reference_free(reference);
    hd_model_free(model);
  }
}

Test(level, cuts_are_the_same_for_all_thread_counts) {
  static hd_arc arcs[ARCS_MAX];
  for (uint64_t seed = 1; seed <= 20; seed++) {
    hd_random_arcs(seed * 101, 300, arcs, 900, 3);
    hd_model *model = hd_model_graph(300, arcs, 900, 0);
    hd_search search = {.model = model, .depth_max = 2 + seed % 5};
    hd_outcome outcome;
    hd_run_on_all_counts(&search, &outcome);
    cr_assert_leq(outcome.levels, search.depth_max + 1);
    hd_outcome_clear(&outcome);
    search = (hd_search){.model = model, .states_budget = 20 * seed};
    hd_run_on_all_counts(&search, &outcome);
    hd_outcome_clear(&outcome);
    for (uint32_t code = 0; code < 3; code++) {
      search = (hd_search){.model = model};
      hd_slots_add(search.stop_slots, HD_SLOT_CHECK(code));
      hd_slots_add(search.stop_slots, HD_SLOT_FAULT(HD_FAULT_RANGE));
      hd_run_on_all_counts(&search, &outcome);
      hd_outcome_clear(&outcome);
    }
    hd_model_free(model);
  }
}

/* A state that is closed has its weight-0 steps counted only when it is expanded. */
Test(level, transitions_belong_to_expanded_states) {
  static const hd_arc arcs[] = {{0, 1, 1, -1, false}, {1, 2, 0, -1, false}, {2, 3, 1, -1, false}};
  hd_model *model = hd_model_graph(4, arcs, 3, 0);
  hd_search search = {.model = model, .depth_max = 1};
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.end, HD_END_DEPTH);
  cr_assert_eq(outcome.states, 2);
  cr_assert_eq(outcome.expanded, 1);
  cr_assert_eq(outcome.transitions, 1);
  hd_outcome_clear(&outcome);
  search.depth_max = 2;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.states, 4);
  cr_assert_eq(outcome.expanded, 3);
  cr_assert_eq(outcome.transitions, 3);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

/* A state with a faulty step only is not stopped. */
Test(level, a_faulty_step_is_a_step) {
  static const hd_arc arcs[] = {{0, 1, 1, -1, false}, {1, 0, 1, -1, true}, {0, 2, 1, -1, false}, {2, 0, 0, -1, true}};
  hd_model *model = hd_model_graph(3, arcs, 4, 0);
  hd_search search = {.model = model};
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.stopped, 0);
  cr_assert_eq(outcome.transitions, 2);
  cr_assert_eq(outcome.found[HD_SLOT_FAULT(HD_FAULT_RANGE)].count, 2);
  cr_assert_eq(outcome.found[HD_SLOT_FAULT(HD_FAULT_RANGE)].level, 1, "the weight-0 one, from a state of level 1");
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}
