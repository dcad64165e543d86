/* I_k: exact counts of states, transitions and stuck configurations of every case, against figures of an independent
 * explorer. */
#include "frontends/choreography/lower.h"

#include "tests/support/hd_test.h"
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
  cr_assert_eq(hd_lower_system(*system, NULL, NULL, bound, semantics, &lowering), HD_OK);
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
  cr_assert_eq(hd_lower_system(system, NULL, NULL, 1, HD_P2P, &pairs), HD_OK);
  cr_assert_eq(pairs->queue_count, 2u);
  cr_assert_neq(pairs->queue_from[0].v, pairs->queue_from[1].v);
  hd_lowering_free(pairs);
  hd_lowering_free(lowering);
  hd_system_free(system);
  hd_chor_file_free(file);
  hd_text_free(text);
}
