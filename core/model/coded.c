/* The fast path of models with code: see coded.h.
 *
 *   state -> for each instance: location -> group -> for each rule: tests -> diagram -> leaf -> successor or not
 *
 * Rules whose diagram says that they never make a step are left out. A step that has a fault or a failed check makes
 * its state odd: nothing of that state is kept and the general stepper takes over. Code without a diagram is
 * interpreted, on the place in the output where the successor will stand; the interpreter and what it decides are
 * those of step.c, without the descriptions.
 *
 *   exclusive   while some process is at an exclusive location, only groups of exclusive locations are looked at
 *   eager       the first group of an eager location that makes a step of any weight is the only one looked at
 *
 * One source for states of one word and of many: the functions that take `words` are inlined with 1. Threads: tables
 * are read-only after hd_builder_finish, all else is the stepper's. Cost: per rule a compare, per field that its code
 * reads a table look-up. */
#include "core/model/coded.h"

#include <string.h>

/* ---- windows ---- */

#define WINDOW_BITS_MAX 9u
#define GROUPS_MAX ((size_t)1 << 12)

/* The field of a scalar local of `instance`; NULL for an array. */
static const hdi_field *scalar_local(const hd_model *model, const hdi_instance *instance, uint32_t local) {
  const hdi_process *process = &model->processes.data[instance->process];
  const hdi_var *var = &model->vars.data[model->process_locals.data[process->locals + local]];
  return var->length == 1 ? hdi_var_field(model, var, instance->number, 0) : NULL;
}

/* A scalar local of `instance` that lies in `word` right below or above the bits from..to-1; NULL: there is none. */
static const hdi_field *neighbour(const hd_model *model, const hdi_instance *instance, uint32_t word, uint32_t from,
                                  uint32_t to) {
  for (uint32_t i = 0; i < model->processes.data[instance->process].local_count; i++) {
    const hdi_field *field = scalar_local(model, instance, i);
    if (field != NULL && field->width > 0 && field->word == word &&
        (field->shift == to || field->shift + field->width == from)) {
      return field;
    }
  }
  return NULL;
}

/* The bits of the location and of the locals next to it, at most `bits_max` of them. */
static hdi_coded_window choose_window(const hd_model *model, const hdi_instance *instance, uint32_t bits_max) {
  const hdi_field *loc = &model->fields.data[instance->loc_field];
  uint32_t from = loc->shift, to = loc->shift + loc->width;
  const hdi_field *next = loc->width == 0 ? NULL : neighbour(model, instance, loc->word, from, to);
  while (next != NULL && to - from + next->width <= bits_max) {
    from = next->shift < from ? next->shift : from;
    to = next->shift + next->width > to ? next->shift + next->width : to;
    next = neighbour(model, instance, loc->word, from, to);
  }
  hdi_coded_window window = {.word = loc->word, .shift = from};
  window.mask = to == from ? 0 : UINT64_MAX >> (64 - (to - from));
  return window;
}

static hd_status make_windows(struct hdi_coded *coded, const hd_model *model) {
  uint32_t bits = WINDOW_BITS_MAX;
  while (bits > 1 && (model->instances.count << bits) > GROUPS_MAX) {
    bits--;
  }
  uint64_t groups = 0;
  hd_status status = HD_OK;
  for (size_t i = 0; i < model->instances.count && status == HD_OK; i++) {
    hdi_coded_window window = choose_window(model, &model->instances.data[i], bits);
    window.groups = (uint32_t)groups;
    groups += window.mask + 1;
    status = groups > HDI_TABLE_MAX ? HD_E_LIMIT : hdi_coded_windows_push(&coded->windows, window);
  }
  return status;
}

/* ---- making ---- */

static void coded_clear(struct hdi_coded *coded) {
  for (size_t i = 0; i < 3; i++) {
    hdi_coded_groups_free(&coded->groups[i]);
  }
  hdi_plan_free(&coded->plan);
  hdi_coded_windows_free(&coded->windows);
  hdi_coded_rules_free(&coded->rules);
  hdi_coded_entries_free(&coded->jumps);
  hdi_coded_effects_free(&coded->effects);
  hdi_coded_writes_free(&coded->writes);
}

void hdi_coded_free(struct hdi_coded *coded) {
  if (coded != NULL) {
    coded_clear(coded);
    free(coded);
  }
}

/* A rule for one value of the window; values are collected by rule and then sorted. */
typedef struct placed_rule {
  uint32_t value;
  bool further;
  hdi_coded_rule rule;
} placed_rule;

#define HD_ARRAY_NAME placed_rules
#define HD_ARRAY_TYPE placed_rule
#include "core/base/array.h"

typedef struct coded_maker {
  const hd_model *model;
  struct hdi_coded *coded;
  hdi_diagrams *diagrams;
  /* Of the instance being made: */
  placed_rules placed;
  hdi_numbers loc_of; /* per value of the window: the location's value; HD_NONE: a field is outside its domain */
} coded_maker;

/* What a window's bits say about a test. */
typedef enum verdict { FAILS, HOLDS, OPEN } verdict;

static verdict judge_equal(hdi_test test, hdi_test known) {
  uint64_t common = test.word == known.word ? test.mask & known.mask : 0;
  if (((test.value ^ known.value) & common) != 0) {
    return FAILS;
  }
  return common == test.mask ? HOLDS : OPEN;
}

static verdict judge_nonzero(hdi_test test, hdi_test known) {
  if (test.word != known.word || (test.mask & known.mask) == 0) {
    return OPEN;
  }
  if ((known.value & test.mask) != 0) {
    return HOLDS;
  }
  return (test.mask & ~known.mask) == 0 ? FAILS : OPEN;
}

/* Judges all tests of a rule; *further: some but the first is open. */
static bool may_hold(const hdi_plan *plan, const hdi_plan_rule *rule, hdi_test known, bool *further) {
  hdi_test first = {.mask = rule->mask, .value = rule->value, .word = rule->word};
  bool possible = judge_equal(first, known) != FAILS;
  *further = false;
  for (uint32_t i = 0; i < rule->equal_count + rule->nonzero_count; i++) {
    hdi_test test = plan->tests.data[rule->tests + i];
    verdict now = i < rule->equal_count ? judge_equal(test, known) : judge_nonzero(test, known);
    possible &= now != FAILS;
    *further |= now == OPEN;
  }
  return possible;
}

static hdi_test window_test(const hdi_coded_window *window, uint64_t value) {
  return (hdi_test){.mask = window->mask << window->shift, .value = value << window->shift, .word = window->word};
}

static uint32_t window_loc(const hd_model *model, const hdi_coded_window *window, uint32_t i, uint64_t value) {
  const hdi_instance *instance = &model->instances.data[i];
  hdi_test known = window_test(window, value);
  const hdi_field *loc = &model->fields.data[instance->loc_field];
  bool inside = ((known.value >> loc->shift) & loc->mask) <= loc->top;
  for (uint32_t l = 0; l < model->processes.data[instance->process].local_count; l++) {
    const hdi_field *field = scalar_local(model, instance, l);
    bool covered = field != NULL && field->word == window->word && ((field->mask << field->shift) & ~known.mask) == 0;
    inside &= !covered || ((known.value >> field->shift) & field->mask) <= field->top;
  }
  return inside ? (uint32_t)((known.value >> loc->shift) & loc->mask) : HD_NONE;
}

static hd_status find_locs(coded_maker *maker, uint32_t i) {
  const hdi_coded_window *window = &maker->coded->windows.data[i];
  hdi_numbers_clear(&maker->loc_of);
  hd_status status = HD_OK;
  for (uint64_t value = 0; value <= window->mask && status == HD_OK; value++) {
    status = hdi_numbers_push(&maker->loc_of, window_loc(maker->model, window, i, value));
  }
  return status;
}

/* Places one rule of the plan for every value of the window at location `v` that it may be enabled with. */
static hd_status place_rule(coded_maker *maker, uint32_t i, uint32_t number, uint64_t v) {
  struct hdi_coded *coded = maker->coded;
  const hdi_plan_rule *rule = &coded->plan.rules.data[number];
  const hdi_coded_window *window = &coded->windows.data[i];
  hd_status status = hdi_diagrams_begin(maker->diagrams, rule);
  for (uint64_t value = 0; value <= window->mask && status == HD_OK; value++) {
    hdi_test known = window_test(window, value);
    placed_rule placed = {.value = (uint32_t)value, .rule = {.word = rule->word, .plan = number}};
    if (maker->loc_of.data[value] != v || !may_hold(&coded->plan, rule, known, &placed.further)) {
      continue;
    }
    placed.rule.mask = rule->mask & ~(rule->word == known.word ? known.mask : 0);
    placed.rule.value = rule->value & placed.rule.mask;
    status = hdi_diagrams_root(maker->diagrams, known, &placed.rule.root);
    bool idle = placed.rule.root.word == HDI_CODED_LEAF && placed.rule.root.base == HDI_CODED_DISABLED;
    if (status == HD_OK && !idle) {
      status = placed_rules_push(&maker->placed, placed);
    }
  }
  return status;
}

/* Makes the groups of instance `i` from its placed rules: sorts them by value, in the order in which they are. */
static hd_status make_groups(coded_maker *maker, uint32_t i, hd_weight_filter weights) {
  struct hdi_coded *coded = maker->coded;
  const hd_model *model = maker->model;
  const hdi_coded_window *window = &coded->windows.data[i];
  hdi_coded_groups *groups = &coded->groups[weights];
  size_t first = coded->rules.count;
  if (hdi_coded_groups_reserve(groups, groups->count + window->mask + 1) != HD_OK ||
      hdi_coded_rules_reserve(&coded->rules, first + maker->placed.count) != HD_OK) {
    return HD_E_NOMEM;
  }
  hdi_coded_group *group = groups->data + groups->count;
  memset(group, 0, (window->mask + 1) * sizeof *group);
  for (size_t p = 0; p < maker->placed.count; p++) {
    group[maker->placed.data[p].value].count++;
  }
  uint32_t begin = (uint32_t)first;
  for (uint64_t value = 0; value <= window->mask; value++) {
    uint32_t at = maker->loc_of.data[value];
    uint32_t loc = at == HD_NONE ? HD_NONE : model->process_locs.data[model->instances.data[i].locs + at];
    uint32_t flags = loc == HD_NONE ? 0 : model->locs.data[loc].flags;
    group[value].exclusive = (flags & HD_LOC_EXCLUSIVE) != 0;
    group[value].eager = (flags & HD_LOC_EAGER) != 0;
    group[value].begin = begin;
    begin += group[value].count;
    group[value].count = 0;
  }
  for (size_t p = 0; p < maker->placed.count; p++) {
    const placed_rule *placed = &maker->placed.data[p];
    hdi_coded_group *to = &group[placed->value];
    coded->rules.data[to->begin + to->count++] = placed->rule;
    to->further |= placed->further;
  }
  groups->count += window->mask + 1;
  coded->rules.count = begin;
  return HD_OK;
}

static hd_status make_instance(coded_maker *maker, uint32_t i, hd_weight_filter weights) {
  const hd_model *model = maker->model;
  const hdi_plan_groups *groups = &maker->coded->plan.groups[weights];
  const hdi_instance *instance = &model->instances.data[i];
  hd_status status = find_locs(maker, i);
  placed_rules_clear(&maker->placed);
  for (uint64_t v = 0; v <= model->fields.data[instance->loc_field].top; v++) {
    const hdi_plan_group *group = &groups->data[instance->groups + v];
    for (uint32_t r = group->begin; r < group->end && status == HD_OK; r++) {
      status = place_rule(maker, i, r, v);
    }
  }
  return status == HD_OK ? make_groups(maker, i, weights) : status;
}

static hd_status fill(struct hdi_coded *coded, const hd_model *model) {
  hd_status status = hdi_plan_make(model, &coded->plan);
  if (status != HD_OK) {
    return status;
  }
  coded_maker maker = {.model = model, .coded = coded, .diagrams = hdi_diagrams_new(model, coded)};
  status = maker.diagrams == NULL ? HD_E_NOMEM : hdi_coded_rules_reserve(&coded->rules, 1);
  status = status == HD_OK ? make_windows(coded, model) : status;
  for (int w = HD_WEIGHT_ANY; w <= (model->has_zero_weights ? HD_WEIGHT_ONE : HD_WEIGHT_ANY); w++) {
    for (uint32_t i = 0; i < model->instances.count && status == HD_OK; i++) {
      status = make_instance(&maker, i, (hd_weight_filter)w);
    }
  }
  placed_rules_free(&maker.placed);
  hdi_numbers_free(&maker.loc_of);
  hdi_diagrams_free(maker.diagrams);
  return status;
}

hd_status hdi_coded_compile(hd_model *model) {
  if (model->flat.valid || model->has_strong || model->has_weak) {
    return HD_OK;
  }
  struct hdi_coded *coded = calloc(1, sizeof *coded);
  hd_status status = coded == NULL ? HD_E_NOMEM : fill(coded, model);
  if (status != HD_OK) {
    hdi_coded_free(coded);
    return status == HD_E_LIMIT ? HD_OK : status;
  }
  model->coded = coded;
  return HD_OK;
}

/* ---- interpreting ---- */

/* What became of a rule. */
typedef enum fired { NO_STEP, STEP, ODD } fired;

static hdi_ran run_code(hd_stepper *stepper, uint32_t code, const uint64_t *read, uint32_t instance, int64_t *value) {
  hdi_machine *machine = &stepper->machine;
  if (code == HD_NONE) {
    return HDI_RAN_OK;
  }
  machine->read = read;
  machine->write = NULL;
  machine->received = 0;
  machine->instance = instance;
  return hdi_machine_run(machine, code, value);
}

static fired judge(hdi_ran ran, fired on_fault) {
  return ran == HDI_RAN_OK ? STEP : (ran == HDI_RAN_FAULT ? on_fault : NO_STEP);
}

/* Guard and channel of one side. */
static fired may_start(hd_stepper *stepper, uint32_t number, uint32_t instance, const uint64_t *state, fired on_fault,
                       int64_t *channel) {
  const hdi_rule *rule = &stepper->model->rules.data[number];
  int64_t value = 1;
  fired now = judge(run_code(stepper, rule->guard, state, instance, &value), on_fault);
  if (now != STEP || value == 0) {
    return now == STEP ? NO_STEP : now;
  }
  if (rule->sync == HD_NONE) {
    return STEP;
  }
  const hdi_sync *sync = &stepper->model->syncs.data[rule->sync];
  *channel = sync->channel_fixed;
  return judge(run_code(stepper, sync->channel, state, instance, channel), on_fault);
}

/* Everything that decides whether the step is possible. */
static fired may_step(hd_stepper *stepper, const hdi_plan_rule *rule, const uint64_t *state) {
  int64_t own = 0;
  int64_t other = 0;
  bool meeting = rule->kind == HDI_PLAN_MEETING; /* there a side that faults is not enabled; its probe reports it */
  fired now = may_start(stepper, rule->own, rule->own_instance, state, meeting ? NO_STEP : ODD, &own);
  if (now == STEP && meeting) {
    now = may_start(stepper, rule->partner, rule->partner_instance, state, NO_STEP, &other);
    now = now == STEP && own != other ? NO_STEP : now;
  }
  return now == STEP && rule->kind == HDI_PLAN_PROBE ? NO_STEP : now;
}

/* Runs the statements of one side on `out`. */
static fired apply(hd_stepper *stepper, uint32_t number, uint32_t instance, int64_t received, uint64_t *out) {
  const hdi_rule *rule = &stepper->model->rules.data[number];
  hdi_machine *machine = &stepper->machine;
  if (rule->body != HD_NONE) {
    int64_t nothing = 0;
    machine->read = machine->write = out;
    machine->received = received;
    machine->instance = instance;
    machine->checks = 0;
    fired now = judge(hdi_machine_run(machine, rule->body, &nothing), ODD);
    if (now != STEP || machine->checks != 0) {
      return now == STEP ? ODD : now;
    }
  }
  hdi_rule_write(stepper->model, rule, out);
  return STEP;
}

/* Makes the successor, of a step that is possible, in `out`. */
static fired make_step(hd_stepper *stepper, const hdi_plan_rule *rule, const uint64_t *state, uint64_t *out) {
  const hd_model *model = stepper->model;
  const hdi_rule *own = &model->rules.data[rule->own];
  bool meeting = rule->kind == HDI_PLAN_MEETING;
  int64_t handed = 0;
  fired now = STEP;
  if (meeting) {
    now = judge(run_code(stepper, model->syncs.data[own->sync].value, state, rule->own_instance, &handed), ODD);
  }
  memcpy(out, state, model->words * sizeof *out);
  now = now == STEP ? apply(stepper, rule->own, rule->own_instance, 0, out) : now;
  if (now == STEP && meeting) {
    now = apply(stepper, rule->partner, rule->partner_instance, handed, out);
  }
  if (now == STEP) {
    uint32_t label = own->label == 0 && meeting ? model->rules.data[rule->partner].label : own->label;
    now = label != 0 && hdi_monitors_move(model, out, label) != HD_NONE ? ODD : STEP;
  }
  return now;
}

static fired interpret(hd_stepper *stepper, const hdi_coded_rule *rule, const uint64_t *state, uint32_t leaf,
                       uint64_t *out) {
  if (leaf == HDI_CODED_ODD) {
    return ODD;
  }
  const hdi_plan_rule *plan = &stepper->model->coded->plan.rules.data[rule->plan];
  fired now = leaf == HDI_CODED_ALL ? may_step(stepper, plan, state) : STEP;
  return now == STEP ? make_step(stepper, plan, state, out) : now;
}

/* ---- running ---- */

static bool further_tests(const struct hdi_coded *coded, const hdi_coded_rule *coded_rule, const uint64_t *state) {
  const hdi_plan_rule *rule = &coded->plan.rules.data[coded_rule->plan];
  const hdi_test *test = coded->plan.tests.data + rule->tests;
  for (uint32_t i = 0; i < rule->equal_count; i++, test++) {
    if ((state[test->word] & test->mask) != test->value) {
      return false;
    }
  }
  for (uint32_t i = 0; i < rule->nonzero_count; i++, test++) {
    if ((state[test->word] & test->mask) == 0) {
      return false;
    }
  }
  return true;
}

static inline void write_effect(const struct hdi_coded *coded, const hdi_coded_effect *effect, const uint64_t *state,
                                uint64_t *out, uint32_t words) {
  if (words == 1) {
    *out = (*state & ~effect->clear) | effect->set;
    return;
  }
  memcpy(out, state, words * sizeof *out);
  out[effect->word] = (out[effect->word] & ~effect->clear) | effect->set;
  const hdi_coded_write *write = coded->writes.data + effect->more;
  for (uint32_t i = 0; i < effect->more_count; i++, write++) {
    out[write->word] = (out[write->word] & ~write->clear) | write->set;
  }
}

/* Writes the successors by one group's rules; returns the place behind the last one, NULL when the state is odd. */
static inline uint64_t *fire_words(hd_stepper *stepper, const hdi_coded_group *group, const uint64_t *state,
                                   uint64_t *out, uint32_t words) {
  const struct hdi_coded *coded = stepper->model->coded;
  const hdi_coded_entry *jumps = coded->jumps.data;
  const hdi_coded_rule *rule = coded->rules.data + group->begin;
  for (const hdi_coded_rule *end = rule + group->count; rule < end; rule++) {
    if ((state[words == 1 ? 0 : rule->word] & rule->mask) != rule->value ||
        (group->further && !further_tests(coded, rule, state))) {
      continue;
    }
    const hdi_coded_entry *entry = &rule->root;
    while (entry->word != HDI_CODED_LEAF) {
      entry = &jumps[entry->base + ((state[words == 1 ? 0 : entry->word] >> entry->shift) & entry->mask)];
    }
    uint32_t leaf = entry->base;
    if (HD_LIKELY(leaf >= HDI_CODED_EFFECT)) {
      write_effect(coded, &coded->effects.data[leaf - HDI_CODED_EFFECT], state, out, words);
      out += words;
    } else if (leaf != HDI_CODED_DISABLED) {
      fired now = interpret(stepper, rule, state, leaf, out);
      if (now == ODD) {
        return NULL;
      }
      out += now == STEP ? words : 0;
    }
  }
  return out;
}

static inline const hdi_coded_group *group_at(const hdi_coded_group *groups, const hdi_coded_window *window,
                                              const uint64_t *state) {
  return &groups[window->groups + ((state[window->word] >> window->shift) & window->mask)];
}

static bool someone_is_exclusive(const struct hdi_coded *coded, const hdi_coded_group *groups, const uint64_t *state) {
  for (size_t i = 0; i < coded->windows.count; i++) {
    if (group_at(groups, &coded->windows.data[i], state)->exclusive) {
      return true;
    }
  }
  return false;
}

/* The first instance at an eager location that has a step of any weight, HD_NONE when there is none; *odd is set when
 * it has a step that makes the state odd. `scratch` holds its successors. */
static uint32_t first_eager(hd_stepper *stepper, const uint64_t *state, uint64_t *scratch, bool *odd) {
  const struct hdi_coded *coded = stepper->model->coded;
  for (uint32_t i = 0; i < coded->windows.count; i++) {
    const hdi_coded_group *group = group_at(coded->groups[HD_WEIGHT_ANY].data, &coded->windows.data[i], state);
    if (!group->eager) {
      continue;
    }
    const uint64_t *last = fire_words(stepper, group, state, scratch, stepper->model->words);
    if (last != scratch) {
      *odd = last == NULL;
      return i;
    }
  }
  return HD_NONE;
}

static inline uint64_t *fire_all(hd_stepper *stepper, const hdi_coded_group *groups, const uint64_t *state,
                                 uint64_t *out, uint32_t words) {
  const struct hdi_coded *coded = stepper->model->coded;
  const hdi_coded_window *window = coded->windows.data;
  for (const hdi_coded_window *end = window + coded->windows.count; window < end && out != NULL; window++) {
    uint64_t value = (state[words == 1 ? 0 : window->word] >> window->shift) & window->mask;
    out = fire_words(stepper, &groups[window->groups + value], state, out, words);
  }
  return out;
}

/* One state; returns the place behind its last successor, NULL when it is odd. */
static uint64_t *run_state(hd_stepper *stepper, const hdi_coded_group *groups, const uint64_t *state, uint64_t *out) {
  const hd_model *model = stepper->model;
  const struct hdi_coded *coded = model->coded;
  if (model->has_eager) {
    bool odd = false;
    uint32_t eager = first_eager(stepper, state, out, &odd);
    if (eager != HD_NONE) {
      const hdi_coded_group *group = group_at(groups, &coded->windows.data[eager], state);
      return odd ? NULL : fire_words(stepper, group, state, out, model->words);
    }
  }
  if (!model->has_exclusive || !someone_is_exclusive(coded, groups, state)) {
    return model->words == 1 ? fire_all(stepper, groups, state, out, 1)
                             : fire_all(stepper, groups, state, out, model->words);
  }
  for (size_t i = 0; i < coded->windows.count && out != NULL; i++) {
    const hdi_coded_group *group = group_at(groups, &coded->windows.data[i], state);
    if (group->exclusive) {
      out = fire_words(stepper, group, state, out, model->words);
    }
  }
  return out;
}

uint32_t hdi_coded_run(hd_stepper *stepper, const uint64_t *states, uint32_t count, hd_weight_filter weights,
                       uint64_t *next, size_t room, uint32_t *ends, bool *odd) {
  const hd_model *model = stepper->model;
  if (!model->has_zero_weights) { /* all weights are 1: one list is enough */
    if (weights == HD_WEIGHT_ZERO) {
      memset(ends, 0, count * sizeof *ends);
      return count;
    }
    weights = HD_WEIGHT_ANY;
  }
  const hdi_coded_group *groups = model->coded->groups[weights].data;
  const uint64_t *last = next + (room - model->coded->plan.successors_max - HD_BULK_SLACK) * model->words;
  uint64_t *out = next;
  uint32_t i = 0;
  for (; i < count && out <= last; i++) {
    uint64_t *end = run_state(stepper, groups, states + (size_t)i * model->words, out);
    if (end == NULL) {
      *odd = true;
      break;
    }
    out = end;
    ends[i] = (uint32_t)((size_t)(out - next) / model->words);
  }
  return i;
}
