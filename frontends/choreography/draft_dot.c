/* DOT of a draft, drawn as the paper draws repairs (draft.h): what was added bold and blue, synchronisation dotted and
 * red, everything else black.
 *
 * Added is an arc that is nobody's copy, and a copy made by an edit that adds behaviour with it. A copied arc of a
 * split state, and the old message that a synchronisation moved on to a new state, say nothing new. States are drawn
 * like the arcs that made them: blue when an edit that relaxes added them, red between a message and its
 * synchronisation. Names of nodes are the states' numbers in the draft. Threads: any. Cost: linear. */
#include "frontends/choreography/draft.h"

static void put_quoted(hd_buffer *out, const char *text) {
  hd_buffer_add_text(out, "\"");
  hd_print_escaped(text, out);
  hd_buffer_add_text(out, "\"");
}

static bool relaxes(hdi_chor_edit_kind kind) {
  static const bool kinds[HDI_EDIT_KIND_COUNT] = {
#define HDI_CHOR_EDIT_RELAXES(identifier, name, relaxes, restricts) [HDI_EDIT_##identifier] = (relaxes),
      HD_CHOR_EDIT_TABLE(HDI_CHOR_EDIT_RELAXES)
#undef HDI_CHOR_EDIT_RELAXES
  };
  return kinds[kind];
}

static bool restricts(hdi_chor_edit_kind kind) {
  static const bool kinds[HDI_EDIT_KIND_COUNT] = {
#define HDI_CHOR_EDIT_RESTRICTS(identifier, name, relaxes, restricts) [HDI_EDIT_##identifier] = (restricts),
      HD_CHOR_EDIT_TABLE(HDI_CHOR_EDIT_RESTRICTS)
#undef HDI_CHOR_EDIT_RESTRICTS
  };
  return kinds[kind];
}

static const char *arc_style(const hdi_draft *draft, uint32_t a) {
  const hdi_draft_arc *arc = &draft->arcs[a];
  if (arc->message.v >= draft->file->alphabet.message_count) {
    return ",style=dotted,color=red,fontcolor=red";
  }
  bool own = a < draft->file->blocks[draft->block].arc_count; /* redirected at most */
  bool added = !own && (arc->origin == HD_NONE || relaxes(draft->edits[arc->edit].kind));
  return added ? ",style=bold,color=blue,fontcolor=blue" : "";
}

static const char *state_style(const hdi_draft *draft, const hdi_draft_state *state) {
  if (state->edit == HD_NONE) {
    return "";
  }
  hdi_chor_edit_kind kind = draft->edits[state->edit].kind;
  return restricts(kind) ? ",style=dotted,color=red" : relaxes(kind) ? ",style=bold,color=blue" : "";
}

static void draw_states(const hdi_draft *draft, const hdi_draft_view *view, hd_buffer *out) {
  bool any_final = false;
  for (uint32_t i = 0; i < view->state_count; i++) {
    any_final |= draft->states[view->state_of[i]].final;
  }
  for (uint32_t i = 0; i < view->state_count; i++) {
    uint32_t s = view->state_of[i];
    bool end = any_final ? draft->states[s].final : view->first_arc[s] == view->first_arc[s + 1];
    hd_buffer_printf(out, "  s%u [label=", s);
    put_quoted(out, draft->states[s].name);
    hd_buffer_printf(out, "%s%s];\n", end ? ",shape=doublecircle" : "", state_style(draft, &draft->states[s]));
  }
}

static void draw_arcs(const hdi_draft *draft, const hdi_draft_view *view, hd_buffer *out) {
  for (uint32_t i = 0; i < view->arc_count; i++) {
    const hdi_draft_arc *arc = &draft->arcs[view->arcs[i]];
    const hd_message_info *message = &draft->alphabet.messages[arc->message.v];
    hd_buffer_printf(out, "  s%u -> s%u [label=\"", arc->from, arc->to);
    hd_print_escaped(draft->alphabet.peers[message->from.v], out);
    hd_buffer_add_text(out, " -> ");
    hd_print_escaped(draft->alphabet.peers[message->to.v], out);
    hd_buffer_add_text(out, " : ");
    hd_print_escaped(message->name, out);
    hd_buffer_printf(out, "\"%s];\n", arc_style(draft, view->arcs[i]));
  }
}

void hdi_draft_print_dot(const hdi_draft *draft, hd_buffer *out) {
  hd_arena *arena = hd_arena_new();
  hdi_draft_view view;
  if (arena == NULL || hdi_draft_look(draft, arena, &view) != HD_OK) {
    out->failed = 1;
  } else {
    const char *name = draft->file->blocks[draft->block].name;
    hd_buffer_add_text(out, "digraph heddle {\n  rankdir=LR;\n  label=");
    put_quoted(out, name == NULL ? "choreography" : name);
    hd_buffer_printf(out, ";\n  node [shape=circle];\n  start [shape=point];\n  start -> s%u;\n", draft->initial);
    draw_states(draft, &view, out);
    draw_arcs(draft, &view, out);
    hd_buffer_add_text(out, "}\n");
  }
  hd_arena_free(arena);
}
