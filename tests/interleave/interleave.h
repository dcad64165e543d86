/* The harnesses' side of tests/interleave: what a test is, and how it says that something is wrong.
 *
 * A test is a set-up, two to four threads and a check. The explorer runs it again and again, each time from the set-up,
 * until every interleaving of the threads' atomic operations, and every value that their loads may return, has been
 * seen up to the order of operations that do not depend on each other. docs/testing.md says what is covered. */
#ifndef HEDDLE_TESTS_INTERLEAVE_INTERLEAVE_H
#define HEDDLE_TESTS_INTERLEAVE_INTERLEAVE_H

#include "core/base/atomic.h"
#include "core/base/compiler.h"

#define IL_THREADS_MAX 4u

typedef struct il_test {
  const char *name;
  uint32_t threads;
  /* Runs alone; what it returns, from the run's own memory (malloc), is given to the others. */
  void *(*set_up)(void);
  void (*thread)(void *context, uint32_t number);
  /* Runs alone when all threads have ended. */
  void (*check)(void *context);
  /* 0: all interleavings. Otherwise only those in which threads are interrupted, not having to wait, at most this many
   * times less one. */
  uint32_t preemptions_and_one;
  bool sequential; /* loads return the newest value only */
} il_test;

/* Runs the tests. Without arguments: 0 when nothing is wrong in any of them. With `--seeded`: 0 when something is wrong
 * in at least one, which is what a program with a seeded bug is for. `--only NAME` runs one test. */
int il_main(int argc, char **argv, const il_test *tests, size_t count);

/* Ends the run: this interleaving is wrong. */
HD_NORETURN void il_wrong(const char *file, int line, const char *words);
#define IL_REQUIRE(condition) ((condition) ? (void)0 : il_wrong(__FILE__, __LINE__, #condition))

/* The team that the kernels get: `threads` of the test, in its set-up and check a team of one. */
struct hd_team;
struct hd_team *il_team(void);

#endif
