/* The reference explorer (chor_reference.h): plain on purpose.
 *
 *   state   per peer: the set of choreography states that fit its history (a bit each), closed under the moves of
 * others per block: the set of choreography states after the sends so far (only when watching) per queue: length and
 * messages; queue (p, q) holds what q sent to p, or all in (p, 0) for mailboxes
 *
 * A level is the set of states at that many sends: it is a list that reads extend and sends fill the next one of.
 * A state is settled when it is taken from a list for the first time. */
#include "tests/support/chor_reference.h"

#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

enum { PEERS = 6, BLOCKS = 2, BOUND = 4 };

typedef struct {
  uint64_t local[PEERS];
  uint64_t watcher[BLOCKS];
  uint8_t length[PEERS][PEERS];
  uint8_t queue[PEERS][PEERS][BOUND];
  uint8_t padding[4]; /* named, so that equal states have equal bytes */
} config;
_Static_assert(sizeof(config) == 8 * (PEERS + BLOCKS) + PEERS * PEERS * (1 + BOUND) + 4, "config has holes");

typedef struct {
  config *items;
  size_t count, capacity;
} list;

typedef struct {
  const hd_chor_file *file;
  uint32_t bound;
  bool p2p, watch;
  uint32_t block_of_peer[PEERS];
  config *table; /* settled states, open addressing */
  bool *used;
  size_t table_size, settled;
  list now, next;
  chor_reference answer;
} reference;

static void append(list *l, const config *c) {
  if (l->count == l->capacity) {
    l->capacity = l->capacity * 2 + 64;
    l->items = realloc(l->items, l->capacity * sizeof *l->items);
    cr_assert_not_null(l->items);
  }
  l->items[l->count++] = *c;
}

static uint64_t bytes_hash(const config *c) {
  const unsigned char *bytes = (const unsigned char *)c;
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < sizeof *c; i++) {
    hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  }
  return hash ^ (hash >> 29);
}

/* True when the state is new. */
static bool settle(reference *r, const config *c) {
  if ((r->settled + 1) * 2 > r->table_size) {
    config *old = r->table;
    bool *old_used = r->used;
    size_t old_size = r->table_size;
    r->table_size = old_size == 0 ? 1024 : old_size * 2;
    r->table = calloc(r->table_size, sizeof *r->table);
    r->used = calloc(r->table_size, sizeof *r->used);
    cr_assert(r->table != NULL && r->used != NULL);
    r->settled = 0;
    for (size_t i = 0; i < old_size; i++) {
      if (old_used[i]) {
        (void)settle(r, &old[i]);
      }
    }
    free(old);
    free(old_used);
  }
  size_t slot = (size_t)bytes_hash(c) & (r->table_size - 1);
  while (r->used[slot]) {
    if (memcmp(&r->table[slot], c, sizeof *c) == 0) {
      return false;
    }
    slot = (slot + 1) & (r->table_size - 1);
  }
  r->used[slot] = true;
  r->table[slot] = *c;
  r->settled++;
  return true;
}

/* The states reached by arcs that do not concern the peer. */
static uint64_t close_for(const reference *r, uint32_t peer, uint64_t set) {
  const hd_chor *block = &r->file->blocks[r->block_of_peer[peer]];
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t a = 0; a < block->arc_count; a++) {
      const hd_message_info *m = &r->file->alphabet.messages[block->arcs[a].message.v];
      uint64_t from = UINT64_C(1) << block->arcs[a].from, to = UINT64_C(1) << block->arcs[a].to;
      if (m->from.v != peer && m->to.v != peer && (set & from) != 0 && (set & to) == 0) {
        set |= to;
        changed = true;
      }
    }
  }
  return set;
}

/* The states after the message from any state of the set. */
static uint64_t step(const hd_chor *block, uint64_t set, uint32_t message) {
  uint64_t after = 0;
  for (uint32_t a = 0; a < block->arc_count; a++) {
    if (block->arcs[a].message.v == message && (set >> block->arcs[a].from & 1) != 0) {
      after |= UINT64_C(1) << block->arcs[a].to;
    }
  }
  return after;
}

static uint64_t step_peer(const reference *r, uint32_t peer, uint64_t set, uint32_t message) {
  return close_for(r, peer, step(&r->file->blocks[r->block_of_peer[peer]], set, message));
}

static bool may_stop(const reference *r, uint32_t peer, uint64_t set) {
  const hd_chor *block = &r->file->blocks[r->block_of_peer[peer]];
  bool has_final = false, ends = false;
  for (uint32_t s = 0; s < block->state_count; s++) {
    has_final = has_final || block->states[s].final;
  }
  for (uint32_t s = 0; s < block->state_count; s++) {
    bool has_arcs = false;
    for (uint32_t a = 0; a < block->arc_count; a++) {
      has_arcs = has_arcs || block->arcs[a].from == s;
    }
    ends = ends || ((set >> s & 1) != 0 && (has_final ? block->states[s].final : !has_arcs));
  }
  return ends;
}

/* All sends of the state; false when one leaves the choreography. Counts them in *moves. */
static bool send_all(reference *r, const config *c, size_t *moves) {
  for (uint32_t m = 0; m < r->file->alphabet.message_count; m++) {
    uint32_t from = r->file->alphabet.messages[m].from.v, to = r->file->alphabet.messages[m].to.v;
    uint32_t lane = r->p2p ? from : 0;
    uint64_t local = step_peer(r, from, c->local[from], m);
    if (local == 0 || c->length[to][lane] == r->bound) {
      continue;
    }
    (*moves)++;
    config after = *c;
    after.local[from] = local;
    after.queue[to][lane][after.length[to][lane]++] = (uint8_t)(m + 1);
    if (r->watch) {
      uint32_t b = r->block_of_peer[from];
      after.watcher[b] = step(&r->file->blocks[b], c->watcher[b], m);
      if (after.watcher[b] == 0) {
        return false;
      }
    }
    append(&r->next, &after);
  }
  return true;
}

/* All reads of the state. */
static void read_all(reference *r, const config *c, size_t *moves) {
  for (uint32_t p = 0; p < r->file->alphabet.peer_count; p++) {
    for (uint32_t lane = 0; lane < r->file->alphabet.peer_count; lane++) {
      if (c->length[p][lane] == 0) {
        continue;
      }
      uint64_t local = step_peer(r, p, c->local[p], c->queue[p][lane][0] - UINT32_C(1));
      if (local == 0) {
        continue;
      }
      (*moves)++;
      config after = *c;
      after.local[p] = local;
      uint8_t *queue = after.queue[p][lane];
      memmove(queue, queue + 1, BOUND - 1);
      queue[BOUND - 1] = 0;
      after.length[p][lane]--;
      append(&r->now, &after);
    }
  }
}

static bool is_proper_end(const reference *r, const config *c) {
  for (uint32_t p = 0; p < r->file->alphabet.peer_count; p++) {
    for (uint32_t lane = 0; lane < r->file->alphabet.peer_count; lane++) {
      if (c->length[p][lane] != 0) {
        return false;
      }
    }
    if (!may_stop(r, p, c->local[p])) {
      return false;
    }
  }
  return true;
}

static config start(reference *r) {
  config c;
  memset(&c, 0, sizeof c);
  for (uint32_t b = 0; b < r->file->block_count; b++) {
    const hd_chor *block = &r->file->blocks[b];
    for (uint32_t a = 0; a < block->arc_count; a++) {
      r->block_of_peer[r->file->alphabet.messages[block->arcs[a].message.v].from.v] = b;
      r->block_of_peer[r->file->alphabet.messages[block->arcs[a].message.v].to.v] = b;
    }
    c.watcher[b] = r->watch ? UINT64_C(1) << block->initial : 0;
  }
  for (uint32_t p = 0; p < r->file->alphabet.peer_count; p++) {
    c.local[p] = close_for(r, p, UINT64_C(1) << r->file->blocks[r->block_of_peer[p]].initial);
  }
  return c;
}

static void run(reference *r, size_t states_max) {
  config first = start(r);
  append(&r->now, &first);
  for (uint64_t level = 0; r->now.count > 0; level++) {
    bool allowed = true;
    for (size_t i = 0; i < r->now.count; i++) {
      config c = r->now.items[i];
      size_t moves = 0;
      if (!settle(r, &c)) {
        continue;
      }
      if (r->settled > states_max) {
        return;
      }
      read_all(r, &c, &moves);
      allowed = send_all(r, &c, &moves) && allowed;
      r->answer.transitions += moves;
      r->answer.stuck += moves == 0 && !is_proper_end(r, &c);
    }
    if (!allowed) {
      r->answer.realizable = false;
      r->answer.length = level + 1;
      break;
    }
    list done = r->now;
    r->now = r->next;
    r->next = done;
    r->next.count = 0;
  }
  r->answer.finished = true;
  r->answer.states = r->settled;
}

chor_reference chor_reference_explore(const hd_chor_file *file, uint32_t bound, bool p2p, bool watch,
                                      size_t states_max) {
  cr_assert(file->alphabet.peer_count <= PEERS && file->block_count <= BLOCKS && bound <= BOUND);
  cr_assert_lt(file->alphabet.message_count, 255u);
  for (uint32_t b = 0; b < file->block_count; b++) {
    cr_assert_leq(file->blocks[b].state_count, 64u);
  }
  reference r = {.file = file, .bound = bound, .p2p = p2p, .watch = watch, .answer = {.realizable = true}};
  run(&r, states_max);
  free(r.table);
  free(r.used);
  free(r.now.items);
  free(r.next.items);
  return r.answer;
}
