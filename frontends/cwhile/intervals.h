/* Arithmetic on intervals of 64-bit integers. Internal to the Cwhile frontend. */
#ifndef HEDDLE_FRONTENDS_CWHILE_INTERVALS_H
#define HEDDLE_FRONTENDS_CWHILE_INTERVALS_H

#include "core/model/builder.h"

#include <stdbool.h>
#include <stdint.h>

/* lo..hi, both included; lo > hi: empty. */
typedef struct hdi_cw_interval {
  int64_t lo, hi;
} hdi_cw_interval;

#define HDI_CW_EMPTY ((hdi_cw_interval){1, 0})
#define HDI_CW_ANY ((hdi_cw_interval){INT64_MIN, INT64_MAX})

static inline bool hdi_cw_is_empty(hdi_cw_interval a) {
  return a.lo > a.hi;
}
/* The least interval that holds both. */
hdi_cw_interval hdi_cw_join(hdi_cw_interval a, hdi_cw_interval b);
hdi_cw_interval hdi_cw_meet(hdi_cw_interval a, hdi_cw_interval b);
/* Holds every value that `op` gives without a fault on values of a and b (of a alone for unary operators). AND and OR
 * are those of values, both operands known. */
hdi_cw_interval hdi_cw_interval_op(hd_op op, hdi_cw_interval a, hdi_cw_interval b);

#endif
