/* The visited set for states of W words. Internal to hashing/; the rules are those of visited.h. */
#ifndef HEDDLE_HASHING_WIDE_SET_H
#define HEDDLE_HASHING_WIDE_SET_H

#include "hashing/slot_table.h"
#include "hashing/visited.h"

#define HDI_WIDE_INDEX_BITS 36u
#define HDI_WIDE_BLOCKS 4096u       /* blocks of chunk pointers */
#define HDI_WIDE_BLOCK_CHUNKS 4096u /* chunk pointers in a block */

typedef struct hdi_wide_block {
  hd_atomic_ptr chunks[HDI_WIDE_BLOCK_CHUNKS]; /* states of one worker each, appended one after another */
} hdi_wide_block;

/* The chunk a worker is filling; its own cache line. */
typedef struct hdi_wide_lane {
  alignas(HD_CACHE_LINE) uint64_t *chunk; /* states one after another; owned by the set; NULL before the first state */
  uint64_t number;
  uint64_t used;
} hdi_wide_lane;

typedef struct hdi_wide_set {
  hdi_table table;
  uint32_t words;
  uint32_t cell_bits; /* a chunk holds 2^cell_bits states */
  size_t chunk_bytes;
  hdi_wide_lane *lanes;  /* owned; one per worker */
  hd_atomic_ptr *blocks; /* owned; HDI_WIDE_BLOCKS of them, each NULL or an owned hdi_wide_block */
  alignas(HD_CACHE_LINE) hd_atomic_u64 chunk_count; /* numbers given out so far */
  hd_atomic_u64 storage_bytes;                      /* chunks and blocks allocated */
} hdi_wide_set;

hd_status hdi_wide_set_init(hdi_wide_set *set, const hd_visited_config *config);
void hdi_wide_set_clear(hdi_wide_set *set);
hd_insert hdi_wide_set_insert(hdi_wide_set *set, uint32_t worker, const uint64_t *state);
/* As hd_visited_insert_many. */
size_t hdi_wide_set_insert_many(hdi_wide_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                uint32_t *places, uint8_t *answers);
bool hdi_wide_set_contains(const hdi_wide_set *set, const uint64_t *state);
hd_status hdi_wide_set_grow(hdi_wide_set *set, hd_team *team, uint32_t worker);
size_t hdi_wide_set_size_bytes(const hdi_wide_set *set);

#endif
