/* How many complete runs a program has (runs.h): paths of the model from an initial state to a state in which every
 * thread that must end has ended and nobody moves any more, or only daemons could.
 *
 * Depth first, each state once: its count is the sum of its successors' counts, known when all of them are. A state met
 * again while it is still open closes a loop, and then there is no number. Counts saturate.
 * Layout: states side by side, a table of their numbers with linear probing, a stack of open states with the place of
 * their next successor. Memory: words + 3 numbers a state, and the successors of open states. Threads: one. */
#include "frontends/cwhile/runs.h"

#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

#define HD_ARRAY_NAME words
#define HD_ARRAY_TYPE uint64_t
#include "core/base/array.h"
#define HD_ARRAY_NAME numbers
#define HD_ARRAY_TYPE uint32_t
#include "core/base/array.h"

typedef struct open_state {
  uint32_t state;
  size_t first, next, last; /* its successors: places in `successors` */
} open_state;

#define HD_ARRAY_NAME stack
#define HD_ARRAY_TYPE open_state
#include "core/base/array.h"

enum { FIRST_SLOTS = 1024 };

typedef struct counter {
  const hd_cw_lowering *lowering;
  hd_stepper *stepper;
  uint32_t width, states_max;
  words states;
  words counts;    /* per state; MET or OPEN until it is known */
  uint32_t *slots; /* number + 1, 0: free */
  size_t slot_count;
  numbers successors;
  stack open;
  bool loops, too_many;
  hd_status status;
} counter;

/* No counts: the state waits for its turn; it is on the stack. The count that stands for it and all that is more. */
#define MET UINT64_MAX
#define OPEN (UINT64_MAX - 1)
#define MANY (UINT64_MAX - 2)

static uint64_t add(uint64_t a, uint64_t b) {
  return a > MANY - b ? MANY : a + b;
}

static bool grow(counter *c) {
  size_t larger = c->slot_count == 0 ? FIRST_SLOTS : c->slot_count * 2;
  uint32_t *slots = calloc(larger, sizeof *slots);
  if (slots == NULL) {
    c->status = HD_E_NOMEM;
    return false;
  }
  for (uint32_t s = 0; s < c->counts.count; s++) {
    size_t at = hd_hash_bytes(c->states.data + (size_t)s * c->width, c->width * sizeof(uint64_t)) & (larger - 1);
    while (slots[at] != 0) {
      at = (at + 1) & (larger - 1);
    }
    slots[at] = s + 1;
  }
  free(c->slots);
  c->slots = slots;
  c->slot_count = larger;
  return true;
}

/* The number of a state, a new one when it was not met before. */
static uint32_t number_of(counter *c, const uint64_t *state, bool *fresh) {
  *fresh = false;
  if (4 * (c->counts.count + 1) > 3 * c->slot_count && !grow(c)) {
    return 0;
  }
  size_t at = hd_hash_bytes(state, c->width * sizeof *state) & (c->slot_count - 1);
  for (; c->slots[at] != 0; at = (at + 1) & (c->slot_count - 1)) {
    uint32_t known = c->slots[at] - 1;
    if (memcmp(c->states.data + (size_t)known * c->width, state, c->width * sizeof *state) == 0) {
      return known;
    }
  }
  for (uint32_t i = 0; i < c->width && c->status == HD_OK; i++) {
    c->status = words_push(&c->states, state[i]);
  }
  if (c->status == HD_OK) {
    c->status = words_push(&c->counts, MET);
  }
  if (c->status != HD_OK) {
    return 0;
  }
  *fresh = true;
  c->slots[at] = (uint32_t)c->counts.count;
  return (uint32_t)c->counts.count - 1;
}

static bool take_successor(void *payload, const uint64_t *next, const hd_step *step) {
  counter *c = payload;
  if (step->fault == HD_FAULT_NONE) {
    bool fresh = false;
    uint32_t number = number_of(c, next, &fresh);
    if (c->status == HD_OK) {
      c->status = numbers_push(&c->successors, number);
    }
  }
  return c->status == HD_OK;
}

static void open_number(counter *c, uint32_t number) {
  uint64_t *state = malloc(c->width * sizeof *state); /* a copy: the array grows */
  if (state == NULL) {
    c->status = HD_E_NOMEM;
    return;
  }
  memcpy(state, c->states.data + (size_t)number * c->width, c->width * sizeof *state);
  open_state own = {.state = number, .first = c->successors.count, .next = c->successors.count};
  hd_status status = HD_OK;
  bool complete = hd_cw_all_ended(c->lowering, state);
  if (!complete) { /* what daemons do afterwards makes no other run */
    status = hd_stepper_run(c->stepper, state, HD_WEIGHT_ANY, take_successor, c);
  }
  c->status = c->status == HD_OK && status != HD_E_CANCELLED ? status : c->status;
  c->counts.data[number] = OPEN;
  own.last = c->successors.count;
  c->too_many = c->too_many || c->counts.count > c->states_max;
  if (c->status == HD_OK) {
    c->status = stack_push(&c->open, own);
  }
  free(state);
}

/* The state on top is done: all its successors are counted. */
static void close_top(counter *c) {
  open_state own = c->open.data[--c->open.count];
  const uint64_t *state = c->states.data + (size_t)own.state * c->width;
  uint64_t sum = hd_cw_all_ended(c->lowering, state) ? 1 : 0;
  for (size_t i = own.first; i < own.last; i++) {
    sum = add(sum, c->counts.data[c->successors.data[i]]);
  }
  c->counts.data[own.state] = sum;
  c->successors.count = own.first;
}

static void count_from(counter *c, uint32_t number) {
  open_number(c, number);
  while (c->status == HD_OK && c->open.count > 0 && !c->loops && !c->too_many) {
    open_state *top = &c->open.data[c->open.count - 1];
    if (top->next == top->last) {
      close_top(c);
      continue;
    }
    uint32_t next = c->successors.data[top->next++];
    c->loops = c->counts.data[next] == OPEN;
    if (c->counts.data[next] == MET) {
      open_number(c, next);
    }
  }
}

hd_status hdi_cw_count_runs(const hd_cw_lowering *lowering, uint32_t states_max, uint64_t *count, bool *known) {
  counter c = {.lowering = lowering, .width = hd_model_words(lowering->model), .states_max = states_max};
  c.stepper = hd_stepper_new(lowering->model, NULL);
  c.status = c.stepper == NULL ? HD_E_NOMEM : HD_OK;
  const uint64_t *initial = NULL;
  size_t initial_count = hd_model_initial(lowering->model, &initial);
  *count = 0;
  for (size_t i = 0; i < initial_count && c.status == HD_OK && !c.loops && !c.too_many; i++) {
    bool fresh = false;
    uint32_t number = number_of(&c, initial + i * c.width, &fresh);
    if (c.status == HD_OK && c.counts.data[number] == MET) {
      count_from(&c, number);
    }
    if (c.status == HD_OK && !c.loops && !c.too_many) {
      *count = add(*count, c.counts.data[number]);
    }
  }
  *known = c.status == HD_OK && !c.loops && !c.too_many && *count < MANY;
  hd_stepper_free(c.stepper);
  words_free(&c.states);
  words_free(&c.counts);
  numbers_free(&c.successors);
  stack_free(&c.open);
  free(c.slots);
  return c.status;
}
