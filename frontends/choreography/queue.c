/* One peer's queues (queue.h).
 *
 * A content is the sequence of waiting messages, interned, so that a product state holds it in one word however long
 * the bound. With one queue per sender the sequence is grouped by sender, peers ascending, each group in order of
 * arrival; that form is unique, and a message tells its sender.
 *
 *   mailbox  [ c a b ]           head: c
 *   p2p      [ a1 a2 | b1 | ]    heads: a1 (from A), b1 (from B)
 *
 * Invariant: content 0 is the empty one. Threads: none; each product has its own. Cost: O(length of the content). */
#include "frontends/choreography/queue.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

hd_status hdi_queue_open(hdi_queue *queue, const hd_alphabet *alphabet, hd_semantics semantics, uint32_t bound) {
  HD_REQUIRE(bound >= 1);
  *queue = (hdi_queue){.alphabet = alphabet, .semantics = semantics, .bound = bound};
  uint32_t empty;
  hd_status status = hdi_sequences_add(&queue->contents, NULL, 0, &empty, NULL);
  HD_ASSERT(status != HD_OK || empty == HDI_QUEUE_EMPTY);
  return status;
}

void hdi_queue_close(hdi_queue *queue) {
  hdi_sequences_free(&queue->contents);
  free(queue->scratch);
  queue->scratch = NULL;
}

/* Which queue the message waits in: all in one for a mailbox. */
static uint32_t lane(const hdi_queue *queue, uint32_t message) {
  return queue->semantics == HD_MAILBOX ? 0 : queue->alphabet->messages[message].from.v;
}

static hd_status reserve_scratch(hdi_queue *queue, size_t length) {
  if (length <= queue->scratch_capacity) {
    return HD_OK;
  }
  size_t capacity = length * 2 + 8;
  uint32_t *scratch = realloc(queue->scratch, capacity * sizeof *scratch);
  if (scratch == NULL) {
    return HD_E_NOMEM;
  }
  queue->scratch = scratch;
  queue->scratch_capacity = capacity;
  return HD_OK;
}

hd_status hdi_queue_push(hdi_queue *queue, uint32_t content, hd_message message, uint32_t *after) {
  uint32_t length;
  const uint32_t *words = hdi_sequences_get(&queue->contents, content, &length);
  uint32_t own = lane(queue, message.v), place = length, waiting = 0;
  while (place > 0 && lane(queue, words[place - 1]) > own) {
    place--;
  }
  while (waiting < place && lane(queue, words[place - 1 - waiting]) == own) {
    waiting++;
  }
  *after = HD_NONE;
  if (waiting >= queue->bound) {
    return HD_OK;
  }
  hd_status status = reserve_scratch(queue, (size_t)length + 1);
  if (status != HD_OK) {
    return status;
  }
  memcpy(queue->scratch, words, place * sizeof *words);
  queue->scratch[place] = message.v;
  memcpy(queue->scratch + place + 1, words + place, (length - place) * sizeof *words);
  return hdi_sequences_add(&queue->contents, queue->scratch, length + 1, after, NULL);
}

bool hdi_queue_head(const hdi_queue *queue, uint32_t content, uint32_t *position, hd_message *head) {
  uint32_t length;
  const uint32_t *words = hdi_sequences_get(&queue->contents, content, &length);
  for (uint32_t i = *position; i < length; i++) {
    if (i == 0 || lane(queue, words[i - 1]) != lane(queue, words[i])) {
      *position = i;
      *head = (hd_message){words[i]};
      return true;
    }
  }
  return false;
}

hd_status hdi_queue_remove(hdi_queue *queue, uint32_t content, uint32_t position, uint32_t *after) {
  uint32_t length;
  const uint32_t *words = hdi_sequences_get(&queue->contents, content, &length);
  HD_ASSERT(position < length);
  hd_status status = reserve_scratch(queue, length);
  if (status != HD_OK) {
    return status;
  }
  memcpy(queue->scratch, words, position * sizeof *words);
  memcpy(queue->scratch + position, words + position + 1, (length - 1 - position) * sizeof *words);
  return hdi_sequences_add(&queue->contents, queue->scratch, length - 1, after, NULL);
}

size_t hdi_queue_size_bytes(const hdi_queue *queue) {
  return hdi_sequences_size_bytes(&queue->contents) + queue->scratch_capacity * sizeof queue->scratch[0];
}
