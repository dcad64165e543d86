/* Buffers, and files that appear whole or not at all: every system call of hd_file_write is made to fail in turn. */
#include "core/base/buffer.h"
#include "tests/support/expect_failed_check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"
#include "tests/support/temp_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Calls of the library pass through here (--wrap). */
typedef enum call { CALL_NONE, CALL_WRITE, CALL_FCHMOD, CALL_FSYNC, CALL_CLOSE, CALL_RENAME, CALL_REALPATH } call;
static call failing_call;
static int failing_errno;
static size_t write_at_most = SIZE_MAX;
static bool interrupt_writes;

ssize_t __real_write(int fd, const void *data, size_t size);
int __real_fchmod(int fd, mode_t mode);
int __real_fsync(int fd);
int __real_close(int fd);
int __real_rename(const char *from, const char *to);
char *__real_realpath(const char *path, char *resolved);
ssize_t __wrap_write(int fd, const void *data, size_t size);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_fsync(int fd);
int __wrap_close(int fd);
int __wrap_rename(const char *from, const char *to);
char *__wrap_realpath(const char *path, char *resolved);

static bool fails(call which) {
  if (failing_call == which) {
    errno = failing_errno;
  }
  return failing_call == which;
}

ssize_t __wrap_write(int fd, const void *data, size_t size) {
  if (fails(CALL_WRITE)) {
    return -1;
  }
  if (interrupt_writes) {
    interrupt_writes = false;
    errno = EINTR;
    return -1;
  }
  return __real_write(fd, data, size < write_at_most ? size : write_at_most);
}

int __wrap_fchmod(int fd, mode_t mode) {
  return fails(CALL_FCHMOD) ? -1 : __real_fchmod(fd, mode);
}

int __wrap_fsync(int fd) {
  return fails(CALL_FSYNC) ? -1 : __real_fsync(fd);
}

int __wrap_close(int fd) {
  int result = __real_close(fd);
  return fails(CALL_CLOSE) ? -1 : result;
}

int __wrap_rename(const char *from, const char *to) {
  return fails(CALL_RENAME) ? -1 : __real_rename(from, to);
}

char *__wrap_realpath(const char *path, char *resolved) {
  char *real = fails(CALL_REALPATH) ? NULL : __real_realpath(path, resolved);
  hd_fail_alloc_note(real != NULL && resolved == NULL);
  return real;
}

static void assert_file(const char *path, const char *expected, size_t size_bytes) {
  FILE *file = fopen(path, "r");
  cr_assert(file != NULL, "no file %s", path);
  char *data = malloc(size_bytes + 2);
  cr_assert(data != NULL);
  size_t got = fread(data, 1, size_bytes + 1, file);
  cr_assert(got == size_bytes && memcmp(data, expected, size_bytes) == 0, "%s holds something else", path);
  free(data);
  (void)fclose(file);
}

static unsigned mode_of(const char *path) {
  struct stat about;
  cr_assert(stat(path, &about) == 0);
  return about.st_mode & 07777u;
}

Test(buffer, collects_bytes_texts_and_formats) {
  hd_buffer buffer = {0};
  hd_buffer_add(&buffer, "a\0b", 3);
  hd_buffer_add_text(&buffer, "cd");
  hd_buffer_printf(&buffer, "%d|%s", -5, "x");
  cr_assert(buffer.size_bytes == 9 && !buffer.failed);
  cr_assert(memcmp(buffer.data, "a\0bcd-5|x", 10) == 0, "the NUL is there too");
  hd_buffer_free(&buffer);
  cr_assert(buffer.data == NULL && buffer.size_bytes == 0 && buffer.capacity == 0);
}

Test(buffer, grows_at_every_length) {
  for (int length = 0; length < 600; length++) {
    hd_buffer buffer = {0};
    hd_buffer_printf(&buffer, "%*s", length, "");
    hd_buffer_printf(&buffer, "%0*d", length + 1, 7);
    cr_assert(buffer.size_bytes == (size_t)(2 * length + 1) && strlen(buffer.data) == buffer.size_bytes);
    cr_assert(buffer.data[2 * length] == '7');
    hd_buffer_free(&buffer);
  }
  hd_buffer buffer = {0};
  for (int i = 0; i < 100000; i++) {
    hd_buffer_add(&buffer, "0123456789", 10);
  }
  cr_assert(buffer.size_bytes == 1000000 && buffer.data[999999] == '9' && buffer.data[1000000] == '\0');
  hd_buffer_free(&buffer);
}

Test(buffer, take_hands_over_and_empties) {
  hd_buffer buffer = {0};
  char *nothing = hd_buffer_take(&buffer);
  cr_assert_str_eq(nothing, "");
  free(nothing);
  hd_buffer_add_text(&buffer, "text");
  char *text = hd_buffer_take(&buffer);
  cr_assert_str_eq(text, "text");
  cr_assert(buffer.data == NULL && buffer.size_bytes == 0);
  free(text);
}

Test(buffer, contracts_are_checked) {
  hd_buffer buffer = {0};
  EXPECT_FAILED_CHECK((hd_buffer_add(&buffer, NULL, 1), 0));
  EXPECT_FAILED_CHECK(hd_file_write(NULL, "", 0));
  EXPECT_FAILED_CHECK(hd_file_write("x", NULL, 1));
}

Test(buffer, a_failed_buffer_stays_failed) {
  hd_buffer buffer = {0};
  hd_buffer_add_text(&buffer, "kept");
  hd_buffer_add(&buffer, "x", SIZE_MAX - 8); /* refused before a byte is read */
  cr_assert(buffer.failed);
  hd_buffer_add_text(&buffer, "more");
  hd_buffer_printf(&buffer, "%d", 1);
  cr_assert_str_eq(buffer.data, "kept");
  cr_assert(buffer.size_bytes == 4);
  cr_assert(hd_buffer_take(&buffer) == NULL);
  cr_assert(!buffer.failed, "an emptied buffer starts anew");
}

static bool use_buffer(void *payload, bool *succeeded) {
  (void)payload;
  hd_buffer buffer = {0};
  for (int i = 0; i < 60; i++) {
    hd_buffer_printf(&buffer, "%030d", i);
    hd_buffer_add_text(&buffer, "abc");
  }
  bool good = buffer.failed ? buffer.size_bytes < 60 * 33 : buffer.size_bytes == 60 * 33;
  good = good && (buffer.data == NULL || strlen(buffer.data) == buffer.size_bytes);
  char *text = hd_buffer_take(&buffer);
  *succeeded = text != NULL;
  free(text);
  return good;
}

Test(buffer, no_memory_is_remembered_and_nothing_leaks) {
  cr_assert(hd_fail_alloc_sweep(use_buffer, NULL) > 6);
}

Test(file, is_written_whole) {
  temp_folder folder = temp_folder_make();
  static char data[200000];
  for (size_t i = 0; i < sizeof data; i++) {
    data[i] = (char)(i % 253);
  }
  static const size_t sizes[] = {0, 1, sizeof data};
  const char *path = temp_folder_path(&folder, "out");
  for (size_t i = 0; i < 3; i++) {
    cr_assert(hd_file_write(path, sizes[i] == 0 ? NULL : data, sizes[i]) == HD_OK);
    assert_file(path, data, sizes[i]);
    cr_assert(temp_folder_count(&folder) == 1, "a temporary was left");
  }
  write_at_most = 1000; /* short writes and an interruption are gone on from */
  interrupt_writes = true;
  data[7]++;
  cr_assert(hd_file_write(path, data, sizeof data) == HD_OK);
  assert_file(path, data, sizeof data);
  temp_folder_remove(&folder);
}

Test(file, keeps_the_mode_of_what_it_replaces) {
  temp_folder folder = temp_folder_make();
  const char *path = temp_folder_path(&folder, "out");
  (void)umask(027);
  cr_assert(hd_file_write(path, "a", 1) == HD_OK);
  cr_assert(mode_of(path) == 0640, "a new file obeys the umask: %o", mode_of(path));
  cr_assert(chmod(path, 0751) == 0);
  cr_assert(hd_file_write(path, "b", 1) == HD_OK);
  cr_assert(mode_of(path) == 0751);
  assert_file(path, "b", 1);
  temp_folder_remove(&folder);
}

Test(file, readers_of_the_old_file_keep_it) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "out", "old");
  const char *path = temp_folder_path(&folder, "out");
  FILE *reader = fopen(path, "r");
  cr_assert(hd_file_write(path, "new!", 4) == HD_OK);
  char bytes[8] = {0};
  cr_assert(fread(bytes, 1, 7, reader) == 3);
  cr_assert_str_eq(bytes, "old");
  (void)fclose(reader);
  assert_file(path, "new!", 4);
  temp_folder_remove(&folder);
}

Test(file, symbolic_links_are_followed) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "real/target", "old");
  const char *path = temp_folder_path(&folder, "link");
  struct stat about;
  cr_assert(symlink("real/target", path) == 0);
  cr_assert(hd_file_write(path, "new", 3) == HD_OK);
  cr_assert(lstat(path, &about) == 0 && S_ISLNK(about.st_mode), "the link is still one");
  assert_file(temp_folder_path(&folder, "real/target"), "new", 3);
  cr_assert(temp_folder_count(&folder) == 2);
  path = temp_folder_path(&folder, "dangling");
  cr_assert(symlink("nothing", path) == 0);
  cr_assert(hd_file_write(path, "new", 3) == HD_E_IO && errno == ENOENT);
  cr_assert(lstat(path, &about) == 0 && S_ISLNK(about.st_mode));
  temp_folder_remove(&folder);
}

Test(file, what_is_no_regular_file_is_written_in_place) {
  struct stat about;
  cr_assert(hd_file_write("/dev/null", "x", 1) == HD_OK);
  cr_assert(stat("/dev/null", &about) == 0 && S_ISCHR(about.st_mode));
  temp_folder folder = temp_folder_make();
  const char *path = temp_folder_path(&folder, "fifo");
  cr_assert(mkfifo(path, 0600) == 0);
  int reader = open(path, O_RDONLY | O_NONBLOCK);
  cr_assert(reader >= 0);
  cr_assert(hd_file_write(path, "through", 7) == HD_OK);
  char bytes[16];
  cr_assert(read(reader, bytes, sizeof bytes) == 7 && memcmp(bytes, "through", 7) == 0);
  (void)close(reader);
  cr_assert(stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
  temp_folder_remove(&folder);
}

Test(file, other_files_are_not_taken_for_temporaries) {
  temp_folder folder = temp_folder_make();
  char name[64];
  (void)snprintf(name, sizeof name, ".heddle-%ld-0.tmp", (long)getpid());
  temp_folder_write_text(&folder, name, "somebody else's");
  cr_assert(hd_file_write(temp_folder_path(&folder, "out"), "x", 1) == HD_OK);
  assert_file(temp_folder_path(&folder, name), "somebody else's", 15);
  assert_file(temp_folder_path(&folder, "out"), "x", 1);
  cr_assert(temp_folder_count(&folder) == 2);
  temp_folder_remove(&folder);
}

Test(file, impossible_places_are_io_errors) {
  temp_folder folder = temp_folder_make();
  cr_assert(hd_file_write("no/such/folder/out", "x", 1) == HD_E_IO && errno == ENOENT);
  cr_assert(hd_file_write(folder.path, "x", 1) == HD_E_IO && errno == EISDIR);
  cr_assert(hd_file_write("", "x", 1) == HD_E_IO && errno == ENOENT);
  temp_folder_write_text(&folder, "file", "old");
  cr_assert(hd_file_write(temp_folder_path(&folder, "file/out"), "x", 1) == HD_E_IO && errno == ENOTDIR);
  cr_assert(temp_folder_count(&folder) == 1);
  temp_folder_remove(&folder);
}

Test(file, any_failing_call_leaves_the_old_file_and_no_temporary) {
  static const call calls[] = {CALL_WRITE, CALL_FCHMOD, CALL_FSYNC, CALL_CLOSE, CALL_RENAME, CALL_REALPATH};
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "out", "old");
  const char *path = temp_folder_path(&folder, "out");
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    failing_call = calls[i];
    failing_errno = ENOSPC;
    hd_status status = hd_file_write(path, "new", 3);
    int cause = errno;
    failing_call = CALL_NONE;
    cr_assert(status == HD_E_IO && cause == ENOSPC, "call %zu", i);
    assert_file(path, "old", 3);
    cr_assert(temp_folder_count(&folder) == 1, "call %zu left a temporary", i);
  }
  temp_folder_remove(&folder);
}

Test(file, a_file_system_without_fsync_will_do) {
  temp_folder folder = temp_folder_make();
  const char *path = temp_folder_path(&folder, "out");
  failing_call = CALL_FSYNC;
  failing_errno = EINVAL;
  cr_assert(hd_file_write(path, "new", 3) == HD_OK);
  failing_call = CALL_NONE;
  assert_file(path, "new", 3);
  temp_folder_remove(&folder);
}

Test(file, dash_is_standard_output_in_the_order_of_printing) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "captured", "");
  const char *path = temp_folder_path(&folder, "captured");
  int kept = dup(STDOUT_FILENO);
  int fd = open(path, O_WRONLY);
  (void)fflush(stdout);
  cr_assert(kept >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
  (void)fputs("first ", stdout);
  hd_status status = hd_file_write("-", "second", 6);
  (void)dup2(kept, STDOUT_FILENO);
  (void)close(fd);
  (void)close(kept);
  cr_assert(status == HD_OK);
  assert_file(path, "first second", 12);
  cr_assert(temp_folder_count(&folder) == 1);
  temp_folder_remove(&folder);
}

Test(file, a_full_standard_output_is_an_io_error) {
  int kept = dup(STDOUT_FILENO);
  int fd = open("/dev/full", O_WRONLY);
  (void)fflush(stdout);
  cr_assert(fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
  hd_status status = hd_file_write("-", "x", 1);
  int cause = errno;
  (void)dup2(kept, STDOUT_FILENO);
  (void)close(fd);
  (void)close(kept);
  cr_assert(status == HD_E_IO && cause == ENOSPC);
}

static bool use_file(void *payload, bool *succeeded) {
  hd_status status = hd_file_write(payload, "new", 3);
  *succeeded = status == HD_OK;
  return status == HD_OK || (status == HD_E_IO && errno == ENOMEM);
}

Test(file, no_memory_is_an_io_error_and_nothing_leaks) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "out", "old");
  char path[128];
  (void)snprintf(path, sizeof path, "%s", temp_folder_path(&folder, "out"));
  cr_assert(hd_fail_alloc_sweep(use_file, path) == 2);
  cr_assert(temp_folder_count(&folder) == 1);
  temp_folder_remove(&folder);
}
