/* The command's standard output and standard error: checked writes, colours, diagnostics. */
#ifndef HEDDLE_CLI_OUTPUT_H
#define HEDDLE_CLI_OUTPUT_H

#include "core/base/diag.h"
#include "core/base/option.h"

#include <stdbool.h>
#include <stdio.h>

/* Makes sure that descriptors 0, 1 and 2 are open, so that no file we open later takes their place and receives what we
 * print. Call once, first. */
void hdi_output_open(void);

/* Writes and flushes. A failure is remembered; the first one is told on standard error, unless the reader of a pipe has
 * gone away, which is no news. */
void hdi_output_write(FILE *stream, const char *data, size_t size_bytes);
void hdi_output_text(FILE *stream, const char *text);
/* Flushes standard output; `code`, or HDI_EXIT_WRITE when anything could not be written. */
int hdi_output_close(int code);
enum { HDI_EXIT_WRITE = 3 }; /* a file, here standard output, could not be written */

/* --color auto means: a terminal, and NO_COLOR unset or empty. */
bool hdi_output_color(const hd_options *options, FILE *stream);
/* Prints the sink on standard error: with the source line and a caret on a terminal, in colour when wanted. Under
 * --quiet a sink without errors is not printed. */
void hdi_output_diagnostics(const hd_options *options, const hd_diag *diag);

#endif
