/* Repair by atomic regions (regions.h).
 *
 *   sets of yields so far --hitting set--> smallest choices --filter on the model, explored--> a bad run: learn
 *        ^                                                      none: blocks in the text --gate--> a repair
 *        +--- one of these yields is needed -------------------------------+ refused: not exactly this choice
 *
 * A choice is explored as a filter laid over one compiled model that counts context switches, so that the bad run it
 * finds has the fewest, and only what passes is written into the text. What a bad run teaches:
 *
 *   strong   one of the yields at which it changes threads, or at which a thread rests at its end: a block there need
 *            not be enabled. It rests at none that is protected, so the choice cannot come again.
 *   weak     both ends of one of its conflicts (yields.h). The paper looks for the smallest extension of a strong
 *            repair; here the smallest set of all is found: a conflict is an element of its own, of negligible
 *            cost, that asks for the yields of its two ends.
 *
 * What is learned is necessary for every choice, so the first that passes is a smallest one. The paper's own minimum
 * (only yields where the run changes threads, no gate) is found before, for its size.
 *
 * A choice that the gate refuses is excluded exactly, since refusal is not monotone. Choices whose blocks are the same
 * text are one repair. Threads: core/repair/loop.h. Cost: one search for each choice, one more and the gate for each
 * that has no bad run. */
#include "frontends/cwhile/regions.h"

#include "core/base/machine.h"
#include "core/explore/explore.h"
#include "frontends/cwhile/region_lessons.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_MAX = 16 };

typedef struct search {
  const hdi_cw_region_query *query;
  hdi_cw_region_answer *answer;
  hd_cw_lowering *lowering;
  hdi_cw_yields yields;
  bool weak;
  bool paper; /* its own rule, for the size alone */
  hdi_cw_region_lessons lessons;
  uint32_t size_max; /* larger choices do not interest: of the first that passed, or that had no bad run */
  bool exhausted;    /* the solver proved that there is no further choice */
} search;

/* A choice on its way through the loop. */
typedef struct trial {
  bool *chosen; /* per yield */
  uint32_t size;
  hd_arena *arena;
  hd_trace *trace; /* a bad run; NULL: none */
  bool clean;
  const char *refused; /* before the gate was asked; NULL: it was */
  hdi_cw_region region;
  hd_status status; /* of deciding it: HD_E_LIMIT, HD_E_CANCELLED */
} trial;

HD_PRINTF(2, 3) static void say(const search *s, const char *format, ...) {
  if (s->query->log == NULL) {
    return;
  }
  char line[512]; /* a log line that is longer is cut */
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  s->query->log(s->query->log_payload, line);
}

static void discard(void *problem, void *candidate) {
  (void)problem;
  trial *t = candidate;
  if (t != NULL) {
    hdi_cw_edited_clear(&t->region.edited);
    hd_trace_free(t->trace);
    hd_arena_free(t->arena);
    free(t->chosen);
    free(t);
  }
}

/* ---- propose ---- */

static hd_status make_trial(const search *s, const hd_hitting_choice *choice, trial **out) {
  trial *t = calloc(1, sizeof *t);
  *out = t;
  if (t == NULL) {
    return HD_E_NOMEM;
  }
  t->chosen = calloc((size_t)s->yields.count + 1, sizeof *t->chosen);
  t->arena = hd_arena_new();
  if (t->chosen == NULL || t->arena == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t i = 0; i < choice->count; i++) {
    if (choice->elements[i] < s->yields.count) {
      t->chosen[choice->elements[i]] = true;
      t->size++;
    }
  }
  return HD_OK;
}

/* Does the batch have this choice already, with other conflicts? */
static bool is_repeated(const search *s, const trial *t, void *const *candidates, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const trial *other = candidates[i];
    if (memcmp(t->chosen, other->chosen, s->yields.count * sizeof *t->chosen) == 0) {
      return true;
    }
  }
  return false;
}

static hd_status propose(void *problem, size_t most, void **candidates, size_t *count) {
  search *s = problem;
  hd_hitting_answer answer;
  *count = 0;
  hd_hitting_limits limits = {
      .choices_max = most, .deadline_seconds = s->query->deadline_seconds, .cancel = s->query->cancel};
  hd_status status = hdi_cw_region_lessons_solve(&s->lessons, s->query->yields_max, &limits, &answer);
  if (status != HD_OK) {
    return status;
  }
  uint64_t size = answer.cost == UINT64_MAX ? UINT64_MAX : answer.cost / HDI_CW_YIELD_UNIT;
  s->exhausted = answer.optimal && (answer.choice_count == 0 || size > s->size_max);
  for (size_t i = 0; i < answer.choice_count && status == HD_OK && answer.optimal && !s->exhausted; i++) {
    trial *t = NULL;
    status = make_trial(s, &answer.choices[i], &t);
    if (status == HD_OK && is_repeated(s, t, candidates, *count)) {
      discard(s, t);
    } else {
      candidates[(*count)++] = t;
    }
  }
  hd_hitting_answer_clear(&answer);
  for (size_t i = 0; i < *count && status != HD_OK; i++) {
    discard(s, candidates[i]);
  }
  *count = status == HD_OK ? *count : 0;
  return status;
}

/* ---- replay, decide ---- */

/* Something learned from an earlier choice of the same batch excludes this one. */
static hd_status replay(const void *problem, void *candidate, bool *refuted) {
  const search *s = problem;
  const trial *t = candidate;
  *refuted = !hdi_cw_region_lessons_allow(&s->lessons, t->chosen);
  return HD_OK;
}

static hdi_cw_gate_limits gate_limits(const search *s, uint32_t threads) {
  return (hdi_cw_gate_limits){threads, s->query->memory_max_bytes, s->query->deadline_seconds, s->query->cancel};
}

static const hd_fault FAULTS[] = {HD_FAULT_RANGE, HD_FAULT_INDEX, HD_FAULT_DIVISION};

static const hd_found *first_bad(const hd_outcome *outcome) {
  const hd_found *bad = &outcome->found[HD_SLOT_CHECK(0)];
  bad = bad->count == 0 ? NULL : bad;
  for (size_t i = 0; i < sizeof FAULTS / sizeof FAULTS[0]; i++) {
    const hd_found *found = &outcome->found[HD_SLOT_FAULT(FAULTS[i])];
    if (found->count > 0 && (bad == NULL || found->level < bad->level)) {
      bad = found;
    }
  }
  return bad;
}

/* Explores the model under the choice's filter, up to the first level, which is a number of switches, with a bad run.
 */
static hd_status explore(const search *s, trial *t, uint32_t threads) {
  hd_filter *filter = hdi_cw_yields_filter(&s->yields, t->chosen, s->weak);
  if (filter == NULL) {
    return HD_E_NOMEM;
  }
  hd_search query = {.model = s->lowering->model,
                     .filter = filter,
                     .threads = threads,
                     .order = HD_ORDER_LEVELS,
                     .bind = HD_BIND_NEVER,
                     .memory_max_bytes = s->query->memory_max_bytes,
                     .classify = hd_cw_classify,
                     .classify_context = s->lowering,
                     .cancel = s->query->cancel};
  if (s->query->deadline_seconds > 0) {
    double left = s->query->deadline_seconds - hd_machine_seconds();
    query.timeout_seconds = left > 1e-9 ? left : 1e-9;
  }
  hd_slots_add(query.trace_slots, HD_SLOT_CHECK(0));
  for (size_t i = 0; i < sizeof FAULTS / sizeof FAULTS[0]; i++) {
    hd_slots_add(query.trace_slots, HD_SLOT_FAULT(FAULTS[i]));
  }
  query.stop_slots[0] = query.trace_slots[0];
  query.stop_slots[1] = query.trace_slots[1];
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  hd_status status = hd_explore(&query, &outcome);
  hd_filter_free(filter);
  if (status == HD_OK) {
    const hd_found *bad = first_bad(&outcome);
    bool endless = outcome.found[HD_SLOT_FAULT(HD_FAULT_ENDLESS)].count > 0 ||
                   outcome.found[HD_SLOT_FAULT(HD_FAULT_BLOCK_LIMIT)].count > 0;
    t->clean = bad == NULL && outcome.end == HD_END_COMPLETE && !endless;
    t->refused = bad == NULL && endless ? "a block could run for ever" : NULL;
    if (bad != NULL && bad->trace != NULL) {
      size_t index = (size_t)(bad - outcome.found);
      t->trace = outcome.found[index].trace;
      outcome.found[index].trace = NULL;
    } else if (bad != NULL) {
      status = bad->trace_status;
    } else if (!t->clean && !endless) {
      status = outcome.end == HD_END_SIGNAL ? HD_E_CANCELLED : HD_E_LIMIT;
    }
  }
  hd_outcome_clear(&outcome);
  return status;
}

/* The choice as blocks of the text, judged. */
static hd_status judge(const search *s, trial *t, uint32_t threads) {
  hdi_cw_region *region = &t->region;
  hd_status status = hdi_cw_blocks_make(&s->yields, t->chosen, s->query->kind, t->arena, &region->blocks);
  if (status != HD_OK) {
    return status;
  }
  if (region->blocks.only_ghost) {
    t->refused = "in none of its blocks do two steps touch shared variables that are no ghosts";
    return HD_OK;
  }
  if (s->query->exact && region->blocks.widened > 0) {
    t->refused = "its region is no run of whole statements";
    return HD_OK;
  }
  status = hdi_cw_edit_apply(s->query->baseline->program, &region->blocks.edit, &region->edited);
  if (status == HD_E_INPUT) {
    t->refused = "one of its blocks would stand inside another, by way of a call";
    return HD_OK;
  }
  if (status == HD_OK) {
    hdi_cw_gate_limits limits = gate_limits(s, threads);
    status = hdi_cw_judge(s->query->baseline, &region->edited, &limits, &region->evidence);
    t->refused = status == HD_OK && !region->evidence.accepted ? region->evidence.reason : NULL;
  }
  return status;
}

static hd_status decide(const void *problem, void *candidate, uint32_t threads) {
  const search *s = problem;
  trial *t = candidate;
  t->status = explore(s, t, threads);
  if (t->status == HD_OK && t->clean && !s->paper) {
    t->status = judge(s, t, threads);
  }
  bool stays = t->status == HD_E_LIMIT || t->status == HD_E_CANCELLED;
  return stays ? HD_OK : t->status;
}

/* ---- learn ---- */

static const char *yield_words(const search *s, uint32_t yield, hd_arena *arena) {
  hd_buffer words = {0};
  hdi_cw_yield_words(&s->yields, yield, &words);
  const char *copy = words.failed ? NULL : hd_arena_copy_text(arena, words.data, words.size_bytes);
  hd_buffer_free(&words);
  return copy;
}

/* Is there a repair of the same text? */
static bool is_listed(const search *s, const hdi_cw_region *region) {
  for (uint32_t i = 0; i < s->answer->region_count; i++) {
    const hd_text *other = s->answer->regions[i].edited.text;
    if (other->size_bytes == region->edited.text->size_bytes &&
        memcmp(other->data, region->edited.text->data, other->size_bytes) == 0) {
      return true;
    }
  }
  return false;
}

static hd_status accept(search *s, trial *t) {
  hdi_cw_region_answer *answer = s->answer;
  if (is_listed(s, &t->region) || answer->region_count == s->query->repairs_max) {
    return HD_OK;
  }
  hdi_cw_region *out = &answer->regions[answer->region_count];
  hdi_cw_region made = {.blocks = t->region.blocks, .evidence = t->region.evidence};
  made.yields = hd_arena_alloc_array(answer->arena, (size_t)t->size + 1, sizeof *made.yields);
  made.words = hd_arena_alloc_array(answer->arena, (size_t)t->size + 1, sizeof *made.words);
  if (made.yields == NULL || made.words == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t y = 0; y < s->yields.count; y++) {
    if (t->chosen[y]) {
      made.words[made.yield_count] = yield_words(s, y, answer->arena);
      if (made.words[made.yield_count] == NULL) {
        return HD_E_NOMEM;
      }
      made.yields[made.yield_count++] = y;
    }
  }
  /* The edit is in the trial's arena: what is kept is the text, the counts, and where the blocks are. */
  made.blocks.edit = (hdi_cw_edit){NULL, 0};
  made.blocks.blocks =
      hd_arena_alloc_array(answer->arena, (size_t)made.blocks.block_count + 1, sizeof *made.blocks.blocks);
  if (made.blocks.blocks == NULL) {
    return HD_E_NOMEM;
  }
  memcpy(made.blocks.blocks, t->region.blocks.blocks, made.blocks.block_count * sizeof *made.blocks.blocks);
  made.edited = t->region.edited;
  t->region.edited = (hdi_cw_edited){0};
  *out = made;
  answer->region_count++;
  return HD_OK;
}

/* The paper's minimum: its size is all that is wanted. Its naive loop goes on until the sets of yields that have one of
 * every set of switches leave no bad run: then every other bad run has one of the sets in it. */
static hd_status take_in_raw(search *s, const trial *t) {
  hdi_cw_region_answer *answer = s->answer;
  if (!t->clean) {
    return hdi_cw_region_lessons_exclude(&s->lessons, t->chosen);
  }
  answer->raw_minimum = answer->raw_minimum == 0 ? t->size : answer->raw_minimum;
  if (s->query->naive) {
    return hdi_cw_region_lessons_exclude_larger(&s->lessons, t->chosen);
  }
  s->size_max = 0;
  return hdi_cw_region_lessons_exclude(&s->lessons, t->chosen);
}

static hd_status take_in(void *problem, void *candidate, hd_candidate_end *end) {
  search *s = problem;
  trial *t = candidate;
  const char *plural = t->size == 1 ? "" : "s";
  if (t->status != HD_OK) { /* cut short: nothing is known about it */
    return t->status;
  }
  if (t->trace != NULL) {
    uint32_t learned = 0;
    hd_status status =
        s->weak ? hdi_cw_region_lessons_weak(&s->lessons, t->trace, t->arena, &learned)
                : hdi_cw_region_lessons_strong(&s->lessons, t->trace, t->chosen, !s->paper, t->arena, &learned);
    *end = HD_CANDIDATE_FAILS;
    s->answer->raw_runs += s->paper;
    if (learned == 0) {
      say(s, "  %u yield%s: a bad run of %zu steps that no yields prevent", t->size, plural, t->trace->length);
    } else {
      say(s, "  %u yield%s: a bad run of %zu steps; one of %u %s is needed", t->size, plural, t->trace->length, learned,
          s->weak ? "conflicts" : "yields");
    }
    bool refuted = false;
    if (status == HD_OK) {
      status = replay(s, t, &refuted);
    }
    return status == HD_OK && !refuted ? hdi_cw_region_lessons_exclude(&s->lessons, t->chosen)
                                       : status; /* always forward */
  }
  if (s->paper) {
    *end = HD_CANDIDATE_REFUSED;
    return take_in_raw(s, t);
  }
  hd_status status = hdi_cw_region_lessons_exclude(&s->lessons, t->chosen);
  if (status == HD_OK && t->refused != NULL) {
    *end = HD_CANDIDATE_REFUSED;
    say(s, "  %u yield%s: refused: %s", t->size, plural, t->refused);
    return t->region.evidence.undecided ? HD_E_LIMIT : HD_OK;
  }
  if (status == HD_OK) {
    *end = HD_CANDIDATE_ACCEPTED;
    s->size_max = t->size;
    say(s, "  %u yield%s: proved", t->size, plural);
    status = accept(s, t);
  }
  return status;
}

static const hd_repair_steps STEPS = {propose, replay, decide, take_in, discard};

/* ---- the search ---- */

static hd_status run_loop(search *s) {
  const hdi_cw_region_query *query = s->query;
  hd_repair_progress progress;
  hd_repair_limits limits = {.tries_max = query->tries_max - s->answer->progress.tried,
                             .batch_max = BATCH_MAX,
                             .alone_seconds = HD_REPAIR_ALONE_SECONDS,
                             .threads = query->threads,
                             .deadline_seconds = query->deadline_seconds,
                             .cancel = query->cancel};
  hd_status status = hd_repair_loop_run(&STEPS, s, &limits, &progress);
  hd_repair_add_progress(&s->answer->progress, &progress);
  return status;
}

/* The size of the paper's minimum. */
static hd_status run_paper(search *s) {
  s->paper = true;
  say(s, "  the fewest yields that leave no bad run, before the gate:");
  hd_status status = run_loop(s);
  s->answer->raw_complete = s->exhausted;
  say(s, "  %u, from %u bad run%s", s->answer->raw_minimum, s->answer->raw_runs, s->answer->raw_runs == 1 ? "" : "s");
  hdi_cw_region_lessons_clear(&s->lessons);
  s->paper = false;
  s->size_max = UINT32_MAX;
  s->exhausted = false;
  return status;
}

static hd_status run(search *s) {
  hd_status status = run_paper(s);
  if (status == HD_OK) {
    status = run_loop(s);
  }
  hdi_cw_region_answer *answer = s->answer;
  /* Choices come by size, so the first that passed is a smallest one whatever ended the search afterwards. */
  answer->complete = answer->region_count > 0 || s->exhausted;
  if (status == HD_OK && answer->region_count == 0) {
    answer->nothing =
        s->exhausted ? "no set of yields passes the gate" : "no set of yields within the budget passes the gate";
  }
  return status;
}

hd_status hdi_cw_regions_find(const hdi_cw_region_query *query, hdi_cw_region_answer *out) {
  *out = (hdi_cw_region_answer){.arena = hd_arena_new()};
  search s = {.query = query, .answer = out, .weak = query->kind != HDI_CW_WRAP_ATOMIC, .size_max = UINT32_MAX};
  hd_cw_lower_options options = {.access = query->baseline->access, .count_switches = true, .start_apart = true};
  hd_status status = out->arena == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK) {
    out->regions = hd_arena_alloc_array(out->arena, query->repairs_max, sizeof *out->regions);
    status = out->regions == NULL ? HD_E_NOMEM : hd_cw_lower(query->baseline->program, &options, &s.lowering);
  }
  if (status == HD_OK) {
    status = hdi_cw_yields_make(s.lowering, &s.yields);
    s.lessons.yields = &s.yields;
    s.lessons.arena = out->arena;
  }
  if (status == HD_OK) {
    status = run(&s);
  }
  hdi_cw_region_lessons_free(&s.lessons);
  hdi_cw_yields_clear(&s.yields);
  hd_cw_lowering_free(s.lowering);
  return status;
}

void hdi_cw_region_answer_clear(hdi_cw_region_answer *answer) {
  for (uint32_t i = 0; i < answer->region_count; i++) {
    hdi_cw_edited_clear(&answer->regions[i].edited);
  }
  hd_arena_free(answer->arena);
  *answer = (hdi_cw_region_answer){0};
}
