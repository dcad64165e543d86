/* Complete runs without preemptions of a program, and their images under an edit: what a regression-free repair keeps.
 * Internal to the Cwhile frontend.
 *
 * A run is the sequence of statements that threads execute, each with the way it took (the branch of a condition, the
 * values of nondet). Its image under an edit has the same threads at the same positions, each executing its statements
 * in the order of the edited program and taking the same ways.
 * @source Cerny, Henzinger, Radhakrishna, Ryzhyk, Tarrach: Regression-free synthesis for concurrency, CAV 2014, section
 * 2: conditions (c) and (d) */
#ifndef HEDDLE_FRONTENDS_CWHILE_RUNS_H
#define HEDDLE_FRONTENDS_CWHILE_RUNS_H

#include "frontends/cwhile/edit.h"
#include "frontends/cwhile/lower.h"

#include "core/base/atomic.h"

typedef struct hdi_cw_event {
  uint32_t thread, statement;
  uint32_t way; /* which of the edges of the statement out of one location */
} hdi_cw_event;

#define HD_ARRAY_NAME hdi_cw_events
#define HD_ARRAY_TYPE hdi_cw_event
#include "core/base/array.h"

/* Appends what a step that is being emitted executes, in order; blocks themselves are no events. HD_E_NOMEM. */
hd_status hdi_cw_events_of(const hd_cw_lowering *lowering, const hd_stepper *stepper, const hd_step *step,
                           hdi_cw_events *events);

typedef struct hdi_cw_complete_run {
  hdi_cw_event *events; /* statements of atomic blocks one by one */
  uint32_t count;
  bool bad; /* an assertion fails in it */
} hdi_cw_complete_run;

typedef struct hdi_cw_runs {
  hd_arena *arena; /* owned */
  hdi_cw_complete_run *runs;
  uint32_t count, bad_count;
  bool all;   /* these are all of them; loops are followed once through each state */
  bool fault; /* some run ends in a fault */
} hdi_cw_runs;

typedef struct hdi_cw_run_limits {
  uint32_t runs_max;           /* more are not collected */
  uint64_t steps_max;          /* of the walk in all */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
} hdi_cw_run_limits;

/* The complete runs of a schedule (not ANY): those at whose end every thread that must end has ended. In the order of
 * the steps. HD_E_NOMEM; HD_E_LIMIT when the program is too large for a model. Clear in any case. Cost: steps_max steps
 * of the model. */
hd_status hdi_cw_runs_collect(const hd_cw_program *program, bool access, hd_cw_schedule schedule,
                              const hdi_cw_run_limits *limits, hdi_cw_runs *out);
void hdi_cw_runs_clear(hdi_cw_runs *runs);

/* Is the image of the run a run of the edited program? `after` is its lowering, unfused, with any schedule, and
 * `origin` gives for each of its statements the number before the edit (edit.h). With `only_at_waits` threads must also
 * change only where they wait or end in the edited program. HD_E_NOMEM. Cost: a step of the model for each event. */
hd_status hdi_cw_run_has_image(const hd_cw_lowering *after, const uint32_t *origin, const hdi_cw_complete_run *run,
                               bool only_at_waits, bool *has);

/* The same up to free transformations: is there a complete run of the edited program with the statements and ways of
 * this one, in which statements of different threads that touch the same variable, one of them writing, keep their
 * order? Threads change only where they end, or also (at_waits) where they wait, in the edited program. HD_E_NOMEM;
 * HD_E_LIMIT when that was not decided after a fixed number of places. Cost: the orders of the run's statements that
 * differ, at most that number. */
hd_status hdi_cw_run_has_equivalent(const hd_cw_lowering *after, const uint32_t *origin, const hdi_cw_complete_run *run,
                                    bool at_waits, bool *has);

/* How many complete runs a lowering has. *known false: there is a loop, more than `states_max` states, or more than
 * 2^64 - 3 runs. HD_E_NOMEM. Cost: a walk over its states. */
hd_status hdi_cw_count_runs(const hd_cw_lowering *lowering, uint32_t states_max, uint64_t *count, bool *known);

#endif
