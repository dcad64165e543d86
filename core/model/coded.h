/* Coded models: the fast path of models with arithmetic, arrays, computed channels, monitors, exclusive locations. For
 * every possible step (plan.h) what its code does is decided when the model is made, as far as that is small: a
 * decision diagram (diagram.c) over the fields that the code reads, whose leaves are bare masked writes. What is too
 * large for a diagram is interpreted. Internal to core/model.
 *
 *   window  adjacent fields of one word: the location of an instance and as many of its locals as make at most a few
 *           thousand values; a group of rules for each value, in which whatever these fields decide is decided
 *   rule    what is left of the tests, and the root of the diagram
 *   entry   a node, which picks the next entry by the value of one field, or a leaf
 *   leaf    an effect: writes that make the successor; no step; or one of those that need the rule
 *   root    of an instance: a node over its window, and the diagram of the only rule behind it where there is one */
#ifndef HEDDLE_CORE_MODEL_CODED_H
#define HEDDLE_CORE_MODEL_CODED_H

#include "core/model/plan.h"
#include "core/model/stepper.h"

/* Leaves. */
#define HDI_CODED_DISABLED 0u /* no step */
#define HDI_CODED_ODD 1u      /* a fault, or a failed check */
#define HDI_CODED_BODY 2u     /* enabled; its statements are interpreted */
#define HDI_CODED_ALL 3u      /* all its code is interpreted */
#define HDI_CODED_EFFECT 4u   /* the first effect; up to here coded->effects holds effects that make nothing */

/* A node when word < HDI_CODED_GROUP: the next entry is jumps[base + ((state[word] >> shift) & mask)]. Otherwise: */
#define HDI_CODED_WORD_MAX (HDI_CODED_GROUP - 1)
#define HDI_CODED_GROUP 253u                 /* below the root of an instance only: group `base` */
#define HDI_CODED_SPECIAL 254u               /* the leaf `base`, one of ODD, BODY, ALL */
#define HDI_CODED_LEAF ((uint32_t)UINT8_MAX) /* effect `base`, which makes nothing when it is HDI_CODED_DISABLED */
typedef struct hdi_coded_entry {
  uint32_t base;
  uint16_t mask;
  uint8_t shift, word;
} hdi_coded_entry;

static inline hdi_coded_entry hdi_coded_leaf(uint32_t leaf) {
  bool special = leaf != HDI_CODED_DISABLED && leaf < HDI_CODED_EFFECT;
  return (hdi_coded_entry){.base = leaf, .word = (uint8_t)(special ? HDI_CODED_SPECIAL : HDI_CODED_LEAF)};
}

/* state[word] = state[word] & ~clear | set. */
typedef struct hdi_coded_write {
  uint64_t clear, set;
  uint32_t word;
} hdi_coded_write;

/* state[word] = state[word] & keep | set, and the writes more .. more + more_count. */
typedef struct hdi_coded_effect {
  uint64_t keep, set;
  uint32_t word, more_count;
  uint32_t more;
  uint32_t made; /* successors: 1, or 0 for what makes no step */
} hdi_coded_effect;

typedef struct hdi_coded_rule {
  uint64_t mask, value; /* the first equality test, as far as the window does not decide it */
  uint32_t word;
  uint32_t plan; /* rule of the plan */
  bool whole;    /* no leaf of the diagram has statements to interpret */
  hdi_coded_entry root;
} hdi_coded_rule;

/* The rules for one value of a window, in step order. */
typedef struct hdi_coded_group {
  uint32_t begin, count;
  bool further;          /* some rule has further tests, of its plan */
  bool exclusive, eager; /* what the location is */
} hdi_coded_group;

/* Of an instance: group groups + v belongs to value v of the bits `mask` at `shift` of `word`. */
typedef struct hdi_coded_window {
  uint64_t mask;
  uint32_t word, shift;
  uint32_t groups;
} hdi_coded_window;

#define HD_ARRAY_NAME hdi_coded_entries
#define HD_ARRAY_TYPE hdi_coded_entry
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_coded_writes
#define HD_ARRAY_TYPE hdi_coded_write
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_coded_effects
#define HD_ARRAY_TYPE hdi_coded_effect
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_coded_rules
#define HD_ARRAY_TYPE hdi_coded_rule
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_coded_groups
#define HD_ARRAY_TYPE hdi_coded_group
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_coded_windows
#define HD_ARRAY_TYPE hdi_coded_window
#include "core/base/array.h"

struct hdi_coded {
  hdi_plan plan;
  hdi_coded_windows windows; /* per instance */
  hdi_coded_groups groups[3];
  hdi_coded_entries roots[3]; /* per instance, when `rooted` */
  bool rooted;                /* every window fits a node */
  hdi_coded_rules rules;
  hdi_coded_entries jumps;
  hdi_coded_effects effects;
  hdi_coded_writes writes;
};

/* Makes model->coded; leaves it NULL when the model has protected locations or too many rules. HD_E_NOMEM. */
hd_status hdi_coded_compile(hd_model *model);
void hdi_coded_free(struct hdi_coded *coded); /* NULL allowed */
/* As hd_stepper_bulk_run, for a model with model->coded. */
uint32_t hdi_coded_run(hd_stepper *stepper, const uint64_t *states, uint32_t count, hd_weight_filter weights,
                       uint64_t *next, size_t room, uint32_t *ends, bool *odd);

/* ---- diagram.c ---- */

typedef struct hdi_diagrams hdi_diagrams;
/* Makes diagrams for rules of `coded` (borrowed). NULL when memory is out. */
hdi_diagrams *hdi_diagrams_new(const hd_model *model, struct hdi_coded *coded);
void hdi_diagrams_free(hdi_diagrams *diagrams); /* NULL allowed */
/* Begins with a rule of coded->plan. HD_E_NOMEM. */
hd_status hdi_diagrams_begin(hdi_diagrams *diagrams, const hdi_plan_rule *rule);
/* The root of its diagram for states with the bits `known` (which its tests do not contradict), and whether the diagram
 * decides everything; its parts are appended to coded's tables. HD_E_NOMEM. */
hd_status hdi_diagrams_root(hdi_diagrams *diagrams, hdi_test known, hdi_coded_entry *root, bool *whole);

#endif
