/* Building results, and their exit codes. */
#include "core/report/result.h"
#include "tests/support/hd_test.h"

#include <stdio.h>
#include <string.h>

Test(report_result, new_result_is_empty_and_owns_its_name) {
  char name[] = "a.chor";
  hd_result *result = hd_result_new(HD_COMMAND_EXPLORE, name);
  name[0] = 'x';
  cr_assert_not_null(result);
  cr_assert_str_eq(result->file, "a.chor");
  cr_assert_eq(result->command, HD_COMMAND_EXPLORE);
  cr_assert_eq(result->verdict, HD_VERDICT_NONE);
  cr_assert_eq(result->finding_count, 0);
  cr_assert_eq(result->fact_count, 0);
  cr_assert_not(result->has_statistics);
  cr_assert_eq(result->status, HD_OK);
  hd_result_free(result);
  hd_result_free(NULL);
}

Test(report_result, findings_survive_growth_in_order_and_start_zeroed) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "f");
  for (uint64_t i = 0; i < 100; i++) {
    hd_finding *finding = hd_result_add_finding(result);
    cr_assert_not_null(finding);
    static const hd_finding zeroed;
    cr_assert_eq(memcmp(finding, &zeroed, sizeof zeroed), 0);
    finding->length = i;
    finding->kind = "deadlock";
  }
  cr_assert_eq(result->finding_count, 100);
  cr_assert_leq(result->finding_count, result->finding_capacity);
  for (uint64_t i = 0; i < 100; i++) {
    cr_assert_eq(result->findings[i].length, i);
    cr_assert_str_eq(result->findings[i].kind, "deadlock");
  }
  hd_result_free(result);
}

Test(report_result, facts_copy_their_texts_and_keep_their_order) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "f");
  for (unsigned i = 0; i < 30; i++) {
    char name[16], text[16];
    snprintf(name, sizeof name, "name%u", i);
    snprintf(text, sizeof text, "text%u", i);
    hd_result_add_text(result, name, text);
    hd_result_add_number(result, name, i);
    hd_result_add_bool(result, name, i % 2 == 1);
  }
  cr_assert_eq(result->fact_count, 90);
  for (unsigned i = 0; i < 30; i++) {
    char name[16], text[16];
    snprintf(name, sizeof name, "name%u", i);
    snprintf(text, sizeof text, "text%u", i);
    const hd_fact *facts = &result->facts[3 * i];
    cr_assert_eq(facts[0].kind, HD_FACT_TEXT);
    cr_assert_str_eq(facts[0].name, name);
    cr_assert_str_eq(facts[0].text, text);
    cr_assert_eq(facts[1].kind, HD_FACT_NUMBER);
    cr_assert_eq(facts[1].number, i);
    cr_assert_eq(facts[2].kind, HD_FACT_BOOL);
    cr_assert_eq(facts[2].number, i % 2);
  }
  hd_result_free(result);
}

Test(report_result, outcome_becomes_statistics) {
  hd_result *result = hd_result_new(HD_COMMAND_EXPLORE, "f");
  char store[] = "word";
  hd_outcome outcome = {.end = HD_END_COMPLETE,
                        .states = 11,
                        .transitions = 12,
                        .levels = 6,
                        .expanded = 10,
                        .stopped = 3,
                        .threads = 4,
                        .seconds = 1.5,
                        .visited_bytes = 88,
                        .memory_bytes = 99,
                        .store = store};
  hd_result_take_outcome(result, &outcome, 2);
  store[0] = 'x';
  cr_assert(result->has_statistics);
  cr_assert(result->complete);
  cr_assert_eq(result->states, 11);
  cr_assert_eq(result->transitions, 12);
  cr_assert_eq(result->levels, 6);
  cr_assert_eq(result->deadlocks, 2);
  cr_assert_eq(result->expanded, 10);
  cr_assert_eq(result->threads, 4);
  cr_assert_eq(result->visited_bytes, 88);
  cr_assert_eq(result->memory_bytes, 99);
  cr_assert_str_eq(result->store, "word");
  cr_assert_null(result->not_covered);
  cr_assert_eq(hd_result_exit_code(result), 0);
  hd_result_free(result);
}

Test(report_result, outcome_cut_short_says_what_was_not_covered) {
  for (int end = 0; end < HD_END_COUNT; end++) {
    hd_result *result = hd_result_new(HD_COMMAND_EXPLORE, "f");
    hd_outcome outcome = {.end = (hd_end)end, .states = 100, .expanded = 60};
    hd_result_take_outcome(result, &outcome, 0);
    bool asked_for = end == HD_END_COMPLETE || end == HD_END_FOUND;
    cr_assert_eq(result->complete, end == HD_END_COMPLETE);
    cr_assert_eq(result->not_covered == NULL, asked_for);
    cr_assert_eq(hd_result_exit_code(result), asked_for ? 0 : 4);
    if (!asked_for) {
      cr_assert_not_null(strstr(result->not_covered, hd_end_words((hd_end)end)));
      cr_assert_not_null(strstr(result->not_covered, "40 of the 100 states"));
    }
    hd_result_free(result);
  }
}

Test(report_result, outcome_keeps_words_that_the_frontend_has_set) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "f");
  result->not_covered = "mine";
  hd_outcome outcome = {.end = HD_END_TIMEOUT};
  hd_result_take_outcome(result, &outcome, 0);
  cr_assert_str_eq(result->not_covered, "mine");
  hd_result_free(result);
}

Test(report_result, exit_code_follows_status_then_verdict) {
  static const struct {
    hd_status status;
    hd_verdict verdict;
    int code;
  } rows[] = {
      {HD_OK, HD_VERDICT_HOLDS, 0},         {HD_OK, HD_VERDICT_VIOLATED, 1},      {HD_OK, HD_VERDICT_INCONCLUSIVE, 4},
      {HD_OK, HD_VERDICT_NONE, 0},          {HD_E_INPUT, HD_VERDICT_HOLDS, 3},    {HD_E_IO, HD_VERDICT_HOLDS, 3},
      {HD_E_USAGE, HD_VERDICT_NONE, 2},     {HD_E_NOMEM, HD_VERDICT_HOLDS, 4},    {HD_E_LIMIT, HD_VERDICT_VIOLATED, 4},
      {HD_E_CANCELLED, HD_VERDICT_NONE, 4}, {HD_E_INTERNAL, HD_VERDICT_HOLDS, 5},
  };
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "f");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    result->status = rows[i].status;
    result->verdict = rows[i].verdict;
    cr_assert_eq(hd_result_exit_code(result), rows[i].code, "row %zu", i);
  }
  hd_result_free(result);
}

Test(report_result, joined_exit_code_is_the_gravest) {
  static const int order[] = {5, 3, 2, 1, 4, 0};
  for (size_t i = 0; i < 6; i++) {
    for (size_t k = 0; k < 6; k++) {
      int expected = order[i < k ? i : k];
      cr_assert_eq(hd_exit_code_join(order[i], order[k]), expected);
    }
  }
  cr_assert_eq(hd_exit_code_join(77, 78), 5);
}

Test(report_result, verdict_names) {
  cr_assert_null(hd_verdict_name(HD_VERDICT_NONE));
  cr_assert_str_eq(hd_verdict_name(HD_VERDICT_HOLDS), "holds");
  cr_assert_str_eq(hd_verdict_name(HD_VERDICT_VIOLATED), "violated");
  cr_assert_str_eq(hd_verdict_name(HD_VERDICT_INCONCLUSIVE), "inconclusive");
}
