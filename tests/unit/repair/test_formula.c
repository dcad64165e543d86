/* Weighted boolean formulas: against all assignments on small instances, against libz3's optimiser on larger ones. */
#include "core/repair/formula.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

#ifdef HEDDLE_TEST_Z3
#include <z3.h>
#endif

enum { VARIABLES_MAX = 40, CLAUSES_MAX = 120, WIDTH_MAX = 4 };

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
    in->widths[c] = 1 + draw(&seed, WIDTH_MAX) % WIDTH_MAX;
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

static const hd_hitting_limits ALL = {.choices_max = 1u << 12};

static void compare_with_all_assignments(uint64_t seed) {
  instance in;
  fill(&in, seed, 4 + (uint32_t)(seed % 7), 3 + (uint32_t)(seed % 14), seed % 3 == 0 ? 60 : 3);
  uint64_t least = UINT64_MAX;
  uint32_t how_many = 0;
  for (uint32_t set = 0; set < 1u << in.count; set++) {
    uint64_t cost = satisfies(&in, set) ? cost_of(&in, set) : UINT64_MAX;
    how_many = cost == UINT64_MAX ? how_many : cost < least ? 1 : how_many + (cost == least);
    least = cost < least ? cost : least;
  }
  hd_formula *formula = formula_of(&in);
  hd_hitting_answer answer;
  cr_assert(hd_formula_solve(formula, &ALL, &answer) == HD_OK);
  cr_assert(answer.optimal && answer.cost == least && answer.choice_count == how_many,
            "seed %d: cost %d, %zu choices; expected %d, %u", (int)seed, (int)answer.cost, answer.choice_count,
            (int)least, how_many);
  cr_assert(how_many == 0 || answer.all);
  for (size_t i = 0; i < answer.choice_count; i++) {
    uint32_t set = set_of(&answer.choices[i]);
    cr_assert(satisfies(&in, set) && cost_of(&in, set) == least);
    cr_assert(i == 0 || set != set_of(&answer.choices[i - 1]));
  }
  hd_hitting_limits below = ALL;
  below.cost_max = least == UINT64_MAX || least < 2 ? 1 : least - 1;
  hd_hitting_answer none;
  cr_assert(hd_formula_solve(formula, &below, &none) == HD_OK);
  cr_assert(least <= 1 || (none.choice_count == 0 && none.optimal));
  hd_hitting_answer_clear(&none);
  hd_hitting_answer_clear(&answer);
  hd_formula_free(formula);
}

Test(formula, equals_all_assignments) {
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(600); seed++) {
    compare_with_all_assignments(seed);
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
    fill(&in, seed * 977, 20 + (uint32_t)(seed % 20), 40 + (uint32_t)(seed % 40), 9);
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

Test(formula, limits_are_told) {
  instance in;
  fill(&in, 12345, 12, 6, 0);
  hd_formula *formula = formula_of(&in);
  hd_hitting_limits two = {.choices_max = 2};
  hd_hitting_answer answer;
  cr_assert(hd_formula_solve(formula, &two, &answer) == HD_OK);
  cr_assert(answer.choice_count == 2 && answer.optimal && !answer.all);
  hd_hitting_answer_clear(&answer);
  static hd_atomic_u32 cancel;
  hd_store_rlx(&cancel, 1);
  hd_hitting_limits cancelled = {.choices_max = 1, .cancel = &cancel};
  cr_assert(hd_formula_solve(formula, &cancelled, &answer) == HD_OK);
  cr_assert(answer.end == HD_E_CANCELLED && !answer.optimal && answer.choice_count == 0);
  hd_hitting_answer_clear(&answer);
  hd_formula_free(formula);
}
