/* The choreography frontend: .chor (global automata), .contract (channel contracts) and .fsa/.fsm (communicating
 * machines). */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_FRONTEND_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_FRONTEND_H

#include "frontends/choreography/choreography.h"
#include "frontends/choreography/lower.h"
#include "frontends/frontend.h"

extern const hd_frontend hd_frontend_choreography;

/* A parsed input: a choreography, or machines given bottom-up (then `file` is NULL). */
struct hd_ast {
  hd_chor_file *file;  /* owned; NULL for .fsa */
  bool contract;       /* `file` was read from a contract */
  hd_system *machines; /* owned; NULL for .chor */
};

/* The commands, one file each; signatures of struct hd_frontend. */
hd_status hdi_choreography_check(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result);
hd_status hdi_choreography_repair(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result);
hd_status hdi_choreography_explore(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result);
hd_status hdi_choreography_project(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_buffer *out);
hd_status hdi_choreography_convert(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_buffer *out);
hd_status hdi_choreography_replay(const hd_ast *ast, const hd_text *text, const hd_request *request, hd_diag *diag,
                                  hd_result *result);

/* Most local states of one projected peer, and states of Det(C): beyond it the answer is "inconclusive". */
#define HDI_SUBSETS_MAX (1u << 22)

/* What every command starts from, made within the time of the request. `system` is the projection (owned) or the
 * machines (borrowed). */
typedef struct hdi_subject {
  const hd_ast *ast;
  const hd_system *system;
  hd_system *projected; /* owned; NULL for .fsa */
  hd_arena *arena;      /* owned; holds the dfas */
  hd_dfa *dfas;         /* Det of each block; NULL for .fsa or when not asked for */
} hdi_subject;
hd_status hdi_subject_make(const hd_ast *ast, bool with_dfas, const hd_request *request, hdi_subject *subject);
void hdi_subject_clear(hdi_subject *subject);

/* A search over `lowering` with the limits of the request; stuck configurations are classified and traced. */
void hdi_search_init(const hd_lowering *lowering, const hd_request *request, hd_search *search);
/* hd_explore; a store that cannot hold the model is HD_E_USAGE with a diagnostic that says why. */
hd_status hdi_explore(const hd_search *search, hd_diag *diag, hd_outcome *outcome);
/* Stuck configurations in an outcome, all kinds together. */
uint64_t hdi_stuck_count(const hd_outcome *outcome);
/* Adds a finding for each kind of stuck configuration that the outcome has. One whose run could not be rebuilt (memory,
 * time, a signal) has no trace and says why. HD_E_NOMEM, HD_E_INTERNAL. */
hd_status hdi_add_stuck_findings(const hd_lowering *lowering, const hd_outcome *outcome, hd_result *result);
/* Searches I_bound, without reduction, for peers that must go on and never move again while others go on for ever; what
 * it finds or leaves open becomes part of the result, its verdict included. HD_E_NOMEM, HD_E_INTERNAL. */
hd_status hdi_check_stuck_peers(const hdi_subject *subject, uint32_t bound, hd_semantics semantics,
                                const hd_request *request, hd_result *result);
/* Words for the system that was searched; notes as a fact how it was reduced, if it was. NULL when memory is out. */
const char *hdi_searched(const hd_lowering *lowering, const hd_outcome *outcome, hd_result *result);
/* Words for what a search that did not end left out; NULL when it was complete. In the result's arena. */
const char *hdi_not_covered(const hd_outcome *outcome, hd_result *result);
/* Sets the drawing and the saved trace of the result from the first finding's trace (NULL: none). */
hd_status hdi_set_emits(const hd_ast *ast, const hd_lowering *lowering, const hd_trace *trace, hd_result *result);
const char *hdi_semantics_name(hd_semantics semantics);

#endif
