/* Weighted minimum hitting sets: against all subsets on small instances, against libz3's optimiser on larger ones. */
#include "core/repair/hitting_set.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

#ifdef HEDDLE_TEST_Z3
#include <z3.h>
#endif

enum { ELEMENTS_MAX = 60, SETS_MAX = 40 };

typedef struct instance {
  uint32_t element_count, costs[ELEMENTS_MAX];
  uint32_t set_count, excluded_count;
  uint32_t conditional_count;
  uint64_t sets[SETS_MAX], excluded[SETS_MAX]; /* bitsets */
  uint64_t premises[SETS_MAX], conditional[SETS_MAX];
} instance;

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static uint64_t random_set(uint64_t *seed, uint32_t elements, uint32_t size_max) {
  uint64_t set = 0;
  uint32_t size = 1 + (uint32_t)(next_random(seed) % size_max);
  for (uint32_t i = 0; i < size; i++) {
    set |= (uint64_t)1 << (next_random(seed) % elements);
  }
  return set;
}

static void make_random(uint64_t *seed, uint32_t elements, uint32_t sets, uint32_t excluded, instance *out) {
  *out = (instance){.element_count = elements, .set_count = sets, .excluded_count = excluded};
  uint32_t cost_max = next_random(seed) % 2 == 0 ? 1 : 5;
  for (uint32_t e = 0; e < elements; e++) {
    out->costs[e] = 1 + (uint32_t)(next_random(seed) % cost_max);
  }
  for (uint32_t i = 0; i < sets; i++) {
    out->sets[i] = random_set(seed, elements, 4);
  }
  for (uint32_t i = 0; i < excluded; i++) {
    out->excluded[i] = random_set(seed, elements, 3);
  }
  out->conditional_count = excluded != 0 ? sets / 2 : 0;
  for (uint32_t i = 0; i < out->conditional_count; i++) {
    out->premises[i] = random_set(seed, elements, 2);
    out->conditional[i] = random_set(seed, elements, 3);
  }
}

static size_t list(uint64_t set, uint32_t *elements) {
  size_t count = 0;
  for (uint32_t e = 0; e < 64; e++) {
    if ((set >> e & 1) != 0) {
      elements[count++] = e;
    }
  }
  return count;
}

static hd_status build(const instance *from, hd_hitting_set **out) {
  uint32_t elements[64];
  hd_hitting_set *problem = hd_hitting_set_new(from->costs, from->element_count);
  hd_status status = problem == NULL ? HD_E_NOMEM : HD_OK;
  for (uint32_t i = 0; i < from->set_count && status == HD_OK; i++) {
    status = hd_hitting_set_require(problem, elements, list(from->sets[i], elements));
  }
  for (uint32_t i = 0; i < from->excluded_count && status == HD_OK; i++) {
    status = hd_hitting_set_exclude(problem, elements, list(from->excluded[i], elements));
  }
  for (uint32_t i = 0; i < from->conditional_count && status == HD_OK; i++) {
    uint32_t premise[64];
    size_t premise_count = list(from->premises[i], premise);
    status =
        hd_hitting_set_require_with(problem, premise, premise_count, elements, list(from->conditional[i], elements));
  }
  *out = problem;
  return status;
}

static bool allowed(const instance *of, uint64_t choice) {
  for (uint32_t i = 0; i < of->set_count; i++) {
    if ((of->sets[i] & choice) == 0) {
      return false;
    }
  }
  for (uint32_t i = 0; i < of->excluded_count; i++) {
    if (of->excluded[i] == choice) {
      return false;
    }
  }
  for (uint32_t i = 0; i < of->conditional_count; i++) {
    if ((of->premises[i] & ~choice) == 0 && (of->conditional[i] & choice) == 0) {
      return false;
    }
  }
  return true;
}

static uint64_t cost_of(const instance *of, uint64_t choice) {
  uint64_t cost = 0;
  for (uint32_t e = 0; e < of->element_count; e++) {
    cost += (choice >> e & 1) != 0 ? of->costs[e] : 0;
  }
  return cost;
}

static uint64_t as_bits(const hd_hitting_choice *choice) {
  uint64_t set = 0;
  for (uint32_t i = 0; i < choice->count; i++) {
    cr_assert(i == 0 || choice->elements[i - 1] < choice->elements[i]);
    set |= (uint64_t)1 << choice->elements[i];
  }
  return set;
}

/* Every subset: the least cost, and how many have it. */
static uint64_t least_cost(const instance *of, size_t *count) {
  uint64_t best = UINT64_MAX;
  *count = 0;
  for (uint64_t choice = 0; choice < (uint64_t)1 << of->element_count; choice++) {
    if (!allowed(of, choice)) {
      continue;
    }
    uint64_t cost = cost_of(of, choice);
    *count = cost < best ? 1 : cost == best ? *count + 1 : *count;
    best = cost < best ? cost : best;
  }
  return best;
}

Test(hitting_set, agrees_with_all_subsets) {
  uint64_t seed = 12345;
  for (int i = 0; i < HD_TEST_COUNT(600); i++) {
    instance in;
    make_random(&seed, 1 + (uint32_t)(next_random(&seed) % 11), (uint32_t)(next_random(&seed) % 12),
                i % 3 == 0 ? (uint32_t)(next_random(&seed) % 12) : 0, &in);
    size_t expected_count = 0;
    uint64_t expected = least_cost(&in, &expected_count);
    hd_hitting_set *problem = NULL;
    cr_assert_eq(build(&in, &problem), HD_OK);
    hd_hitting_answer answer;
    cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = SIZE_MAX}, &answer), HD_OK);
    cr_assert(answer.optimal && answer.all && answer.end == HD_OK);
    cr_assert_eq(answer.cost, expected);
    cr_assert_eq(answer.lower_bound, expected);
    cr_assert_eq(answer.choice_count, expected_count, "%zu of %zu choices", answer.choice_count, expected_count);
    for (size_t c = 0; c < answer.choice_count; c++) {
      uint64_t choice = as_bits(&answer.choices[c]);
      cr_assert(allowed(&in, choice) && cost_of(&in, choice) == expected);
      cr_assert(c == 0 || choice != as_bits(&answer.choices[c - 1]));
    }
    hd_hitting_answer_clear(&answer);
    hd_hitting_set_free(problem);
  }
}

static hd_hitting_set *of_sets(uint32_t elements, const uint32_t *costs, size_t count, const uint32_t (*pairs)[2]) {
  hd_hitting_set *problem = hd_hitting_set_new(costs, elements);
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(hd_hitting_set_require(problem, pairs[i], 2), HD_OK);
  }
  return problem;
}

Test(hitting_set, nothing_to_hit_and_nothing_to_hit_with) {
  hd_hitting_set *problem = hd_hitting_set_new(NULL, 0);
  hd_hitting_answer answer;
  cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = 9}, &answer), HD_OK);
  cr_assert(answer.choice_count == 1 && answer.choices[0].count == 0 && answer.cost == 0 && answer.all);
  hd_hitting_answer_clear(&answer);
  cr_assert_eq(hd_hitting_set_require(problem, NULL, 0), HD_OK);
  cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = 9}, &answer), HD_OK);
  cr_assert(answer.choice_count == 0 && answer.optimal && answer.cost == UINT64_MAX);
  hd_hitting_answer_clear(&answer);
  hd_hitting_set_free(problem);
}

Test(hitting_set, an_excluded_choice_may_grow) {
  const uint32_t costs[] = {1, 2, 5}, pairs[][2] = {{0, 0}};
  hd_hitting_set *problem = of_sets(3, costs, 1, pairs);
  hd_hitting_answer answer;
  cr_assert_eq(hd_hitting_set_exclude(problem, (uint32_t[]){0}, 1), HD_OK);
  cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = 9}, &answer), HD_OK);
  cr_assert(answer.choice_count == 1 && answer.cost == 3 && as_bits(&answer.choices[0]) == 3);
  hd_hitting_answer_clear(&answer);
  cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = 9, .cost_max = 2}, &answer), HD_OK);
  cr_assert(answer.choice_count == 0 && answer.optimal && answer.lower_bound == 3);
  hd_hitting_answer_clear(&answer);
  hd_hitting_set_free(problem);
}

Test(hitting_set, lists_in_order_and_says_when_not_all) {
  const uint32_t costs[] = {1, 1, 1, 1}, pairs[][2] = {{3, 0}, {2, 1}};
  hd_hitting_set *problem = of_sets(4, costs, 2, pairs);
  hd_hitting_answer answer;
  cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = 4}, &answer), HD_OK);
  cr_assert(answer.choice_count == 4 && answer.all);
  const uint64_t expected[] = {3, 5, 10, 12};
  for (size_t i = 0; i < 4; i++) {
    cr_assert_eq(as_bits(&answer.choices[i]), expected[i]);
  }
  hd_hitting_answer_clear(&answer);
  cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = 3}, &answer), HD_OK);
  cr_assert(answer.choice_count == 3 && !answer.all && answer.optimal);
  hd_hitting_answer_clear(&answer);
  hd_hitting_set_free(problem);
}

Test(hitting_set, limits_are_honest) {
  uint64_t seed = 99;
  instance in;
  make_random(&seed, 60, 40, 0, &in);
  hd_hitting_set *problem = NULL;
  cr_assert_eq(build(&in, &problem), HD_OK);
  hd_hitting_answer full, cut;
  cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = 1}, &full), HD_OK);
  cr_assert(full.optimal && full.choice_count == 1);
  for (uint64_t nodes = 1; nodes < 200; nodes += 9) {
    hd_hitting_limits limits = {.choices_max = 1, .nodes_max = nodes};
    cr_assert_eq(hd_hitting_set_solve(problem, &limits, &cut), HD_OK);
    cr_assert(cut.optimal || cut.end == HD_E_LIMIT);
    cr_assert(cut.lower_bound <= full.cost && cut.cost >= full.cost);
    cr_assert(cut.choice_count == 0 || (allowed(&in, as_bits(&cut.choices[0])) && cut.cost < UINT64_MAX));
    hd_hitting_answer_clear(&cut);
  }
  hd_atomic_u32 cancel;
  hd_store_rlx(&cancel, 1u);
  cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = 1, .cancel = &cancel}, &cut), HD_OK);
  cr_assert(cut.end == HD_E_CANCELLED && !cut.optimal && cut.choice_count == 0);
  hd_hitting_answer_clear(&cut);
  hd_hitting_limits late = {.choices_max = 1, .deadline_seconds = 1e-9};
  cr_assert_eq(hd_hitting_set_solve(problem, &late, &cut), HD_OK);
  cr_assert(cut.end == HD_E_LIMIT && !cut.optimal);
  hd_hitting_answer_clear(&cut);
  hd_hitting_answer_clear(&full);
  hd_hitting_set_free(problem);
}

static hd_status attempt(uint64_t failing, uint64_t *asked) {
  uint64_t seed = 7;
  instance in;
  make_random(&seed, 12, 9, 3, &in);
  hd_fail_alloc_after(failing, false);
  hd_hitting_set *problem = NULL;
  hd_status status = build(&in, &problem);
  hd_hitting_answer answer = {0};
  if (status == HD_OK) {
    status = hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = 100}, &answer);
    hd_hitting_answer_clear(&answer);
  }
  hd_hitting_set_free(problem);
  *asked = hd_fail_alloc_stop();
  return status;
}

/* What branching lists and what a formula lists is the same: the limit of nodes decides which one it is. */
Test(hitting_set, a_problem_that_is_handed_over_has_the_same_answer) {
  uint64_t seed = 31;
  uint32_t handed_over = 0;
  for (int i = 0; i < HD_TEST_COUNT(60); i++) {
    instance in;
    make_random(&seed, 60, 40, i % 2 == 0 ? 6 : 0, &in);
    hd_hitting_set *problem = NULL;
    cr_assert_eq(build(&in, &problem), HD_OK);
    hd_hitting_answer answer, branched;
    cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = SIZE_MAX}, &answer), HD_OK);
    cr_assert(answer.optimal && answer.all && answer.end == HD_OK && answer.lower_bound == answer.cost);
    for (size_t c = 0; c < answer.choice_count; c++) {
      cr_assert(allowed(&in, as_bits(&answer.choices[c])) && cost_of(&in, as_bits(&answer.choices[c])) == answer.cost);
    }
    /* at most as many nodes as branching has in any case */
    hd_hitting_limits few = {.choices_max = SIZE_MAX, .nodes_max = 1024};
    cr_assert_eq(hd_hitting_set_solve(problem, &few, &branched), HD_OK);
    handed_over += branched.end == HD_E_LIMIT;
    cr_assert(branched.lower_bound <= answer.cost && branched.cost >= answer.cost);
    cr_assert((branched.end == HD_E_LIMIT) == (answer.nodes > 1024), "%d nodes", (int)answer.nodes);
    cr_assert(branched.end != HD_OK || branched.choice_count == answer.choice_count);
    hd_hitting_answer_clear(&branched);
    /* without the first one: the others, if there are any */
    uint64_t first = as_bits(&answer.choices[0]);
    cr_assert_eq(hd_hitting_set_exclude(problem, answer.choices[0].elements, answer.choices[0].count), HD_OK);
    cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = SIZE_MAX}, &branched), HD_OK);
    cr_assert(branched.all && branched.choice_count != 0 && as_bits(&branched.choices[0]) != first);
    cr_assert(answer.choice_count == 1
                  ? branched.cost > answer.cost
                  : branched.cost == answer.cost && branched.choice_count == answer.choice_count - 1 &&
                        as_bits(&branched.choices[0]) == as_bits(&answer.choices[1]));
    hd_hitting_answer_clear(&branched);
    hd_hitting_answer_clear(&answer);
    hd_hitting_set_free(problem);
  }
  cr_assert(handed_over > 0, "%d", (int)handed_over);
}

Test(hitting_set, out_of_memory) {
  hd_fail_alloc_exhaust(attempt);
}

#ifdef HEDDLE_TEST_Z3
/* The least cost by libz3's optimiser: one Boolean an element, a clause a set, a soft clause `not e` of weight cost. */
static uint64_t z3_least_cost(const instance *of) {
  Z3_config config = Z3_mk_config();
  Z3_context z3 = Z3_mk_context(config);
  Z3_optimize optimize = Z3_mk_optimize(z3);
  Z3_optimize_inc_ref(z3, optimize);
  Z3_ast element[ELEMENTS_MAX];
  Z3_symbol goal = Z3_mk_string_symbol(z3, "cost");
  for (uint32_t e = 0; e < of->element_count; e++) {
    element[e] = Z3_mk_const(z3, Z3_mk_int_symbol(z3, (int)e), Z3_mk_bool_sort(z3));
    char weight[16];
    snprintf(weight, sizeof weight, "%u", of->costs[e]);
    Z3_optimize_assert_soft(z3, optimize, Z3_mk_not(z3, element[e]), weight, goal);
  }
  for (uint32_t i = 0; i < of->set_count; i++) {
    uint32_t elements[64];
    Z3_ast clause[64];
    size_t count = list(of->sets[i], elements);
    for (size_t k = 0; k < count; k++) {
      clause[k] = element[elements[k]];
    }
    Z3_optimize_assert(z3, optimize, Z3_mk_or(z3, (unsigned)count, clause));
  }
  for (uint32_t i = 0; i < of->excluded_count; i++) {
    Z3_ast clause[64];
    for (uint32_t e = 0; e < of->element_count; e++) {
      clause[e] = (of->excluded[i] >> e & 1) != 0 ? Z3_mk_not(z3, element[e]) : element[e];
    }
    Z3_optimize_assert(z3, optimize, Z3_mk_or(z3, of->element_count, clause));
  }
  for (uint32_t i = 0; i < of->conditional_count; i++) {
    Z3_ast clause[128];
    uint32_t elements[64];
    unsigned length = 0;
    size_t count = list(of->premises[i], elements);
    for (size_t k = 0; k < count; k++) {
      clause[length++] = Z3_mk_not(z3, element[elements[k]]);
    }
    count = list(of->conditional[i], elements);
    for (size_t k = 0; k < count; k++) {
      clause[length++] = element[elements[k]];
    }
    Z3_optimize_assert(z3, optimize, Z3_mk_or(z3, length, clause));
  }
  uint64_t cost = UINT64_MAX;
  if (Z3_optimize_check(z3, optimize, 0, NULL) == Z3_L_TRUE) {
    cost = 0;
    Z3_model model = Z3_optimize_get_model(z3, optimize);
    Z3_model_inc_ref(z3, model);
    for (uint32_t e = 0; e < of->element_count; e++) {
      Z3_ast value = NULL;
      cr_assert(Z3_model_eval(z3, model, element[e], true, &value));
      cost += Z3_get_bool_value(z3, value) == Z3_L_TRUE ? of->costs[e] : 0;
    }
    Z3_model_dec_ref(z3, model);
  }
  Z3_optimize_dec_ref(z3, optimize);
  Z3_del_context(z3);
  Z3_del_config(config);
  return cost;
}

Test(hitting_set, agrees_with_z3) {
  uint64_t seed = 4711;
  for (int i = 0; i < HD_TEST_COUNT(60); i++) {
    instance in;
    bool hard = i % 4 == 3; /* too many nodes: handed over to a formula */
    make_random(&seed, hard ? 60 : 10 + (uint32_t)(next_random(&seed) % 40),
                hard ? 40 : 5 + (uint32_t)(next_random(&seed) % 25), i % 3 == 0 ? 5 : 0, &in);
    hd_hitting_set *problem = NULL;
    cr_assert_eq(build(&in, &problem), HD_OK);
    hd_hitting_answer answer;
    cr_assert_eq(hd_hitting_set_solve(problem, &(hd_hitting_limits){.choices_max = 1}, &answer), HD_OK);
    cr_assert(answer.optimal);
    cr_assert_eq(answer.cost, z3_least_cost(&in));
    hd_hitting_answer_clear(&answer);
    hd_hitting_set_free(problem);
  }
}
#endif
