/* A result as a block for people.
 *
 *   tpm.chor: violated
 *     basis: the per-peer check with queues of length 1
 *     tpm.chor:7:3: unrealizable: S sends SendComplete where the choreography does not allow it [HD201]
 *       S cannot tell these two histories apart: ...
 *       run of 4 sends, a shortest one:
 *         1  C  send     Send  to S    line 4
 *         2  S  receive  Send  from C  line 4
 *     14 states, 17 transitions, 9 levels, 0 stuck states; complete; 2 threads, 0.001 s, 14000 states/s, 3.1 MiB
 *
 * The columns of a run are as wide as their widest cell, counted in characters. Every borrowed text is escaped, so that
 * nothing an input says can steer the terminal, and every line ends where we end it.
 *
 * Quiet: one line per finding, as compilers do, and nothing when there is none. Threads: no state. Cost: O(output). */
#include "core/report/escape.h"
#include "core/report/result.h"

#include <string.h>

#define PAINT_BOLD "\033[1m"
#define PAINT_RED "\033[1;31m"
#define PAINT_GREEN "\033[1;32m"
#define PAINT_YELLOW "\033[1;33m"
#define PAINT_DIM "\033[2m"
#define PAINT_OFF "\033[0m"

typedef struct printer {
  hd_buffer *out;
  const hd_result *result;
  bool color;
} printer;

/* What a column of a run holds. */
typedef enum column {
  COLUMN_NUMBER,
  COLUMN_ACTOR,
  COLUMN_ACTION,
  COLUMN_LABEL,
  COLUMN_PEER,
  COLUMN_LINE,
  COLUMN_COUNT
} column;

static size_t put(const printer *p, const char *text) {
  return hdi_escape_text(p->out, text, true);
}

static void paint(const printer *p, const char *code) {
  if (p->color) {
    hd_buffer_add_text(p->out, code);
  }
}

static const char *verdict_color(hd_verdict verdict) {
  switch (verdict) {
    case HD_VERDICT_NONE:
      return PAINT_BOLD;
    case HD_VERDICT_HOLDS:
      return PAINT_GREEN;
    case HD_VERDICT_VIOLATED:
      return PAINT_RED;
    case HD_VERDICT_INCONCLUSIVE:
      return PAINT_YELLOW;
  }
  return PAINT_BOLD;
}

/* The word after the file's name. */
static const char *headline(const hd_result *result) {
  if (result->verdict != HD_VERDICT_NONE) {
    return hd_verdict_name(result->verdict);
  }
  return result->not_covered != NULL ? "incomplete" : "done";
}

static void print_headline(const printer *p) {
  paint(p, PAINT_BOLD);
  put(p, p->result->file);
  paint(p, PAINT_OFF);
  hd_buffer_add_text(p->out, ": ");
  paint(p, verdict_color(p->result->verdict));
  hd_buffer_add_text(p->out, headline(p->result));
  paint(p, PAINT_OFF);
  if (p->result->scope != NULL) {
    hd_buffer_add_text(p->out, " ");
    put(p, p->result->scope);
  }
  hd_buffer_add_text(p->out, "\n");
}

static void print_pair(const printer *p, const char *name, const char *text) {
  if (text != NULL) {
    hd_buffer_printf(p->out, "  %s: ", name);
    put(p, text);
    hd_buffer_add_text(p->out, "\n");
  }
}

static void print_circumstances(const printer *p) {
  const hd_result *result = p->result;
  print_pair(p, "basis", result->basis);
  if (result->bound != 0) {
    hd_buffer_printf(p->out, "  queues: %s%slength %lu\n", result->semantics == NULL ? "" : result->semantics,
                     result->semantics == NULL ? "" : ", ", (unsigned long)result->bound);
  } else {
    print_pair(p, "queues", result->semantics);
  }
  print_pair(p, "not covered", result->not_covered);
  print_pair(p, "native code", result->native_used ? NULL : result->native); /* who asked for it should know */
  for (size_t i = 0; i < result->assumption_count; i++) {
    print_pair(p, "assuming", result->assumptions[i]);
  }
  for (size_t i = 0; i < result->fact_count; i++) {
    const hd_fact *fact = &result->facts[i];
    hd_buffer_add_text(p->out, "  ");
    for (const char *c = fact->name; *c != '\0'; c++) {
      hd_buffer_add(p->out, *c == '_' ? " " : c, 1);
    }
    hd_buffer_add_text(p->out, ": ");
    switch (fact->kind) {
      case HD_FACT_TEXT:
        put(p, fact->text);
        break;
      case HD_FACT_NUMBER:
        hd_buffer_printf(p->out, "%llu", (unsigned long long)fact->number);
        break;
      case HD_FACT_BOOL:
        hd_buffer_add_text(p->out, fact->number != 0 ? "yes" : "no");
        break;
    }
    hd_buffer_add_text(p->out, "\n");
  }
}

/* `file:line:col: ` or `file: `. */
static void print_place(const printer *p, hd_position position) {
  paint(p, PAINT_BOLD);
  put(p, p->result->file);
  if (position.line != 0) {
    hd_buffer_printf(p->out, ":%lu:%lu", (unsigned long)position.line, (unsigned long)position.column);
  }
  hd_buffer_add_text(p->out, ":");
  paint(p, PAINT_OFF);
  hd_buffer_add_text(p->out, " ");
}

static void print_finding_line(const printer *p, const hd_finding *finding) {
  print_place(p, finding->position);
  paint(p, verdict_color(p->result->verdict));
  put(p, finding->kind);
  paint(p, PAINT_OFF);
  hd_buffer_add_text(p->out, ": ");
  put(p, finding->message);
  if (finding->code != HD_DIAG_USAGE) {
    hd_buffer_printf(p->out, " [%s]", hd_diag_code_text(finding->code));
  }
  hd_buffer_add_text(p->out, "\n");
}

/* Writes one cell of a run and returns its width in characters. */
static size_t put_cell(const printer *p, const hd_trace_line *line, size_t number, column which) {
  size_t before = p->out->size_bytes;
  switch (which) {
    case COLUMN_NUMBER:
      hd_buffer_printf(p->out, "%zu", number);
      return p->out->size_bytes - before;
    case COLUMN_ACTOR:
      return put(p, line->actor);
    case COLUMN_ACTION:
      return put(p, line->action);
    case COLUMN_LABEL:
      return put(p, line->label);
    case COLUMN_PEER: {
      if (line->peer == NULL) {
        return 0;
      }
      const char *action = line->action == NULL ? "" : line->action;
      const char *word = strcmp(action, "send") == 0 ? "to " : strcmp(action, "receive") == 0 ? "from " : "with ";
      return put(p, word) + put(p, line->peer);
    }
    case COLUMN_LINE:
      if (line->position.line == 0) {
        return 0;
      }
      hd_buffer_printf(p->out, "line %lu", (unsigned long)line->position.line);
      return p->out->size_bytes - before;
    case COLUMN_COUNT:
      return 0;
  }
  return 0;
}

static void pad(const printer *p, size_t width) {
  for (size_t i = 0; i < width; i++) {
    hd_buffer_add(p->out, " ", 1);
  }
}

/* Fills widths[] by printing every cell into a scratch buffer. */
static hd_status measure(const printer *p, const hd_finding *finding, size_t widths[COLUMN_COUNT]) {
  hd_buffer scratch = {0};
  printer quiet = {.out = &scratch, .result = p->result, .color = false};
  for (size_t i = 0; i < finding->trace_lines && !scratch.failed; i++) {
    scratch.size_bytes = 0;
    for (int c = 0; c < COLUMN_COUNT; c++) {
      size_t width = put_cell(&quiet, &finding->trace[i], i + 1, (column)c);
      widths[c] = width > widths[c] ? width : widths[c];
    }
  }
  hd_status status = scratch.failed ? HD_E_NOMEM : HD_OK;
  hd_buffer_free(&scratch);
  return status;
}

static void print_trace_line(const printer *p, const hd_trace_line *line, size_t number,
                             const size_t widths[COLUMN_COUNT]) {
  if (!line->visible) {
    paint(p, PAINT_DIM);
  }
  hd_buffer_add_text(p->out, "     ");
  size_t owed = 0; /* padding before the next cell that is not empty: no line ends in spaces */
  for (int c = 0; c < COLUMN_COUNT; c++) {
    if (widths[c] == 0) {
      continue;
    }
    size_t start = p->out->size_bytes;
    pad(p, owed + 2);
    size_t width = put_cell(p, line, number, (column)c);
    if (width == 0 && !p->out->failed) {
      p->out->size_bytes = start; /* takes the padding back */
      owed += 2 + widths[c];
    } else {
      owed = widths[c] - width;
    }
  }
  if (line->note != NULL) {
    pad(p, owed + 2);
    put(p, line->note);
  }
  if (!line->visible) {
    paint(p, PAINT_OFF);
  }
  hd_buffer_add_text(p->out, "\n");
}

static void print_count(const printer *p, uint64_t count, const char *noun, const char *end) {
  hd_buffer_printf(p->out, "%llu %s%s%s", (unsigned long long)count, noun, count == 1 ? "" : "s", end);
}

/* "run of 3 sends, a shortest one:" */
static void print_run_head(const printer *p, const hd_finding *finding) {
  hd_buffer_add_text(p->out, "    run of ");
  print_count(p, finding->length, finding->unit == NULL ? "step" : finding->unit, "");
  if (finding->trace_lines == 0) { /* no other run is as short */
    hd_buffer_add_text(p->out, ": the initial state\n");
    return;
  }
  switch (finding->shortest) {
    case HD_SHORTEST_UNSAID:
      break;
    case HD_SHORTEST_NO:
      hd_buffer_add_text(p->out, ", which need not be a shortest one");
      break;
    case HD_SHORTEST_YES:
      hd_buffer_add_text(p->out, ", a shortest one");
      break;
  }
  hd_buffer_add_text(p->out, ":\n");
}

static hd_status print_finding(const printer *p, const hd_finding *finding) {
  hd_buffer_add_text(p->out, "  ");
  print_finding_line(p, finding);
  for (size_t i = 0; i < finding->detail_count; i++) {
    hd_buffer_add_text(p->out, "    ");
    put(p, finding->details[i]);
    hd_buffer_add_text(p->out, "\n");
  }
  if (finding->count > 1) {
    hd_buffer_printf(p->out, "    %llu of this kind were found\n", (unsigned long long)finding->count);
  }
  if (finding->trace == NULL) {
    return HD_OK;
  }
  size_t widths[COLUMN_COUNT] = {0};
  hd_status status = measure(p, finding, widths);
  if (status != HD_OK) {
    return status;
  }
  print_run_head(p, finding);
  for (size_t i = 0; i < finding->trace_lines; i++) {
    if (i + 1 == finding->cycle) {
      hd_buffer_add_text(p->out, "    and from here round for ever:\n");
    }
    print_trace_line(p, &finding->trace[i], i + 1, widths);
  }
  return HD_OK;
}

static void print_statistics(const printer *p, int verbose) {
  const hd_result *result = p->result;
  if (result->searched != NULL) {
    hd_buffer_add_text(p->out, "  searched ");
    put(p, result->searched);
    hd_buffer_add_text(p->out, ": ");
  } else {
    hd_buffer_add_text(p->out, "  ");
  }
  print_count(p, result->states, "state", ", ");
  print_count(p, result->transitions, "transition", ", ");
  if (result->levels != HD_LEVEL_UNKNOWN) {
    print_count(p, result->levels, "level", result->deadlocks_apart ? "; " : ", ");
  }
  if (!result->deadlocks_apart) {
    print_count(p, result->deadlocks, "stuck state", "; ");
    if (result->has_error_states) {
      print_count(p, result->error_states, "error state", ", ");
    }
  }
  hd_buffer_add_text(p->out, result->complete ? "complete; " : "not complete; ");
  print_count(p, result->threads, "thread", "");
  hd_buffer_printf(p->out, ", %.3f s", result->seconds);
  if (result->seconds > 0) {
    hd_buffer_printf(p->out, ", %.0f states/s", (double)result->states / result->seconds);
  }
  if (result->memory_bytes != 0) {
    hd_buffer_printf(p->out, ", %.1f MiB", (double)result->memory_bytes / 1048576.0);
  }
  hd_buffer_add_text(p->out, "\n");
  if (verbose < 2) {
    return;
  }
  hd_buffer_add_text(p->out, "  ");
  print_count(p, result->expanded, "state", " expanded");
  double per_state = result->states == 0 ? 0.0 : (double)result->visited_bytes / (double)result->states;
  hd_buffer_printf(p->out, "; visited set: %.1f MiB, %.1f bytes/state", (double)result->visited_bytes / 1048576.0,
                   per_state);
  if (result->store != NULL) {
    hd_buffer_add_text(p->out, ", ");
    put(p, result->store);
  }
  if (result->native != NULL) {
    hd_buffer_printf(p->out, "; native code: %s", result->native);
  }
  hd_buffer_add_text(p->out, "\n");
}

/* A line of a text as it is, but for bytes that could steer the terminal; tabs stay, and so does the carriage return at
 * the end of a line. */
static void put_line(const printer *p, const char *line, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)line[i];
    bool plain = (byte >= ' ' && byte != 0x7F) || byte == '\t' || (byte == '\r' && i + 1 == length);
    if (plain) {
      hd_buffer_add(p->out, &line[i], 1);
    } else {
      hd_buffer_printf(p->out, "\\x%02x", byte);
    }
  }
}

/* For people; what tools take is the quiet output, or --emit diff. */
static void print_diff(const printer *p, const char *diff) {
  for (const char *line = diff; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    bool head = strncmp(line, "---", 3) == 0 || strncmp(line, "+++", 3) == 0;
    paint(p, head ? PAINT_BOLD : *line == '+' ? PAINT_GREEN : *line == '-' ? PAINT_RED : *line == '@' ? PAINT_DIM : "");
    put_line(p, line, length);
    paint(p, head || strchr("+-@", *line) != NULL ? PAINT_OFF : "");
    hd_buffer_add_text(p->out, "\n");
    line += length + (line[length] == '\n' ? 1 : 0);
  }
}

static void print_log(const printer *p, const char *log) {
  for (const char *line = log; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    hd_buffer_add_text(p->out, "  | ");
    put_line(p, line, length);
    hd_buffer_add_text(p->out, "\n");
    line += length + (line[length] == '\n' ? 1 : 0);
  }
}

static void print_repair(const printer *p, const hd_repair *repair, size_t number) {
  hd_buffer_printf(p->out, "  repair %zu: ", number);
  paint(p, PAINT_BOLD);
  put(p, repair->kind);
  paint(p, PAINT_OFF);
  hd_buffer_printf(p->out, ", cost %llu%s%s\n", (unsigned long long)repair->cost,
                   repair->cheapest ? ", the cheapest" : "", repair->proved ? "" : ", NOT PROVED");
  for (size_t i = 0; i < repair->edit_count; i++) {
    const hd_edit_line *edit = &repair->edits[i];
    hd_buffer_add_text(p->out, "    ");
    put(p, edit->message);
    if (edit->rule != NULL && edit->rule[0] != '\0') {
      hd_buffer_add_text(p->out, " (");
      put(p, edit->rule);
      hd_buffer_add_text(p->out, ")");
    }
    if (edit->position.line != 0) {
      hd_buffer_printf(p->out, ", line %lu", (unsigned long)edit->position.line);
    }
    hd_buffer_add_text(p->out, "\n");
  }
  if (repair->basis != NULL) {
    hd_buffer_add_text(p->out, "    proved: ");
    put(p, repair->basis);
    hd_buffer_add_text(p->out, "\n");
  }
  hd_buffer_printf(p->out, "    states of the behaviour: %llu more, %llu lost",
                   (unsigned long long)repair->added_states, (unsigned long long)repair->lost_states);
  for (size_t i = 0; i < repair->evidence_count; i++) {
    const hd_fact *fact = &repair->evidence[i];
    hd_buffer_add_text(p->out, "; ");
    for (const char *c = fact->name; *c != '\0'; c++) {
      hd_buffer_add(p->out, *c == '_' ? " " : c, 1);
    }
    hd_buffer_printf(p->out, ": %llu", (unsigned long long)fact->number);
  }
  hd_buffer_add_text(p->out, "\n");
  print_diff(p, repair->diff);
}

static void print_quiet(const printer *p) {
  if (p->result->repair_count != 0) { /* a repair is its patch: what patch(1) reads, nothing else */
    hd_buffer_add_text(p->out, p->result->repairs[0].diff);
    return;
  }
  for (size_t i = 0; i < p->result->finding_count; i++) {
    print_finding_line(p, &p->result->findings[i]);
  }
  if (p->result->not_covered != NULL) {
    print_place(p, (hd_position){0, 0});
    hd_buffer_printf(p->out, "%s: ", headline(p->result));
    put(p, p->result->not_covered);
    hd_buffer_add_text(p->out, "\n");
  }
}

hd_status hd_result_print_text(const hd_result *result, hd_buffer *out, bool color, int verbose) {
  printer p = {.out = out, .result = result, .color = color};
  hd_status status = HD_OK;
  if (verbose <= 0) {
    print_quiet(&p);
  } else {
    print_headline(&p);
    print_circumstances(&p);
    for (size_t i = 0; i < result->finding_count && status == HD_OK; i++) {
      status = print_finding(&p, &result->findings[i]);
    }
    if (verbose > 1 && result->log != NULL) {
      print_log(&p, result->log);
    }
    for (size_t i = 0; i < result->repair_count; i++) {
      print_repair(&p, &result->repairs[i], i + 1);
    }
    if (result->repairs_left_out != 0) {
      hd_buffer_printf(out, "  %zu more with --all\n", result->repairs_left_out);
    }
    if (result->has_statistics) {
      print_statistics(&p, verbose);
    }
  }
  return status != HD_OK || out->failed ? HD_E_NOMEM : HD_OK;
}
