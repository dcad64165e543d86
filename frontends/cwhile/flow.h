/* A Cwhile program as control-flow graphs: procedures inlined, blocks resolved into locations and edges, reads of
 * parameters bound. It lies between the syntax and the model, so that domains can be inferred before any variable of
 * the model is made. Internal to the Cwhile frontend.
 *
 *   flow    variables | threads | locations | edges, in the order in which the model gets them
 *   edge    one step of a thread, or an inner step of an atomic block: guard, then actions in order
 *   block   an atomic block that one edge can say is one (flow_fuse.c); any other starts with an edge of its own and
 *           goes on at locations flagged `inner`, which the model runs through in one compound step
 *
 * Nodes and actions are in the flow's arena; it borrows the program. */
#ifndef HEDDLE_FRONTENDS_CWHILE_FLOW_H
#define HEDDLE_FRONTENDS_CWHILE_FLOW_H

#include "frontends/cwhile/program.h"

/* Most edges of one program. */
#define HDI_CW_EDGES_MAX ((uint32_t)1 << 20)

typedef enum hdi_cw_node_kind {
  HDI_CW_NODE_CONST,
  HDI_CW_NODE_VAR,
  HDI_CW_NODE_ELEMENT, /* var[a] */
  HDI_CW_NODE_OP,
  HDI_CW_NODE_ENDED /* 1 when the value of a is the number, from 1, of a thread that async started and that has ended */
} hdi_cw_node_kind;

typedef struct hdi_cw_node {
  hdi_cw_node_kind kind;
  hd_op op;
  uint32_t var;
  int64_t value;
  const struct hdi_cw_node *a, *b;
} hdi_cw_node;

typedef enum hdi_cw_action_kind { HDI_CW_SET, HDI_CW_CHECK, HDI_CW_START } hdi_cw_action_kind;

typedef struct hdi_cw_action {
  hdi_cw_action_kind kind;
  uint32_t var;                  /* SET */
  const hdi_cw_node *index;      /* SET: NULL for a scalar */
  const hdi_cw_node *value;      /* SET, CHECK */
  uint32_t thread;               /* START */
  const hdi_cw_node **arguments; /* START */
  uint32_t argument_count;
  struct hdi_cw_action *next;
} hdi_cw_action;

typedef struct hdi_cw_edge {
  uint32_t thread, from, to;
  const hdi_cw_node *guard; /* NULL: none */
  hdi_cw_action *actions;
  hd_edge_kind kind;
  const hd_cw_stmt *stmt; /* what it does; of an atomic block's first edge or only edge: the block */
  int branch;             /* of an if or while: 1 the condition holds, -1 it does not; 0: neither */
} hdi_cw_edge;

typedef struct hdi_cw_loc {
  uint32_t thread;
  const hd_cw_stmt *stmt; /* what comes next; NULL at the end */
  bool end;
  bool inner;   /* inside an atomic block */
  bool piece;   /* in the middle of a statement that is executed piece by piece */
  bool weak;    /* inside a watomic block */
  bool waits;   /* an await, lock or join is next, or an atomic block that has one: a preemption point */
  bool assumes; /* an assume is next, or an atomic block that starts with one */
  bool free;    /* others may move while a thread is here, in a program with yields */
} hdi_cw_loc;

typedef struct hdi_cw_variable {
  const char *name;
  int64_t lo, hi; /* the declared domain, and what intervals.c left of it */
  int64_t init_lo, init_hi;
  uint32_t length; /* 0: a scalar */
  uint32_t thread; /* HD_NONE: shared */
  bool hidden;     /* not the user's: left out of reports */
  bool is_bool, is_lock, ghost;
} hdi_cw_variable;

/* What a variable of a body stands for: a variable, or one element of an array. */
typedef struct hdi_cw_binding {
  uint32_t var;
  const hdi_cw_node *index;
} hdi_cw_binding;

typedef struct hdi_cw_thread {
  const char *name;
  uint32_t body;
  const hd_cw_stmt *async; /* what starts it; NULL: it runs from the start */
  bool daemon;
  const hdi_cw_binding *bindings; /* of its body's variables; NULL until they are made */
  uint32_t first, end;            /* locations */
} hdi_cw_thread;

#define HD_ARRAY_NAME hdi_cw_edges
#define HD_ARRAY_TYPE hdi_cw_edge
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_cw_locs
#define HD_ARRAY_TYPE hdi_cw_loc
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_cw_variables
#define HD_ARRAY_TYPE hdi_cw_variable
#include "core/base/array.h"
#define HD_ARRAY_NAME hdi_cw_threads
#define HD_ARRAY_TYPE hdi_cw_thread
#include "core/base/array.h"

typedef struct hdi_cw_flow {
  hd_arena *arena; /* owned, holds the nodes and actions */
  const hd_cw_program *program;
  hdi_cw_variables vars; /* owned; the program's globals first, in order */
  hdi_cw_threads threads;
  hdi_cw_locs locs;
  hdi_cw_edges edges;
  uint32_t token;           /* variable: some thread is in a watomic block; HD_NONE: no such block */
  const hdi_cw_node *axiom; /* all axioms; NULL: none */
  bool access;              /* every step touches shared variables once at most */
  bool start_apart;         /* no edge leads to a thread's first location */
  bool unfused;             /* no block of several statements is one edge */
  hd_status status;         /* sticks at the first failure; HD_E_LIMIT: too many edges */
} hdi_cw_flow;

/* Makes the flow of a program. HD_E_NOMEM; HD_E_LIMIT when inlining gives more than HDI_CW_EDGES_MAX edges. Free it
 * with hdi_cw_flow_clear in any case. Deterministic. Cost: linear in the inlined program. */
typedef struct hdi_cw_flow_options {
  bool access, start_apart, unfused; /* as in the flow */
} hdi_cw_flow_options;
hd_status hdi_cw_flow_make(const hd_cw_program *program, const hdi_cw_flow_options *options, hdi_cw_flow *flow);
void hdi_cw_flow_clear(hdi_cw_flow *flow);

/* Does the step touch something that threads share: a variable, hidden ones apart, or whether a thread runs? Without
 * `ghosts` variables that are not there when the program runs do not count. */
bool hdi_cw_edge_touches_shared(const hdi_cw_flow *flow, const hdi_cw_edge *edge, bool ghosts);

/* ---- for the parts of the flow: flow.c, flow_stmt.c, flow_call.c, flow_fuse.c, flow_access.c ---- */

#define HDI_CW_TEMPS_MAX 64u

/* Where statements are being put. */
typedef struct hdi_cw_context {
  hdi_cw_flow *flow;
  uint32_t thread;
  const hd_cw_body *body;
  const hdi_cw_binding *bindings; /* of the body's variables */
  bool atomic, weak;
  const int64_t *choices; /* values of the nondets of the statement, in order */
  uint32_t choice_next;
  uint32_t *frames;                 /* per body: first variable of its frame in this thread; HD_NONE: none yet */
  uint32_t temps[HDI_CW_TEMPS_MAX]; /* variables for values read, when `access` */
  uint32_t temp_count, temps_used;
} hdi_cw_context;

/* Nodes; never NULL: when memory is out (the status says so), something that nobody will use. */
const hdi_cw_node *hdi_cw_node_add(hdi_cw_flow *flow, hdi_cw_node node);
const hdi_cw_node *hdi_cw_const(hdi_cw_flow *flow, int64_t value);
const hdi_cw_node *hdi_cw_var(hdi_cw_flow *flow, uint32_t var);
const hdi_cw_node *hdi_cw_op(hdi_cw_flow *flow, hd_op op, const hdi_cw_node *a, const hdi_cw_node *b);
const hdi_cw_node *hdi_cw_not(hdi_cw_flow *flow, const hdi_cw_node *a);
const hdi_cw_node *hdi_cw_read_bound(hdi_cw_flow *flow, hdi_cw_binding binding);
/* a && b, where NULL is true. */
const hdi_cw_node *hdi_cw_and(hdi_cw_flow *flow, const hdi_cw_node *a, const hdi_cw_node *b);
/* An expression with the context's bindings and choices. */
const hdi_cw_node *hdi_cw_expr(hdi_cw_context *here, const hd_cw_expr *expr);
hdi_cw_binding hdi_cw_bind(hdi_cw_context *here, const hd_cw_ref *ref);

/* Remembers a failure. */
void hdi_cw_fail(hdi_cw_flow *flow, hd_status status);
/* Appends an action to a list; NULL when memory is out. */
hdi_cw_action *hdi_cw_act(hdi_cw_flow *flow, hdi_cw_action **list, hdi_cw_action_kind kind);
void hdi_cw_set(hdi_cw_flow *flow, hdi_cw_action **list, uint32_t var, const hdi_cw_node *index,
                const hdi_cw_node *value);
uint32_t hdi_cw_add_var(hdi_cw_flow *flow, const hdi_cw_variable *var);
uint32_t hdi_cw_add_loc(hdi_cw_context *here);
/* Adds an edge and what watomic asks of it. */
void hdi_cw_add_edge(hdi_cw_context *here, hdi_cw_edge edge);

/* Puts all of a thread; may add threads to the flow. */
void hdi_cw_put_thread(hdi_cw_flow *flow, uint32_t thread);
/* Puts the statements of a list, of which some takes a step. */
void hdi_cw_put_list(hdi_cw_context *here, const hd_cw_stmt *first, uint32_t from, uint32_t to);
void hdi_cw_put_call(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to);
void hdi_cw_put_async(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to);
/* Bindings of a thread's own variables, which are made. NULL when memory is out. */
const hdi_cw_binding *hdi_cw_own_bindings(hdi_cw_flow *flow, uint32_t thread, const hd_cw_body *body);
/* Does a call hand over values or reset locals? Then it is a step. */
bool hdi_cw_call_has_values(const hd_cw_program *program, const hd_cw_stmt *call);
/* Does no statement of the list take a step? */
bool hdi_cw_list_is_empty(const hd_cw_program *program, const hd_cw_stmt *first);
/* True when the block was put as one edge. */
bool hdi_cw_fuse(hdi_cw_context *here, const hd_cw_stmt *stmt, uint32_t from, uint32_t to);
/* How many nondets an expression has. */
uint32_t hdi_cw_count_nondets(const hd_cw_expr *expr);

/* The frontier of an expression that is read piece by piece: from each location, if the guard holds, the step that uses
 * the value may be made. */
typedef struct hdi_cw_front {
  uint32_t loc;
  const hdi_cw_node *guard;
  struct hdi_cw_front *next;
} hdi_cw_front;
/* Puts the steps that read shared variables, from `from` on, as far as they are not the last access of the statement,
 * and gives the rest of the expression. Without `access` the front is `from` alone. */
const hdi_cw_node *hdi_cw_read_pieces(hdi_cw_context *here, const hd_cw_stmt *stmt, const hd_cw_expr *expr,
                                      bool writes_shared, uint32_t from, hdi_cw_front **front);
/* Appends the actions that forget the values read. */
void hdi_cw_forget(hdi_cw_context *here, hdi_cw_action **list);

#endif
