/* See random_model.h. Two process types (A: all instances run; B: some start dead, are spawned and die), scalars,
 * arrays, two queues, a pool, a monitor, edges of all kinds between four locations each. */
#include "tests/unit/model/random_model.h"

#include "core/model/internal.h"
#include "tests/unit/model/walk.h"

#include <string.h>

enum { GLOBALS = 4, QUEUES = 2, TYPES = 2, LOCS = 4, EDGES = 9, LABELS = 3 };

typedef struct shape {
  hd_builder *b;
  uint64_t seed;
  bool flags;
  hd_var globals[GLOBALS], array, pool;
  int64_t lo[GLOBALS], hi[GLOBALS];
  hd_queue queues[QUEUES];
  uint32_t letters[QUEUES];
  hd_process types[TYPES];
  hd_var locals[TYPES], local_arrays[TYPES];
  hd_loc locs[TYPES][LOCS];
  hd_label labels[LABELS];
} shape;

static uint32_t below(shape *s, uint32_t bound) {
  return draw_below(&s->seed, bound);
}

static void make_data(shape *s) {
  for (int i = 0; i < GLOBALS; i++) {
    s->lo[i] = (int64_t)below(s, 4) - 2;
    s->hi[i] = s->lo[i] + (int64_t)below(s, 7);
    hd_var_desc desc = {.name = "g", .lo = s->lo[i], .hi = s->hi[i], .process = HD_NO_PROCESS};
    desc.init_lo = s->lo[i];
    desc.init_hi = i == 0 ? s->hi[i] : s->lo[i];
    s->globals[i] = hd_build_var(s->b, &desc);
  }
  s->array = add_array(s->b, "array", 0, 2, 1, 3);
  s->pool = add_array(s->b, "pool", 0, 1, 0, 2);
  for (int i = 0; i < QUEUES; i++) {
    s->letters[i] = 1 + below(s, 3);
    uint32_t capacity = i == 0 || below(s, 6) != 0 ? 1 + below(s, 4) : 40;
    hd_queue_desc desc = {.name = "q", .capacity = capacity, .letters = s->letters[i], .owner = HD_NO_PROCESS};
    desc.owner = below(s, 2) == 0 ? s->types[0] : HD_NO_PROCESS;
    s->queues[i] = hd_build_queue(s->b, &desc);
  }
}

static void make_processes(shape *s) {
  s->types[0] = add_process(s->b, "A", 2, 2);
  s->types[1] = add_process(s->b, "B", 3, 1);
  static const uint32_t extra[] = {HD_LOC_ATOMIC, HD_LOC_ATOMIC_WEAK, HD_LOC_EXCLUSIVE, HD_LOC_END};
  for (int t = 0; t < TYPES; t++) {
    for (int l = 0; l < LOCS; l++) {
      uint32_t flags = s->flags && below(s, 4) == 0 ? extra[below(s, 4)] : 0;
      s->locs[t][l] = add_loc(s->b, s->types[t], flags);
    }
    s->locals[t] = add_local(s->b, s->types[t], "l", -1, 2, 0);
    hd_var_desc desc = {.name = "la", .lo = 0, .hi = 3, .init_lo = 2, .init_hi = 2, .length = 2};
    desc.process = s->types[t];
    s->local_arrays[t] = hd_build_var(s->b, &desc);
  }
}

static void make_monitor(shape *s) {
  static const char *const names[LABELS] = {"a", "b", "c"};
  for (int i = 0; i < LABELS; i++) {
    s->labels[i] = hd_build_label(s->b, names[i]);
  }
  hd_monitor monitor = hd_build_monitor(s->b, "m", 3, 1, s->labels, 2);
  for (uint32_t from = 0; from < 3; from++) {
    for (int l = 0; l < 2; l++) {
      if (below(s, 3) != 0) {
        hd_build_monitor_arc(s->b, monitor, from, s->labels[l], below(s, 3));
      }
    }
  }
}

static hd_expr constant(shape *s) {
  return num(s->b, (int64_t)below(s, 8) - 3);
}

/* Something that has a value: a variable, an element, a queue, a location. */
static hd_expr subject(shape *s, int t) {
  switch (below(s, 9)) {
    case 0:
    case 1:
    case 2:
      return rd(s->b, s->globals[below(s, GLOBALS)]);
    case 3:
      return rd(s->b, s->locals[t]);
    case 4:
      return hd_build_read_at(s->b, s->array, num(s->b, below(s, 4)));
    case 5:
      return hd_build_read_at(s->b, s->local_arrays[t], below(s, 2) == 0 ? num(s->b, 1) : hd_build_self(s->b));
    case 6:
      return hd_build_queue_length(s->b, s->queues[below(s, QUEUES)]);
    case 7:
      return hd_build_queue_head(s->b, s->queues[below(s, QUEUES)]);
    default:
      return hd_build_at(s->b, below(s, 2), s->locs[below(s, TYPES)][below(s, LOCS)]);
  }
}

static hd_expr condition(shape *s, int t, int depth, bool may_ask) {
  if (depth > 0 && below(s, 2) == 0) {
    hd_expr a = condition(s, t, depth - 1, may_ask);
    hd_expr b = condition(s, t, depth - 1, may_ask);
    return op2(s->b, below(s, 3) == 0 ? HD_OP_OR : HD_OP_AND, a, b);
  }
  hd_op op = (hd_op)(HD_OP_EQ + (int)below(s, 6));
  switch (below(s, 10)) {
    case 0:
      return hd_build_op(s->b, HD_OP_NOT, condition(s, t, 0, may_ask), HD_NO_EXPR, HD_NO_EXPR);
    case 1:
      return may_ask ? hd_build_partner_ready(s->b, below(s, 2) == 0 ? HD_SIDE_SEND : HD_SIDE_RECEIVE,
                                              num(s->b, below(s, 3)))
                     : subject(s, t);
    case 2:
      return op2(s->b, op, subject(s, t), subject(s, t));
    case 3:
      return op2(s->b, op, constant(s), subject(s, t));
    case 4:
      return op2(s->b, op, op2(s->b, HD_OP_MOD, subject(s, t), subject(s, t)), constant(s));
    case 5:
      return subject(s, t);
    default:
      return op2(s->b, op, subject(s, t), constant(s));
  }
}

static hd_expr value(shape *s, int t, bool received) {
  switch (below(s, 6)) {
    case 0:
      return subject(s, t);
    case 1:
      return op2(s->b, HD_OP_ADD, subject(s, t), num(s->b, 1));
    case 2:
      return received ? hd_build_received(s->b) : hd_build_self(s->b);
    default:
      return constant(s);
  }
}

static hd_stmt assignment(shape *s, int t, bool received) {
  uint32_t g = below(s, GLOBALS);
  hd_stmt stmt = {.kind = HD_STMT_ASSIGN};
  switch (below(s, 5)) {
    case 0:
      stmt.var = s->locals[t];
      stmt.a = value(s, t, received);
      break;
    case 1:
      stmt.var = s->array;
      stmt.index = below(s, 2) == 0 ? num(s->b, below(s, 3)) : subject(s, t);
      stmt.a = num(s->b, below(s, 3));
      break;
    case 2:
      stmt.var = s->globals[g];
      stmt.a = value(s, t, received);
      break;
    default: /* a constant of the domain: maskable */
      stmt.var = s->globals[g];
      stmt.a = num(s->b, s->lo[g] + (int64_t)below(s, (uint32_t)(s->hi[g] - s->lo[g]) + 1));
      break;
  }
  return stmt;
}

static hd_stmt statement(shape *s, int t, bool received, uint32_t queue, hd_expr *argument) {
  hd_stmt stmt = {.kind = HD_STMT_POP, .queue = s->queues[queue]};
  switch (below(s, 9)) {
    case 0:
    case 1:
      stmt.kind = HD_STMT_PUSH;
      stmt.a = below(s, 4) == 0 ? value(s, t, received) : num(s->b, 1 + below(s, s->letters[queue]));
      return stmt;
    case 2:
    case 3:
      if (below(s, 3) != 0) {
        stmt.a = below(s, 4) == 0 ? subject(s, t) : num(s->b, 1 + below(s, s->letters[queue]));
      }
      return stmt;
    case 4:
      return (hd_stmt){.kind = HD_STMT_CHECK, .a = condition(s, t, 1, true), .code = below(s, 4)};
    case 5:
      *argument = constant(s);
      stmt = (hd_stmt){.kind = HD_STMT_SPAWN, .process = s->types[1], .arguments = argument};
      stmt.argument_count = below(s, 2);
      return stmt;
    case 6:
      return below(s, 2) == 0
                 ? (hd_stmt){.kind = HD_STMT_TAKE, .var = s->locals[t], .array = s->pool}
                 : (hd_stmt){
                       .kind = HD_STMT_ASSIGN, .var = s->pool, .index = num(s->b, below(s, 2)), .a = num(s->b, 0)};
    default:
      return assignment(s, t, received);
  }
}

static void make_edge(shape *s, int t) {
  hd_edge_desc desc = {.from = s->locs[t][below(s, LOCS)], .to = s->locs[t][below(s, LOCS)]};
  if (t == 1 && below(s, 4) == 0) {
    desc.to = hd_build_dead(s->b, s->types[1]);
  }
  desc.side = below(s, 3) == 0 ? (hd_side)(1 + below(s, 2)) : HD_SIDE_NONE;
  bool receives = desc.side == HD_SIDE_RECEIVE;
  if (below(s, 3) != 0) {
    desc.guard = condition(s, t, 2, desc.side == HD_SIDE_NONE);
  }
  if (desc.side != HD_SIDE_NONE) {
    desc.channel = below(s, 4) == 0 ? subject(s, t) : num(s->b, below(s, 3));
    desc.value = desc.side == HD_SIDE_SEND && below(s, 2) == 0 ? value(s, t, false) : HD_NO_EXPR;
  }
  hd_stmt stmts[QUEUES];
  hd_expr arguments[QUEUES];
  desc.stmt_count = below(s, QUEUES + 1);
  for (uint32_t i = 0; i < desc.stmt_count; i++) { /* at most one statement per queue */
    stmts[i] = statement(s, t, receives, i, &arguments[i]);
  }
  desc.stmts = stmts;
  desc.label = below(s, 4) == 0 ? s->labels[below(s, LABELS)] : HD_NO_LABEL;
  desc.weight = below(s, 2);
  desc.statement = 100 + below(s, 100);
  hd_build_edge(s->b, &desc);
}

hd_model *random_model(uint64_t seed, bool force_code, bool flags) {
  shape s = {.b = hd_builder_new(), .seed = seed, .flags = flags};
  if (force_code) {
    hdi_builder_force_code(s.b);
  }
  make_processes(&s);
  make_data(&s);
  make_monitor(&s);
  for (int t = 0; t < TYPES; t++) {
    for (int i = 0; i < EDGES; i++) {
      make_edge(&s, t);
    }
  }
  return finish(s.b);
}

void random_neighbour(const hd_model *model, uint64_t *seed, uint64_t *state) {
  uint64_t old;
  for (int turn = 0; turn < 12; turn++) {
    const hdi_field *field = &model->fields.data[draw_below(seed, (uint32_t)model->fields.count)];
    old = state[field->word];
    hdi_field_put(field, state, draw(seed) % (field->top + 1));
    if (!hd_model_state_is_valid(model, state)) {
      state[field->word] = old;
    }
  }
}
