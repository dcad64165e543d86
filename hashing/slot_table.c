/* Load limit and growth of the visited sets' table; the picture is in slot_table.h.
 *
 * Load. An insertion needs one unit of credit. The table gives out as many units as it may still take until 3/4 of its
 * slots are used; workers fetch them in batches, so that the one shared counter is touched once in `batch` insertions
 * and never once per state. The sum of all credit and all counts never passes the limit, hence an empty slot always
 * exists and a probe ends. Batches shrink with the table so that credit lying idle at other workers costs less than an
 * eighth of it.
 *
 * Growth. All workers of the team call hdi_table_grow. Worker 0 makes the region twice as large, each worker has its
 * share of the new pages committed, worker 0 takes the front out, all move the rest (growth.c, which also proves that
 * nothing is lost and that [T2] and [T3] hold again), and worker 0 puts the front back; barriers lie between these.
 * Before the first and after the last barrier nobody inserts. When the memory cannot be had, all workers read the same
 * status between two barriers and nothing has changed.
 *
 * `now`, `grown` and the lanes change only while every other worker waits, and the barriers order that like a lock.
 * Cost of growth: one pass over the old table and one over the new one, both in order; memory that of the new table. */
#include "hashing/slot_table.h"

#include "core/base/machine.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_DEFAULT = 4096, SLOTS_LEAST = 8 * HDI_BUCKET_SLOTS, BATCH_MAX = 1024 };
/* Buckets whose lines are on their way while others are moved. */
enum { BUCKETS_AHEAD = 16 };

/* Uses of the table: full means 3/4; growth is due, at a quiescent point, from 65 % on. */
static uint64_t load_limit(const hdi_slots *slots) {
  return slots->bucket_count * HDI_BUCKET_SLOTS / 4 * 3;
}

static uint64_t growth_limit(const hdi_slots *slots) {
  return slots->bucket_count * HDI_BUCKET_SLOTS * 13 / 20;
}

static void set_slots(hdi_slots *slots, const hdi_region *region, uint64_t bucket_count) {
  HD_ASSERT((uintptr_t)region->base % HD_CACHE_LINE == 0);
  slots->slots = region->base;
  slots->bucket_count = bucket_count;
  slots->shift = 64 - (uint32_t)HD_COUNT_TRAILING_ZEROS_64(bucket_count);
  slots->size_bytes = region->size_bytes;
}

static hd_status make_slots(hdi_table *table, uint64_t bucket_count) {
  if (bucket_count > SIZE_MAX / HD_CACHE_LINE / 4) {
    return HD_E_NOMEM;
  }
  size_t size_bytes = (size_t)bucket_count * HD_CACHE_LINE;
  hd_status status =
      hdi_region_make(&table->region, size_bytes, hdi_region_most_bytes(size_bytes, table->memory_max_bytes));
  if (status == HD_OK) {
    set_slots(&table->now, &table->region, bucket_count);
  }
  return status;
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
  table->front = malloc(HDI_FRONT_BUCKETS * HDI_BUCKET_SLOTS * sizeof *table->front);
  hd_status status = table->front == NULL ? HD_E_NOMEM : make_slots(table, slots / HDI_BUCKET_SLOTS);
  if (status != HD_OK) {
    hdi_table_clear(table);
    return status;
  }
  reset_credit(table);
  return HD_OK;
}

void hdi_table_clear(hdi_table *table) {
  hdi_region_free(&table->region);
  free(table->front);
  free(table->lanes);
  table->now = (hdi_slots){0};
  table->front = NULL;
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
      /* HD-SYNC S5: relaxed; pairs with S4, S5 of other workers, S6, S7, S8. Publishes: the value, to readers behind
       * the barrier. Why not weaker: the slot must be taken by one worker only. Why not stronger: what it returns is
       * not used. */
      if (seen == 0 && hd_cas_rlx(&line[i], &seen, value)) {
        return;
      }
    }
  }
}

/* The same for a worker that no other meets. */
static void place_alone(const hdi_slots *to, uint64_t hash, uint64_t value) {
  for (uint64_t bucket = hash >> to->shift;; bucket++) {
    hd_atomic_u64 *line = hdi_slots_bucket(to, bucket);
    for (uint32_t i = 0; i < HDI_BUCKET_SLOTS; i++) {
      /* HD-SYNC S6: relaxed; pairs with S5, S6, S7, S8. Publishes: the value, to readers behind the barrier. Why not
       * weaker: it is the weakest. Why not stronger: no other worker writes to these buckets (growth.c, claim 4). */
      if (hd_load_rlx(&line[i]) == 0) {
        hd_store_rlx(&line[i], value);
        return;
      }
    }
  }
}

/* Empties a bucket; returns how many values it held. */
static uint32_t take_bucket(const hdi_slots *from, uint64_t bucket, uint64_t *values) {
  hd_atomic_u64 *line = hdi_slots_bucket(from, bucket);
  uint32_t count = 0;
  for (; count < HDI_BUCKET_SLOTS; count++) {
    /* HD-SYNC S7: relaxed; pairs with S5, S6, S7. Publishes: empty slots, to readers behind the barrier. Why not
     * weaker: it is the weakest. Why not stronger: the barrier before the move orders every insertion before it, and
     * while it lasts nobody else touches the bucket (growth.c, claim 1). */
    values[count] = hd_load_rlx(&line[count]);
    if (values[count] == 0) {
      break;
    }
    hd_store_rlx(&line[count], 0);
  }
  return count;
}

typedef struct growing {
  const hdi_slots *from, *to;
  hdi_hashes hashes; /* NULL: values are their own hashes */
  const void *payload;
} growing;

static void place_values(const growing *g, const uint64_t *hashes, const uint64_t *values, uint32_t count,
                         bool shared) {
  for (uint32_t i = 0; i < count; i++) {
    if (shared) {
      hdi_slots_place(g->to, hashes[i], values[i]);
    } else {
      place_alone(g->to, hashes[i], values[i]);
    }
  }
}

static uint32_t used_slots(const hd_atomic_u64 *line) {
  uint32_t used = 0;
  while (used < HDI_BUCKET_SLOTS && hd_load_rlx(&line[used]) != 0) {
    /* HD-SYNC S8: relaxed; pairs with S5, S6, S9. Publishes: nothing. Why not weaker: it is the weakest. Why not
     * stronger: as S6. */
    used++;
  }
  return used;
}

/* As place_values for the values of `bucket` when no other worker is met. Most go into one of the two buckets that it
 * becomes; how far these are filled is kept at hand. */
static void split_bucket(const growing *g, uint64_t bucket, const uint64_t *hashes, const uint64_t *values,
                         uint32_t count) {
  hd_atomic_u64 *lines = hdi_slots_bucket(g->to, 2 * bucket);
  uint32_t used[2] = {used_slots(lines), used_slots(lines + HDI_BUCKET_SLOTS)};
  for (uint32_t i = 0; i < count; i++) {
    uint64_t side = (hashes[i] >> g->to->shift) - 2 * bucket;
    if (HD_LIKELY(side < 2 && used[side] < HDI_BUCKET_SLOTS)) {
      /* HD-SYNC S9: relaxed; pairs with S8. Publishes: the value, to readers behind the barrier. Why not weaker: it is
       * the weakest. Why not stronger: as S6. */
      hd_store_rlx(&lines[side * HDI_BUCKET_SLOTS + used[side]++], values[i]);
      continue;
    }
    place_alone(g->to, hashes[i], values[i]);
    used[0] = used_slots(lines);
    used[1] = used_slots(lines + HDI_BUCKET_SLOTS);
  }
}

/* The hashes of `values`: these themselves, or written to `buffer`. */
static const uint64_t *hashes_of(const growing *g, const uint64_t *values, uint32_t count, uint64_t *buffer) {
  if (g->hashes == NULL) {
    return values;
  }
  g->hashes(g->payload, values, count, buffer);
  return buffer;
}

static void move_buckets(void *payload, uint64_t begin, uint64_t end, bool shared) {
  const growing *g = payload;
  for (uint64_t bucket = end; bucket-- > begin;) {
    uint64_t ahead = bucket - BUCKETS_AHEAD; /* not below 0: these are not buckets of the front */
    HD_PREFETCH(hdi_slots_bucket(g->from, ahead));
    HD_PREFETCH(hdi_slots_bucket(g->to, 2 * ahead));
    HD_PREFETCH(hdi_slots_bucket(g->to, 2 * ahead + 1));
    uint64_t values[HDI_BUCKET_SLOTS], buffer[HDI_BUCKET_SLOTS];
    uint32_t count = take_bucket(g->from, bucket, values);
    const uint64_t *hashes = hashes_of(g, values, count, buffer);
    if (shared) {
      place_values(g, hashes, values, count, true);
    } else {
      split_bucket(g, bucket, hashes, values, count);
    }
  }
}

/* Takes the front out; returns how many values it held. */
static uint64_t take_front(const hdi_table *table) {
  uint64_t buckets = table->now.bucket_count < HDI_FRONT_BUCKETS ? table->now.bucket_count : HDI_FRONT_BUCKETS;
  uint64_t count = 0;
  for (uint64_t bucket = 0; bucket < buckets; bucket++) {
    count += take_bucket(&table->now, bucket, table->front + count);
  }
  return count;
}

static void put_front(const growing *g, const uint64_t *values, uint64_t count) {
  for (uint64_t i = 0; i < count; i += HDI_BUCKET_SLOTS) {
    uint64_t buffer[HDI_BUCKET_SLOTS];
    uint32_t some = count - i < HDI_BUCKET_SLOTS ? (uint32_t)(count - i) : HDI_BUCKET_SLOTS;
    place_values(g, hashes_of(g, values + i, some, buffer), values + i, some, false);
  }
}

/* Worker 0 alone, the others wait. */
static hd_status begin_growth(hdi_table *table, size_t other_bytes) {
  size_t size_bytes = table->now.size_bytes;
  size_t held = size_bytes + other_bytes;
  if (table->memory_max_bytes != 0 && (held > table->memory_max_bytes || size_bytes > table->memory_max_bytes - held)) {
    return HD_E_LIMIT;
  }
  if (size_bytes > SIZE_MAX / 4) {
    return HD_E_NOMEM;
  }
  hd_status status = hdi_region_extend(&table->region, size_bytes * 2);
  if (status == HD_OK) {
    set_slots(&table->grown, &table->region, table->now.bucket_count * 2);
  }
  return status;
}

/* Has this worker's share of the new half committed. */
static void touch_share(const hdi_table *table, uint32_t part, uint32_t parts) {
  uint64_t begin, end;
  hdi_growth_share(table->now.size_bytes, part, parts, &begin, &end);
  hdi_pages_touch(table->region.base, table->now.size_bytes + (size_t)begin, table->now.size_bytes + (size_t)end);
}

/* The memory is there. */
static void grow(hdi_table *table, hd_team *team, uint32_t worker, hdi_hashes hashes, const void *payload) {
  growing g = {.from = &table->now, .to = &table->grown, .hashes = hashes, .payload = payload};
  uint64_t bucket_count = table->now.bucket_count; /* worker 0 may be done before another looks again */
  double start = hd_machine_seconds();
  touch_share(table, worker, hd_team_count(team));
  hd_team_barrier(team); /* the pages are there */
  double touched = hd_machine_seconds();
  uint64_t front = worker == 0 ? take_front(table) : 0;
  hd_team_barrier(team); /* the front is empty */
  hdi_growth_stream(bucket_count, team, worker, move_buckets, &g);
  if (worker == 0) {
    put_front(&g, table->front, front);
    table->now = table->grown;
    memset(&table->grown, 0, sizeof table->grown);
    reset_credit(table);
    table->times.growths++;
    table->times.touch_seconds += touched - start;
    table->times.move_seconds += hd_machine_seconds() - touched;
  }
}

hd_status hdi_table_grow(hdi_table *table, size_t other_bytes, hd_team *team, uint32_t worker, hdi_hashes hashes,
                         const void *payload) {
  hd_team_barrier(team); /* nobody inserts any more */
  if (worker == 0) {
    table->growth_status = begin_growth(table, other_bytes);
  }
  hd_team_barrier(team); /* the memory, or the refusal, is there */
  hd_status status = table->growth_status;
  if (status == HD_OK) {
    grow(table, team, worker, hashes, payload);
  }
  hd_team_barrier(team); /* all have read the status; the new table is in place */
  return status;
}
