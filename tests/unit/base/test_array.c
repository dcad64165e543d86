/* The array template. */
#include "tests/support/expect_failed_check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdint.h>

typedef struct pair {
  uint32_t a;
  char b;
} pair;

#define HD_ARRAY_NAME pair_array
#define HD_ARRAY_TYPE pair
#include "core/base/array.h"

/* A second instance in the same file: the template cleans up its macros. */
#define HD_ARRAY_NAME text_array
#define HD_ARRAY_TYPE const char *
#include "core/base/array.h"

#if defined(HD_ARRAY_NAME) || defined(HD_ARRAY_TYPE) || defined(HDI_ARRAY_FN)
#error "the template left macros behind"
#endif

Test(array, keeps_what_is_pushed_in_order) {
  pair_array array = {0};
  for (uint32_t i = 0; i < 10000; i++) {
    cr_assert(pair_array_push(&array, (pair){i, (char)(i % 100)}) == HD_OK);
    cr_assert(array.count == i + 1 && array.count <= array.capacity);
  }
  for (uint32_t i = 0; i < 10000; i++) {
    cr_assert(array.data[i].a == i && array.data[i].b == (char)(i % 100));
  }
  for (uint32_t i = 10000; i-- > 0;) {
    cr_assert(pair_array_pop(&array).a == i);
  }
  cr_assert(array.count == 0);
  pair_array_free(&array);
  cr_assert(array.data == NULL && array.capacity == 0);
}

Test(array, grows_by_factors) {
  pair_array array = {0};
  size_t moves = 0, capacity = 0;
  for (uint32_t i = 0; i < 100000; i++) {
    cr_assert(pair_array_push(&array, (pair){i, 0}) == HD_OK);
    moves += array.capacity != capacity;
    capacity = array.capacity;
  }
  cr_assert(moves < 40, "%zu reallocations", moves);
  pair_array_free(&array);
}

Test(array, clear_keeps_the_memory_and_reserve_makes_room) {
  pair_array array = {0};
  cr_assert(pair_array_reserve(&array, 1000) == HD_OK);
  pair *data = array.data;
  cr_assert(array.capacity >= 1000 && array.count == 0);
  for (uint32_t i = 0; i < 1000; i++) {
    cr_assert(pair_array_push(&array, (pair){i, 0}) == HD_OK);
  }
  cr_assert(array.data == data, "reserved room needs no move");
  cr_assert(pair_array_reserve(&array, 10) == HD_OK && array.capacity >= 1000);
  pair_array_clear(&array);
  cr_assert(array.count == 0 && array.data == data && array.capacity >= 1000);
  pair_array_free(&array);
}

Test(array, impossible_sizes_are_refused) {
  pair_array array = {0};
  cr_assert(pair_array_push(&array, (pair){7, 0}) == HD_OK);
  cr_assert(pair_array_reserve(&array, SIZE_MAX) == HD_E_NOMEM);
  cr_assert(pair_array_reserve(&array, SIZE_MAX / sizeof(pair) + 1) == HD_E_NOMEM);
  cr_assert(array.count == 1 && array.data[0].a == 7);
  pair_array_free(&array);
}

Test(array, popping_nothing_is_a_broken_contract) {
  pair_array array = {0};
  EXPECT_FAILED_CHECK(pair_array_pop(&array));
}

static bool use_array(void *payload, bool *succeeded) {
  (void)payload;
  text_array array = {0};
  size_t kept = 0;
  for (size_t i = 0; i < 100; i++) {
    size_t count = array.count;
    hd_status status = text_array_push(&array, "x");
    kept += status == HD_OK;
    if (array.count != kept || (status != HD_OK && (status != HD_E_NOMEM || array.count != count))) {
      text_array_free(&array);
      return false;
    }
  }
  text_array_free(&array);
  *succeeded = kept == 100;
  return true;
}

Test(array, no_memory_leaves_it_unchanged) {
  cr_assert(hd_fail_alloc_sweep(use_array, NULL) > 10);
}
