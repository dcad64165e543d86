/* The word set with AVX2: a line of eight slots is two registers; keys are mixed one by one, since a product of 64-bit
 * lanes would have to be put together from products of 32. See word_vector.h. */
#include "core/base/compiler.h"
#include "hashing/word_set.h"

#include <immintrin.h>

typedef struct line_copy {
  __m256i low, high;
} line_copy;

static inline line_copy read_line(const hd_atomic_u64 *line) {
  const __m256i *halves = (const __m256i *)(const void *)line;
  return (line_copy){_mm256_load_si256(&halves[0]), _mm256_load_si256(&halves[1])};
}

static inline line_copy keep_line(line_copy copy) {
  HD_KEEP_VECTOR(copy.low);
  HD_KEEP_VECTOR(copy.high);
  return copy;
}

static inline uint32_t line_equals(line_copy copy, uint64_t value) {
  __m256i values = _mm256_set1_epi64x((long long)value);
  __m256i low = _mm256_cmpeq_epi64(copy.low, values), high = _mm256_cmpeq_epi64(copy.high, values);
  return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(low)) |
         (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4;
}

static inline void mix_many(const uint64_t *states, size_t count, uint64_t *keys) {
  for (size_t i = 0; i < count; i++) {
    keys[i] = hdi_word_mix(states[i]);
  }
}

#include "hashing/word_vector.h"

size_t hdi_word_set_insert_avx2(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                uint32_t *places, uint8_t *answers) {
  return insert_all(set, worker, states, count, places, answers);
}
