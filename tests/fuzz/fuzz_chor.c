/* Fuzz target: any bytes through the .chor reader. Read, print, read again must give the same file, and a refusal must
 * come with an error (see chor_reading_fault). */
#include "tests/fuzz/fuzz.h"
#include "tests/support/chor_equal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
  fuzz_demand(chor_reading_fault((const char *)data, size_bytes));
  return 0;
}
