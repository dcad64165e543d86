/* The choreography frontend's data: the specification (global automaton), the peers' machines, and the steps between
 * them.
 *
 *   .chor --read_chor--> hd_chor --project, determinise--> hd_system --lower--> hd_model (I_k)
 *   .fsa  --read_fsa---------------------------------------> hd_system
 *
 * Terms follow the paper (Basu and Bultan, Automated Choreography Repair, 2016): a choreography C is a finite automaton
 * over messages P->Q:m; its projection on a peer keeps that peer's sends !m and receives ?m; I_k is the system of the
 * projected, determinised peers with queues of length at most k. Everything is allocated in the arena of its owner
 * struct unless said otherwise; spans are byte ranges of the input text. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_H

#include "core/base/arena.h"
#include "core/base/atomic.h"
#include "core/base/buffer.h"
#include "core/base/check.h"
#include "core/base/diag.h"
#include "core/base/intern.h"
#include "core/base/text.h"
#include "core/model/model.h"

typedef struct {
  uint32_t v;
} hd_peer; /* index of a peer of the file */
typedef struct {
  uint32_t v;
} hd_message; /* index of a message: a triple (from, to, name) of the file */

typedef struct hd_message_info {
  hd_peer from, to;
  const char *name;
  hd_span first; /* first mention */
} hd_message_info;

/* Peers and messages of one input file, shared by all its blocks. From .fsa: peers in the order of the blocks, messages
 * sorted by sender, receiver and name, so that printed machines read back with the same numbers. */
typedef struct hd_alphabet {
  const char **peers; /* names; order of the `peers` line, then of first appearance */
  uint32_t peer_count;
  hd_message_info *messages; /* order of first appearance */
  uint32_t message_count;
} hd_alphabet;

typedef struct hd_chor_state {
  const char *name;
  bool final;
  hd_span span; /* of the name in its block header, or of its first mention */
} hd_chor_state;

typedef struct hd_chor_arc {
  uint32_t from, to; /* states of the block */
  hd_message message;
  hd_span span; /* the whole line `P -> Q : m => s` */
} hd_chor_arc;

/* Domain rule: `never a, b` (directly after) or `never a .. b` (anywhere after); message names, all peers. Used by
 * repair. */
typedef struct hd_chor_rule {
  const char *first, *second;
  bool anywhere;
  hd_span span;
} hd_chor_rule;

/* One `choreography` block. */
typedef struct hd_chor {
  const char *name; /* NULL when it has none */
  hd_chor_state *states;
  uint32_t state_count;
  uint32_t initial;
  bool has_final;    /* some state says final; otherwise the ends are the states without arcs */
  hd_chor_arc *arcs; /* sorted by from, input order within a state */
  uint32_t arc_count;
  uint32_t *first_arc; /* state_count + 1 offsets into arcs */
  hd_chor_rule *rules;
  uint32_t rule_count;
  hd_span span;
} hd_chor;

/* A whole .chor file: the shuffle of its blocks, whose peers are disjoint. */
typedef struct hd_chor_file {
  hd_arena *arena;     /* owned; everything else lives in it */
  const hd_text *text; /* borrowed */
  hd_alphabet alphabet;
  hd_chor *blocks;
  uint32_t block_count;
} hd_chor_file;

hd_status hd_chor_read(const hd_text *text, hd_diag *diag, hd_chor_file **out);
void hd_chor_file_free(hd_chor_file *file); /* NULL allowed */
/* Prints the file as .chor text that reads back to the same structure. */
void hd_chor_print(const hd_chor_file *file, hd_buffer *out);
/* True when a peer may end in this state of the block: final, or without arcs when no state is final. */
bool hd_chor_is_end(const hd_chor *chor, uint32_t state);

/* One peer's machine: deterministic when it comes from a projection; as given when read from .fsa. */
typedef struct hd_machine_arc {
  uint32_t from, to;
  hd_message message;
  bool send; /* this peer sends; otherwise it receives */
  hd_span span;
} hd_machine_arc;

typedef struct hd_machine {
  hd_peer peer;
  uint32_t state_count, initial;
  const char **state_names; /* for reports: of a subset "{s0,s2}" */
  bool *may_stop;           /* per state: the peer may stop here */
  hd_machine_arc *arcs;     /* sorted by (from, send before receive, message, to) */
  uint32_t arc_count;
  uint32_t *first_arc; /* state_count + 1 */
  /* Projections: the choreography states in each local state, sorted; set i is members[set_start[i] .. set_start[i+1]).
   * NULL from .fsa. */
  uint32_t *members, *set_start;
} hd_machine;

/* All peers' machines: what I_k is made of. */
typedef struct hd_system {
  hd_arena *arena;      /* owned */
  const hd_text *text;  /* borrowed */
  hd_alphabet alphabet; /* borrowed strings of the file it came from, or own */
  hd_machine *machines; /* one per peer, in peer order */
  uint32_t machine_count;
} hd_system;

/* Reads bottom-up machines; a machine may stop in the states that its lines `--@ final STATE...` list, and in its
 * states without arcs when it has no such line. */
hd_status hd_fsa_read(const hd_text *text, hd_diag *diag, hd_system **out);
/* Prints machines as .fsa (all, or only `peer` when peer.v != HD_NONE). What is printed reads back to the same
 * machines. */
void hd_fsa_print(const hd_system *system, hd_peer peer, hd_buffer *out);
/* DOT drawings, one digraph a machine; Aldebaran .aut of one machine. */
void hd_machine_print_dot(const hd_system *system, hd_peer peer, hd_buffer *out);
void hd_machine_print_aut(const hd_system *system, hd_peer peer, hd_buffer *out);
/* Their parts, for other drawings: `text` as it may stand between quotes, and the label of an arc, `Q!m` or `Q?m`, so
 * escaped. All printers: any thread, linear; running out of memory sticks in the buffer. */
void hd_print_escaped(const char *text, hd_buffer *out);
void hd_machine_print_label(const hd_system *system, const hd_machine_arc *arc, hd_buffer *out);
void hd_system_free(hd_system *system); /* NULL allowed */

typedef enum hd_semantics { HD_MAILBOX, HD_P2P } hd_semantics; /* same order as the option's choices */

/* What a subset construction may use. */
typedef struct hd_subset_limits {
  uint32_t states_max;         /* of one automaton */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
} hd_subset_limits;

/* Projection of all blocks on all peers, determinised by the subset construction over silent moves (paper, section 3).
 * HD_E_LIMIT when a machine would pass `states_max` states or at the deadline, HD_E_CANCELLED when cancelled. Cost per
 * peer: product of subsets and arcs. */
hd_status hd_project(const hd_chor_file *file, const hd_subset_limits *limits, hd_system **out);

#endif
