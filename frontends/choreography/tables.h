/* Hash maps and arrays that both readers use. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_TABLES_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_TABLES_H

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/model/model.h"

#include <stdint.h>

/* (scope, name) -> index: the same name means something else in another block. */
typedef struct hdi_pair {
  uint32_t scope, name;
} hdi_pair;

#define HD_MAP_NAME hdi_pair_map
#define HD_MAP_KEY hdi_pair
#define HD_MAP_VALUE uint32_t
#define HD_MAP_HASH(key) hd_hash_word(((uint64_t)(key).scope << 32) | (key).name)
#define HD_MAP_EQUAL(a, b) ((a).scope == (b).scope && (a).name == (b).name)
#include "core/base/map.h"

/* Three numbers -> index: messages (from, to, name) and arcs (from, message, to). */
typedef struct hdi_triple {
  uint32_t a, b, c;
} hdi_triple;

#define HD_MAP_NAME hdi_triple_map
#define HD_MAP_KEY hdi_triple
#define HD_MAP_VALUE uint32_t
#define HD_MAP_HASH(key) hd_hash_bytes(&(key), sizeof(hdi_triple))
#define HD_MAP_EQUAL(x, y) ((x).a == (y).a && (x).b == (y).b && (x).c == (y).c)
#include "core/base/map.h"

#endif
