/* What the parts of the Go reader share. One reader reads one file; nothing of it outlives the reading. */
#ifndef HEDDLE_FRONTENDS_MINIGO_READER_H
#define HEDDLE_FRONTENDS_MINIGO_READER_H

#include "frontends/minigo/program.h"
#include "frontends/minigo/tree.h"

typedef enum hdi_go_message {
#define HDI_GO_MESSAGE(identifier, code, words, hint) identifier,
#include "frontends/minigo/messages.def"
#undef HDI_GO_MESSAGE
  HDI_GO_MESSAGE_COUNT
} hdi_go_message;

typedef struct hdi_go_reader {
  hd_go_package *package;
  hd_go_file *file;
  const hd_text *text;
  hd_diag *diag;
  hdi_go_tree tree; /* owned */
  uint32_t errors, depth;
  hd_status status; /* of allocations; once it is not HD_OK the tree being made is only good for being freed */
  bool too_deep;    /* reported, once a file */
  /* What allocations answer when memory is out, so that nobody has to look. */
  hd_go_expr spare_expr;
  hd_go_stmt spare_stmt;
  hd_go_field spare_field;
  hd_go_ident spare_ident;
  hd_go_spec spare_spec;
  hd_go_decl spare_decl;
  hd_go_function spare_function;
  hd_go_signature spare_signature;
  hd_go_directive spare_directive;
} hdi_go_reader;

/* Reports at a span of the text; `a` and `b` stand for %1 and %2 of the message, and may be NULL where it has none. */
void hdi_go_report(hdi_go_reader *reader, hdi_go_message message, hd_span span, const char *a, const char *b);
/* Reports what the parser found wrong (wrong.c). At least one error when tree.wrong. */
void hdi_go_report_wrong(hdi_go_reader *reader);

/* A short copy of source text or a number for a message. */
typedef struct hdi_go_words {
  char text[64];
} hdi_go_words;
hdi_go_words hdi_go_show(const hdi_go_reader *reader, hd_span span);
hdi_go_words hdi_go_show_number(uint64_t number);
hdi_go_words hdi_go_show_line(const hdi_go_reader *reader, hd_span span);

/* ---- the concrete tree; 0 is no node ---- */
const hdi_go_node *hdi_go_at(const hdi_go_reader *reader, uint32_t node);
hdi_go_kind hdi_go_kind_of(const hdi_go_reader *reader, uint32_t node);
/* The first child with the field that is no token and no comment. */
uint32_t hdi_go_child(const hdi_go_reader *reader, uint32_t node, hdi_go_field_kind field);
/* The first child, and the next one, that are no tokens and no comments. */
uint32_t hdi_go_first(const hdi_go_reader *reader, uint32_t node);
uint32_t hdi_go_next(const hdi_go_reader *reader, uint32_t node);
/* The first child that is this token; 0: none. */
uint32_t hdi_go_token(const hdi_go_reader *reader, uint32_t node, const char *token);
bool hdi_go_spells(const hdi_go_reader *reader, hd_span span, const char *text);

/* ---- making nodes; never NULL ---- */
hd_go_expr *hdi_go_new_expr(hdi_go_reader *reader, hd_go_expr_kind kind, hd_span span);
hd_go_stmt *hdi_go_new_stmt(hdi_go_reader *reader, hd_go_stmt_kind kind, hd_span span);
hd_go_field *hdi_go_new_field(hdi_go_reader *reader, hd_span span);
hd_go_ident *hdi_go_new_ident(hdi_go_reader *reader, uint32_t node);
hd_go_ident *hdi_go_new_ident_named(hdi_go_reader *reader, const hd_go_name *name);
hd_go_spec *hdi_go_new_spec(hdi_go_reader *reader, hd_span span);
hd_go_decl *hdi_go_new_decl(hdi_go_reader *reader, hd_go_decl_kind kind, hd_span span);
hd_go_function *hdi_go_new_function(hdi_go_reader *reader);
hd_go_signature *hdi_go_new_signature(hdi_go_reader *reader);
hd_go_directive *hdi_go_new_directive(hdi_go_reader *reader, hd_span span);
hd_go_name hdi_go_name_of(hdi_go_reader *reader, hd_span span);
/* The children with the field `name`, as a list. */
hd_go_ident *hdi_go_read_names(hdi_go_reader *reader, uint32_t node);

/* One level deeper; false, with an error, when it is too deep: then do not go on. Each true is paired with a leave. */
bool hdi_go_enter(hdi_go_reader *reader, hd_span span);
void hdi_go_leave(hdi_go_reader *reader);

/* Read the node with this number. */
hd_go_expr *hdi_go_read_expr(hdi_go_reader *reader, uint32_t node); /* expressions and types */
hd_go_expr *hdi_go_read_list(hdi_go_reader *reader, uint32_t node); /* an expression_list; 0: empty */
void hdi_go_read_signature(hdi_go_reader *reader, uint32_t node, hd_go_signature *out);
hd_go_field *hdi_go_read_parameters(hdi_go_reader *reader, uint32_t node, bool results);
hd_go_field *hdi_go_read_type_parameters(hdi_go_reader *reader, uint32_t node);
hd_go_expr *hdi_go_read_type(hdi_go_reader *reader, uint32_t node); /* of the kinds that are types only (read_type.c) */
hd_go_stmt *hdi_go_read_block(hdi_go_reader *reader, uint32_t node);
hd_go_stmt *hdi_go_read_body(hdi_go_reader *reader, uint32_t node); /* a function's block, its jumps checked */
hd_go_decl *hdi_go_read_decl(hdi_go_reader *reader, uint32_t node); /* const, type, var, import, func */

/* Checks jumps, labels and defaults of a function's body; bodies of function literals inside are not looked into. */
void hdi_go_check_body(hdi_go_reader *reader, const hd_go_stmt *body);

#endif
