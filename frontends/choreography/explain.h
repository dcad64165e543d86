/* Runs of I_k in the source's terms: trace lines, configurations in words, saved traces. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_EXPLAIN_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_EXPLAIN_H

#include "core/report/result.h"
#include "frontends/choreography/lower.h"

/* Fills the finding's trace lines and length from a trace; everything goes into the result's arena. With
 * `configurations` each line's note is the configuration after it. */
hd_status hd_explain_trace(const hd_lowering *lowering, const hd_trace *trace, bool configurations, hd_result *result,
                           hd_finding *finding);
/* "P1 at {s1}, P2 at {s0}; queues: P2 [ms]" for a state; in the result's arena, NULL when memory is out. */
const char *hd_explain_configuration(const hd_lowering *lowering, const uint64_t *state, hd_arena *arena);
/* Why nothing moves in a stuck configuration: first the configuration, then a sentence for each peer that may not stop
 * (what it waits for, which queue is full, what it cannot read), at most HD_STUCK_PEERS_MAX of them. NULL when memory
 * is out. */
#define HD_STUCK_PEERS_MAX 8u
const char *const *hd_explain_stuck(const hd_lowering *lowering, const uint64_t *state, hd_arena *arena, size_t *count);
/* The same for the peers in the bit set `peers`, which never move again while others do. There is room for one more
 * sentence behind the last one. */
const char **hd_explain_left_behind(const hd_lowering *lowering, const uint64_t *state, const uint64_t *peers,
                                    hd_arena *arena, size_t *count);
/* The trace as JSON text heddle.trace/1, in the arena; NULL when memory is out. */
const char *hd_explain_saved_trace(const hd_lowering *lowering, const hd_trace *trace, hd_arena *arena);

/* The run that a witness of unrealizability describes, step by step on I_k. `lowering` has monitors or not; with them
 * the last step must be the fault HD_FAULT_MONITOR. HD_E_INTERNAL when the model does not allow the run. */
hd_status hd_explain_witness(const hd_lowering *lowering, const hd_witness *witness, hd_trace **out);

/* Message (of the peer's own arc) and direction that a step stands for. */
const hd_machine_arc *hd_explain_step(const hd_lowering *lowering, const hd_step *step, hd_peer *peer);

/* Bound and semantics that a saved trace was made with; HD_E_INPUT with a diagnostic when it is not a trace of ours. */
hd_status hd_saved_trace_settings(const hd_text *text, hd_diag *diag, uint32_t *bound, hd_semantics *semantics);
/* Runs the steps of a saved trace on the model. HD_E_INPUT with a diagnostic that gives the step's number when
 * one is malformed or not possible. */
hd_status hd_saved_trace_run(const hd_lowering *lowering, const hd_text *text, hd_diag *diag, hd_trace **out);

#endif
