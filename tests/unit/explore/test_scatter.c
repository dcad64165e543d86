/* Sorting by region: everything that goes in comes out once, in bins of one region; and a search with it finds the same
 * as one without. */
#include "core/explore/scatter.h"

#include "core/base/team.h"
#include "core/explore/explore.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"

#include <stdlib.h>

enum { REGION_BITS = 5 };

typedef struct sink {
  const hd_visited *visited;
  uint64_t count, sum, calls, largest;
} sink;

static void take(void *payload, uint32_t region, const uint64_t *states, uint32_t count) {
  sink *s = payload;
  cr_assert_gt(count, 0u);
  cr_assert_leq(count, HDI_BIN);
  uint8_t regions[HDI_BIN];
  hd_visited_find_regions(s->visited, REGION_BITS, states, count, regions);
  for (uint32_t i = 0; i < count; i++) {
    cr_assert_eq(regions[i], region, "a bin holds states of one region");
    s->sum += states[i];
  }
  s->count += count;
  s->calls++;
  s->largest = count > s->largest ? count : s->largest;
}

static hd_visited *set_of(hd_store store, uint32_t bits) {
  hd_visited_config config = {.words = 1, .bits = bits, .workers = 1, .store = store};
  hd_visited *visited = NULL;
  cr_assert_eq(hd_visited_new(&config, &visited), HD_OK);
  cr_assert(hd_visited_has_regions(visited));
  return visited;
}

static void sort_random_states(hd_store store, uint32_t bits) {
  enum { BATCH = 300, ROUNDS = 400 };
  hd_visited *visited = set_of(store, bits);
  hdi_scatter scatter = {0};
  cr_assert_eq(hdi_scatter_init(&scatter, BATCH), HD_OK);
  sink s = {.visited = visited};
  uint64_t x = 88172645463325252u, sum = 0, count = 0;
  for (size_t round = 0; round < ROUNDS; round++) {
    uint64_t states[BATCH];
    size_t size = round % (BATCH + 1);
    for (size_t i = 0; i < size; i++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      states[i] = bits == 64 ? x : x >> (64 - bits);
      sum += states[i];
    }
    count += size;
    hdi_scatter_add(&scatter, visited, REGION_BITS, states, size, take, &s);
  }
  cr_assert_eq(s.largest, HDI_BIN, "full bins are passed on at once");
  hdi_scatter_flush(&scatter, take, &s);
  cr_assert_eq(s.count, count);
  cr_assert_eq(s.sum, sum);
  uint64_t calls = s.calls;
  hdi_scatter_flush(&scatter, take, &s);
  cr_assert_eq(s.calls, calls, "nothing is left");
  hdi_scatter_clear(&scatter);
  hdi_scatter_flush(&scatter, take, &s);
  hd_visited_free(visited);
}

Test(scatter, gives_everything_once_and_by_region) {
  sort_random_states(HD_STORE_WORD, 64);
  sort_random_states(HD_STORE_BITMAP, 24);
}

/* One state again and again fills one bin only. */
Test(scatter, a_single_region_is_passed_on_whenever_its_bin_is_full) {
  hd_visited *visited = set_of(HD_STORE_WORD, 64);
  hdi_scatter scatter = {0};
  cr_assert_eq(hdi_scatter_init(&scatter, 1), HD_OK);
  sink s = {.visited = visited};
  uint64_t state = 0;
  for (uint64_t i = 1; i <= 3 * HDI_BIN; i++) {
    hdi_scatter_add(&scatter, visited, REGION_BITS, &state, 1, take, &s);
    cr_assert_eq(s.calls, i / HDI_BIN);
  }
  hdi_scatter_clear(&scatter);
  hd_visited_free(visited);
}

Test(scatter, lack_of_memory_leaves_it_empty) {
  for (uint64_t before = 0; before < 3; before++) {
    hdi_scatter scatter = {0};
    hd_fail_alloc_after(before, false);
    hd_status status = hdi_scatter_init(&scatter, 100);
    cr_assert_gt(hd_fail_alloc_stop(), before);
    cr_assert_eq(status, HD_E_NOMEM);
    cr_assert_null(scatter.bins);
    cr_assert_eq(hdi_scatter_size_bytes(&scatter), 0u);
  }
}

typedef struct mail {
  hdi_inbox inbox;
  hdi_parcel *bins; /* PER_THREAD for each thread but the first, which takes them */
  uint64_t seen;
} mail;

enum { SENDERS = 3, PER_THREAD = 2000 };

static void send_or_receive(hd_team *team, uint32_t number, void *payload) {
  mail *m = payload;
  hd_team_barrier(team);
  if (number > 0) {
    for (uint32_t i = 0; i < PER_THREAD; i++) {
      hdi_parcel *bin = &m->bins[(number - 1) * PER_THREAD + i];
      bin->count = 1;
      bin->states[0] = (number - 1) * (uint64_t)PER_THREAD + i;
      hdi_inbox_put(&m->inbox, bin);
    }
    return;
  }
  for (uint32_t received = 0; received < SENDERS * PER_THREAD;) {
    for (hdi_parcel *bin = hdi_inbox_take(&m->inbox); bin != NULL; bin = bin->next) {
      cr_assert_eq(bin->count, 1u);
      cr_assert_eq(bin->states[0], (uint64_t)(bin - m->bins));
      bin->count = 0; /* a second time would be noticed */
      received++;
    }
  }
}

Test(scatter, an_inbox_loses_nothing) {
  mail m = {.bins = calloc((size_t)SENDERS * PER_THREAD, sizeof(hdi_parcel))};
  cr_assert_not_null(m.bins);
  cr_assert_null(hdi_inbox_take(&m.inbox));
  cr_assert_eq(hd_team_run(SENDERS + 1, send_or_receive, &m), HD_OK);
  cr_assert_null(hdi_inbox_take(&m.inbox));
  free(m.bins);
}

/* Levels of this family are wide enough for sorting from about the middle on. */
Test(scatter, a_search_counts_the_same) {
  hd_model *wide_levels = hd_model_pairs(11), *few_bits = hd_model_ring(12, 1);
  for (uint32_t threads = 1; threads <= 3; threads++) {
    hd_search search = {.model = wide_levels, .threads = threads, .store = HD_STORE_WORD};
    hd_outcome outcome;
    cr_assert_eq(hd_explore(&search, &outcome), HD_OK);
    cr_assert_eq(outcome.states, (uint64_t)1 << 22);
    cr_assert_eq(outcome.transitions, (uint64_t)11 << 22);
    cr_assert_eq(outcome.levels, 34u);
    hd_outcome_clear(&outcome);
    static const hd_store stores[] = {HD_STORE_BITMAP, HD_STORE_AUTO}; /* AUTO moves from one to the other on its way */
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
      search = (hd_search){.model = few_bits, .threads = threads, .store = stores[i]};
      cr_assert_eq(hd_explore(&search, &outcome), HD_OK);
      cr_assert_eq(outcome.states, 2704156u);
      cr_assert_eq(outcome.levels, 79u);
      hd_outcome_clear(&outcome);
    }
  }
  hd_model_free(wide_levels);
  hd_model_free(few_bits);
}
