/* Repair by relaxation, case by case (paper.h; the paper, 4.2): which state t' the new arc  t_i -m_i-> t'  leads to.
 *
 *   something waits in P_i's queue (the peers took different branches):
 *     1a      c_(i+1) can read it, after silent moves          t' is where the arc of that message ends
 *     1b-i    it cannot, and c_(i+1) lies on a cycle           t' is a copy of all that c_(i+1) reaches
 *     1b-ii   it cannot, and does not                          t' is a new state
 *   nothing waits (the choreography orders what nobody can order):
 *     2a      from t_i, after moves silent for P_i, m_i is sent and t_i is reached again: a loop
 *     2a-i      a state of the loop behind m_i, other than t_i, lets P_i send something else     t' is the first such
 *     2a-ii     none does                                                                        t' is t_i
 *     2b-i    no loop, and c_(i+1) reaches t_i                 t' is c_(i+1)
 *     2b-ii   it does not, and c_(i+1) has an arc of m_(i-1)   t' is where it ends; without such an arc a new state
 *
 * Where the paper says "the" path, arc or state and there are several, the first one found breadth-first in the order
 * of the text is meant. A new state is final when c_(i+1), whose place it takes, is. Messages of P_i's own make the
 * "other output action" of 2a-i: with any peer's, figure 5 would not come out as printed.
 * Threads: one draft, one thread. Cost: walks over the draft, one for each arc of m_i in 2a. */
#include "frontends/choreography/paper.h"

#include "frontends/choreography/paper_graph.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct relaxation {
  hdi_draft *draft;
  const hdi_paper_difference *d;
  hdi_graph graph;
  uint32_t after; /* c_(i+1) */
  hdi_chor_case paper_case;
  uint32_t to; /* t' when it exists already */
} relaxation;

/* Case 1a. */
static bool can_read(relaxation *r) {
  hdi_graph_walk(&r->graph, r->after, r->d->peer.v);
  for (uint32_t p = 0; p < r->d->pending_count; p++) {
    for (uint32_t i = 0; i < r->graph.found_count; i++) {
      uint32_t arc = hdi_graph_arc(&r->graph, r->graph.found[i], r->d->pending[p]);
      if (arc != HD_NONE) {
        r->to = r->draft->arcs[arc].to;
        return true;
      }
    }
  }
  return false;
}

static bool on_cycle(relaxation *r, uint32_t state) {
  hdi_graph_walk(&r->graph, state, HD_NONE);
  for (uint32_t i = 0; i < r->graph.found_count; i++) {
    uint32_t from = r->graph.found[i];
    for (uint32_t k = r->graph.view.first_arc[from]; k < r->graph.view.first_arc[from + 1]; k++) {
      if (r->draft->arcs[r->graph.view.arcs[k]].to == state) {
        return true;
      }
    }
  }
  return false;
}

/* Can P_i send something other than m_i here? */
static bool sends_other(const relaxation *r, uint32_t state) {
  for (uint32_t k = r->graph.view.first_arc[state]; k < r->graph.view.first_arc[state + 1]; k++) {
    hd_message message = r->draft->arcs[r->graph.view.arcs[k]].message;
    if (message.v != r->d->extra.v && r->draft->alphabet.messages[message.v].from.v == r->d->peer.v) {
      return true;
    }
  }
  return false;
}

/* The last walk found t_i from behind m_i: looks for 2a-i on that path, from its end to its start, and keeps the
 * earliest. */
static void choose_in_loop(relaxation *r) {
  r->paper_case = HDI_CASE_RELAX_2A_II;
  r->to = r->d->state;
  for (uint32_t via = r->graph.via[r->d->state]; via != HD_NONE;) {
    uint32_t state = r->draft->arcs[via].from;
    if (sends_other(r, state)) {
      r->paper_case = HDI_CASE_RELAX_2A_I;
      r->to = state;
    }
    via = r->graph.via[state];
  }
}

/* Case 2a. The states before m_i are few enough to be kept apart from the walks behind it. */
static hd_status find_loop(relaxation *r, hd_arena *arena, bool *found) {
  *found = false;
  hdi_graph_walk(&r->graph, r->d->state, r->d->peer.v);
  uint32_t count = r->graph.found_count;
  uint32_t *before = hd_arena_alloc_array(arena, count, sizeof before[0]);
  if (before == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t i = 0; i < count; i++) {
    before[i] = r->graph.found[i];
  }
  for (uint32_t i = 0; i < count && !*found; i++) {
    uint32_t arc = hdi_graph_arc(&r->graph, before[i], r->d->extra);
    if (arc != HD_NONE && hdi_graph_reaches(&r->graph, r->draft->arcs[arc].to, r->d->state)) {
      choose_in_loop(r);
      *found = true;
    }
  }
  return HD_OK;
}

static void choose_outside_loop(relaxation *r) {
  if (hdi_graph_reaches(&r->graph, r->after, r->d->state)) {
    r->paper_case = HDI_CASE_RELAX_2B_I;
    r->to = r->after;
    return;
  }
  r->paper_case = HDI_CASE_RELAX_2B_II;
  if (r->d->word_length > 0) {
    uint32_t arc = hdi_graph_arc(&r->graph, r->after, r->d->word[r->d->word_length - 1]);
    r->to = arc == HD_NONE ? HD_NONE : r->draft->arcs[arc].to;
  }
}

static hd_status choose_case(relaxation *r, hd_arena *arena) {
  if (r->d->pending_count > 0) {
    r->paper_case = can_read(r)             ? HDI_CASE_RELAX_1A
                    : on_cycle(r, r->after) ? HDI_CASE_RELAX_1B_I
                                            : HDI_CASE_RELAX_1B_II;
    return HD_OK;
  }
  bool loop = false;
  hd_status status = find_loop(r, arena, &loop);
  if (status == HD_OK && !loop) {
    choose_outside_loop(r);
  }
  return status;
}

static hd_status begin(const relaxation *r) {
  hdi_draft *draft = r->draft;
  const hd_message_info *info = &draft->alphabet.messages[r->d->extra.v];
  bool copies = r->paper_case == HDI_CASE_RELAX_1B_I;
  char fresh[32];
  (void)snprintf(fresh, sizeof fresh, "ns%" PRIu64, draft->state_number);
  uint32_t own = draft->states[r->d->state].origin;
  const hd_chor *chor = &draft->file->blocks[draft->block];
  hd_span span = own != HD_NONE ? chor->states[own].span : draft->edits[draft->states[r->d->state].edit].span;
  return hdi_draft_begin(draft, copies ? HDI_EDIT_COPY_FROM : HDI_EDIT_ADD_ARC, r->paper_case, span,
                         "%s also allows %s -> %s : %s => %s%s%s", draft->states[r->d->state].name,
                         draft->alphabet.peers[info->from.v], draft->alphabet.peers[info->to.v], info->name,
                         r->to != HD_NONE ? draft->states[r->to].name : fresh,
                         copies ? ", a copy of all that follows " : "", copies ? draft->states[r->after].name : "");
}

hd_status hdi_paper_relax(hdi_draft *draft, const hdi_paper_difference *difference, uint32_t states_max) {
  hd_arena *arena = hd_arena_new();
  relaxation r = {.draft = draft, .d = difference, .after = draft->arcs[difference->arc].to, .to = HD_NONE};
  hd_status status = arena == NULL ? HD_E_NOMEM : hdi_graph_make(draft, arena, &r.graph);
  if (status == HD_OK) {
    status = choose_case(&r, arena);
  }
  if (status == HD_OK) {
    status = begin(&r);
  }
  uint32_t edits = draft->edit_count;
  if (status == HD_OK && r.to == HD_NONE) {
    if (r.paper_case == HDI_CASE_RELAX_1B_I) {
      status = hdi_draft_copy_from(draft, r.after, states_max, &r.to);
    } else if (draft->state_count >= states_max) {
      status = HD_E_LIMIT;
    } else {
      status = hdi_draft_add_state(draft, HD_NONE, draft->states[r.after].final, &r.to);
    }
  }
  if (status == HD_OK) {
    status = hdi_draft_add_arc(draft, difference->state, difference->extra, r.to, HD_NONE);
  }
  draft->edit_count = status == HD_E_LIMIT ? edits - 1 : edits; /* nothing but the edit itself was made then */
  hd_arena_free(arena);
  return status;
}
