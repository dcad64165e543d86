/* Runs of I_k in the source's terms.
 *
 * A model step carries the edge that moved; the lowering's tables lead from the edge to the machine's arc, hence to
 * peer, direction, message and line. Sends are the visible steps; a run's length counts them. Pure functions over
 * read-only data; any thread; linear in the run. */
#include "frontends/choreography/explain.h"

#include <string.h>

const hd_machine_arc *hd_explain_step(const hd_lowering *lowering, const hd_step *step, hd_peer *peer) {
  uint32_t tag = hd_model_edge_tag(lowering->model, step->edge);
  if (peer != NULL) {
    *peer = lowering->arc_peer[tag];
  }
  return lowering->arcs[tag];
}

const char *hd_explain_configuration(const hd_lowering *lowering, const uint64_t *state, hd_arena *arena) {
  const hd_alphabet *alphabet = &lowering->system->alphabet;
  uint32_t *letters = hd_arena_alloc_array(arena, lowering->bound, sizeof *letters);
  if (letters == NULL) {
    return NULL;
  }
  hd_buffer words = {0};
  for (uint32_t i = 0; i < lowering->system->machine_count; i++) {
    hd_loc loc = hd_model_location(lowering->model, state, i);
    hd_buffer_printf(&words, "%s%s at %s", i == 0 ? "" : ", ", alphabet->peers[lowering->system->machines[i].peer.v],
                     hd_model_loc_name(lowering->model, loc));
  }
  bool any = false;
  for (uint32_t q = 0; q < lowering->queue_count; q++) {
    uint32_t count = hd_model_queue_content(lowering->model, state, lowering->queues[q], letters);
    for (uint32_t i = 0; i < count; i++) {
      if (i == 0) {
        hd_buffer_printf(&words, "%s%s [",
                         any ? ", " : "; queued: ", hd_model_queue_name(lowering->model, lowering->queues[q]));
        any = true;
      }
      const hd_message_info *info = &alphabet->messages[lowering->queue_letters[q][letters[i] - 1].v];
      hd_buffer_printf(&words, "%s%s", i == 0 ? "" : " ", info->name);
    }
    hd_buffer_add_text(&words, count == 0 ? "" : "]");
  }
  hd_buffer_add_text(&words, any ? "" : "; queues empty");
  const char *copy = words.failed ? NULL : hd_arena_copy_text(arena, words.data, words.size_bytes);
  hd_buffer_free(&words);
  return copy;
}

/* The input's names die with its tree, before a result is printed: lines hold copies. */
static const char *copy_name(hd_result *result, const char *name) {
  return hd_arena_copy_text(result->arena, name, strlen(name));
}

hd_status hd_explain_trace(const hd_lowering *lowering, const hd_trace *trace, bool configurations, hd_result *result,
                           hd_finding *finding) {
  const hd_alphabet *alphabet = &lowering->system->alphabet;
  size_t lines = trace->length == 0 ? 1 : trace->length;
  finding->trace = hd_arena_alloc_array(result->arena, lines, sizeof *finding->trace);
  if (finding->trace == NULL) {
    return HD_E_NOMEM;
  }
  finding->trace_lines = trace->length;
  finding->length = 0;
  for (size_t i = 0; i < trace->length; i++) {
    hd_peer peer;
    const hd_machine_arc *arc = hd_explain_step(lowering, &trace->steps[i], &peer);
    const hd_message_info *info = &alphabet->messages[arc->message.v];
    hd_trace_line *line = &finding->trace[i];
    line->actor = copy_name(result, alphabet->peers[peer.v]);
    line->action = arc->send ? "send" : "receive";
    line->label = copy_name(result, info->name);
    line->peer = copy_name(result, alphabet->peers[arc->send ? info->to.v : info->from.v]);
    line->position = hd_text_position(lowering->system->text, arc->span.begin);
    line->visible = arc->send;
    finding->length += arc->send;
    if (line->actor == NULL || line->label == NULL || line->peer == NULL) {
      return HD_E_NOMEM;
    }
    if (configurations) {
      const uint64_t *after = trace->states + (i + 1) * trace->words;
      line->note = hd_explain_configuration(lowering, after, result->arena);
      if (line->note == NULL) {
        return HD_E_NOMEM;
      }
    }
  }
  return HD_OK;
}

/* What a step must be to stand for one half of a witness's move. */
typedef struct {
  const hd_lowering *lowering;
  hd_peer peer;
  hd_message message;
  bool send;
} wanted_step;

static bool is_wanted(void *payload, const uint64_t *next, const hd_step *step) {
  (void)next;
  const wanted_step *wanted = payload;
  hd_peer peer;
  const hd_machine_arc *arc = hd_explain_step(wanted->lowering, step, &peer);
  return peer.v == wanted->peer.v && arc->message.v == wanted->message.v && arc->send == wanted->send;
}

static hd_status extend(const hd_lowering *lowering, hd_trace *trace, hd_message message, bool send) {
  const hd_message_info *info = &lowering->system->alphabet.messages[message.v];
  wanted_step wanted = {.lowering = lowering, .peer = send ? info->from : info->to, .message = message, .send = send};
  return hd_trace_extend(lowering->model, NULL, trace, is_wanted, &wanted);
}

hd_status hd_explain_witness(const hd_lowering *lowering, const hd_witness *witness, hd_trace **out) {
  *out = NULL;
  hd_trace *trace = hd_trace_begin(lowering->model, 0);
  if (trace == NULL) {
    return HD_E_NOMEM;
  }
  hd_status status = HD_OK;
  for (size_t i = 0; i < witness->move_count && status == HD_OK; i++) {
    const hd_witness_move *move = &witness->moves[i];
    if (move->kind != HD_MOVE_READ) {
      status = extend(lowering, trace, move->message, true);
    }
    if (status == HD_OK && (move->kind == HD_MOVE_SYNC || move->kind == HD_MOVE_READ)) {
      status = extend(lowering, trace, move->message, false);
    }
  }
  if (status != HD_OK) {
    hd_trace_free(trace);
    return status == HD_E_INPUT ? HD_E_INTERNAL : status;
  }
  *out = trace;
  return HD_OK;
}
