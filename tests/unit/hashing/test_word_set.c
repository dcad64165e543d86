/* The store for states of one word: the mix, the special words, a table without room. */
#include "hashing/word_set.h"

#include "tests/support/hd_test.h"

Test(word_set, the_mix_is_a_bijection_that_keeps_zero) {
  cr_assert_eq(hdi_word_mix(0), 0);
  for (uint64_t i = 1, word = 1; i < 100000; i++) {
    cr_assert_eq(hdi_word_unmix(hdi_word_mix(word)), word);
    cr_assert_neq(hdi_word_mix(word), 0);
    word = i % 3 == 0 ? i : word * 6364136223846793005ULL + 1442695040888963407ULL;
  }
}

/* States 0, 1, 2, ... must spread over the buckets by their high bits. */
Test(word_set, consecutive_states_fill_buckets_evenly) {
  enum { BUCKETS = 1024, STATES = 4096 };
  unsigned load[BUCKETS] = {0}, most = 0;
  for (uint64_t i = 0; i < STATES; i++) {
    unsigned *bucket = &load[hdi_word_mix(i) >> 54];
    most = ++*bucket > most ? *bucket : most;
  }
  cr_assert_leq(most, 20, "a bucket holds %u of %d states", most, STATES);
}

Test(word_set, zero_and_the_largest_word_are_states_like_others) {
  hd_visited_config config = {.words = 1, .workers = 2};
  hdi_word_set set;
  cr_assert_eq(hdi_word_set_init(&set, &config), HD_OK);
  const uint64_t states[] = {0, UINT64_MAX, 1, (uint64_t)1 << 63};
  for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
    cr_assert_not(hdi_word_set_contains(&set, states[i]));
    cr_assert_eq(hdi_word_set_insert(&set, 0, states[i]), HD_INSERT_NEW);
    cr_assert_eq(hdi_word_set_insert(&set, 1, states[i]), HD_INSERT_KNOWN);
    cr_assert(hdi_word_set_contains(&set, states[i]));
    cr_assert_eq(hdi_table_count(&set.table), i + 1);
  }
  hdi_word_set_clear(&set);
}

/* All states below have one home bucket: they overflow into its neighbours, and come back when asked for. */
Test(word_set, colliding_states_overflow_and_are_found) {
  hd_visited_config config = {.words = 1, .workers = 1, .initial_slots = 1024};
  hdi_word_set set;
  cr_assert_eq(hdi_word_set_init(&set, &config), HD_OK);
  const uint64_t home = 127; /* the last bucket, so that the overflow wraps round */
  for (uint64_t i = 0; i < 8 * HDI_PROBE_MAX; i++) {
    cr_assert_eq(hdi_word_set_insert(&set, 0, hdi_word_unmix((home << 57) + i)), HD_INSERT_NEW);
  }
  cr_assert_eq(hdi_word_set_insert(&set, 0, hdi_word_unmix((home << 57) + 8 * HDI_PROBE_MAX)), HD_INSERT_FULL,
               "the probe is bounded");
  for (uint64_t i = 0; i < 8 * HDI_PROBE_MAX; i++) {
    cr_assert_eq(hdi_word_set_insert(&set, 0, hdi_word_unmix((home << 57) + i)), HD_INSERT_KNOWN);
    cr_assert(hdi_word_set_contains(&set, hdi_word_unmix((home << 57) + i)));
  }
  cr_assert_not(hdi_word_set_contains(&set, hdi_word_unmix((home << 57) + 8 * HDI_PROBE_MAX)));
  hdi_word_set_clear(&set);
}
