/* The integer arithmetic of the model's expressions, shared by constant folding and by the interpreter. Results that do
 * not fit 64 bits are faults, never wraps. Division truncates towards zero and the remainder has the dividend's sign,
 * as in C; the right shift rounds down. */
#ifndef HEDDLE_CORE_MODEL_ARITH_H
#define HEDDLE_CORE_MODEL_ARITH_H

#include "core/model/builder.h"

static inline hd_fault hdi_add(int64_t a, int64_t b, int64_t *out) {
  if ((b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b)) {
    return HD_FAULT_RANGE;
  }
  *out = a + b;
  return HD_FAULT_NONE;
}

static inline hd_fault hdi_sub(int64_t a, int64_t b, int64_t *out) {
  if ((b < 0 && a > INT64_MAX + b) || (b > 0 && a < INT64_MIN + b)) {
    return HD_FAULT_RANGE;
  }
  *out = a - b;
  return HD_FAULT_NONE;
}

static inline hd_fault hdi_mul(int64_t a, int64_t b, int64_t *out) {
  *out = 0;
  if (a == 0 || b == 0) {
    return HD_FAULT_NONE;
  }
  bool overflow;
  if (a > 0) {
    overflow = b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a;
  } else {
    overflow = b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a;
  }
  if (overflow) {
    return HD_FAULT_RANGE;
  }
  *out = a * b;
  return HD_FAULT_NONE;
}

static inline hd_fault hdi_div(int64_t a, int64_t b, int64_t *out) {
  if (b == 0) {
    return HD_FAULT_DIVISION;
  }
  if (b == -1 && a == INT64_MIN) {
    return HD_FAULT_RANGE;
  }
  *out = a / b;
  return HD_FAULT_NONE;
}

static inline hd_fault hdi_mod(int64_t a, int64_t b, int64_t *out) {
  if (b == 0) {
    return HD_FAULT_DIVISION;
  }
  *out = b == -1 ? 0 : a % b; /* INT64_MIN % -1 is 0 in arithmetic but undefined in C */
  return HD_FAULT_NONE;
}

static inline hd_fault hdi_shr(int64_t a, int64_t b, int64_t *out) {
  if (b < 0 || b > 63) {
    return HD_FAULT_RANGE;
  }
  *out = a >= 0 ? a >> b : ~(~a >> b);
  return HD_FAULT_NONE;
}

static inline hd_fault hdi_shl(int64_t a, int64_t b, int64_t *out) {
  if (b < 0 || b > 63) {
    return HD_FAULT_RANGE;
  }
  int64_t shifted = (int64_t)((uint64_t)a << b);
  int64_t back = 0;
  (void)hdi_shr(shifted, b, &back);
  if (back != a) {
    return HD_FAULT_RANGE;
  }
  *out = shifted;
  return HD_FAULT_NONE;
}

/* Applies a unary (b ignored) or strict binary operator. The short-circuit ones and COND are the caller's. */
static inline hd_fault hdi_arith(hd_op op, int64_t a, int64_t b, int64_t *out) {
  switch (op) {
    case HD_OP_NEG:
      return hdi_sub(0, a, out);
    case HD_OP_NOT:
      *out = a == 0;
      return HD_FAULT_NONE;
    case HD_OP_BITNOT:
      *out = ~a;
      return HD_FAULT_NONE;
    case HD_OP_ADD:
      return hdi_add(a, b, out);
    case HD_OP_SUB:
      return hdi_sub(a, b, out);
    case HD_OP_MUL:
      return hdi_mul(a, b, out);
    case HD_OP_DIV:
      return hdi_div(a, b, out);
    case HD_OP_MOD:
      return hdi_mod(a, b, out);
    case HD_OP_SHL:
      return hdi_shl(a, b, out);
    case HD_OP_SHR:
      return hdi_shr(a, b, out);
    case HD_OP_BITAND:
      *out = a & b;
      return HD_FAULT_NONE;
    case HD_OP_BITOR:
      *out = a | b;
      return HD_FAULT_NONE;
    case HD_OP_BITXOR:
      *out = a ^ b;
      return HD_FAULT_NONE;
    case HD_OP_EQ:
      *out = a == b;
      return HD_FAULT_NONE;
    case HD_OP_NE:
      *out = a != b;
      return HD_FAULT_NONE;
    case HD_OP_LT:
      *out = a < b;
      return HD_FAULT_NONE;
    case HD_OP_LE:
      *out = a <= b;
      return HD_FAULT_NONE;
    case HD_OP_GT:
      *out = a > b;
      return HD_FAULT_NONE;
    case HD_OP_GE:
      *out = a >= b;
      return HD_FAULT_NONE;
    case HD_OP_AND:
    case HD_OP_OR:
    case HD_OP_COND:
    case HD_OP_COUNT:
      break;
  }
  *out = 0;
  return HD_FAULT_NONE;
}

#endif
