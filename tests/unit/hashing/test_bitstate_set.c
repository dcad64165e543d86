/* The lossy store: what was inserted is known, one thread hears "new", losses are rare and estimated right. */
#include "hashing/bitstate_set.h"

#include "core/base/team.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>

enum { WORDS_MAX = 7 };

static void make_state(uint64_t *state, uint32_t words, uint64_t n) {
  for (uint32_t i = 0; i < words; i++) {
    state[i] = i == n % words ? n : 0;
  }
}

static void make_set(hdi_bitstate_set *set, uint32_t words, uint32_t workers, size_t size_bytes) {
  hd_visited_config config = {.words = words, .workers = workers, .memory_max_bytes = 2 * size_bytes};
  cr_assert_eq(hdi_bitstate_set_init(set, &config), HD_OK);
  cr_assert_eq(set->size_bytes, size_bytes);
}

Test(bitstate_set, what_was_inserted_is_known) {
  for (uint32_t words = 1; words <= WORDS_MAX; words++) {
    hdi_bitstate_set set;
    make_set(&set, words, 2, 1 << 20);
    uint64_t state[WORDS_MAX], lost = 0;
    const uint64_t states = 20000; /* 400 bits for each */
    for (uint64_t i = 0; i < states; i++) {
      make_state(state, words, i);
      cr_assert_eq(hdi_bitstate_set_contains(&set, state), false, "so empty a set loses none of these");
      lost += hdi_bitstate_set_insert(&set, (uint32_t)(i % 2), state) != HD_INSERT_NEW;
      cr_assert_eq(hdi_bitstate_set_insert(&set, 1, state), HD_INSERT_KNOWN);
      cr_assert(hdi_bitstate_set_contains(&set, state));
    }
    cr_assert_eq(lost, 0);
    cr_assert_eq(hdi_bitstate_set_count(&set), states);
    hdi_bitstate_set_clear(&set);
  }
}

Test(bitstate_set, a_batch_answers_like_single_insertions) {
  enum { STATES = 5000 };
  hdi_bitstate_set one, many;
  make_set(&one, 3, 1, 2048);
  make_set(&many, 3, 1, 2048);
  uint64_t *states = calloc(3 * STATES, sizeof *states);
  uint32_t *places = calloc(STATES + 8, sizeof *places);
  uint8_t *answers = calloc(STATES + 8, sizeof *answers);
  cr_assert(states != NULL && places != NULL && answers != NULL);
  for (uint64_t i = 0; i < STATES; i++) {
    make_state(states + 3 * i, 3, i * 7 % 3001);
  }
  for (size_t count = 0; count <= STATES; count += count < 70 ? 1 : STATES - count > 1000 ? 997 : STATES - count + 1) {
    size_t found = hdi_bitstate_set_insert_many(&many, 0, states, count, places, answers), at = 0;
    for (uint32_t i = 0; i < count; i++) {
      hd_insert got = at < found && places[at] == i ? (hd_insert)answers[at++] : HD_INSERT_KNOWN;
      cr_assert_eq(got, hdi_bitstate_set_insert(&one, 0, states + 3 * (size_t)i));
    }
    cr_assert_eq(at, found);
  }
  cr_assert_gt(hdi_bitstate_set_count(&one), 1000);
  cr_assert_lt(hdi_bitstate_set_count(&one), 3001, "so full a set loses some");
  free(states);
  free(places);
  free(answers);
  hdi_bitstate_set_clear(&one);
  hdi_bitstate_set_clear(&many);
}

/* The estimate against what happens: states that were never inserted, at several degrees of fullness. */
Test(bitstate_set, losses_are_estimated_right) {
  enum { TRIED = 200000 };
  hdi_bitstate_set set;
  make_set(&set, 2, 1, 1 << 18); /* 2^21 bits */
  double fill = 1, omission = 1;
  hdi_bitstate_set_estimate(&set, &fill, &omission);
  cr_assert_eq(fill, 0);
  cr_assert_eq(omission, 0);
  uint64_t state[2], inserted = 0;
  const uint64_t stops[] = {50000, 150000, 400000, 900000};
  for (size_t s = 0; s < sizeof stops / sizeof stops[0]; s++) {
    for (; inserted < stops[s]; inserted++) {
      make_state(state, 2, inserted);
      (void)hdi_bitstate_set_insert(&set, 0, state);
    }
    hdi_bitstate_set_estimate(&set, &fill, &omission);
    cr_assert(fill > 0 && fill < 1 && omission > 0 && omission < 1);
    uint64_t known = 0;
    for (uint64_t i = 0; i < TRIED; i++) {
      make_state(state, 2, 1000000000 + i);
      known += hdi_bitstate_set_contains(&set, state);
    }
    double seen = (double)known / TRIED;
    cr_assert(seen < omission * 1.15 + 1e-4 && seen > omission * 0.85 - 1e-4, "%g seen, %g estimated", seen, omission);
  }
  hdi_bitstate_set_clear(&set);
}

/* ---- many threads ---- */

enum { UNIVERSE = 3000 };

typedef struct storm {
  hdi_bitstate_set set;
  hd_atomic_u32 news[UNIVERSE];
} storm;

static void storm_worker(hd_team *team, uint32_t worker, void *payload) {
  storm *s = payload;
  hd_team_barrier(team); /* all at once */
  for (uint64_t i = 0; i < UNIVERSE; i++) {
    uint64_t n = worker % 2 == 0 ? i : UNIVERSE - 1 - i, state[2];
    make_state(state, 2, n);
    if (hdi_bitstate_set_insert(&s->set, worker, state) == HD_INSERT_NEW) {
      hd_add_rlx(&s->news[n], 1);
    }
  }
}

/* A small set, so that the threads work on the same words all the time. */
Test(bitstate_set, at_most_one_thread_hears_new) {
  for (int again = 0; again < 40; again++) {
    storm *s = calloc(1, sizeof *s);
    cr_assert_not_null(s);
    make_set(&s->set, 2, 4, again % 2 == 0 ? 512 : 65536);
    cr_assert_eq(hd_team_run(4, storm_worker, s), HD_OK);
    uint64_t news = 0, state[2];
    for (uint64_t n = 0; n < UNIVERSE; n++) {
      cr_assert_leq(hd_load_rlx(&s->news[n]), 1, "state %llu was new twice", (unsigned long long)n);
      news += hd_load_rlx(&s->news[n]);
      make_state(state, 2, n);
      cr_assert(hdi_bitstate_set_contains(&s->set, state));
    }
    cr_assert_eq(hdi_bitstate_set_count(&s->set), news);
    cr_assert_gt(news, again % 2 == 0 ? 300 : UNIVERSE - 30);
    hdi_bitstate_set_clear(&s->set);
    free(s);
  }
}

/* ---- limits ---- */

Test(bitstate_set, it_takes_half_of_the_limit) {
  const size_t limits[] = {128, 1000, 1 << 20, 50 << 20};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    hd_visited_config config = {.words = 1, .workers = 1, .memory_max_bytes = limits[i]};
    hdi_bitstate_set set;
    cr_assert_eq(hdi_bitstate_set_init(&set, &config), HD_OK);
    cr_assert_leq(set.size_bytes, limits[i] / 2);
    cr_assert_geq(set.size_bytes, limits[i] / 4);
    hdi_bitstate_set_clear(&set);
  }
  hd_visited_config none = {.words = 1, .workers = 1, .memory_max_bytes = 100};
  hdi_bitstate_set set;
  cr_assert_eq(hdi_bitstate_set_init(&set, &none), HD_E_LIMIT);
}

Test(bitstate_set, failed_allocations_are_reported) {
  hd_visited_config config = {.words = 2, .workers = 2, .memory_max_bytes = 1 << 20};
  hdi_bitstate_set set;
  int64_t live = hd_fail_alloc_live();
  uint64_t failed = 0;
  for (hd_status status = HD_E_NOMEM; status != HD_OK; failed++) {
    hd_fail_alloc_after(failed, false);
    status = hdi_bitstate_set_init(&set, &config);
    uint64_t made = hd_fail_alloc_stop();
    cr_assert_eq(status, made > failed ? HD_E_NOMEM : HD_OK);
    cr_assert(status == HD_OK || hd_fail_alloc_live() == live, "nothing is left behind");
  }
  cr_assert_eq(failed, 3, "the lanes and the bits");
  hdi_bitstate_set_clear(&set);
}
