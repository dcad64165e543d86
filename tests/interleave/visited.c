/* The visited sets under every interleaving: insertion of one key, of colliding keys, of the zero state, at the load
 * limit; growth, and the move from a table into a bitmap. Oracle: each state is NEW exactly once, what is KNOWN or NEW
 * is in the set, what is FULL has left it as it was, nothing is lost by growth, the load limit holds. */
#include "hashing/visited.h"
#include "core/base/hash.h"
#include "hashing/quotient_set.h"
#include "hashing/word_set.h"
#include "tests/interleave/interleave.h"
#include "tests/interleave/lines.h"

enum { WORDS_MAX = 3, KEYS_MAX = 4, FILLED_MAX = 96, PREFILLER = 3, WORKERS = 4 };

typedef struct scene {
  hd_visited *set;
  hdi_word_set *lines; /* in its place: a set of words that is asked line by line */
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
static bool by_lines;

static void state_of(uint64_t key, uint64_t state[WORDS_MAX]) {
  for (uint32_t i = 0; i < WORDS_MAX; i++) {
    state[i] = i == 0 ? key : key * i;
  }
}

/* `count` keys one after another, or as one block. */
static void insert_keys(scene *s, uint32_t worker, const uint64_t *keys, uint32_t count, hd_insert *answers) {
  for (uint32_t i = 0; i < count; i++) {
    uint64_t state[WORDS_MAX];
    state_of(keys[i], state);
    answers[i] = by_lines ? HD_INSERT_KNOWN : hd_visited_insert(s->set, worker, state);
  }
  if (by_lines && count > 0) {
    uint32_t places[KEYS_MAX + 8];
    uint8_t given[KEYS_MAX + 8];
    size_t found = hdi_word_set_insert_many(s->lines, worker, keys, count, places, given);
    for (size_t i = 0; i < found; i++) {
      IL_REQUIRE(places[i] < count && (i == 0 || places[i] > places[i - 1]));
      answers[places[i]] = (hd_insert)given[i];
    }
  }
}

static hd_insert insert(scene *s, uint32_t worker, uint64_t key) {
  hd_insert answer;
  insert_keys(s, worker, &key, 1, &answer);
  return answer;
}

static bool contains(const scene *s, uint64_t key) {
  uint64_t state[WORDS_MAX];
  state_of(key, state);
  return by_lines ? hdi_word_set_contains(s->lines, key) : hd_visited_contains(s->set, state);
}

static uint64_t count_states(const scene *s) {
  return by_lines ? hdi_table_count(&s->lines->table) : hd_visited_count(s->set);
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
  if (by_lines) {
    s->lines = aligned_alloc(HD_CACHE_LINE, sizeof *s->lines);
    IL_REQUIRE(s->lines != NULL && hdi_word_set_init(s->lines, &config) == HD_OK);
    s->lines->insert_many = il_insert_by_lines;
  } else {
    IL_REQUIRE(hd_visited_new(&config, &s->set) == HD_OK);
  }
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
  insert_keys(s, number, s->keys[number], s->key_count[number], s->answers[number]);
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

/* Who inserted it before the threads, or which of them did: one at most. */
static uint32_t count_new(const scene *s, uint64_t key) {
  uint32_t count = count_answers(s, key, HD_INSERT_NEW);
  for (uint32_t i = 0; i < s->filled; i++) {
    count += s->fill[i] == key;
  }
  return count;
}

static void check(void *context) {
  scene *s = context;
  uint64_t fresh = 0;
  for (uint32_t t = 0; t < s->threads; t++) {
    for (uint32_t i = 0; i < s->key_count[t]; i++) {
      uint64_t key = s->keys[t][i];
      IL_REQUIRE(s->answers[t][i] != HD_INSERT_NOMEM);
      IL_REQUIRE(count_new(s, key) <= 1);
      IL_REQUIRE(s->answers[t][i] != HD_INSERT_KNOWN || count_new(s, key) == 1);
      IL_REQUIRE(s->answers[t][i] != HD_INSERT_FULL || s->most != UINT64_MAX);
      IL_REQUIRE(contains(s, key) == (count_new(s, key) == 1));
      fresh += s->answers[t][i] == HD_INSERT_NEW;
    }
  }
  for (uint32_t i = 0; i < s->filled; i++) {
    IL_REQUIRE(contains(s, s->fill[i]));
    IL_REQUIRE(insert(s, PREFILLER, s->fill[i]) == HD_INSERT_KNOWN);
  }
  IL_REQUIRE(count_states(s) == s->before + fresh);
  IL_REQUIRE(count_states(s) <= s->most);
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

/* a, b, a: a block that has the same state twice, and one that the other thread has too. */
static void *blocks(void) {
  scene *s = new_scene(2);
  warm_up(s);
  s->key_count[0] = 3;
  s->key_count[1] = 2;
  s->keys[0][0] = s->keys[0][2] = s->keys[1][1] = 7;
  s->keys[0][1] = s->keys[1][0] = 0;
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

/* 32 buckets of 16 slots: 18 .. 31 are split in the first round, 11 .. 17 in the second. The last bucket of the first
 * range has overflowed into the second range, and a key of the second round goes where the first one still reads. */
static void *quotient_growth(uint32_t threads) {
  scene *s = new_scene(threads);
  const uint64_t last = 18 + 14 / threads - 1, in_second_round = 12, written_to = 25;
  uint64_t key = 0;
  for (uint32_t i = 0; i <= 16; i++) {
    key = key_at(key, 2 * last + (i < 10 ? 1 : 0), 6);
    prefill(s, key);
  }
  prefill(s, key_at(key, 2 * last + 2, 6));
  prefill(s, key_at(0, 2 * in_second_round + 1, 6));
  prefill(s, key_at(0, 2 * written_to, 6));
  prefill(s, key_at(0, 3, 6)); /* in the front */
  s->grows = true;
  return s;
}

static void *quotient_growth_by_two(void) {
  return quotient_growth(2);
}

static void *quotient_growth_by_three(void) {
  return quotient_growth(3);
}

/* A state of two parts, whose numbers are the same as they: parts come in the order 1, 2, ... */
static uint64_t tree_key(uint32_t left, uint32_t right) {
  return left | (uint64_t)right << 16;
}

/* A tree whose set of roots, 16 buckets, is as in growth(), and larger by `more`; `parts` numbers are given out. */
static void *tree_growth(uint32_t threads, uint32_t parts, uint32_t more) {
  scene *s = new_scene_of(threads, 128);
  for (uint32_t part = 1; part < parts; part += 2) {
    prefill(s, tree_key(part, part + 1));
  }
  const uint64_t last = 10 + 6 / threads - 1;
  uint32_t placed = 0;
  for (uint32_t i = 0; i < parts * parts && placed < 9 + more; i++) {
    uint32_t left = 1 + i / parts, right = 1 + i % parts;
    bool is_new = left % 2 == 0 || right != left + 1;
    uint64_t home = hdi_word_mix((uint64_t)left << 32 | right) >> (64 - 5);
    if (is_new && (placed < 9 ? home == 2 * last + (placed < 4 ? 1 : 0) : home < 2 * 10)) {
      prefill(s, tree_key(left, right));
      placed++;
    }
  }
  IL_REQUIRE(placed == 9 + more);
  s->grows = true;
  return s;
}

static void *tree_growth_by_two(void) {
  return tree_growth(2, 20, 0);
}

static void *tree_growth_by_three(void) {
  return tree_growth(3, 20, 0);
}

/* The table of numbers grows too. */
static void *tree_growth_of_both(void) {
  return tree_growth(2, 32, 60);
}

/* ---- the bitmap ---- */

/* One word has all their bits. */
static void *bits_of_a_word(void) {
  scene *s = new_scene(3);
  prefill(s, 9);
  s->key_count[0] = s->key_count[1] = s->key_count[2] = 2;
  s->keys[0][0] = s->keys[1][1] = s->keys[2][0] = 1;
  s->keys[0][1] = s->keys[1][0] = 63;
  s->keys[2][1] = 9;
  return s;
}

/* A table grows into a bitmap, of which one word has the states of all movers; then all insert. */
static void *move(uint32_t threads) {
  scene *s = new_scene(threads);
  for (uint64_t key = 0; key < 5; key++) {
    prefill(s, key);
  }
  s->grows = true;
  for (uint32_t t = 0; t < threads; t++) {
    s->key_count[t] = 2;
    s->keys[t][0] = 3;
    s->keys[t][1] = 63;
  }
  return s;
}

static void *move_by_two(void) {
  return move(2);
}

static void *move_by_three(void) {
  return move(3);
}

/* ---- tests ---- */

#define TEST(words_of_it, number_of_threads, begin) \
  { .name = words_of_it, .threads = number_of_threads, .set_up = begin, .thread = thread, .check = check }

static const il_test word[] = {TEST("word set, one key", 3, same_key),
                               TEST("word set, colliding keys", 2, colliding_keys),
                               TEST("word set, overflow", 3, overflowing_keys),
                               TEST("word set, zero state", 3, zero_state),
                               TEST("word set, load limit", 2, full_set),
                               TEST("word set, growth by two", 2, growth_by_two),
                               TEST("word set, growth by three", 3, growth_by_three)};
static const il_test lines[] = {TEST("word set by lines, one key", 3, same_key),
                                TEST("word set by lines, blocks", 2, blocks),
                                TEST("word set by lines, colliding keys", 2, colliding_keys),
                                TEST("word set by lines, overflow", 3, overflowing_keys),
                                TEST("word set by lines, zero state", 3, zero_state),
                                TEST("word set by lines, load limit", 2, full_set)};
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
static const il_test tree_grown[] = {TEST("tree set, growth by two", 2, tree_growth_by_two),
                                     TEST("tree set, growth by three", 3, tree_growth_by_three),
                                     TEST("tree set, growth of both tables", 2, tree_growth_of_both)};
static const il_test quotient[] = {TEST("quotient set, one key", 3, same_key),
                                   TEST("quotient set, two keys", 2, colliding_keys),
                                   TEST("quotient set, three threads", 3, overflowing_keys)};
static const il_test quotient_grown[] = {TEST("quotient set, growth by two", 2, quotient_growth_by_two),
                                         TEST("quotient set, growth by three", 3, quotient_growth_by_three)};
static const il_test bitmap[] = {TEST("bitmap, one word", 3, bits_of_a_word)};
static const il_test moved[] = {TEST("bitmap, move by two", 2, move_by_two),
                                TEST("bitmap, move by three", 3, move_by_three)};

#define GROUP(word_for_it, tests_of_it, ...) \
  { .name = word_for_it, .tests = tests_of_it, .count = sizeof tests_of_it / sizeof tests_of_it[0], __VA_ARGS__ }

int main(int argc, char **argv) {
  static const struct group {
    const char *name;
    const il_test *tests;
    size_t count;
    hd_store store;
    uint32_t words, bits, home_bits;
    bool by_lines;
  } groups[] = {
      GROUP("word", word, .store = HD_STORE_WORD, .words = 1, .bits = 64, .home_bits = 3),
      GROUP("lines", lines, .store = HD_STORE_WORD, .words = 1, .bits = 64, .home_bits = 3, .by_lines = true),
      GROUP("wide", wide, .store = HD_STORE_WIDE, .words = 2, .bits = 64, .home_bits = 3),
      GROUP("tree", tree, .store = HD_STORE_TREE, .words = 2, .bits = 64, .home_bits = 3),
      GROUP("tree_growth", tree_grown, .store = HD_STORE_TREE, .words = 2, .bits = 64, .home_bits = 3),
      GROUP("quotient", quotient, .store = HD_STORE_QUOTIENT, .words = 1, .bits = 34, .home_bits = 7),
      GROUP("quotient_growth", quotient_grown, .store = HD_STORE_QUOTIENT, .words = 1, .bits = 32, .home_bits = 5),
      GROUP("bitmap", bitmap, .store = HD_STORE_BITMAP, .words = 1, .bits = 12, .home_bits = 3),
      GROUP("move", moved, .store = HD_STORE_AUTO, .words = 1, .bits = 12, .home_bits = 3),
  };
  for (size_t i = 0; argc > 1 && i < sizeof groups / sizeof groups[0]; i++) {
    const struct group *g = &groups[i];
    if (strcmp(argv[1], g->name) == 0) {
      store = g->store;
      words = g->words;
      state_bits = g->bits;
      home_bits = g->home_bits;
      by_lines = g->by_lines;
      return il_main(argc, argv, g->tests, g->count);
    }
  }
  return 2;
}
