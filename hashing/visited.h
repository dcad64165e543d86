/* The visited set: which packed states have been seen. One interface, several stores.
 *
 *   word   states of one word: open addressing on 64-bit keys, lock-free insertion by one compare-and-swap
 *   wide   states of W words: slots hold a 64-bit reference (hash fragment and index) to the words, kept in append-only
 *          chunks; XXH3
 *   tree   states of W words: halves interned recursively as numbered nodes; a state is one 64-bit word, its root
 *   bitmap states of one word with few bits: a bit for each state that there could be
 *   quotient
 *          states of one word with at most 52 bits in slots of 32: the slot's place tells the rest
 *   bitstate  states of W words: four bits for each in a filter of fixed size. Lossy: a new state may be answered with
 *          HD_INSERT_KNOWN, never the other way round
 *
 * Threads: hd_visited_insert may be called by all workers at once, each with its own worker number. Growth happens only
 * inside hd_visited_grow, called by all workers of a team at a quiescent point (between levels or when an insert
 * answered HD_INSERT_FULL). Slots never move or vanish between two quiescent points. */
#ifndef HEDDLE_HASHING_VISITED_H
#define HEDDLE_HASHING_VISITED_H

#include "core/base/status.h"
#include "core/base/team.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hd_visited hd_visited;

/* X(identifier, "name") */
#define HD_STORE_TABLE(X) \
  X(AUTO, "auto")         \
  X(WORD, "word")         \
  X(WIDE, "wide")         \
  X(TREE, "tree")         \
  X(BITMAP, "bitmap")     \
  X(BITSTATE, "bitstate") \
  X(QUOTIENT, "quotient")

typedef enum hd_store {
#define HDI_STORE_ENUM(identifier, name) HD_STORE_##identifier,
  HD_STORE_TABLE(HDI_STORE_ENUM)
#undef HDI_STORE_ENUM
      HD_STORE_COUNT
} hd_store;

const char *hd_store_name(hd_store store);
/* Why `store` cannot hold states of `words` words of which `bits` bits carry information, as part of a sentence; NULL
 * when it can. What memory allows is another question. */
const char *hd_store_refusal(hd_store store, uint32_t words, uint32_t bits);

/* May a new state be taken for a known one? Never so for AUTO. */
bool hd_store_is_lossy(hd_store store);
/* The same store if it is exact, AUTO otherwise: for searches whose answer needs every state. */
hd_store hd_store_exact(hd_store store);

typedef enum hd_insert {
  HD_INSERT_NEW,   /* this call inserted it: exactly one caller gets this answer per state */
  HD_INSERT_KNOWN, /* it was there, or another worker has just inserted it */
  HD_INSERT_FULL,  /* the table is at its load limit: not inserted; grow and try again */
  HD_INSERT_NOMEM  /* memory is out: not inserted */
} hd_insert;

typedef struct hd_visited_config {
  uint32_t words;   /* per state, at least 1 */
  uint32_t bits;    /* the low `bits` bits of one-word states carry information, the others are 0; 0, 64: all may */
  uint32_t workers; /* how many worker numbers there are */
  hd_store store;   /* AUTO: WORD for one word, later BITMAP when that is smaller; TREE otherwise */
  size_t memory_max_bytes; /* for the table and the stored states; 0 = no limit */
  size_t initial_slots;    /* rounded up to a power of two; 0 = small */
  const uint32_t *chunks;  /* TREE: leaf l of the tree has chunks[4 l .. 4 l + 3], chunk c being 16 bits of word c / 4;
                              all 4 W once. Borrowed by hd_visited_new; NULL: dealt out without knowing the states */
} hd_visited_config;

/* What growing has cost so far. */
typedef struct hd_visited_times {
  uint32_t growths;
  double touch_seconds; /* having new pages committed, where that was done beforehand */
  double move_seconds;  /* everything else */
} hd_visited_times;

/* HD_E_USAGE when the store cannot hold such states (hd_store_refusal), HD_E_LIMIT when memory_max_bytes leaves no room
 * for an empty set, HD_E_NOMEM. */
hd_status hd_visited_new(const hd_visited_config *config, hd_visited **out);
void hd_visited_free(hd_visited *visited);
/* Inserts `state` (W words). */
hd_insert hd_visited_insert(hd_visited *visited, uint32_t worker, const uint64_t *state);
/* Inserts `count` < 2^32 states, one after another in `states`, with the same answers as inserting them one by one in
 * this order. Returns how many answers were not HD_INSERT_KNOWN: the j-th of them is answers[j], for state places[j],
 * ascending. Both arrays have room for `count` + 8. As fast as the memory allows: the buckets of the next states are
 * prefetched while the present ones are looked up. */
size_t hd_visited_insert_many(hd_visited *visited, uint32_t worker, const uint64_t *states, size_t count,
                              uint32_t *places, uint8_t *answers);
/* A table that is larger than the caches is faster when look-ups that follow each other stay in one part of it. Into
 * how many such parts, called regions, it is best divided: a power of two, at most HD_REGIONS_MAX; 1 when that does not
 * pay. Any thread; changes only with growth. */
#define HD_REGIONS_MAX 256u
uint32_t hd_visited_regions(const hd_visited *visited);
/* Can states be told by region, too, so that what one worker looks up never shares a cache line with what another looks
 * up in another region? Quiescent. */
bool hd_visited_has_regions(const hd_visited *visited);
/* regions[i] receives the region, out of 2^region_bits, of state i; region_bits is 1 .. 8. Requires
 * hd_visited_has_regions(). */
void hd_visited_find_regions(const hd_visited *visited, uint32_t region_bits, const uint64_t *states, size_t count,
                             uint8_t *regions);
/* Is it there? Any thread, only at quiescent points. */
bool hd_visited_contains(const hd_visited *visited, const uint64_t *state);
/* True when the table should grow before the next level (load above its limit), decided from the summed per-worker
 * counters. Quiescent. */
bool hd_visited_wants_growth(const hd_visited *visited);
/* How many bytes the next growth adds, at its peak; 0: the store never needs to grow. Quiescent. */
size_t hd_visited_growth_bytes(const hd_visited *visited);
/* Doubles the table. Collective: every worker of `team` calls it at the same point (a team of one is allowed).
 * HD_E_LIMIT when memory_max_bytes would be passed, HD_E_NOMEM; the same answer on every worker; the set is unchanged
 * then. */
hd_status hd_visited_grow(hd_visited *visited, hd_team *team, uint32_t worker);
/* States inserted; quiescent. */
uint64_t hd_visited_count(const hd_visited *visited);
size_t hd_visited_slots(const hd_visited *visited);
bool hd_visited_is_lossy(const hd_visited *visited);
/* How much a lossy set may have lost; all 0 for exact ones. */
typedef struct hd_visited_loss {
  double fill;     /* share of the filter's bits that are set */
  double omission; /* estimated probability that the next new state is taken for a known one */
} hd_visited_loss;
/* Quiescent. */
hd_visited_loss hd_visited_estimate_loss(const hd_visited *visited);
/* Bytes of the table and of stored states. */
size_t hd_visited_size_bytes(const hd_visited *visited);
const char *hd_visited_store_name(const hd_visited *visited);
/* Quiescent. */
hd_visited_times hd_visited_growth_times(const hd_visited *visited);

#endif
