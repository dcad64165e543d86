/* heddle-set-bench: the visited set alone (hashing/visited.h), each store, on 1, 2, 4 ... N threads.
 *
 *   fill   distinct states into a set that has the slots from the start, up to the load
 *   hits   the same states once more
 *   grow   the same from the smallest set; `growth_share` is the part of the time that doubling took
 *
 * States are offered in batches, as a search offers successors. Workers meet after every ROUND states of each, which is
 * where a set may grow; what found the set full is offered again then. The number of states in the set is checked
 * at the end. Prints CSV; a store that cannot hold such states is left out. Exit codes: 0, 1 wrong number of states,
 * 2 command line, 4 memory.
 *
 * usage: heddle-set-bench [--threads N] [--slots N] [--load PERCENT] [--words N] [--store NAME] */
#include "core/base/machine.h"
#include "core/base/option_parse.h"
#include "hashing/visited.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256, ROUND = 1 << 16, KEY_BITS = 40 };

typedef struct settings {
  uint32_t threads, slots, load, words;
  const char *store; /* NULL: all */
} settings;

typedef struct set_bench {
  const settings *how;
  hd_visited *visited;
  uint64_t keys; /* in all; a multiple of the number of workers */
  uint32_t threads;
  bool may_grow, failed, growing;
  double begin, end, growth; /* seconds */
} set_bench;

typedef struct worker_memory {
  uint64_t *states, *again; /* a batch; states that found the set full, ROUND of them at most */
  uint32_t *places;
  uint8_t *answers;
  size_t again_count;
} worker_memory;

/* State number i: distinct for i < 2^KEY_BITS, and spread over all bits. */
static void make_state(uint64_t i, uint32_t words, uint64_t *state) {
  uint64_t key = (i * 0x9e3779b97f4a7c15ULL) & (((uint64_t)1 << KEY_BITS) - 1);
  for (uint32_t w = 0; w < words; w++) {
    state[w] = w == 0 ? key : key >> (8 * (w % 5)); /* neighbours share parts, as states do */
  }
}

/* Offers `count` states. Those that found no room go to `again`. */
static void offer(set_bench *bench, uint32_t worker, worker_memory *memory, const uint64_t *states, size_t count) {
  size_t words = bench->how->words;
  size_t news = hd_visited_insert_many(bench->visited, worker, states, count, memory->places, memory->answers);
  for (size_t i = 0; i < news; i++) {
    if (memory->answers[i] == HD_INSERT_FULL && bench->may_grow) {
      memcpy(memory->again + memory->again_count++ * words, states + memory->places[i] * words, words * sizeof *states);
    } else if (memory->answers[i] != HD_INSERT_NEW) {
      bench->failed = true;
    }
  }
}

/* What found no room, once more. */
static void offer_again(set_bench *bench, uint32_t worker, worker_memory *memory) {
  size_t count = memory->again_count, words = bench->how->words;
  memory->again_count = 0;
  for (size_t done = 0; done < count; done += BATCH) {
    size_t part = count - done < BATCH ? count - done : BATCH;
    memcpy(memory->states, memory->again + done * words, part * words * sizeof *memory->states);
    offer(bench, worker, memory, memory->states, part);
  }
}

/* All workers: doubles the set as often as it wants. */
static void grow(set_bench *bench, hd_team *team, uint32_t worker, worker_memory *memory) {
  for (;;) {
    hd_team_barrier(team);
    if (worker == 0) {
      bench->growing = bench->may_grow && !bench->failed && hd_visited_wants_growth(bench->visited);
    }
    hd_team_barrier(team);
    if (!bench->growing) {
      return;
    }
    double begin = hd_machine_seconds();
    bool refused = hd_visited_grow(bench->visited, team, worker) != HD_OK;
    hd_team_barrier(team);
    if (worker == 0) {
      bench->growth += hd_machine_seconds() - begin;
      bench->failed = bench->failed || refused;
    }
    hd_team_barrier(team);
    if (!bench->failed) {
      offer_again(bench, worker, memory);
    }
  }
}

static bool make_memory(worker_memory *memory, size_t words) {
  memory->states = calloc(BATCH * words, sizeof *memory->states);
  memory->again = calloc((size_t)ROUND * words, sizeof *memory->again);
  memory->places = calloc(BATCH + 8, sizeof *memory->places);
  memory->answers = calloc(BATCH + 8, sizeof *memory->answers);
  return memory->states != NULL && memory->again != NULL && memory->places != NULL && memory->answers != NULL;
}

static void insert_all(hd_team *team, uint32_t worker, void *payload) {
  set_bench *bench = payload;
  size_t words = bench->how->words;
  worker_memory memory = {0};
  bool made = make_memory(&memory, words);
  hd_team_barrier(team);
  if (!made) {
    bench->failed = true;
  }
  hd_team_barrier(team);
  if (worker == 0) {
    bench->begin = hd_machine_seconds();
  }
  uint64_t own = bench->keys / bench->threads, first = own * worker;
  for (uint64_t done = 0; !bench->failed && done < own; done += ROUND) {
    for (uint64_t i = done; i < own && i < done + ROUND; i += BATCH) {
      size_t part = (size_t)(own - i < BATCH ? own - i : BATCH);
      for (size_t j = 0; j < part; j++) {
        make_state(first + i + j, (uint32_t)words, memory.states + j * words);
      }
      offer(bench, worker, &memory, memory.states, part);
    }
    grow(bench, team, worker, &memory);
  }
  hd_team_barrier(team);
  if (worker == 0) {
    bench->end = hd_machine_seconds();
  }
  free(memory.states);
  free(memory.again);
  free(memory.places);
  free(memory.answers);
}

/* One row: all keys into the set. */
static int run_case(set_bench *bench, const char *name) {
  bench->growth = 0;
  hd_status status = hd_team_run(bench->threads, insert_all, bench);
  if (status != HD_OK || bench->failed) {
    fprintf(stderr, "heddle-set-bench: %s: no memory, or no room in the set\n", name);
    return 4;
  }
  if (hd_visited_count(bench->visited) != bench->keys) {
    fprintf(stderr, "heddle-set-bench: %s: %" PRIu64 " states in the set, not %" PRIu64 "\n", name,
            hd_visited_count(bench->visited), bench->keys);
    return 1;
  }
  double seconds = bench->end - bench->begin;
  printf("%s,%" PRIu32 ",%s,%" PRIu32 ",%zu,%" PRIu64 ",%.6g,%.6g,%.4g,%.4g,%.4g\n",
         hd_visited_store_name(bench->visited), bench->how->words, name, bench->threads,
         hd_visited_slots(bench->visited), bench->keys, seconds, (double)bench->keys / 1e6 / seconds,
         (double)bench->keys / (double)hd_visited_slots(bench->visited),
         (double)hd_visited_size_bytes(bench->visited) / (double)bench->keys, bench->growth / seconds);
  return 0;
}

/* fill and hits with all slots from the start, or grow. */
static int measure(const settings *how, hd_store store, uint32_t threads, bool growing) {
  set_bench bench = {.how = how, .threads = threads, .may_grow = growing};
  bench.keys = (uint64_t)how->slots * how->load / 100 / threads * threads;
  hd_visited_config config = {.words = how->words,
                              .bits = KEY_BITS,
                              .workers = threads,
                              .store = store,
                              .initial_slots = growing ? 0 : how->slots};
  if (hd_visited_new(&config, &bench.visited) != HD_OK) {
    fprintf(stderr, "heddle-set-bench: no memory for the set\n");
    return 4;
  }
  int code = run_case(&bench, growing ? "grow" : "fill");
  if (code == 0 && !growing) {
    code = run_case(&bench, "hits");
  }
  hd_visited_free(bench.visited);
  return code;
}

static int measure_store(const settings *how, hd_store store) {
  int code = 0;
  for (uint32_t t = 1; code == 0 && t <= how->threads; t *= 2) {
    code = measure(how, store, t, false);
    if (code == 0) {
      code = measure(how, store, t, true);
    }
  }
  return code;
}

static bool parse(settings *how, int argc, char **argv) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) {
      return false;
    }
    uint32_t *value = strcmp(argv[i], "--threads") == 0 ? &how->threads
                      : strcmp(argv[i], "--slots") == 0 ? &how->slots
                      : strcmp(argv[i], "--load") == 0  ? &how->load
                      : strcmp(argv[i], "--words") == 0 ? &how->words
                                                        : NULL;
    if (strcmp(argv[i], "--store") == 0) {
      how->store = argv[i + 1];
    } else if (value == NULL || hdi_parse_uint(argv[i + 1], value) != HDI_PARSED) {
      return false;
    }
  }
  return how->threads >= 1 && how->threads <= HD_TEAM_MAX && how->slots >= 1024 && how->load >= 1 && how->load <= 64 &&
         how->words >= 1 && how->words <= 64;
}

int main(int argc, char **argv) {
  settings how = {.threads = hd_team_default_count(), .slots = 1u << 25, .load = 62, .words = 1};
  if (!parse(&how, argc, argv)) {
    fprintf(stderr,
            "usage: heddle-set-bench [--threads N] [--slots N] [--load 1..64] [--words 1..64] [--store NAME]\n");
    return 2;
  }
  printf("store,words,case,threads,slots,states,seconds,million_per_second,load,bytes_per_state,growth_share\n");
  bool found = false;
  int code = 0;
  for (unsigned s = 1; code == 0 && s < HD_STORE_COUNT; s++) { /* all but auto */
    hd_store store = (hd_store)s;
    bool wanted = how.store == NULL || strcmp(how.store, hd_store_name(store)) == 0;
    wanted = wanted && store != HD_STORE_BITMAP && store != HD_STORE_BITSTATE; /* they have no slots to be filled */
    if (wanted && hd_store_refusal(store, how.words, KEY_BITS) == NULL) {
      found = true;
      code = measure_store(&how, store);
    }
  }
  if (!found) {
    fprintf(stderr, "heddle-set-bench: no such store holds such states\n");
    return 2;
  }
  return code;
}
