/* A Go package as its reader leaves it: the syntax of every file, typed by kind, with byte-exact positions. Names are
 * not resolved here: what an identifier means is decided where it is used. docs/minigo-language.md says what is read.
 *
 *   package   names (interned) | files, in the order in which they were given
 *   file      package name | declarations in the order of the text, imports first | directives (`//heddle:...`)
 *   function  receiver, signature, body: statements, each with its expressions
 *
 * Types are expressions, for Go's grammar cannot tell them apart everywhere (`f(T)`, `a[T]`). Parentheses are kept, so
 * that a printed tree says what its text said.
 *
 * Invariants: every span lies inside its file's text; a statement's span holds those of its parts; nesting is at most
 * HD_GO_DEPTH_MAX, where the left operands of one row of binary operators count as one level; labels, break, continue,
 * goto and fallthrough have their targets; at most one default in a switch or select; what go and defer start is a
 * call. Everything lives in the package's arena and borrows the texts. */
#ifndef HEDDLE_FRONTENDS_MINIGO_PROGRAM_H
#define HEDDLE_FRONTENDS_MINIGO_PROGRAM_H

#include "core/base/arena.h"
#include "core/base/buffer.h"
#include "core/base/diag.h"
#include "core/base/intern.h"

#include <stdbool.h>

/* Deepest nesting of expressions, types and statements together. */
#define HD_GO_DEPTH_MAX 600u
/* Most bytes of one file. */
#define HD_GO_FILE_BYTES_MAX ((size_t)1 << 26)

typedef struct hd_go_expr hd_go_expr;
typedef struct hd_go_stmt hd_go_stmt;
typedef struct hd_go_field hd_go_field;
typedef struct hd_go_decl hd_go_decl;

/* A name, or a literal as it is spelled. Equal text of one package is one pointer and one number. */
typedef struct hd_go_name {
  const char *text; /* NULL: there is none */
  hd_name id;
  hd_span span;
} hd_go_name;

typedef struct hd_go_ident {
  hd_go_name name;
  struct hd_go_ident *next;
} hd_go_ident;

/* X(identifier, "spelling", binary precedence or 0, may stand before an operand) */
#define HD_GO_OP_TABLE(X)   \
  X(OR, "||", 1, false)     \
  X(AND, "&&", 2, false)    \
  X(EQ, "==", 3, false)     \
  X(NE, "!=", 3, false)     \
  X(LT, "<", 3, false)      \
  X(LE, "<=", 3, false)     \
  X(GT, ">", 3, false)      \
  X(GE, ">=", 3, false)     \
  X(ADD, "+", 4, true)      \
  X(SUB, "-", 4, true)      \
  X(BITOR, "|", 4, false)   \
  X(BITXOR, "^", 4, true)   \
  X(MUL, "*", 5, false)     \
  X(DIV, "/", 5, false)     \
  X(MOD, "%", 5, false)     \
  X(SHL, "<<", 5, false)    \
  X(SHR, ">>", 5, false)    \
  X(BITAND, "&", 5, true)   \
  X(ANDNOT, "&^", 5, false) \
  X(NOT, "!", 0, true)      \
  X(RECEIVE, "<-", 0, true)
typedef enum hd_go_op {
#define HDI_GO_OP_ENUM(identifier, spelling, precedence, prefix) HD_GO_OP_##identifier,
  HD_GO_OP_TABLE(HDI_GO_OP_ENUM)
#undef HDI_GO_OP_ENUM
      HD_GO_OP_COUNT
} hd_go_op;

/* "+" and so on; static storage. */
const char *hd_go_op_text(hd_go_op op);
/* 1 (||) to 5 (*); 0: no binary operator. */
uint32_t hd_go_op_precedence(hd_go_op op);

/* The members that each kind uses, beside span and next. X(identifier, "words") */
#define HD_GO_EXPR_TABLE(X)                                                                                 \
  X(IDENT, "name")          /* name; nil, true, false, iota and _ are names too */                          \
  X(INT, "integer literal") /* name: the spelling, for all literals */                                      \
  X(FLOAT, "floating-point literal")                                                                        \
  X(IMAGINARY, "imaginary literal")                                                                         \
  X(RUNE, "rune literal")                                                                                   \
  X(STRING, "string literal")                                                                               \
  X(FUNC_LIT, "function literal")      /* signature, body */                                                \
  X(COMPOSITE, "composite literal")    /* a: the type, NULL when left out; list: elements */                \
  X(KEYED, "keyed element")            /* a: b, in the list of a COMPOSITE */                               \
  X(PAREN, "parenthesised expression") /* a; of types too */                                                \
  X(SELECTOR, "selector")              /* a.name; a qualified name looks the same */                        \
  X(INDEX, "index expression")         /* a[list]; a generic function or type with its types too */         \
  X(SLICE, "slice expression")         /* a[low:high:max]: b, c, d, each NULL when left out */              \
  X(ASSERTION, "type assertion")       /* a.(b) */                                                          \
  X(CALL, "call")                      /* a(list), spread: the last argument has `...`; a conversion too */ \
  X(STAR, "pointer")                   /* *a: a pointer type, or what a pointer points to */                \
  X(UNARY, "unary expression")         /* op a; op RECEIVE: a receive */                                    \
  X(BINARY, "binary expression")       /* a op b */                                                         \
  X(ARRAY_TYPE, "array or slice type") /* [b]a; b NULL: a slice; spread: [...]a */                          \
  X(MAP_TYPE, "map type")              /* map[b]a */                                                        \
  X(CHAN_TYPE, "channel type")         /* a, direction */                                                   \
  X(FUNC_TYPE, "function type")        /* signature */                                                      \
  X(STRUCT_TYPE, "struct type")        /* fields */                                                         \
  X(INTERFACE_TYPE, "interface type")  /* fields: a method has a name and a FUNC_TYPE; else a type */       \
  X(UNION, "union of types")           /* list */                                                           \
  X(TILDE, "underlying type")          /* ~a */
typedef enum hd_go_expr_kind {
#define HDI_GO_EXPR_ENUM(identifier, words) HD_GO_##identifier,
  HD_GO_EXPR_TABLE(HDI_GO_EXPR_ENUM)
#undef HDI_GO_EXPR_ENUM
      HD_GO_EXPR_COUNT
} hd_go_expr_kind;

typedef enum hd_go_direction { HD_GO_BOTH, HD_GO_SEND_ONLY, HD_GO_RECEIVE_ONLY } hd_go_direction;

typedef struct hd_go_signature {
  hd_go_field *type_parameters, *parameters, *results;
} hd_go_signature;

struct hd_go_expr {
  hd_go_expr_kind kind;
  hd_go_op op;
  hd_go_direction direction;
  bool spread;
  hd_span span;
  hd_go_name name;
  hd_go_expr *a, *b, *c, *d;
  hd_go_expr *list;
  hd_go_signature *signature;
  hd_go_stmt *body; /* FUNC_LIT: a BLOCK */
  hd_go_field *fields;
  hd_go_expr *next; /* in the list that it stands in */
};

/* Parameters, results, receivers, fields of structs, elements of interfaces: `a, b T`. */
struct hd_go_field {
  hd_go_ident *names; /* NULL: only a type stands there */
  hd_go_expr *type;   /* of an embedded field too */
  hd_go_expr *tag;    /* STRING; NULL: none */
  bool variadic;      /* ...T */
  hd_span span;
  hd_go_field *next;
};

/* The members that each kind uses, beside span and next. X(identifier, "words") */
#define HD_GO_STMT_TABLE(X)                                                                               \
  X(EMPTY, "empty statement")             /* only behind a label */                                       \
  X(EXPRESSION, "expression statement")   /* left: one */                                                 \
  X(SEND, "send statement")               /* left: the channel <- right: the value */                     \
  X(INCREMENT, "increment")               /* left: one */                                                 \
  X(DECREMENT, "decrement")               /* left: one */                                                 \
  X(ASSIGN, "assignment")                 /* left = right, or left op= right when has_op */               \
  X(DEFINE, "short variable declaration") /* left := right */                                             \
  X(DECLARATION, "declaration")           /* decl: CONST, TYPE or VAR */                                  \
  X(GO, "go statement")                   /* left: a CALL, perhaps in parentheses */                      \
  X(DEFER, "defer statement")             /* left: the same */                                            \
  X(RETURN, "return statement")           /* right */                                                     \
  X(BREAK, "break statement")             /* label, text NULL: none */                                    \
  X(CONTINUE, "continue statement")       /* label, text NULL: none */                                    \
  X(GOTO, "goto statement")               /* label */                                                     \
  X(FALLTHROUGH, "fallthrough statement")                                                                 \
  X(BLOCK, "block")                /* body */                                                             \
  X(IF, "if statement")            /* init; condition; body; other: an IF or a BLOCK */                   \
  X(SWITCH, "switch statement")    /* init; condition: the tag; body: CASEs */                            \
  X(TYPE_SWITCH, "type switch")    /* init; label: the name bound; condition: the subject; body: CASEs */ \
  X(SELECT, "select statement")    /* body: CASEs */                                                      \
  X(CASE, "case clause")           /* left: expressions or types; init: the communication of a select;    \
                                      is_default; body */                                                 \
  X(FOR, "for statement")          /* init; condition; post; body */                                      \
  X(RANGE, "range statement")      /* left, empty or one or two; is_define; condition: what is gone       \
                                      through; body */                                                    \
  X(LABELED, "labelled statement") /* label; body: one statement, NULL before a closing brace */
typedef enum hd_go_stmt_kind {
#define HDI_GO_STMT_ENUM(identifier, words) HD_GO_STMT_##identifier,
  HD_GO_STMT_TABLE(HDI_GO_STMT_ENUM)
#undef HDI_GO_STMT_ENUM
      HD_GO_STMT_COUNT
} hd_go_stmt_kind;

struct hd_go_stmt {
  hd_go_stmt_kind kind;
  hd_go_op op;
  bool has_op, is_default, is_define;
  hd_span span;
  hd_span head; /* of a statement with a body: up to its brace or colon; else as span */
  hd_go_name label;
  hd_go_expr *left, *right; /* lists */
  hd_go_expr *condition;
  hd_go_stmt *init, *post;
  hd_go_stmt *body; /* FOR, RANGE, IF: a BLOCK; BLOCK and CASE: a list */
  hd_go_stmt *other;
  hd_go_decl *decl;
  hd_go_stmt *next;
};

/* X(identifier, "word") */
#define HD_GO_DECL_TABLE(X) \
  X(IMPORT, "import")       \
  X(CONST, "const")         \
  X(TYPE, "type")           \
  X(VAR, "var")             \
  X(FUNC, "func")
typedef enum hd_go_decl_kind {
#define HDI_GO_DECL_ENUM(identifier, word) HD_GO_DECL_##identifier,
  HD_GO_DECL_TABLE(HDI_GO_DECL_ENUM)
#undef HDI_GO_DECL_ENUM
      HD_GO_DECL_COUNT
} hd_go_decl_kind;

/* One line of a declaration. */
typedef struct hd_go_spec {
  hd_span span;
  hd_go_ident *names;           /* IMPORT: the alias, `.` or `_`, NULL: none */
  hd_go_expr *type;             /* CONST, VAR: NULL: none; TYPE */
  hd_go_expr *values;           /* CONST, VAR: a list; NULL in a group: those of the line before; IMPORT: the path */
  hd_go_field *type_parameters; /* TYPE */
  bool alias;                   /* TYPE: `type A = B` */
  struct hd_go_spec *next;
} hd_go_spec;

typedef struct hd_go_function {
  hd_go_field *receiver; /* NULL: none */
  hd_go_name name;
  hd_go_signature signature;
  hd_go_stmt *body; /* a BLOCK; NULL: written in another language */
} hd_go_function;

struct hd_go_decl {
  hd_go_decl_kind kind;
  bool group; /* with parentheses */
  hd_span span;
  hd_go_spec *specs;        /* all but FUNC */
  hd_go_function *function; /* FUNC */
  hd_go_decl *next;
};

/* A comment `//heddle:word rest` that starts at the start of its line or stands behind code. */
typedef struct hd_go_directive {
  hd_span span;
  hd_go_name word; /* behind the colon */
  bool own_line;   /* no code before it on its line */
  struct hd_go_directive *next;
} hd_go_directive;

typedef struct hd_go_file {
  const hd_text *text; /* borrowed */
  hd_go_name package_name;
  hd_go_decl *decls;
  hd_go_directive *directives;
  uint32_t stmt_count, expr_count;
} hd_go_file;

typedef struct hd_go_package {
  hd_arena *arena; /* owned; holds the package itself */
  hd_names *names; /* owned */
  hd_go_file *files;
  uint32_t file_count;
} hd_go_package;

/* Reads the files of one package. HD_E_INPUT with diagnostics at file:line:col when one is wrong (then *out is NULL),
 * HD_E_NOMEM. Several errors are reported, file by file. The package borrows the texts. Any number of readings may run
 * at once. Cost: O(size) expected; most of it is the parser of tree-sitter. */
hd_status hd_go_read(const hd_text *const *texts, uint32_t count, hd_diag *diag, hd_go_package **out);
void hd_go_package_free(hd_go_package *package); /* NULL allowed */

/* Appends the file in a canonical form (tabs, one statement a line), which reads back to the same tree. Comments are
 * not kept. */
void hd_go_print(const hd_go_file *file, hd_buffer *out);
/* Append an expression or type on as few lines as it needs; a statement without its bodies. */
void hd_go_print_expr(const hd_go_expr *expr, hd_buffer *out);
void hd_go_print_head(const hd_go_stmt *stmt, hd_buffer *out);

/* "send statement" and so on; static storage. */
const char *hd_go_stmt_words(hd_go_stmt_kind kind);
const char *hd_go_expr_words(hd_go_expr_kind kind);

#endif
