/* The choreography frontend's table and what its commands share: parsing, the projection, a search with the request's
 * limits, findings for stuck configurations. No state of its own; any thread may run a command on its own result. */
#include "frontends/choreography/frontend.h"

#include "core/base/machine.h"
#include "frontends/choreography/contract.h"
#include "frontends/choreography/draw.h"
#include "frontends/choreography/explain.h"

#include <stdlib.h>
#include <string.h>

static bool has_ending(const char *name, const char *ending) {
  size_t length = strlen(name), end = strlen(ending);
  return length >= end && strcmp(name + length - end, ending) == 0;
}

/* Machines have a `.state graph` line and no choreography does: that decides what a text without a known ending is. */
static bool looks_like_machines(const hd_text *text) {
  if (has_ending(text->name, ".chor")) {
    return false;
  }
  if (has_ending(text->name, ".fsa") || has_ending(text->name, ".fsm")) {
    return true;
  }
  return strstr(text->data, ".state graph") != NULL || strstr(text->data, ".marking") != NULL;
}

static bool looks_like_contract(const hd_text *text) {
  if (has_ending(text->name, ".contract") || has_ending(text->name, ".sgc")) {
    return true;
  }
  return !has_ending(text->name, ".chor") && hd_contract_sniff(text);
}

static bool sniff(const hd_text *text) {
  return looks_like_contract(text) || looks_like_machines(text) || strstr(text->data, "=>") != NULL ||
         strstr(text->data, "choreography") != NULL;
}

static void free_ast(hd_ast *ast) {
  if (ast != NULL) {
    hd_chor_file_free(ast->file);
    hd_system_free(ast->machines);
    free(ast);
  }
}

static hd_status parse(const hd_text *text, hd_diag *diag, hd_ast **out) {
  *out = NULL;
  hd_ast *ast = calloc(1, sizeof *ast);
  if (ast == NULL) {
    return HD_E_NOMEM;
  }
  ast->contract = looks_like_contract(text);
  hd_status status = ast->contract               ? hd_contract_read(text, diag, &ast->file)
                     : looks_like_machines(text) ? hd_fsa_read(text, diag, &ast->machines)
                                                 : hd_chor_read(text, diag, &ast->file);
  if (status != HD_OK) {
    free_ast(ast);
    return status;
  }
  *out = ast;
  return HD_OK;
}

static const char *const patterns[] = {".chor", ".contract", ".sgc", ".fsa", ".fsm", NULL};

static const hd_no_effect no_effects[] = {
    {"granularity", HD_IN(CHECK) | HD_IN(EXPLORE) | HD_IN(CONVERT), "it is for programs of threads"},
    {"fewest-switches", HD_IN(CHECK), "it is for programs of threads"},
    {NULL, 0, NULL}};

const hd_frontend hd_frontend_choreography = {.abi = HD_FRONTEND_ABI,
                                              .name = "choreography",
                                              .patterns = patterns,
                                              .sniff = sniff,
                                              .parse = parse,
                                              .free_ast = free_ast,
                                              .check = hdi_choreography_check,
                                              .repair = hdi_choreography_repair,
                                              .explore = hdi_choreography_explore,
                                              .project = hdi_choreography_project,
                                              .convert = hdi_choreography_convert,
                                              .replay = hdi_choreography_replay,
                                              .no_effects = no_effects};

const char *hdi_semantics_name(hd_semantics semantics) {
  return semantics == HD_P2P ? "p2p" : "mailbox";
}

hd_status hdi_subject_make(const hd_ast *ast, bool with_dfas, const hd_request *request, hdi_subject *subject) {
  *subject = (hdi_subject){.ast = ast, .system = ast->machines};
  if (ast->file == NULL) {
    return HD_OK;
  }
  hd_subset_limits limits = {
      .states_max = HDI_SUBSETS_MAX, .deadline_seconds = request->deadline_seconds, .cancel = request->cancel};
  hd_status status = hd_project(ast->file, &limits, &subject->projected);
  subject->system = subject->projected;
  if (status == HD_OK && with_dfas) {
    subject->arena = hd_arena_new();
    subject->dfas = subject->arena == NULL
                        ? NULL
                        : hd_arena_alloc_array(subject->arena, ast->file->block_count, sizeof *subject->dfas);
    status = subject->dfas == NULL ? HD_E_NOMEM : HD_OK;
  }
  for (uint32_t b = 0; status == HD_OK && with_dfas && b < ast->file->block_count; b++) {
    status = hd_chor_determinise(&ast->file->blocks[b], subject->arena, &limits, &subject->dfas[b]);
  }
  if (status != HD_OK) {
    hdi_subject_clear(subject);
  }
  return status;
}

void hdi_subject_clear(hdi_subject *subject) {
  hd_system_free(subject->projected);
  hd_arena_free(subject->arena);
  *subject = (hdi_subject){0};
}

void hdi_search_init(const hd_lowering *lowering, const hd_request *request, hd_search *search) {
  const hd_options *options = request->options;
  *search = (hd_search){.model = lowering->model,
                        .reduction = lowering->eager ? HD_REDUCE_FOR_DEADLOCKS : HD_REDUCE_NOTHING,
                        .threads = options->threads,
                        .store = (hd_store)options->store,
                        .native = options->native ? HD_NATIVE_ON : HD_NATIVE_OFF,
                        .order = (hd_order)options->order,
                        .bind = (hd_bind)options->bind,
                        .memory_max_bytes = (size_t)options->memory,
                        .depth_max = options->depth,
                        .classify = hd_stuck_classify,
                        .classify_context = lowering,
                        .cancel = request->cancel,
                        .progress = request->progress,
                        .progress_payload = request->progress_payload};
  if (request->deadline_seconds > 0) {
    double left = request->deadline_seconds - hd_machine_seconds();
    search->timeout_seconds = left > 1e-9 ? left : 1e-9;
  }
  for (uint32_t kind = 1; kind < HD_STUCK_COUNT; kind++) {
    hd_slots_add(search->trace_slots, HD_SLOT_STOP(kind));
  }
}

hd_status hdi_explore(const hd_search *search, hd_diag *diag, hd_outcome *outcome) {
  if (search->order == HD_ORDER_ANY && search->depth_max != 0) {
    memset(outcome, 0, sizeof *outcome);
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

uint64_t hdi_stuck_count(const hd_outcome *outcome) {
  uint64_t count = 0;
  for (uint32_t kind = 1; kind < HD_STUCK_COUNT; kind++) {
    count += outcome->found[HD_SLOT_STOP(kind)].count;
  }
  return count;
}

static const char *stuck_sentence(const hd_lowering *lowering, hd_stuck stuck, hd_arena *arena) {
  switch (stuck) {
    case HD_STUCK_DEADLOCK:
      return hd_arena_printf(arena, "no peer can move and not all may stop (queues hold at most %u)", lowering->bound);
    case HD_STUCK_UNSPECIFIED:
      return "a peer waits, and the message at the head of its queue can never be read there";
    case HD_STUCK_ORPHAN:
      return "every peer may stop, and a message is left that nobody will read";
    case HD_STUCK_NONE:
    case HD_STUCK_COUNT:
      break;
  }
  return "";
}

/* The search found it and the run that leads there could not be rebuilt: the finding stands, and says so. */
static hd_status describe_without_run(const hd_found *found, hd_result *result, hd_finding *finding) {
  if (found->trace_status == HD_OK || found->trace_status == HD_E_INTERNAL) {
    return HD_E_INTERNAL;
  }
  const char **details = hd_arena_alloc_array(result->arena, 1, sizeof *details);
  if (details == NULL) {
    return HD_E_NOMEM;
  }
  details[0] = hd_arena_printf(result->arena, "the run that leads there could not be rebuilt: %s",
                               hd_status_words(found->trace_status));
  finding->details = details;
  finding->detail_count = 1;
  finding->length = found->level == HD_LEVEL_UNKNOWN ? 0 : found->level;
  return details[0] == NULL ? HD_E_NOMEM : HD_OK;
}

static hd_status describe_with_run(const hd_lowering *lowering, const hd_found *found, hd_result *result,
                                   hd_finding *finding) {
  hd_status status = hd_explain_trace(lowering, found->trace, false, result, finding);
  if (status != HD_OK) {
    return status;
  }
  finding->shortest = hd_shortest_if(found->shortest);
  const uint64_t *state = found->trace->states + found->trace->length * found->trace->words;
  finding->details = hd_explain_stuck(lowering, state, result->arena, &finding->detail_count);
  finding->position =
      finding->trace_lines == 0 ? (hd_position){1, 1} : finding->trace[finding->trace_lines - 1].position;
  return finding->details == NULL ? HD_E_NOMEM : HD_OK;
}

hd_status hdi_add_stuck_findings(const hd_lowering *lowering, const hd_outcome *outcome, hd_result *result) {
  hd_status status = HD_OK;
  for (uint32_t kind = 1; kind < HD_STUCK_COUNT && status == HD_OK; kind++) {
    const hd_found *found = &outcome->found[HD_SLOT_STOP(kind)];
    if (found->count == 0) {
      continue;
    }
    hd_finding *finding = hd_result_add_finding(result);
    if (finding == NULL) {
      return HD_E_NOMEM;
    }
    finding->kind = hd_stuck_name((hd_stuck)kind);
    finding->code = hd_stuck_code((hd_stuck)kind);
    finding->message = stuck_sentence(lowering, (hd_stuck)kind, result->arena);
    finding->count = found->count;
    status = finding->message == NULL ? HD_E_NOMEM
             : found->trace == NULL   ? describe_without_run(found, result, finding)
                                      : describe_with_run(lowering, found, result, finding);
  }
  return status;
}

const char *hdi_searched(const hd_lowering *lowering, const hd_outcome *outcome, hd_result *result) {
  if (lowering->eager && outcome->reduction == HD_REDUCE_NOTHING) {
    hd_result_add_text(result, "reduction", "peers that can only read from one queue read at once (theorem 8)");
  } else if (lowering->eager) {
    hd_result_add_text(result, "reduction",
                       "peers that can only read from one queue read at once (theorem 8); of independent steps one "
                       "order is followed (stubborn sets)");
  }
  if (outcome->unreduced != NULL) {
    hd_result_add_text(result, "not_reduced", outcome->unreduced);
  }
  return hd_arena_printf(result->arena, "I_%u%s", lowering->bound, lowering->eager ? " reduced" : "");
}

const char *hdi_not_covered(const hd_outcome *outcome, hd_result *result) {
  if (outcome->end == HD_END_COMPLETE) {
    return NULL;
  }
  if (outcome->levels == 0) { /* searched in any order */
    return hd_arena_printf(
        result->arena, "%s: %llu of the %llu states seen were expanded; what lies beyond them is unknown",
        hd_end_words(outcome->end), (unsigned long long)outcome->expanded, (unsigned long long)outcome->states);
  }
  return hd_arena_printf(
      result->arena,
      "%s: %llu of the %llu states seen were expanded, %llu levels deep; what lies beyond them is unknown",
      hd_end_words(outcome->end), (unsigned long long)outcome->expanded, (unsigned long long)outcome->states,
      (unsigned long long)outcome->levels);
}

hd_status hdi_set_emits(const hd_ast *ast, const hd_lowering *lowering, const hd_trace *trace, hd_result *result) {
  hd_buffer dot = {0};
  if (ast->file != NULL) {
    hd_draw_choreography(ast->file, lowering, trace, &dot);
  } else {
    hd_draw_system(ast->machines, lowering, trace, &dot);
  }
  result->dot = dot.failed ? NULL : hd_arena_copy_text(result->arena, dot.data, dot.size_bytes);
  hd_buffer_free(&dot);
  if (trace != NULL) {
    result->trace = hd_explain_saved_trace(lowering, trace, result->arena);
  }
  return result->dot == NULL || (trace != NULL && result->trace == NULL) ? HD_E_NOMEM : HD_OK;
}
