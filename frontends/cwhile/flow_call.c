/* Calls and async: what parameters stand for, and the variables of bodies.
 *
 *   call    from --arguments--> body ... to; without values to hand over and locals to reset there is no such step
 *   async   from --start--> to, and one more thread, put later
 *
 * The variables of a procedure that a thread calls several times are shared by the calls, since only one goes on at a
 * time; each call resets the locals. An index of a reference that is not a constant is kept in a hidden variable, so
 * that the parameter stands for the element that was meant when the call was made.
 * Cost: linear in the inlined program. */
#include "frontends/cwhile/flow.h"

bool hdi_cw_call_has_values(const hd_cw_program *program, const hd_cw_stmt *call) {
  const hd_cw_body *callee = &program->bodies[call->proc];
  for (uint32_t i = 0; i < callee->var_count; i++) {
    if (!callee->vars[i].reference) {
      return true;
    }
  }
  for (const hd_cw_argument *argument = call->arguments; argument != NULL; argument = argument->next) {
    const hd_cw_expr *index = argument->expr->ref.index;
    if (index != NULL && index->kind != HD_CW_CONST) {
      return true;
    }
  }
  return false;
}

/* Variables for the values of a body, one after another. */
static uint32_t add_frame(hdi_cw_flow *flow, uint32_t thread, const hd_cw_body *body, bool qualified) {
  uint32_t first = (uint32_t)flow->vars.count;
  for (uint32_t i = 0; i < body->var_count && flow->status == HD_OK; i++) {
    const hd_cw_var *var = &body->vars[i];
    if (var->reference) {
      continue;
    }
    const char *name =
        qualified ? hd_arena_printf(flow->arena, "%s.%s", body->name.text, var->name.text) : var->name.text;
    hdi_cw_fail(flow, name == NULL ? HD_E_NOMEM : HD_OK);
    (void)hdi_cw_add_var(flow, &(hdi_cw_variable){.name = name,
                                                  .lo = var->lo,
                                                  .hi = var->hi,
                                                  .init_lo = var->init_lo,
                                                  .init_hi = var->init_hi,
                                                  .length = var->length,
                                                  .thread = thread,
                                                  .is_bool = var->type == HD_CW_TYPE_BOOL,
                                                  .is_lock = var->type == HD_CW_TYPE_LOCK,
                                                  .ghost = var->ghost});
  }
  return first;
}

static hdi_cw_binding *new_bindings(hdi_cw_flow *flow, const hd_cw_body *body) {
  hdi_cw_binding *bindings =
      hd_arena_alloc_array(flow->arena, body->var_count == 0 ? 1 : body->var_count, sizeof *bindings);
  hdi_cw_fail(flow, bindings == NULL ? HD_E_NOMEM : HD_OK);
  return bindings;
}

const hdi_cw_binding *hdi_cw_own_bindings(hdi_cw_flow *flow, uint32_t thread, const hd_cw_body *body) {
  hdi_cw_binding *bindings = new_bindings(flow, body);
  uint32_t first = add_frame(flow, thread, body, false);
  for (uint32_t i = 0; bindings != NULL && i < body->var_count; i++) {
    bindings[i] = (hdi_cw_binding){first + i, NULL};
  }
  return bindings;
}

/* What a reference parameter stands for, in a variable of `thread` (HD_NONE: shared) if it has to be kept. */
static hdi_cw_binding bind_reference(hdi_cw_context *here, const hd_cw_expr *expr, uint32_t thread,
                                     hdi_cw_action **actions) {
  hdi_cw_binding binding = hdi_cw_bind(here, &expr->ref);
  if (expr->ref.index == NULL || expr->ref.index->kind == HD_CW_CONST) {
    return binding;
  }
  uint32_t kept = hdi_cw_add_var(
      here->flow,
      &(hdi_cw_variable){
          .name = "an index handed over", .lo = INT64_MIN / 4, .hi = INT64_MAX / 4, .thread = thread, .hidden = true});
  hdi_cw_set(here->flow, actions, kept, NULL, binding.index);
  binding.index = hdi_cw_var(here->flow, kept);
  return binding;
}

static void reset_local(hdi_cw_flow *flow, uint32_t var, hdi_cw_action **actions) {
  const hdi_cw_variable *local = &flow->vars.data[var];
  const hdi_cw_node *init = hdi_cw_const(flow, local->init_lo);
  uint32_t length = local->length;
  for (uint32_t i = 0; i < (length == 0 ? 1 : length) && flow->status == HD_OK; i++) {
    hdi_cw_set(flow, actions, var, length == 0 ? NULL : hdi_cw_const(flow, i), init);
  }
}

/* Binds the parameters and locals of a call; gives what has to be done for them. */
static hdi_cw_binding *bind_call(hdi_cw_context *here, const hd_cw_stmt *stmt, hdi_cw_action **actions) {
  hdi_cw_flow *flow = here->flow;
  const hd_cw_body *callee = &flow->program->bodies[stmt->proc];
  hdi_cw_binding *bindings = new_bindings(flow, callee);
  if (here->frames[stmt->proc] == HD_NONE) {
    here->frames[stmt->proc] = add_frame(flow, here->thread, callee, true);
  }
  uint32_t next = here->frames[stmt->proc];
  const hd_cw_argument *argument = stmt->arguments;
  for (uint32_t i = 0; i < callee->var_count && flow->status == HD_OK; i++) {
    const hd_cw_var *var = &callee->vars[i];
    if (var->reference) {
      bindings[i] = bind_reference(here, argument->expr, here->thread, actions);
    } else {
      bindings[i] = (hdi_cw_binding){next++, NULL};
      if (var->parameter) {
        hdi_cw_set(flow, actions, bindings[i].var, NULL, hdi_cw_expr(here, argument->expr));
      } else {
        reset_local(flow, bindings[i].var, actions);
      }
    }
    argument = var->parameter ? argument->next : argument;
  }
  return bindings;
}

void hdi_cw_put_call(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  hdi_cw_flow *flow = here->flow;
  const hd_cw_body *callee = &flow->program->bodies[stmt->proc];
  hdi_cw_action *actions = NULL;
  hdi_cw_binding *bindings = bind_call(here, stmt, &actions);
  bool empty = hdi_cw_list_is_empty(flow->program, callee->first);
  if (actions != NULL && flow->status == HD_OK) {
    uint32_t begin = empty ? to : hdi_cw_add_loc(here);
    hdi_cw_edge edge = {.from = from, .to = begin, .actions = actions, .kind = HD_EDGE_INTERNAL, .stmt = stmt};
    hdi_cw_add_edge(here, edge);
    from = begin;
  }
  if (!empty && flow->status == HD_OK) {
    const hd_cw_body *body = here->body;
    const hdi_cw_binding *outer = here->bindings;
    here->body = callee;
    here->bindings = bindings;
    hdi_cw_put_list(here, callee->first, from, to);
    here->body = body;
    here->bindings = outer;
  }
}

void hdi_cw_put_async(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to) {
  hdi_cw_flow *flow = here->flow;
  const hd_cw_body *callee = &flow->program->bodies[stmt->proc];
  uint32_t number = (uint32_t)flow->threads.count;
  hd_position position = hd_text_position(flow->program->text, stmt->span.begin);
  hdi_cw_thread thread = {.body = stmt->proc, .async = stmt};
  thread.name = hd_arena_printf(flow->arena, "%s@%u", callee->name.text, (unsigned)position.line);
  hdi_cw_binding *bindings = new_bindings(flow, callee);
  hdi_cw_edge edge = {.from = from, .to = to, .kind = HD_EDGE_SPAWN, .stmt = stmt};
  hdi_cw_action *start = hdi_cw_act(flow, &edge.actions, HDI_CW_START);
  const hdi_cw_node **arguments =
      hd_arena_alloc_array(flow->arena, (size_t)callee->parameter_count + 1, sizeof(void *));
  if (thread.name == NULL || start == NULL || bindings == NULL || arguments == NULL) {
    hdi_cw_fail(flow, HD_E_NOMEM);
    return;
  }
  uint32_t next = add_frame(flow, number, callee, false); /* its first variables are the values handed over */
  const hd_cw_argument *argument = stmt->arguments;
  for (uint32_t i = 0; i < callee->var_count && flow->status == HD_OK; i++) {
    const hd_cw_var *var = &callee->vars[i];
    if (var->reference) {
      bindings[i] = bind_reference(here, argument->expr, HD_NONE, &edge.actions);
    } else {
      bindings[i] = (hdi_cw_binding){next++, NULL};
      if (var->parameter) {
        arguments[start->argument_count++] = hdi_cw_expr(here, argument->expr);
      }
    }
    argument = var->parameter ? argument->next : argument;
  }
  thread.bindings = bindings;
  start->thread = number;
  start->arguments = arguments;
  if (stmt->has_target) {
    hdi_cw_binding target = hdi_cw_bind(here, &stmt->target);
    hdi_cw_set(flow, &edge.actions, target.var, target.index,
               hdi_cw_const(flow, (int64_t)number - (int64_t)flow->program->thread_count + 1));
  }
  hdi_cw_fail(flow, hdi_cw_threads_push(&flow->threads, thread));
  hdi_cw_add_edge(here, edge);
}
