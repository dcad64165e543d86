/* DOT drawings of inputs with a counterexample highlighted. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_DRAW_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_DRAW_H

#include "core/model/trace.h"
#include "frontends/choreography/lower.h"

/* The choreography's automaton, one cluster per block. With `trace` (NULL allowed) the states and arcs that its sends
 * follow are bold red, and a send that the choreography does not allow is a dashed red arc to a node that says so.
 * Appends to `out`. */
void hd_draw_choreography(const hd_chor_file *file, const hd_lowering *lowering, const hd_trace *trace, hd_buffer *out);
/* The machines of a bottom-up system; the arcs that the trace uses and the states it ends in are bold red. */
void hd_draw_system(const hd_system *system, const hd_lowering *lowering, const hd_trace *trace, hd_buffer *out);
#endif
