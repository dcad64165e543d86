/* The word set with AVX-512: a line of eight slots is one register. See word_vector.h. */
#include "core/base/compiler.h"
#include "hashing/word_set.h"

#include <immintrin.h>

typedef __m512i line_copy;

static inline line_copy read_line(const hd_atomic_u64 *line) {
  return _mm512_load_si512((const void *)line);
}

static inline line_copy keep_line(line_copy copy) {
  HD_KEEP_VECTOR(copy);
  return copy;
}

static inline uint32_t line_equals(line_copy copy, uint64_t value) {
  return _mm512_cmpeq_epi64_mask(copy, _mm512_set1_epi64((long long)value));
}

static inline __m512i mix(__m512i word) {
  word = _mm512_xor_si512(word, _mm512_srli_epi64(word, 33));
  word = _mm512_mullo_epi64(word, _mm512_set1_epi64((long long)HDI_WORD_MIX_1));
  word = _mm512_xor_si512(word, _mm512_srli_epi64(word, 33));
  word = _mm512_mullo_epi64(word, _mm512_set1_epi64((long long)HDI_WORD_MIX_2));
  return _mm512_xor_si512(word, _mm512_srli_epi64(word, 33));
}

static inline void mix_many(const uint64_t *states, size_t count, uint64_t *keys) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    _mm512_storeu_si512(keys + i, mix(_mm512_loadu_si512(states + i)));
  }
  if (i < count) {
    __mmask8 rest = (__mmask8)((1u << (count - i)) - 1);
    _mm512_mask_storeu_epi64(keys + i, rest, mix(_mm512_maskz_loadu_epi64(rest, states + i)));
  }
}

#include "hashing/word_vector.h"

size_t hdi_word_set_insert_avx512(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                  uint32_t *places, uint8_t *answers) {
  return insert_all(set, worker, states, count, places, answers);
}
