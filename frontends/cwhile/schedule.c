/* Is a bad run there without any preemption? Then the bug is not one of concurrency, and no atomic block removes it.
 *
 *   sequential        the threads run one after another, in any order, each to its end
 *   preemption-free   a thread goes on until it ends or comes to an await, lock or join, enabled or not
 *
 * A run is bad when it is complete (every thread that must end has) and an assertion has failed in it, or when it ends
 * in a fault. Both kinds of runs are those of the model with a variable that says whose turn it is (lower.c), searched
 * completely. The sequential system has one state per prefix of an order of the threads, roughly, and is small. */
#include "frontends/cwhile/explain.h"
#include "frontends/cwhile/frontend.h"

#include <string.h>

enum { PREDICATE_COMPLETE_AND_BAD = 1 };

/* What a search of one kind of runs came to. */
typedef struct schedule {
  hd_cw_lowering *lowering;
  hd_outcome outcome;
  const hd_found *found; /* of the outcome; NULL: nothing bad */
  hdi_cw_finding kind;
} schedule;

static void note_found(schedule *s) {
  const hd_found *bad = &s->outcome.found[HD_SLOT_PREDICATE(PREDICATE_COMPLETE_AND_BAD)];
  if (bad->count > 0) {
    s->found = bad;
    s->kind = HDI_CW_FINDING_ASSERTION;
    return;
  }
  const hdi_cw_finding faults[] = {HDI_CW_FINDING_OUT_OF_RANGE, HDI_CW_FINDING_DIVISION, HDI_CW_FINDING_ENDLESS_BLOCK};
  for (size_t i = 0; i < sizeof faults / sizeof faults[0] && s->found == NULL; i++) {
    s->found = hdi_cw_found(&s->outcome, faults[i]);
    s->kind = faults[i];
  }
}

static hd_status search(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_cw_schedule which,
                        schedule *s) {
  hd_cw_lower_options options = {.keep_err = true, .access = request->options->granularity != 0, .schedule = which};
  hd_status status = hd_cw_lower(ast->program, &options, &s->lowering);
  if (status != HD_OK) {
    return status;
  }
  hd_search query;
  hdi_cw_search_init(s->lowering, request, &query);
  query.order = HD_ORDER_LEVELS;
  query.depth_max = 0;
  query.store = HD_STORE_AUTO;
  query.native = HD_NATIVE_OFF;
  query.predicate = hd_cw_predicate;
  query.predicate_count = 2;
  query.predicate_context = s->lowering;
  uint32_t bad = HD_SLOT_PREDICATE(PREDICATE_COMPLETE_AND_BAD);
  query.trace_slots[0] = query.trace_slots[1] = 0;
  const uint32_t slots[] = {bad, HD_SLOT_FAULT(HD_FAULT_RANGE), HD_SLOT_FAULT(HD_FAULT_INDEX),
                            HD_SLOT_FAULT(HD_FAULT_DIVISION), HD_SLOT_FAULT(HD_FAULT_ENDLESS)};
  for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
    hd_slots_add(query.trace_slots, slots[i]);
    hd_slots_add(query.stop_slots, slots[i]);
  }
  status = hdi_cw_run(&query, diag, &s->outcome);
  if (status == HD_OK) {
    note_found(s);
  }
  return status;
}

static void clear(schedule *s) {
  hd_outcome_clear(&s->outcome);
  hd_cw_lowering_free(s->lowering);
}

/* Where the run goes wrong: the first failed assertion, which the end of the run may be far from. */
static const hd_cw_stmt *first_failure(const schedule *s) {
  const hd_trace *trace = s->found->trace;
  for (size_t i = 0; i < trace->length; i++) {
    if (trace->steps[i].checks_failed != 0 || trace->steps[i].fault != HD_FAULT_NONE) {
      return s->lowering->flow.edges.data[hd_model_edge_tag(s->lowering->model, trace->steps[i].edge)].stmt;
    }
  }
  return NULL;
}

static hd_status tell(const schedule *s, const char *message, hd_result *result) {
  hd_status status = hdi_cw_add_finding(s->lowering, s->kind, s->found, result);
  if (status == HD_OK) {
    hd_finding *finding = &result->findings[result->finding_count - 1];
    const hd_cw_stmt *stmt = s->found->trace == NULL ? NULL : first_failure(s);
    if (stmt != NULL) {
      finding->position = hd_text_position(s->lowering->program->text, stmt->span.begin);
    }
    finding->message = message;
    finding->count = 0;
  }
  return status;
}

/* One kind of runs: its fact, and a finding when a run is bad. */
static hd_status examine(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_cw_schedule which,
                         const char *fact, const char *message, hd_result *result, bool *bad) {
  schedule s = {.lowering = NULL};
  hd_status status = search(ast, request, diag, which, &s);
  *bad = status == HD_OK && s.found != NULL;
  if (*bad) {
    hd_result_add_bool(result, fact, true);
    status = tell(&s, message, result);
  } else if (status == HD_OK && s.outcome.end == HD_END_COMPLETE) {
    hd_result_add_bool(result, fact, false);
  } else if (status == HD_OK) {
    hd_result_add_text(result, fact, "not decided");
  }
  clear(&s);
  return status;
}

hd_status hdi_cw_check_schedules(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result) {
  bool bad = false;
  hd_status status = examine(
      ast, request, diag, HD_CW_SCHEDULE_SEQUENTIAL, "sequential_bug",
      "a complete sequential run is bad: the bug is in what the threads do, not in how they interleave", result, &bad);
  if (status == HD_OK && !bad) {
    status = examine(ast, request, diag, HD_CW_SCHEDULE_PREEMPTION_FREE, "preemption_free_bug",
                     "a complete run without preemptions is bad: threads change places only where they wait or end",
                     result, &bad);
  }
  return status;
}
