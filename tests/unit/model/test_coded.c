/* The fast path of models with code gives the same successors in the same order as the general one, and stands aside
 * for states with a fault or a failed check. */
#include "core/model/coded.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/unit/model/bulk_compare.h"
#include "tests/unit/model/random_model.h"
#include "tests/unit/model/walk.h"

#include <string.h>

Test(coded, random_models_have_the_same_successors) {
  bulk_counts counts = {0};
  for (uint64_t seed = 1; seed <= 400; seed++) {
    hd_model *model = random_model(seed, false, false);
    cr_assert_not_null(model->coded);
    compare_bulk(model, seed, NULL, &counts);
    hd_model_free(model);
  }
  cr_assert_gt(counts.steps, 20000u, "only %zu steps were compared", counts.steps);
  cr_assert_gt(counts.odd, 1000u, "only %zu states were odd", counts.odd);
}

Test(coded, random_models_in_stack_code_have_the_same_successors) {
  bulk_counts counts = {0};
  for (uint64_t seed = 500; seed <= 700; seed++) {
    hd_model *model = random_model(seed, true, false);
    compare_bulk(model, seed, NULL, &counts);
    hd_model_free(model);
  }
  cr_assert_gt(counts.steps, 20000u, "only %zu steps were compared", counts.steps);
}

/* Models with protected locations have no fast path; the others here have exclusive ones. */
Test(coded, exclusive_locations_have_the_same_successors) {
  bulk_counts counts = {0};
  unsigned exclusive = 0;
  for (uint64_t seed = 1000; seed <= 1600; seed++) {
    hd_model *model = random_model(seed, false, true);
    if (model->has_exclusive && !model->has_strong && !model->has_weak) {
      exclusive++;
      compare_bulk(model, seed, NULL, &counts);
    } else if (model->has_strong || model->has_weak) {
      cr_assert_null(model->coded);
    }
    hd_model_free(model);
  }
  cr_assert_gt(exclusive, 50u, "only %u models had exclusive locations", exclusive);
  cr_assert_gt(counts.steps, 5000u, "only %zu steps were compared", counts.steps);
}

/* ---- what diagrams are for ---- */

typedef struct leaves {
  size_t effects, interpreted;
} leaves;

static leaves count_leaves(const hd_model *model) {
  leaves counted = {0};
  for (size_t i = 0; i < model->coded->rules.count; i++) {
    hdi_coded_entry root = model->coded->rules.data[i].root;
    bool interpreted = root.word == HDI_CODED_SPECIAL && (root.base == HDI_CODED_ALL || root.base == HDI_CODED_BODY);
    counted.interpreted += interpreted;
    counted.effects += !interpreted;
  }
  return counted;
}

Test(coded, workloads_are_not_interpreted) {
  hd_model *models[] = {hd_model_counter(3, 2), hd_model_filter(3), hd_model_filter(6)};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    leaves counted = count_leaves(models[i]);
    cr_assert(models[i]->coded->rooted);
    cr_assert_eq(counted.interpreted, 0u);
    cr_assert_gt(counted.effects, 0u);
    bulk_counts counts = {0};
    compare_bulk(models[i], i + 1, NULL, &counts);
    cr_assert_gt(counts.steps, 100u);
    hd_model_free(models[i]);
  }
}

/* x (large), y := x * y, both read: no diagram; the guard on the small z has one. */
static hd_model *large_domains(bool large_guard) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 2, 2);
  hd_loc a = add_loc(b, p, 0), c = add_loc(b, p, 0);
  hd_var x = add_var(b, "x", 0, 100000, 3), y = add_var(b, "y", -5, 100000, 5), z = add_var(b, "z", 0, 9, 0);
  hd_expr small = op2(b, HD_OP_LT, op2(b, HD_OP_MUL, rd(b, z), rd(b, z)), num(b, 40));
  hd_expr large = op2(b, HD_OP_LT, op2(b, HD_OP_ADD, rd(b, x), rd(b, y)), num(b, 90000));
  hd_stmt grow[2] = {assign(y, op2(b, HD_OP_SUB, op2(b, HD_OP_MUL, rd(b, x), rd(b, y)), num(b, 7))),
                     assign(z, op2(b, HD_OP_ADD, rd(b, z), num(b, 1)))};
  add_edge(b, a, c, large_guard ? large : small, grow, 2);
  add_do(b, c, a, HD_NO_EXPR, assign(x, op2(b, HD_OP_MOD, rd(b, y), num(b, 1000))));
  return finish(b);
}

Test(coded, large_domains_are_interpreted) {
  for (int large_guard = 0; large_guard < 2; large_guard++) {
    hd_model *model = large_domains(large_guard == 1);
    cr_assert_gt(count_leaves(model).interpreted, 0u);
    bulk_counts counts = {0};
    compare_bulk(model, 7, NULL, &counts);
    cr_assert_gt(counts.steps, 10u);
    hd_model_free(model);
  }
}

/* A state of 260 words, of which one step reads the last: nodes name their word in 8 bits. */
Test(coded, very_wide_states_have_the_same_successors) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  hd_loc a = add_loc(b, p, 0);
  for (int i = 0; i < 260; i++) {
    add_var(b, "wide", 0, INT64_MAX, i);
  }
  hd_var x[12];
  for (int i = 0; i < 12; i++) {
    x[i] = add_var(b, "x", 0, 5, i % 3);
    add_var(b, "wide", 0, ((int64_t)1 << 61) - 1, i);
  }
  for (int i = 0; i < 12; i++) {
    hd_stmt move[2] = {assign(x[i], op2(b, HD_OP_ADD, rd(b, x[(i + 1) % 12]), num(b, 1))), set(b, x[(i + 1) % 12], 0)};
    add_edge(b, a, a, op2(b, HD_OP_LE, rd(b, x[i]), rd(b, x[(i + 5) % 12])), move, 2);
  }
  hd_model *model = finish(b);
  cr_assert_gt(hd_model_words(model), 256u);
  bulk_counts counts = {0};
  compare_bulk(model, 3, NULL, &counts);
  cr_assert_gt(counts.steps, 100u);
  hd_model_free(model);
}

/* Processes whose locations lie in words that a node cannot name: their groups are looked up. */
Test(coded, locations_in_far_words_have_the_same_successors) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1), far = add_process(b, "far", 260, 260);
  hd_loc a = add_loc(b, p, 0), from = add_loc(b, far, 0), to = add_loc(b, far, 0);
  hd_var x = add_var(b, "x", 0, 5, 1);
  hd_var wide = hd_build_var(
      b, &(hd_var_desc){.name = "wide", .lo = 0, .hi = ((int64_t)1 << 62) - 1, .length = 1, .process = far});
  add_do(b, a, a, HD_NO_EXPR, assign(x, op2(b, HD_OP_MOD, op2(b, HD_OP_MUL, rd(b, x), num(b, 2)), num(b, 5))));
  hd_expr may = op2(b, HD_OP_LT, op2(b, HD_OP_ADD, rd(b, x), num(b, 1)), num(b, 4));
  add_do(b, from, to, may, assign(wide, hd_build_self(b)));
  hd_model *model = finish(b);
  cr_assert_not_null(model->coded);
  cr_assert(!model->coded->rooted);
  bulk_counts counts = {0};
  compare_bulk(model, 5, NULL, &counts);
  cr_assert_gt(counts.steps, 100u);
  hd_model_free(model);
}

/* An eager process with code: it makes the only steps exactly when its guard holds, or faults. */
Test(coded, eager_locations_have_the_same_successors) {
  hd_builder *b = hd_builder_new();
  hd_var x = add_var(b, "x", 0, 4, 0), y = add_var(b, "y", 0, 4, 1);
  hd_process p = add_process(b, "p", 2, 2), q = add_process(b, "q", 1, 1);
  hd_loc p0 = add_loc(b, p, HD_LOC_EAGER), p1 = add_loc(b, p, 0);
  hd_loc q0 = add_loc(b, q, 0);
  add_edge(b, p0, p1, op2(b, HD_OP_LT, op2(b, HD_OP_DIV, num(b, 4), rd(b, x)), rd(b, y)), NULL, 0);
  add_do(b, p1, p0, HD_NO_EXPR, assign(y, op2(b, HD_OP_MOD, op2(b, HD_OP_ADD, rd(b, y), num(b, 1)), num(b, 5))));
  add_do(b, q0, q0, HD_NO_EXPR, assign(x, op2(b, HD_OP_MOD, op2(b, HD_OP_ADD, rd(b, x), num(b, 1)), num(b, 5))));
  hd_model *model = finish(b);
  cr_assert_not_null(model->coded);
  bulk_counts counts = {0};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    compare_bulk(model, seed, NULL, &counts);
  }
  cr_assert_gt(counts.steps, 100u);
  cr_assert_gt(counts.odd, 20u);
  hd_model_free(model);
}

/* ---- memory ---- */

static hd_status build_with_failure(uint64_t failing, uint64_t *asked) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 2, 2);
  hd_loc a = add_loc(b, p, 0);
  hd_var x = add_array(b, "x", 0, 3, 0, 3);
  hd_expr at = hd_build_read_at(b, x, hd_build_self(b));
  hd_stmt move = {.kind = HD_STMT_ASSIGN, .var = x, .index = at, .a = op2(b, HD_OP_MUL, at, num(b, 2))};
  add_edge(b, a, a, op2(b, HD_OP_LT, at, num(b, 2)), &move, 1);
  hd_model *model = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_builder_finish(b, &model);
  *asked = hd_fail_alloc_stop();
  cr_assert_eq(model == NULL, status != HD_OK);
  hd_model_free(model);
  return status;
}

Test(coded, every_allocation_may_fail) {
  hd_fail_alloc_exhaust(build_with_failure);
}
