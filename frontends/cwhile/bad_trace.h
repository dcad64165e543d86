/* What a bad run asks of every order of the statements. Internal to the Cwhile frontend.
 * @source Cerny, Henzinger, Radhakrishna, Ryzhyk, Tarrach: Regression-free synthesis for concurrency, CAV 2014, section
 * 4: trace elimination graphs; cycles of at most two nodes a thread: Shasha and Snir, TOPLAS 1988 */
#ifndef HEDDLE_FRONTENDS_CWHILE_BAD_TRACE_H
#define HEDDLE_FRONTENDS_CWHILE_BAD_TRACE_H

#include "core/model/trace.h"
#include "frontends/cwhile/order.h"

/* Pairs of units that must be inverted, or must not be, together. */
typedef struct hdi_cw_labels {
  hd_literal *literals; /* over the pairs: negated, the pair is not inverted; ascending */
  uint32_t count;
} hdi_cw_labels;

/* Each of these makes the run impossible, and an order for which none holds has a run that is as bad. In `arena`. */
typedef struct hdi_cw_lesson {
  hdi_cw_labels *ways;
  size_t count;
  bool complete; /* false: there were too many cycles; the lesson is not necessary then */
} hdi_cw_lesson;

/* Learns from a run of the program with the order `inverted`: `lowering` is that of its text, `origin` gives each of
 * its statements the number before the edit. `stuck`: the run is bad because it ends where nobody can move. HD_E_NOMEM.
 * Cost: the cycles of the graph, at most a fixed number. */
hd_status hdi_cw_learn_bad(const hdi_cw_orders *orders, const hd_cw_lowering *lowering, const uint32_t *origin,
                           const hd_trace *trace, bool stuck, hd_arena *arena, hdi_cw_lesson *out);
/* Does some way of the lesson hold in this order? */
bool hdi_cw_lesson_holds(const hdi_cw_lesson *lesson, const bool *inverted);
/* Asks for it in a formula over the pairs. HD_E_NOMEM. */
hd_status hdi_cw_lesson_require(const hdi_cw_lesson *lesson, hd_formula *formula);

#endif
