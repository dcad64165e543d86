/* Tokens of .chor and .fsa text, one at a time, and the reporting of what the readers find wrong.
 *
 *   P1 -> P2 : ms => s1   # comment \n
 *   ^word ^arrow ...       ^skipped ^line end: its span is the empty range after `s1`, where a token is missing
 *
 * A text is first scanned once for control bytes: a binary file is refused at its first one, and nothing after that
 * scan has to think of NULs or of carriage returns, which then stand only before line feeds and count as blanks.
 * Bytes outside ASCII are accepted in comments alone. Both languages end a statement with its line, so a reader that
 * meets an error goes on at the next line (hdi_lexer_skip_line).
 * Operators of .chor are made of characters that names may have too (`-`, `.`): the longest run of name and operator
 * characters is taken first and then must be an operator or a name, which is why operators stand between spaces.
 * Invariants: last_end <= at <= size; a token's span lies inside one line; errors counts every error, kept or not.
 * Threads: one lexer, one thread. Cost: O(size) in all. */
#include "frontends/choreography/lexer.h"

#include "core/base/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BYTES_SHOWN 56u
#define UTF8_MARK "\xEF\xBB\xBF"
#define PRAGMA_MARK "--@"

typedef struct message_row {
  hd_diag_code code;
  const char *words, *hint;
} message_row;

static const message_row messages[HDI_MESSAGE_COUNT] = {
#define HDI_MESSAGE(identifier, dialects, code, words, hint) [identifier] = {code, words, hint},
#define HDI_EXPECT(identifier, dialects, words)
#include "frontends/choreography/messages.def"
#undef HDI_MESSAGE
#undef HDI_EXPECT
};

static const char *const expectations[HDI_EXPECT_COUNT] = {
#define HDI_MESSAGE(identifier, dialects, code, words, hint)
#define HDI_EXPECT(identifier, dialects, words) [identifier] = (words),
#include "frontends/choreography/messages.def"
#undef HDI_MESSAGE
#undef HDI_EXPECT
};

/* What names are made of; second text of HDI_STRANGE_BYTE and HDI_BAD_QUOTE. */
static const char *const name_rules[] = {
    [HDI_CHOR] = "names of letters, digits and _ . ( ) - '",
    [HDI_FSA] = "names of printable ASCII characters",
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

void hdi_report(hdi_lexer *lexer, hdi_message message, hd_span span, const char *a, const char *b) {
  const message_row *row = &messages[message];
  if (hd_diag_code_severity(row->code) == HD_ERROR) {
    lexer->errors++;
  }
  char words[256], hint[256];
  fill_in(words, sizeof words, row->words, a, b);
  fill_in(hint, sizeof hint, row->hint, a, b);
  hd_diag_add(lexer->diag, row->code, lexer->text, span, hint, "%s", words);
}

hdi_words hdi_show(const char *data, size_t length) {
  hdi_words shown;
  bool cut = length > BYTES_SHOWN;
  size_t kept = cut ? BYTES_SHOWN : length;
  memcpy(shown.text, data, kept);
  memcpy(shown.text + kept, cut ? "..." : "", cut ? 4 : 1);
  return shown;
}

hdi_words hdi_show_number(uint64_t number) {
  hdi_words shown;
  (void)snprintf(shown.text, sizeof shown.text, "%" PRIu64, number);
  return shown;
}

hdi_words hdi_show_line(const hdi_lexer *lexer, hd_span span) {
  return hdi_show_number(hd_text_position(lexer->text, span.begin).line);
}

static unsigned char byte_at(const hdi_lexer *lexer, size_t offset) {
  return (unsigned char)lexer->text->data[offset]; /* the text ends with a NUL that does not count */
}

/* Can this byte be in a name or an operator that is told from a name only when it is complete? */
static bool is_word_byte(hdi_dialect dialect, unsigned char c) {
  if (dialect == HDI_FSA) {
    return c > ' ' && c < 0x7F && c != '!' && c != '?' && c != '"';
  }
  bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || (c != '\0' && strchr("_.()-'=>", c) != NULL);
}

static bool at_pragma(const hdi_lexer *lexer) {
  return lexer->dialect == HDI_FSA && strncmp(lexer->text->data + lexer->at, PRAGMA_MARK, sizeof PRAGMA_MARK - 1) == 0;
}

static bool at_comment(const hdi_lexer *lexer) {
  const char *here = lexer->text->data + lexer->at;
  return lexer->dialect == HDI_FSA ? here[0] == '-' && here[1] == '-' && !at_pragma(lexer)
                                   : here[0] == '#' || (here[0] == '/' && here[1] == '/');
}

static uint32_t line_end_from(const hdi_lexer *lexer, uint32_t offset) {
  const char *data = lexer->text->data;
  const char *found = memchr(data + offset, '\n', lexer->text->size_bytes - offset);
  return found == NULL ? (uint32_t)lexer->text->size_bytes : (uint32_t)(found - data);
}

static void skip_blanks(hdi_lexer *lexer) {
  for (;;) {
    unsigned char c = byte_at(lexer, lexer->at);
    if (c == ' ' || c == '\t' || c == '\r') {
      lexer->at++;
    } else if (at_comment(lexer)) {
      lexer->at = line_end_from(lexer, lexer->at);
    } else {
      return;
    }
  }
}

static void set_token(hdi_lexer *lexer, hdi_token_kind kind, uint32_t length) {
  uint32_t begin = lexer->at;
  lexer->at += length;
  lexer->last_end = lexer->at;
  lexer->token =
      (hdi_token){.kind = kind, .span = {begin, lexer->at}, .data = lexer->text->data + begin, .length = length};
}

/* An end of line or of the file; `length` bytes are consumed. */
static void set_end(hdi_lexer *lexer, hdi_token_kind kind, uint32_t length) {
  lexer->token = (hdi_token){.kind = kind, .span = {lexer->last_end, lexer->last_end}, .data = "", .length = 0};
  lexer->at += length;
  if (length != 0) {
    lexer->last_end = lexer->at; /* the next line starts here, should it be empty */
  }
}

static void lex_quoted(hdi_lexer *lexer) {
  uint32_t end = lexer->at + 1;
  while (byte_at(lexer, end) >= ' ' && byte_at(lexer, end) < 0x7F && byte_at(lexer, end) != '"') {
    end++;
  }
  bool closed = byte_at(lexer, end) == '"';
  uint32_t length = end - lexer->at + (closed ? 1 : 0);
  bool good = closed && length > 2;
  set_token(lexer, good ? HDI_WORD : HDI_BAD, length);
  if (good) {
    lexer->token.quoted = true;
    lexer->token.data++;
    lexer->token.length -= 2;
  } else {
    hdi_report(lexer, HDI_BAD_QUOTE, lexer->token.span, name_rules[HDI_FSA], NULL);
  }
}

static hdi_token_kind operator_kind(const char *data, size_t length) {
  if (length == 2 && memcmp(data, "->", 2) == 0) {
    return HDI_ARROW;
  }
  if (length == 2 && memcmp(data, "=>", 2) == 0) {
    return HDI_FAT_ARROW;
  }
  if (length == 2 && memcmp(data, "..", 2) == 0) {
    return HDI_DOTS;
  }
  bool glued = memchr(data, '=', length) != NULL || memchr(data, '>', length) != NULL;
  return glued ? HDI_BAD : HDI_WORD;
}

static void lex_word(hdi_lexer *lexer) {
  uint32_t end = lexer->at + 1;
  while (is_word_byte(lexer->dialect, byte_at(lexer, end))) {
    end++;
  }
  set_token(lexer, HDI_WORD, end - lexer->at);
  if (lexer->dialect == HDI_CHOR) {
    lexer->token.kind = operator_kind(lexer->token.data, lexer->token.length);
    if (lexer->token.kind == HDI_BAD) {
      hdi_report(lexer, HDI_GLUED, lexer->token.span, hdi_show(lexer->token.data, lexer->token.length).text, NULL);
    }
  }
}

static void lex_strange(hdi_lexer *lexer) {
  set_token(lexer, HDI_BAD, 1);
  unsigned char c = (unsigned char)lexer->token.data[0];
  char shown[16];
  (void)snprintf(shown, sizeof shown, c < 0x7F ? "'%c'" : "the byte 0x%02X", c);
  hdi_report(lexer, HDI_STRANGE_BYTE, lexer->token.span, shown, name_rules[lexer->dialect]);
}

/* The kind of a token that is this one byte; HDI_BAD when there is none. */
static hdi_token_kind single_kind(hdi_dialect dialect, unsigned char c) {
  switch (c) {
    case ':':
      return dialect == HDI_CHOR ? HDI_COLON : HDI_BAD;
    case ',':
      return dialect == HDI_CHOR ? HDI_COMMA : HDI_BAD;
    case '!':
      return dialect == HDI_FSA ? HDI_BANG : HDI_BAD;
    case '?':
      return dialect == HDI_FSA ? HDI_QUERY : HDI_BAD;
    default:
      return HDI_BAD;
  }
}

void hdi_lexer_next(hdi_lexer *lexer) {
  skip_blanks(lexer);
  unsigned char c = byte_at(lexer, lexer->at);
  hdi_token_kind single = single_kind(lexer->dialect, c);
  if (lexer->at == lexer->text->size_bytes) {
    bool ended = lexer->token.kind == HDI_LINE_END || lexer->token.kind == HDI_FILE_END;
    set_end(lexer, ended ? HDI_FILE_END : HDI_LINE_END, 0);
  } else if (c == '\n') {
    set_end(lexer, HDI_LINE_END, 1);
  } else if (at_pragma(lexer)) {
    set_token(lexer, HDI_PRAGMA, sizeof PRAGMA_MARK - 1);
  } else if (is_word_byte(lexer->dialect, c)) {
    lex_word(lexer);
  } else if (c == '"' && lexer->dialect == HDI_FSA) {
    lex_quoted(lexer);
  } else if (single != HDI_BAD) {
    set_token(lexer, single, 1);
  } else {
    lex_strange(lexer);
  }
}

void hdi_lexer_skip_line(hdi_lexer *lexer) {
  if (lexer->token.kind == HDI_LINE_END || lexer->token.kind == HDI_FILE_END) {
    return;
  }
  lexer->at = line_end_from(lexer, lexer->at);
  lexer->last_end = lexer->at;
  hdi_lexer_next(lexer);
}

/* Reports the first byte that no text has; false when there is one. */
static bool is_text(hdi_lexer *lexer) {
  const hd_text *text = lexer->text;
  for (size_t i = 0; i < text->size_bytes; i++) {
    unsigned char c = (unsigned char)text->data[i];
    if (HD_LIKELY(c >= ' ' && c != 0x7F) || c == '\n' || c == '\t') {
      continue;
    }
    if (c == '\r' && text->data[i + 1] == '\n') {
      continue;
    }
    hd_span span = {(uint32_t)i, (uint32_t)i + 1};
    char shown[8];
    (void)snprintf(shown, sizeof shown, "0x%02X", c);
    hdi_report(lexer, c == '\r' ? HDI_LONE_RETURN : HDI_CONTROL_BYTE, span, shown, NULL);
    return false;
  }
  return true;
}

bool hdi_lexer_open(hdi_lexer *lexer, const hd_text *text, hd_diag *diag, hdi_dialect dialect) {
  HD_REQUIRE(text != NULL && text->size_bytes <= HD_TEXT_SIZE_MAX);
  *lexer = (hdi_lexer){.text = text, .diag = diag, .dialect = dialect, .status = HD_OK};
  lexer->token.kind = HDI_LINE_END; /* an empty file ends at once */
  if (!is_text(lexer)) {
    return false;
  }
  size_t mark = sizeof UTF8_MARK - 1;
  if (text->size_bytes >= mark && memcmp(text->data, UTF8_MARK, mark) == 0) {
    lexer->at = lexer->last_end = (uint32_t)mark;
  }
  hdi_lexer_next(lexer);
  return true;
}

bool hdi_token_is(const hdi_token *token, const char *word) {
  return token->kind == HDI_WORD && !token->quoted && token->length == strlen(word) &&
         memcmp(token->data, word, token->length) == 0;
}

bool hdi_lexer_at_word(const hdi_lexer *lexer, const char *word) {
  return hdi_token_is(&lexer->token, word);
}

void hdi_lexer_unexpected(hdi_lexer *lexer, hdi_expect expected) {
  const hdi_token *token = &lexer->token;
  hdi_words shown;
  switch (token->kind) {
    case HDI_BAD:
      return;
    case HDI_LINE_END:
      shown = hdi_show("end of line", strlen("end of line"));
      break;
    case HDI_FILE_END:
      shown = hdi_show("end of file", strlen("end of file"));
      break;
    case HDI_WORD:
    case HDI_ARROW:
    case HDI_FAT_ARROW:
    case HDI_DOTS:
    case HDI_COLON:
    case HDI_COMMA:
    case HDI_BANG:
    case HDI_QUERY:
    case HDI_PRAGMA: {
      /* as written, with the quotes */
      hdi_words name = hdi_show(lexer->text->data + token->span.begin, token->span.end - token->span.begin);
      fill_in(shown.text, sizeof shown.text, "'%1'", name.text, NULL);
      break;
    }
  }
  hdi_report(lexer, HDI_UNEXPECTED, token->span, shown.text, expectations[expected]);
}

bool hdi_lexer_take(hdi_lexer *lexer, hdi_token_kind kind, hdi_expect expected, hdi_token *out) {
  if (lexer->token.kind != kind) {
    hdi_lexer_unexpected(lexer, expected);
    return false;
  }
  if (out != NULL) {
    *out = lexer->token;
  }
  hdi_lexer_next(lexer);
  return true;
}
