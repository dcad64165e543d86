/* Families of systems whose numbers of states are known in closed form, each built by hand and walked. */
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

static size_t binomial(size_t n, size_t k) {
  size_t result = 1;
  for (size_t i = 1; i <= k; i++) {
    result = result * (n - k + i) / i;
  }
  return result;
}

static size_t power(size_t base, size_t exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/* Peer i sends right, then receives from the left, for ever. */
static hd_model *ring(uint32_t n, uint32_t capacity) {
  hd_builder *b = hd_builder_new();
  hd_process peers[16];
  hd_queue queues[16];
  for (uint32_t i = 0; i < n; i++) {
    peers[i] = add_process(b, "peer", 1, 1);
    hd_queue_desc desc = {.name = "q", .capacity = capacity, .letters = 1, .owner = peers[i]};
    queues[i] = hd_build_queue(b, &desc);
  }
  for (uint32_t i = 0; i < n; i++) {
    hd_loc sends = add_loc(b, peers[i], 0);
    hd_loc receives = add_loc(b, peers[i], 0);
    add_do(b, sends, receives, HD_NO_EXPR, push(b, queues[(i + 1) % n], 1));
    add_do(b, receives, sends, HD_NO_EXPR, pop(b, queues[i], 1));
  }
  return finish(b);
}

Test(families, ring) {
  for (uint32_t n = 2; n <= 8; n++) {
    hd_model *model = ring(n, 1);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.count, binomial(2 * n, n), "ring %u has %zu states", n, w.count);
    cr_assert_eq(w.stuck + w.proper + w.pruned, 0);
    hd_model_sizes sizes;
    hd_model_get_sizes(model, &sizes);
    cr_assert_eq(sizes.bits, 2 * n);
    cr_assert_eq(sizes.words, 1);
    cr_assert_eq(sizes.bytecode_rules, 0);
    cr_assert_eq(sizes.masked_rules, 2 * n);
    walk_free(&w);
    hd_model_free(model);
  }
}

/* n pairs: A sends to B, B receives, B sends to A, A receives: 4^n states, n*4^n transitions. */
Test(families, pairs) {
  for (uint32_t n = 1; n <= 5; n++) {
    hd_builder *b = hd_builder_new();
    for (uint32_t i = 0; i < n; i++) {
      hd_process pa = add_process(b, "a", 1, 1);
      hd_process pb = add_process(b, "b", 1, 1);
      hd_queue to_a = hd_build_queue(b, &(hd_queue_desc){.name = "a", .capacity = 1, .letters = 1, .owner = pa});
      hd_queue to_b = hd_build_queue(b, &(hd_queue_desc){.name = "b", .capacity = 1, .letters = 1, .owner = pb});
      hd_loc a0 = add_loc(b, pa, 0);
      hd_loc a1 = add_loc(b, pa, 0);
      hd_loc b0 = add_loc(b, pb, 0);
      hd_loc b1 = add_loc(b, pb, 0);
      add_do(b, a0, a1, HD_NO_EXPR, push(b, to_b, 1));
      add_do(b, a1, a0, HD_NO_EXPR, pop(b, to_a, 1));
      add_do(b, b0, b1, HD_NO_EXPR, pop(b, to_b, 1));
      add_do(b, b1, b0, HD_NO_EXPR, push(b, to_a, 1));
    }
    hd_model *model = finish(b);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.count, power(4, n));
    cr_assert_eq(w.transitions, n * power(4, n));
    walk_free(&w);
    hd_model_free(model);
  }
}

/* Source, n-1 stages, sink, n queues: 2^(2n-1) states. */
Test(families, pipeline) {
  for (uint32_t n = 1; n <= 6; n++) {
    hd_builder *b = hd_builder_new();
    hd_queue queues[8];
    for (uint32_t i = 0; i < n; i++) {
      queues[i] = hd_build_queue(b, &(hd_queue_desc){.name = "q", .capacity = 1, .letters = 1, .owner = HD_NO_PROCESS});
    }
    hd_loc source = add_loc(b, add_process(b, "source", 1, 1), 0);
    add_do(b, source, source, HD_NO_EXPR, push(b, queues[0], 1));
    for (uint32_t i = 1; i < n; i++) {
      hd_process stage = add_process(b, "stage", 1, 1);
      hd_loc empty = add_loc(b, stage, 0);
      hd_loc full = add_loc(b, stage, 0);
      add_do(b, empty, full, HD_NO_EXPR, pop(b, queues[i - 1], 1));
      add_do(b, full, empty, HD_NO_EXPR, push(b, queues[i], 1));
    }
    hd_loc sink = add_loc(b, add_process(b, "sink", 1, 1), 0);
    add_do(b, sink, sink, HD_NO_EXPR, pop(b, queues[n - 1], 1));
    hd_model *model = finish(b);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.count, power(2, 2 * n - 1));
    walk_free(&w);
    hd_model_free(model);
  }
}

/* Philosophers: fork[self], then fork[(self+1) % n], release in that order; one process type with n instances. */
static hd_model *dining(uint32_t n) {
  hd_builder *b = hd_builder_new();
  hd_process philosopher = add_process(b, "philosopher", n, n);
  hd_var forks = add_array(b, "fork", 0, 1, 0, n);
  hd_expr left = hd_build_self(b);
  hd_expr right = op2(b, HD_OP_MOD, op2(b, HD_OP_ADD, hd_build_self(b), num(b, 1)), num(b, (int64_t)n));
  hd_expr sides[2] = {left, right};
  hd_loc locs[4];
  for (int i = 0; i < 4; i++) {
    locs[i] = add_loc(b, philosopher, 0);
  }
  for (int i = 0; i < 4; i++) {
    bool takes = i < 2;
    hd_expr fork = hd_build_read_at(b, forks, sides[i % 2]);
    hd_expr guard = takes ? op2(b, HD_OP_EQ, fork, num(b, 0)) : HD_NO_EXPR;
    hd_stmt stmt = {.kind = HD_STMT_ASSIGN, .var = forks, .index = sides[i % 2], .a = num(b, takes ? 1 : 0)};
    add_do(b, locs[i], locs[(i + 1) % 4], guard, stmt);
  }
  return finish(b);
}

Test(families, dining) {
  for (uint32_t n = 2; n <= 7; n++) {
    hd_model *model = dining(n);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.count, power(3, n) - 1, "dining %u has %zu states", n, w.count);
    cr_assert_eq(w.stuck, 1);
    hd_model_sizes sizes;
    hd_model_get_sizes(model, &sizes);
    cr_assert_eq(sizes.bytecode_rules, 0, "self and constants must fold into masks");
    walk_free(&w);
    hd_model_free(model);
  }
}

/* Philosophers who eat once, n mutexes, left first: a(n) = 4a(n-1) + 2a(n-2) + 5, one deadlock. */
Test(families, dining_once) {
  size_t expected[] = {0, 0, 19, 87, 0, 0};
  for (uint32_t n = 2; n <= 5; n++) {
    expected[n] = n < 4 ? expected[n] : 4 * expected[n - 1] + 2 * expected[n - 2] + 5;
    hd_builder *b = hd_builder_new();
    hd_process philosopher = add_process(b, "philosopher", n, n);
    hd_var mutexes = add_array(b, "mutex", 0, 1, 0, n);
    hd_expr next = op2(b, HD_OP_MOD, op2(b, HD_OP_ADD, hd_build_self(b), num(b, 1)), num(b, (int64_t)n));
    hd_expr sides[4] = {hd_build_self(b), next, next, hd_build_self(b)};
    hd_loc from = add_loc(b, philosopher, 0);
    for (int i = 0; i < 4; i++) {
      bool locks = i < 2;
      hd_loc to = add_loc(b, philosopher, i == 3 ? HD_LOC_END : 0);
      hd_expr guard = locks ? op2(b, HD_OP_EQ, hd_build_read_at(b, mutexes, sides[i]), num(b, 0)) : HD_NO_EXPR;
      hd_stmt stmt = {.kind = HD_STMT_ASSIGN, .var = mutexes, .index = sides[i], .a = num(b, locks ? 1 : 0)};
      add_do(b, from, to, guard, stmt);
      from = to;
    }
    hd_model *model = finish(b);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.count, expected[n], "dining once %u: %zu", n, w.count);
    cr_assert_eq(w.stuck, 1);
    cr_assert_eq(w.proper, 1);
    walk_free(&w);
    hd_model_free(model);
  }
}

/* Philosophers with fork processes and unbuffered channels: take i is channel 2i, release i is 2i+1. */
Test(families, dining_by_rendezvous) {
  for (uint32_t n = 2; n <= 6; n++) {
    hd_builder *b = hd_builder_new();
    hd_process philosopher = add_process(b, "philosopher", n, n);
    hd_process fork = add_process(b, "fork", n, n);
    hd_expr two = num(b, 2);
    hd_expr take_left = op2(b, HD_OP_MUL, two, hd_build_self(b));
    hd_expr next = op2(b, HD_OP_MOD, op2(b, HD_OP_ADD, hd_build_self(b), num(b, 1)), num(b, (int64_t)n));
    hd_expr take_right = op2(b, HD_OP_MUL, two, next);
    hd_expr drop_left = op2(b, HD_OP_ADD, take_left, num(b, 1));
    hd_expr drop_right = op2(b, HD_OP_ADD, take_right, num(b, 1));
    hd_expr channels[4] = {take_left, take_right, drop_left, drop_right};
    hd_loc locs[4];
    for (int i = 0; i < 4; i++) {
      locs[i] = add_loc(b, philosopher, 0);
    }
    for (int i = 0; i < 4; i++) {
      add_send(b, locs[i], locs[(i + 1) % 4], channels[i], HD_NO_EXPR);
    }
    hd_loc idle = add_loc(b, fork, 0);
    hd_loc held = add_loc(b, fork, 0);
    add_receive(b, idle, held, take_left, NULL, 0);
    add_receive(b, held, idle, drop_left, NULL, 0);
    hd_model *model = finish(b);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.count, power(3, n) - 1, "rendezvous dining %u has %zu states", n, w.count);
    cr_assert_eq(w.stuck, 1);
    cr_assert_eq(w.partners, w.transitions);
    walk_free(&w);
    hd_model_free(model);
  }
}

/* n threads: lock; r := c; c := r+1; r := 0 with unlock: (3n+2)*2^(n-1) states, n*2^(n+1) transitions. */
Test(families, locked_counter) {
  for (uint32_t n = 1; n <= 6; n++) {
    hd_builder *b = hd_builder_new();
    hd_process thread = add_process(b, "thread", n, n);
    hd_var lock = add_var(b, "lock", 0, 1, 0);
    hd_var c = add_var(b, "c", 0, (int64_t)n, 0);
    hd_var r = add_local(b, thread, "r", 0, (int64_t)n, 0);
    hd_loc locs[5];
    for (int i = 0; i < 5; i++) {
      locs[i] = add_loc(b, thread, i == 4 ? HD_LOC_END : 0);
    }
    add_do(b, locs[0], locs[1], is(b, lock, 0), set(b, lock, 1));
    add_do(b, locs[1], locs[2], HD_NO_EXPR, assign(r, rd(b, c)));
    add_do(b, locs[2], locs[3], HD_NO_EXPR, assign(c, op2(b, HD_OP_ADD, rd(b, r), num(b, 1))));
    hd_stmt unlock[2] = {set(b, r, 0), set(b, lock, 0)};
    add_edge(b, locs[3], locs[4], HD_NO_EXPR, unlock, 2);
    hd_model *model = finish(b);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.count, (3 * n + 2) * power(2, n - 1), "locked counter %u: %zu", n, w.count);
    cr_assert_eq(w.transitions, n * power(2, n + 1));
    cr_assert_eq(w.proper, 1);
    walk_free(&w);
    hd_model_free(model);
  }
}

/* Lost update: r := c; c := r+1; r := 0 with it. */
Test(families, lost_update) {
  static const size_t expected[] = {12, 59, 330, 2027, 13494};
  for (uint32_t n = 2; n <= 6; n++) {
    hd_builder *b = hd_builder_new();
    hd_process thread = add_process(b, "thread", n, n);
    hd_var c = add_var(b, "c", 0, (int64_t)n, 0);
    hd_var r = add_local(b, thread, "r", 0, (int64_t)n, 0);
    hd_loc l0 = add_loc(b, thread, 0);
    hd_loc l1 = add_loc(b, thread, 0);
    hd_loc l2 = add_loc(b, thread, HD_LOC_END);
    add_do(b, l0, l1, HD_NO_EXPR, assign(r, rd(b, c)));
    hd_stmt store[2] = {assign(c, op2(b, HD_OP_ADD, rd(b, r), num(b, 1))), set(b, r, 0)};
    add_edge(b, l1, l2, HD_NO_EXPR, store, 2);
    hd_model *model = finish(b);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.count, expected[n - 2], "lost update %u: %zu", n, w.count);
    walk_free(&w);
    hd_model_free(model);
  }
}

/* Peterson's filter lock for n threads, as engine.md defines it: 417, 9272 states for 3, 4. */
static hd_model *filter_lock(uint32_t n) {
  hd_builder *b = hd_builder_new();
  hd_process thread = add_process(b, "thread", n, n);
  hd_var lev = add_array(b, "lev", 0, (int64_t)n - 1, 0, n);
  hd_var vic = add_array(b, "vic", 0, (int64_t)n - 1, 0, n);
  hd_loc start = add_loc(b, thread, 0);
  hd_loc here = start;
  for (uint32_t l = 1; l < n; l++) {
    hd_loc levelled = add_loc(b, thread, 0);
    hd_loc waiting = add_loc(b, thread, 0);
    hd_loc through = add_loc(b, thread, 0);
    hd_stmt raise = {.kind = HD_STMT_ASSIGN, .var = lev, .index = hd_build_self(b), .a = num(b, (int64_t)l)};
    add_do(b, here, levelled, HD_NO_EXPR, raise);
    hd_stmt victim = {.kind = HD_STMT_ASSIGN, .var = vic, .index = num(b, (int64_t)l), .a = hd_build_self(b)};
    add_do(b, levelled, waiting, HD_NO_EXPR, victim);
    hd_expr free_way = num(b, 1);
    for (uint32_t j = 0; j < n; j++) {
      hd_expr lower = op2(b, HD_OP_LT, hd_build_read_at(b, lev, num(b, (int64_t)j)), num(b, (int64_t)l));
      hd_expr self = op2(b, HD_OP_EQ, hd_build_self(b), num(b, (int64_t)j));
      free_way = op2(b, HD_OP_AND, free_way, op2(b, HD_OP_OR, self, lower));
    }
    hd_expr not_victim = op2(b, HD_OP_NE, hd_build_read_at(b, vic, num(b, (int64_t)l)), hd_build_self(b));
    add_edge(b, waiting, through, op2(b, HD_OP_OR, free_way, not_victim), NULL, 0);
    here = through;
  }
  hd_stmt leave = {.kind = HD_STMT_ASSIGN, .var = lev, .index = hd_build_self(b), .a = num(b, 0)};
  add_do(b, here, start, HD_NO_EXPR, leave);
  return finish(b);
}

Test(families, filter_lock) {
  static const size_t expected[] = {417, 9272};
  for (uint32_t n = 3; n <= 4; n++) {
    hd_model *model = filter_lock(n);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.count, expected[n - 3], "filter %u: %zu", n, w.count);
    walk_free(&w);
    hd_model_free(model);
  }
}
