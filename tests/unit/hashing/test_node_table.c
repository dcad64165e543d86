/* Numbers for keys: one each, for good, over growth, and for all threads the same. */
#include "hashing/node_table.h"

#include "tests/support/hd_test.h"

#include <stdlib.h>

enum { THREADS_MAX = 4 };

typedef struct job {
  hdi_node_table *table;
  uint64_t keys, mask;
  uint32_t *numbers[THREADS_MAX];
  size_t room_bytes;
  hd_status status[THREADS_MAX];
} job;

/* Keys of a tree: pairs of small numbers, and patterns of single bits. */
static uint64_t key_at(uint64_t i) {
  return i < 64 ? (uint64_t)1 << i : ((i / 97 + 1) << 32) | (i % 97 + 3);
}

static void grow_worker(hd_team *team, uint32_t worker, void *payload) {
  job *j = payload;
  j->status[worker] = hdi_node_table_grow(j->table, j->room_bytes, team, worker);
}

static hd_status grow(hdi_node_table *table, size_t room_bytes, uint32_t threads) {
  job j = {.table = table, .room_bytes = room_bytes};
  cr_assert_eq(hd_team_run(threads, grow_worker, &j), HD_OK);
  for (uint32_t i = 1; i < threads; i++) {
    cr_assert_eq(j.status[i], j.status[0]);
  }
  return j.status[0];
}

Test(node_table, keys_keep_their_numbers_while_it_grows) {
  enum { KEYS = 60000 };
  hdi_node_table table;
  cr_assert_eq(hdi_node_table_init(&table, 2, 0), HD_OK);
  uint32_t *numbers = calloc(KEYS, sizeof *numbers);
  bool *used = calloc(2 * KEYS, sizeof *used);
  cr_assert(numbers != NULL && used != NULL);
  uint32_t grown = 0;
  for (uint64_t i = 0; i < KEYS; i++) {
    cr_assert_eq(hdi_node_find(&table, key_at(i)), HDI_NODE_NONE);
    uint32_t number = hdi_node_intern(&table, (uint32_t)(i % 2), key_at(i));
    if (number == HDI_NODE_NONE) {
      cr_assert_geq(hdi_node_table_count(&table) * 100, hdi_node_table_slots(&table) * 70, "full means full");
      cr_assert_eq(hdi_node_find(&table, key_at(i)), HDI_NODE_NONE);
      cr_assert_eq(grow(&table, SIZE_MAX, 1 + grown++ % 3), HD_OK);
      number = hdi_node_intern(&table, (uint32_t)(i % 2), key_at(i));
    }
    cr_assert(number > 0 && number < 2 * KEYS && !used[number], "one number, one key");
    used[number] = true;
    numbers[i] = number;
  }
  cr_assert_gt(grown, 8);
  cr_assert_eq(hdi_node_table_count(&table), KEYS);
  cr_assert_geq(KEYS * 100, hdi_node_table_slots(&table) * 60, "large tables grow by a quarter");
  for (uint64_t i = 0; i < KEYS; i++) {
    cr_assert_eq(hdi_node_intern(&table, 0, key_at(i)), numbers[i]);
    cr_assert_eq(hdi_node_find(&table, key_at(i)), numbers[i]);
  }
  cr_assert_eq(hdi_node_intern(&table, 1, 0), 0, "key 0 has number 0");
  cr_assert_eq(hdi_node_find(&table, 0), 0);
  free(numbers);
  free(used);
  hdi_node_table_clear(&table);
}

static void intern_all(hd_team *team, uint32_t worker, void *payload) {
  job *j = payload;
  hd_team_barrier(team); /* all at once */
  for (uint64_t i = 0; i < j->keys; i++) {
    uint64_t at = worker % 2 == 0 ? i : j->keys - 1 - i;
    j->numbers[worker][at] = hdi_node_intern(j->table, worker, key_at(at) & j->mask);
  }
}

Test(node_table, all_threads_get_the_same_numbers) {
  enum { KEYS = 3000 };
  for (int again = 0; again < 30; again++) {
    hdi_node_table table;
    cr_assert_eq(hdi_node_table_init(&table, THREADS_MAX, 2 * KEYS), HD_OK);
    job j = {.table = &table, .keys = KEYS, .mask = again % 2 == 0 ? UINT64_MAX : 0xff000000ffULL};
    for (uint32_t t = 0; t < THREADS_MAX; t++) {
      j.numbers[t] = calloc(KEYS, sizeof *j.numbers[t]);
      cr_assert_not_null(j.numbers[t]);
    }
    cr_assert_eq(hd_team_run(THREADS_MAX, intern_all, &j), HD_OK);
    bool *used = calloc(KEYS * 2, sizeof *used);
    cr_assert_not_null(used);
    uint64_t distinct = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
      uint32_t number = j.numbers[0][i];
      cr_assert_lt(number, 2 * KEYS);
      cr_assert_eq(hdi_node_find(&table, key_at(i) & j.mask), number);
      for (uint32_t t = 1; t < THREADS_MAX; t++) {
        cr_assert_eq(j.numbers[t][i], number, "key %llu", (unsigned long long)i);
      }
      distinct += number != 0 && !used[number];
      used[number] = true;
    }
    cr_assert_eq(hdi_node_table_count(&table), distinct);
    cr_assert(again % 2 != 0 || distinct == KEYS);
    for (uint32_t t = 0; t < THREADS_MAX; t++) {
      free(j.numbers[t]);
    }
    free(used);
    hdi_node_table_clear(&table);
  }
}

Test(node_table, growth_respects_the_room) {
  hdi_node_table table;
  cr_assert_eq(hdi_node_table_init(&table, 1, 1000), HD_OK);
  uint32_t number = hdi_node_intern(&table, 0, 77);
  size_t both = table.now.size_bytes + hdi_node_table_next_bytes(&table);
  cr_assert_eq(grow(&table, both - 1, 2), HD_E_LIMIT);
  cr_assert_eq(hdi_node_find(&table, 77), number);
  cr_assert_eq(grow(&table, both, 2), HD_OK);
  cr_assert_eq(hdi_node_find(&table, 77), number);
  hdi_node_table_clear(&table);
}

/* The last number of 32 bits is given out; then there is none, and growth does not help. */
Test(node_table, numbers_run_out) {
  hdi_node_table table;
  cr_assert_eq(hdi_node_table_init(&table, 1, 1000), HD_OK);
  hd_store_rlx(&table.drawn, HDI_NODE_NONE - 2);
  table.limit = HDI_NODE_NONE;
  cr_assert_eq(hdi_node_intern(&table, 0, 5), HDI_NODE_NONE - 2);
  cr_assert_eq(hdi_node_intern(&table, 0, 6), HDI_NODE_NONE - 1);
  cr_assert_eq(hdi_node_intern(&table, 0, 7), HDI_NODE_NONE);
  cr_assert(hdi_node_table_is_exhausted(&table));
  cr_assert_eq(hdi_node_intern(&table, 0, 5), HDI_NODE_NONE - 2, "known keys stay known");
  cr_assert_eq(grow(&table, SIZE_MAX, 1), HD_E_LIMIT);
  hdi_node_table_clear(&table);
}
