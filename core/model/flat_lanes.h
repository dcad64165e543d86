/* Flat rules laid out for vector instructions: eight rules side by side. Internal to core/model. */
#ifndef HEDDLE_CORE_MODEL_FLAT_LANES_H
#define HEDDLE_CORE_MODEL_FLAT_LANES_H

#include "core/model/internal.h"

#include <stdalign.h>

#define HDI_LANES 8u

/* Eight one-word rules in step order; lane i is enabled when (s & mask[i]) == value[i], and (s & some[i]) != 0 unless
 * bit i of `free` is set. Then s = (s, bits moved[i] shifted down by down[i]) & keep[i] | set[i]. The location of the
 * rule's instance is part of mask and value. A lane without a rule has mask 0 and value 1: it is never enabled. */
typedef struct hdi_flat_block {
  alignas(64) uint64_t mask[HDI_LANES];
  uint64_t value[HDI_LANES], keep[HDI_LANES], set[HDI_LANES];
  uint64_t some[HDI_LANES], moved[HDI_LANES], down[HDI_LANES];
  uint32_t instance[HDI_LANES];
  uint8_t free;
  bool odd; /* some lane has `some` or `moved` */
} hdi_flat_block;

typedef struct hdi_flat_blocks {
  hdi_flat_block *data; /* owned, aligned */
  uint32_t count;
} hdi_flat_blocks;

/* The same for states of several words: eight rules whose tests are rows of eight masked compares, one for each word
 * that some of the eight looks at. What a rule writes is in the model. */
typedef struct hdi_wide_row {
  alignas(64) uint64_t mask[HDI_LANES];
  uint64_t value[HDI_LANES];
  uint32_t word;
} hdi_wide_row;

typedef struct hdi_wide_block {
  uint32_t rows, row_count; /* first row */
  uint32_t rule[HDI_LANES]; /* of model->flat.wide */
  uint32_t instance[HDI_LANES];
  uint8_t used; /* lanes that have a rule */
  uint8_t more; /* lanes whose rule has tests besides those in the rows */
} hdi_wide_block;

typedef struct hdi_wide_blocks {
  hdi_wide_block *data; /* owned */
  hdi_wide_row *rows;   /* owned, aligned */
  uint32_t count;
} hdi_wide_blocks;

/* Writes the successors of states[0 .. count) by all rules of `blocks`, as hd_stepper_bulk_run, until `next` has passed
 * `last`; each state takes up to HDI_LANES places more than it keeps. Returns the states done. */
typedef uint32_t (*hdi_flat_scan)(const hdi_flat_blocks *blocks, const uint64_t *states, uint32_t count, uint64_t *next,
                                  const uint64_t *last, uint32_t *ends);
/* The instance of the first enabled rule; HD_NONE when none is. */
typedef uint32_t (*hdi_flat_first)(const hdi_flat_blocks *blocks, uint64_t state);

/* The same for wide states. */
typedef uint32_t (*hdi_wide_scan)(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *states,
                                  uint32_t count, uint64_t *next, const uint64_t *last, uint32_t *ends);
typedef uint32_t (*hdi_wide_first)(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *state);

struct hdi_flat_lanes {
  hdi_flat_blocks rules[3]; /* by hd_weight_filter; [0] only when no edge has weight 0 */
  hdi_flat_blocks eager;    /* the rules of eager locations, of any weight */
  hdi_flat_scan scan;
  hdi_flat_first first;
  hdi_wide_blocks wide_rules[3], wide_eager; /* instead, when a state has several words */
  hdi_wide_scan wide_scan;
  hdi_wide_first wide_first;
};

/* Makes model->flat.lanes when the model's rules are such that vector instructions pay and the machine has them; leaves
 * it NULL otherwise. Requires a valid model->flat. HD_E_NOMEM. */
hd_status hdi_flat_lanes_make(hd_model *model);
void hdi_flat_lanes_free(struct hdi_flat_lanes *lanes); /* NULL allowed */

#if defined(__x86_64__)
/* flat_avx2.c, flat_avx512.c: to be called only on machines with these instructions. */
uint32_t hdi_flat_scan_avx2(const hdi_flat_blocks *blocks, const uint64_t *states, uint32_t count, uint64_t *next,
                            const uint64_t *last, uint32_t *ends);
uint32_t hdi_flat_first_avx2(const hdi_flat_blocks *blocks, uint64_t word);
uint32_t hdi_flat_scan_avx512(const hdi_flat_blocks *blocks, const uint64_t *states, uint32_t count, uint64_t *next,
                              const uint64_t *last, uint32_t *ends);
uint32_t hdi_flat_first_avx512(const hdi_flat_blocks *blocks, uint64_t word);
uint32_t hdi_wide_scan_avx2(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *states,
                            uint32_t count, uint64_t *next, const uint64_t *last, uint32_t *ends);
uint32_t hdi_wide_first_avx2(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *state);
uint32_t hdi_wide_scan_avx512(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *states,
                              uint32_t count, uint64_t *next, const uint64_t *last, uint32_t *ends);
uint32_t hdi_wide_first_avx512(const hd_model *model, const hdi_wide_blocks *blocks, const uint64_t *state);
#endif

#endif
