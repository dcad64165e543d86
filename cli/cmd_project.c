/* heddle project FILE: the machines of a choreography's peers, as .fsa, DOT or .aut (--to), on standard output or in
 * the file of --output, which appears whole or not at all.
 *
 * Under --format json the projection is a fact of the result object ("projection", or "output" with the file's name).
 */
#include "cli/command.h"
#include "cli/run.h"
#include "cli/signals.h"

int hdi_cmd_project(const hd_options *options) {
  hdi_input input;
  if (!hdi_input_read(&input, options->files.items[0])) {
    return hdi_out_of_memory();
  }
  hdi_signals_install();
  int code = hdi_run_input(options, &input, NULL);
  hdi_input_free(&input);
  return code;
}
