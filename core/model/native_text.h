/* The model as C text. Internal to core/model. */
#ifndef HEDDLE_CORE_MODEL_NATIVE_TEXT_H
#define HEDDLE_CORE_MODEL_NATIVE_TEXT_H

#include "core/base/buffer.h"
#include "core/model/native.h"
#include "core/model/plan.h"

/* What the text defines, as hd_native_run_0, _1, _2 by hd_weight_filter (only _0 when no edge has weight 0). Writes the
 * successors of states to `next`, as hd_stepper_bulk_run, as long as the place is not behind `last`. */
typedef uint32_t (*hdi_native_run)(const uint64_t *states, uint32_t count, uint64_t *next, const uint64_t *last,
                                   uint32_t *ends, uint32_t *odd);

/* Prints the plan's steps. HD_E_LIMIT: too much text; HD_E_NOMEM. */
hd_status hdi_native_text(const hd_model *model, const hdi_plan *plan, hd_buffer *text);

/* native.c: as hd_stepper_bulk_run, for a stepper that uses native code. */
uint32_t hdi_native_bulk(hd_stepper *stepper, const uint64_t *states, uint32_t count, hd_weight_filter weights,
                         uint64_t *next, size_t room, uint32_t *ends, bool *odd);

/* native_code.c: prints one piece of stack code. The C reads the state `read` and, for statements, writes `out`; what
 * it leaves on its stack goes to the variable `result` (NULL: nothing is wanted). */
typedef struct hdi_native_piece {
  uint32_t code;
  const char *read, *result;
  uint32_t instance;
  const char *fault, *disabled; /* statements: what happens then */
  uint32_t label;               /* a number of its own: names its jump targets */
} hdi_native_piece;
hd_status hdi_native_code(const hd_model *model, const hdi_native_piece *piece, hd_buffer *text);

#endif
