/* Weighted boolean formulas: the cheapest assignments that satisfy all clauses. For constraints on edits that are no
 * hitting sets: orders of statements, which edits exclude each other, one of several combinations. The answer is that
 * of hitting sets (hitting_set.h): a choice is the set of variables that are true. */
#ifndef HEDDLE_CORE_REPAIR_FORMULA_H
#define HEDDLE_CORE_REPAIR_FORMULA_H

#include "core/repair/hitting_set.h"

typedef struct hd_formula hd_formula;

typedef struct hd_literal {
  uint32_t variable;
  bool negated;
} hd_literal;

/* A formula without clauses over the variables 0 .. count-1, which cost costs[v] (0 allowed) when they are true; owned
 * by the caller. NULL when memory is out. Not thread-safe. */
hd_formula *hd_formula_new(const uint32_t *costs, uint32_t count);
void hd_formula_free(hd_formula *formula); /* NULL allowed */

/* One more variable, which costs nothing and is no part of a choice. HD_E_LIMIT beyond 2^30. */
hd_status hd_formula_variable(hd_formula *formula, uint32_t *variable);
/* One of these literals holds; none at all makes the formula unsatisfiable. HD_E_NOMEM leaves the formula as it was.
 * Clauses may come between calls of hd_formula_solve, which goes on from what it knows. */
hd_status hd_formula_clause(hd_formula *formula, const hd_literal *literals, size_t count);
/* A new variable that implies all of these literals: "this combination". HD_E_NOMEM. */
hd_status hd_formula_all_of(hd_formula *formula, const hd_literal *literals, size_t count, uint32_t *variable);
/* A new variable that implies that one of these literals holds: "one of these". HD_E_NOMEM. */
hd_status hd_formula_any_of(hd_formula *formula, const hd_literal *literals, size_t count, uint32_t *variable);

/* The cheapest choices, in the order of hitting_set.h; when there are more than choices_max of least cost, the first
 * ones in that order. So the answer depends on the formula alone, not on the solver, on what was asked before or on the
 * machine, unless a limit ends it. `nodes_max` limits the clauses that the solver learns (its conflicts), which
 * `answer->nodes` counts. HD_OK also when cut short (answer->end says so); then a choice that is not known to be the
 * cheapest depends on the solver. HD_E_NOMEM, with an empty answer; the formula stays as it is. The answer is owned by
 * the caller (hd_hitting_answer_clear). Memory that the solver itself cannot get ends the process, since it has no way
 * to report it. Cost: exponential in the worst case; see core_guided.c. */
hd_status hd_formula_solve(hd_formula *formula, const hd_hitting_limits *limits, hd_hitting_answer *answer);

#endif
