/* Breadth-first walks over a draft (paper_graph.h). The order of arcs is that of hdi_draft_look, so what is found first
 * depends on the text alone. Threads: one graph, one thread. */
#include "frontends/choreography/paper_graph.h"

#include <string.h>

hd_status hdi_graph_make(const hdi_draft *draft, hd_arena *arena, hdi_graph *out) {
  *out = (hdi_graph){.draft = draft};
  hd_status status = hdi_draft_look(draft, arena, &out->view);
  out->found = hd_arena_alloc_array(arena, draft->state_count, sizeof out->found[0]);
  out->via = hd_arena_alloc_array(arena, draft->state_count, sizeof out->via[0]);
  out->seen = hd_arena_alloc_array(arena, draft->state_count, sizeof out->seen[0]);
  return out->found == NULL || out->via == NULL || out->seen == NULL ? HD_E_NOMEM : status;
}

bool hdi_graph_concerns(const hdi_graph *graph, hd_message message, uint32_t peer) {
  const hd_message_info *info = &graph->draft->alphabet.messages[message.v];
  return info->from.v == peer || info->to.v == peer;
}

void hdi_graph_walk(hdi_graph *graph, uint32_t start, uint32_t silent_for) {
  const hdi_draft *draft = graph->draft;
  memset(graph->seen, 0, draft->state_count * sizeof graph->seen[0]);
  memset(graph->via, 0xFF, draft->state_count * sizeof graph->via[0]);
  graph->seen[start] = true;
  graph->found[0] = start;
  graph->found_count = 1;
  for (uint32_t i = 0; i < graph->found_count; i++) {
    uint32_t state = graph->found[i];
    for (uint32_t k = graph->view.first_arc[state]; k < graph->view.first_arc[state + 1]; k++) {
      uint32_t a = graph->view.arcs[k];
      const hdi_draft_arc *arc = &draft->arcs[a];
      bool open = silent_for == HD_NONE || !hdi_graph_concerns(graph, arc->message, silent_for);
      if (open && !graph->seen[arc->to]) {
        graph->seen[arc->to] = true;
        graph->via[arc->to] = a;
        graph->found[graph->found_count++] = arc->to;
      }
    }
  }
}

bool hdi_graph_reaches(hdi_graph *graph, uint32_t from, uint32_t to) {
  hdi_graph_walk(graph, from, HD_NONE);
  return graph->seen[to];
}

uint32_t hdi_graph_arc(const hdi_graph *graph, uint32_t state, hd_message message) {
  for (uint32_t k = graph->view.first_arc[state]; k < graph->view.first_arc[state + 1]; k++) {
    if (graph->draft->arcs[graph->view.arcs[k]].message.v == message.v) {
      return graph->view.arcs[k];
    }
  }
  return HD_NONE;
}
