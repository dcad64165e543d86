/* The word set's insertion by whole lines, see lines.c. */
#ifndef HEDDLE_TESTS_INTERLEAVE_LINES_H
#define HEDDLE_TESTS_INTERLEAVE_LINES_H

#include "hashing/word_set.h"

/* As hdi_word_set_insert_many. */
size_t il_insert_by_lines(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count, uint32_t *places,
                          uint8_t *answers);

#endif
