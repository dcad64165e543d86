/* Checks of the public C interface, in the common part of C11 and C++17; it includes nothing of heddle's but the public
 * header. The language is that of tests/cli/fake_frontend.c. */
#include "heddle/heddle.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      failures++;                                                     \
    }                                                                 \
  } while (0)

static int contains(const char *text, const char *part) {
  return text != NULL && strstr(text, part) != NULL;
}

static heddle_code check(heddle_session *session, const char *text, char **json) {
  return heddle_check_text(session, "a.fake", text, strlen(text), NULL, 0, json);
}

static void test_version(void) {
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH);
  CHECK(strcmp(text, HEDDLE_VERSION_STRING) == 0);
  CHECK(strcmp(text, heddle_version_string()) == 0);
  CHECK(heddle_version() == HEDDLE_VERSION);
}

static void test_verdicts(heddle_session *session) {
  static const struct {
    const char *text;
    heddle_code code;
    const char *verdict;
  } rows[] = {
      {"holds\n", HEDDLE_HOLDS, "\"verdict\":\"holds\""},
      {"violated\nfinding\n", HEDDLE_VIOLATED, "\"verdict\":\"violated\""},
      {"inconclusive\n", HEDDLE_INCONCLUSIVE, "\"verdict\":\"inconclusive\""},
      {"mute\nnomem\n", HEDDLE_INCONCLUSIVE, "\"not_covered\":\"out of memory\""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char *json = NULL;
    CHECK(check(session, rows[i].text, &json) == rows[i].code);
    CHECK(contains(json, rows[i].verdict));
    CHECK(contains(json, "\"schema\":\"heddle.result/1\",\"command\":\"check\",\"file\":\"a.fake\""));
    CHECK(json != NULL && strchr(json, '\n') == json + strlen(json) - 1);
    CHECK(strcmp(heddle_session_diagnostics(session), "") == 0);
    heddle_free(json);
  }
}

static void test_errors(heddle_session *session) {
  char *json = NULL;
  CHECK(check(session, "holds\nnonsense\n", &json) == HEDDLE_INPUT);
  CHECK(json == NULL);
  CHECK(contains(heddle_session_diagnostics(session), "a.fake:2:1: error: unexpected 'nonsense'"));
  CHECK(check(session, "internal\n", &json) == HEDDLE_INTERNAL);
  CHECK(json == NULL);
  CHECK(heddle_check_text(session, "unknown", NULL, 0, NULL, 0, &json) == HEDDLE_INPUT);
  CHECK(json == NULL);
  CHECK(contains(heddle_session_diagnostics(session), "[HD004]"));
  /* The diagnostics are those of the last call. */
  CHECK(check(session, "holds\n", &json) == HEDDLE_HOLDS);
  CHECK(strcmp(heddle_session_diagnostics(session), "") == 0);
  heddle_free(json);
}

static void test_options(heddle_session *session) {
  const char *good[] = {"--bound=3", "--semantics=p2p", "--threads", "1"};
  char *json = NULL;
  CHECK(heddle_check_text(session, "a.fake", "holds\n", 6, good, 4, &json) == HEDDLE_HOLDS);
  CHECK(contains(json, "\"bound\":3,\"semantics\":\"p2p\""));
  heddle_free(json);
  static const char *const bad[] = {"--bound=0",     "--no-such-option", "--emit=dot=f", "--format=json",  "--quiet",
                                    "--color=never", "--help",           "another.fake", "--threads=9999", "-v"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CHECK(heddle_check_text(session, "a.fake", "holds\n", 6, &bad[i], 1, &json) == HEDDLE_USAGE);
    CHECK(json == NULL);
    CHECK(contains(heddle_session_diagnostics(session), "[HD001]"));
  }
}

static void test_explore(heddle_session *session) {
  char *json = NULL;
  CHECK(heddle_explore_text(session, "a.fake", "holds\n", 6, NULL, 0, &json) == HEDDLE_HOLDS);
  CHECK(contains(json, "\"command\":\"explore\""));
  CHECK(contains(json, "\"states\":11"));
  CHECK(!contains(json, "\"verdict\""));
  heddle_free(json);
  const char *options[] = {"--timeout=50ms"};
  CHECK(heddle_explore_text(session, "a.fake", "slow\n", 5, options, 1, &json) == HEDDLE_INCONCLUSIVE);
  CHECK(contains(json, "time limit"));
  heddle_free(json);
}

static void test_repair(heddle_session *session) {
  static const char broken[] = "violated\nmend\n", hopeless[] = "violated\n", fine[] = "holds\n";
  char *json = NULL, *repaired = NULL;
  CHECK(heddle_repair_text(session, "a.fake", broken, strlen(broken), NULL, 0, &json, &repaired) == HEDDLE_HOLDS);
  CHECK(contains(json, "\"command\":\"repair\"") && contains(json, "\"verdict\":\"violated\""));
  CHECK(contains(json, "\"repairs\":[{\"kind\":\"mending\",\"cost\":1,\"cheapest\":true,\"proved\":true"));
  CHECK(contains(json, "\"message\":\"says that it holds\"") && contains(json, "--- a/a.fake"));
  CHECK(repaired != NULL && strcmp(repaired, "holds\n") == 0); /* of the first */
  heddle_free(repaired);
  heddle_free(json);
  /* The text may be of no interest. */
  CHECK(heddle_repair_text(session, "a.fake", broken, strlen(broken), NULL, 0, &json, NULL) == HEDDLE_HOLDS);
  CHECK(contains(json, "\"repairs\":[{"));
  heddle_free(json);
  /* Nothing was found, nothing is needed, the input is wrong: there is no text. */
  repaired = (char *)session;
  CHECK(heddle_repair_text(session, "a.fake", hopeless, strlen(hopeless), NULL, 0, &json, &repaired) ==
        HEDDLE_VIOLATED);
  CHECK(contains(json, "\"verdict\":\"violated\"") && repaired == NULL);
  heddle_free(json);
  repaired = (char *)session;
  CHECK(heddle_repair_text(session, "a.fake", fine, strlen(fine), NULL, 0, &json, &repaired) == HEDDLE_HOLDS);
  CHECK(contains(json, "\"verdict\":\"holds\"") && repaired == NULL);
  heddle_free(json);
  repaired = (char *)session;
  CHECK(heddle_repair_text(session, "a.fake", "x\n", 2, NULL, 0, &json, &repaired) == HEDDLE_INPUT);
  CHECK(json == NULL && repaired == NULL);
  /* A language that has no repairs. */
  CHECK(heddle_repair_text(session, "a.bare", fine, strlen(fine), NULL, 0, &json, &repaired) == HEDDLE_USAGE);
  CHECK(json == NULL && repaired == NULL && contains(heddle_session_diagnostics(session), "no command 'repair'"));
}

static void test_repair_options(heddle_session *session) {
  static const char broken[] = "violated\nmend\n";
  const char *good[] = {"--prefer=relax", "--all"};
  char *json = NULL, *repaired = NULL;
  CHECK(heddle_repair_text(session, "a.fake", broken, strlen(broken), good, 2, &json, &repaired) == HEDDLE_HOLDS);
  heddle_free(repaired);
  heddle_free(json);
  static const char *const bad[] = {"--in-place", "--interactive", "--choices=file", "--output=file", "-o-"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CHECK(heddle_repair_text(session, "a.fake", broken, strlen(broken), &bad[i], 1, &json, &repaired) == HEDDLE_USAGE);
    CHECK(json == NULL && repaired == NULL && contains(heddle_session_diagnostics(session), "[HD001]"));
  }
}

static void *cancel_soon(void *session) {
  heddle_session_cancel((heddle_session *)session);
  return NULL;
}

static void test_cancel(heddle_session *session) {
  pthread_t thread;
  char *json = NULL;
  CHECK(pthread_create(&thread, NULL, cancel_soon, session) == 0);
  CHECK(check(session, "slow\n", &json) == HEDDLE_INCONCLUSIVE);
  pthread_join(thread, NULL);
  CHECK(contains(json, "interrupted"));
  heddle_free(json);
  /* It stops one call only. The thread may have been late: then the next call takes it. */
  heddle_session_cancel(session);
  CHECK(check(session, "slow\n", &json) == HEDDLE_INCONCLUSIVE);
  heddle_free(json);
  const char *options[] = {"--timeout=50ms"};
  CHECK(heddle_check_text(session, "a.fake", "slow\n", 5, options, 1, &json) == HEDDLE_INCONCLUSIVE);
  CHECK(contains(json, "time limit"));
  heddle_free(json);
}

int main(void) {
  heddle_session *session = heddle_session_new();
  CHECK(session != NULL);
  if (session == NULL) {
    return 1;
  }
  test_version();
  test_verdicts(session);
  test_errors(session);
  test_options(session);
  test_explore(session);
  test_repair(session);
  test_repair_options(session);
  test_cancel(session);
  heddle_session_free(session);
  heddle_session_free(NULL);
  heddle_free(NULL);
  return failures == 0 ? 0 : 1;
}
