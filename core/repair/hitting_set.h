/* Weighted minimum hitting sets: given elements with costs and sets of elements, the cheapest choice of elements that
 * has one of every set. The elements are edits; a set holds the edits of which one must be made because of one
 * counterexample. */
#ifndef HEDDLE_CORE_REPAIR_HITTING_SET_H
#define HEDDLE_CORE_REPAIR_HITTING_SET_H

#include "core/base/atomic.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hd_hitting_set hd_hitting_set;

/* A problem without sets over elements 0 .. element_count-1 with the given costs, each at least 1; owned by the caller.
 * NULL when memory is out. Not thread-safe. */
hd_hitting_set *hd_hitting_set_new(const uint32_t *costs, uint32_t element_count);
void hd_hitting_set_free(hd_hitting_set *problem); /* NULL allowed */

/* One of these elements must be chosen; repetitions are allowed. No element at all makes the problem unsolvable.
 * HD_E_NOMEM leaves the problem as it was. O(element_count / 64 + count). */
hd_status hd_hitting_set_require(hd_hitting_set *problem, const uint32_t *elements, size_t count);
/* The same, but only of choices that have all of `premise`: what was learned about them may not hold without it. */
hd_status hd_hitting_set_require_with(hd_hitting_set *problem, const uint32_t *premise, size_t premise_count,
                                      const uint32_t *elements, size_t count);
/* Not exactly this choice; supersets of it stay allowed, because a repair can be wrong where a larger one is right. */
hd_status hd_hitting_set_exclude(hd_hitting_set *problem, const uint32_t *elements, size_t count);

typedef struct hd_hitting_limits {
  uint64_t nodes_max;          /* of the search tree, then clauses learned by the solver of formula.h; 0: none */
  uint64_t cost_max;           /* dearer choices do not interest; 0: no limit */
  size_t choices_max;          /* how many choices of the least cost are listed; at least 1 */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
} hd_hitting_limits;

typedef struct hd_hitting_choice {
  uint32_t *elements; /* ascending */
  uint32_t count;
} hd_hitting_choice;

typedef struct hd_hitting_answer {
  hd_hitting_choice *choices; /* of equal cost; ascending, compared as sequences of elements */
  size_t choice_count;        /* 0: there is none (up to cost_max), or none was found before a limit */
  uint64_t cost;              /* of each choice; UINT64_MAX without one */
  bool optimal;               /* the least cost, or that there is no choice, is proved */
  bool all;                   /* and every choice of that cost is listed */
  uint64_t lower_bound;       /* proved: no choice is cheaper */
  uint64_t nodes;             /* of the search */
  hd_status end;              /* HD_OK, or what cut the search short: HD_E_LIMIT, HD_E_CANCELLED */
} hd_hitting_answer;

/* The cheapest choices. The same on every machine unless time or a cancellation ends it. HD_OK also when cut short
 * (answer->end says so); HD_E_NOMEM, with an empty answer. The answer is owned by the caller.
 * Cost: exponential in the worst case; see hitting_set.c. */
hd_status hd_hitting_set_solve(const hd_hitting_set *problem, const hd_hitting_limits *limits,
                               hd_hitting_answer *answer);
void hd_hitting_answer_clear(hd_hitting_answer *answer);

#endif
