/* The counterexample-guided loop on a problem whose answer is known by enumeration: subsets of ten elements, which fail
 * as long as they miss one of some secret sets, and which a gate refuses now and then. */
#include "core/repair/loop.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 10, SECRETS = 6, LOG_MAX = 4096, STOP_NEVER = -1 };

typedef struct candidate {
  uint32_t set, missed; /* missed: a secret set that it has nothing of; 0: none */
} candidate;

typedef struct problem {
  uint32_t secrets[SECRETS];
  uint32_t learned[LOG_MAX];
  size_t learned_count;
  bool excluded[1u << ELEMENTS];
  int cost; /* of the accepted ones; -1: none yet */
  uint32_t log[LOG_MAX];
  size_t log_count;
  uint32_t alive; /* candidates made and not discarded */
  int fail_after;
  hd_status failure;
} problem;

static int size_of(uint32_t set) {
  int size = 0;
  for (; set != 0; set &= set - 1) {
    size++;
  }
  return size;
}

static bool is_known_to_fail(const problem *p, uint32_t set) {
  for (size_t i = 0; i < p->learned_count; i++) {
    if ((set & p->learned[i]) == 0) {
      return true;
    }
  }
  return p->excluded[set];
}

static hd_status propose(void *self, size_t most, void **candidates, size_t *count) {
  problem *p = self;
  *count = 0;
  for (int size = 0; size <= ELEMENTS && *count == 0 && (p->cost < 0 || size <= p->cost); size++) {
    for (uint32_t set = 0; set < 1u << ELEMENTS && *count < most; set++) {
      if (size_of(set) == size && !is_known_to_fail(p, set)) {
        candidate *c = calloc(1, sizeof *c);
        cr_assert(c != NULL);
        c->set = set;
        p->alive++;
        candidates[(*count)++] = c;
      }
    }
  }
  return HD_OK;
}

static hd_status replay(const void *self, void *proposed, bool *refuted) {
  const candidate *c = proposed;
  *refuted = is_known_to_fail(self, c->set);
  return HD_OK;
}

static hd_status decide(const void *self, void *proposed, uint32_t threads) {
  const problem *p = self;
  candidate *c = proposed;
  cr_assert(threads >= 1);
  for (int i = 0; i < SECRETS && c->missed == 0; i++) {
    c->missed = (p->secrets[i] & c->set) == 0 ? p->secrets[i] : 0;
  }
  return HD_OK;
}

static hd_status learn(void *self, void *proposed, hd_candidate_end *end) {
  problem *p = self;
  const candidate *c = proposed;
  cr_assert(p->log_count < LOG_MAX);
  if (p->fail_after >= 0 && p->log_count == (size_t)p->fail_after) {
    return p->failure;
  }
  p->log[p->log_count++] = c->set;
  if (c->missed != 0) {
    *end = HD_CANDIDATE_FAILS;
    p->learned[p->learned_count++] = c->missed;
    return HD_OK;
  }
  p->excluded[c->set] = true;
  if (c->set % 3 == 0) {
    *end = HD_CANDIDATE_REFUSED;
    return HD_OK;
  }
  *end = HD_CANDIDATE_ACCEPTED;
  p->cost = size_of(c->set);
  return HD_OK;
}

static void discard(void *self, void *proposed) {
  problem *p = self;
  p->alive--;
  free(proposed);
}

static const hd_repair_steps STEPS = {propose, replay, decide, learn, discard};

static void fill(problem *p, uint64_t seed) {
  memset(p, 0, sizeof *p);
  p->cost = -1;
  p->fail_after = STOP_NEVER;
  for (int i = 0; i < SECRETS; i++) {
    do {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      p->secrets[i] = (uint32_t)(seed >> 40) & ((1u << ELEMENTS) - 1) & (uint32_t)(seed >> 20);
    } while (p->secrets[i] == 0);
  }
}

static int least_by_enumeration(const problem *p, uint32_t *how_many) {
  int least = ELEMENTS + 1;
  for (uint32_t set = 0; set < 1u << ELEMENTS; set++) {
    bool good = set % 3 != 0;
    for (int i = 0; i < SECRETS; i++) {
      good = good && (p->secrets[i] & set) != 0;
    }
    if (good && size_of(set) <= least) {
      *how_many = size_of(set) < least ? 1 : *how_many + 1;
      least = size_of(set);
    }
  }
  return least;
}

static hd_repair_limits limits_with(uint32_t threads) {
  return (hd_repair_limits){.tries_max = LOG_MAX, .batch_max = 16, .threads = threads};
}

Test(repair_loop, finds_all_that_is_cheapest) {
  static problem p;
  for (uint64_t seed = 0; seed < HD_TEST_COUNT(60); seed++) {
    fill(&p, seed);
    hd_repair_limits limits = limits_with(1);
    hd_repair_progress progress;
    cr_assert(hd_repair_loop_run(&STEPS, &p, &limits, &progress) == HD_OK);
    uint32_t count = 0;
    int least = least_by_enumeration(&p, &count);
    cr_assert(p.cost == least && progress.ended[HD_CANDIDATE_ACCEPTED] == count && progress.end == HD_OK,
              "seed %d: cost %d, expected %d; %u accepted, expected %u", (int)seed, p.cost, least,
              progress.ended[HD_CANDIDATE_ACCEPTED], count);
    cr_assert(p.alive == 0 && progress.tried == p.log_count);
    cr_assert(progress.ended[HD_CANDIDATE_FAILS] == p.learned_count);
    cr_assert(progress.ended[HD_CANDIDATE_REFUSED] + progress.ended[HD_CANDIDATE_FAILS] + count == progress.tried);
  }
}

Test(repair_loop, threads_take_in_the_same) {
  static problem one, many;
  uint32_t refuted = 0;
  for (uint64_t seed = 0; seed < HD_TEST_COUNT(24); seed++) {
    for (uint32_t tries = 3; tries <= LOG_MAX; tries = tries == 3 ? LOG_MAX : LOG_MAX + 1) {
      hd_repair_progress first, then;
      hd_repair_limits limits = limits_with(1);
      limits.tries_max = tries;
      fill(&one, seed);
      cr_assert(hd_repair_loop_run(&STEPS, &one, &limits, &first) == HD_OK);
      refuted += first.refuted;
      const uint32_t counts[] = {2, 3, 8};
      for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        limits.threads = counts[i];
        fill(&many, seed);
        cr_assert(hd_repair_loop_run(&STEPS, &many, &limits, &then) == HD_OK);
        cr_assert(memcmp(&first, &then, sizeof first) == 0, "seed %d, %u threads: another progress", (int)seed,
                  counts[i]);
        cr_assert(one.log_count == many.log_count && memcmp(one.log, many.log, one.log_count * sizeof *one.log) == 0,
                  "seed %d, %u threads: other candidates were taken in", (int)seed, counts[i]);
        cr_assert(many.alive == 0);
      }
    }
  }
  cr_assert(refuted > 0); /* replays did something */
}

Test(repair_loop, ends_at_its_budget) {
  static problem p;
  hd_repair_limits limits = limits_with(3);
  hd_repair_progress progress;
  fill(&p, 5);
  cr_assert(hd_repair_loop_run(&STEPS, &p, &limits, &progress) == HD_OK && progress.tried > 4);
  for (uint32_t needed = progress.tried, tries = 0; tries < needed; tries++) {
    fill(&p, 5);
    limits.tries_max = tries;
    cr_assert(hd_repair_loop_run(&STEPS, &p, &limits, &progress) == HD_OK);
    cr_assert(progress.tried == tries && progress.end == HD_E_LIMIT && p.alive == 0, "%u tries: %u", tries,
              progress.tried);
  }
}

Test(repair_loop, stops_when_told) {
  static problem p;
  static hd_atomic_u32 cancel;
  hd_store_rlx(&cancel, 1);
  fill(&p, 1);
  hd_repair_limits limits = limits_with(2);
  limits.cancel = &cancel;
  hd_repair_progress progress;
  cr_assert(hd_repair_loop_run(&STEPS, &p, &limits, &progress) == HD_OK);
  cr_assert(progress.end == HD_E_CANCELLED && progress.tried == 0 && p.alive == 0);
  limits.cancel = NULL;
  limits.deadline_seconds = 1e-9; /* long ago */
  cr_assert(hd_repair_loop_run(&STEPS, &p, &limits, &progress) == HD_OK);
  cr_assert(progress.end == HD_E_CANCELLED && progress.tried == 0);
}

Test(repair_loop, failures_come_out) {
  static problem p;
  const hd_status failures[] = {HD_E_NOMEM, HD_E_INTERNAL, HD_E_LIMIT, HD_E_CANCELLED};
  for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
      fill(&p, 2);
      p.fail_after = 4;
      p.failure = failures[i];
      hd_repair_limits limits = limits_with(threads);
      hd_repair_progress progress;
      hd_status status = hd_repair_loop_run(&STEPS, &p, &limits, &progress);
      bool is_end = failures[i] == HD_E_LIMIT || failures[i] == HD_E_CANCELLED;
      cr_assert(is_end ? status == HD_OK && progress.end == failures[i] : status == failures[i]);
      cr_assert(p.alive == 0 && progress.tried == 4);
    }
  }
}

/* ---- a decision that fails although it need not be made ---- */

static hd_status propose_two(void *self, size_t most, void **candidates, size_t *count) {
  static int numbers[] = {0, 1};
  bool *learned = self;
  cr_assert(most >= 2);
  *count = *learned ? 0 : 2;
  candidates[0] = &numbers[0];
  candidates[1] = &numbers[1];
  return HD_OK;
}

static hd_status refute_second(const void *self, void *proposed, bool *refuted) {
  *refuted = *(const bool *)self && *(const int *)proposed == 1;
  return HD_OK;
}

static hd_status decide_first(const void *self, void *proposed, uint32_t threads) {
  (void)self;
  (void)threads;
  return *(const int *)proposed == 1 ? HD_E_LIMIT : HD_OK;
}

static hd_status learn_from_first(void *self, void *proposed, hd_candidate_end *end) {
  cr_assert(*(const int *)proposed == 0);
  *(bool *)self = true;
  *end = HD_CANDIDATE_FAILS;
  return HD_OK;
}

static void discard_none(void *self, void *proposed) {
  (void)self;
  (void)proposed;
}

Test(repair_loop, decisions_that_need_not_be_made_cannot_fail) {
  static const hd_repair_steps steps = {propose_two, refute_second, decide_first, learn_from_first, discard_none};
  for (uint32_t threads = 1; threads <= 2; threads++) {
    bool learned = false;
    hd_repair_limits limits = limits_with(threads);
    hd_repair_progress progress;
    cr_assert(hd_repair_loop_run(&steps, &learned, &limits, &progress) == HD_OK);
    cr_assert(progress.tried == 1 && progress.refuted == 1 && progress.end == HD_OK, "%u threads", threads);
  }
}
