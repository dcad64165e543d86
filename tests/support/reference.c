/* States live in one growing array and are looked up by a chained hash index; arcs are kept; costs are found by
 * sweeping over all arcs until nothing changes (Bellman and Ford), which shares no idea with the explorer's levels. */
#include "tests/support/reference.h"

#include "core/base/hash.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 16 };

typedef struct builder {
  hd_reference *r;
  const hd_model *model;
  size_t *next, *heads; /* chains of the hash index; SIZE_MAX ends */
  size_t capacity, arc_capacity;
  size_t from; /* the state being stepped */
  bool stepped;
} builder;

static void *grow(void *array, size_t count, size_t size) {
  void *grown = realloc(array, count * size);
  cr_assert_not_null(grown);
  return grown;
}

static size_t bucket_of(const hd_reference *r, const uint64_t *state) {
  return hd_hash_bytes(state, r->words * sizeof *state) % BUCKETS;
}

static size_t add_state(builder *b, const uint64_t *state) {
  hd_reference *r = b->r;
  size_t size_bytes = r->words * sizeof *state;
  size_t bucket = bucket_of(r, state);
  for (size_t i = b->heads[bucket]; i != SIZE_MAX; i = b->next[i]) {
    if (memcmp(r->state_words + i * r->words, state, size_bytes) == 0) {
      return i;
    }
  }
  if (r->states == b->capacity) {
    b->capacity = b->capacity == 0 ? 64 : b->capacity * 2;
    r->state_words = grow(r->state_words, b->capacity, size_bytes);
    b->next = grow(b->next, b->capacity, sizeof *b->next);
  }
  memcpy(r->state_words + r->states * r->words, state, size_bytes);
  b->next[r->states] = b->heads[bucket];
  b->heads[bucket] = r->states;
  return r->states++;
}

static bool first_pass(void *payload, const uint64_t *next, const hd_step *step) {
  builder *b = payload;
  hd_reference *r = b->r;
  b->stepped = true;
  if (next == NULL) {
    return true;
  }
  uint64_t copy[64];
  memcpy(copy, next, r->words * sizeof *next);
  size_t to = add_state(b, copy);
  if (r->arcs == b->arc_capacity) {
    b->arc_capacity = b->arc_capacity == 0 ? 64 : b->arc_capacity * 2;
    r->arc = grow(r->arc, b->arc_capacity, sizeof *r->arc);
  }
  r->arc[r->arcs++] = (hd_reference_arc){.from = b->from, .to = to, .weight = step->weight};
  return true;
}

/* (level, sub) of every state, by relaxation. */
static void find_costs(hd_reference *r, size_t initial) {
  r->level = grow(NULL, r->states, sizeof *r->level);
  r->sub = grow(NULL, r->states, sizeof *r->sub);
  for (size_t i = 0; i < r->states; i++) {
    r->level[i] = i < initial ? 0 : UINT64_MAX;
    r->sub[i] = 0;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < r->arcs; i++) {
      const hd_reference_arc *arc = &r->arc[i];
      if (r->level[arc->from] == UINT64_MAX) {
        continue;
      }
      uint64_t level = r->level[arc->from] + arc->weight;
      uint64_t sub = arc->weight == 1 ? 0 : r->sub[arc->from] + 1;
      if (level < r->level[arc->to] || (level == r->level[arc->to] && sub < r->sub[arc->to])) {
        r->level[arc->to] = level;
        r->sub[arc->to] = sub;
        changed = true;
      }
    }
  }
}

static void add_finding(builder *b, uint32_t slot, uint64_t level, size_t state) {
  hd_reference *r = b->r;
  const uint64_t *words = r->state_words;
  bool first = r->count[slot]++ == 0;
  if (first || level < r->least_level[slot] ||
      (level == r->least_level[slot] &&
       hd_model_compare_states(b->model, words + state * r->words, words + r->least_state[slot] * r->words) < 0)) {
    r->least_level[slot] = level;
    r->least_state[slot] = state;
  }
}

static bool second_pass(void *payload, const uint64_t *next, const hd_step *step) {
  builder *b = payload;
  (void)next;
  uint64_t level = b->r->level[b->from] + step->weight;
  if (step->fault != HD_FAULT_NONE) {
    add_finding(b, HD_SLOT_FAULT(step->fault), level, b->from);
  }
  for (uint32_t code = 0; code < 32; code++) {
    if (step->fault == HD_FAULT_NONE && ((step->checks_failed >> code) & 1) != 0) {
      add_finding(b, HD_SLOT_CHECK(code), level, b->from);
    }
  }
  return true;
}

static void find_levels(hd_reference *r) {
  uint64_t *sizes = calloc(r->states, sizeof *sizes); /* no more levels than states */
  cr_assert_not_null(sizes);
  for (size_t i = 0; i < r->states; i++) {
    cr_assert_lt(r->level[i], r->states);
    uint64_t size = ++sizes[r->level[i]];
    r->frontier_peak = size > r->frontier_peak ? size : r->frontier_peak;
    r->levels = r->level[i] + 1 > r->levels ? r->level[i] + 1 : r->levels;
  }
  free(sizes);
}

hd_reference *hd_reference_explore(const hd_model *model) {
  builder b = {.r = calloc(1, sizeof(hd_reference)), .model = model, .heads = grow(NULL, BUCKETS, sizeof(size_t))};
  hd_reference *r = b.r;
  cr_assert_not_null(r);
  r->words = hd_model_words(model);
  cr_assert_leq(r->words, 64);
  memset(b.heads, 0xff, BUCKETS * sizeof *b.heads);
  const uint64_t *initial;
  size_t initial_count = hd_model_initial(model, &initial);
  for (size_t i = 0; i < initial_count; i++) {
    (void)add_state(&b, initial + i * r->words);
  }
  hd_stepper *stepper = hd_stepper_new(model, NULL);
  cr_assert_not_null(stepper);
  size_t marks = 0;
  for (b.from = 0; b.from < r->states; b.from++) {
    uint64_t state[64];
    memcpy(state, r->state_words + b.from * r->words, r->words * sizeof *state);
    b.stepped = false;
    cr_assert_eq(hd_stepper_run(stepper, state, HD_WEIGHT_ANY, first_pass, &b), HD_OK);
    if (b.from >= marks) {
      marks = marks == 0 ? 64 : marks * 2;
      r->stopped = grow(r->stopped, marks, sizeof *r->stopped);
    }
    r->stopped[b.from] = !b.stepped;
    r->stopped_count += !b.stepped;
  }
  r->transitions = r->arcs;
  find_costs(r, initial_count);
  find_levels(r);
  for (b.from = 0; b.from < r->states; b.from++) {
    const uint64_t *state = r->state_words + b.from * r->words;
    cr_assert_eq(hd_stepper_run(stepper, state, HD_WEIGHT_ANY, second_pass, &b), HD_OK);
    if (r->stopped[b.from] && hd_model_stop(model, state) == HD_STOP_STUCK) {
      add_finding(&b, HD_SLOT_STOP(1), r->level[b.from], b.from);
    }
  }
  hd_stepper_free(stepper);
  free(b.heads);
  free(b.next);
  return r;
}

void hd_reference_free(hd_reference *r) {
  free(r->state_words);
  free(r->level);
  free(r->sub);
  free(r->stopped);
  free(r->arc);
  free(r);
}

size_t hd_reference_find(const hd_reference *r, const uint64_t *state) {
  for (size_t i = 0; i < r->states; i++) {
    if (memcmp(r->state_words + i * r->words, state, r->words * sizeof *state) == 0) {
      return i;
    }
  }
  cr_assert_fail("a state that cannot be reached");
  return SIZE_MAX;
}

void hd_reference_check_outcome(const hd_reference *r, const hd_outcome *outcome) {
  cr_assert_eq(outcome->end, HD_END_COMPLETE);
  cr_assert_eq(outcome->states, r->states);
  cr_assert_eq(outcome->expanded, r->states);
  cr_assert_eq(outcome->transitions, r->transitions);
  cr_assert_eq(outcome->stopped, r->stopped_count);
  cr_assert_eq(outcome->levels, r->levels);
  cr_assert_eq(outcome->frontier_peak, r->frontier_peak);
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    cr_assert_eq(outcome->found[slot].count, r->count[slot], "slot %u", slot);
    if (r->count[slot] > 0) {
      cr_assert_eq(outcome->found[slot].level, r->least_level[slot], "slot %u", slot);
    }
  }
}

/* May `from` come before `to` in a trace, by their places in the levels? */
static bool is_before(const hd_reference *r, size_t from, size_t to) {
  return r->sub[to] > 0 ? r->level[from] == r->level[to] && r->sub[from] + 1 == r->sub[to]
                        : r->level[from] + 1 == r->level[to];
}

/* The predecessor that counterexample.c describes. */
static size_t best_predecessor(const hd_reference *r, const hd_model *model, size_t to) {
  size_t best = SIZE_MAX;
  uint32_t weight = r->sub[to] > 0 ? 0 : 1;
  for (size_t i = 0; i < r->arcs; i++) {
    const hd_reference_arc *arc = &r->arc[i];
    if (arc->to != to || arc->weight != weight || !is_before(r, arc->from, to)) {
      continue;
    }
    const uint64_t *words = r->state_words;
    if (best == SIZE_MAX || r->sub[arc->from] < r->sub[best] ||
        (r->sub[arc->from] == r->sub[best] &&
         hd_model_compare_states(model, words + arc->from * r->words, words + best * r->words) < 0)) {
      best = arc->from;
    }
  }
  return best;
}

void hd_reference_check_trace(const hd_reference *r, const hd_model *model, const hd_outcome *outcome, uint32_t slot) {
  const hd_trace *trace = outcome->found[slot].trace;
  if (r->count[slot] == 0) {
    cr_assert_null(trace);
    return;
  }
  cr_assert_not_null(trace, "slot %u", slot);
  cr_assert_eq(outcome->found[slot].trace_status, HD_OK);
  bool has_step = slot < HD_SLOT_STOP(0);
  cr_assert_geq(trace->length, has_step ? 1 : 0);
  size_t last = trace->length - (has_step ? 1 : 0);
  size_t at = hd_reference_find(r, trace->states + last * r->words);
  cr_assert_eq(at, r->least_state[slot], "the finding is not the least");
  uint64_t cost = 0;
  for (size_t i = 0; i < trace->length; i++) {
    cost += trace->steps[i].weight;
  }
  cr_assert_eq(cost, r->least_level[slot]);
  for (size_t i = last; i > 0; i--) {
    size_t before = hd_reference_find(r, trace->states + (i - 1) * r->words);
    cr_assert_eq(before, best_predecessor(r, model, at), "step %zu of %zu does not come from the least predecessor", i,
                 trace->length);
    at = before;
  }
  cr_assert_eq(r->level[at], 0);
  cr_assert_eq(r->sub[at], 0);
}
