/* Arena: alignment, zeroed and disjoint memory, limits, reuse, failing allocations. */
#include "core/base/arena.h"
#include "tests/support/expect_failed_check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Fills objects of many sizes with a pattern each; a pattern that changed later means that two objects overlap. */
static void fill_and_verify(hd_arena *arena) {
  enum { OBJECTS = 3000 };
  static unsigned char *objects[OBJECTS];
  static size_t sizes[OBJECTS];
  uint32_t random = 12345;
  for (size_t i = 0; i < OBJECTS; i++) {
    random = random * 1664525u + 1013904223u;
    sizes[i] = i % 97 == 0 ? (random >> 8) % 20000 : (random >> 8) % 200;
    objects[i] = hd_arena_alloc(arena, sizes[i]);
    cr_assert(objects[i] != NULL);
    cr_assert((uintptr_t)objects[i] % alignof(max_align_t) == 0, "object %zu is not aligned", i);
    for (size_t k = 0; k < sizes[i]; k++) {
      cr_assert(objects[i][k] == 0, "object %zu is not zeroed", i);
    }
    memset(objects[i], (int)(i % 255 + 1), sizes[i]);
  }
  for (size_t i = 0; i < OBJECTS; i++) {
    for (size_t k = 0; k < sizes[i]; k++) {
      cr_assert(objects[i][k] == i % 255 + 1, "object %zu was overwritten", i);
    }
  }
}

Test(arena, objects_are_aligned_zeroed_and_disjoint) {
  hd_arena *arena = hd_arena_new();
  cr_assert(arena != NULL);
  for (int round = 0; round < 3; round++) {
    fill_and_verify(arena);
    hd_arena_reset(arena);
  }
  hd_arena_free(arena);
  hd_arena_free(NULL);
}

Test(arena, reset_keeps_the_largest_block_and_reuses_it) {
  hd_arena *arena = hd_arena_new();
  size_t empty = hd_arena_size_bytes(arena);
  cr_assert(hd_arena_alloc(arena, 100) != NULL);
  void *large = hd_arena_alloc(arena, 300000);
  cr_assert(hd_arena_alloc(arena, 100) != NULL);
  size_t before = hd_arena_size_bytes(arena);
  hd_arena_reset(arena);
  size_t after = hd_arena_size_bytes(arena);
  cr_assert(after < before && after >= empty + 300000);
  cr_assert(hd_arena_alloc(arena, 300000) == large, "the kept block starts again at its front");
  cr_assert(hd_arena_size_bytes(arena) == after);
  hd_arena_free(arena);
}

Test(arena, reset_of_an_empty_arena_is_harmless) {
  hd_arena *arena = hd_arena_new();
  hd_arena_reset(arena);
  cr_assert(hd_arena_alloc(arena, 1) != NULL);
  hd_arena_free(arena);
}

Test(arena, a_large_object_leaves_the_current_block_in_use) {
  hd_arena *arena = hd_arena_new();
  char *first = hd_arena_alloc(arena, 16);
  cr_assert(hd_arena_alloc(arena, 100000) != NULL);
  size_t held = hd_arena_size_bytes(arena);
  char *second = hd_arena_alloc(arena, 16);
  cr_assert(second == first + 16);
  cr_assert(hd_arena_size_bytes(arena) == held);
  hd_arena_free(arena);
}

Test(arena, many_small_objects_need_few_blocks) {
  hd_arena *arena = hd_arena_new();
  int64_t before = hd_fail_alloc_live();
  for (int i = 0; i < 100000; i++) {
    cr_assert(hd_arena_alloc(arena, 16) != NULL);
  }
  long long blocks = hd_fail_alloc_live() - before;
  cr_assert(blocks >= 1 && blocks <= 12, "%lld blocks", blocks);
  hd_arena_free(arena);
}

Test(arena, empty_objects_have_addresses_of_their_own) {
  hd_arena *arena = hd_arena_new();
  void *a = hd_arena_alloc(arena, 0), *b = hd_arena_alloc_array(arena, 0, 8), *c = hd_arena_alloc_array(arena, 8, 0);
  cr_assert(a != NULL && b != NULL && c != NULL && a != b && b != c);
  hd_arena_free(arena);
}

Test(arena, sizes_that_overflow_are_refused) {
  hd_arena *arena = hd_arena_new();
  volatile size_t huge = SIZE_MAX;
  cr_assert(hd_arena_alloc(arena, huge) == NULL);
  cr_assert(hd_arena_alloc(arena, huge - 20) == NULL);
  cr_assert(hd_arena_alloc(arena, huge - 40) == NULL);
  cr_assert(hd_arena_alloc_array(arena, huge / 8 + 1, 8) == NULL);
  cr_assert(hd_arena_alloc_array(arena, 16, huge / 15) == NULL);
  cr_assert(hd_arena_copy_text(arena, "", huge) == NULL);
  cr_assert(hd_arena_alloc(arena, 8) != NULL, "the arena is still good");
  hd_arena_free(arena);
}

Test(arena, texts_are_copied_with_a_final_nul) {
  hd_arena *arena = hd_arena_new();
  char *junk = hd_arena_alloc(arena, 64);
  memset(junk, 0xFF, 64);
  hd_arena_reset(arena);
  char *copy = hd_arena_copy_text(arena, "ab\0cd", 5);
  cr_assert(memcmp(copy, "ab\0cd", 6) == 0);
  cr_assert(hd_arena_copy_text(arena, NULL, 0)[0] == '\0');
  cr_assert_str_eq(hd_arena_printf(arena, "%s-%05d", "peer", 42), "peer-00042");
  char *wide = hd_arena_printf(arena, "%*d", 9000, 7);
  cr_assert(strlen(wide) == 9000 && wide[8999] == '7');
  hd_arena_free(arena);
}

Test(arena, contracts_are_checked) {
  hd_arena *arena = hd_arena_new();
  EXPECT_FAILED_CHECK(hd_arena_alloc(NULL, 1));
  EXPECT_FAILED_CHECK(hd_arena_copy_text(arena, NULL, 1));
  hd_arena_free(arena);
}

static bool use_arena(void *payload, bool *succeeded) {
  (void)payload;
  hd_arena *arena = hd_arena_new();
  if (arena == NULL) {
    return true;
  }
  size_t failures = 0;
  for (size_t i = 0; i < 200; i++) {
    char *text = i % 50 == 0 ? hd_arena_alloc(arena, 9000) : hd_arena_printf(arena, "%zu:%0100d", i, 1);
    failures += text == NULL;
  }
  /* Using an arena that once had no memory is allowed: a refused allocation changes nothing. */
  hd_arena_reset(arena);
  failures += hd_arena_alloc(arena, 10000) == NULL;
  hd_arena_free(arena);
  *succeeded = failures == 0;
  return true;
}

Test(arena, no_memory_is_reported_and_nothing_leaks) {
  cr_assert(hd_fail_alloc_sweep(use_arena, NULL) > 6);
}
