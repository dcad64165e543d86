/* --emit KIND=FILE: further outputs of one result.
 *
 * The kinds are the table in emit.h. Files appear whole or not at all (hd_file_write); "-" is standard output, and then
 * the report itself goes to standard error, so that a pipe receives one format. A result without a counterexample has
 * no trace to write: that is told, and is no failure, because the answer does not depend on it.
 *
 * Threads: main thread only. Cost: O(size of the output). */
#include "cli/emit.h"

#include "cli/command.h"
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef enum emit_kind {
#define HDI_EMIT_ENUM(identifier, name) EMIT_##identifier,
  HDI_EMIT_TABLE(HDI_EMIT_ENUM)
#undef HDI_EMIT_ENUM
      EMIT_COUNT
} emit_kind;

static const char *const kind_names[EMIT_COUNT] = {
#define HDI_EMIT_NAME(identifier, name) name,
    HDI_EMIT_TABLE(HDI_EMIT_NAME)
#undef HDI_EMIT_NAME
};

/* Splits KIND=FILE. EMIT_COUNT when the kind is unknown; *file is NULL or "" when there is none. */
static emit_kind split(const char *item, const char **file) {
  const char *equals = strchr(item, '=');
  size_t length = equals == NULL ? strlen(item) : (size_t)(equals - item);
  *file = equals == NULL ? NULL : equals + 1;
  for (int kind = 0; kind < EMIT_COUNT; kind++) {
    if (strlen(kind_names[kind]) == length && strncmp(kind_names[kind], item, length) == 0) {
      return (emit_kind)kind;
    }
  }
  return EMIT_COUNT;
}

static int unknown_kind(const hd_options *options, const char *item) {
  hd_buffer hint = {0};
  hd_buffer_add_text(&hint, "expected one of");
  for (int kind = 0; kind < EMIT_COUNT; kind++) {
    hd_buffer_printf(&hint, "%s %s=FILE", kind == 0 ? "" : ",", kind_names[kind]);
  }
  int code = hdi_usage_error(options, hint.failed ? NULL : hint.data, "--emit %s: unknown kind of output", item);
  hd_buffer_free(&hint);
  return code;
}

/* The input that the file is too, by whatever name; NULL: none. */
static const char *input_that_is(const hd_options *options, const char *file) {
  struct stat own, other;
  if (stat(file, &own) != 0) {
    return NULL;
  }
  for (size_t i = 0; i < options->files.count; i++) {
    if (stat(options->files.items[i], &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino) {
      return options->files.items[i];
    }
  }
  return NULL;
}

int hdi_emit_check(const hd_options *options) {
  bool writes = options->output != NULL && *options->output != '\0' && options->command != HD_COMMAND_REPAIR;
  if (writes && input_that_is(options, options->output) != NULL) {
    return hdi_usage_error(options, "expected another file", "--output %s would overwrite the input", options->output);
  }
  for (size_t i = 0; i < options->emit.count; i++) {
    const char *item = options->emit.items[i], *file = NULL;
    if (split(item, &file) == EMIT_COUNT) {
      return unknown_kind(options, item);
    }
    if (file == NULL || *file == '\0') {
      return hdi_usage_error(options, "expected KIND=FILE, with - for standard output", "--emit %s names no file",
                             item);
    }
    if (input_that_is(options, file) != NULL) {
      return hdi_usage_error(options, "expected another file", "--emit %s would overwrite the input", item);
    }
    for (size_t k = 0; k < i; k++) {
      const char *earlier = NULL;
      split(options->emit.items[k], &earlier);
      if (strcmp(earlier, file) == 0) {
        return hdi_usage_error(options, NULL, "two --emit options write to %s", file);
      }
    }
  }
  if (options->emit.count != 0 && options->files.count > 1) {
    return hdi_usage_error(options, "run heddle once per file, or use --format json",
                           "--emit takes one input file, not %zu", options->files.count);
  }
  if (hdi_emit_uses_stdout(options) && options->format == HD_FORMAT_JSON) {
    return hdi_usage_error(options, NULL, "--format json and --emit ...=- both write to standard output");
  }
  return 0;
}

bool hdi_emit_uses_stdout(const hd_options *options) {
  for (size_t i = 0; i < options->emit.count; i++) {
    const char *file = NULL;
    split(options->emit.items[i], &file);
    if (file != NULL && strcmp(file, "-") == 0) {
      return true;
    }
  }
  return false;
}

int hdi_emit_file(const char *file, const char *data, size_t size_bytes) {
  if (strcmp(file, "-") == 0) {
    hdi_output_write(stdout, data, size_bytes);
    return 0; /* a failure is remembered by the output module */
  }
  errno = 0;
  if (hd_file_write(file, data, size_bytes) == HD_OK) {
    return 0;
  }
  fprintf(stderr, "%s: error: cannot be written: %s [%s]\n", file, strerror(errno), hd_diag_code_text(HD_DIAG_WRITE));
  return HDI_EXIT_WRITE;
}

static int write_one(const hd_options *options, const hd_result *result, emit_kind kind, const char *file) {
  const char *text = NULL;
  hd_buffer json = {0};
  switch (kind) {
    case EMIT_JSON:
      if (hd_result_print_json(result, &json) != HD_OK) {
        hd_buffer_free(&json);
        fprintf(stderr, "%s: error: %s [%s]\n", file, hd_status_words(HD_E_NOMEM), hd_diag_code_text(HD_DIAG_MEMORY));
        return hd_status_exit_code(HD_E_NOMEM);
      }
      text = json.data;
      break;
    case EMIT_DOT:
      text = result->dot;
      break;
    case EMIT_TRACE:
      text = result->trace;
      break;
    case EMIT_DIFF:
      text = result->repair_count == 0 ? NULL : result->repairs[0].diff;
      break;
    case EMIT_COUNT:
      break;
  }
  int code = 0;
  if (text != NULL) {
    code = hdi_emit_file(file, text, strlen(text));
  } else if (!options->quiet) {
    fprintf(stderr, "%s: note: there is no %s to write to %s\n", result->file,
            kind == EMIT_TRACE  ? "counterexample"
            : kind == EMIT_DIFF ? "repair"
                                : "drawing",
            file);
  }
  hd_buffer_free(&json);
  return code;
}

int hdi_emit_write(const hd_options *options, const hd_result *result) {
  int code = 0;
  for (size_t i = 0; i < options->emit.count; i++) {
    const char *file = NULL;
    emit_kind kind = split(options->emit.items[i], &file);
    code = hd_exit_code_join(code, write_one(options, result, kind, file));
  }
  return code;
}
