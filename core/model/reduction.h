/* Partial-order reduction: a stepper that leaves out steps whose order with the others makes no difference
 * (docs/reductions.md has the definitions and the proofs). A reduction is made once per search from the model and is
 * read-only; each stepper that uses it computes, per state, a strong stubborn set and makes its steps only. */
#ifndef HEDDLE_CORE_MODEL_REDUCTION_H
#define HEDDLE_CORE_MODEL_REDUCTION_H

#include "core/model/model.h"

/* What a search may leave out. X(identifier, "words") */
#define HD_REDUCE_TABLE(X)                                                                         \
  X(NOTHING, "every step of every state")                                                          \
  X(FOR_DEADLOCKS, "stubborn sets that keep the states without steps and the shortest ways there") \
  X(FOR_CHECKS, "stubborn sets that keep the states without steps, the faults and the failed checks")
typedef enum hd_reduce {
#define HDI_REDUCE_ENUM(identifier, words) HD_REDUCE_##identifier,
  HD_REDUCE_TABLE(HDI_REDUCE_ENUM)
#undef HDI_REDUCE_ENUM
      HD_REDUCE_COUNT
} hd_reduce;
const char *hd_reduce_words(hd_reduce reduce);

typedef struct hd_reduction hd_reduction;

/* Makes the reduction `reduce` for searches of `model` (borrowed) under `filter` (NULL allowed). When the model has
 * something that the analysis does not cover, *out is NULL and *refusal says what (static words): search without then.
 * HD_E_NOMEM. Cost: about one look per pair of steps that touch the same variable. */
hd_status hd_reduction_new(const hd_model *model, const hd_filter *filter, hd_reduce reduce, hd_reduction **out,
                           const char **refusal);
void hd_reduction_free(hd_reduction *reduction); /* NULL allowed */
/* Makes the stepper leave out steps from now on. It has no fast path any more. `reduction` must outlive it.
 * HD_E_NOMEM. */
hd_status hd_stepper_reduce(hd_stepper *stepper, const hd_reduction *reduction);

#endif
