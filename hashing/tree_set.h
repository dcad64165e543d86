/* The visited set for wide states as a tree database. Internal to hashing/; the rules are those of visited.h. */
#ifndef HEDDLE_HASHING_TREE_SET_H
#define HEDDLE_HASHING_TREE_SET_H

#include "hashing/node_table.h"
#include "hashing/visited.h"
#include "hashing/word_set.h"

/* An inner node: the part of the state under it is told by the numbers of two smaller parts. Parts 0 .. W-1 are leaves
 * of four chunks of 16 bits; inner node i is part W + i. */
typedef struct hdi_tree_join {
  uint32_t left, right; /* parts */
} hdi_tree_join;

/* What one worker alone uses. */
typedef struct hdi_tree_lane {
  alignas(HD_CACHE_LINE) uint64_t *last; /* owned, and with it all below; the state offered last, at first all zeros */
  uint64_t *leaves;                      /* its leaves */
  uint64_t *roots;                       /* of the states of a block */
  uint64_t *keys;                        /* those that are looked for ... */
  uint32_t *wanted;                      /* ... and which of `numbers` they give */
  uint32_t *numbers;                     /* rows of one number for each part; row 0 belongs to `last` */
  bool full;                             /* there was no number for a part since the last growth */
} hdi_tree_lane;

/* Most levels of inner nodes below the root: a state has fewer than 2^32 words. */
#define HDI_TREE_LEVELS 32u

typedef struct hdi_tree_set {
  hdi_word_set roots;
  hdi_node_table nodes;
  uint32_t words;
  uint32_t parts;                       /* numbers in a row: leaves, and inner nodes below the root */
  uint32_t *chunks;                     /* owned; leaf l has chunks[4 l .. 4 l + 3]. NULL with one word */
  uint32_t *leaves_of;                  /* owned; the leaves in which word w has chunks: leaves_of[4 w .. 4 w + 3] */
  uint32_t block;                       /* states worked on together */
  uint32_t level_count;                 /* of inner nodes below the root */
  uint32_t levels[HDI_TREE_LEVELS + 1]; /* level l, from the deepest on: parts levels[l] .. levels[l + 1] - 1 */
  hdi_tree_join root;                   /* not used with one word */
  hdi_tree_join *joins;                 /* owned; parts - words of them */
  hdi_tree_lane *lanes;                 /* owned; one per worker */
  uint32_t workers;
  size_t memory_max_bytes;     /* 0: none */
  bool grow_nodes, grow_roots; /* written by worker 0 of a growing team, read by all after a barrier */
} hdi_tree_set;

hd_status hdi_tree_set_init(hdi_tree_set *set, const hd_visited_config *config);
void hdi_tree_set_clear(hdi_tree_set *set);
hd_insert hdi_tree_set_insert(hdi_tree_set *set, uint32_t worker, const uint64_t *state);
/* As hd_visited_insert_many. */
size_t hdi_tree_set_insert_many(hdi_tree_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                uint32_t *places, uint8_t *answers);
bool hdi_tree_set_contains(const hdi_tree_set *set, const uint64_t *state);
bool hdi_tree_set_wants_growth(const hdi_tree_set *set);
/* As hd_visited_growth_bytes. */
size_t hdi_tree_set_growth_bytes(const hdi_tree_set *set);
hd_status hdi_tree_set_grow(hdi_tree_set *set, hd_team *team, uint32_t worker);
size_t hdi_tree_set_size_bytes(const hdi_tree_set *set);

#endif
