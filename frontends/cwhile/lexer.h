/* Tokens and diagnostics of the .cw reader. Internal to the Cwhile frontend. */
#ifndef HEDDLE_FRONTENDS_CWHILE_LEXER_H
#define HEDDLE_FRONTENDS_CWHILE_LEXER_H

#include "core/base/diag.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* X(identifier, "spelling"): words that cannot be names. */
#define HDI_CW_KEYWORD_TABLE(X) \
  X(ASSERT, "assert")           \
  X(ASSUME, "assume")           \
  X(ASYNC, "async")             \
  X(ATOMIC, "atomic")           \
  X(AWAIT, "await")             \
  X(AXIOM, "axiom")             \
  X(BOOL, "bool")               \
  X(DAEMON, "daemon")           \
  X(ELSE, "else")               \
  X(FALSE, "false")             \
  X(FIXED, "fixed")             \
  X(GHOST, "ghost")             \
  X(IF, "if")                   \
  X(INT, "int")                 \
  X(JOIN, "join")               \
  X(LOCK, "lock")               \
  X(NONDET, "nondet")           \
  X(NOREORDER, "noreorder")     \
  X(PROC, "proc")               \
  X(REF, "ref")                 \
  X(SATOMIC, "satomic")         \
  X(SKIP, "skip")               \
  X(THREAD, "thread")           \
  X(TRUE, "true")               \
  X(UNLOCK, "unlock")           \
  X(WATOMIC, "watomic")         \
  X(WHILE, "while")             \
  X(YIELD, "yield")

/* X(identifier, "spelling"): longer ones before their beginnings. */
#define HDI_CW_SIGN_TABLE(X) \
  X(ASSIGN, ":=")            \
  X(DOTS, "..")              \
  X(OR_OR, "||")             \
  X(AND_AND, "&&")           \
  X(EQUAL, "==")             \
  X(UNEQUAL, "!=")           \
  X(LESS_EQUAL, "<=")        \
  X(GREATER_EQUAL, ">=")     \
  X(SHIFT_LEFT, "<<")        \
  X(SHIFT_RIGHT, ">>")       \
  X(BECOMES, "=")            \
  X(COLON, ":")              \
  X(BAR, "|")                \
  X(AMPERSAND, "&")          \
  X(NOT, "!")                \
  X(LESS, "<")               \
  X(GREATER, ">")            \
  X(CARET, "^")              \
  X(TILDE, "~")              \
  X(PLUS, "+")               \
  X(MINUS, "-")              \
  X(STAR, "*")               \
  X(SLASH, "/")              \
  X(PERCENT, "%")            \
  X(OPEN, "(")               \
  X(CLOSE, ")")              \
  X(OPEN_BRACE, "{")         \
  X(CLOSE_BRACE, "}")        \
  X(OPEN_BRACKET, "[")       \
  X(CLOSE_BRACKET, "]")      \
  X(COMMA, ",")              \
  X(SEMICOLON, ";")

typedef enum hdi_cw_token_kind {
  HDI_CW_NAME,
  HDI_CW_NUMBER,
  HDI_CW_FILE_END,
  HDI_CW_BAD, /* has been reported already */
#define HDI_CW_KEYWORD_ENUM(identifier, spelling) HDI_CW_K_##identifier,
  HDI_CW_KEYWORD_TABLE(HDI_CW_KEYWORD_ENUM)
#undef HDI_CW_KEYWORD_ENUM
#define HDI_CW_SIGN_ENUM(identifier, spelling) HDI_CW_S_##identifier,
      HDI_CW_SIGN_TABLE(HDI_CW_SIGN_ENUM)
#undef HDI_CW_SIGN_ENUM
          HDI_CW_TOKEN_COUNT
} hdi_cw_token_kind;

typedef struct hdi_cw_token {
  hdi_cw_token_kind kind;
  hd_span span;  /* at the end of the file: empty, right after the last token */
  int64_t value; /* NUMBER */
} hdi_cw_token;

typedef enum hdi_cw_message {
#define HDI_CW_MESSAGE(identifier, code, words, hint) identifier,
#define HDI_CW_EXPECT(identifier, words)
#include "frontends/cwhile/messages.def"
#undef HDI_CW_MESSAGE
#undef HDI_CW_EXPECT
  HDI_CW_MESSAGE_COUNT
} hdi_cw_message;

typedef enum hdi_cw_expect {
#define HDI_CW_MESSAGE(identifier, code, words, hint)
#define HDI_CW_EXPECT(identifier, words) identifier,
#include "frontends/cwhile/messages.def"
#undef HDI_CW_MESSAGE
#undef HDI_CW_EXPECT
  HDI_CW_EXPECT_COUNT
} hdi_cw_expect;

/* One reading of one text, owned by the reader that has it on its stack. */
typedef struct hdi_cw_lexer {
  const hd_text *text; /* borrowed */
  hd_diag *diag;       /* borrowed, NULL allowed */
  uint32_t at;         /* byte after the current token */
  uint32_t last_end;   /* end of the token before the current one */
  hdi_cw_token token;  /* the current one */
  uint32_t complained; /* 1 + where a token was last said to be unexpected: said once */
  bool stopped;        /* nothing more is read or reported */
  size_t errors;       /* reported by this reading; the sink may hold others' */
} hdi_cw_lexer;

/* A piece of the input or a number, cut to a length fit for a message. */
typedef struct hdi_cw_words {
  char text[72];
} hdi_cw_words;

/* Starts reading at the first token. False when the text holds a control byte (reported): nothing can be read. */
bool hdi_cw_lexer_open(hdi_cw_lexer *lexer, const hd_text *text, hd_diag *diag);
/* Moves to the next token; at the end of the file it stays there. */
void hdi_cw_lexer_next(hdi_cw_lexer *lexer);
/* Takes a token of this kind and moves on; otherwise reports what was expected. */
bool hdi_cw_lexer_take(hdi_cw_lexer *lexer, hdi_cw_token_kind kind, hdi_cw_expect expected);
/* Moves on when the current token is of this kind. */
bool hdi_cw_lexer_accept(hdi_cw_lexer *lexer, hdi_cw_token_kind kind);
/* Ends the reading where it is: what follows is not understood. */
void hdi_cw_lexer_stop(hdi_cw_lexer *lexer);
/* Reports the current token as unexpected. */
void hdi_cw_lexer_unexpected(hdi_cw_lexer *lexer, hdi_cw_expect expected);
/* Adds a row of messages.def at `span`; a and b replace %1 and %2 (NULL where the row has none). */
void hdi_cw_report(hdi_cw_lexer *lexer, hdi_cw_message message, hd_span span, const char *a, const char *b);

hdi_cw_words hdi_cw_show(const char *data, size_t length);
hdi_cw_words hdi_cw_show_number(int64_t number);
/* The line in which `span` begins. */
hdi_cw_words hdi_cw_show_line(const hdi_cw_lexer *lexer, hd_span span);

#endif
