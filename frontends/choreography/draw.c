/* DOT drawings with the counterexample highlighted.
 *
 * A choreography may be nondeterministic: the path drawn is the least one in arc order along which the longest prefix
 * of the run's sends can be followed. It is found by keeping, for each prefix, the states that can be reached and the
 * arc each was first reached by, then walking back. Cost: sends times arcs of the blocks; machines: steps plus arcs.
 * Any thread. */
#include "frontends/choreography/draw.h"

#include "frontends/choreography/explain.h"

#include <string.h>

static void draw_quoted(hd_buffer *out, const char *text) {
  hd_buffer_add_text(out, "\"");
  hd_print_escaped(text, out);
  hd_buffer_add_text(out, "\"");
}

/* The path of one block that a run follows. */
typedef struct {
  bool *arc_used, *state_used; /* per arc, per state */
  uint32_t last;               /* state after the longest prefix; HD_NONE when the run does not touch the block */
  uint32_t extra;              /* message that the block does not allow then, HD_NONE when it follows the whole run */
} block_path;

/* Messages of the block that the trace sends, in order; `ours` has room for every message and is all false. */
static size_t block_word(const hd_chor *block, const hd_lowering *lowering, const hd_trace *trace, bool *ours,
                         uint32_t *word) {
  for (uint32_t a = 0; a < block->arc_count; a++) {
    ours[block->arcs[a].message.v] = true;
  }
  size_t length = 0;
  for (size_t i = 0; i < trace->length; i++) {
    const hd_machine_arc *arc = hd_explain_step(lowering, &trace->steps[i], NULL);
    if (arc->send && ours[arc->message.v]) {
      word[length++] = arc->message.v;
    }
  }
  return length;
}

/* via[i * states + s]: arc by which state s is reached after i + 1 messages, HD_NONE when it is not. Returns the
 * longest prefix followed. */
static size_t follow(const hd_chor *block, const uint32_t *word, size_t length, uint32_t *via) {
  for (size_t i = 0; i < length; i++) {
    bool any = false;
    uint32_t *row = via + i * block->state_count;
    for (uint32_t s = 0; s < block->state_count; s++) {
      row[s] = HD_NONE;
    }
    for (uint32_t a = 0; a < block->arc_count; a++) {
      const hd_chor_arc *arc = &block->arcs[a];
      bool reached = i == 0 ? arc->from == block->initial : via[(i - 1) * block->state_count + arc->from] != HD_NONE;
      if (reached && arc->message.v == word[i] && row[arc->to] == HD_NONE) {
        row[arc->to] = a;
        any = true;
      }
    }
    if (!any) {
      return i;
    }
  }
  return length;
}

static hd_status find_path(const hd_chor *block, const hd_lowering *lowering, const hd_trace *trace, hd_arena *arena,
                           block_path *path) {
  path->arc_used = hd_arena_alloc_array(arena, (size_t)block->arc_count + 1, sizeof(bool));
  path->state_used = hd_arena_alloc_array(arena, (size_t)block->state_count + 1, sizeof(bool));
  path->last = path->extra = HD_NONE;
  if (path->arc_used == NULL || path->state_used == NULL) {
    return HD_E_NOMEM;
  }
  if (trace == NULL) {
    return HD_OK;
  }
  uint32_t *word = hd_arena_alloc_array(arena, trace->length + 1, sizeof *word);
  bool *ours = hd_arena_alloc_array(arena, (size_t)lowering->system->alphabet.message_count + 1, sizeof *ours);
  if (word == NULL || ours == NULL) {
    return HD_E_NOMEM;
  }
  size_t length = block_word(block, lowering, trace, ours, word);
  uint32_t *via = hd_arena_alloc_array(arena, (length + 1) * block->state_count, sizeof *via);
  if (via == NULL) {
    return HD_E_NOMEM;
  }
  size_t followed = follow(block, word, length, via);
  path->extra = followed < length ? word[followed] : HD_NONE;
  uint32_t state = block->initial;
  for (uint32_t s = 0; followed > 0 && s < block->state_count; s++) {
    if (via[(followed - 1) * block->state_count + s] != HD_NONE) {
      state = s;
      break;
    }
  }
  path->last = length == 0 ? HD_NONE : state;
  path->state_used[state] = length != 0;
  for (size_t i = followed; i > 0; i--) {
    uint32_t arc = via[(i - 1) * block->state_count + state];
    path->arc_used[arc] = true;
    state = block->arcs[arc].from;
    path->state_used[state] = true;
  }
  return HD_OK;
}

static void draw_message(hd_buffer *out, const hd_alphabet *alphabet, uint32_t message) {
  const hd_message_info *info = &alphabet->messages[message];
  hd_buffer_add_text(out, "\"");
  hd_print_escaped(alphabet->peers[info->from.v], out);
  hd_buffer_add_text(out, " -> ");
  hd_print_escaped(alphabet->peers[info->to.v], out);
  hd_buffer_add_text(out, " : ");
  hd_print_escaped(info->name, out);
  hd_buffer_add_text(out, "\"");
}

static void draw_block(hd_buffer *out, const hd_chor_file *file, uint32_t index, const block_path *path) {
  const hd_chor *block = &file->blocks[index];
  hd_buffer_printf(out, "  subgraph cluster_%u {\n    label=", index);
  draw_quoted(out, block->name == NULL ? "choreography" : block->name);
  hd_buffer_printf(out, ";\n    b%u_start [shape=point];\n    b%u_start -> b%u_s%u;\n", index, index, index,
                   block->initial);
  for (uint32_t s = 0; s < block->state_count; s++) {
    hd_buffer_printf(out, "    b%u_s%u [label=", index, s);
    draw_quoted(out, block->states[s].name);
    hd_buffer_printf(out, "%s%s];\n", hd_chor_is_end(block, s) ? ",shape=doublecircle" : "",
                     path->state_used[s] ? ",color=red,penwidth=2" : "");
  }
  for (uint32_t a = 0; a < block->arc_count; a++) {
    const hd_chor_arc *arc = &block->arcs[a];
    hd_buffer_printf(out, "    b%u_s%u -> b%u_s%u [label=", index, arc->from, index, arc->to);
    draw_message(out, &file->alphabet, arc->message.v);
    hd_buffer_printf(out, "%s];\n", path->arc_used[a] ? ",color=red,fontcolor=red,penwidth=2" : "");
  }
  if (path->extra != HD_NONE) {
    hd_buffer_printf(
        out,
        "    b%u_extra [label=\"not in the choreography\",shape=box,style=dashed,color=red,fontcolor=red];\n"
        "    b%u_s%u -> b%u_extra [style=dashed,color=red,fontcolor=red,penwidth=2,label=",
        index, index, path->last, index);
    draw_message(out, &file->alphabet, path->extra);
    hd_buffer_add_text(out, "];\n");
  }
  hd_buffer_add_text(out, "  }\n");
}

void hd_draw_choreography(const hd_chor_file *file, const hd_lowering *lowering, const hd_trace *trace,
                          hd_buffer *out) {
  hd_arena *arena = hd_arena_new();
  hd_buffer_add_text(out, "digraph heddle {\n  rankdir=LR;\n  node [shape=circle];\n");
  for (uint32_t b = 0; arena != NULL && b < file->block_count; b++) {
    block_path path;
    if (find_path(&file->blocks[b], lowering, trace, arena, &path) != HD_OK) {
      out->failed = 1;
      break;
    }
    draw_block(out, file, b, &path);
  }
  hd_buffer_add_text(out, "}\n");
  out->failed |= arena == NULL;
  hd_arena_free(arena);
}

/* Which arcs of each machine the trace uses, by the machines' order: used[machine's first + arc]. NULL when memory is
 * out. */
static bool *used_arcs(const hd_system *system, const hd_lowering *lowering, const hd_trace *trace, size_t *first,
                       hd_arena *arena) {
  size_t arcs = 0;
  for (uint32_t m = 0; m < system->machine_count; m++) {
    first[m] = arcs;
    arcs += system->machines[m].arc_count;
  }
  bool *used = hd_arena_alloc_array(arena, arcs + 1, sizeof *used);
  for (size_t i = 0; used != NULL && trace != NULL && i < trace->length; i++) {
    hd_peer peer;
    const hd_machine_arc *arc = hd_explain_step(lowering, &trace->steps[i], &peer);
    used[first[peer.v] + (size_t)(arc - system->machines[peer.v].arcs)] = true;
  }
  return used;
}

/* `last`: the state the run ends in, HD_NONE without a run. */
static void draw_machine(hd_buffer *out, const hd_system *system, uint32_t m, const bool *used, uint32_t last) {
  const hd_machine *machine = &system->machines[m];
  hd_buffer_printf(out, "  subgraph cluster_%u {\n    label=", m);
  draw_quoted(out, system->alphabet.peers[machine->peer.v]);
  hd_buffer_printf(out, ";\n    m%u_start [shape=point];\n    m%u_start -> m%u_s%u;\n", m, m, m, machine->initial);
  for (uint32_t s = 0; s < machine->state_count; s++) {
    hd_buffer_printf(out, "    m%u_s%u [label=", m, s);
    draw_quoted(out, machine->state_names[s]);
    hd_buffer_printf(out, "%s%s];\n", machine->may_stop[s] ? ",shape=doublecircle" : "",
                     s == last ? ",color=red,penwidth=2" : "");
  }
  for (uint32_t a = 0; a < machine->arc_count; a++) {
    const hd_machine_arc *arc = &machine->arcs[a];
    hd_buffer_printf(out, "    m%u_s%u -> m%u_s%u [label=\"", m, arc->from, m, arc->to);
    hd_machine_print_label(system, arc, out);
    hd_buffer_printf(out, "\"%s];\n", used[a] ? ",color=red,fontcolor=red,penwidth=2" : "");
  }
  hd_buffer_add_text(out, "  }\n");
}

void hd_draw_system(const hd_system *system, const hd_lowering *lowering, const hd_trace *trace, hd_buffer *out) {
  hd_arena *arena = hd_arena_new();
  size_t *first = arena == NULL ? NULL : hd_arena_alloc_array(arena, (size_t)system->machine_count + 1, sizeof *first);
  const bool *used = first == NULL ? NULL : used_arcs(system, lowering, trace, first, arena);
  hd_buffer_add_text(out, "digraph heddle {\n  rankdir=LR;\n  node [shape=circle];\n");
  for (uint32_t m = 0; used != NULL && m < system->machine_count; m++) {
    uint32_t last = HD_NONE;
    if (trace != NULL) {
      const uint64_t *state = trace->states + trace->length * trace->words;
      last = hd_model_loc_tag(lowering->model, hd_model_location(lowering->model, state, m));
    }
    draw_machine(out, system, m, used + first[m], last);
  }
  hd_buffer_add_text(out, "}\n");
  out->failed |= used == NULL;
  hd_arena_free(arena);
}
