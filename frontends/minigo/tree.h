/* The concrete syntax of one Go file as tree-sitter gives it, copied into an array: the only place that knows
 * tree-sitter. */
#ifndef HEDDLE_FRONTENDS_MINIGO_TREE_H
#define HEDDLE_FRONTENDS_MINIGO_TREE_H

#include "core/base/text.h"

#include <stdbool.h>

typedef enum hdi_go_kind {
#define HDI_GO_KIND(identifier, node) HDI_GO_N_##identifier,
#include "frontends/minigo/kinds.def"
#undef HDI_GO_KIND
  HDI_GO_N_COUNT,
  HDI_GO_N_TOKEN = HDI_GO_N_COUNT, /* a keyword or a sign */
  HDI_GO_N_ERROR,                  /* what fits nowhere */
  HDI_GO_N_OTHER                   /* the grammar has more kinds than we ask for: parts of strings */
} hdi_go_kind;

typedef enum hdi_go_field_kind {
#define HDI_GO_FIELD(identifier, field) HDI_GO_F_##identifier,
#include "frontends/minigo/kinds.def"
#undef HDI_GO_FIELD
  HDI_GO_F_COUNT,
  HDI_GO_F_NONE = HDI_GO_F_COUNT
} hdi_go_field_kind;

/* Number 0 is the root, and, as it is nobody's child or sibling, "none" elsewhere. A node's children have larger
 * numbers than it has; numbers ascend with the text. */
typedef struct hdi_go_node {
  uint8_t kind, field;  /* hdi_go_kind, hdi_go_field_kind */
  bool missing;         /* not in the text: the parser put it in so that it could go on */
  const char *expected; /* MISSING: its name in the grammar; static */
  hd_span span;
  uint32_t first, next;
} hdi_go_node;

typedef struct hdi_go_tree {
  hdi_go_node *nodes; /* owned */
  uint32_t count;
  bool wrong; /* has an ERROR or missing node */
} hdi_go_tree;

/* Parses the bytes of a text of at most HD_GO_FILE_BYTES_MAX. HD_E_NOMEM; HD_E_INTERNAL when library and grammar do not
 * fit each other. When the memory of tree-sitter itself is out it ends the process: it knows no other answer. */
hd_status hdi_go_tree_parse(const hd_text *text, hdi_go_tree *out);
void hdi_go_tree_free(hdi_go_tree *tree);

#endif
