/* What every fuzz target defines, and how it fails. */
#ifndef HEDDLE_TESTS_FUZZ_FUZZ_H
#define HEDDLE_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* One input. Called by libFuzzer, or by replay.c for every file of a folder. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

/* Ends the program with the words when there is a fault; libFuzzer then keeps the input. */
static inline void fuzz_demand(const char *fault) {
  if (fault != NULL) {
    (void)fprintf(stderr, "fault: %s\n", fault);
    abort();
  }
}

#endif
