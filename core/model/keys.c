/* Interned keys of a fixed number of words, for the search inside a compound step: open addressing with linear probing
 * over XXH3 hashes. A block is usually a handful of states, so emptying the set must not cost a sweep over a table that
 * one large block has grown: each key remembers its slot. At most 2^31 keys. */
#include "core/base/hash.h"
#include "core/model/stepper.h"

#include <string.h>

static uint32_t find_slot(const hdi_keys *keys, const uint64_t *key) {
  size_t size_bytes = keys->words * sizeof *key;
  uint32_t slot = (uint32_t)hd_hash_bytes(key, size_bytes) & (keys->slot_count - 1);
  while (keys->slots[slot] != 0 && memcmp(hdi_keys_get(keys, keys->slots[slot] - 1), key, size_bytes) != 0) {
    slot = (slot + 1) & (keys->slot_count - 1);
  }
  return slot;
}

static hd_status grow(hdi_keys *keys) {
  if (keys->capacity >= (uint32_t)1 << 30) {
    return HD_E_NOMEM;
  }
  uint32_t capacity = keys->capacity == 0 ? 16 : keys->capacity * 2;
  uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
  uint64_t *data = realloc(keys->data, (size_t)capacity * keys->words * sizeof *data);
  keys->data = data == NULL ? keys->data : data;
  uint32_t *slot_of = realloc(keys->slot_of, (size_t)capacity * sizeof *slot_of);
  keys->slot_of = slot_of == NULL ? keys->slot_of : slot_of;
  if (slots == NULL || data == NULL || slot_of == NULL) {
    free(slots);
    return HD_E_NOMEM;
  }
  free(keys->slots);
  keys->slots = slots;
  keys->slot_count = capacity * 2;
  keys->capacity = capacity;
  for (uint32_t i = 0; i < keys->count; i++) {
    keys->slot_of[i] = find_slot(keys, hdi_keys_get(keys, i));
    keys->slots[keys->slot_of[i]] = i + 1;
  }
  return HD_OK;
}

hd_status hdi_keys_add(hdi_keys *keys, const uint64_t *key, uint32_t *number, bool *fresh) {
  if (keys->count == keys->capacity && grow(keys) != HD_OK) {
    return HD_E_NOMEM;
  }
  uint32_t slot = find_slot(keys, key);
  *fresh = keys->slots[slot] == 0;
  if (*fresh) {
    memcpy(keys->data + (size_t)keys->count * keys->words, key, keys->words * sizeof *key);
    keys->slot_of[keys->count] = slot;
    keys->slots[slot] = ++keys->count;
  }
  *number = keys->slots[slot] - 1;
  return HD_OK;
}

void hdi_keys_clear(hdi_keys *keys) {
  for (uint32_t i = 0; i < keys->count; i++) {
    keys->slots[keys->slot_of[i]] = 0;
  }
  keys->count = 0;
}

void hdi_keys_free(hdi_keys *keys) {
  free(keys->data);
  free(keys->slot_of);
  free(keys->slots);
  *keys = (hdi_keys){.words = keys->words};
}
