/* Test support: a plain interpreter of .cw programs that shares no code with heddle: its own reading of the text, its
 * own states, no model. It knows what random_cw prints: global int[lo..hi] and lock variables, threads, and the
 * statements skip, assignment with nondet, assume, assert, await, lock, unlock, atomic, if, while. Every statement must
 * have a text position of its own, which is all it knows of locations. */
#ifndef HEDDLE_TESTS_SUPPORT_CW_REFERENCE_H
#define HEDDLE_TESTS_SUPPORT_CW_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cw_counts {
  uint64_t states, transitions, deadlocks, error_states;
  bool out_of_range, division, endless;
  bool complete; /* false: more than the given number of states */
} cw_counts;

cw_counts cw_reference_explore(const char *text, uint64_t states_max);

/* The text of a random program, the same for the same seed on every machine; free() it. */
char *random_cw(uint64_t seed);

#endif
