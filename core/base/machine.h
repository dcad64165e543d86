/* What the machine gives: clock, memory budget, resident size, vector instructions. */
#ifndef HEDDLE_CORE_BASE_MACHINE_H
#define HEDDLE_CORE_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Monotonic time in seconds since an arbitrary start. */
double hd_machine_seconds(void);
/* The most memory a search should use, in bytes: the least of the cgroup limit (v2, v1), RLIMIT_AS and MemAvailable,
 * times 0.8; SIZE_MAX / 2 when nothing is known. */
size_t hd_machine_memory_bytes(void);
/* The same, as it was at most a second ago: for who starts thousands of small searches, as repairs do. Any thread. */
size_t hd_machine_recent_memory_bytes(void);
/* Resident set of this process in bytes (0 when unknown), and its peak. */
size_t hd_machine_resident_bytes(void);
size_t hd_machine_peak_bytes(void);
/* Size of a huge page in bytes as advised by transparent huge pages, at most a second ago; 0 when they are off. Any
 * thread. */
size_t hd_machine_huge_page_bytes(void);

/* Vector instructions, each including those before it. X(identifier, "name") */
#define HD_SIMD_TABLE(X) \
  X(NONE, "none")        \
  X(AVX2, "AVX2")        \
  X(AVX512, "AVX-512 F, BW, DQ, VL")

typedef enum hd_simd {
#define HDI_SIMD_ENUM(identifier, name) HD_SIMD_##identifier,
  HD_SIMD_TABLE(HDI_SIMD_ENUM)
#undef HDI_SIMD_ENUM
      HD_SIMD_COUNT
} hd_simd;

/* The best that processor and operating system have, at most what hd_machine_limit_simd said. Any thread. */
hd_simd hd_machine_simd(void);
/* Uses no better instructions than these from now on, in what is made from now on: for comparisons. While no other
 * thread asks. */
void hd_machine_limit_simd(hd_simd most);
const char *hd_simd_name(hd_simd simd);

#endif
