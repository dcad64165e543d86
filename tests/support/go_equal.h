/* Test support: comparison of read Go files, and what must be true of every reading. */
#ifndef HEDDLE_TESTS_SUPPORT_GO_EQUAL_H
#define HEDDLE_TESTS_SUPPORT_GO_EQUAL_H

#include "frontends/minigo/program.h"

/* The first difference, spans and directives apart; NULL: none. */
const char *go_difference(const hd_go_file *a, const hd_go_file *b);
/* Reads the bytes as one file and complains about what no input may cause: a refusal without an error, spans outside of
 * the text or of what they are in, a printed file that does not read back to the same tree, or one that has not the
 * same tokens (signs that Go lets one leave out apart). NULL: nothing wrong. */
const char *go_reading_fault(const char *data, size_t size_bytes);

#endif
