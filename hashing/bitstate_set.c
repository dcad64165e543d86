/* Lossy set of states: a Bloom filter in cache lines. Chosen by hand only, for spaces that no exact store can hold.
 *
 *     hash  | line: 32 bits | ... | word p: 3 | word q: 3 | two bits of p: 6 + 6 | two bits of q: 6 + 6 |
 *     line  | w0 | w1 | .. p: ..1....1... | .. | .. q: .1...1.. | .. | w7 |                    one cache line
 *
 * A state is taken for known when its four bits, two in each of two words of one line, are all set. So one access to
 * memory answers, where bits all over the filter would take four; the price is that lines fill unevenly, which makes
 * omissions about half as likely again (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom Filters,
 * 2007). Hashing states into bits is Holzmann's (An Analysis of Bitstate Hashing, 1998). One 64-bit XXH3 value has bits
 * for all choices.
 *
 * Protocol, for masks P in word p and Q in word q. insert: read p and q. All of P and Q set: known, nothing is written.
 * Otherwise set P in p; then, if Q was not set in q when it was read, set Q in q, and answer "new" when that last
 * operation found a bit of Q clear; if Q was set, answer "new" when the first operation found a bit of P clear.
 * Claim: of all insertions of equal states at most one answers "new", so nothing is expanded twice. Bits are never
 * cleared. Two that are decided by the same word: the second one's operation on it finds the mask set by the first. Let
 * A be decided by q and B by p. B read Q set in q before its operation on p, which found P not whole; hence B's
 * operation on p is before A's in the order of p. A's acquires what B's released: B's read of q happens before A's
 * operation on q, which therefore finds in q at least what B saw, the whole of Q: A answers "known".
 * That all answer "known" can happen when others set the missing bits in between: one more omission, as likely as
 * others. Which states are left out depends on the order of insertions; counts may therefore differ from run to run,
 * and with them the findings. All of that is why nothing that was searched with this set is ever said to hold.
 *
 * The table has its size for good: it never asks for growth and is never full. Wait-free: at most two reads and two
 * operations. Any thread. Cost: one hash, one cache line. */
#include "hashing/bitstate_set.h"

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/machine.h"
#include "hashing/pages.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = HDI_BITSTATE_LINE_WORDS * sizeof(uint64_t), AHEAD = 32, SAMPLED_LINES = 1 << 16 };

#define SIZE_DEFAULT ((size_t)64 << 20)
#define SIZE_MOST (((uint64_t)UINT32_MAX) * LINE_BYTES)

/* Where the bits of a state are. */
typedef struct spot {
  hd_atomic_u64 *p, *q;
  uint64_t p_mask, q_mask;
} spot;

hd_status hdi_bitstate_set_init(hdi_bitstate_set *set, const hd_visited_config *config) {
  memset(set, 0, sizeof *set);
  uint64_t size = config->memory_max_bytes != 0 ? config->memory_max_bytes / 2 : SIZE_DEFAULT;
  size_t huge = hd_machine_huge_page_bytes();
  size_t unit = huge != 0 && size >= huge ? huge : LINE_BYTES;
  size = (size < SIZE_MOST ? size : SIZE_MOST) / unit * unit;
  if (size == 0) {
    return HD_E_LIMIT;
  }
  set->words = config->words;
  set->workers = config->workers;
  set->lanes = aligned_alloc(HD_CACHE_LINE, config->workers * sizeof *set->lanes);
  set->bits = hdi_pages_map((size_t)size);
  set->size_bytes = (size_t)size;
  set->line_count = size / LINE_BYTES;
  if (set->lanes == NULL || set->bits == NULL) {
    hdi_bitstate_set_clear(set);
    return HD_E_NOMEM;
  }
  memset(set->lanes, 0, config->workers * sizeof *set->lanes);
  return HD_OK;
}

void hdi_bitstate_set_clear(hdi_bitstate_set *set) {
  hdi_pages_unmap(set->bits, set->size_bytes);
  free(set->lanes);
  set->bits = NULL;
  set->lanes = NULL;
}

static uint64_t hash_state(const hdi_bitstate_set *set, const uint64_t *state) {
  return hd_hash_bytes(state, set->words * sizeof *state);
}

static hd_atomic_u64 *line_of(const hdi_bitstate_set *set, uint64_t hash) {
  return set->bits + ((hash >> 32) * set->line_count >> 32) * HDI_BITSTATE_LINE_WORDS;
}

/* Two different bits by twelve bits of the hash. */
static uint64_t two_bits(uint64_t hash) {
  uint64_t first = hash % 64, other = first ^ (1 + ((hash / 64 % 64 * 63) >> 6));
  return (uint64_t)1 << first | (uint64_t)1 << other;
}

static spot spot_of(const hdi_bitstate_set *set, uint64_t hash) {
  hd_atomic_u64 *line = line_of(set, hash);
  uint64_t p = hash >> 24 & 7, q = p ^ (1 + ((hash >> 27 & 31) * 7 >> 5));
  return (spot){&line[p], &line[q], two_bits(hash), two_bits(hash >> 12)};
}

static bool has(uint64_t bits, uint64_t mask) {
  return (bits & mask) == mask;
}

static hd_insert insert_hashed(hdi_bitstate_set *set, uint32_t worker, uint64_t hash) {
  spot s = spot_of(set, hash);
  /* HD-SYNC B1: relaxed; pairs with B2, B3. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger:
   * the proof needs only that the reads come before B2, which releases. */
  bool p_known = has(hd_load_rlx(s.p), s.p_mask), q_known = has(hd_load_rlx(s.q), s.q_mask);
  if (p_known && q_known) {
    return HD_INSERT_KNOWN;
  }
  /* HD-SYNC B2: acq_rel; pairs with B2 of other workers, B1, B4, B5. Publishes: that this worker has read q. Why not
   * weaker: the claim above needs both sides. Why not stronger: two locations, one direction. */
  bool p_new = !has(hd_or_acqrel(s.p, s.p_mask), s.p_mask);
  /* HD-SYNC B3: relaxed; pairs with B1, B3 of other workers, B4, B5. Publishes: nothing. Why not weaker: it must be one
   * read-modify-write. Why not stronger: it reads the latest value in any case, and B2 is before it. */
  bool is_new = q_known ? p_new : !has(hd_or_rlx(s.q, s.q_mask), s.q_mask);
  set->lanes[worker].count += is_new;
  return is_new ? HD_INSERT_NEW : HD_INSERT_KNOWN;
}

hd_insert hdi_bitstate_set_insert(hdi_bitstate_set *set, uint32_t worker, const uint64_t *state) {
  return insert_hashed(set, worker, hash_state(set, state));
}

size_t hdi_bitstate_set_insert_many(hdi_bitstate_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                    uint32_t *places, uint8_t *answers) {
  uint64_t hashes[AHEAD];
  size_t found = 0;
  for (size_t i = 0; i < count + AHEAD; i++) { /* state i is hashed, state i - AHEAD is inserted */
    if (i >= AHEAD && i - AHEAD < count) {
      places[found] = (uint32_t)(i - AHEAD);
      answers[found] = (uint8_t)insert_hashed(set, worker, hashes[i % AHEAD]);
      found += answers[found] != HD_INSERT_KNOWN;
    }
    if (i < count) {
      hashes[i % AHEAD] = hash_state(set, states + i * set->words);
      HD_PREFETCH(line_of(set, hashes[i % AHEAD]));
    }
  }
  return found;
}

bool hdi_bitstate_set_contains(const hdi_bitstate_set *set, const uint64_t *state) {
  spot s = spot_of(set, hash_state(set, state));
  /* HD-SYNC B4: relaxed; pairs with B2, B3. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger:
   * quiescent. */
  return has(hd_load_rlx(s.p), s.p_mask) && has(hd_load_rlx(s.q), s.q_mask);
}

uint64_t hdi_bitstate_set_count(const hdi_bitstate_set *set) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < set->workers; i++) {
    count += set->lanes[i].count;
  }
  return count;
}

static uint32_t bit_count(uint64_t bits) {
  uint32_t count = 0;
  for (; bits != 0; bits &= bits - 1) {
    count++;
  }
  return count;
}

void hdi_bitstate_set_estimate(const hdi_bitstate_set *set, double *fill, double *omission) {
  uint64_t sampled = set->line_count < SAMPLED_LINES ? set->line_count : SAMPLED_LINES;
  double ones = 0, chances = 0;
  for (uint64_t i = 0; i < sampled; i++) {
    const hd_atomic_u64 *line = set->bits + set->line_count / sampled * i * HDI_BITSTATE_LINE_WORDS;
    double sum = 0, squares = 0; /* of the probabilities that both bits in a word are set */
    for (uint32_t w = 0; w < HDI_BITSTATE_LINE_WORDS; w++) {
      /* HD-SYNC B5: relaxed; pairs with B2, B3. Publishes: nothing. Why not weaker: it is the weakest. Why not
       * stronger: quiescent. */
      double count = bit_count(hd_load_rlx(&line[w]));
      double both = count * (count - 1) / (64.0 * 63.0);
      ones += count;
      sum += both;
      squares += both * both;
    }
    chances += (sum * sum - squares) / (HDI_BITSTATE_LINE_WORDS * (HDI_BITSTATE_LINE_WORDS - 1.0));
  }
  *fill = ones / (double)(sampled * HDI_BITSTATE_LINE_WORDS * 64);
  *omission = chances / (double)sampled;
}
