/* Load limit and growth of the visited sets' table; the picture is in slot_table.h.
 *
 * Load. An insertion needs one unit of credit. The table gives out as many units as it may still take until 3/4 of its
 * slots are used; workers fetch them in batches, so that the one shared counter is touched once in `batch` insertions
 * and never once per state. The sum of all credit and all counts never passes the limit, hence an empty slot always
 * exists and a probe ends. Batches shrink with the table so that credit lying idle at other workers costs less than an
 * eighth of it.
 *
 * Growth. All workers of the team call hdi_table_grow. Worker 0 maps a table of twice the size; after a barrier each
 * worker moves its own part of the old values into it; after a second barrier worker 0 exchanges the tables and a third
 * barrier lets everybody go on. Proof that nothing is lost or doubled: before the first and after the last barrier
 * nobody inserts, so the old table is constant meanwhile [T1]; the parts are disjoint and cover it, so each value is
 * placed exactly once; placing takes the first slot that is empty in probe order by compare-and-swap, so two values
 * never share a slot and [T2] holds for each: every slot passed over was occupied then and slots are never emptied. At
 * most 3/8 of the new slots are used, so the loop finds one. When the new table cannot be had, all workers read the
 * same status between the first and the last barrier and nothing has changed.
 *
 * Between two barriers the new table is shared and written with atomics; `now`, `grown` and the lanes change only while
 * every other worker waits, and the barriers order that like a lock. Cost of growth: one pass over the old table, one
 * random write per value; memory three times the old table while it lasts. */
#include "hashing/slot_table.h"

#include "hashing/pages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_DEFAULT = 4096, SLOTS_LEAST = 8 * HDI_BUCKET_SLOTS, BATCH_MAX = 1024 };

/* Uses of the table: full means 3/4; growth is due, at a quiescent point, from 65 % on. */
static uint64_t load_limit(const hdi_slots *slots) {
  return slots->bucket_count * HDI_BUCKET_SLOTS / 4 * 3;
}

static uint64_t growth_limit(const hdi_slots *slots) {
  return slots->bucket_count * HDI_BUCKET_SLOTS * 13 / 20;
}

static hd_status map_slots(hdi_slots *slots, uint64_t bucket_count) {
  if (bucket_count > SIZE_MAX / (HDI_BUCKET_SLOTS * sizeof(uint64_t)) / 2) {
    return HD_E_NOMEM;
  }
  size_t size_bytes = (size_t)bucket_count * HDI_BUCKET_SLOTS * sizeof(uint64_t);
  slots->slots = hdi_pages_map(size_bytes);
  if (slots->slots == NULL) {
    return HD_E_NOMEM;
  }
  HD_ASSERT((uintptr_t)slots->slots % HD_CACHE_LINE == 0);
  slots->bucket_count = bucket_count;
  slots->shift = 64 - (uint32_t)HD_COUNT_TRAILING_ZEROS_64(bucket_count);
  slots->size_bytes = size_bytes;
  return HD_OK;
}

static void unmap_slots(hdi_slots *slots) {
  hdi_pages_unmap(slots->slots, slots->size_bytes);
  memset(slots, 0, sizeof *slots);
}

/* Quiescent: hands out afresh what the current table may still take. */
static void reset_credit(hdi_table *table) {
  HD_ASSERT(table->workers > 0);
  uint64_t limit = load_limit(&table->now);
  uint64_t count = hdi_table_count(table);
  uint64_t remaining = count < limit ? limit - count : 0;
  for (uint32_t i = 0; i < table->workers; i++) {
    table->lanes[i].credit = 0;
  }
  uint64_t batch = limit / (8 * (uint64_t)table->workers);
  table->batch = batch < 1 ? 1 : batch > BATCH_MAX ? BATCH_MAX : (uint32_t)batch;
  /* HD-SYNC S1: relaxed; pairs with S2, S3. Publishes: nothing by itself, the team's barrier (or the start of the team)
   * orders it before any worker's S2. Why not weaker: it is the weakest. Why not stronger: nobody else runs. */
  hd_store_rlx(&table->remaining, (int64_t)remaining);
}

hd_status hdi_table_init(hdi_table *table, uint32_t workers, size_t initial_slots, size_t memory_max_bytes) {
  memset(table, 0, sizeof *table);
  size_t wanted = initial_slots == 0 ? SLOTS_DEFAULT : initial_slots;
  uint64_t slots = SLOTS_LEAST;
  while (slots < wanted && slots < UINT64_MAX / 2) {
    slots *= 2;
  }
  if (memory_max_bytes != 0 && slots > memory_max_bytes / sizeof(uint64_t)) {
    return HD_E_LIMIT;
  }
  table->workers = workers;
  table->memory_max_bytes = memory_max_bytes;
  table->lanes = aligned_alloc(HD_CACHE_LINE, workers * sizeof *table->lanes);
  if (table->lanes == NULL) {
    return HD_E_NOMEM;
  }
  memset(table->lanes, 0, workers * sizeof *table->lanes);
  hd_status status = map_slots(&table->now, slots / HDI_BUCKET_SLOTS);
  if (status != HD_OK) {
    hdi_table_clear(table);
    return status;
  }
  reset_credit(table);
  return HD_OK;
}

void hdi_table_clear(hdi_table *table) {
  unmap_slots(&table->now);
  free(table->lanes);
  table->lanes = NULL;
}

bool hdi_table_refill(hdi_table *table, hdi_lane *lane) {
  /* HD-SYNC S2: relaxed; pairs with S1, S3. Publishes: nothing, it only spares the line a write once the table is full.
   * Why not weaker: it is the weakest. Why not stronger: a stale value is corrected by S3. */
  if (hd_load_rlx(&table->remaining) <= 0) {
    return false;
  }
  /* HD-SYNC S3: relaxed; pairs with S1, S2, S3 of other workers. Publishes: nothing; the modification order of this one
   * counter alone makes the batches disjoint. Why not weaker: it must be one read-modify-write. Why not stronger: the
   * credit guards no memory, slots are taken by their own compare-and-swap. */
  int64_t before = hd_add_rlx(&table->remaining, -(int64_t)table->batch);
  if (before <= 0) {
    return false;
  }
  lane->credit = before < (int64_t)table->batch ? (uint64_t)before : table->batch;
  return true;
}

uint64_t hdi_table_count(const hdi_table *table) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < table->workers; i++) {
    count += table->lanes[i].count;
  }
  return count;
}

bool hdi_table_wants_growth(const hdi_table *table) {
  return hdi_table_count(table) >= growth_limit(&table->now);
}

void hdi_slots_place(const hdi_slots *to, uint64_t hash, uint64_t value) {
  HD_ASSERT(value != 0);
  for (uint64_t bucket = hash >> to->shift;; bucket++) {
    hd_atomic_u64 *line = hdi_slots_bucket(to, bucket);
    for (uint32_t i = 0; i < HDI_BUCKET_SLOTS; i++) {
      /* HD-SYNC S4: relaxed; pairs with S5. Publishes: nothing; only "empty or not" is used and a slot that was seen
       * occupied stays so [T1]. Why not weaker: it is the weakest. Why not stronger: values are read only after the
       * barrier that ends the growth. */
      uint64_t seen = hd_load_rlx(&line[i]);
      /* HD-SYNC S5: relaxed; pairs with S4, S5 of other workers. Publishes: the value, to readers behind the barrier.
       * Why not weaker: the slot must be taken by one worker only. Why not stronger: what it returns is not used. */
      if (seen == 0 && hd_cas_rlx(&line[i], &seen, value)) {
        return;
      }
    }
  }
}

/* Worker 0 alone, the others wait. */
static hd_status begin_growth(hdi_table *table, size_t other_bytes) {
  uint64_t buckets = table->now.bucket_count * 2;
  size_t held = table->now.size_bytes + other_bytes;
  if (table->memory_max_bytes != 0 &&
      (held > table->memory_max_bytes || table->now.size_bytes > (table->memory_max_bytes - held) / 2)) {
    return HD_E_LIMIT;
  }
  return map_slots(&table->grown, buckets);
}

hd_status hdi_table_grow(hdi_table *table, size_t other_bytes, hd_team *team, uint32_t worker, hdi_migrate migrate,
                         void *payload) {
  hd_team_barrier(team); /* nobody inserts any more */
  if (worker == 0) {
    table->growth_status = begin_growth(table, other_bytes);
  }
  hd_team_barrier(team); /* the new table, or the refusal, is there */
  hd_status status = table->growth_status;
  if (status == HD_OK) {
    migrate(payload, &table->now, &table->grown, worker, hd_team_count(team));
    hd_team_barrier(team); /* every value has moved */
    if (worker == 0) {
      unmap_slots(&table->now);
      table->now = table->grown;
      memset(&table->grown, 0, sizeof table->grown);
      reset_credit(table);
    }
  }
  hd_team_barrier(team); /* all have read the status; the new table is in place */
  return status;
}
