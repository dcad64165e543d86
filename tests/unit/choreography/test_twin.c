/* The twin word: what the confused peer believes. It looks the same to the peer, allows the extra message, is a word of
 * the choreography, and no shorter word is all that. */
#include "tests/support/chor_input.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"

#include <stdlib.h>
#include <string.h>

typedef struct history {
  hd_message own[256];
  size_t length;
} history;

static bool concerns(const chor_input *input, hd_peer peer, hd_message message) {
  const hd_message_info *info = &input->file->alphabet.messages[message.v];
  return info->from.v == peer.v || info->to.v == peer.v;
}

/* What the peer does in the witness before the extra send. */
static history of_witness(const chor_input *input, const hd_witness *w) {
  history h = {.length = 0};
  for (size_t i = 0; i + 1 < w->move_count; i++) {
    bool own = w->moves[i].kind == HD_MOVE_READ ||
               (w->moves[i].kind == HD_MOVE_SYNC && concerns(input, w->peer, w->moves[i].message));
    if (own) {
      cr_assert_lt(h.length, 256u);
      h.own[h.length++] = w->moves[i].message;
    }
  }
  return h;
}

static void check_twin(const chor_input *input, const hd_witness *w) {
  history h = of_witness(input, w);
  size_t matched = 0;
  for (size_t i = 0; i < w->twin_length; i++) {
    if (concerns(input, w->peer, w->twin[i])) {
      cr_assert(matched < h.length && h.own[matched].v == w->twin[i].v, "the twin looks different");
      matched++;
    }
  }
  cr_assert_eq(matched, h.length, "the twin stops early");
  uint32_t state = chor_input_run(input, w->block, w->twin, w->twin_length);
  cr_assert_neq(state, HD_NONE, "the twin is not a word of the choreography");
  cr_assert_neq(hd_dfa_next(&input->dfas[w->block], state, w->moves[w->move_count - 1].message), HD_NONE,
                "the twin does not allow the extra message");
}

/* Is there such a word with `left` more letters, after `state` with `matched` letters of the history? */
static bool exists(const chor_input *input, const hd_witness *w, const history *h, uint32_t state, size_t matched,
                   size_t left) {
  const hd_dfa *dfa = &input->dfas[w->block];
  if (left == 0) {
    return matched == h->length && hd_dfa_next(dfa, state, w->moves[w->move_count - 1].message) != HD_NONE;
  }
  for (uint32_t a = dfa->first_arc[state]; a < dfa->first_arc[state + 1]; a++) {
    bool own = concerns(input, w->peer, dfa->arcs[a].message);
    bool fits = !own || (matched < h->length && h->own[matched].v == dfa->arcs[a].message.v);
    if (fits && exists(input, w, h, dfa->arcs[a].to, matched + own, left - 1)) {
      return true;
    }
  }
  return false;
}

Test(twin, file_transfer_peers_believe_they_are_first) {
  chor_input input;
  chor_input_open_case(&input, "file_transfer");
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  cr_assert_not(answer.realizable);
  char *word = chor_input_word(&input, &answer.witness);
  cr_assert_str_eq(word, "ms mf mc");
  free(word);
  cr_assert_eq(answer.witness.peer.v, chor_input_peer(&input, "P1").v);
  cr_assert_eq(answer.witness.twin_length, 1u);
  cr_assert_eq(answer.witness.twin[0].v, chor_input_message(&input, "ms").v);
  chor_input_close(&input);
}

Test(twin, moves_of_others_fill_the_gaps) {
  chor_input input;
  /* B sends z early: it cannot know whether A and C are done. The twin needs both of their messages. */
  chor_input_open(&input, "state s0:\n A -> C : x => s1\nstate s1:\n C -> A : y => s2\nstate s2:\n B -> A : z => s3\n");
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  cr_assert_not(answer.realizable);
  cr_assert_eq(answer.witness.length, 1u);
  cr_assert_eq(answer.witness.peer.v, chor_input_peer(&input, "B").v);
  cr_assert_eq(answer.witness.twin_length, 2u);
  check_twin(&input, &answer.witness);
  chor_input_close(&input);
}

Test(twin, random_twins_are_right_and_shortest) {
  size_t checked = 0, counted = 0;
  for (uint64_t seed = 0; seed < 1500; seed++) {
    char *text = hd_random_chor(seed, 2, 4);
    chor_input input;
    chor_input_open(&input, text);
    for (uint32_t run = 0; run < 2; run++) {
      hd_realizability answer = chor_input_decide(&input, 2, run == 0 ? HD_MAILBOX : HD_P2P, 1);
      if (!answer.realizable) {
        const hd_witness *w = &answer.witness;
        check_twin(&input, w);
        checked++;
        history h = of_witness(&input, w);
        for (size_t length = 0; length < w->twin_length && w->twin_length <= 8; length++) {
          cr_assert_not(exists(&input, w, &h, 0, 0, length), "seed %llu: a shorter twin exists",
                        (unsigned long long)seed);
          counted++;
        }
      }
    }
    chor_input_close(&input);
    free(text);
  }
  cr_assert(checked > 500 && counted > 500, "only %zu twins, %zu lengths", checked, counted);
}
