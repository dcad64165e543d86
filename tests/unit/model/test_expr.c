/* Random expressions: the compiled code against an evaluator written for this test, which finds overflow by computing
 * in long double (64 bits of mantissa: exact where it matters). */
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

enum { VARS = 4, LENGTH = 5, MAX_NODES = 64 };

/* A tree, kept beside the builder's own. */
typedef struct tree {
  char kind; /* 'c' constant, 'v' variable, 'e' element, 's' self, 'o' operator */
  hd_op op;
  int64_t value;
  int var, a, b, c;
} tree;

typedef struct generator {
  hd_builder *builder;
  uint64_t seed;
  tree nodes[MAX_NODES];
  int count;
  hd_var vars[VARS], array;
  int64_t values[VARS], elements[LENGTH];
} generator;

static const int arity[] = {
#define ARITY(identifier, operands) operands,
    HD_OP_TABLE(ARITY)
#undef ARITY
};

static int64_t interesting(uint64_t *seed) {
  static const int64_t special[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT32_MIN, INT32_MAX, -1, 0, 1, 2, 62, 63, 64};
  switch (draw_below(seed, 4)) {
    case 0:
      return special[draw_below(seed, sizeof special / sizeof special[0])];
    case 1:
      return (int64_t)draw(seed);
    case 2:
      return (int64_t)draw_below(seed, 200) - 100;
    default:
      return (int64_t)draw_below(seed, 8) - 2;
  }
}

static int grow(generator *g, int depth, hd_expr *expr) {
  int here = g->count++;
  tree *node = &g->nodes[here];
  *node = (tree){.a = -1, .b = -1, .c = -1};
  if (depth == 0 || g->count > MAX_NODES - 8 || draw_below(&g->seed, 6) == 0) {
    switch (draw_below(&g->seed, 4)) {
      case 0:
        node->kind = 'c';
        node->value = interesting(&g->seed);
        *expr = hd_build_const(g->builder, node->value);
        break;
      case 1:
        node->kind = 's';
        *expr = hd_build_self(g->builder);
        break;
      default:
        node->kind = 'v';
        node->var = (int)draw_below(&g->seed, VARS);
        *expr = hd_build_read(g->builder, g->vars[node->var]);
        break;
    }
    return here;
  }
  hd_expr operand[3] = {HD_NO_EXPR, HD_NO_EXPR, HD_NO_EXPR};
  if (draw_below(&g->seed, 10) == 0) {
    node->kind = 'e';
    node->a = grow(g, depth > 2 ? 1 : 0, &operand[0]);
    *expr = hd_build_read_at(g->builder, g->array, operand[0]);
    return here;
  }
  node->kind = 'o';
  node->op = (hd_op)draw_below(&g->seed, HD_OP_COUNT);
  int *children[3] = {&node->a, &node->b, &node->c};
  for (int i = 0; i < arity[node->op]; i++) {
    *children[i] = grow(g, depth - 1, &operand[i]);
  }
  *expr = hd_build_op(g->builder, node->op, operand[0], operand[1], operand[2]);
  return here;
}

/* ---- the reference ---- */

static hd_fault fits(long double exact, int64_t wrapped, int64_t *out) {
  *out = wrapped;
  return exact >= -0x1p63L && exact < 0x1p63L ? HD_FAULT_NONE : HD_FAULT_RANGE;
}

static hd_fault binary(hd_op op, int64_t a, int64_t b, int64_t *out) {
  uint64_t ua = (uint64_t)a;
  uint64_t ub = (uint64_t)b;
  long double la = (long double)a;
  long double lb = (long double)b;
  *out = 0;
  if (op == HD_OP_ADD) {
    return fits(la + lb, (int64_t)(ua + ub), out);
  }
  if (op == HD_OP_SUB) {
    return fits(la - lb, (int64_t)(ua - ub), out);
  }
  if (op == HD_OP_MUL) {
    return fits(la * lb, (int64_t)(ua * ub), out);
  }
  if (op == HD_OP_DIV || op == HD_OP_MOD) {
    if (b == 0) {
      return HD_FAULT_DIVISION;
    }
    if (b == -1) {
      return op == HD_OP_MOD ? HD_FAULT_NONE : fits(-la, (int64_t)(0 - ua), out);
    }
    *out = op == HD_OP_DIV ? a / b : a - (a / b) * b;
    return HD_FAULT_NONE;
  }
  if (op == HD_OP_SHL || op == HD_OP_SHR) {
    if (b < 0 || b > 63) {
      return HD_FAULT_RANGE;
    }
    if (op == HD_OP_SHL) {
      long double power = 1;
      for (int64_t i = 0; i < b; i++) {
        power *= 2;
      }
      return fits(la * power, (int64_t)(ua << ub), out);
    }
    *out = a;
    for (int64_t i = 0; i < b; i++) { /* rounds down */
      *out = *out / 2 - (*out < 0 && *out % 2 != 0);
    }
    return HD_FAULT_NONE;
  }
  switch (op) {
    case HD_OP_BITAND:
      *out = a & b;
      break;
    case HD_OP_BITOR:
      *out = a | b;
      break;
    case HD_OP_BITXOR:
      *out = a ^ b;
      break;
    case HD_OP_EQ:
      *out = a == b;
      break;
    case HD_OP_NE:
      *out = a != b;
      break;
    case HD_OP_LT:
      *out = a < b;
      break;
    case HD_OP_LE:
      *out = a <= b;
      break;
    case HD_OP_GT:
      *out = a > b;
      break;
    default:
      *out = a >= b;
      break;
  }
  return HD_FAULT_NONE;
}

static hd_fault evaluate(const generator *g, int at, int64_t *out) {
  const tree *node = &g->nodes[at];
  int64_t a = 0;
  int64_t b = 0;
  if (node->kind != 'o' && node->kind != 'e') {
    *out = node->kind == 'c' ? node->value : node->kind == 'v' ? g->values[node->var] : 1;
    return HD_FAULT_NONE;
  }
  hd_fault fault = evaluate(g, node->a, &a);
  if (fault != HD_FAULT_NONE) {
    return fault;
  }
  if (node->kind == 'e') {
    if (a < 0 || a >= LENGTH) {
      return HD_FAULT_INDEX;
    }
    *out = g->elements[a];
    return HD_FAULT_NONE;
  }
  if (node->op == HD_OP_COND) {
    return evaluate(g, a != 0 ? node->b : node->c, out);
  }
  if (node->op == HD_OP_AND || node->op == HD_OP_OR) {
    *out = a != 0;
    if ((node->op == HD_OP_AND) == (a != 0)) {
      fault = evaluate(g, node->b, &b);
      *out = b != 0;
    }
    return fault;
  }
  if (arity[node->op] == 1) {
    *out = node->op == HD_OP_NOT ? a == 0 : ~a;
    return node->op == HD_OP_NEG ? fits(-(long double)a, (int64_t)(0 - (uint64_t)a), out) : HD_FAULT_NONE;
  }
  fault = evaluate(g, node->b, &b);
  return fault != HD_FAULT_NONE ? fault : binary(node->op, a, b, out);
}

/* ---- the comparison ---- */

typedef struct result {
  const hd_model *model;
  hd_var var;
  int64_t value;
  hd_fault fault;
  uint32_t detail;
  int steps;
} result;

static bool note_result(void *payload, const uint64_t *next, const hd_step *step) {
  result *found = payload;
  if (step->instance != 1) {
    return true;
  }
  found->steps++;
  found->fault = step->fault;
  found->detail = step->fault_detail;
  found->value = next == NULL ? 0 : hd_model_value(found->model, next, found->var, 1, 0);
  return true;
}

static void make_vars(generator *g) {
  for (int i = 0; i < VARS; i++) {
    g->values[i] = interesting(&g->seed);
    int64_t lo = g->values[i] < 0 ? INT64_MIN : 0;
    int64_t hi = g->values[i] < 0 ? -1 : INT64_MAX;
    g->vars[i] = add_var(g->builder, "v", lo, hi, g->values[i]);
  }
  g->array = add_array(g->builder, "e", 0, 99, 42, LENGTH);
  for (int i = 0; i < LENGTH; i++) {
    g->elements[i] = 42;
  }
}

/* `out := expr` in instance 1 of 2, with a domain that holds half of all values. */
Test(expr, values_and_faults) {
  size_t faults[HD_FAULT_COUNT] = {0};
  for (uint64_t round = 0; round < 20000; round++) {
    generator g = {.builder = hd_builder_new(), .seed = round * 77 + 1};
    make_vars(&g);
    hd_process p = add_process(g.builder, "p", 2, 2);
    hd_var out = add_local(g.builder, p, "out", INT64_MIN / 2, INT64_MAX / 2, 7);
    hd_loc l0 = add_loc(g.builder, p, 0);
    hd_loc l1 = add_loc(g.builder, p, 0);
    hd_expr expr;
    int root = grow(&g, 1 + (int)draw_below(&g.seed, 4), &expr);
    hd_stmt stmt = assign(out, expr);
    hd_edge_desc desc = {.from = l0, .to = l1, .stmts = &stmt, .stmt_count = 1, .statement = 31};
    hd_build_edge(g.builder, &desc);
    hd_model *model = finish(g.builder);
    const uint64_t *initial = NULL;
    (void)hd_model_initial(model, &initial);
    result found = {.model = model, .var = out};
    hd_stepper *stepper = hd_stepper_new(model, NULL);
    cr_assert_eq(hd_stepper_run(stepper, initial, HD_WEIGHT_ANY, note_result, &found), HD_OK);
    int64_t expected = 0;
    hd_fault fault = evaluate(&g, root, &expected);
    if (fault == HD_FAULT_NONE && (expected < INT64_MIN / 2 || expected > INT64_MAX / 2)) {
      fault = HD_FAULT_RANGE;
    }
    cr_assert_eq(found.steps, 1);
    cr_assert_eq(found.fault, fault, "round %llu: fault %d, expected %d", (unsigned long long)round, (int)found.fault,
                 (int)fault);
    if (fault == HD_FAULT_NONE) {
      cr_assert_eq(found.value, expected, "round %llu", (unsigned long long)round);
    } else {
      cr_assert_eq(found.detail, 31);
    }
    faults[fault]++;
    hd_stepper_free(stepper);
    hd_model_free(model);
  }
  cr_assert(faults[HD_FAULT_NONE] > 1000 && faults[HD_FAULT_RANGE] > 1000 && faults[HD_FAULT_DIVISION] > 100 &&
            faults[HD_FAULT_INDEX] > 100);
}

/* The same expressions as guards: enabled, disabled, or a faulting step. */
Test(expr, guards) {
  for (uint64_t round = 0; round < 10000; round++) {
    generator g = {.builder = hd_builder_new(), .seed = round * 131 + 5};
    make_vars(&g);
    hd_process p = add_process(g.builder, "p", 2, 2);
    hd_var out = add_local(g.builder, p, "out", 0, 1, 0);
    hd_loc l0 = add_loc(g.builder, p, 0);
    hd_loc l1 = add_loc(g.builder, p, 0);
    hd_expr expr;
    int root = grow(&g, 1 + (int)draw_below(&g.seed, 4), &expr);
    add_do(g.builder, l0, l1, expr, set(g.builder, out, 1));
    hd_model *model = finish(g.builder);
    const uint64_t *initial = NULL;
    (void)hd_model_initial(model, &initial);
    result found = {.model = model, .var = out};
    hd_stepper *stepper = hd_stepper_new(model, NULL);
    cr_assert_eq(hd_stepper_run(stepper, initial, HD_WEIGHT_ANY, note_result, &found), HD_OK);
    int64_t expected = 0;
    hd_fault fault = evaluate(&g, root, &expected);
    cr_assert_eq(found.steps, fault != HD_FAULT_NONE || expected != 0, "round %llu", (unsigned long long)round);
    cr_assert(found.steps == 0 || found.fault == fault);
    hd_stepper_free(stepper);
    hd_model_free(model);
  }
}

Test(expr, store_far_outside_the_domain_does_not_wrap) {
  hd_builder *b = hd_builder_new();
  hd_var x = add_var(b, "x", INT64_MAX - 3, INT64_MAX, INT64_MAX);
  hd_var low = add_var(b, "low", INT64_MIN, INT64_MIN + 3, INT64_MIN);
  hd_process p = add_process(b, "p", 1, 1);
  hd_loc l0 = add_loc(b, p, 0);
  hd_loc l1 = add_loc(b, p, 0);
  add_do(b, l0, l1, HD_NO_EXPR, assign(x, rd(b, low)));
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 1);
  cr_assert_eq(w.faults[HD_FAULT_RANGE], 1);
  walk_free(&w);
  hd_model_free(model);
}

/* Steps with a successor, less steps that divide by zero. */
static int64_t steps_of_guard(hd_builder *b, hd_expr guard) {
  hd_process p = add_process(b, "p", 1, 1);
  hd_loc l0 = add_loc(b, p, 0);
  hd_loc l1 = add_loc(b, p, HD_LOC_END);
  add_edge(b, l0, l1, guard, NULL, 0);
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  int64_t balance = (int64_t)w.transitions - (int64_t)w.faults[HD_FAULT_DIVISION];
  walk_free(&w);
  hd_model_free(model);
  return balance;
}

/* A test that masks could make first must not hide the fault of a conjunct before it. */
Test(expr, conjuncts_keep_their_order) {
  for (int turn = 0; turn < 4; turn++) {
    hd_builder *b = hd_builder_new();
    hd_var zero = add_var(b, "zero", 0, 3, 0);
    hd_var x = add_var(b, "x", 0, 3, 0);
    hd_expr faulty = op2(b, HD_OP_EQ, op2(b, HD_OP_DIV, num(b, 1), rd(b, zero)), num(b, 1));
    hd_expr plain = is(b, x, turn < 2 ? 1 : 0);
    hd_expr guard = turn % 2 == 0 ? op2(b, HD_OP_AND, faulty, plain) : op2(b, HD_OP_AND, plain, faulty);
    static const int64_t expected[] = {-1, 0, -1, -1};
    cr_assert_eq(steps_of_guard(b, guard), expected[turn], "turn %d", turn);
  }
}

Test(expr, nesting_beyond_the_limit_is_refused) {
  hd_builder *b = hd_builder_new();
  hd_var x = add_var(b, "x", 0, 3, 0);
  hd_expr deep = rd(b, x);
  for (int i = 0; i < 100000; i++) {
    deep = op2(b, HD_OP_ADD, deep, num(b, 1));
  }
  hd_model *model = NULL;
  cr_assert_eq(hd_builder_finish(b, &model), HD_E_LIMIT);
  cr_assert_null(model);
  b = hd_builder_new();
  hd_expr wide = rd(b, add_var(b, "x", 0, 3, 0));
  for (int i = 0; i < 64; i++) {
    wide = op2(b, HD_OP_AND, wide, wide);
  }
  cr_assert_eq(hd_builder_finish(b, &model), HD_E_LIMIT);
}
