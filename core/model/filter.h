/* Step filters: protected locations with a discipline, laid over a compiled model without recompiling it (repairs by
 * atomicity). Strong: a step in which a process arrives at a protected location goes on with that process's edges, as
 * one compound step, up to the next unprotected one, and is enabled only if it can get there now. Weak: at most one
 * process may be at a protected location: a step is disabled when after it two are and one of them has just arrived
 * (who has been there from the start may go on). */
#ifndef HEDDLE_CORE_MODEL_FILTER_H
#define HEDDLE_CORE_MODEL_FILTER_H

#include "core/model/model.h"

/* A filter that protects nothing; owned by the caller; NULL when memory is out. */
hd_filter *hd_filter_new(const hd_model *model);
void hd_filter_free(hd_filter *filter);
void hd_filter_protect_strong(hd_filter *filter, hd_loc loc);
void hd_filter_protect_weak(hd_filter *filter, hd_loc loc);
/* A location before a weak block: a process that is here is outside, but may leave only while nobody else is at a
 * weakly protected location, because its step begins the block (and ends it, unless it arrives at a protected
 * location). */
void hd_filter_protect_weak_start(hd_filter *filter, hd_loc loc);

#endif
