/* The two tiers must agree: every random model is compiled with masks and with stack code only, and all steps of many
 * states are compared, with order, faults, checks and inner edges. */
#include "core/model/internal.h"
#include "tests/support/hd_test.h"
#include "tests/unit/model/random_model.h"
#include "tests/unit/model/walk.h"

#include <string.h>

enum { STEPS_MAX = 4096, WORDS_MAX = 8, STATES_MAX = 150 };

typedef struct listed {
  hd_step step;
  uint64_t next[WORDS_MAX];
  size_t inner_count;
  hd_inner first_inner, last_inner;
} listed;

typedef struct list {
  const hd_stepper *stepper;
  uint32_t words;
  size_t count;
  listed steps[STEPS_MAX];
} list;

static bool collect(void *payload, const uint64_t *next, const hd_step *step) {
  list *l = payload;
  cr_assert(l->count < STEPS_MAX);
  listed *entry = &l->steps[l->count++];
  memset(entry, 0, sizeof *entry);
  entry->step = *step;
  if (next != NULL) {
    memcpy(entry->next, next, l->words * sizeof *next);
  }
  const hd_inner *inner = NULL;
  entry->inner_count = hd_stepper_inner(l->stepper, &inner);
  if (entry->inner_count > 0) {
    entry->first_inner = inner[0];
    entry->last_inner = inner[entry->inner_count - 1];
  }
  return true;
}

static void run(list *l, const hd_model *model, hd_stepper *stepper, const uint64_t *state, hd_weight_filter weights) {
  l->count = 0;
  l->stepper = stepper;
  l->words = hd_model_words(model);
  cr_assert_eq(hd_stepper_run(stepper, state, weights, collect, l), HD_OK);
}

static bool same_inner(const hd_inner *a, const hd_inner *b) {
  return a->edge.v == b->edge.v && a->instance == b->instance && a->partner_edge.v == b->partner_edge.v &&
         a->partner_instance == b->partner_instance;
}

static bool same(const listed *a, const listed *b) {
  return a->step.edge.v == b->step.edge.v && a->step.instance == b->step.instance &&
         a->step.partner_edge.v == b->step.partner_edge.v && a->step.partner_instance == b->step.partner_instance &&
         a->step.label.v == b->step.label.v && a->step.weight == b->step.weight && a->step.fault == b->step.fault &&
         a->step.fault_detail == b->step.fault_detail && a->step.compound == b->step.compound &&
         a->step.checks_failed == b->step.checks_failed && memcmp(a->next, b->next, sizeof a->next) == 0 &&
         a->inner_count == b->inner_count && same_inner(&a->first_inner, &b->first_inner) &&
         same_inner(&a->last_inner, &b->last_inner);
}

static list masked, coded, other;

static void compare_state(uint64_t round, const hd_model *models[2], hd_stepper *steppers[2], const uint64_t *state) {
  run(&masked, models[0], steppers[0], state, HD_WEIGHT_ANY);
  run(&coded, models[1], steppers[1], state, HD_WEIGHT_ANY);
  cr_assert_eq(masked.count, coded.count, "round %llu: %zu steps with masks, %zu with code", (unsigned long long)round,
               masked.count, coded.count);
  for (size_t i = 0; i < masked.count; i++) {
    cr_assert(same(&masked.steps[i], &coded.steps[i]), "round %llu: step %zu differs", (unsigned long long)round, i);
    cr_assert(masked.steps[i].step.fault != HD_FAULT_NONE || hd_model_state_is_valid(models[0], masked.steps[i].next));
  }
  for (int w = 0; w < 2; w++) { /* the weight filters split the same list */
    run(&other, models[0], steppers[0], state, w == 0 ? HD_WEIGHT_ZERO : HD_WEIGHT_ONE);
    size_t k = 0;
    for (size_t i = 0; i < masked.count; i++) {
      if (masked.steps[i].step.weight == (uint32_t)w) {
        cr_assert(k < other.count && same(&masked.steps[i], &other.steps[k]));
        k++;
      }
    }
    cr_assert_eq(k, other.count);
  }
}

typedef struct frontier {
  const hd_model *model;
  uint64_t states[STATES_MAX * WORDS_MAX];
  size_t count;
} frontier;

static bool keep(void *payload, const uint64_t *next, const hd_step *step) {
  frontier *f = payload;
  (void)step;
  size_t words = hd_model_words(f->model);
  for (size_t i = 0; next != NULL && i < f->count; i++) {
    if (memcmp(f->states + i * words, next, words * sizeof *next) == 0) {
      return true;
    }
  }
  if (next != NULL && f->count < STATES_MAX) {
    memcpy(f->states + f->count++ * words, next, words * sizeof *next);
  }
  return true;
}

static void compare_models(uint64_t round, bool flags, size_t seen[HD_FAULT_COUNT], size_t *compounds) {
  static frontier f;
  hd_model *made[2] = {random_model(round, false, flags), random_model(round, true, flags)};
  const hd_model *models[2] = {made[0], made[1]};
  hd_stepper *steppers[2] = {hd_stepper_new(made[0], NULL), hd_stepper_new(made[1], NULL)};
  cr_assert(hd_model_words(made[0]) <= WORDS_MAX);
  cr_assert_eq(hd_model_words(made[0]), hd_model_words(made[1]));
  size_t words = hd_model_words(made[0]);
  const uint64_t *initial = NULL;
  size_t count = hd_model_initial(made[0], &initial);
  f.model = made[0];
  f.count = 0;
  for (size_t i = 0; i < count; i++) {
    memcpy(f.states + f.count++ * words, initial + i * words, words * sizeof *initial);
  }
  uint64_t seed = round;
  uint64_t state[WORDS_MAX];
  for (size_t i = 0; i < f.count; i++) {
    memcpy(state, f.states + i * words, words * sizeof *state);
    cr_assert_eq(hd_stepper_run(steppers[0], state, HD_WEIGHT_ANY, keep, &f), HD_OK);
    for (int turn = 0; turn < 3; turn++) {
      compare_state(round, models, steppers, state);
      for (size_t k = 0; k < masked.count; k++) {
        seen[masked.steps[k].step.fault]++;
        *compounds += masked.steps[k].step.compound;
      }
      random_neighbour(made[0], &seed, state);
    }
  }
  for (int i = 0; i < 2; i++) {
    hd_stepper_free(steppers[i]);
    hd_model_free(made[i]);
  }
}

Test(tiers, masks_and_code_agree) {
  size_t seen[HD_FAULT_COUNT] = {0};
  size_t compounds = 0;
  for (uint64_t round = 1; round <= 500; round++) {
    compare_models(round, false, seen, &compounds);
  }
  cr_assert_eq(compounds, 0);
  cr_assert(seen[HD_FAULT_NONE] > 10000 && seen[HD_FAULT_RANGE] > 100 && seen[HD_FAULT_DIVISION] > 100 &&
            seen[HD_FAULT_INDEX] > 100 && seen[HD_FAULT_POOL] > 100 && seen[HD_FAULT_MONITOR] > 100);
}

Test(tiers, masks_and_code_agree_with_blocks) {
  size_t seen[HD_FAULT_COUNT] = {0};
  size_t compounds = 0;
  for (uint64_t round = 1000; round <= 2000; round++) {
    compare_models(round, true, seen, &compounds);
  }
  cr_assert_gt(compounds, 1000, "%zu compound steps", compounds);
  cr_assert_gt(seen[HD_FAULT_ENDLESS], 10);
}

Test(tiers, both_tiers_are_used) {
  uint64_t masks = 0;
  uint64_t code = 0;
  uint64_t forced_masks = 0;
  for (uint64_t round = 1; round <= 20; round++) {
    hd_model_sizes sizes;
    hd_model *model = random_model(round, false, false);
    hd_model_get_sizes(model, &sizes);
    masks += sizes.masked_rules;
    code += sizes.bytecode_rules;
    hd_model *forced = random_model(round, true, false);
    hd_model_sizes forced_sizes;
    hd_model_get_sizes(forced, &forced_sizes);
    forced_masks += forced_sizes.masked_rules;
    hd_model_free(model);
    hd_model_free(forced);
  }
  cr_assert(masks > 200 && code > 200);
  cr_assert_lt(forced_masks * 2, masks, "the switch must switch: %llu of %llu", (unsigned long long)forced_masks,
               (unsigned long long)masks);
}

/* The same calls give the same model, byte for byte. */
Test(tiers, building_is_deterministic) {
  for (uint64_t round = 1; round <= 20; round++) {
    hd_model *a = random_model(round, false, true);
    hd_model *b = random_model(round, false, true);
    cr_assert_eq(a->rules.count, b->rules.count);
    cr_assert_eq(a->code.count, b->code.count);
    cr_assert_eq(memcmp(a->fields.data, b->fields.data, a->fields.count * sizeof *a->fields.data), 0);
    cr_assert_eq(memcmp(a->tests.data, b->tests.data, a->tests.count * sizeof *a->tests.data), 0);
    cr_assert_eq(memcmp(a->writes.data, b->writes.data, a->writes.count * sizeof *a->writes.data), 0);
    hd_model_free(a);
    hd_model_free(b);
  }
}
