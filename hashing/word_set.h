/* The visited set for states of one word. Internal to hashing/; the rules are those of visited.h. */
#ifndef HEDDLE_HASHING_WORD_SET_H
#define HEDDLE_HASHING_WORD_SET_H

#include "hashing/slot_table.h"
#include "hashing/visited.h"

typedef struct hdi_word_set {
  hdi_table table;
  alignas(HD_CACHE_LINE) hd_atomic_u32 has_zero; /* the one state whose mixed word is 0 is in the set */
} hdi_word_set;

hd_status hdi_word_set_init(hdi_word_set *set, const hd_visited_config *config);
void hdi_word_set_clear(hdi_word_set *set);
hd_insert hdi_word_set_insert(hdi_word_set *set, uint32_t worker, uint64_t state);
bool hdi_word_set_contains(const hdi_word_set *set, uint64_t state);
hd_status hdi_word_set_grow(hdi_word_set *set, hd_team *team, uint32_t worker);

/* The bijection that spreads states over the table, exposed for its test. */
uint64_t hdi_word_mix(uint64_t word);

#endif
