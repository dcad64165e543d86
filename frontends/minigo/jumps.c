/* Checks what jumps of one function's body go to: labels, break, continue, goto and fallthrough.
 *
 * The labels of the body are collected first, for goto may go forward; the statements around a jump are a chain of
 * targets on the stack, innermost first. Function literals inside have bodies of their own.
 * Threads: as reader.h. Cost: O(statements), for break and continue times the nesting. */
#include "frontends/minigo/reader.h"

#define HD_MAP_NAME label_map
#define HD_MAP_KEY uint32_t
#define HD_MAP_VALUE hd_span
#define HD_MAP_HASH(key) hd_hash_word(key)
#define HD_MAP_EQUAL(a, b) ((a) == (b))
#include "core/base/map.h"

/* A loop, switch or select around a statement. */
typedef struct target {
  const struct target *around;
  const hd_go_name *label; /* NULL: none */
  bool loop;
} target;

typedef struct jump_check {
  hdi_go_reader *reader;
  label_map labels; /* owned */
} jump_check;

static void report_label(const jump_check *checker, hdi_go_message message, const hd_go_name *label) {
  hdi_go_report(checker->reader, message, label->span, hdi_go_show(checker->reader, label->span).text, NULL);
}

/* ---- labels ---- */

static void collect(jump_check *checker, const hd_go_stmt *stmt);

static void collect_label(jump_check *checker, const hd_go_name *label) {
  hd_span *first = NULL;
  bool fresh = false;
  hd_status status = label_map_put(&checker->labels, label->id.v, label->span, &first, &fresh);
  if (status != HD_OK) {
    checker->reader->status = status;
  } else if (!fresh) {
    hdi_go_report(checker->reader, HDI_GO_LABEL_TWICE, label->span, hdi_go_show(checker->reader, label->span).text,
                  hdi_go_show_line(checker->reader, *first).text);
  }
}

static void collect(jump_check *checker, const hd_go_stmt *stmt) {
  for (; stmt != NULL && checker->reader->status == HD_OK; stmt = stmt->next) {
    for (const hd_go_stmt *part = stmt; part != NULL; part = part->other) { /* else if */
      if (part->kind == HD_GO_STMT_LABELED) {
        collect_label(checker, &part->label);
      }
      collect(checker, part->body);
    }
  }
}

/* ---- jumps ---- */

static void check_list(const jump_check *checker, const hd_go_stmt *first, const target *around, bool falls);

static void check_break(const jump_check *checker, const hd_go_stmt *stmt, const target *around) {
  if (stmt->label.text == NULL) {
    if (around == NULL) {
      hdi_go_report(checker->reader, HDI_GO_BREAK_PLACE, stmt->span, NULL, NULL);
    }
    return;
  }
  while (around != NULL && (around->label == NULL || around->label->id.v != stmt->label.id.v)) {
    around = around->around;
  }
  if (around == NULL) {
    report_label(checker, HDI_GO_BREAK_LABEL, &stmt->label);
  }
}

static void check_continue(const jump_check *checker, const hd_go_stmt *stmt, const target *around) {
  bool labeled = stmt->label.text != NULL;
  while (around != NULL &&
         (!around->loop || (labeled && (around->label == NULL || around->label->id.v != stmt->label.id.v)))) {
    around = around->around;
  }
  if (around == NULL && labeled) {
    report_label(checker, HDI_GO_CONTINUE_LABEL, &stmt->label);
  } else if (around == NULL) {
    hdi_go_report(checker->reader, HDI_GO_CONTINUE_PLACE, stmt->span, NULL, NULL);
  }
}

static void check_cases(const jump_check *checker, const hd_go_stmt *stmt, const target *inside) {
  for (const hd_go_stmt *clause = stmt->body; clause != NULL; clause = clause->next) {
    check_list(checker, clause->body, inside, stmt->kind == HD_GO_STMT_SWITCH && clause->next != NULL);
  }
}

/* `label`: that of the statement, NULL: none. */
static void check_stmt(const jump_check *checker, const hd_go_stmt *stmt, const hd_go_name *label,
                       const target *around) {
  target inside = {around, label, false};
  switch (stmt->kind) {
    case HD_GO_STMT_BREAK:
      check_break(checker, stmt, around);
      return;
    case HD_GO_STMT_CONTINUE:
      check_continue(checker, stmt, around);
      return;
    case HD_GO_STMT_GOTO:
      if (label_map_get(&checker->labels, stmt->label.id.v) == NULL) {
        report_label(checker, HDI_GO_GOTO_LABEL, &stmt->label);
      }
      return;
    case HD_GO_STMT_FOR:
    case HD_GO_STMT_RANGE:
      inside.loop = true;
      check_list(checker, stmt->body, &inside, false);
      return;
    case HD_GO_STMT_SWITCH:
    case HD_GO_STMT_TYPE_SWITCH:
    case HD_GO_STMT_SELECT:
      check_cases(checker, stmt, &inside);
      return;
    case HD_GO_STMT_LABELED:
      if (stmt->body != NULL) {
        check_stmt(checker, stmt->body, &stmt->label, around);
      }
      return;
    case HD_GO_STMT_BLOCK:
      check_list(checker, stmt->body, around, false);
      return;
    case HD_GO_STMT_IF:
      for (const hd_go_stmt *part = stmt; part != NULL; part = part->other) {
        check_list(checker, part->body, around, false);
      }
      return;
    case HD_GO_STMT_FALLTHROUGH: /* in a list, seen there; behind a label */
      hdi_go_report(checker->reader, HDI_GO_FALLTHROUGH_PLACE, stmt->span, NULL, NULL);
      return;
    case HD_GO_STMT_CASE:
    case HD_GO_STMT_EMPTY:
    case HD_GO_STMT_EXPRESSION:
    case HD_GO_STMT_SEND:
    case HD_GO_STMT_INCREMENT:
    case HD_GO_STMT_DECREMENT:
    case HD_GO_STMT_ASSIGN:
    case HD_GO_STMT_DEFINE:
    case HD_GO_STMT_DECLARATION:
    case HD_GO_STMT_GO:
    case HD_GO_STMT_DEFER:
    case HD_GO_STMT_RETURN:
    case HD_GO_STMT_COUNT:
      return;
  }
}

static bool only_empty(const hd_go_stmt *stmt) {
  while (stmt != NULL && stmt->kind == HD_GO_STMT_EMPTY) {
    stmt = stmt->next;
  }
  return stmt == NULL;
}

/* `falls`: the list is a case's that another follows. */
static void check_list(const jump_check *checker, const hd_go_stmt *first, const target *around, bool falls) {
  for (const hd_go_stmt *stmt = first; stmt != NULL; stmt = stmt->next) {
    if (stmt->kind != HD_GO_STMT_FALLTHROUGH || !falls || !only_empty(stmt->next)) {
      check_stmt(checker, stmt, NULL, around);
    }
  }
}

void hdi_go_check_body(hdi_go_reader *reader, const hd_go_stmt *body) {
  jump_check checker = {.reader = reader};
  collect(&checker, body);
  if (reader->status == HD_OK) {
    check_list(&checker, body->body, NULL, false);
  }
  label_map_free(&checker.labels);
}
