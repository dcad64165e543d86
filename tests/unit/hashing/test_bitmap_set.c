/* States of few bits: the bitmap itself, and the move of an automatically chosen set into it, under load. */
#include "hashing/bitmap_set.h"

#include "core/base/atomic.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

static hd_visited *make_set(hd_store store, uint32_t bits, uint32_t workers, size_t slots, size_t memory_max_bytes) {
  hd_visited_config config = {.words = 1,
                              .bits = bits,
                              .workers = workers,
                              .store = store,
                              .initial_slots = slots,
                              .memory_max_bytes = memory_max_bytes};
  hd_visited *visited;
  cr_assert_eq(hd_visited_new(&config, &visited), HD_OK);
  return visited;
}

static void grow_worker(hd_team *team, uint32_t worker, void *payload) {
  if (hd_visited_grow(payload, team, worker) != HD_OK) {
    abort();
  }
}

Test(bitmap_set, holds_every_state_of_its_bits) {
  for (uint32_t bits = 1; bits <= 16; bits++) {
    hd_visited *visited = make_set(HD_STORE_BITMAP, bits, 1, 0, 0);
    cr_assert_eq(hd_visited_size_bytes(visited), bits < 9 ? 64 : (size_t)1 << (bits - 3));
    uint64_t states = (uint64_t)1 << bits;
    for (uint64_t i = 0; i < states; i++) {
      uint64_t state = (i * 0x9e3779b97f4a7c15ULL) & (states - 1);
      cr_assert_not(hd_visited_contains(visited, &state));
      cr_assert_eq(hd_visited_insert(visited, 0, &state), HD_INSERT_NEW);
      cr_assert_eq(hd_visited_insert(visited, 0, &state), HD_INSERT_KNOWN);
      cr_assert(hd_visited_contains(visited, &state));
      cr_assert_eq(hd_visited_count(visited), i + 1);
    }
    cr_assert_not(hd_visited_wants_growth(visited));
    cr_assert_not(hd_visited_contains(visited, &states), "a state of more bits is not there");
    hd_visited_free(visited);
  }
}

Test(bitmap_set, many_states_at_once_are_answered_as_one_by_one) {
  enum { BITS = 10, COUNT = 700 };
  uint64_t states[COUNT], seed = 1;
  uint32_t places[COUNT + 8];
  uint8_t answers[COUNT + 8];
  for (size_t count = 0; count <= COUNT; count += count < 70 ? 1 : 90) {
    hd_visited *many = make_set(HD_STORE_BITMAP, BITS, 1, 0, 0), *one = make_set(HD_STORE_BITMAP, BITS, 1, 0, 0);
    size_t expected = 0;
    for (size_t i = 0; i < count; i++) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      states[i] = seed >> (64 - BITS);
    }
    size_t found = hd_visited_insert_many(many, 0, states, count, places, answers);
    for (size_t i = 0; i < count; i++) {
      if (hd_visited_insert(one, 0, &states[i]) == HD_INSERT_NEW) {
        cr_assert_lt(expected, found);
        cr_assert_eq(places[expected], i);
        cr_assert_eq(answers[expected], HD_INSERT_NEW);
        expected++;
      }
    }
    cr_assert_eq(found, expected);
    cr_assert_eq(hd_visited_count(many), found);
    hd_visited_free(many);
    hd_visited_free(one);
  }
}

/* A table of 8 KiB would grow to 16 KiB: 2^17 bits are moved, 2^18 not yet. */
Test(bitmap_set, the_move_comes_when_the_bitmap_is_not_larger) {
  hd_visited *smaller = make_set(HD_STORE_AUTO, 17, 2, 1024, 0), *larger = make_set(HD_STORE_AUTO, 18, 2, 1024, 0);
  hd_visited *forced = make_set(HD_STORE_WORD, 17, 2, 1024, 0), *unknown = make_set(HD_STORE_AUTO, 64, 2, 1024, 0);
  hd_visited *sets[] = {smaller, larger, forced, unknown};
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
    cr_assert_eq(hd_visited_growth_bytes(sets[i]), i == 0 ? (size_t)1 << 14 : (size_t)1 << 13);
    cr_assert_eq(hd_team_run(2, grow_worker, sets[i]), HD_OK);
    cr_assert_str_eq(hd_visited_store_name(sets[i]), i == 0 ? "bitmap" : "word");
    cr_assert_eq(hd_visited_size_bytes(sets[i]), (size_t)1 << 14);
    cr_assert_eq(hd_visited_growth_times(sets[i]).growths, 1);
    hd_visited_free(sets[i]);
  }
}

Test(bitmap_set, a_limit_that_has_no_room_for_both_keeps_the_table) {
  hd_visited *visited = make_set(HD_STORE_AUTO, 17, 1, 1024, (8 + 16) * 1024 - 1);
  cr_assert_eq(hd_team_run(1, grow_worker, visited), HD_OK);
  cr_assert_str_eq(hd_visited_store_name(visited), "word");
  hd_visited_free(visited);
  hd_visited_config config = {.words = 1, .bits = 17, .workers = 1, .store = HD_STORE_BITMAP};
  config.memory_max_bytes = 16 * 1024 - 1;
  cr_assert_eq(hd_visited_new(&config, &visited), HD_E_LIMIT);
  config.memory_max_bytes++;
  cr_assert_eq(hd_visited_new(&config, &visited), HD_OK);
  hd_visited_free(visited);
}

static void grow_without_memory(hd_team *team, uint32_t worker, void *payload) {
  hd_fail_alloc_after(0, true);
  hd_status status = hd_visited_grow(payload, team, worker);
  hd_fail_alloc_stop();
  if (status != HD_E_NOMEM) {
    abort();
  }
}

Test(bitmap_set, a_move_without_memory_changes_nothing) {
  hd_visited *visited = make_set(HD_STORE_AUTO, 17, 1, 1024, 0);
  for (uint64_t state = 0; state < 700; state++) {
    cr_assert_eq(hd_visited_insert(visited, 0, &state), HD_INSERT_NEW);
  }
  cr_assert_eq(hd_team_run(1, grow_without_memory, visited), HD_OK);
  cr_assert_str_eq(hd_visited_store_name(visited), "word");
  cr_assert_eq(hd_team_run(1, grow_worker, visited), HD_OK);
  cr_assert_str_eq(hd_visited_store_name(visited), "bitmap");
  for (uint64_t state = 0; state < 1000; state++) {
    cr_assert_eq(hd_visited_contains(visited, &state), state < 700);
  }
  cr_assert_eq(hd_visited_count(visited), 700);
  hd_visited_free(visited);
}

/* ---- many threads, from the smallest table through the move to the end ---- */

enum { STORM_BITS = 15, STORM_STATES = 1 << STORM_BITS };

typedef struct storm {
  hd_visited *visited;
  hd_atomic_u32 *news; /* per state: how often it was new */
  hd_atomic_u32 pauses[2];
} storm;

static void storm_worker(hd_team *team, uint32_t worker, void *payload) {
  storm *s = payload;
  uint64_t next = 0;
  for (uint64_t round = 0;; round++) {
    hd_atomic_u32 *pause = &s->pauses[round % 2];
    while (next < STORM_STATES && hd_load_rlx(pause) == 0) {
      uint64_t state = ((next + worker) * 0x9e3779b97f4a7c15ULL) & (STORM_STATES - 1);
      hd_insert answer = hd_visited_insert(s->visited, worker, &state);
      if (answer == HD_INSERT_FULL) {
        hd_store_rlx(pause, 1);
      } else {
        hd_add_rlx(&s->news[state], answer == HD_INSERT_NEW ? 1u : 0u);
        next++;
      }
    }
    hd_team_barrier(team);
    if (hd_load_rlx(pause) == 0) {
      return;
    }
    if (hd_visited_grow(s->visited, team, worker) != HD_OK) {
      abort();
    }
    if (worker == 0) {
      hd_store_rlx(pause, 0);
    }
    hd_team_barrier(team);
  }
}

Test(bitmap_set, nothing_is_lost_or_doubled_by_the_move) {
  for (uint32_t threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
    for (uint32_t store = 0; store < 2; store++) {
      storm s = {.visited = make_set(store == 0 ? HD_STORE_AUTO : HD_STORE_BITMAP, STORM_BITS, threads, 64, 0)};
      s.news = calloc(STORM_STATES, sizeof *s.news);
      cr_assert_not_null(s.news);
      cr_assert_eq(hd_team_run(threads, storm_worker, &s), HD_OK);
      cr_assert_str_eq(hd_visited_store_name(s.visited), "bitmap");
      cr_assert_eq(hd_visited_count(s.visited), STORM_STATES);
      for (uint64_t state = 0; state < STORM_STATES; state++) {
        cr_assert_eq(hd_load_rlx(&s.news[state]), 1);
        cr_assert(hd_visited_contains(s.visited, &state));
      }
      free((void *)s.news);
      hd_visited_free(s.visited);
    }
  }
}
