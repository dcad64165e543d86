/* I_k: exact counts of states, transitions and stuck configurations of every case, against figures of an independent
 * explorer. */
#include "frontends/choreography/lower.h"

#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"
#include "tests/support/run_text.h"

#include <stdlib.h>

/* Checks one (case, semantics, k) entry of expected.json under `explore`. */
static void check_entry(const char *name, const char *text, const char *key, const json_t *want) {
  int k = 0;
  char semantics[16] = "";
  cr_assert_eq(sscanf(key, "%15s k=%d", semantics, &k), 2, "%s: key %s", name, key);
  run_text run;
  run_text_init(&run);
  run.options.bound = (uint32_t)k;
  run.options.semantics = strcmp(semantics, "p2p") == 0;
  run.options.reduction = false;
  run_text_command(&run, HD_COMMAND_EXPLORE, "case.chor", text);
  cr_assert_eq(run.status, HD_OK, "%s %s", name, key);
  cr_assert(run.result->complete, "%s %s", name, key);
  cr_assert_eq((json_int_t)run.result->states, json_integer_value(json_object_get(want, "states")),
               "%s %s: states %llu", name, key, (unsigned long long)run.result->states);
  cr_assert_eq((json_int_t)run.result->transitions, json_integer_value(json_object_get(want, "transitions")),
               "%s %s: transitions %llu", name, key, (unsigned long long)run.result->transitions);
  cr_assert_eq((json_int_t)run.result->deadlocks, json_integer_value(json_object_get(want, "stuck")),
               "%s %s: stuck %llu", name, key, (unsigned long long)run.result->deadlocks);
  run_text_free(&run);
}

Test(lower, every_case_has_the_expected_counts) {
  json_t *expected = run_text_expected();
  const char *name, *key;
  json_t *entries, *want;
  size_t checked = 0;
  json_object_foreach(expected, name, entries) {
    char path[256];
    snprintf(path, sizeof path, "tests/cases/choreography/%s.chor", name);
    char *text = run_text_load(path);
    cr_assert_not_null(text, "%s", path);
    json_object_foreach(entries, key, want) {
      if (json_is_object(want)) {
        check_entry(name, text, key, want);
        checked++;
      }
    }
    free(text);
  }
  cr_assert_geq(checked, 13u * 4u, "only %zu entries were checked", checked);
  json_decref(expected);
}

static const char *const file_transfer =
    "state s0:\n  P1 -> P2 : ms => s1\nstate s1:\n  P2 -> P1 : mf => s3\n  P1 -> P2 : mc => s2\nstate s2:\n  P2 -> P1 "
    ": mf => s4\n";

/* Lowers the text's projection with bound k. */
static hd_lowering *lower(const char *bytes, uint32_t bound, hd_semantics semantics, hd_text **text,
                          hd_chor_file **file, hd_system **system) {
  hd_lowering *lowering = NULL;
  cr_assert_eq(hd_text_from_bytes("t.chor", bytes, strlen(bytes), text), HD_OK);
  cr_assert_eq(hd_chor_read(*text, NULL, file), HD_OK);
  cr_assert_eq(hd_project(*file, &(hd_subset_limits){.states_max = 1000}, system), HD_OK);
  cr_assert_eq(hd_lower_system(*system, NULL, NULL, bound, semantics, false, &lowering), HD_OK);
  return lowering;
}

Test(lower, everything_compiles_to_masked_compares) {
  for (uint32_t bound = 1; bound <= 4; bound++) {
    hd_text *text;
    hd_chor_file *file;
    hd_system *system;
    hd_lowering *lowering = lower(file_transfer, bound, HD_MAILBOX, &text, &file, &system);
    hd_model_sizes sizes;
    hd_model_get_sizes(lowering->model, &sizes);
    cr_assert_eq(sizes.bytecode_rules, 0u, "bound %u: %u bytecode rules", bound, sizes.bytecode_rules);
    cr_assert_eq(sizes.words, 1u);
    hd_lowering_free(lowering);
    hd_system_free(system);
    hd_chor_file_free(file);
    hd_text_free(text);
  }
}

Test(lower, queues_follow_the_semantics) {
  static const char *const two_senders = "state a:\n  A -> C : x => b\nstate b:\n  B -> C : y => c\n";
  hd_text *text;
  hd_chor_file *file;
  hd_system *system;
  hd_lowering *lowering = lower(two_senders, 1, HD_MAILBOX, &text, &file, &system);
  cr_assert_eq(lowering->queue_count, 1u);
  cr_assert_eq(lowering->queue_from[0].v, HD_NONE);
  hd_lowering *pairs = NULL;
  cr_assert_eq(hd_lower_system(system, NULL, NULL, 1, HD_P2P, false, &pairs), HD_OK);
  cr_assert_eq(pairs->queue_count, 2u);
  cr_assert_neq(pairs->queue_from[0].v, pairs->queue_from[1].v);
  hd_lowering_free(pairs);
  hd_lowering_free(lowering);
  hd_system_free(system);
  hd_chor_file_free(file);
  hd_text_free(text);
}

/* Explores with and without the reduction: the same stuck configurations of each kind after as many sends, never more
 * states. Returns how many states the reduction saved. */
static uint64_t compare_reduced(const char *text, uint32_t bound, int semantics) {
  run_text runs[2];
  for (int reduced = 0; reduced < 2; reduced++) {
    run_text_init(&runs[reduced]);
    runs[reduced].options.bound = bound;
    runs[reduced].options.semantics = semantics;
    runs[reduced].options.reduction = reduced == 1;
    run_text_command(&runs[reduced], HD_COMMAND_EXPLORE, "t.chor", text);
    cr_assert_eq(runs[reduced].status, HD_OK);
  }
  const hd_result *full = runs[0].result, *less = runs[1].result;
  cr_assert_leq(less->states, full->states);
  cr_assert_eq(less->deadlocks, full->deadlocks, "%s", text);
  cr_assert_eq(less->finding_count, full->finding_count, "%s", text);
  for (size_t i = 0; i < full->finding_count; i++) {
    cr_assert_str_eq(less->findings[i].kind, full->findings[i].kind);
    cr_assert_eq(less->findings[i].length, full->findings[i].length, "%s", text);
    cr_assert_eq(less->findings[i].count, full->findings[i].count, "%s", text);
  }
  uint64_t saved = full->states - less->states;
  run_text_free(&runs[0]);
  run_text_free(&runs[1]);
  return saved;
}

Test(lower, reading_at_once_keeps_every_stuck_configuration) {
  uint64_t saved = 0;
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(1000); seed++) {
    char *text = hd_random_chor(seed * 6364136223846793005u, 2, 4);
    cr_assert_not_null(text);
    saved += compare_reduced(text, 1 + (uint32_t)(seed % 3), (int)(seed / 3 % 2));
    free(text);
  }
  cr_assert_gt(saved, HD_TEST_COUNT(1000u), "the reduction saved %llu states only", (unsigned long long)saved);
}

/* P waits for b1 and b2 of different senders: with one queue per pair it must not read at once
 * (docs/choreography-theory.md, section 8). */
Test(lower, a_peer_with_two_queues_is_not_attentive) {
  static const char *const text =
      "state s0:\n  X -> P : b1 => s1\n  Y -> P : b2 => s4\nstate s1:\n  Y -> P : b2 => s2\nstate s2:\n  P -> X : m => "
      "s3\n"
      "state s4:\n  X -> P : b1 => s5\nstate s5:\n  P -> X : n => s6\n";
  hd_text *source;
  hd_chor_file *file;
  hd_system *system;
  hd_lowering *plain = lower(text, 1, HD_P2P, &source, &file, &system), *pairs = NULL, *mailbox = NULL;
  cr_assert_eq(hd_lower_system(system, NULL, NULL, 1, HD_P2P, true, &pairs), HD_OK);
  cr_assert_eq(hd_lower_system(system, NULL, NULL, 1, HD_MAILBOX, true, &mailbox), HD_OK);
  const uint64_t *state;
  uint32_t p = 0;
  while (strcmp(file->alphabet.peers[p], "P") != 0) {
    p++;
  }
  hd_model_initial(pairs->model, &state);
  cr_assert_eq(hd_model_loc_flags(pairs->model, hd_model_location(pairs->model, state, p)) & HD_LOC_EAGER, 0u);
  hd_model_initial(mailbox->model, &state);
  cr_assert_neq(hd_model_loc_flags(mailbox->model, hd_model_location(mailbox->model, state, p)) & HD_LOC_EAGER, 0u);
  hd_lowering_free(plain);
  hd_lowering_free(pairs);
  hd_lowering_free(mailbox);
  hd_system_free(system);
  hd_chor_file_free(file);
  hd_text_free(source);
}
