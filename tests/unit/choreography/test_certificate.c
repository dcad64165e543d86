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

/* One turn of free running, then B's z; the other order of x and y leads elsewhere, so there is no diamond. */
static const char *const two_untidy_peers =
    "state a:\n A -> B : x => a\n B -> A : y => b\nstate b:\n A -> B : x => c\nstate c:\n A -> B : x => b\n";

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
  /* Z hears x and y in one order only, while it may send z at any time to a third peer. */
  const char *text =
      "state a:\n X -> Z : x => b\n Z -> W : z => a\nstate b:\n X -> Y : go => c\n Z -> W : z => b\n"
      "state c:\n Y -> Z : y => d\n Z -> W : z => c\nstate d:\n Z -> W : z => d\n";
  const char *either =
      "state a:\n X -> Z : x => b\n Y -> Z : y => c\n Z -> W : z => a\nstate b:\n Z -> W : z => b\n"
      "state c:\n Z -> W : z => c\n";
  chor_input input;
  chor_input_open(&input, text);
  cr_assert(chor_input_diamond(&input, HD_MAILBOX));
  cr_assert(chor_input_diamond(&input, HD_P2P));
  chor_input_close(&input);
  chor_input_open(&input, either);
  cr_assert_not(chor_input_diamond(&input, HD_P2P));
  chor_input_close(&input);
}

Test(certificate, rings_are_oriented_and_complete) {
  /* A runs ahead of B around the ring; B may pass on before or after. */
  const char *ring =
      "state a:\n A -> B : x => b\nstate b:\n A -> B : x => c\n B -> C : y => d\nstate c:\n B -> C : y => e\n"
      "state d:\n A -> B : x => e\nstate e:\n B -> C : y => f\n C -> A : z => g\nstate f:\n C -> A : z => h\n"
      "state g:\n B -> C : y => h\nstate h:\n";
  chor_input input;
  chor_input_open(&input, ring);
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  hd_certificate found = chor_input_certify(&input, 1, HD_MAILBOX, &answer);
  cr_assert(!answer.realizable || found != HD_CERTIFICATE_NONE);
  chor_input_close(&input);
}

Test(certificate, an_unrealizable_or_incomplete_answer_gets_none) {
  chor_input input;
  chor_input_open_case(&input, "file_transfer");
  hd_realizability answer = chor_input_decide(&input, 1, HD_MAILBOX, 1);
  cr_assert_eq(chor_input_certify(&input, 1, HD_MAILBOX, &answer), HD_CERTIFICATE_NONE);
  answer.realizable = true;
  cr_assert_eq(chor_input_certify(&input, 1, HD_MAILBOX, &answer), HD_CERTIFICATE_TWO_PEERS);
  answer.complete = false;
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

Test(certificate, random_certificates_hold_for_longer_queues) {
  size_t given[HD_CERTIFICATE_COUNT] = {0}, realizable = 0, diamonds[2] = {0, 0};
  for (uint64_t seed = 0; seed < RANDOM_COUNT; seed++) {
    char *text = hd_random_chor(seed + 100000, 2, 4);
    chor_input input;
    chor_input_open(&input, text);
    for (int run = 0; run < 2; run++) {
      hd_semantics semantics = run == 0 ? HD_MAILBOX : HD_P2P;
      hd_realizability answer = chor_input_decide(&input, 1, semantics, 1);
      bool diamond = chor_input_diamond(&input, semantics);
      if (diamond) {
        cr_assert(answer.realizable, "seed %llu: a diamond without realizability", (unsigned long long)seed);
        expect_nothing_stuck(&input, seed, semantics);
        diamonds[run]++;
      }
      realizable += answer.realizable;
      hd_certificate certificate = chor_input_certify(&input, 1, semantics, &answer);
      given[certificate] += answer.realizable;
      if (certificate != HD_CERTIFICATE_NONE) {
        expect_realizable(&input, seed, 2, semantics, certificate);
        expect_realizable(&input, seed, 3, semantics, certificate);
      }
    }
    chor_input_close(&input);
    free(text);
  }
  printf(
      "certificates on %d random choreographies x 2 semantics: %zu realizable; none %zu, lag %zu, diamond %zu, two "
      "peers %zu, ring %zu, parts %zu; diamonds %zu mailbox, %zu p2p; 0 broken\n",
      RANDOM_COUNT, realizable, given[HD_CERTIFICATE_NONE], given[HD_CERTIFICATE_LAG], given[HD_CERTIFICATE_DIAMOND],
      given[HD_CERTIFICATE_TWO_PEERS], given[HD_CERTIFICATE_RING], given[HD_CERTIFICATE_PARTS], diamonds[0],
      diamonds[1]);
  for (int c = 0; c < HD_CERTIFICATE_COUNT; c++) {
    cr_assert_gt(given[c], c == HD_CERTIFICATE_NONE ? 0u : 3u, "certificate %d was given %zu times", c, given[c]);
  }
}
