/* Queues: first in, first out, of every length, in one word and in several, against a plain array. */
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

#include <string.h>

/* One process that may at any time push any letter, pop a certain letter, or pop any. */
static hd_model *one_queue(uint32_t capacity, uint32_t letters, hd_queue *queue) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  *queue = hd_build_queue(b, &(hd_queue_desc){.name = "q", .capacity = capacity, .letters = letters, .owner = p});
  hd_loc l = add_loc(b, p, HD_LOC_END);
  for (uint32_t letter = 1; letter <= letters; letter++) {
    add_do(b, l, l, HD_NO_EXPR, push(b, *queue, letter));
  }
  for (uint32_t letter = 1; letter <= letters; letter++) {
    add_do(b, l, l, HD_NO_EXPR, pop(b, *queue, letter));
  }
  add_do(b, l, l, HD_NO_EXPR, (hd_stmt){.kind = HD_STMT_POP, .queue = *queue});
  return finish(b);
}

/* All contents of length 0 .. k are reachable, and nothing else: sum of L^j. */
Test(queue, counts) {
  for (uint32_t k = 1; k <= 4; k++) {
    for (uint32_t letters = 1; letters <= 4; letters++) {
      hd_queue queue;
      hd_model *model = one_queue(k, letters, &queue);
      walk w = walk_model(model, NULL);
      size_t expected = 1;
      size_t full = 1;
      for (uint32_t j = 1; j <= k; j++) {
        full *= letters;
        expected += full;
      }
      cr_assert_eq(w.count, expected);
      cr_assert_eq(w.transitions, (expected - full) * letters + (expected - 1) * 2);
      hd_model_sizes sizes;
      hd_model_get_sizes(model, &sizes);
      cr_assert_eq(sizes.bytecode_rules, 0, "a queue in one word is masks only");
      cr_assert_eq(sizes.masked_rules, k * letters + letters + 1,
                   "one rule for each length at which a push can happen");
      walk_free(&w);
      hd_model_free(model);
    }
  }
}

typedef struct choice {
  uint32_t wanted, seen;
  hd_edge edge;
  uint64_t next[16];
  uint32_t words;
} choice;

static bool choose(void *payload, const uint64_t *next, const hd_step *step) {
  choice *c = payload;
  if (c->seen == c->wanted) {
    c->edge = step->edge;
    memcpy(c->next, next, c->words * sizeof *next);
  }
  c->seen++;
  return true;
}

typedef struct queue_case {
  uint32_t capacity, letters;
} queue_case;

ParameterizedTestParameters(queue, random_walk) {
  static queue_case cases[] = {{1, 1}, {2, 5}, {3, 3}, {4, 15}, {21, 7}, {32, 3}, {64, 1}, {65, 1}, {22, 7}, {40, 100}};
  return cr_make_param_array(queue_case, cases, sizeof cases / sizeof cases[0]);
}

ParameterizedTest(queue_case *given, queue, random_walk) {
  hd_queue queue;
  hd_model *model = one_queue(given->capacity, given->letters, &queue);
  hd_stepper *stepper = hd_stepper_new(model, NULL);
  uint32_t content[128];
  uint32_t expected[128];
  uint32_t length = 0;
  uint64_t state[16];
  const uint64_t *initial = NULL;
  (void)hd_model_initial(model, &initial);
  choice c = {.words = hd_model_words(model)};
  cr_assert(c.words <= 16);
  memcpy(state, initial, c.words * sizeof *state);
  uint64_t seed = 99;
  for (int turn = 0; turn < 3000; turn++) {
    c.wanted = UINT32_MAX;
    c.seen = 0;
    cr_assert_eq(hd_stepper_run(stepper, state, HD_WEIGHT_ANY, choose, &c), HD_OK);
    uint32_t possible = (length < given->capacity ? given->letters : 0) + (length > 0 ? 2 : 0);
    cr_assert_eq(c.seen, possible, "turn %d: %u steps, expected %u", turn, c.seen, possible);
    bool filling = turn / 200 % 2 == 0 && length < given->capacity;
    c.wanted = filling ? draw_below(&seed, given->letters) : draw_below(&seed, possible);
    c.seen = 0;
    cr_assert_eq(hd_stepper_run(stepper, state, HD_WEIGHT_ANY, choose, &c), HD_OK);
    if (c.edge.v < given->letters) {
      expected[length++] = c.edge.v + 1;
    } else {
      cr_assert(c.edge.v == 2 * given->letters || c.edge.v - given->letters + 1 == expected[0]);
      length--;
      memmove(expected, expected + 1, length * sizeof *expected);
    }
    memcpy(state, c.next, c.words * sizeof *state);
    cr_assert(hd_model_state_is_valid(model, state));
    cr_assert_eq(hd_model_queue_content(model, state, queue, content), length);
    cr_assert_eq(memcmp(content, expected, length * sizeof *content), 0, "turn %d", turn);
  }
  hd_stepper_free(stepper);
  hd_model_free(model);
}

/* Forwarding: pop one queue and push the other in one step, masks only, in both orders of the statements. */
Test(queue, pop_and_push_in_one_step) {
  for (int order = 0; order < 2; order++) {
    hd_builder *b = hd_builder_new();
    hd_process p = add_process(b, "p", 1, 1);
    hd_queue q1 = hd_build_queue(b, &(hd_queue_desc){.capacity = 3, .letters = 2, .owner = p});
    hd_queue q2 = hd_build_queue(b, &(hd_queue_desc){.capacity = 2, .letters = 2, .owner = p});
    hd_loc l = add_loc(b, p, HD_LOC_END);
    add_do(b, l, l, HD_NO_EXPR, push(b, q1, 2));
    hd_stmt both[2] = {pop(b, q1, 2), push(b, q2, 1)};
    if (order == 1) {
      hd_stmt swapped[2] = {both[1], both[0]};
      add_edge(b, l, l, HD_NO_EXPR, swapped, 2);
    } else {
      add_edge(b, l, l, HD_NO_EXPR, both, 2);
    }
    hd_model *model = finish(b);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.count, 4 * 3, "all pairs of lengths");
    cr_assert_eq(w.transitions, 3 * 3 + 3 * 2);
    cr_assert_eq(w.proper, 1, "both full");
    hd_model_sizes sizes;
    hd_model_get_sizes(model, &sizes);
    cr_assert_eq(sizes.bytecode_rules, 0);
    walk_free(&w);
    hd_model_free(model);
  }
}

Test(queue, letters_are_checked) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  hd_queue q = hd_build_queue(b, &(hd_queue_desc){.capacity = 2, .letters = 2, .owner = p});
  hd_var x = add_var(b, "x", 0, 3, 0);
  hd_loc l = add_loc(b, p, HD_LOC_END);
  hd_loc done = add_loc(b, p, HD_LOC_END);
  add_do(b, l, l, op2(b, HD_OP_LT, rd(b, x), num(b, 3)), assign(x, op2(b, HD_OP_ADD, rd(b, x), num(b, 1))));
  add_do(b, l, done, HD_NO_EXPR, (hd_stmt){.kind = HD_STMT_PUSH, .queue = q, .a = rd(b, x)});
  add_do(b, l, done, HD_NO_EXPR, push(b, q, 3));
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.faults[HD_FAULT_RANGE], 2 + 4, "x = 0 and x = 3, and the letter 3 in each of four states");
  cr_assert_eq(w.count, 4 + 2);
  walk_free(&w);
  hd_model_free(model);
}
