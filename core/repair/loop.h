/* The counterexample-guided loop that the repairs of every frontend run:
 *
 *   propose: the cheapest candidates that nothing     -->  replay: does an old counterexample
 *            learned excludes                                      refute it already?
 *     ^                                                      | no
 *     |                                                      v
 *   learn: why it fails, or that exactly this one     <--  decide: explored completely, then
 *          is refused                                              the gate
 *
 * What a candidate is (a choice of a solver, a draft, an edited program) is the problem's own business. */
#ifndef HEDDLE_CORE_REPAIR_LOOP_H
#define HEDDLE_CORE_REPAIR_LOOP_H

#include "core/base/atomic.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What deciding a candidate gave. */
typedef enum hd_candidate_end {
  HD_CANDIDATE_FAILS,     /* it has a counterexample, from which something was learned */
  HD_CANDIDATE_REFUSED,   /* no counterexample, but the gate does not take it */
  HD_CANDIDATE_ACCEPTED,  /* a repair */
  HD_CANDIDATE_UNDECIDED, /* a limit of its own cut the decision short: nothing is known about it */
  HD_CANDIDATE_END_COUNT
} hd_candidate_end;

/* Any function may end the loop: with HD_E_LIMIT or HD_E_CANCELLED, which the progress tells, or with another failure,
 * which hd_repair_loop_run returns. */
typedef struct hd_repair_steps {
  /* Gives the candidates that are tried next, at most `most` of them, in the order in which they are to be tried, and
   * hands them over; *count 0: there are no more that interest. On failure none is handed over. */
  hd_status (*propose)(void *problem, size_t most, void **candidates, size_t *count);
  /* Does something that was learned before already refute this candidate? Any thread; writes to the candidate only.
   * NULL: nothing is replayed. */
  hd_status (*replay)(const void *problem, void *candidate, bool *refuted);
  /* Explores the candidate on `threads` threads and asks the gate. Any thread; writes to the candidate only. */
  hd_status (*decide)(const void *problem, void *candidate, uint32_t threads);
  /* Takes in what deciding gave, on the calling thread, in the order of the candidates. */
  hd_status (*learn)(void *problem, void *candidate, hd_candidate_end *end);
  /* A candidate that learn has seen, or that will not be tried. */
  void (*discard)(void *problem, void *candidate);
} hd_repair_steps;

typedef struct hd_repair_limits {
  uint32_t tries_max;          /* candidates decided; a deterministic budget */
  uint32_t batch_max;          /* candidates asked for at once; 1 .. HD_REPAIR_BATCH_MAX */
  uint32_t threads;            /* 0 is 1 */
  double alone_seconds;        /* candidates decided faster are decided one by one, each on one thread; 0: never */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
} hd_repair_limits;

#define HD_REPAIR_BATCH_MAX 64u
/* A good `alone_seconds`: idle threads of an OpenMP team spin for about twice as long before they sleep, which costs
 * more than a wave of short decisions gains, above all where other programs want the cores. */
#define HD_REPAIR_ALONE_SECONDS 0.002

typedef struct hd_repair_progress {
  uint32_t rounds; /* proposals */
  uint32_t tried;  /* candidates decided: the sum of `ended` */
  uint32_t ended[HD_CANDIDATE_END_COUNT];
  uint32_t refuted; /* candidates that a replay refuted; they are not among the tried ones */
  hd_status end;    /* HD_OK: propose had no more; HD_E_LIMIT: tries_max, or a limit of a step; HD_E_CANCELLED */
} hd_repair_progress;

/* Runs the loop until propose has no more candidates or a limit ends it. What is learned, tried and accepted is the
 * same for every number of threads: candidates are decided ahead on all threads, but taken in one by one, and one that
 * something learned from an earlier one refutes is dropped undecided, as one thread would have done. HD_OK also when
 * cut short (progress->end says so). */
hd_status hd_repair_loop_run(const hd_repair_steps *steps, void *problem, const hd_repair_limits *limits,
                             hd_repair_progress *progress);
/* Was the search told to stop: cancelled (NULL: never), or past a deadline on the clock of hd_machine_seconds (0:
 * none)? Any thread. */
bool hd_repair_is_over(const hd_atomic_u32 *cancel, double deadline_seconds);
/* Adds what a further run of the loop did; the end is that of the later run. */
void hd_repair_add_progress(hd_repair_progress *sum, const hd_repair_progress *more);

#endif
