/* Partition refinement for deterministic machines with missing arcs (minimise.h), after Valmari and Lehtinen.
 *
 * Two partitions refine each other: blocks of states, and cords of arcs. Arcs of one cord have the same action and lead
 * into one block. A cord splits the blocks (states with an arc in it against states without); a new block splits the
 * cords (arcs into it against the others). Each is used as splitter once, and of two halves the smaller is the new set,
 * so that an arc is touched O(log states) times. Missing arcs need no sink: a cord tells its tails from all others.
 *
 *   partition   elements | e e e | e e | ...     set s = elements[first[s] .. past[s]), its marked ones in front
 *
 * Invariants: location[elements[i]] = i; set_of is constant on a set; marks are all spent between two splits.
 * Threads: none. Cost: O(arcs * log states) time, O(arcs + states) memory. */
#include "frontends/choreography/minimise.h"

#include <stdlib.h>

typedef struct partition {
  uint32_t count; /* sets */
  uint32_t *elements, *location, *set_of;
  uint32_t *first, *past, *marked;  /* per set; marked: how many are marked */
  uint32_t *touched, touched_count; /* sets with marks */
} partition;

typedef struct refinement {
  const hd_machine *machine;
  partition blocks, cords;
  uint32_t *arrivals, *first_arrival; /* arcs by target state */
} refinement;

static bool allocate_partition(partition *p, uint32_t elements) {
  uint32_t **arrays[] = {&p->elements, &p->location, &p->set_of, &p->first, &p->past, &p->marked, &p->touched};
  bool complete = true;
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
    *arrays[i] = calloc(elements + (size_t)1, sizeof **arrays[i]);
    complete = complete && *arrays[i] != NULL;
  }
  return complete;
}

static void free_partition(partition *p) {
  free(p->elements);
  free(p->location);
  free(p->set_of);
  free(p->first);
  free(p->past);
  free(p->marked);
  free(p->touched);
}

/* Brings `element` to the front part of its set. */
static void mark(partition *p, uint32_t element) {
  uint32_t set = p->set_of[element], from = p->location[element], to = p->first[set] + p->marked[set];
  if (from < to) {
    return; /* marked before */
  }
  uint32_t displaced = p->elements[to];
  p->elements[from] = displaced;
  p->location[displaced] = from;
  p->elements[to] = element;
  p->location[element] = to;
  if (p->marked[set]++ == 0) {
    p->touched[p->touched_count++] = set;
  }
}

/* Splits every touched set into its marked and its other elements; the smaller part gets a new number. */
static void split(partition *p) {
  while (p->touched_count > 0) {
    uint32_t set = p->touched[--p->touched_count];
    uint32_t middle = p->first[set] + p->marked[set];
    uint32_t marked = p->marked[set];
    p->marked[set] = 0;
    if (middle == p->past[set]) {
      continue;
    }
    uint32_t fresh = p->count++;
    if (marked <= p->past[set] - middle) {
      p->first[fresh] = p->first[set];
      p->past[fresh] = p->first[set] = middle;
    } else {
      p->past[fresh] = p->past[set];
      p->first[fresh] = p->past[set] = middle;
    }
    p->marked[fresh] = 0;
    for (uint32_t i = p->first[fresh]; i < p->past[fresh]; i++) {
      p->set_of[p->elements[i]] = fresh;
    }
  }
}

typedef struct action_arc {
  uint32_t message, send, arc;
} action_arc;

static int compare_actions(const void *a, const void *b) {
  const action_arc *x = a, *y = b;
  if (x->message != y->message) {
    return x->message < y->message ? -1 : 1;
  }
  if (x->send != y->send) {
    return x->send < y->send ? -1 : 1;
  }
  return (x->arc > y->arc) - (x->arc < y->arc);
}

/* One block of all states, split by may_stop. */
static void start_blocks(refinement *r) {
  partition *p = &r->blocks;
  for (uint32_t s = 0; s < r->machine->state_count; s++) {
    p->elements[s] = p->location[s] = s;
  }
  p->count = 1;
  p->past[0] = r->machine->state_count;
  for (uint32_t s = 0; s < r->machine->state_count; s++) {
    if (r->machine->may_stop[s]) {
      mark(p, s);
    }
  }
  split(p);
}

/* One cord per action. */
static bool start_cords(refinement *r) {
  uint32_t count = r->machine->arc_count;
  action_arc *sorted = malloc((count + (size_t)1) * sizeof *sorted);
  if (sorted == NULL) {
    return false;
  }
  for (uint32_t a = 0; a < count; a++) {
    sorted[a] = (action_arc){r->machine->arcs[a].message.v, r->machine->arcs[a].send, a};
  }
  if (count > 1) {
    qsort(sorted, count, sizeof sorted[0], compare_actions);
  }
  partition *p = &r->cords;
  for (uint32_t i = 0; i < count; i++) {
    if (i == 0 || sorted[i].message != sorted[i - 1].message || sorted[i].send != sorted[i - 1].send) {
      p->first[p->count++] = i;
    }
    p->elements[i] = sorted[i].arc;
    p->location[sorted[i].arc] = i;
    p->set_of[sorted[i].arc] = p->count - 1;
    p->past[p->count - 1] = i + 1;
  }
  free(sorted);
  return true;
}

/* Arcs by target. */
static bool index_arrivals(refinement *r) {
  const hd_machine *m = r->machine;
  r->first_arrival = calloc(m->state_count + (size_t)2, sizeof r->first_arrival[0]);
  r->arrivals = calloc(m->arc_count + (size_t)1, sizeof r->arrivals[0]);
  if (r->first_arrival == NULL || r->arrivals == NULL) {
    return false;
  }
  for (uint32_t a = 0; a < m->arc_count; a++) {
    r->first_arrival[m->arcs[a].to + 2]++;
  }
  for (uint32_t s = 2; s < m->state_count + 2; s++) {
    r->first_arrival[s] += r->first_arrival[s - 1];
  }
  for (uint32_t a = 0; a < m->arc_count; a++) {
    r->arrivals[r->first_arrival[m->arcs[a].to + 1]++] = a;
  }
  return true;
}

static void refine(refinement *r) {
  uint32_t next_block = 1; /* the first block need not split: the others do it for it */
  for (uint32_t cord = 0; cord < r->cords.count; cord++) {
    for (uint32_t i = r->cords.first[cord]; i < r->cords.past[cord]; i++) {
      mark(&r->blocks, r->machine->arcs[r->cords.elements[i]].from);
    }
    split(&r->blocks);
    for (; next_block < r->blocks.count; next_block++) {
      for (uint32_t i = r->blocks.first[next_block]; i < r->blocks.past[next_block]; i++) {
        uint32_t state = r->blocks.elements[i];
        for (uint32_t a = r->first_arrival[state]; a < r->first_arrival[state + 1]; a++) {
          mark(&r->cords, r->arrivals[a]);
        }
      }
      split(&r->cords);
    }
  }
}

/* Numbers the blocks by their least state. */
static hd_status number_classes(const refinement *r, hd_arena *arena, hdi_minimal *out) {
  uint32_t states = r->machine->state_count;
  out->class_count = r->blocks.count;
  out->class_of = hd_arena_alloc_array(arena, states, sizeof out->class_of[0]);
  out->representative = hd_arena_alloc_array(arena, out->class_count, sizeof out->representative[0]);
  uint32_t *number = calloc(out->class_count, sizeof *number); /* per block: class + 1 */
  if (out->class_of == NULL || out->representative == NULL || number == NULL) {
    free(number);
    return HD_E_NOMEM;
  }
  uint32_t next = 0;
  for (uint32_t s = 0; s < states; s++) {
    uint32_t block = r->blocks.set_of[s];
    if (number[block] == 0) {
      out->representative[next] = s;
      number[block] = ++next;
    }
    out->class_of[s] = number[block] - 1;
  }
  free(number);
  return HD_OK;
}

hd_status hdi_machine_minimise(const hd_machine *machine, hd_arena *arena, hdi_minimal *out) {
  refinement r = {.machine = machine};
  *out = (hdi_minimal){0};
  bool ready = allocate_partition(&r.blocks, machine->state_count);
  ready = allocate_partition(&r.cords, machine->arc_count) && ready;
  ready = ready && start_cords(&r) && index_arrivals(&r);
  hd_status status = ready ? HD_OK : HD_E_NOMEM;
  if (ready) {
    start_blocks(&r);
    refine(&r);
    status = number_classes(&r, arena, out);
  }
  free_partition(&r.blocks);
  free_partition(&r.cords);
  free(r.arrivals);
  free(r.first_arrival);
  return status;
}

/* Position of an action in the order of machine arcs. */
static uint64_t action_rank(bool send, hd_message message) {
  return ((uint64_t)!send << 32) | message.v;
}

uint32_t hdi_machine_next(const hd_machine *machine, uint32_t state, bool send, hd_message message) {
  uint32_t begin = machine->first_arc[state], end = machine->first_arc[state + 1];
  uint64_t wanted = action_rank(send, message);
  while (begin < end) {
    uint32_t middle = begin + (end - begin) / 2;
    if (action_rank(machine->arcs[middle].send, machine->arcs[middle].message) < wanted) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  bool found = begin < machine->first_arc[state + 1] &&
               action_rank(machine->arcs[begin].send, machine->arcs[begin].message) == wanted;
  return found ? machine->arcs[begin].to : HD_NONE;
}
