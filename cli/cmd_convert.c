/* heddle convert FILE --to LANGUAGE: the same system in another language, ours or another tool's, on standard output or
 * in the file of --output, which appears whole or not at all.
 *
 * Under --format json the text is a fact of the result object ("conversion", or "output" with the file's name). What a
 * language cannot say is told, with exit code 2, and nothing is written. */
#include "cli/command.h"
#include "cli/run.h"
#include "cli/signals.h"

int hdi_cmd_convert(const hd_options *options) {
  hdi_input input;
  if (!hdi_input_read(&input, options->files.items[0])) {
    return hdi_out_of_memory();
  }
  hdi_signals_install();
  int code = hdi_run_input(options, &input, NULL);
  hdi_input_free(&input);
  return code;
}
