/* Large zeroed memory straight from the system. Internal to hashing/. */
#ifndef HEDDLE_HASHING_PAGES_H
#define HEDDLE_HASHING_PAGES_H

#include <stddef.h>

/* `size_bytes` zeroed bytes, owned by the caller, on huge pages where the system grants them; NULL when memory is out.
 * Any thread. Physical memory is committed page by page at the first write, so the thread that writes first pays and
 * gets the page near itself. */
void *hdi_pages_map(size_t size_bytes);
/* Gives back what hdi_pages_map returned for the same size. NULL is allowed. */
void hdi_pages_unmap(void *pages, size_t size_bytes);

#endif
