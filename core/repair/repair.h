/* The counterexample-guided repair loop, driven by a frontend's callbacks.
 *
 *     solver: cheapest candidates --> replay of old counterexamples --> explore --clean--> gate --> repairs
 *        ^                                  |                              |                 |
 *        +------- constraint <--- propose <-+------- counterexample -------+    rejected: exactly this set is no
 *
 * Candidates are taken by cost, each cost to its end: when the first repair is accepted, all others of its cost are
 * looked for too. In what order candidates are looked at, what is learned, logged and counted does not depend on the
 * number of threads: workers explore ahead, results count in the canonical order, and what an earlier result makes
 * needless is thrown away as if it had never been explored.
 *
 * What is claimed: every repair listed has passed `explore` and `gate`. `minimal` is true only if every cheaper set of
 * edits is excluded by a constraint, refuted or rejected; `all` only if so is every other set of the same cost. NONE is
 * said only if that holds for all sets of edits. Everything else is inconclusive, with a lower bound on the cost. */
#ifndef HEDDLE_CORE_REPAIR_REPAIR_H
#define HEDDLE_CORE_REPAIR_REPAIR_H

#include "core/base/buffer.h"
#include "core/repair/edit.h"
#include "core/repair/formula.h"
#include "core/repair/solver.h"

typedef struct hd_repair hd_repair;

/* Which solver stands behind the loop. X(identifier, "name") */
#define HD_REPAIR_SOLVER_TABLE(X)                                                  \
  X(HITTING_SET, "hitting-set") /* formulas must be sets, see hd_formula_is_set */ \
  X(BOOLEAN, "boolean")         /* any formula, and orders */
typedef enum hd_repair_solver {
#define HDI_REPAIR_SOLVER_ENUM(identifier, name) HD_REPAIR_##identifier,
  HD_REPAIR_SOLVER_TABLE(HDI_REPAIR_SOLVER_ENUM)
#undef HDI_REPAIR_SOLVER_ENUM
} hd_repair_solver;

/* What exploring or gating a candidate says. X(identifier, "words") */
#define HD_CANDIDATE_ANSWER_TABLE(X)                                                            \
  X(CLEAN, "clean")       /* explored completely and nothing found; from the gate: accepted */  \
  X(BROKEN, "refuted")    /* with a counterexample */                                           \
  X(REJECTED, "rejected") /* this set of edits is no repair, which says nothing about others */ \
  X(UNKNOWN, "undecided") /* cut short */
typedef enum hd_candidate_answer {
#define HDI_CANDIDATE_ANSWER_ENUM(identifier, words) HD_CANDIDATE_##identifier,
  HD_CANDIDATE_ANSWER_TABLE(HDI_CANDIDATE_ANSWER_ENUM)
#undef HDI_CANDIDATE_ANSWER_ENUM
} hd_candidate_answer;

#define HD_REPAIR_RANKS 8u

/* Filled by explore and gate; zeroed beforehand. */
typedef struct hd_examined {
  hd_candidate_answer answer;
  void *counterexample; /* BROKEN: handed to the loop, which ends it with free_counterexample */
  void *evidence;       /* CLEAN from the gate: handed to the result, ended with free_evidence; NULL allowed */
  char *words;          /* one line from malloc, handed over: what was found, why it was rejected, what was not covered;
                           NULL allowed */
  uint64_t rank[HD_REPAIR_RANKS]; /* CLEAN from the gate: among repairs of one cost the lexicographically least first */
} hd_examined;

/* What happened, for -v. X(identifier, "name") */
#define HD_REPAIR_EVENT_TABLE(X)                                                          \
  X(ROUND, "round")       /* the solver has given `count` candidates of `cost` */         \
  X(EXPLORED, "explored") /* answer and words of explore */                               \
  X(REPLAYED, "replayed") /* old counterexample `counterexample` refutes the candidate */ \
  X(LEARNED, "learned")   /* formula learned from counterexample `counterexample` */      \
  X(GATED, "gated")       /* answer and words of the gate */                              \
  X(END, "end")
typedef enum hd_repair_event_kind {
#define HDI_REPAIR_EVENT_ENUM(identifier, name) HD_REPAIR_EVENT_##identifier,
  HD_REPAIR_EVENT_TABLE(HDI_REPAIR_EVENT_ENUM)
#undef HDI_REPAIR_EVENT_ENUM
} hd_repair_event_kind;

typedef struct hd_repair_event {
  hd_repair_event_kind kind;
  uint64_t round; /* from 1 */
  hd_candidate candidate;
  hd_candidate_answer answer;
  size_t count;
  size_t counterexample;     /* number, from 1, in the order of finding */
  const hd_formula *formula; /* LEARNED: NULL when nothing but this very set was excluded */
  const char *words;         /* NULL allowed */
} hd_repair_event;

/* The frontend's side. All callbacks but the two `free_` ones and `log` return HD_OK, or a status that ends the run and
 * is returned by it. */
typedef struct hd_repair_client {
  void *context;
  /* Explores the program with the candidate's edits made, on `threads` threads. RE-ENTRANT: called for several
   * candidates at once from different threads, then with threads = 1; not at the same time as the others but replay. */
  hd_status (*explore)(void *context, const hd_candidate *candidate, uint32_t threads, hd_examined *out);
  /* Does an old counterexample still refute the candidate? Must be cheap, and sound: *refuted only when explore would
   * not say CLEAN. Re-entrant like explore. NULL: every candidate is explored. */
  hd_status (*replay)(void *context, const hd_candidate *candidate, const void *counterexample, bool *refuted);
  /* What every repair must satisfy because of this counterexample of this candidate, added to the empty *formula. May
   * call hd_repair_add_edit. A formula left without alternatives means that nothing is known: then exactly this
   * candidate is excluded (so it is, too, if the formula does not exclude it). To say that no edits at all can help,
   * add one alternative with one empty label. */
  hd_status (*propose)(void *context, hd_repair *repair, const hd_candidate *candidate, const void *counterexample,
                       hd_formula *formula);
  /* Is a clean candidate a repair? Whatever its kind promises is verified here. BROKEN with a counterexample learns
   * from it like from explore's. One call at a time, with all threads. NULL: what is clean is accepted. */
  hd_status (*gate)(void *context, const hd_candidate *candidate, uint32_t threads, hd_examined *out);
  void (*free_counterexample)(void *context, void *counterexample); /* NULL: nothing to free */
  void (*free_evidence)(void *context, void *evidence);             /* NULL: nothing to free */
  /* One call at a time, from the thread of hd_repair_run; everything in *event is borrowed for the call. NULL: none. */
  void (*log)(void *context, const hd_repair_event *event);
} hd_repair_client;

/* 0 everywhere means the defaults. */
typedef struct hd_repair_limits {
  uint32_t threads;            /* 0: hd_team_default_count() */
  uint64_t rounds_max;         /* calls of the solver; 0: no limit */
  uint64_t explored_max;       /* candidates explored; 0: no limit */
  double timeout_seconds;      /* 0: none. Explorations have their own: the loop looks at the clock between them */
  const hd_atomic_u32 *cancel; /* NULL allowed; explorations look at it themselves */
  size_t repairs_max;          /* repairs listed at most; 0: 16 */
  size_t batch;                /* candidates taken from the solver at once; 0: 8. Changes the rounds, not the repairs */
  uint64_t solver_nodes_max;   /* per call of the solver; 0: 2,000,000 */
} hd_repair_limits;

/* X(identifier, "words") */
#define HD_REPAIR_VERDICT_TABLE(X)                      \
  X(NOT_NEEDED, "nothing to repair")                    \
  X(FOUND, "repaired")                                  \
  X(NO_REPAIR, "no repair exists in the allowed edits") \
  X(INCONCLUSIVE, "inconclusive")
typedef enum hd_repair_verdict {
#define HDI_REPAIR_VERDICT_ENUM(identifier, words) HD_REPAIR_##identifier,
  HD_REPAIR_VERDICT_TABLE(HDI_REPAIR_VERDICT_ENUM)
#undef HDI_REPAIR_VERDICT_ENUM
} hd_repair_verdict;

/* What ended the loop. X(identifier, "words") */
#define HD_REPAIR_STOP_TABLE(X)                                            \
  X(COMPLETE, "every set of edits up to the cheapest cost was decided")    \
  X(UNDECIDED, "some cheaper or equally cheap edits could not be decided") \
  X(REPAIRS, "as many repairs were found as are to be listed")             \
  X(ROUNDS, "the limit on rounds was reached")                             \
  X(EXPLORED, "the limit on explored candidates was reached")              \
  X(TIMEOUT, "the time limit was reached")                                 \
  X(CANCELLED, "the search was interrupted")                               \
  X(SOLVER, "the solver's limit was reached before a cheapest candidate was proved")
typedef enum hd_repair_stop {
#define HDI_REPAIR_STOP_ENUM(identifier, words) HD_REPAIR_STOP_##identifier,
  HD_REPAIR_STOP_TABLE(HDI_REPAIR_STOP_ENUM)
#undef HDI_REPAIR_STOP_ENUM
} hd_repair_stop;

/* X(member, "name in the result", "help"). The same for every number of threads. */
#define HD_REPAIR_STATISTIC_TABLE(X)                                                          \
  X(rounds, "rounds", "calls of the solver")                                                  \
  X(candidates, "candidates", "candidates the solver gave")                                   \
  X(explored, "explored", "candidates explored")                                              \
  X(skipped, "skipped", "candidates excluded by what the same round had taught already")      \
  X(replayed, "replayed", "candidates refuted by an old counterexample, without exploration") \
  X(counterexamples, "counterexamples", "counterexamples found")                              \
  X(constraints, "constraints", "constraints learned")                                        \
  X(rejected, "rejected", "clean candidates that the gate refused")                           \
  X(undecided, "undecided", "candidates whose exploration or gate was cut short")             \
  X(solver_nodes, "solver_nodes", "search nodes of the solver")
typedef struct hd_repair_statistics {
#define HDI_REPAIR_STATISTIC_MEMBER(member, name, help) uint64_t member;
  HD_REPAIR_STATISTIC_TABLE(HDI_REPAIR_STATISTIC_MEMBER)
#undef HDI_REPAIR_STATISTIC_MEMBER
} hd_repair_statistics;

typedef struct hd_repaired {
  uint32_t *edits; /* ascending */
  size_t count;
  uint64_t cost;
  uint64_t rank[HD_REPAIR_RANKS];
  void *evidence; /* the gate's */
  char *words;    /* the gate's; NULL allowed */
} hd_repaired;

/* Owned by the caller, cleared with hd_repair_result_clear before the hd_repair is freed. */
typedef struct hd_repair_result {
  hd_repair_verdict verdict;
  hd_repair_stop stop;
  bool minimal;           /* FOUND: no cheaper repair exists in the allowed edits */
  bool all;               /* FOUND: every repair of this cost is listed */
  uint64_t cost;          /* of the repairs listed; HD_COST_NONE without */
  uint64_t cost_at_least; /* every repair costs at least this; HD_COST_NONE when none exists */
  hd_repaired *repairs;   /* best first: by rank, then by edits */
  size_t count;
  hd_repair_statistics statistics;
  double seconds;
} hd_repair_result;

/* A loop without edits; *client is copied. NULL when memory is out. */
hd_repair *hd_repair_new(hd_repair_solver solver, const hd_repair_client *client);
void hd_repair_free(hd_repair *repair); /* NULL allowed; frees the counterexamples */

/* Adds an allowed edit; *number counts from 0 and decides ties. Before the run, and inside propose. */
hd_status hd_repair_add_edit(hd_repair *repair, const hd_edit *edit, uint32_t *number);
/* Adds the n(n-1)/2 edits that let the n statements of a block change places, in the order of hd_order_pair; edit k
 * says that its two statements are swapped. BOOLEAN only. */
hd_status hd_repair_add_order(hd_repair *repair, uint32_t statements, const hd_edit *edits, uint32_t *first);
uint32_t hd_repair_edit_count(const hd_repair *repair);
/* Borrowed until the next edit is added; its words until the loop is freed. */
const hd_edit *hd_repair_edit(const hd_repair *repair, uint32_t number);
/* No repair makes this edit; every repair satisfies this formula (good traces, choices of the user). Before the run or
 * inside propose. HD_E_USAGE when the solver cannot take it. */
hd_status hd_repair_forbid(hd_repair *repair, uint32_t edit);
hd_status hd_repair_require(hd_repair *repair, const hd_formula *formula);

/* Runs the loop, once per hd_repair. HD_OK whatever the verdict; otherwise *result is empty. */
hd_status hd_repair_run(hd_repair *repair, const hd_repair_limits *limits, hd_repair_result *result);
void hd_repair_result_clear(const hd_repair *repair, hd_repair_result *result);

const char *hd_repair_verdict_words(hd_repair_verdict verdict);
const char *hd_repair_stop_words(hd_repair_stop stop);
/* One line for an event, without a newline: the same words in every frontend. */
void hd_repair_event_print(const hd_repair *repair, const hd_repair_event *event, hd_buffer *out);

#endif
