/* The subset construction (subset.h), after Rabin and Scott.
 *
 * A work queue of sets: the ids of the interned sets themselves, in order of discovery. For each set the arcs with a
 * label are gathered and sorted by (label, target); every label's targets form a kernel; a kernel is closed under
 * silent moves once (`closed_of` remembers which set it gave) and the closure is interned.
 *
 *   set --gather, sort--> label 3: kernel {4, 7} --close--> {4, 5, 7, 9} --intern--> set 12
 *
 * Sets are numbered breadth-first with labels ascending, so equal languages given by equal automata get equal numbers.
 * A closure is collected with a mark byte per state and read out in order: by sorting when it is small, by scanning the
 * marked range otherwise; both cost no more than the closure's own arcs up to a logarithm.
 * Invariants: marks are all zero between closures; first_arc has one entry for each set already expanded.
 * Threads: none. Cost: see subset.h. */
#include "frontends/choreography/subset.h"

#include "core/base/check.h"
#include "core/base/machine.h"
#include "frontends/choreography/sequence.h"

#include <stdlib.h>
#include <string.h>

typedef struct labelled {
  uint32_t label, to, arc;
} labelled;

#define HD_ARRAY_NAME numbers
#define HD_ARRAY_TYPE uint32_t
#include "core/base/array.h"
#define HD_ARRAY_NAME labelled_arcs
#define HD_ARRAY_TYPE labelled
#include "core/base/array.h"
#define HD_ARRAY_NAME subset_arcs
#define HD_ARRAY_TYPE hdi_subset_arc
#include "core/base/array.h"

typedef struct construction {
  const hdi_nfa *nfa;
  const hd_subset_limits *limits;
  hdi_sequences sets, kernels;
  numbers closed_of; /* per kernel: its set */
  subset_arcs arcs;
  numbers first_arc;
  uint8_t *marked;     /* per state of the automaton */
  uint8_t *has_label;  /* per state: some arc is not silent */
  uint32_t *closure;   /* room for all states */
  labelled_arcs moves; /* of the set at hand */
  uint32_t *kernel;    /* room for all states */
  uint32_t kernel_count;
} construction;

static int compare_numbers(const void *a, const void *b) {
  uint32_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static int compare_labelled(const void *a, const void *b) {
  const labelled *x = a, *y = b;
  if (x->label != y->label) {
    return x->label < y->label ? -1 : 1;
  }
  if (x->to != y->to) {
    return x->to < y->to ? -1 : 1;
  }
  return (x->arc > y->arc) - (x->arc < y->arc);
}

/* The states reached from `kernel` by silent moves, sorted, in c->closure; returns their number. */
static uint32_t close_kernel(construction *c, const uint32_t *kernel, uint32_t kernel_count) {
  const hdi_nfa *nfa = c->nfa;
  uint32_t count = 0, least = UINT32_MAX, most = 0;
  for (uint32_t i = 0; i < kernel_count; i++) {
    if (!c->marked[kernel[i]]) {
      c->marked[kernel[i]] = 1;
      c->closure[count++] = kernel[i];
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t state = c->closure[i];
    least = state < least ? state : least;
    most = state > most ? state : most;
    for (uint32_t a = nfa->first_arc[state]; a < nfa->first_arc[state + 1]; a++) {
      uint32_t to = nfa->arc_to[a];
      if (nfa->arc_label[a] == HDI_SILENT && !c->marked[to]) {
        c->marked[to] = 1;
        c->closure[count++] = to;
      }
    }
  }
  if (count < 16 || count < (most - least) / 64) {
    for (uint32_t i = 0; i < count; i++) {
      c->marked[c->closure[i]] = 0;
    }
    qsort(c->closure, count, sizeof c->closure[0], compare_numbers);
    return count;
  }
  uint32_t written = 0;
  for (uint32_t state = least; state <= most; state++) {
    if (c->marked[state]) {
      c->marked[state] = 0;
      c->closure[written++] = state;
    }
  }
  HD_ASSERT(written == count);
  return count;
}

/* The set that `kernel` closes to. */
static hd_status set_of_kernel(construction *c, const uint32_t *kernel, uint32_t kernel_count, uint32_t *set) {
  uint32_t id;
  bool fresh;
  hd_status status = hdi_sequences_add(&c->kernels, kernel, kernel_count, &id, &fresh);
  if (status != HD_OK || !fresh) {
    *set = status == HD_OK ? c->closed_of.data[id] : 0;
    return status;
  }
  uint32_t count = close_kernel(c, kernel, kernel_count);
  status = hdi_sequences_add(&c->sets, c->closure, count, set, &fresh);
  if (status == HD_OK && fresh && c->sets.count > c->limits->states_max) {
    status = HD_E_LIMIT;
  }
  return status == HD_OK ? numbers_push(&c->closed_of, *set) : status;
}

static hd_status gather_moves(construction *c, uint32_t set) {
  const hdi_nfa *nfa = c->nfa;
  uint32_t count;
  const uint32_t *members = hdi_sequences_get(&c->sets, set, &count);
  labelled_arcs_clear(&c->moves);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t state = members[i];
    if (!c->has_label[state]) {
      continue;
    }
    for (uint32_t a = nfa->first_arc[state]; a < nfa->first_arc[state + 1]; a++) {
      if (nfa->arc_label[a] != HDI_SILENT) {
        hd_status status = labelled_arcs_push(&c->moves, (labelled){nfa->arc_label[a], nfa->arc_to[a], a});
        if (status != HD_OK) {
          return status;
        }
      }
    }
  }
  if (c->moves.count > 1) {
    qsort(c->moves.data, c->moves.count, sizeof c->moves.data[0], compare_labelled);
  }
  return HD_OK;
}

/* Takes the moves of one label from *position on: their targets into c->kernel, the rest into *arc. */
static void take_kernel(construction *c, size_t *position, hdi_subset_arc *arc) {
  const labelled *moves = c->moves.data;
  size_t i = *position;
  arc->label = moves[i].label;
  arc->source = moves[i].arc;
  c->kernel_count = 0;
  for (; i < c->moves.count && moves[i].label == arc->label; i++) {
    arc->source = moves[i].arc < arc->source ? moves[i].arc : arc->source;
    if (c->kernel_count == 0 || c->kernel[c->kernel_count - 1] != moves[i].to) {
      c->kernel[c->kernel_count++] = moves[i].to;
    }
  }
  *position = i;
}

static hd_status expand(construction *c, uint32_t set) {
  hd_status status = numbers_push(&c->first_arc, (uint32_t)c->arcs.count);
  if (status == HD_OK) {
    status = gather_moves(c, set);
  }
  for (size_t i = 0; status == HD_OK && i < c->moves.count;) {
    hdi_subset_arc arc = {.from = set};
    take_kernel(c, &i, &arc);
    status = set_of_kernel(c, c->kernel, c->kernel_count, &arc.to);
    if (status == HD_OK) {
      status = c->arcs.count < UINT32_MAX - 1 ? subset_arcs_push(&c->arcs, arc) : HD_E_LIMIT;
    }
  }
  return status;
}

static hd_status begin(construction *c) {
  size_t states = c->nfa->state_count;
  c->marked = calloc(states, sizeof c->marked[0]);
  c->has_label = calloc(states, sizeof c->has_label[0]);
  c->closure = calloc(states, sizeof c->closure[0]);
  c->kernel = calloc(states, sizeof c->kernel[0]);
  if (c->marked == NULL || c->has_label == NULL || c->closure == NULL || c->kernel == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t state = 0; state < c->nfa->state_count; state++) {
    for (uint32_t a = c->nfa->first_arc[state]; a < c->nfa->first_arc[state + 1]; a++) {
      c->has_label[state] |= c->nfa->arc_label[a] != HDI_SILENT;
    }
  }
  uint32_t initial;
  return set_of_kernel(c, &c->nfa->initial, 1, &initial);
}

static void *copy_into(hd_arena *arena, const void *data, size_t count, size_t element_bytes) {
  void *copy = hd_arena_alloc_array(arena, count == 0 ? 1 : count, element_bytes);
  if (copy != NULL && count != 0) {
    memcpy(copy, data, count * element_bytes);
  }
  return copy;
}

static hd_status finish(const construction *c, hd_arena *arena, hdi_subsets *out) {
  *out = (hdi_subsets){.state_count = c->sets.count, .arc_count = (uint32_t)c->arcs.count};
  out->arcs = copy_into(arena, c->arcs.data, c->arcs.count, sizeof out->arcs[0]);
  out->first_arc = copy_into(arena, c->first_arc.data, c->first_arc.count, sizeof out->first_arc[0]);
  out->members = copy_into(arena, c->sets.words, c->sets.word_count, sizeof out->members[0]);
  out->set_start = copy_into(arena, c->sets.start, (size_t)c->sets.count + 1, sizeof out->set_start[0]);
  bool complete = out->arcs != NULL && out->first_arc != NULL && out->members != NULL && out->set_start != NULL;
  return complete ? HD_OK : HD_E_NOMEM;
}

/* Has the caller, or the clock, had enough? */
static hd_status look_up(const hd_subset_limits *limits) {
  /* HD-SYNC S9: relaxed; pairs with none (the caller's store of the flag, of any order). Publishes: nothing; the flag
   * is the whole message. Why not weaker: it is written while it is read. Why not stronger: no data comes with it. */
  if (limits->cancel != NULL && hd_load_rlx(limits->cancel) != 0) {
    return HD_E_CANCELLED;
  }
  return limits->deadline_seconds > 0 && hd_machine_seconds() >= limits->deadline_seconds ? HD_E_LIMIT : HD_OK;
}

hd_status hdi_subset_construct(const hdi_nfa *nfa, hd_arena *arena, const hd_subset_limits *limits, hdi_subsets *out) {
  HD_REQUIRE(nfa->state_count > 0 && nfa->initial < nfa->state_count);
  construction c = {.nfa = nfa, .limits = limits};
  *out = (hdi_subsets){0};
  hd_status status = begin(&c);
  for (uint32_t set = 0; status == HD_OK && set < c.sets.count; set++) {
    status = look_up(limits);
    status = status == HD_OK ? expand(&c, set) : status;
  }
  if (status == HD_OK) {
    status = numbers_push(&c.first_arc, (uint32_t)c.arcs.count);
  }
  if (status == HD_OK) {
    status = finish(&c, arena, out);
  }
  hdi_sequences_free(&c.sets);
  hdi_sequences_free(&c.kernels);
  numbers_free(&c.closed_of);
  subset_arcs_free(&c.arcs);
  numbers_free(&c.first_arc);
  labelled_arcs_free(&c.moves);
  free(c.kernel);
  free(c.marked);
  free(c.has_label);
  free(c.closure);
  return status;
}
