/* The fast path of searches: which one a stepper has, and the way to it.
 *
 * A model whose steps are bare masked writes is stepped by its flat rules (flat.c). A filter's protected locations need
 * the general stepper, which knows compound steps. Threads: the stepper's owner. Cost: one branch per call. */
#include "core/model/flat.h"
#include "core/model/stepper.h"

static bool has_bulk(const hd_stepper *stepper) {
  return stepper->model->flat.valid && !stepper->has_strong && !stepper->has_weak && stepper->stubborn == NULL;
}

uint32_t hd_stepper_bulk_max(const hd_stepper *stepper) {
  return has_bulk(stepper) ? hdi_flat_max(stepper->model) : 0;
}

uint32_t hd_stepper_bulk_run(hd_stepper *stepper, const uint64_t *states, uint32_t count, hd_weight_filter weights,
                             uint64_t *next, size_t room, uint32_t *ends, bool *odd) {
  HD_ASSERT(has_bulk(stepper) && room >= hd_stepper_bulk_max(stepper) + (size_t)HD_BULK_SLACK);
  *odd = false;
  return hdi_flat_run(stepper->model, states, count, weights, next, room, ends);
}
