/* Hash map template: open addressing, linear probing, insertion order kept in a dense entry array, so that iteration
 * is deterministic. No removal. Include after defining
 *
 *   #define HD_MAP_NAME  hd_name_map
 *   #define HD_MAP_KEY   hd_name                    plain data
 *   #define HD_MAP_VALUE uint32_t
 *   #define HD_MAP_HASH(key)      uint64_t expression
 *   #define HD_MAP_EQUAL(a, b)    bool expression
 *   #include "core/base/map.h"
 *
 * which defines
 *
 *   typedef struct { KEY key; VALUE value; uint64_t hash; } NAME_entry;
 *   typedef struct { NAME_entry *entries; size_t count, capacity; uint32_t *slots; size_t slot_count; } NAME;
 *        zero-initialised = empty; owns entries and slots
 *   VALUE *NAME_get(const NAME *, KEY)
 *        NULL when absent; borrowed until the next insertion
 *   hd_status NAME_put(NAME *, KEY, VALUE, VALUE **out, bool *fresh)
 *        inserts unless present; *out (optional) is where the value lives, *fresh (optional) says whether it was
 *        inserted; HD_E_NOMEM leaves the map unchanged
 *   void NAME_clear(NAME *)                      keeps the memory
 *   void NAME_free(NAME *)                       leaves an empty map
 *
 * Cost O(1) expected. At most 2^31 entries. */
#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(HD_MAP_NAME) || !defined(HD_MAP_KEY) || !defined(HD_MAP_VALUE) || !defined(HD_MAP_HASH) || \
    !defined(HD_MAP_EQUAL)
#error "define HD_MAP_NAME, HD_MAP_KEY, HD_MAP_VALUE, HD_MAP_HASH and HD_MAP_EQUAL before including core/base/map.h"
#endif

#define HDI_MAP_CAT2(a, b) a##_##b
#define HDI_MAP_CAT(a, b) HDI_MAP_CAT2(a, b)
#define HDI_MAP_FN(verb) HDI_MAP_CAT(HD_MAP_NAME, verb)
#define HDI_MAP_ENTRY HDI_MAP_CAT(HD_MAP_NAME, entry)

typedef struct {
  HD_MAP_KEY key;
  HD_MAP_VALUE value;
  uint64_t hash;
} HDI_MAP_ENTRY;

typedef struct {
  HDI_MAP_ENTRY *entries;
  size_t count, capacity;
  uint32_t *slots; /* entry index + 1; 0 = free */
  size_t slot_count;
} HD_MAP_NAME;

static inline HD_UNUSED size_t HDI_MAP_FN(find_slot)(const HD_MAP_NAME *map, HD_MAP_KEY key, uint64_t hash) {
  size_t mask = map->slot_count - 1;
  size_t slot = (size_t)hash & mask;
  while (map->slots[slot] != 0) {
    const HDI_MAP_ENTRY *entry = &map->entries[map->slots[slot] - 1];
    if (entry->hash == hash && HD_MAP_EQUAL(entry->key, key)) {
      break;
    }
    slot = (slot + 1) & mask;
  }
  return slot;
}

static inline HD_UNUSED HD_MAP_VALUE *HDI_MAP_FN(get)(const HD_MAP_NAME *map, HD_MAP_KEY key) {
  if (map->slot_count == 0) {
    return NULL;
  }
  uint32_t found = map->slots[HDI_MAP_FN(find_slot)(map, key, HD_MAP_HASH(key))];
  return found == 0 ? NULL : &map->entries[found - 1].value;
}

static inline HD_UNUSED hd_status HDI_MAP_FN(grow)(HD_MAP_NAME *map) {
  if (map->count == map->capacity) {
    size_t capacity = map->capacity < 8 ? 8 : map->capacity * 2;
    if (capacity > UINT32_MAX - 1 || capacity > SIZE_MAX / sizeof(HDI_MAP_ENTRY)) {
      return HD_E_NOMEM;
    }
    HDI_MAP_ENTRY *entries = realloc(map->entries, capacity * sizeof(HDI_MAP_ENTRY));
    if (entries == NULL) {
      return HD_E_NOMEM;
    }
    map->entries = entries;
    map->capacity = capacity;
  }
  if ((map->count + 1) * 4 <= map->slot_count * 3) {
    return HD_OK;
  }
  size_t slot_count = map->slot_count == 0 ? 16 : map->slot_count * 2;
  uint32_t *slots = calloc(slot_count, sizeof(uint32_t));
  if (slots == NULL) {
    return HD_E_NOMEM;
  }
  for (size_t i = 0; i < map->count; i++) {
    size_t slot = (size_t)map->entries[i].hash & (slot_count - 1);
    while (slots[slot] != 0) {
      slot = (slot + 1) & (slot_count - 1);
    }
    slots[slot] = (uint32_t)i + 1;
  }
  free(map->slots);
  map->slots = slots;
  map->slot_count = slot_count;
  return HD_OK;
}

static inline HD_UNUSED hd_status HDI_MAP_FN(put)(HD_MAP_NAME *map, HD_MAP_KEY key, HD_MAP_VALUE value,
                                                  HD_MAP_VALUE **out, bool *fresh) {
  uint64_t hash = HD_MAP_HASH(key);
  size_t slot = map->slot_count == 0 ? 0 : HDI_MAP_FN(find_slot)(map, key, hash);
  bool inserted = map->slot_count == 0 || map->slots[slot] == 0;
  if (inserted) {
    /* Grow only now: finding what is there needs no memory and moves nothing. */
    hd_status status = HDI_MAP_FN(grow)(map);
    if (status != HD_OK) {
      return status;
    }
    map->entries[map->count] = (HDI_MAP_ENTRY){.key = key, .value = value, .hash = hash};
    slot = HDI_MAP_FN(find_slot)(map, key, hash);
    map->slots[slot] = (uint32_t)++map->count;
  }
  if (out != NULL) {
    *out = &map->entries[map->slots[slot] - 1].value;
  }
  if (fresh != NULL) {
    *fresh = inserted;
  }
  return HD_OK;
}

static inline HD_UNUSED void HDI_MAP_FN(clear)(HD_MAP_NAME *map) {
  map->count = 0;
  if (map->slot_count != 0) {
    memset(map->slots, 0, map->slot_count * sizeof(uint32_t));
  }
}

static inline HD_UNUSED void HDI_MAP_FN(free)(HD_MAP_NAME *map) {
  free(map->entries);
  free(map->slots);
  memset(map, 0, sizeof *map);
}

#undef HDI_MAP_ENTRY
#undef HDI_MAP_FN
#undef HDI_MAP_CAT
#undef HDI_MAP_CAT2
#undef HD_MAP_NAME
#undef HD_MAP_KEY
#undef HD_MAP_VALUE
#undef HD_MAP_HASH
#undef HD_MAP_EQUAL
