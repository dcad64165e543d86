/* The frontier: states waiting to be expanded, in chunks; lists of chunks; the deque that chunks are stolen from.
 * Internal to core/explore. */
#ifndef HEDDLE_CORE_EXPLORE_FRONTIER_H
#define HEDDLE_CORE_EXPLORE_FRONTIER_H

#include "core/base/atomic.h"
#include "core/base/check.h"
#include "core/base/compiler.h"
#include "core/base/status.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Some states of one level, all from one worker. */
typedef struct hdi_chunk {
  struct hdi_chunk *next; /* in the list it belongs to */
  uint32_t count;         /* states in it */
  uint32_t capacity;      /* states it has room for */
  bool stepped;           /* its states are known to have a step of weight 0 */
  bool kept;              /* owned by a history: never given back to a pool */
  uint64_t words[];       /* count * W */
} hdi_chunk;

/* Where a worker gets its chunks. Used by one worker, or by worker 0 while the others wait. */
typedef struct hdi_pool {
  hdi_chunk *spare; /* owned */
  uint32_t spare_count;
  uint32_t words;             /* per state */
  uint32_t capacity;          /* states per chunk */
  hd_atomic_u64 *total_bytes; /* borrowed; what all pools together have taken from the system */
} hdi_pool;

void hdi_pool_init(hdi_pool *pool, uint32_t words, hd_atomic_u64 *total_bytes);
void hdi_pool_clear(hdi_pool *pool);
/* An empty chunk, owned by the caller; NULL when memory is out. */
hdi_chunk *hdi_pool_take(hdi_pool *pool);
/* Takes a chunk back from whatever pool it came; NULL and kept chunks are left alone. */
void hdi_pool_give(hdi_pool *pool, hdi_chunk *chunk);
/* Frees a chunk, kept or not. */
void hdi_pool_destroy(hdi_pool *pool, hdi_chunk *chunk);
/* Gives the unused end of the chunk back to the system and marks it kept; the chunk may move. */
hdi_chunk *hdi_pool_keep(hdi_pool *pool, hdi_chunk *chunk);

/* Chunks of one worker, the last one being filled. */
typedef struct hdi_list {
  hdi_chunk *first, *last; /* owned */
  uint64_t states;
} hdi_list;

/* Adds an empty chunk. HD_E_NOMEM leaves the list as it was. */
hd_status hdi_list_extend(hdi_list *list, hdi_pool *pool);
/* Appends a copy of `state`; a chunk counts as full at `fill` states (at most the pool's capacity). HD_E_NOMEM leaves
 * the list as it was. Cost: a few instructions, for it is done once for every state. */
static inline hd_status hdi_list_append(hdi_list *list, hdi_pool *pool, uint32_t fill, const uint64_t *state) {
  HD_ASSERT(fill > 0 && fill <= pool->capacity);
  if (HD_UNLIKELY(list->last == NULL || list->last->count >= fill) && hdi_list_extend(list, pool) != HD_OK) {
    return HD_E_NOMEM;
  }
  hdi_chunk *chunk = list->last;
  uint64_t *place = &chunk->words[(size_t)chunk->count * pool->words];
  if (HD_LIKELY(pool->words == 1)) {
    *place = *state;
  } else {
    memcpy(place, state, pool->words * sizeof *state);
  }
  chunk->count++;
  list->states++;
  return HD_OK;
}
void hdi_list_clear(hdi_list *list, hdi_pool *pool);

/* A deque of chunks. One owner pushes and pops at the bottom; any number of thieves take at the top. */
typedef struct hdi_ring hdi_ring;
typedef struct hdi_deque {
  alignas(HD_CACHE_LINE) hd_atomic_i64 top;
  alignas(HD_CACHE_LINE) hd_atomic_i64 bottom;
  hd_atomic_ptr ring; /* owned; the current hdi_ring, which links to the ones it replaced */
} hdi_deque;

hd_status hdi_deque_init(hdi_deque *deque);
void hdi_deque_clear(hdi_deque *deque); /* frees the rings, not the chunks */
/* Owner. HD_E_NOMEM leaves the deque as it was. */
hd_status hdi_deque_push(hdi_deque *deque, hdi_chunk *chunk);
/* Owner. The youngest chunk; NULL when there is none. */
hdi_chunk *hdi_deque_pop(hdi_deque *deque);
/* Any thread. The oldest chunk, or NULL: then *retry says whether another worker was faster (true) or the deque was
 * empty (false). */
hdi_chunk *hdi_deque_steal(hdi_deque *deque, bool *retry);
/* Any thread. Whether there is a chunk, at some moment during the call. */
bool hdi_deque_has_chunks(const hdi_deque *deque);
/* Quiescent: frees the rings that were outgrown. */
void hdi_deque_trim(hdi_deque *deque);

#endif
