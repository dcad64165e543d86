/* heddle repair FILE: what to change so that the input holds, each repair proved, as unified diffs on standard output.
 *
 * -o FILE receives the text as the best repair makes it, --in-place writes it over the input; both as a whole or not at
 * all, and only when the exit code is 0. An input that needs no repair is written to -o FILE unchanged. With -q
 * standard output is the best repair's diff alone, for `git apply` or `patch -p1`. */
#include "cli/command.h"
#include "cli/run.h"
#include "cli/signals.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_BYTES_MAX = 256, LOOK_MS = 100 };

/* Where answers come from. */
typedef struct answers {
  FILE *from;       /* a terminal is read without a buffer, so that poll knows what there is to read */
  const char *name; /* of the file; NULL: a terminal */
  bool terminal;
  bool shows;      /* the questions, on standard error */
  bool wrong;      /* an answer of the file is none, or it cannot be read */
  unsigned number; /* of the line */
  char line[ANSWER_BYTES_MAX];
} answers;

/* Waits for the terminal; false: a signal asked to stop, which must not have to wait for a line. */
static bool await_line(const answers *a) {
  struct pollfd terminal = {.fd = fileno(a->from), .events = POLLIN};
  for (;;) {
    /* HD-SYNC S2: relaxed; pairs with none (the handler's store in signals.c). Publishes: nothing, the flag is the
     * whole message. Why not weaker: it is written while it is read. Why not stronger: no other memory is read because
     * of it. */
    if (hd_load_rlx(hdi_signals_cancel()) != 0) {
      return false;
    }
    if (poll(&terminal, 1, LOOK_MS) > 0) {
      return true;
    }
  }
}

/* The line that was read last is no answer: a file is not asked again. */
static const char *refuse(answers *a) {
  a->wrong = true;
  fprintf(stderr, "%s:%u:1: error: '%s' is none of the choices [%s]\n", a->name, a->number, a->line,
          hd_diag_code_text(HD_DIAG_SYNTAX));
  fprintf(stderr, "  expected the number of an edit that is offered there (-v shows them), more, back, or q\n");
  return NULL;
}

static const char *ask(void *payload, const char *text, bool again) {
  answers *a = payload;
  if (again && a->name != NULL) {
    return refuse(a);
  }
  if (a->shows) {
    fputs(text, stderr);
    fflush(stderr);
  }
  do {
    if ((a->terminal && !await_line(a)) || fgets(a->line, sizeof a->line, a->from) == NULL) {
      if (ferror(a->from) != 0 && a->name != NULL) {
        a->wrong = true;
        fprintf(stderr, "%s: error: cannot be read: %s [%s]\n", a->name, strerror(errno),
                hd_diag_code_text(HD_DIAG_READ));
      }
      return NULL;
    }
    a->number++;
    a->line[strcspn(a->line, "\n")] = '\0';
  } while (a->line[strspn(a->line, " \t\r")] == '\0' || a->line[0] == '#');
  return a->line;
}

static int check_options(const hd_options *options) {
  bool writes = options->output != NULL && *options->output != '\0';
  if (options->in_place && writes) {
    return hdi_usage_error(options, NULL, "--in-place and --output exclude each other");
  }
  if (options->in_place && strcmp(options->files.items[0], "-") == 0) {
    return hdi_usage_error(options, "use -o FILE", "--in-place needs a file, not standard input");
  }
  bool choices = options->choices != NULL && *options->choices != '\0';
  if (options->interactive && choices) {
    return hdi_usage_error(options, NULL, "--interactive and --choices exclude each other");
  }
  if (options->interactive && (!isatty(fileno(stdin)) || strcmp(options->files.items[0], "-") == 0)) {
    return hdi_usage_error(options, "give the answers with --choices FILE", "--interactive needs a terminal");
  }
  if ((options->interactive || choices) && options->strategy == HD_STRATEGY_PAPER) {
    return hdi_usage_error(options, NULL, "--strategy paper makes its own choices");
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
  bool from_file = options->choices != NULL && *options->choices != '\0';
  answers a = {.from = from_file ? fopen(options->choices, "r") : stdin,
               .name = from_file ? options->choices : NULL,
               .terminal = options->interactive,
               .shows = options->interactive || options->verbose};
  if (options->interactive) {
    setvbuf(stdin, NULL, _IONBF, 0);
  }
  hdi_signals_install();
  if (a.from == NULL) {
    code = hdi_usage_error(options, NULL, "--choices %s cannot be read", options->choices);
  } else {
    bool asks = options->interactive || from_file;
    code = hdi_run_input_asking(options, &input, asks ? ask : NULL, &a);
    code = a.wrong ? hd_status_exit_code(HD_E_INPUT) : code;
  }
  if (from_file && a.from != NULL) {
    fclose(a.from);
  }
  hdi_input_free(&input);
  return code;
}
