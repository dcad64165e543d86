/* What the Promela and the Murphi printer share; see model_writer.h.
 *
 * A model becomes a set of guarded commands over variables: the model's own, one per queue cell (head first, 0 = empty)
 * and one per instance for its location. Types are unfolded into instances, so that `self` is a constant and a command
 * reads no index it does not have to: the other tools test a guard of constants faster.
 *
 * The languages differ in a few words (== or =, && or &, `if` or d_step's `if`), which are chosen here by
 * writer->murphi, and in that Murphi keeps conditions and numbers apart, hence two functions for expressions.
 *
 * Both tools calculate with 32 bits (SPIN always, Rumur as it is run) and neither tells an overflow as we do. Intervals
 * over the variables' domains show that no expression can leave 32 bits, divide by zero or shift by a wrong distance;
 * where they cannot show it the model is refused.
 *
 * What cannot be said at all: atomic blocks (they are enabled by looking ahead to their end), monitors, eager
 * locations (a reduction, not the system), several initial states. Errors stick in `why` and in the buffer. */
#include "core/report/model_writer.h"

#include "core/base/compiler.h"
#include "core/model/arith.h"

#include <inttypes.h>

#define NAME_MAX_BYTES 24u

void hdi_write_refuse(hdi_writer *writer, const char *why) {
  writer->why = writer->why == NULL ? why : writer->why;
}

void hdi_write_check_model(hdi_writer *writer) {
  const hd_model *model = writer->model;
  if (model->has_strong || model->has_weak) {
    hdi_write_refuse(writer, "the model has atomic blocks");
  }
  if (model->has_eager) {
    hdi_write_refuse(writer, "the model is a reduced one");
  }
  if (model->monitors.count > 0) {
    hdi_write_refuse(writer, "the model has monitors");
  }
  if (model->initial_count > 1) {
    hdi_write_refuse(writer, "the model has several initial states");
  }
  for (size_t i = 0; i < model->vars.count; i++) {
    const hdi_var *var = &model->vars.data[i];
    if (var->lo < INT32_MIN || var->hi > INT32_MAX) {
      hdi_write_refuse(writer, "a variable needs more than 32 bits");
    }
  }
}

hd_status hdi_write_status(const hdi_writer *writer, const char **why) {
  *why = writer->why;
  return writer->why != NULL ? HD_E_LIMIT : writer->out->failed ? HD_E_NOMEM : HD_OK;
}

/* ---- names ---- */

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void hdi_write_name(hdi_writer *writer, const char *letter, uint32_t number, const char *name) {
  char text[NAME_MAX_BYTES + 1];
  uint32_t length = 0;
  for (; *name != '\0' && length < NAME_MAX_BYTES; name++) {
    if (is_plain(*name)) {
      text[length++] = *name;
    }
  }
  text[length] = '\0';
  hd_buffer_printf(writer->out, "%s%" PRIu32 "%s%s", letter, number, length > 0 ? "_" : "", text);
}

static const hdi_instance *instance_of(const hdi_writer *writer) {
  return &writer->model->instances.data[writer->instance];
}

void hdi_write_var(hdi_writer *writer, uint32_t var) {
  const hdi_var *v = &writer->model->vars.data[var];
  hdi_write_name(writer, "v", var, v->name);
  if (v->process != HD_NONE && !writer->native) {
    hd_buffer_printf(writer->out, "_%" PRIu32, writer->instance);
  }
}

void hdi_write_queue(hdi_writer *writer, uint32_t queue, uint32_t cell) {
  hdi_write_name(writer, "q", queue, writer->model->queues.data[queue].name);
  if (!writer->native) {
    hd_buffer_printf(writer->out, "_%" PRIu32, cell);
  }
}

void hdi_write_at(hdi_writer *writer, uint32_t instance) {
  const hd_model *model = writer->model;
  hdi_write_name(writer, "at", instance, model->processes.data[model->instances.data[instance].process].name);
}

/* ---- ranges ---- */

static hdi_range unknown(hdi_writer *writer, const char *why) {
  hdi_write_refuse(writer, why);
  return (hdi_range){0, 0};
}

static hdi_range hull(hdi_range a, hdi_range b) {
  return (hdi_range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* The range that the four results at the corners span. */
static hdi_range corners(int64_t a, int64_t b, int64_t c, int64_t d) {
  return hull(hull((hdi_range){a, a}, (hdi_range){b, b}), hull((hdi_range){c, c}, (hdi_range){d, d}));
}

/* The least 2^i - 1 that is not less than value >= 0. */
static int64_t all_ones(int64_t value) {
  int64_t ones = 0;
  while (ones < value) {
    ones = 2 * ones + 1;
  }
  return ones;
}

/* Bitwise operators: whatever the bits are, the result needs no more of them. */
static hdi_range bits_range(hdi_range a, hdi_range b) {
  hdi_range both = hull(a, b);
  int64_t ones = all_ones(both.hi > -(both.lo + 1) ? both.hi : -(both.lo + 1));
  return (hdi_range){both.lo < 0 ? -ones - 1 : 0, ones};
}

static hdi_range division_range(hdi_writer *writer, hd_op op, hdi_range a, hdi_range b) {
  if (b.lo <= 0 && b.hi >= 0) {
    return unknown(writer, "a division whose divisor may be 0");
  }
  int64_t size_a = a.hi > -a.lo ? a.hi : -a.lo;
  if (op == HD_OP_DIV) {
    return (hdi_range){-size_a, size_a};
  }
  int64_t size_b = (b.hi > -b.lo ? b.hi : -b.lo) - 1;
  int64_t size = size_a < size_b ? size_a : size_b;
  return (hdi_range){a.lo < 0 ? -size : 0, a.hi > 0 ? size : 0};
}

static hdi_range shift_range(hdi_writer *writer, hd_op op, hdi_range a, hdi_range b) {
  if (b.lo < 0 || b.hi > 30) {
    return unknown(writer, "a shift whose distance may be outside 0..30");
  }
  if (a.lo < 0) {
    return unknown(writer, "a shift of a number that may be negative");
  }
  return op == HD_OP_SHL ? (hdi_range){a.lo << b.lo, a.hi << b.hi} : (hdi_range){a.lo >> b.hi, a.hi >> b.lo};
}

static hdi_range op_range(hdi_writer *writer, const hdi_expr *expr) {
  hdi_range a = hdi_write_range(writer, expr->a);
  hdi_range b = expr->b != 0 ? hdi_write_range(writer, expr->b) : a;
  switch (expr->op) {
    case HD_OP_NEG:
      return (hdi_range){-a.hi, -a.lo};
    case HD_OP_BITNOT:
      return (hdi_range){-a.hi - 1, -a.lo - 1};
    case HD_OP_ADD:
      return (hdi_range){a.lo + b.lo, a.hi + b.hi};
    case HD_OP_SUB:
      return (hdi_range){a.lo - b.hi, a.hi - b.lo};
    case HD_OP_MUL:
      return corners(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi);
    case HD_OP_DIV:
    case HD_OP_MOD:
      return division_range(writer, expr->op, a, b);
    case HD_OP_SHL:
    case HD_OP_SHR:
      return shift_range(writer, expr->op, a, b);
    case HD_OP_BITAND:
    case HD_OP_BITOR:
    case HD_OP_BITXOR:
      return bits_range(a, b);
    case HD_OP_COND:
      return hull(b, hdi_write_range(writer, expr->c));
    case HD_OP_NOT:
    case HD_OP_EQ:
    case HD_OP_NE:
    case HD_OP_LT:
    case HD_OP_LE:
    case HD_OP_GT:
    case HD_OP_GE:
    case HD_OP_AND:
    case HD_OP_OR:
    case HD_OP_COUNT:
      break;
  }
  return (hdi_range){0, 1};
}

static hdi_range any_range(hdi_writer *writer, const hdi_expr *expr) {
  const hd_model *model = writer->model;
  switch (expr->kind) {
    case HDI_EXPR_CONST:
      return (hdi_range){expr->value, expr->value};
    case HDI_EXPR_READ_AT:
      (void)hdi_write_range(writer, expr->a);
      return (hdi_range){model->vars.data[expr->item].lo, model->vars.data[expr->item].hi};
    case HDI_EXPR_READ:
      return (hdi_range){model->vars.data[expr->item].lo, model->vars.data[expr->item].hi};
    case HDI_EXPR_OP:
      return op_range(writer, expr);
    case HDI_EXPR_SELF:
      return (hdi_range){instance_of(writer)->number, instance_of(writer)->number};
    case HDI_EXPR_RECEIVED:
      return writer->received;
    case HDI_EXPR_PARTNER:
      (void)hdi_write_range(writer, expr->a);
      return (hdi_range){0, 1};
    case HDI_EXPR_AT:
      return (hdi_range){0, 1};
    case HDI_EXPR_QUEUE_LENGTH:
      return (hdi_range){0, model->queues.data[expr->item].capacity};
    case HDI_EXPR_QUEUE_HEAD:
      return (hdi_range){0, model->queues.data[expr->item].letters};
  }
  return (hdi_range){0, 0};
}

hdi_range hdi_write_range(hdi_writer *writer, uint32_t expr) {
  hdi_range range = any_range(writer, &writer->model->exprs.data[expr]);
  if (range.lo < INT32_MIN || range.hi > INT32_MAX) {
    return unknown(writer, "an expression may need more than 32 bits");
  }
  return range;
}

bool hdi_write_constant(hdi_writer *writer, uint32_t expr, int64_t *value) {
  if (!writer->model->exprs.data[expr].fixed) {
    return false;
  }
  hdi_range range = hdi_write_range(writer, expr);
  *value = range.lo;
  return range.lo == range.hi;
}

/* ---- expressions ---- */

/* Words of an operator; NULL: not one with two operands between which a word stands. */
static const char *infix(const hdi_writer *writer, hd_op op) {
  switch (op) {
    case HD_OP_ADD:
      return "+";
    case HD_OP_SUB:
      return "-";
    case HD_OP_MUL:
      return "*";
    case HD_OP_DIV:
      return "/";
    case HD_OP_MOD:
      return "%";
    case HD_OP_SHL:
      return "<<";
    case HD_OP_SHR:
      return ">>";
    case HD_OP_BITAND:
      return "&";
    case HD_OP_BITOR:
      return "|";
    case HD_OP_BITXOR:
      return "^";
    case HD_OP_EQ:
      return writer->murphi ? "=" : "==";
    case HD_OP_NE:
      return "!=";
    case HD_OP_LT:
      return "<";
    case HD_OP_LE:
      return "<=";
    case HD_OP_GT:
      return ">";
    case HD_OP_GE:
      return ">=";
    case HD_OP_AND:
      return writer->murphi ? "&" : "&&";
    case HD_OP_OR:
      return writer->murphi ? "|" : "||";
    case HD_OP_NEG:
    case HD_OP_NOT:
    case HD_OP_BITNOT:
    case HD_OP_COND:
    case HD_OP_COUNT:
      break;
  }
  return NULL;
}

/* The value is a condition: 0 or 1. */
static bool is_condition(const hdi_expr *expr) {
  switch (expr->kind) {
    case HDI_EXPR_OP:
      switch (expr->op) {
        case HD_OP_NOT:
        case HD_OP_EQ:
        case HD_OP_NE:
        case HD_OP_LT:
        case HD_OP_LE:
        case HD_OP_GT:
        case HD_OP_GE:
        case HD_OP_AND:
        case HD_OP_OR:
          return true;
        case HD_OP_NEG:
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
        case HD_OP_COND:
        case HD_OP_COUNT:
          return false;
      }
      return false;
    case HDI_EXPR_PARTNER:
    case HDI_EXPR_AT:
      return true;
    case HDI_EXPR_CONST:
    case HDI_EXPR_READ:
    case HDI_EXPR_READ_AT:
    case HDI_EXPR_SELF:
    case HDI_EXPR_RECEIVED:
    case HDI_EXPR_QUEUE_LENGTH:
    case HDI_EXPR_QUEUE_HEAD:
      break;
  }
  return false;
}

static const char *equals(const hdi_writer *writer) {
  return writer->murphi ? " = " : " == ";
}

static void write_location_test(hdi_writer *writer, uint32_t instance, const hdi_loc *loc) {
  hdi_write_at(writer, instance);
  hd_buffer_printf(writer->out, "%s%" PRIu32, equals(writer), loc->number);
}

/* Some other instance has an enabled edge of that side on the channel. */
static void write_partner(hdi_writer *writer, const hdi_expr *expr) {
  const hd_model *model = writer->model;
  uint32_t own = writer->instance;
  bool first = true;
  hd_buffer_add_text(writer->out, "(");
  for (uint32_t i = 0; i < model->instances.count; i++) {
    for (size_t e = 0; i != own && e < model->edges.count; e++) {
      const hdi_edge *edge = &model->edges.data[e];
      const hdi_loc *from = &model->locs.data[edge->from];
      if ((uint32_t)edge->side != expr->item || from->process != model->instances.data[i].process) {
        continue;
      }
      hd_buffer_add_text(writer->out, first ? "(" : writer->murphi ? " | (" : " || (");
      first = false;
      write_location_test(writer, i, from);
      bool none_yet = false;
      writer->instance = i;
      hdi_write_enabled(writer, edge, &none_yet);
      hdi_write_and(writer, &none_yet);
      hdi_write_number(writer, edge->channel);
      writer->instance = own;
      hd_buffer_add_text(writer->out, equals(writer));
      hdi_write_number(writer, expr->a);
      hd_buffer_add_text(writer->out, ")");
    }
  }
  hd_buffer_add_text(writer->out, first ? "false)" : ")");
}

static void write_prefix(hdi_writer *writer, const char *sign, uint32_t operand, bool condition) {
  hd_buffer_printf(writer->out, "(%s", sign);
  if (condition) {
    hdi_write_condition(writer, operand);
  } else {
    hdi_write_number(writer, operand);
  }
  hd_buffer_add_text(writer->out, ")");
}

static void write_choice(hdi_writer *writer, const hdi_expr *expr, bool condition) {
  void (*write)(hdi_writer *, uint32_t) = condition ? hdi_write_condition : hdi_write_number;
  hd_buffer_add_text(writer->out, "(");
  hdi_write_condition(writer, expr->a);
  hd_buffer_add_text(writer->out, writer->murphi ? " ? " : " -> ");
  write(writer, expr->b);
  hd_buffer_add_text(writer->out, " : ");
  write(writer, expr->c);
  hd_buffer_add_text(writer->out, ")");
}

static void write_op(hdi_writer *writer, const hdi_expr *expr) {
  const char *word = infix(writer, expr->op);
  if (word != NULL) {
    bool conditions = expr->op == HD_OP_AND || expr->op == HD_OP_OR;
    void (*write)(hdi_writer *, uint32_t) = conditions ? hdi_write_condition : hdi_write_number;
    hd_buffer_add_text(writer->out, "(");
    write(writer, expr->a);
    hd_buffer_printf(writer->out, " %s ", word);
    write(writer, expr->b);
    hd_buffer_add_text(writer->out, ")");
  } else if (expr->op == HD_OP_COND) {
    write_choice(writer, expr, false);
  } else {
    const char *sign = expr->op == HD_OP_NEG ? "-" : expr->op == HD_OP_BITNOT ? "~" : "!";
    write_prefix(writer, sign, expr->a, expr->op == HD_OP_NOT);
  }
}

/* Sum of the cells that hold something. */
static void write_length(hdi_writer *writer, uint32_t queue) {
  if (writer->native) {
    hd_buffer_add_text(writer->out, "len(");
    hdi_write_queue(writer, queue, 0);
    hd_buffer_add_text(writer->out, ")");
    return;
  }
  hd_buffer_add_text(writer->out, "(");
  for (uint32_t cell = 0; cell < writer->model->queues.data[queue].capacity; cell++) {
    hd_buffer_add_text(writer->out, cell > 0 ? " + (" : "(");
    hdi_write_queue(writer, queue, cell);
    hd_buffer_add_text(writer->out, writer->murphi ? " != 0 ? 1 : 0)" : " != 0 -> 1 : 0)");
  }
  hd_buffer_add_text(writer->out, ")");
}

/* An expression in its own type: a condition when is_condition, else a number. */
static void write_any(hdi_writer *writer, const hdi_expr *expr) {
  const hd_model *model = writer->model;
  switch (expr->kind) {
    case HDI_EXPR_CONST:
      hd_buffer_printf(writer->out, expr->value < 0 ? "(%" PRId64 ")" : "%" PRId64, expr->value);
      break;
    case HDI_EXPR_READ:
      hdi_write_var(writer, expr->item);
      break;
    case HDI_EXPR_READ_AT:
      hdi_write_var(writer, expr->item);
      if (model->vars.data[expr->item].length > 1) {
        hd_buffer_add_text(writer->out, "[");
        hdi_write_number(writer, expr->a);
        hd_buffer_add_text(writer->out, "]");
      } else {
        hdi_write_refuse(writer, "an array of one element");
      }
      break;
    case HDI_EXPR_OP:
      write_op(writer, expr);
      break;
    case HDI_EXPR_SELF:
      hd_buffer_printf(writer->out, "%" PRIu32, instance_of(writer)->number);
      break;
    case HDI_EXPR_RECEIVED:
      hd_buffer_add_text(writer->out, "received");
      break;
    case HDI_EXPR_PARTNER:
      write_partner(writer, expr);
      break;
    case HDI_EXPR_AT:
      write_location_test(writer, model->processes.data[model->locs.data[expr->item].process].first_instance + expr->a,
                          &model->locs.data[expr->item]);
      break;
    case HDI_EXPR_QUEUE_LENGTH:
      write_length(writer, expr->item);
      break;
    case HDI_EXPR_QUEUE_HEAD:
      hdi_write_queue(writer, expr->item, 0);
      break;
  }
}

void hdi_write_number(hdi_writer *writer, uint32_t expr) {
  const hdi_expr *node = &writer->model->exprs.data[expr];
  bool convert = writer->murphi && is_condition(node);
  hd_buffer_add_text(writer->out, convert ? "(" : "");
  write_any(writer, node);
  hd_buffer_add_text(writer->out, convert ? " ? 1 : 0)" : "");
}

void hdi_write_condition(hdi_writer *writer, uint32_t expr) {
  const hdi_expr *node = &writer->model->exprs.data[expr];
  if (is_condition(node)) {
    write_any(writer, node);
  } else if (node->kind == HDI_EXPR_OP && node->op == HD_OP_COND) {
    write_choice(writer, node, true);
  } else {
    hd_buffer_add_text(writer->out, "(");
    write_any(writer, node);
    hd_buffer_add_text(writer->out, " != 0)");
  }
}
