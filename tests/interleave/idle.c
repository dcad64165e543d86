/* Termination and waiting of the search without levels (core/explore/idle.c) with real deques, under every
 * interleaving. A chunk stands for states whose expansion makes further chunks. Oracle: every chunk is taken exactly
 * once, nobody ends while there is one, all end, and none sleeps while another could use it or after an interrupt. */
#include "core/explore/idle.h"
#include "core/base/team.h"
#include "core/explore/frontier.h"
#include "tests/interleave/interleave.h"

enum { CHUNKS_MAX = 8, WORKERS_MAX = 3 };

typedef struct scene {
  hdi_idle idle;
  hdi_deque deques[WORKERS_MAX];
  uint32_t workers;
  hdi_chunk *chunks[CHUNKS_MAX];
  uint32_t children[CHUNKS_MAX]; /* how many chunks the chunk makes, numbered from ... */
  uint32_t first_child[CHUNKS_MAX];
  uint32_t chunk_count;
  bool helped;    /* whoever shares a chunk waits until another has taken it: the others must not sleep meanwhile */
  hd_gate taking; /* guards `taken` then */
  bool stops;     /* worker 0 interrupts all in the place of expanding the first chunk, and goes on after a barrier */
  uint32_t taken[WORKERS_MAX][CHUNKS_MAX];
  bool over[WORKERS_MAX], ended[WORKERS_MAX];
} scene;

typedef struct place {
  scene *scene;
  uint32_t number;
  hdi_chunk *held; /* what it is about to expand */
} place;

static scene *new_scene(uint32_t workers) {
  scene *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
  IL_REQUIRE(s != NULL);
  memset(s, 0, sizeof *s);
  s->workers = workers;
  s->chunk_count = 1;
  IL_REQUIRE(hdi_idle_init(&s->idle, workers) == HD_OK);
  for (uint32_t i = 0; i < workers; i++) {
    IL_REQUIRE(hdi_deque_init(&s->deques[i]) == HD_OK);
  }
  for (uint32_t i = 0; i < CHUNKS_MAX; i++) {
    s->chunks[i] = calloc(1, sizeof(hdi_chunk));
    IL_REQUIRE(s->chunks[i] != NULL);
    s->chunks[i]->count = i;
  }
  return s;
}

/* `parent` makes `count` chunks. */
static void make(scene *s, uint32_t parent, uint32_t count) {
  s->first_child[parent] = s->chunk_count;
  s->children[parent] = count;
  s->chunk_count += count;
  IL_REQUIRE(s->chunk_count <= CHUNKS_MAX);
}

static bool look(const void *payload) {
  const place *p = payload;
  for (uint32_t i = 1; i < p->scene->workers; i++) {
    if (hdi_deque_has_chunks(&p->scene->deques[(p->number + i) % p->scene->workers])) {
      return true;
    }
  }
  return false;
}

static hdi_chunk *steal(place *p) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 1; i < p->scene->workers; i++) {
      bool lost;
      hdi_chunk *chunk = hdi_deque_steal(&p->scene->deques[(p->number + i) % p->scene->workers], &lost);
      if (chunk != NULL) {
        return chunk;
      }
      again = again || lost;
    }
  }
  return NULL;
}

static void note_taken(place *p, uint32_t chunk) {
  scene *s = p->scene;
  if (s->helped) {
    hd_gate_lock(&s->taking);
  }
  s->taken[p->number][chunk]++;
  if (s->helped) {
    hd_gate_wake_all(&s->taking);
    hd_gate_unlock(&s->taking);
  }
}

static void wait_until_taken(place *p, uint32_t chunk) {
  scene *s = p->scene;
  hd_gate_lock(&s->taking);
  for (bool taken = false; !taken;) {
    for (uint32_t t = 0; t < s->workers; t++) {
      taken = taken || s->taken[t][chunk] > 0;
    }
    if (!taken) {
      hd_gate_wait(&s->taking);
    }
  }
  hd_gate_unlock(&s->taking);
}

static void expand(place *p) {
  scene *s = p->scene;
  uint32_t number = p->held->count;
  IL_REQUIRE(p->held->next == NULL);
  p->held = NULL;
  note_taken(p, number);
  for (uint32_t t = 0; t < s->workers; t++) {
    IL_REQUIRE(!s->ended[t]);
  }
  for (uint32_t i = 0; i < s->children[number]; i++) {
    hdi_chunk *child = s->chunks[s->first_child[number] + i];
    child->next = NULL; /* written by its maker: whoever takes it must see that */
    IL_REQUIRE(hdi_deque_push(&s->deques[p->number], child) == HD_OK);
    hdi_idle_share(&s->idle);
    if (s->helped) {
      wait_until_taken(p, s->first_child[number] + i);
    }
  }
}

/* The loop of any_order.c, with chunks that are expanded at once. */
static void work(place *p) {
  scene *s = p->scene;
  for (;;) {
    if (p->held != NULL && p->held->count == 0 && s->stops) {
      hdi_idle_interrupt(&s->idle);
      return;
    }
    if (p->held != NULL) {
      expand(p);
    }
    p->held = hdi_deque_pop(&s->deques[p->number]);
    if (p->held == NULL) {
      p->held = steal(p);
    }
    if (p->held == NULL && !hdi_idle_wait(&s->idle, look, p)) {
      return;
    }
  }
}

static void thread(void *context, uint32_t number) {
  scene *s = context;
  place p = {s, number, number == 0 ? s->chunks[0] : NULL};
  work(&p);
  if (s->stops) { /* as for a growth; then all go on, to the end */
    hd_team_barrier(il_team());
    IL_REQUIRE(!hdi_idle_is_over(&s->idle));
    hd_team_barrier(il_team());
    if (number == 0) {
      s->stops = false;
      hdi_idle_reset(&s->idle);
    }
    hd_team_barrier(il_team());
    work(&p);
  }
  s->over[number] = hdi_idle_is_over(&s->idle);
  s->ended[number] = true;
}

static void check(void *context) {
  scene *s = context;
  for (uint32_t i = 0; i < s->chunk_count; i++) {
    uint32_t times = 0;
    for (uint32_t t = 0; t < s->workers; t++) {
      times += s->taken[t][i];
    }
    IL_REQUIRE(times == 1);
  }
  for (uint32_t t = 0; t < s->workers; t++) {
    IL_REQUIRE(s->over[t] && s->ended[t]);
  }
}

/* ---- set-ups ---- */

static void *one_chunk(void) {
  return new_scene(2);
}

static void *one_shared(void) {
  scene *s = new_scene(2);
  make(s, 0, 1);
  return s;
}

static void *one_helped(void) {
  scene *s = one_shared();
  s->helped = true;
  return s;
}

/* What is taken shares again. */
static void *two_helped(void) {
  scene *s = one_helped();
  make(s, 1, 1);
  return s;
}

static void *three_workers(void) {
  scene *s = new_scene(3);
  make(s, 0, 2);
  s->helped = true;
  return s;
}

static void *interrupted(void) {
  scene *s = one_shared();
  s->stops = true;
  return s;
}

int main(int argc, char **argv) {
  static const il_test tests[] = {
      {.name = "idle, one chunk", .threads = 2, .set_up = one_chunk, .thread = thread, .check = check},
      {.name = "idle, one helped", .threads = 2, .set_up = one_helped, .thread = thread, .check = check},
      {.name = "idle, one shared", .threads = 2, .set_up = one_shared, .thread = thread, .check = check},
      {.name = "idle, interrupted", .threads = 2, .set_up = interrupted, .thread = thread, .check = check},
      {.name = "idle, two helped", .threads = 2, .set_up = two_helped, .thread = thread, .check = check},
      {.name = "idle, three workers",
       .threads = 3,
       .set_up = three_workers,
       .thread = thread,
       .check = check,
       .preemptions_and_one = 2,
       .sequential = true},
  };
  return il_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
