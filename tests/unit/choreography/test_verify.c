/* The gate takes what repairs and refuses everything else, with its reason. */
#include "frontends/choreography/verify.h"
#include "tests/support/chor_input.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

#define TRANSFER                                                                                     \
  "state s0:\n  A -> B : ms => s1\nstate s1:\n  B -> A : mf => s3\n  A -> B : mc => s2\nstate s2:\n" \
  "  B -> A : mf => s4\n"

static const struct {
  const char *before, *after;
  hdi_mechanism mechanism;
  const char *reason; /* NULL: accepted */
} cases[] = {
    {TRANSFER, TRANSFER "state s3:\n  A -> B : mc => s4\n", HDI_MECHANISM_RELAXATION, NULL},
    {TRANSFER, TRANSFER, HDI_MECHANISM_RELAXATION, "it is not realizable"},
    {TRANSFER, TRANSFER, HDI_MECHANISM_RESTRICTION, "it is not realizable"},
    {TRANSFER, "state s0:\n  A -> B : ms => s1\nstate s1:\n  B -> A : mf => s3\n", HDI_MECHANISM_RELAXATION,
     "it no longer allows everything that was allowed"},
    {TRANSFER, TRANSFER "state s3:\n  A -> B : mc => s4\n", HDI_MECHANISM_RESTRICTION,
     "without the new messages it allows something else than before"},
    {TRANSFER,
     "state s0:\n  A -> B : ms => s1\nstate s1:\n  B -> A : mf => s3\n  B -> A : go => n\nstate n:\n"
     "  A -> B : mc => s2\nstate s2:\n  B -> A : mf => s4\n",
     HDI_MECHANISM_RESTRICTION, NULL},
    {TRANSFER,
     "state s0:\n  A -> B : ms => s1\nstate s1:\n  B -> A : mf => s3\n  B -> A : go => n\nstate n:\n"
     "  A -> B : mc => s2\nstate s2:\n  B -> A : mf => s4\n",
     HDI_MECHANISM_RELAXATION, "a relaxation has no new messages"},
    /* Figure 7(a): an end where the contract goes on. */
    {"state r:\n  C -> S : s => io\nstate io:\n  C -> S : g => io0\n  S -> C : d => r\nstate io0:\n  S -> C : t => "
     "io\n",
     "state r:\n  C -> S : s => io\nstate io:\n  C -> S : g => io0\n  S -> C : d => r\nstate io0:\n  S -> C : t => io\n"
     "  S -> C : d => dead\nstate dead:\n",
     HDI_MECHANISM_RELAXATION, "always goes on"},
    {"never mf .. mc\n" TRANSFER, TRANSFER "state s3:\n  A -> B : mc => s4\n", HDI_MECHANISM_RELAXATION,
     "it breaks the rule: never mf .. mc"},
    {"never x .. z\nstate a:\n  A -> B : x => b\n  A -> B : z => d\nstate b:\n  A -> B : y => c\n",
     "state a:\n  A -> B : x => b\n  A -> B : z => d\nstate b:\n  A -> B : y => c\nstate c:\n  A -> B : z => d\n",
     HDI_MECHANISM_RELAXATION, "it breaks the rule: never x .. z"},
    {"never ms .. mf\n" TRANSFER, TRANSFER "state s3:\n  A -> B : mc => s4\n", HDI_MECHANISM_RELAXATION, NULL},
    {"never mc, ms\n" TRANSFER, TRANSFER "state s3:\n  A -> B : mc => s4\n", HDI_MECHANISM_RELAXATION, NULL},
    {"never mf, mc\n" TRANSFER, TRANSFER "state s3:\n  A -> B : mc => s4\n", HDI_MECHANISM_RELAXATION,
     "it breaks the rule: never mf, mc"},
    {"final state a:\n  P -> Q : x => b\nfinal state b:\n", "state a:\n  P -> Q : x => b\nfinal state b:\n",
     HDI_MECHANISM_RELAXATION, "it may no longer end where it could"},
};

static hdi_evidence decide(const char *before, const char *after, hdi_mechanism mechanism, hd_arena *arena) {
  chor_input old, new;
  chor_input_open(&old, before);
  chor_input_open(&new, after);
  hdi_verify_query query = {.before = old.file,
                            .after = new.file,
                            .mechanism = mechanism,
                            .file_rules = {old.file->blocks->rules, old.file->blocks->rule_count},
                            .bound = 1,
                            .count_length = 4,
                            .threads = 1};
  hdi_evidence evidence;
  cr_assert_eq(hdi_verify_repair(&query, arena, &evidence), HD_OK);
  chor_input_close(&old);
  chor_input_close(&new);
  return evidence;
}

Test(verify, takes_and_refuses) {
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    hd_arena *arena = hd_arena_new();
    hdi_evidence evidence = decide(cases[i].before, cases[i].after, cases[i].mechanism, arena);
    if (cases[i].reason == NULL) {
      cr_assert(evidence.accepted, "case %zu: %s", i, evidence.reason);
      cr_assert_not_null(evidence.basis);
    } else {
      cr_assert(!evidence.accepted && evidence.reason != NULL, "case %zu is accepted", i);
      cr_assert(strstr(evidence.reason, cases[i].reason) != NULL, "case %zu: %s", i, evidence.reason);
    }
    hd_arena_free(arena);
  }
}

/* Both are realizable; the new one gets stuck, the old one has fewer words and does not. */
Test(verify, new_stuck_configurations_are_refused) {
  char *stuck = chor_input_load("examples/choreography/realizable_but_stuck.chor");
  hd_arena *arena = hd_arena_new();
  hdi_evidence same = decide(stuck, stuck, HDI_MECHANISM_RELAXATION, arena);
  cr_assert(same.accepted && !same.stuck_free && same.stuck > 0, "%s", same.reason);
  hdi_evidence worse =
      decide("state s:\n  P1 -> P0 : a => t\nstate t:\n  P0 -> P1 : c => u\nstate u:\n  P0 -> P1 : b => v\n", stuck,
             HDI_MECHANISM_RELAXATION, arena);
  cr_assert(!worse.accepted && strstr(worse.reason, "stuck in a new way") != NULL, "%s", worse.reason);
  hd_arena_free(arena);
  free(stuck);
}

Test(verify, figures) {
  hd_arena *arena = hd_arena_new();
  hdi_evidence evidence =
      decide(TRANSFER, TRANSFER "state s3:\n  A -> B : mc => s4\n", HDI_MECHANISM_RELAXATION, arena);
  /* "", ms, ms mf, ms mc, ms mc mf; the repair adds ms mf mc. */
  cr_assert_eq(evidence.sequences_before, 5);
  cr_assert_eq(evidence.sequences_after, 6);
  cr_assert_eq(evidence.messages_added, 0);
  cr_assert(evidence.stuck_free && evidence.certificate != HD_CERTIFICATE_NONE);
  hd_arena_free(arena);
}

Test(verify, limits_leave_it_undecided) {
  chor_input old, new;
  chor_input_open(&old, TRANSFER);
  chor_input_open(&new, TRANSFER "state s3:\n  A -> B : mc => s4\n");
  hd_arena *arena = hd_arena_new();
  hdi_verify_query query = {.before = old.file, .after = new.file, .bound = 1, .deadline_seconds = 1e-9};
  hdi_evidence evidence;
  cr_assert_eq(hdi_verify_repair(&query, arena, &evidence), HD_OK);
  cr_assert(!evidence.accepted && evidence.undecided && evidence.reason != NULL);
  hd_arena_free(arena);
  chor_input_close(&old);
  chor_input_close(&new);
}
