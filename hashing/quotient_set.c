/* Exact set of states of at most 52 bits in 4 bytes each: a slot's place tells the part of the state it does not hold.
 *
 *   key:   | home bucket: b bits | rest: bits - b, at most 27 |         = mix(state), a bijection on `bits` bits
 *   slot:  | 1 + distance from home, in buckets: 5 bits | rest: 27 bits |           0 = empty
 *   slots: | bucket 0: 16 slots, one cache line | bucket 1 | ... | bucket 2^b - 1 |
 *
 * Bucket, distance and rest give the key back, so equal slots in one bucket are equal states: nothing is lost (Cleary,
 * Compact hash tables using bidirectional linear probing, 1984). A table of bits - 27 bits at least makes the rest fit;
 * each doubling takes one bit of the rest. A full bucket overflows into the next one, circularly. An insertion looks
 * for room in D = 8 buckets; where all are full, the state goes to the overflow, a set of whole words (word_set.c).
 *
 * [Q1] A slot is written once, from 0 to a value other than 0, between two quiescent points. [Q2] Every slot from a
 * key's home up to the key is occupied. [Q3] A key lies at most 29 buckets from home: growth.c, (c), with D = 8.
 *
 * Protocol. insert(k) looks at the slots of D buckets from home on, in one fixed order; a slot that tells k: known; an
 * empty one: compare-and-swap it from 0; success: new; failure: look at what it holds now. When the D buckets are full:
 * growth may have put k further on [Q3], so the look goes on to the next empty slot; then the overflow is asked to
 * insert the state, and its answer is the answer.
 * Claim 1: exactly one insertion of k answers "new". Two that took slots: as in word_set.c. One that took a slot of the
 * D buckets and one that went to the overflow: the latter saw every slot of these buckets occupied by others, the
 * former's slot too, and a slot has one value only [Q1]. Two that went to the overflow: proved there.
 * Claim 2: "full" is the overflow's answer and leaves both as they were.
 * Claim 3: wait-free: at most 31 buckets are looked at, and the overflow is wait-free. No slot needs to stay empty, so
 * there is no credit to be shared: between two growths the table may fill up to the last slot.
 *
 * Growth doubles the table in place (growth.c: what is said there of hashes holds of keys; 2h or 2h + 1 is decided by
 * the rest's highest bit). Then worker 0 puts the states of the overflow where they have room now. They are not taken
 * out of the overflow: it is only asked when a state's D buckets are full and do not tell it, and says what it said
 * before; a state that lies in both is found in the table. Last the overflow grows if it must; if it cannot, it is
 * still as good as it was.
 *
 * No state is published, so the orders are those of word_set.c. Any thread; cost: one cache line mostly; 6.2 bytes per
 * state at a load of 0.65. */
#include "hashing/quotient_set.h"

#include "core/base/machine.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = HD_CACHE_LINE / sizeof(uint32_t), REST_BITS = 27, PROBES = 8, DISTANCES = 31 };
enum { BUCKETS_DEFAULT = 512, BUCKET_BITS_LEAST = 5, BITS_LEAST = 32, OVERFLOW_SLOTS = 64 };

uint64_t hdi_quotient_mix(uint64_t state, uint32_t bits) {
  /* Each step is a bijection on words of `bits` bits: xor with the own upper half, product with an odd number. */
  uint64_t mask = UINT64_MAX >> (64 - bits);
  uint32_t half = (bits + 1) / 2;
  state ^= state >> half;
  state = (state * 0xff51afd7ed558ccdULL) & mask;
  state ^= state >> half;
  state = (state * 0xc4ceb9fe1a85ec53ULL) & mask;
  return state ^ (state >> half);
}

static inline uint64_t low_bits(uint64_t word, uint32_t bits) {
  return word & (((uint64_t)1 << bits) - 1);
}

static inline hd_atomic_u32 *line_of(const hdi_quotient_slots *slots, uint64_t bucket) {
  return &slots->slots[(bucket & (slots->bucket_count - 1)) * SLOTS];
}

/* What a slot `distance` buckets behind home holds for a key. */
static inline uint32_t slot_for(const hdi_quotient_slots *slots, uint64_t key, uint64_t distance) {
  return (uint32_t)((distance + 1) << REST_BITS | low_bits(key, slots->rest_bits));
}

/* The key that a slot of `bucket` tells. */
static inline uint64_t key_of(const hdi_quotient_slots *slots, uint64_t bucket, uint32_t slot) {
  uint64_t home = (bucket - ((slot >> REST_BITS) - 1)) & (slots->bucket_count - 1);
  return home << slots->rest_bits | low_bits(slot, REST_BITS);
}

/* ---- making, sizes ---- */

static void set_slots(const hdi_quotient_set *set, hdi_quotient_slots *slots) {
  slots->slots = set->region.base;
  slots->bucket_count = set->region.size_bytes / HD_CACHE_LINE;
  slots->rest_bits = set->bits - (uint32_t)HD_COUNT_TRAILING_ZEROS_64(slots->bucket_count);
  HD_ASSERT(slots->rest_bits <= REST_BITS);
}

static hd_status init_parts(hdi_quotient_set *set, const hd_visited_config *config, size_t size_bytes) {
  hd_visited_config overflow = {.words = 1, .workers = config->workers, .initial_slots = OVERFLOW_SLOTS};
  hd_status status = hdi_word_set_init(&set->overflow, &overflow);
  if (status != HD_OK) {
    return status;
  }
  set->lanes = aligned_alloc(HD_CACHE_LINE, config->workers * sizeof *set->lanes);
  set->front = malloc(HDI_FRONT_BUCKETS * SLOTS * sizeof *set->front);
  if (set->lanes == NULL || set->front == NULL) {
    return HD_E_NOMEM;
  }
  memset(set->lanes, 0, config->workers * sizeof *set->lanes);
  return hdi_region_make(&set->region, size_bytes, hdi_region_most_bytes(size_bytes, config->memory_max_bytes));
}

hd_status hdi_quotient_set_init(hdi_quotient_set *set, const hd_visited_config *config) {
  HD_REQUIRE(config->bits > 0 && config->bits <= HDI_QUOTIENT_BITS_MAX);
  memset(set, 0, sizeof *set);
  set->bits = config->bits < BITS_LEAST ? BITS_LEAST : config->bits;
  set->workers = config->workers;
  set->memory_max_bytes = config->memory_max_bytes;
  uint32_t bucket_bits = set->bits - REST_BITS;
  bucket_bits = bucket_bits < BUCKET_BITS_LEAST ? BUCKET_BITS_LEAST : bucket_bits;
  uint64_t wanted = config->initial_slots == 0 ? BUCKETS_DEFAULT : config->initial_slots / SLOTS;
  while ((uint64_t)1 << bucket_bits < wanted && bucket_bits + 1 < set->bits) {
    bucket_bits++;
  }
  if (bucket_bits >= 8 * sizeof(size_t) - 8) {
    return HD_E_NOMEM;
  }
  size_t size_bytes = (size_t)HD_CACHE_LINE << bucket_bits;
  if (config->memory_max_bytes != 0 && size_bytes > config->memory_max_bytes) {
    return HD_E_LIMIT;
  }
  hd_status status = init_parts(set, config, size_bytes);
  if (status != HD_OK) {
    hdi_quotient_set_clear(set);
    return status;
  }
  set_slots(set, &set->now);
  return HD_OK;
}

void hdi_quotient_set_clear(hdi_quotient_set *set) {
  hdi_word_set_clear(&set->overflow);
  hdi_region_free(&set->region);
  free(set->lanes);
  free(set->front);
  set->lanes = NULL;
  set->front = NULL;
}

uint64_t hdi_quotient_set_count(const hdi_quotient_set *set) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < set->workers; i++) {
    count += set->lanes[i].count;
  }
  return count;
}

size_t hdi_quotient_set_slots(const hdi_quotient_set *set) {
  return (size_t)set->now.bucket_count * SLOTS;
}

size_t hdi_quotient_set_size_bytes(const hdi_quotient_set *set) {
  return set->region.size_bytes + set->overflow.table.now.size_bytes;
}

bool hdi_quotient_set_wants_growth(const hdi_quotient_set *set) {
  return hdi_quotient_set_count(set) >= set->now.bucket_count * SLOTS / 20 * 13;
}

size_t hdi_quotient_set_growth_bytes(const hdi_quotient_set *set) {
  return set->region.size_bytes + set->overflow.table.now.size_bytes; /* both may double */
}

/* ---- insertion ---- */

/* Does the key lie `distance` buckets from home or further, before the next empty slot? */
static bool finds_behind(const hdi_quotient_slots *slots, uint64_t key, uint64_t distance) {
  uint64_t home = key >> slots->rest_bits;
  for (; distance < DISTANCES; distance++) {
    const hd_atomic_u32 *line = line_of(slots, home + distance);
    uint32_t wanted = slot_for(slots, key, distance);
    for (uint32_t i = 0; i < SLOTS; i++) {
      /* HD-SYNC Q1: relaxed; pairs with Q3, Q4. Publishes: nothing. Why not weaker: it is the weakest. Why not
       * stronger: as W6 of word_set.c. */
      uint32_t seen = hd_load_rlx(&line[i]);
      if (seen == wanted || seen == 0) {
        return seen == wanted;
      }
    }
  }
  return false;
}

static hd_insert insert_far(hdi_quotient_set *set, uint32_t worker, uint64_t state, uint64_t key) {
  if (finds_behind(&set->now, key, PROBES)) {
    return HD_INSERT_KNOWN;
  }
  hd_insert answer = hdi_word_set_insert(&set->overflow, worker, state);
  set->lanes[worker].count += answer == HD_INSERT_NEW;
  return answer;
}

static inline hd_insert insert_key(hdi_quotient_set *set, uint32_t worker, uint64_t state, uint64_t key) {
  const hdi_quotient_slots *slots = &set->now;
  uint64_t home = key >> slots->rest_bits;
  for (uint64_t distance = 0; distance < PROBES; distance++) {
    hd_atomic_u32 *line = line_of(slots, home + distance);
    uint32_t wanted = slot_for(slots, key, distance);
    for (uint32_t i = 0; i < SLOTS; i++) {
      /* HD-SYNC Q2: relaxed; pairs with Q3. Publishes: nothing beyond the slot. Why not weaker: it is the weakest. Why
       * not stronger: as W4 of word_set.c. */
      uint32_t seen = hd_load_rlx(&line[i]);
      /* HD-SYNC Q3: acq_rel; pairs with Q1, Q2, Q3 of other workers, Q5. Publishes: the slot. Why not weaker: relaxed
       * would do; acquire on failure is the house rule for a value that is then used. Why not stronger: no order
       * between slots is needed. */
      if (seen == 0 && hd_cas_acqrel(&line[i], &seen, wanted)) {
        set->lanes[worker].count++;
        return HD_INSERT_NEW;
      }
      if (seen == wanted) {
        return HD_INSERT_KNOWN;
      }
    }
  }
  return insert_far(set, worker, state, key);
}

hd_insert hdi_quotient_set_insert(hdi_quotient_set *set, uint32_t worker, uint64_t state) {
  HD_ASSERT(set->bits == 64 || state >> set->bits == 0);
  return insert_key(set, worker, state, hdi_quotient_mix(state, set->bits));
}

/* Mixes and prefetches states begin .. end. */
static void prepare(const hdi_quotient_set *set, const uint64_t *states, size_t begin, size_t end, uint64_t *keys) {
  for (size_t i = begin; i < end; i++) {
    uint64_t key = hdi_quotient_mix(states[i], set->bits);
    HD_PREFETCH(line_of(&set->now, key >> set->now.rest_bits));
    keys[i % (2 * HDI_PROBES_AHEAD)] = key;
  }
}

size_t hdi_quotient_set_insert_many(hdi_quotient_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                    uint32_t *places, uint8_t *answers) {
  size_t found = 0;
  uint64_t keys[2 * HDI_PROBES_AHEAD];
  size_t ready = count < HDI_PROBES_AHEAD ? count : HDI_PROBES_AHEAD;
  prepare(set, states, 0, ready, keys);
  for (size_t i = 0; i < count;) {
    size_t end = ready;
    ready = count - end < HDI_PROBES_AHEAD ? count : end + HDI_PROBES_AHEAD;
    prepare(set, states, end, ready, keys);
    for (; i < end; i++) {
      places[found] = (uint32_t)i;
      answers[found] = (uint8_t)insert_key(set, worker, states[i], keys[i % (2 * HDI_PROBES_AHEAD)]);
      found += answers[found] != HD_INSERT_KNOWN;
    }
  }
  return found;
}

bool hdi_quotient_set_contains(const hdi_quotient_set *set, uint64_t state) {
  return state >> set->bits == 0 && (finds_behind(&set->now, hdi_quotient_mix(state, set->bits), 0) ||
                                     hdi_word_set_contains(&set->overflow, state));
}

/* ---- growth ---- */

/* Puts a key that is not there where it belongs, at most `distances` buckets from home; false when these are full. */
static bool place(const hdi_quotient_slots *to, uint64_t key, uint64_t distances, bool shared) {
  uint64_t home = key >> to->rest_bits;
  for (uint64_t distance = 0; distance < distances; distance++) {
    hd_atomic_u32 *line = line_of(to, home + distance);
    uint32_t slot = slot_for(to, key, distance);
    for (uint32_t i = 0; i < SLOTS; i++) {
      /* HD-SYNC Q4: relaxed; pairs with Q1, Q4 of other workers, Q5. Publishes: the slot, to readers behind the
       * barrier. Why not weaker: it is the weakest, and one read-modify-write where workers meet. Why not stronger:
       * what it returns is not used, and where nobody is met (growth.c, claim 4) a store will do. */
      uint32_t seen = hd_load_rlx(&line[i]);
      if (seen != 0) {
        continue;
      }
      if (!shared) {
        hd_store_rlx(&line[i], slot);
        return true;
      }
      if (hd_cas_rlx(&line[i], &seen, slot)) {
        return true;
      }
    }
  }
  return false;
}

/* Empties a bucket; returns how many keys it held. */
static uint32_t take_bucket(const hdi_quotient_slots *from, uint64_t bucket, uint64_t *keys) {
  hd_atomic_u32 *line = line_of(from, bucket);
  uint32_t count = 0;
  for (; count < SLOTS; count++) {
    /* HD-SYNC Q5: relaxed; pairs with Q3, Q4. Publishes: empty slots, to readers behind the barrier. Why not weaker: it
     * is the weakest. Why not stronger: as S7 of slot_table.c. */
    uint32_t slot = hd_load_rlx(&line[count]);
    if (slot == 0) {
      break;
    }
    keys[count] = key_of(from, bucket, slot);
    hd_store_rlx(&line[count], 0);
  }
  return count;
}

static void place_keys(const hdi_quotient_slots *to, const uint64_t *keys, uint64_t count, bool shared) {
  for (uint64_t i = 0; i < count; i++) {
    bool placed = place(to, keys[i], DISTANCES, shared);
    HD_REQUIRE(placed); /* [Q3] */
  }
}

static void move_buckets(void *payload, uint64_t begin, uint64_t end, bool shared) {
  const hdi_quotient_set *set = payload;
  for (uint64_t bucket = end; bucket-- > begin;) {
    uint64_t keys[SLOTS];
    place_keys(&set->grown, keys, take_bucket(&set->now, bucket, keys), shared);
  }
}

/* Worker 0 alone, the others wait. */
static hd_status begin_growth(hdi_quotient_set *set) {
  size_t size_bytes = set->region.size_bytes, held = hdi_quotient_set_size_bytes(set);
  if (set->now.rest_bits <= 1) {
    return HD_E_LIMIT;
  }
  if (set->memory_max_bytes != 0 && (held > set->memory_max_bytes || size_bytes > set->memory_max_bytes - held)) {
    return HD_E_LIMIT;
  }
  hd_status status = size_bytes > SIZE_MAX / 4 ? HD_E_NOMEM : hdi_region_extend(&set->region, size_bytes * 2);
  if (status == HD_OK) {
    set_slots(set, &set->grown);
  }
  return status;
}

static uint64_t take_front(const hdi_quotient_set *set) {
  uint64_t buckets = set->now.bucket_count < HDI_FRONT_BUCKETS ? set->now.bucket_count : HDI_FRONT_BUCKETS;
  uint64_t count = 0;
  for (uint64_t bucket = 0; bucket < buckets; bucket++) {
    count += take_bucket(&set->now, bucket, set->front + count);
  }
  return count;
}

/* Puts a state of the overflow into the table if it has room there now. */
static void bring_back(const hdi_quotient_set *set, uint64_t state) {
  uint64_t key = hdi_quotient_mix(state, set->bits);
  if (!finds_behind(&set->now, key, 0)) {
    (void)place(&set->now, key, PROBES, false);
  }
}

static void bring_all_back(const hdi_quotient_set *set) {
  uint64_t slots = set->overflow.table.now.bucket_count * HDI_BUCKET_SLOTS;
  for (uint64_t i = 0; i < slots; i++) {
    uint64_t key = hdi_word_set_key(&set->overflow, i);
    if (key != 0) {
      bring_back(set, hdi_word_unmix(key));
    }
  }
  if (hdi_word_set_contains(&set->overflow, 0)) {
    bring_back(set, 0);
  }
}

/* The memory is there. */
static void grow(hdi_quotient_set *set, hd_team *team, uint32_t worker) {
  double start = hd_machine_seconds();
  uint64_t bucket_count = set->now.bucket_count; /* worker 0 may be done before another looks again */
  size_t old_bytes = (size_t)bucket_count * HD_CACHE_LINE;
  uint64_t begin, end;
  hdi_growth_share(old_bytes, worker, hd_team_count(team), &begin, &end);
  hdi_pages_touch(set->region.base, old_bytes + (size_t)begin, old_bytes + (size_t)end);
  hd_team_barrier(team); /* the pages are there */
  double touched = hd_machine_seconds();
  uint64_t front = worker == 0 ? take_front(set) : 0;
  hd_team_barrier(team); /* the front is empty */
  hdi_growth_stream(bucket_count, team, worker, move_buckets, set);
  if (worker == 0) {
    place_keys(&set->grown, set->front, front, false);
    set->now = set->grown;
    bring_all_back(set);
    set->times.growths++;
    set->times.touch_seconds += touched - start;
    set->times.move_seconds += hd_machine_seconds() - touched;
  }
}

hd_status hdi_quotient_set_grow(hdi_quotient_set *set, hd_team *team, uint32_t worker) {
  hd_team_barrier(team); /* nobody inserts any more */
  if (worker == 0) {
    set->growth_status = begin_growth(set);
  }
  hd_team_barrier(team); /* the memory, or the refusal, is there */
  hd_status status = set->growth_status;
  if (status == HD_OK) {
    grow(set, team, worker);
  }
  hd_team_barrier(team); /* all have read the status; the new table is in place */
  if (status == HD_OK && hdi_table_wants_growth(&set->overflow.table)) {
    (void)hdi_word_set_grow(&set->overflow, team, worker); /* refused: it is as good as it was */
  }
  return status;
}
