/* Collects what read_chor.c parses and makes the hd_chor_file. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_CHOR_BUILDER_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_CHOR_BUILDER_H

#include "frontends/choreography/choreography.h"
#include "frontends/choreography/lexer.h"
#include "frontends/choreography/tables.h"

typedef struct hdi_peer_draft {
  hd_name name;
  uint32_t block;     /* its owner */
  uint32_t blamed_in; /* block in which sharing it was reported last; HD_NONE: nowhere */
  hd_span span;
} hdi_peer_draft;

typedef struct hdi_message_draft {
  hd_peer from, to;
  hd_name name;
  hd_span span;
} hdi_message_draft;

typedef struct hdi_state_draft {
  hd_name name;
  uint32_t header; /* number of its header among all of the file; HD_NONE: it has none */
  bool final;
  hd_span span; /* of the name in its header, or of its first mention */
} hdi_state_draft;

typedef struct hdi_arc_draft {
  uint32_t from, to; /* indices into the builder's states */
  hd_message message;
  hd_span span;
} hdi_arc_draft;

typedef struct hdi_rule_draft {
  hdi_token first, second;
  bool anywhere;
  hd_span span;
} hdi_rule_draft;

/* A block owns the states, headers, arcs and rules from its starts up to the next block's. */
typedef struct hdi_block_draft {
  hd_name name; /* HD_NO_NAME: none */
  hd_span span;
  bool has_peers, has_initial; /* some line said so */
  bool peers_unsure;           /* a `peers` line was cut short: a peer may be missing only for that */
  uint32_t initial;            /* into states; the first header's when no line says `initial`, HD_NONE before that */
  hd_span initial_span;
  uint32_t state_start, header_start, arc_start, rule_start;
} hdi_block_draft;

#define HD_ARRAY_NAME hdi_peer_drafts
#define HD_ARRAY_TYPE hdi_peer_draft
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_message_drafts
#define HD_ARRAY_TYPE hdi_message_draft
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_state_drafts
#define HD_ARRAY_TYPE hdi_state_draft
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_arc_drafts
#define HD_ARRAY_TYPE hdi_arc_draft
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_rule_drafts
#define HD_ARRAY_TYPE hdi_rule_draft
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_block_drafts
#define HD_ARRAY_TYPE hdi_block_draft
#include "core/base/array.h"

typedef struct hdi_chor_builder {
  hdi_lexer *lexer; /* borrowed; takes the reports and the first failure */
  uint32_t items_max;
  hd_names *names;
  hdi_peer_drafts peers;
  hdi_message_drafts messages;
  hdi_state_drafts states;
  hdi_arc_drafts arcs;
  hdi_rule_drafts rules;
  hdi_block_drafts blocks;
  uint32_t header_count;
  hdi_pair_map peer_of;      /* (0, name) -> peer */
  hdi_pair_map state_of;     /* (block, name) -> state */
  hdi_pair_map block_of;     /* (0, name) -> block */
  hdi_pair_map word_of;      /* (block, name) -> some message of the block called so; made at the end, for rules */
  hdi_triple_map message_of; /* (from, to, name) -> message */
  hdi_triple_map arc_of;     /* (from, message, to) -> arc */
  hdi_triple_map rule_of;    /* (first, second, 2 * block + anywhere) -> rule */
} hdi_chor_builder;

/* All functions that return bool: false when memory is out or a limit is passed, which ends the reading
 * (lexer->status tells which). Errors of the input are reported and survived. */
bool hdi_chor_builder_open(hdi_chor_builder *builder, hdi_lexer *lexer, uint32_t items_max);
void hdi_chor_builder_close(hdi_chor_builder *builder);

bool hdi_chor_add_block(hdi_chor_builder *builder, const hdi_token *name, hd_span span); /* name NULL: none */
/* A peer of the current block's `peers` line. */
bool hdi_chor_declare_peer(hdi_chor_builder *builder, const hdi_token *name);
/* The current block's `peers` line could not be read to its end. */
void hdi_chor_doubt_peers(hdi_chor_builder *builder);
bool hdi_chor_add_rule(hdi_chor_builder *builder, const hdi_token *first, const hdi_token *second, bool anywhere,
                       hd_span span);
typedef struct hdi_header {
  bool final, initial;
  hdi_token name;
} hdi_header;
/* *state is HD_NONE when the state has a header already. */
bool hdi_chor_add_header(hdi_chor_builder *builder, const hdi_header *header, uint32_t *state);
typedef struct hdi_arc_words {
  hdi_token from, to, message, target;
} hdi_arc_words;
/* `state` is the source; HD_NONE drops the arc (its state was wrong). */
bool hdi_chor_add_arc(hdi_chor_builder *builder, uint32_t state, const hdi_arc_words *arc);

/* Checks that need the whole file, then the finished file. NULL with errors reported or lexer->status set. */
hd_chor_file *hdi_chor_finish(hdi_chor_builder *builder);

/* hd_chor_read with a smaller limit on states, arcs and peers, for tests. */
hd_status hdi_chor_read_limited(const hd_text *text, hd_diag *diag, uint32_t items_max, hd_chor_file **out);

#endif
