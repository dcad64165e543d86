/* Command-line options from one table (option.def): parser, --help, documentation and completions are made from it.
 *
 *   HD_OPTION(field, kind, "long", 'x', "ARG", "default", commands, "help text")
 *
 * kind: FLAG (bool), NEGATED (a `no-` flag that clears a bool whose default is true), UINT (uint32_t), SIZE (uint64_t
 * bytes, suffixes K M G T, optional iB/B), TIME (double seconds, suffixes ms s m h), CHOICE (int index into "ARG" split
 * at '|'), TEXT (const char *), LIST (repeatable text). `commands` is an OR of HD_COMMAND_* bits. */
#ifndef HEDDLE_CORE_BASE_OPTION_H
#define HEDDLE_CORE_BASE_OPTION_H

#include "core/base/diag.h"

#include <stdbool.h>
#include <stdint.h>

/* X(identifier, "name", "arguments", "one-line help") */
#define HD_COMMAND_TABLE(X)                                                                            \
  X(CHECK, "check", "FILE...", "verify; verdict and shortest counterexample")                          \
  X(REPAIR, "repair", "FILE", "find, prove and print the cheapest repairs (unified diff)")             \
  X(EXPLORE, "explore", "FILE...", "count: states, transitions, levels, deadlocks, speed, memory")     \
  X(PROJECT, "project", "FILE", "a choreography's peers (DOT, .fsa, .aut)")                            \
  X(CONVERT, "convert", "FILE", "write a system in another language (-t: Promela, Murphi, .fsa, ...)") \
  X(REPLAY, "replay", "FILE TRACE", "run a saved trace step by step")                                  \
  X(DOCTOR, "doctor", "", "what this build has, what this machine gives")

typedef enum hd_command {
#define HDI_COMMAND_ENUM(identifier, name, arguments, help) HD_COMMAND_##identifier,
  HD_COMMAND_TABLE(HDI_COMMAND_ENUM)
#undef HDI_COMMAND_ENUM
      HD_COMMAND_COUNT
} hd_command;

#define HD_IN(identifier) (1u << HD_COMMAND_##identifier)
#define HD_IN_ALL ((1u << HD_COMMAND_COUNT) - 1u)

/* A repeatable option's values, in order. */
typedef struct hd_text_list {
  const char **items; /* borrowed from argv */
  size_t count;
} hd_text_list;

/* What the CHOICE options hold; same order as their choices in option.def. */
typedef enum hd_format { HD_FORMAT_TEXT, HD_FORMAT_JSON } hd_format;
typedef enum hd_prefer { HD_PREFER_EITHER, HD_PREFER_RELAX, HD_PREFER_RESTRICT } hd_prefer;
typedef enum hd_strategy {
  HD_STRATEGY_COMPLETE,
  HD_STRATEGY_PAPER,
  HD_STRATEGY_BAD_ONLY,
  HD_STRATEGY_NAIVE
} hd_strategy;
typedef enum hd_repair_by { HD_BY_ANY, HD_BY_REORDERING, HD_BY_WEAK, HD_BY_STRONG, HD_BY_SECTIONS } hd_repair_by;
typedef enum hd_regions { HD_REGIONS_LEXICAL, HD_REGIONS_EXACT } hd_regions;
typedef enum hd_weak_as { HD_WEAK_AS_WATOMIC, HD_WEAK_AS_LOCK } hd_weak_as;
typedef enum hd_when { HD_WHEN_AUTO, HD_WHEN_NEVER, HD_WHEN_ALWAYS } hd_when;
typedef enum hd_target { HD_TO_FSA, HD_TO_DOT, HD_TO_AUT, HD_TO_PROMELA, HD_TO_MURPHI, HD_TO_CHOR } hd_target;

typedef bool hdi_option_FLAG;
typedef bool hdi_option_NEGATED;
typedef uint32_t hdi_option_UINT;
typedef uint64_t hdi_option_SIZE;
typedef double hdi_option_TIME;
typedef int hdi_option_CHOICE;
typedef const char *hdi_option_TEXT;
typedef hd_text_list hdi_option_LIST;

/* One field per row of option.def, plus what is not an option. */
typedef struct hd_options {
  hd_command command;
#define HD_OPTION(field, kind, name, letter, argument, fallback, commands, help) hdi_option_##kind field;
#include "core/base/option.def"
#undef HD_OPTION
  hd_text_list files; /* positional arguments after the command */
  bool help, version; /* --help, --version (or no command: help) */
} hd_options;

typedef enum hd_option_kind {
  HD_FLAG,
  HD_NEGATED,
  HD_UINT,
  HD_SIZE,
  HD_TIME,
  HD_CHOICE,
  HD_TEXT,
  HD_LIST
} hd_option_kind;

typedef struct hd_option_row {
  hd_option_kind kind;
  const char *name, *argument, *fallback, *help;
  char letter; /* 0: none */
  uint32_t commands;
  size_t offset; /* of the field in hd_options */
} hd_option_row;

extern const hd_option_row hd_option_rows[];
extern const size_t hd_option_row_count;

/* Fills *options with the defaults; the command is HD_COMMAND_COUNT. A TEXT option without a default is NULL. */
void hd_options_init(hd_options *options);
void hd_options_free(hd_options *options); /* frees the lists */
/* Parses argv[1..argc) into initialised options. Options may stand anywhere; `--` ends them; `-` is a file. Letters may
 * be clustered (-qv, -qj4); -h and -V are --help and --version. HD_E_USAGE with a diagnostic (HD001, with the nearest
 * option or command as hint) when wrong: also for an option of another command, and for too few or too many files. With
 * help or version set these last two are not checked. The command is the first positional argument; without one it
 * stays HD_COMMAND_COUNT and help is set unless version is. Strings are borrowed from argv. HD_E_NOMEM. */
hd_status hd_options_parse(hd_options *options, int argc, char *const *argv, hd_diag *diag);
/* True when the option of this long name has another value than its default. The name must exist. */
bool hd_options_is_set(const hd_options *options, const char *name);
/* Help text for `command`, or for heddle as a whole when command is HD_COMMAND_COUNT. Caller frees; NULL when memory is
 * out. */
char *hd_options_help(hd_command command);
const char *hd_command_name(hd_command command);

#endif
