/* Findings: the least in (level, state order, step order), whoever met it. */
#include "core/explore/found.h"

#include "tests/support/hd_test.h"
#include "tests/support/models.h"

#include <string.h>

static hd_model *two_words(void) {
  return hd_model_chain(9, 2);
}

static void init(hdi_finds *finds, const hd_model *model) {
  cr_assert_eq(hdi_finds_init(finds, model), HD_OK);
}

/* Adds step number `ordinal` of state (0, low) of level `level`. */
static void add_step(hdi_finds *finds, uint64_t level, uint64_t low, uint64_t ordinal, uint32_t weight, bool has_next) {
  const uint64_t state[2] = {0, low};
  const uint64_t next[2] = {1, low};
  hd_step step = {.weight = weight, .fault_detail = (uint32_t)ordinal};
  hdi_finds_add_step(finds, 3, level, state, ordinal, &step, has_next ? next : NULL);
}

Test(found, level_comes_before_state_and_state_before_step) {
  hd_model *model = two_words();
  hdi_finds finds;
  init(&finds, model);
  const hdi_find *find = &finds.slots[3];
  add_step(&finds, 7, 5, 2, 1, true);
  cr_assert_eq(find->level, 8);
  cr_assert_eq(find->state_level, 7);
  add_step(&finds, 7, 6, 1, 1, true); /* a greater state */
  cr_assert_eq(find->state[1], 5);
  add_step(&finds, 7, 5, 1, 1, true); /* an earlier step */
  cr_assert_eq(find->step.fault_detail, 1);
  add_step(&finds, 7, 4, 9, 1, false); /* a lesser state */
  cr_assert_eq(find->state[1], 4);
  cr_assert_not(find->has_next);
  add_step(&finds, 7, 8, 3, 0, true); /* one weight less: a lower level */
  cr_assert_eq(find->level, 7);
  cr_assert_eq(find->state[1], 8);
  cr_assert_eq(find->next[0], 1);
  cr_assert(find->has_next);
  add_step(&finds, 6, 9, 9, 1, true); /* the same level from a state of the level before: state order decides */
  cr_assert_eq(find->state_level, 7);
  cr_assert_eq(find->count, 6);
  cr_assert_eq(finds.slots[2].count, 0);
  hdi_finds_clear(&finds);
  hd_model_free(model);
}

Test(found, the_first_word_decides_states) {
  hd_model *model = two_words();
  hdi_finds finds;
  init(&finds, model);
  hdi_finds_add_state(&finds, HD_SLOT_STOP(1), 4, (const uint64_t[2]){1, 0});
  hdi_finds_add_state(&finds, HD_SLOT_STOP(1), 4, (const uint64_t[2]){0, 9});
  hdi_finds_add_state(&finds, HD_SLOT_STOP(1), 4, (const uint64_t[2]){0, 8});
  hdi_finds_add_state(&finds, HD_SLOT_STOP(1), 5, (const uint64_t[2]){0, 0});
  const hdi_find *find = &finds.slots[HD_SLOT_STOP(1)];
  cr_assert_eq(find->state[0], 0);
  cr_assert_eq(find->state[1], 8);
  cr_assert_not(find->has_step);
  cr_assert_eq(find->count, 4);
  hdi_finds_clear(&finds);
  hd_model_free(model);
}

/* Deals one stream of findings to 1, 2, 3 and 8 workers in different ways and merges in different orders. */
Test(found, merging_does_not_depend_on_who_found_what) {
  hd_model *model = two_words();
  hdi_finds reference;
  init(&reference, model);
  enum { FINDINGS = 500 };
  for (uint64_t i = 0; i < FINDINGS; i++) {
    add_step(&reference, 3 + i * 7 % 11, i * 31 % 17, i, (uint32_t)(i % 2), i % 3 == 0);
  }
  for (size_t workers = 1; workers <= 8; workers += workers < 3 ? 1 : 5) {
    for (int backwards = 0; backwards < 2; backwards++) {
      hdi_finds parts[8], merged;
      init(&merged, model);
      for (size_t w = 0; w < workers; w++) {
        init(&parts[w], model);
      }
      for (uint64_t k = 0; k < FINDINGS; k++) {
        uint64_t i = backwards ? FINDINGS - 1 - k : k;
        add_step(&parts[i * 13 % workers], 3 + i * 7 % 11, i * 31 % 17, i, (uint32_t)(i % 2), i % 3 == 0);
      }
      for (size_t w = 0; w < workers; w++) {
        hdi_finds_merge(&merged, &parts[backwards ? workers - 1 - w : w]);
      }
      const hdi_find *want = &reference.slots[3], *got = &merged.slots[3];
      cr_assert_eq(got->count, FINDINGS);
      cr_assert_eq(got->level, want->level);
      cr_assert_eq(got->state_level, want->state_level);
      cr_assert_eq(got->ordinal, want->ordinal);
      cr_assert_eq(got->has_next, want->has_next);
      cr_assert_eq(memcmp(got->state, want->state, 16), 0);
      cr_assert_eq(got->step.fault_detail, want->step.fault_detail);
      for (size_t w = 0; w < workers; w++) {
        hdi_finds_clear(&parts[w]);
      }
      hdi_finds_clear(&merged);
    }
  }
  hdi_finds_clear(&reference);
  hd_model_free(model);
}
