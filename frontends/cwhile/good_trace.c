/* Lessons from good runs (good_trace.h).
 *
 *   relevant   an assertion, and what writes the values that it reads, and so on
 *   needed     for a relevant r that reads v: writer -> r for the last write before, earlier writes of other
 *              threads -> writer, r -> every later write of another thread
 *   enforced   edges that every run like this one has: the writer of a value that a condition, an await or a lock
 *              depends on -> the reader, and the order within a thread, labelled when it may be changed
 *
 * A needed edge is covered when a path of enforced ones leads from its one end to the other; one of these paths is
 * asked for, with all its labels. A needed edge without any path imposes nothing: the run turns freely into one in
 * which the assertion reads something else, whatever the order. (Algorithm 1 fixes all orders of the run in this case,
 * which would forbid the repair of the paper's own figure 7.) So these lessons guide the search to orders that keep
 * good runs good; they prove nothing, and the search for the cheapest order goes on without them (reorder.c). Threads:
 * pure functions. */
#include "frontends/cwhile/good_trace.h"

#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { WALKS = 96, STEPS_MAX = 400, STAY = 4 /* a walk stays in its thread this many times out of STAY + 1 */ };

/* ---- learning ---- */

typedef struct learner {
  hdi_cw_trace_graph graph;
  hd_arena *arena;
  hdi_cw_lessons *out;
  bool *relevant, *conditional; /* per node */
  bool *enforced;               /* node * node */
  hd_status status;
} learner;

/* Does the step, its inner ones included, assert something, or depend on a condition? */
static void classify(const hdi_cw_trace_graph *g, uint32_t i, bool *asserts, bool *conditional) {
  *asserts = *conditional = false;
  for (uint32_t e = 0; e < g->nodes[i].edge_count; e++) {
    const hdi_cw_edge *edge = g->edges[g->nodes[i].first_edge + e];
    *conditional = *conditional || edge->guard != NULL;
    for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
      *asserts = *asserts || action->kind == HDI_CW_CHECK;
    }
  }
}

/* The last step before `i` that writes the variable; HD_NONE: it has its initial value. */
static uint32_t writer_of(const hdi_cw_trace_graph *g, size_t var, uint32_t i) {
  for (uint32_t w = i; w > 0; w--) {
    if (g->writes[(w - 1) * g->vars + var]) {
      return w - 1;
    }
  }
  return HD_NONE;
}

/* Marks what the marked nodes depend on, through all that they read. */
static void follow_data(const hdi_cw_trace_graph *g, bool *marks) {
  for (uint32_t i = g->count; i > 0; i--) { /* writers come before readers: one pass is enough */
    for (size_t v = 0; marks[i - 1] && v < g->vars; v++) {
      uint32_t w = g->reads[(i - 1) * g->vars + v] ? writer_of(g, v, i - 1) : HD_NONE;
      if (w != HD_NONE) {
        marks[w] = true;
      }
    }
  }
}

static void make_enforced(learner *l) {
  const hdi_cw_trace_graph *g = &l->graph;
  memcpy(l->enforced, g->starts, (size_t)g->count * g->count * sizeof *l->enforced);
  for (uint32_t i = 0; i < g->count; i++) {
    for (size_t v = 0; l->conditional[i] && v < g->vars; v++) {
      uint32_t w = g->reads[i * g->vars + v] ? writer_of(g, v, i) : HD_NONE;
      if (w != HD_NONE && g->nodes[w].thread != g->nodes[i].thread) {
        l->enforced[(size_t)w * g->count + i] = true;
      }
    }
  }
}

static bool is_same(const hdi_cw_lesson *a, const hdi_cw_lesson *b) {
  bool same = a->count == b->count;
  for (size_t w = 0; w < a->count && same; w++) {
    same = a->ways[w].count == b->ways[w].count;
    for (uint32_t i = 0; same && i < a->ways[w].count; i++) {
      const hd_literal *x = &a->ways[w].literals[i], *y = &b->ways[w].literals[i];
      same = x->variable == y->variable && x->negated == y->negated;
    }
  }
  return same;
}

static hd_status keep_lesson(learner *l, const hdi_cw_lesson *lesson) {
  hdi_cw_lessons *out = l->out;
  for (size_t i = 0; i < out->count; i++) {
    if (is_same(&out->list[i], lesson)) {
      return HD_OK;
    }
  }
  if (out->count == out->capacity) {
    size_t larger = out->capacity == 0 ? 16 : out->capacity * 2;
    hdi_cw_lesson *list = hd_arena_alloc_array(l->arena, larger, sizeof *list);
    if (list == NULL) {
      return HD_E_NOMEM;
    }
    if (out->count != 0) {
      memcpy(list, out->list, out->count * sizeof *list);
    }
    out->list = list;
    out->capacity = larger;
  }
  out->list[out->count++] = *lesson;
  return HD_OK;
}

/* x must stay before y: one of the paths that enforce it. */
static void need(learner *l, uint32_t x, uint32_t y) {
  if (l->status != HD_OK || l->graph.nodes[x].thread == l->graph.nodes[y].thread) {
    return; /* within a thread what depends keeps its order anyway */
  }
  hdi_cw_ways ways = {.arena = l->arena};
  l->status = hdi_cw_find_ways(&l->graph, l->enforced, x, y, true, 0, &ways);
  bool asks = ways.count > 0 && ways.ways[0].count > 0 && !ways.cut_short; /* no labels: it is so in every order */
  if (l->status == HD_OK && asks) {
    hdi_cw_lesson lesson = hdi_cw_ways_lesson(&ways);
    l->status = keep_lesson(l, &lesson);
  }
}

static void need_of_read(learner *l, uint32_t r, size_t var) {
  const hdi_cw_trace_graph *g = &l->graph;
  uint32_t writer = writer_of(g, var, r);
  if (writer != HD_NONE) {
    need(l, writer, r);
  }
  for (uint32_t w = 0; w < g->count; w++) {
    if (w == writer || w == r || !g->writes[w * g->vars + var]) {
      continue;
    }
    if (w > r) {
      need(l, r, w);
    } else if (writer != HD_NONE && w < writer) {
      need(l, w, writer);
    }
  }
}

hd_status hdi_cw_learn_good(const hdi_cw_orders *orders, const hd_cw_lowering *lowering, const hd_trace *trace,
                            hd_arena *arena, hdi_cw_lessons *out) {
  learner l = {.arena = arena, .out = out};
  l.status = hdi_cw_trace_graph_make(orders, lowering, NULL, trace, &l.graph);
  hdi_cw_trace_graph *g = &l.graph;
  size_t nodes = g->count;
  if (l.status == HD_OK) {
    l.relevant = hd_arena_alloc_array(g->arena, nodes + 1, sizeof *l.relevant);
    l.conditional = hd_arena_alloc_array(g->arena, nodes + 1, sizeof *l.conditional);
    l.enforced = hd_arena_alloc_array(g->arena, nodes * nodes + 1, sizeof *l.enforced);
    l.status = l.relevant == NULL || l.conditional == NULL || l.enforced == NULL ? HD_E_NOMEM : HD_OK;
  }
  if (l.status == HD_OK) {
    for (uint32_t i = 0; i < g->count; i++) {
      classify(g, i, &l.relevant[i], &l.conditional[i]);
    }
    follow_data(g, l.relevant);
    follow_data(g, l.conditional);
    make_enforced(&l);
    for (uint32_t i = 0; i < g->count; i++) {
      for (size_t v = 0; l.relevant[i] && v < g->vars; v++) {
        if (g->reads[i * g->vars + v] && lowering->flow.vars.data[v].thread == HD_NONE) {
          need_of_read(&l, i, v);
        }
      }
    }
  }
  hdi_cw_trace_graph_clear(g);
  return l.status;
}

/* ---- walking ---- */

typedef struct walker {
  const hd_cw_lowering *lowering;
  uint64_t seed;
  uint32_t last; /* the thread that moved last; HD_NONE: none */
  uint32_t seen, own, chosen;
  bool stays, bad;
} walker;

static uint32_t draw(walker *w, uint32_t below) {
  w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(w->seed >> 33) % below;
}

/* First pass: counts the steps that go on well. */
static bool count_step(void *payload, const uint64_t *next, const hd_step *step) {
  walker *w = payload;
  (void)next;
  if (step->fault == HD_FAULT_NONE && step->checks_failed == 0) {
    w->seen++;
    w->own += step->instance == w->last;
  }
  return false;
}

/* Second pass: takes the chosen one. */
static bool take_step(void *payload, const uint64_t *next, const hd_step *step) {
  walker *w = payload;
  (void)next;
  bool counts = step->fault == HD_FAULT_NONE && step->checks_failed == 0 && (!w->stays || step->instance == w->last);
  if (counts && w->chosen-- == 0) {
    w->last = step->instance;
    return true;
  }
  return false;
}

/* One walk; *trace NULL: it did not come to a good end. */
static hd_status walk(const hd_cw_lowering *lowering, uint64_t seed, hd_trace **out) {
  walker w = {.lowering = lowering, .seed = seed, .last = HD_NONE};
  const uint64_t *initial = NULL;
  size_t count = hd_model_initial(lowering->model, &initial);
  hd_trace *trace = count == 0 ? NULL : hd_trace_begin(lowering->model, draw(&w, (uint32_t)count));
  *out = NULL;
  if (trace == NULL) {
    return count == 0 ? HD_OK : HD_E_NOMEM;
  }
  hd_status status = HD_OK;
  while (status == HD_OK && trace->length < STEPS_MAX &&
         !hd_cw_all_ended(lowering, trace->states + trace->length * trace->words)) {
    w.seen = w.own = 0;
    status = hd_trace_extend(lowering->model, NULL, trace, count_step, &w);
    status = status == HD_E_INPUT ? HD_OK : status; /* none was taken, as meant */
    if (status != HD_OK || w.seen == 0) {
      break;
    }
    w.stays = w.own > 0 && draw(&w, STAY + 1) != 0;
    w.chosen = draw(&w, w.stays ? w.own : w.seen);
    status = hd_trace_extend(lowering->model, NULL, trace, take_step, &w);
  }
  if (status == HD_OK && hd_cw_all_ended(lowering, trace->states + trace->length * trace->words)) {
    *out = trace;
    return HD_OK;
  }
  hd_trace_free(trace);
  return status;
}

/* What the run's assertions and conditions read from where. */
static uint64_t signature(const hdi_cw_trace_graph *g) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    bool asserts, conditional;
    classify(g, i, &asserts, &conditional);
    for (size_t v = 0; asserts && v < g->vars; v++) {
      if (g->reads[i * g->vars + v]) {
        uint32_t w = writer_of(g, v, i);
        const hdi_cw_edge *writer = w == HD_NONE ? NULL : g->edges[g->nodes[w].first_edge];
        const hdi_cw_edge *reader = g->edges[g->nodes[i].first_edge];
        uint64_t words[] = {(uint64_t)(reader - g->lowering->flow.edges.data), v,
                            writer == NULL ? UINT64_MAX : writer->stmt->number,
                            writer == NULL ? UINT64_MAX : writer->thread};
        sum += hd_hash_bytes(words, sizeof words); /* a set: the order of the steps does not matter */
      }
    }
  }
  return sum;
}

hd_status hdi_cw_find_good(const hd_cw_lowering *lowering, uint32_t most, hd_trace ***out, uint32_t *count) {
  hd_trace **traces = calloc((size_t)most + 1, sizeof(hd_trace *));
  uint64_t *known = calloc((size_t)most + 1, sizeof *known);
  hd_status status = traces == NULL || known == NULL ? HD_E_NOMEM : HD_OK;
  hdi_cw_orders none = {.program = lowering->program};
  *count = 0;
  none.unit_of = calloc((size_t)lowering->program->statement_count + 1, sizeof *none.unit_of);
  status = none.unit_of == NULL ? HD_E_NOMEM : status;
  for (uint32_t s = 0; status == HD_OK && s < lowering->program->statement_count; s++) {
    none.unit_of[s] = HD_NONE;
  }
  for (uint64_t seed = 0; seed < WALKS && *count < most && status == HD_OK; seed++) {
    hd_trace *trace = NULL;
    status = walk(lowering, seed, &trace);
    if (status != HD_OK || trace == NULL) {
      continue;
    }
    hdi_cw_trace_graph graph;
    status = hdi_cw_trace_graph_make(&none, lowering, NULL, trace, &graph);
    uint64_t own = status == HD_OK ? signature(&graph) : 0;
    hdi_cw_trace_graph_clear(&graph);
    bool fresh = status == HD_OK;
    for (uint32_t i = 0; i < *count && fresh; i++) {
      fresh = known[i] != own;
    }
    if (fresh) {
      known[*count] = own;
      traces[(*count)++] = trace;
    } else {
      hd_trace_free(trace);
    }
  }
  free(known);
  free(none.unit_of);
  if (status != HD_OK) {
    for (uint32_t i = 0; traces != NULL && i < *count; i++) {
      hd_trace_free(traces[i]);
    }
    free(traces);
    *count = 0;
    return status;
  }
  *out = traces;
  return HD_OK;
}
