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
 * sees another first bin, or none; that a bin was taken, worked off and put again meanwhile (the same address at the
 * same place) does no harm either, for the link is what the stack holds at the moment of the swap. So each bin is in
 * one taken list. A put is lock-free: a failed swap means that another operation succeeded.
 *
 * Invariant: between two calls every bin has fewer than HDI_BIN states. Threads: the owner's, but for hdi_inbox_put.
 * Cost: one store per state; 4 KiB for each bin in use. */
#include "core/explore/scatter.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

/* HD-SYNC L10: relaxed; pairs with L4, L10 of other workers. Publishes: nothing, a sum for the memory limit. Why not
 * weaker: it must be one read-modify-write. Why not stronger: it guards no memory. */
static void charge(hdi_scatter *scatter, uint64_t more_bytes) {
  (void)hd_add_rlx(scatter->held_bytes, more_bytes);
}

hd_status hdi_scatter_init(hdi_scatter *scatter, size_t room, hd_atomic_u64 *held_bytes) {
  if (scatter->bins != NULL) {
    HD_ASSERT(room <= scatter->room);
    return HD_OK;
  }
  hdi_scatter made = {.bins = calloc(HD_REGIONS_MAX, sizeof *made.bins),
                      .region = malloc(room),
                      .room = room,
                      .held_bytes = held_bytes};
  if (made.bins == NULL || made.region == NULL) {
    hdi_scatter_clear(&made);
    return HD_E_NOMEM;
  }
  *scatter = made;
  charge(scatter, HD_REGIONS_MAX * sizeof *made.bins + room);
  return HD_OK;
}

static void free_list(hdi_bin *bin) {
  while (bin != NULL) {
    hdi_bin *next = bin->next;
    free(bin);
    bin = next;
  }
}

void hdi_scatter_clear(hdi_scatter *scatter) {
  for (uint32_t region = 0; scatter->bins != NULL && region < HD_REGIONS_MAX; region++) {
    free(scatter->bins[region]);
  }
  free_list(scatter->spare);
  free(scatter->bins);
  free(scatter->region);
  memset(scatter, 0, sizeof *scatter);
}

void hdi_scatter_give(hdi_scatter *scatter, hdi_bin *bin) {
  bin->next = scatter->spare;
  scatter->spare = bin;
}

/* An empty bin; NULL when memory is out. */
static hdi_bin *empty_bin(hdi_scatter *scatter) {
  hdi_bin *bin = scatter->spare;
  if (bin != NULL) {
    scatter->spare = bin->next;
  } else {
    bin = malloc(sizeof *bin);
    if (bin == NULL) {
      return NULL;
    }
    charge(scatter, sizeof *bin);
  }
  bin->next = NULL;
  bin->count = 0;
  return bin;
}

size_t hdi_scatter_add(hdi_scatter *scatter, const hd_visited *visited, uint32_t region_bits, const uint64_t *states,
                       size_t count, hdi_scatter_take take, void *payload) {
  HD_ASSERT(count <= scatter->room);
  hd_visited_find_regions(visited, region_bits, states, count, scatter->region);
  for (size_t i = 0; i < count; i++) {
    uint32_t region = scatter->region[i];
    hdi_bin *bin = scatter->bins[region];
    if (HD_UNLIKELY(bin == NULL)) {
      bin = scatter->bins[region] = empty_bin(scatter);
      if (bin == NULL) {
        return i;
      }
    }
    bin->states[bin->count++] = states[i];
    if (HD_UNLIKELY(bin->count == HDI_BIN)) {
      scatter->bins[region] = NULL;
      take(payload, bin, region);
    }
  }
  return count;
}

void hdi_scatter_flush(hdi_scatter *scatter, hdi_scatter_take take, void *payload) {
  for (uint32_t region = 0; scatter->bins != NULL && region < HD_REGIONS_MAX; region++) {
    hdi_bin *bin = scatter->bins[region];
    if (bin != NULL) {
      scatter->bins[region] = NULL;
      take(payload, bin, region);
    }
  }
}

void hdi_inbox_put(hdi_inbox *inbox, hdi_bin *bin) {
  /* HD-SYNC N1: relaxed; pairs with N2, N3. Publishes: nothing; the value is only compared with and linked to, and what
   * is behind it is read by who takes it. Why not weaker: it is the weakest. Why not stronger: N2 decides. */
  void *first = hd_load_rlx(&inbox->first);
  do {
    bin->next = first;
    /* HD-SYNC N2: release; pairs with N1, N3, N4. Publishes: the bin's states, count and link. Why not weaker: its
     * owner reads them. Why not stronger: the putting worker reads nothing through it. */
  } while (!hd_cas_rel(&inbox->first, &first, bin));
}

hdi_bin *hdi_inbox_take(hdi_inbox *inbox) {
  /* HD-SYNC N4: relaxed; pairs with N2. Publishes: nothing: it only spares the line an exchange while nothing is there.
   * Why not weaker: it is the weakest. Why not stronger: N3 follows. */
  if (hd_load_rlx(&inbox->first) == NULL) {
    return NULL;
  }
  /* HD-SYNC N3: acq_rel; pairs with N1, N2. Publishes: nothing; takes what N2 published, of every bin in the list: the
   * swaps of later puts continue the release sequence of earlier ones. Why not weaker: the states are read. Why not
   * stronger: one location only. */
  return hd_xchg_acqrel(&inbox->first, NULL);
}
