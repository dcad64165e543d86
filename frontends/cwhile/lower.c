/* Turns a flow into a model.
 *
 *   process   a thread, one instance; instance number = thread number. Threads that async starts are dead at first, and
 *             dead again when they have ended, so that they can be started anew
 *   location  the flow's; `inner` ones are HD_LOC_ATOMIC; in a program with yields, those where others may not move are
 *             exclusive
 *   guard     axioms && watomic's token && the statement's own
 *   err       set by a failed assert, kept for ever (keep_err)
 *   turn      who alone may move: 0 nobody, t+1 thread t (schedules); released at the end of a thread, and before an
 *             await, lock or join when runs are preemption-free
 *   last      who moved last (count_switches): each edge of a block's outside becomes two, of weight 0 and 1
 *
 * Threads of the text are daemons as marked: all their locations then are. Threads: one lowering, one thread. Cost:
 * linear. */
#include "frontends/cwhile/lower.h"

#include "core/model/arith.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct lowerer {
  hd_cw_lowering *out;
  const hdi_cw_flow *flow;
  const hd_cw_lower_options *options;
  hd_builder *builder;
  hd_process *processes; /* per thread */
  hd_loc *locs;          /* per location of the flow */
  hd_var turn, last;
  hd_expr axiom;
} lowerer;

#define HD_ARRAY_NAME stmts
#define HD_ARRAY_TYPE hd_stmt
#include "core/base/array.h"
#define HD_ARRAY_NAME exprs
#define HD_ARRAY_TYPE hd_expr
#include "core/base/array.h"

/* ---- expressions ---- */

static hd_expr op(const lowerer *l, hd_op kind, hd_expr a, hd_expr b) {
  return hd_build_op(l->builder, kind, a, b, HD_NO_EXPR);
}

static hd_expr constant(const lowerer *l, int64_t value) {
  return hd_build_const(l->builder, value);
}

/* a && b, where HD_NO_EXPR is true. */
static hd_expr both(const lowerer *l, hd_expr a, hd_expr b) {
  return a.v == 0 ? b : b.v == 0 ? a : op(l, HD_OP_AND, a, b);
}

static hd_expr lower_node(const lowerer *l, const hdi_cw_node *node);

/* Some thread that async starts has this number and is dead. */
static hd_expr lower_ended(const lowerer *l, const hdi_cw_node *node) {
  hd_expr any = constant(l, 0);
  uint32_t first = l->flow->program->thread_count;
  for (uint32_t t = first; t < l->flow->threads.count; t++) {
    hd_expr named = op(l, HD_OP_EQ, lower_node(l, node->a), constant(l, (int64_t)(t - first) + 1));
    hd_expr dead = hd_build_at(l->builder, 0, hd_build_dead(l->builder, l->processes[t]));
    any = op(l, HD_OP_OR, any, op(l, HD_OP_AND, named, dead));
  }
  return any;
}

static hd_expr lower_node(const lowerer *l, const hdi_cw_node *node) {
  switch (node->kind) {
    case HDI_CW_NODE_CONST:
      return constant(l, node->value);
    case HDI_CW_NODE_VAR:
      return hd_build_read(l->builder, l->out->vars[node->var]);
    case HDI_CW_NODE_ELEMENT:
      return hd_build_read_at(l->builder, l->out->vars[node->var], lower_node(l, node->a));
    case HDI_CW_NODE_ENDED:
      return lower_ended(l, node);
    case HDI_CW_NODE_OP:
      break;
  }
  hd_expr a = lower_node(l, node->a);
  return op(l, node->op, a, node->b == NULL ? HD_NO_EXPR : lower_node(l, node->b));
}

/* ---- variables, processes, locations ---- */

static void build_processes(lowerer *l) {
  for (uint32_t t = 0; t < l->flow->threads.count; t++) {
    const hdi_cw_thread *thread = &l->flow->threads.data[t];
    l->processes[t] = hd_build_process(
        l->builder,
        &(hd_process_desc){.name = thread->name, .instances = 1, .started = thread->async == NULL ? 1u : 0u});
  }
}

static hd_var build_extra(const lowerer *l, const char *name, int64_t hi) {
  return hd_build_var(l->builder, &(hd_var_desc){.name = name, .hi = hi, .process = HD_NO_PROCESS});
}

static void build_vars(lowerer *l) {
  for (uint32_t i = 0; i < l->flow->vars.count; i++) {
    const hdi_cw_variable *var = &l->flow->vars.data[i];
    l->out->vars[i] = hd_build_var(
        l->builder, &(hd_var_desc){.name = var->name,
                                   .lo = var->lo,
                                   .hi = var->hi,
                                   .init_lo = var->init_lo,
                                   .init_hi = var->init_hi,
                                   .length = var->length,
                                   .process = var->thread == HD_NONE ? HD_NO_PROCESS : l->processes[var->thread]});
  }
  int64_t threads = (int64_t)l->flow->threads.count;
  l->out->err = l->options->keep_err ? build_extra(l, "err", 1) : HD_NO_VAR;
  l->turn = l->options->schedule != HD_CW_SCHEDULE_ANY ? build_extra(l, "turn", threads) : HD_NO_VAR;
  l->last = l->options->count_switches ? build_extra(l, "last", threads) : HD_NO_VAR;
}

static uint32_t loc_flags(const lowerer *l, const hdi_cw_loc *loc) {
  uint32_t flags = loc->end ? HD_LOC_END : 0;
  if (loc->inner) {
    return flags | HD_LOC_ATOMIC;
  }
  if (l->flow->threads.data[loc->thread].daemon) {
    flags |= HD_LOC_DAEMON;
  }
  return l->flow->program->has_yield && !loc->free ? flags | HD_LOC_EXCLUSIVE : flags;
}

/* A thread's first location is built first: that is where it starts. */
static void build_locs(lowerer *l) {
  const hdi_cw_flow *flow = l->flow;
  for (uint32_t i = 0; i < flow->locs.count; i++) {
    const hdi_cw_loc *loc = &flow->locs.data[i];
    hd_process process = l->processes[loc->thread];
    if (loc->end && flow->threads.data[loc->thread].async != NULL) {
      l->locs[i] = hd_build_dead(l->builder, process);
      continue;
    }
    char name[32];
    (void)snprintf(name, sizeof name, "%u", (unsigned)i);
    l->locs[i] = hd_build_loc(l->builder, process, loc->end ? "end" : name, loc_flags(l, loc), i);
  }
}

/* ---- edges ---- */

static void add_check(const lowerer *l, const hdi_cw_action *action, stmts *list, hd_status *status) {
  hd_expr value = lower_node(l, action->value);
  hd_status pushed = stmts_push(list, (hd_stmt){.kind = HD_STMT_CHECK, .a = value});
  if (pushed == HD_OK && l->options->keep_err) {
    hd_expr err = hd_build_read(l->builder, l->out->err);
    hd_expr kept = hd_build_op(l->builder, HD_OP_COND, lower_node(l, action->value), err, constant(l, 1));
    pushed = stmts_push(list, (hd_stmt){.kind = HD_STMT_ASSIGN, .var = l->out->err, .a = kept});
  }
  *status = *status == HD_OK ? pushed : *status;
}

static void add_actions(const lowerer *l, const hdi_cw_edge *edge, stmts *list, exprs *arguments, hd_status *status) {
  for (const hdi_cw_action *action = edge->actions; action != NULL && *status == HD_OK; action = action->next) {
    hd_stmt stmt = {.kind = HD_STMT_ASSIGN};
    switch (action->kind) {
      case HDI_CW_CHECK:
        add_check(l, action, list, status);
        continue;
      case HDI_CW_SET:
        stmt.var = l->out->vars[action->var];
        stmt.index = action->index == NULL ? HD_NO_EXPR : lower_node(l, action->index);
        stmt.a = lower_node(l, action->value);
        break;
      case HDI_CW_START: /* at most one in an edge */
        for (uint32_t i = 0; i < action->argument_count && *status == HD_OK; i++) {
          *status = exprs_push(arguments, lower_node(l, action->arguments[i]));
        }
        stmt.kind = HD_STMT_SPAWN;
        stmt.process = l->processes[action->thread];
        stmt.arguments = arguments->data;
        stmt.argument_count = (uint32_t)arguments->count;
        break;
    }
    if (*status == HD_OK) {
      *status = stmts_push(list, stmt);
    }
  }
}

static hd_status set(const lowerer *l, hd_var var, int64_t value, stmts *list) {
  return stmts_push(list, (hd_stmt){.kind = HD_STMT_ASSIGN, .var = var, .a = constant(l, value)});
}

/* Who may move after a step to `to`: 0 for anybody. */
static int64_t turn_after(const lowerer *l, const hdi_cw_loc *to) {
  bool released = to->end || (l->options->schedule == HD_CW_SCHEDULE_PREEMPTION_FREE && to->waits && !to->inner);
  return released ? 0 : (int64_t)to->thread + 1;
}

static hd_status build_edge(const lowerer *l, uint32_t number, stmts *list, exprs *arguments) {
  const hdi_cw_edge *edge = &l->flow->edges.data[number];
  const hdi_cw_loc *from = &l->flow->locs.data[edge->from], *to = &l->flow->locs.data[edge->to];
  hd_status status = HD_OK;
  hd_expr guard = edge->guard == NULL ? HD_NO_EXPR : lower_node(l, edge->guard);
  guard = both(l, l->axiom, guard);
  int64_t mover = (int64_t)edge->thread + 1;
  stmts_clear(list);
  exprs_clear(arguments);
  add_actions(l, edge, list, arguments, &status);
  if (l->turn.v != HD_NONE && status == HD_OK) {
    hd_expr turn = hd_build_read(l->builder, l->turn);
    hd_expr free = op(l, HD_OP_EQ, turn, constant(l, 0)), own = op(l, HD_OP_EQ, turn, constant(l, mover));
    guard = from->inner ? guard : both(l, op(l, HD_OP_OR, free, own), guard);
    status = set(l, l->turn, turn_after(l, to), list);
  }
  hd_edge_desc desc = {.from = l->locs[edge->from],
                       .to = l->locs[edge->to],
                       .kind = edge->kind,
                       .weight = 1,
                       .span = edge->stmt->span,
                       .statement = edge->stmt->number,
                       .tag = number};
  bool counts = l->last.v != HD_NONE && !from->inner;
  if (counts && status == HD_OK) {
    status = set(l, l->last, mover, list);
  }
  for (int same = counts ? 1 : 0; same >= 0 && status == HD_OK; same--) {
    desc.guard = guard;
    desc.weight = same == 1 ? 0 : 1;
    if (counts) {
      hd_expr last = hd_build_read(l->builder, l->last);
      desc.guard = both(l, op(l, same == 1 ? HD_OP_EQ : HD_OP_NE, last, constant(l, mover)), guard);
    }
    desc.stmts = list->data;
    desc.stmt_count = (uint32_t)list->count;
    (void)hd_build_edge(l->builder, &desc);
  }
  return status;
}

static hd_status build(lowerer *l) {
  build_processes(l);
  build_vars(l);
  build_locs(l);
  l->axiom = l->flow->axiom == NULL ? HD_NO_EXPR : lower_node(l, l->flow->axiom);
  stmts list = {0};
  exprs arguments = {0};
  hd_status status = HD_OK;
  for (uint32_t i = 0; i < l->flow->edges.count && status == HD_OK; i++) {
    status = build_edge(l, i, &list, &arguments);
  }
  stmts_free(&list);
  exprs_free(&arguments);
  return status;
}

static hd_status make_model(lowerer *l) {
  size_t threads = l->flow->threads.count, locs = l->flow->locs.count, vars = l->flow->vars.count;
  l->processes = calloc(threads, sizeof *l->processes);
  l->locs = calloc(locs, sizeof *l->locs);
  l->out->vars = calloc(vars == 0 ? 1 : vars, sizeof *l->out->vars);
  l->builder = hd_builder_new();
  hd_status status = HD_E_NOMEM;
  if (l->processes != NULL && l->locs != NULL && l->out->vars != NULL && l->builder != NULL) {
    status = build(l);
    if (status == HD_OK) {
      status = hd_builder_finish(l->builder, &l->out->model);
      l->builder = NULL; /* consumed */
    }
  }
  hd_builder_free(l->builder);
  free(l->processes);
  free(l->locs);
  return status;
}

hd_status hd_cw_lower(const hd_cw_program *program, const hd_cw_lower_options *options, hd_cw_lowering **out) {
  *out = NULL;
  hd_cw_lowering *lowering = calloc(1, sizeof *lowering);
  if (lowering == NULL) {
    return HD_E_NOMEM;
  }
  lowering->program = program;
  lowering->err = HD_NO_VAR;
  hdi_cw_flow_options flow = {options->access, options->start_apart, options->unfused};
  hd_status status = hdi_cw_flow_make(program, &flow, &lowering->flow);
  if (status == HD_OK) {
    uint64_t longest = 0;
    status = hdi_cw_longest_run(&lowering->flow, &longest);
    lowering->has_loop = longest == UINT64_MAX;
  }
  if (status == HD_OK && !options->wide) {
    status = hdi_cw_narrow(&lowering->flow);
  }
  if (status == HD_OK) {
    lowerer l = {.out = lowering, .flow = &lowering->flow, .options = options};
    status = make_model(&l);
  }
  if (status != HD_OK) {
    hd_cw_lowering_free(lowering);
    return status;
  }
  *out = lowering;
  return HD_OK;
}

void hd_cw_lowering_free(hd_cw_lowering *lowering) {
  if (lowering != NULL) {
    hd_model_free(lowering->model);
    hdi_cw_flow_clear(&lowering->flow);
    free(lowering->vars);
    free(lowering);
  }
}

/* ---- states ---- */

/* The flow's location of a thread; NULL when it is dead. */
static const hdi_cw_loc *location(const hd_cw_lowering *lowering, const uint64_t *state, uint32_t thread) {
  hd_loc loc = hd_model_location(lowering->model, state, thread);
  return hd_model_loc_is_dead(lowering->model, loc) ? NULL
                                                    : &lowering->flow.locs.data[hd_model_loc_tag(lowering->model, loc)];
}

const hdi_cw_edge *hdi_cw_edge_of(const hd_cw_lowering *lowering, hd_edge edge) {
  return &lowering->flow.edges.data[hd_model_edge_tag(lowering->model, edge)];
}

bool hd_cw_all_ended(const hd_cw_lowering *lowering, const uint64_t *state) {
  for (uint32_t t = 0; t < lowering->flow.threads.count; t++) {
    const hdi_cw_loc *loc = location(lowering, state, t);
    if (loc != NULL && !loc->end && !lowering->flow.threads.data[t].daemon) {
      return false;
    }
  }
  return true;
}

/* The value of an axiom in a state: globals, no faults that matter (a fault counts as false, as it stops every step).
 */
static bool axiom_value(const hd_cw_lowering *lowering, const uint64_t *state, const hdi_cw_node *node, int64_t *out);

static bool axiom_holds(const hd_cw_lowering *lowering, const uint64_t *state) {
  int64_t value = 0;
  const hdi_cw_node *axiom = lowering->flow.axiom;
  return axiom == NULL || (axiom_value(lowering, state, axiom, &value) && value != 0);
}

static bool axiom_logical(const hd_cw_lowering *lowering, const uint64_t *state, const hdi_cw_node *node,
                          int64_t *out) {
  int64_t a = 0, b = 0;
  if (!axiom_value(lowering, state, node->a, &a)) {
    return false;
  }
  if ((a != 0) == (node->op == HD_OP_OR)) {
    *out = a != 0;
    return true;
  }
  if (!axiom_value(lowering, state, node->b, &b)) {
    return false;
  }
  *out = b != 0;
  return true;
}

static bool axiom_value(const hd_cw_lowering *lowering, const uint64_t *state, const hdi_cw_node *node, int64_t *out) {
  int64_t a = 0, b = 0;
  switch (node->kind) {
    case HDI_CW_NODE_CONST:
      *out = node->value;
      return true;
    case HDI_CW_NODE_VAR:
      *out = hd_model_value(lowering->model, state, lowering->vars[node->var], 0, 0);
      return true;
    case HDI_CW_NODE_ELEMENT:
      if (!axiom_value(lowering, state, node->a, &a) || a < 0 ||
          a >= (int64_t)lowering->flow.vars.data[node->var].length) {
        return false;
      }
      *out = hd_model_value(lowering->model, state, lowering->vars[node->var], 0, (uint32_t)a);
      return true;
    case HDI_CW_NODE_ENDED:
      return false; /* joins are no expressions */
    case HDI_CW_NODE_OP:
      break;
  }
  if (node->op == HD_OP_AND || node->op == HD_OP_OR) {
    return axiom_logical(lowering, state, node, out);
  }
  return axiom_value(lowering, state, node->a, &a) && (node->b == NULL || axiom_value(lowering, state, node->b, &b)) &&
         hdi_arith(node->op, a, b, out) == HD_FAULT_NONE;
}

uint32_t hd_cw_classify(const void *context, const hd_model *model, const uint64_t *state) {
  (void)model;
  const hd_cw_lowering *lowering = context;
  if (hd_cw_all_ended(lowering, state) || !axiom_holds(lowering, state)) {
    return 0;
  }
  for (uint32_t t = 0; t < lowering->flow.threads.count; t++) {
    const hdi_cw_loc *loc = location(lowering, state, t);
    if (loc != NULL && loc->assumes) {
      return 0;
    }
  }
  return HD_CW_STOP_DEADLOCK;
}

uint32_t hd_cw_must_go_on(const void *context, const hd_model *model, const uint64_t *state, uint32_t instance) {
  (void)model;
  const hd_cw_lowering *lowering = context;
  const hdi_cw_loc *loc = location(lowering, state, instance);
  bool may_stay = loc == NULL || loc->end || loc->assumes || lowering->flow.threads.data[instance].daemon;
  return may_stay ? 0 : HD_CW_STOP_DEADLOCK;
}

bool hd_cw_predicate(const void *context, const hd_model *model, const uint64_t *state, uint32_t index) {
  const hd_cw_lowering *lowering = context;
  if (hd_model_value(model, state, lowering->err, 0, 0) == 0) {
    return false;
  }
  return index == 0 || hd_cw_all_ended(lowering, state);
}
