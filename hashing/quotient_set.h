/* The visited set for one-word states in slots of 32 bits. Internal to hashing/; the rules are those of visited.h. */
#ifndef HEDDLE_HASHING_QUOTIENT_SET_H
#define HEDDLE_HASHING_QUOTIENT_SET_H

#include "hashing/slot_table.h"
#include "hashing/visited.h"
#include "hashing/word_set.h"

/* States of more bits would need a table of more than 2^25 buckets (2 GiB) from the start. */
#define HDI_QUOTIENT_BITS_MAX 52u

typedef struct hdi_quotient_slots {
  hd_atomic_u32 *slots; /* borrowed from the region; bucket_count * 16, aligned to a cache line */
  uint64_t bucket_count;
  uint32_t rest_bits; /* bits of a key below those that name its home bucket */
} hdi_quotient_slots;

typedef struct hdi_quotient_set {
  hdi_quotient_slots now, grown; /* `grown` only while growing */
  hdi_region region;             /* owned */
  uint32_t bits;                 /* of a key, at least 32 */
  uint32_t workers;
  hdi_lane *lanes; /* owned; `workers` of them, of which only the counts are used */
  uint64_t *front; /* owned; room for the keys of HDI_FRONT_BUCKETS buckets while growing */
  size_t memory_max_bytes;
  hdi_word_set overflow;   /* states whose buckets were full */
  hd_status growth_status; /* written by worker 0 of a growing team, read by all after a barrier */
  hd_visited_times times;  /* written by worker 0 of a growing team */
} hdi_quotient_set;

/* HD_E_LIMIT, HD_E_NOMEM. Requires config->bits to be 1 .. HDI_QUOTIENT_BITS_MAX. */
hd_status hdi_quotient_set_init(hdi_quotient_set *set, const hd_visited_config *config);
void hdi_quotient_set_clear(hdi_quotient_set *set);
hd_insert hdi_quotient_set_insert(hdi_quotient_set *set, uint32_t worker, uint64_t state);
/* As hd_visited_insert_many. */
size_t hdi_quotient_set_insert_many(hdi_quotient_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                    uint32_t *places, uint8_t *answers);
bool hdi_quotient_set_contains(const hdi_quotient_set *set, uint64_t state);
bool hdi_quotient_set_wants_growth(const hdi_quotient_set *set);
/* Bytes that the next growth adds. */
size_t hdi_quotient_set_growth_bytes(const hdi_quotient_set *set);
hd_status hdi_quotient_set_grow(hdi_quotient_set *set, hd_team *team, uint32_t worker);
uint64_t hdi_quotient_set_count(const hdi_quotient_set *set);
size_t hdi_quotient_set_slots(const hdi_quotient_set *set);
size_t hdi_quotient_set_size_bytes(const hdi_quotient_set *set);

/* The bijection on words of `bits` bits that spreads states. */
uint64_t hdi_quotient_mix(uint64_t state, uint32_t bits);

#endif
