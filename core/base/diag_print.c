/* Printing diagnostics for people.
 *
 *   bad.chor:4:9: error: unknown peer 'P3'; peers are P1 and P2 [HD103]
 *       4 | P1 -> P3 : ms
 *         |       ^~
 *
 * Everything that comes from an input passes print_escaped: printable UTF-8 goes through, everything else is shown as
 * \xNN per byte, so that a hostile file cannot move the cursor, change colours or reorder the text on a terminal
 * (C0 and C1 controls, DEL, bidirectional overrides, line separators, overlong or cut UTF-8).
 * In the excerpt, tabs stay tabs and the caret's line repeats them, so that the caret stands right for any tab width.
 * A character counts as one column; double-width ones shift the caret.
 * Threads: one owner at a time. Cost: O(bytes printed). */
#include "core/base/diag.h"

#include <stdbool.h>
#include <string.h>

typedef struct style {
  const char *strong, *plain, *caret, *severity[3];
} style;

static const style style_plain = {"", "", "", {"", "", ""}};
static const style style_color = {"\033[1m", "\033[0m", "\033[1;32m", {"\033[1;36m", "\033[1;35m", "\033[1;31m"}};

static const char *severity_word(hd_severity severity) {
  switch (severity) {
    case HD_NOTE:
      return "note";
    case HD_WARNING:
      return "warning";
    case HD_ERROR:
      return "error";
  }
  return "error";
}

/* Decodes one well-formed UTF-8 character at `at`; 0 bytes when there is none. */
static size_t decode(const unsigned char *at, size_t left, uint32_t *character) {
  static const uint32_t least_of_length[5] = {0, 0, 0x80, 0x800, 0x10000};
  size_t length = at[0] < 0x80 ? 1 : at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : at[0] >= 0xC0 ? 2 : 0;
  if (length == 0 || length > left || at[0] > 0xF4) {
    return 0;
  }
  uint32_t value = length == 1 ? at[0] : at[0] & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xC0) != 0x80) {
      return 0;
    }
    value = value << 6 | (at[i] & 0x3Fu);
  }
  if (value < least_of_length[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return 0;
  }
  *character = value;
  return length;
}

static bool is_printable(uint32_t character) {
  if (character < 0x20 || (character >= 0x7F && character <= 0x9F)) {
    return false;
  }
  bool reorders = character == 0x061C || character == 0x200E || character == 0x200F ||
                  (character >= 0x202A && character <= 0x202E) || (character >= 0x2066 && character <= 0x2069);
  bool breaks_line = character == 0x2028 || character == 0x2029;
  return !reorders && !breaks_line && character != 0xFEFF;
}

/* Bytes of the printable character at `at`; 0 when its first byte must be escaped. */
static size_t printable_length(const char *at, size_t left) {
  uint32_t character;
  size_t length = decode((const unsigned char *)at, left, &character);
  return length != 0 && is_printable(character) ? length : 0;
}

static void print_escaped(FILE *out, const char *bytes, size_t size, bool keep_tabs) {
  for (size_t i = 0; i < size;) {
    size_t length = printable_length(bytes + i, size - i);
    if (length != 0) {
      (void)fwrite(bytes + i, 1, length, out);
      i += length;
    } else if (keep_tabs && bytes[i] == '\t') {
      (void)fputc('\t', out);
      i++;
    } else {
      (void)fprintf(out, "\\x%02X", (unsigned)(unsigned char)bytes[i]);
      i++;
    }
  }
}

static void print_text(FILE *out, const char *text) {
  print_escaped(out, text, strlen(text), false);
}

/* One mark per column that the bytes [begin, end) of the line take on the screen. Returns the columns. */
static size_t print_columns(FILE *out, const hd_diagnostic *d, size_t begin, size_t end, char first, char mark) {
  size_t columns = 0;
  for (size_t i = begin; i < end;) {
    size_t length = printable_length(d->line + i, d->line_bytes - i);
    size_t shown = length != 0 || d->line[i] == '\t' ? 1 : strlen("\\xNN");
    for (size_t k = 0; k < shown; k++) {
      char c = columns == 0 ? first : mark;
      (void)fputc(d->line[i] == '\t' && mark == ' ' ? '\t' : c, out);
      columns++;
    }
    i += length == 0 ? 1 : length;
  }
  return columns;
}

static void print_excerpt(const hd_diagnostic *d, FILE *out, const style *s) {
  (void)fprintf(out, "%5u | ", (unsigned)d->position.line);
  print_escaped(out, d->line, d->line_bytes, true);
  (void)fputs("\n      | ", out);
  size_t at = d->position.column - d->line_column;
  at = at > d->line_bytes ? d->line_bytes : at; /* the position may be the '\r' that the line leaves out */
  size_t end = d->width > d->line_bytes - at ? d->line_bytes : at + d->width;
  (void)print_columns(out, d, 0, at, ' ', ' ');
  (void)fputs(s->caret, out);
  if (print_columns(out, d, at, end, '^', '~') == 0) {
    (void)fputc('^', out); /* at the end of the line */
  }
  (void)fprintf(out, "%s\n", s->plain);
}

static void print_one(const hd_diagnostic *d, FILE *out, bool excerpt, const style *s) {
  hd_severity severity = hd_diag_code_severity(d->code);
  (void)fputs(s->strong, out);
  print_text(out, d->file == NULL ? "heddle" : d->file);
  if (d->position.line != 0) {
    (void)fprintf(out, ":%u:%u", (unsigned)d->position.line, (unsigned)d->position.column);
  }
  (void)fprintf(out, ":%s %s%s:%s ", s->plain, s->severity[severity], severity_word(severity), s->plain);
  print_text(out, d->message);
  if (d->hint != NULL) {
    (void)fputs("; ", out);
    print_text(out, d->hint);
  }
  (void)fprintf(out, " [%s]\n", hd_diag_code_text(d->code));
  if (excerpt && d->line != NULL) {
    print_excerpt(d, out, s);
  }
}

void hd_diag_print(const hd_diag *diag, FILE *out, bool excerpt, bool color) {
  const style *s = color ? &style_color : &style_plain;
  size_t count = hd_diag_count(diag);
  for (size_t i = 0; i < count; i++) {
    print_one(hd_diag_get(diag, i), out, excerpt, s);
  }
  size_t dropped = hd_diag_dropped(diag);
  if (dropped != 0) {
    (void)fprintf(out, "heddle: %zu more diagnostic%s not shown\n", dropped, dropped == 1 ? " is" : "s are");
  }
}
