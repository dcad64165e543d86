/* A run as a graph over its steps (trace_graph.h).
 *
 * Ways are looked for depth first: at a node that was entered from across, the path goes on within the thread (nowhere,
 * or to a node that may come later, with a label when the order decides that) and leaves it by an edge across. Threads
 * are visited once, since what comes back to a thread could have stayed in it: two nodes of one thread are always
 * ordered. Labels are kept sorted by pair; a set with a pair both ways is no way. Threads: pure functions. */
#include "frontends/cwhile/trace_graph.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS_MAX = 4000, STEPS_MAX = 500000, LABELS_MAX = 64 };

/* ---- nodes ---- */

static void note_reads(const hdi_cw_node *expr, bool *reads) {
  if (expr != NULL) {
    if (expr->kind == HDI_CW_NODE_VAR || expr->kind == HDI_CW_NODE_ELEMENT) {
      reads[expr->var] = true;
    }
    note_reads(expr->a, reads);
    note_reads(expr->b, reads);
  }
}

static bool joins(const hdi_cw_node *expr) {
  return expr != NULL && (expr->kind == HDI_CW_NODE_ENDED || joins(expr->a) || joins(expr->b));
}

static const hdi_cw_edge *edge_of(const hdi_cw_trace_graph *g, hd_edge edge) {
  return &g->lowering->flow.edges.data[hd_model_edge_tag(g->lowering->model, edge)];
}

static void note_starts(hdi_cw_trace_graph *g, const hdi_cw_edge *edge, uint32_t i) {
  for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
    for (uint32_t j = i + 1; action->kind == HDI_CW_START && j < g->count; j++) {
      g->starts[(size_t)i * g->count + j] |= g->trace->steps[j].instance == action->thread;
    }
  }
  for (uint32_t j = 0; joins(edge->guard) && j < i; j++) {
    g->starts[(size_t)j * g->count + i] |= g->trace->steps[j].instance != edge->thread;
  }
}

static void note_edge(hdi_cw_trace_graph *g, const hdi_cw_edge *edge, uint32_t i) {
  bool *reads = g->reads + i * g->vars, *writes = g->writes + i * g->vars;
  note_reads(edge->guard, reads);
  note_reads(g->lowering->flow.axiom, reads);
  for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
    note_reads(action->index, reads);
    note_reads(action->value, reads);
    if (action->kind == HDI_CW_SET) {
      writes[action->var] = true;
    }
  }
  note_starts(g, edge, i);
}

static void make_nodes(hdi_cw_trace_graph *g, const uint32_t *origin) {
  for (uint32_t i = 0; i < g->count; i++) {
    const hdi_cw_edge *edge = edge_of(g, g->trace->steps[i].edge);
    uint32_t before = origin == NULL ? edge->stmt->number : origin[edge->stmt->number];
    hdi_cw_trace_node *n = &g->nodes[i];
    *n = (hdi_cw_trace_node){.thread = edge->thread, .unit = before == HD_NONE ? HD_NONE : g->orders->unit_of[before]};
    if (n->unit != HD_NONE) {
      uint32_t *rounds = &g->rounds[(size_t)n->thread * g->orders->unit_count + n->unit];
      *rounds += before == g->orders->units[n->unit].entry->number;
      n->round = *rounds;
    }
    note_edge(g, edge, i);
    for (size_t k = i == 0 ? 0 : g->trace->inner_end[i - 1]; k < g->trace->inner_end[i]; k++) {
      note_edge(g, edge_of(g, g->trace->inner[k].edge), i);
    }
  }
}

hd_status hdi_cw_trace_graph_make(const hdi_cw_orders *orders, const hd_cw_lowering *lowering, const uint32_t *origin,
                                  const hd_trace *trace, hdi_cw_trace_graph *out) {
  *out = (hdi_cw_trace_graph){.orders = orders,
                              .lowering = lowering,
                              .trace = trace,
                              .arena = hd_arena_new(),
                              .count = (uint32_t)trace->length,
                              .vars = lowering->flow.vars.count};
  if (out->arena == NULL) {
    return HD_E_NOMEM;
  }
  size_t nodes = trace->length, threads = lowering->flow.threads.count;
  out->nodes = hd_arena_alloc_array(out->arena, nodes + 1, sizeof *out->nodes);
  out->reads = hd_arena_alloc_array(out->arena, nodes * out->vars + 1, sizeof *out->reads);
  out->writes = hd_arena_alloc_array(out->arena, nodes * out->vars + 1, sizeof *out->writes);
  out->starts = hd_arena_alloc_array(out->arena, nodes * nodes + 1, sizeof *out->starts);
  out->rounds = hd_arena_alloc_array(out->arena, threads * orders->unit_count + 1, sizeof *out->rounds);
  if (out->nodes == NULL || out->reads == NULL || out->writes == NULL || out->starts == NULL || out->rounds == NULL) {
    return HD_E_NOMEM;
  }
  make_nodes(out, origin);
  return HD_OK;
}

void hdi_cw_trace_graph_clear(hdi_cw_trace_graph *graph) {
  hd_arena_free(graph->arena);
  *graph = (hdi_cw_trace_graph){0};
}

bool hdi_cw_trace_conflict(const hdi_cw_trace_graph *graph, uint32_t x, uint32_t y) {
  const bool *rx = graph->reads + x * graph->vars, *ry = graph->reads + y * graph->vars;
  const bool *wx = graph->writes + x * graph->vars, *wy = graph->writes + y * graph->vars;
  for (size_t v = 0; v < graph->vars; v++) {
    if ((wx[v] && (wy[v] || ry[v])) || (wy[v] && rx[v])) {
      return true;
    }
  }
  return false;
}

bool hdi_cw_order_literal(const hdi_cw_orders *orders, uint32_t a, uint32_t b, hd_literal *out) {
  uint32_t pair = orders->pair_of[(size_t)a * orders->unit_count + b];
  *out = (hd_literal){pair, a < b};
  return pair != HD_NONE;
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

hd_status hdi_cw_ways_add(hdi_cw_ways *ways, const hd_literal *literals, uint32_t count) {
  for (size_t i = 0; i < ways->count; i++) {
    if (is_part_of(&ways->ways[i], literals, count)) {
      return HD_OK;
    }
  }
  hdi_cw_labels made = {.literals = hd_arena_alloc_array(ways->arena, (size_t)count + 1, sizeof *made.literals),
                        .count = count};
  if (made.literals == NULL) {
    return HD_E_NOMEM;
  }
  if (count != 0) {
    memcpy(made.literals, literals, count * sizeof *literals);
  }
  size_t kept = 0;
  for (size_t i = 0; i < ways->count; i++) {
    const hdi_cw_labels *old = &ways->ways[i];
    if (!is_part_of(&made, old->literals, old->count)) {
      ways->ways[kept++] = *old;
    }
  }
  ways->count = kept;
  if (ways->count == ways->capacity) {
    size_t larger = ways->capacity == 0 ? 16 : ways->capacity * 2;
    hdi_cw_labels *list = hd_arena_alloc_array(ways->arena, larger, sizeof *list);
    if (list == NULL) {
      return HD_E_NOMEM;
    }
    if (ways->count != 0) {
      memcpy(list, ways->ways, ways->count * sizeof *list);
    }
    ways->ways = list;
    ways->capacity = larger;
  }
  ways->ways[ways->count++] = made;
  return HD_OK;
}

typedef struct finder {
  const hdi_cw_trace_graph *graph;
  const bool *across;
  uint32_t to, thread_min;
  hdi_cw_ways *ways;
  bool *visited; /* per thread */
  hd_literal path[LABELS_MAX + 1];
  uint32_t path_count;
  uint64_t steps;
  hd_status status;
} finder;

/* May x come before y, of the same thread? With a label when that depends on the order. */
static bool may_precede(const hdi_cw_trace_graph *g, uint32_t x, uint32_t y, hd_literal *label, bool *labelled) {
  const hdi_cw_trace_node *a = &g->nodes[x], *b = &g->nodes[y];
  *labelled = a->unit != HD_NONE && b->unit != HD_NONE && a->unit != b->unit && a->round == b->round &&
              hdi_cw_order_literal(g->orders, a->unit, b->unit, label);
  return *labelled || x < y;
}

static bool is_over(finder *f) {
  f->ways->cut_short |= f->steps >= STEPS_MAX || f->ways->count >= WAYS_MAX || f->path_count >= LABELS_MAX;
  return f->status != HD_OK || f->ways->cut_short;
}

static void leave(finder *f, uint32_t x);

/* The path is at x, which may move within its thread. */
static void move(finder *f, uint32_t x) {
  const hdi_cw_trace_graph *g = f->graph;
  bool closes = g->nodes[x].thread == g->nodes[f->to].thread;
  for (uint32_t y = 0; y < g->count && !is_over(f); y++) {
    if (g->nodes[y].thread != g->nodes[x].thread || (closes && y != f->to)) {
      continue;
    }
    hd_literal saved[LABELS_MAX + 1], label;
    uint32_t count = f->path_count;
    memcpy(saved, f->path, count * sizeof *saved);
    bool labelled = false;
    bool goes = y == x || may_precede(g, x, y, &label, &labelled);
    if (goes && (!labelled || add_label(f->path, &f->path_count, label))) {
      if (closes) {
        f->status = hdi_cw_ways_add(f->ways, f->path, f->path_count);
      } else {
        leave(f, y);
      }
    }
    memcpy(f->path, saved, count * sizeof *saved);
    f->path_count = count;
  }
}

static void leave(finder *f, uint32_t x) {
  const hdi_cw_trace_graph *g = f->graph;
  for (uint32_t y = 0; y < g->count && !is_over(f); y++) {
    f->steps++;
    uint32_t thread = g->nodes[y].thread;
    if (!f->across[(size_t)x * g->count + y] || thread == g->nodes[x].thread) {
      continue;
    }
    if (thread == g->nodes[f->to].thread) {
      move(f, y);
    } else if (thread >= f->thread_min && !f->visited[thread]) {
      f->visited[thread] = true;
      move(f, y);
      f->visited[thread] = false;
    }
  }
}

hd_status hdi_cw_find_ways(const hdi_cw_trace_graph *graph, const bool *across, uint32_t from, uint32_t to,
                           bool moves_first, uint32_t thread_min, hdi_cw_ways *ways) {
  finder f = {.graph = graph, .across = across, .to = to, .thread_min = thread_min, .ways = ways};
  f.visited = calloc(graph->lowering->flow.threads.count + 1, sizeof *f.visited);
  if (f.visited == NULL) {
    return HD_E_NOMEM;
  }
  f.visited[graph->nodes[from].thread] = true;
  if (moves_first) {
    move(&f, from);
  } else {
    leave(&f, from);
  }
  free(f.visited);
  return f.status;
}

hdi_cw_lesson hdi_cw_ways_lesson(const hdi_cw_ways *ways) {
  return (hdi_cw_lesson){.ways = ways->ways, .count = ways->count, .complete = !ways->cut_short};
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
