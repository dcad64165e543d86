/* Exact set of states of W words, lock-free: slots refer to states kept in append-only chunks.
 *
 *   slot:    | fragment: 28 low bits of the hash | 1 + number of the cell: 36 bits |     0 = empty
 *   cell:    chunk = number >> cell_bits, place in the chunk = the low cell_bits
 *   chunks:  blocks[chunk / 4096]->chunks[chunk % 4096] -> | W words | W words | ... |
 *
 * The home bucket comes from the high bits of the hash and the fragment from the low ones, so that states of one bucket
 * differ in their fragments and all but one comparison in 2^28 is a true hit. Each worker appends to a chunk of its
 * own; a chunk never moves, so a cell number is good until the set is freed.
 *
 * Protocol. insert(s) walks the slots as in word_set.c. At an empty slot it first writes s into the next cell of its
 * own chunk (once), then swaps the slot from 0 to the reference with release order. Success: new, and the cell is kept.
 * Failure: the winner's reference is compared like that of any occupied slot. When s turns out to be known or the table
 * full, the cell is given back: it is still the last one of the worker's chunk and no slot refers to it.
 * Claim 1: at most one slot refers to a state equal to s. As in word_set.c: of two successful insertions at a before b,
 * the one at b passed a, and saw there a reference other than 0; that is a's only value [T1], whose state equals s: it
 * would have answered "known". It read the state through the reference, which by Claim 2 is whole.
 * Claim 2: a reader of a reference sees the state's words, the chunk pointer and the block pointer. All three were
 * written before the releasing swap, by the thread that did it (the block pointer possibly by another thread, from
 * which it was acquired), and the reader acquires the slot.
 * Claim 3: a cell is written only before it is published, by its owner: cells behind `used` are unpublished, and `used`
 * goes back only over a cell whose swap failed.
 * Lock-free by the argument of word_set.c; a worker that dies between writing a cell and the swap delays nobody.
 *
 * Growth hashes each state again, through its reference, and moves the reference: states are not moved. Any
 * thread; cost of an insertion: one hash (XXH3), one line of the table mostly, for a known state one comparison of W
 * words, for a new one a copy. */
#include "hashing/wide_set.h"

#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

#define INDEX_MASK (((uint64_t)1 << HDI_WIDE_INDEX_BITS) - 1)

enum { CHUNK_BYTES = 128 * 1024, CELL_BITS_LEAST = 4, CELL_BITS_MOST = 12 };

static uint64_t hash_state(const hdi_wide_set *set, const uint64_t *state) {
  return hd_hash_bytes(state, set->words * sizeof *state);
}

static uint64_t fragment_of(uint64_t hash) {
  return hash << HDI_WIDE_INDEX_BITS;
}

static uint64_t *chunk_at(const hdi_wide_set *set, uint64_t number) {
  /* HD-SYNC V1: acquire; pairs with V2. Publishes: the block's zeroed pointers. Why not weaker: the block may have been
   * made by a third worker and this one may look into it before any slot led there. Why not stronger: one location. */
  hdi_wide_block *block = hd_load_acq(&set->blocks[number / HDI_WIDE_BLOCK_CHUNKS]);
  /* HD-SYNC V3: relaxed; pairs with V4. Publishes: nothing by itself. Why not weaker: it is the weakest. Why not
   * stronger: the pointer is reached through a slot acquired at V6 or V7, or behind a barrier. */
  return block == NULL ? NULL : hd_load_rlx(&block->chunks[number % HDI_WIDE_BLOCK_CHUNKS]);
}

static const uint64_t *state_at(const hdi_wide_set *set, uint64_t slot) {
  uint64_t cell = (slot & INDEX_MASK) - 1;
  const uint64_t *chunk = chunk_at(set, cell >> set->cell_bits);
  HD_ASSERT(chunk != NULL);
  return &chunk[(cell & (((uint64_t)1 << set->cell_bits) - 1)) * set->words];
}

static bool slot_holds(const hdi_wide_set *set, uint64_t slot, uint64_t fragment, const uint64_t *state) {
  return (slot & ~INDEX_MASK) == fragment && memcmp(state_at(set, slot), state, set->words * sizeof *state) == 0;
}

hd_status hdi_wide_set_init(hdi_wide_set *set, const hd_visited_config *config) {
  memset(set, 0, sizeof *set);
  set->words = config->words;
  size_t state_bytes = config->words * sizeof(uint64_t);
  set->cell_bits = CELL_BITS_LEAST;
  while (set->cell_bits < CELL_BITS_MOST && (state_bytes << (set->cell_bits + 1)) <= CHUNK_BYTES) {
    set->cell_bits++;
  }
  set->chunk_bytes = state_bytes << set->cell_bits;
  hd_status status = hdi_table_init(&set->table, config->workers, config->initial_slots, config->memory_max_bytes);
  if (status != HD_OK) {
    return status;
  }
  set->lanes = aligned_alloc(HD_CACHE_LINE, config->workers * sizeof *set->lanes);
  set->blocks = calloc(HDI_WIDE_BLOCKS, sizeof *set->blocks);
  if (set->lanes == NULL || set->blocks == NULL) {
    hdi_wide_set_clear(set);
    return HD_E_NOMEM;
  }
  memset(set->lanes, 0, config->workers * sizeof *set->lanes);
  return HD_OK;
}

void hdi_wide_set_clear(hdi_wide_set *set) {
  for (uint64_t b = 0; set->blocks != NULL && b < HDI_WIDE_BLOCKS; b++) {
    hdi_wide_block *block = hd_load_acq(&set->blocks[b]); /* HD-SYNC V5: acquire; pairs with V2; quiescent. */
    if (block == NULL) {
      continue; /* not needed, or its memory could not be had */
    }
    for (uint64_t c = 0; c < HDI_WIDE_BLOCK_CHUNKS; c++) {
      free(chunk_at(set, b * HDI_WIDE_BLOCK_CHUNKS + c));
    }
    free(block);
  }
  free(set->blocks);
  free(set->lanes);
  set->blocks = NULL;
  set->lanes = NULL;
  hdi_table_clear(&set->table);
}

/* Counts `size_bytes` of storage; false when the memory limit would be passed. */
static bool charge(hdi_wide_set *set, size_t size_bytes) {
  /* HD-SYNC V8: relaxed; pairs with V8 of other workers, V9, V14. Publishes: nothing; a sum. Why not weaker: it must be
   * one read-modify-write. Why not stronger: it guards no memory; two workers that both see room may pass the limit by
   * one chunk each for a moment only, since each checks the sum that includes its own. */
  uint64_t before = hd_add_rlx(&set->storage_bytes, size_bytes);
  size_t most = set->table.memory_max_bytes;
  if (most == 0 || (before <= most && set->table.now.size_bytes + size_bytes <= most - before)) {
    return true;
  }
  hd_add_rlx(&set->storage_bytes, (uint64_t)0 - size_bytes);
  return false;
}

static void uncharge(hdi_wide_set *set, size_t size_bytes) {
  hd_add_rlx(&set->storage_bytes, (uint64_t)0 - size_bytes); /* HD-SYNC V9: relaxed; pairs with V8, V14; a sum. */
}

/* The block for chunk `number`, made when it is missing; NULL when memory is out. */
static hdi_wide_block *block_for(hdi_wide_set *set, uint64_t number) {
  hd_atomic_ptr *place = &set->blocks[number / HDI_WIDE_BLOCK_CHUNKS];
  /* HD-SYNC V10: acquire; pairs with V2. Publishes: the block's zeroed pointers. Why not weaker: they are written to.
   * Why not stronger: one location. */
  void *block = hd_load_acq(place);
  if (block != NULL) {
    return block;
  }
  if (!charge(set, sizeof(hdi_wide_block))) {
    return NULL;
  }
  void *made = calloc(1, sizeof(hdi_wide_block));
  if (made == NULL) {
    uncharge(set, sizeof(hdi_wide_block));
    return NULL;
  }
  /* HD-SYNC V2: acq_rel; pairs with V1, V5, V10, V2 of other workers. Publishes: the zeroed block; on failure acquires
   * the winner's. Why not weaker: V1 reads through the pointer. Why not stronger: one location. */
  if (hd_cas_acqrel(place, &block, made)) {
    return made;
  }
  free(made);
  uncharge(set, sizeof(hdi_wide_block));
  return block;
}

/* Gives the worker a fresh chunk; false when memory is out. */
static bool next_chunk(hdi_wide_set *set, hdi_wide_lane *lane) {
  if (!charge(set, set->chunk_bytes)) {
    return false;
  }
  uint64_t *chunk = malloc(set->chunk_bytes);
  if (chunk == NULL) {
    uncharge(set, set->chunk_bytes);
    return false;
  }
  /* HD-SYNC V11: relaxed; pairs with V11 of other workers. Publishes: nothing; numbers are unique by the
   * modification order of the counter. Why not weaker: it must be one read-modify-write. Why not stronger: the chunk is
   * published by the slots that refer to it. */
  uint64_t number = hd_add_rlx(&set->chunk_count, 1);
  uint64_t most = (uint64_t)HDI_WIDE_BLOCKS * HDI_WIDE_BLOCK_CHUNKS - 1; /* 1 + a cell's number fits into the index */
  hdi_wide_block *block = number < most ? block_for(set, number) : NULL;
  if (block == NULL) {
    free(chunk);
    uncharge(set, set->chunk_bytes);
    return false;
  }
  /* HD-SYNC V4: relaxed; pairs with V3. Publishes: nothing by itself, the releasing swap V7 comes after it. Why not
   * weaker: it is the weakest. Why not stronger: nobody looks for the chunk before that swap, or a barrier. */
  hd_store_rlx(&block->chunks[number % HDI_WIDE_BLOCK_CHUNKS], (void *)chunk);
  lane->chunk = chunk;
  lane->number = number;
  lane->used = 0;
  return true;
}

/* Copies `state` into the worker's next cell without keeping the cell yet; its reference, or 0 when memory is out. */
static uint64_t write_cell(hdi_wide_set *set, hdi_wide_lane *lane, const uint64_t *state) {
  if ((lane->chunk == NULL || lane->used >> set->cell_bits != 0) && !next_chunk(set, lane)) {
    return 0;
  }
  memcpy(&lane->chunk[lane->used * set->words], state, set->words * sizeof *state);
  return ((lane->number << set->cell_bits) | lane->used) + 1;
}

/* At an empty slot: tries to make it refer to the state. NEW, FULL and NOMEM are final; KNOWN means that another worker
 * was faster and the slot is occupied now. *cell is the state's reference once it is written, 0 before. */
static hd_insert try_slot(hdi_wide_set *set, uint32_t worker, hd_atomic_u64 *slot, uint64_t fragment,
                          const uint64_t *state, uint64_t *cell) {
  hdi_wide_lane *lane = &set->lanes[worker];
  if (!hdi_table_reserve(&set->table, worker)) {
    return HD_INSERT_FULL;
  }
  if (*cell == 0) {
    *cell = write_cell(set, lane, state);
    if (*cell == 0) {
      hdi_table_unreserve(&set->table, worker);
      return HD_INSERT_NOMEM;
    }
  }
  /* HD-SYNC V7: acq_rel; pairs with V6, V12. Publishes: the state's words and the pointers that lead to them. Why not
   * weaker: readers follow the reference at once. Why not stronger: no order between slots is needed (see word_set.c).
   */
  uint64_t empty = 0;
  if (hd_cas_acqrel(slot, &empty, fragment | *cell)) {
    lane->used++;
    hdi_table_added(&set->table, worker);
    return HD_INSERT_NEW;
  }
  hdi_table_unreserve(&set->table, worker);
  return HD_INSERT_KNOWN;
}

/* Does the state lie in bucket `begin` or behind it, before the next empty slot? */
static HD_COLD bool finds_behind(const hdi_wide_set *set, uint64_t begin, uint64_t fragment, const uint64_t *state) {
  const hdi_slots *slots = &set->table.now;
  for (uint64_t bucket = begin; bucket < begin + slots->bucket_count; bucket++) {
    hd_atomic_u64 *line = hdi_slots_bucket(slots, bucket);
    for (uint32_t i = 0; i < HDI_BUCKET_SLOTS; i++) {
      uint64_t seen = hd_load_acq(&line[i]); /* HD-SYNC V12: acquire; pairs with V7; as V6, or quiescent. */
      if (seen == 0) {
        return false;
      }
      if (slot_holds(set, seen, fragment, state)) {
        return true;
      }
    }
  }
  return false;
}

static hd_insert insert_hashed(hdi_wide_set *set, uint32_t worker, const uint64_t *state, uint64_t hash) {
  uint64_t fragment = fragment_of(hash);
  const hdi_slots *slots = &set->table.now;
  uint64_t home = hash >> slots->shift;
  uint64_t limit = hdi_slots_probe_limit(slots);
  uint64_t cell = 0;
  for (uint64_t probe = 0; probe < limit; probe++) {
    hd_atomic_u64 *line = hdi_slots_bucket(slots, home + probe);
    for (uint32_t i = 0; i < HDI_BUCKET_SLOTS; i++) {
      /* HD-SYNC V6: acquire; pairs with V7. Publishes: the words behind the reference. Why not weaker: they are
       * compared. Why not stronger: no order between slots is needed. */
      uint64_t seen = hd_load_acq(&line[i]);
      if (seen == 0) {
        hd_insert answer = try_slot(set, worker, &line[i], fragment, state, &cell);
        if (answer != HD_INSERT_KNOWN) {
          return answer;
        }
        seen = hd_load_acq(&line[i]); /* V6 again: the winner's reference */
      }
      if (slot_holds(set, seen, fragment, state)) {
        return HD_INSERT_KNOWN;
      }
    }
  }
  return finds_behind(set, home + limit, fragment, state) ? HD_INSERT_KNOWN : HD_INSERT_FULL;
}

hd_insert hdi_wide_set_insert(hdi_wide_set *set, uint32_t worker, const uint64_t *state) {
  return insert_hashed(set, worker, state, hash_state(set, state));
}

/* Hashes and prefetches states begin .. end. */
static void prepare(const hdi_wide_set *set, const uint64_t *states, size_t begin, size_t end, uint64_t *hashes) {
  for (size_t i = begin; i < end; i++) {
    uint64_t hash = hash_state(set, states + i * set->words);
    HD_PREFETCH(hdi_slots_bucket(&set->table.now, hash >> set->table.now.shift));
    hashes[i % (2 * HDI_PROBES_AHEAD)] = hash;
  }
}

size_t hdi_wide_set_insert_many(hdi_wide_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                uint32_t *places, uint8_t *answers) {
  size_t found = 0;
  uint64_t hashes[2 * HDI_PROBES_AHEAD];
  size_t ready = count < HDI_PROBES_AHEAD ? count : HDI_PROBES_AHEAD;
  prepare(set, states, 0, ready, hashes);
  for (size_t i = 0; i < count;) {
    size_t end = ready;
    ready = count - end < HDI_PROBES_AHEAD ? count : end + HDI_PROBES_AHEAD;
    prepare(set, states, end, ready, hashes);
    for (; i < end; i++) {
      places[found] = (uint32_t)i;
      answers[found] = (uint8_t)insert_hashed(set, worker, states + i * set->words, hashes[i % (2 * HDI_PROBES_AHEAD)]);
      found += answers[found] != HD_INSERT_KNOWN;
    }
  }
  return found;
}

bool hdi_wide_set_contains(const hdi_wide_set *set, const uint64_t *state) {
  uint64_t hash = hash_state(set, state);
  return finds_behind(set, hash >> set->table.now.shift, fragment_of(hash), state);
}

/* The hashes of the states that the slots refer to, which all are on their way before the first is hashed. */
static void hash_slots(const void *payload, const uint64_t *values, uint32_t count, uint64_t *hashes) {
  const hdi_wide_set *set = payload;
  const uint64_t *states[HDI_BUCKET_SLOTS];
  for (uint32_t i = 0; i < count; i++) {
    states[i] = state_at(set, values[i]);
    HD_PREFETCH(states[i]);
  }
  for (uint32_t i = 0; i < count; i++) {
    hashes[i] = hash_state(set, states[i]);
  }
}

hd_status hdi_wide_set_grow(hdi_wide_set *set, hd_team *team, uint32_t worker) {
  return hdi_table_grow(&set->table, hdi_wide_set_size_bytes(set) - set->table.now.size_bytes, team, worker, hash_slots,
                        set);
}

size_t hdi_wide_set_size_bytes(const hdi_wide_set *set) {
  /* HD-SYNC V14: relaxed; pairs with V8, V9. Publishes: nothing; a sum. Why not weaker: it is the weakest. Why not
   * stronger: it guards no memory. */
  return set->table.now.size_bytes + (size_t)hd_load_rlx(&set->storage_bytes);
}
