/* Layout: which bits of which word hold which field.
 *
 *   fields   one per location, variable element, queue cell and monitor; numbered so that the elements of one variable
 *            and the cells of one queue follow each other
 *   items    what is placed as a unit: one field, or all cells of a queue that fits one word (cells lie next to each
 *            other, head lowest)
 *   groups   the items of one process instance: its location, its locals, the queues that belong to its type
 *
 *   word 0  [ loc P0 | locals P0 | queues P0 | loc P1 | ... | global ]
 *   word 1  [ ... ]
 *
 * Placing items into words of 64 bits is bin packing. Two plans are made. Grouped: each group into the first word that
 * has room for all of it, so that a step of a process touches few words; then the rest one by one. Tight: first fit by
 * decreasing width and, when that does not reach the lower bound, a search with a step limit for fewer words. The
 * grouped plan is taken when it needs no more words than the tight one. Items without bits take no place.
 * Cost: O(items + words) for each plan by first fit, plus at most SEARCH_STEPS.
 * Source: first fit decreasing, D. S. Johnson, Near-optimal bin packing algorithms, 1973. */
#include "core/model/internal.h"

#include <string.h>

#define WORD_BITS 64u
#define SEARCH_STEPS 200000u

typedef struct layout_item {
  uint32_t field, count; /* a run of fields of one width */
  uint32_t width;        /* of the whole item */
} layout_item;

#define HD_ARRAY_NAME items
#define HD_ARRAY_TYPE layout_item
#include "core/base/array.h"

typedef struct layout_job {
  hd_model *model;
  items items;
  hdi_numbers groups; /* index after the last item of each group; items after the last group stand alone */
} layout_job;

/* A plan: per item its word; words used. */
typedef struct word_plan {
  uint32_t *word;
  uint32_t words;
} word_plan;

/* Open words while first fit runs. Rooms only shrink, so for each width the first word with room only moves right. */
typedef struct open_words {
  uint8_t *room;
  uint32_t count;
  uint32_t from[WORD_BITS + 1];
} open_words;

static uint32_t packer_place(open_words *packer, uint32_t width) {
  uint32_t word = packer->from[width];
  while (word < packer->count && packer->room[word] < width) {
    word++;
  }
  packer->from[width] = word;
  if (word == packer->count) {
    packer->room[packer->count++] = (uint8_t)WORD_BITS;
  }
  packer->room[word] = (uint8_t)(packer->room[word] - width);
  return word;
}

/* ---- fields and items ---- */

static hd_status add_field(hd_model *model, int64_t lo, uint64_t top) {
  uint32_t width = top == 0 ? 0 : WORD_BITS - (uint32_t)HD_COUNT_LEADING_ZEROS_64(top);
  hdi_field field = {.top = top, .lo = lo, .width = (uint8_t)width};
  field.mask = width == 0 ? 0 : UINT64_MAX >> (WORD_BITS - width);
  return model->fields.count >= HDI_TABLE_MAX ? HD_E_LIMIT : hdi_fields_push(&model->fields, field);
}

static hd_status add_fields(hd_model *model, uint64_t count, int64_t lo, uint64_t top) {
  if (count > HDI_TABLE_MAX - model->fields.count) {
    return HD_E_LIMIT;
  }
  hd_status status = HD_OK;
  for (uint64_t i = 0; status == HD_OK && i < count; i++) {
    status = add_field(model, lo, top);
  }
  return status;
}

static hd_status make_fields(hd_model *model) {
  hd_status status = HD_OK;
  for (size_t i = 0; status == HD_OK && i < model->processes.count; i++) {
    hdi_process *process = &model->processes.data[i];
    HD_REQUIRE(process->start != HD_NONE);
    process->loc_field = (uint32_t)model->fields.count;
    status = add_fields(model, process->instances, 0, process->loc_count - (process->may_die ? 1u : 2u));
  }
  for (size_t i = 0; status == HD_OK && i < model->vars.count; i++) {
    hdi_var *var = &model->vars.data[i];
    uint64_t copies = var->process == HD_NONE ? 1 : model->processes.data[var->process].instances;
    var->field = (uint32_t)model->fields.count;
    status = add_fields(model, copies * var->length, var->lo, (uint64_t)var->hi - (uint64_t)var->lo);
  }
  for (size_t i = 0; status == HD_OK && i < model->queues.count; i++) {
    hdi_queue *queue = &model->queues.data[i];
    queue->field = (uint32_t)model->fields.count;
    status = add_fields(model, queue->capacity, 0, queue->letters);
  }
  for (size_t i = 0; status == HD_OK && i < model->monitors.count; i++) {
    model->monitors.data[i].field = (uint32_t)model->fields.count;
    status = add_field(model, 0, model->monitors.data[i].states - 1);
  }
  return status;
}

static hd_status add_item(layout_job *layout, uint32_t field, uint32_t count) {
  uint32_t width = layout->model->fields.data[field].width;
  if (width == 0) {
    return HD_OK;
  }
  if (width > WORD_BITS) {
    return HD_E_LIMIT;
  }
  return items_push(&layout->items, (layout_item){.field = field, .count = count, .width = width * count});
}

static hd_status add_single_items(layout_job *layout, uint32_t field, uint32_t count) {
  hd_status status = HD_OK;
  for (uint32_t i = 0; status == HD_OK && i < count; i++) {
    status = add_item(layout, field + i, 1);
  }
  return status;
}

static hd_status add_queue_items(layout_job *layout, uint32_t owner) {
  hd_model *model = layout->model;
  hd_status status = HD_OK;
  for (size_t i = 0; status == HD_OK && i < model->queues.count; i++) {
    hdi_queue *queue = &model->queues.data[i];
    if (queue->owner != owner) {
      continue;
    }
    uint64_t width = (uint64_t)model->fields.data[queue->field].width * queue->capacity;
    queue->one_word = width <= WORD_BITS;
    status = queue->one_word ? add_item(layout, queue->field, queue->capacity)
                             : add_single_items(layout, queue->field, queue->capacity);
  }
  return status;
}

static hd_status add_instance_items(layout_job *layout, const hdi_instance *instance) {
  hd_model *model = layout->model;
  const hdi_process *process = &model->processes.data[instance->process];
  hd_status status = add_item(layout, process->loc_field + instance->number, 1);
  for (uint32_t i = 0; status == HD_OK && i < process->local_count; i++) {
    const hdi_var *var = &model->vars.data[model->process_locals.data[process->locals + i]];
    status = add_single_items(layout, var->field + instance->number * var->length, var->length);
  }
  if (status == HD_OK && instance->number == 0) {
    status = add_queue_items(layout, instance->process);
  }
  return status == HD_OK ? hdi_numbers_push(&layout->groups, (uint32_t)layout->items.count) : status;
}

static hd_status make_items(layout_job *layout) {
  hd_model *model = layout->model;
  hd_status status = HD_OK;
  for (size_t i = 0; status == HD_OK && i < model->instances.count; i++) {
    status = add_instance_items(layout, &model->instances.data[i]);
  }
  if (status == HD_OK) {
    status = add_queue_items(layout, HD_NONE);
  }
  for (size_t i = 0; status == HD_OK && i < model->vars.count; i++) {
    const hdi_var *var = &model->vars.data[i];
    if (var->process == HD_NONE) {
      status = add_single_items(layout, var->field, var->length);
    }
  }
  for (size_t i = 0; status == HD_OK && i < model->monitors.count; i++) {
    status = add_item(layout, model->monitors.data[i].field, 1);
  }
  return status;
}

/* ---- plans ---- */

static void plan_grouped(const layout_job *layout, open_words *packer, word_plan *plan) {
  memset(packer->from, 0, sizeof packer->from);
  packer->count = 0;
  uint32_t begin = 0;
  for (size_t g = 0; g < layout->groups.count; g++) {
    uint32_t end = layout->groups.data[g];
    HD_ASSERT(begin == end || layout->items.data != NULL);
    uint64_t total = 0;
    for (uint32_t i = begin; i < end; i++) {
      total += layout->items.data[i].width;
    }
    uint32_t word = total == 0 || total > WORD_BITS ? 0 : packer_place(packer, (uint32_t)total);
    for (uint32_t i = begin; i < end; i++) {
      plan->word[i] = total > WORD_BITS ? packer_place(packer, layout->items.data[i].width) : word;
    }
    begin = end;
  }
  for (uint32_t i = begin; i < layout->items.count; i++) {
    plan->word[i] = packer_place(packer, layout->items.data[i].width);
  }
  plan->words = packer->count;
}

/* Item numbers by decreasing width, equal widths in item order (counting sort: widths are at most 64). */
static void sort_by_width(const layout_job *layout, uint32_t *order) {
  uint32_t next[WORD_BITS + 2] = {0};
  for (size_t i = 0; i < layout->items.count; i++) {
    next[WORD_BITS - layout->items.data[i].width + 1]++;
  }
  for (uint32_t w = 0; w <= WORD_BITS; w++) {
    next[w + 1] += next[w];
  }
  for (size_t i = 0; i < layout->items.count; i++) {
    order[next[WORD_BITS - layout->items.data[i].width]++] = (uint32_t)i;
  }
}

static void plan_decreasing(const layout_job *layout, const uint32_t *order, open_words *packer, word_plan *plan) {
  memset(packer->from, 0, sizeof packer->from);
  packer->count = 0;
  for (size_t i = 0; i < layout->items.count; i++) {
    plan->word[order[i]] = packer_place(packer, layout->items.data[order[i]].width);
  }
  plan->words = packer->count;
}

/* Looks for a plan with `words` words: items by decreasing width, each into every word that has room, words of equal
 * room tried once. `trial` holds the word of each item of `order`. False when there is none or the steps run out. */
static bool search_plan(const layout_job *layout, const uint32_t *order, open_words *packer, uint32_t words,
                        uint32_t *trial) {
  size_t count = layout->items.count;
  uint32_t steps = 0;
  memset(packer->room, (int)WORD_BITS, words);
  size_t depth = 0;
  trial[0] = 0;
  while (depth < count) {
    uint32_t width = layout->items.data[order[depth]].width;
    uint32_t word = trial[depth];
    uint64_t tried[2] = {0, 0}; /* rooms tried at this depth, as a bit set */
    for (uint32_t i = 0; i < word && i < words; i++) {
      tried[packer->room[i] / 64] |= (uint64_t)1 << (packer->room[i] % 64);
    }
    while (word < words &&
           (packer->room[word] < width || ((tried[packer->room[word] / 64] >> (packer->room[word] % 64)) & 1) != 0)) {
      word++;
    }
    if (word < words) {
      packer->room[word] = (uint8_t)(packer->room[word] - width);
      trial[depth++] = word;
      if (depth < count) {
        trial[depth] = 0;
      }
    } else if (depth == 0) {
      return false;
    } else {
      depth--;
      packer->room[trial[depth]] = (uint8_t)(packer->room[trial[depth]] + layout->items.data[order[depth]].width);
      trial[depth]++;
    }
    if (++steps > SEARCH_STEPS / (1 + words / 64) + 2 * count) {
      return false;
    }
  }
  return true;
}

static void improve_plan(const layout_job *layout, const uint32_t *order, open_words *packer, word_plan *plan,
                         uint32_t *trial) {
  uint32_t lower = (layout->model->bits + WORD_BITS - 1) / WORD_BITS;
  while (plan->words > lower && search_plan(layout, order, packer, plan->words - 1, trial)) {
    for (size_t i = 0; i < layout->items.count; i++) {
      plan->word[order[i]] = trial[i];
    }
    plan->words--;
  }
}

static void apply_plan(const layout_job *layout, const word_plan *plan, open_words *packer) {
  hd_model *model = layout->model;
  memset(packer->room, (int)WORD_BITS, plan->words);
  for (size_t i = 0; i < layout->items.count; i++) {
    const layout_item *item = &layout->items.data[i];
    uint32_t word = plan->word[i];
    for (uint32_t j = 0; j < item->count; j++) {
      hdi_field *field = &model->fields.data[item->field + j];
      field->word = word;
      field->shift = (uint8_t)(WORD_BITS - packer->room[word]);
      packer->room[word] = (uint8_t)(packer->room[word] - field->width);
    }
  }
  for (size_t i = 0; i < model->queues.count; i++) {
    hdi_queue *queue = &model->queues.data[i];
    for (uint32_t j = 0; queue->one_word && j < queue->capacity; j++) {
      const hdi_field *field = &model->fields.data[queue->field + j];
      queue->word_mask |= field->mask << field->shift;
    }
  }
  model->words = plan->words == 0 ? 1 : plan->words;
}

static hd_status choose_plan(const layout_job *layout) {
  size_t count = layout->items.count;
  uint32_t *numbers = calloc(count * 4 + 1, sizeof *numbers);
  open_words packer = {.room = malloc(count + 1)};
  hd_status status = HD_E_NOMEM;
  if (numbers != NULL && packer.room != NULL) {
    word_plan grouped = {.word = numbers};
    word_plan tight = {.word = numbers + count};
    uint32_t *order = numbers + 2 * count;
    sort_by_width(layout, order);
    plan_grouped(layout, &packer, &grouped);
    plan_decreasing(layout, order, &packer, &tight);
    improve_plan(layout, order, &packer, &tight, numbers + 3 * count);
    apply_plan(layout, grouped.words <= tight.words ? &grouped : &tight, &packer);
    status = HD_OK;
  }
  free(numbers);
  free(packer.room);
  return status;
}

/* ---- tables that go by process ---- */

static hd_status index_locals(hd_model *model) {
  hd_status status = HD_OK;
  uint32_t next = 0;
  for (size_t i = 0; i < model->processes.count; i++) {
    model->processes.data[i].locals = next;
    next += model->processes.data[i].local_count;
  }
  status = hdi_numbers_reserve(&model->process_locals, next);
  if (status != HD_OK) {
    return status;
  }
  model->process_locals.count = next;
  for (size_t i = 0; i < model->processes.count; i++) {
    model->processes.data[i].local_count = 0;
  }
  for (size_t i = 0; i < model->vars.count; i++) {
    if (model->vars.data[i].process != HD_NONE) {
      hdi_process *process = &model->processes.data[model->vars.data[i].process];
      model->process_locals.data[process->locals + process->local_count++] = (uint32_t)i;
    }
  }
  return HD_OK;
}

hd_status hdi_layout(hd_model *model) {
  hd_status status = index_locals(model);
  if (status == HD_OK) {
    status = make_fields(model);
  }
  layout_job layout = {.model = model};
  if (status == HD_OK) {
    status = make_items(&layout);
  }
  if (status == HD_OK) {
    uint64_t bits = 0;
    for (size_t i = 0; i < layout.items.count; i++) {
      bits += layout.items.data[i].width;
    }
    model->bits = (uint32_t)bits; /* at most 2^24 fields of 64 bits */
    status = choose_plan(&layout);
  }
  items_free(&layout.items);
  hdi_numbers_free(&layout.groups);
  return status;
}
