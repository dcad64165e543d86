/* The block for people: exact text in every mood. */
#include "tests/support/hd_test.h"
#include "tests/unit/report/sample.h"

#include <stdlib.h>
#include <string.h>

static char *print(const hd_result *result, bool color, int verbose) {
  hd_buffer out = {0};
  cr_assert_eq(hd_result_print_text(result, &out, color, verbose), HD_OK);
  return hd_buffer_take(&out);
}

static void expect(const hd_result *result, int verbose, const char *expected) {
  char *text = print(result, false, verbose);
  cr_assert_str_eq(text, expected);
  free(text);
}

#define SAMPLE_BLOCK                                                       \
  "tpm.chor: violated\n"                                                   \
  "  basis: the per-peer check\n"                                          \
  "  queues: mailbox, length 1\n"                                          \
  "  assuming: peers do not crash\n"                                       \
  "  realizable: no\n"                                                     \
  "  confused peer: S\n"                                                   \
  "  peers: 2\n"                                                           \
  "  tpm.chor:7:3: unrealizable: S sends too early [HD201]\n"              \
  "    S cannot tell the two apart\n"                                      \
  "    second\n"                                                           \
  "    5 of this kind were found\n"                                        \
  "    run of 2 steps, a shortest one:\n"                                  \
  "       1  Client  send     Go  to S         line 4\n"                   \
  "       2  S       receive  Go  from Client\n"                           \
  "       3  S       step                              not allowed here\n" \
  "  14 states, 17 transitions, 9 levels, 1 stuck state; complete; 2 threads, 0.250 s, 56 states/s, 3.0 MiB\n"

Test(report_text, normal_block) {
  hd_result *result = sample_new();
  expect(result, 1, SAMPLE_BLOCK);
  hd_result_free(result);
}

Test(report_text, verbose_adds_the_numbers_of_the_search) {
  hd_result *result = sample_new();
  expect(result, 2, SAMPLE_BLOCK "  14 states expanded; visited set: 0.0 MiB, 8.0 bytes/state, word\n");
  hd_result_free(result);
}

Test(report_text, quiet_is_one_line_per_finding) {
  hd_result *result = sample_new();
  hd_finding *second = hd_result_add_finding(result);
  *second = (hd_finding){.kind = "deadlock", .code = HD_DIAG_DEADLOCK, .message = "stuck"};
  expect(result, 0,
         "tpm.chor:7:3: unrealizable: S sends too early [HD201]\n"
         "tpm.chor: deadlock: stuck [HD202]\n");
  hd_result_free(result);
}

Test(report_text, quiet_is_silent_when_it_holds) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "f");
  result->verdict = HD_VERDICT_HOLDS;
  char *text = print(result, false, 0);
  cr_assert_str_eq(text, "");
  free(text);
  hd_result_free(result);
}

Test(report_text, what_was_not_covered_is_said_even_when_quiet) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "f");
  result->verdict = HD_VERDICT_INCONCLUSIVE;
  result->not_covered = "half of it";
  expect(result, 0, "f: inconclusive: half of it\n");
  expect(result, 1, "f: inconclusive\n  not covered: half of it\n");
  result->verdict = HD_VERDICT_NONE;
  result->command = HD_COMMAND_EXPLORE;
  expect(result, 0, "f: incomplete: half of it\n");
  hd_result_free(result);
}

Test(report_text, without_a_verdict_it_is_done) {
  hd_result *result = hd_result_new(HD_COMMAND_EXPLORE, "f");
  result->has_statistics = true;
  result->states = result->transitions = result->levels = result->threads = 1;
  expect(result, 1, "f: done\n  1 state, 1 transition, 1 level, 0 stuck states; not complete; 1 thread, 0.000 s\n");
  hd_result_free(result);
}

Test(report_text, a_finding_in_the_initial_state_says_so) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "f");
  result->verdict = HD_VERDICT_VIOLATED;
  hd_trace_line none;
  hd_finding *finding = hd_result_add_finding(result);
  *finding = (hd_finding){.kind = "replay", .message = "m", .trace = &none};
  expect(result, 1, "f: violated\n  f: replay: m\n    run of 0 steps: the initial state\n");
  hd_result_free(result);
}

Test(report_text, a_run_says_whether_it_is_a_shortest_one) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "f");
  result->verdict = HD_VERDICT_VIOLATED;
  hd_trace_line step = {.actor = "P", .action = "step"};
  hd_finding *finding = hd_result_add_finding(result);
  *finding = (hd_finding){.kind = "k", .message = "m", .trace = &step, .trace_lines = 1, .length = 1};
  static const char *const words[] = {[HD_SHORTEST_UNSAID] = "    run of 1 step:\n",
                                      [HD_SHORTEST_NO] = "    run of 1 step, which need not be a shortest one:\n",
                                      [HD_SHORTEST_YES] = "    run of 1 step, a shortest one:\n"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    finding->shortest = (hd_shortest)i;
    char *text = print(result, false, 1);
    cr_assert_not_null(strstr(text, words[i]), "%s", text);
    free(text);
  }
  hd_result_free(result);
}

Test(report_text, columns_are_measured_in_characters) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "f");
  result->verdict = HD_VERDICT_VIOLATED;
  hd_trace_line trace[10];
  for (size_t i = 0; i < 10; i++) {
    trace[i] = (hd_trace_line){.actor = i == 3 ? "\xC3\xA9\xC3\xA9" : "P", .action = "send", .label = "m"};
  }
  hd_finding *finding = hd_result_add_finding(result);
  *finding = (hd_finding){.kind = "k", .message = "m", .trace = trace, .trace_lines = 10, .length = 10};
  char *text = print(result, false, 1);
  cr_assert_not_null(strstr(text, "       1   P   send  m\n"), "%s", text);
  cr_assert_not_null(strstr(text, "       4   \xC3\xA9\xC3\xA9  send  m\n"), "%s", text);
  cr_assert_not_null(strstr(text, "       10  P   send  m\n"), "%s", text);
  free(text);
  hd_result_free(result);
}

Test(report_text, no_line_ends_in_spaces) {
  hd_result *result = sample_new();
  char *text = print(result, false, 2);
  cr_assert_null(strstr(text, " \n"), "%s", text);
  free(text);
  hd_result_free(result);
}

Test(report_text, colours_change_nothing_but_colour) {
  hd_result *result = sample_new();
  char *plain = print(result, false, 2), *colored = print(result, true, 2);
  cr_assert_null(strchr(plain, '\033'));
  cr_assert_not_null(strstr(colored, "\033[1;31mviolated\033[0m"));
  char *to = colored;
  for (const char *from = colored; *from != '\0'; from++) {
    if (*from == '\033') {
      from = strchr(from, 'm');
      cr_assert_not_null(from);
    } else {
      *to++ = *from;
    }
  }
  *to = '\0';
  cr_assert_str_eq(colored, plain);
  free(plain);
  free(colored);
  hd_result_free(result);
}

Test(report_text, nothing_an_input_says_steers_the_terminal) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "a\033[2J\xFF.chor");
  result->verdict = HD_VERDICT_VIOLATED;
  result->basis = "b\r";
  hd_result_add_text(result, "t", "\x9B");
  hd_trace_line trace[1] = {{.actor = "\a", .action = "\b", .label = "\v", .peer = "\f", .note = "\033"}};
  hd_finding *finding = hd_result_add_finding(result);
  *finding = (hd_finding){.kind = "k", .message = "m\n2", .trace = trace, .trace_lines = 1, .length = 1};
  for (int verbose = 0; verbose <= 2; verbose++) {
    char *text = print(result, false, verbose);
    for (const char *c = text; *c != '\0'; c++) {
      cr_assert(*c == '\n' || ((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7F), "byte %02x",
                (unsigned)(unsigned char)*c);
    }
    cr_assert_not_null(strstr(text, "a\\x1b[2J\\xff.chor"));
    cr_assert_not_null(strstr(text, "m\\x0a2"));
    free(text);
  }
  hd_result_free(result);
}

Test(report_text, failed_buffer_is_told) {
  hd_result *result = sample_new();
  hd_buffer out = {.failed = 1};
  cr_assert_eq(hd_result_print_text(result, &out, false, 1), HD_E_NOMEM);
  hd_buffer_free(&out);
  hd_result_free(result);
}
