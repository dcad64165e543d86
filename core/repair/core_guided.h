/* Minimisation of a weighted sum of literals on a SAT solver that is kept. What formula.h is built on; nobody else
 * includes it. Literals are the solver's: numbers from 1, negative when negated. */
#ifndef HEDDLE_CORE_REPAIR_CORE_GUIDED_H
#define HEDDLE_CORE_REPAIR_CORE_GUIDED_H

#include "core/repair/hitting_set.h"

#define HD_ARRAY_NAME hdi_literals
#define HD_ARRAY_TYPE int
#include "core/base/array.h"

#define HDI_NO_NODE UINT32_MAX

/* A literal that should hold; it costs `weight` where it does not. */
typedef struct hdi_soft {
  int literal;
  uint64_t weight; /* 0: no longer of interest */
  uint32_t node;   /* of the counter whose output `literal` negates; HDI_NO_NODE: given */
  uint32_t rank;   /* that output says: at least `rank` of the node's inputs are true */
} hdi_soft;

/* A node of a counter: the inputs below it, sorted as far as anybody asked. */
typedef struct hdi_counter_node {
  uint32_t left, right; /* HDI_NO_NODE: one input */
  uint32_t size, made;  /* inputs below; outputs 1 .. made exist */
  size_t first;         /* of `size` outputs in hdi_guided.outputs */
} hdi_counter_node;

#define HD_ARRAY_NAME hdi_softs
#define HD_ARRAY_TYPE hdi_soft
#include "core/base/array.h"

#define HD_ARRAY_NAME hdi_counter_nodes
#define HD_ARRAY_TYPE hdi_counter_node
#include "core/base/array.h"

typedef struct hdi_guided {
  struct CCaDiCaL *solver; /* NULL: not started */
  int next;                /* the first free number */
  hdi_softs softs;
  hdi_counter_nodes nodes;
  hdi_literals outputs, core, kept;
  uint64_t lower_bound; /* proved; the cost is this plus the weights of the softs that do not hold */
  bool unsatisfiable;
  const hd_hitting_limits *limits; /* of the call in progress */
  hd_status end;                   /* HD_OK, or what ended the call */
  uint64_t learned;                /* clauses that the solver learned in this call */
} hdi_guided;

enum { HDI_SATISFIABLE = 10, HDI_UNSATISFIABLE = 20 };

/* A solver without clauses. HD_E_NOMEM. */
hd_status hdi_guided_start(hdi_guided *g);
/* Frees everything; g is as before hdi_guided_start. */
void hdi_guided_stop(hdi_guided *g);
/* For the call that begins: limits are borrowed until the next one. */
void hdi_guided_limit(hdi_guided *g, const hd_hitting_limits *limits);

/* Is there an assignment where all softs of weight >= threshold hold, the literals of `also`, and one of `one_of`?
 * NULL: no such demand. HDI_SATISFIABLE, HDI_UNSATISFIABLE, or 0 when the limits ended it (g->end). */
int hdi_guided_solve(hdi_guided *g, uint64_t threshold, const hdi_literals *also, const hdi_literals *one_of);
bool hdi_guided_value(const hdi_guided *g, int number);

/* After HDI_UNSATISFIABLE without further literals: raises the lower bound by what the softs that exclude each other
 * must cost, and puts softs in their place, so that the cost of each assignment stays what it was. HD_E_NOMEM: only
 * hdi_guided_stop may follow. */
hd_status hdi_guided_raise(hdi_guided *g, uint64_t threshold);

#endif
