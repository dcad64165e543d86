/* The heddle command: parse the command line, dispatch, exit.
 *
 *   heddle COMMAND [OPTIONS] FILE...      heddle --help | --version | help [COMMAND]
 *
 * Everything that can be known to be wrong with a command line is told, with exit code 2, before any file is read. The
 * exit codes are those of docs and of heddle.h: 0 holds, 1 violated, 2 usage, 3 input or output file, 4 inconclusive,
 * 5 a bug of ours, which a failed check in any library also ends in.
 *
 * Options come from core/base/option.def; commands from HD_COMMAND_TABLE, whose rows the table below follows. */
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "core/base/check.h"
#include "frontends/drive.h"
#include "heddle/heddle.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int (*const commands[HD_COMMAND_COUNT])(const hd_options *options) = {
    [HD_COMMAND_CHECK] = hdi_cmd_check,     [HD_COMMAND_REPAIR] = hdi_cmd_repair,
    [HD_COMMAND_EXPLORE] = hdi_cmd_explore, [HD_COMMAND_PROJECT] = hdi_cmd_project,
    [HD_COMMAND_REPLAY] = hdi_cmd_replay,   [HD_COMMAND_CONVERT] = hdi_cmd_convert,
    [HD_COMMAND_DOCTOR] = hdi_cmd_doctor,
};

static void on_failed_check(const char *file, int line, const char *condition) {
  fprintf(stderr, "heddle: internal error: %s:%d: %s does not hold [%s]; please report it with the input\n", file, line,
          condition, hd_diag_code_text(HD_DIAG_INTERNAL));
  _exit(hd_status_exit_code(HD_E_INTERNAL));
}

int hdi_usage_error(const hd_options *options, const char *hint, const char *format, ...) {
  int code = hd_status_exit_code(HD_E_USAGE);
  hd_diag *diag = hd_diag_new();
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *message = length < 0 ? NULL : malloc((size_t)length + 1);
  if (diag != NULL && message != NULL) {
    vsnprintf(message, (size_t)length + 1, format, again);
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, hint, "%s", message);
    hdi_output_diagnostics(options, diag);
  }
  va_end(again);
  va_end(arguments);
  free(message);
  hd_diag_free(diag);
  return code;
}

/* The parser has counted the files; that standard input can be read only once is ours to know. */
static int check_files(const hd_options *options) {
  size_t standard_inputs = 0;
  for (size_t i = 0; i < options->files.count; i++) {
    standard_inputs += strcmp(options->files.items[i], "-") == 0;
  }
  return standard_inputs <= 1 ? 0 : hdi_usage_error(options, NULL, "standard input (-) can be read only once");
}

static int print_help(hd_command command) {
  char *help = hd_options_help(command);
  if (help == NULL) {
    fprintf(stderr, "heddle: error: %s\n", hd_status_words(HD_E_NOMEM));
    return hd_status_exit_code(HD_E_NOMEM);
  }
  hdi_output_text(stdout, help);
  free(help);
  return 0;
}

/* `heddle help [COMMAND]`, given the arguments after `help`. */
static int help_command(const hd_options *options, int count, char *const *names) {
  if (count == 0) {
    return print_help(HD_COMMAND_COUNT);
  }
  if (count > 1) {
    return hdi_usage_error(options, NULL, "help does not take the argument '%s'", names[1]);
  }
  for (int command = 0; command < HD_COMMAND_COUNT; command++) {
    if (strcmp(names[0], hd_command_name((hd_command)command)) == 0) {
      return print_help((hd_command)command);
    }
  }
  return hdi_usage_error(options, "'heddle help' lists the commands", "there is no command '%s'", names[0]);
}

/* A command line that was parsed. */
static int run_parsed(const hd_options *options, hd_diag *diag) {
  if (options->version) {
    hdi_output_text(stdout, "heddle " HEDDLE_VERSION_STRING "\n");
    return 0;
  }
  if (options->help) {
    return print_help(options->command);
  }
  hd_status valid = hd_drive_validate(options, diag);
  hdi_output_diagnostics(options, diag); /* warnings too */
  if (valid != HD_OK) {
    return hd_status_exit_code(HD_E_USAGE);
  }
  int code = check_files(options);
  if (code == 0) {
    code = hdi_emit_check(options);
  }
  return code != 0 ? code : commands[options->command](options);
}

int main(int argc, char **argv) {
  hdi_output_open();
  hdi_signals_ignore_pipe();
  hd_check_set_handler(on_failed_check);
  hd_options options;
  hd_options_init(&options);
  hd_diag *diag = hd_diag_new();
  int code = 0;
  if (diag == NULL) {
    code = hd_status_exit_code(HD_E_NOMEM);
  } else if (argc >= 2 && strcmp(argv[1], "help") == 0) {
    code = help_command(&options, argc - 2, argv + 2);
  } else {
    hd_status status = hd_options_parse(&options, argc, argv, diag);
    if (status == HD_OK) {
      code = run_parsed(&options, diag);
    } else {
      hdi_output_diagnostics(&options, diag);
      code = hd_status_exit_code(status);
    }
  }
  hd_options_free(&options);
  hd_diag_free(diag);
  return hdi_output_close(code);
}
