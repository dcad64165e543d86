/* Reduced searches: the same states without steps at the same levels, the same verdicts, the same result for every
 * number of threads; and small where they must be. */
#include "core/explore/explore.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"
#include "tests/unit/model/random_model.h"
#include "tests/unit/model/walk.h"

#include <stdio.h>

static hd_search search_of(const hd_model *model, hd_reduce reduction) {
  hd_search search = {.model = model, .reduction = reduction};
  hd_want_all_traces(&search);
  return search;
}

static void clear_pair(hd_outcome outcomes[2]) {
  hd_outcome_clear(&outcomes[0]);
  hd_outcome_clear(&outcomes[1]);
}

/* What every reduction keeps: all states without steps, and how far they are. */
static void check_stops(const hd_outcome *full, const hd_outcome *reduced, const char *what) {
  cr_assert_eq(full->end, HD_END_COMPLETE);
  cr_assert_eq(reduced->end, HD_END_COMPLETE);
  cr_assert_leq(reduced->states, full->states, "%s", what);
  cr_assert_leq(reduced->transitions, full->transitions, "%s", what);
  cr_assert_eq(reduced->stopped, full->stopped, "%s: %llu of %llu states without steps", what,
               (unsigned long long)reduced->stopped, (unsigned long long)full->stopped);
  const hd_found *a = &full->found[HD_SLOT_STOP(1)], *b = &reduced->found[HD_SLOT_STOP(1)];
  cr_assert_eq(a->count, b->count, "%s", what);
  cr_assert_eq(a->level, b->level, "%s", what);
  cr_assert_eq(b->shortest, b->count > 0);
  cr_assert_eq(b->trace_status, HD_OK);
  cr_assert_eq(a->trace == NULL, b->trace == NULL);
}

static void run_reduced(const hd_search *search, bool all_counts, hd_outcome *outcome) {
  if (all_counts) {
    hd_run_on_all_counts(search, outcome);
  } else {
    hd_run_search(search, 1, outcome);
  }
}

/* Searches for deadlocks; returns the number of states left. */
static uint64_t reduce_for_deadlocks(hd_model *model, bool all_counts, const char *what) {
  hd_outcome outcomes[2];
  hd_search full = search_of(model, HD_REDUCE_NOTHING), reduced = search_of(model, HD_REDUCE_FOR_DEADLOCKS);
  hd_run_search(&full, 2, &outcomes[0]);
  run_reduced(&reduced, all_counts, &outcomes[1]);
  check_stops(&outcomes[0], &outcomes[1], what);
  cr_assert(outcomes[1].reduction == HD_REDUCE_FOR_DEADLOCKS || outcomes[1].unreduced != NULL);
  uint64_t states = outcomes[1].states;
  clear_pair(outcomes);
  hd_model_free(model);
  return states;
}

/* Searches for faults and checks; returns the number of states left. */
static uint64_t reduce_for_checks(hd_model *model, bool all_counts, const char *what) {
  hd_outcome outcomes[2];
  hd_search full = search_of(model, HD_REDUCE_NOTHING), reduced = search_of(model, HD_REDUCE_FOR_CHECKS);
  hd_run_search(&full, 2, &outcomes[0]);
  run_reduced(&reduced, all_counts, &outcomes[1]);
  check_stops(&outcomes[0], &outcomes[1], what);
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    const hd_found *a = &outcomes[0].found[slot], *b = &outcomes[1].found[slot];
    cr_assert_eq(a->count > 0, b->count > 0, "%s: slot %u", what, slot);
    cr_assert_leq(a->level, b->level, "%s: slot %u", what, slot);
    cr_assert_eq(b->trace == NULL, b->count == 0, "%s: slot %u", what, slot);
    cr_assert(!b->shortest || a->level == b->level, "%s: slot %u", what, slot);
  }
  uint64_t states = outcomes[1].states;
  clear_pair(outcomes);
  hd_model_free(model);
  return states;
}

Test(reduction, families_for_deadlocks) {
  reduce_for_deadlocks(hd_model_ring(6, 1), true, "ring 6");
  reduce_for_deadlocks(hd_model_ring(6, 0), true, "ring 6, free receives");
  reduce_for_deadlocks(hd_model_pairs(6), true, "pairs 6");
  reduce_for_deadlocks(hd_model_star(6), true, "star 6");
  reduce_for_deadlocks(hd_model_pipeline(7), true, "pipeline 7");
  reduce_for_deadlocks(hd_model_counter(3, 2), true, "counter 3, 2");
  reduce_for_deadlocks(hd_model_dining(6), true, "dining 6");
  reduce_for_deadlocks(hd_model_rendezvous_dining(6), true, "rendezvous dining 6");
  reduce_for_deadlocks(hd_model_chain(50, 2), true, "chain 50");
  reduce_for_deadlocks(hd_model_fan(50), true, "fan 50");
}

Test(reduction, families_for_checks) {
  reduce_for_checks(hd_model_ring(6, 1), true, "ring 6");
  reduce_for_checks(hd_model_ring(6, 0), true, "ring 6, free receives");
  reduce_for_checks(hd_model_pairs(6), true, "pairs 6");
  reduce_for_checks(hd_model_star(6), true, "star 6");
  reduce_for_checks(hd_model_pipeline(7), true, "pipeline 7");
  reduce_for_checks(hd_model_counter(3, 2), true, "counter 3, 2");
  reduce_for_checks(hd_model_dining(6), true, "dining 6");
  reduce_for_checks(hd_model_rendezvous_dining(6), true, "rendezvous dining 6");
}

/* ---- random models whose processes have something of their own ---- */

enum { PROCESSES = 4, LOCS = 4, GLOBALS = 3, QUEUES = 3, EDGES = 7 };

typedef struct loose {
  hd_builder *b;
  uint64_t seed;
  hd_process processes[PROCESSES];
  hd_loc locs[PROCESSES][LOCS];
  hd_var locals[PROCESSES], globals[GLOBALS];
  hd_queue queues[QUEUES];
  hd_label labels[2];
} loose;

static uint32_t below(loose *s, uint32_t bound) {
  return draw_below(&s->seed, bound);
}

static hd_expr loose_guard(loose *s, uint32_t p) {
  switch (below(s, 12)) {
    case 0:
      return is(s->b, s->globals[below(s, GLOBALS)], below(s, 3));
    case 1:
      return is(s->b, s->locals[p], below(s, 3));
    case 2:
      return op2(s->b, HD_OP_LT, rd(s->b, s->locals[p]), rd(s->b, s->globals[below(s, GLOBALS)]));
    case 3:
      return op2(s->b, HD_OP_AND, is(s->b, s->locals[p], below(s, 3)), is(s->b, s->globals[below(s, GLOBALS)], 1));
    case 4: {
      uint32_t q = below(s, PROCESSES);
      return hd_build_at(s->b, 0, s->locs[q][below(s, LOCS)]);
    }
    case 5:
      return below(s, 2) == 0
                 ? op2(s->b, HD_OP_LE, hd_build_queue_length(s->b, s->queues[below(s, QUEUES)]), num(s->b, 1))
                 : hd_build_partner_ready(s->b, HD_SIDE_SEND, num(s->b, below(s, 2)));
    default:
      return HD_NO_EXPR;
  }
}

static hd_stmt loose_stmt(loose *s, uint32_t p) {
  hd_var var = below(s, 3) == 0 ? s->globals[below(s, GLOBALS)] : s->locals[p];
  switch (below(s, 10)) {
    case 0:
    case 1:
      return push(s->b, s->queues[below(s, QUEUES)], 1 + below(s, 2));
    case 2:
    case 3:
      return below(s, 2) == 0 ? (hd_stmt){.kind = HD_STMT_POP, .queue = s->queues[below(s, QUEUES)]}
                              : pop(s->b, s->queues[below(s, QUEUES)], 1 + below(s, 2));
    case 4: /* leaves the domain at 2 */
      return assign(var, op2(s->b, HD_OP_ADD, rd(s->b, var), num(s->b, 1)));
    case 5:
      return (hd_stmt){
          .kind = HD_STMT_CHECK, .code = below(s, 3), .a = is(s->b, s->globals[below(s, GLOBALS)], below(s, 3))};
    case 6:
      return assign(var, rd(s->b, s->globals[below(s, GLOBALS)]));
    default:
      return set(s->b, var, below(s, 3));
  }
}

static void loose_edge(loose *s, uint32_t p) {
  hd_edge_desc desc = {
      .from = s->locs[p][below(s, LOCS)], .to = s->locs[p][below(s, LOCS)], .weight = below(s, 4) != 0};
  hd_stmt stmt;
  if (below(s, 6) == 0) {
    desc.side = (hd_side)(1 + below(s, 2));
    desc.channel = below(s, 4) == 0 ? rd(s->b, s->locals[p]) : num(s->b, below(s, 2));
    desc.guard = below(s, 3) == 0 ? is(s->b, s->locals[p], 0) : HD_NO_EXPR;
    stmt = set(s->b, s->locals[p], below(s, 3));
    desc.stmt_count = below(s, 2);
  } else {
    desc.guard = loose_guard(s, p);
    stmt = loose_stmt(s, p);
    desc.stmt_count = below(s, 5) != 0;
  }
  desc.stmts = &stmt;
  desc.label = below(s, 6) == 0 ? s->labels[below(s, 2)] : HD_NO_LABEL;
  hd_build_edge(s->b, &desc);
}

static hd_model *loose_model(uint64_t seed) {
  loose s = {.b = hd_builder_new(), .seed = seed};
  for (uint32_t p = 0; p < PROCESSES; p++) {
    s.processes[p] = add_process(s.b, "p", 1, 1);
    s.locals[p] = add_local(s.b, s.processes[p], "l", 0, 2, 0);
    for (uint32_t l = 0; l < LOCS; l++) {
      s.locs[p][l] = add_loc(s.b, s.processes[p], 0);
    }
  }
  for (uint32_t i = 0; i < GLOBALS; i++) {
    s.globals[i] = add_var(s.b, "g", 0, 2, 0);
  }
  for (uint32_t i = 0; i < QUEUES; i++) {
    hd_queue_desc desc = {.name = "q", .capacity = 1 + below(&s, 3), .letters = 2, .owner = HD_NO_PROCESS};
    s.queues[i] = hd_build_queue(s.b, &desc);
  }
  s.labels[0] = hd_build_label(s.b, "a");
  s.labels[1] = hd_build_label(s.b, "b");
  if (below(&s, 3) == 0) {
    hd_monitor monitor = hd_build_monitor(s.b, "m", 2, 0, s.labels, 2);
    hd_build_monitor_arc(s.b, monitor, 0, s.labels[0], 1);
    hd_build_monitor_arc(s.b, monitor, 1, s.labels[1], 0);
  }
  for (uint32_t p = 0; p < PROCESSES; p++) {
    for (uint32_t e = 0; e < EDGES; e++) {
      loose_edge(&s, p);
    }
  }
  return finish(s.b);
}

/* Is the whole of it small enough to be looked at? */
static bool is_small(hd_model *model, uint64_t *states) {
  hd_search search = {.model = model, .threads = 2, .states_budget = 20000};
  hd_outcome outcome;
  cr_assert_eq(hd_explore(&search, &outcome), HD_OK);
  bool whole = outcome.end == HD_END_COMPLETE;
  *states = outcome.states;
  hd_outcome_clear(&outcome);
  hd_model_free(model);
  return whole;
}

Test(reduction, random_models) {
  uint64_t reduced = 0, states = 0;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    char what[32];
    (void)snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
    if (is_small(random_model(seed, seed % 3 == 0, seed % 5 == 0), &states)) {
      uint64_t left = reduce_for_deadlocks(random_model(seed, seed % 3 == 0, seed % 5 == 0), seed % 16 == 0, what);
      reduced += left < states;
      reduce_for_checks(random_model(seed, seed % 3 == 0, seed % 5 == 0), seed % 16 == 0, what);
    }
  }
  cr_assert_gt(reduced, 3u, "only %llu models had anything to leave out", (unsigned long long)reduced);
}

Test(reduction, loose_models) {
  uint64_t for_deadlocks = 0, for_checks = 0, all = 0, states = 0;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    char what[32];
    (void)snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
    if (is_small(loose_model(seed), &states)) {
      all += states;
      for_deadlocks += reduce_for_deadlocks(loose_model(seed), seed % 16 == 0, what);
      for_checks += reduce_for_checks(loose_model(seed), seed % 16 == 0, what);
    }
  }
  cr_assert_lt(for_deadlocks * 10, all * 9);
  cr_assert_lt(for_checks * 20, all * 19);
}

static uint64_t left(hd_model *model) {
  hd_search search = {.model = model, .threads = 2, .reduction = HD_REDUCE_FOR_DEADLOCKS};
  hd_outcome outcome;
  cr_assert_eq(hd_explore(&search, &outcome), HD_OK);
  cr_assert_eq(outcome.end, HD_END_COMPLETE);
  cr_assert_eq(outcome.reduction, HD_REDUCE_FOR_DEADLOCKS);
  uint64_t states = outcome.states;
  hd_outcome_clear(&outcome);
  hd_model_free(model);
  return states;
}

Test(reduction, is_small_where_nothing_interferes) {
  cr_assert_leq(left(hd_model_ring(11, 1)), 287u);  /* of 705,432 */
  cr_assert_leq(left(hd_model_pipeline(12)), 300u); /* of 8,388,608 */
  cr_assert_leq(left(hd_model_pairs(12)), 50u);     /* of 16,777,216 */
  left(hd_model_ring(20, 1));
  left(hd_model_pipeline(20));
  left(hd_model_dining(8));
  left(hd_model_star(8));
}

/* ---- models made to need one thing each ---- */

/* A writer fills q with 2, 1 and rests; `reader` takes the 2, `late` then the 1; `rival` may forbid it before. Only one
 * of two deadlocks is found by whoever forgets that taking the 2 lets `late` go on. */
static hd_model *two_readers(void) {
  hd_builder *b = hd_builder_new();
  hd_process p[4];
  hd_loc locs[4][3];
  for (uint32_t i = 0; i < 4; i++) {
    p[i] = add_process(b, "p", 1, 1);
    for (uint32_t l = 0; l < 3; l++) {
      locs[i][l] = add_loc(b, p[i], 0);
    }
  }
  hd_var g = add_var(b, "g", 0, 2, 0);
  hd_queue q = hd_build_queue(b, &(hd_queue_desc){.name = "q", .capacity = 2, .letters = 2, .owner = HD_NO_PROCESS});
  add_do(b, locs[0][0], locs[0][1], HD_NO_EXPR, push(b, q, 2));
  add_do(b, locs[0][1], locs[0][2], HD_NO_EXPR, push(b, q, 1));
  add_do(b, locs[1][0], locs[1][1], HD_NO_EXPR, pop(b, q, 2));
  hd_stmt late[2] = {pop(b, q, 1), set(b, g, 2)};
  add_edge(b, locs[2][0], locs[2][1], is(b, g, 0), late, 2);
  add_do(b, locs[3][0], locs[3][1], is(b, g, 0), set(b, g, 1));
  return finish(b);
}

Test(reduction, another_letter_at_the_head) {
  hd_search search = {.model = two_readers()};
  hd_outcome outcome;
  hd_run_search(&search, 1, &outcome);
  cr_assert_eq(outcome.stopped, 2u); /* who of late and rival was first */
  hd_outcome_clear(&outcome);
  hd_model_free((hd_model *)search.model);
  reduce_for_deadlocks(two_readers(), true, "two readers");
}

static const char *why_not(hd_model *model, hd_reduce reduction, const hd_filter *filter) {
  hd_search search = {.model = model, .threads = 1, .reduction = reduction, .filter = filter};
  hd_outcome outcome;
  cr_assert_eq(hd_explore(&search, &outcome), HD_OK);
  const char *words = outcome.unreduced;
  cr_assert_eq(outcome.reduction, words == NULL ? reduction : HD_REDUCE_NOTHING);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
  return words;
}

/* Two processes; the first is at a location with `flags` and its step needs `g`, which the second's step changes. */
static hd_model *flagged(uint32_t flags, bool shared) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1), q = add_process(b, "q", 1, 1);
  hd_var g = add_var(b, "g", 0, 1, 0), h = add_var(b, "h", 0, 1, 0);
  hd_loc p0 = add_loc(b, p, flags), p1 = add_loc(b, p, 0), q0 = add_loc(b, q, 0), q1 = add_loc(b, q, 0);
  add_do(b, p0, p1, is(b, g, 0), set(b, h, 1));
  add_do(b, q0, q1, HD_NO_EXPR, set(b, shared ? g : h, 1));
  return finish(b);
}

Test(reduction, what_is_not_covered_is_said) {
  cr_assert_null(why_not(flagged(0, true), HD_REDUCE_NOTHING, NULL));
  cr_assert_null(why_not(flagged(0, true), HD_REDUCE_FOR_DEADLOCKS, NULL));
  cr_assert_not_null(why_not(flagged(HD_LOC_EXCLUSIVE, true), HD_REDUCE_FOR_DEADLOCKS, NULL));
  cr_assert_not_null(why_not(flagged(HD_LOC_ATOMIC, true), HD_REDUCE_FOR_DEADLOCKS, NULL));
  cr_assert_not_null(why_not(flagged(HD_LOC_ATOMIC_WEAK, true), HD_REDUCE_FOR_DEADLOCKS, NULL));
  cr_assert_not_null(why_not(flagged(HD_LOC_EAGER, true), HD_REDUCE_FOR_DEADLOCKS, NULL));
  cr_assert_not_null(why_not(flagged(HD_LOC_EAGER, false), HD_REDUCE_FOR_DEADLOCKS, NULL), "h is written twice");
}
