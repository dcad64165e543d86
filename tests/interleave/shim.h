/* What core/base/atomic.h is when tests/interleave builds the kernels: the same names, each of them a point at which
 * the scheduler may let another thread go on (explore.c) and at which a load may return one of several values
 * (memory.c). Every translation unit also gets its allocations, copies and comparisons of memory from here, and is
 * compiled with the compiler's own instrumentation of plain accesses (plain.c), so that what is not atomic is watched
 * for races. */
#ifndef HEDDLE_TESTS_INTERLEAVE_SHIM_H
#define HEDDLE_TESTS_INTERLEAVE_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t hd_atomic_u64;
typedef uint32_t hd_atomic_u32;
typedef int64_t hd_atomic_i64;
typedef void *hd_atomic_ptr;

typedef enum il_order { IL_RELAXED, IL_ACQUIRE, IL_RELEASE, IL_ACQ_REL, IL_SEQ_CST } il_order;
typedef enum il_change { IL_ADD, IL_OR, IL_EXCHANGE } il_change;

uint64_t il_load(const void *address, size_t size, il_order order);
void il_store(void *address, size_t size, uint64_t value, il_order order);
/* Returns the value before. */
uint64_t il_modify(void *address, size_t size, il_change change, uint64_t operand, il_order order);
/* *expected receives the present value on failure. */
bool il_swap(void *address, size_t size, uint64_t *expected, uint64_t desired, il_order order, il_order failure);

#define IL_OPERATIONS(name, type, to_word, from_word)                                                          \
  static inline type il_load_##name(type const *p, il_order order) {                                           \
    return from_word il_load(p, sizeof *p, order);                                                             \
  }                                                                                                            \
  static inline void il_store_##name(type *p, type v, il_order order) {                                        \
    il_store(p, sizeof *p, to_word v, order);                                                                  \
  }                                                                                                            \
  static inline type il_modify_##name(type *p, il_change change, type v, il_order order) {                     \
    return from_word il_modify(p, sizeof *p, change, to_word v, order);                                        \
  }                                                                                                            \
  static inline bool il_swap_##name(type *p, type *expected, type desired, il_order order, il_order failure) { \
    uint64_t word = to_word * expected;                                                                        \
    bool swapped = il_swap(p, sizeof *p, &word, to_word desired, order, failure);                              \
    if (!swapped) {                                                                                            \
      *expected = from_word word;                                                                              \
    }                                                                                                          \
    return swapped;                                                                                            \
  }
IL_OPERATIONS(u64, uint64_t, (uint64_t), (uint64_t))
IL_OPERATIONS(u32, uint32_t, (uint64_t), (uint32_t))
IL_OPERATIONS(i64, int64_t, (uint64_t), (int64_t))
IL_OPERATIONS(ptr, void *, (uint64_t)(uintptr_t), (void *)(uintptr_t))
#undef IL_OPERATIONS

#define IL_FOR_TYPE(verb, p) \
  _Generic(*(p), uint64_t : il_##verb##_u64, uint32_t : il_##verb##_u32, int64_t : il_##verb##_i64, void * : il_##verb##_ptr)

#define hd_load_rlx(p) IL_FOR_TYPE(load, p)(p, IL_RELAXED)
#define hd_load_acq(p) IL_FOR_TYPE(load, p)(p, IL_ACQUIRE)
#define hd_load_seq(p) IL_FOR_TYPE(load, p)(p, IL_SEQ_CST)
#define hd_store_rlx(p, v) IL_FOR_TYPE(store, p)(p, v, IL_RELAXED)
#define hd_store_rel(p, v) IL_FOR_TYPE(store, p)(p, v, IL_RELEASE)
#define hd_store_seq(p, v) IL_FOR_TYPE(store, p)(p, v, IL_SEQ_CST)
#define hd_add_rlx(p, v) IL_FOR_TYPE(modify, p)(p, IL_ADD, v, IL_RELAXED)
#define hd_add_acqrel(p, v) IL_FOR_TYPE(modify, p)(p, IL_ADD, v, IL_ACQ_REL)
#define hd_sub_acqrel(p, v) IL_FOR_TYPE(modify, p)(p, IL_ADD, 0 - (v), IL_ACQ_REL)
#define hd_or_rlx(p, v) IL_FOR_TYPE(modify, p)(p, IL_OR, v, IL_RELAXED)
#define hd_or_acqrel(p, v) IL_FOR_TYPE(modify, p)(p, IL_OR, v, IL_ACQ_REL)
#define hd_xchg_acqrel(p, v) IL_FOR_TYPE(modify, p)(p, IL_EXCHANGE, v, IL_ACQ_REL)
#define hd_cas_acqrel(p, expected, desired) IL_FOR_TYPE(swap, p)(p, expected, desired, IL_ACQ_REL, IL_ACQUIRE)
#define hd_cas_rel(p, expected, desired) IL_FOR_TYPE(swap, p)(p, expected, desired, IL_RELEASE, IL_ACQUIRE)
#define hd_cas_seq(p, expected, desired) IL_FOR_TYPE(swap, p)(p, expected, desired, IL_SEQ_CST, IL_ACQUIRE)
#define hd_cas_rlx(p, expected, desired) IL_FOR_TYPE(swap, p)(p, expected, desired, IL_RELAXED, IL_RELAXED)

/* ---- memory that the run owns ---- */

void *il_malloc(size_t size_bytes);
void *il_calloc(size_t count, size_t size_bytes);
void *il_aligned_alloc(size_t alignment, size_t size_bytes);
void *il_realloc(void *memory, size_t size_bytes);
void il_free(void *memory);
void *il_memcpy(void *to, const void *from, size_t size_bytes);
void *il_memset(void *to, int byte, size_t size_bytes);
int il_memcmp(const void *a, const void *b, size_t size_bytes);

#define malloc(size_bytes) il_malloc(size_bytes)
#define calloc(count, size_bytes) il_calloc(count, size_bytes)
#define aligned_alloc(alignment, size_bytes) il_aligned_alloc(alignment, size_bytes)
#define realloc(memory, size_bytes) il_realloc(memory, size_bytes)
#define free(memory) il_free(memory)
#undef memcpy
#undef memset
#undef memcmp
#define memcpy(to, from, size_bytes) il_memcpy(to, from, size_bytes)
#define memset(to, byte, size_bytes) il_memset(to, byte, size_bytes)
#define memcmp(a, b, size_bytes) il_memcmp(a, b, size_bytes)

#endif
