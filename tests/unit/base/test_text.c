/* Source text: line table, positions, reading, limits, failing allocations. */
#include "core/base/text.h"
#include "tests/support/expect_failed_check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"
#include "tests/support/temp_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static hd_text *make(const char *data, size_t size_bytes) {
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("t", data, size_bytes, &text) == HD_OK);
  return text;
}

static void assert_line(const hd_text *text, uint32_t line, const char *expected, size_t expected_length) {
  size_t length;
  const char *bytes = hd_text_line(text, line, &length);
  cr_assert(length == expected_length, "line %u has %zu bytes", line, length);
  cr_assert(memcmp(bytes, expected, length) == 0);
}

static void assert_position(const hd_text *text, uint32_t offset, uint32_t line, uint32_t column) {
  hd_position position = hd_text_position(text, offset);
  cr_assert(position.line == line && position.column == column, "offset %u is at %u:%u", offset, position.line,
            position.column);
}

Test(text, lines_end_in_lf_or_crlf) {
  hd_text *text = make("one\r\n\ntwo\rx\nlast\r", 17);
  cr_assert(text->line_count == 4);
  assert_line(text, 1, "one", 3);
  assert_line(text, 2, "", 0);
  assert_line(text, 3, "two\rx", 5);
  assert_line(text, 4, "last\r", 5);
  assert_position(text, 0, 1, 1);
  assert_position(text, 4, 1, 5); /* the LF belongs to the line it ends */
  assert_position(text, 5, 2, 1);
  assert_position(text, 6, 3, 1);
  assert_position(text, 12, 4, 1);
  assert_position(text, 17, 4, 6);
  assert_position(text, UINT32_MAX, 4, 6);
  hd_text_free(text);
  hd_text_free(NULL);
}

Test(text, an_empty_text_has_one_empty_line) {
  hd_text *text = make(NULL, 0);
  cr_assert(text->size_bytes == 0 && text->line_count == 1 && text->data[0] == '\0');
  assert_line(text, 1, "", 0);
  assert_position(text, 0, 1, 1);
  assert_position(text, 5, 1, 1);
  hd_text_free(text);
}

Test(text, a_final_line_end_starts_an_empty_line) {
  hd_text *text = make("a\n", 2);
  cr_assert(text->line_count == 2);
  assert_line(text, 1, "a", 1);
  assert_line(text, 2, "", 0);
  assert_position(text, 2, 2, 1);
  hd_text_free(text);
}

Test(text, nuls_are_ordinary_bytes) {
  hd_text *text = make("a\0b\n\0\n", 6);
  cr_assert(text->size_bytes == 6 && text->line_count == 3);
  assert_line(text, 1, "a\0b", 3);
  assert_line(text, 2, "\0", 1);
  assert_position(text, 4, 2, 1);
  hd_text_free(text);
}

Test(text, positions_agree_with_counting) {
  char data[4000];
  uint32_t random = 7;
  for (size_t i = 0; i < sizeof data; i++) {
    random = random * 1664525u + 1013904223u;
    data[i] = (random >> 24) % 9 == 0 ? '\n' : 'x';
  }
  hd_text *text = make(data, sizeof data);
  uint32_t line = 1, column = 1;
  for (uint32_t i = 0; i <= sizeof data; i++) {
    assert_position(text, i, line, column);
    if (i < sizeof data && data[i] == '\n') {
      line++;
      column = 1;
    } else {
      column++;
    }
  }
  cr_assert(text->line_count == line);
  hd_text_free(text);
}

Test(text, name_and_bytes_are_copies) {
  char name[] = "file", data[] = "data";
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes(name, data, 4, &text) == HD_OK);
  name[0] = data[0] = '#';
  cr_assert_str_eq(text->name, "file");
  cr_assert_str_eq(text->data, "data");
  hd_text_free(text);
}

Test(text, contracts_are_checked) {
  hd_text *text = make("a\n", 2);
  size_t length;
  EXPECT_FAILED_CHECK(hd_text_line(text, 0, &length));
  EXPECT_FAILED_CHECK(hd_text_line(text, 3, &length));
  EXPECT_FAILED_CHECK(hd_text_from_bytes("t", NULL, 1, &text));
  EXPECT_FAILED_CHECK(hd_text_read(NULL, &text));
  hd_text_free(text);
}

Test(text, files_are_read_whole) {
  temp_folder folder = temp_folder_make();
  static char data[300001];
  for (size_t i = 0; i < sizeof data; i++) {
    data[i] = (char)(i * 31 % 251);
  }
  static const size_t sizes[] = {0, 1, 4095, 65535, 65536, 65537, sizeof data};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    hd_text *text = NULL;
    temp_folder_write(&folder, "input", data, sizes[i]);
    const char *path = temp_folder_path(&folder, "input");
    cr_assert(hd_text_read(path, &text) == HD_OK);
    cr_assert(text->size_bytes == sizes[i] && memcmp(text->data, data, sizes[i]) == 0);
    cr_assert(text->data[sizes[i]] == '\0');
    cr_assert_str_eq(text->name, path);
    hd_text_free(text);
  }
  temp_folder_remove(&folder);
}

Test(text, standard_input_is_read_to_its_end) {
  int ends[2];
  cr_assert(pipe(ends) == 0);
  pid_t writer = fork();
  if (writer == 0) {
    (void)close(ends[0]);
    char line[1000];
    memset(line, 'y', sizeof line);
    for (int i = 0; i < 200; i++) { /* more than a pipe holds: several reads */
      if (write(ends[1], line, sizeof line) < 0) {
        _exit(1);
      }
    }
    _exit(0);
  }
  (void)close(ends[1]);
  cr_assert(writer > 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
  hd_text *text = NULL;
  cr_assert(hd_text_read("-", &text) == HD_OK);
  cr_assert(text->size_bytes == 200000);
  cr_assert_str_eq(text->name, "<stdin>");
  cr_assert(strspn(text->data, "y") == 200000);
  hd_text_free(text);
}

Test(text, what_cannot_be_read_is_an_io_error) {
  hd_text *text = (hd_text *)1;
  errno = 0;
  cr_assert(hd_text_read("no/such/file", &text) == HD_E_IO && errno == ENOENT && text == NULL);
  text = (hd_text *)1;
  cr_assert(hd_text_read(".", &text) == HD_E_IO && errno == EISDIR && text == NULL);
  (void)close(STDIN_FILENO);
  text = (hd_text *)1;
  cr_assert(hd_text_read("-", &text) == HD_E_IO && errno == EBADF && text == NULL);
}

Test(text, too_large_inputs_are_refused_before_they_are_read) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "large", "x");
  const char *path = temp_folder_path(&folder, "large");
  cr_assert(truncate(path, ((off_t)1 << 30) + 1) == 0); /* sparse: takes no room */
  hd_text *text = (hd_text *)1;
  cr_assert(hd_text_read(path, &text) == HD_E_LIMIT && text == NULL);
  text = (hd_text *)1;
  cr_assert(hd_text_from_bytes("t", "x", HD_TEXT_SIZE_MAX + 1, &text) == HD_E_LIMIT && text == NULL);
  temp_folder_remove(&folder);
}

static bool use_text(void *payload, bool *succeeded) {
  hd_text *text = NULL;
  hd_status status = payload == NULL ? hd_text_from_bytes("name", "a\nb\nc", 5, &text) : hd_text_read(payload, &text);
  *succeeded = status == HD_OK;
  bool good = status == HD_OK ? text->line_count == 3 : status == HD_E_NOMEM && text == NULL;
  hd_text_free(text);
  return good;
}

Test(text, no_memory_is_reported_and_nothing_leaks) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "input", "a\nb\nc");
  char path[128];
  (void)snprintf(path, sizeof path, "%s", temp_folder_path(&folder, "input"));
  cr_assert(hd_fail_alloc_sweep(use_text, NULL) == 8);
  cr_assert(hd_fail_alloc_sweep(use_text, path) == 8);
  temp_folder_remove(&folder);
}
