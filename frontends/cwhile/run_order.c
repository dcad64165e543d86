/* Images of runs up to free transformations (runs.h).
 *
 * Two neighbouring steps of different threads that touch nothing in common may change places without anything else
 * changing; a run is the same as all that come of it in this way. Where a lock is taken earlier than before, the others
 * may have to move first or later for it, though nothing that they do depends on it: the dining philosophers who take
 * their forks in another order.
 *
 *   place   state of the edited program | which events of the run are done | whose turn it is
 *   step    its events are the next ones of their statement in its thread, take the same ways, and everything of other
 *           threads that the run has before them and that they depend on is done
 *
 * Places are visited depth first, each once. Threads: one walk on one thread. Cost: PLACES_MAX places.
 * @source Cerny, Henzinger, Radhakrishna, Ryzhyk, Tarrach: Regression-free synthesis for concurrency, CAV 2014, section
 * 2; the classes are Mazurkiewicz's traces */
#include "frontends/cwhile/runs.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 20000, EVENTS_MAX = 4000 };

/* State, done events, turn: one row of words. */
typedef struct place {
  const uint64_t *row;
  uint32_t words;
} place;

#define HD_MAP_NAME places
#define HD_MAP_KEY place
#define HD_MAP_VALUE bool
#define HD_MAP_HASH(key) hd_hash_bytes((key).row, (key).words * sizeof *(key).row)
#define HD_MAP_EQUAL(a, b) (memcmp((a).row, (b).row, (a).words * sizeof *(a).row) == 0)
#include "core/base/map.h"

#define HD_ARRAY_NAME rows
#define HD_ARRAY_TYPE const uint64_t *
#include "core/base/array.h"

typedef struct finder {
  const hd_cw_lowering *after;
  const uint32_t *origin;
  const hdi_cw_complete_run *run;
  bool at_waits;
  hd_arena *arena;
  hd_stepper *stepper;
  size_t vars;
  bool *touches;    /* (event * vars + variable) * 2: reads, writes */
  uint64_t *before; /* event * done_words: what must be done before it */
  uint32_t state_words, done_words, row_words;
  const uint64_t *row; /* of the place that is being left */
  uint64_t *next;      /* a row */
  hdi_cw_events events;
  places seen;
  rows open;
  hd_status status;
} finder;

static bool has_bit(const uint64_t *bits, uint32_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}

static void set_bit(uint64_t *bits, uint32_t i) {
  bits[i / 64] |= (uint64_t)1 << (i % 64);
}

/* ---- what depends on what ---- */

static void note_reads(const hdi_cw_node *node, bool *touches) {
  if (node != NULL) {
    if (node->kind == HDI_CW_NODE_VAR || node->kind == HDI_CW_NODE_ELEMENT) {
      touches[(size_t)node->var * 2] = true;
    }
    note_reads(node->a, touches);
    note_reads(node->b, touches);
  }
}

static bool joins(const hdi_cw_node *node) {
  return node != NULL && (node->kind == HDI_CW_NODE_ENDED || joins(node->a) || joins(node->b));
}

/* What the statement of the event touches, on any of its edges in the thread. *fence: it starts or joins threads. */
static void note_event(const finder *f, const hdi_cw_event *event, bool *touches, bool *fence) {
  const hdi_cw_flow *flow = &f->after->flow;
  for (uint32_t e = 0; e < flow->edges.count; e++) {
    const hdi_cw_edge *edge = &flow->edges.data[e];
    if (edge->thread != event->thread || f->origin[edge->stmt->number] != event->statement) {
      continue;
    }
    note_reads(edge->guard, touches);
    note_reads(flow->axiom, touches);
    *fence = *fence || joins(edge->guard);
    for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
      note_reads(action->index, touches);
      note_reads(action->value, touches);
      *fence = *fence || action->kind == HDI_CW_START;
      if (action->kind == HDI_CW_SET) {
        touches[(size_t)action->var * 2 + 1] = true;
      }
    }
  }
  for (size_t v = 0; v < f->vars; v++) { /* the token of weak blocks is not read for its value */
    touches[v * 2] = touches[v * 2] && !flow->vars.data[v].hidden;
    touches[v * 2 + 1] = touches[v * 2 + 1] && !flow->vars.data[v].hidden;
  }
}

static bool depend(const finder *f, uint32_t a, uint32_t b) {
  const bool *ta = f->touches + a * f->vars * 2, *tb = f->touches + b * f->vars * 2;
  for (size_t v = 0; v < f->vars; v++) {
    if ((ta[v * 2 + 1] && (tb[v * 2] || tb[v * 2 + 1])) || (tb[v * 2 + 1] && ta[v * 2])) {
      return true;
    }
  }
  return false;
}

static void find_dependences(finder *f) {
  const hdi_cw_event *events = f->run->events;
  bool last_fence = false;
  uint32_t fence_at = 0;
  for (uint32_t b = 0; b < f->run->count; b++) {
    bool fence = false;
    note_event(f, &events[b], f->touches + b * f->vars * 2, &fence);
    for (uint32_t a = 0; a < b; a++) {
      bool ordered = fence || (last_fence && a <= fence_at) || depend(f, a, b);
      if (events[a].thread != events[b].thread && ordered) {
        set_bit(f->before + (size_t)b * f->done_words, a);
      }
    }
    if (fence) {
      last_fence = true;
      fence_at = b;
    }
  }
}

/* ---- the walk ---- */

/* The next event of a statement of a thread that is not done; HD_NONE: there is none. */
static uint32_t next_event(const finder *f, const uint64_t *done, uint32_t thread, uint32_t statement) {
  for (uint32_t e = 0; e < f->run->count; e++) {
    const hdi_cw_event *event = &f->run->events[e];
    if (event->thread == thread && event->statement == statement && !has_bit(done, e)) {
      return e;
    }
  }
  return HD_NONE;
}

/* Does what a step executes, in f->events, go on with the run? Marks it in the row `next`. */
static bool goes_on(finder *f, uint32_t thread) {
  uint64_t *done = f->next + f->state_words;
  for (size_t i = 0; i < f->events.count; i++) {
    uint32_t statement = f->origin[f->events.data[i].statement];
    if (statement == HD_NONE) {
      continue; /* the edit added it */
    }
    uint32_t event = next_event(f, done, thread, statement);
    if (event == HD_NONE || f->run->events[event].way != f->events.data[i].way) {
      return false;
    }
    const uint64_t *before = f->before + (size_t)event * f->done_words;
    for (uint32_t w = 0; w < f->done_words; w++) {
      if ((before[w] & ~done[w]) != 0) {
        return false;
      }
    }
    set_bit(done, event);
  }
  return true;
}

static void open_place(finder *f) {
  uint64_t *row = hd_arena_alloc_array(f->arena, f->row_words, sizeof *row);
  bool fresh = false;
  if (row == NULL) {
    f->status = HD_E_NOMEM;
    return;
  }
  memcpy(row, f->next, f->row_words * sizeof *row);
  f->status = places_put(&f->seen, (place){row, f->row_words}, true, NULL, &fresh);
  if (f->status == HD_OK && fresh) {
    f->status = rows_push(&f->open, row);
  }
}

/* May the thread whose turn it is be left where it is? */
static bool may_leave(const finder *f, uint32_t thread) {
  hd_loc loc = hd_model_location(f->after->model, f->row, thread);
  if (hd_model_loc_is_dead(f->after->model, loc)) {
    return true;
  }
  const hdi_cw_loc *own = &f->after->flow.locs.data[hd_model_loc_tag(f->after->model, loc)];
  return own->end || (f->at_waits && own->waits);
}

static bool consider(void *payload, const uint64_t *next, const hd_step *step) {
  finder *f = payload;
  uint64_t turn = f->row[f->row_words - 1]; /* 0: nobody has moved */
  bool same = turn == 0 || turn == (uint64_t)step->instance + 1;
  if (step->fault != HD_FAULT_NONE || (!same && !may_leave(f, (uint32_t)turn - 1))) {
    return true;
  }
  hdi_cw_events_clear(&f->events);
  f->status = hdi_cw_events_of(f->after, f->stepper, step, &f->events);
  memcpy(f->next, next, f->state_words * sizeof *next);
  memcpy(f->next + f->state_words, f->row + f->state_words, f->done_words * sizeof *f->row);
  f->next[f->row_words - 1] = (uint64_t)step->instance + 1;
  if (f->status == HD_OK && goes_on(f, step->instance)) {
    open_place(f);
  }
  return f->status == HD_OK;
}

static bool is_complete(const finder *f, const uint64_t *row) {
  for (uint32_t e = 0; e < f->run->count; e++) {
    if (!has_bit(row + f->state_words, e)) {
      return false;
    }
  }
  return hd_cw_all_ended(f->after, row);
}

static void walk(finder *f, bool *has) {
  const uint64_t *initial = NULL;
  size_t count = hd_model_initial(f->after->model, &initial);
  for (size_t i = count; i > 0 && f->status == HD_OK; i--) {
    memset(f->next, 0, f->row_words * sizeof *f->next);
    memcpy(f->next, initial + (i - 1) * f->state_words, f->state_words * sizeof *initial);
    open_place(f);
  }
  while (f->status == HD_OK && f->open.count > 0 && !*has) {
    f->row = f->open.data[--f->open.count];
    *has = is_complete(f, f->row);
    if (f->seen.count > PLACES_MAX) {
      f->status = HD_E_LIMIT;
    } else if (!*has) {
      hd_status status = hd_stepper_run(f->stepper, f->row, HD_WEIGHT_ANY, consider, f);
      f->status = f->status == HD_OK && status != HD_E_CANCELLED ? status : f->status;
    }
  }
}

hd_status hdi_cw_run_has_equivalent(const hd_cw_lowering *after, const uint32_t *origin, const hdi_cw_complete_run *run,
                                    bool at_waits, bool *has) {
  finder f = {.after = after, .origin = origin, .run = run, .at_waits = at_waits, .vars = after->flow.vars.count};
  *has = false;
  if (run->count > EVENTS_MAX) {
    return HD_E_LIMIT;
  }
  f.state_words = hd_model_words(after->model);
  f.done_words = run->count / 64 + 1;
  f.row_words = f.state_words + f.done_words + 1;
  f.arena = hd_arena_new();
  f.stepper = hd_stepper_new(after->model, NULL);
  if (f.arena != NULL) {
    f.touches = hd_arena_alloc_array(f.arena, run->count * f.vars * 2 + 1, sizeof *f.touches);
    f.before = hd_arena_alloc_array(f.arena, (size_t)run->count * f.done_words + 1, sizeof *f.before);
    f.next = hd_arena_alloc_array(f.arena, f.row_words, sizeof *f.next);
  }
  bool all = f.arena != NULL && f.stepper != NULL && f.touches != NULL && f.before != NULL && f.next != NULL;
  f.status = all ? HD_OK : HD_E_NOMEM;
  if (f.status == HD_OK) {
    find_dependences(&f);
    walk(&f, has);
  }
  hd_stepper_free(f.stepper);
  hdi_cw_events_free(&f.events);
  places_free(&f.seen);
  rows_free(&f.open);
  hd_arena_free(f.arena);
  return f.status;
}
