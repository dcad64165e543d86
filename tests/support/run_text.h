/* Test support: run a frontend's command on text in memory, and the project's own cases. */
#ifndef HEDDLE_TESTS_SUPPORT_RUN_TEXT_H
#define HEDDLE_TESTS_SUPPORT_RUN_TEXT_H

#include "frontends/frontend.h"

#include <jansson.h>

typedef struct run_text {
  hd_options options; /* as the command line would give them; set before run_text_command */
  hd_text *text;
  hd_diag *diag;
  hd_ast *ast; /* NULL when the text is wrong */
  const hd_frontend *frontend;
  hd_result *result;
  hd_status status;
} run_text;

/* Default options; one thread. */
void run_text_init(run_text *run);
/* Parses `bytes` under `name`, then runs `command` (check or explore). Aborts the test when memory is out. */
void run_text_command(run_text *run, hd_command command, const char *name, const char *bytes);
/* `check` of the file at `path` from the project's root, under its own name, with default options; the status is HD_OK
 * or the test aborts. */
void run_text_check_file(run_text *run, const char *path);
void run_text_free(run_text *run);
/* The result as JSON text without the machine fields (threads, seconds, rates, memory); malloc'd. */
char *run_text_comparable(const run_text *run);
/* A whole file of the project, NUL-terminated, malloc'd; `path` from the project's root. NULL when it cannot be read.
 */
char *run_text_load(const char *path);
/* tests/cases/choreography/expected.json; the caller drops the reference. */
json_t *run_text_expected(void);

#endif
