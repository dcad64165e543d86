/* The initial states. Every field has one initial value except globals with a range, which multiply the states. The
 * ranging fields are turned like an odometer whose most significant digit is the highest field of word 0, so that the
 * states come out in state order without sorting. Cost: O(states x words). */
#include "core/model/internal.h"

#include <string.h>

typedef struct odometer_digit {
  const hdi_field *field;
  uint64_t first, last;
} odometer_digit;

#define HD_ARRAY_NAME odometer
#define HD_ARRAY_TYPE odometer_digit
#include "core/base/array.h"

/* More significant digits first. */
static int compare_digits(const void *left, const void *right) {
  const hdi_field *a = ((const odometer_digit *)left)->field;
  const hdi_field *b = ((const odometer_digit *)right)->field;
  if (a->word != b->word) {
    return a->word < b->word ? -1 : 1;
  }
  return a->shift > b->shift ? -1 : a->shift < b->shift;
}

static void put_processes(const hd_model *model, uint64_t *state) {
  for (size_t i = 0; i < model->instances.count; i++) {
    const hdi_instance *instance = &model->instances.data[i];
    const hdi_process *process = &model->processes.data[instance->process];
    uint32_t number = model->locs.data[process->start].number;
    if (instance->number < process->started) {
      hdi_field_put(&model->fields.data[instance->loc_field], state, number - (process->may_die ? 0u : 1u));
    }
  }
}

/* Sets a variable's first initial value; a range adds a digit per element. */
static hd_status put_var(const hd_model *model, const hdi_var *var, uint64_t *state, odometer *digits) {
  uint32_t copies = var->process == HD_NONE ? 1 : model->processes.data[var->process].instances;
  odometer_digit digit = {.first = (uint64_t)var->init_lo - (uint64_t)var->lo};
  digit.last = (uint64_t)var->init_hi - (uint64_t)var->lo;
  for (uint32_t i = 0; i < copies * var->length; i++) {
    digit.field = &model->fields.data[var->field + i];
    hdi_field_put(digit.field, state, digit.first);
    if (digit.first != digit.last) {
      if (digits->count >= 64) {
        return HD_E_LIMIT; /* at least 2^64 states */
      }
      if (odometer_push(digits, digit) != HD_OK) {
        return HD_E_NOMEM;
      }
    }
  }
  return HD_OK;
}

static hd_status count_states(const odometer *digits, size_t *count) {
  *count = 1;
  for (size_t i = 0; i < digits->count; i++) {
    uint64_t size = digits->data[i].last - digits->data[i].first + 1;
    if (size > HDI_INITIAL_MAX / *count) {
      return HD_E_LIMIT;
    }
    *count *= (size_t)size;
  }
  return HD_OK;
}

/* Turns to the next state in order. */
static void advance(const odometer *digits, uint64_t *state) {
  for (size_t i = digits->count; i-- > 0;) {
    const odometer_digit *digit = &digits->data[i];
    uint64_t bits = hdi_field_bits(digit->field, state);
    if (bits < digit->last) {
      hdi_field_put(digit->field, state, bits + 1);
      return;
    }
    hdi_field_put(digit->field, state, digit->first);
  }
}

static hd_status list_states(hd_model *model, const odometer *digits, const uint64_t *first) {
  size_t count = 0;
  hd_status status = count_states(digits, &count);
  if (status == HD_OK && count > SIZE_MAX / sizeof(uint64_t) / model->words) {
    status = HD_E_LIMIT;
  }
  if (status == HD_OK) {
    status = hdi_bits_reserve(&model->initial, count * model->words);
  }
  if (status != HD_OK) {
    return status;
  }
  size_t size_bytes = model->words * sizeof *first;
  memcpy(model->initial.data, first, size_bytes);
  for (size_t i = 1; i < count; i++) {
    uint64_t *state = model->initial.data + i * model->words;
    memcpy(state, state - model->words, size_bytes);
    advance(digits, state);
  }
  model->initial.count = count * model->words;
  model->initial_count = count;
  return HD_OK;
}

hd_status hdi_initial(hd_model *model) {
  odometer digits = {0};
  uint64_t *state = calloc(model->words, sizeof *state);
  hd_status status = state == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK) {
    put_processes(model, state);
  }
  for (size_t i = 0; status == HD_OK && i < model->vars.count; i++) {
    status = put_var(model, &model->vars.data[i], state, &digits);
  }
  for (size_t i = 0; status == HD_OK && i < model->monitors.count; i++) {
    hdi_field_put(&model->fields.data[model->monitors.data[i].field], state, model->monitors.data[i].initial);
  }
  if (status == HD_OK) {
    if (digits.count > 0) {
      qsort(digits.data, digits.count, sizeof *digits.data, compare_digits);
    }
    status = list_states(model, &digits, state);
  }
  odometer_free(&digits);
  free(state);
  return status;
}
