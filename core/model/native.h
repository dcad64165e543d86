/* Native code: the model printed as C, compiled by the system's compiler beside the search, and loaded. Steppers that
 * use it compute the same successors in the same order as without it, only faster.
 *
 * The text holds numbers of the model and no name of it. The compiler is $CC (split at blanks; no shell), else cc; it
 * runs in a process of its own, on a file in a fresh temporary folder that is removed when the code is loaded or given
 * up. Nothing goes wrong when there is no compiler: the search goes on without. */
#ifndef HEDDLE_CORE_MODEL_NATIVE_H
#define HEDDLE_CORE_MODEL_NATIVE_H

#include "core/model/model.h"

typedef struct hd_native hd_native;

typedef enum hd_native_state {
  HD_NATIVE_WORKING, /* the compiler is at work */
  HD_NATIVE_READY,
  HD_NATIVE_FAILED /* no compiler, or it refused, or the code cannot be loaded */
} hd_native_state;

/* Prints the model and starts the compiler; `out` is the caller's. HD_E_LIMIT: the model has protected locations or
 * would be too much text; HD_E_IO: no compiler could be started; HD_E_NOMEM. The model must outlive it. */
hd_status hd_native_begin(const hd_model *model, hd_native **out);
/* Looks how far it is, without waiting. One thread at a time. */
hd_native_state hd_native_poll(hd_native *native);
/* Waits for the compiler's end. */
hd_native_state hd_native_wait(hd_native *native);
/* Stops a compiler still at work and unloads the code: no stepper may use it any more. NULL allowed. */
void hd_native_free(hd_native *native);

/* From now on the stepper's fast path is the code, which must be ready and of its model. Requires a fast path. While
 * the stepper is not running. */
void hd_stepper_use_native(hd_stepper *stepper, const hd_native *native);

#endif
