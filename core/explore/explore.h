/* The search: breadth-first by levels over all states a model can reach.
 *
 * A level is a cost: the number of weight-1 steps. Weight-0 steps are closed inside their level, so that a first visit
 * has least cost. Results (verdict, counts, counterexamples) do not depend on the number of threads: ties are broken by
 * state order and step order, and a level in which something was found is finished before the search stops.
 *
 * Findings are counted and kept per *slot*. Slots 0..HD_FAULT_COUNT-1 are the step faults (HD_FAULT_NONE unused); then
 * come the 32 check codes; then the frontend's stop kinds (what its classify callback returns, from 1); then its state
 * predicates. */
#ifndef HEDDLE_CORE_EXPLORE_EXPLORE_H
#define HEDDLE_CORE_EXPLORE_EXPLORE_H

#include "core/base/atomic.h"
#include "core/base/diag.h"
#include "core/model/filter.h"
#include "core/model/model.h"
#include "core/model/reduction.h"
#include "core/model/symmetry.h"
#include "core/model/trace.h"
#include "hashing/visited.h"

#define HD_STOP_KIND_MAX 16u
#define HD_PREDICATE_MAX 16u
#define HD_SLOT_FAULT(fault) ((uint32_t)(fault))
#define HD_SLOT_CHECK(code) ((uint32_t)HD_FAULT_COUNT + (uint32_t)(code))
#define HD_SLOT_STOP(kind) ((uint32_t)HD_FAULT_COUNT + 32u + (uint32_t)(kind))
#define HD_SLOT_PREDICATE(index) ((uint32_t)HD_FAULT_COUNT + 32u + HD_STOP_KIND_MAX + (uint32_t)(index))
#define HD_SLOT_COUNT ((uint32_t)HD_FAULT_COUNT + 32u + HD_STOP_KIND_MAX + HD_PREDICATE_MAX)

/* Classifies a state without steps: 0 = proper end or pruned, 1 .. HD_STOP_KIND_MAX-1 = a kind of the frontend. Called
 * from any worker: must be a pure function of the state. */
typedef uint32_t (*hd_classify)(const void *context, const hd_model *model, const uint64_t *state);
/* True when the state has property `index` (0 .. HD_PREDICATE_MAX-1). Pure. Called once for each new state. */
typedef bool (*hd_predicate)(const void *context, const hd_model *model, const uint64_t *state, uint32_t index);

/* What ended a search. X(identifier, "words") */
#define HD_END_TABLE(X)                                           \
  X(COMPLETE, "every reachable state was explored")               \
  X(FOUND, "stopped at the first level with a finding, as asked") \
  X(BUDGET, "the state budget was used up")                       \
  X(TIMEOUT, "the time limit was reached")                        \
  X(MEMORY, "the memory limit was reached")                       \
  X(DEPTH, "the depth limit was reached")                         \
  X(SIGNAL, "the search was interrupted")                         \
  X(LOSSY, "every state found was explored, but bitstate hashing takes some new states for known ones")
typedef enum hd_end {
#define HDI_END_ENUM(identifier, words) HD_END_##identifier,
  HD_END_TABLE(HDI_END_ENUM)
#undef HDI_END_ENUM
      HD_END_COUNT
} hd_end;
const char *hd_end_words(hd_end end);

/* In which order states are looked at. X(identifier, "name", "help") */
#define HD_ORDER_TABLE(X)                                                                    \
  X(LEVELS, "levels", "breadth-first: levels are counted, findings have their least length") \
  X(ANY, "any", "as they come: no levels; a finding's length is looked for when it is known")
typedef enum hd_order {
#define HDI_ORDER_ENUM(identifier, name, help) HD_ORDER_##identifier,
  HD_ORDER_TABLE(HDI_ORDER_ENUM)
#undef HDI_ORDER_ENUM
      HD_ORDER_COUNT
} hd_order;
const char *hd_order_name(hd_order order);

/* Whether workers are bound to cores while they work together. AUTO: when there are as many workers as cores that the
 * caller may run on. Afterwards every thread may run where it could before. */
typedef enum hd_bind { HD_BIND_AUTO, HD_BIND_NEVER } hd_bind;

/* A level that is not known: the search was made without levels. */
#define HD_LEVEL_UNKNOWN UINT64_MAX

/* A snapshot for progress displays. */
typedef struct hd_progress {
  uint64_t states, transitions, frontier; /* frontier: states of the level being expanded */
  uint64_t level;
  double seconds;
  size_t memory_bytes;
} hd_progress;
typedef void (*hd_progress_fn)(void *payload, const hd_progress *progress);

/* Native code (core/model/native.h). X(identifier, "words") */
#define HD_NATIVE_MODE_TABLE(X)                                         \
  X(OFF, "off")                                                         \
  X(ON, "compile beside the search and swap it in when it is compiled") \
  X(WAIT, "compile, then search")
typedef enum hd_native_mode {
#define HDI_NATIVE_MODE_ENUM(identifier, words) HD_NATIVE_##identifier,
  HD_NATIVE_MODE_TABLE(HDI_NATIVE_MODE_ENUM)
#undef HDI_NATIVE_MODE_ENUM
} hd_native_mode;

/* What became of it. X(identifier, "words") */
#define HD_NATIVE_USE_TABLE(X)                                                            \
  X(NOT_ASKED, "not asked for")                                                           \
  X(REDUCED, "not used: the search is reduced (stubborn sets); --no-reduction allows it") \
  X(PROTECTED, "not used: the model has protected locations, whose steps are compound")   \
  X(UNFIT, "not used: the model is too large to be compiled")                             \
  X(NO_COMPILER, "not used: no C compiler could compile it (CC, or cc)")                  \
  X(LATE, "not used: the search had ended before the code was compiled")                  \
  X(USED, "used")
typedef enum hd_native_use {
#define HDI_NATIVE_USE_ENUM(identifier, words) HD_NATIVE_##identifier,
  HD_NATIVE_USE_TABLE(HDI_NATIVE_USE_ENUM)
#undef HDI_NATIVE_USE_ENUM
      HD_NATIVE_USE_COUNT
} hd_native_use;
const char *hd_native_use_words(hd_native_use use);

typedef struct hd_search {
  const hd_model *model;
  const hd_filter *filter; /* NULL allowed */
  hd_reduce reduction;     /* which steps may be left out; see hd_outcome. With predicates: none */
  bool symmetry; /* look at one state of each class that differs by exchanging like instances only. The caller promises
                    that `classify` and `predicate` do not tell such states apart (hd_model_stop does not) */
  uint32_t threads; /* 0: hd_team_default_count() */
  hd_store store;
  hd_bind bind;
  hd_order order; /* ANY: complete runs count the same states, transitions, stopped states and findings; levels are not
                     known, depth_max is not allowed, and what is cut short (a stop slot, the budget: both best effort)
                     depends on who was faster. Counterexamples are rebuilt by a search by levels, and shortest */
  hd_native_mode native;   /* changes no result; hd_outcome.native says what became of it */
  size_t memory_max_bytes; /* 0: hd_machine_recent_memory_bytes() */
  double timeout_seconds;  /* 0: none */
  uint64_t depth_max;      /* levels expanded at most; 0: none */
  uint64_t
      states_budget; /* stop after the first level at whose end this many states are known; 0: none. Deterministic */
  uint64_t stop_slots[2];  /* bit set of slots: stop after the first level that has a finding in one of them */
  uint64_t trace_slots[2]; /* bit set of slots for which a counterexample is rebuilt */
  hd_classify classify;    /* NULL: hd_model_stop, STUCK = kind 1 */
  const void *classify_context;
  hd_predicate predicate; /* NULL: none */
  uint32_t predicate_count;
  const void *predicate_context;
  const hd_atomic_u32 *
      cancel; /* becomes non-zero when the caller wants the search to stop; NULL allowed. A signal handler may set it */
  hd_progress_fn progress; /* called by one worker about five times a second and at the end; NULL allowed */
  void *progress_payload;
} hd_search;

/* Helpers for the bit sets. */
static inline void hd_slots_add(uint64_t slots[2], uint32_t slot) {
  slots[slot / 64] |= (uint64_t)1 << (slot % 64);
}
static inline bool hd_slots_has(const uint64_t slots[2], uint32_t slot) {
  return (slots[slot / 64] >> (slot % 64)) & 1;
}

/* One finding: the first in (level, state order, step order) of its slot. */
typedef struct hd_found {
  uint64_t count;  /* how many in the explored part: states (stop kinds, predicates) or steps (faults, checks) */
  bool shortest;   /* no run to anything of this slot costs less than `level` */
  uint64_t level;  /* cost of the shortest run to it, the faulty or checking step's own weight included. In any order
                      only known with the trace, HD_LEVEL_UNKNOWN otherwise */
  hd_trace *trace; /* owned by the outcome; replayed; NULL when not asked for, none found or memory was out (then
                      trace_status says so) */
  hd_status trace_status;
} hd_found;

typedef struct hd_outcome {
  hd_end end;
  /* What was left out: the counts are those of the reduced system. FOR_DEADLOCKS: all states without steps are found,
   * at their least levels, with shortest traces; faults and failed checks are those met on the way. FOR_CHECKS: some
   * fault and some failed check are found in each slot that has one; only stop kinds have least levels and shortest
   * traces. */
  hd_reduce reduction;
  uint32_t
      symmetric_types;    /* process types whose instances were exchanged; counts are of classes then, not of states */
  const char *unreduced;  /* static words: why less was left out than asked for; NULL: nothing to say */
  uint64_t states;        /* reachable states found (stored), initial ones included */
  uint64_t transitions;   /* steps with a successor out of expanded states */
  uint64_t levels;        /* levels that hold at least one state; 0 in any order */
  uint64_t expanded;      /* states whose steps have all been followed; states - expanded were seen but not expanded */
  uint64_t stopped;       /* states without steps, proper or not */
  uint64_t frontier_peak; /* most states in one level; 0 in any order */
  uint32_t threads;
  double seconds;                     /* of the main search, without rebuilding traces */
  size_t visited_bytes, memory_bytes; /* table; resident set at the end */
  size_t frontier_bytes;              /* taken for states waiting to be expanded, at the most */
  uint64_t visited_slots;             /* of the table: states / visited_slots is its load */
  const char *store;
  hd_native_use native;
  double native_wait_seconds; /* the part of `seconds` in which HD_NATIVE_WAIT waited for the compiler */
  bool lossy;           /* the store leaves out states: counts are lower bounds, end is never COMPLETE, and both may
                           depend on the number of threads; findings are real and get their level with their trace,
                           from an exact search */
  hd_visited_loss loss; /* how much */
  hd_found found[HD_SLOT_COUNT];
} hd_outcome;

/* Runs the search. HD_OK also when it was cut short (see outcome->end); HD_E_USAGE for a depth without levels;
 * HD_E_NOMEM or HD_E_INTERNAL when nothing can be said. Free the outcome with hd_outcome_clear. When cut short inside a
 * level by time, memory or cancellation the counts are those of the whole levels and of what was done of the last; they
 * may then differ between runs. */
hd_status hd_explore(const hd_search *search, hd_outcome *outcome);
void hd_outcome_clear(hd_outcome *outcome);

#endif
