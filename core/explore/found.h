/* What a search found, per slot: how often, and the first in (level, state order, step order). Internal to
 * core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_FOUND_H
#define HEDDLE_CORE_EXPLORE_FOUND_H

#include "core/explore/explore.h"

/* The least finding of one slot. */
typedef struct hdi_find {
  uint64_t count;       /* all findings of the slot; 0: the rest is unset */
  uint64_t level;       /* cost of the run, the last step's weight included */
  uint64_t state_level; /* level of `state` */
  uint64_t ordinal;     /* place of the step among those of `state`; 0 without step */
  bool has_step;        /* a fault or a check: `step` leads out of `state` */
  bool has_next;        /* a check: the step has a successor */
  hd_step step;
  uint64_t *state, *next; /* W words each, owned by the hdi_finds */
} hdi_find;

/* One worker's findings; not shared until the worker has stopped. */
typedef struct hdi_finds {
  const hd_model *model; /* borrowed */
  hdi_find slots[HD_SLOT_COUNT];
  uint64_t *words; /* owned */
} hdi_finds;

hd_status hdi_finds_init(hdi_finds *finds, const hd_model *model);
void hdi_finds_clear(hdi_finds *finds);
/* A finding that is a state of level `level`. */
void hdi_finds_add_state(hdi_finds *finds, uint32_t slot, uint64_t level, const uint64_t *state);
/* A finding that is step number `ordinal` of `state`, a state of level `state_level`; `next` is NULL for a fault. */
void hdi_finds_add_step(hdi_finds *finds, uint32_t slot, uint64_t state_level, const uint64_t *state, uint64_t ordinal,
                        const hd_step *step, const uint64_t *next);
/* Adds what `from` found to `into`: sums the counts, keeps the lesser finding. The order of merging does not matter. */
void hdi_finds_merge(hdi_finds *into, const hdi_finds *from);

#endif
