/* Prints a Go file in a canonical form: tabs, one statement a line, braces as gofmt has them, types of structs on one
 * line. It reads back to the same tree.
 * Pure functions but for the buffer; recursion is as deep as the reader's. Cost: linear. */
#include "frontends/minigo/printer.h"

#include <stddef.h>

static const char *const stmt_words[HD_GO_STMT_COUNT] = {
#define WORDS(identifier, words) [HD_GO_STMT_##identifier] = (words),
    HD_GO_STMT_TABLE(WORDS)
#undef WORDS
};

static const char *const decl_words[HD_GO_DECL_COUNT] = {
#define WORD(identifier, word) [HD_GO_DECL_##identifier] = (word),
    HD_GO_DECL_TABLE(WORD)
#undef WORD
};

const char *hd_go_stmt_words(hd_go_stmt_kind kind) {
  return stmt_words[kind];
}

static void put_head(hdi_go_printer *printer, const hd_go_stmt *stmt);

/* ---- declarations ---- */

static void put_spec(hdi_go_printer *printer, const hd_go_spec *spec, hd_go_decl_kind kind) {
  hdi_go_put_names(printer, spec->names);
  if (kind == HD_GO_DECL_IMPORT) {
    hdi_go_put(printer, spec->names == NULL ? "" : " ");
    hdi_go_put_expr(printer, spec->values);
    return;
  }
  hdi_go_put_type_parameters(printer, spec->type_parameters);
  hdi_go_put(printer, spec->alias ? " =" : "");
  if (spec->type != NULL) {
    hdi_go_put(printer, " ");
    hdi_go_put_expr(printer, spec->type);
  }
  if (spec->values != NULL) {
    hdi_go_put(printer, " = ");
    hdi_go_put_list(printer, spec->values);
  }
}

static void put_function(hdi_go_printer *printer, const hd_go_function *function) {
  if (function->receiver != NULL) {
    hdi_go_put_parameters(printer, function->receiver);
    hdi_go_put(printer, " ");
  }
  hdi_go_put(printer, function->name.text);
  hdi_go_put_type_parameters(printer, function->signature.type_parameters);
  hdi_go_put_signature(printer, &function->signature);
  if (function->body != NULL) {
    hdi_go_put(printer, " ");
    hdi_go_put_block(printer, function->body);
  }
}

static void put_decl(hdi_go_printer *printer, const hd_go_decl *decl) {
  hdi_go_put(printer, decl_words[decl->kind]);
  hdi_go_put(printer, " ");
  if (decl->kind == HD_GO_DECL_FUNC) {
    put_function(printer, decl->function);
    return;
  }
  if (!decl->group) {
    put_spec(printer, decl->specs, decl->kind);
    return;
  }
  hdi_go_put(printer, "(");
  printer->level++;
  for (const hd_go_spec *spec = decl->specs; spec != NULL; spec = spec->next) {
    hdi_go_put_line(printer);
    put_spec(printer, spec, decl->kind);
  }
  printer->level--;
  if (decl->specs != NULL) {
    hdi_go_put_line(printer);
  }
  hdi_go_put(printer, ")");
}

/* ---- heads of statements ---- */

static void put_init(hdi_go_printer *printer, const hd_go_stmt *stmt) {
  if (stmt->init != NULL) {
    hdi_go_put(printer, " ");
    put_head(printer, stmt->init);
    hdi_go_put(printer, ";");
  }
}

static void put_condition(hdi_go_printer *printer, const hd_go_stmt *stmt) {
  if (stmt->condition != NULL) {
    hdi_go_put(printer, " ");
    hdi_go_put_expr(printer, stmt->condition);
  }
}

static void put_for(hdi_go_printer *printer, const hd_go_stmt *stmt) {
  hdi_go_put(printer, "for");
  if (stmt->init == NULL && stmt->post == NULL) {
    put_condition(printer, stmt);
    return;
  }
  hdi_go_put(printer, stmt->init == NULL ? " ;" : "");
  put_init(printer, stmt);
  put_condition(printer, stmt);
  hdi_go_put(printer, ";");
  if (stmt->post != NULL) {
    hdi_go_put(printer, " ");
    put_head(printer, stmt->post);
  }
}

static void put_range(hdi_go_printer *printer, const hd_go_stmt *stmt) {
  hdi_go_put(printer, "for ");
  if (stmt->left != NULL) {
    hdi_go_put_list(printer, stmt->left);
    hdi_go_put(printer, stmt->is_define ? " := " : " = ");
  }
  hdi_go_put(printer, "range");
  put_condition(printer, stmt);
}

static void put_type_switch(hdi_go_printer *printer, const hd_go_stmt *stmt) {
  hdi_go_put(printer, "switch");
  put_init(printer, stmt);
  hdi_go_put(printer, " ");
  if (stmt->label.text != NULL) {
    hdi_go_put(printer, stmt->label.text);
    hdi_go_put(printer, " := ");
  }
  hdi_go_put_expr(printer, stmt->condition);
  hdi_go_put(printer, ".(type)");
}

static void put_case(hdi_go_printer *printer, const hd_go_stmt *stmt) {
  if (stmt->is_default) {
    hdi_go_put(printer, "default:");
    return;
  }
  hdi_go_put(printer, "case ");
  if (stmt->init != NULL) {
    put_head(printer, stmt->init);
  }
  hdi_go_put_list(printer, stmt->left);
  hdi_go_put(printer, ":");
}

static void put_assignment(hdi_go_printer *printer, const hd_go_stmt *stmt, const char *sign) {
  hdi_go_put_list(printer, stmt->left);
  hdi_go_put(printer, " ");
  hdi_go_put(printer, stmt->has_op ? hd_go_op_text(stmt->op) : "");
  hdi_go_put(printer, sign);
  hdi_go_put(printer, " ");
  hdi_go_put_list(printer, stmt->right);
}

/* A word, and what may follow it. */
static void put_word(hdi_go_printer *printer, const char *word, const hd_go_name *label, const hd_go_expr *list) {
  hdi_go_put(printer, word);
  hdi_go_put(printer, label->text == NULL && list == NULL ? "" : " ");
  hdi_go_put(printer, label->text == NULL ? "" : label->text);
  hdi_go_put_list(printer, list);
}

static void put_head(hdi_go_printer *printer, const hd_go_stmt *stmt) {
  switch (stmt->kind) {
    case HD_GO_STMT_EXPRESSION:
      hdi_go_put_expr(printer, stmt->left);
      return;
    case HD_GO_STMT_SEND:
      put_assignment(printer, stmt, "<-");
      return;
    case HD_GO_STMT_INCREMENT:
    case HD_GO_STMT_DECREMENT:
      hdi_go_put_expr(printer, stmt->left);
      hdi_go_put(printer, stmt->kind == HD_GO_STMT_INCREMENT ? "++" : "--");
      return;
    case HD_GO_STMT_ASSIGN:
      put_assignment(printer, stmt, "=");
      return;
    case HD_GO_STMT_DEFINE:
      put_assignment(printer, stmt, ":=");
      return;
    case HD_GO_STMT_DECLARATION:
      put_decl(printer, stmt->decl);
      return;
    case HD_GO_STMT_GO:
      put_word(printer, "go", &stmt->label, stmt->left);
      return;
    case HD_GO_STMT_DEFER:
      put_word(printer, "defer", &stmt->label, stmt->left);
      return;
    case HD_GO_STMT_RETURN:
      put_word(printer, "return", &stmt->label, stmt->right);
      return;
    case HD_GO_STMT_BREAK:
      put_word(printer, "break", &stmt->label, NULL);
      return;
    case HD_GO_STMT_CONTINUE:
      put_word(printer, "continue", &stmt->label, NULL);
      return;
    case HD_GO_STMT_GOTO:
      put_word(printer, "goto", &stmt->label, NULL);
      return;
    case HD_GO_STMT_FALLTHROUGH:
      hdi_go_put(printer, "fallthrough");
      return;
    case HD_GO_STMT_IF:
    case HD_GO_STMT_SWITCH:
      hdi_go_put(printer, stmt->kind == HD_GO_STMT_IF ? "if" : "switch");
      put_init(printer, stmt);
      put_condition(printer, stmt);
      return;
    case HD_GO_STMT_TYPE_SWITCH:
      put_type_switch(printer, stmt);
      return;
    case HD_GO_STMT_SELECT:
      hdi_go_put(printer, "select");
      return;
    case HD_GO_STMT_CASE:
      put_case(printer, stmt);
      return;
    case HD_GO_STMT_FOR:
      put_for(printer, stmt);
      return;
    case HD_GO_STMT_RANGE:
      put_range(printer, stmt);
      return;
    case HD_GO_STMT_LABELED:
      hdi_go_put(printer, stmt->label.text);
      hdi_go_put(printer, ":");
      return;
    case HD_GO_STMT_EMPTY:
      hdi_go_put(printer, ";");
      return;
    case HD_GO_STMT_BLOCK:
    case HD_GO_STMT_COUNT:
      return;
  }
}

void hd_go_print_head(const hd_go_stmt *stmt, hd_buffer *out) {
  hdi_go_printer printer = {.out = out};
  put_head(&printer, stmt);
}

/* ---- bodies ---- */

static void put_stmt(hdi_go_printer *printer, const hd_go_stmt *stmt);

static void put_lines(hdi_go_printer *printer, const hd_go_stmt *first) {
  printer->level++;
  for (const hd_go_stmt *stmt = first; stmt != NULL; stmt = stmt->next) {
    hdi_go_put_line(printer);
    put_stmt(printer, stmt);
  }
  printer->level--;
}

void hdi_go_put_block(hdi_go_printer *printer, const hd_go_stmt *block) {
  hdi_go_put(printer, "{");
  put_lines(printer, block->body);
  hdi_go_put_line(printer);
  hdi_go_put(printer, "}");
}

static void put_cases(hdi_go_printer *printer, const hd_go_stmt *stmt) {
  hdi_go_put(printer, " {");
  for (const hd_go_stmt *clause = stmt->body; clause != NULL; clause = clause->next) {
    hdi_go_put_line(printer);
    put_head(printer, clause);
    put_lines(printer, clause->body);
  }
  hdi_go_put_line(printer);
  hdi_go_put(printer, "}");
}

static void put_if(hdi_go_printer *printer, const hd_go_stmt *stmt) {
  for (;; stmt = stmt->other) {
    if (stmt->kind == HD_GO_STMT_BLOCK) {
      hdi_go_put_block(printer, stmt);
      return;
    }
    put_head(printer, stmt);
    hdi_go_put(printer, " ");
    hdi_go_put_block(printer, stmt->body);
    if (stmt->other == NULL) {
      return;
    }
    hdi_go_put(printer, " else ");
  }
}

static void put_stmt(hdi_go_printer *printer, const hd_go_stmt *stmt) {
  if (stmt->kind == HD_GO_STMT_IF) {
    put_if(printer, stmt);
    return;
  }
  put_head(printer, stmt);
  if (stmt->kind == HD_GO_STMT_BLOCK) {
    hdi_go_put_block(printer, stmt);
  } else if (stmt->kind == HD_GO_STMT_FOR || stmt->kind == HD_GO_STMT_RANGE) {
    hdi_go_put(printer, " ");
    hdi_go_put_block(printer, stmt->body);
  } else if (stmt->kind == HD_GO_STMT_SWITCH || stmt->kind == HD_GO_STMT_TYPE_SWITCH ||
             stmt->kind == HD_GO_STMT_SELECT) {
    put_cases(printer, stmt);
  } else if (stmt->kind == HD_GO_STMT_LABELED && stmt->body != NULL) {
    hdi_go_put_line(printer);
    put_stmt(printer, stmt->body);
  }
}

void hd_go_print(const hd_go_file *file, hd_buffer *out) {
  hdi_go_printer printer = {.out = out};
  hdi_go_put(&printer, "package ");
  hdi_go_put(&printer, file->package_name.text);
  hdi_go_put(&printer, "\n");
  for (const hd_go_decl *decl = file->decls; decl != NULL; decl = decl->next) {
    hdi_go_put(&printer, "\n");
    put_decl(&printer, decl);
    hdi_go_put(&printer, "\n");
  }
}
