/* See workloads.h. One process type per peer or thread, as frontends build them; errors stick in the builder and come
 * out of hd_builder_finish, so that no call in between is checked.
 *
 * Closed forms (C(n,k) the binomial coefficient):
 *   ring         C(2n,n) states, 2n C(2n-2,n-1) transitions
 *   pairs        4^n, n 4^n
 *   star         2^n + n 2^n + n(n-1) 2^(n-2), by whether a request lies in the queue and whether one is being served;
 *                n 2^(n+1) + n(n-1) 2^n + n(n-1)(n-2) 2^(n-3) transitions
 *   pipeline     2^(2n-1), times (n+1)/2: every combination of stages and queues occurs
 *   dining       3^n - 1, 2n 3^(n-1) - n; with rendezvous the same
 *   chain, fan   n+1, n
 * Cost of building: linear in the edges; filter has n^2 of them, each with a guard of n-1 reads. No shared state. */
#include "bench/workloads.h"

#include "core/base/check.h"
#include "core/model/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *what;
  uint32_t least, most;
  bool has_k;
} rows[HD_WORKLOAD_COUNT] = {
#define WORKLOAD_ROW(identifier, name, least, most, two, what) {name, what, least, most, two},
    HD_WORKLOAD_TABLE(WORKLOAD_ROW)
#undef WORKLOAD_ROW
};

hd_workload hd_workload_find(const char *name) {
  unsigned i = 0;
  while (i < HD_WORKLOAD_COUNT && strcmp(rows[i].name, name) != 0) {
    i++;
  }
  return (hd_workload)i;
}

const char *hd_workload_name(hd_workload workload) {
  return rows[workload].name;
}

const char *hd_workload_words(hd_workload workload) {
  return rows[workload].what;
}

bool hd_workload_has_k(hd_workload workload) {
  return rows[workload].has_k;
}

bool hd_workload_fits(hd_workload workload, hd_workload_size size) {
  return size.n >= rows[workload].least && size.n <= rows[workload].most && size.words <= 1u << 16 &&
         (rows[workload].has_k ? size.k >= 1 && size.k <= 1u << 20 : size.k == 0);
}

/* ---- pieces ---- */

static hd_process add_process(hd_builder *b, const char *name, uint32_t number) {
  char text[32];
  (void)snprintf(text, sizeof text, "%s%" PRIu32, name, number);
  return hd_build_process(b, &(hd_process_desc){.name = text, .instances = 1, .started = 1});
}

static hd_loc add_loc(hd_builder *b, hd_process process, const char *name) {
  return hd_build_loc(b, process, name, 0, 0);
}

static hd_queue add_queue(hd_builder *b, const char *name, uint32_t number, uint32_t letters, hd_process owner) {
  char text[32];
  (void)snprintf(text, sizeof text, "%s%" PRIu32, name, number);
  return hd_build_queue(b, &(hd_queue_desc){.name = text, .capacity = 1, .letters = letters, .owner = owner});
}

static hd_var add_var(hd_builder *b, const char *name, uint32_t number, int64_t hi, hd_process process) {
  char text[32];
  (void)snprintf(text, sizeof text, "%s%" PRIu32, name, number);
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

static void add_meeting(hd_builder *b, hd_loc from, hd_loc to, hd_side side, uint32_t channel) {
  (void)hd_build_edge(
      b, &(hd_edge_desc){.from = from, .to = to, .side = side, .channel = hd_build_const(b, channel), .weight = 1});
}

static hd_expr op(hd_builder *b, hd_op o, hd_expr left, hd_expr right) {
  return hd_build_op(b, o, left, right, HD_NO_EXPR);
}

/* Variables that never change and take a word each. */
static void add_padding(hd_builder *b, uint32_t words) {
  for (uint32_t i = 1; i < words; i++) {
    (void)hd_build_var(b, &(hd_var_desc){.name = "padding",
                                         .lo = 0,
                                         .hi = INT64_MAX,
                                         .init_lo = (int64_t)i,
                                         .init_hi = (int64_t)i,
                                         .process = HD_NO_PROCESS});
  }
}

/* ---- families ---- */

static void build_ring(hd_builder *b, uint32_t n, uint32_t receive_weight) {
  hd_process peers[HD_WORKLOAD_N_MAX];
  hd_queue queues[HD_WORKLOAD_N_MAX];
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
}

static void build_pairs(hd_builder *b, uint32_t n) {
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
}

static void build_star(hd_builder *b, uint32_t n) {
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
}

static void build_pipeline(hd_builder *b, uint32_t n) {
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
}

static void build_counter(hd_builder *b, uint32_t n, uint32_t k) {
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
}

/* Nobody else is at level l or above, or somebody came to level l later than thread i. */
static hd_expr may_rise(hd_builder *b, uint32_t n, const hd_var *lev, hd_var victim, uint32_t i, uint32_t l) {
  hd_expr all = HD_NO_EXPR;
  for (uint32_t j = 0; j < n; j++) {
    if (j != i) {
      hd_expr below = op(b, HD_OP_LT, hd_build_read(b, lev[j]), hd_build_const(b, l));
      all = all.v == 0 ? below : op(b, HD_OP_AND, all, below);
    }
  }
  return op(b, HD_OP_OR, all, op(b, HD_OP_NE, hd_build_read(b, victim), hd_build_const(b, i)));
}

/* G. L. Peterson, "Myths about the mutual exclusion problem", Information Processing Letters 12(3), 1981. */
static void build_filter(hd_builder *b, uint32_t n) {
  hd_var lev[HD_WORKLOAD_N_MAX];
  hd_var victims[HD_WORKLOAD_N_MAX];
  for (uint32_t i = 0; i < n; i++) {
    lev[i] = add_var(b, "lev", i, (int64_t)n - 1, HD_NO_PROCESS);
    victims[i] = i == 0 ? HD_NO_VAR : add_var(b, "vic", i, (int64_t)n - 1, HD_NO_PROCESS);
  }
  for (uint32_t i = 0; i < n; i++) {
    hd_process thread = add_process(b, "thread", i);
    hd_loc start = add_loc(b, thread, "start");
    hd_loc at = start;
    for (uint32_t l = 1; l < n; l++) {
      hd_loc risen = add_loc(b, thread, "risen");
      hd_loc waiting = add_loc(b, thread, "waiting");
      hd_loc next = add_loc(b, thread, l + 1 < n ? "next" : "critical");
      add_assign(b, at, risen, HD_NO_EXPR, lev[i], hd_build_const(b, l));
      add_assign(b, risen, waiting, HD_NO_EXPR, victims[l], hd_build_const(b, i));
      (void)hd_build_edge(b, &(hd_edge_desc){.from = waiting,
                                             .to = next,
                                             .guard = may_rise(b, n, lev, victims[l], i, l),
                                             .kind = HD_EDGE_AWAIT,
                                             .weight = 1});
      at = next;
    }
    add_assign(b, at, start, HD_NO_EXPR, lev[i], hd_build_const(b, 0));
  }
}

static void build_dining(hd_builder *b, uint32_t n) {
  hd_var forks[HD_WORKLOAD_N_MAX];
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
      hd_expr free_now = take ? op(b, HD_OP_EQ, hd_build_read(b, fork), hd_build_const(b, 0)) : HD_NO_EXPR;
      add_assign(b, locs[l], locs[(l + 1) % 4], free_now, fork, hd_build_const(b, take));
    }
  }
}

static void build_rendezvous(hd_builder *b, uint32_t n) {
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
}

static void build_chain(hd_builder *b, uint32_t n) {
  hd_process walker = add_process(b, "walker", 0);
  hd_var x = add_var(b, "x", 0, n, HD_NO_PROCESS);
  hd_loc here = add_loc(b, walker, "here");
  add_assign(b, here, here, op(b, HD_OP_LT, hd_build_read(b, x), hd_build_const(b, n)), x,
             op(b, HD_OP_ADD, hd_build_read(b, x), hd_build_const(b, 1)));
}

static void build_fan(hd_builder *b, uint32_t n) {
  hd_process jumper = add_process(b, "jumper", 0);
  hd_var x = add_var(b, "x", 0, n, HD_NO_PROCESS);
  hd_loc start = add_loc(b, jumper, "start");
  hd_loc end = add_loc(b, jumper, "end");
  for (uint32_t i = 0; i < n; i++) {
    add_assign(b, start, end, HD_NO_EXPR, x, hd_build_const(b, i));
  }
}

hd_status hd_workload_build(hd_workload workload, hd_workload_size size, hd_model **out) {
  HD_REQUIRE(hd_workload_fits(workload, size));
  *out = NULL;
  hd_builder *b = hd_builder_new();
  if (b == NULL) {
    return HD_E_NOMEM;
  }
  add_padding(b, size.words);
  switch (workload) {
    case HD_WORKLOAD_RING:
      build_ring(b, size.n, size.free_receives ? 0 : 1);
      break;
    case HD_WORKLOAD_PAIRS:
      build_pairs(b, size.n);
      break;
    case HD_WORKLOAD_STAR:
      build_star(b, size.n);
      break;
    case HD_WORKLOAD_PIPELINE:
      build_pipeline(b, size.n);
      break;
    case HD_WORKLOAD_COUNTER:
      build_counter(b, size.n, size.k);
      break;
    case HD_WORKLOAD_FILTER:
      build_filter(b, size.n);
      break;
    case HD_WORKLOAD_DINING:
      build_dining(b, size.n);
      break;
    case HD_WORKLOAD_RENDEZVOUS:
      build_rendezvous(b, size.n);
      break;
    case HD_WORKLOAD_CHAIN:
      build_chain(b, size.n);
      break;
    case HD_WORKLOAD_FAN:
      build_fan(b, size.n);
      break;
    case HD_WORKLOAD_COUNT:
      break;
  }
  return hd_builder_finish(b, out);
}

/* ---- exact counts ---- */

static uint64_t binomial(uint64_t n, uint64_t k) {
  uint64_t result = 1;
  for (uint64_t i = 1; i <= k; i++) {
    result = result * (n - k + i) / i; /* the quotient is C(n-k+i, i) */
  }
  return result;
}

static uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (uint64_t i = 0; i < exponent; i++) {
    result *= base;
  }
  return result;
}

/* base * 2^exponent, where a negative exponent divides without rest. */
static uint64_t scaled(uint64_t base, int64_t exponent) {
  return exponent >= 0 ? base << exponent : base >> -exponent;
}

/* Sizes without a closed form. */
static const struct {
  hd_workload workload;
  uint32_t n, k;
  uint64_t states, transitions;
} known[] = {
    {HD_WORKLOAD_COUNTER, 2, 1, 12, 14},
    {HD_WORKLOAD_COUNTER, 2, 2, 57, 82},
    {HD_WORKLOAD_COUNTER, 2, 3, 195, 310},
    {HD_WORKLOAD_COUNTER, 3, 1, 59, 99},
    {HD_WORKLOAD_COUNTER, 3, 2, 904, 1977},
    {HD_WORKLOAD_COUNTER, 3, 3, 7646, 18843},
    {HD_WORKLOAD_COUNTER, 4, 1, 330, 740},
    {HD_WORKLOAD_COUNTER, 4, 2, 17231, 51708},
    {HD_WORKLOAD_COUNTER, 4, 3, 361775, 1225956},
    {HD_WORKLOAD_COUNTER, 4, 4, 3892125, 13955872},
    {HD_WORKLOAD_COUNTER, 4, 5, 26004933, 96083236},
    {HD_WORKLOAD_COUNTER, 5, 2, 384466, 1479015},
    {HD_WORKLOAD_COUNTER, 5, 3, 20327529, 88102240},
    {HD_WORKLOAD_FILTER, 2, 0, 20, 34},
    {HD_WORKLOAD_FILTER, 3, 0, 417, 945},
    {HD_WORKLOAD_FILTER, 4, 0, 9272, 25792},
    {HD_WORKLOAD_FILTER, 5, 0, 223105, 741065},
    {HD_WORKLOAD_FILTER, 6, 0, 5779920, 22245396},
};

static bool look_up(hd_workload workload, hd_workload_size size, uint64_t *states, uint64_t *transitions) {
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (known[i].workload == workload && known[i].n == size.n && known[i].k == size.k) {
      *states = known[i].states;
      *transitions = known[i].transitions;
      return true;
    }
  }
  return false;
}

bool hd_workload_expected(hd_workload workload, hd_workload_size size, uint64_t *states, uint64_t *transitions) {
  uint64_t n = size.n;
  bool small = n <= 28; /* everything below fits 64 bits */
  switch (workload) {
    case HD_WORKLOAD_RING:
      *states = small ? binomial(2 * n, n) : 0;
      *transitions = small ? 2 * n * binomial(2 * n - 2, n - 1) : 0;
      return small;
    case HD_WORKLOAD_PAIRS:
      *states = small ? power(4, n) : 0;
      *transitions = n * *states;
      return small;
    case HD_WORKLOAD_STAR:
      if (small) {
        int64_t e = (int64_t)n;
        *states = scaled(1 + n, e) + scaled(n * (n - 1), e - 2);
        *transitions = scaled(n, e + 1) + scaled(n * (n - 1), e) + scaled(n * (n - 1) * (n - 2), e - 3);
      }
      return small;
    case HD_WORKLOAD_PIPELINE:
      *states = small ? power(2, 2 * n - 1) : 0;
      *transitions = *states / 2 * (n + 1);
      return small;
    case HD_WORKLOAD_DINING:
    case HD_WORKLOAD_RENDEZVOUS:
      *states = small ? power(3, n) - 1 : 0;
      *transitions = small ? 2 * n * power(3, n - 1) - n : 0;
      return small;
    case HD_WORKLOAD_CHAIN:
    case HD_WORKLOAD_FAN:
      *states = n + 1;
      *transitions = n;
      return true;
    case HD_WORKLOAD_COUNTER:
    case HD_WORKLOAD_FILTER:
      return look_up(workload, size, states, transitions);
    case HD_WORKLOAD_COUNT:
      break;
  }
  return false;
}

/* ---- .fsa ---- */

static void begin_machine(hd_buffer *out, const char *name, uint32_t number) {
  hd_buffer_printf(out, "%s.outputs %s%" PRIu32 "\n.state graph\n", out->size_bytes > 0 ? "\n" : "", name, number);
}

static void end_machine(hd_buffer *out, const char *initial) {
  hd_buffer_printf(out, ".marking %s\n.end\n", initial);
}

static void print_ring(hd_buffer *out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    begin_machine(out, "peer", i);
    hd_buffer_printf(out, "sending peer%" PRIu32 " ! m receiving\nreceiving peer%" PRIu32 " ? m sending\n", (i + 1) % n,
                     (i + n - 1) % n);
    end_machine(out, "sending");
  }
}

static void print_pairs(hd_buffer *out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    begin_machine(out, "a", i);
    hd_buffer_printf(out, "send b%" PRIu32 " ! ask receive\nreceive b%" PRIu32 " ? answer send\n", i, i);
    end_machine(out, "send");
    begin_machine(out, "b", i);
    hd_buffer_printf(out, "receive a%" PRIu32 " ? ask send\nsend a%" PRIu32 " ! answer receive\n", i, i);
    end_machine(out, "receive");
  }
}

static void print_star(hd_buffer *out, uint32_t n) {
  begin_machine(out, "server", 0);
  for (uint32_t i = 0; i < n; i++) {
    hd_buffer_printf(
        out, "idle client%" PRIu32 " ? name serving%" PRIu32 "\nserving%" PRIu32 " client%" PRIu32 " ! reply idle\n", i,
        i, i, i);
  }
  end_machine(out, "idle");
  for (uint32_t i = 0; i < n; i++) {
    begin_machine(out, "client", i);
    hd_buffer_add_text(out, "ask server0 ! name wait\nwait server0 ? reply ask\n");
    end_machine(out, "ask");
  }
}

static void print_pipeline(hd_buffer *out, uint32_t n) {
  begin_machine(out, "peer", 0);
  hd_buffer_add_text(out, "send peer1 ! x send\n");
  end_machine(out, "send");
  for (uint32_t i = 1; i < n; i++) {
    begin_machine(out, "peer", i);
    hd_buffer_printf(out, "receive peer%" PRIu32 " ? x send\nsend peer%" PRIu32 " ! x receive\n", i - 1, i + 1);
    end_machine(out, "receive");
  }
  begin_machine(out, "peer", n);
  hd_buffer_printf(out, "receive peer%" PRIu32 " ? x receive\n", n - 1);
  end_machine(out, "receive");
}

bool hd_workload_print_fsa(hd_workload workload, hd_workload_size size, hd_buffer *out) {
  HD_REQUIRE(hd_workload_fits(workload, size));
  switch (workload) {
    case HD_WORKLOAD_RING:
      print_ring(out, size.n);
      return true;
    case HD_WORKLOAD_PAIRS:
      print_pairs(out, size.n);
      return true;
    case HD_WORKLOAD_STAR:
      print_star(out, size.n);
      return true;
    case HD_WORKLOAD_PIPELINE:
      print_pipeline(out, size.n);
      return true;
    case HD_WORKLOAD_COUNTER:
    case HD_WORKLOAD_FILTER:
    case HD_WORKLOAD_DINING:
    case HD_WORKLOAD_RENDEZVOUS:
    case HD_WORKLOAD_CHAIN:
    case HD_WORKLOAD_FAN:
    case HD_WORKLOAD_COUNT:
      break;
  }
  return false;
}
