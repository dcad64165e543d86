/* Prints expressions and types of Go. Rows of operators, calls and selectors nest on their left side: they are gathered
 * on a stack and printed from their innermost operand outwards; the rest recurses as deeply as the reader did.
 * Pure functions but for the buffer. Cost: linear. */
#include "frontends/minigo/printer.h"

#include <stddef.h>

#define HD_ARRAY_NAME expr_stack
#define HD_ARRAY_TYPE const hd_go_expr *
#include "core/base/array.h"

static const struct {
  const char *spelling;
  uint32_t precedence;
} operators[HD_GO_OP_COUNT] = {
#define ROW(identifier, spelling, precedence, prefix) [HD_GO_OP_##identifier] = {spelling, precedence},
    HD_GO_OP_TABLE(ROW)
#undef ROW
};

static const char *const expr_words[HD_GO_EXPR_COUNT] = {
#define WORDS(identifier, words) [HD_GO_##identifier] = (words),
    HD_GO_EXPR_TABLE(WORDS)
#undef WORDS
};

const char *hd_go_op_text(hd_go_op op) {
  return operators[op].spelling;
}

uint32_t hd_go_op_precedence(hd_go_op op) {
  return operators[op].precedence;
}

const char *hd_go_expr_words(hd_go_expr_kind kind) {
  return expr_words[kind];
}

void hdi_go_put(hdi_go_printer *printer, const char *text) {
  hd_buffer_add_text(printer->out, text);
}

void hdi_go_put_line(hdi_go_printer *printer) {
  hdi_go_put(printer, "\n");
  for (uint32_t i = 0; i < printer->level; i++) {
    hdi_go_put(printer, "\t");
  }
}

void hdi_go_put_list(hdi_go_printer *printer, const hd_go_expr *list) {
  for (const hd_go_expr *expr = list; expr != NULL; expr = expr->next) {
    hdi_go_put(printer, expr == list ? "" : ", ");
    hdi_go_put_expr(printer, expr);
  }
}

void hdi_go_put_names(hdi_go_printer *printer, const hd_go_ident *names) {
  for (const hd_go_ident *ident = names; ident != NULL; ident = ident->next) {
    hdi_go_put(printer, ident == names ? "" : ", ");
    hdi_go_put(printer, ident->name.text);
  }
}

/* ---- signatures and fields ---- */

static void put_fields(hdi_go_printer *printer, const hd_go_field *fields) {
  for (const hd_go_field *field = fields; field != NULL; field = field->next) {
    hdi_go_put(printer, field == fields ? "" : ", ");
    hdi_go_put_names(printer, field->names);
    hdi_go_put(printer, field->names == NULL ? "" : " ");
    hdi_go_put(printer, field->variadic ? "..." : "");
    hdi_go_put_expr(printer, field->type);
  }
}

void hdi_go_put_parameters(hdi_go_printer *printer, const hd_go_field *fields) {
  hdi_go_put(printer, "(");
  put_fields(printer, fields);
  hdi_go_put(printer, ")");
}

void hdi_go_put_type_parameters(hdi_go_printer *printer, const hd_go_field *fields) {
  if (fields != NULL) {
    hdi_go_put(printer, "[");
    put_fields(printer, fields);
    hdi_go_put(printer, "]");
  }
}

void hdi_go_put_signature(hdi_go_printer *printer, const hd_go_signature *signature) {
  const hd_go_field *results = signature->results;
  hdi_go_put_parameters(printer, signature->parameters);
  if (results == NULL) {
    return;
  }
  hdi_go_put(printer, " ");
  if (results->next == NULL && results->names == NULL && results->type->kind != HD_GO_PAREN) {
    hdi_go_put_expr(printer, results->type);
  } else {
    hdi_go_put_parameters(printer, results);
  }
}

static void put_struct(hdi_go_printer *printer, const hd_go_expr *expr) {
  hdi_go_put(printer, "struct{");
  for (const hd_go_field *field = expr->fields; field != NULL; field = field->next) {
    hdi_go_put(printer, field == expr->fields ? " " : "; ");
    hdi_go_put_names(printer, field->names);
    hdi_go_put(printer, field->names == NULL ? "" : " ");
    hdi_go_put_expr(printer, field->type);
    if (field->tag != NULL) {
      hdi_go_put(printer, " ");
      hdi_go_put_expr(printer, field->tag);
    }
  }
  hdi_go_put(printer, expr->fields == NULL ? "}" : " }");
}

static void put_interface(hdi_go_printer *printer, const hd_go_expr *expr) {
  hdi_go_put(printer, "interface{");
  for (const hd_go_field *field = expr->fields; field != NULL; field = field->next) {
    hdi_go_put(printer, field == expr->fields ? " " : "; ");
    if (field->names != NULL) {
      hdi_go_put(printer, field->names->name.text);
      hdi_go_put_signature(printer, field->type->signature);
    } else {
      hdi_go_put_expr(printer, field->type);
    }
  }
  hdi_go_put(printer, expr->fields == NULL ? "}" : " }");
}

/* ---- expressions ---- */

static void put_unary(hdi_go_printer *printer, const hd_go_expr *expr) {
  hdi_go_put(printer, operators[expr->op].spelling);
  hdi_go_put(printer, expr->a->kind == HD_GO_UNARY ? " " : ""); /* -(-x) is not --x */
  hdi_go_put_expr(printer, expr->a);
}

static void put_union(hdi_go_printer *printer, const hd_go_expr *expr) {
  for (const hd_go_expr *term = expr->list; term != NULL; term = term->next) {
    hdi_go_put(printer, term == expr->list ? "" : " | ");
    hdi_go_put_expr(printer, term);
  }
}

static void put_composite(hdi_go_printer *printer, const hd_go_expr *expr) {
  if (expr->a != NULL) {
    hdi_go_put_expr(printer, expr->a);
  }
  hdi_go_put(printer, "{");
  hdi_go_put_list(printer, expr->list);
  hdi_go_put(printer, "}");
}

static void put_array_type(hdi_go_printer *printer, const hd_go_expr *expr) {
  hdi_go_put(printer, expr->spread ? "[..." : "[");
  if (expr->b != NULL) {
    hdi_go_put_expr(printer, expr->b);
  }
  hdi_go_put(printer, "]");
  hdi_go_put_expr(printer, expr->a);
}

static void put_map_type(hdi_go_printer *printer, const hd_go_expr *expr) {
  hdi_go_put(printer, "map[");
  hdi_go_put_expr(printer, expr->b);
  hdi_go_put(printer, "]");
  hdi_go_put_expr(printer, expr->a);
}

static void put_chan_type(hdi_go_printer *printer, const hd_go_expr *expr) {
  static const char *const words[] = {
      [HD_GO_BOTH] = "chan ", [HD_GO_SEND_ONLY] = "chan<- ", [HD_GO_RECEIVE_ONLY] = "<-chan "};
  hdi_go_put(printer, words[expr->direction]);
  hdi_go_put_expr(printer, expr->a);
}

static void put_function(hdi_go_printer *printer, const hd_go_expr *expr) {
  hdi_go_put(printer, "func");
  hdi_go_put_signature(printer, expr->signature);
  if (expr->body != NULL) {
    hdi_go_put(printer, " ");
    hdi_go_put_block(printer, expr->body);
  }
}

/* What is no part of a row. */
static void put_operand(hdi_go_printer *printer, const hd_go_expr *expr) {
  switch (expr->kind) {
    case HD_GO_IDENT:
    case HD_GO_INT:
    case HD_GO_FLOAT:
    case HD_GO_IMAGINARY:
    case HD_GO_RUNE:
    case HD_GO_STRING:
      hdi_go_put(printer, expr->name.text);
      return;
    case HD_GO_FUNC_LIT:
    case HD_GO_FUNC_TYPE:
      put_function(printer, expr);
      return;
    case HD_GO_COMPOSITE:
      put_composite(printer, expr);
      return;
    case HD_GO_KEYED:
      hdi_go_put_expr(printer, expr->a);
      hdi_go_put(printer, ": ");
      hdi_go_put_expr(printer, expr->b);
      return;
    case HD_GO_PAREN:
      hdi_go_put(printer, "(");
      hdi_go_put_expr(printer, expr->a);
      hdi_go_put(printer, ")");
      return;
    case HD_GO_UNARY:
    case HD_GO_STAR:
      put_unary(printer, expr);
      return;
    case HD_GO_ARRAY_TYPE:
      put_array_type(printer, expr);
      return;
    case HD_GO_MAP_TYPE:
      put_map_type(printer, expr);
      return;
    case HD_GO_CHAN_TYPE:
      put_chan_type(printer, expr);
      return;
    case HD_GO_STRUCT_TYPE:
      put_struct(printer, expr);
      return;
    case HD_GO_INTERFACE_TYPE:
      put_interface(printer, expr);
      return;
    case HD_GO_UNION:
      put_union(printer, expr);
      return;
    case HD_GO_TILDE:
      hdi_go_put(printer, "~");
      hdi_go_put_expr(printer, expr->a);
      return;
    case HD_GO_SELECTOR:
    case HD_GO_INDEX:
    case HD_GO_SLICE:
    case HD_GO_ASSERTION:
    case HD_GO_CALL:
    case HD_GO_BINARY:
    case HD_GO_EXPR_COUNT:
      return;
  }
}

static bool is_link(const hd_go_expr *expr) {
  return expr->kind == HD_GO_SELECTOR || expr->kind == HD_GO_INDEX || expr->kind == HD_GO_SLICE ||
         expr->kind == HD_GO_ASSERTION || expr->kind == HD_GO_CALL || expr->kind == HD_GO_BINARY;
}

static void put_bounds(hdi_go_printer *printer, const hd_go_expr *expr) {
  const hd_go_expr *bounds[] = {expr->b, expr->c, expr->d};
  for (size_t i = 0; i < 3; i++) {
    hdi_go_put(printer, i == 1 || (i == 2 && bounds[i] != NULL) ? ":" : "");
    if (bounds[i] != NULL) {
      hdi_go_put_expr(printer, bounds[i]);
    }
  }
}

/* What stands to the right of a link's left part. */
static void put_link(hdi_go_printer *printer, const hd_go_expr *expr) {
  if (expr->kind == HD_GO_BINARY) {
    hdi_go_put(printer, " ");
    hdi_go_put(printer, operators[expr->op].spelling);
    hdi_go_put(printer, " ");
    hdi_go_put_expr(printer, expr->b);
  } else if (expr->kind == HD_GO_SELECTOR) {
    hdi_go_put(printer, ".");
    hdi_go_put(printer, expr->name.text);
  } else if (expr->kind == HD_GO_ASSERTION) {
    hdi_go_put(printer, ".(");
    hdi_go_put_expr(printer, expr->b);
    hdi_go_put(printer, ")");
  } else if (expr->kind == HD_GO_CALL) {
    hdi_go_put(printer, "(");
    hdi_go_put_list(printer, expr->list);
    hdi_go_put(printer, expr->spread ? "...)" : ")");
  } else {
    hdi_go_put(printer, "[");
    if (expr->kind == HD_GO_SLICE) {
      put_bounds(printer, expr);
    } else {
      hdi_go_put_list(printer, expr->list);
    }
    hdi_go_put(printer, "]");
  }
}

void hdi_go_put_expr(hdi_go_printer *printer, const hd_go_expr *expr) {
  expr_stack links = {0};
  for (; is_link(expr); expr = expr->a) {
    if (expr_stack_push(&links, expr) != HD_OK) {
      printer->out->failed = 1;
      break;
    }
  }
  put_operand(printer, expr);
  while (links.count > 0) {
    put_link(printer, expr_stack_pop(&links));
  }
  expr_stack_free(&links);
}

void hd_go_print_expr(const hd_go_expr *expr, hd_buffer *out) {
  hdi_go_printer printer = {.out = out};
  hdi_go_put_expr(&printer, expr);
}
