/* Reductions and symmetries when memory is out: HD_E_NOMEM, and nothing lost. */
#include "core/model/reduction.h"
#include "core/model/symmetry.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/unit/model/walk.h"

static hd_model *model; /* of the test that runs; each test is a process of its own */

static hd_status make_reduction(uint64_t failing, uint64_t *asked) {
  hd_reduction *reduction = NULL;
  const char *refusal = NULL;
  hd_fail_alloc_after(failing, false);
  hd_stepper *stepper = hd_stepper_new(model, NULL);
  hd_status status = stepper == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK) {
    status = hd_reduction_new(model, NULL, HD_REDUCE_FOR_CHECKS, &reduction, &refusal);
  }
  if (status == HD_OK) {
    cr_assert_not_null(reduction, "%s", refusal);
    status = hd_stepper_reduce(stepper, reduction);
  }
  hd_stepper_free(stepper);
  hd_reduction_free(reduction);
  *asked = hd_fail_alloc_stop();
  return status;
}

static hd_status make_symmetry(uint64_t failing, uint64_t *asked) {
  hd_symmetry *symmetry = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_symmetry_new(model, &symmetry);
  hd_symmetry_free(symmetry);
  *asked = hd_fail_alloc_stop();
  return status;
}

Test(reduction_nomem, queues) {
  model = hd_model_star(4);
  hd_fail_alloc_exhaust(make_reduction);
  hd_model_free(model);
}

Test(reduction_nomem, rendezvous) {
  model = hd_model_rendezvous_dining(3);
  hd_fail_alloc_exhaust(make_reduction);
  hd_model_free(model);
}

Test(reduction_nomem, like_instances) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 3, 3);
  hd_var t = add_local(b, p, "t", 0, 3, 0);
  hd_loc first = add_loc(b, p, 0), second = add_loc(b, p, 0);
  add_do(b, first, second, HD_NO_EXPR, set(b, t, 1));
  model = finish(b);
  hd_fail_alloc_exhaust(make_symmetry);
  hd_model_free(model);
}
