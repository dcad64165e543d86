/* Random choreographies (random_chor.h).
 *
 * A draft is a list of arcs over numbered states; `emit` prints it. hd_random_chor draws one of the families below;
 * each aims at another part of the checker:
 *
 *   wild      any peer to any peer, few names: mostly unrealizable, often nondeterministic, loops
 *   causal    every state has a holder, who sends from it to the holder of the next: mostly realizable
 *   crossing  a causal walk in which squares  s -x-> a -y-> t, s -y-> b -x-> t  stand for crossing messages
 *   ring      peer i sends to peer i+1 only, the turn mostly being where the last message went
 *   merged    a causal walk whose names repeat, so that a peer cannot tell some states apart
 *   blocks    two small drafts of disjoint peers
 *
 * hd_large_chor is one long causal walk with squares. A message's name tells its receiver the exact station, so it is
 * realizable by construction. The generator is splitmix64; the modulo bias does not matter here. */
#include "tests/support/random_chor.h"

#include "core/base/compiler.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCS_MAX = 64, SMALL_STATES_MAX = 32 };

typedef struct {
  uint32_t from, to, sender, receiver, name;
} arc;

typedef struct {
  arc arcs[ARCS_MAX];
  uint32_t arc_count, state_count, peer_count;
} draft;

typedef struct {
  char *data;
  size_t size, capacity;
  bool failed;
} text;

static uint64_t next_random(uint64_t *seed) {
  uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* 0 .. limit-1 */
static uint32_t below(uint64_t *seed, uint32_t limit) {
  return (uint32_t)(next_random(seed) % limit);
}

static bool chance(uint64_t *seed, uint32_t percent) {
  return below(seed, 100) < percent;
}

/* A peer other than `than`. */
static uint32_t other(uint64_t *seed, uint32_t peers, uint32_t than) {
  uint32_t drawn = below(seed, peers - 1);
  return drawn < than ? drawn : drawn + 1;
}

HD_PRINTF(2, 3) static void print(text *out, const char *format, ...) {
  if (out->failed) {
    return;
  }
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof line) {
    out->failed = true;
    return;
  }
  size_t needed = out->size + (size_t)length + 1;
  if (needed > out->capacity) {
    size_t capacity = needed * 2 + 256;
    char *data = realloc(out->data, capacity);
    if (data == NULL) {
      out->failed = true;
      return;
    }
    out->data = data;
    out->capacity = capacity;
  }
  memcpy(out->data + out->size, line, (size_t)length + 1);
  out->size += (size_t)length;
}

static char *take(text *out) {
  if (out->failed) {
    free(out->data);
    return NULL;
  }
  return out->data;
}

/* Adds an arc unless the very same one is there or the draft is full. */
static void add(draft *d, arc a) {
  for (uint32_t i = 0; i < d->arc_count; i++) {
    if (memcmp(&d->arcs[i], &a, sizeof a) == 0) {
      return;
    }
  }
  if (d->arc_count < ARCS_MAX) {
    d->arcs[d->arc_count++] = a;
  }
}

static void draw_wild(draft *d, uint64_t *seed) {
  d->state_count = 2 + below(seed, 4);
  uint32_t names = 1 + below(seed, 3);
  uint32_t wanted = 2 + below(seed, d->state_count * 2 - 1);
  for (uint32_t i = 0; i < wanted; i++) {
    uint32_t sender = below(seed, d->peer_count);
    arc a = {.from = i == 0 ? 0 : below(seed, d->state_count),
             .to = below(seed, d->state_count),
             .sender = sender,
             .receiver = other(seed, d->peer_count, sender),
             .name = below(seed, names)};
    add(d, a);
    if (chance(seed, 20)) { /* the same message to another state */
      a.to = below(seed, d->state_count);
      add(d, a);
    }
  }
}

/* `repeat`: message names are drawn from few, otherwise each names its target. */
static void draw_causal(draft *d, uint64_t *seed, bool repeat) {
  d->state_count = 2 + below(seed, 6);
  uint32_t holder[SMALL_STATES_MAX];
  for (uint32_t s = 0; s < d->state_count; s++) {
    holder[s] = s == 0 ? below(seed, d->peer_count) : other(seed, d->peer_count, holder[s - 1]);
  }
  uint32_t wanted = d->state_count + below(seed, 3);
  for (uint32_t i = 0; i < wanted; i++) {
    bool spine = i + 1 < d->state_count;
    uint32_t from = spine ? (chance(seed, 70) ? i : below(seed, i + 1)) : below(seed, d->state_count);
    uint32_t to = spine ? i + 1 : below(seed, d->state_count);
    uint32_t sender = holder[from];
    if (chance(seed, 8)) {
      sender = below(seed, d->peer_count);
    }
    uint32_t receiver = holder[to] == sender ? other(seed, d->peer_count, sender) : holder[to];
    add(d, (arc){from, to, sender, receiver, repeat ? below(seed, 2) : to});
  }
}

static void draw_crossing(draft *d, uint64_t *seed) {
  uint32_t here = 0;
  d->state_count = 1;
  uint32_t holder = below(seed, d->peer_count), before = other(seed, d->peer_count, holder);
  uint32_t segments = 1 + below(seed, 4);
  for (uint32_t i = 0; i < segments; i++) {
    uint32_t s = d->state_count;
    bool last_back = i + 1 == segments && chance(seed, 40);
    if (chance(seed, 50)) { /* a square between the last two peers; now and then one side or the corner is wrong */
      bool complete = chance(seed, 85);
      uint32_t joined = last_back ? 0 : s + 2;
      add(d, (arc){here, s, holder, before, 2 * i});
      add(d, (arc){here, s + 1, before, holder, 2 * i + 1});
      add(d, (arc){s, joined, before, holder, 2 * i + 1});
      if (complete) {
        add(d, (arc){s + 1, joined, holder, before, 2 * i});
      }
      here = joined;
      d->state_count = s + (last_back ? 2 : 3);
    } else {
      uint32_t receiver = other(seed, d->peer_count, holder);
      uint32_t target = last_back ? 0 : s;
      add(d, (arc){here, target, holder, receiver, 2 * i});
      before = holder;
      holder = receiver;
      here = target;
      d->state_count = s + (last_back ? 0 : 1);
    }
  }
}

static void draw_ring(draft *d, uint64_t *seed) {
  uint32_t n = d->peer_count;
  d->state_count = n + below(seed, 3);
  for (uint32_t s = 0; s < d->state_count; s++) {
    bool last = s + 1 == d->state_count;
    uint32_t to = !last ? s + 1 : chance(seed, 60) ? 0 : s;
    if (last && to == s && s >= n) {
      continue; /* ends here */
    }
    add(d, (arc){s, to, s % n, (s + 1) % n, below(seed, 2)});
  }
  uint32_t extra = below(seed, 3);
  for (uint32_t i = 0; i < extra; i++) {
    uint32_t from = below(seed, d->state_count);
    uint32_t sender = chance(seed, 70) ? from % n : below(seed, n);
    add(d, (arc){from, below(seed, d->state_count), sender, (sender + 1) % n, below(seed, 3)});
  }
}

static void emit(text *out, const draft *d, uint64_t *seed, uint64_t number, uint32_t first_peer, bool finals) {
  bool has_arcs[ARCS_MAX + SMALL_STATES_MAX] = {false};
  for (uint32_t i = 0; i < d->arc_count; i++) {
    has_arcs[d->arcs[i].from] = true;
  }
  print(out, "choreography r%llu_%u\n", (unsigned long long)number, first_peer);
  for (uint32_t s = 0; s < d->state_count; s++) {
    bool final = finals && (!has_arcs[s] || chance(seed, 30));
    if (!has_arcs[s] && !final && s != 0) {
      continue;
    }
    print(out, "%sstate s%u:\n", final ? "final " : "", s);
    for (uint32_t i = 0; i < d->arc_count; i++) {
      const arc *a = &d->arcs[i];
      if (a->from == s) {
        print(out, "  P%u -> P%u : m%u => s%u\n", first_peer + a->sender, first_peer + a->receiver, a->name, a->to);
      }
    }
  }
}

static void draw(draft *d, uint64_t *seed, uint32_t peers) {
  *d = (draft){.peer_count = peers};
  uint32_t family = below(seed, 10);
  if (family < 3) {
    draw_wild(d, seed);
  } else if (family < 5) {
    draw_causal(d, seed, false);
  } else if (family < 7) {
    draw_crossing(d, seed);
  } else if (family < 9) {
    draw_ring(d, seed);
  } else {
    draw_causal(d, seed, true);
  }
}

char *hd_random_chor(uint64_t seed, uint32_t peers_min, uint32_t peers_max) {
  uint64_t state = seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
  uint32_t peers = peers_min + below(&state, peers_max - peers_min + 1);
  text out = {0};
  draft d;
  bool finals = chance(&state, 12);
  if (peers >= 4 && chance(&state, 12)) {
    uint32_t first = 2 + below(&state, peers - 3);
    draw(&d, &state, first);
    emit(&out, &d, &state, seed, 0, finals);
    draw(&d, &state, peers - first);
    emit(&out, &d, &state, seed, first, finals);
  } else {
    draw(&d, &state, peers);
    emit(&out, &d, &state, seed, 0, finals);
  }
  return take(&out);
}

/* A station of the large walk: its entry state, and the state its holder sends on from (another one after a square). */
typedef struct {
  uint32_t entry, exit, holder, before;
  bool square; /* entered only from `before`'s station */
} station;

/* One way out of a station. */
typedef struct {
  uint32_t from, to; /* stations */
} way;

typedef struct {
  station *stations;
  way *ways;
  uint32_t station_count, way_count, state_count, arc_count;
} walk;

static bool has_way(const walk *w, uint32_t from, uint32_t to) {
  for (uint32_t i = 0; i < w->way_count; i++) {
    if (w->ways[i].from == from && w->ways[i].to == to) {
      return true;
    }
  }
  return false;
}

/* A new station reached from a recent one; a square when the arcs left allow it. */
static void extend(walk *w, uint64_t *seed, uint32_t peers, uint32_t arcs_left) {
  uint32_t i = w->station_count;
  uint32_t back = i < 24 ? i : 24;
  uint32_t from = i < peers || chance(seed, 60) ? i - 1 : i - 1 - below(seed, back);
  uint32_t before = w->stations[from].holder;
  uint32_t holder = i < peers ? i : (before + 1 + below(seed, peers < 7 ? peers - 1 : 6)) % peers;
  bool square = arcs_left >= 5 && chance(seed, 8);
  w->stations[i] = (station){.entry = w->state_count,
                             .exit = w->state_count + (square ? 3 : 0),
                             .holder = holder,
                             .before = before,
                             .square = square};
  w->ways[w->way_count++] = (way){from, i};
  w->station_count++;
  w->state_count += square ? 4 : 1;
  w->arc_count += square ? 5 : 1;
}

static void emit_station(text *out, const walk *w, uint32_t i) {
  const station *s = &w->stations[i];
  if (s->square) {
    uint32_t u = s->holder, v = s->before, e = s->entry;
    print(out, "state q%u:\n  p%u -> p%u : offer%u => q%u\n  p%u -> p%u : notice%u => q%u\n", e, u, v, i, e + 1, v, u,
          i, e + 2);
    print(out, "state q%u:\n  p%u -> p%u : notice%u => q%u\n", e + 1, v, u, i, e + 3);
    print(out, "state q%u:\n  p%u -> p%u : offer%u => q%u\n", e + 2, u, v, i, e + 3);
  }
  print(out, "state q%u:\n", s->exit);
  for (uint32_t j = 0; j < w->way_count; j++) {
    if (w->ways[j].from == i) {
      const station *t = &w->stations[w->ways[j].to];
      print(out, "  p%u -> p%u : turn%u => q%u\n", s->holder, t->holder, w->ways[j].to, t->entry);
    }
  }
}

char *hd_large_chor(uint64_t seed, uint32_t peers, uint32_t transitions) {
  uint64_t state = seed * UINT64_C(0x9fb21c651e98df25) + 1;
  walk w = {0};
  w.stations = calloc((size_t)transitions + 2, sizeof *w.stations);
  w.ways = calloc((size_t)transitions + 2, sizeof *w.ways);
  text out = {.failed = w.stations == NULL || w.ways == NULL};
  if (!out.failed) {
    w.stations[0] = (station){.entry = 0, .exit = 0, .holder = 0, .before = 1};
    w.station_count = w.state_count = 1;
    while (w.arc_count < transitions) {
      uint32_t from = below(&state, w.station_count), to = below(&state, w.station_count);
      uint32_t near = w.station_count < 60 ? w.station_count : 60;
      if (w.station_count >= peers && chance(&state, 45)) {
        to = chance(&state, 85) ? (from + 1 + below(&state, near)) % w.station_count : to;
        if (!w.stations[to].square && w.stations[to].holder != w.stations[from].holder && !has_way(&w, from, to)) {
          w.ways[w.way_count++] = (way){from, to};
          w.arc_count++;
        }
      } else {
        extend(&w, &state, peers, transitions - w.arc_count);
      }
    }
    print(&out, "choreography large_%u_%u\n", peers, transitions);
    for (uint32_t i = 0; i < w.station_count; i++) {
      emit_station(&out, &w, i);
    }
  }
  free(w.stations);
  free(w.ways);
  return take(&out);
}
