/* Native code in a run: started with it, given to the workers' steppers at a quiescent point.
 *
 * A search that ends before the compiler does never uses the code: compiling costs the second core, not the search. The
 * swap changes no result, for the successors are the same in the same order. Threads: worker 0, while the others wait
 * at a barrier that makes the steppers' change visible to them. */
#include "core/base/machine.h"
#include "core/explore/search.h"

static void use(hdi_run *run) {
  for (uint32_t i = 0; i < run->worker_count; i++) {
    hd_stepper_use_native(run->workers[i].stepper, run->native);
  }
  run->native_use = HD_NATIVE_USED;
}

static void take(hdi_run *run, hd_native_state state) {
  switch (state) {
    case HD_NATIVE_WORKING:
      run->native_use = HD_NATIVE_LATE;
      break;
    case HD_NATIVE_READY:
      use(run);
      break;
    case HD_NATIVE_FAILED:
      run->native_use = HD_NATIVE_NO_COMPILER;
      break;
  }
}

void hdi_run_begin_native(hdi_run *run) {
  hd_native_mode mode = run->search->native;
  if (mode == HD_NATIVE_OFF || run->keep) {
    return;
  }
  if (!run->workers[0].bulk) {
    run->native_use = HD_NATIVE_UNFIT;
    return;
  }
  hd_status status = hd_native_begin(run->model, &run->native);
  if (status != HD_OK) {
    run->native_use = status == HD_E_IO ? HD_NATIVE_NO_COMPILER : HD_NATIVE_UNFIT;
    return;
  }
  double begin = hd_machine_seconds();
  take(run, mode == HD_NATIVE_WAIT ? hd_native_wait(run->native) : HD_NATIVE_WORKING);
  run->native_wait_seconds = hd_machine_seconds() - begin;
}

void hdi_run_take_native(hdi_run *run) {
  if (run->native_use == HD_NATIVE_LATE) {
    take(run, hd_native_poll(run->native));
  }
}
