/* Repairs a file through the C library: the repaired text on standard output, what was done on standard error.
 *
 *   cc -std=c11 repair_file.c $(pkg-config --cflags --libs heddle) -o repair_file
 *   ./repair_file transfer.chor > repaired.chor
 *
 * Exit codes are those of `heddle repair`. */
#include <heddle/heddle.h>
#include <stdio.h>
#include <stdlib.h>

/* The whole file, NULL when it cannot be read. */
static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  long length = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
    text = (char *)malloc((size_t)length + 1);
  }
  *size = text == NULL ? 0 : fread(text, 1, (size_t)length, file);
  if (file != NULL) {
    fclose(file);
  }
  return text;
}

int main(int argc, char **argv) {
  static const char *const options[] = {"--timeout=30s"};
  size_t size = 0;
  char *text = argc == 2 ? read_file(argv[1], &size) : NULL;
  heddle_session *session = heddle_session_new();
  if (text == NULL || session == NULL) {
    fprintf(stderr, "usage: %s FILE\n", argv[0]);
    heddle_session_free(session);
    free(text);
    return HEDDLE_USAGE;
  }
  char *json = NULL, *repaired = NULL;
  heddle_code code = heddle_repair_text(session, argv[1], text, size, options, 1, &json, &repaired);
  if (repaired != NULL) {
    fputs(repaired, stdout);
  } else if (code == HEDDLE_HOLDS) { /* nothing to repair */
    fwrite(text, 1, size, stdout);
  }
  fprintf(stderr, "%s%s", heddle_session_diagnostics(session), json != NULL ? json : "");
  heddle_free(repaired);
  heddle_free(json);
  heddle_session_free(session);
  free(text);
  return (int)code;
}
