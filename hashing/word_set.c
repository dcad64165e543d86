/* Exact set of 64-bit states, lock-free: one compare-and-swap per new state, none for a known one.
 *
 * A slot holds mix(state), mix being a bijection, so that the slot alone identifies the state and, when the table
 * grows, also says where it belongs. mix(0) = 0 is the mark of an empty slot: state 0 is a flag beside the table.
 *
 * Protocol. insert(k) looks at the slots from the home bucket of k on, in one fixed order. An occupied slot with k:
 * known. An occupied slot with another value: the next one. An empty slot: compare-and-swap it from 0 to k; success:
 * new; failure: the slot is occupied now, look at what it holds.
 * Claim 1: k is in at most one slot. Suppose two insertions of k succeed, at slots a and b, a before b in probe order.
 * The one at b passed a, so it saw there a value that was neither 0 nor k; but a only ever changes from 0 to k [T1]: a
 * contradiction. And one slot is written at most once. So exactly one insertion of k answers "new".
 * Claim 2: an insertion that answers "known" read k, and k was put there by an insertion that answered "new" or will.
 * Claim 3: lock-free. A failed compare-and-swap means that another insertion succeeded; the loop is bounded by
 * HDI_PROBE_MAX buckets, each slot is tried once, so an insertion is even wait-free.
 * Claim 4: "full" leaves the set as it was: it is answered before any write, or after only failed ones. It is never
 * answered for a state that was there before: growth may have put k further from home than an insertion looks for room
 * [T3], so where all these buckets are full the look goes on to the next empty slot.
 * Growth is argued in growth.c and slot_table.c. Any thread; cost: one cache line mostly. The scheme is that of open
 * addressing on cache lines as in Laarman, van de Pol, Weber: Boosting Multi-Core Reachability Performance with Shared
 * Hash Tables (2010), without its lock bit, which whole keys in the slots make unnecessary. */
#include "hashing/word_set.h"

#include "core/base/compiler.h"
#include "core/base/machine.h"

static size_t insert_portably(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count,
                              uint32_t *places, uint8_t *answers);

/* A vector load is no atomic operation to ThreadSanitizer, nor to a scheduler that stands in for the atomics. */
static hdi_word_insert_many choose(void) {
#if defined(__x86_64__) && !HD_THREAD_SANITIZER && !defined(HD_ATOMIC_SHIM)
  switch (hd_machine_simd()) {
    case HD_SIMD_AVX512:
      return hdi_word_set_insert_avx512;
    case HD_SIMD_AVX2:
      return hdi_word_set_insert_avx2;
    case HD_SIMD_NONE:
    case HD_SIMD_COUNT:
      break;
  }
#endif
  return insert_portably;
}

hd_status hdi_word_set_init(hdi_word_set *set, const hd_visited_config *config) {
  set->insert_many = choose();
  /* HD-SYNC W1: relaxed; pairs with none: the set is handed to other threads by the start of a team. Publishes:
   * nothing. Why not weaker: it is the weakest. Why not stronger: nobody else has the set. */
  hd_store_rlx(&set->has_zero, 0);
  return hdi_table_init(&set->table, config->workers, config->initial_slots, config->memory_max_bytes);
}

void hdi_word_set_clear(hdi_word_set *set) {
  hdi_table_clear(&set->table);
}

static hd_insert insert_zero(hdi_word_set *set, uint32_t worker) {
  /* HD-SYNC W2: acq_rel; pairs with W2 of other workers, W3. Publishes: nothing but the flag; one exchange only finds
   * 0. Why not weaker: it must be one read-modify-write. Why not stronger: one location only. */
  if (hd_xchg_acqrel(&set->has_zero, 1) != 0) {
    return HD_INSERT_KNOWN;
  }
  hdi_table_added(&set->table, worker);
  return HD_INSERT_NEW;
}

/* Does `key` lie in bucket `begin` or behind it, before the next empty slot? */
static HD_COLD bool finds_behind(const hdi_slots *slots, uint64_t begin, uint64_t key) {
  for (uint64_t bucket = begin; bucket < begin + slots->bucket_count; bucket++) {
    hd_atomic_u64 *line = hdi_slots_bucket(slots, bucket);
    for (uint32_t i = 0; i < HDI_BUCKET_SLOTS; i++) {
      /* HD-SYNC W6: relaxed; pairs with W5, W8. Publishes: nothing. Why not weaker: it is the weakest. Why not
       * stronger: as at W4, or quiescent. */
      uint64_t seen = hd_load_rlx(&line[i]);
      if (seen == 0 || seen == key) {
        return seen == key;
      }
    }
  }
  return false;
}

/* `key` is the mixed state. */
static inline hd_insert insert_key(hdi_word_set *set, uint32_t worker, uint64_t key) {
  if (HD_UNLIKELY(key == 0)) {
    return insert_zero(set, worker);
  }
  const hdi_slots *slots = &set->table.now;
  uint64_t home = key >> slots->shift;
  uint64_t limit = hdi_slots_probe_limit(slots);
  for (uint64_t probe = 0; probe < limit; probe++) {
    hd_atomic_u64 *line = hdi_slots_bucket(slots, home + probe);
    for (uint32_t i = 0; i < HDI_BUCKET_SLOTS; i++) {
      /* HD-SYNC W4: relaxed; pairs with W5. Publishes: nothing beyond the slot: the word is the whole state. Why not
       * weaker: it is the weakest. Why not stronger: the proof above uses only the order of writes to one slot. */
      uint64_t seen = hd_load_rlx(&line[i]);
      if (seen == 0) {
        if (!hdi_table_reserve(&set->table, worker)) {
          return HD_INSERT_FULL;
        }
        /* HD-SYNC W5: acq_rel; pairs with W4, W5 of other workers, W6, W7, W8. Publishes: the slot. Why not weaker:
         * relaxed would do for the proof; acquire on failure is the house rule for a value that is then used and costs
         * nothing.
         * Why not stronger: no order between slots is needed. */
        if (hd_cas_acqrel(&line[i], &seen, key)) {
          hdi_table_added(&set->table, worker);
          return HD_INSERT_NEW;
        }
        hdi_table_unreserve(&set->table, worker);
      }
      if (seen == key) {
        return HD_INSERT_KNOWN;
      }
    }
  }
  return finds_behind(slots, home + limit, key) ? HD_INSERT_KNOWN : HD_INSERT_FULL;
}

hd_insert hdi_word_set_insert(hdi_word_set *set, uint32_t worker, uint64_t state) {
  return insert_key(set, worker, hdi_word_mix(state));
}

/* Hashes and prefetches states begin .. end. */
static void prepare(const hdi_word_set *set, const uint64_t *states, size_t begin, size_t end, uint64_t *hashes) {
  for (size_t i = begin; i < end; i++) {
    uint64_t hash = hdi_word_mix(states[i]);
    HD_PREFETCH(hdi_slots_bucket(&set->table.now, hash >> set->table.now.shift));
    hashes[i % (2 * HDI_PROBES_AHEAD)] = hash;
  }
}

static size_t insert_portably(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count,
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
      answers[found] = (uint8_t)insert_key(set, worker, hashes[i % (2 * HDI_PROBES_AHEAD)]);
      found += answers[found] != HD_INSERT_KNOWN;
    }
  }
  return found;
}

hd_insert hdi_word_set_insert_key(hdi_word_set *set, uint32_t worker, uint64_t key) {
  return insert_key(set, worker, key);
}

size_t hdi_word_set_insert_many(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                uint32_t *places, uint8_t *answers) {
  return set->insert_many(set, worker, states, count, places, answers);
}

/* Regions are of equal size, and no larger than what the second cache level of a present core holds. */
enum { REGION_BYTES = 1 << 19, REGIONS_LEAST = 16 };

uint32_t hdi_word_set_regions(const hdi_word_set *set) {
  size_t regions = set->table.now.size_bytes / REGION_BYTES;
  return regions < REGIONS_LEAST ? 1 : regions > HD_REGIONS_MAX ? HD_REGIONS_MAX : (uint32_t)regions;
}

void hdi_word_set_find_regions(uint32_t region_bits, const uint64_t *states, size_t count, uint8_t *regions) {
  for (size_t i = 0; i < count; i++) {
    regions[i] = (uint8_t)(hdi_word_mix(states[i]) >> (64 - region_bits));
  }
}

bool hdi_word_set_contains(const hdi_word_set *set, uint64_t state) {
  uint64_t key = hdi_word_mix(state);
  if (key == 0) {
    /* HD-SYNC W3: relaxed; pairs with W2. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger:
     * quiescent. */
    return hd_load_rlx(&set->has_zero) != 0;
  }
  return finds_behind(&set->table.now, key >> set->table.now.shift, key);
}

uint64_t hdi_word_set_key(const hdi_word_set *set, uint64_t slot) {
  /* HD-SYNC W7: relaxed; pairs with W5, W8. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger:
   * quiescent. */
  return hd_load_rlx(&set->table.now.slots[slot]);
}

hd_status hdi_word_set_grow(hdi_word_set *set, hd_team *team, uint32_t worker) {
  return hdi_table_grow(&set->table, 0, team, worker, NULL, NULL);
}
