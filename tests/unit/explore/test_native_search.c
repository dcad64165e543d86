/* Searches with native code say what searches without say, with every number of threads. */
#include "core/explore/explore.h"

#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"

#include <stdlib.h>

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
