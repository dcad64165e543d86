/* Judging every state of a complete search: which instances are left behind from it on. Internal to core/explore; the
 * head of bottom.c defines and proves, the head of judge.c tells how. */
#ifndef HEDDLE_CORE_EXPLORE_JUDGE_H
#define HEDDLE_CORE_EXPLORE_JUDGE_H

#include "core/explore/bottom.h"
#include "core/explore/found.h"
#include "core/explore/places.h"

#include <stdalign.h>

/* Successors and states that are looked up together. */
#define HDI_JUDGE_BATCH 256u

/* Passes that are made before the arcs are stored. */
#define HDI_JUDGE_PASSES 4u

typedef enum hdi_judge_phase {
  HDI_JUDGE_START,
  HDI_JUDGE_INDEX,  /* make every state findable */
  HDI_JUDGE_PASS,   /* over the states that are not settled */
  HDI_JUDGE_COUNT,  /* how many arcs of states that are not settled lead to each state? */
  HDI_JUDGE_FILL,   /* store these arcs by their target */
  HDI_JUDGE_SEED,   /* hand every mask to the predecessors */
  HDI_JUDGE_SPREAD, /* hand on the masks that have changed */
  HDI_JUDGE_COLLECT /* file what is left */
} hdi_judge_phase;

#define HD_ARRAY_NAME hdi_state_numbers
#define HD_ARRAY_TYPE uint32_t
#include "core/base/array.h"

/* Arcs by their target (judge_graph.c). */
typedef struct hdi_judge_graph {
  uint64_t *begins;        /* owned; the predecessors of state n begin here in `before` ... */
  hd_atomic_u64 *ends;     /* owned; ... and end before here; COUNT: how many there are */
  uint32_t *before;        /* owned */
  hd_atomic_u64 *queued;   /* owned; a bit for each state that is in a worker's `next` */
  hdi_state_numbers round; /* owned; the states whose mask is handed on in this round */
  bool refused;            /* memory does not bear it */
} hdi_judge_graph;

typedef struct hdi_judge hdi_judge;

typedef struct hdi_judge_worker {
  alignas(HD_CACHE_LINE) hdi_judge *judge; /* borrowed */
  uint32_t countdown;                      /* to the next look at the clock */
  hd_stepper *stepper;                     /* owned */
  uint64_t *sum;                           /* owned; a mask being made */
  bool stepped;                            /* the state being stepped has a successor */
  bool bulk;                               /* the stepper has a fast path */
  uint64_t *batch;                         /* owned; successors, W words each */
  uint64_t *hashes;                        /* owned; of the successors */
  size_t batch_room;                       /* how many there may be: HDI_JUDGE_BATCH and one state's */
  uint32_t batch_count;
  uint32_t entry_count; /* states whose successors are in the batch: entry i has those from ends[i-1] to ends[i] */
  uint32_t ends[HDI_JUDGE_BATCH];
  uint64_t numbers[HDI_JUDGE_BATCH];
  bool changed;                  /* this worker has changed a mask in this pass */
  hdi_state_numbers next;        /* owned; SEED, SPREAD: states whose mask has changed */
  hd_status status;              /* HD_OK, or why this worker ended the work */
  hdi_finds finds;               /* slot HD_SLOT_STOP(kind) */
  hd_bottom_instance *instances; /* owned; per instance */
} hdi_judge_worker;

struct hdi_judge {
  const hd_search *search;      /* borrowed */
  const hd_bottom_query *query; /* borrowed */
  const hd_model *model;        /* borrowed */
  const hdi_history *history;   /* borrowed; of a complete search */
  uint32_t words, instances;    /* per state; of the model */
  uint32_t mask_words;          /* per mask: a bit for each instance */
  uint64_t last_mask;           /* the bits in use of a mask's last word */
  hdi_places places;
  hd_atomic_u64 *masks;      /* owned; state number n has words n * mask_words ... */
  uint32_t *unsettled;       /* owned; per chunk: states whose mask was not full when it was last worked on */
  hdi_judge_worker *workers; /* owned */
  uint32_t worker_count;
  double deadline; /* 0: none */

  /* Control: written by worker 0 while the others wait. */
  hdi_judge_phase phase;
  bool backwards;    /* direction of the pass */
  size_t epoch;      /* epochs of the pass that are done */
  size_t begin, end; /* chunks of the job */
  uint64_t passes;
  bool going;
  hdi_judge_graph graph;
  size_t memory_max_bytes; /* for the graph; beyond it there are passes only */

  alignas(HD_CACHE_LINE) hd_atomic_u64 next_chunk; /* chunks of the job that are handed out */
  alignas(HD_CACHE_LINE) hd_atomic_u32 interrupt;  /* 0: go on, otherwise 1 + the end */
};

/* Bytes that judging takes beside the history. */
size_t hdi_judge_size_bytes(const hd_model *model, const hdi_history *history, uint64_t states);
/* `memory_max_bytes`: what may be taken beyond hdi_judge_size_bytes. HD_E_NOMEM, HD_E_LIMIT (too many states). */
hd_status hdi_judge_new(const hd_search *search, const hd_bottom_query *query, const hdi_history *history,
                        uint32_t threads, double deadline, size_t memory_max_bytes, hdi_judge **out);
void hdi_judge_free(hdi_judge *judge);
/* Does it. *end says whether it was done to the end. HD_E_NOMEM, HD_E_INTERNAL. */
hd_status hdi_judge_go(hdi_judge *judge, hd_end *end);
/* Writes the instances that are left behind from `state` on to `bits` (mask_words). After hdi_judge_go. */
void hdi_judge_left_behind(const hdi_judge *judge, const uint64_t *state, uint64_t *bits);

/* ---- judge.c, for the other files ---- */

/* Ends the work; the first reason counts. Any worker. */
void hdi_judge_stop(hdi_judge *judge, hd_end end);
/* 0, or 1 + the end. */
uint32_t hdi_judge_interrupt(const hdi_judge *judge);
void hdi_judge_fail(hdi_judge_worker *worker, hd_status status);
bool hdi_judge_look_around(hdi_judge_worker *worker);
/* One unit of work is done; false when all is to stop. */
static inline bool hdi_judge_tick(hdi_judge_worker *worker) {
  return HD_LIKELY(--worker->countdown > 0) || hdi_judge_look_around(worker);
}

/* ---- judge_visit.c ---- */

/* bits |= mask of state `number`. */
void hdi_mask_read(const hdi_judge *judge, uint64_t number, uint64_t *bits);
bool hdi_mask_is_full(const hdi_judge *judge, uint64_t number);
/* mask of state `number` |= bits. True when that changed it. */
bool hdi_mask_add(hdi_judge *judge, uint64_t number, const uint64_t *bits);
/* One chunk's part of a phase; false when all is to stop. */
bool hdi_judge_pass_chunk(hdi_judge_worker *worker, size_t index);
bool hdi_judge_link_chunk(hdi_judge_worker *worker, size_t index); /* COUNT, FILL */
bool hdi_judge_collect_chunk(hdi_judge_worker *worker, size_t index);

/* ---- judge_graph.c ---- */

/* Gets ready to count; false when memory does not bear it. Quiescent, as are the next two. */
bool hdi_graph_begin(hdi_judge *judge);
/* After COUNT: makes room for the arcs; the same. */
bool hdi_graph_reserve(hdi_judge *judge);
/* After SEED or SPREAD: the states of the next round; false when there is none. HD_E_NOMEM fails worker 0. */
bool hdi_graph_next_round(hdi_judge *judge);
void hdi_graph_clear(hdi_judge *judge);
/* An arc in COUNT or FILL. Any worker. */
void hdi_graph_add_arc(hdi_judge *judge, uint64_t from, uint64_t to);
/* Hands the masks of a chunk's states to their predecessors; SEED. */
bool hdi_graph_seed_chunk(hdi_judge_worker *worker, size_t index);
/* The same for part `index` of the round: HDI_GRAPH_PART states. */
#define HDI_GRAPH_PART 64u
bool hdi_graph_spread_part(hdi_judge_worker *worker, size_t index);

/* 0 when `instance` need not go on in `state`, otherwise its kind: what the query's callback says, or the default. */
uint32_t hdi_must_go_on(const hd_bottom_query *query, const hd_model *model, const uint64_t *state, uint32_t instance);

/* Sets the bits of the instances that take part in the step that `stepper` is emitting. */
void hdi_add_movers(const hd_stepper *stepper, const hd_step *step, uint64_t *bits);

#endif
