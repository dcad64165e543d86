/* Sorting successors by region of the visited set before they are offered to it.
 *
 *     successors --region of each--> bin 0 | bin 1 | ... | bin 255  --a bin is full--> offered to the set together
 *
 * A table much larger than the caches costs a miss in the cache and one in the page-table caches for each look-up, and
 * prefetching hides only so many of them. The states of one bin fall into one region of the table, small enough for
 * its page-table entries, and partly its lines, to stay in the caches while the bin is worked off. The set does not
 * mind in which order states are offered, so results do not change. This is the radix partitioning of database joins
 * (Manegold, Boncz, Kersten: Optimizing Main-Memory Join on Modern Hardware, 2002), with one pass and bins that are
 * emptied as they fill.
 *
 * Invariant: between two calls every bin has fewer than HDI_BIN states. Threads: the owner's. Cost: one store per
 * state; HD_REGIONS_MAX * HDI_BIN words of memory, 1 MiB, per worker. */
#include "core/explore/scatter.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

hd_status hdi_scatter_init(hdi_scatter *scatter, size_t room) {
  if (scatter->bins != NULL) {
    HD_ASSERT(room <= scatter->room);
    return HD_OK;
  }
  hdi_scatter made = {.bins = malloc((size_t)HD_REGIONS_MAX * HDI_BIN * sizeof *made.bins),
                      .fill = calloc(HD_REGIONS_MAX, sizeof *made.fill),
                      .region = malloc(room),
                      .room = room};
  if (made.bins == NULL || made.fill == NULL || made.region == NULL) {
    hdi_scatter_clear(&made);
    return HD_E_NOMEM;
  }
  *scatter = made;
  return HD_OK;
}

void hdi_scatter_clear(hdi_scatter *scatter) {
  free(scatter->bins);
  free(scatter->fill);
  free(scatter->region);
  memset(scatter, 0, sizeof *scatter);
}

void hdi_scatter_add(hdi_scatter *scatter, const hd_visited *visited, const uint64_t *states, size_t count,
                     hdi_scatter_offer offer, void *payload) {
  HD_ASSERT(count <= scatter->room);
  hd_visited_find_regions(visited, states, count, scatter->region);
  for (size_t i = 0; i < count; i++) {
    uint32_t region = scatter->region[i];
    uint64_t *bin = scatter->bins + (size_t)region * HDI_BIN;
    uint32_t fill = scatter->fill[region];
    bin[fill++] = states[i];
    if (HD_UNLIKELY(fill == HDI_BIN)) {
      offer(payload, bin, fill);
      fill = 0;
    }
    scatter->fill[region] = fill;
  }
}

void hdi_scatter_flush(hdi_scatter *scatter, hdi_scatter_offer offer, void *payload) {
  if (scatter->bins == NULL) {
    return;
  }
  for (uint32_t region = 0; region < HD_REGIONS_MAX; region++) {
    uint32_t fill = scatter->fill[region];
    scatter->fill[region] = 0;
    if (fill > 0) {
      offer(payload, scatter->bins + (size_t)region * HDI_BIN, fill);
    }
  }
}

size_t hdi_scatter_size_bytes(const hdi_scatter *scatter) {
  return scatter->bins == NULL
             ? 0
             : (size_t)HD_REGIONS_MAX * (HDI_BIN * sizeof *scatter->bins + sizeof *scatter->fill) + scatter->room;
}
