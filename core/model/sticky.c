/* Sticky actions: a set of actions such that every cycle of states takes one of them. A search that expands a state
 * fully whenever it would take a sticky action leaves no step out for ever (docs/reductions.md, lemma 4), and it
 * need not know which states were visited: the choice is a function of the state, for any number of threads and any
 * order of search.
 *
 * An action can be part of a cycle of states only if the cycle undoes what it does:
 *
 *   it moves a process to a place        another action of the cycle leaves that place; and one enters where it came
 * from it pushes a letter                  one pops that letter of that queue; and the other way round it lets a
 * process die                some action spawns one of that type
 *
 * So: take all actions for alive; strike out, again and again, those that lack a partner in this sense. If some are
 * left, declare the first one's edge sticky, strike its actions out, and go on, until none is left. Actions of a cycle
 * without sticky action would keep each other alive.
 * The choice is by edge, not by instance, so that exchanging instances of a type changes nothing (symmetry.c).
 * Cost: actions times rounds; a round per sticky edge and a few for each wave of strikings. */
#include "core/model/relations.h"

#include <string.h>

typedef struct cycle_maker {
  hd_reduction *reduction;
  const hd_model *model;
  const hdi_depend *depend;
  uint8_t *alive;       /* per action */
  uint8_t *sticky_edge; /* per edge */
  uint32_t *enters;     /* per group (instance, place): alive actions that enter it ... */
  uint32_t *leaves;     /* ... and that leave it */
  uint32_t *spawns;     /* per process: alive actions that spawn one */
  uint32_t *letter_row; /* per field that is a queue's head: place in the arrays below */
  uint32_t *pushes;     /* per queue and letter; letter 0: unknown */
  uint32_t *pops;
  size_t letters;
} cycle_maker;

static uint32_t group_of(const cycle_maker *maker, const hdi_half *half, uint32_t loc) {
  const hdi_instance *instance = &maker->model->instances.data[half->instance];
  uint32_t absent = maker->model->processes.data[instance->process].may_die ? 0 : 1;
  return instance->groups + maker->model->locs.data[loc].number - absent;
}

/* The letter that a half pops, 0 when it is not known. */
static uint32_t popped_letter(const cycle_maker *maker, const hdi_half *half, uint32_t resource) {
  for (uint32_t i = half->conds; i < half->conds + half->cond_count; i++) {
    const hdi_cond *cond = &maker->depend->conds.data[i];
    if (cond->need == HDI_NEED_HEAD && cond->resource == resource) {
      return (uint32_t)cond->letter;
    }
  }
  return 0;
}

static void count_half(cycle_maker *maker, const hdi_half *half) {
  const hdi_edge *edge = &maker->model->edges.data[half->edge];
  maker->leaves[group_of(maker, half, edge->from)]++;
  maker->enters[group_of(maker, half, edge->to)]++;
  for (uint32_t i = 0; i < edge->stmt_count; i++) {
    if (edge->stmts[i].kind == HD_STMT_SPAWN) {
      maker->spawns[edge->stmts[i].process.v]++;
    }
  }
  for (uint32_t i = half->touches; i < half->touches + half->touch_count; i++) {
    const hdi_touch *touch = &maker->depend->touches.data[i];
    uint32_t row = maker->letter_row[touch->resource];
    if (row == HD_NONE) {
      continue;
    }
    bool writes = (touch->kinds & HDI_TOUCH_WRITE) != 0;
    if (writes || (touch->kinds & HDI_TOUCH_PUSH) != 0) {
      maker->pushes[row + (!writes && touch->known ? (uint32_t)touch->value : 0)]++;
    }
    if (writes || (touch->kinds & HDI_TOUCH_POP) != 0) {
      maker->pops[row + (writes ? 0 : popped_letter(maker, half, touch->resource))]++;
    }
  }
}

/* `letter` of a queue is also moved the other way; 0: whichever it is. */
static bool is_undone(const cycle_maker *maker, const uint32_t *other_way, uint32_t resource, uint32_t letter) {
  uint32_t row = maker->letter_row[resource];
  if (letter != 0) {
    return other_way[row] + other_way[row + letter] > 0;
  }
  for (size_t q = 0; q < maker->model->queues.count; q++) {
    const hdi_queue *queue = &maker->model->queues.data[q];
    for (uint32_t l = 0; queue->field == resource && l <= queue->letters; l++) {
      if (other_way[row + l] > 0) {
        return true;
      }
    }
  }
  return false;
}

static bool can_repeat(const cycle_maker *maker, const hdi_half *half) {
  const hd_model *model = maker->model;
  const hdi_edge *edge = &model->edges.data[half->edge];
  const hdi_loc *from = &model->locs.data[edge->from], *to = &model->locs.data[edge->to];
  uint32_t process = from->process;
  bool spawned = maker->spawns[process] > 0;
  bool left = maker->leaves[group_of(maker, half, edge->to)] > 0 || (to->dead && spawned);
  bool entered = maker->enters[group_of(maker, half, edge->from)] > 0 ||
                 (edge->from == model->processes.data[process].start && spawned);
  bool undone = left && entered;
  for (uint32_t i = half->touches; i < half->touches + half->touch_count && undone; i++) {
    const hdi_touch *touch = &maker->depend->touches.data[i];
    if (maker->letter_row[touch->resource] == HD_NONE || (touch->kinds & HDI_TOUCH_WRITE) != 0) {
      continue;
    }
    if ((touch->kinds & HDI_TOUCH_PUSH) != 0) {
      undone = is_undone(maker, maker->pops, touch->resource, touch->known ? (uint32_t)touch->value : 0);
    }
    if ((touch->kinds & HDI_TOUCH_POP) != 0 && undone) {
      undone = is_undone(maker, maker->pushes, touch->resource, popped_letter(maker, half, touch->resource));
    }
  }
  return undone;
}

static bool has_sticky_edge(const cycle_maker *maker, const hdi_action *action) {
  const hdi_half *halves = maker->depend->halves.data;
  return maker->sticky_edge[halves[action->half].edge] != 0 ||
         (action->partner != HD_NONE && maker->sticky_edge[halves[action->partner].edge] != 0);
}

static void count_all(cycle_maker *maker) {
  const hdi_actions *actions = &maker->reduction->actions;
  const hdi_half *halves = maker->depend->halves.data;
  memset(maker->enters, 0, maker->model->groups.count * sizeof *maker->enters);
  memset(maker->leaves, 0, maker->model->groups.count * sizeof *maker->leaves);
  memset(maker->spawns, 0, maker->model->processes.count * sizeof *maker->spawns);
  memset(maker->pushes, 0, maker->letters * sizeof *maker->pushes);
  memset(maker->pops, 0, maker->letters * sizeof *maker->pops);
  for (size_t a = 0; a < actions->count; a++) {
    if (maker->alive[a] != 0) {
      count_half(maker, &halves[actions->data[a].half]);
      if (actions->data[a].partner != HD_NONE) {
        count_half(maker, &halves[actions->data[a].partner]);
      }
    }
  }
}

/* Strikes out once; true when something was struck out. */
static bool strike(cycle_maker *maker) {
  const hdi_actions *actions = &maker->reduction->actions;
  const hdi_half *halves = maker->depend->halves.data;
  bool changed = false;
  count_all(maker);
  for (size_t a = 0; a < actions->count; a++) {
    const hdi_action *action = &actions->data[a];
    if (maker->alive[a] != 0 && (has_sticky_edge(maker, action) || !can_repeat(maker, &halves[action->half]) ||
                                 (action->partner != HD_NONE && !can_repeat(maker, &halves[action->partner])))) {
      maker->alive[a] = 0;
      changed = true;
    }
  }
  return changed;
}

static void choose(cycle_maker *maker) {
  hdi_actions *actions = &maker->reduction->actions;
  const hdi_half *halves = maker->depend->halves.data;
  for (size_t first = 0; first < actions->count;) {
    while (strike(maker)) {}
    while (first < actions->count && maker->alive[first] == 0) {
      first++;
    }
    if (first < actions->count) {
      maker->sticky_edge[halves[actions->data[first].half].edge] = 1;
    }
  }
  for (size_t a = 0; a < actions->count; a++) {
    actions->data[a].sticky = has_sticky_edge(maker, &actions->data[a]);
  }
}

static size_t index_letters(cycle_maker *maker) {
  size_t letters = 0;
  for (size_t i = 0; i < maker->model->fields.count; i++) {
    maker->letter_row[i] = HD_NONE;
  }
  for (size_t q = 0; q < maker->model->queues.count; q++) {
    maker->letter_row[maker->model->queues.data[q].field] = (uint32_t)letters;
    letters += maker->model->queues.data[q].letters + (size_t)1;
  }
  return letters;
}

hd_status hdi_sticky_compute(hd_reduction *reduction) {
  const hd_model *model = reduction->model;
  cycle_maker maker = {.reduction = reduction, .model = model, .depend = reduction->depend};
  hd_status status = HD_E_NOMEM;
  size_t most_letters = 1;
  for (size_t q = 0; q < model->queues.count; q++) {
    most_letters += model->queues.data[q].letters + (size_t)1;
  }
  maker.alive = malloc(reduction->actions.count + 1);
  maker.sticky_edge = calloc(model->edges.count + 1, 1);
  maker.enters = calloc(model->groups.count + 1, sizeof *maker.enters);
  maker.leaves = calloc(model->groups.count + 1, sizeof *maker.leaves);
  maker.spawns = calloc(model->processes.count + 1, sizeof *maker.spawns);
  maker.letter_row = calloc(model->fields.count + 1, sizeof *maker.letter_row);
  maker.pushes = calloc(most_letters, sizeof *maker.pushes);
  maker.pops = calloc(most_letters, sizeof *maker.pops);
  if (maker.alive != NULL && maker.sticky_edge != NULL && maker.enters != NULL && maker.leaves != NULL &&
      maker.spawns != NULL && maker.letter_row != NULL && maker.pushes != NULL && maker.pops != NULL) {
    maker.letters = index_letters(&maker);
    memset(maker.alive, 1, reduction->actions.count);
    choose(&maker);
    status = HD_OK;
  }
  free(maker.alive);
  free(maker.sticky_edge);
  free(maker.enters);
  free(maker.leaves);
  free(maker.spawns);
  free(maker.letter_row);
  free(maker.pushes);
  free(maker.pops);
  return status;
}
