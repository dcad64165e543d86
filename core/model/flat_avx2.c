/* Four flat rules at once with AVX2; the picture is that of flat_avx512.c.
 *
 * There is no compression of 64-bit lanes in AVX2: a table gives, for each set of enabled lanes, the permutation of
 * 32-bit halves that brings them to the front in order. Threads: none of this is shared; the table is constant. Cost:
 * about fourteen instructions for four rules. */
#include "core/model/flat_lanes.h"

#include <immintrin.h>

enum { HALF = HDI_LANES / 2 };

/* For each set of lanes: where the halves of the kept words come from. */
#define LANE(i) 2 * (i), 2 * (i) + 1
static const alignas(32) uint32_t front[16][8] = {
    {LANE(0), LANE(0), LANE(0), LANE(0)}, {LANE(0), LANE(0), LANE(0), LANE(0)}, {LANE(1), LANE(0), LANE(0), LANE(0)},
    {LANE(0), LANE(1), LANE(0), LANE(0)}, {LANE(2), LANE(0), LANE(0), LANE(0)}, {LANE(0), LANE(2), LANE(0), LANE(0)},
    {LANE(1), LANE(2), LANE(0), LANE(0)}, {LANE(0), LANE(1), LANE(2), LANE(0)}, {LANE(3), LANE(0), LANE(0), LANE(0)},
    {LANE(0), LANE(3), LANE(0), LANE(0)}, {LANE(1), LANE(3), LANE(0), LANE(0)}, {LANE(0), LANE(1), LANE(3), LANE(0)},
    {LANE(2), LANE(3), LANE(0), LANE(0)}, {LANE(0), LANE(2), LANE(3), LANE(0)}, {LANE(1), LANE(2), LANE(3), LANE(0)},
    {LANE(0), LANE(1), LANE(2), LANE(3)},
};
#undef LANE

static inline __m256i load(const uint64_t *words) {
  return _mm256_load_si256((const __m256i *)(const void *)words);
}

/* Bits of the enabled lanes among the four from `at` on. */
static inline uint32_t enabled(const hdi_flat_block *block, uint32_t at, __m256i state) {
  __m256i equal = _mm256_cmpeq_epi64(_mm256_and_si256(state, load(block->mask + at)), load(block->value + at));
  uint32_t lanes = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(equal));
  if (block->odd) {
    __m256i none = _mm256_cmpeq_epi64(_mm256_and_si256(state, load(block->some + at)), _mm256_setzero_si256());
    lanes &= ~(uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(none)) | ((uint32_t)block->free >> at);
  }
  return lanes;
}

static inline __m256i written(const hdi_flat_block *block, uint32_t at, __m256i state) {
  if (block->odd) {
    __m256i moved = load(block->moved + at);
    __m256i down = _mm256_srlv_epi64(_mm256_and_si256(state, moved), load(block->down + at));
    state = _mm256_or_si256(_mm256_andnot_si256(moved, state), _mm256_and_si256(down, moved));
  }
  return _mm256_or_si256(_mm256_and_si256(state, load(block->keep + at)), load(block->set + at));
}

uint32_t hdi_flat_scan_avx2(const hdi_flat_blocks *blocks, const uint64_t *states, uint32_t count, uint64_t *next,
                            const uint64_t *last, uint32_t *ends) {
  const hdi_flat_block *end = blocks->data + blocks->count;
  uint64_t *out = next;
  uint32_t i = 0;
  for (; i < count && out <= last; i++) {
    __m256i state = _mm256_set1_epi64x((long long)states[i]);
    for (const hdi_flat_block *block = blocks->data; block < end; block++) {
      for (uint32_t at = 0; at < HDI_LANES; at += HALF) {
        uint32_t lanes = enabled(block, at, state);
        __m256i order = _mm256_load_si256((const __m256i *)(const void *)front[lanes]);
        __m256i kept = _mm256_permutevar8x32_epi32(written(block, at, state), order);
        _mm256_storeu_si256((__m256i *)(void *)out, kept);
        out += _mm_popcnt_u32(lanes);
      }
    }
    ends[i] = (uint32_t)(out - next);
  }
  return i;
}

uint32_t hdi_flat_first_avx2(const hdi_flat_blocks *blocks, uint64_t word) {
  __m256i state = _mm256_set1_epi64x((long long)word);
  for (uint32_t b = 0; b < blocks->count; b++) {
    const hdi_flat_block *block = &blocks->data[b];
    uint32_t lanes = enabled(block, 0, state) | enabled(block, HALF, state) << HALF;
    if (lanes != 0) {
      return block->instance[HD_COUNT_TRAILING_ZEROS_64(lanes)];
    }
  }
  return HD_NONE;
}

/* ---- wide states ---- */

static inline uint32_t test_half(const hdi_wide_row *row, uint32_t at, __m256i word) {
  __m256i equal = _mm256_cmpeq_epi64(_mm256_and_si256(word, load(row->mask + at)), load(row->value + at));
  return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(equal));
}

static inline uint32_t test_row(const hdi_wide_row *row, uint64_t word) {
  __m256i words = _mm256_set1_epi64x((long long)word);
  return test_half(row, 0, words) | test_half(row, HALF, words) << HALF;
}

#include "core/model/flat_wide.h"

uint32_t hdi_wide_scan_avx2(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *states,
                            uint32_t count, uint64_t *next, const uint64_t *last, uint32_t *ends) {
  return wide_scan(model, blocks, states, count, next, last, ends);
}

uint32_t hdi_wide_first_avx2(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *state) {
  return wide_first(model, blocks, state);
}
