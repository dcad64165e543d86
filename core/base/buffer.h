/* A growing byte string for building output, and files that appear whole or not at all. */
#ifndef HEDDLE_CORE_BASE_BUFFER_H
#define HEDDLE_CORE_BASE_BUFFER_H

#include "core/base/compiler.h"
#include "core/base/status.h"

#include <stddef.h>

/* Zero-initialised = empty. Always NUL-terminated once something was added. An append that cannot get memory sets
 * `failed` and later appends do nothing: test it once at the end. */
typedef struct hd_buffer {
  char *data;
  size_t size_bytes, capacity;
  int failed;
} hd_buffer;

void hd_buffer_add(hd_buffer *buffer, const char *data, size_t size_bytes);
void hd_buffer_add_text(hd_buffer *buffer, const char *text);
HD_PRINTF(2, 3) void hd_buffer_printf(hd_buffer *buffer, const char *format, ...);
/* Hands the NUL-terminated bytes to the caller (free with free()) and empties the buffer; NULL when it had failed. */
char *hd_buffer_take(hd_buffer *buffer);
void hd_buffer_free(hd_buffer *buffer);

/* Writes a whole file: a temporary in the same folder, then rename, keeping the mode of a file that is replaced; "-"
 * writes to standard output. On any error the old file stays and no temporary is left (HD_E_IO, errno set). */
hd_status hd_file_write(const char *path, const char *data, size_t size_bytes);

#endif
