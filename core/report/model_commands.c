/* Statements, and the steps of a model as guarded commands, for the Promela and the Murphi printer; see
 * model_writer.h.
 *
 *   guard   location, exclusive locations of others, guard of the edge, room or letters in its queues; for a rendezvous
 *           those of both sides and equal channels
 *   effect  [received := value;] statements and new location of the sender, then of the receiver
 *
 * A queue of capacity c is c variables, head first: a push goes to the first empty one, a pop moves all down by one; so
 * equal contents are equal states, as in the model. An instance that dies gets its initial locals back, as in the
 * model. Where a value may leave the domain of its variable an assertion comes first (Murphi checks it by itself).
 * Cost: edges x instances, and for rendezvous the square of that for edges whose channels may be equal. */
#include "core/base/compiler.h"
#include "core/report/model_writer.h"

#include <inttypes.h>

static const char *assign_word(const hdi_writer *writer) {
  return writer->murphi ? " := " : " = ";
}

void hdi_write_and(hdi_writer *writer, bool *first) {
  if (!*first) {
    hd_buffer_add_text(writer->out, writer->murphi ? " & " : " && ");
  }
  *first = false;
}

/* ---- conditions ---- */

static void write_cell_test(hdi_writer *writer, uint32_t queue, uint32_t cell, const char *words) {
  hdi_write_queue(writer, queue, cell);
  hd_buffer_add_text(writer->out, words);
}

static void write_room(hdi_writer *writer, uint32_t queue) {
  uint32_t capacity = writer->model->queues.data[queue].capacity;
  if (writer->native) {
    hd_buffer_add_text(writer->out, "len(");
    hdi_write_queue(writer, queue, 0);
    hd_buffer_printf(writer->out, ") < %" PRIu32, capacity);
  } else {
    write_cell_test(writer, queue, capacity - 1, writer->murphi ? " = 0" : " == 0");
  }
}

static void write_filled(hdi_writer *writer, const hd_stmt *stmt) {
  if (writer->native) {
    if (stmt->a.v == 0) {
      hd_buffer_add_text(writer->out, "len(");
      hdi_write_queue(writer, stmt->queue.v, 0);
      hd_buffer_add_text(writer->out, ") > 0");
    } else {
      hdi_write_queue(writer, stmt->queue.v, 0);
      hd_buffer_add_text(writer->out, "?[");
      hdi_write_number(writer, stmt->a.v);
      hd_buffer_add_text(writer->out, "]");
    }
    return;
  }
  write_cell_test(writer, stmt->queue.v, 0, " != 0");
  if (stmt->a.v != 0) {
    (void)hdi_write_range(writer, stmt->a.v);
    hd_buffer_add_text(writer->out, writer->murphi ? " & " : " && ");
    write_cell_test(writer, stmt->queue.v, 0, writer->murphi ? " = " : " == ");
    hdi_write_number(writer, stmt->a.v);
  }
}

void hdi_write_enabled(hdi_writer *writer, const hdi_edge *edge, bool *first) {
  if (edge->guard != 0) {
    (void)hdi_write_range(writer, edge->guard);
    hdi_write_and(writer, first);
    hdi_write_condition(writer, edge->guard);
  }
  for (uint32_t i = 0; i < edge->stmt_count; i++) {
    if (edge->stmts[i].kind == HD_STMT_PUSH) {
      hdi_write_and(writer, first);
      write_room(writer, edge->stmts[i].queue.v);
    } else if (edge->stmts[i].kind == HD_STMT_POP) {
      hdi_write_and(writer, first);
      write_filled(writer, &edge->stmts[i]);
    }
  }
}

/* ---- statements ---- */

static void write_target(hdi_writer *writer, uint32_t var, uint32_t index) {
  hdi_write_var(writer, var);
  if (writer->model->vars.data[var].length > 1) {
    hd_buffer_add_text(writer->out, "[");
    if (index != 0) {
      (void)hdi_write_range(writer, index);
      hdi_write_number(writer, index);
    } else {
      hd_buffer_add_text(writer->out, "0");
    }
    hd_buffer_add_text(writer->out, "]");
  } else if (index != 0) {
    hdi_write_refuse(writer, "an array of one element");
  }
}

/* Promela's variables take any value: an assertion stands for their domain. */
static void write_domain_check(hdi_writer *writer, uint32_t expr, int64_t lo, int64_t hi) {
  hdi_range range = hdi_write_range(writer, expr);
  if (writer->murphi || (range.lo >= lo && range.hi <= hi)) {
    return;
  }
  hd_buffer_add_text(writer->out, "assert(");
  hdi_write_number(writer, expr);
  hd_buffer_printf(writer->out, " >= %" PRId64 " && ", lo);
  hdi_write_number(writer, expr);
  hd_buffer_printf(writer->out, " <= %" PRId64 "); ", hi);
}

static void write_assign(hdi_writer *writer, const hd_stmt *stmt) {
  const hdi_var *var = &writer->model->vars.data[stmt->var.v];
  write_domain_check(writer, stmt->a.v, var->lo, var->hi);
  write_target(writer, stmt->var.v, stmt->index.v);
  hd_buffer_add_text(writer->out, assign_word(writer));
  hdi_write_number(writer, stmt->a.v);
  hd_buffer_add_text(writer->out, "; ");
}

/* if c0 then s0 elsif c1 then s1 ... else error: the n-th arm's condition begins with open_arm(n). */
static void open_arm(hdi_writer *writer, uint32_t number) {
  if (writer->murphi) {
    hd_buffer_add_text(writer->out, number == 0 ? "if " : "elsif ");
  } else {
    hd_buffer_add_text(writer->out, number == 0 ? "if :: " : ":: else -> if :: ");
  }
}

static void open_body(hdi_writer *writer) {
  hd_buffer_add_text(writer->out, writer->murphi ? " then " : " -> ");
}

/* Ends `count` arms; when none was taken, an error with these words. */
static void close_arms(hdi_writer *writer, uint32_t count, const char *words) {
  if (writer->murphi) {
    hd_buffer_printf(writer->out, "else error \"%s\"; end; ", words);
    return;
  }
  hd_buffer_add_text(writer->out, ":: else -> assert(false) ");
  for (uint32_t i = 0; i < count; i++) {
    hd_buffer_add_text(writer->out, i + 1 < count ? "fi " : "fi; ");
  }
}

static void check_letter(hdi_writer *writer, const hd_stmt *stmt) {
  hdi_range range = hdi_write_range(writer, stmt->a.v);
  if (range.lo < 1 || range.hi > (int64_t)writer->model->queues.data[stmt->queue.v].letters) {
    hdi_write_refuse(writer, "a letter that may be none of its queue");
  }
}

void hdi_write_transfer(hdi_writer *writer, const hd_stmt *stmt) {
  bool push = stmt->kind == HD_STMT_PUSH;
  hdi_write_queue(writer, stmt->queue.v, 0);
  hd_buffer_add_text(writer->out, push ? " ! " : " ? ");
  if (push) {
    check_letter(writer, stmt);
  }
  if (stmt->a.v != 0) {
    hdi_write_number(writer, stmt->a.v);
  } else {
    hd_buffer_add_text(writer->out, "_");
  }
}

static void write_push(hdi_writer *writer, const hd_stmt *stmt) {
  const hdi_queue *queue = &writer->model->queues.data[stmt->queue.v];
  check_letter(writer, stmt);
  for (uint32_t cell = 0; cell < queue->capacity; cell++) {
    if (queue->capacity > 1) {
      open_arm(writer, cell);
      write_cell_test(writer, stmt->queue.v, cell, writer->murphi ? " = 0" : " == 0");
      open_body(writer);
    }
    write_cell_test(writer, stmt->queue.v, cell, assign_word(writer));
    hdi_write_number(writer, stmt->a.v);
    hd_buffer_add_text(writer->out, "; ");
  }
  if (queue->capacity > 1) {
    close_arms(writer, queue->capacity, "no room"); /* the guard has tested that there is */
  }
}

static void write_pop(hdi_writer *writer, const hd_stmt *stmt) {
  uint32_t capacity = writer->model->queues.data[stmt->queue.v].capacity;
  for (uint32_t cell = 0; cell < capacity; cell++) {
    write_cell_test(writer, stmt->queue.v, cell, assign_word(writer));
    if (cell + 1 < capacity) {
      hdi_write_queue(writer, stmt->queue.v, cell + 1);
    } else {
      hd_buffer_add_text(writer->out, "0");
    }
    hd_buffer_add_text(writer->out, "; ");
  }
}

static void write_check(hdi_writer *writer, const hd_stmt *stmt) {
  (void)hdi_write_range(writer, stmt->a.v);
  hd_buffer_add_text(writer->out, writer->murphi ? "assert " : "assert(");
  hdi_write_condition(writer, stmt->a.v);
  if (writer->murphi) {
    hd_buffer_printf(writer->out, " \"check %" PRIu32 "\"; ", stmt->code);
  } else {
    hd_buffer_add_text(writer->out, "); ");
  }
}

/* instance's variable number `index` of its locals. */
static uint32_t local_of(const hd_model *model, uint32_t instance, uint32_t index) {
  const hdi_process *process = &model->processes.data[model->instances.data[instance].process];
  return model->process_locals.data[process->locals + index];
}

static void write_spawn_into(hdi_writer *writer, const hd_stmt *stmt, uint32_t slot) {
  const hd_model *model = writer->model;
  uint32_t own = writer->instance;
  for (uint32_t i = 0; i < stmt->argument_count; i++) {
    uint32_t var = local_of(model, slot, i);
    write_domain_check(writer, stmt->arguments[i].v, model->vars.data[var].lo, model->vars.data[var].hi);
    writer->instance = slot;
    hdi_write_var(writer, var);
    writer->instance = own;
    hd_buffer_add_text(writer->out, assign_word(writer));
    hdi_write_number(writer, stmt->arguments[i].v);
    hd_buffer_add_text(writer->out, "; ");
  }
  hdi_write_at(writer, slot);
  hd_buffer_printf(writer->out, "%s%" PRIu32 "; ", assign_word(writer),
                   model->locs.data[model->processes.data[stmt->process.v].start].number);
}

static void write_spawn(hdi_writer *writer, const hd_stmt *stmt) {
  const hdi_process *process = &writer->model->processes.data[stmt->process.v];
  for (uint32_t i = 0; i < process->instances; i++) {
    open_arm(writer, i);
    hdi_write_at(writer, process->first_instance + i);
    hd_buffer_add_text(writer->out, writer->murphi ? " = 0" : " == 0");
    open_body(writer);
    write_spawn_into(writer, stmt, process->first_instance + i);
  }
  close_arms(writer, process->instances, "no free slot");
}

static void write_take(hdi_writer *writer, const hd_stmt *stmt) {
  const hdi_var *array = &writer->model->vars.data[stmt->array.v];
  const hdi_var *target = &writer->model->vars.data[stmt->var.v];
  if (array->length == 1 || target->lo > 0 || target->hi < (int64_t)array->length - 1) {
    hdi_write_refuse(writer, "a pool whose numbers its target cannot hold");
  }
  for (uint32_t i = 0; i < array->length; i++) {
    open_arm(writer, i);
    hdi_write_var(writer, stmt->array.v);
    hd_buffer_printf(writer->out, "[%" PRIu32 "]%s", i, writer->murphi ? " = 0" : " == 0");
    open_body(writer);
    write_target(writer, stmt->var.v, stmt->index.v);
    hd_buffer_printf(writer->out, "%s%" PRIu32 "; ", assign_word(writer), i);
    hdi_write_var(writer, stmt->array.v);
    hd_buffer_printf(writer->out, "[%" PRIu32 "]%s1; ", i, assign_word(writer));
  }
  close_arms(writer, array->length, "no free slot");
}

void hdi_write_stmt(hdi_writer *writer, const hd_stmt *stmt) {
  switch (stmt->kind) {
    case HD_STMT_ASSIGN:
      write_assign(writer, stmt);
      break;
    case HD_STMT_PUSH:
    case HD_STMT_POP:
      if (writer->native) {
        hdi_write_transfer(writer, stmt);
        hd_buffer_add_text(writer->out, "; ");
      } else if (stmt->kind == HD_STMT_PUSH) {
        write_push(writer, stmt);
      } else {
        write_pop(writer, stmt);
      }
      break;
    case HD_STMT_CHECK:
      write_check(writer, stmt);
      break;
    case HD_STMT_SPAWN:
      write_spawn(writer, stmt);
      break;
    case HD_STMT_TAKE:
      write_take(writer, stmt);
      break;
  }
}

static void write_death(hdi_writer *writer) {
  const hd_model *model = writer->model;
  const hdi_process *process = &model->processes.data[model->instances.data[writer->instance].process];
  for (uint32_t i = 0; i < process->local_count; i++) {
    uint32_t var = local_of(model, writer->instance, i);
    const hdi_var *local = &model->vars.data[var];
    for (uint32_t j = 0; j < local->length; j++) {
      hdi_write_var(writer, var);
      if (local->length > 1) {
        hd_buffer_printf(writer->out, "[%" PRIu32 "]", j);
      }
      hd_buffer_printf(writer->out, "%s%" PRId64 "; ", assign_word(writer), local->init_lo);
    }
  }
}

void hdi_write_effect(hdi_writer *writer, const hdi_edge *edge) {
  for (uint32_t i = 0; i < edge->stmt_count; i++) {
    hdi_write_stmt(writer, &edge->stmts[i]);
  }
  const hdi_loc *to = &writer->model->locs.data[edge->to];
  if (!writer->native && edge->to != edge->from) {
    hdi_write_at(writer, writer->instance);
    hd_buffer_printf(writer->out, "%s%" PRIu32 "; ", assign_word(writer), to->number);
  }
  if (to->dead) {
    write_death(writer);
  }
}

/* ---- guarded commands ---- */

/* Channels that are different constants. */
static bool never_meet(hdi_writer *writer, const hdi_command *command) {
  int64_t mine = 0, other = 0;
  writer->instance = command->instance;
  bool fixed = hdi_write_constant(writer, command->edge->channel, &mine);
  writer->instance = command->partner_instance;
  return fixed && hdi_write_constant(writer, command->partner->channel, &other) && mine != other;
}

static void write_meetings(hdi_writer *writer, hdi_command command, hdi_command_fn write) {
  const hd_model *model = writer->model;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    command.partner_instance = i;
    for (size_t e = 0; i != command.instance && e < model->edges.count; e++) {
      command.partner = &model->edges.data[e];
      bool his = model->locs.data[command.partner->from].process == model->instances.data[i].process;
      if (his && command.partner->side == HD_SIDE_RECEIVE && !never_meet(writer, &command)) {
        write(writer, &command);
      }
    }
  }
}

void hdi_write_commands(hdi_writer *writer, hdi_command_fn write) {
  const hd_model *model = writer->model;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    for (size_t e = 0; e < model->edges.count && !writer->out->failed; e++) {
      hdi_command command = {.edge = &model->edges.data[e], .instance = i};
      if (model->locs.data[command.edge->from].process != model->instances.data[i].process) {
        continue;
      }
      if (command.edge->side == HD_SIDE_NONE) {
        write(writer, &command);
      } else if (command.edge->side == HD_SIDE_SEND) {
        write_meetings(writer, command, write);
      }
    }
  }
}

/* Nobody is at an exclusive location. (Whoever starts the step is at none.) */
static void write_nobody_exclusive(hdi_writer *writer, bool *first) {
  const hd_model *model = writer->model;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    for (size_t l = 0; l < model->locs.count; l++) {
      const hdi_loc *loc = &model->locs.data[l];
      if ((loc->flags & HD_LOC_EXCLUSIVE) != 0 && loc->process == model->instances.data[i].process) {
        hdi_write_and(writer, first);
        hdi_write_at(writer, i);
        hd_buffer_printf(writer->out, " != %" PRIu32, loc->number);
      }
    }
  }
}

static void write_side(hdi_writer *writer, const hdi_edge *edge, uint32_t instance, bool *first) {
  writer->instance = instance;
  hdi_write_and(writer, first);
  hdi_write_at(writer, instance);
  hd_buffer_printf(writer->out, "%s%" PRIu32,
                   writer->murphi ? " = " : " == ", writer->model->locs.data[edge->from].number);
  hdi_write_enabled(writer, edge, first);
}

static void write_equal_channels(hdi_writer *writer, const hdi_command *command, bool *first) {
  int64_t constant = 0;
  writer->instance = command->instance;
  bool fixed = hdi_write_constant(writer, command->edge->channel, &constant);
  writer->instance = command->partner_instance;
  if (fixed && hdi_write_constant(writer, command->partner->channel, &constant)) {
    return; /* equal, or the command would not be here */
  }
  hdi_write_and(writer, first);
  writer->instance = command->instance;
  (void)hdi_write_range(writer, command->edge->channel);
  hdi_write_number(writer, command->edge->channel);
  hd_buffer_add_text(writer->out, writer->murphi ? " = " : " == ");
  writer->instance = command->partner_instance;
  (void)hdi_write_range(writer, command->partner->channel);
  hdi_write_number(writer, command->partner->channel);
}

void hdi_write_command_guard(hdi_writer *writer, const hdi_command *command) {
  const hd_model *model = writer->model;
  bool first = true;
  write_side(writer, command->edge, command->instance, &first);
  if (command->partner != NULL) {
    write_side(writer, command->partner, command->partner_instance, &first);
    write_equal_channels(writer, command, &first);
  }
  if (model->has_exclusive && (model->locs.data[command->edge->from].flags & HD_LOC_EXCLUSIVE) == 0) {
    write_nobody_exclusive(writer, &first);
  }
}

bool hdi_command_hands_over(const hd_model *model, const hdi_command *command) {
  bool used = false;
  for (uint32_t i = 0; command->partner != NULL && i < command->partner->stmt_count; i++) {
    const hd_stmt *stmt = &command->partner->stmts[i];
    used = used || model->exprs.data[stmt->a.v].received || model->exprs.data[stmt->index.v].received;
    for (uint32_t j = 0; j < stmt->argument_count; j++) {
      used = used || model->exprs.data[stmt->arguments[j].v].received;
    }
  }
  return used;
}

void hdi_write_command_effect(hdi_writer *writer, const hdi_command *command) {
  writer->instance = command->instance;
  writer->received = (hdi_range){0, 0};
  if (hdi_command_hands_over(writer->model, command)) {
    hd_buffer_printf(writer->out, "received%s", assign_word(writer));
    if (command->edge->value != 0) {
      writer->received = hdi_write_range(writer, command->edge->value);
      hdi_write_number(writer, command->edge->value);
    } else {
      hd_buffer_add_text(writer->out, "0");
    }
    hd_buffer_add_text(writer->out, "; ");
  }
  hdi_write_effect(writer, command->edge);
  if (command->partner != NULL) {
    writer->instance = command->partner_instance;
    hdi_write_effect(writer, command->partner);
  }
}
