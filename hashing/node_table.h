/* Numbers for 64-bit keys: the nodes of a tree database. Internal to hashing/.
 *
 *   bucket: | key | key | key | key | key | number | number | number | number | number | - |     one cache line
 *              8 bytes each                    4 bytes each
 *
 * A key gets one number, for good: tables may grow and slots move, numbers do not. Key 0 has number 0 and takes no
 * slot; other numbers count from 1. [N1] A key's place in a bucket is written once, from 0 to the key, and its number
 * once, from 0 to the number, and neither changes between two quiescent points. [N2] Every place from a key's home
 * bucket up to the key is occupied. */
#ifndef HEDDLE_HASHING_NODE_TABLE_H
#define HEDDLE_HASHING_NODE_TABLE_H

#include "core/base/atomic.h"
#include "core/base/check.h"
#include "core/base/status.h"
#include "core/base/team.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HDI_NODE_PLACES 5u
/* No number: there is no room for the key, or, when looking up, it is not there. */
#define HDI_NODE_NONE UINT32_MAX

typedef struct hdi_node_bucket {
  alignas(HD_CACHE_LINE) hd_atomic_u64 keys[HDI_NODE_PLACES]; /* 0: empty */
  hd_atomic_u32 numbers[HDI_NODE_PLACES];                     /* 0: not given yet */
} hdi_node_bucket;

/* One generation of the table. */
typedef struct hdi_node_buckets {
  hdi_node_bucket *buckets; /* owned */
  uint64_t count;           /* at least 1, below 2^32; not only powers of two */
  size_t size_bytes;
} hdi_node_buckets;

/* The numbers one worker may give out; a line of its own. */
typedef struct hdi_node_lane {
  alignas(HD_CACHE_LINE) uint32_t next; /* the next number to give */
  uint32_t end;                         /* first number that is not this worker's */
  uint64_t given;
} hdi_node_lane;

typedef struct hdi_node_table {
  hdi_node_buckets now;
  hdi_node_lane *lanes; /* owned; `workers` of them */
  uint32_t workers;
  uint32_t batch;                             /* numbers drawn at once */
  uint32_t limit;                             /* numbers below this may be drawn while the table has its present size */
  hdi_node_buckets grown;                     /* the next generation while growing */
  hd_status growth_status;                    /* written by worker 0 of a growing team, read by all after a barrier */
  alignas(HD_CACHE_LINE) hd_atomic_u32 drawn; /* numbers below this are taken by workers */
} hdi_node_table;

/* Makes an empty table for at least `slots` keys. HD_E_NOMEM. */
hd_status hdi_node_table_init(hdi_node_table *table, uint32_t workers, uint64_t slots);
void hdi_node_table_clear(hdi_node_table *table);

/* A cheap spread: the low half is folded into the high one, and a product carries every bit of the key upwards. */
static inline uint64_t hdi_node_home(const hdi_node_buckets *buckets, uint64_t key) {
  uint64_t hash = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL;
  return ((hash >> 32) * buckets->count) >> 32;
}

static inline void hdi_node_prefetch(const hdi_node_table *table, uint64_t key) {
  HD_PREFETCH(&table->now.buckets[hdi_node_home(&table->now, key)]);
}

/* The part of hdi_node_intern behind the first bucket. */
uint32_t hdi_node_intern_far(hdi_node_table *table, uint32_t worker, uint64_t key);

/* The number of `key`, which is given one when it has none. HDI_NODE_NONE when the table is at its load limit: grow and
 * try again. All workers at once. */
static inline uint32_t hdi_node_intern(hdi_node_table *table, uint32_t worker, uint64_t key) {
  if (key == 0) {
    return 0;
  }
  hdi_node_bucket *bucket = &table->now.buckets[hdi_node_home(&table->now, key)];
  for (uint32_t i = 0; i < HDI_NODE_PLACES; i++) {
    /* HD-SYNC N1: relaxed; pairs with N4. Publishes: nothing beyond the place. Why not weaker: it is the weakest. Why
     * not stronger: the number is looked at separately and speaks for itself. */
    if (hd_load_rlx(&bucket->keys[i]) == key) {
      /* HD-SYNC N2: relaxed; pairs with N5, N11. Publishes: nothing: the number is no pointer, all that counts is that
       * every reader sees 0 or the one value. Why not weaker: it is the weakest. Why not stronger: one location. */
      uint32_t number = hd_load_rlx(&bucket->numbers[i]);
      if (HD_LIKELY(number != 0)) {
        return number;
      }
      break;
    }
  }
  return hdi_node_intern_far(table, worker, key);
}

/* The number of `key`, HDI_NODE_NONE when it has none. Quiescent. */
uint32_t hdi_node_find(const hdi_node_table *table, uint64_t key);

/* Keys with a number, key 0 aside; quiescent. */
uint64_t hdi_node_table_count(const hdi_node_table *table);
/* Slots of the present generation. */
static inline uint64_t hdi_node_table_slots(const hdi_node_table *table) {
  return table->now.count * HDI_NODE_PLACES;
}
/* All 2^32 - 2 numbers are given out or with the workers: growth does not help any more. */
bool hdi_node_table_is_exhausted(const hdi_node_table *table);
bool hdi_node_table_wants_growth(const hdi_node_table *table);
/* Bytes of the next generation. */
size_t hdi_node_table_next_bytes(const hdi_node_table *table);
/* Makes the table larger; collective, every worker of the team at a quiescent point. HD_E_LIMIT when the present and
 * the next generation together are more than `room_bytes` (or no number is left), HD_E_NOMEM; the same answer on every
 * worker; nothing has changed then. */
hd_status hdi_node_table_grow(hdi_node_table *table, size_t room_bytes, hd_team *team, uint32_t worker);

#endif
