/* Reads statements.
 *
 *   block     = "{" { statement } "}"
 *   statement = [ NAME ":" ] ( "skip" ";" | "yield" ";" | ref ( ":=" | "=" ) expr ";" | NAME "(" [ arguments ] ")" ";"
 *             | [ ref ( ":=" | "=" ) ] "async" NAME "(" [ arguments ] ")" ";"
 *             | ( "assume" | "assert" | "await" | "join" ) "(" expr ")" ";" | ( "lock" | "unlock" ) "(" ref ")" ";"
 *             | [ "atomic" | "satomic" | "watomic" | "noreorder" ] block
 *             | "if" "(" ( expr | "*" ) ")" statement [ "else" statement ] | "while" "(" ( expr | "*" ) ")" statement )
 *
 * The body of an if or while is a list: what stands between its braces, or one statement. After an error reading goes
 * on behind the next semicolon (hdi_cw_recover); what was read of the wrong statement is dropped, so that one mistake
 * gives one report. Statements are numbered in the order in which they begin. Cost: linear. */
#include "frontends/cwhile/parser.h"

static hd_cw_stmt *parse_statement(hdi_cw_reader *reader);

/* May reading go on before this token after an error? */
static bool is_landmark(hdi_cw_token_kind kind) {
  return kind == HDI_CW_FILE_END || kind == HDI_CW_S_OPEN_BRACE || kind == HDI_CW_S_CLOSE_BRACE ||
         kind == HDI_CW_K_THREAD || kind == HDI_CW_K_PROC || kind == HDI_CW_K_DAEMON || kind == HDI_CW_K_FIXED ||
         kind == HDI_CW_K_AXIOM || kind == HDI_CW_K_IF || kind == HDI_CW_K_WHILE || kind == HDI_CW_K_ASSERT ||
         kind == HDI_CW_K_ASSUME || kind == HDI_CW_K_AWAIT;
}

void hdi_cw_recover(hdi_cw_reader *reader) {
  while (!is_landmark(reader->lexer.token.kind)) {
    if (hdi_cw_lexer_accept(&reader->lexer, HDI_CW_S_SEMICOLON)) {
      return;
    }
    hdi_cw_lexer_next(&reader->lexer);
  }
}

static bool take_semicolon(hdi_cw_reader *reader) {
  return hdi_cw_lexer_take(&reader->lexer, HDI_CW_S_SEMICOLON, HDI_CW_EXPECT_SEMICOLON);
}

/* A closing brace, or what cannot stand inside: then the brace is missing. */
static bool ends_block(hdi_cw_token_kind kind) {
  return kind == HDI_CW_S_CLOSE_BRACE || kind == HDI_CW_FILE_END || kind == HDI_CW_K_THREAD || kind == HDI_CW_K_PROC ||
         kind == HDI_CW_K_FIXED || kind == HDI_CW_K_DAEMON || kind == HDI_CW_K_AXIOM;
}

bool hdi_cw_parse_block(hdi_cw_reader *reader, hd_cw_stmt **first) {
  hdi_cw_lexer *lexer = &reader->lexer;
  hd_cw_stmt **end = first;
  *first = NULL;
  while (!ends_block(lexer->token.kind) && reader->status == HD_OK) {
    uint32_t before = lexer->token.span.begin;
    if (hdi_cw_at_declaration(reader)) {
      hdi_cw_report(lexer, HDI_CW_LATE_LOCAL, lexer->token.span, NULL, NULL);
      hdi_cw_lexer_next(lexer);
      hdi_cw_recover(reader);
      continue;
    }
    hd_cw_stmt *stmt = parse_statement(reader);
    if (stmt != NULL) {
      *end = stmt;
      end = &stmt->next;
    } else {
      hdi_cw_recover(reader);
      if (lexer->token.span.begin == before && !ends_block(lexer->token.kind)) {
        hdi_cw_lexer_next(lexer); /* always forward */
      }
    }
  }
  return hdi_cw_lexer_take(lexer, HDI_CW_S_CLOSE_BRACE, HDI_CW_EXPECT_CLOSE_BRACE);
}

/* The body of an if or while, as a list. */
static bool parse_body(hdi_cw_reader *reader, hd_cw_stmt **first) {
  if (hdi_cw_lexer_accept(&reader->lexer, HDI_CW_S_OPEN_BRACE)) {
    return hdi_cw_parse_block(reader, first);
  }
  *first = parse_statement(reader);
  return *first != NULL;
}

static bool parse_braced(hdi_cw_reader *reader, hd_cw_stmt *stmt, hd_cw_stmt_kind kind) {
  stmt->kind = kind;
  stmt->head = reader->lexer.token.span;
  if (kind != HD_CW_BLOCK) {
    hdi_cw_lexer_next(&reader->lexer);
  }
  return hdi_cw_lexer_take(&reader->lexer, HDI_CW_S_OPEN_BRACE, HDI_CW_EXPECT_OPEN_BRACE) &&
         hdi_cw_parse_block(reader, &stmt->body);
}

/* "(" expr ")" ";" behind a word */
static bool parse_condition(hdi_cw_reader *reader, hd_cw_stmt *stmt, hd_cw_stmt_kind kind) {
  stmt->kind = kind;
  hdi_cw_lexer_next(&reader->lexer);
  if (!hdi_cw_lexer_take(&reader->lexer, HDI_CW_S_OPEN, HDI_CW_EXPECT_OPEN)) {
    return false;
  }
  stmt->expr = hdi_cw_parse_expr(reader);
  return stmt->expr != NULL && hdi_cw_lexer_take(&reader->lexer, HDI_CW_S_CLOSE, HDI_CW_EXPECT_CLOSE) &&
         take_semicolon(reader);
}

static bool parse_lock(hdi_cw_reader *reader, hd_cw_stmt *stmt, hd_cw_stmt_kind kind) {
  stmt->kind = kind;
  hdi_cw_lexer_next(&reader->lexer);
  return hdi_cw_lexer_take(&reader->lexer, HDI_CW_S_OPEN, HDI_CW_EXPECT_OPEN) &&
         hdi_cw_take_name(reader, HDI_CW_EXPECT_NAME, &stmt->target.name) &&
         hdi_cw_parse_index(reader, &stmt->target) &&
         hdi_cw_lexer_take(&reader->lexer, HDI_CW_S_CLOSE, HDI_CW_EXPECT_CLOSE) && take_semicolon(reader);
}

static bool parse_choice(hdi_cw_reader *reader, hd_cw_stmt *stmt, hd_cw_stmt_kind kind) {
  hdi_cw_lexer *lexer = &reader->lexer;
  stmt->kind = kind;
  uint32_t begin = lexer->token.span.begin;
  hdi_cw_lexer_next(lexer);
  if (!hdi_cw_lexer_take(lexer, HDI_CW_S_OPEN, HDI_CW_EXPECT_OPEN)) {
    return false;
  }
  if (!hdi_cw_lexer_accept(lexer, HDI_CW_S_STAR)) {
    stmt->expr = hdi_cw_parse_expr(reader);
    if (stmt->expr == NULL) {
      return false;
    }
  }
  if (!hdi_cw_lexer_take(lexer, HDI_CW_S_CLOSE, HDI_CW_EXPECT_CLOSE)) {
    return false;
  }
  stmt->head = hdi_cw_since(reader, begin);
  if (!parse_body(reader, &stmt->body)) {
    return false;
  }
  if (kind == HD_CW_IF && hdi_cw_lexer_accept(lexer, HDI_CW_K_ELSE)) {
    return parse_body(reader, &stmt->other);
  }
  return true;
}

/* The arguments of a call, the opening parenthesis being the current token, to the semicolon. */
static bool parse_arguments(hdi_cw_reader *reader, hd_cw_stmt *stmt) {
  hdi_cw_lexer *lexer = &reader->lexer;
  hd_cw_argument **end = &stmt->arguments;
  if (!hdi_cw_lexer_take(lexer, HDI_CW_S_OPEN, HDI_CW_EXPECT_OPEN)) {
    return false;
  }
  if (hdi_cw_lexer_accept(lexer, HDI_CW_S_CLOSE)) {
    return take_semicolon(reader);
  }
  for (;;) {
    hd_cw_argument *argument = hdi_cw_new(reader, 1, sizeof *argument);
    if (argument == NULL || (argument->expr = hdi_cw_parse_expr(reader)) == NULL) {
      return false;
    }
    *end = argument;
    end = &argument->next;
    if (hdi_cw_lexer_accept(lexer, HDI_CW_S_CLOSE)) {
      return take_semicolon(reader);
    }
    if (!hdi_cw_lexer_take(lexer, HDI_CW_S_COMMA, HDI_CW_EXPECT_ARGUMENT_END)) {
      return false;
    }
  }
}

static bool parse_async(hdi_cw_reader *reader, hd_cw_stmt *stmt) {
  stmt->kind = HD_CW_ASYNC;
  hdi_cw_lexer_next(&reader->lexer);
  return hdi_cw_take_name(reader, HDI_CW_EXPECT_NAME, &stmt->callee) && parse_arguments(reader, stmt);
}

/* A statement that starts with a name, which is taken: an assignment or a call. */
static bool parse_named(hdi_cw_reader *reader, hd_cw_stmt *stmt, const hd_cw_name *name) {
  hdi_cw_lexer *lexer = &reader->lexer;
  if (lexer->token.kind == HDI_CW_S_OPEN) {
    stmt->kind = HD_CW_CALL;
    stmt->callee = *name;
    return parse_arguments(reader, stmt);
  }
  bool element = lexer->token.kind == HDI_CW_S_OPEN_BRACKET;
  stmt->kind = HD_CW_ASSIGN;
  stmt->target.name = *name;
  stmt->has_target = true;
  if (!hdi_cw_parse_index(reader, &stmt->target)) {
    return false;
  }
  if (!hdi_cw_lexer_accept(lexer, HDI_CW_S_ASSIGN) && !hdi_cw_lexer_accept(lexer, HDI_CW_S_BECOMES)) {
    hdi_cw_lexer_unexpected(lexer, element ? HDI_CW_EXPECT_ASSIGN_ELEMENT : HDI_CW_EXPECT_ASSIGN);
    return false;
  }
  if (lexer->token.kind == HDI_CW_K_ASYNC) {
    return parse_async(reader, stmt);
  }
  stmt->expr = hdi_cw_parse_expr(reader);
  return stmt->expr != NULL && take_semicolon(reader);
}

static bool parse_word(hdi_cw_reader *reader, hd_cw_stmt *stmt, hd_cw_stmt_kind kind) {
  stmt->kind = kind;
  hdi_cw_lexer_next(&reader->lexer);
  return take_semicolon(reader);
}

typedef bool (*parse_fn)(hdi_cw_reader *reader, hd_cw_stmt *stmt, hd_cw_stmt_kind kind);

/* What starts with a word or a brace of its own. */
static const struct {
  hdi_cw_token_kind token;
  hd_cw_stmt_kind kind;
  parse_fn parse;
} beginnings[] = {
    {HDI_CW_K_SKIP, HD_CW_SKIP, parse_word},
    {HDI_CW_K_YIELD, HD_CW_YIELD, parse_word},
    {HDI_CW_K_ASSUME, HD_CW_ASSUME, parse_condition},
    {HDI_CW_K_ASSERT, HD_CW_ASSERT, parse_condition},
    {HDI_CW_K_AWAIT, HD_CW_AWAIT, parse_condition},
    {HDI_CW_K_JOIN, HD_CW_JOIN, parse_condition},
    {HDI_CW_K_LOCK, HD_CW_LOCK, parse_lock},
    {HDI_CW_K_UNLOCK, HD_CW_UNLOCK, parse_lock},
    {HDI_CW_K_IF, HD_CW_IF, parse_choice},
    {HDI_CW_K_WHILE, HD_CW_WHILE, parse_choice},
    {HDI_CW_K_ATOMIC, HD_CW_ATOMIC, parse_braced},
    {HDI_CW_K_SATOMIC, HD_CW_ATOMIC, parse_braced},
    {HDI_CW_K_WATOMIC, HD_CW_WATOMIC, parse_braced},
    {HDI_CW_K_NOREORDER, HD_CW_NOREORDER, parse_braced},
    {HDI_CW_S_OPEN_BRACE, HD_CW_BLOCK, parse_braced},
};

/* The statement behind its label, when it does not start with a name that is taken already. */
static bool parse_unlabelled(hdi_cw_reader *reader, hd_cw_stmt *stmt) {
  for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
    if (beginnings[i].token == reader->lexer.token.kind) {
      return beginnings[i].parse(reader, stmt, beginnings[i].kind);
    }
  }
  if (reader->lexer.token.kind == HDI_CW_K_ASYNC) {
    return parse_async(reader, stmt);
  }
  hd_cw_name first;
  return hdi_cw_take_name(reader, HDI_CW_EXPECT_STATEMENT, &first) && parse_named(reader, stmt, &first);
}

static bool fill_statement(hdi_cw_reader *reader, hd_cw_stmt *stmt) {
  hdi_cw_lexer *lexer = &reader->lexer;
  uint32_t begin = lexer->token.span.begin;
  hd_cw_name name;
  bool good;
  if (lexer->token.kind != HDI_CW_NAME) {
    good = parse_unlabelled(reader, stmt);
  } else if (!hdi_cw_take_name(reader, HDI_CW_EXPECT_STATEMENT, &name)) {
    return false;
  } else if (hdi_cw_lexer_accept(lexer, HDI_CW_S_COLON)) {
    stmt->label = name;
    begin = lexer->token.span.begin;
    good = parse_unlabelled(reader, stmt);
  } else {
    good = parse_named(reader, stmt, &name);
  }
  stmt->span = hdi_cw_since(reader, begin);
  if (stmt->head.end == 0) {
    stmt->head = stmt->span;
  }
  return good;
}

/* NULL after a report, or when memory is out. */
static hd_cw_stmt *parse_statement(hdi_cw_reader *reader) {
  hd_cw_stmt *stmt = hdi_cw_new(reader, 1, sizeof *stmt);
  if (stmt == NULL || !hdi_cw_enter(reader)) {
    return NULL;
  }
  stmt->number = (uint32_t)reader->statements.count;
  bool good = hdi_cw_keep(reader, hdi_cw_stmts_push(&reader->statements, stmt)) && fill_statement(reader, stmt);
  reader->depth--;
  return good ? stmt : NULL;
}
