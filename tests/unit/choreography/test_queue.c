/* Queues as interned contents, against plain arrays; and the table of sequences under them. */
#include "frontends/choreography/queue.h"

#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

enum { PEERS = 4, BOUND_MAX = 3, LENGTH_MAX = PEERS * BOUND_MAX };

static uint64_t next_random(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *seed >> 33;
}

/* Message m is sent by peer m / 2 to the last peer. */
static hd_message_info infos[2 * (PEERS - 1)];

static hd_alphabet alphabet(void) {
  for (uint32_t m = 0; m < 2 * (PEERS - 1); m++) {
    infos[m] = (hd_message_info){.from = {m / 2}, .to = {PEERS - 1}, .name = "m"};
  }
  return (hd_alphabet){.peer_count = PEERS, .messages = infos, .message_count = 2 * (PEERS - 1)};
}

/* The model: one array per lane. */
typedef struct lanes {
  uint32_t messages[PEERS][BOUND_MAX], length[PEERS];
} lanes;

static uint32_t lane_of(hd_semantics semantics, uint32_t message) {
  return semantics == HD_MAILBOX ? 0 : message / 2;
}

/* Heads of the content, lane by lane, are those of the model; returns how many there are. */
static uint32_t check_heads(const hdi_queue *queue, uint32_t content, const lanes *model, uint32_t *positions) {
  uint32_t position = 0, count = 0;
  hd_message head;
  for (uint32_t lane = 0; lane < PEERS; lane++) {
    if (model->length[lane] > 0) {
      cr_assert(hdi_queue_head(queue, content, &position, &head), "a head is missing");
      cr_assert_eq(head.v, model->messages[lane][0]);
      positions[count++] = position++;
    }
  }
  cr_assert_not(hdi_queue_head(queue, content, &position, &head), "a head too many");
  return count;
}

static void walk(hd_semantics semantics, uint32_t bound, uint64_t seed) {
  hd_alphabet letters = alphabet();
  hdi_queue queue;
  lanes model;
  memset(&model, 0, sizeof model);
  cr_assert_eq(hdi_queue_open(&queue, &letters, semantics, bound), HD_OK);
  uint32_t content = HDI_QUEUE_EMPTY, positions[PEERS];
  for (uint32_t i = 0; i < 2000; i++) {
    uint32_t heads = check_heads(&queue, content, &model, positions);
    uint32_t message = (uint32_t)(next_random(&seed) % letters.message_count), lane = lane_of(semantics, message);
    uint32_t after = 12345;
    if (next_random(&seed) % 2 == 0) {
      cr_assert_eq(hdi_queue_push(&queue, content, (hd_message){message}, &after), HD_OK);
      cr_assert_eq(after == HD_NONE, model.length[lane] == bound, "room for %u", bound);
      if (after != HD_NONE) {
        model.messages[lane][model.length[lane]++] = message;
        content = after;
      }
    } else if (heads > 0) {
      uint32_t chosen = (uint32_t)(next_random(&seed) % heads), seen = 0;
      cr_assert_eq(hdi_queue_remove(&queue, content, positions[chosen], &content), HD_OK);
      for (lane = 0; model.length[lane] == 0 || seen++ < chosen; lane++) {}
      memmove(model.messages[lane], model.messages[lane] + 1, sizeof model.messages[lane] - sizeof(uint32_t));
      model.length[lane]--;
    }
    bool empty = true;
    for (lane = 0; lane < PEERS; lane++) {
      empty = empty && model.length[lane] == 0;
    }
    cr_assert_eq(content == HDI_QUEUE_EMPTY, empty, "equal contents have one id");
  }
  hdi_queue_close(&queue);
}

Test(queue, behaves_as_arrays_do) {
  for (uint32_t bound = 1; bound <= BOUND_MAX; bound++) {
    for (uint64_t seed = 0; seed < 20; seed++) {
      walk(HD_MAILBOX, bound, seed);
      walk(HD_P2P, bound, seed);
    }
  }
}

Test(queue, with_one_queue_per_sender_the_order_of_arrival_between_senders_is_forgotten) {
  hd_alphabet letters = alphabet();
  uint32_t contents[2][2];
  for (int run = 0; run < 2; run++) {
    hdi_queue queue;
    cr_assert_eq(hdi_queue_open(&queue, &letters, run == 0 ? HD_MAILBOX : HD_P2P, 2), HD_OK);
    for (uint32_t order = 0; order < 2; order++) {
      uint32_t first = order == 0 ? 0 : 4, second = order == 0 ? 4 : 0, content = HDI_QUEUE_EMPTY;
      cr_assert_eq(hdi_queue_push(&queue, content, (hd_message){first}, &content), HD_OK);
      cr_assert_eq(hdi_queue_push(&queue, content, (hd_message){second}, &content), HD_OK);
      contents[run][order] = content;
    }
    hdi_queue_close(&queue);
  }
  cr_assert_neq(contents[0][0], contents[0][1]);
  cr_assert_eq(contents[1][0], contents[1][1]);
}

Test(sequences, are_numbered_by_first_addition_and_found_again) {
  hdi_sequences table = {0};
  uint32_t words[3], id;
  bool fresh;
  for (uint32_t round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < 3000; i++) {
      uint32_t length = i % 3 + 1; /* [i], [i, 7] or [i, 7, i]: prefixes of each other's kind, but all different */
      words[0] = i - i % 3;
      words[1] = 7;
      words[2] = i;
      cr_assert_eq(hdi_sequences_add(&table, words, length, &id, &fresh), HD_OK);
      cr_assert_eq(id, i);
      cr_assert_eq(fresh, round == 0);
    }
  }
  for (uint32_t i = 0; i < 3000; i++) {
    uint32_t length;
    const uint32_t *found = hdi_sequences_get(&table, i, &length);
    cr_assert(length == i % 3 + 1 && found[0] == i - i % 3 && (length < 2 || found[1] == 7));
  }
  cr_assert_eq(hdi_sequences_add(&table, NULL, 0, &id, &fresh), HD_OK);
  cr_assert(fresh && id == 3000);
  cr_assert_geq(hdi_sequences_size_bytes(&table), 6000u * sizeof(uint32_t));
  hdi_sequences_free(&table);
  cr_assert(table.count == 0 && table.words == NULL);
}
