/* Unfolding a run through classes.
 *
 * A search with symmetry knows one state of each class, and its steps lead to states that were sorted afterwards: put
 * together they are no run. But a step from s to the class of s' exists from every state of the class of s, by the same
 * exchange of instances; so a run is found by going forwards and taking, in each state, the first step in step order
 * that has the weight wanted and leads into the next class. The finding's own step is chosen by its edges, fault and
 * failed checks, which exchanges leave alone. The result does not depend on threads, and has the length and the cost of
 * the run through the classes.
 * Cost: one enumeration of steps, and a sorting of each successor, per state of the run. */
#include "core/explore/unfold.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

typedef struct unfolding {
  const hd_symmetry *symmetry;
  size_t state_bytes;
  const uint64_t *wanted; /* class to be reached; NULL: the step has none (a fault) */
  const hd_step *like;
  bool exact;        /* edges, fault and checks must be those of `like` too */
  uint64_t *scratch; /* one state */
} unfolding;

static bool is_in(const unfolding *u, const uint64_t *state, const uint64_t *class) {
  memcpy(u->scratch, state, u->state_bytes);
  hd_symmetry_sort(u->symmetry, u->scratch);
  return memcmp(u->scratch, class, u->state_bytes) == 0;
}

static bool accept(void *payload, const uint64_t *next, const hd_step *step) {
  const unfolding *u = payload;
  if (step->weight != u->like->weight || (next == NULL) != (u->wanted == NULL)) {
    return false;
  }
  if (u->exact && (step->edge.v != u->like->edge.v || step->partner_edge.v != u->like->partner_edge.v ||
                   step->fault != u->like->fault || step->fault_detail != u->like->fault_detail ||
                   step->checks_failed != u->like->checks_failed)) {
    return false;
  }
  return next == NULL || is_in(u, next, u->wanted);
}

static hd_status begin(const hd_search *search, const unfolding *u, const uint64_t *class, hd_trace **out) {
  const uint64_t *states;
  size_t count = hd_model_initial(search->model, &states);
  for (size_t i = 0; i < count; i++) {
    if (is_in(u, states + i * (u->state_bytes / sizeof *states), class)) {
      *out = hd_trace_begin(search->model, i);
      return *out == NULL ? HD_E_NOMEM : HD_OK;
    }
  }
  return HD_E_INTERNAL;
}

static hd_status extend(const hd_search *search, unfolding *u, hd_trace *trace) {
  hd_status status = hd_trace_extend(search->model, search->filter, trace, accept, u);
  return status == HD_E_INPUT ? HD_E_INTERNAL : status;
}

hd_status hdi_unfold(const hd_search *search, const hd_symmetry *symmetry, const uint64_t *classes,
                     const hd_step *steps, size_t count, const hdi_find *find, hd_trace **out) {
  HD_ASSERT(count >= 1);
  size_t words = hd_model_words(search->model);
  unfolding u = {.symmetry = symmetry, .state_bytes = words * sizeof *classes};
  uint64_t *room = malloc(2 * u.state_bytes);
  if (room == NULL) {
    return HD_E_NOMEM;
  }
  u.scratch = room;
  hd_trace *trace = NULL;
  hd_status status = begin(search, &u, classes, &trace);
  for (size_t i = 0; i + 1 < count && status == HD_OK; i++) {
    u.wanted = classes + (i + 1) * words;
    u.like = &steps[i];
    status = extend(search, &u, trace);
  }
  if (status == HD_OK && find->has_step) {
    u.exact = true;
    u.like = &find->step;
    u.wanted = NULL;
    if (find->has_next) {
      memcpy(room + words, find->next, u.state_bytes);
      hd_symmetry_sort(symmetry, room + words);
      u.wanted = room + words;
    }
    status = extend(search, &u, trace);
  }
  free(room);
  if (status != HD_OK) {
    hd_trace_free(trace);
    return status;
  }
  *out = trace;
  return HD_OK;
}
