/* Stack code as C.
 *
 * Each place of the stack is a C variable t0, t1, ...: how deep the stack is at each instruction is known, and all
 * jumps go forward, to labels. The C compiler makes expressions of it again. Values are signed 64-bit numbers, fields
 * are shifted and masked in place; arithmetic that may leave 64 bits goes through the helpers that native_text.c prints
 * first, whose tests the C compiler drops where ranges are known. Every effect and every fault is that of
 * bytecode_run.h: the tests compare all three.
 * Cost: linear in the code and in the lengths of arrays, queues and pools that it names. */
#include "core/model/compile.h"
#include "core/model/native_text.h"

#include <inttypes.h>
#include <stdio.h>

#define HEX "0x%" PRIx64 "ULL"

typedef struct printer {
  const hd_model *model;
  const hdi_native_piece *piece;
  hd_buffer *text;
} printer;

/* ---- fields ---- */

static void put_bits_of(const printer *p, const hdi_field *field) {
  hd_buffer_printf(p->text, "((%s[%u] >> %u) & " HEX ")", p->piece->read, field->word, field->shift, field->mask);
}

static void put_value_of(const printer *p, const hdi_field *field) {
  hd_buffer_add_text(p->text, "(i)(");
  put_bits_of(p, field);
  hd_buffer_printf(p->text, " + " HEX ")", (uint64_t)field->lo);
}

/* out.field = bits, an expression of type u. */
static void put_write(const printer *p, const hdi_field *field, const char *bits) {
  if (field->width > 0) {
    hd_buffer_printf(p->text, "out[%u] = (out[%u] & " HEX ") | ((u)(%s) << %u);", field->word, field->word,
                     ~(field->mask << field->shift), bits, field->shift);
  }
}

/* out.field = t<depth>, checked. */
static void put_store(const printer *p, const hdi_field *field, uint32_t depth) {
  hd_buffer_printf(p->text, "{ u b = (u)t%u - " HEX "; if (b > " HEX ") %s ", depth, (uint64_t)field->lo, field->top,
                   p->piece->fault);
  put_write(p, field, "b");
  hd_buffer_add_text(p->text, "}\n");
}

/* Do the elements lie one behind the other in one word, with the same domain? */
static bool is_regular(const hd_model *model, const hdi_run_of_fields *run) {
  const hdi_field *first = &model->fields.data[run->field];
  for (uint32_t i = 1; i < run->length; i++) {
    const hdi_field *field = &first[i];
    if (field->word != first->word || field->shift != first->shift + i * first->width || field->lo != first->lo ||
        field->top != first->top) {
      return false;
    }
  }
  return true;
}

static void put_load_at(const printer *p, const hdi_run_of_fields *run, uint32_t depth) {
  const hdi_field *first = &p->model->fields.data[run->field];
  hd_buffer_printf(p->text, "if ((u)t%u >= %u) %s\n", depth, run->length, p->piece->fault);
  if (is_regular(p->model, run)) {
    hd_buffer_printf(p->text, "t%u = (i)(((%s[%u] >> (%u + %u * (unsigned)t%u)) & " HEX ") + " HEX ");\n", depth,
                     p->piece->read, first->word, first->shift, first->width, depth, first->mask, (uint64_t)first->lo);
    return;
  }
  hd_buffer_printf(p->text, "switch (t%u) {\n", depth);
  for (uint32_t i = 0; i < run->length; i++) {
    hd_buffer_printf(p->text, "case %u: t%u = ", i, depth);
    put_value_of(p, &first[i]);
    hd_buffer_add_text(p->text, "; break;\n");
  }
  hd_buffer_add_text(p->text, "}\n");
}

static void put_store_at(const printer *p, const hdi_run_of_fields *run, uint32_t depth) {
  const hdi_field *first = &p->model->fields.data[run->field];
  hd_buffer_printf(p->text, "if ((u)t%u >= %u) %s\nswitch (t%u) {\n", depth, run->length, p->piece->fault, depth);
  for (uint32_t i = 0; i < run->length; i++) {
    hd_buffer_printf(p->text, "case %u: ", i);
    put_store(p, &first[i], depth + 1);
    hd_buffer_add_text(p->text, "break;\n");
  }
  hd_buffer_add_text(p->text, "}\n");
}

/* ---- queues, pools ---- */

static void put_length(const printer *p, const hdi_queue *queue, uint32_t depth) {
  hd_buffer_printf(p->text, "t%u = ", depth);
  for (uint32_t i = 0; i < queue->capacity; i++) {
    put_bits_of(p, &p->model->fields.data[queue->field + i]);
    hd_buffer_printf(p->text, " == 0 ? %u : ", i);
  }
  hd_buffer_printf(p->text, "%u;\n", queue->capacity);
}

static void put_push(const printer *p, const hdi_queue *queue, uint32_t depth) {
  char letter[16];
  (void)snprintf(letter, sizeof letter, "t%u", depth);
  hd_buffer_printf(p->text, "if (t%u < 1 || t%u > %u) %s\n", depth, depth, queue->letters, p->piece->fault);
  for (uint32_t i = 0; i < queue->capacity; i++) {
    hd_buffer_add_text(p->text, "if (");
    put_bits_of(p, &p->model->fields.data[queue->field + i]);
    hd_buffer_add_text(p->text, " == 0) { ");
    put_write(p, &p->model->fields.data[queue->field + i], letter);
    hd_buffer_add_text(p->text, "} else ");
  }
  hd_buffer_printf(p->text, "{ %s }\n", p->piece->disabled);
}

static void put_pop(const printer *p, const hdi_queue *queue) {
  const hdi_field *cells = &p->model->fields.data[queue->field];
  hd_buffer_add_text(p->text, "if (");
  put_bits_of(p, &cells[0]);
  hd_buffer_printf(p->text, " == 0) { %s }\n", p->piece->disabled);
  for (uint32_t i = 0; i < queue->capacity; i++) {
    hd_buffer_add_text(p->text, "{ u b = ");
    if (i + 1 < queue->capacity) {
      put_bits_of(p, &cells[i + 1]);
    } else {
      hd_buffer_add_text(p->text, "0");
    }
    hd_buffer_add_text(p->text, "; ");
    put_write(p, &cells[i], "b");
    hd_buffer_add_text(p->text, " }\n");
  }
}

/* `depth`: the first argument. */
static void put_spawn(const printer *p, const hdi_insn *insn, uint32_t depth) {
  const hd_model *model = p->model;
  const hdi_process *process = &model->processes.data[insn->a];
  char start[16];
  (void)snprintf(start, sizeof start, "%u", model->locs.data[process->start].number);
  for (uint32_t slot = 0; process->may_die && slot < process->instances; slot++) {
    const hdi_field *loc = &model->fields.data[process->loc_field + slot];
    hd_buffer_add_text(p->text, "if (");
    put_bits_of(p, loc);
    hd_buffer_add_text(p->text, " == 0) { ");
    put_write(p, loc, start);
    for (uint32_t i = 0; i < insn->b; i++) {
      const hdi_var *var = &model->vars.data[model->process_locals.data[process->locals + i]];
      put_store(p, hdi_var_field(model, var, slot, 0), depth + i);
    }
    hd_buffer_add_text(p->text, "} else ");
  }
  hd_buffer_printf(p->text, "{ %s }\n", p->piece->fault);
}

static void put_take(const printer *p, const hdi_run_of_fields *run, uint32_t depth) {
  for (uint32_t i = 0; i < run->length; i++) {
    const hdi_field *field = &p->model->fields.data[run->field + i];
    hd_buffer_add_text(p->text, "if (");
    put_value_of(p, field);
    hd_buffer_printf(p->text, " == 0) { t%u = 1; ", depth);
    put_store(p, field, depth);
    hd_buffer_printf(p->text, "t%u = %u; } else ", depth, i);
  }
  hd_buffer_printf(p->text, "{ %s }\n", p->piece->fault);
}

/* ---- instructions ---- */

static void put_helper(const printer *p, const char *name, uint32_t d) {
  hd_buffer_printf(p->text, "if (%s(t%u, t%u, &t%u)) %s\n", name, d - 2, d - 1, d - 2, p->piece->fault);
}

static void put_infix(const printer *p, const char *operator_text, uint32_t d) {
  hd_buffer_printf(p->text, "t%u = t%u %s t%u;\n", d - 2, d - 2, operator_text, d - 1);
}

/* Prints an instruction before which the stack has `d` values; returns how many it has behind it. */
static uint32_t put_insn(const printer *p, const hdi_insn *insn, uint32_t d) {
  const hd_model *model = p->model;
  hd_buffer *text = p->text;
  switch ((hdi_code)insn->op) {
    case HDI_CODE_NEG:
      hd_buffer_printf(text, "if (hd_sub(0, t%u, &t%u)) %s\n", d - 1, d - 1, p->piece->fault);
      return d;
    case HDI_CODE_NOT:
      hd_buffer_printf(text, "t%u = t%u == 0;\n", d - 1, d - 1);
      return d;
    case HDI_CODE_BITNOT:
      hd_buffer_printf(text, "t%u = ~t%u;\n", d - 1, d - 1);
      return d;
#define HELPER(identifier, name) \
  case HDI_CODE_##identifier:    \
    put_helper(p, name, d);      \
    return d - 1;
#define INFIX(identifier, operator_text) \
  case HDI_CODE_##identifier:            \
    put_infix(p, operator_text, d);      \
    return d - 1;
      HELPER(ADD, "hd_add")
      HELPER(SUB, "hd_sub")
      HELPER(MUL, "hd_mul")
      HELPER(DIV, "hd_div")
      HELPER(MOD, "hd_mod")
      HELPER(SHL, "hd_shl")
      HELPER(SHR, "hd_shr")
      INFIX(BITAND, "&")
      INFIX(BITOR, "|")
      INFIX(BITXOR, "^")
      INFIX(EQ, "==")
      INFIX(NE, "!=")
      INFIX(LT, "<")
      INFIX(LE, "<=")
      INFIX(GT, ">")
      INFIX(GE, ">=")
#undef HELPER
#undef INFIX
    case HDI_CODE_SMALL:
      hd_buffer_printf(text, "t%u = %d;\n", d, (int)(int32_t)insn->a);
      return d + 1;
    case HDI_CODE_CONST:
      hd_buffer_printf(text, "t%u = (i)" HEX ";\n", d, (uint64_t)model->constants.data[insn->a]);
      return d + 1;
    case HDI_CODE_LOAD:
      hd_buffer_printf(text, "t%u = ", d);
      put_value_of(p, &model->fields.data[insn->a]);
      hd_buffer_add_text(text, ";\n");
      return d + 1;
    case HDI_CODE_LOAD_AT:
      put_load_at(p, &model->runs.data[insn->a], d - 1);
      return d;
    case HDI_CODE_STORE:
      put_store(p, &model->fields.data[insn->a], d - 1);
      return d - 1;
    case HDI_CODE_STORE_AT:
      put_store_at(p, &model->runs.data[insn->a], d - 2);
      return d - 2;
    case HDI_CODE_BOOL:
      hd_buffer_printf(text, "t%u = t%u != 0;\n", d - 1, d - 1);
      return d;
    case HDI_CODE_JUMP:
      hd_buffer_printf(text, "goto L%u_%u;\n", p->piece->label, insn->a);
      return d;
    case HDI_CODE_JUMP_ZERO:
      hd_buffer_printf(text, "if (t%u == 0) goto L%u_%u;\n", d - 1, p->piece->label, insn->a);
      return d - 1;
    case HDI_CODE_RECEIVED:
      hd_buffer_printf(text, "t%u = received;\n", d);
      return d + 1;
    case HDI_CODE_PARTNER:
      hd_buffer_printf(text, "t%u = hd_ready_%u(%s, t%u, %u);\n", d - 1, insn->b, p->piece->read, d - 1,
                       p->piece->instance);
      return d;
    case HDI_CODE_LENGTH:
      put_length(p, &model->queues.data[insn->a], d);
      return d + 1;
    case HDI_CODE_PUSH:
      put_push(p, &model->queues.data[insn->a], d - 1);
      return d - 1;
    case HDI_CODE_POP:
      put_pop(p, &model->queues.data[insn->a]);
      return d;
    case HDI_CODE_CHECK:
      hd_buffer_printf(text, "bad |= t%u == 0;\n", d - 1);
      return d - 1;
    case HDI_CODE_SPAWN:
      put_spawn(p, insn, d - insn->b);
      return d - insn->b;
    case HDI_CODE_TAKE:
      put_take(p, &model->runs.data[insn->a], d);
      return d + 1;
    case HDI_CODE_RETURN:
      if (p->piece->result != NULL && d > 0) {
        hd_buffer_printf(text, "%s = t%u;\n", p->piece->result, d - 1);
      }
      hd_buffer_printf(text, "goto L%u_end;\n", p->piece->label);
      return d;
  }
  return d;
}

hd_status hdi_native_code(const hd_model *model, const hdi_native_piece *piece, hd_buffer *text) {
  printer p = {.model = model, .piece = piece, .text = text};
  uint32_t end = hdi_code_behind(model, piece->code), depth = 0;
  uint32_t *target = calloc(end - piece->code, sizeof *target); /* depth + 1 where a jump lands; 0: none does */
  if (target == NULL) {
    return HD_E_NOMEM;
  }
  hd_buffer_add_text(text, "{ i ");
  for (uint32_t i = 0; i <= model->stack_depth; i++) {
    hd_buffer_printf(text, "%st%u = 0", i == 0 ? "" : ", ", i);
  }
  hd_buffer_add_text(text, ";\n");
  for (uint32_t pc = piece->code; pc < end; pc++) {
    const hdi_insn *insn = &model->code.data[pc];
    if (target[pc - piece->code] != 0) {
      depth = target[pc - piece->code] - 1;
      hd_buffer_printf(text, "L%u_%u:;\n", piece->label, pc);
    }
    depth = put_insn(&p, insn, depth);
    if (insn->op == HDI_CODE_JUMP || insn->op == HDI_CODE_JUMP_ZERO) {
      target[insn->a - piece->code] = depth + 1;
    }
  }
  hd_buffer_printf(text, "L%u_end:; }\n", piece->label);
  free(target);
  return HD_OK;
}
