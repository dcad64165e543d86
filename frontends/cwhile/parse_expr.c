/* Reads expressions: those of C over integers, with its precedence, plus nondet(lo, hi).
 *
 *   expr    = unary { binary-operator unary }        by precedence, to the left
 *   unary   = ( "-" | "~" | "!" | "+" ) unary | primary
 *   primary = NUMBER | "true" | "false" | NAME [ "[" expr "]" ] | "(" expr ")" | "nondet" "(" expr "," expr ")"
 *
 * Nesting is limited (parser.h), and so is the depth of the tree: a long chain of one operator is a deep tree as well.
 * Unary plus changes nothing and is dropped. Cost: linear. */
#include "frontends/cwhile/parser.h"

typedef struct binary_row {
  hdi_cw_token_kind token;
  hd_op op;
  int precedence;
} binary_row;

static const binary_row binaries[] = {
    {HDI_CW_S_OR_OR, HD_OP_OR, 1},        {HDI_CW_S_AND_AND, HD_OP_AND, 2},      {HDI_CW_S_BAR, HD_OP_BITOR, 3},
    {HDI_CW_S_CARET, HD_OP_BITXOR, 4},    {HDI_CW_S_AMPERSAND, HD_OP_BITAND, 5}, {HDI_CW_S_EQUAL, HD_OP_EQ, 6},
    {HDI_CW_S_UNEQUAL, HD_OP_NE, 6},      {HDI_CW_S_LESS, HD_OP_LT, 7},          {HDI_CW_S_LESS_EQUAL, HD_OP_LE, 7},
    {HDI_CW_S_GREATER, HD_OP_GT, 7},      {HDI_CW_S_GREATER_EQUAL, HD_OP_GE, 7}, {HDI_CW_S_SHIFT_LEFT, HD_OP_SHL, 8},
    {HDI_CW_S_SHIFT_RIGHT, HD_OP_SHR, 8}, {HDI_CW_S_PLUS, HD_OP_ADD, 9},         {HDI_CW_S_MINUS, HD_OP_SUB, 9},
    {HDI_CW_S_STAR, HD_OP_MUL, 10},       {HDI_CW_S_SLASH, HD_OP_DIV, 10},       {HDI_CW_S_PERCENT, HD_OP_MOD, 10},
};

static uint32_t deeper(const hd_cw_expr *a, const hd_cw_expr *b) {
  return 1 + (b != NULL && b->depth > a->depth ? b->depth : a->depth);
}

static hd_cw_expr *new_expr(hdi_cw_reader *reader, hd_cw_expr_kind kind, uint32_t begin) {
  hd_cw_expr *expr = hdi_cw_new(reader, 1, sizeof *expr);
  if (expr != NULL) {
    expr->kind = kind;
    expr->span = hdi_cw_since(reader, begin);
    expr->depth = 1;
  }
  return expr;
}

static hd_cw_expr *new_op(hdi_cw_reader *reader, hd_op op, hd_cw_expr *a, hd_cw_expr *b, uint32_t begin) {
  hd_cw_expr *expr = new_expr(reader, HD_CW_OP, begin);
  if (expr == NULL) {
    return NULL;
  }
  expr->op = op;
  expr->a = a;
  expr->b = b;
  expr->depth = deeper(a, b);
  if (expr->depth > HDI_CW_DEPTH_MAX) {
    hdi_cw_report(&reader->lexer, HDI_CW_TOO_DEEP, expr->span, hdi_cw_show_number(HDI_CW_DEPTH_MAX).text, NULL);
    return NULL;
  }
  return expr;
}

bool hdi_cw_parse_index(hdi_cw_reader *reader, hd_cw_ref *ref) {
  if (!hdi_cw_lexer_accept(&reader->lexer, HDI_CW_S_OPEN_BRACKET)) {
    return true;
  }
  ref->index = hdi_cw_parse_expr(reader);
  return ref->index != NULL && hdi_cw_lexer_take(&reader->lexer, HDI_CW_S_CLOSE_BRACKET, HDI_CW_EXPECT_CLOSE_BRACKET);
}

static hd_cw_expr *parse_nondet(hdi_cw_reader *reader, uint32_t begin) {
  hdi_cw_lexer *lexer = &reader->lexer;
  hdi_cw_lexer_next(lexer);
  if (!hdi_cw_lexer_take(lexer, HDI_CW_S_OPEN, HDI_CW_EXPECT_OPEN)) {
    return NULL;
  }
  hd_cw_expr *lo = hdi_cw_parse_expr(reader);
  if (lo == NULL || !hdi_cw_lexer_take(lexer, HDI_CW_S_COMMA, HDI_CW_EXPECT_COMMA)) {
    return NULL;
  }
  hd_cw_expr *hi = hdi_cw_parse_expr(reader);
  if (hi == NULL || !hdi_cw_lexer_take(lexer, HDI_CW_S_CLOSE, HDI_CW_EXPECT_CLOSE)) {
    return NULL;
  }
  hd_cw_expr *expr = new_expr(reader, HD_CW_NONDET, begin);
  if (expr != NULL) {
    expr->a = lo;
    expr->b = hi;
    expr->depth = deeper(lo, hi);
  }
  return expr;
}

static hd_cw_expr *parse_constant(hdi_cw_reader *reader, int64_t value) {
  uint32_t begin = reader->lexer.token.span.begin;
  hdi_cw_lexer_next(&reader->lexer);
  hd_cw_expr *expr = new_expr(reader, HD_CW_CONST, begin);
  if (expr != NULL) {
    expr->value = value;
  }
  return expr;
}

static hd_cw_expr *parse_read(hdi_cw_reader *reader) {
  uint32_t begin = reader->lexer.token.span.begin;
  hd_cw_ref ref = {.index = NULL};
  if (!hdi_cw_take_name(reader, HDI_CW_EXPECT_EXPRESSION, &ref.name) || !hdi_cw_parse_index(reader, &ref)) {
    return NULL;
  }
  hd_cw_expr *expr = new_expr(reader, HD_CW_READ, begin);
  if (expr != NULL) {
    expr->ref = ref;
    expr->depth = ref.index == NULL ? 1 : 1 + ref.index->depth;
  }
  return expr;
}

static hd_cw_expr *parse_primary(hdi_cw_reader *reader) {
  hdi_cw_lexer *lexer = &reader->lexer;
  hdi_cw_token token = lexer->token;
  if (token.kind == HDI_CW_NUMBER) {
    return parse_constant(reader, token.value);
  }
  if (token.kind == HDI_CW_K_TRUE || token.kind == HDI_CW_K_FALSE) {
    return parse_constant(reader, token.kind == HDI_CW_K_TRUE);
  }
  if (token.kind == HDI_CW_K_NONDET) {
    return parse_nondet(reader, token.span.begin);
  }
  if (hdi_cw_lexer_accept(lexer, HDI_CW_S_OPEN)) {
    hd_cw_expr *inner = hdi_cw_parse_expr(reader);
    return inner != NULL && hdi_cw_lexer_take(lexer, HDI_CW_S_CLOSE, HDI_CW_EXPECT_CLOSE) ? inner : NULL;
  }
  return parse_read(reader);
}

static hd_cw_expr *parse_unary(hdi_cw_reader *reader) {
  uint32_t begin = reader->lexer.token.span.begin;
  hdi_cw_token_kind kind = reader->lexer.token.kind;
  bool minus = kind == HDI_CW_S_MINUS, tilde = kind == HDI_CW_S_TILDE, plus = kind == HDI_CW_S_PLUS;
  if (!minus && !tilde && !plus && kind != HDI_CW_S_NOT) {
    return parse_primary(reader);
  }
  if (!hdi_cw_enter(reader)) {
    return NULL;
  }
  hdi_cw_lexer_next(&reader->lexer);
  hd_cw_expr *inner = parse_unary(reader);
  reader->depth--;
  if (inner == NULL || plus) {
    return inner;
  }
  return new_op(reader, minus ? HD_OP_NEG : tilde ? HD_OP_BITNOT : HD_OP_NOT, inner, NULL, begin);
}

static const binary_row *binary_of(hdi_cw_token_kind kind) {
  for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++) {
    if (binaries[i].token == kind) {
      return &binaries[i];
    }
  }
  return NULL;
}

/* Operators that bind at least as tightly as `least`. */
static hd_cw_expr *parse_binary(hdi_cw_reader *reader, int least) {
  uint32_t begin = reader->lexer.token.span.begin;
  hd_cw_expr *left = parse_unary(reader);
  while (left != NULL) {
    const binary_row *row = binary_of(reader->lexer.token.kind);
    if (row == NULL || row->precedence < least) {
      break;
    }
    hdi_cw_lexer_next(&reader->lexer);
    hd_cw_expr *right = parse_binary(reader, row->precedence + 1);
    left = right == NULL ? NULL : new_op(reader, row->op, left, right, begin);
  }
  return left;
}

hd_cw_expr *hdi_cw_parse_expr(hdi_cw_reader *reader) {
  if (!hdi_cw_enter(reader)) {
    return NULL;
  }
  hd_cw_expr *expr = parse_binary(reader, 1);
  reader->depth--;
  return expr;
}
