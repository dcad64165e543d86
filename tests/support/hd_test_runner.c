/* The runner behind hd_test_runner.h: runs every registered test in a child process and counts.
 *
 * A child runs init, the test and fini, and then leaves through exit(), so that a sanitizer's report at the end of the
 * process still turns into an exit code. The parent never makes a thread, so that each fork starts from a process with
 * one thread, which is what ThreadSanitizer asks for. A test passes when its child ends as the test said it would: by
 * default with exit code 0.
 *
 * Tests register themselves before main (a constructor for each); the lists are kept in order of registration. */
#include "tests/support/hd_test_runner.h"

#include "core/base/atomic.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_ASSERTION = 1, EXIT_SETUP = 125 };

static hdi_test *first_test, **last_test = &first_test;
static hdi_test_suite *first_suite, **last_suite = &first_suite;
static hd_atomic_u32 some_expectation_failed;

void hdi_test_add(hdi_test *test) {
  *last_test = test;
  last_test = &test->next;
}

void hdi_test_suite_add(hdi_test_suite *suite) {
  *last_suite = suite;
  last_suite = &suite->next;
}

void hdi_test_judge(bool fatal, bool holds, const char *condition, const char *file, int line, const char *format,
                    ...) {
  if (holds)
    return;
  char words[512] = "";
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  (void)fprintf(stderr, "%s:%d: failed: %s%s%s\n", file, line, condition, words[0] != '\0' ? ": " : "", words);
  if (fatal)
    _exit(EXIT_ASSERTION); /* from whatever thread; a race that was found has been printed already */
  hd_store_rlx(&some_expectation_failed, 1);
}

static const hdi_test_suite *suite_of(const hdi_test *test) {
  for (const hdi_test_suite *suite = first_suite; suite != NULL; suite = suite->next) {
    if (strcmp(suite->name, test->suite) == 0)
      return suite;
  }
  return NULL;
}

static void call(void (*function)(void)) {
  if (function != NULL)
    function();
}

static void run_in_child(const hdi_test *test, void *parameter) {
  const hdi_test_suite *suite = suite_of(test);
  if (suite != NULL)
    call(suite->options.init);
  call(test->options.init);
  test->run(parameter);
  call(test->options.fini);
  if (suite != NULL)
    call(suite->options.fini);
  exit(hd_load_rlx(&some_expectation_failed) ? EXIT_ASSERTION : EXIT_SUCCESS);
}

static bool ended_as_said(const hdi_test *test, int status) {
  if (test->options.signal != 0)
    return WIFSIGNALED(status) && WTERMSIG(status) == test->options.signal;
  return WIFEXITED(status) && WEXITSTATUS(status) == test->options.exit_code;
}

static bool passes(const hdi_test *test, void *parameter) {
  (void)fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    run_in_child(test, parameter);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    perror("hd_test_runner");
    exit(EXIT_SETUP);
  }
  if (ended_as_said(test, status))
    return true;
  (void)fprintf(stderr, "FAIL %s::%s (%s %d)\n", test->suite, test->name, WIFSIGNALED(status) ? "signal" : "exit",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return false;
}

int main(void) {
  size_t passed = 0;
  size_t failed = 0;
  for (const hdi_test *test = first_test; test != NULL; test = test->next) {
    const hdi_test_suite *suite = suite_of(test);
    if (test->options.disabled || (suite != NULL && suite->options.disabled))
      continue;
    struct criterion_test_params parameters = {0, NULL, 1, NULL};
    if (test->parameters != NULL)
      parameters = test->parameters();
    for (size_t i = 0; i < parameters.length; i++) {
      void *parameter = parameters.params == NULL ? NULL : (char *)parameters.params + i * parameters.size;
      if (passes(test, parameter))
        passed++;
      else
        failed++;
    }
    if (parameters.cleanup != NULL)
      parameters.cleanup(&parameters);
  }
  printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
