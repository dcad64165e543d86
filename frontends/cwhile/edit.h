/* Edits of a Cwhile program: the statements of a list in another order, and runs of them put into blocks. Internal to
 * the Cwhile frontend. A repair of any strategy (regions.h, reorder.h) is said as such an edit, which becomes text:
 * only the text is ever verified and printed. */
#ifndef HEDDLE_FRONTENDS_CWHILE_EDIT_H
#define HEDDLE_FRONTENDS_CWHILE_EDIT_H

#include "frontends/cwhile/program.h"

/* What a run of statements is put into. X(identifier, "kind") */
#define HDI_CW_WRAP_TABLE(X)                                              \
  X(ATOMIC, "atomic-block") /* atomic { }: strong */                      \
  X(WATOMIC, "weak-block")  /* watomic { }: excludes other such blocks */ \
  X(LOCK, "lock-region")    /* lock(fresh); ... unlock(fresh); with one new lock for all */
typedef enum hdi_cw_wrap_kind {
#define HDI_CW_WRAP_ENUM(identifier, kind) HDI_CW_WRAP_##identifier,
  HDI_CW_WRAP_TABLE(HDI_CW_WRAP_ENUM)
#undef HDI_CW_WRAP_ENUM
      HDI_CW_WRAP_COUNT
} hdi_cw_wrap_kind;
const char *hdi_cw_wrap_name(hdi_cw_wrap_kind kind);

/* A run of statements of one list, by their places in the new order; both ends belong to it. */
typedef struct hdi_cw_wrap {
  hdi_cw_wrap_kind kind;
  uint32_t first, last;
} hdi_cw_wrap;

/* What changes in one list of statements: what stands between two braces, or alone after if, else or while. */
typedef struct hdi_cw_list_edit {
  const hd_cw_stmt *head;   /* the list's first statement, as it stands in the program */
  uint32_t count;           /* statements of the list */
  const uint32_t *order;    /* order[i]: place, in the program, of the statement that comes i-th; NULL: as it was */
  const hdi_cw_wrap *wraps; /* disjoint, ascending */
  uint32_t wrap_count;
} hdi_cw_list_edit;

/* At most one edit for each list. A list inside a statement that moves or is wrapped may be edited too. */
typedef struct hdi_cw_edit {
  const hdi_cw_list_edit *lists;
  uint32_t list_count;
} hdi_cw_edit;

/* Appends the program's text with the edit made. Everything that is not edited keeps its bytes; statements that stand
 * on lines of their own move as lines, comments behind them included, and what is wrapped is indented. HD_E_NOMEM
 * leaves the buffer failed. Cost: O(text * nesting of edited lists). */
hd_status hdi_cw_edit_print(const hd_cw_program *program, const hdi_cw_edit *edit, hd_buffer *out);

/* The edited text, read again. */
typedef struct hdi_cw_edited {
  hd_text *text;          /* owned */
  hd_cw_program *program; /* owned; borrows `text` */
  uint32_t *origin;       /* owned: per statement of `program` its number before the edit; HD_NONE: new, a block, or the
                             lock or unlock of a lock region */
} hdi_cw_edited;

/* Prints and reads. HD_E_INPUT when the language has no such program: a watomic block would stand inside another, by
 * way of a call. HD_E_NOMEM; HD_E_INTERNAL when the text is not what was meant. Free with hdi_cw_edited_clear in any
 * case. */
hd_status hdi_cw_edit_apply(const hd_cw_program *program, const hdi_cw_edit *edit, hdi_cw_edited *out);
void hdi_cw_edited_clear(hdi_cw_edited *edited);

/* Statements of the list that begins with `head`. */
uint32_t hdi_cw_list_length(const hd_cw_stmt *head);
/* Its `place`-th statement, from 0. */
const hd_cw_stmt *hdi_cw_list_at(const hd_cw_stmt *head, uint32_t place);

#endif
