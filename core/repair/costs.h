/* What edits cost, as the user says it. */
#ifndef HEDDLE_CORE_REPAIR_COSTS_H
#define HEDDLE_CORE_REPAIR_COSTS_H

#include "core/base/diag.h"

#include <stdint.h>

#define HD_COST_MAX 1000000u

/* A kind of edit that has a cost: its name and where the cost is. */
typedef struct hd_cost {
  const char *name;
  uint32_t *value;
} hd_cost;

/* Reads `name=N,name=N`, any of them in any order, N from 1 to HD_COST_MAX; what is not named keeps its value. `text`
 * NULL: none named. HD_E_USAGE with a diagnostic about --costs; HD_E_NOMEM. */
hd_status hd_costs_read(const char *text, const hd_cost *costs, size_t count, hd_diag *diag);

#endif
