/* The minimal automaton of one peer. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_MINIMISE_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_MINIMISE_H

#include "frontends/choreography/choreography.h"

/* The coarsest partition of a deterministic machine's states in which equals agree on may_stop, on the actions they
 * offer, and, action by action, on the class they lead to. */
typedef struct hdi_minimal {
  uint32_t class_count;
  uint32_t *class_of;       /* per state; classes are numbered by their least state */
  uint32_t *representative; /* per class: its least state */
} hdi_minimal;

/* Partitions the states of `machine`, which must be deterministic, into `arena`. HD_E_NOMEM. O(arcs * log states).
 * @source Valmari and Lehtinen, Efficient Minimization of DFAs with Partial Transition Functions, STACS 2008 */
hd_status hdi_machine_minimise(const hd_machine *machine, hd_arena *arena, hdi_minimal *out);

/* The state after the action, HD_NONE when the machine does not offer it at `state`. O(log arcs of the state). */
uint32_t hdi_machine_next(const hd_machine *machine, uint32_t state, bool send, hd_message message);

#endif
