/* The visited set for states of few bits: one bit for each state that there could be. Internal to hashing/; the rules
 * are those of visited.h. */
#ifndef HEDDLE_HASHING_BITMAP_SET_H
#define HEDDLE_HASHING_BITMAP_SET_H

#include "hashing/slot_table.h"
#include "hashing/visited.h"
#include "hashing/word_set.h"

/* Beyond, the bitmap would not fit into the addresses of a process. */
#define HDI_BITMAP_BITS_MAX 43u

typedef struct hdi_bitmap_set {
  hd_atomic_u64 *words; /* owned; bit s of the whole is state s */
  size_t size_bytes;
  uint32_t bits;
  uint32_t workers;
  hdi_lane *lanes; /* owned; `workers` of them, of which only the counts are used */
} hdi_bitmap_set;

/* Bytes of a bitmap for states of `bits` <= HDI_BITMAP_BITS_MAX bits; at least a cache line. */
size_t hdi_bitmap_bytes(uint32_t bits);

/* HD_E_LIMIT, HD_E_NOMEM. Requires config->bits to be 1 .. HDI_BITMAP_BITS_MAX. */
hd_status hdi_bitmap_set_init(hdi_bitmap_set *set, const hd_visited_config *config);
void hdi_bitmap_set_clear(hdi_bitmap_set *set);
hd_insert hdi_bitmap_set_insert(hdi_bitmap_set *set, uint32_t worker, uint64_t state);
/* As hd_visited_insert_many. */
size_t hdi_bitmap_set_insert_many(hdi_bitmap_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                  uint32_t *places, uint8_t *answers);
/* As hd_visited_find_regions: the lines of a region lie anywhere. */
void hdi_bitmap_set_find_regions(uint32_t region_bits, const uint64_t *states, size_t count, uint8_t *regions);
bool hdi_bitmap_set_contains(const hdi_bitmap_set *set, uint64_t state);
uint64_t hdi_bitmap_set_count(const hdi_bitmap_set *set);

/* Sets the bits of part `part` of `parts` of the states of `from`; the parts together are all. Any number of threads,
 * while nobody inserts into either set. */
void hdi_bitmap_set_take(hdi_bitmap_set *set, const hdi_word_set *from, uint32_t part, uint32_t parts);
/* Takes the counts over when all parts are in. One thread. */
void hdi_bitmap_set_take_counts(hdi_bitmap_set *set, const hdi_word_set *from);

#endif
