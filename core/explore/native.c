/* Native code in a run: started with it, given to the workers' steppers at a quiescent point.
 *
 * A search that ends before the compiler does never uses the code: compiling costs the second core, not the search. The
 * swap changes no result, for the successors are the same in the same order. A level, and a search without levels, may
 * last long: worker 0 looks now and then whether the compiler has ended, and then has everybody pause as for growth.
 * Threads: worker 0; steppers are changed while the others wait at a barrier that makes the change visible to them. */
#include "core/base/machine.h"
#include "core/explore/search.h"

#define SECONDS_BETWEEN_LOOKS 0.02

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
  if (run->reduction != NULL) {
    run->native_use = HD_NATIVE_REDUCED;
    return;
  }
  if (!run->workers[0].bulk) {
    run->native_use = hd_stepper_is_compound(run->workers[0].stepper) ? HD_NATIVE_PROTECTED : HD_NATIVE_UNFIT;
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

void hdi_run_watch_native(hdi_run *run, double now) {
  if (run->native_use == HD_NATIVE_LATE && now >= run->native_looked_at + SECONDS_BETWEEN_LOOKS) {
    run->native_looked_at = now;
    if (hd_native_poll(run->native) != HD_NATIVE_WORKING) {
      hdi_run_pause(run);
    }
  }
}
