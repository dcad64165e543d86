/* Saved traces: JSON text heddle.trace/1 (docs/schema/heddle.trace-1.json), read and written with jansson.
 *
 *   {"schema":"heddle.trace/1","frontend":"cwhile","granularity":"statement","initial":0,
 *    "steps":[{"actor":"t1","action":"assign","label":"x = 1","note":"x: 0 -> 1"}, ...]}
 *
 * A trace names threads, statements and changed values, not states, so that it can be run on an edited program: running
 * it tells whether the run is still there. Linear in the trace times the steps of a state. */
#include "frontends/cwhile/explain.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *step_value(const hd_trace_line *line) {
  json_t *step = json_pack("{ssssss}", "actor", line->actor, "action", line->action, "label", line->label);
  if (step != NULL && line->note != NULL && json_object_set_new(step, "note", json_string(line->note)) != 0) {
    json_decref(step);
    return NULL;
  }
  return step;
}

/* Which of the initial states the run begins with. */
static size_t initial_index(const hd_cw_lowering *lowering, const hd_trace *trace) {
  const uint64_t *states = NULL;
  size_t count = hd_model_initial(lowering->model, &states), index = 0;
  while (index + 1 < count &&
         memcmp(states + index * trace->words, trace->states, trace->words * sizeof *states) != 0) {
    index++;
  }
  return index;
}

const char *hdi_cw_saved_trace(const hd_cw_lowering *lowering, const hd_trace *trace, bool access, hd_arena *arena) {
  json_t *steps = json_array();
  for (size_t i = 0; i < trace->length; i++) {
    size_t begin = i == 0 ? 0 : trace->inner_end[i - 1], inner = trace->inner_end[i] - begin;
    const uint64_t *state = trace->states + i * trace->words;
    const uint64_t *next = trace->steps[i].fault != HD_FAULT_NONE ? NULL : state + trace->words;
    hd_trace_line line = {0};
    if (hdi_cw_explain_step(lowering, &trace->steps[i], inner == 0 ? NULL : trace->inner + begin, inner, state, next,
                            arena, &line)) {
      json_array_append_new(steps, step_value(&line));
    }
  }
  bool whole = steps != NULL && json_array_size(steps) == trace->length;
  json_t *root =
      json_pack("{sssssssIsO}", "schema", "heddle.trace/1", "frontend", "cwhile", "granularity",
                access ? "access" : "statement", "initial", (json_int_t)initial_index(lowering, trace), "steps", steps);
  char *text = root == NULL || !whole ? NULL : json_dumps(root, JSON_COMPACT);
  json_decref(root);
  json_decref(steps);
  const char *copy = text == NULL ? NULL : hd_arena_printf(arena, "%s\n", text);
  free(text);
  return copy;
}

static const hd_span whole_text = {0, 0};

/* Parses the envelope; the caller owns the reference. NULL with a diagnostic when it is not a trace of ours. */
static json_t *parse_envelope(const hd_text *text, hd_diag *diag) {
  json_error_t error;
  json_t *root = json_loadb(text->data, text->size_bytes, JSON_REJECT_DUPLICATES, &error);
  if (root == NULL) {
    uint32_t offset = error.position < 0 ? 0 : (uint32_t)error.position;
    hd_diag_add(diag, HD_DIAG_TRACE, text, (hd_span){offset, offset}, "expected a JSON object heddle.trace/1", "%s",
                error.text);
    return NULL;
  }
  const char *schema = json_string_value(json_object_get(root, "schema"));
  const char *frontend = json_string_value(json_object_get(root, "frontend"));
  if (schema == NULL || strcmp(schema, "heddle.trace/1") != 0 || frontend == NULL || strcmp(frontend, "cwhile") != 0 ||
      !json_is_array(json_object_get(root, "steps"))) {
    hd_diag_add(diag, HD_DIAG_TRACE, text, whole_text,
                "expected \"schema\":\"heddle.trace/1\", \"frontend\":\"cwhile\" and an array \"steps\"",
                "not a saved trace of a Cwhile program");
    json_decref(root);
    return NULL;
  }
  return root;
}

hd_status hdi_cw_saved_settings(const hd_text *text, hd_diag *diag, bool *access) {
  json_t *root = parse_envelope(text, diag);
  if (root == NULL) {
    return HD_E_INPUT;
  }
  const char *words = json_string_value(json_object_get(root, "granularity"));
  bool statement = words != NULL && strcmp(words, "statement") == 0;
  *access = words != NULL && strcmp(words, "access") == 0;
  json_decref(root);
  if (!statement && !*access) {
    hd_diag_add(diag, HD_DIAG_TRACE, text, whole_text, "expected \"granularity\" statement or access",
                "the trace does not say what a step is");
    return HD_E_INPUT;
  }
  return HD_OK;
}

typedef struct wanted {
  const hd_cw_lowering *lowering;
  hd_stepper *stepper;
  const uint64_t *state;
  const char *actor, *action, *label, *note;
  hd_arena *arena;
  bool failed;
  hd_step found;
  bool any;
} wanted;

static bool is_wanted(const wanted *w, const hd_trace_line *line) {
  return strcmp(line->actor, w->actor) == 0 && strcmp(line->action, w->action) == 0 &&
         strcmp(line->label, w->label) == 0 &&
         strcmp(line->note == NULL ? "" : line->note, w->note == NULL ? "" : w->note) == 0;
}

/* Looks for the first step of the state that reads like the saved one. */
static bool look(void *payload, const uint64_t *next, const hd_step *step) {
  wanted *w = payload;
  const hd_inner *inner = NULL;
  size_t count = hd_stepper_inner(w->stepper, &inner);
  hd_trace_line line = {0};
  if (!hdi_cw_explain_step(w->lowering, step, inner, step->compound ? count : 0, w->state,
                           step->fault != HD_FAULT_NONE ? NULL : next, w->arena, &line)) {
    w->failed = true;
    return false;
  }
  if (is_wanted(w, &line)) {
    w->found = *step;
    w->any = true;
  }
  return !w->any;
}

/* The same step again, for hd_trace_extend. */
static bool is_same(const hd_step *found, const hd_step *step) {
  return step->edge.v == found->edge.v && step->instance == found->instance && step->fault == found->fault &&
         step->checks_failed == found->checks_failed;
}

typedef struct exact {
  wanted *w;
  const uint64_t *next; /* of the step found; NULL: a fault */
  uint32_t words;
} exact;

static bool is_exact(void *payload, const uint64_t *next, const hd_step *step) {
  const exact *e = payload;
  return is_same(&e->w->found, step) &&
         (e->next == NULL ? next == NULL : next != NULL && memcmp(next, e->next, e->words * sizeof *next) == 0);
}

/* Keeps the state that a step found leads to. */
typedef struct keeper {
  wanted *w;
  uint64_t *kept;
  uint32_t words;
} keeper;

static bool look_and_keep(void *payload, const uint64_t *next, const hd_step *step) {
  keeper *k = payload;
  bool go_on = look(k->w, next, step);
  if (k->w->any && next != NULL) {
    memcpy(k->kept, next, k->words * sizeof *next);
  }
  return go_on;
}

static hd_status run_step(const hd_cw_lowering *lowering, const hd_text *text, hd_diag *diag, const json_t *step,
                          size_t index, hd_trace *trace, hd_stepper *stepper, hd_arena *arena) {
  wanted w = {.lowering = lowering, .stepper = stepper, .arena = arena};
  w.state = trace->states + trace->length * trace->words;
  w.actor = json_string_value(json_object_get(step, "actor"));
  w.action = json_string_value(json_object_get(step, "action"));
  w.label = json_string_value(json_object_get(step, "label"));
  w.note = json_string_value(json_object_get(step, "note"));
  if (w.actor == NULL || w.action == NULL || w.label == NULL) {
    hd_diag_add(diag, HD_DIAG_TRACE, text, whole_text, "expected an object with the texts actor, action and label",
                "step %zu of the trace is malformed", index + 1);
    return HD_E_INPUT;
  }
  uint64_t *kept = hd_arena_alloc_array(arena, trace->words, sizeof *kept);
  bool after_fault = trace->length > 0 && trace->steps[trace->length - 1].fault != HD_FAULT_NONE;
  hd_status status = kept == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK && !after_fault) {
    keeper k = {&w, kept, trace->words};
    status = hd_stepper_run(stepper, w.state, HD_WEIGHT_ANY, look_and_keep, &k);
    status = w.failed ? HD_E_NOMEM : status == HD_E_CANCELLED ? HD_OK : status;
  }
  if (status == HD_OK && w.any) {
    exact e = {&w, w.found.fault != HD_FAULT_NONE ? NULL : kept, trace->words};
    return hd_trace_extend(lowering->model, NULL, trace, is_exact, &e);
  }
  if (status == HD_OK) {
    hd_diag_add(diag, HD_DIAG_TRACE, text, whole_text, w.note, "step %zu of the trace, %s: %s, is not possible",
                index + 1, w.actor, w.label);
    status = HD_E_INPUT;
  }
  return status;
}

hd_status hdi_cw_saved_run(const hd_cw_lowering *lowering, const hd_text *text, hd_diag *diag, hd_trace **out) {
  *out = NULL;
  json_t *root = parse_envelope(text, diag);
  if (root == NULL) {
    return HD_E_INPUT;
  }
  json_int_t initial = json_integer_value(json_object_get(root, "initial"));
  const uint64_t *states = NULL;
  if (initial < 0 || (size_t)initial >= hd_model_initial(lowering->model, &states)) {
    hd_diag_add(diag, HD_DIAG_TRACE, text, whole_text, "expected the number of an initial state, from 0",
                "the trace begins where the program does not");
    json_decref(root);
    return HD_E_INPUT;
  }
  hd_trace *trace = hd_trace_begin(lowering->model, (size_t)initial);
  hd_stepper *stepper = hd_stepper_new(lowering->model, NULL);
  hd_arena *arena = hd_arena_new();
  hd_status status = trace == NULL || stepper == NULL || arena == NULL ? HD_E_NOMEM : HD_OK;
  const json_t *steps = json_object_get(root, "steps");
  for (size_t i = 0; i < json_array_size(steps) && status == HD_OK; i++) {
    status = run_step(lowering, text, diag, json_array_get(steps, i), i, trace, stepper, arena);
    hd_arena_reset(arena);
  }
  json_decref(root);
  hd_stepper_free(stepper);
  hd_arena_free(arena);
  if (status != HD_OK) {
    hd_trace_free(trace);
    return status;
  }
  *out = trace;
  return HD_OK;
}
