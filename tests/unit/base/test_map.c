/* The map template: compared with a plain list, with collisions, with failing allocations. */
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdint.h>

#include "core/base/hash.h"

#define HD_MAP_NAME word_map
#define HD_MAP_KEY uint32_t
#define HD_MAP_VALUE uint32_t
#define HD_MAP_HASH(key) hd_hash_word(key)
#define HD_MAP_EQUAL(a, b) ((a) == (b))
#include "core/base/map.h"

/* Every key in one chain that wraps around the end of the table: the worst case of probing. */
#define HD_MAP_NAME crowded_map
#define HD_MAP_KEY uint32_t
#define HD_MAP_VALUE uint32_t
#define HD_MAP_HASH(key) ((uint64_t)(key)*0 + UINT64_MAX)
#define HD_MAP_EQUAL(a, b) ((a) == (b))
#include "core/base/map.h"

#if defined(HD_MAP_NAME) || defined(HD_MAP_HASH) || defined(HDI_MAP_FN) || defined(HDI_MAP_ENTRY)
#error "the template left macros behind"
#endif

Test(map, an_empty_map_has_nothing) {
  word_map map = {0};
  cr_assert(word_map_get(&map, 3) == NULL);
  word_map_clear(&map);
  word_map_free(&map);
}

Test(map, agrees_with_a_direct_table) {
  enum { KEYS = 5000 };
  static uint32_t expected[KEYS]; /* value + 1; 0: absent */
  word_map map = {0};
  uint32_t random = 1;
  size_t count = 0;
  for (uint32_t step = 0; step < 20000; step++) {
    random = random * 1664525u + 1013904223u;
    uint32_t key = (random >> 8) % KEYS, *value = NULL;
    bool fresh = false;
    cr_assert(word_map_put(&map, key, step, &value, &fresh) == HD_OK);
    cr_assert(fresh == (expected[key] == 0));
    if (fresh) {
      expected[key] = step + 1;
      count++;
    }
    cr_assert(*value == expected[key] - 1, "what was there first stays");
    cr_assert(map.count == count);
  }
  for (uint32_t key = 0; key < KEYS; key++) {
    uint32_t *value = word_map_get(&map, key);
    cr_assert((value != NULL) == (expected[key] != 0));
    cr_assert(value == NULL || *value == expected[key] - 1);
  }
  word_map_free(&map);
}

Test(map, entries_stand_in_insertion_order) {
  word_map map = {0};
  for (uint32_t i = 0; i < 1000; i++) {
    cr_assert(word_map_put(&map, i * 7919u % 1009u, i, NULL, NULL) == HD_OK);
  }
  cr_assert(map.count == 1000);
  for (uint32_t i = 0; i < 1000; i++) {
    cr_assert(map.entries[i].key == i * 7919u % 1009u && map.entries[i].value == i);
    cr_assert(map.entries[i].hash == hd_hash_word(map.entries[i].key));
  }
  word_map_free(&map);
}

Test(map, colliding_keys_are_told_apart) {
  crowded_map map = {0};
  for (uint32_t key = 0; key < 300; key++) {
    cr_assert(crowded_map_get(&map, key) == NULL);
    cr_assert(crowded_map_put(&map, key, key * 3, NULL, NULL) == HD_OK);
  }
  for (uint32_t key = 0; key < 300; key++) {
    cr_assert(*crowded_map_get(&map, key) == key * 3);
  }
  cr_assert(crowded_map_get(&map, 300) == NULL);
  crowded_map_free(&map);
}

Test(map, some_slots_stay_free) {
  word_map map = {0};
  for (uint32_t i = 0; i < 3000; i++) {
    cr_assert(word_map_put(&map, i, i, NULL, NULL) == HD_OK);
    cr_assert(map.count * 4 <= map.slot_count * 3, "probing ends only at a free slot");
  }
  word_map_free(&map);
}

Test(map, clear_forgets_the_keys_and_keeps_the_memory) {
  word_map map = {0};
  for (uint32_t i = 0; i < 100; i++) {
    cr_assert(word_map_put(&map, i, i, NULL, NULL) == HD_OK);
  }
  size_t slot_count = map.slot_count, capacity = map.capacity;
  word_map_clear(&map);
  cr_assert(map.count == 0 && map.slot_count == slot_count && map.capacity == capacity);
  for (uint32_t i = 0; i < 100; i++) {
    cr_assert(word_map_get(&map, i) == NULL);
  }
  bool fresh = false;
  cr_assert(word_map_put(&map, 5, 6, NULL, &fresh) == HD_OK && fresh);
  word_map_free(&map);
  cr_assert(map.entries == NULL && map.slots == NULL && map.count == 0);
}

Test(map, finding_what_is_there_moves_nothing) {
  word_map map = {0};
  uint32_t *value = NULL, *again = NULL;
  for (uint32_t i = 0; map.count == 0 || map.count < map.capacity; i++) {
    cr_assert(word_map_put(&map, i, i, &value, NULL) == HD_OK);
  }
  bool fresh = true;
  hd_fail_alloc_after(0, true);
  hd_status status = word_map_put(&map, (uint32_t)map.count - 1, 99, &again, &fresh);
  bool refused = hd_fail_alloc_stop() > 0;
  cr_assert(status == HD_OK && !refused && !fresh && again == value);
  word_map_free(&map);
}

static bool use_map(void *payload, bool *succeeded) {
  (void)payload;
  word_map map = {0};
  uint32_t kept = 0;
  bool good = true;
  for (uint32_t i = 0; i < 100; i++) {
    hd_status status = word_map_put(&map, i, i, NULL, NULL);
    kept += status == HD_OK;
    good = good && (status == HD_OK || status == HD_E_NOMEM) && map.count == kept;
    uint32_t *value = word_map_get(&map, i);
    good = good && (value != NULL) == (status == HD_OK) && (value == NULL || *value == i);
  }
  word_map_free(&map);
  *succeeded = kept == 100;
  return good;
}

Test(map, no_memory_leaves_it_unchanged) {
  cr_assert(hd_fail_alloc_sweep(use_map, NULL) > 10);
}
