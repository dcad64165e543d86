/* Tier 1: conditions and effects as masked compares and masked writes on the packed words.
 *
 *   equality test  (state[w] & mask) == value     at most one per word: several are merged into one
 *   nonzero test   (state[w] & mask) != 0
 *   write          state[w] = (state[w], moved bits shifted down) & ~clear | set
 *
 * What a field's bits (value - lo) can be asked with one test: an aligned block of 2^k values [a, a + 2^k - 1], where
 * the last block may be cut off by the domain: the bits above k equal a's. And [2^k, top]: the bits above k are not all
 * zero. Every comparison with a constant is first turned into a range of values, cut to the domain; an empty range
 * makes the rule impossible, a full one needs no test. So ==, and often <, <=, !=, become tests. The length of a queue
 * is at least n when cell n - 1 is filled, at most n when cell n is empty.
 * Cost: linear in the expression. */
#include "core/model/arith.h"
#include "core/model/compile.h"

void hdi_mask_clear(hdi_compiler *compiler) {
  hdi_tests_clear(&compiler->equal);
  hdi_tests_clear(&compiler->nonzero);
  hdi_writes_clear(&compiler->writes);
  compiler->never = false;
}

static void note(hdi_compiler *compiler, hd_status status) {
  if (compiler->status == HD_OK) {
    compiler->status = status;
  }
}

static void require_bits(hdi_compiler *compiler, uint32_t word, uint64_t mask, uint64_t value) {
  for (size_t i = 0; i < compiler->equal.count; i++) {
    hdi_test *test = &compiler->equal.data[i];
    if (test->word == word) {
      compiler->never |= ((test->value ^ value) & test->mask & mask) != 0;
      test->mask |= mask;
      test->value |= value;
      return;
    }
  }
  if (mask != 0) {
    note(compiler, hdi_tests_push(&compiler->equal, (hdi_test){.word = word, .mask = mask, .value = value}));
  }
}

static void require_some(hdi_compiler *compiler, uint32_t word, uint64_t mask) {
  compiler->never |= mask == 0;
  if (mask != 0) {
    note(compiler, hdi_tests_push(&compiler->nonzero, (hdi_test){.word = word, .mask = mask}));
  }
}

void hdi_mask_require_equal(hdi_compiler *compiler, uint32_t field, uint64_t bits) {
  const hdi_field *f = &compiler->model->fields.data[field];
  compiler->never |= bits > f->top;
  require_bits(compiler, f->word, f->mask << f->shift, (bits & f->mask) << f->shift);
}

void hdi_mask_require_nonzero(hdi_compiler *compiler, uint32_t field) {
  const hdi_field *f = &compiler->model->fields.data[field];
  require_some(compiler, f->word, f->mask << f->shift);
}

/* Requires first <= bits <= last of a field, where first <= last <= top and not the whole domain. */
static bool require_range(hdi_compiler *compiler, const hdi_field *field, uint64_t first, uint64_t last) {
  for (uint32_t k = 0; k < field->width; k++) {
    uint64_t low = ((uint64_t)1 << k) - 1;
    uint64_t high = field->mask & ~low;
    if ((first & low) == 0 && (last == first + low || (last == field->top && first + low > last))) {
      require_bits(compiler, field->word, high << field->shift, first << field->shift);
      return true;
    }
    if (first == low + 1 && last == field->top) {
      require_some(compiler, field->word, (field->mask & ~low) << field->shift);
      return true;
    }
  }
  return false;
}

/* Requires first <= length <= last, within 0 .. capacity. */
static void require_length(hdi_compiler *compiler, const hdi_queue *queue, uint64_t first, uint64_t last) {
  if (first > 0) {
    hdi_mask_require_nonzero(compiler, queue->field + (uint32_t)first - 1);
  }
  if (last < queue->capacity) {
    hdi_mask_require_equal(compiler, queue->field + (uint32_t)last, 0);
  }
}

/* The values that satisfy `value op constant` within lo .. hi, as one range; false when they are not one. An empty
 * range has first > last. */
static bool range_of(hd_op op, int64_t constant, int64_t lo, int64_t hi, int64_t *first, int64_t *last) {
  *first = lo;
  *last = hi;
  bool empty = false;
  switch (op) {
    case HD_OP_EQ:
      empty = constant < lo || constant > hi;
      *first = *last = constant;
      break;
    case HD_OP_NE:
      empty = constant == lo && lo == hi;
      if (!empty && constant == lo) {
        *first = lo + 1;
      } else if (!empty && constant == hi) {
        *last = hi - 1;
      } else if (!empty && constant > lo && constant < hi) {
        return false;
      }
      break;
    case HD_OP_LT:
    case HD_OP_LE:
      empty = constant < lo || (op == HD_OP_LT && constant == lo);
      if (!empty && constant <= hi) {
        *last = op == HD_OP_LT ? constant - 1 : constant;
      }
      break;
    case HD_OP_GT:
    case HD_OP_GE:
      empty = constant > hi || (op == HD_OP_GT && constant == hi);
      if (!empty && constant >= lo) {
        *first = op == HD_OP_GT ? constant + 1 : constant;
      }
      break;
    case HD_OP_NEG:
    case HD_OP_NOT:
    case HD_OP_BITNOT:
    case HD_OP_ADD:
    case HD_OP_SUB:
    case HD_OP_MUL:
    case HD_OP_DIV:
    case HD_OP_MOD:
    case HD_OP_SHL:
    case HD_OP_SHR:
    case HD_OP_BITAND:
    case HD_OP_BITOR:
    case HD_OP_BITXOR:
    case HD_OP_AND:
    case HD_OP_OR:
    case HD_OP_COND:
    case HD_OP_COUNT:
      return false;
  }
  if (empty) {
    *first = 1;
    *last = 0;
  }
  return true;
}

/* `expr op constant`, where expr is a fixed field or the length of a queue. */
static bool require_comparison(hdi_compiler *compiler, uint32_t expr, hd_op op, int64_t constant) {
  const hdi_expr *node = hdi_compiler_expr(compiler, expr);
  const hd_model *model = compiler->model;
  const hdi_queue *queue = node->kind == HDI_EXPR_QUEUE_LENGTH ? &model->queues.data[node->item] : NULL;
  uint32_t field = queue == NULL ? hdi_fixed_field(compiler, expr) : HD_NONE;
  if (queue == NULL && field == HD_NONE) {
    return false;
  }
  const hdi_field *f = queue == NULL ? &model->fields.data[field] : NULL;
  int64_t lo = queue == NULL ? f->lo : 0;
  int64_t hi = queue == NULL ? (int64_t)((uint64_t)f->lo + f->top) : (int64_t)queue->capacity;
  int64_t first = 0;
  int64_t last = 0;
  if (!range_of(op, constant, lo, hi, &first, &last)) {
    return false;
  }
  if (first > last) {
    compiler->never = true;
    return true;
  }
  if (first == lo && last == hi) {
    return true;
  }
  uint64_t first_bits = (uint64_t)first - (uint64_t)lo;
  uint64_t last_bits = (uint64_t)last - (uint64_t)lo;
  if (queue != NULL) {
    require_length(compiler, queue, first_bits, last_bits);
    return true;
  }
  return require_range(compiler, f, first_bits, last_bits);
}

/* The comparison that holds exactly when `op` does not. */
static hd_op negated(hd_op op) {
  static const uint8_t table[HD_OP_COUNT] = {[HD_OP_EQ] = HD_OP_NE, [HD_OP_NE] = HD_OP_EQ, [HD_OP_LT] = HD_OP_GE,
                                             [HD_OP_GE] = HD_OP_LT, [HD_OP_GT] = HD_OP_LE, [HD_OP_LE] = HD_OP_GT};
  return (hd_op)table[op];
}

/* The comparison with its sides exchanged. */
static hd_op mirrored(hd_op op) {
  static const uint8_t table[HD_OP_COUNT] = {[HD_OP_EQ] = HD_OP_EQ, [HD_OP_NE] = HD_OP_NE, [HD_OP_LT] = HD_OP_GT,
                                             [HD_OP_GT] = HD_OP_LT, [HD_OP_LE] = HD_OP_GE, [HD_OP_GE] = HD_OP_LE};
  return (hd_op)table[op];
}

static bool require_at(hdi_compiler *compiler, const hdi_expr *node, bool positive) {
  const hdi_loc *loc = &compiler->model->locs.data[node->item];
  const hdi_process *process = &compiler->model->processes.data[loc->process];
  uint32_t absent = process->may_die ? 0 : 1;
  if (loc->number < absent) { /* a dead location that nobody can be at */
    compiler->never |= positive;
    return true;
  }
  const hdi_field *field = &compiler->model->fields.data[process->loc_field + node->a];
  uint64_t bits = loc->number - absent;
  if (positive) {
    hdi_mask_require_equal(compiler, process->loc_field + node->a, bits);
    return true;
  }
  if (field->top == 0) {
    compiler->never = true;
    return true;
  }
  if (bits == 0) {
    return require_range(compiler, field, 1, field->top);
  }
  return bits == field->top && require_range(compiler, field, 0, field->top - 1);
}

bool hdi_mask_condition(hdi_compiler *compiler, uint32_t expr, bool positive) {
  const hdi_expr *node = hdi_compiler_expr(compiler, expr);
  int64_t value = 0;
  if (node->fixed) {
    if (!hdi_fold(compiler, expr, &value)) {
      return false;
    }
    compiler->never |= (value != 0) != positive;
    return true;
  }
  if (node->kind == HDI_EXPR_AT) {
    return require_at(compiler, node, positive);
  }
  if (node->kind != HDI_EXPR_OP) {
    return require_comparison(compiler, expr, positive ? HD_OP_NE : HD_OP_EQ, 0);
  }
  if (node->op == HD_OP_NOT) {
    return hdi_mask_condition(compiler, node->a, !positive);
  }
  if (node->op < HD_OP_EQ || node->op > HD_OP_GE) { /* not a comparison */
    return false;
  }
  hd_op op = positive ? node->op : negated(node->op);
  if (hdi_fold(compiler, node->b, &value)) {
    return require_comparison(compiler, node->a, op, value);
  }
  return hdi_fold(compiler, node->a, &value) && require_comparison(compiler, node->b, mirrored(op), value);
}

static hdi_write *write_of(hdi_compiler *compiler, uint32_t word) {
  for (size_t i = 0; i < compiler->writes.count; i++) {
    if (compiler->writes.data[i].word == word) {
      return &compiler->writes.data[i];
    }
  }
  note(compiler, hdi_writes_push(&compiler->writes, (hdi_write){.word = word}));
  return compiler->status == HD_OK ? &compiler->writes.data[compiler->writes.count - 1] : NULL;
}

void hdi_mask_set(hdi_compiler *compiler, uint32_t field, uint64_t bits) {
  const hdi_field *f = &compiler->model->fields.data[field];
  hdi_write *write = f->width == 0 ? NULL : write_of(compiler, f->word);
  if (write != NULL) {
    uint64_t mask = f->mask << f->shift;
    write->clear |= mask;
    write->set = (write->set & ~mask) | (bits << f->shift);
  }
}

void hdi_mask_pop(hdi_compiler *compiler, const hdi_queue *queue) {
  if (queue->capacity == 1) { /* nothing moves up behind the head */
    hdi_mask_set(compiler, queue->field, 0);
    return;
  }
  const hdi_field *head = &compiler->model->fields.data[queue->field];
  hdi_write *write = head->width == 0 ? NULL : write_of(compiler, head->word);
  if (write == NULL) {
    return;
  }
  if (write->moved == 0) {
    write->moved = queue->word_mask;
    write->down = head->width;
    return;
  }
  hdi_write second = {.word = head->word, .moved = queue->word_mask, .down = head->width};
  note(compiler, hdi_writes_push(&compiler->writes, second));
}
