/* Numbers for the states of a history, and the way from a state to its number. Internal to core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_PLACES_H
#define HEDDLE_CORE_EXPLORE_PLACES_H

#include "core/base/atomic.h"
#include "core/base/compiler.h"
#include "core/explore/history.h"

#define HDI_NO_PLACE UINT64_MAX

typedef struct hdi_places {
  const hdi_history *history; /* borrowed */
  uint32_t words;             /* per state */
  uint64_t states;            /* numbered 0 .. states-1: chunk by chunk in the history's order */
  uint64_t *first;            /* owned; per chunk: number of its first state */
  hd_atomic_u64 *slots;       /* owned; buckets of one cache line */
  uint64_t buckets;
} hdi_places;

/* Bytes that numbering `states` states in `chunks` chunks takes. */
size_t hdi_places_size_bytes(uint64_t states, size_t chunks);
/* Numbers the states; the way back is empty. HD_E_NOMEM, HD_E_LIMIT for more states than there can be numbers. */
hd_status hdi_places_init(hdi_places *places, const hdi_history *history, uint32_t words);
void hdi_places_clear(hdi_places *places);
/* Makes the states of one chunk findable. Any worker; each chunk once. Finding needs a barrier behind the last one. */
void hdi_places_add_chunk(hdi_places *places, size_t chunk);
/* Hash of a state, to be passed to the next two. */
uint64_t hdi_places_hash(const hdi_places *places, const uint64_t *state);
/* Number of a state, HDI_NO_PLACE when it is not there. */
uint64_t hdi_places_find(const hdi_places *places, const uint64_t *state, uint64_t hash);

static inline uint64_t hdi_places_bucket(const hdi_places *places, uint64_t hash) {
  return ((hash >> 32) * places->buckets) >> 32;
}
static inline void hdi_places_prefetch(const hdi_places *places, uint64_t hash) {
  HD_PREFETCH(&places->slots[hdi_places_bucket(places, hash) * (HD_CACHE_LINE / sizeof(uint64_t))]);
}

#endif
