/* Counterexamples without stored predecessors.
 *
 * The main search stores nothing but states. When a finding is to be explained, the search is run once more up to the
 * deepest wanted level, this time keeping the states of every (sub-)level (history.c); all slots share this run. Then
 * each finding is walked back from its state, target t, to an initial state:
 *
 *     t in (level l, sub s > 0):  the least state of (l, s - 1) with a weight-0 step to t
 *     t in (level l > 0, sub 0):  the least state of (l - 1, u) with a weight-1 step to t, for the least such u
 *     t in (level 0, sub 0):      t is an initial state
 *
 * "least" is state order, and among the steps of that state to t the first in step order is taken. Such a predecessor
 * exists because t was inserted from one. Sub-level sets do not depend on the number of threads, neither does a least
 * element; hence the trace is the same, byte for byte, for every number of threads. Its cost is the level of the
 * finding, which is minimal. In each level it takes as few weight-0 steps as lead to the step that leaves the level.
 *
 * Scans of a wide sub-level are shared: workers take its chunks by a counter and keep their own least match; a state
 * that is not less than the match in hand is not stepped. Narrow ones are scanned by worker 0 alone while the others
 * wait, as in search.c. Every trace is replayed on the model before it leaves [Invariant 3]. */
#include "core/explore/counterexample.h"

#include "core/base/check.h"
#include "core/base/team.h"
#include "core/explore/search.h"
#include "core/explore/unfold.h"

#include <stdlib.h>
#include <string.h>

#define HD_ARRAY_NAME hdi_steps
#define HD_ARRAY_TYPE hd_step
#include "core/base/array.h"

/* One worker's least match of a scan. */
typedef struct match {
  alignas(HD_CACHE_LINE) const uint64_t *state; /* borrowed from the history; NULL: none */
  hd_step step;
  const uint64_t *tried; /* the state being stepped */
  hd_status status;
} match;

/* The walk back from one finding. */
typedef struct walk {
  hdi_run *run; /* borrowed; its history, steppers and clock */
  match *matches;
  hdi_words states; /* from the target back to the initial state */
  hdi_steps steps;  /* one fewer */
  size_t epoch;     /* of the target */
  const uint64_t *target;
  size_t scanned; /* the epoch being scanned */
  hd_weight_filter weights;
  bool scanning; /* the team scans; false: the walk is over. Written by worker 0 while the others wait */
  hd_status status;
  alignas(HD_CACHE_LINE) hd_atomic_u64 next_chunk; /* of the epoch; handed out to workers */
} walk;

typedef struct scan {
  walk *walk;
  match *match;
  uint64_t *scratch; /* one state */
} scan;

/* ---- one worker's part of a scan ---- */

static bool match_step(void *payload, const uint64_t *next, const hd_step *step) {
  scan *s = payload;
  if (next != NULL && s->walk->run->symmetry != NULL) {
    memcpy(s->scratch, next, s->walk->run->words * sizeof *next);
    hd_symmetry_sort(s->walk->run->symmetry, s->scratch);
    next = s->scratch;
  }
  if (next == NULL || memcmp(next, s->walk->target, s->walk->run->words * sizeof *next) != 0) {
    return true;
  }
  s->match->state = s->match->tried;
  s->match->step = *step;
  return false;
}

static bool scan_chunk(scan *s, hdi_worker *worker, const hdi_chunk *chunk) {
  walk *w = s->walk;
  match *m = s->match;
  for (uint32_t i = 0; i < chunk->count; i++) {
    if (!hdi_worker_tick(worker)) {
      return false;
    }
    m->tried = &chunk->words[(size_t)i * w->run->words];
    if (m->state != NULL && hd_model_compare_states(w->run->model, m->tried, m->state) >= 0) {
      continue;
    }
    hd_status status = hd_stepper_run(worker->stepper, m->tried, w->weights, match_step, s);
    if (status != HD_OK && status != HD_E_CANCELLED) {
      m->status = status;
      return false;
    }
  }
  return true;
}

static void scan_part(walk *w, uint32_t number) {
  scan s = {.walk = w, .match = &w->matches[number], .scratch = w->run->workers[number].batch};
  const hdi_epoch *epoch = &w->run->history.epochs.data[w->scanned];
  for (;;) {
    /* HD-SYNC C1: relaxed; pairs with C1 of other workers, C2. Publishes: nothing; chunks are read-only. Why not
     * weaker: it must be one read-modify-write. Why not stronger: it only hands out numbers. */
    uint64_t i = hd_add_rlx(&w->next_chunk, 1);
    if (i >= epoch->chunk_count ||
        !scan_chunk(&s, &w->run->workers[number], w->run->history.chunks.data[epoch->first + i])) {
      return;
    }
  }
}

/* ---- worker 0, while the others wait ---- */

/* Gets ready to scan epoch `scanned`. */
static void prepare_scan(walk *w, size_t scanned) {
  w->scanned = scanned;
  /* HD-SYNC C2: relaxed; pairs with C1. Publishes: nothing; the barrier orders it. Why not weaker: it is the weakest.
   * Why not stronger: quiescent. */
  hd_store_rlx(&w->next_chunk, 0);
  for (uint32_t i = 0; i < w->run->worker_count; i++) {
    w->matches[i].state = NULL;
    w->matches[i].status = HD_OK;
  }
}

/* Sets up the first scan for the present target; false when it is an initial state. */
static bool first_scan(walk *w) {
  const hdi_epoch *epochs = w->run->history.epochs.data;
  const hdi_epoch *epoch = &epochs[w->epoch];
  if (epoch->sub == 0 && epoch->level == 0) {
    return false;
  }
  size_t scanned = w->epoch - 1;
  w->weights = HD_WEIGHT_ZERO;
  if (epoch->sub == 0) {
    w->weights = HD_WEIGHT_ONE;
    while (epochs[scanned].sub > 0) {
      scanned--;
    }
  }
  prepare_scan(w, scanned);
  return true;
}

/* Ends the walk. */
static bool stop_walk(walk *w, hd_status status) {
  w->status = status;
  return false;
}

hd_status hdi_status_of_end(hd_end end) {
  switch (end) {
    case HD_END_TIMEOUT:
      return HD_E_LIMIT;
    case HD_END_SIGNAL:
      return HD_E_CANCELLED;
    case HD_END_MEMORY:
      return HD_E_NOMEM;
    case HD_END_COMPLETE:
    case HD_END_FOUND:
    case HD_END_BUDGET:
    case HD_END_DEPTH:
    case HD_END_LOSSY:
    case HD_END_COUNT:
      break;
  }
  return HD_E_INTERNAL;
}

/* Takes the result of a scan and sets up the next one; false when the walk is over. */
static bool absorb_scan(walk *w) {
  uint32_t interrupt = hdi_run_interrupt(w->run);
  if (interrupt > HDI_PAUSE) {
    return stop_walk(w, hdi_status_of_end(HDI_STOP_END(interrupt)));
  }
  const match *best = NULL;
  for (uint32_t i = 0; i < w->run->worker_count; i++) {
    const match *m = &w->matches[i];
    if (m->status != HD_OK) {
      return stop_walk(w, m->status);
    }
    if (m->state != NULL && (best == NULL || hd_model_compare_states(w->run->model, m->state, best->state) < 0)) {
      best = m;
    }
  }
  if (best == NULL) {
    if (w->weights == HD_WEIGHT_ZERO || w->scanned + 1 == w->epoch) {
      return stop_walk(w, HD_E_INTERNAL); /* nothing leads to a state that was reached */
    }
    prepare_scan(w, w->scanned + 1); /* the next sub-level of the level before */
    return true;
  }
  if (hdi_words_append(&w->states, best->state, w->run->words) != HD_OK ||
      hdi_steps_push(&w->steps, best->step) != HD_OK) {
    return stop_walk(w, HD_E_NOMEM);
  }
  w->epoch = w->scanned;
  w->target = best->state;
  return first_scan(w);
}

/* Does narrow scans at once; true when the next scan is for the team, false when the walk is over. */
static bool scan_alone(walk *w, bool more) {
  while (more) {
    const hdi_epoch *epoch = &w->run->history.epochs.data[w->scanned];
    if (epoch->states > HDI_NARROW_STATES && w->run->worker_count > 1) {
      return true;
    }
    scan_part(w, 0);
    more = absorb_scan(w);
  }
  return false;
}

/* Enters with a scan for the team set up. */
static void scan_together(hd_team *team, uint32_t number, void *payload) {
  walk *w = payload;
  do {
    scan_part(w, number);
    hd_team_barrier(team); /* all matches are there */
    if (number == 0) {
      w->scanning = scan_alone(w, absorb_scan(w));
    }
    hd_team_barrier(team); /* the next scan is set up */
  } while (w->scanning);
}

static hd_status walk_back(walk *w) {
  w->scanning = scan_alone(w, first_scan(w));
  hd_status status = w->scanning ? hd_team_run(w->run->worker_count, scan_together, w) : HD_OK;
  return status != HD_OK ? status : w->status;
}

/* ---- traces ---- */

/* `count` zeroed elements with room for the next power of two, which is what hd_trace_extend expects of a trace that
 * somebody wants to go on with. */
static void *trace_array(size_t count, size_t element_bytes) {
  size_t room = 1;
  while (room < count) {
    room *= 2;
  }
  return calloc(room, element_bytes);
}

static hd_trace *new_trace(uint32_t words, size_t length) {
  hd_trace *trace = calloc(1, sizeof *trace);
  if (trace == NULL) {
    return NULL;
  }
  trace->words = words;
  trace->length = length;
  trace->states = trace_array(length + 1, words * sizeof *trace->states);
  trace->steps = trace_array(length, sizeof *trace->steps);
  trace->inner_end = trace_array(length, sizeof *trace->inner_end);
  if (trace->states == NULL || trace->steps == NULL || trace->inner_end == NULL) {
    hd_trace_free(trace);
    return NULL;
  }
  return trace;
}

/* Turns the walk round and adds the finding's own step; NULL when memory is out. */
static hd_trace *assemble(const walk *w, const hdi_find *find) {
  uint32_t words = w->run->words;
  size_t steps = w->steps.count;
  hd_trace *trace = new_trace(words, steps + (find->has_step ? 1 : 0));
  if (trace == NULL) {
    return NULL;
  }
  size_t state_bytes = words * sizeof *trace->states;
  for (size_t i = 0; i <= steps; i++) {
    memcpy(trace->states + i * words, w->states.data + (steps - i) * words, state_bytes);
  }
  for (size_t i = 0; i < steps; i++) {
    trace->steps[i] = w->steps.data[steps - 1 - i];
  }
  if (find->has_step) {
    trace->steps[steps] = find->step;
    memcpy(trace->states + (steps + 1) * words, find->has_next ? find->next : find->state, state_bytes);
  }
  return trace;
}

/* The same when the walk went through classes of states. */
static hd_status unfold(const walk *w, const hdi_find *find, hd_trace **out) {
  hdi_words classes = {0};
  hdi_steps steps = {0};
  hd_status status = HD_OK;
  for (size_t i = w->steps.count + 1; i-- > 0 && status == HD_OK;) {
    status = hdi_words_append(&classes, w->states.data + i * w->run->words, w->run->words);
  }
  for (size_t i = w->steps.count; i-- > 0 && status == HD_OK;) {
    status = hdi_steps_push(&steps, w->steps.data[i]);
  }
  if (status == HD_OK) {
    status = hdi_unfold(w->run->search, w->run->symmetry, classes.data, steps.data, w->steps.count + 1, find, out);
  }
  hdi_words_free(&classes);
  hdi_steps_free(&steps);
  return status;
}

/* Replays the trace, and checks that it costs what the finding does. */
static hd_status verify(const hd_search *search, const hdi_find *find, hd_trace *trace) {
  uint64_t cost = 0;
  for (size_t i = 0; i < trace->length; i++) {
    cost += trace->steps[i].weight;
  }
  if (cost != find->level) {
    return HD_E_INTERNAL;
  }
  size_t failed_step;
  return hd_trace_replay(search->model, search->filter, trace, &failed_step);
}

/* The epoch that holds state `state` of level `level`; HD_E_INTERNAL when there is none. */
static hd_status locate(const hdi_run *run, uint64_t level, const uint64_t *state, size_t *epoch) {
  const hdi_epochs *epochs = &run->history.epochs;
  size_t state_bytes = run->words * sizeof *state;
  for (size_t e = epochs->count; e-- > 0 && epochs->data[e].level >= level;) {
    for (size_t c = 0; epochs->data[e].level == level && c < epochs->data[e].chunk_count; c++) {
      const hdi_chunk *chunk = run->history.chunks.data[epochs->data[e].first + c];
      for (uint32_t i = 0; i < chunk->count; i++) {
        if (memcmp(&chunk->words[(size_t)i * run->words], state, state_bytes) == 0) {
          *epoch = e;
          return HD_OK;
        }
      }
    }
  }
  return HD_E_INTERNAL;
}

static hd_status explain(hdi_run *run, match *matches, const hdi_find *find, hd_trace **out) {
  walk w = {.run = run, .matches = matches, .target = find->state};
  hd_status status = locate(run, find->state_level, find->state, &w.epoch);
  if (status == HD_OK) {
    status = hdi_words_append(&w.states, find->state, run->words);
  }
  if (status == HD_OK) {
    status = walk_back(&w);
  }
  if (status == HD_OK) {
    hd_trace *trace = NULL;
    if (run->symmetry != NULL) {
      status = unfold(&w, find, &trace);
    } else {
      trace = assemble(&w, find);
      status = trace == NULL ? HD_E_NOMEM : HD_OK;
    }
    status = status == HD_OK ? verify(run->search, find, trace) : status;
    if (status == HD_OK) {
      *out = trace;
    } else {
      hd_trace_free(trace);
    }
  }
  hdi_words_free(&w.states);
  hdi_steps_free(&w.steps);
  return status;
}

/* ---- the second search ---- */

static bool is_wanted(const hd_search *search, const hdi_finds *finds, uint32_t slot) {
  return finds->slots[slot].count > 0 && hd_slots_has(search->trace_slots, slot);
}

/* Runs up to `last_level`, keeping states; then only what walking back needs is left. */
static hd_status search_again(const hd_search *search, uint32_t threads, uint64_t last_level, hdi_run **out) {
  hdi_run *run;
  hd_status status = hdi_run_new(search, threads, true, last_level, &run);
  if (status != HD_OK) {
    return status == HD_E_LIMIT ? HD_E_NOMEM : status;
  }
  status = hdi_run_go(run);
  if (status == HD_OK && run->end != HD_END_DEPTH) {
    status = hdi_status_of_end(run->end);
  }
  if (status != HD_OK) {
    hdi_run_free(run);
    return status;
  }
  *out = run;
  return HD_OK;
}

void hdi_counterexamples(const hd_search *search, uint32_t threads, const hdi_finds *finds, hd_outcome *outcome) {
  uint64_t last_level = 0;
  bool any = false;
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    if (is_wanted(search, finds, slot)) {
      any = true;
      last_level = finds->slots[slot].state_level > last_level ? finds->slots[slot].state_level : last_level;
    }
  }
  if (!any) {
    return;
  }
  hd_search again = *search; /* the same system and limits, but nothing that ends it early or watches it */
  memset(again.stop_slots, 0, sizeof again.stop_slots);
  again.predicate = NULL;
  again.depth_max = again.states_budget = 0;
  again.progress = NULL;
  again.order = HD_ORDER_LEVELS;
  hdi_run *run = NULL;
  match *matches = aligned_alloc(HD_CACHE_LINE, threads * sizeof *matches);
  hd_status status = matches == NULL ? HD_E_NOMEM : search_again(&again, threads, last_level, &run);
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    if (is_wanted(search, finds, slot)) {
      outcome->found[slot].trace_status =
          status == HD_OK ? explain(run, matches, &finds->slots[slot], &outcome->found[slot].trace) : status;
    }
  }
  hdi_run_free(run);
  free(matches);
}
