/* A growing byte string, and whole-file output.
 *
 *   data: | size_bytes bytes | NUL | spare ... |     capacity counts all of it; data == NULL while nothing was added
 *
 * Buffer: doubles, so appending n bytes costs O(n). The first append that gets no memory sets `failed`; the text is
 * then incomplete for good, so later appends do nothing and hd_buffer_take answers NULL.
 *
 * hd_file_write makes ".heddle-PID-N.tmp" next to the target with O_EXCL, writes, syncs and renames it over the target:
 * readers see the old or the new content, never a part. The temporary takes over the mode of a file that is replaced
 * and otherwise obeys the umask. A symbolic link is followed, so that the link stays and its target is replaced. What
 * is no regular file (/dev/null, a FIFO) must not be replaced and is written to directly. Threads: one buffer per
 * owner; hd_file_write may run in several threads (O_EXCL settles a race for a name). */
#define _XOPEN_SOURCE 700 /* realpath */
#include "core/base/buffer.h"

#include "core/base/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAPACITY_MIN ((size_t)256)
#define TEMPORARY_TRIES 1000u

/* Room for `extra` bytes and the NUL. */
static int make_room(hd_buffer *buffer, size_t extra) {
  if (buffer->failed) {
    return 0;
  }
  if (extra >= SIZE_MAX / 2 - buffer->size_bytes) {
    buffer->failed = 1;
    return 0;
  }
  size_t needed = buffer->size_bytes + extra + 1;
  if (needed <= buffer->capacity) {
    return 1;
  }
  size_t capacity = buffer->capacity < CAPACITY_MIN ? CAPACITY_MIN : buffer->capacity * 2;
  if (capacity < needed) {
    capacity = needed;
  }
  char *data = realloc(buffer->data, capacity);
  if (data == NULL) {
    buffer->failed = 1;
    return 0;
  }
  buffer->data = data;
  buffer->capacity = capacity;
  return 1;
}

void hd_buffer_add(hd_buffer *buffer, const char *data, size_t size_bytes) {
  HD_REQUIRE(data != NULL || size_bytes == 0);
  if (!make_room(buffer, size_bytes)) {
    return;
  }
  if (size_bytes != 0) {
    memcpy(buffer->data + buffer->size_bytes, data, size_bytes);
  }
  buffer->size_bytes += size_bytes;
  buffer->data[buffer->size_bytes] = '\0';
}

void hd_buffer_add_text(hd_buffer *buffer, const char *text) {
  hd_buffer_add(buffer, text, strlen(text));
}

void hd_buffer_printf(hd_buffer *buffer, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  size_t spare = buffer->failed ? 0 : buffer->capacity - buffer->size_bytes;
  int length = vsnprintf(spare == 0 ? NULL : buffer->data + buffer->size_bytes, spare, format, arguments);
  va_end(arguments);
  if (length < 0) {
    buffer->failed = 1;
  } else if ((size_t)length < spare) {
    buffer->size_bytes += (size_t)length;
  } else if (make_room(buffer, (size_t)length)) {
    (void)vsnprintf(buffer->data + buffer->size_bytes, (size_t)length + 1, format, again);
    buffer->size_bytes += (size_t)length;
  }
  va_end(again);
  if (buffer->failed && buffer->data != NULL) {
    buffer->data[buffer->size_bytes] = '\0'; /* cut off what the first attempt wrote */
  }
}

char *hd_buffer_take(hd_buffer *buffer) {
  hd_buffer_add(buffer, "", 0); /* an empty buffer is handed out as "" */
  char *data = buffer->data;
  if (buffer->failed) {
    free(data);
    data = NULL;
  }
  *buffer = (hd_buffer){0};
  return data;
}

void hd_buffer_free(hd_buffer *buffer) {
  free(buffer->data);
  *buffer = (hd_buffer){0};
}

static hd_status write_all(int fd, const char *data, size_t size_bytes) {
  while (size_bytes != 0) {
    ssize_t written = write(fd, data, size_bytes);
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return HD_E_IO;
    }
    data += written;
    size_bytes -= (size_t)written;
  }
  return HD_OK;
}

static hd_status write_standard_output(const char *data, size_t size_bytes) {
  /* Through stdio, so that the bytes keep their place among what the host printed. */
  return fwrite(data, 1, size_bytes, stdout) == size_bytes && fflush(stdout) == 0 ? HD_OK : HD_E_IO;
}

/* Closes `fd`; the first failure decides status and errno. */
static hd_status close_after(int fd, hd_status status) {
  int cause = errno;
  if (close(fd) != 0 && status == HD_OK) {
    return HD_E_IO;
  }
  errno = cause;
  return status;
}

static hd_status write_in_place(const char *path, const char *data, size_t size_bytes) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  return fd < 0 ? HD_E_IO : close_after(fd, write_all(fd, data, size_bytes));
}

/* Creates the temporary in the folder of `path`. `name` has room for the folder and 64 bytes more. */
static int open_temporary(const char *path, char *name, size_t name_size) {
  const char *slash = strrchr(path, '/');
  int folder_length = slash == NULL ? 0 : (int)(slash - path) + 1;
  for (unsigned i = 0; i < TEMPORARY_TRIES; i++) {
    (void)snprintf(name, name_size, "%.*s.heddle-%ld-%u.tmp", folder_length, path, (long)getpid(), i);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) {
      return fd;
    }
  }
  return -1;
}

/* fsync, where the file system knows it. */
static hd_status sync_file(int fd) {
  return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? HD_OK : HD_E_IO;
}

/* `old` describes the file that is replaced, NULL when there is none. */
static hd_status replace_file(const char *path, const struct stat *old, const char *data, size_t size_bytes) {
  size_t name_size = strlen(path) + 64;
  char *name = name_size > INT32_MAX ? NULL : malloc(name_size);
  if (name == NULL) {
    errno = ENOMEM;
    return HD_E_IO;
  }
  int fd = open_temporary(path, name, name_size);
  if (fd < 0) {
    int cause = errno;
    free(name);
    errno = cause;
    return HD_E_IO;
  }
  hd_status status = write_all(fd, data, size_bytes);
  if (status == HD_OK && old != NULL && fchmod(fd, old->st_mode & 07777) != 0) {
    status = HD_E_IO;
  }
  if (status == HD_OK) {
    status = sync_file(fd);
  }
  status = close_after(fd, status);
  if (status == HD_OK && rename(name, path) != 0) {
    status = HD_E_IO;
  }
  int cause = errno;
  if (status != HD_OK) {
    (void)unlink(name);
  }
  free(name);
  errno = cause;
  return status;
}

static hd_status replace_existing(const char *path, const struct stat *old, const char *data, size_t size_bytes) {
  char *real = realpath(path, NULL); /* the file behind symbolic links: the links stay */
  if (real == NULL) {
    return HD_E_IO;
  }
  hd_status status = replace_file(real, old, data, size_bytes);
  int cause = errno;
  free(real);
  errno = cause;
  return status;
}

hd_status hd_file_write(const char *path, const char *data, size_t size_bytes) {
  HD_REQUIRE(path != NULL && (data != NULL || size_bytes == 0));
  if (strcmp(path, "-") == 0) {
    return write_standard_output(data == NULL ? "" : data, size_bytes);
  }
  struct stat old;
  if (stat(path, &old) != 0) {
    struct stat link;
    if (errno != ENOENT) {
      return HD_E_IO;
    }
    if (lstat(path, &link) == 0) {
      errno = ENOENT; /* a dangling link: replacing it would not do what its owner meant */
      return HD_E_IO;
    }
    return replace_file(path, NULL, data, size_bytes);
  }
  if (S_ISDIR(old.st_mode)) {
    errno = EISDIR;
    return HD_E_IO;
  }
  return S_ISREG(old.st_mode) ? replace_existing(path, &old, data, size_bytes) : write_in_place(path, data, size_bytes);
}
