/* Binding threads to cores, on Linux; elsewhere nothing is known and nothing is bound.
 *
 * The mask is that of the calling thread, which a container or a user (taskset) may have narrowed: only cores in it are
 * chosen, and the whole mask is put back afterwards, so that a program which uses the library finds its threads as they
 * were. The mask is fetched into a growing set, because machines may have more cores than cpu_set_t has bits.
 * Threads: each its own mask. Cost: a few system calls per worker and run. */
#define _GNU_SOURCE 1 /* sched_getaffinity, sched_setaffinity, CPU_ALLOC; nowhere else */
#include "core/base/affinity.h"

#include <errno.h>
#include <sched.h>

#define CORES_MAX 65536

/* The calling thread's mask, owned by the caller; NULL when it cannot be had. */
static cpu_set_t *get_cores(size_t *size_bytes) {
  for (size_t cores = 1024; cores <= CORES_MAX; cores *= 2) {
    cpu_set_t *set = CPU_ALLOC(cores);
    if (set == NULL) {
      return NULL;
    }
    *size_bytes = CPU_ALLOC_SIZE(cores);
    if (sched_getaffinity(0, *size_bytes, set) == 0) {
      return set;
    }
    int cause = errno;
    CPU_FREE(set);
    if (cause != EINVAL) {
      return NULL;
    }
  }
  return NULL;
}

uint32_t hd_affinity_cores(void) {
  size_t size_bytes;
  cpu_set_t *set = get_cores(&size_bytes);
  if (set == NULL) {
    return 0;
  }
  int count = CPU_COUNT_S(size_bytes, set);
  CPU_FREE(set);
  return count > 0 ? (uint32_t)count : 0;
}

/* Leaves in `set` only its core number `number`; false when it has not so many. */
static bool keep_one(cpu_set_t *set, size_t size_bytes, uint32_t number) {
  bool found = false;
  for (size_t core = 0; core < size_bytes * 8; core++) {
    if (CPU_ISSET_S(core, size_bytes, set) && number-- != 0) {
      CPU_CLR_S(core, size_bytes, set);
    } else if (CPU_ISSET_S(core, size_bytes, set)) {
      found = true;
    }
  }
  return found;
}

bool hd_affinity_bind(hd_affinity *affinity, uint32_t number) {
  size_t size_bytes, one_bytes;
  cpu_set_t *before = get_cores(&size_bytes);
  cpu_set_t *one = get_cores(&one_bytes);
  bool bound =
      before != NULL && one != NULL && keep_one(one, one_bytes, number) && sched_setaffinity(0, one_bytes, one) == 0;
  CPU_FREE(one);
  if (!bound) {
    CPU_FREE(before);
    *affinity = (hd_affinity){0};
    return false;
  }
  *affinity = (hd_affinity){before, size_bytes};
  return true;
}

void hd_affinity_restore(hd_affinity *affinity) {
  if (affinity->cores != NULL) {
    (void)sched_setaffinity(0, affinity->size_bytes, affinity->cores);
    CPU_FREE(affinity->cores);
  }
  *affinity = (hd_affinity){0};
}
