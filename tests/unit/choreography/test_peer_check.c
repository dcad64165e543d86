/* The per-peer check against figures of an independent explorer, against our own reference explorer on random inputs,
 * and against itself for every thread count; its witnesses, its limits. */
#include "core/base/machine.h"
#include "tests/support/chor_input.h"
#include "tests/support/chor_reference.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_COUNT = HD_TEST_COUNT(3000), REFERENCE_STATES_MAX = 400000, QUEUE_MAX = 64 };

/* What the confused peer and Det(C) are at, played from the moves alone. */
typedef struct replay {
  const chor_input *input;
  uint32_t bound, dfa, local;
  hd_semantics semantics;
  hd_message queue[QUEUE_MAX];
  size_t queue_length, sends;
} replay;

static uint32_t machine_next(const replay *r, const hd_witness *w, bool send, hd_message message) {
  const hd_machine *m = &r->input->system->machines[w->peer.v];
  for (uint32_t a = m->first_arc[r->local]; a < m->first_arc[r->local + 1]; a++) {
    if (m->arcs[a].send == send && m->arcs[a].message.v == message.v) {
      return m->arcs[a].to;
    }
  }
  return HD_NONE;
}

static const hd_message_info *info_of(const replay *r, hd_message message) {
  return &r->input->file->alphabet.messages[message.v];
}

/* Do the two messages wait in the same queue of the confused peer? */
static bool same_queue(const replay *r, hd_message a, hd_message b) {
  return r->semantics == HD_MAILBOX || info_of(r, a)->from.v == info_of(r, b)->from.v;
}

static void play_send(replay *r, const hd_witness *w, hd_message message) {
  size_t waiting = 0;
  for (size_t i = 0; i < r->queue_length; i++) {
    waiting += same_queue(r, r->queue[i], message);
  }
  cr_assert_eq(info_of(r, message)->to.v, w->peer.v);
  cr_assert(waiting < r->bound && r->queue_length < QUEUE_MAX, "a send into a full queue");
  r->queue[r->queue_length++] = message;
}

static void play_read(replay *r, const hd_witness *w, hd_message message) {
  size_t i = 0;
  while (i < r->queue_length && !same_queue(r, r->queue[i], message)) {
    i++;
  }
  cr_assert(i < r->queue_length && r->queue[i].v == message.v, "a read that is not of a head");
  memmove(&r->queue[i], &r->queue[i + 1], (r->queue_length - i - 1) * sizeof r->queue[0]);
  r->queue_length--;
  r->local = machine_next(r, w, false, message);
  cr_assert_neq(r->local, HD_NONE, "a read that the peer does not offer");
}

/* Every move is possible; the word without its last letter is in L(C), with it it is not. */
static void check_witness(const chor_input *input, uint32_t bound, hd_semantics semantics, const hd_witness *w) {
  replay r = {.input = input, .bound = bound, .semantics = semantics};
  for (size_t i = 0; i < w->move_count; i++) {
    hd_message message = w->moves[i].message;
    bool own = info_of(&r, message)->from.v == w->peer.v;
    bool last = i + 1 == w->move_count;
    cr_assert_eq(w->moves[i].kind == HD_MOVE_EXTRA, last);
    r.sends += w->moves[i].kind != HD_MOVE_READ;
    switch (w->moves[i].kind) {
      case HD_MOVE_SEND:
        play_send(&r, w, message);
        break;
      case HD_MOVE_READ:
        play_read(&r, w, message);
        continue;
      case HD_MOVE_EXTRA:
        cr_assert(own);
        cr_assert_neq(machine_next(&r, w, true, message), HD_NONE, "the peer does not offer the extra message");
        cr_assert_eq(hd_dfa_next(&input->dfas[w->block], r.dfa, message), HD_NONE, "the extra message is allowed");
        continue;
      case HD_MOVE_SYNC:
        cr_assert_neq(info_of(&r, message)->to.v, w->peer.v);
        r.local = own ? machine_next(&r, w, true, message) : r.local;
        cr_assert_neq(r.local, HD_NONE, "a send that the peer does not offer");
        break;
    }
    r.dfa = hd_dfa_next(&input->dfas[w->block], r.dfa, message);
    cr_assert_neq(r.dfa, HD_NONE, "the word leaves the language early");
  }
  cr_assert_eq(r.sends, w->length);
}

static void check_entry(const char *name, const char *key, const json_t *want) {
  int k = 0;
  char words[16] = "";
  cr_assert_eq(sscanf(key, "%15s k=%d", words, &k), 2);
  hd_semantics semantics = strcmp(words, "p2p") == 0 ? HD_P2P : HD_MAILBOX;
  chor_input input;
  chor_input_open_case(&input, name);
  hd_realizability answer = chor_input_decide(&input, (uint32_t)k, semantics, 2);
  bool realizable = json_is_true(json_object_get(want, "realizable"));
  cr_assert_eq(answer.realizable, realizable, "%s %s", name, key);
  if (!realizable) {
    cr_assert_eq(answer.witness.length, json_array_size(json_object_get(want, "shortest")), "%s %s: length %llu", name,
                 key, (unsigned long long)answer.witness.length);
    check_witness(&input, (uint32_t)k, semantics, &answer.witness);
  }
  /* the reference explorer itself */
  chor_reference counts = chor_reference_explore(input.file, (uint32_t)k, semantics == HD_P2P, false, 10000);
  cr_assert_eq((json_int_t)counts.states, json_integer_value(json_object_get(want, "states")), "%s %s", name, key);
  cr_assert_eq((json_int_t)counts.transitions, json_integer_value(json_object_get(want, "transitions")));
  cr_assert_eq((json_int_t)counts.stuck, json_integer_value(json_object_get(want, "stuck")), "%s %s", name, key);
  chor_input_close(&input);
}

Test(peer_check, every_case_has_the_expected_verdict_and_length) {
  char *text = chor_input_load("tests/cases/choreography/expected.json");
  cr_assert_not_null(text);
  json_t *expected = json_loads(text, 0, NULL);
  free(text);
  size_t entries = 0;
  const char *name, *key;
  json_t *figures, *want;
  json_object_foreach(expected, name, figures) {
    json_object_foreach(figures, key, want) {
      if (json_is_object(want)) {
        check_entry(name, key, want);
        entries++;
      }
    }
  }
  cr_assert_eq(entries, 52u);
  json_decref(expected);
}

/* Verdict and witness length against the reference; returns 1 when unrealizable. */
static size_t compare(const chor_input *input, uint64_t seed, uint32_t bound, hd_semantics semantics) {
  hd_realizability answer = chor_input_decide(input, bound, semantics, 1);
  chor_reference right = chor_reference_explore(input->file, bound, semantics == HD_P2P, true, REFERENCE_STATES_MAX);
  cr_assert(right.finished, "seed %llu is too large for the reference", (unsigned long long)seed);
  cr_assert_eq(answer.realizable, right.realizable, "seed %llu k=%u semantics %d", (unsigned long long)seed, bound,
               (int)semantics);
  if (!answer.realizable) {
    cr_assert_eq(answer.witness.length, right.length, "seed %llu k=%u semantics %d: %llu, not %llu",
                 (unsigned long long)seed, bound, (int)semantics, (unsigned long long)answer.witness.length,
                 (unsigned long long)right.length);
    check_witness(input, bound, semantics, &answer.witness);
  }
  return !answer.realizable;
}

Test(peer_check, random_choreographies_agree_with_the_reference) {
  size_t unrealizable = 0, compared = 0, loops = 0, joined = 0;
  for (uint64_t seed = 0; seed < RANDOM_COUNT; seed++) {
    char *text = hd_random_chor(seed, 2, 4);
    chor_input input;
    chor_input_open(&input, text);
    const hd_chor *first = &input.file->blocks[0];
    for (uint32_t a = 0; a < first->arc_count; a++) {
      if (first->arcs[a].to <= first->arcs[a].from) {
        loops++;
        break;
      }
    }
    joined += input.dfas[0].set_start[input.dfas[0].state_count] > input.dfas[0].state_count;
    for (uint32_t run = 0; run < 4; run++) {
      unrealizable += compare(&input, seed, 1 + run / 2, run % 2 == 0 ? HD_MAILBOX : HD_P2P);
      compared++;
    }
    chor_input_close(&input);
    free(text);
  }
  printf(
      "per-peer check against the reference: %zu compared, 0 mismatches, %zu unrealizable, %zu with loops, %zu "
      "nondeterministic\n",
      compared, unrealizable, loops, joined);
  cr_assert_eq(compared, 4u * RANDOM_COUNT);
  cr_assert(unrealizable > compared / 4 && unrealizable < compared * 3 / 4, "%zu unrealizable", unrealizable);
  cr_assert(loops > RANDOM_COUNT / 4 && joined > RANDOM_COUNT / 20);
}

static void expect_same(const hd_realizability *a, const hd_realizability *b) {
  cr_assert_eq(a->realizable, b->realizable);
  cr_assert_eq(a->lag_free, b->lag_free);
  cr_assert_eq(a->product_states, b->product_states);
  cr_assert_eq(a->product_transitions, b->product_transitions);
  cr_assert_eq(a->levels, b->levels);
  if (a->realizable) {
    return;
  }
  cr_assert_eq(a->witness.block, b->witness.block);
  cr_assert_eq(a->witness.peer.v, b->witness.peer.v);
  cr_assert_eq(a->witness.length, b->witness.length);
  cr_assert_eq(a->witness.move_count, b->witness.move_count);
  for (size_t i = 0; i < a->witness.move_count; i++) {
    cr_assert_eq(a->witness.moves[i].kind, b->witness.moves[i].kind);
    cr_assert_eq(a->witness.moves[i].message.v, b->witness.moves[i].message.v);
  }
  cr_assert_eq(a->witness.twin_length, b->witness.twin_length);
  for (size_t i = 0; i < a->witness.twin_length; i++) {
    cr_assert_eq(a->witness.twin[i].v, b->witness.twin[i].v);
  }
}

Test(peer_check, thread_counts_give_the_same_answer) {
  static const uint32_t counts[] = {2, 3, 8};
  for (uint64_t seed = 0; seed < 250; seed++) {
    char *text = hd_random_chor(seed, 2, 6);
    chor_input input;
    chor_input_open(&input, text);
    for (uint32_t run = 0; run < 2; run++) {
      hd_semantics semantics = run == 0 ? HD_MAILBOX : HD_P2P;
      hd_realizability one = chor_input_decide(&input, 2, semantics, 1);
      for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        hd_realizability many = chor_input_decide(&input, 2, semantics, counts[i]);
        expect_same(&one, &many);
      }
    }
    chor_input_close(&input);
    free(text);
  }
}

/* A large realizable choreography with a detour spoilt after forty messages: the other peers' products are much larger
 * than what the witness's length leaves of them, and are cut at moments that depend on the threads. */
Test(peer_check, an_early_end_does_not_change_the_counts) {
  char *text = hd_large_chor(7, 30, 500);
  hd_buffer spoilt = {0};
  char *rest = strstr(text, "state q0:\n");
  cr_assert_not_null(rest);
  rest += strlen("state q0:\n");
  hd_buffer_add(&spoilt, text, (size_t)(rest - text));
  hd_buffer_add_text(&spoilt, "  p0 -> p5 : ping0 => w0\n");
  hd_buffer_add_text(&spoilt, rest);
  for (uint32_t i = 0; i < 39; i++) {
    bool ping = i % 2 == 1;
    hd_buffer_printf(&spoilt, "state w%u:\n  %s : %s%u => w%u\n", i, ping ? "p0 -> p5" : "p5 -> p0",
                     ping ? "ping" : "pong", i, i + 1);
  }
  hd_buffer_add_text(&spoilt, "state w39:\n  p0 -> p8 : detour => apart0\n");
  hd_buffer_add_text(&spoilt, "state apart0:\n  p5 -> p6 : early => apart1\n");
  chor_input input;
  chor_input_open(&input, spoilt.data);
  hd_realizability one = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  cr_assert_not(one.realizable);
  cr_assert_eq(one.witness.length, 41u);
  cr_assert_eq(one.witness.peer.v, chor_input_peer(&input, "p5").v);
  cr_assert_eq(one.levels, 40u);
  for (uint32_t repeat = 0; repeat < 12; repeat++) {
    hd_realizability many = chor_input_decide(&input, 1, HD_MAILBOX, 2 + repeat % 7);
    expect_same(&one, &many);
  }
  chor_input_close(&input);
  hd_buffer_free(&spoilt);
  free(text);
}

Test(peer_check, blocks_are_checked_each_on_its_own) {
  chor_input input;
  chor_input_open(&input,
                  "choreography fine\nstate a:\n A -> B : x => b\nstate b:\n B -> A : y => a\n"
                  "choreography wrong\nstate a:\n C -> D : x => b\nstate b:\n E -> F : y => a\n");
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 2);
  cr_assert_not(answer.realizable);
  cr_assert_eq(answer.witness.block, 1u);
  cr_assert_eq(answer.witness.length, 1u);
  cr_assert_eq(answer.witness.peer.v, chor_input_peer(&input, "E").v);
  check_witness(&input, 1, HD_MAILBOX, &answer.witness);
  chor_input_close(&input);
}

Test(peer_check, of_equally_short_witnesses_the_least_peer_wins) {
  chor_input input;
  chor_input_open(&input,
                  "state a:\n A -> B : x => b\nstate b:\n C -> D : y => c\nstate c:\n E -> F : z => d\nstate d:\n");
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 3);
  cr_assert_eq(answer.witness.length, 1u);
  cr_assert_eq(answer.witness.peer.v, chor_input_peer(&input, "C").v);
  chor_input_close(&input);
}

Test(peer_check, a_blocked_push_is_noticed) {
  chor_input input;
  /* B answers late: a second x finds the first one waiting when B may send y before it reads. */
  chor_input_open(&input,
                  "state s0:\n A -> B : x => s1\n B -> A : y => t0\nstate s1:\n A -> B : x => s2\n B -> A : y => t1\n"
                  "state s2:\n B -> A : y => t2\nstate t0:\n A -> B : x => t1\nstate t1:\n A -> B : x => t2\n");
  hd_realizability narrow = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  hd_realizability wide = chor_input_decide(&input, 2, HD_MAILBOX, 1);
  cr_assert(narrow.realizable && wide.realizable);
  cr_assert_not(narrow.lag_free);
  cr_assert(wide.lag_free);
  cr_assert_not(narrow.lag_free_peers[chor_input_peer(&input, "B").v]);
  cr_assert(narrow.lag_free_peers[chor_input_peer(&input, "A").v]);
  chor_input_close(&input);
}

/* By hand: A's product of `x then y back` is (0,{a},e) -x-> (1,{b},e) -y-> (0,{b},[y]) -read-> (0,{a},e). */
Test(peer_check, the_counts_are_those_of_the_products) {
  chor_input input;
  chor_input_open(&input, "state a:\n A -> B : x => b\nstate b:\n B -> A : y => a\n");
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  cr_assert(answer.realizable && answer.lag_free);
  cr_assert_eq(answer.product_states, 6u);
  cr_assert_eq(answer.product_transitions, 6u);
  cr_assert_eq(answer.levels, 2u);
  chor_input_close(&input);
}

static hd_realizability decide_large(hd_realizability_query (*prepare)(const chor_input *)) {
  char *text = hd_large_chor(11, 40, 2000);
  chor_input input;
  chor_input_open(&input, text);
  hd_realizability_query query = prepare(&input);
  hd_realizability answer;
  cr_assert_eq(hd_realizability_decide(&query, input.arena, &answer), HD_OK);
  answer.witness = (hd_witness){0};
  answer.lag_free_peers = NULL;
  chor_input_close(&input);
  free(text);
  return answer;
}

static hd_realizability_query with_little_memory(const chor_input *input) {
  hd_realizability_query query = chor_input_query(input, 1, HD_MAILBOX, 2);
  query.memory_max_bytes = 20000;
  return query;
}

static hd_realizability_query with_a_past_deadline(const chor_input *input) {
  hd_realizability_query query = chor_input_query(input, 1, HD_MAILBOX, 2);
  query.deadline_seconds = hd_machine_seconds() - 1;
  return query;
}

static hd_atomic_u32 cancelled = 1;

static hd_realizability_query with_a_cancellation(const chor_input *input) {
  hd_realizability_query query = chor_input_query(input, 1, HD_MAILBOX, 2);
  query.cancel = &cancelled;
  return query;
}

static hd_realizability_query without_limits(const chor_input *input) {
  return chor_input_query(input, 1, HD_MAILBOX, 2);
}

Test(peer_check, limits_end_the_check_and_say_so) {
  hd_realizability answer = decide_large(with_little_memory);
  cr_assert(!answer.complete && answer.realizable && answer.end_status == HD_E_LIMIT);
  answer = decide_large(with_a_past_deadline);
  cr_assert(!answer.complete && answer.end_status == HD_E_LIMIT);
  answer = decide_large(with_a_cancellation);
  cr_assert(!answer.complete && answer.end_status == HD_E_CANCELLED);
  answer = decide_large(without_limits);
  cr_assert(answer.complete && answer.realizable && answer.end_status == HD_OK);
}

Test(peer_check, two_hundred_peers_are_decided_within_seconds) {
  char *text = hd_large_chor(1, 200, 5000);
  chor_input input;
  double begin = hd_machine_seconds();
  chor_input_open(&input, text);
  double projected = hd_machine_seconds();
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 2);
  double decided = hd_machine_seconds();
  printf("200 peers, 5,000 transitions: read and projected in %.2f s, decided in %.2f s, %llu product states\n",
         projected - begin, decided - projected, (unsigned long long)answer.product_states);
  cr_assert_eq(input.file->alphabet.peer_count, 200u);
  cr_assert_eq(input.file->blocks[0].arc_count, 5000u);
  cr_assert(answer.realizable);
  cr_assert_lt(decided - begin, 60.0);
  chor_input_close(&input);
  free(text);
}
