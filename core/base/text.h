/* Source text and spans. A hd_text owns the bytes of one input; a hd_span points into it by byte offset. */
#ifndef HEDDLE_CORE_BASE_TEXT_H
#define HEDDLE_CORE_BASE_TEXT_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hd_text {
  const char *name; /* as the user gave it, or "<stdin>"; owned by the text */
  const char *data; /* size_bytes bytes followed by a NUL that does not count; may contain NULs when the input does */
  size_t size_bytes;
  uint32_t *line_starts; /* byte offset of each line's first byte; line_count entries, at least 1 */
  uint32_t line_count;
} hd_text;

/* Half-open byte range [begin, end) of a text. */
typedef struct hd_span {
  uint32_t begin, end;
} hd_span;

/* 1-based line and 1-based column in bytes. */
typedef struct hd_position {
  uint32_t line, column;
} hd_position;

#define HD_TEXT_SIZE_MAX ((size_t)1 << 30) /* larger inputs are refused with HD_E_LIMIT */

/* Reads the file `path` ("-" is standard input, named "<stdin>"). On HD_OK *out is owned by the caller; otherwise
 * (HD_E_IO with errno set, HD_E_NOMEM, HD_E_LIMIT) *out is NULL. */
hd_status hd_text_read(const char *path, hd_text **out);
/* A text from memory; name and bytes are copied. */
hd_status hd_text_from_bytes(const char *name, const char *data, size_t size_bytes, hd_text **out);
void hd_text_free(hd_text *text); /* NULL allowed */

/* Position of a byte offset (clamped to the end of the text). O(log lines). */
hd_position hd_text_position(const hd_text *text, uint32_t offset);
/* The bytes of line `line` (1-based, without its end of line): pointer into the text and length. */
const char *hd_text_line(const hd_text *text, uint32_t line, size_t *length);

#endif
