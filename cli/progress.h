/* The progress line on standard error. */
#ifndef HEDDLE_CLI_PROGRESS_H
#define HEDDLE_CLI_PROGRESS_H

#include "core/base/option.h"
#include "core/explore/explore.h"

#include <stdbool.h>

typedef struct hdi_progress_line {
  bool enabled;  /* show anything at all */
  bool terminal; /* one line that is drawn over; otherwise a line each time */
  bool drawn;    /* something stands there that must be erased */
} hdi_progress_line;

/* --progress auto shows it when standard error is a terminal; --quiet never. */
void hdi_progress_init(hdi_progress_line *line, const hd_options *options);
/* An hd_progress_fn whose payload is the line. Called by one worker at a time. */
void hdi_progress_show(void *payload, const hd_progress *progress);
/* Erases what is drawn, so that the next output begins on a clean line. */
void hdi_progress_erase(hdi_progress_line *line);

#endif
