/* The search for processes that are left behind: from some reachable state on a process that must go on never moves
 * again, whatever the others do. This is what a search for states without steps cannot see when somebody goes on for
 * ever: deadlocks hidden by a looping process, goroutines that leak, peers that are stuck. Read the head of bottom.c
 * for the definition and the proof. */
#ifndef HEDDLE_CORE_EXPLORE_BOTTOM_H
#define HEDDLE_CORE_EXPLORE_BOTTOM_H

#include "core/explore/explore.h"

/* 0 when `instance` may stay where it is for ever; otherwise the kind, 1 .. HD_STOP_KIND_MAX-1, of the finding when it
 * does. Called from any worker: must be a pure function of the state and the instance. */
typedef uint32_t (*hd_must_go_on)(const void *context, const hd_model *model, const uint64_t *state, uint32_t instance);

typedef struct hd_bottom_query {
  hd_must_go_on must_go_on; /* NULL: kind 1 unless the instance is dead, at an end or at a daemon location */
  const void *context;
  bool going_on; /* only states from which no state without successors can be reached: what a search for stops and
                    faults finds is left out, and with every finding somebody goes on for ever */
} hd_bottom_query;

/* What was found of one kind. A bit set of instances has bit i % 64 of word i / 64 for instance i. */
typedef struct hd_bottom_found {
  uint64_t count;        /* states from which some instance of this kind is left behind */
  uint64_t level;        /* least level of such a state */
  uint64_t *left_behind; /* owned: the instances left behind from the least such state on, of all kinds; NULL: none */
  uint64_t *going;       /* owned: the instances that move in the component that the trace ends in; NULL: none known */
  hd_trace *trace;       /* owned, replayed: the run to the least state in (level, state order); a shortest way on into
                            a bottom component; a cycle of the component. NULL: none found, or see trace_status */
  size_t reached;        /* trace->states[reached] is the least state */
  size_t cycle; /* trace->states[cycle] == the last state when cycle < trace->length; else nobody moves there */
  hd_status trace_status; /* why there is no trace; as in hd_found */
  hd_status lasso_status; /* why the trace ends at `reached` and `going` is NULL: HD_E_NOMEM, HD_E_LIMIT (the part of
                             the system behind it is too large, or time), HD_E_CANCELLED */
} hd_bottom_found;

/* What was found of one instance. */
typedef struct hd_bottom_instance {
  uint64_t count; /* states from which it is left behind */
  uint64_t level; /* least level of such a state; UINT64_MAX: none */
} hd_bottom_instance;

typedef struct hd_bottom_outcome {
  hd_end end; /* COMPLETE: every state was judged. Otherwise nothing was found, which means nothing */
  uint64_t states, transitions, levels; /* of the system, as far as it was explored */
  uint64_t passes;                      /* over the states that were not settled yet; may depend on the threads */
  uint32_t threads;
  double seconds; /* without rebuilding traces */
  size_t
      needed_bytes; /* what judging the states takes beside the states; 0: not known, the exploration was cut short */
  uint32_t instance_count;
  hd_bottom_instance *instances;           /* owned, instance_count of them */
  hd_bottom_found found[HD_STOP_KIND_MAX]; /* by kind */
} hd_bottom_outcome;

/* Explores the whole system and judges every state. Of `search` model, filter, threads, store, limits and cancellation
 * count; no slot, predicate or progress does; a lossy store is replaced by an exact one. No reduction may be in force:
 * the model has no eager locations. Results but for `passes` and `seconds` do not depend on the number of threads.
 * HD_OK also when cut short; HD_E_NOMEM, HD_E_INTERNAL. The memory limit covers each stage (exploring; judging;
 * rebuilding runs) by itself. Free the outcome with hd_bottom_outcome_clear. Cost: the search; a described enumeration
 * of every state's steps; a few look-ups for each transition; 12 bytes for the index and 8 for each 64 instances a
 * state beside the states themselves. */
hd_status hd_bottom_search(const hd_search *search, const hd_bottom_query *query, hd_bottom_outcome *outcome);
void hd_bottom_outcome_clear(hd_bottom_outcome *outcome);

#endif
