/* Making the vector form of a model's flat rules, and deciding whether it pays.
 *
 *     groups by (instance, location)  --in step order, location test added-->  one row of rules, eight to a block
 *
 * Stepping by groups looks up each instance's location and tests only that location's rules, about GROUP_COST
 * instructions per instance and RULE_COST per rule. Stepping by rows tests all rules of the model, eight at a time,
 * without a branch. So rows win unless processes have many locations. The estimate below decides, from the model alone,
 * as if all locations were equally frequent; since one location may hold most rules and be seen once, no more than
 * BLOCKS_MAX blocks are ever made, which bounds the loss. A row keeps step order, because rules are entered by
 * instance, then location, and in one state only one location of an instance has enabled rules.
 *
 * Read-only after hd_builder_finish. Cost: memory of 64 bytes per rule. */
#include "core/model/flat_lanes.h"

#include "core/base/compiler.h"
#include "core/base/machine.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP_COST = 14, RULE_COST = 11, AVX2_BLOCK_COST = 28, AVX512_BLOCK_COST = 10, BLOCKS_MAX = 64 };

static hdi_flat_block *empty_blocks(uint32_t count) {
  hdi_flat_block *blocks = aligned_alloc(alignof(hdi_flat_block), (count == 0 ? 1 : count) * sizeof *blocks);
  for (uint32_t b = 0; blocks != NULL && b < count; b++) {
    memset(&blocks[b], 0, sizeof blocks[b]);
    for (uint32_t i = 0; i < HDI_LANES; i++) {
      blocks[b].value[i] = 1;
      blocks[b].keep[i] = UINT64_MAX;
      blocks[b].instance[i] = HD_NONE;
    }
    blocks[b].free = UINT8_MAX;
  }
  return blocks;
}

static void set_lane(hdi_flat_blocks *blocks, uint32_t number, const hdi_flat_word *rule, uint32_t instance,
                     const hdi_test *at) {
  hdi_flat_block *block = &blocks->data[number / HDI_LANES];
  uint32_t i = number % HDI_LANES;
  bool never = ((rule->value ^ at->value) & rule->mask & at->mask) != 0; /* the rule tests for another location */
  block->mask[i] = never ? 0 : rule->mask | at->mask;
  block->value[i] = never ? 1 : rule->value | at->value;
  block->keep[i] = ~rule->clear;
  block->set[i] = rule->set;
  block->some[i] = rule->some;
  block->moved[i] = rule->moved;
  block->down[i] = rule->down;
  block->instance[i] = instance;
  if (rule->some != 0) {
    block->free = (uint8_t)(block->free & ~(1u << i));
  }
  block->odd |= rule->some != 0 || rule->moved != 0;
}

/* Where rules are entered: the blocks of one word or of several. */
typedef struct lane_sink {
  hdi_flat_blocks *narrow;
  hdi_wide_blocks *wide;
} lane_sink;

static void set_wide_lane(const hd_model *model, hdi_wide_blocks *blocks, uint32_t number, uint32_t rule_number,
                          uint32_t instance, const hdi_test *at);

static void enter_rule(const hd_model *model, const lane_sink *sink, uint32_t number, uint32_t rule, uint32_t instance,
                       const hdi_test *at) {
  if (sink->narrow != NULL) {
    set_lane(sink->narrow, number, &model->flat.narrow.data[rule], instance, at);
  } else {
    set_wide_lane(model, sink->wide, number, rule, instance, at);
  }
}

/* Counts the rules of a weight filter, or enters them when `sink` is not NULL. */
static uint32_t enter(const hd_model *model, hd_weight_filter weights, bool eager_only, const lane_sink *sink) {
  const hdi_flat *flat = &model->flat;
  uint32_t number = 0;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    const hdi_instance *instance = &model->instances.data[i];
    const hdi_field *field = &model->fields.data[instance->loc_field];
    for (uint64_t v = 0; v <= field->top; v++) {
      const hdi_flat_group *group = &flat->groups[weights].data[instance->groups + v];
      if (eager_only && !group->eager) {
        continue;
      }
      hdi_test at = {.mask = field->mask << field->shift, .value = v << field->shift, .word = field->word};
      for (uint32_t r = group->begin; r < group->end; r++, number++) {
        if (sink != NULL) {
          enter_rule(model, sink, number, r, i, &at);
        }
      }
    }
  }
  return number;
}

static hd_status make_blocks(const hd_model *model, hd_weight_filter weights, bool eager_only,
                             hdi_flat_blocks *blocks) {
  uint32_t rules = enter(model, weights, eager_only, NULL);
  blocks->count = (rules + HDI_LANES - 1) / HDI_LANES;
  blocks->data = empty_blocks(blocks->count);
  if (blocks->data == NULL) {
    return HD_E_NOMEM;
  }
  (void)enter(model, weights, eager_only, &(lane_sink){.narrow = blocks});
  return HD_OK;
}

/* ---- states of several words ---- */

/* The row of `block`, the last one being made, for `word`. */
static hdi_wide_row *row_for(hdi_wide_blocks *blocks, hdi_wide_block *block, uint32_t word) {
  for (uint32_t i = 0; i < block->row_count; i++) {
    if (blocks->rows[block->rows + i].word == word) {
      return &blocks->rows[block->rows + i];
    }
  }
  hdi_wide_row *row = &blocks->rows[block->rows + block->row_count++];
  memset(row, 0, sizeof *row);
  row->word = word;
  return row;
}

/* Adds a masked compare to a lane; false when it contradicts one that the lane has. */
static bool add_test(hdi_wide_blocks *blocks, hdi_wide_block *block, uint32_t lane, const hdi_test *test) {
  if (test->mask == 0) {
    return true;
  }
  hdi_wide_row *row = row_for(blocks, block, test->word);
  bool agrees = ((row->value[lane] ^ test->value) & row->mask[lane] & test->mask) == 0;
  row->mask[lane] |= test->mask;
  row->value[lane] |= test->value;
  return agrees;
}

static void set_wide_lane(const hd_model *model, hdi_wide_blocks *blocks, uint32_t number, uint32_t rule_number,
                          uint32_t instance, const hdi_test *at) {
  hdi_wide_block *block = &blocks->data[number / HDI_LANES];
  uint32_t lane = number % HDI_LANES;
  if (lane == 0) {
    const hdi_wide_block *before = number == 0 ? NULL : block - 1;
    *block = (hdi_wide_block){.rows = before == NULL ? 0 : before->rows + before->row_count};
  }
  const hdi_rule *rule = &model->flat.wide.data[rule_number];
  hdi_test own = {.mask = rule->mask, .value = rule->value, .word = rule->word};
  bool possible = add_test(blocks, block, lane, at) && add_test(blocks, block, lane, &own);
  for (uint32_t i = 0; i < rule->equal_count && possible; i++) {
    possible = add_test(blocks, block, lane, &model->tests.data[rule->tests + i]);
  }
  block->rule[lane] = rule_number;
  block->instance[lane] = instance;
  if (possible) {
    block->used = (uint8_t)(block->used | 1u << lane);
    block->more = (uint8_t)(block->more | (rule->nonzero_count > 0 ? 1u << lane : 0u));
  }
}

static hd_status make_wide_blocks(const hd_model *model, hd_weight_filter weights, bool eager_only,
                                  hdi_wide_blocks *blocks) {
  uint32_t rules = enter(model, weights, eager_only, NULL);
  blocks->count = (rules + HDI_LANES - 1) / HDI_LANES;
  /* Eight rules look at no more words than they have tests, nor than there are. */
  size_t rows_max = (size_t)blocks->count * model->words;
  blocks->data = malloc((blocks->count == 0 ? 1 : blocks->count) * sizeof *blocks->data);
  blocks->rows = aligned_alloc(alignof(hdi_wide_row), (rows_max == 0 ? 1 : rows_max) * sizeof *blocks->rows);
  if (blocks->data == NULL || blocks->rows == NULL) {
    return HD_E_NOMEM;
  }
  (void)enter(model, weights, eager_only, &(lane_sink){.wide = blocks});
  return HD_OK;
}

/* Instructions per state when stepping by groups, all locations of a process being equally frequent. */
static uint64_t cost_of_groups(const hd_model *model) {
  uint64_t cost = 0;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    const hdi_instance *instance = &model->instances.data[i];
    uint64_t locs = model->fields.data[instance->loc_field].top + 1, rules = 0;
    for (uint64_t v = 0; v < locs; v++) {
      const hdi_flat_group *group = &model->flat.groups[HD_WEIGHT_ANY].data[instance->groups + v];
      rules += group->end - group->begin;
    }
    cost += GROUP_COST + RULE_COST * rules / locs;
  }
  return cost;
}

static hd_status fill(const hd_model *model, struct hdi_flat_lanes *lanes) {
  hd_status status = HD_OK;
  bool wide = model->words > 1;
  for (int w = HD_WEIGHT_ANY; w <= (model->has_zero_weights ? HD_WEIGHT_ONE : HD_WEIGHT_ANY) && status == HD_OK; w++) {
    status = wide ? make_wide_blocks(model, (hd_weight_filter)w, false, &lanes->wide_rules[w])
                  : make_blocks(model, (hd_weight_filter)w, false, &lanes->rules[w]);
  }
  if (status == HD_OK && model->has_eager) {
    status = wide ? make_wide_blocks(model, HD_WEIGHT_ANY, true, &lanes->wide_eager)
                  : make_blocks(model, HD_WEIGHT_ANY, true, &lanes->eager);
  }
  return status;
}

/* Chooses the instructions; false when vectors do not pay. */
static bool choose(const hd_model *model, struct hdi_flat_lanes *lanes) {
#if defined(__x86_64__)
  uint64_t blocks = ((uint64_t)enter(model, HD_WEIGHT_ANY, false, NULL) + HDI_LANES - 1) / HDI_LANES;
  uint64_t limit = blocks <= BLOCKS_MAX ? cost_of_groups(model) : 0;
  switch (hd_machine_simd()) {
    case HD_SIMD_AVX512:
      lanes->scan = hdi_flat_scan_avx512;
      lanes->first = hdi_flat_first_avx512;
      lanes->wide_scan = hdi_wide_scan_avx512;
      lanes->wide_first = hdi_wide_first_avx512;
      return blocks * AVX512_BLOCK_COST <= limit;
    case HD_SIMD_AVX2:
      lanes->scan = hdi_flat_scan_avx2;
      lanes->first = hdi_flat_first_avx2;
      lanes->wide_scan = hdi_wide_scan_avx2;
      lanes->wide_first = hdi_wide_first_avx2;
      return blocks * AVX2_BLOCK_COST <= limit;
    case HD_SIMD_NONE:
    case HD_SIMD_COUNT:
      break;
  }
#else
  (void)model;
  (void)lanes;
#endif
  return false;
}

static void clear(struct hdi_flat_lanes *lanes) {
  for (int w = HD_WEIGHT_ANY; w <= HD_WEIGHT_ONE; w++) {
    free(lanes->rules[w].data);
    free(lanes->wide_rules[w].data);
    free(lanes->wide_rules[w].rows);
  }
  free(lanes->eager.data);
  free(lanes->wide_eager.data);
  free(lanes->wide_eager.rows);
}

hd_status hdi_flat_lanes_make(hd_model *model) {
  HD_ASSERT(model->flat.valid);
  struct hdi_flat_lanes lanes = {0};
  if (!choose(model, &lanes)) {
    return HD_OK;
  }
  hd_status status = fill(model, &lanes);
  struct hdi_flat_lanes *kept = status == HD_OK ? malloc(sizeof *kept) : NULL;
  if (kept == NULL) {
    clear(&lanes);
    return HD_E_NOMEM;
  }
  *kept = lanes;
  model->flat.lanes = kept;
  return HD_OK;
}

void hdi_flat_lanes_free(struct hdi_flat_lanes *lanes) {
  if (lanes != NULL) {
    clear(lanes);
    free(lanes);
  }
}
