/* What core/model's files share. Two structures: the builder, which keeps what the frontend said, and the compiled
 * model, which keeps what a stepper needs. hd_builder_finish turns one into the other:
 *
 *   builder: processes, locations, variables, queues, labels, monitors, expressions, edges
 *      | layout.c   every location, variable element, queue cell and monitor becomes a field of the packed words
 *      | compile.c  every edge becomes, for every instance of its process, zero or more rules; rules are grouped by
 *      |            (instance, location) and stay in edge order
 *      |   mask.c     what can be said with masked compares and masked writes (tier 1)
 *      |   code.c     everything else, as stack code (tier 2), run by bytecode.c
 *      v
 *   model: fields, groups of rules, tests, writes, code
 *
 * A rule is applied as: tests on the packed words; guard code, if any; body code, if any; masked writes. The masked
 * writes always move the location; in a rule without code they are the whole effect. */
#ifndef HEDDLE_CORE_MODEL_INTERNAL_H
#define HEDDLE_CORE_MODEL_INTERNAL_H

#include "core/base/arena.h"
#include "core/base/check.h"
#include "core/base/intern.h"
#include "core/model/builder.h"
#include "core/model/filter.h"

#define HDI_TABLE_MAX ((size_t)1 << 24)         /* entries of a table that a model may have */
#define HDI_INITIAL_MAX ((size_t)1 << 20)       /* initial states */
#define HDI_EXPR_DEPTH_MAX 2000u                /* nesting of an expression: the compiler recurses over it */
#define HDI_EXPR_SIZE_MAX ((uint64_t)1 << 20)   /* nodes of an expression written out as a tree */
#define HDI_INNER_STEPS_MAX ((uint64_t)1 << 20) /* inner steps of one compound step */

/* ---- fields ---- */

/* `width` bits at `shift` of `word` that hold value - lo. A field of one value has width 0, mask 0, word 0. */
typedef struct hdi_field {
  uint64_t mask; /* 2^width - 1, not shifted */
  uint64_t top;  /* hi - lo */
  int64_t lo;
  uint32_t word;
  uint8_t shift, width;
} hdi_field;

static inline uint64_t hdi_field_bits(const hdi_field *field, const uint64_t *state) {
  return (state[field->word] >> field->shift) & field->mask;
}

static inline void hdi_field_put(const hdi_field *field, uint64_t *state, uint64_t bits) {
  state[field->word] = (state[field->word] & ~(field->mask << field->shift)) | (bits << field->shift);
}

static inline int64_t hdi_field_value(const hdi_field *field, const uint64_t *state) {
  return (int64_t)((uint64_t)field->lo + hdi_field_bits(field, state));
}

/* True when `value` is in the field's domain; then *bits is what is stored. One comparison is enough: modulo 2^64 only
 * the values lo .. lo + top are at most top away from lo. */
static inline bool hdi_field_encode(const hdi_field *field, int64_t value, uint64_t *bits) {
  *bits = (uint64_t)value - (uint64_t)field->lo;
  return *bits <= field->top;
}

/* ---- what the frontend said ---- */

typedef struct hdi_process {
  const char *name;
  uint32_t instances, started;
  uint32_t first_instance; /* global number of instance 0 */
  uint32_t loc_count;      /* the dead location included */
  uint32_t dead, start;    /* location numbers; start is HD_NONE until the first location is built */
  uint32_t local_count;
  bool may_die;       /* some instance can be dead: the location field has a value for it */
  uint32_t locs;      /* compiled: first entry in model->process_locs, by number within the process */
  uint32_t locals;    /* compiled: first entry in model->process_locals */
  uint32_t loc_field; /* compiled: field of instance 0's location; the other instances follow */
} hdi_process;

typedef struct hdi_loc {
  const char *name;
  uint32_t process, number; /* number within the process, 0 = dead */
  uint32_t flags, tag;
  bool dead, assumes; /* assumes: has an edge of kind ASSUME */
} hdi_loc;

typedef struct hdi_var {
  const char *name;
  int64_t lo, hi, init_lo, init_hi;
  uint32_t length;
  uint32_t process; /* HD_NONE: global */
  uint32_t field;   /* compiled: field of element 0 (of instance 0); element e of instance i is field + i*length + e */
} hdi_var;

typedef struct hdi_queue {
  const char *name;
  uint32_t capacity, letters, owner;
  bool must_be_empty;
  uint32_t field;     /* compiled: field of the head cell; the other cells follow */
  bool one_word;      /* all cells lie one after another in one word */
  uint64_t word_mask; /* then: the bits of all cells, in place */
} hdi_queue;

typedef struct hdi_arc {
  uint32_t monitor, from, label, to;
} hdi_arc;

typedef struct hdi_monitor {
  const char *name;
  uint32_t states, initial;
  uint32_t labels, label_count; /* alphabet: entries of builder->alphabet */
  uint32_t field;
  uint32_t rows; /* compiled: first entry in model->arc_rows; row `from` is arcs [rows[from], rows[from+1]) */
} hdi_monitor;

typedef enum hdi_expr_kind {
  HDI_EXPR_CONST,
  HDI_EXPR_READ,
  HDI_EXPR_READ_AT,
  HDI_EXPR_OP,
  HDI_EXPR_SELF,
  HDI_EXPR_RECEIVED,
  HDI_EXPR_PARTNER,
  HDI_EXPR_QUEUE_LENGTH,
  HDI_EXPR_QUEUE_HEAD,
  HDI_EXPR_AT
} hdi_expr_kind;

typedef struct hdi_expr {
  hdi_expr_kind kind;
  hd_op op;
  uint32_t item;    /* variable, queue, side or location */
  uint32_t a, b, c; /* operands; AT: a = instance within its type */
  int64_t value;
  uint64_t size;        /* nodes as a tree, saturated */
  uint32_t depth;       /* levels of nesting */
  uint32_t process;     /* whose locals it reads; HD_NONE: nobody's */
  bool fixed;           /* constants and `self` only: one value per instance */
  bool received, ready; /* uses the received value; asks for a partner */
  bool total;           /* evaluating it can never fault */
} hdi_expr;

typedef struct hdi_edge {
  uint32_t from, to, guard;
  const hd_stmt *stmts;
  uint32_t stmt_count;
  hd_edge_kind kind;
  uint32_t label, weight;
  hd_side side;
  uint32_t channel, value;
  hd_span span;
  uint32_t statement, tag;
} hdi_edge;

#define HD_ARRAY_NAME hdi_processes
#define HD_ARRAY_TYPE hdi_process
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_locs
#define HD_ARRAY_TYPE hdi_loc
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_vars
#define HD_ARRAY_TYPE hdi_var
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_queues
#define HD_ARRAY_TYPE hdi_queue
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_monitors
#define HD_ARRAY_TYPE hdi_monitor
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_arcs
#define HD_ARRAY_TYPE hdi_arc
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_exprs
#define HD_ARRAY_TYPE hdi_expr
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_edges
#define HD_ARRAY_TYPE hdi_edge
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_fields
#define HD_ARRAY_TYPE hdi_field
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_numbers
#define HD_ARRAY_TYPE uint32_t
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_values
#define HD_ARRAY_TYPE int64_t
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_bits
#define HD_ARRAY_TYPE uint64_t
#include "core/base/array.h"

/* ---- what a stepper needs ---- */

/* A masked compare. In an equality test: (state[word] & mask) == value; in a nonzero test: (state[word] & mask) != 0.
 */
typedef struct hdi_test {
  uint64_t mask, value;
  uint32_t word;
} hdi_test;

/* A masked write of one word: first the bits `moved` go down by `down` (a queue loses its head), then `clear` and `set`
 * apply. */
typedef struct hdi_write {
  uint64_t clear, set, moved;
  uint32_t word, down;
} hdi_write;

/* One variant of one edge of one instance. */
typedef struct hdi_rule {
  uint64_t mask, value; /* the first equality test, inline; mask 0 and value 0 when there is none */
  uint32_t word;
  uint32_t tests; /* first further test: `equal_count` equality tests, then `nonzero_count` nonzero tests */
  uint32_t equal_count, nonzero_count;
  uint32_t writes, write_count;
  uint32_t guard, body; /* code, or HD_NONE */
  uint32_t sync;        /* entry of model->syncs, or HD_NONE */
  uint32_t edge, to, label;
  uint8_t weight, side;
} hdi_rule;

/* How a rule takes part in a rendezvous. */
typedef struct hdi_sync {
  int64_t channel_fixed;
  uint32_t channel; /* code; HD_NONE: channel_fixed */
  uint32_t value;   /* code; HD_NONE: 0 */
} hdi_sync;

/* The rules of one instance at one location. */
typedef struct hdi_group {
  uint32_t begin, end;
  bool sends, receives;
} hdi_group;

typedef struct hdi_instance {
  uint32_t process, number;
  uint32_t loc_field;
  uint32_t groups; /* group of location value v is groups + v */
  uint32_t locs;   /* location of value v is process_locs[locs + v] */
} hdi_instance;

/* The stack code: one operator, and up to two numbers. */
typedef struct hdi_insn {
  uint16_t op;
  uint16_t b;
  uint32_t a;
} hdi_insn;

/* A run of fields that is indexed at run time. */
typedef struct hdi_run_of_fields {
  uint32_t field, length;
} hdi_run_of_fields;

#define HD_ARRAY_NAME hdi_tests
#define HD_ARRAY_TYPE hdi_test
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_writes
#define HD_ARRAY_TYPE hdi_write
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_rules
#define HD_ARRAY_TYPE hdi_rule
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_syncs
#define HD_ARRAY_TYPE hdi_sync
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_groups
#define HD_ARRAY_TYPE hdi_group
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_instances
#define HD_ARRAY_TYPE hdi_instance
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_insns
#define HD_ARRAY_TYPE hdi_insn
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_field_runs
#define HD_ARRAY_TYPE hdi_run_of_fields
#include "core/base/array.h"

/* A rule of a state of one word, on one cache line: enabled when (s & mask) == value, and (s & some) != 0 unless some
 * is 0. Then s = (s, bits `moved` shifted down) & ~clear | set. */
typedef struct hdi_flat_word {
  uint64_t mask, value, clear, set;
  uint64_t some, moved;
  uint32_t down;
} hdi_flat_word;

/* The rules of one instance at one location. */
typedef struct hdi_flat_group {
  uint32_t begin, end;
  bool odd;   /* one word: some rule has `some` or `moved` */
  bool eager; /* of an eager location; in groups[HD_WEIGHT_ANY] only */
} hdi_flat_group;

#define HD_ARRAY_NAME hdi_flat_words
#define HD_ARRAY_TYPE hdi_flat_word
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_flat_groups
#define HD_ARRAY_TYPE hdi_flat_group
#include "core/base/array.h"

/* Where a one-word model keeps the location of an instance, and its first group. */
typedef struct hdi_flat_site {
  uint64_t mask; /* not shifted */
  uint32_t groups;
  uint32_t shift;
} hdi_flat_site;

#define HD_ARRAY_NAME hdi_flat_sites
#define HD_ARRAY_TYPE hdi_flat_site
#include "core/base/array.h"

/* Flat rules (flat.c). Group g of `groups[w]` holds what group g of model->groups becomes for hd_weight_filter w: its
 * rules without partners, and its sending rules merged with each receiving rule they can meet. One word: entries of
 * `narrow`; else of `wide`, whose tests and writes are those of the model. `lanes` is the same once more for vector
 * instructions, NULL when they would not pay (flat_lanes.c). */
typedef struct hdi_flat {
  bool valid;
  uint32_t successors_max; /* of any state */
  hdi_flat_groups groups[3];
  hdi_flat_sites sites;
  hdi_flat_words narrow;
  hdi_rules wide;
  struct hdi_flat_lanes *lanes; /* owned */
} hdi_flat;

typedef struct hdi_depend hdi_depend; /* depend.h */

struct hd_model {
  hd_arena *arena; /* names, statements */
  hd_names *label_names;
  hdi_processes processes;
  hdi_locs locs;
  hdi_vars vars;
  hdi_queues queues;
  hdi_monitors monitors;
  hdi_edges edges;
  hdi_exprs exprs; /* from finish on: the builder's, which edges refer to; entry 0 unused. For printers */
  hdi_fields fields;
  hdi_instances instances;
  hdi_numbers process_locs;   /* per process: its locations by number, without the dead one when nobody can be dead */
  hdi_numbers process_locals; /* per process: its local variables in build order */
  hdi_groups groups;
  hdi_rules rules;
  hdi_tests tests;
  hdi_writes writes;
  hdi_syncs syncs;
  hdi_insns code;
  hdi_values constants;
  hdi_field_runs runs;
  hdi_arcs arcs; /* sorted by monitor, from, label */
  hdi_numbers arc_rows;
  hdi_numbers label_rows,
      label_monitors; /* monitors whose alphabet has label l: label_monitors[rows[l] .. rows[l+1]) */
  hdi_bits initial;   /* initial states, one after another, in state order */
  size_t initial_count;
  hdi_flat flat;
  hdi_depend *depend;      /* owned; what steps look at and change */
  struct hdi_coded *coded; /* coded.h; NULL: none */
  uint32_t words, bits;
  uint32_t stack_depth; /* values that any piece of code needs */
  bool has_exclusive, has_strong, has_weak, has_eager, has_zero_weights;
};

struct hd_builder {
  hd_model *model; /* grows while building */
  hdi_exprs exprs; /* entry 0 unused */
  hdi_numbers alphabet;
  hd_status status; /* the first error */
  bool force_code;  /* compile guards and statements to code only */
};

/* Tests only: makes the compiler use stack code where masks would do, so that the two can be compared. */
void hdi_builder_force_code(hd_builder *builder);

static inline const hdi_field *hdi_var_field(const hd_model *model, const hdi_var *var, uint32_t number,
                                             uint32_t index) {
  uint32_t copy = var->process == HD_NONE ? 0 : number;
  return &model->fields.data[var->field + copy * var->length + index];
}

/* Location of an instance in a state. */
static inline uint32_t hdi_location(const hd_model *model, const uint64_t *state, uint32_t instance) {
  const hdi_instance *inst = &model->instances.data[instance];
  return model->process_locs.data[inst->locs + (uint32_t)hdi_field_bits(&model->fields.data[inst->loc_field], state)];
}

/* ---- the stages of hd_builder_finish ---- */

/* Makes the fields and sets words and bits. HD_E_LIMIT, HD_E_NOMEM. */
hd_status hdi_layout(hd_model *model);
/* Makes the instances' groups and rules. */
hd_status hdi_compile(hd_builder *builder);
/* Sorts the monitors' arcs and indexes them. */
hd_status hdi_monitors_compile(hd_builder *builder);
/* Makes the initial states. */
hd_status hdi_initial(hd_model *model);

/* ---- monitors ---- */

/* Moves the monitors that know `label`. HD_NONE, or the number of the first one without a move. */
uint32_t hdi_monitors_move(const hd_model *model, uint64_t *state, uint32_t label);

/* Where `monitor` goes from state `from` with `label` of its alphabet; HD_NONE: nowhere. */
uint32_t hdi_monitor_target(const hd_model *model, uint32_t monitor, uint32_t from, uint32_t label);

/* ---- filters ---- */

struct hd_filter {
  const hd_model *model;
  uint8_t *flags; /* per location: HD_LOC_ATOMIC, HD_LOC_ATOMIC_WEAK */
};

#endif
