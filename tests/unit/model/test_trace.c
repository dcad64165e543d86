/* Traces: choosing steps, replaying them, and refusing what is not a run of the model. */
#include "core/model/trace.h"

#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

#include <stdlib.h>
#include <string.h>

/* x counts up, twice per compound step; at 6 one may divide by zero. Initial x is 0 or 1. */
static hd_model *counter(hd_loc *inside) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  hd_var_desc desc = {.name = "x", .lo = 0, .hi = 40, .init_lo = 0, .init_hi = 1, .process = HD_NO_PROCESS};
  hd_var x = hd_build_var(b, &desc);
  hd_loc l0 = add_loc(b, p, HD_LOC_END);
  *inside = add_loc(b, p, 0);
  hd_stmt up = assign(x, op2(b, HD_OP_ADD, rd(b, x), num(b, 1)));
  hd_stmt check = {.kind = HD_STMT_CHECK, .a = op2(b, HD_OP_LT, rd(b, x), num(b, 5)), .code = 2};
  hd_stmt both[2] = {check, up};
  add_edge(b, l0, *inside, op2(b, HD_OP_LT, rd(b, x), num(b, 30)), both, 2);
  add_do(b, *inside, l0, HD_NO_EXPR, up);
  hd_edge_desc divide = {.from = l0, .to = l0, .guard = is(b, x, 6), .statement = 44, .kind = HD_EDGE_ASSERT};
  hd_stmt bad = assign(x, op2(b, HD_OP_DIV, rd(b, x), op2(b, HD_OP_SUB, rd(b, x), num(b, 6))));
  divide.stmts = &bad;
  divide.stmt_count = 1;
  hd_build_edge(b, &divide);
  return finish(b);
}

static bool accept_move(void *payload, const uint64_t *next, const hd_step *step) {
  (void)payload;
  (void)step;
  return next != NULL;
}

static bool accept_fault(void *payload, const uint64_t *next, const hd_step *step) {
  (void)payload;
  (void)next;
  return step->fault != HD_FAULT_NONE;
}

/* `moves` moves from initial state `initial`, and a fault when x is 6. */
static hd_trace *run(const hd_model *model, const hd_filter *filter, size_t initial, int moves, bool fault) {
  hd_trace *trace = hd_trace_begin(model, initial);
  cr_assert_not_null(trace);
  for (int i = 0; i < moves; i++) {
    cr_assert_eq(hd_trace_extend(model, filter, trace, accept_move, NULL), HD_OK);
  }
  if (fault) {
    cr_assert_eq(hd_trace_extend(model, filter, trace, accept_fault, NULL), HD_OK);
    cr_assert_eq(hd_trace_extend(model, filter, trace, accept_move, NULL), HD_E_INPUT, "nothing follows a fault");
  }
  return trace;
}

Test(trace, extend_and_replay) {
  hd_loc inside;
  hd_model *model = counter(&inside);
  for (int compound = 0; compound < 2; compound++) {
    hd_filter *filter = hd_filter_new(model);
    if (compound == 1) {
      hd_filter_protect_strong(filter, inside);
    }
    int moves = compound == 1 ? 3 : 6;
    hd_trace *trace = run(model, filter, 0, moves, true);
    cr_assert_eq(trace->length, (size_t)moves + 1);
    cr_assert_eq(trace->steps[moves].fault, HD_FAULT_DIVISION);
    cr_assert_eq(trace->steps[moves].fault_detail, 44);
    cr_assert_eq(memcmp(trace->states + (size_t)moves * trace->words,
                        trace->states + (size_t)(moves + 1) * trace->words, trace->words * sizeof *trace->states),
                 0);
    cr_assert_eq(trace->inner_end[moves], compound == 1 ? 3 : 0);
    size_t failed = 99;
    if (compound == 1) {
      hd_inner first = trace->inner[0];
      memset(trace->inner, 0xff, 3 * sizeof *trace->inner); /* replay fills it afresh */
      cr_assert_eq(hd_trace_replay(model, filter, trace, &failed), HD_OK);
      cr_assert_eq(trace->inner[0].edge.v, first.edge.v);
      cr_assert_eq(trace->inner[2].edge.v, first.edge.v);
      cr_assert_eq(hd_trace_replay(model, NULL, trace, &failed), HD_E_INTERNAL, "another filter, another run");
      cr_assert_eq(failed, 0);
    } else {
      cr_assert_eq(hd_trace_replay(model, filter, trace, &failed), HD_OK);
    }
    hd_trace_free(trace);
    hd_filter_free(filter);
  }
  hd_model_free(model);
}

Test(trace, long_traces_grow) {
  hd_loc inside;
  hd_model *model = counter(&inside);
  hd_trace *trace = run(model, NULL, 1, 30, false); /* x = 31 then */
  cr_assert_eq(hd_trace_extend(model, NULL, trace, accept_fault, NULL), HD_E_INPUT, "no step is accepted");
  cr_assert_eq(hd_trace_extend(model, NULL, trace, accept_move, NULL), HD_E_INPUT, "there is no step");
  cr_assert_eq(trace->length, 30);
  size_t failed = 0;
  cr_assert_eq(hd_trace_replay(model, NULL, trace, &failed), HD_OK);
  hd_trace_free(trace);
  hd_model_free(model);
}

/* Changes one thing in a good trace; the replay must stop at `step`. */
#define TAMPER(change, step)                                                            \
  do {                                                                                  \
    hd_trace *trace = run(model, NULL, 0, 6, true);                                     \
    size_t w = trace->words;                                                            \
    (void)w;                                                                            \
    change;                                                                             \
    size_t failed = 99;                                                                 \
    cr_assert_eq(hd_trace_replay(model, NULL, trace, &failed), HD_E_INTERNAL, #change); \
    cr_assert_eq(failed, (size_t)(step), #change ": refused at step %zu", failed);      \
    hd_trace_free(trace);                                                               \
  } while (0)

Test(trace, tampered_traces_are_refused) {
  hd_loc inside;
  hd_model *model = counter(&inside);
  TAMPER(trace->states[0] ^= 2, 0);
  TAMPER(trace->states[0] ^= (uint64_t)1 << 40, 0);
  TAMPER(trace->words = 2, 0);
  TAMPER(trace->states[3 * w] ^= 1, 2);
  TAMPER(trace->states[7 * w] ^= 1, 6);
  TAMPER(trace->steps[2].edge.v = 1, 2);
  TAMPER(trace->steps[4].instance = 1, 4);
  TAMPER(trace->steps[1].partner_instance = 0, 1);
  TAMPER(trace->steps[1].partner_edge.v = 0, 1);
  TAMPER(trace->steps[3].label.v = 1, 3);
  TAMPER(trace->steps[3].weight = 0, 3);
  TAMPER(trace->steps[0].compound = true, 0);
  TAMPER(trace->steps[4].checks_failed = 4, 4);
  TAMPER(trace->steps[5].fault = HD_FAULT_RANGE, 5);
  TAMPER(trace->steps[6].fault = HD_FAULT_NONE, 6);
  TAMPER(trace->steps[6].fault = HD_FAULT_RANGE, 6);
  TAMPER(trace->steps[6].fault_detail = 45, 6);
  hd_model_free(model);
}

Test(trace, nothing_may_follow_a_fault) {
  hd_loc inside;
  hd_model *model = counter(&inside);
  hd_trace *trace = run(model, NULL, 0, 6, true);
  trace->states = realloc(trace->states, 9 * trace->words * sizeof *trace->states);
  trace->steps = realloc(trace->steps, 8 * sizeof *trace->steps);
  trace->inner_end = realloc(trace->inner_end, 8 * sizeof *trace->inner_end);
  cr_assert(trace->states != NULL && trace->steps != NULL && trace->inner_end != NULL);
  trace->steps[7] = trace->steps[6];
  memcpy(trace->states + 8 * trace->words, trace->states + 7 * trace->words, trace->words * sizeof *trace->states);
  trace->length = 8;
  size_t failed = 0;
  cr_assert_eq(hd_trace_replay(model, NULL, trace, &failed), HD_E_INTERNAL);
  cr_assert_eq(failed, 7);
  hd_trace_free(trace);
  hd_model_free(model);
}

/* Replay may shrink what it fills afresh; extending must go on from there. */
Test(trace, replay_and_go_on) {
  hd_loc inside;
  hd_model *model = counter(&inside);
  hd_filter *filter = hd_filter_new(model);
  hd_filter_protect_strong(filter, inside);
  hd_trace *trace = hd_trace_begin(model, 0);
  for (size_t i = 0; i < 15; i++) {
    size_t failed = 0;
    cr_assert_eq(hd_trace_extend(model, filter, trace, accept_move, NULL), HD_OK);
    cr_assert_eq(hd_trace_replay(model, filter, trace, &failed), HD_OK);
    cr_assert_eq(trace->inner_end[i], i + 1);
  }
  hd_trace_free(trace);
  hd_filter_free(filter);
  hd_model_free(model);
}

Test(trace, an_empty_trace_is_a_run) {
  hd_loc inside;
  hd_model *model = counter(&inside);
  hd_trace *trace = hd_trace_begin(model, 1);
  size_t failed = 9;
  cr_assert_eq(hd_trace_replay(model, NULL, trace, &failed), HD_OK);
  cr_assert_eq(failed, 0);
  trace->states[0] += 1;
  cr_assert_eq(hd_trace_replay(model, NULL, trace, &failed), HD_E_INTERNAL);
  hd_trace_free(trace);
  hd_trace_free(NULL);
  hd_model_free(model);
}
