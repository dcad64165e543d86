/* Resolves the names of a program and checks what grammar cannot: declarations, types, constants, calls.
 *
 * Procedures are resolved when they are first called, so that a caller knows how its arguments are used (`hd_cw_use`)
 * and what the procedure contains; one that is reached while it is being resolved is recursive. A reference parameter
 * has no declared type: its first use decides what may be handed over for it, and every other use must agree.
 * After this, constants are folded where the language asks for them, and every name is a number.
 * Invariant: height of a body <= HDI_CW_DEPTH_MAX, which bounds the recursion of whatever inlines calls.
 * Threads: one reading, one thread. Cost: linear, expected. */
#include "core/base/hash.h"
#include "core/model/arith.h"
#include "frontends/cwhile/parser.h"

#include <stdio.h>
#include <string.h>

static bool same_text(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

#define HD_MAP_NAME names
#define HD_MAP_KEY const char *
#define HD_MAP_VALUE uint32_t
#define HD_MAP_HASH(key) hd_hash_bytes(key, strlen(key))
#define HD_MAP_EQUAL(a, b) same_text(a, b)
#include "core/base/map.h"

typedef enum progress { UNTOUCHED, GOING_ON, FINISHED } progress;

/* What surrounds a statement. */
typedef struct place {
  bool in_atomic, in_watomic;
  uint32_t depth;
} place;

typedef struct resolver {
  hdi_cw_reader *reader;
  hd_cw_program *program;
  names globals, procs;
  progress *states; /* per body */
} resolver;

/* The body being resolved; without one: the axioms. */
typedef struct scope {
  resolver *all;
  hd_cw_body *body;
  names vars, labels;
} scope;

static bool resolve_body(resolver *all, uint32_t number);

static void report(const resolver *all, hdi_cw_message message, hd_span span, const char *a, const char *b) {
  hdi_cw_report(&all->reader->lexer, message, span, a, b);
}

static hdi_cw_words shown(const char *text) {
  return hdi_cw_show(text, strlen(text));
}

static void report_name(const resolver *all, hdi_cw_message message, const hd_cw_name *name, const char *b) {
  report(all, message, name->span, shown(name->text).text, b);
}

/* Adds a name; false when it is there already (`first` is its number) or memory is out. */
static bool declare(const resolver *all, names *map, const hd_cw_name *name, uint32_t number, uint32_t *first) {
  uint32_t *known = NULL;
  bool fresh = false;
  if (!hdi_cw_keep(all->reader, names_put(map, name->text, number, &known, &fresh))) {
    return false;
  }
  *first = *known;
  return fresh;
}

/* ---- constants ---- */

static bool fold(const resolver *all, const hd_cw_expr *expr, int64_t *out);

static bool fold_op(const resolver *all, const hd_cw_expr *expr, int64_t *out) {
  int64_t a = 0, b = 0;
  if (!fold(all, expr->a, &a)) {
    return false;
  }
  if (expr->op == HD_OP_AND || expr->op == HD_OP_OR) {
    bool decided = (a != 0) == (expr->op == HD_OP_OR);
    bool good = fold(all, expr->b, &b);
    *out = decided ? a != 0 : b != 0;
    return good;
  }
  if (expr->b != NULL && !fold(all, expr->b, &b)) {
    return false;
  }
  if (hdi_arith(expr->op, a, b, out) != HD_FAULT_NONE) {
    report(all, HDI_CW_BAD_CONSTANT, expr->span, NULL, NULL);
    return false;
  }
  return true;
}

/* The value of an expression without variables; reports what is none. */
static bool fold(const resolver *all, const hd_cw_expr *expr, int64_t *out) {
  switch (expr->kind) {
    case HD_CW_CONST:
      *out = expr->value;
      return true;
    case HD_CW_OP:
      return fold_op(all, expr, out);
    case HD_CW_READ:
      report(all, HDI_CW_NOT_CONSTANT, expr->span, NULL, NULL);
      return false;
    case HD_CW_NONDET:
      report(all, HDI_CW_NONDET_PLACE, expr->span, NULL, NULL);
      return false;
  }
  return false;
}

/* lo..hi from two expressions: not empty, at most `values_max` values. */
static bool fold_range(const resolver *all, const hd_cw_expr *lo, const hd_cw_expr *hi, uint64_t values_max,
                       int64_t *lo_out, int64_t *hi_out) {
  if (!fold(all, lo, lo_out) || !fold(all, hi, hi_out)) {
    return false;
  }
  hd_span span = {lo->span.begin, hi->span.end};
  if (*lo_out > *hi_out) {
    report(all, HDI_CW_EMPTY_RANGE, span, hdi_cw_show_number(*lo_out).text, hdi_cw_show_number(*hi_out).text);
    return false;
  }
  if ((uint64_t)*hi_out - (uint64_t)*lo_out >= values_max) {
    report(all, HDI_CW_WIDE_RANGE, span, hdi_cw_show_number((int64_t)values_max).text, NULL);
    return false;
  }
  return true;
}

static bool fold_nondet(const resolver *all, hd_cw_expr *expr) {
  return fold_range(all, expr->a, expr->b, HD_CW_CHOICES_MAX, &expr->lo, &expr->hi);
}

/* ---- declarations ---- */

static bool resolve_length(const resolver *all, hd_cw_var *var) {
  int64_t length = 0;
  if (var->length_expr == NULL) {
    return true;
  }
  if (!fold(all, var->length_expr, &length)) {
    return false;
  }
  if (length < 1 || length > HD_CW_ARRAY_MAX) {
    report(all, HDI_CW_ARRAY_LENGTH, var->length_expr->span, hdi_cw_show_number(length).text,
           hdi_cw_show_number(HD_CW_ARRAY_MAX).text);
    return false;
  }
  var->length = (uint32_t)length;
  return true;
}

static bool fold_init(const resolver *all, hd_cw_var *var, bool global) {
  hd_cw_expr *init = var->init_expr;
  if (init->kind == HD_CW_NONDET && global) {
    bool good = fold_nondet(all, init);
    var->init_lo = init->lo;
    var->init_hi = init->hi;
    return good;
  }
  bool good = fold(all, init, &var->init_lo);
  var->init_hi = var->init_lo;
  return good;
}

static void resolve_init(const resolver *all, hd_cw_var *var, bool global) {
  const hd_cw_expr *init = var->init_expr;
  if (init == NULL) { /* 0, or what is nearest to it */
    var->init_lo = var->init_hi = var->lo > 0 ? var->lo : var->hi < 0 ? var->hi : 0;
    return;
  }
  if (var->type == HD_CW_TYPE_LOCK) {
    report(all, HDI_CW_LOCK_INIT, init->span, shown(var->name.text).text, NULL);
    return;
  }
  if (fold_init(all, var, global) && (var->init_lo < var->lo || var->init_hi > var->hi)) {
    char domain[160];
    (void)snprintf(domain, sizeof domain, "a value of %s..%s", hdi_cw_show_number(var->lo).text,
                   hdi_cw_show_number(var->hi).text);
    int64_t outside = var->init_lo < var->lo ? var->init_lo : var->init_hi;
    report(all, HDI_CW_INIT_OUTSIDE, init->span, hdi_cw_show_number(outside).text, domain);
  }
}

static void resolve_var(const resolver *all, hd_cw_var *var, bool global) {
  if (var->reference) {
    return;
  }
  /* A quarter of the 64 bits, so that sums over a domain's size cannot overflow. */
  if (var->ranged && !fold_range(all, var->lo_expr, var->hi_expr, (uint64_t)1 << 62, &var->lo, &var->hi)) {
    return;
  }
  if (resolve_length(all, var)) {
    resolve_init(all, var, global);
  }
}

static void resolve_vars(const resolver *all, names *map, hd_cw_var *vars, uint32_t count, bool global) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t first = 0;
    if (!declare(all, map, &vars[i].name, i, &first) && all->reader->status == HD_OK) {
      report_name(all, HDI_CW_NAME_TWICE, &vars[i].name,
                  hdi_cw_show_line(&all->reader->lexer, vars[first].name.span).text);
    }
    resolve_var(all, &vars[i], global);
  }
}

/* ---- expressions ---- */

static const char *use_words(hd_cw_use use) {
  switch (use) {
    case HD_CW_USE_VALUE:
      return "an int or bool variable";
    case HD_CW_USE_ARRAY:
      return "an array of int or bool";
    case HD_CW_USE_LOCK:
      return "a lock";
    case HD_CW_USE_LOCKS:
      return "an array of locks";
    case HD_CW_USE_NONE:
      break;
  }
  return "a variable";
}

/* Finds the variable of a reference; NULL after a report. */
static hd_cw_var *find_var(const scope *here, hd_cw_ref *ref) {
  const resolver *all = here->all;
  uint32_t *local = here->body == NULL ? NULL : names_get(&here->vars, ref->name.text);
  uint32_t *global = local != NULL ? NULL : names_get(&all->globals, ref->name.text);
  if (local == NULL && global == NULL) {
    report_name(all, here->body == NULL ? HDI_CW_AXIOM_READS : HDI_CW_UNKNOWN_VAR, &ref->name, NULL);
    return NULL;
  }
  ref->global = local == NULL;
  ref->var = local != NULL ? *local : *global;
  return local != NULL ? &here->body->vars[ref->var] : &all->program->globals[ref->var];
}

/* A reference parameter is used in one way everywhere. */
static bool note_use(const resolver *all, hd_cw_var *var, const hd_cw_name *name, hd_cw_use use) {
  if (var->use == HD_CW_USE_NONE) {
    var->use = use;
  } else if (use != HD_CW_USE_NONE && var->use != use) {
    report_name(all, HDI_CW_MIXED_USE, name, use_words(var->use));
    return false;
  }
  return true;
}

static bool check_index(const resolver *all, const hd_cw_var *var, const hd_cw_ref *ref) {
  if (ref->index == NULL || ref->index->kind != HD_CW_CONST || ref->index->value < (int64_t)var->length) {
    return true;
  }
  report(all, HDI_CW_INDEX_OUTSIDE, ref->index->span, hdi_cw_show_number(ref->index->value).text,
         hdi_cw_show_number((int64_t)var->length - 1).text);
  return false;
}

/* A use of a variable as a value (also as a target) or as a lock; its index is resolved by the caller. */
static bool check_ref(const scope *here, hd_cw_ref *ref, bool as_lock) {
  const resolver *all = here->all;
  hd_cw_var *var = find_var(here, ref);
  if (var == NULL) {
    return false;
  }
  if (var->reference) {
    hd_cw_use scalar = as_lock ? HD_CW_USE_LOCK : HD_CW_USE_VALUE, array = as_lock ? HD_CW_USE_LOCKS : HD_CW_USE_ARRAY;
    return note_use(all, var, &ref->name, ref->index == NULL ? scalar : array);
  }
  if (as_lock != (var->type == HD_CW_TYPE_LOCK)) {
    report_name(all, as_lock ? HDI_CW_NOT_LOCK : HDI_CW_LOCK_VALUE, &ref->name, NULL);
    return false;
  }
  if ((ref->index == NULL) != (var->length == 0)) {
    report_name(all, var->length == 0 ? HDI_CW_NOT_ARRAY : HDI_CW_ARRAY_VALUE, &ref->name, NULL);
    return false;
  }
  return check_index(all, var, ref);
}

/* `choices`: how many combinations of values the nondets of the statement have so far; NULL: nondet cannot stand here.
 */
static bool resolve_expr(const scope *here, hd_cw_expr *expr, uint64_t *choices) {
  bool good = true;
  switch (expr->kind) {
    case HD_CW_CONST:
      return true;
    case HD_CW_READ:
      good = expr->ref.index == NULL || resolve_expr(here, expr->ref.index, choices);
      return check_ref(here, &expr->ref, false) && good;
    case HD_CW_OP:
      good = resolve_expr(here, expr->a, choices);
      return (expr->b == NULL || resolve_expr(here, expr->b, choices)) && good;
    case HD_CW_NONDET:
      break;
  }
  if (choices == NULL) {
    report(here->all, HDI_CW_NONDET_PLACE, expr->span, NULL, NULL);
    return false;
  }
  if (!fold_nondet(here->all, expr)) {
    return false;
  }
  *choices *= (uint64_t)(expr->hi - expr->lo) + 1;
  if (*choices > HD_CW_CHOICES_MAX) {
    report(here->all, HDI_CW_WIDE_RANGE, expr->span, hdi_cw_show_number(HD_CW_CHOICES_MAX).text, NULL);
    *choices = 1;
    return false;
  }
  return true;
}

/* ---- calls ---- */

/* Can a declared variable, or its element, stand for a parameter that is used as `use`? */
static bool fits(const hd_cw_var *var, const hd_cw_ref *ref, hd_cw_use use) {
  if (ref->index != NULL && var->length == 0) {
    return false;
  }
  bool lock = use == HD_CW_USE_LOCK || use == HD_CW_USE_LOCKS, array = use == HD_CW_USE_ARRAY || use == HD_CW_USE_LOCKS;
  bool given_array = var->length > 0 && ref->index == NULL;
  return use == HD_CW_USE_NONE || (lock == (var->type == HD_CW_TYPE_LOCK) && array == given_array);
}

/* What is handed over for a reference parameter. */
static bool check_reference(const scope *here, hd_cw_expr *expr, const hd_cw_var *parameter) {
  const resolver *all = here->all;
  hd_cw_ref *ref = &expr->ref;
  hd_cw_use use = parameter->use;
  if (expr->kind != HD_CW_READ) {
    report(all, HDI_CW_NOT_REFERENCE, expr->span, shown(parameter->name.text).text, NULL);
    return false;
  }
  if (ref->index != NULL && !resolve_expr(here, ref->index, NULL)) {
    return false;
  }
  hd_cw_var *var = find_var(here, ref);
  if (var == NULL) {
    return false;
  }
  bool element = ref->index != NULL;
  if (var->reference && (!element || use == HD_CW_USE_VALUE || use == HD_CW_USE_LOCK || use == HD_CW_USE_NONE)) {
    hd_cw_use whole = use == HD_CW_USE_LOCK ? HD_CW_USE_LOCKS : HD_CW_USE_ARRAY;
    return note_use(all, var, &ref->name, element ? whole : use);
  }
  if (var->reference || !fits(var, ref, use)) {
    report(all, HDI_CW_WRONG_REFERENCE, expr->span, shown(parameter->name.text).text, use_words(use));
    return false;
  }
  return check_index(all, var, ref);
}

static void check_arguments(const scope *here, hd_cw_stmt *stmt, const hd_cw_body *callee) {
  uint32_t given = 0;
  for (hd_cw_argument *argument = stmt->arguments; argument != NULL; argument = argument->next, given++) {
    if (given >= callee->parameter_count) {
      continue;
    }
    const hd_cw_var *parameter = &callee->vars[given];
    if (!parameter->reference) {
      (void)resolve_expr(here, argument->expr, NULL);
    } else if (check_reference(here, argument->expr, parameter) && stmt->kind == HD_CW_ASYNC &&
               !argument->expr->ref.global) {
      report_name(here->all, HDI_CW_ASYNC_LOCAL, &argument->expr->ref.name, NULL);
    }
  }
  if (given != callee->parameter_count) {
    char expected[64];
    (void)snprintf(expected, sizeof expected, "%u argument%s", (unsigned)callee->parameter_count,
                   callee->parameter_count == 1 ? "" : "s");
    report_name(here->all, HDI_CW_ARGUMENTS, &stmt->callee, expected);
  }
}

/* What a call brings into its body. */
static void take_over(const scope *here, const hd_cw_stmt *stmt, const hd_cw_body *callee, place where) {
  here->body->has_yield = here->body->has_yield || callee->has_yield;
  here->body->has_watomic = here->body->has_watomic || callee->has_watomic;
  if (where.in_atomic && callee->has_yield) {
    report(here->all, HDI_CW_YIELD_IN_ATOMIC, stmt->span, NULL, NULL);
  }
  if (where.in_watomic && callee->has_watomic) {
    report(here->all, HDI_CW_WATOMIC_IN_WATOMIC, stmt->span, NULL, NULL);
  }
}

static void resolve_call(const scope *here, hd_cw_stmt *stmt, place where) {
  resolver *all = here->all;
  uint32_t *number = names_get(&all->procs, stmt->callee.text);
  if (number == NULL) {
    report_name(all, HDI_CW_UNKNOWN_PROC, &stmt->callee, NULL);
    return;
  }
  stmt->proc = *number;
  if (all->states[*number] == GOING_ON) {
    report_name(all, HDI_CW_RECURSION, &stmt->callee, NULL);
    return;
  }
  if (all->states[*number] == UNTOUCHED && all->reader->depth >= HDI_CW_DEPTH_MAX) { /* a chain of calls */
    report(all, HDI_CW_TOO_DEEP, stmt->span, hdi_cw_show_number(HDI_CW_DEPTH_MAX).text, NULL);
    hdi_cw_lexer_stop(&all->reader->lexer);
    return;
  }
  if (!resolve_body(all, *number)) {
    return;
  }
  const hd_cw_body *callee = &all->program->bodies[*number];
  check_arguments(here, stmt, callee);
  uint32_t depth = where.depth + callee->height;
  if (depth > HDI_CW_DEPTH_MAX) {
    report(all, HDI_CW_TOO_DEEP, stmt->span, hdi_cw_show_number(HDI_CW_DEPTH_MAX).text, NULL);
    return;
  }
  here->body->height = depth > here->body->height ? depth : here->body->height;
  if (stmt->kind == HD_CW_CALL) {
    take_over(here, stmt, callee, where);
  }
}

/* ---- statements ---- */

static void resolve_list(scope *here, hd_cw_stmt *first, place where);

static void resolve_target(const scope *here, hd_cw_stmt *stmt, bool as_lock) {
  if (stmt->target.index == NULL || resolve_expr(here, stmt->target.index, NULL)) {
    (void)check_ref(here, &stmt->target, as_lock);
  }
}

static void resolve_label(scope *here, const hd_cw_stmt *stmt) {
  uint32_t first = 0;
  if (stmt->label.text != NULL && !declare(here->all, &here->labels, &stmt->label, stmt->number, &first) &&
      here->all->reader->status == HD_OK) {
    report_name(here->all, HDI_CW_LABEL_TWICE, &stmt->label, shown(here->body->name.text).text);
  }
}

static void resolve_yield(const scope *here, const hd_cw_stmt *stmt, place where) {
  here->body->has_yield = here->all->program->has_yield = true;
  if (where.in_atomic) {
    report(here->all, HDI_CW_YIELD_IN_ATOMIC, stmt->span, NULL, NULL);
  }
}

static void resolve_compound(scope *here, hd_cw_stmt *stmt, place where) {
  place inside = {where.in_atomic || stmt->kind == HD_CW_ATOMIC, where.in_watomic || stmt->kind == HD_CW_WATOMIC,
                  where.depth + 1};
  if (stmt->kind == HD_CW_WATOMIC) {
    here->body->has_watomic = true;
    if (where.in_watomic) {
      report(here->all, HDI_CW_WATOMIC_IN_WATOMIC, stmt->head, NULL, NULL);
    }
  }
  if (stmt->expr != NULL) {
    (void)resolve_expr(here, stmt->expr, NULL);
  }
  resolve_list(here, stmt->body, inside);
  resolve_list(here, stmt->other, inside);
}

static void resolve_statement(scope *here, hd_cw_stmt *stmt, place where) {
  resolve_label(here, stmt);
  here->body->height = where.depth > here->body->height ? where.depth : here->body->height;
  uint64_t choices = 1;
  switch (stmt->kind) {
    case HD_CW_SKIP:
    case HD_CW_STMT_COUNT:
      return;
    case HD_CW_ASSIGN:
      (void)resolve_expr(here, stmt->expr, &choices);
      resolve_target(here, stmt, false);
      return;
    case HD_CW_ASSUME:
    case HD_CW_ASSERT:
    case HD_CW_AWAIT:
    case HD_CW_JOIN:
      (void)resolve_expr(here, stmt->expr, NULL);
      return;
    case HD_CW_LOCK:
    case HD_CW_UNLOCK:
      resolve_target(here, stmt, true);
      return;
    case HD_CW_WATOMIC:
    case HD_CW_ATOMIC:
    case HD_CW_BLOCK:
    case HD_CW_NOREORDER:
    case HD_CW_IF:
    case HD_CW_WHILE:
      resolve_compound(here, stmt, where);
      return;
    case HD_CW_ASYNC:
      if (stmt->has_target) {
        resolve_target(here, stmt, false);
      }
      resolve_call(here, stmt, where);
      return;
    case HD_CW_CALL:
      resolve_call(here, stmt, where);
      return;
    case HD_CW_YIELD:
      resolve_yield(here, stmt, where);
      return;
  }
}

static void resolve_list(scope *here, hd_cw_stmt *first, place where) {
  for (hd_cw_stmt *stmt = first; stmt != NULL && here->all->reader->status == HD_OK; stmt = stmt->next) {
    resolve_statement(here, stmt, where);
  }
}

/* True when the body has been resolved, with reports or without. Recursive through calls; resolve_call does not follow
 * a chain that is too long. */
static bool resolve_body(resolver *all, uint32_t number) {
  if (all->states[number] == FINISHED) {
    return true;
  }
  hd_cw_body *body = &all->program->bodies[number];
  all->reader->depth++; /* resolve_call looks */
  all->states[number] = GOING_ON;
  scope here = {.all = all, .body = body};
  resolve_vars(all, &here.vars, body->vars, body->var_count, false);
  resolve_list(&here, body->first, (place){false, false, 1});
  names_free(&here.vars);
  names_free(&here.labels);
  all->states[number] = FINISHED;
  all->reader->depth--;
  return all->reader->status == HD_OK;
}

static void declare_bodies(resolver *all) {
  hd_cw_program *program = all->program;
  names threads = {0};
  for (uint32_t i = 0; i < program->body_count && all->reader->status == HD_OK; i++) {
    const hd_cw_body *body = &program->bodies[i];
    program->thread_count += body->thread;
    uint32_t first = 0;
    if (!declare(all, body->thread ? &threads : &all->procs, &body->name, i, &first) && all->reader->status == HD_OK) {
      report_name(all, body->thread ? HDI_CW_THREAD_TWICE : HDI_CW_PROC_TWICE, &body->name,
                  hdi_cw_show_line(&all->reader->lexer, program->bodies[first].name.span).text);
    }
  }
  if (program->thread_count == 0) {
    report(all, HDI_CW_NO_THREAD, (hd_span){0, 0}, NULL, NULL);
  }
  names_free(&threads);
}

void hdi_cw_resolve(hdi_cw_reader *reader) {
  hd_cw_program *program = reader->program;
  resolver all = {.reader = reader, .program = program};
  all.states = hdi_cw_new(reader, program->body_count, sizeof *all.states);
  if (all.states == NULL) {
    return;
  }
  reader->depth = 0;
  resolve_vars(&all, &all.globals, program->globals, program->global_count, true);
  declare_bodies(&all);
  scope outside = {.all = &all};
  for (uint32_t i = 0; i < program->axiom_count && reader->status == HD_OK; i++) {
    (void)resolve_expr(&outside, program->axioms[i].expr, NULL);
  }
  for (uint32_t i = 0; i < program->body_count && reader->status == HD_OK; i++) {
    (void)resolve_body(&all, i);
  }
  names_free(&all.globals);
  names_free(&all.procs);
}
