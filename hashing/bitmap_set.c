/* Exact set of states of few bits: state s is bit s, of word s / 64. Nothing is hashed and nothing grows.
 *
 *   words:  | states 0 .. 63 | states 64 .. 127 | ... | .. 2^bits - 1 |        1 = visited
 *
 * Protocol. insert(s) reads the word and is done when the bit is set; otherwise it sets it by one fetch-or, whose
 * answer says whether the bit was set before. Claim 1: exactly one insertion of s answers "new". Bits are only set. Of
 * all fetch-ors that set this bit, the first in the word's modification order found it 0, every later one 1; and an
 * insertion that saw it by its load made none. Claim 2: "known" is answered only when the bit was set, hence after the
 * insertion that answered "new" or will. Claim 3: wait-free: a load and a fetch-or. No state is published by the set:
 * what it refers to is the state itself. So all orders are relaxed.
 *
 * An automatically chosen set begins as a table of words, since a small search would touch more pages here than there,
 * and moves when the next table would be larger than the bitmap. hdi_bitmap_set_take streams through the table's slots;
 * the mix is undone, so a slot says which state it is. Barriers (visited.c) lie before and behind: the table does not
 * change meanwhile, its parts are disjoint and cover it, and different slots are different bits, so nothing is lost and
 * nothing counted twice.
 *
 * The mapping is lazy: only pages with visited states take memory; limits count all of it. Any thread; cost of an
 * insertion: one cache line, which states near one another share. */
#include "hashing/bitmap_set.h"

#include "core/base/check.h"
#include "hashing/pages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BITS 64u

size_t hdi_bitmap_bytes(uint32_t bits) {
  HD_ASSERT(bits <= HDI_BITMAP_BITS_MAX);
  size_t bytes = ((size_t)1 << bits) / 8;
  return bytes < HD_CACHE_LINE ? HD_CACHE_LINE : bytes;
}

hd_status hdi_bitmap_set_init(hdi_bitmap_set *set, const hd_visited_config *config) {
  HD_REQUIRE(config->bits > 0 && config->bits <= HDI_BITMAP_BITS_MAX);
  memset(set, 0, sizeof *set);
  set->bits = config->bits;
  set->workers = config->workers;
  set->size_bytes = hdi_bitmap_bytes(config->bits);
  if (config->memory_max_bytes != 0 && set->size_bytes > config->memory_max_bytes) {
    return HD_E_LIMIT;
  }
  set->lanes = aligned_alloc(HD_CACHE_LINE, config->workers * sizeof *set->lanes);
  set->words = hdi_pages_map(set->size_bytes);
  if (set->lanes == NULL || set->words == NULL) {
    hdi_bitmap_set_clear(set);
    return HD_E_NOMEM;
  }
  memset(set->lanes, 0, config->workers * sizeof *set->lanes);
  return HD_OK;
}

void hdi_bitmap_set_clear(hdi_bitmap_set *set) {
  hdi_pages_unmap(set->words, set->size_bytes);
  free(set->lanes);
  set->words = NULL;
  set->lanes = NULL;
}

static inline hd_atomic_u64 *word_of(const hdi_bitmap_set *set, uint64_t state) {
  HD_ASSERT(state >> set->bits == 0);
  return &set->words[state / WORD_BITS];
}

/* True when this call set the bit. */
static inline bool set_bit(const hdi_bitmap_set *set, uint64_t state) {
  hd_atomic_u64 *word = word_of(set, state);
  uint64_t bit = (uint64_t)1 << (state % WORD_BITS);
  /* HD-SYNC D1: relaxed; pairs with D2. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger: a bit
   * that is set stays so, and one that is not yet seen set is decided by D2. */
  if ((hd_load_rlx(word) & bit) != 0) {
    return false;
  }
  /* HD-SYNC D2: relaxed; pairs with D1, D2 of other workers, D3. Publishes: nothing beyond the bit. Why not weaker: it
   * must be one read-modify-write. Why not stronger: the proof uses the modification order of one word only. */
  return (hd_or_rlx(word, bit) & bit) == 0;
}

hd_insert hdi_bitmap_set_insert(hdi_bitmap_set *set, uint32_t worker, uint64_t state) {
  if (!set_bit(set, state)) {
    return HD_INSERT_KNOWN;
  }
  set->lanes[worker].count++;
  return HD_INSERT_NEW;
}

size_t hdi_bitmap_set_insert_many(hdi_bitmap_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                  uint32_t *places, uint8_t *answers) {
  size_t ahead = count < HDI_PROBES_AHEAD ? count : HDI_PROBES_AHEAD;
  size_t found = 0;
  for (size_t i = 0; i < ahead; i++) {
    HD_PREFETCH(word_of(set, states[i]));
  }
  for (size_t i = 0; i < count; i++) {
    if (i + HDI_PROBES_AHEAD < count) {
      HD_PREFETCH(word_of(set, states[i + HDI_PROBES_AHEAD]));
    }
    if (set_bit(set, states[i])) {
      places[found] = (uint32_t)i;
      answers[found] = HD_INSERT_NEW;
      found++;
    }
  }
  set->lanes[worker].count += found;
  return found;
}

void hdi_bitmap_set_find_regions(uint32_t region_bits, const uint64_t *states, size_t count, uint8_t *regions) {
  /* States of one line fall into one region, and lines spread evenly, however their numbers are made: Fibonacci
   * hashing (Knuth, The Art of Computer Programming, volume 3). */
  const uint64_t line_states = HD_CACHE_LINE * CHAR_BIT, golden = 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < count; i++) {
    regions[i] = (uint8_t)(states[i] / line_states * golden >> (64 - region_bits));
  }
}

bool hdi_bitmap_set_contains(const hdi_bitmap_set *set, uint64_t state) {
  /* HD-SYNC D3: relaxed; pairs with D2. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger:
   * quiescent. */
  return state >> set->bits == 0 && ((hd_load_rlx(word_of(set, state)) >> (state % WORD_BITS)) & 1) != 0;
}

uint64_t hdi_bitmap_set_count(const hdi_bitmap_set *set) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < set->workers; i++) {
    count += set->lanes[i].count;
  }
  return count;
}

void hdi_bitmap_set_take(hdi_bitmap_set *set, const hdi_word_set *from, uint32_t part, uint32_t parts) {
  uint64_t begin, end;
  hdi_growth_share(from->table.now.bucket_count * HDI_BUCKET_SLOTS, part, parts, &begin, &end);
  for (uint64_t i = begin; i < end; i++) {
    uint64_t key = hdi_word_set_key(from, i);
    if (key != 0) {
      (void)set_bit(set, hdi_word_unmix(key));
    }
  }
  if (part == 0 && hdi_word_set_contains(from, 0)) {
    (void)set_bit(set, 0);
  }
}

void hdi_bitmap_set_take_counts(hdi_bitmap_set *set, const hdi_word_set *from) {
  for (uint32_t i = 0; i < set->workers; i++) {
    set->lanes[i].count = from->table.lanes[i].count;
  }
}
