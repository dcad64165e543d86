/* Arithmetic on intervals: for each operator an interval that holds every result without a fault.
 *
 * The model's arithmetic (core/model/arith.h) has no wrap-around: what leaves 64 bits is a fault and has no value. So a
 * corner that overflows only means that the bound is that of 64 bits. Monotone operators are given by their corners;
 * remainders and bitwise operators by their size. Pure functions. */
#include "frontends/cwhile/intervals.h"

#include "core/model/arith.h"

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

hdi_cw_interval hdi_cw_join(hdi_cw_interval a, hdi_cw_interval b) {
  if (hdi_cw_is_empty(a) || hdi_cw_is_empty(b)) {
    return hdi_cw_is_empty(a) ? b : a;
  }
  return (hdi_cw_interval){least(a.lo, b.lo), most(a.hi, b.hi)};
}

hdi_cw_interval hdi_cw_meet(hdi_cw_interval a, hdi_cw_interval b) {
  return (hdi_cw_interval){most(a.lo, b.lo), least(a.hi, b.hi)};
}

/* The hull of the four corners; everything when one of them overflows. */
static hdi_cw_interval corners(hd_op op, hdi_cw_interval a, hdi_cw_interval b) {
  const int64_t left[4] = {a.lo, a.lo, a.hi, a.hi}, right[4] = {b.lo, b.hi, b.lo, b.hi};
  hdi_cw_interval hull = HDI_CW_EMPTY;
  for (int i = 0; i < 4; i++) {
    int64_t value = 0;
    if (hdi_arith(op, left[i], right[i], &value) != HD_FAULT_NONE) {
      return HDI_CW_ANY;
    }
    hull = hdi_cw_join(hull, (hdi_cw_interval){value, value});
  }
  return hull;
}

/* The largest absolute value, at most INT64_MAX. */
static int64_t size_of(hdi_cw_interval a) {
  return a.lo == INT64_MIN ? INT64_MAX : most(a.lo < 0 ? -a.lo : a.lo, a.hi < 0 ? -a.hi : a.hi);
}

static hdi_cw_interval divide(hdi_cw_interval a, hdi_cw_interval b) {
  hdi_cw_interval below = hdi_cw_meet(b, (hdi_cw_interval){INT64_MIN, -1});
  hdi_cw_interval above = hdi_cw_meet(b, (hdi_cw_interval){1, INT64_MAX});
  hdi_cw_interval left = hdi_cw_is_empty(below) ? HDI_CW_EMPTY : corners(HD_OP_DIV, a, below);
  return hdi_cw_join(left, hdi_cw_is_empty(above) ? HDI_CW_EMPTY : corners(HD_OP_DIV, a, above));
}

/* The remainder has the dividend's sign, is no larger than it and smaller than the divisor. */
static hdi_cw_interval remainder_of(hdi_cw_interval a, hdi_cw_interval b) {
  int64_t divisor = size_of(b), bound = divisor == 0 ? 0 : least(divisor - (b.lo != INT64_MIN), size_of(a));
  return (hdi_cw_interval){a.lo < 0 ? -bound : 0, a.hi > 0 ? bound : 0};
}

/* The least 2^n - 1 that is not below `value`. */
static int64_t ones(int64_t value) {
  uint64_t bits = (uint64_t)value;
  for (unsigned shift = 1; shift < 64; shift *= 2) {
    bits |= bits >> shift;
  }
  return (int64_t)bits;
}

/* Results have no more significant bits than the operands. */
static hdi_cw_interval bitwise(hd_op op, hdi_cw_interval a, hdi_cw_interval b) {
  if (op == HD_OP_BITAND && (a.lo >= 0 || b.lo >= 0)) {
    return (hdi_cw_interval){0, a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : least(a.hi, b.hi)};
  }
  int64_t bound = ones(most(most(a.lo < 0 ? ~a.lo : a.lo, a.hi < 0 ? ~a.hi : a.hi),
                            most(b.lo < 0 ? ~b.lo : b.lo, b.hi < 0 ? ~b.hi : b.hi)));
  return (hdi_cw_interval){a.lo >= 0 && b.lo >= 0 ? 0 : ~bound, bound};
}

static hdi_cw_interval shift(hd_op op, hdi_cw_interval a, hdi_cw_interval b) {
  b = hdi_cw_meet(b, (hdi_cw_interval){0, 63});
  return hdi_cw_is_empty(b) ? HDI_CW_EMPTY : corners(op, a, b);
}

static hdi_cw_interval truth(bool can_hold, bool can_fail) {
  return (hdi_cw_interval){can_fail ? 0 : 1, can_hold ? 1 : 0};
}

static bool is_zero(hdi_cw_interval a) {
  return a.lo == 0 && a.hi == 0;
}

static bool has_zero(hdi_cw_interval a) {
  return a.lo <= 0 && a.hi >= 0;
}

static hdi_cw_interval equal(hdi_cw_interval a, hdi_cw_interval b) {
  return truth(!hdi_cw_is_empty(hdi_cw_meet(a, b)), !(a.lo == a.hi && b.lo == b.hi && a.lo == b.lo));
}

static hdi_cw_interval less(hdi_cw_interval a, hdi_cw_interval b) {
  return truth(a.lo < b.hi, a.hi >= b.lo);
}

static hdi_cw_interval less_or_equal(hdi_cw_interval a, hdi_cw_interval b) {
  return truth(a.lo <= b.hi, a.hi > b.lo);
}

hdi_cw_interval hdi_cw_interval_op(hd_op op, hdi_cw_interval a, hdi_cw_interval b) {
  if (hdi_cw_is_empty(a) || hdi_cw_is_empty(b)) {
    return HDI_CW_EMPTY;
  }
  switch (op) {
    case HD_OP_NEG:
      return corners(HD_OP_SUB, (hdi_cw_interval){0, 0}, a);
    case HD_OP_NOT:
      return truth(has_zero(a), !is_zero(a));
    case HD_OP_BITNOT:
      return (hdi_cw_interval){~a.hi, ~a.lo};
    case HD_OP_ADD:
    case HD_OP_SUB:
    case HD_OP_MUL:
      return corners(op, a, b);
    case HD_OP_DIV:
      return divide(a, b);
    case HD_OP_MOD:
      return remainder_of(a, b);
    case HD_OP_SHL:
    case HD_OP_SHR:
      return shift(op, a, b);
    case HD_OP_BITAND:
    case HD_OP_BITOR:
    case HD_OP_BITXOR:
      return bitwise(op, a, b);
    case HD_OP_EQ:
      return equal(a, b);
    case HD_OP_NE:
      return (hdi_cw_interval){1 - equal(a, b).hi, 1 - equal(a, b).lo};
    case HD_OP_LT:
      return less(a, b);
    case HD_OP_LE:
      return less_or_equal(a, b);
    case HD_OP_GT:
      return less(b, a);
    case HD_OP_GE:
      return less_or_equal(b, a);
    case HD_OP_AND:
      return truth(!is_zero(a) && !is_zero(b), has_zero(a) || has_zero(b));
    case HD_OP_OR:
      return truth(!is_zero(a) || !is_zero(b), has_zero(a) && has_zero(b));
    case HD_OP_COND:
    case HD_OP_COUNT:
      break;
  }
  return HDI_CW_ANY;
}
