/* Mappings: zeroed, aligned, writable to the last byte. */
#include "hashing/pages.h"

#include "core/base/compiler.h"
#include "core/base/machine.h"
#include "tests/support/hd_test.h"

#include <stdint.h>

static void check_mapping(size_t size_bytes) {
  unsigned char *pages = hdi_pages_map(size_bytes);
  cr_assert_not_null(pages);
  cr_assert_eq((uintptr_t)pages % HD_CACHE_LINE, 0);
  size_t huge = hd_machine_huge_page_bytes();
  if (huge != 0 && size_bytes >= huge && size_bytes % huge == 0) {
    cr_assert_eq((uintptr_t)pages % huge, 0, "a large mapping begins at a huge page");
  }
  for (size_t i = 0; i < size_bytes; i += 512) {
    cr_assert_eq(pages[i], 0);
    pages[i] = 1;
  }
  pages[size_bytes - 1] = 1;
  hdi_pages_unmap(pages, size_bytes);
}

Test(pages, are_zeroed_and_aligned) {
  check_mapping(512);
  check_mapping((size_t)1 << 16);
  check_mapping((size_t)1 << 21);
  check_mapping((size_t)1 << 23);
  check_mapping(((size_t)1 << 21) + 4096);
}

Test(pages, impossible_sizes_answer_null) {
  cr_assert_null(hdi_pages_map(SIZE_MAX / 2 / 4096 * 4096));
  hdi_pages_unmap(NULL, 0);
}
