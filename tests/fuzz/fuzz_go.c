/* Fuzz target: any bytes through the Go reader. Read, print, read again must give the same tree, and a refusal must
 * come with an error (see go_reading_fault). */
#include "tests/fuzz/fuzz.h"
#include "tests/support/go_equal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
  fuzz_demand(go_reading_fault((const char *)data, size_bytes));
  return 0;
}
