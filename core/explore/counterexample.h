/* Counterexamples, rebuilt after the search. Internal to core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_COUNTEREXAMPLE_H
#define HEDDLE_CORE_EXPLORE_COUNTEREXAMPLE_H

#include "core/explore/found.h"

/* Sets `trace` and `trace_status` of outcome->found for each slot of search->trace_slots that `finds` has a finding
 * for. The traces are shortest in cost, the same for every number of threads, and have been replayed. trace_status says
 * why one is missing: HD_E_NOMEM, HD_E_LIMIT (the second search took longer than search->timeout_seconds),
 * HD_E_CANCELLED, HD_E_INTERNAL. Cost: at most the search again, the memory of all its states, and for each trace one
 * more expansion of its levels. */
void hdi_counterexamples(const hd_search *search, uint32_t threads, const hdi_finds *finds, hd_outcome *outcome);

/* Why a search that ended so did not get to what it was made for: HD_E_INTERNAL when it should have. */
hd_status hdi_status_of_end(hd_end end);

#endif
