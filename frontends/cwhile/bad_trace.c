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

static void keep_single(learner *l, uint32_t a, uint32_t b) {
  hd_literal literal;
  if (l->status == HD_OK && hdi_cw_order_literal(l->graph.orders, a, b, &literal)) {
    l->status = hdi_cw_ways_add(&l->ways, &literal, 1);
  }
}

/* The unit that a thread is at when the run ends, its execution not begun; HD_NONE: none. */
static uint32_t stuck_unit(const learner *l, uint32_t thread) {
  const hd_trace *trace = l->graph.trace;
  const hd_cw_lowering *lowering = l->graph.lowering;
  const uint64_t *state = trace->states + trace->length * trace->words;
  hd_loc at = hd_model_location(lowering->model, state, thread);
  if (hd_model_loc_is_dead(lowering->model, at)) {
    return HD_NONE;
  }
  const hdi_cw_loc *loc = &lowering->flow.locs.data[hd_model_loc_tag(lowering->model, at)];
  uint32_t before = loc->end || loc->stmt == NULL ? HD_NONE : l->origin[loc->stmt->number];
  return before == HD_NONE ? HD_NONE : l->graph.orders->unit_of[before];
}

/* Of one thread and block: units that the last execution has not come to, before those that it has begun or is stuck
 * at.
 */
static void find_early(learner *l, uint32_t thread, uint32_t stuck) {
  const hdi_cw_orders *orders = l->graph.orders;
  const uint32_t *rounds = l->graph.rounds + (size_t)thread * orders->unit_count;
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

hd_status hdi_cw_learn_bad(const hdi_cw_orders *orders, const hd_cw_lowering *lowering, const uint32_t *origin,
                           const hd_trace *trace, bool stuck, hd_arena *arena, hdi_cw_lesson *out) {
  learner l = {.origin = origin, .ways = {.arena = arena}};
  *out = (hdi_cw_lesson){.count = 0};
  l.status = hdi_cw_trace_graph_make(orders, lowering, origin, trace, &l.graph);
  if (l.status == HD_OK) {
    l.across = hd_arena_alloc_array(l.graph.arena, trace->length * trace->length + 1, sizeof *l.across);
    l.status = l.across == NULL ? HD_E_NOMEM : HD_OK;
  }
  if (l.status == HD_OK) {
    make_across(&l);
    for (uint32_t t = 0; t < lowering->flow.threads.count; t++) {
      find_early(&l, t, stuck ? stuck_unit(&l, t) : HD_NONE);
    }
    find_cycles(&l);
    *out = hdi_cw_ways_lesson(&l.ways);
  }
  hdi_cw_trace_graph_clear(&l.graph);
  return l.status;
}
