/* Chunks, lists and the work-stealing deque, alone and under thieves. */
#include "core/explore/frontier.h"

#include "core/base/team.h"
#include "core/explore/history.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>

static hd_atomic_u64 total_bytes;

static uint64_t bytes_now(void) {
  return hd_load_rlx(&total_bytes);
}

Test(frontier, lists_keep_states_in_order_and_fill_chunks) {
  for (uint32_t words = 1; words <= 70; words += 23) {
    hdi_pool pool;
    hdi_pool_init(&pool, words, &total_bytes);
    cr_assert_geq(pool.capacity, 64);
    hdi_list list = {0};
    uint64_t state[70] = {0};
    const uint64_t states = 1000;
    const uint32_t fill = 50;
    for (uint64_t i = 0; i < states; i++) {
      state[words - 1] = i;
      cr_assert_eq(hdi_list_append(&list, &pool, fill, state), HD_OK);
    }
    cr_assert_eq(list.states, states);
    uint64_t seen = 0;
    for (const hdi_chunk *chunk = list.first; chunk != NULL; chunk = chunk->next) {
      cr_assert_eq(chunk->count, fill);
      for (uint32_t i = 0; i < chunk->count; i++) {
        cr_assert_eq(chunk->words[(size_t)i * words + words - 1], seen++);
      }
    }
    cr_assert_eq(seen, states);
    hdi_list_clear(&list, &pool);
    cr_assert_null(list.first);
    hdi_pool_clear(&pool);
    cr_assert_eq(bytes_now(), 0, "every byte taken is given back");
  }
}

Test(frontier, pools_reuse_chunks_but_do_not_hoard_them) {
  hdi_pool pool;
  hdi_pool_init(&pool, 1, &total_bytes);
  hdi_chunk *chunks[40];
  for (size_t i = 0; i < 40; i++) {
    chunks[i] = hdi_pool_take(&pool);
    cr_assert_not_null(chunks[i]);
  }
  uint64_t all = bytes_now();
  hdi_chunk *last = chunks[0];
  hdi_pool_give(&pool, last);
  cr_assert_eq(hdi_pool_take(&pool), last);
  cr_assert_eq(bytes_now(), all);
  for (size_t i = 0; i < 40; i++) {
    hdi_pool_give(&pool, chunks[i]);
  }
  cr_assert_lt(bytes_now(), all / 2);
  hdi_pool_give(&pool, NULL);
  hdi_pool_clear(&pool);
  cr_assert_eq(bytes_now(), 0);
}

Test(frontier, kept_chunks_shrink_and_stay) {
  hdi_pool pool;
  hdi_pool_init(&pool, 3, &total_bytes);
  hdi_history history = {0};
  hdi_list list = {0};
  const uint64_t states[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
  for (size_t i = 0; i < 4; i++) {
    cr_assert_eq(hdi_list_append(&list, &pool, 3, states[i]), HD_OK);
  }
  cr_assert_eq(hdi_history_begin(&history, 0, 0), HD_OK);
  cr_assert_eq(hdi_history_add(&history, &list, &pool), HD_OK);
  cr_assert_eq(history.epochs.data[0].states, 4);
  cr_assert_eq(history.epochs.data[0].chunk_count, 2);
  cr_assert_leq(bytes_now(), 2 * sizeof(hdi_chunk) + sizeof states);
  hdi_list_clear(&list, &pool); /* leaves kept chunks alone */
  cr_assert_eq(history.chunks.data[0]->words[8], 9);
  cr_assert_eq(history.chunks.data[1]->words[0], 10);
  hdi_history_clear(&history, &pool);
  hdi_pool_clear(&pool);
  cr_assert_eq(bytes_now(), 0);
}

Test(frontier, failed_allocations_leave_lists_and_deques_whole) {
  hdi_pool pool;
  hdi_pool_init(&pool, 1, &total_bytes);
  hdi_list list = {0};
  const uint64_t state = 7;
  hd_fail_alloc_after(0, true);
  cr_assert_eq(hdi_list_append(&list, &pool, 10, &state), HD_E_NOMEM);
  hdi_deque deque;
  cr_assert_eq(hdi_deque_init(&deque), HD_E_NOMEM);
  hd_fail_alloc_stop();
  cr_assert_null(list.first);
  cr_assert_eq(list.states, 0);
  cr_assert_eq(hdi_deque_init(&deque), HD_OK);
  hdi_chunk *chunks = calloc(1000, sizeof *chunks);
  cr_assert_not_null(chunks);
  size_t pushed = 0;
  hd_fail_alloc_after(2, true);
  while (pushed < 1000 && hdi_deque_push(&deque, &chunks[pushed]) == HD_OK) {
    pushed++;
  }
  hd_fail_alloc_stop();
  cr_assert_eq(pushed, 256, "64 places, doubled twice");
  while (pushed > 0) {
    cr_assert_eq(hdi_deque_pop(&deque), &chunks[--pushed]);
  }
  cr_assert_null(hdi_deque_pop(&deque));
  hdi_deque_clear(&deque);
  free(chunks);
}

Test(frontier, the_owner_pops_the_youngest_and_thieves_take_the_oldest) {
  hdi_deque deque;
  cr_assert_eq(hdi_deque_init(&deque), HD_OK);
  hdi_chunk *chunks = calloc(300, sizeof *chunks);
  cr_assert_not_null(chunks);
  bool retry = true;
  cr_assert_null(hdi_deque_pop(&deque));
  cr_assert_null(hdi_deque_steal(&deque, &retry));
  cr_assert_not(retry);
  for (int again = 0; again < 3; again++) {
    for (size_t i = 0; i < 300; i++) {
      cr_assert_eq(hdi_deque_push(&deque, &chunks[i]), HD_OK);
    }
    for (size_t i = 0; i < 150; i++) {
      cr_assert_eq(hdi_deque_pop(&deque), &chunks[299 - i]);
      cr_assert_eq(hdi_deque_steal(&deque, &retry), &chunks[i]);
      cr_assert_not(retry);
    }
    cr_assert_null(hdi_deque_pop(&deque));
    cr_assert_null(hdi_deque_steal(&deque, &retry));
    hdi_deque_trim(&deque);
  }
  hdi_deque_clear(&deque);
  free(chunks);
}

/* ---- thieves ---- */

enum { CHUNKS = 60000 };

typedef struct storm {
  hdi_deque deque;
  hdi_chunk *chunks;
  hd_atomic_u32 *taken; /* per chunk */
  hd_atomic_u32 done;
} storm;

static void begin_storm(storm *s) {
  *s = (storm){.chunks = calloc(CHUNKS, sizeof(hdi_chunk)), .taken = calloc(CHUNKS, sizeof(hd_atomic_u32))};
  cr_assert(s->chunks != NULL && s->taken != NULL);
  cr_assert_eq(hdi_deque_init(&s->deque), HD_OK);
}

static void end_storm(storm *s) {
  for (size_t i = 0; i < CHUNKS; i++) {
    cr_assert_eq(hd_load_rlx(&s->taken[i]), 1, "chunk %zu", i);
  }
  hdi_deque_clear(&s->deque);
  free(s->chunks);
  free((void *)s->taken);
}

static void take(storm *s, const hdi_chunk *chunk) {
  /* Reading the count checks that the chunk's contents came along with it. */
  hd_add_rlx(&s->taken[chunk - s->chunks], chunk->count);
}

static void storm_owner(storm *s) {
  size_t pushed = 0;
  for (size_t round = 0; pushed < CHUNKS; round++) {
    for (size_t i = 0; i < 1 + round % 97 && pushed < CHUNKS; i++) {
      s->chunks[pushed].count = 1;
      if (hdi_deque_push(&s->deque, &s->chunks[pushed]) != HD_OK) {
        return;
      }
      pushed++;
    }
    for (size_t i = 0; i < round % 50; i++) {
      const hdi_chunk *chunk = hdi_deque_pop(&s->deque);
      if (chunk != NULL) {
        take(s, chunk);
      }
    }
  }
  for (const hdi_chunk *chunk; (chunk = hdi_deque_pop(&s->deque)) != NULL;) {
    take(s, chunk);
  }
}

static void storm_worker(hd_team *team, uint32_t worker, void *payload) {
  (void)team;
  storm *s = payload;
  if (worker == 0) {
    storm_owner(s);
    hd_store_rel(&s->done, 1);
    return;
  }
  for (bool last = false; !last;) {
    last = hd_load_acq(&s->done) != 0;
    bool retry = true;
    while (retry) {
      const hdi_chunk *chunk = hdi_deque_steal(&s->deque, &retry);
      if (chunk != NULL) {
        take(s, chunk);
        retry = true;
      }
    }
  }
}

Test(frontier, every_chunk_is_taken_exactly_once) {
  for (uint32_t threads = 1; threads <= 8; threads *= 2) {
    storm s;
    begin_storm(&s);
    cr_assert_eq(hd_team_run(threads, storm_worker, &s), HD_OK);
    end_storm(&s);
  }
}

/* Everybody is a thief and begins at the same moment. */
static void thief(hd_team *team, uint32_t worker, void *payload) {
  (void)worker;
  storm *s = payload;
  hd_team_barrier(team);
  for (bool more = true; more;) {
    const hdi_chunk *chunk = hdi_deque_steal(&s->deque, &more);
    if (chunk != NULL) {
      take(s, chunk);
      more = true;
    }
  }
}

Test(frontier, thieves_do_not_take_the_same_chunk) {
  for (int again = 0; again < 20; again++) {
    storm s;
    begin_storm(&s);
    for (size_t i = 0; i < CHUNKS; i++) {
      s.chunks[i].count = 1;
      cr_assert_eq(hdi_deque_push(&s.deque, &s.chunks[i]), HD_OK);
    }
    cr_assert_eq(hd_team_run(again % 2 == 0 ? 2 : 4, thief, &s), HD_OK);
    end_storm(&s);
  }
}
