/* Repair by reordering: the cheapest order of the statements without bad runs; with sections the cheapest order in
 * which some statements become atomic sections. Internal to the Cwhile frontend.
 * @source Cerny, Henzinger, Radhakrishna, Ryzhyk, Tarrach: Regression-free synthesis for concurrency, CAV 2014 */
#ifndef HEDDLE_FRONTENDS_CWHILE_REORDER_H
#define HEDDLE_FRONTENDS_CWHILE_REORDER_H

#include "core/repair/loop.h"
#include "frontends/cwhile/gate.h"
#include "frontends/cwhile/order.h"
#include "frontends/cwhile/regions.h"
#include "frontends/cwhile/sections.h"

typedef struct hdi_cw_reorder_query {
  const hdi_cw_baseline *baseline;
  const hdi_cw_costs *costs;
  bool sections;        /* orders with sections: at least one inverted pair and at least one section */
  bool bad_only;        /* learn from bad runs only, as a yardstick */
  uint64_t cost_max;    /* dearer ones do not interest; 0: no limit */
  uint32_t tries_max;   /* orders explored; a deterministic budget */
  uint32_t repairs_max; /* listed */
  uint32_t threads;
  size_t memory_max_bytes;     /* 0: none */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
  hdi_cw_log log;              /* NULL allowed; called from the calling thread only */
  void *log_payload;
} hdi_cw_reorder_query;

/* Two units that change places. */
typedef struct hdi_cw_swap {
  const hd_cw_stmt *a, *b; /* the last statement of each; a stands before b in the text and comes after it now */
  uint32_t cost;
} hdi_cw_swap;

typedef struct hdi_cw_reordering {
  hdi_cw_swap *swaps;
  uint32_t swap_count;
  uint32_t statements; /* pairs of statements that are inverted */
  hdi_cw_section *sections;
  uint32_t section_count;
  uint64_t cost;
  hdi_cw_edited edited; /* owned by the answer */
  hdi_cw_evidence evidence;
} hdi_cw_reordering;

typedef struct hdi_cw_reorder_answer {
  hd_arena *arena; /* owned */
  hdi_cw_reordering *repairs;
  uint32_t repair_count;
  uint32_t pair_count;         /* pairs of units that may change places */
  uint32_t good_runs;          /* learned from before the search */
  uint32_t bad_runs;           /* learned from until the first repair was found: the rounds of the literature */
  hd_repair_progress progress; /* orders explored, and what became of them */
  bool complete;               /* every cheaper order was excluded, or there is no repair (up to cost_max) */
  bool keeps_deadlocks;        /* orders may keep the deadlocks of the original: none was found that removes them */
  const char *nothing;         /* why there is none at any cost; NULL otherwise */
} hdi_cw_reorder_answer;

/* Finds all cheapest orders that pass the gate, of those that also remove the deadlocks of the original if there are
 * any. HD_OK also when cut short; HD_E_NOMEM, HD_E_INTERNAL, HD_E_LIMIT when the program is too large for a model. The
 * same answer for every number of threads. Clear in any case. Cost: tries_max searches. */
hd_status hdi_cw_reorder_find(const hdi_cw_reorder_query *query, hdi_cw_reorder_answer *out);
void hdi_cw_reorder_answer_clear(hdi_cw_reorder_answer *answer);

#endif
