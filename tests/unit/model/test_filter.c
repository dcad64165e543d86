/* Step filters: strong and weak protection laid over small programs whose numbers are known. */
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

typedef struct program {
  hd_builder *b;
  hd_model *model;
  hd_var x, y, z, err;
  hd_loc at[3][4]; /* thread, place */
} program;

static void begin(program *p) {
  *p = (program){.b = hd_builder_new()};
  p->x = add_var(p->b, "x", 0, 1, 0);
  p->y = add_var(p->b, "y", 0, 1, 0);
  p->z = add_var(p->b, "z", 0, 1, 0);
  p->err = add_var(p->b, "err", 0, 1, 0);
}

/* A thread with `length` steps; places[0 .. length]. */
static void thread(program *p, int number, int length, uint32_t middle_flags) {
  hd_process process = add_process(p->b, "t", 1, 1);
  for (int i = 0; i <= length; i++) {
    p->at[number][i] = add_loc(p->b, process, i == length ? HD_LOC_END : i == 0 ? 0 : middle_flags);
  }
}

static void set_step(program *p, int t, int place, hd_var var, int64_t value) {
  add_do(p->b, p->at[t][place], p->at[t][place + 1], HD_NO_EXPR, set(p->b, var, value));
}

static void await_step(program *p, int t, int place, hd_var var) {
  add_edge(p->b, p->at[t][place], p->at[t][place + 1], is(p->b, var, 1), NULL, 0);
}

/* err := err or not condition */
static void assert_step(program *p, int t, int place, hd_expr condition) {
  hd_expr failed = hd_build_op(p->b, HD_OP_NOT, condition, HD_NO_EXPR, HD_NO_EXPR);
  add_do(p->b, p->at[t][place], p->at[t][place + 1], HD_NO_EXPR,
         assign(p->err, op2(p->b, HD_OP_OR, rd(p->b, p->err), failed)));
}

static size_t errors(const program *p, const walk *w) {
  size_t count = 0;
  for (size_t i = 0; i < w->count; i++) {
    count += hd_model_value(p->model, w->states + i * hd_model_words(p->model), p->err, 0, 0) != 0;
  }
  return count;
}

/* x:=1; await(y==1); x:=0   against   y:=1   and   assert(x==0) */
static void guarded_block(program *p, uint32_t middle_flags) {
  begin(p);
  thread(p, 0, 3, middle_flags);
  thread(p, 1, 1, 0);
  thread(p, 2, 1, 0);
  set_step(p, 0, 0, p->x, 1);
  await_step(p, 0, 1, p->y);
  set_step(p, 0, 2, p->x, 0);
  set_step(p, 1, 0, p->y, 1);
  assert_step(p, 2, 0, is(p->b, p->x, 0));
  p->model = finish(p->b);
}

Test(filter, a_strong_block_is_entered_only_when_it_can_end) {
  program p;
  guarded_block(&p, 0);
  walk plain = walk_model(p.model, NULL);
  cr_assert_gt(errors(&p, &plain), 0);
  hd_filter *filter = hd_filter_new(p.model);
  hd_filter_protect_strong(filter, p.at[0][1]);
  hd_filter_protect_strong(filter, p.at[0][2]);
  walk block = walk_model(p.model, filter);
  cr_assert_eq(block.count, 6, "%zu states", block.count);
  cr_assert_eq(errors(&p, &block), 0);
  cr_assert_eq(block.stuck, 0);
  cr_assert_eq(block.proper, 1);
  cr_assert_eq(block.compounds, 2, "before and after the assertion");
  walk_free(&plain);
  walk_free(&block);
  hd_filter_free(filter);
  hd_model_free(p.model);
  guarded_block(&p, HD_LOC_ATOMIC); /* the same as flags of the model */
  block = walk_model(p.model, NULL);
  cr_assert_eq(block.count, 6);
  walk_free(&block);
  hd_model_free(p.model);
}

/* t1: await x; await y; assert z.  t2: x:=1; y:=1; z:=1.  t3: await z; assert y. */
static void three_flags(program *p) {
  begin(p);
  thread(p, 0, 3, 0);
  thread(p, 1, 3, 0);
  thread(p, 2, 2, 0);
  await_step(p, 0, 0, p->x);
  await_step(p, 0, 1, p->y);
  assert_step(p, 0, 2, is(p->b, p->z, 1));
  set_step(p, 1, 0, p->x, 1);
  set_step(p, 1, 1, p->y, 1);
  set_step(p, 1, 2, p->z, 1);
  await_step(p, 2, 0, p->z);
  assert_step(p, 2, 1, is(p->b, p->y, 1));
  p->model = finish(p->b);
}

Test(filter, one_strong_place_repairs_three_flags) {
  program p;
  three_flags(&p);
  walk w = walk_model(p.model, NULL);
  cr_assert_eq(w.count, 22, "%zu states", w.count);
  cr_assert_eq(w.transitions, 30, "%zu transitions", w.transitions);
  cr_assert_gt(errors(&p, &w), 0);
  walk_free(&w);
  static const bool repairs[] = {false, true}; /* the place before y:=1, before z:=1 */
  for (int place = 1; place <= 2; place++) {
    hd_filter *filter = hd_filter_new(p.model);
    hd_filter_protect_strong(filter, p.at[1][place]);
    w = walk_model(p.model, filter);
    cr_assert_eq(errors(&p, &w) == 0, repairs[place - 1], "place %d", place);
    cr_assert_eq(w.stuck, 0);
    walk_free(&w);
    hd_filter_free(filter);
  }
  hd_model_free(p.model);
}

/* x:=1; y:=1   against   await x; assert y   and   assert(x or not y) */
static void two_flags(program *p) {
  begin(p);
  thread(p, 0, 2, 0);
  thread(p, 1, 2, 0);
  thread(p, 2, 1, 0);
  set_step(p, 0, 0, p->x, 1);
  set_step(p, 0, 1, p->y, 1);
  await_step(p, 1, 0, p->x);
  assert_step(p, 1, 1, is(p->b, p->y, 1));
  assert_step(p, 2, 0, op2(p->b, HD_OP_OR, is(p->b, p->x, 1), is(p->b, p->y, 0)));
  p->model = finish(p->b);
}

Test(filter, weak_needs_both_places_strong_one) {
  program p;
  two_flags(&p);
  walk w = walk_model(p.model, NULL);
  cr_assert_eq(w.count, 16, "%zu states", w.count);
  cr_assert_eq(w.transitions, 24, "%zu transitions", w.transitions);
  cr_assert_gt(errors(&p, &w), 0);
  walk_free(&w);
  for (int choice = 1; choice < 8; choice++) { /* bit 0: writer weak, bit 1: reader weak, bit 2: writer strong */
    hd_filter *filter = hd_filter_new(p.model);
    if ((choice & 1) != 0) {
      hd_filter_protect_weak(filter, p.at[0][1]);
    }
    if ((choice & 2) != 0) {
      hd_filter_protect_weak(filter, p.at[1][1]);
    }
    if ((choice & 4) != 0) {
      hd_filter_protect_strong(filter, p.at[0][1]);
    }
    w = walk_model(p.model, filter);
    bool repaired = (choice & 4) != 0 || (choice & 3) == 3;
    cr_assert_eq(errors(&p, &w) == 0, repaired, "choice %d", choice);
    cr_assert_eq(w.stuck, 0);
    for (size_t i = 0; i < w.count && (choice & 3) == 3; i++) {
      const uint64_t *state = w.states + i * hd_model_words(p.model);
      cr_assert(hd_model_location(p.model, state, 0).v != p.at[0][1].v ||
                hd_model_location(p.model, state, 1).v != p.at[1][1].v);
    }
    walk_free(&w);
    hd_filter_free(filter);
  }
  hd_model_free(p.model);
}

/* Weak protection forbids arrivals, also of spawned processes; who has been there from the start may go on. */
Test(filter, weak_arrivals) {
  hd_builder *b = hd_builder_new();
  hd_process starter = add_process(b, "starter", 1, 1);
  hd_process worker = add_process(b, "worker", 2, 0);
  hd_loc s0 = add_loc(b, starter, 0);
  hd_loc s1 = add_loc(b, starter, 0);
  hd_loc s2 = add_loc(b, starter, HD_LOC_END);
  hd_loc w0 = add_loc(b, worker, 0);
  hd_stmt go = {.kind = HD_STMT_SPAWN, .process = worker};
  add_do(b, s0, s1, HD_NO_EXPR, go);
  add_do(b, s1, s2, HD_NO_EXPR, go);
  add_skip(b, w0, hd_build_dead(b, worker));
  hd_model *model = finish(b);
  hd_filter *filter = hd_filter_new(model);
  hd_filter_protect_weak(filter, w0);
  walk w = walk_model(model, filter);
  for (size_t i = 0; i < w.count; i++) {
    const uint64_t *state = w.states + i * hd_model_words(model);
    bool both = hd_model_location(model, state, 1).v == w0.v && hd_model_location(model, state, 2).v == w0.v;
    cr_assert(!both, "two at a weakly protected location");
  }
  cr_assert_eq(w.count, 5); /* s0; s1 with a worker or none; s2 with a worker or none */
  cr_assert_eq(w.proper, 1);
  walk_free(&w);
  hd_filter_free(filter);
  hd_model_free(model);

  b = hd_builder_new();
  hd_process triplet = add_process(b, "triplet", 3, 3);
  hd_loc start = add_loc(b, triplet, HD_LOC_ATOMIC_WEAK);
  hd_loc away = add_loc(b, triplet, HD_LOC_END);
  add_skip(b, start, away);
  model = finish(b);
  w = walk_model(model, NULL);
  cr_assert_eq(w.count, 8, "leaving is allowed although all start there");
  walk_free(&w);
  hd_model_free(model);
}

/* Two locks taken in opposite order, once: 19 states, one deadlock. */
Test(filter, opposite_locks) {
  hd_builder *b = hd_builder_new();
  hd_var locks[2] = {add_var(b, "a", 0, 1, 0), add_var(b, "b", 0, 1, 0)};
  hd_loc at[2][5];
  for (int t = 0; t < 2; t++) {
    hd_process p = add_process(b, "t", 1, 1);
    for (int i = 0; i < 5; i++) {
      at[t][i] = add_loc(b, p, i == 4 ? HD_LOC_END : 0);
    }
    add_do(b, at[t][0], at[t][1], is(b, locks[t], 0), set(b, locks[t], 1));
    add_do(b, at[t][1], at[t][2], is(b, locks[1 - t], 0), set(b, locks[1 - t], 1));
    add_do(b, at[t][2], at[t][3], HD_NO_EXPR, set(b, locks[1 - t], 0));
    add_do(b, at[t][3], at[t][4], HD_NO_EXPR, set(b, locks[t], 0));
  }
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 19, "%zu states", w.count);
  cr_assert_eq(w.stuck, 1);
  cr_assert_eq(w.proper, 1);
  size_t states = w.count;
  walk_free(&w);
  hd_filter *filter = hd_filter_new(model);
  hd_filter_protect_strong(filter, at[0][1]); /* takes both locks at once */
  w = walk_model(model, filter);
  cr_assert_eq(w.stuck, 0);
  cr_assert_lt(w.count, states);
  walk_free(&w);
  hd_filter_free(filter);
  hd_model_free(model);
}
