/* heddle-solver-bench: the solvers of core/repair against libz3's Optimize, on seeded random instances.
 *
 *   sets     n elements of cost 1 to 5 and 3n/2 sets of two to five of them: hitting_set.h, formula.h, z3
 *   clauses  n variables of cost 0 to 9 and 5n/2 clauses of two or three literals, a third of them negated: formula.h,
 * z3 orders   n statements that may change places: a variable of cost 1 to 3 for each pair, transitivity, and n
 *            combinations of pairs of which one must change, as repairs by reordering ask: formula.h, z3
 *
 * Each round is another instance, given to every solver in turn, from an empty problem to the proved least cost; one
 * choice is asked for. Solvers that disagree about the cost end the program. Prints CSV. Without libz3 at build time
 * its rows are missing. Exit codes: 0, 1 the costs differ, 2 command line, 4 memory.
 *
 * usage: heddle-solver-bench [--rounds N] [--quick] [--seconds-max N] [--family NAME] */
#include "core/base/machine.h"
#include "core/base/option_parse.h"
#include "core/repair/formula.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HEDDLE_BENCH_Z3
#include <z3.h>
#endif

#define HD_ARRAY_NAME literals
#define HD_ARRAY_TYPE hd_literal
#include "core/base/array.h"

typedef struct problem {
  uint32_t count, choice_count; /* variables in all; the first ones have a cost and make up the choice */
  uint32_t *costs;
  literals all; /* of all clauses, one after another */
  struct {
    size_t *data; /* where each clause ends in `all` */
    size_t count, capacity;
  } ends;
  bool sets; /* no literal is negated */
} problem;

typedef struct outcome {
  double seconds;
  uint64_t cost; /* UINT64_MAX: none */
  bool proved;
} outcome;

static void out_of_memory(void) {
  fputs("heddle-solver-bench: out of memory\n", stderr);
  exit(4);
}

static uint32_t draw(uint64_t *seed, uint32_t below) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33) % below;
}

static void problem_clear(problem *p) {
  free(p->costs);
  free(p->ends.data);
  literals_free(&p->all);
  *p = (problem){0};
}

static void start(problem *p, uint32_t choice_count, uint32_t cost_min, uint32_t cost_max, uint64_t *seed) {
  *p = (problem){.count = choice_count, .choice_count = choice_count};
  p->costs = malloc(((size_t)choice_count + 1) * sizeof *p->costs);
  if (p->costs == NULL) {
    out_of_memory();
  }
  for (uint32_t v = 0; v < choice_count; v++) {
    p->costs[v] = cost_min + draw(seed, cost_max - cost_min + 1);
  }
}

static void add_literal(problem *p, uint32_t variable, bool negated) {
  if (literals_push(&p->all, (hd_literal){variable, negated}) != HD_OK) {
    out_of_memory();
  }
}

static void end_clause(problem *p) {
  if (p->ends.count == p->ends.capacity) {
    size_t larger = p->ends.capacity == 0 ? 64 : p->ends.capacity * 2;
    size_t *data = realloc(p->ends.data, larger * sizeof *data);
    if (data == NULL) {
      out_of_memory();
    }
    p->ends.data = data;
    p->ends.capacity = larger;
  }
  p->ends.data[p->ends.count++] = p->all.count;
}

/* ---- the families ---- */

static void make_sets(problem *p, uint32_t n, uint64_t seed) {
  start(p, n, 1, 5, &seed);
  p->sets = true;
  for (uint32_t i = 0; i < n + n / 2; i++) {
    uint32_t size = 2 + draw(&seed, 4);
    for (uint32_t k = 0; k < size; k++) {
      add_literal(p, draw(&seed, n), false);
    }
    end_clause(p);
  }
}

static void make_clauses(problem *p, uint32_t n, uint64_t seed) {
  start(p, n, 0, 9, &seed);
  for (uint32_t i = 0; i < n + n / 2; i++) {
    uint32_t size = 2 + draw(&seed, 2);
    for (uint32_t k = 0; k < size; k++) {
      add_literal(p, draw(&seed, n), draw(&seed, 3) == 0);
    }
    end_clause(p);
  }
}

/* Statement a stands before b > a unless the pair's variable is true. */
static uint32_t pair_of(uint32_t n, uint32_t a, uint32_t b) {
  return a * n - a * (a + 1) / 2 + (b - a - 1);
}

/* Appends "a is before b", or its contrary. */
static void add_order(problem *p, uint32_t n, uint32_t a, uint32_t b, bool before) {
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  add_literal(p, pair_of(n, low, high), (a < b) == before);
}

static void make_orders(problem *p, uint32_t n, uint64_t seed) {
  start(p, n * (n - 1) / 2, 1, 3, &seed);
  for (uint32_t i = 0; i < n * n * n; i++) {
    uint32_t a = i / (n * n), b = i / n % n, c = i % n;
    if (a != b && b != c && a != c) {
      add_order(p, n, a, b, false);
      add_order(p, n, b, c, false);
      add_order(p, n, a, c, true);
      end_clause(p);
    }
  }
  for (uint32_t lesson = 0; lesson < n; lesson++) { /* one of three combinations of two pairs that change places */
    uint32_t first = p->count;
    p->count += 3;
    for (uint32_t way = first; way < p->count; way++) {
      for (uint32_t k = 0; k < 2; k++) {
        uint32_t a = draw(&seed, n), b = (a + 1 + draw(&seed, n - 1)) % n;
        add_literal(p, way, true);
        add_order(p, n, a > b ? a : b, a > b ? b : a, true);
        end_clause(p);
      }
    }
    for (uint32_t way = first; way < p->count; way++) {
      add_literal(p, way, false);
    }
    end_clause(p);
  }
}

/* ---- the solvers ---- */

static outcome taken_from(hd_status status, hd_hitting_answer *answer, double begin) {
  outcome out = {hd_machine_seconds() - begin, answer->cost, answer->optimal};
  if (status != HD_OK) {
    out_of_memory();
  }
  hd_hitting_answer_clear(answer);
  return out;
}

static outcome by_formula(const problem *p, double seconds_max) {
  double begin = hd_machine_seconds();
  hd_formula *formula = hd_formula_new(p->costs, p->choice_count);
  hd_status status = formula == NULL ? HD_E_NOMEM : HD_OK;
  for (uint32_t v = p->choice_count; v < p->count && status == HD_OK; v++) {
    uint32_t variable = 0;
    status = hd_formula_variable(formula, &variable);
  }
  for (size_t c = 0, from = 0; c < p->ends.count && status == HD_OK; from = p->ends.data[c++]) {
    status = hd_formula_clause(formula, p->all.data + from, p->ends.data[c] - from);
  }
  hd_hitting_answer answer = {0};
  hd_hitting_limits limits = {.choices_max = 1, .deadline_seconds = begin + seconds_max};
  if (status == HD_OK) {
    status = hd_formula_solve(formula, &limits, &answer);
  }
  hd_formula_free(formula);
  return taken_from(status, &answer, begin);
}

static outcome by_hitting_set(const problem *p, double seconds_max) {
  double begin = hd_machine_seconds();
  hd_hitting_set *sets = hd_hitting_set_new(p->costs, p->choice_count);
  hd_status status = sets == NULL ? HD_E_NOMEM : HD_OK;
  for (size_t c = 0, from = 0; c < p->ends.count && status == HD_OK; from = p->ends.data[c++]) {
    uint32_t elements[8];
    size_t count = 0;
    for (size_t i = from; i < p->ends.data[c]; i++) {
      elements[count++] = p->all.data[i].variable;
    }
    status = hd_hitting_set_require(sets, elements, count);
  }
  hd_hitting_answer answer = {0};
  hd_hitting_limits limits = {.choices_max = 1, .deadline_seconds = begin + seconds_max};
  if (status == HD_OK) {
    status = hd_hitting_set_solve(sets, &limits, &answer);
  }
  hd_hitting_set_free(sets);
  return taken_from(status, &answer, begin);
}

#ifdef HEDDLE_BENCH_Z3
/* The clauses, and a soft constraint `not v` of weight costs[v] for each variable with a cost. */
static void state_for_z3(const problem *p, Z3_context z3, Z3_optimize optimize, Z3_ast *variables) {
  Z3_symbol goal = Z3_mk_string_symbol(z3, "cost");
  for (uint32_t v = 0; v < p->count; v++) {
    variables[v] = Z3_mk_const(z3, Z3_mk_int_symbol(z3, (int)v), Z3_mk_bool_sort(z3));
    if (v < p->choice_count && p->costs[v] != 0) {
      char weight[16];
      (void)snprintf(weight, sizeof weight, "%" PRIu32, p->costs[v]);
      Z3_optimize_assert_soft(z3, optimize, Z3_mk_not(z3, variables[v]), weight, goal);
    }
  }
  Z3_ast *clause = calloc(p->all.count + 1, sizeof(Z3_ast));
  if (clause == NULL) {
    out_of_memory();
  }
  for (size_t c = 0, from = 0; c < p->ends.count; from = p->ends.data[c++]) {
    unsigned length = 0;
    for (size_t i = from; i < p->ends.data[c]; i++) {
      hd_literal literal = p->all.data[i];
      clause[length++] = literal.negated ? Z3_mk_not(z3, variables[literal.variable]) : variables[literal.variable];
    }
    Z3_optimize_assert(z3, optimize, Z3_mk_or(z3, length, clause));
  }
  free(clause);
}

static uint64_t cost_in_model(const problem *p, Z3_context z3, Z3_optimize optimize, const Z3_ast *variables) {
  uint64_t cost = 0;
  Z3_model model = Z3_optimize_get_model(z3, optimize);
  Z3_model_inc_ref(z3, model);
  for (uint32_t v = 0; v < p->choice_count; v++) {
    Z3_ast value = NULL;
    bool known = Z3_model_eval(z3, model, variables[v], true, &value);
    cost += known && Z3_get_bool_value(z3, value) == Z3_L_TRUE ? p->costs[v] : 0;
  }
  Z3_model_dec_ref(z3, model);
  return cost;
}

static Z3_context context; /* one for the whole run: to make it takes longer than most instances do */

static outcome by_z3(const problem *p, double seconds_max) {
  Z3_context z3 = context;
  double begin = hd_machine_seconds();
  Z3_optimize optimize = Z3_mk_optimize(z3);
  Z3_optimize_inc_ref(z3, optimize);
  Z3_params params = Z3_mk_params(z3);
  Z3_params_inc_ref(z3, params);
  Z3_params_set_uint(z3, params, Z3_mk_string_symbol(z3, "timeout"), (unsigned)(seconds_max * 1000));
  Z3_optimize_set_params(z3, optimize, params);
  Z3_ast *variables = calloc((size_t)p->count + 1, sizeof(Z3_ast));
  if (variables == NULL) {
    out_of_memory();
  }
  state_for_z3(p, z3, optimize, variables);
  Z3_lbool result = Z3_optimize_check(z3, optimize, 0, NULL);
  outcome out = {.cost = UINT64_MAX, .proved = result != Z3_L_UNDEF};
  if (result == Z3_L_TRUE) {
    out.cost = cost_in_model(p, z3, optimize, variables);
  }
  free(variables);
  Z3_params_dec_ref(z3, params);
  Z3_optimize_dec_ref(z3, optimize);
  out.seconds = hd_machine_seconds() - begin;
  return out;
}
#endif

/* ---- rounds ---- */

typedef struct family {
  const char *name;
  void (*make)(problem *out, uint32_t n, uint64_t seed);
  uint32_t sizes[5], quick[2];
} family;

typedef struct solver {
  const char *name;
  outcome (*solve)(const problem *p, double seconds_max);
  bool sets_only;
} solver;

static const family FAMILIES[] = {
    {"sets", make_sets, {10, 20, 40, 80, 160}, {10, 20}},
    {"clauses", make_clauses, {25, 50, 100, 200, 400}, {10, 20}},
    {"orders", make_orders, {4, 6, 8, 12, 16}, {4, 5}},
};

static const solver SOLVERS[] = {
    {"hitting-set", by_hitting_set, true},
    {"formula", by_formula, false},
#ifdef HEDDLE_BENCH_Z3
    {"z3", by_z3, false},
#endif
};

enum { FAMILY_COUNT = sizeof FAMILIES / sizeof FAMILIES[0], SOLVER_COUNT = sizeof SOLVERS / sizeof SOLVERS[0] };

/* Every solver on one instance, in an order that rotates; false: they disagree. */
static bool run_round(const family *kind, uint32_t n, uint32_t turn, double seconds_max) {
  problem p;
  kind->make(&p, n, 1000 * (uint64_t)n + turn);
  uint64_t cost = 0;
  bool known = false, agreed = true;
  for (uint32_t k = 0; k < SOLVER_COUNT; k++) {
    const solver *with = &SOLVERS[(k + turn) % SOLVER_COUNT];
    if (with->sets_only && !p.sets) {
      continue;
    }
    outcome out = with->solve(&p, seconds_max);
    printf("%s,%" PRIu32 ",%" PRIu32 ",%zu,%" PRIu32 ",%s,%.6f,%s,", kind->name, n, p.count, p.ends.count, turn,
           with->name, out.seconds, out.proved ? "yes" : "no");
    if (out.cost == UINT64_MAX) {
      puts("none");
    } else {
      printf("%" PRIu64 "\n", out.cost);
    }
    if (out.proved) {
      agreed = agreed && (!known || out.cost == cost);
      cost = out.cost;
      known = true;
    }
  }
  fflush(stdout);
  problem_clear(&p);
  return agreed;
}

static bool read_number(const char *text, uint32_t *value) {
  return hdi_parse_uint(text, value) == HDI_PARSED && *value >= 1 && *value <= 10000;
}

int main(int argc, char **argv) {
  uint32_t rounds = 5, seconds_max = 20;
  bool quick = false;
  const char *only = NULL; /* family */
  for (int i = 1; i < argc; i++) {
    bool has_value = i + 1 < argc;
    if (strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else if (has_value && ((strcmp(argv[i], "--rounds") == 0 && read_number(argv[i + 1], &rounds)) ||
                             (strcmp(argv[i], "--seconds-max") == 0 && read_number(argv[i + 1], &seconds_max)))) {
      i++;
    } else if (strcmp(argv[i], "--family") == 0 && has_value) {
      only = argv[++i];
    } else {
      fputs("usage: heddle-solver-bench [--rounds N] [--quick] [--seconds-max N] [--family NAME]\n", stderr);
      return 2;
    }
  }
#ifdef HEDDLE_BENCH_Z3
  Z3_config config = Z3_mk_config();
  context = Z3_mk_context(config);
  Z3_del_config(config);
#endif
  puts("family,size,variables,clauses,round,solver,seconds,proved,cost");
  for (uint32_t f = 0; f < FAMILY_COUNT; f++) {
    const family *kind = &FAMILIES[f];
    if (only != NULL && strcmp(only, kind->name) != 0) {
      continue;
    }
    for (uint32_t s = 0; s < (quick ? 2u : 5u); s++) {
      uint32_t n = quick ? kind->quick[s] : kind->sizes[s];
      for (uint32_t turn = 0; turn < rounds; turn++) {
        if (!run_round(kind, n, turn, seconds_max)) {
          fprintf(stderr, "heddle-solver-bench: %s %" PRIu32 ", round %" PRIu32 ": the costs differ\n", kind->name, n,
                  turn);
          return 1;
        }
      }
    }
  }
#ifdef HEDDLE_BENCH_Z3
  Z3_del_context(context);
#endif
  return 0;
}
