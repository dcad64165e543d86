/* The .cw reader: what the structure holds, the golden error cases, and files that are cut, changed or huge.
 *
 * tests/cases/cwhile/errors/NAME.cw has beside it NAME.expected: the diagnostics exactly as hd_diag_print gives them
 * without excerpts. */
#include "frontends/cwhile/lexer.h"
#include "frontends/cwhile/program.h"
#include "tests/support/cw_equal.h"
#include "tests/support/cw_reference.h"
#include "tests/support/hd_test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERRORS_FOLDER HD_SOURCE_DIR "/tests/cases/cwhile/errors"

typedef struct row {
  const char *identifier;
  hd_diag_code code;
  const char *words, *hint;
  bool seen;
} row;

static row rows[] = {
#define HDI_CW_MESSAGE(identifier, code, words, hint) {#identifier, code, words, hint, false},
#define HDI_CW_EXPECT(identifier, words) {#identifier, HD_DIAG_SYNTAX, "unexpected %1", "expected " words, false},
#include "frontends/cwhile/messages.def"
#undef HDI_CW_MESSAGE
#undef HDI_CW_EXPECT
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

static char *printed(const hd_diag *diag) {
  char *data = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&data, &size);
  hd_diag_print(diag, out, false, false);
  cr_assert(fclose(out) == 0);
  return data;
}

static void run_error_case(const char *name) {
  char expected_name[512];
  (void)snprintf(expected_name, sizeof expected_name, "%.*s.expected", (int)(strlen(name) - 3), name);
  hd_text *text = load(ERRORS_FOLDER, name);
  hd_text *expected = load(ERRORS_FOLDER, expected_name);
  hd_diag *diag = hd_diag_new();
  hd_cw_program *program = NULL;
  cr_assert(hd_cw_read(text, diag, &program) == HD_E_INPUT && program == NULL, "%s is accepted", name);
  char *got = printed(diag);
  cr_assert_str_eq(got, expected->data, "%s: got\n%sexpected\n%s", name, got, expected->data);
  mark_seen(diag);
  free(got);
  hd_diag_free(diag);
  hd_text_free(expected);
  hd_text_free(text);
}

static bool is_program(const char *name) {
  size_t length = strlen(name);
  return length > 3 && strcmp(name + length - 3, ".cw") == 0;
}

static size_t visit(const char *folder, void (*run)(const char *folder, const char *name)) {
  struct dirent **names = NULL;
  int count = scandir(folder, &names, NULL, alphasort);
  cr_assert(count >= 0, "no folder %s", folder);
  size_t visited = 0;
  for (int i = 0; i < count; i++) {
    if (is_program(names[i]->d_name)) {
      run(folder, names[i]->d_name);
      visited++;
    }
    free(names[i]);
  }
  free(names);
  return visited;
}

static void visit_error(const char *folder, const char *name) {
  (void)folder;
  run_error_case(name);
}

Test(read_cw, every_message_has_a_case) {
  cr_assert(visit(ERRORS_FOLDER, visit_error) > 0);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_assert(rows[i].seen, "no case raises %s", rows[i].identifier);
  }
}

static void demand_no_fault(const char *name, const char *what, size_t at, const char *data, size_t size_bytes) {
  const char *fault = cw_reading_fault(data, size_bytes);
  cr_assert(fault == NULL, "%s, %s at byte %zu: %s", name, what, at, fault);
}

static void mistreat(const char *folder, const char *name) {
  static const char replacements[] = {'\0', '\n', ';', '{', '}', '(', '*', '.', '[', '\xFF'};
  hd_text *text = load(folder, name);
  for (size_t cut = 0; cut <= text->size_bytes; cut++) {
    demand_no_fault(name, "cut", cut, text->data, cut);
  }
  char *changed = malloc(text->size_bytes + 1);
  cr_assert(changed != NULL);
  memcpy(changed, text->data, text->size_bytes);
  for (size_t at = 0; at < text->size_bytes; at++) {
    for (size_t r = 0; r < sizeof replacements; r++) {
      changed[at] = replacements[r];
      demand_no_fault(name, "another byte", at, changed, text->size_bytes);
    }
    changed[at] = text->data[at];
  }
  free(changed);
  hd_text_free(text);
}

Test(read_cw, cut_and_changed) {
  cr_assert(visit(HD_SOURCE_DIR "/tests/fuzz/corpus/cw", mistreat) > 0);
  mistreat(HD_SOURCE_DIR "/tests/cases/cwhile", "f_acm.cw");
}

static void read_good(const char *folder, const char *name) {
  hd_text *text = load(folder, name);
  hd_cw_program *program = NULL;
  cr_assert(hd_cw_read(text, NULL, &program) == HD_OK, "%s is refused", name);
  cr_assert(program != NULL);
  demand_no_fault(name, "whole", 0, text->data, text->size_bytes);
  hd_cw_program_free(program);
  hd_text_free(text);
}

Test(read_cw, good_programs) {
  cr_assert(visit(HD_SOURCE_DIR "/tests/cases/cwhile", read_good) > 0);
  cr_assert(visit(HD_SOURCE_DIR "/tests/fuzz/corpus/cw", read_good) > 0);
  cr_assert(visit(HD_SOURCE_DIR "/examples/cwhile", read_good) > 0);
}

Test(read_cw, random_programs_read_back) {
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(400); seed++) {
    char *source = random_cw(seed);
    demand_no_fault("random", "seed", seed, source, strlen(source));
    free(source);
  }
}

typedef struct reading {
  hd_text *text;
  hd_cw_program *program;
} reading;

static reading read_text(const char *source) {
  reading r = {.program = NULL};
  hd_diag *diag = hd_diag_new();
  cr_assert(hd_text_from_bytes("t.cw", source, strlen(source), &r.text) == HD_OK);
  hd_status status = hd_cw_read(r.text, diag, &r.program);
  cr_assert(status == HD_OK, "%s", hd_diag_count(diag) > 0 ? hd_diag_get(diag, 0)->message : "no message");
  hd_diag_free(diag);
  return r;
}

static void release(reading *r) {
  hd_cw_program_free(r->program);
  hd_text_free(r->text);
}

static bool covers(const reading *r, hd_span span, const char *words) {
  return span.end - span.begin == strlen(words) && memcmp(r->text->data + span.begin, words, strlen(words)) == 0;
}

Test(read_cw, structure) {
  reading r = read_text(
      "int x = 0, y = -1;  int[0..7] slot = 3; lock m; ghost bool g; int a[4] = 2;\n"
      "fixed daemon thread t { int r = 5; L: x := 1; if (x == 1 && y) { y = x; } else skip; a[x + 1] = r; }\n"
      "proc p(int v, ref w) { w = v; }\nthread u { p(1, slot); }");
  const hd_cw_program *p = r.program;
  cr_assert(p->global_count == 6 && p->body_count == 3 && p->thread_count == 2 && p->statement_count == 7);
  cr_assert(p->globals[1].init_lo == -1 && p->globals[1].lo == INT32_MIN && p->globals[1].hi == INT32_MAX);
  cr_assert(p->globals[2].lo == 0 && p->globals[2].hi == 7 && p->globals[2].init_lo == 3);
  cr_assert(p->globals[3].type == HD_CW_TYPE_LOCK && p->globals[4].ghost && p->globals[4].type == HD_CW_TYPE_BOOL);
  cr_assert(p->globals[5].length == 4 && p->globals[5].init_lo == 2);
  const hd_cw_body *t = &p->bodies[0];
  cr_assert(t->thread && t->fixed && t->daemon && t->var_count == 1 && t->parameter_count == 0);
  const hd_cw_stmt *s = t->first;
  cr_assert_str_eq(s->label.text, "L");
  cr_assert(s->kind == HD_CW_ASSIGN && covers(&r, s->span, "x := 1;") && s->target.global && s->target.var == 0);
  s = s->next;
  cr_assert(s->kind == HD_CW_IF && covers(&r, s->head, "if (x == 1 && y)"));
  cr_assert(covers(&r, s->span, "if (x == 1 && y) { y = x; } else skip;"));
  cr_assert(s->expr->op == HD_OP_AND && covers(&r, s->expr->a->span, "x == 1"));
  cr_assert(s->body->kind == HD_CW_ASSIGN && s->other->kind == HD_CW_SKIP);
  s = s->next;
  cr_assert(s->target.index != NULL && s->expr->ref.var == 0 && !s->expr->ref.global);
  cr_assert(p->bodies[1].vars[1].reference && p->bodies[1].vars[1].use == HD_CW_USE_VALUE);
  release(&r);
}

static int64_t folded(const char *words) {
  char source[256];
  (void)snprintf(source, sizeof source, "int[-1000000..1000000] x = %s; thread t { }", words);
  reading r = read_text(source);
  int64_t value = r.program->globals[0].init_lo;
  release(&r);
  return value;
}

/* The values that C gives. */
Test(read_cw, precedence_of_c) {
  cr_assert(folded("1 + 2 * 3") == 7 && folded("10 - 4 - 3") == 3 && folded("100 / 10 / 5") == 2);
  cr_assert(folded("7 % 4 * 2") == 6 && folded("-7 / 2") == -3 && folded("-7 % 2") == -1);
  cr_assert(folded("1 << 2 + 1") == 8 && folded("1 << 2 << 1") == 8 && folded("-9 >> 1") == -5);
  cr_assert(folded("1 < 2 == 1") == 1 && folded("3 > 2 > 1") == 0 && folded("2 == 2 != 0") == 1);
  cr_assert(folded("4 & 6 == 6") == 0 && folded("1 | 2 ^ 3 & 2") == 1 && folded("5 ^ 3 & 1") == 4);
  cr_assert(folded("1 || 0 && 0") == 1 && folded("!0 + 1") == 2 && folded("~0 & 7") == 7 && folded("- -3") == 3);
  cr_assert(folded("!(1 && 0)") == 1 && folded("true + true") == 2 && folded("0x1F") == 31 && folded("+4") == 4);
}
