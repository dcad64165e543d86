/* Compound steps: what an atomic block may do inside, and what comes out of it. */
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

#include <string.h>

enum { KEPT_MAX = 64 };

typedef struct kept {
  hd_step step;
  bool has_next;
  uint64_t next[2];
  size_t inner_count;
  hd_inner inner[KEPT_MAX];
} kept;

typedef struct seen {
  const hd_model *model;
  const hd_stepper *stepper;
  size_t count, stop_after;
  kept steps[KEPT_MAX];
} seen;

static bool keep(void *payload, const uint64_t *next, const hd_step *step) {
  seen *s = payload;
  cr_assert(s->count < KEPT_MAX);
  kept *k = &s->steps[s->count++];
  memset(k, 0, sizeof *k);
  k->step = *step;
  k->has_next = next != NULL;
  if (next != NULL) {
    memcpy(k->next, next, hd_model_words(s->model) * sizeof *next);
  }
  const hd_inner *inner = NULL;
  k->inner_count = hd_stepper_inner(s->stepper, &inner);
  for (size_t i = 0; i < k->inner_count && i < KEPT_MAX; i++) {
    k->inner[i] = inner[i];
  }
  return s->count != s->stop_after;
}

/* All steps of the first initial state. The caller frees the model. */
static hd_status initial_steps(const hd_model *model, seen *s) {
  const uint64_t *initial = NULL;
  (void)hd_model_initial(model, &initial);
  hd_stepper *stepper = hd_stepper_new(model, NULL);
  s->model = model;
  s->stepper = stepper;
  hd_status status = hd_stepper_run(stepper, initial, HD_WEIGHT_ANY, keep, s);
  const hd_inner *inner = NULL;
  cr_assert_eq(hd_stepper_inner(stepper, &inner), 0, "outside a callback there are no inner edges");
  hd_stepper_free(stepper);
  return status;
}

/* One process with a block: start -> in -> ... -> out. */
typedef struct block_model {
  hd_builder *b;
  hd_process p;
  hd_loc start, in, out;
  hd_edge enter;
} block_model;

static block_model begin_block(void) {
  block_model m = {.b = hd_builder_new()};
  m.p = add_process(m.b, "p", 1, 1);
  m.start = add_loc(m.b, m.p, 0);
  m.in = add_loc(m.b, m.p, HD_LOC_ATOMIC);
  m.out = add_loc(m.b, m.p, HD_LOC_END);
  m.enter = add_skip(m.b, m.start, m.in);
  return m;
}

Test(block, a_loop_that_can_run_for_ever_is_reported_once) {
  block_model m = begin_block();
  hd_loc other = add_loc(m.b, m.p, HD_LOC_ATOMIC);
  hd_edge_desc spin = {.from = m.in, .to = m.in, .statement = 17};
  hd_build_edge(m.b, &spin);
  add_skip(m.b, m.in, other);
  add_skip(m.b, other, m.in);
  hd_edge leave = add_skip(m.b, m.in, m.out);
  hd_model *model = finish(m.b);
  seen s = {0};
  cr_assert_eq(initial_steps(model, &s), HD_OK);
  cr_assert_eq(s.count, 2, "one endless step although there are two cycles, and the way out");
  cr_assert_eq(s.steps[0].step.fault, HD_FAULT_ENDLESS);
  cr_assert_eq(s.steps[0].step.fault_detail, 17);
  cr_assert(!s.steps[0].has_next && s.steps[0].step.compound);
  cr_assert_eq(s.steps[0].inner_count, 1);
  cr_assert_eq(s.steps[1].step.fault, HD_FAULT_NONE);
  cr_assert(s.steps[1].step.compound && s.steps[1].step.edge.v == m.enter.v);
  cr_assert_eq(s.steps[1].inner_count, 1);
  cr_assert_eq(s.steps[1].inner[0].edge.v, leave.v);
  hd_model_free(model);
}

/* x goes from 0 to `last` inside the block. */
static hd_model *counting_block(int64_t last) {
  block_model m = begin_block();
  hd_var x = add_var(m.b, "x", 0, last, 0);
  add_do(m.b, m.in, m.in, op2(m.b, HD_OP_LT, rd(m.b, x), num(m.b, last)),
         assign(x, op2(m.b, HD_OP_ADD, rd(m.b, x), num(m.b, 1))));
  add_edge(m.b, m.in, m.out, is(m.b, x, last), NULL, 0);
  return finish(m.b);
}

Test(block, a_loop_that_counts_ends) {
  hd_model *model = counting_block(1000);
  seen s = {0};
  cr_assert_eq(initial_steps(model, &s), HD_OK);
  cr_assert_eq(s.count, 1);
  cr_assert_eq(s.steps[0].step.fault, HD_FAULT_NONE);
  cr_assert_eq(s.steps[0].inner_count, 1001);
  hd_model_free(model);
}

Test(block, more_inner_steps_than_the_limit_is_a_fault) {
  hd_model *model = counting_block((1 << 20) - 1); /* 2^20 inner steps: just within the limit */
  seen s = {0};
  cr_assert_eq(initial_steps(model, &s), HD_OK);
  cr_assert_eq(s.count, 1);
  cr_assert_eq(s.steps[0].step.fault, HD_FAULT_NONE);
  hd_model_free(model);
  model = counting_block(1 << 20);
  s = (seen){0};
  cr_assert_eq(initial_steps(model, &s), HD_OK);
  cr_assert_eq(s.count, 1);
  cr_assert_eq(s.steps[0].step.fault, HD_FAULT_BLOCK_LIMIT);
  cr_assert(!s.steps[0].has_next);
  hd_model_free(model);
}

/* 40 choices that do not matter: 2^40 paths, one outcome. */
Test(block, paths_that_meet_are_followed_once) {
  block_model m = begin_block();
  hd_loc here = m.in;
  for (int i = 0; i < 40; i++) {
    hd_loc next = add_loc(m.b, m.p, HD_LOC_ATOMIC);
    add_skip(m.b, here, next);
    add_skip(m.b, here, next);
    here = next;
  }
  add_skip(m.b, here, m.out);
  hd_model *model = finish(m.b);
  seen s = {0};
  cr_assert_eq(initial_steps(model, &s), HD_OK);
  cr_assert_eq(s.count, 1);
  cr_assert_eq(s.steps[0].inner_count, 41);
  hd_model_free(model);
}

Test(block, branches_come_out_in_order_and_equal_ones_once) {
  block_model m = begin_block();
  hd_var x = add_var(m.b, "x", 0, 3, 0);
  static const int64_t values[] = {3, 1, 3, 0, 1};
  for (int i = 0; i < 5; i++) {
    add_do(m.b, m.in, m.out, HD_NO_EXPR, set(m.b, x, values[i]));
  }
  hd_model *model = finish(m.b);
  seen s = {0};
  cr_assert_eq(initial_steps(model, &s), HD_OK);
  cr_assert_eq(s.count, 3);
  static const int64_t expected[] = {3, 1, 0};
  for (size_t i = 0; i < 3; i++) {
    cr_assert_eq(hd_model_value(model, s.steps[i].next, x, 0, 0), expected[i]);
  }
  hd_model_free(model);
}

/* 200 different ends, each reached by three edges, twice over with one stepper: the sets grow, and are emptied. */
Test(block, many_outcomes) {
  block_model m = begin_block();
  hd_var x = add_var(m.b, "x", 0, 199, 0);
  for (int i = 0; i < 600; i++) {
    add_do(m.b, m.in, m.out, HD_NO_EXPR, set(m.b, x, i * 7 % 200));
  }
  add_skip(m.b, m.start, m.in);
  hd_model *model = finish(m.b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 201);
  cr_assert_eq(w.compounds, 400, "two starting edges");
  walk_free(&w);
  hd_model_free(model);
}

Test(block, what_gets_stuck_inside_yields_nothing) {
  block_model m = begin_block();
  hd_var y = add_var(m.b, "y", 0, 1, 0);
  hd_loc deep = add_loc(m.b, m.p, HD_LOC_ATOMIC);
  add_skip(m.b, m.in, deep);
  add_edge(m.b, deep, m.out, is(m.b, y, 1), NULL, 0);
  hd_model *model = finish(m.b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 1);
  cr_assert_eq(w.stuck, 1, "the block cannot be entered");
  walk_free(&w);
  hd_model_free(model);
}

Test(block, faults_inside_belong_to_the_starting_step) {
  block_model m = begin_block();
  hd_var x = add_var(m.b, "x", 0, 3, 2);
  hd_stmt too_large = set(m.b, x, 9);
  for (uint32_t i = 0; i < 3; i++) { /* the same fault at the same statement counts once */
    hd_edge_desc bad = {.from = m.in, .to = m.out, .stmts = &too_large, .stmt_count = 1, .statement = 5 + i / 2};
    hd_build_edge(m.b, &bad);
  }
  hd_edge_desc guard = {.from = m.in, .to = m.out, .statement = 8};
  guard.guard = op2(m.b, HD_OP_DIV, num(m.b, 1), op2(m.b, HD_OP_SUB, rd(m.b, x), num(m.b, 2)));
  hd_build_edge(m.b, &guard);
  add_skip(m.b, m.in, m.out);
  hd_model *model = finish(m.b);
  seen s = {0};
  cr_assert_eq(initial_steps(model, &s), HD_OK);
  cr_assert_eq(s.count, 4);
  static const hd_fault faults[] = {HD_FAULT_RANGE, HD_FAULT_RANGE, HD_FAULT_DIVISION, HD_FAULT_NONE};
  static const uint32_t details[] = {5, 6, 8, 0};
  for (size_t i = 0; i < 4; i++) {
    cr_assert_eq(s.steps[i].step.fault, faults[i]);
    cr_assert_eq(s.steps[i].step.fault_detail, details[i]);
    cr_assert_eq(s.steps[i].step.edge.v, m.enter.v);
    cr_assert_eq(s.steps[i].inner_count, 1);
    cr_assert_eq(s.steps[i].has_next, i == 3);
  }
  hd_model_free(model);
}

static hd_stmt check_that(hd_builder *b, hd_var var, int64_t value, uint32_t code) {
  return (hd_stmt){.kind = HD_STMT_CHECK, .a = is(b, var, value), .code = code};
}

/* Failed checks on the way add up; of two ways to one state the one on which a check failed is shown. */
Test(block, checks_accumulate) {
  block_model m = begin_block();
  hd_var x = add_var(m.b, "x", 0, 1, 0);
  hd_loc middle = add_loc(m.b, m.p, HD_LOC_ATOMIC);
  add_do(m.b, m.in, middle, HD_NO_EXPR, check_that(m.b, x, 0, 0));
  hd_edge second = add_do(m.b, m.in, middle, HD_NO_EXPR, check_that(m.b, x, 1, 3));
  add_do(m.b, middle, m.out, HD_NO_EXPR, check_that(m.b, x, 0, 7));
  hd_edge last = add_do(m.b, middle, m.out, HD_NO_EXPR, check_that(m.b, x, 1, 31));
  hd_model *model = finish(m.b);
  seen s = {0};
  cr_assert_eq(initial_steps(model, &s), HD_OK);
  cr_assert_eq(s.count, 1);
  cr_assert_eq(s.steps[0].step.checks_failed, 1u << 3 | 1u << 31);
  cr_assert_eq(s.steps[0].inner_count, 2);
  cr_assert_eq(s.steps[0].inner[1].edge.v, last.v, "the first path with a failure: first edge, then the failing one");
  cr_assert_neq(s.steps[0].inner[0].edge.v, second.v);
  hd_model_free(model);
}

Test(block, weight_and_label_are_those_of_the_starting_edge) {
  for (uint32_t weight = 0; weight < 2; weight++) {
    block_model m = begin_block();
    hd_loc begin = add_loc(m.b, m.p, 0);
    hd_label a = hd_build_label(m.b, "a");
    hd_label c = hd_build_label(m.b, "c");
    hd_monitor monitor = hd_build_monitor(m.b, "m", 3, 0, (hd_label[]){a, c}, 2);
    hd_build_monitor_arc(m.b, monitor, 0, a, 1);
    hd_build_monitor_arc(m.b, monitor, 1, c, 2);
    hd_edge_desc enter = {.from = m.start, .to = m.in, .label = a, .weight = weight};
    hd_build_edge(m.b, &enter);
    hd_edge_desc inside = {.from = m.in, .to = m.out, .label = c, .weight = 1};
    hd_build_edge(m.b, &inside);
    (void)begin;
    hd_model *model = finish(m.b);
    seen s = {0};
    cr_assert_eq(initial_steps(model, &s), HD_OK);
    cr_assert_eq(s.count, 2);
    cr_assert_eq(s.steps[0].step.fault, HD_FAULT_MONITOR, "entering silently, c comes before a");
    cr_assert_eq(s.steps[0].step.fault_detail, monitor.v);
    cr_assert_eq(s.steps[1].step.label.v, a.v);
    cr_assert_eq(s.steps[1].step.weight, weight);
    cr_assert_eq(hd_model_monitor_state(model, s.steps[1].next, monitor), 2, "inner labels drive monitors");
    hd_model_free(model);
  }
}

/* The mover meets others inside its block, as sender and as receiver; whom it meets runs on when it arrives at a
 * protected location. */
Test(block, rendezvous_inside) {
  for (int mover_sends = 0; mover_sends < 2; mover_sends++) {
    block_model m = begin_block();
    hd_var got = add_var(m.b, "got", 0, 9, 0);
    hd_var after = add_var(m.b, "after", 0, 9, 0);
    hd_process q = add_process(m.b, "q", 1, 1);
    hd_loc q0 = add_loc(m.b, q, 0);
    hd_loc q1 = add_loc(m.b, q, HD_LOC_ATOMIC);
    hd_loc q2 = add_loc(m.b, q, HD_LOC_END);
    hd_expr channel = num(m.b, 4);
    hd_stmt take = assign(got, hd_build_received(m.b));
    hd_edge send;
    hd_edge receive;
    if (mover_sends == 1) {
      send = add_send(m.b, m.in, m.out, channel, num(m.b, 6));
      receive = add_receive(m.b, q0, q1, channel, &take, 1);
    } else {
      receive = add_receive(m.b, m.in, m.out, channel, &take, 1);
      send = add_send(m.b, q0, q1, channel, num(m.b, 6));
    }
    hd_edge finish_q = add_do(m.b, q1, q2, HD_NO_EXPR, assign(after, rd(m.b, got)));
    hd_model *model = finish(m.b);
    seen s = {0};
    cr_assert_eq(initial_steps(model, &s), HD_OK);
    cr_assert_eq(s.count, 1);
    cr_assert_eq(s.steps[0].inner_count, 2);
    cr_assert_eq(s.steps[0].inner[0].edge.v, send.v, "the sending side comes first");
    cr_assert_eq(s.steps[0].inner[0].partner_edge.v, receive.v);
    cr_assert_eq(s.steps[0].inner[0].instance, mover_sends == 1 ? 0 : 1);
    cr_assert_eq(s.steps[0].inner[1].edge.v, finish_q.v);
    cr_assert_eq(s.steps[0].inner[1].instance, 1);
    cr_assert_eq(hd_model_value(model, s.steps[0].next, after, 0, 0), 6);
    hd_model_free(model);
  }
}

/* Initiator and partner both arrive at protected locations: first the one, then the other. */
Test(block, partner_runs_after_the_initiator) {
  hd_builder *b = hd_builder_new();
  hd_var x = add_var(b, "x", 0, 99, 0);
  hd_process r = add_process(b, "r", 1, 1); /* the receiver has the lower number */
  hd_process s = add_process(b, "s", 1, 1);
  hd_loc at[2][3];
  for (int i = 0; i < 2; i++) {
    hd_process p = i == 0 ? r : s;
    at[i][0] = add_loc(b, p, 0);
    at[i][1] = add_loc(b, p, HD_LOC_ATOMIC);
    at[i][2] = add_loc(b, p, HD_LOC_END);
    hd_expr shifted = op2(b, HD_OP_ADD, op2(b, HD_OP_MUL, rd(b, x), num(b, 10)), num(b, i + 1));
    add_do(b, at[i][1], at[i][2], HD_NO_EXPR, assign(x, shifted));
  }
  add_receive(b, at[0][0], at[0][1], num(b, 0), NULL, 0);
  add_send(b, at[1][0], at[1][1], num(b, 0), HD_NO_EXPR);
  hd_model *model = finish(b);
  seen found = {0};
  cr_assert_eq(initial_steps(model, &found), HD_OK);
  cr_assert_eq(found.count, 1);
  cr_assert_eq(hd_model_value(model, found.steps[0].next, x, 0, 0), 21);
  hd_model_free(model);
}

/* A mover that dies inside and whose slot is taken again: the new process has not moved and does not run on. */
Test(block, a_dead_mover_moves_no_more) {
  hd_builder *b = hd_builder_new();
  hd_process parent = add_process(b, "parent", 1, 1);
  hd_process child = add_process(b, "child", 1, 1);
  hd_loc p0 = add_loc(b, parent, 0);
  hd_loc p1 = add_loc(b, parent, HD_LOC_ATOMIC);
  hd_loc p2 = add_loc(b, parent, HD_LOC_END);
  hd_loc c0 = add_loc(b, child, HD_LOC_ATOMIC);
  hd_loc c1 = add_loc(b, child, HD_LOC_END);
  add_send(b, p0, p1, num(b, 0), HD_NO_EXPR);
  add_receive(b, c0, hd_build_dead(b, child), num(b, 0), NULL, 0);
  add_do(b, p1, p2, HD_NO_EXPR, (hd_stmt){.kind = HD_STMT_SPAWN, .process = child});
  add_skip(b, c0, c1);
  hd_model *model = finish(b);
  seen s = {0};
  cr_assert_eq(initial_steps(model, &s), HD_OK);
  cr_assert_eq(s.count, 2, "the meeting, and the child alone");
  cr_assert_eq(hd_model_location(model, s.steps[0].next, 1).v, c0.v);
  hd_model_free(model);
}

Test(block, stopping_inside_the_callback) {
  block_model m = begin_block();
  hd_var x = add_var(m.b, "x", 0, 3, 0);
  for (int i = 0; i < 4; i++) {
    add_do(m.b, m.in, m.out, HD_NO_EXPR, set(m.b, x, i));
  }
  hd_model *model = finish(m.b);
  for (size_t after = 1; after <= 4; after++) {
    seen s = {.stop_after = after};
    cr_assert_eq(initial_steps(model, &s), HD_E_CANCELLED);
    cr_assert_eq(s.count, after);
  }
  hd_model_free(model);
}
