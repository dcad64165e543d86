/* heddle check FILE...: verify each file; verdict and shortest counterexample.
 *
 * Everything is done by the shared runner; this file holds what is particular to the command: its exit code is the
 * verdict, the first of 5, 3, 1, 4, 0 when there are several files. */
#include "cli/command.h"
#include "cli/run.h"

int hdi_cmd_check(const hd_options *options) {
  return hdi_run_files(options);
}
