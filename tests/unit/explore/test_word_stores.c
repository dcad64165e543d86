/* Whole searches of models of one word: the same counts and the same counterexample whatever keeps the states, for
 * every number of threads. */
#include "core/explore/explore.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"

static const uint32_t thread_counts[] = {1, 2, 3, 8};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };
static const hd_store stores[] = {HD_STORE_AUTO, HD_STORE_WIDE, HD_STORE_TREE, HD_STORE_BITMAP, HD_STORE_QUOTIENT};
enum { STORES = sizeof stores / sizeof stores[0] };

static void check_model(hd_model *model) {
  cr_assert_eq(hd_model_words(model), 1);
  hd_search search = {.model = model, .store = HD_STORE_WORD, .threads = 1};
  hd_slots_add(search.trace_slots, HD_SLOT_STOP(1));
  hd_outcome expected;
  cr_assert_eq(hd_explore(&search, &expected), HD_OK);
  cr_assert_eq(expected.end, HD_END_COMPLETE);
  uint32_t compared = 0;
  for (size_t s = 0; s < STORES; s++) {
    if (hd_store_refusal(stores[s], 1, hd_model_bits(model)) != NULL ||
        (stores[s] == HD_STORE_BITMAP && hd_model_bits(model) > 33)) {
      continue;
    }
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
      search.store = stores[s];
      search.threads = thread_counts[t];
      hd_outcome outcome;
      cr_assert_eq(hd_explore(&search, &outcome), HD_OK);
      cr_assert(stores[s] == HD_STORE_AUTO || strcmp(outcome.store, hd_store_name(stores[s])) == 0);
      outcome.store = expected.store;
      hd_check_same_outcome(&expected, &outcome);
      hd_outcome_clear(&outcome);
      compared++;
    }
  }
  cr_assert_geq(compared, 3 * THREAD_COUNTS);
  hd_outcome_clear(&expected);
  hd_model_free(model);
}

Test(word_stores, agree_on_models_of_one_word) {
  check_model(hd_model_ring(9, 1));
  check_model(hd_model_ring(8, 0));
  check_model(hd_model_pairs(8));
  check_model(hd_model_pipeline(8));
  check_model(hd_model_star(9));
  check_model(hd_model_dining(9));
  check_model(hd_model_counter(3, 3));
  check_model(hd_model_filter(4));
  check_model(hd_model_chain(20000, 1));
  check_model(hd_model_fan(30000));
}

Test(word_stores, few_bits_become_a_bitmap) {
  hd_model *model = hd_model_ring(9, 1); /* 18 bits, 48,620 states */
  hd_search search = {.model = model, .threads = 2};
  hd_outcome outcome;
  cr_assert_eq(hd_explore(&search, &outcome), HD_OK);
  cr_assert_str_eq(outcome.store, "bitmap");
  cr_assert_eq(outcome.states, 48620);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}
