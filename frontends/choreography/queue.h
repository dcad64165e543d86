/* Contents of one peer's queue or queues as interned sequences. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_QUEUE_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_QUEUE_H

#include "frontends/choreography/choreography.h"
#include "frontends/choreography/sequence.h"

/* The queues of one peer: a mailbox, or one queue for each sender. A content is an id; HDI_QUEUE_EMPTY is the empty
 * one. */
typedef struct hdi_queue {
  const hd_alphabet *alphabet; /* borrowed */
  hd_semantics semantics;
  uint32_t bound;
  hdi_sequences contents;
  uint32_t *scratch;
  size_t scratch_capacity;
} hdi_queue;

#define HDI_QUEUE_EMPTY 0u

hd_status hdi_queue_open(hdi_queue *queue, const hd_alphabet *alphabet, hd_semantics semantics, uint32_t bound);
void hdi_queue_close(hdi_queue *queue);
/* The content after `message` arrives in `content`; *after is HD_NONE when there is no room. */
hd_status hdi_queue_push(hdi_queue *queue, uint32_t content, hd_message message, uint32_t *after);
/* The first head at or after position *position; false when there is none. Start with 0; add 1 to go on. A mailbox has
 * one head, otherwise every sender with a message waiting has one, in peer order. */
bool hdi_queue_head(const hdi_queue *queue, uint32_t content, uint32_t *position, hd_message *head);
/* The content without the message at `position` (one that hdi_queue_head gave). */
hd_status hdi_queue_remove(hdi_queue *queue, uint32_t content, uint32_t position, uint32_t *after);
size_t hdi_queue_size_bytes(const hdi_queue *queue);

#endif
