/* Binding to a core and back again. Passes on a machine with one core too. */
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include "core/base/affinity.h"

#include "tests/support/hd_test.h"

#include <errno.h>
#include <sched.h>

/* sched_setaffinity passes through here (--wrap). */
int __real_sched_setaffinity(pid_t thread, size_t size_bytes, const cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t thread, size_t size_bytes, const cpu_set_t *set);
static bool refuse;

int __wrap_sched_setaffinity(pid_t thread, size_t size_bytes, const cpu_set_t *set) {
  if (refuse) {
    errno = EPERM;
    return -1;
  }
  return __real_sched_setaffinity(thread, size_bytes, set);
}

static cpu_set_t mask(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  cr_assert_eq(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

/* The number-th core of the set. */
static size_t core_of(const cpu_set_t *set, uint32_t number) {
  for (size_t core = 0; core < CPU_SETSIZE; core++) {
    if (CPU_ISSET(core, set) && number-- == 0) {
      return core;
    }
  }
  cr_assert_fail("there are not so many cores");
  return 0;
}

Test(affinity, each_core_in_turn_and_back) {
  cpu_set_t before = mask();
  uint32_t cores = hd_affinity_cores();
  cr_assert_eq(cores, (uint32_t)CPU_COUNT(&before));
  for (uint32_t i = 0; i < cores; i++) {
    hd_affinity affinity;
    cr_assert(hd_affinity_bind(&affinity, i));
    cpu_set_t bound = mask();
    cr_assert_eq(CPU_COUNT(&bound), 1);
    cr_assert(CPU_ISSET(core_of(&before, i), &bound));
    cr_assert_eq((size_t)sched_getcpu(), core_of(&before, i));
    cr_assert_eq(hd_affinity_cores(), 1);
    hd_affinity_restore(&affinity);
    cpu_set_t after = mask();
    cr_assert(CPU_EQUAL(&before, &after));
    hd_affinity_restore(&affinity); /* nothing */
  }
}

Test(affinity, no_more_cores_than_there_are) {
  cpu_set_t before = mask();
  hd_affinity affinity;
  cr_assert_not(hd_affinity_bind(&affinity, hd_affinity_cores()));
  hd_affinity_restore(&affinity);
  cpu_set_t after = mask();
  cr_assert(CPU_EQUAL(&before, &after));
}

Test(affinity, a_narrowed_mask_is_respected) {
  cpu_set_t before = mask(), one;
  CPU_ZERO(&one);
  CPU_SET(core_of(&before, hd_affinity_cores() - 1), &one); /* the last core only */
  cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
  hd_affinity affinity;
  cr_assert_eq(hd_affinity_cores(), 1);
  cr_assert(hd_affinity_bind(&affinity, 0));
  cpu_set_t bound = mask();
  cr_assert(CPU_EQUAL(&bound, &one));
  hd_affinity_restore(&affinity);
  cr_assert_eq(sched_setaffinity(0, sizeof before, &before), 0);
}

Test(affinity, a_refusal_changes_nothing) {
  cpu_set_t before = mask();
  hd_affinity affinity;
  refuse = true;
  cr_assert_not(hd_affinity_bind(&affinity, 0));
  hd_affinity_restore(&affinity);
  refuse = false;
  cpu_set_t after = mask();
  cr_assert(CPU_EQUAL(&before, &after));
}
