/* One command on one input: the part that the heddle command and the C API share. */
#ifndef HEDDLE_FRONTENDS_DRIVE_H
#define HEDDLE_FRONTENDS_DRIVE_H

#include "frontends/frontend.h"

typedef struct hd_job {
  hd_command command;   /* CHECK, REPAIR, EXPLORE, PROJECT, CONVERT or REPLAY */
  const hd_text *text;  /* the input */
  const hd_text *trace; /* REPLAY: the saved trace; otherwise NULL */
  const hd_request *request;
} hd_job;

/* Chooses the frontend, parses and runs the command. `result` was made for the command and the file; afterwards it is
 * complete: its status is what is returned, its frontend is set once one was found. Memory, limits and cancellation end
 * in an inconclusive result with words in not_covered; wrong inputs (HD_E_INPUT), wrong requests (HD_E_USAGE) and
 * internal errors leave at least one diagnostic in `diag`. `text` receives what PROJECT and CONVERT write; NULL for
 * the other commands. */
hd_status hd_drive(const hd_job *job, hd_diag *diag, hd_result *result, hd_buffer *text);

/* Values that the option parser cannot know to be wrong: HD_E_USAGE with a diagnostic (HD001). */
hd_status hd_drive_validate(const hd_options *options, hd_diag *diag);

/* Is there something to print? False for wrong inputs, wrong requests and internal errors: they are told by
 * diagnostics alone. */
bool hd_result_is_printable(const hd_result *result);

#endif
