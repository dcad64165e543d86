/* Building a model. Errors (HD_E_NOMEM, HD_E_LIMIT) are remembered and returned by hd_builder_finish, so that frontends
 * need no check after each call; misuse (a handle of another process, a domain lo > hi) fails HD_REQUIRE.
 * The same calls in the same order give the same model, byte for byte. Names are copied. Not thread-safe. */
#ifndef HEDDLE_CORE_MODEL_BUILDER_H
#define HEDDLE_CORE_MODEL_BUILDER_H

#include "core/model/model.h"

typedef struct hd_builder hd_builder;

hd_builder *hd_builder_new(void);          /* NULL when memory is out */
void hd_builder_free(hd_builder *builder); /* NULL allowed */
/* Compiles and consumes the builder (also on error). HD_E_LIMIT when a table would not fit (fields wider than a word,
 * more than 2^20 initial states, ...). */
hd_status hd_builder_finish(hd_builder *builder, hd_model **out);

/* ---- processes, locations ---- */
typedef struct hd_process_desc {
  const char *name;
  uint32_t instances; /* at least 1 */
  uint32_t started;   /* the first `started` instances run from the start; the others are dead until spawned */
} hd_process_desc;
hd_process hd_build_process(hd_builder *builder, const hd_process_desc *desc);
/* The first location built for a process is where it starts. */
hd_loc hd_build_loc(hd_builder *builder, hd_process process, const char *name, uint32_t flags, uint32_t tag);
hd_loc hd_build_dead(hd_builder *builder, hd_process process); /* the implicit dead location */

/* ---- variables ---- */
typedef struct hd_var_desc {
  const char *name;
  int64_t lo, hi;           /* domain, both ends included; hi - lo < 2^63 */
  int64_t init_lo, init_hi; /* initial values: all of this range (the same value twice for one) */
  uint32_t length;          /* elements of an array; 0 or 1 = scalar */
  hd_process process; /* HD_NO_PROCESS: global; otherwise a local, one copy per instance; started instances begin with
                         the initial value; locals must have one initial value */
} hd_var_desc;
hd_var hd_build_var(hd_builder *builder, const hd_var_desc *desc);

/* A FIFO queue of letters 1..letters. It is global, but `owner` tells the layout whose fields to put it with. Stored as
 * `capacity` cells, head in the lowest cell, 0 = empty, so that equal contents are equal states. */
typedef struct hd_queue_desc {
  const char *name;
  uint32_t capacity, letters;
  bool must_be_empty; /* at a proper end */
  hd_process owner;   /* HD_NO_PROCESS allowed */
} hd_queue_desc;
hd_queue hd_build_queue(hd_builder *builder, const hd_queue_desc *desc);

/* ---- labels, monitors ---- */
hd_label hd_build_label(hd_builder *builder, const char *name); /* equal names give equal labels */
/* A monitor with `states` states starting in `initial`; its alphabet is `labels`. */
hd_monitor hd_build_monitor(hd_builder *builder, const char *name, uint32_t states, uint32_t initial,
                            const hd_label *labels, size_t label_count);
/* Adds the move from --label--> to; at most one per (from, label). */
void hd_build_monitor_arc(hd_builder *builder, hd_monitor monitor, uint32_t from, hd_label label, uint32_t to);

/* ---- expressions (64-bit integers; arithmetic that overflows 64 bits is HD_FAULT_RANGE) ---- */
/* X(identifier, operands): operands are expressions. AND and OR evaluate b only when it counts; COND is a ? b : c with
 * one arm evaluated. Results of comparisons, NOT, AND and OR are 0 or 1. */
#define HD_OP_TABLE(X) \
  X(NEG, 1)            \
  X(NOT, 1)            \
  X(BITNOT, 1)         \
  X(ADD, 2)            \
  X(SUB, 2)            \
  X(MUL, 2)            \
  X(DIV, 2)            \
  X(MOD, 2)            \
  X(SHL, 2)            \
  X(SHR, 2)            \
  X(BITAND, 2)         \
  X(BITOR, 2)          \
  X(BITXOR, 2)         \
  X(EQ, 2)             \
  X(NE, 2)             \
  X(LT, 2)             \
  X(LE, 2)             \
  X(GT, 2)             \
  X(GE, 2)             \
  X(AND, 2)            \
  X(OR, 2)             \
  X(COND, 3)
typedef enum hd_op {
#define HDI_OP_ENUM(identifier, operands) HD_OP_##identifier,
  HD_OP_TABLE(HDI_OP_ENUM)
#undef HDI_OP_ENUM
      HD_OP_COUNT
} hd_op;

hd_expr hd_build_const(hd_builder *builder, int64_t value);
/* A global, or a local of the process whose edge uses the expression. */
hd_expr hd_build_read(hd_builder *builder, hd_var var);
hd_expr hd_build_read_at(hd_builder *builder, hd_var array, hd_expr index);          /* index from 0 */
hd_expr hd_build_op(hd_builder *builder, hd_op op, hd_expr a, hd_expr b, hd_expr c); /* unused operands HD_NO_EXPR */
hd_expr hd_build_self(hd_builder *builder); /* number of the instance within its type */
/* Value handed over by the sending side; only in the receiving side's statements. */
hd_expr hd_build_received(hd_builder *builder);
/* 1 when some other process has, right now, an enabled sending (or receiving) edge on the channel. Not allowed in
 * guards of edges that synchronise themselves, so that no guard depends on itself. */
typedef enum hd_side { HD_SIDE_NONE, HD_SIDE_SEND, HD_SIDE_RECEIVE } hd_side;
hd_expr hd_build_partner_ready(hd_builder *builder, hd_side side, hd_expr channel);
hd_expr hd_build_queue_length(hd_builder *builder, hd_queue queue);
hd_expr hd_build_queue_head(hd_builder *builder, hd_queue queue); /* 0 when empty */
/* 1 when instance `instance` (within its type) is at `loc`. */
hd_expr hd_build_at(hd_builder *builder, uint32_t instance, hd_loc loc);

/* ---- statements ---- */
typedef enum hd_stmt_kind {
  HD_STMT_ASSIGN, /* var[index] = a; index HD_NO_EXPR for a scalar */
  HD_STMT_PUSH,   /* append letter `a` (1..letters) to queue; a full queue disables the edge (part of the guard) */
  HD_STMT_POP,    /* remove the head; when `a` is given the edge is enabled only if the head equals it; an empty queue
                     disables the    edge. PUSH and POP test the queue as it is before the step; at most one statement per
                     queue and edge */
  HD_STMT_CHECK,  /* if a == 0 then bit `code` of checks_failed is set; the run goes on */
  HD_STMT_SPAWN,  /* start the first dead instance of `process`, its first `argument_count` locals := arguments (scalars
                     only);  none dead: HD_FAULT_POOL */
  HD_STMT_TAKE /* var := first index i with array[i] == 0, and array[i] := 1; none: HD_FAULT_POOL (pools of channels and
                  other objects; give back by assigning array[i] := 0) */
} hd_stmt_kind;

typedef struct hd_stmt {
  hd_stmt_kind kind;
  hd_var var;    /* ASSIGN: target; TAKE: target */
  hd_expr index; /* ASSIGN, TAKE: index of the target, or HD_NO_EXPR */
  hd_expr a;     /* value, letter, or condition */
  hd_var array;  /* TAKE */
  hd_queue queue;
  hd_process process;
  const hd_expr *arguments; /* SPAWN; copied */
  uint32_t argument_count;
  uint32_t code; /* CHECK: 0..31 */
} hd_stmt;

/* ---- edges ---- */
typedef struct hd_edge_desc {
  hd_loc from, to;
  hd_expr guard;        /* HD_NO_EXPR: true. Evaluated in the state before the step */
  const hd_stmt *stmts; /* executed in order, each on the result of the one before; copied */
  uint32_t stmt_count;
  hd_edge_kind kind;
  hd_label label;  /* HD_NO_LABEL: silent */
  uint32_t weight; /* 0 or 1 */
  hd_side side;    /* HD_SIDE_NONE: no rendezvous */
  hd_expr channel; /* when side is not NONE: integer; two edges meet when their channels are equal before the step */
  hd_expr value;   /* SEND side: what is handed over (HD_NO_EXPR: 0), evaluated before the step */
  hd_span span;
  uint32_t statement; /* frontend's statement id */
  uint32_t tag;       /* frontend's own number */
} hd_edge_desc;
/* In a rendezvous the sender's statements run first, then the receiver's. `from` and `to` belong to one process. */
hd_edge hd_build_edge(hd_builder *builder, const hd_edge_desc *desc);

#endif
