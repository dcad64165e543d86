/* Counterexamples: shortest, least at every step, the same for all thread counts, and replayable. */
#include "core/explore/explore.h"

#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"
#include "tests/support/reference.h"

enum { ARCS_MAX = 15000 };

static void check_random(uint64_t seed, uint32_t vertices, size_t arc_count, uint32_t zero_in, uint32_t padding) {
  static hd_arc arcs[ARCS_MAX];
  hd_random_arcs(seed, vertices, arcs, arc_count, zero_in);
  hd_model *model = hd_model_graph(vertices, arcs, arc_count, padding);
  hd_reference *reference = hd_reference_explore(model);
  hd_search search = {.model = model};
  hd_want_all_traces(&search);
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    hd_reference_check_trace(reference, model, &outcome, slot);
  }
  hd_outcome_clear(&outcome);
  hd_reference_free(reference);
  hd_model_free(model);
}

Test(counterexample, random_graphs_with_weight_1_only) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    check_random(seed, 3 + (uint32_t)(seed % 80), 5 + seed * 2, 0, seed % 4 == 0 ? 2 : 0);
  }
}

Test(counterexample, random_graphs_with_weight_0) {
  for (uint64_t seed = 1; seed <= 120; seed++) {
    check_random(seed * 13, 3 + (uint32_t)(seed % 80), 5 + seed * 2, 1 + (uint32_t)(seed % 5), seed % 4 == 0 ? 2 : 0);
  }
}

Test(counterexample, wide_levels_are_scanned_by_the_team) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    check_random(seed * 17, 6000, ARCS_MAX, seed == 1 ? 0 : (uint32_t)seed + 2, 0);
  }
}

/* 0 -> every other vertex -> the last one: each worker of the team finds predecessors of its own, the least one counts.
 * Repeated, because one worker may be so fast that the others find nothing to scan. */
Test(counterexample, the_least_of_all_workers_counts) {
  enum { MIDDLE = 4000 };
  static hd_arc arcs[2 * MIDDLE];
  for (uint32_t i = 0; i < MIDDLE; i++) {
    arcs[2 * i] = (hd_arc){.from = 0, .to = i + 1, .weight = 1, .check = -1};
    arcs[2 * i + 1] = (hd_arc){.from = i + 1, .to = MIDDLE + 1, .weight = 1, .check = -1};
  }
  hd_model *model = hd_model_graph(MIDDLE + 2, arcs, 2 * MIDDLE, 0);
  for (int again = 0; again < 20; again++) {
    hd_search search = {.model = model};
    hd_want_all_traces(&search);
    hd_outcome outcome;
    hd_run_search(&search, 4, &outcome);
    const hd_trace *trace = outcome.found[HD_SLOT_STOP(1)].trace;
    cr_assert_not_null(trace);
    cr_assert_eq(trace->length, 2);
    cr_assert_eq(hd_graph_vertex(model, trace->states + trace->words), 1);
    hd_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

/* 0 =0=> 1 =0=> 2 -1-> 4 and 0 =0=> 3 -1-> 4: the way through 3 has fewer weight-0 steps, though 2 is the lesser state.
 * Then 4 is stuck. */
Test(counterexample, prefers_few_weight_0_steps) {
  static const hd_arc arcs[] = {
      {0, 1, 0, -1, false}, {1, 2, 0, -1, false}, {2, 4, 1, -1, false}, {0, 3, 0, -1, false}, {3, 4, 1, -1, false}};
  hd_model *model = hd_model_graph(5, arcs, 5, 0);
  hd_search search = {.model = model};
  hd_want_all_traces(&search);
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  const hd_trace *trace = outcome.found[HD_SLOT_STOP(1)].trace;
  cr_assert_not_null(trace);
  cr_assert_eq(trace->length, 2);
  cr_assert_eq(hd_graph_vertex(model, trace->states + trace->words), 3);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

/* Two arcs between the same vertices: the one built first is taken. */
Test(counterexample, ties_between_steps_go_by_step_order) {
  static const hd_arc arcs[] = {{0, 1, 1, -1, false}, {0, 1, 1, -1, false}, {1, 2, 1, 5, false}, {1, 2, 1, 5, false}};
  hd_model *model = hd_model_graph(3, arcs, 4, 0);
  hd_search search = {.model = model};
  hd_want_all_traces(&search);
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  const hd_found *found = &outcome.found[HD_SLOT_CHECK(5)];
  cr_assert_eq(found->count, 2);
  cr_assert_eq(found->trace->length, 2);
  cr_assert_eq(hd_model_edge_statement(model, found->trace->steps[0].edge), 0);
  cr_assert_eq(hd_model_edge_statement(model, found->trace->steps[1].edge), 2);
  cr_assert_eq(hd_graph_vertex(model, found->trace->states + 2 * found->trace->words), 2,
               "a check's step has a successor");
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(counterexample, a_fault_is_the_last_step) {
  static const hd_arc arcs[] = {{0, 1, 1, -1, false}, {1, 2, 1, -1, true}};
  hd_model *model = hd_model_graph(3, arcs, 2, 0);
  hd_search search = {.model = model};
  hd_want_all_traces(&search);
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  const hd_found *found = &outcome.found[HD_SLOT_FAULT(HD_FAULT_RANGE)];
  cr_assert_eq(found->level, 2);
  cr_assert_eq(found->trace->length, 2);
  cr_assert_eq(found->trace->steps[1].fault, HD_FAULT_RANGE);
  cr_assert_eq(hd_graph_vertex(model, found->trace->states + 2 * found->trace->words), 1, "it stays where it was");
  size_t failed = 0;
  cr_assert_eq(hd_trace_replay(model, NULL, found->trace, &failed), HD_OK);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(counterexample, only_the_asked_ones_are_rebuilt) {
  static const hd_arc arcs[] = {{0, 1, 1, 4, false}, {1, 2, 1, 6, false}};
  hd_model *model = hd_model_graph(3, arcs, 2, 0);
  hd_search search = {.model = model};
  hd_slots_add(search.trace_slots, HD_SLOT_CHECK(6));
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.found[HD_SLOT_CHECK(4)].count, 1);
  cr_assert_null(outcome.found[HD_SLOT_CHECK(4)].trace);
  cr_assert_not_null(outcome.found[HD_SLOT_CHECK(6)].trace);
  cr_assert_null(outcome.found[HD_SLOT_STOP(1)].trace);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

/* As many states as levels: a chunk per level must not cost a chunk's memory. */
Test(counterexample, a_long_chain_is_walked_back) {
  const uint32_t length = 100000;
  hd_model *model = hd_model_chain(length, 1);
  hd_search search = {.model = model, .memory_max_bytes = (size_t)64 << 20};
  hd_slots_add(search.trace_slots, HD_SLOT_STOP(1));
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  const hd_found *found = &outcome.found[HD_SLOT_STOP(1)];
  cr_assert_eq(found->level, length);
  cr_assert_not_null(found->trace);
  cr_assert_eq(found->trace->length, length);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

/* A trace may be gone on with. */
static bool accept_any(void *payload, const uint64_t *next, const hd_step *step) {
  (void)payload;
  (void)step;
  return next != NULL;
}

Test(counterexample, a_trace_can_be_extended) {
  static const hd_arc arcs[] = {{0, 1, 1, -1, false}, {1, 2, 1, -1, false}, {2, 0, 1, 1, false}};
  hd_model *model = hd_model_graph(3, arcs, 3, 0);
  hd_search search = {.model = model};
  hd_want_all_traces(&search);
  hd_outcome outcome;
  hd_run_search(&search, 1, &outcome);
  hd_trace *trace = outcome.found[HD_SLOT_CHECK(1)].trace;
  cr_assert_eq(trace->length, 3);
  for (size_t i = 0; i < 20; i++) {
    cr_assert_eq(hd_trace_extend(model, NULL, trace, accept_any, NULL), HD_OK);
  }
  size_t failed = 0;
  cr_assert_eq(hd_trace_replay(model, NULL, trace, &failed), HD_OK);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}
