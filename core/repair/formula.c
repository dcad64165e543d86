/* Weighted boolean formulas on CaDiCaL (formula.h).
 *
 *   clauses  + a counter: over[k] is implied when the variables that are true cost more than k together, k = 0 .. cap-1
 *   least    the bounds 0, 1, 2, ... are assumed one after another: not over[k]; the first that is satisfiable is least
 *   all      at that bound each assignment found is excluded, as a choice, until there is no more
 *
 * The counter is sequential: after variable i, s(i, k) says that the first i cost more than k. Bounds that no subset of
 * the costs sums up to are left out. When the cap is too low it is doubled and the solver is filled anew; so it is for
 * every call, since a repair's formulas are small and a fresh solver gives the same answer whatever was asked before.
 * Threads: none. Cost: cost_max calls of the solver, with (variables with a cost) * cap counter variables.
 * @source Biere et al., CaDiCaL at the SAT Competition 2020; the counter: Sinz, Towards an Optimal CNF Encoding of
 * Boolean Cardinality Constraints, CP 2005, with weights as in Hoelldobler, Manthey, Steinke, KI 2012 */
#include "core/repair/formula.h"

#include "core/base/check.h"
#include "core/base/machine.h"

#include <ccadical.h>
#include <stdlib.h>
#include <string.h>

#define HD_ARRAY_NAME hdi_literals
#define HD_ARRAY_TYPE int
#include "core/base/array.h"

enum { VARIABLES_MAX = 1 << 30, FIRST_CAP = 32, SATISFIABLE = 10, UNSATISFIABLE = 20 };

struct hd_formula {
  uint32_t *costs; /* per variable of a choice */
  uint32_t choice_count, count;
  hdi_literals clauses; /* as the solver reads them: numbers from 1, negative when negated, each clause ended by 0 */
  uint64_t cost_sum;
};

hd_formula *hd_formula_new(const uint32_t *costs, uint32_t count) {
  hd_formula *formula = calloc(1, sizeof *formula);
  uint32_t *copy = malloc(((size_t)count + 1) * sizeof *copy);
  if (formula == NULL || copy == NULL) {
    free(formula);
    free(copy);
    return NULL;
  }
  formula->costs = copy;
  formula->choice_count = formula->count = count;
  for (uint32_t i = 0; i < count; i++) {
    copy[i] = costs[i];
    formula->cost_sum += costs[i];
  }
  return formula;
}

void hd_formula_free(hd_formula *formula) {
  if (formula != NULL) {
    hdi_literals_free(&formula->clauses);
    free(formula->costs);
    free(formula);
  }
}

hd_status hd_formula_variable(hd_formula *formula, uint32_t *variable) {
  if (formula->count == VARIABLES_MAX) {
    return HD_E_LIMIT;
  }
  *variable = formula->count++;
  return HD_OK;
}

static int number_of(uint32_t variable, bool negated) {
  int number = (int)variable + 1;
  return negated ? -number : number;
}

hd_status hd_formula_clause(hd_formula *formula, const hd_literal *literals, size_t count) {
  size_t before = formula->clauses.count;
  hd_status status = HD_OK;
  for (size_t i = 0; i < count && status == HD_OK; i++) {
    HD_ASSERT(literals[i].variable < formula->count);
    status = hdi_literals_push(&formula->clauses, number_of(literals[i].variable, literals[i].negated));
  }
  if (status == HD_OK) {
    status = hdi_literals_push(&formula->clauses, 0);
  }
  if (status != HD_OK) {
    formula->clauses.count = before;
  }
  return status;
}

hd_status hd_formula_all_of(hd_formula *formula, const hd_literal *literals, size_t count, uint32_t *variable) {
  hd_status status = hd_formula_variable(formula, variable);
  for (size_t i = 0; i < count && status == HD_OK; i++) {
    hd_literal pair[] = {{*variable, true}, literals[i]};
    status = hd_formula_clause(formula, pair, 2);
  }
  return status;
}

/* ---- one solver ---- */

typedef struct run {
  const hd_formula *formula;
  const hd_hitting_limits *limits;
  hd_hitting_answer *answer;
  CCaDiCaL *solver;
  int next; /* the solver's next free number */
  uint64_t cap;
  int *over;       /* cap numbers; 0: cannot be exceeded */
  bool *reachable; /* cap + 1: some subset of the costs sums up to it */
  size_t capacity; /* of the answer's choices */
} run;

/* For the solver: should it give up? */
static int is_over(void *payload) {
  const hd_hitting_limits *limits = payload;
  /* HD-SYNC S11: relaxed; pairs with none (the caller's store of the flag, of any order). Publishes: nothing; the flag
   * is the whole message. Why not weaker: it is written while it is read. Why not stronger: no data comes with it. */
  return (limits->cancel != NULL && hd_load_rlx(limits->cancel) != 0) ||
         (limits->deadline_seconds > 0 && hd_machine_seconds() >= limits->deadline_seconds);
}

static void add2(const run *r, int a, int b) {
  ccadical_add(r->solver, a);
  ccadical_add(r->solver, b);
  ccadical_add(r->solver, 0);
}

static void add3(const run *r, int a, int b, int c) {
  ccadical_add(r->solver, a);
  add2(r, b, c);
}

/* Counts one more variable: over[k] becomes a new number where the sum can grow past k. */
static void count_variable(run *r, uint32_t variable) {
  uint64_t cost = r->formula->costs[variable];
  int own = number_of(variable, false);
  for (uint64_t k = r->cap; k > 0; k--) { /* downwards: over[k - 1 - cost] is still that without this variable */
    int before = r->over[k - 1], below = k - 1 >= cost ? r->over[k - 1 - cost] : 0;
    bool alone = cost > k - 1;
    if (!alone && below == 0) {
      continue;
    }
    int now = r->next++;
    if (before != 0) {
      add2(r, -before, now);
    }
    if (alone) {
      add2(r, -own, now);
    } else {
      add3(r, -own, -below, now);
    }
    r->over[k - 1] = now;
  }
  for (uint64_t sum = r->cap; cost <= r->cap && sum >= cost; sum--) {
    r->reachable[sum] = r->reachable[sum] || r->reachable[sum - cost];
    if (sum == 0) {
      break;
    }
  }
}

static hd_status fill(run *r, uint64_t cap) {
  r->cap = cap;
  r->next = (int)r->formula->count + 1;
  r->over = calloc((size_t)cap + 1, sizeof *r->over);
  r->reachable = calloc((size_t)cap + 1, sizeof *r->reachable);
  r->solver = r->over == NULL || r->reachable == NULL ? NULL : ccadical_init();
  if (r->solver == NULL) {
    return HD_E_NOMEM;
  }
  ccadical_set_option(r->solver, "quiet", 1); /* a library never prints */
  ccadical_set_terminate(r->solver, (void *)(uintptr_t)r->limits, is_over);
  for (size_t i = 0; i < r->formula->clauses.count; i++) {
    ccadical_add(r->solver, r->formula->clauses.data[i]);
  }
  r->reachable[0] = true;
  for (uint32_t v = 0; v < r->formula->choice_count; v++) {
    if (r->formula->costs[v] != 0) {
      count_variable(r, v);
    }
  }
  return HD_OK;
}

static void empty(run *r) {
  if (r->solver != NULL) {
    ccadical_release(r->solver);
  }
  free(r->over);
  free(r->reachable);
  r->solver = NULL;
  r->over = NULL;
  r->reachable = NULL;
}

/* 10, 20, or 0 when the limits ended it; answer->end says which. */
static int solve_once(run *r, uint64_t bound, int also) {
  hd_hitting_answer *answer = r->answer;
  if (is_over((void *)(uintptr_t)r->limits) != 0) {
    answer->end = HD_E_CANCELLED;
    return 0;
  }
  if (bound < r->cap && r->over[bound] != 0) {
    ccadical_assume(r->solver, -r->over[bound]);
  }
  if (also != 0) {
    ccadical_assume(r->solver, also);
  }
  if (r->limits->nodes_max != 0) {
    ccadical_limit(r->solver, "conflicts", r->limits->nodes_max > INT32_MAX ? INT32_MAX : (int)r->limits->nodes_max);
  }
  answer->nodes++;
  int result = ccadical_solve(r->solver);
  if (result == 0) {
    answer->end = is_over((void *)(uintptr_t)r->limits) != 0 ? HD_E_CANCELLED : HD_E_LIMIT;
  }
  return result;
}

/* ---- the answer ---- */

static hd_status keep_choice(run *r) {
  hd_hitting_answer *answer = r->answer;
  if (answer->choice_count == r->capacity) {
    size_t larger = r->capacity == 0 ? 8 : r->capacity * 2;
    hd_hitting_choice *choices = realloc(answer->choices, larger * sizeof *choices);
    if (choices == NULL) {
      return HD_E_NOMEM;
    }
    answer->choices = choices;
    r->capacity = larger;
  }
  hd_hitting_choice choice = {.elements = malloc(((size_t)r->formula->choice_count + 1) * sizeof *choice.elements)};
  if (choice.elements == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t v = 0; v < r->formula->choice_count; v++) {
    if (ccadical_val(r->solver, number_of(v, false)) > 0) {
      choice.elements[choice.count++] = v;
    }
  }
  answer->choices[answer->choice_count++] = choice;
  return HD_OK;
}

/* With `guard`, not the choice found last. */
static void exclude_last(const run *r, int guard) {
  const hd_hitting_choice *choice = &r->answer->choices[r->answer->choice_count - 1];
  ccadical_add(r->solver, -guard);
  for (uint32_t v = 0, at = 0; v < r->formula->choice_count; v++) {
    bool chosen = at < choice->count && choice->elements[at] == v;
    at += chosen;
    ccadical_add(r->solver, number_of(v, chosen));
  }
  ccadical_add(r->solver, 0);
}

/* All choices of the least cost. */
static hd_status list_choices(run *r, uint64_t bound) {
  hd_hitting_answer *answer = r->answer;
  int guard = r->next++, result = SATISFIABLE;
  hd_status status = HD_OK;
  answer->cost = answer->lower_bound = bound;
  answer->optimal = true;
  while (status == HD_OK && result == SATISFIABLE) {
    status = keep_choice(r);
    if (status == HD_OK) {
      exclude_last(r, guard);
      if (answer->choice_count == r->limits->choices_max) {
        return HD_OK; /* whether there are more is not known */
      }
      result = solve_once(r, bound, guard);
    }
  }
  answer->all = result == UNSATISFIABLE;
  return status;
}

static int compare_choices(const void *a, const void *b) {
  const hd_hitting_choice *x = a, *y = b;
  for (uint32_t i = 0; i < x->count && i < y->count; i++) {
    if (x->elements[i] != y->elements[i]) {
      return x->elements[i] < y->elements[i] ? -1 : 1;
    }
  }
  return x->count < y->count ? -1 : x->count > y->count;
}

/* The least bound from `bound` on, up to the cap; *found: it was reached, or there is nothing to look for. */
static hd_status climb(run *r, uint64_t *bound, uint64_t most, bool *found) {
  *found = true;
  for (; *bound <= most && *bound < r->cap; ++*bound) {
    if (!r->reachable[*bound]) {
      continue;
    }
    int result = solve_once(r, *bound, 0);
    if (result == 0) {
      r->answer->lower_bound = *bound;
      return HD_OK;
    }
    if (result == SATISFIABLE) {
      return list_choices(r, *bound);
    }
  }
  r->answer->lower_bound = *bound;
  *found = *bound > most;
  r->answer->optimal = *found; /* that there is none up to `most` */
  return HD_OK;
}

static hd_status search(run *r) {
  uint64_t most = r->formula->cost_sum, bound = 0;
  if (r->limits->cost_max != 0 && r->limits->cost_max < most) {
    most = r->limits->cost_max;
  }
  hd_status status = HD_OK;
  bool found = false;
  for (uint64_t cap = FIRST_CAP; status == HD_OK && !found; cap *= 2) {
    status = fill(r, cap < most + 1 ? cap : most + 1);
    if (status == HD_OK && bound == 0 && solve_once(r, most, 0) != SATISFIABLE) {
      r->answer->optimal = r->answer->end == HD_OK; /* no choice at all, or cut short */
      found = true;
    } else if (status == HD_OK) {
      status = climb(r, &bound, most, &found);
    }
    empty(r);
  }
  return status;
}

hd_status hd_formula_solve(const hd_formula *formula, const hd_hitting_limits *limits, hd_hitting_answer *answer) {
  *answer = (hd_hitting_answer){.cost = UINT64_MAX};
  run r = {.formula = formula, .limits = limits, .answer = answer};
  hd_status status = search(&r);
  empty(&r);
  if (status != HD_OK) {
    hd_hitting_answer_clear(answer);
    *answer = (hd_hitting_answer){.cost = UINT64_MAX};
    return status;
  }
  if (answer->choice_count != 0) {
    qsort(answer->choices, answer->choice_count, sizeof *answer->choices, compare_choices);
  }
  return HD_OK;
}
