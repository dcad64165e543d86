/* The diagnostics sink and how it prints. */
#include "core/base/diag.h"
#include "tests/support/expect_failed_check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

/* What hd_diag_print writes; the caller frees. */
static char *print(const hd_diag *diag, bool excerpt, bool color) {
  char *data = NULL;
  size_t size;
  FILE *out = open_memstream(&data, &size);
  cr_assert(out != NULL);
  hd_diag_print(diag, out, excerpt, color);
  cr_assert(fclose(out) == 0);
  return data;
}

static void assert_prints(const hd_diag *diag, bool excerpt, const char *expected) {
  char *printed = print(diag, excerpt, false);
  cr_assert(strcmp(printed, expected) == 0, "printed:\n%s\nexpected:\n%s", printed, expected);
  free(printed);
}

/* Prints one diagnostic at [begin, end) of `data` with its excerpt. */
static void assert_excerpt(const char *data, size_t size, uint32_t begin, uint32_t end, const char *expected) {
  hd_text *text = NULL;
  hd_diag *diag = hd_diag_new();
  cr_assert(hd_text_from_bytes("f", data, size, &text) == HD_OK);
  hd_diag_add(diag, HD_DIAG_SYNTAX, text, (hd_span){begin, end}, NULL, "m");
  hd_text_free(text);
  assert_prints(diag, true, expected);
  hd_diag_free(diag);
}

Test(diag, codes_are_unique_and_well_formed) {
  for (int i = 0; i < HD_DIAG_CODE_COUNT; i++) {
    const char *code = hd_diag_code_text((hd_diag_code)i);
    cr_assert(strlen(code) == 5 && strncmp(code, "HD", 2) == 0 && strspn(code + 2, "0123456789") == 3, "%s", code);
    cr_assert(strlen(hd_diag_code_summary((hd_diag_code)i)) > 5);
    cr_assert(strchr("01239", code[2]) != NULL, "%s is in no group", code);
    for (int k = 0; k < i; k++) {
      cr_assert(strcmp(hd_diag_code_text((hd_diag_code)k), code) < 0, "%s is not in order or used twice", code);
    }
  }
  cr_assert_str_eq(hd_diag_code_text(HD_DIAG_USAGE), "HD001");
  cr_assert_str_eq(hd_diag_code_text(HD_DIAG_UNREALIZABLE), "HD201");
  cr_assert(hd_diag_code_severity(HD_DIAG_DUPLICATE) == HD_WARNING);
  cr_assert(hd_diag_code_severity(HD_DIAG_SYNTAX) == HD_ERROR);
  EXPECT_FAILED_CHECK(hd_diag_code_text(HD_DIAG_CODE_COUNT));
}

Test(diag, keeps_everything_that_it_shows) {
  hd_text *text = NULL;
  char name[] = "bad.chor", data[] = "state s:\n  P1 -> P3 : m\n", hint[] = "peers are P1, P2";
  cr_assert(hd_text_from_bytes(name, data, strlen(data), &text) == HD_OK);
  hd_diag *diag = hd_diag_new();
  hd_diag_add(diag, HD_DIAG_NAME, text, (hd_span){17, 19}, hint, "unknown peer '%s'", "P3");
  const hd_diagnostic *first = hd_diag_get(diag, 0);
  hd_diag_add(diag, HD_DIAG_DUPLICATE, text, (hd_span){0, 0}, NULL, "again");
  hd_diag_add(diag, HD_DIAG_READ, NULL, (hd_span){5, 9}, NULL, "cannot read 'x'");
  hd_text_free(text); /* the sink outlives the text */
  memset(hint, '#', sizeof hint - 1);
  cr_assert(hd_diag_count(diag) == 3 && hd_diag_errors(diag) == 2 && hd_diag_dropped(diag) == 0);
  cr_assert(hd_diag_get(diag, 0) == first, "borrowed until the sink is freed");
  cr_assert(first->code == HD_DIAG_NAME && first->position.line == 2 && first->position.column == 9);
  cr_assert_str_eq(first->file, "bad.chor");
  cr_assert_str_eq(first->message, "unknown peer 'P3'");
  cr_assert_str_eq(first->hint, "peers are P1, P2");
  cr_assert_str_eq(first->line, "  P1 -> P3 : m");
  cr_assert(first->line_bytes == 14 && first->line_column == 1 && first->width == 2);
  const hd_diagnostic *third = hd_diag_get(diag, 2);
  cr_assert(third->file == NULL && third->position.line == 0 && third->line == NULL && third->hint == NULL);
  cr_assert(hd_diag_get(diag, 1)->width == 1, "the caret has a width");
  EXPECT_FAILED_CHECK(hd_diag_get(diag, 3));
  hd_diag_free(diag);
  hd_diag_free(NULL);
}

Test(diag, a_missing_sink_drops_the_message) {
  hd_diag_add(NULL, HD_DIAG_SYNTAX, NULL, (hd_span){0, 0}, NULL, "%d", 1);
}

Test(diag, after_a_hundred_only_counts) {
  hd_diag *diag = hd_diag_new();
  for (int i = 0; i < 250; i++) {
    hd_diag_add(diag, HD_DIAG_SYNTAX, NULL, (hd_span){0, 0}, NULL, "error %d", i);
  }
  cr_assert(hd_diag_count(diag) == HD_DIAG_STORED_MAX && HD_DIAG_STORED_MAX == 100);
  cr_assert(hd_diag_errors(diag) == 250 && hd_diag_dropped(diag) == 150);
  cr_assert_str_eq(hd_diag_get(diag, 99)->message, "error 99");
  for (int i = 0; i < 101; i++) {
    hd_diag_add(diag, HD_DIAG_DUPLICATE, NULL, (hd_span){0, 0}, NULL, "warning %d", i);
  }
  cr_assert(hd_diag_count(diag) == 200 && hd_diag_errors(diag) == 250 && hd_diag_dropped(diag) == 151);
  char *printed = print(diag, false, false);
  const char *last = strstr(printed, "heddle: 151 more diagnostics are not shown\n");
  cr_assert(last != NULL && strlen(last) == strlen("heddle: 151 more diagnostics are not shown\n"));
  free(printed);
  hd_diag_free(diag);
}

Test(diag, prints_place_severity_words_hint_and_code) {
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("a.chor", "one\ntwo\n", 8, &text) == HD_OK);
  hd_diag *diag = hd_diag_new();
  hd_diag_add(diag, HD_DIAG_SYNTAX, text, (hd_span){5, 7}, "expected ':'", "unexpected '%s'", "wo");
  hd_diag_add(diag, HD_DIAG_DUPLICATE, text, (hd_span){8, 8}, NULL, "twice");
  hd_diag_add(diag, HD_DIAG_READ, NULL, (hd_span){0, 0}, NULL, "cannot read 'b'");
  assert_prints(diag, false,
                "a.chor:2:2: error: unexpected 'wo'; expected ':' [HD102]\n"
                "a.chor:3:1: warning: twice [HD108]\n"
                "heddle: error: cannot read 'b' [HD002]\n");
  assert_prints(diag, true,
                "a.chor:2:2: error: unexpected 'wo'; expected ':' [HD102]\n"
                "    2 | two\n"
                "      |  ^~\n"
                "a.chor:3:1: warning: twice [HD108]\n"
                "    3 | \n"
                "      | ^\n"
                "heddle: error: cannot read 'b' [HD002]\n");
  char *colored = print(diag, true, true);
  cr_assert(strstr(colored, "\033[1;31merror:\033[0m unexpected 'wo'") != NULL);
  cr_assert(strstr(colored, "\033[1;35mwarning:\033[0m twice") != NULL);
  cr_assert(strstr(colored, "\033[1ma.chor:2:2:\033[0m") != NULL);
  free(colored);
  hd_text_free(text);
  hd_diag_free(diag);
}

Test(diag, the_caret_stands_under_what_is_meant) {
  assert_excerpt("\ta\tbc d", 7, 3, 5, "f:1:4: error: m [HD102]\n    1 | \ta\tbc d\n      | \t \t^~\n");
  assert_excerpt("\xC3\xA4\xC3\xA4x", 5, 4, 5, "f:1:5: error: m [HD102]\n    1 | \xC3\xA4\xC3\xA4x\n      |   ^\n");
  assert_excerpt(
      "a\x01"
      "b",
      3, 2, 3, "f:1:3: error: m [HD102]\n    1 | a\\x01b\n      |      ^\n");
  assert_excerpt("a\0b", 3, 1, 3, "f:1:2: error: m [HD102]\n    1 | a\\x00b\n      |  ^~~~~\n");
  assert_excerpt("abc\ndef", 7, 1, 6, "f:1:2: error: m [HD102]\n    1 | abc\n      |  ^~\n");
  assert_excerpt("ab\r\nc", 5, 3, 4, "f:1:4: error: m [HD102]\n    1 | ab\n      |   ^\n");
  assert_excerpt("ab", 2, 99, 100, "f:1:3: error: m [HD102]\n    1 | ab\n      |   ^\n");
}

Test(diag, what_could_fool_a_terminal_is_escaped) {
  static const struct {
    const char *raw, *shown;
  } cases[] = {
      {"\033[31m", "\\x1B[31m"},
      {"a\nb\tc\r", "a\\x0Ab\\x09c\\x0D"},
      {"\x7F", "\\x7F"},
      {"\xC2\x9B"
       "0m",
       "\\xC2\\x9B0m"}, /* U+009B, a control sequence in one character */
      {"\xE2\x80\xAE"
       "x",
       "\\xE2\\x80\\xAEx"},                         /* U+202E, right-to-left override */
      {"\xE2\x81\xA6", "\\xE2\\x81\\xA6"},          /* U+2066 */
      {"\xE2\x80\xA8", "\\xE2\\x80\\xA8"},          /* U+2028, line separator */
      {"\xC0\xAF", "\\xC0\\xAF"},                   /* overlong */
      {"\xE0\x80\xAF", "\\xE0\\x80\\xAF"},          /* overlong */
      {"\xED\xA0\x80", "\\xED\\xA0\\x80"},          /* a surrogate */
      {"\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"}, /* beyond U+10FFFF */
      {"\xF5\x80\x80\x80", "\\xF5\\x80\\x80\\x80"},
      {"\xE2\x82", "\\xE2\\x82"}, /* cut off */
      {"\xE2\x82"
       "x",
       "\\xE2\\x82x"},
      {"\x80", "\\x80"},
      {"\xFF", "\\xFF"},
      {"gr\xC3\xBC\xC3\x9F", "gr\xC3\xBC\xC3\x9F"},
      {"\xE2\x82\xAC \xF0\x9F\x98\x80", "\xE2\x82\xAC \xF0\x9F\x98\x80"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    hd_diag *diag = hd_diag_new();
    char expected[128];
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, cases[i].raw, "<%s>", cases[i].raw);
    (void)snprintf(expected, sizeof expected, "heddle: error: <%s>; %s [HD001]\n", cases[i].shown, cases[i].shown);
    assert_prints(diag, true, expected);
    hd_diag_free(diag);
  }
  hd_text *text = NULL;
  hd_diag *diag = hd_diag_new();
  cr_assert(hd_text_from_bytes("f\033c", "", 0, &text) == HD_OK);
  hd_diag_add(diag, HD_DIAG_EMPTY, text, (hd_span){0, 0}, NULL, "m");
  assert_prints(diag, false, "f\\x1Bc:1:1: error: m [HD105]\n");
  hd_text_free(text);
  hd_diag_free(diag);
}

Test(diag, of_a_very_long_line_only_a_part_is_kept) {
  enum { SIZE = 1000000 };
  char *data = malloc(SIZE);
  cr_assert(data != NULL);
  for (size_t i = 0; i < SIZE; i++) {
    data[i] = (char)('a' + i % 26);
  }
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("long", data, SIZE, &text) == HD_OK);
  static const uint32_t places[] = {0, 1, 79, 80, 81, 159, 160, 500000, SIZE - 81, SIZE - 80, SIZE - 1, SIZE};
  hd_diag *diag = hd_diag_new();
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    hd_diag_add(diag, HD_DIAG_SYNTAX, text, (hd_span){places[i], places[i] + 1}, NULL, "m");
    const hd_diagnostic *d = hd_diag_get(diag, i);
    cr_assert(d->line_bytes == 160 && strlen(d->line) == 160);
    cr_assert(d->position.column == places[i] + 1);
    size_t at = d->position.column - d->line_column;
    cr_assert(at <= 160 && (places[i] == SIZE ? d->line[at] == '\0' : d->line[at] == data[places[i]]));
  }
  char *printed = print(diag, true, false);
  cr_assert(strlen(printed) < 12 * 500);
  free(printed);
  hd_diag_free(diag);
  hd_text_free(text);
  free(data);
}

Test(diag, a_long_line_is_not_cut_inside_a_character) {
  char data[600];
  for (size_t i = 0; i < sizeof data; i++) {
    data[i] = "\xE2\x82\xAC"[i % 3];
  }
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("long", data, sizeof data, &text) == HD_OK);
  hd_diag *diag = hd_diag_new();
  for (uint32_t at = 0; at < 90; at++) {
    hd_diag_add(diag, HD_DIAG_SYNTAX, text, (hd_span){at * 6, at * 6 + 3}, NULL, "m");
    const hd_diagnostic *d = hd_diag_get(diag, at);
    cr_assert(d->line_bytes % 3 == 0 && (d->line_column - 1) % 3 == 0);
  }
  char *printed = print(diag, true, false);
  cr_assert(strstr(printed, "\\x") == NULL);
  free(printed);
  hd_diag_free(diag);
  hd_text_free(text);
}

static bool use_diag(void *payload, bool *succeeded) {
  const hd_text *text = payload;
  hd_diag *diag = hd_diag_new();
  if (diag == NULL) {
    return true;
  }
  for (int i = 0; i < 60; i++) {
    hd_diag_add(diag, i % 2 == 0 ? HD_DIAG_SYNTAX : HD_DIAG_DUPLICATE, text, (hd_span){2, 4}, "a hint", "m %0100d", i);
  }
  size_t count = hd_diag_count(diag);
  bool good = hd_diag_errors(diag) == 30 && count + hd_diag_dropped(diag) == 60;
  for (size_t i = 0; i < count; i++) {
    const hd_diagnostic *d = hd_diag_get(diag, i);
    good = good && strlen(d->message) == 102 && strcmp(d->hint, "a hint") == 0 && strcmp(d->line, "b c") == 0 &&
           strcmp(d->file, "f") == 0;
  }
  hd_diag_free(diag);
  *succeeded = count == 60;
  return good;
}

Test(diag, without_memory_errors_are_still_counted) {
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("f", "a\nb c\n", 6, &text) == HD_OK);
  cr_assert(hd_fail_alloc_sweep(use_diag, text) > 10);
  hd_text_free(text);
}
