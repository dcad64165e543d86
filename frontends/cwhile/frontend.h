/* The Cwhile frontend: threads over shared variables (.cw). */
#ifndef HEDDLE_FRONTENDS_CWHILE_FRONTEND_H
#define HEDDLE_FRONTENDS_CWHILE_FRONTEND_H

#include "frontends/cwhile/cwhile.h"
#include "frontends/cwhile/lower.h"

struct hd_ast {
  hd_cw_program *program; /* owned */
};

/* The commands; signatures of struct hd_frontend. */
hd_status hdi_cw_check(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result);
hd_status hdi_cw_repair(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result);
hd_status hdi_cw_explore(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result);
hd_status hdi_cw_convert(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_buffer *out);
hd_status hdi_cw_replay(const hd_ast *ast, const hd_text *text, const hd_request *request, hd_diag *diag,
                        hd_result *result);

/* What can be wrong with a program, in the order in which it is told. X(identifier, "kind", diagnostic) */
#define HDI_CW_FINDING_TABLE(X)                         \
  X(ASSERTION, "assertion", HD_DIAG_ASSERTION)          \
  X(DEADLOCK, "deadlock", HD_DIAG_DEADLOCK)             \
  X(OUT_OF_RANGE, "out-of-range", HD_DIAG_OUT_OF_RANGE) \
  X(DIVISION, "division-by-zero", HD_DIAG_DIVISION)     \
  X(ENDLESS_BLOCK, "endless-block", HD_DIAG_ENDLESS_BLOCK)
typedef enum hdi_cw_finding {
#define HDI_CW_FINDING_ENUM(identifier, kind, code) HDI_CW_FINDING_##identifier,
  HDI_CW_FINDING_TABLE(HDI_CW_FINDING_ENUM)
#undef HDI_CW_FINDING_ENUM
      HDI_CW_FINDING_COUNT
} hdi_cw_finding;

/* A search over a lowering with the limits of the request, every kind of finding traced. */
void hdi_cw_search_init(const hd_cw_lowering *lowering, const hd_request *request, hd_search *search);
/* hd_explore; a store or an order that cannot be is HD_E_USAGE with a diagnostic that says why. */
hd_status hdi_cw_run(const hd_search *search, hd_diag *diag, hd_outcome *outcome);
/* The first found slot of a kind; NULL: none. Of two kinds of fault that are one kind of finding the cheaper run. */
const hd_found *hdi_cw_found(const hd_outcome *outcome, hdi_cw_finding kind);
/* Adds a finding for a run; `found` has a trace or says why not. */
hd_status hdi_cw_add_finding(const hd_cw_lowering *lowering, hdi_cw_finding kind, const hd_found *found,
                             hd_result *result);
/* Words for bounds of the model that a search met (a thread started anew while it runs, a block with too many inner
 * steps); NULL when there are none. In the result's arena. */
const char *hdi_cw_bounds_met(const hd_outcome *outcome, hd_result *result);
/* Notes the granularity, and what was left out. */
void hdi_cw_note(const hd_request *request, const hd_outcome *outcome, hd_result *result);

/* Bad runs without a preemption (schedule.c): adds findings and facts when a complete sequential or preemption-free run
 * is bad. */
hd_status hdi_cw_check_schedules(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result);

#endif
