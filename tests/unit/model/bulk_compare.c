#include "tests/unit/model/bulk_compare.h"

#include "tests/support/hd_test.h"
#include "tests/unit/model/random_model.h"
#include "tests/unit/model/walk.h"

#include <stdlib.h>
#include <string.h>

enum { REACHED_MAX = 100, STATES_MAX = 300, SUCCESSORS_MAX = 4096 };

typedef struct listed {
  uint32_t width;
  uint64_t *words;
  size_t count;
  bool odd;
} listed;

static bool collect(void *payload, const uint64_t *next, const hd_step *step) {
  listed *l = payload;
  l->odd |= step->fault != HD_FAULT_NONE || step->checks_failed != 0;
  cr_assert_lt(l->count, (size_t)SUCCESSORS_MAX);
  if (next != NULL) {
    memcpy(l->words + l->count++ * l->width, next, l->width * sizeof *next);
  }
  return true;
}

/* Adds the successors of `states` to them, breadth first. */
static size_t reach(hd_stepper *stepper, uint64_t *states, size_t count, listed *l) {
  for (size_t i = 0; i < count && count < REACHED_MAX; i++) {
    l->count = 0;
    cr_assert_eq(hd_stepper_run(stepper, states + i * l->width, HD_WEIGHT_ANY, collect, l), HD_OK);
    for (size_t s = 0; s < l->count && count < REACHED_MAX; s++) {
      bool known = false;
      for (size_t k = 0; k < count && !known; k++) {
        known = memcmp(states + k * l->width, l->words + s * l->width, l->width * sizeof *states) == 0;
      }
      if (!known) {
        memcpy(states + count++ * l->width, l->words + s * l->width, l->width * sizeof *states);
      }
    }
  }
  return count;
}

static size_t make_states(const hd_model *model, hd_stepper *stepper, uint64_t seed, uint64_t *states, listed *l) {
  const uint64_t *initial;
  size_t count = hd_model_initial(model, &initial);
  count = count < REACHED_MAX ? count : REACHED_MAX;
  memcpy(states, initial, count * l->width * sizeof *states);
  count = reach(stepper, states, count, l);
  size_t reached = count;
  for (size_t i = 0; i < reached && count < STATES_MAX; i++) {
    for (int turn = 0; turn < 2 && count < STATES_MAX; turn++, count++) {
      memcpy(states + count * l->width, states + i * l->width, l->width * sizeof *states);
      random_neighbour(model, &seed, states + count * l->width);
    }
  }
  return count;
}

/* The general path on one state against successors begin .. end of the fast one; `odd`: there are none. */
static void compare_state(hd_stepper *stepper, const uint64_t *state, hd_weight_filter weights, const uint64_t *next,
                          size_t count, bool odd, listed *l) {
  l->count = 0;
  l->odd = false;
  cr_assert_eq(hd_stepper_run(stepper, state, weights, collect, l), HD_OK);
  cr_assert_eq(l->odd, odd, "a state is%s odd", odd ? " not" : "");
  if (!odd) {
    cr_assert_eq(l->count, count, "%zu successors, not %zu", count, l->count);
    cr_assert_eq(memcmp(next, l->words, count * l->width * sizeof *next), 0);
  }
}

static void compare_weights(hd_stepper *stepper, const uint64_t *states, size_t count, hd_weight_filter weights,
                            size_t room, listed *l, bulk_counts *counts) {
  uint64_t *next = malloc(room * l->width * sizeof *next);
  uint32_t *ends = malloc(count * sizeof *ends);
  for (size_t i = 0; i < count;) {
    bool odd = false;
    uint32_t done =
        hd_stepper_bulk_run(stepper, states + i * l->width, (uint32_t)(count - i), weights, next, room, ends, &odd);
    cr_assert_leq(done, count - i);
    cr_assert(done > 0 || odd, "no progress");
    for (uint32_t d = 0; d < done; d++) {
      uint32_t begin = d == 0 ? 0 : ends[d - 1];
      compare_state(stepper, states + (i + d) * l->width, weights, next + (size_t)begin * l->width, ends[d] - begin,
                    false, l);
      counts->steps += ends[d] - begin;
    }
    i += done;
    if (odd) {
      cr_assert_lt(i, count);
      compare_state(stepper, states + i++ * l->width, weights, NULL, 0, true, l);
      counts->odd++;
    }
  }
  free(next);
  free(ends);
}

void compare_bulk(const hd_model *model, uint64_t seed, const hd_native *native, bulk_counts *counts) {
  listed l = {.width = hd_model_words(model)};
  l.words = malloc((size_t)SUCCESSORS_MAX * l.width * sizeof *l.words);
  uint64_t *states = malloc((size_t)STATES_MAX * l.width * sizeof *states);
  hd_stepper *stepper = hd_stepper_new(model, NULL);
  if (native != NULL) {
    hd_stepper_use_native(stepper, native);
  }
  size_t count = make_states(model, stepper, seed, states, &l);
  size_t room = (size_t)hd_stepper_bulk_max(stepper) + HD_BULK_SLACK + seed % 50;
  cr_assert_gt(hd_stepper_bulk_max(stepper), 0u);
  for (int weights = HD_WEIGHT_ANY; weights <= HD_WEIGHT_ONE; weights++) {
    compare_weights(stepper, states, count, (hd_weight_filter)weights, room, &l, counts);
  }
  counts->states += count;
  hd_stepper_free(stepper);
  free(states);
  free(l.words);
}
