/* Test support: comparison of read Cwhile programs, and what must be true of every reading. */
#ifndef HEDDLE_TESTS_SUPPORT_CW_EQUAL_H
#define HEDDLE_TESTS_SUPPORT_CW_EQUAL_H

#include "frontends/cwhile/program.h"

/* The first difference, spans apart; NULL: none. */
const char *cw_difference(const hd_cw_program *a, const hd_cw_program *b);
/* Reads the bytes and complains about what no input may cause: a refusal without an error, a program whose spans lie
 * outside the text, a printed program that does not read back to the same one. NULL: nothing wrong. */
const char *cw_reading_fault(const char *data, size_t size_bytes);

#endif
