/* A run as a graph over its steps (trace_graph.h).
 *
 * Ways are looked for depth first: at a node that was entered from across, the path goes on within the thread (nowhere,
 * or to a node that may come later, with a label when the order decides that) and leaves it by an edge across. Threads
 * are visited once, since what comes back to a thread could have stayed in it: two nodes of one thread are always
 * ordered, or stand in one section and are one step. Labels are kept sorted by variable; a set with a pair both ways is
 * no way. Threads: pure functions. */
#include "frontends/cwhile/trace_graph.h"

#include "frontends/cwhile/sections.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS_MAX = 4000, STEPS_MAX = 500000, LABELS_MAX = 64 };

/* ---- nodes ---- */

static void note_starts(hdi_cw_trace_graph *g, const hdi_cw_edge *edge, uint32_t i) {
  for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
    for (uint32_t j = i + 1; action->kind == HDI_CW_START && j < g->count; j++) {
      g->starts[(size_t)i * g->count + j] |= g->nodes[j].thread == action->thread;
    }
  }
  for (uint32_t j = 0; hdi_cw_joins(edge->guard) && j < i; j++) {
    g->starts[(size_t)j * g->count + i] |= g->nodes[j].thread != edge->thread;
  }
}

static void note_edge(hdi_cw_trace_graph *g, const hdi_cw_edge *edge, uint32_t i) {
  bool *reads = g->reads + i * g->vars, *writes = g->writes + i * g->vars;
  hdi_cw_note_reads(edge->guard, reads, 1);
  hdi_cw_note_reads(g->lowering->flow.axiom, reads, 1);
  for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
    hdi_cw_note_reads(action->index, reads, 1);
    hdi_cw_note_reads(action->value, reads, 1);
    if (action->kind == HDI_CW_SET) {
      writes[action->var] = true;
    }
  }
  note_starts(g, edge, i);
}

/* The edge begins a node, or goes on with the unit of the last one when it belongs to the same step. */
static void add_edge(hdi_cw_trace_graph *g, const hdi_cw_edge *edge, const uint32_t *origin, bool same_step) {
  uint32_t before = origin == NULL ? edge->stmt->number : origin[edge->stmt->number];
  uint32_t unit = before == HD_NONE ? HD_NONE : g->orders->unit_of[before];
  uint32_t edges = g->count == 0 ? 0 : g->nodes[g->count - 1].first_edge + g->nodes[g->count - 1].edge_count;
  uint32_t *rounds = unit == HD_NONE ? NULL : &g->rounds[(size_t)edge->thread * g->orders->unit_count + unit];
  if (rounds != NULL) {
    *rounds += before == g->orders->units[unit].entry->number && !g->lowering->flow.locs.data[edge->from].piece;
  }
  if (!same_step || g->nodes[g->count - 1].unit != unit) {
    g->nodes[g->count++] = (hdi_cw_trace_node){
        .thread = edge->thread, .unit = unit, .round = rounds == NULL ? 0 : *rounds, .first_edge = edges};
  }
  g->nodes[g->count - 1].edge_count++;
  g->edges[edges] = edge;
}

static hd_status make_nodes(hdi_cw_trace_graph *g, const uint32_t *origin) {
  for (size_t i = 0; i < g->trace->length; i++) {
    add_edge(g, hdi_cw_edge_of(g->lowering, g->trace->steps[i].edge), origin, false);
    for (size_t k = i == 0 ? 0 : g->trace->inner_end[i - 1]; k < g->trace->inner_end[i]; k++) {
      add_edge(g, hdi_cw_edge_of(g->lowering, g->trace->inner[k].edge), origin, true);
    }
  }
  size_t nodes = g->count;
  g->reads = hd_arena_alloc_array(g->arena, nodes * g->vars + 1, sizeof *g->reads);
  g->writes = hd_arena_alloc_array(g->arena, nodes * g->vars + 1, sizeof *g->writes);
  g->starts = hd_arena_alloc_array(g->arena, nodes * nodes + 1, sizeof *g->starts);
  if (g->reads == NULL || g->writes == NULL || g->starts == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t i = 0; i < g->count; i++) {
    for (uint32_t e = 0; e < g->nodes[i].edge_count; e++) {
      note_edge(g, g->edges[g->nodes[i].first_edge + e], i);
    }
  }
  return HD_OK;
}

hd_status hdi_cw_trace_graph_make(const hdi_cw_orders *orders, const hd_cw_lowering *lowering, const uint32_t *origin,
                                  const hd_trace *trace, hdi_cw_trace_graph *out) {
  *out = (hdi_cw_trace_graph){.orders = orders,
                              .lowering = lowering,
                              .trace = trace,
                              .arena = hd_arena_new(),
                              .vars = lowering->flow.vars.count};
  if (out->arena == NULL) {
    return HD_E_NOMEM;
  }
  size_t threads = lowering->flow.threads.count;
  size_t edges = trace->length + (trace->length == 0 ? 0 : trace->inner_end[trace->length - 1]);
  out->nodes = hd_arena_alloc_array(out->arena, edges + 1, sizeof *out->nodes);
  out->edges = hd_arena_alloc_array(out->arena, edges + 1, sizeof(const hdi_cw_edge *));
  out->rounds = hd_arena_alloc_array(out->arena, threads * orders->unit_count + 1, sizeof *out->rounds);
  if (out->nodes == NULL || out->edges == NULL || out->rounds == NULL) {
    return HD_E_NOMEM;
  }
  return make_nodes(out, origin);
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

/* How x can be no later than y, of the same thread: in up to two ways, each with a label or without any. */
static uint32_t find_moves(const hdi_cw_trace_graph *g, uint32_t x, uint32_t y, hd_literal labels[2],
                           bool labelled[2]) {
  const hdi_cw_trace_node *a = &g->nodes[x], *b = &g->nodes[y];
  bool same = a->unit != HD_NONE && b->unit != HD_NONE && a->round == b->round; /* perhaps of one execution */
  uint32_t count = 0;
  labelled[0] = same && a->unit != b->unit && hdi_cw_order_literal(g->orders, a->unit, b->unit, &labels[0]);
  if (labelled[0] || x <= y) {
    count = 1;
    if (!labelled[0]) {
      return count;
    }
  }
  labelled[count] = true; /* in one section they are one step */
  return count + (same && hdi_cw_section_literal(g->orders, a->unit, b->unit, &labels[count]));
}

static bool is_over(finder *f) {
  f->ways->cut_short |= f->steps >= STEPS_MAX || f->ways->count >= WAYS_MAX || f->path_count >= LABELS_MAX;
  return f->status != HD_OK || f->ways->cut_short;
}

static void leave(finder *f, uint32_t x);

static void go_on(finder *f, uint32_t y, bool closes) {
  if (closes) {
    f->status = hdi_cw_ways_add(f->ways, f->path, f->path_count);
  } else {
    leave(f, y);
  }
}

/* The path is at x, which may move within its thread. */
static void move(finder *f, uint32_t x) {
  const hdi_cw_trace_graph *g = f->graph;
  bool closes = g->nodes[x].thread == g->nodes[f->to].thread;
  for (uint32_t y = 0; y < g->count; y++) {
    if (g->nodes[y].thread != g->nodes[x].thread || (closes && y != f->to)) {
      continue;
    }
    hd_literal saved[LABELS_MAX + 1], labels[2] = {{0, false}};
    bool labelled[2] = {false};
    uint32_t count = f->path_count, ways = find_moves(g, x, y, labels, labelled);
    memcpy(saved, f->path, count * sizeof *saved);
    for (uint32_t i = 0; i < ways && !is_over(f); i++) {
      if (!labelled[i] || add_label(f->path, &f->path_count, labels[i])) {
        go_on(f, y, closes);
      }
      memcpy(f->path, saved, count * sizeof *saved);
      f->path_count = count;
    }
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

bool hdi_cw_lesson_holds(const hdi_cw_lesson *lesson, const bool *chosen) {
  for (size_t w = 0; w < lesson->count; w++) {
    bool all = true;
    for (uint32_t i = 0; i < lesson->ways[w].count && all; i++) {
      all = chosen[lesson->ways[w].literals[i].variable] != lesson->ways[w].literals[i].negated;
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
