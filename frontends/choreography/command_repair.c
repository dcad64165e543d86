/* `heddle repair` for choreographies.
 *
 *   check --unrealizable--> per block: the complete strategy, or the published algorithm --drafts-->
 *     patched text --read again, verified again--> repairs of the result, the preferred one first
 *
 * Blocks have peers of their own, so each is repaired on its own and the repairs of a file are put together from those
 * of its blocks: all of them when one block needs any, otherwise the best of each block for each mechanism.
 *
 * A repair is listed only when the text that would be written, read like any input, passes the gate (verify.h) for
 * every block that was edited. What was not found within the budget is said, and makes the answer inconclusive only
 * when nothing was found at all. Threads: one command on one thread, candidates on a team. Cost: repair.h. */
#include "core/base/machine.h"
#include "core/base/team.h"
#include "core/report/diff.h"
#include "frontends/choreography/contract.h"
#include "frontends/choreography/frontend.h"
#include "frontends/choreography/repair.h"
#include "frontends/choreography/repair_options.h"

#include <stdlib.h>
#include <string.h>

enum {
  TRIES_MAX = 1500, /* candidates decided for a block and a mechanism */
  REPAIRS_MAX = 12, /* listed for a block and a mechanism */
  LISTED = 2        /* without --all */
};

typedef struct repair_run {
  const hd_ast *ast;
  const hd_request *request;
  hd_diag *diag;
  hd_result *result;
  hd_chor_rule *rules; /* of --never */
  uint32_t rule_count;
  hdi_edit_costs costs;
  hdi_repair_answer *answers; /* per block */
  hd_buffer log;
  bool cut_short;
} repair_run;

/* ---- drafts ---- */

static void add_log(void *payload, const char *line) {
  hd_buffer *log = payload;
  hd_buffer_printf(log, "%s\n", line);
}

static const char *block_name(const repair_run *run, uint32_t block) {
  const char *name = run->ast->file->blocks[block].name;
  return name == NULL ? "the choreography" : name;
}

static hdi_repair_query block_query(repair_run *run, uint32_t block) {
  const hd_options *options = run->request->options;
  hdi_repair_query query = {
      .file = run->ast->file,
      .block = block,
      .bound = options->bound,
      .semantics = (hd_semantics)options->semantics,
      .costs = &run->costs,
      .option_rules = {run->rules, run->rule_count},
      .tries_max = TRIES_MAX,
      .repairs_max = REPAIRS_MAX,
      .threads = options->threads == 0 ? hd_team_default_count() : options->threads,
      .memory_max_bytes = options->memory == 0 ? hd_machine_memory_bytes() : (size_t)options->memory,
      .deadline_seconds = run->request->deadline_seconds,
      .cancel = run->request->cancel,
      .log = options->verbose ? add_log : NULL,
      .log_payload = &run->log};
  query.wanted[HDI_MECHANISM_RELAXATION] = options->prefer != HD_PREFER_RESTRICT || options->all;
  query.wanted[HDI_MECHANISM_RESTRICTION] = options->prefer != HD_PREFER_RELAX || options->all;
  query.wanted[HDI_MECHANISM_MIXTURE] =
      run->ast->file->blocks[block].rule_count + run->rule_count != 0 && options->prefer == HD_PREFER_EITHER;
  return query;
}

/* The published algorithm instead of the search; what it ends in passes the same gate. */
static hd_status run_paper(repair_run *run, uint32_t block, hdi_mechanism mechanism) {
  hdi_repair_query query = block_query(run, block);
  hdi_repair_answer *answer = &run->answers[block];
  hdi_paper_query ask = {.file = query.file,
                         .block = block,
                         .costs = query.costs,
                         .limits = hdi_repair_limits(&query),
                         .steps_max = HDI_PAPER_STEPS_MAX,
                         .prefer = mechanism == HDI_MECHANISM_RESTRICTION ? HDI_PAPER_RESTRICT : HDI_PAPER_RELAX};
  hdi_paper_run paper;
  hd_status status = hdi_paper_repair(&ask, &paper);
  if (status != HD_OK) {
    return status;
  }
  for (uint32_t s = 0; s < paper.step_count; s++) {
    const hdi_edit *edit = &paper.draft->edits[paper.steps[s].edit];
    hd_buffer_printf(&run->log, "%s, step %u: %s (removes %s): %s\n", hdi_mechanism_name(mechanism), s + 1,
                     hdi_chor_case_name(edit->paper_case), paper.steps[s].difference.words, edit->words);
  }
  hd_buffer_printf(&run->log, "%s ends: %s: %s\n", hdi_mechanism_name(mechanism), hdi_paper_end_name(paper.end),
                   paper.reason);
  hdi_repair_search *search = &answer->searches[mechanism];
  search->cut_short = paper.end == HDI_PAPER_END_LIMIT || paper.end == HDI_PAPER_END_CANCELLED;
  search->nothing = hd_arena_printf(answer->arena, "the published algorithm: %s", paper.reason);
  status = search->nothing == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK && paper.end == HDI_PAPER_END_REALIZABLE) {
    search->nothing = NULL;
    answer->repairs[answer->repair_count++] = (hdi_repair){.draft = paper.draft, .mechanism = mechanism};
    paper.draft = NULL;
  }
  hdi_paper_run_clear(&paper);
  return status;
}

static hd_status repair_by_paper(repair_run *run, uint32_t block) {
  hdi_repair_answer *answer = &run->answers[block];
  hdi_repair_query query = block_query(run, block);
  query.wanted[HDI_MECHANISM_MIXTURE] = false;
  bool wanted[HDI_MECHANISM_COUNT];
  memcpy(wanted, query.wanted, sizeof wanted);
  memset(query.wanted, 0, sizeof query.wanted);
  hd_status status = hdi_repair_block(&query, answer); /* only whether it is realizable */
  if (status == HD_OK && !answer->realizable) {
    answer->repairs = hd_arena_alloc_array(answer->arena, HDI_MECHANISM_COUNT, sizeof *answer->repairs);
    status = answer->repairs == NULL ? HD_E_NOMEM : HD_OK;
    for (int m = 0; m < HDI_MECHANISM_COUNT && status == HD_OK; m++) {
      status = wanted[m] ? run_paper(run, block, (hdi_mechanism)m) : HD_OK;
    }
  }
  return status;
}

/* The user chooses. */
static hd_status repair_by_dialogue(repair_run *run, uint32_t block) {
  hdi_repair_answer *answer = &run->answers[block];
  hdi_repair_query query = block_query(run, block);
  memset(query.wanted, 0, sizeof query.wanted);
  hd_status status = hdi_repair_block(&query, answer); /* only whether it is realizable */
  if (status != HD_OK || answer->realizable) {
    return status;
  }
  hdi_draft *draft = NULL;
  bool done = false;
  status = hdi_repair_dialogue(&query, run->request->ask, run->request->ask_payload, &draft, &done);
  if (status != HD_OK) {
    return status;
  }
  hdi_mechanism mechanism = hdi_repair_mechanism(draft);
  answer->repairs = done ? hd_arena_alloc_array(answer->arena, 1, sizeof *answer->repairs) : NULL;
  if (!done) {
    answer->searches[mechanism].nothing = "stopped by the user before the last difference was removed";
  } else if (answer->repairs != NULL) {
    answer->repairs[answer->repair_count++] = (hdi_repair){.draft = draft, .mechanism = mechanism};
    draft = NULL;
  }
  hdi_draft_free(draft);
  return done && answer->repairs == NULL ? HD_E_NOMEM : HD_OK;
}

static hd_status repair_blocks(repair_run *run) {
  const hd_chor_file *file = run->ast->file;
  run->answers = calloc(file->block_count, sizeof *run->answers);
  hd_status status = run->answers == NULL ? HD_E_NOMEM : HD_OK;
  for (uint32_t b = 0; b < file->block_count && status == HD_OK; b++) {
    hdi_repair_query query = block_query(run, b);
    if (query.log != NULL && file->block_count > 1) {
      hd_buffer_printf(&run->log, "block %s\n", block_name(run, b));
    }
    status = run->request->ask != NULL                              ? repair_by_dialogue(run, b)
             : run->request->options->strategy == HD_STRATEGY_PAPER ? repair_by_paper(run, b)
                                                                    : hdi_repair_block(&query, &run->answers[b]);
    for (int m = 0; m < HDI_MECHANISM_COUNT; m++) {
      run->cut_short |= run->answers[b].searches[m].cut_short;
    }
  }
  return status;
}

/* ---- repairs of the file ---- */

/* One repair of the file: for each block the number of one of its repairs, HD_NONE: the block stays. */
typedef struct choice {
  hdi_mechanism mechanism;
  uint32_t *of_block;
  uint64_t cost;
  bool cheapest;
} choice;

static const hdi_repair *chosen(const repair_run *run, const choice *c, uint32_t block) {
  return c->of_block[block] == HD_NONE ? NULL : &run->answers[block].repairs[c->of_block[block]];
}

/* Reads the patched text and verifies each edited block of it; adds up the evidence. *accepted: it is a repair. */
static hd_status verify_text(repair_run *run, const choice *c, const hd_buffer *text, hd_repair *out, bool *accepted) {
  const hd_chor_file *file = run->ast->file;
  const hd_options *options = run->request->options;
  hd_text *again = NULL;
  hd_chor_file *read = NULL;
  hd_diag *diag = hd_diag_new();
  *accepted = false;
  hd_status status =
      diag == NULL ? HD_E_NOMEM : hd_text_from_bytes(file->text->name, text->data, text->size_bytes, &again);
  if (status == HD_OK) {
    status = run->ast->contract ? hd_contract_read(again, diag, &read) : hd_chor_read(again, diag, &read);
    status = status == HD_E_INPUT ? HD_E_INTERNAL : status; /* we wrote it */
  }
  if (status == HD_OK && read->block_count != file->block_count) {
    status = HD_E_INTERNAL;
  }
  uint64_t before = 0, after = 0, least = 0, messages = 0, lost = 0, added = 0, stuck = 0;
  *accepted = status == HD_OK;
  for (uint32_t b = 0; b < file->block_count && status == HD_OK && *accepted; b++) {
    const hdi_repair *repair = chosen(run, c, b);
    if (repair == NULL) {
      continue;
    }
    hdi_repair_query query = block_query(run, b);
    hdi_verify_query ask = {.before = file,
                            .before_block = b,
                            .after = read,
                            .after_block = b,
                            .mechanism = repair->mechanism,
                            .file_rules = {file->blocks[b].rules, file->blocks[b].rule_count},
                            .option_rules = query.option_rules,
                            .bound = options->bound,
                            .semantics = query.semantics,
                            .count_length = run->answers[b].count_length,
                            .states_max = 0,
                            .threads = query.threads,
                            .memory_max_bytes = query.memory_max_bytes,
                            .deadline_seconds = query.deadline_seconds,
                            .cancel = query.cancel};
    hdi_evidence evidence;
    status = hdi_verify_repair(&ask, run->result->arena, &evidence);
    *accepted = status == HD_OK && evidence.accepted;
    run->cut_short |= status == HD_OK && evidence.undecided;
    if (status == HD_OK && !evidence.accepted) {
      hd_buffer_printf(&run->log, "%s: not a repair: %s\n", hdi_mechanism_name(repair->mechanism), evidence.reason);
    }
    out->basis = evidence.basis;
    before += evidence.sequences_before;
    after += evidence.sequences_after;
    least += run->answers[b].least_sequences;
    messages += evidence.messages_added;
    stuck += evidence.stuck;
    added += evidence.states_after > evidence.states_before ? evidence.states_after - evidence.states_before : 0;
    lost += evidence.states_before > evidence.states_after ? evidence.states_before - evidence.states_after : 0;
  }
  if (status == HD_OK && *accepted) {
    out->proved = true;
    out->added_states = added;
    out->lost_states = lost;
    hd_repair_add_number(run->result, out, "messages_added", messages);
    hd_repair_add_number(run->result, out, "sequences_before", before);
    hd_repair_add_number(run->result, out, "sequences_after", after);
    if (c->mechanism == HDI_MECHANISM_RELAXATION && least != 0) {
      hd_repair_add_number(run->result, out, "sequences_least", least);
    }
    hd_repair_add_number(run->result, out, "stuck_configurations", stuck);
  }
  hd_chor_file_free(read);
  hd_text_free(again);
  hd_diag_free(diag);
  return status;
}

static hd_status add_edits(repair_run *run, const choice *c, hd_repair *out) {
  const hd_chor_file *file = run->ast->file;
  hd_arena *arena = run->result->arena;
  for (uint32_t b = 0; b < file->block_count; b++) {
    const hdi_repair *repair = chosen(run, c, b);
    out->edit_count += repair == NULL ? 0 : repair->draft->edit_count;
  }
  out->edits = hd_arena_alloc_array(arena, out->edit_count, sizeof *out->edits);
  size_t at = 0;
  for (uint32_t b = 0; out->edits != NULL && b < file->block_count; b++) {
    const hdi_repair *repair = chosen(run, c, b);
    for (uint32_t e = 0; repair != NULL && e < repair->draft->edit_count; e++) {
      const hdi_edit *edit = &repair->draft->edits[e];
      out->edits[at] =
          (hd_edit_line){.kind = hdi_chor_edit_name(edit->kind),
                         .rule = edit->paper_case == HDI_CASE_NONE ? NULL : hdi_chor_case_name(edit->paper_case),
                         .message = hd_arena_copy_text(arena, edit->words, strlen(edit->words)),
                         .cost = edit->cost,
                         .position = hd_text_position(file->text, edit->span.begin)};
      if (out->edits[at++].message == NULL) {
        return HD_E_NOMEM;
      }
    }
  }
  return out->edits == NULL ? HD_E_NOMEM : HD_OK;
}

static const char *take_text(hd_buffer *buffer, hd_arena *arena) {
  hd_buffer_add_text(buffer, "");
  const char *copy = buffer->failed ? NULL : hd_arena_copy_text(arena, buffer->data, buffer->size_bytes);
  hd_buffer_free(buffer);
  return copy;
}

/* Writes the choice into the text, proves it, and makes it a repair of the result; nothing when it is none. */
static hd_status add_choice(repair_run *run, const choice *c) {
  const hd_chor_file *file = run->ast->file;
  hd_arena *arena = run->result->arena;
  hdi_draft **drafts = hd_arena_alloc_array(arena, file->block_count, sizeof(hdi_draft *));
  if (drafts == NULL) {
    return HD_E_NOMEM;
  }
  hd_buffer dot = {0}, text = {0}, diff = {0};
  for (uint32_t b = 0; b < file->block_count; b++) {
    const hdi_repair *repair = chosen(run, c, b);
    drafts[b] = repair == NULL ? NULL : repair->draft;
    if (repair != NULL) {
      hdi_draft_print_dot(repair->draft, &dot);
    }
  }
  hd_repair made = {.kind = hdi_mechanism_name(c->mechanism), .cost = c->cost, .cheapest = c->cheapest};
  hd_status status = run->ast->contract ? hd_contract_patch(file, drafts, &text) : hdi_draft_patch(file, drafts, &text);
  bool accepted = false;
  if (status == HD_OK) {
    status = verify_text(run, c, &text, &made, &accepted);
  }
  if (status == HD_OK && accepted) {
    status = add_edits(run, c, &made);
  }
  if (status == HD_OK && accepted) {
    status =
        hd_diff_print(file->text->name, file->text->data, file->text->size_bytes, text.data, text.size_bytes, &diff);
    made.diff = take_text(&diff, arena);
    made.text = take_text(&text, arena);
    made.dot = take_text(&dot, arena);
    hd_repair *out = hd_result_add_repair(run->result);
    if (out == NULL || made.diff == NULL || made.text == NULL || made.dot == NULL) {
      status = HD_E_NOMEM;
    } else {
      *out = made;
    }
  }
  hd_buffer_free(&dot);
  hd_buffer_free(&text);
  hd_buffer_free(&diff);
  return status;
}

/* What the user chose for each block, as one repair of the file. */
static hd_status list_dialogue(repair_run *run) {
  const hd_chor_file *file = run->ast->file;
  choice c = {.of_block = hd_arena_alloc_array(run->result->arena, file->block_count, sizeof(uint32_t))};
  if (c.of_block == NULL) {
    return HD_E_NOMEM;
  }
  bool any = false, same = true;
  for (uint32_t b = 0; b < file->block_count; b++) {
    const hdi_repair_answer *answer = &run->answers[b];
    c.of_block[b] = answer->repair_count == 0 ? HD_NONE : 0;
    if (answer->realizable) {
      continue;
    }
    if (answer->repair_count == 0) {
      return HD_OK; /* stopped */
    }
    same = same && (!any || c.mechanism == answer->repairs[0].mechanism);
    c.mechanism = answer->repairs[0].mechanism;
    c.cost += answer->repairs[0].draft->cost;
    any = true;
  }
  c.mechanism = same ? c.mechanism : HDI_MECHANISM_MIXTURE;
  return add_choice(run, &c);
}

/* The `rank`th repair of a mechanism; in a file of several broken blocks only the best of each. False: there is none.
 */
static bool make_choice(const repair_run *run, hdi_mechanism mechanism, uint32_t rank, choice *c) {
  const hd_chor_file *file = run->ast->file;
  uint32_t broken = 0;
  *c = (choice){.mechanism = mechanism, .of_block = c->of_block, .cheapest = true};
  for (uint32_t b = 0; b < file->block_count; b++) {
    const hdi_repair_answer *answer = &run->answers[b];
    c->of_block[b] = HD_NONE;
    if (answer->realizable) {
      continue;
    }
    broken++;
    uint32_t left = rank;
    for (uint32_t i = 0; i < answer->repair_count && c->of_block[b] == HD_NONE; i++) {
      if (answer->repairs[i].mechanism == mechanism && left-- == 0) {
        c->of_block[b] = i;
      }
    }
    if (c->of_block[b] == HD_NONE) {
      return false;
    }
    c->cost += answer->repairs[c->of_block[b]].draft->cost;
    c->cheapest &= answer->repairs[c->of_block[b]].cheapest;
  }
  return broken == 1 || rank == 0;
}

/* What the best repair of a mechanism costs; UINT64_MAX: there is none. */
static uint64_t least_cost(const repair_run *run, hdi_mechanism mechanism, choice *c) {
  return make_choice(run, mechanism, 0, c) ? c->cost : UINT64_MAX;
}

/* Mechanisms in the order in which the user wants to see them; what is cheaper first when either is as welcome, and
 * relaxations where it is no cheaper to forbid something. */
static void order_mechanisms(const repair_run *run, choice *c, hdi_mechanism order[HDI_MECHANISM_COUNT]) {
  bool either = run->request->options->prefer == HD_PREFER_EITHER;
  bool restrict_first =
      either ? least_cost(run, HDI_MECHANISM_RESTRICTION, c) < least_cost(run, HDI_MECHANISM_RELAXATION, c)
             : run->request->options->prefer == HD_PREFER_RESTRICT;
  order[0] = restrict_first ? HDI_MECHANISM_RESTRICTION : HDI_MECHANISM_RELAXATION;
  order[1] = restrict_first ? HDI_MECHANISM_RELAXATION : HDI_MECHANISM_RESTRICTION;
  order[2] = HDI_MECHANISM_MIXTURE;
}

/* Rank by rank, so that the best of each mechanism come first. */
static hd_status list_repairs(repair_run *run) {
  hdi_mechanism order[HDI_MECHANISM_COUNT];
  choice c = {.of_block = hd_arena_alloc_array(run->result->arena, run->ast->file->block_count, sizeof(uint32_t))};
  hd_status status = c.of_block == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK) {
    order_mechanisms(run, &c, order);
  }
  size_t most = run->request->options->all ? SIZE_MAX : LISTED;
  for (uint32_t rank = 0, found = 1; found != 0 && status == HD_OK; rank++) {
    found = 0;
    for (int m = 0; m < HDI_MECHANISM_COUNT && status == HD_OK; m++) {
      if (!make_choice(run, order[m], rank, &c)) {
        continue;
      }
      found++;
      if (run->result->repair_count < most) {
        status = add_choice(run, &c);
      } else {
        run->result->repairs_left_out++;
      }
    }
  }
  return status;
}

/* ---- what is said ---- */

/* Why a wanted mechanism has nothing, block by block; the words for not_covered when nothing was found at all. */
static const char *say_what_is_missing(repair_run *run) {
  hd_buffer words = {0};
  for (uint32_t b = 0; b < run->ast->file->block_count; b++) {
    for (int m = 0; m < HDI_MECHANISM_COUNT; m++) {
      const char *nothing = run->answers[b].searches[m].nothing;
      if (!run->answers[b].realizable && nothing != NULL) {
        hd_buffer_printf(&words, "%s%s of %s: %s", words.size_bytes == 0 ? "" : "; ",
                         hdi_mechanism_name((hdi_mechanism)m), block_name(run, b), nothing);
      }
    }
  }
  bool any = words.size_bytes != 0;
  const char *text = take_text(&words, run->result->arena);
  return any ? text : NULL;
}

static hd_status conclude(repair_run *run) {
  hd_result *result = run->result;
  const char *missing = say_what_is_missing(run);
  if (missing != NULL) {
    hd_result_add_text(result, "without_repair", missing);
  }
  if (result->repair_count == 0) {
    result->verdict = HD_VERDICT_INCONCLUSIVE;
    result->not_covered = missing != NULL ? missing : "no candidate could be proved";
  } else {
    result->dot = result->repairs[0].dot;
  }
  return HD_OK;
}

static void keep_log(repair_run *run) {
  if (run->log.size_bytes != 0 && run->request->options->verbose) {
    run->result->log = take_text(&run->log, run->result->arena);
  }
  hd_buffer_free(&run->log);
}

/* The verdict on the input comes from `check`: only what is unrealizable is repaired. */
static hd_status repair_unrealizable(repair_run *run) {
  double start = hd_machine_seconds();
  hd_status status = repair_blocks(run);
  if (status == HD_OK) {
    status = run->request->ask != NULL ? list_dialogue(run) : list_repairs(run);
  }
  if (status == HD_OK) {
    status = conclude(run);
  }
  run->result->seconds += hd_machine_seconds() - start;
  keep_log(run);
  for (uint32_t b = 0; run->answers != NULL && b < run->ast->file->block_count; b++) {
    hdi_repair_answer_clear(&run->answers[b]);
  }
  free(run->answers);
  return status;
}

static bool is_unrealizable(const hd_result *result) {
  for (size_t i = 0; i < result->finding_count; i++) {
    if (result->findings[i].code == HD_DIAG_UNREALIZABLE) {
      return true;
    }
  }
  return false;
}

hd_status hdi_choreography_repair(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result) {
  repair_run run = {.ast = ast, .request = request, .diag = diag, .result = result};
  if (ast->file == NULL) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, "expected a choreography (.chor)",
                "machines cannot be repaired: a repair changes the choreography that they come from");
    return HD_E_USAGE;
  }
  const hd_options *options = request->options;
  bool of_threads = options->by != HD_BY_ANY || options->regions != HD_REGIONS_LEXICAL ||
                    options->weak_as != HD_WEAK_AS_WATOMIC || options->granularity != 0 ||
                    options->strategy == HD_STRATEGY_BAD_ONLY || options->strategy == HD_STRATEGY_NAIVE;
  if (of_threads) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, "leave them out",
                "--by, --regions, --weak-as, --granularity and --strategy bad-only or naive: for programs of threads "
                "only");
    return HD_E_USAGE;
  }
  hd_status status =
      hdi_repair_read_rules(ast->file, &request->options->never, diag, result->arena, &run.rules, &run.rule_count);
  if (status == HD_OK) {
    status = hdi_repair_read_costs(request->options->costs, diag, &run.costs);
  }
  if (status == HD_OK) {
    status = hdi_choreography_check(ast, request, diag, result);
  }
  if (status != HD_OK || result->status != HD_OK || result->verdict == HD_VERDICT_INCONCLUSIVE) {
    return status;
  }
  if (is_unrealizable(result)) {
    return repair_unrealizable(&run);
  }
  if (result->verdict == HD_VERDICT_HOLDS) {
    hd_result_add_text(result, "repair", "none needed: the file stays as it is");
  } else {
    hd_result_add_text(result, "repair",
                       "none: the choreography is realizable, and its stuck configurations are its own; the edits of "
                       "heddle change realizability only");
  }
  return HD_OK;
}
