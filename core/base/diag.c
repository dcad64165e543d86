/* The diagnostics sink: an arena with the records and their strings, and an array of pointers in order of addition.
 *
 * A diagnostic keeps copies of everything it shows (file name, source line, message, hint), so that it outlives the
 * text it is about. Of a line longer than EXCERPT_MAX bytes only a window around the position is copied: a 10 MB line
 * with a hundred errors must not cost a gigabyte. At most HD_DIAG_STORED_MAX errors and as many warnings and notes are
 * stored; the rest is counted. Adding cannot fail for the caller: what finds no memory is counted as dropped, and
 * errors always count as errors, so that "no errors" is never said by accident. Threads: one owner at a time. Cost:
 * O(message + min(line, EXCERPT_MAX)) per diagnostic. */
#include "core/base/diag.h"

#include "core/base/arena.h"
#include "core/base/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define EXCERPT_MAX 160u

#define HD_ARRAY_NAME record_array
#define HD_ARRAY_TYPE hd_diagnostic *
#include "core/base/array.h"

struct hd_diag {
  hd_arena *arena;
  record_array records;
  size_t errors;        /* stored or not */
  size_t others;        /* warnings and notes, stored or not */
  size_t stored_errors; /* stored_errors + stored_others == records.count */
  size_t stored_others;
};

typedef struct code_row {
  const char *code, *summary;
  hd_severity severity;
} code_row;

static const code_row code_rows[HD_DIAG_CODE_COUNT] = {
#define HD_DIAG(identifier, code, severity, summary) [identifier] = {code, summary, severity},
#include "core/base/diag.def"
#undef HD_DIAG
};

static const code_row *find_code(hd_diag_code code) {
  HD_REQUIRE((size_t)code < HD_DIAG_CODE_COUNT);
  return &code_rows[code];
}

const char *hd_diag_code_text(hd_diag_code code) {
  return find_code(code)->code;
}

hd_severity hd_diag_code_severity(hd_diag_code code) {
  return find_code(code)->severity;
}

const char *hd_diag_code_summary(hd_diag_code code) {
  return find_code(code)->summary;
}

hd_diag *hd_diag_new(void) {
  hd_diag *diag = calloc(1, sizeof *diag);
  if (diag == NULL) {
    return NULL;
  }
  diag->arena = hd_arena_new();
  if (diag->arena == NULL) {
    free(diag);
    return NULL;
  }
  return diag;
}

void hd_diag_free(hd_diag *diag) {
  if (diag == NULL) {
    return;
  }
  record_array_free(&diag->records);
  hd_arena_free(diag->arena);
  free(diag);
}

/* Whether a UTF-8 character may be cut before this byte. */
static bool starts_character(char byte) {
  return ((unsigned char)byte & 0xC0) != 0x80;
}

/* Copies the part of the position's line that an excerpt shows. */
static bool copy_line(hd_diag *diag, const hd_text *text, hd_diagnostic *record) {
  size_t length;
  const char *line = hd_text_line(text, record->position.line, &length);
  size_t at = record->position.column - 1;
  size_t begin = 0, end = length;
  if (length > EXCERPT_MAX) {
    begin = at > EXCERPT_MAX / 2 ? at - EXCERPT_MAX / 2 : 0;
    begin = begin > length - EXCERPT_MAX ? length - EXCERPT_MAX : begin;
    end = begin + EXCERPT_MAX;
    /* At most three bytes each way, so that the position stays inside. */
    for (int i = 0; i < 3 && begin > 0 && !starts_character(line[begin]); i++) {
      begin--;
    }
    for (int i = 0; i < 3 && end < length && !starts_character(line[end]); i++) {
      end++;
    }
  }
  record->line = hd_arena_copy_text(diag->arena, line + begin, end - begin);
  record->line_bytes = (uint32_t)(end - begin);
  record->line_column = (uint32_t)begin + 1;
  return record->line != NULL;
}

static bool place(hd_diag *diag, const hd_text *text, hd_span span, hd_diagnostic *record) {
  record->position = hd_text_position(text, span.begin);
  record->width = span.end > span.begin ? span.end - span.begin : 1;
  record->file = hd_arena_copy_text(diag->arena, text->name, strlen(text->name));
  return record->file != NULL && copy_line(diag, text, record);
}

HD_PRINTF(2, 0) static char *format_message(hd_diag *diag, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *message = length < 0 ? NULL : hd_arena_alloc(diag->arena, (size_t)length + 1);
  if (message != NULL) {
    (void)vsnprintf(message, (size_t)length + 1, format, again);
  }
  va_end(again);
  return message;
}

void hd_diag_add(hd_diag *diag, hd_diag_code code, const hd_text *text, hd_span span, const char *hint,
                 const char *format, ...) {
  if (diag == NULL) {
    return;
  }
  bool is_error = find_code(code)->severity == HD_ERROR;
  size_t *stored = is_error ? &diag->stored_errors : &diag->stored_others;
  *(is_error ? &diag->errors : &diag->others) += 1;
  if (*stored >= HD_DIAG_STORED_MAX) {
    return;
  }
  hd_diagnostic record = {.code = code, .width = 1, .line_column = 1};
  va_list arguments;
  va_start(arguments, format);
  record.message = format_message(diag, format, arguments);
  va_end(arguments);
  bool complete = record.message != NULL && (text == NULL || place(diag, text, span, &record));
  if (complete && hint != NULL) {
    record.hint = hd_arena_copy_text(diag->arena, hint, strlen(hint));
    complete = record.hint != NULL;
  }
  hd_diagnostic *kept = complete ? hd_arena_alloc(diag->arena, sizeof *kept) : NULL;
  if (kept != NULL && record_array_push(&diag->records, kept) == HD_OK) {
    *kept = record;
    *stored += 1;
  }
}

size_t hd_diag_count(const hd_diag *diag) {
  return diag->records.count;
}

const hd_diagnostic *hd_diag_get(const hd_diag *diag, size_t index) {
  HD_REQUIRE(index < diag->records.count);
  return diag->records.data[index];
}

size_t hd_diag_errors(const hd_diag *diag) {
  return diag->errors;
}

size_t hd_diag_dropped(const hd_diag *diag) {
  return diag->errors + diag->others - diag->records.count;
}
