/* The gate: is an edited program a repair? Internal to the Cwhile frontend. What it judges is the edited text, read
 * again; where an edit came from does not matter. */
#ifndef HEDDLE_FRONTENDS_CWHILE_GATE_H
#define HEDDLE_FRONTENDS_CWHILE_GATE_H

#include "frontends/cwhile/edit.h"
#include "frontends/cwhile/lower.h"
#include "frontends/cwhile/runs.h"

typedef struct hdi_cw_gate_limits {
  uint32_t threads;            /* of a search */
  size_t memory_max_bytes;     /* 0: none */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
} hdi_cw_gate_limits;

/* Where the threads that must end are blocked in a deadlock: per thread the number of the statement before which it
 * waits, in the program before any edit, or HD_NONE. */
typedef struct hdi_cw_blocked {
  uint32_t *statements;
} hdi_cw_blocked;

/* What a program does before it is edited. */
typedef struct hdi_cw_baseline {
  hd_arena *arena;              /* owned */
  const hd_cw_program *program; /* borrowed */
  bool access;                  /* granularity */
  uint32_t thread_count;
  uint64_t states, transitions, deadlocks;
  bool has_assertion, has_fault; /* an assertion can fail, a step can fault */
  hdi_cw_blocked *blocked;       /* the different ways in which it deadlocks */
  uint32_t blocked_count;
  bool blocked_all;     /* these are all of them */
  bool has_left_behind; /* a thread that must end never moves again while others go on for ever */
  uint64_t runs;        /* complete ones; with runs_known only */
  bool runs_known;
  hdi_cw_runs sequential, preemption_free;
} hdi_cw_baseline;

/* Explores the program and collects its runs without preemptions. HD_E_NOMEM, HD_E_INTERNAL; HD_E_LIMIT and
 * HD_E_CANCELLED when it could not be explored completely. Clear in any case. Cost: a search for each way in which it
 * deadlocks, and one more. */
hd_status hdi_cw_baseline_make(const hd_cw_program *program, bool access, const hdi_cw_gate_limits *limits,
                               hdi_cw_baseline *out);
void hdi_cw_baseline_clear(hdi_cw_baseline *baseline);

/* What a repair promises about the runs of the original: conditions (c) and (d) of the paper (runs.h). */
typedef enum hdi_cw_promise {
  HDI_CW_PROMISE_NONE,           /* there were too many runs: not decided */
  HDI_CW_PROMISE_SEQUENTIAL,     /* (c): every complete sequential run stays possible */
  HDI_CW_PROMISE_PREEMPTION_FREE /* (d): and every complete preemption-free one, all of which are good */
} hdi_cw_promise;

typedef struct hdi_cw_evidence {
  bool accepted;
  bool undecided;     /* a limit ended the judgement: then it is not accepted */
  const char *reason; /* why it is not; in the arena */
  const char *basis;  /* what acceptance rests on; static */
  hdi_cw_promise promise;
  uint64_t states, transitions;
  uint64_t deadlocks;                  /* that the original has too */
  bool left_behind;                    /* a thread can be left behind, as in the original */
  uint64_t runs_kept;                  /* images that were found, of the kind that is promised */
  uint64_t runs_kept_in_another_order; /* of these: up to free transformations only (runs.h) */
  uint64_t runs;                       /* complete ones of the edited program, when accepted; with runs_known only */
  bool runs_known;
} hdi_cw_evidence;

/* Judges an edited program: no failed assertion, no fault, no deadlock and nobody left behind in a way that the
 * original lacks, and the images of the runs of the baseline. HD_E_NOMEM, HD_E_INTERNAL; a limit only makes it
 * undecided. Any number of calls may share a baseline. Cost: one complete search, or two when a thread can go on for
 * ever. */
hd_status hdi_cw_judge(const hdi_cw_baseline *baseline, const hdi_cw_edited *edited, const hdi_cw_gate_limits *limits,
                       hd_arena *arena, hdi_cw_evidence *out);

#endif
