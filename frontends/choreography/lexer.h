/* Tokens and diagnostics shared by the readers of .chor and .fsa. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_LEXER_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_LEXER_H

#include "core/base/diag.h"
#include "core/base/intern.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The most states, arcs, peers or machines one file may have. */
#define HDI_ITEMS_MAX ((uint32_t)1 << 24)

typedef enum hdi_dialect { HDI_CHOR, HDI_FSA } hdi_dialect;

typedef enum hdi_token_kind {
  HDI_WORD,      /* a name or keyword; in .fsa also a quoted name */
  HDI_ARROW,     /* ->  .chor */
  HDI_FAT_ARROW, /* =>  .chor */
  HDI_DOTS,      /* ..  .chor */
  HDI_COLON,     /* :   .chor */
  HDI_COMMA,     /* ,   .chor */
  HDI_BANG,      /* !   .fsa */
  HDI_QUERY,     /* ?   .fsa */
  HDI_PRAGMA,    /* --@ .fsa: a comment for other tools */
  HDI_LINE_END,  /* also stands once before the end of the file when the last line is not ended */
  HDI_FILE_END,
  HDI_BAD /* has been reported already */
} hdi_token_kind;

typedef struct hdi_token {
  hdi_token_kind kind;
  bool quoted;
  hd_span span;     /* with the quotes; an end of line lies right after the last token of its line, empty */
  const char *data; /* the name's bytes (without quotes), in the text */
  size_t length;
} hdi_token;

typedef enum hdi_message {
#define HDI_MESSAGE(identifier, dialects, code, words, hint) identifier,
#define HDI_EXPECT(identifier, dialects, words)
#include "frontends/choreography/messages.def"
#undef HDI_MESSAGE
#undef HDI_EXPECT
  HDI_MESSAGE_COUNT
} hdi_message;

typedef enum hdi_expect {
#define HDI_MESSAGE(identifier, dialects, code, words, hint)
#define HDI_EXPECT(identifier, dialects, words) identifier,
#include "frontends/choreography/messages.def"
#undef HDI_MESSAGE
#undef HDI_EXPECT
  HDI_EXPECT_COUNT
} hdi_expect;

/* One reading of one text. Everything is owned by the reader that has it on its stack. */
typedef struct hdi_lexer {
  const hd_text *text; /* borrowed */
  hd_diag *diag;       /* borrowed, NULL allowed */
  hdi_dialect dialect;
  uint32_t at;       /* byte after the current token */
  uint32_t last_end; /* end of the last token that was not an end of line */
  hdi_token token;   /* the current one */
  size_t errors;     /* reported by this reading; the sink may hold others' */
  hd_status status;  /* sticks at the first failure that is not the input's fault */
} hdi_lexer;

/* A piece of the input or a number, cut to a length fit for a message. */
typedef struct hdi_words {
  char text[72];
} hdi_words;

/* Starts reading at the first token. False when the text holds a control byte (reported): nothing can be read. */
bool hdi_lexer_open(hdi_lexer *lexer, const hd_text *text, hd_diag *diag, hdi_dialect dialect);
/* Moves to the next token; at the end of the file it stays there. */
void hdi_lexer_next(hdi_lexer *lexer);
/* Moves to the end of the current line without looking at what stands between. */
void hdi_lexer_skip_line(hdi_lexer *lexer);
/* Is the current token the unquoted word `word`? */
bool hdi_lexer_at_word(const hdi_lexer *lexer, const char *word);
/* Takes a token of this kind (a copy into *out unless NULL) and moves on; otherwise reports what was expected. */
bool hdi_lexer_take(hdi_lexer *lexer, hdi_token_kind kind, hdi_expect expected, hdi_token *out);
/* Reports the current token as unexpected. */
void hdi_lexer_unexpected(hdi_lexer *lexer, hdi_expect expected);
bool hdi_token_is(const hdi_token *token, const char *word);

/* Adds a row of messages.def at `span`; a and b replace %1 and %2 (NULL where the row has none). */
void hdi_report(hdi_lexer *lexer, hdi_message message, hd_span span, const char *a, const char *b);
/* Remembers a failure that is not the input's fault; true when there was none. */
static inline bool hdi_keep(hdi_lexer *lexer, hd_status status) {
  if (lexer->status == HD_OK) {
    lexer->status = status;
  }
  return status == HD_OK;
}

hdi_words hdi_show(const char *data, size_t length);
hdi_words hdi_show_number(uint64_t number);
/* The line in which `span` begins. */
hdi_words hdi_show_line(const hdi_lexer *lexer, hd_span span);

#endif
