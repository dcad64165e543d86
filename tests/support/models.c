/* See models.h. The builders use one process type per peer, as frontends do, and let hd_builder_finish report errors.
 */
#include "tests/support/models.h"

#include "core/model/builder.h"
#include "tests/support/hd_test.h"

#include <stdio.h>
#include <string.h>

static hd_model *finish(hd_builder *b) {
  hd_model *model = NULL;
  cr_assert_eq(hd_builder_finish(b, &model), HD_OK);
  cr_assert_not_null(model);
  return model;
}

static hd_builder *begin(void) {
  hd_builder *b = hd_builder_new();
  cr_assert_not_null(b);
  return b;
}

static hd_process add_process(hd_builder *b, const char *name, uint32_t number) {
  char text[32];
  (void)snprintf(text, sizeof text, "%s%u", name, number);
  return hd_build_process(b, &(hd_process_desc){.name = text, .instances = 1, .started = 1});
}

static hd_loc add_loc(hd_builder *b, hd_process process, const char *name) {
  return hd_build_loc(b, process, name, 0, 0);
}

static hd_queue add_queue(hd_builder *b, const char *name, uint32_t number, uint32_t letters, hd_process owner) {
  char text[32];
  (void)snprintf(text, sizeof text, "%s%u", name, number);
  return hd_build_queue(b, &(hd_queue_desc){.name = text, .capacity = 1, .letters = letters, .owner = owner});
}

static hd_var add_var(hd_builder *b, const char *name, uint32_t number, int64_t hi, hd_process process) {
  char text[32];
  (void)snprintf(text, sizeof text, "%s%u", name, number);
  return hd_build_var(b, &(hd_var_desc){.name = text, .lo = 0, .hi = hi, .process = process});
}

static void add_send(hd_builder *b, hd_loc from, hd_loc to, hd_queue queue, uint32_t letter) {
  hd_stmt push = {.kind = HD_STMT_PUSH, .queue = queue, .a = hd_build_const(b, letter)};
  (void)hd_build_edge(
      b, &(hd_edge_desc){.from = from, .to = to, .stmts = &push, .stmt_count = 1, .kind = HD_EDGE_SEND, .weight = 1});
}

static void add_receive(hd_builder *b, hd_loc from, hd_loc to, hd_queue queue, uint32_t letter, uint32_t weight) {
  hd_stmt pop = {.kind = HD_STMT_POP, .queue = queue, .a = hd_build_const(b, letter)};
  (void)hd_build_edge(
      b, &(hd_edge_desc){
             .from = from, .to = to, .stmts = &pop, .stmt_count = 1, .kind = HD_EDGE_RECEIVE, .weight = weight});
}

/* from --[guard] var := value--> to, weight 1. */
static void add_assign(hd_builder *b, hd_loc from, hd_loc to, hd_expr guard, hd_var var, hd_expr value) {
  hd_stmt assign = {.kind = HD_STMT_ASSIGN, .var = var, .a = value};
  (void)hd_build_edge(
      b, &(hd_edge_desc){.from = from, .to = to, .guard = guard, .stmts = &assign, .stmt_count = 1, .weight = 1});
}

static hd_expr op(hd_builder *b, hd_op o, hd_expr left, hd_expr right) {
  return hd_build_op(b, o, left, right, HD_NO_EXPR);
}

enum { PEERS_MAX = 32 };

hd_model *hd_model_ring(uint32_t n, uint32_t receive_weight) {
  hd_builder *b = begin();
  hd_process peers[PEERS_MAX];
  hd_queue queues[PEERS_MAX];
  for (uint32_t i = 0; i < n; i++) {
    peers[i] = add_process(b, "peer", i);
    queues[i] = add_queue(b, "in", i, 1, peers[i]);
  }
  for (uint32_t i = 0; i < n; i++) {
    hd_loc sending = add_loc(b, peers[i], "sending");
    hd_loc receiving = add_loc(b, peers[i], "receiving");
    add_send(b, sending, receiving, queues[(i + 1) % n], 1);
    add_receive(b, receiving, sending, queues[i], 1, receive_weight);
  }
  return finish(b);
}

hd_model *hd_model_pairs(uint32_t n) {
  hd_builder *b = begin();
  for (uint32_t i = 0; i < n; i++) {
    hd_process a = add_process(b, "a", i);
    hd_process z = add_process(b, "b", i);
    hd_queue to_a = add_queue(b, "to_a", i, 1, a);
    hd_queue to_b = add_queue(b, "to_b", i, 1, z);
    hd_loc a0 = add_loc(b, a, "send");
    hd_loc a1 = add_loc(b, a, "receive");
    hd_loc b0 = add_loc(b, z, "receive");
    hd_loc b1 = add_loc(b, z, "send");
    add_send(b, a0, a1, to_b, 1);
    add_receive(b, b0, b1, to_b, 1, 1);
    add_send(b, b1, b0, to_a, 1);
    add_receive(b, a1, a0, to_a, 1, 1);
  }
  return finish(b);
}

hd_model *hd_model_star(uint32_t n) {
  hd_builder *b = begin();
  hd_process server = add_process(b, "server", 0);
  hd_queue requests = add_queue(b, "requests", 0, n, server);
  hd_loc idle = add_loc(b, server, "idle");
  for (uint32_t i = 0; i < n; i++) {
    hd_process client = add_process(b, "client", i);
    hd_queue replies = add_queue(b, "replies", i, 1, client);
    hd_loc ask = add_loc(b, client, "ask");
    hd_loc wait = add_loc(b, client, "wait");
    hd_loc serving = add_loc(b, server, "serving");
    add_send(b, ask, wait, requests, i + 1);
    add_receive(b, wait, ask, replies, 1, 1);
    add_receive(b, idle, serving, requests, i + 1, 1);
    add_send(b, serving, idle, replies, 1);
  }
  return finish(b);
}

hd_model *hd_model_pipeline(uint32_t n) {
  hd_builder *b = begin();
  hd_process source = add_process(b, "source", 0);
  hd_loc at_source = add_loc(b, source, "send");
  hd_queue in = add_queue(b, "q", 0, 1, source);
  add_send(b, at_source, at_source, in, 1);
  for (uint32_t i = 1; i < n; i++) {
    hd_process stage = add_process(b, "stage", i);
    hd_queue out = add_queue(b, "q", i, 1, stage);
    hd_loc receive = add_loc(b, stage, "receive");
    hd_loc send = add_loc(b, stage, "send");
    add_receive(b, receive, send, in, 1, 1);
    add_send(b, send, receive, out, 1);
    in = out;
  }
  hd_process sink = add_process(b, "sink", 0);
  hd_loc at_sink = add_loc(b, sink, "receive");
  add_receive(b, at_sink, at_sink, in, 1, 1);
  return finish(b);
}

hd_model *hd_model_counter(uint32_t n, uint32_t k) {
  hd_builder *b = begin();
  hd_var x = add_var(b, "x", 0, (int64_t)n * k, HD_NO_PROCESS);
  for (uint32_t i = 0; i < n; i++) {
    hd_process thread = add_process(b, "thread", i);
    hd_var t = add_var(b, "t", i, (int64_t)n * k, thread);
    hd_var count = add_var(b, "i", i, k, thread);
    hd_loc read = add_loc(b, thread, "read");
    hd_loc write = add_loc(b, thread, "write");
    hd_expr more = op(b, HD_OP_LT, hd_build_read(b, count), hd_build_const(b, k));
    add_assign(b, read, write, more, t, hd_build_read(b, x));
    hd_stmt stmts[3] = {
        {.kind = HD_STMT_ASSIGN, .var = x, .a = op(b, HD_OP_ADD, hd_build_read(b, t), hd_build_const(b, 1))},
        {.kind = HD_STMT_ASSIGN, .var = t, .a = hd_build_const(b, 0)},
        {.kind = HD_STMT_ASSIGN, .var = count, .a = op(b, HD_OP_ADD, hd_build_read(b, count), hd_build_const(b, 1))}};
    (void)hd_build_edge(b, &(hd_edge_desc){.from = write, .to = read, .stmts = stmts, .stmt_count = 3, .weight = 1});
  }
  return finish(b);
}

static hd_stmt assign_at(hd_var array, hd_expr index, hd_expr value) {
  return (hd_stmt){.kind = HD_STMT_ASSIGN, .var = array, .index = index, .a = value};
}

/* May the thread pass level `l` + 1? */
static hd_expr may_pass(hd_builder *b, uint32_t n, hd_var lev, hd_var vic, hd_expr l) {
  hd_expr self = hd_build_self(b);
  hd_expr below = hd_build_const(b, 1);
  for (uint32_t j = 0; j < n; j++) {
    hd_expr other = hd_build_const(b, j);
    hd_expr lower = op(b, HD_OP_LE, hd_build_read_at(b, lev, other), l);
    below = op(b, HD_OP_AND, below, op(b, HD_OP_OR, op(b, HD_OP_EQ, self, other), lower));
  }
  return op(b, HD_OP_OR, below, op(b, HD_OP_NE, hd_build_read_at(b, vic, l), self));
}

hd_model *hd_model_filter(uint32_t n) {
  hd_builder *b = begin();
  hd_process thread = hd_build_process(b, &(hd_process_desc){.name = "thread", .instances = n, .started = n});
  hd_var_desc array = {.name = "lev", .hi = (int64_t)n - 1, .length = n, .process = HD_NO_PROCESS};
  hd_var lev = hd_build_var(b, &array);
  array.name = "vic";
  array.length = n - 1;
  hd_var vic = hd_build_var(b, &array);
  hd_var level = add_var(b, "l", 0, (int64_t)n - 2, thread); /* levels from 0 */
  hd_loc raise = add_loc(b, thread, "raise");
  hd_loc yield = add_loc(b, thread, "yield");
  hd_loc wait = add_loc(b, thread, "wait");
  hd_loc critical = add_loc(b, thread, "critical");
  hd_expr self = hd_build_self(b);
  hd_expr l = hd_build_read(b, level);
  hd_expr last = hd_build_const(b, (int64_t)n - 2);
  hd_expr next = op(b, HD_OP_ADD, l, hd_build_const(b, 1));
  hd_expr pass = may_pass(b, n, lev, vic, l);
  hd_stmt stmt = assign_at(lev, self, next);
  hd_edge_desc edge = {.from = raise, .to = yield, .stmts = &stmt, .stmt_count = 1, .weight = 1};
  (void)hd_build_edge(b, &edge);
  stmt = assign_at(vic, l, self);
  edge.from = yield;
  edge.to = wait;
  (void)hd_build_edge(b, &edge);
  add_assign(b, wait, raise, op(b, HD_OP_AND, op(b, HD_OP_LT, l, last), pass), level, next);
  add_assign(b, wait, critical, op(b, HD_OP_AND, op(b, HD_OP_EQ, l, last), pass), level, hd_build_const(b, 0));
  stmt = assign_at(lev, self, hd_build_const(b, 0));
  edge.from = critical;
  edge.to = raise;
  (void)hd_build_edge(b, &edge);
  return finish(b);
}

hd_model *hd_model_dining(uint32_t n) {
  hd_builder *b = begin();
  hd_var forks[PEERS_MAX];
  for (uint32_t i = 0; i < n; i++) {
    forks[i] = add_var(b, "fork", i, 1, HD_NO_PROCESS);
  }
  for (uint32_t i = 0; i < n; i++) {
    hd_process philosopher = add_process(b, "philosopher", i);
    hd_loc locs[4];
    for (uint32_t l = 0; l < 4; l++) {
      locs[l] = add_loc(b, philosopher, "at");
    }
    for (uint32_t l = 0; l < 4; l++) {
      hd_var fork = forks[(i + l % 2) % n];
      bool take = l < 2;
      hd_expr free_now = op(b, HD_OP_EQ, hd_build_read(b, fork), hd_build_const(b, 0));
      add_assign(b, locs[l], locs[(l + 1) % 4], take ? free_now : HD_NO_EXPR, fork, hd_build_const(b, take));
    }
  }
  return finish(b);
}

static void add_meeting(hd_builder *b, hd_loc from, hd_loc to, hd_side side, uint32_t channel) {
  (void)hd_build_edge(
      b, &(hd_edge_desc){.from = from, .to = to, .side = side, .channel = hd_build_const(b, channel), .weight = 1});
}

hd_model *hd_model_rendezvous_dining(uint32_t n) {
  hd_builder *b = begin();
  for (uint32_t i = 0; i < n; i++) {
    hd_process philosopher = add_process(b, "philosopher", i);
    hd_loc locs[4];
    for (uint32_t l = 0; l < 4; l++) {
      locs[l] = add_loc(b, philosopher, "at");
    }
    for (uint32_t l = 0; l < 4; l++) {
      uint32_t fork = (i + l % 2) % n;
      add_meeting(b, locs[l], locs[(l + 1) % 4], HD_SIDE_SEND, 2 * fork + l / 2);
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    hd_process fork = add_process(b, "fork", i);
    hd_loc free_loc = add_loc(b, fork, "free");
    hd_loc taken = add_loc(b, fork, "taken");
    add_meeting(b, free_loc, taken, HD_SIDE_RECEIVE, 2 * i);
    add_meeting(b, taken, free_loc, HD_SIDE_RECEIVE, 2 * i + 1);
  }
  return finish(b);
}

/* Variables that never change but fill `words` words. */
static void add_padding(hd_builder *b, uint32_t words) {
  for (uint32_t i = 0; i < words; i++) {
    (void)hd_build_var(b, &(hd_var_desc){.name = "padding",
                                         .lo = 0,
                                         .hi = INT64_MAX,
                                         .init_lo = (int64_t)i + 1,
                                         .init_hi = (int64_t)i + 1,
                                         .process = HD_NO_PROCESS});
  }
}

hd_model *hd_model_chain(uint32_t n, uint32_t words) {
  hd_builder *b = begin();
  add_padding(b, words - 1);
  hd_process walker = add_process(b, "walker", 0);
  hd_var x = add_var(b, "x", 0, n, HD_NO_PROCESS);
  hd_loc here = add_loc(b, walker, "here");
  add_assign(b, here, here, op(b, HD_OP_LT, hd_build_read(b, x), hd_build_const(b, n)), x,
             op(b, HD_OP_ADD, hd_build_read(b, x), hd_build_const(b, 1)));
  return finish(b);
}

hd_model *hd_model_fan(uint32_t n) {
  hd_builder *b = begin();
  hd_process jumper = add_process(b, "jumper", 0);
  hd_var x = add_var(b, "x", 0, n, HD_NO_PROCESS);
  hd_loc start = add_loc(b, jumper, "start");
  hd_loc end = add_loc(b, jumper, "end");
  for (uint32_t i = 0; i < n; i++) {
    add_assign(b, start, end, HD_NO_EXPR, x, hd_build_const(b, i));
  }
  return finish(b);
}

hd_model *hd_model_graph(uint32_t vertices, const hd_arc *arcs, size_t arc_count, uint32_t padding) {
  hd_builder *b = begin();
  hd_process walker = add_process(b, "walker", 0);
  add_padding(b, padding);
  hd_var bit = add_var(b, "bit", 0, 1, HD_NO_PROCESS);
  hd_loc first = {0};
  for (uint32_t i = 0; i < vertices; i++) {
    hd_loc loc = hd_build_loc(b, walker, "vertex", 0, i);
    first = i == 0 ? loc : first;
    cr_assert_eq(loc.v, first.v + i, "locations of one process are numbered in a row");
  }
  for (size_t i = 0; i < arc_count; i++) {
    hd_stmt stmts[2];
    uint32_t count = 0;
    if (arcs[i].check >= 0) {
      stmts[count++] = (hd_stmt){.kind = HD_STMT_CHECK, .a = hd_build_const(b, 0), .code = (uint32_t)arcs[i].check};
    }
    if (arcs[i].fault) {
      stmts[count++] = (hd_stmt){.kind = HD_STMT_ASSIGN, .var = bit, .a = hd_build_const(b, 2)};
    }
    (void)hd_build_edge(b, &(hd_edge_desc){.from = {first.v + arcs[i].from},
                                           .to = {first.v + arcs[i].to},
                                           .stmts = stmts,
                                           .stmt_count = count,
                                           .statement = (uint32_t)i,
                                           .weight = arcs[i].weight});
  }
  return finish(b);
}

uint32_t hd_graph_vertex(const hd_model *model, const uint64_t *state) {
  return hd_model_loc_tag(model, hd_model_location(model, state, 0));
}

void hd_random_arcs(uint64_t seed, uint32_t vertices, hd_arc *arcs, size_t arc_count, uint32_t zero_in) {
  uint64_t x = seed * 0x9e3779b97f4a7c15ULL + 1;
  for (size_t i = 0; i < arc_count; i++) {
    uint64_t r[5];
    for (size_t j = 0; j < 5; j++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      r[j] = x >> 11;
    }
    arcs[i] = (hd_arc){.from = (uint32_t)(r[0] % vertices),
                       .to = (uint32_t)(r[1] % vertices),
                       .weight = zero_in != 0 && r[2] % zero_in == 0 ? 0 : 1,
                       .check = r[3] % 16 == 0 ? (int)(r[3] / 16 % 3) : -1,
                       .fault = r[4] % 16 == 0};
  }
}
