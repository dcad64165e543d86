/* Weighted boolean formulas (formula.h) on core-guided minimisation (core_guided.h).
 *
 *   clauses  the formula's own copy; what lies before `loaded` the solver has. Variable v is the solver's numbers[v],
 *            since counters take numbers in between. When memory runs out the solver is dropped and filled anew by the
 *            next call.
 *   least    softs of great weight are assumed first, then those of half of it and so on; each core raises the lower
 *            bound; once all softs hold, the bound is the least cost
 *   all      the assignments where all softs hold are those of least cost: each one found is excluded, as a choice,
 *            until there is no more. When there are more than asked for, the first ones are looked for in order: the
 *            next element of a choice is the least that some assignment with the elements so far has.
 *
 * What is learned stays true when clauses are added: cores stay cores. Exclusions hold under a guard literal of their
 * call. Threads: one formula, one thread at a time. */
#include "core/repair/formula.h"

#include "core/base/check.h"
#include "core/repair/core_guided.h"

#include <ccadical.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES_MAX = 1 << 30 };

struct hd_formula {
  uint32_t *costs; /* per variable of a choice */
  uint32_t choice_count, count;
  hdi_literals clauses; /* of variables + 1, negative when negated, each clause ended by 0 */
  size_t loaded;
  hdi_literals numbers; /* per variable that the solver has */
  hdi_guided guided;
};

hd_formula *hd_formula_new(const uint32_t *costs, uint32_t count) {
  HD_REQUIRE(count <= VARIABLES_MAX);
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
  }
  return formula;
}

/* The next call fills a new solver. */
static void unload(hd_formula *formula) {
  hdi_guided_stop(&formula->guided);
  hdi_literals_clear(&formula->numbers);
  formula->loaded = 0;
}

void hd_formula_free(hd_formula *formula) {
  if (formula != NULL) {
    unload(formula);
    hdi_literals_free(&formula->numbers);
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

static int signed_number(uint32_t variable, bool negated) {
  int number = (int)variable + 1;
  return negated ? -number : number;
}

hd_status hd_formula_clause(hd_formula *formula, const hd_literal *literals, size_t count) {
  if (hdi_literals_reserve(&formula->clauses, formula->clauses.count + count + 1) != HD_OK) {
    return HD_E_NOMEM;
  }
  int *clause = formula->clauses.data + formula->clauses.count;
  for (size_t i = 0; i < count; i++) {
    HD_REQUIRE(literals[i].variable < formula->count);
    clause[i] = signed_number(literals[i].variable, literals[i].negated);
  }
  clause[count] = 0;
  formula->clauses.count += count + 1;
  return HD_OK;
}

hd_status hd_formula_all_of(hd_formula *formula, const hd_literal *literals, size_t count, uint32_t *variable) {
  hd_status status = hd_formula_variable(formula, variable);
  for (size_t i = 0; i < count && status == HD_OK; i++) {
    hd_literal pair[] = {{*variable, true}, literals[i]};
    status = hd_formula_clause(formula, pair, 2);
  }
  return status;
}

hd_status hd_formula_any_of(hd_formula *formula, const hd_literal *literals, size_t count, uint32_t *variable) {
  hd_status status = hd_formula_variable(formula, variable);
  hd_literal *clause = malloc((count + 1) * sizeof *clause);
  if (status == HD_OK && clause == NULL) {
    status = HD_E_NOMEM;
  }
  if (status == HD_OK) {
    for (size_t i = 0; i < count; i++) {
      clause[i] = literals[i];
    }
    clause[count] = (hd_literal){*variable, true};
    status = hd_formula_clause(formula, clause, count + 1);
  }
  free(clause);
  return status;
}

/* ---- one call ---- */

typedef struct run {
  hd_formula *formula;
  hdi_guided *guided;
  const hd_hitting_limits *limits;
  hd_hitting_answer *answer;
  bool *model, *best; /* per variable of a choice: of the assignment found last, of the cheapest one */
  uint64_t best_cost; /* UINT64_MAX: none was found */
  hdi_literals also, one_of;
  int guard;       /* of the exclusions of this call */
  size_t capacity; /* of the answer's choices */
} run;

static int number_of(const run *r, uint32_t variable, bool negated) {
  int number = r->formula->numbers.data[variable];
  return negated ? -number : number;
}

/* Gives the solver what it does not have yet. */
static hd_status load(hd_formula *formula) {
  hdi_guided *g = &formula->guided;
  hd_status status = g->solver == NULL ? hdi_guided_start(g) : HD_OK;
  if (status == HD_OK) {
    status = hdi_literals_reserve(&formula->numbers, formula->count);
  }
  if (status != HD_OK) {
    return status;
  }
  while (formula->numbers.count < formula->count && status == HD_OK) {
    uint32_t variable = (uint32_t)formula->numbers.count;
    uint32_t cost = variable < formula->choice_count ? formula->costs[variable] : 0;
    int number = g->next++;
    formula->numbers.data[formula->numbers.count++] = number;
    if (cost != 0) {
      status = hdi_softs_push(&g->softs, (hdi_soft){-number, cost, HDI_NO_NODE, 0});
    }
  }
  for (; status == HD_OK && formula->loaded < formula->clauses.count; formula->loaded++) {
    int literal = formula->clauses.data[formula->loaded];
    int number = literal == 0 ? 0 : formula->numbers.data[abs(literal) - 1];
    ccadical_add(g->solver, literal < 0 ? -number : number);
  }
  return status;
}

/* Asks the solver; takes in the assignment that it finds. */
static int ask(run *r, uint64_t threshold, const hdi_literals *also, const hdi_literals *one_of) {
  int result = hdi_guided_solve(r->guided, threshold, also, one_of);
  if (result != HDI_SATISFIABLE) {
    return result;
  }
  uint64_t cost = 0;
  for (uint32_t v = 0; v < r->formula->choice_count; v++) {
    r->model[v] = hdi_guided_value(r->guided, number_of(r, v, false));
    cost += r->model[v] ? r->formula->costs[v] : 0;
  }
  if (cost < r->best_cost) {
    r->best_cost = cost;
    memcpy(r->best, r->model, r->formula->choice_count * sizeof *r->best);
  }
  return result;
}

/* ---- the choices ---- */

static hd_status list_choice(run *r, const bool *chosen) {
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
  hd_hitting_choice choice = {0};
  for (uint32_t v = 0; v < r->formula->choice_count; v++) {
    choice.count += chosen[v] ? 1u : 0u;
  }
  choice.elements = malloc(((size_t)choice.count + 1) * sizeof *choice.elements);
  if (choice.elements == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t v = 0, at = 0; v < r->formula->choice_count; v++) {
    if (chosen[v]) {
      choice.elements[at++] = v;
    }
  }
  answer->choices[answer->choice_count++] = choice;
  return HD_OK;
}

/* Not the choice of the model, under the guard. */
static void exclude_model(const run *r) {
  ccadical_add(r->guided->solver, -r->guard);
  for (uint32_t v = 0; v < r->formula->choice_count; v++) {
    ccadical_add(r->guided->solver, number_of(r, v, r->model[v]));
  }
  ccadical_add(r->guided->solver, 0);
}

static void begin_exclusions(run *r) {
  if (r->guard != 0) { /* those before are of no use any more */
    ccadical_add(r->guided->solver, -r->guard);
    ccadical_add(r->guided->solver, 0);
  }
  r->guard = r->guided->next++;
}

/* Keeps the model's elements from `from` on false, as far as `to`. */
static hd_status assume_false(run *r, uint32_t from, uint32_t to) {
  hd_status status = HD_OK;
  for (uint32_t v = from; v < to && status == HD_OK; v++) {
    status = hdi_literals_push(&r->also, number_of(r, v, true));
  }
  return status;
}

static uint32_t next_element(const run *r, uint32_t from) {
  while (from < r->formula->choice_count && !r->model[from]) {
    from++;
  }
  return from;
}

/* Can a choice end before `from`? The model has the elements so far; if so, it becomes one that ends there. */
static hd_status try_to_end(run *r, uint32_t from, bool *ends) {
  uint32_t count = r->formula->choice_count;
  *ends = next_element(r, from) == count;
  if (*ends) {
    return HD_OK;
  }
  size_t before = r->also.count;
  hd_status status = assume_false(r, from, count);
  *ends = status == HD_OK && ask(r, 1, &r->also, NULL) == HDI_SATISFIABLE;
  r->also.count = before;
  return status;
}

/* Turns the model into one whose next element from `from` on is as small as it can be. */
static hd_status lower_next(run *r, uint32_t from, uint32_t *next) {
  hd_status status = HD_OK;
  for (*next = next_element(r, from); *next > from && status == HD_OK; *next = next_element(r, from)) {
    hdi_literals_clear(&r->one_of);
    for (uint32_t v = from; v < *next && status == HD_OK; v++) {
      status = hdi_literals_push(&r->one_of, number_of(r, v, false));
    }
    if (status != HD_OK || ask(r, 1, &r->also, &r->one_of) != HDI_SATISFIABLE) {
      break;
    }
  }
  return status;
}

/* Turns the model, which has the least cost and is not excluded, into the first such in order. */
static hd_status lower_model(run *r) {
  uint64_t left = r->guided->lower_bound;
  uint32_t from = 0, next = 0;
  hd_status status = HD_OK;
  r->also.count = 0;
  status = hdi_literals_push(&r->also, r->guard);
  while (status == HD_OK && r->guided->end == HD_OK) {
    bool ends = false;
    if (left == 0) {
      status = try_to_end(r, from, &ends);
    }
    if (ends || status != HD_OK) {
      break;
    }
    status = lower_next(r, from, &next);
    if (status == HD_OK && r->guided->end == HD_OK) {
      status = assume_false(r, from, next);
    }
    if (status == HD_OK && r->guided->end == HD_OK) {
      HD_ASSERT(next < r->formula->choice_count && r->formula->costs[next] <= left);
      status = hdi_literals_push(&r->also, number_of(r, next, false));
      left -= r->formula->costs[next];
      from = next + 1;
    }
  }
  return status;
}

static void drop_choices(hd_hitting_answer *answer) {
  for (size_t i = 0; i < answer->choice_count; i++) {
    free(answer->choices[i].elements);
  }
  answer->choice_count = 0;
}

/* The first choices_max choices in order, when there are more. */
static hd_status list_first_choices(run *r) {
  drop_choices(r->answer);
  begin_exclusions(r);
  hd_status status = HD_OK;
  while (status == HD_OK && r->guided->end == HD_OK && r->answer->choice_count < r->limits->choices_max) {
    hdi_literals_clear(&r->also);
    status = hdi_literals_push(&r->also, r->guard);
    if (status != HD_OK || ask(r, 1, &r->also, NULL) != HDI_SATISFIABLE) {
      break;
    }
    status = lower_model(r);
    if (status == HD_OK && r->guided->end == HD_OK) {
      status = list_choice(r, r->model);
      exclude_model(r);
    }
  }
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

/* The model is one of least cost: all choices of that cost. */
static hd_status list_choices(run *r) {
  hd_hitting_answer *answer = r->answer;
  hd_status status = HD_OK;
  int result = HDI_SATISFIABLE;
  begin_exclusions(r);
  while (status == HD_OK && result == HDI_SATISFIABLE) {
    if (answer->choice_count == r->limits->choices_max) {
      return list_first_choices(r);
    }
    status = list_choice(r, r->model);
    exclude_model(r);
    hdi_literals_clear(&r->also);
    if (status == HD_OK) {
      status = hdi_literals_push(&r->also, r->guard);
    }
    result = status == HD_OK ? ask(r, 1, &r->also, NULL) : 0;
  }
  answer->all = result == HDI_UNSATISFIABLE;
  if (status == HD_OK) {
    qsort(answer->choices, answer->choice_count, sizeof *answer->choices, compare_choices);
  }
  return status;
}

/* ---- the least cost ---- */

/* The softs to assume next, after those of weight >= threshold could be made to hold; 0: these were all. */
static uint64_t lower_threshold(const hdi_guided *g, uint64_t threshold) {
  uint64_t next = 0;
  for (size_t i = 0; i < g->softs.count; i++) {
    uint64_t weight = g->softs.data[i].weight;
    next = weight < threshold && weight > next ? weight : next;
  }
  return next - next / 2;
}

/* Raises the lower bound until all softs hold (*found), it passes `most`, nothing satisfies the clauses, or a limit. */
static hd_status find_least(run *r, uint64_t most, bool *found) {
  hdi_guided *g = r->guided;
  uint64_t threshold = UINT64_MAX; /* no soft at all: is there any assignment? */
  hd_status status = HD_OK;
  while (status == HD_OK && !g->unsatisfiable && g->lower_bound <= most) {
    int result = ask(r, threshold, NULL, NULL);
    if (result == HDI_UNSATISFIABLE) {
      status = hdi_guided_raise(g, threshold);
    } else if (result == HDI_SATISFIABLE) {
      threshold = lower_threshold(g, threshold);
      *found = threshold == 0;
    }
    if (result == 0 || *found) {
      break;
    }
  }
  return status;
}

static hd_status search(run *r) {
  hd_hitting_answer *answer = r->answer;
  hdi_guided *g = r->guided;
  uint64_t most = r->limits->cost_max != 0 ? r->limits->cost_max : UINT64_MAX - 1;
  bool found = false;
  hd_status status = find_least(r, most, &found);
  bool none = g->unsatisfiable || g->lower_bound > most;
  answer->lower_bound = g->unsatisfiable ? UINT64_MAX : g->lower_bound;
  answer->optimal = none || (r->best_cost == g->lower_bound);
  answer->all = none;
  if (status == HD_OK && !none && r->best_cost <= most) {
    answer->cost = r->best_cost;
    status = found ? list_choices(r) : list_choice(r, r->best);
    if (status == HD_OK && answer->choice_count == 0) {
      status = list_choice(r, r->best); /* cut short before the first one in order was known */
    }
  }
  answer->nodes = g->learned;
  answer->end = g->end;
  return status;
}

hd_status hd_formula_solve(hd_formula *formula, const hd_hitting_limits *limits, hd_hitting_answer *answer) {
  HD_REQUIRE(limits->choices_max >= 1);
  *answer = (hd_hitting_answer){.cost = UINT64_MAX};
  run r = {.formula = formula, .guided = &formula->guided, .limits = limits, .answer = answer, .best_cost = UINT64_MAX};
  r.model = calloc((size_t)formula->choice_count + 1, sizeof *r.model);
  r.best = calloc((size_t)formula->choice_count + 1, sizeof *r.best);
  hd_status status = r.model == NULL || r.best == NULL ? HD_E_NOMEM : load(formula);
  if (status == HD_OK) {
    hdi_guided_limit(r.guided, limits);
    status = search(&r);
  }
  if (status == HD_OK && r.guard != 0) {
    ccadical_add(r.guided->solver, -r.guard);
    ccadical_add(r.guided->solver, 0);
  }
  if (status != HD_OK) {
    unload(formula);
    hd_hitting_answer_clear(answer);
    answer->cost = UINT64_MAX;
  }
  hdi_literals_free(&r.also);
  hdi_literals_free(&r.one_of);
  free(r.best);
  free(r.model);
  return status;
}
