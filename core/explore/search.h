/* One run of the search engine: its workers, its control and what they share. Internal to core/explore. Read the head
 * of search.c for the picture. */
#ifndef HEDDLE_CORE_EXPLORE_SEARCH_H
#define HEDDLE_CORE_EXPLORE_SEARCH_H

#include "core/explore/explore.h"
#include "core/explore/found.h"
#include "core/explore/frontier.h"
#include "core/explore/history.h"
#include "core/explore/idle.h"
#include "core/explore/scatter.h"
#include "core/model/native.h"

#define HD_ARRAY_NAME hdi_words
#define HD_ARRAY_TYPE uint64_t
#include "core/base/array.h"

/* Appends `count` > 0 words. HD_E_NOMEM leaves the array as it was. */
hd_status hdi_words_append(hdi_words *words, const uint64_t *state, uint32_t count);

/* What all workers do between two barriers. */
typedef enum hdi_phase {
  HDI_PHASE_SEED,  /* insert the initial states */
  HDI_PHASE_CLOSE, /* follow the weight-0 steps of one sub-level */
  HDI_PHASE_EXPAND /* follow the other steps of a level */
} hdi_phase;

typedef enum hdi_action { HDI_ACTION_WORK, HDI_ACTION_GROW, HDI_ACTION_STOP } hdi_action;

/* Values of hdi_run.interrupt: 0 go on, 1 come to the barrier because the table must grow, otherwise stop for good with
 * end HDI_STOP_END(value). */
#define HDI_GO 0u
#define HDI_PAUSE 1u
#define HDI_STOP(end) (2u + (uint32_t)(end))
#define HDI_STOP_END(value) ((hd_end)((value)-2u))

/* Steps and states a worker handles between two looks at the clock. */
#define HDI_CHECK_INTERVAL 1024u
/* A sub-level of at most this many states is expanded by worker 0 while the others wait. */
#define HDI_NARROW_STATES 256u

/* Successors are collected and offered to the visited set together, this many or more at once. */
#define HDI_BATCH 256u
/* Most states whose successors are computed in one call. */
#define HDI_BULK_STATES 256u

typedef struct hdi_run hdi_run;

typedef struct hdi_worker {
  alignas(HD_CACHE_LINE) hdi_run *run; /* borrowed */
  uint32_t number;
  uint32_t countdown;  /* to the next look at the clock */
  hd_stepper *stepper; /* owned */
  hdi_pool pool;
  hdi_chunk *current;        /* owned; the chunk being worked on, NULL when none */
  uint32_t cursor;           /* the next state in it */
  hdi_list fresh;            /* new states: of the next sub-level (CLOSE) or of the next level (SEED, EXPAND) */
  hdi_list closed[2];        /* states of the level whose weight-0 steps were followed: without, with such a step */
  bool bulk;                 /* the stepper has a fast path */
  uint64_t *batch;           /* owned; successors to be offered, W words each */
  size_t batch_room;         /* how many it holds: HDI_BATCH and one state's */
  size_t batch_count;        /* successors in it */
  uint32_t *places;          /* owned; which of the batch were not known ... */
  uint8_t *answers;          /* owned; ... and what the visited set said of them */
  hdi_parcel *spare_parcels; /* owned */
  hdi_scatter scatter;       /* in wide levels: successors on their way to the visited set */
  hdi_words stash;           /* successors that found the table full, W words each */
  hdi_finds finds;
  uint64_t stop_level; /* least level of a finding in one of the stop slots; UINT64_MAX: none */
  hd_status failure;   /* HD_OK, or why this worker ended the run with HD_END_MEMORY although memory is not out */
  /* counts; see hd_outcome */
  uint64_t states, transitions, expanded, stopped;
  uint64_t pending; /* transitions of weight 0 out of states that are not expanded yet */
  /* the state being worked on */
  const uint64_t *state;
  uint64_t ordinal;                       /* steps of it seen so far */
  uint64_t fresh_level;                   /* level of new states */
  hdi_deque work;                         /* chunks of the sub-level being worked on; others steal from it */
  alignas(HD_CACHE_LINE) hdi_inbox inbox; /* what other workers have sorted for this one */
  alignas(HD_CACHE_LINE) hd_atomic_u64 shown_states, shown_transitions; /* copies for progress displays */
} hdi_worker;

struct hdi_run {
  const hd_search *search; /* borrowed */
  const hd_model *model;   /* borrowed */
  hd_visited *visited;     /* owned */
  hd_reduction *reduction; /* owned; NULL: none */
  hd_symmetry *symmetry;   /* owned; NULL: none. All states that the run keeps are sorted then */
  const char *unreduced;   /* why it is NULL although one was asked for; NULL: it was not */
  hdi_worker *workers;     /* owned */
  uint32_t worker_count, words;
  hd_native *native; /* owned; NULL: none is being made */
  hd_native_use native_use;
  double native_wait_seconds; /* spent waiting for the compiler */
  double native_looked_at;    /* when the compiler was last looked at inside a phase; worker 0 */
  bool bind;                  /* workers are bound to cores in the team */
  bool any_order;             /* a search without levels (any_order.c) */
  bool zero_weights;          /* levels must be closed under weight-0 steps */
  bool keep;                  /* record all states in `history`; count and look for nothing */
  uint64_t last_level;        /* stop when this level is complete, before expanding it; UINT64_MAX: none */
  size_t memory_max_bytes;
  double start, deadline; /* seconds; deadline 0: none */
  double shown_at;        /* when progress was last shown; worker 0 */

  /* Control: written by worker 0 while the others wait, read by all in between. */
  hdi_action action;
  hdi_phase phase;
  bool ready;           /* the phase has been set up but not begun */
  bool paused;          /* the phase was interrupted for growth */
  bool retry;           /* after growing, what found the table full is offered again */
  bool alone;           /* worker 0 does the phase by itself */
  uint32_t region_bits; /* successors are sorted into 2^region_bits regions of the visited set first; 0: not sorted */
  bool growth_refused;
  uint64_t level, level_states, levels, frontier_peak;
  uint32_t sub, fill;
  hd_end end;
  hdi_history history;
  hdi_idle idle; /* only without levels */

  alignas(HD_CACHE_LINE) hd_atomic_u32 interrupt;      /* read after every state, written a few times per run */
  alignas(HD_CACHE_LINE) hd_atomic_u64 frontier_bytes; /* taken by all pools */
};

/* ---- search.c ---- */
/* Prepares a run with `threads` workers, owned by the caller. HD_E_NOMEM; HD_E_LIMIT when not even the empty table fits
 * into the memory limit. `keep`, `last_level` as in hdi_run. */
hd_status hdi_run_new(const hd_search *search, uint32_t threads, bool keep, uint64_t last_level, hdi_run **out);
void hdi_run_free(hdi_run *run);
/* Runs it to its end, run->end. HD_E_NOMEM when threads cannot be made. */
hd_status hdi_run_go(hdi_run *run);
/* Quiescent. Reads the interrupt word; true when the run is over. A pause is taken down in run->paused. */
bool hdi_run_is_stopped(hdi_run *run);
/* Quiescent. True when a worker has a successor that found the table full; then *action is what comes next. */
bool hdi_run_is_full(hdi_run *run, hdi_action *action);

/* ---- native.c: native code in a run ---- */
/* Starts the compiler as the search asks, and waits for it if so. Before the run. */
void hdi_run_begin_native(hdi_run *run);
/* Gives the code to all workers when it is ready. At a quiescent point. Cost: a system call while the compiler works.
 */
void hdi_run_take_native(hdi_run *run);
/* Asks all workers to come to the barrier when the compiler has ended. Worker 0, inside a phase; looks at it a few
 * dozen times a second at most. */
void hdi_run_watch_native(hdi_run *run, double now);

/* ---- level.c: one worker's part of a phase ---- */
/* Inserts the initial states. Worker 0, before the team starts. */
void hdi_level_seed(hdi_worker *worker);
/* Works on chunks until none is left or the run is interrupted. */
void hdi_level_work(hdi_worker *worker);
/* Offers the successors that other workers have left in the inbox: after a phase with regions, and a barrier. */
void hdi_level_receive(hdi_worker *worker);
/* Frees all parcels that the worker has. */
void hdi_level_clear_parcels(hdi_worker *worker);
/* Inserts the stashed successors again; what finds the table full once more stays in the stash. */
void hdi_level_retry(hdi_worker *worker);
/* Follows the steps of one or more of the next states of the current chunk, of which there is at least one; false when
 * the run has been stopped. */
bool hdi_level_advance(hdi_worker *worker);
/* Offers the successors collected so far to the visited set. */
void hdi_level_offer(hdi_worker *worker);

/* ---- any_order.c: the same without levels ---- */
/* Works until the run is interrupted or there is no work left; alone, also until there is work for others. */
void hdi_any_work(hdi_worker *worker);
/* What all workers do next. Worker 0 while the others wait. */
hdi_action hdi_any_decide(hdi_run *run);

/* ---- limits.c ---- */
/* Asks all workers to come to the barrier. Any worker. */
void hdi_run_pause(hdi_run *run);
/* Ends the run; the first reason counts. Any worker. */
void hdi_run_stop(hdi_run *run, hd_end end);
/* Takes a pause back. Quiescent. */
void hdi_run_resume(hdi_run *run);
/* The interrupt word. */
uint32_t hdi_run_interrupt(const hdi_run *run);
/* Looks at clock, memory and cancellation, and shows progress; false when the run must stop. */
bool hdi_worker_check(hdi_worker *worker);
/* One unit of work is done; false when the run must stop. */
static inline bool hdi_worker_tick(hdi_worker *worker) {
  return HD_LIKELY(--worker->countdown > 0) || hdi_worker_check(worker);
}
/* `units` of them. */
static inline bool hdi_worker_ticks(hdi_worker *worker, uint32_t units) {
  if (HD_LIKELY(worker->countdown > units)) {
    worker->countdown -= units;
    return true;
  }
  return hdi_worker_check(worker);
}
/* Bytes of the visited set and the frontier. */
size_t hdi_run_memory_bytes(const hdi_run *run);
/* States that all workers have shown. Any worker. */
uint64_t hdi_run_shown_states(const hdi_run *run);
/* Copies the worker's counts to where progress displays read them. The worker itself, or anybody after the team. */
void hdi_worker_show(hdi_worker *worker);
/* Calls search->progress. Worker 0. */
void hdi_run_show_progress(hdi_run *run);

#endif
