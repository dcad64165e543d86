/* Flat rules: successors as bare masked writes.
 *
 * A model is flat when no rule has code, no channel or handed-over value is computed, nothing is exclusive, protected
 * or watched by a monitor. Then a step cannot fail and cannot fail a check, and a search needs nothing of it but the
 * next state. What a general step decides at run time is decided here, once, when the model is made:
 *
 *   partners    each sending rule is merged with each receiving rule of another instance on the same channel into one
 * rule that also tests the partner's location: its writes are the sender's, then the receiver's weights     one list of
 * rules for each hd_weight_filter, so that no rule is looked at in vain one word    all tests and writes of a rule fit
 * one cache line; a group whose rules only compare and write runs without branches
 *
 * Order. A group keeps the order of its rules, and merged rules stand where the sender stood, by partner instance and
 * partner rule: this is the step order of hd_stepper_run. Merging multiplies rules; beyond RULES_MAX the model is left
 * as it is, not flat. Read-only after hd_builder_finish. Cost of a run: for each instance a field, for each rule a
 * compare. */
#include "core/model/flat.h"

#include "core/model/flat_lanes.h"
#include "core/model/stepper.h"

#include <string.h>

#define RULES_MAX ((size_t)1 << 21)

typedef struct flat_maker {
  hd_model *model;
  hdi_flat *flat;
  hd_status status;
  bool refused;
} flat_maker;

static void note(flat_maker *maker, hd_status status) {
  if (maker->status == HD_OK) {
    maker->status = status;
  }
}

static bool is_simple(const hd_model *model) {
  if (model->has_exclusive || model->has_strong || model->has_weak || model->monitors.count > 0) {
    return false;
  }
  for (size_t i = 0; i < model->rules.count; i++) {
    if (model->rules.data[i].guard != HD_NONE || model->rules.data[i].body != HD_NONE) {
      return false;
    }
  }
  for (size_t i = 0; i < model->syncs.count; i++) {
    if (model->syncs.data[i].channel != HD_NONE || model->syncs.data[i].value != HD_NONE) {
      return false;
    }
  }
  return true;
}

/* ---- one word ---- */

/* Makes the one-word form of a rule; false when it has none. */
static bool narrow_rule(const hd_model *model, const hdi_rule *rule, hdi_flat_word *out) {
  *out = (hdi_flat_word){.mask = rule->mask, .value = rule->value};
  const hdi_test *test = model->tests.data + rule->tests;
  for (uint32_t i = 0; i < rule->equal_count; i++, test++) {
    out->mask |= test->mask;
    out->value |= test->value;
  }
  if (rule->nonzero_count > 1) {
    return false;
  }
  out->some = rule->nonzero_count == 0 ? 0 : test->mask;
  const hdi_write *write = model->writes.data + rule->writes;
  for (uint32_t i = 0; i < rule->write_count; i++, write++) {
    if (i > 0 && write->moved != 0) {
      return false;
    }
    out->moved |= write->moved;
    out->down = write->moved != 0 ? write->down : out->down;
    out->clear |= write->clear | write->set;
    out->set = (out->set & ~write->clear) | write->set;
  }
  return true;
}

static void add_rule(flat_maker *maker, const hdi_rule *rule, hdi_flat_group *group) {
  hdi_flat *flat = maker->flat;
  size_t count = flat->narrow.count + flat->wide.count;
  if (count >= RULES_MAX) {
    maker->refused = true;
    return;
  }
  if (maker->model->words > 1) {
    note(maker, hdi_rules_push(&flat->wide, *rule));
  } else {
    hdi_flat_word narrow;
    maker->refused |= !narrow_rule(maker->model, rule, &narrow);
    group->odd |= narrow.some != 0 || narrow.moved != 0;
    note(maker, hdi_flat_words_push(&flat->narrow, narrow));
  }
  group->end = (uint32_t)count + 1;
}

/* ---- rendezvous ---- */

/* Adds `test` to the equality tests of a rule being merged, whose tests are the last of the table; false when they
 * contradict each other. */
static bool merge_test(flat_maker *maker, hdi_rule *rule, hdi_test test) {
  hdi_tests *tests = &maker->model->tests;
  if (test.mask == 0) {
    return true;
  }
  for (size_t i = rule->tests; i < tests->count; i++) {
    hdi_test *other = &tests->data[i];
    if (other->word == test.word) {
      bool agrees = ((other->value ^ test.value) & other->mask & test.mask) == 0;
      other->mask |= test.mask;
      other->value |= test.value;
      return agrees;
    }
  }
  note(maker, hdi_tests_push(tests, test));
  rule->equal_count++;
  return true;
}

static bool merge_equals(flat_maker *maker, hdi_rule *rule, const hdi_rule *side) {
  bool agrees = merge_test(maker, rule, (hdi_test){.mask = side->mask, .value = side->value, .word = side->word});
  for (uint32_t i = 0; i < side->equal_count && agrees && maker->status == HD_OK; i++) {
    agrees = merge_test(maker, rule, maker->model->tests.data[side->tests + i]);
  }
  return agrees;
}

static void append_nonzero(flat_maker *maker, hdi_rule *rule, const hdi_rule *side) {
  for (uint32_t i = 0; i < side->nonzero_count && maker->status == HD_OK; i++) {
    hdi_test test = maker->model->tests.data[side->tests + side->equal_count + i];
    note(maker, hdi_tests_push(&maker->model->tests, test));
    rule->nonzero_count++;
  }
}

static void append_writes(flat_maker *maker, hdi_rule *rule, const hdi_rule *side) {
  for (uint32_t i = 0; i < side->write_count && maker->status == HD_OK; i++) {
    hdi_write write = maker->model->writes.data[side->writes + i];
    note(maker, hdi_writes_push(&maker->model->writes, write));
    rule->write_count++;
  }
}

/* Both rules as one, with the receiver's location as a further test. Tests and writes that are not needed after all
 * (the sides contradict each other) are taken off the tables again. */
static void add_pair(flat_maker *maker, const hdi_rule *sender, const hdi_rule *receiver, hdi_test at,
                     hdi_flat_group *group) {
  hd_model *model = maker->model;
  hdi_rule pair = {.tests = (uint32_t)model->tests.count,
                   .writes = (uint32_t)model->writes.count,
                   .guard = HD_NONE,
                   .body = HD_NONE,
                   .sync = HD_NONE,
                   .edge = sender->edge,
                   .to = sender->to,
                   .label = sender->label};
  bool possible =
      merge_equals(maker, &pair, sender) && merge_equals(maker, &pair, receiver) && merge_test(maker, &pair, at);
  if (!possible || maker->status != HD_OK) {
    model->tests.count = pair.tests;
    return;
  }
  append_nonzero(maker, &pair, sender);
  append_nonzero(maker, &pair, receiver);
  append_writes(maker, &pair, sender);
  append_writes(maker, &pair, receiver);
  maker->refused |= model->tests.count >= HDI_TABLE_MAX * 8 || model->writes.count >= HDI_TABLE_MAX * 8;
  if (maker->status == HD_OK) {
    add_rule(maker, &pair, group);
  }
  if (model->words == 1) { /* the one-word form holds everything */
    model->tests.count = pair.tests;
    model->writes.count = pair.writes;
  }
}

static bool is_wanted(hd_weight_filter weights, uint32_t weight) {
  return weights == HD_WEIGHT_ANY || weight == (weights == HD_WEIGHT_ONE ? 1u : 0u);
}

/* All meetings of one sending rule, in step order. */
static void add_pairs(flat_maker *maker, uint32_t instance, const hdi_rule *sender, hd_weight_filter weights,
                      hdi_flat_group *group) {
  const hd_model *model = maker->model;
  int64_t channel = model->syncs.data[sender->sync].channel_fixed;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    const hdi_instance *partner = &model->instances.data[i];
    const hdi_field *field = &model->fields.data[partner->loc_field];
    for (uint64_t v = 0; i != instance && v <= field->top && !maker->refused && maker->status == HD_OK; v++) {
      const hdi_group *there = &model->groups.data[partner->groups + v];
      hdi_test at = {.mask = field->mask << field->shift, .value = v << field->shift, .word = field->word};
      for (uint32_t r = there->begin; there->receives && r < there->end; r++) {
        const hdi_rule *receiver = &model->rules.data[r];
        uint32_t weight = receiver->weight > sender->weight ? receiver->weight : sender->weight;
        if (receiver->side == HD_SIDE_RECEIVE && model->syncs.data[receiver->sync].channel_fixed == channel &&
            is_wanted(weights, weight)) {
          add_pair(maker, sender, receiver, at, group);
        }
      }
    }
  }
}

/* ---- groups ---- */

static void add_group(flat_maker *maker, uint32_t instance, const hdi_group *from, hd_weight_filter weights,
                      bool eager) {
  uint32_t begin = (uint32_t)(maker->flat->narrow.count + maker->flat->wide.count);
  hdi_flat_group group = {.begin = begin, .end = begin, .eager = eager};
  for (uint32_t r = from->begin; r < from->end && !maker->refused && maker->status == HD_OK; r++) {
    const hdi_rule rule = maker->model->rules.data[r];
    if (rule.side == HD_SIDE_NONE && is_wanted(weights, rule.weight)) {
      add_rule(maker, &rule, &group);
    } else if (rule.side == HD_SIDE_SEND) {
      add_pairs(maker, instance, &rule, weights, &group);
    }
  }
  note(maker, hdi_flat_groups_push(&maker->flat->groups[weights], group));
}

static void add_instances(flat_maker *maker, hd_weight_filter weights) {
  const hd_model *model = maker->model;
  uint64_t successors = 0;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    const hdi_instance *instance = &model->instances.data[i];
    uint32_t most = 0;
    for (uint64_t v = 0; v <= model->fields.data[instance->loc_field].top && !maker->refused && maker->status == HD_OK;
         v++) {
      uint32_t loc = model->process_locs.data[instance->locs + v];
      bool eager = (model->locs.data[loc].flags & HD_LOC_EAGER) != 0;
      add_group(maker, i, &model->groups.data[instance->groups + v], weights, eager);
      const hdi_flat_groups *groups = &maker->flat->groups[weights];
      if (maker->status == HD_OK) {
        const hdi_flat_group *last = &groups->data[groups->count - 1];
        most = last->end - last->begin > most ? last->end - last->begin : most;
      }
    }
    if (weights == HD_WEIGHT_ANY && model->words == 1) {
      const hdi_field *field = &model->fields.data[instance->loc_field];
      note(maker, hdi_flat_sites_push(
                      &maker->flat->sites,
                      (hdi_flat_site){.mask = field->mask, .groups = instance->groups, .shift = field->shift}));
    }
    successors += most;
  }
  maker->refused |= successors > RULES_MAX;
  if (weights == HD_WEIGHT_ANY && !maker->refused) {
    maker->flat->successors_max = (uint32_t)successors;
  }
}

hd_status hdi_flat_compile(hd_model *model) {
  if (!is_simple(model)) {
    return HD_OK;
  }
  flat_maker maker = {.model = model, .flat = &model->flat, .status = HD_OK};
  size_t tests = model->tests.count, writes = model->writes.count;
  add_instances(&maker, HD_WEIGHT_ANY);
  if (model->has_zero_weights) {
    add_instances(&maker, HD_WEIGHT_ZERO);
    add_instances(&maker, HD_WEIGHT_ONE);
  }
  if (maker.refused || maker.status != HD_OK) {
    hdi_flat_free(&model->flat);
    model->tests.count = tests;
    model->writes.count = writes;
    return maker.status;
  }
  model->flat.valid = true;
  return hdi_flat_lanes_make(model);
}

void hdi_flat_free(hdi_flat *flat) {
  for (size_t i = 0; i < 3; i++) {
    hdi_flat_groups_free(&flat->groups[i]);
  }
  hdi_flat_words_free(&flat->narrow);
  hdi_rules_free(&flat->wide);
  hdi_flat_sites_free(&flat->sites);
  hdi_flat_lanes_free(flat->lanes);
  memset(flat, 0, sizeof *flat);
}

/* ---- running ---- */

static const hdi_flat_group *flat_group_at(const hd_model *model, const hdi_flat_group *groups, const uint64_t *state,
                                           uint32_t instance) {
  const hdi_instance *inst = &model->instances.data[instance];
  return &groups[inst->groups + hdi_field_bits(&model->fields.data[inst->loc_field], state)];
}

/* Writes the successors of a state of one word by one group's rules; returns the place behind the last one. */
static inline uint64_t *fire_narrow(const hdi_flat_word *rules, const hdi_flat_group *group, uint64_t state,
                                    uint64_t *out) {
  const hdi_flat_word *rule = rules + group->begin;
  const hdi_flat_word *last = rules + group->end;
  if (!group->odd) {
    for (; rule < last; rule++) { /* no branch: the next slot is written anyway and kept when the rule is enabled */
      *out = (state & ~rule->clear) | rule->set;
      out += (state & rule->mask) == rule->value;
    }
    return out;
  }
  for (; rule < last; rule++) {
    if ((state & rule->mask) == rule->value && (rule->some == 0 || (state & rule->some) != 0)) {
      uint64_t moved = (state & ~rule->moved) | (((state & rule->moved) >> rule->down) & rule->moved);
      *out++ = (moved & ~rule->clear) | rule->set;
    }
  }
  return out;
}

/* The same for wide states. */
static uint64_t *fire_wide(const hd_model *model, const hdi_flat_group *group, const uint64_t *state, uint64_t *out) {
  for (uint32_t r = group->begin; r < group->end; r++) {
    const hdi_rule *rule = &model->flat.wide.data[r];
    if (hdi_rule_tests(model, rule, state)) {
      memcpy(out, state, model->words * sizeof *state);
      hdi_rule_write(model, rule, out);
      out += model->words;
    }
  }
  return out;
}

static uint64_t *fire(const hd_model *model, const hdi_flat_group *group, const uint64_t *state, uint64_t *out) {
  return model->words == 1 ? fire_narrow(model->flat.narrow.data, group, *state, out)
                           : fire_wide(model, group, state, out);
}

/* The first instance at an eager location that has a step of any weight; HD_NONE when there is none. `scratch` holds
 * its successors. */
static uint32_t first_eager(const hd_model *model, const uint64_t *state, uint64_t *scratch) {
  const hdi_flat_group *any = model->flat.groups[HD_WEIGHT_ANY].data;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    const hdi_flat_group *group = flat_group_at(model, any, state, i);
    if (group->eager && fire(model, group, state, scratch) != scratch) {
      return i;
    }
  }
  return HD_NONE;
}

/* Writes the successors of a state by the rules of all instances; returns the place behind the last one. */
static uint64_t *fire_all(const hd_model *model, const hdi_flat_group *groups, const uint64_t *state, uint64_t *out) {
  if (model->words > 1) {
    for (uint32_t i = 0; i < model->instances.count; i++) {
      out = fire_wide(model, flat_group_at(model, groups, state, i), state, out);
    }
    return out;
  }
  const hdi_flat_site *site = model->flat.sites.data;
  const hdi_flat_site *end = site + model->flat.sites.count;
  for (; site < end; site++) {
    out = fire_narrow(model->flat.narrow.data, &groups[site->groups + ((*state >> site->shift) & site->mask)], *state,
                      out);
  }
  return out;
}

/* What hdi_flat_run works with. */
typedef struct flat_runner {
  const hd_model *model;
  const hdi_flat_group *groups;
  hd_weight_filter weights;
  const uint64_t *last; /* a state whose successors begin behind this has no room for all of them */
} flat_runner;

/* All rules at once, by vector instructions. */
static uint32_t scan(const flat_runner *runner, const uint64_t *states, uint32_t count, uint64_t *next,
                     uint32_t *ends) {
  const hd_model *model = runner->model;
  const struct hdi_flat_lanes *lanes = model->flat.lanes;
  return model->words == 1
             ? lanes->scan(&lanes->rules[runner->weights], states, count, next, runner->last, ends)
             : lanes->wide_scan(model, &lanes->wide_rules[runner->weights], states, count, next, runner->last, ends);
}

/* As hdi_flat_run, when some locations are eager. */
static uint32_t run_eager(const flat_runner *runner, const uint64_t *states, uint32_t count, uint64_t *next,
                          uint32_t *ends) {
  const hd_model *model = runner->model;
  const struct hdi_flat_lanes *lanes = model->flat.lanes;
  uint64_t *out = next;
  uint32_t i = 0;
  for (; i < count && out <= runner->last; i++) {
    const uint64_t *state = states + (size_t)i * model->words;
    uint32_t eager = lanes == NULL       ? first_eager(model, state, out)
                     : model->words == 1 ? lanes->first(&lanes->eager, *state)
                                         : lanes->wide_first(model, &lanes->wide_eager, state);
    if (eager != HD_NONE) {
      out = fire(model, flat_group_at(model, runner->groups, state, eager), state, out);
    } else if (lanes != NULL) {
      uint32_t end = 0;
      (void)scan(runner, state, 1, out, &end);
      out += (size_t)end * model->words;
    } else {
      out = fire_all(model, runner->groups, state, out);
    }
    ends[i] = (uint32_t)((size_t)(out - next) / model->words);
  }
  return i;
}

uint32_t hdi_flat_run(const hd_model *model, const uint64_t *states, uint32_t count, hd_weight_filter weights,
                      uint64_t *next, size_t room, uint32_t *ends) {
  if (!model->has_zero_weights) { /* all weights are 1: one list is enough */
    if (weights == HD_WEIGHT_ZERO) {
      memset(ends, 0, count * sizeof *ends);
      return count;
    }
    weights = HD_WEIGHT_ANY;
  }
  flat_runner runner = {.model = model,
                        .groups = model->flat.groups[weights].data,
                        .weights = weights,
                        .last = next + (room - hdi_flat_max(model) - HD_BULK_SLACK) * model->words};
  if (model->has_eager) {
    return run_eager(&runner, states, count, next, ends);
  }
  if (model->flat.lanes != NULL) {
    return scan(&runner, states, count, next, ends);
  }
  uint64_t *out = next;
  uint32_t i = 0;
  for (; i < count && out <= runner.last; i++) {
    out = fire_all(model, runner.groups, states + (size_t)i * model->words, out);
    ends[i] = (uint32_t)((size_t)(out - next) / model->words);
  }
  return i;
}
