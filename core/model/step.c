/* One step at a time: which rules of an instance are enabled, what they do, who meets whom.
 *
 *   alone        tests, guard; copy the state; statements; masked writes; monitors
 *   rendezvous   the sender as above; its channel and value are taken in the state before; every other instance's
 *                receiving rules are tried in order; the sender's effect first, then the receiver's
 *
 * A guard (or channel) that faults makes a step with that fault, without partner; each rule reports its own. When two
 * sides are matched, or a guard asks for partners, a rule whose guard faults counts as not enabled.
 * No allocation here; everything works on the stepper's buffers. Cost: the rules of one location, times all instances
 * for each enabled sending rule. */
#include "core/model/stepper.h"

#include <string.h>

/* A rule and the instance that takes it. */
typedef struct step_party {
  const hdi_rule *rule;
  uint32_t instance;
} step_party;

static void begin_machine(hdi_machine *machine, const uint64_t *state, uint32_t instance) {
  machine->read = state;
  machine->write = NULL;
  machine->instance = instance;
  machine->received = 0;
}

/* Is the rule enabled? HDI_RAN_FAULT when its guard faults. */
static hdi_ran enabled(hdi_machine *machine, const uint64_t *state, step_party party) {
  if (!hdi_rule_tests(machine->model, party.rule, state)) {
    return HDI_RAN_DISABLED;
  }
  if (party.rule->guard == HD_NONE) {
    return HDI_RAN_OK;
  }
  int64_t value = 0;
  begin_machine(machine, state, party.instance);
  hdi_ran ran = hdi_machine_run(machine, party.rule->guard, &value);
  return ran == HDI_RAN_OK && value == 0 ? HDI_RAN_DISABLED : ran;
}

static hdi_ran channel_of(hdi_machine *machine, const uint64_t *state, step_party party, int64_t *channel) {
  const hdi_sync *sync = &machine->model->syncs.data[party.rule->sync];
  *channel = sync->channel_fixed;
  if (sync->channel == HD_NONE) {
    return HDI_RAN_OK;
  }
  begin_machine(machine, state, party.instance);
  return hdi_machine_run(machine, sync->channel, channel);
}

static bool ready_on(hdi_machine *machine, const uint64_t *state, step_party party, int64_t channel) {
  int64_t own = 0;
  return enabled(machine, state, party) == HDI_RAN_OK && channel_of(machine, state, party, &own) == HDI_RAN_OK &&
         own == channel;
}

bool hdi_partner_ready(const hdi_machine *machine, hd_side side, int64_t channel) {
  const hd_model *model = machine->model;
  hdi_machine nested = {.model = model, .stack = machine->stack + model->stack_depth};
  for (uint32_t i = 0; i < model->instances.count; i++) {
    const hdi_group *group = hdi_group_at(model, machine->read, i);
    if (i == machine->instance || !(side == HD_SIDE_SEND ? group->sends : group->receives)) {
      continue;
    }
    for (uint32_t r = group->begin; r < group->end; r++) {
      step_party other = {.rule = &model->rules.data[r], .instance = i};
      if (other.rule->side == (uint8_t)side && ready_on(&nested, machine->read, other, channel)) {
        return true;
      }
    }
  }
  return false;
}

/* ---- effects ---- */

/* Runs a rule's statements and writes on stepper->next. */
static hdi_ran apply(hd_stepper *stepper, step_party party, int64_t received) {
  const hd_model *model = stepper->model;
  const hdi_rule *rule = party.rule;
  uint64_t *next = stepper->next;
  if (rule->body != HD_NONE) {
    hdi_machine *machine = &stepper->machine;
    int64_t nothing = 0;
    begin_machine(machine, next, party.instance);
    machine->write = next;
    machine->received = received;
    machine->checks = 0;
    hdi_ran ran = hdi_machine_run(machine, rule->body, &nothing);
    stepper->step.checks_failed |= machine->checks;
    if (ran != HDI_RAN_OK) {
      return ran;
    }
  }
  hdi_rule_write(model, rule, next);
  return HDI_RAN_OK;
}

static void begin_step(hd_stepper *stepper, step_party first, const step_party *second) {
  hd_step *step = &stepper->step;
  *step = (hd_step){.edge = {first.rule->edge}, .instance = first.instance, .weight = first.rule->weight};
  step->partner_edge = HD_NO_EDGE;
  step->partner_instance = HD_NONE;
  step->label.v = first.rule->label;
  if (second != NULL) {
    step->partner_edge.v = second->rule->edge;
    step->partner_instance = second->instance;
    step->label.v = step->label.v == 0 ? second->rule->label : step->label.v;
    step->weight = second->rule->weight > step->weight ? second->rule->weight : step->weight;
  }
}

static bool wanted(const hd_stepper *stepper, uint32_t weight) {
  if (stepper->in_block) {
    return true; /* inner edges add nothing to the weight */
  }
  switch (stepper->weights) {
    case HD_WEIGHT_ANY:
      return true;
    case HD_WEIGHT_ZERO:
      return weight == 0;
    case HD_WEIGHT_ONE:
      return weight == 1;
  }
  return true;
}

static void deliver_fault(hd_stepper *stepper, hd_fault fault, uint32_t detail) {
  stepper->step.fault = fault;
  stepper->step.fault_detail = detail;
  if (stepper->in_block) {
    hdi_block_record(stepper);
  } else {
    hdi_emit(stepper, NULL);
  }
}

/* A fault in the rule of `at_fault`, noted by the machine. What the weak discipline does not let begin does not fault.
 */
static void deliver_machine_fault(hd_stepper *stepper, step_party at_fault) {
  if (!stepper->in_block && stepper->has_weak && hdi_weak_forbids_move(stepper, at_fault.instance, at_fault.rule->to)) {
    return;
  }
  uint32_t statement = stepper->model->edges.data[at_fault.rule->edge].statement;
  deliver_fault(stepper, stepper->machine.fault, statement);
}

static bool moved_to(const hd_stepper *stepper, step_party first, const step_party *second, uint32_t flag) {
  return (stepper->flags[first.rule->to] & flag) != 0 ||
         (second != NULL && (stepper->flags[second->rule->to] & flag) != 0);
}

/* stepper->next is complete but for the monitors. */
static void deliver(hd_stepper *stepper, step_party first, const step_party *second) {
  if (stepper->step.label.v != 0) {
    uint32_t monitor = hdi_monitors_move(stepper->model, stepper->next, stepper->step.label.v);
    if (monitor != HD_NONE) {
      deliver_fault(stepper, HD_FAULT_MONITOR, monitor);
      return;
    }
  }
  if (stepper->in_block) {
    hdi_block_record(stepper);
  } else if (stepper->has_strong && moved_to(stepper, first, second, HD_LOC_ATOMIC)) {
    hdi_block_run(stepper);
  } else if (!stepper->has_weak || !hdi_weak_forbids(stepper, stepper->state, stepper->next, NULL)) {
    hdi_emit(stepper, stepper->next);
  }
}

static void fire_alone(hd_stepper *stepper, const uint64_t *state, step_party party) {
  if (!wanted(stepper, party.rule->weight)) {
    return;
  }
  hdi_ran ran = enabled(&stepper->machine, state, party);
  if (ran == HDI_RAN_DISABLED) {
    return;
  }
  begin_step(stepper, party, NULL);
  if (ran == HDI_RAN_OK) {
    memcpy(stepper->next, state, stepper->model->words * sizeof *state);
    ran = apply(stepper, party, 0);
  }
  if (ran == HDI_RAN_OK) {
    deliver(stepper, party, NULL);
  } else if (ran == HDI_RAN_FAULT) {
    deliver_machine_fault(stepper, party);
  }
}

/* ---- rendezvous ---- */

/* Both sides are enabled on one channel. */
static void fire_pair(hd_stepper *stepper, const uint64_t *state, step_party sender, step_party receiver) {
  begin_step(stepper, sender, &receiver);
  if (!wanted(stepper, stepper->step.weight)) {
    return;
  }
  step_party at_fault = sender;
  int64_t handed = 0;
  const hdi_sync *sync = &stepper->model->syncs.data[sender.rule->sync];
  hdi_ran ran = HDI_RAN_OK;
  if (sync->value != HD_NONE) {
    begin_machine(&stepper->machine, state, sender.instance);
    ran = hdi_machine_run(&stepper->machine, sync->value, &handed);
  }
  memcpy(stepper->next, state, stepper->model->words * sizeof *state);
  if (ran == HDI_RAN_OK) {
    ran = apply(stepper, sender, 0);
  }
  if (ran == HDI_RAN_OK) {
    at_fault = receiver;
    ran = apply(stepper, receiver, handed);
  }
  if (ran == HDI_RAN_OK) {
    deliver(stepper, sender, &receiver);
  } else if (ran == HDI_RAN_FAULT) {
    deliver_machine_fault(stepper, at_fault);
  }
}

/* All partners of `own`, which is enabled on `channel`: receivers for a sender, senders for a receiver. */
static void fire_meetings(hd_stepper *stepper, const uint64_t *state, step_party own, int64_t channel) {
  const hd_model *model = stepper->model;
  bool sends = own.rule->side == HD_SIDE_SEND;
  uint8_t wanted_side = sends ? HD_SIDE_RECEIVE : HD_SIDE_SEND;
  for (uint32_t i = 0; stepper->status == HD_OK && i < model->instances.count; i++) {
    const hdi_group *group = hdi_group_at(model, state, i);
    if (i == own.instance || !(sends ? group->receives : group->sends)) {
      continue;
    }
    for (uint32_t r = group->begin; stepper->status == HD_OK && r < group->end; r++) {
      step_party other = {.rule = &model->rules.data[r], .instance = i};
      if (other.rule->side == wanted_side && ready_on(&stepper->machine, state, other, channel)) {
        fire_pair(stepper, state, sends ? own : other, sends ? other : own);
      }
    }
  }
}

static void fire_synchronising(hd_stepper *stepper, const uint64_t *state, step_party own) {
  int64_t channel = 0;
  hdi_ran ran = enabled(&stepper->machine, state, own);
  if (ran == HDI_RAN_OK) {
    ran = channel_of(&stepper->machine, state, own, &channel);
  }
  if (ran == HDI_RAN_FAULT && wanted(stepper, own.rule->weight)) {
    begin_step(stepper, own, NULL);
    deliver_machine_fault(stepper, own);
  } else if (ran == HDI_RAN_OK && (own.rule->side == HD_SIDE_SEND || stepper->in_block)) {
    fire_meetings(stepper, state, own, channel);
  }
}

/* A receiving rule that can neither start a step nor fault. */
static bool is_idle(const hd_stepper *stepper, const hdi_rule *rule) {
  return !stepper->in_block && rule->side == HD_SIDE_RECEIVE && rule->guard == HD_NONE &&
         stepper->model->syncs.data[rule->sync].channel == HD_NONE;
}

void hdi_fire_instance(hd_stepper *stepper, const uint64_t *state, uint32_t instance) {
  const hd_model *model = stepper->model;
  const hdi_group *group = hdi_group_at(model, state, instance);
  for (uint32_t r = group->begin; stepper->status == HD_OK && r < group->end; r++) {
    step_party party = {.rule = &model->rules.data[r], .instance = instance};
    if (party.rule->side == HD_SIDE_NONE) {
      fire_alone(stepper, state, party);
    } else if (!is_idle(stepper, party.rule)) {
      fire_synchronising(stepper, state, party);
    }
  }
}

bool hdi_instance_may_step(hd_stepper *stepper, const uint64_t *state, uint32_t instance) {
  const hd_model *model = stepper->model;
  const hdi_group *group = hdi_group_at(model, state, instance);
  for (uint32_t r = group->begin; r < group->end; r++) {
    step_party party = {.rule = &model->rules.data[r], .instance = instance};
    if (enabled(&stepper->machine, state, party) != HDI_RAN_DISABLED) {
      return true;
    }
  }
  return false;
}

/* ---- one step, chosen elsewhere ---- */

bool hdi_is_enabled(hd_stepper *stepper, const uint64_t *state, uint32_t rule, uint32_t instance) {
  step_party party = {.rule = &stepper->model->rules.data[rule], .instance = instance};
  return enabled(&stepper->machine, state, party) != HDI_RAN_DISABLED;
}

bool hdi_may_meet(hd_stepper *stepper, const uint64_t *state, hdi_meeting meeting) {
  step_party sender = {.rule = &stepper->model->rules.data[meeting.sender], .instance = meeting.sender_instance};
  step_party receiver = {.rule = &stepper->model->rules.data[meeting.receiver], .instance = meeting.receiver_instance};
  int64_t channel = 0;
  return enabled(&stepper->machine, state, sender) == HDI_RAN_OK &&
         channel_of(&stepper->machine, state, sender, &channel) == HDI_RAN_OK &&
         ready_on(&stepper->machine, state, receiver, channel);
}

void hdi_fire_alone(hd_stepper *stepper, const uint64_t *state, uint32_t rule, uint32_t instance) {
  fire_alone(stepper, state, (step_party){.rule = &stepper->model->rules.data[rule], .instance = instance});
}

void hdi_fire_meeting(hd_stepper *stepper, const uint64_t *state, hdi_meeting meeting) {
  fire_pair(stepper, state,
            (step_party){.rule = &stepper->model->rules.data[meeting.sender], .instance = meeting.sender_instance},
            (step_party){.rule = &stepper->model->rules.data[meeting.receiver], .instance = meeting.receiver_instance});
}
