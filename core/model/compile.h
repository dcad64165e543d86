/* The compiler's working state for one edge of one instance, shared by compile.c (rules), mask.c (tier 1) and code.c
 * (tier 2), and the operators of the stack code that code.c writes and bytecode.c runs. */
#ifndef HEDDLE_CORE_MODEL_COMPILE_H
#define HEDDLE_CORE_MODEL_COMPILE_H

#include "core/model/internal.h"

/* Operators that map to hdi_arith. */
#define HDI_UNARY_TABLE(X) X(NEG) X(NOT) X(BITNOT)
#define HDI_BINARY_TABLE(X) \
  X(ADD) X(SUB) X(MUL) X(DIV) X(MOD) X(SHL) X(SHR) X(BITAND) X(BITOR) X(BITXOR) X(EQ) X(NE) X(LT) X(LE) X(GT) X(GE)

typedef enum hdi_code {
#define HDI_CODE_ENUM(identifier) HDI_CODE_##identifier,
  HDI_UNARY_TABLE(HDI_CODE_ENUM) HDI_BINARY_TABLE(HDI_CODE_ENUM)
#undef HDI_CODE_ENUM
      HDI_CODE_SMALL, /* push a as a signed 32-bit number */
  HDI_CODE_CONST,     /* push constants[a] */
  HDI_CODE_LOAD,      /* push field a */
  HDI_CODE_LOAD_AT,   /* pop an index; push that field of runs[a] */
  HDI_CODE_STORE,     /* pop a value into field a */
  HDI_CODE_STORE_AT,  /* pop a value, then an index; store into that field of runs[a] */
  HDI_CODE_BOOL,      /* top of the stack := top != 0 */
  HDI_CODE_JUMP,      /* go on at a */
  HDI_CODE_JUMP_ZERO, /* pop; go on at a when it was 0 */
  HDI_CODE_RECEIVED,  /* push the value handed over */
  HDI_CODE_PARTNER,   /* pop a channel; push whether a partner of side b is ready on it */
  HDI_CODE_LENGTH,    /* push the length of queue a */
  HDI_CODE_PUSH,      /* pop a letter; append it to queue a, or disable the step */
  HDI_CODE_POP,       /* remove the head of queue a, or disable the step */
  HDI_CODE_CHECK,     /* pop; note failure b when it was 0 */
  HDI_CODE_SPAWN,     /* pop b arguments (the last on top); start an instance of process a */
  HDI_CODE_TAKE,      /* push the first index of runs[a] that holds 0, and set it to 1 */
  HDI_CODE_RETURN     /* the value, if any, is on top */
} hdi_code;

typedef struct hdi_compiler {
  hd_builder *builder;
  hd_model *model;
  uint32_t instance, process, number;
  hd_status status; /* the first error */
  /* Tier 1 of the rule being made. */
  hdi_tests equal;   /* at most one per word */
  hdi_tests nonzero; /* any number */
  hdi_writes writes;
  bool never; /* the tests contradict each other */
  /* Tier 2: values on the stack at this point of the code. */
  uint32_t depth;
} hdi_compiler;

static inline const hdi_expr *hdi_compiler_expr(const hdi_compiler *compiler, uint32_t expr) {
  return &compiler->builder->exprs.data[expr];
}

/* The value of an expression of constants and `self`; false when it is not one, or faults. */
bool hdi_fold(const hdi_compiler *compiler, uint32_t expr, int64_t *value);
/* The field that a read of a scalar, of an element with a fixed index, or of a queue's head refers to; HD_NONE
 * otherwise. */
uint32_t hdi_fixed_field(const hdi_compiler *compiler, uint32_t expr);
/* The same for a variable and an index expression (0: none). */
uint32_t hdi_fixed_element(const hdi_compiler *compiler, uint32_t var, uint32_t index);

/* ---- mask.c ---- */

void hdi_mask_clear(hdi_compiler *compiler);
/* Adds `expr` (or its negation) to the tests; false, changing nothing, when tests cannot say it. */
bool hdi_mask_condition(hdi_compiler *compiler, uint32_t expr, bool positive);
void hdi_mask_require_equal(hdi_compiler *compiler, uint32_t field, uint64_t bits);
void hdi_mask_require_nonzero(hdi_compiler *compiler, uint32_t field);
void hdi_mask_set(hdi_compiler *compiler, uint32_t field, uint64_t bits);
/* The queue (of one word) loses its head. */
void hdi_mask_pop(hdi_compiler *compiler, const hdi_queue *queue);

/* ---- code.c ---- */

/* Where the next instruction goes; forgets the stack depth. */
uint32_t hdi_code_begin(hdi_compiler *compiler);
void hdi_code_end(hdi_compiler *compiler);
void hdi_code_expr(hdi_compiler *compiler, uint32_t expr);
void hdi_code_stmt(hdi_compiler *compiler, const hd_stmt *stmt);
/* Code for a condition: returns 0 when the expression, or its negation, is false and goes on otherwise. */
void hdi_code_condition(hdi_compiler *compiler, uint32_t expr, bool positive);
/* The same for: the queue has room; the queue is not empty; the head equals the expression. */
void hdi_code_room(hdi_compiler *compiler, const hdi_queue *queue);
void hdi_code_filled(hdi_compiler *compiler, const hdi_queue *queue);
void hdi_code_head(hdi_compiler *compiler, const hdi_queue *queue, uint32_t expr);
/* Returns 1. */
void hdi_code_accept(hdi_compiler *compiler);

/* Where a finished piece of code ends: behind the RETURN that no jump passes. */
uint32_t hdi_code_behind(const hd_model *model, uint32_t code);

#endif
