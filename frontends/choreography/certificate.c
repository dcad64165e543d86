/* Why an answer "realizable up to k" holds for every bound (realizability.h); proofs: docs/choreography-theory.md.
 *
 *   lag        no push was ever blocked in a peer's product, so with longer queues it is the same product
 *   diamond    per peer: (a) with its queue always empty the peer never offers a send that Det(C) lacks, and (b) in its
 *              minimal machine !m and ?b from one state exist in both orders and meet; then, by induction over a run,
 *              reading everything that waits leads to where the peer would be in step with C, and what it can send
 *              before reading it can send after it, where (a) applies. With one queue per sender, receives from
 *              different senders must commute in the same way
 *   two peers, rings   queues of length 1 decide (Finkel and Lozes, ICALP 2017)
 *
 * Lag and diamond settle one peer at a time and a block is settled by all its peers or by its topology, so a file may
 * be certified in parts. The minimal machine respects may_stop: reading what waits then leads to a state in which the
 * peer may stop exactly when it may stop in step with C, which is what excludes stuck configurations, provided that C
 * itself never comes to a halt in states of which none is an end (possible only with `final` states).
 *
 *   (a)  sets of states of Det(C) that go with one local state: project Det(C), ask every member for every send
 *   (b)  every pair of arcs of every class's representative
 *
 * Threads: none. Cost: as projecting and minimising every peer. */
#include "frontends/choreography/minimise.h"
#include "frontends/choreography/realizability.h"
#include "frontends/choreography/subset.h"

#include <stdlib.h>
#include <string.h>

/* Det(C) projected on a peer has at most so many states here; beyond it the diamond is not claimed. */
enum { SUBSETS_MAX = 1 << 22 };

const char *hd_certificate_words(hd_certificate certificate) {
  switch (certificate) {
#define WORDS(identifier, words)    \
  case HD_CERTIFICATE_##identifier: \
    return words;
    HD_CERTIFICATE_TABLE(WORDS)
#undef WORDS
    case HD_CERTIFICATE_COUNT:
      break;
  }
  return "";
}

/* What the conditions ask about one peer. */
typedef struct diamond_query {
  const hd_alphabet *alphabet;
  const hd_dfa *dfa;
  const hd_machine *machine;
  hd_semantics semantics;
} diamond_query;

/* Condition (a): do all members offer the send? `sets` is Det(C) projected on the peer; labels below `messages` are its
 * sends. */
static bool sends_are_allowed(const diamond_query *q, const hdi_subsets *sets) {
  for (uint32_t a = 0; a < sets->arc_count; a++) {
    const hdi_subset_arc *arc = &sets->arcs[a];
    if (arc->label >= q->alphabet->message_count) {
      continue;
    }
    for (uint32_t i = sets->set_start[arc->from]; i < sets->set_start[arc->from + 1]; i++) {
      if (hd_dfa_next(q->dfa, sets->members[i], (hd_message){arc->label}) == HD_NONE) {
        return false;
      }
    }
  }
  return true;
}

static hd_status check_in_step(const diamond_query *q, hd_arena *scratch, bool *holds) {
  uint32_t count = q->dfa->arc_count, messages = q->alphabet->message_count, self = q->machine->peer.v;
  uint32_t *label = hd_arena_alloc_array(scratch, count + (size_t)1, sizeof *label);
  uint32_t *to = hd_arena_alloc_array(scratch, count + (size_t)1, sizeof *to);
  if (label == NULL || to == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < count; a++) {
    uint32_t message = q->dfa->arcs[a].message.v;
    const hd_message_info *info = &q->alphabet->messages[message];
    label[a] = info->from.v == self ? message : info->to.v == self ? messages + message : HDI_SILENT;
    to[a] = q->dfa->arcs[a].to;
  }
  hdi_nfa nfa = {.state_count = q->dfa->state_count, .first_arc = q->dfa->first_arc, .arc_label = label, .arc_to = to};
  hdi_subsets sets;
  hd_status status = hdi_subset_construct(&nfa, scratch, &(hd_subset_limits){.states_max = SUBSETS_MAX}, &sets);
  if (status == HD_E_LIMIT) {
    *holds = false;
    return HD_OK;
  }
  *holds = status == HD_OK && sends_are_allowed(q, &sets);
  return status;
}

/* Must the two actions of one state commute? !m with ?b always; with one queue per sender, receives from two senders.
 */
static bool must_commute(const diamond_query *q, const hd_machine_arc *x, const hd_machine_arc *y) {
  if (x->send != y->send) {
    return true;
  }
  return !x->send && q->semantics == HD_P2P &&
         q->alphabet->messages[x->message.v].from.v != q->alphabet->messages[y->message.v].from.v;
}

static bool arcs_meet(const diamond_query *q, const hdi_minimal *minimal, const hd_machine_arc *x,
                      const hd_machine_arc *y) {
  uint32_t after_xy = hdi_machine_next(q->machine, x->to, y->send, y->message);
  uint32_t after_yx = hdi_machine_next(q->machine, y->to, x->send, x->message);
  return after_xy != HD_NONE && after_yx != HD_NONE && minimal->class_of[after_xy] == minimal->class_of[after_yx];
}

/* Condition (b). */
static hd_status check_commuting(const diamond_query *q, hd_arena *scratch, bool *holds) {
  hdi_minimal minimal;
  hd_status status = hdi_machine_minimise(q->machine, scratch, &minimal);
  *holds = status == HD_OK;
  for (uint32_t c = 0; *holds && c < minimal.class_count; c++) {
    uint32_t state = minimal.representative[c];
    uint32_t begin = q->machine->first_arc[state], end = q->machine->first_arc[state + 1];
    for (uint32_t i = begin; *holds && i < end; i++) {
      for (uint32_t j = i + 1; *holds && j < end; j++) {
        const hd_machine_arc *x = &q->machine->arcs[i], *y = &q->machine->arcs[j];
        *holds = !must_commute(q, x, y) || arcs_meet(q, &minimal, x, y);
      }
    }
  }
  return status;
}

static hd_status check_peer(const diamond_query *q, bool *holds) {
  hd_arena *scratch = hd_arena_new();
  *holds = false;
  if (scratch == NULL) {
    return HD_E_NOMEM;
  }
  hd_status status = check_commuting(q, scratch, holds);
  if (status == HD_OK && *holds) {
    status = check_in_step(q, scratch, holds);
  }
  hd_arena_free(scratch);
  return status;
}

/* Marks the peers that send or receive in the block; returns how many there are. */
static uint32_t mark_members(const hd_chor_file *file, const hd_chor *block, bool *member) {
  uint32_t count = 0;
  memset(member, 0, file->alphabet.peer_count * sizeof *member);
  for (uint32_t a = 0; a < block->arc_count; a++) {
    const hd_message_info *message = &file->alphabet.messages[block->arcs[a].message.v];
    count += !member[message->from.v];
    member[message->from.v] = true;
    count += !member[message->to.v];
    member[message->to.v] = true;
  }
  return count;
}

static diamond_query query_for(const hd_chor_file *file, const hd_system *system, const hd_dfa *dfas, uint32_t block,
                               uint32_t peer, hd_semantics semantics) {
  return (diamond_query){
      .alphabet = &file->alphabet, .dfa = &dfas[block], .machine = &system->machines[peer], .semantics = semantics};
}

/* Does every state of Det(C) without arcs contain an end? True without `final` states. */
static bool halts_only_at_ends(const hd_chor *block, const hd_dfa *dfa) {
  for (uint32_t s = 0; s < dfa->state_count; s++) {
    bool proper = dfa->first_arc[s] != dfa->first_arc[s + 1];
    for (uint32_t i = dfa->set_start[s]; !proper && i < dfa->set_start[s + 1]; i++) {
      proper = hd_chor_is_end(block, dfa->members[i]);
    }
    if (!proper) {
      return false;
    }
  }
  return true;
}

hd_status hd_diamond_holds(const hd_chor_file *file, const hd_system *system, const hd_dfa *dfas,
                           hd_semantics semantics, bool *holds) {
  bool *member = calloc(file->alphabet.peer_count + (size_t)1, sizeof *member);
  hd_status status = member != NULL ? HD_OK : HD_E_NOMEM;
  *holds = status == HD_OK;
  for (uint32_t b = 0; *holds && b < file->block_count; b++) {
    (void)mark_members(file, &file->blocks[b], member);
    *holds = halts_only_at_ends(&file->blocks[b], &dfas[b]);
    for (uint32_t peer = 0; *holds && peer < file->alphabet.peer_count; peer++) {
      if (member[peer]) {
        diamond_query q = query_for(file, system, dfas, b, peer, semantics);
        status = check_peer(&q, holds);
      }
    }
  }
  free(member);
  return status;
}

/* Is the block an oriented ring: every peer sends to exactly one peer, receives from exactly one, in one cycle of all
 * `count` peers? `next` has room for every peer of the file. */
static bool is_ring(const hd_chor_file *file, const hd_chor *block, const bool *member, uint32_t count,
                    uint32_t *next) {
  uint32_t peers = file->alphabet.peer_count;
  memset(next, 0xff, peers * sizeof *next); /* HD_NONE */
  for (uint32_t a = 0; a < block->arc_count; a++) {
    const hd_message_info *message = &file->alphabet.messages[block->arcs[a].message.v];
    if (next[message->from.v] != HD_NONE && next[message->from.v] != message->to.v) {
      return false;
    }
    next[message->from.v] = message->to.v;
  }
  uint32_t start = 0;
  while (start < peers && !member[start]) {
    start++;
  }
  if (start == peers) {
    return false;
  }
  uint32_t at = start, length = 0;
  do {
    at = next[at];
    length++;
  } while (at != HD_NONE && at != start && length < count);
  return at == start && length == count;
}

/* Is every peer of the block settled by its lag, by its diamond, or because it never sends? */
static hd_status check_settled(const hd_realizability_query *query, const hd_realizability *answer, uint32_t block,
                               const bool *member, bool *settled) {
  hd_status status = HD_OK;
  *settled = true;
  for (uint32_t peer = 0; *settled && peer < query->file->alphabet.peer_count; peer++) {
    if (member[peer] && !answer->lag_free_peers[peer]) {
      diamond_query q = query_for(query->file, query->system, query->dfas, block, peer, query->semantics);
      status = check_peer(&q, settled);
    }
  }
  return status;
}

/* The certificate that the topology and the parts give, block by block. */
static hd_status certify_blocks(const hd_realizability_query *query, const hd_realizability *answer, bool *member,
                                uint32_t *next, hd_certificate *out) {
  bool all_two = true, all_rings = true, all_settled = true;
  for (uint32_t b = 0; all_settled && b < query->file->block_count; b++) {
    const hd_chor *block = &query->file->blocks[b];
    uint32_t count = mark_members(query->file, block, member);
    bool two = count == 2, ring = count > 0 && is_ring(query->file, block, member, count, next);
    all_two = all_two && two;
    all_rings = all_rings && ring;
    if (!two && !ring) {
      hd_status status = check_settled(query, answer, b, member, &all_settled);
      if (status != HD_OK) {
        return status;
      }
    }
  }
  if (all_settled) {
    *out = all_two ? HD_CERTIFICATE_TWO_PEERS : all_rings ? HD_CERTIFICATE_RING : HD_CERTIFICATE_PARTS;
  }
  return HD_OK;
}

hd_status hd_certify(const hd_realizability_query *query, const hd_realizability *answer, bool diamond,
                     hd_certificate *out) {
  *out = HD_CERTIFICATE_NONE;
  if (!answer->complete || !answer->realizable) {
    return HD_OK;
  }
  if (answer->lag_free || diamond) {
    *out = answer->lag_free ? HD_CERTIFICATE_LAG : HD_CERTIFICATE_DIAMOND;
    return HD_OK;
  }
  size_t peers = query->file->alphabet.peer_count;
  bool *member = calloc(peers + 1, sizeof *member);
  uint32_t *next = calloc(peers + 1, sizeof *next);
  hd_status status = HD_E_NOMEM;
  if (member != NULL && next != NULL) {
    status = certify_blocks(query, answer, member, next, out);
  }
  free(member);
  free(next);
  return status;
}
