/* Prints a program in a canonical form: two blanks per level, `=` for assignments, braces around every body, the
 * parentheses that precedence asks for and no others. It reads back to the same program.
 * Pure functions; recursion is bounded by the reader's limits. Cost: linear. */
#include "frontends/cwhile/program.h"

#include <inttypes.h>

/* Spelling and precedence, as in parse_expr.c. */
static const struct {
  const char *spelling;
  int precedence;
} operators[HD_OP_COUNT] = {
    [HD_OP_OR] = {"||", 1},     [HD_OP_AND] = {"&&", 2}, [HD_OP_BITOR] = {"|", 3}, [HD_OP_BITXOR] = {"^", 4},
    [HD_OP_BITAND] = {"&", 5},  [HD_OP_EQ] = {"==", 6},  [HD_OP_NE] = {"!=", 6},   [HD_OP_LT] = {"<", 7},
    [HD_OP_LE] = {"<=", 7},     [HD_OP_GT] = {">", 7},   [HD_OP_GE] = {">=", 7},   [HD_OP_SHL] = {"<<", 8},
    [HD_OP_SHR] = {">>", 8},    [HD_OP_ADD] = {"+", 9},  [HD_OP_SUB] = {"-", 9},   [HD_OP_MUL] = {"*", 10},
    [HD_OP_DIV] = {"/", 10},    [HD_OP_MOD] = {"%", 10}, [HD_OP_NEG] = {"-", 11},  [HD_OP_NOT] = {"!", 11},
    [HD_OP_BITNOT] = {"~", 11},
};

static const char *const words[HD_CW_STMT_COUNT] = {
#define WORD(identifier, text) [HD_CW_##identifier] = (text),
    HD_CW_STMT_TABLE(WORD)
#undef WORD
};

const char *hd_cw_stmt_word(hd_cw_stmt_kind kind) {
  return words[kind];
}

/* `least`: what binds less tightly stands in parentheses. */
static void print_expr(const hd_cw_expr *expr, int least, hd_buffer *out) {
  switch (expr->kind) {
    case HD_CW_CONST:
      hd_buffer_printf(out, "%" PRId64, expr->value);
      return;
    case HD_CW_READ:
      hd_cw_print_ref(&expr->ref, out);
      return;
    case HD_CW_NONDET:
      hd_buffer_add_text(out, "nondet(");
      print_expr(expr->a, 1, out);
      hd_buffer_add_text(out, ", ");
      print_expr(expr->b, 1, out);
      hd_buffer_add_text(out, ")");
      return;
    case HD_CW_OP:
      break;
  }
  int precedence = operators[expr->op].precedence;
  bool enclosed = precedence < least;
  hd_buffer_add_text(out, enclosed ? "(" : "");
  if (expr->b == NULL) {
    hd_buffer_add_text(out, operators[expr->op].spelling);
    print_expr(expr->a, precedence, out);
  } else {
    print_expr(expr->a, precedence, out);
    hd_buffer_printf(out, " %s ", operators[expr->op].spelling);
    print_expr(expr->b, precedence + 1, out);
  }
  hd_buffer_add_text(out, enclosed ? ")" : "");
}

void hd_cw_print_expr(const hd_cw_expr *expr, hd_buffer *out) {
  print_expr(expr, 1, out);
}

void hd_cw_print_ref(const hd_cw_ref *ref, hd_buffer *out) {
  hd_buffer_add_text(out, ref->name.text);
  if (ref->index != NULL) {
    hd_buffer_add_text(out, "[");
    print_expr(ref->index, 1, out);
    hd_buffer_add_text(out, "]");
  }
}

static void print_call(const hd_cw_stmt *stmt, hd_buffer *out) {
  hd_buffer_printf(out, "%s(", stmt->callee.text);
  for (const hd_cw_argument *argument = stmt->arguments; argument != NULL; argument = argument->next) {
    print_expr(argument->expr, 1, out);
    hd_buffer_add_text(out, argument->next == NULL ? "" : ", ");
  }
  hd_buffer_add_text(out, ")");
}

static void print_condition(const hd_cw_stmt *stmt, const char *blank, hd_buffer *out) {
  hd_buffer_printf(out, "%s%s(", words[stmt->kind], blank);
  if (stmt->expr == NULL) {
    hd_buffer_add_text(out, "*");
  } else {
    print_expr(stmt->expr, 1, out);
  }
  hd_buffer_add_text(out, ")");
}

void hd_cw_print_head(const hd_cw_stmt *stmt, hd_buffer *out) {
  switch (stmt->kind) {
    case HD_CW_ASSIGN:
      hd_cw_print_ref(&stmt->target, out);
      hd_buffer_add_text(out, " = ");
      print_expr(stmt->expr, 1, out);
      return;
    case HD_CW_ASSUME:
    case HD_CW_ASSERT:
    case HD_CW_AWAIT:
    case HD_CW_JOIN:
      print_condition(stmt, "", out);
      return;
    case HD_CW_IF:
    case HD_CW_WHILE:
      print_condition(stmt, " ", out);
      return;
    case HD_CW_LOCK:
    case HD_CW_UNLOCK:
      hd_buffer_printf(out, "%s(", words[stmt->kind]);
      hd_cw_print_ref(&stmt->target, out);
      hd_buffer_add_text(out, ")");
      return;
    case HD_CW_CALL:
      print_call(stmt, out);
      return;
    case HD_CW_ASYNC:
      if (stmt->has_target) {
        hd_cw_print_ref(&stmt->target, out);
        hd_buffer_add_text(out, " = ");
      }
      hd_buffer_add_text(out, "async ");
      print_call(stmt, out);
      return;
    case HD_CW_SKIP:
    case HD_CW_YIELD:
    case HD_CW_ATOMIC:
    case HD_CW_WATOMIC:
    case HD_CW_NOREORDER:
      hd_buffer_add_text(out, words[stmt->kind]);
      return;
    case HD_CW_BLOCK:
    case HD_CW_STMT_COUNT:
      return;
  }
}

static void indent(uint32_t level, hd_buffer *out) {
  for (uint32_t i = 0; i < level; i++) {
    hd_buffer_add_text(out, "  ");
  }
}

static bool has_body(hd_cw_stmt_kind kind) {
  return kind == HD_CW_IF || kind == HD_CW_WHILE || kind == HD_CW_BLOCK || kind == HD_CW_ATOMIC ||
         kind == HD_CW_WATOMIC || kind == HD_CW_NOREORDER;
}

static void print_list(const hd_cw_stmt *first, uint32_t level, hd_buffer *out);

static void print_braces(const hd_cw_stmt *first, uint32_t level, hd_buffer *out) {
  hd_buffer_add_text(out, "{\n");
  print_list(first, level + 1, out);
  indent(level, out);
  hd_buffer_add_text(out, "}");
}

static void print_list(const hd_cw_stmt *first, uint32_t level, hd_buffer *out) {
  for (const hd_cw_stmt *stmt = first; stmt != NULL; stmt = stmt->next) {
    indent(level, out);
    if (stmt->label.text != NULL) {
      hd_buffer_printf(out, "%s: ", stmt->label.text);
    }
    hd_cw_print_head(stmt, out);
    if (!has_body(stmt->kind)) {
      hd_buffer_add_text(out, ";\n");
      continue;
    }
    hd_buffer_add_text(out, stmt->kind == HD_CW_BLOCK ? "" : " ");
    print_braces(stmt->body, level, out);
    if (stmt->other != NULL) {
      hd_buffer_add_text(out, " else ");
      print_braces(stmt->other, level, out);
    }
    hd_buffer_add_text(out, "\n");
  }
}

static void print_type(const hd_cw_var *var, hd_buffer *out) {
  hd_buffer_add_text(out, var->ghost ? "ghost " : "");
  hd_buffer_add_text(out, var->type == HD_CW_TYPE_INT ? "int" : var->type == HD_CW_TYPE_BOOL ? "bool" : "lock");
  if (var->ranged) {
    hd_buffer_printf(out, "[%" PRId64 "..%" PRId64 "]", var->lo, var->hi);
  }
}

static void print_var(const hd_cw_var *var, hd_buffer *out) {
  print_type(var, out);
  hd_buffer_printf(out, " %s", var->name.text);
  if (var->length > 0) {
    hd_buffer_printf(out, "[%u]", (unsigned)var->length);
  }
  if (var->init_lo != var->init_hi) {
    hd_buffer_printf(out, " = nondet(%" PRId64 ", %" PRId64 ")", var->init_lo, var->init_hi);
  } else if (var->type != HD_CW_TYPE_LOCK) {
    hd_buffer_printf(out, " = %" PRId64, var->init_lo);
  }
  hd_buffer_add_text(out, ";\n");
}

static void print_body(const hd_cw_body *body, hd_buffer *out) {
  hd_buffer_printf(out, "\n%s%s%s %s", body->fixed ? "fixed " : "", body->daemon ? "daemon " : "",
                   body->thread ? "thread" : "proc", body->name.text);
  for (uint32_t i = 0; i < body->parameter_count; i++) {
    hd_buffer_add_text(out, i == 0 ? "(" : ", ");
    if (body->vars[i].reference) {
      hd_buffer_add_text(out, "ref");
    } else {
      print_type(&body->vars[i], out);
    }
    hd_buffer_printf(out, " %s", body->vars[i].name.text);
  }
  hd_buffer_add_text(out, body->thread ? "" : body->parameter_count == 0 ? "()" : ")");
  hd_buffer_add_text(out, " {\n");
  for (uint32_t i = body->parameter_count; i < body->var_count; i++) {
    hd_buffer_add_text(out, "  ");
    print_var(&body->vars[i], out);
  }
  print_list(body->first, 1, out);
  hd_buffer_add_text(out, "}\n");
}

void hd_cw_print(const hd_cw_program *program, hd_buffer *out) {
  for (uint32_t i = 0; i < program->global_count; i++) {
    print_var(&program->globals[i], out);
  }
  for (uint32_t i = 0; i < program->axiom_count; i++) {
    hd_buffer_add_text(out, "axiom(");
    print_expr(program->axioms[i].expr, 1, out);
    hd_buffer_add_text(out, ");\n");
  }
  for (uint32_t i = 0; i < program->body_count; i++) {
    print_body(&program->bodies[i], out);
  }
}
