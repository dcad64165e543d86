/* The store for wide states as a tree database: against a plain reference set for many widths, nasty states, many
 * threads while both of its tables grow, limits, failed allocations, and how little it needs. */
#include "hashing/tree_set.h"

#include "core/base/team.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 40 };

static const uint32_t widths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 31, WORDS_MAX};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

static uint64_t mix(uint64_t n) {
  n = (n ^ (n >> 31)) * 0x9e3779b97f4a7c15ULL;
  return n ^ (n >> 29);
}

typedef void (*maker)(uint64_t *state, uint32_t words, uint64_t n);

/* Few values for each word, and the number itself in one that moves: many parts are shared. Number 0 is all zeros. */
static void make_shared(uint64_t *state, uint32_t words, uint64_t n) {
  for (uint32_t i = 0; i < words; i++) {
    state[i] = (n >> (i % 8)) & 3;
  }
  state[n % words] ^= n << 20;
}

/* No two states share a part that is not zero. */
static void make_random(uint64_t *state, uint32_t words, uint64_t n) {
  for (uint32_t i = 0; i < words; i++) {
    state[i] = n == 0 ? 0 : mix(n * WORDS_MAX + i);
  }
}

/* All words equal, or all but one bit: nodes of all levels have keys of few kinds. */
static void make_equal(uint64_t *state, uint32_t words, uint64_t n) {
  uint64_t word = n / 65;
  for (uint32_t i = 0; i < words; i++) {
    state[i] = word | word << 16 | word << 32 | word << 48;
  }
  if (n % 65 != 0) {
    state[n % words] ^= (uint64_t)1 << (n % 65 - 1);
  }
}

/* One number in each 16 bits of one word, all else ones: the chunks must not be confused with one another. */
static void make_chunks(uint64_t *state, uint32_t words, uint64_t n) {
  memset(state, 0xff, words * sizeof *state);
  uint64_t place = n % (4 * words);
  state[place / 4] ^= (n / (4 * words) + 1) << (16 * (place % 4));
}

static const maker makers[] = {make_shared, make_random, make_equal, make_chunks};
enum { MAKERS = sizeof makers / sizeof makers[0] };

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static void make_set(hdi_tree_set *set, uint32_t words, uint32_t workers, size_t slots, size_t memory_max_bytes) {
  hd_visited_config config = {
      .words = words, .workers = workers, .initial_slots = slots, .memory_max_bytes = memory_max_bytes};
  cr_assert_eq(hdi_tree_set_init(set, &config), HD_OK);
}

/* The same with chunks dealt out at random. */
static void make_dealt_set(hdi_tree_set *set, uint32_t words, uint32_t workers, size_t slots, uint64_t seed) {
  uint32_t chunks[4 * WORDS_MAX];
  for (uint32_t i = 0; i < 4 * words; i++) {
    uint32_t other = (uint32_t)(next_random(&seed) % (i + 1));
    chunks[i] = chunks[other];
    chunks[other] = i;
  }
  hd_visited_config config = {.words = words, .workers = workers, .initial_slots = slots, .chunks = chunks};
  cr_assert_eq(hdi_tree_set_init(set, &config), HD_OK);
  memset(chunks, 0, sizeof chunks); /* borrowed during init only */
}

typedef struct growth {
  hdi_tree_set *set;
  bool out_of_memory;
  hd_status answers[16];
} growth;

static void grow_worker(hd_team *team, uint32_t worker, void *payload) {
  growth *g = payload;
  if (g->out_of_memory) {
    hd_fail_alloc_after(0, true);
  }
  g->answers[worker] = hdi_tree_set_grow(g->set, team, worker);
}

static hd_status grow_on(hdi_tree_set *set, uint32_t threads) {
  growth g = {.set = set};
  cr_assert_eq(hd_team_run(threads, grow_worker, &g), HD_OK);
  for (uint32_t i = 1; i < threads; i++) {
    cr_assert_eq(g.answers[i], g.answers[0], "all workers get the same answer");
  }
  return g.answers[0];
}

/* ---- one thread ---- */

/* The states that a maker gives for different numbers need not differ: the reference goes by content. */
static bool *reference_for(maker make, uint32_t words, uint32_t universe, uint32_t *first) {
  uint64_t *all = calloc((size_t)universe * words, sizeof *all);
  cr_assert_not_null(all);
  enum { HEADS = 1 << 13 };
  int32_t *heads = malloc(HEADS * sizeof *heads), *next = malloc(universe * sizeof *next);
  cr_assert(heads != NULL && next != NULL);
  memset(heads, 0xff, HEADS * sizeof *heads);
  for (uint32_t n = 0; n < universe; n++) {
    uint64_t *state = all + (size_t)n * words, sum = 0;
    make(state, words, n);
    for (uint32_t i = 0; i < words; i++) {
      sum = mix(sum ^ state[i]);
    }
    int32_t seen = heads[sum % HEADS];
    while (seen >= 0 && memcmp(all + (size_t)seen * words, state, words * sizeof *state) != 0) {
      seen = next[seen];
    }
    first[n] = seen >= 0 ? (uint32_t)seen : n;
    if (seen < 0) {
      next[n] = heads[sum % HEADS];
      heads[sum % HEADS] = (int32_t)n;
    }
  }
  free(all);
  free(heads);
  free(next);
  return calloc(universe, sizeof(bool));
}

static void check_against_plain_set(maker make, uint32_t words, bool dealt) {
  enum { UNIVERSE = 1500, INSERTIONS = 8000 };
  uint32_t first[UNIVERSE];
  bool *reference = reference_for(make, words, UNIVERSE, first);
  cr_assert_not_null(reference);
  hdi_tree_set set;
  if (dealt) {
    make_dealt_set(&set, words, 3, 64, 1 + words);
  } else {
    make_set(&set, words, 3, 64, 0);
  }
  uint64_t seed = 88172645463325252ULL + words, distinct = 0, grown = 0, state[WORDS_MAX];
  for (uint64_t i = 0; i < INSERTIONS; i++) {
    uint64_t n = next_random(&seed) % UNIVERSE;
    uint32_t worker = (uint32_t)(i % 3);
    make(state, words, n);
    hd_insert answer = hdi_tree_set_insert(&set, worker, state);
    while (answer == HD_INSERT_FULL) {
      cr_assert_not(reference[first[n]], "a state that is there is never answered with full");
      cr_assert_eq(grow_on(&set, 1 + (uint32_t)(grown++ % 3)), HD_OK);
      answer = hdi_tree_set_insert(&set, worker, state);
    }
    cr_assert_eq(answer, reference[first[n]] ? HD_INSERT_KNOWN : HD_INSERT_NEW);
    distinct += !reference[first[n]];
    reference[first[n]] = true;
    cr_assert_eq(hdi_table_count(&set.roots.table), distinct);
  }
  for (uint64_t n = 0; n < UNIVERSE; n++) {
    make(state, words, n);
    cr_assert_eq(hdi_tree_set_contains(&set, state), reference[first[n]]);
  }
  cr_assert_gt(grown, 2);
  hdi_tree_set_clear(&set);
  free(reference);
}

Test(tree_set, agrees_with_a_plain_set) {
  for (size_t m = 0; m < MAKERS; m++) {
    for (size_t w = 0; w < WIDTHS; w++) {
      check_against_plain_set(makers[m], widths[w], false);
    }
  }
}

Test(tree_set, agrees_with_a_plain_set_however_chunks_are_dealt_out) {
  for (size_t m = 0; m < MAKERS; m++) {
    for (size_t w = 1; w < WIDTHS; w++) {
      check_against_plain_set(makers[m], widths[w], true);
    }
  }
}

/* Offered together or one by one, the answers are the same, whatever the batch does to the blocks. */
Test(tree_set, a_batch_answers_like_single_insertions) {
  enum { STATES = 700 };
  for (size_t w = 0; w < WIDTHS; w++) {
    uint32_t words = widths[w];
    uint64_t *states = calloc((size_t)STATES * words, sizeof *states);
    uint32_t *places = calloc(STATES + 8, sizeof *places);
    uint8_t *answers = calloc(STATES + 8, sizeof *answers);
    cr_assert(states != NULL && places != NULL && answers != NULL);
    uint64_t seed = 4711 + w;
    for (uint32_t i = 0; i < STATES; i++) {
      makers[i % MAKERS](states + (size_t)i * words, words, next_random(&seed) % 300);
    }
    hdi_tree_set one, many;
    make_set(&one, words, 1, 1 << 22, 0);
    if (words > 1) {
      make_dealt_set(&many, words, 1, 1 << 22, seed);
    } else {
      make_set(&many, words, 1, 1 << 22, 0);
    }
    size_t found = hdi_tree_set_insert_many(&many, 0, states, STATES, places, answers), at = 0;
    for (uint32_t i = 0; i < STATES; i++) {
      hd_insert expected = hdi_tree_set_insert(&one, 0, states + (size_t)i * words);
      hd_insert got = at < found && places[at] == i ? (hd_insert)answers[at++] : HD_INSERT_KNOWN;
      cr_assert_eq(got, expected, "%u words, state %u", words, i);
    }
    cr_assert_eq(at, found);
    cr_assert_eq(hdi_table_count(&one.roots.table), hdi_table_count(&many.roots.table));

    hdi_tree_set_clear(&one);
    hdi_tree_set_clear(&many);
    free(states);
    free(places);
    free(answers);
  }
}

/* ---- many threads ---- */

typedef struct storm {
  hdi_tree_set set;
  maker make;
  uint32_t words;
  uint64_t universe, insertions;
  hd_atomic_u32 *news;     /* per state: how many insertions answered NEW */
  hd_atomic_u64 pauses[2]; /* by parity of the round: who wants growth */
  hd_atomic_u32 wrong;
} storm;

/* Offers batches of an overlapping random stream; everybody meets to grow when somebody found the set full. */
static void storm_batch(storm *s, uint32_t worker, uint64_t *seed, uint64_t *done, hd_atomic_u64 *pauses) {
  enum { BATCH = 50 };
  uint64_t numbers[BATCH], states[BATCH * WORDS_MAX];
  uint32_t places[BATCH + 8];
  uint8_t answers[BATCH + 8];
  for (uint32_t i = 0; i < BATCH; i++) {
    numbers[i] = next_random(seed) % s->universe;
    s->make(states + (size_t)i * s->words, s->words, numbers[i]);
  }
  size_t found = hdi_tree_set_insert_many(&s->set, worker, states, BATCH, places, answers);
  for (size_t i = 0; i < found; i++) {
    if (answers[i] == HD_INSERT_NEW) {
      hd_add_rlx(&s->news[numbers[places[i]]], 1);
    } else if (answers[i] == HD_INSERT_FULL) {
      hd_add_rlx(pauses, 1);
    } else {
      hd_add_rlx(&s->wrong, 1);
    }
  }
  *done += BATCH;
}

static void storm_worker(hd_team *team, uint32_t worker, void *payload) {
  storm *s = payload;
  uint64_t seed = 1234567 + worker, done = 0;
  for (uint64_t round = 0;; round++) {
    hd_atomic_u64 *pauses = &s->pauses[round % 2];
    while (done < s->insertions && hd_load_rlx(pauses) == 0) {
      storm_batch(s, worker, &seed, &done, pauses);
    }
    hd_team_barrier(team);
    if (hd_load_rlx(pauses) == 0) {
      return;
    }
    if (hdi_tree_set_grow(&s->set, team, worker) != HD_OK) {
      hd_add_rlx(&s->wrong, 1);
      return;
    }
    if (worker == 0) {
      hd_store_rlx(pauses, 0);
    }
    hd_team_barrier(team);
  }
}

static void run_storm(maker make, uint32_t words, uint32_t threads, uint64_t universe, uint64_t insertions) {
  storm s = {.make = make, .words = words, .universe = universe, .insertions = insertions};
  make_set(&s.set, words, threads, 64, 0);
  s.news = calloc(universe, sizeof(hd_atomic_u32));
  cr_assert_not_null(s.news);
  cr_assert_eq(hd_team_run(threads, storm_worker, &s), HD_OK);
  cr_assert_eq(hd_load_rlx(&s.wrong), 0);
  uint64_t distinct = 0, state[WORDS_MAX];
  for (uint64_t n = 0; n < universe; n++) {
    uint32_t news = hd_load_rlx(&s.news[n]);
    cr_assert_leq(news, 1, "state %llu was new %u times", (unsigned long long)n, news);
    make(state, words, n);
    cr_assert_eq(hdi_tree_set_contains(&s.set, state), news == 1);
    distinct += news;
  }
  cr_assert_eq(hdi_table_count(&s.set.roots.table), distinct);
  cr_assert_gt(distinct, universe / 2);
  free((void *)s.news);
  hdi_tree_set_clear(&s.set);
}

/* make_random and make_chunks give different states for different numbers. */
Test(tree_set, exactly_one_thread_hears_new_while_tables_grow) {
  for (uint32_t threads = 1; threads <= 8; threads += threads == 2 ? 1 : threads) {
    run_storm(make_random, 2, threads, 8000, 24000 / threads);
    run_storm(make_random, 9, threads, 2000, 6000 / threads);
    run_storm(make_chunks, 4, threads, 8000, 24000 / threads);
    run_storm(make_chunks, WORDS_MAX, threads, 4000, 12000 / threads);
  }
}

/* Few states, many insertions: the threads meet at the same places all the time. */
Test(tree_set, threads_race_for_the_same_nodes) {
  for (int again = 0; again < 20; again++) {
    run_storm(make_chunks, 5, 4, 100, 400);
    run_storm(make_random, 3, 4, 60, 300);
  }
}

/* ---- limits ---- */

Test(tree_set, growth_stops_at_the_memory_limit_and_loses_nothing) {
  enum { LIMIT = 400000 };
  for (size_t m = 0; m < 2; m++) {
    maker make = m == 0 ? make_random : make_chunks;
    hdi_tree_set set;
    make_set(&set, 6, 2, 64, LIMIT);
    uint64_t state[WORDS_MAX], n = 0;
    hd_status status = HD_OK;
    while (status == HD_OK) {
      make(state, 6, n);
      hd_insert answer = hdi_tree_set_insert(&set, 1, state);
      if (answer == HD_INSERT_FULL) {
        status = grow_on(&set, 3);
      } else {
        cr_assert_eq(answer, HD_INSERT_NEW);
        n++;
      }
    }
    cr_assert_eq(status, HD_E_LIMIT);
    cr_assert_leq(hdi_tree_set_size_bytes(&set), LIMIT);
    cr_assert_geq(hdi_tree_set_size_bytes(&set), LIMIT / 4);
    cr_assert_eq(hdi_table_count(&set.roots.table), n);
    for (uint64_t i = 0; i <= n; i++) {
      make(state, 6, i);
      cr_assert_eq(hdi_tree_set_contains(&set, state), i < n);
      if (i < n) {
        cr_assert_eq(hdi_tree_set_insert(&set, 0, state), HD_INSERT_KNOWN, "what is known stays known");
      }
    }
    hdi_tree_set_clear(&set);
  }
  hd_visited_config small = {.words = 3, .workers = 1, .memory_max_bytes = 800};
  hdi_tree_set set;
  cr_assert_eq(hdi_tree_set_init(&set, &small), HD_E_LIMIT);
}

Test(tree_set, every_failed_allocation_of_init_is_reported) {
  for (size_t w = 0; w < WIDTHS; w++) {
    hd_visited_config config = {.words = widths[w], .workers = 3};
    hdi_tree_set set;
    uint64_t failed = 0;
    int64_t live = hd_fail_alloc_live();
    for (hd_status status = HD_E_NOMEM; status != HD_OK; failed++) {
      hd_fail_alloc_after(failed, false);
      status = hdi_tree_set_init(&set, &config);
      uint64_t made = hd_fail_alloc_stop();
      cr_assert_eq(status, made > failed ? HD_E_NOMEM : HD_OK);
      cr_assert(status == HD_OK || hd_fail_alloc_live() == live, "nothing is left behind");
    }
    cr_assert_gt(failed, widths[w] > 1 ? 9 : 4);
    hdi_tree_set_clear(&set);
    cr_assert_eq(hd_fail_alloc_live(), live);
  }
}

/* Insertion allocates nothing; growth that finds no memory leaves everything as it was, for nodes and for roots. */
Test(tree_set, a_failed_growth_changes_nothing) {
  for (size_t m = 0; m < 2; m++) {
    maker make = m == 0 ? make_random : make_equal; /* the nodes are full first; the roots are */
    hdi_tree_set set;
    make_set(&set, 2, 1, m == 0 ? 4096 : 64, 0);
    uint64_t state[WORDS_MAX], n = 0;
    hd_fail_alloc_after(0, true);
    for (hd_insert answer = HD_INSERT_NEW; answer != HD_INSERT_FULL; n++) {
      make(state, 2, n);
      answer = hdi_tree_set_insert(&set, 0, state);
    }
    cr_assert_eq(hd_fail_alloc_stop(), 0);
    growth g = {.set = &set, .out_of_memory = true};
    size_t before = hdi_tree_set_size_bytes(&set);
    cr_assert_eq(hd_team_run(1, grow_worker, &g), HD_OK);
    hd_fail_alloc_stop();
    cr_assert_eq(g.answers[0], HD_E_NOMEM);
    cr_assert_eq(hdi_tree_set_size_bytes(&set), before);
    while (hdi_tree_set_insert(&set, 0, state) == HD_INSERT_FULL) {
      cr_assert_eq(grow_on(&set, 2), HD_OK);
    }
    for (uint64_t i = 0; i < n; i++) {
      make(state, 2, i);
      cr_assert(hdi_tree_set_contains(&set, state));
    }
    hdi_tree_set_clear(&set);
  }
}

/* ---- size ---- */

/* Both halves run through the same 600 values, in all combinations: nodes for the halves, and one root each. */
Test(tree_set, free_combinations_of_halves_take_one_root_each) {
  hdi_tree_set set;
  make_set(&set, 2, 1, 0, 0);
  enum { VALUES = 600 };
  for (uint64_t a = 0; a < VALUES; a++) {
    for (uint64_t b = 0; b < VALUES; b++) {
      const uint64_t state[2] = {a | a << 32, b << 16 | b << 48}; /* chunks 0 and 2, chunks 1 and 3 */
      hd_insert answer = hdi_tree_set_insert(&set, 0, state);
      while (answer == HD_INSERT_FULL) {
        cr_assert_eq(grow_on(&set, 1), HD_OK);
        answer = hdi_tree_set_insert(&set, 0, state);
      }
      cr_assert_eq(answer, HD_INSERT_NEW);
    }
  }
  cr_assert_leq(hdi_node_table_count(&set.nodes), 2 * VALUES);
  cr_assert_lt(set.nodes.now.size_bytes, set.roots.table.now.size_bytes / 50);
  hdi_tree_set_clear(&set);
}
