/* Reads expressions from the concrete tree.
 *
 *   a.b(c)[d] + e * f      BINARY -> INDEX -> CALL -> SELECTOR -> IDENT a: one row, read from the outside inwards
 *
 * What continues an operand to the right (operators, selectors, calls, indices) nests on its left side, as deeply as
 * the text is long: such rows are read in a loop, each new node filling the hole that the one around it left.
 * Everything else goes one level deeper, and levels are bounded. Threads: as reader.h. Cost: linear in the nodes, for
 * children are looked through a constant number of times. */
#include "core/base/check.h"
#include "frontends/minigo/reader.h"

static hd_span span_of(const hdi_go_reader *reader, uint32_t node) {
  return hdi_go_at(reader, node)->span;
}

static const struct {
  const char *spelling;
  bool binary, prefix;
} operators[HD_GO_OP_COUNT] = {
#define ROW(identifier, spelling, precedence, prefix) [HD_GO_OP_##identifier] = {spelling, (precedence) > 0, prefix},
    HD_GO_OP_TABLE(ROW)
#undef ROW
};

/* The operator of a binary or unary expression. */
static hd_go_op operator_of(const hdi_go_reader *reader, uint32_t node, bool binary) {
  for (uint32_t child = hdi_go_at(reader, node)->first; child != 0; child = hdi_go_at(reader, child)->next) {
    if (hdi_go_at(reader, child)->field != HDI_GO_F_OPERATOR) {
      continue;
    }
    for (uint32_t op = 0; op < HD_GO_OP_COUNT; op++) {
      if ((binary ? operators[op].binary : operators[op].prefix) &&
          hdi_go_spells(reader, span_of(reader, child), operators[op].spelling)) {
        return (hd_go_op)op;
      }
    }
  }
  return HD_GO_OP_COUNT;
}

static hd_go_expr *optional(hdi_go_reader *reader, uint32_t node, hdi_go_field_kind field) {
  uint32_t child = hdi_go_child(reader, node, field);
  return child == 0 ? NULL : hdi_go_read_expr(reader, child);
}

/* The children that count, from `child` on. */
static hd_go_expr *read_children(hdi_go_reader *reader, uint32_t child) {
  hd_go_expr *first = NULL, **end = &first;
  for (; child != 0; child = hdi_go_next(reader, child)) {
    *end = hdi_go_read_expr(reader, child);
    end = &(*end)->next;
  }
  return first;
}

hd_go_expr *hdi_go_read_list(hdi_go_reader *reader, uint32_t node) {
  if (node == 0) {
    return NULL;
  }
  return read_children(reader,
                       hdi_go_kind_of(reader, node) == HDI_GO_N_EXPRESSION_LIST ? hdi_go_first(reader, node) : node);
}

static hd_go_expr *read_arguments(hdi_go_reader *reader, uint32_t node, bool *spread) {
  hd_go_expr *first = NULL, **end = &first;
  for (uint32_t child = hdi_go_first(reader, node); child != 0; child = hdi_go_next(reader, child)) {
    bool variadic = hdi_go_kind_of(reader, child) == HDI_GO_N_VARIADIC_ARGUMENT;
    *spread = *spread || variadic;
    if (variadic && hdi_go_next(reader, child) != 0) {
      hdi_go_report(reader, HDI_GO_SPREAD_PLACE, span_of(reader, child), NULL, NULL);
    }
    *end = hdi_go_read_expr(reader, variadic ? hdi_go_first(reader, child) : child);
    end = &(*end)->next;
  }
  return first;
}

/* ---- rows: each fills its own parts and answers the node of its left part, for which `*hole` waits ---- */

static uint32_t read_binary(hdi_go_reader *reader, uint32_t node, hd_go_expr *expr) {
  expr->op = operator_of(reader, node, true);
  HD_ASSERT(expr->op != HD_GO_OP_COUNT);
  expr->b = optional(reader, node, HDI_GO_F_RIGHT);
  return hdi_go_child(reader, node, HDI_GO_F_LEFT);
}

static uint32_t read_call(hdi_go_reader *reader, uint32_t node, hd_go_expr *expr, hd_go_expr ***hole) {
  uint32_t arguments = hdi_go_child(reader, node, HDI_GO_F_ARGUMENTS);
  uint32_t types = hdi_go_child(reader, node, HDI_GO_F_TYPE_ARGUMENTS);
  uint32_t function = hdi_go_child(reader, node, HDI_GO_F_FUNCTION);
  expr->list = read_arguments(reader, arguments, &expr->spread);
  if (types != 0) {
    hd_span span = {span_of(reader, function).begin, span_of(reader, types).end};
    hd_go_expr *instance = hdi_go_new_expr(reader, HD_GO_INDEX, span);
    instance->list = read_children(reader, hdi_go_first(reader, types));
    expr->a = instance;
    *hole = &instance->a;
  }
  return function;
}

static uint32_t read_slice(hdi_go_reader *reader, uint32_t node, hd_go_expr *expr) {
  expr->b = optional(reader, node, HDI_GO_F_START);
  expr->c = optional(reader, node, HDI_GO_F_END);
  expr->d = optional(reader, node, HDI_GO_F_CAPACITY);
  return hdi_go_child(reader, node, HDI_GO_F_OPERAND);
}

/* The expression kind of a row's link; 0, a name, for what is no link. */
static const uint8_t links[HDI_GO_N_OTHER + 1] = {
    [HDI_GO_N_BINARY] = HD_GO_BINARY, [HDI_GO_N_CALL] = HD_GO_CALL,   [HDI_GO_N_SELECTOR] = HD_GO_SELECTOR,
    [HDI_GO_N_INDEX] = HD_GO_INDEX,   [HDI_GO_N_SLICE] = HD_GO_SLICE, [HDI_GO_N_TYPE_ASSERTION] = HD_GO_ASSERTION,
};

/* One link; `*hole` becomes the place for what stands to its left. */
static uint32_t read_link(hdi_go_reader *reader, uint32_t node, hd_go_expr_kind kind, hd_go_expr ***hole) {
  hd_go_expr *expr = hdi_go_new_expr(reader, kind, span_of(reader, node));
  **hole = expr;
  *hole = &expr->a;
  if (kind == HD_GO_BINARY) {
    return read_binary(reader, node, expr);
  }
  if (kind == HD_GO_CALL) {
    return read_call(reader, node, expr, hole);
  }
  if (kind == HD_GO_SLICE) {
    return read_slice(reader, node, expr);
  }
  if (kind == HD_GO_SELECTOR) {
    expr->name = hdi_go_name_of(reader, span_of(reader, hdi_go_child(reader, node, HDI_GO_F_FIELD)));
  } else if (kind == HD_GO_INDEX) {
    expr->list = optional(reader, node, HDI_GO_F_INDEX);
  } else {
    expr->b = optional(reader, node, HDI_GO_F_TYPE);
  }
  return hdi_go_child(reader, node, HDI_GO_F_OPERAND);
}

/* ---- what no row continues ---- */

static hd_go_expr *read_named(hdi_go_reader *reader, uint32_t node, hd_go_expr_kind kind) {
  hd_go_expr *expr = hdi_go_new_expr(reader, kind, span_of(reader, node));
  expr->name = hdi_go_name_of(reader, expr->span);
  return expr;
}

static hd_go_expr *read_unary(hdi_go_reader *reader, uint32_t node) {
  uint32_t operand = hdi_go_child(reader, node, HDI_GO_F_OPERAND);
  hd_go_op op = operator_of(reader, node, false);
  hd_go_expr *expr = hdi_go_new_expr(reader, op == HD_GO_OP_COUNT ? HD_GO_STAR : HD_GO_UNARY, span_of(reader, node));
  expr->op = op == HD_GO_OP_COUNT ? HD_GO_OP_MUL : op;
  expr->a = hdi_go_read_expr(reader, operand);
  return expr;
}

static hd_go_expr *read_elements(hdi_go_reader *reader, uint32_t node);

/* A literal_element: an expression, or braces whose type is left out. */
static hd_go_expr *read_element(hdi_go_reader *reader, uint32_t node) {
  uint32_t inner = hdi_go_kind_of(reader, node) == HDI_GO_N_LITERAL_ELEMENT ? hdi_go_first(reader, node) : node;
  if (hdi_go_kind_of(reader, inner) != HDI_GO_N_LITERAL_VALUE) {
    return hdi_go_read_expr(reader, inner);
  }
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_COMPOSITE, span_of(reader, inner));
  if (hdi_go_enter(reader, expr->span)) {
    expr->list = read_elements(reader, inner);
    hdi_go_leave(reader);
  }
  return expr;
}

static hd_go_expr *read_elements(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *first = NULL, **end = &first;
  for (uint32_t child = hdi_go_first(reader, node); child != 0; child = hdi_go_next(reader, child)) {
    if (hdi_go_kind_of(reader, child) == HDI_GO_N_KEYED_ELEMENT) {
      hd_go_expr *keyed = hdi_go_new_expr(reader, HD_GO_KEYED, span_of(reader, child));
      keyed->a = read_element(reader, hdi_go_child(reader, child, HDI_GO_F_KEY));
      keyed->b = read_element(reader, hdi_go_child(reader, child, HDI_GO_F_VALUE));
      *end = keyed;
    } else {
      *end = read_element(reader, child);
    }
    end = &(*end)->next;
  }
  return first;
}

static hd_go_expr *read_composite(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_COMPOSITE, span_of(reader, node));
  expr->a = optional(reader, node, HDI_GO_F_TYPE);
  expr->list = read_elements(reader, hdi_go_child(reader, node, HDI_GO_F_BODY));
  return expr;
}

static hd_go_expr *read_function_literal(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_FUNC_LIT, span_of(reader, node));
  expr->signature = hdi_go_new_signature(reader);
  hdi_go_read_signature(reader, node, expr->signature);
  expr->body = hdi_go_read_body(reader, hdi_go_child(reader, node, HDI_GO_F_BODY));
  return expr;
}

static hd_go_expr *read_conversion(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_CALL, span_of(reader, node));
  expr->a = optional(reader, node, HDI_GO_F_TYPE);
  expr->list = optional(reader, node, HDI_GO_F_OPERAND);
  return expr;
}

/* f[A, B]: the first child is f, the others its types. */
static hd_go_expr *read_instance(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_INDEX, span_of(reader, node));
  uint32_t generic = hdi_go_first(reader, node);
  expr->a = hdi_go_read_expr(reader, generic);
  expr->list = read_children(reader, hdi_go_next(reader, generic));
  return expr;
}

static const struct {
  bool named;                                                /* only a name or the spelling of a literal */
  hd_go_expr_kind kind;                                      /* then */
  hd_go_expr *(*read)(hdi_go_reader *reader, uint32_t node); /* else; NULL: a type */
} operands[HDI_GO_N_OTHER + 1] = {
    [HDI_GO_N_IDENTIFIER] = {true, HD_GO_IDENT, NULL},
    [HDI_GO_N_TYPE_IDENTIFIER] = {true, HD_GO_IDENT, NULL},
    [HDI_GO_N_FIELD_IDENTIFIER] = {true, HD_GO_IDENT, NULL},
    [HDI_GO_N_PACKAGE_IDENTIFIER] = {true, HD_GO_IDENT, NULL},
    [HDI_GO_N_BLANK_IDENTIFIER] = {true, HD_GO_IDENT, NULL},
    [HDI_GO_N_NIL] = {true, HD_GO_IDENT, NULL},
    [HDI_GO_N_TRUE] = {true, HD_GO_IDENT, NULL},
    [HDI_GO_N_FALSE] = {true, HD_GO_IDENT, NULL},
    [HDI_GO_N_IOTA] = {true, HD_GO_IDENT, NULL},
    [HDI_GO_N_INT] = {true, HD_GO_INT, NULL},
    [HDI_GO_N_FLOAT] = {true, HD_GO_FLOAT, NULL},
    [HDI_GO_N_IMAGINARY] = {true, HD_GO_IMAGINARY, NULL},
    [HDI_GO_N_RUNE] = {true, HD_GO_RUNE, NULL},
    [HDI_GO_N_STRING] = {true, HD_GO_STRING, NULL},
    [HDI_GO_N_RAW_STRING] = {true, HD_GO_STRING, NULL},
    [HDI_GO_N_UNARY] = {.read = read_unary},
    [HDI_GO_N_COMPOSITE] = {.read = read_composite},
    [HDI_GO_N_FUNC_LITERAL] = {.read = read_function_literal},
    [HDI_GO_N_TYPE_CONVERSION] = {.read = read_conversion},
    [HDI_GO_N_TYPE_INSTANTIATION] = {.read = read_instance},
};

static hd_go_expr *read_operand(hdi_go_reader *reader, uint32_t node) {
  hdi_go_kind kind = hdi_go_kind_of(reader, node);
  if (operands[kind].named) {
    return read_named(reader, node, operands[kind].kind);
  }
  return operands[kind].read != NULL ? operands[kind].read(reader, node) : hdi_go_read_type(reader, node);
}

hd_go_expr *hdi_go_read_expr(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *first = NULL, **hole = &first;
  if (!hdi_go_enter(reader, span_of(reader, node))) {
    return hdi_go_new_expr(reader, HD_GO_IDENT, span_of(reader, node));
  }
  while (links[hdi_go_kind_of(reader, node)] != 0) {
    node = read_link(reader, node, (hd_go_expr_kind)links[hdi_go_kind_of(reader, node)], &hole);
  }
  *hole = read_operand(reader, node);
  hdi_go_leave(reader);
  return first;
}
