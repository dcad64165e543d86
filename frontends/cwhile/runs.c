/* Complete runs without preemptions and their images (runs.h).
 *
 * Collecting is a depth-first walk of the model with the variable that says whose turn it is (lower.c), every statement
 * of a block an inner step of its own. A path visits no state twice, so loops are followed once through each state.
 *
 * An image is looked for by walking the edited program's model: for each thread the ways of each statement form a queue
 * in the order of the run; a step of the thread whose turn it is must take, statement by statement, the ways at the
 * heads of their queues, and as many positions of the run as it executes statements must belong to this thread.
 * Statements that the edit added (blocks, lock and unlock of a lock region) take no position: a lock is taken just
 * before the first statement behind it, an unlock is made at once. Threads: one walk on one thread. */
#include "frontends/cwhile/runs.h"

#include "core/base/machine.h"

#include <stdlib.h>
#include <string.h>

#define HD_ARRAY_NAME hdi_cw_words
#define HD_ARRAY_TYPE uint64_t
#include "core/base/array.h"

/* ---- events of a step ---- */

/* Is a piece of the statement executed at, or from, this location? Such a statement has no nondet. */
static bool is_in_pieces(const hdi_cw_flow *flow, const hdi_cw_edge *own) {
  bool pieces = flow->locs.data[own->from].piece;
  for (uint32_t e = 0; flow->access && !pieces && e < flow->edges.count; e++) {
    const hdi_cw_edge *other = &flow->edges.data[e];
    pieces = other->from == own->from && other->stmt == own->stmt && flow->locs.data[other->to].piece;
  }
  return pieces;
}

/* Which way a statement takes, however many steps it takes: within a block it is one. */
static uint32_t way_of(const hdi_cw_flow *flow, uint32_t edge) {
  const hdi_cw_edge *own = &flow->edges.data[edge];
  uint32_t way = 0;
  if (is_in_pieces(flow, own)) {
    return own->branch < 0 ? 1u : 0u;
  }
  for (uint32_t e = edge; e > 0; e--) {
    const hdi_cw_edge *other = &flow->edges.data[e - 1];
    way += other->from == own->from && other->stmt == own->stmt;
  }
  return way;
}

static hd_status add_event(const hd_cw_lowering *lowering, hd_edge edge, hdi_cw_events *events) {
  uint32_t number = hd_model_edge_tag(lowering->model, edge);
  const hdi_cw_edge *own = &lowering->flow.edges.data[number];
  if (own->stmt->kind == HD_CW_ATOMIC || lowering->flow.locs.data[own->to].piece) {
    return HD_OK; /* the entry of a block does nothing; a statement is executed when its last piece is */
  }
  return hdi_cw_events_push(
      events,
      (hdi_cw_event){.thread = own->thread, .statement = own->stmt->number, .way = way_of(&lowering->flow, number)});
}

hd_status hdi_cw_events_of(const hd_cw_lowering *lowering, const hd_stepper *stepper, const hd_step *step,
                           hdi_cw_events *events) {
  const hd_inner *inner = NULL;
  size_t count = step->compound ? hd_stepper_inner(stepper, &inner) : 0;
  hd_status status = add_event(lowering, step->edge, events);
  for (size_t i = 0; i < count && status == HD_OK; i++) {
    status = add_event(lowering, inner[i].edge, events);
  }
  return status;
}

/* ---- collecting ---- */

/* One successor of a state on the path. */
typedef struct branch {
  size_t state;       /* in `states` */
  size_t event, last; /* in `events` */
  size_t depth;       /* of the path that it continues */
  bool bad;
} branch;

#define HD_ARRAY_NAME branches
#define HD_ARRAY_TYPE branch
#include "core/base/array.h"

typedef struct walk {
  const hd_cw_lowering *lowering;
  const hdi_cw_run_limits *limits;
  hdi_cw_runs *out;
  hd_stepper *stepper;
  uint32_t words;
  hdi_cw_words states; /* of branches that are open */
  hdi_cw_events events;
  branches open; /* a stack: siblings, the next to be taken last */
  branches path; /* the branches that were taken */
  uint64_t steps;
  hd_status status;
  uint32_t capacity;
} walk;

static bool emit(void *payload, const uint64_t *next, const hd_step *step) {
  walk *w = payload;
  w->steps++;
  if (step->fault != HD_FAULT_NONE) {
    w->out->fault = true;
    return true;
  }
  branch b = {
      .state = w->states.count, .event = w->events.count, .depth = w->path.count, .bad = step->checks_failed != 0};
  for (uint32_t i = 0; i < w->words && w->status == HD_OK; i++) {
    w->status = hdi_cw_words_push(&w->states, next[i]);
  }
  if (w->status == HD_OK) {
    w->status = hdi_cw_events_of(w->lowering, w->stepper, step, &w->events);
  }
  b.last = w->events.count;
  if (w->status == HD_OK) {
    w->status = branches_push(&w->open, b);
  }
  return w->status == HD_OK;
}

static bool is_on_path(const walk *w, const uint64_t *state) {
  for (size_t i = 0; i < w->path.count; i++) {
    if (memcmp(w->states.data + w->path.data[i].state, state, w->words * sizeof *state) == 0) {
      return true;
    }
  }
  return false;
}

static void keep_run(walk *w) {
  hdi_cw_runs *out = w->out;
  if (out->count == w->capacity) {
    uint32_t larger = w->capacity == 0 ? 64 : w->capacity * 2;
    hdi_cw_complete_run *runs = hd_arena_alloc_array(out->arena, larger, sizeof *runs);
    if (runs == NULL) {
      w->status = HD_E_NOMEM;
      return;
    }
    if (out->count != 0) {
      memcpy(runs, out->runs, out->count * sizeof *runs);
    }
    out->runs = runs;
    w->capacity = larger;
  }
  hdi_cw_complete_run run = {.count = 0};
  for (size_t i = 0; i < w->path.count; i++) {
    run.count += (uint32_t)(w->path.data[i].last - w->path.data[i].event);
    run.bad |= w->path.data[i].bad;
  }
  run.events = hd_arena_alloc_array(out->arena, (size_t)run.count + 1, sizeof *run.events);
  if (run.events == NULL) {
    w->status = HD_E_NOMEM;
    return;
  }
  uint32_t at = 0;
  for (size_t i = 0; i < w->path.count; i++) {
    size_t count = w->path.data[i].last - w->path.data[i].event;
    if (count != 0) {
      memcpy(run.events + at, w->events.data + w->path.data[i].event, count * sizeof *run.events);
    }
    at += (uint32_t)count;
  }
  out->bad_count += run.bad;
  out->runs[out->count++] = run;
}

static bool is_over(const walk *w) {
  /* HD-SYNC S10: relaxed; pairs with none (the caller's store of the flag, of any order). Publishes: nothing; the flag
   * is the whole message. Why not weaker: it is written while it is read. Why not stronger: no data comes with it. */
  return w->out->count >= w->limits->runs_max || w->steps >= w->limits->steps_max ||
         (w->limits->cancel != NULL && hd_load_rlx(w->limits->cancel) != 0) ||
         (w->limits->deadline_seconds > 0 && hd_machine_seconds() >= w->limits->deadline_seconds);
}

/* Comes to a state: a run ends here, or its successors are opened. */
static void enter(walk *w, const branch *taken) {
  uint64_t *state = malloc(w->words * sizeof *state); /* a copy: the array grows */
  if (state == NULL) {
    w->status = HD_E_NOMEM;
    return;
  }
  memcpy(state, w->states.data + taken->state, w->words * sizeof *state);
  bool again = is_on_path(w, state);
  w->status = branches_push(&w->path, *taken);
  if (w->status == HD_OK && !again && hd_cw_all_ended(w->lowering, state)) {
    keep_run(w);
  } else if (w->status == HD_OK && !again) {
    size_t first = w->open.count;
    hd_status status = hd_stepper_run(w->stepper, state, HD_WEIGHT_ANY, emit, w);
    w->status = w->status == HD_OK && status != HD_E_CANCELLED ? status : w->status;
    for (size_t a = first, b = w->open.count; a + 1 < b; a++, b--) { /* the first successor on top */
      branch swap = w->open.data[a];
      w->open.data[a] = w->open.data[b - 1];
      w->open.data[b - 1] = swap;
    }
  }
  free(state);
}

static void walk_from(walk *w, const uint64_t *initial) {
  hdi_cw_words_clear(&w->states);
  hdi_cw_events_clear(&w->events);
  branches_clear(&w->open);
  branches_clear(&w->path);
  for (uint32_t i = 0; i < w->words && w->status == HD_OK; i++) {
    w->status = hdi_cw_words_push(&w->states, initial[i]);
  }
  branch root = {.state = 0};
  if (w->status == HD_OK) {
    enter(w, &root);
  }
  while (w->status == HD_OK && w->open.count > 0) {
    if (is_over(w)) {
      w->out->all = false;
      return;
    }
    branch next = w->open.data[--w->open.count];
    w->path.count = next.depth;
    enter(w, &next);
  }
}

hd_status hdi_cw_runs_collect(const hd_cw_program *program, bool access, hd_cw_schedule schedule,
                              const hdi_cw_run_limits *limits, hdi_cw_runs *out) {
  *out = (hdi_cw_runs){.arena = hd_arena_new(), .all = true};
  hd_cw_lower_options options = {.access = access, .unfused = true, .schedule = schedule};
  hd_cw_lowering *lowering = NULL;
  hd_status status = out->arena == NULL ? HD_E_NOMEM : hd_cw_lower(program, &options, &lowering);
  if (status != HD_OK) {
    return status;
  }
  walk w = {.lowering = lowering, .limits = limits, .out = out, .words = hd_model_words(lowering->model)};
  w.stepper = hd_stepper_new(lowering->model, NULL);
  w.status = w.stepper == NULL ? HD_E_NOMEM : HD_OK;
  const uint64_t *initial = NULL;
  size_t count = hd_model_initial(lowering->model, &initial);
  for (size_t i = 0; i < count && w.status == HD_OK && out->all; i++) {
    walk_from(&w, initial + i * w.words);
  }
  hd_stepper_free(w.stepper);
  hdi_cw_words_free(&w.states);
  hdi_cw_events_free(&w.events);
  branches_free(&w.open);
  branches_free(&w.path);
  hd_cw_lowering_free(lowering);
  return w.status;
}

void hdi_cw_runs_clear(hdi_cw_runs *runs) {
  hd_arena_free(runs->arena);
  *runs = (hdi_cw_runs){0};
}

/* ---- images ---- */

typedef struct follower {
  const hd_cw_lowering *after;
  const uint32_t *origin;
  const hdi_cw_complete_run *run;
  hd_stepper *stepper;
  uint32_t statements;          /* before the edit, as far as the run has them */
  uint32_t *ways, *head, *tail; /* per thread and statement, the ways that are left: ways[head .. tail) */
  uint32_t at;                  /* events done */
  uint32_t mover;
  uint64_t *state, *chosen;
  hdi_cw_events events, chosen_events;
  bool found, found_silent, unlocks;
  hd_status status;
} follower;

/* Do the events of a step of the mover come next? Those that the edit added are taken out first. */
static bool is_next(follower *f) {
  size_t kept = 0;
  for (size_t i = 0; i < f->events.count; i++) {
    hdi_cw_event event = f->events.data[i];
    event.statement = f->origin[event.statement];
    if (event.statement != HD_NONE) {
      f->events.data[kept++] = event;
    }
  }
  f->events.count = kept;
  if (f->at + kept > f->run->count) {
    return false;
  }
  for (size_t i = 0; i < kept; i++) {
    const hdi_cw_event *event = &f->events.data[i];
    uint32_t earlier = 0; /* of the same statement in this step */
    for (size_t j = 0; j < i; j++) {
      earlier += f->events.data[j].statement == event->statement;
    }
    if (event->statement >= f->statements || f->run->events[f->at + i].thread != f->mover) {
      return false;
    }
    uint32_t key = f->mover * f->statements + event->statement;
    if (f->head[key] + earlier >= f->tail[key] || f->ways[f->head[key] + earlier] != event->way) {
      return false;
    }
  }
  return true;
}

static bool consider(void *payload, const uint64_t *next, const hd_step *step) {
  follower *f = payload;
  if (step->instance != f->mover || step->fault != HD_FAULT_NONE || f->found) {
    return true;
  }
  hdi_cw_events_clear(&f->events);
  f->status = hdi_cw_events_of(f->after, f->stepper, step, &f->events);
  if (f->status != HD_OK || !is_next(f)) {
    return f->status == HD_OK;
  }
  bool silent = f->events.count == 0;
  if (silent && f->found_silent) {
    return true;
  }
  memcpy(f->chosen, next, hd_model_words(f->after->model) * sizeof *next);
  hdi_cw_events_clear(&f->chosen_events);
  for (size_t i = 0; i < f->events.count && f->status == HD_OK; i++) {
    f->status = hdi_cw_events_push(&f->chosen_events, f->events.data[i]);
  }
  f->found = !silent;
  f->found_silent = silent;
  f->unlocks = hd_model_edge_kind(f->after->model, step->edge) == HD_EDGE_UNLOCK;
  return f->status == HD_OK;
}

/* Looks for the mover's next step; true when there is one, which is in `chosen`. */
static bool look(follower *f) {
  f->found = f->found_silent = f->unlocks = false;
  hd_status status = hd_stepper_run(f->stepper, f->state, HD_WEIGHT_ANY, consider, f);
  f->status = f->status == HD_OK && status != HD_E_CANCELLED ? status : f->status;
  return f->status == HD_OK && (f->found || f->found_silent);
}

static void take(follower *f) {
  uint64_t *swap = f->state;
  f->state = f->chosen;
  f->chosen = swap;
  for (size_t i = 0; i < f->chosen_events.count; i++) {
    f->head[f->mover * f->statements + f->chosen_events.data[i].statement]++;
  }
  f->at += (uint32_t)f->chosen_events.count;
}

/* May the last mover be left where it is? */
static bool may_leave(const follower *f) {
  hd_loc loc = hd_model_location(f->after->model, f->state, f->mover);
  if (hd_model_loc_is_dead(f->after->model, loc)) {
    return true;
  }
  const hdi_cw_loc *own = &f->after->flow.locs.data[hd_model_loc_tag(f->after->model, loc)];
  return own->end || own->waits;
}

static bool follow(follower *f, bool only_at_waits) {
  while (f->at < f->run->count && f->status == HD_OK) {
    uint32_t thread = f->run->events[f->at].thread;
    if (f->at > 0 && thread != f->mover && only_at_waits && !may_leave(f)) {
      return false;
    }
    f->mover = thread;
    uint32_t silent = 0; /* steps in a row that take no position: as many as locations at most */
    do {
      if (!look(f) || (f->found_silent && !f->found && silent++ > f->after->flow.locs.count)) {
        return false;
      }
      take(f);
    } while (!f->found);
    while (f->status == HD_OK && look(f) && !f->found && f->unlocks) {
      take(f);
    }
  }
  return f->status == HD_OK;
}

/* The ways of each thread and statement, in the order of the run. */
static bool queue_ways(follower *f, uint32_t threads) {
  for (uint32_t i = 0; i < f->run->count; i++) {
    f->statements = f->run->events[i].statement >= f->statements ? f->run->events[i].statement + 1 : f->statements;
  }
  size_t keys = (size_t)threads * f->statements + 1;
  f->ways = malloc(((size_t)f->run->count + 1) * sizeof *f->ways);
  f->head = calloc(keys, sizeof *f->head);
  f->tail = calloc(keys, sizeof *f->tail);
  if (f->ways == NULL || f->head == NULL || f->tail == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < f->run->count; i++) {
    f->tail[f->run->events[i].thread * f->statements + f->run->events[i].statement]++;
  }
  uint32_t end = 0;
  for (size_t k = 0; k < keys; k++) {
    uint32_t count = f->tail[k];
    f->head[k] = f->tail[k] = end;
    end += count;
  }
  for (uint32_t i = 0; i < f->run->count; i++) {
    const hdi_cw_event *event = &f->run->events[i];
    f->ways[f->tail[event->thread * f->statements + event->statement]++] = event->way;
  }
  return true;
}

hd_status hdi_cw_run_has_image(const hd_cw_lowering *after, const uint32_t *origin, const hdi_cw_complete_run *run,
                               bool only_at_waits, bool *has) {
  follower f = {.after = after, .origin = origin, .run = run};
  uint32_t words = hd_model_words(after->model), threads = (uint32_t)after->flow.threads.count;
  *has = false;
  f.stepper = hd_stepper_new(after->model, NULL);
  f.state = malloc(words * sizeof *f.state);
  f.chosen = malloc(words * sizeof *f.chosen);
  const uint64_t *initial = NULL;
  size_t count = hd_model_initial(after->model, &initial);
  f.status = f.stepper == NULL || f.state == NULL || f.chosen == NULL || !queue_ways(&f, threads) ? HD_E_NOMEM : HD_OK;
  uint32_t *heads = f.status == HD_OK ? malloc(((size_t)threads * f.statements + 1) * sizeof *heads) : NULL;
  f.status = heads == NULL ? HD_E_NOMEM : f.status;
  for (size_t i = 0; i < count && f.status == HD_OK && !*has; i++) {
    size_t size = ((size_t)threads * f.statements + 1) * sizeof *heads;
    if (i == 0) {
      memcpy(heads, f.head, size);
    } else {
      memcpy(f.head, heads, size);
    }
    memcpy(f.state, initial + i * words, words * sizeof *f.state);
    f.at = 0;
    *has = follow(&f, only_at_waits);
  }
  hd_stepper_free(f.stepper);
  free(f.state);
  free(f.chosen);
  free(f.ways);
  free(f.head);
  free(f.tail);
  free(heads);
  hdi_cw_events_free(&f.events);
  hdi_cw_events_free(&f.chosen_events);
  return f.status;
}
