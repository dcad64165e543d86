/* The stepper: a worker's scratch for computing the steps of a state, and the loop over the process instances.
 *
 * hd_stepper_run visits the instances in order; hdi_fire_instance (step.c) makes their steps; hdi_emit hands them to
 * the caller. Eager and exclusive locations are looked for once per state, and only when the model has any. The
 * location flags of the model and of the filter are merged when the stepper is made, so a filter costs nothing per
 * step. */
#include "core/model/stubborn.h"

#include <string.h>

hd_stepper *hd_stepper_new(const hd_model *model, const hd_filter *filter) {
  HD_REQUIRE(filter == NULL || filter->model == model);
  hd_stepper *stepper = calloc(1, sizeof *stepper);
  if (stepper == NULL) {
    return NULL;
  }
  stepper->model = model;
  stepper->flags = malloc(model->locs.count + 1);
  stepper->next = malloc(model->words * sizeof *stepper->next);
  stepper->stack = malloc((2 * (size_t)model->stack_depth + 1) * sizeof *stepper->stack);
  if (stepper->flags == NULL || stepper->next == NULL || stepper->stack == NULL) {
    hd_stepper_free(stepper);
    return NULL;
  }
  for (size_t i = 0; i < model->locs.count; i++) {
    uint32_t flags = model->locs.data[i].flags | (filter == NULL ? 0u : filter->flags[i]);
    stepper->flags[i] = (uint8_t)flags;
    stepper->has_strong |= (flags & HD_LOC_ATOMIC) != 0;
    stepper->has_weak |= (flags & (HD_LOC_ATOMIC_WEAK | HD_LOC_WEAK_START)) != 0;
  }
  stepper->machine = (hdi_machine){.model = model, .stack = stepper->stack + 1};
  return stepper;
}

void hd_stepper_free(hd_stepper *stepper) {
  if (stepper == NULL) {
    return;
  }
  hdi_block_free(stepper->block);
  hdi_stubborn_free(stepper->stubborn);
  free(stepper->flags);
  free(stepper->next);
  free(stepper->stack);
  free(stepper);
}

hd_status hd_stepper_reduce(hd_stepper *stepper, const hd_reduction *reduction) {
  HD_REQUIRE(reduction->model == stepper->model && !stepper->has_strong && !stepper->has_weak);
  hdi_stubborn_free(stepper->stubborn);
  stepper->stubborn = hdi_stubborn_new(reduction);
  return stepper->stubborn == NULL ? HD_E_NOMEM : HD_OK;
}

void hdi_emit(hd_stepper *stepper, const uint64_t *next) {
  HD_INVARIANT(next == NULL || hd_model_state_is_valid(stepper->model, next));
  if (!stepper->emit(stepper->payload, next, &stepper->step) && stepper->status == HD_OK) {
    stepper->status = HD_E_CANCELLED;
  }
}

bool hdi_weak_forbids(const hd_stepper *stepper, const uint64_t *before, const uint64_t *after,
                      const uint64_t *movers) {
  const hd_model *model = stepper->model;
  uint32_t there = 0, stayed = 0;
  bool arrived = false, passed = false;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    uint32_t from = hdi_location(model, before, i), to = hdi_location(model, after, i);
    bool moved = movers != NULL ? ((movers[i / 64] >> (i % 64)) & 1) != 0
                                : i == stepper->step.instance || i == stepper->step.partner_instance;
    moved = moved || from != to;
    passed = passed || (moved && (stepper->flags[from] & HD_LOC_WEAK_START) != 0);
    if ((stepper->flags[to] & HD_LOC_ATOMIC_WEAK) != 0) {
      there++;
      arrived = arrived || moved;
      stayed += moved ? 0 : 1;
    }
  }
  return (there > 1 && arrived) || (passed && stayed > 0);
}

bool hdi_weak_forbids_move(const hd_stepper *stepper, uint32_t instance, uint32_t to) {
  const hd_model *model = stepper->model;
  uint32_t from = hdi_location(model, stepper->state, instance);
  if ((stepper->flags[to] & HD_LOC_ATOMIC_WEAK) == 0 && (stepper->flags[from] & HD_LOC_WEAK_START) == 0) {
    return false;
  }
  for (uint32_t i = 0; i < model->instances.count; i++) {
    if (i != instance && (stepper->flags[hdi_location(model, stepper->state, i)] & HD_LOC_ATOMIC_WEAK) != 0) {
      return true;
    }
  }
  return false;
}

static bool someone_is_exclusive(const hd_stepper *stepper, const uint64_t *state) {
  const hd_model *model = stepper->model;
  for (uint32_t i = 0; model->has_exclusive && i < model->instances.count; i++) {
    if ((stepper->flags[hdi_location(model, state, i)] & HD_LOC_EXCLUSIVE) != 0) {
      return true;
    }
  }
  return false;
}

/* The first process at an eager location that can make a step; HD_NONE when there is none. */
static uint32_t first_eager(hd_stepper *stepper, const uint64_t *state) {
  const hd_model *model = stepper->model;
  for (uint32_t i = 0; model->has_eager && i < model->instances.count; i++) {
    if ((stepper->flags[hdi_location(model, state, i)] & HD_LOC_EAGER) != 0 &&
        hdi_instance_may_step(stepper, state, i)) {
      return i;
    }
  }
  return HD_NONE;
}

hd_status hd_stepper_run(hd_stepper *stepper, const uint64_t *state, hd_weight_filter weights, hd_emit emit,
                         void *payload) {
  const hd_model *model = stepper->model;
  stepper->state = state;
  stepper->weights = weights;
  stepper->emit = emit;
  stepper->payload = payload;
  stepper->status = HD_OK;
  uint32_t eager = first_eager(stepper, state);
  if (eager != HD_NONE) {
    hdi_fire_instance(stepper, state, eager);
    return stepper->status;
  }
  if (stepper->stubborn != NULL) {
    hdi_stubborn_run(stepper->stubborn, stepper, state);
    return stepper->status;
  }
  bool exclusive = someone_is_exclusive(stepper, state);
  for (uint32_t i = 0; stepper->status == HD_OK && i < model->instances.count; i++) {
    if (!exclusive || (stepper->flags[hdi_location(model, state, i)] & HD_LOC_EXCLUSIVE) != 0) {
      hdi_fire_instance(stepper, state, i);
    }
  }
  return stepper->status;
}

size_t hd_stepper_inner(const hd_stepper *stepper, const hd_inner **inner) {
  if (!stepper->emitting_block) {
    *inner = NULL;
    return 0;
  }
  return hdi_block_inner(stepper->block, inner);
}
