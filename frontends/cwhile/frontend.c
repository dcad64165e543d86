/* The Cwhile frontend's table and what its commands share: parsing, a search with the request's limits, findings.
 * No state of its own; any thread may run a command on its own result. */
#include "frontends/cwhile/frontend.h"

#include "core/base/machine.h"
#include "frontends/cwhile/explain.h"

#include <stdlib.h>
#include <string.h>

/* A thread and its brace, and no arrow of a choreography. */
static bool sniff(const hd_text *text) {
  const char *found = strstr(text->data, "thread ");
  return found != NULL && strchr(found, '{') != NULL && strstr(text->data, "=>") == NULL;
}

static void free_ast(hd_ast *ast) {
  if (ast != NULL) {
    hd_cw_program_free(ast->program);
    free(ast);
  }
}

static hd_status parse(const hd_text *text, hd_diag *diag, hd_ast **out) {
  *out = NULL;
  hd_ast *ast = calloc(1, sizeof *ast);
  if (ast == NULL) {
    return HD_E_NOMEM;
  }
  hd_status status = hd_cw_read(text, diag, &ast->program);
  if (status != HD_OK) {
    free_ast(ast);
    return status;
  }
  *out = ast;
  return HD_OK;
}

static const char *const patterns[] = {".cw", NULL};

static const hd_no_effect no_effects[] = {
    {"bound", HD_IN(CHECK) | HD_IN(REPAIR) | HD_IN(EXPLORE) | HD_IN(CONVERT), "it is for choreographies"},
    {"semantics", HD_IN(CHECK) | HD_IN(REPAIR) | HD_IN(EXPLORE) | HD_IN(CONVERT), "it is for choreographies"},
    {"up-to", HD_IN(CHECK), "it is for choreographies"},
    {"as-published", HD_IN(CHECK), "it is for choreographies"},
    {"cross-check", HD_IN(CHECK), "it is for choreographies"},
    {"stuck-peers", HD_IN(CHECK), "it is for choreographies; threads that wait for ever are looked for in any case"},
    {NULL, 0, NULL}};

const hd_frontend hd_frontend_cwhile = {.abi = HD_FRONTEND_ABI,
                                        .name = "cwhile",
                                        .patterns = patterns,
                                        .sniff = sniff,
                                        .parse = parse,
                                        .free_ast = free_ast,
                                        .check = hdi_cw_check,
                                        .repair = hdi_cw_repair,
                                        .explore = hdi_cw_explore,
                                        .convert = hdi_cw_convert,
                                        .replay = hdi_cw_replay,
                                        .no_effects = no_effects};

void hdi_cw_search_init(const hd_cw_lowering *lowering, const hd_request *request, hd_search *search) {
  const hd_options *options = request->options;
  *search = (hd_search){.model = lowering->model,
                        .threads = options->threads,
                        .store = (hd_store)options->store,
                        .native = options->native ? HD_NATIVE_ON : HD_NATIVE_OFF,
                        .order = (hd_order)options->order,
                        .bind = (hd_bind)options->bind,
                        .memory_max_bytes = (size_t)options->memory,
                        .depth_max = options->depth,
                        .classify = hd_cw_classify,
                        .classify_context = lowering,
                        .cancel = request->cancel,
                        .progress = request->progress,
                        .progress_payload = request->progress_payload};
  if (request->deadline_seconds > 0) {
    double left = request->deadline_seconds - hd_machine_seconds();
    search->timeout_seconds = left > 1e-9 ? left : 1e-9;
  }
  hd_slots_add(search->trace_slots, HD_SLOT_CHECK(0));
  hd_slots_add(search->trace_slots, HD_SLOT_STOP(HD_CW_STOP_DEADLOCK));
  hd_slots_add(search->trace_slots, HD_SLOT_FAULT(HD_FAULT_RANGE));
  hd_slots_add(search->trace_slots, HD_SLOT_FAULT(HD_FAULT_INDEX));
  hd_slots_add(search->trace_slots, HD_SLOT_FAULT(HD_FAULT_DIVISION));
  hd_slots_add(search->trace_slots, HD_SLOT_FAULT(HD_FAULT_ENDLESS));
}

hd_status hdi_cw_run(const hd_search *search, hd_diag *diag, hd_outcome *outcome) {
  memset(outcome, 0, sizeof *outcome);
  if (search->order == HD_ORDER_ANY && search->depth_max != 0) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, "leave one of them out",
                "--depth counts levels, and --order any has none");
    return HD_E_USAGE;
  }
  hd_status status = hd_explore(search, outcome);
  if (status == HD_E_USAGE) {
    const char *why = hd_store_refusal(search->store, hd_model_words(search->model), hd_model_bits(search->model));
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, "leave --store out",
                "--store %s cannot hold this model: %s", hd_store_name(search->store),
                why != NULL ? why : hd_status_words(status));
  }
  return status;
}

static const hd_found *cheaper(const hd_found *a, const hd_found *b) {
  if (a->count == 0 || b->count == 0) {
    return a->count == 0 ? b : a;
  }
  return b->level < a->level ? b : a;
}

const hd_found *hdi_cw_found(const hd_outcome *outcome, hdi_cw_finding kind) {
  const hd_found *found = NULL;
  switch (kind) {
    case HDI_CW_FINDING_ASSERTION:
      found = &outcome->found[HD_SLOT_CHECK(0)];
      break;
    case HDI_CW_FINDING_DEADLOCK:
      found = &outcome->found[HD_SLOT_STOP(HD_CW_STOP_DEADLOCK)];
      break;
    case HDI_CW_FINDING_OUT_OF_RANGE:
      found = cheaper(&outcome->found[HD_SLOT_FAULT(HD_FAULT_RANGE)], &outcome->found[HD_SLOT_FAULT(HD_FAULT_INDEX)]);
      break;
    case HDI_CW_FINDING_DIVISION:
      found = &outcome->found[HD_SLOT_FAULT(HD_FAULT_DIVISION)];
      break;
    case HDI_CW_FINDING_ENDLESS_BLOCK:
      found = &outcome->found[HD_SLOT_FAULT(HD_FAULT_ENDLESS)];
      break;
    case HDI_CW_FINDING_COUNT:
      break;
  }
  return found == NULL || found->count == 0 ? NULL : found;
}

/* ---- findings ---- */

static const struct {
  const char *kind;
  hd_diag_code code;
} finding_rows[HDI_CW_FINDING_COUNT] = {
#define ROW(identifier, kind, code) [HDI_CW_FINDING_##identifier] = {kind, code},
    HDI_CW_FINDING_TABLE(ROW)
#undef ROW
};

/* Counts the assertions of a list, those inside included; *last: the last of them. */
static uint32_t count_assertions(const hd_cw_stmt *first, const hd_cw_stmt **last) {
  uint32_t count = 0;
  for (const hd_cw_stmt *stmt = first; stmt != NULL; stmt = stmt->next) {
    count += count_assertions(stmt->body, last) + count_assertions(stmt->other, last);
    if (stmt->kind == HD_CW_ASSERT) {
      *last = stmt;
      count++;
    }
  }
  return count;
}

/* The statement at fault in the last step: an assertion inside a block is looked for. */
static const hd_cw_stmt *culprit(const hd_cw_lowering *lowering, const hd_trace *trace) {
  const hd_step *step = &trace->steps[trace->length - 1];
  const hdi_cw_edge *edges = lowering->flow.edges.data;
  if (step->fault != HD_FAULT_NONE) {
    return lowering->program->statements[step->fault_detail];
  }
  size_t begin = trace->length < 2 ? 0 : trace->inner_end[trace->length - 2];
  for (size_t i = begin; step->compound && i < trace->inner_end[trace->length - 1]; i++) {
    const hdi_cw_edge *edge = &edges[hd_model_edge_tag(lowering->model, trace->inner[i].edge)];
    if (edge->stmt->kind == HD_CW_ASSERT) {
      return edge->stmt;
    }
  }
  const hd_cw_stmt *stmt = edges[hd_model_edge_tag(lowering->model, step->edge)].stmt, *only = NULL;
  return stmt->kind == HD_CW_ATOMIC && count_assertions(stmt->body, &only) == 1 ? only : stmt;
}

static const char *sentence(hdi_cw_finding kind, const char *head, hd_arena *arena) {
  switch (kind) {
    case HDI_CW_FINDING_ASSERTION:
      return hd_arena_printf(arena, "the assertion fails: %s", head);
    case HDI_CW_FINDING_DEADLOCK:
      return "no thread can move, and not all that must end have ended";
    case HDI_CW_FINDING_OUT_OF_RANGE:
      return hd_arena_printf(arena, "a value leaves its domain, or an index its array: %s", head);
    case HDI_CW_FINDING_DIVISION:
      return hd_arena_printf(arena, "division by zero: %s", head);
    case HDI_CW_FINDING_ENDLESS_BLOCK:
      return hd_arena_printf(arena, "an atomic block can run for ever: %s", head);
    case HDI_CW_FINDING_COUNT:
      break;
  }
  return "";
}

/* The search found it and the run could not be rebuilt: the finding stands, and says so. */
static hd_status describe_without_run(const hd_found *found, hdi_cw_finding kind, hd_result *result,
                                      hd_finding *finding) {
  if (found->trace_status == HD_OK || found->trace_status == HD_E_INTERNAL) {
    return HD_E_INTERNAL;
  }
  const char **details = hd_arena_alloc_array(result->arena, 1, sizeof *details);
  finding->message = sentence(kind, "the run could not be rebuilt", result->arena);
  if (details == NULL || finding->message == NULL) {
    return HD_E_NOMEM;
  }
  details[0] = hd_arena_printf(result->arena, "the run that leads there could not be rebuilt: %s",
                               hd_status_words(found->trace_status));
  finding->details = details;
  finding->detail_count = 1;
  finding->length = found->level == HD_LEVEL_UNKNOWN ? 0 : found->level;
  return details[0] == NULL ? HD_E_NOMEM : HD_OK;
}

hd_status hdi_cw_add_finding(const hd_cw_lowering *lowering, hdi_cw_finding kind, const hd_found *found,
                             hd_result *result) {
  hd_finding *finding = hd_result_add_finding(result);
  if (finding == NULL) {
    return HD_E_NOMEM;
  }
  finding->kind = finding_rows[kind].kind;
  finding->code = finding_rows[kind].code;
  finding->count = found->count;
  const hd_trace *trace = found->trace;
  if (trace == NULL) {
    return describe_without_run(found, kind, result, finding);
  }
  hd_status status = hdi_cw_explain_trace(lowering, trace, result, finding);
  /* Levels are steps, unless they are context switches. */
  finding->shortest = hd_shortest_if(found->shortest && !hd_model_has_zero_weights(lowering->model));
  finding->position = (hd_position){1, 1};
  hd_buffer head = {0};
  if (trace->length > 0) {
    const hd_cw_stmt *stmt = culprit(lowering, trace);
    finding->position = hd_text_position(lowering->program->text, stmt->span.begin);
    hd_cw_print_head(stmt, &head);
  }
  finding->message = head.failed ? NULL : sentence(kind, head.data == NULL ? "" : head.data, result->arena);
  hd_buffer_free(&head);
  if (status == HD_OK && kind == HDI_CW_FINDING_DEADLOCK) {
    const uint64_t *state = trace->states + trace->length * trace->words;
    finding->details = hdi_cw_explain_state(lowering, state, result->arena, &finding->detail_count);
    status = finding->details == NULL ? HD_E_NOMEM : HD_OK;
  }
  return finding->message == NULL ? HD_E_NOMEM : status;
}

const char *hdi_cw_bounds_met(const hd_outcome *outcome, hd_result *result) {
  bool pool = outcome->found[HD_SLOT_FAULT(HD_FAULT_POOL)].count > 0;
  bool block = outcome->found[HD_SLOT_FAULT(HD_FAULT_BLOCK_LIMIT)].count > 0;
  if (!pool && !block) {
    return NULL;
  }
  return hd_arena_printf(result->arena, "a bound of the model was met: %s%s%s",
                         pool ? "one async starts a thread anew while the one that it started before still runs" : "",
                         pool && block ? "; " : "", block ? "an atomic block takes too many inner steps" : "");
}

void hdi_cw_note(const hd_request *request, const hd_outcome *outcome, hd_result *result) {
  hd_result_add_text(result, "granularity", request->options->granularity == 0 ? "statement" : "access");
  if (outcome->reduction != HD_REDUCE_NOTHING) {
    hd_result_add_text(result, "reduction", "of independent steps one order is followed (stubborn sets)");
    result->searched = "the reduced system";
  } else if (outcome->unreduced != NULL) {
    hd_result_add_text(result, "not_reduced", outcome->unreduced);
  }
}
