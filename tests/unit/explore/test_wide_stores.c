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
