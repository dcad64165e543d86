/* The states of a search, (sub-)level by (sub-)level, kept for walking backwards. Internal to core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_HISTORY_H
#define HEDDLE_CORE_EXPLORE_HISTORY_H

#include "core/explore/frontier.h"

/* One sub-level: chunks[first .. first + chunk_count). */
typedef struct hdi_epoch {
  uint64_t level;
  uint32_t sub; /* weight-0 steps since the level was entered */
  uint64_t states;
  size_t first, chunk_count;
} hdi_epoch;

#define HD_ARRAY_NAME hdi_epochs
#define HD_ARRAY_TYPE hdi_epoch
#include "core/base/array.h"

#define HD_ARRAY_NAME hdi_chunks
#define HD_ARRAY_TYPE hdi_chunk *
#include "core/base/array.h"

typedef struct hdi_history {
  hdi_epochs epochs; /* in order of (level, sub) */
  hdi_chunks chunks; /* owned, and the chunks too */
} hdi_history;

/* Opens the next sub-level. */
hd_status hdi_history_begin(hdi_history *history, uint64_t level, uint32_t sub);
/* Adds the chunks of `list` to the open sub-level, trimmed to what they hold; they stay in the list too, which may be
 * read and emptied but whose chunks no pool takes back. HD_E_NOMEM: the list is still whole. */
hd_status hdi_history_add(hdi_history *history, hdi_list *list, hdi_pool *pool);
/* `pool`: any one of the search's, for its account of memory. */
void hdi_history_clear(hdi_history *history, hdi_pool *pool);

#endif
