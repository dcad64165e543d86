/* Systems with known numbers of states (bench/workloads.h), and graphs given by their arcs. Every function
 * returns a model owned by the caller and fails the test when it cannot be built. */
#ifndef HEDDLE_TESTS_SUPPORT_MODELS_H
#define HEDDLE_TESTS_SUPPORT_MODELS_H

#include "core/model/model.h"

/* Families; every loop is endless, queues hold one letter. */

/* Peer i: send to the right, receive from the left. C(2n, n) states. Receives have weight `receive_weight`. */
hd_model *hd_model_ring(uint32_t n, uint32_t receive_weight);
/* n pairs: A sends to B, B receives, B sends to A, A receives. 4^n states, n * 4^n transitions, 3n + 1 levels. */
hd_model *hd_model_pairs(uint32_t n);
/* Client i: send its name to the server, receive; server: receive i, send to i.
 * 2^n + n 2^n + n (n-1) 2^(n-2) states. */
hd_model *hd_model_star(uint32_t n);
/* Source, n-1 stages (receive, send on), sink, n queues. 2^(2n-1) states. */
hd_model *hd_model_pipeline(uint32_t n);
/* n threads: [i < k: t = x], then [x = t+1; t = 0; i = i+1], each one step. */
hd_model *hd_model_counter(uint32_t n, uint32_t k);
/* Peterson's filter lock for n >= 2 threads. Thread i, for l = 1 .. n-1: lev[i] = l; vic[l] = i; one atomic wait until
 * all others' lev are < l or vic[l] != i; then lev[i] = 0. The level is a variable of the thread, the arrays are
 * indexed by it. 417, 9,272, 223,105, 5,779,920 states and, from n = 5, 741,065, 22,245,396 transitions. */
hd_model *hd_model_filter(uint32_t n);
/* Peterson's lock for n threads. 417, 9,272, 223,105 states for n = 3, 4, 5. */
hd_model *hd_model_filter(uint32_t n);
/* Philosopher i: take fork i, take fork i+1, release i, release i+1. 3^n - 1 states, one deadlock after n steps. */
hd_model *hd_model_dining(uint32_t n);
/* The same over unbuffered channels to n fork processes. */
hd_model *hd_model_rendezvous_dining(uint32_t n);

/* A single run: x = 0, 1, ..., n; stuck at n. n+1 states and levels. With `words` > 1 the state has that many words. */
hd_model *hd_model_chain(uint32_t n, uint32_t words);
/* One state with n successors, all stuck. */
hd_model *hd_model_fan(uint32_t n);

/* A graph given by its arcs: one process whose locations are the vertices, 0 the start. */
typedef struct hd_arc {
  uint32_t from, to, weight;
  int check;  /* 0..31: the step fails the check with this code; -1: none */
  bool fault; /* the step leaves a domain */
} hd_arc;
/* With `padding` > 0 the state is that many words wide. */
hd_model *hd_model_graph(uint32_t vertices, const hd_arc *arcs, size_t arc_count, uint32_t padding);
/* Location (vertex) of a graph's state. */
uint32_t hd_graph_vertex(const hd_model *model, const uint64_t *state);

/* Random arcs: `arc_count` of them, about one in `zero_in` of weight 0 (0: none), few checks and faults. */
void hd_random_arcs(uint64_t seed, uint32_t vertices, hd_arc *arcs, size_t arc_count, uint32_t zero_in);

#endif
