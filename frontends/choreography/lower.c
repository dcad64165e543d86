/* Lowering of communicating machines to the packed transition system I_k (paper, section 3, "k-bounded system").
 *
 * One process type with one instance per peer, one location per local state; location tags are local state numbers,
 * edge tags index hd_lowering.arcs. A queue holds letters 1..n, one per message that can be in it. Mailbox: one queue
 * per receiver; p2p: one per ordered pair. A send pushes its letter (enabled while there is room) and carries the
 * message's label; a receive pops it silently.
 *
 *   P1: s0 --!ms--> s1     edge s0->s1: PUSH queue(P2) 1, label "P1 -> P2 : ms", weight 1
 *   P2: s0 --?ms--> s1     edge s0->s1: POP queue(P2) 1, silent, weight 0
 *
 * Everything compiles to masked compares while a queue fits one word. Deterministic: same system, same model. Cost:
 * linear in arcs, times the bound for the variants of a push. Not thread-safe while building; read-only afterwards. */
#include "frontends/choreography/lower.h"

#include "core/model/builder.h"

#include <string.h>

typedef struct {
  hd_lowering *lowering;
  hd_builder *builder;
  hd_process *processes; /* per machine */
  uint32_t *letter;      /* per message: its letter in its queue */
  hd_status status;
} lower_context;

/* Queue that message `m` travels through, made on first use. */
static uint32_t queue_index(lower_context *context, uint32_t message) {
  hd_lowering *lowering = context->lowering;
  const hd_message_info *info = &lowering->system->alphabet.messages[message];
  for (uint32_t q = 0; q < lowering->queue_count; q++) {
    if (lowering->queue_to[q].v == info->to.v &&
        (lowering->semantics == HD_MAILBOX || lowering->queue_from[q].v == info->from.v)) {
      return q;
    }
  }
  uint32_t q = lowering->queue_count++;
  lowering->queue_to[q] = info->to;
  lowering->queue_from[q] = lowering->semantics == HD_MAILBOX ? (hd_peer){HD_NONE} : info->from;
  return q;
}

static void *take(lower_context *context, size_t count, size_t size_bytes) {
  void *memory = hd_arena_alloc_array(context->lowering->arena, count == 0 ? 1 : count, size_bytes);
  if (memory == NULL) {
    context->status = HD_E_NOMEM;
  }
  return memory;
}

/* Which messages some machine sends or receives. */
static bool *mentioned_messages(lower_context *context) {
  const hd_system *system = context->lowering->system;
  bool *mentioned = take(context, system->alphabet.message_count, sizeof *mentioned);
  for (uint32_t m = 0; mentioned != NULL && m < system->machine_count; m++) {
    const hd_machine *machine = &system->machines[m];
    for (uint32_t a = 0; a < machine->arc_count; a++) {
      mentioned[machine->arcs[a].message.v] = true;
    }
  }
  return mentioned;
}

/* Assigns queues and letters to messages, in message order. */
static void assign_queues(lower_context *context) {
  hd_lowering *lowering = context->lowering;
  const hd_alphabet *alphabet = &lowering->system->alphabet;
  bool *mentioned = mentioned_messages(context);
  lowering->queue_of_message = take(context, alphabet->message_count, sizeof(uint32_t));
  context->letter = take(context, alphabet->message_count, sizeof(uint32_t));
  size_t queues_max = lowering->semantics == HD_MAILBOX ? alphabet->peer_count : alphabet->message_count;
  lowering->queue_from = take(context, queues_max, sizeof(hd_peer));
  lowering->queue_to = take(context, queues_max, sizeof(hd_peer));
  lowering->queues = take(context, queues_max, sizeof(hd_queue));
  lowering->queue_letters = take(context, queues_max, sizeof(hd_message *));
  uint32_t *letters = take(context, queues_max, sizeof(uint32_t));
  if (context->status != HD_OK) {
    return;
  }
  for (uint32_t m = 0; m < alphabet->message_count; m++) {
    lowering->queue_of_message[m] = mentioned[m] ? queue_index(context, m) : HD_NONE;
    if (mentioned[m]) {
      context->letter[m] = ++letters[lowering->queue_of_message[m]];
    }
  }
  for (uint32_t q = 0; q < lowering->queue_count; q++) {
    lowering->queue_letters[q] = take(context, letters[q], sizeof(hd_message));
  }
  if (context->status != HD_OK) {
    return;
  }
  for (uint32_t m = 0; m < alphabet->message_count; m++) {
    if (mentioned[m]) {
      lowering->queue_letters[lowering->queue_of_message[m]][context->letter[m] - 1] = (hd_message){m};
    }
  }
  for (uint32_t q = 0; q < lowering->queue_count; q++) {
    const char *to = alphabet->peers[lowering->queue_to[q].v];
    const char *name = lowering->semantics == HD_MAILBOX
                           ? to
                           : hd_arena_printf(lowering->arena, "%s->%s", alphabet->peers[lowering->queue_from[q].v], to);
    lowering->queues[q] =
        hd_build_queue(context->builder, &(hd_queue_desc){.name = name == NULL ? to : name,
                                                          .capacity = lowering->bound,
                                                          .letters = letters[q],
                                                          .must_be_empty = true,
                                                          .owner = context->processes[lowering->queue_to[q].v]});
  }
}

static void build_processes(lower_context *context) {
  const hd_system *system = context->lowering->system;
  for (uint32_t m = 0; m < system->machine_count; m++) {
    const char *name = system->alphabet.peers[system->machines[m].peer.v];
    context->processes[system->machines[m].peer.v] =
        hd_build_process(context->builder, &(hd_process_desc){.name = name, .instances = 1, .started = 1});
  }
}

static void build_labels(lower_context *context) {
  hd_lowering *lowering = context->lowering;
  const hd_alphabet *alphabet = &lowering->system->alphabet;
  for (uint32_t m = 0; m < alphabet->message_count; m++) {
    const hd_message_info *info = &alphabet->messages[m];
    const char *name = hd_arena_printf(lowering->arena, "%s -> %s : %s", alphabet->peers[info->from.v],
                                       alphabet->peers[info->to.v], info->name);
    if (name == NULL) {
      context->status = HD_E_NOMEM;
      return;
    }
    lowering->labels[m] = hd_build_label(context->builder, name);
  }
}

/* In this local state the peer only reads, from one queue, and at most one way for each message: it may read as soon as
 * it can (theorem 8). */
static bool is_attentive(const hd_lowering *lowering, const hd_machine *machine, uint32_t state) {
  uint32_t begin = machine->first_arc[state], end = machine->first_arc[state + 1];
  for (uint32_t a = begin; a < end; a++) {
    const hd_machine_arc *arc = &machine->arcs[a], *first = &machine->arcs[begin];
    bool same_queue = lowering->queue_of_message[arc->message.v] == lowering->queue_of_message[first->message.v];
    bool twice = a > begin && arc[-1].message.v == arc->message.v; /* arcs are sorted by message */
    if (arc->send || !same_queue || twice) {
      return false;
    }
  }
  return begin < end;
}

/* Locations of one machine; the initial one is built first, since a process starts there. */
static void build_locations(lower_context *context, const hd_machine *machine, hd_loc *locs) {
  hd_process process = context->processes[machine->peer.v];
  for (uint32_t i = 0; i < machine->state_count; i++) {
    uint32_t s = i == 0 ? machine->initial : i <= machine->initial ? i - 1 : i;
    uint32_t flags = machine->may_stop[s] ? HD_LOC_END : 0;
    flags |= context->lowering->eager && is_attentive(context->lowering, machine, s) ? HD_LOC_EAGER : 0;
    locs[s] = hd_build_loc(context->builder, process, machine->state_names[s], flags, s);
  }
}

static void build_edges(lower_context *context, const hd_machine *machine, const hd_loc *locs, uint32_t first_tag) {
  hd_lowering *lowering = context->lowering;
  for (uint32_t a = 0; a < machine->arc_count; a++) {
    const hd_machine_arc *arc = &machine->arcs[a];
    hd_stmt stmt = {.kind = arc->send ? HD_STMT_PUSH : HD_STMT_POP,
                    .a = hd_build_const(context->builder, context->letter[arc->message.v]),
                    .queue = lowering->queues[lowering->queue_of_message[arc->message.v]]};
    hd_build_edge(context->builder, &(hd_edge_desc){.from = locs[arc->from],
                                                    .to = locs[arc->to],
                                                    .stmts = &stmt,
                                                    .stmt_count = 1,
                                                    .kind = arc->send ? HD_EDGE_SEND : HD_EDGE_RECEIVE,
                                                    .label = arc->send ? lowering->labels[arc->message.v] : HD_NO_LABEL,
                                                    .weight = arc->send ? 1 : 0,
                                                    .span = arc->span,
                                                    .statement = first_tag + a,
                                                    .tag = first_tag + a});
    lowering->arcs[first_tag + a] = arc;
    lowering->arc_peer[first_tag + a] = machine->peer;
  }
}

static void build_machines(lower_context *context) {
  hd_lowering *lowering = context->lowering;
  const hd_system *system = lowering->system;
  uint32_t arcs = 0;
  for (uint32_t m = 0; m < system->machine_count; m++) {
    arcs += system->machines[m].arc_count;
  }
  lowering->arcs = take(context, arcs, sizeof(hd_machine_arc *));
  lowering->arc_peer = take(context, arcs, sizeof(hd_peer));
  uint32_t tag = 0;
  for (uint32_t m = 0; m < system->machine_count && context->status == HD_OK; m++) {
    const hd_machine *machine = &system->machines[m];
    hd_loc *locs = take(context, machine->state_count, sizeof *locs);
    if (locs == NULL) {
      return;
    }
    build_locations(context, machine, locs);
    build_edges(context, machine, locs, tag);
    tag += machine->arc_count;
  }
}

/* Det(C) of one block as a monitor over the labels of the block's messages. */
static void build_monitor(lower_context *context, const hd_chor *block, const hd_dfa *dfa) {
  hd_lowering *lowering = context->lowering;
  uint32_t message_count = lowering->system->alphabet.message_count;
  bool *used = take(context, message_count, sizeof *used);
  hd_label *labels = take(context, message_count, sizeof *labels);
  if (context->status != HD_OK) {
    return;
  }
  for (uint32_t a = 0; a < block->arc_count; a++) {
    used[block->arcs[a].message.v] = true;
  }
  size_t label_count = 0;
  for (uint32_t m = 0; m < message_count; m++) {
    if (used[m]) {
      labels[label_count++] = lowering->labels[m];
    }
  }
  const char *name = block->name == NULL ? "choreography" : block->name;
  hd_monitor monitor = hd_build_monitor(context->builder, name, dfa->state_count, 0, labels, label_count);
  for (uint32_t a = 0; a < dfa->arc_count; a++) {
    hd_build_monitor_arc(context->builder, monitor, dfa->arcs[a].from, lowering->labels[dfa->arcs[a].message.v],
                         dfa->arcs[a].to);
  }
}

hd_status hd_lower_system(const hd_system *system, const hd_chor_file *file, const hd_dfa *dfas, uint32_t bound,
                          hd_semantics semantics, bool eager, hd_lowering **out) {
  HD_REQUIRE(bound >= 1 && out != NULL && (dfas == NULL || file != NULL));
  *out = NULL;
  hd_arena *arena = hd_arena_new();
  hd_lowering *lowering = arena == NULL ? NULL : hd_arena_alloc(arena, sizeof *lowering);
  lower_context context = {.lowering = lowering, .builder = hd_builder_new(), .status = HD_OK};
  if (lowering == NULL || context.builder == NULL) {
    hd_builder_free(context.builder);
    hd_arena_free(arena);
    return HD_E_NOMEM;
  }
  *lowering = (hd_lowering){.arena = arena, .system = system, .bound = bound, .semantics = semantics, .eager = eager};
  context.processes = take(&context, system->alphabet.peer_count, sizeof(hd_process));
  lowering->labels = take(&context, system->alphabet.message_count, sizeof(hd_label));
  if (context.status == HD_OK) {
    build_processes(&context);
    build_labels(&context);
  }
  if (context.status == HD_OK) {
    assign_queues(&context);
  }
  if (context.status == HD_OK) {
    build_machines(&context);
  }
  for (uint32_t b = 0; dfas != NULL && b < file->block_count && context.status == HD_OK; b++) {
    build_monitor(&context, &file->blocks[b], &dfas[b]);
  }
  if (context.status == HD_OK) {
    context.status = hd_builder_finish(context.builder, &lowering->model);
  } else {
    hd_builder_free(context.builder);
  }
  if (context.status != HD_OK) {
    hd_lowering_free(lowering);
    return context.status;
  }
  *out = lowering;
  return HD_OK;
}

void hd_lowering_free(hd_lowering *lowering) {
  if (lowering != NULL) {
    hd_model_free(lowering->model);
    hd_arena_free(lowering->arena);
  }
}
