/* Plans: for every instance, every location and every hd_weight_filter the steps that could be made there, with their
 * masked tests merged and their partners found. What the fast paths of models with code (coded.c) and the printed C
 * (native_text.c) are made from. Internal to core/model. */
#ifndef HEDDLE_CORE_MODEL_PLAN_H
#define HEDDLE_CORE_MODEL_PLAN_H

#include "core/model/internal.h"

typedef enum hdi_plan_kind {
  HDI_PLAN_ALONE,   /* a step of one edge */
  HDI_PLAN_MEETING, /* `own` sends, `partner` receives; their channels are fixed and equal, or computed */
  HDI_PLAN_PROBE    /* no step: a synchronising edge whose guard or channel may fault by itself */
} hdi_plan_kind;

/* One possible step. Enabled when all its tests hold, then its code (of `own` and `partner`) decides. The tests of both
 * sides and the partner's location are merged, at most one equality test per word; the first one is inline. */
typedef struct hdi_plan_rule {
  uint64_t mask, value;
  uint32_t word;
  uint32_t tests; /* of the plan: `equal_count` equality tests, then `nonzero_count` nonzero tests */
  uint32_t equal_count, nonzero_count;
  uint32_t own, partner; /* rules of the model; HD_NONE: no partner */
  uint32_t own_instance, partner_instance;
  hdi_plan_kind kind;
} hdi_plan_rule;

/* The steps of one instance at one location, in step order. */
typedef struct hdi_plan_group {
  uint32_t begin, end;
  bool exclusive, eager; /* what the location is */
} hdi_plan_group;

#define HD_ARRAY_NAME hdi_plan_rules
#define HD_ARRAY_TYPE hdi_plan_rule
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_plan_groups
#define HD_ARRAY_TYPE hdi_plan_group
#include "core/base/array.h"

typedef struct hdi_plan {
  hdi_plan_groups groups[3]; /* by hd_weight_filter, numbered as model->groups; [0] only when no edge has weight 0 */
  hdi_plan_rules rules;
  hdi_tests tests;
  uint32_t successors_max; /* of any state */
} hdi_plan;

/* Makes the plan of a model without protected locations. HD_E_LIMIT: it would have too many rules; HD_E_NOMEM. The plan
 * is the caller's; on error it is empty. */
hd_status hdi_plan_make(const hd_model *model, hdi_plan *plan);
void hdi_plan_free(hdi_plan *plan);

#endif
