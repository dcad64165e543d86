/* Makes allocations fail on purpose, and counts live blocks so that a leak after a failure is seen in any build. A test
 * program that uses it is made so with hd_fail_alloc(<target>) (tests/CMakeLists.txt): calls of malloc, calloc,
 * realloc, aligned_alloc, free, mmap and mprotect from objects of the program, heddle's library included, then pass
 * through here. hd_fail_alloc_after and hd_fail_alloc_stop are for one thread; the allocations they watch may come from
 * any. */
#ifndef HEDDLE_TESTS_SUPPORT_FAIL_ALLOC_H
#define HEDDLE_TESTS_SUPPORT_FAIL_ALLOC_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Lets the next `successes` allocations succeed and fails the one after; when `for_good`, all further ones too. */
void hd_fail_alloc_after(uint64_t successes, bool for_good);
/* Nothing fails any more. Returns how many allocations were asked for since hd_fail_alloc_after: one was refused when
 * this is more than its `successes`. */
uint64_t hd_fail_alloc_stop(void);

/* Blocks that were allocated and not freed so far; mappings are not blocks. */
int64_t hd_fail_alloc_live(void);
/* For wrappers of other functions that hand out memory. */
void hd_fail_alloc_note(int64_t blocks);

/* Runs `run(payload)` with its 1st, 2nd, ... allocation failing until none fails, first once each, then with every
 * later one failing too. `run` frees what it made, says in *succeeded whether the work was done (which must be so
 * exactly when nothing was refused), and returns whether everything else was as it should be. Returns how many failures
 * were injected, -1 when a run misbehaved or leaked. */
int64_t hd_fail_alloc_sweep(bool (*run)(void *payload, bool *succeeded), void *payload);

/* The same for what answers with a status: `attempt` runs once with its first allocation refused, then with its second,
 * until it succeeds. It calls hd_fail_alloc_after(failing, false) before the work and returns what that answered, with
 * *asked set from hd_fail_alloc_stop. The test fails unless each refusal answers HD_E_NOMEM and loses nothing. */
void hd_fail_alloc_exhaust(hd_status (*attempt)(uint64_t failing, uint64_t *asked));

#endif
