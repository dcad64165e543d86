/* heddle repair FILE: what to change so that the input holds, each repair proved, as unified diffs on standard output.
 *
 * -o FILE receives the text as the best repair makes it, --in-place writes it over the input; both as a whole or not at
 * all, and only when the exit code is 0. An input that needs no repair is written to -o FILE unchanged. With -q
 * standard output is the best repair's diff alone, for `git apply` or `patch -p1`. */
#include "cli/command.h"
#include "cli/run.h"
#include "cli/signals.h"

#include <string.h>

static int check_options(const hd_options *options) {
  bool writes = options->output != NULL && *options->output != '\0';
  if (options->in_place && writes) {
    return hdi_usage_error(options, NULL, "--in-place and --output exclude each other");
  }
  if (options->in_place && strcmp(options->files.items[0], "-") == 0) {
    return hdi_usage_error(options, "use -o FILE", "--in-place needs a file, not standard input");
  }
  return 0;
}

int hdi_cmd_repair(const hd_options *options) {
  int code = check_options(options);
  if (code != 0) {
    return code;
  }
  hdi_input input;
  if (!hdi_input_read(&input, options->files.items[0])) {
    return hdi_out_of_memory();
  }
  hdi_signals_install();
  code = hdi_run_input(options, &input, NULL);
  hdi_input_free(&input);
  return code;
}
