/* Walks over a draft that the published rules need. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_PAPER_GRAPH_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_PAPER_GRAPH_H

#include "frontends/choreography/draft.h"

/* The draft's states with the arcs that stay, in their order; states and arcs have the numbers of the draft. */
typedef struct hdi_graph {
  const hdi_draft *draft;
  hdi_draft_view view;
  /* Of the last walk, in the order of discovery, breadth-first: */
  uint32_t *found; /* found_count states */
  uint32_t found_count;
  uint32_t *via; /* per state: the arc by which it was found, HD_NONE: it was not, or it is the start */
  bool *seen;    /* per state */
} hdi_graph;

/* Everything in `arena`. HD_E_NOMEM. */
hd_status hdi_graph_make(const hdi_draft *draft, hd_arena *arena, hdi_graph *out);

/* Walks from `start`, which is found first, over every arc; `silent_for` other than HD_NONE: only over arcs whose
 * message that peer neither sends nor receives. O(arcs). */
void hdi_graph_walk(hdi_graph *graph, uint32_t start, uint32_t silent_for);
/* Does the peer send or receive the message? */
bool hdi_graph_concerns(const hdi_graph *graph, hd_message message, uint32_t peer);
/* Can `to` be reached from `from`, by no step too? A walk. */
bool hdi_graph_reaches(hdi_graph *graph, uint32_t from, uint32_t to);
/* The first arc of the state with this message, HD_NONE when there is none. */
uint32_t hdi_graph_arc(const hdi_graph *graph, uint32_t state, hd_message message);

#endif
