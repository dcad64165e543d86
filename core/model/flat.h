/* Flat rules: the steps of simple models as bare masked writes, without descriptions of what was done. Internal to
 * core/model. */
#ifndef HEDDLE_CORE_MODEL_FLAT_H
#define HEDDLE_CORE_MODEL_FLAT_H

#include "core/model/internal.h"

/* Makes model->flat, or leaves it empty when some step of the model is not a masked write. HD_E_NOMEM. */
hd_status hdi_flat_compile(hd_model *model);
void hdi_flat_free(hdi_flat *flat);

#endif
