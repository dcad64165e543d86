/* The subset construction, shared by the projection and by Det(C). Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_SUBSET_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_SUBSET_H

#include "core/base/arena.h"
#include "core/base/status.h"
#include "frontends/choreography/choreography.h"

#include <stdint.h>

#define HDI_SILENT UINT32_MAX /* the label of a silent move */

/* A finite automaton as arrays; all borrowed. */
typedef struct hdi_nfa {
  uint32_t state_count, initial;
  const uint32_t *first_arc; /* state_count + 1 offsets */
  const uint32_t *arc_label; /* per arc: HDI_SILENT or a label */
  const uint32_t *arc_to;
} hdi_nfa;

typedef struct hdi_subset_arc {
  uint32_t from, label, to;
  uint32_t source; /* the first arc of the automaton that gives this one */
} hdi_subset_arc;

/* The deterministic automaton of the reachable sets, closed under silent moves; everything in an arena. */
typedef struct hdi_subsets {
  uint32_t state_count;          /* 0 is initial; breadth-first, labels ascending */
  hdi_subset_arc *arcs;          /* sorted by (from, label) */
  uint32_t arc_count;            /* */
  uint32_t *first_arc;           /* state_count + 1 */
  uint32_t *members, *set_start; /* set i, sorted: members[set_start[i] .. set_start[i + 1]) */
} hdi_subsets;

/* Determinises `nfa` into `arena`. HD_E_LIMIT beyond `states_max` sets or 2^32 - 2 members in all or at the deadline,
 * HD_E_CANCELLED when cancelled. Cost: for each set, the arcs of its members; sets reached by equal targets are closed
 * once. */
hd_status hdi_subset_construct(const hdi_nfa *nfa, hd_arena *arena, const hd_subset_limits *limits, hdi_subsets *out);

#endif
