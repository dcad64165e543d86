/* heddle replay FILE TRACE: run a saved trace (heddle.trace/1, from --emit trace) step by step on FILE.
 *
 * The exit code is 0 when every step can be taken, 3 when the trace does not fit the file; the steps and the
 * configurations between them are printed as a result. */
#include "cli/command.h"
#include "cli/run.h"
#include "cli/signals.h"

int hdi_cmd_replay(const hd_options *options) {
  hdi_input input = {0}, trace = {0};
  int code = 0;
  if (hdi_input_read(&input, options->files.items[0]) && hdi_input_read(&trace, options->files.items[1])) {
    hdi_signals_install();
    code = hdi_run_input(options, &input, &trace);
  } else {
    code = hdi_out_of_memory();
  }
  hdi_input_free(&trace);
  hdi_input_free(&input);
  return code;
}
