/* Atomic sections beside the order of the statements: the other edit of regression-free synthesis. Internal to the
 * Cwhile frontend; order.h has the variables.
 *
 *   section   units of one block that stand side by side in the new order and become one step, or a unit of several
 *             statements that does
 *   cost      one yield for each statement that does not come first in its section, more when its unit waits
 * @source Cerny, Henzinger, Radhakrishna, Ryzhyk, Tarrach: Regression-free synthesis for concurrency, CAV 2014 */
#ifndef HEDDLE_FRONTENDS_CWHILE_SECTIONS_H
#define HEDDLE_FRONTENDS_CWHILE_SECTIONS_H

#include "frontends/cwhile/order.h"

/* A section of a repair: its units in the new order. */
typedef struct hdi_cw_section {
  const hd_cw_stmt **statements; /* the last one of each unit */
  uint32_t count;
  uint64_t cost;
} hdi_cw_section;

/* Numbers the variables; without sections only those of the pairs, and their costs. HD_E_NOMEM. */
hd_status hdi_cw_sections_make(hdi_cw_orders *orders, const hdi_cw_costs *costs, bool sections);
/* States that sections are equivalences of units that stand side by side, and what they cost. HD_E_NOMEM. Cost: cubic
 * in the units of a block. */
hd_status hdi_cw_sections_state(const hdi_cw_orders *orders, hd_formula *formula);
/* Asks for at least one inverted pair and at least one section. HD_E_NOMEM. */
hd_status hdi_cw_sections_require_both(const hdi_cw_orders *orders, hd_formula *formula);

/* "a and b stand in one section", "a is one step" (a == b) as a literal; false: they never do. */
bool hdi_cw_section_literal(const hdi_cw_orders *orders, uint32_t a, uint32_t b, hd_literal *out);
bool hdi_cw_share_section(const hdi_cw_orders *orders, const bool *chosen, uint32_t a, uint32_t b);
/* Adds to the edit of a list, whose units stand in this order, the blocks of its sections; in `arena`. False: memory is
 * out. */
bool hdi_cw_sections_wrap(const hdi_cw_orders *orders, const bool *chosen, const uint32_t *units, uint32_t unit_count,
                          hd_arena *arena, hdi_cw_list_edit *edit);
/* The sections that are chosen, in the order of the text; in `arena`. HD_E_NOMEM. */
hd_status hdi_cw_sections_list(const hdi_cw_orders *orders, const bool *chosen, hd_arena *arena, hdi_cw_section **out,
                               uint32_t *count);
/* Is there a section, and does none have two statements that touch something shared that is not ghost? Then the
 * sections only keep ghost variables from their checker. */
bool hdi_cw_sections_only_ghost(const hdi_cw_orders *orders, const bool *chosen);

#endif
