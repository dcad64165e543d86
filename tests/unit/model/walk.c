/* See walk.h. */
#include "tests/unit/model/walk.h"

#include "core/base/hash.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

static size_t find_slot(const walk *w, const uint64_t *state) {
  size_t words = hd_model_words(w->model);
  size_t slot = (size_t)hd_hash_bytes(state, words * sizeof *state) & (w->table_size - 1);
  while (w->table[slot] != 0 && memcmp(w->states + (w->table[slot] - 1) * words, state, words * sizeof *state) != 0) {
    slot = (slot + 1) & (w->table_size - 1);
  }
  return slot;
}

static void grow(walk *w) {
  size_t words = hd_model_words(w->model);
  w->capacity = w->capacity == 0 ? 64 : w->capacity * 2;
  w->states = realloc(w->states, w->capacity * words * sizeof *w->states);
  free(w->table);
  w->table_size = w->capacity * 4;
  w->table = calloc(w->table_size, sizeof *w->table);
  cr_assert(w->states != NULL && w->table != NULL);
  for (size_t i = 0; i < w->count; i++) {
    w->table[find_slot(w, w->states + i * words)] = i + 1;
  }
}

static void insert(walk *w, const uint64_t *state) {
  size_t words = hd_model_words(w->model);
  cr_assert(hd_model_state_is_valid(w->model, state), "a reachable state is not valid");
  if (w->count == w->capacity) {
    grow(w);
  }
  size_t slot = find_slot(w, state);
  if (w->table[slot] == 0) {
    memcpy(w->states + w->count * words, state, words * sizeof *state);
    w->table[slot] = ++w->count;
  }
}

typedef struct visit {
  walk *into;
  size_t steps;
} visit;

static bool take_step(void *payload, const uint64_t *next, const hd_step *step) {
  visit *here = payload;
  here->steps++;
  for (uint32_t c = 0; c < 32; c++) {
    here->into->checks[c] += (step->checks_failed >> c) & 1;
  }
  cr_assert_eq(next == NULL, step->fault != HD_FAULT_NONE);
  if (next == NULL) {
    here->into->faults[step->fault]++;
    return true;
  }
  here->into->transitions++;
  here->into->compounds += step->compound;
  here->into->partners += step->partner_instance != HD_NONE;
  insert(here->into, next);
  return true;
}

walk walk_model(const hd_model *model, const hd_filter *filter) {
  walk result = {.model = model};
  size_t words = hd_model_words(model);
  hd_stepper *stepper = hd_stepper_new(model, filter);
  uint64_t *state = malloc(words * sizeof *state);
  cr_assert(stepper != NULL && state != NULL);
  const uint64_t *initial = NULL;
  size_t initial_count = hd_model_initial(model, &initial);
  for (size_t i = 0; i < initial_count; i++) {
    insert(&result, initial + i * words);
  }
  cr_assert_eq(result.count, initial_count, "an initial state occurs twice");
  for (size_t i = 0; i < result.count; i++) {
    memcpy(state, result.states + i * words, words * sizeof *state);
    visit here = {.into = &result};
    cr_assert_eq(hd_stepper_run(stepper, state, HD_WEIGHT_ANY, take_step, &here), HD_OK);
    if (here.steps == 0) {
      hd_stop stop = hd_model_stop(model, state);
      result.proper += stop == HD_STOP_PROPER;
      result.stuck += stop == HD_STOP_STUCK;
      result.pruned += stop == HD_STOP_PRUNED;
    }
  }
  free(state);
  hd_stepper_free(stepper);
  return result;
}

void walk_free(walk *w) {
  free(w->states);
  free(w->table);
}

size_t walk_find(const walk *w, const uint64_t *state) {
  size_t slot = find_slot(w, state);
  return w->table[slot] == 0 ? SIZE_MAX : w->table[slot] - 1;
}

/* ---- building by hand ---- */

hd_model *finish(hd_builder *builder) {
  hd_model *model = NULL;
  cr_assert_eq(hd_builder_finish(builder, &model), HD_OK);
  return model;
}

hd_process add_process(hd_builder *builder, const char *name, uint32_t instances, uint32_t started) {
  return hd_build_process(builder, &(hd_process_desc){.name = name, .instances = instances, .started = started});
}

hd_loc add_loc(hd_builder *builder, hd_process process, uint32_t flags) {
  return hd_build_loc(builder, process, "loc", flags, 0);
}

hd_var add_array(hd_builder *builder, const char *name, int64_t lo, int64_t hi, int64_t init, uint32_t length) {
  hd_var_desc desc = {.name = name, .lo = lo, .hi = hi, .init_lo = init, .init_hi = init, .length = length};
  desc.process = HD_NO_PROCESS;
  return hd_build_var(builder, &desc);
}

hd_var add_var(hd_builder *builder, const char *name, int64_t lo, int64_t hi, int64_t init) {
  return add_array(builder, name, lo, hi, init, 1);
}

hd_var add_local(hd_builder *builder, hd_process process, const char *name, int64_t lo, int64_t hi, int64_t init) {
  hd_var_desc desc = {.name = name, .lo = lo, .hi = hi, .init_lo = init, .init_hi = init};
  desc.process = process;
  return hd_build_var(builder, &desc);
}

hd_expr num(hd_builder *builder, int64_t value) {
  return hd_build_const(builder, value);
}

hd_expr rd(hd_builder *builder, hd_var var) {
  return hd_build_read(builder, var);
}

hd_expr op2(hd_builder *builder, hd_op op, hd_expr a, hd_expr b) {
  return hd_build_op(builder, op, a, b, HD_NO_EXPR);
}

hd_expr is(hd_builder *builder, hd_var var, int64_t value) {
  return op2(builder, HD_OP_EQ, rd(builder, var), num(builder, value));
}

hd_stmt assign(hd_var var, hd_expr value) {
  return (hd_stmt){.kind = HD_STMT_ASSIGN, .var = var, .a = value};
}

hd_stmt set(hd_builder *builder, hd_var var, int64_t value) {
  return assign(var, num(builder, value));
}

hd_stmt push(hd_builder *builder, hd_queue queue, int64_t letter) {
  return (hd_stmt){.kind = HD_STMT_PUSH, .queue = queue, .a = num(builder, letter)};
}

hd_stmt pop(hd_builder *builder, hd_queue queue, int64_t letter) {
  return (hd_stmt){.kind = HD_STMT_POP, .queue = queue, .a = num(builder, letter)};
}

hd_edge add_edge(hd_builder *builder, hd_loc from, hd_loc to, hd_expr guard, const hd_stmt *stmts, uint32_t count) {
  hd_edge_desc desc = {.from = from, .to = to, .guard = guard, .stmts = stmts, .stmt_count = count, .weight = 1};
  return hd_build_edge(builder, &desc);
}

hd_edge add_skip(hd_builder *builder, hd_loc from, hd_loc to) {
  return add_edge(builder, from, to, HD_NO_EXPR, NULL, 0);
}

hd_edge add_do(hd_builder *builder, hd_loc from, hd_loc to, hd_expr guard, hd_stmt stmt) {
  return add_edge(builder, from, to, guard, &stmt, 1);
}

hd_edge add_send(hd_builder *builder, hd_loc from, hd_loc to, hd_expr channel, hd_expr value) {
  hd_edge_desc desc = {.from = from, .to = to, .side = HD_SIDE_SEND, .channel = channel, .value = value, .weight = 1};
  desc.kind = HD_EDGE_SEND;
  return hd_build_edge(builder, &desc);
}

hd_edge add_receive(hd_builder *builder, hd_loc from, hd_loc to, hd_expr channel, const hd_stmt *stmts,
                    uint32_t count) {
  hd_edge_desc desc = {.from = from, .to = to, .side = HD_SIDE_RECEIVE, .channel = channel, .weight = 1};
  desc.kind = HD_EDGE_RECEIVE;
  desc.stmts = stmts;
  desc.stmt_count = count;
  return hd_build_edge(builder, &desc);
}

uint64_t draw(uint64_t *seed) {
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint32_t draw_below(uint64_t *seed, uint32_t bound) {
  return (uint32_t)(draw(seed) % bound);
}
