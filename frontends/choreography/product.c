/* One peer's product (product.h), explored breadth-first by the number of sends.
 *
 * A state is (state of Det(C), local state of the peer, content of its queue): C runs ahead, the peer lags behind by
 * what is in the queue. Moves, with what they cost:
 *
 *   sync   1   p sends m: machine and Det(C) step together;  or C sends a message that does not concern p
 *   send   1   C sends a message to p: it waits in the queue; not enabled when the queue is full
 *   read   0   p reads a head of its queue
 *   extra  1   p can send m where Det(C) has no m: the witness
 *
 * Two rules keep the product small and change neither the answer nor the witness's length (docs: the per-peer check).
 * A state from which the machine can never reach a send cannot lead to an extra one: it is dropped. Where the machine
 * only receives, and all from one queue, and the head can be read, the peer reads first: nothing else that it does can
 * come before, and reading early only makes room.
 *
 *   states  | level 0: start, reads | level 1: after sends, reads | ...      level d is a contiguous range
 *
 * A level is first closed under reads, then its sends make the next one; so every state is stored once, at its least
 * number of sends, in an order that depends on the input alone, and the first extra send found at the least level is
 * the witness for every thread count. A product stops after the level of its own witness, or before a level that a
 * shorter witness elsewhere makes pointless: which levels are completed beyond the globally least witness depends on
 * timing, those up to it do not, and only they are counted (peer_check.c).
 * Threads: a product belongs to one worker; what is shared is in hdi_product_shared. Cost: O(moves) expected. */
#include "frontends/choreography/product.h"

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/machine.h"
#include "frontends/choreography/minimise.h"
#include "frontends/choreography/queue.h"

#include <stdlib.h>
#include <string.h>

enum { POLL_PERIOD = 2048 }; /* expansions between two looks at the clock */

typedef struct place {
  uint32_t dfa, local, queue;
} place;

typedef struct node {
  place at;
  uint32_t parent;
  uint32_t via; /* kind of the move that led here, and message * 4 */
} node;

typedef struct product {
  const hd_realizability_query *query;
  hdi_product_shared *shared;
  hdi_product_job *job;
  const hd_dfa *dfa;
  const hd_machine *machine;
  const hd_message_info *messages;
  hdi_queue queue;
  bool *can_send;      /* per local state: a send is reachable */
  bool *reads_at_once; /* per local state: receives only, all from one queue */
  node *nodes;
  size_t node_count, node_capacity;
  uint32_t *slots; /* node + 1; 0: free; at most 3/4 full */
  size_t slot_count, level_capacity;
  size_t counted_bytes; /* of ours in shared->memory_bytes */
  uint64_t level, transitions;
  uint32_t until_poll, witness_node;
  hd_message witness_message;
  bool confused;
} product;

bool hdi_product_peer_sends(const hd_machine *machine) {
  for (uint32_t a = 0; a < machine->arc_count; a++) {
    if (machine->arcs[a].send) {
      return true;
    }
  }
  return false;
}

/* Marks the local states from which a send can be reached: backwards over arcs sorted by target. */
static hd_status find_senders(product *p) {
  const hd_machine *m = p->machine;
  uint32_t *first = calloc(m->state_count + (size_t)2, sizeof *first);
  uint32_t *origin = calloc(m->arc_count + (size_t)1, sizeof *origin);
  uint32_t *stack = calloc(m->state_count, sizeof *stack);
  hd_status status = first != NULL && origin != NULL && stack != NULL ? HD_OK : HD_E_NOMEM;
  if (status == HD_OK) {
    uint32_t depth = 0;
    for (uint32_t a = 0; a < m->arc_count; a++) {
      first[m->arcs[a].to + 2]++;
      if (m->arcs[a].send && !p->can_send[m->arcs[a].from]) {
        p->can_send[m->arcs[a].from] = true;
        stack[depth++] = m->arcs[a].from;
      }
    }
    for (uint32_t s = 2; s < m->state_count + 2; s++) {
      first[s] += first[s - 1];
    }
    for (uint32_t a = 0; a < m->arc_count; a++) {
      origin[first[m->arcs[a].to + 1]++] = m->arcs[a].from;
    }
    while (depth > 0) {
      uint32_t state = stack[--depth];
      for (uint32_t i = first[state]; i < first[state + 1]; i++) {
        if (!p->can_send[origin[i]]) {
          p->can_send[origin[i]] = true;
          stack[depth++] = origin[i];
        }
      }
    }
  }
  free(first);
  free(origin);
  free(stack);
  return status;
}

static void find_immediate_reads(product *p) {
  const hd_machine *m = p->machine;
  for (uint32_t s = 0; s < m->state_count; s++) {
    bool alone = m->first_arc[s] < m->first_arc[s + 1];
    for (uint32_t a = m->first_arc[s]; a < m->first_arc[s + 1]; a++) {
      bool same_queue = p->query->semantics == HD_MAILBOX || p->messages[m->arcs[a].message.v].from.v ==
                                                                 p->messages[m->arcs[m->first_arc[s]].message.v].from.v;
      alone = alone && !m->arcs[a].send && same_queue;
    }
    p->reads_at_once[s] = alone;
  }
}

/* Tells the others what this product holds now, and stops when all together hold too much. */
static hd_status account(product *p) {
  size_t bytes = p->node_capacity * sizeof p->nodes[0] + p->slot_count * sizeof p->slots[0] +
                 hdi_queue_size_bytes(&p->queue) + p->level_capacity * sizeof p->job->levels[0];
  /* HD-SYNC S1: relaxed; pairs with S1 of other workers, S6. Publishes: nothing; a sum of sizes, each worker's part
   * kept exact by its own additions (modulo 2^64). Why not weaker: additions must not be lost. Why not stronger: no
   * memory is read because of the value. */
  uint64_t change = (uint64_t)bytes - (uint64_t)p->counted_bytes;
  uint64_t total = hd_add_rlx(&p->shared->memory_bytes, change) + change;
  p->counted_bytes = bytes;
  return p->query->memory_max_bytes != 0 && total > p->query->memory_max_bytes ? HD_E_LIMIT : HD_OK;
}

static hd_status poll(product *p) {
  if (p->until_poll-- > 0) {
    return HD_OK;
  }
  p->until_poll = POLL_PERIOD;
  /* HD-SYNC S2: relaxed; pairs with S3 (the worker that stops first). Publishes: nothing beyond the value. Why not
   * weaker: a plain read would race. Why not stronger: seeing it late only delays the end. The caller's cancel flag is
   * read in the same way. */
  uint32_t stop = hd_load_rlx(&p->shared->stop);
  if (stop != HD_OK) {
    return (hd_status)stop;
  }
  if (p->query->cancel != NULL && hd_load_rlx(p->query->cancel) != 0) {
    return HD_E_CANCELLED;
  }
  if (p->query->deadline_seconds > 0 && hd_machine_seconds() > p->query->deadline_seconds) {
    return HD_E_LIMIT;
  }
  return account(p);
}

static uint64_t hash_place(place at) {
  return hd_hash_bytes(&at, sizeof at);
}

static hd_status grow_nodes(product *p) {
  if (p->node_count < p->node_capacity) {
    return HD_OK;
  }
  size_t capacity = p->node_capacity == 0 ? 256 : p->node_capacity + p->node_capacity / 2;
  if (capacity > UINT32_MAX - 2) {
    return HD_E_LIMIT;
  }
  node *nodes = realloc(p->nodes, capacity * sizeof *nodes);
  if (nodes == NULL) {
    return HD_E_NOMEM;
  }
  p->nodes = nodes;
  p->node_capacity = capacity;
  return account(p);
}

static hd_status grow_slots(product *p) {
  if ((p->node_count + 1) * 4 <= p->slot_count * 3) {
    return HD_OK;
  }
  size_t slot_count = p->slot_count == 0 ? 512 : p->slot_count * 2;
  uint32_t *slots = calloc(slot_count, sizeof *slots);
  if (slots == NULL) {
    return HD_E_NOMEM;
  }
  for (size_t i = 0; i < p->node_count; i++) {
    size_t slot = (size_t)hash_place(p->nodes[i].at) & (slot_count - 1);
    while (slots[slot] != 0) {
      slot = (slot + 1) & (slot_count - 1);
    }
    slots[slot] = (uint32_t)i + 1;
  }
  free(p->slots);
  p->slots = slots;
  p->slot_count = slot_count;
  return account(p);
}

/* Stores the state unless it is known. */
static hd_status reach(product *p, uint32_t parent, place at, hd_witness_move_kind kind, hd_message message) {
  p->transitions++;
  hd_status status = grow_nodes(p);
  if (status == HD_OK) {
    status = grow_slots(p);
  }
  if (status != HD_OK) {
    return status;
  }
  size_t mask = p->slot_count - 1, slot = (size_t)hash_place(at) & mask;
  for (; p->slots[slot] != 0; slot = (slot + 1) & mask) {
    const place *known = &p->nodes[p->slots[slot] - 1].at;
    if (known->dfa == at.dfa && known->local == at.local && known->queue == at.queue) {
      return HD_OK;
    }
  }
  p->nodes[p->node_count] = (node){at, parent, message.v * 4 + (uint32_t)kind};
  p->slots[slot] = (uint32_t)++p->node_count;
  return HD_OK;
}

/* The local state after reading the head, HD_NONE when it cannot be read. */
static uint32_t after_read(const product *p, uint32_t local, hd_message head) {
  return hdi_machine_next(p->machine, local, false, head);
}

static hd_status expand_reads(product *p, uint32_t from) {
  place at = p->nodes[from].at;
  hd_message head;
  for (uint32_t position = 0; hdi_queue_head(&p->queue, at.queue, &position, &head); position++) {
    uint32_t local = after_read(p, at.local, head);
    if (local == HD_NONE || !p->can_send[local]) {
      continue;
    }
    uint32_t rest;
    hd_status status = hdi_queue_remove(&p->queue, at.queue, position, &rest);
    if (status == HD_OK) {
      status = reach(p, from, (place){at.dfa, local, rest}, HD_MOVE_READ, head);
    }
    if (status != HD_OK) {
      return status;
    }
  }
  return HD_OK;
}

/* Must the peer read before anything else happens? */
static bool reads_first(const product *p, place at) {
  hd_message head;
  if (!p->reads_at_once[at.local]) {
    return false;
  }
  for (uint32_t position = 0; hdi_queue_head(&p->queue, at.queue, &position, &head); position++) {
    if (after_read(p, at.local, head) != HD_NONE) {
      return true;
    }
  }
  return false;
}

static hd_status expand_own_sends(product *p, uint32_t from) {
  place at = p->nodes[from].at;
  for (uint32_t a = p->machine->first_arc[at.local]; a < p->machine->first_arc[at.local + 1]; a++) {
    const hd_machine_arc *arc = &p->machine->arcs[a];
    if (!arc->send) {
      break; /* sends come first */
    }
    uint32_t next = hd_dfa_next(p->dfa, at.dfa, arc->message);
    if (next == HD_NONE && !p->confused) {
      p->confused = true;
      p->witness_node = from;
      p->witness_message = arc->message;
    }
    if (next == HD_NONE || !p->can_send[arc->to]) {
      continue;
    }
    hd_status status = reach(p, from, (place){next, arc->to, at.queue}, HD_MOVE_SYNC, arc->message);
    if (status != HD_OK) {
      return status;
    }
  }
  return HD_OK;
}

/* C's moves by the other peers. */
static hd_status expand_others(product *p, uint32_t from) {
  place at = p->nodes[from].at;
  uint32_t self = p->job->peer.v;
  for (uint32_t a = p->dfa->first_arc[at.dfa]; a < p->dfa->first_arc[at.dfa + 1]; a++) {
    const hd_dfa_arc *arc = &p->dfa->arcs[a];
    const hd_message_info *message = &p->messages[arc->message.v];
    if (message->from.v == self) {
      continue;
    }
    hd_witness_move_kind kind = message->to.v == self ? HD_MOVE_SEND : HD_MOVE_SYNC;
    uint32_t content = at.queue;
    hd_status status = HD_OK;
    if (kind == HD_MOVE_SEND) {
      status = hdi_queue_push(&p->queue, at.queue, arc->message, &content);
    }
    if (status == HD_OK && content == HD_NONE) {
      p->job->blocked_level = p->level < p->job->blocked_level ? p->level : p->job->blocked_level;
      continue;
    }
    if (status == HD_OK) {
      status = reach(p, from, (place){arc->to, at.local, content}, kind, arc->message);
    }
    if (status != HD_OK) {
      return status;
    }
  }
  return HD_OK;
}

/* Completes the level that begins at node `begin`: *end is where the next one begins. */
static hd_status run_level(product *p, size_t begin, size_t *end) {
  hd_status status = HD_OK;
  for (size_t i = begin; status == HD_OK && i < p->node_count; i++) {
    status = poll(p);
    if (status == HD_OK) {
      status = expand_reads(p, (uint32_t)i);
    }
  }
  *end = p->node_count;
  for (size_t i = begin; status == HD_OK && i < *end; i++) {
    status = poll(p);
    if (status == HD_OK && !reads_first(p, p->nodes[i].at)) {
      status = expand_own_sends(p, (uint32_t)i);
      if (status == HD_OK) {
        status = expand_others(p, (uint32_t)i);
      }
    }
  }
  return status;
}

static hd_status record_level(product *p, uint64_t states) {
  hdi_product_job *job = p->job;
  if (job->level_count == p->level_capacity) {
    size_t capacity = p->level_capacity * 2 + 16;
    hdi_product_level *levels = realloc(job->levels, capacity * sizeof *levels);
    if (levels == NULL) {
      return HD_E_NOMEM;
    }
    job->levels = levels;
    p->level_capacity = capacity;
  }
  job->levels[job->level_count++] = (hdi_product_level){states, p->transitions};
  p->transitions = 0;
  return HD_OK;
}

/* The moves from the start to the witness's state, and the extra send. */
static hd_status trace_witness(product *p) {
  size_t count = 1;
  for (uint32_t n = p->witness_node; n != 0; n = p->nodes[n].parent) {
    count++;
  }
  p->job->moves = calloc(count, sizeof p->job->moves[0]);
  if (p->job->moves == NULL) {
    return HD_E_NOMEM;
  }
  p->job->move_count = count;
  p->job->moves[--count] = (hd_witness_move){HD_MOVE_EXTRA, p->witness_message};
  for (uint32_t n = p->witness_node; n != 0; n = p->nodes[n].parent) {
    uint32_t via = p->nodes[n].via;
    p->job->moves[--count] = (hd_witness_move){(hd_witness_move_kind)(via % 4), {via / 4}};
  }
  HD_ASSERT(count == 0);
  p->job->length = p->level + 1;
  return HD_OK;
}

/* Lowers the shared least length. */
static void offer_length(hdi_product_shared *shared, uint64_t length) {
  /* HD-SYNC S4: relaxed; pairs with S4 of other workers, S5. Publishes: nothing; the witness itself stays with the job
   * until the team has ended. Why not weaker: two workers may lower it at once. Why not stronger: a stale value only
   * lets a product run a level further, which is not counted. */
  uint64_t known = hd_load_rlx(&shared->best);
  while (length < known && !hd_cas_rlx(&shared->best, &known, length)) {}
}

static hd_status run_levels(product *p) {
  size_t begin = 0;
  while (begin < p->node_count && !p->confused) {
    /* HD-SYNC S5: relaxed; pairs with S4. Publishes: nothing. Why not weaker: a plain read would race. Why not
     * stronger: see S4; the value never falls below the final least length, so no counted level is skipped. */
    if (p->level >= hd_load_rlx(&p->shared->best)) {
      break;
    }
    size_t end;
    hd_status status = run_level(p, begin, &end);
    if (status == HD_OK) {
      status = record_level(p, end - begin);
    }
    if (status == HD_OK && p->confused) {
      status = trace_witness(p);
    }
    if (status != HD_OK) {
      return status;
    }
    if (p->confused) {
      offer_length(p->shared, p->job->length);
    }
    begin = end;
    p->level++;
  }
  return HD_OK;
}

static hd_status prepare(product *p) {
  HD_REQUIRE(p->query->file->alphabet.message_count < UINT32_MAX / 4);
  p->can_send = calloc(p->machine->state_count, sizeof p->can_send[0]);
  p->reads_at_once = calloc(p->machine->state_count, sizeof p->reads_at_once[0]);
  if (p->can_send == NULL || p->reads_at_once == NULL) {
    return HD_E_NOMEM;
  }
  hd_status status = find_senders(p);
  find_immediate_reads(p);
  if (status == HD_OK) {
    status = hdi_queue_open(&p->queue, &p->query->file->alphabet, p->query->semantics, p->query->bound);
  }
  if (status == HD_OK && p->can_send[p->machine->initial]) {
    status = reach(p, 0, (place){0, p->machine->initial, HDI_QUEUE_EMPTY}, HD_MOVE_SYNC, (hd_message){0});
    p->transitions = 0;
  }
  return status;
}

void hdi_product_explore(const hd_realizability_query *query, hdi_product_shared *shared, hdi_product_job *job) {
  product p = {.query = query,
               .shared = shared,
               .job = job,
               .dfa = &query->dfas[job->block],
               .machine = &query->system->machines[job->peer.v],
               .messages = query->file->alphabet.messages};
  job->blocked_level = UINT64_MAX;
  job->status = prepare(&p);
  if (job->status == HD_OK) {
    job->status = run_levels(&p);
  }
  if (job->status != HD_OK) {
    /* HD-SYNC S3: relaxed; pairs with S2. Publishes: nothing beyond the value. Why not weaker: several workers may
     * store at once. Why not stronger: the jobs are read only after the team has ended. */
    hd_store_rlx(&shared->stop, (uint32_t)job->status);
  }
  /* HD-SYNC S6: relaxed; pairs with S1. Publishes: nothing; takes this product's part out of the sum. Why not weaker,
   * why not stronger: as S1. */
  (void)hd_add_rlx(&shared->memory_bytes, (uint64_t)0 - (uint64_t)p.counted_bytes);
  hdi_queue_close(&p.queue);
  free(p.can_send);
  free(p.reads_at_once);
  free(p.nodes);
  free(p.slots);
}

void hdi_product_job_free(hdi_product_job *job) {
  free(job->moves);
  free(job->levels);
  job->moves = NULL;
  job->levels = NULL;
}
