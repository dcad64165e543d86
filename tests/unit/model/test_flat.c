/* The fast path gives the same successors in the same order as the general one, and stands aside where it must. */
#include "core/base/machine.h"
#include "core/model/builder.h"
#include "core/model/filter.h"
#include "core/model/internal.h"
#include "tests/support/hd_test.h"
#include "walk.h"

#include <stdlib.h>
#include <string.h>

enum { SUCCESSORS_MAX = 4096, PROCESSES_MAX = 5, LOCS = 3 };

typedef struct successors {
  uint64_t *words;
  size_t count;
  uint32_t width;
} successors;

static bool collect(void *payload, const uint64_t *next, const hd_step *step) {
  successors *s = payload;
  cr_assert_eq(step->fault, HD_FAULT_NONE);
  cr_assert_lt(s->count, (size_t)SUCCESSORS_MAX);
  memcpy(s->words + s->count++ * s->width, next, s->width * sizeof *next);
  return true;
}

/* Compares the two paths on every reachable state (the first `states_max`) and returns how many steps were compared.
 * The fast path gets all the states it can take at once, with the least room that it must accept and a little more. */
static size_t compare(const hd_model *model, size_t states_max, size_t more_room) {
  uint32_t width = hd_model_words(model);
  hd_stepper *stepper = hd_stepper_new(model, NULL);
  size_t room = (size_t)hd_stepper_bulk_max(stepper) + HD_BULK_SLACK + more_room;
  cr_assert_gt(room, (size_t)HD_BULK_SLACK + more_room);
  uint64_t *next = malloc(room * width * sizeof *next);
  successors s = {.words = malloc(SUCCESSORS_MAX * width * sizeof(uint64_t)), .width = width};
  walk w = walk_model(model, NULL);
  uint32_t count = (uint32_t)(w.count < states_max ? w.count : states_max);
  uint32_t *ends = malloc(count * sizeof *ends);
  size_t steps = 0;
  for (int weights = HD_WEIGHT_ANY; weights <= HD_WEIGHT_ONE; weights++) {
    for (uint32_t i = 0; i < count;) {
      bool odd = true;
      uint32_t done = hd_stepper_bulk_run(stepper, w.states + (size_t)i * width, count - i, (hd_weight_filter)weights,
                                          next, room, ends, &odd);
      cr_assert_not(odd);
      cr_assert_gt(done, 0u);
      cr_assert_leq(done, count - i);
      cr_assert_leq(ends[done - 1] + (size_t)HD_BULK_SLACK, room);
      for (uint32_t d = 0; d < done; d++) {
        uint32_t begin = d == 0 ? 0 : ends[d - 1];
        s.count = 0;
        cr_assert_eq(
            hd_stepper_run(stepper, w.states + (size_t)(i + d) * width, (hd_weight_filter)weights, collect, &s), HD_OK);
        cr_assert_eq(ends[d] - begin, s.count, "weights %d", weights);
        cr_assert_eq(memcmp(next + (size_t)begin * width, s.words, s.count * width * sizeof *next), 0, "weights %d",
                     weights);
      }
      steps += ends[done - 1];
      i += done;
    }
  }
  walk_free(&w);
  free(ends);
  free(next);
  free(s.words);
  hd_stepper_free(stepper);
  return steps;
}

typedef struct simple {
  hd_builder *builder;
  uint64_t seed;
  bool eager; /* location 0 of every process is */
  hd_loc locs[PROCESSES_MAX][LOCS];
  hd_var vars[4];
  hd_queue queues[2];
} simple;

/* A random edge that tier 1 can say: guards var == constant, constant assignments, queues, rendezvous on fixed
 * channels. */
static void random_edge(simple *s, uint32_t process) {
  hd_stmt stmts[2];
  uint32_t count = 0;
  uint32_t from = draw_below(&s->seed, LOCS);
  hd_edge_desc desc = {.from = s->locs[process][from], .to = s->locs[process][draw_below(&s->seed, LOCS)]};
  desc.weight = draw_below(&s->seed, 2);
  if (draw_below(&s->seed, 3) == 0) {
    desc.guard = is(s->builder, s->vars[draw_below(&s->seed, 4)], draw_below(&s->seed, 3));
  }
  if (draw_below(&s->seed, 2) == 0) {
    stmts[count++] = set(s->builder, s->vars[draw_below(&s->seed, 4)], draw_below(&s->seed, 3));
  }
  uint32_t kind = draw_below(&s->seed, 4);
  hd_queue queue = s->queues[draw_below(&s->seed, 2)];
  if (kind == 0) {
    stmts[count++] = push(s->builder, queue, 1 + draw_below(&s->seed, 2));
  } else if (kind == 1) {
    stmts[count++] = pop(s->builder, queue, 1 + draw_below(&s->seed, 2));
  } else if (kind == 2 && !(s->eager && from == 0)) { /* no rendezvous from an eager location */
    desc.side = draw_below(&s->seed, 2) == 0 ? HD_SIDE_SEND : HD_SIDE_RECEIVE;
    desc.channel = num(s->builder, draw_below(&s->seed, 2));
  }
  desc.stmts = stmts;
  desc.stmt_count = count;
  hd_build_edge(s->builder, &desc);
}

/* `padding` variables of 60 bits make the state wider than one word. */
static hd_model *simple_model(uint64_t seed, uint32_t padding) {
  simple s = {.builder = hd_builder_new(), .seed = seed};
  s.eager = draw_below(&s.seed, 3) == 0;
  uint32_t processes = 2 + draw_below(&s.seed, PROCESSES_MAX - 1);
  for (uint32_t p = 0; p < processes; p++) {
    hd_process process = add_process(s.builder, "p", 1, 1);
    for (uint32_t l = 0; l < LOCS; l++) {
      s.locs[p][l] = add_loc(s.builder, process, HD_LOC_END | (s.eager && l == 0 ? HD_LOC_EAGER : 0u));
    }
  }
  for (uint32_t i = 0; i < padding; i++) {
    add_var(s.builder, "wide", 0, ((int64_t)1 << 60) - 1, (int64_t)(seed >> 8));
  }
  for (uint32_t i = 0; i < 4; i++) {
    s.vars[i] = add_var(s.builder, "v", 0, 2, 0);
  }
  for (uint32_t i = 0; i < 2; i++) {
    s.queues[i] = hd_build_queue(
        s.builder,
        &(hd_queue_desc){.name = "q", .capacity = 1 + draw_below(&s.seed, 3), .letters = 2, .owner = HD_NO_PROCESS});
  }
  uint32_t edges = 6 + draw_below(&s.seed, 14);
  for (uint32_t i = 0; i < edges; i++) {
    random_edge(&s, draw_below(&s.seed, processes));
  }
  return finish(s.builder);
}

static bool has_fast_path(const hd_model *model) {
  hd_stepper *stepper = hd_stepper_new(model, NULL);
  bool fast = hd_stepper_bulk_max(stepper) > 0;
  hd_stepper_free(stepper);
  return fast;
}

/* By groups, and with each kind of vector instructions that this machine has. */
Test(flat, random_models_of_one_word_have_the_same_successors) {
  for (int simd = HD_SIMD_NONE; simd < HD_SIMD_COUNT; simd++) {
    hd_machine_limit_simd((hd_simd)simd);
    size_t steps = 0;
    unsigned flat = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
      hd_model *model = simple_model(seed, 0);
      if (has_fast_path(model)) {
        flat++;
        steps += compare(model, 300, seed % 40);
      }
      hd_model_free(model);
    }
    cr_assert_gt(flat, 100u, "only %u models were flat", flat);
    cr_assert_gt(steps, 10000u, "only %zu steps were compared", steps);
  }
}

Test(flat, random_models_of_several_words_have_the_same_successors) {
  for (int simd = HD_SIMD_NONE; simd < HD_SIMD_COUNT; simd++) {
    hd_machine_limit_simd((hd_simd)simd);
    size_t steps = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
      hd_model *model = simple_model(seed * 31, 2);
      if (has_fast_path(model)) {
        cr_assert_gt(hd_model_words(model), 1u);
        steps += compare(model, 200, seed % 3);
      }
      hd_model_free(model);
    }
    cr_assert_gt(steps, 3000u, "only %zu steps were compared", steps);
  }
}

/* One process with one edge, changed by `what`. */
static bool is_flat_with(const char *what) {
  hd_builder *builder = hd_builder_new();
  hd_process process = add_process(builder, "p", 1, 1);
  bool exclusive = strcmp(what, "exclusive") == 0, atomic = strcmp(what, "atomic") == 0;
  hd_loc a = add_loc(builder, process, 0);
  hd_loc b = add_loc(builder, process, exclusive ? HD_LOC_EXCLUSIVE : atomic ? HD_LOC_ATOMIC : 0u);
  add_skip(builder, b, a);
  hd_var x = add_var(builder, "x", 0, 3, 0);
  hd_label label = hd_build_label(builder, "l");
  hd_stmt stmt = set(builder, x, 1);
  if (strcmp(what, "code") == 0) {
    stmt = assign(x, op2(builder, HD_OP_ADD, rd(builder, x), num(builder, 1)));
  }
  hd_edge_desc desc = {.from = a, .to = b, .stmts = &stmt, .stmt_count = 1, .label = label, .weight = 1};
  if (strcmp(what, "channel") == 0) {
    desc.side = HD_SIDE_SEND;
    desc.channel = rd(builder, x);
  }
  hd_build_edge(builder, &desc);
  if (strcmp(what, "monitor") == 0) {
    hd_build_monitor(builder, "m", 1, 0, &label, 1);
  }
  hd_model *model = finish(builder);
  hd_filter *filter = hd_filter_new(model);
  if (strcmp(what, "filter") == 0) {
    hd_filter_protect_weak(filter, b);
  }
  hd_stepper *stepper = hd_stepper_new(model, filter);
  bool flat = model->flat.valid && hd_stepper_bulk_max(stepper) > 0;
  hd_stepper_free(stepper);
  hd_filter_free(filter);
  hd_model_free(model);
  return flat;
}

Test(flat, whatever_needs_more_than_a_masked_write_is_not_flat) {
  static const char *const others[] = {"exclusive", "atomic", "code", "channel", "monitor", "filter"};
  cr_assert(is_flat_with("nothing"));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    cr_assert_not(is_flat_with(others[i]), "%s", others[i]);
  }
}

static bool count_step(void *payload, const uint64_t *next, const hd_step *step) {
  (void)next;
  uint32_t *instances = payload;
  instances[step->instance]++;
  return true;
}

/* Two processes: p can step at once, q may go first unless p is at an eager location. */
static void eager_pair(bool eager, bool blocked, uint32_t steps[2]) {
  hd_builder *builder = hd_builder_new();
  hd_var x = add_var(builder, "x", 0, 1, blocked ? 1 : 0);
  hd_process p = add_process(builder, "p", 1, 1), q = add_process(builder, "q", 1, 1);
  hd_loc p0 = add_loc(builder, p, eager ? HD_LOC_EAGER : 0u), p1 = add_loc(builder, p, 0);
  hd_loc q0 = add_loc(builder, q, 0), q1 = add_loc(builder, q, 0);
  add_edge(builder, p0, p1, is(builder, x, 0), NULL, 0);
  add_skip(builder, q0, q1);
  hd_model *model = finish(builder);
  hd_stepper *stepper = hd_stepper_new(model, NULL);
  const uint64_t *state;
  cr_assert_eq(hd_model_initial(model, &state), 1u);
  steps[0] = steps[1] = 0;
  cr_assert_eq(hd_stepper_run(stepper, state, HD_WEIGHT_ANY, count_step, steps), HD_OK);
  hd_stepper_free(stepper);
  hd_model_free(model);
}

Test(flat, an_eager_process_that_can_step_makes_the_only_steps) {
  uint32_t steps[2];
  eager_pair(false, false, steps);
  cr_assert(steps[0] == 1 && steps[1] == 1);
  eager_pair(true, false, steps);
  cr_assert(steps[0] == 1 && steps[1] == 0);
  eager_pair(true, true, steps); /* it cannot step: the others go on */
  cr_assert(steps[0] == 0 && steps[1] == 1);
}
