/* Lessons from bad runs (bad_trace.h).
 *
 *   node     a step of the run
 *   across   x -> y when they are of different threads, touch the same variable, one writes it, and x came first; and
 *            between starting a thread, its steps, and joining it
 *   within   x -> y when they are of one thread and x comes first: as in the run, or, for two units of one execution of
 * a block that may change places, as the order of the units says: labelled with it
 *
 * An order in which this graph has no cycle has a run with the same steps, each thread's in the new order, that keeps
 * the order of every two steps that touch the same variable; so every step reads the same values and the run is as bad.
 * Hence one cycle is needed, with all its labels. A shortest cycle has at most two nodes of each thread, one entered
 * from across and one left across.
 *
 * A run that ends inside a block is possible in another order only when that order does there first what the run has
 * done. So it is also enough to put something that the run has not come to before something that it has done; for a run
 * that is bad because threads are stuck, also before what they are stuck at.
 * Threads: pure functions. */
#include "frontends/cwhile/bad_trace.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS_MAX = 4000, STEPS_MAX = 2000000 };

typedef struct node {
  uint32_t thread, unit; /* unit HD_NONE: it stays where it is */
  uint32_t round;        /* which execution of the unit */
} node;

#define HD_ARRAY_NAME ways
#define HD_ARRAY_TYPE hdi_cw_labels
#include "core/base/array.h"

typedef struct learner {
  const hdi_cw_orders *orders;
  const hd_cw_lowering *lowering;
  const uint32_t *origin;
  const hd_trace *trace;
  hd_arena *arena, *scratch;
  node *nodes;
  uint32_t count;
  bool *reads, *writes; /* node * variables */
  bool *across;         /* node * node */
  uint32_t *rounds;     /* thread * units: executions begun */
  bool *visited;        /* per thread */
  hd_literal *path;     /* labels of the cycle under way */
  uint32_t path_count;
  uint32_t start; /* the cycle's first node to be left */
  uint64_t steps;
  ways found;
  hd_status status;
} learner;

/* ---- nodes ---- */

static void note_reads(const hdi_cw_flow *flow, const hdi_cw_node *expr, bool *reads) {
  if (expr != NULL) {
    if ((expr->kind == HDI_CW_NODE_VAR || expr->kind == HDI_CW_NODE_ELEMENT) &&
        flow->vars.data[expr->var].thread == HD_NONE) {
      reads[expr->var] = true;
    }
    note_reads(flow, expr->a, reads);
    note_reads(flow, expr->b, reads);
  }
}

static bool joins(const hdi_cw_node *expr) {
  return expr != NULL && (expr->kind == HDI_CW_NODE_ENDED || joins(expr->a) || joins(expr->b));
}

static const hdi_cw_edge *edge_of(const learner *l, hd_edge edge) {
  return &l->lowering->flow.edges.data[hd_model_edge_tag(l->lowering->model, edge)];
}

/* Steps of a thread that this edge starts, and of one that it may join, are ordered with it. */
static void note_starts(learner *l, const hdi_cw_edge *edge, uint32_t i) {
  for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
    for (uint32_t j = i + 1; action->kind == HDI_CW_START && j < l->count; j++) {
      l->across[(size_t)i * l->count + j] |= l->trace->steps[j].instance == action->thread;
    }
  }
  for (uint32_t j = 0; joins(edge->guard) && j < i; j++) {
    l->across[(size_t)j * l->count + i] |= l->trace->steps[j].instance != edge->thread;
  }
}

static void note_edge(learner *l, const hdi_cw_edge *edge, uint32_t i) {
  const hdi_cw_flow *flow = &l->lowering->flow;
  size_t vars = flow->vars.count;
  bool *reads = l->reads + i * vars, *writes = l->writes + i * vars;
  note_reads(flow, edge->guard, reads);
  note_reads(flow, flow->axiom, reads);
  for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
    note_reads(flow, action->index, reads);
    note_reads(flow, action->value, reads);
    if (action->kind == HDI_CW_SET && flow->vars.data[action->var].thread == HD_NONE) {
      writes[action->var] = true;
    }
  }
  note_starts(l, edge, i);
}

static uint32_t unit_of(const learner *l, const hd_cw_stmt *stmt) {
  uint32_t before = l->origin[stmt->number];
  return before == HD_NONE ? HD_NONE : l->orders->unit_of[before];
}

static void make_nodes(learner *l) {
  for (uint32_t i = 0; i < l->count; i++) {
    const hdi_cw_edge *edge = edge_of(l, l->trace->steps[i].edge);
    node *n = &l->nodes[i];
    *n = (node){.thread = edge->thread, .unit = unit_of(l, edge->stmt)};
    if (n->unit != HD_NONE) {
      uint32_t *rounds = &l->rounds[(size_t)n->thread * l->orders->unit_count + n->unit];
      *rounds += l->origin[edge->stmt->number] == l->orders->units[n->unit].entry->number;
      n->round = *rounds;
    }
    note_edge(l, edge, i);
    for (size_t k = i == 0 ? 0 : l->trace->inner_end[i - 1]; k < l->trace->inner_end[i]; k++) {
      note_edge(l, edge_of(l, l->trace->inner[k].edge), i);
    }
  }
}

static bool conflict(const learner *l, uint32_t x, uint32_t y) {
  size_t vars = l->lowering->flow.vars.count;
  for (size_t v = 0; v < vars; v++) {
    bool wx = l->writes[x * vars + v], wy = l->writes[y * vars + v];
    if ((wx && (wy || l->reads[y * vars + v])) || (wy && l->reads[x * vars + v])) {
      return true;
    }
  }
  return false;
}

static void make_across(learner *l) {
  for (uint32_t x = 0; x < l->count; x++) {
    for (uint32_t y = x + 1; y < l->count; y++) {
      l->across[(size_t)x * l->count + y] |= l->nodes[x].thread != l->nodes[y].thread && conflict(l, x, y);
    }
  }
}

/* ---- ways ---- */

/* Adds a label to a sorted list; false when its contrary is there. */
static bool add_label(hd_literal *list, uint32_t *count, hd_literal label) {
  uint32_t at = 0;
  while (at < *count && list[at].variable < label.variable) {
    at++;
  }
  if (at < *count && list[at].variable == label.variable) {
    return list[at].negated == label.negated;
  }
  memmove(&list[at + 1], &list[at], (*count - at) * sizeof *list);
  list[at] = label;
  (*count)++;
  return true;
}

static bool is_part_of(const hdi_cw_labels *small, const hd_literal *list, uint32_t count) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < small->count; i++) {
    while (at < count && list[at].variable < small->literals[i].variable) {
      at++;
    }
    if (at == count || list[at].variable != small->literals[i].variable ||
        list[at].negated != small->literals[i].negated) {
      return false;
    }
  }
  return true;
}

/* Keeps a way unless an easier one is there; drops those that it makes superfluous. */
static void keep_way(learner *l, const hd_literal *list, uint32_t count) {
  for (size_t i = 0; i < l->found.count; i++) {
    if (is_part_of(&l->found.data[i], list, count)) {
      return;
    }
  }
  hdi_cw_labels made = {.literals = hd_arena_alloc_array(l->arena, (size_t)count + 1, sizeof *made.literals),
                        .count = count};
  if (made.literals == NULL) {
    l->status = HD_E_NOMEM;
    return;
  }
  if (count != 0) {
    memcpy(made.literals, list, count * sizeof *list);
  }
  size_t kept = 0;
  for (size_t i = 0; i < l->found.count; i++) {
    const hdi_cw_labels *old = &l->found.data[i];
    if (!is_part_of(&made, old->literals, old->count)) {
      l->found.data[kept++] = *old;
    }
  }
  l->found.count = kept;
  l->status = ways_push(&l->found, made);
}

/* "unit a before unit b" */
static hd_literal label_of(const hdi_cw_orders *orders, uint32_t a, uint32_t b) {
  return (hd_literal){orders->pair_of[(size_t)a * orders->unit_count + b], a < b};
}

/* May x come before y, of the same thread? With a label when that depends on the order. */
static bool may_precede(const learner *l, uint32_t x, uint32_t y, hd_literal *label, bool *labelled) {
  const node *a = &l->nodes[x], *b = &l->nodes[y];
  *labelled = a->unit != HD_NONE && b->unit != HD_NONE && a->unit != b->unit && a->round == b->round &&
              l->orders->pair_of[(size_t)a->unit * l->orders->unit_count + b->unit] != HD_NONE;
  if (*labelled) {
    *label = label_of(l->orders, a->unit, b->unit);
    return true;
  }
  return x < y;
}

static bool is_over(const learner *l) {
  return l->status != HD_OK || l->steps >= STEPS_MAX || l->found.count >= WAYS_MAX;
}

static void leave_across(learner *l, uint32_t x);

/* The cycle has come to x from across. */
static void enter(learner *l, uint32_t x) {
  bool closes = l->nodes[x].thread == l->nodes[l->start].thread;
  for (uint32_t y = 0; y < l->count && !is_over(l); y++) {
    if (l->nodes[y].thread != l->nodes[x].thread || (closes && y != l->start)) {
      continue;
    }
    hd_literal saved[64];
    uint32_t count = l->path_count;
    if (count + 1 > sizeof saved / sizeof saved[0]) {
      l->steps = STEPS_MAX; /* a longer cycle than is handled */
      return;
    }
    memcpy(saved, l->path, count * sizeof *saved);
    hd_literal label;
    bool labelled = false;
    bool goes = y == x || may_precede(l, x, y, &label, &labelled);
    if (goes && (!labelled || add_label(l->path, &l->path_count, label))) {
      if (closes) {
        keep_way(l, l->path, l->path_count);
      } else {
        leave_across(l, y);
      }
    }
    memcpy(l->path, saved, count * sizeof *saved);
    l->path_count = count;
  }
}

/* Threads after the start's only, so that each cycle is met once. */
static void leave_across(learner *l, uint32_t x) {
  for (uint32_t y = 0; y < l->count && !is_over(l); y++) {
    l->steps++;
    if (!l->across[(size_t)x * l->count + y]) {
      continue;
    }
    uint32_t thread = l->nodes[y].thread, first = l->nodes[l->start].thread;
    if (thread == first) {
      enter(l, y);
    } else if (thread > first && !l->visited[thread]) {
      l->visited[thread] = true;
      enter(l, y);
      l->visited[thread] = false;
    }
  }
}

static void find_cycles(learner *l) {
  for (uint32_t x = 0; x < l->count && !is_over(l); x++) {
    l->start = x;
    l->path_count = 0;
    leave_across(l, x);
  }
}

/* ---- what the run has not come to ---- */

static void keep_single(learner *l, uint32_t a, uint32_t b) {
  if (l->orders->pair_of[(size_t)a * l->orders->unit_count + b] != HD_NONE && l->status == HD_OK) {
    hd_literal label = label_of(l->orders, a, b);
    keep_way(l, &label, 1);
  }
}

/* The unit that a thread is at when the run ends, its execution not begun; HD_NONE: none. */
static uint32_t stuck_unit(const learner *l, uint32_t thread) {
  const uint64_t *state = l->trace->states + l->trace->length * l->trace->words;
  hd_loc at = hd_model_location(l->lowering->model, state, thread);
  if (hd_model_loc_is_dead(l->lowering->model, at)) {
    return HD_NONE;
  }
  const hdi_cw_loc *loc = &l->lowering->flow.locs.data[hd_model_loc_tag(l->lowering->model, at)];
  return loc->end || loc->stmt == NULL ? HD_NONE : unit_of(l, loc->stmt);
}

/* Of one thread and block: units that the last execution has not come to, before those that it has begun or is stuck
 * at.
 */
static void find_early(learner *l, uint32_t thread, uint32_t stuck) {
  const hdi_cw_orders *orders = l->orders;
  const uint32_t *rounds = l->rounds + (size_t)thread * orders->unit_count;
  for (uint32_t x = 0; x < orders->unit_count; x++) {
    for (uint32_t y = 0; y < orders->unit_count; y++) {
      bool same = x != y && orders->units[x].block == orders->units[y].block;
      if (same && rounds[y] < rounds[x]) {
        keep_single(l, y, x);
      }
      if (same && x == stuck && rounds[y] <= rounds[x]) {
        keep_single(l, y, x);
      }
    }
  }
}

static bool prepare(learner *l) {
  size_t nodes = l->count, vars = l->lowering->flow.vars.count, threads = l->lowering->flow.threads.count;
  l->nodes = hd_arena_alloc_array(l->scratch, nodes + 1, sizeof *l->nodes);
  l->reads = hd_arena_alloc_array(l->scratch, nodes * vars + 1, sizeof *l->reads);
  l->writes = hd_arena_alloc_array(l->scratch, nodes * vars + 1, sizeof *l->writes);
  l->across = hd_arena_alloc_array(l->scratch, nodes * nodes + 1, sizeof *l->across);
  l->rounds = hd_arena_alloc_array(l->scratch, threads * l->orders->unit_count + 1, sizeof *l->rounds);
  l->visited = hd_arena_alloc_array(l->scratch, threads + 1, sizeof *l->visited);
  l->path = hd_arena_alloc_array(l->scratch, 128, sizeof *l->path);
  return l->nodes != NULL && l->reads != NULL && l->writes != NULL && l->across != NULL && l->rounds != NULL &&
         l->visited != NULL && l->path != NULL;
}

hd_status hdi_cw_learn_bad(const hdi_cw_orders *orders, const hd_cw_lowering *lowering, const uint32_t *origin,
                           const hd_trace *trace, bool stuck, hd_arena *arena, hdi_cw_lesson *out) {
  *out = (hdi_cw_lesson){.count = 0};
  learner l = {.orders = orders,
               .lowering = lowering,
               .origin = origin,
               .trace = trace,
               .arena = arena,
               .scratch = hd_arena_new(),
               .count = (uint32_t)trace->length};
  l.status = l.scratch == NULL || !prepare(&l) ? HD_E_NOMEM : HD_OK;
  if (l.status == HD_OK) {
    make_nodes(&l);
    make_across(&l);
    for (uint32_t t = 0; t < lowering->flow.threads.count; t++) {
      find_early(&l, t, stuck ? stuck_unit(&l, t) : HD_NONE);
    }
    find_cycles(&l);
  }
  out->complete = l.steps < STEPS_MAX && l.found.count < WAYS_MAX;
  out->ways = l.status == HD_OK ? hd_arena_alloc_array(arena, l.found.count + 1, sizeof *out->ways) : NULL;
  if (out->ways != NULL && l.found.count != 0) {
    memcpy(out->ways, l.found.data, l.found.count * sizeof *out->ways);
    out->count = l.found.count;
  }
  l.status = out->ways == NULL ? HD_E_NOMEM : l.status;
  ways_free(&l.found);
  hd_arena_free(l.scratch);
  return l.status;
}

bool hdi_cw_lesson_holds(const hdi_cw_lesson *lesson, const bool *inverted) {
  for (size_t w = 0; w < lesson->count; w++) {
    bool all = true;
    for (uint32_t i = 0; i < lesson->ways[w].count && all; i++) {
      all = inverted[lesson->ways[w].literals[i].variable] != lesson->ways[w].literals[i].negated;
    }
    if (all) {
      return true;
    }
  }
  return false;
}

hd_status hdi_cw_lesson_require(const hdi_cw_lesson *lesson, hd_formula *formula) {
  hd_literal *clause = malloc((lesson->count + 1) * sizeof *clause);
  hd_status status = clause == NULL ? HD_E_NOMEM : HD_OK;
  for (size_t w = 0; w < lesson->count && status == HD_OK; w++) {
    const hdi_cw_labels *way = &lesson->ways[w];
    if (way->count == 1) {
      clause[w] = way->literals[0];
      continue;
    }
    clause[w].negated = false;
    status = hd_formula_all_of(formula, way->literals, way->count, &clause[w].variable);
  }
  if (status == HD_OK) {
    status = hd_formula_clause(formula, clause, lesson->count);
  }
  free(clause);
  return status;
}
