/* Eight flat rules at once with AVX-512: test, write, and keep the successors of the enabled ones.
 *
 *     state in all lanes --and mask--cmp value--> bits of enabled lanes --compress--> successors, one after another
 *                        \-and keep--or set-----> successors of all lanes
 *
 * The successors of a block are stored as eight words of which the next block's overwrite the unwanted ones; that is
 * cheaper than a masked store and is what HD_BULK_SLACK is for. Compression keeps lane order, so the step order stands.
 * No branch depends on the state but in models with rules that are odd (see hdi_flat_block). Threads: none of this is
 * shared. Cost: about nine instructions for eight rules. */
#include "core/model/flat_lanes.h"

#include <immintrin.h>

static inline __mmask8 enabled(const hdi_flat_block *block, __m512i state) {
  __m512i seen = _mm512_and_si512(state, _mm512_load_si512(block->mask));
  __mmask8 lanes = _mm512_cmpeq_epi64_mask(seen, _mm512_load_si512(block->value));
  if (block->odd) {
    lanes &= (__mmask8)(_mm512_test_epi64_mask(state, _mm512_load_si512(block->some)) | block->free);
  }
  return lanes;
}

static inline __m512i written(const hdi_flat_block *block, __m512i state) {
  if (block->odd) {
    __m512i moved = _mm512_load_si512(block->moved);
    __m512i down = _mm512_srlv_epi64(_mm512_and_si512(state, moved), _mm512_load_si512(block->down));
    state = _mm512_or_si512(_mm512_andnot_si512(moved, state), _mm512_and_si512(down, moved));
  }
  return _mm512_or_si512(_mm512_and_si512(state, _mm512_load_si512(block->keep)), _mm512_load_si512(block->set));
}

uint32_t hdi_flat_scan_avx512(const hdi_flat_blocks *blocks, const uint64_t *states, uint32_t count, uint64_t *next,
                              const uint64_t *last, uint32_t *ends) {
  const hdi_flat_block *end = blocks->data + blocks->count;
  uint64_t *out = next;
  uint32_t i = 0;
  for (; i < count && out <= last; i++) {
    __m512i state = _mm512_set1_epi64((long long)states[i]);
    for (const hdi_flat_block *block = blocks->data; block < end; block++) {
      __mmask8 lanes = enabled(block, state);
      _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(lanes, written(block, state)));
      out += _mm_popcnt_u32(lanes);
    }
    ends[i] = (uint32_t)(out - next);
  }
  return i;
}

uint32_t hdi_flat_first_avx512(const hdi_flat_blocks *blocks, uint64_t word) {
  __m512i state = _mm512_set1_epi64((long long)word);
  for (uint32_t b = 0; b < blocks->count; b++) {
    uint32_t lanes = enabled(&blocks->data[b], state);
    if (lanes != 0) {
      return blocks->data[b].instance[HD_COUNT_TRAILING_ZEROS_64(lanes)];
    }
  }
  return HD_NONE;
}

/* ---- wide states ---- */

static inline uint32_t test_row(const hdi_wide_row *row, uint64_t word) {
  __m512i seen = _mm512_and_si512(_mm512_set1_epi64((long long)word), _mm512_load_si512(row->mask));
  return _mm512_cmpeq_epi64_mask(seen, _mm512_load_si512(row->value));
}

#include "core/model/flat_wide.h"

uint32_t hdi_wide_scan_avx512(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *states,
                              uint32_t count, uint64_t *next, const uint64_t *last, uint32_t *ends) {
  return wide_scan(model, blocks, states, count, next, last, ends);
}

uint32_t hdi_wide_first_avx512(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *state) {
  return wide_first(model, blocks, state);
}
