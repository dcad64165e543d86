/* The published repair algorithm, literally: Algorithm 1 with the cases of relaxation (4.2) and restriction (4.3).
 * Internal to the choreography frontend.
 *
 *   while I_1 of the draft can do what the draft does not allow:
 *     take a shortest such word; choose relaxation or restriction; apply the one rule that fits
 *
 * The rules as they stand do not always end in a realizable choreography, whatever the paper's theorem 2 says; the run
 * then stops with its reason. docs/choreography-repair.md lists the known faults.
 * @source Basu and Bultan, Automated Choreography Repair, FASE 2016, sections 4.1 to 4.4 */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_PAPER_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_PAPER_H

#include "frontends/choreography/draft.h"
#include "frontends/choreography/realizability.h"

/* A word of I_1 that the draft does not have, as the rules want to see it; all their names are the paper's. Message
 * numbers are those of the draft, whose later edits keep them. */
typedef struct hdi_paper_difference {
  hd_peer peer;              /* P_i, who sends what is not allowed */
  hd_message extra;          /* m_i */
  const hd_message *word;    /* m_1 .. m_(i-1) */
  uint32_t word_length;      /* i - 1 */
  const hd_message *pending; /* what P_i has not read then, oldest first; one message at most with mailboxes */
  uint32_t pending_count;    /* */
  uint32_t state;            /* t_i: a state of the draft after the word, which allows everything of it */
  uint32_t arc;              /* c_i -m_i-> c_(i+1): the arc of the draft that P_i believes to take */
  const hd_witness *witness; /* the same as a run; its block is 0 */
  const char *words;         /* "ms mf mc" */
} hdi_paper_difference;

/* How one decision is made. */
typedef struct hdi_paper_limits {
  hd_semantics semantics;
  uint32_t bound;              /* of queues: the paper's rules take 1 (0 means so too), other strategies any */
  uint32_t states_max;         /* of the draft, and of each automaton made of it */
  size_t memory_max_bytes;     /* of the products of one decision; 0: none */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
} hdi_paper_limits;

/* The shortest differences of the draft: at most one for each peer that can be the first to leave the draft, in peer
 * order; none: L(I_1) = L(C). In `arena`. HD_E_NOMEM, HD_E_LIMIT, HD_E_CANCELLED. Cost: one projection and one product
 * for each peer. */
hd_status hdi_paper_find(const hdi_draft *draft, const hdi_paper_limits *limits, hd_arena *arena,
                         hdi_paper_difference **out, uint32_t *count);

/* Relaxes the draft by the case of 4.2 that fits; there always is one. HD_E_NOMEM; HD_E_LIMIT when a copy (1b-i)
 * or a new state would give the draft more than `states_max` states, which is unchanged then. After HD_E_NOMEM the
 * draft is of no use any more. */
hd_status hdi_paper_relax(hdi_draft *draft, const hdi_paper_difference *difference, uint32_t states_max);

/* Restricts the draft by the case of 4.3 that fits. *applied is false, and the draft unchanged, when case 2 names P_i
 * as the sender and the receiver of the new message. HD_E_NOMEM, after which the draft is of no use any more. */
hd_status hdi_paper_restrict(hdi_draft *draft, const hdi_paper_difference *difference, bool *applied);

typedef enum hdi_paper_mechanism { HDI_PAPER_RELAX, HDI_PAPER_RESTRICT, HDI_PAPER_STOP } hdi_paper_mechanism;
typedef struct hdi_paper_choice {
  hdi_paper_mechanism mechanism;
  uint32_t difference; /* index, or HD_NONE: the first one to relax, the last one to restrict, so that the peers named
                          first keep their say */
} hdi_paper_choice;
/* Chooses the next step among the shortest differences, at least one. */
typedef hdi_paper_choice (*hdi_paper_choose)(void *payload, const hdi_draft *draft,
                                             const hdi_paper_difference *differences, uint32_t count);

/* Why a run ended. X(identifier, "name in JSON") */
#define HD_PAPER_END_TABLE(X) \
  X(REALIZABLE, "realizable") \
  X(SELF_SEND, "self-send")   \
  X(REPEATS, "repeats")       \
  X(STEP_LIMIT, "step-limit") \
  X(LIMIT, "limit")           \
  X(CANCELLED, "cancelled")   \
  X(STOPPED, "stopped-by-choice")
typedef enum hdi_paper_end {
#define HDI_PAPER_END_ENUM(identifier, name) HDI_PAPER_END_##identifier,
  HD_PAPER_END_TABLE(HDI_PAPER_END_ENUM)
#undef HDI_PAPER_END_ENUM
      HDI_PAPER_END_COUNT
} hdi_paper_end;
const char *hdi_paper_end_name(hdi_paper_end end);

typedef struct hdi_paper_step {
  hdi_paper_difference difference; /* what it removed */
  hdi_paper_mechanism mechanism;
  uint32_t edit; /* of the draft; its case and its words */
} hdi_paper_step;

#define HDI_PAPER_STEPS_MAX 100u /* a step limit for commands */

typedef struct hdi_paper_query {
  const hd_chor_file *file;
  uint32_t block;
  const hdi_edit_costs *costs; /* NULL: 1 each */
  hdi_paper_limits limits;
  uint32_t steps_max;
  hdi_paper_choose choose; /* NULL: always `prefer` */
  void *payload;
  hdi_paper_mechanism prefer;
} hdi_paper_query;

typedef struct hdi_paper_run {
  hd_arena *arena;  /* owned: of steps and reason */
  hdi_draft *draft; /* owned: the block with the edits of all steps */
  hdi_paper_end end;
  const char *reason; /* one sentence */
  hdi_paper_step *steps;
  uint32_t step_count;
} hdi_paper_run;

/* Algorithm 1. HD_OK when it ended in one of the ways of HD_PAPER_END_TABLE, HD_E_NOMEM, HD_E_INTERNAL. REALIZABLE says
 * L(I_1) = L(C) of the drafted block, which is all that the algorithm asks; whoever accepts a repair decides again. */
hd_status hdi_paper_repair(const hdi_paper_query *query, hdi_paper_run *out);
void hdi_paper_run_clear(hdi_paper_run *run);

#endif
