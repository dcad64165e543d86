/* Whole searches of wide models: the same counts and the same counterexample whatever keeps the states, for every
 * number of threads. */
#include "core/explore/explore.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"

static const uint32_t thread_counts[] = {1, 2, 3, 8};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };

typedef struct limits {
  uint64_t states_budget, depth_max;
} limits;

static hd_search search_for(const hd_model *model, hd_store store, uint32_t threads, limits l) {
  hd_search search = {
      .model = model, .store = store, .threads = threads, .states_budget = l.states_budget, .depth_max = l.depth_max};
  hd_slots_add(search.trace_slots, HD_SLOT_STOP(1));
  return search;
}

static void check_model(hd_model *model, limits l) {
  hd_search plain = search_for(model, HD_STORE_WIDE, 1, l);
  hd_outcome expected;
  cr_assert_eq(hd_explore(&plain, &expected), HD_OK);
  for (size_t t = 0; t < THREAD_COUNTS; t++) {
    hd_search search = search_for(model, HD_STORE_TREE, thread_counts[t], l);
    hd_outcome outcome;
    cr_assert_eq(hd_explore(&search, &outcome), HD_OK);
    cr_assert_str_eq(outcome.store, "tree");
    outcome.store = expected.store;
    hd_check_same_outcome(&expected, &outcome);
    hd_outcome_clear(&outcome);
  }
  hd_outcome_clear(&expected);
  hd_model_free(model);
}

Test(wide_stores, agree_on_wide_models) {
  const limits none = {0, 0};
  check_model(hd_model_ring(40, 1), (limits){.states_budget = 20000});
  check_model(hd_model_ring(64, 0), (limits){.depth_max = 3});
  check_model(hd_model_pairs(32), (limits){.states_budget = 20000});
  check_model(hd_model_pipeline(60), (limits){.states_budget = 20000});
  check_model(hd_model_star(60), (limits){.depth_max = 3});
  check_model(hd_model_dining(9), none);
  check_model(hd_model_rendezvous_dining(40), (limits){.depth_max = 3});
  check_model(hd_model_counter(40, 4), (limits){.states_budget = 20000});
  check_model(hd_model_chain(3000, 1), none);
  check_model(hd_model_chain(3000, 7), none);
  check_model(hd_model_chain(500, 40), none);
}

/* ---- the lossy store ---- */

static void check_lossy(hd_model *model, uint32_t threads, size_t memory, bool roomy) {
  hd_search search = search_for(model, HD_STORE_AUTO, 1, (limits){0, 0});
  hd_outcome exact, lossy;
  hd_run_search(&search, 1, &exact);
  search.store = HD_STORE_BITSTATE;
  search.memory_max_bytes = memory;
  hd_run_search(&search, threads, &lossy);
  cr_assert_str_eq(lossy.store, "bitstate");
  cr_assert(lossy.lossy && !exact.lossy);
  cr_assert_eq(lossy.end, HD_END_LOSSY, "never complete");
  cr_assert_leq(lossy.states, exact.states);
  cr_assert_geq(lossy.states, roomy ? exact.states : 1);
  cr_assert(roomy || lossy.states < exact.states);
  cr_assert_eq(lossy.expanded, lossy.states);
  cr_assert(lossy.loss.fill > 0 && lossy.loss.omission >= 0);
  const hd_found *found = &lossy.found[HD_SLOT_STOP(1)], *expected = &exact.found[HD_SLOT_STOP(1)];
  cr_assert_leq(found->count, expected->count);
  if (found->count > 0) { /* then the run is the shortest one all the same */
    cr_assert_eq(found->trace_status, HD_OK);
    cr_assert_eq(found->level, expected->level);
    hd_check_same_trace(found->trace, expected->trace);
  }
  cr_assert(!roomy || found->count == expected->count);
  hd_outcome_clear(&exact);
  hd_outcome_clear(&lossy);
}

Test(wide_stores, a_lossy_search_is_never_complete_and_its_findings_are_real) {
  hd_model *models[] = {hd_model_dining(8), hd_model_chain(300, 3), hd_model_ring(7, 1), hd_model_pairs(6)};
  for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
      check_lossy(models[m], thread_counts[t], 64 << 20, true);
    }
    hd_model_free(models[m]);
  }
}

/* The exact search for the run needs more than the filter: with too little memory it is the status that says so. */
Test(wide_stores, without_memory_for_a_run_the_finding_stays) {
  hd_model *model = hd_model_dining(9);
  hd_search search = search_for(model, HD_STORE_BITSTATE, 2, (limits){0, 0});
  search.memory_max_bytes = 4 << 20;
  hd_outcome outcome;
  hd_run_search(&search, 2, &outcome);
  cr_assert_eq(outcome.end, HD_END_LOSSY);
  cr_assert_eq(outcome.found[HD_SLOT_STOP(1)].count, 1);
  hd_outcome_clear(&outcome);
  search.memory_max_bytes = 600000;
  search.model = model;
  hd_run_search(&search, 2, &outcome);
  const hd_found *found = &outcome.found[HD_SLOT_STOP(1)];
  cr_assert(outcome.end == HD_END_LOSSY || outcome.end == HD_END_MEMORY);
  cr_assert(found->count == 0 || (found->trace != NULL) == (found->trace_status == HD_OK));
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}
