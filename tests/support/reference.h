/* A plain sequential explorer to compare with: no levels, no sharing, no cleverness. Shortest costs come from relaxing
 * until nothing changes. */
#ifndef HEDDLE_TESTS_SUPPORT_REFERENCE_H
#define HEDDLE_TESTS_SUPPORT_REFERENCE_H

#include "core/explore/explore.h"

typedef struct hd_reference_arc {
  size_t from, to; /* indices of states */
  uint32_t weight;
} hd_reference_arc;

typedef struct hd_reference {
  uint32_t words;
  size_t states, arcs;
  uint64_t *state_words; /* states * words */
  uint64_t *level;       /* per state: least number of weight-1 steps */
  uint64_t *sub;         /* per state: least number of weight-0 steps since its level was entered */
  bool *stopped;         /* per state: no step, faulty ones included */
  hd_reference_arc *arc; /* all steps with a successor */
  uint64_t transitions, stopped_count, levels, frontier_peak;
  /* per slot of faults, checks and stop kind 1 (stuck) */
  uint64_t count[HD_SLOT_COUNT], least_level[HD_SLOT_COUNT];
  size_t least_state[HD_SLOT_COUNT]; /* the state at least_level that is least in state order: of the finding, or that
                                        the finding's step leaves from */
} hd_reference;

/* Explores `model`; the test fails when memory is out. */
hd_reference *hd_reference_explore(const hd_model *model);
void hd_reference_free(hd_reference *reference);
/* Index of a state; the test fails when it is not reachable. */
size_t hd_reference_find(const hd_reference *reference, const uint64_t *state);

/* Fails the test unless the outcome of a complete search agrees in every count and least level. */
void hd_reference_check_outcome(const hd_reference *reference, const hd_outcome *outcome);
/* Fails the test unless the trace of `slot` is the one that the rules of core/explore/counterexample.c single out:
 * least cost, least finding, least predecessor at every step. */
void hd_reference_check_trace(const hd_reference *reference, const hd_model *model, const hd_outcome *outcome,
                              uint32_t slot);

#endif
