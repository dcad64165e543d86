/* Repair by atomic regions: the fewest yields to protect, strong or weak. Internal to the Cwhile frontend.
 * @source Automatically finding atomic regions for fixing bugs in concurrent programs (AtomicInf), algorithms 2 and 3
 */
#ifndef HEDDLE_FRONTENDS_CWHILE_REGIONS_H
#define HEDDLE_FRONTENDS_CWHILE_REGIONS_H

#include "core/repair/loop.h"
#include "frontends/cwhile/blocks.h"
#include "frontends/cwhile/gate.h"

/* One line of what is being done, for -v. */
typedef void (*hdi_cw_log)(void *payload, const char *line);

typedef struct hdi_cw_region_query {
  const hdi_cw_baseline *baseline;
  hdi_cw_wrap_kind kind; /* ATOMIC: strong regions; WATOMIC, LOCK: weak ones */
  bool naive;            /* the paper's minimum is found by its first loop, as a yardstick: every bad run whose set of
                            switches has none of the earlier sets in it is looked at */
  bool exact;            /* only regions that are runs of statements as they are, none widened */
  uint32_t yields_max;   /* larger sets are not looked at */
  uint32_t tries_max;    /* sets explored; a deterministic budget */
  uint32_t repairs_max;  /* listed */
  uint32_t threads;
  size_t memory_max_bytes;     /* 0: none */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
  hdi_cw_log log;              /* NULL allowed; called from the calling thread only */
  void *log_payload;
} hdi_cw_region_query;

typedef struct hdi_cw_region {
  uint32_t *yields; /* ascending */
  uint32_t yield_count;
  const char **words; /* per yield */
  hdi_cw_blocks blocks;
  hdi_cw_edited edited; /* owned by the answer */
  hdi_cw_evidence evidence;
} hdi_cw_region;

typedef struct hdi_cw_region_answer {
  hd_arena *arena; /* owned */
  hdi_cw_region *regions;
  uint32_t region_count;
  uint32_t raw_runs;           /* bad runs looked at to find it */
  bool raw_complete;           /* it is known, and with naive nothing was left out */
  uint32_t raw_minimum;        /* yields of the smallest set without bad runs, before the gate; 0: none was found */
  hd_repair_progress progress; /* sets explored, and what became of them */
  bool complete;               /* every smaller set was excluded, or there is no repair: up to yields_max */
  const char *nothing;         /* why there is none; NULL otherwise */
} hdi_cw_region_answer;

/* Finds all smallest sets of yields whose regions pass the gate. The baseline's bug is a failed assertion or a fault.
 * HD_OK also when cut short; HD_E_NOMEM, HD_E_INTERNAL, HD_E_LIMIT when the program is too large for a model. The same
 * answer for every number of threads. Clear in any case. Cost: tries_max searches. */
hd_status hdi_cw_regions_find(const hdi_cw_region_query *query, hdi_cw_region_answer *out);
void hdi_cw_region_answer_clear(hdi_cw_region_answer *answer);

#endif
