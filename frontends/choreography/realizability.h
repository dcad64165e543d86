/* When is a choreography realizable: the per-peer check, the certificates that make its answer hold for every bound,
 * and the words that explain a negative one. Theory and proofs: docs/choreography-theory.md. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_REALIZABILITY_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_REALIZABILITY_H

#include "core/base/atomic.h"
#include "frontends/choreography/choreography.h"

/* Det(C) of one block: a deterministic automaton over messages in which every state is accepting (languages are
 * prefix-closed). */
typedef struct hd_dfa_arc {
  uint32_t from, to;
  hd_message message;
} hd_dfa_arc;
typedef struct hd_dfa {
  uint32_t state_count; /* 0 is initial */
  hd_dfa_arc *arcs;     /* sorted by (from, message) */
  uint32_t arc_count;
  uint32_t *first_arc;           /* state_count + 1 */
  uint32_t *members, *set_start; /* the block's states in each state, as in hd_machine */
} hd_dfa;

/* Subset construction; everything in `arena`. HD_E_LIMIT beyond `states_max` states or at the deadline, HD_E_CANCELLED
 * when cancelled. States are numbered breadth-first in message order. */
hd_status hd_chor_determinise(const hd_chor *chor, hd_arena *arena, const hd_subset_limits *limits, hd_dfa *out);
/* The state after `message`, HD_NONE when there is none. O(log arcs of the state). */
uint32_t hd_dfa_next(const hd_dfa *dfa, uint32_t state, hd_message message);

/* One move of the run that shows a choreography unrealizable. */
typedef enum hd_witness_move_kind {
  HD_MOVE_SYNC, /* the message is sent and read at once (its receiver follows the word) */
  HD_MOVE_SEND, /* the message is sent to the confused peer, whose queue keeps it */
  HD_MOVE_READ, /* the confused peer reads this message from the head of its queue */
  HD_MOVE_EXTRA /* the confused peer sends what the choreography does not allow here; always the last move */
} hd_witness_move_kind;
typedef struct hd_witness_move {
  hd_witness_move_kind kind;
  hd_message message;
} hd_witness_move;

typedef struct hd_witness {
  uint32_t block;
  hd_peer peer; /* the confused peer */
  hd_witness_move *moves;
  size_t move_count;
  uint64_t length; /* sends, the extra one included: the witness's length */
  /* A word of the choreography that looks the same to the peer (same sends and reads of its own) and after which the
   * extra message is allowed, without that message. */
  hd_message *twin;
  size_t twin_length;
} hd_witness;

typedef struct hd_realizability_query {
  const hd_chor_file *file;
  const hd_system *system; /* hd_project of file */
  const hd_dfa *dfas;      /* Det of each block */
  uint32_t bound;          /* queue length k, at least 1 */
  hd_semantics semantics;
  uint32_t threads;            /* peers are decided in parallel */
  size_t memory_max_bytes;     /* for all products together; 0: none */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
} hd_realizability_query;

/* Why an answer holds for every bound. X(identifier, "words") */
#define HD_CERTIFICATE_TABLE(X)                                                                                      \
  X(NONE, "no certificate: the answer is for this bound only")                                                       \
  X(LAG, "no send ever waits for room in any peer's product, so longer queues add nothing")                          \
  X(DIAMOND, "every peer's sends and receives commute (diamond), so no peer is ever confused, whatever the bound")   \
  X(TWO_PEERS, "two peers: queues of length 1 decide (Finkel and Lozes, ICALP 2017)")                                \
  X(RING, "an oriented ring: queues of length 1 decide (Finkel and Lozes, ICALP 2017)")                              \
  X(PARTS,                                                                                                           \
    "each peer is settled on its own: no send to it ever waits for room, or its sends and receives commute, or its " \
    "block has two peers or is an oriented ring")
typedef enum hd_certificate {
#define HDI_CERTIFICATE_ENUM(identifier, words) HD_CERTIFICATE_##identifier,
  HD_CERTIFICATE_TABLE(HDI_CERTIFICATE_ENUM)
#undef HDI_CERTIFICATE_ENUM
      HD_CERTIFICATE_COUNT
} hd_certificate;
const char *hd_certificate_words(hd_certificate certificate);

typedef struct hd_realizability {
  bool complete; /* false: cut short by time, memory or cancellation (end_status says which: HD_E_LIMIT, HD_E_NOMEM,
                    HD_E_CANCELLED) */
  hd_status end_status;
  bool realizable;       /* up to `bound`; meaningful when complete, or when false */
  hd_witness witness;    /* when not realizable: least in (length, peer, canonical order of moves), the same for every
                            thread count; in the arena */
  hd_witness *witnesses; /* of every peer whose shortest one has that length, in peer order; the first is `witness` */
  uint32_t witness_count;
  bool lag_free;        /* no push was ever blocked in any product */
  bool *lag_free_peers; /* per peer of the file: the same of its product alone; a peer that never sends has none */
  /* States and moves of the products of all peers that send, reduced as product.c says, explored to the end or to the
   * level of the witness; the same for every thread count. */
  uint64_t product_states, product_transitions;
  uint64_t levels; /* most sends on a shortest path to a product state */
} hd_realizability;

/* The per-peer check. Cost: one product Det(C) x DFA_p x queue(p) per peer. Everything returned lives in `arena`. */
hd_status hd_realizability_decide(const hd_realizability_query *query, hd_arena *arena, hd_realizability *out);

/* Does the diamond condition of docs/choreography-theory.md hold for every peer, with may_stop respected, and does C
 * halt only at ends? Then it excludes stuck configurations too (theorem 4(b), p2p: theorem 5). */
hd_status hd_diamond_holds(const hd_chor_file *file, const hd_system *system, const hd_dfa *dfas,
                           hd_semantics semantics, bool *holds);

/* The strongest certificate for an answer "realizable up to bound". A file of several blocks needs one for each block.
 */
hd_status hd_certify(const hd_realizability_query *query, const hd_realizability *answer, bool diamond,
                     hd_certificate *out);

#endif
