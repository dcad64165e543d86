/* The other control: the same team shares plain memory through every ordering the code base relies on - the start and
 * the end of a team, its barrier, and a release store paired with an acquire load. ThreadSanitizer must be silent. */
#include "core/base/atomic.h"
#include "core/base/team.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 4, ROUNDS = 200 };

typedef struct board {
  uint64_t rows[WORKERS]; /* row i is written by worker i, and read by all after a barrier */
  uint64_t sums[WORKERS];
  uint64_t message; /* written by worker 0 before `posted` */
  hd_atomic_u32 posted;
} board;

static void take_turns(hd_team *team, uint32_t worker, void *payload) {
  board *shared = payload;
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    shared->rows[worker] = round * (worker + 1);
    hd_team_barrier(team);
    for (uint32_t i = 0; i < WORKERS; i++)
      shared->sums[worker] += shared->rows[i];
    hd_team_barrier(team);
  }
  if (worker == 0) {
    shared->message = 42;
    hd_store_rel(&shared->posted, 1);
  } else {
    while (hd_load_acq(&shared->posted) == 0)
      continue;
    shared->sums[worker] += shared->message - 42;
  }
}

int main(void) {
  static board shared;
  if (hd_team_run(WORKERS, take_turns, &shared) != HD_OK)
    return EXIT_FAILURE;
  for (uint32_t i = 0; i < WORKERS; i++) {
    if (shared.sums[i] != (uint64_t)ROUNDS * (ROUNDS + 1) / 2 * (1 + 2 + 3 + 4)) {
      printf("worker %u: %llu\n", i, (unsigned long long)shared.sums[i]);
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
