/* What every step of a model looks at and changes: the static half of partial-order reduction. Internal to core/model;
 * reduction.c makes relations between steps out of it. */
#ifndef HEDDLE_CORE_MODEL_DEPEND_H
#define HEDDLE_CORE_MODEL_DEPEND_H

#include "core/model/internal.h"

/* How a step touches a resource. A resource is a field; all cells of a queue are one, named by the head's field. */
#define HDI_TOUCH_READ 1u
#define HDI_TOUCH_WRITE 2u
#define HDI_TOUCH_PUSH 4u /* appends a letter; enabled only when there is room */
#define HDI_TOUCH_POP 8u  /* removes the head, of which it may have a test; enabled only when there is one */

typedef struct hdi_touch {
  uint64_t value; /* known: what a WRITE stores (as bits), or the letter that a PUSH appends */
  uint32_t resource;
  uint8_t kinds;
  bool known;
} hdi_touch;

/* A condition without which a step cannot happen, not even as a fault, and what can make it true. */
typedef enum hdi_need {
  HDI_NEED_VALUE,  /* of a field: who writes it, and not with a known value that fails the test */
  HDI_NEED_HEAD,   /* a letter at the head of a queue: who pushes that letter (empty), who pops (another letter) */
  HDI_NEED_FILLED, /* a queue that is not empty: who pushes */
  HDI_NEED_ROOM,   /* a queue that is not full: who pops */
  HDI_NEED_QUEUE   /* a length of a queue: who pushes or pops */
} hdi_need;

typedef struct hdi_cond {
  hdi_test test;
  uint64_t letter; /* HEAD */
  uint32_t resource;
  uint8_t need, shift; /* shift: of the field tested */
  bool some;           /* a nonzero test */
} hdi_cond;

/* One edge of one instance: a step, or one side of a rendezvous. */
typedef struct hdi_half {
  uint32_t instance, place; /* place: value of the location field */
  uint32_t edge;
  uint32_t rules, rule_end; /* its variants, in model->rules */
  uint32_t conds, cond_count;
  uint32_t touches, touch_count;
  uint32_t rest, rest_count; /* resources that decide, when all conditions hold, whether it is enabled */
  uint8_t side;
  bool has_rest;
  bool may_fault;     /* being enabled does not mean to have a successor */
  bool channel_fixed; /* side: the channel is `channel` */
  int64_t channel;
} hdi_half;

#define HD_ARRAY_NAME hdi_touches
#define HD_ARRAY_TYPE hdi_touch
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_conds
#define HD_ARRAY_TYPE hdi_cond
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_halves
#define HD_ARRAY_TYPE hdi_half
#include "core/base/array.h"

struct hdi_depend {
  const char *refusal; /* NULL, or why nothing is known about this model: static words; the rest is empty then */
  hdi_halves halves;   /* by instance, location, edge: the order of model->rules */
  hdi_touches touches;
  hdi_conds conds;
  hdi_numbers rest;
};

/* Makes model->depend. HD_E_NOMEM. Called last in hd_builder_finish. */
hd_status hdi_depend_compile(hd_builder *builder);
void hdi_depend_free(hdi_depend *depend); /* NULL allowed */

#endif
