/* Anonymous mappings for the visited set's tables.
 *
 * A lookup in a table larger than the last cache level costs one dependent memory read, and on 4 KiB pages a walk of
 * the page table besides; 2 MiB pages remove most of the walk. Transparent huge pages need a mapping that covers whole
 * aligned huge pages, therefore a large request is mapped one huge page too long and the ends are cut off:
 *
 *     |<- cut ->|<------------ size_bytes, aligned ------------>|<- cut ->|
 *
 * A region is such a mapping without access rights, which costs addresses only, whose front part has been given them:
 *
 *     base |<-- size_bytes: memory -->|<------- reserved: faults when touched ------->|
 *
 * Growing it moves the boundary, nothing else; so what grows in place needs no second copy and no address changes.
 * Where the process is limited in addresses (RLIMIT_AS) a region takes at most half of them, and is halved until it
 * fits.
 *
 * The advice is only advice: where it is refused the mapping works on small pages. Threads: none of this is shared.
 * Cost: two to four system calls. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise and its advice lie outside POSIX.1-2008 */

#include "hashing/pages.h"

#include "core/base/check.h"
#include "core/base/machine.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef MAP_NORESERVE
#define MAP_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
#else
#define MAP_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS)
#endif

/* Regions are tried down from this size. */
#define REGION_MAX ((size_t)1 << (sizeof(size_t) >= 8 ? 45 : 30))

static void *map(size_t size_bytes, int protection, int flags) {
  void *pages = mmap(NULL, size_bytes, protection, flags, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

static void cut(uintptr_t begin, uintptr_t end) {
  if (begin < end) {
    (void)munmap((void *)begin, end - begin);
  }
}

/* A mapping that begins at a huge page when it holds one. */
static void *map_aligned(size_t size_bytes, int protection, int flags) {
  size_t huge = hd_machine_huge_page_bytes();
  if (huge == 0 || size_bytes < huge || size_bytes % huge != 0 || size_bytes > SIZE_MAX - huge) {
    return map(size_bytes, protection, flags);
  }
  void *pages = map(size_bytes + huge, protection, flags);
  if (pages == NULL) {
    return NULL;
  }
  uintptr_t begin = (uintptr_t)pages;
  uintptr_t aligned = (begin + huge - 1) / huge * huge;
  cut(begin, aligned);
  cut(aligned + size_bytes, begin + size_bytes + huge);
#ifdef MADV_HUGEPAGE
  (void)madvise((void *)aligned, size_bytes, MADV_HUGEPAGE);
#endif
  return (void *)aligned;
}

void *hdi_pages_map(size_t size_bytes) {
  HD_REQUIRE(size_bytes > 0);
  return map_aligned(size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
}

void hdi_pages_unmap(void *pages, size_t size_bytes) {
  if (pages != NULL) {
    (void)munmap(pages, size_bytes);
  }
}

static size_t page_bytes(void) {
  long size = sysconf(_SC_PAGESIZE);
  return size > 0 ? (size_t)size : 4096;
}

static size_t whole_pages(size_t size_bytes) {
  size_t page = page_bytes();
  return (size_bytes + page - 1) / page * page;
}

void hdi_pages_touch(void *pages, size_t begin_bytes, size_t end_bytes) {
#ifdef MADV_POPULATE_WRITE
  size_t begin = whole_pages(begin_bytes), end = end_bytes / page_bytes() * page_bytes();
  if (begin < end) {
    (void)madvise((unsigned char *)pages + begin, end - begin, MADV_POPULATE_WRITE);
  }
#else
  (void)pages, (void)begin_bytes, (void)end_bytes;
#endif
}

/* How many bytes the process may address; SIZE_MAX: no limit. */
static size_t address_limit(void) {
  struct rlimit limit;
  bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < SIZE_MAX;
  return limited ? (size_t)limit.rlim_cur : SIZE_MAX;
}

size_t hdi_region_most_bytes(size_t size_bytes, size_t memory_max_bytes) {
  size_t most = memory_max_bytes != 0 ? memory_max_bytes : hd_machine_recent_memory_bytes();
  most = address_limit() / 2 < most ? address_limit() / 2 : most;
  most = most < REGION_MAX ? most : REGION_MAX;
  size_t bytes = size_bytes;
  while (bytes <= most / 2) {
    bytes *= 2;
  }
  return bytes;
}

hd_status hdi_region_make(hdi_region *region, size_t size_bytes, size_t most_bytes) {
  HD_REQUIRE(size_bytes > 0 && size_bytes <= most_bytes);
  *region = (hdi_region){0};
  size_t least = whole_pages(size_bytes);
  size_t bytes = whole_pages(most_bytes);
  void *base = map_aligned(bytes, PROT_NONE, MAP_FLAGS);
  while (base == NULL && bytes / 2 >= least && address_limit() != SIZE_MAX) {
    bytes = whole_pages(bytes / 2);
    base = map_aligned(bytes, PROT_NONE, MAP_FLAGS);
  }
  if (base == NULL) {
    return HD_E_NOMEM;
  }
  *region = (hdi_region){.base = base, .reserved_bytes = bytes};
  hd_status status = hdi_region_extend(region, size_bytes);
  if (status != HD_OK) {
    hdi_region_free(region);
  }
  return status;
}

hd_status hdi_region_extend(hdi_region *region, size_t size_bytes) {
  HD_REQUIRE(size_bytes >= region->size_bytes);
  if (size_bytes > region->reserved_bytes) {
    return HD_E_NOMEM;
  }
  /* From the base on, and not only what is new: so the memory stays one mapping with the same rights. */
  if (mprotect(region->base, whole_pages(size_bytes), PROT_READ | PROT_WRITE) != 0) {
    return HD_E_NOMEM;
  }
  region->size_bytes = size_bytes;
  return HD_OK;
}

void hdi_region_free(hdi_region *region) {
  hdi_pages_unmap(region->base, region->reserved_bytes);
  *region = (hdi_region){0};
}
