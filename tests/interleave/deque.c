/* The work-stealing deque under every interleaving: one owner, one or two thieves. Oracle: each chunk is taken exactly
 * once, by whoever; what its owner wrote into it came along with it. */
#include "core/explore/frontier.h"

#include "tests/interleave/interleave.h"

enum { CHUNKS_MAX = 80, ACTIONS_MAX = 6 };

/* What the owner does: pushes the next chunk, or pops. */
typedef enum action { END, PUSH, POP } action;

typedef struct scene {
  hdi_deque deque;
  hdi_chunk *chunks[CHUNKS_MAX];
  uint32_t pushed, before; /* before: pushed in the set-up */
  uint32_t taken[IL_THREADS_MAX][CHUNKS_MAX];
  action owner[ACTIONS_MAX];
  uint32_t steals; /* by each thief */
} scene;

static void push(scene *s) {
  hdi_chunk *chunk = s->chunks[s->pushed];
  chunk->count = s->pushed + 1;
  IL_REQUIRE(hdi_deque_push(&s->deque, chunk) == HD_OK);
  s->pushed++;
}

static void take(scene *s, uint32_t number, const hdi_chunk *chunk) {
  IL_REQUIRE(chunk->count >= 1 && chunk->count <= CHUNKS_MAX);
  s->taken[number][chunk->count - 1]++;
}

static scene *new_scene(uint32_t before, uint32_t steals) {
  scene *s = aligned_alloc(64, sizeof *s);
  IL_REQUIRE(s != NULL);
  memset(s, 0, sizeof *s);
  IL_REQUIRE(hdi_deque_init(&s->deque) == HD_OK);
  for (uint32_t i = 0; i < CHUNKS_MAX; i++) {
    s->chunks[i] = calloc(1, sizeof(hdi_chunk));
    IL_REQUIRE(s->chunks[i] != NULL);
  }
  while (s->pushed < before) {
    push(s);
  }
  s->before = before;
  s->steals = steals;
  return s;
}

static void thread(void *context, uint32_t number) {
  scene *s = context;
  for (uint32_t i = 0; number == 0 && i < ACTIONS_MAX && s->owner[i] != END; i++) {
    if (s->owner[i] == PUSH) {
      push(s);
      continue;
    }
    const hdi_chunk *chunk = hdi_deque_pop(&s->deque);
    if (chunk != NULL) {
      take(s, number, chunk);
    }
  }
  for (uint32_t i = 0; number > 0 && i < s->steals; i++) {
    bool retry;
    const hdi_chunk *chunk = hdi_deque_steal(&s->deque, &retry);
    if (chunk != NULL) {
      take(s, number, chunk);
    }
  }
}

static void check(void *context) {
  scene *s = context;
  for (const hdi_chunk *chunk; (chunk = hdi_deque_pop(&s->deque)) != NULL;) {
    take(s, 0, chunk);
  }
  for (uint32_t i = 0; i < CHUNKS_MAX; i++) {
    uint32_t times = 0;
    for (uint32_t t = 0; t < IL_THREADS_MAX; t++) {
      times += s->taken[t][i];
    }
    IL_REQUIRE(times == (i < s->pushed ? 1 : 0));
  }
  hdi_deque_clear(&s->deque);
}

/* ---- set-ups ---- */

static void *last_chunk(void) {
  scene *s = new_scene(1, 1);
  s->owner[0] = POP;
  return s;
}

static void *push_and_pop(void) {
  static const action owner[] = {PUSH, PUSH, POP, POP};
  scene *s = new_scene(0, 2);
  for (uint32_t i = 0; i < sizeof owner / sizeof owner[0]; i++) {
    s->owner[i] = owner[i];
  }
  return s;
}

static void *pop_and_push(void) {
  static const action owner[] = {PUSH, POP, PUSH};
  scene *s = new_scene(1, 1);
  for (uint32_t i = 0; i < sizeof owner / sizeof owner[0]; i++) {
    s->owner[i] = owner[i];
  }
  return s;
}

/* The ring is full; the owner makes a larger one while others steal. */
static void *ring_growth(void) {
  scene *s = new_scene(64, 1);
  s->owner[0] = PUSH;
  s->owner[1] = POP;
  return s;
}

/* Three times round a ring: a place is written again while a thief holds its old index. */
static void *second_round(void) {
  scene *s = new_scene(0, 1);
  for (uint32_t i = 0; i < 63; i++) {
    push(s);
    IL_REQUIRE(hdi_deque_pop(&s->deque) != NULL);
    s->pushed = 0; /* the same chunk each time, as if it had never been there */
  }
  bool retry;
  for (uint32_t i = 0; i < 63; i++) {
    push(s);
    IL_REQUIRE(hdi_deque_steal(&s->deque, &retry) != NULL);
    s->pushed = 0;
  }
  push(s);
  s->owner[0] = PUSH;
  s->owner[1] = PUSH;
  return s;
}

int main(int argc, char **argv) {
  static const il_test tests[] = {
      {.name = "deque, the last chunk", .threads = 3, .set_up = last_chunk, .thread = thread, .check = check},
      {.name = "deque, push and pop, one thief",
       .threads = 2,
       .set_up = push_and_pop,
       .thread = thread,
       .check = check},
      {.name = "deque, pop and push, two thieves",
       .threads = 3,
       .set_up = pop_and_push,
       .thread = thread,
       .check = check},
      {.name = "deque, ring growth, one thief", .threads = 2, .set_up = ring_growth, .thread = thread, .check = check},
      {.name = "deque, ring growth, two thieves",
       .threads = 3,
       .set_up = ring_growth,
       .thread = thread,
       .check = check},
      {.name = "deque, second round", .threads = 3, .set_up = second_round, .thread = thread, .check = check},
  };
  return il_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
