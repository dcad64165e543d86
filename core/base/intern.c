/* Interned strings: a map from text to a dense number.
 *
 *   arena: "ms\0mc\0..." <- keys of the map's dense entry array, in order of first appearance; name v = entry index
 *
 * The hash of a text is computed once and travels with the key; the bytes are copied into the arena only when the text
 * is new. A failed insertion may leave an unused copy in the arena, never a half-made entry.
 * Invariant: entry i of the map is the text of name i.
 * Threads: add from one thread; find and text may run concurrently with each other, not with add.
 * Cost: O(length) expected per operation (XXH3, linear probing). */
#include "core/base/intern.h"

#include "core/base/arena.h"
#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

typedef struct name_key {
  const char *text;
  size_t length;
  uint64_t hash;
} name_key;

typedef struct no_value {
  char unused;
} no_value;

#define HD_MAP_NAME name_map
#define HD_MAP_KEY name_key
#define HD_MAP_VALUE no_value
#define HD_MAP_HASH(key) ((key).hash)
#define HD_MAP_EQUAL(a, b) ((a).length == (b).length && memcmp((a).text, (b).text, (a).length) == 0)
#include "core/base/map.h"

struct hd_names {
  hd_arena *arena;
  name_map map;
};

hd_names *hd_names_new(void) {
  hd_names *names = calloc(1, sizeof *names);
  if (names == NULL) {
    return NULL;
  }
  names->arena = hd_arena_new();
  if (names->arena == NULL) {
    free(names);
    return NULL;
  }
  return names;
}

void hd_names_free(hd_names *names) {
  if (names == NULL) {
    return;
  }
  name_map_free(&names->map);
  hd_arena_free(names->arena);
  free(names);
}

static name_key make_key(const char *text, size_t length) {
  HD_REQUIRE(text != NULL || length == 0);
  const char *bytes = text == NULL ? "" : text;
  return (name_key){.text = bytes, .length = length, .hash = hd_hash_bytes(bytes, length)};
}

static hd_name find_key(const hd_names *names, name_key key) {
  const name_map *map = &names->map;
  if (map->slot_count == 0) {
    return HD_NO_NAME;
  }
  uint32_t found = map->slots[name_map_find_slot(map, key, key.hash)];
  return found == 0 ? HD_NO_NAME : (hd_name){found - 1};
}

hd_status hd_names_add(hd_names *names, const char *text, size_t length, hd_name *out) {
  name_key key = make_key(text, length);
  hd_name known = find_key(names, key);
  if (known.v != HD_NO_NAME.v) {
    *out = known;
    return HD_OK;
  }
  key.text = hd_arena_copy_text(names->arena, key.text, length);
  if (key.text == NULL) {
    return HD_E_NOMEM;
  }
  hd_status status = name_map_put(&names->map, key, (no_value){0}, NULL, NULL);
  if (status == HD_OK) {
    *out = (hd_name){(uint32_t)(names->map.count - 1)};
  }
  return status;
}

hd_name hd_names_find(const hd_names *names, const char *text, size_t length) {
  return find_key(names, make_key(text, length));
}

const char *hd_names_text(const hd_names *names, hd_name name) {
  HD_REQUIRE(name.v < names->map.count);
  return names->map.entries[name.v].key.text;
}

size_t hd_names_count(const hd_names *names) {
  return names->map.count;
}
