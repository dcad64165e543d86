/* What the parts of the .cw reader share: parse.c (declarations and bodies), parse_stmt.c, parse_expr.c, resolve.c.
 * Internal to the Cwhile frontend. */
#ifndef HEDDLE_FRONTENDS_CWHILE_PARSER_H
#define HEDDLE_FRONTENDS_CWHILE_PARSER_H

#include "frontends/cwhile/lexer.h"
#include "frontends/cwhile/program.h"

/* How deep statements and expressions may be nested; bounds the recursion of everything that walks a program. */
#define HDI_CW_DEPTH_MAX 200u

#define HD_ARRAY_NAME hdi_cw_stmts
#define HD_ARRAY_TYPE hd_cw_stmt *
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_cw_vars
#define HD_ARRAY_TYPE hd_cw_var
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_cw_bodies
#define HD_ARRAY_TYPE hd_cw_body
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_cw_axioms
#define HD_ARRAY_TYPE hd_cw_axiom
#include "core/base/array.h"

/* One reading. */
typedef struct hdi_cw_reader {
  hdi_cw_lexer lexer;
  hd_cw_program *program; /* its arena is the reading's */
  hd_status status;       /* sticks at the first failure that is not the input's fault */
  uint32_t depth;
  hdi_cw_stmts statements;
  hdi_cw_vars globals, locals; /* locals: of the body being read */
  hdi_cw_bodies bodies;
  hdi_cw_axioms axioms;
} hdi_cw_reader;

/* Zeroed memory of the program's arena; NULL with the status set when memory is out. */
void *hdi_cw_new(hdi_cw_reader *reader, size_t count, size_t size_bytes);
/* Remembers a failure that is not the input's fault; true when there was none. */
bool hdi_cw_keep(hdi_cw_reader *reader, hd_status status);
/* Goes one level deeper; false, with a report, when that is too deep. Leave with --reader->depth. */
bool hdi_cw_enter(hdi_cw_reader *reader);
/* Takes a name (a copy in the arena). */
bool hdi_cw_take_name(hdi_cw_reader *reader, hdi_cw_expect expected, hd_cw_name *out);
/* From `begin` to the end of the last token taken. */
hd_span hdi_cw_since(const hdi_cw_reader *reader, uint32_t begin);

/* NULL after a report, or when memory is out. */
hd_cw_expr *hdi_cw_parse_expr(hdi_cw_reader *reader);
/* The rest of a reference, whose name is taken: an index or none. */
bool hdi_cw_parse_index(hdi_cw_reader *reader, hd_cw_ref *ref);
/* What stands between braces, the opening one taken; takes the closing one. False: the closing brace is missing. */
bool hdi_cw_parse_block(hdi_cw_reader *reader, hd_cw_stmt **first);
/* A declaration, its first word being the current token, appended to `vars`; reports what is wrong and goes on behind
 * it. False only when memory is out. */
bool hdi_cw_parse_declaration(hdi_cw_reader *reader, hdi_cw_vars *vars);
bool hdi_cw_at_declaration(const hdi_cw_reader *reader);
/* Moves behind the next semicolon, or before a brace or a word that starts something. */
void hdi_cw_recover(hdi_cw_reader *reader);

/* Names, types, constants: fills in what the parts above left open and reports what is wrong. */
void hdi_cw_resolve(hdi_cw_reader *reader);

#endif
