/* Repair by reordering (reorder.h).
 *
 *   permutations of the blocks, what was learned --formula--> cheapest orders --text, explored--> a bad run: learn
 *        ^                                                                        none: the gate --> a repair
 *        +--- one of these combinations of orders is needed (bad_trace.h) ----------+ refused: not exactly this order
 *
 * Every candidate is the edited text, read again; the run that it fails with has the fewest context switches. The
 * lesson of a run is necessary for every order, and false for the one that has it; an old run is replayed on a
 * candidate by evaluating its lesson. So the first order that the gate takes is a cheapest one. In a program with
 * yields other threads may not move where they could in the lesson's runs: there only the order itself is excluded.
 *
 * Before that some complete good runs of the original are looked at, and what keeps them good (good_trace.h) is asked
 * for as well, which leads to a repair after fewer bad runs. These lessons are no proof. When they have done their work
 * the search goes on without them, up to the cost of the repair that was found, so that in the end nothing cheaper was
 * left out.
 *
 * Deadlocks count as bad runs, those of the original too. When no order without any is found, orders that keep those of
 * the original are looked for, if something else is wrong as well.
 * Threads: core/repair/loop.h. Cost: one search for each order, one more and the gate for each without bad runs. */
#include "frontends/cwhile/reorder.h"

#include "core/base/machine.h"
#include "core/explore/explore.h"
#include "frontends/cwhile/bad_trace.h"
#include "frontends/cwhile/good_trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_MAX = 8, CONFLICTS_MAX = 200000, GOOD_MAX = 24 };

#define HD_ARRAY_NAME lessons
#define HD_ARRAY_TYPE hdi_cw_lesson
#include "core/base/array.h"

typedef struct search {
  const hdi_cw_reorder_query *query;
  hdi_cw_reorder_answer *answer;
  hdi_cw_orders orders;
  hd_formula *formula;
  lessons lessons;
  hdi_cw_lessons good;
  uint64_t cost_max; /* dearer orders do not interest: of the first that passed */
  bool keeps_deadlocks, exhausted, general;
} search;

/* An order on its way through the loop. */
typedef struct trial {
  bool *chosen; /* per variable of the orders */
  uint64_t cost;
  hd_arena *arena;
  hdi_cw_edited edited;
  hd_cw_lowering *lowering; /* of the edited text, counting switches */
  hd_trace *trace;          /* a bad run; NULL: none */
  bool stuck;               /* it ends in a deadlock */
  const char *refused;
  hdi_cw_evidence evidence;
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
    hd_trace_free(t->trace);
    hd_cw_lowering_free(t->lowering);
    hdi_cw_edited_clear(&t->edited);
    hd_arena_free(t->arena);
    free(t->chosen);
    free(t);
  }
}

/* ---- propose ---- */

static hd_status make_trial(const search *s, const hd_hitting_choice *choice, uint64_t cost, trial **out) {
  trial *t = calloc(1, sizeof *t);
  *out = t;
  if (t == NULL) {
    return HD_E_NOMEM;
  }
  t->chosen = calloc((size_t)s->orders.variable_count + 1, sizeof *t->chosen);
  t->arena = hd_arena_new();
  t->cost = cost;
  if (t->chosen == NULL || t->arena == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t i = 0; i < choice->count; i++) {
    t->chosen[choice->elements[i]] = true;
  }
  return HD_OK;
}

static hd_status propose(void *problem, size_t most, void **candidates, size_t *count) {
  search *s = problem;
  hd_hitting_limits limits = {.nodes_max = CONFLICTS_MAX,
                              .cost_max = s->cost_max,
                              .choices_max = most,
                              .deadline_seconds = s->query->deadline_seconds,
                              .cancel = s->query->cancel};
  hd_hitting_answer answer;
  *count = 0;
  hd_status status = hd_formula_solve(s->formula, &limits, &answer);
  if (status != HD_OK) {
    return status;
  }
  s->exhausted = answer.optimal && answer.choice_count == 0;
  for (size_t i = 0; i < answer.choice_count && status == HD_OK && answer.optimal; i++) {
    trial *t = NULL;
    status = make_trial(s, &answer.choices[i], answer.cost, &t);
    candidates[(*count)++] = t;
  }
  hd_hitting_answer_clear(&answer);
  for (size_t i = 0; i < *count && status != HD_OK; i++) {
    discard(s, candidates[i]);
  }
  *count = status == HD_OK ? *count : 0;
  return status;
}

/* ---- replay, decide ---- */

static hd_status replay(const void *problem, void *candidate, bool *refuted) {
  const search *s = problem;
  const trial *t = candidate;
  *refuted = false;
  for (size_t i = 0; i < s->lessons.count && !*refuted; i++) {
    *refuted = !hdi_cw_lesson_holds(&s->lessons.data[i], t->chosen);
  }
  return HD_OK;
}

static const hd_fault FAULTS[] = {HD_FAULT_RANGE, HD_FAULT_INDEX, HD_FAULT_DIVISION, HD_FAULT_ENDLESS};

/* Takes the cheapest bad run out of the outcome. */
static hd_status take_bad_run(const search *s, trial *t, hd_outcome *outcome) {
  uint32_t slots[3 + sizeof FAULTS / sizeof FAULTS[0]], count = 0;
  slots[count++] = HD_SLOT_CHECK(0);
  for (size_t i = 0; i < sizeof FAULTS / sizeof FAULTS[0]; i++) {
    slots[count++] = HD_SLOT_FAULT(FAULTS[i]);
  }
  if (!s->keeps_deadlocks) {
    slots[count++] = HD_SLOT_STOP(HD_CW_STOP_DEADLOCK);
  }
  hd_found *bad = NULL;
  for (uint32_t i = 0; i < count; i++) {
    hd_found *found = &outcome->found[slots[i]];
    if (found->count > 0 && (bad == NULL || found->level < bad->level)) {
      bad = found;
      t->stuck = slots[i] == HD_SLOT_STOP(HD_CW_STOP_DEADLOCK);
    }
  }
  if (bad == NULL) {
    return outcome->end == HD_END_COMPLETE ? HD_OK : outcome->end == HD_END_SIGNAL ? HD_E_CANCELLED : HD_E_LIMIT;
  }
  t->trace = bad->trace;
  bad->trace = NULL;
  return t->trace == NULL ? bad->trace_status : HD_OK;
}

static hd_status explore(const search *s, trial *t, uint32_t threads) {
  hd_cw_lower_options options = {
      .access = s->query->baseline->access, .count_switches = true, .unfused = s->query->sections};
  hd_status status = hd_cw_lower(t->edited.program, &options, &t->lowering);
  if (status != HD_OK) {
    return status;
  }
  hd_search query = {.model = t->lowering->model,
                     .threads = threads,
                     .order = HD_ORDER_LEVELS,
                     .bind = HD_BIND_NEVER,
                     .memory_max_bytes = s->query->memory_max_bytes,
                     .classify = hd_cw_classify,
                     .classify_context = t->lowering,
                     .cancel = s->query->cancel};
  if (s->query->deadline_seconds > 0) {
    double left = s->query->deadline_seconds - hd_machine_seconds();
    query.timeout_seconds = left > 1e-9 ? left : 1e-9;
  }
  hd_slots_add(query.trace_slots, HD_SLOT_CHECK(0));
  for (size_t i = 0; i < sizeof FAULTS / sizeof FAULTS[0]; i++) {
    hd_slots_add(query.trace_slots, HD_SLOT_FAULT(FAULTS[i]));
  }
  if (!s->keeps_deadlocks) {
    hd_slots_add(query.trace_slots, HD_SLOT_STOP(HD_CW_STOP_DEADLOCK));
  }
  query.stop_slots[0] = query.trace_slots[0];
  query.stop_slots[1] = query.trace_slots[1];
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  status = hd_explore(&query, &outcome);
  if (status == HD_OK) {
    status = take_bad_run(s, t, &outcome);
  }
  hd_outcome_clear(&outcome);
  return status;
}

static hd_status judge(const search *s, trial *t, uint32_t threads) {
  hdi_cw_gate_limits limits = {threads, s->query->memory_max_bytes, s->query->deadline_seconds, s->query->cancel};
  hd_status status = hdi_cw_judge(s->query->baseline, &t->edited, &limits, &t->evidence);
  if (status == HD_OK) {
    t->refused = !t->evidence.accepted                            ? t->evidence.reason
                 : t->evidence.left_behind && !s->keeps_deadlocks ? "a thread that must end can still be left behind"
                                                                  : NULL;
  }
  return status;
}

static hd_status decide(const void *problem, void *candidate, uint32_t threads) {
  const search *s = problem;
  trial *t = candidate;
  hdi_cw_edit edit;
  if (hdi_cw_sections_only_ghost(&s->orders, t->chosen)) {
    t->refused = "in none of its sections do two statements touch shared variables that are no ghosts";
    return HD_OK;
  }
  t->status = hdi_cw_orders_edit(&s->orders, t->chosen, t->arena, &edit);
  if (t->status == HD_OK) {
    t->status = hdi_cw_edit_apply(s->query->baseline->program, &edit, &t->edited);
  }
  if (t->status == HD_E_INPUT) {
    t->status = HD_OK;
    t->refused = "one of its sections would hold a watomic block";
    return HD_OK;
  }
  if (t->status == HD_OK) {
    t->status = explore(s, t, threads);
  }
  if (t->status == HD_OK && t->trace == NULL) {
    t->status = judge(s, t, threads);
  }
  bool stays = t->status == HD_E_LIMIT || t->status == HD_E_CANCELLED;
  return stays ? HD_OK : t->status;
}

/* ---- learn ---- */

/* Not exactly this order with these sections. */
static hd_status exclude(search *s, const trial *t) {
  hd_arena *arena = s->answer->arena;
  uint32_t variables = s->orders.variable_count;
  hdi_cw_lesson lesson = {.complete = true};
  lesson.ways = hd_arena_alloc_array(arena, (size_t)variables + 1, sizeof *lesson.ways);
  hd_literal *literals = hd_arena_alloc_array(arena, (size_t)variables + 1, sizeof *literals);
  bool *follows = hd_arena_alloc_array(arena, (size_t)variables + 1, sizeof *follows); /* from the other variables */
  if (lesson.ways == NULL || literals == NULL || follows == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t u = 0; s->orders.joined != NULL && u < s->orders.unit_count; u++) {
    follows[s->orders.joined[u] == HD_NONE ? variables : s->orders.joined[u]] = true;
  }
  for (uint32_t v = 0; v < variables; v++) {
    if (!follows[v]) {
      literals[v] = (hd_literal){v, t->chosen[v]};
      lesson.ways[lesson.count++] = (hdi_cw_labels){&literals[v], 1};
    }
  }
  hd_status status = lessons_push(&s->lessons, lesson);
  return status == HD_OK ? hdi_cw_lesson_require(&lesson, s->formula) : status;
}

/* 'x' before 'y', or 'x' and 'y' in one section. */
static void print_literal(const hdi_cw_orders *orders, const hd_literal *literal, hd_buffer *words) {
  uint32_t first = 0, second = 0, units = orders->unit_count;
  const char *between = "' before '", *after = "'";
  if (literal->variable < orders->pair_count) {
    const hdi_cw_pair *pair = &orders->pairs[literal->variable];
    first = literal->negated ? pair->a : pair->b;
    second = literal->negated ? pair->b : pair->a;
  }
  for (size_t at = 0; literal->variable >= orders->pair_count && at < (size_t)units * units; at++) {
    if (orders->section_of[at] == literal->variable) {
      first = (uint32_t)(at % units); /* the lower one: found last */
      second = (uint32_t)(at / units);
      between = "' and '";
      after = literal->negated ? "' not in one section" : "' in one section";
    }
  }
  hd_buffer_add_text(words, "'");
  hd_cw_print_head(orders->units[first].last, words);
  if (first != second) {
    hd_buffer_add_text(words, between);
    hd_cw_print_head(orders->units[second].last, words);
  }
  hd_buffer_add_text(words, after);
}

/* What each way asks for, for -v. */
static void say_lesson(const search *s, const hdi_cw_lesson *lesson) { /* one way a line */
  for (size_t w = 0; w < lesson->count && w < 8 && s->query->log != NULL; w++) {
    hd_buffer words = {0};
    for (uint32_t i = 0; i < lesson->ways[w].count; i++) {
      hd_buffer_add_text(&words, i == 0 ? "    " : ", ");
      print_literal(&s->orders, &lesson->ways[w].literals[i], &words);
    }
    if (words.data != NULL && !words.failed) {
      say(s, "%s", words.data);
    }
    hd_buffer_free(&words);
  }
  if (lesson->count > 8) {
    say(s, "    and %zu more ways", lesson->count - 8);
  }
}

static hd_status learn_from_run(search *s, const trial *t) {
  hdi_cw_lesson lesson;
  hd_status status =
      hdi_cw_learn_bad(&s->orders, t->lowering, t->edited.origin, t->trace, t->stuck, s->answer->arena, &lesson);
  if (status != HD_OK) {
    return status;
  }
  /* A lesson that its own order fulfils would teach nothing: only exact steps of a program without yields are sure. */
  bool sure = s->general && lesson.complete && !hdi_cw_lesson_holds(&lesson, t->chosen);
  s->answer->bad_runs += s->answer->repair_count == 0;
  say(s, "  cost %llu: a bad run of %zu steps%s%s", (unsigned long long)t->cost, t->trace->length,
      t->stuck ? ", a deadlock" : "",
      !sure               ? "; this order is excluded"
      : lesson.count == 0 ? "; no order prevents it"
                          : "; one of these is needed:");
  if (!sure) {
    return exclude(s, t);
  }
  say_lesson(s, &lesson);
  status = lessons_push(&s->lessons, lesson);
  return status == HD_OK ? hdi_cw_lesson_require(&lesson, s->formula) : status;
}

/* Of repairs that were found in several passes only the cheapest stay. */
static void drop_dearer(search *s) {
  hdi_cw_reorder_answer *answer = s->answer;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < answer->repair_count; i++) {
    if (answer->repairs[i].cost == s->cost_max) {
      answer->repairs[kept++] = answer->repairs[i];
    } else {
      hdi_cw_edited_clear(&answer->repairs[i].edited);
    }
  }
  answer->repair_count = kept;
}

static hd_status accept(search *s, trial *t) {
  hdi_cw_reorder_answer *answer = s->answer;
  drop_dearer(s); /* before the list counts as full */
  if (answer->repair_count == s->query->repairs_max) {
    return HD_OK;
  }
  hdi_cw_reordering made = {.cost = t->cost, .evidence = t->evidence};
  made.swaps = hd_arena_alloc_array(answer->arena, (size_t)s->orders.pair_count + 1, sizeof *made.swaps);
  if (made.swaps == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t p = 0; p < s->orders.pair_count; p++) {
    if (t->chosen[p]) {
      const hdi_cw_pair *pair = &s->orders.pairs[p];
      const hdi_cw_unit *a = &s->orders.units[pair->a], *b = &s->orders.units[pair->b];
      made.swaps[made.swap_count++] = (hdi_cw_swap){a->last, b->last, pair->cost};
      made.statements += a->statements * b->statements;
    }
  }
  if (hdi_cw_sections_list(&s->orders, t->chosen, answer->arena, &made.sections, &made.section_count) != HD_OK) {
    return HD_E_NOMEM;
  }
  made.edited = t->edited;
  t->edited = (hdi_cw_edited){0};
  answer->repairs[answer->repair_count++] = made;
  return HD_OK;
}

static hd_status take_in(void *problem, void *candidate, hd_candidate_end *end) {
  search *s = problem;
  trial *t = candidate;
  if (t->status != HD_OK) { /* cut short: nothing is known about it */
    return t->status;
  }
  if (t->trace != NULL) {
    *end = HD_CANDIDATE_FAILS;
    return learn_from_run(s, t);
  }
  hd_status status = exclude(s, t);
  if (status == HD_OK && t->refused != NULL) {
    *end = HD_CANDIDATE_REFUSED;
    say(s, "  cost %llu: refused: %s", (unsigned long long)t->cost, t->refused);
    return t->evidence.undecided ? HD_E_LIMIT : HD_OK;
  }
  if (status == HD_OK) {
    *end = HD_CANDIDATE_ACCEPTED;
    s->cost_max = t->cost;
    say(s, "  cost %llu: proved", (unsigned long long)t->cost);
    status = accept(s, t);
  }
  return status;
}

static const hd_repair_steps STEPS = {propose, replay, decide, take_in, discard};

/* ---- good runs ---- */

/* What some good runs of the original ask for. */
static hd_status learn_from_good_runs(search *s, const hd_cw_lowering *lowering) {
  hd_trace **traces = NULL;
  uint32_t count = 0;
  hd_status status = hdi_cw_find_good(lowering, GOOD_MAX, &traces, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (status == HD_OK) {
      status = hdi_cw_learn_good(&s->orders, lowering, traces[i], s->answer->arena, &s->good);
    }
    hd_trace_free(traces[i]);
  }
  free(traces);
  s->answer->good_runs = count;
  say(s, "  %u good run%s, of which %zu lesson%s:", count, count == 1 ? "" : "s", s->good.count,
      s->good.count == 1 ? "" : "s");
  for (size_t i = 0; i < s->good.count; i++) {
    say(s, "   one of");
    say_lesson(s, &s->good.list[i]);
  }
  return status;
}

/* ---- the search ---- */

static hd_status state_formula(search *s, bool with_good) {
  hd_formula_free(s->formula);
  s->formula = hdi_cw_orders_formula(&s->orders);
  hd_status status = s->formula == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK && s->query->sections) {
    status = hdi_cw_sections_require_both(&s->orders, s->formula);
  }
  for (size_t i = 0; i < s->lessons.count && status == HD_OK; i++) {
    status = hdi_cw_lesson_require(&s->lessons.data[i], s->formula);
  }
  for (size_t i = 0; with_good && i < s->good.count && status == HD_OK; i++) {
    status = hdi_cw_lesson_require(&s->good.list[i], s->formula);
  }
  return status;
}

static hd_status run_loop(search *s, bool with_good) {
  const hdi_cw_reorder_query *query = s->query;
  hdi_cw_reorder_answer *answer = s->answer;
  hd_repair_progress progress;
  hd_repair_limits limits = {.tries_max = query->tries_max - answer->progress.tried,
                             .batch_max = BATCH_MAX,
                             .alone_seconds = HD_REPAIR_ALONE_SECONDS,
                             .threads = query->threads,
                             .deadline_seconds = query->deadline_seconds,
                             .cancel = query->cancel};
  s->exhausted = false; /* what an earlier pass proved is not proved of this one, which may end before it asks */
  hd_status status = state_formula(s, with_good);
  if (status == HD_OK) {
    status = hd_repair_loop_run(&STEPS, s, &limits, &progress);
  }
  if (status == HD_OK) {
    hd_repair_add_progress(&answer->progress, &progress);
  }
  return status;
}

/* With what good runs taught, then without, up to the cost of what was found. */
static hd_status run_passes(search *s) {
  hd_status status = HD_OK;
  if (s->good.count > 0) {
    status = run_loop(s, true);
    say(s, "  without what good runs taught, so that nothing cheaper is left out:");
  }
  if (status == HD_OK) {
    status = run_loop(s, false);
  }
  return status;
}

static hd_status run(search *s, const hd_cw_lowering *lowering) {
  const hdi_cw_baseline *baseline = s->query->baseline;
  hdi_cw_reorder_answer *answer = s->answer;
  answer->pair_count = s->orders.pair_count;
  s->general = !baseline->program->has_yield;
  hd_status status = HD_OK;
  if (s->general && !s->query->bad_only && s->orders.pair_count > 0) {
    status = learn_from_good_runs(s, lowering);
  }
  if (status == HD_OK) {
    status = run_passes(s);
  }
  bool other = baseline->has_assertion || baseline->has_fault, none_without = s->exhausted;
  bool blocks = baseline->deadlocks > 0 || baseline->has_left_behind;
  if (status == HD_OK && answer->repair_count == 0 && blocks && other) {
    say(s, "  no order removes all deadlocks; orders that keep those of the original:");
    s->keeps_deadlocks = answer->keeps_deadlocks = true;
    s->cost_max = s->query->cost_max;
    lessons_clear(&s->lessons); /* runs that are bad because they deadlock are good enough now */
    status = run_passes(s);
  }
  answer->complete = s->exhausted && (none_without || !s->keeps_deadlocks);
  if (status == HD_OK && answer->repair_count == 0 && s->query->cost_max == 0) {
    answer->nothing = s->orders.pair_count == 0 ? "no two statements may change places"
                      : answer->complete        ? "no order of the statements passes the gate"
                                                : "no order within the budget passes the gate";
  }
  return status;
}

hd_status hdi_cw_reorder_find(const hdi_cw_reorder_query *query, hdi_cw_reorder_answer *out) {
  *out = (hdi_cw_reorder_answer){.arena = hd_arena_new()};
  search s = {.query = query, .answer = out, .cost_max = query->cost_max};
  hd_cw_lower_options options = {.access = query->baseline->access};
  hd_cw_lowering *lowering = NULL;
  hd_status status = out->arena == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK) {
    out->repairs = hd_arena_alloc_array(out->arena, query->repairs_max, sizeof *out->repairs);
    status = out->repairs == NULL ? HD_E_NOMEM : hd_cw_lower(query->baseline->program, &options, &lowering);
  }
  if (status == HD_OK) {
    status = hdi_cw_orders_make(lowering, query->costs, query->sections, &s.orders);
  }
  if (status == HD_OK) {
    status = run(&s, lowering);
  }
  hd_cw_lowering_free(lowering);
  hd_formula_free(s.formula);
  lessons_free(&s.lessons);
  hdi_cw_orders_clear(&s.orders);
  return status;
}

void hdi_cw_reorder_answer_clear(hdi_cw_reorder_answer *answer) {
  for (uint32_t i = 0; i < answer->repair_count; i++) {
    hdi_cw_edited_clear(&answer->repairs[i].edited);
  }
  hd_arena_free(answer->arena);
  *answer = (hdi_cw_reorder_answer){0};
}
