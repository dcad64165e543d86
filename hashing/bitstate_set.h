/* A lossy visited set: four bits for a state. Internal to hashing/; the rules are those of visited.h, but a state that
 * was never inserted may be answered with "known". */
#ifndef HEDDLE_HASHING_BITSTATE_SET_H
#define HEDDLE_HASHING_BITSTATE_SET_H

#include "core/base/atomic.h"
#include "core/base/compiler.h"
#include "hashing/visited.h"

#include <stdalign.h>

#define HDI_BITSTATE_LINE_WORDS 8u

typedef struct hdi_bitstate_lane {
  alignas(HD_CACHE_LINE) uint64_t count; /* states that this worker took for new */
} hdi_bitstate_lane;

typedef struct hdi_bitstate_set {
  hd_atomic_u64 *bits; /* owned; line_count lines of HDI_BITSTATE_LINE_WORDS words */
  uint64_t line_count; /* below 2^32 */
  size_t size_bytes;
  hdi_bitstate_lane *lanes; /* owned; one per worker */
  uint32_t workers;
  uint32_t words; /* of a state */
} hdi_bitstate_set;

/* Takes half of memory_max_bytes, at least one line, at most 256 GiB; 64 MiB when there is no limit. HD_E_NOMEM,
 * HD_E_LIMIT. */
hd_status hdi_bitstate_set_init(hdi_bitstate_set *set, const hd_visited_config *config);
void hdi_bitstate_set_clear(hdi_bitstate_set *set);
/* HD_INSERT_NEW or HD_INSERT_KNOWN. */
hd_insert hdi_bitstate_set_insert(hdi_bitstate_set *set, uint32_t worker, const uint64_t *state);
/* As hd_visited_insert_many. */
size_t hdi_bitstate_set_insert_many(hdi_bitstate_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                    uint32_t *places, uint8_t *answers);
/* Quiescent. */
bool hdi_bitstate_set_contains(const hdi_bitstate_set *set, const uint64_t *state);
uint64_t hdi_bitstate_set_count(const hdi_bitstate_set *set);
/* Share of the bits that are set, and the probability that the next new state is taken for a known one; estimated from
 * lines all over the set, from all of them when they are few. Quiescent. */
void hdi_bitstate_set_estimate(const hdi_bitstate_set *set, double *fill, double *omission);

#endif
