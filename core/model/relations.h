/* The relations between a model's steps that a stubborn set is computed from. Internal to core/model. */
#ifndef HEDDLE_CORE_MODEL_RELATIONS_H
#define HEDDLE_CORE_MODEL_RELATIONS_H

#include "core/model/depend.h"
#include "core/model/reduction.h"

/* A step as a thing that is enabled or not: an edge of an instance, or a sending and a receiving edge that meet. The
 * numbers of actions enabled in one state are in step order. */
typedef struct hdi_action {
  uint32_t half, partner; /* entries of depend->halves; partner HD_NONE: alone */
  uint32_t conflicts, conflict_end;
  bool sticky;    /* the edge is one of those that every cycle of states has (checks only) */
  bool may_fault; /* enabled does not mean to have a successor */
} hdi_action;

/* A run of actions in relations->lists. */
typedef struct hdi_action_list {
  uint32_t begin, end;
} hdi_action_list;

#define HD_ARRAY_NAME hdi_actions
#define HD_ARRAY_TYPE hdi_action
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_action_lists
#define HD_ARRAY_TYPE hdi_action_list
#include "core/base/array.h"

struct hd_reduction {
  const hd_model *model;
  const hdi_depend *depend;
  hd_reduce reduce;
  hdi_actions actions;
  hdi_numbers places;     /* actions whose (sending) half is in model->groups entry g: [places[g], places[g + 1]) */
  hdi_numbers conflicts;  /* per action: those that may be enabled with it and do not commute with it */
  hdi_numbers lists;      /* contents of the lists below */
  hdi_action_lists cures; /* per condition, two: a false condition stays false until one of the list has happened */
  hdi_action_lists rests; /* per half: the same for what its conditions do not say */
};

/* Sets `sticky` such that every cycle of states of the model takes a step with a sticky action. HD_E_NOMEM. */
hd_status hdi_sticky_compute(hd_reduction *reduction);

#endif
