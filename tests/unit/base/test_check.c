/* The three levels of checks, and status words. */
#undef NDEBUG
#undef HEDDLE_CHECK
#define HEDDLE_CHECK 2
#include "core/base/status.h"
#include "tests/support/expect_failed_check.h"
#include "tests/unit/base/check_off.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int seen_line;
static const char *seen_file, *seen_condition;

static void record(const char *file, int line, const char *condition) {
  seen_file = file;
  seen_line = line;
  seen_condition = condition;
  longjmp(hdt_failed_check, 1);
}

static void hold(void) {
  HD_REQUIRE(1 + 1 == 2);
  HD_ASSERT(1 + 1 == 2);
  HD_INVARIANT(1 + 1 == 2);
}

static void fail_assert(void) {
  HD_ASSERT(1 + 1 == 3);
}

static void fail_invariant(void) {
  HD_INVARIANT(1 + 1 == 3);
}

Test(check, what_holds_goes_on) {
  hd_check_set_handler(record);
  if (setjmp(hdt_failed_check) == 0) {
    hold();
  } else {
    cr_assert(false, "a true condition failed: %s", seen_condition);
  }
  hd_check_set_handler(NULL);
}

Test(check, all_levels_fail_when_compiled_in) {
  EXPECT_FAILED_CHECK(check_off_require(2));
  EXPECT_FAILED_CHECK(fail_assert());
  EXPECT_FAILED_CHECK(fail_invariant());
}

Test(check, asserts_and_invariants_cost_nothing_when_off) {
  cr_assert(check_off_evaluations() == 0);
}

Test(check, the_handler_is_told_where) {
  hd_check_set_handler(record);
  int line = __LINE__ + 2;
  if (setjmp(hdt_failed_check) == 0) {
    HD_REQUIRE(line == 0);
    cr_assert(false, "not reached");
  }
  hd_check_set_handler(NULL);
  cr_assert(seen_line == line);
  cr_assert_str_eq(seen_condition, "line == 0");
  const char *name = strrchr(seen_file, '/');
  cr_assert_str_eq(name == NULL ? seen_file : name + 1, "test_check.c");
}

static void return_quietly(const char *file, int line, const char *condition) {
  (void)file;
  (void)line;
  (void)condition;
}

/* The signal that a failed check ends a process with. */
static int fatal_signal(hd_check_handler handler) {
  pid_t child = fork();
  if (child == 0) {
    hd_check_set_handler(handler);
    (void)signal(SIGABRT, SIG_DFL);
    check_off_require(2);
    _exit(0);
  }
  int state = 0;
  cr_assert(child > 0 && waitpid(child, &state, 0) == child);
  return WIFSIGNALED(state) ? WTERMSIG(state) : 0;
}

Test(check, without_a_handler_or_after_it_the_process_aborts) {
  cr_assert(fatal_signal(NULL) == SIGABRT);
  cr_assert(fatal_signal(return_quietly) == SIGABRT);
}

Test(status, every_status_has_words_of_its_own) {
  static const hd_status all[] = {
#define STATUS_VALUE(name, words) name,
      HD_STATUS_TABLE(STATUS_VALUE)
#undef STATUS_VALUE
  };
  size_t count = sizeof all / sizeof all[0];
  cr_assert(HD_OK == 0 && count == 8);
  for (size_t i = 0; i < count; i++) {
    cr_assert(strlen(hd_status_words(all[i])) > 3);
    for (size_t k = 0; k < i; k++) {
      cr_assert(strcmp(hd_status_words(all[i]), hd_status_words(all[k])) != 0);
    }
  }
  cr_assert_str_eq(hd_status_words(HD_E_NOMEM), "out of memory");
  cr_assert_str_eq(hd_status_words((hd_status)count), "unknown status");
  cr_assert_str_eq(hd_status_words((hd_status)99), "unknown status");
}
