/* Findings per slot.
 *
 * Each worker keeps, for each slot, one count and the least finding it has met; the finding's state and successor are
 * copied into one block of 2 * W words per slot. The order is total on what can be found in one slot: two findings of
 * one slot differ in their level, their state or the ordinal of their step, because a state is expanded by one worker
 * once. So the least of all does not depend on who found what, and merging is a minimum: commutative and associative.
 *
 * Threads: one hdi_finds per worker; merged after the team has ended. Cost: a comparison per finding, a copy of up to
 * 2 * W words when it is a new least. */
#include "core/explore/found.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

hd_status hdi_finds_init(hdi_finds *finds, const hd_model *model) {
  memset(finds, 0, sizeof *finds);
  finds->model = model;
  size_t words = hd_model_words(model);
  finds->words = calloc(words * 2 * HD_SLOT_COUNT, sizeof *finds->words);
  if (finds->words == NULL) {
    return HD_E_NOMEM;
  }
  for (size_t i = 0; i < HD_SLOT_COUNT; i++) {
    finds->slots[i].state = finds->words + 2 * i * words;
    finds->slots[i].next = finds->slots[i].state + words;
  }
  return HD_OK;
}

void hdi_finds_clear(hdi_finds *finds) {
  free(finds->words);
  memset(finds, 0, sizeof *finds);
}

/* Is (level, state, ordinal) before the finding in `find`? */
static bool is_before(const hd_model *model, const hdi_find *find, uint64_t level, const uint64_t *state,
                      uint64_t ordinal) {
  if (find->count == 0 || level != find->level) {
    return find->count == 0 || level < find->level;
  }
  int order = hd_model_compare_states(model, state, find->state);
  return order < 0 || (order == 0 && ordinal < find->ordinal);
}

static void set(const hdi_finds *finds, hdi_find *find, const uint64_t *state, const hd_step *step,
                const uint64_t *next) {
  size_t size_bytes = hd_model_words(finds->model) * sizeof *state;
  memcpy(find->state, state, size_bytes);
  find->has_step = step != NULL;
  if (step != NULL) {
    find->step = *step;
  }
  find->has_next = next != NULL;
  if (next != NULL) {
    memcpy(find->next, next, size_bytes);
  }
}

void hdi_finds_add_state(hdi_finds *finds, uint32_t slot, uint64_t level, const uint64_t *state) {
  HD_ASSERT(slot < HD_SLOT_COUNT);
  hdi_find *find = &finds->slots[slot];
  if (is_before(finds->model, find, level, state, 0)) {
    find->level = find->state_level = level;
    find->ordinal = 0;
    set(finds, find, state, NULL, NULL);
  }
  find->count++;
}

void hdi_finds_add_step(hdi_finds *finds, uint32_t slot, uint64_t state_level, const uint64_t *state, uint64_t ordinal,
                        const hd_step *step, const uint64_t *next) {
  HD_ASSERT(slot < HD_SLOT_COUNT);
  hdi_find *find = &finds->slots[slot];
  uint64_t level = state_level + step->weight;
  if (is_before(finds->model, find, level, state, ordinal)) {
    find->level = level;
    find->state_level = state_level;
    find->ordinal = ordinal;
    set(finds, find, state, step, next);
  }
  find->count++;
}

void hdi_finds_merge(hdi_finds *into, const hdi_finds *from) {
  for (size_t i = 0; i < HD_SLOT_COUNT; i++) {
    const hdi_find *theirs = &from->slots[i];
    hdi_find *ours = &into->slots[i];
    if (theirs->count == 0) {
      continue;
    }
    if (is_before(into->model, ours, theirs->level, theirs->state, theirs->ordinal)) {
      ours->level = theirs->level;
      ours->state_level = theirs->state_level;
      ours->ordinal = theirs->ordinal;
      set(into, ours, theirs->state, theirs->has_step ? &theirs->step : NULL, theirs->has_next ? theirs->next : NULL);
    }
    ours->count += theirs->count;
  }
}
