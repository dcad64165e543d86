/* Running a command over its input files: read, drive, print, join exit codes. */
#ifndef HEDDLE_CLI_RUN_H
#define HEDDLE_CLI_RUN_H

#include "frontends/drive.h"

/* An input that was read, or could not be; what is wrong with it stands in diag. */
typedef struct hdi_input {
  hd_text *text;    /* owned; NULL when it could not be read */
  hd_diag *diag;    /* owned */
  hd_status status; /* of reading it */
} hdi_input;

/* Reads `path`. False when even the diagnostics sink cannot be made; a file that cannot be read is true, with text NULL
 * and a diagnostic. */
bool hdi_input_read(hdi_input *input, const char *path);
void hdi_input_free(hdi_input *input);

/* One command on one input: runs it with the limits of the options, prints diagnostics, the result or the projection
 * and what --emit asks for, and returns the exit code. Inputs that could not be read are told. `trace` is NULL except
 * for replay. */
int hdi_run_input(const hd_options *options, const hdi_input *input, const hdi_input *trace);

/* The same for repair; the user answers through `ask` (NULL: heddle chooses). */
int hdi_run_input_asking(const hd_options *options, const hdi_input *input, hd_ask_fn ask, void *payload);

/* check and explore: every file of the command line, in order. */
int hdi_run_files(const hd_options *options);

/* "memory is out" on standard error, and its exit code. */
int hdi_out_of_memory(void);

#endif
