/* Sorting successors by region of the visited set before they are offered to it. Internal to core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_SCATTER_H
#define HEDDLE_CORE_EXPLORE_SCATTER_H

#include "core/base/atomic.h"
#include "hashing/visited.h"

/* Successors of one region that are offered together. */
#define HDI_BIN 512u

/* States of one word that fall into one region. */
typedef struct hdi_bin {
  struct hdi_bin *next; /* in the list it belongs to */
  uint32_t count;
  uint64_t states[HDI_BIN];
} hdi_bin;

/* One worker's bins; zeroed: none yet. */
typedef struct hdi_scatter {
  hdi_bin **bins;            /* owned; the one being filled for each of HD_REGIONS_MAX regions, NULL: empty */
  hdi_bin *spare;            /* owned */
  uint8_t *region;           /* owned; of each state being sorted */
  size_t room;               /* states that can be sorted at once */
  hd_atomic_u64 *held_bytes; /* borrowed; memory that all workers hold */
} hdi_scatter;

/* Receives a bin with at least one state; it goes back with hdi_scatter_give, to whichever scatter. */
typedef void (*hdi_scatter_take)(void *payload, hdi_bin *bin, uint32_t region);

/* Makes room for sorting `room` states at once. HD_E_NOMEM: the scatter is as before. */
hd_status hdi_scatter_init(hdi_scatter *scatter, size_t room, hd_atomic_u64 *held_bytes);
void hdi_scatter_clear(hdi_scatter *scatter);
/* Puts states[0], states[1], ... into the bins of their regions, of which there are 2^region_bits; bins that become
 * full go to `take`. Returns how many of the `count` <= room states were put away: fewer when memory for a bin is out.
 * Requires hd_visited_has_regions(). */
size_t hdi_scatter_add(hdi_scatter *scatter, const hd_visited *visited, uint32_t region_bits, const uint64_t *states,
                       size_t count, hdi_scatter_take take, void *payload);
/* Gives all bins that hold something to `take`. */
void hdi_scatter_flush(hdi_scatter *scatter, hdi_scatter_take take, void *payload);
/* Takes a bin back, empty. */
void hdi_scatter_give(hdi_scatter *scatter, hdi_bin *bin);

/* Where other workers leave bins for their owner; zeroed: empty. */
typedef struct hdi_inbox {
  hd_atomic_ptr first;
} hdi_inbox;

/* Any worker. */
void hdi_inbox_put(hdi_inbox *inbox, hdi_bin *bin);
/* The owner: all bins that are there, as a list; NULL when there is none. */
hdi_bin *hdi_inbox_take(hdi_inbox *inbox);

#endif
