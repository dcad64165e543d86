/* The bitstate set (hashing/bitstate_set.c) under every interleaving. A state is two bits in each of two words of a
 * line; the filter is one line, so that all states meet. Oracle: of all who insert a state at most one is told NEW, and
 * exactly one when no other state has any of its bits; whatever was inserted is there; the count is that of NEW. */
#include "hashing/bitstate_set.h"
#include "tests/interleave/interleave.h"

enum { WORKERS = 3, LINE = HDI_BITSTATE_LINE_WORDS };

/* The bits of a state. */
typedef struct footprint {
  uint64_t words[LINE];
} footprint;

typedef struct scene {
  hdi_bitstate_set set;
  uint32_t threads;
  uint64_t keys[IL_THREADS_MAX];
  hd_insert answers[IL_THREADS_MAX];
  uint64_t before;
} scene;

static void init_set(hdi_bitstate_set *set) {
  const hd_visited_config config = {.words = 1, .workers = WORKERS, .memory_max_bytes = 2 * LINE * sizeof(uint64_t)};
  IL_REQUIRE(hdi_bitstate_set_init(set, &config) == HD_OK && set->line_count == 1);
}

/* What the state sets in an empty filter. */
static footprint footprint_of(hdi_bitstate_set *scratch, uint64_t key) {
  footprint f;
  for (uint32_t i = 0; i < LINE; i++) {
    hd_store_rlx(&scratch->bits[i], 0);
  }
  (void)hdi_bitstate_set_insert(scratch, 0, &key);
  for (uint32_t i = 0; i < LINE; i++) {
    f.words[i] = hd_load_rlx(&scratch->bits[i]);
  }
  return f;
}

/* The words of a footprint that have bits: two, in ascending order. */
static uint32_t used_word(const footprint *f, uint32_t number) {
  for (uint32_t i = 0; i < LINE; i++) {
    if (f->words[i] != 0 && number-- == 0) {
      return i;
    }
  }
  return LINE;
}

static scene *new_scene(uint32_t threads) {
  scene *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
  IL_REQUIRE(s != NULL);
  memset(s, 0, sizeof *s);
  s->threads = threads;
  init_set(&s->set);
  return s;
}

static void thread(void *context, uint32_t number) {
  scene *s = context;
  s->answers[number] = hdi_bitstate_set_insert(&s->set, number, &s->keys[number]);
}

static void check_counts(const scene *s) {
  uint64_t fresh = 0;
  for (uint32_t t = 0; t < s->threads; t++) {
    uint32_t told = 0;
    for (uint32_t other = 0; other < s->threads; other++) {
      told += s->keys[other] == s->keys[t] && s->answers[other] == HD_INSERT_NEW;
    }
    IL_REQUIRE(s->answers[t] == HD_INSERT_NEW || s->answers[t] == HD_INSERT_KNOWN);
    IL_REQUIRE(told <= 1);
    IL_REQUIRE(hdi_bitstate_set_contains(&s->set, &s->keys[t]));
    fresh += s->answers[t] == HD_INSERT_NEW;
  }
  IL_REQUIRE(hdi_bitstate_set_count(&s->set) == s->before + fresh);
}

static void check(void *context) {
  check_counts(context);
}

/* All insert the same state, and no other has all the bits that it has in a word. */
static void check_one_new(void *context) {
  const scene *s = context;
  check_counts(s);
  uint32_t told = 0;
  for (uint32_t t = 0; t < s->threads; t++) {
    told += s->answers[t] == HD_INSERT_NEW;
  }
  IL_REQUIRE(told == 1);
}

/* ---- set-ups ---- */

static void *one_state(void) {
  scene *s = new_scene(3);
  s->keys[0] = s->keys[1] = s->keys[2] = 7;
  return s;
}

/* Another state than `key` that has all the bits that `key` has in one of its two words. */
static uint64_t covering(uint64_t key, uint32_t which) {
  static uint64_t found[2];
  if (found[which] == 0) { /* the same in every run */
    hdi_bitstate_set scratch;
    init_set(&scratch);
    footprint mine = footprint_of(&scratch, key), other;
    uint32_t word = used_word(&mine, which);
    uint64_t candidate = key;
    do {
      candidate++;
      other = footprint_of(&scratch, candidate);
    } while ((other.words[word] & mine.words[word]) != mine.words[word]);
    found[which] = candidate;
  }
  return found[which];
}

/* Two insert a state, of which one word is set meanwhile by another: then different words may decide. */
static scene *helped(uint32_t which) {
  scene *s = new_scene(3);
  s->keys[0] = s->keys[1] = 7;
  s->keys[2] = covering(7, which);
  return s;
}

static void *helped_in_first_word(void) {
  return helped(0);
}

static void *helped_in_second_word(void) {
  return helped(1);
}

/* One word is set beforehand: all is decided by the other one. */
static scene *half_there(uint32_t which) {
  scene *s = one_state();
  uint64_t other = covering(7, which);
  IL_REQUIRE(hdi_bitstate_set_insert(&s->set, 0, &other) == HD_INSERT_NEW);
  s->before = 1;
  return s;
}

static void *half_there_first(void) {
  return half_there(0);
}

static void *half_there_second(void) {
  return half_there(1);
}

#define TEST(words_of_it, begin, check_it) \
  { .name = words_of_it, .threads = 3, .set_up = begin, .thread = thread, .check = check_it }

int main(int argc, char **argv) {
  static const il_test tests[] = {TEST("bitstate, one state", one_state, check_one_new),
                                  TEST("bitstate, first word set meanwhile", helped_in_first_word, check),
                                  TEST("bitstate, second word set meanwhile", helped_in_second_word, check),
                                  TEST("bitstate, first word set", half_there_first, check_one_new),
                                  TEST("bitstate, second word set", half_there_second, check_one_new)};
  return il_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
