/* The projection of a choreography on its peers (choreography.h; the paper, section 3).
 *
 * For peer P an arc  Q -> R : m  of the block becomes  !m  when P = Q,  ?m  when P = R, and silent otherwise; the
 * result is determinised over the silent moves (subset.c). A local state is thus the set of choreography states that P
 * cannot tell apart, and the sets are kept: explanations, `may_stop` and the state names come from them.
 *
 *   label of an arc = message            when P sends     (so sends sort before receives, each by message)
 *                     messages + message when P receives
 *
 * P may stop in a set that contains an end of the block (hd_chor_is_end). A peer that exchanges no message at all has
 * nothing to do: one state, in which it may stop. Names list the members, "{s0,s2}"; of a set with more than NAMES_MAX
 * only the first ones and how many follow, with the state's number to keep names apart: "{s0,s1,+2990}@17".
 * Threads: none. Cost per peer: for each set the arcs of its members; closures of equal targets are shared. */
#include "frontends/choreography/subset.h"

#include "frontends/choreography/choreography.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 24, NAMES_SHOWN = 8 };

/* One block's arcs in the form the construction wants; `label` is rewritten for every peer. */
typedef struct projection {
  const hd_chor_file *file;
  const hd_chor *block;
  hd_arena *arena;
  const hd_subset_limits *limits;
  uint32_t *label, *to; /* per arc of the block */
} projection;

static uint32_t label_for(const projection *p, const hd_chor_arc *arc, uint32_t peer) {
  const hd_message_info *message = &p->file->alphabet.messages[arc->message.v];
  if (message->from.v == peer) {
    return arc->message.v;
  }
  return message->to.v == peer ? p->file->alphabet.message_count + arc->message.v : HDI_SILENT;
}

/* "{s0,s2}" in the arena. */
static const char *name_set(const projection *p, const uint32_t *members, uint32_t count, uint32_t state) {
  hd_buffer text = {0};
  uint32_t shown = count > NAMES_MAX ? NAMES_SHOWN : count;
  hd_buffer_add_text(&text, "{");
  for (uint32_t i = 0; i < shown; i++) {
    hd_buffer_add_text(&text, i == 0 ? "" : ",");
    hd_buffer_add_text(&text, p->block->states[members[i]].name);
  }
  if (shown < count) {
    hd_buffer_printf(&text, ",+%u}@%u", count - shown, state);
  } else {
    hd_buffer_add_text(&text, "}");
  }
  const char *name = text.failed ? NULL : hd_arena_copy_text(p->arena, text.data, text.size_bytes);
  hd_buffer_free(&text);
  return name;
}

/* Names and may_stop from the sets. */
static hd_status describe_states(const projection *p, hd_machine *machine) {
  machine->state_names = hd_arena_alloc_array(p->arena, machine->state_count, sizeof machine->state_names[0]);
  machine->may_stop = hd_arena_alloc_array(p->arena, machine->state_count, sizeof machine->may_stop[0]);
  if (machine->state_names == NULL || machine->may_stop == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t s = 0; s < machine->state_count; s++) {
    const uint32_t *members = machine->members + machine->set_start[s];
    uint32_t count = machine->set_start[s + 1] - machine->set_start[s];
    machine->may_stop[s] = machine->arc_count == 0;
    for (uint32_t i = 0; i < count && !machine->may_stop[s]; i++) {
      machine->may_stop[s] = hd_chor_is_end(p->block, members[i]);
    }
    machine->state_names[s] = name_set(p, members, count, s);
    if (machine->state_names[s] == NULL) {
      return HD_E_NOMEM;
    }
  }
  return HD_OK;
}

static hd_status project_peer(const projection *p, uint32_t peer, hd_machine *machine) {
  for (uint32_t a = 0; a < p->block->arc_count; a++) {
    p->label[a] = label_for(p, &p->block->arcs[a], peer);
  }
  hdi_nfa nfa = {.state_count = p->block->state_count,
                 .initial = p->block->initial,
                 .first_arc = p->block->first_arc,
                 .arc_label = p->label,
                 .arc_to = p->to};
  hdi_subsets subsets;
  hd_status status = hdi_subset_construct(&nfa, p->arena, p->limits, &subsets);
  if (status != HD_OK) {
    return status;
  }
  uint32_t messages = p->file->alphabet.message_count;
  *machine = (hd_machine){.peer = {peer},
                          .state_count = subsets.state_count,
                          .initial = 0,
                          .arc_count = subsets.arc_count,
                          .first_arc = subsets.first_arc,
                          .members = subsets.members,
                          .set_start = subsets.set_start};
  machine->arcs = hd_arena_alloc_array(p->arena, subsets.arc_count + (size_t)1, sizeof machine->arcs[0]);
  if (machine->arcs == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < subsets.arc_count; a++) {
    const hdi_subset_arc *arc = &subsets.arcs[a];
    bool send = arc->label < messages;
    machine->arcs[a] = (hd_machine_arc){.from = arc->from,
                                        .to = arc->to,
                                        .message = {send ? arc->label : arc->label - messages},
                                        .send = send,
                                        .span = p->block->arcs[arc->source].span};
  }
  return describe_states(p, machine);
}

/* Which block each peer belongs to: where its first message is; a peer without any goes with the first block. */
static uint32_t *blocks_of_peers(const hd_chor_file *file) {
  uint32_t *block_of = calloc(file->alphabet.peer_count + (size_t)1, sizeof *block_of);
  for (uint32_t b = file->block_count; block_of != NULL && b-- > 0;) {
    for (uint32_t a = 0; a < file->blocks[b].arc_count; a++) {
      const hd_message_info *message = &file->alphabet.messages[file->blocks[b].arcs[a].message.v];
      block_of[message->from.v] = b;
      block_of[message->to.v] = b;
    }
  }
  return block_of;
}

static hd_status project_block(const hd_chor_file *file, uint32_t b, const uint32_t *block_of,
                               const hd_subset_limits *limits, hd_system *system) {
  projection p = {.file = file, .block = &file->blocks[b], .arena = system->arena, .limits = limits};
  size_t arcs = p.block->arc_count + (size_t)1;
  p.label = malloc(arcs * sizeof p.label[0]);
  p.to = malloc(arcs * sizeof p.to[0]);
  hd_status status = p.label != NULL && p.to != NULL ? HD_OK : HD_E_NOMEM;
  for (uint32_t a = 0; status == HD_OK && a < p.block->arc_count; a++) {
    p.to[a] = p.block->arcs[a].to;
  }
  for (uint32_t peer = 0; status == HD_OK && peer < system->machine_count; peer++) {
    if (block_of[peer] == b) {
      status = project_peer(&p, peer, &system->machines[peer]);
    }
  }
  free(p.label);
  free(p.to);
  return status;
}

hd_status hd_project(const hd_chor_file *file, const hd_subset_limits *limits, hd_system **out) {
  *out = NULL;
  hd_arena *arena = hd_arena_new();
  hd_system *system = arena == NULL ? NULL : hd_arena_alloc(arena, sizeof *system);
  uint32_t *block_of = blocks_of_peers(file);
  hd_status status = system != NULL && block_of != NULL ? HD_OK : HD_E_NOMEM;
  if (status == HD_OK) {
    *system = (hd_system){
        .arena = arena, .text = file->text, .alphabet = file->alphabet, .machine_count = file->alphabet.peer_count};
    system->machines = hd_arena_alloc_array(arena, system->machine_count + (size_t)1, sizeof system->machines[0]);
    status = system->machines != NULL ? HD_OK : HD_E_NOMEM;
  }
  for (uint32_t b = 0; status == HD_OK && b < file->block_count; b++) {
    status = project_block(file, b, block_of, limits, system);
  }
  free(block_of);
  if (status != HD_OK) {
    hd_arena_free(arena);
    return status;
  }
  *out = system;
  return HD_OK;
}
