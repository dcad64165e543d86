/* Insertion into the word set by vector instructions, for inclusion by the files that know them: they define
 *
 *   typedef ... line_copy;                                                              eight slots as they were read
 *   static inline line_copy read_line(const hd_atomic_u64 *line);                       reads each slot
 *   static inline line_copy keep_line(line_copy copy);                                  and not again for a second use
 *   static inline uint32_t line_equals(line_copy copy, uint64_t value);                 bit i: slot i holds the value
 *   static inline void mix_many(const uint64_t *states, size_t count, uint64_t *keys);  hdi_word_mix of each
 *
 * before they include this. Internal to hashing/.
 *
 * Two passes over the keys whose lines have arrived. The first asks of each key's home line only whether the key is in
 * it, without a branch: that settles most keys of a search, which are known. The second inserts the others one by one:
 *
 *     keys --mix, prefetch--> 32 ahead --first pass--> known: done
 *                                              \-----> left: second pass, in order
 *
 * The protocol is that of word_set.c, and so is its proof, which uses no more of reading a slot than that what was read
 * was in the slot at some moment between begin and end of the insertion. A vector load of eight slots gives that for
 * each slot by itself: on x86-64 an aligned eight-byte part of a vector is read whole, although the vector as such is
 * not read at one moment; slots go from 0 to a key once [T1], so a key seen is the key for good, and a 0 seen is only a
 * hint, which the compare-and-swap confirms or refutes. What the proof does ask for is that a slot that is passed was
 * seen with another key, so one reading must tell both, the key and the empty slots: between two, a slot that was empty
 * may have become the key's. Key 0 is not told from an empty slot by a line, so it is left to the second pass. */
#include "hashing/word_set.h"

/* As insert_key of word_set.c. */
static hd_insert insert_left(hdi_word_set *set, uint32_t worker, uint64_t key) {
  const hdi_slots *slots = &set->table.now;
  uint64_t home = key >> slots->shift;
  for (uint64_t probe = 0, limit = hdi_slots_probe_limit(slots); key != 0 && probe < limit; probe++) {
    hd_atomic_u64 *line = hdi_slots_bucket(slots, home + probe);
    const line_copy copy = keep_line(read_line(line));
    if (line_equals(copy, key) != 0) {
      return HD_INSERT_KNOWN;
    }
    for (uint32_t empty = line_equals(copy, 0); empty != 0; empty &= empty - 1) {
      hd_atomic_u64 *slot = &line[HD_COUNT_TRAILING_ZEROS_64(empty)];
      if (!hdi_table_reserve(&set->table, worker)) {
        return HD_INSERT_FULL;
      }
      uint64_t seen = 0;
      /* HD-SYNC W8: acq_rel; pairs with W5, W6, W7, W8 of other workers. Publishes: the slot. Why not weaker, why not
       * stronger: as at W5. */
      if (hd_cas_acqrel(slot, &seen, key)) {
        hdi_table_added(&set->table, worker);
        return HD_INSERT_NEW;
      }
      hdi_table_unreserve(&set->table, worker);
      if (seen == key) {
        return HD_INSERT_KNOWN;
      }
    }
  }
  return hdi_word_set_insert_key(set, worker, key); /* looks once more, and behind where an insertion looks for room */
}

/* Mixes and prefetches `count` states. */
static inline void fetch(const hdi_word_set *set, const uint64_t *states, size_t count, uint64_t *keys) {
  mix_many(states, count, keys);
  for (size_t i = 0; i < count; i++) {
    HD_PREFETCH(hdi_slots_bucket(&set->table.now, keys[i] >> set->table.now.shift));
  }
}

/* First pass over `count` <= HDI_PROBES_AHEAD keys: `left` receives the numbers of those that are not settled. */
static inline size_t look(const hdi_word_set *set, const uint64_t *keys, size_t count, uint8_t *left) {
  const hdi_slots *slots = &set->table.now;
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    const line_copy copy = read_line(hdi_slots_bucket(slots, keys[i] >> slots->shift));
    left[found] = (uint8_t)i;
    found += (line_equals(copy, keys[i]) == 0) | (keys[i] == 0);
  }
  return found;
}

static inline size_t insert_all(hdi_word_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                uint32_t *places, uint8_t *answers) {
  uint64_t keys[2][HDI_PROBES_AHEAD];
  uint8_t left[HDI_PROBES_AHEAD];
  size_t found = 0;
  size_t size = count < HDI_PROBES_AHEAD ? count : HDI_PROBES_AHEAD;
  fetch(set, states, size, keys[0]);
  for (size_t begin = 0, round = 0; begin < count; round++) {
    const uint64_t *now = keys[round % 2];
    size_t after = begin + size;
    size_t ahead = count - after < HDI_PROBES_AHEAD ? count - after : HDI_PROBES_AHEAD;
    fetch(set, states + after, ahead, keys[(round + 1) % 2]);
    size_t left_count = look(set, now, size, left);
    for (size_t i = 0; i < left_count; i++) {
      places[found] = (uint32_t)(begin + left[i]);
      answers[found] = (uint8_t)insert_left(set, worker, now[left[i]]);
      found += answers[found] != HD_INSERT_KNOWN;
    }
    begin = after;
    size = ahead;
  }
  return found;
}
