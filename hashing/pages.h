/* Large zeroed memory straight from the system. Internal to hashing/. */
#ifndef HEDDLE_HASHING_PAGES_H
#define HEDDLE_HASHING_PAGES_H

#include "core/base/status.h"

#include <stddef.h>

/* `size_bytes` zeroed bytes, owned by the caller, on huge pages where the system grants them; NULL when memory is out.
 * Any thread. Physical memory is committed page by page at the first write, so the thread that writes first pays and
 * gets the page near itself. */
void *hdi_pages_map(size_t size_bytes);
/* Gives back what hdi_pages_map returned for the same size. NULL is allowed. */
void hdi_pages_unmap(void *pages, size_t size_bytes);
/* Has the bytes begin .. end behind `pages` committed by the calling thread now and not at their first write. Advice:
 * where the system does not know it, nothing happens. */
void hdi_pages_touch(void *pages, size_t begin_bytes, size_t end_bytes);

/* Addresses set aside for memory that grows in place. */
typedef struct hdi_region {
  void *base;            /* owned; NULL: none */
  size_t reserved_bytes; /* addresses */
  size_t size_bytes;     /* of memory, from `base` on */
} hdi_region;

/* Sets addresses aside and makes the first `size_bytes` of them memory: zeroed, as with hdi_pages_map. `most_bytes`, at
 * least size_bytes, is what the region may grow to at the most; fewer addresses are taken where the system has not so
 * many. HD_E_NOMEM. One thread. */
hd_status hdi_region_make(hdi_region *region, size_t size_bytes, size_t most_bytes);
/* Makes the region `size_bytes` large, at least what it is: what is new is zeroed, what was there stays where it is and
 * as it is. HD_E_NOMEM changes nothing. One thread. */
hd_status hdi_region_extend(hdi_region *region, size_t size_bytes);
/* An empty region is allowed. */
void hdi_region_free(hdi_region *region);
/* The most that a table should set aside: what the limit allows, or without one (0) what the machine has, and no more
 * than half of what the process may address. A power of two, at least size_bytes, which is one. */
size_t hdi_region_most_bytes(size_t size_bytes, size_t memory_max_bytes);

#endif
