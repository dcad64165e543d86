/* Weighted boolean formulas: against all assignments on small instances, against libz3's optimiser on larger ones. */
#include "core/repair/formula.h"

#include "core/base/machine.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

#ifdef HEDDLE_TEST_Z3
#include <z3.h>
#endif

enum { VARIABLES_MAX = 80, CLAUSES_MAX = 120, WIDTH_MAX = 6 };

typedef struct instance {
  uint32_t count, costs[VARIABLES_MAX];
  uint32_t clause_count, widths[CLAUSES_MAX];
  hd_literal clauses[CLAUSES_MAX][WIDTH_MAX];
} instance;

static uint32_t draw(uint64_t *seed, uint32_t below) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33) % below;
}

static void fill(instance *in, uint64_t seed, uint32_t count, uint32_t clauses, uint32_t cost_max) {
  in->count = count;
  in->clause_count = clauses;
  for (uint32_t i = 0; i < count; i++) {
    in->costs[i] = draw(&seed, cost_max + 1);
  }
  for (uint32_t c = 0; c < clauses; c++) {
    in->widths[c] = 1 + draw(&seed, 4);
    in->widths[c] = in->widths[c] == 1 && draw(&seed, 4) > 0 ? 2 : in->widths[c];
    for (uint32_t l = 0; l < in->widths[c]; l++) {
      in->clauses[c][l] = (hd_literal){draw(&seed, count), draw(&seed, 3) == 0};
    }
  }
}

static hd_formula *formula_of(const instance *in) {
  hd_formula *formula = hd_formula_new(in->costs, in->count);
  cr_assert(formula != NULL);
  for (uint32_t c = 0; c < in->clause_count; c++) {
    cr_assert(hd_formula_clause(formula, in->clauses[c], in->widths[c]) == HD_OK);
  }
  return formula;
}

static bool satisfies(const instance *in, uint32_t set) {
  for (uint32_t c = 0; c < in->clause_count; c++) {
    bool holds = false;
    for (uint32_t l = 0; l < in->widths[c]; l++) {
      const hd_literal *literal = &in->clauses[c][l];
      holds = holds || (((set >> literal->variable) & 1) != 0) != literal->negated;
    }
    if (!holds) {
      return false;
    }
  }
  return true;
}

static uint64_t cost_of(const instance *in, uint32_t set) {
  uint64_t cost = 0;
  for (uint32_t v = 0; v < in->count; v++) {
    cost += ((set >> v) & 1) != 0 ? in->costs[v] : 0;
  }
  return cost;
}

static uint32_t set_of(const hd_hitting_choice *choice) {
  uint32_t set = 0;
  for (uint32_t i = 0; i < choice->count; i++) {
    set |= 1u << choice->elements[i];
  }
  return set;
}

static const hd_hitting_limits ALL = {.choices_max = SIZE_MAX};

/* Is `a` before `b` in the order of choices: as ascending sequences of elements? */
static bool comes_before(uint32_t a, uint32_t b) {
  while (a != 0 && b != 0) {
    uint32_t first_a = a & (0u - a), first_b = b & (0u - b);
    if (first_a != first_b) {
      return first_a < first_b;
    }
    a ^= first_a;
    b ^= first_b;
  }
  return a == 0 && b != 0;
}

typedef struct expectation {
  uint64_t least; /* UINT64_MAX: nothing satisfies the clauses */
  uint32_t count; /* of cheapest choices */
  uint32_t sets[1u << 11];
} expectation;

/* All assignments. */
static void expect(const instance *in, expectation *out) {
  out->least = UINT64_MAX;
  out->count = 0;
  for (uint32_t set = 0; set < 1u << in->count; set++) {
    uint64_t cost = satisfies(in, set) ? cost_of(in, set) : UINT64_MAX;
    if (cost != UINT64_MAX && cost <= out->least) {
      out->count = cost < out->least ? 0 : out->count;
      out->least = cost;
      uint32_t at = out->count++;
      for (; at > 0 && comes_before(set, out->sets[at - 1]); at--) {
        out->sets[at] = out->sets[at - 1];
      }
      out->sets[at] = set;
    }
  }
}

/* Solves with at most `most` choices; they must be the first ones expected. */
static void compare(hd_formula *formula, const expectation *expected, size_t most, uint64_t seed) {
  hd_hitting_answer answer;
  hd_hitting_limits limits = {.choices_max = most};
  cr_assert(hd_formula_solve(formula, &limits, &answer) == HD_OK);
  cr_assert(answer.end == HD_OK && answer.optimal && answer.cost == expected->least, "seed %d: cost %d, not %d",
            (int)seed, (int)answer.cost, (int)expected->least);
  cr_assert(answer.lower_bound == expected->least);
  cr_assert(answer.choice_count == (expected->count < most ? expected->count : most), "seed %d: %zu choices of %u",
            (int)seed, answer.choice_count, expected->count);
  cr_assert(answer.all == (expected->count <= most));
  for (size_t i = 0; i < answer.choice_count; i++) {
    cr_assert(set_of(&answer.choices[i]) == expected->sets[i], "seed %d, at most %zu, choice %zu: %x, not %x",
              (int)seed, most, i, set_of(&answer.choices[i]), expected->sets[i]);
  }
  hd_hitting_answer_clear(&answer);
}

Test(formula, equals_all_assignments) {
  static expectation expected;
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(600); seed++) {
    instance in;
    static const uint32_t costs[] = {60, 3, 1, 0};
    fill(&in, seed, 4 + (uint32_t)(seed % 7), 3 + (uint32_t)(seed % 14), costs[seed % 4]);
    expect(&in, &expected);
    hd_formula *formula = formula_of(&in);
    compare(formula, &expected, SIZE_MAX, seed);
    hd_hitting_answer none;
    if (expected.least >= 2) {
      uint64_t below = expected.least == UINT64_MAX ? 1 : expected.least - 1;
      hd_hitting_limits limits = {.choices_max = 1, .cost_max = below};
      cr_assert(hd_formula_solve(formula, &limits, &none) == HD_OK);
      cr_assert(none.choice_count == 0 && none.optimal && none.cost == UINT64_MAX && none.lower_bound > below);
      hd_hitting_answer_clear(&none);
    }
    hd_formula_free(formula);
  }
}

Test(formula, more_choices_than_asked_for_the_first_are_listed) {
  static expectation expected;
  uint32_t cut = 0;
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(300); seed++) {
    instance in;
    fill(&in, seed * 31, 5 + (uint32_t)(seed % 6), 2 + (uint32_t)(seed % 6), (uint32_t)(seed % 3));
    expect(&in, &expected);
    hd_formula *formula = formula_of(&in);
    for (size_t most = 1; most <= 4; most++) {
      cut += expected.count > most;
      compare(formula, &expected, most, seed);
    }
    hd_formula_free(formula);
  }
  cr_assert(cut > 50);
}

Test(formula, clauses_may_come_between_answers) {
  static expectation expected;
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(100); seed++) {
    instance in;
    fill(&in, seed * 4099, 9, 24, seed % 2 == 0 ? 1 : 7);
    hd_formula *formula = hd_formula_new(in.costs, in.count);
    uint32_t all = in.clause_count, aside = 0;
    for (in.clause_count = 0; in.clause_count < all;) {
      uint32_t c = in.clause_count++;
      /* what is not said directly is said by a new variable, so that numbers grow between the answers too */
      if (seed % 3 == 0 && in.widths[c] > 1) {
        cr_assert(hd_formula_any_of(formula, in.clauses[c], in.widths[c], &aside) == HD_OK);
        const hd_literal it[] = {{aside, false}};
        cr_assert(hd_formula_clause(formula, it, 1) == HD_OK);
      } else {
        cr_assert(hd_formula_clause(formula, in.clauses[c], in.widths[c]) == HD_OK);
      }
      expect(&in, &expected);
      compare(formula, &expected, seed % 5 == 0 ? 2 : SIZE_MAX, seed);
    }
    hd_formula_free(formula);
  }
}

#ifdef HEDDLE_TEST_Z3
static uint64_t least_by_z3(const instance *in) {
  Z3_config config = Z3_mk_config();
  Z3_context z3 = Z3_mk_context(config);
  Z3_optimize optimize = Z3_mk_optimize(z3);
  Z3_optimize_inc_ref(z3, optimize);
  Z3_ast variables[VARIABLES_MAX], sum[VARIABLES_MAX];
  Z3_sort integer = Z3_mk_int_sort(z3);
  for (uint32_t v = 0; v < in->count; v++) {
    variables[v] = Z3_mk_const(z3, Z3_mk_int_symbol(z3, (int)v), Z3_mk_bool_sort(z3));
    sum[v] = Z3_mk_ite(z3, variables[v], Z3_mk_int(z3, (int)in->costs[v], integer), Z3_mk_int(z3, 0, integer));
  }
  for (uint32_t c = 0; c < in->clause_count; c++) {
    Z3_ast literals[WIDTH_MAX];
    for (uint32_t l = 0; l < in->widths[c]; l++) {
      Z3_ast variable = variables[in->clauses[c][l].variable];
      literals[l] = in->clauses[c][l].negated ? Z3_mk_not(z3, variable) : variable;
    }
    Z3_optimize_assert(z3, optimize, Z3_mk_or(z3, in->widths[c], literals));
  }
  Z3_ast total = Z3_mk_add(z3, in->count, sum);
  (void)Z3_optimize_minimize(z3, optimize, total);
  uint64_t least = UINT64_MAX;
  if (Z3_optimize_check(z3, optimize, 0, NULL) == Z3_L_TRUE) {
    Z3_model model = Z3_optimize_get_model(z3, optimize);
    Z3_ast value = NULL;
    Z3_model_inc_ref(z3, model);
    cr_assert(Z3_model_eval(z3, model, total, true, &value));
    int number = 0;
    cr_assert(Z3_get_numeral_int(z3, value, &number));
    least = (uint64_t)number;
    Z3_model_dec_ref(z3, model);
  }
  Z3_optimize_dec_ref(z3, optimize);
  Z3_del_context(z3);
  Z3_del_config(config);
  return least;
}

Test(formula, equals_z3) {
  uint32_t satisfiable = 0;
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(40); seed++) {
    instance in;
    uint32_t count = 20 + (uint32_t)(seed % 4) * 20;
    fill(&in, seed * 977, count, count + count / 2, seed % 3 == 0 ? 1000 : 9);
    hd_formula *formula = formula_of(&in);
    hd_hitting_answer answer;
    hd_hitting_limits one = {.choices_max = 1};
    cr_assert(hd_formula_solve(formula, &one, &answer) == HD_OK);
    uint64_t least = least_by_z3(&in);
    cr_assert(answer.optimal && answer.cost == least, "seed %d: %d, z3 says %d", (int)seed, (int)answer.cost,
              (int)least);
    satisfiable += least != UINT64_MAX;
    hd_hitting_answer_clear(&answer);
    hd_formula_free(formula);
  }
  cr_assert(satisfiable > 5);
}
#endif

/* Five variables of which at least so many are true, unless one pays: an instance with demands of that kind. Counters
 * are asked for further outputs, with parts of weights. */
static void fill_demands(instance *in, uint64_t seed) {
  enum { COUNTED = 5, DEMANDS = 6 };
  *in = (instance){.count = COUNTED + DEMANDS};
  for (uint32_t v = 0; v < COUNTED; v++) {
    in->costs[v] = 20 + draw(&seed, 20);
  }
  for (uint32_t d = COUNTED; d < in->count; d++) {
    in->costs[d] = d + 1 == in->count ? 200 : 1 + draw(&seed, 12);
    uint32_t least = 1 + draw(&seed, COUNTED), missing = COUNTED - least + 1;
    for (uint32_t set = 0; set < 1u << COUNTED; set++) { /* of any `missing` variables one is true */
      hd_literal clause[WIDTH_MAX] = {{d, false}};
      uint32_t count = 1;
      for (uint32_t v = 0; v < COUNTED; v++) {
        clause[count] = (hd_literal){v, false};
        count += (set >> v) & 1;
      }
      if (count == missing + 1) {
        memcpy(in->clauses[in->clause_count], clause, sizeof clause);
        in->widths[in->clause_count++] = count;
      }
    }
  }
}

Test(formula, at_least_so_many) {
  static expectation expected;
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(300); seed++) {
    instance in;
    fill_demands(&in, seed);
    expect(&in, &expected);
    hd_formula *formula = formula_of(&in);
    compare(formula, &expected, SIZE_MAX, seed);
    hd_formula_free(formula);
  }
}

Test(formula, combinations_are_no_part_of_a_choice) {
  const uint32_t costs[] = {1, 1, 5, 1};
  hd_formula *formula = hd_formula_new(costs, 4);
  /* (0 and not 1) or 2, and 3 or 0 */
  uint32_t both = 0;
  const hd_literal parts[] = {{0, false}, {1, true}};
  cr_assert(hd_formula_all_of(formula, parts, 2, &both) == HD_OK && both == 4);
  const hd_literal first[] = {{both, false}, {2, false}}, second[] = {{3, false}, {0, false}};
  cr_assert(hd_formula_clause(formula, first, 2) == HD_OK && hd_formula_clause(formula, second, 2) == HD_OK);
  hd_hitting_answer answer;
  cr_assert(hd_formula_solve(formula, &ALL, &answer) == HD_OK);
  cr_assert(answer.cost == 1 && answer.choice_count == 1 && answer.all);
  cr_assert(answer.choices[0].count == 1 && answer.choices[0].elements[0] == 0);
  hd_hitting_answer_clear(&answer);
  const hd_literal not_first[] = {{0, true}}; /* clauses may come after an answer */
  cr_assert(hd_formula_clause(formula, not_first, 1) == HD_OK);
  cr_assert(hd_formula_solve(formula, &ALL, &answer) == HD_OK && answer.cost == 6 && answer.choice_count == 1);
  hd_hitting_answer_clear(&answer);
  cr_assert(hd_formula_clause(formula, NULL, 0) == HD_OK);
  cr_assert(hd_formula_solve(formula, &ALL, &answer) == HD_OK && answer.choice_count == 0 && answer.optimal);
  hd_hitting_answer_clear(&answer);
  hd_formula_free(formula);
}

/* Pigeons in fewer holes, unless one pays for doing without: hard for a solver of clauses. */
static hd_formula *pigeons(uint32_t count) {
  uint32_t costs[VARIABLES_MAX * VARIABLES_MAX] = {0};
  uint32_t holes = count - 1;
  for (uint32_t p = 0; p < count; p++) {
    costs[p] = 2 + p; /* pigeon p stays outside */
  }
  hd_formula *formula = hd_formula_new(costs, count);
  uint32_t in[VARIABLES_MAX][VARIABLES_MAX];
  for (uint32_t p = 0; p < count; p++) {
    hd_literal somewhere[VARIABLES_MAX] = {{p, false}};
    for (uint32_t h = 0; h < holes; h++) {
      cr_assert(hd_formula_variable(formula, &in[p][h]) == HD_OK);
      somewhere[1 + h] = (hd_literal){in[p][h], false};
    }
    cr_assert(hd_formula_clause(formula, somewhere, 1 + holes) == HD_OK);
    for (uint32_t q = 0; q < p; q++) {
      for (uint32_t h = 0; h < holes; h++) {
        const hd_literal apart[] = {{in[p][h], true}, {in[q][h], true}};
        cr_assert(hd_formula_clause(formula, apart, 2) == HD_OK);
      }
    }
  }
  return formula;
}

Test(formula, a_limit_of_conflicts_is_honest) {
  hd_formula *formula = pigeons(7);
  uint32_t cut = 0;
  hd_hitting_answer answer;
  for (uint64_t conflicts = 1; conflicts < 400; conflicts += 19) {
    hd_hitting_limits limits = {.choices_max = 9, .nodes_max = conflicts};
    hd_formula *fresh = pigeons(7);
    cr_assert(hd_formula_solve(fresh, &limits, &answer) == HD_OK);
    cr_assert(answer.end == HD_OK || answer.end == HD_E_LIMIT);
    cr_assert(answer.lower_bound <= 2 && answer.cost >= 2 && (answer.optimal == (answer.cost == 2)));
    cr_assert(answer.choice_count <= 1 && (answer.choice_count == 1) == (answer.cost != UINT64_MAX));
    cr_assert(!answer.all || answer.end == HD_OK);
    cut += answer.end != HD_OK;
    hd_hitting_answer_clear(&answer);
    hd_formula_free(fresh);
    cr_assert(hd_formula_solve(formula, &limits, &answer) == HD_OK); /* goes on from what it knows */
    hd_hitting_answer_clear(&answer);
  }
  cr_assert(cut > 3);
  cr_assert(hd_formula_solve(formula, &ALL, &answer) == HD_OK);
  cr_assert(answer.cost == 2 && answer.all && answer.choice_count == 1 && answer.choices[0].elements[0] == 0);
  hd_hitting_answer_clear(&answer);
  hd_formula_free(formula);
}

Test(formula, the_caller_and_the_clock_can_stop_it) {
  hd_formula *formula = pigeons(12);
  static hd_atomic_u32 cancel;
  hd_store_rlx(&cancel, 1);
  hd_hitting_answer answer;
  hd_hitting_limits cancelled = {.choices_max = 1, .cancel = &cancel};
  cr_assert(hd_formula_solve(formula, &cancelled, &answer) == HD_OK);
  cr_assert(answer.end == HD_E_CANCELLED && !answer.optimal && answer.choice_count == 0);
  hd_hitting_answer_clear(&answer);
  double now = hd_machine_seconds();
  hd_hitting_limits late = {.choices_max = 1, .deadline_seconds = now + 0.05};
  cr_assert(hd_formula_solve(formula, &late, &answer) == HD_OK);
  cr_assert(answer.end == HD_E_LIMIT && !answer.optimal && !answer.all && answer.lower_bound <= 2);
  cr_assert(hd_machine_seconds() - now < 20); /* it would take hours */
  hd_hitting_answer_clear(&answer);
  hd_formula_free(formula);
}

Test(formula, empty_ones) {
  hd_formula *formula = hd_formula_new(NULL, 0);
  hd_hitting_answer answer;
  cr_assert(hd_formula_solve(formula, &ALL, &answer) == HD_OK);
  cr_assert(answer.choice_count == 1 && answer.choices[0].count == 0 && answer.cost == 0 && answer.all);
  hd_hitting_answer_clear(&answer);
  uint32_t none = 0;
  cr_assert(hd_formula_any_of(formula, NULL, 0, &none) == HD_OK);
  const hd_literal it[] = {{none, false}};
  cr_assert(hd_formula_clause(formula, it, 1) == HD_OK);
  cr_assert(hd_formula_solve(formula, &ALL, &answer) == HD_OK);
  cr_assert(answer.choice_count == 0 && answer.optimal && answer.all && answer.lower_bound == UINT64_MAX);
  hd_hitting_answer_clear(&answer);
  hd_formula_free(formula);
}

/* The formula must be as good as before after each refusal: it is asked again until it succeeds. */
static hd_status attempt(uint64_t failing, uint64_t *asked) {
  instance in;
  fill(&in, 7, 10, 9, 2);
  static expectation expected;
  expect(&in, &expected);
  hd_fail_alloc_after(failing, false);
  hd_formula *formula = hd_formula_new(in.costs, in.count);
  hd_status status = formula == NULL ? HD_E_NOMEM : HD_OK;
  for (uint32_t c = 0; c < in.clause_count && status == HD_OK; c++) {
    uint32_t variable = 0;
    status = hd_formula_any_of(formula, in.clauses[c], in.widths[c], &variable);
    if (status == HD_OK) {
      const hd_literal it[] = {{variable, false}};
      status = hd_formula_clause(formula, it, 1);
    }
  }
  bool complete = status == HD_OK;
  for (size_t most = 1; most <= 3 && status == HD_OK; most += 2) {
    hd_hitting_answer answer;
    status = hd_formula_solve(formula, &(hd_hitting_limits){.choices_max = most}, &answer);
    cr_assert(status == HD_OK || (answer.choice_count == 0 && answer.cost == UINT64_MAX && !answer.optimal));
    hd_hitting_answer_clear(&answer);
  }
  *asked = hd_fail_alloc_stop();
  if (complete) {
    compare(formula, &expected, SIZE_MAX, failing);
  }
  hd_formula_free(formula);
  return status;
}

Test(formula, out_of_memory) {
  hd_fail_alloc_exhaust(attempt);
}
