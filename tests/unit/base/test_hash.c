/* The hash is XXH3-64: vectors of the algorithm's own sanity test, and the properties that the rest relies on. */
#include "core/base/hash.h"
#include "tests/support/expect_failed_check.h"
#include "tests/support/hd_test.h"

/* The byte stream of xxHash's sanity test: top bytes of a geometric sequence. */
static void fill(unsigned char *bytes, size_t count) {
  uint64_t generator = 2654435761u;
  for (size_t i = 0; i < count; i++) {
    bytes[i] = (unsigned char)(generator >> 56);
    generator *= UINT64_C(11400714785074694797);
  }
}

Test(hash, equals_the_published_values) {
  static const struct {
    size_t length;
    uint64_t value;
  } vectors[] = {
      {0, 0x2D06800538D394C2},   {1, 0xC44BDFF4074EECDB},   {6, 0x27B56A84CD2D7325},    {12, 0xA713DAF0DFBB77E7},
      {24, 0xA3FE70BF9D3510EB},  {48, 0x397DA259ECBA1F11},  {80, 0xBCDEFBBB2C47C90A},   {195, 0xCD94217EE362EC3A},
      {403, 0xCDEB804D65C6DEA4}, {512, 0x617E49599013CB6B}, {2048, 0xDD59E2C3A5F038E0}, {2367, 0xCB37AEB9E5D361ED},
  };
  unsigned char bytes[2367];
  fill(bytes, sizeof bytes);
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    cr_assert(hd_hash_bytes(bytes, vectors[i].length) == vectors[i].value, "length %zu", vectors[i].length);
  }
  cr_assert(hd_hash_bytes("abc", 3) == 0x78AF5F94892F3950);
}

Test(hash, a_word_is_its_bytes_in_little_endian_order) {
  const unsigned char bytes[8] = {8, 7, 6, 5, 4, 3, 2, 1};
  cr_assert(hd_hash_word(0x0102030405060708) == hd_hash_bytes(bytes, 8));
  cr_assert(hd_hash_word(0) != hd_hash_word(1));
}

Test(hash, alignment_does_not_matter) {
  unsigned char bytes[64 + 300], moved[64 + 300];
  fill(bytes, sizeof bytes);
  for (size_t offset = 1; offset < 64; offset++) {
    for (size_t i = 0; i < 300; i++) {
      moved[offset + i] = bytes[i];
    }
    cr_assert(hd_hash_bytes(moved + offset, 300) == hd_hash_bytes(bytes, 300));
  }
}

Test(hash, nothing_may_be_null) {
  cr_assert(hd_hash_bytes(NULL, 0) == hd_hash_bytes("", 0));
  EXPECT_FAILED_CHECK(hd_hash_bytes(NULL, 1));
}
