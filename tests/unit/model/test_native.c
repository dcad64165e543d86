/* Native code gives the same successors in the same order as the general path, and its compiler may be missing, fail or
 * never end. */
#include "core/model/native.h"

#include "core/model/internal.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/model/bulk_compare.h"
#include "tests/unit/model/random_model.h"
#include "tests/unit/model/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODELS_MAX = 12 };

typedef struct compiled {
  hd_model *model;
  hd_native *native;
} compiled;

/* Compiles all models side by side, then compares each. Takes the models. */
static bulk_counts compare_models(hd_model *const *models, size_t count) {
  compiled all[MODELS_MAX];
  bulk_counts counts = {0};
  cr_assert_leq(count, (size_t)MODELS_MAX);
  for (size_t i = 0; i < count; i++) {
    all[i].model = models[i];
    cr_assert_eq(hd_native_begin(models[i], &all[i].native), HD_OK);
  }
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(hd_native_wait(all[i].native), HD_NATIVE_READY, "model %zu was not compiled", i);
    cr_assert_eq(hd_native_poll(all[i].native), HD_NATIVE_READY);
    compare_bulk(all[i].model, i + 1, all[i].native, &counts);
    hd_native_free(all[i].native);
    hd_model_free(all[i].model);
  }
  return counts;
}

Test(native, random_models_have_the_same_successors) {
  hd_model *models[MODELS_MAX];
  for (size_t i = 0; i < MODELS_MAX; i++) {
    models[i] = random_model(i + 1, i % 3 == 2, false);
  }
  bulk_counts counts = compare_models(models, MODELS_MAX);
  cr_assert_gt(counts.steps, 1000u, "only %zu steps were compared", counts.steps);
  cr_assert_gt(counts.odd, 20u, "only %zu states were odd", counts.odd);
}

Test(native, exclusive_locations_have_the_same_successors) {
  hd_model *models[MODELS_MAX];
  size_t count = 0;
  for (uint64_t seed = 1000; count < 5; seed++) {
    hd_model *model = random_model(seed, false, true);
    if (model->has_exclusive && !model->has_strong && !model->has_weak) {
      models[count++] = model;
    } else {
      hd_model_free(model);
    }
  }
  cr_assert_gt(compare_models(models, count).steps, 100u);
}

Test(native, workloads_have_the_same_successors) {
  hd_model *models[] = {hd_model_counter(3, 2),        hd_model_filter(4),   hd_model_ring(6, 0),   hd_model_star(5),
                        hd_model_rendezvous_dining(4), hd_model_pipeline(4), hd_model_chain(30, 20)};
  cr_assert_gt(compare_models(models, sizeof models / sizeof *models).steps, 1000u);
}

/* Values near the ends of 64 bits: faults of the arithmetic, in all operators. */
static hd_model *large_numbers(void) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  hd_loc a = add_loc(b, p, HD_LOC_EAGER), c = add_loc(b, p, 0);
  static const int64_t ends[] = {INT64_MIN, -3, -1, 0, 1, 2, 62, INT64_MAX};
  hd_var x = add_var(b, "x", 0, 7, 0), y = add_var(b, "y", 0, 7, 0), r = add_var(b, "r", -(1LL << 60), 1LL << 60, 0);
  hd_expr left = num(b, 5), right = num(b, 5);
  for (int i = 0; i < 8; i++) {
    left = hd_build_op(b, HD_OP_COND, is(b, x, i), num(b, ends[i]), left);
    right = hd_build_op(b, HD_OP_COND, is(b, y, i), num(b, ends[i]), right);
  }
  for (int o = HD_OP_ADD; o <= HD_OP_GE; o++) {
    hd_expr result = op2(b, (hd_op)o, left, right);
    hd_expr small = op2(b, HD_OP_MOD, result, num(b, 1000));
    add_do(b, c, a, op2(b, HD_OP_LE, rd(b, r), num(b, 100)), assign(r, small));
  }
  add_do(b, c, a, HD_NO_EXPR, assign(r, hd_build_op(b, HD_OP_NEG, left, HD_NO_EXPR, HD_NO_EXPR)));
  add_do(b, a, c, op2(b, HD_OP_NE, rd(b, x), num(b, 3)), assign(r, num(b, 0)));
  add_do(b, a, c, HD_NO_EXPR, assign(x, op2(b, HD_OP_MOD, op2(b, HD_OP_ADD, rd(b, x), num(b, 1)), num(b, 8))));
  add_do(b, c, c, HD_NO_EXPR, assign(y, op2(b, HD_OP_MOD, op2(b, HD_OP_ADD, rd(b, y), num(b, 1)), num(b, 8))));
  return finish(b);
}

Test(native, arithmetic_faults_in_the_same_places) {
  hd_model *model = large_numbers();
  bulk_counts counts = compare_models(&model, 1);
  cr_assert_gt(counts.odd, 20u);
  cr_assert_gt(counts.steps, 100u);
}

Test(native, protected_locations_are_not_compiled) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  hd_loc a = add_loc(b, p, HD_LOC_ATOMIC);
  add_skip(b, a, a);
  hd_model *model = finish(b);
  hd_native *native = NULL;
  cr_assert_eq(hd_native_begin(model, &native), HD_E_LIMIT);
  cr_assert_null(native);
  hd_model_free(model);
}

/* ---- compilers ---- */

static hd_native_state compile_with(const char *compiler, hd_status *begun) {
  cr_assert_eq(setenv("CC", compiler, 1), 0);
  hd_model *model = hd_model_counter(2, 2);
  hd_native *native = NULL;
  *begun = hd_native_begin(model, &native);
  hd_native_state state = *begun == HD_OK ? hd_native_wait(native) : HD_NATIVE_FAILED;
  hd_native_free(native);
  hd_model_free(model);
  return state;
}

Test(native, a_compiler_may_be_missing_or_fail) {
  hd_status begun;
  cr_assert_eq(compile_with("./no-such-compiler", &begun), HD_NATIVE_FAILED);
  cr_assert_eq(compile_with("false", &begun), HD_NATIVE_FAILED);
  cr_assert_eq(compile_with("true", &begun), HD_NATIVE_FAILED); /* says that it worked and made nothing */
  cr_assert_eq(compile_with("  ", &begun), HD_NATIVE_READY);    /* as if it were not given */
  cr_assert_eq(compile_with("env cc -O1", &begun), HD_NATIVE_READY);
}

static void full_path(const temp_folder *folder, const char *name, char *path, size_t size_bytes) {
  cr_assert_not_null(getcwd(path, size_bytes));
  size_t used = strlen(path);
  cr_assert_lt(snprintf(path + used, size_bytes - used, "/%s", temp_folder_path(folder, name)),
               (int)(size_bytes - used));
}

Test(native, a_compiler_that_does_not_end_is_stopped_and_leaves_nothing, .timeout = 60) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "slow", "#!/bin/sh\nsleep 1000\n");
  char path[4096];
  full_path(&folder, "slow", path, sizeof path);
  cr_assert_eq(chmod(path, 0700), 0);
  cr_assert_eq(setenv("CC", path, 1), 0);
  temp_folder_write_text(&folder, "tmp/keep", "");
  full_path(&folder, "tmp", path, sizeof path);
  cr_assert_eq(setenv("TMPDIR", path, 1), 0);
  hd_model *model = hd_model_counter(2, 2);
  hd_native *native = NULL;
  cr_assert_eq(hd_native_begin(model, &native), HD_OK);
  cr_assert_eq(hd_native_poll(native), HD_NATIVE_WORKING);
  hd_native_free(native);
  cr_assert_eq(unlink(temp_folder_path(&folder, "tmp/keep")), 0);
  cr_assert_eq(rmdir(path), 0, "the compiler's folder is still there");
  hd_model_free(model);
  temp_folder_remove(&folder);
}
