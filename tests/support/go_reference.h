/* Test support: a plain interpreter of Go's concurrency that shares no code with heddle. It has its own small form of
 * programs, written in a notation of its own (go_notation.c), explores every interleaving (go_reference.c) by the
 * steps of go_steps.c, and prints the programs as Go source (go_print.c), so that the frontend's answer for the
 * printed text can be compared. random_go.c makes programs.
 *
 * The notation: objects first, then functions, `main` among them.
 *
 *   chan NAME CAPACITY | nil NAME | context NAME | mutex NAME | rwmutex NAME | wg NAME | once NAME
 *   cond NAME MUTEX    | flag NAME                          (a flag is a boolean that several goroutines may see)
 *   func NAME(chan P, mutex P, ...) { statements }
 *
 *   send C | send C <- D (c <- <-d) | recv C | recv C ok B | close C | cancel X | lock M | unlock M | rlock M
 *   runlock M | add W N | done W | wait W | signal K | broadcast K | do O F | go F(A, ...) | call F(A, ...)
 *   defer SIMPLE | if COND { } else { } | for N { } | loop { } | while COND { } | range C { } | break | leave
 *   continue | return | goexit | sleep | B := COND | let X = C | let X = nil
 *   select { send C { } send C <- D { } recv C { } recv C ok B { } timer { } default { } }
 *
 * COND is `?` (either), true, false, B, !B, X == nil, X != nil, or two of these but `?` with && or ||. Names that `ok`
 * and `:=` set are booleans of the function, those of `let` its channel variables. `break` leaves the innermost select
 * or loop, as in Go; `leave` the innermost loop. Goexit of main's goroutine is not known: exploring is then not
 * complete.
 */
#ifndef HEDDLE_TESTS_SUPPORT_GO_REFERENCE_H
#define HEDDLE_TESTS_SUPPORT_GO_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GR_OBJECTS 12
#define GR_FUNCTIONS 8
#define GR_STATEMENTS 200
#define GR_LOCALS 4   /* per function: parameters and channel variables; and as many booleans */
#define GR_COUNTERS 4 /* per function: loops that count, and loops over channels */
#define GR_NAME 12
#define GR_NONE (-1)
#define GR_TOP (-2) /* as a place to go to: the end of the function */

typedef enum gr_kind {
  GR_CHANNEL, /* capacity GR_NONE: nil */
  GR_CONTEXT, /* a channel that is only ever closed, any number of times */
  GR_MUTEX,
  GR_RWMUTEX,
  GR_WAITGROUP,
  GR_ONCE,
  GR_COND,
  GR_FLAG,
} gr_kind;

typedef struct gr_object {
  char name[GR_NAME];
  gr_kind kind;
  int capacity; /* of a channel */
  int mutex;    /* of a cond: the object that is its Locker */
} gr_object;

typedef enum gr_op {
  GR_SEND,
  GR_RECEIVE,
  GR_CLOSE, /* of a context: its cancel function */
  GR_LOCK,
  GR_UNLOCK,
  GR_RLOCK,
  GR_RUNLOCK,
  GR_ADD,
  GR_DONE,
  GR_WAIT, /* of a WaitGroup or a Cond */
  GR_SIGNAL,
  GR_BROADCAST,
  GR_DO,
  GR_GO,
  GR_CALL,
  GR_DEFER, /* `body` is the one statement put off */
  GR_IF,
  GR_FOR, /* `count` times */
  GR_LOOP,
  GR_WHILE,
  GR_RANGE,
  GR_SELECT, /* `body` lists the arms: GR_SEND, GR_RECEIVE, GR_TIMER or GR_DEFAULT, each with a body */
  GR_TIMER,
  GR_DEFAULT,
  GR_BREAK,
  GR_BREAK_LOOP,
  GR_CONTINUE,
  GR_RETURN,
  GR_GOEXIT,
  GR_SLEEP,
  GR_SET,
  GR_LET,
} gr_op;

/* An operand: an object, or a local of the function. */
typedef struct gr_name {
  bool is_local;
  int index; /* GR_NONE: nothing, or the nil of GR_LET */
} gr_name;

typedef enum gr_test { GR_EITHER, GR_TRUE, GR_BOOL, GR_IS_NIL } gr_test;

typedef struct gr_atom {
  gr_test test;
  bool negated;
  gr_name of; /* GR_BOOL: a local boolean or a flag; GR_IS_NIL: a channel */
} gr_atom;

typedef struct gr_condition {
  gr_atom atom[2];
  char join; /* 0: one atom only; '&' or '|' */
} gr_condition;

typedef struct gr_statement {
  gr_op op;
  gr_name on;     /* the object; of GR_LET and GR_SET: what is assigned */
  gr_name from;   /* GR_SEND: the channel that the value is received from; GR_LET: what is assigned to it */
  int ok;         /* GR_RECEIVE: local boolean, or GR_NONE */
  int count;      /* GR_ADD, GR_FOR */
  int function;   /* GR_GO, GR_CALL, GR_DO */
  int counter;    /* GR_FOR, GR_RANGE */
  gr_name arg[2]; /* GR_GO, GR_CALL */
  gr_condition condition;
  int body, otherwise, next; /* statements, or GR_NONE */
  /* set by gr_link */
  int then; /* where control goes afterwards, or GR_TOP */
  int left; /* GR_BREAK, GR_BREAK_LOOP, GR_CONTINUE: the loop or select concerned */
} gr_statement;

typedef struct gr_function {
  char name[GR_NAME];
  int parameters, locals, bools, counters;
  gr_kind kind[GR_LOCALS];
  char local[GR_LOCALS][GR_NAME], boolean[GR_LOCALS][GR_NAME];
  int body;
} gr_function;

typedef struct gr_program {
  int objects, functions, statements;
  gr_object object[GR_OBJECTS];
  gr_function function[GR_FUNCTIONS];
  int main;
  gr_statement statement[GR_STATEMENTS];
} gr_program;

/* Reads the notation; the test fails, saying where, when it is wrong. */
void gr_read(gr_program *program, const char *text);
/* Computes `then` and `left` everywhere; gr_read has done it. */
void gr_link(gr_program *program);

/* When a goroutine that stands at an operation on an unbuffered channel is there for the other side, which only a
 * select with default can tell: it takes the default when nobody is there. */
typedef enum gr_arrival {
  /* As the runtime does it: a goroutine tries, and parks when it cannot go on; only a parked one is there. Parking is
   * a step of its own, of no length. This is Go. */
  GR_PARKS,
  /* Whoever stands there may be there or on the way: the default is ruled out only by buffers and closed channels.
   * The same answers with fewer states (test_go_reference.c compares). */
  GR_MAY_BE_THERE,
  /* As above, but two selects also meet when both could go on alone, through a buffer or a closed channel. The Go
   * specification does not rule this out; the runtime never does it, for neither select would wait for the other. */
  GR_MEETS_ANYWAY,
} gr_arrival;

typedef struct gr_verdicts {
  bool complete; /* false: more states than allowed, or more goroutines or calls than there is room for */
  size_t states, transitions;
  size_t panicked;      /* of the states: those that a panic ends in */
  bool global_deadlock; /* main has not returned, nothing can move */
  bool panic;           /* also after main's last step: how long it takes to return nobody knows */
  bool leak;            /* in a bottom component that is neither a global deadlock nor a panic, one never moves */
  bool left_behind;     /* as `leak`, and also in the states of a global deadlock (not main) or a panic */
  /* least numbers of steps; UINT32_MAX where there is none. To a leak: to the first state of the component. */
  uint32_t to_global_deadlock, to_panic, to_leak;
} gr_verdicts;

gr_verdicts gr_explore(const gr_program *program, gr_arrival arrival, size_t states_max);

/* How programs are written in Go. */
typedef enum gr_style {
  GR_CLOSURES, /* objects are variables of main, functions are closures in variables */
  GR_INLINE,   /* as above, with every function written out where it is used; without recursion only */
  GR_GLOBALS,  /* package variables and functions */
  GR_STRUCT,   /* fields of one struct, methods */
  GR_STYLES,
} gr_style;

/* Go source, malloc'd; the test fails when memory is out. */
char *gr_print(const gr_program *program, gr_style style);
/* The same, shaken: before each statement it may sleep for a short while, so that runs differ; and when main has
 * returned, it waits for things to settle and prints a line `BLOCKED ...` for each goroutine that is blocked. */
char *gr_print_shaken(const gr_program *program, gr_style style);

/* A random program in the notation, malloc'd, the same for the same seed on every machine. */
char *gr_random(uint64_t seed);

#endif
