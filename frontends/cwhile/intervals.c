/* Which values variables can have: intervals, so that states pack tightly.
 *
 *   own scalars of a thread       one interval per location: conditions and assignments on the way count
 *   shared variables and arrays   one interval for the whole run; a condition counts inside its own step alone
 *
 * A round applies every edge to what the round before knew. Rounds from the initial values give after n of them all
 * values of runs of n steps; where no thread has a loop the longest run is known, and that many rounds suffice, even if
 * the intervals would still grow: a lost update of eight threads needs 4 bits, not 32. Otherwise rounds go on until
 * nothing changes; after a few, a bound that still moves jumps to the next number of the program in its direction,
 * then to the end of the declared domain.
 * Sound because a value outside the declared domain is a fault and has no successor, every other value is inside the
 * interval found, and the model reports a fault when a value leaves the interval: it then left the domain as well.
 * Threads: one analysis, one thread. Cost: edges x rounds; rounds <= longest run, or bounds x numbers of the program.
 * @source P. Cousot, R. Cousot: Abstract interpretation (1977), intervals with widening to thresholds. */
#include "frontends/cwhile/intervals.h"

#include "frontends/cwhile/lower.h"

#include <stdlib.h>
#include <string.h>

/* Rounds before bounds jump, and the most work (edges x rounds) spent on runs of known length. */
#define PATIENCE 8u
#define WORK_MAX ((uint64_t)1 << 24)

#define HD_ARRAY_NAME numbers
#define HD_ARRAY_TYPE int64_t
#include "core/base/array.h"

typedef struct analysis {
  hdi_cw_flow *flow;
  uint32_t *own;       /* per variable: its place among its thread's scalars; HD_NONE: not one */
  size_t *base;        /* per location: where its intervals begin */
  uint32_t *own_count; /* per thread */
  size_t cells;
  hdi_cw_interval *before, *after; /* of own scalars per location */
  hdi_cw_interval *shared_before, *shared_after;
  bool *reached, *reached_after;
  hdi_cw_interval *here; /* all variables, during one edge */
  numbers thresholds;    /* sorted */
  bool changed, widen;
  hd_status status;
} analysis;

/* ---- values ---- */

static hdi_cw_interval eval(const analysis *a, const hdi_cw_node *node);

/* The second operand may be one that always has a fault: what the first one decides has a value all the same. */
static hdi_cw_interval eval_logical(const analysis *a, const hdi_cw_node *node) {
  bool both = node->op == HD_OP_AND;
  hdi_cw_interval left = eval(a, node->a), right = eval(a, node->b);
  if (hdi_cw_is_empty(left) || !hdi_cw_is_empty(right)) {
    return hdi_cw_interval_op(node->op, left, right);
  }
  bool decides = both ? left.lo <= 0 && left.hi >= 0 : left.lo != 0 || left.hi != 0;
  return !decides ? HDI_CW_EMPTY : both ? (hdi_cw_interval){0, 0} : (hdi_cw_interval){1, 1};
}

static hdi_cw_interval eval(const analysis *a, const hdi_cw_node *node) {
  switch (node->kind) {
    case HDI_CW_NODE_CONST:
      return (hdi_cw_interval){node->value, node->value};
    case HDI_CW_NODE_VAR:
    case HDI_CW_NODE_ELEMENT:
      return a->here[node->var];
    case HDI_CW_NODE_ENDED:
      return (hdi_cw_interval){0, 1};
    case HDI_CW_NODE_OP:
      break;
  }
  if (node->op == HD_OP_AND || node->op == HD_OP_OR) {
    return eval_logical(a, node);
  }
  hdi_cw_interval left = eval(a, node->a);
  return hdi_cw_interval_op(node->op, left, node->b == NULL ? left : eval(a, node->b));
}

static hd_op mirrored(hd_op op) {
  return op == HD_OP_LT   ? HD_OP_GT
         : op == HD_OP_GT ? HD_OP_LT
         : op == HD_OP_LE ? HD_OP_GE
         : op == HD_OP_GE ? HD_OP_LE
                          : op;
}

static hd_op negated(hd_op op) {
  return op == HD_OP_LT   ? HD_OP_GE
         : op == HD_OP_GE ? HD_OP_LT
         : op == HD_OP_LE ? HD_OP_GT
         : op == HD_OP_GT ? HD_OP_LE
         : op == HD_OP_EQ ? HD_OP_NE
                          : HD_OP_EQ;
}

/* What is left of `old` when it compares so with some value of b. */
static hdi_cw_interval narrowed(hdi_cw_interval old, hd_op op, hdi_cw_interval b) {
  if (hdi_cw_is_empty(b)) {
    return HDI_CW_EMPTY;
  }
  if (op == HD_OP_EQ) {
    return hdi_cw_meet(old, b);
  }
  if (op == HD_OP_LT || op == HD_OP_LE) {
    int64_t bound = op == HD_OP_LT && b.hi > INT64_MIN ? b.hi - 1 : b.hi;
    return hdi_cw_meet(old, (hdi_cw_interval){INT64_MIN, bound});
  }
  if (op == HD_OP_GT || op == HD_OP_GE) {
    int64_t bound = op == HD_OP_GT && b.lo < INT64_MAX ? b.lo + 1 : b.lo;
    return hdi_cw_meet(old, (hdi_cw_interval){bound, INT64_MAX});
  }
  if (b.lo == b.hi && old.lo == b.lo && old.lo < INT64_MAX) { /* NE at an end */
    old.lo++;
  }
  if (b.lo == b.hi && old.hi == b.hi && old.hi > INT64_MIN) {
    old.hi--;
  }
  return old;
}

static bool is_comparison(hd_op op) {
  return op == HD_OP_EQ || op == HD_OP_NE || op == HD_OP_LT || op == HD_OP_LE || op == HD_OP_GT || op == HD_OP_GE;
}

/* Takes into account that the condition holds, or does not. */
static void refine(analysis *a, const hdi_cw_node *node, bool holds) {
  if (node->kind == HDI_CW_NODE_VAR) {
    a->here[node->var] = narrowed(a->here[node->var], holds ? HD_OP_NE : HD_OP_EQ, (hdi_cw_interval){0, 0});
    return;
  }
  if (node->kind != HDI_CW_NODE_OP) {
    return;
  }
  if (node->op == HD_OP_NOT) {
    refine(a, node->a, !holds);
  } else if ((node->op == HD_OP_AND && holds) || (node->op == HD_OP_OR && !holds)) {
    refine(a, node->a, holds);
    refine(a, node->b, holds);
  } else if (is_comparison(node->op)) {
    hd_op op = holds ? node->op : negated(node->op);
    hdi_cw_interval left = eval(a, node->a), right = eval(a, node->b);
    if (node->a->kind == HDI_CW_NODE_VAR) {
      a->here[node->a->var] = narrowed(left, op, right);
    }
    if (node->b->kind == HDI_CW_NODE_VAR) {
      a->here[node->b->var] = narrowed(right, mirrored(op), left);
    }
  }
}

/* ---- joining ---- */

/* The next number of the program in the direction of a bound that moved, at most the declared domain. */
static hdi_cw_interval jump(const analysis *a, hdi_cw_interval old, hdi_cw_interval fresh, const hdi_cw_variable *var) {
  hdi_cw_interval wide = {fresh.lo < old.lo ? var->lo : fresh.lo, fresh.hi > old.hi ? var->hi : fresh.hi};
  for (size_t i = 0; i < a->thresholds.count; i++) {
    int64_t at = a->thresholds.data[i];
    if (fresh.lo < old.lo && at <= fresh.lo && at > wide.lo) {
      wide.lo = at;
    }
    if (fresh.hi > old.hi && at >= fresh.hi && at < wide.hi) {
      wide.hi = at;
    }
  }
  return wide;
}

static void join_into(analysis *a, hdi_cw_interval *place, hdi_cw_interval value, const hdi_cw_variable *var) {
  value = hdi_cw_meet(value, (hdi_cw_interval){var->lo, var->hi}); /* outside is a fault */
  if (hdi_cw_is_empty(value)) {
    return;
  }
  hdi_cw_interval old = *place, fresh = hdi_cw_join(old, value);
  if (old.lo == fresh.lo && old.hi == fresh.hi) {
    return;
  }
  *place = a->widen && !hdi_cw_is_empty(old) ? jump(a, old, fresh, var) : fresh;
  a->changed = true;
}

/* ---- edges ---- */

static bool load(analysis *a, const hdi_cw_edge *edge) {
  const hdi_cw_flow *flow = a->flow;
  for (uint32_t v = 0; v < flow->vars.count; v++) {
    const hdi_cw_variable *var = &flow->vars.data[v];
    bool own = a->own[v] != HD_NONE && var->thread == edge->thread;
    if (a->own[v] == HD_NONE) {
      a->here[v] = a->shared_before[v];
    } else if (own) {
      a->here[v] = a->before[a->base[edge->from] + a->own[v]];
    }
  }
  if (edge->guard != NULL) {
    hdi_cw_interval holds = eval(a, edge->guard);
    if (hdi_cw_is_empty(holds) || (holds.lo == 0 && holds.hi == 0)) {
      return false;
    }
    refine(a, edge->guard, true);
    for (uint32_t v = 0; v < flow->vars.count; v++) {
      bool read = a->own[v] == HD_NONE || flow->vars.data[v].thread == edge->thread;
      if (read && hdi_cw_is_empty(a->here[v])) {
        return false;
      }
    }
  }
  return true;
}

/* A thread starts: its first variables have the values handed over, the others their initial ones. */
static void start_thread(analysis *a, const hdi_cw_action *action) {
  hdi_cw_flow *flow = a->flow;
  uint32_t loc = flow->threads.data[action->thread].first;
  for (uint32_t v = 0; v < flow->vars.count; v++) {
    const hdi_cw_variable *var = &flow->vars.data[v];
    if (a->own[v] == HD_NONE || var->thread != action->thread) {
      continue;
    }
    hdi_cw_interval value = {var->init_lo, var->init_hi};
    if (a->own[v] < action->argument_count) {
      value = eval(a, action->arguments[a->own[v]]);
    }
    join_into(a, &a->after[a->base[loc] + a->own[v]], value, var);
  }
  a->changed = a->changed || !a->reached_after[loc];
  a->reached_after[loc] = true;
}

static void apply(analysis *a, const hdi_cw_edge *edge) {
  hdi_cw_flow *flow = a->flow;
  if (!a->reached[edge->from] || !load(a, edge)) {
    return;
  }
  for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
    if (action->kind == HDI_CW_START) {
      start_thread(a, action);
    }
    if (action->kind != HDI_CW_SET) {
      continue;
    }
    const hdi_cw_variable *var = &flow->vars.data[action->var];
    hdi_cw_interval value = hdi_cw_meet(eval(a, action->value), (hdi_cw_interval){var->lo, var->hi});
    if (hdi_cw_is_empty(value)) {
      return; /* always a fault */
    }
    if (a->own[action->var] == HD_NONE) {
      join_into(a, &a->shared_after[action->var], value, var);
    }
    a->here[action->var] = action->index == NULL ? value : hdi_cw_join(a->here[action->var], value);
  }
  for (uint32_t v = 0; v < flow->vars.count; v++) {
    const hdi_cw_variable *var = &flow->vars.data[v];
    if (a->own[v] != HD_NONE && var->thread == edge->thread) {
      join_into(a, &a->after[a->base[edge->to] + a->own[v]], a->here[v], var);
    }
  }
  a->changed = a->changed || !a->reached_after[edge->to];
  a->reached_after[edge->to] = true;
}

static void run_round(analysis *a) {
  const hdi_cw_flow *flow = a->flow;
  a->changed = false;
  for (uint32_t e = 0; e < flow->edges.count; e++) {
    apply(a, &flow->edges.data[e]);
  }
  if (a->changed) {
    memcpy(a->before, a->after, a->cells * sizeof *a->before);
    memcpy(a->shared_before, a->shared_after, flow->vars.count * sizeof *a->shared_before);
    memcpy(a->reached, a->reached_after, flow->locs.count * sizeof *a->reached);
  }
}

/* ---- loops ---- */

/* Locations of a thread are numbered as they are made, which is no order of the edges; so: depth-first search. */
typedef struct walk {
  const hdi_cw_flow *flow;
  uint32_t *first_edge, *next_edge; /* edges by location, linked */
  uint32_t *longest;                /* steps of the longest run from a location */
  uint8_t *state;                   /* 0 new, 1 on the path, 2 done */
  uint32_t *stack, *cursor;
  bool loop;
} walk;

static void walk_from(walk *w, uint32_t root) {
  size_t depth = 0;
  w->stack[depth++] = root;
  w->state[root] = 1;
  w->cursor[root] = w->first_edge[root];
  while (depth > 0) {
    uint32_t at = w->stack[depth - 1], edge = w->cursor[at];
    if (edge == HD_NONE) {
      w->state[at] = 2;
      depth--;
      continue;
    }
    uint32_t to = w->flow->edges.data[edge].to;
    if (w->state[to] == 0) {
      w->state[to] = 1;
      w->cursor[to] = w->first_edge[to];
      w->stack[depth++] = to;
      continue; /* the edge is looked at again when `to` is done */
    }
    w->loop = w->loop || w->state[to] == 1;
    if (w->longest[at] < w->longest[to] + 1) {
      w->longest[at] = w->longest[to] + 1;
    }
    w->cursor[at] = w->next_edge[edge];
  }
}

hd_status hdi_cw_longest_run(const hdi_cw_flow *flow, uint64_t *steps) {
  size_t locs = flow->locs.count, edges = flow->edges.count;
  walk w = {.flow = flow};
  w.first_edge = malloc((locs * 4 + edges + 1) * sizeof *w.first_edge);
  w.state = calloc(locs + 1, 1);
  if (w.first_edge == NULL || w.state == NULL) {
    free(w.first_edge);
    free(w.state);
    return HD_E_NOMEM;
  }
  w.longest = w.first_edge + locs;
  w.stack = w.longest + locs;
  w.cursor = w.stack + locs;
  w.next_edge = w.cursor + locs;
  for (size_t i = 0; i < locs; i++) {
    w.first_edge[i] = HD_NONE;
    w.longest[i] = 0;
  }
  for (size_t e = 0; e < edges; e++) {
    uint32_t from = flow->edges.data[e].from;
    w.next_edge[e] = w.first_edge[from];
    w.first_edge[from] = (uint32_t)e;
  }
  *steps = 0;
  for (size_t t = 0; t < flow->threads.count; t++) {
    walk_from(&w, flow->threads.data[t].first);
    *steps += w.longest[flow->threads.data[t].first];
  }
  if (w.loop) {
    *steps = UINT64_MAX;
  }
  free(w.first_edge);
  free(w.state);
  return HD_OK;
}

/* ---- the analysis ---- */

static int compare_numbers(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void add_threshold(analysis *a, int64_t value) {
  if (a->status == HD_OK) {
    a->status = numbers_push(&a->thresholds, value);
  }
}

/* Numbers of the program, and their neighbours: x < 10 leaves 9, a step beyond it gives 10. */
static void collect(analysis *a, const hdi_cw_node *node) {
  if (node == NULL) {
    return;
  }
  if (node->kind == HDI_CW_NODE_CONST && node->value > INT64_MIN && node->value < INT64_MAX) {
    add_threshold(a, node->value - 1);
    add_threshold(a, node->value);
    add_threshold(a, node->value + 1);
  }
  collect(a, node->a);
  collect(a, node->b);
}

static void collect_thresholds(analysis *a) {
  for (size_t e = 0; e < a->flow->edges.count && a->status == HD_OK; e++) {
    const hdi_cw_edge *edge = &a->flow->edges.data[e];
    collect(a, edge->guard);
    for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
      collect(a, action->value);
    }
  }
  if (a->thresholds.count > 1) {
    qsort(a->thresholds.data, a->thresholds.count, sizeof *a->thresholds.data, compare_numbers);
  }
  size_t kept = 0;
  for (size_t i = 0; i < a->thresholds.count; i++) {
    if (kept == 0 || a->thresholds.data[kept - 1] != a->thresholds.data[i]) {
      a->thresholds.data[kept++] = a->thresholds.data[i];
    }
  }
  a->thresholds.count = kept;
}

static bool allocate(analysis *a) {
  hdi_cw_flow *flow = a->flow;
  size_t vars = flow->vars.count + 1, locs = flow->locs.count + 1;
  a->own = calloc(vars, sizeof *a->own);
  a->own_count = calloc(flow->threads.count + 1, sizeof *a->own_count);
  a->base = calloc(locs, sizeof *a->base);
  if (a->own == NULL || a->own_count == NULL || a->base == NULL) {
    return false;
  }
  for (uint32_t v = 0; v < flow->vars.count; v++) {
    const hdi_cw_variable *var = &flow->vars.data[v];
    a->own[v] = var->thread == HD_NONE || var->length > 0 ? HD_NONE : a->own_count[var->thread]++;
  }
  for (size_t l = 0; l < flow->locs.count; l++) {
    a->base[l] = a->cells;
    a->cells += a->own_count[flow->locs.data[l].thread];
  }
  a->before = calloc((a->cells + vars) * 2 + vars, sizeof *a->before);
  a->reached = calloc(locs * 2, sizeof *a->reached);
  if (a->before == NULL || a->reached == NULL) {
    return false;
  }
  a->after = a->before + a->cells;
  a->shared_before = a->after + a->cells;
  a->shared_after = a->shared_before + vars;
  a->here = a->shared_after + vars;
  a->reached_after = a->reached + locs;
  return true;
}

static void begin(analysis *a) {
  const hdi_cw_flow *flow = a->flow;
  for (size_t i = 0; i < a->cells; i++) {
    a->before[i] = a->after[i] = HDI_CW_EMPTY;
  }
  for (uint32_t v = 0; v < flow->vars.count; v++) {
    const hdi_cw_variable *var = &flow->vars.data[v];
    hdi_cw_interval init = {var->init_lo, var->init_hi};
    a->shared_before[v] = a->shared_after[v] = init;
    if (a->own[v] != HD_NONE && flow->threads.data[var->thread].async == NULL) {
      size_t cell = a->base[flow->threads.data[var->thread].first] + a->own[v];
      a->before[cell] = a->after[cell] = init;
    }
  }
  for (size_t t = 0; t < flow->threads.count; t++) {
    const hdi_cw_thread *thread = &flow->threads.data[t];
    a->reached[thread->first] = a->reached_after[thread->first] = thread->async == NULL;
  }
}

static void finish(analysis *a) {
  hdi_cw_flow *flow = a->flow;
  for (uint32_t v = 0; v < flow->vars.count; v++) {
    hdi_cw_variable *var = &flow->vars.data[v];
    hdi_cw_interval found = {var->init_lo, var->init_hi};
    if (a->own[v] == HD_NONE) {
      found = hdi_cw_join(found, a->shared_before[v]);
    }
    for (size_t l = 0; a->own[v] != HD_NONE && l < flow->locs.count; l++) {
      if (flow->locs.data[l].thread == var->thread) {
        found = hdi_cw_join(found, a->before[a->base[l] + a->own[v]]);
      }
    }
    var->lo = found.lo;
    var->hi = found.hi;
  }
}

hd_status hdi_cw_narrow(hdi_cw_flow *flow) {
  analysis a = {.flow = flow, .status = HD_OK};
  uint64_t longest = 0;
  a.status = hdi_cw_longest_run(flow, &longest);
  if (a.status == HD_OK && !allocate(&a)) {
    a.status = HD_E_NOMEM;
  }
  if (a.status == HD_OK) {
    bool known = longest < WORK_MAX / (flow->edges.count + 1);
    if (!known) {
      collect_thresholds(&a);
    }
    begin(&a);
    a.changed = true;
    for (uint64_t round = 0; a.changed && a.status == HD_OK && (!known || round < longest); round++) {
      a.widen = !known && round >= PATIENCE;
      run_round(&a);
    }
    finish(&a);
  }
  numbers_free(&a.thresholds);
  free(a.own);
  free(a.own_count);
  free(a.base);
  free(a.before);
  free(a.reached);
  return a.status;
}
