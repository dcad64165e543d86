/* Template: the interpreter of tier 2. bytecode.c and partial.c include it and get the static function
 *
 *   hdi_ran run_code(hdi_machine *machine, uint32_t code, int64_t *value)
 *
 * which runs the code at `code`. The compiler has bounded the stack, so pushes are not checked. Every value that goes
 * into a field is checked against the field's domain; every index against its array; arithmetic never wraps.
 *
 * With HDI_RUN_PARTIAL defined as 1 only some bits of the state are known (machine->known). An instruction that would
 * read a field with unknown bits does nothing; the run ends with HDI_RAN_NEEDS, machine->needed says which field, and
 * machine->resume and machine->depth where to go on: run again from there, with the stack as it was left, once the
 * field is known. What is written is marked in machine->known and machine->written. Both come from one text so that
 * they cannot mean different things. */
#ifndef HDI_RUN_PARTIAL
#error "define HDI_RUN_PARTIAL as 0 or 1 before including core/model/bytecode_run.h"
#endif

#include "core/model/arith.h"
#include "core/model/stepper.h"

/* True when some bit of the field is not known. */
static inline bool lacks(hdi_machine *machine, const hdi_field *field) {
#if HDI_RUN_PARTIAL
  if (((machine->known[field->word] >> field->shift) & field->mask) != field->mask) {
    machine->needed = field;
    return true;
  }
#else
  (void)machine;
  (void)field;
#endif
  return false;
}

static inline void put_bits(hdi_machine *machine, const hdi_field *field, uint64_t bits) {
  hdi_field_put(field, machine->write, bits);
#if HDI_RUN_PARTIAL
  machine->known[field->word] |= field->mask << field->shift;
  machine->written[field->word] |= field->mask << field->shift;
#endif
}

static bool store(hdi_machine *machine, const hdi_field *field, int64_t value) {
  uint64_t bits = 0;
  if (!hdi_field_encode(field, value, &bits)) {
    machine->fault = HD_FAULT_RANGE;
    return false;
  }
  put_bits(machine, field, bits);
  return true;
}

/* The field at `index` of a run; NULL, with a fault, when it is outside. */
static const hdi_field *element(hdi_machine *machine, uint32_t run, int64_t index) {
  const hdi_run_of_fields *fields = &machine->model->runs.data[run];
  if (index < 0 || index >= (int64_t)fields->length) {
    machine->fault = HD_FAULT_INDEX;
    return NULL;
  }
  return &machine->model->fields.data[fields->field + (uint32_t)index];
}

/* HDI_RAN_OK or HDI_RAN_NEEDS. */
static hdi_ran queue_length(hdi_machine *machine, const hdi_queue *queue, const uint64_t *state, uint32_t *length) {
  const hdi_field *cells = machine->model->fields.data + queue->field;
  for (*length = 0; *length < queue->capacity; ++*length) {
    if (lacks(machine, &cells[*length])) {
      return HDI_RAN_NEEDS;
    }
    if (hdi_field_bits(&cells[*length], state) == 0) {
      break;
    }
  }
  return HDI_RAN_OK;
}

static hdi_ran push_letter(hdi_machine *machine, uint32_t number, int64_t letter) {
  const hdi_queue *queue = &machine->model->queues.data[number];
  if (letter < 1 || letter > (int64_t)queue->letters) {
    machine->fault = HD_FAULT_RANGE;
    return HDI_RAN_FAULT;
  }
  uint32_t length = 0;
  hdi_ran ran = queue_length(machine, queue, machine->write, &length);
  if (ran != HDI_RAN_OK || length == queue->capacity) {
    return ran == HDI_RAN_OK ? HDI_RAN_DISABLED : ran;
  }
  put_bits(machine, &machine->model->fields.data[queue->field + length], (uint64_t)letter);
  return HDI_RAN_OK;
}

static hdi_ran pop_letter(hdi_machine *machine, uint32_t number) {
  const hdi_queue *queue = &machine->model->queues.data[number];
  const hdi_field *cells = machine->model->fields.data + queue->field;
  for (uint32_t i = 0; i < queue->capacity; i++) { /* nothing is moved before all is known */
    if (lacks(machine, &cells[i])) {
      return HDI_RAN_NEEDS;
    }
    if (i == 0 && hdi_field_bits(&cells[0], machine->write) == 0) {
      return HDI_RAN_DISABLED;
    }
  }
  for (uint32_t i = 0; i + 1 < queue->capacity; i++) {
    put_bits(machine, &cells[i], hdi_field_bits(&cells[i + 1], machine->write));
  }
  put_bits(machine, &cells[queue->capacity - 1], 0);
  return HDI_RAN_OK;
}

/* Starts the first dead instance; `arguments` become its first locals. */
static hdi_ran spawn(hdi_machine *machine, uint32_t number, const int64_t *arguments, uint32_t count) {
  const hd_model *model = machine->model;
  const hdi_process *process = &model->processes.data[number];
  const hdi_field *locs = model->fields.data + process->loc_field;
  uint32_t slot = 0;
  for (; process->may_die && slot < process->instances; slot++) {
    if (lacks(machine, &locs[slot])) {
      return HDI_RAN_NEEDS;
    }
    if (hdi_field_bits(&locs[slot], machine->write) == 0) {
      break;
    }
  }
  if (!process->may_die || slot == process->instances) {
    machine->fault = HD_FAULT_POOL;
    return HDI_RAN_FAULT;
  }
  put_bits(machine, &locs[slot], model->locs.data[process->start].number);
  for (uint32_t i = 0; i < count; i++) {
    const hdi_var *var = &model->vars.data[model->process_locals.data[process->locals + i]];
    if (!store(machine, hdi_var_field(model, var, slot, 0), arguments[i])) {
      return HDI_RAN_FAULT;
    }
  }
  return HDI_RAN_OK;
}

/* *value becomes the first index that holds 0, which becomes 1. */
static hdi_ran take(hdi_machine *machine, uint32_t run, int64_t *value) {
  const hdi_run_of_fields *fields = &machine->model->runs.data[run];
  for (uint32_t i = 0; i < fields->length; i++) {
    const hdi_field *field = &machine->model->fields.data[fields->field + i];
    if (lacks(machine, field)) {
      return HDI_RAN_NEEDS;
    }
    if (hdi_field_value(field, machine->write) == 0) {
      *value = (int64_t)i;
      return store(machine, field, 1) ? HDI_RAN_OK : HDI_RAN_FAULT;
    }
  }
  machine->fault = HD_FAULT_POOL;
  return HDI_RAN_FAULT;
}

/* The instruction cannot go on: `top` is the top of the stack before it. */
static hdi_ran stop_at(hdi_machine *machine, const hdi_insn *insn, const int64_t *top) {
  machine->resume = (uint32_t)(insn - machine->model->code.data);
  machine->depth = (uint32_t)(top + 1 - machine->stack);
  return HDI_RAN_NEEDS;
}

static hdi_ran run_code(hdi_machine *machine, uint32_t code, int64_t *value) {
  const hd_model *model = machine->model;
  const hdi_insn *insns = model->code.data;
  const hdi_insn *insn = insns + code;
  int64_t *top = machine->stack - 1; /* the value on top; machine->stack has a cell below its first value */
#if HDI_RUN_PARTIAL
  top += machine->depth;
#endif
  const hdi_field *field = NULL;
  hdi_ran ran = HDI_RAN_OK;
  uint32_t length = 0;
  for (;; insn++) {
    switch ((hdi_code)insn->op) {
#define UNARY(identifier)                                               \
  case HDI_CODE_##identifier:                                           \
    machine->fault = hdi_arith(HD_OP_##identifier, top[0], 0, &top[0]); \
    if (machine->fault != HD_FAULT_NONE) {                              \
      return HDI_RAN_FAULT;                                             \
    }                                                                   \
    break;
#define BINARY(identifier)                                                   \
  case HDI_CODE_##identifier:                                                \
    top--;                                                                   \
    machine->fault = hdi_arith(HD_OP_##identifier, top[0], top[1], &top[0]); \
    if (machine->fault != HD_FAULT_NONE) {                                   \
      return HDI_RAN_FAULT;                                                  \
    }                                                                        \
    break;
      HDI_UNARY_TABLE(UNARY)
      HDI_BINARY_TABLE(BINARY)
#undef UNARY
#undef BINARY
      case HDI_CODE_SMALL:
        *++top = (int32_t)insn->a;
        break;
      case HDI_CODE_CONST:
        *++top = model->constants.data[insn->a];
        break;
      case HDI_CODE_LOAD:
        field = &model->fields.data[insn->a];
        if (lacks(machine, field)) {
          return stop_at(machine, insn, top);
        }
        *++top = hdi_field_value(field, machine->read);
        break;
      case HDI_CODE_LOAD_AT:
        field = element(machine, insn->a, *top);
        if (field == NULL) {
          return HDI_RAN_FAULT;
        }
        if (lacks(machine, field)) {
          return stop_at(machine, insn, top);
        }
        *top = hdi_field_value(field, machine->read);
        break;
      case HDI_CODE_STORE:
        if (!store(machine, &model->fields.data[insn->a], *top--)) {
          return HDI_RAN_FAULT;
        }
        break;
      case HDI_CODE_STORE_AT:
        top -= 2;
        field = element(machine, insn->a, top[1]);
        if (field == NULL || !store(machine, field, top[2])) {
          return HDI_RAN_FAULT;
        }
        break;
      case HDI_CODE_BOOL:
        *top = *top != 0;
        break;
      case HDI_CODE_JUMP:
        insn = insns + insn->a - 1;
        break;
      case HDI_CODE_JUMP_ZERO:
        if (*top-- == 0) {
          insn = insns + insn->a - 1;
        }
        break;
      case HDI_CODE_RECEIVED:
        *++top = machine->received;
        break;
      case HDI_CODE_PARTNER:
        *top = hdi_partner_ready(machine, (hd_side)insn->b, *top);
        break;
      case HDI_CODE_LENGTH:
        if (queue_length(machine, &model->queues.data[insn->a], machine->read, &length) != HDI_RAN_OK) {
          return stop_at(machine, insn, top);
        }
        *++top = length;
        break;
      case HDI_CODE_PUSH:
        ran = push_letter(machine, insn->a, *top);
        if (ran != HDI_RAN_OK) {
          return ran == HDI_RAN_NEEDS ? stop_at(machine, insn, top) : ran;
        }
        top--;
        break;
      case HDI_CODE_POP:
        ran = pop_letter(machine, insn->a);
        if (ran != HDI_RAN_OK) {
          return ran == HDI_RAN_NEEDS ? stop_at(machine, insn, top) : ran;
        }
        break;
      case HDI_CODE_CHECK:
        machine->checks |= (uint32_t)(*top-- == 0) << insn->b;
        break;
      case HDI_CODE_SPAWN:
        ran = spawn(machine, insn->a, top + 1 - insn->b, insn->b);
        if (ran != HDI_RAN_OK) {
          return ran == HDI_RAN_NEEDS ? stop_at(machine, insn, top) : ran;
        }
        top -= insn->b;
        break;
      case HDI_CODE_TAKE:
        ran = take(machine, insn->a, top + 1);
        if (ran != HDI_RAN_OK) {
          return ran == HDI_RAN_NEEDS ? stop_at(machine, insn, top) : ran;
        }
        top++;
        break;
      case HDI_CODE_RETURN:
        *value = top >= machine->stack ? *top : 0;
        return HDI_RAN_OK;
    }
  }
}
