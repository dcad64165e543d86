/* Which line of a .chor text says what. Internal to the choreography frontend: patching needs it. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_DRAFT_LINES_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_DRAFT_LINES_H

#include "frontends/choreography/choreography.h"

/* A line with a statement. Offsets are of the text; begin <= word < last <= end <= next. */
typedef struct hdi_line {
  uint32_t number;      /* of the line in the text, from 0 */
  uint32_t begin;       /* its first byte, a byte order mark not counted */
  uint32_t word, last;  /* the statement: first byte of its first word, end of its last one */
  uint32_t next;        /* where the next line begins */
  uint32_t block;       /* whose line it is */
  uint32_t state;       /* the state whose header it holds, HD_NONE: none */
  uint32_t header_end;  /* of a header: after its colon */
  hd_span initial_word; /* of a header that says `initial`: that word and the blanks behind it; otherwise empty */
  uint32_t arc;         /* the arc that it holds, alone or behind a header; HD_NONE: none */
  hd_span arc_span;     /* */
  bool repeated;        /* the arc is said again here; its first mention counts */
  bool is_rule;         /* `never` */
  hd_span rule[2];      /* of a rule: its two message names */
} hdi_line;

/* The lines of the file's text that hold a statement, in `arena`. The file must be one that hd_chor_read made of the
 * text. HD_E_NOMEM. O(size of the text); a repeated arc costs the arcs of its state. */
hd_status hdi_lines_scan(const hd_chor_file *file, hd_arena *arena, hdi_line **lines, uint32_t *count);

#endif
