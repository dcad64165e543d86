/* From a state into a bottom component, and round it. Internal to core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_LASSO_H
#define HEDDLE_CORE_EXPLORE_LASSO_H

#include "core/explore/search.h"

/* States that are looked at at most. */
#define HDI_LASSO_STATES_MAX ((uint32_t)1 << 20)

typedef struct hdi_lasso {
  hdi_words states; /* after the first one, W words each: a shortest way to the nearest bottom component, then round */
  size_t way;       /* steps of the way; the rest, if any, is the cycle, which ends in the state it begins with */
  hdi_words going;  /* a bit for each instance that moves in the component */
} hdi_lasso;

/* HD_E_NOMEM, HD_E_LIMIT (more than HDI_LASSO_STATES_MAX states or memory_max_bytes (0: any), or `deadline` on the
 * clock of hd_machine_seconds (0: none) has passed), HD_E_CANCELLED. One thread. Cost: all states that can be reached
 * from `state`. */
hd_status hdi_lasso_find(const hd_search *search, const uint64_t *state, size_t memory_max_bytes, double deadline,
                         hdi_lasso *lasso);
void hdi_lasso_clear(hdi_lasso *lasso);

#endif
