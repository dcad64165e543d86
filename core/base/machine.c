/* What the machine gives: clock, memory budget, resident size, huge pages.
 *
 * Limits come from probe.c (text files of /proc and /sys, getrlimit); this file combines them. The memory
 * budget is 80% of the tightest limit: the rest is for the program itself, thread stacks and what else runs in the
 * container. The page cache does not count against it: MemAvailable already says what the kernel can free. Everything
 * unknown degrades to "no limit" or 0, never to an error. Threads: any (no state but the limit on vector instructions).
 * Cost: a few file reads per call, so not for inner loops; hd_machine_seconds is cheap. */
#include "core/base/machine.h"

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

size_t hd_machine_huge_page_bytes(void) {
  return hdi_probe_huge_page("");
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
