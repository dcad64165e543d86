/* Certificates: the expected diamonds, each kind on an example and beside it a near miss, and random choreographies:
 * what is certified at bound 1 stays realizable, and a diamond leaves nothing stuck. */
#include "tests/support/chor_input.h"
#include "tests/support/chor_reference.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_COUNT = 3000, REFERENCE_STATES_MAX = 400000 };

Test(certificate, every_case_has_the_expected_diamond) {
  char *text = chor_input_load("tests/cases/choreography/expected.json");
  cr_assert_not_null(text);
  json_t *expected = json_loads(text, 0, NULL);
  free(text);
  size_t cases = 0;
  const char *name;
  json_t *figures;
  json_object_foreach(expected, name, figures) {
    chor_input input;
    chor_input_open_case(&input, name);
    cr_assert_eq(chor_input_diamond(&input, HD_MAILBOX), json_is_true(json_object_get(figures, "diamond")), "%s", name);
    chor_input_close(&input);
    cases++;
  }
  cr_assert_eq(cases, 13u);
  json_decref(expected);
}

static hd_certificate certificate_of(const char *text, uint32_t bound, hd_semantics semantics) {
  chor_input input;
  chor_input_open(&input, text);
  hd_realizability answer = chor_input_decide(&input, bound, semantics, 1);
  hd_certificate certificate = chor_input_certify(&input, bound, semantics, &answer);
  chor_input_close(&input);
  return certificate;
}

static const char *const request_reply = "state a:\n A -> B : x => b\nstate b:\n B -> A : y => a\n";

/* A sends x for ever, B sends y at any time. */
static const char *const free_runners = "state a:\n A -> B : x => a\n B -> A : y => a\n";

/* Two x cross one y, so that with room for one a push waits; then, both in step again, u and v may cross, and B may add
 * w only if it read u before it sent v: two orders that do not meet, and nobody is confused. */
static const char *const two_untidy_peers =
    "state s0:\n A -> B : x => s1\n B -> A : y => t0\nstate s1:\n A -> B : x => s2\n B -> A : y => t1\n"
    "state s2:\n B -> A : y => t2\nstate t0:\n A -> B : x => t1\nstate t1:\n A -> B : x => t2\n"
    "state t2:\n A -> B : g => t3\nstate t3:\n B -> A : h => a\n"
    "state a:\n A -> B : u => b\n B -> A : v => c\nstate b:\n B -> A : v => d\nstate c:\n A -> B : u => e\n"
    "state d:\n B -> A : w => f\n";

Test(certificate, lag_needs_that_no_push_is_blocked) {
  cr_assert_eq(certificate_of(request_reply, 1, HD_MAILBOX), HD_CERTIFICATE_LAG);
  cr_assert_neq(certificate_of(free_runners, 1, HD_MAILBOX), HD_CERTIFICATE_LAG);
  cr_assert_neq(certificate_of(free_runners, 3, HD_P2P), HD_CERTIFICATE_LAG);
}

Test(certificate, diamond_needs_both_orders) {
  cr_assert_eq(certificate_of(free_runners, 1, HD_MAILBOX), HD_CERTIFICATE_DIAMOND);
  cr_assert_eq(certificate_of(two_untidy_peers, 1, HD_MAILBOX), HD_CERTIFICATE_TWO_PEERS);
}

Test(certificate, several_queues_need_commuting_receives) {
  chor_input input;
  /* Z hears from X or from Y, never from both. */
  chor_input_open(&input,
                  "state s:\n A -> X : m => b\n A -> Y : n => c\nstate b:\n X -> Z : x => d\n"
                  "state c:\n Y -> Z : y => e\n");
  cr_assert(chor_input_diamond(&input, HD_MAILBOX));
  cr_assert_not(chor_input_diamond(&input, HD_P2P));
  chor_input_close(&input);
  /* Z hears from both in either order. */
  chor_input_open(&input,
                  "state s:\n X -> Z : x => b\n Y -> Z : y => c\nstate b:\n Y -> Z : y => d\n"
                  "state c:\n X -> Z : x => d\n");
  cr_assert(chor_input_diamond(&input, HD_MAILBOX));
  cr_assert(chor_input_diamond(&input, HD_P2P));
  chor_input_close(&input);
}

Test(certificate, the_diamond_asks_for_sends_in_step_with_the_choreography) {
  chor_input input;
  /* Nothing to commute, but B's y comes too early. */
  chor_input_open(&input, "state s:\n A -> C : x => b\nstate b:\n B -> C : y => d\n");
  cr_assert_not(chor_input_diamond(&input, HD_MAILBOX));
  chor_input_close(&input);
}

Test(certificate, the_diamond_asks_that_the_choreography_halts_only_at_ends) {
  static const char *const words[] = {"final state s:\n P -> Q : a => t\nstate t:\n",
                                      "final state s:\n P -> Q : a => t\nfinal state t:\n",
                                      "state s:\n P -> Q : a => t\nstate t:\n"};
  for (size_t i = 0; i < 3; i++) {
    chor_input input;
    chor_input_open(&input, words[i]);
    chor_reference all = chor_reference_explore(input.file, 1, false, false, 100);
    cr_assert_eq(chor_input_diamond(&input, HD_MAILBOX), i != 0);
    cr_assert_eq(all.stuck, i == 0 ? 1u : 0u);
    chor_input_close(&input);
  }
}

/* The certificate when lag and diamond are kept from it. */
static hd_certificate by_topology(const char *text) {
  chor_input input;
  chor_input_open(&input, text);
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  cr_assert(answer.realizable);
  answer.lag_free = false;
  hd_realizability_query query = chor_input_query(&input, 1, HD_MAILBOX, 1);
  hd_certificate certificate;
  cr_assert_eq(hd_certify(&query, &answer, false, &certificate), HD_OK);
  chor_input_close(&input);
  return certificate;
}

#define RING_OF_THREE \
  "choreography r\nstate a:\n A -> B : x => b\nstate b:\n B -> C : x => c\nstate c:\n C -> A : x => a\n"

Test(certificate, rings_are_oriented_closed_and_complete) {
  cr_assert_eq(by_topology(RING_OF_THREE), HD_CERTIFICATE_RING);
  /* an open chain */
  cr_assert_eq(by_topology("state a:\n A -> B : x => b\nstate b:\n B -> C : x => c\n"), HD_CERTIFICATE_PARTS);
  /* a peer that sends to two */
  cr_assert_eq(by_topology("state a:\n A -> B : x => b\nstate b:\n B -> C : x => c\n B -> A : y => a\n"
                           "state c:\n C -> A : x => a\n"),
               HD_CERTIFICATE_PARTS);
  /* both ways round */
  cr_assert_eq(by_topology("state a:\n A -> B : x => b\nstate b:\n B -> C : x => c\nstate c:\n C -> B : y => d\n"
                           "state d:\n B -> A : y => a\n"),
               HD_CERTIFICATE_PARTS);
  /* two rings in one block */
  cr_assert_eq(by_topology("state s0:\n A -> B : x => s1\n C -> D : x => s2\nstate s1:\n B -> A : y => s0\n"
                           " C -> D : x => s3\nstate s2:\n A -> B : x => s3\n D -> C : y => s0\n"
                           "state s3:\n B -> A : y => s2\n D -> C : y => s1\n"),
               HD_CERTIFICATE_PARTS);
  /* two peers are named as such, though they are a ring too */
  cr_assert_eq(by_topology("state a:\n A -> B : x => b\nstate b:\n B -> A : y => c\nstate c:\n A -> B : z => d\n"
                           "state d:\n B -> A : w => a\n"),
               HD_CERTIFICATE_TWO_PEERS);
}

Test(certificate, every_block_needs_its_own_reason) {
  const char *talk = "choreography t\nstate a:\n D -> E : x => b\nstate b:\n E -> D : y => a\n";
  const char *tell = "choreography t\nstate a:\n D -> E : x => a\n";
  char text[512];
  snprintf(text, sizeof text, "%s%s", RING_OF_THREE, talk);
  cr_assert_eq(by_topology(text), HD_CERTIFICATE_RING); /* two peers that talk are a ring of two */
  snprintf(text, sizeof text, "%s%s", RING_OF_THREE, tell);
  cr_assert_eq(by_topology(text), HD_CERTIFICATE_PARTS);
}

Test(certificate, parts_may_have_different_reasons) {
  chor_input input;
  /* The first block has a diamond and blocked pushes, the second no blocked push and no diamond. */
  chor_input_open(&input,
                  "choreography one\nstate a:\n A -> B : x => a\n B -> A : y => a\n B -> G : z => a\n"
                  "choreography two\nstate a:\n C -> D : u => b\n D -> C : v => c\nstate b:\n D -> C : v => d\n"
                  "state c:\n C -> D : u => e\nstate d:\n D -> C : w => f\nstate f:\n C -> E : g => h\n");
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  cr_assert(answer.realizable && !answer.lag_free);
  cr_assert_not(chor_input_diamond(&input, HD_MAILBOX));
  cr_assert_eq(chor_input_certify(&input, 1, HD_MAILBOX, &answer), HD_CERTIFICATE_PARTS);
  /* without the second block's lag nothing settles C and D */
  answer.lag_free_peers[chor_input_peer(&input, "C").v] = false;
  cr_assert_eq(chor_input_certify(&input, 1, HD_MAILBOX, &answer), HD_CERTIFICATE_NONE);
  chor_input_close(&input);
}

Test(certificate, an_unrealizable_or_incomplete_answer_gets_none) {
  chor_input input;
  chor_input_open(&input, two_untidy_peers);
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  cr_assert_eq(chor_input_certify(&input, 1, HD_MAILBOX, &answer), HD_CERTIFICATE_TWO_PEERS);
  answer.complete = false;
  cr_assert_eq(chor_input_certify(&input, 1, HD_MAILBOX, &answer), HD_CERTIFICATE_NONE);
  chor_input_close(&input);
  chor_input_open_case(&input, "file_transfer");
  answer = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  cr_assert_eq(chor_input_certify(&input, 1, HD_MAILBOX, &answer), HD_CERTIFICATE_NONE);
  chor_input_close(&input);
}

Test(certificate, k1_is_not_enough_gets_none) {
  chor_input input;
  chor_input_open_case(&input, "k1_is_not_enough");
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  cr_assert(answer.realizable);
  cr_assert_eq(chor_input_certify(&input, 1, HD_MAILBOX, &answer), HD_CERTIFICATE_NONE);
  chor_input_close(&input);
}

Test(certificate, every_kind_has_words) {
  for (int c = 0; c < HD_CERTIFICATE_COUNT; c++) {
    cr_assert_gt(strlen(hd_certificate_words((hd_certificate)c)), 10u);
  }
  cr_assert(strstr(hd_certificate_words(HD_CERTIFICATE_RING), "ring") != NULL);
}

static void expect_realizable(const chor_input *input, uint64_t seed, uint32_t bound, hd_semantics semantics,
                              hd_certificate certificate) {
  hd_realizability answer = chor_input_decide(input, bound, semantics, 1);
  cr_assert(answer.realizable, "seed %llu: certificate %d at 1, unrealizable at %u", (unsigned long long)seed,
            (int)certificate, bound);
}

static void expect_nothing_stuck(const chor_input *input, uint64_t seed, hd_semantics semantics) {
  for (uint32_t bound = 1; bound <= 2; bound++) {
    chor_reference all = chor_reference_explore(input->file, bound, semantics == HD_P2P, false, REFERENCE_STATES_MAX);
    cr_assert(all.finished);
    cr_assert_eq(all.stuck, 0u, "seed %llu: a diamond, and %llu stuck at %u", (unsigned long long)seed,
                 (unsigned long long)all.stuck, bound);
  }
}

typedef struct tally {
  size_t given[HD_CERTIFICATE_COUNT], hidden[HD_CERTIFICATE_COUNT], realizable, diamonds[2];
} tally;

/* The answer at bound 1, its certificate, and the one it would get if lag and diamond were not known: all must hold. */
static void check_random(const chor_input *input, uint64_t seed, hd_semantics semantics, tally *sum) {
  hd_realizability answer = chor_input_decide(input, 1, semantics, 1);
  bool diamond = chor_input_diamond(input, semantics);
  if (diamond) {
    cr_assert(answer.realizable, "seed %llu: a diamond without realizability", (unsigned long long)seed);
    expect_nothing_stuck(input, seed, semantics);
    sum->diamonds[semantics]++;
  }
  if (!answer.realizable) {
    return;
  }
  sum->realizable++;
  hd_certificate certificate = chor_input_certify(input, 1, semantics, &answer);
  sum->given[certificate]++;
  hd_realizability_query query = chor_input_query(input, 1, semantics, 1);
  hd_certificate without;
  answer.lag_free = false;
  for (uint32_t p = 0; p < input->file->alphabet.peer_count; p++) {
    answer.lag_free_peers[p] = answer.lag_free_peers[p] && (seed + p) % 3 != 0;
  }
  cr_assert_eq(hd_certify(&query, &answer, false, &without), HD_OK);
  sum->hidden[without]++;
  if (certificate != HD_CERTIFICATE_NONE || without != HD_CERTIFICATE_NONE) {
    expect_realizable(input, seed, 2, semantics, certificate);
    expect_realizable(input, seed, 3, semantics, certificate);
  }
}

Test(certificate, random_certificates_hold_for_longer_queues) {
  tally sum = {.realizable = 0};
  for (uint64_t seed = 0; seed < RANDOM_COUNT; seed++) {
    char *text = hd_random_chor(seed + 100000, 2, 4);
    chor_input input;
    chor_input_open(&input, text);
    check_random(&input, seed, HD_MAILBOX, &sum);
    check_random(&input, seed, HD_P2P, &sum);
    chor_input_close(&input);
    free(text);
  }
  printf("certificates on %d random choreographies, 2 semantics: %zu realizable, diamonds %zu mailbox %zu p2p\n",
         RANDOM_COUNT, sum.realizable, sum.diamonds[HD_MAILBOX], sum.diamonds[HD_P2P]);
  for (int c = 0; c < HD_CERTIFICATE_COUNT; c++) {
    printf("  certificate %d: given %zu, with lag and diamond hidden %zu, 0 broken\n", c, sum.given[c], sum.hidden[c]);
  }
  cr_assert(sum.given[HD_CERTIFICATE_LAG] > 500 && sum.given[HD_CERTIFICATE_DIAMOND] > 30);
  cr_assert(sum.hidden[HD_CERTIFICATE_TWO_PEERS] > 300 && sum.hidden[HD_CERTIFICATE_RING] > 100 &&
            sum.hidden[HD_CERTIFICATE_PARTS] > 300);
}
