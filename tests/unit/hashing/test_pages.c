/* Mappings: zeroed, aligned, writable to the last byte. Regions: they grow where they are. */
#include "hashing/pages.h"

#include "core/base/compiler.h"
#include "core/base/machine.h"
#include "tests/support/hd_test.h"

#include <stdint.h>
#include <sys/resource.h>

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

Test(pages, a_region_grows_where_it_is) {
  static const size_t firsts[] = {512, 4096, (size_t)1 << 20, (size_t)1 << 21};
  for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++) {
    hdi_region region;
    cr_assert_eq(hdi_region_make(&region, firsts[f], (size_t)1 << 23), HD_OK);
    unsigned char *base = region.base;
    cr_assert_eq((uintptr_t)base % HD_CACHE_LINE, 0);
    for (size_t size = firsts[f], old = 0; size <= (size_t)1 << 23; old = size, size *= 2) {
      cr_assert_eq(hdi_region_extend(&region, size), HD_OK);
      cr_assert_eq(region.size_bytes, size);
      cr_assert_eq(region.base, base);
      hdi_pages_touch(base, old, size);
      for (size_t i = 0; i < size; i += 256) {
        cr_assert_eq(base[i], i < old ? 1 : 0, "what was there stays, what is new is zero");
        base[i] = 1;
      }
    }
    cr_assert_eq(hdi_region_extend(&region, ((size_t)1 << 23) + 1), HD_E_NOMEM);
    cr_assert_eq(region.size_bytes, (size_t)1 << 23);
    hdi_region_free(&region);
    cr_assert_null(region.base);
  }
}

Test(pages, a_region_is_as_large_as_the_limit_allows) {
  cr_assert_eq(hdi_region_most_bytes(512, 512), 512);
  cr_assert_eq(hdi_region_most_bytes(512, 1023), 512);
  cr_assert_eq(hdi_region_most_bytes(512, 1024), 1024);
  cr_assert_eq(hdi_region_most_bytes((size_t)1 << 20, 5000000), (size_t)1 << 22);
  cr_assert_eq(hdi_region_most_bytes((size_t)1 << 30, 1), (size_t)1 << 30);
  cr_assert_geq(hdi_region_most_bytes(512, 0), hd_machine_memory_bytes() / 4);
}

#if !HD_SANITIZER && !defined(HD_TEST_RUNNER) /* the sanitizers' own mappings pass the limit */
/* In a process that may address little, a region takes half of it at most, and less when that is gone. */
Test(pages, regions_leave_addresses_to_others) {
  struct rlimit limit;
  cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
  limit.rlim_cur = (rlim_t)1 << 30;
  cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
  cr_assert_eq(hdi_region_most_bytes(4096, (size_t)1 << 40), (size_t)1 << 29);
  hdi_region regions[4];
  for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
    cr_assert_eq(hdi_region_make(&regions[i], 4096, (size_t)1 << 29), HD_OK);
    cr_assert(i == 0 || regions[i].reserved_bytes <= regions[i - 1].reserved_bytes);
  }
  cr_assert_lt(regions[3].reserved_bytes, regions[0].reserved_bytes);
  for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
    hdi_region_free(&regions[i]);
  }
}
#endif
