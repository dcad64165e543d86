/* The table under the visited sets: load limit, credit, placement. */
#include "hashing/slot_table.h"

#include "tests/support/hd_test.h"

static uint64_t take_all(hdi_table *table, uint32_t workers) {
  uint64_t taken = 0;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t w = 0; w < workers; w++) {
      if (hdi_table_reserve(table, w)) {
        hdi_table_added(table, w);
        taken++;
        more = true;
      }
    }
  }
  return taken;
}

Test(slot_table, credit_ends_exactly_at_the_load_limit) {
  for (uint32_t workers = 1; workers <= 8; workers++) {
    for (size_t slots = 64; slots <= 65536; slots *= 4) {
      hdi_table table;
      cr_assert_eq(hdi_table_init(&table, workers, slots, 0), HD_OK);
      cr_assert_eq(take_all(&table, workers), slots / 4 * 3);
      cr_assert_eq(hdi_table_count(&table), slots / 4 * 3);
      cr_assert(hdi_table_wants_growth(&table));
      hdi_table_unreserve(&table, 0);
      cr_assert(hdi_table_reserve(&table, 0), "credit given back can be used again");
      cr_assert_not(hdi_table_reserve(&table, 0));
      hdi_table_clear(&table);
    }
  }
}

Test(slot_table, growth_is_wanted_from_65_percent_on) {
  hdi_table table;
  cr_assert_eq(hdi_table_init(&table, 2, 6400, 0), HD_OK); /* rounded up to 8192 */
  cr_assert_eq(table.now.bucket_count * HDI_BUCKET_SLOTS, 8192);
  table.lanes[0].count = 5000;
  table.lanes[1].count = 264; /* 64.3 % */
  cr_assert_not(hdi_table_wants_growth(&table));
  table.lanes[1].count = 325; /* 65.01 % */
  cr_assert(hdi_table_wants_growth(&table));
  hdi_table_clear(&table);
}

Test(slot_table, sizes_are_rounded_up_to_powers_of_two) {
  static const struct { size_t asked, got; } sizes[] = {{1, 64}, {64, 64}, {65, 128}, {4096, 4096}, {4097, 8192}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    hdi_table table;
    cr_assert_eq(hdi_table_init(&table, 1, sizes[i].asked, 0), HD_OK);
    cr_assert_eq(table.now.bucket_count * HDI_BUCKET_SLOTS, sizes[i].got);
    hdi_table_clear(&table);
  }
}

Test(slot_table, the_memory_limit_holds_from_the_start) {
  hdi_table table;
  cr_assert_eq(hdi_table_init(&table, 1, 1024, 1024 * 8 - 1), HD_E_LIMIT);
  cr_assert_eq(hdi_table_init(&table, 1, 1024, 1024 * 8), HD_OK);
  hdi_table_clear(&table);
}

Test(slot_table, a_full_bucket_overflows_into_the_next_circularly) {
  hdi_table table;
  cr_assert_eq(hdi_table_init(&table, 1, 64, 0), HD_OK);
  for (uint64_t value = 1; value <= 20; value++) {
    hdi_slots_place(&table.now, UINT64_MAX, value); /* home: the last bucket */
  }
  for (uint64_t i = 0; i < 8; i++) {
    cr_assert_eq(hd_load_rlx(&hdi_slots_bucket(&table.now, 7)[i]), i + 1);
    cr_assert_eq(hd_load_rlx(&hdi_slots_bucket(&table.now, 8)[i]), i + 9, "bucket 8 is bucket 0");
    cr_assert_eq(hd_load_rlx(&hdi_slots_bucket(&table.now, 1)[i]), i < 4 ? i + 17 : 0);
  }
  hdi_table_clear(&table);
}
