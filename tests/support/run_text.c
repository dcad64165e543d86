#include "tests/support/run_text.h"

#include "core/report/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "test support: %s\n", what);
    abort();
  }
}

void run_text_init(run_text *run) {
  memset(run, 0, sizeof *run);
  hd_options_init(&run->options);
  run->options.threads = 1;
}

void run_text_command(run_text *run, hd_command command, const char *name, const char *bytes) {
  run->options.command = command;
  run->diag = hd_diag_new();
  run->result = hd_result_new(command, name);
  must(run->diag != NULL && run->result != NULL, "memory is out");
  must(hd_text_from_bytes(name, bytes, strlen(bytes), &run->text) == HD_OK, "memory is out");
  run->frontend = hd_frontend_for(run->text);
  must(run->frontend != NULL, "no frontend for the text");
  run->status = run->frontend->parse(run->text, run->diag, &run->ast);
  if (run->status == HD_OK) {
    run->result->frontend = run->frontend->name;
    hd_request request = {.options = &run->options};
    run->status = command == HD_COMMAND_CHECK ? run->frontend->check(run->ast, &request, run->diag, run->result)
                                              : run->frontend->explore(run->ast, &request, run->diag, run->result);
  }
}

void run_text_check_file(run_text *run, const char *path) {
  char *text = run_text_load(path);
  must(text != NULL, "a file of the project cannot be read");
  run_text_init(run);
  run_text_command(run, HD_COMMAND_CHECK, path, text);
  must(run->status == HD_OK, "a check failed");
  free(text);
}

void run_text_free(run_text *run) {
  if (run->frontend != NULL) {
    run->frontend->free_ast(run->ast);
  }
  hd_result_free(run->result);
  hd_diag_free(run->diag);
  hd_text_free(run->text);
  hd_options_free(&run->options);
}

char *run_text_comparable(const run_text *run) {
  hd_buffer line = {0};
  must(hd_result_print_json(run->result, &line) == HD_OK, "memory is out");
  json_t *root = json_loads(line.data, 0, NULL);
  must(root != NULL, "the result is not JSON");
  static const char *const machine[] = {"threads",         "seconds",      "states_per_second",
                                        "bytes_per_state", "memory_bytes", "visited_bytes"};
  json_t *statistics = json_object_get(root, "statistics");
  for (size_t i = 0; statistics != NULL && i < sizeof machine / sizeof *machine; i++) {
    json_object_del(statistics, machine[i]);
  }
  char *text = json_dumps(root, JSON_INDENT(1));
  must(text != NULL, "memory is out");
  json_decref(root);
  hd_buffer_free(&line);
  return text;
}

char *run_text_load(const char *path) {
  char full[4096];
  snprintf(full, sizeof full, "%s/%s", HD_SOURCE_DIR, path);
  hd_text *text = NULL;
  if (hd_text_read(full, &text) != HD_OK) {
    return NULL;
  }
  char *copy = malloc(text->size_bytes + 1);
  must(copy != NULL, "memory is out");
  memcpy(copy, text->data, text->size_bytes + 1);
  hd_text_free(text);
  return copy;
}

json_t *run_text_expected(void) {
  char *text = run_text_load("tests/cases/choreography/expected.json");
  must(text != NULL, "tests/cases/choreography/expected.json is missing");
  json_t *root = json_loads(text, 0, NULL);
  must(json_is_object(root), "expected.json is not an object");
  free(text);
  return root;
}
