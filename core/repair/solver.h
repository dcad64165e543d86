/* What the two solvers of core/repair share: limits, and the answer.
 *
 * Both look for sets of elements (edits) of least total weight and list them in one canonical order: least weight
 * first, among equals the one whose ascending list of elements is lexicographically least. The answer is a function of
 * the question, not of how the search went; only what a time limit or a cancellation cuts short may differ. */
#ifndef HEDDLE_CORE_REPAIR_SOLVER_H
#define HEDDLE_CORE_REPAIR_SOLVER_H

#include "core/base/atomic.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_ELEMENT_MAX ((uint32_t)1 << 20) /* elements of one solver at most */
#define HD_COST_NONE UINT64_MAX            /* no set has this cost: there is none */

typedef struct hd_solver_limits {
  size_t solutions_max;        /* list at most so many; at least 1 */
  uint64_t nodes_max;          /* nodes of the search tree in this call; 0: no limit. Deterministic */
  double deadline;             /* give up when hd_machine_seconds() passes it; 0: none */
  const hd_atomic_u32 *cancel; /* becomes non-zero when the caller wants an end; NULL allowed */
} hd_solver_limits;

/* How a solver ended. X(identifier, "words") */
#define HD_SOLVER_END_TABLE(X)                                       \
  X(SOLVED, "the cheapest sets are known and proved to be cheapest") \
  X(NONE, "no set satisfies the constraints")                        \
  X(CUT, "a limit ended the search before the cheapest cost was proved")
typedef enum hd_solver_end {
#define HDI_SOLVER_END_ENUM(identifier, words) HD_SOLVER_##identifier,
  HD_SOLVER_END_TABLE(HDI_SOLVER_END_ENUM)
#undef HDI_SOLVER_END_ENUM
} hd_solver_end;

/* The answer. Zero-initialised = empty; hd_solutions_clear frees what it owns. All sets listed cost `cost`. */
typedef struct hd_solutions {
  hd_solver_end end;
  bool all;      /* SOLVED: every set of this cost is listed. False when solutions_max or a limit cut the list */
  size_t count;  /* sets listed: at least 1 when SOLVED, 0 when NONE, 0 or 1 (the best one met) when CUT */
  uint64_t cost; /* of each set listed; HD_COST_NONE when none is */
  uint64_t cost_at_least; /* every set that satisfies the constraints costs at least this; HD_COST_NONE when NONE */
  uint64_t nodes;         /* search tree nodes of this call */
  uint32_t *elements;     /* the sets one after the other, each ascending; owned */
  size_t *ends;           /* where set i ends in `elements`; owned */
  size_t element_capacity, set_capacity;
} hd_solutions;

/* Set `index`: its first element, borrowed until the next solve or clear, and in *count how many it has. */
static inline const uint32_t *hd_solutions_set(const hd_solutions *solutions, size_t index, size_t *count) {
  size_t begin = index == 0 ? 0 : solutions->ends[index - 1];
  *count = solutions->ends[index] - begin;
  return solutions->elements + begin;
}

/* Forgets the sets and keeps the memory. */
void hd_solutions_reset(hd_solutions *solutions);
/* Appends a set; HD_E_NOMEM leaves the list as it was. */
hd_status hd_solutions_add(hd_solutions *solutions, const uint32_t *elements, size_t count);
void hd_solutions_clear(hd_solutions *solutions);

/* Has a limit been reached after `nodes` nodes? Reads the clock: for every few hundred nodes. */
bool hd_solver_limit_reached(const hd_solver_limits *limits, uint64_t nodes);

#endif
