/* Sorting successors by region of the visited set before they are offered to it, and handing them to the region's
 * owner.
 *
 *     successors --region of each--> bin 0 | bin 1 | ... | bin 2^r - 1  --a bin is full--> offered to the set by
 *                                                                                          worker (region mod workers)
 *
 * A table much larger than the caches costs a miss in the cache and one in the page-table caches for each look-up, and
 * prefetching hides only so many of them. The states of one bin fall into one region of the table, small enough for its
 * page-table entries, and partly its lines, to stay in the caches while the bin is worked off. With several workers
 * there is a second reason: a line that one has written is slow to read for the others. So each region has an owner who
 * alone looks at it while a wide level is worked on, and what travels between the workers is bins, not lines of the
 * table. The set does not mind who offers a state, nor in which order, so results do not change. This is the radix
 * partitioning of database joins (Manegold, Boncz, Kersten: Optimizing Main-Memory Join on Modern Hardware, 2002), with
 * one pass and bins that are emptied as they fill.
 *
 * The inbox is a stack from which the owner only ever takes everything. Proof: a put links its bin to the first one
 * that it has read and makes it the first if that is still so; since single bins are never removed, the bin it was
 * linked to is then still in the stack behind it, or the stack was emptied in between and then the compare-and-swap
 * sees another first parcel, or none; that one was taken, worked off and put again meanwhile (the same address at the
 * same place) does no harm either, for the link is what the stack holds at the moment of the swap. So each bin is in
 * one taken list. A put is lock-free: a failed swap means that another operation succeeded.
 *
 * Invariant: between two calls every bin has fewer than HDI_BIN states. Threads: the owner's, but for hdi_inbox_put.
 * Cost: one store per state, and one more when it travels; HD_REGIONS_MAX * HDI_BIN words, 1 MiB, per worker. */
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

void hdi_scatter_add(hdi_scatter *scatter, const hd_visited *visited, uint32_t region_bits, const uint64_t *states,
                     size_t count, hdi_scatter_pass pass, void *payload) {
  HD_ASSERT(count <= scatter->room);
  hd_visited_find_regions(visited, region_bits, states, count, scatter->region);
  for (size_t i = 0; i < count; i++) {
    uint32_t region = scatter->region[i];
    uint64_t *bin = scatter->bins + (size_t)region * HDI_BIN;
    uint32_t fill = scatter->fill[region];
    bin[fill++] = states[i];
    if (HD_UNLIKELY(fill == HDI_BIN)) {
      pass(payload, region, bin, fill);
      fill = 0;
    }
    scatter->fill[region] = fill;
  }
}

void hdi_scatter_flush(hdi_scatter *scatter, hdi_scatter_pass pass, void *payload) {
  for (uint32_t region = 0; scatter->bins != NULL && region < HD_REGIONS_MAX; region++) {
    uint32_t fill = scatter->fill[region];
    scatter->fill[region] = 0;
    if (fill > 0) {
      pass(payload, region, scatter->bins + (size_t)region * HDI_BIN, fill);
    }
  }
}

size_t hdi_scatter_size_bytes(const hdi_scatter *scatter) {
  return scatter->bins == NULL
             ? 0
             : (size_t)HD_REGIONS_MAX * (HDI_BIN * sizeof *scatter->bins + sizeof *scatter->fill) + scatter->room;
}

void hdi_inbox_put(hdi_inbox *inbox, hdi_parcel *parcel) {
  /* HD-SYNC N1: relaxed; pairs with N2, N3. Publishes: nothing; the value is only compared with and linked to, and what
   * is behind it is read by who takes it. Why not weaker: it is the weakest. Why not stronger: N2 decides. */
  void *first = hd_load_rlx(&inbox->first);
  do {
    parcel->next = first;
    /* HD-SYNC N2: release; pairs with N1, N3, N4. Publishes: the parcel's states, count and link. Why not weaker: its
     * owner reads them. Why not stronger: the putting worker reads nothing through it. */
  } while (!hd_cas_rel(&inbox->first, &first, parcel));
}

hdi_parcel *hdi_inbox_take(hdi_inbox *inbox) {
  /* HD-SYNC N4: relaxed; pairs with N2. Publishes: nothing: it only spares the line an exchange while nothing is there.
   * Why not weaker: it is the weakest. Why not stronger: N3 follows. */
  if (hd_load_rlx(&inbox->first) == NULL) {
    return NULL;
  }
  /* HD-SYNC N3: acq_rel; pairs with N1, N2. Publishes: nothing; takes what N2 published, of every parcel in the list:
   * the swaps of later puts continue the release sequence of earlier ones. Why not weaker: the states are read. Why not
   * stronger: one location only. */
  return hd_xchg_acqrel(&inbox->first, NULL);
}
