/* The public C interface (include/heddle/heddle.h): a thin layer over hd_drive, so that a program gets what the command
 * prints.
 *
 * Options go through the command line's own parser: the call builds the argument vector `heddle check OPTIONS...` and
 * refuses whatever concerns files or terminals. Diagnostics are printed into memory with the same function that prints
 * them on a terminal.
 *
 * Shared state: the cancel flag of a session, written by any thread or signal handler and read by the searching
 * threads. It carries no data: a search that sees it late stops late, nothing else. Everything else in a session
 * belongs to the one thread that is inside a call.
 *
 * Failure: every allocation is checked; running out of memory answers HEDDLE_INCONCLUSIVE, with a result when one could
 * still be written. */
#include "heddle/heddle.h"

#include "core/base/check.h"
#include "core/base/machine.h"
#include "frontends/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 1000 };

struct heddle_session {
  hd_atomic_u32 cancel;
  char *diagnostics; /* of the last call; NULL when none or memory was out */
};

int heddle_version(void) {
  return HEDDLE_VERSION;
}

const char *heddle_version_string(void) {
  return HEDDLE_VERSION_STRING;
}

heddle_session *heddle_session_new(void) {
  return calloc(1, sizeof(heddle_session));
}

void heddle_session_free(heddle_session *session) {
  if (session != NULL) {
    free(session->diagnostics);
    free(session);
  }
}

const char *heddle_session_diagnostics(const heddle_session *session) {
  HD_REQUIRE(session != NULL);
  return session->diagnostics == NULL ? "" : session->diagnostics;
}

void heddle_session_cancel(heddle_session *session) {
  HD_REQUIRE(session != NULL);
  /* HD-SYNC S1: relaxed; pairs with S2. Publishes: nothing, the flag is the whole message. Why not weaker: it must be
   * atomic, a signal handler writes it. Why not stronger: no other memory is read because of it. */
  hd_store_rlx(&session->cancel, 1u);
}

void heddle_free(void *memory) {
  free(memory);
}

/* Prints the sink into the session; leaves "" when memory is out. */
static void keep_diagnostics(heddle_session *session, const hd_diag *diag) {
  free(session->diagnostics);
  session->diagnostics = NULL;
  if (hd_diag_count(diag) == 0) {
    return;
  }
  char *data = NULL;
  size_t size_bytes = 0;
  FILE *stream = open_memstream(&data, &size_bytes);
  if (stream == NULL) {
    return;
  }
  hd_diag_print(diag, stream, false, false);
  if (fclose(stream) != 0) {
    free(data);
    return;
  }
  session->diagnostics = data;
}

static bool is_given(const char *value) {
  return value != NULL && *value != '\0';
}

/* Parses {"heddle", command, "-", options...} into *parsed; the "-" stands for the text, since the command wants a
 * file. HD_E_USAGE with diagnostics, HD_E_NOMEM. */
static hd_status parse_options(hd_command command, const char *const *options, size_t option_count, hd_diag *diag,
                               hd_options *parsed) {
  if (option_count > OPTIONS_MAX) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, NULL, "at most %d options may be given", OPTIONS_MAX);
    return HD_E_USAGE;
  }
  const char **arguments = calloc(option_count + 4, sizeof *arguments);
  if (arguments == NULL) {
    return HD_E_NOMEM;
  }
  arguments[0] = "heddle";
  arguments[1] = hd_command_name(command);
  arguments[2] = "-";
  for (size_t i = 0; i < option_count; i++) {
    arguments[i + 3] = options[i];
  }
  /* The parser's vector is `char *const *` as main's is; it writes to neither the vector nor the texts. */
  hd_status status = hd_options_parse(parsed, (int)option_count + 3, (char *const *)arguments, diag);
  free(arguments);
  if (status == HD_OK &&
      (parsed->files.count != 1 || parsed->emit.count != 0 || parsed->help || parsed->version ||
       parsed->format != HD_FORMAT_TEXT || parsed->progress != HD_WHEN_AUTO || parsed->color != HD_WHEN_AUTO ||
       parsed->quiet || parsed->verbose || parsed->interactive || parsed->in_place || is_given(parsed->choices) ||
       is_given(parsed->output) || parsed->command != command)) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, NULL,
                "only options of the search may be given to a library call");
    status = HD_E_USAGE;
  }
  if (status == HD_OK) {
    status = hd_drive_validate(parsed, diag);
  }
  return status;
}

/* What a call hands out. */
typedef struct answer {
  char *json, *repaired; /* owned; NULL: there is nothing to print, no repair */
} answer;

/* The result as text, and the best repair's. HD_E_NOMEM leaves both NULL. */
static hd_status write_answer(const hd_result *result, answer *out) {
  hd_buffer line = {0};
  hd_status status = hd_result_print_json(result, &line);
  if (status == HD_OK) {
    out->json = hd_buffer_take(&line);
  }
  hd_buffer_free(&line);
  if (status == HD_OK && result->repair_count != 0) {
    size_t size = strlen(result->repairs[0].text) + 1;
    out->repaired = malloc(size);
    if (out->repaired == NULL) {
      free(out->json);
      out->json = NULL;
      return HD_E_NOMEM;
    }
    memcpy(out->repaired, result->repairs[0].text, size);
  }
  return status;
}

/* Runs the command on the text; the answer stays empty when there is nothing to print. */
static hd_status run_text(heddle_session *session, const hd_options *options, const hd_text *text, hd_diag *diag,
                          int *code, answer *out) {
  hd_result *result = hd_result_new(options->command, text->name);
  if (result == NULL) {
    return HD_E_NOMEM;
  }
  hd_request request = {
      .options = options,
      .cancel = &session->cancel,
      .deadline_seconds = options->timeout > 0 ? hd_machine_seconds() + options->timeout : 0.0,
  };
  hd_job job = {.command = options->command, .text = text, .request = &request};
  hd_drive(&job, diag, result, NULL);
  *code = hd_result_exit_code(result);
  hd_status status = hd_result_is_printable(result) ? write_answer(result, out) : HD_OK;
  hd_result_free(result);
  return status;
}

static heddle_code run_call(heddle_session *session, hd_command command, const char *name, const char *bytes,
                            size_t size, const char *const *options, size_t option_count, answer *out) {
  HD_REQUIRE(session != NULL && name != NULL);
  HD_REQUIRE((bytes != NULL || size == 0) && (options != NULL || option_count == 0));
  hd_options parsed;
  hd_options_init(&parsed);
  hd_text *text = NULL;
  int code = HEDDLE_INCONCLUSIVE;
  hd_diag *diag = hd_diag_new();
  hd_status status = diag == NULL ? HD_E_NOMEM : parse_options(command, options, option_count, diag, &parsed);
  if (status == HD_OK) {
    status = hd_text_from_bytes(name, bytes == NULL ? "" : bytes, size, &text);
    if (status == HD_E_LIMIT) {
      hd_diag_add(diag, HD_DIAG_TOO_LARGE, NULL, (hd_span){0, 0}, NULL, "%s: the text is too large", name);
      status = HD_E_INPUT;
    }
  }
  if (status == HD_OK) {
    status = run_text(session, &parsed, text, diag, &code, out);
  }
  if (status != HD_OK) {
    code = hd_status_exit_code(status);
  }
  if (diag != NULL) {
    keep_diagnostics(session, diag);
  }
  hd_text_free(text);
  hd_options_free(&parsed);
  hd_diag_free(diag);
  /* HD-SYNC S2: relaxed; pairs with S1. Publishes: nothing. Why not weaker: another thread may be writing. Why not
   * stronger: the searching threads have been joined, and a cancel that comes this moment may count for either call. */
  hd_store_rlx(&session->cancel, 0u);
  return (heddle_code)code;
}

static heddle_code run_for_json(heddle_session *session, hd_command command, const char *name, const char *text,
                                size_t size, const char *const *options, size_t option_count, char **result_json) {
  HD_REQUIRE(result_json != NULL);
  answer out = {0};
  heddle_code code = run_call(session, command, name, text, size, options, option_count, &out);
  *result_json = out.json;
  return code;
}

heddle_code heddle_check_text(heddle_session *session, const char *name, const char *text, size_t size,
                              const char *const *options, size_t option_count, char **result_json) {
  return run_for_json(session, HD_COMMAND_CHECK, name, text, size, options, option_count, result_json);
}

heddle_code heddle_explore_text(heddle_session *session, const char *name, const char *text, size_t size,
                                const char *const *options, size_t option_count, char **result_json) {
  return run_for_json(session, HD_COMMAND_EXPLORE, name, text, size, options, option_count, result_json);
}

heddle_code heddle_repair_text(heddle_session *session, const char *name, const char *text, size_t size,
                               const char *const *options, size_t option_count, char **result_json,
                               char **repaired_text) {
  HD_REQUIRE(result_json != NULL);
  answer out = {0};
  heddle_code code = run_call(session, HD_COMMAND_REPAIR, name, text, size, options, option_count, &out);
  *result_json = out.json;
  if (repaired_text != NULL) {
    *repaired_text = out.repaired;
  } else {
    free(out.repaired);
  }
  return code;
}
