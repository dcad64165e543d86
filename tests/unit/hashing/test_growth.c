/* Doubling in place: after it every value is there once, every slot from its home to it is occupied [T2], and it is not
 * far from home [T3]; from the smallest table on, for friendly and hostile values, for any number of workers. */
#include "hashing/growth.h"

#include "hashing/slot_table.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

/* Values are their own hashes. The kinds of hostility: none; homes on every 64th bucket; homes in the table's first and
 * last buckets; homes in a narrow band that the doubling does not spread; a band that begins at the front's edge. */
enum { KINDS = 5 };

static uint64_t make_value(uint32_t kind, uint64_t *seed, const hdi_slots *slots) {
  uint64_t value = next_random(seed);
  uint64_t low = value >> 20, buckets = slots->bucket_count;
  uint32_t shift = slots->shift;
  switch (kind) {
    case 1:
      return (value >> shift << shift & ~((uint64_t)63 << shift)) | (low & (((uint64_t)1 << shift) - 1));
    case 2:
      return ((buckets - 3 + value % 5) % buckets << shift) | (low >> (64 - shift > 44 ? 0 : 20 - (64 - shift) / 4));
    case 3:
      return ((buckets / 2 + value % 8) << shift) | (low & (((uint64_t)1 << (shift - 12)) - 1));
    case 4:
      return (((buckets > 1040 ? 1020 : 1) + value % 7) % buckets << shift) |
             (low & (((uint64_t)1 << (shift - 6)) - 1));
    default:
      return value;
  }
}

/* As an insertion does it: within HDI_PROBE_MAX buckets. False when there is no room; values are distinct or 0. */
static bool insert(const hdi_slots *slots, uint64_t value) {
  uint64_t home = value >> slots->shift;
  for (uint64_t probe = 0; probe < hdi_slots_probe_limit(slots) && value != 0; probe++) {
    hd_atomic_u64 *line = hdi_slots_bucket(slots, home + probe);
    for (uint32_t i = 0; i < HDI_BUCKET_SLOTS; i++) {
      uint64_t seen = hd_load_rlx(&line[i]);
      if (seen == value) {
        return false;
      }
      if (seen == 0) {
        hd_store_rlx(&line[i], value);
        return true;
      }
    }
  }
  return false;
}

static int compare(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Collects the values and checks [T2] and [T3]. */
static uint64_t *collect(const hdi_slots *slots, uint64_t *count) {
  uint64_t *values = malloc(slots->bucket_count * HDI_BUCKET_SLOTS * sizeof *values);
  cr_assert_not_null(values);
  *count = 0;
  for (uint64_t bucket = 0; bucket < slots->bucket_count; bucket++) {
    for (uint32_t i = 0; i < HDI_BUCKET_SLOTS; i++) {
      uint64_t value = hd_load_rlx(&hdi_slots_bucket(slots, bucket)[i]);
      if (value == 0) {
        continue;
      }
      values[(*count)++] = value;
      uint64_t distance = (bucket - (value >> slots->shift)) & (slots->bucket_count - 1);
      cr_assert_lt(distance, HDI_REACH);
      for (uint64_t d = 0; d < distance; d++) {
        cr_assert_neq(hd_load_rlx(&hdi_slots_bucket(slots, bucket - d - 1)[HDI_BUCKET_SLOTS - 1]), 0);
      }
      cr_assert(i == 0 || hd_load_rlx(&hdi_slots_bucket(slots, bucket)[i - 1]) != 0);
    }
  }
  qsort(values, *count, sizeof *values, compare);
  return values;
}

static void grow_worker(hd_team *team, uint32_t worker, void *payload) {
  if (hdi_table_grow(payload, 0, team, worker, NULL, NULL) != HD_OK) {
    abort();
  }
}

static void check_growth(size_t slots, uint32_t kind, uint32_t workers) {
  hdi_table table;
  cr_assert_eq(hdi_table_init(&table, workers, slots, 0), HD_OK);
  uint64_t seed = 88172645463325252ULL + slots + kind;
  for (uint32_t doubling = 0; doubling < 3; doubling++) {
    for (uint64_t tries = 0; tries < slots << doubling; tries++) {
      if (hdi_table_count(&table) * 4 < (slots << doubling) * 3 &&
          insert(&table.now, make_value(kind, &seed, &table.now))) {
        hdi_table_added(&table, 0);
      }
    }
    uint64_t before_count, after_count;
    uint64_t *before = collect(&table.now, &before_count);
    cr_assert_eq(before_count, hdi_table_count(&table));
    cr_assert_gt(before_count, 30);
    cr_assert_eq(hd_team_run(workers, grow_worker, &table), HD_OK);
    cr_assert_eq(table.now.bucket_count * HDI_BUCKET_SLOTS, slots << (doubling + 1));
    uint64_t *after = collect(&table.now, &after_count);
    cr_assert_eq(after_count, before_count);
    cr_assert_eq(memcmp(before, after, before_count * sizeof *before), 0);
    free(before);
    free(after);
  }
  cr_assert_eq(table.times.growths, 3);
  hdi_table_clear(&table);
}

Test(growth, keeps_all_values_at_every_size) {
  for (size_t slots = 64; slots <= HD_TEST_COUNT((size_t)1 << 17); slots *= 2) {
    for (uint32_t kind = 0; kind < KINDS; kind++) {
      check_growth(slots, kind, 1 + (uint32_t)(slots / 64) % 3);
    }
  }
}

Test(growth, keeps_all_values_for_every_team) {
  for (uint32_t workers = 1; workers <= 8; workers += workers < 3 ? 1 : 5) {
    for (uint32_t kind = 0; kind < KINDS; kind++) {
      check_growth(HD_TEST_COUNT((size_t)1 << 15), kind, workers);
    }
    check_growth(HD_TEST_COUNT((size_t)1 << 18), 0, workers);
  }
}

Test(growth, shares_are_disjoint_and_cover_everything) {
  for (uint64_t count = 0; count < 40; count++) {
    for (uint32_t parts = 1; parts <= 9; parts++) {
      uint64_t next = 0, begin, end;
      for (uint32_t part = 0; part < parts; part++) {
        hdi_growth_share(count, part, parts, &begin, &end);
        cr_assert_eq(begin, next);
        next = end;
      }
      cr_assert_eq(next, count);
    }
  }
}

/* What growth.c promises of the order: disjoint ranges, each round's targets behind its sources. */
typedef struct order {
  uint64_t lowest, covered;
} order;

static void note_range(void *payload, uint64_t begin, uint64_t end, bool shared) {
  order *o = payload;
  (void)shared;
  cr_assert_eq(end, o->lowest, "one worker goes down without a gap");
  cr_assert_lt(begin, end);
  o->lowest = begin;
  o->covered += end - begin;
}

static void stream_worker(hd_team *team, uint32_t worker, void *payload) {
  order *o = payload;
  hdi_growth_stream(o->lowest, team, worker, note_range, o);
}

Test(growth, one_worker_goes_down_from_the_end_to_the_front) {
  for (uint64_t buckets = 8; buckets <= (uint64_t)1 << 30; buckets *= 2) {
    order o = {.lowest = buckets};
    cr_assert_eq(hd_team_run(1, stream_worker, &o), HD_OK);
    cr_assert_eq(o.covered, buckets > HDI_FRONT_BUCKETS ? buckets - HDI_FRONT_BUCKETS : 0);
  }
}
