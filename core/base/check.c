/* The end of the road for failed checks.
 *
 * HD_REQUIRE, HD_ASSERT and HD_INVARIANT call hdi_check_failed, which hands the place and the condition's text to the
 * host's handler and then aborts. The library prints nothing itself: what a user sees is the host's choice.
 * A handler may leave by longjmp (tests do); when it returns, abort() follows, so that no code runs after a broken
 * contract.
 * Threads: the handler is a plain variable, set before threads start and only read afterwards. */
#include "core/base/check.h"

#include <stdlib.h>

static hd_check_handler installed;

void hd_check_set_handler(hd_check_handler handler) {
  installed = handler;
}

void hdi_check_failed(const char *file, int line, const char *condition) {
  if (installed != NULL) {
    installed(file, line, condition);
  }
  abort();
}
