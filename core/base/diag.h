/* The diagnostics sink: libraries add, only the command line prints.
 *
 * Every kind of diagnostic is a row of diag.def: X(identifier, "HD123", severity, "summary for the documentation"). */
#ifndef HEDDLE_CORE_BASE_DIAG_H
#define HEDDLE_CORE_BASE_DIAG_H

#include "core/base/compiler.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum hd_severity { HD_NOTE, HD_WARNING, HD_ERROR } hd_severity;

typedef enum hd_diag_code {
#define HD_DIAG(identifier, code, severity, summary) identifier,
#include "core/base/diag.def"
#undef HD_DIAG
  HD_DIAG_CODE_COUNT
} hd_diag_code;

typedef struct hd_diagnostic {
  hd_diag_code code;
  const char *file;     /* borrowed from the sink; NULL when there is no position */
  hd_position position; /* line 0: no position (the whole file, or the command line) */
  const char *message;  /* what is wrong; one line, no final full stop */
  const char *hint;     /* what was expected or may be done; NULL when there is none */
  const char *line;    /* the source line, NUL-terminated copy, NULL when there is no position; of a very long line only
                        * a part around the position */
  uint32_t line_bytes; /* of `line`, which may contain NULs */
  uint32_t line_column; /* column of the first byte of `line`; 1 unless the line is very long */
  uint32_t width;       /* bytes the caret underlines, at least 1 */
} hd_diagnostic;

typedef struct hd_diag hd_diag;

hd_diag *hd_diag_new(void);       /* NULL when memory is out */
void hd_diag_free(hd_diag *diag); /* NULL allowed */

/* Most errors a sink stores, and most warnings and notes together. */
#define HD_DIAG_STORED_MAX 100u

/* Adds a diagnostic at `span` of `text` (text NULL: no position). `hint` may be NULL. After HD_DIAG_STORED_MAX errors
 * further errors are only counted, and likewise for warnings with notes. Never fails: when memory is out the count
 * still grows. `diag` NULL is allowed and drops the message. Line ends in the message or hint are printed escaped. */
HD_PRINTF(6, 7)
void hd_diag_add(hd_diag *diag, hd_diag_code code, const hd_text *text, hd_span span, const char *hint,
                 const char *format, ...);

size_t hd_diag_count(const hd_diag *diag);                           /* stored diagnostics, in order of addition */
const hd_diagnostic *hd_diag_get(const hd_diag *diag, size_t index); /* borrowed until hd_diag_free */
size_t hd_diag_errors(const hd_diag *diag);                          /* errors, stored or not */

/* Diagnostics that were counted but not stored. */
size_t hd_diag_dropped(const hd_diag *diag);

/* "HD123" and the severity of a code; static storage. */
const char *hd_diag_code_text(hd_diag_code code);
hd_severity hd_diag_code_severity(hd_diag_code code);
const char *hd_diag_code_summary(hd_diag_code code);

/* Prints `file:line:col: error: words; hint [HD123]` (`heddle: error: ...` without a position) and, when `excerpt`, the
 * source line with a caret (tabs kept). `color` adds ANSI colours. Control characters, characters that change the
 * direction of text, and invalid UTF-8 are shown as \xNN. A last line says how many diagnostics were dropped. */
void hd_diag_print(const hd_diag *diag, FILE *out, bool excerpt, bool color);

#endif
