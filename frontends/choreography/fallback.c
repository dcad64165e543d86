/* The repairs that always exist (repair.h; proofs in docs/choreography-repair.md).
 *
 * Relaxation: one state in which every message may be sent at any time. Every peer can always send all its messages and
 * read whatever comes, so no one is ever confused, and nothing is ever stuck.
 *
 * Restriction: one peer at a time decides. Every state s with arcs has a decider, the sender of its first arc. An arc
 * s -m(P->Q)-> t becomes
 *
 *   s -decider(s)->P-> . -P->Q-> . -m-> . -Q->decider(t)-> t
 *
 * where each new message has a name of its own (left out: a message from a peer to itself, and the last one when
 * nothing follows t). The decider of s says which arc is taken, P tells Q before it sends m, and Q hands over: whoever
 * may send knows the state, everyone else waits for a message, and nothing is sent before the last message was read.
 * Threads: no state. Cost: O(arcs + messages). */
#include "frontends/choreography/repair.h"

hd_status hdi_fallback_relaxation(const hdi_repair_query *query, hdi_draft **out) {
  const hd_chor *chor = &query->file->blocks[query->block];
  hdi_draft *draft = NULL;
  *out = NULL;
  hd_status status = hdi_draft_open(query->file, query->block, query->costs, &draft);
  uint32_t all = 0;
  if (status == HD_OK) {
    status = hdi_draft_begin(draft, HDI_EDIT_REPLACE, HDI_CASE_NONE, chor->span,
                             "replaces the behaviour by one state that allows every message at any time");
  }
  if (status == HD_OK) {
    status = hdi_draft_add_state(draft, HD_NONE, chor->has_final, &all);
  }
  if (status == HD_OK) {
    status = hdi_draft_set_initial(draft, all);
  }
  for (uint32_t a = 0; status == HD_OK && a < chor->arc_count; a++) {
    if (hdi_draft_find_arc(draft, all, chor->arcs[a].message, all) == HD_NONE) {
      status = hdi_draft_add_arc(draft, all, chor->arcs[a].message, all, HD_NONE);
    }
  }
  if (status != HD_OK) {
    hdi_draft_free(draft);
    return status;
  }
  *out = draft;
  return HD_OK;
}

static hd_peer decider(const hd_chor_file *file, const hd_chor *chor, uint32_t state) {
  return file->alphabet.messages[chor->arcs[chor->first_arc[state]].message.v].from;
}

hd_status hdi_fallback_sites(const hdi_repair_query *query, hd_arena *arena, hdi_sync_site **out, size_t *count) {
  const hd_chor *chor = &query->file->blocks[query->block];
  hdi_sync_site *sites = hd_arena_alloc_array(arena, 3 * (size_t)chor->arc_count, sizeof *sites);
  *out = sites;
  *count = 0;
  if (sites == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < chor->arc_count; a++) {
    const hd_chor_arc *arc = &chor->arcs[a];
    const hd_message_info *info = &query->file->alphabet.messages[arc->message.v];
    hd_peer first = decider(query->file, chor, arc->from);
    if (first.v != info->from.v) {
      sites[(*count)++] = (hdi_sync_site){a, true, 0, first, info->from};
    }
    sites[(*count)++] = (hdi_sync_site){a, true, 1, info->from, info->to};
    if (chor->first_arc[arc->to + 1] > chor->first_arc[arc->to]) {
      hd_peer next = decider(query->file, chor, arc->to);
      if (next.v != info->to.v) {
        sites[(*count)++] = (hdi_sync_site){a, false, 0, info->to, next};
      }
    }
  }
  return HD_OK;
}
