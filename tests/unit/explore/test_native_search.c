/* Searches with native code say what searches without say, with every number of threads. */
#include "core/explore/explore.h"

#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Compares a search without native code to searches that wait for it, and that swap it in. Takes the model. */
static void compare(hd_model *model) {
  hd_search search = {.model = model};
  hd_want_all_traces(&search);
  hd_outcome plain;
  hd_run_on_all_counts(&search, &plain);
  cr_assert_eq(plain.native, HD_NATIVE_NOT_ASKED);
  for (size_t t = 0; t < sizeof hd_thread_counts / sizeof *hd_thread_counts; t++) {
    for (int mode = HD_NATIVE_ON; mode <= HD_NATIVE_WAIT; mode++) {
      search.native = (hd_native_mode)mode;
      hd_outcome native;
      hd_run_search(&search, hd_thread_counts[t], &native);
      cr_assert(native.native == HD_NATIVE_USED || (mode == HD_NATIVE_ON && native.native == HD_NATIVE_LATE), "%s",
                hd_native_use_words(native.native));
      native.threads = plain.threads;
      hd_check_same_outcome(&plain, &native);
      hd_outcome_clear(&native);
    }
  }
  hd_outcome_clear(&plain);
  hd_model_free(model);
}

Test(native_search, workloads) {
  compare(hd_model_filter(4));
  compare(hd_model_counter(3, 2));
  compare(hd_model_dining(7));
}

Test(native_search, weights_faults_and_checks) {
  enum { VERTICES = 400, ARCS = 900 };
  static hd_arc arcs[ARCS];
  hd_random_arcs(5, VERTICES, arcs, ARCS, 5);
  compare(hd_model_graph(VERTICES, arcs, ARCS, 0));
  hd_random_arcs(6, VERTICES, arcs, ARCS, 0);
  compare(hd_model_graph(VERTICES, arcs, ARCS, 2));
}

/* Waits, but not at an initial state, until the compiler has ended, without taking note of it in the search's stead. */
static bool wait_for_compiler(const void *context, const hd_model *model, const uint64_t *state, uint32_t index) {
  (void)context, (void)index;
  const uint64_t *initial;
  size_t count = hd_model_initial(model, &initial), words = hd_model_words(model);
  for (size_t i = 0; i < count; i++) {
    if (memcmp(state, initial + i * words, words * sizeof *state) == 0) {
      return false;
    }
  }
  siginfo_t info;
  memset(&info, 0, sizeof info);
  while (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
  return false;
}

/* The code is swapped in inside a search without levels, and one that is too small for its table to grow: nothing else
 * than the compiler's end makes it pause. */
Test(native_search, swaps_inside_a_phase) {
  hd_model *model = hd_model_dining(7);
  hd_search search = {.model = model};
  hd_want_all_traces(&search);
  hd_outcome plain;
  hd_run_search(&search, 1, &plain);
  search.native = HD_NATIVE_ON;
  search.order = HD_ORDER_ANY;
  search.predicate = wait_for_compiler;
  search.predicate_count = 1;
  for (size_t t = 0; t < sizeof hd_thread_counts / sizeof *hd_thread_counts; t++) {
    hd_outcome native;
    hd_run_search(&search, hd_thread_counts[t], &native);
    cr_assert_eq(native.end, HD_END_COMPLETE);
    cr_assert(native.states == plain.states && native.transitions == plain.transitions &&
              native.stopped == plain.stopped && native.expanded == plain.expanded);
    bool may_be_late = hd_thread_counts[t] > 1; /* worker 0, which looks, need not get work */
    cr_assert(native.native == HD_NATIVE_USED || (may_be_late && native.native == HD_NATIVE_LATE), "%s",
              hd_native_use_words(native.native));
    hd_outcome_clear(&native);
  }
  hd_outcome_clear(&plain);
  hd_model_free(model);
}

/* Searches that cannot use it say why, and find the same. */
Test(native_search, says_why_it_is_not_used) {
  hd_model *model = hd_model_counter(3, 2);
  hd_filter *filter = hd_filter_new(model);
  cr_assert_not_null(filter);
  const uint64_t *initial;
  cr_assert_gt(hd_model_initial(model, &initial), 0u);
  hd_filter_protect_strong(filter, hd_model_location(model, initial, 0));
  const hd_search searches[] = {{.model = model, .native = HD_NATIVE_WAIT, .reduction = HD_REDUCE_FOR_CHECKS},
                                {.model = model, .native = HD_NATIVE_WAIT, .filter = filter}};
  const hd_native_use uses[] = {HD_NATIVE_REDUCED, HD_NATIVE_PROTECTED};
  for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
    hd_search plain = searches[i];
    plain.native = HD_NATIVE_OFF;
    hd_outcome with, without;
    hd_run_search(&searches[i], 2, &with);
    hd_run_search(&plain, 2, &without);
    cr_assert_eq(with.native, uses[i]);
    cr_assert_eq(without.native, HD_NATIVE_NOT_ASKED);
    hd_check_same_outcome(&without, &with);
    hd_outcome_clear(&with);
    hd_outcome_clear(&without);
  }
  hd_filter_free(filter);
  hd_model_free(model);
}

Test(native_search, goes_on_without_a_compiler) {
  cr_assert_eq(setenv("CC", "./no-such-compiler", 1), 0);
  hd_model *model = hd_model_counter(3, 2);
  hd_search search = {.model = model, .native = HD_NATIVE_WAIT};
  hd_outcome outcome;
  hd_run_search(&search, 2, &outcome);
  cr_assert_eq(outcome.end, HD_END_COMPLETE);
  cr_assert_eq(outcome.native, HD_NATIVE_NO_COMPILER);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}
