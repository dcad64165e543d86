/* Anonymous mappings for the visited set's tables.
 *
 * A lookup in a table larger than the last cache level costs one dependent memory read, and on 4 KiB pages a walk of
 * the page table besides; 2 MiB pages remove most of the walk. Transparent huge pages need a mapping that covers whole
 * aligned huge pages, therefore a large request is mapped one huge page too long and the ends are cut off:
 *
 *     |<- cut ->|<------------ size_bytes, aligned ------------>|<- cut ->|
 *
 * The advice is only advice: where it is refused the mapping works on small pages. Threads: none of this is shared.
 * Cost: two to four system calls. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise and MADV_HUGEPAGE lie outside POSIX.1-2008 */

#include "hashing/pages.h"

#include "core/base/check.h"
#include "core/base/machine.h"

#include <stdint.h>
#include <sys/mman.h>

static void *map(size_t size_bytes) {
  void *pages = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

static void cut(uintptr_t begin, uintptr_t end) {
  if (begin < end) {
    (void)munmap((void *)begin, end - begin);
  }
}

void *hdi_pages_map(size_t size_bytes) {
  HD_REQUIRE(size_bytes > 0);
  size_t huge = hd_machine_huge_page_bytes();
  if (huge == 0 || size_bytes < huge || size_bytes % huge != 0 || size_bytes > SIZE_MAX - huge) {
    return map(size_bytes);
  }
  void *pages = map(size_bytes + huge);
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

void hdi_pages_unmap(void *pages, size_t size_bytes) {
  if (pages != NULL) {
    (void)munmap(pages, size_bytes);
  }
}
