/* What runs teach about sets of yields, and the smallest sets that have all of it. Internal to the Cwhile frontend:
 * regions.c is its only user. */
#ifndef HEDDLE_FRONTENDS_CWHILE_REGION_LESSONS_H
#define HEDDLE_FRONTENDS_CWHILE_REGION_LESSONS_H

#include "core/repair/hitting_set.h"
#include "frontends/cwhile/yields.h"

/* Something learned: with all of the premise, one of the elements. An element is a yield or, from the number of yields
 * on, a conflict, which asks for all yields of its two ends. */
typedef struct hdi_cw_region_lesson {
  uint32_t *premise, *elements; /* in the arena */
  uint32_t premise_count, count;
} hdi_cw_region_lesson;

#define HD_ARRAY_NAME hdi_cw_region_lesson_list
#define HD_ARRAY_TYPE hdi_cw_region_lesson
#include "core/base/array.h"

/* A conflict as an element of the solver: all yields of both its ends. */
typedef struct hdi_cw_yield_pair {
  uint32_t *yields;
  uint32_t count;
} hdi_cw_yield_pair;

#define HD_ARRAY_NAME hdi_cw_yield_pairs
#define HD_ARRAY_TYPE hdi_cw_yield_pair
#include "core/base/array.h"

typedef struct hdi_cw_region_lessons {
  const hdi_cw_yields *yields;                 /* borrowed */
  hd_arena *arena;                             /* borrowed */
  hdi_cw_region_lesson_list learned, excluded; /* from bad runs; choices that were decided */
  hdi_cw_yield_pairs pairs;                    /* elements from yields->count on */
} hdi_cw_region_lessons;

void hdi_cw_region_lessons_clear(hdi_cw_region_lessons *lessons); /* forgets everything */
void hdi_cw_region_lessons_free(hdi_cw_region_lessons *lessons);

/* Does the choice (one flag for each yield) have all that was learned? */
bool hdi_cw_region_lessons_allow(const hdi_cw_region_lessons *lessons, const bool *chosen);
/* Not exactly this choice. HD_E_NOMEM. */
hd_status hdi_cw_region_lessons_exclude(hdi_cw_region_lessons *lessons, const bool *chosen);
/* Neither this choice nor one that has all of it. HD_E_NOMEM. */
hd_status hdi_cw_region_lessons_exclude_larger(hdi_cw_region_lessons *lessons, const bool *chosen);
/* One of the yields at which the run changes threads or, with `rest`, at which threads rest at its end; *learned: of
 * how many. HD_E_NOMEM. */
hd_status hdi_cw_region_lessons_strong(hdi_cw_region_lessons *lessons, const hd_trace *trace, const bool *chosen,
                                       bool rest, hd_arena *scratch, uint32_t *learned);
/* One of the run's conflicts. HD_E_NOMEM; HD_E_LIMIT when there are too many different ones. */
hd_status hdi_cw_region_lessons_weak(hdi_cw_region_lessons *lessons, const hd_trace *trace, hd_arena *scratch,
                                     uint32_t *learned);

/* What a yield costs in an answer, where a conflict costs 1: the number of yields is the cost divided by it. */
#define HDI_CW_YIELD_UNIT 4096u
/* The choices with the fewest yields, at most yields_max; a choice may come several times, with other conflicts.
 * Limits: choices_max, deadline, cancel. HD_E_NOMEM. */
hd_status hdi_cw_region_lessons_solve(const hdi_cw_region_lessons *lessons, uint32_t yields_max,
                                      const hd_hitting_limits *limits, hd_hitting_answer *answer);

#endif
