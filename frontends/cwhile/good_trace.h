/* What good runs ask of an order of the statements, so that it does not make them bad. Internal to the Cwhile frontend.
 * @source Cerny, Henzinger, Radhakrishna, Ryzhyk, Tarrach: Regression-free synthesis for concurrency, CAV 2014, section
 * 4: trace analysis graphs and algorithm 1 */
#ifndef HEDDLE_FRONTENDS_CWHILE_GOOD_TRACE_H
#define HEDDLE_FRONTENDS_CWHILE_GOOD_TRACE_H

#include "frontends/cwhile/trace_graph.h"

typedef struct hdi_cw_lessons {
  hdi_cw_lesson *list; /* each of them is asked for; without repetitions */
  size_t count, capacity;
} hdi_cw_lessons;

/* Learns from a complete good run of the program as it is: what must be kept so that each assertion reads what it read.
 * Adds to `out`, in `arena`. What nothing in the run enforces is not asked for. HD_E_NOMEM. Cost: for each thing that
 * an assertion depends on the paths of the graph, at most a fixed number. */
hd_status hdi_cw_learn_good(const hdi_cw_orders *orders, const hd_cw_lowering *lowering, const hd_trace *trace,
                            hd_arena *arena, hdi_cw_lessons *out);

/* Finds complete good runs by walking the model, different in what their assertions read, at most `most` of them; owned
 * by the caller, each (hd_trace_free) and the array (free). The same on every machine. HD_E_NOMEM. Cost: some dozens of
 * walks of some hundred steps. */
hd_status hdi_cw_find_good(const hd_cw_lowering *lowering, uint32_t most, hd_trace ***out, uint32_t *count);

#endif
