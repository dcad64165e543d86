/* --emit KIND=FILE: further outputs of one result. */
#ifndef HEDDLE_CLI_EMIT_H
#define HEDDLE_CLI_EMIT_H

#include "core/report/result.h"

/* X(identifier, "name"): the kinds that --emit knows */
#define HDI_EMIT_TABLE(X) \
  X(JSON, "json")         \
  X(DOT, "dot")           \
  X(TRACE, "trace")       \
  X(DIFF, "diff")

/* Checks every --emit of the command line before anything is read: known kinds, a file each, no file twice, at most one
 * input, standard output not used twice. 0, or 2 after telling what is wrong. */
int hdi_emit_check(const hd_options *options);
/* Does some --emit write to standard output? The report then goes to standard error. */
bool hdi_emit_uses_stdout(const hd_options *options);
/* Writes one whole file ("-": standard output); 0, or the exit code after telling why it could not be written. */
int hdi_emit_file(const char *file, const char *data, size_t size_bytes);
/* Writes what was asked for. A kind the result has nothing for (no counterexample, no drawing) is told on standard
 * error and its file is left alone. 0, or the exit code of a file that could not be written. */
int hdi_emit_write(const hd_options *options, const hd_result *result);

#endif
