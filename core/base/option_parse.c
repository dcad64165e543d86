/* Option values: numbers with suffixes, choices, and near words for suggestions.
 *
 * Hand-written instead of strtoul and strtod: no signs, no leading blanks, no hexadecimal, no locale, and an overflow
 * is told apart from nonsense. A time is read as an integer over a power of ten, which gives the nearest double for
 * every time of up to 15 digits. Word distance is the restricted Damerau-Levenshtein distance (F. J. Damerau, "A
 * technique for computer detection and correction of spelling errors", CACM 7(3), 1964; optimal string alignment),
 * three rows of the table at a time. Threads: pure functions. Cost: O(length), distance O(length squared) for words of
 * at most 63 bytes. */
#include "core/base/option_parse.h"

#include <string.h>

#define WORD_MAX 63u
#define SECONDS_MAX 1e12

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static char lower(char c) {
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Reads digits from *at on; *at then points behind them. */
static hdi_parsed parse_digits(const char **at, uint64_t *value) {
  hdi_parsed result = is_digit(**at) ? HDI_PARSED : HDI_PARSE_MALFORMED;
  uint64_t number = 0;
  for (; is_digit(**at); ++*at) {
    uint64_t digit = (uint64_t)(**at - '0');
    if (number > (UINT64_MAX - digit) / 10) {
      result = HDI_PARSE_TOO_LARGE; /* the rest must still be digits to be a number at all */
    } else {
      number = number * 10 + digit;
    }
  }
  *value = number;
  return result;
}

hdi_parsed hdi_parse_uint(const char *text, uint32_t *value) {
  uint64_t number;
  hdi_parsed result = parse_digits(&text, &number);
  if (result == HDI_PARSE_MALFORMED || *text != '\0') {
    return HDI_PARSE_MALFORMED;
  }
  if (result == HDI_PARSE_TOO_LARGE || number > UINT32_MAX) {
    return HDI_PARSE_TOO_LARGE;
  }
  *value = (uint32_t)number;
  return HDI_PARSED;
}

/* The shift of a size suffix; -1 when it is none. */
static int size_shift(const char *suffix) {
  static const char letters[] = "kmgt";
  if (suffix[0] == '\0' || (lower(suffix[0]) == 'b' && suffix[1] == '\0')) {
    return 0;
  }
  const char *letter = strchr(letters, lower(suffix[0]));
  if (letter == NULL) {
    return -1;
  }
  const char *rest = suffix + 1;
  rest += lower(rest[0]) == 'i' && lower(rest[1]) == 'b';
  rest += lower(rest[0]) == 'b';
  return *rest == '\0' ? 10 * (int)(letter - letters + 1) : -1;
}

hdi_parsed hdi_parse_size(const char *text, uint64_t *value) {
  uint64_t number;
  hdi_parsed result = parse_digits(&text, &number);
  int shift = size_shift(text);
  if (result == HDI_PARSE_MALFORMED || shift < 0) {
    return HDI_PARSE_MALFORMED;
  }
  if (result == HDI_PARSE_TOO_LARGE || number > UINT64_MAX >> shift) {
    return HDI_PARSE_TOO_LARGE;
  }
  *value = number << shift;
  return HDI_PARSED;
}

/* Seconds per unit of a time suffix; 0 when it is none. */
static double time_unit(const char *suffix) {
  static const struct {
    const char *suffix;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(suffix, units[i].suffix) == 0) {
      return units[i].seconds;
    }
  }
  return 0;
}

hdi_parsed hdi_parse_time(const char *text, double *value) {
  uint64_t number = 0;
  hdi_parsed result = parse_digits(&text, &number);
  double scale = 1;
  if (*text == '.' && is_digit(text[1]) && result != HDI_PARSE_MALFORMED) {
    for (text++; is_digit(*text); text++) {
      if (number < (uint64_t)1 << 52) { /* digits beyond a double's precision are dropped */
        number = number * 10 + (uint64_t)(*text - '0');
        scale *= 10;
      }
    }
  }
  double unit = time_unit(text);
  if (result == HDI_PARSE_MALFORMED || unit == 0) {
    return HDI_PARSE_MALFORMED;
  }
  double seconds = unit < 1 ? (double)number / (scale * 1000) : (double)number / scale * unit;
  if (result == HDI_PARSE_TOO_LARGE || seconds > SECONDS_MAX) {
    return HDI_PARSE_TOO_LARGE;
  }
  *value = seconds;
  return HDI_PARSED;
}

int hdi_parse_choice(const char *choices, const char *text) {
  size_t length = strlen(text);
  int index = 0;
  for (const char *word = choices;; index++) {
    size_t word_length = strcspn(word, "|");
    if (word_length == length && memcmp(word, text, length) == 0) {
      return index;
    }
    if (word[word_length] == '\0') {
      return -1;
    }
    word += word_length + 1;
  }
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t hdi_word_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
  if (a_length > WORD_MAX || b_length > WORD_MAX) {
    return SIZE_MAX;
  }
  size_t rows[3][WORD_MAX + 1];
  for (size_t k = 0; k <= b_length; k++) {
    rows[0][k] = k;
  }
  for (size_t i = 1; i <= a_length; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above_that = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t k = 1; k <= b_length; k++) {
      size_t replaced = above[k - 1] + (a[i - 1] != b[k - 1]);
      row[k] = least(replaced, least(above[k], row[k - 1]) + 1);
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        row[k] = least(row[k], above_that[k - 2] + 1);
      }
    }
  }
  return rows[a_length % 3][b_length];
}

bool hdi_word_is_near(size_t distance, size_t length) {
  return distance <= (length < 4 ? 1 : length / 3);
}
