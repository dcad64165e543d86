/* The test framework, included only through here: Criterion (which aborts under ThreadSanitizer: see the TSan build). */
#ifndef HEDDLE_TESTS_SUPPORT_HD_TEST_H
#define HEDDLE_TESTS_SUPPORT_HD_TEST_H

#include <criterion/criterion.h>

#endif
