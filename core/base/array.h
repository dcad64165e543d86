/* Growable array template. Include after defining
 *
 *   #define HD_ARRAY_NAME hd_edges        the type's and the functions' prefix
 *   #define HD_ARRAY_TYPE struct edge     the element type
 *   #include "core/base/array.h"
 *
 * which defines (static inline, all undefined macros are cleaned up afterwards):
 *   typedef struct { TYPE *data; size_t count, capacity; } NAME;      zero-initialised = empty; owns data
 *   hd_status NAME_push(NAME *, TYPE value)         amortised O(1); HD_E_NOMEM leaves the array unchanged
 *   hd_status NAME_reserve(NAME *, size_t capacity)
 *   TYPE NAME_pop(NAME *)                           requires count > 0
 *   void NAME_clear(NAME *)                         keeps the memory
 *   void NAME_free(NAME *)                          leaves an empty array
 * Elements are plain data: they are moved with realloc. */
#include "core/base/check.h"
#include "core/base/status.h"

#include <stdint.h>
#include <stdlib.h>

#if !defined(HD_ARRAY_NAME) || !defined(HD_ARRAY_TYPE)
#error "define HD_ARRAY_NAME and HD_ARRAY_TYPE before including core/base/array.h"
#endif

#define HDI_ARRAY_CAT2(a, b) a##_##b
#define HDI_ARRAY_CAT(a, b) HDI_ARRAY_CAT2(a, b)
#define HDI_ARRAY_FN(verb) HDI_ARRAY_CAT(HD_ARRAY_NAME, verb)

typedef struct {
  HD_ARRAY_TYPE *data;
  size_t count, capacity;
} HD_ARRAY_NAME;

static inline HD_UNUSED hd_status HDI_ARRAY_FN(reserve)(HD_ARRAY_NAME *array, size_t capacity) {
  if (capacity <= array->capacity) {
    return HD_OK;
  }
  size_t grown = array->capacity < 8 ? 8 : array->capacity + array->capacity / 2;
  if (grown < capacity) {
    grown = capacity;
  }
  if (grown > SIZE_MAX / sizeof(HD_ARRAY_TYPE)) {
    return HD_E_NOMEM;
  }
  HD_ARRAY_TYPE *data = realloc(array->data, grown * sizeof(HD_ARRAY_TYPE));
  if (data == NULL) {
    return HD_E_NOMEM;
  }
  array->data = data;
  array->capacity = grown;
  return HD_OK;
}

static inline HD_UNUSED hd_status HDI_ARRAY_FN(push)(HD_ARRAY_NAME *array, HD_ARRAY_TYPE value) {
  hd_status status = HDI_ARRAY_FN(reserve)(array, array->count + 1);
  if (status == HD_OK) {
    array->data[array->count++] = value;
  }
  return status;
}

static inline HD_UNUSED HD_ARRAY_TYPE HDI_ARRAY_FN(pop)(HD_ARRAY_NAME *array) {
  HD_REQUIRE(array->count > 0);
  return array->data[--array->count];
}

static inline HD_UNUSED void HDI_ARRAY_FN(clear)(HD_ARRAY_NAME *array) {
  array->count = 0;
}

static inline HD_UNUSED void HDI_ARRAY_FN(free)(HD_ARRAY_NAME *array) {
  free(array->data);
  array->data = NULL;
  array->count = array->capacity = 0;
}

#undef HDI_ARRAY_FN
#undef HDI_ARRAY_CAT
#undef HDI_ARRAY_CAT2
#undef HD_ARRAY_NAME
#undef HD_ARRAY_TYPE
