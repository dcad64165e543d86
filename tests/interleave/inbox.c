/* The inboxes through which workers hand sorted successors to their owners (core/explore/scatter.c), under every
 * interleaving: several put while the owner takes, and parcels come back to where they have been. Oracle: each parcel
 * is taken exactly once for each time that it was put, with what its sender wrote into it. */
#include "core/explore/scatter.h"
#include "tests/interleave/interleave.h"

enum { PARCELS_MAX = 4, OWNERS = 2 };

typedef struct scene {
  hdi_inbox inboxes[OWNERS];
  hdi_parcel *parcels[PARCELS_MAX];
  uint32_t put[PARCELS_MAX], taken[PARCELS_MAX][IL_THREADS_MAX + 1]; /* the last column: by the check */
  uint32_t puts, takes, threads; /* how many parcels each sender puts, how often the owner looks */
} scene;

/* A parcel is its sender's until it is put. */
static void send(scene *s, uint32_t inbox, uint32_t number) {
  hdi_parcel *parcel = s->parcels[number];
  parcel->count = 1;
  parcel->states[0] = number;
  hdi_inbox_put(&s->inboxes[inbox], parcel);
}

/* Empties the inbox; what was in it, goes to inbox `to` if there is such a one. */
static void empty(scene *s, uint32_t thread, uint32_t inbox, uint32_t to) {
  for (hdi_parcel *parcel = hdi_inbox_take(&s->inboxes[inbox]), *next; parcel != NULL; parcel = next) {
    next = parcel->next;
    IL_REQUIRE(parcel->count == 1 && parcel->states[0] < PARCELS_MAX);
    uint32_t number = (uint32_t)parcel->states[0];
    IL_REQUIRE(parcel == s->parcels[number]);
    s->taken[number][thread]++;
    if (to < OWNERS) {
      send(s, to, number);
    }
  }
}

static scene *new_scene(uint32_t threads, uint32_t puts, uint32_t takes) {
  scene *s = calloc(1, sizeof *s);
  IL_REQUIRE(s != NULL);
  s->threads = threads;
  s->puts = puts;
  s->takes = takes;
  for (uint32_t i = 0; i < PARCELS_MAX; i++) {
    s->parcels[i] = calloc(1, sizeof(hdi_parcel));
    IL_REQUIRE(s->parcels[i] != NULL);
  }
  return s;
}

/* Thread 0 owns inbox 0, the others send. */
static void sending(void *context, uint32_t number) {
  scene *s = context;
  for (uint32_t i = 0; number == 0 && i < s->takes; i++) {
    empty(s, 0, 0, OWNERS);
  }
  for (uint32_t i = 0; number > 0 && i < s->puts; i++) {
    send(s, 0, (number - 1) * s->puts + i);
  }
}

static void check_sent(void *context) {
  scene *s = context;
  empty(s, IL_THREADS_MAX, 0, OWNERS);
  for (uint32_t i = 0; i < PARCELS_MAX; i++) {
    uint32_t times = s->taken[i][0] + s->taken[i][IL_THREADS_MAX];
    IL_REQUIRE(times == (i < (s->threads - 1) * s->puts ? 1 : 0));
  }
  IL_REQUIRE(hdi_inbox_take(&s->inboxes[0]) == NULL);
}

/* Parcel 0 lies in inbox 0. Its owner passes it on to inbox 1, whose owner puts it back, while thread 2 puts parcel 1
 * into inbox 0, having seen parcel 0 there before or after. */
static void returning(void *context, uint32_t number) {
  scene *s = context;
  if (number == 2) {
    send(s, 0, 1);
  } else {
    empty(s, number, number, 1 - number);
  }
}

static void check_returned(void *context) {
  scene *s = context;
  empty(s, IL_THREADS_MAX, 0, OWNERS);
  empty(s, IL_THREADS_MAX, 1, OWNERS);
  for (uint32_t i = 0; i < 2; i++) {
    /* Taken at the end once, and before as often as it was passed on. */
    IL_REQUIRE(s->taken[i][IL_THREADS_MAX] == 1);
    IL_REQUIRE(s->taken[i][0] <= 1 && s->taken[i][1] <= s->taken[i][0]);
  }
}

/* ---- set-ups ---- */

static void *one_sender(void) {
  return new_scene(2, 2, 2);
}

static void *two_senders(void) {
  return new_scene(3, 1, 2);
}

static void *two_senders_twice(void) {
  return new_scene(3, 2, 1);
}

static void *three_senders(void) {
  return new_scene(4, 1, 1);
}

static void *round_trip(void) {
  scene *s = new_scene(3, 0, 0);
  send(s, 0, 0);
  return s;
}

#define TEST(words_of_it, number_of_threads, begin, body, check_it) \
  { .name = words_of_it, .threads = number_of_threads, .set_up = begin, .thread = body, .check = check_it }

int main(int argc, char **argv) {
  static const il_test tests[] = {TEST("inbox, one sender", 2, one_sender, sending, check_sent),
                                  TEST("inbox, two senders", 3, two_senders, sending, check_sent),
                                  TEST("inbox, two senders twice", 3, two_senders_twice, sending, check_sent),
                                  TEST("inbox, three senders", 4, three_senders, sending, check_sent),
                                  TEST("inbox, round trip", 3, round_trip, returning, check_returned)};
  return il_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
