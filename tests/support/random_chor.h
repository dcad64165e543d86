/* Random choreographies for tests, as .chor text: the same seed gives the same text on every machine. */
#ifndef HEDDLE_TESTS_SUPPORT_RANDOM_CHOR_H
#define HEDDLE_TESTS_SUPPORT_RANDOM_CHOR_H

#include <stdint.h>

/* A small choreography of peers_min .. peers_max peers (2 <= peers_min <= peers_max <= 64), free with free(); NULL when
 * memory is out. Seeds walk through several families: arbitrary automata with nondeterminism and loops, causal chains,
 * crossing messages in both orders, oriented rings, two blocks in one file (when there are four peers or more). About
 * one in eight marks final states; then every state without transitions is final. Each peer of the text takes part in
 * some message; every state is named, not all need be reachable. */
char *hd_random_chor(uint64_t seed, uint32_t peers_min, uint32_t peers_max);

/* A large realizable choreography in one block: `transitions` transitions (at least peers) in which a turn passes
 * between `peers` peers (at least 3) that each know a few neighbours, with choices, joins, loops and crossing messages.
 * Free with free(); NULL when memory is out. */
char *hd_large_chor(uint64_t seed, uint32_t peers, uint32_t transitions);

#endif
