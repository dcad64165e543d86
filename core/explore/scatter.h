/* Sorting successors by region of the visited set before they are offered to it. Internal to core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_SCATTER_H
#define HEDDLE_CORE_EXPLORE_SCATTER_H

#include "hashing/visited.h"

/* Successors of one region that are offered together. */
#define HDI_BIN 512u

/* One worker's bins; zeroed: none yet. For states of one word. */
typedef struct hdi_scatter {
  uint64_t *bins;  /* owned; HD_REGIONS_MAX bins of HDI_BIN states; NULL before the first use */
  uint32_t *fill;  /* owned; states in each bin */
  uint8_t *region; /* owned; of each state being sorted */
  size_t room;     /* states that can be sorted at once */
} hdi_scatter;

/* Called with the `count` > 0 states of a bin, which is empty afterwards. */
typedef void (*hdi_scatter_offer)(void *payload, const uint64_t *states, size_t count);

/* Makes room for sorting `room` states at once. HD_E_NOMEM: the scatter is as before. */
hd_status hdi_scatter_init(hdi_scatter *scatter, size_t room);
void hdi_scatter_clear(hdi_scatter *scatter);
/* Puts `count` <= room states into the bins; bins that become full are offered. Requires hd_visited_regions() > 1. */
void hdi_scatter_add(hdi_scatter *scatter, const hd_visited *visited, const uint64_t *states, size_t count,
                     hdi_scatter_offer offer, void *payload);
/* Offers what is left. */
void hdi_scatter_flush(hdi_scatter *scatter, hdi_scatter_offer offer, void *payload);
/* Bytes held. */
size_t hdi_scatter_size_bytes(const hdi_scatter *scatter);

#endif
