/* Words for status values.
 *
 * One constant table made from HD_STATUS_TABLE, indexed by the enum's value, so that a new status cannot be forgotten
 * here. A value outside the enum (a host may cast) gets words of its own instead of an out-of-bounds read.
 * Threads: constant data, any thread. Cost: O(1). */
#include "core/base/status.h"

#include <stddef.h>

static const char *const words_of[] = {
#define HDI_STATUS_WORDS(name, words) words,
    HD_STATUS_TABLE(HDI_STATUS_WORDS)
#undef HDI_STATUS_WORDS
};

const char *hd_status_words(hd_status status) {
  size_t index = (size_t)status;
  return index < sizeof words_of / sizeof words_of[0] ? words_of[index] : "unknown status";
}
