/* The fast path of searches: which one a stepper has, and the way to it.
 *
 * A model whose steps are bare masked writes is stepped by its flat rules (flat.c), others by their diagrams (coded.c),
 * either by native code when there is some (native.c). A filter's protected locations need the general stepper, which
 * knows compound steps. Threads: the stepper's owner. Cost: one branch per call. */
#include "core/model/coded.h"
#include "core/model/flat.h"
#include "core/model/native_text.h"

uint32_t hd_stepper_bulk_max(const hd_stepper *stepper) {
  const hd_model *model = stepper->model;
  if (stepper->has_strong || stepper->has_weak || stepper->stubborn != NULL) {
    return 0;
  }
  return model->flat.valid ? hdi_flat_max(model) : (model->coded != NULL ? model->coded->plan.successors_max : 0);
}

bool hd_stepper_is_compound(const hd_stepper *stepper) {
  return stepper->has_strong || stepper->has_weak;
}

uint32_t hd_stepper_bulk_run(hd_stepper *stepper, const uint64_t *states, uint32_t count, hd_weight_filter weights,
                             uint64_t *next, size_t room, uint32_t *ends, bool *odd) {
  HD_ASSERT(room >= hd_stepper_bulk_max(stepper) + (size_t)HD_BULK_SLACK);
  *odd = false;
  if (stepper->native != NULL) {
    return hdi_native_bulk(stepper, states, count, weights, next, room, ends, odd);
  }
  if (stepper->model->flat.valid) {
    return hdi_flat_run(stepper->model, states, count, weights, next, room, ends);
  }
  return hdi_coded_run(stepper, states, count, weights, next, room, ends, odd);
}
