/* Numbers for the states of a history.
 *
 *   number = first[chunk] + place in the chunk
 *   slot   = | 18 bits of the hash | 32 bits chunk | 14 bits place + 1 |      0: free
 *   bucket = 8 slots on one cache line; bucket of a state = upper half of its hash, scaled; then the next buckets
 *
 * The states stay where the search has put them; a slot leads to the chunk and is compared with the state there when
 * the bits of the hash agree. All states of a history are distinct, so adding one looks for a free slot and compares
 * nothing. There are 3 slots for 2 states and none is ever given back; hence there is always a free one, and a state is
 * found before the first free slot on its way.
 *
 * Threads: chunks are added by any worker, found after a barrier. Cost: 12 bytes a state and 8 a chunk; one cache miss
 * to add a state, two to find one. */
#include "core/explore/places.h"

#include "core/base/check.h"
#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_BITS = 14, CHUNK_BITS = 32, HASH_BITS = 18, BUCKET_SLOTS = HD_CACHE_LINE / sizeof(uint64_t) };
_Static_assert(PLACE_BITS + CHUNK_BITS + HASH_BITS == 64, "a slot is one word");

#define PLACE_MASK (((uint64_t)1 << PLACE_BITS) - 1)
#define CHUNK_MASK (((uint64_t)1 << CHUNK_BITS) - 1)

static uint64_t bucket_count(uint64_t states) {
  return states / BUCKET_SLOTS + states / (2 * BUCKET_SLOTS) + 2;
}

size_t hdi_places_size_bytes(uint64_t states, size_t chunks) {
  return (size_t)bucket_count(states) * HD_CACHE_LINE + (chunks + 1) * sizeof(uint64_t);
}

hd_status hdi_places_init(hdi_places *places, const hdi_history *history, uint32_t words) {
  size_t chunks = history->chunks.count;
  *places = (hdi_places){.history = history, .words = words};
  places->first = malloc((chunks + 1) * sizeof *places->first);
  if (places->first == NULL) {
    return HD_E_NOMEM;
  }
  for (size_t i = 0; i < chunks; i++) {
    HD_REQUIRE(history->chunks.data[i]->count < PLACE_MASK);
    places->first[i] = places->states;
    places->states += history->chunks.data[i]->count;
  }
  places->buckets = bucket_count(places->states);
  if (places->buckets > UINT32_MAX || chunks > CHUNK_MASK) {
    hdi_places_clear(places);
    return HD_E_LIMIT;
  }
  places->slots = aligned_alloc(HD_CACHE_LINE, (size_t)places->buckets * HD_CACHE_LINE);
  if (places->slots == NULL) {
    hdi_places_clear(places);
    return HD_E_NOMEM;
  }
  memset((void *)places->slots, 0, (size_t)places->buckets * HD_CACHE_LINE);
  return HD_OK;
}

void hdi_places_clear(hdi_places *places) {
  free(places->first);
  free((void *)places->slots);
  memset(places, 0, sizeof *places);
}

uint64_t hdi_places_hash(const hdi_places *places, const uint64_t *state) {
  return places->words == 1 ? hd_hash_word(*state) : hd_hash_bytes(state, places->words * sizeof *state);
}

static uint64_t tag_of(uint64_t hash) {
  return hash << (64 - HASH_BITS);
}

static void add(hdi_places *places, uint64_t hash, uint64_t slot) {
  for (uint64_t bucket = hdi_places_bucket(places, hash);; bucket = bucket + 1 < places->buckets ? bucket + 1 : 0) {
    for (uint64_t i = bucket * BUCKET_SLOTS; i < (bucket + 1) * BUCKET_SLOTS; i++) {
      /* HD-SYNC P1: relaxed; pairs with P1 of other workers, P2. Publishes: nothing: chunks are read-only, and a
       * barrier comes before the first look-up. Why not weaker: two workers must not take one slot. Why not stronger:
       * the slot's number is all there is. */
      uint64_t free_slot = hd_load_rlx(&places->slots[i]);
      if (free_slot == 0 && hd_cas_rlx(&places->slots[i], &free_slot, slot)) {
        return;
      }
    }
  }
}

void hdi_places_add_chunk(hdi_places *places, size_t chunk) {
  const hdi_chunk *states = places->history->chunks.data[chunk];
  enum { AHEAD = 16 };
  uint64_t hashes[AHEAD];
  for (uint32_t begin = 0; begin < states->count; begin += AHEAD) {
    uint32_t end = states->count - begin < AHEAD ? states->count : begin + AHEAD;
    for (uint32_t i = begin; i < end; i++) {
      hashes[i - begin] = hdi_places_hash(places, &states->words[(size_t)i * places->words]);
      hdi_places_prefetch(places, hashes[i - begin]);
    }
    for (uint32_t i = begin; i < end; i++) {
      uint64_t hash = hashes[i - begin];
      add(places, hash, tag_of(hash) | (uint64_t)chunk << PLACE_BITS | (i + 1));
    }
  }
}

uint64_t hdi_places_find(const hdi_places *places, const uint64_t *state, uint64_t hash) {
  uint64_t tag = tag_of(hash);
  for (uint64_t bucket = hdi_places_bucket(places, hash);; bucket = bucket + 1 < places->buckets ? bucket + 1 : 0) {
    for (uint64_t i = bucket * BUCKET_SLOTS; i < (bucket + 1) * BUCKET_SLOTS; i++) {
      /* HD-SYNC P2: relaxed; pairs with P1. Publishes: nothing; a barrier lies between. Why not weaker: it is the
       * weakest. Why not stronger: the barrier orders it. */
      uint64_t slot = hd_load_rlx(&places->slots[i]);
      if (slot == 0) {
        return HDI_NO_PLACE;
      }
      if (((slot ^ tag) >> (64 - HASH_BITS)) != 0) {
        continue;
      }
      size_t chunk = (size_t)((slot >> PLACE_BITS) & CHUNK_MASK), place = (size_t)(slot & PLACE_MASK) - 1;
      const uint64_t *there = &places->history->chunks.data[chunk]->words[place * places->words];
      if (places->words == 1 ? *there == *state : memcmp(there, state, places->words * sizeof *state) == 0) {
        return places->first[chunk] + place;
      }
    }
  }
}
