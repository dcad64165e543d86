/* Statements become locations and edges.
 *
 *   statement s between two locations:   from --step of s--> to
 *   if      from --c--> then ... to,  from --!c--> else ... to
 *   while   head --c--> body ... head,  head --!c--> to      (head is `from`, unless it differs in kind from the body's
 *                                                             locations: then both have the two edges)
 *   atomic  from --enter--> inner ... inner --last step--> to; or one edge (flow_fuse.c)
 *
 * A list whose statements take no step (empty blocks) has no location of its own: hdi_cw_list_is_empty is asked first.
 * A step with nondet is one edge for each choice of values. Recursion is bounded by the reader (resolve.c: height).
 * Cost: linear in the inlined program. */
#include "frontends/cwhile/flow.h"

#include <stdlib.h>

/* ---- what takes no step, what waits ---- */

/* A block whose statements are put as if its braces were not there. */
static bool is_transparent(const hd_cw_stmt *stmt) {
  return stmt->kind == HD_CW_BLOCK || stmt->kind == HD_CW_NOREORDER || stmt->kind == HD_CW_WATOMIC;
}

static bool is_empty(const hd_cw_program *program, const hd_cw_stmt *stmt) {
  if (stmt->kind == HD_CW_CALL) {
    return !hdi_cw_call_has_values(program, stmt) && hdi_cw_list_is_empty(program, program->bodies[stmt->proc].first);
  }
  return is_transparent(stmt) && hdi_cw_list_is_empty(program, stmt->body);
}

bool hdi_cw_list_is_empty(const hd_cw_program *program, const hd_cw_stmt *first) {
  for (const hd_cw_stmt *stmt = first; stmt != NULL; stmt = stmt->next) {
    if (!is_empty(program, stmt)) {
      return false;
    }
  }
  return true;
}

static bool is_waiting(const hd_cw_stmt *stmt) {
  return stmt->kind == HD_CW_AWAIT || stmt->kind == HD_CW_LOCK || stmt->kind == HD_CW_JOIN;
}

/* Is any await, lock or join in the list, calls followed? */
static bool list_waits(const hd_cw_program *program, const hd_cw_stmt *first) {
  for (const hd_cw_stmt *stmt = first; stmt != NULL; stmt = stmt->next) {
    if (is_waiting(stmt) || list_waits(program, stmt->body) || list_waits(program, stmt->other) ||
        (stmt->kind == HD_CW_CALL && list_waits(program, program->bodies[stmt->proc].first))) {
      return true;
    }
  }
  return false;
}

/* The first statement that takes a step, blocks and calls entered. */
static const hd_cw_stmt *first_step(const hd_cw_program *program, const hd_cw_stmt *first) {
  for (const hd_cw_stmt *stmt = first; stmt != NULL; stmt = stmt->next) {
    if (is_empty(program, stmt)) {
      continue;
    }
    if (is_transparent(stmt) || (stmt->kind == HD_CW_ATOMIC && !hdi_cw_list_is_empty(program, stmt->body))) {
      return first_step(program, stmt->body);
    }
    if (stmt->kind == HD_CW_CALL && !hdi_cw_call_has_values(program, stmt)) {
      return first_step(program, program->bodies[stmt->proc].first);
    }
    return stmt;
  }
  return NULL;
}

/* ---- simple statements ---- */

static void put_step(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to, hd_edge_kind kind) {
  hdi_cw_add_edge(here, (hdi_cw_edge){.from = from, .to = to, .kind = kind, .stmt = stmt});
}

static void add_assignment(hdi_cw_context *here, const hd_cw_stmt *stmt, const hdi_cw_node *value,
                           const hdi_cw_front *front, uint32_t to) {
  hdi_cw_edge edge = {.from = front->loc, .to = to, .guard = front->guard, .kind = HD_EDGE_INTERNAL, .stmt = stmt};
  hdi_cw_binding target = hdi_cw_bind(here, &stmt->target);
  hdi_cw_set(here->flow, &edge.actions, target.var, target.index, value);
  hdi_cw_forget(here, &edge.actions);
  hdi_cw_add_edge(here, edge);
}

static uint32_t list_nondets(const hd_cw_expr *expr, const hd_cw_expr **list, uint32_t count) {
  if (expr == NULL) {
    return count;
  }
  if (expr->kind == HD_CW_NONDET) {
    list[count] = expr;
    return count + 1;
  }
  count = list_nondets(expr->ref.index, list, count);
  count = list_nondets(expr->a, list, count);
  return list_nondets(expr->b, list, count);
}

/* One edge for each choice of values, the last one counting fastest. */
static void put_choices(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t count, uint32_t from, uint32_t to) {
  hdi_cw_flow *flow = here->flow;
  int64_t *values = hd_arena_alloc_array(flow->arena, count, sizeof *values);
  const hd_cw_expr **nondets = hd_arena_alloc_array(flow->arena, count, sizeof(void *));
  if (values == NULL || nondets == NULL) {
    hdi_cw_fail(flow, HD_E_NOMEM);
    return;
  }
  (void)list_nondets(stmt->expr, nondets, 0);
  for (uint32_t i = 0; i < count; i++) {
    values[i] = nondets[i]->lo;
  }
  here->choices = values;
  hdi_cw_front front = {.loc = from};
  for (bool more = true; more && flow->status == HD_OK;) {
    here->choice_next = 0;
    add_assignment(here, stmt, hdi_cw_expr(here, stmt->expr), &front, to);
    uint32_t at = count;
    while (at > 0 && values[at - 1] == nondets[at - 1]->hi) {
      values[at - 1] = nondets[at - 1]->lo;
      at--;
    }
    more = at > 0;
    if (more) {
      values[at - 1]++;
    }
  }
  here->choices = NULL;
}

static void put_assignment(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  uint32_t nondets = hdi_cw_count_nondets(stmt->expr);
  if (nondets > 0) {
    put_choices(here, stmt, nondets, from, to);
    return;
  }
  uint32_t target = hdi_cw_bind(here, &stmt->target).var;
  bool shared = here->flow->status == HD_OK && here->flow->vars.data[target].thread == HD_NONE;
  hdi_cw_front *front = NULL;
  const hdi_cw_node *value = hdi_cw_read_pieces(here, stmt, stmt->expr, shared, from, &front);
  for (; front != NULL; front = front->next) {
    add_assignment(here, stmt, value, front, to);
  }
}

static void put_assert(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  hdi_cw_front *front = NULL;
  const hdi_cw_node *value = hdi_cw_read_pieces(here, stmt, stmt->expr, false, from, &front);
  for (; front != NULL; front = front->next) {
    hdi_cw_edge edge = {.from = front->loc, .to = to, .guard = front->guard, .kind = HD_EDGE_ASSERT, .stmt = stmt};
    hdi_cw_action *check = hdi_cw_act(here->flow, &edge.actions, HDI_CW_CHECK);
    if (check != NULL) {
      check->value = value;
    }
    hdi_cw_forget(here, &edge.actions);
    hdi_cw_add_edge(here, edge);
  }
}

static void put_lock(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  hdi_cw_flow *flow = here->flow;
  bool take = stmt->kind == HD_CW_LOCK;
  hdi_cw_edge edge = {.from = from, .to = to, .kind = take ? HD_EDGE_LOCK : HD_EDGE_UNLOCK, .stmt = stmt};
  hdi_cw_binding target = hdi_cw_bind(here, &stmt->target);
  if (take) {
    edge.guard = hdi_cw_op(flow, HD_OP_EQ, hdi_cw_read_bound(flow, target), hdi_cw_const(flow, 0));
  }
  hdi_cw_set(flow, &edge.actions, target.var, target.index, hdi_cw_const(flow, take));
  hdi_cw_add_edge(here, edge);
}

static void put_guard(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  hdi_cw_edge edge = {.from = from, .to = to, .guard = hdi_cw_expr(here, stmt->expr), .stmt = stmt};
  edge.kind = stmt->kind == HD_CW_ASSUME ? HD_EDGE_ASSUME : HD_EDGE_AWAIT;
  if (stmt->kind == HD_CW_JOIN) {
    edge.guard = hdi_cw_node_add(here->flow, (hdi_cw_node){.kind = HDI_CW_NODE_ENDED, .a = edge.guard});
  }
  hdi_cw_add_edge(here, edge);
}

/* ---- conditions, blocks ---- */

/* The two edges of a condition. */
static void put_condition(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t yes, uint32_t no) {
  hdi_cw_flow *flow = here->flow;
  hdi_cw_front only = {.loc = from}, *front = &only;
  const hdi_cw_node *value = NULL;
  here->temps_used = 0;
  if (stmt->expr != NULL) {
    front = NULL;
    value = hdi_cw_read_pieces(here, stmt, stmt->expr, false, from, &front);
  }
  for (; front != NULL; front = front->next) {
    for (int branch = 1; branch >= -1; branch -= 2) {
      hdi_cw_edge edge = {.from = front->loc, .kind = HD_EDGE_BRANCH, .stmt = stmt, .branch = branch};
      const hdi_cw_node *holds = value == NULL || branch == 1 ? value : hdi_cw_not(flow, value);
      edge.to = branch == 1 ? yes : no;
      edge.guard = hdi_cw_and(flow, front->guard, holds);
      hdi_cw_forget(here, &edge.actions);
      hdi_cw_add_edge(here, edge);
    }
  }
}

static void put_if(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  const hd_cw_program *program = here->flow->program;
  bool no_body = hdi_cw_list_is_empty(program, stmt->body), no_other = hdi_cw_list_is_empty(program, stmt->other);
  uint32_t yes = no_body ? to : hdi_cw_add_loc(here);
  uint32_t no = no_other ? to : hdi_cw_add_loc(here);
  put_condition(here, stmt, from, yes, no);
  if (!no_body) {
    hdi_cw_put_list(here, stmt->body, yes, to);
  }
  if (!no_other) {
    hdi_cw_put_list(here, stmt->other, no, to);
  }
}

static void put_while(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  hdi_cw_flow *flow = here->flow;
  bool empty = hdi_cw_list_is_empty(flow->program, stmt->body);
  const hdi_cw_loc *entry = &flow->locs.data[from];
  bool alike = entry->weak == here->weak && entry->inner == here->atomic &&
               !(flow->program->has_yield && entry->free) &&
               !(flow->start_apart && from == flow->threads.data[here->thread].first);
  uint32_t head = alike ? from : hdi_cw_add_loc(here);
  uint32_t body = empty ? head : hdi_cw_add_loc(here);
  if (flow->status != HD_OK) {
    return;
  }
  flow->locs.data[head].stmt = stmt;
  put_condition(here, stmt, from, body, to);
  if (!alike) {
    put_condition(here, stmt, head, body, to);
  }
  if (!empty) {
    hdi_cw_put_list(here, stmt->body, body, head);
  }
}

static void put_atomic(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  bool empty = hdi_cw_list_is_empty(here->flow->program, stmt->body);
  if (here->atomic && !empty) {
    hdi_cw_put_list(here, stmt->body, from, to);
    return;
  }
  if (empty) {
    put_step(here, stmt, from, to, HD_EDGE_INTERNAL);
    return;
  }
  if (!here->flow->unfused && hdi_cw_fuse(here, stmt, from, to)) {
    return;
  }
  const hdi_cw_loc *before = &here->flow->locs.data[from];
  hd_edge_kind kind = before->assumes ? HD_EDGE_ASSUME : before->waits ? HD_EDGE_AWAIT : HD_EDGE_INTERNAL;
  here->atomic = true;
  uint32_t inner = hdi_cw_add_loc(here);
  put_step(here, stmt, from, inner, kind);
  hdi_cw_put_list(here, stmt->body, inner, to);
  here->atomic = false;
}

/* ---- statements and threads ---- */

/* What the location before a statement is. */
static void mark(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from) {
  const hd_cw_program *program = here->flow->program;
  hdi_cw_loc *loc = &here->flow->locs.data[from];
  bool block = stmt->kind == HD_CW_ATOMIC;
  const hd_cw_stmt *first = block ? first_step(program, stmt->body) : stmt;
  loc->stmt = stmt;
  loc->waits = is_waiting(stmt) || (block && list_waits(program, stmt->body));
  loc->assumes = first != NULL && first->kind == HD_CW_ASSUME;
  loc->free = loc->free || loc->waits || stmt->kind == HD_CW_YIELD;
}

static void put_marked(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  switch (stmt->kind) {
    case HD_CW_SKIP:
    case HD_CW_YIELD:
      put_step(here, stmt, from, to, HD_EDGE_INTERNAL);
      return;
    case HD_CW_ASSIGN:
      put_assignment(here, stmt, from, to);
      return;
    case HD_CW_ASSERT:
      put_assert(here, stmt, from, to);
      return;
    case HD_CW_ASSUME:
    case HD_CW_AWAIT:
    case HD_CW_JOIN:
      put_guard(here, stmt, from, to);
      return;
    case HD_CW_LOCK:
    case HD_CW_UNLOCK:
      put_lock(here, stmt, from, to);
      return;
    case HD_CW_IF:
      put_if(here, stmt, from, to);
      return;
    case HD_CW_WHILE:
      put_while(here, stmt, from, to);
      return;
    case HD_CW_ATOMIC:
      put_atomic(here, stmt, from, to);
      return;
    case HD_CW_CALL:
      hdi_cw_put_call(here, stmt, from, to);
      return;
    case HD_CW_ASYNC:
      hdi_cw_put_async(here, stmt, from, to);
      return;
    case HD_CW_BLOCK:
    case HD_CW_NOREORDER:
    case HD_CW_WATOMIC:
    case HD_CW_STMT_COUNT:
      return;
  }
}

static void put_statement(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  if (here->flow->status != HD_OK) {
    return;
  }
  here->temps_used = 0;
  if (is_transparent(stmt)) {
    bool weak = here->weak;
    here->weak = weak || stmt->kind == HD_CW_WATOMIC;
    hdi_cw_put_list(here, stmt->body, from, to);
    here->weak = weak;
  } else if (stmt->kind == HD_CW_CALL && !hdi_cw_call_has_values(here->flow->program, stmt)) {
    hdi_cw_put_call(here, stmt, from, to); /* its first statement marks the location */
  } else {
    mark(here, stmt, from);
    put_marked(here, stmt, from, to);
  }
}

/* Statements without a step are left out. */
static const hd_cw_stmt *skip_empty(const hd_cw_program *program, const hd_cw_stmt *stmt) {
  while (stmt != NULL && is_empty(program, stmt)) {
    stmt = stmt->next;
  }
  return stmt;
}

void hdi_cw_put_list(hdi_cw_context *here, const hd_cw_stmt *first, uint32_t from, uint32_t to) {
  const hd_cw_program *program = here->flow->program;
  const hd_cw_stmt *stmt = skip_empty(program, first);
  while (stmt != NULL && here->flow->status == HD_OK) {
    const hd_cw_stmt *next = skip_empty(program, stmt->next);
    uint32_t end = next == NULL ? to : hdi_cw_add_loc(here);
    put_statement(here, stmt, from, end);
    from = end;
    stmt = next;
  }
}

static void put_body(hdi_cw_context *here) {
  hdi_cw_flow *flow = here->flow;
  const hdi_cw_thread *thread = &flow->threads.data[here->thread];
  const hd_cw_stmt *async = thread->async;
  bool empty = hdi_cw_list_is_empty(flow->program, here->body->first);
  uint32_t first = hdi_cw_add_loc(here);
  uint32_t end = empty && async == NULL ? first : hdi_cw_add_loc(here);
  if (flow->status != HD_OK) {
    return;
  }
  flow->locs.data[first].free = flow->locs.data[end].free = flow->locs.data[end].end = true;
  flow->threads.data[here->thread].first = first;
  flow->threads.data[here->thread].end = end;
  if (!empty) {
    hdi_cw_put_list(here, here->body->first, first, end);
  } else if (async != NULL) { /* a thread that was started must be able to end */
    put_step(here, async, first, end, HD_EDGE_END);
  }
}

void hdi_cw_put_thread(hdi_cw_flow *flow, uint32_t thread) {
  hdi_cw_thread made = flow->threads.data[thread]; /* a copy: the array may grow */
  hdi_cw_context here = {.flow = flow, .thread = thread, .body = &flow->program->bodies[made.body]};
  here.bindings = made.bindings != NULL ? made.bindings : hdi_cw_own_bindings(flow, thread, here.body);
  here.frames = malloc((size_t)flow->program->body_count * sizeof *here.frames);
  if (here.frames == NULL) {
    hdi_cw_fail(flow, HD_E_NOMEM);
  }
  for (uint32_t i = 0; here.frames != NULL && i < flow->program->body_count; i++) {
    here.frames[i] = HD_NONE;
  }
  if (flow->status == HD_OK) {
    put_body(&here);
  }
  free(here.frames);
}
