/* What runs teach about sets of yields (region_lessons.h).
 *
 * Everything is a conditional set of core/repair/hitting_set.h. A conflict is an element of negligible cost that asks
 * for the yields of its two ends; so a choice costs its yields, and which conflicts it uses hardly counts. To exclude a
 * choice is to say that whoever has all of it has one more. Threads: one at a time, reading from several. */
#include "frontends/cwhile/region_lessons.h"

#include <stdlib.h>
#include <string.h>

enum {
  NODES_MAX = 200000,
  CONFLICTS_MAX = HDI_CW_YIELD_UNIT - 1 /* different pairs of yields: all of them cost less than one yield */
};

void hdi_cw_region_lessons_clear(hdi_cw_region_lessons *lessons) {
  hdi_cw_region_lesson_list_clear(&lessons->learned);
  hdi_cw_region_lesson_list_clear(&lessons->excluded);
  hdi_cw_yield_pairs_clear(&lessons->pairs);
}

void hdi_cw_region_lessons_free(hdi_cw_region_lessons *lessons) {
  hdi_cw_region_lesson_list_free(&lessons->learned);
  hdi_cw_region_lesson_list_free(&lessons->excluded);
  hdi_cw_yield_pairs_free(&lessons->pairs);
}

static const hdi_cw_region_lesson *lesson_at(const hdi_cw_region_lessons *s, size_t i) {
  return i < s->learned.count ? &s->learned.data[i] : &s->excluded.data[i - s->learned.count];
}

bool hdi_cw_region_lessons_allow(const hdi_cw_region_lessons *s, const bool *chosen) {
  bool allowed = true;
  for (size_t l = 0; l < s->learned.count + s->excluded.count && allowed; l++) {
    const hdi_cw_region_lesson *what = lesson_at(s, l);
    bool has_premise = true, has_one = false;
    for (uint32_t i = 0; i < what->premise_count; i++) {
      has_premise = has_premise && chosen[what->premise[i]];
    }
    for (uint32_t i = 0; i < what->count && !has_one; i++) {
      uint32_t element = what->elements[i];
      if (element < s->yields->count) {
        has_one = chosen[element];
        continue;
      }
      const hdi_cw_yield_pair *p = &s->pairs.data[element - s->yields->count];
      has_one = true;
      for (uint32_t k = 0; k < p->count; k++) {
        has_one = has_one && chosen[p->yields[k]];
      }
    }
    allowed = !has_premise || has_one;
  }
  return allowed;
}

/* ---- learning ---- */

static hd_status keep_lesson(hdi_cw_region_lessons *s, hdi_cw_region_lesson_list *list, const uint32_t *premise,
                             uint32_t premise_count, const uint32_t *elements, uint32_t count) {
  hd_arena *arena = s->arena;
  hdi_cw_region_lesson what = {.premise = hd_arena_alloc_array(arena, (size_t)premise_count + 1, sizeof *what.premise),
                               .elements = hd_arena_alloc_array(arena, (size_t)count + 1, sizeof *what.elements),
                               .premise_count = premise_count,
                               .count = count};
  if (what.premise == NULL || what.elements == NULL) {
    return HD_E_NOMEM;
  }
  if (premise_count != 0) {
    memcpy(what.premise, premise, premise_count * sizeof *premise);
  }
  if (count != 0) {
    memcpy(what.elements, elements, count * sizeof *elements);
  }
  return hdi_cw_region_lesson_list_push(list, what);
}

/* Whoever has all of the choice has one more, or, when `larger` is excluded too, does not exist. */
static hd_status exclude(hdi_cw_region_lessons *s, const bool *picked, bool larger) {
  uint32_t *list = malloc(((size_t)s->yields->count + 1) * sizeof *list);
  if (list == NULL) {
    return HD_E_NOMEM;
  }
  uint32_t chosen = 0, others = s->yields->count;
  for (uint32_t y = s->yields->count; y > 0; y--) { /* the chosen ones ascend from the front, the others to the back */
    if (!picked[y - 1]) {
      list[--others] = y - 1;
    }
  }
  for (uint32_t y = 0; y < s->yields->count; y++) {
    if (picked[y]) {
      list[chosen++] = y;
    }
  }
  uint32_t left = larger ? 0 : s->yields->count - chosen;
  hd_status status = keep_lesson(s, &s->excluded, list, chosen, list + chosen, left);
  free(list);
  return status;
}

hd_status hdi_cw_region_lessons_exclude(hdi_cw_region_lessons *lessons, const bool *chosen) {
  return exclude(lessons, chosen, false);
}

hd_status hdi_cw_region_lessons_exclude_larger(hdi_cw_region_lessons *lessons, const bool *chosen) {
  return exclude(lessons, chosen, true);
}

/* The element of a conflict; HD_NONE: it can never be had, or there are too many. */
static hd_status element_of(hdi_cw_region_lessons *s, const hdi_cw_conflict *conflict, uint32_t *element) {
  const hdi_cw_yields *y = s->yields;
  const uint32_t ends[] = {conflict->arrival, conflict->resting};
  uint32_t count = 0;
  *element = HD_NONE;
  uint32_t *list = hd_arena_alloc_array(s->arena, 2 * (size_t)y->count + 1, sizeof *list);
  if (list == NULL) {
    return HD_E_NOMEM;
  }
  for (int e = 0; e < 2; e++) {
    if (y->first[ends[e]] == y->first[ends[e] + 1]) {
      return HD_OK;
    }
    for (uint32_t i = y->first[ends[e]]; i < y->first[ends[e] + 1]; i++) {
      uint32_t at = 0;
      while (at < count && list[at] < y->list[i]) {
        at++;
      }
      if (at < count && list[at] == y->list[i]) {
        continue;
      }
      memmove(&list[at + 1], &list[at], (count - at) * sizeof *list);
      list[at] = y->list[i];
      count++;
    }
  }
  for (uint32_t p = 0; p < s->pairs.count; p++) {
    if (s->pairs.data[p].count == count && memcmp(s->pairs.data[p].yields, list, count * sizeof *list) == 0) {
      *element = y->count + p;
      return HD_OK;
    }
  }
  if (s->pairs.count == CONFLICTS_MAX) {
    return HD_E_LIMIT;
  }
  *element = y->count + (uint32_t)s->pairs.count;
  return hdi_cw_yield_pairs_push(&s->pairs, (hdi_cw_yield_pair){list, count});
}

hd_status hdi_cw_region_lessons_weak(hdi_cw_region_lessons *s, const hd_trace *trace, hd_arena *scratch,
                                     uint32_t *learned) {
  hdi_cw_conflict *conflicts = NULL;
  size_t count = 0;
  hd_status status = hdi_cw_conflicts(s->yields, trace, scratch, &conflicts, &count);
  uint32_t *elements = status == HD_OK ? hd_arena_alloc_array(scratch, count + 1, sizeof *elements) : NULL;
  status = status == HD_OK && elements == NULL ? HD_E_NOMEM : status;
  *learned = 0;
  for (size_t i = 0; i < count && status == HD_OK; i++) {
    uint32_t element = HD_NONE;
    status = element_of(s, &conflicts[i], &element);
    bool known = element == HD_NONE;
    for (uint32_t k = 0; k < *learned && !known; k++) {
      known = elements[k] == element;
    }
    if (!known) {
      elements[(*learned)++] = element;
    }
  }
  return status == HD_OK ? keep_lesson(s, &s->learned, NULL, 0, elements, *learned) : status;
}

hd_status hdi_cw_region_lessons_strong(hdi_cw_region_lessons *s, const hd_trace *trace, const bool *chosen, bool rest,
                                       hd_arena *scratch, uint32_t *learned) {
  bool *marks = hd_arena_alloc_array(scratch, (size_t)s->yields->count + 1, sizeof *marks);
  uint32_t *elements = hd_arena_alloc_array(scratch, (size_t)s->yields->count + 1, sizeof *elements);
  if (marks == NULL || elements == NULL) {
    return HD_E_NOMEM;
  }
  hdi_cw_switch_yields(s->yields, trace, rest, marks);
  *learned = 0;
  for (uint32_t y = 0; y < s->yields->count; y++) {
    if (marks[y] && !chosen[y]) {
      elements[(*learned)++] = y;
    }
  }
  return keep_lesson(s, &s->learned, NULL, 0, elements, *learned);
}

/* ---- solving ---- */

static hd_status state_problem(const hdi_cw_region_lessons *s, hd_hitting_set *problem) {
  hd_status status = HD_OK;
  for (uint32_t p = 0; p < s->pairs.count && status == HD_OK; p++) {
    uint32_t element = s->yields->count + p;
    for (uint32_t i = 0; i < s->pairs.data[p].count && status == HD_OK; i++) {
      status = hd_hitting_set_require_with(problem, &element, 1, &s->pairs.data[p].yields[i], 1);
    }
  }
  for (size_t i = 0; i < s->learned.count + s->excluded.count && status == HD_OK; i++) {
    const hdi_cw_region_lesson *what = lesson_at(s, i);
    status = hd_hitting_set_require_with(problem, what->premise, what->premise_count, what->elements, what->count);
  }
  return status;
}

hd_status hdi_cw_region_lessons_solve(const hdi_cw_region_lessons *s, uint32_t yields_max,
                                      const hd_hitting_limits *limits, hd_hitting_answer *answer) {
  uint32_t count = s->yields->count + (uint32_t)s->pairs.count;
  uint32_t *costs = malloc(((size_t)count + 1) * sizeof *costs);
  for (uint32_t i = 0; costs != NULL && i < count; i++) {
    costs[i] = i < s->yields->count ? HDI_CW_YIELD_UNIT : 1;
  }
  hd_hitting_set *problem = costs == NULL ? NULL : hd_hitting_set_new(costs, count);
  hd_status status = problem == NULL ? HD_E_NOMEM : state_problem(s, problem);
  if (status == HD_OK) {
    hd_hitting_limits own = *limits;
    own.nodes_max = NODES_MAX;
    own.cost_max = ((uint64_t)yields_max + 1) * HDI_CW_YIELD_UNIT - 1;
    status = hd_hitting_set_solve(problem, &own, answer);
  }
  hd_hitting_set_free(problem);
  free(costs);
  return status;
}
