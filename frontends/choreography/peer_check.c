/* The per-peer check (realizability.h): one product for each peer that sends, decided in parallel.
 *
 * L(I_k) is inside L(C) exactly when no peer's product reaches a state where the peer can send what Det(C) does not
 * allow (proof: docs/choreography-theory.md). A shortest word of I_k outside L(C) is found by the product of the peer
 * that sends its last letter, so the least witness over all peers is a shortest one.
 *
 *   jobs   (block, peer) of every peer that sends, by block and peer; workers take the next one from a counter
 *   after the team: L = least length; witnesses = of the jobs with length L, by peer; counts = levels 0 .. L-1 of every
 * job
 *
 * A product may stop early only before a level d with d >= L (product.c), so the levels that are counted were completed
 * by every job whatever the timing: the answer and its statistics are the same for every thread count.
 * Threads: hd_realizability_decide may be called from any thread outside a team. Cost: see product.c. */
#include "core/base/check.h"
#include "core/base/team.h"
#include "frontends/choreography/product.h"
#include "frontends/choreography/realizability.h"
#include "frontends/choreography/twin.h"

#include <stdlib.h>
#include <string.h>

typedef struct check_run {
  const hd_realizability_query *query;
  hdi_product_shared shared;
  hdi_product_job *jobs;
  uint32_t job_count;
  hd_atomic_u32 next_job;
} check_run;

/* One job for each peer of each block whose machine can send. */
static hd_status make_jobs(check_run *run) {
  const hd_chor_file *file = run->query->file;
  uint32_t peers = file->alphabet.peer_count;
  run->jobs = calloc(peers + (size_t)1, sizeof run->jobs[0]);
  bool *seen = calloc(peers + (size_t)1, sizeof *seen);
  bool *member = calloc(peers + (size_t)1, sizeof *member);
  hd_status status = run->jobs != NULL && seen != NULL && member != NULL ? HD_OK : HD_E_NOMEM;
  for (uint32_t b = 0; status == HD_OK && b < file->block_count; b++) {
    memset(member, 0, peers * sizeof *member);
    for (uint32_t a = 0; a < file->blocks[b].arc_count; a++) {
      member[file->alphabet.messages[file->blocks[b].arcs[a].message.v].from.v] = true;
    }
    for (uint32_t peer = 0; peer < peers; peer++) {
      if (member[peer] && !seen[peer] && hdi_product_peer_sends(&run->query->system->machines[peer])) {
        seen[peer] = true;
        run->jobs[run->job_count++] = (hdi_product_job){.block = b, .peer = {peer}, .blocked_level = UINT64_MAX};
      }
    }
  }
  free(seen);
  free(member);
  return status;
}

static void work(hd_team *team, uint32_t worker, void *payload) {
  (void)team;
  (void)worker;
  check_run *run = payload;
  for (;;) {
    /* HD-SYNC S7: relaxed; pairs with S7 of other workers. Publishes: nothing; hands each job to one worker. Why not
     * weaker: two workers must not get the same number. Why not stronger: the jobs were written before the team began
     * and are read after it ended, which orders them. */
    uint32_t job = hd_add_rlx(&run->next_job, 1);
    if (job >= run->job_count) {
      return;
    }
    hdi_product_explore(run->query, &run->shared, &run->jobs[job]);
  }
}

static hd_status run_team(check_run *run) {
  uint32_t threads = run->query->threads;
  threads = threads > HD_TEAM_MAX ? HD_TEAM_MAX : threads;
  threads = threads > run->job_count ? run->job_count : threads;
  return hd_team_run(threads == 0 ? 1 : threads, work, run);
}

/* Sums what every job had to do: the levels before the witness's last send. */
static void count_levels(const check_run *run, uint64_t least, hd_realizability *out) {
  for (uint32_t j = 0; j < run->job_count; j++) {
    const hdi_product_job *job = &run->jobs[j];
    for (size_t level = 0; level < job->level_count && level < least; level++) {
      out->product_states += job->levels[level].states;
      out->product_transitions += job->levels[level].transitions;
      out->levels = level > out->levels ? level : out->levels;
    }
    bool lag_free = job->blocked_level >= least;
    out->lag_free_peers[job->peer.v] = lag_free;
    out->lag_free = out->lag_free && lag_free;
  }
}

static hd_status copy_witness(const check_run *run, const hdi_product_job *job, hd_arena *arena, hd_witness *out) {
  *out = (hd_witness){.block = job->block, .peer = job->peer, .move_count = job->move_count, .length = job->length};
  out->moves = hd_arena_alloc_array(arena, job->move_count, sizeof out->moves[0]);
  if (out->moves == NULL) {
    return HD_E_NOMEM;
  }
  memcpy(out->moves, job->moves, job->move_count * sizeof job->moves[0]);
  return hdi_witness_find_twin(&run->query->dfas[job->block], &run->query->file->alphabet, arena, out);
}

/* The witnesses of length `least`, in peer order. Every job has found its own if it has one: it looked through the
 * level before. */
static hd_status copy_witnesses(const check_run *run, uint64_t least, hd_arena *arena, hd_realizability *out) {
  out->realizable = false;
  out->witnesses = hd_arena_alloc_array(arena, run->job_count, sizeof out->witnesses[0]);
  if (out->witnesses == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t j = 0; j < run->job_count; j++) {
    if (run->jobs[j].length != least) {
      continue;
    }
    hd_witness witness;
    hd_status status = copy_witness(run, &run->jobs[j], arena, &witness);
    if (status != HD_OK) {
      return status;
    }
    uint32_t at = out->witness_count++;
    for (; at > 0 && out->witnesses[at - 1].peer.v > witness.peer.v; at--) {
      out->witnesses[at] = out->witnesses[at - 1];
    }
    out->witnesses[at] = witness;
  }
  out->witness = out->witnesses[0];
  return HD_OK;
}

static hd_status conclude(const check_run *run, hd_arena *arena, hd_realizability *out) {
  uint64_t least = UINT64_MAX;
  out->complete = true;
  for (uint32_t j = 0; j < run->job_count; j++) {
    const hdi_product_job *job = &run->jobs[j];
    if (job->status != HD_OK && out->complete) {
      out->complete = false;
      out->end_status = job->status;
    }
    least = job->length != 0 && job->length < least ? job->length : least;
  }
  count_levels(run, least, out);
  return least == UINT64_MAX ? HD_OK : copy_witnesses(run, least, arena, out);
}

hd_status hd_realizability_decide(const hd_realizability_query *query, hd_arena *arena, hd_realizability *out) {
  HD_REQUIRE(query->bound >= 1);
  uint32_t peers = query->file->alphabet.peer_count;
  *out = (hd_realizability){.realizable = true, .lag_free = true, .end_status = HD_OK};
  out->lag_free_peers = hd_arena_alloc_array(arena, peers + (size_t)1, sizeof out->lag_free_peers[0]);
  if (out->lag_free_peers == NULL) {
    return HD_E_NOMEM;
  }
  memset(out->lag_free_peers, true, peers * sizeof out->lag_free_peers[0]);
  check_run run = {.query = query};
  /* HD-SYNC S8: relaxed; pairs with none. Publishes: nothing; the team does not exist yet. Why not weaker: atomic
   * objects are written through atomic.h only. Why not stronger: starting the team orders it. */
  hd_store_rlx(&run.shared.best, UINT64_MAX);
  hd_status status = make_jobs(&run);
  if (status == HD_OK) {
    status = run_team(&run);
  }
  if (status == HD_OK) {
    status = conclude(&run, arena, out);
  }
  for (uint32_t j = 0; j < run.job_count; j++) {
    hdi_product_job_free(&run.jobs[j]);
  }
  free(run.jobs);
  return status;
}
