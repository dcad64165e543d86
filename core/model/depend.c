/* Dependency information: for every edge of every instance the conditions it needs and the resources it touches.
 *
 *   edge      from p --[x == 1 && y < z] pop q(a), y := 2--> r
 *   conds     location == p; head of q == a; x == 1          tests on the packed words, each with a cure
 *   rest      y, z                                           what else decides whether it is enabled
 *   touches   location RW; q POP; x R; z R; y RW(unknown)    what its effect and its outcome depend on, and change
 *
 * It is taken from the edges as the frontend built them, not from the compiled rules, because two facts are lost there:
 * which statement a masked write comes from, so that a PUSH and a POP of one queue could not be told from arbitrary
 * writes of its cells; and which conjunct a merged test comes from.
 *
 * Conditions are taken from the guard's conjuncts up to the first that may fault, as in compile.c: a step that is
 * enabled, or faults, satisfies all of them. Everything behind is `rest`. A statement may fault, and what it stores is
 * a function of what it reads: reading counts as touching. Over-approximation is always sound here: a larger touch set
 * makes more steps dependent.
 *
 * What is not described makes the whole model refused: exclusive and protected locations (who may step depends on
 * where everybody is, and a step's extent on what it meets), and sides of a rendezvous whose guard or channel may fault
 * (they make steps of their own).
 * Cost: the expressions written out as trees, once per instance; nothing beyond HALVES_MAX edges. */
#include "core/model/depend.h"

#include "core/model/compile.h"

#include <string.h>

#define HALVES_MAX ((size_t)1 << 15)
#define TOUCHES_MAX ((size_t)1 << 22)

typedef struct depend_maker {
  hdi_compiler c;
  hdi_depend *depend;
  const hdi_edge *edge;
  hdi_half half;
  hdi_numbers resource_of;       /* per field */
  hdi_numbers touch_of, rest_of; /* per field: place in `touches`, `rest` + 1; 0: none */
  hdi_touches touches;           /* of the half being made, one per resource */
  hdi_numbers rest;
  bool faulting; /* a conjunct that may fault has been met */
} depend_maker;

static void note(depend_maker *maker, hd_status status) {
  if (maker->c.status == HD_OK) {
    maker->c.status = status;
  }
}

static void refuse(depend_maker *maker, const char *words) {
  if (maker->depend->refusal == NULL) {
    maker->depend->refusal = words;
  }
}

/* ---- touches ---- */

static void touch_value(depend_maker *maker, uint32_t field, uint32_t kinds, bool known, uint64_t value) {
  const hdi_field *f = &maker->c.model->fields.data[field];
  uint32_t resource = maker->resource_of.data[field];
  if (f->width == 0 && resource == field) {
    return; /* it never changes */
  }
  uint32_t *place = &maker->touch_of.data[resource];
  if (*place == 0) {
    hdi_touch touch = {.resource = resource, .kinds = (uint8_t)kinds, .known = known, .value = value};
    note(maker, hdi_touches_push(&maker->touches, touch));
    *place = (uint32_t)maker->touches.count;
    return;
  }
  hdi_touch *touch = &maker->touches.data[*place - 1];
  bool both = (touch->kinds & ~HDI_TOUCH_READ) != 0 && (kinds & ~HDI_TOUCH_READ) != 0;
  touch->known = both ? touch->known && known && touch->value == value : touch->known || known;
  touch->value = known ? value : touch->value;
  touch->kinds |= (uint8_t)kinds;
}

static void touch(depend_maker *maker, uint32_t field, uint32_t kinds) {
  touch_value(maker, field, kinds, false, 0);
}

static void touch_run(depend_maker *maker, uint32_t field, uint32_t length, uint32_t kinds) {
  for (uint32_t i = 0; i < length; i++) {
    touch(maker, field + i, kinds);
  }
}

static void need_rest(depend_maker *maker, uint32_t field) {
  maker->half.has_rest = true;
  uint32_t resource = maker->resource_of.data[field];
  if (maker->rest_of.data[resource] == 0) {
    note(maker, hdi_numbers_push(&maker->rest, resource));
    maker->rest_of.data[resource] = 1;
  }
}

/* A field is read; `decides`: by something that decides whether the step is enabled. */
static void read_field(depend_maker *maker, uint32_t field, bool decides) {
  touch(maker, field, HDI_TOUCH_READ);
  if (decides) {
    need_rest(maker, field);
  }
}

static void read_expr(depend_maker *maker, uint32_t expr, bool decides);

static void read_element(depend_maker *maker, uint32_t var, uint32_t index, bool decides) {
  const hdi_var *v = &maker->c.model->vars.data[var];
  uint32_t field = hdi_fixed_element(&maker->c, var, index);
  if (field != HD_NONE) {
    read_field(maker, field, decides);
    return;
  }
  uint32_t first = v->field + (v->process == HD_NONE ? 0 : maker->c.number) * v->length;
  for (uint32_t i = 0; i < v->length; i++) {
    read_field(maker, first + i, decides);
  }
  read_expr(maker, index, decides);
}

/* What "a partner is ready" looks at: where the others are and the guards of their edges of that side. */
static void read_partners(depend_maker *maker, const hdi_expr *node, bool decides) {
  hdi_compiler *c = &maker->c;
  hd_model *model = c->model;
  hdi_compiler own = *c;
  int64_t wanted = 0;
  bool fixed = hdi_fold(c, node->a, &wanted);
  read_expr(maker, node->a, decides);
  for (uint32_t i = 0; i < model->instances.count && c->status == HD_OK; i++) {
    if (i == own.instance) {
      continue;
    }
    c->instance = i;
    c->process = model->instances.data[i].process;
    c->number = model->instances.data[i].number;
    for (size_t e = 0; e < model->edges.count && maker->touches.count < TOUCHES_MAX; e++) {
      const hdi_edge *edge = &model->edges.data[e];
      int64_t channel = 0;
      if (model->locs.data[edge->from].process != c->process || (uint32_t)edge->side != node->item ||
          (fixed && hdi_fold(c, edge->channel, &channel) && channel != wanted)) {
        continue;
      }
      read_field(maker, model->instances.data[i].loc_field, decides);
      read_expr(maker, edge->channel, decides);
      if (edge->guard != 0) {
        read_expr(maker, edge->guard, decides);
      }
      for (uint32_t j = 0; j < edge->stmt_count; j++) { /* a POP or PUSH is part of the guard */
        if (edge->stmts[j].kind == HD_STMT_PUSH || edge->stmts[j].kind == HD_STMT_POP) {
          read_field(maker, model->queues.data[edge->stmts[j].queue.v].field, decides);
        }
        if (edge->stmts[j].kind == HD_STMT_POP && edge->stmts[j].a.v != 0) {
          read_expr(maker, edge->stmts[j].a.v, decides);
        }
      }
    }
  }
  c->instance = own.instance;
  c->process = own.process;
  c->number = own.number;
}

static void read_expr(depend_maker *maker, uint32_t expr, bool decides) {
  const hd_model *model = maker->c.model;
  const hdi_expr *node = hdi_compiler_expr(&maker->c, expr);
  switch (node->kind) {
    case HDI_EXPR_CONST:
    case HDI_EXPR_SELF:
    case HDI_EXPR_RECEIVED: /* the sender's value: its side reads it */
      break;
    case HDI_EXPR_READ:
    case HDI_EXPR_READ_AT:
      read_element(maker, node->item, node->a, decides);
      break;
    case HDI_EXPR_OP:
      read_expr(maker, node->a, decides);
      if (node->b != 0) {
        read_expr(maker, node->b, decides);
      }
      if (node->c != 0) {
        read_expr(maker, node->c, decides);
      }
      break;
    case HDI_EXPR_PARTNER:
      read_partners(maker, node, decides);
      break;
    case HDI_EXPR_QUEUE_LENGTH:
    case HDI_EXPR_QUEUE_HEAD:
      read_field(maker, model->queues.data[node->item].field, decides);
      break;
    case HDI_EXPR_AT:
      read_field(maker, model->processes.data[model->locs.data[node->item].process].loc_field + node->a, decides);
      break;
  }
}

/* ---- conditions ---- */

static void add_cond(depend_maker *maker, hdi_cond cond) {
  if (cond.test.mask != 0) {
    note(maker, hdi_conds_push(&maker->depend->conds, cond));
    maker->half.cond_count++;
  }
}

/* The tests that the masks hold now, as conditions on the resource of `field`. */
static void add_tests(depend_maker *maker, uint32_t field, hdi_need need, uint64_t letter) {
  const hdi_compiler *c = &maker->c;
  hdi_cond cond = {.resource = maker->resource_of.data[field], .need = (uint8_t)need, .letter = letter};
  cond.shift = c->model->fields.data[field].shift;
  for (size_t i = 0; i < c->equal.count; i++) {
    cond.test = c->equal.data[i];
    add_cond(maker, cond);
  }
  for (size_t i = 0; i < c->nonzero.count; i++) {
    cond.test = c->nonzero.data[i];
    cond.some = true;
    add_cond(maker, cond);
  }
}

/* The field or the queue that a condition which became tests is about; HD_NONE when it is constant. */
static uint32_t tested_field(const depend_maker *maker, uint32_t expr, hdi_need *need) {
  const hdi_compiler *c = &maker->c;
  const hdi_expr *node = hdi_compiler_expr(c, expr);
  *need = HDI_NEED_VALUE;
  if (node->fixed) {
    return HD_NONE;
  }
  switch (node->kind) {
    case HDI_EXPR_AT:
      return c->model->processes.data[c->model->locs.data[node->item].process].loc_field + node->a;
    case HDI_EXPR_QUEUE_LENGTH:
    case HDI_EXPR_QUEUE_HEAD:
      *need = HDI_NEED_QUEUE;
      return c->model->queues.data[node->item].field;
    case HDI_EXPR_OP: {
      uint32_t field = tested_field(maker, node->a, need);
      return field == HD_NONE && node->b != 0 ? tested_field(maker, node->b, need) : field;
    }
    case HDI_EXPR_READ:
    case HDI_EXPR_READ_AT:
      return hdi_fixed_field(c, expr);
    case HDI_EXPR_CONST:
    case HDI_EXPR_SELF:
    case HDI_EXPR_RECEIVED:
    case HDI_EXPR_PARTNER:
      break;
  }
  return HD_NONE;
}

static void split_guard(depend_maker *maker, uint32_t expr, bool positive) {
  hdi_compiler *c = &maker->c;
  const hdi_expr *node = hdi_compiler_expr(c, expr);
  if (node->kind == HDI_EXPR_OP && node->op == HD_OP_NOT) {
    split_guard(maker, node->a, !positive);
    return;
  }
  if (node->kind == HDI_EXPR_OP && node->op == (positive ? HD_OP_AND : HD_OP_OR)) {
    split_guard(maker, node->a, positive);
    split_guard(maker, node->b, positive);
    return;
  }
  hdi_mask_clear(c);
  if (!maker->faulting && hdi_mask_condition(c, expr, positive)) {
    hdi_need need;
    uint32_t field = tested_field(maker, expr, &need);
    if (field != HD_NONE) {
      touch(maker, field, HDI_TOUCH_READ);
      add_tests(maker, field, need, 0);
    }
    return;
  }
  maker->faulting |= !node->total;
  maker->half.has_rest = true;
  read_expr(maker, expr, true);
}

static void require_place(depend_maker *maker) {
  const hdi_instance *instance = &maker->c.model->instances.data[maker->half.instance];
  hdi_mask_clear(&maker->c);
  hdi_mask_require_equal(&maker->c, instance->loc_field, maker->half.place);
  touch(maker, instance->loc_field, HDI_TOUCH_READ);
  add_tests(maker, instance->loc_field, HDI_NEED_VALUE, 0);
}

/* A statement on a queue, of a step without partner: it tests the queue before the guard is looked at. */
static void require_queue(depend_maker *maker, const hd_stmt *stmt) {
  hdi_compiler *c = &maker->c;
  const hdi_queue *queue = &c->model->queues.data[stmt->queue.v];
  int64_t letter = 0;
  hdi_mask_clear(c);
  if (stmt->kind == HD_STMT_PUSH) {
    bool known = hdi_fold(c, stmt->a.v, &letter) && letter >= 1 && letter <= (int64_t)queue->letters;
    hdi_mask_require_equal(c, queue->field + queue->capacity - 1, 0);
    add_tests(maker, queue->field, HDI_NEED_ROOM, 0);
    touch_value(maker, queue->field, HDI_TOUCH_PUSH, known, (uint64_t)letter);
    read_expr(maker, stmt->a.v, false);
    return;
  }
  touch(maker, queue->field, HDI_TOUCH_POP);
  if (stmt->a.v != 0 && hdi_fold(c, stmt->a.v, &letter)) {
    hdi_mask_require_equal(c, queue->field, (uint64_t)letter);
    add_tests(maker, queue->field, HDI_NEED_HEAD, (uint64_t)letter);
    return;
  }
  hdi_mask_require_nonzero(c, queue->field);
  add_tests(maker, queue->field, HDI_NEED_FILLED, 0);
  if (stmt->a.v != 0) {
    need_rest(maker, queue->field);
    read_expr(maker, stmt->a.v, true);
    maker->half.may_fault |= !hdi_compiler_expr(c, stmt->a.v)->total;
  }
}

/* In a rendezvous the other side may have moved the queue before: no special cases. */
static void touch_queue(depend_maker *maker, const hd_stmt *stmt) {
  uint32_t field = maker->c.model->queues.data[stmt->queue.v].field;
  touch(maker, field, HDI_TOUCH_READ | HDI_TOUCH_WRITE);
  need_rest(maker, field);
  maker->half.may_fault = true;
  if (stmt->a.v != 0) {
    read_expr(maker, stmt->a.v, true);
  }
}

/* ---- effects ---- */

static void touch_assignment(depend_maker *maker, const hd_stmt *stmt) {
  hdi_compiler *c = &maker->c;
  uint32_t field = hdi_fixed_element(c, stmt->var.v, stmt->index.v);
  const hdi_var *var = &c->model->vars.data[stmt->var.v];
  int64_t value = 0;
  uint64_t bits = 0;
  read_expr(maker, stmt->a.v, false);
  if (field != HD_NONE) {
    bool known = hdi_fold(c, stmt->a.v, &value) && hdi_field_encode(&c->model->fields.data[field], value, &bits);
    touch_value(maker, field, HDI_TOUCH_WRITE, known, bits);
    maker->half.may_fault |= !known;
    return;
  }
  maker->half.may_fault = true;
  read_expr(maker, stmt->index.v, false);
  touch_run(maker, var->field + (var->process == HD_NONE ? 0 : c->number) * var->length, var->length,
            HDI_TOUCH_READ | HDI_TOUCH_WRITE);
}

static void touch_locals(depend_maker *maker, uint32_t process, uint32_t number) {
  const hd_model *model = maker->c.model;
  const hdi_process *p = &model->processes.data[process];
  for (uint32_t i = 0; i < p->local_count; i++) {
    const hdi_var *var = &model->vars.data[model->process_locals.data[p->locals + i]];
    touch_run(maker, var->field + number * var->length, var->length, HDI_TOUCH_READ | HDI_TOUCH_WRITE);
  }
}

static void touch_spawn(depend_maker *maker, const hd_stmt *stmt) {
  const hdi_process *process = &maker->c.model->processes.data[stmt->process.v];
  for (uint32_t i = 0; i < stmt->argument_count; i++) {
    read_expr(maker, stmt->arguments[i].v, false);
  }
  for (uint32_t i = 0; i < process->instances; i++) {
    touch(maker, process->loc_field + i, HDI_TOUCH_READ | HDI_TOUCH_WRITE);
    touch_locals(maker, stmt->process.v, i);
  }
  maker->half.may_fault = true;
}

static void touch_take(depend_maker *maker, const hd_stmt *stmt) {
  const hdi_compiler *c = &maker->c;
  const hdi_var *pool = &c->model->vars.data[stmt->array.v];
  const hdi_var *var = &c->model->vars.data[stmt->var.v];
  touch_run(maker, pool->field + (pool->process == HD_NONE ? 0 : c->number) * pool->length, pool->length,
            HDI_TOUCH_READ | HDI_TOUCH_WRITE);
  touch_run(maker, var->field + (var->process == HD_NONE ? 0 : c->number) * var->length, var->length,
            HDI_TOUCH_READ | HDI_TOUCH_WRITE);
  if (stmt->index.v != 0) {
    read_expr(maker, stmt->index.v, false);
  }
  maker->half.may_fault = true;
}

static void touch_stmt(depend_maker *maker, const hd_stmt *stmt) {
  bool alone = maker->half.side == HD_SIDE_NONE;
  int64_t letter = 0;
  switch (stmt->kind) {
    case HD_STMT_ASSIGN:
      touch_assignment(maker, stmt);
      break;
    case HD_STMT_PUSH:
      if (alone) {
        maker->half.may_fault |= !hdi_fold(&maker->c, stmt->a.v, &letter) || letter < 1 ||
                                 letter > (int64_t)maker->c.model->queues.data[stmt->queue.v].letters;
      } else {
        touch_queue(maker, stmt);
      }
      break;
    case HD_STMT_POP:
      if (!alone) {
        touch_queue(maker, stmt);
      }
      break;
    case HD_STMT_CHECK:
      read_expr(maker, stmt->a.v, false);
      maker->half.may_fault |= !hdi_compiler_expr(&maker->c, stmt->a.v)->total;
      break;
    case HD_STMT_SPAWN:
      touch_spawn(maker, stmt);
      break;
    case HD_STMT_TAKE:
      touch_take(maker, stmt);
      break;
  }
}

static void touch_monitors(depend_maker *maker) {
  const hd_model *model = maker->c.model;
  uint32_t label = maker->edge->label;
  if (label == 0) {
    return;
  }
  for (uint32_t i = model->label_rows.data[label]; i < model->label_rows.data[label + 1]; i++) {
    const hdi_monitor *monitor = &model->monitors.data[model->label_monitors.data[i]];
    touch(maker, monitor->field, HDI_TOUCH_READ | HDI_TOUCH_WRITE);
    maker->half.may_fault = true;
  }
}

static void touch_location(depend_maker *maker) {
  const hd_model *model = maker->c.model;
  const hdi_instance *instance = &model->instances.data[maker->half.instance];
  const hdi_loc *to = &model->locs.data[maker->edge->to];
  if (maker->edge->to != maker->edge->from) {
    uint32_t absent = model->processes.data[instance->process].may_die ? 0 : 1;
    touch_value(maker, instance->loc_field, HDI_TOUCH_WRITE, true, to->number - absent);
  }
  if (to->dead) {
    touch_locals(maker, instance->process, instance->number);
  }
}

/* ---- halves ---- */

static void describe_sync(depend_maker *maker) {
  hdi_compiler *c = &maker->c;
  const hdi_edge *edge = maker->edge;
  maker->half.channel_fixed = hdi_fold(c, edge->channel, &maker->half.channel);
  if (!maker->half.channel_fixed) {
    maker->half.has_rest = true;
    read_expr(maker, edge->channel, true);
  }
  if (edge->value != 0) {
    read_expr(maker, edge->value, false);
    maker->half.may_fault |= !hdi_compiler_expr(c, edge->value)->total;
  }
  if ((edge->guard != 0 && !hdi_compiler_expr(c, edge->guard)->total) ||
      (!maker->half.channel_fixed && !hdi_compiler_expr(c, edge->channel)->total)) {
    refuse(maker, "the guard or the channel of a rendezvous may fault");
  }
  for (uint32_t i = 0; i < edge->stmt_count; i++) { /* the letter is part of the guard */
    const hd_stmt *stmt = &edge->stmts[i];
    if (stmt->kind == HD_STMT_POP && stmt->a.v != 0 && !hdi_compiler_expr(c, stmt->a.v)->total) {
      refuse(maker, "the guard or the channel of a rendezvous may fault");
    }
  }
}

static void describe(depend_maker *maker) {
  const hdi_edge *edge = maker->edge;
  require_place(maker);
  for (uint32_t i = 0; i < edge->stmt_count && edge->side == HD_SIDE_NONE; i++) {
    if (edge->stmts[i].kind == HD_STMT_PUSH || edge->stmts[i].kind == HD_STMT_POP) {
      require_queue(maker, &edge->stmts[i]);
    }
  }
  maker->faulting = false;
  if (edge->guard != 0) {
    split_guard(maker, edge->guard, true);
    maker->half.may_fault |= maker->faulting;
  }
  if (edge->side != HD_SIDE_NONE) {
    describe_sync(maker);
  }
  for (uint32_t i = 0; i < edge->stmt_count; i++) {
    touch_stmt(maker, &edge->stmts[i]);
  }
  touch_location(maker);
  touch_monitors(maker);
}

static void add_half(depend_maker *maker, uint32_t begin, uint32_t end) {
  hdi_depend *depend = maker->depend;
  const hdi_rule *rule = &maker->c.model->rules.data[begin];
  maker->edge = &maker->c.model->edges.data[rule->edge];
  maker->half.edge = rule->edge;
  maker->half.rules = begin;
  maker->half.rule_end = end;
  maker->half.side = (uint8_t)maker->edge->side;
  maker->half.conds = (uint32_t)depend->conds.count;
  maker->half.touches = (uint32_t)depend->touches.count;
  maker->half.rest = (uint32_t)depend->rest.count;
  describe(maker);
  maker->half.touch_count = (uint32_t)maker->touches.count;
  maker->half.rest_count = (uint32_t)maker->rest.count;
  for (size_t i = 0; i < maker->touches.count; i++) {
    note(maker, hdi_touches_push(&depend->touches, maker->touches.data[i]));
    maker->touch_of.data[maker->touches.data[i].resource] = 0;
  }
  for (size_t i = 0; i < maker->rest.count; i++) {
    note(maker, hdi_numbers_push(&depend->rest, maker->rest.data[i]));
    maker->rest_of.data[maker->rest.data[i]] = 0;
  }
  hdi_touches_clear(&maker->touches);
  hdi_numbers_clear(&maker->rest);
  note(maker, hdi_halves_push(&depend->halves, maker->half));
  if (depend->halves.count > HALVES_MAX || depend->touches.count > TOUCHES_MAX) {
    refuse(maker, "the model has too many edges");
  }
}

static void add_place(depend_maker *maker, uint32_t instance, uint32_t place) {
  const hd_model *model = maker->c.model;
  const hdi_group *group = &model->groups.data[model->instances.data[instance].groups + place];
  maker->c.instance = instance;
  maker->c.process = model->instances.data[instance].process;
  maker->c.number = model->instances.data[instance].number;
  for (uint32_t r = group->begin, end; r < group->end && maker->c.status == HD_OK && maker->depend->refusal == NULL;
       r = end) {
    for (end = r + 1; end < group->end && model->rules.data[end].edge == model->rules.data[r].edge; end++) {}
    maker->half = (hdi_half){.instance = instance, .place = place};
    add_half(maker, r, end);
  }
}

static void map_resources(depend_maker *maker) {
  const hd_model *model = maker->c.model;
  size_t room = model->fields.count + 1;
  note(maker, hdi_numbers_reserve(&maker->resource_of, room));
  note(maker, hdi_numbers_reserve(&maker->touch_of, room));
  note(maker, hdi_numbers_reserve(&maker->rest_of, room));
  if (maker->c.status != HD_OK) {
    return;
  }
  uint32_t *resource_of = maker->resource_of.data;
  HD_ASSERT(resource_of != NULL && maker->touch_of.data != NULL && maker->rest_of.data != NULL);
  memset(maker->touch_of.data, 0, room * sizeof *resource_of);
  memset(maker->rest_of.data, 0, room * sizeof *resource_of);
  for (uint32_t i = 0; i < model->fields.count; i++) {
    resource_of[i] = i;
  }
  for (size_t i = 0; i < model->queues.count; i++) {
    const hdi_queue *queue = &model->queues.data[i];
    for (uint32_t j = 0; j < queue->capacity; j++) {
      resource_of[queue->field + j] = queue->field;
    }
  }
}

hd_status hdi_depend_compile(hd_builder *builder) {
  hd_model *model = builder->model;
  hdi_depend *depend = calloc(1, sizeof *depend);
  if (depend == NULL) {
    return HD_E_NOMEM;
  }
  model->depend = depend;
  depend_maker maker = {.c = {.builder = builder, .model = model, .status = HD_OK}, .depend = depend};
  if (model->has_exclusive || model->has_strong || model->has_weak) {
    refuse(&maker, "the model has exclusive or protected locations");
  } else if (model->rules.count > HALVES_MAX) {
    refuse(&maker, "the model has too many edges");
  } else {
    map_resources(&maker);
  }
  for (uint32_t i = 0; i < model->instances.count; i++) {
    uint64_t top = model->fields.data[model->instances.data[i].loc_field].top;
    for (uint32_t v = 0; v <= top && maker.c.status == HD_OK && depend->refusal == NULL; v++) {
      add_place(&maker, i, v);
    }
  }
  if (depend->refusal != NULL) {
    hdi_halves_free(&depend->halves);
    hdi_touches_free(&depend->touches);
    hdi_conds_free(&depend->conds);
    hdi_numbers_free(&depend->rest);
  }
  hdi_numbers_free(&maker.resource_of);
  hdi_numbers_free(&maker.touch_of);
  hdi_numbers_free(&maker.rest_of);
  hdi_touches_free(&maker.touches);
  hdi_numbers_free(&maker.rest);
  hdi_tests_free(&maker.c.equal);
  hdi_tests_free(&maker.c.nonzero);
  hdi_writes_free(&maker.c.writes);
  return maker.c.status;
}

void hdi_depend_free(hdi_depend *depend) {
  if (depend != NULL) {
    hdi_halves_free(&depend->halves);
    hdi_touches_free(&depend->touches);
    hdi_conds_free(&depend->conds);
    hdi_numbers_free(&depend->rest);
    free(depend);
  }
}
