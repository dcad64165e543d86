/* What a counterexample teaches: one of several alternatives must hold, an alternative holds when all its labels do, a
 * label holds when one of its literals does, and a literal says that an edit is made or that it is not.
 *
 *     alternatives (OR)      e.g. the cycles of a trace elimination graph
 *       labels (AND)         the orders and regions that make the cycle real
 *         literals (OR)      e.g. "a before b", or "a and b in one region"
 *
 * No alternative: false. An alternative without labels: true. A label without literals: false. */
#ifndef HEDDLE_CORE_REPAIR_FORMULA_H
#define HEDDLE_CORE_REPAIR_FORMULA_H

#include "core/base/buffer.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t hd_literal; /* edit * 2, + 1 for "not made" */

static inline hd_literal hd_made(uint32_t edit) {
  return edit * 2;
}
static inline hd_literal hd_not_made(uint32_t edit) {
  return edit * 2 + 1;
}
static inline uint32_t hd_literal_edit(hd_literal literal) {
  return literal / 2;
}
static inline bool hd_literal_is_negated(hd_literal literal) {
  return literal % 2 != 0;
}

/* Zero-initialised = false. An addition that cannot get memory sets `failed`; test it once at the end. */
typedef struct hd_formula {
  hd_literal *literals;
  uint32_t *label_ends;       /* label i ends at literals[label_ends[i]] */
  uint32_t *alternative_ends; /* alternative i ends at label_ends[alternative_ends[i]] */
  uint32_t literal_count, label_count, alternative_count;
  uint32_t literal_capacity, label_capacity, alternative_capacity;
  bool failed;
} hd_formula;

/* Begins an alternative, without labels so far. */
void hd_formula_add_alternative(hd_formula *formula);
/* Adds a label to the alternative begun last (there must be one). */
void hd_formula_add_label(hd_formula *formula, const hd_literal *literals, size_t count);
/* One alternative per edit: at least one of these edits must be made. What the hitting set takes. */
void hd_formula_add_each(hd_formula *formula, const uint32_t *edits, size_t count);
/* One alternative: all of these edits must be made. */
void hd_formula_add_all(hd_formula *formula, const uint32_t *edits, size_t count);
void hd_formula_reset(hd_formula *formula); /* false again; keeps the memory */
void hd_formula_free(hd_formula *formula);  /* leaves a zeroed formula */

/* Does it hold when exactly these edits (ascending) are made? O(size log count). */
bool hd_formula_holds(const hd_formula *formula, const uint32_t *edits, size_t count);
/* Greatest edit named, plus 1; 0 when none is. */
uint32_t hd_formula_edit_end(const hd_formula *formula);
/* Is every alternative a single label without negation? Then *formula is one set for the hitting set. */
bool hd_formula_is_set(const hd_formula *formula);
/* Writes e.g. "e1 or (e2 and not e3)"; an unsatisfiable one is "nothing". */
void hd_formula_print(const hd_formula *formula, hd_buffer *out);

#endif
