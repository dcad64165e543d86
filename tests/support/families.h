/* Families of choreographies and machine systems whose I_k has a size known from elsewhere: a closed form, or the count
 * of an explorer that shares no code with heddle (tests/cases/choreography/families.json says which). Every function
 * prints one member as text that the readers take; the protocol is described with each. */
#ifndef HEDDLE_TESTS_SUPPORT_FAMILIES_H
#define HEDDLE_TESTS_SUPPORT_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

/* The size of a member; what a family does not use is ignored. */
typedef struct hd_family_size {
  uint32_t n;      /* pairs, peers, workers, philosophers, letters: see the family */
  uint32_t length; /* gencfsm: letters that each side sends */
  uint32_t pairs;  /* gencfsm: independent pairs */
} hd_family_size;

/* X(identifier, "name", prints .fsa rather than .chor, "what it is") */
#define HD_FAMILY_TABLE(X)                                                                                             \
  X(CHAIN, "chain", false, "n pairs, A_i sends one message to B_i, written in sequence: unrealizable for n >= 2")      \
  X(PIPELINE, "pipeline", true, "n peers in a row: the first produces for ever, each other one reads, then passes on") \
  X(RING, "ring", false, "one token passed for ever round n peers: realizable")                                        \
  X(STAR, "star", false, "a centre asks n workers in order; answers come in any order, from the first request on")     \
  X(TREE, "tree", true, "a request down and answers up a binary tree of n >= 2 nodes numbered as in a heap")           \
  X(PHILOSOPHERS, "philosophers", true, "n philosophers and n fork processes, all take the left fork first")           \
  X(PHILOSOPHERS_ODD, "philosophers-odd", true, "the same; every odd philosopher takes the right fork first")          \
  X(GENCFSM, "gencfsm", true, "pairs; each side sends `length` of n letters, then receives `length`")
typedef enum hd_family {
#define HDI_FAMILY_ENUM(identifier, name, fsa, what) HD_FAMILY_##identifier,
  HD_FAMILY_TABLE(HDI_FAMILY_ENUM)
#undef HDI_FAMILY_ENUM
      HD_FAMILY_COUNT
} hd_family;

/* The family of that name; HD_FAMILY_COUNT when there is none. */
hd_family hd_family_find(const char *name);
const char *hd_family_name(hd_family family);
bool hd_family_is_fsa(hd_family family);
/* Text of one member, to be freed with free(); NULL when memory is out. Sizes: n >= 1 (pipeline, ring, tree and
 * philosophers: n >= 2; star: n <= 16); length and pairs >= 1. */
char *hd_family_print(hd_family family, hd_family_size size);

/* The full TPM contract of Singularity OS (the paper's Fig. 7(a) with the request/answer pairs that the figure leaves
 * out and the Cancel race): unrealizable, shortest difference of 4 sends after Ready. Borrowed, static. */
const char *hd_family_tpm_contract(void);

#endif
