/* The visited sets under every interleaving: insertion of one key, of colliding keys, of the zero state, at the load
 * limit; growth. Oracle: each state is NEW exactly once, what is KNOWN or NEW is in the set, what is FULL has left it
 * as it was, nothing is lost by growth, the load limit holds. */
#include "hashing/visited.h"
#include "core/base/hash.h"
#include "hashing/quotient_set.h"
#include "hashing/word_set.h"
#include "tests/interleave/interleave.h"

enum { WORDS_MAX = 3, KEYS_MAX = 4, FILLED_MAX = 64, PREFILLER = 3, WORKERS = 4 };

typedef struct scene {
  hd_visited *set;
  uint32_t threads;
  uint32_t key_count[IL_THREADS_MAX]; /* what each thread inserts, by number */
  uint64_t keys[IL_THREADS_MAX][KEYS_MAX];
  hd_insert answers[IL_THREADS_MAX][KEYS_MAX];
  uint64_t before; /* states in the set before the threads */
  uint64_t most;   /* the load limit */
  bool grows;
  uint32_t filled;
  uint64_t fill[FILLED_MAX];
} scene;

static uint32_t words; /* per state: 1 for the word set, more for the others */
static hd_store store;
static uint32_t state_bits = 64;
static uint32_t home_bits = 3; /* of the smallest set: it has 2^home_bits buckets */

static void state_of(uint64_t key, uint64_t state[WORDS_MAX]) {
  for (uint32_t i = 0; i < WORDS_MAX; i++) {
    state[i] = i == 0 ? key : key * i;
  }
}

static hd_insert insert(scene *s, uint32_t worker, uint64_t key) {
  uint64_t state[WORDS_MAX];
  state_of(key, state);
  return hd_visited_insert(s->set, worker, state);
}

/* Where the key would like to be in a table of 2^`bits` buckets. */
static uint64_t home_of(uint64_t key, uint32_t bits) {
  uint64_t state[WORDS_MAX];
  state_of(key, state);
  uint64_t hash = words == 1 ? hdi_word_mix(key) : hd_hash_bytes(state, words * sizeof state[0]);
  if (store == HD_STORE_QUOTIENT) {
    hash = hdi_quotient_mix(key, state_bits) << (64 - state_bits);
  }
  return hash >> (64 - bits);
}

/* The next key after `key` that is at home in `home`. */
static uint64_t key_at(uint64_t key, uint64_t home, uint32_t bits) {
  do {
    key++;
  } while (home_of(key, bits) != home);
  return key;
}

static scene *new_scene_of(uint32_t threads, size_t slots) {
  scene *s = calloc(1, sizeof *s);
  IL_REQUIRE(s != NULL);
  s->threads = threads;
  s->most = UINT64_MAX;
  hd_visited_config config = {.words = words, .bits = state_bits, .workers = WORKERS, .store = store};
  config.initial_slots = slots;
  IL_REQUIRE(hd_visited_new(&config, &s->set) == HD_OK);
  return s;
}

/* With a set of the smallest size. */
static scene *new_scene(uint32_t threads) {
  return new_scene_of(threads, 1);
}

static void prefill_by(scene *s, uint32_t worker, uint64_t key) {
  IL_REQUIRE(insert(s, worker, key) == HD_INSERT_NEW);
  s->fill[s->filled++] = key;
  s->before++;
}

static void prefill(scene *s, uint64_t key) {
  prefill_by(s, PREFILLER, key);
}

/* Every thread has inserted a state and so has what it needs besides a slot. */
static void warm_up(scene *s) {
  for (uint32_t t = 0; t < s->threads; t++) {
    prefill_by(s, t, key_at(0, 0, home_bits) + ((uint64_t)t << 30));
  }
}

static void thread(void *context, uint32_t number) {
  scene *s = context;
  if (s->grows) {
    IL_REQUIRE(hd_visited_grow(s->set, il_team(), number) == HD_OK);
  }
  for (uint32_t i = 0; i < s->key_count[number]; i++) {
    s->answers[number][i] = insert(s, number, s->keys[number][i]);
  }
}

static uint32_t count_answers(const scene *s, uint64_t key, hd_insert answer) {
  uint32_t count = 0;
  for (uint32_t t = 0; t < s->threads; t++) {
    for (uint32_t i = 0; i < s->key_count[t]; i++) {
      count += s->keys[t][i] == key && s->answers[t][i] == answer;
    }
  }
  return count;
}

static void check(void *context) {
  scene *s = context;
  uint64_t fresh = 0;
  uint64_t state[WORDS_MAX];
  for (uint32_t t = 0; t < s->threads; t++) {
    for (uint32_t i = 0; i < s->key_count[t]; i++) {
      uint64_t key = s->keys[t][i];
      state_of(key, state);
      IL_REQUIRE(s->answers[t][i] != HD_INSERT_NOMEM);
      IL_REQUIRE(count_answers(s, key, HD_INSERT_NEW) <= 1);
      IL_REQUIRE(s->answers[t][i] != HD_INSERT_KNOWN || count_answers(s, key, HD_INSERT_NEW) == 1);
      IL_REQUIRE(s->answers[t][i] != HD_INSERT_FULL || s->most != UINT64_MAX);
      IL_REQUIRE(hd_visited_contains(s->set, state) == (count_answers(s, key, HD_INSERT_NEW) == 1));
      fresh += s->answers[t][i] == HD_INSERT_NEW;
    }
  }
  for (uint32_t i = 0; i < s->filled; i++) {
    state_of(s->fill[i], state);
    IL_REQUIRE(hd_visited_contains(s->set, state));
    IL_REQUIRE(insert(s, PREFILLER, s->fill[i]) == HD_INSERT_KNOWN);
  }
  IL_REQUIRE(hd_visited_count(s->set) == s->before + fresh);
  IL_REQUIRE(hd_visited_count(s->set) <= s->most);
}

/* ---- set-ups ---- */

static scene *same_key_by(uint32_t threads) {
  scene *s = new_scene(threads);
  for (uint32_t t = 0; t < threads; t++) {
    s->key_count[t] = 1;
    s->keys[t][0] = 7;
  }
  return s;
}

static void *same_key(void) {
  scene *s = same_key_by(3);
  warm_up(s);
  return s;
}

static void *same_key_by_two(void) {
  scene *s = same_key_by(2);
  warm_up(s);
  return s;
}

/* What an insertion allocates is made by both at once. */
static void *first_key(void) {
  return same_key_by(2);
}

/* a, b / b, a: both in one bucket that holds others already. */
static void *colliding_keys(void) {
  scene *s = new_scene(2);
  warm_up(s);
  uint64_t first = key_at(0, 5, home_bits), second = key_at(first, 5, home_bits);
  prefill(s, key_at(second, 5, home_bits));
  s->key_count[0] = s->key_count[1] = 2;
  s->keys[0][0] = s->keys[1][1] = first;
  s->keys[0][1] = s->keys[1][0] = second;
  return s;
}

/* a / b / a, and the bucket has one slot left: the others overflow into the next. */
static void *overflowing_keys(void) {
  scene *s = new_scene(3);
  warm_up(s);
  uint64_t first = key_at(0, 7, home_bits), second = key_at(first, 7, home_bits), other = second;
  for (uint32_t i = 0; i < 7; i++) {
    other = key_at(other, 7, home_bits);
    prefill(s, other);
  }
  s->key_count[0] = s->key_count[1] = s->key_count[2] = 1;
  s->keys[0][0] = s->keys[2][0] = first;
  s->keys[1][0] = second;
  return s;
}

static void *zero_state(void) {
  scene *s = new_scene(3);
  s->key_count[0] = s->key_count[1] = s->key_count[2] = 1;
  s->keys[1][0] = 0;
  return s;
}

/* How many states the smallest set takes. */
static uint64_t learn_limit(void) {
  scene *s = new_scene(0);
  uint64_t count = 0;
  while (insert(s, PREFILLER, 1000 + count) == HD_INSERT_NEW) {
    count++;
  }
  hd_visited_free(s->set);
  return count;
}

/* Room for fewer states than are offered; credit is there for one worker only. */
static void *full_set(void) {
  uint64_t limit = learn_limit();
  scene *s = new_scene(2);
  s->most = limit;
  while (s->before + 1 < limit) {
    s->before++;
    IL_REQUIRE(insert(s, PREFILLER, 1000 + s->before) == HD_INSERT_NEW);
  }
  s->key_count[0] = s->key_count[1] = 2;
  s->keys[0][0] = s->keys[1][1] = 1;
  s->keys[0][1] = 2;
  s->keys[1][0] = 3;
  return s;
}

/* 16 buckets, of which the upper six are split first, in as many ranges as there are threads (the kernels are built
 * with HDI_REACH 2). The last bucket of the first range has overflowed into the second range: both movers put values
 * into the same bucket of the grown table. */
static void *growth(uint32_t threads) {
  scene *s = new_scene_of(threads, 128);
  uint64_t key = 0, last = 10 + 6 / threads - 1;
  for (uint32_t i = 0; i < 9; i++) {
    key = key_at(key, 2 * last, 5);
    prefill(s, key);
  }
  prefill(s, key_at(key, 2 * last + 2, 5));
  prefill(s, key_at(key, 3, 5)); /* in the front */
  s->grows = true;
  return s;
}

static void *growth_by_two(void) {
  return growth(2);
}

static void *growth_by_three(void) {
  return growth(3);
}

/* ---- tests ---- */

#define TEST(words_of_it, number_of_threads, begin) \
  { .name = words_of_it, .threads = number_of_threads, .set_up = begin, .thread = thread, .check = check }

int main(int argc, char **argv) {
  static const il_test word[] = {TEST("word set, one key", 3, same_key),
                                 TEST("word set, colliding keys", 2, colliding_keys),
                                 TEST("word set, overflow", 3, overflowing_keys),
                                 TEST("word set, zero state", 3, zero_state),
                                 TEST("word set, load limit", 2, full_set),
                                 TEST("word set, growth by two", 2, growth_by_two),
                                 TEST("word set, growth by three", 3, growth_by_three)};
  static const il_test wide[] = {TEST("wide set, first key", 2, first_key),
                                 TEST("wide set, one key", 3, same_key),
                                 TEST("wide set, colliding keys", 2, colliding_keys),
                                 TEST("wide set, overflow", 3, overflowing_keys),
                                 TEST("wide set, load limit", 2, full_set),
                                 TEST("wide set, growth by two", 2, growth_by_two),
                                 TEST("wide set, growth by three", 3, growth_by_three)};
  static const il_test tree[] = {TEST("tree set, first key", 2, first_key),
                                 TEST("tree set, one key", 2, same_key_by_two),
                                 {.name = "tree set, two keys",
                                  .threads = 2,
                                  .set_up = colliding_keys,
                                  .thread = thread,
                                  .check = check,
                                  .preemptions_and_one = 3,
                                  .sequential = true}};
  static const il_test quotient[] = {TEST("quotient set, one key", 3, same_key),
                                     TEST("quotient set, two keys", 2, colliding_keys),
                                     TEST("quotient set, three threads", 3, overflowing_keys)};
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "wide") == 0) {
    words = 2;
    store = HD_STORE_WIDE;
    return il_main(argc, argv, wide, sizeof wide / sizeof wide[0]);
  }
  if (strcmp(name, "tree") == 0) {
    words = 2;
    store = HD_STORE_TREE;
    return il_main(argc, argv, tree, sizeof tree / sizeof tree[0]);
  }
  words = 1;
  if (strcmp(name, "quotient") == 0) {
    store = HD_STORE_QUOTIENT;
    state_bits = 34;
    home_bits = 7;
    return il_main(argc, argv, quotient, sizeof quotient / sizeof quotient[0]);
  }
  store = HD_STORE_WORD;
  return il_main(argc, argv, word, sizeof word / sizeof word[0]);
}
