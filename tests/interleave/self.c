/* The explorer on programs whose outcomes are known: it must see each outcome that the C17 model allows (but for those
 * that memory.c says it leaves out) and none that it forbids, run nothing twice where nothing conflicts, and report
 * what is wrong: races, lost wake-ups, memory used too early or too late. */
#include "core/base/gate.h"
#include "core/base/team.h"
#include "tests/interleave/interleave.h"

#include <stdio.h>

typedef struct scene {
  hd_atomic_u64 x, y;
  hd_atomic_ptr pointer;
  hd_gate gate;
  uint32_t plain;
  uint64_t saw[IL_THREADS_MAX][2];
} scene;

static uint64_t outcomes; /* bit set of what has been seen over all runs */
static uint64_t runs;

static void *set_up(void) {
  scene *s = calloc(1, sizeof *s);
  IL_REQUIRE(s != NULL);
  return s;
}

static void note(uint64_t outcome) {
  outcomes |= (uint64_t)1 << outcome;
  runs++;
}

/* ---- litmus tests ---- */

static void buffering_relaxed(void *context, uint32_t number) {
  scene *s = context;
  hd_store_rlx(number == 0 ? &s->x : &s->y, 1);
  s->saw[number][0] = hd_load_rlx(number == 0 ? &s->y : &s->x);
}

static void buffering_sequential(void *context, uint32_t number) {
  scene *s = context;
  hd_store_seq(number == 0 ? &s->x : &s->y, 1);
  s->saw[number][0] = hd_load_seq(number == 0 ? &s->y : &s->x);
}

static void note_two(void *context) {
  const scene *s = context;
  note(s->saw[0][0] * 2 + s->saw[1][0]);
}

static void passing_relaxed(void *context, uint32_t number) {
  scene *s = context;
  if (number == 0) {
    hd_store_rlx(&s->x, 1);
    hd_store_rlx(&s->y, 1);
  } else {
    s->saw[1][0] = hd_load_acq(&s->y);
    s->saw[1][1] = hd_load_rlx(&s->x);
  }
}

static void passing_released(void *context, uint32_t number) {
  scene *s = context;
  if (number == 0) {
    hd_store_rlx(&s->x, 1);
    hd_store_rel(&s->y, 1);
  } else {
    s->saw[1][0] = hd_load_acq(&s->y);
    s->saw[1][1] = hd_load_rlx(&s->x);
  }
}

/* A read-modify-write of a third thread continues the release sequence. */
static void passing_on(void *context, uint32_t number) {
  scene *s = context;
  if (number == 2) {
    hd_add_rlx(&s->y, 2);
  } else {
    passing_released(context, number);
  }
  if (number == 1) {
    s->saw[1][0] = s->saw[1][0] == 3; /* has seen both */
  }
}

static void note_pair(void *context) {
  const scene *s = context;
  note(s->saw[1][0] * 2 + s->saw[1][1]);
}

/* One object: values never go back. */
static void coherence(void *context, uint32_t number) {
  scene *s = context;
  if (number == 0) {
    hd_store_rlx(&s->x, 1);
  } else {
    s->saw[1][0] = hd_load_rlx(&s->x);
    s->saw[1][1] = hd_load_rlx(&s->x);
  }
}

/* Two readers may see two independent stores in different orders, unless all is sequentially consistent. */
static void independent(scene *s, uint32_t number, bool sequential) {
  if (number < 2) {
    hd_atomic_u64 *to = number == 0 ? &s->x : &s->y;
    if (sequential) {
      hd_store_seq(to, 1);
    } else {
      hd_store_rel(to, 1);
    }
    return;
  }
  const hd_atomic_u64 *first = number == 2 ? &s->x : &s->y, *second = number == 2 ? &s->y : &s->x;
  s->saw[number][0] = sequential ? hd_load_seq(first) : hd_load_acq(first);
  s->saw[number][1] = sequential ? hd_load_seq(second) : hd_load_acq(second);
}

static void independent_acquired(void *context, uint32_t number) {
  independent(context, number, false);
}

static void independent_sequential(void *context, uint32_t number) {
  independent(context, number, true);
}

/* Bit 1: the readers disagree. */
static void note_order(void *context) {
  const scene *s = context;
  note(s->saw[2][0] == 1 && s->saw[2][1] == 0 && s->saw[3][0] == 1 && s->saw[3][1] == 0);
}

/* Counting with read-modify-writes never loses one. */
static void counting(void *context, uint32_t number) {
  scene *s = context;
  (void)number;
  hd_add_rlx(&s->x, 1);
  uint64_t seen = hd_load_rlx(&s->x);
  while (!hd_cas_rlx(&s->x, &seen, seen + 1)) {}
}

static void note_count(void *context) {
  const scene *s = context;
  note(hd_load_rlx(&s->x));
}

/* Nothing conflicts: one run is enough. */
static void apart(void *context, uint32_t number) {
  scene *s = context;
  hd_store_rlx(number == 0 ? &s->x : &s->y, 1);
  hd_add_rlx(number == 0 ? &s->x : &s->y, 1);
}

static void through_barrier(void *context, uint32_t number) {
  scene *s = context;
  for (uint32_t round = 0; round < 3; round++) {
    if (round % 3 == number) {
      s->plain += 1; /* no race: the barriers order it */
      hd_store_rlx(&s->x, round);
    }
    hd_team_barrier(il_team());
    IL_REQUIRE(hd_load_rlx(&s->x) == round);
    hd_team_barrier(il_team());
  }
  IL_REQUIRE(s->plain == 3);
}

static void note_barrier(void *context) {
  (void)context;
  note(0);
}

/* One waits until the other has come; bit: who came first. */
static void through_gate(void *context, uint32_t number) {
  scene *s = context;
  hd_gate_lock(&s->gate);
  if (number == 0) {
    s->saw[0][0] = s->plain;
    while (s->plain == 0) {
      hd_gate_wait(&s->gate);
    }
  } else {
    s->plain++;
    hd_gate_wake_all(&s->gate);
  }
  hd_gate_unlock(&s->gate);
}

static void note_gate(void *context) {
  const scene *s = context;
  IL_REQUIRE(s->plain == 2);
  note(s->saw[0][0]);
}

/* ---- what must be found ---- */

static void racing(void *context, uint32_t number) {
  scene *s = context;
  s->plain = number;
}

static void racing_by_relaxed_flag(void *context, uint32_t number) {
  scene *s = context;
  if (number == 0) {
    s->plain = 1;
    hd_store_rlx(&s->x, 1);
  } else if (hd_load_acq(&s->x) == 1) {
    IL_REQUIRE(s->plain == 1);
  }
}

/* Neither sees the other: only old values show it. */
static void both_first(void *context, uint32_t number) {
  scene *s = context;
  buffering_relaxed(context, number);
  hd_add_acqrel(&s->pointer == NULL ? &s->x : &s->y, 0);
}

static void never_both_zero(void *context) {
  const scene *s = context;
  IL_REQUIRE(s->saw[0][0] + s->saw[1][0] > 0);
}

static void waking_too_early(void *context, uint32_t number) {
  scene *s = context;
  hd_gate_lock(&s->gate);
  if (number == 0) {
    hd_gate_wait(&s->gate); /* without looking whether it has happened */
  } else {
    hd_gate_wake_all(&s->gate);
  }
  hd_gate_unlock(&s->gate);
}

static void made_too_late(void *context, uint32_t number) {
  scene *s = context;
  if (number == 0) {
    uint32_t *made = malloc(sizeof *made);
    IL_REQUIRE(made != NULL);
    *made = 1;
    hd_store_rlx(&s->pointer, (void *)made);
  } else {
    const uint32_t *made = hd_load_acq(&s->pointer);
    IL_REQUIRE(made == NULL || *made == 1);
  }
}

static void freed_too_early(void *context, uint32_t number) {
  scene *s = context;
  if (number == 0) {
    void *old = hd_xchg_acqrel(&s->pointer, (void *)NULL);
    free(old);
  } else {
    const uint32_t *old = hd_load_acq(&s->pointer);
    IL_REQUIRE(old == NULL || *old == 0);
  }
}

static void *set_up_pointer(void) {
  scene *s = set_up();
  hd_store_rlx(&s->pointer, calloc(1, sizeof(uint32_t)));
  return s;
}

static void check_nothing(void *context) {
  (void)context;
}

/* ---- tests ---- */

static bool fails(const char *words) {
  printf("self: WRONG: %s\n", words);
  return false;
}

/* Explores the test, which must see exactly the outcomes in the bit set, in exactly `most` runs unless that is 0. */
static bool sees(il_test test, uint64_t expected, uint64_t most) {
  outcomes = runs = 0;
  char *arguments[] = {NULL};
  test.set_up = test.set_up == NULL ? set_up : test.set_up;
  if (il_main(0, arguments, &test, 1) != 0) {
    return false;
  }
  if (outcomes != expected) {
    printf("outcomes %#llx instead of %#llx\n", (unsigned long long)outcomes, (unsigned long long)expected);
    return fails(test.name);
  }
  return most == 0 || runs == most || fails("another number of interleavings than there are");
}

static bool finds(il_test test) {
  char seeded[] = "--seeded";
  char *arguments[] = {NULL, seeded};
  test.set_up = test.set_up == NULL ? set_up : test.set_up;
  test.check = test.check == NULL ? check_nothing : test.check;
  return il_main(2, arguments, &test, 1) == 0 || fails(test.name);
}

int main(void) {
  bool right = true;
  right &= sees((il_test){.name = "SB, relaxed", .threads = 2, .thread = buffering_relaxed, .check = note_two}, 0xF, 0);
  right &= sees(
      (il_test){
          .name = "SB, one memory", .threads = 2, .thread = buffering_relaxed, .check = note_two, .sequential = true},
      0xE, 0);
  right &=
      sees((il_test){.name = "SB, seq_cst", .threads = 2, .thread = buffering_sequential, .check = note_two}, 0xE, 0);
  right &= sees((il_test){.name = "MP, relaxed", .threads = 2, .thread = passing_relaxed, .check = note_pair}, 0xF, 0);
  right &=
      sees((il_test){.name = "MP, released", .threads = 2, .thread = passing_released, .check = note_pair}, 0xB, 0);
  right &= sees((il_test){.name = "MP, passed on", .threads = 3, .thread = passing_on, .check = note_pair}, 0xB, 0);
  right &= sees((il_test){.name = "CoRR", .threads = 2, .thread = coherence, .check = note_pair}, 0xB, 0);
  right &= sees(
      (il_test){.name = "CoRR, one memory", .threads = 2, .thread = coherence, .check = note_pair, .sequential = true},
      0xB, 3);
  right &= sees((il_test){.name = "IRIW, acquired", .threads = 4, .thread = independent_acquired, .check = note_order},
                0x3, 0);
  right &= sees((il_test){.name = "IRIW, seq_cst", .threads = 4, .thread = independent_sequential, .check = note_order},
                0x1, 0);
  right &= sees((il_test){.name = "counting", .threads = 2, .thread = counting, .check = note_count}, 0x10, 0);
  right &= sees((il_test){.name = "apart", .threads = 2, .thread = apart, .check = note_count}, 0x4, 1);
  right &= sees((il_test){.name = "barrier", .threads = 3, .thread = through_barrier, .check = note_barrier}, 0x1, 1);
  right &= sees((il_test){.name = "gate", .threads = 3, .thread = through_gate, .check = note_gate}, 0x7, 0);
  right &= sees((il_test){.name = "no preemption",
                          .threads = 2,
                          .thread = buffering_relaxed,
                          .check = note_two,
                          .preemptions_and_one = 1,
                          .sequential = true},
                0x6, 2);
  right &= sees((il_test){.name = "one preemption",
                          .threads = 2,
                          .thread = buffering_relaxed,
                          .check = note_two,
                          .preemptions_and_one = 2,
                          .sequential = true},
                0xE, 0);
  right &= finds((il_test){.name = "race", .threads = 2, .thread = racing});
  right &= finds((il_test){.name = "race by a relaxed flag", .threads = 2, .thread = racing_by_relaxed_flag});
  right &= finds((il_test){.name = "both first", .threads = 2, .thread = both_first, .check = never_both_zero});
  right &= finds((il_test){.name = "waking too early", .threads = 2, .thread = waking_too_early});
  right &= finds((il_test){.name = "made too late", .threads = 2, .thread = made_too_late});
  right &=
      finds((il_test){.name = "freed too early", .threads = 2, .thread = freed_too_early, .set_up = set_up_pointer});
  printf("%s\n", right ? "the explorer sees what it should" : "THE EXPLORER IS WRONG");
  return right ? 0 : 1;
}
