/* The command line: every kind of option, every kind of mistake, and the help made from the table. */
#include "core/base/option.h"
#include "core/base/option_parse.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 24 };

/* Splits "check -j 4 f" at blanks; '~' stands for an empty argument. */
static int split(const char *line, char *buffer, size_t size, char *argv[ARGUMENTS_MAX]) {
  int argc = 0;
  cr_assert(strlen(line) < size);
  memcpy(buffer, line, strlen(line) + 1);
  argv[argc++] = "heddle";
  char *rest = buffer;
  for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
    cr_assert(argc < ARGUMENTS_MAX);
    argv[argc++] = strcmp(word, "~") == 0 ? word + 1 : word;
  }
  return argc;
}

typedef struct parsed {
  hd_options options;
  hd_status status;
  hd_diag *diag;
  char buffer[512];
  char *argv[ARGUMENTS_MAX];
} parsed;

static parsed *parse(const char *line) {
  parsed *p = calloc(1, sizeof *p);
  cr_assert(p != NULL);
  int argc = split(line, p->buffer, sizeof p->buffer, p->argv);
  p->diag = hd_diag_new();
  hd_options_init(&p->options);
  p->status = hd_options_parse(&p->options, argc, p->argv, p->diag);
  return p;
}

static void done(parsed *p) {
  hd_options_free(&p->options);
  hd_diag_free(p->diag);
  free(p);
}

static parsed *accept(const char *line) {
  parsed *p = parse(line);
  cr_assert(p->status == HD_OK, "'%s' is refused: %s", line,
            hd_diag_count(p->diag) == 0 ? "" : hd_diag_get(p->diag, 0)->message);
  cr_assert(hd_diag_count(p->diag) == 0);
  return p;
}

/* The line is a usage error whose only diagnostic has this message and hint (NULL: none). */
static void refuse(const char *line, const char *message, const char *hint) {
  parsed *p = parse(line);
  cr_assert(p->status == HD_E_USAGE, "'%s' is accepted", line);
  cr_assert(hd_diag_count(p->diag) == 1 && hd_diag_errors(p->diag) == 1);
  const hd_diagnostic *d = hd_diag_get(p->diag, 0);
  cr_assert(d->code == HD_DIAG_USAGE && d->position.line == 0);
  cr_assert(strcmp(d->message, message) == 0, "'%s': %s", line, d->message);
  cr_assert((d->hint == NULL) == (hint == NULL) && (hint == NULL || strcmp(d->hint, hint) == 0), "'%s': %s", line,
            d->hint == NULL ? "no hint" : d->hint);
  done(p);
}

Test(option, is_set_means_not_the_default) {
  hd_options options;
  hd_options_init(&options);
  for (size_t i = 0; i < hd_option_row_count; i++) {
    cr_assert(!hd_options_is_set(&options, hd_option_rows[i].name), "%s", hd_option_rows[i].name);
  }
  options.threads = 3;
  options.memory = 1;
  options.timeout = 0.5;
  options.native = true;
  options.reduction = false;
  options.store = 1;
  options.peer = "P";
  options.emit.count = 1;
  static const char *const set[] = {"threads", "memory", "timeout", "native", "no-reduction", "store", "peer", "emit"};
  size_t found = 0;
  for (size_t i = 0; i < hd_option_row_count; i++) {
    bool expected = false;
    for (size_t k = 0; k < sizeof set / sizeof set[0]; k++) {
      expected = expected || strcmp(set[k], hd_option_rows[i].name) == 0;
    }
    cr_assert_eq(hd_options_is_set(&options, hd_option_rows[i].name), expected, "%s", hd_option_rows[i].name);
    found += expected;
  }
  cr_assert_eq(found, sizeof set / sizeof set[0]);
}

Test(option, defaults_are_those_of_the_table) {
  hd_options options;
  memset(&options, 0xFF, sizeof options);
  hd_options_init(&options);
  cr_assert(options.command == HD_COMMAND_COUNT && !options.help && !options.version);
  cr_assert(options.threads == 0 && options.memory == 0 && options.timeout == 0 && options.depth == 0);
  cr_assert(options.bound == 1 && options.up_to == 0 && options.reduction && !options.all && !options.quiet);
  cr_assert(options.semantics == 0 && options.to == 0 && options.format == 0 && options.color == 0);
  cr_assert(options.peer == NULL && options.output == NULL && options.emit.count == 0 && options.files.count == 0);
  hd_options_free(&options);
}

Test(option, the_table_is_consistent) {
  for (size_t i = 0; i < hd_option_row_count; i++) {
    const hd_option_row *row = &hd_option_rows[i];
    bool flag = row->kind == HD_FLAG || row->kind == HD_NEGATED;
    cr_assert((row->argument[0] == '\0') == flag, "--%s", row->name);
    cr_assert((row->kind == HD_NEGATED) == (strncmp(row->name, "no-", 3) == 0), "--%s", row->name);
    cr_assert(row->commands != 0 && (row->commands & ~HD_IN_ALL) == 0);
    cr_assert(strlen(row->help) > 3 && strcmp(row->name, "help") != 0 && strcmp(row->name, "version") != 0);
    cr_assert(row->letter != 'h' && row->letter != 'V', "-h and -V are taken");
    for (size_t k = 0; k < i; k++) {
      cr_assert(strcmp(row->name, hd_option_rows[k].name) != 0);
      cr_assert(row->letter == 0 || row->letter != hd_option_rows[k].letter);
      cr_assert(row->offset != hd_option_rows[k].offset);
    }
  }
  for (int c = 0; c < HD_COMMAND_COUNT; c++) {
    cr_assert(strlen(hd_command_name((hd_command)c)) > 2);
  }
  cr_assert_str_eq(hd_command_name(HD_COMMAND_EXPLORE), "explore");
  cr_assert_str_eq(hd_command_name(HD_COMMAND_COUNT), "");
}

Test(option, every_spelling_sets_the_field) {
  static const char *const lines[] = {
      "check --threads=4 --memory=3K --timeout=250ms --semantics=p2p --no-reduction --emit=a --emit=b f g",
      "check f --threads 4 --memory 3K g --timeout 250ms --semantics p2p --no-reduction --emit a --emit b",
      "-j4 --memory 3KiB --timeout 0.25 check f --semantics p2p --emit a --no-reduction --emit=b -- g",
      "-j 4 --memory 3072 --no-reduction --timeout 0.25s --semantics p2p --emit a --emit b -- check f g",
  };
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    parsed *p = accept(lines[i]);
    const hd_options *o = &p->options;
    cr_assert(o->command == HD_COMMAND_CHECK && o->threads == 4 && o->memory == 3072 && o->timeout == 0.25);
    cr_assert(o->semantics == 1 && !o->reduction);
    cr_assert(o->emit.count == 2 && strcmp(o->emit.items[0], "a") == 0 && strcmp(o->emit.items[1], "b") == 0);
    cr_assert(o->files.count == 2 && strcmp(o->files.items[0], "f") == 0 && strcmp(o->files.items[1], "g") == 0);
    done(p);
  }
}

Test(option, letters_cluster) {
  parsed *p = accept("check -qvj8 f");
  cr_assert(p->options.quiet && p->options.verbose && p->options.threads == 8);
  done(p);
  p = accept("check -vk 3 f");
  cr_assert(p->options.verbose && !p->options.quiet && p->options.bound == 3);
  done(p);
  p = accept("project -tdot -o out f");
  cr_assert(p->options.to == 1 && strcmp(p->options.output, "out") == 0);
  done(p);
}

Test(option, the_last_of_several_values_holds) {
  parsed *p = accept("check -j1 --threads=2 -j 3 f");
  cr_assert(p->options.threads == 3);
  done(p);
}

Test(option, values_may_look_like_anything) {
  parsed *p = accept("project --output=a=b --peer -x f");
  cr_assert_str_eq(p->options.output, "a=b");
  cr_assert_str_eq(p->options.peer, "-x");
  done(p);
  p = accept("project --output= --peer ~ f");
  cr_assert_str_eq(p->options.output, "");
  cr_assert_str_eq(p->options.peer, "");
  done(p);
}

Test(option, a_dash_is_a_file_and_two_dashes_end_the_options) {
  parsed *p = accept("check - -q -- -j --threads --");
  cr_assert(p->options.quiet && p->options.threads == 0 && p->options.files.count == 4);
  cr_assert_str_eq(p->options.files.items[0], "-");
  cr_assert_str_eq(p->options.files.items[1], "-j");
  cr_assert_str_eq(p->options.files.items[3], "--");
  done(p);
}

Test(option, help_and_version_need_nothing_else) {
  static const struct {
    const char *line;
    hd_command command;
    bool help, version;
  } cases[] = {
      {"", HD_COMMAND_COUNT, true, false},
      {"-q", HD_COMMAND_COUNT, true, false},
      {"--help", HD_COMMAND_COUNT, true, false},
      {"-h", HD_COMMAND_COUNT, true, false},
      {"--version", HD_COMMAND_COUNT, false, true},
      {"-qV", HD_COMMAND_COUNT, false, true},
      {"check --help", HD_COMMAND_CHECK, true, false},
      {"--help replay", HD_COMMAND_REPLAY, true, false},
      {"doctor --up-to 3 -h", HD_COMMAND_DOCTOR, true, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    parsed *p = accept(cases[i].line);
    cr_assert(p->options.command == cases[i].command, "'%s'", cases[i].line);
    cr_assert(p->options.help == cases[i].help && p->options.version == cases[i].version, "'%s'", cases[i].line);
    done(p);
  }
  hd_options options;
  hd_options_init(&options);
  cr_assert(hd_options_parse(&options, 0, NULL, NULL) == HD_OK && options.help);
  hd_options_free(&options);
}

Test(option, unknown_names_suggest_the_nearest) {
  refuse("chekc f", "unknown command 'chekc'", "did you mean 'check'?");
  refuse("frobnicate f", "unknown command 'frobnicate'", "'heddle --help' lists the commands");
  refuse("check --thread=3 f", "unknown option '--thread'", "did you mean '--threads'?");
  refuse("check --no-reductoin f", "unknown option '--no-reductoin'", "did you mean '--no-reduction'?");
  refuse("check --hlep f", "unknown option '--hlep'", "did you mean '--help'?");
  refuse("check --reduction f", "unknown option '--reduction'", "did you mean '--no-reduction'?");
  refuse("check --frobnicate f", "unknown option '--frobnicate'", "'heddle --help' lists the options");
  refuse("check --=3 f", "unknown option '--'", "'heddle --help' lists the options");
  refuse("check -qx f", "unknown option '-x' in '-qx'", "'heddle --help' lists the options");
  refuse("check --semantics=mailbix f", "wrong value 'mailbix' for option '--semantics': expected one of mailbox|p2p",
         "did you mean 'mailbox'?");
  refuse("check --format=yaml f", "wrong value 'yaml' for option '--format': expected one of text|json", NULL);
  refuse("check --format= f", "wrong value '' for option '--format': expected one of text|json", NULL);
}

Test(option, wrong_values_say_what_was_expected) {
  static const char number[] = "expected a whole number, at most 4294967295";
  static const char size[] = "expected a size such as 512M or 4G (K, M, G, T; below 16777216T)";
  static const char time[] = "expected a time such as 500ms, 30s, 5m or 1h";
  refuse("check -j x f", "wrong value 'x' for option '--threads'", number);
  refuse("check -j -1 f", "wrong value '-1' for option '--threads'", number);
  refuse("check --bound=4294967296 f", "too large a value '4294967296' for option '--bound'", number);
  refuse("check --memory=4X f", "wrong value '4X' for option '--memory'", size);
  refuse("check --memory=16777216T f", "too large a value '16777216T' for option '--memory'", size);
  refuse("check --timeout=5d f", "wrong value '5d' for option '--timeout'", time);
  refuse("check --timeout=inf f", "wrong value 'inf' for option '--timeout'", time);
  refuse("check f --threads", "option '--threads' needs a value (N)", NULL);
  refuse("check f -qj", "option '--threads' needs a value (N)", NULL);
  refuse("check --quiet=yes f", "option '--quiet' takes no value", NULL);
  refuse("check --no-reduction=1 f", "option '--no-reduction' takes no value", NULL);
  refuse("check --help=x f", "option '--help' takes no value", NULL);
}

Test(option, options_of_other_commands_are_refused) {
  refuse("explore --up-to 3 f", "command 'explore' has no option '--up-to'", "it belongs to: check");
  refuse("--bound=2 project f", "command 'project' has no option '--bound'",
         "it belongs to: check repair explore convert");
  for (int c = 0; c < HD_COMMAND_COUNT; c++) {
    for (size_t i = 0; i < hd_option_row_count; i++) {
      const hd_option_row *row = &hd_option_rows[i];
      char line[128], value[32] = "";
      if (row->kind == HD_CHOICE) {
        (void)snprintf(value, sizeof value, "=%.*s", (int)strcspn(row->argument, "|"), row->argument);
      } else if (row->argument[0] != '\0') {
        (void)snprintf(value, sizeof value, "=1");
      }
      (void)snprintf(line, sizeof line, "%s --%s%s%s", hd_command_name((hd_command)c), row->name, value,
                     c == HD_COMMAND_DOCTOR   ? ""
                     : c == HD_COMMAND_REPLAY ? " f t"
                                              : " f");
      parsed *p = parse(line);
      cr_assert(p->status == ((row->commands >> c & 1u) != 0 ? HD_OK : HD_E_USAGE), "'%s'", line);
      done(p);
    }
  }
}

Test(option, the_number_of_files_must_fit_the_command) {
  refuse("check", "command 'check' needs FILE...", "'-' is standard input");
  refuse("replay f", "command 'replay' needs FILE TRACE", "'-' is standard input");
  refuse("replay f t x", "unexpected argument 'x' for command 'replay'", NULL);
  refuse("project f g", "unexpected argument 'g' for command 'project'", NULL);
  refuse("doctor f", "unexpected argument 'f' for command 'doctor'", NULL);
  done(accept("doctor"));
  done(accept("replay f t"));
  done(accept("explore a b c d"));
}

Test(option, a_sink_is_not_needed) {
  char *argv[] = {"heddle", "check", "--nonsense"};
  hd_options options;
  hd_options_init(&options);
  cr_assert(hd_options_parse(&options, 3, argv, NULL) == HD_E_USAGE);
  hd_options_free(&options);
}

Test(option, odd_arguments_do_no_harm) {
  char long_name[5000];
  memset(long_name, 'x', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = '\0';
  memcpy(long_name, "--", 2);
  char *lines[][3] = {{"heddle", long_name, NULL},
                      {"heddle", long_name + 2, NULL},
                      {"heddle", "-\xFF\xFE", NULL},
                      {"heddle", "", NULL},
                      {"heddle", "--\x01", NULL}};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    hd_diag *diag = hd_diag_new();
    hd_options options;
    hd_options_init(&options);
    cr_assert(hd_options_parse(&options, 2, lines[i], diag) == HD_E_USAGE);
    cr_assert(hd_diag_count(diag) == 1);
    hd_options_free(&options);
    hd_diag_free(diag);
  }
}

Test(option_parse, whole_numbers) {
  uint32_t value = 7;
  cr_assert(hdi_parse_uint("0", &value) == HDI_PARSED && value == 0);
  cr_assert(hdi_parse_uint("4294967295", &value) == HDI_PARSED && value == UINT32_MAX);
  cr_assert(hdi_parse_uint("000000000000000000000000012", &value) == HDI_PARSED && value == 12);
  static const char *const large[] = {"4294967296", "18446744073709551615", "18446744073709551616",
                                      "99999999999999999999999999999999"};
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
    cr_assert(hdi_parse_uint(large[i], &value) == HDI_PARSE_TOO_LARGE, "%s", large[i]);
  }
  static const char *const malformed[] = {"", "-1", "+1", " 1", "1 ", "0x1", "1.0", "1k", "99999999999999999999x"};
  for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
    cr_assert(hdi_parse_uint(malformed[i], &value) == HDI_PARSE_MALFORMED, "'%s'", malformed[i]);
  }
  cr_assert(value == 12, "a refused text changes nothing");
}

Test(option_parse, sizes) {
  static const struct {
    const char *text;
    uint64_t value;
  } good[] = {{"0", 0},
              {"17", 17},
              {"17B", 17},
              {"17b", 17},
              {"1K", 1024},
              {"1k", 1024},
              {"1KB", 1024},
              {"1KiB", 1024},
              {"1kib", 1024},
              {"3M", UINT64_C(3) << 20},
              {"4GiB", UINT64_C(4) << 30},
              {"2T", UINT64_C(2) << 40},
              {"16777215T", UINT64_C(16777215) << 40},
              {"18446744073709551615", UINT64_MAX}};
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    cr_assert(hdi_parse_size(good[i].text, &value) == HDI_PARSED && value == good[i].value, "%s", good[i].text);
  }
  static const char *const large[] = {"16777216T", "18446744073709551616", "18014398509481984K"};
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
    cr_assert(hdi_parse_size(large[i], &value) == HDI_PARSE_TOO_LARGE, "%s", large[i]);
  }
  static const char *const malformed[] = {"", "K", "-1K", "1Ki", "1iB", "1BB", "1KK", "1P", "1.5G", "1 K", "1Bi"};
  for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
    cr_assert(hdi_parse_size(malformed[i], &value) == HDI_PARSE_MALFORMED, "'%s'", malformed[i]);
  }
}

Test(option_parse, times) {
  static const struct {
    const char *text;
    double value;
  } good[] = {{"0", 0},
              {"30", 30},
              {"30s", 30},
              {"500ms", 0.5},
              {"5m", 300},
              {"1.5h", 5400},
              {"0.1", 0.1},
              {"0.1s", 0.1},
              {"12.345", 12.345},
              {"0.3ms", 0.0003},
              {"0.123456789012345678901234567890", 0.123456789012345678901234567890}};
  double value = 0;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    cr_assert(hdi_parse_time(good[i].text, &value) == HDI_PARSED, "%s", good[i].text);
    double error = value - good[i].value;
    cr_assert(error <= 1e-15 * good[i].value && -error <= 1e-15 * good[i].value, "%s is %.20g", good[i].text, value);
  }
  static const char *const large[] = {"1000000000001", "99999999999999999999", "999999999999h",
                                      "99999999999999999999.5m"};
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
    cr_assert(hdi_parse_time(large[i], &value) == HDI_PARSE_TOO_LARGE, "%s", large[i]);
  }
  static const char *const malformed[] = {"", "s", ".5", "5.", "5.s", "-1", "1e3", "nan", "1d", "1 s", "1sm", "1M"};
  for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
    cr_assert(hdi_parse_time(malformed[i], &value) == HDI_PARSE_MALFORMED, "'%s'", malformed[i]);
  }
}

Test(option_parse, choices) {
  cr_assert(hdi_parse_choice("a|bc|d", "a") == 0);
  cr_assert(hdi_parse_choice("a|bc|d", "bc") == 1);
  cr_assert(hdi_parse_choice("a|bc|d", "d") == 2);
  cr_assert(hdi_parse_choice("a|bc|d", "b") == -1);
  cr_assert(hdi_parse_choice("a|bc|d", "bcd") == -1);
  cr_assert(hdi_parse_choice("a|bc|d", "") == -1);
  cr_assert(hdi_parse_choice("a|bc|d", "a|bc") == -1);
}

static size_t distance(const char *a, const char *b) {
  size_t there = hdi_word_distance(a, strlen(a), b, strlen(b));
  cr_assert(there == hdi_word_distance(b, strlen(b), a, strlen(a)), "the distance is symmetric");
  return there;
}

Test(option_parse, word_distance) {
  cr_assert(distance("", "") == 0);
  cr_assert(distance("check", "check") == 0);
  cr_assert(distance("", "abc") == 3);
  cr_assert(distance("check", "chek") == 1);
  cr_assert(distance("check", "cehck") == 1);
  cr_assert(distance("check", "chick") == 1);
  cr_assert(distance("kitten", "sitting") == 3);
  cr_assert(distance("ca", "abc") == 3);
  char word[65];
  memset(word, 'a', 64);
  word[64] = '\0';
  cr_assert(distance(word, "a") == SIZE_MAX);
  cr_assert(distance(word + 1, "a") == 62);
  cr_assert(hdi_word_is_near(1, 1) && !hdi_word_is_near(2, 3) && hdi_word_is_near(2, 6) && !hdi_word_is_near(3, 8));
}

/* Whether the help has a line for the option, with its letter, argument and the first word of its explanation. */
static bool help_has(const char *help, const hd_option_row *row) {
  char left[96];
  int length = row->letter != 0 ? snprintf(left, sizeof left, "\n  -%c, --%s", row->letter, row->name)
                                : snprintf(left, sizeof left, "\n      --%s", row->name);
  (void)snprintf(left + length, sizeof left - (size_t)length, row->argument[0] == '\0' ? "%s" : "=%s", row->argument);
  const char *at = strstr(help, left);
  if (at == NULL) {
    return false;
  }
  at += strlen(left);
  at += strspn(at, " \n");
  return strncmp(at, row->help, strcspn(row->help, " ")) == 0;
}

Test(option_help, every_option_of_a_command_appears_and_no_other) {
  for (int c = 0; c < HD_COMMAND_COUNT; c++) {
    char *help = hd_options_help((hd_command)c);
    char usage[64];
    (void)snprintf(usage, sizeof usage, "Usage: heddle %s [OPTION]...", hd_command_name((hd_command)c));
    cr_assert(strncmp(help, usage, strlen(usage)) == 0);
    for (size_t i = 0; i < hd_option_row_count; i++) {
      cr_assert(help_has(help, &hd_option_rows[i]) == ((hd_option_rows[i].commands >> c & 1u) != 0), "%s --%s",
                hd_command_name((hd_command)c), hd_option_rows[i].name);
    }
    cr_assert(strstr(help, "--help") != NULL && strstr(help, "--version") != NULL);
    free(help);
  }
}

Test(option_help, the_overview_has_every_command_and_option) {
  char *help = hd_options_help(HD_COMMAND_COUNT);
  for (int c = 0; c < HD_COMMAND_COUNT; c++) {
    char line[32];
    (void)snprintf(line, sizeof line, "\n  %s ", hd_command_name((hd_command)c));
    cr_assert(strstr(help, line) != NULL, "%s", line);
  }
  for (size_t i = 0; i < hd_option_row_count; i++) {
    cr_assert(help_has(help, &hd_option_rows[i]), "--%s", hd_option_rows[i].name);
  }
  free(help);
}

Test(option_help, lines_fit_and_explanations_are_aligned) {
  for (int c = 0; c <= HD_COMMAND_COUNT; c++) {
    char *help = hd_options_help((hd_command)c);
    for (const char *line = help; *line != '\0';) {
      size_t length = strcspn(line, "\n");
      cr_assert(length <= 100, "%.*s", (int)length, line);
      cr_assert(length == 0 || line[length - 1] != ' ', "a blank at the end of '%.*s'", (int)length, line);
      line += length + 1;
    }
    cr_assert(help[strlen(help) - 1] == '\n');
    free(help);
  }
}

Test(option_help, defaults_are_told) {
  char *help = hd_options_help(HD_COMMAND_CHECK);
  cr_assert(strstr(help, "length of each queue (default: 1)\n") != NULL);
  cr_assert(strstr(help, "one per pair of peers (default: mailbox)\n") != NULL);
  cr_assert(strstr(help, "worker threads (default: all cores)\n") != NULL);
  cr_assert(strstr(help, "(default: 0)") == NULL);
  free(help);
}

static bool use_parser(void *payload, bool *succeeded) {
  (void)payload;
  char *argv[] = {"heddle", "check", "--emit", "a", "f", "--emit", "b", "g"};
  hd_options options;
  hd_options_init(&options);
  hd_status status = hd_options_parse(&options, 8, argv, NULL);
  bool good = status == HD_OK ? options.emit.count == 2 && options.files.count == 2 : status == HD_E_NOMEM;
  hd_options_free(&options);
  *succeeded = status == HD_OK;
  return good;
}

static bool use_help(void *payload, bool *succeeded) {
  char *help = hd_options_help(*(hd_command *)payload);
  *succeeded = help != NULL;
  bool good = help == NULL || help[strlen(help) - 1] == '\n';
  free(help);
  return good;
}

Test(option, no_memory_is_reported_and_nothing_leaks) {
  cr_assert(hd_fail_alloc_sweep(use_parser, NULL) == 4);
  hd_command check = HD_COMMAND_CHECK, overview = HD_COMMAND_COUNT;
  cr_assert(hd_fail_alloc_sweep(use_help, &check) > 40);
  cr_assert(hd_fail_alloc_sweep(use_help, &overview) > 50);
}
