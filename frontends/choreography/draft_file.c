/* A draft as a file of its own, to be projected and decided (draft.h).
 *
 *   draft arcs  a0 a1 a2 a3 | a4 a5       removed, of dropped states, or equal to an earlier one: left out
 *   in order    by state, then (place, number)
 *   file        states: those that stay, compacted;  arcs: that order, so `from` is sorted as choreography.h wants
 *
 * A state stays when it can be reached from the initial state, or from a state that the user's block had beside its
 * runs already: such a part is the user's text and no business of an edit. A state of that kind that was no more than
 * the target of an arc stays only while some arc still mentions it, as the text says nothing else of it.
 * What is not of the block is shared: the other blocks, names, spans. Threads: any number on one draft. Cost: linear
 * in the draft and the alphabet. */
#include "frontends/choreography/draft.h"
#include "frontends/choreography/tables.h"

#include <stdlib.h>
#include <string.h>

typedef struct looker {
  const hdi_draft *draft;
  uint32_t *order; /* arcs that are not removed, by (from, place, number) */
  uint32_t *first; /* per state, one more at the end: offsets into order */
  bool *kept;      /* per state */
  uint32_t *stack;
} looker;

/* Fills order and first: counting by state, then insertion by place, which few arcs need. */
static void sort_arcs(looker *l) {
  const hdi_draft *draft = l->draft;
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    l->first[draft->arcs[a].from + 1] += draft->arcs[a].removed ? 0 : 1;
  }
  for (uint32_t s = 0; s < draft->state_count; s++) {
    l->first[s + 1] += l->first[s];
  }
  uint32_t *filled = l->stack; /* not in use yet */
  memset(filled, 0, draft->state_count * sizeof filled[0]);
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    const hdi_draft_arc *arc = &draft->arcs[a];
    if (arc->removed) {
      continue;
    }
    uint32_t *list = l->order + l->first[arc->from];
    uint32_t i = filled[arc->from]++;
    for (; i > 0 && draft->arcs[list[i - 1]].place > arc->place; i--) {
      list[i] = list[i - 1];
    }
    list[i] = a;
  }
}

static void keep_reachable(looker *l, uint32_t from) {
  uint32_t depth = 0;
  if (!l->kept[from]) {
    l->kept[from] = true;
    l->stack[depth++] = from;
  }
  while (depth > 0) {
    uint32_t state = l->stack[--depth];
    for (uint32_t i = l->first[state]; i < l->first[state + 1]; i++) {
      uint32_t to = l->draft->arcs[l->order[i]].to;
      if (!l->kept[to]) {
        l->kept[to] = true;
        l->stack[depth++] = to;
      }
    }
  }
}

/* Marks the states of the block as it was that no run reached and that stand in the text on their own: they have arcs,
 * are final, or no arc leads there. `aside` and `stack` have room for every state. */
static void find_aside(const hd_chor *chor, bool *aside, uint32_t *stack) {
  uint32_t depth = 0;
  for (uint32_t s = 0; s < chor->state_count; s++) {
    aside[s] = s != chor->initial;
  }
  stack[depth++] = chor->initial;
  while (depth > 0) {
    uint32_t state = stack[--depth];
    for (uint32_t a = chor->first_arc[state]; a < chor->first_arc[state + 1]; a++) {
      if (aside[chor->arcs[a].to]) {
        aside[chor->arcs[a].to] = false;
        stack[depth++] = chor->arcs[a].to;
      }
    }
  }
  for (uint32_t a = 0; a < chor->arc_count; a++) {
    uint32_t to = chor->arcs[a].to;
    bool only_mentioned = chor->first_arc[to] == chor->first_arc[to + 1] && !chor->states[to].final;
    aside[to] = aside[to] && !only_mentioned;
  }
}

static hd_status keep_states(looker *l) {
  const hdi_draft *draft = l->draft;
  const hd_chor *chor = &draft->file->blocks[draft->block];
  bool *aside = calloc(chor->state_count, sizeof aside[0]);
  if (aside == NULL) {
    return HD_E_NOMEM;
  }
  find_aside(chor, aside, l->stack);
  keep_reachable(l, draft->initial);
  for (uint32_t s = 0; s < chor->state_count; s++) {
    if (aside[s]) {
      keep_reachable(l, s);
    }
  }
  free(aside);
  bool any_final = false;
  for (uint32_t s = 0; s < draft->state_count; s++) {
    any_final |= l->kept[s] && draft->states[s].final;
  }
  if (chor->has_final && !any_final) {
    memset(l->kept, true, draft->state_count * sizeof l->kept[0]); /* or the block would end where no arc goes on */
  }
  return HD_OK;
}

static bool number_states(const looker *l, hd_arena *arena, hdi_draft_view *out) {
  uint32_t states = l->draft->state_count;
  out->number = hd_arena_alloc_array(arena, states, sizeof out->number[0]);
  out->state_of = hd_arena_alloc_array(arena, states, sizeof out->state_of[0]);
  if (out->number == NULL || out->state_of == NULL) {
    return false;
  }
  for (uint32_t s = 0; s < states; s++) {
    out->number[s] = l->kept[s] ? out->state_count : HD_NONE;
    if (l->kept[s]) {
      out->state_of[out->state_count++] = s;
    }
  }
  return true;
}

/* The arcs of the states that stay, without repetitions. */
static bool number_arcs(const looker *l, hd_arena *arena, hdi_draft_view *out) {
  const hdi_draft *draft = l->draft;
  out->arcs = hd_arena_alloc_array(arena, (size_t)draft->arc_count + 1, sizeof out->arcs[0]);
  out->first_arc = hd_arena_alloc_array(arena, (size_t)draft->state_count + 1, sizeof out->first_arc[0]);
  bool made = out->arcs != NULL && out->first_arc != NULL;
  hdi_triple_map seen = {0};
  for (uint32_t s = 0; made && s < draft->state_count; s++) {
    out->first_arc[s] = out->arc_count;
    for (uint32_t i = l->first[s]; made && l->kept[s] && i < l->first[s + 1]; i++) {
      const hdi_draft_arc *arc = &draft->arcs[l->order[i]];
      bool fresh = false;
      made = hdi_triple_map_put(&seen, (hdi_triple){s, arc->message.v, arc->to}, i, NULL, &fresh) == HD_OK;
      if (made && fresh) {
        out->arcs[out->arc_count++] = l->order[i];
      }
    }
  }
  if (made) {
    out->first_arc[draft->state_count] = out->arc_count;
  }
  hdi_triple_map_free(&seen);
  return made;
}

hd_status hdi_draft_look(const hdi_draft *draft, hd_arena *arena, hdi_draft_view *out) {
  *out = (hdi_draft_view){0};
  looker l = {.draft = draft,
              .order = malloc(((size_t)draft->arc_count + 1) * sizeof l.order[0]),
              .first = calloc((size_t)draft->state_count + 1, sizeof l.first[0]),
              .kept = calloc(draft->state_count, sizeof l.kept[0]),
              .stack = malloc(draft->state_count * sizeof l.stack[0])};
  bool made = l.order != NULL && l.first != NULL && l.kept != NULL && l.stack != NULL;
  if (made) {
    sort_arcs(&l);
    made = keep_states(&l) == HD_OK && number_states(&l, arena, out) && number_arcs(&l, arena, out);
  }
  free(l.order);
  free(l.first);
  free(l.kept);
  free(l.stack);
  return made ? HD_OK : HD_E_NOMEM;
}

/* New names are copied, so that the file does not need the draft. */
static const char *keep_name(hd_arena *arena, const char *name, bool own) {
  return own ? name : hd_arena_copy_text(arena, name, strlen(name));
}

static bool build_alphabet(const hdi_draft *draft, hd_arena *arena, hd_alphabet *out) {
  *out = draft->alphabet;
  out->messages = hd_arena_alloc_array(arena, draft->alphabet.message_count, sizeof out->messages[0]);
  if (out->messages == NULL) {
    return false;
  }
  for (uint32_t m = 0; m < out->message_count; m++) {
    out->messages[m] = draft->alphabet.messages[m];
    out->messages[m].name = keep_name(arena, out->messages[m].name, m < draft->file->alphabet.message_count);
    if (out->messages[m].name == NULL) {
      return false;
    }
  }
  return true;
}

static hd_span edit_span(const hdi_draft *draft, uint32_t edit) {
  return draft->edits[edit].span;
}

static bool build_states(const hdi_draft *draft, const hdi_draft_view *view, hd_arena *arena, hd_chor *chor) {
  const hd_chor *was = &draft->file->blocks[draft->block];
  chor->state_count = view->state_count;
  chor->states = hd_arena_alloc_array(arena, view->state_count, sizeof chor->states[0]);
  if (chor->states == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < view->state_count; i++) {
    const hdi_draft_state *state = &draft->states[view->state_of[i]];
    bool own = state->edit == HD_NONE;
    chor->states[i] =
        (hd_chor_state){.name = keep_name(arena, state->name, own),
                        .final = state->final,
                        .span = own ? was->states[view->state_of[i]].span : edit_span(draft, state->edit)};
    chor->has_final |= state->final;
    if (chor->states[i].name == NULL) {
      return false;
    }
  }
  chor->initial = view->number[draft->initial];
  return true;
}

static bool build_arcs(const hdi_draft *draft, const hdi_draft_view *view, hd_arena *arena, hd_chor *chor) {
  const hd_chor *was = &draft->file->blocks[draft->block];
  chor->arc_count = view->arc_count;
  chor->arcs = hd_arena_alloc_array(arena, view->arc_count, sizeof chor->arcs[0]);
  chor->first_arc = hd_arena_alloc_array(arena, (size_t)chor->state_count + 1, sizeof chor->first_arc[0]);
  if (chor->arcs == NULL || chor->first_arc == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < view->arc_count; i++) {
    uint32_t a = view->arcs[i];
    const hdi_draft_arc *arc = &draft->arcs[a];
    chor->arcs[i] = (hd_chor_arc){.from = view->number[arc->from],
                                  .to = view->number[arc->to],
                                  .message = arc->message,
                                  .span = arc->edit == HD_NONE ? was->arcs[a].span : edit_span(draft, arc->edit)};
    chor->first_arc[chor->arcs[i].from + 1]++;
  }
  for (uint32_t s = 0; s < chor->state_count; s++) {
    chor->first_arc[s + 1] += chor->first_arc[s];
  }
  return true;
}

/* Does some arc carry a message of this name? */
static bool is_sent(const hdi_draft *draft, const hd_chor *chor, const char *name) {
  for (uint32_t a = 0; a < chor->arc_count; a++) {
    if (strcmp(draft->alphabet.messages[chor->arcs[a].message.v].name, name) == 0) {
      return true;
    }
  }
  return false;
}

static bool build_rules(const hdi_draft *draft, hd_arena *arena, hd_chor *chor) {
  const hd_chor *was = &draft->file->blocks[draft->block];
  chor->rules = hd_arena_alloc_array(arena, was->rule_count, sizeof chor->rules[0]);
  for (uint32_t r = 0; chor->rules != NULL && r < was->rule_count; r++) {
    if (is_sent(draft, chor, was->rules[r].first) && is_sent(draft, chor, was->rules[r].second)) {
      chor->rules[chor->rule_count++] = was->rules[r];
    }
  }
  return chor->rules != NULL;
}

static bool build_block(const hdi_draft *draft, const hdi_draft_view *view, hd_arena *arena, hd_chor *chor) {
  const hd_chor *was = &draft->file->blocks[draft->block];
  *chor = (hd_chor){.name = was->name, .span = was->span};
  return build_states(draft, view, arena, chor) && build_arcs(draft, view, arena, chor) &&
         build_rules(draft, arena, chor);
}

hd_status hdi_draft_file(const hdi_draft *draft, bool alone, hd_chor_file **out) {
  *out = NULL;
  hd_arena *arena = hd_arena_new();
  hd_chor_file *file = arena == NULL ? NULL : hd_arena_alloc(arena, sizeof *file);
  hdi_draft_view view;
  hd_status status = file == NULL ? HD_E_NOMEM : hdi_draft_look(draft, arena, &view);
  if (status == HD_OK && view.arc_count == 0) {
    status = HD_E_USAGE;
  }
  if (status == HD_OK) {
    uint32_t blocks = alone ? 1 : draft->file->block_count;
    *file = (hd_chor_file){.arena = arena, .text = draft->file->text, .block_count = blocks};
    file->blocks = hd_arena_alloc_array(arena, blocks, sizeof file->blocks[0]);
    bool made = file->blocks != NULL && build_alphabet(draft, arena, &file->alphabet);
    for (uint32_t b = 0; made && b < blocks; b++) {
      bool drafted = alone || b == draft->block;
      file->blocks[b] = draft->file->blocks[b];
      made = !drafted || build_block(draft, &view, arena, &file->blocks[b]);
    }
    status = made ? HD_OK : HD_E_NOMEM;
  }
  if (status != HD_OK) {
    hd_arena_free(arena);
    return status;
  }
  *out = file;
  return HD_OK;
}
