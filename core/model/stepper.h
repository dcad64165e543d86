/* What the files that compute steps share: the machine that runs stack code (bytecode.c), the stepper (stepper.c,
 * step.c) and the search through compound steps (block.c). */
#ifndef HEDDLE_CORE_MODEL_STEPPER_H
#define HEDDLE_CORE_MODEL_STEPPER_H

#include "core/model/compile.h"

/* ---- stack code ---- */

/* What code runs on. Conditions only read `read`; statements also write `write`, which then is the same state. */
typedef struct hdi_machine {
  const hd_model *model;
  const uint64_t *read;
  uint64_t *write;
  int64_t *stack; /* room for model->stack_depth values, and as many again for the guards of partners */
  int64_t received;
  uint32_t instance;
  uint32_t checks; /* codes of failed checks are added */
  hd_fault fault;
  /* Runs on states of which only some bits are known (partial.c); see bytecode_run.h. */
  uint64_t *known, *written; /* bits; the others of `read` are 0 */
  const hdi_field *needed;
  uint32_t resume, depth;
} hdi_machine;

typedef enum hdi_ran {
  HDI_RAN_OK,
  HDI_RAN_DISABLED, /* a queue was full or empty: the step is not possible */
  HDI_RAN_FAULT,    /* machine->fault says what */
  HDI_RAN_NEEDS     /* partial runs only: machine->needed is not known */
} hdi_ran;

/* Runs the code at `code`; *value receives what it leaves on the stack, 0 when nothing. */
hdi_ran hdi_machine_run(hdi_machine *machine, uint32_t code, int64_t *value);
/* The same on machine->known, beginning (or going on) with machine->depth values on the stack. No code that asks for
 * partners. */
hdi_ran hdi_machine_run_partial(hdi_machine *machine, uint32_t code, int64_t *value);
/* True when another instance than the machine's has an enabled edge of `side` on `channel` in machine->read. */
bool hdi_partner_ready(const hdi_machine *machine, hd_side side, int64_t channel);

/* ---- sets of words ---- */

/* Interned keys of a fixed number of words: equal words, equal number, dense from 0 in order of appearance. */
typedef struct hdi_keys {
  uint32_t words;
  uint64_t *data;
  uint32_t *slot_of; /* per key: where it is in `slots` */
  uint32_t count, capacity;
  uint32_t *slots; /* key + 1, 0 = free; open addressing, at most half full */
  uint32_t slot_count;
} hdi_keys;

hd_status hdi_keys_add(hdi_keys *keys, const uint64_t *key, uint32_t *number, bool *fresh);
static inline const uint64_t *hdi_keys_get(const hdi_keys *keys, uint32_t number) {
  return keys->data + (size_t)number * keys->words;
}
/* Forgets the keys in time proportional to their number and keeps the memory. */
void hdi_keys_clear(hdi_keys *keys);
void hdi_keys_free(hdi_keys *keys);

/* ---- the stepper ---- */

typedef struct hdi_block hdi_block;       /* block.c */
typedef struct hdi_stubborn hdi_stubborn; /* stubborn.c */

struct hd_stepper {
  const hd_model *model;
  uint8_t *flags; /* per location: the model's flags and the filter's */
  bool has_strong, has_weak;
  const struct hd_native *native; /* borrowed; the fast path is native code; NULL: it is not */
  hdi_machine machine;
  uint64_t *next;
  int64_t *stack;
  hdi_block *block;       /* NULL until the first compound step */
  hdi_stubborn *stubborn; /* NULL: every step is made */
  bool in_block;          /* steps go to the block, not to emit */
  bool emitting_block;
  /* The run in progress. */
  const uint64_t *state;
  hd_weight_filter weights;
  hd_emit emit;
  void *payload;
  hd_status status; /* not HD_OK: stop */
  hd_step step;     /* the one being made */
};

static inline bool hdi_rule_tests(const hd_model *model, const hdi_rule *rule, const uint64_t *state) {
  if ((state[rule->word] & rule->mask) != rule->value) {
    return false;
  }
  const hdi_test *test = model->tests.data + rule->tests;
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

/* Applies the rule's masked writes. */
static inline void hdi_rule_write(const hd_model *model, const hdi_rule *rule, uint64_t *next) {
  const hdi_write *write = model->writes.data + rule->writes;
  for (uint32_t i = 0; i < rule->write_count; i++, write++) {
    uint64_t word = next[write->word];
    word = (word & ~write->moved) | (((word & write->moved) >> write->down) & write->moved);
    next[write->word] = (word & ~write->clear) | write->set;
  }
}

static inline const hdi_group *hdi_group_at(const hd_model *model, const uint64_t *state, uint32_t instance) {
  const hdi_instance *inst = &model->instances.data[instance];
  return &model->groups.data[inst->groups + hdi_field_bits(&model->fields.data[inst->loc_field], state)];
}

/* Makes every step of `instance` in `state`, in order. Outside blocks its receiving edges only report the faults of
 * their guards: the sending side starts a rendezvous. Inside a block they look for senders. */
void hdi_fire_instance(hd_stepper *stepper, const uint64_t *state, uint32_t instance);
/* True when `instance`, at an eager location, has a step in `state`, of any weight. */
bool hdi_instance_may_step(hd_stepper *stepper, const uint64_t *state, uint32_t instance);
/* A sending and a receiving rule (entries of model->rules) and whose they are. */
typedef struct hdi_meeting {
  uint32_t sender, sender_instance, receiver, receiver_instance;
} hdi_meeting;
/* True when the rule's tests and guard hold in `state`, or its guard faults. */
bool hdi_is_enabled(hd_stepper *stepper, const uint64_t *state, uint32_t rule, uint32_t instance);
/* True when both are enabled on the same channel. */
bool hdi_may_meet(hd_stepper *stepper, const uint64_t *state, hdi_meeting meeting);
/* Makes the step of a rule without partner, if it is enabled; of a meeting that is possible. */
void hdi_fire_alone(hd_stepper *stepper, const uint64_t *state, uint32_t rule, uint32_t instance);
void hdi_fire_meeting(hd_stepper *stepper, const uint64_t *state, hdi_meeting meeting);
/* Gives stepper->step to the caller, with `next` or, when it has a fault, NULL. */
void hdi_emit(hd_stepper *stepper, const uint64_t *next);
/* True when the weak discipline forbids a step from `before` to `after`: two processes are at weakly protected
 * locations then and one of them has just arrived there. A process has arrived when its location changed or when
 * it is a mover (bit set in `movers`). */
bool hdi_weak_forbids(const hd_stepper *stepper, const uint64_t *before, const uint64_t *after, const uint64_t *movers);
/* The same for a step that has no state after it, of one process to a location. */
bool hdi_weak_forbids_move(const hd_stepper *stepper, uint32_t instance, uint32_t to);

void hdi_stubborn_free(hdi_stubborn *set); /* NULL allowed */

/* ---- compound steps ---- */

/* Goes on from stepper->next, which stepper->step has just reached, and emits the compound steps. */
void hdi_block_run(hd_stepper *stepper);
/* Takes an inner step (stepper->step, stepper->next unless it has a fault). */
void hdi_block_record(hd_stepper *stepper);
size_t hdi_block_inner(const hdi_block *block, const hd_inner **inner);
void hdi_block_free(hdi_block *block);

#endif
