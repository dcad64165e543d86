/* Stubborn sets: per state, a small set of actions that may be taken alone.
 *
 * A set T of actions is strongly stubborn in a state when
 *
 *   an enabled action is in T        its conflicts are in T too
 *   a disabled action is in T        for one condition that is false now, all that can make it true are in T
 *   some action is enabled           T has an enabled one
 *
 * These are arrows: from an enabled action to its conflicts, from a disabled one to the cures of one false condition,
 * and T is closed under them. The smallest closed sets are found with one depth-first search (Tarjan): when a strongly
 * connected component is complete, everything it leads to is; if it has enabled actions and what it leads to has none,
 * then it and what it leads to is a stubborn set whose steps are the component's. Among the components met from all
 * enabled actions, the last first, the first one with fewest enabled actions is taken; one with a single enabled action
 * ends the search. Which false condition a disabled action follows is settled when it is met: the one whose cures have
 * fewest enabled actions, then fewest actions, then the first.
 *
 * In a search for checks a component with a sticky enabled action is not taken, nor one all of whose enabled actions
 * fault; when nothing is left the state is expanded fully.
 *
 * The set is a function of the state: it does not depend on threads, and asking again (weight-0 steps first, the others
 * later; the second search for counterexamples) gives the same set. Sources: Valmari, "Stubborn sets for reduced state
 * space generation" (1990); Laarman, Pater, van de Pol, Hansen, "Guard-based partial-order reduction" (2016).
 * Threads: one per stepper. Cost: linear in the arrows met; nothing when at most one action is enabled. */
#include "core/model/stubborn.h"

#include <string.h>

/* An action on the way of the depth-first search, and what is left of its arrows. */
typedef struct open_action {
  const uint32_t *next[2], *end[2];
  uint32_t action;
  bool reaches; /* something complete that has or leads to enabled actions */
} open_action;

#define HD_ARRAY_NAME frames
#define HD_ARRAY_TYPE open_action
#include "core/base/array.h"

struct hdi_stubborn {
  const hd_reduction *reduction;
  uint32_t epoch; /* entries of the arrays below with another epoch count as unset */
  uint32_t *enabled_at, *met_at, *reaches_at;
  uint32_t *index, *low; /* index HD_NONE: its component is complete */
  hdi_numbers enabled, chosen, component;
  frames frames;
  uint32_t next_index;
  bool failed;
};

hdi_stubborn *hdi_stubborn_new(const hd_reduction *reduction) {
  hdi_stubborn *set = calloc(1, sizeof *set);
  size_t count = reduction->actions.count + 1;
  if (set == NULL) {
    return NULL;
  }
  set->reduction = reduction;
  set->enabled_at = calloc(count, sizeof *set->enabled_at);
  set->met_at = calloc(count, sizeof *set->met_at);
  set->reaches_at = calloc(count, sizeof *set->reaches_at);
  set->index = calloc(count, sizeof *set->index);
  set->low = calloc(count, sizeof *set->low);
  bool whole = set->enabled_at != NULL && set->met_at != NULL && set->reaches_at != NULL && set->index != NULL &&
               set->low != NULL;
  if (!whole || hdi_numbers_reserve(&set->enabled, count) != HD_OK ||
      hdi_numbers_reserve(&set->chosen, count) != HD_OK || hdi_numbers_reserve(&set->component, count) != HD_OK ||
      frames_reserve(&set->frames, count) != HD_OK) {
    hdi_stubborn_free(set);
    return NULL;
  }
  return set;
}

void hdi_stubborn_free(hdi_stubborn *set) {
  if (set != NULL) {
    free(set->enabled_at);
    free(set->met_at);
    free(set->reaches_at);
    free(set->index);
    free(set->low);
    hdi_numbers_free(&set->enabled);
    hdi_numbers_free(&set->chosen);
    hdi_numbers_free(&set->component);
    frames_free(&set->frames);
    free(set);
  }
}

/* ---- what is enabled ---- */

static bool is_enabled(hd_stepper *stepper, const uint64_t *state, const hdi_action *action) {
  const hd_model *model = stepper->model;
  const hdi_half *half = &model->depend->halves.data[action->half];
  if (action->partner == HD_NONE) {
    for (uint32_t r = half->rules; r < half->rule_end; r++) {
      if (hdi_is_enabled(stepper, state, r, half->instance)) {
        return true;
      }
    }
    return false;
  }
  const hdi_half *partner = &model->depend->halves.data[action->partner];
  if (hdi_field_bits(&model->fields.data[model->instances.data[partner->instance].loc_field], state) !=
      partner->place) {
    return false;
  }
  for (uint32_t r = half->rules; r < half->rule_end; r++) {
    for (uint32_t p = partner->rules; p < partner->rule_end; p++) {
      if (hdi_may_meet(stepper, state, (hdi_meeting){r, half->instance, p, partner->instance})) {
        return true;
      }
    }
  }
  return false;
}

static void find_enabled(hdi_stubborn *set, hd_stepper *stepper, const uint64_t *state) {
  const hd_model *model = stepper->model;
  hdi_numbers_clear(&set->enabled);
  for (uint32_t i = 0; i < model->instances.count; i++) {
    const hdi_instance *instance = &model->instances.data[i];
    size_t group = instance->groups + hdi_field_bits(&model->fields.data[instance->loc_field], state);
    for (uint32_t a = set->reduction->places.data[group]; a < set->reduction->places.data[group + 1]; a++) {
      if (is_enabled(stepper, state, &set->reduction->actions.data[a])) {
        set->enabled_at[a] = set->epoch;
        set->enabled.data[set->enabled.count++] = a;
      }
    }
  }
}

/* ---- arrows ---- */

static bool holds(const hdi_cond *cond, const uint64_t *state) {
  uint64_t bits = state[cond->test.word] & cond->test.mask;
  return cond->some ? bits != 0 : bits == cond->test.value;
}

/* Enabled actions of a list, counted up to `most`. */
static uint32_t count_enabled(const hdi_stubborn *set, hdi_action_list list, uint32_t most) {
  uint32_t count = 0;
  for (uint32_t i = list.begin; i < list.end && count < most; i++) {
    count += set->enabled_at[set->reduction->lists.data[i]] == set->epoch;
  }
  return count;
}

typedef struct cure {
  hdi_action_list list;
  uint32_t enabled;
  bool found;
} cure;

static void consider_conds(const hdi_stubborn *set, const uint64_t *state, const hdi_half *half, cure *best) {
  const hdi_depend *depend = set->reduction->depend;
  for (uint32_t i = half->conds; i < half->conds + half->cond_count; i++) {
    const hdi_cond *cond = &depend->conds.data[i];
    if (holds(cond, state)) {
      continue;
    }
    bool other = cond->need == HDI_NEED_HEAD && (state[cond->test.word] & cond->test.mask) != 0;
    hdi_action_list list = set->reduction->cures.data[2 * (size_t)i + (other ? 1 : 0)];
    uint32_t enabled = count_enabled(set, list, best->found ? best->enabled + 1 : UINT32_MAX);
    if (!best->found || enabled < best->enabled ||
        (enabled == best->enabled && list.end - list.begin < best->list.end - best->list.begin)) {
      *best = (cure){.list = list, .enabled = enabled, .found = true};
    }
  }
}

static void set_arrows(open_action *frame, uint32_t which, const uint32_t *data, uint32_t begin, uint32_t end) {
  frame->next[which] = data + begin;
  frame->end[which] = data + end;
}

static void begin_action(hdi_stubborn *set, const uint64_t *state, uint32_t action) {
  const hd_reduction *reduction = set->reduction;
  const hdi_action *a = &reduction->actions.data[action];
  open_action *frame = &set->frames.data[set->frames.count++];
  memset(frame, 0, sizeof *frame);
  frame->action = action;
  set->met_at[action] = set->epoch;
  set->index[action] = set->low[action] = set->next_index++;
  set->component.data[set->component.count++] = action;
  if (set->enabled_at[action] == set->epoch) {
    if (a->conflicts < a->conflict_end) {
      set_arrows(frame, 0, reduction->conflicts.data, a->conflicts, a->conflict_end);
    }
    return;
  }
  const hdi_half *half = &reduction->depend->halves.data[a->half];
  const hdi_half *partner = a->partner == HD_NONE ? NULL : &reduction->depend->halves.data[a->partner];
  cure best = {.found = false};
  consider_conds(set, state, half, &best);
  if (partner != NULL) {
    consider_conds(set, state, partner, &best);
  }
  if (best.found) {
    if (best.list.begin < best.list.end) {
      set_arrows(frame, 0, reduction->lists.data, best.list.begin, best.list.end);
    }
    return;
  }
  /* Every condition holds: the rest of a guard is false. */
  HD_ASSERT(half->has_rest || (partner != NULL && partner->has_rest));
  hdi_action_list rest = reduction->rests.data[a->half];
  if (rest.begin < rest.end) {
    set_arrows(frame, 0, reduction->lists.data, rest.begin, rest.end);
  }
  if (partner != NULL && reduction->rests.data[a->partner].begin < reduction->rests.data[a->partner].end) {
    rest = reduction->rests.data[a->partner];
    set_arrows(frame, 1, reduction->lists.data, rest.begin, rest.end);
  }
}

/* ---- the search for components ---- */

/* Takes the component whose first action is `first` off the stack; keeps its enabled actions when they are fewer than
 * those in hand. */
static void end_component(hdi_stubborn *set, const open_action *first) {
  const hd_reduction *reduction = set->reduction;
  size_t begin = set->component.count;
  uint32_t enabled = 0;
  bool sticky = false;
  do {
    uint32_t action = set->component.data[--begin];
    bool is = set->enabled_at[action] == set->epoch;
    enabled += is;
    sticky |= is && reduction->actions.data[action].sticky;
  } while (set->component.data[begin] != first->action);
  bool better = enabled > 0 && !first->reaches && !sticky && enabled < set->chosen.count;
  if (better) {
    hdi_numbers_clear(&set->chosen);
  }
  for (size_t i = begin; i < set->component.count; i++) {
    uint32_t action = set->component.data[i];
    set->index[action] = HD_NONE;
    if (first->reaches || enabled > 0) {
      set->reaches_at[action] = set->epoch;
    }
    if (better && set->enabled_at[action] == set->epoch) {
      set->chosen.data[set->chosen.count++] = action;
    }
  }
  set->component.count = begin;
}

/* One arrow of the action on top; or its end. */
static void advance(hdi_stubborn *set, const uint64_t *state) {
  open_action *top = &set->frames.data[set->frames.count - 1];
  uint32_t which = top->next[0] < top->end[0] ? 0 : 1;
  if (top->next[which] < top->end[which]) {
    uint32_t to = *top->next[which]++;
    if (set->met_at[to] != set->epoch) {
      begin_action(set, state, to);
    } else if (set->index[to] == HD_NONE) {
      top->reaches |= set->reaches_at[to] == set->epoch;
    } else if (set->index[to] < set->low[top->action]) {
      set->low[top->action] = set->index[to];
    }
    return;
  }
  open_action done = *top;
  set->frames.count--;
  bool root = set->low[done.action] == set->index[done.action];
  if (root) {
    end_component(set, &done);
  }
  if (set->frames.count > 0) {
    open_action *below = &set->frames.data[set->frames.count - 1];
    if (root) {
      below->reaches |= set->reaches_at[done.action] == set->epoch;
    } else {
      below->reaches |= done.reaches;
      uint32_t low = set->low[done.action];
      set->low[below->action] = low < set->low[below->action] ? low : set->low[below->action];
    }
  }
}

static int compare_numbers(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void next_epoch(hdi_stubborn *set) {
  if (++set->epoch == 0) {
    size_t size_bytes = set->reduction->actions.count * sizeof *set->met_at;
    memset(set->enabled_at, 0, size_bytes);
    memset(set->met_at, 0, size_bytes);
    memset(set->reaches_at, 0, size_bytes);
    set->epoch = 1;
  }
}

/* Fills set->chosen, in step order. */
static void choose(hdi_stubborn *set, hd_stepper *stepper, const uint64_t *state) {
  next_epoch(set);
  find_enabled(set, stepper, state);
  set->next_index = 0;
  set->frames.count = set->component.count = 0;
  set->chosen.count = set->enabled.count;
  memcpy(set->chosen.data, set->enabled.data, set->enabled.count * sizeof *set->enabled.data);
  for (size_t i = set->enabled.count; i-- > 0 && set->chosen.count > 1;) {
    if (set->met_at[set->enabled.data[i]] == set->epoch) {
      continue;
    }
    begin_action(set, state, set->enabled.data[i]);
    while (set->frames.count > 0 && set->chosen.count > 1) {
      advance(set, state);
    }
  }
  if (set->chosen.count > 1) {
    qsort(set->chosen.data, set->chosen.count, sizeof *set->chosen.data, compare_numbers);
  }
}

/* ---- steps ---- */

static void fire(hd_stepper *stepper, const uint64_t *state, const hdi_action *action) {
  const hdi_half *half = &stepper->model->depend->halves.data[action->half];
  for (uint32_t r = half->rules; r < half->rule_end && stepper->status == HD_OK; r++) {
    if (action->partner == HD_NONE) {
      hdi_fire_alone(stepper, state, r, half->instance);
      continue;
    }
    const hdi_half *partner = &stepper->model->depend->halves.data[action->partner];
    for (uint32_t p = partner->rules; p < partner->rule_end && stepper->status == HD_OK; p++) {
      hdi_meeting meeting = {r, half->instance, p, partner->instance};
      if (hdi_may_meet(stepper, state, meeting)) {
        hdi_fire_meeting(stepper, state, meeting);
      }
    }
  }
}

static bool note_successor(void *payload, const uint64_t *next, const hd_step *step) {
  (void)step;
  *(bool *)payload |= next != NULL;
  return true;
}

/* Does one of the chosen steps have a successor? */
static bool goes_on(hdi_stubborn *set, hd_stepper *stepper, const uint64_t *state) {
  hd_emit emit = stepper->emit;
  void *payload = stepper->payload;
  hd_weight_filter weights = stepper->weights;
  bool successor = false;
  stepper->emit = note_successor;
  stepper->payload = &successor;
  stepper->weights = HD_WEIGHT_ANY;
  for (size_t i = 0; i < set->chosen.count && !successor && stepper->status == HD_OK; i++) {
    const hdi_action *action = &set->reduction->actions.data[set->chosen.data[i]];
    if (action->may_fault) {
      fire(stepper, state, action);
    } else {
      successor = true;
    }
  }
  stepper->emit = emit;
  stepper->payload = payload;
  stepper->weights = weights;
  return successor;
}

void hdi_stubborn_run(hdi_stubborn *set, hd_stepper *stepper, const uint64_t *state) {
  choose(set, stepper, state);
  const hdi_numbers *taken = &set->chosen;
  if (set->reduction->reduce == HD_REDUCE_FOR_CHECKS && set->chosen.count < set->enabled.count &&
      !goes_on(set, stepper, state)) {
    taken = &set->enabled;
  }
  for (size_t i = 0; i < taken->count && stepper->status == HD_OK; i++) {
    fire(stepper, state, &set->reduction->actions.data[taken->data[i]]);
  }
}
