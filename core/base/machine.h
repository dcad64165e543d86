/* What the machine gives: clock, memory budget, resident size. */
#ifndef HEDDLE_CORE_BASE_MACHINE_H
#define HEDDLE_CORE_BASE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* Monotonic time in seconds since an arbitrary start. */
double hd_machine_seconds(void);
/* The most memory a search should use, in bytes: the least of the cgroup limit (v2, v1), RLIMIT_AS and MemAvailable,
 * times 0.8; SIZE_MAX / 2 when nothing is known. */
size_t hd_machine_memory_bytes(void);
/* Resident set of this process in bytes (0 when unknown), and its peak. */
size_t hd_machine_resident_bytes(void);
size_t hd_machine_peak_bytes(void);
/* Size of a huge page in bytes as advised by transparent huge pages; 0 when they are off. */
size_t hd_machine_huge_page_bytes(void);

#endif
