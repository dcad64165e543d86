/* Content hashing: XXH3 (xxHash, Collet) behind one header, so that every hash of the program is the same function. */
#ifndef HEDDLE_CORE_BASE_HASH_H
#define HEDDLE_CORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3-64 of `size_bytes` bytes at `data` (NULL only when the size is 0). Same value on every machine. */
uint64_t hd_hash_bytes(const void *data, size_t size_bytes);
/* XXH3-64 of one word. */
uint64_t hd_hash_word(uint64_t word);

#endif
