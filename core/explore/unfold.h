/* From a run through classes of states to a run of the model. Internal to core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_UNFOLD_H
#define HEDDLE_CORE_EXPLORE_UNFOLD_H

#include "core/explore/found.h"
#include "core/model/symmetry.h"

/* `classes` holds `count` >= 1 sorted states, the initial one first, and steps[i] leads from one state of class i to
 * one of class i + 1. *out receives a run of the model through these classes whose steps have the same weights,
 * followed by the finding's own step if it has one. HD_E_NOMEM; HD_E_INTERNAL when there is no such run. */
hd_status hdi_unfold(const hd_search *search, const hd_symmetry *symmetry, const uint64_t *classes,
                     const hd_step *steps, size_t count, const hdi_find *find, hd_trace **out);

#endif
