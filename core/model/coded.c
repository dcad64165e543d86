/* Making the fast path of models with code: see coded.h. Running it is coded_run.c.
 *
 *   instance -> window: node of one entry for each value of the window
 *                        |- no rule can be enabled there: the leaf without a step
 *                        |- one rule, which the window's tests decide: the root of its diagram
 *                        '- otherwise: a leaf that names the group, whose rules are tried one by one
 *
 * Rules whose diagram says that they never make a step are left out. The window of an instance is thus the root of a
 * diagram for all its rules; where its bits do not fit the form of a node (too wide a field, too far a word) the groups
 * are looked up instead.
 *
 * Threads: runs once, in hd_builder_finish; the tables are read-only afterwards. Cost: a diagram for each rule and each
 * value of its window, of which there are at most GROUPS_MAX unless there are more locations than that. */
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
  coded->rooted = true;
  for (size_t i = 0; i < model->instances.count && status == HD_OK; i++) {
    hdi_coded_window window = choose_window(model, &model->instances.data[i], bits);
    window.groups = (uint32_t)groups;
    groups += window.mask + 1;
    coded->rooted = coded->rooted && window.mask <= UINT16_MAX && window.word <= HDI_CODED_WORD_MAX;
    status = groups > HDI_TABLE_MAX ? HD_E_LIMIT : hdi_coded_windows_push(&coded->windows, window);
  }
  return status;
}

/* ---- making ---- */

static void coded_clear(struct hdi_coded *coded) {
  for (size_t i = 0; i < 3; i++) {
    hdi_coded_groups_free(&coded->groups[i]);
    hdi_coded_entries_free(&coded->roots[i]);
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
    status = hdi_diagrams_root(maker->diagrams, known, &placed.rule.root, &placed.rule.whole);
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

/* Where the value of a window leads to that group `number` belongs to. */
static hdi_coded_entry group_entry(const struct hdi_coded *coded, const hdi_coded_group *group, uint32_t number) {
  const hdi_coded_rule *rule = &coded->rules.data[group->begin];
  if (group->count == 0) {
    return hdi_coded_leaf(HDI_CODED_DISABLED);
  }
  if (group->count == 1 && !group->further && rule->mask == 0 && rule->whole) {
    return rule->root;
  }
  return (hdi_coded_entry){.base = number, .word = HDI_CODED_GROUP};
}

/* Makes the root of instance `i` from its groups. */
static hd_status make_root(struct hdi_coded *coded, uint32_t i, hd_weight_filter weights) {
  const hdi_coded_window *window = &coded->windows.data[i];
  const hdi_coded_group *groups = coded->groups[weights].data;
  hdi_coded_entry root = {.base = (uint32_t)coded->jumps.count, .shift = (uint8_t)window->shift};
  root.mask = (uint16_t)window->mask;
  root.word = (uint8_t)window->word;
  hd_status status = hdi_coded_entries_push(&coded->roots[weights], root);
  for (uint32_t v = 0; v <= window->mask && status == HD_OK; v++) {
    uint32_t number = window->groups + v;
    status = hdi_coded_entries_push(&coded->jumps, group_entry(coded, &groups[number], number));
  }
  return status;
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
  status = status == HD_OK ? make_groups(maker, i, weights) : status;
  return status == HD_OK && maker->coded->rooted ? make_root(maker->coded, i, weights) : status;
}

/* The effects of the leaves that have none. */
static hd_status begin_effects(struct hdi_coded *coded) {
  hd_status status = HD_OK;
  for (uint32_t leaf = 0; leaf < HDI_CODED_EFFECT && status == HD_OK; leaf++) {
    status = hdi_coded_effects_push(&coded->effects, (hdi_coded_effect){.keep = UINT64_MAX});
  }
  return status;
}

static hd_status fill(struct hdi_coded *coded, const hd_model *model) {
  hd_status status = hdi_plan_make(model, &coded->plan);
  if (status != HD_OK) {
    return status;
  }
  status = begin_effects(coded);
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
