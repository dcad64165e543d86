/* Compares hd_stepper_bulk_run with hd_stepper_run. */
#ifndef HEDDLE_TESTS_UNIT_MODEL_BULK_COMPARE_H
#define HEDDLE_TESTS_UNIT_MODEL_BULK_COMPARE_H

#include "core/model/native.h"

typedef struct bulk_counts {
  size_t states, steps, odd; /* compared; an odd state counts once for each weight filter */
} bulk_counts;

/* Takes the first reachable states of the model and some neighbours of them, and fails the test when successors, their
 * order, or the states that are odd differ. Adds to `counts`. */
/* With `native` (NULL allowed) the fast path is native code. */
void compare_bulk(const hd_model *model, uint64_t seed, const hd_native *native, bulk_counts *counts);

#endif
