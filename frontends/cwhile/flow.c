/* Control-flow graphs: nodes, variables, edges, and the making of threads.
 *
 * Threads of the text come first, then those that async starts, in the order in which their async is met; each gets its
 * own variables. An async inside a thread that async starts gives one more thread for every such thread; procedures do
 * not reach themselves, so there are finitely many.
 * Invariant: edges of one location stand in the order of the text, `holds` before `does not`.
 * Threads: one flow, one thread. Cost: linear in the inlined program. */
#include "frontends/cwhile/flow.h"

void hdi_cw_fail(hdi_cw_flow *flow, hd_status status) {
  if (flow->status == HD_OK) {
    flow->status = status;
  }
}

/* ---- nodes ---- */

static const hdi_cw_node nothing = {.kind = HDI_CW_NODE_CONST};

const hdi_cw_node *hdi_cw_node_add(hdi_cw_flow *flow, hdi_cw_node node) {
  hdi_cw_node *copy = hd_arena_alloc(flow->arena, sizeof *copy);
  if (copy == NULL) {
    hdi_cw_fail(flow, HD_E_NOMEM);
    return &nothing;
  }
  *copy = node;
  return copy;
}

const hdi_cw_node *hdi_cw_const(hdi_cw_flow *flow, int64_t value) {
  return hdi_cw_node_add(flow, (hdi_cw_node){.kind = HDI_CW_NODE_CONST, .value = value});
}

const hdi_cw_node *hdi_cw_var(hdi_cw_flow *flow, uint32_t var) {
  return hdi_cw_node_add(flow, (hdi_cw_node){.kind = HDI_CW_NODE_VAR, .var = var});
}

const hdi_cw_node *hdi_cw_op(hdi_cw_flow *flow, hd_op op, const hdi_cw_node *a, const hdi_cw_node *b) {
  return hdi_cw_node_add(flow, (hdi_cw_node){.kind = HDI_CW_NODE_OP, .op = op, .a = a, .b = b});
}

const hdi_cw_node *hdi_cw_and(hdi_cw_flow *flow, const hdi_cw_node *a, const hdi_cw_node *b) {
  return a == NULL ? b : b == NULL ? a : hdi_cw_op(flow, HD_OP_AND, a, b);
}

const hdi_cw_node *hdi_cw_not(hdi_cw_flow *flow, const hdi_cw_node *a) {
  return hdi_cw_op(flow, HD_OP_NOT, a, NULL);
}

hdi_cw_binding hdi_cw_bind(hdi_cw_context *here, const hd_cw_ref *ref) {
  hdi_cw_binding binding = {ref->var, NULL};
  if (!ref->global) {
    binding = here->bindings[ref->var];
  }
  if (ref->index != NULL) {
    binding.index = hdi_cw_expr(here, ref->index);
  }
  return binding;
}

const hdi_cw_node *hdi_cw_read_bound(hdi_cw_flow *flow, hdi_cw_binding binding) {
  if (binding.index == NULL) {
    return hdi_cw_var(flow, binding.var);
  }
  return hdi_cw_node_add(flow, (hdi_cw_node){.kind = HDI_CW_NODE_ELEMENT, .var = binding.var, .a = binding.index});
}

const hdi_cw_node *hdi_cw_expr(hdi_cw_context *here, const hd_cw_expr *expr) {
  hdi_cw_flow *flow = here->flow;
  switch (expr->kind) {
    case HD_CW_CONST:
      return hdi_cw_const(flow, expr->value);
    case HD_CW_READ:
      return hdi_cw_read_bound(flow, hdi_cw_bind(here, &expr->ref));
    case HD_CW_NONDET:
      HD_ASSERT(here->choices != NULL);
      return hdi_cw_const(flow, here->choices[here->choice_next++]);
    case HD_CW_OP:
      break;
  }
  const hdi_cw_node *a = hdi_cw_expr(here, expr->a);
  return hdi_cw_op(flow, expr->op, a, expr->b == NULL ? NULL : hdi_cw_expr(here, expr->b));
}

uint32_t hdi_cw_count_nondets(const hd_cw_expr *expr) {
  if (expr == NULL) {
    return 0;
  }
  if (expr->kind == HD_CW_NONDET) {
    return 1;
  }
  return hdi_cw_count_nondets(expr->ref.index) + hdi_cw_count_nondets(expr->a) + hdi_cw_count_nondets(expr->b);
}

/* ---- actions, variables, locations, edges ---- */

hdi_cw_action *hdi_cw_act(hdi_cw_flow *flow, hdi_cw_action **list, hdi_cw_action_kind kind) {
  hdi_cw_action *action = hd_arena_alloc(flow->arena, sizeof *action);
  if (action == NULL) {
    hdi_cw_fail(flow, HD_E_NOMEM);
    return NULL;
  }
  action->kind = kind;
  while (*list != NULL) {
    list = &(*list)->next;
  }
  *list = action;
  return action;
}

void hdi_cw_set(hdi_cw_flow *flow, hdi_cw_action **list, uint32_t var, const hdi_cw_node *index,
                const hdi_cw_node *value) {
  hdi_cw_action *action = hdi_cw_act(flow, list, HDI_CW_SET);
  if (action != NULL) {
    action->var = var;
    action->index = index;
    action->value = value;
  }
}

uint32_t hdi_cw_add_var(hdi_cw_flow *flow, const hdi_cw_variable *var) {
  hdi_cw_fail(flow, hdi_cw_variables_push(&flow->vars, *var));
  return flow->status == HD_OK ? (uint32_t)flow->vars.count - 1 : 0;
}

uint32_t hdi_cw_add_loc(hdi_cw_context *here) {
  hdi_cw_flow *flow = here->flow;
  hdi_cw_loc loc = {.thread = here->thread, .inner = here->atomic, .weak = here->weak};
  hdi_cw_fail(flow, hdi_cw_locs_push(&flow->locs, loc));
  return flow->status == HD_OK ? (uint32_t)flow->locs.count - 1 : 0;
}

void hdi_cw_add_edge(hdi_cw_context *here, hdi_cw_edge edge) {
  hdi_cw_flow *flow = here->flow;
  if (flow->status != HD_OK) {
    return;
  }
  if (flow->edges.count >= HDI_CW_EDGES_MAX) {
    hdi_cw_fail(flow, HD_E_LIMIT);
    return;
  }
  const hdi_cw_loc *from = &flow->locs.data[edge.from], *to = &flow->locs.data[edge.to];
  if (here->weak && !from->weak) { /* into the block, or a block of one step */
    const hdi_cw_node *free = hdi_cw_op(flow, HD_OP_EQ, hdi_cw_var(flow, flow->token), hdi_cw_const(flow, 0));
    edge.guard = hdi_cw_and(flow, free, edge.guard);
  }
  if (from->weak != to->weak) {
    hdi_cw_set(flow, &edge.actions, flow->token, NULL, hdi_cw_const(flow, to->weak));
  }
  edge.thread = here->thread;
  hdi_cw_fail(flow, hdi_cw_edges_push(&flow->edges, edge));
}

/* ---- the program ---- */

static void add_globals(hdi_cw_flow *flow) {
  const hd_cw_program *program = flow->program;
  for (uint32_t i = 0; i < program->global_count && flow->status == HD_OK; i++) {
    const hd_cw_var *var = &program->globals[i];
    (void)hdi_cw_add_var(flow, &(hdi_cw_variable){.name = var->name.text,
                                                  .lo = var->lo,
                                                  .hi = var->hi,
                                                  .init_lo = var->init_lo,
                                                  .init_hi = var->init_hi,
                                                  .length = var->length,
                                                  .thread = HD_NONE,
                                                  .is_bool = var->type == HD_CW_TYPE_BOOL,
                                                  .is_lock = var->type == HD_CW_TYPE_LOCK,
                                                  .ghost = var->ghost});
  }
}

static void add_axioms(hdi_cw_flow *flow) {
  hdi_cw_context outside = {.flow = flow};
  for (uint32_t i = 0; i < flow->program->axiom_count; i++) {
    flow->axiom = hdi_cw_and(flow, flow->axiom, hdi_cw_expr(&outside, flow->program->axioms[i].expr));
  }
}

static void add_token(hdi_cw_flow *flow) {
  flow->token = HD_NONE;
  for (uint32_t i = 0; i < flow->program->body_count && flow->token == HD_NONE; i++) {
    if (flow->program->bodies[i].has_watomic) {
      flow->token = hdi_cw_add_var(
          flow, &(hdi_cw_variable){.name = "the watomic token", .hi = 1, .thread = HD_NONE, .hidden = true});
    }
  }
}

hd_status hdi_cw_flow_make(const hd_cw_program *program, const hdi_cw_flow_options *options, hdi_cw_flow *flow) {
  *flow = (hdi_cw_flow){.program = program,
                        .access = options->access,
                        .start_apart = options->start_apart,
                        .unfused = options->unfused,
                        .status = HD_OK};
  flow->arena = hd_arena_new();
  if (flow->arena == NULL) {
    return flow->status = HD_E_NOMEM;
  }
  add_globals(flow);
  add_axioms(flow);
  add_token(flow);
  for (uint32_t i = 0; i < program->body_count && flow->status == HD_OK; i++) {
    const hd_cw_body *body = &program->bodies[i];
    if (body->thread) {
      hdi_cw_thread thread = {.name = body->name.text, .body = i, .daemon = body->daemon};
      hdi_cw_fail(flow, hdi_cw_threads_push(&flow->threads, thread));
    }
  }
  /* Putting one thread may add others at the end. */
  for (uint32_t i = 0; i < flow->threads.count && flow->status == HD_OK; i++) {
    hdi_cw_put_thread(flow, i);
  }
  return flow->status;
}

void hdi_cw_flow_clear(hdi_cw_flow *flow) {
  hdi_cw_variables_free(&flow->vars);
  hdi_cw_threads_free(&flow->threads);
  hdi_cw_locs_free(&flow->locs);
  hdi_cw_edges_free(&flow->edges);
  hd_arena_free(flow->arena);
  flow->arena = NULL;
}

/* ---- what steps touch ---- */

static bool counts(const hdi_cw_variable *var, bool ghosts) {
  return var->thread == HD_NONE && !var->hidden && (ghosts || !var->ghost);
}

static bool reads_shared(const hdi_cw_flow *flow, const hdi_cw_node *node, bool ghosts) {
  if (node == NULL) {
    return false;
  }
  bool var = node->kind == HDI_CW_NODE_VAR || node->kind == HDI_CW_NODE_ELEMENT;
  return node->kind == HDI_CW_NODE_ENDED || (var && counts(&flow->vars.data[node->var], ghosts)) ||
         reads_shared(flow, node->a, ghosts) || reads_shared(flow, node->b, ghosts);
}

bool hdi_cw_edge_touches_shared(const hdi_cw_flow *flow, const hdi_cw_edge *edge, bool ghosts) {
  bool touches = reads_shared(flow, edge->guard, ghosts);
  for (const hdi_cw_action *action = edge->actions; action != NULL && !touches; action = action->next) {
    touches = action->kind == HDI_CW_START ||
              (action->kind == HDI_CW_SET && counts(&flow->vars.data[action->var], ghosts)) ||
              reads_shared(flow, action->index, ghosts) || reads_shared(flow, action->value, ghosts);
  }
  return touches;
}
