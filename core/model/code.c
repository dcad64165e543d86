/* Tier 2: stack code for conditions and statements that masks cannot express.
 *
 * Each piece of code is a run of instructions that ends in RETURN. Expressions leave one value; AND, OR and COND become
 * jumps, so that only the arm that counts is evaluated; statements leave the stack as it was. The depth of the stack is
 * known at every instruction, and the largest one is kept in the model, so that a stepper allocates its stack once.
 * What is constant for the instance is folded first: code is made per instance, so `self` is a constant.
 * Cost: linear in the expression written out as a tree; recursion is bounded by HDI_EXPR_DEPTH_MAX. */
#include "core/model/arith.h"
#include "core/model/compile.h"

/* ---- folding ---- */

static bool fold_op(const hdi_compiler *compiler, const hdi_expr *node, int64_t *value) {
  int64_t a = 0;
  int64_t b = 0;
  if (!hdi_fold(compiler, node->a, &a)) {
    return false;
  }
  if (node->op == HD_OP_COND) {
    return hdi_fold(compiler, a != 0 ? node->b : node->c, value);
  }
  if (node->op == HD_OP_AND || node->op == HD_OP_OR) {
    if ((a != 0) == (node->op == HD_OP_OR)) {
      *value = node->op == HD_OP_OR;
      return true;
    }
    if (!hdi_fold(compiler, node->b, &b)) {
      return false;
    }
    *value = b != 0;
    return true;
  }
  if (node->b != 0 && !hdi_fold(compiler, node->b, &b)) {
    return false;
  }
  return hdi_arith(node->op, a, b, value) == HD_FAULT_NONE;
}

bool hdi_fold(const hdi_compiler *compiler, uint32_t expr, int64_t *value) {
  const hdi_expr *node = hdi_compiler_expr(compiler, expr);
  if (!node->fixed) {
    return false;
  }
  if (node->kind == HDI_EXPR_OP) {
    return fold_op(compiler, node, value);
  }
  *value = node->kind == HDI_EXPR_SELF ? (int64_t)compiler->number : node->value;
  return true;
}

uint32_t hdi_fixed_element(const hdi_compiler *compiler, uint32_t var, uint32_t index) {
  const hdi_var *v = &compiler->model->vars.data[var];
  int64_t element = 0;
  if (index != 0 && (!hdi_fold(compiler, index, &element) || element < 0 || element >= (int64_t)v->length)) {
    return HD_NONE;
  }
  uint32_t copy = v->process == HD_NONE ? 0 : compiler->number;
  return v->field + copy * v->length + (uint32_t)element;
}

uint32_t hdi_fixed_field(const hdi_compiler *compiler, uint32_t expr) {
  const hdi_expr *node = hdi_compiler_expr(compiler, expr);
  if (node->kind == HDI_EXPR_READ || node->kind == HDI_EXPR_READ_AT) {
    return hdi_fixed_element(compiler, node->item, node->a);
  }
  return node->kind == HDI_EXPR_QUEUE_HEAD ? compiler->model->queues.data[node->item].field : HD_NONE;
}

/* ---- instructions ---- */

static void note(hdi_compiler *compiler, hd_status status) {
  if (compiler->status == HD_OK) {
    compiler->status = status;
  }
}

/* Appends an instruction that changes the depth of the stack by `change`. */
static uint32_t put(hdi_compiler *compiler, hdi_code op, uint32_t a, uint32_t b, int change) {
  hd_model *model = compiler->model;
  compiler->depth = (uint32_t)((int)compiler->depth + change);
  if (compiler->depth > model->stack_depth) {
    model->stack_depth = compiler->depth;
  }
  bool too_many = model->code.count >= HDI_TABLE_MAX * 8 || b > UINT16_MAX;
  hdi_insn insn = {.op = (uint16_t)op, .a = a, .b = (uint16_t)b};
  note(compiler, too_many ? HD_E_LIMIT : hdi_insns_push(&model->code, insn));
  return (uint32_t)model->code.count - 1;
}

/* Makes the jump at `insn` go to the next instruction. */
static void land(hdi_compiler *compiler, uint32_t insn) {
  if (compiler->status == HD_OK) {
    compiler->model->code.data[insn].a = (uint32_t)compiler->model->code.count;
  }
}

static void put_const(hdi_compiler *compiler, int64_t value) {
  if (value >= INT32_MIN && value <= INT32_MAX) {
    put(compiler, HDI_CODE_SMALL, (uint32_t)(int32_t)value, 0, 1);
    return;
  }
  note(compiler, hdi_values_push(&compiler->model->constants, value));
  put(compiler, HDI_CODE_CONST, (uint32_t)compiler->model->constants.count - 1, 0, 1);
}

/* The run of a variable's elements; runs are few, the last one is often the one wanted. */
static uint32_t run_of(hdi_compiler *compiler, uint32_t var) {
  hd_model *model = compiler->model;
  const hdi_var *v = &model->vars.data[var];
  uint32_t copy = v->process == HD_NONE ? 0 : compiler->number;
  hdi_run_of_fields run = {.field = v->field + copy * v->length, .length = v->length};
  if (model->runs.count == 0 || model->runs.data[model->runs.count - 1].field != run.field) {
    note(compiler, hdi_field_runs_push(&model->runs, run));
  }
  return (uint32_t)model->runs.count - 1;
}

uint32_t hdi_code_begin(hdi_compiler *compiler) {
  compiler->depth = 0;
  return (uint32_t)compiler->model->code.count;
}

void hdi_code_end(hdi_compiler *compiler) {
  put(compiler, HDI_CODE_RETURN, 0, 0, 0);
}

/* ---- expressions ---- */

static hdi_code arith_code(hd_op op) {
  switch (op) {
#define ARITH_CODE(identifier) \
  case HD_OP_##identifier:     \
    return HDI_CODE_##identifier;
    HDI_UNARY_TABLE(ARITH_CODE)
    HDI_BINARY_TABLE(ARITH_CODE)
#undef ARITH_CODE
    case HD_OP_AND:
    case HD_OP_OR:
    case HD_OP_COND:
    case HD_OP_COUNT:
      break;
  }
  return HDI_CODE_BOOL;
}

/* Two arms of which one runs: `a` was just evaluated. */
static void put_and_or(hdi_compiler *compiler, const hdi_expr *node) {
  bool is_or = node->op == HD_OP_OR;
  uint32_t to_zero = put(compiler, HDI_CODE_JUMP_ZERO, 0, 0, -1);
  if (is_or) {
    put_const(compiler, 1);
  } else {
    hdi_code_expr(compiler, node->b);
    put(compiler, HDI_CODE_BOOL, 0, 0, 0);
  }
  uint32_t to_end = put(compiler, HDI_CODE_JUMP, 0, 0, -1);
  land(compiler, to_zero);
  if (is_or) {
    hdi_code_expr(compiler, node->b);
    put(compiler, HDI_CODE_BOOL, 0, 0, 0);
  } else {
    put_const(compiler, 0);
  }
  land(compiler, to_end);
}

static void put_cond(hdi_compiler *compiler, const hdi_expr *node) {
  int64_t fixed = 0;
  if (hdi_fold(compiler, node->a, &fixed)) {
    hdi_code_expr(compiler, fixed != 0 ? node->b : node->c);
    return;
  }
  hdi_code_expr(compiler, node->a);
  uint32_t to_else = put(compiler, HDI_CODE_JUMP_ZERO, 0, 0, -1);
  hdi_code_expr(compiler, node->b);
  uint32_t to_end = put(compiler, HDI_CODE_JUMP, 0, 0, -1);
  land(compiler, to_else);
  hdi_code_expr(compiler, node->c);
  land(compiler, to_end);
}

static void put_op(hdi_compiler *compiler, const hdi_expr *node) {
  if (node->op == HD_OP_COND) {
    put_cond(compiler, node);
    return;
  }
  hdi_code_expr(compiler, node->a);
  if (node->op == HD_OP_AND || node->op == HD_OP_OR) {
    put_and_or(compiler, node);
    return;
  }
  if (node->b != 0) {
    hdi_code_expr(compiler, node->b);
  }
  put(compiler, arith_code(node->op), 0, 0, node->b != 0 ? -1 : 0);
}

static void put_read(hdi_compiler *compiler, const hdi_expr *node, uint32_t expr) {
  uint32_t field = hdi_fixed_field(compiler, expr);
  if (field != HD_NONE) {
    put(compiler, HDI_CODE_LOAD, field, 0, 1);
    return;
  }
  hdi_code_expr(compiler, node->a);
  put(compiler, HDI_CODE_LOAD_AT, run_of(compiler, node->item), 0, 0);
}

static void put_at(hdi_compiler *compiler, const hdi_expr *node) {
  const hdi_loc *loc = &compiler->model->locs.data[node->item];
  const hdi_process *process = &compiler->model->processes.data[loc->process];
  put(compiler, HDI_CODE_LOAD, process->loc_field + node->a, 0, 1);
  put_const(compiler, (int64_t)loc->number - (process->may_die ? 0 : 1)); /* -1, never equal: nobody can be dead */
  put(compiler, HDI_CODE_EQ, 0, 0, -1);
}

void hdi_code_expr(hdi_compiler *compiler, uint32_t expr) {
  const hdi_expr *node = hdi_compiler_expr(compiler, expr);
  int64_t value = 0;
  if (hdi_fold(compiler, expr, &value)) {
    put_const(compiler, value);
    return;
  }
  switch (node->kind) {
    case HDI_EXPR_CONST:
    case HDI_EXPR_SELF: /* always folded */
      break;
    case HDI_EXPR_READ:
    case HDI_EXPR_READ_AT:
    case HDI_EXPR_QUEUE_HEAD:
      put_read(compiler, node, expr);
      break;
    case HDI_EXPR_OP:
      put_op(compiler, node);
      break;
    case HDI_EXPR_RECEIVED:
      put(compiler, HDI_CODE_RECEIVED, 0, 0, 1);
      break;
    case HDI_EXPR_PARTNER:
      hdi_code_expr(compiler, node->a);
      put(compiler, HDI_CODE_PARTNER, 0, node->item, 0);
      break;
    case HDI_EXPR_QUEUE_LENGTH:
      put(compiler, HDI_CODE_LENGTH, node->item, 0, 1);
      break;
    case HDI_EXPR_AT:
      put_at(compiler, node);
      break;
  }
}

/* ---- statements ---- */

static void put_store(hdi_compiler *compiler, const hd_stmt *stmt) {
  uint32_t field = hdi_fixed_element(compiler, stmt->var.v, stmt->index.v);
  if (field != HD_NONE) {
    put(compiler, HDI_CODE_STORE, field, 0, -1);
  } else {
    put(compiler, HDI_CODE_STORE_AT, run_of(compiler, stmt->var.v), 0, -2);
  }
}

/* The index that put_store will want below the value. */
static void put_index(hdi_compiler *compiler, const hd_stmt *stmt) {
  if (hdi_fixed_element(compiler, stmt->var.v, stmt->index.v) == HD_NONE) {
    hdi_code_expr(compiler, stmt->index.v);
  }
}

void hdi_code_stmt(hdi_compiler *compiler, const hd_stmt *stmt) {
  switch (stmt->kind) {
    case HD_STMT_ASSIGN:
      put_index(compiler, stmt);
      hdi_code_expr(compiler, stmt->a.v);
      put_store(compiler, stmt);
      break;
    case HD_STMT_PUSH:
      hdi_code_expr(compiler, stmt->a.v);
      put(compiler, HDI_CODE_PUSH, stmt->queue.v, 0, -1);
      break;
    case HD_STMT_POP:
      put(compiler, HDI_CODE_POP, stmt->queue.v, 0, 0);
      break;
    case HD_STMT_CHECK:
      hdi_code_expr(compiler, stmt->a.v);
      put(compiler, HDI_CODE_CHECK, 0, stmt->code, -1);
      break;
    case HD_STMT_SPAWN:
      for (uint32_t i = 0; i < stmt->argument_count; i++) {
        hdi_code_expr(compiler, stmt->arguments[i].v);
      }
      put(compiler, HDI_CODE_SPAWN, stmt->process.v, stmt->argument_count, -(int)stmt->argument_count);
      break;
    case HD_STMT_TAKE:
      put_index(compiler, stmt);
      put(compiler, HDI_CODE_TAKE, run_of(compiler, stmt->array.v), 0, 1);
      put_store(compiler, stmt);
      break;
  }
}

/* ---- guards ---- */

/* Returns 0 when the value on top is 0. */
static void put_refusal(hdi_compiler *compiler) {
  put(compiler, HDI_CODE_NOT, 0, 0, 0);
  uint32_t go_on = put(compiler, HDI_CODE_JUMP_ZERO, 0, 0, -1);
  put_const(compiler, 0);
  put(compiler, HDI_CODE_RETURN, 0, 0, -1);
  land(compiler, go_on);
}

void hdi_code_condition(hdi_compiler *compiler, uint32_t expr, bool positive) {
  hdi_code_expr(compiler, expr);
  if (!positive) {
    put(compiler, HDI_CODE_NOT, 0, 0, 0);
  }
  put_refusal(compiler);
}

void hdi_code_room(hdi_compiler *compiler, const hdi_queue *queue) {
  put(compiler, HDI_CODE_LOAD, queue->field + queue->capacity - 1, 0, 1);
  put(compiler, HDI_CODE_NOT, 0, 0, 0);
  put_refusal(compiler);
}

void hdi_code_filled(hdi_compiler *compiler, const hdi_queue *queue) {
  put(compiler, HDI_CODE_LOAD, queue->field, 0, 1);
  put_refusal(compiler);
}

void hdi_code_head(hdi_compiler *compiler, const hdi_queue *queue, uint32_t expr) {
  put(compiler, HDI_CODE_LOAD, queue->field, 0, 1);
  hdi_code_expr(compiler, expr);
  put(compiler, HDI_CODE_EQ, 0, 0, -1);
  put_refusal(compiler);
}

void hdi_code_accept(hdi_compiler *compiler) {
  put_const(compiler, 1);
}

/* ---- finished code ---- */

uint32_t hdi_code_behind(const hd_model *model, uint32_t code) {
  uint32_t furthest = code;
  for (uint32_t pc = code;; pc++) {
    const hdi_insn *insn = &model->code.data[pc];
    if ((insn->op == HDI_CODE_JUMP || insn->op == HDI_CODE_JUMP_ZERO) && insn->a > furthest) {
      furthest = insn->a;
    }
    if (insn->op == HDI_CODE_RETURN && pc >= furthest) {
      return pc + 1;
    }
  }
}
