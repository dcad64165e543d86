/* Running the fast path of models with code: see coded.h. It is made by coded.c.
 *
 *   state -> for each instance: root -> window -> diagram -> leaf: a successor, or none
 *                                         \-> group -> for each rule: tests -> diagram -> leaf
 *
 * A step that has a fault or a failed check makes its state odd: nothing of that state is kept and the general stepper
 * takes over. Code without a diagram is interpreted, on the place in the output where the successor will stand; the
 * interpreter and what it decides are those of step.c, without the descriptions.
 *
 *   exclusive   while some process is at an exclusive location, only groups of exclusive locations are looked at
 *   eager       the first group of an eager location that makes a step of any weight is the only one looked at
 *
 * One source for states of one word and of many: the functions that take `words` are inlined with 1. There the leaf
 * without a step is not branched on: it writes the state itself where the next successor will be written. Threads:
 * tables are read-only after hd_builder_finish, all else is the stepper's. Cost: per instance, and per field that its
 * code reads, a table look-up. */
#include "core/model/coded.h"

#include <string.h>

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
    *out = (*state & effect->keep) | effect->set;
    return;
  }
  memcpy(out, state, words * sizeof *out);
  out[effect->word] = (out[effect->word] & effect->keep) | effect->set;
  const hdi_coded_write *write = coded->writes.data + effect->more;
  for (uint32_t i = 0; i < effect->more_count; i++, write++) {
    out[write->word] = (out[write->word] & ~write->clear) | write->set;
  }
}

/* The entry behind a node. */
static inline const hdi_coded_entry *next_entry(const hdi_coded_entry *jumps, const hdi_coded_entry *node,
                                                const uint64_t *state, uint32_t words) {
  uint64_t mask = node->mask;
  uint64_t at = (state[words == 1 ? 0 : node->word] >> node->shift) & mask;
  at += node->base;
  return &jumps[at];
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
    while (entry->word < HDI_CODED_GROUP) {
      entry = next_entry(jumps, entry, state, words);
    }
    uint32_t leaf = entry->base;
    if (HD_LIKELY(leaf >= HDI_CODED_EFFECT)) {
      write_effect(coded, &coded->effects.data[leaf], state, out, words);
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

/* As fire_words, by the rules of all instances. */
static inline uint64_t *fire_groups(hd_stepper *stepper, const hdi_coded_group *groups, const uint64_t *state,
                                    uint64_t *out) {
  const struct hdi_coded *coded = stepper->model->coded;
  for (size_t i = 0; i < coded->windows.count && out != NULL; i++) {
    out = fire_words(stepper, group_at(groups, &coded->windows.data[i], state), state, out, stepper->model->words);
  }
  return out;
}

/* The same from the instances' roots. */
static inline uint64_t *fire_roots(hd_stepper *stepper, hd_weight_filter weights, const uint64_t *state, uint64_t *out,
                                   uint32_t words) {
  const struct hdi_coded *coded = stepper->model->coded;
  const hdi_coded_entry *jumps = coded->jumps.data;
  const hdi_coded_effect *effects = coded->effects.data;
  const hdi_coded_entry *root = coded->roots[weights].data;
  const uint64_t first = state[0]; /* in a register: `out` could point to it, for all the compiler knows */
  const uint64_t *from = words == 1 ? &first : state;
  for (const hdi_coded_entry *end = root + coded->roots[weights].count; root < end; root++) {
    const hdi_coded_entry *entry = root;
    do {
      entry = next_entry(jumps, entry, from, words);
    } while (entry->word < HDI_CODED_GROUP);
    if (HD_LIKELY(entry->word == HDI_CODED_LEAF)) {
      const hdi_coded_effect *effect = &effects[entry->base];
      if (words == 1 || effect->made != 0) {
        write_effect(coded, effect, from, out, words);
      }
      out += effect->made * words;
    } else if (entry->word == HDI_CODED_GROUP) {
      out = fire_words(stepper, &coded->groups[weights].data[entry->base], state, out, words);
      if (out == NULL) {
        return NULL;
      }
    } else {
      return NULL;
    }
  }
  return out;
}

static inline uint64_t *fire_all(hd_stepper *stepper, hd_weight_filter weights, const uint64_t *state, uint64_t *out,
                                 uint32_t words) {
  const struct hdi_coded *coded = stepper->model->coded;
  return coded->rooted ? fire_roots(stepper, weights, state, out, words)
                       : fire_groups(stepper, coded->groups[weights].data, state, out);
}

/* One state of a model with eager or exclusive locations; returns the place behind its last successor, NULL when it is
 * odd. */
static uint64_t *run_state(hd_stepper *stepper, hd_weight_filter weights, const uint64_t *state, uint64_t *out) {
  const hd_model *model = stepper->model;
  const struct hdi_coded *coded = model->coded;
  const hdi_coded_group *groups = coded->groups[weights].data;
  if (model->has_eager) {
    bool odd = false;
    uint32_t eager = first_eager(stepper, state, out, &odd);
    if (eager != HD_NONE) {
      const hdi_coded_group *group = group_at(groups, &coded->windows.data[eager], state);
      return odd ? NULL : fire_words(stepper, group, state, out, model->words);
    }
  }
  if (!model->has_exclusive || !someone_is_exclusive(coded, groups, state)) {
    return fire_all(stepper, weights, state, out, model->words);
  }
  for (size_t i = 0; i < coded->windows.count && out != NULL; i++) {
    const hdi_coded_group *group = group_at(groups, &coded->windows.data[i], state);
    if (group->exclusive) {
      out = fire_words(stepper, group, state, out, model->words);
    }
  }
  return out;
}

/* States begin .. count - 1, as long as there is room; `plain`: every instance may step in every state. */
static inline uint32_t run_states(hd_stepper *stepper, const uint64_t *states, uint32_t count, hd_weight_filter weights,
                                  uint64_t *next, const uint64_t *last, uint32_t *ends, bool *odd, uint32_t words,
                                  bool plain) {
  uint64_t *out = next;
  uint32_t i = 0;
  for (; i < count && out <= last; i++) {
    const uint64_t *state = states + (size_t)i * words;
    uint64_t *end = plain ? fire_all(stepper, weights, state, out, words) : run_state(stepper, weights, state, out);
    if (end == NULL) {
      *odd = true;
      break;
    }
    out = end;
    ends[i] = (uint32_t)((size_t)(out - next) / words);
  }
  return i;
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
  uint32_t words = model->words;
  bool plain = !model->has_eager && !model->has_exclusive;
  const uint64_t *last = next + (room - model->coded->plan.successors_max - HD_BULK_SLACK) * words;
  return plain && words == 1 ? run_states(stepper, states, count, weights, next, last, ends, odd, 1, true)
                             : run_states(stepper, states, count, weights, next, last, ends, odd, words, plain);
}
