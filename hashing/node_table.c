/* The lock-free map from 64-bit keys to 32-bit numbers under the tree database; the picture is in node_table.h.
 *
 * Protocol. intern(k) looks at the places from the home bucket of k on, in one fixed order. A place with another key:
 * the next one. An empty place: if the worker holds a number not given out yet, it swaps the place from 0 to k; when
 * the swap fails, it looks at what the place holds now. At the place of k, found or made, it reads the number; if that
 * is 0, it swaps it from 0 to its own next number, and what the number then is, is the answer. A worker's number is
 * used up when that second swap succeeds, whoever made the place. So nobody ever waits for the worker that made a
 * place: the next one that needs the number gives it. Claim 1: k is in at most one place. As in word_set.c: of two
 * successful swaps to k at places a before b, the one at b saw at a a key other than 0 and k, which is a's only key for
 * ever [N1]: a contradiction. Claim 2: all who intern k get the same number, and it is nobody else's. The number at the
 * place of k is written once [N1, by compare-and-swap from 0] and everybody answers with the value he read or wrote
 * there. A number is drawn by one worker, which uses it for one successful swap. Claim 3: places made never outnumber
 * the numbers drawn, hence never the limit, which is less than all places, and every search meets its key or an empty
 * place. At any time a worker has made at most one place that has no number yet, and it holds a number for it, because
 * it only gives numbers away itself: places with a number are as many as numbers used, those without at most as many as
 * numbers held. Claim 4: at a quiescent point every place has a number: who made it gave it one, or saw that another
 * had. Claim 5: wait-free: every step is done once per place, and only a failed swap, which means that the place is
 * occupied now, repeats the look. "None" is answered when the key has no number and no number can be drawn; a key whose
 * place was made but not numbered yet may be answered so, which is as if the answer had come a moment earlier.
 *
 * Growth is that of slot_table.c: the parts of the old table are disjoint and each key is placed once, by
 * compare-and-swap, in a table that only the growing team touches; its number is then written by the one that placed
 * it, and read behind the barrier. Numbers do not change, so whatever was built from them stays good.
 *
 * Large tables grow by a quarter and not to the double: nodes are few against roots, so moving them is cheap, and the
 * load stays between 0.64 and 0.85. Any thread; cost of a look-up: one cache line mostly. */
#include "hashing/node_table.h"

#include "core/base/machine.h"
#include "hashing/pages.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS_LEAST = 8, BUCKETS_DOUBLED = 4096, BATCH_MAX = 256 };

/* Uses of the table, in percent: full, and due for growth at a quiescent point. */
enum { LOAD_FULL = 85, LOAD_GROW = 80 };

static hd_status map_buckets(hdi_node_buckets *buckets, uint64_t count) {
  if (count > UINT32_MAX || count > SIZE_MAX / sizeof(hdi_node_bucket)) {
    return HD_E_NOMEM;
  }
  size_t size_bytes = (size_t)count * sizeof(hdi_node_bucket);
  buckets->buckets = hdi_pages_map(size_bytes);
  if (buckets->buckets == NULL) {
    return HD_E_NOMEM;
  }
  buckets->count = count;
  buckets->size_bytes = size_bytes;
  return HD_OK;
}

static void unmap_buckets(hdi_node_buckets *buckets) {
  hdi_pages_unmap(buckets->buckets, buckets->size_bytes);
  memset(buckets, 0, sizeof *buckets);
}

static uint64_t share(uint64_t slots, uint64_t percent) {
  return slots / 100 * percent + slots % 100 * percent / 100;
}

/* Quiescent: says how many numbers the present table bears. */
static void set_limit(hdi_node_table *table) {
  uint64_t most = share(hdi_node_table_slots(table), LOAD_FULL);
  /* numbers begin at 1, and the last one of 32 bits is HDI_NODE_NONE */
  table->limit = most < HDI_NODE_NONE - 1 ? (uint32_t)most + 1 : HDI_NODE_NONE;
  uint64_t batch = most / (8 * (uint64_t)table->workers);
  table->batch = batch < 1 ? 1 : batch > BATCH_MAX ? BATCH_MAX : (uint32_t)batch;
}

hd_status hdi_node_table_init(hdi_node_table *table, uint32_t workers, uint64_t slots) {
  memset(table, 0, sizeof *table);
  table->workers = workers;
  table->lanes = aligned_alloc(HD_CACHE_LINE, workers * sizeof *table->lanes);
  if (table->lanes == NULL) {
    return HD_E_NOMEM;
  }
  memset(table->lanes, 0, workers * sizeof *table->lanes);
  uint64_t count = slots / HDI_NODE_PLACES + 1;
  hd_status status = map_buckets(&table->now, count < BUCKETS_LEAST ? BUCKETS_LEAST : count);
  if (status != HD_OK) {
    hdi_node_table_clear(table);
    return status;
  }
  set_limit(table);
  /* HD-SYNC N3: relaxed; pairs with N6. Publishes: nothing; the start of a team orders it. Why not weaker: it is the
   * weakest. Why not stronger: nobody else has the table. */
  hd_store_rlx(&table->drawn, 1);
  return HD_OK;
}

void hdi_node_table_clear(hdi_node_table *table) {
  unmap_buckets(&table->now);
  free(table->lanes);
  table->lanes = NULL;
}

/* Makes sure that the worker holds a number; false when none can be drawn. */
static bool hold_number(hdi_node_table *table, hdi_node_lane *lane) {
  if (HD_LIKELY(lane->next != lane->end)) {
    return true;
  }
  /* HD-SYNC N6: relaxed; pairs with N3, N7. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger:
   * a stale value makes N7 fail. */
  uint32_t first = hd_load_rlx(&table->drawn);
  for (;;) {
    if (first >= table->limit) {
      return false;
    }
    uint32_t taken = table->limit - first < table->batch ? table->limit - first : table->batch;
    /* HD-SYNC N7: acq_rel; pairs with N6, N7 of other workers, N8. Publishes: nothing; the modification order of this
     * counter makes the ranges disjoint. Why not weaker: it must be one read-modify-write, and acquire on failure is
     * the house rule for a value that is then used; it happens once in `batch` numbers. Why not stronger: numbers guard
     * no memory. */
    if (hd_cas_acqrel(&table->drawn, &first, first + taken)) {
      lane->next = first;
      lane->end = first + taken;
      return true;
    }
  }
}

/* The number of the key at a place of it. */
static uint32_t settle(hdi_node_table *table, hdi_node_lane *lane, hd_atomic_u32 *place) {
  uint32_t number = hd_load_rlx(place); /* N2 again */
  if (number != 0) {
    return number;
  }
  if (!hold_number(table, lane)) {
    return HDI_NODE_NONE;
  }
  /* HD-SYNC N5: acq_rel; pairs with N2, N5 of other workers, N13. Publishes: the number. Why not weaker: relaxed would
   * do for the proof; acquire on failure is the house rule for a value that is then used. Why not stronger: one
   * location.
   */
  if (hd_cas_acqrel(place, &number, lane->next)) {
    number = lane->next++;
    lane->given++;
  }
  return number;
}

uint32_t hdi_node_intern_far(hdi_node_table *table, uint32_t worker, uint64_t key) {
  HD_ASSERT(key != 0);
  const hdi_node_buckets *now = &table->now;
  hdi_node_lane *lane = &table->lanes[worker];
  for (uint64_t b = hdi_node_home(now, key);; b = b + 1 == now->count ? 0 : b + 1) {
    hdi_node_bucket *bucket = &now->buckets[b];
    for (uint32_t i = 0; i < HDI_NODE_PLACES; i++) {
      uint64_t seen = hd_load_rlx(&bucket->keys[i]); /* N1 again */
      if (seen == 0) {
        if (!hold_number(table, lane)) {
          return HDI_NODE_NONE;
        }
        /* HD-SYNC N4: acq_rel; pairs with N1, N4 of other workers, N12. Publishes: the place. Why not weaker: as for
         * N5. Why not stronger: no order between places is needed (word_set.c). */
        if (hd_cas_acqrel(&bucket->keys[i], &seen, key)) {
          return settle(table, lane, &bucket->numbers[i]);
        }
      }
      if (seen == key) {
        return settle(table, lane, &bucket->numbers[i]);
      }
    }
  }
}

uint32_t hdi_node_find(const hdi_node_table *table, uint64_t key) {
  if (key == 0) {
    return 0;
  }
  const hdi_node_buckets *now = &table->now;
  for (uint64_t b = hdi_node_home(now, key);; b = b + 1 == now->count ? 0 : b + 1) {
    hdi_node_bucket *bucket = &now->buckets[b];
    for (uint32_t i = 0; i < HDI_NODE_PLACES; i++) {
      /* HD-SYNC N12: relaxed; pairs with N4. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger:
       * quiescent. */
      uint64_t seen = hd_load_rlx(&bucket->keys[i]);
      if (seen == key) {
        /* HD-SYNC N13: relaxed; pairs with N5, N11. Publishes: nothing. Why not weaker: it is the weakest. Why not
         * stronger: quiescent; by Claim 4 it is not 0. */
        return hd_load_rlx(&bucket->numbers[i]);
      }
      if (seen == 0) {
        return HDI_NODE_NONE;
      }
    }
  }
}

uint64_t hdi_node_table_count(const hdi_node_table *table) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < table->workers; i++) {
    count += table->lanes[i].given;
  }
  return count;
}

bool hdi_node_table_is_exhausted(const hdi_node_table *table) {
  /* HD-SYNC N8: relaxed; pairs with N7. Publishes: nothing. Why not weaker: it is the weakest. Why not stronger: the
   * counter only grows, and once it is at its end it stays there. */
  return hd_load_rlx(&table->drawn) == HDI_NODE_NONE;
}

bool hdi_node_table_wants_growth(const hdi_node_table *table) {
  return hdi_node_table_count(table) >= share(hdi_node_table_slots(table), LOAD_GROW);
}

static uint64_t next_count(const hdi_node_table *table) {
  uint64_t now = table->now.count;
  if (now < BUCKETS_DOUBLED) {
    return now * 2;
  }
  uint64_t next = now + now / 4, huge = hd_machine_huge_page_bytes() / sizeof(hdi_node_bucket);
  return huge == 0 || next < 4 * huge
             ? next
             : (next + huge - 1) / huge * huge; /* only whole huge pages are granted; small tables do without */
}

size_t hdi_node_table_next_bytes(const hdi_node_table *table) {
  return (size_t)next_count(table) * sizeof(hdi_node_bucket);
}

/* Puts a key that is not in `to` yet, with its number, where it belongs. */
static void place(const hdi_node_buckets *to, uint64_t key, uint32_t number) {
  for (uint64_t b = hdi_node_home(to, key);; b = b + 1 == to->count ? 0 : b + 1) {
    hdi_node_bucket *bucket = &to->buckets[b];
    for (uint32_t i = 0; i < HDI_NODE_PLACES; i++) {
      /* HD-SYNC N9: relaxed; pairs with N10. Publishes: nothing; only "empty or not" is used. Why not weaker: it is the
       * weakest. Why not stronger: keys are read only behind the barrier that ends the growth. */
      uint64_t seen = hd_load_rlx(&bucket->keys[i]);
      /* HD-SYNC N10: relaxed; pairs with N9, N10 of other workers. Publishes: the place, to readers behind the barrier.
       * Why not weaker: a place must be taken by one worker only. Why not stronger: what it returns is not used. */
      if (seen == 0 && hd_cas_rlx(&bucket->keys[i], &seen, key)) {
        /* HD-SYNC N11: relaxed; pairs with N2, N13. Publishes: the number, to readers behind the barrier. Why not
         * weaker: it is the weakest. Why not stronger: only the one that took the place writes here. */
        hd_store_rlx(&bucket->numbers[i], number);
        return;
      }
    }
  }
}

static void move_part(const hdi_node_buckets *from, const hdi_node_buckets *to, uint32_t part, uint32_t parts) {
  uint64_t begin = from->count * part / parts, end = from->count * (part + 1) / parts;
  for (uint64_t b = begin; b < end; b++) {
    for (uint32_t i = 0; i < HDI_NODE_PLACES; i++) {
      uint64_t key = hd_load_rlx(&from->buckets[b].keys[i]); /* N1 again; the barrier before orders it */
      if (key != 0) {
        place(to, key, hd_load_rlx(&from->buckets[b].numbers[i])); /* N2 again */
      }
    }
  }
}

/* Worker 0 alone, the others wait. */
static hd_status begin_growth(hdi_node_table *table, size_t room_bytes) {
  size_t next_bytes = hdi_node_table_next_bytes(table);
  if (hdi_node_table_is_exhausted(table) || room_bytes < table->now.size_bytes ||
      room_bytes - table->now.size_bytes < next_bytes) {
    return HD_E_LIMIT;
  }
  return map_buckets(&table->grown, next_count(table));
}

hd_status hdi_node_table_grow(hdi_node_table *table, size_t room_bytes, hd_team *team, uint32_t worker) {
  hd_team_barrier(team); /* nobody interns any more */
  if (worker == 0) {
    table->growth_status = begin_growth(table, room_bytes);
  }
  hd_team_barrier(team); /* the new table, or the refusal, is there */
  hd_status status = table->growth_status;
  if (status == HD_OK) {
    move_part(&table->now, &table->grown, worker, hd_team_count(team));
    hd_team_barrier(team); /* every key has moved */
    if (worker == 0) {
      unmap_buckets(&table->now);
      table->now = table->grown;
      memset(&table->grown, 0, sizeof table->grown);
      set_limit(table);
    }
  }
  hd_team_barrier(team); /* all have read the status; the new table is in place */
  return status;
}
