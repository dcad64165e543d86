/* The machine: limits read from folders laid out here, combined with what this machine really says. */
#include "core/base/machine.h"
#include "core/base/probe.h"
#include "tests/support/hd_test.h"
#include "tests/support/temp_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* getrlimit of the library passes through here (--wrap): a real limit would hit the test itself. */
int __wrap_getrlimit(int resource, struct rlimit *limit);
static rlim_t address_space = RLIM_INFINITY;

int __wrap_getrlimit(int resource, struct rlimit *limit) {
  cr_assert(resource == RLIMIT_AS);
  limit->rlim_cur = address_space;
  limit->rlim_max = RLIM_INFINITY;
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
  memset(block, 1, SIZE);
  size_t during = hd_machine_resident_bytes();
  cr_assert(during >= before + SIZE / 2, "%zu then %zu", before, during);
  cr_assert(during < before + 4 * (size_t)SIZE);
  cr_assert(block[SIZE - 1] == 1);
  free(block);
  size_t peak = hd_machine_peak_bytes();
  cr_assert(peak >= during - (4 << 20) && peak < during + 4 * (size_t)SIZE, "peak %zu, seen %zu", peak, during);
}

Test(machine, memory_budget_is_four_fifths_of_the_least_limit) {
  address_space = RLIM_INFINITY;
  size_t budget = hd_machine_memory_bytes();
  cr_assert(budget > (16u << 20));
  uint64_t total = hdi_probe_kilobytes("", "/proc/meminfo", "MemTotal:");
  cr_assert(total == HDI_PROBE_UNKNOWN || budget <= total / 5 * 4);
  uint64_t group = hdi_probe_cgroup_memory("");
  cr_assert(group == HDI_PROBE_UNKNOWN || budget <= group / 5 * 4);
  address_space = 5 << 20;
  cr_assert(hd_machine_memory_bytes() == 4 << 20);
  address_space = RLIM_INFINITY - 1; /* looser than what the machine has */
  cr_assert(hd_machine_memory_bytes() > (16u << 20));
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
