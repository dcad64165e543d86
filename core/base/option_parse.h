/* Parsing of option values and the search for near names; shared by option.c and option_help.c, internal to core/base.
 */
#ifndef HEDDLE_CORE_BASE_OPTION_PARSE_H
#define HEDDLE_CORE_BASE_OPTION_PARSE_H

#include "core/base/option.h"

#include <stddef.h>

typedef enum hdi_parsed { HDI_PARSED, HDI_PARSE_MALFORMED, HDI_PARSE_TOO_LARGE } hdi_parsed;

/* Decimal, no sign. */
hdi_parsed hdi_parse_uint(const char *text, uint32_t *value);
/* Bytes: decimal and one of B, K, M, G, T with an optional iB or B; powers of 1024, either case. */
hdi_parsed hdi_parse_size(const char *text, uint64_t *value);
/* Seconds: decimal with an optional fraction and one of ms, s, m, h. */
hdi_parsed hdi_parse_time(const char *text, double *value);
/* Index of `text` among the words of `choices` (split at '|'); -1 when absent. */
int hdi_parse_choice(const char *choices, const char *text);

/* Steps (insert, delete, replace, swap neighbours) from one word to the other; SIZE_MAX for words over 63 bytes. */
size_t hdi_word_distance(const char *a, size_t a_length, const char *b, size_t b_length);
/* Whether a word at this distance is worth suggesting for a word of `length` bytes. */
bool hdi_word_is_near(size_t distance, size_t length);

#endif
