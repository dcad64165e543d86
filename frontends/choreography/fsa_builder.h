/* Collects what read_fsa.c parses and makes the hd_system. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_FSA_BUILDER_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_FSA_BUILDER_H

#include "frontends/choreography/choreography.h"
#include "frontends/choreography/lexer.h"
#include "frontends/choreography/tables.h"

/* A machine owns the states and transitions from its starts up to the next machine's. */
typedef struct hdi_machine_draft {
  hd_name name; /* HD_NO_NAME until the end when the block has none */
  hd_span span;
  uint32_t initial; /* into states; HD_NONE before `.marking` */
  hd_span initial_span;
  bool has_graph;
  hd_span graph_span;
  bool has_finals; /* says where the peer may stop; otherwise it may in the states without transitions */
  uint32_t state_start, transition_start, final_start;
  size_t errors_before; /* errors of the reading before this block */
} hdi_machine_draft;

typedef struct hdi_local_state_draft {
  hd_name name;
  bool in_transition; /* named by more than `.marking` */
  uint32_t final_at;  /* byte where it is first said to be final; HD_NONE: nowhere. Set at the end of its block */
  hd_span span;
} hdi_local_state_draft;

/* A name in a list of final states; the state may be mentioned further down. */
typedef struct hdi_final_draft {
  hd_name name;
  hd_span span;
} hdi_final_draft;

typedef struct hdi_transition_draft {
  uint32_t from, to; /* into states */
  hd_name partner;   /* as written */
  hd_span partner_span;
  uint32_t partner_machine; /* once all blocks are known */
  hd_name message;
  hd_span message_span;
  bool send, partner_is_number;
  hd_span span;
} hdi_transition_draft;

#define HD_ARRAY_NAME hdi_machine_drafts
#define HD_ARRAY_TYPE hdi_machine_draft
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_local_state_drafts
#define HD_ARRAY_TYPE hdi_local_state_draft
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_transition_drafts
#define HD_ARRAY_TYPE hdi_transition_draft
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_final_drafts
#define HD_ARRAY_TYPE hdi_final_draft
#include "core/base/array.h"

typedef struct hdi_fsa_builder {
  hdi_lexer *lexer; /* borrowed; takes the reports and the first failure */
  uint32_t items_max;
  hd_names *names;
  hdi_machine_drafts machines;
  hdi_local_state_drafts states;
  hdi_transition_drafts transitions;
  hdi_final_drafts finals;
  hdi_pair_map machine_of; /* (0, name) -> machine */
  hdi_pair_map state_of;   /* (machine, name) -> state */
} hdi_fsa_builder;

/* Functions that return bool: false when memory is out or a limit is passed, which ends the reading (lexer->status
 * tells which). Errors of the input are reported and survived. */
bool hdi_fsa_builder_open(hdi_fsa_builder *builder, hdi_lexer *lexer, uint32_t items_max);
void hdi_fsa_builder_close(hdi_fsa_builder *builder);

/* `name` NULL: none; `span` is where the block begins. The other functions speak of the machine added last. */
bool hdi_fsa_add_machine(hdi_fsa_builder *builder, const hdi_token *name, hd_span span);
void hdi_fsa_set_graph(hdi_fsa_builder *builder, hd_span span);
bool hdi_fsa_set_initial(hdi_fsa_builder *builder, const hdi_token *state);
/* From now on the peer may stop only in states that are added as final. */
void hdi_fsa_set_finals(hdi_fsa_builder *builder);
bool hdi_fsa_add_final(hdi_fsa_builder *builder, const hdi_token *state);
typedef struct hdi_transition_words {
  hdi_token from, partner, message, to;
  bool send;
} hdi_transition_words;
bool hdi_fsa_add_transition(hdi_fsa_builder *builder, const hdi_transition_words *words);
void hdi_fsa_end_machine(hdi_fsa_builder *builder, hd_span span);

/* Resolves partners, checks the whole, and makes the system (fsa_system.c). NULL with errors reported or
 * lexer->status set. */
hd_system *hdi_fsa_finish(hdi_fsa_builder *builder);
/* The part of it after all checks: needs every transition's partner_machine. NULL when memory is out. */
hd_system *hdi_fsa_build_system(hdi_fsa_builder *builder);
/* Where the machine after `machine` starts in each table. */
hdi_machine_draft hdi_fsa_machine_end(const hdi_fsa_builder *builder, uint32_t machine);

/* hd_fsa_read with a smaller limit on machines, states and transitions, for tests. */
hd_status hdi_fsa_read_limited(const hd_text *text, hd_diag *diag, uint32_t items_max, hd_system **out);

#endif
