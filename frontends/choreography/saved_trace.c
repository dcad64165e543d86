/* Saved traces: JSON text heddle.trace/1 (docs/schema/heddle.trace-1.json), read and written with jansson.
 *
 *   {"schema":"heddle.trace/1","frontend":"choreography","bound":1,"semantics":"mailbox",
 *    "steps":[{"actor":"P1","action":"send","label":"ms","peer":"P2"}, ...]}
 *
 * A trace names peers and messages, not states, so that it can be run on an edited choreography: running it tells
 * whether the behaviour is still there. Not thread-safe per call; linear in the trace times the arcs of a state. */
#include "frontends/choreography/explain.h"

#include <jansson.h>
#include <string.h>

const char *hd_explain_saved_trace(const hd_lowering *lowering, const hd_trace *trace, hd_arena *arena) {
  const hd_alphabet *alphabet = &lowering->system->alphabet;
  json_t *steps = json_array();
  for (size_t i = 0; i < trace->length; i++) {
    hd_peer peer;
    const hd_machine_arc *arc = hd_explain_step(lowering, &trace->steps[i], &peer);
    const hd_message_info *info = &alphabet->messages[arc->message.v];
    json_array_append_new(
        steps, json_pack("{ssssssss}", "actor", alphabet->peers[peer.v], "action", arc->send ? "send" : "receive",
                         "label", info->name, "peer", alphabet->peers[arc->send ? info->to.v : info->from.v]));
  }
  bool whole = steps != NULL && json_array_size(steps) == trace->length;
  json_t *root = json_pack("{sssssIsssO}", "schema", "heddle.trace/1", "frontend", "choreography", "bound",
                           (json_int_t)lowering->bound, "semantics", lowering->semantics == HD_P2P ? "p2p" : "mailbox",
                           "steps", steps);
  char *text = root == NULL || !whole ? NULL : json_dumps(root, JSON_COMPACT);
  json_decref(root);
  json_decref(steps);
  const char *copy = text == NULL ? NULL : hd_arena_printf(arena, "%s\n", text);
  free(text);
  return copy;
}

static const hd_span whole_text = {0, 0};

/* Parses the envelope; the caller owns the reference. NULL with a diagnostic when it is not a saved trace of this
 * frontend. */
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
  if (schema == NULL || strcmp(schema, "heddle.trace/1") != 0 || frontend == NULL ||
      strcmp(frontend, "choreography") != 0 || !json_is_array(json_object_get(root, "steps"))) {
    hd_diag_add(diag, HD_DIAG_TRACE, text, whole_text,
                "expected \"schema\":\"heddle.trace/1\", \"frontend\":\"choreography\" and an array \"steps\"",
                "not a saved trace of a choreography");
    json_decref(root);
    return NULL;
  }
  return root;
}

hd_status hd_saved_trace_settings(const hd_text *text, hd_diag *diag, uint32_t *bound, hd_semantics *semantics) {
  json_t *root = parse_envelope(text, diag);
  if (root == NULL) {
    return HD_E_INPUT;
  }
  json_int_t k = json_integer_value(json_object_get(root, "bound"));
  const char *words = json_string_value(json_object_get(root, "semantics"));
  bool mailbox = words != NULL && strcmp(words, "mailbox") == 0, p2p = words != NULL && strcmp(words, "p2p") == 0;
  hd_status status = HD_OK;
  if (k < 1 || k > UINT32_MAX || (!mailbox && !p2p)) {
    hd_diag_add(diag, HD_DIAG_TRACE, text, whole_text,
                "expected \"bound\" of at least 1 and \"semantics\" mailbox or p2p",
                "the trace does not say which system it is a run of");
    status = HD_E_INPUT;
  } else {
    *bound = (uint32_t)k;
    *semantics = p2p ? HD_P2P : HD_MAILBOX;
  }
  json_decref(root);
  return status;
}

typedef struct {
  const hd_lowering *lowering;
  const char *actor, *action, *label, *peer;
} named_step;

static bool is_named(void *payload, const uint64_t *next, const hd_step *step) {
  (void)next;
  const named_step *named = payload;
  const hd_alphabet *alphabet = &named->lowering->system->alphabet;
  hd_peer actor;
  const hd_machine_arc *arc = hd_explain_step(named->lowering, step, &actor);
  const hd_message_info *info = &alphabet->messages[arc->message.v];
  return strcmp(alphabet->peers[actor.v], named->actor) == 0 && strcmp(info->name, named->label) == 0 &&
         strcmp(arc->send ? "send" : "receive", named->action) == 0 &&
         strcmp(alphabet->peers[arc->send ? info->to.v : info->from.v], named->peer) == 0;
}

/* Takes one step. A nondeterministic machine may have several steps of one name: the first in step order is taken. */
static hd_status run_step(const hd_lowering *lowering, const hd_text *text, hd_diag *diag, const json_t *step,
                          size_t index, hd_trace *trace) {
  named_step named = {.lowering = lowering,
                      .actor = json_string_value(json_object_get(step, "actor")),
                      .action = json_string_value(json_object_get(step, "action")),
                      .label = json_string_value(json_object_get(step, "label")),
                      .peer = json_string_value(json_object_get(step, "peer"))};
  if (named.actor == NULL || named.action == NULL || named.label == NULL || named.peer == NULL) {
    hd_diag_add(diag, HD_DIAG_TRACE, text, whole_text,
                "expected an object with the texts actor, action, label and peer", "step %zu of the trace is malformed",
                index + 1);
    return HD_E_INPUT;
  }
  hd_status status = hd_trace_extend(lowering->model, NULL, trace, is_named, &named);
  if (status == HD_E_INPUT) {
    hd_arena *arena = hd_arena_new();
    const uint64_t *state = trace->states + trace->length * trace->words;
    const char *where = arena == NULL ? NULL : hd_explain_configuration(lowering, state, arena);
    hd_diag_add(diag, HD_DIAG_TRACE, text, whole_text, where, "step %zu of the trace, %s %s %s %s %s, is not possible",
                index + 1, named.actor, named.action, named.label, strcmp(named.action, "send") == 0 ? "to" : "from",
                named.peer);
    hd_arena_free(arena);
  }
  return status;
}

hd_status hd_saved_trace_run(const hd_lowering *lowering, const hd_text *text, hd_diag *diag, hd_trace **out) {
  *out = NULL;
  json_t *root = parse_envelope(text, diag);
  if (root == NULL) {
    return HD_E_INPUT;
  }
  hd_trace *trace = hd_trace_begin(lowering->model, 0);
  hd_status status = trace == NULL ? HD_E_NOMEM : HD_OK;
  const json_t *steps = json_object_get(root, "steps");
  for (size_t i = 0; i < json_array_size(steps) && status == HD_OK; i++) {
    status = run_step(lowering, text, diag, json_array_get(steps, i), i, trace);
  }
  json_decref(root);
  if (status != HD_OK) {
    hd_trace_free(trace);
    return status;
  }
  *out = trace;
  return HD_OK;
}
