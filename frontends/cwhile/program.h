/* A Cwhile program as its reader leaves it: the syntax with every name resolved. Everything lives in the program's
 * arena and borrows the text it was read from. docs/cwhile-language.md describes the language.
 *
 *   program   globals | bodies: threads and procedures | axioms | statements, numbered in the order of the text
 *   body      variables: parameters, then locals | statements
 *
 * Invariants: statements[s]->number == s; a reference names a global or a variable of the body that it stands in;
 * `length` is 0 for a scalar; procedures do not reach themselves by calls or by async. */
#ifndef HEDDLE_FRONTENDS_CWHILE_PROGRAM_H
#define HEDDLE_FRONTENDS_CWHILE_PROGRAM_H

#include "core/base/arena.h"
#include "core/base/buffer.h"
#include "core/base/diag.h"
#include "core/model/builder.h"

typedef enum hd_cw_type { HD_CW_TYPE_INT, HD_CW_TYPE_BOOL, HD_CW_TYPE_LOCK } hd_cw_type;

#define HD_CW_INT_LO ((int64_t)INT32_MIN)
#define HD_CW_INT_HI ((int64_t)INT32_MAX)
/* Most elements of an array, most values of one nondet, and of all in one statement together. */
#define HD_CW_ARRAY_MAX 65536
#define HD_CW_CHOICES_MAX 4096

typedef struct hd_cw_expr hd_cw_expr;
typedef struct hd_cw_stmt hd_cw_stmt;

/* A name where it stands. */
typedef struct hd_cw_name {
  const char *text;
  hd_span span;
} hd_cw_name;

/* How a reference parameter is used, hence what may be handed over for it. */
typedef enum hd_cw_use { HD_CW_USE_NONE, HD_CW_USE_VALUE, HD_CW_USE_ARRAY, HD_CW_USE_LOCK, HD_CW_USE_LOCKS } hd_cw_use;

typedef struct hd_cw_var {
  hd_cw_name name;
  hd_cw_type type;
  bool ghost, reference, parameter;
  bool ranged;              /* int[lo..hi] */
  int64_t lo, hi;           /* the declared domain; a lock's is 0..1 */
  int64_t init_lo, init_hi; /* different only for a global `= nondet(lo,hi)` */
  uint32_t length;
  hd_cw_use use;                                           /* of a reference */
  hd_cw_expr *length_expr, *init_expr, *lo_expr, *hi_expr; /* as written; NULL: not */
} hd_cw_var;

/* A variable or an element of an array. */
typedef struct hd_cw_ref {
  hd_cw_name name;
  bool global;
  uint32_t var;
  hd_cw_expr *index; /* NULL: without */
} hd_cw_ref;

typedef enum hd_cw_expr_kind { HD_CW_CONST, HD_CW_READ, HD_CW_OP, HD_CW_NONDET } hd_cw_expr_kind;

struct hd_cw_expr {
  hd_cw_expr_kind kind;
  hd_span span;
  hd_op op;          /* OP: unary plus is not kept */
  hd_cw_expr *a, *b; /* OP; NONDET: the two ends */
  int64_t value;     /* CONST */
  int64_t lo, hi;    /* NONDET */
  hd_cw_ref ref;     /* READ */
  uint32_t depth;
};

/* X(identifier, "words") */
#define HD_CW_STMT_TABLE(X) \
  X(SKIP, "skip")           \
  X(ASSIGN, "assign")       \
  X(ASSUME, "assume")       \
  X(ASSERT, "assert")       \
  X(AWAIT, "await")         \
  X(LOCK, "lock")           \
  X(UNLOCK, "unlock")       \
  X(BLOCK, "block")         \
  X(ATOMIC, "atomic")       \
  X(WATOMIC, "watomic")     \
  X(NOREORDER, "noreorder") \
  X(IF, "if")               \
  X(WHILE, "while")         \
  X(CALL, "call")           \
  X(ASYNC, "async")         \
  X(JOIN, "join")           \
  X(YIELD, "yield")
typedef enum hd_cw_stmt_kind {
#define HDI_CW_STMT_ENUM(identifier, words) HD_CW_##identifier,
  HD_CW_STMT_TABLE(HDI_CW_STMT_ENUM)
#undef HDI_CW_STMT_ENUM
      HD_CW_STMT_COUNT
} hd_cw_stmt_kind;

/* An argument of a call: an expression; for a reference parameter it is a READ, which then is not a reading. */
typedef struct hd_cw_argument {
  hd_cw_expr *expr;
  struct hd_cw_argument *next;
} hd_cw_argument;

struct hd_cw_stmt {
  hd_cw_stmt_kind kind;
  uint32_t number;
  hd_span span;     /* of the whole statement, without its label */
  hd_span head;     /* of an if or while: up to the closing parenthesis; of a block: its word or brace; else `span` */
  hd_cw_name label; /* text NULL: none */
  hd_cw_ref target; /* ASSIGN, LOCK, UNLOCK; ASYNC when has_target */
  bool has_target;
  hd_cw_expr *expr;  /* ASSIGN, ASSUME, ASSERT, AWAIT, JOIN; IF and WHILE: NULL for * */
  hd_cw_stmt *body;  /* blocks, IF (then), WHILE: the first statement of a list */
  hd_cw_stmt *other; /* IF: the list after else, NULL: none */
  hd_cw_name callee; /* CALL, ASYNC */
  uint32_t proc;     /* number of the body called */
  hd_cw_argument *arguments;
  hd_cw_stmt *next;
};

typedef struct hd_cw_body {
  hd_cw_name name;
  hd_span span;
  bool thread, fixed, daemon;
  hd_cw_var *vars; /* parameters first */
  uint32_t var_count, parameter_count;
  hd_cw_stmt *first;
  bool has_yield, has_watomic; /* here, or in a procedure that is called */
  uint32_t height;             /* levels of nested statements, calls followed */
} hd_cw_body;

typedef struct hd_cw_axiom {
  hd_span span;
  hd_cw_expr *expr;
} hd_cw_axiom;

typedef struct hd_cw_program {
  hd_arena *arena;     /* owned; holds the program itself */
  const hd_text *text; /* borrowed */
  hd_cw_var *globals;
  uint32_t global_count;
  hd_cw_body *bodies; /* threads and procedures, in the order of the text */
  uint32_t body_count, thread_count;
  hd_cw_axiom *axioms;
  uint32_t axiom_count;
  hd_cw_stmt **statements;
  uint32_t statement_count;
  bool has_yield;
} hd_cw_program;

/* Reads .cw text. HD_E_INPUT with diagnostics when it is wrong (then *out is NULL), HD_E_NOMEM. Several errors of one
 * file are reported; reading goes on behind the statement in which one is found. The program borrows `text`. Any number
 * of readings may run at once. Cost: O(size) expected. */
hd_status hd_cw_read(const hd_text *text, hd_diag *diag, hd_cw_program **out);
void hd_cw_program_free(hd_cw_program *program); /* NULL allowed */
/* Appends the program in a canonical form, which reads back to the same program. Comments are not kept. */
void hd_cw_print(const hd_cw_program *program, hd_buffer *out);
/* Append an expression with the parentheses that it needs, a reference, a statement without its body. */
void hd_cw_print_expr(const hd_cw_expr *expr, hd_buffer *out);
void hd_cw_print_ref(const hd_cw_ref *ref, hd_buffer *out);
void hd_cw_print_head(const hd_cw_stmt *stmt, hd_buffer *out);
/* "assign" and so on; static storage. */
const char *hd_cw_stmt_word(hd_cw_stmt_kind kind);

#endif
