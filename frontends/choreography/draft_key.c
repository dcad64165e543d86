/* What a draft is, apart from names and the order of its edits (draft.h).
 *
 *   key   states, new messages | arcs: from, message, to ... | per state: final | per new message: from, to
 *
 * States are numbered as a walk from the initial one meets them, breadth-first, and new messages likewise, so that
 * edits made in another order give the same key. The arcs of a state are taken by their message (new ones by whom they
 * lead from and to), then by what has a number already, then in the order of the text. Equal keys mean equal automata
 * up to these numbers; of automata that are equal some have different keys, where arcs of one message have to be told
 * apart by what comes later. Threads: pure function. Cost: O(states * arcs). */
#include "frontends/choreography/draft.h"

#include <stdlib.h>

typedef struct keymaker {
  const hdi_draft *draft;
  uint32_t *state_number, *message_number; /* HD_NONE: not met yet */
  uint32_t *states, *messages;             /* in the order in which they were met */
  uint32_t state_count, message_count;
  uint32_t *arcs; /* of one state */
} keymaker;

static bool is_new(const keymaker *k, hd_message message) {
  return message.v >= k->draft->file->alphabet.message_count;
}

static int compare(uint64_t a, uint64_t b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/* Equal for two new messages from one peer to another. */
static uint64_t label_of(const keymaker *k, hd_message message) {
  const hd_alphabet *alphabet = &k->draft->alphabet;
  const hd_message_info *info = &alphabet->messages[message.v];
  uint64_t known = k->draft->file->alphabet.message_count;
  return is_new(k, message) ? known + (uint64_t)info->from.v * alphabet->peer_count + info->to.v : message.v;
}

static bool comes_before(const keymaker *k, uint32_t a, uint32_t b) {
  const hdi_draft_arc *x = &k->draft->arcs[a], *y = &k->draft->arcs[b];
  int order = compare(label_of(k, x->message), label_of(k, y->message));
  order = order != 0 ? order : compare(k->message_number[x->message.v], k->message_number[y->message.v]);
  order = order != 0 ? order : compare(k->state_number[x->to], k->state_number[y->to]);
  order = order != 0 ? order : compare(x->place, y->place);
  return order != 0 ? order < 0 : a < b;
}

/* The arcs of a state, in order. */
static uint32_t sort_arcs(keymaker *k, uint32_t state) {
  uint32_t count = 0;
  for (uint32_t a = 0; a < k->draft->arc_count; a++) {
    if (k->draft->arcs[a].removed || k->draft->arcs[a].from != state) {
      continue;
    }
    uint32_t at = count++;
    for (; at > 0 && comes_before(k, a, k->arcs[at - 1]); at--) {
      k->arcs[at] = k->arcs[at - 1];
    }
    k->arcs[at] = a;
  }
  return count;
}

static uint32_t meet(uint32_t *number, uint32_t *list, uint32_t *count, uint32_t what) {
  if (number[what] == HD_NONE) {
    number[what] = *count;
    list[(*count)++] = what;
  }
  return number[what];
}

static uint32_t write_key(keymaker *k, uint32_t *key) {
  const hdi_draft *draft = k->draft;
  uint32_t used = 2; /* the counts come last */
  (void)meet(k->state_number, k->states, &k->state_count, draft->initial);
  for (uint32_t s = 0; s < k->state_count; s++) {
    uint32_t count = sort_arcs(k, k->states[s]);
    for (uint32_t i = 0; i < count; i++) {
      const hdi_draft_arc *arc = &draft->arcs[k->arcs[i]];
      uint32_t known = draft->file->alphabet.message_count, message = arc->message.v;
      key[used++] = s;
      key[used++] =
          is_new(k, arc->message) ? known + meet(k->message_number, k->messages, &k->message_count, message) : message;
      key[used++] = meet(k->state_number, k->states, &k->state_count, arc->to);
    }
  }
  for (uint32_t s = 0; s < k->state_count; s++) {
    key[used++] = draft->states[k->states[s]].final;
  }
  for (uint32_t m = 0; m < k->message_count; m++) {
    key[used++] = draft->alphabet.messages[k->messages[m]].from.v;
    key[used++] = draft->alphabet.messages[k->messages[m]].to.v;
  }
  key[0] = k->state_count;
  key[1] = k->message_count;
  return used;
}

uint32_t *hdi_draft_key(const hdi_draft *draft, uint32_t *length) {
  size_t states = draft->state_count, arcs = draft->arc_count, messages = draft->alphabet.message_count;
  uint32_t *room = malloc((2 * states + 2 * messages + arcs + 1) * sizeof *room);
  uint32_t *key = malloc((2 + 3 * arcs + states + 2 * messages + 1) * sizeof *key);
  *length = 0;
  if (room != NULL && key != NULL) {
    keymaker k = {.draft = draft, .state_number = room, .message_number = room + states};
    k.states = k.message_number + messages;
    k.messages = k.states + states;
    k.arcs = k.messages + messages;
    for (size_t i = 0; i < states + messages; i++) {
      room[i] = HD_NONE;
    }
    *length = write_key(&k, key);
  } else {
    free(key);
    key = NULL;
  }
  free(room);
  return key;
}
