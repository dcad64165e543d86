/* The progress line on standard error: states, states per second, frontier, level, memory.
 *
 * On a terminal one line is drawn over and over and erased at the end (CR, then "erase to end of line", ECMA-48); it
 * stays below 80 characters so that it never wraps. Elsewhere (--progress always into a file) every call prints a line
 * of its own.
 *
 * Threads: one worker of one search calls hdi_progress_show at a time, and the search has ended when the main thread
 * erases; hd_explore's end orders the two. */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

void hdi_progress_init(hdi_progress_line *line, const hd_options *options) {
  line->terminal = isatty(fileno(stderr));
  line->enabled =
      !options->quiet && (options->progress == HD_WHEN_ALWAYS || (options->progress == HD_WHEN_AUTO && line->terminal));
  line->drawn = false;
}

/* "987", "12.3k", "4.56M", "7.89G": four significant characters at most. */
static void format_count(char out[16], double count) {
  static const char suffixes[] = {'k', 'M', 'G', 'T'};
  if (count < 1000) {
    snprintf(out, 16, "%.0f", count);
    return;
  }
  size_t i = 0;
  for (count /= 1000; count >= 1000 && i + 1 < sizeof suffixes; i++) {
    count /= 1000;
  }
  snprintf(out, 16, "%.*f%c", count < 10 ? 2 : count < 100 ? 1 : 0, count, suffixes[i]);
}

void hdi_progress_show(void *payload, const hd_progress *progress) {
  hdi_progress_line *line = payload;
  if (!line->enabled) {
    return;
  }
  char states[16], rate[16], frontier[16];
  format_count(states, (double)progress->states);
  format_count(rate, progress->seconds > 0 ? (double)progress->states / progress->seconds : 0.0);
  format_count(frontier, (double)progress->frontier);
  fprintf(stderr, "%s%s states, %s/s, frontier %s, level %llu, %.0f MiB, %.1f s%s", line->terminal ? "\r\033[K" : "",
          states, rate, frontier, (unsigned long long)progress->level, (double)progress->memory_bytes / 1048576.0,
          progress->seconds, line->terminal ? "" : "\n");
  fflush(stderr);
  line->drawn = line->terminal;
}

void hdi_progress_erase(hdi_progress_line *line) {
  if (line->drawn) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
    line->drawn = false;
  }
}
