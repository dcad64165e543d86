/* Making text of unknown origin safe to print. */
#include "core/report/escape.h"
#include "tests/support/hd_test.h"

#include <string.h>

/* Checks the output and the width for both modes. */
static void expect(const char *text, const char *loose, const char *strict, size_t width) {
  hd_buffer out = {0};
  hdi_escape_text(&out, text, false);
  cr_assert_str_eq(out.data == NULL ? "" : out.data, loose);
  hd_buffer_free(&out);
  size_t got = hdi_escape_text(&out, text, true);
  cr_assert_str_eq(out.data == NULL ? "" : out.data, strict);
  cr_assert_eq(got, width);
  hd_buffer_free(&out);
}

Test(report_escape, ordinary_text_is_unchanged) {
  expect(NULL, "", "", 0);
  expect("", "", "", 0);
  expect("plain ~ text\\", "plain ~ text\\", "plain ~ text\\", 13);
  expect("\xC3\xA9", "\xC3\xA9", "\xC3\xA9", 1);
  expect("\xE2\x82\xAC", "\xE2\x82\xAC", "\xE2\x82\xAC", 1);
  expect("\xF0\x9F\x98\x80!", "\xF0\x9F\x98\x80!", "\xF0\x9F\x98\x80!", 2);
  expect("\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF", "\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF",
         "\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF", 3);
}

Test(report_escape, control_characters_only_when_asked) {
  expect("a\nb", "a\nb", "a\\x0ab", 6);
  expect("\033[31m", "\033[31m", "\\x1b[31m", 8);
  expect("\x7F", "\x7F", "\\x7f", 4);
  expect("\xC2\x9B", "\xC2\x9B", "\\xc2\\x9b", 8); /* U+009B, a one-character escape sequence */
  expect("\xC2\xA0", "\xC2\xA0", "\xC2\xA0", 1);   /* U+00A0 is none */
}

Test(report_escape, malformed_utf8_is_escaped_byte_by_byte) {
  static const char *const bad[] = {
      "\x80",
      "\xBF",
      "\xC0\xAF",
      "\xC1\xBF",
      "\xE0\x9F\xBF",
      "\xED\xA0\x80",
      "\xF0\x8F\xBF\xBF",
      "\xF4\x90\x80\x80",
      "\xF5\x80\x80\x80",
      "\xFE",
      "\xFF",
      "\xC3",
      "\xE2\x82",
      "\xF0\x9F\x98",
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    hd_buffer expected = {0};
    for (const char *c = bad[i]; *c != '\0'; c++) {
      hd_buffer_printf(&expected, "\\x%02x", (unsigned char)*c);
    }
    expect(bad[i], expected.data, expected.data, 4 * strlen(bad[i]));
    hd_buffer_free(&expected);
  }
}

Test(report_escape, a_cut_character_does_not_hide_what_follows) {
  expect("\xE2\x82z", "\\xe2\\x82z", "\\xe2\\x82z", 9);
  expect("\xC3(", "\\xc3(", "\\xc3(", 5);
}
