/* hd_explore: the search from the outside.
 *
 * Prepares the run, lets it go, adds up what the workers counted and found, frees the run, and only then has the
 * counterexamples rebuilt: the second search has all the memory again. Counts are sums over workers, findings minima,
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
  return status;
}

static void take_finds(const hdi_run *run, hdi_finds *finds, hd_outcome *outcome) {
  for (uint32_t i = 0; i < run->worker_count; i++) {
    hdi_finds_merge(finds, &run->workers[i].finds);
  }
  for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
    outcome->found[slot].count = finds->slots[slot].count;
    outcome->found[slot].level = finds->slots[slot].level;
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
    take_finds(run, finds, outcome);
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

hd_status hd_explore(const hd_search *search, hd_outcome *outcome) {
  HD_REQUIRE(search->model != NULL);
  HD_REQUIRE(search->predicate_count <= HD_PREDICATE_MAX);
  memset(outcome, 0, sizeof *outcome);
  outcome->threads = thread_count(search);
  hdi_finds finds;
  hd_status status = hdi_finds_init(&finds, search->model);
  if (status == HD_OK) {
    status = run_search(search, &finds, outcome);
  }
  if (status == HD_OK) {
    hdi_counterexamples(search, outcome->threads, &finds, outcome);
    for (uint32_t slot = 0; slot < HD_SLOT_COUNT; slot++) {
      if (outcome->found[slot].trace_status == HD_E_INTERNAL) {
        status = HD_E_INTERNAL;
      }
    }
  }
  hdi_finds_clear(&finds);
  return status;
}
