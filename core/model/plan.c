/* Plans: what can be decided about steps when the model is made.
 *
 *   group (instance, location)  [ rule | rule | ... ]     one list for each hd_weight_filter
 *
 * An edge without partners is one rule. A sending edge is merged with each receiving edge of another instance that it
 * might meet: on the same fixed channel, or when one of the channels is computed. The merged rule also tests that the
 * partner is at its location. It stands where the sender stood, by partner instance and partner rule: the step order of
 * hd_stepper_run. A guard or channel of a synchronising edge may fault whether or not there is a partner; such edges
 * get a probe, which makes no step. Rules whose tests contradict each other are left out. Cost: linear in the rules
 * made, of which there are at most RULES_MAX. */
#include "core/model/plan.h"

#include <string.h>

#define RULES_MAX ((size_t)1 << 18)

typedef struct planner {
  const hd_model *model;
  hdi_plan *plan;
  hd_status status;
  /* Of the rule being made. */
  hdi_tests equal, nonzero;
  bool possible;
} planner;

static void note(planner *p, hd_status status) {
  if (p->status == HD_OK) {
    p->status = status;
  }
}

/* ---- tests ---- */

static void begin_tests(planner *p) {
  hdi_tests_clear(&p->equal);
  hdi_tests_clear(&p->nonzero);
  p->possible = true;
}

static void add_equal(planner *p, hdi_test test) {
  if (test.mask == 0) {
    return;
  }
  for (size_t i = 0; i < p->equal.count; i++) {
    hdi_test *other = &p->equal.data[i];
    if (other->word == test.word) {
      p->possible &= ((other->value ^ test.value) & other->mask & test.mask) == 0;
      other->mask |= test.mask;
      other->value |= test.value;
      return;
    }
  }
  note(p, hdi_tests_push(&p->equal, test));
}

static void add_tests(planner *p, const hdi_rule *rule) {
  add_equal(p, (hdi_test){.mask = rule->mask, .value = rule->value, .word = rule->word});
  const hdi_test *test = p->model->tests.data + rule->tests;
  for (uint32_t i = 0; i < rule->equal_count; i++) {
    add_equal(p, *test++);
  }
  for (uint32_t i = 0; i < rule->nonzero_count; i++) {
    note(p, hdi_tests_push(&p->nonzero, *test++));
  }
}

/* Adds the rule with the tests collected, when they can hold. */
static void add_rule(planner *p, hdi_plan_rule rule, hdi_plan_group *group) {
  hdi_plan *plan = p->plan;
  if (!p->possible || p->status != HD_OK) {
    return;
  }
  size_t first = p->equal.count > 0 ? 1 : 0;
  if (first == 1) {
    rule.mask = p->equal.data[0].mask;
    rule.value = p->equal.data[0].value;
    rule.word = p->equal.data[0].word;
  }
  rule.tests = (uint32_t)plan->tests.count;
  rule.equal_count = (uint32_t)(p->equal.count - first);
  rule.nonzero_count = (uint32_t)p->nonzero.count;
  for (size_t i = first; i < p->equal.count; i++) {
    note(p, hdi_tests_push(&plan->tests, p->equal.data[i]));
  }
  for (size_t i = 0; i < p->nonzero.count; i++) {
    note(p, hdi_tests_push(&plan->tests, p->nonzero.data[i]));
  }
  bool too_many = plan->rules.count >= RULES_MAX || plan->tests.count >= HDI_TABLE_MAX * 8;
  note(p, too_many ? HD_E_LIMIT : hdi_plan_rules_push(&plan->rules, rule));
  group->end = (uint32_t)plan->rules.count;
}

/* ---- rules ---- */

static bool is_wanted(hd_weight_filter weights, uint32_t weight) {
  return weights == HD_WEIGHT_ANY || weight == (weights == HD_WEIGHT_ONE ? 1u : 0u);
}

static void add_alone(planner *p, uint32_t instance, uint32_t rule, hdi_plan_kind kind, hdi_plan_group *group) {
  begin_tests(p);
  add_tests(p, &p->model->rules.data[rule]);
  hdi_plan_rule made = {.own = rule, .own_instance = instance, .partner = HD_NONE, .partner_instance = HD_NONE};
  made.kind = kind;
  add_rule(p, made, group);
}

/* Could the two meet? */
static bool may_meet(const hd_model *model, const hdi_rule *sender, const hdi_rule *receiver) {
  const hdi_sync *from = &model->syncs.data[sender->sync];
  const hdi_sync *to = &model->syncs.data[receiver->sync];
  return receiver->side == HD_SIDE_RECEIVE &&
         (from->channel != HD_NONE || to->channel != HD_NONE || from->channel_fixed == to->channel_fixed);
}

/* The meetings of one sending rule with the receiving rules of `instance` at location value `v`. */
static void add_meetings_at(planner *p, hdi_plan_rule made, uint32_t instance, uint64_t v, hd_weight_filter weights,
                            hdi_plan_group *group) {
  const hd_model *model = p->model;
  const hdi_instance *partner = &model->instances.data[instance];
  const hdi_field *field = &model->fields.data[partner->loc_field];
  const hdi_group *there = &model->groups.data[partner->groups + v];
  const hdi_rule *sender = &model->rules.data[made.own];
  for (uint32_t r = there->begin; there->receives && r < there->end && p->status == HD_OK; r++) {
    const hdi_rule *receiver = &model->rules.data[r];
    if (!may_meet(model, sender, receiver) ||
        !is_wanted(weights, receiver->weight > sender->weight ? receiver->weight : sender->weight)) {
      continue;
    }
    begin_tests(p);
    add_tests(p, sender);
    add_equal(p, (hdi_test){.mask = field->mask << field->shift, .value = v << field->shift, .word = field->word});
    add_tests(p, receiver);
    made.partner = r;
    made.partner_instance = instance;
    add_rule(p, made, group);
  }
}

static void add_meetings(planner *p, uint32_t instance, uint32_t rule, hd_weight_filter weights,
                         hdi_plan_group *group) {
  const hd_model *model = p->model;
  hdi_plan_rule made = {.own = rule, .own_instance = instance, .kind = HDI_PLAN_MEETING};
  for (uint32_t i = 0; i < model->instances.count; i++) {
    uint64_t top = model->fields.data[model->instances.data[i].loc_field].top;
    for (uint64_t v = 0; i != instance && v <= top && p->status == HD_OK; v++) {
      add_meetings_at(p, made, i, v, weights, group);
    }
  }
}

static void add_rules(planner *p, uint32_t instance, uint32_t number, hd_weight_filter weights, hdi_plan_group *group) {
  const hdi_rule *rule = &p->model->rules.data[number];
  bool wanted = is_wanted(weights, rule->weight);
  if (rule->side == HD_SIDE_NONE) {
    if (wanted) {
      add_alone(p, instance, number, HDI_PLAN_ALONE, group);
    }
    return;
  }
  if (wanted && (rule->guard != HD_NONE || p->model->syncs.data[rule->sync].channel != HD_NONE)) {
    add_alone(p, instance, number, HDI_PLAN_PROBE, group);
  }
  if (rule->side == HD_SIDE_SEND) {
    add_meetings(p, instance, number, weights, group);
  }
}

/* ---- groups ---- */

static void add_group(planner *p, uint32_t instance, uint64_t v, hd_weight_filter weights) {
  const hd_model *model = p->model;
  const hdi_instance *inst = &model->instances.data[instance];
  const hdi_group *from = &model->groups.data[inst->groups + v];
  uint32_t flags = model->locs.data[model->process_locs.data[inst->locs + v]].flags;
  hdi_plan_group group = {.begin = (uint32_t)p->plan->rules.count, .end = (uint32_t)p->plan->rules.count};
  group.exclusive = (flags & HD_LOC_EXCLUSIVE) != 0;
  group.eager = (flags & HD_LOC_EAGER) != 0;
  for (uint32_t r = from->begin; r < from->end && p->status == HD_OK; r++) {
    add_rules(p, instance, r, weights, &group);
  }
  note(p, hdi_plan_groups_push(&p->plan->groups[weights], group));
}

static void add_instances(planner *p, hd_weight_filter weights) {
  const hd_model *model = p->model;
  uint64_t successors = 0;
  for (uint32_t i = 0; i < model->instances.count && p->status == HD_OK; i++) {
    uint32_t most = 0;
    uint64_t top = model->fields.data[model->instances.data[i].loc_field].top;
    for (uint64_t v = 0; v <= top && p->status == HD_OK; v++) {
      uint32_t before = (uint32_t)p->plan->rules.count;
      add_group(p, i, v, weights);
      uint32_t rules = (uint32_t)p->plan->rules.count - before;
      most = rules > most ? rules : most;
    }
    successors += most;
  }
  if (weights == HD_WEIGHT_ANY) {
    p->plan->successors_max = (uint32_t)successors; /* at most the number of rules */
  }
}

hd_status hdi_plan_make(const hd_model *model, hdi_plan *plan) {
  *plan = (hdi_plan){0};
  planner p = {.model = model, .plan = plan, .status = HD_OK};
  note(&p, hdi_tests_reserve(&plan->tests, 1));
  note(&p, hdi_plan_rules_reserve(&plan->rules, 1));
  add_instances(&p, HD_WEIGHT_ANY);
  if (model->has_zero_weights) {
    add_instances(&p, HD_WEIGHT_ZERO);
    add_instances(&p, HD_WEIGHT_ONE);
  }
  hdi_tests_free(&p.equal);
  hdi_tests_free(&p.nonzero);
  if (p.status != HD_OK) {
    hdi_plan_free(plan);
  }
  return p.status;
}

void hdi_plan_free(hdi_plan *plan) {
  for (size_t i = 0; i < 3; i++) {
    hdi_plan_groups_free(&plan->groups[i]);
  }
  hdi_plan_rules_free(&plan->rules);
  hdi_tests_free(&plan->tests);
  memset(plan, 0, sizeof *plan);
}
