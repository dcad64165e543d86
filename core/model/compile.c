/* From edges to rules.
 *
 * For every instance, every location of its process and every edge from there, in the order in which edges were built,
 * the rules of that edge: usually one; none when its guard can never hold; one per length of the queue for an edge that
 * pushes a constant letter, since the place where the letter goes depends on the length (tests: that cell is empty, the
 * one before it is not). At most one variant of an edge is enabled in a state.
 *
 *   order of evaluation   1. queues: room for each PUSH, a head for each POP (and the right one, when constant)
 *                         2. the guard, its conjuncts from left to right
 *                         3. heads that a POP compares with a computed letter
 *
 * The guard's conjuncts become tests as long as that cannot hide a fault: up to the first conjunct that may fault.
 * A rule has either all its statements as masked writes or all of them as code; the location always moves by a masked
 * write, and so do the locals of an instance that dies. Statements on queues in a rendezvous are always code: the other
 * side runs first and may have moved the same queue.
 * Cost: edges x instances x variants. Everything is deterministic. */
#include "core/model/compile.h"

#include <string.h>

#define VARIANTS_MAX 64u

/* What is left of a guard for code. */
typedef struct conjunct {
  uint32_t expr;
  bool positive;
} conjunct;

#define HD_ARRAY_NAME conjuncts
#define HD_ARRAY_TYPE conjunct
#include "core/base/array.h"

typedef struct rule_maker {
  hdi_compiler c;
  const hdi_edge *edge;
  uint32_t edge_number;
  conjuncts rest; /* conjuncts for code, in order */
  bool rest_may_fault;
  bool masked_body;
  hdi_rule rule;
} rule_maker;

static void note(hdi_compiler *compiler, hd_status status) {
  if (compiler->status == HD_OK) {
    compiler->status = status;
  }
}

/* ---- guards ---- */

static void split_guard(rule_maker *maker, uint32_t expr, bool positive) {
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
  if (!c->builder->force_code && !maker->rest_may_fault && hdi_mask_condition(c, expr, positive)) {
    return;
  }
  maker->rest_may_fault |= !node->total;
  note(c, conjuncts_push(&maker->rest, (conjunct){.expr = expr, .positive = positive}));
}

/* A POP that waits for a letter known now. */
static bool has_fixed_letter(const rule_maker *maker, const hd_stmt *stmt, int64_t *letter) {
  return stmt->a.v != 0 && hdi_fold(&maker->c, stmt->a.v, letter);
}

/* Queue conditions that are tests in every variant. */
static void test_queues(rule_maker *maker) {
  hdi_compiler *c = &maker->c;
  for (uint32_t i = 0; i < maker->edge->stmt_count; i++) {
    const hd_stmt *stmt = &maker->edge->stmts[i];
    int64_t letter = 0;
    if (stmt->kind == HD_STMT_PUSH && !maker->masked_body) {
      const hdi_queue *queue = &c->model->queues.data[stmt->queue.v];
      hdi_mask_require_equal(c, queue->field + queue->capacity - 1, 0);
    } else if (stmt->kind == HD_STMT_POP) {
      const hdi_queue *queue = &c->model->queues.data[stmt->queue.v];
      if (has_fixed_letter(maker, stmt, &letter)) {
        c->never |= letter < 1 || letter > (int64_t)queue->letters;
        hdi_mask_require_equal(c, queue->field, (uint64_t)letter);
      } else {
        hdi_mask_require_nonzero(c, queue->field);
      }
    }
  }
}

static void code_queues(rule_maker *maker) {
  for (uint32_t i = 0; i < maker->edge->stmt_count; i++) {
    const hd_stmt *stmt = &maker->edge->stmts[i];
    int64_t letter = 0;
    if (stmt->kind == HD_STMT_PUSH) {
      hdi_code_room(&maker->c, &maker->c.model->queues.data[stmt->queue.v]);
    } else if (stmt->kind == HD_STMT_POP) {
      hdi_code_filled(&maker->c, &maker->c.model->queues.data[stmt->queue.v]);
      if (has_fixed_letter(maker, stmt, &letter)) {
        hdi_code_head(&maker->c, &maker->c.model->queues.data[stmt->queue.v], stmt->a.v);
      }
    }
  }
}

/* The part of the guard that is code; HD_NONE when nothing is left. */
static uint32_t code_guard(rule_maker *maker) {
  hdi_compiler *c = &maker->c;
  uint32_t begin = hdi_code_begin(c);
  if (c->builder->force_code) {
    code_queues(maker);
  }
  for (size_t i = 0; i < maker->rest.count; i++) {
    hdi_code_condition(c, maker->rest.data[i].expr, maker->rest.data[i].positive);
  }
  for (uint32_t i = 0; i < maker->edge->stmt_count; i++) {
    const hd_stmt *stmt = &maker->edge->stmts[i];
    int64_t letter = 0;
    if (stmt->kind == HD_STMT_POP && stmt->a.v != 0 && !has_fixed_letter(maker, stmt, &letter)) {
      hdi_code_head(c, &c->model->queues.data[stmt->queue.v], stmt->a.v);
    }
  }
  if (c->model->code.count == begin) {
    return HD_NONE;
  }
  hdi_code_accept(c);
  hdi_code_end(c);
  return begin;
}

/* ---- statements ---- */

/* Whether a masked write can do it. */
static bool is_maskable(const rule_maker *maker, const hd_stmt *stmt) {
  const hdi_compiler *c = &maker->c;
  const hdi_queue *queue = NULL;
  int64_t value = 0;
  uint64_t bits = 0;
  uint32_t field = HD_NONE;
  switch (stmt->kind) {
    case HD_STMT_ASSIGN:
      field = hdi_fixed_element(c, stmt->var.v, stmt->index.v);
      return field != HD_NONE && hdi_fold(c, stmt->a.v, &value) &&
             hdi_field_encode(&c->model->fields.data[field], value, &bits);
    case HD_STMT_PUSH:
      queue = &c->model->queues.data[stmt->queue.v];
      return maker->edge->side == HD_SIDE_NONE && hdi_fold(c, stmt->a.v, &value) && value >= 1 &&
             value <= (int64_t)queue->letters;
    case HD_STMT_POP:
      return maker->edge->side == HD_SIDE_NONE && c->model->queues.data[stmt->queue.v].one_word;
    case HD_STMT_CHECK:
      return hdi_fold(c, stmt->a.v, &value) && value != 0;
    case HD_STMT_SPAWN:
    case HD_STMT_TAKE:
      return false;
  }
  return false;
}

static bool all_maskable(const rule_maker *maker) {
  uint64_t variants = 1;
  for (uint32_t i = 0; i < maker->edge->stmt_count; i++) {
    const hd_stmt *stmt = &maker->edge->stmts[i];
    if (!is_maskable(maker, stmt)) {
      return false;
    }
    if (stmt->kind == HD_STMT_PUSH) {
      variants *= maker->c.model->queues.data[stmt->queue.v].capacity;
    }
    if (variants > VARIANTS_MAX) {
      return false;
    }
  }
  return true;
}

static uint32_t code_body(rule_maker *maker) {
  uint32_t begin = hdi_code_begin(&maker->c);
  for (uint32_t i = 0; i < maker->edge->stmt_count; i++) {
    hdi_code_stmt(&maker->c, &maker->edge->stmts[i]);
  }
  hdi_code_end(&maker->c);
  return begin;
}

/* Moves the location; an instance that dies gets its initial locals back. */
static void write_location(rule_maker *maker) {
  hdi_compiler *c = &maker->c;
  const hdi_loc *to = &c->model->locs.data[maker->edge->to];
  const hdi_process *process = &c->model->processes.data[c->process];
  if (maker->edge->to != maker->edge->from) {
    hdi_mask_set(c, process->loc_field + c->number, to->number - (process->may_die ? 0u : 1u));
  }
  for (uint32_t i = 0; to->dead && i < process->local_count; i++) {
    const hdi_var *var = &c->model->vars.data[c->model->process_locals.data[process->locals + i]];
    for (uint32_t j = 0; j < var->length; j++) {
      hdi_mask_set(c, var->field + c->number * var->length + j, (uint64_t)var->init_lo - (uint64_t)var->lo);
    }
  }
}

/* Adds the writes of masked statements; `choice` numbers the combination of lengths of the queues pushed to. */
static void write_body(rule_maker *maker, uint64_t choice) {
  hdi_compiler *c = &maker->c;
  for (uint32_t i = 0; i < maker->edge->stmt_count; i++) {
    const hd_stmt *stmt = &maker->edge->stmts[i];
    int64_t value = 0;
    uint64_t bits = 0;
    if (stmt->kind == HD_STMT_ASSIGN) {
      uint32_t field = hdi_fixed_element(c, stmt->var.v, stmt->index.v);
      (void)hdi_fold(c, stmt->a.v, &value);
      (void)hdi_field_encode(&c->model->fields.data[field], value, &bits);
      hdi_mask_set(c, field, bits);
    } else if (stmt->kind == HD_STMT_PUSH) {
      const hdi_queue *queue = &c->model->queues.data[stmt->queue.v];
      uint32_t length = (uint32_t)(choice % queue->capacity);
      choice /= queue->capacity;
      (void)hdi_fold(c, stmt->a.v, &value);
      hdi_mask_require_equal(c, queue->field + length, 0);
      if (length > 0) {
        hdi_mask_require_nonzero(c, queue->field + length - 1);
      }
      hdi_mask_set(c, queue->field + length, (uint64_t)value);
    } else if (stmt->kind == HD_STMT_POP) {
      hdi_mask_pop(c, &c->model->queues.data[stmt->queue.v]);
    }
  }
}

/* ---- rules ---- */

static uint32_t add_sync(rule_maker *maker) {
  hdi_compiler *c = &maker->c;
  if (maker->edge->side == HD_SIDE_NONE) {
    return HD_NONE;
  }
  hdi_sync sync = {.channel = HD_NONE, .value = HD_NONE};
  if (!hdi_fold(c, maker->edge->channel, &sync.channel_fixed)) {
    sync.channel = hdi_code_begin(c);
    hdi_code_expr(c, maker->edge->channel);
    hdi_code_end(c);
  }
  if (maker->edge->value != 0) {
    sync.value = hdi_code_begin(c);
    hdi_code_expr(c, maker->edge->value);
    hdi_code_end(c);
  }
  note(c, hdi_syncs_push(&c->model->syncs, sync));
  return (uint32_t)c->model->syncs.count - 1;
}

/* Appends the rule with the tests and writes that the masks hold now. */
static void add_rule(rule_maker *maker) {
  hdi_compiler *c = &maker->c;
  hd_model *model = c->model;
  hdi_rule rule = maker->rule;
  rule.tests = (uint32_t)model->tests.count;
  size_t first = 0;
  if (c->equal.count > 0) {
    rule.mask = c->equal.data[0].mask;
    rule.value = c->equal.data[0].value;
    rule.word = c->equal.data[0].word;
    first = 1;
  }
  rule.equal_count = (uint32_t)(c->equal.count - first);
  rule.nonzero_count = (uint32_t)c->nonzero.count;
  for (size_t i = first; i < c->equal.count; i++) {
    note(c, hdi_tests_push(&model->tests, c->equal.data[i]));
  }
  for (size_t i = 0; i < c->nonzero.count; i++) {
    note(c, hdi_tests_push(&model->tests, c->nonzero.data[i]));
  }
  rule.writes = (uint32_t)model->writes.count;
  rule.write_count = (uint32_t)c->writes.count;
  for (size_t i = 0; i < c->writes.count; i++) {
    note(c, hdi_writes_push(&model->writes, c->writes.data[i]));
  }
  bool too_many = model->rules.count >= HDI_TABLE_MAX || model->tests.count >= HDI_TABLE_MAX * 8 ||
                  model->writes.count >= HDI_TABLE_MAX * 8;
  note(c, too_many ? HD_E_LIMIT : hdi_rules_push(&model->rules, rule));
}

static void make_tests(rule_maker *maker) {
  hdi_mask_clear(&maker->c);
  conjuncts_clear(&maker->rest);
  maker->rest_may_fault = false;
  if (!maker->c.builder->force_code) {
    test_queues(maker);
  }
  if (maker->edge->guard != 0) {
    split_guard(maker, maker->edge->guard, true);
  }
}

static uint64_t count_variants(const rule_maker *maker) {
  uint64_t variants = 1;
  for (uint32_t i = 0; maker->masked_body && i < maker->edge->stmt_count; i++) {
    if (maker->edge->stmts[i].kind == HD_STMT_PUSH) {
      variants *= maker->c.model->queues.data[maker->edge->stmts[i].queue.v].capacity;
    }
  }
  return variants;
}

static void make_edge_rules(rule_maker *maker, uint32_t edge) {
  hdi_compiler *c = &maker->c;
  maker->edge = &c->model->edges.data[edge];
  maker->masked_body = maker->edge->stmt_count == 0 || (!c->builder->force_code && all_maskable(maker));
  make_tests(maker);
  if (c->never) {
    return;
  }
  maker->rule = (hdi_rule){.edge = edge, .to = maker->edge->to, .label = maker->edge->label};
  maker->rule.weight = (uint8_t)maker->edge->weight;
  maker->rule.side = (uint8_t)maker->edge->side;
  maker->rule.guard = code_guard(maker);
  maker->rule.body = maker->masked_body ? HD_NONE : code_body(maker);
  maker->rule.sync = add_sync(maker);
  uint64_t variants = count_variants(maker);
  for (uint64_t choice = 0; c->status == HD_OK && choice < variants; choice++) {
    if (choice > 0) {
      make_tests(maker);
    }
    if (maker->masked_body) {
      write_body(maker, choice);
    }
    write_location(maker);
    if (!c->never) {
      add_rule(maker);
    }
  }
}

/* ---- grouping ---- */

/* Edges by location they leave: edges[rows[l] .. rows[l+1]), in the order in which they were built. */
static hd_status index_edges(const hd_model *model, hdi_numbers *rows, hdi_numbers *edges) {
  size_t locs = model->locs.count;
  if (hdi_numbers_reserve(rows, locs + 2) != HD_OK || hdi_numbers_reserve(edges, model->edges.count) != HD_OK) {
    return HD_E_NOMEM;
  }
  HD_ASSERT(rows->data != NULL);
  memset(rows->data, 0, (locs + 2) * sizeof rows->data[0]);
  for (size_t i = 0; i < model->edges.count; i++) {
    rows->data[model->edges.data[i].from + 2]++;
  }
  for (size_t i = 0; i < locs; i++) {
    rows->data[i + 2] += rows->data[i + 1];
  }
  for (size_t i = 0; i < model->edges.count; i++) {
    edges->data[rows->data[model->edges.data[i].from + 1]++] = (uint32_t)i;
  }
  return HD_OK;
}

static hd_status index_locs(hd_model *model) {
  uint32_t next = 0;
  for (size_t i = 0; i < model->processes.count; i++) {
    hdi_process *process = &model->processes.data[i];
    process->locs = next;
    next += process->loc_count - (process->may_die ? 0 : 1);
  }
  hd_status status = hdi_numbers_reserve(&model->process_locs, next);
  if (status != HD_OK) {
    return status;
  }
  model->process_locs.count = next;
  for (size_t i = 0; i < model->locs.count; i++) {
    const hdi_loc *loc = &model->locs.data[i];
    const hdi_process *process = &model->processes.data[loc->process];
    if (process->may_die || !loc->dead) {
      model->process_locs.data[process->locs + loc->number - (process->may_die ? 0 : 1)] = (uint32_t)i;
    }
  }
  return HD_OK;
}

static void make_group(rule_maker *maker, const hdi_numbers *rows, const hdi_numbers *edges, uint32_t loc) {
  hd_model *model = maker->c.model;
  hdi_group group = {.begin = (uint32_t)model->rules.count};
  const uint32_t *edge = edges->data;
  uint32_t end = rows->data[loc + 1];
  for (uint32_t i = rows->data[loc]; maker->c.status == HD_OK && i < end; i++) {
    HD_ASSERT(edge != NULL);
    make_edge_rules(maker, edge[i]);
  }
  group.end = (uint32_t)model->rules.count;
  for (uint32_t i = group.begin; i < group.end; i++) {
    group.sends |= model->rules.data[i].side == HD_SIDE_SEND;
    group.receives |= model->rules.data[i].side == HD_SIDE_RECEIVE;
  }
  note(&maker->c, model->groups.count >= HDI_TABLE_MAX ? HD_E_LIMIT : hdi_groups_push(&model->groups, group));
}

static void make_groups(rule_maker *maker, const hdi_numbers *rows, const hdi_numbers *edges) {
  hdi_compiler *c = &maker->c;
  hd_model *model = c->model;
  for (size_t i = 0; c->status == HD_OK && i < model->instances.count; i++) {
    hdi_instance *instance = &model->instances.data[i];
    const hdi_process *process = &model->processes.data[instance->process];
    instance->loc_field = process->loc_field + instance->number;
    instance->locs = process->locs;
    instance->groups = (uint32_t)model->groups.count;
    c->instance = (uint32_t)i;
    c->process = instance->process;
    c->number = instance->number;
    uint32_t count = process->loc_count - (process->may_die ? 0 : 1);
    for (uint32_t v = 0; c->status == HD_OK && v < count; v++) {
      make_group(maker, rows, edges, model->process_locs.data[process->locs + v]);
    }
  }
}

/* The arguments of a spawn are the process's first locals, which must be scalars. */
static void require_spawns(const hd_model *model) {
  for (size_t i = 0; i < model->edges.count; i++) {
    const hdi_edge *edge = &model->edges.data[i];
    for (uint32_t j = 0; j < edge->stmt_count; j++) {
      if (edge->stmts[j].kind != HD_STMT_SPAWN) {
        continue;
      }
      const hdi_process *process = &model->processes.data[edge->stmts[j].process.v];
      HD_REQUIRE(edge->stmts[j].argument_count <= process->local_count);
      for (uint32_t k = 0; k < edge->stmts[j].argument_count; k++) {
        HD_REQUIRE(model->vars.data[model->process_locals.data[process->locals + k]].length == 1);
      }
    }
  }
}

hd_status hdi_compile(hd_builder *builder) {
  hd_model *model = builder->model;
  require_spawns(model);
  rule_maker maker = {.c = {.builder = builder, .model = model, .status = HD_OK}};
  hdi_numbers rows = {0};
  hdi_numbers edges = {0};
  /* Steps point into these tables even when a rule has no entry there; NULL + 0 is undefined. */
  note(&maker.c, hdi_tests_reserve(&model->tests, 1));
  note(&maker.c, hdi_writes_reserve(&model->writes, 1));
  note(&maker.c, hdi_insns_reserve(&model->code, 1));
  note(&maker.c, index_locs(model));
  note(&maker.c, index_edges(model, &rows, &edges));
  if (maker.c.status == HD_OK) {
    make_groups(&maker, &rows, &edges);
  }
  hdi_numbers_free(&rows);
  hdi_numbers_free(&edges);
  conjuncts_free(&maker.rest);
  hdi_tests_free(&maker.c.equal);
  hdi_tests_free(&maker.c.nonzero);
  hdi_writes_free(&maker.c.writes);
  return maker.c.status;
}
