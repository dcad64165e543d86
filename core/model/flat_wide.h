/* Stepping wide states by rows of rules, for inclusion by the files that know vector instructions: they say how eight
 * rules are tested,
 *
 *   static inline uint32_t test_row(const hdi_wide_row *row, uint64_t word);      bits of the lanes that pass
 *
 * before they include this. Few rules are enabled in a state, and those are applied one by one. Internal to
 * core/model. */
#include "core/model/flat_lanes.h"
#include "core/model/stepper.h"

#include <string.h>

/* Bits of the enabled lanes. */
static inline uint32_t wide_enabled(const hd_model *model, const hdi_wide_blocks *blocks, const hdi_wide_block *block,
                                    const uint64_t *state) {
  uint32_t lanes = block->used;
  const hdi_wide_row *row = blocks->rows + block->rows;
  for (uint32_t i = 0; i < block->row_count && lanes != 0; i++, row++) {
    lanes &= test_row(row, state[row->word]);
  }
  for (uint32_t left = lanes & block->more; left != 0; left &= left - 1) {
    uint32_t lane = (uint32_t)HD_COUNT_TRAILING_ZEROS_64(left);
    if (!hdi_rule_tests(model, &model->flat.wide.data[block->rule[lane]], state)) {
      lanes &= ~(1u << lane);
    }
  }
  return lanes;
}

static inline uint32_t wide_scan(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *states,
                                 uint32_t count, uint64_t *next, const uint64_t *last, uint32_t *ends) {
  uint32_t words = model->words;
  uint64_t *out = next;
  uint32_t i = 0, successors = 0;
  for (; i < count && out <= last; i++, states += words) {
    for (uint32_t b = 0; b < blocks->count; b++) {
      const hdi_wide_block *block = &blocks->data[b];
      for (uint32_t lanes = wide_enabled(model, blocks, block, states); lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)HD_COUNT_TRAILING_ZEROS_64(lanes);
        for (uint32_t w = 0; w < words; w++) {
          out[w] = states[w];
        }
        hdi_rule_write(model, &model->flat.wide.data[block->rule[lane]], out);
        out += words;
        successors++;
      }
    }
    ends[i] = successors;
  }
  return i;
}

static inline uint32_t wide_first(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *state) {
  for (uint32_t b = 0; b < blocks->count; b++) {
    uint32_t lanes = wide_enabled(model, blocks, &blocks->data[b], state);
    if (lanes != 0) {
      return blocks->data[b].instance[HD_COUNT_TRAILING_ZEROS_64(lanes)];
    }
  }
  return HD_NONE;
}
