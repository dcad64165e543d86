/* Traces: choosing steps one after another, and checking that a trace is a run of the model.
 *
 * The arrays of a trace have no capacity fields: appending asks for the next power of two of elements, which is a new
 * size only now and then, so that it stays amortised O(1) for whoever extends a trace, one step per call. Replay
 * compares every field of every step with what the stepper says, so a trace that was tampered with, or made by a wrong
 * stepper, is refused. Cost of replay: one enumeration of steps per state. */
#include "core/model/trace.h"
#include "core/model/model.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

void hd_trace_free(hd_trace *trace) {
  if (trace == NULL) {
    return;
  }
  free(trace->states);
  free(trace->steps);
  free(trace->inner);
  free(trace->inner_end);
  free(trace);
}

hd_trace *hd_trace_begin(const hd_model *model, size_t initial_index) {
  const uint64_t *initial = NULL;
  size_t count = hd_model_initial(model, &initial);
  HD_REQUIRE(initial_index < count);
  hd_trace *trace = calloc(1, sizeof *trace);
  if (trace == NULL) {
    return NULL;
  }
  trace->words = hd_model_words(model);
  trace->states = malloc(trace->words * sizeof *trace->states);
  if (trace->states == NULL) {
    hd_trace_free(trace);
    return NULL;
  }
  memcpy(trace->states, initial + initial_index * trace->words, trace->words * sizeof *trace->states);
  return trace;
}

/* An array of `used` elements with room for one more. NULL when memory is out; the old array stays then. Whatever room
 * the array had before, it has room for a power of two of elements afterwards: asking again for the same size is cheap.
 */
static void *with_room(void *array, size_t used, size_t element_bytes) {
  size_t capacity = 1;
  while (capacity <= used) {
    capacity *= 2;
  }
  if (capacity > SIZE_MAX / element_bytes) {
    return NULL;
  }
  return realloc(array, capacity * element_bytes);
}

static size_t inner_count(const hd_trace *trace, size_t steps) {
  return steps == 0 ? 0 : trace->inner_end[steps - 1];
}

static hd_status add_inner(hd_trace *trace, size_t used, hd_inner inner) {
  hd_inner *grown = with_room(trace->inner, used, sizeof *grown);
  if (grown == NULL) {
    return HD_E_NOMEM;
  }
  trace->inner = grown;
  grown[used] = inner;
  return HD_OK;
}

/* Appends the step that the stepper is emitting. */
static hd_status append(hd_trace *trace, const uint64_t *next, const hd_step *step, const hd_stepper *stepper) {
  size_t size_bytes = trace->words * sizeof *trace->states;
  uint64_t *states = with_room(trace->states, trace->length + 1, size_bytes);
  trace->states = states == NULL ? trace->states : states;
  hd_step *steps = with_room(trace->steps, trace->length, sizeof *steps);
  trace->steps = steps == NULL ? trace->steps : steps;
  size_t *ends = with_room(trace->inner_end, trace->length, sizeof *ends);
  trace->inner_end = ends == NULL ? trace->inner_end : ends;
  if (states == NULL || steps == NULL || ends == NULL) {
    return HD_E_NOMEM;
  }
  const hd_inner *inner = NULL;
  size_t count = hd_stepper_inner(stepper, &inner);
  size_t used = inner_count(trace, trace->length);
  for (size_t i = 0; i < count; i++) {
    if (add_inner(trace, used + i, inner[i]) != HD_OK) {
      return HD_E_NOMEM;
    }
  }
  const uint64_t *last = states + trace->length * trace->words;
  memcpy(states + (trace->length + 1) * trace->words, next == NULL ? last : next, size_bytes);
  steps[trace->length] = *step;
  ends[trace->length] = used + count;
  trace->length++;
  return HD_OK;
}

/* ---- extending ---- */

typedef struct trace_extension {
  hd_trace *trace;
  const hd_stepper *stepper;
  hd_trace_accept accept;
  void *payload;
  hd_status status; /* HD_E_INPUT until a step is accepted */
} trace_extension;

static bool try_step(void *payload, const uint64_t *next, const hd_step *step) {
  trace_extension *extension = payload;
  if (!extension->accept(extension->payload, next, step)) {
    return true;
  }
  extension->status = append(extension->trace, next, step, extension->stepper);
  return false;
}

hd_status hd_trace_extend(const hd_model *model, const hd_filter *filter, hd_trace *trace, hd_trace_accept accept,
                          void *payload) {
  HD_REQUIRE(trace->words == hd_model_words(model));
  if (trace->length > 0 && trace->steps[trace->length - 1].fault != HD_FAULT_NONE) {
    return HD_E_INPUT; /* nothing comes after a fault */
  }
  hd_stepper *stepper = hd_stepper_new(model, filter);
  uint64_t *from = malloc(trace->words * sizeof *from); /* the trace's own array moves when it grows */
  hd_status status = HD_E_NOMEM;
  if (stepper != NULL && from != NULL) {
    memcpy(from, trace->states + trace->length * trace->words, trace->words * sizeof *from);
    trace_extension extension = {.trace = trace, .stepper = stepper, .accept = accept, .payload = payload};
    extension.status = HD_E_INPUT;
    status = hd_stepper_run(stepper, from, HD_WEIGHT_ANY, try_step, &extension);
    status = status == HD_OK || status == HD_E_CANCELLED ? extension.status : status;
  }
  free(from);
  hd_stepper_free(stepper);
  return status;
}

/* ---- replaying ---- */

typedef struct trace_replay {
  hd_trace *trace;
  const hd_stepper *stepper;
  size_t index;      /* of the step looked for */
  size_t inner_used; /* inner edges of the steps before */
  hd_status status;  /* HD_E_INTERNAL until it is found */
} trace_replay;

static bool same_step(const hd_step *a, const hd_step *b) {
  return a->edge.v == b->edge.v && a->instance == b->instance && a->partner_edge.v == b->partner_edge.v &&
         a->partner_instance == b->partner_instance && a->label.v == b->label.v && a->weight == b->weight &&
         a->fault == b->fault && a->fault_detail == b->fault_detail && a->compound == b->compound &&
         a->checks_failed == b->checks_failed;
}

static bool compare_step(void *payload, const uint64_t *next, const hd_step *step) {
  trace_replay *replay = payload;
  hd_trace *trace = replay->trace;
  const uint64_t *before = trace->states + replay->index * trace->words;
  const uint64_t *expected = next == NULL ? before : next;
  if (!same_step(step, &trace->steps[replay->index]) ||
      memcmp(expected, before + trace->words, trace->words * sizeof *before) != 0) {
    return true;
  }
  const hd_inner *inner = NULL;
  size_t count = hd_stepper_inner(replay->stepper, &inner);
  replay->status = HD_OK;
  for (size_t i = 0; replay->status == HD_OK && i < count; i++) {
    replay->status = add_inner(trace, replay->inner_used + i, inner[i]);
  }
  replay->inner_used += count;
  trace->inner_end[replay->index] = replay->inner_used;
  return false;
}

static bool is_initial(const hd_model *model, const uint64_t *state) {
  const uint64_t *initial = NULL;
  size_t low = 0;
  size_t high = hd_model_initial(model, &initial);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = hd_model_compare_states(model, initial + middle * hd_model_words(model), state);
    if (order == 0) {
      return true;
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return false;
}

/* Makes room for the inner edges that are filled in again. */
static hd_status begin_replay(hd_trace *trace) {
  size_t *ends = realloc(trace->inner_end, (trace->length + 1) * sizeof *ends);
  if (ends == NULL) {
    return HD_E_NOMEM;
  }
  trace->inner_end = ends;
  free(trace->inner);
  trace->inner = NULL;
  return HD_OK;
}

hd_status hd_trace_replay(const hd_model *model, const hd_filter *filter, hd_trace *trace, size_t *failed_step) {
  *failed_step = 0;
  if (trace->words != hd_model_words(model) || !is_initial(model, trace->states)) {
    return HD_E_INTERNAL;
  }
  hd_stepper *stepper = hd_stepper_new(model, filter);
  hd_status status = stepper == NULL ? HD_E_NOMEM : begin_replay(trace);
  trace_replay replay = {.trace = trace, .stepper = stepper};
  for (size_t i = 0; status == HD_OK && i < trace->length; i++) {
    replay.index = i;
    replay.status = HD_E_INTERNAL;
    if (i == 0 || trace->steps[i - 1].fault == HD_FAULT_NONE) {
      status = hd_stepper_run(stepper, trace->states + i * trace->words, HD_WEIGHT_ANY, compare_step, &replay);
    }
    status = status == HD_OK || status == HD_E_CANCELLED ? replay.status : status;
    *failed_step = status == HD_OK ? 0 : i;
  }
  hd_stepper_free(stepper);
  return status;
}
