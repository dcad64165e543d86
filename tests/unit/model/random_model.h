/* Random models that use every construct of the builder, for comparisons of one way of computing steps with another. */
#ifndef HEDDLE_TESTS_UNIT_MODEL_RANDOM_MODEL_H
#define HEDDLE_TESTS_UNIT_MODEL_RANDOM_MODEL_H

#include "core/model/model.h"

/* The model of this seed; with `force_code` compiled to stack code only. `flags`: allow atomic, weak and exclusive
 * locations. */
hd_model *random_model(uint64_t seed, bool force_code, bool flags);
/* Changes some fields of a valid state at random so that it stays valid. */
void random_neighbour(const hd_model *model, uint64_t *seed, uint64_t *state);

#endif
