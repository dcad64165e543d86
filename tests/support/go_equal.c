/* Comparison of read Go files, member by member, in the order of program.h. Every function returns the first complaint
 * or NULL. Left parts of expressions are followed in a loop, for rows of operators are as deep as they are long. */
#include "tests/support/go_equal.h"

#include "frontends/minigo/tree.h"

#include <stdlib.h>
#include <string.h>

#define DEMAND(condition, complaint) \
  do {                               \
    if (!(condition)) {              \
      return complaint;              \
    }                                \
  } while (0)
#define CHAIN(call)                \
  do {                             \
    const char *complaint_ = call; \
    if (complaint_ != NULL) {      \
      return complaint_;           \
    }                              \
  } while (0)

static bool same_name(const hd_go_name *a, const hd_go_name *b) {
  return (a->text == NULL) == (b->text == NULL) && (a->text == NULL || strcmp(a->text, b->text) == 0);
}

static const char *expr_difference(const hd_go_expr *a, const hd_go_expr *b);
static const char *list_difference(const hd_go_expr *a, const hd_go_expr *b);
static const char *stmt_difference(const hd_go_stmt *a, const hd_go_stmt *b);
static const char *decl_difference(const hd_go_decl *a, const hd_go_decl *b);

static const char *names_difference(const hd_go_ident *a, const hd_go_ident *b) {
  for (; a != NULL && b != NULL; a = a->next, b = b->next) {
    DEMAND(same_name(&a->name, &b->name), "a name");
  }
  DEMAND(a == NULL && b == NULL, "how many names");
  return NULL;
}

static const char *fields_difference(const hd_go_field *a, const hd_go_field *b) {
  for (; a != NULL && b != NULL; a = a->next, b = b->next) {
    CHAIN(names_difference(a->names, b->names));
    CHAIN(expr_difference(a->type, b->type));
    CHAIN(expr_difference(a->tag, b->tag));
    DEMAND(a->variadic == b->variadic, "a variadic parameter");
  }
  DEMAND(a == NULL && b == NULL, "how many fields");
  return NULL;
}

static const char *signature_difference(const hd_go_signature *a, const hd_go_signature *b) {
  DEMAND((a == NULL) == (b == NULL), "a signature");
  if (a == NULL) {
    return NULL;
  }
  CHAIN(fields_difference(a->type_parameters, b->type_parameters));
  CHAIN(fields_difference(a->parameters, b->parameters));
  return fields_difference(a->results, b->results);
}

static const char *expr_difference(const hd_go_expr *a, const hd_go_expr *b) {
  for (; a != NULL && b != NULL; a = a->a, b = b->a) {
    DEMAND(a->kind == b->kind && a->op == b->op && a->direction == b->direction && a->spread == b->spread,
           "an expression");
    DEMAND(same_name(&a->name, &b->name), "a name or literal");
    CHAIN(expr_difference(a->b, b->b));
    CHAIN(expr_difference(a->c, b->c));
    CHAIN(expr_difference(a->d, b->d));
    CHAIN(list_difference(a->list, b->list));
    CHAIN(signature_difference(a->signature, b->signature));
    CHAIN(stmt_difference(a->body, b->body));
    CHAIN(fields_difference(a->fields, b->fields));
  }
  DEMAND(a == NULL && b == NULL, "an expression is missing");
  return NULL;
}

static const char *list_difference(const hd_go_expr *a, const hd_go_expr *b) {
  for (; a != NULL && b != NULL; a = a->next, b = b->next) {
    CHAIN(expr_difference(a, b));
  }
  DEMAND(a == NULL && b == NULL, "how many expressions");
  return NULL;
}

/* A list of statements; of an else, the one statement. */
static const char *stmt_difference(const hd_go_stmt *a, const hd_go_stmt *b) {
  for (; a != NULL && b != NULL; a = a->next, b = b->next) {
    const hd_go_stmt *p = a, *q = b;
    for (; p != NULL && q != NULL; p = p->other, q = q->other) {
      DEMAND(p->kind == q->kind && p->has_op == q->has_op && p->op == q->op, "a statement");
      DEMAND(p->is_default == q->is_default && p->is_define == q->is_define, "a case or range");
      DEMAND(same_name(&p->label, &q->label), "a label");
      CHAIN(list_difference(p->left, q->left));
      CHAIN(list_difference(p->right, q->right));
      CHAIN(expr_difference(p->condition, q->condition));
      CHAIN(stmt_difference(p->init, q->init));
      CHAIN(stmt_difference(p->post, q->post));
      CHAIN(stmt_difference(p->body, q->body));
      CHAIN(decl_difference(p->decl, q->decl));
    }
    DEMAND(p == NULL && q == NULL, "an else");
  }
  DEMAND(a == NULL && b == NULL, "how many statements");
  return NULL;
}

static const char *spec_difference(const hd_go_spec *a, const hd_go_spec *b) {
  for (; a != NULL && b != NULL; a = a->next, b = b->next) {
    CHAIN(names_difference(a->names, b->names));
    CHAIN(expr_difference(a->type, b->type));
    CHAIN(list_difference(a->values, b->values));
    CHAIN(fields_difference(a->type_parameters, b->type_parameters));
    DEMAND(a->alias == b->alias, "an alias");
  }
  DEMAND(a == NULL && b == NULL, "how many lines of a declaration");
  return NULL;
}

static const char *decl_difference(const hd_go_decl *a, const hd_go_decl *b) {
  for (; a != NULL && b != NULL; a = a->next, b = b->next) {
    DEMAND(a->kind == b->kind && a->group == b->group, "a declaration");
    CHAIN(spec_difference(a->specs, b->specs));
    if (a->kind == HD_GO_DECL_FUNC) {
      CHAIN(fields_difference(a->function->receiver, b->function->receiver));
      DEMAND(same_name(&a->function->name, &b->function->name), "a function");
      CHAIN(signature_difference(&a->function->signature, &b->function->signature));
      CHAIN(stmt_difference(a->function->body, b->function->body));
    }
  }
  DEMAND(a == NULL && b == NULL, "how many declarations");
  return NULL;
}

const char *go_difference(const hd_go_file *a, const hd_go_file *b) {
  DEMAND(same_name(&a->package_name, &b->package_name), "the package");
  return decl_difference(a->decls, b->decls);
}

/* ---- spans ---- */

static bool inside(hd_span part, hd_span whole) {
  return part.begin <= part.end && part.begin >= whole.begin && part.end <= whole.end;
}

static const char *expr_spans(const hd_go_expr *expr, hd_span whole);

static const char *stmt_spans(const hd_go_stmt *stmt, hd_span whole) {
  for (; stmt != NULL; stmt = stmt->next) {
    for (const hd_go_stmt *part = stmt; part != NULL; part = part->other) {
      DEMAND(inside(part->span, whole) && inside(part->head, part->span), "a statement's span");
      CHAIN(expr_spans(part->left, part->span));
      CHAIN(expr_spans(part->right, part->span));
      CHAIN(expr_spans(part->condition, part->head));
      CHAIN(stmt_spans(part->init, part->head));
      CHAIN(stmt_spans(part->post, part->head));
      CHAIN(stmt_spans(part->body, part->span));
    }
  }
  return NULL;
}

static const char *expr_spans(const hd_go_expr *list, hd_span whole) {
  for (; list != NULL; list = list->next) {
    hd_span around = whole;
    for (const hd_go_expr *expr = list; expr != NULL; around = expr->span, expr = expr->a) {
      DEMAND(inside(expr->span, around), "an expression's span");
      DEMAND(expr->name.text == NULL || inside(expr->name.span, expr->span), "a name's span");
      CHAIN(expr_spans(expr->b, expr->span));
      CHAIN(expr_spans(expr->c, expr->span));
      CHAIN(expr_spans(expr->d, expr->span));
      CHAIN(expr_spans(expr->list, expr->span));
      CHAIN(stmt_spans(expr->body, expr->span));
    }
  }
  return NULL;
}

static const char *file_spans(const hd_go_file *file) {
  hd_span whole = {0, (uint32_t)file->text->size_bytes};
  for (const hd_go_decl *decl = file->decls; decl != NULL; decl = decl->next) {
    DEMAND(inside(decl->span, whole), "a declaration's span");
    if (decl->kind == HD_GO_DECL_FUNC) {
      CHAIN(stmt_spans(decl->function->body, decl->span));
    }
    for (const hd_go_spec *spec = decl->specs; spec != NULL; spec = spec->next) {
      DEMAND(inside(spec->span, decl->span), "the span of a line of a declaration");
      CHAIN(expr_spans(spec->type, spec->span));
      CHAIN(expr_spans(spec->values, spec->span));
    }
  }
  return NULL;
}

/* ---- tokens ---- */

/* The next token from node *at on that Go does not let one leave out; NULL: none. */
static const hdi_go_node *next_token(const hdi_go_tree *tree, const hd_text *text, uint32_t *at) {
  for (; *at < tree->count; (*at)++) {
    const hdi_go_node *node = &tree->nodes[*at];
    size_t length = node->span.end - node->span.begin;
    bool leaf = node->first == 0 && node->kind != HDI_GO_N_COMMENT && length > 0;
    if (leaf && !(length == 1 && strchr("(),;\n", text->data[node->span.begin]) != NULL)) {
      (*at)++;
      return node;
    }
  }
  return NULL;
}

static const char *token_difference(const hd_text *a, const hd_text *b) {
  hdi_go_tree p = {0}, q = {0};
  const char *fault = NULL;
  uint32_t i = 0, j = 0;
  if (hdi_go_tree_parse(a, &p) != HD_OK || hdi_go_tree_parse(b, &q) != HD_OK) {
    fault = "a text is not parsed";
  }
  for (bool more = true; more && fault == NULL;) {
    const hdi_go_node *s = next_token(&p, a, &i), *t = next_token(&q, b, &j);
    more = s != NULL && t != NULL;
    if ((s == NULL) != (t == NULL) ||
        (more && (s->span.end - s->span.begin != t->span.end - t->span.begin ||
                  memcmp(a->data + s->span.begin, b->data + t->span.begin, s->span.end - s->span.begin) != 0))) {
      fault = "the printed file has other tokens";
    }
  }
  hdi_go_tree_free(&p);
  hdi_go_tree_free(&q);
  return fault;
}

static const char *printing_fault(const hd_text *text, const hd_go_package *package) {
  hd_buffer out = {0};
  hd_text *again = NULL;
  hd_go_package *second = NULL;
  hd_go_print(&package->files[0], &out);
  const char *fault = out.failed ? "no memory" : NULL;
  if (fault == NULL && hd_text_from_bytes("again.go", out.data, out.size_bytes, &again) != HD_OK) {
    fault = "no memory";
  }
  if (fault == NULL) {
    const hd_text *texts[] = {again};
    fault = hd_go_read(texts, 1, NULL, &second) != HD_OK ? "the printed file is refused"
                                                         : go_difference(&package->files[0], &second->files[0]);
  }
  fault = fault == NULL ? token_difference(text, again) : fault;
  hd_go_package_free(second);
  hd_text_free(again);
  hd_buffer_free(&out);
  return fault;
}

const char *go_reading_fault(const char *data, size_t size_bytes) {
  hd_text *text = NULL;
  hd_go_package *package = NULL;
  hd_diag *diag = hd_diag_new();
  if (diag == NULL || hd_text_from_bytes("input.go", data, size_bytes, &text) != HD_OK) {
    hd_diag_free(diag);
    return "no memory";
  }
  const hd_text *texts[] = {text};
  const char *fault = NULL;
  hd_status status = hd_go_read(texts, 1, diag, &package);
  if (status == HD_OK) {
    fault = hd_diag_errors(diag) > 0 ? "accepted with an error" : file_spans(&package->files[0]);
    fault = fault == NULL ? printing_fault(text, package) : fault;
  } else if (status != HD_E_INPUT || hd_diag_errors(diag) == 0 || package != NULL) {
    fault = "refused without an error";
  }
  hd_go_package_free(package);
  hd_diag_free(diag);
  hd_text_free(text);
  return fault;
}
