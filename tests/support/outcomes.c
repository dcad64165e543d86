/* Two outcomes are the same when every field is that does not describe the machine: counts, the end, and for each slot
 * the count, the level and the trace, whose arrays are compared byte by byte. */
#include "tests/support/outcomes.h"

#include "tests/support/hd_test.h"

#include <string.h>

const uint32_t hd_thread_counts[4] = {1, 2, 3, 8};

void hd_run_search(const hd_search *search, uint32_t threads, hd_outcome *outcome) {
  hd_search copy = *search;
  copy.threads = threads;
  cr_assert_eq(hd_explore(&copy, outcome), HD_OK);
  cr_assert_eq(outcome->threads, threads);
}

static void check_same_step(const hd_step *a, const hd_step *b) {
  cr_assert_eq(a->edge.v, b->edge.v);
  cr_assert_eq(a->instance, b->instance);
  cr_assert_eq(a->partner_edge.v, b->partner_edge.v);
  cr_assert_eq(a->partner_instance, b->partner_instance);
  cr_assert_eq(a->label.v, b->label.v);
  cr_assert_eq(a->weight, b->weight);
  cr_assert_eq(a->fault, b->fault);
  cr_assert_eq(a->fault_detail, b->fault_detail);
  cr_assert_eq(a->compound, b->compound);
  cr_assert_eq(a->checks_failed, b->checks_failed);
}

void hd_check_same_trace(const hd_trace *a, const hd_trace *b) {
  cr_assert_eq(a == NULL, b == NULL);
  if (a == NULL) {
    return;
  }
  cr_assert_eq(a->words, b->words);
  cr_assert_eq(a->length, b->length);
  cr_assert_eq(memcmp(a->states, b->states, (a->length + 1) * a->words * sizeof *a->states), 0);
  for (size_t i = 0; i < a->length; i++) {
    check_same_step(&a->steps[i], &b->steps[i]);
    cr_assert_eq(a->inner_end[i], b->inner_end[i]);
  }
  for (size_t i = 0; a->length > 0 && i < a->inner_end[a->length - 1]; i++) {
    cr_assert_eq(a->inner[i].edge.v, b->inner[i].edge.v);
    cr_assert_eq(a->inner[i].instance, b->inner[i].instance);
    cr_assert_eq(a->inner[i].partner_edge.v, b->inner[i].partner_edge.v);
    cr_assert_eq(a->inner[i].partner_instance, b->inner[i].partner_instance);
  }
}

void hd_check_same_outcome(const hd_outcome *a, const hd_outcome *b) {
  cr_assert_eq(a->end, b->end);
  cr_assert_eq(a->states, b->states);
  cr_assert_eq(a->transitions, b->transitions);
  cr_assert_eq(a->levels, b->levels);
  cr_assert_eq(a->expanded, b->expanded);
  cr_assert_eq(a->stopped, b->stopped);
  cr_assert_eq(a->frontier_peak, b->frontier_peak);
  cr_assert_str_eq(a->store, b->store);
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    cr_assert_eq(a->found[slot].count, b->found[slot].count, "slot %u", slot);
    cr_assert_eq(a->found[slot].level, b->found[slot].level, "slot %u", slot);
    cr_assert_eq(a->found[slot].trace_status, b->found[slot].trace_status, "slot %u", slot);
    hd_check_same_trace(a->found[slot].trace, b->found[slot].trace);
  }
}

void hd_run_on_all_counts(const hd_search *search, hd_outcome *outcome) {
  hd_run_search(search, hd_thread_counts[0], outcome);
  for (size_t i = 1; i < sizeof hd_thread_counts / sizeof hd_thread_counts[0]; i++) {
    hd_outcome other;
    hd_run_search(search, hd_thread_counts[i], &other);
    hd_check_same_outcome(outcome, &other);
    hd_outcome_clear(&other);
  }
}

void hd_want_all_traces(hd_search *search) {
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    hd_slots_add(search->trace_slots, slot);
  }
}
