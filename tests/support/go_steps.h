/* Test support: states of gr_program and their successors. Used by go_reference.c, go_steps.c and go_local.c only. */
#ifndef HEDDLE_TESTS_SUPPORT_GO_STEPS_H
#define HEDDLE_TESTS_SUPPORT_GO_STEPS_H

#include "tests/support/go_reference.h"

#define GR_GOROUTINES 10
#define GR_DEPTH 5
#define GR_DEFERS 3

typedef struct gr_deferred {
  int16_t statement;
  int8_t object, arg[2], unused;
} gr_deferred;

/* A call in progress. */
typedef struct gr_frame {
  int16_t at;   /* statement, or GR_TOP: the body has ended, what was deferred is run */
  int8_t phase; /* how far within a statement of several steps */
  int8_t once;  /* the Once that this call is for, or GR_NONE */
  gr_deferred deferred[GR_DEFERS];
  int8_t local[GR_LOCALS]; /* objects; GR_NONE: nil */
  int8_t boolean[GR_LOCALS];
  int8_t counter[GR_COUNTERS]; /* rounds done; of a loop over a channel: the channel + 2, or 0 outside */
  int8_t deferred_count, unused;
} gr_frame;

typedef struct gr_goroutine {
  gr_frame frame[GR_DEPTH];
  int8_t depth; /* 0: finished, or never begun */
  int8_t parked, exiting /* Goexit was called */, unused;
} gr_goroutine;

/* An object's value: of a channel the number of messages, of a Mutex 1 when locked, of a RWMutex the number of readers,
 * of a WaitGroup the counter, of a Once 1 while running and 2 afterwards, of a flag its value. `more`: of a channel 1
 * when closed; of a RWMutex 1 when a writer has announced itself, 2 when one holds it. */
typedef struct gr_value {
  int8_t value, more;
} gr_value;

/* No padding, so that states are compared as bytes. */
typedef struct gr_state {
  gr_goroutine goroutine[GR_GOROUTINES]; /* main is the first */
  gr_value object[GR_OBJECTS];
  int8_t panicked, no_room;
  int8_t spawned; /* places in use so far, main's included: each is used once while there are fresh ones */
  int8_t unused;
} gr_state;

typedef struct gr_step {
  gr_state to;
  uint32_t moved;  /* set of goroutines */
  uint32_t length; /* 1; 0 for parking */
} gr_step;

#define GR_STEPS 400

typedef struct gr_steps {
  gr_step step[GR_STEPS];
  size_t count;
} gr_steps;

/* ---- go_local.c ---- */

#define GR_SPINS 100 /* as a phase: the goroutine computes for ever */

gr_frame *gr_top(gr_state *state, int goroutine);
/* The object that a name means in a call; GR_NONE for nil, and for a channel that was never made. */
int gr_resolve(const gr_program *program, const gr_frame *frame, gr_name name);
void gr_go_to(gr_frame *frame, int to);
/* Goes to `body`, or where it is empty to `otherwise`. */
void gr_enter(gr_frame *frame, int body, int otherwise);
bool gr_is_open(const gr_condition *condition);
/* Takes the branch of an if, a while or an assignment. */
void gr_branch(gr_state *state, gr_frame *frame, const gr_statement *statement, bool value);
/* A new innermost call of a goroutine; false when there is no room. */
bool gr_push(const gr_program *program, gr_state *state, int goroutine, int function, const int arg[2], int once);
/* Takes the last thing put off away and says what it was. */
gr_deferred gr_pull(gr_frame *frame);
/* Runs a goroutine up to its next step. */
void gr_settle(const gr_program *program, gr_state *state, int goroutine);

/* ---- go_steps.c ---- */

void gr_first_state(const gr_program *program, gr_state *state);
void gr_successors(const gr_program *program, gr_arrival arrival, const gr_state *from, gr_steps *steps);

#endif
