/* A choreography block under repair: its states and arcs as a table that edits change, each change remembering which
 * edit made it. Internal to the choreography frontend.
 *
 *   hd_chor --hdi_draft_open--> hdi_draft --edits--> hdi_draft --hdi_draft_file--> hd_chor_file (to be decided)
 *                                                             --hdi_draft_patch--> the user's text, edited
 *
 * States and arcs of the block keep their numbers; what edits add comes after them in the order of adding. An arc is
 * never deleted from the table, only marked so. Everything lives in the draft's arena; a clone has an arena of its own,
 * so candidates can be tried on several threads. One draft, one thread; the file it came from is only read. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_DRAFT_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_DRAFT_H

#include "frontends/choreography/choreography.h"

/* Kinds of edits. X(identifier, "name in JSON and in choice files", relaxes, restricts) */
#define HD_CHOR_EDIT_TABLE(X)                                                                       \
  X(ADD_ARC, "add-transition", true, false)       /* state -message-> state */                      \
  X(ADD_CROSSING, "add-crossing", true, false)    /* two messages may cross: both orders */         \
  X(SPLIT_STATE, "split-state", false, false)     /* a copy for some of its incoming arcs */        \
  X(COPY_FROM, "copy-from", true, false)          /* an arc into a copy of all that is reachable */ \
  X(ADD_SYNC, "add-synchronisation", false, true) /* a new message that must be waited for */       \
  X(REPLACE, "replace-behaviour", true, false)    /* the whole block replaced (least relaxation, fallbacks) */
typedef enum hdi_chor_edit_kind {
#define HDI_CHOR_EDIT_ENUM(identifier, name, relaxes, restricts) HDI_EDIT_##identifier,
  HD_CHOR_EDIT_TABLE(HDI_CHOR_EDIT_ENUM)
#undef HDI_CHOR_EDIT_ENUM
      HDI_EDIT_KIND_COUNT
} hdi_chor_edit_kind;

/* The paper's cases (4.2 and 4.3); NONE for rules of our own. X(identifier, "name") */
#define HD_CHOR_CASE_TABLE(X)        \
  X(NONE, "")                        \
  X(RELAX_1A, "relaxation 1a")       \
  X(RELAX_1B_I, "relaxation 1b-i")   \
  X(RELAX_1B_II, "relaxation 1b-ii") \
  X(RELAX_2A_I, "relaxation 2a-i")   \
  X(RELAX_2A_II, "relaxation 2a-ii") \
  X(RELAX_2B_I, "relaxation 2b-i")   \
  X(RELAX_2B_II, "relaxation 2b-ii") \
  X(RESTRICT_1, "restriction 1")     \
  X(RESTRICT_2, "restriction 2")
typedef enum hdi_chor_case {
#define HDI_CHOR_CASE_ENUM(identifier, name) HDI_CASE_##identifier,
  HD_CHOR_CASE_TABLE(HDI_CHOR_CASE_ENUM)
#undef HDI_CHOR_CASE_ENUM
      HDI_CASE_COUNT
} hdi_chor_case;

/* Their names; static storage. */
const char *hdi_chor_edit_name(hdi_chor_edit_kind kind);
/* What the table says of a kind: it allows more; it asks for a new message. */
bool hdi_chor_edit_relaxes(hdi_chor_edit_kind kind);
bool hdi_chor_edit_restricts(hdi_chor_edit_kind kind);
const char *hdi_chor_case_name(hdi_chor_case paper_case);

typedef struct hdi_edit {
  hdi_chor_edit_kind kind;
  hdi_chor_case paper_case;
  uint32_t cost;     /* the sum of what its changes cost, see below */
  const char *words; /* one sentence for the user */
  hd_span span;      /* the place in the text that it changes */
} hdi_edit;

/* What a change costs, default 1 each: an arc that is added (unless it is a copy) or redirected, a synchronisation
 * message put into an arc (its state comes with it), and a state that is a copy. Nothing else costs anything. */
typedef struct hdi_edit_costs {
  uint32_t transition, message, state;
} hdi_edit_costs;

typedef struct hdi_draft_state {
  const char *name;
  bool final;
  uint32_t origin; /* the block's state it is, or is a copy of; HD_NONE: new */
  uint32_t edit;   /* the edit that added it; HD_NONE: the block's own */
} hdi_draft_state;

typedef struct hdi_draft_arc {
  uint32_t from, to;
  hd_message message; /* of draft->alphabet */
  uint32_t origin;    /* the block's arc it is, or is a copy of; HD_NONE: new behaviour */
  uint32_t edit;      /* the last edit that added or redirected it; HD_NONE: as the user wrote it */
  uint32_t place;     /* the arcs of a state stand in the order of (place, number): its own number, or that of the arc
                         that a synchronisation message stands before */
  bool removed;
} hdi_draft_arc;

typedef struct hdi_draft {
  hd_arena *arena;          /* owned */
  const hd_chor_file *file; /* borrowed: the file as read */
  uint32_t block;           /* which of its blocks */
  hd_alphabet alphabet;     /* the file's, with the messages of ADD_SYNC edits appended */
  uint32_t message_capacity;
  hdi_draft_state *states;
  uint32_t state_count, state_capacity;
  hdi_draft_arc *arcs;
  uint32_t arc_count, arc_capacity;
  hdi_edit *edits; /* in order of application */
  uint32_t edit_count, edit_capacity;
  uint32_t initial;
  hdi_edit_costs costs;
  uint32_t cost;           /* of all edits */
  uint64_t state_number;   /* the next new state is called ns<this>, */
  uint64_t message_number; /* the next new message nm<this> */
} hdi_draft;

/* A draft equal to the block; `costs` NULL: 1 each. HD_E_NOMEM. O(size of the file). */
hd_status hdi_draft_open(const hd_chor_file *file, uint32_t block, const hdi_edit_costs *costs, hdi_draft **out);
hd_status hdi_draft_clone(const hdi_draft *draft, hdi_draft **out);
void hdi_draft_free(hdi_draft *draft); /* NULL allowed */

/* Begins an edit; the changes that follow belong to it and add to its cost. `words` is a printf format. */
HD_PRINTF(5, 6)
hd_status hdi_draft_begin(hdi_draft *draft, hdi_chor_edit_kind kind, hdi_chor_case paper_case, hd_span span,
                          const char *words, ...);
/* Changes; some edit must have begun. All: HD_E_NOMEM leaves the draft as it was. Fresh names are free in the whole
 * file: states ns0, ns1, ...; messages nm0, nm1, ... */
hd_status hdi_draft_add_state(hdi_draft *draft, uint32_t origin, bool final, uint32_t *state);
hd_status hdi_draft_add_arc(hdi_draft *draft, uint32_t from, hd_message message, uint32_t to, uint32_t origin);
hd_status hdi_draft_redirect(hdi_draft *draft, uint32_t arc, uint32_t to);
hd_status hdi_draft_remove(hdi_draft *draft, uint32_t arc);
hd_status hdi_draft_set_initial(hdi_draft *draft, uint32_t state);
hd_status hdi_draft_add_message(hdi_draft *draft, hd_peer from, hd_peer to, hd_message *message);
/* A copy of `state` with its outgoing arcs; the listed arcs into `state` lead to the copy from now on. */
hd_status hdi_draft_split(hdi_draft *draft, uint32_t state, const uint32_t *arcs, uint32_t arc_count, uint32_t *copy);
/* A copy of everything reachable from `state`, loops inside the copy; *copy is the copy of `state`. HD_E_LIMIT, and
 * nothing changed, when the draft would have more than `states_max` states. */
hd_status hdi_draft_copy_from(hdi_draft *draft, uint32_t state, uint32_t states_max, uint32_t *copy);
/* New message `sync` (from hdi_draft_add_message) on `arc`, which must not be removed: before its message or after it,
 * through a new state. The arc keeps its number and its message: before, it starts in the new state from now on; after,
 * it ends there. */
hd_status hdi_draft_sync(hdi_draft *draft, uint32_t arc, bool before, hd_message sync);
/* The arc from -message-> to that is not removed; HD_NONE when there is none. O(arcs). */
uint32_t hdi_draft_find_arc(const hdi_draft *draft, uint32_t from, hd_message message, uint32_t to);

/* What the draft is as an automaton, whatever its new states and messages are called and in which order they were
 * added: equal keys, equal automata. Owned by the caller (free), with room for one number more; NULL when memory is
 * out. Cost: O(states * arcs). */
uint32_t *hdi_draft_key(const hdi_draft *draft, uint32_t *length);

/* What of a draft stands in a file, and under which numbers. A state stays when a run reaches it or when the user's own
 * block already had it beside all runs; when no final state would be left of a block that had some, all states stay.
 * Of equal arcs the first stays. Everything in the arena given. */
typedef struct hdi_draft_view {
  uint32_t state_count;
  uint32_t *number;   /* per state of the draft: its number in the file, HD_NONE: dropped */
  uint32_t *state_of; /* per state of the file: its number in the draft; ascending */
  uint32_t arc_count;
  uint32_t *arcs;      /* per arc of the file's block: its number in the draft */
  uint32_t *first_arc; /* per state of the draft, one more at the end: offsets into arcs */
} hdi_draft_view;
hd_status hdi_draft_look(const hdi_draft *draft, hd_arena *arena, hdi_draft_view *out);

/* The whole file with this block as drafted (its other blocks unchanged), for projection and decision; with `alone` a
 * file of this block only, which still has all peers and messages. Messages have the numbers of the draft, states and
 * arcs those of hdi_draft_look; spans of what is new are those of its edit. Names and other blocks are borrowed from
 * draft->file, which must outlive *out; the draft need not. A rule about a message that is gone is dropped. HD_E_NOMEM;
 * HD_E_USAGE when no arc is left. O(size of the block and of the alphabet). */
hd_status hdi_draft_file(const hdi_draft *draft, bool alone, hd_chor_file **out);

/* The text of the file with the drafts (one per block; NULL entries: unchanged) written into it. Lines that no edit
 * touches keep every byte, comments and layout included; so do comments on lines that an edit touches or removes. New
 * arcs follow the last line of their state, in its indentation; new states stand at the end of the block. A block of
 * which no state with a header is left is written anew below its `choreography`, `peers` and `never` lines. What is
 * written reads back to the structure of hdi_draft_file. HD_E_NOMEM; HD_E_USAGE when no arc of a block is left. O(size
 * of the text). */
hd_status hdi_draft_patch(const hd_chor_file *file, hdi_draft *const *drafts, hd_buffer *out);

/* DOT of the block as in the paper's figures: added behaviour bold blue, synchronisation dotted red. */
void hdi_draft_print_dot(const hdi_draft *draft, hd_buffer *out);

#endif
