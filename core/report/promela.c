/* A model as Promela, for SPIN; in one of two forms.
 *
 *   native      a proctype per instance, its locations as labels, queues and rendezvous as channels; every edge is one
 *               statement, or one d_step, followed by a goto (which takes no step)
 *   commands    one process that chooses among d_steps, one for every guarded command (model_writer.h)
 *
 * The native form is what a user of SPIN would write, and about as fast as any other we tried. It cannot say: processes
 * that start or die while others run (their pids would become part of the state), questions about other processes
 * (where are they, would they meet me), exclusive locations, heads of queues as values, channels that are computed, and
 * a rendezvous with a guard or statements (SPIN would make two steps). Any of these makes the second form.
 *
 * SPIN must not merge statements, drop dead variables or reduce (spin -o1 -o2 -o3, pan -DNOREDUCE), or it counts fewer
 * states; the text says so at its head. Cost: see model_writer.h. */
#include "core/report/model_writer.h"

#include <inttypes.h>

#define SPIN_PROCESSES_MAX 255u
#define SPIN_CHANNELS_MAX 255u

/* ---- which form ---- */

static bool is_native_stmt(const hd_model *model, const hd_stmt *stmt) {
  switch (stmt->kind) {
    case HD_STMT_ASSIGN:
    case HD_STMT_PUSH:
    case HD_STMT_CHECK:
      return true;
    case HD_STMT_POP:
      return stmt->a.v == 0 || model->exprs.data[stmt->a.v].fixed;
    case HD_STMT_SPAWN:
    case HD_STMT_TAKE:
      break;
  }
  return false;
}

static bool is_native(const hd_model *model, size_t channels) {
  bool native = !model->has_exclusive && model->instances.count <= SPIN_PROCESSES_MAX && channels <= SPIN_CHANNELS_MAX;
  for (size_t i = 0; i < model->processes.count; i++) {
    native = native && !model->processes.data[i].may_die;
  }
  for (size_t i = 0; i < model->exprs.count; i++) {
    hdi_expr_kind kind = model->exprs.data[i].kind;
    native = native && kind != HDI_EXPR_PARTNER && kind != HDI_EXPR_AT && kind != HDI_EXPR_QUEUE_HEAD;
  }
  for (size_t i = 0; i < model->edges.count; i++) {
    const hdi_edge *edge = &model->edges.data[i];
    bool meets = edge->side != HD_SIDE_NONE;
    native =
        native && !(meets && (edge->guard != 0 || edge->stmt_count > 0 || !model->exprs.data[edge->channel].fixed));
    for (uint32_t s = 0; s < edge->stmt_count; s++) {
      native = native && is_native_stmt(model, &edge->stmts[s]);
    }
  }
  return native;
}

/* ---- declarations ---- */

static const char *type_of(int64_t lo, int64_t hi) {
  return lo >= 0 && hi <= UINT8_MAX ? "byte" : lo >= INT16_MIN && hi <= INT16_MAX ? "short" : "int";
}

/* `indent` type name[length] = initial; */
static void declare_var(hdi_writer *writer, uint32_t var, const char *indent) {
  const hdi_var *v = &writer->model->vars.data[var];
  hd_buffer_printf(writer->out, "%s%s ", indent, type_of(v->lo, v->hi));
  hdi_write_var(writer, var);
  if (v->length > 1) {
    hd_buffer_printf(writer->out, "[%" PRIu32 "]", v->length);
  }
  hd_buffer_printf(writer->out, " = %" PRId64 ";\n", v->init_lo);
}

static void declare_globals(hdi_writer *writer) {
  const hd_model *model = writer->model;
  for (uint32_t i = 0; i < model->vars.count; i++) {
    if (model->vars.data[i].process == HD_NONE) {
      declare_var(writer, i, "");
    }
  }
}

static void write_head(hdi_writer *writer) {
  hd_buffer_add_text(
      writer->out,
      "/* Printed by heddle. A step of the model is a step of SPIN, and the states are those of the model;\n"
      " * SPIN counts one transition more, the one to the initial state.\n"
      " *   spin -o1 -o2 -o3 -a FILE\n"
      " *   cc -O3 -DSAFETY -DNOREDUCE -DVECTORSZ=4096 -o pan pan.c && ./pan -c0 -m1000000\n");
  hd_buffer_add_text(writer->out, writer->native
                                      ? " */\n"
                                      : " * One process makes all steps, so that SPIN cannot know where a process may"
                                        " stop: with -E it\n * does not take an end for a deadlock. */\n");
}

/* ---- the native form ---- */

static void write_label(hdi_writer *writer, const hdi_loc *loc) {
  bool may_stop = (loc->flags & (HD_LOC_END | HD_LOC_DAEMON)) != 0;
  hdi_write_name(writer, may_stop ? "end_l" : "l", loc->number, loc->name);
}

/* Number of a channel among those that edges meet on; their values are in `channels`. */
static uint32_t channel_number(hdi_writer *writer, hdi_values *channels, const hdi_edge *edge) {
  int64_t value = 0;
  if (!hdi_write_constant(writer, edge->channel, &value)) {
    hdi_write_refuse(writer, "a channel that is computed"); /* not reached: is_native has looked */
  }
  for (size_t i = 0; i < channels->count; i++) {
    if (channels->data[i] == value) {
      return (uint32_t)i;
    }
  }
  if (hdi_values_push(channels, value) != HD_OK) {
    writer->out->failed = 1;
    return 0;
  }
  return (uint32_t)channels->count - 1;
}

/* One edge as a statement that is one step. */
static void write_native_step(hdi_writer *writer, hdi_values *channels, const hdi_edge *edge) {
  if (edge->side != HD_SIDE_NONE) {
    hd_buffer_printf(writer->out, "c%" PRIu32 " %s 0", channel_number(writer, channels, edge),
                     edge->side == HD_SIDE_SEND ? "!" : "?");
    return;
  }
  bool queue = edge->stmt_count == 1 && (edge->stmts[0].kind == HD_STMT_PUSH || edge->stmts[0].kind == HD_STMT_POP);
  if (queue && edge->guard == 0) { /* waits by itself */
    hdi_write_transfer(writer, &edge->stmts[0]);
    return;
  }
  bool first = true;
  hd_buffer_add_text(writer->out, "d_step { ");
  hdi_write_enabled(writer, edge, &first);
  hd_buffer_add_text(writer->out, first ? "" : " -> ");
  hdi_write_effect(writer, edge);
  hd_buffer_add_text(writer->out, edge->stmt_count == 0 ? "skip }" : "}");
}

static void write_native_location(hdi_writer *writer, hdi_values *channels, uint32_t number) {
  const hd_model *model = writer->model;
  write_label(writer, &model->locs.data[number]);
  hd_buffer_add_text(writer->out, ":\n");
  bool any = false;
  for (size_t e = 0; e < model->edges.count; e++) {
    const hdi_edge *edge = &model->edges.data[e];
    if (edge->from == number) {
      hd_buffer_add_text(writer->out, any ? "  :: " : "  if\n  :: ");
      any = true;
      write_native_step(writer, channels, edge);
      hd_buffer_add_text(writer->out, " -> goto ");
      write_label(writer, &model->locs.data[edge->to]);
      hd_buffer_add_text(writer->out, "\n");
    }
  }
  hd_buffer_add_text(writer->out, any ? "  fi;\n" : "  false;\n");
}

static void write_native_instance(hdi_writer *writer, hdi_values *channels) {
  const hd_model *model = writer->model;
  uint32_t type = model->instances.data[writer->instance].process;
  const hdi_process *process = &model->processes.data[type];
  hd_buffer_add_text(writer->out, "\nactive proctype ");
  hdi_write_name(writer, "p", writer->instance, process->name);
  hd_buffer_add_text(writer->out, "() {\n");
  for (uint32_t i = 0; i < process->local_count; i++) {
    declare_var(writer, model->process_locals.data[process->locals + i], "  ");
  }
  for (uint32_t i = 0; i < model->locs.count; i++) {
    if (model->locs.data[i].process == type && !model->locs.data[i].dead) {
      write_native_location(writer, channels, i);
    }
  }
  hd_buffer_add_text(writer->out, "}\n");
}

static void write_native(hdi_writer *writer, hdi_values *channels) {
  const hd_model *model = writer->model;
  declare_globals(writer);
  for (uint32_t i = 0; i < model->queues.count; i++) {
    const hdi_queue *queue = &model->queues.data[i];
    hd_buffer_add_text(writer->out, "chan ");
    hdi_write_queue(writer, i, 0);
    hd_buffer_printf(writer->out, " = [%" PRIu32 "] of { %s };\n", queue->capacity, type_of(0, queue->letters));
  }
  for (uint32_t i = 0; i < channels->count; i++) {
    hd_buffer_printf(writer->out, "chan c%" PRIu32 " = [0] of { bit };\n", i);
  }
  for (uint32_t i = 0; i < model->instances.count; i++) {
    writer->instance = i;
    write_native_instance(writer, channels);
  }
}

/* The channels that edges meet on, if they are constants. */
static void find_channels(hdi_writer *writer, hdi_values *channels) {
  const hd_model *model = writer->model;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    writer->instance = i;
    for (size_t e = 0; e < model->edges.count; e++) {
      const hdi_edge *edge = &model->edges.data[e];
      bool own = model->locs.data[edge->from].process == model->instances.data[i].process;
      if (own && edge->side != HD_SIDE_NONE && model->exprs.data[edge->channel].fixed) {
        (void)channel_number(writer, channels, edge);
      }
    }
  }
}

/* ---- guarded commands ---- */

static void write_command(hdi_writer *writer, const hdi_command *command) {
  hd_buffer_add_text(writer->out, "  :: d_step { ");
  hdi_write_command_guard(writer, command);
  hd_buffer_add_text(writer->out, " -> ");
  size_t before = writer->out->size_bytes;
  hdi_write_command_effect(writer, command);
  hd_buffer_add_text(writer->out, writer->out->size_bytes == before ? "skip }\n" : "}\n");
}

static void write_system(hdi_writer *writer) {
  const hd_model *model = writer->model;
  declare_globals(writer);
  hd_buffer_add_text(writer->out, "hidden int received;\n");
  for (uint32_t i = 0; i < model->queues.count; i++) {
    for (uint32_t cell = 0; cell < model->queues.data[i].capacity; cell++) {
      hd_buffer_printf(writer->out, "%s ", type_of(0, model->queues.data[i].letters));
      hdi_write_queue(writer, i, cell);
      hd_buffer_add_text(writer->out, ";\n");
    }
  }
  for (uint32_t i = 0; i < model->instances.count; i++) {
    const hdi_instance *instance = &model->instances.data[i];
    const hdi_process *process = &model->processes.data[instance->process];
    writer->instance = i;
    for (uint32_t l = 0; l < process->local_count; l++) {
      declare_var(writer, model->process_locals.data[process->locals + l], "");
    }
    hd_buffer_printf(writer->out, "%s ", type_of(0, process->loc_count));
    hdi_write_at(writer, i);
    bool runs = instance->number < process->started;
    hd_buffer_printf(writer->out, " = %" PRIu32 ";\n", runs ? model->locs.data[process->start].number : 0);
  }
  hd_buffer_add_text(writer->out, "\nactive proctype system() {\n  do\n");
  hdi_write_commands(writer, write_command);
  hd_buffer_add_text(writer->out, "  od\n}\n");
}

hd_status hd_model_print_promela(const hd_model *model, hd_buffer *out, const char **why) {
  hdi_writer writer = {.model = model, .out = out};
  hdi_values channels = {0};
  hdi_write_check_model(&writer);
  if (model->edges.count == 0) {
    hdi_write_refuse(&writer, "the model has no edge");
  }
  find_channels(&writer, &channels);
  writer.native = is_native(model, model->queues.count + channels.count);
  write_head(&writer);
  if (writer.native) {
    write_native(&writer, &channels);
  } else {
    write_system(&writer);
  }
  hdi_values_free(&channels);
  return hdi_write_status(&writer, why);
}
