/* A sequential breadth-first walk over a model's states, and short forms for building models by hand. For tests only:
 * a plain loop and a linear-probing table, independent of the real explorer. */
#ifndef HEDDLE_TESTS_UNIT_MODEL_WALK_H
#define HEDDLE_TESTS_UNIT_MODEL_WALK_H

#include "core/model/builder.h"
#include "core/model/filter.h"
#include "core/model/model.h"

typedef struct walk {
  const hd_model *model;
  uint64_t *states; /* in order of discovery */
  size_t count, capacity;
  size_t *table;
  size_t table_size;
  /* Counts over all reachable states. */
  size_t transitions; /* steps with a successor */
  size_t proper, stuck, pruned;
  size_t faults[HD_FAULT_COUNT]; /* steps */
  size_t checks[32];             /* steps in which check c failed */
  size_t compounds;              /* compound steps with a successor */
  size_t partners;               /* steps of two */
} walk;

/* Walks the whole reachable space; every state met must be valid. The caller frees with walk_free. */
walk walk_model(const hd_model *model, const hd_filter *filter);
void walk_free(walk *w);
/* The number of the state, or SIZE_MAX. */
size_t walk_find(const walk *w, const uint64_t *state);

/* ---- building by hand ---- */

hd_model *finish(hd_builder *builder);
hd_process add_process(hd_builder *builder, const char *name, uint32_t instances, uint32_t started);
hd_loc add_loc(hd_builder *builder, hd_process process, uint32_t flags);
hd_var add_var(hd_builder *builder, const char *name, int64_t lo, int64_t hi, int64_t init);
hd_var add_array(hd_builder *builder, const char *name, int64_t lo, int64_t hi, int64_t init, uint32_t length);
hd_var add_local(hd_builder *builder, hd_process process, const char *name, int64_t lo, int64_t hi, int64_t init);
hd_expr num(hd_builder *builder, int64_t value);
hd_expr rd(hd_builder *builder, hd_var var);
hd_expr op2(hd_builder *builder, hd_op op, hd_expr a, hd_expr b);
/* var == value, and var := value */
hd_expr is(hd_builder *builder, hd_var var, int64_t value);
hd_stmt set(hd_builder *builder, hd_var var, int64_t value);
hd_stmt assign(hd_var var, hd_expr value);
hd_stmt push(hd_builder *builder, hd_queue queue, int64_t letter);
hd_stmt pop(hd_builder *builder, hd_queue queue, int64_t letter);
/* An edge with a guard (HD_NO_EXPR: none) and statements. */
hd_edge add_edge(hd_builder *builder, hd_loc from, hd_loc to, hd_expr guard, const hd_stmt *stmts, uint32_t count);
hd_edge add_skip(hd_builder *builder, hd_loc from, hd_loc to);
hd_edge add_do(hd_builder *builder, hd_loc from, hd_loc to, hd_expr guard, hd_stmt stmt);
hd_edge add_send(hd_builder *builder, hd_loc from, hd_loc to, hd_expr channel, hd_expr value);
hd_edge add_receive(hd_builder *builder, hd_loc from, hd_loc to, hd_expr channel, const hd_stmt *stmts, uint32_t count);

/* Deterministic pseudo-random numbers (splitmix64). */
uint64_t draw(uint64_t *seed);
/* 0 .. bound-1 */
uint32_t draw_below(uint64_t *seed, uint32_t bound);

#endif
