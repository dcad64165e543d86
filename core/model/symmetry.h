/* Symmetry: instances of one process type that nothing tells apart may be exchanged (docs/reductions.md). A search then
 * looks at one state of each class: the one whose instances are sorted by what they hold. */
#ifndef HEDDLE_CORE_MODEL_SYMMETRY_H
#define HEDDLE_CORE_MODEL_SYMMETRY_H

#include "core/model/model.h"

typedef struct hd_symmetry hd_symmetry;

/* Finds the process types whose instances may be exchanged. *out is NULL when there are none. HD_E_NOMEM. Read-only
 * once made; the model must outlive it. Cost: one look at each expression. */
hd_status hd_symmetry_new(const hd_model *model, hd_symmetry **out);
void hd_symmetry_free(hd_symmetry *symmetry); /* NULL allowed */
/* Process types found, for reports. */
uint32_t hd_symmetry_types(const hd_symmetry *symmetry);
/* Replaces a state by the sorted one of its class. Any thread. Cost: linear in the instances' variables when they are
 * sorted already. */
void hd_symmetry_sort(const hd_symmetry *symmetry, uint64_t *state);

#endif
