/* Sweeps of failing allocations that also count live blocks, so that a leak after a failure is seen in any build. For
 * test programs made with hd_alloc_test (tests/unit/base/CMakeLists.txt), whose malloc, calloc, realloc and free pass
 * through here by the linker's --wrap. fail_alloc.h is the simpler tool when only the failure matters. Not thread-safe.
 */
#ifndef HEDDLE_TESTS_SUPPORT_ALLOC_FAULT_H
#define HEDDLE_TESTS_SUPPORT_ALLOC_FAULT_H

#include <stdbool.h>

/* The `nth` allocation from now on fails (1: the next one); with `all_later` every one after it too. */
void alloc_fault_arm(long nth, bool all_later);
/* No more failures. Says whether one happened since alloc_fault_arm. */
bool alloc_fault_disarm(void);
/* Blocks that were allocated and not freed so far. */
long alloc_fault_live(void);
/* For wrappers of other functions that hand out memory. */
void alloc_fault_note(long blocks);

/* Runs `run(payload)` with its 1st, 2nd, ... allocation failing until none fails, first once each, then with every
 * later one failing too. `run` frees what it made, says in *succeeded whether the work was done (which must be so
 * exactly when nothing was refused), and returns whether everything else was as it should be. Returns how many failures
 * were injected, -1 when a run misbehaved or leaked. */
long alloc_fault_sweep(bool (*run)(void *payload, bool *succeeded), void *payload);

#endif
