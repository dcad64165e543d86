/* Programs with known figures: tests/cases/cwhile and examples/cwhile hold them in `expect:` comments, the closed forms
 * here come from the design's independent reference. Every program is also checked with and without reduction, with
 * several numbers of threads, and its counterexamples are saved and replayed. */
#include "core/base/buffer.h"
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows `name=` in the expectation; NULL: it is silent about it. */
static const char *expectation(const char *line, const char *name) {
  const char *at = line;
  size_t length = strlen(name);
  while (at != NULL && (at = strstr(at, name)) != NULL) {
    if (at[-1] == ' ' && at[length] == '=') {
      return at + length + 1;
    }
    at += length;
  }
  return NULL;
}

static void demand_number(const char *path, const char *line, const char *name, uint64_t got) {
  const char *wanted = expectation(line, name);
  cr_assert(wanted == NULL || strtoull(wanted, NULL, 10) == got, "%s: %s is %" PRIu64 ", not %.12s", path, name, got,
            wanted == NULL ? "" : wanted);
}

static run_text run(hd_command command, const char *path, const char *source, uint32_t threads, bool reduction) {
  run_text r;
  run_text_init(&r);
  r.options.threads = threads;
  r.options.reduction = reduction;
  run_text_command(&r, command, path, source);
  cr_assert(r.status == HD_OK, "%s: status %d", path, (int)r.status);
  return r;
}

static const hd_fact *fact(const hd_result *result, const char *name) {
  for (size_t i = 0; i < result->fact_count; i++) {
    if (strcmp(result->facts[i].name, name) == 0) {
      return &result->facts[i];
    }
  }
  return NULL;
}

static void demand_counts(const char *path, const char *source, const char *line) {
  run_text r = run(HD_COMMAND_EXPLORE, path, source, 1, false);
  cr_assert(r.result->complete && r.result->has_error_states);
  demand_number(path, line, "states", r.result->states);
  demand_number(path, line, "transitions", r.result->transitions);
  demand_number(path, line, "deadlocks", r.result->deadlocks);
  demand_number(path, line, "error_states", r.result->error_states);
  char *one = run_text_comparable(&r);
  run_text_free(&r);
  r = run(HD_COMMAND_EXPLORE, path, source, 3, false);
  char *three = run_text_comparable(&r);
  cr_assert_str_eq(one, three, "%s: 3 threads say something else", path);
  run_text_free(&r);
  free(one);
  free(three);
}

/* The saved counterexample runs. */
static void replay(const char *path, const char *source, const char *trace) {
  run_text r;
  run_text_init(&r);
  hd_diag *diag = hd_diag_new();
  hd_text *text = NULL, *saved = NULL;
  hd_ast *ast = NULL;
  cr_assert(hd_text_from_bytes(path, source, strlen(source), &text) == HD_OK);
  cr_assert(hd_text_from_bytes("saved.json", trace, strlen(trace), &saved) == HD_OK);
  const hd_frontend *frontend = hd_frontend_for(text);
  cr_assert(frontend->parse(text, diag, &ast) == HD_OK);
  hd_result *result = hd_result_new(HD_COMMAND_REPLAY, path);
  hd_request request = {.options = &r.options};
  cr_assert(frontend->replay(ast, saved, &request, diag, result) == HD_OK, "%s: %s", path,
            hd_diag_count(diag) > 0 ? hd_diag_get(diag, 0)->message : "");
  cr_assert(result->finding_count == 1 && strncmp(result->findings[0].message, "the trace runs", 14) == 0);
  hd_result_free(result);
  frontend->free_ast(ast);
  hd_text_free(saved);
  hd_text_free(text);
  hd_diag_free(diag);
  run_text_free(&r);
}

/* The reduced and the unreduced check agree, for every number of threads; runs are shortest in both. */
static void demand_verdict(const char *path, const char *source, const char *line) {
  run_text reduced = run(HD_COMMAND_CHECK, path, source, 1, true);
  run_text exact = run(HD_COMMAND_CHECK, path, source, 1, false);
  cr_assert(reduced.result->verdict == exact.result->verdict, "%s: another verdict with reductions", path);
  cr_assert(reduced.result->finding_count == exact.result->finding_count, "%s: other findings", path);
  for (size_t i = 0; i < exact.result->finding_count; i++) {
    cr_assert_str_eq(reduced.result->findings[i].kind, exact.result->findings[i].kind, "%s", path);
    cr_assert(reduced.result->findings[i].length == exact.result->findings[i].length, "%s: a longer run", path);
    cr_assert(exact.result->findings[i].trace_lines > 0 || exact.result->findings[i].length == 0, "%s: no run", path);
  }
  char *one = run_text_comparable(&reduced);
  for (uint32_t threads = 2; threads <= 8; threads += threads == 3 ? 5 : 1) {
    run_text many = run(HD_COMMAND_CHECK, path, source, threads, true);
    char *other = run_text_comparable(&many);
    cr_assert_str_eq(one, other, "%s: %u threads say something else", path, (unsigned)threads);
    free(other);
    run_text_free(&many);
  }
  const char *wanted = expectation(line, "sequential_bug");
  if (wanted != NULL) {
    const hd_fact *found = fact(exact.result, "sequential_bug");
    cr_assert((found != NULL && found->number != 0) == (*wanted == 'y'), "%s: sequential bug", path);
  }
  if (exact.result->trace != NULL) {
    replay(path, source, exact.result->trace);
  }
  free(one);
  run_text_free(&reduced);
  run_text_free(&exact);
}

static void run_case(const char *path) {
  char *source = run_text_load(path);
  cr_assert(source != NULL, "cannot read %s", path);
  const char *line = strstr(source, "expect:");
  cr_assert(line != NULL, "%s says no figures", path);
  char copy[512];
  (void)snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
  demand_counts(path, source, copy);
  demand_verdict(path, source, copy);
  free(source);
}

static void run_folder(const char *folder, size_t least) {
  char path[4096];
  (void)snprintf(path, sizeof path, "%s/%s", HD_SOURCE_DIR, folder);
  struct dirent **names = NULL;
  int count = scandir(path, &names, NULL, alphasort);
  size_t ran = 0;
  for (int i = 0; i < count; i++) {
    if (strstr(names[i]->d_name, ".cw") != NULL) {
      (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
      run_case(path);
      ran++;
    }
    free(names[i]);
  }
  free(names);
  cr_assert(ran >= least, "only %zu programs in %s", ran, folder);
}

Test(cases, known_figures) {
  run_folder("tests/cases/cwhile", 23);
}

Test(cases, examples) {
  run_folder("examples/cwhile", 6);
}

/* ---- closed forms ---- */

static void demand(const char *name, const hd_buffer *source, uint64_t states, uint64_t transitions,
                   uint64_t deadlocks) {
  cr_assert(!source->failed);
  run_text r = run(HD_COMMAND_EXPLORE, "family.cw", source->data, 2, false);
  cr_assert(r.result->states == states && r.result->deadlocks == deadlocks, "%s: %" PRIu64 " states, not %" PRIu64,
            name, r.result->states, states);
  cr_assert(transitions == 0 || r.result->transitions == transitions, "%s: %" PRIu64 " transitions, not %" PRIu64, name,
            r.result->transitions, transitions);
  run_text_free(&r);
}

static bool full(void) {
  return getenv("HEDDLE_FULL") != NULL;
}

static uint64_t power(uint64_t base, uint32_t exponent) {
  uint64_t value = 1;
  for (uint32_t i = 0; i < exponent; i++) {
    value *= base;
  }
  return value;
}

static void repeat(hd_buffer *out, const char *text, uint32_t times) {
  for (uint32_t i = 0; i < times; i++) {
    hd_buffer_add_text(out, text);
  }
}

static void independent(uint32_t n, uint32_t k) {
  hd_buffer source = {0};
  for (uint32_t i = 0; i < n; i++) {
    hd_buffer_printf(&source, "thread t%u { int x; ", (unsigned)i);
    repeat(&source, "x = x + 1; ", k);
    hd_buffer_add_text(&source, "}\n");
  }
  demand("independent", &source, power(k + 1, n), (uint64_t)n * k * power(k + 1, n - 1), 0);
  hd_buffer_free(&source);
}

Test(closed_forms, independent) {
  independent(1, 1);
  independent(3, 4);
  independent(5, 5);
  if (full()) {
    independent(7, 7);
  }
}

Test(closed_forms, locked_counter) {
  for (uint32_t n = 1; n <= (full() ? 16u : 10u); n++) {
    hd_buffer source = {0};
    hd_buffer_add_text(&source, "lock m; int c;\n");
    for (uint32_t i = 0; i < n; i++) {
      hd_buffer_printf(&source, "thread t%u { int r; lock(m); r = c; c = r + 1; atomic { r = 0; unlock(m); } }\n",
                       (unsigned)i);
    }
    demand("locked counter", &source, (3 * n + 2) * power(2, n - 1), n * power(2, n + 1), 0);
    hd_buffer_free(&source);
  }
}

Test(closed_forms, reorder) {
  for (uint32_t n = 1; n <= (full() ? 13u : 9u); n++) {
    hd_buffer source = {0};
    hd_buffer_add_text(&source, "int a, b;\nthread c { assert((a == 0 && b == 0) || (a == 1 && b == -1)); }\n");
    for (uint32_t i = 0; i < n; i++) {
      hd_buffer_printf(&source, "thread s%u { a = 1; b = -1; }\n", (unsigned)i);
    }
    demand("reorder", &source, power(3, n + 1) - 1, 0, 0);
    hd_buffer_free(&source);
  }
}

static uint64_t binomial(uint32_t n, uint32_t k) {
  uint64_t value = 1;
  for (uint32_t i = 1; i <= k; i++) {
    value = value * (n - k + i) / i;
  }
  return value;
}

Test(closed_forms, fibonacci) {
  for (uint32_t k = 1; k <= (full() ? 11u : 8u); k++) {
    hd_buffer source = {0};
    hd_buffer_add_text(&source, "int i = 1, j = 1;\nthread a { ");
    repeat(&source, "i = i + j; ", k);
    hd_buffer_add_text(&source, "}\nthread b { ");
    repeat(&source, "j = j + i; ", k);
    /* the largest value is Fib(2k+2): one more is never reached */
    uint64_t before = 1, last = 1;
    for (uint32_t f = 2; f < 2 * k + 2; f++) {
      uint64_t next = before + last;
      before = last;
      last = next;
    }
    hd_buffer_add_text(&source, "}\n");
    demand("fib_bench", &source, binomial(2 * k + 2, k + 1) - 1, 0, 0);
    for (uint64_t more = 0; more < 2; more++) {
      hd_buffer guarded = {0};
      hd_buffer_printf(&guarded, "int i = 1, j = 1;\nthread a { ");
      repeat(&guarded, "i = i + j; ", k);
      hd_buffer_add_text(&guarded, "}\nthread b { ");
      repeat(&guarded, "j = j + i; ", k);
      hd_buffer_printf(&guarded, "}\nthread c { assert(i < %" PRIu64 " && j < %" PRIu64 "); }\n", last + more,
                       last + more);
      run_text r = run(HD_COMMAND_CHECK, "fib.cw", guarded.data, 2, true);
      cr_assert(r.result->verdict == (more == 1 ? HD_VERDICT_HOLDS : HD_VERDICT_VIOLATED), "k = %u", (unsigned)k);
      run_text_free(&r);
      hd_buffer_free(&guarded);
    }
    hd_buffer_free(&source);
  }
}

static void dining(uint32_t n, bool reversed, bool for_ever, uint64_t states) {
  hd_buffer source = {0};
  hd_buffer_printf(&source, "lock fork[%u];\n", (unsigned)n);
  for (uint32_t i = 0; i < n; i++) {
    bool turned = reversed && i == n - 1;
    unsigned left = i, right = (i + 1) % n, first = turned ? right : left, second = turned ? left : right;
    hd_buffer_printf(
        &source, "thread p%u { %s lock(fork[%u]); lock(fork[%u]); unlock(fork[%u]); unlock(fork[%u]); %s }\n",
        (unsigned)i, for_ever ? "while (1 == 1) {" : "", first, second, second, first, for_ever ? "}" : "");
  }
  demand(reversed ? "dining, one reversed" : "dining", &source, states, 0, reversed ? 0 : 1);
  hd_buffer_free(&source);
}

Test(closed_forms, dining) {
  uint64_t plain[11] = {0, 0, 19, 87}, reversed[11] = {0, 0, 16, 72};
  for (uint32_t n = 4; n <= 10; n++) {
    plain[n] = 4 * plain[n - 1] + 2 * plain[n - 2] + 5;
    reversed[n] = 4 * reversed[n - 1] + 2 * reversed[n - 2];
  }
  cr_assert(plain[10] == 3041599);
  for (uint32_t n = 2; n <= (full() ? 10u : 7u); n++) {
    dining(n, false, false, plain[n]);
    dining(n, true, false, reversed[n]);
    dining(n, false, true, plain[n]);
    dining(n, true, true, reversed[n]);
  }
}

Test(closed_forms, lost_update) {
  static const uint64_t states[] = {12, 59, 330, 2027, 13494, 96679, 741218};
  for (uint32_t n = 2; n <= (full() ? 8u : 7u); n++) {
    hd_buffer source = {0};
    hd_buffer_add_text(&source, "int c;\n");
    for (uint32_t i = 0; i < n; i++) {
      hd_buffer_printf(&source, "thread t%u { int r; r = c; atomic { c = r + 1; r = 0; } }\n", (unsigned)i);
    }
    demand("lost update", &source, states[n - 2], 0, 0);
    hd_buffer_free(&source);
  }
}
