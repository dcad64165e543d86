/* A result as one line of JSON, schema docs/schema/heddle.result-1.json.
 *
 *   { schema, command, file, frontend?, verdict?, basis?, bound?, semantics?, not_covered?, assumptions?, facts?,
 *     findings: [ { kind, code, message, details?, span?, trace?, length, count? } ],
 *     repairs?: [ { kind, cost, cheapest, proved, basis, edits: [ { kind, rule?, message, cost, line? } ], diff,
 *                   added_states, lost_states, evidence? } ],
 *     statistics?: { states, transitions, levels, deadlocks, error_states?, expanded, complete, threads, seconds,
 *                    bytes_per_state, states_per_second, visited_bytes, memory_bytes, store?, native? } }
 *
 * The object is built with jansson, which keeps the order of insertion and does the quoting, and dumped straight into
 * the caller's buffer. A field that does not apply is left out; there is no null. Seconds and rates are reals (printed
 * with a point), everything else is an integer.
 *
 * Failure. jansson answers NULL when memory is out, and every setter then fails: `failed` remembers it, so that no half
 * an object is ever printed. Threads: no state besides the arguments. Cost: O(size of the result). */
#include "core/report/escape.h"
#include "core/report/result.h"

#include <float.h>
#include <jansson.h>
#include <string.h>

enum { REAL_DIGITS = 9 }; /* of seconds and rates: more would be noise */

typedef struct writer {
  json_t *root;
  bool failed;
} writer;

/* Steals `value`. */
static void set(writer *w, json_t *object, const char *name, json_t *value) {
  if (json_object_set_new(object, name, value) != 0) {
    w->failed = true;
  }
}

static void append(writer *w, json_t *array, json_t *value) {
  if (json_array_append_new(array, value) != 0) {
    w->failed = true;
  }
}

/* A JSON string of valid UTF-8; NULL when memory is out. */
static json_t *text_value(const char *text) {
  hd_buffer clean = {0};
  hdi_escape_text(&clean, text, false);
  json_t *value = clean.failed ? NULL : json_stringn(clean.data == NULL ? "" : clean.data, clean.size_bytes);
  hd_buffer_free(&clean);
  return value;
}

static void set_text(writer *w, json_t *object, const char *name, const char *text) {
  set(w, object, name, text_value(text == NULL ? "" : text));
}

static void set_text_if(writer *w, json_t *object, const char *name, const char *text) {
  if (text != NULL) {
    set_text(w, object, name, text);
  }
}

/* JSON integers are signed 64-bit in every reader we know of: larger counts are clamped. */
static json_t *number_value(uint64_t number) {
  return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

static void set_number(writer *w, json_t *object, const char *name, uint64_t number) {
  set(w, object, name, number_value(number));
}

static void set_real(writer *w, json_t *object, const char *name, double number) {
  bool finite = number >= -DBL_MAX && number <= DBL_MAX; /* false for NaN too */
  set(w, object, name, json_real(finite ? number : 0.0));
}

static void set_texts(writer *w, json_t *object, const char *name, const char *const *texts, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) {
    append(w, array, text_value(texts[i] == NULL ? "" : texts[i]));
  }
  set(w, object, name, array);
}

static json_t *facts_value(writer *w, const hd_fact *facts, size_t count) {
  json_t *object = json_object();
  for (size_t i = 0; i < count; i++) {
    const hd_fact *fact = &facts[i];
    switch (fact->kind) {
      case HD_FACT_TEXT:
        set_text(w, object, fact->name, fact->text);
        break;
      case HD_FACT_NUMBER:
        set_number(w, object, fact->name, fact->number);
        break;
      case HD_FACT_BOOL:
        set(w, object, fact->name, json_boolean(fact->number != 0));
        break;
    }
  }
  return object;
}

static json_t *trace_line_value(writer *w, const hd_trace_line *line) {
  json_t *object = json_object();
  set_text(w, object, "actor", line->actor);
  set_text(w, object, "action", line->action);
  set_text_if(w, object, "label", line->label);
  set_text_if(w, object, "peer", line->peer);
  if (line->position.line != 0) {
    set_number(w, object, "line", line->position.line);
  }
  set(w, object, "visible", json_boolean(line->visible));
  set_text_if(w, object, "note", line->note);
  return object;
}

static json_t *finding_value(writer *w, const hd_result *result, const hd_finding *finding) {
  json_t *object = json_object();
  set_text(w, object, "kind", finding->kind);
  if (finding->code != HD_DIAG_USAGE) {
    set_text(w, object, "code", hd_diag_code_text(finding->code));
  }
  set_text(w, object, "message", finding->message);
  if (finding->detail_count != 0) {
    set_texts(w, object, "details", finding->details, finding->detail_count);
  }
  if (finding->position.line != 0) {
    json_t *span = json_object();
    set_text(w, span, "file", result->file);
    set_number(w, span, "line", finding->position.line);
    set_number(w, span, "column", finding->position.column);
    set(w, object, "span", span);
  }
  if (finding->trace != NULL) {
    json_t *trace = json_array();
    for (size_t i = 0; i < finding->trace_lines; i++) {
      append(w, trace, trace_line_value(w, &finding->trace[i]));
    }
    set(w, object, "trace", trace);
  }
  if (finding->cycle != 0) {
    set_number(w, object, "cycle", finding->cycle);
  }
  if (finding->length != HD_LEVEL_UNKNOWN) {
    set_number(w, object, "length", finding->length);
  }
  if (finding->shortest != HD_SHORTEST_UNSAID) {
    set(w, object, "shortest", json_boolean(finding->shortest == HD_SHORTEST_YES));
  }
  if (finding->count != 0) {
    set_number(w, object, "count", finding->count);
  }
  return object;
}

static json_t *edit_value(writer *w, const hd_edit_line *edit) {
  json_t *object = json_object();
  set_text(w, object, "kind", edit->kind);
  set_text_if(w, object, "rule", edit->rule);
  set_text(w, object, "message", edit->message);
  set_number(w, object, "cost", edit->cost);
  if (edit->position.line != 0) {
    set_number(w, object, "line", edit->position.line);
  }
  return object;
}

static json_t *repair_value(writer *w, const hd_repair *repair) {
  json_t *object = json_object();
  set_text(w, object, "kind", repair->kind);
  set_number(w, object, "cost", repair->cost);
  set(w, object, "cheapest", json_boolean(repair->cheapest));
  set(w, object, "proved", json_boolean(repair->proved));
  set_text_if(w, object, "basis", repair->basis);
  json_t *edits = json_array();
  for (size_t i = 0; i < repair->edit_count; i++) {
    append(w, edits, edit_value(w, &repair->edits[i]));
  }
  set(w, object, "edits", edits);
  set_text(w, object, "diff", repair->diff);
  set_number(w, object, "added_states", repair->added_states);
  set_number(w, object, "lost_states", repair->lost_states);
  if (repair->evidence_count != 0) {
    set(w, object, "evidence", facts_value(w, repair->evidence, repair->evidence_count));
  }
  return object;
}

static json_t *statistics_value(writer *w, const hd_result *result) {
  json_t *object = json_object();
  set_number(w, object, "states", result->states);
  set_number(w, object, "transitions", result->transitions);
  if (result->levels != HD_LEVEL_UNKNOWN) {
    set_number(w, object, "levels", result->levels);
  }
  set_number(w, object, "deadlocks", result->deadlocks);
  if (result->has_error_states) {
    set_number(w, object, "error_states", result->error_states);
  }
  set_number(w, object, "expanded", result->expanded);
  set(w, object, "complete", json_boolean(result->complete));
  set_number(w, object, "threads", result->threads);
  set_real(w, object, "seconds", result->seconds);
  double states = (double)result->states;
  set_real(w, object, "bytes_per_state", result->states == 0 ? 0.0 : (double)result->visited_bytes / states);
  set_real(w, object, "states_per_second", result->seconds > 0 ? states / result->seconds : 0.0);
  set_number(w, object, "visited_bytes", result->visited_bytes);
  set_number(w, object, "memory_bytes", result->memory_bytes);
  set_text_if(w, object, "store", result->store);
  set_text_if(w, object, "native", result->native);
  return object;
}

static void set_result(writer *w, const hd_result *result) {
  json_t *root = w->root;
  set_text(w, root, "schema", "heddle.result/1");
  set_text(w, root, "command", hd_command_name(result->command));
  set_text(w, root, "file", result->file);
  set_text_if(w, root, "frontend", result->frontend);
  set_text_if(w, root, "verdict", hd_verdict_name(result->verdict));
  set_text_if(w, root, "basis", result->basis);
  if (result->bound != 0) {
    set_number(w, root, "bound", result->bound);
  }
  set_text_if(w, root, "semantics", result->semantics);
  set_text_if(w, root, "not_covered", result->not_covered);
  if (result->assumption_count != 0) {
    set_texts(w, root, "assumptions", result->assumptions, result->assumption_count);
  }
  if (result->fact_count != 0) {
    set(w, root, "facts", facts_value(w, result->facts, result->fact_count));
  }
  json_t *findings = json_array();
  for (size_t i = 0; i < result->finding_count; i++) {
    append(w, findings, finding_value(w, result, &result->findings[i]));
  }
  set(w, root, "findings", findings);
  if (result->command == HD_COMMAND_REPAIR) {
    json_t *repairs = json_array();
    for (size_t i = 0; i < result->repair_count; i++) {
      append(w, repairs, repair_value(w, &result->repairs[i]));
    }
    set(w, root, "repairs", repairs);
  }
  if (result->has_statistics) {
    set(w, root, "statistics", statistics_value(w, result));
  }
}

static int dump_into(const char *data, size_t size_bytes, void *payload) {
  hd_buffer *out = payload;
  hd_buffer_add(out, data, size_bytes);
  return out->failed ? -1 : 0;
}

hd_status hd_result_print_json(const hd_result *result, hd_buffer *out) {
  writer w = {.root = json_object()};
  if (w.root == NULL) {
    out->failed = 1;
    return HD_E_NOMEM;
  }
  set_result(&w, result);
  if (w.failed || json_dump_callback(w.root, dump_into, out, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS)) != 0) {
    out->failed = 1;
  }
  json_decref(w.root);
  hd_buffer_add(out, "\n", 1);
  return out->failed ? HD_E_NOMEM : HD_OK;
}
