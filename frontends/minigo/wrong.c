/* Says what the parser found wrong in a file. It keeps going by leaving out tokens (ERROR nodes) and by putting in
 * missing ones, and where it does so is not always where a person would look:
 *
 * - brackets are matched first, by the tokens alone: one that is missing or too many is the only error then reported;
 * - else each ERROR node that is not inside another, at the innermost ERROR inside it or its first token, and each
 *   missing token outside of them; one report a line.
 *
 * Threads: as reader.h. Cost: O(nodes). */
#include "frontends/minigo/reader.h"

#include <stdio.h>
#include <string.h>

#define HD_ARRAY_NAME span_stack
#define HD_ARRAY_TYPE hd_span
#include "core/base/array.h"

static const char openers[] = "([{", closers[] = ")]}";

/* What is at a span, in quotes. */
static hdi_go_words quote(const hdi_go_reader *reader, hd_span span) {
  hdi_go_words quoted;
  if (span.begin >= reader->text->size_bytes) {
    (void)snprintf(quoted.text, sizeof quoted.text, "end of the file");
  } else if (reader->text->data[span.begin] == '\n' || span.begin == span.end) {
    (void)snprintf(quoted.text, sizeof quoted.text, "end of the line");
  } else {
    hdi_go_words shown = hdi_go_show(reader, span);
    size_t room = sizeof quoted.text - 3, length = strlen(shown.text);
    (void)snprintf(quoted.text, sizeof quoted.text, "'%.*s'", (int)(length < room ? length : room), shown.text);
  }
  return quoted;
}

/* ---- brackets ---- */

/* Text of which the parser made no tokens may hold brackets that nobody counts. */
static bool has_unread_bracket(const hdi_go_reader *reader) {
  for (uint32_t n = 0; n < reader->tree.count; n++) {
    const hdi_go_node *node = hdi_go_at(reader, n);
    for (uint32_t at = node->span.begin; node->kind == HDI_GO_N_ERROR && node->first == 0 && at < node->span.end;
         at++) {
      char byte = reader->text->data[at];
      if (byte != '\0' && (strchr(openers, byte) != NULL || strchr(closers, byte) != NULL)) {
        return true;
      }
    }
  }
  return false;
}

static const char *opener_at(const hdi_go_reader *reader, hd_span span) {
  return strchr(openers, reader->text->data[span.begin]);
}

/* Takes one closing bracket; true: it fits. */
static bool close_bracket(hdi_go_reader *reader, span_stack *open, hd_span span, size_t which) {
  char closer[2] = {closers[which], '\0'};
  if (open->count == 0) {
    hdi_go_report(reader, HDI_GO_NOT_OPEN, span, closer, NULL);
    return false;
  }
  hd_span opener = span_stack_pop(open);
  char wanted[2] = {closers[opener_at(reader, opener) - openers], '\0'};
  if (wanted[0] != closer[0]) {
    hdi_go_report(reader, HDI_GO_CLOSED_OTHERWISE, span, closer, wanted);
    return false;
  }
  return true;
}

/* Reports the first bracket without partner; false: there is none. */
static bool report_brackets(hdi_go_reader *reader) {
  span_stack open = {0};
  bool fine = true;
  for (uint32_t n = 0; n < reader->tree.count && fine && reader->status == HD_OK; n++) {
    const hdi_go_node *node = hdi_go_at(reader, n);
    if (node->kind != HDI_GO_N_TOKEN || node->missing || node->span.end - node->span.begin != 1) {
      continue;
    }
    char byte = reader->text->data[node->span.begin];
    const char *closer = byte == '\0' ? NULL : strchr(closers, byte);
    if (byte != '\0' && strchr(openers, byte) != NULL) {
      reader->status = span_stack_push(&open, node->span);
    } else if (closer != NULL) {
      fine = close_bracket(reader, &open, node->span, (size_t)(closer - closers));
    }
  }
  if (fine && open.count > 0 && reader->status == HD_OK) {
    hd_span opener = span_stack_pop(&open);
    size_t which = (size_t)(opener_at(reader, opener) - openers);
    hdi_go_report(reader, HDI_GO_UNCLOSED, opener, (char[]){openers[which], '\0'}, (char[]){closers[which], '\0'});
    fine = false;
  }
  span_stack_free(&open);
  return !fine;
}

/* ---- other errors ---- */

/* The innermost ERROR that begins first inside an ERROR, or its first child. */
static hd_span place_of(const hdi_go_reader *reader, uint32_t error) {
  hd_span whole = hdi_go_at(reader, error)->span;
  uint32_t best = error;
  for (uint32_t n = error + 1; n < reader->tree.count && hdi_go_at(reader, n)->span.begin < whole.end; n++) {
    bool inside_best = hdi_go_at(reader, n)->span.end <= hdi_go_at(reader, best)->span.end;
    if (hdi_go_at(reader, n)->kind == HDI_GO_N_ERROR && inside_best) {
      best = n;
    }
  }
  uint32_t first = hdi_go_at(reader, best)->first;
  return first == 0 ? hdi_go_at(reader, best)->span : hdi_go_at(reader, first)->span;
}

static void report_missing(hdi_go_reader *reader, const hdi_go_node *node) {
  hdi_go_words expected;
  bool named = node->kind != HDI_GO_N_TOKEN;
  bool line = strcmp(node->expected, "\n") == 0;
  (void)snprintf(expected.text, sizeof expected.text, named || line ? "%.40s" : "'%.40s'",
                 line                                       ? "the end of the statement"
                 : named && strstr(node->expected, "ident") ? "a name"
                                                            : node->expected);
  hdi_go_report(reader, HDI_GO_MISSING, node->span, quote(reader, node->span).text, expected.text);
}

static void report_nodes(hdi_go_reader *reader) {
  uint32_t line = 0, past = 0;
  for (uint32_t n = 0; n < reader->tree.count; n++) {
    const hdi_go_node *node = hdi_go_at(reader, n);
    bool error = node->kind == HDI_GO_N_ERROR;
    if ((!error && !node->missing) || node->span.begin < past) {
      continue;
    }
    hd_span place = error ? place_of(reader, n) : node->span;
    past = error ? node->span.end : past;
    if (hd_text_position(reader->text, place.begin).line == line) {
      continue;
    }
    line = hd_text_position(reader->text, place.begin).line;
    if (error) {
      hdi_go_report(reader, HDI_GO_UNEXPECTED, place, quote(reader, place).text, NULL);
    } else {
      report_missing(reader, node);
    }
  }
}

void hdi_go_report_wrong(hdi_go_reader *reader) {
  if (has_unread_bracket(reader) || !report_brackets(reader)) {
    report_nodes(reader);
  }
}
