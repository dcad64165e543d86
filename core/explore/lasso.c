/* From a state into a bottom component, and round it.
 *
 *   1. breadth-first from the state: numbers in order of discovery, arcs as numbers, each state's first predecessor
 *   2. Tarjan's algorithm on the arcs (Depth-First Search and Linear Graph Algorithms, 1972), without recursion: the
 *      component of each state; a component that no arc leaves is a bottom one
 *   3. t = the state with the least number that lies in a bottom component; the way to it follows the predecessors
 *   4. breadth-first from t: the first arc back to t closes a shortest cycle. A component of one state without an arc
 *      to itself has none: everybody has stopped there
 *   5. the states of the component are stepped once more: who moves?
 *
 * Everything follows from step order, so the answer is the same in every run. The explored part is bounded: this is for
 * showing a finding, which stands without it. One thread. Memory: the states, 16 bytes and 4 for each arc. */
#include "core/explore/lasso.h"

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/machine.h"
#include "core/explore/judge.h"

#include <stdlib.h>
#include <string.h>

#define HD_ARRAY_NAME number_list
#define HD_ARRAY_TYPE uint32_t
#include "core/base/array.h"

/* A state by its number; the words may move. */
typedef struct state_key {
  const uint64_t *const *states;
  uint32_t words, number;
} state_key;

static const uint64_t *key_words(state_key key) {
  return *key.states + (size_t)key.number * key.words;
}

#define HD_MAP_NAME state_map
#define HD_MAP_KEY state_key
#define HD_MAP_VALUE uint32_t
#define HD_MAP_HASH(key) hd_hash_bytes(key_words(key), (key).words * sizeof(uint64_t))
#define HD_MAP_EQUAL(a, b) (memcmp(key_words(a), key_words(b), (a).words * sizeof(uint64_t)) == 0)
#include "core/base/map.h"

typedef struct part {
  const hd_search *search;
  hd_stepper *stepper;
  hdi_words states; /* by number */
  const uint64_t *data;
  state_map map;
  number_list arcs, first_arc; /* arcs of state n: arcs[first_arc[n] .. first_arc[n+1]) */
  number_list before;          /* first predecessor */
  number_list component;       /* by state; numbered in the order in which they are completed */
  uint64_t *going;             /* step 5: bits */
  uint32_t words, from, countdown;
  size_t memory_max_bytes;
  double deadline;
  hd_status status;
} part;

/* ---- 1: exploring ---- */

static size_t size_bytes(const part *p) {
  return p->states.capacity * sizeof(uint64_t) + (p->arcs.capacity + p->first_arc.capacity) * sizeof(uint32_t) +
         p->map.capacity * sizeof(state_map_entry) + p->map.slot_count * sizeof(uint32_t);
}

/* Looks at the limits now and then; false when one is reached. */
static bool go_on(part *p) {
  if (--p->countdown > 0) {
    return true;
  }
  p->countdown = HDI_CHECK_INTERVAL;
  /* HD-SYNC O1: relaxed; pairs with O1 in the caller, a store of any order. Publishes: nothing. Why not weaker: it is
   * the weakest. Why not stronger: no data comes with the flag. */
  if (p->search->cancel != NULL && hd_load_rlx(p->search->cancel) != 0) {
    p->status = HD_E_CANCELLED;
  } else if ((p->deadline > 0 && hd_machine_seconds() >= p->deadline) ||
             (p->memory_max_bytes != 0 && size_bytes(p) > p->memory_max_bytes)) {
    p->status = HD_E_LIMIT;
  }
  return p->status == HD_OK;
}

/* The number of `state`; a new one when it was not known. */
static hd_status number_of(part *p, const uint64_t *state, uint32_t before, uint32_t *number) {
  size_t count = p->states.count / p->words;
  if (hdi_words_append(&p->states, state, p->words) != HD_OK) {
    return HD_E_NOMEM;
  }
  p->data = p->states.data;
  state_key key = {.states = &p->data, .words = p->words, .number = (uint32_t)count};
  uint32_t *value;
  bool fresh;
  hd_status status = state_map_put(&p->map, key, key.number, &value, &fresh);
  if (status == HD_OK) {
    *number = *value;
  }
  if (status != HD_OK || !fresh) {
    p->states.count -= p->words;
    return status;
  }
  return count >= HDI_LASSO_STATES_MAX ? HD_E_LIMIT : number_list_push(&p->before, before);
}

static bool add_arc(void *payload, const uint64_t *next, const hd_step *step) {
  part *p = payload;
  (void)step;
  if (next != NULL) {
    uint32_t to = 0;
    p->status = number_of(p, next, p->from, &to);
    if (p->status == HD_OK) {
      p->status = number_list_push(&p->arcs, to);
    }
    if (p->status == HD_OK && p->arcs.count >= UINT32_MAX) {
      p->status = HD_E_LIMIT;
    }
  }
  return p->status == HD_OK && go_on(p);
}

/* Steps state `number`, whose words may move meanwhile. */
static hd_status step_state(part *p, uint32_t number, uint64_t *copy, hd_emit emit) {
  memcpy(copy, p->states.data + (size_t)number * p->words, p->words * sizeof *copy);
  hd_status status = hd_stepper_run(p->stepper, copy, HD_WEIGHT_ANY, emit, p);
  return status == HD_OK || status == HD_E_CANCELLED ? p->status : status;
}

static hd_status explore(part *p, const uint64_t *state, uint64_t *copy) {
  uint32_t number = 0;
  hd_status status = number_of(p, state, 0, &number);
  for (p->from = 0; status == HD_OK && p->from < p->states.count / p->words; p->from++) {
    status = number_list_push(&p->first_arc, (uint32_t)p->arcs.count);
    if (status == HD_OK) {
      status = step_state(p, p->from, copy, add_arc);
    }
  }
  return status == HD_OK ? number_list_push(&p->first_arc, (uint32_t)p->arcs.count) : status;
}

/* ---- 2: components ---- */

typedef struct tarjan {
  part *p;
  number_list order, low; /* 0: not visited */
  number_list next_arc;   /* of each visited state */
  number_list path;       /* the depth-first path */
  number_list open;       /* visited states without a component */
  uint32_t visited, components;
} tarjan;

static hd_status visit(tarjan *t, uint32_t state) {
  t->order.data[state] = t->low.data[state] = ++t->visited;
  t->next_arc.data[state] = t->p->first_arc.data[state];
  hd_status status = number_list_push(&t->path, state);
  return status == HD_OK ? number_list_push(&t->open, state) : status;
}

static void take_low(tarjan *t, uint32_t state, uint32_t low) {
  if (low < t->low.data[state]) {
    t->low.data[state] = low;
  }
}

/* All arcs of the path's last state have been followed. */
static void leave(tarjan *t) {
  uint32_t state = number_list_pop(&t->path);
  if (t->low.data[state] == t->order.data[state]) {
    uint32_t member;
    do {
      member = number_list_pop(&t->open);
      t->p->component.data[member] = t->components;
    } while (member != state);
    t->components++;
  }
  if (t->path.count > 0) {
    take_low(t, t->path.data[t->path.count - 1], t->low.data[state]);
  }
}

static hd_status fill_list(number_list *list, size_t count, uint32_t value) {
  hd_status status = number_list_reserve(list, count);
  for (size_t i = 0; status == HD_OK && i < count; i++) {
    list->data[i] = value;
  }
  list->count = status == HD_OK ? count : 0;
  return status;
}

/* All states are reachable from state 0. */
static hd_status find_components(tarjan *t) {
  part *p = t->p;
  size_t count = p->states.count / p->words;
  if (fill_list(&t->order, count, 0) != HD_OK || fill_list(&t->low, count, 0) != HD_OK ||
      fill_list(&t->next_arc, count, 0) != HD_OK || fill_list(&p->component, count, HD_NONE) != HD_OK) {
    return HD_E_NOMEM;
  }
  hd_status status = visit(t, 0);
  while (status == HD_OK && t->path.count > 0) {
    uint32_t state = t->path.data[t->path.count - 1];
    if (!go_on(p)) {
      return p->status;
    }
    if (t->next_arc.data[state] == p->first_arc.data[state + 1]) {
      leave(t);
      continue;
    }
    uint32_t to = p->arcs.data[t->next_arc.data[state]++];
    if (t->order.data[to] == 0) {
      status = visit(t, to);
    } else if (p->component.data[to] == HD_NONE) {
      take_low(t, state, t->order.data[to]);
    }
  }
  return status;
}

static hd_status components(part *p) {
  tarjan t = {.p = p};
  hd_status status = find_components(&t);
  number_list_free(&t.order);
  number_list_free(&t.low);
  number_list_free(&t.next_arc);
  number_list_free(&t.path);
  number_list_free(&t.open);
  return status;
}

/* ---- 3 and 4: the way and the cycle ---- */

/* The least state of a bottom component. */
static hd_status nearest_bottom(const part *p, uint32_t *nearest) {
  size_t count = p->states.count / p->words;
  number_list leaky = {0}; /* by component: does an arc leave it? */
  hd_status status = fill_list(&leaky, count, 0);
  if (status != HD_OK) {
    return status;
  }
  for (uint32_t s = 0; s < count; s++) {
    for (uint32_t a = p->first_arc.data[s]; a < p->first_arc.data[s + 1]; a++) {
      if (p->component.data[p->arcs.data[a]] != p->component.data[s]) {
        leaky.data[p->component.data[s]] = 1;
      }
    }
  }
  *nearest = 0;
  while (leaky.data[p->component.data[*nearest]] != 0) { /* a finite graph has a bottom component */
    ++*nearest;
  }
  number_list_free(&leaky);
  return HD_OK;
}

/* Appends the states from behind `from` to `to`, which `before` leads back to `from`. */
static hd_status append_way(const part *p, const number_list *before, uint32_t from, uint32_t to, hdi_words *out) {
  number_list way = {0};
  hd_status status = HD_OK;
  for (uint32_t s = to; s != from && status == HD_OK; s = before->data[s]) {
    status = number_list_push(&way, s);
  }
  while (way.count > 0 && status == HD_OK) {
    status = hdi_words_append(out, p->states.data + (size_t)number_list_pop(&way) * p->words, p->words);
  }
  number_list_free(&way);
  return status;
}

/* Appends a shortest cycle from `start`, if there is one. */
static hd_status append_cycle(const part *p, uint32_t start, hdi_words *out) {
  number_list before = {0}, queue = {0};
  hd_status status = fill_list(&before, p->states.count / p->words, HD_NONE);
  status = status == HD_OK ? number_list_push(&queue, start) : status;
  bool closed = false;
  for (size_t i = 0; status == HD_OK && !closed && i < queue.count; i++) {
    uint32_t s = queue.data[i];
    for (uint32_t a = p->first_arc.data[s]; status == HD_OK && !closed && a < p->first_arc.data[s + 1]; a++) {
      uint32_t to = p->arcs.data[a];
      if (to == start) {
        closed = true;
        status = append_way(p, &before, start, s, out);
        status = status == HD_OK ? hdi_words_append(out, p->states.data + (size_t)start * p->words, p->words) : status;
      } else if (before.data[to] == HD_NONE) {
        before.data[to] = s;
        status = number_list_push(&queue, to);
      }
    }
  }
  number_list_free(&before);
  number_list_free(&queue);
  return status;
}

/* ---- 5: who moves ---- */

static bool add_going(void *payload, const uint64_t *next, const hd_step *step) {
  part *p = payload;
  (void)next;
  hdi_add_movers(p->stepper, step, p->going);
  return go_on(p);
}

static hd_status find_going(part *p, uint32_t component, uint64_t *copy) {
  hd_status status = HD_OK;
  for (uint32_t s = 0; status == HD_OK && s < p->states.count / p->words; s++) {
    if (p->component.data[s] == component) {
      status = step_state(p, s, copy, add_going);
    }
  }
  return status;
}

static hd_status find(part *p, const uint64_t *state, uint64_t *copy, hdi_lasso *lasso) {
  uint32_t bottom = 0;
  hd_status status = explore(p, state, copy);
  status = status == HD_OK ? components(p) : status;
  status = status == HD_OK ? nearest_bottom(p, &bottom) : status;
  status = status == HD_OK ? append_way(p, &p->before, 0, bottom, &lasso->states) : status;
  lasso->way = lasso->states.count / p->words;
  status = status == HD_OK ? append_cycle(p, bottom, &lasso->states) : status;
  p->going = lasso->going.data;
  return status == HD_OK ? find_going(p, p->component.data[bottom], copy) : status;
}

static hd_status init_going(const hd_model *model, hdi_words *going) {
  size_t words = hd_model_instances(model) / 64 + 1;
  hd_status status = hdi_words_reserve(going, words);
  if (status == HD_OK) {
    memset(going->data, 0, words * sizeof *going->data);
    going->count = words;
  }
  return status;
}

hd_status hdi_lasso_find(const hd_search *search, const uint64_t *state, size_t memory_max_bytes, double deadline,
                         hdi_lasso *lasso) {
  memset(lasso, 0, sizeof *lasso);
  part p = {.search = search,
            .words = hd_model_words(search->model),
            .countdown = 1,
            .memory_max_bytes = memory_max_bytes,
            .deadline = deadline};
  p.stepper = hd_stepper_new(search->model, search->filter);
  uint64_t *copy = malloc(p.words * sizeof *copy);
  hd_status status = p.stepper == NULL || copy == NULL ? HD_E_NOMEM : init_going(search->model, &lasso->going);
  status = status == HD_OK ? find(&p, state, copy, lasso) : status;
  free(copy);
  hd_stepper_free(p.stepper);
  hdi_words_free(&p.states);
  state_map_free(&p.map);
  number_list_free(&p.arcs);
  number_list_free(&p.first_arc);
  number_list_free(&p.before);
  number_list_free(&p.component);
  if (status != HD_OK) {
    hdi_lasso_clear(lasso);
  }
  return status;
}

void hdi_lasso_clear(hdi_lasso *lasso) {
  hdi_words_free(&lasso->states);
  hdi_words_free(&lasso->going);
  memset(lasso, 0, sizeof *lasso);
}
