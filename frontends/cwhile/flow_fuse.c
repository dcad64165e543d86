/* Atomic blocks that are one edge.
 *
 * A block without branches, calls and choices is a list of guards (await, assume, lock) and effects. It is one edge
 * with all guards together when each of them has the same value before the block as in its place: nothing that is set
 * before it is read by it. And no effect before a guard may have a fault, since a block that cannot run to its end is
 * not entered, fault or not: only locks and constants inside the domain are set before a guard.
 * One edge is what the fast paths and the reductions of the explorer want; the meaning is that of the compound step.
 * Cost: linear in the block, times the variables it sets. */
#include "frontends/cwhile/flow.h"

#define SET_MAX 32u

typedef struct block {
  hdi_cw_context *here;
  hdi_cw_edge edge;
  uint32_t set[SET_MAX]; /* variables that were set */
  uint32_t set_count;
  bool risky; /* an effect that can have a fault came */
  bool fits;
} block;

static bool reads_any(const block *b, const hdi_cw_node *node) {
  if (node == NULL) {
    return false;
  }
  bool reads = node->kind == HDI_CW_NODE_VAR || node->kind == HDI_CW_NODE_ELEMENT;
  for (uint32_t i = 0; reads && i < b->set_count; i++) {
    if (b->set[i] == node->var) {
      return true;
    }
  }
  return reads_any(b, node->a) || reads_any(b, node->b);
}

static void add_guard(block *b, const hdi_cw_node *guard, hd_edge_kind kind) {
  b->fits = b->fits && !b->risky && !reads_any(b, guard);
  b->edge.guard = hdi_cw_and(b->here->flow, b->edge.guard, guard);
  b->edge.kind = b->edge.kind == HD_EDGE_INTERNAL ? kind : b->edge.kind;
}

static void add_set(block *b, const hdi_cw_binding *target, const hdi_cw_node *value, bool safe) {
  if (b->set_count == SET_MAX) {
    b->fits = false;
    return;
  }
  b->set[b->set_count++] = target->var;
  b->risky = b->risky || !safe || target->index != NULL;
  hdi_cw_set(b->here->flow, &b->edge.actions, target->var, target->index, value);
}

static void add_assignment(block *b, const hd_cw_stmt *stmt) {
  if (hdi_cw_count_nondets(stmt->expr) > 0) {
    b->fits = false;
    return;
  }
  hdi_cw_flow *flow = b->here->flow;
  hdi_cw_binding target = hdi_cw_bind(b->here, &stmt->target);
  const hdi_cw_node *value = hdi_cw_expr(b->here, stmt->expr);
  if (flow->status != HD_OK) {
    return;
  }
  const hdi_cw_variable *var = &flow->vars.data[target.var];
  add_set(b, &target, value, value->kind == HDI_CW_NODE_CONST && value->value >= var->lo && value->value <= var->hi);
}

static void add_lock(block *b, const hd_cw_stmt *stmt) {
  hdi_cw_flow *flow = b->here->flow;
  hdi_cw_binding target = hdi_cw_bind(b->here, &stmt->target);
  if (target.index != NULL) { /* leave computed locks to the compound step */
    b->fits = false;
    return;
  }
  if (stmt->kind == HD_CW_LOCK) {
    add_guard(b, hdi_cw_op(flow, HD_OP_EQ, hdi_cw_var(flow, target.var), hdi_cw_const(flow, 0)), HD_EDGE_LOCK);
  }
  add_set(b, &target, hdi_cw_const(flow, stmt->kind == HD_CW_LOCK), true);
}

static void add_list(block *b, const hd_cw_stmt *first) {
  for (const hd_cw_stmt *stmt = first; stmt != NULL && b->fits && b->here->flow->status == HD_OK; stmt = stmt->next) {
    switch (stmt->kind) {
      case HD_CW_SKIP:
        break;
      case HD_CW_ASSIGN:
        add_assignment(b, stmt);
        break;
      case HD_CW_ASSUME:
        add_guard(b, hdi_cw_expr(b->here, stmt->expr), HD_EDGE_ASSUME);
        break;
      case HD_CW_AWAIT:
        add_guard(b, hdi_cw_expr(b->here, stmt->expr), HD_EDGE_AWAIT);
        break;
      case HD_CW_LOCK:
      case HD_CW_UNLOCK:
        add_lock(b, stmt);
        break;
      case HD_CW_ASSERT: {
        hdi_cw_action *check = hdi_cw_act(b->here->flow, &b->edge.actions, HDI_CW_CHECK);
        if (check != NULL) {
          check->value = hdi_cw_expr(b->here, stmt->expr);
        }
        b->risky = true;
        break;
      }
      case HD_CW_BLOCK:
      case HD_CW_NOREORDER:
      case HD_CW_ATOMIC:
        add_list(b, stmt->body);
        break;
      case HD_CW_WATOMIC:
      case HD_CW_IF:
      case HD_CW_WHILE:
      case HD_CW_CALL:
      case HD_CW_ASYNC:
      case HD_CW_JOIN:
      case HD_CW_YIELD:
      case HD_CW_STMT_COUNT:
        b->fits = false;
        break;
    }
  }
}

bool hdi_cw_fuse(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  block b = {.here = here, .fits = true};
  b.edge = (hdi_cw_edge){.from = from, .to = to, .kind = HD_EDGE_INTERNAL, .stmt = stmt};
  /* An axiom is to hold between the statements of a block as well. */
  b.fits = here->flow->axiom == NULL;
  add_list(&b, stmt->body);
  if (b.fits) {
    hdi_cw_add_edge(here, b.edge);
  }
  return b.fits;
}
