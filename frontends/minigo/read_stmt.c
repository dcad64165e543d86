/* Reads statements and blocks from the concrete tree.
 *
 * Lists of statements are loops, nested blocks go one level deeper. What the grammar is more lenient about than the
 * language (names left of :=, calls behind go and defer, receives in cases of a select) is checked here; jumps are
 * checked once a function's body is whole (jumps.c).
 * Threads: as reader.h. Cost: linear in the nodes. */
#include "core/base/check.h"
#include "frontends/minigo/reader.h"

#include <string.h>

static hd_span span_of(const hdi_go_reader *reader, uint32_t node) {
  return hdi_go_at(reader, node)->span;
}

static hd_go_stmt *read_stmt(hdi_go_reader *reader, uint32_t node);

static hd_go_stmt *optional_stmt(hdi_go_reader *reader, uint32_t node, hdi_go_field_kind field) {
  uint32_t child = hdi_go_child(reader, node, field);
  return child == 0 ? NULL : read_stmt(reader, child);
}

static hd_go_expr *optional_expr(hdi_go_reader *reader, uint32_t node, hdi_go_field_kind field) {
  uint32_t child = hdi_go_child(reader, node, field);
  return child == 0 ? NULL : hdi_go_read_expr(reader, child);
}

static hd_go_expr *list_of(hdi_go_reader *reader, uint32_t node, hdi_go_field_kind field) {
  return hdi_go_read_list(reader, hdi_go_child(reader, node, field));
}

/* The statements among the children from `child` on, without empty ones; expressions, types and communications of a
 * case carry a field. */
static hd_go_stmt *read_stmts(hdi_go_reader *reader, uint32_t child) {
  hd_go_stmt *first = NULL, **end = &first;
  for (; child != 0; child = hdi_go_next(reader, child)) {
    if (hdi_go_at(reader, child)->field == HDI_GO_F_NONE && hdi_go_kind_of(reader, child) != HDI_GO_N_EMPTY) {
      *end = read_stmt(reader, child);
      end = &(*end)->next;
    }
  }
  return first;
}

static void end_head_at(hd_go_stmt *stmt, hd_span next) {
  stmt->head.end = next.begin > stmt->head.begin ? next.begin : stmt->head.begin;
}

/* Blanks before a brace are not part of a head. */
static void trim_head(const hdi_go_reader *reader, hd_go_stmt *stmt) {
  while (stmt->head.end > stmt->head.begin && strchr(" \t\r\n", reader->text->data[stmt->head.end - 1]) != NULL) {
    stmt->head.end--;
  }
}

hd_go_stmt *hdi_go_read_block(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *block = hdi_go_new_stmt(reader, HD_GO_STMT_BLOCK, span_of(reader, node));
  block->head.end = block->head.begin < block->span.end ? block->head.begin + 1 : block->span.end;
  if (hdi_go_enter(reader, block->span)) {
    block->body = read_stmts(reader, hdi_go_first(reader, node));
    hdi_go_leave(reader);
  }
  return block;
}

hd_go_stmt *hdi_go_read_body(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *body = hdi_go_read_block(reader, node);
  if (reader->status == HD_OK) {
    hdi_go_check_body(reader, body);
  }
  return body;
}

/* ---- simple statements ---- */

/* One expression on each side of op=. */
static void demand_one(hdi_go_reader *reader, const hd_go_stmt *stmt, const char *words) {
  if (reader->status == HD_OK && (stmt->left->next != NULL || stmt->right->next != NULL)) {
    hdi_go_report(reader, HDI_GO_ONE_ON_EACH_SIDE, stmt->span, words, NULL);
  }
}

static void demand_names(hdi_go_reader *reader, const hd_go_expr *list) {
  for (; list != NULL && reader->status == HD_OK; list = list->next) {
    if (list->kind != HD_GO_IDENT) {
      hdi_go_report(reader, HDI_GO_DEFINED_NO_NAME, list->span, NULL, NULL);
    }
  }
}

static hd_go_stmt *read_empty(hdi_go_reader *reader, uint32_t node) {
  return hdi_go_new_stmt(reader, HD_GO_STMT_EMPTY, span_of(reader, node));
}

static hd_go_stmt *read_one(hdi_go_reader *reader, uint32_t node, hd_go_stmt_kind kind) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, kind, span_of(reader, node));
  stmt->left = hdi_go_read_expr(reader, hdi_go_first(reader, node));
  return stmt;
}

static hd_go_stmt *read_expression(hdi_go_reader *reader, uint32_t node) {
  return read_one(reader, node, HD_GO_STMT_EXPRESSION);
}

static hd_go_stmt *read_increment(hdi_go_reader *reader, uint32_t node) {
  return read_one(reader, node, HD_GO_STMT_INCREMENT);
}

static hd_go_stmt *read_decrement(hdi_go_reader *reader, uint32_t node) {
  return read_one(reader, node, HD_GO_STMT_DECREMENT);
}

static hd_go_stmt *read_send(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_SEND, span_of(reader, node));
  stmt->left = optional_expr(reader, node, HDI_GO_F_CHANNEL);
  stmt->right = optional_expr(reader, node, HDI_GO_F_VALUE);
  return stmt;
}

/* The operator before the `=` of an assignment; HD_GO_OP_COUNT: none. */
static hd_go_op assignment_op(const hdi_go_reader *reader, hd_span token) {
  for (uint32_t op = 0; op < HD_GO_OP_COUNT; op++) {
    hd_span before = {token.begin, token.end - 1};
    if (hdi_go_spells(reader, before, hd_go_op_text((hd_go_op)op))) {
      return (hd_go_op)op;
    }
  }
  return HD_GO_OP_COUNT;
}

static hd_go_stmt *read_assignment(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_ASSIGN, span_of(reader, node));
  stmt->left = list_of(reader, node, HDI_GO_F_LEFT);
  stmt->right = list_of(reader, node, HDI_GO_F_RIGHT);
  for (uint32_t child = hdi_go_at(reader, node)->first; child != 0; child = hdi_go_at(reader, child)->next) {
    hd_span span = span_of(reader, child);
    if (hdi_go_at(reader, child)->field == HDI_GO_F_OPERATOR && span.end - span.begin > 1) {
      stmt->op = assignment_op(reader, span);
      stmt->has_op = true;
      HD_ASSERT(stmt->op != HD_GO_OP_COUNT);
      demand_one(reader, stmt, hdi_go_show(reader, span).text);
    }
  }
  return stmt;
}

static hd_go_stmt *read_define(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_DEFINE, span_of(reader, node));
  stmt->left = list_of(reader, node, HDI_GO_F_LEFT);
  stmt->right = list_of(reader, node, HDI_GO_F_RIGHT);
  demand_names(reader, stmt->left);
  return stmt;
}

static hd_go_stmt *read_declaration(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_DECLARATION, span_of(reader, node));
  stmt->decl = hdi_go_read_decl(reader, node);
  return stmt;
}

static hd_go_stmt *read_started(hdi_go_reader *reader, uint32_t node, hd_go_stmt_kind kind, const char *word) {
  hd_go_stmt *stmt = read_one(reader, node, kind);
  const hd_go_expr *call = stmt->left;
  while (reader->status == HD_OK && call->kind == HD_GO_PAREN) {
    call = call->a;
  }
  if (reader->status == HD_OK && call->kind != HD_GO_CALL) {
    hdi_go_report(reader, HDI_GO_NOT_A_CALL, stmt->span, word, NULL);
  }
  return stmt;
}

static hd_go_stmt *read_go(hdi_go_reader *reader, uint32_t node) {
  return read_started(reader, node, HD_GO_STMT_GO, "go");
}

static hd_go_stmt *read_defer(hdi_go_reader *reader, uint32_t node) {
  return read_started(reader, node, HD_GO_STMT_DEFER, "defer");
}

static hd_go_stmt *read_return(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_RETURN, span_of(reader, node));
  stmt->right = hdi_go_read_list(reader, hdi_go_first(reader, node));
  return stmt;
}

static hd_go_stmt *read_jump(hdi_go_reader *reader, uint32_t node, hd_go_stmt_kind kind) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, kind, span_of(reader, node));
  uint32_t label = hdi_go_first(reader, node);
  if (label != 0) {
    stmt->label = hdi_go_name_of(reader, span_of(reader, label));
  }
  return stmt;
}

static hd_go_stmt *read_break(hdi_go_reader *reader, uint32_t node) {
  return read_jump(reader, node, HD_GO_STMT_BREAK);
}

static hd_go_stmt *read_continue(hdi_go_reader *reader, uint32_t node) {
  return read_jump(reader, node, HD_GO_STMT_CONTINUE);
}

static hd_go_stmt *read_goto(hdi_go_reader *reader, uint32_t node) {
  return read_jump(reader, node, HD_GO_STMT_GOTO);
}

static hd_go_stmt *read_fallthrough(hdi_go_reader *reader, uint32_t node) {
  return hdi_go_new_stmt(reader, HD_GO_STMT_FALLTHROUGH, span_of(reader, node));
}

/* ---- statements with bodies ---- */

static hd_go_stmt *read_labeled(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_LABELED, span_of(reader, node));
  uint32_t label = hdi_go_child(reader, node, HDI_GO_F_LABEL), inner = hdi_go_next(reader, label);
  stmt->label = hdi_go_name_of(reader, span_of(reader, label));
  stmt->head = stmt->label.span;
  stmt->body = inner == 0 ? NULL : read_stmt(reader, inner);
  return stmt;
}

/* `else if` after `else if` is as deep as it is long in the tree, but is read in a loop. */
static hd_go_stmt *read_if(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *first = NULL, **hole = &first;
  while (node != 0) {
    if (hdi_go_kind_of(reader, node) != HDI_GO_N_IF) {
      *hole = hdi_go_read_block(reader, node);
      break;
    }
    hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_IF, span_of(reader, node));
    uint32_t then = hdi_go_child(reader, node, HDI_GO_F_CONSEQUENCE);
    stmt->init = optional_stmt(reader, node, HDI_GO_F_INITIALIZER);
    stmt->condition = optional_expr(reader, node, HDI_GO_F_CONDITION);
    stmt->body = hdi_go_read_block(reader, then);
    end_head_at(stmt, span_of(reader, then));
    trim_head(reader, stmt);
    *hole = stmt;
    hole = &stmt->other;
    node = hdi_go_child(reader, node, HDI_GO_F_ALTERNATIVE);
  }
  return first;
}

static void read_range(hdi_go_reader *reader, uint32_t clause, hd_go_stmt *stmt) {
  stmt->kind = HD_GO_STMT_RANGE;
  stmt->left = list_of(reader, clause, HDI_GO_F_LEFT);
  stmt->is_define = hdi_go_token(reader, clause, ":=") != 0;
  stmt->condition = optional_expr(reader, clause, HDI_GO_F_RIGHT);
  if (stmt->is_define) {
    demand_names(reader, stmt->left);
  }
  uint64_t count = 0;
  for (const hd_go_expr *left = stmt->left; left != NULL && reader->status == HD_OK; left = left->next) {
    count++;
  }
  if (count > 2) {
    hdi_go_report(reader, HDI_GO_RANGE_VARIABLES, span_of(reader, clause), hdi_go_show_number(count).text, NULL);
  }
}

static hd_go_stmt *read_for(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_FOR, span_of(reader, node));
  uint32_t body = hdi_go_child(reader, node, HDI_GO_F_BODY), clause = hdi_go_first(reader, node);
  if (clause != body) {
    hdi_go_kind kind = hdi_go_kind_of(reader, clause);
    if (kind == HDI_GO_N_RANGE_CLAUSE) {
      read_range(reader, clause, stmt);
    } else if (kind == HDI_GO_N_FOR_CLAUSE) {
      stmt->init = optional_stmt(reader, clause, HDI_GO_F_INITIALIZER);
      stmt->condition = optional_expr(reader, clause, HDI_GO_F_CONDITION);
      stmt->post = optional_stmt(reader, clause, HDI_GO_F_UPDATE);
    } else {
      stmt->condition = hdi_go_read_expr(reader, clause);
    }
  }
  stmt->body = hdi_go_read_block(reader, body);
  end_head_at(stmt, span_of(reader, body));
  trim_head(reader, stmt);
  return stmt;
}

/* A receive of a select's case; `left` and = or := may stand before it. */
static hd_go_stmt *read_receive(hdi_go_reader *reader, uint32_t node) {
  uint32_t left = hdi_go_child(reader, node, HDI_GO_F_LEFT);
  bool define = hdi_go_token(reader, node, ":=") != 0;
  hd_go_stmt_kind kind = left == 0 ? HD_GO_STMT_EXPRESSION : define ? HD_GO_STMT_DEFINE : HD_GO_STMT_ASSIGN;
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, kind, span_of(reader, node));
  hd_go_expr *right = optional_expr(reader, node, HDI_GO_F_RIGHT);
  *(left == 0 ? &stmt->left : &stmt->right) = right;
  if (left != 0) {
    stmt->left = hdi_go_read_list(reader, left);
  }
  if (define) {
    demand_names(reader, stmt->left);
  }
  while (reader->status == HD_OK && right->kind == HD_GO_PAREN) {
    right = right->a;
  }
  if (reader->status == HD_OK && (right->kind != HD_GO_UNARY || right->op != HD_GO_OP_RECEIVE)) {
    hdi_go_report(reader, HDI_GO_NOT_A_RECEIVE, stmt->span, NULL, NULL);
  }
  return stmt;
}

static hd_go_stmt *read_case(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_CASE, span_of(reader, node));
  hdi_go_kind kind = hdi_go_kind_of(reader, node);
  stmt->is_default = kind == HDI_GO_N_DEFAULT_CASE;
  if (kind == HDI_GO_N_EXPRESSION_CASE) {
    stmt->left = list_of(reader, node, HDI_GO_F_VALUE);
  } else if (kind == HDI_GO_N_COMMUNICATION_CASE) {
    stmt->init = optional_stmt(reader, node, HDI_GO_F_COMMUNICATION);
  } else {
    hd_go_expr **end = &stmt->left;
    for (uint32_t child = hdi_go_first(reader, node); child != 0; child = hdi_go_next(reader, child)) {
      if (hdi_go_at(reader, child)->field == HDI_GO_F_TYPE) {
        *end = hdi_go_read_expr(reader, child);
        end = &(*end)->next;
      }
    }
  }
  stmt->body = read_stmts(reader, hdi_go_first(reader, node));
  uint32_t colon = hdi_go_token(reader, node, ":");
  stmt->head.end = span_of(reader, colon).end;
  return stmt;
}

/* The cases of a switch or select: the children that are clauses. */
static void read_cases(hdi_go_reader *reader, uint32_t node, hd_go_stmt *stmt) {
  hd_go_stmt **end = &stmt->body;
  const hd_go_stmt *other = NULL;
  if (!hdi_go_enter(reader, stmt->span)) {
    return;
  }
  for (uint32_t child = hdi_go_first(reader, node); child != 0; child = hdi_go_next(reader, child)) {
    hdi_go_kind kind = hdi_go_kind_of(reader, child);
    if (kind != HDI_GO_N_EXPRESSION_CASE && kind != HDI_GO_N_COMMUNICATION_CASE && kind != HDI_GO_N_TYPE_CASE &&
        kind != HDI_GO_N_DEFAULT_CASE) {
      continue;
    }
    hd_go_stmt *clause = read_case(reader, child);
    if (clause->is_default && other != NULL && reader->status == HD_OK) {
      hdi_go_report(reader, HDI_GO_TWO_DEFAULTS, clause->head, hdi_go_show_line(reader, other->span).text, NULL);
    }
    other = clause->is_default ? clause : other;
    *end = clause;
    end = &clause->next;
  }
  uint32_t brace = hdi_go_token(reader, node, "{");
  end_head_at(stmt, span_of(reader, brace));
  trim_head(reader, stmt);
  hdi_go_leave(reader);
}

static hd_go_stmt *read_switch(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_SWITCH, span_of(reader, node));
  stmt->init = optional_stmt(reader, node, HDI_GO_F_INITIALIZER);
  stmt->condition = optional_expr(reader, node, HDI_GO_F_VALUE);
  read_cases(reader, node, stmt);
  return stmt;
}

static hd_go_stmt *read_type_switch(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_TYPE_SWITCH, span_of(reader, node));
  stmt->init = optional_stmt(reader, node, HDI_GO_F_INITIALIZER);
  uint32_t alias = hdi_go_child(reader, node, HDI_GO_F_ALIAS);
  if (alias != 0) {
    uint32_t name = hdi_go_first(reader, alias);
    stmt->label = hdi_go_name_of(reader, span_of(reader, alias));
    if (hdi_go_kind_of(reader, name) != HDI_GO_N_IDENTIFIER || hdi_go_next(reader, name) != 0) {
      hdi_go_report(reader, HDI_GO_SWITCH_NAME, span_of(reader, alias), NULL, NULL);
    }
  }
  stmt->condition = optional_expr(reader, node, HDI_GO_F_VALUE);
  read_cases(reader, node, stmt);
  return stmt;
}

static hd_go_stmt *read_select(hdi_go_reader *reader, uint32_t node) {
  hd_go_stmt *stmt = hdi_go_new_stmt(reader, HD_GO_STMT_SELECT, span_of(reader, node));
  read_cases(reader, node, stmt);
  return stmt;
}

static hd_go_stmt *(*const statements[HDI_GO_N_OTHER + 1])(hdi_go_reader *reader, uint32_t node) = {
    [HDI_GO_N_EMPTY] = read_empty,
    [HDI_GO_N_EXPRESSION_STATEMENT] = read_expression,
    [HDI_GO_N_SEND] = read_send,
    [HDI_GO_N_RECEIVE_STATEMENT] = read_receive,
    [HDI_GO_N_INC] = read_increment,
    [HDI_GO_N_DEC] = read_decrement,
    [HDI_GO_N_ASSIGNMENT] = read_assignment,
    [HDI_GO_N_SHORT_VAR] = read_define,
    [HDI_GO_N_CONST_DECLARATION] = read_declaration,
    [HDI_GO_N_TYPE_DECLARATION] = read_declaration,
    [HDI_GO_N_VAR_DECLARATION] = read_declaration,
    [HDI_GO_N_GO] = read_go,
    [HDI_GO_N_DEFER] = read_defer,
    [HDI_GO_N_RETURN] = read_return,
    [HDI_GO_N_BREAK] = read_break,
    [HDI_GO_N_CONTINUE] = read_continue,
    [HDI_GO_N_GOTO] = read_goto,
    [HDI_GO_N_FALLTHROUGH] = read_fallthrough,
    [HDI_GO_N_BLOCK] = hdi_go_read_block,
    [HDI_GO_N_IF] = read_if,
    [HDI_GO_N_EXPRESSION_SWITCH] = read_switch,
    [HDI_GO_N_TYPE_SWITCH] = read_type_switch,
    [HDI_GO_N_SELECT] = read_select,
    [HDI_GO_N_FOR] = read_for,
    [HDI_GO_N_LABELED] = read_labeled,
};

static hd_go_stmt *read_stmt(hdi_go_reader *reader, uint32_t node) {
  hdi_go_kind kind = hdi_go_kind_of(reader, node);
  hd_span span = span_of(reader, node);
  if (statements[kind] == NULL) {
    hdi_go_report(reader, HDI_GO_UNEXPECTED, span, hdi_go_show(reader, span).text, NULL);
    return hdi_go_new_stmt(reader, HD_GO_STMT_EMPTY, span);
  }
  if (!hdi_go_enter(reader, span)) {
    return hdi_go_new_stmt(reader, HD_GO_STMT_EMPTY, span);
  }
  hd_go_stmt *stmt = statements[kind](reader, node);
  hdi_go_leave(reader);
  return stmt;
}
