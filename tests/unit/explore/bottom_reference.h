/* Who is left behind, the plain way: components of the explicit graph, and reachability backwards; and random systems
 * to compare on. */
#ifndef HEDDLE_TESTS_UNIT_EXPLORE_BOTTOM_REFERENCE_H
#define HEDDLE_TESTS_UNIT_EXPLORE_BOTTOM_REFERENCE_H

#include "core/explore/bottom.h"

/* Fails the test unless a complete outcome of `query` on `model` (at most 64 instances) says what is so: counts and
 * least levels of instances and kinds, and for each kind a trace that is shortest, ends in a bottom component and goes
 * round it. */
void check_against_reference(const hd_model *model, const hd_bottom_query *query, const hd_bottom_outcome *outcome);
/* Fails the test unless both say the same, traces byte for byte. */
void check_same_bottom(const hd_bottom_outcome *a, const hd_bottom_outcome *b);
/* Runs with 1, 2, 3 and 8 threads and compares; *outcome is the result for one thread. */
void run_bottom(const hd_model *model, const hd_bottom_query *query, hd_bottom_outcome *outcome);

/* A few processes of a few locations that wait for one another: guards on a shared variable, rendezvous, atomic and end
 * and daemon locations, steps of weight 0, faults. */
hd_model *random_system(uint64_t seed);
/* A walker on a random graph of `vertices` and three others that can move when it is at some of them. */
hd_model *random_walker(uint64_t seed, uint32_t vertices);

#endif
