/* Sorting successors by region of the visited set before they are offered to it. Internal to core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_SCATTER_H
#define HEDDLE_CORE_EXPLORE_SCATTER_H

#include "core/base/atomic.h"
#include "hashing/visited.h"

/* Successors of one region that are passed on together. */
#define HDI_BIN 512u

/* One worker's bins; zeroed: none yet. For states of one word. */
typedef struct hdi_scatter {
  uint64_t *bins;  /* owned; HD_REGIONS_MAX bins of HDI_BIN states; NULL before the first use */
  uint32_t *fill;  /* owned; states in each bin */
  uint8_t *region; /* owned; of each state being sorted */
  size_t room;     /* states that can be sorted at once */
} hdi_scatter;

/* Receives the `count` > 0 states of a bin, borrowed until it returns; the bin is empty afterwards. */
typedef void (*hdi_scatter_pass)(void *payload, uint32_t region, const uint64_t *states, uint32_t count);

/* Makes room for sorting `room` states at once. HD_E_NOMEM: the scatter is as before. */
hd_status hdi_scatter_init(hdi_scatter *scatter, size_t room);
void hdi_scatter_clear(hdi_scatter *scatter);
/* Puts `count` <= room states into the bins of their regions, of which there are 2^region_bits; bins that become full
 * are passed on. Requires hd_visited_has_regions(). */
void hdi_scatter_add(hdi_scatter *scatter, const hd_visited *visited, uint32_t region_bits, const uint64_t *states,
                     size_t count, hdi_scatter_pass pass, void *payload);
/* Passes on what is left. */
void hdi_scatter_flush(hdi_scatter *scatter, hdi_scatter_pass pass, void *payload);
/* Bytes held. */
size_t hdi_scatter_size_bytes(const hdi_scatter *scatter);

/* A bin on its way to another worker. */
typedef struct hdi_parcel {
  struct hdi_parcel *next; /* in the list it belongs to */
  uint32_t count;
  uint64_t states[HDI_BIN];
} hdi_parcel;

/* Where other workers leave parcels for their owner; zeroed: empty. */
typedef struct hdi_inbox {
  hd_atomic_ptr first;
} hdi_inbox;

/* Any worker. */
void hdi_inbox_put(hdi_inbox *inbox, hdi_parcel *parcel);
/* The owner: all parcels that are there, as a list; NULL when there is none. */
hdi_parcel *hdi_inbox_take(hdi_inbox *inbox);

#endif
