/* Signals: the first SIGINT or SIGTERM asks the search to stop, the second ends the process. */
#ifndef HEDDLE_CLI_SIGNALS_H
#define HEDDLE_CLI_SIGNALS_H

#include "core/base/atomic.h"

#include <stdbool.h>

/* Broken pipes become write errors from now on. Call once, first. */
void hdi_signals_ignore_pipe(void);
/* Installs the handlers for SIGINT and SIGTERM (a signal that the parent had ignored stays ignored). */
void hdi_signals_install(void);
/* The flag that the first signal sets; for hd_request.cancel. */
const hd_atomic_u32 *hdi_signals_cancel(void);

#endif
