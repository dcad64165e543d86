/* A model as Murphi, for Rumur (and CMurphi): one rule for every guarded command (model_writer.h).
 *
 *   var       variables, queue cells, locations, each with its domain as type
 *   startstate
 *   rule "instance: from -> to" guard ==> [var received: lo..hi;] begin effect end;
 *
 * Rumur packs the domains into bits and checks them itself. No ruleset and no scalarset: rules are unfolded, so that
 * guards read variables and constants only, and all states are explored, not one of each orbit. Cost: see
 * model_writer.h. */
#include "core/report/model_writer.h"

#include <inttypes.h>

static void declare_range(hdi_writer *writer, int64_t lo, int64_t hi, uint32_t length) {
  hd_buffer_add_text(writer->out, ": ");
  if (length > 1) {
    hd_buffer_printf(writer->out, "array [0..%" PRIu32 "] of ", length - 1);
  }
  hd_buffer_printf(writer->out, "%" PRId64 "..%" PRId64 ";\n", lo, hi);
}

/* Calls `write` for the writer's instance set to each owner of the variable. */
static void each_copy(hdi_writer *writer, uint32_t var, void (*write)(hdi_writer *, uint32_t)) {
  const hd_model *model = writer->model;
  uint32_t process = model->vars.data[var].process;
  uint32_t first = process == HD_NONE ? 0 : model->processes.data[process].first_instance;
  uint32_t count = process == HD_NONE ? 1 : model->processes.data[process].instances;
  for (uint32_t i = 0; i < count; i++) {
    writer->instance = first + i;
    write(writer, var);
  }
}

static void declare_var(hdi_writer *writer, uint32_t var) {
  const hdi_var *v = &writer->model->vars.data[var];
  hd_buffer_add_text(writer->out, "  ");
  hdi_write_var(writer, var);
  declare_range(writer, v->lo, v->hi, v->length);
}

static void start_var(hdi_writer *writer, uint32_t var) {
  const hdi_var *v = &writer->model->vars.data[var];
  for (uint32_t i = 0; i < v->length; i++) {
    hd_buffer_add_text(writer->out, "  ");
    hdi_write_var(writer, var);
    if (v->length > 1) {
      hd_buffer_printf(writer->out, "[%" PRIu32 "]", i);
    }
    hd_buffer_printf(writer->out, " := %" PRId64 ";\n", v->init_lo);
  }
}

static void write_declarations(hdi_writer *writer) {
  const hd_model *model = writer->model;
  hd_buffer_add_text(writer->out, "var\n");
  for (uint32_t i = 0; i < model->vars.count; i++) {
    each_copy(writer, i, declare_var);
  }
  for (uint32_t i = 0; i < model->queues.count; i++) {
    for (uint32_t cell = 0; cell < model->queues.data[i].capacity; cell++) {
      hd_buffer_add_text(writer->out, "  ");
      hdi_write_queue(writer, i, cell);
      declare_range(writer, 0, model->queues.data[i].letters, 1);
    }
  }
  for (uint32_t i = 0; i < model->instances.count; i++) {
    hd_buffer_add_text(writer->out, "  ");
    const hdi_process *process = &model->processes.data[model->instances.data[i].process];
    hdi_write_at(writer, i);
    declare_range(writer, process->may_die ? 0 : 1, (int64_t)process->loc_count - 1, 1);
  }
}

static void write_start(hdi_writer *writer) {
  const hd_model *model = writer->model;
  hd_buffer_add_text(writer->out, "\nstartstate begin\n");
  for (uint32_t i = 0; i < model->vars.count; i++) {
    each_copy(writer, i, start_var);
  }
  for (uint32_t i = 0; i < model->queues.count; i++) {
    for (uint32_t cell = 0; cell < model->queues.data[i].capacity; cell++) {
      hd_buffer_add_text(writer->out, "  ");
      hdi_write_queue(writer, i, cell);
      hd_buffer_add_text(writer->out, " := 0;\n");
    }
  }
  for (uint32_t i = 0; i < model->instances.count; i++) {
    const hdi_instance *instance = &model->instances.data[i];
    const hdi_process *process = &model->processes.data[instance->process];
    bool runs = instance->number < process->started;
    hd_buffer_add_text(writer->out, "  ");
    hdi_write_at(writer, i);
    hd_buffer_printf(writer->out, " := %" PRIu32 ";\n", runs ? model->locs.data[process->start].number : 0);
  }
  hd_buffer_add_text(writer->out, "end;\n");
}

static void name_side(hdi_writer *writer, uint32_t instance, const hdi_edge *edge) {
  const hd_model *model = writer->model;
  hdi_write_name(writer, "p", instance, model->processes.data[model->instances.data[instance].process].name);
  hdi_write_name(writer, ": l", model->locs.data[edge->from].number, model->locs.data[edge->from].name);
  hdi_write_name(writer, " -> l", model->locs.data[edge->to].number, model->locs.data[edge->to].name);
}

static void write_rule(hdi_writer *writer, const hdi_command *command) {
  hd_buffer_add_text(writer->out, "\nrule \"");
  name_side(writer, command->instance, command->edge);
  if (command->partner != NULL) {
    hd_buffer_add_text(writer->out, ", ");
    name_side(writer, command->partner_instance, command->partner);
  }
  hd_buffer_add_text(writer->out, "\"\n  ");
  hdi_write_command_guard(writer, command);
  hd_buffer_add_text(writer->out, "\n==>\n");
  if (hdi_command_hands_over(writer->model, command)) {
    writer->instance = command->instance;
    hdi_range range = command->edge->value == 0 ? (hdi_range){0, 0} : hdi_write_range(writer, command->edge->value);
    hd_buffer_printf(writer->out, "var received: %" PRId64 "..%" PRId64 ";\n", range.lo, range.hi);
  }
  hd_buffer_add_text(writer->out, "begin\n  ");
  hdi_write_command_effect(writer, command);
  hd_buffer_add_text(writer->out, "\nend;\n");
}

hd_status hd_model_print_murphi(const hd_model *model, hd_buffer *out, const char **why) {
  hdi_writer writer = {.model = model, .out = out, .murphi = true};
  hdi_write_check_model(&writer);
  hd_buffer_add_text(out,
                     "-- Printed by heddle. A rule is a step, and the states are those of the model. For Rumur:\n"
                     "--   rumur --threads 1 --deadlock-detection stuck --value-type int32_t -o FILE.c FILE\n"
                     "--   cc -O3 -o FILE.exe FILE.c -lpthread -latomic && ./FILE.exe\n"
                     "-- A state in which every process may stop is a deadlock to Rumur too.\n");
  write_declarations(&writer);
  write_start(&writer);
  hdi_write_commands(&writer, write_rule);
  return hdi_write_status(&writer, why);
}
