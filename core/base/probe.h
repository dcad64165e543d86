/* What the operating system says about limits, read below a given root folder so that tests can lay out their own.
 * Internal to core/base: machine.h and team.h are what others use. `root` is "" on a real machine. */
#ifndef HEDDLE_CORE_BASE_PROBE_H
#define HEDDLE_CORE_BASE_PROBE_H

#include <stddef.h>
#include <stdint.h>

#define HDI_PROBE_UNKNOWN UINT64_MAX

/* The tightest memory limit of the process's control group and its ancestors, in bytes (version 2 memory.max and
 * memory.high, version 1 memory.limit_in_bytes); HDI_PROBE_UNKNOWN when there is none. */
uint64_t hdi_probe_cgroup_memory(const char *root);
/* The tightest processor quota of the control group and its ancestors, in cores; 0 when there is none. */
double hdi_probe_cgroup_cores(const char *root);
/* The value of `key` (e.g. "MemAvailable:") in a "key value kB" file, in bytes; HDI_PROBE_UNKNOWN when absent. */
uint64_t hdi_probe_kilobytes(const char *root, const char *path, const char *key);
/* The limit on this process's address space (RLIMIT_AS) in bytes; HDI_PROBE_UNKNOWN when there is none. */
uint64_t hdi_probe_address_space(void);
/* Transparent huge pages: size in bytes, 0 when they are off or unknown. */
size_t hdi_probe_huge_page(const char *root);

#endif
