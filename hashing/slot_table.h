/* The table under both visited sets: buckets of 64-bit slots, a load limit, and growth by doubling. Internal to
 * hashing/.
 *
 *   slots:  | bucket 0: 8 slots, one cache line | bucket 1 | ... | bucket 2^b - 1 |      0 = empty
 *
 * A 64-bit hash names its home bucket by its b high bits; a full bucket overflows into the next one, circularly. [T1] A
 * slot is written once, from 0 to a value other than 0, and never changes between two quiescent points. [T2] Every slot
 * from a value's home bucket up to the value is occupied. [T3] A value lies fewer than HDI_REACH buckets from home. */
#ifndef HEDDLE_HASHING_SLOT_TABLE_H
#define HEDDLE_HASHING_SLOT_TABLE_H

#include "core/base/atomic.h"
#include "core/base/check.h"
#include "core/base/status.h"
#include "core/base/team.h"
#include "hashing/growth.h"
#include "hashing/pages.h"
#include "hashing/visited.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HDI_BUCKET_SLOTS 8u
/* Buckets that an insertion looks at before it asks for growth. At the load limit fewer than one key in 10^6 lies
 * further from home than a tenth of this. */
#define HDI_PROBE_MAX 64u
/* States whose buckets are on their way while those before them are looked up. */
#define HDI_PROBES_AHEAD 32u

/* One generation of the table. */
typedef struct hdi_slots {
  hd_atomic_u64 *slots; /* borrowed from the table's region; bucket_count * HDI_BUCKET_SLOTS, aligned to a cache line */
  uint64_t bucket_count; /* a power of two, at least 8 */
  uint32_t shift;        /* 64 - log2(bucket_count) */
  size_t size_bytes;
} hdi_slots;

/* What one worker alone writes; a line of its own, so that no insertion touches a line that another worker writes. */
typedef struct hdi_lane {
  alignas(HD_CACHE_LINE) uint64_t count; /* values this worker inserted */
  uint64_t credit;                       /* insertions it may still do before it asks for more */
} hdi_lane;

typedef struct hdi_table {
  hdi_slots now;
  hdi_lane *lanes; /* owned; `workers` of them */
  uint32_t workers;
  uint32_t batch;          /* credit taken at once */
  size_t memory_max_bytes; /* 0: none */
  hdi_region region;       /* owned; the slots and room for more */
  uint64_t *front;         /* owned; room for the values of HDI_FRONT_BUCKETS buckets while growing */
  hdi_slots grown;         /* the next generation while growing: the same slots and as many behind them */
  hd_status growth_status; /* written by worker 0 of a growing team, read by all after a barrier */
  hd_visited_times times;  /* written by worker 0 of a growing team */
  alignas(HD_CACHE_LINE) hd_atomic_i64 remaining; /* credit not yet handed out; shared, written once per batch */
} hdi_table;

/* Makes an empty table with at least `initial_slots` slots (0: a small one). HD_E_NOMEM, HD_E_LIMIT. */
hd_status hdi_table_init(hdi_table *table, uint32_t workers, size_t initial_slots, size_t memory_max_bytes);
void hdi_table_clear(hdi_table *table);

/* Sets *credit of one insertion aside; false when the table is at its load limit. */
bool hdi_table_refill(hdi_table *table, hdi_lane *lane);
static inline bool hdi_table_reserve(hdi_table *table, uint32_t worker) {
  hdi_lane *lane = &table->lanes[worker];
  if (HD_UNLIKELY(lane->credit == 0) && !hdi_table_refill(table, lane)) {
    return false;
  }
  lane->credit--;
  return true;
}
/* The reserved insertion was not needed. */
static inline void hdi_table_unreserve(hdi_table *table, uint32_t worker) {
  table->lanes[worker].credit++;
}
/* The reserved insertion was done. */
static inline void hdi_table_added(hdi_table *table, uint32_t worker) {
  table->lanes[worker].count++;
}

static inline hd_atomic_u64 *hdi_slots_bucket(const hdi_slots *slots, uint64_t bucket) {
  return &slots->slots[(bucket & (slots->bucket_count - 1)) * HDI_BUCKET_SLOTS];
}
/* Buckets one insertion may look at. */
static inline uint64_t hdi_slots_probe_limit(const hdi_slots *slots) {
  return slots->bucket_count < HDI_PROBE_MAX ? slots->bucket_count : HDI_PROBE_MAX;
}

/* Quiescent. */
uint64_t hdi_table_count(const hdi_table *table);
bool hdi_table_wants_growth(const hdi_table *table);

/* Sets hashes[i] to the hash of values[i], for count <= HDI_BUCKET_SLOTS of them. Any number of threads. */
typedef void (*hdi_hashes)(const void *payload, const uint64_t *values, uint32_t count, uint64_t *hashes);
/* Puts `value` (not 0, not in `to` yet) where `hash` says. Any number of threads; used only while growing. */
void hdi_slots_place(const hdi_slots *to, uint64_t hash, uint64_t value);
/* Doubles the table in place; collective, see hd_visited_grow. `other_bytes` count against memory_max_bytes too.
 * `hashes` NULL: a value is its own hash. */
hd_status hdi_table_grow(hdi_table *table, size_t other_bytes, hd_team *team, uint32_t worker, hdi_hashes hashes,
                         const void *payload);

#endif
