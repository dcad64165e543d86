/* What a bad run asks of every order of the statements. Internal to the Cwhile frontend.
 * @source Cerny, Henzinger, Radhakrishna, Ryzhyk, Tarrach: Regression-free synthesis for concurrency, CAV 2014, section
 * 4: trace elimination graphs; cycles of at most two nodes a thread: Shasha and Snir, TOPLAS 1988 */
#ifndef HEDDLE_FRONTENDS_CWHILE_BAD_TRACE_H
#define HEDDLE_FRONTENDS_CWHILE_BAD_TRACE_H

#include "frontends/cwhile/trace_graph.h"

/* Learns from a run of the program with some order (arguments as for hdi_cw_trace_graph_make): each way of the lesson
 * makes the run impossible, and an order for which none holds has a run that is as bad. `stuck`: the run is bad because
 * it ends where nobody can move. In `arena`. HD_E_NOMEM. Cost: the cycles of the graph, at most a fixed number; the
 * lesson is not complete, hence not necessary, when there are more. */
hd_status hdi_cw_learn_bad(const hdi_cw_orders *orders, const hd_cw_lowering *lowering, const uint32_t *origin,
                           const hd_trace *trace, bool stuck, hd_arena *arena, hdi_cw_lesson *out);

#endif
