/* The test framework, included only through here.
 *
 * Normally Criterion, which runs every test in a process of its own. Criterion 2.4.1 aborts under ThreadSanitizer, so
 * there (HD_TEST_RUNNER, set by tests/CMakeLists.txt) the same names come from a small runner of ours: Test, TestSuite
 * and ParameterizedTest with .init, .fini, .signal, .exit_code and .disabled, and the cr_assert and cr_expect family.
 */
#ifndef HEDDLE_TESTS_SUPPORT_HD_TEST_H
#define HEDDLE_TESTS_SUPPORT_HD_TEST_H

#include "core/base/compiler.h"

/* How many of `n` random inputs a test tries: all of them, and a quarter under a sanitizer, which looks for other
 * faults and takes several times as long. */
#if HD_SANITIZER
#define HD_TEST_COUNT(n) ((n) / 4)
#else
#define HD_TEST_COUNT(n) (n)
#endif

#ifdef HD_TEST_RUNNER
#include "tests/support/hd_test_runner.h"
#else
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#endif

#endif
