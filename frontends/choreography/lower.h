/* Lowering: the peers' machines become the transition system I_k. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_LOWER_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_LOWER_H

#include "frontends/choreography/choreography.h"
#include "frontends/choreography/realizability.h"

/* I_k of a system, with what is needed to read its states and steps in the source's terms. Read-only once made. */
typedef struct hd_lowering {
  hd_arena *arena;         /* owned */
  const hd_system *system; /* borrowed; must outlive the lowering */
  hd_model *model;         /* owned */
  uint32_t bound;
  hd_semantics semantics;
  bool eager; /* attentive peers read at once */
  /* Queues: mailbox: one per peer that receives something; p2p: one per ordered pair (from, to) that exchanges
   * something. */
  uint32_t queue_count;
  hd_queue *queues;
  hd_peer *queue_from; /* p2p: the sender; mailbox: v is HD_NONE */
  hd_peer *queue_to;
  uint32_t *queue_of_message;  /* per message: its queue, HD_NONE when no machine mentions it */
  hd_message **queue_letters;  /* per queue: letter - 1 -> message */
  const hd_machine_arc **arcs; /* per model edge tag: the machine's arc */
  hd_peer *arc_peer;           /* per model edge tag: whose arc it is */
  hd_label *labels;            /* per message */
} hd_lowering;

/* Builds I_bound. With `dfas` (one per block of `file`) each block's Det(C) becomes a monitor: a send that leaves the
 * language of the choreography is the fault HD_FAULT_MONITOR. `file` and `dfas` may be NULL. Sends have weight 1,
 * receives weight 0: a level counts sends. bound >= 1. `eager`: attentive peers read at once (theory, section 8:
 * fewer states, the same stuck configurations and sends). HD_E_LIMIT when the model would be too large. */
hd_status hd_lower_system(const hd_system *system, const hd_chor_file *file, const hd_dfa *dfas, uint32_t bound,
                          hd_semantics semantics, bool eager, hd_lowering **out);
void hd_lowering_free(hd_lowering *lowering); /* NULL allowed */

/* Kinds of stuck configurations (classification: docs/choreography-theory.md), as hd_classify callbacks return them. */
typedef enum hd_stuck {
  HD_STUCK_NONE,
  HD_STUCK_DEADLOCK,
  HD_STUCK_UNSPECIFIED,
  HD_STUCK_ORPHAN,
  HD_STUCK_COUNT
} hd_stuck;
/* hd_classify for a configuration without moves; `context` is the hd_lowering. */
uint32_t hd_stuck_classify(const void *context, const hd_model *model, const uint64_t *state);
/* hd_must_go_on for peers: 1 when the peer may not stop where it is and has something to do there. A peer that may
 * neither stop nor do anything has done its part, and others go on without it. `context` is the hd_lowering. */
uint32_t hd_stuck_must_go_on(const void *context, const hd_model *model, const uint64_t *state, uint32_t instance);
/* "deadlock", "unspecified-reception", "orphan-message"; and its diagnostic code. */
const char *hd_stuck_name(hd_stuck stuck);
hd_diag_code hd_stuck_code(hd_stuck stuck);

#endif
