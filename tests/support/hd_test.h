/* The test framework, included only through here.
 *
 * Normally Criterion, which runs every test in a process of its own. Criterion 2.4.1 aborts under ThreadSanitizer, so
 * there (HD_TEST_RUNNER, set by tests/CMakeLists.txt) the same names come from a small runner of ours: Test, TestSuite
 * and ParameterizedTest with .init, .fini, .signal, .exit_code and .disabled, and the cr_assert and cr_expect family.
 */
#ifndef HEDDLE_TESTS_SUPPORT_HD_TEST_H
#define HEDDLE_TESTS_SUPPORT_HD_TEST_H

#ifdef HD_TEST_RUNNER
#include "tests/support/hd_test_runner.h"
#else
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#endif

#endif
