/* Boolean constraints over weighted variables (edits), and their cheapest models.
 *
 * A model is the set of variables that are true; its cost is the sum of their weights. Cheapest models are found by
 * letting a SAT solver explain why a choice is not enough (a core: one of these variables must be true too) and the
 * hitting set choose the lightest variables that meet all cores. That needs no encoding of sums, takes any weights, and
 * gives the canonical order of solver.h whatever the SAT solver does.
 *
 * @source Implicit hitting sets (Davies and Bacchus, "Solving MAXSAT by solving a sequence of simpler SAT instances",
 * CP 2011); Tseitin's translation (1968). SAT solver: CaDiCaL (Biere and others). */
#ifndef HEDDLE_CORE_REPAIR_CONSTRAINTS_H
#define HEDDLE_CORE_REPAIR_CONSTRAINTS_H

#include "core/repair/formula.h"
#include "core/repair/solver.h"

typedef struct hd_constraints hd_constraints;

/* A new instance without variables, owned by the caller; NULL when memory is out. One thread at a time. */
hd_constraints *hd_constraints_new(void);
void hd_constraints_free(hd_constraints *c); /* NULL allowed */

/* Adds a variable of the given weight (at least 1); *variable is its number, counted from 0. */
hd_status hd_constraints_add_variable(hd_constraints *c, uint32_t weight, uint32_t *variable);
uint32_t hd_constraints_variable_count(const hd_constraints *c);

/* Statements a < b of one block, in the order of the text: the number, from 0, of the pair among the n(n-1)/2. */
static inline uint32_t hd_order_pair(uint32_t statements, uint32_t a, uint32_t b) {
  return a * (2 * statements - a - 1) / 2 + (b - a - 1);
}
#define HD_ORDER_STATEMENTS_MAX 128u
/* Says that the variables first .. first + n(n-1)/2 - 1 are the pairs of a block of n statements, each true when its
 * two statements have changed places: together they must be a total order. n is at most HD_ORDER_STATEMENTS_MAX.
 * Adjacent swaps are counted exactly when each variable weighs one swap. O(n^3) clauses. */
hd_status hd_constraints_add_order(hd_constraints *c, uint32_t first, uint32_t statements);

/* Everything from here on holds in every model: a formula over variables that exist; no model has `variable`; no model
 * has exactly these variables. */
hd_status hd_constraints_require(hd_constraints *c, const hd_formula *formula);
hd_status hd_constraints_forbid(hd_constraints *c, uint32_t variable);
hd_status hd_constraints_exclude(hd_constraints *c, const uint32_t *variables, size_t count);

/* The cheapest models, into *out (which the caller clears in the end). HD_OK whatever the answer; HD_E_NOMEM when
 * memory is out, in the SAT solver too: then the instance is only good for being freed. */
hd_status hd_constraints_solve(hd_constraints *c, const hd_solver_limits *limits, hd_solutions *out);

#endif
