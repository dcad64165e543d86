/* Interned sequences (sequence.h).
 *
 *   words  | 3 5 9 | 3 | (empty) | 1 2 ...        start  0 3 4 4 ...
 *   slots  hash of the content -> id + 1
 *
 * Contents lie end to end in one pool, so a table of many short sequences costs little more than their words, and the
 * pool with its offsets is already the form (members, set_start) in which a machine keeps its sets.
 * Invariants: start[0] = 0, start[count] = word_count; no two ids have the same content; the slots are at most 3/4
 * full, so that a probe ends. Hashes are not kept: rehashing recomputes them, which is rare.
 * Threads: none; each worker has its own tables. Cost: O(length) expected for an addition. */
#include "frontends/choreography/sequence.h"

#include "core/base/check.h"
#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

static hd_status grow(void **data, size_t *capacity, size_t needed, size_t element_bytes) {
  if (needed <= *capacity) {
    return HD_OK;
  }
  size_t grown = *capacity + *capacity / 2;
  if (grown < needed) {
    grown = needed < 16 ? 16 : needed;
  }
  if (grown > SIZE_MAX / element_bytes) {
    return HD_E_NOMEM;
  }
  void *moved = realloc(*data, grown * element_bytes);
  if (moved == NULL) {
    return HD_E_NOMEM;
  }
  *data = moved;
  *capacity = grown;
  return HD_OK;
}

static hd_status grow_u32(uint32_t **data, size_t *capacity, size_t needed) {
  void *memory = *data;
  hd_status status = grow(&memory, capacity, needed, sizeof **data);
  *data = memory;
  return status;
}

static uint64_t hash_of(const uint32_t *data, uint32_t length) {
  return hd_hash_bytes(length == 0 ? NULL : data, (size_t)length * sizeof *data);
}

/* The slot that holds the content, or the free one where it belongs. */
static size_t find_slot(const hdi_sequences *table, const uint32_t *data, uint32_t length) {
  size_t mask = table->slot_count - 1;
  size_t slot = (size_t)hash_of(data, length) & mask;
  while (table->slots[slot] != 0) {
    uint32_t id = table->slots[slot] - 1;
    uint32_t begin = table->start[id];
    if (table->start[id + 1] - begin == length &&
        (length == 0 || memcmp(table->words + begin, data, (size_t)length * sizeof *data) == 0)) {
      break;
    }
    slot = (slot + 1) & mask;
  }
  return slot;
}

static hd_status grow_slots(hdi_sequences *table) {
  if (((size_t)table->count + 1) * 4 <= table->slot_count * 3) {
    return HD_OK;
  }
  size_t slot_count = table->slot_count == 0 ? 16 : table->slot_count * 2;
  uint32_t *slots = calloc(slot_count, sizeof *slots);
  if (slots == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t id = 0; id < table->count; id++) {
    uint32_t begin = table->start[id];
    size_t slot = (size_t)hash_of(table->words + begin, table->start[id + 1] - begin) & (slot_count - 1);
    while (slots[slot] != 0) {
      slot = (slot + 1) & (slot_count - 1);
    }
    slots[slot] = id + 1;
  }
  free(table->slots);
  table->slots = slots;
  table->slot_count = slot_count;
  return HD_OK;
}

/* Room for one more sequence of `length` words. */
static hd_status make_room(hdi_sequences *table, uint32_t length) {
  if (table->word_count + length > UINT32_MAX - 1 || table->count >= UINT32_MAX - 2) {
    return HD_E_LIMIT;
  }
  hd_status status = grow_slots(table);
  if (status == HD_OK) {
    status = grow_u32(&table->words, &table->word_capacity, table->word_count + length + 1);
  }
  if (status == HD_OK) {
    status = grow_u32(&table->start, &table->start_capacity, (size_t)table->count + 2);
  }
  return status;
}

hd_status hdi_sequences_add(hdi_sequences *table, const uint32_t *data, uint32_t length, uint32_t *id, bool *fresh) {
  hd_status status = make_room(table, length);
  if (status != HD_OK) {
    return status;
  }
  size_t slot = find_slot(table, data, length);
  bool is_new = table->slots[slot] == 0;
  if (is_new) {
    if (length != 0) {
      memcpy(table->words + table->word_count, data, (size_t)length * sizeof *data);
    }
    table->start[table->count] = (uint32_t)table->word_count;
    table->word_count += length;
    table->count++;
    table->start[table->count] = (uint32_t)table->word_count;
    table->slots[slot] = table->count;
  }
  *id = table->slots[slot] - 1;
  if (fresh != NULL) {
    *fresh = is_new;
  }
  return HD_OK;
}

const uint32_t *hdi_sequences_get(const hdi_sequences *table, uint32_t id, uint32_t *length) {
  HD_ASSERT(id < table->count);
  *length = table->start[id + 1] - table->start[id];
  return table->words + table->start[id];
}

size_t hdi_sequences_size_bytes(const hdi_sequences *table) {
  return (table->word_capacity + table->start_capacity + table->slot_count) * sizeof(uint32_t);
}

void hdi_sequences_free(hdi_sequences *table) {
  free(table->words);
  free(table->start);
  free(table->slots);
  *table = (hdi_sequences){0};
}
