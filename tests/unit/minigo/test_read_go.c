/* The Go reader: what the structure holds, the golden error cases, files that are cut, changed or huge, packages of
 * several files, and, where the sources of Go are there (HEDDLE_GO_ROOT, `ctest -C full`), all of them.
 *
 * tests/cases/minigo/errors/NAME.go has beside it NAME.expected: the diagnostics exactly as hd_diag_print gives them
 * without excerpts. */
#include "frontends/minigo/program.h"
#include "tests/support/go_equal.h"
#include "tests/support/hd_test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ERRORS_FOLDER HD_SOURCE_DIR "/tests/cases/minigo/errors"
#define SHARED_FOLDER HD_SOURCE_DIR "/../shared/cases/minigo"

typedef struct row {
  const char *identifier;
  hd_diag_code code;
  const char *words, *hint;
  bool seen;
} row;

static row rows[] = {
#define HDI_GO_MESSAGE(identifier, code, words, hint) {#identifier, code, words, hint, false},
#include "frontends/minigo/messages.def"
#undef HDI_GO_MESSAGE
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

/* Reads texts that must be refused, marks the messages, and answers the diagnostics as printed; free them. */
static char *refusal(const hd_text *const *texts, uint32_t count) {
  hd_diag *diag = hd_diag_new();
  hd_go_package *package = NULL;
  cr_assert(hd_go_read(texts, count, diag, &package) == HD_E_INPUT && package == NULL, "%s is accepted",
            texts[0]->name);
  char *got = printed(diag);
  mark_seen(diag);
  hd_diag_free(diag);
  return got;
}

static void run_error_case(const char *folder, const char *name) {
  char expected_name[512];
  (void)snprintf(expected_name, sizeof expected_name, "%.*s.expected", (int)(strlen(name) - 3), name);
  hd_text *text = load(folder, name), *expected = load(folder, expected_name);
  const hd_text *texts[] = {text};
  char *got = refusal(texts, 1);
  cr_assert_str_eq(got, expected->data, "%s: got\n%sexpected\n%s", name, got, expected->data);
  free(got);
  hd_text_free(expected);
  hd_text_free(text);
}

static bool is_go(const char *name) {
  size_t length = strlen(name);
  return length > 3 && strcmp(name + length - 3, ".go") == 0;
}

static size_t visit(const char *folder, void (*run)(const char *folder, const char *name)) {
  struct dirent **names = NULL;
  int count = scandir(folder, &names, NULL, alphasort);
  size_t visited = 0;
  for (int i = 0; i < count; i++) {
    if (is_go(names[i]->d_name)) {
      run(folder, names[i]->d_name);
      visited++;
    }
    free(names[i]);
  }
  free(names);
  return visited;
}

static hd_text *text_of(const char *name, const char *source) {
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes(name, source, strlen(source), &text) == HD_OK);
  return text;
}

/* A file of one package beside one of another, and a name that two files declare. */
static void refuse_packages(void) {
  hd_text *texts[] = {text_of("a.go", "package p\n\nfunc f() {}\n"), text_of("b.go", "package q\n"),
                      text_of("c.go", "package p\n\nvar f int\n")};
  char *got = refusal((const hd_text *const *)texts, 3);
  cr_assert_str_eq(got,
                   "b.go:1:9: error: this file belongs to package 'q'; expected 'p', as in the files before [HD103]\n"
                   "c.go:3:5: error: 'f' is declared twice; first declared at a.go:3:6 [HD103]\n");
  free(got);
  for (size_t i = 0; i < 3; i++) {
    hd_text_free(texts[i]);
  }
}

static void refuse_large_file(void) {
  size_t size = HD_GO_FILE_BYTES_MAX + 1;
  char *data = malloc(size);
  cr_assert(data != NULL);
  memset(data, ' ', size);
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("large.go", data, size, &text) == HD_OK);
  free(data);
  const hd_text *texts[] = {text};
  free(refusal(texts, 1));
  hd_text_free(text);
}

Test(read_go, every_message_has_a_case) {
  cr_assert(visit(ERRORS_FOLDER, run_error_case) > 0);
  refuse_packages();
  refuse_large_file();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_assert(rows[i].seen, "no case raises %s", rows[i].identifier);
  }
}

static void demand_no_fault(const char *name, const char *what, size_t at, const char *data, size_t size_bytes) {
  const char *fault = go_reading_fault(data, size_bytes);
  cr_assert(fault == NULL, "%s, %s at byte %zu: %s", name, what, at, fault);
}

/* Not every byte, and under a sanitizer fewer still; steps and kinds of bytes have no common divisor. */
static void mistreat(const char *folder, const char *name) {
  static const char replacements[] = {'\0', '\n', ';', '{', '}', '(', '.', '[', '"', ':', '\xFF'};
  const size_t kinds = sizeof replacements;
  hd_text *text = load(folder, name);
  for (size_t cut = 0; cut <= text->size_bytes; cut += HD_SANITIZER ? 23 : 7) {
    demand_no_fault(name, "cut", cut, text->data, cut);
  }
  char *changed = malloc(text->size_bytes + 1);
  cr_assert(changed != NULL);
  memcpy(changed, text->data, text->size_bytes);
  for (size_t at = 0; at < text->size_bytes; at += HD_SANITIZER ? 12 : 3) {
    changed[at] = replacements[at % kinds];
    demand_no_fault(name, "another byte", at, changed, text->size_bytes);
    changed[at] = text->data[at];
  }
  free(changed);
  hd_text_free(text);
}

Test(read_go, cut_and_changed) {
  cr_assert(visit(HD_SOURCE_DIR "/tests/fuzz/corpus/go", mistreat) > 0);
}

static void read_good(const char *folder, const char *name) {
  hd_text *text = load(folder, name);
  const hd_text *texts[] = {text};
  hd_diag *diag = hd_diag_new();
  hd_go_package *package = NULL;
  hd_status status = hd_go_read(texts, 1, diag, &package);
  char *got = printed(diag);
  cr_assert(status == HD_OK, "%s/%s is refused: %s", folder, name, got);
  free(got);
  hd_go_package_free(package);
  hd_diag_free(diag);
  demand_no_fault(name, "whole", 0, text->data, text->size_bytes);
  hd_text_free(text);
}

Test(read_go, good_files) {
  cr_assert(visit(HD_SOURCE_DIR "/tests/fuzz/corpus/go", read_good) > 0);
  struct stat there;
  if (stat(SHARED_FOLDER, &there) == 0) {
    cr_assert(visit(SHARED_FOLDER, read_good) > 0);
  }
}

/* All files below a folder, those made to be wrong apart. */
static size_t visit_below(const char *folder) {
  char path[4096];
  struct dirent **names = NULL;
  int count = scandir(folder, &names, NULL, alphasort);
  size_t visited = visit(folder, read_good);
  for (int i = 0; i < count; i++) {
    struct stat status;
    cr_assert((size_t)snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name) < sizeof path);
    if (names[i]->d_name[0] != '.' && strcmp(names[i]->d_name, "testdata") != 0 && stat(path, &status) == 0 &&
        S_ISDIR(status.st_mode)) {
      visited += visit_below(path);
    }
    free(names[i]);
  }
  free(names);
  return visited;
}

Test(read_go, sources_of_go) {
  const char *root = getenv("HEDDLE_GO_ROOT");
  if (root != NULL) {
    char folder[4096];
    cr_assert((size_t)snprintf(folder, sizeof folder, "%s/src", root) < sizeof folder);
    cr_assert(visit_below(folder) >= 4000);
  }
}

/* ---- structure ---- */

typedef struct reading {
  hd_text *text;
  hd_go_package *package;
} reading;

static reading read_text(const char *source) {
  reading r = {.package = NULL};
  hd_diag *diag = hd_diag_new();
  r.text = text_of("t.go", source);
  const hd_text *texts[] = {r.text};
  hd_status status = hd_go_read(texts, 1, diag, &r.package);
  cr_assert(status == HD_OK, "%s", hd_diag_count(diag) > 0 ? hd_diag_get(diag, 0)->message : "no message");
  hd_diag_free(diag);
  return r;
}

static void release(reading *r) {
  hd_go_package_free(r->package);
  hd_text_free(r->text);
}

static bool covers(const reading *r, hd_span span, const char *words) {
  return span.end - span.begin == strlen(words) && memcmp(r->text->data + span.begin, words, strlen(words)) == 0;
}

static const hd_go_stmt *body_of(const reading *r) {
  const hd_go_decl *decl = r->package->files[0].decls;
  while (decl->kind != HD_GO_DECL_FUNC) {
    decl = decl->next;
  }
  return decl->function->body->body;
}

Test(read_go, statements) {
  reading r = read_text(
      "package p\nfunc f() {\n\tx, ok := <-c\n\tc <- x + 1\n\tfor i := 0; i < 3; i++ { go g(i, s...) }\n"
      "\tselect { case v := <-c: h(v); case d <- 1: default: }\nL:\n\tfor k := range m { break L }\n"
      "\tif a := b; a { } else if c { } else { x |= 2 }\n\tswitch y := x.(type) { case int, nil: }\n}\n");
  const hd_go_stmt *s = body_of(&r);
  cr_assert(s->kind == HD_GO_STMT_DEFINE && covers(&r, s->span, "x, ok := <-c"));
  cr_assert(covers(&r, s->left->next->span, "ok") && s->right->kind == HD_GO_UNARY && s->right->op == HD_GO_OP_RECEIVE);
  s = s->next;
  cr_assert(s->kind == HD_GO_STMT_SEND && covers(&r, s->left->span, "c") && covers(&r, s->right->span, "x + 1"));
  cr_assert(s->right->kind == HD_GO_BINARY && s->right->op == HD_GO_OP_ADD);
  s = s->next;
  cr_assert(s->kind == HD_GO_STMT_FOR && covers(&r, s->head, "for i := 0; i < 3; i++"));
  cr_assert(s->init->kind == HD_GO_STMT_DEFINE && s->post->kind == HD_GO_STMT_INCREMENT);
  const hd_go_stmt *go = s->body->body;
  cr_assert(go->kind == HD_GO_STMT_GO && go->left->kind == HD_GO_CALL && go->left->spread);
  cr_assert(covers(&r, go->left->a->span, "g") && covers(&r, go->left->list->next->span, "s"));
  s = s->next;
  cr_assert(s->kind == HD_GO_STMT_SELECT && covers(&r, s->head, "select"));
  const hd_go_stmt *arm = s->body;
  cr_assert(arm->init->kind == HD_GO_STMT_DEFINE && covers(&r, arm->head, "case v := <-c:"));
  cr_assert(arm->body->kind == HD_GO_STMT_EXPRESSION && arm->next->init->kind == HD_GO_STMT_SEND);
  cr_assert(arm->next->next->is_default && arm->next->next->next == NULL);
  s = s->next;
  cr_assert(s->kind == HD_GO_STMT_LABELED && s->body->kind == HD_GO_STMT_RANGE && s->body->is_define);
  cr_assert(s->body->body->body->label.text == s->label.text, "equal names have one text");
  s = s->next;
  cr_assert(s->kind == HD_GO_STMT_IF && covers(&r, s->head, "if a := b; a") && covers(&r, s->condition->span, "a"));
  cr_assert(s->other->kind == HD_GO_STMT_IF && s->other->other->kind == HD_GO_STMT_BLOCK);
  cr_assert(s->other->other->body->has_op && s->other->other->body->op == HD_GO_OP_BITOR);
  s = s->next;
  cr_assert(s->kind == HD_GO_STMT_TYPE_SWITCH && strcmp(s->label.text, "y") == 0 && s->next == NULL);
  cr_assert(covers(&r, s->body->left->next->span, "nil"));
  release(&r);
}

/* What Go's own lexer would take for another sign stays apart, whatever our parser makes of it. */
Test(read_go, printing) {
  static const char source[] = "package p\n\nvar x = - -a + + +b & ^c\n";
  reading r = read_text(source);
  hd_buffer out = {0};
  hd_go_print(&r.package->files[0], &out);
  cr_assert_str_eq(out.data, source);
  hd_buffer_free(&out);
  hd_buffer expr = {0};
  hd_go_print_expr(r.package->files[0].decls->specs->values->a, &expr);
  cr_assert_str_eq(expr.data, "- -a");
  hd_buffer_free(&expr);
  release(&r);
}

/* A generic function's types are an index of it. */
Test(read_go, type_arguments) {
  reading r = read_text("package p\nvar x = f[[]int, K](a, b)\n");
  const hd_go_expr *call = r.package->files[0].decls->specs->values;
  cr_assert(call->kind == HD_GO_CALL && call->a->kind == HD_GO_INDEX && covers(&r, call->a->span, "f[[]int, K]"));
  cr_assert(covers(&r, call->a->a->span, "f") && call->a->list->kind == HD_GO_ARRAY_TYPE);
  release(&r);
}

/* The arrow belongs to the leftmost chan; parentheses bind it elsewhere. */
Test(read_go, channel_types) {
  reading r = read_text("package p\nvar a chan <-chan int\nvar b chan (<-chan int)\nvar c <-chan chan<- T\n");
  const hd_go_decl *decl = r.package->files[0].decls;
  const hd_go_expr *type = decl->specs->type;
  cr_assert(type->kind == HD_GO_CHAN_TYPE && type->direction == HD_GO_SEND_ONLY &&
            covers(&r, type->a->span, "chan int"));
  cr_assert(type->a->direction == HD_GO_BOTH);
  type = decl->next->specs->type;
  cr_assert(type->direction == HD_GO_BOTH && type->a->kind == HD_GO_PAREN);
  cr_assert(type->a->a->direction == HD_GO_RECEIVE_ONLY);
  type = decl->next->next->specs->type;
  cr_assert(type->direction == HD_GO_RECEIVE_ONLY && type->a->direction == HD_GO_SEND_ONLY);
  release(&r);
}

static uint32_t count_names(const hd_go_ident *names) {
  uint32_t count = 0;
  for (; names != NULL; names = names->next) {
    count++;
  }
  return count;
}

/* The grammar's parser gives up on long lists of names and takes them for types. */
Test(read_go, many_parameters) {
  reading r =
      read_text("package p\nfunc (t *T[K]) f(a, b, c, d, e, f, g, h, i, j, k, l int, m, n string) (x, y int)\n");
  const hd_go_function *function = r.package->files[0].decls->function;
  const hd_go_field *field = function->signature.parameters;
  cr_assert(count_names(field->names) == 12 && count_names(field->next->names) == 2 && field->next->next == NULL);
  cr_assert(covers(&r, field->span, "a, b, c, d, e, f, g, h, i, j, k, l int"));
  cr_assert(count_names(function->signature.results->names) == 2 && function->body == NULL);
  cr_assert(strcmp(function->receiver->names->name.text, "t") == 0 && function->receiver->type->kind == HD_GO_STAR);
  release(&r);
}

Test(read_go, directives) {
  reading r = read_text("package p\n//heddle:daemon for ever\nfunc f() {\n\tgo g() //heddle:ignore\n}\n// heddle:no\n");
  const hd_go_directive *directive = r.package->files[0].directives;
  cr_assert(strcmp(directive->word.text, "daemon") == 0 && directive->own_line);
  cr_assert(covers(&r, directive->span, "//heddle:daemon for ever"));
  cr_assert(strcmp(directive->next->word.text, "ignore") == 0 && !directive->next->own_line);
  cr_assert(directive->next->next == NULL);
  release(&r);
}

/* Rows are as long as they like: a hundred thousand operands, calls, and branches. */
Test(read_go, long_rows) {
  const size_t links = 100000;
  static const char *const parts[] = {" + 1", ".f()", "[0]"};
  for (size_t kind = 0; kind < sizeof parts / sizeof parts[0]; kind++) {
    hd_buffer source = {0};
    hd_buffer_add_text(&source, "package p\nvar x = y");
    for (size_t i = 0; i < HD_TEST_COUNT(links); i++) {
      hd_buffer_add_text(&source, parts[kind]);
    }
    hd_buffer_add_text(&source, "\n");
    demand_no_fault("row", parts[kind], 0, source.data, source.size_bytes);
    hd_buffer_free(&source);
  }
  hd_buffer source = {0};
  hd_buffer_add_text(&source, "package p\nfunc f() {\n\tif a {\n\t}");
  for (size_t i = 0; i < 2000; i++) {
    hd_buffer_add_text(&source, " else if b {\n\t}");
  }
  hd_buffer_add_text(&source, "\n}\n");
  demand_no_fault("branches", "else", 0, source.data, source.size_bytes);
  reading r = read_text(source.data);
  release(&r);
  hd_buffer_free(&source);
}
