/* Atomics whose names carry the memory order. All shared memory goes through here; tests/interleave replaces this
 * header by a scheduler shim (-DHD_ATOMIC_SHIM). No standalone fences. A compare-and-swap fails with acquire order
 * whenever the value it then returns is used.
 *
 * Each use has a comment block `HD-SYNC Sn: order; pairs with Sm. Publishes: ... Why not weaker: ... Why not stronger:
 * ...`; scripts/check verifies that the pairs exist. */
#ifndef HEDDLE_CORE_BASE_ATOMIC_H
#define HEDDLE_CORE_BASE_ATOMIC_H

#ifdef HD_ATOMIC_SHIM
#include HD_ATOMIC_SHIM
#else

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic(uint64_t) hd_atomic_u64;
typedef _Atomic(uint32_t) hd_atomic_u32;
typedef _Atomic(int64_t) hd_atomic_i64;
typedef _Atomic(void *) hd_atomic_ptr;

#define hd_load_rlx(p) atomic_load_explicit(p, memory_order_relaxed)
#define hd_load_acq(p) atomic_load_explicit(p, memory_order_acquire)
#define hd_load_seq(p) atomic_load_explicit(p, memory_order_seq_cst)
#define hd_store_rlx(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#define hd_store_rel(p, v) atomic_store_explicit(p, v, memory_order_release)
#define hd_store_seq(p, v) atomic_store_explicit(p, v, memory_order_seq_cst)
#define hd_add_rlx(p, v) atomic_fetch_add_explicit(p, v, memory_order_relaxed)
#define hd_add_acqrel(p, v) atomic_fetch_add_explicit(p, v, memory_order_acq_rel)
#define hd_sub_acqrel(p, v) atomic_fetch_sub_explicit(p, v, memory_order_acq_rel)
#define hd_or_rlx(p, v) atomic_fetch_or_explicit(p, v, memory_order_relaxed)
#define hd_or_acqrel(p, v) atomic_fetch_or_explicit(p, v, memory_order_acq_rel)
#define hd_xchg_acqrel(p, v) atomic_exchange_explicit(p, v, memory_order_acq_rel)
/* Strong compare-and-swap; *expected receives the current value on failure. */
#define hd_cas_acqrel(p, expected, desired) \
  atomic_compare_exchange_strong_explicit(p, expected, desired, memory_order_acq_rel, memory_order_acquire)
#define hd_cas_rel(p, expected, desired) \
  atomic_compare_exchange_strong_explicit(p, expected, desired, memory_order_release, memory_order_acquire)
#define hd_cas_seq(p, expected, desired) \
  atomic_compare_exchange_strong_explicit(p, expected, desired, memory_order_seq_cst, memory_order_acquire)
#define hd_cas_rlx(p, expected, desired) \
  atomic_compare_exchange_strong_explicit(p, expected, desired, memory_order_relaxed, memory_order_relaxed)

#endif
#endif
