/* Comparison of read programs, field by field, in the order of program.h. Every function returns the first complaint or
 * NULL, so that complaints chain with the macros. */
#include "tests/support/cw_equal.h"

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

static bool same_name(const hd_cw_name *a, const hd_cw_name *b) {
  return (a->text == NULL) == (b->text == NULL) && (a->text == NULL || strcmp(a->text, b->text) == 0);
}

static const char *expr_difference(const hd_cw_expr *a, const hd_cw_expr *b);

static const char *ref_difference(const hd_cw_ref *a, const hd_cw_ref *b) {
  DEMAND(same_name(&a->name, &b->name) && a->global == b->global && a->var == b->var, "a reference");
  return expr_difference(a->index, b->index);
}

static const char *expr_difference(const hd_cw_expr *a, const hd_cw_expr *b) {
  DEMAND((a == NULL) == (b == NULL), "an expression is missing");
  if (a == NULL) {
    return NULL;
  }
  DEMAND(a->kind == b->kind && a->op == b->op && a->value == b->value && a->lo == b->lo && a->hi == b->hi,
         "an expression");
  if (a->kind == HD_CW_READ) {
    return ref_difference(&a->ref, &b->ref);
  }
  CHAIN(expr_difference(a->a, b->a));
  return expr_difference(a->b, b->b);
}

static const char *var_difference(const hd_cw_var *a, const hd_cw_var *b) {
  DEMAND(same_name(&a->name, &b->name) && a->type == b->type && a->ghost == b->ghost, "a variable");
  DEMAND(a->reference == b->reference && a->parameter == b->parameter && a->use == b->use, "a parameter");
  DEMAND(a->ranged == b->ranged && a->lo == b->lo && a->hi == b->hi && a->length == b->length, "a domain");
  DEMAND(a->init_lo == b->init_lo && a->init_hi == b->init_hi, "an initial value");
  return NULL;
}

static const char *list_difference(const hd_cw_stmt *a, const hd_cw_stmt *b);

static const char *stmt_difference(const hd_cw_stmt *a, const hd_cw_stmt *b) {
  DEMAND(a->kind == b->kind && a->number == b->number && same_name(&a->label, &b->label), "a statement");
  DEMAND(a->has_target == b->has_target && same_name(&a->callee, &b->callee) && a->proc == b->proc, "a call");
  CHAIN(ref_difference(&a->target, &b->target));
  CHAIN(expr_difference(a->expr, b->expr));
  const hd_cw_argument *x = a->arguments, *y = b->arguments;
  for (; x != NULL && y != NULL; x = x->next, y = y->next) {
    CHAIN(expr_difference(x->expr, y->expr));
  }
  DEMAND(x == NULL && y == NULL, "number of arguments");
  CHAIN(list_difference(a->body, b->body));
  return list_difference(a->other, b->other);
}

static const char *list_difference(const hd_cw_stmt *a, const hd_cw_stmt *b) {
  for (; a != NULL && b != NULL; a = a->next, b = b->next) {
    CHAIN(stmt_difference(a, b));
  }
  DEMAND(a == NULL && b == NULL, "number of statements");
  return NULL;
}

static const char *body_difference(const hd_cw_body *a, const hd_cw_body *b) {
  DEMAND(same_name(&a->name, &b->name) && a->thread == b->thread && a->fixed == b->fixed && a->daemon == b->daemon,
         "a thread or procedure");
  DEMAND(a->var_count == b->var_count && a->parameter_count == b->parameter_count, "number of locals");
  DEMAND(a->has_yield == b->has_yield && a->has_watomic == b->has_watomic && a->height == b->height, "a body's facts");
  for (uint32_t i = 0; i < a->var_count; i++) {
    CHAIN(var_difference(&a->vars[i], &b->vars[i]));
  }
  return list_difference(a->first, b->first);
}

const char *cw_difference(const hd_cw_program *a, const hd_cw_program *b) {
  DEMAND(a->global_count == b->global_count && a->body_count == b->body_count, "number of globals or bodies");
  DEMAND(a->axiom_count == b->axiom_count && a->statement_count == b->statement_count,
         "number of axioms or statements");
  DEMAND(a->thread_count == b->thread_count && a->has_yield == b->has_yield, "the program's facts");
  for (uint32_t i = 0; i < a->global_count; i++) {
    CHAIN(var_difference(&a->globals[i], &b->globals[i]));
  }
  for (uint32_t i = 0; i < a->axiom_count; i++) {
    CHAIN(expr_difference(a->axioms[i].expr, b->axioms[i].expr));
  }
  for (uint32_t i = 0; i < a->body_count; i++) {
    CHAIN(body_difference(&a->bodies[i], &b->bodies[i]));
  }
  return NULL;
}

static const char *span_fault(const hd_cw_program *program) {
  for (uint32_t i = 0; i < program->statement_count; i++) {
    const hd_cw_stmt *stmt = program->statements[i];
    DEMAND(stmt->number == i, "a statement's number");
    DEMAND(stmt->span.begin < stmt->span.end && stmt->span.end <= program->text->size_bytes, "a statement's span");
    DEMAND(stmt->head.begin >= stmt->span.begin && stmt->head.end <= stmt->span.end, "a statement's head");
  }
  for (uint32_t i = 0; i < program->body_count; i++) {
    DEMAND(program->bodies[i].height <= 200, "a body's height");
  }
  return NULL;
}

/* Prints the program, reads it back, and compares. */
static const char *round_trip_fault(const hd_cw_program *program) {
  hd_buffer printed = {0}, again = {0};
  hd_cw_print(program, &printed);
  hd_text *text = NULL;
  hd_cw_program *back = NULL;
  const char *fault = NULL;
  if (printed.failed || hd_text_from_bytes("printed.cw", printed.data, printed.size_bytes, &text) != HD_OK) {
    fault = "memory is out";
  } else if (hd_cw_read(text, NULL, &back) != HD_OK) {
    fault = "a printed program is refused";
  } else {
    fault = cw_difference(program, back);
    hd_cw_print(back, &again);
    if (fault == NULL &&
        (again.size_bytes != printed.size_bytes || memcmp(again.data, printed.data, again.size_bytes) != 0)) {
      fault = "a printed program is printed otherwise";
    }
  }
  hd_buffer_free(&printed);
  hd_buffer_free(&again);
  hd_cw_program_free(back);
  hd_text_free(text);
  return fault;
}

const char *cw_reading_fault(const char *data, size_t size_bytes) {
  hd_text *text = NULL;
  hd_cw_program *program = NULL;
  hd_diag *diag = hd_diag_new();
  const char *fault = NULL;
  if (diag == NULL || hd_text_from_bytes("input.cw", data, size_bytes, &text) != HD_OK) {
    fault = "memory is out";
  } else {
    hd_status status = hd_cw_read(text, diag, &program);
    if ((status == HD_OK) != (program != NULL)) {
      fault = "a status that does not fit the program";
    } else if (status == HD_E_INPUT) {
      fault = hd_diag_errors(diag) == 0 ? "a refusal without an error" : NULL;
    } else if (status != HD_OK) {
      fault = "a status that no text may cause";
    } else {
      fault = hd_diag_errors(diag) > 0 ? "an accepted text with an error" : span_fault(program);
      fault = fault == NULL ? round_trip_fault(program) : fault;
    }
  }
  hd_cw_program_free(program);
  hd_diag_free(diag);
  hd_text_free(text);
  return fault;
}
