/* A run as a graph over its steps, for learning about orders from it (bad_trace.h, good_trace.h). Internal to the
 * Cwhile frontend. */
#ifndef HEDDLE_FRONTENDS_CWHILE_TRACE_GRAPH_H
#define HEDDLE_FRONTENDS_CWHILE_TRACE_GRAPH_H

#include "core/model/trace.h"
#include "frontends/cwhile/order.h"

/* Pairs of units that must be inverted, or must not be, and sections that must be, together. */
typedef struct hdi_cw_labels {
  hd_literal *literals; /* over the variables of the orders: negated, a pair is not inverted; ascending */
  uint32_t count;
} hdi_cw_labels;

/* One of these combinations is needed. */
typedef struct hdi_cw_lesson {
  hdi_cw_labels *ways;
  size_t count;
  bool complete; /* false: there were too many ways, and not all are listed */
} hdi_cw_lesson;

/* Does some way of the lesson hold in this order (one flag for each variable)? */
bool hdi_cw_lesson_holds(const hdi_cw_lesson *lesson, const bool *chosen);
/* Asks for it in a formula over the variables. HD_E_NOMEM. */
hd_status hdi_cw_lesson_require(const hdi_cw_lesson *lesson, hd_formula *formula);

typedef struct hdi_cw_trace_node {
  uint32_t thread, unit; /* unit HD_NONE: it stays where it is */
  uint32_t round;        /* which execution of the unit */
  uint32_t first_edge, edge_count;
} hdi_cw_trace_node;

typedef struct hdi_cw_trace_graph {
  const hdi_cw_orders *orders;
  const hd_cw_lowering *lowering;
  const hd_trace *trace;
  hd_arena *arena;          /* owned */
  hdi_cw_trace_node *nodes; /* one for each step, or for each unit that a step of a section executes */
  uint32_t count;
  const hdi_cw_edge **edges; /* of the nodes, one behind the other, in the order of the run */
  size_t vars;               /* of the flow */
  bool *reads, *writes;      /* count * vars; locals too, which no other thread touches */
  bool *starts;              /* count * count: x starts the thread of y, or is a step of a thread that y may join */
  uint32_t *rounds;          /* thread * units: executions of each unit that were begun */
} hdi_cw_trace_graph;

/* Makes the nodes of a run of the program with some order: `lowering` is that of its text, `origin` gives each of its
 * statements the number before the edit. HD_E_NOMEM. Clear in any case. Cost: quadratic in the run. */
hd_status hdi_cw_trace_graph_make(const hdi_cw_orders *orders, const hd_cw_lowering *lowering, const uint32_t *origin,
                                  const hd_trace *trace, hdi_cw_trace_graph *out);
void hdi_cw_trace_graph_clear(hdi_cw_trace_graph *graph);
/* Do two steps touch the same variable, one of them writing? */
bool hdi_cw_trace_conflict(const hdi_cw_trace_graph *graph, uint32_t x, uint32_t y);
/* "unit a before unit b" as a literal; false: they stay in the order of the text. */
bool hdi_cw_order_literal(const hdi_cw_orders *orders, uint32_t a, uint32_t b, hd_literal *out);

/* What is looked for: all ways to come from one node to another over edges `across` and moves within a thread, which
 * are labelled when they depend on the order. */
typedef struct hdi_cw_ways {
  hd_arena *arena; /* of what is found; borrowed */
  hdi_cw_labels *ways;
  size_t count, capacity;
  bool cut_short;
} hdi_cw_ways;

/* Adds a way unless an easier one is there, and drops those that it makes superfluous. HD_E_NOMEM. */
hd_status hdi_cw_ways_add(hdi_cw_ways *ways, const hd_literal *literals, uint32_t count);
/* Adds all ways from `from` to `to`: every path that visits each thread at most once, but for the thread of both ends
 * of a cycle. `moves_first`: a move within the thread may come before the first edge across; without it at least one
 * edge across is taken. Threads below `thread_min` are left out. HD_E_NOMEM. Cost: the paths, at most a fixed number of
 * steps.
 */
hd_status hdi_cw_find_ways(const hdi_cw_trace_graph *graph, const bool *across, uint32_t from, uint32_t to,
                           bool moves_first, uint32_t thread_min, hdi_cw_ways *ways);
/* The ways as a lesson in the same arena. */
hdi_cw_lesson hdi_cw_ways_lesson(const hdi_cw_ways *ways);

#endif
