/* Det(C): the deterministic automaton of one block's send language (realizability.h).
 *
 * C has no silent moves of its own, so this is the subset construction with messages as labels; every state accepts,
 * for the languages are closed under prefixes. What the numbering promises (breadth-first, messages ascending) and the
 * sharing of equal sets come from subset.c. Arcs lie sorted by (from, message), so that a step is a binary search in
 * the state's own slice.
 *
 *   arcs       | 0 a 1 | 0 c 2 | 1 b 3 | ...        first_arc  0 2 3 ...
 *
 * Threads: none while it is built; immutable and shared afterwards. Cost: the arcs of the members of all sets. */
#include "frontends/choreography/realizability.h"
#include "frontends/choreography/subset.h"

#include <stdlib.h>

hd_status hd_chor_determinise(const hd_chor *chor, hd_arena *arena, const hd_subset_limits *limits, hd_dfa *out) {
  *out = (hd_dfa){0};
  size_t count = chor->arc_count == 0 ? 1 : chor->arc_count;
  uint32_t *label = malloc(count * sizeof *label), *to = malloc(count * sizeof *to);
  hd_status status = label != NULL && to != NULL ? HD_OK : HD_E_NOMEM;
  hdi_subsets subsets = {0};
  if (status == HD_OK) {
    for (uint32_t a = 0; a < chor->arc_count; a++) {
      label[a] = chor->arcs[a].message.v;
      to[a] = chor->arcs[a].to;
    }
    hdi_nfa nfa = {.state_count = chor->state_count,
                   .initial = chor->initial,
                   .first_arc = chor->first_arc,
                   .arc_label = label,
                   .arc_to = to};
    status = hdi_subset_construct(&nfa, arena, limits, &subsets);
  }
  free(label);
  free(to);
  if (status != HD_OK) {
    return status;
  }
  out->arcs = hd_arena_alloc_array(arena, subsets.arc_count == 0 ? 1 : subsets.arc_count, sizeof out->arcs[0]);
  if (out->arcs == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < subsets.arc_count; a++) {
    const hdi_subset_arc *arc = &subsets.arcs[a];
    out->arcs[a] = (hd_dfa_arc){.from = arc->from, .to = arc->to, .message = {arc->label}};
  }
  out->state_count = subsets.state_count;
  out->arc_count = subsets.arc_count;
  out->first_arc = subsets.first_arc;
  out->members = subsets.members;
  out->set_start = subsets.set_start;
  return HD_OK;
}

uint32_t hd_dfa_next(const hd_dfa *dfa, uint32_t state, hd_message message) {
  uint32_t begin = dfa->first_arc[state], end = dfa->first_arc[state + 1];
  while (begin < end) {
    uint32_t middle = begin + (end - begin) / 2;
    if (dfa->arcs[middle].message.v < message.v) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  bool found = begin < dfa->first_arc[state + 1] && dfa->arcs[begin].message.v == message.v;
  return found ? dfa->arcs[begin].to : HD_NONE;
}
