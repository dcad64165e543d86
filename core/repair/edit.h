/* Edits: what a frontend may change in the user's program, one at a time. The loop knows only their costs; kind, words
 * and place are for people and for the result. */
#ifndef HEDDLE_CORE_REPAIR_EDIT_H
#define HEDDLE_CORE_REPAIR_EDIT_H

#include "core/base/text.h"

#include <stdint.h>

typedef struct hd_edit {
  const char *kind;  /* the stable name of its kind from the frontend's table, e.g. "add-transition"; static storage */
  const char *words; /* what it does, in the user's terms; copied by hd_repair_add_edit */
  uint32_t cost;     /* at least 1 */
  hd_span place;     /* where in the user's text; empty when nowhere */
} hd_edit;

/* A choice of edits: which ones, ascending, and what they cost together. */
typedef struct hd_candidate {
  const uint32_t *edits;
  size_t count;
  uint64_t cost;
} hd_candidate;

#endif
