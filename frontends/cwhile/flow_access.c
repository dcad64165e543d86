/* `--granularity access`: every step touches shared variables at most once.
 *
 * A statement that reads shared variables several times, or reads one and writes one, becomes several steps: each read
 * puts a value into a variable of the thread that only this statement knows, the last access of the statement is made
 * by its own step, which forgets the values read, so that equal situations are equal states.
 *
 *   x = a + (b && c)     from --t1 = a--> . --t2 = b--> . --[t2] t3 = c--> . --x = t1 + (t2 && t3); t1 = t2 = t3 = 0-->
 * to
 *                                                       '--[!t2] x = ... --------------------------------------------->
 * to
 *
 * Operands are read from left to right; what && and || leave out is not read: hence a front, a list of locations with
 * conditions, from each of which the statement goes on. Waiting (await, lock, join), assume, atomic blocks and
 * statements with nondet stay one step: they are how a program says that something happens at once.
 * Cost: linear in the expression times the width of the front, which && and || widen by one each. */
#include "frontends/cwhile/flow.h"

typedef struct pieces {
  hdi_cw_context *here;
  const hd_cw_stmt *stmt;
  hdi_cw_front *front;
  uint32_t left; /* shared reads that still get a step of their own */
} pieces;

static bool is_shared(const hdi_cw_context *here, const hd_cw_ref *ref) {
  uint32_t var = ref->global ? ref->var : here->bindings[ref->var].var;
  return here->flow->status == HD_OK && here->flow->vars.data[var].thread == HD_NONE;
}

static uint32_t count_shared(const hdi_cw_context *here, const hd_cw_expr *expr) {
  if (expr == NULL) {
    return 0;
  }
  uint32_t own = expr->kind == HD_CW_READ && is_shared(here, &expr->ref);
  return own + count_shared(here, expr->ref.index) + count_shared(here, expr->a) + count_shared(here, expr->b);
}

static hdi_cw_front *new_front(hdi_cw_context *here, uint32_t loc, const hdi_cw_node *guard, hdi_cw_front *next) {
  hdi_cw_front *front = hd_arena_alloc(here->flow->arena, sizeof *front);
  if (front == NULL) {
    here->flow->status = HD_E_NOMEM;
    return next;
  }
  *front = (hdi_cw_front){loc, guard, next};
  return front;
}

/* The variable that keeps the value; HD_NONE when there is none left: then the value is read by the last step. */
static uint32_t take_temp(hdi_cw_context *here, uint32_t shared) {
  hdi_cw_flow *flow = here->flow;
  const hdi_cw_variable read = flow->vars.data[shared];
  if (here->temps_used == HDI_CW_TEMPS_MAX) {
    return HD_NONE;
  }
  if (here->temps_used == here->temp_count) {
    here->temps[here->temp_count++] =
        hdi_cw_add_var(flow, &(hdi_cw_variable){.name = "a value read", .thread = here->thread, .hidden = true});
  }
  uint32_t temp = here->temps[here->temps_used++];
  if (flow->status == HD_OK) {
    hdi_cw_variable *kept = &flow->vars.data[temp];
    kept->lo = read.lo < kept->lo ? read.lo : kept->lo;
    kept->hi = read.hi > kept->hi ? read.hi : kept->hi;
  }
  return temp;
}

static const hdi_cw_node *read_shared(pieces *p, const hdi_cw_node *node) {
  hdi_cw_flow *flow = p->here->flow;
  uint32_t temp = p->left == 0 || flow->status != HD_OK ? HD_NONE : take_temp(p->here, node->var);
  if (temp == HD_NONE) {
    return node;
  }
  p->left--;
  uint32_t loc = hdi_cw_add_loc(p->here);
  if (flow->status != HD_OK) {
    return node;
  }
  flow->locs.data[loc].stmt = p->stmt;
  flow->locs.data[loc].piece = true;
  for (const hdi_cw_front *front = p->front; front != NULL; front = front->next) {
    hdi_cw_edge edge = {.from = front->loc, .to = loc, .guard = front->guard, .kind = HD_EDGE_INTERNAL};
    edge.stmt = p->stmt;
    hdi_cw_set(flow, &edge.actions, temp, NULL, node);
    hdi_cw_add_edge(p->here, edge);
  }
  p->front = new_front(p->here, loc, NULL, NULL);
  return hdi_cw_var(flow, temp);
}

static const hdi_cw_node *read_expr(pieces *p, const hd_cw_expr *expr);

/* b is read where a has not decided. */
static const hdi_cw_node *read_logical(pieces *p, const hd_cw_expr *expr) {
  hdi_cw_context *here = p->here;
  hdi_cw_flow *flow = here->flow;
  const hdi_cw_node *a = read_expr(p, expr->a);
  if (count_shared(here, expr->b) == 0 || p->left == 0) {
    return hdi_cw_op(flow, expr->op, a, hdi_cw_expr(here, expr->b));
  }
  const hdi_cw_node *goes_on = expr->op == HD_OP_AND ? a : hdi_cw_not(flow, a);
  const hdi_cw_node *decided = expr->op == HD_OP_AND ? hdi_cw_not(flow, a) : a;
  hdi_cw_front *on = NULL, *done = NULL;
  for (const hdi_cw_front *front = p->front; front != NULL; front = front->next) {
    on = new_front(here, front->loc, hdi_cw_and(flow, front->guard, goes_on), on);
    done = new_front(here, front->loc, hdi_cw_and(flow, front->guard, decided), done);
  }
  p->front = on;
  const hdi_cw_node *b = read_expr(p, expr->b);
  for (const hdi_cw_front *front = done; front != NULL; front = front->next) {
    p->front = new_front(here, front->loc, front->guard, p->front);
  }
  return hdi_cw_op(flow, expr->op, a, b);
}

static const hdi_cw_node *read_expr(pieces *p, const hd_cw_expr *expr) {
  hdi_cw_context *here = p->here;
  hdi_cw_flow *flow = here->flow;
  if (expr->kind == HD_CW_READ) {
    hdi_cw_binding binding = expr->ref.global ? (hdi_cw_binding){expr->ref.var, NULL} : here->bindings[expr->ref.var];
    if (expr->ref.index != NULL) {
      binding.index = read_expr(p, expr->ref.index);
    }
    const hdi_cw_node *node = hdi_cw_read_bound(flow, binding);
    return is_shared(here, &expr->ref) ? read_shared(p, node) : node;
  }
  if (expr->kind != HD_CW_OP) {
    return hdi_cw_expr(here, expr);
  }
  if (expr->op == HD_OP_AND || expr->op == HD_OP_OR) {
    return read_logical(p, expr);
  }
  const hdi_cw_node *a = read_expr(p, expr->a);
  return hdi_cw_op(flow, expr->op, a, expr->b == NULL ? NULL : read_expr(p, expr->b));
}

const hdi_cw_node *hdi_cw_read_pieces(hdi_cw_context *here, const hd_cw_stmt *stmt, const hd_cw_expr *expr,
                                      bool writes_shared, uint32_t from, hdi_cw_front **front) {
  pieces p = {.here = here, .stmt = stmt, .front = new_front(here, from, NULL, NULL)};
  uint32_t shared = here->flow->access && !here->atomic ? count_shared(here, expr) : 0;
  p.left = writes_shared || shared == 0 ? shared : shared - 1;
  const hdi_cw_node *value = p.left == 0 ? hdi_cw_expr(here, expr) : read_expr(&p, expr);
  *front = p.front;
  return value;
}

void hdi_cw_forget(hdi_cw_context *here, hdi_cw_action **list) {
  for (uint32_t i = 0; i < here->temps_used; i++) {
    hdi_cw_set(here->flow, list, here->temps[i], NULL, hdi_cw_const(here->flow, 0));
  }
}
