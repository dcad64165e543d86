/* The complete strategy: one block, each wanted mechanism in turn, what was found in order of merit (repair.h).
 *
 *   block --differences--> none: realizable
 *                          some: relax.c, restrict.c --candidates, core/repair/loop.h--> answer --rank-->
 *
 * Deciding a candidate is the search for differences (paper.h) and, when there is none, the gate (verify.h).
 *
 * Merit: first no stuck configuration, then the fewest sequences (up to a length a little above the shortest
 * difference), then the fewest new messages, the least cost, the fewest edits, the earliest found.
 * Threads: a run on one thread; batches on a team. Memory: one arena per candidate. */
#include "frontends/choreography/repair.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  STATES_MAX = 1 << 16,        /* of each automaton made of a draft */
  SYSTEM_STATES_MAX = 1 << 20, /* of I_k in the gate */
  LENGTH_BEYOND = 3            /* sequences are counted up to the shortest difference and so much more */
};

void hdi_repair_say(const hdi_repair_run *run, const char *format, ...) {
  if (run->query->log == NULL) {
    return;
  }
  char line[512]; /* a log line that is longer is cut */
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  run->query->log(run->query->log_payload, line);
}

bool hdi_repair_is_over(const hdi_repair_run *run) {
  return hd_repair_is_over(run->query->cancel, run->query->deadline_seconds);
}

hdi_paper_limits hdi_repair_limits(const hdi_repair_query *query) {
  return (hdi_paper_limits){.semantics = query->semantics,
                            .bound = query->bound,
                            .states_max = STATES_MAX,
                            .memory_max_bytes = query->memory_max_bytes,
                            .deadline_seconds = query->deadline_seconds,
                            .cancel = query->cancel};
}

hdi_mechanism hdi_repair_mechanism(const hdi_draft *draft) {
  bool relaxes = false, restricts = false;
  for (uint32_t e = 0; e < draft->edit_count; e++) {
    relaxes |= hdi_chor_edit_relaxes(draft->edits[e].kind);
    restricts |= hdi_chor_edit_restricts(draft->edits[e].kind);
  }
  return relaxes && restricts ? HDI_MECHANISM_MIXTURE
         : restricts          ? HDI_MECHANISM_RESTRICTION
                              : HDI_MECHANISM_RELAXATION;
}

void hdi_candidate_clear(hdi_candidate *candidate) {
  hdi_draft_free(candidate->draft);
  hd_arena_free(candidate->arena);
  *candidate = (hdi_candidate){0};
}

static hd_status find_differences(const hdi_repair_query *query, hdi_candidate *candidate) {
  candidate->arena = hd_arena_new();
  if (candidate->arena == NULL) {
    return HD_E_NOMEM;
  }
  hdi_paper_limits limits = hdi_repair_limits(query);
  return hdi_paper_find(candidate->draft, &limits, candidate->arena, &candidate->differences,
                        &candidate->difference_count);
}

static hd_status ask_gate(const hdi_repair_run *run, hdi_mechanism mechanism, hdi_candidate *candidate,
                          uint32_t threads) {
  const hdi_repair_query *query = run->query;
  const hd_chor *chor = &query->file->blocks[query->block];
  hd_chor_file *after = NULL;
  hd_status status = hdi_draft_file(candidate->draft, true, &after);
  if (status == HD_OK) {
    hdi_verify_query ask = {.before = query->file,
                            .before_block = query->block,
                            .after = after,
                            .after_block = 0,
                            .mechanism = mechanism,
                            .file_rules = {chor->rules, chor->rule_count},
                            .option_rules = query->option_rules,
                            .bound = query->bound,
                            .semantics = query->semantics,
                            .count_length = run->answer->count_length,
                            .states_max = SYSTEM_STATES_MAX,
                            .threads = threads,
                            .memory_max_bytes = query->memory_max_bytes,
                            .deadline_seconds = query->deadline_seconds,
                            .cancel = query->cancel};
    status = hdi_verify_repair(&ask, candidate->arena, &candidate->evidence);
  }
  hd_chor_file_free(after);
  return status;
}

hd_status hdi_repair_decide(const hdi_repair_run *run, hdi_mechanism mechanism, hdi_candidate *candidate,
                            uint32_t threads) {
  candidate->status = find_differences(run->query, candidate);
  if (candidate->status == HD_OK && candidate->difference_count == 0) {
    candidate->status = ask_gate(run, mechanism, candidate, threads);
  }
  bool stays = candidate->status == HD_E_LIMIT || candidate->status == HD_E_CANCELLED;
  return stays ? HD_OK : candidate->status;
}

hd_repair_limits hdi_repair_loop_limits(const hdi_repair_run *run, uint32_t batch_max) {
  const hdi_repair_query *query = run->query;
  return (hd_repair_limits){.tries_max = query->tries_max,
                            .batch_max = batch_max,
                            .alone_seconds = HD_REPAIR_ALONE_SECONDS,
                            .threads = query->threads,
                            .deadline_seconds = query->deadline_seconds,
                            .cancel = query->cancel};
}

hd_status hdi_repair_accept(hdi_repair_run *run, hdi_mechanism mechanism, hdi_candidate *candidate) {
  hdi_repair_answer *answer = run->answer;
  if (answer->repair_count == run->repair_capacity) {
    uint32_t larger = run->repair_capacity == 0 ? 8 : run->repair_capacity * 2;
    hdi_repair *repairs = hd_arena_alloc_array(answer->arena, larger, sizeof *repairs);
    if (repairs == NULL) {
      return HD_E_NOMEM;
    }
    if (answer->repair_count != 0) {
      memcpy(repairs, answer->repairs, answer->repair_count * sizeof *repairs);
    }
    answer->repairs = repairs;
    run->repair_capacity = larger;
  }
  hdi_evidence evidence = candidate->evidence;
  evidence.basis = hd_arena_copy_text(answer->arena, evidence.basis, strlen(evidence.basis));
  if (evidence.basis == NULL) {
    return HD_E_NOMEM;
  }
  answer->repairs[answer->repair_count++] =
      (hdi_repair){.draft = candidate->draft, .mechanism = mechanism, .evidence = evidence};
  candidate->draft = NULL;
  return HD_OK;
}

hd_status hdi_repair_count(const hdi_repair_run *run, const hdi_draft *draft, uint64_t *out) {
  hd_subset_limits limits = {
      .states_max = STATES_MAX, .deadline_seconds = run->query->deadline_seconds, .cancel = run->query->cancel};
  hd_arena *arena = hd_arena_new();
  hd_chor_file *file = NULL;
  hd_dfa dfa;
  hd_status status = arena == NULL ? HD_E_NOMEM : hdi_draft_file(draft, true, &file);
  if (status == HD_OK) {
    status = hd_chor_determinise(file->blocks, arena, &limits, &dfa);
  }
  if (status == HD_OK) {
    status = hdi_count_words(&dfa, run->answer->count_length, arena, out);
  }
  hd_chor_file_free(file);
  hd_arena_free(arena);
  return status;
}

uint32_t *hdi_draft_find_path(const hdi_draft *draft, const hd_message *word, size_t length, uint32_t end,
                              hd_arena *arena) {
  size_t states = draft->state_count;
  bool *reached = hd_arena_alloc_array(arena, (length + 1) * states, sizeof *reached);
  uint32_t *path = hd_arena_alloc_array(arena, length + 1, sizeof *path);
  if (reached == NULL || path == NULL) {
    return NULL;
  }
  reached[draft->initial] = true;
  for (size_t i = 0; i < length; i++) {
    for (uint32_t a = 0; a < draft->arc_count; a++) {
      const hdi_draft_arc *arc = &draft->arcs[a];
      if (!arc->removed && arc->message.v == word[i].v && reached[i * states + arc->from]) {
        reached[(i + 1) * states + arc->to] = true;
      }
    }
  }
  for (uint32_t s = 0; end == HD_NONE && s < draft->state_count; s++) {
    end = reached[length * states + s] ? s : end;
  }
  if (end == HD_NONE || !reached[length * states + end]) {
    return NULL;
  }
  for (size_t i = length; i > 0; i--) {
    uint32_t chosen = HD_NONE;
    for (uint32_t a = 0; chosen == HD_NONE && a < draft->arc_count; a++) {
      const hdi_draft_arc *arc = &draft->arcs[a];
      if (!arc->removed && arc->message.v == word[i - 1].v && arc->to == end && reached[(i - 1) * states + arc->from]) {
        chosen = a;
      }
    }
    path[i - 1] = chosen;
    end = draft->arcs[chosen].from;
  }
  return path;
}

static int compare_numbers(uint64_t a, uint64_t b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/* By mechanism in the order of the enumeration, then by merit. */
static int compare_repairs(const hdi_repair *a, const hdi_repair *b) {
  int order = compare_numbers(a->mechanism, b->mechanism);
  order = order != 0 ? order : compare_numbers(!a->evidence.stuck_free, !b->evidence.stuck_free);
  order = order != 0 ? order : compare_numbers(a->evidence.sequences_after, b->evidence.sequences_after);
  order = order != 0 ? order : compare_numbers(a->evidence.messages_added, b->evidence.messages_added);
  order = order != 0 ? order : compare_numbers(a->draft->cost, b->draft->cost);
  return order != 0 ? order : compare_numbers(a->draft->edit_count, b->draft->edit_count);
}

/* Insertion sort keeps equals in the order in which they were found; there are few. */
static void rank(hdi_repair_answer *answer) {
  for (uint32_t i = 1; i < answer->repair_count; i++) {
    hdi_repair moved = answer->repairs[i];
    uint32_t at = i;
    while (at > 0 && compare_repairs(&moved, &answer->repairs[at - 1]) < 0) {
      answer->repairs[at] = answer->repairs[at - 1];
      at--;
    }
    answer->repairs[at] = moved;
  }
}

/* Keeps the best `most` of each mechanism, and the cheapest one however it ranks. */
static void trim(hdi_repair_answer *answer, uint32_t most) {
  uint32_t kept = 0, of_mechanism[HDI_MECHANISM_COUNT] = {0};
  bool has_cheapest[HDI_MECHANISM_COUNT] = {false};
  for (uint32_t i = 0; i < answer->repair_count; i++) {
    hdi_repair *repair = &answer->repairs[i];
    bool first_cheapest = repair->cheapest && !has_cheapest[repair->mechanism];
    if (of_mechanism[repair->mechanism] < most || first_cheapest) {
      of_mechanism[repair->mechanism]++;
      has_cheapest[repair->mechanism] |= repair->cheapest;
      answer->repairs[kept++] = *repair;
    } else {
      hdi_draft_free(repair->draft);
    }
  }
  answer->repair_count = kept;
}

static hd_status run_mechanism(hdi_repair_run *run, hdi_mechanism mechanism) {
  hdi_repair_answer *answer = run->answer;
  hdi_repair_search *search = &answer->searches[mechanism];
  uint32_t before = answer->repair_count;
  hdi_repair_say(run, "%s:", hdi_mechanism_name(mechanism));
  hd_status status =
      mechanism == HDI_MECHANISM_RESTRICTION ? hdi_repair_restrict(run) : hdi_repair_relax(run, mechanism);
  uint64_t least = UINT64_MAX;
  for (uint32_t i = before; i < answer->repair_count; i++) {
    least = answer->repairs[i].draft->cost < least ? answer->repairs[i].draft->cost : least;
  }
  for (uint32_t i = before; i < answer->repair_count; i++) {
    answer->repairs[i].cheapest = search->complete && answer->repairs[i].draft->cost == least;
  }
  if (status == HD_OK && answer->repair_count == before && search->nothing == NULL) {
    search->nothing =
        search->cut_short ? "time or a signal ended the search" : "no candidate within the budget kept what it must";
  }
  hdi_repair_say(run, "%s: %u found, %u tried", hdi_mechanism_name(mechanism), answer->repair_count - before,
                 search->tried);
  return status;
}

/* The block as it is: realizable, or with its shortest difference. */
static hd_status look_at_block(hdi_repair_run *run) {
  const hdi_repair_query *query = run->query;
  hdi_candidate block = {0};
  hd_status status = hdi_draft_open(query->file, query->block, query->costs, &block.draft);
  if (status == HD_OK) {
    status = find_differences(query, &block);
  }
  if (status == HD_OK) {
    run->answer->realizable = block.difference_count == 0;
    run->answer->shortest = block.difference_count == 0 ? 0 : block.differences[0].word_length + 1;
    run->answer->count_length = run->answer->shortest + LENGTH_BEYOND;
  }
  hdi_candidate_clear(&block);
  return status;
}

hd_status hdi_repair_block(const hdi_repair_query *query, hdi_repair_answer *out) {
  *out = (hdi_repair_answer){.arena = hd_arena_new()};
  hdi_repair_run run = {.query = query, .answer = out};
  hd_status status = out->arena == NULL ? HD_E_NOMEM : look_at_block(&run);
  for (int m = 0; status == HD_OK && !out->realizable && m < HDI_MECHANISM_COUNT; m++) {
    if (query->wanted[m]) {
      status = run_mechanism(&run, (hdi_mechanism)m);
    }
  }
  if (status != HD_OK) {
    hdi_repair_answer_clear(out);
    return status;
  }
  rank(out);
  trim(out, query->repairs_max);
  return HD_OK;
}

void hdi_repair_answer_clear(hdi_repair_answer *answer) {
  for (uint32_t i = 0; i < answer->repair_count; i++) {
    hdi_draft_free(answer->repairs[i].draft);
  }
  hd_arena_free(answer->arena);
  *answer = (hdi_repair_answer){0};
}
