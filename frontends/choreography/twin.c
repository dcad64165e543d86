/* The twin word (twin.h).
 *
 * The confused peer has a history h: its own sends and reads in the witness, in its order. It offers the extra message
 * m because some word v of C projects to h on it and goes on with m: the subset construction put that word's state into
 * the peer's local state. v is found by a breadth-first search over pairs
 *
 *   (state of Det(C), number of letters of h already matched)
 *
 * in which a message that does not concern the peer leaves the second part alone and one that does must be the next
 * letter of h. The goal is all of h matched and m allowed. Arcs are tried in message order, so the word is the least
 * of the shortest ones by (length, messages). Pairs are stored as they are reached.
 * Threads: none. Cost: O(pairs reached * their arcs), at most states * (|h| + 1) pairs. */
#include "frontends/choreography/twin.h"

#include "core/base/check.h"
#include "frontends/choreography/sequence.h"

#include <stdlib.h>

typedef struct step {
  uint32_t parent;
  hd_message message;
} step;

#define HD_ARRAY_NAME steps
#define HD_ARRAY_TYPE step
#include "core/base/array.h"

typedef struct search {
  const hd_dfa *dfa;
  const hd_alphabet *alphabet;
  hd_peer peer;
  hd_message *history; /* messages alone: a peer never both sends and receives the same one */
  uint32_t history_length;
  hdi_sequences pairs; /* [state, matched] in order of discovery: the queue of the search */
  steps reached_by;    /* per pair */
} search;

/* Stores the pair unless it is known. */
static hd_status reach(search *s, uint32_t state, uint32_t matched, step by) {
  const uint32_t pair[2] = {state, matched};
  uint32_t id;
  bool fresh;
  hd_status status = hdi_sequences_add(&s->pairs, pair, 2, &id, &fresh);
  return status == HD_OK && fresh ? steps_push(&s->reached_by, by) : status;
}

static bool concerns(const search *s, hd_message message) {
  const hd_message_info *info = &s->alphabet->messages[message.v];
  return info->from.v == s->peer.v || info->to.v == s->peer.v;
}

/* The peer's own history in the witness: its sends, and its reads when they happen, without the extra send. */
static hd_status collect_history(search *s, const hd_witness *witness) {
  s->history = calloc(witness->move_count + 1, sizeof s->history[0]);
  if (s->history == NULL) {
    return HD_E_NOMEM;
  }
  for (size_t i = 0; i < witness->move_count; i++) {
    const hd_witness_move *move = &witness->moves[i];
    bool own = move->kind == HD_MOVE_READ || (move->kind == HD_MOVE_SYNC && concerns(s, move->message));
    if (own) {
      s->history[s->history_length++] = move->message;
    }
  }
  return HD_OK;
}

static hd_status expand(search *s, uint32_t entry, uint32_t state, uint32_t matched) {
  for (uint32_t a = s->dfa->first_arc[state]; a < s->dfa->first_arc[state + 1]; a++) {
    const hd_dfa_arc *arc = &s->dfa->arcs[a];
    uint32_t then = matched;
    if (concerns(s, arc->message)) {
      if (matched == s->history_length || s->history[matched].v != arc->message.v) {
        continue;
      }
      then = matched + 1;
    }
    hd_status status = reach(s, arc->to, then, (step){entry, arc->message});
    if (status != HD_OK) {
      return status;
    }
  }
  return HD_OK;
}

/* The word from the start to `entry`. */
static hd_status write_word(const search *s, uint32_t entry, hd_arena *arena, hd_witness *witness) {
  size_t length = 0;
  for (uint32_t e = entry; e != 0; e = s->reached_by.data[e].parent) {
    length++;
  }
  witness->twin = hd_arena_alloc_array(arena, length + 1, sizeof witness->twin[0]);
  if (witness->twin == NULL) {
    return HD_E_NOMEM;
  }
  witness->twin_length = length;
  for (uint32_t e = entry; e != 0; e = s->reached_by.data[e].parent) {
    witness->twin[--length] = s->reached_by.data[e].message;
  }
  return HD_OK;
}

hd_status hdi_witness_find_twin(const hd_dfa *dfa, const hd_alphabet *alphabet, hd_arena *arena, hd_witness *witness) {
  HD_REQUIRE(witness->move_count > 0 && witness->moves[witness->move_count - 1].kind == HD_MOVE_EXTRA);
  search s = {.dfa = dfa, .alphabet = alphabet, .peer = witness->peer};
  hd_message extra = witness->moves[witness->move_count - 1].message;
  hd_status status = collect_history(&s, witness);
  if (status == HD_OK) {
    status = reach(&s, 0, 0, (step){0, {HD_NONE}});
  }
  bool found = false;
  for (uint32_t entry = 0; status == HD_OK && !found && entry < s.pairs.count; entry++) {
    uint32_t length;
    const uint32_t *pair = hdi_sequences_get(&s.pairs, entry, &length);
    uint32_t state = pair[0], matched = pair[1];
    found = matched == s.history_length && hd_dfa_next(dfa, state, extra) != HD_NONE;
    status = found ? write_word(&s, entry, arena, witness) : expand(&s, entry, state, matched);
  }
  hdi_sequences_free(&s.pairs);
  steps_free(&s.reached_by);
  free(s.history);
  return status == HD_OK && !found ? HD_E_INTERNAL : status;
}
