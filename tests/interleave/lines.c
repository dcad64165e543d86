/* The word set's insertion by vector instructions (hashing/word_vector.h), with single loads in the place of a vector
 * load. A vector load reads each slot at a moment of its own, in an order that nobody knows; relaxed loads that may
 * return old values show at least as much. */
#include "tests/interleave/lines.h"

typedef struct line_copy {
  uint64_t slots[HDI_BUCKET_SLOTS];
} line_copy;

static inline line_copy read_line(const hd_atomic_u64 *line) {
  line_copy copy;
  for (uint32_t i = 0; i < HDI_BUCKET_SLOTS; i++) {
    copy.slots[i] = hd_load_rlx(&line[i]);
  }
  return copy;
}

static inline line_copy keep_line(line_copy copy) {
  return copy;
}

static inline uint32_t line_equals(line_copy copy, uint64_t value) {
  uint32_t equal = 0;
  for (uint32_t i = 0; i < HDI_BUCKET_SLOTS; i++) {
    equal |= (uint32_t)(copy.slots[i] == value) << i;
  }
  return equal;
}

static inline void mix_many(const uint64_t *states, size_t count, uint64_t *keys) {
  for (size_t i = 0; i < count; i++) {
    keys[i] = hdi_word_mix(states[i]);
  }
}

#include "hashing/word_vector.h"

size_t il_insert_by_lines(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count, uint32_t *places,
                          uint8_t *answers) {
  return insert_all(set, worker, states, count, places, answers);
}
