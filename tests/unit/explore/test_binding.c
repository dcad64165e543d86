/* Workers are bound to cores while they work together, if that was not forbidden, and are as they were afterwards. */
#include "core/base/affinity.h"
#include "core/base/team.h"
#include "core/explore/explore.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"

static hd_atomic_u32 bound, unbound; /* states seen by threads with one core, with more */

static bool note_cores(const void *context, const hd_model *model, const uint64_t *state, uint32_t index) {
  (void)context, (void)model, (void)state, (void)index;
  hd_add_rlx(hd_affinity_cores() == 1 ? &bound : &unbound, 1);
  return false;
}

static void note_again(hd_team *team, uint32_t worker, void *payload) {
  (void)team, (void)worker, (void)payload;
  hd_add_rlx(hd_affinity_cores() == 1 ? &bound : &unbound, 1);
}

static void search_with(hd_bind bind, hd_order order, uint32_t threads) {
  hd_store_rlx(&bound, 0);
  hd_store_rlx(&unbound, 0);
  hd_model *model = hd_model_ring(9, 1);
  hd_outcome outcome;
  hd_search search = {.model = model, .bind = bind, .order = order, .predicate = note_cores, .predicate_count = 1};
  hd_run_search(&search, threads, &outcome);
  cr_assert_eq(outcome.states, 48620);
  cr_assert_eq(hd_load_rlx(&bound) + hd_load_rlx(&unbound), 48620);
  hd_outcome_clear(&outcome);
  hd_model_free(model);
}

/* The threads of the team are free again: the run-time may use them for others. */
static void check_free(uint32_t threads) {
  hd_store_rlx(&bound, 0);
  cr_assert_gt(hd_affinity_cores(), 1);
  cr_assert_eq(hd_team_run(threads, note_again, NULL), HD_OK);
  cr_assert_eq(hd_load_rlx(&bound), 0);
}

Test(binding, workers_are_bound_and_freed) {
  uint32_t cores = hd_affinity_cores();
  if (cores < 2 || cores > 64) {
    return; /* one core: nothing to bind; many: more threads than this search is for */
  }
  for (int order = 0; order < HD_ORDER_COUNT; order++) {
    search_with(HD_BIND_AUTO, (hd_order)order, cores);
    cr_assert_gt(hd_load_rlx(&bound), 0, "order %d", order);
    cr_assert_gt(hd_load_rlx(&unbound), 0, "it begins narrow, and with one thread");
    check_free(cores);
    search_with(HD_BIND_NEVER, (hd_order)order, cores);
    cr_assert_eq(hd_load_rlx(&bound), 0);
    search_with(HD_BIND_AUTO, (hd_order)order, cores + 1);
    cr_assert_eq(hd_load_rlx(&bound), 0, "more threads than cores are left to the system");
    search_with(HD_BIND_AUTO, (hd_order)order, 1);
    cr_assert_eq(hd_load_rlx(&bound), 0);
  }
}
