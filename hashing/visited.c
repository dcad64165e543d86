/* The visited set's front: picks the store and passes each call on.
 *
 * Which store is fixed when the set is made, but for one move (below), so the branch is always predicted and costs
 * nothing next to a table look-up. The stores' protocols and their proofs are at the heads of word_set.c, wide_set.c,
 * tree_set.c and bitstate_set.c, those of load and growth in slot_table.c and node_table.c. This file holds no shared
 * data of its own: `store` and `words` are written once, before any other thread has the set, and changed once more at
 * most.
 *
 * The move. A set of one-word states that was chosen automatically begins as a table of words. When it is to grow and a
 * bitmap of all states there could be is not larger than the grown table, it becomes that bitmap (bitmap_set.c): which
 * growth this happens at depends on the number of states alone. All workers of the growing team decide alike from what
 * no worker changes before the first barrier; worker 0 makes the bitmap; after a barrier all fill it, each its part;
 * after another worker 0 frees the table and changes `store`, which a last barrier shows to all. */
#include "hashing/visited.h"

#include "core/base/check.h"
#include "core/base/machine.h"
#include "hashing/bitmap_set.h"
#include "hashing/bitstate_set.h"
#include "hashing/quotient_set.h"
#include "hashing/tree_set.h"
#include "hashing/wide_set.h"
#include "hashing/word_set.h"

#include <stdlib.h>
#include <string.h>

struct hd_visited {
  hd_store store;           /* not AUTO */
  bool automatic;           /* AUTO was asked for */
  hd_visited_config config; /* as given */
  hd_status move_status;    /* written by worker 0 of a moving team, read by all after a barrier */
  hd_visited_times moved;   /* what growing cost before the move, and the move itself */
  hdi_bitmap_set bitmap;    /* beside the others: it is filled from the table of words */
  union {
    hdi_word_set word;
    hdi_wide_set wide;
    hdi_tree_set tree;
    hdi_quotient_set quotient;
    hdi_bitstate_set bitstate;
  } set;
};

const char *hd_store_name(hd_store store) {
  static const char *const names[] = {
#define STORE_NAME(identifier, name) name,
      HD_STORE_TABLE(STORE_NAME)
#undef STORE_NAME
  };
  HD_REQUIRE(store < HD_STORE_COUNT);
  return names[store];
}

const char *hd_store_refusal(hd_store store, uint32_t words, uint32_t bits) {
  switch (store) {
    case HD_STORE_WORD:
      return words > 1 ? "its states do not fit into one word" : NULL;
    case HD_STORE_QUOTIENT:
      return words > 1                                   ? "its states do not fit into one word"
             : bits == 0 || bits > HDI_QUOTIENT_BITS_MAX ? "its states have more bits than 32-bit slots can tell"
                                                         : NULL;
    case HD_STORE_BITMAP:
      return words > 1                                 ? "its states do not fit into one word"
             : bits == 0 || bits > HDI_BITMAP_BITS_MAX ? "a bit for each state that there could be is too many"
                                                       : NULL;
    case HD_STORE_AUTO:
    case HD_STORE_WIDE:
    case HD_STORE_TREE:
    case HD_STORE_BITSTATE:
    case HD_STORE_COUNT:
      break;
  }
  return NULL;
}

bool hd_store_is_lossy(hd_store store) {
  return store == HD_STORE_BITSTATE;
}

hd_store hd_store_exact(hd_store store) {
  return hd_store_is_lossy(store) ? HD_STORE_AUTO : store;
}

/* The table whose load counts; NULL when there is none. */
static const hdi_table *table_of(const hd_visited *visited) {
  switch (visited->store) {
    case HD_STORE_WORD:
      return &visited->set.word.table;
    case HD_STORE_WIDE:
      return &visited->set.wide.table;
    case HD_STORE_TREE:
      return &visited->set.tree.roots.table;
    case HD_STORE_BITMAP: /* these have none */
    case HD_STORE_QUOTIENT:
    case HD_STORE_BITSTATE:
    case HD_STORE_AUTO:
    case HD_STORE_COUNT:
      break;
  }
  return NULL;
}

/* Wide states go into a tree: measured on models of 2 to 16 words it takes 12.7 to 31 bytes for a state where whole
 * vectors take 28 to 142, in 0.4 to 1.4 times the time. */
static hd_store choose_store(const hd_visited_config *config) {
  if (config->store != HD_STORE_AUTO) {
    return config->store;
  }
  return config->words == 1 ? HD_STORE_WORD : HD_STORE_TREE;
}

static hd_status init_set(hd_visited *visited, const hd_visited_config *config) {
  switch (visited->store) {
    case HD_STORE_WORD:
      return hdi_word_set_init(&visited->set.word, config);
    case HD_STORE_WIDE:
      return hdi_wide_set_init(&visited->set.wide, config);
    case HD_STORE_TREE:
      return hdi_tree_set_init(&visited->set.tree, config);
    case HD_STORE_QUOTIENT:
      return hdi_quotient_set_init(&visited->set.quotient, config);
    case HD_STORE_BITSTATE:
      return hdi_bitstate_set_init(&visited->set.bitstate, config);
    case HD_STORE_BITMAP:
      return hdi_bitmap_set_init(&visited->bitmap, config);
    case HD_STORE_AUTO:
    case HD_STORE_COUNT:
      break;
  }
  return HD_E_USAGE;
}

hd_status hd_visited_new(const hd_visited_config *config, hd_visited **out) {
  HD_REQUIRE(config->words > 0 && config->workers > 0);
  *out = NULL;
  if (hd_store_refusal(config->store, config->words, config->bits) != NULL) {
    return HD_E_USAGE;
  }
  hd_visited *visited = aligned_alloc(HD_CACHE_LINE, sizeof *visited);
  if (visited == NULL) {
    return HD_E_NOMEM;
  }
  memset(visited, 0, sizeof *visited);
  visited->store = choose_store(config);
  visited->automatic = config->store == HD_STORE_AUTO;
  visited->config = *config;
  hd_status status = init_set(visited, config);
  if (status != HD_OK) {
    free(visited);
    return status;
  }
  *out = visited;
  return HD_OK;
}

void hd_visited_free(hd_visited *visited) {
  if (visited == NULL) {
    return;
  }
  switch (visited->store) {
    case HD_STORE_WORD:
      hdi_word_set_clear(&visited->set.word);
      break;
    case HD_STORE_WIDE:
      hdi_wide_set_clear(&visited->set.wide);
      break;
    case HD_STORE_TREE:
      hdi_tree_set_clear(&visited->set.tree);
      break;
    case HD_STORE_QUOTIENT:
      hdi_quotient_set_clear(&visited->set.quotient);
      break;
    case HD_STORE_BITSTATE:
      hdi_bitstate_set_clear(&visited->set.bitstate);
      break;
    case HD_STORE_BITMAP:
      hdi_bitmap_set_clear(&visited->bitmap);
      break;
    case HD_STORE_AUTO:
    case HD_STORE_COUNT:
      break;
  }
  free(visited);
}

hd_insert hd_visited_insert(hd_visited *visited, uint32_t worker, const uint64_t *state) {
  switch (visited->store) {
    case HD_STORE_WORD:
      return hdi_word_set_insert(&visited->set.word, worker, state[0]);
    case HD_STORE_WIDE:
      return hdi_wide_set_insert(&visited->set.wide, worker, state);
    case HD_STORE_TREE:
      return hdi_tree_set_insert(&visited->set.tree, worker, state);
    case HD_STORE_QUOTIENT:
      return hdi_quotient_set_insert(&visited->set.quotient, worker, state[0]);
    case HD_STORE_BITSTATE:
      return hdi_bitstate_set_insert(&visited->set.bitstate, worker, state);
    case HD_STORE_BITMAP:
      return hdi_bitmap_set_insert(&visited->bitmap, worker, state[0]);
    case HD_STORE_AUTO:
    case HD_STORE_COUNT:
      break;
  }
  return HD_INSERT_NOMEM;
}

size_t hd_visited_insert_many(hd_visited *visited, uint32_t worker, const uint64_t *states, size_t count,
                              uint32_t *places, uint8_t *answers) {
  HD_ASSERT(count < UINT32_MAX);
  switch (visited->store) {
    case HD_STORE_WORD:
      return hdi_word_set_insert_many(&visited->set.word, worker, states, count, places, answers);
    case HD_STORE_WIDE:
      return hdi_wide_set_insert_many(&visited->set.wide, worker, states, count, places, answers);
    case HD_STORE_TREE:
      return hdi_tree_set_insert_many(&visited->set.tree, worker, states, count, places, answers);
    case HD_STORE_QUOTIENT:
      return hdi_quotient_set_insert_many(&visited->set.quotient, worker, states, count, places, answers);
    case HD_STORE_BITSTATE:
      return hdi_bitstate_set_insert_many(&visited->set.bitstate, worker, states, count, places, answers);
    case HD_STORE_BITMAP:
      return hdi_bitmap_set_insert_many(&visited->bitmap, worker, states, count, places, answers);
    case HD_STORE_AUTO:
    case HD_STORE_COUNT:
      break;
  }
  return 0;
}

uint32_t hd_visited_regions(const hd_visited *visited) {
  return visited->store == HD_STORE_WORD ? hdi_word_set_regions(&visited->set.word) : 1;
}

bool hd_visited_has_regions(const hd_visited *visited) {
  return visited->store == HD_STORE_WORD || visited->store == HD_STORE_BITMAP;
}

void hd_visited_find_regions(const hd_visited *visited, uint32_t region_bits, const uint64_t *states, size_t count,
                             uint8_t *regions) {
  HD_ASSERT(hd_visited_has_regions(visited) && region_bits >= 1 && region_bits <= 8);
  if (visited->store == HD_STORE_WORD) {
    hdi_word_set_find_regions(region_bits, states, count, regions);
  } else {
    hdi_bitmap_set_find_regions(region_bits, states, count, regions);
  }
}

bool hd_visited_contains(const hd_visited *visited, const uint64_t *state) {
  switch (visited->store) {
    case HD_STORE_WORD:
      return hdi_word_set_contains(&visited->set.word, state[0]);
    case HD_STORE_WIDE:
      return hdi_wide_set_contains(&visited->set.wide, state);
    case HD_STORE_TREE:
      return hdi_tree_set_contains(&visited->set.tree, state);
    case HD_STORE_QUOTIENT:
      return hdi_quotient_set_contains(&visited->set.quotient, state[0]);
    case HD_STORE_BITSTATE:
      return hdi_bitstate_set_contains(&visited->set.bitstate, state);
    case HD_STORE_BITMAP:
      return hdi_bitmap_set_contains(&visited->bitmap, state[0]);
    case HD_STORE_AUTO:
    case HD_STORE_COUNT:
      break;
  }
  return false;
}

bool hd_visited_wants_growth(const hd_visited *visited) {
  if (visited->store == HD_STORE_TREE) {
    return hdi_tree_set_wants_growth(&visited->set.tree);
  }
  if (visited->store == HD_STORE_QUOTIENT) {
    return hdi_quotient_set_wants_growth(&visited->set.quotient);
  }
  const hdi_table *table = table_of(visited);
  return table != NULL && hdi_table_wants_growth(table);
}

/* Would the next growth be the move into the bitmap? Quiescent. */
static bool would_move(const hd_visited *visited) {
  uint32_t bits = visited->config.bits;
  if (!visited->automatic || visited->store != HD_STORE_WORD || bits == 0 || bits > HDI_BITMAP_BITS_MAX) {
    return false;
  }
  size_t table_bytes = visited->set.word.table.now.size_bytes, bitmap_bytes = hdi_bitmap_bytes(bits);
  size_t most = visited->config.memory_max_bytes;
  return bitmap_bytes <= 2 * table_bytes && (most == 0 || table_bytes + bitmap_bytes <= most);
}

size_t hd_visited_growth_bytes(const hd_visited *visited) {
  if (would_move(visited)) {
    return hdi_bitmap_bytes(visited->config.bits);
  }
  if (visited->store == HD_STORE_QUOTIENT) {
    return hdi_quotient_set_growth_bytes(&visited->set.quotient);
  }
  if (visited->store == HD_STORE_TREE) {
    return hdi_tree_set_growth_bytes(&visited->set.tree);
  }
  const hdi_table *table = table_of(visited);
  return table != NULL ? table->now.size_bytes : 0; /* tables grow in place */
}

hd_visited_times hd_visited_growth_times(const hd_visited *visited) {
  if (visited->store == HD_STORE_QUOTIENT) {
    return visited->set.quotient.times;
  }
  const hdi_table *table = table_of(visited);
  return table != NULL ? table->times : visited->moved;
}

/* Worker 0, when all bits are set. */
static void end_move(hd_visited *visited, double start) {
  hdi_bitmap_set_take_counts(&visited->bitmap, &visited->set.word);
  visited->moved = visited->set.word.table.times;
  hdi_word_set_clear(&visited->set.word);
  visited->store = HD_STORE_BITMAP;
  visited->moved.growths++;
  visited->moved.move_seconds += hd_machine_seconds() - start;
}

static hd_status move_to_bitmap(hd_visited *visited, hd_team *team, uint32_t worker) {
  double start = hd_machine_seconds();
  hd_team_barrier(team); /* nobody inserts any more, and all have decided */
  if (worker == 0) {
    visited->move_status = hdi_bitmap_set_init(&visited->bitmap, &visited->config);
  }
  hd_team_barrier(team); /* the bitmap, or the refusal, is there */
  hd_status status = visited->move_status;
  if (status == HD_OK) {
    hdi_bitmap_set_take(&visited->bitmap, &visited->set.word, worker, hd_team_count(team));
    hd_team_barrier(team); /* every bit is set */
    if (worker == 0) {
      end_move(visited, start);
    }
  }
  hd_team_barrier(team); /* all have read the status; the store has changed */
  return status;
}

hd_status hd_visited_grow(hd_visited *visited, hd_team *team, uint32_t worker) {
  switch (visited->store) {
    case HD_STORE_WORD:
      return would_move(visited) ? move_to_bitmap(visited, team, worker)
                                 : hdi_word_set_grow(&visited->set.word, team, worker);
    case HD_STORE_WIDE:
      return hdi_wide_set_grow(&visited->set.wide, team, worker);
    case HD_STORE_TREE:
      return hdi_tree_set_grow(&visited->set.tree, team, worker);
    case HD_STORE_QUOTIENT:
      return hdi_quotient_set_grow(&visited->set.quotient, team, worker);
    case HD_STORE_BITMAP:
      return HD_OK;         /* it has room for all */
    case HD_STORE_BITSTATE: /* has its size for good */
    case HD_STORE_AUTO:
    case HD_STORE_COUNT:
      break;
  }
  return HD_E_LIMIT;
}

uint64_t hd_visited_count(const hd_visited *visited) {
  if (visited->store == HD_STORE_QUOTIENT) {
    return hdi_quotient_set_count(&visited->set.quotient);
  }
  if (visited->store == HD_STORE_BITSTATE) {
    return hdi_bitstate_set_count(&visited->set.bitstate);
  }
  const hdi_table *table = table_of(visited);
  return table != NULL ? hdi_table_count(table) : hdi_bitmap_set_count(&visited->bitmap);
}

size_t hd_visited_slots(const hd_visited *visited) {
  if (visited->store == HD_STORE_QUOTIENT) {
    return hdi_quotient_set_slots(&visited->set.quotient);
  }
  if (visited->store == HD_STORE_BITSTATE) {
    return visited->set.bitstate.size_bytes * 8;
  }
  const hdi_table *table = table_of(visited);
  return table != NULL ? (size_t)table->now.bucket_count * HDI_BUCKET_SLOTS : (size_t)1 << visited->bitmap.bits;
}

size_t hd_visited_size_bytes(const hd_visited *visited) {
  switch (visited->store) {
    case HD_STORE_WORD:
      return visited->set.word.table.now.size_bytes;
    case HD_STORE_WIDE:
      return hdi_wide_set_size_bytes(&visited->set.wide);
    case HD_STORE_TREE:
      return hdi_tree_set_size_bytes(&visited->set.tree);
    case HD_STORE_QUOTIENT:
      return hdi_quotient_set_size_bytes(&visited->set.quotient);
    case HD_STORE_BITMAP:
      return visited->bitmap.size_bytes;
    case HD_STORE_BITSTATE:
      return visited->set.bitstate.size_bytes;
    case HD_STORE_AUTO:
    case HD_STORE_COUNT:
      break;
  }
  return 0;
}

const char *hd_visited_store_name(const hd_visited *visited) {
  return hd_store_name(visited->store);
}

bool hd_visited_is_lossy(const hd_visited *visited) {
  return hd_store_is_lossy(visited->store);
}

hd_visited_loss hd_visited_estimate_loss(const hd_visited *visited) {
  hd_visited_loss loss = {0, 0};
  if (visited->store == HD_STORE_BITSTATE) {
    hdi_bitstate_set_estimate(&visited->set.bitstate, &loss.fill, &loss.omission);
  }
  return loss;
}
