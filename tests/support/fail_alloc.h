/* Allocation failure on demand, for test programs linked with fail_alloc.c and HD_FAIL_ALLOC_OPTIONS (the linker's
 * --wrap): malloc, calloc, realloc and free of the library and the test pass through counters. Not thread-safe. */
#ifndef HEDDLE_TESTS_SUPPORT_FAIL_ALLOC_H
#define HEDDLE_TESTS_SUPPORT_FAIL_ALLOC_H

#include <stdbool.h>

/* The `nth` allocation from now on fails (1: the next one); with `all_later` every one after it too. */
void fail_alloc_arm(long nth, bool all_later);
/* No more failures. Says whether one happened since fail_alloc_arm. */
bool fail_alloc_disarm(void);
/* Blocks that were allocated and not freed so far. */
long fail_alloc_live(void);
/* For wrappers of other functions that hand out memory. */
void fail_alloc_note(long blocks);

/* Runs `run(payload)` with its 1st, 2nd, ... allocation failing until none fails, first once each, then with every
 * later one failing too. `run` frees what it made, says in *succeeded whether the work was done (which must be so
 * exactly when nothing was refused), and returns whether everything else was as it should be. Returns how many failures
 * were injected, -1 when a run misbehaved or leaked. */
long fail_alloc_sweep(bool (*run)(void *payload, bool *succeeded), void *payload);

#endif
