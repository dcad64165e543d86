/* Monitors: deterministic automata that move with the labels of steps.
 *
 *   label_rows / label_monitors   the monitors whose alphabet has a label
 *   arc_rows / arcs               a monitor's arcs by state, sorted by label: one binary search per move
 *
 * Each monitor's state is a field of the packed state. Cost of a labelled step: one search per monitor that knows the
 * label; silent steps cost nothing. */
#include "core/model/internal.h"

#include <string.h>

static int compare_arcs(const void *left, const void *right) {
  const hdi_arc *a = left;
  const hdi_arc *b = right;
  if (a->monitor != b->monitor) {
    return a->monitor < b->monitor ? -1 : 1;
  }
  if (a->from != b->from) {
    return a->from < b->from ? -1 : 1;
  }
  return a->label < b->label ? -1 : a->label > b->label;
}

/* Fills label_rows and label_monitors; a label that an alphabet names twice counts once. */
static hd_status index_alphabets(hd_builder *builder) {
  hd_model *model = builder->model;
  size_t labels = hd_names_count(model->label_names);
  uint32_t *last = calloc(labels + 1, sizeof *last); /* the last monitor seen with this label, + 1 */
  hd_status status = last == NULL ? HD_E_NOMEM : hdi_numbers_reserve(&model->label_rows, labels + 3);
  if (status == HD_OK) {
    status = hdi_numbers_reserve(&model->label_monitors, builder->alphabet.count);
  }
  if (status != HD_OK) {
    free(last);
    return status;
  }
  uint32_t *rows = model->label_rows.data;
  memset(rows, 0, (labels + 3) * sizeof *rows);
  for (int pass = 0; pass < 2; pass++) { /* first count, then fill */
    memset(last, 0, (labels + 1) * sizeof *last);
    for (uint32_t m = 0; m < model->monitors.count; m++) {
      const hdi_monitor *monitor = &model->monitors.data[m];
      for (uint32_t i = 0; i < monitor->label_count; i++) {
        uint32_t label = builder->alphabet.data[monitor->labels + i];
        if (last[label] == m + 1) {
          continue;
        }
        last[label] = m + 1;
        if (pass == 0) {
          rows[label + 2]++;
        } else {
          model->label_monitors.data[rows[label + 1]++] = m;
        }
      }
    }
    for (size_t i = 0; pass == 0 && i <= labels; i++) {
      rows[i + 2] += rows[i + 1];
    }
  }
  model->label_rows.count = labels + 2;
  model->label_monitors.count = rows[labels + 1];
  free(last);
  return HD_OK;
}

static bool knows(const hd_model *model, uint32_t monitor, uint32_t label) {
  for (uint32_t i = model->label_rows.data[label]; i < model->label_rows.data[label + 1]; i++) {
    if (model->label_monitors.data[i] == monitor) {
      return true;
    }
  }
  return false;
}

hd_status hdi_monitors_compile(hd_builder *builder) {
  hd_model *model = builder->model;
  hd_status status = index_alphabets(builder);
  if (status == HD_OK && model->arcs.count > 0) {
    qsort(model->arcs.data, model->arcs.count, sizeof *model->arcs.data, compare_arcs);
  }
  for (size_t i = 0; status == HD_OK && i < model->arcs.count; i++) {
    HD_REQUIRE(i == 0 || compare_arcs(&model->arcs.data[i - 1], &model->arcs.data[i]) < 0);
    HD_REQUIRE(knows(model, model->arcs.data[i].monitor, model->arcs.data[i].label));
  }
  uint32_t arc = 0;
  for (uint32_t m = 0; status == HD_OK && m < model->monitors.count; m++) {
    hdi_monitor *monitor = &model->monitors.data[m];
    monitor->rows = (uint32_t)model->arc_rows.count;
    for (uint32_t from = 0; status == HD_OK && from <= monitor->states; from++) {
      status = hdi_numbers_push(&model->arc_rows, arc);
      while (arc < model->arcs.count && model->arcs.data[arc].monitor == m && model->arcs.data[arc].from == from) {
        arc++;
      }
    }
  }
  return status;
}

/* The target of the arc `label` among arcs [begin, end), HD_NONE when there is none. */
static uint32_t find_arc(const hd_model *model, uint32_t begin, uint32_t end, uint32_t label) {
  while (begin < end) {
    uint32_t middle = begin + (end - begin) / 2;
    if (model->arcs.data[middle].label < label) {
      begin = middle + 1;
    } else if (model->arcs.data[middle].label > label) {
      end = middle;
    } else {
      return model->arcs.data[middle].to;
    }
  }
  return HD_NONE;
}

uint32_t hdi_monitor_target(const hd_model *model, uint32_t monitor, uint32_t from, uint32_t label) {
  const uint32_t *row = model->arc_rows.data + model->monitors.data[monitor].rows + from;
  return find_arc(model, row[0], row[1], label);
}

uint32_t hdi_monitors_move(const hd_model *model, uint64_t *state, uint32_t label) {
  for (uint32_t i = model->label_rows.data[label]; i < model->label_rows.data[label + 1]; i++) {
    uint32_t number = model->label_monitors.data[i];
    const hdi_field *field = &model->fields.data[model->monitors.data[number].field];
    uint32_t to = hdi_monitor_target(model, number, (uint32_t)hdi_field_bits(field, state), label);
    if (to == HD_NONE) {
      return number;
    }
    hdi_field_put(field, state, to);
  }
  return HD_NONE;
}
