/* Weighted minimum hitting set: given elements with weights and sets of elements, the lightest choices of elements that
 * meet every set.
 *
 * Sets are added between calls. Single choices can be excluded ("exactly this one, its supersets stay allowed"),
 * because what an acceptance gate rejects says nothing about larger or smaller choices. Elements can be forbidden.
 *
 * @source Branch and bound as for unate covering (Coudert, "On solving covering problems", DAC 1996): unit sets, set
 * and element dominance, limit bound (reduced costs); lower bound by dual ascent, which for equal weights is a maximal
 * family of disjoint sets (Bar-Yehuda and Even, J. Algorithms 2, 1981). */
#ifndef HEDDLE_CORE_REPAIR_HITTING_SET_H
#define HEDDLE_CORE_REPAIR_HITTING_SET_H

#include "core/repair/solver.h"

typedef struct hd_hitting_set hd_hitting_set;

/* A new instance without elements and sets, owned by the caller; NULL when memory is out. One thread at a time. */
hd_hitting_set *hd_hitting_set_new(void);
void hd_hitting_set_free(hd_hitting_set *h); /* NULL allowed */

/* Adds an element of the given weight (at least 1); *element is its number, counted from 0. HD_E_LIMIT after
 * HD_ELEMENT_MAX. */
hd_status hd_hitting_set_add_element(hd_hitting_set *h, uint32_t weight, uint32_t *element);
uint32_t hd_hitting_set_element_count(const hd_hitting_set *h);
/* Adds a set that must be met. Order and repetitions do not matter; an empty set makes the instance unsolvable. */
hd_status hd_hitting_set_add_set(hd_hitting_set *h, const uint32_t *elements, size_t count);
/* Sets held: those that contain another are dropped. */
size_t hd_hitting_set_set_count(const hd_hitting_set *h);
/* No choice contains `element` from now on. */
void hd_hitting_set_forbid(hd_hitting_set *h, uint32_t element);
/* The choice of exactly these elements is no answer from now on. */
hd_status hd_hitting_set_exclude(hd_hitting_set *h, const uint32_t *elements, size_t count);

/* The lightest choices, into *out (which the caller clears in the end). HD_OK whatever the answer; HD_E_NOMEM: *out
 * holds nothing. Worst case exponential in the number of elements, hence the limits. */
hd_status hd_hitting_set_solve(hd_hitting_set *h, const hd_solver_limits *limits, hd_solutions *out);

#endif
