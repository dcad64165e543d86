/* Making a reduction: actions, who conflicts with whom, who can make a condition true.
 *
 *   actions     the halves without partner, and every sending half with every receiving half of another instance whose
 *               channel may be the same; in step order
 *   toucher     per resource: the actions that touch it and how. Two actions can only conflict over a resource, so
 *               conflicts are looked for among the touchers of the resources that an action touches
 *   conflicts   A and B touch one resource in ways that do not commute, unless their conditions contradict each other,
 *               in which case no state enables both
 *   cures       per condition, the actions that can make it true; equal conditions share a list. A letter at the head
 *               has two: who pushes it (for an empty queue) and who pops (for another letter)
 *
 * Which ways commute (docs/reductions.md, lemma 2): two reads; and a PUSH with a POP of one queue: when both are
 * enabled the queue is neither full nor empty, so they work at different ends.
 * Everything is deterministic and read-only once made. Cost: see hd_reduction_new; a model that would need more than
 * LIST_MAX entries is refused. */
#include "core/model/relations.h"

#include "core/model/stepper.h"

#include <string.h>

#define ACTIONS_MAX ((size_t)1 << 16)
#define LIST_MAX ((size_t)1 << 25)
#define PAIRS_TRIED_MAX ((uint64_t)1 << 26)

const char *hd_reduce_words(hd_reduce reduce) {
  static const char *const words[] = {
#define HDI_REDUCE_WORDS(identifier, text) text,
      HD_REDUCE_TABLE(HDI_REDUCE_WORDS)
#undef HDI_REDUCE_WORDS
  };
  HD_REQUIRE((unsigned)reduce < HD_REDUCE_COUNT);
  return words[reduce];
}

/* One touch of a resource by an action. */
typedef struct toucher {
  uint32_t action, touch;
} toucher;

#define HD_ARRAY_NAME touchers
#define HD_ARRAY_TYPE toucher
#include "core/base/array.h"

typedef struct relation_maker {
  hd_reduction *reduction;
  const hd_model *model;
  const hdi_depend *depend;
  hd_status status;
  const char *refusal;
  hdi_numbers rows; /* per resource: touchers [rows[r], rows[r + 1]) */
  touchers touchers;
  hdi_numbers seen; /* per action: stamp */
  uint32_t stamp;
  hdi_numbers slots; /* hash of conditions: first condition with this key + 1 */
} relation_maker;

static void note(relation_maker *maker, hd_status status) {
  if (maker->status == HD_OK) {
    maker->status = status;
  }
}

static bool goes_on(const relation_maker *maker) {
  return maker->status == HD_OK && maker->refusal == NULL;
}

static hd_status fill(hdi_numbers *numbers, size_t count, uint32_t value) {
  if (hdi_numbers_reserve(numbers, count + 1) != HD_OK) {
    return HD_E_NOMEM;
  }
  for (size_t i = 0; i < count; i++) {
    numbers->data[i] = value;
  }
  numbers->count = count;
  return HD_OK;
}

/* ---- actions ---- */

static const hdi_half *half_of(const relation_maker *maker, uint32_t half) {
  return &maker->depend->halves.data[half];
}

/* Both sides write one queue: whether the receiver's statement is possible depends on what the sender's did. */
static bool share_a_queue(const relation_maker *maker, const hdi_half *a, const hdi_half *b) {
  for (size_t q = 0; q < maker->model->queues.count; q++) {
    uint32_t resource = maker->model->queues.data[q].field;
    bool in_a = false, in_b = false;
    for (uint32_t i = 0; i < a->touch_count; i++) {
      const hdi_touch *touch = &maker->depend->touches.data[a->touches + i];
      in_a |= touch->resource == resource && (touch->kinds & HDI_TOUCH_WRITE) != 0;
    }
    for (uint32_t i = 0; in_a && i < b->touch_count; i++) {
      const hdi_touch *touch = &maker->depend->touches.data[b->touches + i];
      in_b |= touch->resource == resource && (touch->kinds & HDI_TOUCH_WRITE) != 0;
    }
    if (in_a && in_b) {
      return true;
    }
  }
  return false;
}

static void add_action(relation_maker *maker, uint32_t half, uint32_t partner) {
  hdi_action action = {.half = half, .partner = partner, .may_fault = half_of(maker, half)->may_fault};
  if (partner != HD_NONE) {
    action.may_fault |= half_of(maker, partner)->may_fault;
    if (share_a_queue(maker, half_of(maker, half), half_of(maker, partner))) {
      maker->refusal = "both sides of a rendezvous use one queue";
    }
  }
  if (maker->reduction->actions.count >= ACTIONS_MAX) {
    maker->refusal = "the model has too many steps";
    return;
  }
  note(maker, hdi_actions_push(&maker->reduction->actions, action));
}

static void add_pairs(relation_maker *maker, uint32_t sender, const hdi_numbers *receivers) {
  const hdi_half *s = half_of(maker, sender);
  for (size_t i = 0; i < receivers->count && goes_on(maker); i++) {
    const hdi_half *r = half_of(maker, receivers->data[i]);
    bool same = !s->channel_fixed || !r->channel_fixed || s->channel == r->channel;
    if (same && s->instance != r->instance) {
      add_action(maker, sender, receivers->data[i]);
    }
  }
}

static void make_actions(relation_maker *maker) {
  const hdi_halves *halves = &maker->depend->halves;
  hdi_numbers *places = &maker->reduction->places;
  hdi_numbers receivers = {0};
  uint64_t senders = 0;
  for (size_t i = 0; i < halves->count; i++) {
    senders += halves->data[i].side == HD_SIDE_SEND;
    if (halves->data[i].side == HD_SIDE_RECEIVE) {
      note(maker, hdi_numbers_push(&receivers, (uint32_t)i));
    }
  }
  if (senders * receivers.count > PAIRS_TRIED_MAX) {
    maker->refusal = "the model has too many steps";
  }
  note(maker, hdi_numbers_reserve(places, maker->model->groups.count + 1));
  size_t h = 0;
  for (uint32_t g = 0; g < maker->model->groups.count && goes_on(maker); g++) {
    places->data[places->count++] = (uint32_t)maker->reduction->actions.count;
    for (; h < halves->count && halves->data[h].rules < maker->model->groups.data[g].end && goes_on(maker); h++) {
      if (halves->data[h].side == HD_SIDE_NONE) {
        add_action(maker, (uint32_t)h, HD_NONE);
      } else if (halves->data[h].side == HD_SIDE_SEND) {
        add_pairs(maker, (uint32_t)h, &receivers);
      }
    }
  }
  if (goes_on(maker)) {
    places->data[places->count++] = (uint32_t)maker->reduction->actions.count;
  }
  hdi_numbers_free(&receivers);
}

/* ---- who touches what ---- */

/* Calls for each half of an action. */
static uint32_t halves_of(const hdi_action *action, uint32_t halves[2]) {
  halves[0] = action->half;
  halves[1] = action->partner;
  return action->partner == HD_NONE ? 1 : 2;
}

static void index_touchers(relation_maker *maker) {
  const hdi_actions *actions = &maker->reduction->actions;
  size_t resources = maker->model->fields.count, total = 0;
  note(maker, fill(&maker->rows, resources + 2, 0));
  note(maker, fill(&maker->seen, actions->count, 0));
  for (uint32_t turn = 0; turn < 2 && goes_on(maker); turn++) {
    for (size_t i = 0; i < actions->count; i++) {
      uint32_t halves[2];
      uint32_t count = halves_of(&actions->data[i], halves);
      for (uint32_t k = 0; k < count; k++) {
        const hdi_half *half = half_of(maker, halves[k]);
        for (uint32_t t = half->touches; t < half->touches + half->touch_count; t++) {
          uint32_t *row = &maker->rows.data[maker->depend->touches.data[t].resource + (turn == 0 ? 2 : 1)];
          if (turn == 1) {
            maker->touchers.data[*row] = (toucher){.action = (uint32_t)i, .touch = t};
          }
          ++*row;
          total += turn == 0;
        }
      }
    }
    if (turn == 0) {
      for (size_t r = 0; r < resources; r++) {
        maker->rows.data[r + 2] += maker->rows.data[r + 1];
      }
      if (total > LIST_MAX) {
        maker->refusal = "the model has too many steps";
      } else {
        note(maker, touchers_reserve(&maker->touchers, total + 1));
      }
    }
  }
}

/* ---- conflicts ---- */

static bool commute(uint32_t a, uint32_t b) {
  uint32_t queue_ends = HDI_TOUCH_PUSH | HDI_TOUCH_POP;
  if (((a | b) & HDI_TOUCH_WRITE) != 0) {
    return false;
  }
  if (((a & HDI_TOUCH_READ) != 0 && (b & queue_ends) != 0) || ((b & HDI_TOUCH_READ) != 0 && (a & queue_ends) != 0)) {
    return false;
  }
  return (a & b & queue_ends) == 0;
}

/* No state satisfies both tests. */
static bool contradict(const hdi_cond *a, const hdi_cond *b) {
  if (a->test.word != b->test.word || (a->some && b->some)) {
    return false;
  }
  if (!a->some && !b->some) {
    return ((a->test.value ^ b->test.value) & a->test.mask & b->test.mask) != 0;
  }
  const hdi_test *some = a->some ? &a->test : &b->test;
  const hdi_test *equal = a->some ? &b->test : &a->test;
  return (some->mask & ~equal->mask) == 0 && (equal->value & some->mask) == 0;
}

static bool halves_exclude(const relation_maker *maker, const hdi_half *a, const hdi_half *b) {
  if (a->instance == b->instance) {
    if (a->place != b->place) {
      return true;
    }
  }
  for (uint32_t i = 0; i < a->cond_count; i++) {
    for (uint32_t j = 0; j < b->cond_count; j++) {
      if (contradict(&maker->depend->conds.data[a->conds + i], &maker->depend->conds.data[b->conds + j])) {
        return true;
      }
    }
  }
  return false;
}

/* No state enables both. */
static bool exclude(const relation_maker *maker, const hdi_action *a, const hdi_action *b) {
  uint32_t in_a[2], in_b[2];
  uint32_t count_a = halves_of(a, in_a), count_b = halves_of(b, in_b);
  for (uint32_t i = 0; i < count_a; i++) {
    for (uint32_t j = 0; j < count_b; j++) {
      if (halves_exclude(maker, half_of(maker, in_a[i]), half_of(maker, in_b[j]))) {
        return true;
      }
    }
  }
  return false;
}

/* The conflicts over the resource of one touch of action `number`. */
static void conflicts_over(relation_maker *maker, uint32_t number, uint32_t touch) {
  hd_reduction *reduction = maker->reduction;
  const hdi_touch *own = &maker->depend->touches.data[touch];
  for (uint32_t i = maker->rows.data[own->resource]; i < maker->rows.data[own->resource + 1]; i++) {
    const toucher *other = &maker->touchers.data[i];
    if (other->action == number || maker->seen.data[other->action] == maker->stamp ||
        commute(own->kinds, maker->depend->touches.data[other->touch].kinds)) {
      continue;
    }
    maker->seen.data[other->action] = maker->stamp;
    if (!exclude(maker, &reduction->actions.data[number], &reduction->actions.data[other->action])) {
      note(maker, hdi_numbers_push(&reduction->conflicts, other->action));
    }
  }
}

static void make_conflicts(relation_maker *maker) {
  hd_reduction *reduction = maker->reduction;
  for (uint32_t a = 0; a < reduction->actions.count && goes_on(maker); a++) {
    hdi_action *action = &reduction->actions.data[a];
    uint32_t halves[2];
    uint32_t count = halves_of(action, halves);
    maker->stamp++;
    action->conflicts = (uint32_t)reduction->conflicts.count;
    for (uint32_t k = 0; k < count; k++) {
      const hdi_half *half = half_of(maker, halves[k]);
      for (uint32_t t = half->touches; t < half->touches + half->touch_count && goes_on(maker); t++) {
        conflicts_over(maker, a, t);
      }
    }
    action->conflict_end = (uint32_t)reduction->conflicts.count;
    if (reduction->conflicts.count > LIST_MAX) {
      maker->refusal = "the model has too many steps";
    }
  }
}

/* ---- cures ---- */

/* Can this touch make the condition true? `other`: for HEAD, when another letter is at the head. */
static bool may_cure(const hdi_cond *cond, const hdi_touch *touch, bool other) {
  bool writes = (touch->kinds & HDI_TOUCH_WRITE) != 0;
  switch ((hdi_need)cond->need) {
    case HDI_NEED_VALUE: {
      uint64_t bits = touch->value << cond->shift;
      bool fails = cond->some ? (bits & cond->test.mask) == 0 : (bits & cond->test.mask) != cond->test.value;
      return writes && !(touch->known && fails);
    }
    case HDI_NEED_HEAD:
      if (other) {
        return writes || (touch->kinds & HDI_TOUCH_POP) != 0;
      }
      return writes || ((touch->kinds & HDI_TOUCH_PUSH) != 0 && !(touch->known && touch->value != cond->letter));
    case HDI_NEED_FILLED:
      return writes || (touch->kinds & HDI_TOUCH_PUSH) != 0;
    case HDI_NEED_ROOM:
      return writes || (touch->kinds & HDI_TOUCH_POP) != 0;
    case HDI_NEED_QUEUE:
      return (touch->kinds & ~HDI_TOUCH_READ) != 0;
  }
  return true;
}

static void begin_list(relation_maker *maker, hdi_action_list *list) {
  maker->stamp++;
  list->begin = list->end = (uint32_t)maker->reduction->lists.count;
}

static void add_to_list(relation_maker *maker, hdi_action_list *list, uint32_t action) {
  if (maker->seen.data[action] == maker->stamp) {
    return;
  }
  maker->seen.data[action] = maker->stamp;
  note(maker, hdi_numbers_push(&maker->reduction->lists, action));
  list->end = (uint32_t)maker->reduction->lists.count;
  if (maker->reduction->lists.count > LIST_MAX) {
    maker->refusal = "the model has too many steps";
  }
}

static void list_cures(relation_maker *maker, const hdi_cond *cond, bool other, hdi_action_list *list) {
  begin_list(maker, list);
  for (uint32_t i = maker->rows.data[cond->resource]; i < maker->rows.data[cond->resource + 1] && goes_on(maker); i++) {
    const toucher *at = &maker->touchers.data[i];
    if (may_cure(cond, &maker->depend->touches.data[at->touch], other)) {
      add_to_list(maker, list, at->action);
    }
  }
}

static bool same_cond(const hdi_cond *a, const hdi_cond *b) {
  return a->resource == b->resource && a->need == b->need && a->some == b->some && a->letter == b->letter &&
         a->test.mask == b->test.mask && a->test.value == b->test.value;
}

/* An earlier condition with the same cures, or `number` itself. */
static uint32_t find_cond(relation_maker *maker, uint32_t number) {
  const hdi_cond *cond = &maker->depend->conds.data[number];
  uint64_t hash = (cond->resource * UINT64_C(8) + cond->need) ^ (cond->test.value * UINT64_C(31)) ^ cond->letter;
  hash = (hash ^ cond->test.mask) * UINT64_C(0x9e3779b97f4a7c15);
  size_t mask = maker->slots.count - 1;
  for (size_t i = (size_t)(hash >> 32) & mask;; i = (i + 1) & mask) {
    uint32_t *slot = &maker->slots.data[i];
    if (*slot == 0) {
      *slot = number + 1;
      return number;
    }
    if (same_cond(&maker->depend->conds.data[*slot - 1], cond)) {
      return *slot - 1;
    }
  }
}

static void make_cures(relation_maker *maker) {
  hd_reduction *reduction = maker->reduction;
  const hdi_conds *conds = &maker->depend->conds;
  size_t slots = 16;
  while (slots < 2 * conds->count) {
    slots *= 2;
  }
  note(maker, fill(&maker->slots, slots, 0));
  note(maker, hdi_action_lists_reserve(&reduction->cures, 2 * conds->count + 1));
  for (uint32_t i = 0; i < conds->count && goes_on(maker); i++) {
    uint32_t same = find_cond(maker, i);
    hdi_action_list *lists = &reduction->cures.data[2 * (size_t)i];
    if (same != i) {
      memcpy(lists, &reduction->cures.data[2 * (size_t)same], 2 * sizeof *lists);
      continue;
    }
    list_cures(maker, &conds->data[i], false, &lists[0]);
    lists[1] = lists[0];
    if (conds->data[i].need == HDI_NEED_HEAD) {
      list_cures(maker, &conds->data[i], true, &lists[1]);
    }
  }
}

static void make_rests(relation_maker *maker) {
  hd_reduction *reduction = maker->reduction;
  const hdi_halves *halves = &maker->depend->halves;
  note(maker, hdi_action_lists_reserve(&reduction->rests, halves->count + 1));
  for (uint32_t h = 0; h < halves->count && goes_on(maker); h++) {
    const hdi_half *half = &halves->data[h];
    hdi_action_list *list = &reduction->rests.data[h];
    begin_list(maker, list);
    for (uint32_t i = half->rest; i < half->rest + half->rest_count; i++) {
      uint32_t resource = maker->depend->rest.data[i];
      for (uint32_t t = maker->rows.data[resource]; t < maker->rows.data[resource + 1] && goes_on(maker); t++) {
        const toucher *at = &maker->touchers.data[t];
        if ((maker->depend->touches.data[at->touch].kinds & ~HDI_TOUCH_READ) != 0) {
          add_to_list(maker, list, at->action);
        }
      }
    }
  }
}

/* ---- eager locations ---- */

/* A stepper lets an eager process go first; that must be a stubborn set by itself, whatever the frontend proved. */
static void require_eager(relation_maker *maker) {
  const hd_model *model = maker->model;
  for (size_t a = 0; a < maker->reduction->actions.count && model->has_eager; a++) {
    const hdi_action *action = &maker->reduction->actions.data[a];
    const hdi_edge *edge = &model->edges.data[half_of(maker, action->half)->edge];
    if ((model->locs.data[edge->from].flags & HD_LOC_EAGER) != 0 &&
        (action->conflicts != action->conflict_end || maker->reduction->reduce == HD_REDUCE_FOR_CHECKS)) {
      maker->refusal = "a process at an eager location makes steps that others are not independent of";
      return;
    }
  }
}

/* ---- the reduction ---- */

static bool has_protected(const hd_model *model, const hd_filter *filter) {
  for (size_t i = 0; filter != NULL && i < model->locs.count; i++) {
    if (filter->flags[i] != 0) {
      return true;
    }
  }
  return false;
}

static void make(relation_maker *maker) {
  make_actions(maker);
  if (goes_on(maker)) {
    index_touchers(maker);
  }
  if (goes_on(maker)) {
    make_conflicts(maker);
  }
  if (goes_on(maker)) {
    make_cures(maker);
  }
  if (goes_on(maker)) {
    make_rests(maker);
  }
  if (goes_on(maker)) {
    require_eager(maker);
  }
  if (goes_on(maker) && maker->reduction->reduce == HD_REDUCE_FOR_CHECKS) {
    note(maker, hdi_sticky_compute(maker->reduction));
  }
}

hd_status hd_reduction_new(const hd_model *model, const hd_filter *filter, hd_reduce reduce, hd_reduction **out,
                           const char **refusal) {
  *out = NULL;
  *refusal = reduce == HD_REDUCE_NOTHING ? NULL : model->depend->refusal;
  if (*refusal == NULL && has_protected(model, filter)) {
    *refusal = "the filter protects locations";
  }
  if (*refusal != NULL || reduce == HD_REDUCE_NOTHING) {
    return HD_OK;
  }
  hd_reduction *reduction = calloc(1, sizeof *reduction);
  if (reduction == NULL) {
    return HD_E_NOMEM;
  }
  reduction->model = model;
  reduction->depend = model->depend;
  reduction->reduce = reduce;
  relation_maker maker = {.reduction = reduction, .model = model, .depend = model->depend, .status = HD_OK};
  make(&maker);
  hdi_numbers_free(&maker.rows);
  hdi_numbers_free(&maker.seen);
  hdi_numbers_free(&maker.slots);
  touchers_free(&maker.touchers);
  if (!goes_on(&maker)) {
    hd_reduction_free(reduction);
    *refusal = maker.refusal;
    return maker.status;
  }
  *out = reduction;
  return HD_OK;
}

void hd_reduction_free(hd_reduction *reduction) {
  if (reduction != NULL) {
    hdi_actions_free(&reduction->actions);
    hdi_numbers_free(&reduction->places);
    hdi_numbers_free(&reduction->conflicts);
    hdi_numbers_free(&reduction->lists);
    hdi_action_lists_free(&reduction->cures);
    hdi_action_lists_free(&reduction->rests);
    free(reduction);
  }
}
