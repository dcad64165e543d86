/* The command's standard output and standard error.
 *
 * A result that did not arrive must not look like one that did: every write is flushed and checked, a failure (a full
 * disk, a closed descriptor, a reader that went away) is remembered and turns the exit code into HDI_EXIT_WRITE. A
 * broken pipe is told by the exit code alone: whoever closed it knows.
 *
 * Threads: the main thread only; the progress line, which another thread draws, does not go through here. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_failed;

void hdi_output_open(void) {
  for (int descriptor = 0; descriptor <= 2; descriptor++) {
    if (fcntl(descriptor, F_GETFD) != -1) {
      continue;
    }
    /* Opened the wrong way round on purpose: using it must fail as a closed descriptor does. The lowest free number is
     * this descriptor's. */
    int opened = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    if (opened != descriptor && opened >= 0) {
      close(opened);
    }
  }
}

void hdi_output_write(FILE *stream, const char *data, size_t size_bytes) {
  if (write_failed && stream == stdout) {
    return;
  }
  errno = 0;
  size_t written = size_bytes == 0 ? 0 : fwrite(data, 1, size_bytes, stream);
  if (written == size_bytes && fflush(stream) == 0) {
    return;
  }
  int reason = errno;
  if (stream != stdout) {
    return; /* standard error: nobody is left to tell */
  }
  write_failed = true;
  if (reason != EPIPE) {
    fprintf(stderr, "heddle: error: cannot write standard output: %s [%s]\n", strerror(reason),
            hd_diag_code_text(HD_DIAG_WRITE));
  }
}

void hdi_output_text(FILE *stream, const char *text) {
  hdi_output_write(stream, text, strlen(text));
}

int hdi_output_close(int code) {
  hdi_output_write(stdout, "", 0);
  return write_failed ? HDI_EXIT_WRITE : code;
}

bool hdi_output_color(const hd_options *options, FILE *stream) {
  if (options->color != HD_WHEN_AUTO) {
    return options->color == HD_WHEN_ALWAYS;
  }
  const char *no_color = getenv("NO_COLOR");
  const char *terminal = getenv("TERM");
  bool dumb = terminal != NULL && strcmp(terminal, "dumb") == 0;
  return (no_color == NULL || *no_color == '\0') && !dumb && isatty(fileno(stream));
}

void hdi_output_diagnostics(const hd_options *options, const hd_diag *diag) {
  if (options->quiet && hd_diag_errors(diag) == 0) {
    return;
  }
  hd_diag_print(diag, stderr, isatty(fileno(stderr)), hdi_output_color(options, stderr));
}
