/* One peer's product: Det(C), its machine and its queue. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_PRODUCT_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_PRODUCT_H

#include "frontends/choreography/realizability.h"

/* What the workers of one check share. */
typedef struct hdi_product_shared {
  hd_atomic_u64 best;         /* least witness length found so far; UINT64_MAX: none */
  hd_atomic_u64 memory_bytes; /* held by all products */
  hd_atomic_u32 stop;         /* an hd_status other than HD_OK: every worker gives up */
} hdi_product_shared;

/* What one level (all states at that many sends) adds. */
typedef struct hdi_product_level {
  uint64_t states, transitions;
} hdi_product_level;

typedef struct hdi_product_job {
  uint32_t block;
  hd_peer peer;
  /* Filled by hdi_product_explore; owned by the job. */
  hd_status status;          /* HD_OK: explored to the end, or through the level of the least witness */
  uint64_t length;           /* of the peer's own shortest witness; 0: none found */
  hd_witness_move *moves;    /* of that witness */
  size_t move_count;         /* */
  hdi_product_level *levels; /* level_count completed levels */
  size_t level_count;
  uint64_t blocked_level; /* first level at which a push found no room; UINT64_MAX: none did */
} hdi_product_job;

/* Can the peer send at all? If not it can never be confused and has no product. */
bool hdi_product_peer_sends(const hd_machine *machine);
/* Explores the product of job->peer. Safe to call from several workers at once, each with its own job. */
void hdi_product_explore(const hd_realizability_query *query, hdi_product_shared *shared, hdi_product_job *job);
void hdi_product_job_free(hdi_product_job *job); /* the job's arrays */

#endif
