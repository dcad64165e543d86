/* The command line, parsed by a table.
 *
 *   option.def --> hd_option_rows[]: kind, name, letter, ..., offset of the field in hd_options
 *   argv --> one pass: options set their field through the offset, the rest is positional
 *        --> after the pass: the first positional is the command, and only then can "does this option belong to this
 *            command" and "how many files" be answered, because options may stand before the command
 *
 * Nothing here knows a single option's name: a new row is parsed, checked, listed by --help and suggested without a
 * change. --help and --version are the only names outside the table, since they end the work of any command.
 * The first mistake ends the parse; it is reported with the nearest name when one is near.
 * Invariant: hd_options_init leaves a value that hd_options_free accepts, and so does every outcome of the parse.
 * Threads: one owner. Cost: O(arguments x rows). */
#include "core/base/option.h"

#include "core/base/check.h"
#include "core/base/option_parse.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const hd_option_row hd_option_rows[] = {
#define HD_OPTION(field, kind, name, letter, argument, fallback, commands, help) \
  {HD_##kind, name, argument, fallback, help, letter, commands, offsetof(hd_options, field)},
#include "core/base/option.def"
#undef HD_OPTION
};
const size_t hd_option_row_count = sizeof hd_option_rows / sizeof hd_option_rows[0];
#define ROW_COUNT (sizeof hd_option_rows / sizeof hd_option_rows[0])

typedef struct command_row {
  const char *name, *arguments;
} command_row;

static const command_row command_rows[HD_COMMAND_COUNT] = {
#define HDI_COMMAND_ROW(identifier, name, arguments, help) {name, arguments},
    HD_COMMAND_TABLE(HDI_COMMAND_ROW)
#undef HDI_COMMAND_ROW
};

typedef struct parser {
  hd_options *options;
  hd_diag *diag;
  int argc, next; /* next: index of the next argument to look at */
  char *const *argv;
  const char *command;  /* the first positional argument; NULL so far */
  bool seen[ROW_COUNT]; /* which options were given */
} parser;

const char *hd_command_name(hd_command command) {
  return (size_t)command < HD_COMMAND_COUNT ? command_rows[command].name : "";
}

static void *field_of(hd_options *options, const hd_option_row *row) {
  return (unsigned char *)options + row->offset;
}

/* Sets the field of a row that takes a value. Lists are the caller's business. */
static hdi_parsed set_value(hd_options *options, const hd_option_row *row, const char *text) {
  void *field = field_of(options, row);
  switch (row->kind) {
    case HD_UINT:
      return hdi_parse_uint(text, field);
    case HD_SIZE:
      return hdi_parse_size(text, field);
    case HD_TIME:
      return hdi_parse_time(text, field);
    case HD_CHOICE: {
      int index = hdi_parse_choice(row->argument, text);
      if (index < 0) {
        return HDI_PARSE_MALFORMED;
      }
      *(int *)field = index;
      return HDI_PARSED;
    }
    case HD_TEXT:
      *(const char **)field = text;
      return HDI_PARSED;
    case HD_FLAG:
    case HD_NEGATED:
    case HD_LIST:
      break;
  }
  return HDI_PARSE_MALFORMED;
}

void hd_options_init(hd_options *options) {
  memset(options, 0, sizeof *options);
  options->command = HD_COMMAND_COUNT;
  for (size_t i = 0; i < hd_option_row_count; i++) {
    const hd_option_row *row = &hd_option_rows[i];
    if (row->kind == HD_NEGATED) {
      *(bool *)field_of(options, row) = true;
    } else if (row->fallback[0] != '\0') {
      hdi_parsed parsed = set_value(options, row, row->fallback);
      HD_REQUIRE(parsed == HDI_PARSED); /* the table is ours */
    }
  }
}

static const void *field_in(const hd_options *options, const hd_option_row *row) {
  return (const unsigned char *)options + row->offset;
}

static bool differ(const hd_options *a, const hd_options *b, const hd_option_row *row) {
  const void *left = field_in(a, row), *right = field_in(b, row);
  switch (row->kind) {
    case HD_FLAG:
    case HD_NEGATED:
      return *(const bool *)left != *(const bool *)right;
    case HD_UINT:
      return *(const uint32_t *)left != *(const uint32_t *)right;
    case HD_SIZE:
      return *(const uint64_t *)left != *(const uint64_t *)right;
    case HD_TIME:
      return *(const double *)left > *(const double *)right || *(const double *)left < *(const double *)right;
    case HD_CHOICE:
      return *(const int *)left != *(const int *)right;
    case HD_TEXT:
      return *(const char *const *)left != *(const char *const *)right;
    case HD_LIST:
      return ((const hd_text_list *)left)->count != 0;
  }
  return false;
}

bool hd_options_is_set(const hd_options *options, const char *name) {
  size_t i = 0;
  while (i < hd_option_row_count && strcmp(hd_option_rows[i].name, name) != 0) {
    i++;
  }
  HD_REQUIRE(i < hd_option_row_count);
  hd_options defaults;
  hd_options_init(&defaults); /* holds no memory */
  return differ(options, &defaults, &hd_option_rows[i]);
}

void hd_options_free(hd_options *options) {
  for (size_t i = 0; i < hd_option_row_count; i++) {
    if (hd_option_rows[i].kind == HD_LIST) {
      hd_text_list *list = field_of(options, &hd_option_rows[i]);
      free(list->items);
      *list = (hd_text_list){0};
    }
  }
  free(options->files.items);
  options->files = (hd_text_list){0};
}

static hd_status append(parser *p, hd_text_list *list, const char *item) {
  if (list->items == NULL) {
    /* No list is longer than the command line: one allocation each, and appending cannot fail later. */
    list->items = calloc((size_t)p->argc, sizeof list->items[0]);
    if (list->items == NULL) {
      return HD_E_NOMEM;
    }
  }
  list->items[list->count++] = item;
  return HD_OK;
}

#define USAGE(p, hint, ...) \
  (hd_diag_add((p)->diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, hint, __VA_ARGS__), HD_E_USAGE)

typedef struct suggestion {
  char text[96]; /* "did you mean '...'?" */
  size_t distance;
} suggestion;

/* Keeps `candidate` when it is near `word` and nearer than what is kept. */
static void consider(suggestion *best, const char *word, size_t length, const char *prefix, const char *candidate,
                     size_t candidate_length) {
  size_t distance = hdi_word_distance(word, length, candidate, candidate_length);
  if (!hdi_word_is_near(distance, length) || (best->text[0] != '\0' && distance >= best->distance)) {
    return;
  }
  best->distance = distance;
  (void)snprintf(best->text, sizeof best->text, "did you mean '%s%.*s'?", prefix, (int)candidate_length, candidate);
}

static hd_status unknown_option(parser *p, const char *name, size_t length) {
  suggestion best = {{0}, 0};
  for (size_t i = 0; i < hd_option_row_count; i++) {
    consider(&best, name, length, "--", hd_option_rows[i].name, strlen(hd_option_rows[i].name));
  }
  consider(&best, name, length, "--", "help", strlen("help"));
  consider(&best, name, length, "--", "version", strlen("version"));
  return USAGE(p, best.text[0] != '\0' ? best.text : "'heddle --help' lists the options", "unknown option '--%.*s'",
               (int)length, name);
}

static hd_status unknown_command(parser *p) {
  suggestion best = {{0}, 0};
  for (size_t i = 0; i < HD_COMMAND_COUNT; i++) {
    consider(&best, p->command, strlen(p->command), "", command_rows[i].name, strlen(command_rows[i].name));
  }
  return USAGE(p, best.text[0] != '\0' ? best.text : "'heddle --help' lists the commands", "unknown command '%s'",
               p->command);
}

/* What a wrong value should have looked like. */
static const char *expected_value(const hd_option_row *row) {
  switch (row->kind) {
    case HD_UINT:
      return "expected a whole number, at most 4294967295";
    case HD_SIZE:
      return "expected a size such as 512M or 4G (K, M, G, T; below 16777216T)";
    case HD_TIME:
      return "expected a time such as 500ms, 30s, 5m or 1h";
    case HD_CHOICE:
    case HD_FLAG:
    case HD_NEGATED:
    case HD_TEXT:
    case HD_LIST:
      break;
  }
  return "expected another value";
}

static hd_status wrong_value(parser *p, const hd_option_row *row, const char *value, hdi_parsed why) {
  if (row->kind != HD_CHOICE) {
    return USAGE(p, expected_value(row), "%s '%s' for option '--%s'",
                 why == HDI_PARSE_TOO_LARGE ? "too large a value" : "wrong value", value, row->name);
  }
  suggestion best = {{0}, 0};
  for (const char *word = row->argument; *word != '\0';) {
    size_t length = strcspn(word, "|");
    consider(&best, value, strlen(value), "", word, length);
    word += length + (word[length] == '|');
  }
  return USAGE(p, best.text[0] != '\0' ? best.text : NULL, "wrong value '%s' for option '--%s': expected one of %s",
               value, row->name, row->argument);
}

static bool takes_value(const hd_option_row *row) {
  return row->kind != HD_FLAG && row->kind != HD_NEGATED;
}

/* Applies one option. `value` is what stood in the same argument, NULL when nothing did. */
static hd_status apply(parser *p, const hd_option_row *row, const char *value) {
  p->seen[row - hd_option_rows] = true;
  if (!takes_value(row)) {
    *(bool *)field_of(p->options, row) = row->kind == HD_FLAG;
    return HD_OK;
  }
  if (value == NULL) {
    if (p->next >= p->argc) {
      return USAGE(p, NULL, "option '--%s' needs a value (%s)", row->name, row->argument);
    }
    value = p->argv[p->next++];
  }
  if (row->kind == HD_LIST) {
    return append(p, field_of(p->options, row), value);
  }
  hdi_parsed parsed = set_value(p->options, row, value);
  return parsed == HDI_PARSED ? HD_OK : wrong_value(p, row, value, parsed);
}

/* --help and --version; NULL for other names. */
static bool *special(hd_options *options, const char *name, size_t length) {
  if (length == strlen("help") && memcmp(name, "help", length) == 0) {
    return &options->help;
  }
  if (length == strlen("version") && memcmp(name, "version", length) == 0) {
    return &options->version;
  }
  return NULL;
}

static const hd_option_row *find_long(const char *name, size_t length) {
  for (size_t i = 0; i < hd_option_row_count; i++) {
    if (strlen(hd_option_rows[i].name) == length && memcmp(hd_option_rows[i].name, name, length) == 0) {
      return &hd_option_rows[i];
    }
  }
  return NULL;
}

static hd_status parse_long(parser *p, const char *argument) {
  const char *name = argument + 2;
  size_t length = strcspn(name, "=");
  const char *value = name[length] == '=' ? name + length + 1 : NULL;
  bool *flag = special(p->options, name, length);
  const hd_option_row *row = find_long(name, length);
  if (flag == NULL && row == NULL) {
    return unknown_option(p, name, length);
  }
  if (value != NULL && (flag != NULL || !takes_value(row))) {
    return USAGE(p, NULL, "option '--%.*s' takes no value", (int)length, name);
  }
  if (flag != NULL) {
    *flag = true;
    return HD_OK;
  }
  return apply(p, row, value);
}

static hd_status parse_cluster(parser *p, const char *argument) {
  for (const char *letter = argument + 1; *letter != '\0'; letter++) {
    if (*letter == 'h' || *letter == 'V') {
      *(*letter == 'h' ? &p->options->help : &p->options->version) = true;
      continue;
    }
    const hd_option_row *row = NULL;
    for (size_t i = 0; i < hd_option_row_count; i++) {
      row = hd_option_rows[i].letter == *letter ? &hd_option_rows[i] : row;
    }
    if (row == NULL) {
      return USAGE(p, "'heddle --help' lists the options", "unknown option '-%c' in '%s'", *letter, argument);
    }
    const char *value = takes_value(row) && letter[1] != '\0' ? letter + 1 : NULL;
    hd_status status = apply(p, row, value);
    if (status != HD_OK || takes_value(row)) {
      return status;
    }
  }
  return HD_OK;
}

static hd_status parse_arguments(parser *p) {
  bool options_end = false;
  while (p->next < p->argc) {
    const char *argument = p->argv[p->next++];
    hd_status status = HD_OK;
    if (!options_end && strcmp(argument, "--") == 0) {
      options_end = true;
    } else if (!options_end && argument[0] == '-' && argument[1] == '-') {
      status = parse_long(p, argument);
    } else if (!options_end && argument[0] == '-' && argument[1] != '\0') {
      status = parse_cluster(p, argument);
    } else if (p->command == NULL) {
      p->command = argument;
    } else {
      status = append(p, &p->options->files, argument);
    }
    if (status != HD_OK) {
      return status;
    }
  }
  return HD_OK;
}

static hd_status find_command(parser *p) {
  if (p->command == NULL) {
    p->options->help = p->options->help || !p->options->version;
    return HD_OK;
  }
  for (size_t i = 0; i < HD_COMMAND_COUNT; i++) {
    if (strcmp(command_rows[i].name, p->command) == 0) {
      p->options->command = (hd_command)i;
      return HD_OK;
    }
  }
  return unknown_command(p);
}

/* Whether every option given belongs to the command. */
static hd_status check_options(parser *p) {
  for (size_t i = 0; i < ROW_COUNT; i++) {
    const hd_option_row *row = &hd_option_rows[i];
    if (!p->seen[i] || (row->commands >> p->options->command & 1u) != 0) {
      continue;
    }
    char hint[128] = "it belongs to:";
    for (size_t c = 0; c < HD_COMMAND_COUNT; c++) {
      if ((row->commands >> c & 1u) != 0) {
        size_t used = strlen(hint);
        (void)snprintf(hint + used, sizeof hint - used, " %s", command_rows[c].name);
      }
    }
    return USAGE(p, hint, "command '%s' has no option '--%s'", p->command, row->name);
  }
  return HD_OK;
}

/* Whether the number of files fits the command's arguments: one per word, any number from one on with "...". */
static hd_status check_files(parser *p) {
  const char *arguments = command_rows[p->options->command].arguments;
  size_t wanted = arguments[0] != '\0';
  for (const char *at = arguments; *at != '\0'; at++) {
    wanted += *at == ' ';
  }
  bool any_number = strstr(arguments, "...") != NULL;
  size_t given = p->options->files.count;
  if (given < wanted) {
    return USAGE(p, "'-' is standard input", "command '%s' needs %s", p->command, arguments);
  }
  if (given > wanted && !any_number) {
    return USAGE(p, NULL, "unexpected argument '%s' for command '%s'", p->options->files.items[wanted], p->command);
  }
  return HD_OK;
}

hd_status hd_options_parse(hd_options *options, int argc, char *const *argv, hd_diag *diag) {
  HD_REQUIRE(options != NULL && (argc < 1 || argv != NULL));
  parser p = {.options = options, .diag = diag, .argc = argc, .next = 1, .argv = argv};
  hd_status status = parse_arguments(&p);
  if (status == HD_OK) {
    status = find_command(&p);
  }
  if (status != HD_OK || options->help || options->version) {
    return status;
  }
  status = check_options(&p);
  return status == HD_OK ? check_files(&p) : status;
}
