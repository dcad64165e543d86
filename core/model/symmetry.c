/* Finding instances that may be exchanged, and sorting them.
 *
 *   block   of an instance: its location field and its copies of the type's locals, field by field
 *   class   states that differ by exchanging blocks of instances of one symmetric type
 *   sorted  blocks of a type ascend, compared field by field: one state of each class
 *
 * A type is symmetric when it has several instances, none of its edges uses `self`, and no expression asks where a
 * numbered instance of it is. Locals can only be read by their own edges, queues and globals belong to nobody, labels,
 * monitors and location flags are those of the type: nothing else names an instance. Spawning takes the first dead
 * slot, but dead slots are all alike. Eager locations prefer the first instance: a model with such has no symmetry
 * here. (docs/reductions.md, theorem 3.)
 *
 * Sorting is by insertion, exchanging neighbours in place: a step changes one or two blocks of a sorted state. */
#include "core/model/symmetry.h"

#include "core/model/internal.h"

#include <string.h>

typedef struct symmetric_type {
  uint32_t instances;
  uint32_t fields, field_count; /* entries of symmetry->fields: the fields of instance 0's block ... */
} symmetric_type;

#define HD_ARRAY_NAME symmetric_types
#define HD_ARRAY_TYPE symmetric_type
#include "core/base/array.h"

/* A field of instance 0; that of instance i is `first` + i * `stride`. */
typedef struct block_field {
  uint32_t first, stride;
} block_field;

#define HD_ARRAY_NAME block_fields
#define HD_ARRAY_TYPE block_field
#include "core/base/array.h"

struct hd_symmetry {
  const hd_model *model;
  symmetric_types types;
  block_fields fields;
};

/* ---- finding ---- */

/* Which expressions use `self`: operands come before what uses them. */
static uint8_t *find_self(const hd_model *model) {
  uint8_t *uses = calloc(model->exprs.count + 1, 1);
  for (size_t i = 1; uses != NULL && i < model->exprs.count; i++) {
    const hdi_expr *expr = &model->exprs.data[i];
    switch (expr->kind) {
      case HDI_EXPR_SELF:
        uses[i] = 1;
        break;
      case HDI_EXPR_READ_AT:
      case HDI_EXPR_PARTNER:
        uses[i] = uses[expr->a];
        break;
      case HDI_EXPR_OP:
        uses[i] = uses[expr->a] | uses[expr->b] | uses[expr->c];
        break;
      case HDI_EXPR_CONST:
      case HDI_EXPR_READ:
      case HDI_EXPR_RECEIVED:
      case HDI_EXPR_QUEUE_LENGTH:
      case HDI_EXPR_QUEUE_HEAD:
      case HDI_EXPR_AT:
        break;
    }
  }
  return uses;
}

static bool edge_uses_self(const hdi_edge *edge, const uint8_t *uses) {
  bool found = (uses[edge->guard] | uses[edge->value]) != 0 || (edge->side != HD_SIDE_NONE && uses[edge->channel] != 0);
  for (uint32_t i = 0; i < edge->stmt_count; i++) {
    const hd_stmt *stmt = &edge->stmts[i];
    found |= (uses[stmt->index.v] | uses[stmt->a.v]) != 0;
    for (uint32_t j = 0; j < stmt->argument_count && stmt->arguments != NULL; j++) {
      found |= uses[stmt->arguments[j].v] != 0;
    }
  }
  return found;
}

/* Strikes out the types whose instances something tells apart. */
static void strike(const hd_model *model, const uint8_t *uses, uint8_t *symmetric) {
  for (size_t i = 1; i < model->exprs.count; i++) {
    if (model->exprs.data[i].kind == HDI_EXPR_AT) {
      symmetric[model->locs.data[model->exprs.data[i].item].process] = 0;
    }
  }
  for (size_t i = 0; i < model->edges.count; i++) {
    const hdi_edge *edge = &model->edges.data[i];
    if (edge_uses_self(edge, uses)) {
      symmetric[model->locs.data[edge->from].process] = 0;
    }
  }
}

static hd_status add_type(hd_symmetry *symmetry, const hdi_process *process) {
  const hd_model *model = symmetry->model;
  symmetric_type type = {.instances = process->instances, .fields = (uint32_t)symmetry->fields.count};
  hd_status status = block_fields_push(&symmetry->fields, (block_field){.first = process->loc_field, .stride = 1});
  for (uint32_t i = 0; i < process->local_count; i++) {
    const hdi_var *var = &model->vars.data[model->process_locals.data[process->locals + i]];
    for (uint32_t e = 0; e < var->length && status == HD_OK; e++) {
      status = block_fields_push(&symmetry->fields, (block_field){.first = var->field + e, .stride = var->length});
    }
  }
  type.field_count = (uint32_t)symmetry->fields.count - type.fields;
  return status == HD_OK ? symmetric_types_push(&symmetry->types, type) : status;
}

static hd_status find_types(hd_symmetry *symmetry) {
  const hd_model *model = symmetry->model;
  hd_status status = HD_OK;
  uint8_t *uses = find_self(model);
  uint8_t *symmetric = malloc(model->processes.count + 1);
  if (uses == NULL || symmetric == NULL) {
    status = HD_E_NOMEM;
  } else {
    memset(symmetric, 1, model->processes.count + 1);
    strike(model, uses, symmetric);
    for (size_t p = 0; p < model->processes.count && status == HD_OK; p++) {
      if (symmetric[p] != 0 && model->processes.data[p].instances > 1) {
        status = add_type(symmetry, &model->processes.data[p]);
      }
    }
  }
  free(uses);
  free(symmetric);
  return status;
}

hd_status hd_symmetry_new(const hd_model *model, hd_symmetry **out) {
  *out = NULL;
  if (model->has_eager) {
    return HD_OK;
  }
  hd_symmetry *symmetry = calloc(1, sizeof *symmetry);
  if (symmetry == NULL) {
    return HD_E_NOMEM;
  }
  symmetry->model = model;
  hd_status status = find_types(symmetry);
  if (status != HD_OK || symmetry->types.count == 0) {
    hd_symmetry_free(symmetry);
    return status;
  }
  *out = symmetry;
  return HD_OK;
}

void hd_symmetry_free(hd_symmetry *symmetry) {
  if (symmetry != NULL) {
    symmetric_types_free(&symmetry->types);
    block_fields_free(&symmetry->fields);
    free(symmetry);
  }
}

uint32_t hd_symmetry_types(const hd_symmetry *symmetry) {
  return (uint32_t)symmetry->types.count;
}

/* ---- sorting ---- */

static const hdi_field *field_at(const hd_symmetry *symmetry, const block_field *field, uint32_t instance) {
  return &symmetry->model->fields.data[field->first + instance * field->stride];
}

/* Does the block of `instance` belong after the next one? */
static bool is_greater(const hd_symmetry *symmetry, const symmetric_type *type, uint32_t instance,
                       const uint64_t *state) {
  for (uint32_t i = type->fields; i < type->fields + type->field_count; i++) {
    const block_field *field = &symmetry->fields.data[i];
    uint64_t a = hdi_field_bits(field_at(symmetry, field, instance), state);
    uint64_t b = hdi_field_bits(field_at(symmetry, field, instance + 1), state);
    if (a != b) {
      return a > b;
    }
  }
  return false;
}

static void exchange(const hd_symmetry *symmetry, const symmetric_type *type, uint32_t instance, uint64_t *state) {
  for (uint32_t i = type->fields; i < type->fields + type->field_count; i++) {
    const block_field *field = &symmetry->fields.data[i];
    const hdi_field *a = field_at(symmetry, field, instance), *b = field_at(symmetry, field, instance + 1);
    uint64_t bits = hdi_field_bits(a, state);
    hdi_field_put(a, state, hdi_field_bits(b, state));
    hdi_field_put(b, state, bits);
  }
}

void hd_symmetry_sort(const hd_symmetry *symmetry, uint64_t *state) {
  for (size_t t = 0; t < symmetry->types.count; t++) {
    const symmetric_type *type = &symmetry->types.data[t];
    for (uint32_t end = 1; end < type->instances; end++) {
      for (uint32_t i = end; i > 0 && is_greater(symmetry, type, i - 1, state); i--) {
        exchange(symmetry, type, i - 1, state);
      }
    }
  }
}
