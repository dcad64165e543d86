/* Repair by restriction, case by case (paper.h; the paper, 4.3): which new message P_i must wait for.
 *
 *   case 1   t_i -m(P->P')-> t, P_i takes no part in m, and c_i can be reached from t (independent sequences):
 *            t_i -m-> ns -nm(P'->P_i)-> t
 *   case 2   otherwise (independent branches), where m_(i-1) was sent by P_(i-1):
 *            c_i -nm(P_(i-1)->P_i)-> ns -m_i-> c_(i+1)
 *
 * Case 1 asks for P' other than P_i too: the paper does not say so, but its message would go from P_i to itself, and
 * P_i waits for m anyway. Case 2 has the same hole and no way round it: when P_i itself sent the last message the
 * literal rule has no message to offer, which is reported. There is a last message: after the empty word P_i comes from
 * t_i to c_i by moves that it does not see, the first of which is one for case 1.
 * Threads: one draft, one thread. Cost: a walk for each arc of t_i. */
#include "frontends/choreography/paper.h"

#include "frontends/choreography/paper_graph.h"

#include <inttypes.h>

/* The arc of t_i that case 1 speaks of, HD_NONE when there is none. */
static uint32_t find_independent(hdi_graph *graph, const hdi_paper_difference *d) {
  const hdi_draft *draft = graph->draft;
  for (uint32_t k = graph->view.first_arc[d->state]; k < graph->view.first_arc[d->state + 1]; k++) {
    uint32_t a = graph->view.arcs[k];
    if (!hdi_graph_concerns(graph, draft->arcs[a].message, d->peer.v)) {
      hdi_graph_walk(graph, draft->arcs[a].to, d->peer.v);
      if (graph->seen[draft->arcs[d->arc].from]) {
        return a;
      }
    }
  }
  return HD_NONE;
}

/* The place in the text that a change of the arc changes. */
static hd_span arc_span(const hdi_draft *draft, uint32_t arc) {
  uint32_t own = draft->arcs[arc].origin;
  return own != HD_NONE ? draft->file->blocks[draft->block].arcs[own].span : draft->edits[draft->arcs[arc].edit].span;
}

static const char *peer_name(const hdi_draft *draft, hd_peer peer) {
  return draft->alphabet.peers[peer.v];
}

/* Case 1. */
static hd_status notify_after(hdi_draft *draft, const hdi_paper_difference *d, uint32_t arc) {
  const hd_message_info *awaited = &draft->alphabet.messages[draft->arcs[arc].message.v];
  hd_peer from = awaited->to;
  hd_message sync;
  hd_status status =
      hdi_draft_begin(draft, HDI_EDIT_ADD_SYNC, HDI_CASE_RESTRICT_1, arc_span(draft, arc),
                      "after %s in %s, %s tells %s by nm%" PRIu64 " before it goes on to %s", awaited->name,
                      draft->states[draft->arcs[arc].from].name, peer_name(draft, from), peer_name(draft, d->peer),
                      draft->message_number, draft->states[draft->arcs[arc].to].name);
  if (status == HD_OK) {
    status = hdi_draft_add_message(draft, from, d->peer, &sync);
  }
  return status == HD_OK ? hdi_draft_sync(draft, arc, false, sync) : status;
}

/* Case 2. */
static hd_status wait_before(hdi_draft *draft, const hdi_paper_difference *d, hd_peer from) {
  hd_message sync;
  hd_status status =
      hdi_draft_begin(draft, HDI_EDIT_ADD_SYNC, HDI_CASE_RESTRICT_2, arc_span(draft, d->arc),
                      "in %s, %s waits for nm%" PRIu64 " from %s before it sends %s",
                      draft->states[draft->arcs[d->arc].from].name, peer_name(draft, d->peer), draft->message_number,
                      peer_name(draft, from), draft->alphabet.messages[d->extra.v].name);
  if (status == HD_OK) {
    status = hdi_draft_add_message(draft, from, d->peer, &sync);
  }
  return status == HD_OK ? hdi_draft_sync(draft, d->arc, true, sync) : status;
}

hd_status hdi_paper_restrict(hdi_draft *draft, const hdi_paper_difference *difference, bool *applied) {
  hd_arena *arena = hd_arena_new();
  hdi_graph graph;
  hd_status status = arena == NULL ? HD_E_NOMEM : hdi_graph_make(draft, arena, &graph);
  uint32_t independent = status == HD_OK ? find_independent(&graph, difference) : HD_NONE;
  hd_arena_free(arena);
  *applied = false;
  if (status != HD_OK) {
    return status;
  }
  if (independent != HD_NONE) {
    *applied = true;
    return notify_after(draft, difference, independent);
  }
  HD_ASSERT(difference->word_length > 0);
  hd_peer before = draft->alphabet.messages[difference->word[difference->word_length - 1].v].from;
  *applied = before.v != difference->peer.v;
  return *applied ? wait_before(draft, difference, before) : HD_OK;
}
