/* The store for wide states: chunks of cells, cells given back, equal fragments. */
#include "hashing/wide_set.h"

#include "core/base/hash.h"
#include "tests/support/hd_test.h"

static void fill(uint64_t *state, uint32_t words, uint64_t number) {
  for (uint32_t i = 0; i < words; i++) {
    state[i] = i == words / 2 ? number : 0; /* states differ in one word only */
  }
}

Test(wide_set, known_states_take_no_storage) {
  hd_visited_config config = {.words = 3, .workers = 2};
  hdi_wide_set set;
  cr_assert_eq(hdi_wide_set_init(&set, &config), HD_OK);
  uint64_t state[3];
  for (uint64_t round = 0; round < 2; round++) {
    for (uint64_t i = 0; i < 1000; i++) {
      fill(state, 3, i);
      cr_assert_eq(hdi_wide_set_insert(&set, (uint32_t)round, state), round == 0 ? HD_INSERT_NEW : HD_INSERT_KNOWN);
    }
  }
  cr_assert_eq(set.lanes[0].used, 1000);
  cr_assert_null(set.lanes[1].chunk, "the second worker found every state known");
  hdi_wide_set_clear(&set);
}

Test(wide_set, chunks_follow_one_another) {
  hd_visited_config config = {.words = 40, .workers = 1, .initial_slots = 1 << 15};
  hdi_wide_set set;
  cr_assert_eq(hdi_wide_set_init(&set, &config), HD_OK);
  uint64_t state[40];
  const uint64_t states = 20000;
  for (uint64_t i = 0; i < states; i++) {
    fill(state, 40, i);
    cr_assert_eq(hdi_wide_set_insert(&set, 0, state), HD_INSERT_NEW);
  }
  cr_assert_eq(hd_load_rlx(&set.chunk_count), (states + ((uint64_t)1 << set.cell_bits) - 1) >> set.cell_bits);
  cr_assert_gt(hd_load_rlx(&set.chunk_count), 10);
  cr_assert_geq(hdi_wide_set_size_bytes(&set), states * 40 * sizeof(uint64_t) + (1 << 15) * sizeof(uint64_t));
  for (uint64_t i = 0; i < states; i++) {
    fill(state, 40, i);
    cr_assert(hdi_wide_set_contains(&set, state));
    state[39] ^= 1;
    cr_assert_not(hdi_wide_set_contains(&set, state));
  }
  hdi_wide_set_clear(&set);
}

Test(wide_set, the_zero_state_is_a_state_like_others) {
  hd_visited_config config = {.words = 2, .workers = 1};
  hdi_wide_set set;
  cr_assert_eq(hdi_wide_set_init(&set, &config), HD_OK);
  const uint64_t zero[2] = {0, 0};
  cr_assert_not(hdi_wide_set_contains(&set, zero));
  cr_assert_eq(hdi_wide_set_insert(&set, 0, zero), HD_INSERT_NEW);
  cr_assert_eq(hdi_wide_set_insert(&set, 0, zero), HD_INSERT_KNOWN);
  cr_assert(hdi_wide_set_contains(&set, zero));
  hdi_wide_set_clear(&set);
}

/* All slots carry the fragment of the state that is asked for, but refer to others: the words decide. */
Test(wide_set, words_decide_when_fragments_agree) {
  hd_visited_config config = {.words = 2, .workers = 1, .initial_slots = 64};
  hdi_wide_set set;
  cr_assert_eq(hdi_wide_set_init(&set, &config), HD_OK);
  const uint64_t index_mask = ((uint64_t)1 << HDI_WIDE_INDEX_BITS) - 1;
  uint64_t state[2];
  for (uint64_t i = 0; i < 48; i++) {
    fill(state, 2, i);
    uint64_t fragment = hd_hash_bytes(state, sizeof state) << HDI_WIDE_INDEX_BITS;
    for (uint64_t s = 0; s < set.table.now.bucket_count * HDI_BUCKET_SLOTS; s++) {
      uint64_t slot = hd_load_rlx(&set.table.now.slots[s]);
      if (slot != 0) {
        hd_store_rlx(&set.table.now.slots[s], (slot & index_mask) | fragment);
      }
    }
    cr_assert_not(hdi_wide_set_contains(&set, state));
    cr_assert_eq(hdi_wide_set_insert(&set, 0, state), HD_INSERT_NEW);
    cr_assert_eq(hdi_wide_set_insert(&set, 0, state), HD_INSERT_KNOWN);
  }
  hdi_wide_set_clear(&set);
}

Test(wide_set, storage_stops_at_the_memory_limit) {
  hd_visited_config config = {
      .words = 64, .workers = 2, .initial_slots = 1 << 14, .memory_max_bytes = (1 << 14) * 8 + 600000};
  hdi_wide_set set;
  cr_assert_eq(hdi_wide_set_init(&set, &config), HD_OK);
  uint64_t state[64];
  uint64_t inserted = 0;
  for (;; inserted++) {
    fill(state, 64, inserted);
    hd_insert answer = hdi_wide_set_insert(&set, 0, state);
    if (answer != HD_INSERT_NEW) {
      cr_assert_eq(answer, HD_INSERT_NOMEM);
      break;
    }
  }
  cr_assert_gt(inserted, 500);
  cr_assert_leq(hdi_wide_set_size_bytes(&set), config.memory_max_bytes);
  cr_assert_eq(hdi_table_count(&set.table), inserted);
  cr_assert_not(hdi_wide_set_contains(&set, state));
  fill(state, 64, inserted - 1);
  cr_assert_eq(hdi_wide_set_insert(&set, 0, state), HD_INSERT_KNOWN, "known states stay known");
  hdi_wide_set_clear(&set);
}
