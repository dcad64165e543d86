/* Chunks, lists of chunks and the work-stealing deque.
 *
 *   deque:  ring[top & mask] oldest ... ring[(bottom - 1) & mask] youngest;  empty when top >= bottom
 *
 * It is the deque of Chase and Lev (Dynamic Circular Work-Stealing Deque, 2005) with sequentially consistent accesses
 * where Le, Pop, Cohen and Zappa Nardelli (Correct and Efficient Work-Stealing for Weak Memory Models, 2013) have
 * fences: pop stores bottom and then loads top, steal loads top and then loads bottom, all four in the one total order
 * S of such accesses.
 *
 * Proof that each chunk is taken exactly once. top only grows, by compare-and-swap, so two thieves never take the same
 * index. The owner takes index b without a compare-and-swap only if it read top < b after storing bottom = b. A thief
 * that takes b as well swaps top from b to b + 1, having read top = b, and then read bottom > b. If that read of bottom
 * came after the owner's store in S it would have seen b or a later value; later values exceed b only after this pop
 * has ended, by a push to index b, which is another chunk; the thief would have read that. So the read came before the
 * store in S, hence the thief's read of top = b too, hence the owner's later load of top returns at least b: it did not
 * read top < b, a contradiction. If the owner reads top = b, the last chunk, it uses the compare-and-swap itself and
 * only one of the two wins. Nothing is lost: an index leaves [top, bottom) only by one of these ways.
 * An index is reused only when top has passed it, and then a thief that still holds the old value fails its swap. A
 * ring that was outgrown keeps its contents until a quiescent point, so a slow thief reads the right chunk from it.
 *
 * In a search by levels chunks are pushed at quiescent points only, and therefore a deque seen empty stays empty until
 * the next one: this is what ends a phase. The deque does not rely on it, and a search without levels pushes at any
 * time (idle.c says how that ends).
 *
 * Cost: push and pop a handful of instructions, one locked one in pop; a chunk amortises them over its states. */
#include "core/explore/frontier.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_WORDS = 1024, CHUNK_STATES_LEAST = 64, SPARE_MAX = 16, RING_FIRST = 64 };

struct hdi_ring {
  hdi_ring *older; /* owned; NULL or a ring that thieves may still be reading */
  int64_t mask;    /* size - 1, the size being a power of two */
  hd_atomic_ptr items[];
};

static size_t chunk_bytes(const hdi_pool *pool, uint32_t capacity) {
  return sizeof(hdi_chunk) + (size_t)capacity * pool->words * sizeof(uint64_t);
}

/* HD-SYNC F1: relaxed; pairs with F1 of other workers, L4. Publishes: nothing; a sum that is compared with the memory
 * limit. Why not weaker: it must be one read-modify-write. Why not stronger: it guards no memory. */
static void charge(hdi_pool *pool, uint64_t more_bytes) {
  hd_add_rlx(pool->total_bytes, more_bytes);
}

void hdi_pool_init(hdi_pool *pool, uint32_t words, hd_atomic_u64 *total_bytes) {
  memset(pool, 0, sizeof *pool);
  pool->words = words;
  pool->capacity = CHUNK_WORDS / words;
  if (pool->capacity < CHUNK_STATES_LEAST) {
    pool->capacity = CHUNK_STATES_LEAST;
  }
  pool->total_bytes = total_bytes;
}

void hdi_pool_destroy(hdi_pool *pool, hdi_chunk *chunk) {
  charge(pool, (uint64_t)0 - chunk_bytes(pool, chunk->capacity));
  free(chunk);
}

void hdi_pool_clear(hdi_pool *pool) {
  while (pool->spare != NULL) {
    hdi_chunk *chunk = pool->spare;
    pool->spare = chunk->next;
    hdi_pool_destroy(pool, chunk);
  }
  pool->spare_count = 0;
}

hdi_chunk *hdi_pool_take(hdi_pool *pool) {
  hdi_chunk *chunk = pool->spare;
  if (chunk != NULL) {
    pool->spare = chunk->next;
    pool->spare_count--;
  } else {
    chunk = malloc(chunk_bytes(pool, pool->capacity));
    if (chunk == NULL) {
      return NULL;
    }
    charge(pool, chunk_bytes(pool, pool->capacity));
    chunk->capacity = pool->capacity;
  }
  chunk->next = NULL;
  chunk->count = 0;
  chunk->stepped = false;
  chunk->kept = false;
  return chunk;
}

void hdi_pool_give(hdi_pool *pool, hdi_chunk *chunk) {
  if (chunk == NULL || chunk->kept) {
    return;
  }
  /* A worker that consumes more than it produces passes the surplus on through the allocator. */
  if (pool->spare_count >= SPARE_MAX) {
    hdi_pool_destroy(pool, chunk);
    return;
  }
  chunk->next = pool->spare;
  pool->spare = chunk;
  pool->spare_count++;
}

hdi_chunk *hdi_pool_keep(hdi_pool *pool, hdi_chunk *chunk) {
  HD_REQUIRE(chunk->count > 0);
  if (chunk->count < chunk->capacity) {
    uint64_t unused = chunk_bytes(pool, chunk->capacity) - chunk_bytes(pool, chunk->count);
    hdi_chunk *smaller = realloc(chunk, chunk_bytes(pool, chunk->count));
    if (smaller != NULL) { /* otherwise it stays as large as it is */
      chunk = smaller;
      chunk->capacity = chunk->count;
      charge(pool, (uint64_t)0 - unused);
    }
  }
  chunk->kept = true;
  return chunk;
}

hd_status hdi_list_extend(hdi_list *list, hdi_pool *pool) {
  hdi_chunk *chunk = hdi_pool_take(pool);
  if (chunk == NULL) {
    return HD_E_NOMEM;
  }
  if (list->last == NULL) {
    list->first = chunk;
  } else {
    list->last->next = chunk;
  }
  list->last = chunk;
  return HD_OK;
}

void hdi_list_clear(hdi_list *list, hdi_pool *pool) {
  while (list->first != NULL) {
    hdi_chunk *chunk = list->first;
    list->first = chunk->next;
    hdi_pool_give(pool, chunk);
  }
  memset(list, 0, sizeof *list);
}

static hdi_ring *ring_new(int64_t size, hdi_ring *older) {
  hdi_ring *ring = calloc(1, sizeof *ring + (size_t)size * sizeof ring->items[0]);
  if (ring != NULL) {
    ring->older = older;
    ring->mask = size - 1;
  }
  return ring;
}

hd_status hdi_deque_init(hdi_deque *deque) {
  hdi_ring *ring = ring_new(RING_FIRST, NULL);
  /* HD-SYNC F2: relaxed; pairs with none: the start of the team orders it. Publishes: nothing. Why not weaker: it is
   * the weakest. Why not stronger: nobody else has the deque. */
  hd_store_rlx(&deque->top, 0);
  hd_store_rlx(&deque->bottom, 0);
  hd_store_rlx(&deque->ring, (void *)ring);
  return ring == NULL ? HD_E_NOMEM : HD_OK;
}

static void free_rings(hdi_ring *ring) {
  while (ring != NULL) {
    hdi_ring *older = ring->older;
    free(ring);
    ring = older;
  }
}

void hdi_deque_clear(hdi_deque *deque) {
  free_rings(hd_load_rlx(&deque->ring)); /* HD-SYNC F3: relaxed; pairs with none: quiescent. */
  hd_store_rlx(&deque->ring, NULL);
}

void hdi_deque_trim(hdi_deque *deque) {
  hdi_ring *ring = hd_load_rlx(&deque->ring); /* HD-SYNC F15: relaxed; pairs with none: quiescent. */
  if (ring->older != NULL) {
    free_rings(ring->older);
    ring->older = NULL;
  }
}

/* Owner: doubles the ring; NULL when memory is out. */
static hdi_ring *grow_ring(hdi_deque *deque, hdi_ring *ring, int64_t top, int64_t bottom) {
  hdi_ring *larger = ring_new((ring->mask + 1) * 2, ring);
  if (larger == NULL) {
    return NULL;
  }
  for (int64_t i = top; i < bottom; i++) {
    hd_store_rlx(&larger->items[i & larger->mask], hd_load_rlx(&ring->items[i & ring->mask]));
  }
  /* HD-SYNC F4: release; pairs with F9. Publishes: the copied items. Why not weaker: a thief reads through the pointer.
   * Why not stronger: which ring a thief reads does not matter, both hold the items in [top, bottom). */
  hd_store_rel(&deque->ring, (void *)larger);
  return larger;
}

hd_status hdi_deque_push(hdi_deque *deque, hdi_chunk *chunk) {
  int64_t bottom = hd_load_rlx(&deque->bottom); /* owner's own value */
  /* HD-SYNC F5: acquire; pairs with F8, F11. Publishes: that thieves have read the items below top. Why not weaker: the
   * item's place is written again below. Why not stronger: a stale top only makes the ring look fuller. */
  int64_t top = hd_load_acq(&deque->top);
  hdi_ring *ring = hd_load_rlx(&deque->ring); /* owner's own value */
  if (bottom - top > ring->mask) {
    ring = grow_ring(deque, ring, top, bottom);
    if (ring == NULL) {
      return HD_E_NOMEM;
    }
  }
  hd_store_rlx(&ring->items[bottom & ring->mask], (void *)chunk);
  /* HD-SYNC F6: seq_cst; pairs with F10, F17, I3. Publishes: the item and the chunk's states. Why not weaker: the thief
   * reads them; and an owner that shares work looks for waiting workers next (idle.c), which must come later in S. Why
   * not stronger: it is the strongest. */
  hd_store_seq(&deque->bottom, bottom + 1);
  return HD_OK;
}

hdi_chunk *hdi_deque_pop(hdi_deque *deque) {
  int64_t bottom = hd_load_rlx(&deque->bottom) - 1; /* owner's own value */
  hdi_ring *ring = hd_load_rlx(&deque->ring);       /* owner's own value */
  /* HD-SYNC F7: seq_cst; pairs with F10, F17. Publishes: that index `bottom` is claimed. Why not weaker: it must not
   * sink below the load of top. Why not stronger: it is the strongest. */
  hd_store_seq(&deque->bottom, bottom);
  /* HD-SYNC F12: seq_cst; pairs with F8. Publishes: nothing. Why not weaker: it must not rise above F7. Why not
   * stronger: it is the strongest. */
  int64_t top = hd_load_seq(&deque->top);
  if (top > bottom) {
    /* HD-SYNC F13: relaxed; pairs with F10, F17. Publishes: nothing: top = bottom, a thief that reads this finds the
     * deque empty or fails its swap. Why not weaker: it is the weakest. Why not stronger: no chunk depends on it. */
    hd_store_rlx(&deque->bottom, bottom + 1);
    return NULL;
  }
  hdi_chunk *chunk = hd_load_rlx(&ring->items[bottom & ring->mask]); /* owner's own value */
  if (top == bottom) {
    /* HD-SYNC F11: seq_cst; pairs with F5, F8, F14, F16. Publishes: that the last chunk is gone. Why not weaker: see
     * the proof. Why not stronger: it is the strongest. */
    if (!hd_cas_seq(&deque->top, &top, top + 1)) {
      chunk = NULL;
    }
    hd_store_rlx(&deque->bottom, bottom + 1); /* HD-SYNC F13 again */
  }
  return chunk;
}

hdi_chunk *hdi_deque_steal(hdi_deque *deque, bool *retry) {
  *retry = false;
  /* HD-SYNC F14: seq_cst; pairs with F8, F11. Publishes: nothing. Why not weaker: it must come before F10 in S. Why not
   * stronger: it is the strongest. */
  int64_t top = hd_load_seq(&deque->top);
  /* HD-SYNC F10: seq_cst; pairs with F6, F7, F13. Publishes: items and chunks pushed. Why not weaker: see the proof.
   * Why not stronger: it is the strongest. */
  int64_t bottom = hd_load_seq(&deque->bottom);
  if (top >= bottom) {
    return NULL;
  }
  /* HD-SYNC F9: acquire; pairs with F4. Publishes: the ring's items. Why not weaker: read through at once. Why not
   * stronger: one location. */
  hdi_ring *ring = hd_load_acq(&deque->ring);
  hdi_chunk *chunk = hd_load_rlx(&ring->items[top & ring->mask]);
  /* HD-SYNC F8: seq_cst; pairs with F5, F11, F12, F14, F16. Publishes: that the item has been read. Why not weaker: see
   * the proof. Why not stronger: it is the strongest. */
  if (!hd_cas_seq(&deque->top, &top, top + 1)) {
    *retry = true;
    return NULL;
  }
  return chunk;
}

bool hdi_deque_has_chunks(const hdi_deque *deque) {
  /* HD-SYNC F16: seq_cst; pairs with F8, F11. Publishes: nothing. Why not weaker: with F17 it decides whether a worker
   * sleeps (idle.c). Why not stronger: it is the strongest. */
  int64_t top = hd_load_seq(&deque->top);
  /* HD-SYNC F17: seq_cst; pairs with F6, F7, F13. Publishes: nothing. Why not weaker: see idle.c. Why not stronger: it
   * is the strongest. */
  return top < hd_load_seq(&deque->bottom);
}
