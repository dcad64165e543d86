/* A language for testing the command without any other: each line of a .fake file is an instruction.
 *
 *   holds | violated | inconclusive    the verdict of check
 *   finding                            adds a finding with a run of two steps
 *   wide                               the run's first actor is a name of several bytes a character
 *   nasty                              texts with control bytes and bytes that are not UTF-8
 *   mend                               repair finds two repairs of what is violated, the first of which says `holds`
 *   emit                               the result has a drawing and a saved trace
 *   slow                               works until cancelled or past the deadline, showing progress
 *   deaf                               so that slow cannot be cancelled
 *   warn                               a warning
 *   error | usage | io | nomem | limit | internal | require    the command fails so
 *   mute                               failures leave no diagnostic
 * Anything else is a syntax error at its place. A first line `fake` is what sniff looks for; it does nothing. */
#include "core/base/check.h"
#include "core/base/machine.h"
#include "frontends/frontend.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* clang-format off */
#define WORD_TABLE(X) \
  X(FAKE, "fake") \
  X(HOLDS, "holds") \
  X(VIOLATED, "violated") \
  X(INCONCLUSIVE, "inconclusive") \
  X(FINDING, "finding") \
  X(WIDE, "wide") \
  X(NASTY, "nasty") \
  X(MEND, "mend") \
  X(EMIT, "emit") \
  X(SLOW, "slow") \
  X(DEAF, "deaf") \
  X(WARN, "warn") \
  X(ERROR, "error") \
  X(USAGE, "usage") \
  X(IO, "io") \
  X(NOMEM, "nomem") \
  X(LIMIT, "limit") \
  X(INTERNAL, "internal") \
  X(REQUIRE, "require") \
  X(MUTE, "mute")
/* clang-format on */

enum {
#define WORD_ENUM(identifier, text) WORD_##identifier,
  WORD_TABLE(WORD_ENUM)
#undef WORD_ENUM
      WORD_COUNT
};

static const char *const words[WORD_COUNT] = {
#define WORD_TEXT(identifier, text) text,
    WORD_TABLE(WORD_TEXT)
#undef WORD_TEXT
};

struct hd_ast {
  const hd_text *text;
  bool has[WORD_COUNT];
};

static bool sniff(const hd_text *text) {
  return text->size_bytes >= 5 && memcmp(text->data, "fake\n", 5) == 0;
}

static hd_status parse(const hd_text *text, hd_diag *diag, hd_ast **out) {
  *out = NULL;
  hd_ast *ast = calloc(1, sizeof *ast);
  if (ast == NULL) {
    return HD_E_NOMEM;
  }
  ast->text = text;
  for (uint32_t line = 1; line <= text->line_count; line++) {
    size_t length = 0;
    const char *bytes = hd_text_line(text, line, &length);
    size_t word = 0;
    while (word < WORD_COUNT && !(strlen(words[word]) == length && memcmp(words[word], bytes, length) == 0)) {
      word++;
    }
    if (word < WORD_COUNT) {
      ast->has[word] = true;
    } else if (length != 0) {
      uint32_t begin = (uint32_t)(bytes - text->data);
      hd_diag_add(diag, HD_DIAG_SYNTAX, text, (hd_span){begin, begin + (uint32_t)length}, "expected an instruction",
                  "unexpected '%.*s'", (int)length, bytes);
      free(ast);
      return HD_E_INPUT;
    }
  }
  *out = ast;
  return HD_OK;
}

static void free_ast(hd_ast *ast) {
  free(ast);
}

/* Works until it is told to stop; says by what. */
static hd_end work(const hd_ast *ast, const hd_request *request, hd_progress *progress) {
  double start = hd_machine_seconds();
  for (;;) {
    if (!ast->has[WORD_DEAF] && request->cancel != NULL && hd_load_rlx(request->cancel) != 0) {
      return HD_END_SIGNAL;
    }
    if (request->deadline_seconds > 0 && hd_machine_seconds() >= request->deadline_seconds) {
      return HD_END_TIMEOUT;
    }
    if (hd_machine_seconds() - start > 60) {
      return HD_END_BUDGET; /* a test that forgot to stop us */
    }
    *progress = (hd_progress){.states = progress->states + 1000,
                              .frontier = 10,
                              .level = progress->level + 1,
                              .seconds = hd_machine_seconds() - start,
                              .memory_bytes = 1u << 20};
    if (request->progress != NULL) {
      request->progress(request->progress_payload, progress);
    }
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
}

static hd_status failure(const hd_ast *ast, hd_diag *diag) {
  static const struct {
    int word;
    hd_status status;
    hd_diag_code code;
  } rows[] = {
      {WORD_ERROR, HD_E_INPUT, HD_DIAG_NAME},  {WORD_USAGE, HD_E_USAGE, HD_DIAG_USAGE},
      {WORD_IO, HD_E_IO, HD_DIAG_WRITE},       {WORD_NOMEM, HD_E_NOMEM, HD_DIAG_MEMORY},
      {WORD_LIMIT, HD_E_LIMIT, HD_DIAG_LIMIT}, {WORD_INTERNAL, HD_E_INTERNAL, HD_DIAG_INTERNAL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (ast->has[rows[i].word]) {
      if (!ast->has[WORD_MUTE]) {
        hd_diag_add(diag, rows[i].code, ast->text, (hd_span){0, 4}, NULL, "failed as told");
      }
      return rows[i].status;
    }
  }
  return HD_OK;
}

static void add_finding(const hd_ast *ast, hd_result *result) {
  hd_finding *finding = hd_result_add_finding(result);
  hd_trace_line *trace = hd_arena_alloc_array(result->arena, 2, sizeof *trace);
  if (finding == NULL || trace == NULL) {
    return;
  }
  bool nasty = ast->has[WORD_NASTY];
  trace[0] = (hd_trace_line){.actor = ast->has[WORD_WIDE] ? "P\xC3\xA9\xC3\xA9" : "P1",
                             .action = "send",
                             .label = "ms",
                             .peer = "P2",
                             .position = {4, 3},
                             .visible = true};
  trace[1] = (hd_trace_line){.actor = "P2", .action = "receive", .label = "ms", .peer = "P1", .note = "late"};
  static const char *const details[] = {"the first detail", "the second detail"};
  *finding = (hd_finding){.kind = "deadlock",
                          .code = HD_DIAG_DEADLOCK,
                          .message = nasty ? "a\033[31mred\n\xFFword" : "P1 and P2 wait for each other",
                          .details = details,
                          .detail_count = 2,
                          .position = {2, 5},
                          .trace = trace,
                          .trace_lines = 2,
                          .length = 1,
                          .shortest = nasty ? HD_SHORTEST_NO : HD_SHORTEST_YES,
                          .count = 3};
}

static hd_status run(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result, bool verdict) {
  HD_REQUIRE(!ast->has[WORD_REQUIRE]);
  hd_status status = failure(ast, diag);
  if (status != HD_OK) {
    return status;
  }
  if (ast->has[WORD_WARN]) {
    hd_diag_add(diag, HD_DIAG_UNREACHABLE, ast->text, (hd_span){0, 4}, NULL, "warned as told");
  }
  hd_progress progress = {.states = 11};
  hd_outcome outcome = {.end = ast->has[WORD_SLOW] ? work(ast, request, &progress) : HD_END_COMPLETE,
                        .transitions = 11,
                        .levels = 6,
                        .expanded = 11,
                        .threads = request->options->threads == 0 ? 1 : request->options->threads,
                        .seconds = 0.5,
                        .visited_bytes = 88,
                        .memory_bytes = 1u << 20,
                        .store = "word"};
  outcome.states = progress.states;
  hd_result_take_outcome(result, &outcome, 1);
  result->bound = request->options->bound;
  result->semantics = request->options->semantics == 0 ? "mailbox" : "p2p";
  hd_result_add_number(result, "peers", 2);
  if (ast->has[WORD_FINDING]) {
    add_finding(ast, result);
  }
  if (ast->has[WORD_EMIT]) {
    result->dot = "digraph fake {\n}\n";
    result->trace =
        "{\"schema\":\"heddle.trace/1\",\"frontend\":\"choreography\",\"bound\":1,\"semantics\":\"mailbox\",\"steps\":"
        "[]}\n";
  }
  if (verdict) {
    result->basis = "what the test said";
    result->verdict = !result->complete || ast->has[WORD_INCONCLUSIVE] ? HD_VERDICT_INCONCLUSIVE
                      : ast->has[WORD_VIOLATED]                        ? HD_VERDICT_VIOLATED
                                                                       : HD_VERDICT_HOLDS;
  }
  return HD_OK;
}

static hd_status check(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result) {
  return run(ast, request, diag, result, true);
}

static hd_status repair(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result) {
  hd_status status = run(ast, request, diag, result, true);
  for (int i = 0; i < 2 && status == HD_OK && ast->has[WORD_MEND]; i++) {
    hd_repair *repair = hd_result_add_repair(result);
    hd_edit_line *edit = hd_arena_alloc(result->arena, sizeof *edit);
    if (repair == NULL || edit == NULL) {
      return HD_E_NOMEM;
    }
    *edit = (hd_edit_line){.kind = "change-word", .message = "says that it holds", .cost = 1, .position = {1, 1}};
    *repair = (hd_repair){.kind = "mending",
                          .cost = 1 + (uint64_t)i,
                          .proved = true,
                          .cheapest = i == 0,
                          .basis = "the test said so",
                          .edits = edit,
                          .edit_count = 1,
                          .text = i == 0 ? "holds\n" : "holds\nwarn\n",
                          .diff = i == 0 ? "--- a/a.fake\n+++ b/a.fake\n" : ""};
  }
  return status;
}

static hd_status explore(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result) {
  return run(ast, request, diag, result, false);
}

static hd_status project(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_buffer *out) {
  (void)request;
  hd_status status = failure(ast, diag);
  if (status == HD_OK) {
    hd_buffer_add_text(out, "the projection\n");
  }
  return status;
}

static hd_status replay(const hd_ast *ast, const hd_text *trace, const hd_request *request, hd_diag *diag,
                        hd_result *result) {
  if (trace->size_bytes == 0) {
    hd_diag_add(diag, HD_DIAG_TRACE, trace, (hd_span){0, 0}, NULL, "the trace is empty");
    return HD_E_INPUT;
  }
  return run(ast, request, diag, result, false);
}

static const char *const patterns[] = {".fake", ".fk", NULL};
static const char *const bare_patterns[] = {".bare", NULL};

static const hd_frontend fake = {
    .abi = HD_FRONTEND_ABI,
    .name = "fake",
    .patterns = patterns,
    .sniff = sniff,
    .parse = parse,
    .free_ast = free_ast,
    .check = check,
    .repair = repair,
    .explore = explore,
    .project = project,
    .replay = replay,
};

/* A language without commands beyond check. */
static const hd_frontend bare = {
    .abi = HD_FRONTEND_ABI,
    .name = "bare",
    .patterns = bare_patterns,
    .parse = parse,
    .free_ast = free_ast,
    .check = check,
};

const hd_frontend *const hd_frontends[] = {&bare, &fake, NULL};
