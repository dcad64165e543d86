/* Content hashing with XXH3-64 (xxHash by Y. Collet, libxxhash >= 0.8, where the algorithm's output is frozen).
 *
 * The only file that includes xxhash.h. A word is hashed as its eight bytes in little-endian order, so that a value
 * stored in a file or printed in a report is the same on every machine.
 * Threads: pure functions. Cost: O(size). */
#include "core/base/hash.h"

#include "core/base/check.h"

#include <xxhash.h>

uint64_t hd_hash_bytes(const void *data, size_t size_bytes) {
  HD_REQUIRE(data != NULL || size_bytes == 0);
  return XXH3_64bits(data == NULL ? "" : data, size_bytes);
}

uint64_t hd_hash_word(uint64_t word) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) {
    bytes[i] = (unsigned char)(word >> (8 * i));
  }
  return XXH3_64bits(bytes, sizeof bytes);
}
