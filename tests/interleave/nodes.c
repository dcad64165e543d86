/* The numbers of a tree database's parts (hashing/node_table.c) under every interleaving: one key, colliding and
 * overflowing keys, the last numbers, growth. Oracle: whoever asks for a key gets the same number, which no other key
 * has and which growth does not change; a key is in one place, no place is left without a number, and there is none
 * beyond the limit; "none" is answered only at the limit. */
#include "hashing/node_table.h"
#include "tests/interleave/interleave.h"

enum { KEYS_MAX = 3, FILLED_MAX = 40, PREFILLER = 3, WORKERS = 4, BUCKETS = 8, ALL_MAX = 64 };

typedef struct scene {
  hdi_node_table table;
  uint32_t threads;
  uint32_t key_count[IL_THREADS_MAX]; /* what each thread asks for, by number */
  uint64_t keys[IL_THREADS_MAX][KEYS_MAX];
  uint32_t answers[IL_THREADS_MAX][KEYS_MAX];
  bool grows, limited;
  uint32_t filled;
  uint64_t fill[FILLED_MAX];
} scene;

static scene *new_scene(uint32_t threads) {
  scene *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
  IL_REQUIRE(s != NULL);
  memset(s, 0, sizeof *s);
  s->threads = threads;
  IL_REQUIRE(hdi_node_table_init(&s->table, WORKERS, 1) == HD_OK && s->table.now.count == BUCKETS);
  return s;
}

/* The next key after `key` that is at home in bucket `home` of `count`. */
static uint64_t key_at(uint64_t key, uint64_t home, uint64_t count) {
  const hdi_node_buckets buckets = {.count = count};
  do {
    key++;
  } while (hdi_node_home(&buckets, key) != home);
  return key;
}

/* Key number i has number i + 1. */
static void prefill(scene *s, uint64_t key) {
  s->fill[s->filled++] = key;
  IL_REQUIRE(hdi_node_intern(&s->table, PREFILLER, key) == s->filled);
}

static void thread(void *context, uint32_t number) {
  scene *s = context;
  if (s->grows) {
    IL_REQUIRE(hdi_node_table_grow(&s->table, SIZE_MAX, il_team(), number) == HD_OK);
  }
  for (uint32_t i = 0; i < s->key_count[number]; i++) {
    s->answers[number][i] = hdi_node_intern(&s->table, number, s->keys[number][i]);
  }
}

/* In all places: no key twice, no number missing, none given twice. Returns how many there are. */
static uint32_t check_places(const scene *s) {
  uint64_t keys[ALL_MAX];
  uint32_t numbers[ALL_MAX], count = 0;
  for (uint64_t b = 0; b < s->table.now.count; b++) {
    const hdi_node_bucket *bucket = &s->table.now.buckets[b];
    for (uint32_t i = 0; i < HDI_NODE_PLACES; i++) {
      uint64_t key = hd_load_rlx(&bucket->keys[i]);
      uint32_t number = hd_load_rlx(&bucket->numbers[i]);
      IL_REQUIRE((key == 0) == (number == 0));
      if (key == 0) {
        continue;
      }
      IL_REQUIRE(count < ALL_MAX && number < s->table.limit);
      for (uint32_t k = 0; k < count; k++) {
        IL_REQUIRE(keys[k] != key && numbers[k] != number);
      }
      keys[count] = key;
      numbers[count++] = number;
    }
  }
  return count;
}

static void check(void *context) {
  scene *s = context;
  for (uint32_t t = 0; t < s->threads; t++) {
    for (uint32_t i = 0; i < s->key_count[t]; i++) {
      uint32_t found = hdi_node_find(&s->table, s->keys[t][i]), answer = s->answers[t][i];
      IL_REQUIRE(answer != 0 && (answer == found || (s->limited && answer == HDI_NODE_NONE)));
    }
  }
  for (uint32_t i = 0; i < s->filled; i++) {
    IL_REQUIRE(hdi_node_find(&s->table, s->fill[i]) == i + 1);
  }
  uint32_t places = check_places(s);
  IL_REQUIRE(places == hdi_node_table_count(&s->table));
  if (s->limited) { /* whoever was refused could not know that others hold numbers they do not need */
    IL_REQUIRE(places + 1 <= s->table.limit);
  }
}

/* ---- set-ups ---- */

static void *one_key(void) {
  scene *s = new_scene(2);
  for (uint32_t t = 0; t < 2; t++) {
    s->key_count[t] = 1;
    s->keys[t][0] = 7;
  }
  return s;
}

/* a, b / b, a, in a bucket that holds another. */
static void *colliding_keys(void) {
  scene *s = new_scene(2);
  uint64_t other = key_at(0, 5, BUCKETS), first = key_at(other, 5, BUCKETS), second = key_at(first, 5, BUCKETS);
  prefill(s, other);
  s->key_count[0] = s->key_count[1] = 2;
  s->keys[0][0] = s->keys[1][1] = first;
  s->keys[0][1] = s->keys[1][0] = second;
  return s;
}

/* a / b / a, and the last bucket has one place left: others overflow into the first one. */
static void *overflowing_keys(void) {
  scene *s = new_scene(3);
  uint64_t key = 0;
  for (uint32_t i = 0; i < HDI_NODE_PLACES - 1; i++) {
    key = key_at(key, BUCKETS - 1, BUCKETS);
    prefill(s, key);
  }
  uint64_t first = key_at(key, BUCKETS - 1, BUCKETS), second = key_at(first, BUCKETS - 1, BUCKETS);
  s->key_count[0] = s->key_count[1] = s->key_count[2] = 1;
  s->keys[0][0] = s->keys[2][0] = first;
  s->keys[1][0] = second;
  return s;
}

/* Two numbers are left for three keys, all at home in the last bucket. */
static void *last_numbers(void) {
  scene *s = new_scene(2);
  s->limited = true;
  uint64_t key = 0;
  while (s->filled + 3 < s->table.limit) {
    if (s->filled % HDI_NODE_PLACES == 0) {
      key = 0;
    }
    key = key_at(key, s->filled / HDI_NODE_PLACES, BUCKETS);
    prefill(s, key);
  }
  uint64_t first = key_at(0, BUCKETS - 1, BUCKETS), second = key_at(first, BUCKETS - 1, BUCKETS);
  s->key_count[0] = s->key_count[1] = 2;
  s->keys[0][0] = first;
  s->keys[0][1] = s->keys[1][0] = second;
  s->keys[1][1] = key_at(second, BUCKETS - 1, BUCKETS);
  return s;
}

/* The last bucket of the first mover's part has overflowed into the second one's, and the last of all into the first:
 * they put keys into the same buckets of the grown table. */
static scene *growth_by(uint32_t threads) {
  scene *s = new_scene(threads);
  uint64_t last = BUCKETS / threads - 1, key = 0;
  for (uint32_t i = 0; i <= HDI_NODE_PLACES; i++) {
    key = key_at(key, 2 * last + (i < 2 ? 0 : 1), 2 * (uint64_t)BUCKETS);
    prefill(s, key);
  }
  prefill(s, key_at(0, 2 * last + 2, 2 * (uint64_t)BUCKETS));
  for (uint32_t i = 0; i <= HDI_NODE_PLACES; i++) {
    key = key_at(key, 2 * BUCKETS - (i < 2 ? 2 : 1), 2 * (uint64_t)BUCKETS);
    prefill(s, key);
  }
  s->grows = true;
  return s;
}

static void *growth_by_two(void) {
  return growth_by(2);
}

static void *growth_by_three(void) {
  return growth_by(3);
}

#define TEST(words_of_it, number_of_threads, begin) \
  { .name = words_of_it, .threads = number_of_threads, .set_up = begin, .thread = thread, .check = check }

int main(int argc, char **argv) {
  /* The largest one comes last: what is seeded is mostly found before. */
  static const il_test tests[] = {TEST("nodes, one key", 2, one_key),
                                  TEST("nodes, growth by two", 2, growth_by_two),
                                  TEST("nodes, growth by three", 3, growth_by_three),
                                  TEST("nodes, the last numbers", 2, last_numbers),
                                  TEST("nodes, colliding keys", 2, colliding_keys),
                                  TEST("nodes, overflow", 3, overflowing_keys)};
  return il_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
