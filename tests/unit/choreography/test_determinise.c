/* Det(C): exact automata, the step function, limits, and random choreographies against the definition. */
#include "tests/support/chor_input.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"

#include <stdlib.h>

static const char *const nondeterministic =
    "state a:\n A -> B : x => b\n A -> B : x => c\n A -> B : y => a\n"
    "state b:\n B -> A : z => a\nstate c:\n B -> A : w => b\n B -> A : z => d\n";

Test(determinise, equal_messages_join_their_targets) {
  chor_input input;
  chor_input_open(&input, nondeterministic);
  const hd_dfa *dfa = &input.dfas[0];
  hd_message x = chor_input_message(&input, "x"), y = chor_input_message(&input, "y");
  hd_message z = chor_input_message(&input, "z"), w = chor_input_message(&input, "w");
  /* 0 = {a}, 1 = {b,c}, 2 = {a,d}, 3 = {b}; numbered in message order x y z w */
  cr_assert_eq(dfa->state_count, 4u);
  cr_assert_eq(hd_dfa_next(dfa, 0, x), 1u);
  cr_assert_eq(hd_dfa_next(dfa, 0, y), 0u);
  cr_assert_eq(hd_dfa_next(dfa, 0, z), HD_NONE);
  cr_assert_eq(hd_dfa_next(dfa, 1, z), 2u);
  cr_assert_eq(hd_dfa_next(dfa, 1, w), 3u);
  cr_assert_eq(hd_dfa_next(dfa, 2, x), 1u);
  cr_assert_eq(hd_dfa_next(dfa, 2, y), 0u);
  cr_assert_eq(hd_dfa_next(dfa, 3, z), 0u);
  cr_assert_eq(hd_dfa_next(dfa, 3, w), HD_NONE);
  cr_assert_eq(dfa->set_start[2] - dfa->set_start[1], 2u);
  chor_input_close(&input);
}

Test(determinise, more_states_than_allowed_is_a_limit) {
  chor_input input;
  chor_input_open(&input, nondeterministic);
  hd_dfa dfa;
  cr_assert_eq(hd_chor_determinise(&input.file->blocks[0], input.arena, &(hd_subset_limits){.states_max = 3}, &dfa),
               HD_E_LIMIT);
  cr_assert_eq(hd_chor_determinise(&input.file->blocks[0], input.arena, &(hd_subset_limits){.states_max = 4}, &dfa),
               HD_OK);
  chor_input_close(&input);
}

Test(determinise, arcs_that_cannot_be_reached_give_nothing) {
  chor_input input;
  chor_input_open(&input, "initial state only:\nstate a:\n A -> B : x => a\n");
  cr_assert_eq(input.dfas[0].state_count, 1u);
  cr_assert_eq(input.dfas[0].arc_count, 0u);
  cr_assert_eq(input.dfas[0].first_arc[1], 0u);
  chor_input_close(&input);
}

/* The set of a state as the definition gives it, step by step along the automaton's own arcs. */
static void check_state(const chor_input *input, const hd_chor *block, const hd_dfa *dfa, uint32_t state) {
  uint32_t at = dfa->first_arc[state];
  for (uint32_t message = 0; message < input->file->alphabet.message_count; message++) {
    bool *after = calloc(block->state_count, sizeof *after);
    uint32_t size = 0;
    for (uint32_t i = dfa->set_start[state]; i < dfa->set_start[state + 1]; i++) {
      for (uint32_t a = 0; a < block->arc_count; a++) {
        const hd_chor_arc *arc = &block->arcs[a];
        if (arc->from == dfa->members[i] && arc->message.v == message && !after[arc->to]) {
          after[arc->to] = true;
          size++;
        }
      }
    }
    uint32_t next = hd_dfa_next(dfa, state, (hd_message){message});
    cr_assert_eq(next == HD_NONE, size == 0);
    if (next != HD_NONE) {
      cr_assert(dfa->arcs[at].from == state && dfa->arcs[at].message.v == message && dfa->arcs[at].to == next);
      at++;
      cr_assert_eq(dfa->set_start[next + 1] - dfa->set_start[next], size);
      for (uint32_t i = dfa->set_start[next]; i < dfa->set_start[next + 1]; i++) {
        cr_assert(after[dfa->members[i]]);
        cr_assert(i == dfa->set_start[next] || dfa->members[i - 1] < dfa->members[i]);
      }
    }
    free(after);
  }
  cr_assert_eq(at, dfa->first_arc[state + 1]);
}

Test(determinise, random_choreographies_fit_the_definition) {
  size_t joined = 0;
  for (uint64_t seed = 0; seed < 600; seed++) {
    char *text = hd_random_chor(seed, 2, 5);
    chor_input input;
    chor_input_open(&input, text);
    for (uint32_t b = 0; b < input.file->block_count; b++) {
      const hd_dfa *dfa = &input.dfas[b];
      uint32_t next = 1;
      cr_assert(dfa->set_start[1] == 1 && dfa->members[0] == input.file->blocks[b].initial);
      for (uint32_t s = 0; s < dfa->state_count; s++) {
        check_state(&input, &input.file->blocks[b], dfa, s);
        joined += dfa->set_start[s + 1] - dfa->set_start[s] > 1;
        for (uint32_t a = dfa->first_arc[s]; a < dfa->first_arc[s + 1]; a++) {
          cr_assert_leq(dfa->arcs[a].to, next);
          next += dfa->arcs[a].to == next;
        }
      }
      cr_assert_eq(next, dfa->state_count);
    }
    chor_input_close(&input);
    free(text);
  }
  cr_assert_gt(joined, 100u, "only %zu sets have several members", joined);
}
