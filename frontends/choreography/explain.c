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

/* The local state's name for people: a subset of more than this many bytes is cut after a member and its size is given.
 */
#define STATE_WORDS_MAX 48u

static void add_state_words(const hd_lowering *lowering, const hd_machine *machine, hd_loc loc, hd_buffer *words) {
  const char *name = hd_model_loc_name(lowering->model, loc);
  const char *cut = strlen(name) > STATE_WORDS_MAX && machine->set_start != NULL ? name + STATE_WORDS_MAX : NULL;
  while (cut != NULL && cut > name && *cut != ',') {
    cut--;
  }
  if (cut == NULL || cut == name) {
    hd_buffer_add_text(words, name);
    return;
  }
  uint32_t local = hd_model_loc_tag(lowering->model, loc);
  hd_buffer_add(words, name, (size_t)(cut - name));
  hd_buffer_printf(words, ",... %u states}", machine->set_start[local + 1] - machine->set_start[local]);
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
    const hd_machine *machine = &lowering->system->machines[i];
    hd_buffer_printf(&words, "%s%s at ", i == 0 ? "" : ", ", alphabet->peers[machine->peer.v]);
    add_state_words(lowering, machine, loc, &words);
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

/* `lead`, then "waits for a from P or b from Q" or "wants to send c to R, where there is no room". Returns whether
 * there was something to say; without an arc of this direction nothing is added. */
static bool add_wishes(const hd_lowering *lowering, const hd_machine *machine, uint32_t local, bool sends,
                       const char *lead, hd_buffer *words) {
  const hd_alphabet *alphabet = &lowering->system->alphabet;
  bool any = false;
  for (uint32_t a = machine->first_arc[local]; a < machine->first_arc[local + 1]; a++) {
    if (machine->arcs[a].send != sends) {
      continue;
    }
    const hd_message_info *info = &alphabet->messages[machine->arcs[a].message.v];
    hd_buffer_printf(words, "%s%s", any ? " or " : lead, any ? "" : sends ? "wants to send " : "waits for ");
    hd_buffer_printf(words, "%s %s %s", info->name, sends ? "to" : "from",
                     alphabet->peers[sends ? info->to.v : info->from.v]);
    any = true;
  }
  hd_buffer_add_text(words, any && sends ? ", where there is no room" : "");
  return any;
}

/* ", and cannot read mf" for the heads of the peer's queues. */
static void add_heads(const hd_lowering *lowering, hd_peer peer, const uint64_t *state, hd_buffer *words) {
  bool any = false;
  for (uint32_t q = 0; q < lowering->queue_count; q++) {
    uint32_t head =
        lowering->queue_to[q].v == peer.v ? hd_model_queue_head(lowering->model, state, lowering->queues[q]) : 0;
    if (head != 0) {
      const hd_message_info *info = &lowering->system->alphabet.messages[lowering->queue_letters[q][head - 1].v];
      hd_buffer_printf(words, "%s%s from %s", any ? ", " : "; it cannot read ", info->name,
                       lowering->system->alphabet.peers[info->from.v]);
      any = true;
    }
  }
}

static const char *stuck_peer_words(const hd_lowering *lowering, const hd_machine *machine, uint32_t local,
                                    const uint64_t *state, hd_arena *arena) {
  hd_buffer words = {0};
  hd_buffer_add_text(&words, lowering->system->alphabet.peers[machine->peer.v]);
  if (machine->first_arc[local] == machine->first_arc[local + 1]) {
    hd_buffer_add_text(&words, " has nothing to do here, and may not stop");
  }
  bool waits = add_wishes(lowering, machine, local, false, " ", &words);
  (void)add_wishes(lowering, machine, local, true, waits ? "; it also " : " ", &words);
  add_heads(lowering, machine->peer, state, &words);
  const char *copy = words.failed ? NULL : hd_arena_copy_text(arena, words.data, words.size_bytes);
  hd_buffer_free(&words);
  return copy;
}

/* A sentence for each peer of `peers`; NULL: for each that may not stop. */
static const char **explain_peers(const hd_lowering *lowering, const uint64_t *state, const uint64_t *peers,
                                  const char *and_more, hd_arena *arena, size_t *count) {
  const char **sentences = hd_arena_alloc_array(arena, HD_STUCK_PEERS_MAX + 3, sizeof *sentences);
  const char *configuration = hd_explain_configuration(lowering, state, arena);
  if (sentences == NULL || configuration == NULL) {
    return NULL;
  }
  size_t stuck = 0;
  sentences[0] = hd_arena_printf(arena, "the configuration: %s", configuration);
  bool whole = sentences[0] != NULL;
  for (uint32_t i = 0; i < lowering->system->machine_count && whole; i++) {
    const hd_machine *machine = &lowering->system->machines[i];
    uint32_t local = hd_model_loc_tag(lowering->model, hd_model_location(lowering->model, state, i));
    bool wanted = peers == NULL ? !machine->may_stop[local] : ((peers[i / 64] >> (i % 64)) & 1) != 0;
    if (wanted && stuck++ < HD_STUCK_PEERS_MAX) {
      sentences[stuck] = stuck_peer_words(lowering, machine, local, state, arena);
      whole = sentences[stuck] != NULL;
    }
  }
  *count = 1 + (stuck < HD_STUCK_PEERS_MAX ? stuck : HD_STUCK_PEERS_MAX);
  if (whole && stuck > HD_STUCK_PEERS_MAX) {
    sentences[*count] = hd_arena_printf(arena, "and %zu more peers %s", stuck - HD_STUCK_PEERS_MAX, and_more);
    whole = sentences[(*count)++] != NULL;
  }
  return whole ? sentences : NULL;
}

const char *const *hd_explain_stuck(const hd_lowering *lowering, const uint64_t *state, hd_arena *arena,
                                    size_t *count) {
  return explain_peers(lowering, state, NULL, "may not stop", arena, count);
}

const char **hd_explain_left_behind(const hd_lowering *lowering, const uint64_t *state, const uint64_t *peers,
                                    hd_arena *arena, size_t *count) {
  return explain_peers(lowering, state, peers, "never move again", arena, count);
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
  finding->unit = "send";
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
