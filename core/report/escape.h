/* Text of unknown origin (file names, names from an input) made safe to print. Internal to the report and the command.
 */
#ifndef HEDDLE_CORE_REPORT_ESCAPE_H
#define HEDDLE_CORE_REPORT_ESCAPE_H

#include "core/base/buffer.h"

#include <stdbool.h>

/* Appends NUL-terminated `text` (NULL: nothing) as valid UTF-8: bytes that are not part of a well-formed character
 * become \xNN. With `control`, control characters (C0, DEL, C1) become \xNN too, byte by byte, so that nothing printed
 * can steer a terminal. Returns the number of characters appended, which is the width of the common scripts. */
size_t hdi_escape_text(hd_buffer *out, const char *text, bool control);

#endif
