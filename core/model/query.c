/* Questions to a compiled model: names and tables as the frontend gave them, the meaning of a packed state, and why a
 * state has no steps. Read-only, any thread. */
#include "core/model/coded.h"
#include "core/model/depend.h"
#include "core/model/flat.h"

void hd_model_free(hd_model *model) {
  if (model == NULL) {
    return;
  }
  hdi_processes_free(&model->processes);
  hdi_locs_free(&model->locs);
  hdi_vars_free(&model->vars);
  hdi_queues_free(&model->queues);
  hdi_exprs_free(&model->exprs);
  hdi_flat_free(&model->flat);
  hdi_coded_free(model->coded);
  hdi_depend_free(model->depend);
  hdi_monitors_free(&model->monitors);
  hdi_edges_free(&model->edges);
  hdi_fields_free(&model->fields);
  hdi_instances_free(&model->instances);
  hdi_numbers_free(&model->process_locs);
  hdi_numbers_free(&model->process_locals);
  hdi_groups_free(&model->groups);
  hdi_rules_free(&model->rules);
  hdi_tests_free(&model->tests);
  hdi_writes_free(&model->writes);
  hdi_syncs_free(&model->syncs);
  hdi_insns_free(&model->code);
  hdi_values_free(&model->constants);
  hdi_field_runs_free(&model->runs);
  hdi_arcs_free(&model->arcs);
  hdi_numbers_free(&model->arc_rows);
  hdi_numbers_free(&model->label_rows);
  hdi_numbers_free(&model->label_monitors);
  hdi_bits_free(&model->initial);
  hd_names_free(model->label_names);
  hd_arena_free(model->arena);
  free(model);
}

uint32_t hd_model_words(const hd_model *model) {
  return model->words;
}

uint32_t hd_model_bits(const hd_model *model) {
  return model->bits;
}

size_t hd_model_initial(const hd_model *model, const uint64_t **states) {
  *states = model->initial.data;
  return model->initial_count;
}

bool hd_model_has_zero_weights(const hd_model *model) {
  return model->has_zero_weights;
}

int hd_model_compare_states(const hd_model *model, const uint64_t *a, const uint64_t *b) {
  for (uint32_t i = 0; i < model->words; i++) {
    if (a[i] != b[i]) {
      return a[i] < b[i] ? -1 : 1;
    }
  }
  return 0;
}

/* ---- processes and locations ---- */

uint32_t hd_model_instances(const hd_model *model) {
  return (uint32_t)model->instances.count;
}

static const hdi_instance *instance_of(const hd_model *model, uint32_t instance) {
  HD_REQUIRE(instance < model->instances.count);
  return &model->instances.data[instance];
}

hd_process hd_model_instance_process(const hd_model *model, uint32_t instance) {
  return (hd_process){instance_of(model, instance)->process};
}

uint32_t hd_model_instance_number(const hd_model *model, uint32_t instance) {
  return instance_of(model, instance)->number;
}

const char *hd_model_process_name(const hd_model *model, hd_process process) {
  HD_REQUIRE(process.v < model->processes.count);
  return model->processes.data[process.v].name;
}

hd_loc hd_model_location(const hd_model *model, const uint64_t *state, uint32_t instance) {
  HD_REQUIRE(instance < model->instances.count);
  return (hd_loc){hdi_location(model, state, instance)};
}

static const hdi_loc *loc_of(const hd_model *model, hd_loc loc) {
  HD_REQUIRE(loc.v < model->locs.count);
  return &model->locs.data[loc.v];
}

bool hd_model_loc_is_dead(const hd_model *model, hd_loc loc) {
  return loc_of(model, loc)->dead;
}

uint32_t hd_model_loc_flags(const hd_model *model, hd_loc loc) {
  return loc_of(model, loc)->flags;
}

const char *hd_model_loc_name(const hd_model *model, hd_loc loc) {
  return loc_of(model, loc)->name;
}

uint32_t hd_model_loc_tag(const hd_model *model, hd_loc loc) {
  return loc_of(model, loc)->tag;
}

size_t hd_model_locs(const hd_model *model) {
  return model->locs.count;
}

/* ---- variables, queues, monitors ---- */

static const hdi_var *var_of(const hd_model *model, hd_var var) {
  HD_REQUIRE(var.v < model->vars.count);
  return &model->vars.data[var.v];
}

int64_t hd_model_value(const hd_model *model, const uint64_t *state, hd_var var, uint32_t instance, uint32_t index) {
  const hdi_var *v = var_of(model, var);
  uint32_t number = 0;
  HD_REQUIRE(index < v->length);
  if (v->process != HD_NONE) {
    HD_REQUIRE(instance_of(model, instance)->process == v->process);
    number = model->instances.data[instance].number;
  }
  return hdi_field_value(hdi_var_field(model, v, number, index), state);
}

const char *hd_model_var_name(const hd_model *model, hd_var var) {
  return var_of(model, var)->name;
}

uint32_t hd_model_var_length(const hd_model *model, hd_var var) {
  return var_of(model, var)->length;
}

size_t hd_model_vars(const hd_model *model) {
  return model->vars.count;
}

static const hdi_queue *queue_of(const hd_model *model, hd_queue queue) {
  HD_REQUIRE(queue.v < model->queues.count);
  return &model->queues.data[queue.v];
}

uint32_t hd_model_queue_content(const hd_model *model, const uint64_t *state, hd_queue queue, uint32_t *letters) {
  const hdi_queue *q = queue_of(model, queue);
  uint32_t length = 0;
  for (; length < q->capacity; length++) {
    letters[length] = (uint32_t)hdi_field_bits(&model->fields.data[q->field + length], state);
    if (letters[length] == 0) {
      break;
    }
  }
  return length;
}

uint32_t hd_model_queue_head(const hd_model *model, const uint64_t *state, hd_queue queue) {
  return (uint32_t)hdi_field_bits(&model->fields.data[queue_of(model, queue)->field], state);
}

uint32_t hd_model_queue_capacity(const hd_model *model, hd_queue queue) {
  return queue_of(model, queue)->capacity;
}

size_t hd_model_queues(const hd_model *model) {
  return model->queues.count;
}

const char *hd_model_queue_name(const hd_model *model, hd_queue queue) {
  return queue_of(model, queue)->name;
}

uint32_t hd_model_monitor_state(const hd_model *model, const uint64_t *state, hd_monitor monitor) {
  HD_REQUIRE(monitor.v < model->monitors.count);
  return (uint32_t)hdi_field_bits(&model->fields.data[model->monitors.data[monitor.v].field], state);
}

/* ---- edges and labels ---- */

static const hdi_edge *edge_of(const hd_model *model, hd_edge edge) {
  HD_REQUIRE(edge.v < model->edges.count);
  return &model->edges.data[edge.v];
}

hd_edge_kind hd_model_edge_kind(const hd_model *model, hd_edge edge) {
  return edge_of(model, edge)->kind;
}

hd_span hd_model_edge_span(const hd_model *model, hd_edge edge) {
  return edge_of(model, edge)->span;
}

uint32_t hd_model_edge_statement(const hd_model *model, hd_edge edge) {
  return edge_of(model, edge)->statement;
}

uint32_t hd_model_edge_tag(const hd_model *model, hd_edge edge) {
  return edge_of(model, edge)->tag;
}

hd_loc hd_model_edge_from(const hd_model *model, hd_edge edge) {
  return (hd_loc){edge_of(model, edge)->from};
}

hd_loc hd_model_edge_to(const hd_model *model, hd_edge edge) {
  return (hd_loc){edge_of(model, edge)->to};
}

const char *hd_model_label_name(const hd_model *model, hd_label label) {
  HD_REQUIRE(label.v >= 1 && label.v <= hd_names_count(model->label_names));
  return hd_names_text(model->label_names, (hd_name){label.v - 1});
}

size_t hd_model_edges(const hd_model *model) {
  return model->edges.count;
}

/* ---- states without steps ---- */

hd_stop hd_model_stop(const hd_model *model, const uint64_t *state) {
  bool proper = true;
  bool assumes = false;
  for (uint32_t i = 0; i < model->instances.count; i++) {
    const hdi_loc *loc = &model->locs.data[hdi_location(model, state, i)];
    if (!loc->dead && (loc->flags & (HD_LOC_END | HD_LOC_DAEMON)) == 0) {
      proper = false;
      assumes |= loc->assumes;
    }
  }
  for (size_t i = 0; i < model->queues.count; i++) {
    const hdi_queue *queue = &model->queues.data[i];
    if (queue->must_be_empty && hdi_field_bits(&model->fields.data[queue->field], state) != 0) {
      proper = false;
    }
  }
  if (proper) {
    return HD_STOP_PROPER;
  }
  return assumes ? HD_STOP_PRUNED : HD_STOP_STUCK;
}

void hd_model_get_sizes(const hd_model *model, hd_model_sizes *sizes) {
  *sizes = (hd_model_sizes){.words = model->words, .bits = model->bits};
  for (size_t i = 0; i < model->rules.count; i++) {
    const hdi_rule *rule = &model->rules.data[i];
    const hdi_sync *sync = rule->sync == HD_NONE ? NULL : &model->syncs.data[rule->sync];
    bool code = rule->guard != HD_NONE || rule->body != HD_NONE ||
                (sync != NULL && (sync->channel != HD_NONE || sync->value != HD_NONE));
    sizes->bytecode_rules += code;
    sizes->masked_rules += !code;
  }
}

/* ---- validity ---- */

/* Fields within their domains, and no bit set outside them: what the fields say, packed again, is the state. */
static bool fields_are_valid(const hd_model *model, const uint64_t *state) {
  uint64_t used_bits = 0;
  uint64_t set_bits = 0;
  for (size_t i = 0; i < model->fields.count; i++) {
    uint64_t bits = hdi_field_bits(&model->fields.data[i], state);
    if (bits > model->fields.data[i].top) {
      return false;
    }
    for (; bits != 0; bits &= bits - 1) {
      used_bits++;
    }
  }
  for (uint32_t i = 0; i < model->words; i++) {
    for (uint64_t bits = state[i]; bits != 0; bits &= bits - 1) {
      set_bits++;
    }
  }
  return used_bits == set_bits;
}

static bool dead_is_reset(const hd_model *model, const uint64_t *state, const hdi_instance *instance) {
  const hdi_process *process = &model->processes.data[instance->process];
  for (uint32_t i = 0; i < process->local_count; i++) {
    const hdi_var *var = &model->vars.data[model->process_locals.data[process->locals + i]];
    for (uint32_t j = 0; j < var->length; j++) {
      if (hdi_field_value(hdi_var_field(model, var, instance->number, j), state) != var->init_lo) {
        return false;
      }
    }
  }
  return true;
}

bool hd_model_state_is_valid(const hd_model *model, const uint64_t *state) {
  if (!fields_are_valid(model, state)) {
    return false;
  }
  for (uint32_t i = 0; i < model->instances.count; i++) {
    if (model->locs.data[hdi_location(model, state, i)].dead &&
        !dead_is_reset(model, state, &model->instances.data[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < model->queues.count; i++) { /* no gap between letters */
    const hdi_queue *queue = &model->queues.data[i];
    const hdi_field *cells = model->fields.data + queue->field;
    for (uint32_t j = 0; j + 1 < queue->capacity; j++) {
      if (hdi_field_bits(&cells[j], state) == 0 && hdi_field_bits(&cells[j + 1], state) != 0) {
        return false;
      }
    }
  }
  return true;
}
