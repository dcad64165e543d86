/* Reads .cw text: the file, its declarations and bodies, and the making of the program from them.
 *
 *   file        = { declaration | "axiom" "(" expr ")" ";" | { "fixed" | "daemon" } "thread" NAME body
 *                 | "proc" NAME "(" [ parameter { "," parameter } ] ")" body }
 *   declaration = [ "ghost" ] ( "int" [ "[" expr ".." expr "]" ] | "bool" | "lock" ) variable { "," variable } ";"
 *   variable    = NAME [ "[" expr "]" ] [ "=" expr ]
 *   parameter   = ( "int" [ "[" expr ".." expr "]" ] | "bool" ) NAME | "ref" NAME
 *   body        = "{" { declaration } { statement } "}"
 *
 * Names are resolved when the whole file was read (resolve.c), so that procedures may stand anywhere.
 * Threads: any number of readings at once, each on its own text and sink. Cost: O(size) expected. */
#include "core/base/check.h"
#include "frontends/cwhile/parser.h"

#include <string.h>

void *hdi_cw_new(hdi_cw_reader *reader, size_t count, size_t size_bytes) {
  void *memory = hd_arena_alloc_array(reader->program->arena, count == 0 ? 1 : count, size_bytes);
  (void)hdi_cw_keep(reader, memory == NULL ? HD_E_NOMEM : HD_OK);
  return memory;
}

bool hdi_cw_keep(hdi_cw_reader *reader, hd_status status) {
  if (reader->status == HD_OK) {
    reader->status = status;
  }
  return status == HD_OK;
}

bool hdi_cw_enter(hdi_cw_reader *reader) {
  if (reader->depth >= HDI_CW_DEPTH_MAX) {
    hdi_cw_report(&reader->lexer, HDI_CW_TOO_DEEP, reader->lexer.token.span, hdi_cw_show_number(HDI_CW_DEPTH_MAX).text,
                  NULL);
    hdi_cw_lexer_stop(&reader->lexer);
    return false;
  }
  reader->depth++;
  return true;
}

bool hdi_cw_take_name(hdi_cw_reader *reader, hdi_cw_expect expected, hd_cw_name *out) {
  hdi_cw_lexer *lexer = &reader->lexer;
  hd_span span = lexer->token.span;
  if (!hdi_cw_lexer_take(lexer, HDI_CW_NAME, expected)) {
    return false;
  }
  out->span = span;
  out->text = hd_arena_copy_text(reader->program->arena, lexer->text->data + span.begin, span.end - span.begin);
  return hdi_cw_keep(reader, out->text == NULL ? HD_E_NOMEM : HD_OK);
}

hd_span hdi_cw_since(const hdi_cw_reader *reader, uint32_t begin) {
  return (hd_span){begin, reader->lexer.last_end};
}

bool hdi_cw_at_declaration(const hdi_cw_reader *reader) {
  hdi_cw_token_kind kind = reader->lexer.token.kind;
  if (kind == HDI_CW_K_LOCK) { /* a declaration, unless it is the statement lock(m); */
    hdi_cw_lexer ahead = reader->lexer;
    ahead.diag = NULL;
    hdi_cw_lexer_next(&ahead);
    return ahead.token.kind != HDI_CW_S_OPEN;
  }
  return kind == HDI_CW_K_INT || kind == HDI_CW_K_BOOL || kind == HDI_CW_K_GHOST;
}

/* `int`, `int[lo..hi]`, `bool` or `lock`. */
static bool parse_type(hdi_cw_reader *reader, hdi_cw_expect expected, hd_cw_var *var) {
  hdi_cw_lexer *lexer = &reader->lexer;
  if (hdi_cw_lexer_accept(lexer, HDI_CW_K_BOOL)) {
    var->type = HD_CW_TYPE_BOOL;
    var->hi = 1;
    return true;
  }
  if (hdi_cw_lexer_accept(lexer, HDI_CW_K_LOCK)) {
    var->type = HD_CW_TYPE_LOCK;
    var->hi = 1;
    return true;
  }
  if (!hdi_cw_lexer_take(lexer, HDI_CW_K_INT, expected)) {
    return false;
  }
  var->type = HD_CW_TYPE_INT;
  var->lo = HD_CW_INT_LO;
  var->hi = HD_CW_INT_HI;
  if (!hdi_cw_lexer_accept(lexer, HDI_CW_S_OPEN_BRACKET)) {
    return true;
  }
  var->ranged = true;
  var->lo_expr = hdi_cw_parse_expr(reader);
  if (var->lo_expr == NULL || !hdi_cw_lexer_take(lexer, HDI_CW_S_DOTS, HDI_CW_EXPECT_DOTS)) {
    return false;
  }
  var->hi_expr = hdi_cw_parse_expr(reader);
  return var->hi_expr != NULL && hdi_cw_lexer_take(lexer, HDI_CW_S_CLOSE_BRACKET, HDI_CW_EXPECT_CLOSE_BRACKET);
}

static bool parse_variable(hdi_cw_reader *reader, const hd_cw_var *type, hdi_cw_vars *vars) {
  hdi_cw_lexer *lexer = &reader->lexer;
  hd_cw_var var = *type;
  if (!hdi_cw_take_name(reader, HDI_CW_EXPECT_NAME, &var.name)) {
    return false;
  }
  if (hdi_cw_lexer_accept(lexer, HDI_CW_S_OPEN_BRACKET)) {
    var.length_expr = hdi_cw_parse_expr(reader);
    if (var.length_expr == NULL || !hdi_cw_lexer_take(lexer, HDI_CW_S_CLOSE_BRACKET, HDI_CW_EXPECT_CLOSE_BRACKET)) {
      return false;
    }
  }
  if (hdi_cw_lexer_accept(lexer, HDI_CW_S_BECOMES)) {
    var.init_expr = hdi_cw_parse_expr(reader);
    if (var.init_expr == NULL) {
      return false;
    }
  }
  return hdi_cw_keep(reader, hdi_cw_vars_push(vars, var));
}

bool hdi_cw_parse_declaration(hdi_cw_reader *reader, hdi_cw_vars *vars) {
  hdi_cw_lexer *lexer = &reader->lexer;
  hd_cw_var type = {.ghost = hdi_cw_lexer_accept(lexer, HDI_CW_K_GHOST)};
  bool good = parse_type(reader, HDI_CW_EXPECT_DECLARATION, &type);
  while (good) {
    good = parse_variable(reader, &type, vars);
    if (good && hdi_cw_lexer_accept(lexer, HDI_CW_S_SEMICOLON)) {
      return true;
    }
    good = good && hdi_cw_lexer_take(lexer, HDI_CW_S_COMMA, HDI_CW_EXPECT_DECLARED);
  }
  hdi_cw_recover(reader);
  return reader->status == HD_OK;
}

/* ---- bodies ---- */

static bool parse_parameter(hdi_cw_reader *reader) {
  hdi_cw_lexer *lexer = &reader->lexer;
  hd_cw_var var = {.parameter = true};
  if (hdi_cw_lexer_accept(lexer, HDI_CW_K_REF)) {
    var.reference = true;
  } else if (lexer->token.kind != HDI_CW_K_INT && lexer->token.kind != HDI_CW_K_BOOL) {
    hdi_cw_lexer_unexpected(lexer, HDI_CW_EXPECT_PARAMETER);
    return false;
  } else if (!parse_type(reader, HDI_CW_EXPECT_PARAMETER, &var)) {
    return false;
  }
  return hdi_cw_take_name(reader, HDI_CW_EXPECT_NAME, &var.name) &&
         hdi_cw_keep(reader, hdi_cw_vars_push(&reader->locals, var));
}

static bool parse_parameters(hdi_cw_reader *reader) {
  hdi_cw_lexer *lexer = &reader->lexer;
  if (!hdi_cw_lexer_take(lexer, HDI_CW_S_OPEN, HDI_CW_EXPECT_OPEN)) {
    return false;
  }
  if (hdi_cw_lexer_accept(lexer, HDI_CW_S_CLOSE)) {
    return true;
  }
  for (;;) {
    if (!parse_parameter(reader)) {
      return false;
    }
    if (hdi_cw_lexer_accept(lexer, HDI_CW_S_CLOSE)) {
      return true;
    }
    if (!hdi_cw_lexer_take(lexer, HDI_CW_S_COMMA, HDI_CW_EXPECT_ARGUMENT_END)) {
      return false;
    }
  }
}

/* From the name on. */
static bool parse_body(hdi_cw_reader *reader, hd_cw_body *body, uint32_t begin) {
  hdi_cw_lexer *lexer = &reader->lexer;
  hdi_cw_vars_clear(&reader->locals);
  if (!hdi_cw_take_name(reader, HDI_CW_EXPECT_NAME, &body->name) || (!body->thread && !parse_parameters(reader))) {
    return false;
  }
  body->parameter_count = (uint32_t)reader->locals.count;
  if (!hdi_cw_lexer_take(lexer, HDI_CW_S_OPEN_BRACE, HDI_CW_EXPECT_OPEN_BRACE)) {
    return false;
  }
  while (hdi_cw_at_declaration(reader)) {
    if (!hdi_cw_parse_declaration(reader, &reader->locals)) {
      return false;
    }
  }
  bool closed = hdi_cw_parse_block(reader, &body->first);
  body->span = hdi_cw_since(reader, begin);
  body->var_count = (uint32_t)reader->locals.count;
  body->vars = hdi_cw_new(reader, body->var_count, sizeof *body->vars);
  if (body->vars == NULL) {
    return false;
  }
  if (body->var_count > 0) {
    memcpy(body->vars, reader->locals.data, body->var_count * sizeof *body->vars);
  }
  return closed;
}

static bool parse_thread_or_proc(hdi_cw_reader *reader) {
  hdi_cw_lexer *lexer = &reader->lexer;
  uint32_t begin = lexer->token.span.begin;
  hd_cw_body body = {.thread = lexer->token.kind != HDI_CW_K_PROC};
  if (!body.thread) {
    hdi_cw_lexer_next(lexer);
  } else {
    while (lexer->token.kind == HDI_CW_K_FIXED || lexer->token.kind == HDI_CW_K_DAEMON) {
      body.fixed = body.fixed || lexer->token.kind == HDI_CW_K_FIXED;
      body.daemon = body.daemon || lexer->token.kind == HDI_CW_K_DAEMON;
      hdi_cw_lexer_next(lexer);
    }
    if (!hdi_cw_lexer_take(lexer, HDI_CW_K_THREAD, HDI_CW_EXPECT_THREAD)) {
      return false;
    }
  }
  bool good = parse_body(reader, &body, begin);
  return body.vars == NULL ? good : hdi_cw_keep(reader, hdi_cw_bodies_push(&reader->bodies, body)) && good;
}

static bool parse_axiom(hdi_cw_reader *reader) {
  hdi_cw_lexer *lexer = &reader->lexer;
  uint32_t begin = lexer->token.span.begin;
  hd_cw_axiom axiom = {.expr = NULL};
  hdi_cw_lexer_next(lexer);
  if (!hdi_cw_lexer_take(lexer, HDI_CW_S_OPEN, HDI_CW_EXPECT_OPEN) ||
      (axiom.expr = hdi_cw_parse_expr(reader)) == NULL ||
      !hdi_cw_lexer_take(lexer, HDI_CW_S_CLOSE, HDI_CW_EXPECT_CLOSE) ||
      !hdi_cw_lexer_take(lexer, HDI_CW_S_SEMICOLON, HDI_CW_EXPECT_SEMICOLON)) {
    return false;
  }
  axiom.span = hdi_cw_since(reader, begin);
  return hdi_cw_keep(reader, hdi_cw_axioms_push(&reader->axioms, axiom));
}

/* ---- the file ---- */

/* Starts something at the level of the file, declarations apart. */
static bool starts_item(hdi_cw_token_kind kind) {
  return kind == HDI_CW_K_AXIOM || kind == HDI_CW_K_PROC || kind == HDI_CW_K_THREAD || kind == HDI_CW_K_FIXED ||
         kind == HDI_CW_K_DAEMON;
}

static void parse_item(hdi_cw_reader *reader) {
  hdi_cw_lexer *lexer = &reader->lexer;
  bool good = false;
  if (hdi_cw_at_declaration(reader)) {
    good = hdi_cw_parse_declaration(reader, &reader->globals);
  } else if (lexer->token.kind == HDI_CW_K_AXIOM) {
    good = parse_axiom(reader);
  } else if (starts_item(lexer->token.kind)) {
    good = parse_thread_or_proc(reader);
  } else {
    hdi_cw_lexer_unexpected(lexer, HDI_CW_EXPECT_TOP);
    hdi_cw_lexer_next(lexer);
  }
  /* What stands between a mistake and the next thing of this level belongs to the mistake. */
  while (!good && lexer->token.kind != HDI_CW_FILE_END && !starts_item(lexer->token.kind)) {
    good = lexer->token.kind == HDI_CW_S_SEMICOLON || lexer->token.kind == HDI_CW_S_CLOSE_BRACE;
    hdi_cw_lexer_next(lexer);
  }
}

static void *keep_array(hdi_cw_reader *reader, const void *data, size_t count, size_t size_bytes) {
  void *copy = hdi_cw_new(reader, count, size_bytes);
  if (copy != NULL && count > 0) {
    memcpy(copy, data, count * size_bytes);
  }
  return copy;
}

static void make_program(hdi_cw_reader *reader) {
  hd_cw_program *program = reader->program;
  program->globals = keep_array(reader, reader->globals.data, reader->globals.count, sizeof *program->globals);
  program->bodies = keep_array(reader, reader->bodies.data, reader->bodies.count, sizeof *program->bodies);
  program->axioms = keep_array(reader, reader->axioms.data, reader->axioms.count, sizeof *program->axioms);
  program->statements = keep_array(reader, reader->statements.data, reader->statements.count, sizeof(hd_cw_stmt *));
  program->global_count = (uint32_t)reader->globals.count;
  program->body_count = (uint32_t)reader->bodies.count;
  program->axiom_count = (uint32_t)reader->axioms.count;
  program->statement_count = (uint32_t)reader->statements.count;
}

static void read_file(hdi_cw_reader *reader) {
  hdi_cw_lexer *lexer = &reader->lexer;
  while (lexer->token.kind != HDI_CW_FILE_END && reader->status == HD_OK) {
    parse_item(reader);
  }
  make_program(reader);
  if (reader->status == HD_OK && lexer->errors == 0) { /* else names would be missed that stand in what was dropped */
    hdi_cw_resolve(reader);
  }
  hdi_cw_stmts_free(&reader->statements);
  hdi_cw_vars_free(&reader->globals);
  hdi_cw_vars_free(&reader->locals);
  hdi_cw_bodies_free(&reader->bodies);
  hdi_cw_axioms_free(&reader->axioms);
}

hd_status hd_cw_read(const hd_text *text, hd_diag *diag, hd_cw_program **out) {
  HD_REQUIRE(text != NULL && out != NULL);
  *out = NULL;
  hdi_cw_reader reader = {.status = HD_OK};
  hd_arena *arena = hd_arena_new();
  reader.program = arena == NULL ? NULL : hd_arena_alloc(arena, sizeof *reader.program);
  if (reader.program == NULL) {
    hd_arena_free(arena);
    return HD_E_NOMEM;
  }
  reader.program->arena = arena;
  reader.program->text = text;
  if (hdi_cw_lexer_open(&reader.lexer, text, diag)) {
    read_file(&reader);
  }
  if (reader.status == HD_OK && reader.lexer.errors == 0) {
    *out = reader.program;
    return HD_OK;
  }
  hd_arena_free(arena);
  return reader.status != HD_OK ? reader.status : HD_E_INPUT;
}

void hd_cw_program_free(hd_cw_program *program) {
  if (program != NULL) {
    hd_arena_free(program->arena);
  }
}
