/* Tokens of .cw text, one at a time, and the reporting of what the reader finds wrong.
 *
 *   x := x + 1; // comment \n lock(m);
 *   ^name ^sign      ^blanks  ^keyword
 *
 * A text is first scanned once for control bytes: a binary file is refused at its first one, and nothing after that
 * scan has to think of NULs. Bytes outside ASCII are accepted in comments alone. Comments start with # or // and end
 * with their line, or stand between slash-star and star-slash. `0..7` is three tokens: a number ends before a dot.
 * Invariants: at <= size; a token's span lies inside one line; errors counts every error, kept or not.
 * Threads: one lexer, one thread. Cost: O(size) in all. */
#include "frontends/cwhile/lexer.h"

#include "core/base/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BYTES_SHOWN 56u
#define UTF8_MARK "\xEF\xBB\xBF"

typedef struct message_row {
  hd_diag_code code;
  const char *words, *hint;
} message_row;

static const message_row messages[HDI_CW_MESSAGE_COUNT] = {
#define HDI_CW_MESSAGE(identifier, code, words, hint) [identifier] = {code, words, hint},
#define HDI_CW_EXPECT(identifier, words)
#include "frontends/cwhile/messages.def"
#undef HDI_CW_MESSAGE
#undef HDI_CW_EXPECT
};

static const char *const expectations[HDI_CW_EXPECT_COUNT] = {
#define HDI_CW_MESSAGE(identifier, code, words, hint)
#define HDI_CW_EXPECT(identifier, words) [identifier] = (words),
#include "frontends/cwhile/messages.def"
#undef HDI_CW_MESSAGE
#undef HDI_CW_EXPECT
};

typedef struct spelling {
  const char *text;
  hdi_cw_token_kind kind;
} spelling;

static const spelling keywords[] = {
#define KEYWORD(identifier, text) {text, HDI_CW_K_##identifier},
    HDI_CW_KEYWORD_TABLE(KEYWORD)
#undef KEYWORD
};

static const spelling signs[] = {
#define SIGN(identifier, text) {text, HDI_CW_S_##identifier},
    HDI_CW_SIGN_TABLE(SIGN)
#undef SIGN
};

/* Copies `pattern` with %1 and %2 replaced; cuts what does not fit. */
static void fill_in(char *out, size_t capacity, const char *pattern, const char *a, const char *b) {
  size_t used = 0;
  for (const char *at = pattern; *at != '\0' && used + 1 < capacity; at++) {
    if (at[0] == '%' && (at[1] == '1' || at[1] == '2')) {
      const char *piece = at[1] == '1' ? a : b;
      HD_ASSERT(piece != NULL);
      size_t length = strlen(piece);
      length = length < capacity - used - 1 ? length : capacity - used - 1;
      memcpy(out + used, piece, length);
      used += length;
      at++;
    } else {
      out[used++] = *at;
    }
  }
  out[used] = '\0';
}

void hdi_cw_report(hdi_cw_lexer *lexer, hdi_cw_message message, hd_span span, const char *a, const char *b) {
  if (lexer->stopped) {
    return;
  }
  const message_row *row = &messages[message];
  lexer->errors += hd_diag_code_severity(row->code) == HD_ERROR;
  char words[256], hint[256];
  fill_in(words, sizeof words, row->words, a, b);
  fill_in(hint, sizeof hint, row->hint, a, b);
  hd_diag_add(lexer->diag, row->code, lexer->text, span, hint, "%s", words);
}

hdi_cw_words hdi_cw_show(const char *data, size_t length) {
  hdi_cw_words shown;
  bool cut = length > BYTES_SHOWN;
  size_t kept = cut ? BYTES_SHOWN : length;
  memcpy(shown.text, data, kept);
  memcpy(shown.text + kept, cut ? "..." : "", cut ? 4 : 1);
  return shown;
}

hdi_cw_words hdi_cw_show_number(int64_t number) {
  hdi_cw_words shown;
  (void)snprintf(shown.text, sizeof shown.text, "%" PRId64, number);
  return shown;
}

hdi_cw_words hdi_cw_show_line(const hdi_cw_lexer *lexer, hd_span span) {
  return hdi_cw_show_number((int64_t)hd_text_position(lexer->text, span.begin).line);
}

static unsigned char byte_at(const hdi_cw_lexer *lexer, size_t offset) {
  return (unsigned char)lexer->text->data[offset]; /* the text ends with a NUL that does not count */
}

static bool is_digit(unsigned char c) {
  return c >= '0' && c <= '9';
}

static bool is_name_byte(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static void set_token(hdi_cw_lexer *lexer, hdi_cw_token_kind kind, uint32_t length) {
  lexer->token = (hdi_cw_token){.kind = kind, .span = {lexer->at, lexer->at + length}};
  lexer->at += length;
}

/* Skips to the end of the line; its line feed is left. */
static void skip_line(hdi_cw_lexer *lexer) {
  const char *data = lexer->text->data;
  const char *found = memchr(data + lexer->at, '\n', lexer->text->size_bytes - lexer->at);
  lexer->at = found == NULL ? (uint32_t)lexer->text->size_bytes : (uint32_t)(found - data);
}

/* A comment that is not closed is reported and reaches to the end of the file. */
static void skip_closed_comment(hdi_cw_lexer *lexer) {
  const char *end = strstr(lexer->text->data + lexer->at + 2, "*/");
  if (end == NULL) {
    hdi_cw_report(lexer, HDI_CW_OPEN_COMMENT, (hd_span){lexer->at, lexer->at + 2}, NULL, NULL);
    lexer->at = (uint32_t)lexer->text->size_bytes;
  } else {
    lexer->at = (uint32_t)(end - lexer->text->data) + 2;
  }
}

static void skip_blanks(hdi_cw_lexer *lexer) {
  for (;;) {
    unsigned char c = byte_at(lexer, lexer->at);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      lexer->at++;
    } else if (c == '#' || (c == '/' && byte_at(lexer, lexer->at + 1) == '/')) {
      skip_line(lexer);
    } else if (c == '/' && byte_at(lexer, lexer->at + 1) == '*') {
      skip_closed_comment(lexer);
    } else {
      return;
    }
  }
}

static int digit_value(unsigned char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* A number and the letters and digits that are glued to it, which make it a wrong one. */
static void lex_number(hdi_cw_lexer *lexer) {
  uint32_t end = lexer->at + 1;
  while (is_name_byte(byte_at(lexer, end))) {
    end++;
  }
  const char *digits = lexer->text->data + lexer->at;
  size_t length = end - lexer->at;
  bool hexadecimal = length > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  int base = hexadecimal ? 16 : 10;
  set_token(lexer, HDI_CW_NUMBER, (uint32_t)length);
  bool large = false;
  for (size_t i = hexadecimal ? 2 : 0; i < length; i++) {
    int digit = digit_value((unsigned char)digits[i]);
    if (digit >= base) {
      hdi_cw_report(lexer, HDI_CW_BAD_NUMBER, lexer->token.span, hdi_cw_show(digits, length).text, NULL);
      lexer->token.kind = HDI_CW_BAD;
      return;
    }
    large = large || lexer->token.value > (INT64_MAX - digit) / base;
    lexer->token.value = large ? 0 : lexer->token.value * base + digit;
  }
  if (large) {
    hdi_cw_report(lexer, HDI_CW_LARGE_NUMBER, lexer->token.span, hdi_cw_show(digits, length).text, NULL);
    lexer->token.kind = HDI_CW_BAD;
  }
}

static void lex_word(hdi_cw_lexer *lexer) {
  uint32_t end = lexer->at + 1;
  while (is_name_byte(byte_at(lexer, end))) {
    end++;
  }
  const char *word = lexer->text->data + lexer->at;
  size_t length = end - lexer->at;
  set_token(lexer, HDI_CW_NAME, (uint32_t)length);
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
    if (strlen(keywords[i].text) == length && memcmp(keywords[i].text, word, length) == 0) {
      lexer->token.kind = keywords[i].kind;
    }
  }
}

static void lex_sign(hdi_cw_lexer *lexer) {
  const char *here = lexer->text->data + lexer->at;
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    size_t length = strlen(signs[i].text);
    if (strncmp(here, signs[i].text, length) == 0) {
      set_token(lexer, signs[i].kind, (uint32_t)length);
      return;
    }
  }
  unsigned char c = (unsigned char)*here;
  char shown[24];
  (void)snprintf(shown, sizeof shown, c < 0x7F ? "'%c'" : "the byte 0x%02X", c);
  uint32_t length = 1; /* one report for all bytes of a character outside ASCII */
  while (c >= 0x80 && byte_at(lexer, lexer->at + length) >= 0x80) {
    length++;
  }
  set_token(lexer, HDI_CW_BAD, length);
  hdi_cw_report(lexer, HDI_CW_STRANGE_BYTE, lexer->token.span, shown, NULL);
}

void hdi_cw_lexer_next(hdi_cw_lexer *lexer) {
  lexer->last_end = lexer->token.span.end;
  skip_blanks(lexer);
  unsigned char c = byte_at(lexer, lexer->at);
  if (lexer->at >= lexer->text->size_bytes) {
    lexer->token = (hdi_cw_token){.kind = HDI_CW_FILE_END, .span = {lexer->last_end, lexer->last_end}};
  } else if (is_digit(c)) {
    lex_number(lexer);
  } else if (is_name_byte(c)) {
    lex_word(lexer);
  } else {
    lex_sign(lexer);
  }
}

/* Reports the first byte that no text has; false when there is one. */
static bool is_text(hdi_cw_lexer *lexer) {
  const hd_text *text = lexer->text;
  for (size_t i = 0; i < text->size_bytes; i++) {
    unsigned char c = (unsigned char)text->data[i];
    if (HD_LIKELY(c >= ' ' && c != 0x7F) || c == '\n' || c == '\t' || c == '\r') {
      continue;
    }
    char shown[8];
    (void)snprintf(shown, sizeof shown, "0x%02X", c);
    hdi_cw_report(lexer, HDI_CW_CONTROL_BYTE, (hd_span){(uint32_t)i, (uint32_t)i + 1}, shown, NULL);
    return false;
  }
  return true;
}

bool hdi_cw_lexer_open(hdi_cw_lexer *lexer, const hd_text *text, hd_diag *diag) {
  HD_REQUIRE(text != NULL && text->size_bytes <= HD_TEXT_SIZE_MAX);
  *lexer = (hdi_cw_lexer){.text = text, .diag = diag};
  if (!is_text(lexer)) {
    return false;
  }
  size_t mark = sizeof UTF8_MARK - 1;
  if (text->size_bytes >= mark && memcmp(text->data, UTF8_MARK, mark) == 0) {
    lexer->at = (uint32_t)mark;
    lexer->token.span.end = (uint32_t)mark;
  }
  hdi_cw_lexer_next(lexer);
  return true;
}

void hdi_cw_lexer_unexpected(hdi_cw_lexer *lexer, hdi_cw_expect expected) {
  const hdi_cw_token *token = &lexer->token;
  if (token->kind == HDI_CW_BAD || lexer->complained == token->span.begin + 1) {
    return;
  }
  lexer->complained = token->span.begin + 1;
  hdi_cw_words shown = hdi_cw_show("end of file", strlen("end of file"));
  if (token->kind != HDI_CW_FILE_END) {
    hdi_cw_words name = hdi_cw_show(lexer->text->data + token->span.begin, token->span.end - token->span.begin);
    fill_in(shown.text, sizeof shown.text, "'%1'", name.text, NULL);
  }
  hdi_cw_report(lexer, HDI_CW_UNEXPECTED, token->span, shown.text, expectations[expected]);
}

void hdi_cw_lexer_stop(hdi_cw_lexer *lexer) {
  lexer->stopped = true;
  lexer->at = (uint32_t)lexer->text->size_bytes;
  lexer->token = (hdi_cw_token){.kind = HDI_CW_FILE_END, .span = {lexer->at, lexer->at}};
}

bool hdi_cw_lexer_accept(hdi_cw_lexer *lexer, hdi_cw_token_kind kind) {
  if (lexer->token.kind != kind) {
    return false;
  }
  hdi_cw_lexer_next(lexer);
  return true;
}

bool hdi_cw_lexer_take(hdi_cw_lexer *lexer, hdi_cw_token_kind kind, hdi_cw_expect expected) {
  if (hdi_cw_lexer_accept(lexer, kind)) {
    return true;
  }
  hdi_cw_lexer_unexpected(lexer, expected);
  return false;
}
