/* The three languages in miniature, built by hand: a mailbox system, threads on shared integers, and goroutines. The
 * second and third are compared with an enumeration written out in plain C. */
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

#include <string.h>

/* ---- 1: a choreography's peers with mailboxes of one letter ---- */

enum { MS = 1, MC, MF };

Test(toys, file_transfer) {
  hd_builder *b = hd_builder_new();
  hd_process p1 = add_process(b, "P1", 1, 1);
  hd_process p2 = add_process(b, "P2", 1, 1);
  hd_queue_desc desc = {.capacity = 1, .letters = 3, .must_be_empty = true, .owner = p1};
  hd_queue to_1 = hd_build_queue(b, &desc);
  desc.owner = p2;
  hd_queue to_2 = hd_build_queue(b, &desc);
  hd_loc s[2][5];
  for (int i = 0; i < 5; i++) {
    s[0][i] = add_loc(b, p1, i >= 3 ? HD_LOC_END : 0);
    s[1][i] = add_loc(b, p2, i >= 3 ? HD_LOC_END : 0);
  }
  add_do(b, s[0][0], s[0][1], HD_NO_EXPR, push(b, to_2, MS));
  add_do(b, s[0][1], s[0][3], HD_NO_EXPR, pop(b, to_1, MF));
  add_do(b, s[0][1], s[0][2], HD_NO_EXPR, push(b, to_2, MC));
  add_do(b, s[0][2], s[0][4], HD_NO_EXPR, pop(b, to_1, MF));
  add_do(b, s[1][0], s[1][1], HD_NO_EXPR, pop(b, to_2, MS));
  add_do(b, s[1][1], s[1][3], HD_NO_EXPR, push(b, to_1, MF));
  add_do(b, s[1][1], s[1][2], HD_NO_EXPR, pop(b, to_2, MC));
  add_do(b, s[1][2], s[1][4], HD_NO_EXPR, push(b, to_1, MF));
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 11, "%zu states", w.count);
  cr_assert_eq(w.transitions, 11, "%zu transitions", w.transitions);
  cr_assert_eq(w.stuck, 1);
  cr_assert_eq(w.proper, 2);
  hd_model_sizes sizes;
  hd_model_get_sizes(model, &sizes);
  cr_assert_eq(sizes.bytecode_rules, 0);
  cr_assert_eq(sizes.bits, 3 + 3 + 2 + 2);
  walk_free(&w);
  hd_model_free(model);
}

/* ---- enumeration in plain C ---- */

enum { PLAIN_MAX = 4096 };

typedef struct plain_state {
  int v[12];
} plain_state;

typedef struct plain_space {
  plain_state states[PLAIN_MAX];
  int count, transitions, stopped;
} plain_space;

static void plain_add(plain_space *space, plain_state state) {
  space->transitions++;
  for (int i = 0; i < space->count; i++) {
    if (memcmp(&space->states[i], &state, sizeof state) == 0) {
      return;
    }
  }
  cr_assert(space->count < PLAIN_MAX);
  space->states[space->count++] = state;
}

typedef void (*plain_rules)(plain_space *space, plain_state s);

static void plain_walk(plain_space *space, plain_state initial, plain_rules rules) {
  plain_add(space, initial);
  space->transitions = 0;
  for (int i = 0; i < space->count; i++) {
    int before = space->transitions;
    rules(space, space->states[i]);
    space->stopped += space->transitions == before;
  }
}

/* ---- 2: two threads on shared integers ----
 * writer: for i in 0..2: atomic { a[i] := 2*i + 1; i := i + 1 }; await(done); end
 * reader: await(i >= 1); sum := sum + a[0]; await(i == 3); atomic { sum := sum + a[1]; sum := sum + a[2] }; done := 1
 */

enum { W, R, I, A0, SUM = A0 + 3, DONE };

static void thread_rules(plain_space *space, plain_state s) {
  plain_state t = s;
  if (s.v[W] == 0 && s.v[I] < 3) {
    t.v[A0 + s.v[I]] = 2 * s.v[I] + 1;
    t.v[I]++;
    plain_add(space, t);
  } else if (s.v[W] == 0) {
    t.v[W] = 1;
    plain_add(space, t);
  } else if (s.v[W] == 1 && s.v[DONE] == 1) {
    t.v[W] = 2;
    plain_add(space, t);
  }
  t = s;
  t.v[R]++;
  switch (s.v[R]) {
    case 0:
      if (s.v[I] >= 1) {
        plain_add(space, t);
      }
      break;
    case 1:
      t.v[SUM] += s.v[A0];
      plain_add(space, t);
      break;
    case 2:
      if (s.v[I] == 3) {
        plain_add(space, t);
      }
      break;
    case 3:
      t.v[SUM] += s.v[A0 + 1] + s.v[A0 + 2];
      plain_add(space, t);
      break;
    case 4:
      t.v[DONE] = 1;
      plain_add(space, t);
      break;
    default:
      break;
  }
}

static hd_stmt add_element(hd_builder *b, hd_var sum, hd_var array, int64_t index) {
  return assign(sum, op2(b, HD_OP_ADD, rd(b, sum), hd_build_read_at(b, array, num(b, index))));
}

Test(toys, threads) {
  hd_builder *b = hd_builder_new();
  hd_var a = add_array(b, "a", 0, 5, 0, 3);
  hd_var i = add_var(b, "i", 0, 3, 0);
  hd_var sum = add_var(b, "sum", 0, 9, 0);
  hd_var done = add_var(b, "done", 0, 1, 0);
  hd_process writer = add_process(b, "writer", 1, 1);
  hd_loc w0 = add_loc(b, writer, 0);
  hd_loc inside = add_loc(b, writer, HD_LOC_ATOMIC);
  hd_loc w1 = add_loc(b, writer, 0);
  hd_loc w2 = add_loc(b, writer, HD_LOC_END);
  hd_expr more = op2(b, HD_OP_LT, rd(b, i), num(b, 3));
  hd_expr odd = op2(b, HD_OP_ADD, op2(b, HD_OP_MUL, num(b, 2), rd(b, i)), num(b, 1));
  add_do(b, w0, inside, more, (hd_stmt){.kind = HD_STMT_ASSIGN, .var = a, .index = rd(b, i), .a = odd});
  add_do(b, inside, w0, HD_NO_EXPR, assign(i, op2(b, HD_OP_ADD, rd(b, i), num(b, 1))));
  add_edge(b, w0, w1, hd_build_op(b, HD_OP_NOT, more, HD_NO_EXPR, HD_NO_EXPR), NULL, 0);
  add_edge(b, w1, w2, rd(b, done), NULL, 0);
  hd_process reader = add_process(b, "reader", 1, 1);
  hd_loc r[7];
  for (int l = 0; l < 7; l++) { /* r[4] is inside the atomic block */
    r[l] = add_loc(b, reader, l == 4 ? HD_LOC_ATOMIC : l == 6 ? HD_LOC_END : 0);
  }
  add_edge(b, r[0], r[1], op2(b, HD_OP_GE, rd(b, i), num(b, 1)), NULL, 0);
  add_do(b, r[1], r[2], HD_NO_EXPR, add_element(b, sum, a, 0));
  add_edge(b, r[2], r[3], is(b, i, 3), NULL, 0);
  add_do(b, r[3], r[4], HD_NO_EXPR, add_element(b, sum, a, 1));
  add_do(b, r[4], r[5], HD_NO_EXPR, add_element(b, sum, a, 2));
  add_do(b, r[5], r[6], HD_NO_EXPR, set(b, done, 1));
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  static plain_space space;
  plain_walk(&space, (plain_state){0}, thread_rules);
  cr_assert_eq(w.count, (size_t)space.count, "%zu states, expected %d", w.count, space.count);
  cr_assert_eq(w.transitions, (size_t)space.transitions);
  cr_assert_eq(w.proper, 1);
  cr_assert_eq(space.stopped, 1);
  for (size_t s = 0; s < w.count; s++) { /* the same states, not only as many */
    plain_state found = {0};
    const uint64_t *state = w.states + s * hd_model_words(model);
    static const int writer_place[] = {-1, 0, -1, 1, 2}; /* by number: dead, w0, inside, w1, w2 */
    static const int reader_place[] = {-1, 0, 1, 2, 3, -1, 4, 5};
    found.v[W] = writer_place[hd_model_location(model, state, 0).v];
    found.v[R] = reader_place[hd_model_location(model, state, 1).v - 5];
    found.v[I] = (int)hd_model_value(model, state, i, 0, 0);
    found.v[SUM] = (int)hd_model_value(model, state, sum, 0, 0);
    found.v[DONE] = (int)hd_model_value(model, state, done, 0, 0);
    for (uint32_t e = 0; e < 3; e++) {
      found.v[A0 + (int)e] = (int)hd_model_value(model, state, a, 0, e);
    }
    int before = space.count;
    plain_add(&space, found);
    cr_assert_eq(space.count, before, "a state that plain enumeration does not reach");
  }
  walk_free(&w);
  hd_model_free(model);
}

/* ---- 3: goroutines ----
 * main: go worker(1); go worker(2); twice or more: select { case v := <-c: sum += v | default: idle = 1 - idle }; end
 *       after two values
 * worker(n): [think]; c <- n; return */

enum { MAIN, IDLE, GOT, TOTAL, W1, W2 }; /* W*: 0 dead, 1 thinking, 2 sending; both started in order */

static void goroutine_rules(plain_space *space, plain_state s) {
  plain_state t = s;
  if (s.v[MAIN] < 2) {
    t.v[MAIN]++;
    t.v[W1 + s.v[MAIN]] = 1;
    plain_add(space, t);
  } else if (s.v[MAIN] == 2 && s.v[GOT] == 2) {
    t.v[MAIN] = 3;
    plain_add(space, t);
  } else if (s.v[MAIN] == 2) {
    int ready = 0;
    for (int w = 0; w < 2; w++) {
      if (s.v[W1 + w] == 2) {
        ready++;
        t = s;
        t.v[W1 + w] = 3;
        t.v[GOT]++;
        t.v[TOTAL] += w + 1;
        plain_add(space, t);
      }
    }
    if (ready == 0) {
      t = s;
      t.v[IDLE] = 1 - s.v[IDLE];
      plain_add(space, t);
    }
  }
  for (int w = 0; w < 2; w++) {
    if (s.v[W1 + w] == 1) {
      t = s;
      t.v[W1 + w] = 2;
      plain_add(space, t);
    }
  }
}

typedef struct goroutines {
  hd_model *model;
  hd_var got, total, idle;
  hd_edge fallback;
  hd_loc sends;
} goroutines;

static goroutines make_goroutines(void) {
  goroutines g = {0};
  hd_builder *b = hd_builder_new();
  hd_process main_process = add_process(b, "main", 1, 1);
  hd_process worker = add_process(b, "worker", 2, 0);
  hd_var n = add_local(b, worker, "n", 0, 2, 0);
  g.got = add_var(b, "got", 0, 2, 0);
  g.total = add_var(b, "total", 0, 4, 0);
  g.idle = add_var(b, "idle", 0, 1, 0);
  hd_loc m[4];
  for (int i = 0; i < 4; i++) {
    m[i] = add_loc(b, main_process, i == 3 ? HD_LOC_END : 0);
  }
  for (int i = 0; i < 2; i++) {
    hd_expr argument = num(b, i + 1);
    hd_stmt go = {.kind = HD_STMT_SPAWN, .process = worker, .arguments = &argument, .argument_count = 1};
    add_do(b, m[i], m[i + 1], HD_NO_EXPR, go);
  }
  hd_expr channel = num(b, 7);
  hd_expr wants = op2(b, HD_OP_LT, rd(b, g.got), num(b, 2));
  hd_stmt on_value[2] = {assign(g.total, op2(b, HD_OP_ADD, rd(b, g.total), hd_build_received(b))),
                         assign(g.got, op2(b, HD_OP_ADD, rd(b, g.got), num(b, 1)))};
  hd_edge_desc receive = {.from = m[2], .to = m[2], .guard = wants, .side = HD_SIDE_RECEIVE, .channel = channel};
  receive.stmts = on_value;
  receive.stmt_count = 2;
  receive.weight = 1;
  hd_build_edge(b, &receive);
  hd_expr nobody = hd_build_op(b, HD_OP_NOT, hd_build_partner_ready(b, HD_SIDE_SEND, channel), HD_NO_EXPR, HD_NO_EXPR);
  g.fallback = add_do(b, m[2], m[2], op2(b, HD_OP_AND, wants, nobody),
                      assign(g.idle, op2(b, HD_OP_SUB, num(b, 1), rd(b, g.idle))));
  add_edge(b, m[2], m[3], is(b, g.got, 2), NULL, 0);
  hd_loc thinks = add_loc(b, worker, 0);
  g.sends = add_loc(b, worker, 0);
  add_skip(b, thinks, g.sends);
  add_send(b, g.sends, hd_build_dead(b, worker), channel, rd(b, n));
  g.model = finish(b);
  return g;
}

typedef struct select_watch {
  hd_edge fallback;
  bool seen;
} select_watch;

static bool watch_fallback(void *payload, const uint64_t *next, const hd_step *step) {
  select_watch *watch = payload;
  (void)next;
  watch->seen |= step->edge.v == watch->fallback.v;
  return true;
}

Test(toys, goroutines) {
  goroutines g = make_goroutines();
  walk w = walk_model(g.model, NULL);
  static plain_space space;
  plain_walk(&space, (plain_state){0}, goroutine_rules);
  /* In the model a finished worker and one never started are the same dead slot; main's place tells them apart, except
   * that a slot freed early is reused: here both are started before anything is received. */
  cr_assert_eq(w.count, (size_t)space.count, "%zu states, expected %d", w.count, space.count);
  cr_assert_eq(w.transitions, (size_t)space.transitions);
  cr_assert_eq(w.proper, 2, "idle is 0 or 1 then");
  cr_assert_eq(space.stopped, 2);
  hd_stepper *stepper = hd_stepper_new(g.model, NULL);
  size_t defaults = 0;
  for (size_t i = 0; i < w.count; i++) { /* default exactly when nobody can send */
    const uint64_t *state = w.states + i * hd_model_words(g.model);
    bool ready =
        hd_model_location(g.model, state, 1).v == g.sends.v || hd_model_location(g.model, state, 2).v == g.sends.v;
    bool selecting = hd_model_loc_name(g.model, hd_model_location(g.model, state, 0)) != NULL &&
                     hd_model_location(g.model, state, 0).v == hd_model_edge_from(g.model, g.fallback).v &&
                     hd_model_value(g.model, state, g.got, 0, 0) < 2;
    select_watch watch = {.fallback = g.fallback};
    cr_assert_eq(hd_stepper_run(stepper, state, HD_WEIGHT_ANY, watch_fallback, &watch), HD_OK);
    cr_assert_eq(watch.seen, selecting && !ready);
    defaults += watch.seen;
    if (hd_model_value(g.model, state, g.got, 0, 0) == 2) {
      cr_assert_eq(hd_model_value(g.model, state, g.total, 0, 0), 3, "the values 1 and 2 were handed over");
    }
  }
  cr_assert_gt(defaults, 0);
  hd_stepper_free(stepper);
  walk_free(&w);
  hd_model_free(g.model);
}
