/* The history that the confused peer takes for its own. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_TWIN_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_TWIN_H

#include "frontends/choreography/realizability.h"

/* A shortest word of the choreography in which witness->peer sends and reads exactly what it does in the witness, and
 * after which the extra message is allowed; least in message order among the shortest. Fills witness->twin (in the
 * arena) and twin_length. HD_E_NOMEM; HD_E_INTERNAL when there is none, which would contradict the projection. */
hd_status hdi_witness_find_twin(const hd_dfa *dfa, const hd_alphabet *alphabet, hd_arena *arena, hd_witness *witness);

#endif
