/* Interned sequences of numbers: equal content, equal small id. Internal to the choreography frontend; used for the
 * sets of the subset construction and for the contents of queues. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_SEQUENCE_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_SEQUENCE_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised = empty; owns its memory. Sequence i is words[start[i] .. start[i + 1]), in order of first
 * addition. Not thread-safe. */
typedef struct hdi_sequences {
  uint32_t *words;
  size_t word_count, word_capacity;
  uint32_t *start; /* count + 1 offsets once count > 0 */
  uint32_t count;
  size_t start_capacity;
  uint32_t *slots; /* open addressing, linear probing: id + 1, 0 = free; at most 3/4 full */
  size_t slot_count;
} hdi_sequences;

/* Interns `length` numbers at `data` (which must not lie in the table itself). *id and *fresh (NULL allowed) are set on
 * HD_OK; HD_E_NOMEM, or HD_E_LIMIT beyond 2^32 - 2 words, leave the table as it was. O(length) expected. */
hd_status hdi_sequences_add(hdi_sequences *table, const uint32_t *data, uint32_t length, uint32_t *id, bool *fresh);
/* The numbers of sequence `id` and their count, borrowed until the next addition. */
const uint32_t *hdi_sequences_get(const hdi_sequences *table, uint32_t id, uint32_t *length);
/* Bytes the table holds. */
size_t hdi_sequences_size_bytes(const hdi_sequences *table);
void hdi_sequences_free(hdi_sequences *table); /* leaves an empty table */

#endif
