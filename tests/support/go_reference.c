/* Explores all states, one after the other, and judges the graph: states without a step, panics, and the bottom
 * components (Tarjan's algorithm, without recursion) with the goroutines that never move in them. Distances are found
 * by relaxing until nothing changes, for parking has no length. */
#include "tests/support/go_reference.h"

#include "tests/support/go_steps.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

typedef struct arc {
  uint32_t from, to, moved, length;
} arc;

typedef struct graph {
  gr_state *state;
  size_t states, states_room;
  arc *arc; /* in the order of `from` */
  size_t arcs, arcs_room;
  size_t *first; /* of each state and behind the last: its first arc */
  uint32_t *slot;
  size_t slots;
  uint32_t *distance, *component;
  gr_steps steps;
  bool complete;
} graph;

static void *room(void *memory, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) {
    return memory;
  }
  *capacity = *capacity * 2 + 256;
  memory = realloc(memory, *capacity * size);
  cr_assert_not_null(memory);
  return memory;
}

static uint64_t hash_of(const gr_state *state) {
  const unsigned char *bytes = (const unsigned char *)state;
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < sizeof *state; i += sizeof hash) {
    uint64_t word = 0;
    size_t left = sizeof *state - i;
    memcpy(&word, bytes + i, left < sizeof word ? left : sizeof word);
    hash = (hash ^ word) * 1099511628211u;
    hash ^= hash >> 32;
  }
  return hash;
}

static void enlarge(graph *g) {
  free(g->slot);
  g->slots = g->slots * 2 + 1024;
  g->slot = malloc(g->slots * sizeof *g->slot);
  cr_assert_not_null(g->slot);
  memset(g->slot, 0xff, g->slots * sizeof *g->slot);
  for (size_t i = 0; i < g->states; i++) {
    size_t at = hash_of(&g->state[i]) % g->slots;
    while (g->slot[at] != UINT32_MAX) {
      at = (at + 1) % g->slots;
    }
    g->slot[at] = (uint32_t)i;
  }
}

static uint32_t find_or_add(graph *g, const gr_state *state) {
  if (g->states * 2 >= g->slots) {
    enlarge(g);
  }
  size_t at = hash_of(state) % g->slots;
  while (g->slot[at] != UINT32_MAX) {
    if (memcmp(&g->state[g->slot[at]], state, sizeof *state) == 0) {
      return g->slot[at];
    }
    at = (at + 1) % g->slots;
  }
  g->state = room(g->state, g->states, &g->states_room, sizeof *g->state);
  g->state[g->states] = *state;
  g->slot[at] = (uint32_t)g->states;
  return (uint32_t)g->states++;
}

static void explore(graph *g, const gr_program *program, gr_arrival arrival, size_t states_max) {
  gr_state first;
  gr_first_state(program, &first);
  find_or_add(g, &first);
  size_t first_room = 0;
  for (size_t i = 0; i < g->states && g->states <= states_max; i++) {
    g->first = room(g->first, i + 1, &first_room, sizeof *g->first);
    g->first[i] = g->arcs;
    gr_state from = g->state[i];
    g->complete &= !from.no_room;
    gr_successors(program, arrival, &from, &g->steps);
    for (size_t k = 0; k < g->steps.count; k++) {
      const gr_step *step = &g->steps.step[k];
      g->arc = room(g->arc, g->arcs, &g->arcs_room, sizeof *g->arc);
      uint32_t to = find_or_add(g, &step->to);
      g->arc[g->arcs++] = (arc){(uint32_t)i, to, step->moved, step->length};
    }
    g->first[i + 1] = g->arcs;
  }
  g->complete &= g->states <= states_max;
}

static void measure(graph *g) {
  g->distance = malloc(g->states * sizeof *g->distance);
  cr_assert_not_null(g->distance);
  memset(g->distance, 0xff, g->states * sizeof *g->distance);
  g->distance[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < g->arcs; i++) {
      const arc *a = &g->arc[i];
      if (g->distance[a->from] != UINT32_MAX && g->distance[a->from] + a->length < g->distance[a->to]) {
        g->distance[a->to] = g->distance[a->from] + a->length;
        changed = true;
      }
    }
  }
}

/* Tarjan's algorithm. */
typedef struct tarjan {
  uint32_t *order, *low, *stack, *path;
  size_t *next; /* arc that is looked at next, per state */
  uint32_t count, height, depth, components;
} tarjan;

static void begin_state(tarjan *t, const graph *g, uint32_t i) {
  t->order[i] = t->low[i] = t->count++;
  t->next[i] = g->first[i];
  t->stack[t->height++] = i;
  t->path[t->depth++] = i;
}

static void end_state(tarjan *t, graph *g, uint32_t i) {
  if (t->low[i] == t->order[i]) {
    uint32_t member;
    do {
      member = t->stack[--t->height];
      g->component[member] = t->components;
    } while (member != i);
    t->components++;
  }
  t->depth--;
  if (t->depth > 0 && t->low[i] < t->low[t->path[t->depth - 1]]) {
    t->low[t->path[t->depth - 1]] = t->low[i];
  }
}

static uint32_t find_components(graph *g) {
  tarjan t = {.order = calloc(g->states, sizeof *t.order),
              .low = calloc(g->states, sizeof *t.low),
              .stack = calloc(g->states, sizeof *t.stack),
              .path = calloc(g->states, sizeof *t.path),
              .next = calloc(g->states, sizeof *t.next)};
  g->component = malloc(g->states * sizeof *g->component);
  cr_assert(t.order && t.low && t.stack && t.path && t.next && g->component);
  memset(t.order, 0xff, g->states * sizeof *t.order);
  memset(g->component, 0xff, g->states * sizeof *g->component);
  begin_state(&t, g, 0);
  while (t.depth > 0) {
    uint32_t i = t.path[t.depth - 1];
    if (t.next[i] == g->first[i + 1]) {
      end_state(&t, g, i);
      continue;
    }
    uint32_t to = g->arc[t.next[i]++].to;
    if (t.order[to] == UINT32_MAX) {
      begin_state(&t, g, to);
    } else if (g->component[to] == UINT32_MAX && t.order[to] < t.low[i]) {
      t.low[i] = t.order[to];
    }
  }
  free(t.order);
  free(t.low);
  free(t.stack);
  free(t.path);
  free(t.next);
  return t.components;
}

static uint32_t unfinished(const gr_state *state) {
  uint32_t set = 0;
  for (int i = 0; i < GR_GOROUTINES; i++) {
    set |= state->goroutine[i].depth > 0 ? 1u << i : 0;
  }
  return set;
}

static void lower(uint32_t *least, uint32_t distance) {
  *least = distance < *least ? distance : *least;
}

static void judge_state(const graph *g, size_t i, uint32_t moved, bool bottom, gr_verdicts *v) {
  const gr_state *s = &g->state[i];
  bool main_runs = s->goroutine[0].depth > 0, stopped = g->first[i] == g->first[i + 1];
  uint32_t stuck = unfinished(s) & ~moved;
  if (s->panicked) {
    v->panic = true;
    v->panicked++;
    v->left_behind |= (stuck & ~1u) != 0;
    lower(&v->to_panic, g->distance[i]);
  } else if (stopped && main_runs) {
    v->global_deadlock = true;
    v->left_behind |= (stuck & ~1u) != 0;
    lower(&v->to_global_deadlock, g->distance[i]);
  } else if (bottom && stuck != 0) {
    v->leak = v->left_behind = true;
    lower(&v->to_leak, g->distance[i]);
  }
}

static void judge(graph *g, gr_verdicts *v) {
  uint32_t components = find_components(g);
  uint32_t *moved = calloc(components, sizeof *moved);
  bool *left = calloc(components, sizeof *left);
  cr_assert(moved && left);
  for (size_t i = 0; i < g->arcs; i++) {
    uint32_t from = g->component[g->arc[i].from];
    if (from == g->component[g->arc[i].to]) {
      moved[from] |= g->arc[i].moved;
    } else {
      left[from] = true;
    }
  }
  for (size_t i = 0; i < g->states; i++) {
    uint32_t c = g->component[i];
    judge_state(g, i, moved[c], !left[c], v);
  }
  free(moved);
  free(left);
}

gr_verdicts gr_explore(const gr_program *program, gr_arrival arrival, size_t states_max) {
  graph *g = calloc(1, sizeof *g);
  cr_assert_not_null(g);
  g->complete = true;
  explore(g, program, arrival, states_max);
  gr_verdicts v = {.complete = g->complete,
                   .states = g->states,
                   .transitions = g->arcs,
                   .to_global_deadlock = UINT32_MAX,
                   .to_panic = UINT32_MAX,
                   .to_leak = UINT32_MAX};
  if (v.complete) {
    measure(g);
    judge(g, &v);
  }
  free(g->state);
  free(g->arc);
  free(g->first);
  free(g->slot);
  free(g->distance);
  free(g->component);
  free(g);
  return v;
}
