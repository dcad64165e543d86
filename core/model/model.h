/* The transition system that every language is translated into. Read this file first: it is the design of core/model.
 *
 * A model is a system of processes over bounded variables. It is built once through hd_builder (builder.h), compiled by
 * hd_builder_finish into packed states and edge code, and is immutable and shareable between threads from then on.
 *
 *   state    W 64-bit words, W = hd_model_words(). Every variable is a field of ceil(log2(hi-lo+1)) bits holding value
 * - lo; no field straddles a word; a variable with one value takes no bits. Unused bits are 0. [Invariant 1: the packed
 * words are the only identity of a state; equal words, equal state.] process  a control-flow graph of locations. A
 * process *type* has one or more instances; each instance has its own location field and its own copy of the type's
 * local variables and queues. Location 0 of every type is the implicit location "dead": not started, or over. An
 * instance that enters it is reset to its initial locals (so that a dead slot has one representation) and its slot may
 * be taken again by a spawn. edge     from, to, guard, ordered statements, kind, label, weight, synchronisation. `to`
 * may be the dead location. step     what a state's successor relation consists of: one edge; or two edges of different
 * processes that meet on a channel (rendezvous); followed, when a mover arrives at a protected location, by the mover's
 * further edges up to the next unprotected location (a compound step). monitor  a deterministic automaton over labels;
 * it moves with every step that carries a label of its alphabet; having no move for it is the violation (fault
 * HD_FAULT_MONITOR). Labels outside its alphabet leave it alone. filter   a set of protected locations with a
 * discipline (filter.h); static atomic blocks are the same mechanism (location flag HD_LOC_ATOMIC).
 *
 * Order. hd_model_compare_states orders states by their packed words, word 0 first, unsigned. Steps of one state are
 * ordered: by process instance, then by the order in which edges were built, then (rendezvous) by partner instance and
 * partner edge, then (compound) by the order of inner edges. Everything that breaks a tie breaks it by these two
 * orders.
 *
 * Faults. A step that cannot have a successor because something went wrong in it (a value outside its domain, a
 * division by zero, an index outside, no free slot, a block that can run for ever, a monitor without a move) has fault
 * != HD_FAULT_NONE and no next state. A failed check statement is no fault: the step has a successor and
 * `checks_failed` is set.
 *
 * Details that matter. A guard or channel that faults makes one faulting step of its own edge, without partner; when
 * partners are looked for, such an edge counts as not enabled. Queues are tested before the guard. At an exclusive
 * location: the side that starts a rendezvous is the sender, whom it meets may be anywhere. Inside a compound step the
 * mover that runs on may also be the receiving side, exclusive locations play no part, and a mover that dies stops
 * being one. When several inner paths end in one state, checks_failed unites them and the inner edges shown are those
 * of the first path on which a check failed, if any. HD_FAULT_ENDLESS and HD_FAULT_BLOCK_LIMIT occur at most once per
 * starting step, other inner faults once per statement.
 *
 * Threads: hd_model is read-only after finish. Each worker owns one hd_stepper. */
#ifndef HEDDLE_CORE_MODEL_MODEL_H
#define HEDDLE_CORE_MODEL_MODEL_H

#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hd_model hd_model;

/* Handles; each is dense within its model, from 0 (labels and expressions: from 1). */
typedef struct {
  uint32_t v;
} hd_var; /* a global, or a local of a process type (one handle for all instances) */
typedef struct {
  uint32_t v;
} hd_queue;
typedef struct {
  uint32_t v;
} hd_process; /* a process type */
typedef struct {
  uint32_t v;
} hd_loc; /* unique in the whole model, not per process */
typedef struct {
  uint32_t v;
} hd_edge; /* as built: one handle for all instances and all variants */
typedef struct {
  uint32_t v;
} hd_label;
typedef struct {
  uint32_t v;
} hd_monitor;
typedef struct {
  uint32_t v;
} hd_expr;

#define HD_NONE UINT32_MAX
#define HD_NO_VAR ((hd_var){HD_NONE})
#define HD_NO_QUEUE ((hd_queue){HD_NONE})
#define HD_NO_PROCESS ((hd_process){HD_NONE})
#define HD_NO_LOC ((hd_loc){HD_NONE})
#define HD_NO_EDGE ((hd_edge){HD_NONE})
#define HD_NO_LABEL ((hd_label){0}) /* labels count from 1, so that a zeroed description is silent */
#define HD_NO_EXPR ((hd_expr){0})   /* expressions count from 1, so that a zeroed description has none */

/* X(identifier, "words") */
#define HD_EDGE_KIND_TABLE(X) \
  X(INTERNAL, "internal")     \
  X(SEND, "send")             \
  X(RECEIVE, "receive")       \
  X(AWAIT, "await")           \
  X(ASSUME, "assume")         \
  X(ASSERT, "assert")         \
  X(LOCK, "lock")             \
  X(UNLOCK, "unlock")         \
  X(SPAWN, "spawn")           \
  X(BRANCH, "branch")         \
  X(END, "end")

typedef enum hd_edge_kind {
#define HDI_EDGE_KIND_ENUM(identifier, words) HD_EDGE_##identifier,
  HD_EDGE_KIND_TABLE(HDI_EDGE_KIND_ENUM)
#undef HDI_EDGE_KIND_ENUM
      HD_EDGE_KIND_COUNT
} hd_edge_kind;

/* X(identifier, "words") */
#define HD_FAULT_TABLE(X)                                                                       \
  X(NONE, "none")                                                                               \
  X(RANGE, "a value leaves the domain of its variable")                                         \
  X(DIVISION, "division by zero")                                                               \
  X(INDEX, "an array index is outside the array")                                               \
  X(POOL, "no free slot is left in a pool of processes or objects: a bound of the model")       \
  X(ENDLESS, "an atomic block can run for ever")                                                \
  X(BLOCK_LIMIT, "an atomic block takes more inner steps than the limit: a bound of the model") \
  X(MONITOR, "a monitor has no move for the label")

typedef enum hd_fault {
#define HDI_FAULT_ENUM(identifier, words) HD_FAULT_##identifier,
  HD_FAULT_TABLE(HDI_FAULT_ENUM)
#undef HDI_FAULT_ENUM
      HD_FAULT_COUNT
} hd_fault;

/* Location flags. */
#define HD_LOC_END 1u       /* a process may stop here */
#define HD_LOC_DAEMON 2u    /* a process may wait here for ever */
#define HD_LOC_EXCLUSIVE 4u /* while some process is here, only processes at exclusive locations start a step */
#define HD_LOC_ATOMIC 8u    /* protected, strong: a step that arrives here runs on (see "compound step") */
#define HD_LOC_EAGER                                                                                    \
  32u /* while some process is here and can make a step, the first such process makes the only steps: a \
         reduction that the frontend has proved. Edges from here take part in no rendezvous */
#define HD_LOC_ATOMIC_WEAK 16u /* protected, weak: at most one process may be at such a location */
#define HD_LOC_WEAK_START 64u  /* of filters: leaving it is forbidden while another process is at a weak location */

/* What a step did: its identity is (edge, instance, partner_edge, partner_instance, next state). */
typedef struct hd_step {
  hd_edge edge;              /* the edge that starts the step (the sending side of a rendezvous) */
  uint32_t instance;         /* global number of the process instance that owns it: 0 .. hd_model_instances()-1 */
  hd_edge partner_edge;      /* rendezvous: the receiving side; otherwise HD_NO_EDGE */
  uint32_t partner_instance; /* HD_NONE without partner */
  hd_label label;            /* visible label of the step, HD_NO_LABEL when silent (of edge, else of partner_edge) */
  uint32_t weight;           /* 0 or 1: larger of the two edges' weights; inner edges add nothing */
  hd_fault fault;
  uint32_t fault_detail;  /* statement id of the edge at fault (or monitor number for HD_FAULT_MONITOR) */
  bool compound;          /* further inner edges were taken; hd_stepper_inner lists them */
  uint32_t checks_failed; /* bit c is set when a check statement with code c (0..31) failed in this step */
} hd_step;

/* Called for each step in step order. `next` is W words borrowed until the call returns, or NULL when step->fault is
 * set. Return false to stop the enumeration early. */
typedef bool (*hd_emit)(void *payload, const uint64_t *next, const hd_step *step);

/* Which steps hd_stepper_run produces. */
typedef enum hd_weight_filter { HD_WEIGHT_ANY, HD_WEIGHT_ZERO, HD_WEIGHT_ONE } hd_weight_filter;

typedef struct hd_filter hd_filter; /* filter.h */

/* Per-worker scratch for computing successors. Not thread-safe; the model must outlive it. */
typedef struct hd_stepper hd_stepper;
/* `filter` (borrowed, may be NULL) adds protected locations. NULL when memory is out. */
hd_stepper *hd_stepper_new(const hd_model *model, const hd_filter *filter);
void hd_stepper_free(hd_stepper *stepper); /* NULL allowed */
/* Enumerates the steps of `state`. HD_OK, or HD_E_NOMEM (then some steps may be missing: the caller must give up), or
 * HD_E_CANCELLED when emit returned false. Steps of one compound edge that end in the same state are emitted once. Not
 * re-entrant. */
hd_status hd_stepper_run(hd_stepper *stepper, const uint64_t *state, hd_weight_filter weights, hd_emit emit,
                         void *payload);

/* The fast path of searches: the successors of many states, without descriptions. */

/* Most successors that one state can have on the fast path; 0 when this stepper has none. */
uint32_t hd_stepper_bulk_max(const hd_stepper *stepper);
/* True when the model or the filter has protected locations: steps may be compound, and there is no fast path. */
bool hd_stepper_is_compound(const hd_stepper *stepper);
/* Places behind the last successor that a bulk run may write to and leave undefined. */
#define HD_BULK_SLACK 8u
/* Writes the successors of states[0], states[1], ... (W words each, `count` of them) one after another to `next`: for
 * each state in step order, one for every step of the wanted weight. ends[i] is how many stand there after state i.
 * Stops before a state with a step that has a fault or a failed check (*odd is true then: give that state to
 * hd_stepper_run), and before one for whose successors there may not be room. `next` has room for `room` successors, at
 * least hd_stepper_bulk_max() + HD_BULK_SLACK. Returns how many states were done. Requires a fast path. Cost: a few
 * instructions per rule. */
uint32_t hd_stepper_bulk_run(hd_stepper *stepper, const uint64_t *states, uint32_t count, hd_weight_filter weights,
                             uint64_t *next, size_t room, uint32_t *ends, bool *odd);
/* The inner edges (in order, without the starting one) of the step being emitted; valid inside the emit callback only.
 * Each entry is (edge, instance). Returns their number. */
typedef struct hd_inner {
  hd_edge edge;
  uint32_t instance;
  hd_edge partner_edge;
  uint32_t partner_instance;
} hd_inner;
size_t hd_stepper_inner(const hd_stepper *stepper, const hd_inner **inner);

/* ---- the compiled model ---- */
void hd_model_free(hd_model *model); /* NULL allowed */
/* Words per state, at least 1. */
uint32_t hd_model_words(const hd_model *model);
/* Bits that carry information, in all words. */
uint32_t hd_model_bits(const hd_model *model);
/* Deals the 4 W chunks of 16 bits of a state (chunk c: bits 16 (c mod 4) and up of word c / 4) out to W leaves of four,
 * in order[4 l .. 4 l + 3] for leaf l, such that halves of leaves 0 .. W-1, and halves of these, each say little about
 * what the processes did: for hd_visited_config.chunks. *dealt is false when the model is too large or it is not known
 * who changes what; `order` then says nothing. HD_E_NOMEM. Cost: see deal.c; microseconds for a few words. */
hd_status hd_model_deal_chunks(const hd_model *model, uint32_t *order, bool *dealt);
/* Initial states, sorted by state order without duplicates: count and count*W words, borrowed from the model. A
 * variable with several initial values multiplies them. */
size_t hd_model_initial(const hd_model *model, const uint64_t **states);
/* True when some edge has weight 0: a level then is closed under such steps. */
bool hd_model_has_zero_weights(const hd_model *model);
/* <0, 0, >0 in state order. */
int hd_model_compare_states(const hd_model *model, const uint64_t *a, const uint64_t *b);

uint32_t hd_model_instances(const hd_model *model);
hd_process hd_model_instance_process(const hd_model *model, uint32_t instance);
uint32_t hd_model_instance_number(const hd_model *model, uint32_t instance); /* within its type, from 0 */
const char *hd_model_process_name(const hd_model *model, hd_process process);
/* Location of an instance in a state. The dead location of its type when it is not running. */
hd_loc hd_model_location(const hd_model *model, const uint64_t *state, uint32_t instance);
bool hd_model_loc_is_dead(const hd_model *model, hd_loc loc);
uint32_t hd_model_loc_flags(const hd_model *model, hd_loc loc);
const char *hd_model_loc_name(const hd_model *model, hd_loc loc);
uint32_t hd_model_loc_tag(const hd_model *model, hd_loc loc); /* the frontend's own number */
size_t hd_model_locs(const hd_model *model);

/* Value of a variable. `instance` is the global instance number for a local, ignored for a global; `index` for arrays.
 */
int64_t hd_model_value(const hd_model *model, const uint64_t *state, hd_var var, uint32_t instance, uint32_t index);
const char *hd_model_var_name(const hd_model *model, hd_var var);
uint32_t hd_model_var_length(const hd_model *model, hd_var var);
size_t hd_model_vars(const hd_model *model);
/* Letters in a queue from head to tail (1 .. letters); returns how many; `letters` holds at least the capacity. */
uint32_t hd_model_queue_content(const hd_model *model, const uint64_t *state, hd_queue queue, uint32_t *letters);
/* Letter at the head of a queue, 0 when it is empty. */
uint32_t hd_model_queue_head(const hd_model *model, const uint64_t *state, hd_queue queue);
uint32_t hd_model_queue_capacity(const hd_model *model, hd_queue queue);
size_t hd_model_queues(const hd_model *model);
const char *hd_model_queue_name(const hd_model *model, hd_queue queue);
uint32_t hd_model_monitor_state(const hd_model *model, const uint64_t *state, hd_monitor monitor);

hd_edge_kind hd_model_edge_kind(const hd_model *model, hd_edge edge);
hd_span hd_model_edge_span(const hd_model *model, hd_edge edge);
uint32_t hd_model_edge_statement(const hd_model *model, hd_edge edge); /* statement id given by the frontend */
uint32_t hd_model_edge_tag(const hd_model *model, hd_edge edge);       /* the frontend's own number */
hd_loc hd_model_edge_from(const hd_model *model, hd_edge edge);
hd_loc hd_model_edge_to(const hd_model *model, hd_edge edge);
const char *hd_model_label_name(const hd_model *model, hd_label label);
size_t hd_model_edges(const hd_model *model);

/* Why a state without steps is there. */
typedef enum hd_stop {
  HD_STOP_PROPER, /* every process is dead, at an end or at a daemon location, and every must-be-empty queue is empty */
  HD_STOP_STUCK,  /* a deadlock */
  HD_STOP_PRUNED  /* not proper, but some process that must go on is at a location that has an assume edge: no deadlock
                   */
} hd_stop;
/* Classifies a state without steps (the caller's promise). */
hd_stop hd_model_stop(const hd_model *model, const uint64_t *state);

/* Sizes for reports: rules compiled to masked compares, rules in bytecode. */
typedef struct hd_model_sizes {
  uint32_t masked_rules, bytecode_rules, words, bits;
} hd_model_sizes;
void hd_model_get_sizes(const hd_model *model, hd_model_sizes *sizes);

/* Debug: every field inside its domain, unused bits zero, dead instances reset. Used by HD_INVARIANT. */
bool hd_model_state_is_valid(const hd_model *model, const uint64_t *state);

#endif
