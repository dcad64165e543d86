/* hd_explore: the search from the outside.
 *
 * Prepares the run, lets it go, adds up what the workers counted and found, frees the run, and only then has the
 * counterexamples rebuilt: the second search has all the memory again. A search without levels knows of its findings
 * only that there are some; for those to be explained searches by levels are made, each up to the first level that has
 * a finding still to be explained. Counts are sums over workers, findings minima,
 * so that neither depends on who did what.
 * Threads: the caller's, until hd_team_run inside hdi_run_go. Cost: that of the searches. */
#include "core/base/check.h"
#include "core/base/machine.h"
#include "core/base/team.h"
#include "core/explore/counterexample.h"
#include "core/explore/search.h"

#include <string.h>

const char *hd_end_words(hd_end end) {
  static const char *const words[] = {
#define HDI_END_WORDS(identifier, text) text,
      HD_END_TABLE(HDI_END_WORDS)
#undef HDI_END_WORDS
  };
  HD_REQUIRE(end < HD_END_COUNT);
  return words[end];
}

const char *hd_order_name(hd_order order) {
  static const char *const names[] = {
#define HDI_ORDER_NAME(identifier, name, help) name,
      HD_ORDER_TABLE(HDI_ORDER_NAME)
#undef HDI_ORDER_NAME
  };
  HD_REQUIRE(order < HD_ORDER_COUNT);
  return names[order];
}

void hd_outcome_clear(hd_outcome *outcome) {
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    hd_trace_free(outcome->found[slot].trace);
  }
  memset(outcome, 0, sizeof *outcome);
}

static uint32_t thread_count(const hd_search *search) {
  uint32_t threads = search->threads != 0 ? search->threads : hd_team_default_count();
  return threads < HD_TEAM_MAX ? threads : HD_TEAM_MAX;
}

static hd_status take_counts(const hdi_run *run, hd_outcome *outcome) {
  hd_status status = HD_OK;
  outcome->end = run->end;
  outcome->reduction = run->reduction == NULL ? HD_REDUCE_NOTHING : run->search->reduction;
  outcome->unreduced = run->unreduced;
  outcome->symmetric_types = run->symmetry == NULL ? 0 : hd_symmetry_types(run->symmetry);
  outcome->states = hd_visited_count(run->visited);
  outcome->levels = run->levels;
  outcome->frontier_peak = run->frontier_peak;
  for (uint32_t i = 0; i < run->worker_count; i++) {
    const hdi_worker *worker = &run->workers[i];
    outcome->transitions += worker->transitions;
    outcome->expanded += worker->expanded;
    outcome->stopped += worker->stopped;
    status = worker->failure != HD_OK ? worker->failure : status;
  }
  outcome->visited_bytes = hd_visited_size_bytes(run->visited);
  outcome->visited_slots = hd_visited_slots(run->visited);
  outcome->frontier_bytes = hdi_run_memory_bytes(run) - outcome->visited_bytes;
  outcome->memory_bytes = hd_machine_resident_bytes();
  outcome->store = hd_visited_store_name(run->visited);
  outcome->native = run->native_use;
  outcome->native_wait_seconds = run->native_wait_seconds;
  outcome->lossy = hd_visited_is_lossy(run->visited);
  outcome->loss = hd_visited_estimate_loss(run->visited);
  if (outcome->lossy && outcome->end == HD_END_COMPLETE) {
    outcome->end = HD_END_LOSSY;
  }
  return status;
}

const char *hd_native_use_words(hd_native_use use) {
  static const char *const words[] = {
#define NATIVE_USE_WORDS(identifier, text) text,
      HD_NATIVE_USE_TABLE(NATIVE_USE_WORDS)
#undef NATIVE_USE_WORDS
  };
  return words[use];
}

static void take_finds(const hd_search *search, const hdi_run *run, hdi_finds *finds, hd_outcome *outcome) {
  for (uint32_t i = 0; i < run->worker_count; i++) {
    hdi_finds_merge(finds, &run->workers[i].finds);
  }
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    outcome->found[slot].count = finds->slots[slot].count;
    bool known = search->order == HD_ORDER_LEVELS && !outcome->lossy;
    outcome->found[slot].level = known ? finds->slots[slot].level : HD_LEVEL_UNKNOWN;
    /* A reduction keeps the lengths of the ways to states without steps only. */
    bool stop = slot >= HD_SLOT_STOP(0) && slot < HD_SLOT_STOP(HD_STOP_KIND_MAX);
    outcome->found[slot].shortest = outcome->found[slot].count > 0 && (stop || run->reduction == NULL);
  }
}

static hd_status run_search(const hd_search *search, hdi_finds *finds, hd_outcome *outcome) {
  hdi_run *run;
  hd_status status = hdi_run_new(search, outcome->threads, false, UINT64_MAX, &run);
  if (status == HD_E_LIMIT) { /* the memory limit leaves no room for the empty table */
    outcome->end = HD_END_MEMORY;
    outcome->memory_bytes = hd_machine_resident_bytes();
    outcome->store = "none";
    return HD_OK;
  }
  if (status != HD_OK) {
    return status;
  }
  status = hdi_run_go(run);
  if (status == HD_OK) {
    status = take_counts(run, outcome);
  }
  if (status == HD_OK) {
    take_finds(search, run, finds, outcome);
    if (search->progress != NULL) {
      for (uint32_t i = 0; i < run->worker_count; i++) {
        hdi_worker_show(&run->workers[i]);
      }
      hdi_run_show_progress(run);
    }
  }
  outcome->seconds = hd_machine_seconds() - run->start;
  hdi_run_free(run);
  return status;
}

static uint32_t wanted_slots(const hd_search *search, const hd_outcome *outcome, uint64_t wanted[2]) {
  uint32_t count = 0;
  wanted[0] = wanted[1] = 0;
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    const hd_found *found = &outcome->found[slot];
    if (hd_slots_has(search->trace_slots, slot) && found->count > 0 && found->trace == NULL &&
        found->trace_status == HD_OK) {
      hd_slots_add(wanted, slot);
      count++;
    }
  }
  return count;
}

/* Takes over level and trace of the slots in `wanted` that the search by levels has found first; returns how many.
 * What it has found of a later level need not be the least of that level: the search ended within it. */
static uint32_t take_traces(hd_outcome *outcome, hd_outcome *by_levels, const uint64_t wanted[2]) {
  uint32_t taken = 0;
  uint64_t least = UINT64_MAX;
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    const hd_found *found = &by_levels->found[slot];
    least = hd_slots_has(wanted, slot) && found->count > 0 && found->level < least ? found->level : least;
  }
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    hd_found *from = &by_levels->found[slot];
    if (hd_slots_has(wanted, slot) && from->count > 0 && from->level == least) {
      outcome->found[slot].level = from->level;
      outcome->found[slot].trace = from->trace;
      outcome->found[slot].trace_status = from->trace_status;
      from->trace = NULL;
      taken++;
    }
  }
  return taken;
}

/* Explains the findings of a search without levels, or of one whose levels may be wrong for what it left out. */
static void explain_by_levels(const hd_search *search, hd_outcome *outcome) {
  hd_search again = *search;
  again.order = HD_ORDER_LEVELS;
  again.store = hd_store_exact(search->store);
  again.states_budget = 0;
  again.progress = NULL;
  while (wanted_slots(search, outcome, again.trace_slots) > 0) {
    memcpy(again.stop_slots, again.trace_slots, sizeof again.stop_slots);
    hd_outcome by_levels;
    hd_status status = hd_explore(&again, &by_levels);
    if (status == HD_OK && take_traces(outcome, &by_levels, again.trace_slots) == 0) {
      status = hdi_status_of_end(by_levels.end);
    }
    for (uint32_t slot = 0; status != HD_OK && slot < HD_SLOT_COUNT; slot++) {
      if (hd_slots_has(again.trace_slots, slot)) {
        outcome->found[slot].trace_status = status;
      }
    }
    hd_outcome_clear(&by_levels);
  }
}

static void explain(const hd_search *search, const hdi_finds *finds, hd_outcome *outcome) {
  if (search->order == HD_ORDER_ANY || outcome->lossy) {
    explain_by_levels(search, outcome);
  } else {
    hdi_counterexamples(search, outcome->threads, finds, outcome);
  }
}

hd_status hd_explore(const hd_search *search, hd_outcome *outcome) {
  HD_REQUIRE(search->model != NULL);
  HD_REQUIRE(search->predicate_count <= HD_PREDICATE_MAX);
  memset(outcome, 0, sizeof *outcome);
  if (search->order == HD_ORDER_ANY && search->depth_max != 0) {
    return HD_E_USAGE;
  }
  outcome->threads = thread_count(search);
  hdi_finds finds;
  hd_status status = hdi_finds_init(&finds, search->model);
  if (status == HD_OK) {
    status = run_search(search, &finds, outcome);
  }
  if (status == HD_OK) {
    explain(search, &finds, outcome);
    for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
      if (outcome->found[slot].trace_status == HD_E_INTERNAL) {
        status = HD_E_INTERNAL;
      }
    }
  }
  hdi_finds_clear(&finds);
  return status;
}
