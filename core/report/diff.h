/* Unified diffs, as `patch` and `git apply` read them. */
#ifndef HEDDLE_CORE_REPORT_DIFF_H
#define HEDDLE_CORE_REPORT_DIFF_H

#include "core/base/buffer.h"

/* Appends the unified diff that makes `before` into `after`, with three lines of context; nothing when they are equal.
 * Lines end at \n only: a \r before it belongs to the line. `name` is the file's path, printed after a/ and b/ (a
 * leading / or ./ is left out, and names with odd characters are quoted as git does). Deterministic. HD_E_NOMEM leaves
 * the buffer failed. Cost: O((lines + D) * D) for D changed lines; past a few thousand of them the changed region is
 * replaced as a whole.
 * @source Myers, An O(ND) Difference Algorithm and Its Variations, Algorithmica 1986 */
hd_status hd_diff_print(const char *name, const char *before, size_t before_bytes, const char *after,
                        size_t after_bytes, hd_buffer *out);

#endif
