/* Making text of unknown origin safe to print.
 *
 * Names come from files that anybody may have written, and file names are arbitrary bytes. JSON must be valid UTF-8 or
 * no reader takes it, and a terminal obeys control characters. Both outputs therefore pass every borrowed text through
 * here: a byte that does not belong to a well-formed UTF-8 character (Unicode 15, table 3-7: no overlong forms, no
 * surrogates, at most U+10FFFF) is written as the four characters \xNN.
 *
 * Invariant: what is appended is well-formed UTF-8; text that already is, and holds no control character, is appended
 * unchanged. Threads: no state. Cost: O(bytes). */
#include "core/report/escape.h"

#include <stdint.h>
#include <string.h>

/* Length in bytes of the well-formed character at `text`, 0 when there is none. The NUL that ends the text is not a
 * continuation byte, so that no byte behind it is read. */
static size_t character_length(const unsigned char *text) {
  static const struct {
    unsigned char first_lo, first_hi, second_lo, second_hi, length;
  } rows[] = {
      {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
      {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
      {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
  };
  if (text[0] < 0x80) {
    return 1;
  }
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (text[0] < rows[i].first_lo || text[0] > rows[i].first_hi) {
      continue;
    }
    if (text[1] < rows[i].second_lo || text[1] > rows[i].second_hi) {
      return 0;
    }
    for (size_t k = 2; k < rows[i].length; k++) {
      if (text[k] < 0x80 || text[k] > 0xBF) {
        return 0;
      }
    }
    return rows[i].length;
  }
  return 0;
}

static bool is_control(const unsigned char *character, size_t length) {
  if (length == 1) {
    return character[0] < 0x20 || character[0] == 0x7F;
  }
  return length == 2 && character[0] == 0xC2 && character[1] < 0xA0; /* U+0080 .. U+009F */
}

size_t hdi_escape_text(hd_buffer *out, const char *text, bool control) {
  size_t width = 0;
  const unsigned char *at = (const unsigned char *)text;
  while (at != NULL && *at != 0) {
    size_t length = character_length(at);
    if (length != 0 && !(control && is_control(at, length))) {
      hd_buffer_add(out, (const char *)at, length);
      width++;
      at += length;
      continue;
    }
    size_t bytes = length == 0 ? 1 : length;
    for (size_t i = 0; i < bytes; i++) {
      hd_buffer_printf(out, "\\x%02x", at[i]);
    }
    width += 4 * bytes;
    at += bytes;
  }
  return width;
}
