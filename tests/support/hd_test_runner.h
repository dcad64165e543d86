/* Criterion's names on a small runner of ours, for builds in which Criterion cannot run; see hd_test.h.
 *
 * A failed cr_assert ends its test (from any thread); a failed cr_expect lets it go on. The words after the condition
 * are a printf format, which must be a literal, and its arguments. */
#ifndef HEDDLE_TESTS_SUPPORT_HD_TEST_RUNNER_H
#define HEDDLE_TESTS_SUPPORT_HD_TEST_RUNNER_H

/* As for Criterion's own header: macros with an empty `...` are an extension, and no business of the including file. */
#pragma GCC system_header

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct criterion_test_params {
  size_t size; /* of one parameter */
  void *params;
  size_t length;
  void (*cleanup)(struct criterion_test_params *params);
};

typedef struct hdi_test_options {
  int given; /* always 0: lets the macros put a comma in front of the caller's designators */
  void (*init)(void);
  void (*fini)(void);
  int signal;    /* the signal the test must die of; 0: none */
  int exit_code; /* the code the test must exit with */
  bool disabled;
  double timeout; /* accepted; the time limit is CTest's */
  const char *description;
} hdi_test_options;

typedef struct hdi_test {
  const char *suite, *name;
  void (*run)(void *parameter);
  struct criterion_test_params (*parameters)(void); /* NULL: one run without a parameter */
  hdi_test_options options;
  struct hdi_test *next;
} hdi_test;

typedef struct hdi_test_suite {
  const char *name;
  hdi_test_options options;
  struct hdi_test_suite *next;
} hdi_test_suite;

void hdi_test_add(hdi_test *test);
void hdi_test_suite_add(hdi_test_suite *suite);
/* Reports a condition that is false; a fatal one ends the test. */
void hdi_test_judge(bool fatal, bool holds, const char *condition, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#define HDI_TEST_REGISTER(suite_, name_, run_, parameters_, ...)                                                   \
  static hdi_test suite_##_##name_##_test = {#suite_, #name_, run_, parameters_, {.given = 0, __VA_ARGS__}, NULL}; \
  __attribute__((constructor)) static void suite_##_##name_##_register(void) {                                     \
    hdi_test_add(&suite_##_##name_##_test);                                                                        \
  }

#define Test(suite_, name_, ...)                                              \
  static void suite_##_##name_##_body(void);                                  \
  static void suite_##_##name_##_run(void *parameter) {                       \
    (void)parameter;                                                          \
    suite_##_##name_##_body();                                                \
  }                                                                           \
  HDI_TEST_REGISTER(suite_, name_, suite_##_##name_##_run, NULL, __VA_ARGS__) \
  static void suite_##_##name_##_body(void)

#define ParameterizedTestParameters(suite_, name_) \
  static struct criterion_test_params suite_##_##name_##_parameters(void)
#define ParameterizedTest(parameter_, suite_, name_, ...)                                              \
  static void suite_##_##name_##_body(parameter_);                                                     \
  static void suite_##_##name_##_run(void *parameter) {                                                \
    suite_##_##name_##_body(parameter);                                                                \
  }                                                                                                    \
  HDI_TEST_REGISTER(suite_, name_, suite_##_##name_##_run, suite_##_##name_##_parameters, __VA_ARGS__) \
  static void suite_##_##name_##_body(parameter_)
#define cr_make_param_array(type_, array_, length_, ...) \
  ((struct criterion_test_params){sizeof(type_), (void *)(array_), (length_), __VA_ARGS__})

#define TestSuite(suite_, ...)                                             \
  static hdi_test_suite suite_##_suite;                                    \
  __attribute__((constructor)) static void suite_##_suite_register(void) { \
    hdi_test_suite_add(&suite_##_suite);                                   \
  }                                                                        \
  static hdi_test_suite suite_##_suite = {#suite_, {.given = 0, __VA_ARGS__}, NULL}

#define HDI_TEST_JUDGE(fatal_, condition_, words_, ...) \
  hdi_test_judge(fatal_, (condition_), words_, __FILE__, __LINE__, "" __VA_ARGS__)
#define HDI_TEST_STRINGS_EQUAL(a_, b_) (strcmp((a_), (b_)) == 0)
#define HDI_TEST_NEAR(a_, b_, epsilon_) (fabs((double)(a_) - (double)(b_)) <= (double)(epsilon_))

#define cr_assert(c_, ...) HDI_TEST_JUDGE(true, (c_), #c_, __VA_ARGS__)
#define cr_assert_not(c_, ...) HDI_TEST_JUDGE(true, !(c_), "not " #c_, __VA_ARGS__)
#define cr_assert_eq(a_, b_, ...) HDI_TEST_JUDGE(true, (a_) == (b_), #a_ " == " #b_, __VA_ARGS__)
#define cr_assert_neq(a_, b_, ...) HDI_TEST_JUDGE(true, (a_) != (b_), #a_ " != " #b_, __VA_ARGS__)
#define cr_assert_lt(a_, b_, ...) HDI_TEST_JUDGE(true, (a_) < (b_), #a_ " < " #b_, __VA_ARGS__)
#define cr_assert_leq(a_, b_, ...) HDI_TEST_JUDGE(true, (a_) <= (b_), #a_ " <= " #b_, __VA_ARGS__)
#define cr_assert_gt(a_, b_, ...) HDI_TEST_JUDGE(true, (a_) > (b_), #a_ " > " #b_, __VA_ARGS__)
#define cr_assert_geq(a_, b_, ...) HDI_TEST_JUDGE(true, (a_) >= (b_), #a_ " >= " #b_, __VA_ARGS__)
#define cr_assert_null(a_, ...) HDI_TEST_JUDGE(true, (a_) == NULL, #a_ " is null", __VA_ARGS__)
#define cr_assert_not_null(a_, ...) HDI_TEST_JUDGE(true, (a_) != NULL, #a_ " is not null", __VA_ARGS__)
#define cr_assert_str_eq(a_, b_, ...) \
  HDI_TEST_JUDGE(true, HDI_TEST_STRINGS_EQUAL(a_, b_), #a_ " equals " #b_, __VA_ARGS__)
#define cr_assert_str_neq(a_, b_, ...) \
  HDI_TEST_JUDGE(true, !HDI_TEST_STRINGS_EQUAL(a_, b_), #a_ " differs from " #b_, __VA_ARGS__)
#define cr_assert_str_empty(a_, ...) HDI_TEST_JUDGE(true, (a_)[0] == '\0', #a_ " is empty", __VA_ARGS__)
#define cr_assert_str_not_empty(a_, ...) HDI_TEST_JUDGE(true, (a_)[0] != '\0', #a_ " is not empty", __VA_ARGS__)
#define cr_assert_arr_eq(a_, b_, size_, ...) \
  HDI_TEST_JUDGE(true, memcmp((a_), (b_), (size_)) == 0, #a_ " equals " #b_, __VA_ARGS__)
#define cr_assert_arr_neq(a_, b_, size_, ...) \
  HDI_TEST_JUDGE(true, memcmp((a_), (b_), (size_)) != 0, #a_ " differs from " #b_, __VA_ARGS__)
#define cr_assert_float_eq(a_, b_, epsilon_, ...) \
  HDI_TEST_JUDGE(true, HDI_TEST_NEAR(a_, b_, epsilon_), #a_ " is near " #b_, __VA_ARGS__)
#define cr_assert_fail(...) HDI_TEST_JUDGE(true, false, "reached", __VA_ARGS__)
#define cr_fail(...) HDI_TEST_JUDGE(false, false, "reached", __VA_ARGS__)

#define cr_expect(c_, ...) HDI_TEST_JUDGE(false, (c_), #c_, __VA_ARGS__)
#define cr_expect_not(c_, ...) HDI_TEST_JUDGE(false, !(c_), "not " #c_, __VA_ARGS__)
#define cr_expect_eq(a_, b_, ...) HDI_TEST_JUDGE(false, (a_) == (b_), #a_ " == " #b_, __VA_ARGS__)
#define cr_expect_neq(a_, b_, ...) HDI_TEST_JUDGE(false, (a_) != (b_), #a_ " != " #b_, __VA_ARGS__)
#define cr_expect_lt(a_, b_, ...) HDI_TEST_JUDGE(false, (a_) < (b_), #a_ " < " #b_, __VA_ARGS__)
#define cr_expect_leq(a_, b_, ...) HDI_TEST_JUDGE(false, (a_) <= (b_), #a_ " <= " #b_, __VA_ARGS__)
#define cr_expect_gt(a_, b_, ...) HDI_TEST_JUDGE(false, (a_) > (b_), #a_ " > " #b_, __VA_ARGS__)
#define cr_expect_geq(a_, b_, ...) HDI_TEST_JUDGE(false, (a_) >= (b_), #a_ " >= " #b_, __VA_ARGS__)
#define cr_expect_null(a_, ...) HDI_TEST_JUDGE(false, (a_) == NULL, #a_ " is null", __VA_ARGS__)
#define cr_expect_not_null(a_, ...) HDI_TEST_JUDGE(false, (a_) != NULL, #a_ " is not null", __VA_ARGS__)
#define cr_expect_str_eq(a_, b_, ...) \
  HDI_TEST_JUDGE(false, HDI_TEST_STRINGS_EQUAL(a_, b_), #a_ " equals " #b_, __VA_ARGS__)
#define cr_expect_str_neq(a_, b_, ...) \
  HDI_TEST_JUDGE(false, !HDI_TEST_STRINGS_EQUAL(a_, b_), #a_ " differs from " #b_, __VA_ARGS__)
#define cr_expect_arr_eq(a_, b_, size_, ...) \
  HDI_TEST_JUDGE(false, memcmp((a_), (b_), (size_)) == 0, #a_ " equals " #b_, __VA_ARGS__)
#define cr_expect_float_eq(a_, b_, epsilon_, ...) \
  HDI_TEST_JUDGE(false, HDI_TEST_NEAR(a_, b_, epsilon_), #a_ " is near " #b_, __VA_ARGS__)
#define cr_log_info(...) ((void)fprintf(stderr, __VA_ARGS__), (void)fputc('\n', stderr))
#define cr_log_warn cr_log_info
#define cr_log_error cr_log_info

#endif
