/* The builder: takes down what a frontend says about processes, locations, variables, queues, labels, monitors and
 * edges, and checks that handles fit together.
 *
 * Errors stick: after the first one every call does nothing and hd_builder_finish returns it. Nothing is compiled here;
 * handles are indices into the growing tables of the model under construction, so that the compiled model keeps them.
 * Cost: amortised O(1) per call, plus the bytes of names and statements, which go into one arena. Not thread-safe.
 * Expressions are in builder_expr.c. */
#include "core/model/coded.h"
#include "core/model/depend.h"
#include "core/model/flat.h"

#include <string.h>

static bool failed(hd_builder *builder, hd_status status) {
  if (status != HD_OK && builder->status == HD_OK) {
    builder->status = status;
  }
  return builder->status != HD_OK;
}

static const char *copy_name(hd_builder *builder, const char *name) {
  const char *given = name == NULL ? "" : name;
  const char *copy = hd_arena_copy_text(builder->model->arena, given, strlen(given));
  (void)failed(builder, copy == NULL ? HD_E_NOMEM : HD_OK);
  return copy;
}

hd_builder *hd_builder_new(void) {
  hd_builder *builder = calloc(1, sizeof *builder);
  hd_model *model = calloc(1, sizeof *model);
  if (builder == NULL || model == NULL) {
    free(builder);
    free(model);
    return NULL;
  }
  builder->model = model;
  model->arena = hd_arena_new();
  model->label_names = hd_names_new();
  if (model->arena == NULL || model->label_names == NULL || hdi_exprs_push(&builder->exprs, (hdi_expr){0}) != HD_OK) {
    hd_builder_free(builder);
    return NULL;
  }
  return builder;
}

void hd_builder_free(hd_builder *builder) {
  if (builder == NULL) {
    return;
  }
  hd_model_free(builder->model);
  hdi_exprs_free(&builder->exprs);
  hdi_numbers_free(&builder->alphabet);
  free(builder);
}

void hdi_builder_force_code(hd_builder *builder) {
  builder->force_code = true;
}

static uint32_t add_loc(hd_builder *builder, uint32_t process, const char *name, uint32_t flags, uint32_t tag) {
  hd_model *model = builder->model;
  hdi_process *owner = &model->processes.data[process];
  hdi_loc loc = {.name = copy_name(builder, name), .process = process, .number = owner->loc_count, .flags = flags};
  loc.tag = tag;
  loc.dead = owner->loc_count == 0;
  if (failed(builder, model->locs.count >= HDI_TABLE_MAX ? HD_E_LIMIT : hdi_locs_push(&model->locs, loc))) {
    return HD_NONE;
  }
  uint32_t handle = (uint32_t)model->locs.count - 1;
  owner->loc_count++;
  if (loc.dead) {
    owner->dead = handle;
  } else if (owner->start == HD_NONE) {
    owner->start = handle;
  }
  return handle;
}

hd_process hd_build_process(hd_builder *builder, const hd_process_desc *desc) {
  if (builder->status != HD_OK) {
    return HD_NO_PROCESS;
  }
  HD_REQUIRE(desc->instances >= 1 && desc->started <= desc->instances);
  hd_model *model = builder->model;
  hdi_process process = {.name = copy_name(builder, desc->name), .instances = desc->instances};
  process.started = desc->started;
  process.first_instance = (uint32_t)model->instances.count;
  process.dead = process.start = HD_NONE;
  process.may_die = desc->started < desc->instances;
  uint32_t handle = (uint32_t)model->processes.count;
  if (desc->instances > HDI_TABLE_MAX - model->instances.count) {
    (void)failed(builder, HD_E_LIMIT);
  }
  if (failed(builder, HD_OK) || failed(builder, hdi_processes_push(&model->processes, process))) {
    return HD_NO_PROCESS;
  }
  for (uint32_t i = 0; i < desc->instances; i++) {
    if (failed(builder, hdi_instances_push(&model->instances, (hdi_instance){.process = handle, .number = i}))) {
      return HD_NO_PROCESS;
    }
  }
  return add_loc(builder, handle, "dead", 0, 0) == HD_NONE ? HD_NO_PROCESS : (hd_process){handle};
}

hd_loc hd_build_loc(hd_builder *builder, hd_process process, const char *name, uint32_t flags, uint32_t tag) {
  if (builder->status != HD_OK) {
    return HD_NO_LOC;
  }
  hd_model *model = builder->model;
  HD_REQUIRE(process.v < model->processes.count);
  model->has_exclusive |= (flags & HD_LOC_EXCLUSIVE) != 0;
  model->has_strong |= (flags & HD_LOC_ATOMIC) != 0;
  model->has_weak |= (flags & HD_LOC_ATOMIC_WEAK) != 0;
  model->has_eager |= (flags & HD_LOC_EAGER) != 0;
  return (hd_loc){add_loc(builder, process.v, name, flags, tag)};
}

hd_loc hd_build_dead(hd_builder *builder, hd_process process) {
  if (builder->status != HD_OK) {
    return HD_NO_LOC;
  }
  HD_REQUIRE(process.v < builder->model->processes.count);
  return (hd_loc){builder->model->processes.data[process.v].dead};
}

hd_var hd_build_var(hd_builder *builder, const hd_var_desc *desc) {
  if (builder->status != HD_OK) {
    return HD_NO_VAR;
  }
  hd_model *model = builder->model;
  HD_REQUIRE(desc->lo <= desc->hi && (uint64_t)desc->hi - (uint64_t)desc->lo < (uint64_t)1 << 63);
  HD_REQUIRE(desc->lo <= desc->init_lo && desc->init_lo <= desc->init_hi && desc->init_hi <= desc->hi);
  hdi_var var = {.name = copy_name(builder, desc->name), .lo = desc->lo, .hi = desc->hi, .init_lo = desc->init_lo};
  var.init_hi = desc->init_hi;
  var.length = desc->length == 0 ? 1 : desc->length;
  var.process = desc->process.v;
  if (var.process != HD_NONE) {
    HD_REQUIRE(var.process < model->processes.count && var.init_lo == var.init_hi);
  }
  bool too_many = model->vars.count >= HDI_TABLE_MAX || var.length > HDI_TABLE_MAX;
  if (failed(builder, too_many ? HD_E_LIMIT : hdi_vars_push(&model->vars, var))) {
    return HD_NO_VAR;
  }
  if (var.process != HD_NONE) {
    model->processes.data[var.process].local_count++;
  }
  return (hd_var){(uint32_t)model->vars.count - 1};
}

hd_queue hd_build_queue(hd_builder *builder, const hd_queue_desc *desc) {
  if (builder->status != HD_OK) {
    return HD_NO_QUEUE;
  }
  hd_model *model = builder->model;
  HD_REQUIRE(desc->capacity >= 1 && desc->letters < HD_NONE);
  HD_REQUIRE(desc->owner.v == HD_NONE || desc->owner.v < model->processes.count);
  hdi_queue queue = {.name = copy_name(builder, desc->name), .capacity = desc->capacity, .letters = desc->letters};
  queue.owner = desc->owner.v;
  queue.must_be_empty = desc->must_be_empty;
  bool too_many = model->queues.count >= HDI_TABLE_MAX || queue.capacity > HDI_TABLE_MAX;
  if (failed(builder, too_many ? HD_E_LIMIT : hdi_queues_push(&model->queues, queue))) {
    return HD_NO_QUEUE;
  }
  return (hd_queue){(uint32_t)model->queues.count - 1};
}

hd_label hd_build_label(hd_builder *builder, const char *name) {
  if (builder->status != HD_OK) {
    return HD_NO_LABEL;
  }
  hd_name number = HD_NO_NAME;
  if (failed(builder, hd_names_add(builder->model->label_names, name, strlen(name), &number))) {
    return HD_NO_LABEL;
  }
  return (hd_label){number.v + 1};
}

static bool is_label(const hd_builder *builder, hd_label label) {
  return label.v >= 1 && label.v <= hd_names_count(builder->model->label_names);
}

hd_monitor hd_build_monitor(hd_builder *builder, const char *name, uint32_t states, uint32_t initial,
                            const hd_label *labels, size_t label_count) {
  if (builder->status != HD_OK) {
    return (hd_monitor){HD_NONE};
  }
  hd_model *model = builder->model;
  HD_REQUIRE(states >= 1 && initial < states);
  hdi_monitor monitor = {.name = copy_name(builder, name), .states = states, .initial = initial};
  monitor.labels = (uint32_t)builder->alphabet.count;
  for (size_t i = 0; i < label_count; i++) {
    HD_REQUIRE(is_label(builder, labels[i]));
    if (failed(builder, hdi_numbers_push(&builder->alphabet, labels[i].v))) {
      return (hd_monitor){HD_NONE};
    }
  }
  monitor.label_count = (uint32_t)label_count;
  bool too_many = states > HDI_TABLE_MAX || builder->alphabet.count > HDI_TABLE_MAX;
  if (failed(builder, too_many ? HD_E_LIMIT : hdi_monitors_push(&model->monitors, monitor))) {
    return (hd_monitor){HD_NONE};
  }
  return (hd_monitor){(uint32_t)model->monitors.count - 1};
}

void hd_build_monitor_arc(hd_builder *builder, hd_monitor monitor, uint32_t from, hd_label label, uint32_t to) {
  if (builder->status != HD_OK) {
    return;
  }
  hd_model *model = builder->model;
  HD_REQUIRE(monitor.v < model->monitors.count && is_label(builder, label));
  HD_REQUIRE(from < model->monitors.data[monitor.v].states && to < model->monitors.data[monitor.v].states);
  hdi_arc arc = {.monitor = monitor.v, .from = from, .label = label.v, .to = to};
  (void)failed(builder, model->arcs.count >= HDI_TABLE_MAX ? HD_E_LIMIT : hdi_arcs_push(&model->arcs, arc));
}

/* An expression that edge `edge` may use: it exists, reads only the process's own locals, and uses the received value
 * and the question for partners only where they have a meaning. */
static void require_expr(const hd_builder *builder, uint32_t process, hd_expr handle, bool received, bool ready) {
  HD_REQUIRE(handle.v < builder->exprs.count);
  const hdi_expr *expr = &builder->exprs.data[handle.v];
  HD_REQUIRE(handle.v == 0 || expr->process == HD_NONE || expr->process == process);
  HD_REQUIRE(received || !expr->received);
  HD_REQUIRE(ready || !expr->ready);
}

static void require_target(const hd_builder *builder, uint32_t process, hd_var target, bool indexed) {
  HD_REQUIRE(target.v < builder->model->vars.count);
  const hdi_var *var = &builder->model->vars.data[target.v];
  HD_REQUIRE(var->process == HD_NONE || var->process == process);
  HD_REQUIRE(indexed || var->length == 1);
}

static void require_stmt(const hd_builder *builder, uint32_t process, const hd_stmt *stmt, bool receives) {
  const hd_model *model = builder->model;
  require_expr(builder, process, stmt->index, receives, true);
  bool is_guard = stmt->kind == HD_STMT_POP; /* the letter that a POP waits for */
  require_expr(builder, process, stmt->a, receives && !is_guard, !is_guard);
  switch (stmt->kind) {
    case HD_STMT_ASSIGN:
      require_target(builder, process, stmt->var, stmt->index.v != 0);
      HD_REQUIRE(stmt->a.v != 0);
      break;
    case HD_STMT_PUSH:
      HD_REQUIRE(stmt->queue.v < model->queues.count && stmt->a.v != 0);
      break;
    case HD_STMT_POP:
      HD_REQUIRE(stmt->queue.v < model->queues.count);
      break;
    case HD_STMT_CHECK:
      HD_REQUIRE(stmt->code < 32 && stmt->a.v != 0);
      break;
    case HD_STMT_SPAWN:
      HD_REQUIRE(stmt->process.v < model->processes.count);
      for (uint32_t i = 0; i < stmt->argument_count; i++) {
        HD_REQUIRE(stmt->arguments[i].v != 0);
        require_expr(builder, process, stmt->arguments[i], receives, true);
      }
      break;
    case HD_STMT_TAKE:
      require_target(builder, process, stmt->var, stmt->index.v != 0);
      require_target(builder, process, stmt->array, true);
      break;
  }
}

static void require_edge(const hd_builder *builder, const hd_edge_desc *desc) {
  const hd_model *model = builder->model;
  HD_REQUIRE(desc->from.v < model->locs.count && desc->to.v < model->locs.count);
  const hdi_loc *from = &model->locs.data[desc->from.v];
  HD_REQUIRE(!from->dead && from->process == model->locs.data[desc->to.v].process);
  HD_REQUIRE(desc->label.v == 0 || is_label(builder, desc->label));
  HD_REQUIRE(desc->weight <= 1 && (unsigned)desc->kind < HD_EDGE_KIND_COUNT);
  bool syncs = desc->side != HD_SIDE_NONE;
  HD_REQUIRE(!syncs || (desc->channel.v != 0 && (from->flags & HD_LOC_EAGER) == 0));
  require_expr(builder, from->process, desc->guard, false, !syncs);
  require_expr(builder, from->process, desc->channel, false, false);
  require_expr(builder, from->process, desc->value, false, true);
  for (uint32_t i = 0; i < desc->stmt_count; i++) {
    const hd_stmt *stmt = &desc->stmts[i];
    require_stmt(builder, from->process, stmt, desc->side == HD_SIDE_RECEIVE);
    for (uint32_t j = 0; j < i; j++) {
      bool queues = (stmt->kind == HD_STMT_PUSH || stmt->kind == HD_STMT_POP) &&
                    (desc->stmts[j].kind == HD_STMT_PUSH || desc->stmts[j].kind == HD_STMT_POP);
      HD_REQUIRE(!queues || stmt->queue.v != desc->stmts[j].queue.v);
    }
  }
}

static const hd_stmt *copy_stmts(hd_builder *builder, const hd_edge_desc *desc) {
  hd_arena *arena = builder->model->arena;
  hd_stmt *stmts = hd_arena_alloc_array(arena, desc->stmt_count, sizeof *stmts);
  if (failed(builder, stmts == NULL ? HD_E_NOMEM : HD_OK)) {
    return NULL;
  }
  for (uint32_t i = 0; i < desc->stmt_count; i++) {
    stmts[i] = desc->stmts[i];
    if (stmts[i].kind != HD_STMT_SPAWN || stmts[i].argument_count == 0) {
      stmts[i].arguments = NULL;
      continue;
    }
    hd_expr *arguments = hd_arena_alloc_array(arena, stmts[i].argument_count, sizeof *arguments);
    if (failed(builder, arguments == NULL ? HD_E_NOMEM : HD_OK)) {
      return NULL;
    }
    memcpy(arguments, desc->stmts[i].arguments, stmts[i].argument_count * sizeof *arguments);
    stmts[i].arguments = arguments;
  }
  return stmts;
}

hd_edge hd_build_edge(hd_builder *builder, const hd_edge_desc *desc) {
  if (builder->status != HD_OK) {
    return HD_NO_EDGE;
  }
  hd_model *model = builder->model;
  require_edge(builder, desc);
  hdi_edge edge = {.from = desc->from.v, .to = desc->to.v, .guard = desc->guard.v, .stmt_count = desc->stmt_count};
  edge.stmts = desc->stmt_count == 0 ? NULL : copy_stmts(builder, desc);
  edge.kind = desc->kind;
  edge.label = desc->label.v;
  edge.weight = desc->weight;
  edge.side = desc->side;
  edge.channel = desc->channel.v;
  edge.value = desc->side == HD_SIDE_SEND ? desc->value.v : 0;
  edge.span = desc->span;
  edge.statement = desc->statement;
  edge.tag = desc->tag;
  if (builder->status != HD_OK ||
      failed(builder, model->edges.count >= HDI_TABLE_MAX ? HD_E_LIMIT : hdi_edges_push(&model->edges, edge))) {
    return HD_NO_EDGE;
  }
  hdi_loc *from = &model->locs.data[edge.from];
  from->assumes |= edge.kind == HD_EDGE_ASSUME;
  model->processes.data[from->process].may_die |= model->locs.data[edge.to].dead;
  model->has_zero_weights |= edge.weight == 0;
  return (hd_edge){(uint32_t)model->edges.count - 1};
}

hd_status hd_builder_finish(hd_builder *builder, hd_model **out) {
  *out = NULL;
  hd_status status = builder->status;
  if (status == HD_OK) {
    status = hdi_layout(builder->model);
  }
  if (status == HD_OK) {
    status = hdi_compile(builder);
  }
  if (status == HD_OK) {
    status = hdi_monitors_compile(builder);
  }
  if (status == HD_OK) {
    status = hdi_initial(builder->model);
  }
  if (status == HD_OK && !builder->force_code) {
    status = hdi_flat_compile(builder->model);
  }
  if (status == HD_OK) {
    status = hdi_depend_compile(builder);
  }
  if (status == HD_OK) {
    status = hdi_coded_compile(builder->model);
  }
  if (status == HD_OK) {
    builder->model->exprs = builder->exprs;
    builder->exprs = (hdi_exprs){0};
    *out = builder->model;
    builder->model = NULL;
  }
  hd_builder_free(builder);
  return status;
}
