/* The visited set through its public header, for every store: against a plain reference set, from several threads at
 * once, while it grows, at its memory limit, and when allocations fail. */
#include "hashing/visited.h"

#include "core/base/atomic.h"
#include "core/base/option.h"
#include "core/base/team.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 20 };

typedef struct store_case {
  hd_store store;
  uint32_t words;
} store_case;

static const store_case cases[] = {{HD_STORE_AUTO, 1},  {HD_STORE_WIDE, 1},         {HD_STORE_WIDE, 2},
                                   {HD_STORE_WIDE, 5},  {HD_STORE_WIDE, WORDS_MAX}, {HD_STORE_QUOTIENT, 1},
                                   {HD_STORE_BITMAP, 1}};
/* The last two have limits of their own, which test_quotient_set.c and test_bitmap_set.c look at. */
enum { ALL_CASES = sizeof cases / sizeof cases[0], CASES = ALL_CASES - 2 };
enum { WORD_BITS = 32 };

/* State number `n` of the test's universe; number 0 is the zero state. */
static void make_state(uint64_t *state, uint32_t words, uint64_t n) {
  for (uint32_t i = 0; i < words; i++) {
    state[i] = i % 3 == 0 ? n * 0x9e3779b97f4a7c15ULL >> (i % 7) : (n >> i) & 0xff;
  }
  state[words - 1] = words == 1 ? (n * 0x9e3779b97f4a7c15ULL) & (((uint64_t)1 << WORD_BITS) - 1) : n;
}

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static hd_visited *make_set(const store_case *c, uint32_t workers, size_t slots, size_t memory_max_bytes) {
  hd_visited_config config = {.words = c->words,
                              .bits = c->words == 1 ? WORD_BITS : 64,
                              .workers = workers,
                              .store = c->store,
                              .initial_slots = slots,
                              .memory_max_bytes = memory_max_bytes};
  hd_visited *visited;
  cr_assert_eq(hd_visited_new(&config, &visited), HD_OK);
  return visited;
}

/* ---- growth on a team ---- */

typedef struct growth {
  hd_visited *visited;
  bool out_of_memory;
  hd_status answers[16];
} growth;

static void grow_worker(hd_team *team, uint32_t worker, void *payload) {
  growth *g = payload;
  if (g->out_of_memory) {
    hd_fail_alloc_after(0, true);
  }
  g->answers[worker] = hd_visited_grow(g->visited, team, worker);
}

static hd_status grow_on(hd_visited *visited, uint32_t threads) {
  growth g = {.visited = visited};
  cr_assert_eq(hd_team_run(threads, grow_worker, &g), HD_OK);
  for (uint32_t i = 1; i < threads; i++) {
    cr_assert_eq(g.answers[i], g.answers[0], "all workers get the same answer");
  }
  return g.answers[0];
}

/* ---- one thread ---- */

Test(visited, agrees_with_a_plain_set) {
  enum { UNIVERSE = 3000, INSERTIONS = 20000 };
  for (size_t c = 0; c < ALL_CASES; c++) {
    hd_visited *visited = make_set(&cases[c], 3, 64, 0);
    bool *reference = calloc(UNIVERSE, sizeof *reference);
    uint64_t seed = 88172645463325252ULL + c, distinct = 0, grown = 0;
    for (uint64_t i = 0; i < INSERTIONS; i++) {
      uint64_t n = next_random(&seed) % UNIVERSE, state[WORDS_MAX];
      make_state(state, cases[c].words, n);
      hd_insert answer = hd_visited_insert(visited, (uint32_t)(i % 3), state);
      if (answer == HD_INSERT_FULL) {
        cr_assert_not(reference[n], "a state that is there is never answered with full");
        cr_assert_eq(grow_on(visited, 1 + (uint32_t)(grown++ % 3)), HD_OK);
        answer = hd_visited_insert(visited, (uint32_t)(i % 3), state);
      }
      cr_assert_eq(answer, reference[n] ? HD_INSERT_KNOWN : HD_INSERT_NEW);
      distinct += !reference[n];
      reference[n] = true;
      cr_assert_eq(hd_visited_count(visited), distinct);
    }
    cr_assert(grown > 4 || c >= CASES);
    for (uint64_t n = 0; n < UNIVERSE; n++) {
      uint64_t state[WORDS_MAX];
      make_state(state, cases[c].words, n);
      cr_assert_eq(hd_visited_contains(visited, state), reference[n]);
    }
    free(reference);
    hd_visited_free(visited);
  }
}

Test(visited, stores_are_chosen_by_width) {
  for (size_t c = 0; c < CASES; c++) {
    hd_visited *visited = make_set(&cases[c], 1, 0, 0);
    bool word = cases[c].store != HD_STORE_WIDE && cases[c].words == 1;
    cr_assert_str_eq(hd_visited_store_name(visited), word ? "word" : "wide");
    hd_visited_free(visited);
  }
  for (uint32_t words = 1; words <= 5; words++) {
    hd_visited *visited = make_set(&(store_case){HD_STORE_AUTO, words}, 1, 0, 0);
    cr_assert_str_eq(hd_visited_store_name(visited), words == 1 ? "word" : "tree");
    hd_visited_free(visited);
  }
  hd_visited_config wrong = {.words = 2, .workers = 1, .store = HD_STORE_WORD};
  hd_visited *visited;
  cr_assert_eq(hd_visited_new(&wrong, &visited), HD_E_USAGE);
  cr_assert_null(visited);
  hd_visited_free(NULL);
}

/* `--store` holds an index into the words of its row, which must therefore be the stores in order. */
Test(visited, the_option_names_the_stores_in_order) {
  char names[256] = "";
  for (uint32_t store = 0; store < HD_STORE_COUNT; store++) {
    strcat(strcat(names, store == 0 ? "" : "|"), hd_store_name((hd_store)store));
  }
  for (size_t i = 0; i < hd_option_row_count; i++) {
    if (strcmp(hd_option_rows[i].name, "store") == 0) {
      cr_assert_str_eq(hd_option_rows[i].argument, names);
      return;
    }
  }
  cr_assert_fail("there is no option named store");
}

Test(visited, a_refused_store_says_why) {
  for (uint32_t store = 0; store < HD_STORE_COUNT; store++) {
    for (uint32_t words = 1; words <= 3; words++) {
      const char *why = hd_store_refusal((hd_store)store, words, words * 64);
      hd_visited_config config = {.words = words, .bits = words * 64, .workers = 1, .store = (hd_store)store};
      hd_visited *visited;
      cr_assert_eq(hd_visited_new(&config, &visited), why == NULL ? HD_OK : HD_E_USAGE, "%s",
                   hd_store_name((hd_store)store));
      hd_visited_free(visited);
    }
  }
}

Test(visited, wants_growth_at_its_load_limit_and_doubles) {
  for (size_t c = 0; c < CASES; c++) {
    hd_visited *visited = make_set(&cases[c], 1, 1024, 0);
    uint64_t state[WORDS_MAX], n = 0;
    while (!hd_visited_wants_growth(visited)) {
      make_state(state, cases[c].words, n++);
      cr_assert_eq(hd_visited_insert(visited, 0, state), HD_INSERT_NEW);
    }
    cr_assert_geq(n, 1024 * 64 / 100);
    cr_assert_leq(n, 1024 * 66 / 100);
    size_t before = hd_visited_size_bytes(visited);
    cr_assert_eq(grow_on(visited, 2), HD_OK);
    cr_assert_eq(hd_visited_slots(visited), 2048);
    cr_assert_eq(hd_visited_size_bytes(visited), before + 1024 * sizeof(uint64_t));
    cr_assert_not(hd_visited_wants_growth(visited));
    cr_assert_eq(hd_visited_count(visited), n);
    hd_visited_free(visited);
  }
}

/* ---- many threads ---- */

typedef struct storm {
  hd_visited *visited;
  const store_case *c;
  uint64_t universe, insertions;
  uint32_t threads;
  hd_atomic_u32 *news;     /* per state: how many insertions answered NEW */
  hd_atomic_u64 pauses[2]; /* by parity of the round: who wants growth */
  hd_atomic_u32 wrong;
} storm;

/* Inserts an overlapping random stream; everybody meets to grow the table whenever somebody found it full. */
static void storm_worker(hd_team *team, uint32_t worker, void *payload) {
  storm *s = payload;
  uint64_t seed = 1234567 + worker, done = 0, n = next_random(&seed) % s->universe;
  for (uint64_t round = 0;; round++) {
    hd_atomic_u64 *pauses = &s->pauses[round % 2];
    while (done < s->insertions && hd_load_rlx(pauses) == 0) {
      uint64_t state[WORDS_MAX];
      make_state(state, s->c->words, n);
      hd_insert answer = hd_visited_insert(s->visited, worker, state);
      if (answer == HD_INSERT_FULL) {
        hd_add_rlx(pauses, 1);
        break;
      }
      if (answer == HD_INSERT_NEW) {
        hd_add_rlx(&s->news[n], 1);
      } else if (answer != HD_INSERT_KNOWN) {
        hd_add_rlx(&s->wrong, 1);
      }
      done++;
      n = next_random(&seed) % s->universe;
    }
    hd_team_barrier(team);
    if (hd_load_rlx(pauses) == 0) {
      return;
    }
    if (hd_visited_grow(s->visited, team, worker) != HD_OK) {
      hd_add_rlx(&s->wrong, 1);
      return;
    }
    if (worker == 0) {
      hd_store_rlx(pauses, 0);
    }
    hd_team_barrier(team);
  }
}

static void check_storm(storm *s) {
  cr_assert_eq(hd_load_rlx(&s->wrong), 0);
  uint64_t distinct = 0;
  for (uint64_t n = 0; n < s->universe; n++) {
    uint64_t state[WORDS_MAX];
    make_state(state, s->c->words, n);
    uint32_t news = hd_load_rlx(&s->news[n]);
    cr_assert_leq(news, 1, "state %llu was new %u times", (unsigned long long)n, news);
    cr_assert_eq(hd_visited_contains(s->visited, state), news == 1);
    distinct += news;
  }
  cr_assert_eq(hd_visited_count(s->visited), distinct);
  cr_assert_gt(distinct, s->universe / 2);
}

static void run_storm(const store_case *c, uint32_t threads, size_t slots, uint64_t universe, uint64_t insertions) {
  storm s = {.visited = make_set(c, threads, slots, 0),
             .c = c,
             .universe = universe,
             .insertions = insertions,
             .threads = threads,
             .news = calloc(universe, sizeof(hd_atomic_u32))};
  cr_assert_not_null(s.news);
  cr_assert_eq(hd_team_run(threads, storm_worker, &s), HD_OK);
  check_storm(&s);
  free((void *)s.news);
  hd_visited_free(s.visited);
}

Test(visited, exactly_one_thread_hears_new) {
  for (size_t c = 0; c < ALL_CASES; c++) {
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
      run_storm(&cases[c], threads, 1 << 16, 40000, 200000 / threads);
    }
  }
}

Test(visited, grows_under_load_without_loss) {
  for (size_t c = 0; c < ALL_CASES; c++) {
    for (uint32_t threads = 1; threads <= 8; threads += threads == 2 ? 1 : threads) {
      run_storm(&cases[c], threads, 64, 30000, 120000 / threads);
    }
  }
}

/* Few states, many insertions: the threads meet at the same slots all the time. */
Test(visited, threads_race_for_the_same_slots) {
  for (size_t c = 0; c < ALL_CASES; c++) {
    for (int again = 0; again < 15; again++) {
      run_storm(&cases[c], 4, 1024, 500, 1500);
    }
  }
}

/* ---- limits ---- */

Test(visited, growth_stops_at_the_memory_limit_and_changes_nothing) {
  for (size_t c = 0; c < CASES; c++) {
    hd_visited *visited = make_set(&cases[c], 2, 1024, 2000000);
    uint64_t state[WORDS_MAX], n = 0;
    hd_status status = HD_OK;
    hd_insert answer = HD_INSERT_NEW;
    while (status == HD_OK && answer != HD_INSERT_NOMEM) {
      make_state(state, cases[c].words, n);
      answer = hd_visited_insert(visited, 1, state);
      if (answer == HD_INSERT_FULL) {
        status = grow_on(visited, 3);
      } else {
        n += answer == HD_INSERT_NEW;
      }
    }
    cr_assert(status == HD_E_LIMIT || (answer == HD_INSERT_NOMEM && cases[c].words > 1));
    cr_assert_leq(hd_visited_size_bytes(visited), 2000000);
    cr_assert_eq(hd_visited_count(visited), n);
    size_t slots = hd_visited_slots(visited);
    cr_assert_eq(grow_on(visited, 2), HD_E_LIMIT);
    cr_assert_eq(hd_visited_slots(visited), slots);
    for (uint64_t i = 0; i <= n; i++) {
      make_state(state, cases[c].words, i);
      cr_assert_eq(hd_visited_contains(visited, state), i < n);
    }
    hd_visited_free(visited);
  }
}

Test(visited, a_table_that_does_not_fit_is_refused) {
  hd_visited_config config = {.words = 1, .workers = 1, .memory_max_bytes = 100};
  hd_visited *visited;
  cr_assert_eq(hd_visited_new(&config, &visited), HD_E_LIMIT);
  cr_assert_null(visited);
}

Test(visited, every_failed_allocation_of_new_is_reported) {
  for (size_t c = 0; c < CASES; c++) {
    hd_visited_config config = {.words = cases[c].words, .workers = 2, .store = cases[c].store};
    hd_visited *visited = NULL;
    uint64_t failed = 0;
    for (hd_status status = HD_E_NOMEM; status != HD_OK; failed++) {
      hd_fail_alloc_after(failed, false);
      status = hd_visited_new(&config, &visited);
      uint64_t made = hd_fail_alloc_stop();
      cr_assert_eq(status, made > failed ? HD_E_NOMEM : HD_OK);
    }
    cr_assert_gt(failed, 3, "the set, its lanes and its table at least");
    hd_visited_free(visited);
  }
}

Test(visited, failed_allocations_of_insert_and_grow_change_nothing) {
  for (size_t c = 0; c < CASES; c++) {
    hd_visited *visited = make_set(&cases[c], 1, 64, 0);
    uint64_t state[WORDS_MAX], n = 1; /* number 0 takes no slot of the word store */
    if (cases[c].words > 1 || cases[c].store == HD_STORE_WIDE) {
      for (uint64_t failing = 0; failing < 2; failing++) { /* the chunk, the block of chunks */
        make_state(state, cases[c].words, n);
        hd_fail_alloc_after(failing, true);
        hd_insert answer = hd_visited_insert(visited, 0, state);
        hd_fail_alloc_stop();
        cr_assert_eq(answer, HD_INSERT_NOMEM);
        cr_assert_not(hd_visited_contains(visited, state));
      }
    }
    for (hd_insert answer = HD_INSERT_NEW; answer == HD_INSERT_NEW; n++) {
      make_state(state, cases[c].words, n);
      answer = hd_visited_insert(visited, 0, state);
      cr_assert_eq(answer, n <= 48 ? HD_INSERT_NEW : HD_INSERT_FULL);
    }
    growth g = {.visited = visited, .out_of_memory = true};
    cr_assert_eq(hd_team_run(1, grow_worker, &g), HD_OK);
    hd_fail_alloc_stop();
    cr_assert_eq(g.answers[0], HD_E_NOMEM);
    cr_assert_eq(hd_visited_slots(visited), 64);
    cr_assert_eq(grow_on(visited, 2), HD_OK);
    for (uint64_t i = 1; i < n - 1; i++) {
      make_state(state, cases[c].words, i);
      cr_assert(hd_visited_contains(visited, state));
    }
    hd_visited_free(visited);
  }
}
