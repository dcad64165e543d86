/* The runner that stands in for Criterion must see what fails: half of these tests are wrong on purpose, and the test
 * of this program is its closing line. */
#include "tests/support/hd_test.h"

#include <stdlib.h>

static int prepared;
static void prepare(void) {
  prepared++;
}

TestSuite(with_init, .init = prepare);

Test(right, holds) {
  cr_assert(true);
  cr_assert_eq(1 + 1, 2, "arithmetic of %d", 1);
  cr_assert_str_eq("a", "a");
  cr_assert_arr_eq("abc", "abd", 2);
  cr_assert_float_eq(1.0, 1.05, 0.1);
  cr_expect_geq(2, 2);
}
Test(right, dies_as_said, .signal = SIGABRT) {
  abort();
}
Test(right, exits_as_said, .exit_code = 7) {
  exit(7);
}
Test(right, own_init, .init = prepare) {
  cr_assert_eq(prepared, 1);
}
Test(with_init, both_inits, .init = prepare) {
  cr_assert_eq(prepared, 2);
}
Test(wrong, not_run, .disabled = true) {
  cr_assert_fail();
}

Test(wrong, assertion_ends_the_test) {
  cr_assert_lt(2, 1, "words");
  exit(0);
}
Test(wrong, expectation_lets_it_go_on) {
  cr_expect_not_null(NULL);
}
Test(wrong, dies) {
  abort();
}
Test(wrong, does_not_die, .signal = SIGABRT) {
  cr_assert_null(NULL);
}
Test(wrong, string) {
  cr_assert_str_eq("a", "b");
}
Test(wrong, failure) {
  cr_fail("on purpose");
}

static int numbers[] = {2, 4, 6, 7, 8};
ParameterizedTestParameters(numbers, are_even) {
  return cr_make_param_array(int, numbers, sizeof numbers / sizeof numbers[0]);
}
ParameterizedTest(const int *number, numbers, are_even) {
  cr_assert_eq(*number % 2, 0, "%d is odd", *number);
}
