/* Searches over classes of states: the same verdicts and costs as over states, real counterexamples, fewer states; and
 * which process types are recognised. */
#include "core/explore/explore.h"
#include "tests/support/hd_test.h"
#include "tests/support/outcomes.h"
#include "tests/unit/model/random_model.h"
#include "tests/unit/model/walk.h"

/* `n` instances of one type: [i < k: t = x], then [x = t + 1; t = 0; i = i + 1]; x has no room for n * k when `tight`.
 */
static hd_model *counters(uint32_t n, int64_t k, bool tight, bool numbered) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "thread", n, n);
  hd_var x = add_var(b, "x", 0, tight ? k : (int64_t)n * k, 0);
  hd_var t = add_local(b, p, "t", 0, (int64_t)n * k, 0), i = add_local(b, p, "i", 0, k, 0);
  hd_loc read = add_loc(b, p, 0), write = add_loc(b, p, 0);
  hd_expr more = op2(b, HD_OP_LT, rd(b, i), num(b, k));
  if (numbered) { /* always true, but it uses the number */
    more = op2(b, HD_OP_AND, more, op2(b, HD_OP_GE, op2(b, HD_OP_ADD, hd_build_self(b), rd(b, i)), num(b, 0)));
  }
  add_do(b, read, write, more, assign(t, rd(b, x)));
  hd_stmt stmts[3] = {assign(x, op2(b, HD_OP_ADD, rd(b, t), num(b, 1))), set(b, t, 0),
                      assign(i, op2(b, HD_OP_ADD, rd(b, i), num(b, 1)))};
  add_edge(b, write, read, HD_NO_EXPR, stmts, 3);
  return finish(b);
}

static hd_outcome run(const hd_model *model, bool symmetry, hd_reduce reduction) {
  hd_search search = {.model = model, .symmetry = symmetry, .reduction = reduction};
  hd_want_all_traces(&search);
  hd_outcome outcome;
  hd_run_on_all_counts(&search, &outcome);
  cr_assert_eq(outcome.end, HD_END_COMPLETE);
  return outcome;
}

/* Same verdicts, and for all that is said to be shortest the same costs. Returns the states saved. */
static uint64_t compare(const hd_model *model, hd_reduce reduction) {
  hd_outcome full = run(model, false, HD_REDUCE_NOTHING), less = run(model, true, reduction);
  cr_assert_leq(less.states, full.states);
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    const hd_found *a = &full.found[slot], *b = &less.found[slot];
    bool stop = slot >= HD_SLOT_STOP(0) && slot < HD_SLOT_STOP(HD_STOP_KIND_MAX);
    if (reduction == HD_REDUCE_FOR_DEADLOCKS && !stop) {
      continue;
    }
    cr_assert_eq(a->count > 0, b->count > 0, "slot %u", slot);
    cr_assert_leq(b->count, a->count, "slot %u", slot);
    cr_assert(!b->shortest || a->level == b->level, "slot %u", slot);
    cr_assert_eq(b->trace_status, HD_OK);
    cr_assert_eq(b->trace != NULL, b->count > 0);
  }
  uint64_t saved = full.states - less.states;
  hd_outcome_clear(&full);
  hd_outcome_clear(&less);
  return saved;
}

Test(symmetry, like_counters_are_exchanged) {
  for (uint32_t n = 2; n <= 4; n++) {
    for (uint32_t tight = 0; tight < 2; tight++) {
      hd_model *model = counters(n, 2, tight != 0, false);
      cr_assert_gt(compare(model, HD_REDUCE_NOTHING), 0u);
      cr_assert_gt(compare(model, HD_REDUCE_FOR_DEADLOCKS), 0u);
      cr_assert_gt(compare(model, HD_REDUCE_FOR_CHECKS), 0u);
      hd_model_free(model);
    }
  }
}

/* n processes that step through l locations: states are l^n, classes the multisets C(n + l - 1, n). */
Test(symmetry, classes_are_multisets) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 5, 5);
  hd_loc locs[4];
  for (uint32_t l = 0; l < 4; l++) {
    locs[l] = add_loc(b, p, 0);
  }
  for (uint32_t l = 0; l < 3; l++) {
    add_skip(b, locs[l], locs[l + 1]);
  }
  hd_model *model = finish(b);
  hd_outcome full = run(model, false, HD_REDUCE_NOTHING), less = run(model, true, HD_REDUCE_NOTHING);
  cr_assert_eq(full.states, 1024u);
  cr_assert_eq(less.states, 56u);
  cr_assert_eq(less.symmetric_types, 1u);
  cr_assert_eq(less.found[HD_SLOT_STOP(1)].level, 15u);
  cr_assert_eq(less.found[HD_SLOT_STOP(1)].trace->length, 15u);
  hd_outcome_clear(&full);
  hd_outcome_clear(&less);
  hd_model_free(model);
}

static uint32_t types_of(hd_model *model) {
  hd_symmetry *symmetry;
  cr_assert_eq(hd_symmetry_new(model, &symmetry), HD_OK);
  uint32_t types = symmetry == NULL ? 0 : hd_symmetry_types(symmetry);
  hd_symmetry_free(symmetry);
  hd_model_free(model);
  return types;
}

static hd_model *watched(bool asked) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 2, 2), q = add_process(b, "q", 1, 1);
  hd_loc p0 = add_loc(b, p, 0), p1 = add_loc(b, p, 0), q0 = add_loc(b, q, 0), q1 = add_loc(b, q, 0);
  add_skip(b, p0, p1);
  add_edge(b, q0, q1, asked ? hd_build_at(b, 1, p1) : HD_NO_EXPR, NULL, 0);
  return finish(b);
}

Test(symmetry, who_is_named_is_not_exchanged) {
  cr_assert_eq(types_of(counters(3, 2, false, false)), 1u);
  cr_assert_eq(types_of(counters(3, 2, false, true)), 0u);
  cr_assert_eq(types_of(counters(1, 2, false, false)), 0u);
  cr_assert_eq(types_of(watched(false)), 1u);
  cr_assert_eq(types_of(watched(true)), 0u);
}

Test(symmetry, random_models) {
  uint64_t saved = 0, symmetric = 0;
  for (uint64_t seed = 1; seed <= 600; seed++) {
    hd_model *model = random_model(seed, seed % 3 == 0, seed % 2 == 0);
    hd_search search = {.model = model, .threads = 1, .states_budget = 3000, .symmetry = true};
    hd_outcome outcome;
    cr_assert_eq(hd_explore(&search, &outcome), HD_OK);
    bool small = outcome.end == HD_END_COMPLETE && outcome.symmetric_types > 0;
    hd_outcome_clear(&outcome);
    if (small) {
      symmetric++;
      saved += compare(model, HD_REDUCE_NOTHING);
      compare(model, HD_REDUCE_FOR_CHECKS);
    }
    hd_model_free(model);
  }
  cr_assert_gt(symmetric, 10u, "only %llu models", (unsigned long long)symmetric);
  cr_assert_gt(saved, 20u, "only %llu states saved", (unsigned long long)saved);
}
