/* Source text: the bytes of one input, its name and its line table.
 *
 *   data         P1 -> P2 : a \n P2 -> P1 : b \n \0         the NUL does not count; NULs inside are ordinary bytes
 *   line_starts  0               13              26         a line starts at 0 and after every '\n'
 *
 * A text that ends in '\n' therefore has a last, empty line: the position of its end is the start of that line, as in
 * an editor. "\r\n" ends a line too; the '\r' is left out of hd_text_line. Invariants: line_starts[0] == 0, strictly
 * increasing, all <= size_bytes; data[size_bytes] == 0; size <= 2^30, so that offsets fit 32 bits. Threads: a finished
 * text is constant, any thread. Cost: O(size) to make, O(log lines) per position. */
#include "core/base/text.h"

#include "core/base/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_MIN ((size_t)1 << 16)

static hd_status make_line_table(hd_text *text) {
  size_t lines = 1;
  const char *end = text->data + text->size_bytes;
  for (const char *at = text->data; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
    lines++;
  }
  text->line_starts = malloc(lines * sizeof text->line_starts[0]);
  if (text->line_starts == NULL) {
    return HD_E_NOMEM;
  }
  text->line_starts[0] = 0;
  text->line_count = 1;
  for (const char *at = text->data; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
    text->line_starts[text->line_count++] = (uint32_t)(at + 1 - text->data);
  }
  HD_ASSERT(text->line_count == lines);
  return HD_OK;
}

/* Takes over `data` (allocated, with room for the NUL at its end), also when it fails. */
static hd_status adopt_bytes(const char *name, char *data, size_t size_bytes, hd_text **out) {
  data[size_bytes] = '\0';
  hd_text *text = calloc(1, sizeof *text);
  size_t name_size = strlen(name) + 1;
  char *own_name = malloc(name_size);
  if (text == NULL || own_name == NULL) {
    free(text);
    free(own_name);
    free(data);
    return HD_E_NOMEM;
  }
  memcpy(own_name, name, name_size);
  text->name = own_name;
  text->data = data;
  text->size_bytes = size_bytes;
  hd_status status = make_line_table(text);
  if (status != HD_OK) {
    hd_text_free(text);
    return status;
  }
  *out = text;
  return HD_OK;
}

/* Reads `fd` to its end. *data has room for one more byte. */
static hd_status read_all(int fd, size_t capacity, char **data, size_t *size_bytes) {
  char *bytes = NULL;
  size_t size = 0, room = 0;
  for (;;) {
    if (size + 1 >= room) {
      room = room == 0 ? capacity : room * 2;
      char *larger = realloc(bytes, room);
      if (larger == NULL) {
        free(bytes);
        return HD_E_NOMEM;
      }
      bytes = larger;
    }
    ssize_t got = read(fd, bytes + size, room - size - 1);
    if (got < 0) {
      int cause = errno;
      free(bytes);
      errno = cause;
      return HD_E_IO;
    }
    if (got == 0) {
      break;
    }
    size += (size_t)got;
    if (size > HD_TEXT_SIZE_MAX) {
      free(bytes);
      return HD_E_LIMIT;
    }
  }
  *data = bytes;
  *size_bytes = size;
  return HD_OK;
}

static hd_status read_descriptor(int fd, const char *name, hd_text **out) {
  struct stat about;
  size_t capacity = READ_MIN;
  if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    if ((uintmax_t)about.st_size > HD_TEXT_SIZE_MAX) {
      return HD_E_LIMIT;
    }
    capacity = (size_t)about.st_size + 2; /* one byte to see the end of the file, one for the NUL */
  }
  char *data = NULL;
  size_t size_bytes = 0;
  hd_status status = read_all(fd, capacity, &data, &size_bytes);
  return status == HD_OK ? adopt_bytes(name, data, size_bytes, out) : status;
}

hd_status hd_text_read(const char *path, hd_text **out) {
  HD_REQUIRE(path != NULL && out != NULL);
  *out = NULL;
  if (strcmp(path, "-") == 0) {
    return read_descriptor(STDIN_FILENO, "<stdin>", out);
  }
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return HD_E_IO;
  }
  hd_status status = read_descriptor(fd, path, out);
  int cause = errno;
  (void)close(fd); /* nothing was written: a failure to close loses nothing */
  errno = cause;
  return status;
}

hd_status hd_text_from_bytes(const char *name, const char *data, size_t size_bytes, hd_text **out) {
  HD_REQUIRE(name != NULL && out != NULL && (data != NULL || size_bytes == 0));
  *out = NULL;
  if (size_bytes > HD_TEXT_SIZE_MAX) {
    return HD_E_LIMIT;
  }
  char *copy = malloc(size_bytes + 1);
  if (copy == NULL) {
    return HD_E_NOMEM;
  }
  if (size_bytes != 0) {
    memcpy(copy, data, size_bytes);
  }
  return adopt_bytes(name, copy, size_bytes, out);
}

void hd_text_free(hd_text *text) {
  if (text == NULL) {
    return;
  }
  free((char *)(uintptr_t)text->name);
  free((char *)(uintptr_t)text->data);
  free(text->line_starts);
  free(text);
}

hd_position hd_text_position(const hd_text *text, uint32_t offset) {
  uint32_t clamped = offset > text->size_bytes ? (uint32_t)text->size_bytes : offset;
  uint32_t low = 0, high = text->line_count; /* line_starts[low] <= clamped < line_starts[high] */
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (text->line_starts[middle] <= clamped) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (hd_position){.line = low + 1, .column = clamped - text->line_starts[low] + 1};
}

const char *hd_text_line(const hd_text *text, uint32_t line, size_t *length) {
  HD_REQUIRE(line >= 1 && line <= text->line_count);
  size_t begin = text->line_starts[line - 1];
  size_t end = line == text->line_count ? text->size_bytes : (size_t)text->line_starts[line] - 1;
  if (line != text->line_count && end > begin && text->data[end - 1] == '\r') {
    end--;
  }
  *length = end - begin;
  return text->data + begin;
}
