/* Exact set of states of W words as a tree database: parts of states get numbers, and a state is a pair of numbers.
 *
 *     state     | 3210 | 3210 | 3210 | 3210 | 3210 | 3210 |      words of four chunks, 16 bits each
 *     leaves      0000   0022   2222   1111   1133   3333        four chunks each (below)
 *     numbers       3      0      7      7      1     12         one for each leaf: node table, key = the leaf
 *                    \    /      /       \    /      /
 *                      5        /         2        /             one for each inner node: key = (left << 32) | right
 *                        \    /             \    /
 *                          9                 4
 *     root               ( 9 ,              4 )                  a 64-bit word in a set of words (word_set.c)
 *
 * Ranges of leaves are halved from the top. One node table serves all parts of the tree. It maps keys to numbers one to
 * one, and the shape is the same for all states, so by induction from the leaves upwards two parts in the same place
 * have the same number exactly when their chunks are equal; hence two states have the same root exactly when they are
 * equal, and the set of roots is the set of states. That leaves and inner nodes share one table does no harm: the place
 * in the tree says how a number is to be read. Nobody reads states back from it: the frontier has them in full.
 *
 * Why it is small: of N states there are N roots, but if the halves combine freely only about N^(1/2) different halves,
 * N^(1/4) quarters and so on. A node takes more room than a root (12.8 bytes by the load against 8), but all of them
 * together are a small part. It all depends on halves of equal weight. Halves of the words in their order are not: the
 * last word is mostly not full, and what moves at a time is next to each other (measured: more than one node for a
 * state for pipelines, philosophers, locks). Therefore the caller says which chunks are together in a leaf: a search
 * knows from its model which parts of a state change together (core/model/deal.c). Otherwise the leaves take chunks 0
 * of all words first, then all chunks 2, all chunks 1, all chunks 3 (0.1 to 0.8 nodes for a state on the same). A group
 * of four words is four leaves, one of each class; up to three words that are left over give as many leaves, mixed but
 * in this order. The right half has the odd leaf, being the lighter one. States that share no parts are the worst case,
 * about 40 bytes a word.
 *
 * Numbers are not positions: they stay when the tables grow [node_table.c]. So each worker keeps the numbers of all
 * parts of the state it offered last, for ever, and for the next state looks up only the parts that differ; successors
 * of one parent mostly differ in a chunk or two. The row is true from the start: all numbers 0 belong to the state of
 * all zeros. Blocks of states are worked on one level at a time: first the keys of the level are found and their
 * buckets prefetched, then they are looked up, then comes the next level, and last the roots, so that the memory
 * accesses of one level are under way together.
 *
 * Protocol and threads: those of node_table.c and word_set.c; nothing else is shared. Claim: of all insertions of equal
 * states exactly one answers "new": they have the same root by Claim 2 of node_table.c, and the set of words answers
 * so. An insertion that found no room for a node answers "full" and has entered no root; the nodes it did enter are
 * parts of no state yet, and will be found when it is tried again. contains() says no as soon as a part has no number.
 * Growth: worker 0 decides which of the two tables must grow, all take part.
 * Cost of a known successor: W comparisons of words, up to four leaves for each word that differs, per level one
 * look-up or two in tables that mostly stay in the caches, and one look-up in the set of roots, the only one that goes
 * to memory.
 *
 * After Laarman, van de Pol, Weber: Parallel Recursive State Compression for Free (SPIN 2011), with numbers in place of
 * positions in the table, so that the tables can grow, with memory of the last state in place of that of the parent,
 * and with chunks dealt out to the halves. */
#include "hashing/tree_set.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 32 * 1024, BLOCK_LEAST = 8, BLOCK_MOST = 128, STATES_PER_NODE = 16, SLOTS_DEFAULT = 4096 };

/* Leaves in the left part of a range of `count` leaves. */
static uint32_t left_half(uint32_t count) {
  return count / 2;
}

static uint64_t key_of(uint32_t left, uint32_t right) {
  return ((uint64_t)left << 32) | right;
}

/* ---- leaves ---- */

/* Without knowing the states: leaf i of `count` words, 1 .. 4, has chunks chunk_of[count][i]; chunk c is part c % 4 of
 * word c / 4. */
static const uint8_t chunk_of[5][4][4] = {[1] = {{0, 1, 2, 3}},
                                          [2] = {{0, 4, 2, 6}, {1, 5, 3, 7}},
                                          [3] = {{0, 4, 8, 2}, {6, 10, 1, 5}, {9, 3, 7, 11}},
                                          [4] = {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}};

static inline uint64_t chunk_at(const uint64_t *words, uint32_t chunk) {
  uint16_t value; /* which bits these are depends on the machine's order of bytes; any one-to-one choice will do */
  memcpy(&value, (const unsigned char *)words + chunk * sizeof value, sizeof value);
  return value;
}

static inline uint64_t make_leaf(const uint64_t *words, const uint32_t *chunks) {
  return chunk_at(words, chunks[0]) | chunk_at(words, chunks[1]) << 16 | chunk_at(words, chunks[2]) << 32 |
         chunk_at(words, chunks[3]) << 48;
}

/* The chunks of leaf `leaf`: those of `count` words from word `first` on that chunk_of puts together. */
static void deal_leaf(hdi_tree_set *set, uint32_t leaf, uint32_t first, const uint8_t *chunks) {
  for (uint32_t i = 0; i < 4; i++) {
    set->chunks[4 * (size_t)leaf + i] = 4 * first + chunks[i];
  }
}

/* The left half has the chunks 0 and 2 of the groups, then what fits of the words left over. */
static void deal_chunks(hdi_tree_set *set) {
  uint32_t groups = set->words / 4, rest = set->words % 4, left = rest / 2;
  const uint32_t leaf_of[4] = {0, 2 * groups + left, groups, 3 * groups + left};
  for (uint32_t g = 0; g < groups; g++) {
    for (uint32_t k = 0; k < 4; k++) {
      deal_leaf(set, leaf_of[k] + g, 4 * g, chunk_of[4][k]);
    }
  }
  for (uint32_t i = 0; i < rest; i++) {
    deal_leaf(set, (i < left ? 2 : 4) * groups + i, 4 * groups, chunk_of[rest][i]);
  }
}

static hd_status place_leaves(hdi_tree_set *set, const uint32_t *chunks) {
  size_t count = 4 * (size_t)set->words;
  set->chunks = calloc(count, sizeof *set->chunks);
  set->leaves_of = calloc(count, sizeof *set->leaves_of);
  if (set->chunks == NULL || set->leaves_of == NULL) {
    return HD_E_NOMEM;
  }
  if (chunks != NULL) {
    memcpy(set->chunks, chunks, count * sizeof *chunks);
  } else {
    deal_chunks(set);
  }
  for (size_t i = 0; i < count; i++) {
    HD_ASSERT(set->chunks[i] < count);
    set->leaves_of[set->chunks[i]] = (uint32_t)(i / 4);
  }
  return HD_OK;
}

/* Leaf `leaf` of a state. */
static inline uint64_t leaf_at(const hdi_tree_set *set, const uint64_t *state, uint32_t leaf) {
  return make_leaf(state, set->chunks + 4 * (size_t)leaf);
}

/* ---- the shape ---- */

typedef struct range {
  uint32_t begin, count;
} range;

/* Lists the ranges of two leaves and more, from the top; those of one depth stand together. Fills set->levels. */
static void split_ranges(hdi_tree_set *set, range *ranges) {
  uint32_t known = 1, depths[HDI_TREE_LEVELS + 2] = {0, 1}; /* depth d begins at depths[d] */
  ranges[0] = (range){0, set->words};
  uint32_t depth = 0;
  for (; depths[depth] < depths[depth + 1]; depth++) {
    for (uint32_t i = depths[depth]; i < depths[depth + 1]; i++) {
      uint32_t left = left_half(ranges[i].count), right = ranges[i].count - left;
      if (left > 1) {
        ranges[known++] = (range){ranges[i].begin, left};
      }
      if (right > 1) {
        ranges[known++] = (range){ranges[i].begin + left, right};
      }
    }
    depths[depth + 2] = known;
  }
  HD_ASSERT(known == set->words - 1);
  set->level_count = depth - 1;
  for (uint32_t l = 0; l <= set->level_count; l++) {
    set->levels[l] = set->parts + 1 - depths[depth - l];
  }
}

/* Part number of a child; `next` counts the ranges of two leaves and more that were passed. */
static uint32_t child_part(const hdi_tree_set *set, uint32_t begin, uint32_t count, uint32_t *next) {
  return count == 1 ? begin : set->parts - ++*next;
}

/* Part numbers run against the order of `ranges`, so that children come before their parents. */
static hd_status make_shape(hdi_tree_set *set) {
  uint32_t inner = set->words - 1; /* the root included */
  range *ranges = calloc(inner, sizeof *ranges);
  set->joins = calloc(inner, sizeof *set->joins);
  if (ranges == NULL || set->joins == NULL) {
    free(ranges);
    return HD_E_NOMEM;
  }
  split_ranges(set, ranges);
  uint32_t next = 0;
  for (uint32_t i = 0; i < inner; i++) {
    uint32_t begin = ranges[i].begin, left = left_half(ranges[i].count);
    hdi_tree_join join;
    join.left = child_part(set, begin, left, &next);
    join.right = child_part(set, begin + left, ranges[i].count - left, &next);
    *(i == 0 ? &set->root : &set->joins[inner - 1 - i]) = join;
  }
  free(ranges);
  return HD_OK;
}

/* ---- making and freeing ---- */

static hd_status init_lane(hdi_tree_set *set, hdi_tree_lane *lane) {
  size_t words = set->words, block = set->block;
  size_t longs = 2 * words + block + block * words, ints = block * words + (block + 1) * set->parts;
  lane->last = calloc(longs + ints / 2 + 1, sizeof *lane->last);
  if (lane->last == NULL) {
    return HD_E_NOMEM;
  }
  lane->leaves = lane->last + words;
  lane->roots = lane->leaves + words;
  lane->keys = lane->roots + block;
  lane->wanted = (uint32_t *)(lane->last + longs);
  lane->numbers = lane->wanted + block * words;
  return HD_OK;
}

static hd_status init_lanes(hdi_tree_set *set, const uint32_t *chunks) {
  set->parts = 2 * set->words - 2;
  size_t state_bytes = set->words * (sizeof(uint64_t) + sizeof(uint32_t)) + set->parts * sizeof(uint32_t);
  size_t block = BLOCK_BYTES / state_bytes;
  set->block = block < BLOCK_LEAST ? BLOCK_LEAST : block > BLOCK_MOST ? BLOCK_MOST : (uint32_t)block;
  set->lanes = aligned_alloc(HD_CACHE_LINE, set->workers * sizeof *set->lanes);
  if (set->lanes == NULL) {
    return HD_E_NOMEM;
  }
  memset(set->lanes, 0, set->workers * sizeof *set->lanes);
  hd_status status = place_leaves(set, chunks);
  status = status == HD_OK ? make_shape(set) : status;
  for (uint32_t i = 0; i < set->workers && status == HD_OK; i++) {
    status = init_lane(set, &set->lanes[i]);
  }
  return status;
}

/* What the set of roots may take beside the nodes. */
static size_t room_beside(const hdi_tree_set *set, size_t other_bytes) {
  return other_bytes < set->memory_max_bytes ? set->memory_max_bytes - other_bytes : 1;
}

static hd_status init_roots(hdi_tree_set *set, const hd_visited_config *config) {
  hd_visited_config roots = *config;
  roots.words = 1;
  roots.bits = 64;
  if (set->memory_max_bytes != 0) {
    roots.memory_max_bytes = room_beside(set, set->nodes.now.size_bytes);
  }
  return hdi_word_set_init(&set->roots, &roots);
}

hd_status hdi_tree_set_init(hdi_tree_set *set, const hd_visited_config *config) {
  memset(set, 0, sizeof *set);
  if (config->words > UINT32_MAX / 2) {
    return HD_E_NOMEM;
  }
  set->words = config->words;
  set->workers = config->workers;
  set->memory_max_bytes = config->memory_max_bytes;
  size_t slots = config->initial_slots != 0 ? config->initial_slots : SLOTS_DEFAULT;
  hd_status status = hdi_node_table_init(&set->nodes, config->workers, slots / STATES_PER_NODE);
  if (status == HD_OK) {
    status = init_roots(set, config);
  }
  if (status == HD_OK && set->words > 1) {
    status = init_lanes(set, config->chunks);
  }
  if (status != HD_OK) {
    hdi_tree_set_clear(set);
  }
  return status;
}

void hdi_tree_set_clear(hdi_tree_set *set) {
  for (uint32_t i = 0; set->lanes != NULL && i < set->workers; i++) {
    free(set->lanes[i].last);
  }
  free(set->lanes);
  free(set->joins);
  free(set->chunks);
  free(set->leaves_of);
  set->lanes = NULL;
  set->joins = NULL;
  set->chunks = set->leaves_of = NULL;
  hdi_word_set_clear(&set->roots);
  hdi_node_table_clear(&set->nodes);
}

/* ---- insertion ---- */

/* A key whose number is to be looked up into numbers[place]. */
static inline void want(const hdi_tree_set *set, hdi_tree_lane *lane, size_t at, uint64_t key, size_t place) {
  hdi_node_prefetch(&set->nodes, key);
  lane->keys[at] = key;
  lane->wanted[at] = (uint32_t)place;
}

/* Wants leaf `part` in row `row` if it is another than in the state before; returns how many are wanted then. */
static inline size_t want_leaf(const hdi_tree_set *set, hdi_tree_lane *lane, size_t wanted, uint64_t leaf, size_t row,
                               uint32_t part) {
  if (lane->leaves[part] != leaf) {
    lane->leaves[part] = leaf;
    want(set, lane, wanted++, leaf, row + part);
  }
  return wanted;
}

/* Wants the leaves of `count` states that differ from those of the state before; returns how many. */
static size_t want_leaves(const hdi_tree_set *set, hdi_tree_lane *lane, const uint64_t *states, uint32_t count) {
  uint32_t words = set->words;
  const uint64_t *before = lane->last;
  size_t wanted = 0, row = set->parts;
  for (uint32_t i = 0; i < count; i++, row += set->parts) {
    const uint64_t *state = states + (size_t)i * words;
    for (uint32_t w = 0; w < words; w++) {
      uint64_t changed = state[w] ^ before[w];
      const uint32_t *leaves = set->leaves_of + 4 * (size_t)w;
      for (uint32_t k = 0; changed != 0 && k < 4; k++) {
        wanted = want_leaf(set, lane, wanted, leaf_at(set, state, leaves[k]), row, leaves[k]);
      }
    }
    before = state;
  }
  return wanted;
}

/* The same for the inner nodes of a level. */
static size_t want_joins(const hdi_tree_set *set, hdi_tree_lane *lane, uint32_t level, uint32_t count) {
  size_t wanted = 0, row = set->parts;
  for (uint32_t i = 0; i < count; i++, row += set->parts) {
    const uint32_t *now = lane->numbers + row, *before = now - set->parts;
    for (uint32_t p = set->levels[level]; p < set->levels[level + 1]; p++) {
      hdi_tree_join join = set->joins[p - set->words];
      uint32_t left = now[join.left], right = now[join.right];
      if (left != before[join.left] || right != before[join.right]) {
        want(set, lane, wanted++, key_of(left, right), row + p);
      }
    }
  }
  return wanted;
}

/* Fills in parts begin .. end - 1 of `count` rows: the wanted ones by look-up, the others from the row before. Returns
 * how many rows could be filled. */
static uint32_t fill_rows(hdi_tree_set *set, uint32_t worker, uint32_t begin, uint32_t end, uint32_t count,
                          size_t wanted) {
  const hdi_tree_lane *lane = &set->lanes[worker];
  uint32_t *numbers = lane->numbers;
  size_t done = 0, row = set->parts;
  for (uint32_t i = 0; i < count; i++, row += set->parts) {
    memcpy(numbers + row + begin, numbers + row - set->parts + begin, (end - begin) * sizeof *numbers);
    for (; done < wanted && lane->wanted[done] < row + set->parts; done++) {
      uint32_t number = hdi_node_intern(&set->nodes, worker, lane->keys[done]);
      if (HD_UNLIKELY(number == HDI_NODE_NONE)) {
        return i;
      }
      numbers[lane->wanted[done]] = number;
    }
  }
  return count;
}

/* Starts again from the state of all zeros. */
static void forget_last(const hdi_tree_set *set, hdi_tree_lane *lane) {
  memset(lane->last, 0, set->words * sizeof *lane->last);
  memset(lane->leaves, 0, set->words * sizeof *lane->leaves);
  memset(lane->numbers, 0, set->parts * sizeof *lane->numbers);
}

/* Finds the roots of up to `count` > 0 states, a block at most; returns how many: the one behind them found no room. */
static uint32_t find_roots(hdi_tree_set *set, uint32_t worker, const uint64_t *states, uint32_t count) {
  hdi_tree_lane *lane = &set->lanes[worker];
  uint32_t asked = count;
  count = fill_rows(set, worker, 0, set->words, count, want_leaves(set, lane, states, count));
  for (uint32_t l = 0; l < set->level_count; l++) {
    size_t wanted = want_joins(set, lane, l, count);
    count = fill_rows(set, worker, set->levels[l], set->levels[l + 1], count, wanted);
  }
  const uint32_t *row = lane->numbers + set->parts;
  for (uint32_t i = 0; i < count; i++, row += set->parts) {
    lane->roots[i] = key_of(row[set->root.left], row[set->root.right]);
  }
  if (HD_UNLIKELY(count < asked)) {
    forget_last(set, lane);
  } else {
    memcpy(lane->last, states + (size_t)(count - 1) * set->words, set->words * sizeof *states);
    memcpy(lane->numbers, row - set->parts, set->parts * sizeof *row);
  }
  return count;
}

size_t hdi_tree_set_insert_many(hdi_tree_set *set, uint32_t worker, const uint64_t *states, size_t count,
                                uint32_t *places, uint8_t *answers) {
  if (set->words == 1) {
    return hdi_word_set_insert_many(&set->roots, worker, states, count, places, answers);
  }
  hdi_tree_lane *lane = &set->lanes[worker];
  size_t found = 0, most = set->block;
  for (size_t i = 0; i < count;) {
    uint32_t block = (uint32_t)(count - i < most ? count - i : most);
    uint32_t rooted = find_roots(set, worker, states + i * set->words, block);
    size_t more = hdi_word_set_insert_many(&set->roots, worker, lane->roots, rooted, places + found, answers + found);
    for (; more > 0; more--) {
      places[found++] += (uint32_t)i;
    }
    i += rooted;
    if (HD_UNLIKELY(rooted < block)) {
      lane->full = true;
      places[found] = (uint32_t)i++;
      answers[found++] = hdi_node_table_is_exhausted(&set->nodes) ? HD_INSERT_NOMEM : HD_INSERT_FULL;
      most = 1; /* the next one will most likely find no room either */
    }
  }
  return found;
}

hd_insert hdi_tree_set_insert(hdi_tree_set *set, uint32_t worker, const uint64_t *state) {
  uint32_t places[1 + 8];
  uint8_t answers[1 + 8];
  size_t found = hdi_tree_set_insert_many(set, worker, state, 1, places, answers);
  return found == 0 ? HD_INSERT_KNOWN : (hd_insert)answers[0];
}

/* ---- quiescent ---- */

/* The number of leaves begin .. begin + count - 1; HDI_NODE_NONE when they have none. */
static uint32_t find_part(const hdi_tree_set *set, const uint64_t *state, uint32_t begin, uint32_t count) {
  if (count == 1) {
    return hdi_node_find(&set->nodes, leaf_at(set, state, begin));
  }
  uint32_t half = left_half(count);
  uint32_t left = find_part(set, state, begin, half);
  uint32_t right = left == HDI_NODE_NONE ? HDI_NODE_NONE : find_part(set, state, begin + half, count - half);
  return right == HDI_NODE_NONE ? HDI_NODE_NONE : hdi_node_find(&set->nodes, key_of(left, right));
}

bool hdi_tree_set_contains(const hdi_tree_set *set, const uint64_t *state) {
  if (set->words == 1) {
    return hdi_word_set_contains(&set->roots, state[0]);
  }
  uint32_t half = left_half(set->words);
  uint32_t left = find_part(set, state, 0, half), right = find_part(set, state, half, set->words - half);
  return left != HDI_NODE_NONE && right != HDI_NODE_NONE && hdi_word_set_contains(&set->roots, key_of(left, right));
}

bool hdi_tree_set_wants_growth(const hdi_tree_set *set) {
  return hdi_table_wants_growth(&set->roots.table) || hdi_node_table_wants_growth(&set->nodes);
}

/* Which of the tables is the next growth to make larger? Quiescent. */
static bool nodes_must_grow(const hdi_tree_set *set) {
  bool full = hdi_node_table_wants_growth(&set->nodes);
  for (uint32_t i = 0; set->words > 1 && i < set->workers; i++) {
    full = full || set->lanes[i].full;
  }
  return set->words > 1 && full;
}

/* The roots also when nobody has asked. */
static bool roots_must_grow(const hdi_tree_set *set) {
  return hdi_table_wants_growth(&set->roots.table) || !nodes_must_grow(set);
}

size_t hdi_tree_set_growth_bytes(const hdi_tree_set *set) {
  return (nodes_must_grow(set) ? hdi_node_table_next_bytes(&set->nodes) : 0) +
         (roots_must_grow(set) ? set->roots.table.now.size_bytes : 0); /* these grow in place */
}

/* Worker 0 alone, the others wait. */
static void choose_growth(hdi_tree_set *set) {
  set->grow_nodes = nodes_must_grow(set);
  set->grow_roots = roots_must_grow(set);
  for (uint32_t i = 0; set->words > 1 && i < set->workers; i++) {
    set->lanes[i].full = false;
  }
}

hd_status hdi_tree_set_grow(hdi_tree_set *set, hd_team *team, uint32_t worker) {
  hd_team_barrier(team); /* nobody inserts any more */
  if (worker == 0) {
    choose_growth(set);
  }
  hd_team_barrier(team); /* the choice is there */
  bool limited = set->memory_max_bytes != 0, grow_roots = set->grow_roots;
  hd_status status = HD_OK;
  if (set->grow_nodes) {
    size_t room_bytes = limited ? room_beside(set, set->roots.table.now.size_bytes) : SIZE_MAX;
    status = hdi_node_table_grow(&set->nodes, room_bytes, team, worker);
  }
  if (status == HD_OK && grow_roots) {
    if (worker == 0 && limited) {
      set->roots.table.memory_max_bytes = room_beside(set, set->nodes.now.size_bytes); /* read behind a barrier */
    }
    status = hdi_word_set_grow(&set->roots, team, worker);
  }
  return status;
}

size_t hdi_tree_set_size_bytes(const hdi_tree_set *set) {
  return set->roots.table.now.size_bytes + set->nodes.now.size_bytes;
}
