/* heddle explore FILE...: count states, transitions, levels and deadlocks of each file; speed and memory.
 *
 * The command gives no verdict: its exit code is 0 when everything was explored and 4 when a limit or a signal ended
 * the search. */
#include "cli/command.h"
#include "cli/run.h"

int hdi_cmd_explore(const hd_options *options) {
  return hdi_run_files(options);
}
