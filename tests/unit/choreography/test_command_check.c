/* `check` end to end in memory: verdicts, witness lengths, bounds, certificates and the cross-check on every case and
 * on random choreographies; the same answer for every number of threads. */
#include "frontends/choreography/frontend.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"
#include "tests/support/run_text.h"

#include <dirent.h>
#include <stdlib.h>

static const hd_finding *finding_of(const run_text *run, const char *kind) {
  for (size_t i = 0; i < run->result->finding_count; i++) {
    if (strcmp(run->result->findings[i].kind, kind) == 0) {
      return &run->result->findings[i];
    }
  }
  return NULL;
}

/* The comparison was made and came out equal: one that was left out or cut short does not count. */
static bool cross_check_agrees(const run_text *run) {
  for (size_t i = 0; i < run->result->fact_count; i++) {
    const hd_fact *fact = &run->result->facts[i];
    if (strcmp(fact->name, "cross_check") == 0) {
      return strcmp(fact->text, "agrees") == 0;
    }
  }
  return false;
}

static void check_entry(const char *name, const char *text, const char *key, const json_t *want) {
  int k = 0;
  char semantics[16] = "";
  cr_assert_eq(sscanf(key, "%15s k=%d", semantics, &k), 2, "%s: key %s", name, key);
  run_text run;
  run_text_init(&run);
  run.options.bound = (uint32_t)k;
  run.options.semantics = strcmp(semantics, "p2p") == 0;
  run.options.cross_check = true;
  run_text_command(&run, HD_COMMAND_CHECK, "case.chor", text);
  cr_assert_eq(run.status, HD_OK, "%s %s", name, key);
  cr_assert(cross_check_agrees(&run), "%s %s", name, key);
  bool realizable = json_is_true(json_object_get(want, "realizable"));
  json_int_t stuck = json_integer_value(json_object_get(want, "stuck"));
  const hd_finding *unrealizable = finding_of(&run, "unrealizable");
  cr_assert_eq(unrealizable == NULL, realizable, "%s %s", name, key);
  cr_assert_eq(run.result->verdict, realizable && stuck == 0 ? HD_VERDICT_HOLDS : HD_VERDICT_VIOLATED, "%s %s", name,
               key);
  if (!realizable) {
    cr_assert_eq(unrealizable->length, json_array_size(json_object_get(want, "shortest")), "%s %s", name, key);
    cr_assert_eq((json_int_t)run.result->deadlocks, stuck, "%s %s", name, key);
  }
  run_text_free(&run);
}

Test(command_check, every_case_has_the_expected_verdict) {
  json_t *expected = run_text_expected();
  const char *name, *key;
  json_t *entries, *want;
  json_object_foreach(expected, name, entries) {
    char path[256];
    snprintf(path, sizeof path, "tests/cases/choreography/%s.chor", name);
    char *text = run_text_load(path);
    cr_assert_not_null(text, "%s", path);
    json_object_foreach(entries, key, want) {
      if (json_is_object(want)) {
        check_entry(name, text, key, want);
      }
    }
    free(text);
  }
  json_decref(expected);
}

Test(command_check, a_longer_queue_can_change_the_answer) {
  char *text = run_text_load("tests/cases/choreography/k1_is_not_enough.chor");
  cr_assert_not_null(text);
  run_text run;
  run_text_init(&run);
  run.options.up_to = 4;
  run_text_command(&run, HD_COMMAND_CHECK, "k.chor", text);
  cr_assert_eq(run.result->bound, 2u);
  cr_assert_not_null(finding_of(&run, "unrealizable"));
  run_text_free(&run);
  run_text_init(&run);
  run.options.as_published = true;
  run_text_command(&run, HD_COMMAND_CHECK, "k.chor", text);
  cr_assert_eq(run.result->verdict, HD_VERDICT_HOLDS);
  cr_assert_eq(run.result->assumption_count, 2u);
  run_text_free(&run);
  free(text);
}

Test(command_check, an_unrealizable_verdict_names_the_confused_peer_and_both_histories) {
  char *text = run_text_load("tests/cases/choreography/file_transfer.chor");
  cr_assert_not_null(text);
  run_text run;
  run_text_init(&run);
  run_text_command(&run, HD_COMMAND_CHECK, "f.chor", text);
  const hd_finding *finding = finding_of(&run, "unrealizable");
  cr_assert_not_null(finding);
  cr_assert_str_eq(finding->message, "P1 can send mc to P2 where the choreography file_transfer does not allow it");
  cr_assert_eq(finding->detail_count, 3u);
  cr_assert_str_eq(finding->details[0], "P1 is confused: in both of these runs of the choreography it has sent ms");
  cr_assert_str_eq(finding->details[1], "history 1: P1->P2:ms, P2->P1:mf - here mc must not follow (unread by P1: mf)");
  cr_assert_str_eq(finding->details[2], "history 2: P1->P2:ms - here mc may follow");
  cr_assert_eq(finding->position.line, 6u);
  run_text_free(&run);
  free(text);
}

/* 3,000 random choreographies: the cross-check compares the per-peer verdict and the witness's length with the product
 * of I_k and Det(C), and fails the command when they differ. */
static void cross_check_random(uint64_t first, uint64_t count) {
  for (uint64_t seed = first; seed < first + HD_TEST_COUNT(count); seed++) {
    char *text = hd_random_chor(seed, 2, 4);
    cr_assert_not_null(text);
    for (uint32_t variant = 0; variant < 4; variant++) {
      run_text run;
      run_text_init(&run);
      run.options.bound = 1 + variant / 2;
      run.options.semantics = (int)(variant % 2);
      run.options.cross_check = true;
      run_text_command(&run, HD_COMMAND_CHECK, "random.chor", text);
      cr_assert_eq(run.status, HD_OK, "seed %llu, variant %u:\n%s", (unsigned long long)seed, variant, text);
      cr_assert(cross_check_agrees(&run), "seed %llu, variant %u:\n%s", (unsigned long long)seed, variant, text);
      run_text_free(&run);
    }
    free(text);
  }
}

Test(command_check, random_choreographies_agree_with_the_product_1) {
  cross_check_random(1, 1500);
}
Test(command_check, random_choreographies_agree_with_the_product_2) {
  cross_check_random(1501, 1500);
}

static char *with_threads(hd_command command, const char *name, const char *text, uint32_t threads, uint32_t bound,
                          int semantics) {
  run_text run;
  run_text_init(&run);
  run.options.threads = threads;
  run.options.bound = bound;
  run.options.semantics = semantics;
  run_text_command(&run, command, name, text);
  cr_assert_eq(run.status, HD_OK);
  char *json = run_text_comparable(&run);
  run_text_free(&run);
  return json;
}

static void same_for_every_team(const char *name, const char *text, uint32_t bound, int semantics) {
  static const hd_command commands[] = {HD_COMMAND_CHECK, HD_COMMAND_EXPLORE};
  static const uint32_t teams[] = {2, 3, 8};
  for (size_t c = 0; c < 2; c++) {
    char *one = with_threads(commands[c], name, text, 1, bound, semantics);
    for (size_t t = 0; t < 3; t++) {
      char *many = with_threads(commands[c], name, text, teams[t], bound, semantics);
      cr_assert_str_eq(one, many, "%u threads differ:\n%s", teams[t], text);
      free(many);
    }
    free(one);
  }
}

Test(command_check, threads_do_not_change_the_answer_on_the_cases) {
  json_t *expected = run_text_expected();
  const char *name;
  json_t *entries;
  json_object_foreach(expected, name, entries) {
    char path[256];
    snprintf(path, sizeof path, "tests/cases/choreography/%s.chor", name);
    char *text = run_text_load(path);
    cr_assert_not_null(text);
    same_for_every_team("t.chor", text, 2, 0);
    free(text);
  }
  json_decref(expected);
}

Test(command_check, threads_do_not_change_the_answer_on_the_examples) {
  DIR *folder = opendir(HD_SOURCE_DIR "/examples/choreography");
  cr_assert_not_null(folder);
  unsigned examples = 0;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *ending = strrchr(entry->d_name, '.');
    if (ending == NULL || (strcmp(ending, ".chor") != 0 && strcmp(ending, ".fsa") != 0)) {
      continue;
    }
    char path[512];
    snprintf(path, sizeof path, "examples/choreography/%s", entry->d_name);
    char *text = run_text_load(path);
    cr_assert_not_null(text, "%s", path);
    same_for_every_team(entry->d_name, text, 1, 0);
    free(text);
    examples++;
  }
  closedir(folder);
  cr_assert_geq(examples, 30u, "only %u examples", examples);
}

Test(command_check, threads_do_not_change_the_answer_on_random_inputs) {
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(200); seed++) {
    char *text = hd_random_chor(seed * 7919, 2, 4);
    cr_assert_not_null(text);
    same_for_every_team("t.chor", text, 1 + (uint32_t)(seed % 2), (int)(seed / 2 % 2));
    free(text);
  }
}

Test(command_check, a_verdict_says_that_it_is_not_about_never_rules) {
  static const char *const rules[] = {"", "never m, k\n"};
  for (size_t i = 0; i < 2; i++) {
    hd_buffer text = {0};
    hd_buffer_printf(&text, "choreography one\nstate x: C -> D : x => y\nchoreography two\n%s", rules[i]);
    hd_buffer_add_text(&text, "state a: A -> B : m => b\nstate b: A -> B : k => a\n");
    run_text run;
    run_text_init(&run);
    run_text_command(&run, HD_COMMAND_CHECK, "t.chor", text.data);
    cr_assert_eq(run.status, HD_OK);
    cr_assert_eq(run.result->verdict, HD_VERDICT_HOLDS);
    cr_assert_eq(strcmp(run.result->facts[0].name, "never_rules") == 0, i == 1);
    run_text_free(&run);
    hd_buffer_free(&text);
  }
}

Test(command_check, blocks_are_a_shuffle) {
  static const char *const text =
      "choreography one\nstate a:\n  A -> B : x => b\n"
      "choreography two\nstate s0:\n  P1 -> P2 : ms => s1\nstate s1:\n  P2 -> P1 : mf => s3\n  P1 -> P2 : mc => s2\n"
      "state s2:\n  P2 -> P1 : mf => s4\n";
  run_text run;
  run_text_init(&run);
  run.options.cross_check = true;
  run_text_command(&run, HD_COMMAND_CHECK, "t.chor", text);
  cr_assert_eq(run.status, HD_OK);
  const hd_finding *finding = finding_of(&run, "unrealizable");
  cr_assert_not_null(finding);
  cr_assert_eq(finding->length, 3u);
  run_text_free(&run);
  run_text_init(&run);
  run.options.reduction = false;
  run_text_command(&run, HD_COMMAND_EXPLORE, "t.chor", text);
  cr_assert_eq(run.result->states, 33u); /* 3 states of the first block times 11 of the second */
  run_text_free(&run);
}

/* Where a proof answers instead of a search, the complete search says the same, for both semantics. */
Test(command_check, what_the_diamond_says_the_search_confirms) {
  unsigned by_proof[2] = {0, 0};
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(3000); seed++) {
    char *text = hd_random_chor(seed * 104729, 2, 4);
    cr_assert_not_null(text);
    int semantics = (int)(seed % 2);
    run_text proof, search;
    run_text_init(&proof);
    proof.options.semantics = semantics;
    run_text_command(&proof, HD_COMMAND_CHECK, "t.chor", text);
    cr_assert_eq(proof.status, HD_OK);
    if (proof.result->verdict == HD_VERDICT_HOLDS && strstr(proof.result->basis, "diamond also excludes") != NULL) {
      by_proof[semantics]++;
      run_text_init(&search);
      search.options.semantics = semantics;
      search.options.bound = 2;
      search.options.all = true;
      run_text_command(&search, HD_COMMAND_CHECK, "t.chor", text);
      cr_assert_eq(search.status, HD_OK);
      cr_assert_not_null(strstr(search.result->basis, "explored completely"), "%s", search.result->basis);
      cr_assert_eq(search.result->verdict, HD_VERDICT_HOLDS, "seed %llu:\n%s", (unsigned long long)seed, text);
      run_text_free(&search);
    }
    run_text_free(&proof);
    free(text);
  }
  cr_assert_gt(by_proof[0], HD_TEST_COUNT(20u), "only %u mailbox proofs", by_proof[0]);
  cr_assert_gt(by_proof[1], HD_TEST_COUNT(20u), "only %u p2p proofs", by_proof[1]);
}
