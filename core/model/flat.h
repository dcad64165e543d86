/* Flat rules: the steps of simple models as bare masked writes, without descriptions of what was done. Internal to
 * core/model. */
#ifndef HEDDLE_CORE_MODEL_FLAT_H
#define HEDDLE_CORE_MODEL_FLAT_H

#include "core/model/internal.h"

/* Makes model->flat, or leaves it empty when some step of the model is not a masked write. HD_E_NOMEM. */
hd_status hdi_flat_compile(hd_model *model);
void hdi_flat_free(hdi_flat *flat);
/* Most successors of one state. */
static inline uint32_t hdi_flat_max(const hd_model *model) {
  return model->flat.successors_max;
}
/* As hd_stepper_bulk_run, for a model whose model->flat is valid; no state is odd. */
uint32_t hdi_flat_run(const hd_model *model, const uint64_t *states, uint32_t count, hd_weight_filter weights,
                      uint64_t *next, size_t room, uint32_t *ends);

#endif
