/* The counterexample-guided loop (loop.h).
 *
 *   proposal: candidates c0 c1 c2 ..., taken in one by one in this order
 *   wave:     the next `threads` of them, replayed and decided at once, each on one thread; one alone gets all threads
 *
 * With one thread a wave is one candidate, so each is replayed against all that was learned before it. With n threads
 * those of a wave are decided ahead of that knowledge; when one is taken in it is replayed once more if an earlier one
 * of its wave taught something, and dropped when that refutes it. Its decision then leaves no trace, and the sequence
 * of (refuted, taken in) is that of one thread. A decision may not depend on what was learned, which its type says: the
 * problem is const to it.
 *
 * Nothing depends on the size of a wave, so it may follow the clock: while decisions are short a wave is one candidate
 * on one thread.
 *
 * Threads: one caller; steps that say so run on a team. Memory: the batch, on the stack.
 * @source the loop: counterexample-guided inductive synthesis, Solar-Lezama et al. (ASPLOS 2006); with learned
 * constraints on edits as in Cerny et al. (CAV 2013, CAV 2014). */
#include "core/repair/loop.h"

#include "core/base/machine.h"
#include "core/base/team.h"

#include <assert.h>

typedef struct slot {
  void *candidate;
  bool refuted;
  hd_status status;
  double seconds; /* that it took */
} slot;

typedef struct loop_run {
  const hd_repair_steps *steps;
  void *problem;
  const hd_repair_limits *limits;
  hd_repair_progress *progress;
  uint32_t threads;
  double seconds; /* what a decision took lately */
} loop_run;

typedef struct wave {
  const loop_run *run;
  slot *slots;
  size_t count;
} wave;

bool hd_repair_is_over(const hd_atomic_u32 *cancel, double deadline_seconds) {
  /* HD-SYNC S10: relaxed; pairs with none (the caller's store of the flag, of any order). Publishes: nothing; the flag
   * is the whole message. Why not weaker: it is written while it is read. Why not stronger: no data comes with it. */
  return (cancel != NULL && hd_load_rlx(cancel) != 0) ||
         (deadline_seconds > 0 && hd_machine_seconds() >= deadline_seconds);
}

static bool is_over(const hd_repair_limits *limits) {
  return hd_repair_is_over(limits->cancel, limits->deadline_seconds);
}

static void replay_slot(const loop_run *run, slot *s) {
  if (run->steps->replay != NULL) {
    s->status = run->steps->replay(run->problem, s->candidate, &s->refuted);
  }
}

static void work_on(const loop_run *run, slot *s, uint32_t threads) {
  double begin = hd_machine_seconds();
  replay_slot(run, s);
  if (s->status == HD_OK && !s->refuted) {
    s->status = run->steps->decide(run->problem, s->candidate, threads);
  }
  s->seconds = hd_machine_seconds() - begin;
}

/* Worker w has slot w: no two touch the same one. */
static void work_on_share(hd_team *team, uint32_t worker, void *payload) {
  (void)team;
  const wave *w = payload;
  work_on(w->run, &w->slots[worker], 1);
}

static bool is_short(const loop_run *run) {
  return run->seconds < run->limits->alone_seconds;
}

static void work_on_wave(const wave *w) {
  if (w->count > 1 && hd_team_run((uint32_t)w->count, work_on_share, (void *)w) == HD_OK) {
    return;
  }
  for (size_t i = 0; i < w->count; i++) {
    work_on(w->run, &w->slots[i], w->count == 1 && !is_short(w->run) ? w->run->threads : 1);
  }
}

/* *taught: something new is known. */
static hd_status take_in(const loop_run *run, slot *s, bool *taught) {
  hd_repair_progress *progress = run->progress;
  if (*taught && !s->refuted) { /* also one whose decision failed: one thread would not have made it */
    hd_status decided = s->status;
    replay_slot(run, s);
    s->status = s->status == HD_OK && !s->refuted ? decided : s->status;
  }
  if (s->status != HD_OK) {
    return s->status;
  }
  if (s->refuted) {
    progress->refuted++;
    return HD_OK;
  }
  hd_candidate_end end = HD_CANDIDATE_UNDECIDED;
  hd_status status = run->steps->learn(run->problem, s->candidate, &end);
  if (status == HD_OK) {
    *taught = true;
    progress->tried++;
    progress->ended[end]++;
  }
  return status;
}

static hd_status run_wave(loop_run *run, slot *slots, size_t count) {
  wave w = {.run = run, .slots = slots, .count = count};
  work_on_wave(&w);
  double least = slots[0].seconds; /* of the wave: a thread that had to wait for its core is no measure */
  for (size_t i = 1; i < count; i++) {
    least = slots[i].seconds < least ? slots[i].seconds : least;
  }
  run->seconds = (run->seconds + least) / 2;
  bool taught = false;
  hd_status status = HD_OK;
  for (size_t i = 0; i < count && status == HD_OK; i++) {
    status = take_in(run, &slots[i], &taught);
  }
  return status;
}

static hd_status run_proposal(loop_run *run, slot *slots, size_t count) {
  hd_status status = HD_OK;
  for (size_t at = 0; at < count && status == HD_OK;) {
    size_t left = run->limits->tries_max - run->progress->tried;
    size_t wide = is_short(run) ? 1 : run->threads;
    size_t next = count - at < wide ? count - at : wide;
    next = next < left ? next : left;
    if (next == 0) {
      status = HD_E_LIMIT;
    } else if (is_over(run->limits)) {
      status = HD_E_CANCELLED;
    } else {
      status = run_wave(run, &slots[at], next);
      at += next;
    }
  }
  return status;
}

static hd_status run_round(loop_run *run, bool *more) {
  void *candidates[HD_REPAIR_BATCH_MAX];
  slot slots[HD_REPAIR_BATCH_MAX];
  size_t count = 0;
  *more = false;
  if (run->progress->tried == run->limits->tries_max) {
    return HD_E_LIMIT;
  }
  if (is_over(run->limits)) {
    return HD_E_CANCELLED;
  }
  hd_status status = run->steps->propose(run->problem, run->limits->batch_max, candidates, &count);
  if (status != HD_OK || count == 0) {
    return status;
  }
  assert(count <= run->limits->batch_max);
  *more = true;
  run->progress->rounds++;
  for (size_t i = 0; i < count; i++) {
    slots[i] = (slot){.candidate = candidates[i]};
  }
  status = run_proposal(run, slots, count);
  for (size_t i = 0; i < count; i++) {
    run->steps->discard(run->problem, candidates[i]);
  }
  return status;
}

hd_status hd_repair_loop_run(const hd_repair_steps *steps, void *problem, const hd_repair_limits *limits,
                             hd_repair_progress *progress) {
  *progress = (hd_repair_progress){0};
  assert(limits->batch_max >= 1 && limits->batch_max <= HD_REPAIR_BATCH_MAX);
  uint32_t threads = limits->threads == 0 ? 1 : limits->threads;
  loop_run run = {steps, problem, limits, progress, threads, limits->alone_seconds};
  hd_status status = HD_OK;
  bool more = true;
  while (status == HD_OK && more) {
    status = run_round(&run, &more);
  }
  if (status == HD_E_LIMIT || status == HD_E_CANCELLED) {
    progress->end = status;
    return HD_OK;
  }
  return status;
}

void hd_repair_add_progress(hd_repair_progress *sum, const hd_repair_progress *more) {
  sum->rounds += more->rounds;
  sum->tried += more->tried;
  sum->refuted += more->refuted;
  for (int e = 0; e < HD_CANDIDATE_END_COUNT; e++) {
    sum->ended[e] += more->ended[e];
  }
  sum->end = more->end;
}
