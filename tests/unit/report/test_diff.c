/* Unified diffs: applied again by a small applier, and by patch and git where they are installed. */
#include "core/report/diff.h"
#include "tests/support/hd_test.h"
#include "tests/support/temp_folder.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static char *diff_of(const char *before, const char *after) {
  hd_buffer out = {0};
  cr_assert_eq(hd_diff_print("dir/x.chor", before, strlen(before), after, strlen(after), &out), HD_OK);
  hd_buffer_add_text(&out, "");
  return hd_buffer_take(&out);
}

static void expect(const char *before, const char *after, const char *diff) {
  char *got = diff_of(before, after);
  cr_assert_str_eq(got == NULL ? "" : got, diff);
  free(got);
}

Test(report_diff, known_diffs) {
  expect("a\nb\n", "a\nb\n", "");
  expect("", "", "");
  expect("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nE\nf\ng\nh\n",
         "--- a/dir/x.chor\n+++ b/dir/x.chor\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n");
  expect("", "a\n", "--- a/dir/x.chor\n+++ b/dir/x.chor\n@@ -0,0 +1 @@\n+a\n");
  expect("a\n", "", "--- a/dir/x.chor\n+++ b/dir/x.chor\n@@ -1 +0,0 @@\n-a\n");
  expect("a", "a\n", "--- a/dir/x.chor\n+++ b/dir/x.chor\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  expect("a\nb", "x\na\nb",
         "--- a/dir/x.chor\n+++ b/dir/x.chor\n@@ -1,2 +1,3 @@\n+x\n a\n b\n\\ No newline at end of file\n");
  expect("a\r\nb\r\n", "a\r\nc\r\n", "--- a/dir/x.chor\n+++ b/dir/x.chor\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n");
}

Test(report_diff, changes_far_apart_are_two_hunks) {
  char *far = diff_of("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n");
  char *near = diff_of("1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n");
  cr_assert(strstr(far, "@@ -1,4 +1,4 @@\n") != NULL && strstr(far, "@@ -6,4 +6,4 @@\n") != NULL);
  cr_assert(strstr(near, "@@ -1,8 +1,8 @@\n") != NULL);
  free(far);
  free(near);
}

Test(report_diff, names) {
  static const struct {
    const char *name, *line;
  } cases[] = {{"/abs/f", "--- a/abs/f\n"},
               {"./f", "--- a/f\n"},
               {"two words", "--- a/two words\t\n"},
               {"q\"\\\t\xC3\xA9", "--- \"a/q\\\"\\\\\\011\\303\\251\"\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    hd_buffer out = {0};
    cr_assert_eq(hd_diff_print(cases[i].name, "a\n", 2, "b\n", 2, &out), HD_OK);
    cr_assert_eq(strncmp(out.data, cases[i].line, strlen(cases[i].line)), 0, "%s", out.data);
    hd_buffer_free(&out);
  }
}

/* Applies a diff, believing in nothing: every context line and every removed line must be there. Knows hunks only. */
static void apply(const char *before, const char *diff, hd_buffer *out) {
  const char *at = before;
  const char *line = strstr(diff, "@@ ");
  size_t number = 1;
  while (line != NULL && *line != '\0') {
    size_t length = strcspn(line, "\n") + 1;
    bool open_end = strncmp(line + length, "\\ No", 4) == 0;
    if (*line == '@') {
      size_t start = (size_t)strtoul(line + 4, NULL, 10), count = 1;
      const char *comma = line + 4 + strspn(line + 4, "0123456789");
      count = *comma == ',' ? (size_t)strtoul(comma + 1, NULL, 10) : 1;
      size_t first = count == 0 ? start + 1 : start;
      for (; number < first; number++) {
        size_t kept = strcspn(at, "\n");
        kept += at[kept] == '\n' ? 1 : 0;
        hd_buffer_add(out, at, kept);
        at += kept;
      }
    } else {
      size_t bytes = length - 1 - (open_end ? 1 : 0);
      if (*line != '+') {
        cr_assert_eq(strncmp(at, line + 1, bytes), 0, "%s", diff);
        at += bytes;
        number++;
      }
      if (*line != '-') {
        hd_buffer_add(out, line + 1, bytes);
      }
    }
    line += length;
    if (open_end) {
      line += strcspn(line, "\n") + 1;
    }
  }
  hd_buffer_add_text(out, at);
}

/* A text of few different lines, the last of them sometimes without an end. */
static char *random_text(uint64_t *seed, size_t lines) {
  static const char *const words[] = {"a\n", "b\n", "\n", "- c\n", "+ d\r\n", "@@ e\n", "\\ f\n"};
  hd_buffer text = {0};
  hd_buffer_add_text(&text, "");
  for (size_t i = 0; i < lines; i++) {
    hd_buffer_add_text(&text, words[next_random(seed) % 7]);
  }
  if (text.size_bytes > 1 && next_random(seed) % 3 == 0) {
    text.data[--text.size_bytes] = '\0';
  }
  return hd_buffer_take(&text);
}

Test(report_diff, applies_again) {
  uint64_t seed = 31337;
  for (int i = 0; i < HD_TEST_COUNT(2000); i++) {
    char *before = random_text(&seed, next_random(&seed) % 20), *after = random_text(&seed, next_random(&seed) % 20);
    char *diff = diff_of(before, after);
    hd_buffer out = {0};
    if (diff == NULL || *diff == '\0') {
      cr_assert_str_eq(before, after);
    } else {
      apply(before, diff, &out);
      cr_assert_str_eq(out.data == NULL ? "" : out.data, after, "%s", diff);
    }
    hd_buffer_free(&out);
    free(diff);
    free(before);
    free(after);
  }
}

/* `patch` and `git apply` give the new text, byte for byte. */
Test(report_diff, other_tools_apply_it) {
  uint64_t seed = 271828;
  temp_folder folder = temp_folder_make();
  for (int i = 0; i < HD_TEST_COUNT(24); i++) {
    char *before = random_text(&seed, 1 + next_random(&seed) % 15);
    char *after = random_text(&seed, 1 + next_random(&seed) % 15);
    char *diff = diff_of(before, after);
    if (diff != NULL && *diff != '\0') {
      char command[512];
      temp_folder_write_text(&folder, "dir/x.chor", before);
      temp_folder_write_text(&folder, "d", diff);
      temp_folder_write_text(&folder, "expected", after);
      bool git = i % 2 == 0;
      snprintf(command, sizeof command, "cd %s && %s && cmp -s dir/x.chor expected", folder.path,
               git ? "git init -q . && git apply --whitespace=nowarn d" : "patch -s -p1 --binary <d");
      cr_assert_eq(system(command), 0, "%s refused\n%s", git ? "git" : "patch", diff);
    }
    free(diff);
    free(before);
    free(after);
  }
  temp_folder_remove(&folder);
}

Test(report_diff, very_different_texts) {
  hd_buffer before = {0}, after = {0}, out = {0}, again = {0};
  for (int i = 0; i < 3000; i++) {
    hd_buffer_printf(&before, "old %d\n", i);
    hd_buffer_printf(&after, "new %d\n", i);
  }
  cr_assert_eq(hd_diff_print("f", before.data, before.size_bytes, after.data, after.size_bytes, &out), HD_OK);
  apply(before.data, out.data, &again);
  cr_assert_str_eq(again.data, after.data);
  hd_buffer_free(&before);
  hd_buffer_free(&after);
  hd_buffer_free(&out);
  hd_buffer_free(&again);
}
