/* See calibrate.h. Open addressing with linear probing, 32 keys in flight: a key is mixed and its slot prefetched, and
 * 32 keys later it is looked up and stored. No locks, no growth, no states: an upper bound for what any explorer that
 * keeps exact states can do per transition on this machine, and the unit in which runs at different times on a noisy
 * machine are compared. Of hashing/ it uses the large pages and nothing else.
 *
 *   keys 1, 2, 3, ... --mix--> ring of 32 --> table[mixed >> shift], next free slot
 *
 * All pages are touched before the clock starts. The mixer is the finalizer of S. Vigna's splitmix64. */
#include "bench/calibrate.h"

#include "core/base/compiler.h"
#include "core/base/machine.h"
#include "core/base/team.h"
#include "hashing/pages.h"

#include <string.h>

#define TABLE_BYTES ((size_t)256 << 20)
#define IN_FLIGHT 32u

typedef struct calibration {
  uint64_t *slots; /* of all threads, one part after another */
  uint64_t part;   /* slots of one thread, a power of two */
  uint32_t shift;
  double begin;
} calibration;

static uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

static void insert(uint64_t *slots, uint64_t last, uint64_t at, uint64_t key) {
  while (slots[at] != 0 && slots[at] != key) {
    at = (at + 1) & last;
  }
  slots[at] = key;
}

static void fill(uint64_t *slots, uint64_t size, uint32_t shift) {
  uint64_t ring[IN_FLIGHT];
  uint64_t keys = size / 10 * 6;
  for (uint64_t i = 0; i < keys + IN_FLIGHT; i++) {
    uint64_t *place = &ring[i % IN_FLIGHT];
    if (i >= IN_FLIGHT) {
      insert(slots, size - 1, *place >> shift, *place);
    }
    if (i < keys) {
      *place = mix(i + 1);
      HD_PREFETCH(&slots[*place >> shift]);
    }
  }
}

static void work(hd_team *team, uint32_t worker, void *payload) {
  calibration *run = payload;
  uint64_t *slots = run->slots + worker * run->part;
  memset(slots, 0, run->part * sizeof *slots);
  hd_team_barrier(team);
  if (worker == 0) {
    run->begin = hd_machine_seconds();
  }
  hd_team_barrier(team);
  fill(slots, run->part, run->shift);
}

hd_status hd_calibrate(uint32_t threads, double *rate) {
  calibration run = {.part = TABLE_BYTES / sizeof(uint64_t)};
  for (run.shift = 64; (uint64_t)1 << (64 - run.shift) < run.part; run.shift--) {}
  uint32_t halvings = 0;
  while ((uint32_t)1 << halvings < threads) {
    halvings++;
  }
  run.part >>= halvings;
  run.shift += halvings;
  void *memory = hdi_pages_map(TABLE_BYTES);
  if (memory == NULL) {
    return HD_E_NOMEM;
  }
  run.slots = memory;
  hd_status status = hd_team_run(threads, work, &run);
  double seconds = hd_machine_seconds() - run.begin;
  *rate = (double)(run.part / 10 * 6) * threads / 1e6 / seconds;
  hdi_pages_unmap(memory, TABLE_BYTES);
  return status;
}
