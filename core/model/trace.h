/* A run of a model: an initial state and steps, each with the state it leads to. [Invariant 3: every trace that leaves
 * core/explore has been replayed with hd_trace_replay.] */
#ifndef HEDDLE_CORE_MODEL_TRACE_H
#define HEDDLE_CORE_MODEL_TRACE_H

#include "core/model/model.h"

typedef struct hd_trace {
  uint32_t words;    /* per state */
  size_t length;     /* steps */
  uint64_t *states;  /* (length + 1) * words; when the last step has a fault its state is a copy of the one before */
  hd_step *steps;    /* length */
  hd_inner *inner;   /* inner edges of all compound steps, one after another */
  size_t *inner_end; /* per step: end of its inner edges in `inner` (length entries) */
} hd_trace;

void hd_trace_free(hd_trace *trace); /* frees the arrays and the struct; NULL allowed */
/* Checks that states[0] is initial and that each step, with its fault or next state, is a step of the model in the
 * state before. HD_OK, or HD_E_INTERNAL with *failed_step set (0 .. length; 0 also when the initial state is wrong), or
 * HD_E_NOMEM. Also fills `inner` afresh. */
hd_status hd_trace_replay(const hd_model *model, const hd_filter *filter, hd_trace *trace, size_t *failed_step);
/* Makes a trace by choosing steps: begins with initial state `initial_index`. NULL when memory is out. */
hd_trace *hd_trace_begin(const hd_model *model, size_t initial_index);
/* Extends by the first step (in step order) that `accept` takes. HD_E_INPUT when none does. The model is stepped with
 * `filter`. */
typedef bool (*hd_trace_accept)(void *payload, const uint64_t *next, const hd_step *step);
hd_status hd_trace_extend(const hd_model *model, const hd_filter *filter, hd_trace *trace, hd_trace_accept accept,
                          void *payload);

#endif
