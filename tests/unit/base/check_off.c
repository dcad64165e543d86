/* The checks as a release build sees them: HD_ASSERT and HD_INVARIANT off, HD_REQUIRE on. */
#undef NDEBUG
#define NDEBUG 1
#undef HEDDLE_CHECK
#define HEDDLE_CHECK 1
#include "tests/unit/base/check_off.h"

#include "core/base/check.h"

int check_off_evaluate(int *evaluations, int result) {
  ++*evaluations;
  return result;
}

int check_off_evaluations(void) {
  int evaluations = 0;
  HD_ASSERT(check_off_evaluate(&evaluations, 0));
  HD_INVARIANT(check_off_evaluate(&evaluations, 0));
  return evaluations;
}

void check_off_require(int value) {
  HD_REQUIRE(value == 1);
}
