/* Golden error cases: a folder walk, a comparison of text, and the account of which messages were seen. */
#include "tests/support/reader_cases.h"

#include "frontends/choreography/chor_builder.h"
#include "frontends/choreography/fsa_builder.h"
#include "tests/support/chor_equal.h"
#include "tests/support/hd_test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERRORS_FOLDER HD_SOURCE_DIR "/tests/cases/choreography/errors"

/* Which readers raise a row of messages.def. */
enum { CHOR = 1, FSA = 2, BOTH = 3 };

typedef struct row {
  const char *identifier;
  int dialects;
  hd_diag_code code;
  const char *words, *hint;
  bool seen;
} row;

static row rows[] = {
#define HDI_MESSAGE(identifier, dialects, code, words, hint) {#identifier, dialects, code, words, hint, false},
#define HDI_EXPECT(identifier, dialects, words) \
  {#identifier, dialects, HD_DIAG_SYNTAX, "unexpected %1", "expected " words, false},
#include "frontends/choreography/messages.def"
#undef HDI_MESSAGE
#undef HDI_EXPECT
};

/* Does `text` follow `pattern`, in which %1 and %2 stand for anything that is not empty? */
static bool follows(const char *text, const char *pattern) {
  if (*pattern == '\0') {
    return *text == '\0';
  }
  if (pattern[0] != '%') {
    return *text == *pattern && follows(text + 1, pattern + 1);
  }
  for (const char *rest = text + 1; *text != '\0'; text++, rest++) {
    if (follows(rest, pattern + 2)) {
      return true;
    }
  }
  return false;
}

static void mark_seen(const hd_diag *diag) {
  for (size_t d = 0; d < hd_diag_count(diag); d++) {
    const hd_diagnostic *diagnostic = hd_diag_get(diag, d);
    bool known = false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
      if (diagnostic->code == rows[i].code && follows(diagnostic->message, rows[i].words) &&
          follows(diagnostic->hint, rows[i].hint)) {
        rows[i].seen = known = true;
      }
    }
    cr_assert(known, "%s is in no row of messages.def", diagnostic->message);
  }
}

static const char *ending(hdi_dialect dialect) {
  return dialect == HDI_CHOR ? ".chor" : ".fsa";
}

static bool has_ending(const char *name, const char *end) {
  size_t length = strlen(name), end_length = strlen(end);
  return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* The file's text under its base name. */
static hd_text *load(const char *folder, const char *name) {
  char path[4096];
  cr_assert((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path);
  hd_text *file = NULL, *text = NULL;
  cr_assert(hd_text_read(path, &file) == HD_OK, "cannot read %s", path);
  cr_assert(hd_text_from_bytes(name, file->data, file->size_bytes, &text) == HD_OK);
  hd_text_free(file);
  return text;
}

static uint32_t limit_of(const hd_text *text) {
  size_t length;
  const char *line = hd_text_line(text, 1, &length);
  static const char word[] = "limit ";
  for (size_t i = 0; i + sizeof word <= length; i++) {
    if (memcmp(line + i, word, sizeof word - 1) == 0) {
      return (uint32_t)strtoul(line + i + sizeof word - 1, NULL, 10);
    }
  }
  return HDI_ITEMS_MAX;
}

static hd_status read_any(hdi_dialect dialect, const hd_text *text, hd_diag *diag) {
  hd_status status;
  if (dialect == HDI_CHOR) {
    hd_chor_file *file = NULL;
    status = hdi_chor_read_limited(text, diag, limit_of(text), &file);
    cr_assert((status == HD_OK) == (file != NULL));
    hd_chor_file_free(file);
  } else {
    hd_system *system = NULL;
    status = hdi_fsa_read_limited(text, diag, limit_of(text), &system);
    cr_assert((status == HD_OK) == (system != NULL));
    hd_system_free(system);
  }
  return status;
}

static void run_case(hdi_dialect dialect, const char *name) {
  char expected_name[512];
  int stem = (int)(strlen(name) - strlen(ending(dialect)));
  (void)snprintf(expected_name, sizeof expected_name, "%.*s.expected", stem, name);
  hd_text *text = load(ERRORS_FOLDER, name);
  hd_text *expected = load(ERRORS_FOLDER, expected_name);
  hd_diag *diag = hd_diag_new();
  hd_status status = read_any(dialect, text, diag);
  char *printed = NULL;
  size_t printed_size = 0;
  FILE *out = open_memstream(&printed, &printed_size);
  hd_diag_print(diag, out, false, false);
  cr_assert(fclose(out) == 0);
  cr_assert_str_eq(printed, expected->data, "%s: got\n%sexpected\n%s", name, printed, expected->data);
  cr_assert(printed_size > 0, "%s: nothing was reported", name);
  cr_assert(status == (hd_diag_errors(diag) > 0 ? HD_E_INPUT : HD_OK), "%s: status %d", name, (int)status);
  mark_seen(diag);
  free(printed);
  hd_diag_free(diag);
  hd_text_free(expected);
  hd_text_free(text);
}

static size_t visit_folder(const char *folder, const char *end, void (*visit)(const char *folder, const char *name)) {
  struct dirent **names = NULL;
  int count = scandir(folder, &names, NULL, alphasort);
  cr_assert(count >= 0, "no folder %s", folder);
  size_t visited = 0;
  for (int i = 0; i < count; i++) {
    if (has_ending(names[i]->d_name, end)) {
      visit(folder, names[i]->d_name);
      visited++;
    }
    free(names[i]);
  }
  free(names);
  return visited;
}

static hdi_dialect current_dialect;
static void (*current_visit)(const char *name, const char *data, size_t size_bytes);

static void visit_error_case(const char *folder, const char *name) {
  (void)folder;
  run_case(current_dialect, name);
}

static void visit_good_case(const char *folder, const char *name) {
  hd_text *text = load(folder, name);
  current_visit(name, text->data, text->size_bytes);
  hd_text_free(text);
}

void reader_cases_run(hdi_dialect dialect) {
  current_dialect = dialect;
  cr_assert(visit_folder(ERRORS_FOLDER, ending(dialect), visit_error_case) > 0);
  int bit = dialect == HDI_CHOR ? CHOR : FSA;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_assert(rows[i].seen || (rows[i].dialects & bit) == 0, "no %s case raises %s", ending(dialect),
              rows[i].identifier);
    cr_assert(!rows[i].seen || (rows[i].dialects & bit) != 0, "%s is raised by %s", rows[i].identifier,
              ending(dialect));
  }
}

void reader_cases_good(hdi_dialect dialect, void (*visit)(const char *name, const char *data, size_t size_bytes)) {
  const char *folder =
      dialect == HDI_CHOR ? HD_SOURCE_DIR "/tests/cases/choreography" : HD_SOURCE_DIR "/tests/fuzz/corpus/fsa";
  current_visit = visit;
  cr_assert(visit_folder(folder, ending(dialect), visit_good_case) > 0);
}

static void demand_no_fault(hdi_dialect dialect, const char *name, const char *what, size_t at, const char *data,
                            size_t size_bytes) {
  const char *fault = dialect == HDI_CHOR ? chor_reading_fault(data, size_bytes) : fsa_reading_fault(data, size_bytes);
  cr_assert(fault == NULL, "%s, %s at byte %zu: %s", name, what, at, fault);
}

void reader_cases_mistreat(hdi_dialect dialect, const char *name, const char *data, size_t size_bytes) {
  static const char replacements[] = {'\0', '\n', '\r', '"', ' ', '>', '.', ':', '!', '\x80', '\xFF'};
  for (size_t cut = 0; cut <= size_bytes; cut++) {
    demand_no_fault(dialect, name, "cut", cut, data, cut);
  }
  char *changed = malloc(size_bytes + 1);
  cr_assert(changed != NULL);
  memcpy(changed, data, size_bytes);
  for (size_t at = 0; at < size_bytes; at++) {
    for (size_t r = 0; r < sizeof replacements; r++) {
      changed[at] = replacements[r];
      demand_no_fault(dialect, name, "another byte", at, changed, size_bytes);
    }
    for (int bit = 0; bit < 8; bit++) {
      changed[at] = (char)((unsigned char)data[at] ^ (1u << bit));
      demand_no_fault(dialect, name, "a flipped bit", at, changed, size_bytes);
    }
    changed[at] = data[at];
  }
  free(changed);
}
