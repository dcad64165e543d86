/* Runs of a program in its own terms. Internal to the Cwhile frontend. */
#ifndef HEDDLE_FRONTENDS_CWHILE_EXPLAIN_H
#define HEDDLE_FRONTENDS_CWHILE_EXPLAIN_H

#include "core/model/trace.h"
#include "core/report/result.h"
#include "frontends/cwhile/lower.h"

/* A step in words: thread, statement, what changed. All in `arena`; false when memory is out. `next` is NULL after a
 * fault; `inner` are its inner steps. */
bool hdi_cw_explain_step(const hd_cw_lowering *lowering, const hd_step *step, const hd_inner *inner, size_t inner_count,
                         const uint64_t *state, const uint64_t *next, hd_arena *arena, hd_trace_line *line);
/* Fills trace and length of a finding. HD_E_NOMEM. */
hd_status hdi_cw_explain_trace(const hd_cw_lowering *lowering, const hd_trace *trace, hd_result *result,
                               hd_finding *finding);
/* Where threads are that have not ended, one sentence each, and the values of variables. NULL when memory is out. */
const char *const *hdi_cw_explain_state(const hd_cw_lowering *lowering, const uint64_t *state, hd_arena *arena,
                                        size_t *count);
/* Context switches of a run. */
uint64_t hdi_cw_switches(const hd_trace *trace);
/* The trace as JSON text heddle.trace/1; NULL when memory is out. */
const char *hdi_cw_saved_trace(const hd_cw_lowering *lowering, const hd_trace *trace, bool access, hd_arena *arena);
/* Granularity of a saved trace; HD_E_INPUT with a diagnostic when it is none of ours. */
hd_status hdi_cw_saved_settings(const hd_text *text, hd_diag *diag, bool *access);
/* Runs it. HD_E_INPUT with a diagnostic that gives the number of the step that is malformed or not possible. */
hd_status hdi_cw_saved_run(const hd_cw_lowering *lowering, const hd_text *text, hd_diag *diag, hd_trace **out);
/* A drawing of the threads, the trace's steps (NULL: none) marked. NULL when memory is out. */
const char *hdi_cw_draw(const hd_cw_lowering *lowering, const hd_trace *trace, hd_arena *arena);

#endif
