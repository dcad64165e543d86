/* Example families: what `explore` counts and `check` answers, against figures from outside heddle.
 *
 * tests/cases/choreography/families.json holds, per family and size, the states, transitions and stuck configurations
 * of I_k and where they come from. Tier `quick` runs always; with HEDDLE_FULL=1 in the environment only tier `full`
 * runs (ctest -C full), members of up to five million states. Closed forms are computed here a second time, so that a
 * wrong line of the file cannot agree with a wrong explorer. */
#include "tests/support/families.h"
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

#include <stdlib.h>
#include <string.h>

static bool full_tier(void) {
  const char *value = getenv("HEDDLE_FULL");
  return value != NULL && strcmp(value, "1") == 0;
}

static uint32_t number(const json_t *entry, const char *name, uint32_t missing) {
  const json_t *value = json_object_get(entry, name);
  return value != NULL ? (uint32_t)json_integer_value(value) : missing;
}

static uint64_t power(uint64_t base, uint32_t exponent) {
  uint64_t result = 1;
  while (exponent-- > 0) {
    result *= base;
  }
  return result;
}

/* States of the member by its closed form, and the transitions in *transitions; 0 when the family has none. */
static uint64_t closed_form(hd_family family, uint32_t n, uint32_t k, uint64_t *transitions) {
  uint64_t states = 0;
  switch (family) {
    case HD_FAMILY_CHAIN:
      states = power(3, n);
      *transitions = 2 * n * power(3, n - 1);
      break;
    case HD_FAMILY_PIPELINE:
      states = power(2, n - 2) * power(k + 1, n - 1);
      *transitions = states / (k + 1) * n * k;
      break;
    case HD_FAMILY_RING:
      states = *transitions = 4 * (uint64_t)n - 4;
      break;
    case HD_FAMILY_STAR:
    case HD_FAMILY_TREE:
    case HD_FAMILY_PHILOSOPHERS:
    case HD_FAMILY_PHILOSOPHERS_ODD:
    case HD_FAMILY_GENCFSM:
    case HD_FAMILY_COUNT:
      break;
  }
  return states;
}

static void explore_member(hd_family family, const json_t *entry) {
  const char *name = hd_family_name(family);
  hd_family_size size = {number(entry, "n", 0), number(entry, "length", 1), number(entry, "pairs", 1)};
  char *text = hd_family_print(family, size);
  cr_assert_not_null(text);
  run_text run;
  run_text_init(&run);
  run.options.threads = full_tier() ? 0 : 1;
  run.options.bound = number(entry, "bound", 1);
  run.options.semantics = strcmp(json_string_value(json_object_get(entry, "semantics")), "p2p") == 0;
  run.options.reduction = false;
  run_text_command(&run, HD_COMMAND_EXPLORE, hd_family_is_fsa(family) ? "member.fsa" : "member.chor", text);
  cr_assert_eq(run.status, HD_OK, "%s %u", name, size.n);
  cr_assert(run.result->complete, "%s %u was cut short", name, size.n);
  uint64_t transitions = 0, states = closed_form(family, size.n, run.options.bound, &transitions);
  if (states != 0) {
    cr_assert_eq(run.result->states, states, "%s %u: %llu states, closed form %llu", name, size.n,
                 (unsigned long long)run.result->states, (unsigned long long)states);
    cr_assert_eq(run.result->transitions, transitions, "%s %u: transitions", name, size.n);
  }
  cr_assert_eq((json_int_t)run.result->states, json_integer_value(json_object_get(entry, "states")),
               "%s %u: %llu states", name, size.n, (unsigned long long)run.result->states);
  cr_assert_eq((json_int_t)run.result->transitions, json_integer_value(json_object_get(entry, "transitions")),
               "%s %u: %llu transitions", name, size.n, (unsigned long long)run.result->transitions);
  cr_assert_eq((json_int_t)run.result->deadlocks, json_integer_value(json_object_get(entry, "stuck")),
               "%s %u: %llu stuck", name, size.n, (unsigned long long)run.result->deadlocks);
  run_text_free(&run);
  free(text);
}

/* Explores every size of the tier that runs; returns how many there were. */
static size_t explore_family(const json_t *family) {
  const char *name = json_string_value(json_object_get(family, "family"));
  cr_assert_not_null(name);
  hd_family which = hd_family_find(name);
  cr_assert_neq(which, HD_FAMILY_COUNT, "no family %s", name);
  size_t done = 0, index;
  json_t *entry;
  json_array_foreach(json_object_get(family, "sizes"), index, entry) {
    const char *tier = json_string_value(json_object_get(entry, "tier"));
    if (strcmp(tier, full_tier() ? "full" : "quick") == 0) {
      explore_member(which, entry);
      done++;
    }
  }
  return done;
}

static json_t *load_families(void) {
  char *text = run_text_load("tests/cases/choreography/families.json");
  cr_assert_not_null(text);
  json_t *root = json_loads(text, 0, NULL);
  cr_assert_not_null(root);
  free(text);
  return root;
}

Test(families, every_size_has_the_recorded_counts) {
  json_t *root = load_families();
  const json_t *families = json_object_get(root, "families");
  cr_assert_eq(json_array_size(families), (size_t)HD_FAMILY_COUNT);
  for (size_t i = 0; i < json_array_size(families); i++) {
    cr_assert_gt(explore_family(json_array_get(families, i)), 0u);
  }
  json_decref(root);
}

/* Counts do not depend on the number of threads, and the reduction changes no verdict on stuck configurations. */
Test(families, threads_and_reduction_change_no_answer) {
  static const uint32_t threads[] = {2, 3, 8};
  hd_family_size size = {3, 3, 1};
  for (unsigned f = 0; f < HD_FAMILY_COUNT; f++) {
    char *text = hd_family_print((hd_family)f, size);
    cr_assert_not_null(text);
    const char *file = hd_family_is_fsa((hd_family)f) ? "member.fsa" : "member.chor";
    run_text one;
    run_text_init(&one);
    one.options.reduction = false;
    run_text_command(&one, HD_COMMAND_EXPLORE, file, text);
    cr_assert_eq(one.status, HD_OK);
    char *expected = run_text_comparable(&one);
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
      run_text many;
      run_text_init(&many);
      many.options.threads = threads[t];
      many.options.reduction = false;
      run_text_command(&many, HD_COMMAND_EXPLORE, file, text);
      char *got = run_text_comparable(&many);
      cr_assert_str_eq(got, expected, "%s, %u threads", hd_family_name((hd_family)f), threads[t]);
      free(got);
      run_text_free(&many);
    }
    run_text reduced;
    run_text_init(&reduced);
    run_text_command(&reduced, HD_COMMAND_EXPLORE, file, text);
    cr_assert_eq(reduced.result->deadlocks, one.result->deadlocks);
    cr_assert_leq(reduced.result->states, one.result->states);
    run_text_free(&reduced);
    run_text_free(&one);
    free(expected);
    free(text);
  }
}

/* What `check` says about a member or a text; length 0: holds. */
static void check_text(const char *what, const char *text, uint64_t length) {
  run_text run;
  run_text_init(&run);
  run.options.cross_check = true;
  run_text_command(&run, HD_COMMAND_CHECK, "member.chor", text);
  cr_assert_eq(run.status, HD_OK, "%s", what);
  if (length == 0) {
    cr_assert_eq(run.result->verdict, HD_VERDICT_HOLDS, "%s", what);
    cr_assert_eq(run.result->finding_count, 0u, "%s", what);
  } else {
    cr_assert_eq(run.result->verdict, HD_VERDICT_VIOLATED, "%s", what);
    cr_assert_gt(run.result->finding_count, 0u, "%s", what);
    cr_assert_str_eq(run.result->findings[0].kind, "unrealizable", "%s", what);
    cr_assert_eq(run.result->findings[0].length, length, "%s: length %llu", what,
                 (unsigned long long)run.result->findings[0].length);
  }
  run_text_free(&run);
}

Test(families, realizable_and_unrealizable_members) {
  static const struct {
    hd_family family;
    uint32_t n;
    uint64_t length;
  } members[] = {{HD_FAMILY_CHAIN, 1, 0}, {HD_FAMILY_CHAIN, 2, 1}, {HD_FAMILY_CHAIN, 8, 1}, {HD_FAMILY_RING, 2, 0},
                 {HD_FAMILY_RING, 3, 0},  {HD_FAMILY_RING, 40, 0}, {HD_FAMILY_STAR, 2, 0},  {HD_FAMILY_STAR, 5, 0}};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    char *text = hd_family_print(members[i].family, (hd_family_size){members[i].n, 1, 1});
    cr_assert_not_null(text);
    check_text(hd_family_name(members[i].family), text, members[i].length);
    free(text);
  }
}

Test(families, the_full_tpm_contract_races) {
  check_text("tpm", hd_family_tpm_contract(), 5);
}

Test(families, names_are_found_again) {
  for (unsigned f = 0; f < HD_FAMILY_COUNT; f++) {
    cr_assert_eq(hd_family_find(hd_family_name((hd_family)f)), (hd_family)f);
  }
  cr_assert_eq(hd_family_find("no such family"), HD_FAMILY_COUNT);
}
