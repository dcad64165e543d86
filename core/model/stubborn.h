/* One stepper's scratch for stubborn sets. Internal to core/model; reduction.h is what searches see. */
#ifndef HEDDLE_CORE_MODEL_STUBBORN_H
#define HEDDLE_CORE_MODEL_STUBBORN_H

#include "core/model/relations.h"
#include "core/model/stepper.h"

hdi_stubborn *hdi_stubborn_new(const hd_reduction *reduction); /* NULL when memory is out */
/* Makes the steps of a stubborn set of `state`, in step order, as hd_stepper_run would make all. */
void hdi_stubborn_run(hdi_stubborn *set, hd_stepper *stepper, const uint64_t *state);

#endif
