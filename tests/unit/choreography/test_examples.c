/* The examples say in a comment what `heddle check` answers; this test holds them to it.
 *
 *   # expect: holds                                      mailbox, queues of length 1
 *   # expect k=2: unrealizable length 6                  other queue lengths
 *   # expect p2p: deadlock length 3, orphan-message ...  one queue per pair of peers
 *   # expect stuck-peers: stuck-peer length 1            with --stuck-peers
 *
 * (`--` instead of `#` in .fsa files, `//` in .contract files.) The findings named are all there are, in any order,
 * each with the length of its shortest run. */
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "examples/choreography"

typedef struct {
  char kind[32];
  unsigned length;
  bool seen;
} wanted;

enum { WANTED_MAX = 4 };

/* Reads "kind length N, kind length N"; returns how many, 0 for "holds". */
static size_t parse_wanted(const char *file, const char *words, wanted *out) {
  if (strcmp(words, "holds") == 0) {
    return 0;
  }
  size_t count = 0;
  for (const char *at = words; *at != '\0';) {
    int used = 0;
    cr_assert_lt(count, (size_t)WANTED_MAX, "%s: too many findings", file);
    int fields = sscanf(at, "%31s length %u%n", out[count].kind, &out[count].length, &used);
    cr_assert_eq(fields, 2, "%s: expected KIND length N in \"%s\"", file, words);
    out[count++].seen = false;
    at += used;
    at += strspn(at, ", ");
  }
  return count;
}

static void compare(const char *file, const char *words, const run_text *run) {
  wanted list[WANTED_MAX] = {{"", 0, false}};
  size_t count = parse_wanted(file, words, list);
  const hd_result *result = run->result;
  cr_assert_eq(result->verdict, count == 0 ? HD_VERDICT_HOLDS : HD_VERDICT_VIOLATED, "%s: expected %s", file, words);
  cr_assert_eq(result->finding_count, count, "%s: %zu findings, expected %s", file, result->finding_count, words);
  for (size_t i = 0; i < result->finding_count; i++) {
    const hd_finding *finding = &result->findings[i];
    bool found = false;
    for (size_t j = 0; j < count; j++) {
      if (!list[j].seen && strcmp(list[j].kind, finding->kind) == 0 && list[j].length == finding->length) {
        found = list[j].seen = true;
        break;
      }
    }
    cr_assert(found, "%s: %s length %llu was not expected (%s)", file, finding->kind,
              (unsigned long long)finding->length, words);
  }
}

/* `qualifier` is what stands between "expect" and the colon. */
static void check_line(const char *file, const char *text, const char *qualifier, const char *words) {
  run_text run;
  run_text_init(&run);
  unsigned bound = 1;
  if (strstr(qualifier, "k=") != NULL) {
    cr_assert_eq(sscanf(strstr(qualifier, "k="), "k=%u", &bound), 1, "%s: %s", file, qualifier);
  }
  run.options.bound = bound;
  run.options.semantics = strstr(qualifier, "p2p") != NULL;
  run.options.stuck_peers = strstr(qualifier, "stuck-peers") != NULL;
  run.options.cross_check = true;
  run_text_command(&run, HD_COMMAND_CHECK, file, text);
  cr_assert_eq(run.status, HD_OK, "%s", file);
  compare(file, words, &run);
  run_text_free(&run);
}

/* Runs every expectation of one file; returns how many. */
static size_t check_file(const char *name) {
  char path[512];
  snprintf(path, sizeof path, FOLDER "/%s", name);
  char *text = run_text_load(path);
  cr_assert_not_null(text, "%s", path);
  const char *mark = strstr(name, ".fsa") != NULL        ? "-- expect"
                     : strstr(name, ".contract") != NULL ? "// expect"
                                                         : "# expect";
  size_t count = 0;
  bool plain = false;
  for (const char *line = text; line != NULL && *line != '\0';) {
    size_t length = strcspn(line, "\n");
    if (strncmp(line, mark, strlen(mark)) == 0) {
      char copy[256];
      cr_assert_lt(length, sizeof copy, "%s: long line", name);
      memcpy(copy, line, length);
      copy[length] = '\0';
      char *colon = strchr(copy, ':');
      cr_assert_not_null(colon, "%s: %s", name, copy);
      *colon = '\0';
      check_line(name, text, copy + strlen(mark), colon + 1 + strspn(colon + 1, " "));
      plain = plain || copy[strlen(mark)] == '\0';
      count++;
    }
    line += length;
    line += *line == '\n';
  }
  cr_assert(plain, "%s: no line \"%s: ...\"", name, mark);
  free(text);
  return count;
}

Test(examples, every_example_gets_the_answer_it_states) {
  DIR *folder = opendir(HD_SOURCE_DIR "/" FOLDER);
  cr_assert_not_null(folder);
  size_t files = 0, lines = 0;
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot != NULL && (strcmp(dot, ".chor") == 0 || strcmp(dot, ".contract") == 0 || strcmp(dot, ".fsa") == 0)) {
      lines += check_file(entry->d_name);
      files++;
    }
  }
  closedir(folder);
  cr_assert_geq(files, 31u);
  cr_assert_gt(lines, files);
}

/* The answers for every queue length rest on a certificate; the one for 20 peers on the diamond, without a search. */
Test(examples, the_motor_claim_holds_for_every_queue_length) {
  char *text = run_text_load(FOLDER "/motor_claim.chor");
  cr_assert_not_null(text);
  run_text run;
  run_text_init(&run);
  run_text_command(&run, HD_COMMAND_CHECK, "motor_claim.chor", text);
  cr_assert_eq(run.status, HD_OK);
  cr_assert_eq(run.result->verdict, HD_VERDICT_HOLDS);
  char *json = run_text_comparable(&run);
  cr_assert_not_null(strstr(json, "\"diamond\": true"), "%s", json);
  cr_assert_not_null(strstr(json, "\"every_bound\": true"), "%s", json);
  free(json);
  run_text_free(&run);
  free(text);
}
