/* The complete strategy: repairs of one block that always exist, found by cost and proved one by one. Internal to the
 * choreography frontend; docs/choreography-repair.md has the rules and the proofs. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_REPAIR_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_REPAIR_H

#include "core/repair/loop.h"
#include "frontends/choreography/draft.h"
#include "frontends/choreography/paper.h"
#include "frontends/choreography/verify.h"

/* One line of what is being done, for -v. */
typedef void (*hdi_repair_log)(void *payload, const char *line);

typedef struct hdi_repair_query {
  const hd_chor_file *file;
  uint32_t block;
  uint32_t bound;
  hd_semantics semantics;
  const hdi_edit_costs *costs;      /* NULL: 1 each */
  hdi_rules option_rules;           /* besides those of the block */
  bool wanted[HDI_MECHANISM_COUNT]; /* a mixture is looked for only when asked for */
  uint32_t tries_max;               /* drafts decided for each mechanism; a deterministic budget, at least 1 */
  uint32_t repairs_max;             /* listed for each mechanism, at least 1 */
  uint32_t threads;
  size_t memory_max_bytes;     /* 0: none */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
  hdi_repair_log log;          /* NULL allowed; called from the calling thread only */
  void *log_payload;
} hdi_repair_query;

/* A repair that passed the gate (verify.h). */
typedef struct hdi_repair {
  hdi_draft *draft; /* owned by the answer */
  hdi_mechanism mechanism;
  bool cheapest; /* the search over the edits of this mechanism was complete below its cost */
  hdi_evidence evidence;
} hdi_repair;

/* What became of one mechanism. */
typedef struct hdi_repair_search {
  uint32_t tried;      /* drafts decided */
  bool complete;       /* every cheaper set of edits was excluded */
  bool cut_short;      /* time, cancellation or memory ended it */
  const char *nothing; /* why there is no repair of this mechanism; NULL when there is one or it was not wanted */
} hdi_repair_search;

typedef struct hdi_repair_answer {
  hd_arena *arena;          /* owned: words and evidence */
  bool realizable;          /* nothing to repair */
  uint64_t least_sequences; /* that every relaxation has, as evidence counts them; 0: not known */
  uint32_t shortest;        /* sends of the shortest difference */
  uint32_t count_length;    /* evidence counts sequences up to this length, a few more than `shortest` */
  hdi_repair *repairs;      /* of the wanted mechanisms in order, the best first */
  uint32_t repair_count;
  hdi_repair_search searches[HDI_MECHANISM_COUNT];
} hdi_repair_answer;

/* Repairs one block. The same answer for every number of threads and, unless time or a cancellation ends it, on every
 * machine. HD_OK also when something was cut short (searches say so); HD_E_NOMEM, HD_E_INTERNAL, HD_E_LIMIT and
 * HD_E_CANCELLED when not even the block itself could be decided. Cost: up to tries_max decisions per mechanism. */
hd_status hdi_repair_block(const hdi_repair_query *query, hdi_repair_answer *out);
void hdi_repair_answer_clear(hdi_repair_answer *answer);
/* What a draft's edits make of it: a mixture when some allow more and some ask for messages. */
hdi_mechanism hdi_repair_mechanism(const hdi_draft *draft);
/* The limits of the query for one search for differences. */
hdi_paper_limits hdi_repair_limits(const hdi_repair_query *query);

/* A repair made by the user, edit by edit (dialogue.c): each step shows the shortest difference as a chart and the
 * edits that remove it, `ask` returns the choice: the number of an edit, or `q` to stop; what is neither is asked
 * again. *draft, owned by the caller, has all chosen edits; *done says that no difference is left. HD_OK also when the
 * user stopped; HD_E_NOMEM, HD_E_INTERNAL, HD_E_LIMIT, HD_E_CANCELLED. */
typedef const char *(*hdi_repair_ask)(void *payload, const char *text, bool again);
hd_status hdi_repair_dialogue(const hdi_repair_query *query, hdi_repair_ask ask, void *payload, hdi_draft **draft,
                              bool *done);

/* ---- between the files of the strategy ---- */

/* One candidate and what deciding it gave; filled by hdi_repair_decide. */
typedef struct hdi_candidate {
  hdi_draft *draft;                  /* owned */
  hd_arena *arena;                   /* owned: of differences and evidence */
  hd_status status;                  /* of deciding it */
  hdi_paper_difference *differences; /* shortest ones; none: realizable, then the gate was asked */
  uint32_t difference_count;
  hdi_evidence evidence; /* when realizable */
} hdi_candidate;
void hdi_candidate_clear(hdi_candidate *candidate);

typedef struct hdi_repair_run {
  const hdi_repair_query *query;
  hdi_repair_answer *answer;
  uint32_t repair_capacity;
} hdi_repair_run;

/* Decides a candidate; the gate, on `threads` threads, with the promise of `mechanism`. HD_E_NOMEM, HD_E_INTERNAL;
 * HD_E_LIMIT and HD_E_CANCELLED stay in the candidate's status. */
hd_status hdi_repair_decide(const hdi_repair_run *run, hdi_mechanism mechanism, hdi_candidate *candidate,
                            uint32_t threads);
/* The query's limits for the loop. */
hd_repair_limits hdi_repair_loop_limits(const hdi_repair_run *run, uint32_t batch_max);
/* Takes the candidate's draft into the answer. HD_E_NOMEM. */
hd_status hdi_repair_accept(hdi_repair_run *run, hdi_mechanism mechanism, hdi_candidate *candidate);
/* Sequences of the draft's block, as evidence counts them. HD_E_NOMEM, HD_E_LIMIT. */
hd_status hdi_repair_count(const hdi_repair_run *run, const hdi_draft *draft, uint64_t *out);
/* Was the search told to stop (time, cancellation)? */
bool hdi_repair_is_over(const hdi_repair_run *run);
/* printf to the log. */
HD_PRINTF(2, 3) void hdi_repair_say(const hdi_repair_run *run, const char *format, ...);
/* The arcs of the draft along one path that reads `word` and ends in `end` (HD_NONE: anywhere), in the arena; the least
 * in the order of arcs from its end. NULL when there is none or memory is out. O(length * arcs). */
uint32_t *hdi_draft_find_path(const hdi_draft *draft, const hd_message *word, size_t length, uint32_t end,
                              hd_arena *arena);

/* A place for a new message: on an arc, before or after its own message. */
typedef struct hdi_sync_site {
  uint32_t arc; /* of the draft */
  bool before;
  uint32_t rank; /* among the new messages on this side: 0 stands farthest from the arc's own message */
  hd_peer from, to;
} hdi_sync_site;
/* The sites that can remove a difference: those on an arc of one path that reads its word or of one by which its peer
 * explains what it saw, whose message that peer sends or receives. A repair that only inserts messages needs one of
 * them (docs/choreography-repair.md). In the arena, in a fixed order. HD_E_NOMEM. */
hd_status hdi_repair_sites(const hdi_draft *draft, const hdi_paper_difference *difference, hd_arena *arena,
                           hdi_sync_site **out, size_t *count);
/* Puts a new message at the site, as an edit of its own. */
hd_status hdi_repair_insert(hdi_draft *draft, const hdi_sync_site *site);

/* relax.c: arcs, crossings, copies, by cost; with sites too for a mixture. restrict.c: messages, by minimum hitting
 * sets. Both add what passes the gate to the answer. */
hd_status hdi_repair_relax(hdi_repair_run *run, hdi_mechanism mechanism);
hd_status hdi_repair_restrict(hdi_repair_run *run);
/* The drafts that differ from `draft` by edits that remove its first shortest difference, cheapest first, in the order
 * of relax.c otherwise; owned by the caller, array (malloc) included. None: it has no difference. *difference is in the
 * arena. */
hd_status hdi_repair_offer(const hdi_repair_query *query, const hdi_draft *draft, hd_arena *arena,
                           const hdi_paper_difference **difference, hdi_draft ***offers, size_t *count);
/* What the peers of the block do anyway, as a draft that replaces its behaviour (least.c): a lower bound for the
 * behaviour of every relaxation, and the least one when it is realizable. Owned by the caller. HD_E_LIMIT when I_k or
 * its automaton is too large to be written down, HD_E_NOMEM, HD_E_CANCELLED. */
hd_status hdi_least_relaxation(const hdi_repair_query *query, hdi_draft **draft);
/* The ones that always exist (fallback.c). The draft is owned by the caller; sites are of the block, in the arena. */
hd_status hdi_fallback_relaxation(const hdi_repair_query *query, hdi_draft **out);
hd_status hdi_fallback_sites(const hdi_repair_query *query, hd_arena *arena, hdi_sync_site **out, size_t *count);

#endif
