/* The store of 32-bit slots: its mix, its limits, hostile states that overflow, growth with few and many threads. */
#include "hashing/quotient_set.h"

#include "core/base/atomic.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>

static hd_status init(hdi_quotient_set *set, uint32_t bits, uint32_t workers, size_t slots, size_t memory_max_bytes) {
  hd_visited_config config = {.words = 1, .bits = bits, .workers = workers, .initial_slots = slots};
  config.memory_max_bytes = memory_max_bytes;
  return hdi_quotient_set_init(set, &config);
}

static void grow_worker(hd_team *team, uint32_t worker, void *payload) {
  if (hdi_quotient_set_grow(payload, team, worker) != HD_OK) {
    abort();
  }
}

/* The state whose mixed word is `key`: the mix undone. */
static uint64_t inverse_of_odd(uint64_t factor) {
  uint64_t inverse = factor; /* right in the 3 lowest bits; each step doubles them */
  for (int i = 0; i < 5; i++) {
    inverse *= 2 - factor * inverse;
  }
  return inverse;
}

static uint64_t unmix(uint64_t key, uint32_t bits) {
  uint64_t mask = UINT64_MAX >> (64 - bits);
  uint32_t half = (bits + 1) / 2;
  key ^= key >> half;
  key = (key * inverse_of_odd(0xc4ceb9fe1a85ec53ULL)) & mask;
  key ^= key >> half;
  key = (key * inverse_of_odd(0xff51afd7ed558ccdULL)) & mask;
  return key ^ (key >> half);
}

Test(quotient_set, the_mix_is_a_bijection_on_every_width) {
  for (uint32_t bits = 32; bits <= HDI_QUOTIENT_BITS_MAX; bits++) {
    uint64_t seed = bits;
    for (int i = 0; i < 2000; i++) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      uint64_t state = seed >> (64 - bits), key = hdi_quotient_mix(state, bits);
      cr_assert_eq(key >> bits, 0);
      cr_assert_eq(unmix(key, bits), state);
    }
  }
}

Test(quotient_set, the_table_is_large_enough_for_its_states) {
  for (uint32_t bits = 1; bits <= 44; bits++) {
    hdi_quotient_set set;
    cr_assert_eq(init(&set, bits, 1, 1, 0), HD_OK);
    cr_assert_leq(set.now.rest_bits, 27);
    size_t size_bytes = set.region.size_bytes;
    uint64_t states[] = {0, 1, ((uint64_t)1 << bits) - 1, (uint64_t)1 << (bits - 1), ((uint64_t)1 << bits) / 3};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
      bool known = hdi_quotient_set_contains(&set, states[i]);
      cr_assert_eq(hdi_quotient_set_insert(&set, 0, states[i]), known ? HD_INSERT_KNOWN : HD_INSERT_NEW);
      cr_assert_eq(hdi_quotient_set_insert(&set, 0, states[i]), HD_INSERT_KNOWN);
    }
    hdi_quotient_set_clear(&set);
    cr_assert_eq(init(&set, bits, 1, 1, size_bytes - 1), HD_E_LIMIT);
  }
  cr_assert_null(hd_store_refusal(HD_STORE_QUOTIENT, 1, HDI_QUOTIENT_BITS_MAX));
  cr_assert_not_null(hd_store_refusal(HD_STORE_QUOTIENT, 1, HDI_QUOTIENT_BITS_MAX + 1));
  cr_assert_not_null(hd_store_refusal(HD_STORE_QUOTIENT, 2, 40));
}

/* All states have one home, the last bucket: eight buckets fill up, round the table's end, then the overflow; then the
 * table is full. Growth brings back what has room, and whatever was known stays known. */
Test(quotient_set, colliding_states_overflow_and_come_back) {
  enum { BITS = 40, MOST = 1000 };
  hdi_quotient_set set;
  cr_assert_eq(init(&set, BITS, 1, 1, 0), HD_OK);
  uint64_t home = set.now.bucket_count - 1, count = 0, states[MOST];
  hd_insert answer = HD_INSERT_NEW;
  while (answer == HD_INSERT_NEW) {
    cr_assert_lt(count, MOST);
    states[count] = unmix(home << set.now.rest_bits | count * 77777, BITS);
    answer = hdi_quotient_set_insert(&set, 0, states[count]);
    count += answer == HD_INSERT_NEW;
  }
  cr_assert_eq(answer, HD_INSERT_FULL);
  cr_assert_eq(hdi_table_count(&set.overflow.table), 48);
  cr_assert_geq(count, 8 * 16 + 48);
  for (uint32_t growths = 0; growths < 5; growths++) {
    for (uint64_t i = 0; i < count; i++) {
      cr_assert(hdi_quotient_set_contains(&set, states[i]));
      cr_assert_eq(hdi_quotient_set_insert(&set, 0, states[i]), HD_INSERT_KNOWN);
    }
    cr_assert_eq(hdi_quotient_set_count(&set), count);
    cr_assert_eq(hd_team_run(1 + growths % 3, grow_worker, &set), HD_OK);
  }
  hdi_quotient_set_clear(&set);
}

Test(quotient_set, growth_keeps_all_states_at_every_size) {
  for (uint32_t threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
    hdi_quotient_set set;
    cr_assert_eq(init(&set, 36, threads, 1, 0), HD_OK);
    uint64_t next = 0;
    const uint64_t factor = 0x9e3779b97f4a7c15ULL, mask = ((uint64_t)1 << 36) - 1;
    while (set.now.bucket_count <= 1 << 14) {
      while (!hdi_quotient_set_wants_growth(&set)) {
        cr_assert_eq(hdi_quotient_set_insert(&set, 0, (next++ * factor) & mask), HD_INSERT_NEW);
      }
      cr_assert_leq((double)hdi_quotient_set_size_bytes(&set), 6.5 * (double)next + 4096);
      cr_assert_eq(hd_team_run(threads, grow_worker, &set), HD_OK);
      cr_assert_eq(hdi_quotient_set_count(&set), next);
      for (uint64_t i = 0; i < next + 1000; i++) {
        cr_assert_eq(hdi_quotient_set_contains(&set, (i * factor) & mask), i < next);
      }
    }
    hdi_quotient_set_clear(&set);
  }
}

static void grow_without_memory(hd_team *team, uint32_t worker, void *payload) {
  hd_fail_alloc_after(0, true);
  hd_status status = hdi_quotient_set_grow(payload, team, worker);
  hd_fail_alloc_stop();
  if (status != HD_E_NOMEM) {
    abort();
  }
}

static hd_status make_one(uint64_t failing, uint64_t *asked) {
  hdi_quotient_set set;
  hd_fail_alloc_after(failing, false);
  hd_status status = init(&set, 40, 2, 0, 0);
  *asked = hd_fail_alloc_stop();
  if (status == HD_OK) {
    hdi_quotient_set_clear(&set);
  }
  return status;
}

Test(quotient_set, refused_memory_changes_nothing) {
  hd_fail_alloc_exhaust(make_one);
  hdi_quotient_set set;
  cr_assert_eq(init(&set, 32, 1, 1, 0), HD_OK);
  for (uint64_t state = 0; state < 300; state++) {
    cr_assert_eq(hdi_quotient_set_insert(&set, 0, state), HD_INSERT_NEW);
  }
  cr_assert_eq(hd_team_run(1, grow_without_memory, &set), HD_OK);
  cr_assert_eq(hd_team_run(1, grow_worker, &set), HD_OK);
  for (uint64_t state = 0; state < 600; state++) {
    cr_assert_eq(hdi_quotient_set_contains(&set, state), state < 300);
  }
  hdi_quotient_set_clear(&set);
}
