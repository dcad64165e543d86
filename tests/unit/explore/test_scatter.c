/* Sorting by region: everything that goes in comes out once, in bins of one region; and a search with it finds the same
 * as one without. */
#include "core/explore/scatter.h"

#include "core/explore/explore.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"

#include <stdlib.h>

typedef struct sink {
  const hd_visited *visited;
  uint64_t count, sum, calls, largest;
} sink;

static void take(void *payload, const uint64_t *states, size_t count) {
  sink *s = payload;
  cr_assert_gt(count, 0u);
  cr_assert_leq(count, (size_t)HDI_BIN);
  uint8_t regions[HDI_BIN];
  hd_visited_find_regions(s->visited, states, count, regions);
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(regions[i], regions[0], "a bin holds states of one region");
    s->sum += states[i];
  }
  s->count += count;
  s->calls++;
  s->largest = count > s->largest ? count : s->largest;
}

static hd_visited *large_table(void) {
  hd_visited_config config = {
      .words = 1, .bits = 64, .workers = 1, .store = HD_STORE_WORD, .initial_slots = (size_t)1 << 22};
  hd_visited *visited = NULL;
  cr_assert_eq(hd_visited_new(&config, &visited), HD_OK);
  cr_assert_gt(hd_visited_regions(visited), 1u);
  return visited;
}

Test(scatter, gives_everything_once_and_by_region) {
  enum { BATCH = 300, ROUNDS = 400 };
  hd_visited *visited = large_table();
  hdi_scatter scatter = {0};
  cr_assert_eq(hdi_scatter_size_bytes(&scatter), 0u);
  cr_assert_eq(hdi_scatter_init(&scatter, BATCH), HD_OK);
  cr_assert_gt(hdi_scatter_size_bytes(&scatter), (size_t)HD_REGIONS_MAX * HDI_BIN * 8);
  sink s = {.visited = visited};
  uint64_t x = 88172645463325252u, sum = 0, count = 0;
  for (size_t round = 0; round < ROUNDS; round++) {
    uint64_t states[BATCH];
    size_t size = round % (BATCH + 1);
    for (size_t i = 0; i < size; i++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      states[i] = x;
      sum += x;
    }
    count += size;
    hdi_scatter_add(&scatter, visited, states, size, take, &s);
  }
  cr_assert_eq(s.largest, HDI_BIN, "full bins are offered at once");
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

/* One state again and again fills one bin only. */
Test(scatter, a_single_region_is_offered_whenever_its_bin_is_full) {
  hd_visited *visited = large_table();
  hdi_scatter scatter = {0};
  cr_assert_eq(hdi_scatter_init(&scatter, 1), HD_OK);
  sink s = {.visited = visited};
  uint64_t state = 0;
  for (uint64_t i = 1; i <= 3 * HDI_BIN; i++) {
    hdi_scatter_add(&scatter, visited, &state, 1, take, &s);
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

/* Levels of this family are wide enough for sorting from about the middle on. */
Test(scatter, a_search_counts_the_same) {
  hd_model *model = hd_model_pairs(11);
  for (uint32_t threads = 1; threads <= 2; threads++) {
    hd_search search = {.model = model, .threads = threads, .store = HD_STORE_WORD};
    hd_outcome outcome;
    cr_assert_eq(hd_explore(&search, &outcome), HD_OK);
    cr_assert_eq(outcome.states, (uint64_t)1 << 22);
    cr_assert_eq(outcome.transitions, (uint64_t)11 << 22);
    cr_assert_eq(outcome.levels, 34u);
    hd_outcome_clear(&outcome);
  }
  hd_model_free(model);
}
