/* heddle-deque-bench: the work-stealing deque alone (core/explore/frontier.h).
 *
 *   push+pop       one owner: pushes a batch of chunks, pops them all; nobody steals
 *   steal          one owner pushes, 1 .. N-1 thieves take everything; the owner pops what they leave
 *
 * Prints CSV: case, threads, chunks, seconds, million chunks per second, stolen. Every chunk is taken exactly once, or
 * the program ends with exit code 1: the sum of the numbers on the chunks is checked. A chunk holds about two thousand
 * states in a search, so that millions of chunks a second are far more than it needs.
 *
 * usage: heddle-deque-bench [--threads N] [--chunks N] */
#include "core/base/machine.h"
#include "core/base/option_parse.h"
#include "core/base/team.h"
#include "core/explore/frontier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1024 };

typedef struct deque_bench {
  hdi_deque deque;
  hdi_chunk **chunks; /* owned */
  uint64_t total;     /* chunks that go through the deque */
  hd_status status;
  hd_atomic_u64 taken, sum, stolen;
  double begin, end;
} deque_bench;

static void take(deque_bench *bench, const hdi_chunk *chunk) {
  hd_add_rlx(&bench->sum, chunk->count);
  hd_add_rlx(&bench->taken, 1u);
}

static void own(deque_bench *bench) {
  bench->begin = hd_machine_seconds();
  for (uint64_t done = 0; done < bench->total; done += BATCH) {
    for (uint64_t i = 0; i < BATCH && bench->status == HD_OK; i++) {
      bench->status = hdi_deque_push(&bench->deque, bench->chunks[i]);
    }
    hdi_chunk *chunk = hdi_deque_pop(&bench->deque);
    for (; chunk != NULL; chunk = hdi_deque_pop(&bench->deque)) {
      take(bench, chunk);
    }
  }
  while (hd_load_rlx(&bench->taken) < bench->total && bench->status == HD_OK) {}
  bench->end = hd_machine_seconds();
}

static void rob(deque_bench *bench) {
  uint64_t stolen = 0;
  while (hd_load_rlx(&bench->taken) < bench->total && bench->status == HD_OK) {
    bool retry = false;
    const hdi_chunk *chunk = hdi_deque_steal(&bench->deque, &retry);
    if (chunk != NULL) {
      take(bench, chunk);
      stolen++;
    }
  }
  hd_add_rlx(&bench->stolen, stolen);
}

static void work(hd_team *team, uint32_t worker, void *payload) {
  hd_team_barrier(team);
  if (worker == 0) {
    own(payload);
  } else {
    rob(payload);
  }
}

static int measure(uint32_t threads, uint64_t total) {
  deque_bench bench = {.total = total / BATCH * BATCH};
  bench.chunks = calloc(BATCH, sizeof *bench.chunks);
  hdi_chunk *storage = calloc(BATCH, sizeof *storage);
  bench.status = bench.chunks == NULL || storage == NULL ? HD_E_NOMEM : hdi_deque_init(&bench.deque);
  if (bench.status == HD_OK) {
    for (uint32_t i = 0; i < BATCH; i++) {
      storage[i].count = i + 1;
      bench.chunks[i] = &storage[i];
    }
    hd_status team = hd_team_run(threads, work, &bench);
    bench.status = bench.status == HD_OK ? team : bench.status;
    hdi_deque_clear(&bench.deque);
  }
  uint64_t sum = bench.total / BATCH * ((uint64_t)BATCH * (BATCH + 1) / 2);
  int code = bench.status != HD_OK ? 4 : bench.sum != sum || bench.taken != bench.total ? 1 : 0;
  if (code == 0) {
    double seconds = bench.end - bench.begin;
    uint64_t stolen = bench.stolen;
    printf("%s,%" PRIu32 ",%" PRIu64 ",%.6g,%.6g,%" PRIu64 "\n", threads == 1 ? "push+pop" : "steal", threads,
           bench.total, seconds, (double)bench.total / 1e6 / seconds, stolen);
  } else {
    fprintf(stderr, "heddle-deque-bench: %s\n",
            code == 1 ? "a chunk was lost or taken twice" : hd_status_words(bench.status));
  }
  free(storage);
  free(bench.chunks);
  return code;
}

int main(int argc, char **argv) {
  uint32_t threads = hd_team_default_count(), chunks = 1u << 22;
  for (int i = 1; i < argc; i += 2) {
    uint32_t *value = strcmp(argv[i], "--threads") == 0 ? &threads : strcmp(argv[i], "--chunks") == 0 ? &chunks : NULL;
    bool read = value != NULL && i + 1 < argc && hdi_parse_uint(argv[i + 1], value) == HDI_PARSED;
    if (!read || threads < 1 || threads > HD_TEAM_MAX || chunks < BATCH) {
      fprintf(stderr, "usage: heddle-deque-bench [--threads N] [--chunks N]\n");
      return 2;
    }
  }
  printf("case,threads,chunks,seconds,million_chunks_per_second,stolen\n");
  int code = 0;
  for (uint32_t t = 1; code == 0 && t <= threads; t *= 2) {
    code = measure(t, chunks);
  }
  return code;
}
