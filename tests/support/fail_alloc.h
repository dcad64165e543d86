/* Makes the library's allocations fail on purpose. A test program that uses it links fail_alloc.c with
 * hd_fail_alloc(<target>) (tests/support/fail_alloc.cmake): calls of malloc, calloc, realloc, aligned_alloc and mmap
 * from objects of the program, heddle's library included, then pass through here. */
#ifndef HEDDLE_TESTS_SUPPORT_FAIL_ALLOC_H
#define HEDDLE_TESTS_SUPPORT_FAIL_ALLOC_H

#include <stdint.h>

/* Lets the next `successes` allocations succeed and fails the one after; when `for_good`, all further ones too. */
void hd_fail_alloc_after(uint64_t successes, int for_good);
/* Nothing fails any more. Returns how many allocations were made since hd_fail_alloc_after. */
uint64_t hd_fail_alloc_stop(void);

#endif
