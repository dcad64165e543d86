/* A choreography block under repair: its states and arcs as a table that edits change, each change remembering which
 * edit made it. Internal to the choreography frontend.
 *
 *   hd_chor --hdi_draft_open--> hdi_draft --edits--> hdi_draft --hdi_draft_file--> hd_chor_file (to be decided)
 *                                                             --hdi_draft_patch--> the user's text, edited
 *
 * States and arcs of the block keep their numbers; what edits add comes after them in the order of adding. An arc is
 * never deleted from the table, only marked so. Everything lives in the draft's arena; a clone has an arena of its own,
 * so candidates can be tried on several threads. */
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

typedef struct hdi_edit {
  hdi_chor_edit_kind kind;
  hdi_chor_case paper_case;
  uint32_t cost;     /* added transitions + messages + states split off, each with the weight of hdi_edit_costs */
  const char *words; /* one sentence for the user */
  hd_span span;      /* the place in the text that it changes */
} hdi_edit;

typedef struct hdi_edit_costs {
  uint32_t transition, message, state; /* default 1 each */
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
  bool removed;
} hdi_draft_arc;

typedef struct hdi_draft {
  hd_arena *arena;          /* owned */
  const hd_chor_file *file; /* borrowed: the file as read */
  uint32_t block;           /* which of its blocks */
  hd_alphabet alphabet;     /* the file's, with the messages of ADD_SYNC edits appended */
  hdi_draft_state *states;
  uint32_t state_count, state_capacity;
  hdi_draft_arc *arcs;
  uint32_t arc_count, arc_capacity;
  hdi_edit *edits; /* in order of application */
  uint32_t edit_count, edit_capacity;
  uint32_t initial;
  hdi_edit_costs costs;
  uint32_t cost; /* of all edits */
} hdi_draft;

/* A draft equal to the block. HD_E_NOMEM. */
hd_status hdi_draft_open(const hd_chor_file *file, uint32_t block, const hdi_edit_costs *costs, hdi_draft **out);
hd_status hdi_draft_clone(const hdi_draft *draft, hdi_draft **out);
void hdi_draft_free(hdi_draft *draft); /* NULL allowed */

/* Begins an edit; the changes that follow belong to it and add to its cost. `words` is a printf format. */
hd_status hdi_draft_begin(hdi_draft *draft, hdi_chor_edit_kind kind, hdi_chor_case paper_case, hd_span span,
                          const char *words, ...);
/* Changes. All: HD_E_NOMEM leaves the draft as it was. Fresh names are free in the whole file: states ns0, ns1, ...;
 * messages nm0, nm1, ... */
hd_status hdi_draft_add_state(hdi_draft *draft, uint32_t origin, bool final, uint32_t *state);
hd_status hdi_draft_add_arc(hdi_draft *draft, uint32_t from, hd_message message, uint32_t to, uint32_t origin);
hd_status hdi_draft_redirect(hdi_draft *draft, uint32_t arc, uint32_t to);
hd_status hdi_draft_remove(hdi_draft *draft, uint32_t arc);
hd_status hdi_draft_add_message(hdi_draft *draft, hd_peer from, hd_peer to, hd_message *message);
/* A copy of `state` with its outgoing arcs; the listed arcs into `state` lead to the copy from now on. */
hd_status hdi_draft_split(hdi_draft *draft, uint32_t state, const uint32_t *arcs, uint32_t arc_count, uint32_t *copy);
/* A copy of everything reachable from `state`, loops inside the copy; *copy is the copy of `state`. */
hd_status hdi_draft_copy_from(hdi_draft *draft, uint32_t state, uint32_t *copy);
/* New message `sync` (from hdi_draft_add_message) on `arc`: before its message or after it, through a new state. */
hd_status hdi_draft_sync(hdi_draft *draft, uint32_t arc, bool before, hd_message sync);

/* The whole file with this block as drafted (its other blocks unchanged), for projection and decision. Unreachable
 * states that edits left behind are dropped. Spans of what is new are those of its edit. */
hd_status hdi_draft_file(const hdi_draft *draft, hd_chor_file **out);

/* The text of the file with the drafts (one per changed block; NULL entries: unchanged) written into it. Lines that no
 * edit touches keep every byte, comments and layout included; new arcs follow the last line of their state, in its
 * indentation; new states stand at the end of the block. What is written reads back to the structure of
 * hdi_draft_file. */
hd_status hdi_draft_patch(const hd_chor_file *file, hdi_draft *const *drafts, hd_buffer *out);

/* DOT of the block as in the paper's figures: added behaviour bold blue, synchronisation dotted red. */
void hdi_draft_print_dot(const hdi_draft *draft, hd_buffer *out);

#endif
