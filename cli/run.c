/* Running a command over its input files.
 *
 *   read all inputs -> install signal handlers -> for each file: drive, print diagnostics, print result, emit -> join
 *
 * A file that is wrong does not keep the others from running: its diagnostics go to standard error at its turn and it
 * has no result line. Each file has its own diagnostics sink, so that messages come out with their file, and its own
 * deadline. An interrupt stops the search in progress and lets the remaining files answer at once with "inconclusive",
 * so that there is a result for every file.
 *
 * Threads: the main thread; a search starts its own team and has ended it when it returns. */
#include "cli/run.h"

#include "cli/command.h"
#include "cli/emit.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "core/base/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int hdi_out_of_memory(void) {
  fprintf(stderr, "heddle: error: %s [%s]\n", hd_status_words(HD_E_NOMEM), hd_diag_code_text(HD_DIAG_MEMORY));
  return hd_status_exit_code(HD_E_NOMEM);
}

bool hdi_input_read(hdi_input *input, const char *path) {
  *input = (hdi_input){.diag = hd_diag_new()};
  if (input->diag == NULL) {
    return false;
  }
  errno = 0;
  input->status = hd_text_read(path, &input->text);
  if (input->status != HD_OK) {
    bool has_reason = input->status == HD_E_IO && errno != 0;
    hd_diag_code code = input->status == HD_E_IO      ? HD_DIAG_READ
                        : input->status == HD_E_LIMIT ? HD_DIAG_TOO_LARGE
                                                      : HD_DIAG_MEMORY;
    hd_diag_add(input->diag, code, NULL, (hd_span){0, 0}, NULL, "%s cannot be read: %s", path,
                has_reason ? strerror(errno) : hd_status_words(input->status));
  }
  return true;
}

void hdi_input_free(hdi_input *input) {
  hd_text_free(input->text);
  hd_diag_free(input->diag);
  *input = (hdi_input){0};
}

static int verbosity(const hd_options *options) {
  return options->quiet ? 0 : options->verbose ? 2 : 1;
}

/* Prints the result where it belongs. */
static int print_result(const hd_options *options, const hd_result *result) {
  bool repaired_text =
      options->command == HD_COMMAND_REPAIR && options->output != NULL && strcmp(options->output, "-") == 0;
  FILE *stream = repaired_text || hdi_emit_uses_stdout(options) ? stderr : stdout;
  hd_buffer out = {0};
  hd_status status = options->format == HD_FORMAT_JSON
                         ? hd_result_print_json(result, &out)
                         : hd_result_print_text(result, &out, hdi_output_color(options, stream), verbosity(options));
  if (status == HD_OK && out.size_bytes != 0) {
    hdi_output_write(stream, out.data, out.size_bytes);
  }
  hd_buffer_free(&out);
  return status == HD_OK ? 0 : hdi_out_of_memory();
}

/* Writes a projection or conversion to where it belongs; under --format json it becomes part of the result. */
static int deliver_text(const hd_options *options, hd_result *result, const hd_buffer *text) {
  const char *data = text->data == NULL ? "" : text->data;
  const char *file = options->output;
  if (file != NULL && *file != '\0' && strcmp(file, "-") != 0) {
    hd_result_add_text(result, "output", file);
    return hdi_emit_file(file, data, text->size_bytes);
  }
  if (options->format == HD_FORMAT_JSON) {
    hd_result_add_text(result, options->command == HD_COMMAND_PROJECT ? "projection" : "conversion", data);
  } else {
    hdi_output_write(stdout, data, text->size_bytes);
  }
  return 0;
}

/* Writes the repaired text where it was asked for; an input that needs no repair is its own. */
static int deliver_repair(const hd_options *options, const hd_text *input, const hd_result *result) {
  bool to_file = options->output != NULL && *options->output != '\0';
  const char *file = options->in_place ? options->files.items[0] : options->output;
  if (result->repair_count != 0 && (options->in_place || to_file)) {
    return hdi_emit_file(file, result->repairs[0].text, strlen(result->repairs[0].text));
  }
  return to_file ? hdi_emit_file(file, input->data, input->size_bytes) : 0;
}

/* Prints what the finished result holds and returns the exit code. */
static int deliver(const hd_options *options, const hd_text *input, hd_result *result, const hd_buffer *text) {
  int code = hd_result_exit_code(result);
  if (!hd_result_is_printable(result)) {
    return code;
  }
  if ((options->command == HD_COMMAND_PROJECT || options->command == HD_COMMAND_CONVERT) && code == 0) {
    code = text->failed ? hdi_out_of_memory() : deliver_text(options, result, text);
    if (options->format == HD_FORMAT_TEXT || code != 0) {
      return code;
    }
  }
  if (options->command == HD_COMMAND_REPAIR && code == 0) {
    code = deliver_repair(options, input, result);
  }
  code = hd_exit_code_join(code, print_result(options, result));
  return hd_exit_code_join(code, hdi_emit_write(options, result));
}

static int report_unread(const hd_options *options, const hdi_input *input) {
  hdi_output_diagnostics(options, input->diag);
  return input->status == HD_E_NOMEM ? hd_status_exit_code(HD_E_NOMEM) : hd_status_exit_code(HD_E_INPUT);
}

static int run_input(const hd_options *options, const hdi_input *input, const hdi_input *trace, hd_ask_fn ask,
                     void *payload) {
  if (input->text == NULL) {
    return report_unread(options, input);
  }
  if (trace != NULL && trace->text == NULL) {
    return report_unread(options, trace);
  }
  hd_result *result = hd_result_new(options->command, input->text->name);
  if (result == NULL) {
    return hdi_out_of_memory();
  }
  hdi_progress_line line;
  hdi_progress_init(&line, options);
  hd_request request = {
      .options = options,
      .cancel = hdi_signals_cancel(),
      .deadline_seconds = options->timeout > 0 ? hd_machine_seconds() + options->timeout : 0.0,
      .progress = line.enabled && ask == NULL ? hdi_progress_show : NULL, /* a line that moves would hide questions */
      .progress_payload = &line,
      .ask = ask,
      .ask_payload = payload,
  };
  hd_job job = {
      .command = options->command,
      .text = input->text,
      .trace = trace == NULL ? NULL : trace->text,
      .request = &request,
  };
  hd_buffer text = {0};
  hd_drive(&job, input->diag, result, &text);
  hdi_progress_erase(&line);
  hdi_output_diagnostics(options, input->diag);
  int code = deliver(options, input->text, result, &text);
  hd_buffer_free(&text);
  hd_result_free(result);
  return code;
}

int hdi_run_input(const hd_options *options, const hdi_input *input, const hdi_input *trace) {
  return run_input(options, input, trace, NULL, NULL);
}

int hdi_run_input_asking(const hd_options *options, const hdi_input *input, hd_ask_fn ask, void *payload) {
  return run_input(options, input, NULL, ask, payload);
}

int hdi_run_files(const hd_options *options) {
  size_t count = options->files.count;
  hdi_input *inputs = calloc(count, sizeof *inputs);
  int code = inputs == NULL ? hdi_out_of_memory() : 0;
  for (size_t i = 0; i < count && code == 0; i++) {
    if (!hdi_input_read(&inputs[i], options->files.items[i])) {
      code = hdi_out_of_memory();
    }
  }
  if (code == 0) {
    hdi_signals_install();
    for (size_t i = 0; i < count; i++) {
      code = hd_exit_code_join(code, hdi_run_input(options, &inputs[i], NULL));
      hdi_input_free(&inputs[i]); /* one input at a time is enough from here on */
    }
  }
  for (size_t i = 0; inputs != NULL && i < count; i++) {
    hdi_input_free(&inputs[i]);
  }
  free(inputs);
  return code;
}
