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
 * done. So it is also enough to put something that the run has not come to before something that it has done, or into
 * one section with it, which then need not be enabled; for a run that is bad because threads are stuck, also before
 * what they are stuck at. A thread that is stuck at a section of the program that was run may be stuck inside: then
 * another order of its units, or less than all of them in a section, is enough. Threads: pure functions. */
#include "frontends/cwhile/bad_trace.h"

#include "frontends/cwhile/sections.h"

typedef struct learner {
  hdi_cw_trace_graph graph;
  const uint32_t *origin;
  bool *across; /* node * node */
  hdi_cw_ways ways;
  hd_status status;
} learner;

static void make_across(learner *l) {
  const hdi_cw_trace_graph *g = &l->graph;
  for (uint32_t x = 0; x < g->count; x++) {
    for (uint32_t y = x + 1; y < g->count; y++) {
      bool apart = g->nodes[x].thread != g->nodes[y].thread;
      size_t at = (size_t)x * g->count + y;
      l->across[at] = g->starts[at] || (apart && hdi_cw_trace_conflict(g, x, y));
    }
  }
}

/* Each cycle is met at its nodes of the thread with the least number. */
static void find_cycles(learner *l) {
  const hdi_cw_trace_graph *g = &l->graph;
  for (uint32_t x = 0; x < g->count && l->status == HD_OK && !l->ways.cut_short; x++) {
    l->status = hdi_cw_find_ways(g, l->across, x, x, false, g->nodes[x].thread + 1, &l->ways);
  }
}

/* ---- what the run has not come to ---- */

static void keep_literal(learner *l, hd_literal literal) {
  if (l->status == HD_OK) {
    l->status = hdi_cw_ways_add(&l->ways, &literal, 1);
  }
}

static void keep_order(learner *l, uint32_t a, uint32_t b) {
  hd_literal literal;
  if (hdi_cw_order_literal(l->graph.orders, a, b, &literal)) {
    keep_literal(l, literal);
  }
}

static void keep_section(learner *l, uint32_t a, uint32_t b, bool contrary) {
  hd_literal literal;
  if (hdi_cw_section_literal(l->graph.orders, a, b, &literal)) {
    literal.negated = contrary;
    keep_literal(l, literal);
  }
}

static uint32_t unit_of(const learner *l, const hd_cw_stmt *stmt) {
  uint32_t before = stmt == NULL ? HD_NONE : l->origin[stmt->number];
  return before == HD_NONE ? HD_NONE : l->graph.orders->unit_of[before];
}

/* Where a thread is when the run ends. */
typedef struct end_place {
  const hd_cw_stmt *stmt; /* NULL: it has ended, or was not started */
  uint32_t unit;          /* HD_NONE: of none, or at a block that is not of the program before the edit */
  bool inside;            /* the execution of the unit is begun */
} end_place;

static end_place find_end(const learner *l, uint32_t thread) {
  const hd_trace *trace = l->graph.trace;
  const hd_cw_lowering *lowering = l->graph.lowering;
  const uint64_t *state = trace->states + trace->length * trace->words;
  hd_loc at = hd_model_location(lowering->model, state, thread);
  end_place end = {.unit = HD_NONE};
  if (hd_model_loc_is_dead(lowering->model, at)) {
    return end;
  }
  const hdi_cw_loc *loc = &lowering->flow.locs.data[hd_model_loc_tag(lowering->model, at)];
  end.stmt = loc->end ? NULL : loc->stmt;
  end.unit = unit_of(l, end.stmt);
  if (end.unit != HD_NONE) {
    end.inside = loc->piece || l->origin[end.stmt->number] != l->graph.orders->units[end.unit].entry->number;
  }
  return end;
}

/* Of one thread and block: units that the last execution has not come to, before those that it has begun or is stuck
 * at, or in one section with them. What is half done is in no section at all, and no single step. */
static void find_early(learner *l, uint32_t thread, end_place end, bool stuck) {
  const hdi_cw_orders *orders = l->graph.orders;
  const uint32_t *rounds = l->graph.rounds + (size_t)thread * orders->unit_count;
  for (uint32_t x = 0; x < orders->unit_count; x++) {
    for (uint32_t y = 0; y < orders->unit_count; y++) {
      bool same = x != y && orders->units[x].block == orders->units[y].block;
      if (same && rounds[y] < rounds[x]) {
        keep_order(l, y, x);
        keep_section(l, y, x, false);
      }
      if (same && stuck && x == end.unit && rounds[y] <= rounds[x]) {
        keep_order(l, y, x);
      }
      if (end.inside && x == end.unit) {
        keep_section(l, x, y, false);
      }
    }
  }
}

/* The thread is stuck at a section of the edit. */
static void find_inside(learner *l, uint32_t thread, const hd_cw_stmt *block) {
  const hdi_cw_orders *orders = l->graph.orders;
  const uint32_t *rounds = l->graph.rounds + (size_t)thread * orders->unit_count;
  uint32_t last = HD_NONE;
  for (const hd_cw_stmt *a = block->body; a != NULL; a = a->next) {
    uint32_t unit = unit_of(l, a);
    if (unit == HD_NONE) {
      continue;
    }
    keep_section(l, unit, unit, true);
    for (const hd_cw_stmt *b = block->body; b != a; b = b->next) {
      if (unit_of(l, b) != unit && unit_of(l, b) != HD_NONE) {
        keep_section(l, unit_of(l, b), unit, true);
        keep_order(l, unit, unit_of(l, b));
      }
    }
    last = unit;
  }
  for (uint32_t y = 0; y < orders->unit_count && last != HD_NONE; y++) {
    bool inside = false;
    for (const hd_cw_stmt *a = block->body; a != NULL; a = a->next) {
      inside = inside || unit_of(l, a) == y;
    }
    if (!inside && orders->units[y].block == orders->units[last].block && rounds[y] <= rounds[last]) {
      keep_order(l, y, last);
    }
  }
}

static void find_ends(learner *l, bool stuck) {
  for (uint32_t t = 0; t < l->graph.lowering->flow.threads.count; t++) {
    end_place end = find_end(l, t);
    find_early(l, t, end, stuck);
    bool section = stuck && end.stmt != NULL && end.unit == HD_NONE && end.stmt->kind == HD_CW_ATOMIC &&
                   l->origin[end.stmt->number] == HD_NONE;
    if (section) {
      find_inside(l, t, end.stmt);
    }
  }
}

hd_status hdi_cw_learn_bad(const hdi_cw_orders *orders, const hd_cw_lowering *lowering, const uint32_t *origin,
                           const hd_trace *trace, bool stuck, hd_arena *arena, hdi_cw_lesson *out) {
  learner l = {.origin = origin, .ways = {.arena = arena}};
  *out = (hdi_cw_lesson){.count = 0};
  l.status = hdi_cw_trace_graph_make(orders, lowering, origin, trace, &l.graph);
  if (l.status == HD_OK) {
    l.across = hd_arena_alloc_array(l.graph.arena, (size_t)l.graph.count * l.graph.count + 1, sizeof *l.across);
    l.status = l.across == NULL ? HD_E_NOMEM : HD_OK;
  }
  if (l.status == HD_OK) {
    make_across(&l);
    find_ends(&l, stuck);
    find_cycles(&l);
    *out = hdi_cw_ways_lesson(&l.ways);
  }
  hdi_cw_trace_graph_clear(&l.graph);
  return l.status;
}
