/* The visited set for states of one word. Internal to hashing/; the rules are those of visited.h. */
#ifndef HEDDLE_HASHING_WORD_SET_H
#define HEDDLE_HASHING_WORD_SET_H

#include "hashing/slot_table.h"
#include "hashing/visited.h"

typedef struct hdi_word_set hdi_word_set;
typedef size_t (*hdi_word_insert_many)(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                       uint32_t *places, uint8_t *answers);

struct hdi_word_set {
  hdi_table table;
  hdi_word_insert_many insert_many;              /* for the vector instructions that the machine has */
  alignas(HD_CACHE_LINE) hd_atomic_u32 has_zero; /* the one state whose mixed word is 0 is in the set */
};

hd_status hdi_word_set_init(hdi_word_set *set, const hd_visited_config *config);
void hdi_word_set_clear(hdi_word_set *set);
hd_insert hdi_word_set_insert(hdi_word_set *set, uint32_t worker, uint64_t state);
/* As hdi_word_set_insert, of a mixed state. */
hd_insert hdi_word_set_insert_key(hdi_word_set *set, uint32_t worker, uint64_t key);
/* As hd_visited_insert_many. */
size_t hdi_word_set_insert_many(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                uint32_t *places, uint8_t *answers);
/* As hd_visited_regions, hd_visited_find_regions. */
uint32_t hdi_word_set_regions(const hdi_word_set *set);
void hdi_word_set_find_regions(uint32_t region_bits, const uint64_t *states, size_t count, uint8_t *regions);
bool hdi_word_set_contains(const hdi_word_set *set, uint64_t state);
hd_status hdi_word_set_grow(hdi_word_set *set, hd_team *team, uint32_t worker);

/* What slot `slot` of the table holds: 0, or a state's mixed word. Quiescent. */
uint64_t hdi_word_set_key(const hdi_word_set *set, uint64_t slot);
#if defined(__x86_64__)
/* word_avx2.c, word_avx512.c: the same, on machines with these instructions. */
size_t hdi_word_set_insert_avx2(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                uint32_t *places, uint8_t *answers);
size_t hdi_word_set_insert_avx512(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                  uint32_t *places, uint8_t *answers);
#endif

/* The bijection that spreads states over the table: a finalizer in the manner of MurmurHash3 (Appleby). Each step is
 * invertible (xor with own high bits; product with an odd number), so the whole is a bijection, and 0 stays 0. */
#define HDI_WORD_MIX_1 0xff51afd7ed558ccdULL
#define HDI_WORD_MIX_2 0xc4ceb9fe1a85ec53ULL
static inline uint64_t hdi_word_mix(uint64_t word) {
  word ^= word >> 33;
  word *= HDI_WORD_MIX_1;
  word ^= word >> 33;
  word *= HDI_WORD_MIX_2;
  return word ^ (word >> 33);
}
/* Its inverse: the steps undone, from the last to the first. A shift by 33 of 64 bits undoes itself. */
static inline uint64_t hdi_word_unmix(uint64_t word) {
  word ^= word >> 33;
  word *= 0x9cb4b2f8129337dbULL; /* the inverse of the second factor modulo 2^64 */
  word ^= word >> 33;
  word *= 0x4f74430c22a54005ULL; /* of the first */
  return word ^ (word >> 33);
}

#endif
