/* What the machine gives: clock, memory budget, resident size, huge pages.
 *
 * Limits come from probe.c (text files of /proc and /sys, getrlimit); this file combines them. The memory
 * budget is 80% of the tightest limit: the rest is for the program itself, thread stacks and what else runs in the
 * container. The page cache does not count against it: MemAvailable already says what the kernel can free. Everything
 * unknown degrades to "no limit" or 0, never to an error.
 *
 * Threads: any. State: the limit on vector instructions, and the answers that are remembered for a second: threads that
 * find one too old read the files each, and whichever stores last wins, for all of them are recent.
 * Cost: some twenty files read per call, longer than a small search takes; hd_machine_seconds is cheap, and so is what
 * is remembered. */
#include "core/base/machine.h"

#include "core/base/atomic.h"
#include "core/base/check.h"
#include "core/base/compiler.h"
#include "core/base/probe.h"

#include <sys/resource.h>
#include <time.h>

double hd_machine_seconds(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
    return 0;
  }
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

typedef struct remembered {
  hd_atomic_u64 value;
  hd_atomic_u64 until; /* in milliseconds of hd_machine_seconds; 0: never asked */
} remembered;

static size_t recent(remembered *answer, size_t (*ask)(void)) {
  enum { KEPT_MS = 1000 };
  uint64_t now = (uint64_t)(hd_machine_seconds() * 1000);
  /* HD-SYNC Y1: acquire; pairs with Y2. Publishes: nothing. Why not weaker: the value read next must be as new as the
   * time read here. Why not stronger: nothing is written. */
  if (now < hd_load_acq(&answer->until)) {
    /* HD-SYNC Y3: relaxed; pairs with Y4. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger: Y1
     * has made it new enough, and a newer one is as good. */
    return (size_t)hd_load_rlx(&answer->value);
  }
  size_t value = ask();
  /* HD-SYNC Y4: relaxed; pairs with Y3. Publishes: nothing by itself. Why not weaker: it is the weakest. Why not
   * stronger: Y2 publishes it. */
  hd_store_rlx(&answer->value, value);
  /* HD-SYNC Y2: release; pairs with Y1. Publishes: the value. Why not weaker: a thread could take an older value for a
   * recent one. Why not stronger: the order among threads that store does not matter. */
  hd_store_rel(&answer->until, now + KEPT_MS);
  return value;
}

size_t hd_machine_memory_bytes(void) {
  uint64_t limits[] = {hdi_probe_cgroup_memory(""), hdi_probe_kilobytes("", "/proc/meminfo", "MemAvailable:"),
                       hdi_probe_address_space()};
  uint64_t limit = HDI_PROBE_UNKNOWN;
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    limit = limits[i] < limit ? limits[i] : limit;
  }
  if (limit == HDI_PROBE_UNKNOWN) {
    return SIZE_MAX / 2;
  }
  uint64_t budget = limit / 5 * 4;
  return budget > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)budget;
}

size_t hd_machine_recent_memory_bytes(void) {
  static remembered answer;
  return recent(&answer, hd_machine_memory_bytes);
}

size_t hd_machine_resident_bytes(void) {
  uint64_t resident = hdi_probe_kilobytes("", "/proc/self/status", "VmRSS:");
  return resident == HDI_PROBE_UNKNOWN ? 0 : (size_t)resident;
}

size_t hd_machine_peak_bytes(void) {
  /* ru_maxrss survives execve and would count the shell's or the launcher's peak, so it is the second choice. */
  uint64_t peak = hdi_probe_kilobytes("", "/proc/self/status", "VmHWM:");
  if (peak != HDI_PROBE_UNKNOWN) {
    return (size_t)peak;
  }
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}

static size_t ask_huge_page(void) {
  return hdi_probe_huge_page("");
}

size_t hd_machine_huge_page_bytes(void) {
  static remembered answer;
  return recent(&answer, ask_huge_page);
}

static hd_simd simd_limit = HD_SIMD_AVX512;

hd_simd hd_machine_simd(void) {
  hd_simd best = HD_SIMD_NONE;
  if (HD_CPU_HAS("avx2") && HD_CPU_HAS("bmi2")) {
    best = HD_SIMD_AVX2;
    if (HD_CPU_HAS("avx512f") && HD_CPU_HAS("avx512bw") && HD_CPU_HAS("avx512dq") && HD_CPU_HAS("avx512vl")) {
      best = HD_SIMD_AVX512;
    }
  }
  return best < simd_limit ? best : simd_limit;
}

void hd_machine_limit_simd(hd_simd most) {
  HD_REQUIRE(most < HD_SIMD_COUNT);
  simd_limit = most;
}

const char *hd_simd_name(hd_simd simd) {
  static const char *const names[] = {
#define SIMD_NAME(identifier, name) name,
      HD_SIMD_TABLE(SIMD_NAME)
#undef SIMD_NAME
  };
  HD_REQUIRE(simd < HD_SIMD_COUNT);
  return names[simd];
}
