/* Which statements may change places: the orders of a program that a repair by reordering chooses from. Internal to the
 * Cwhile frontend.
 *
 *   unit    a statement with the assertions that stand before it, or a block that is one step or a run of them;
 *           it moves as a whole
 *   block   a run of units of one list that are executed one after another, each once: no if, while, call, async,
 *           join or yield stands between them (a basic block)
 *   pair    two units of a block that may change places: nothing that one writes the other touches
 *
 * An order is a set of inverted pairs that some permutation of each block has; its cost is that of its pairs. With
 * sections (sections.h) assertions at the end of a block are units too, which stay where they are.
 * @source Cerny, Henzinger, Radhakrishna, Ryzhyk, Tarrach: Regression-free synthesis for concurrency, CAV 2014 */
#ifndef HEDDLE_FRONTENDS_CWHILE_ORDER_H
#define HEDDLE_FRONTENDS_CWHILE_ORDER_H

#include "core/repair/formula.h"
#include "frontends/cwhile/edit.h"
#include "frontends/cwhile/lower.h"

/* What an edit of the order costs. */
typedef struct hdi_cw_costs {
  uint32_t swap;  /* two statements that were neighbours, or are inverted as if they had been */
  uint32_t await; /* more when one of them waits */
  uint32_t lock;  /* more when something leaves a critical section */
  uint32_t yield; /* a place in an atomic section where threads could change before; more (await) when it waits there */
} hdi_cw_costs;

typedef struct hdi_cw_unit {
  const hd_cw_stmt *first, *last; /* of its list */
  uint32_t list, block;           /* HD_NONE: in no block */
  uint32_t begin, count;          /* places in the list */
  uint32_t statements;            /* that count: a block is one, the assertions before a statement are apart */
  const hd_cw_stmt *entry;        /* the statement whose step comes first */
  bool waits, locks, unlocks;
  bool stays;    /* it stands in its block, but has no pairs */
  uint32_t real; /* statements that touch something shared that is not ghost */
} hdi_cw_unit;

typedef struct hdi_cw_list_order {
  const hd_cw_stmt *head;
  uint32_t count;                /* statements */
  uint32_t first_unit, unit_end; /* in the order of the text */
} hdi_cw_list_order;

typedef struct hdi_cw_pair {
  uint32_t a, b; /* units, a before b in the text */
  uint32_t cost;
} hdi_cw_pair;

typedef struct hdi_cw_orders {
  hd_arena *arena; /* owned */
  const hd_cw_program *program;
  hdi_cw_list_order *lists;
  uint32_t list_count;
  hdi_cw_unit *units;
  uint32_t unit_count;
  uint32_t *unit_of; /* per statement: its unit, also inside a block; HD_NONE */
  hdi_cw_pair *pairs;
  uint32_t pair_count;
  uint32_t *pair_of; /* unit_count * unit_count: the pair of two units in either order; HD_NONE: they stay */
  /* Atomic sections (sections.h): variables behind the pairs; variable_count is pair_count without them. */
  uint32_t variable_count;
  uint32_t *section_of; /* unit_count * unit_count: both stand in one section, or, of a unit with itself, it is one
                           step; HD_NONE: never. NULL: no sections are asked for */
  uint32_t *joined;     /* per unit: the variable that says that one of its section stands before it; HD_NONE: none */
  uint32_t *costs;      /* per variable */
} hdi_cw_orders;

/* Finds the orders of a program; `lowering` is one of it (what variables statements touch is read off its flow).
 * HD_E_NOMEM. Clear in any case. Cost: quadratic in the units. */
hd_status hdi_cw_orders_make(const hd_cw_lowering *lowering, const hdi_cw_costs *costs, bool sections,
                             hdi_cw_orders *out);
void hdi_cw_orders_clear(hdi_cw_orders *orders);

/* A formula over the variables (variable p: pair p is inverted) whose assignments are exactly the permutations of the
 * blocks, with sections. NULL when memory is out; owned by the caller. */
hd_formula *hdi_cw_orders_formula(const hdi_cw_orders *orders);
/* "a before b" (or its contrary) in a clause: appends the literal, or returns false when the clause then holds anyway.
 * Units without a pair stay in the order of the text. */
bool hdi_cw_order_add(const hdi_cw_orders *orders, uint32_t a, uint32_t b, bool contrary, hd_literal *clause,
                      size_t *count);
/* The edit that makes the order with these inverted pairs and these sections (one flag for each variable), in `arena`.
 * HD_E_NOMEM. */
hd_status hdi_cw_orders_edit(const hdi_cw_orders *orders, const bool *inverted, hd_arena *arena, hdi_cw_edit *out);
/* A cost taken so many times; UINT32_MAX stands for all that is more. */
uint32_t hdi_cw_cost_times(uint64_t cost, uint64_t times);
/* Does unit a come before unit b, of the same block, in this order? */
bool hdi_cw_comes_before(const hdi_cw_orders *orders, const bool *inverted, uint32_t a, uint32_t b);

#endif
