/* How many cores this process may use: shared by both twins of the team.
 *
 * The scheduler's affinity mask bounds how many cores can run at once, the control group's quota bounds how much
 * processor time there is per period. More threads than either only wait. A quota of 1.5 cores rounds up: two threads
 * use it up, one cannot.
 * The mask is fetched into a growing set, because machines may have more cores than cpu_set_t has bits.
 * Threads: any (no state). Cost: some system calls; call it once. */
#define _GNU_SOURCE 1 /* sched_getaffinity, CPU_COUNT_S; nowhere else */
#include "core/base/probe.h"
#include "core/base/team.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#define CORES_MAX 65536

static uint32_t affinity_cores(void) {
  for (size_t cores = 1024; cores <= CORES_MAX; cores *= 2) {
    cpu_set_t *set = CPU_ALLOC(cores);
    if (set == NULL) {
      break;
    }
    size_t size_bytes = CPU_ALLOC_SIZE(cores);
    int failed = sched_getaffinity(0, size_bytes, set);
    int cause = errno;
    int count = failed ? 0 : CPU_COUNT_S(size_bytes, set);
    CPU_FREE(set);
    if (!failed) {
      return count > 0 ? (uint32_t)count : 1;
    }
    if (cause != EINVAL) {
      break;
    }
  }
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 && online < CORES_MAX ? (uint32_t)online : 1;
}

uint32_t hd_team_default_count(void) {
  uint32_t count = affinity_cores();
  double quota = hdi_probe_cgroup_cores("");
  if (quota > 0 && quota < count) {
    uint32_t whole = (uint32_t)quota;
    count = (double)whole < quota ? whole + 1 : whole;
  }
  return count > HD_TEAM_MAX ? HD_TEAM_MAX : count;
}
