/* Weighted minimum hitting sets by branch and bound.
 *
 *   sets   [ bitset | bitset | ... ]   element_count bits each; supersets of others are dropped before a search
 *   node   chosen, banned (bitsets); open = the sets that no chosen element hits; those with a premise join when all
 *          of it is chosen
 *
 * At a node the open set with the fewest elements that are not banned decides. For its free elements e1 < e2 < ... in
 * turn: choose ei with e1 .. e(i-1) banned, so that no choice is met twice; a set with one free element is thereby
 * forced, one with none is a dead end. A node is cut when the cost so far and a lower bound for the open sets pass the
 * best cost known: the bound adds the cheapest free element of each of a greedily chosen family of open sets that share
 * no free element.
 *
 * Two passes. The first looks for the least cost and cuts at >= best. There an element is banned when another one that
 * costs no more hits all open sets that it hits (dominance; of equals the smaller number stays), unless some choice is
 * excluded or some set has a premise, because these tell such elements apart. The second lists every choice of that
 * cost: no dominance, cuts at > best. A choice that hits everything and is excluded is extended by each free element in
 * turn, since larger choices are still allowed.
 *
 * Problems that take more than BRANCH_NODES_MAX nodes are handed over to a boolean formula (formula.h), which has the
 * same answers: beyond some 40 elements that all matter it is faster by orders of magnitude, below it is slower.
 *
 * Deterministic: the clock decides only when to give up. Threads: one problem, one thread at a time. Memory: the sets,
 * and for each level of the search two bitsets and a list of open sets.
 * @source the implicit hitting set method: Moreno-Centeno and Karp, The Implicit Hitting Set Approach to Solve
 * Combinatorial Optimization Problems, Operations Research 2013; reductions: Weihe, Covering Trains by Stations, 1998
 */
#include "core/repair/hitting_set.h"

#include "core/base/check.h"
#include "core/base/compiler.h"
#include "core/base/machine.h"
#include "core/repair/formula.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, CLOCK_NODES = 1024, BRANCH_NODES_MAX = 1024 };

typedef struct bitsets {
  uint64_t *words; /* count * width */
  size_t count, capacity;
} bitsets;

struct hd_hitting_set {
  uint32_t *costs;
  uint32_t element_count;
  size_t width; /* words of one bitset */
  bitsets required, excluded;
  bitsets conditional; /* premise and set in turn */
};

typedef struct search {
  const hd_hitting_set *problem;
  const hd_hitting_limits *limits;
  hd_hitting_answer *answer;
  const uint64_t *sets; /* required, without supersets of others; then premises and sets in turn */
  size_t set_count;     /* of the first kind */
  size_t all_count;     /* of all bitsets */
  uint64_t *chosen;     /* bitset of the node */
  uint64_t *found;      /* bitset of the best choice of the first pass */
  uint64_t best;        /* its cost; UINT64_MAX: none */
  bool listing;         /* the second pass */
  bool overflow;        /* there are more choices than choices_max */
  size_t choice_capacity;
  hd_status status;
} search;

static bool has(const uint64_t *set, uint32_t element) {
  return (set[element / WORD_BITS] >> (element % WORD_BITS) & 1) != 0;
}

static void put(uint64_t *set, uint32_t element) {
  set[element / WORD_BITS] |= (uint64_t)1 << (element % WORD_BITS);
}

static void take(uint64_t *set, uint32_t element) {
  set[element / WORD_BITS] &= ~((uint64_t)1 << (element % WORD_BITS));
}

static bool inside(const uint64_t *a, const uint64_t *b, size_t width) {
  for (size_t w = 0; w < width; w++) {
    if ((a[w] & ~b[w]) != 0) {
      return false;
    }
  }
  return true;
}

hd_hitting_set *hd_hitting_set_new(const uint32_t *costs, uint32_t element_count) {
  hd_hitting_set *problem = calloc(1, sizeof *problem);
  if (problem == NULL) {
    return NULL;
  }
  problem->costs = calloc(element_count == 0 ? 1 : element_count, sizeof *problem->costs);
  if (problem->costs == NULL) {
    free(problem);
    return NULL;
  }
  problem->element_count = element_count;
  problem->width = (size_t)element_count / WORD_BITS + 1;
  for (uint32_t e = 0; e < element_count; e++) {
    HD_REQUIRE(costs[e] >= 1);
    problem->costs[e] = costs[e];
  }
  return problem;
}

void hd_hitting_set_free(hd_hitting_set *problem) {
  if (problem != NULL) {
    free(problem->costs);
    free(problem->required.words);
    free(problem->excluded.words);
    free(problem->conditional.words);
    free(problem);
  }
}

static hd_status add_bitset(hd_hitting_set *problem, bitsets *sets, const uint32_t *elements, size_t count) {
  if (sets->count == sets->capacity) {
    size_t larger = sets->capacity == 0 ? 8 : sets->capacity * 2;
    uint64_t *words = realloc(sets->words, larger * problem->width * sizeof *words);
    if (words == NULL) {
      return HD_E_NOMEM;
    }
    sets->words = words;
    sets->capacity = larger;
  }
  uint64_t *set = sets->words + sets->count * problem->width;
  memset(set, 0, problem->width * sizeof *set);
  for (size_t i = 0; i < count; i++) {
    HD_REQUIRE(elements[i] < problem->element_count);
    put(set, elements[i]);
  }
  sets->count++;
  return HD_OK;
}

hd_status hd_hitting_set_require(hd_hitting_set *problem, const uint32_t *elements, size_t count) {
  return add_bitset(problem, &problem->required, elements, count);
}

hd_status hd_hitting_set_require_with(hd_hitting_set *problem, const uint32_t *premise, size_t premise_count,
                                      const uint32_t *elements, size_t count) {
  if (premise_count == 0) {
    return hd_hitting_set_require(problem, elements, count);
  }
  hd_status status = add_bitset(problem, &problem->conditional, premise, premise_count);
  if (status == HD_OK) {
    status = add_bitset(problem, &problem->conditional, elements, count);
    problem->conditional.count -= status == HD_OK ? 0 : 1;
  }
  return status;
}

hd_status hd_hitting_set_exclude(hd_hitting_set *problem, const uint32_t *elements, size_t count) {
  return add_bitset(problem, &problem->excluded, elements, count);
}

/* Counts a node and looks at the limits; false: the search is over. */
static bool may_go_on(search *s) {
  hd_hitting_answer *answer = s->answer;
  if (answer->end != HD_OK || s->status != HD_OK) {
    return false;
  }
  answer->nodes++;
  const hd_hitting_limits *limits = s->limits;
  if (limits->nodes_max != 0 && answer->nodes > limits->nodes_max) {
    answer->end = HD_E_LIMIT;
  } else if (answer->nodes % CLOCK_NODES == 1) {
    /* HD-SYNC S1: relaxed; pairs with none (the caller's store of the flag, of any order). Publishes: nothing; the flag
     * is the whole message. Why not weaker: it is written while it is read. Why not stronger: no data comes with it. */
    if (limits->cancel != NULL && hd_load_rlx(limits->cancel) != 0) {
      answer->end = HD_E_CANCELLED;
    } else if (limits->deadline_seconds > 0 && hd_machine_seconds() >= limits->deadline_seconds) {
      answer->end = HD_E_LIMIT;
    }
  }
  return answer->end == HD_OK;
}

static bool is_excluded(const search *s) {
  size_t width = s->problem->width;
  for (size_t x = 0; x < s->problem->excluded.count; x++) {
    if (memcmp(s->chosen, s->problem->excluded.words + x * width, width * sizeof(uint64_t)) == 0) {
      return true;
    }
  }
  return false;
}

static uint32_t *elements_of(const search *s, uint32_t *count) {
  *count = 0;
  for (uint32_t e = 0; e < s->problem->element_count; e++) {
    *count += has(s->chosen, e) ? 1u : 0u;
  }
  uint32_t *elements = calloc(*count == 0 ? 1 : *count, sizeof *elements);
  uint32_t at = 0;
  for (uint32_t e = 0; elements != NULL && e < s->problem->element_count; e++) {
    if (has(s->chosen, e)) {
      elements[at++] = e;
    }
  }
  return elements;
}

/* Keeps the chosen elements as one more choice. */
static void list_choice(search *s) {
  hd_hitting_answer *answer = s->answer;
  if (answer->choice_count == s->limits->choices_max) {
    s->overflow = true;
    return;
  }
  if (answer->choice_count == s->choice_capacity) {
    size_t larger = s->choice_capacity == 0 ? 4 : s->choice_capacity * 2;
    hd_hitting_choice *choices = realloc(answer->choices, larger * sizeof *choices);
    if (choices == NULL) {
      s->status = HD_E_NOMEM;
      return;
    }
    answer->choices = choices;
    s->choice_capacity = larger;
  }
  hd_hitting_choice choice = {0};
  choice.elements = elements_of(s, &choice.count);
  if (choice.elements == NULL) {
    s->status = HD_E_NOMEM;
    return;
  }
  answer->choices[answer->choice_count++] = choice;
}

/* Of the free elements of a set: their number, and the least cost (UINT64_MAX without any). */
static uint32_t free_elements(const search *s, const uint64_t *set, const uint64_t *banned, uint64_t *least) {
  uint32_t count = 0;
  *least = UINT64_MAX;
  for (size_t w = 0; w < s->problem->width; w++) {
    for (uint64_t left = set[w] & ~banned[w]; left != 0; left &= left - 1) {
      uint32_t cost = s->problem->costs[w * WORD_BITS + (size_t)HD_COUNT_TRAILING_ZEROS_64(left)];
      *least = cost < *least ? cost : *least;
      count++;
    }
  }
  return count;
}

/* Does some free element that costs no more hit all open sets that `element` hits, or does it hit none? */
static bool is_dominated(const search *s, uint32_t element, const size_t *open, size_t open_count,
                         const uint64_t *banned) {
  const hd_hitting_set *problem = s->problem;
  size_t first = 0;
  while (first < open_count && !has(s->sets + open[first] * problem->width, element)) {
    first++;
  }
  if (first == open_count) {
    return true;
  }
  for (uint32_t other = 0; other < problem->element_count; other++) {
    uint32_t cost = problem->costs[other], own = problem->costs[element];
    if (other == element || cost > own || (cost == own && other > element) || has(banned, other)) {
      continue;
    }
    bool dominates = true;
    for (size_t i = first; i < open_count && dominates; i++) {
      const uint64_t *set = s->sets + open[i] * problem->width;
      dominates = !has(set, element) || has(set, other);
    }
    if (dominates) {
      return true;
    }
  }
  return false;
}

/* A lower bound for hitting the open sets; UINT64_MAX when one of them cannot be hit any more. *decides is the one with
 * the fewest free elements, the first of equals. `used` is scratch. */
static uint64_t lower_bound(const search *s, const size_t *open, size_t open_count, const uint64_t *banned,
                            uint64_t *used, size_t *decides) {
  size_t width = s->problem->width;
  memset(used, 0, width * sizeof *used);
  uint64_t bound = 0;
  uint32_t fewest = UINT32_MAX;
  for (size_t i = 0; i < open_count; i++) {
    const uint64_t *set = s->sets + open[i] * width;
    uint64_t least = 0;
    uint32_t count = free_elements(s, set, banned, &least);
    if (count == 0) {
      return UINT64_MAX;
    }
    if (count < fewest) {
      fewest = count;
      *decides = open[i];
    }
    bool apart = true;
    for (size_t w = 0; w < width && apart; w++) {
      apart = (set[w] & ~banned[w] & used[w]) == 0;
    }
    for (size_t w = 0; w < width && apart; w++) {
      used[w] |= set[w] & ~banned[w];
    }
    bound += apart ? least : 0;
  }
  return bound;
}

static bool too_dear(const search *s, uint64_t cost) {
  uint64_t limit = s->limits->cost_max;
  return (limit != 0 && cost > limit) || (s->listing ? cost > s->best : cost >= s->best);
}

static void visit(search *s, uint64_t cost, const size_t *open, size_t open_count, const uint64_t *banned_before);

static bool is_hit(const search *s, const uint64_t *set) {
  for (size_t w = 0; w < s->problem->width; w++) {
    if ((set[w] & s->chosen[w]) != 0) {
      return true;
    }
  }
  return false;
}

/* Chooses `element` and goes on with the sets that it leaves open and those that it brings in, listed in `rest`. */
static void choose(search *s, uint64_t cost, uint32_t element, const size_t *open, size_t open_count,
                   const uint64_t *banned, size_t *rest) {
  size_t count = 0, width = s->problem->width;
  for (size_t i = 0; i < open_count; i++) {
    if (!has(s->sets + open[i] * width, element)) {
      rest[count++] = open[i];
    }
  }
  put(s->chosen, element);
  for (size_t i = s->set_count; i < s->all_count; i += 2) {
    const uint64_t *premise = s->sets + i * width;
    if (has(premise, element) && inside(premise, s->chosen, width) && !is_hit(s, premise + width)) {
      rest[count++] = i + 1;
    }
  }
  visit(s, cost + s->problem->costs[element], rest, count, banned);
  take(s->chosen, element);
}

/* Everything is hit: a choice, unless it is excluded; then larger ones. */
static void complete(search *s, uint64_t cost, uint64_t *banned, size_t *rest) {
  if (!is_excluded(s)) {
    if (!s->listing) {
      s->best = cost;
      memcpy(s->found, s->chosen, s->problem->width * sizeof *s->found);
    } else if (cost == s->best) {
      list_choice(s);
    }
    return;
  }
  for (uint32_t e = 0; e < s->problem->element_count; e++) {
    if (!has(s->chosen, e) && !has(banned, e) && !too_dear(s, cost + s->problem->costs[e])) {
      choose(s, cost, e, NULL, 0, banned, rest);
      put(banned, e);
    }
  }
}

/* Branches on the set that decides. `banned` is this node's own and followed by a bitset of scratch. */
static void branch(search *s, uint64_t cost, const size_t *open, size_t open_count, uint64_t *banned, size_t *rest) {
  const hd_hitting_set *problem = s->problem;
  if (!s->listing && problem->excluded.count == 0 && problem->conditional.count == 0) {
    for (uint32_t e = 0; e < problem->element_count; e++) {
      if (!has(banned, e) && !has(s->chosen, e) && is_dominated(s, e, open, open_count, banned)) {
        put(banned, e);
      }
    }
  }
  size_t decides = 0;
  uint64_t bound = lower_bound(s, open, open_count, banned, banned + problem->width, &decides);
  if (bound == UINT64_MAX || too_dear(s, cost + bound)) {
    return;
  }
  const uint64_t *set = s->sets + decides * problem->width;
  for (uint32_t e = 0; e < problem->element_count; e++) {
    if (has(set, e) && !has(banned, e)) {
      choose(s, cost, e, open, open_count, banned, rest);
      put(banned, e);
    }
  }
}

static void visit(search *s, uint64_t cost, const size_t *open, size_t open_count, const uint64_t *banned_before) {
  if (too_dear(s, cost) || !may_go_on(s)) {
    return;
  }
  size_t width = s->problem->width;
  uint64_t *banned = calloc(2 * width, sizeof *banned);
  size_t *rest = calloc(open_count + (s->all_count - s->set_count) / 2 + 1, sizeof *rest);
  if (banned == NULL || rest == NULL) {
    s->status = HD_E_NOMEM;
  } else {
    memcpy(banned, banned_before, width * sizeof *banned);
    if (open_count == 0) {
      complete(s, cost, banned, rest);
    } else {
      branch(s, cost, open, open_count, banned, rest);
    }
  }
  free(rest);
  free(banned);
}

/* The required sets without those that contain another one, then the conditional ones; owned by the caller.
 * O(sets^2 * width). */
static uint64_t *gather_sets(const hd_hitting_set *problem, size_t *count) {
  size_t width = problem->width;
  const bitsets *all = &problem->required, *more = &problem->conditional;
  uint64_t *sets = calloc((all->count + more->count + 1) * width, sizeof *sets);
  *count = 0;
  for (size_t i = 0; sets != NULL && i < all->count; i++) {
    const uint64_t *set = all->words + i * width;
    bool needed = true;
    for (size_t j = 0; j < all->count && needed; j++) {
      const uint64_t *other = all->words + j * width;
      bool superset = j != i && inside(other, set, width);
      needed = !superset || (i < j && inside(set, other, width)); /* of equals the first stays */
    }
    if (needed) {
      memcpy(sets + *count * width, set, width * sizeof *set);
      (*count)++;
    }
  }
  if (sets != NULL && more->count != 0) {
    memcpy(sets + *count * width, more->words, more->count * width * sizeof *sets);
  }
  return sets;
}

static int compare_choices(const void *a, const void *b) {
  const hd_hitting_choice *x = a, *y = b;
  for (uint32_t i = 0; i < x->count && i < y->count; i++) {
    if (x->elements[i] != y->elements[i]) {
      return x->elements[i] < y->elements[i] ? -1 : 1;
    }
  }
  return x->count < y->count ? -1 : x->count > y->count ? 1 : 0;
}

/* Both passes. `open` lists all sets; `banned` is an empty bitset. */
static void run_passes(search *s, const size_t *open, const uint64_t *banned) {
  hd_hitting_answer *answer = s->answer;
  visit(s, 0, open, s->set_count, banned);
  answer->cost = s->best;
  answer->optimal = answer->end == HD_OK;
  answer->all = answer->optimal && s->best == UINT64_MAX;
  if (answer->optimal) {
    bool limited = s->best == UINT64_MAX && s->limits->cost_max != 0;
    answer->lower_bound = limited ? s->limits->cost_max + 1 : s->best;
  }
  if (s->best == UINT64_MAX || s->status != HD_OK) {
    return;
  }
  if (answer->optimal) {
    s->listing = true;
    visit(s, 0, open, s->set_count, banned);
    answer->all = answer->end == HD_OK && !s->overflow;
  }
  if (answer->choice_count == 0 && s->status == HD_OK) { /* cut short: the best choice that was met */
    memcpy(s->chosen, s->found, s->problem->width * sizeof *s->found);
    list_choice(s);
  }
  if (answer->choice_count > 1) {
    qsort(answer->choices, answer->choice_count, sizeof *answer->choices, compare_choices);
  }
}

static hd_status solve_by_branching(const hd_hitting_set *problem, const hd_hitting_limits *limits,
                                    hd_hitting_answer *answer) {
  *answer = (hd_hitting_answer){.end = HD_OK};
  size_t set_count = 0, width = problem->width;
  uint64_t *sets = gather_sets(problem, &set_count);
  uint64_t *bits = calloc(3 * width, sizeof *bits);
  size_t *open = calloc(set_count == 0 ? 1 : set_count, sizeof *open);
  search s = {.problem = problem,
              .limits = limits,
              .answer = answer,
              .sets = sets,
              .set_count = set_count,
              .all_count = set_count + problem->conditional.count,
              .best = UINT64_MAX,
              .status = sets == NULL || bits == NULL || open == NULL ? HD_E_NOMEM : HD_OK};
  if (s.status == HD_OK) {
    s.chosen = bits;
    s.found = bits + width;
    for (size_t i = 0; i < set_count; i++) {
      open[i] = i;
    }
    size_t decides = 0;
    answer->lower_bound = lower_bound(&s, open, set_count, bits + 2 * width, s.found, &decides);
    run_passes(&s, open, bits + 2 * width);
  }
  free(open);
  free(bits);
  free(sets);
  if (s.status != HD_OK) {
    hd_hitting_answer_clear(answer);
  }
  return s.status;
}

/* ---- by a formula ---- */

/* Appends literals for the elements of a set. */
static void add_literals(const hd_hitting_set *problem, const uint64_t *set, bool negated, hd_literal *clause,
                         size_t *length) {
  for (uint32_t e = 0; e < problem->element_count; e++) {
    if (has(set, e)) {
      clause[(*length)++] = (hd_literal){e, negated};
    }
  }
}

/* The clauses: one of each set; with a premise, one of the set or not all of the premise; not exactly a choice. */
static hd_status state_clauses(const hd_hitting_set *problem, hd_formula *formula, hd_literal *clause) {
  size_t width = problem->width, length = 0;
  hd_status status = HD_OK;
  for (size_t i = 0; i < problem->required.count && status == HD_OK; i++, length = 0) {
    add_literals(problem, problem->required.words + i * width, false, clause, &length);
    status = hd_formula_clause(formula, clause, length);
  }
  for (size_t i = 0; i < problem->conditional.count && status == HD_OK; i += 2, length = 0) {
    add_literals(problem, problem->conditional.words + i * width, true, clause, &length);
    add_literals(problem, problem->conditional.words + (i + 1) * width, false, clause, &length);
    status = hd_formula_clause(formula, clause, length);
  }
  for (size_t i = 0; i < problem->excluded.count && status == HD_OK; i++) {
    const uint64_t *set = problem->excluded.words + i * width;
    for (uint32_t e = 0; e < problem->element_count; e++) {
      clause[e] = (hd_literal){e, has(set, e)};
    }
    status = hd_formula_clause(formula, clause, problem->element_count);
  }
  return status;
}

static hd_status solve_by_formula(const hd_hitting_set *problem, const hd_hitting_limits *limits,
                                  hd_hitting_answer *answer) {
  hd_literal *clause = calloc(2 * (size_t)problem->element_count + 1, sizeof *clause);
  hd_formula *formula = hd_formula_new(problem->costs, problem->element_count);
  hd_status status = clause == NULL || formula == NULL ? HD_E_NOMEM : state_clauses(problem, formula, clause);
  if (status == HD_OK) {
    status = hd_formula_solve(formula, limits, answer);
  }
  hd_formula_free(formula);
  free(clause);
  return status;
}

hd_status hd_hitting_set_solve(const hd_hitting_set *problem, const hd_hitting_limits *limits,
                               hd_hitting_answer *answer) {
  HD_REQUIRE(limits->choices_max >= 1);
  bool may_go_on = limits->nodes_max == 0 || limits->nodes_max > BRANCH_NODES_MAX;
  hd_hitting_limits now = *limits;
  now.nodes_max = may_go_on ? BRANCH_NODES_MAX : limits->nodes_max;
  hd_status status = solve_by_branching(problem, &now, answer);
  if (status != HD_OK || !may_go_on || answer->end != HD_E_LIMIT || answer->nodes <= BRANCH_NODES_MAX) {
    return status; /* decided, or ended by what would end the formula too */
  }
  uint64_t nodes = answer->nodes;
  hd_hitting_answer_clear(answer);
  now.nodes_max = limits->nodes_max == 0 ? 0 : limits->nodes_max - BRANCH_NODES_MAX;
  status = solve_by_formula(problem, &now, answer);
  answer->nodes += nodes;
  return status;
}

void hd_hitting_answer_clear(hd_hitting_answer *answer) {
  for (size_t i = 0; i < answer->choice_count; i++) {
    free(answer->choices[i].elements);
  }
  free(answer->choices);
  *answer = (hd_hitting_answer){.end = HD_OK};
}
