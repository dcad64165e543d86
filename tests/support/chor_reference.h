/* An independent reference for small choreographies: I_k explored state by state, with the choreography watching.
 *
 * It shares nothing with the analysis but the reader: no projection, no automaton is built. A peer's local state is the
 * set of choreography states that fit its own history, recomputed at every move. */
#ifndef HEDDLE_TESTS_SUPPORT_CHOR_REFERENCE_H
#define HEDDLE_TESTS_SUPPORT_CHOR_REFERENCE_H

#include "frontends/choreography/choreography.h"

typedef struct chor_reference {
  bool finished;   /* false: more than states_max states */
  bool realizable; /* no send outside the choreography was found */
  uint64_t length; /* sends of a shortest run that leaves the choreography, the wrong one included; 0: none */
  /* Of the states explored: those before the first wrong send when `watch`, all of I_k otherwise. */
  uint64_t states, transitions, stuck;
} chor_reference;

/* Explores I_k by the number of sends. `watch`: the choreography follows (its state is part of the state) and the
 * search ends with the first send it does not allow; otherwise I_k alone, for counting. At most 6 peers, 2 blocks of 64
 * states, and bound 4. */
chor_reference chor_reference_explore(const hd_chor_file *file, uint32_t bound, bool p2p, bool watch,
                                      size_t states_max);

#endif
