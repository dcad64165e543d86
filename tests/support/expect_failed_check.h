/* Catches a failed HD_REQUIRE, HD_ASSERT or HD_INVARIANT:
 *
 *   EXPECT_FAILED_CHECK(hd_arena_alloc(NULL, 1));
 *
 * fails the test unless the expression ends in a failed check. */
#ifndef HEDDLE_TESTS_SUPPORT_EXPECT_FAILED_CHECK_H
#define HEDDLE_TESTS_SUPPORT_EXPECT_FAILED_CHECK_H

#include "core/base/check.h"
#include "tests/support/hd_test.h"

#include <setjmp.h>

static jmp_buf hdt_failed_check;
static const char *volatile hdt_failed_condition;

static inline void hdt_leave_failed_check(const char *file, int line, const char *condition) {
  (void)file;
  (void)line;
  hdt_failed_condition = condition;
  longjmp(hdt_failed_check, 1);
}

#define EXPECT_FAILED_CHECK(expression)                                          \
  do {                                                                           \
    hdt_failed_condition = NULL;                                                 \
    hd_check_set_handler(hdt_leave_failed_check);                                \
    if (setjmp(hdt_failed_check) == 0) {                                         \
      (void)(expression);                                                        \
    }                                                                            \
    hd_check_set_handler(NULL);                                                  \
    cr_assert(hdt_failed_condition != NULL, "no check failed: %s", #expression); \
  } while (0)

#endif
