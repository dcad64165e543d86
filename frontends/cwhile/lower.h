/* A Cwhile program as a model. */
#ifndef HEDDLE_FRONTENDS_CWHILE_LOWER_H
#define HEDDLE_FRONTENDS_CWHILE_LOWER_H

#include "core/model/model.h"
#include "frontends/cwhile/flow.h"

/* Who may move. X(identifier, "words") */
#define HD_CW_SCHEDULE_TABLE(X)                              \
  X(ANY, "any enabled thread")                               \
  X(SEQUENTIAL, "one thread after another, each to its end") \
  X(PREEMPTION_FREE, "a thread goes on to its end or to the next await, lock or join")
typedef enum hd_cw_schedule {
#define HDI_CW_SCHEDULE_ENUM(identifier, words) HD_CW_SCHEDULE_##identifier,
  HD_CW_SCHEDULE_TABLE(HDI_CW_SCHEDULE_ENUM)
#undef HDI_CW_SCHEDULE_ENUM
} hd_cw_schedule;

typedef struct hd_cw_lower_options {
  bool keep_err;       /* a variable `err` that a failed assert sets for good */
  bool access;         /* granularity: a step touches shared variables once at most */
  bool count_switches; /* a step costs 1 when another thread made the one before, 0 otherwise */
  bool wide;           /* declared domains, not inferred ones: for tests */
  bool start_apart;    /* a thread that has moved is not at its first location again */
  bool unfused;        /* each statement of an atomic block is an inner step of its own */
  hd_cw_schedule schedule;
} hd_cw_lower_options;

typedef struct hd_cw_lowering {
  const hd_cw_program *program; /* borrowed */
  hdi_cw_flow flow;             /* owned; edge tags of the model are its edge numbers, location tags its locations */
  hd_model *model;              /* owned; instance t is thread t of the flow */
  hd_var *vars;                 /* owned: of the flow's variables */
  hd_var err;                   /* HD_NO_VAR: not kept */
  bool has_loop;                /* some thread can go on for ever */
} hd_cw_lowering;

/* HD_E_NOMEM; HD_E_LIMIT when the inlined program or its states are too large. Deterministic: same program, same
 * options, same model [Invariant 2]. Free with hd_cw_lowering_free. Cost: linear in the inlined program, times the
 * rounds of the interval analysis. */
hd_status hd_cw_lower(const hd_cw_program *program, const hd_cw_lower_options *options, hd_cw_lowering **out);
void hd_cw_lowering_free(hd_cw_lowering *lowering); /* NULL allowed */

/* The edge of the flow that an edge of the model was made from. */
const hdi_cw_edge *hdi_cw_edge_of(const hd_cw_lowering *lowering, hd_edge edge);

/* Kinds of states without moves. */
enum { HD_CW_STOP_DEADLOCK = 1 };
/* For hd_search.classify; the context is the lowering. A deadlock is a state without moves in which some thread that
 * must end has not, no thread is blocked at an assume, and every axiom holds. */
uint32_t hd_cw_classify(const void *context, const hd_model *model, const uint64_t *state);
/* For hd_bottom_query.must_go_on. */
uint32_t hd_cw_must_go_on(const void *context, const hd_model *model, const uint64_t *state, uint32_t instance);
/* For hd_search.predicate: 0: err is set; 1: err is set and every thread that must end has ended. */
bool hd_cw_predicate(const void *context, const hd_model *model, const uint64_t *state, uint32_t index);
/* Has every thread that must end done so? */
bool hd_cw_all_ended(const hd_cw_lowering *lowering, const uint64_t *state);

/* Narrows the variables of a flow to values that they can have (intervals.c). HD_E_NOMEM. */
hd_status hdi_cw_narrow(hdi_cw_flow *flow);
/* The steps of the longest run, inner steps of blocks counted; UINT64_MAX when some thread can come back to a location.
 * HD_E_NOMEM. */
hd_status hdi_cw_longest_run(const hdi_cw_flow *flow, uint64_t *steps);

#endif
