/* The word by which workers ask each other to pause or to stop (core/explore/limits.c), under every interleaving.
 * Oracle: the first reason to stop stays and everybody sees it in the end; a pause never hides it; a resumed run goes
 * on only if nobody stopped it. */
#include "core/explore/search.h"
#include "tests/interleave/interleave.h"

static const hd_end reasons[] = {HD_END_TIMEOUT, HD_END_MEMORY, HD_END_SIGNAL};

typedef struct scene {
  hdi_run run;
  uint32_t after[IL_THREADS_MAX]; /* what the thread saw when it had done its part */
  bool stopped;
} scene;

static void *set_up(void) {
  scene *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
  IL_REQUIRE(s != NULL);
  memset(s, 0, sizeof *s);
  return s;
}

static void stopping(void *context, uint32_t number) {
  scene *s = context;
  hdi_run_stop(&s->run, reasons[number]);
  s->after[number] = hdi_run_interrupt(&s->run);
}

static void check_stopped(void *context) {
  scene *s = context;
  uint32_t end = hdi_run_interrupt(&s->run);
  IL_REQUIRE(end == s->after[0] && end == s->after[1]);
  IL_REQUIRE(end == HDI_STOP(reasons[0]) || end == HDI_STOP(reasons[1]));
}

/* Thread 0 finds the table full, thread 1 the time used up. */
static void pausing(void *context, uint32_t number) {
  scene *s = context;
  if (number == 0) {
    hdi_run_pause(&s->run);
  } else {
    hdi_run_stop(&s->run, reasons[number]);
  }
  s->after[number] = hdi_run_interrupt(&s->run);
}

static void check_paused(void *context) {
  scene *s = context;
  IL_REQUIRE(s->after[0] != HDI_GO && s->after[1] == HDI_STOP(reasons[1]));
  IL_REQUIRE(hdi_run_interrupt(&s->run) == HDI_STOP(reasons[1]));
}

/* As in search.c: all meet, thread 0 takes the pause back, meanwhile a display's callback may stop the run. */
static void resuming(void *context, uint32_t number) {
  scene *s = context;
  if (number < 2) {
    if (number == 0) {
      hdi_run_pause(&s->run);
    }
    hd_team_barrier(il_team());
    if (number == 0) {
      IL_REQUIRE(hdi_run_interrupt(&s->run) != HDI_GO);
      hdi_run_resume(&s->run);
    }
    hd_team_barrier(il_team());
    s->after[number] = hdi_run_interrupt(&s->run);
    IL_REQUIRE(s->after[number] != HDI_PAUSE);
    return;
  }
  hd_team_barrier(il_team());
  hdi_run_stop(&s->run, HD_END_SIGNAL);
  hd_team_barrier(il_team());
  s->after[number] = hdi_run_interrupt(&s->run);
}

static void check_resumed(void *context) {
  scene *s = context;
  for (uint32_t t = 0; t < 3; t++) {
    IL_REQUIRE(s->after[t] == HDI_STOP(HD_END_SIGNAL));
  }
}

int main(int argc, char **argv) {
  static const il_test tests[] = {
      {.name = "control, two reasons", .threads = 2, .set_up = set_up, .thread = stopping, .check = check_stopped},
      {.name = "control, pause and stop", .threads = 2, .set_up = set_up, .thread = pausing, .check = check_paused},
      {.name = "control, resume and stop", .threads = 3, .set_up = set_up, .thread = resuming, .check = check_resumed},
  };
  return il_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
