/* The interpreter of tier 2. One call runs one piece of code: a condition, a channel, a value, or the statements of an
 * edge. The compiler has bounded the stack, so pushes are not checked. Every value that goes into a field is checked
 * against the field's domain; every index against its array; arithmetic never wraps.
 *
 * Owned by one stepper; the model is only read. Cost: one dispatch per instruction, no allocation. */
#include "core/model/arith.h"
#include "core/model/stepper.h"

static bool store(hdi_machine *machine, const hdi_field *field, int64_t value) {
  uint64_t bits = 0;
  if (!hdi_field_encode(field, value, &bits)) {
    machine->fault = HD_FAULT_RANGE;
    return false;
  }
  hdi_field_put(field, machine->write, bits);
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

static uint32_t queue_length(const hd_model *model, const hdi_queue *queue, const uint64_t *state) {
  uint32_t length = 0;
  while (length < queue->capacity && hdi_field_bits(&model->fields.data[queue->field + length], state) != 0) {
    length++;
  }
  return length;
}

static hdi_ran push_letter(hdi_machine *machine, uint32_t number, int64_t letter) {
  const hdi_queue *queue = &machine->model->queues.data[number];
  if (letter < 1 || letter > (int64_t)queue->letters) {
    machine->fault = HD_FAULT_RANGE;
    return HDI_RAN_FAULT;
  }
  uint32_t length = queue_length(machine->model, queue, machine->write);
  if (length == queue->capacity) {
    return HDI_RAN_DISABLED;
  }
  hdi_field_put(&machine->model->fields.data[queue->field + length], machine->write, (uint64_t)letter);
  return HDI_RAN_OK;
}

static hdi_ran pop_letter(hdi_machine *machine, uint32_t number) {
  const hdi_queue *queue = &machine->model->queues.data[number];
  const hdi_field *cells = machine->model->fields.data + queue->field;
  if (hdi_field_bits(&cells[0], machine->write) == 0) {
    return HDI_RAN_DISABLED;
  }
  for (uint32_t i = 0; i + 1 < queue->capacity; i++) {
    hdi_field_put(&cells[i], machine->write, hdi_field_bits(&cells[i + 1], machine->write));
  }
  hdi_field_put(&cells[queue->capacity - 1], machine->write, 0);
  return HDI_RAN_OK;
}

/* Starts the first dead instance; `arguments` become its first locals. */
static bool spawn(hdi_machine *machine, uint32_t number, const int64_t *arguments, uint32_t count) {
  const hd_model *model = machine->model;
  const hdi_process *process = &model->processes.data[number];
  const hdi_field *locs = model->fields.data + process->loc_field;
  uint32_t slot = 0;
  while (process->may_die && slot < process->instances && hdi_field_bits(&locs[slot], machine->write) != 0) {
    slot++;
  }
  if (!process->may_die || slot == process->instances) {
    machine->fault = HD_FAULT_POOL;
    return false;
  }
  hdi_field_put(&locs[slot], machine->write, model->locs.data[process->start].number);
  for (uint32_t i = 0; i < count; i++) {
    const hdi_var *var = &model->vars.data[model->process_locals.data[process->locals + i]];
    if (!store(machine, hdi_var_field(model, var, slot, 0), arguments[i])) {
      return false;
    }
  }
  return true;
}

/* The first index that holds 0, which becomes 1; -1 with a fault when there is none. */
static int64_t take(hdi_machine *machine, uint32_t run) {
  const hdi_run_of_fields *fields = &machine->model->runs.data[run];
  for (uint32_t i = 0; i < fields->length; i++) {
    const hdi_field *field = &machine->model->fields.data[fields->field + i];
    if (hdi_field_value(field, machine->write) == 0) {
      return store(machine, field, 1) ? (int64_t)i : -1;
    }
  }
  machine->fault = HD_FAULT_POOL;
  return -1;
}

hdi_ran hdi_machine_run(hdi_machine *machine, uint32_t code, int64_t *value) {
  const hd_model *model = machine->model;
  const hdi_insn *insns = model->code.data;
  const hdi_insn *insn = insns + code;
  int64_t *top = machine->stack - 1; /* the value on top; machine->stack has a cell below its first value */
  const hdi_field *field = NULL;
  hdi_ran ran = HDI_RAN_OK;
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
        *++top = hdi_field_value(&model->fields.data[insn->a], machine->read);
        break;
      case HDI_CODE_LOAD_AT:
        field = element(machine, insn->a, *top);
        if (field == NULL) {
          return HDI_RAN_FAULT;
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
        *++top = queue_length(model, &model->queues.data[insn->a], machine->read);
        break;
      case HDI_CODE_PUSH:
        ran = push_letter(machine, insn->a, *top--);
        if (ran != HDI_RAN_OK) {
          return ran;
        }
        break;
      case HDI_CODE_POP:
        ran = pop_letter(machine, insn->a);
        if (ran != HDI_RAN_OK) {
          return ran;
        }
        break;
      case HDI_CODE_CHECK:
        machine->checks |= (uint32_t)(*top-- == 0) << insn->b;
        break;
      case HDI_CODE_SPAWN:
        top -= insn->b;
        if (!spawn(machine, insn->a, top + 1, insn->b)) {
          return HDI_RAN_FAULT;
        }
        break;
      case HDI_CODE_TAKE:
        *++top = take(machine, insn->a);
        if (*top < 0) {
          return HDI_RAN_FAULT;
        }
        break;
      case HDI_CODE_RETURN:
        *value = top >= machine->stack ? *top : 0;
        return HDI_RAN_OK;
    }
  }
}
