#ifndef HEDDLE_TESTS_UNIT_BASE_CHECK_OFF_H
#define HEDDLE_TESTS_UNIT_BASE_CHECK_OFF_H

/* Counts a call and returns `result`; not static, since a file with the checks off never calls it. */
int check_off_evaluate(int *evaluations, int result);
/* How many conditions of failing HD_ASSERT and HD_INVARIANT were evaluated. */
int check_off_evaluations(void);
/* HD_REQUIRE(value == 1). */
void check_off_require(int value);

#endif
