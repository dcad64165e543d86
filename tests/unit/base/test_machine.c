/* The machine: limits read from folders laid out here, combined with what this machine really says. */
#include "core/base/machine.h"
#include "core/base/probe.h"
#include "tests/support/hd_test.h"
#include "tests/support/temp_folder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What machine.c asks about limits passes through here (--wrap), so that every combination can be tried. */
static uint64_t group_limit, available, address_space;
uint64_t __wrap_hdi_probe_cgroup_memory(const char *root);
uint64_t __wrap_hdi_probe_kilobytes(const char *root, const char *path, const char *key);
uint64_t __wrap_hdi_probe_address_space(void);
uint64_t __real_hdi_probe_cgroup_memory(const char *root);
uint64_t __real_hdi_probe_kilobytes(const char *root, const char *path, const char *key);
uint64_t __real_hdi_probe_address_space(void);

static unsigned group_asked; /* how often the limits were read */

uint64_t __wrap_hdi_probe_cgroup_memory(const char *root) {
  group_asked++;
  return root[0] == '\0' && group_limit != 0 ? group_limit : __real_hdi_probe_cgroup_memory(root);
}

uint64_t __wrap_hdi_probe_kilobytes(const char *root, const char *path, const char *key) {
  bool asked = root[0] == '\0' && strcmp(path, "/proc/meminfo") == 0 && strcmp(key, "MemAvailable:") == 0;
  return asked && available != 0 ? available : __real_hdi_probe_kilobytes(root, path, key);
}

uint64_t __wrap_hdi_probe_address_space(void) {
  return address_space != 0 ? address_space : __real_hdi_probe_address_space();
}

/* The clock stands still while a test says so. */
static time_t stopped_at;
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
  if (stopped_at == 0) {
    return __real_clock_gettime(clock, now);
  }
  *now = (struct timespec){.tv_sec = stopped_at};
  return 0;
}

static void assert_near(double value, double expected) {
  cr_assert(value > expected - 1e-5 && value < expected + 1e-5, "%f instead of %f", value, expected);
}

Test(machine, time_goes_on) {
  double before = hd_machine_seconds(), after = before;
  cr_assert(before > 0);
  for (long i = 0; after == before && i < 100000000; i++) {
    after = hd_machine_seconds();
    cr_assert(after >= before);
  }
  cr_assert(after > before && after - before < 60);
}

Test(machine, resident_size_follows_use) {
  enum { SIZE = 64 << 20 };
  size_t before = hd_machine_resident_bytes();
  cr_assert(before > 100000);
  char *block = malloc(SIZE);
  cr_assert(block != NULL);
  for (volatile char *at = block; at < block + SIZE; at += 1024) {
    *at = 1; /* volatile: an optimiser may not drop the block */
  }
  size_t during = hd_machine_resident_bytes();
  cr_assert(during >= before + SIZE / 2, "%zu then %zu", before, during);
  cr_assert(during < before + 4 * (size_t)SIZE);
  free(block);
  size_t peak = hd_machine_peak_bytes();
  cr_assert(peak >= during - (4 << 20) && peak < during + 4 * (size_t)SIZE, "peak %zu, seen %zu", peak, during);
}

Test(machine, memory_budget_is_four_fifths_of_the_least_limit) {
  enum { KNOWN = 3 };
  uint64_t *const limits[KNOWN] = {&group_limit, &available, &address_space};
  for (int tightest = 0; tightest < KNOWN; tightest++) {
    for (int i = 0; i < KNOWN; i++) {
      *limits[i] = i == tightest ? 5000000 : 6000000;
    }
    cr_assert(hd_machine_memory_bytes() == 4000000, "limit %d is not looked at", tightest);
    for (int i = 0; i < KNOWN; i++) {
      *limits[i] = i == tightest ? 5000000 : HDI_PROBE_UNKNOWN;
    }
    cr_assert(hd_machine_memory_bytes() == 4000000, "limit %d is not looked at alone", tightest);
  }
  group_limit = available = address_space = HDI_PROBE_UNKNOWN;
  cr_assert(hd_machine_memory_bytes() == SIZE_MAX / 2);
  group_limit = HDI_PROBE_UNKNOWN - 1;
  cr_assert(hd_machine_memory_bytes() == SIZE_MAX / 2);
}

Test(machine, recent_memory_budget_is_read_once_a_second) {
  available = address_space = HDI_PROBE_UNKNOWN;
  group_limit = 5000000;
  stopped_at = 1000;
  group_asked = 0;
  for (int i = 0; i < 100; i++) {
    cr_assert(hd_machine_recent_memory_bytes() == 4000000);
    group_limit = 10000000; /* not seen before the second is over */
  }
  cr_assert_eq(group_asked, 1u);
  stopped_at++;
  cr_assert(hd_machine_recent_memory_bytes() == 8000000);
  cr_assert(hd_machine_recent_memory_bytes() == 8000000);
  cr_assert_eq(group_asked, 2u);
}

Test(machine, memory_budget_fits_this_machine) {
  size_t budget = hd_machine_memory_bytes();
  uint64_t total = hdi_probe_kilobytes("", "/proc/meminfo", "MemTotal:");
  cr_assert(budget > (16u << 20));
  cr_assert(total == HDI_PROBE_UNKNOWN || budget <= total / 5 * 4);
}

Test(probe, address_space_is_the_process_limit) {
  pid_t child = fork(); /* the limit ends with the child, which only asks and leaves */
  if (child == 0) {
    struct rlimit limit;
    (void)getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = 123456789;
    bool good = setrlimit(RLIMIT_AS, &limit) == 0 && hdi_probe_address_space() == 123456789;
    _exit(good ? 0 : 1);
  }
  int state = 0;
  cr_assert(child > 0 && waitpid(child, &state, 0) == child);
  cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

Test(machine, huge_pages_are_a_power_of_two_or_off) {
  size_t bytes = hd_machine_huge_page_bytes();
  cr_assert(bytes == hdi_probe_huge_page(""));
  cr_assert(bytes == 0 || (bytes >= 65536 && (bytes & (bytes - 1)) == 0));
}

Test(probe, version_2_takes_the_least_of_all_ancestors) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "proc/self/cgroup", "0::/slice/job\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == HDI_PROBE_UNKNOWN);
  cr_assert(hdi_probe_cgroup_cores(folder.path) == 0);
  temp_folder_write_text(&folder, "sys/fs/cgroup/slice/job/memory.max", "max\n");
  temp_folder_write_text(&folder, "sys/fs/cgroup/slice/job/cpu.max", "max 100000\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == HDI_PROBE_UNKNOWN);
  cr_assert(hdi_probe_cgroup_cores(folder.path) == 0);
  temp_folder_write_text(&folder, "sys/fs/cgroup/slice/job/memory.max", "8000000\n");
  temp_folder_write_text(&folder, "sys/fs/cgroup/slice/job/cpu.max", "250000 100000\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == 8000000);
  assert_near(hdi_probe_cgroup_cores(folder.path), 2.5);
  temp_folder_write_text(&folder, "sys/fs/cgroup/slice/memory.max", "7000000\n");
  temp_folder_write_text(&folder, "sys/fs/cgroup/slice/cpu.max", "50000 100000\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == 7000000);
  assert_near(hdi_probe_cgroup_cores(folder.path), 0.5);
  temp_folder_write_text(&folder, "sys/fs/cgroup/slice/job/memory.high", "6000000\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == 6000000);
  temp_folder_write_text(&folder, "sys/fs/cgroup/memory.max", "5000000\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == 5000000, "the mount's root is the container's own group");
  temp_folder_remove(&folder);
}

Test(probe, groups_out_of_sight_end_at_the_root) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "proc/self/cgroup", "0::/../../host/job\n");
  temp_folder_write_text(&folder, "sys/fs/cgroup/memory.max", "4000000\n");
  temp_folder_write_text(&folder, "host/job/memory.max", "1\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == 4000000);
  temp_folder_write_text(&folder, "proc/self/cgroup", "0::/docker/not/here\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == 4000000);
  temp_folder_write_text(&folder, "proc/self/cgroup", "0::/\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == 4000000);
  temp_folder_remove(&folder);
}

Test(probe, version_1_has_a_tree_per_controller) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "proc/self/cgroup",
                         "12:memory:/a/b\n11:cpuset:/cs\n4:cpu,cpuacct:/c\n1:name=systemd:/s\n");
  temp_folder_write_text(&folder, "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == HDI_PROBE_UNKNOWN, "the largest number means no limit");
  temp_folder_write_text(&folder, "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3000000\n");
  temp_folder_write_text(&folder, "sys/fs/cgroup/memory/cs/memory.limit_in_bytes", "1\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == 3000000);
  temp_folder_write_text(&folder, "sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
  temp_folder_write_text(&folder, "sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n");
  cr_assert(hdi_probe_cgroup_cores(folder.path) == 0);
  temp_folder_write_text(&folder, "sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "150000\n");
  assert_near(hdi_probe_cgroup_cores(folder.path), 1.5);
  temp_folder_write_text(&folder, "proc/self/cgroup", "4:cpuacct,cpu:/c\n");
  assert_near(hdi_probe_cgroup_cores(folder.path), 1.5);
  temp_folder_write_text(&folder, "proc/self/cgroup", "4:cpuset,xcpu,cpux:/c\n");
  cr_assert(hdi_probe_cgroup_cores(folder.path) == 0, "only whole names count");
  temp_folder_remove(&folder);
}

Test(probe, hybrid_trees_are_seen_too) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "proc/self/cgroup", "3:memory:/m\n0::/u\n");
  temp_folder_write_text(&folder, "sys/fs/cgroup/unified/u/memory.max", "2000000\n");
  temp_folder_write_text(&folder, "sys/fs/cgroup/memory/m/memory.limit_in_bytes", "2500000\n");
  cr_assert(hdi_probe_cgroup_memory(folder.path) == 2000000);
  temp_folder_remove(&folder);
}

Test(probe, nonsense_means_unknown) {
  static const char *const groups[] = {"", "\n", "nonsense", "0:", "0::", ":::", "0::relative"};
  static const char *const limits[] = {"", "max", "-5", "0x10", "many 5", "99999999999999999999999"};
  temp_folder folder = temp_folder_make();
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
    temp_folder_write_text(&folder, "proc/self/cgroup", groups[i]);
    cr_assert(hdi_probe_cgroup_memory(folder.path) == HDI_PROBE_UNKNOWN);
    cr_assert(hdi_probe_cgroup_cores(folder.path) == 0);
  }
  temp_folder_write_text(&folder, "proc/self/cgroup", "0::/g\n");
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    temp_folder_write_text(&folder, "sys/fs/cgroup/g/memory.max", limits[i]);
    temp_folder_write_text(&folder, "sys/fs/cgroup/g/cpu.max", limits[i]);
    if (strcmp(limits[i], "0x10") != 0) { /* a zero with something behind it is a zero */
      cr_assert(hdi_probe_cgroup_memory(folder.path) == HDI_PROBE_UNKNOWN, "'%s'", limits[i]);
    }
    cr_assert(hdi_probe_cgroup_cores(folder.path) == 0, "'%s'", limits[i]);
  }
  temp_folder_write_text(&folder, "sys/fs/cgroup/g/cpu.max", "5 0");
  cr_assert(hdi_probe_cgroup_cores(folder.path) == 0);
  char *path = malloc(9001);
  memset(path, 'p', 9000);
  memcpy(path, "0::/", 4);
  path[9000] = '\0';
  temp_folder_write_text(&folder, "proc/self/cgroup", path);
  cr_assert(hdi_probe_cgroup_memory(folder.path) == HDI_PROBE_UNKNOWN);
  free(path);
  temp_folder_remove(&folder);
}

Test(probe, keys_are_found_at_line_starts) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "f",
                         "Total:  10 kB\nNot Avail: 1 kB\nAvail:\t 7 kB\nWord: kB\nBig: 99999999999999999 kB\n");
  cr_assert(hdi_probe_kilobytes(folder.path, "/f", "Total:") == 10240);
  cr_assert(hdi_probe_kilobytes(folder.path, "/f", "Avail:") == 7168);
  cr_assert(hdi_probe_kilobytes(folder.path, "/f", "Word:") == HDI_PROBE_UNKNOWN);
  cr_assert(hdi_probe_kilobytes(folder.path, "/f", "Big:") == HDI_PROBE_UNKNOWN);
  cr_assert(hdi_probe_kilobytes(folder.path, "/f", "None:") == HDI_PROBE_UNKNOWN);
  cr_assert(hdi_probe_kilobytes(folder.path, "/none", "Total:") == HDI_PROBE_UNKNOWN);
  temp_folder_remove(&folder);
}

Test(probe, huge_pages_are_off_when_the_kernel_says_never) {
  temp_folder folder = temp_folder_make();
  static const char enabled[] = "sys/kernel/mm/transparent_hugepage/enabled";
  static const char size[] = "sys/kernel/mm/transparent_hugepage/hpage_pmd_size";
  cr_assert(hdi_probe_huge_page(folder.path) == 0);
  temp_folder_write_text(&folder, enabled, "always [madvise] never\n");
  cr_assert(hdi_probe_huge_page(folder.path) == 0, "the size is unknown");
  temp_folder_write_text(&folder, size, "2097152\n");
  cr_assert(hdi_probe_huge_page(folder.path) == 2097152);
  temp_folder_write_text(&folder, enabled, "[always] madvise never\n");
  cr_assert(hdi_probe_huge_page(folder.path) == 2097152);
  temp_folder_write_text(&folder, enabled, "always madvise [never]\n");
  cr_assert(hdi_probe_huge_page(folder.path) == 0);
  temp_folder_remove(&folder);
}

Test(machine, vector_instructions_can_be_limited) {
  hd_simd best = hd_machine_simd();
  cr_assert_lt(best, HD_SIMD_COUNT);
  for (int most = HD_SIMD_NONE; most < HD_SIMD_COUNT; most++) {
    hd_machine_limit_simd((hd_simd)most);
    cr_assert_eq(hd_machine_simd(), (int)best < most ? best : (hd_simd)most);
    cr_assert_gt(strlen(hd_simd_name((hd_simd)most)), 3u);
  }
  cr_assert_eq(hd_machine_simd(), best);
}
