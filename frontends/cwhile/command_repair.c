/* `heddle repair` for Cwhile programs.
 *
 *   check --violated--> baseline (gate.h) --> a sequential run is bad: no interleaving is to blame, nothing is repaired
 *                                             otherwise each family that is asked for and that fits the bug:
 *     reordering             anything (reorder.h)
 *     weak, strong regions   a failed assertion or a fault (regions.h)
 *     orders with sections   anything, when that can be cheaper than what the others gave (reorder.h)
 *
 * Every repair that a family gives has passed the gate as text. They are listed by cost, the best of each family, all
 * of them with --all. That no repair exists is said only when every family that was asked for was searched to its end.
 * Threads: one command on one thread, candidates on a team. Cost: that of the families. */
#include "core/base/machine.h"
#include "core/base/team.h"
#include "core/repair/costs.h"
#include "core/report/diff.h"
#include "frontends/cwhile/frontend.h"
#include "frontends/cwhile/regions.h"
#include "frontends/cwhile/reorder.h"

#include <stdlib.h>
#include <string.h>

enum {
  TRIES_MAX = 400, /* candidates explored for a family */
  YIELDS_MAX = 10, /* of a set */
  NAIVE_YIELDS_MAX = 200,
  REPAIRS_MAX = 12 /* listed of a family */
};

/* Families, in the order in which equals are listed. */
enum { REORDERING, WEAK, STRONG, MIXED, FAMILY_COUNT };

/* One repair of a family; what it points to belongs to the family's answer. */
typedef struct proposal {
  const char *kind;
  uint64_t cost;
  bool cheapest;
  uint32_t family, rank; /* rank: its place in the family */
  const hdi_cw_edited *edited;
  const hdi_cw_evidence *evidence;
  const hdi_cw_region *region;         /* NULL: a reordering */
  const hdi_cw_reordering *reordering; /* NULL: a region */
} proposal;

typedef struct repair_run {
  const hd_ast *ast;
  const hd_request *request;
  hd_diag *diag;
  hd_result *result;
  hdi_cw_costs costs;
  hdi_cw_baseline baseline;
  hdi_cw_reorder_answer orders[FAMILY_COUNT]; /* reordering, mixed */
  hdi_cw_region_answer regions[FAMILY_COUNT]; /* weak, strong */
  proposal *proposals;
  uint32_t proposal_count;
  hd_buffer log, missing;
  bool complete, cut_short;
  uint32_t explored;
} repair_run;

static void add_log(void *payload, const char *line) {
  hd_buffer_printf(payload, "%s\n", line);
}

static const char *take_text(hd_buffer *buffer, hd_arena *arena) {
  hd_buffer_add_text(buffer, "");
  const char *copy = buffer->failed ? NULL : hd_arena_copy_text(arena, buffer->data, buffer->size_bytes);
  hd_buffer_free(buffer);
  return copy;
}

/* Says why a family has no repair. */
static void miss(repair_run *run, const char *family, const char *why) {
  hd_buffer_printf(&run->missing, "%s%s: %s", run->missing.size_bytes == 0 ? "" : "; ", family, why);
}

static uint32_t team_of(const repair_run *run) {
  return run->request->options->threads == 0 ? hd_team_default_count() : run->request->options->threads;
}

static size_t memory_of(const repair_run *run) {
  return run->request->options->memory == 0 ? hd_machine_memory_bytes() : (size_t)run->request->options->memory;
}

/* ---- families ---- */

static hd_status propose(repair_run *run, proposal made) {
  proposal *larger = hd_arena_alloc_array(run->result->arena, (size_t)run->proposal_count + 1, sizeof *larger);
  if (larger == NULL) {
    return HD_E_NOMEM;
  }
  if (run->proposal_count != 0) {
    memcpy(larger, run->proposals, run->proposal_count * sizeof *larger);
  }
  larger[run->proposal_count++] = made;
  run->proposals = larger;
  return HD_OK;
}

static hd_status miss_large(repair_run *run, const char *family) {
  miss(run, family, "the program is too large for a model");
  run->complete = false;
  return HD_OK;
}

static void note_search(repair_run *run, const hd_repair_progress *progress, bool complete) {
  run->explored += progress->tried;
  run->complete &= complete;
  /* What times out within a step, the solver's or a candidate's, looks like any limit to the loop. */
  run->cut_short |= progress->end == HD_E_CANCELLED ||
                    (!complete && hd_repair_is_over(run->request->cancel, run->request->deadline_seconds));
}

/* Regions with fewer statements hold up less. */
static void rank_regions(hdi_cw_region_answer *answer) {
  for (uint32_t i = 1; i < answer->region_count; i++) {
    hdi_cw_region moved = answer->regions[i];
    uint32_t at = i;
    while (at > 0 && moved.blocks.statement_count < answer->regions[at - 1].blocks.statement_count) {
      answer->regions[at] = answer->regions[at - 1];
      at--;
    }
    answer->regions[at] = moved;
  }
}

static hd_status find_regions(repair_run *run, uint32_t family, hdi_cw_wrap_kind kind, const char *name) {
  const hd_options *options = run->request->options;
  bool naive = options->strategy == HD_STRATEGY_NAIVE && family == STRONG;
  hdi_cw_region_query query = {.baseline = &run->baseline,
                               .kind = kind,
                               .naive = naive,
                               .exact = options->regions == HD_REGIONS_EXACT,
                               .yields_max = naive ? NAIVE_YIELDS_MAX : YIELDS_MAX,
                               .tries_max = TRIES_MAX,
                               .repairs_max = REPAIRS_MAX,
                               .threads = team_of(run),
                               .memory_max_bytes = memory_of(run),
                               .deadline_seconds = run->request->deadline_seconds,
                               .cancel = run->request->cancel,
                               .log = options->verbose ? add_log : NULL,
                               .log_payload = &run->log};
  hdi_cw_region_answer *answer = &run->regions[family];
  if (query.log != NULL) {
    hd_buffer_printf(&run->log, "%s:\n", name);
  }
  hd_status status = hdi_cw_regions_find(&query, answer);
  if (status == HD_E_LIMIT) {
    return miss_large(run, name);
  }
  if (status != HD_OK) {
    return status;
  }
  rank_regions(answer);
  note_search(run, &answer->progress, answer->complete && (answer->raw_complete || !naive));
  if (family == STRONG) {
    hd_result_add_number(run->result, "bad_runs_for_regions", answer->raw_runs);
  }
  if (answer->nothing != NULL) {
    miss(run, name, answer->nothing);
  }
  for (uint32_t i = 0; i < answer->region_count && status == HD_OK; i++) {
    const hdi_cw_region *region = &answer->regions[i];
    status = propose(run, (proposal){.kind = name,
                                     .cost = (uint64_t)run->costs.yield * region->yield_count,
                                     .cheapest = answer->complete,
                                     .family = family,
                                     .rank = i,
                                     .edited = &region->edited,
                                     .evidence = &region->evidence,
                                     .region = region});
  }
  return status;
}

static bool is_wanted(const repair_run *run, hd_repair_by by) {
  hd_repair_by wanted = (hd_repair_by)run->request->options->by;
  return wanted == HD_BY_ANY || wanted == by;
}

static hd_status find_orders(repair_run *run, uint32_t family, const char *name, uint64_t cost_max) {
  const hd_options *options = run->request->options;
  hdi_cw_reorder_query query = {.baseline = &run->baseline,
                                .costs = &run->costs,
                                .sections = family == MIXED,
                                .bad_only = options->strategy == HD_STRATEGY_BAD_ONLY,
                                .cost_max = cost_max,
                                .tries_max = TRIES_MAX,
                                .repairs_max = REPAIRS_MAX,
                                .threads = team_of(run),
                                .memory_max_bytes = memory_of(run),
                                .deadline_seconds = run->request->deadline_seconds,
                                .cancel = run->request->cancel,
                                .log = options->verbose ? add_log : NULL,
                                .log_payload = &run->log};
  hdi_cw_reorder_answer *answer = &run->orders[family];
  if (query.log != NULL) {
    hd_buffer_printf(&run->log, "%s:\n", name);
  }
  hd_status status = hdi_cw_reorder_find(&query, answer);
  if (status == HD_E_LIMIT) {
    return miss_large(run, name);
  }
  if (status != HD_OK) {
    return status;
  }
  note_search(run, &answer->progress, answer->complete);
  if (family == REORDERING) {
    hd_result_add_number(run->result, "good_runs_learned_from", answer->good_runs);
    hd_result_add_number(run->result, "bad_runs_learned_from", answer->bad_runs);
  }
  if (answer->nothing != NULL) {
    miss(run, name, answer->nothing);
  }
  for (uint32_t i = 0; i < answer->repair_count && status == HD_OK; i++) {
    const hdi_cw_reordering *reordering = &answer->repairs[i];
    status = propose(run, (proposal){.kind = name,
                                     .cost = reordering->cost,
                                     .cheapest = answer->complete,
                                     .family = family,
                                     .rank = i,
                                     .edited = &reordering->edited,
                                     .evidence = &reordering->evidence,
                                     .reordering = reordering});
  }
  return status;
}

/* Does a deadlock of the original, or somebody left behind, remain? */
static bool leaves_blocked(const proposal *p) {
  return p->evidence->deadlocks > 0 || p->evidence->left_behind;
}

/* Orders with sections interest only when they are cheaper than what removes everything. */
static hd_status find_mixed(repair_run *run) {
  uint64_t best = UINT64_MAX, least = (uint64_t)run->costs.swap + run->costs.yield;
  for (uint32_t i = 0; i < run->proposal_count; i++) {
    const proposal *p = &run->proposals[i];
    best = !leaves_blocked(p) && p->cost < best ? p->cost : best;
  }
  return best <= least ? HD_OK : find_orders(run, MIXED, "reordering-with-sections", best == UINT64_MAX ? 0 : best - 1);
}

static hd_status run_families(repair_run *run) {
  bool lock = run->request->options->weak_as == HD_WEAK_AS_LOCK;
  bool atomicity = run->baseline.has_assertion || run->baseline.has_fault;
  hd_status status = is_wanted(run, HD_BY_REORDERING) ? find_orders(run, REORDERING, "reordering", 0) : HD_OK;
  if (status == HD_OK && !atomicity) {
    miss(run, "atomic regions", "no assertion fails and no step faults; what blocks is no matter of atomicity");
  }
  if (status == HD_OK && atomicity && is_wanted(run, HD_BY_WEAK)) {
    status =
        find_regions(run, WEAK, lock ? HDI_CW_WRAP_LOCK : HDI_CW_WRAP_WATOMIC, lock ? "lock-region" : "weak-region");
  }
  if (status == HD_OK && atomicity && is_wanted(run, HD_BY_STRONG)) {
    status = find_regions(run, STRONG, HDI_CW_WRAP_ATOMIC, "strong-region");
  }
  return status == HD_OK && is_wanted(run, HD_BY_SECTIONS) ? find_mixed(run) : status;
}

/* ---- listing ---- */

static int compare(const proposal *a, const proposal *b) {
  bool a_stays = leaves_blocked(a), b_stays = leaves_blocked(b);
  if (a_stays != b_stays) {
    return a_stays ? 1 : -1; /* what leaves a deadlock of the original comes last */
  }
  if (a->cost != b->cost) {
    return a->cost < b->cost ? -1 : 1;
  }
  if (a->family != b->family) {
    return a->family < b->family ? -1 : 1;
  }
  return a->rank < b->rank ? -1 : 1;
}

static void sort_proposals(repair_run *run) {
  for (uint32_t i = 1; i < run->proposal_count; i++) {
    proposal moved = run->proposals[i];
    uint32_t at = i;
    while (at > 0 && compare(&moved, &run->proposals[at - 1]) < 0) {
      run->proposals[at] = run->proposals[at - 1];
      at--;
    }
    run->proposals[at] = moved;
  }
}

/* "an atomic block around 'x = 1'", "... from 'x = 1' to 'y = 1' in line 6" */
static const char *block_words(hd_arena *arena, const char *words, const hdi_cw_block *block, uint32_t last_line) {
  hd_buffer text = {0};
  hd_buffer_printf(&text, "%s %s '", words, block->first == block->last ? "around" : "from");
  hd_cw_print_head(block->first, &text);
  if (block->first != block->last) {
    hd_buffer_add_text(&text, "' to '");
    hd_cw_print_head(block->last, &text);
  }
  hd_buffer_add_text(&text, "'");
  if (block->first != block->last && last_line != 0) {
    hd_buffer_printf(&text, " in line %u", (unsigned)last_line);
  }
  return take_text(&text, arena);
}

/* The blocks, then "no change of threads before 'x = 1' in line 5" for each yield. */
static hd_status add_region_edits(repair_run *run, const proposal *p, hd_repair *out) {
  const hdi_cw_region *region = p->region;
  const hd_text *text = run->ast->program->text;
  hd_arena *arena = run->result->arena;
  out->edits =
      hd_arena_alloc_array(arena, (size_t)region->blocks.block_count + region->yield_count, sizeof *out->edits);
  if (out->edits == NULL) {
    return HD_E_NOMEM;
  }
  hdi_cw_wrap_kind kind = p->family == STRONG                                 ? HDI_CW_WRAP_ATOMIC
                          : run->request->options->weak_as == HD_WEAK_AS_LOCK ? HDI_CW_WRAP_LOCK
                                                                              : HDI_CW_WRAP_WATOMIC;
  const char *words = kind == HDI_CW_WRAP_ATOMIC    ? "an atomic block"
                      : kind == HDI_CW_WRAP_WATOMIC ? "a watomic block"
                                                    : "a region of the new lock";
  for (uint32_t b = 0; b < region->blocks.block_count; b++) {
    const hdi_cw_block *block = &region->blocks.blocks[b];
    hd_position first = hd_text_position(text, block->first->span.begin);
    hd_position last = hd_text_position(text, block->last->span.end - 1);
    hd_edit_line *line = &out->edits[out->edit_count++];
    *line = (hd_edit_line){.kind = hdi_cw_wrap_name(kind), .position = first};
    line->message = block_words(arena, words, block, first.line == last.line ? 0 : last.line);
    if (line->message == NULL) {
      return HD_E_NOMEM;
    }
  }
  for (uint32_t y = 0; y < region->yield_count; y++) {
    hd_edit_line *line = &out->edits[out->edit_count++];
    *line = (hd_edit_line){.kind = "protected-yield", .cost = run->costs.yield};
    line->message = hd_arena_printf(arena, "no change of threads %s", region->words[y]);
    if (line->message == NULL) {
      return HD_E_NOMEM;
    }
  }
  return HD_OK;
}

/* "an atomic block around 'y = 1', 'x = 1' from line 5" */
static hd_status add_section(repair_run *run, const hdi_cw_section *section, hd_edit_line *line) {
  const hd_text *text = run->ast->program->text;
  hd_buffer words = {0};
  hd_buffer_add_text(&words, "an atomic block around ");
  for (uint32_t i = 0; i < section->count; i++) {
    hd_position at = hd_text_position(text, section->statements[i]->span.begin);
    hd_buffer_add_text(&words, i == 0 ? "'" : ", '");
    hd_cw_print_head(section->statements[i], &words);
    hd_buffer_printf(&words, "' from line %u", (unsigned)at.line);
  }
  *line = (hd_edit_line){.kind = hdi_cw_wrap_name(HDI_CW_WRAP_ATOMIC),
                         .cost = section->cost,
                         .position = hd_text_position(text, section->statements[0]->span.begin)};
  line->message = take_text(&words, run->result->arena);
  return line->message == NULL ? HD_E_NOMEM : HD_OK;
}

/* "'x = 1' comes after 'y = 1' from line 5" */
static hd_status add_swaps(repair_run *run, const proposal *p, hd_repair *out) {
  const hdi_cw_reordering *reordering = p->reordering;
  const hd_text *text = run->ast->program->text;
  size_t edits = (size_t)reordering->swap_count + reordering->section_count;
  out->edits = hd_arena_alloc_array(run->result->arena, edits, sizeof *out->edits);
  hd_status status = out->edits == NULL ? HD_E_NOMEM : HD_OK;
  for (uint32_t i = 0; i < reordering->swap_count && status == HD_OK; i++) {
    const hdi_cw_swap *swap = &reordering->swaps[i];
    hd_buffer words = {0};
    hd_buffer_add_text(&words, "'");
    hd_cw_print_head(swap->a, &words);
    hd_buffer_add_text(&words, "' comes after '");
    hd_cw_print_head(swap->b, &words);
    hd_buffer_printf(&words, "' from line %u", (unsigned)hd_text_position(text, swap->b->span.begin).line);
    hd_edit_line *line = &out->edits[out->edit_count++];
    *line = (hd_edit_line){.kind = "swap", .cost = swap->cost, .position = hd_text_position(text, swap->a->span.begin)};
    line->message = take_text(&words, run->result->arena);
    status = line->message == NULL ? HD_E_NOMEM : HD_OK;
  }
  for (uint32_t i = 0; i < reordering->section_count && status == HD_OK; i++) {
    status = add_section(run, &reordering->sections[i], &out->edits[out->edit_count++]);
  }
  return status;
}

static hd_status add_repair(repair_run *run, const proposal *p) {
  const hd_text *before = run->ast->program->text, *after = p->edited->text;
  hd_arena *arena = run->result->arena;
  hd_buffer diff = {0};
  const hdi_cw_evidence *evidence = p->evidence;
  uint64_t states = run->baseline.states;
  hd_repair made = {.kind = p->kind,
                    .cost = p->cost,
                    .cheapest = p->cheapest,
                    .proved = true,
                    .basis = evidence->basis,
                    .added_states = evidence->states > states ? evidence->states - states : 0,
                    .lost_states = states > evidence->states ? states - evidence->states : 0};
  hd_status status =
      hd_diff_print(before->name, before->data, before->size_bytes, after->data, after->size_bytes, &diff);
  made.diff = take_text(&diff, arena);
  made.text = hd_arena_copy_text(arena, after->data, after->size_bytes);
  status = status == HD_OK && (made.diff == NULL || made.text == NULL) ? HD_E_NOMEM : status;
  if (status == HD_OK) {
    status = p->region != NULL ? add_region_edits(run, p, &made) : add_swaps(run, p, &made);
  }
  hd_repair *out = status == HD_OK ? hd_result_add_repair(run->result) : NULL;
  if (out == NULL) {
    return status == HD_OK ? HD_E_NOMEM : status;
  }
  *out = made;
  if (p->region != NULL) {
    hd_repair_add_number(run->result, out, "yields", p->region->yield_count);
    hd_repair_add_number(run->result, out, "blocks", p->region->blocks.block_count);
    hd_repair_add_number(run->result, out, "statements_in_blocks", p->region->blocks.statement_count);
  } else {
    hd_repair_add_number(run->result, out, "swaps", p->reordering->statements);
    hd_repair_add_number(run->result, out, "blocks", p->reordering->section_count);
  }
  hd_repair_add_number(run->result, out, "states_before", states);
  hd_repair_add_number(run->result, out, "states_after", evidence->states);
  hd_repair_add_number(run->result, out, "deadlocks_left", evidence->deadlocks);
  if (run->baseline.runs_known && evidence->runs_known) {
    hd_repair_add_number(run->result, out, "runs_before", run->baseline.runs);
    hd_repair_add_number(run->result, out, "runs_after", evidence->runs);
  }
  if (evidence->promise != HDI_CW_PROMISE_NONE) {
    hd_repair_add_number(run->result, out, "runs_kept", evidence->runs_kept);
    if (evidence->runs_kept_in_another_order > 0) {
      hd_repair_add_number(run->result, out, "runs_kept_in_another_order", evidence->runs_kept_in_another_order);
    }
  }
  return HD_OK;
}

static hd_status list_repairs(repair_run *run) {
  bool listed[FAMILY_COUNT] = {false};
  hd_status status = HD_OK;
  sort_proposals(run);
  for (uint32_t i = 0; i < run->proposal_count && status == HD_OK; i++) {
    const proposal *p = &run->proposals[i];
    if (listed[p->family] && !run->request->options->all) {
      run->result->repairs_left_out++;
      continue;
    }
    listed[p->family] = true;
    status = add_repair(run, p);
  }
  return status;
}

/* ---- the command ---- */

static hd_status conclude(repair_run *run) {
  hd_result *result = run->result;
  hd_result_add_number(result, "candidates_explored", run->explored);
  if (run->missing.size_bytes != 0) {
    const char *words = take_text(&run->missing, result->arena);
    if (words == NULL) {
      return HD_E_NOMEM;
    }
    hd_result_add_text(result, "without_repair", words);
  }
  if (result->repair_count == 0 && !run->complete) {
    result->verdict = HD_VERDICT_INCONCLUSIVE;
    result->not_covered =
        run->cut_short ? "repairs: time or a signal ended the search" : "repairs beyond the budget of candidates";
  }
  return HD_OK;
}

static hd_status repair_violated(repair_run *run) {
  hdi_cw_gate_limits limits = {team_of(run), memory_of(run), run->request->deadline_seconds, run->request->cancel};
  bool access = run->request->options->granularity != 0;
  hd_status status = hdi_cw_baseline_make(run->ast->program, access, &limits, &run->baseline);
  if (status == HD_E_LIMIT || status == HD_E_CANCELLED) {
    run->result->verdict = HD_VERDICT_INCONCLUSIVE;
    run->result->not_covered = "repairs: the program could not be explored completely within the limits";
    return HD_OK;
  }
  if (status != HD_OK) {
    return status;
  }
  const hdi_cw_runs *sequential = &run->baseline.sequential;
  if (sequential->bad_count > 0 || sequential->fault) {
    hd_result_add_text(
        run->result, "without_repair",
        "a complete sequential run is bad: every order and every atomic block keeps that run; it takes other "
        "statements, for instance an await that is missing");
    return HD_OK;
  }
  status = run_families(run);
  if (status == HD_OK) {
    status = list_repairs(run);
  }
  return status == HD_OK ? conclude(run) : status;
}

/* Options that have no meaning here are refused rather than ignored; costs are read. */
static hd_status read_options(repair_run *run) {
  const hd_options *options = run->request->options;
  const char *odd = run->request->ask != NULL                ? "--interactive and --choices"
                    : options->never.count != 0              ? "--never"
                    : options->prefer != HD_PREFER_EITHER    ? "--prefer"
                    : options->strategy == HD_STRATEGY_PAPER ? "--strategy paper"
                                                             : NULL;
  if (odd != NULL) {
    hd_diag_add(run->diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, "leave it out", "%s: for choreographies only", odd);
    return HD_E_USAGE;
  }
  run->costs = (hdi_cw_costs){.swap = 1, .await = 1, .lock = 2, .yield = 4};
  const hd_cost known[] = {{"swap", &run->costs.swap},
                           {"await", &run->costs.await},
                           {"lock", &run->costs.lock},
                           {"yield", &run->costs.yield}};
  return hd_costs_read(options->costs, known, sizeof known / sizeof known[0], run->diag);
}

hd_status hdi_cw_repair(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result) {
  repair_run run = {.ast = ast, .request = request, .diag = diag, .result = result, .complete = true};
  hd_status status = read_options(&run);
  if (status != HD_OK) {
    return status;
  }
  status = hdi_cw_check(ast, request, diag, result);
  if (status != HD_OK || result->status != HD_OK || result->verdict == HD_VERDICT_INCONCLUSIVE) {
    return status;
  }
  if (result->verdict == HD_VERDICT_HOLDS) {
    hd_result_add_text(result, "repair", "none needed: the file stays as it is");
    return HD_OK;
  }
  double start = hd_machine_seconds();
  status = repair_violated(&run);
  result->seconds += hd_machine_seconds() - start;
  if (run.log.size_bytes != 0 && status == HD_OK) {
    result->log = take_text(&run.log, result->arena);
  }
  for (uint32_t f = 0; f < FAMILY_COUNT; f++) {
    hdi_cw_region_answer_clear(&run.regions[f]);
    hdi_cw_reorder_answer_clear(&run.orders[f]);
  }
  hdi_cw_baseline_clear(&run.baseline);
  hd_buffer_free(&run.log);
  hd_buffer_free(&run.missing);
  return status;
}
