/* The store for states of one word: the mix, the special words, a table without room. */
#include "hashing/word_set.h"

#include "core/base/machine.h"
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

static void grow_worker(hd_team *team, uint32_t worker, void *payload) {
  cr_assert_eq(hd_visited_grow(payload, team, worker), HD_OK);
}

static hd_status grow_alone(hd_visited *visited) {
  return hd_team_run(1, grow_worker, visited);
}

/* Few different keys, so that most are known, several of a batch are equal, and 0 is among them. */
static uint64_t some_key(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  uint64_t key = *seed >> 40;
  return key % 5 == 0 ? key % 64 : key % 5 == 1 ? (key % 3000) << 40 : key % 20000;
}

/* With each kind of vector instructions, the answers of one set are those of another that gets the same states one by
 * one. The table is small and is grown whenever both say that it is full. */
Test(word_set, many_states_get_the_answers_of_single_ones) {
  static const size_t sizes[] = {0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 255, 300};
  for (int simd = HD_SIMD_NONE; simd < HD_SIMD_COUNT; simd++) {
    hd_machine_limit_simd((hd_simd)simd);
    hd_visited_config config = {.words = 1, .bits = 64, .workers = 1, .store = HD_STORE_WORD, .initial_slots = 64};
    hd_visited *many = NULL, *single = NULL;
    cr_assert_eq(hd_visited_new(&config, &many), HD_OK);
    cr_assert_eq(hd_visited_new(&config, &single), HD_OK);
    uint64_t seed = 7, fresh = 0, full = 0;
    for (size_t round = 0; round < 3000; round++) {
      uint64_t states[300];
      uint32_t places[308];
      uint8_t answers[308];
      size_t count = sizes[round % (sizeof sizes / sizeof *sizes)];
      for (size_t i = 0; i < count; i++) {
        states[i] = some_key(&seed);
      }
      size_t found = hd_visited_insert_many(many, 0, states, count, places, answers), next = 0;
      for (size_t i = 0; i < count; i++) {
        hd_insert answer = hd_visited_insert(single, 0, &states[i]);
        if (answer != HD_INSERT_KNOWN) {
          cr_assert_lt(next, found);
          cr_assert_eq(places[next], i);
          cr_assert_eq(answers[next], answer);
          next++;
          fresh += answer == HD_INSERT_NEW;
          full += answer == HD_INSERT_FULL;
        }
      }
      cr_assert_eq(next, found);
      if (found > 0 && answers[found - 1] == HD_INSERT_FULL) {
        cr_assert_eq(grow_alone(many), HD_OK);
        cr_assert_eq(grow_alone(single), HD_OK);
      }
    }
    cr_assert_eq(hd_visited_count(many), fresh);
    cr_assert_eq(hd_visited_count(single), fresh);
    cr_assert_gt(fresh, 10000u);
    cr_assert_gt(full, 100u);
    hd_visited_free(many);
    hd_visited_free(single);
  }
}
