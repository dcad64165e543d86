/* Signals of the command.
 *
 *   first SIGINT or SIGTERM    sets the cancel flag; the search ends at its next look, the result says "inconclusive"
 *   second one                 has its default action again: the process ends at once
 *   SIGPIPE                    ignored, so that a write to a closed pipe fails with EPIPE and we end in order
 *
 * The handlers are installed when all inputs have been read: until then an interrupt has its default action, for
 * waiting on a terminal must end at once. The handler calls nothing but sigaction, which is async-signal-safe
 * (POSIX.1-2008, 2.4.3), and stores one lock-free atomic.
 *
 * Threads: the kernel delivers to any thread; the flag is read by all workers. */
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>

static hd_atomic_u32 cancel_flag;

static void set_action(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static void on_signal(int number) {
  /* Two signals at once both find this handler installed: the later one must still be the second. */
  /* HD-SYNC S1: relaxed; pairs with none (the searches read the flag through hd_request.cancel). Publishes: nothing,
   * the flag is the whole message. Why not weaker: workers read it while it is written. Why not stronger: no other
   * memory is read because of it. */
  bool is_second = hd_load_rlx(&cancel_flag) != 0;
  hd_store_rlx(&cancel_flag, 1u);
  set_action(SIGINT, SIG_DFL);
  set_action(SIGTERM, SIG_DFL);
  if (is_second) {
    raise(number); /* blocked while its handler runs, then deadly */
  }
}

void hdi_signals_ignore_pipe(void) {
  set_action(SIGPIPE, SIG_IGN);
}

void hdi_signals_install(void) {
  static const int numbers[] = {SIGINT, SIGTERM};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    struct sigaction before;
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
      set_action(numbers[i], on_signal);
    }
  }
}

const hd_atomic_u32 *hdi_signals_cancel(void) {
  return &cancel_flag;
}
