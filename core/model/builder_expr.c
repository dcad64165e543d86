/* The builder's expressions: a table of nodes that refer to earlier nodes, so that sharing a subexpression is free.
 *
 * Each node knows, from its operands, what hd_build_edge has to check (whose locals it reads, whether it uses the
 * received value or asks for a partner) and what bounds the compiler's recursion (depth, size as a tree). Both have
 * limits, which make HD_E_LIMIT, so that no input can exhaust the C stack. */
#include "core/model/internal.h"

static const uint8_t operands[] = {
#define OPERANDS(identifier, count) count,
    HD_OP_TABLE(OPERANDS)
#undef OPERANDS
};

/* Operators that have a value for all operands. */
static bool is_total(hd_op op) {
  switch (op) {
    case HD_OP_NOT:
    case HD_OP_BITNOT:
    case HD_OP_BITAND:
    case HD_OP_BITOR:
    case HD_OP_BITXOR:
    case HD_OP_EQ:
    case HD_OP_NE:
    case HD_OP_LT:
    case HD_OP_LE:
    case HD_OP_GT:
    case HD_OP_GE:
    case HD_OP_AND:
    case HD_OP_OR:
    case HD_OP_COND:
      return true;
    case HD_OP_NEG:
    case HD_OP_ADD:
    case HD_OP_SUB:
    case HD_OP_MUL:
    case HD_OP_DIV:
    case HD_OP_MOD:
    case HD_OP_SHL:
    case HD_OP_SHR:
    case HD_OP_COUNT:
      break;
  }
  return false;
}

static hd_expr add(hd_builder *builder, hdi_expr expr) {
  if (expr.depth > HDI_EXPR_DEPTH_MAX || expr.size > HDI_EXPR_SIZE_MAX || builder->exprs.count >= HDI_TABLE_MAX) {
    builder->status = HD_E_LIMIT;
    return HD_NO_EXPR;
  }
  builder->status = hdi_exprs_push(&builder->exprs, expr);
  return builder->status == HD_OK ? (hd_expr){(uint32_t)builder->exprs.count - 1} : HD_NO_EXPR;
}

static hdi_expr leaf(hdi_expr_kind kind) {
  return (hdi_expr){.kind = kind, .size = 1, .depth = 1, .process = HD_NONE, .total = true};
}

/* Takes over an operand's facts. */
static void absorb(const hd_builder *builder, hdi_expr *expr, hd_expr operand) {
  HD_REQUIRE(operand.v >= 1 && operand.v < builder->exprs.count);
  const hdi_expr *from = &builder->exprs.data[operand.v];
  expr->size += from->size;
  expr->depth = from->depth >= expr->depth ? from->depth + 1 : expr->depth;
  expr->fixed = expr->fixed && from->fixed;
  expr->received |= from->received;
  expr->ready |= from->ready;
  expr->total = expr->total && from->total;
  if (from->process != HD_NONE) {
    HD_REQUIRE(expr->process == HD_NONE || expr->process == from->process);
    expr->process = from->process;
  }
}

hd_expr hd_build_const(hd_builder *builder, int64_t value) {
  if (builder->status != HD_OK) {
    return HD_NO_EXPR;
  }
  hdi_expr expr = leaf(HDI_EXPR_CONST);
  expr.value = value;
  expr.fixed = true;
  return add(builder, expr);
}

hd_expr hd_build_read(hd_builder *builder, hd_var var) {
  if (builder->status != HD_OK) {
    return HD_NO_EXPR;
  }
  HD_REQUIRE(var.v < builder->model->vars.count && builder->model->vars.data[var.v].length == 1);
  hdi_expr expr = leaf(HDI_EXPR_READ);
  expr.item = var.v;
  expr.process = builder->model->vars.data[var.v].process;
  return add(builder, expr);
}

hd_expr hd_build_read_at(hd_builder *builder, hd_var array, hd_expr index) {
  if (builder->status != HD_OK) {
    return HD_NO_EXPR;
  }
  HD_REQUIRE(array.v < builder->model->vars.count);
  hdi_expr expr = leaf(HDI_EXPR_READ_AT);
  expr.item = array.v;
  expr.process = builder->model->vars.data[array.v].process;
  expr.a = index.v;
  expr.total = false;
  absorb(builder, &expr, index);
  return add(builder, expr);
}

hd_expr hd_build_op(hd_builder *builder, hd_op op, hd_expr a, hd_expr b, hd_expr c) {
  if (builder->status != HD_OK) {
    return HD_NO_EXPR;
  }
  HD_REQUIRE((unsigned)op < HD_OP_COUNT);
  hdi_expr expr = leaf(HDI_EXPR_OP);
  expr.op = op;
  expr.fixed = true;
  expr.total = is_total(op);
  expr.a = a.v;
  absorb(builder, &expr, a);
  if (operands[op] >= 2) {
    expr.b = b.v;
    absorb(builder, &expr, b);
  }
  if (operands[op] >= 3) {
    expr.c = c.v;
    absorb(builder, &expr, c);
  }
  return add(builder, expr);
}

hd_expr hd_build_self(hd_builder *builder) {
  if (builder->status != HD_OK) {
    return HD_NO_EXPR;
  }
  hdi_expr expr = leaf(HDI_EXPR_SELF);
  expr.fixed = true;
  return add(builder, expr);
}

hd_expr hd_build_received(hd_builder *builder) {
  if (builder->status != HD_OK) {
    return HD_NO_EXPR;
  }
  hdi_expr expr = leaf(HDI_EXPR_RECEIVED);
  expr.received = true;
  return add(builder, expr);
}

hd_expr hd_build_partner_ready(hd_builder *builder, hd_side side, hd_expr channel) {
  if (builder->status != HD_OK) {
    return HD_NO_EXPR;
  }
  HD_REQUIRE(side == HD_SIDE_SEND || side == HD_SIDE_RECEIVE);
  hdi_expr expr = leaf(HDI_EXPR_PARTNER);
  expr.item = (uint32_t)side;
  expr.a = channel.v;
  absorb(builder, &expr, channel);
  HD_REQUIRE(!expr.ready);
  expr.ready = true;
  return add(builder, expr);
}

static hd_expr queue_expr(hd_builder *builder, hdi_expr_kind kind, hd_queue queue) {
  if (builder->status != HD_OK) {
    return HD_NO_EXPR;
  }
  HD_REQUIRE(queue.v < builder->model->queues.count);
  hdi_expr expr = leaf(kind);
  expr.item = queue.v;
  return add(builder, expr);
}

hd_expr hd_build_queue_length(hd_builder *builder, hd_queue queue) {
  return queue_expr(builder, HDI_EXPR_QUEUE_LENGTH, queue);
}

hd_expr hd_build_queue_head(hd_builder *builder, hd_queue queue) {
  return queue_expr(builder, HDI_EXPR_QUEUE_HEAD, queue);
}

hd_expr hd_build_at(hd_builder *builder, uint32_t instance, hd_loc loc) {
  if (builder->status != HD_OK) {
    return HD_NO_EXPR;
  }
  const hd_model *model = builder->model;
  HD_REQUIRE(loc.v < model->locs.count);
  HD_REQUIRE(instance < model->processes.data[model->locs.data[loc.v].process].instances);
  hdi_expr expr = leaf(HDI_EXPR_AT);
  expr.item = loc.v;
  expr.a = instance;
  return add(builder, expr);
}
