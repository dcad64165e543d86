/* core/base/atomic.h without atomics: plain loads, stores and arithmetic, for one thread only. Built with
 * HEDDLE_PLAIN_MEMORY (preset bench-plain) heddle-bench shows what lock-freedom costs a single thread. Nothing else may
 * use such a build. */
#ifndef HEDDLE_BENCH_PLAIN_ATOMIC_H
#define HEDDLE_BENCH_PLAIN_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

/* Volatile like atomics in one respect: each access that the source has is made, and no more. */
typedef volatile uint64_t hd_atomic_u64;
typedef volatile uint32_t hd_atomic_u32;
typedef volatile int64_t hd_atomic_i64;
typedef void *volatile hd_atomic_ptr;

#define hd_load_rlx(p) (*(p))
#define hd_load_acq(p) (*(p))
#define hd_load_seq(p) (*(p))
#define hd_store_rlx(p, v) ((void)(*(p) = (v)))
#define hd_store_rel(p, v) ((void)(*(p) = (v)))
#define hd_store_seq(p, v) ((void)(*(p) = (v)))
/* The value before. */
#define hd_add_rlx(p, v) ((*(p) += (v)) - (v))
#define hd_add_acqrel(p, v) ((*(p) += (v)) - (v))
#define hd_sub_acqrel(p, v) ((*(p) -= (v)) + (v))
#define hdi_cas_plain(p, expected, desired) \
  (*(p) == *(expected) ? (*(p) = (desired), true) : (*(expected) = *(p), false))
#define hd_cas_acqrel(p, expected, desired) hdi_cas_plain(p, expected, desired)
#define hd_cas_rel(p, expected, desired) hdi_cas_plain(p, expected, desired)
#define hd_cas_seq(p, expected, desired) hdi_cas_plain(p, expected, desired)
#define hd_cas_rlx(p, expected, desired) hdi_cas_plain(p, expected, desired)

static inline uint32_t hdi_or_plain_32(hd_atomic_u32 *p, uint32_t v) {
  uint32_t before = *p;
  *p = before | v;
  return before;
}

static inline uint64_t hdi_or_plain_64(hd_atomic_u64 *p, uint64_t v) {
  uint64_t before = *p;
  *p = before | v;
  return before;
}

static inline uint32_t hdi_xchg_plain_32(hd_atomic_u32 *p, uint32_t v) {
  uint32_t before = *p;
  *p = v;
  return before;
}

static inline uint64_t hdi_xchg_plain_64(hd_atomic_u64 *p, uint64_t v) {
  uint64_t before = *p;
  *p = v;
  return before;
}

#define hd_or_rlx(p, v) _Generic((p), hd_atomic_u32 * : hdi_or_plain_32, hd_atomic_u64 * : hdi_or_plain_64)(p, v)
#define hd_xchg_acqrel(p, v) \
  _Generic((p), hd_atomic_u32 * : hdi_xchg_plain_32, hd_atomic_u64 * : hdi_xchg_plain_64)(p, v)

#endif
