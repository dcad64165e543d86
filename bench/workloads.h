/* The workloads that are measured, and that tests count: families of systems whose numbers of states are known. Each is
 * built through the model builder; those that are machines with queues are also printed as .fsa, for the command. */
#ifndef HEDDLE_BENCH_WORKLOADS_H
#define HEDDLE_BENCH_WORKLOADS_H

#include "core/base/buffer.h"
#include "core/model/model.h"

#define HD_WORKLOAD_N_MAX 64u

/* Every loop is endless, queues hold one letter, variables start at 0.
 * X(identifier, "name", least n, greatest n, has a second parameter k, "what it is") */
#define HD_WORKLOAD_TABLE(X)                                                                                     \
  X(RING, "ring", 2, HD_WORKLOAD_N_MAX, false, "peer i: send to the right, receive from the left")               \
  X(PAIRS, "pairs", 1, HD_WORKLOAD_N_MAX / 2, false, "n pairs: A sends to B, B receives, B sends, A receives")   \
  X(STAR, "star", 1, HD_WORKLOAD_N_MAX, false,                                                                   \
    "client i: send its name to the server, receive; server: receive i, send to i")                              \
  X(PIPELINE, "pipeline", 1, HD_WORKLOAD_N_MAX, false, "source, n-1 stages (receive, send on), sink, n queues")  \
  X(COUNTER, "counter", 1, HD_WORKLOAD_N_MAX, true, "n threads: [i < k: t = x], then [x = t+1; t = 0; i = i+1]") \
  X(FILTER, "filter", 2, HD_WORKLOAD_N_MAX, false,                                                               \
    "Peterson's lock for n threads: for l = 1..n-1: lev = l; vic[l] = i; one atomic wait; then lev = 0")         \
  X(DINING, "dining", 2, HD_WORKLOAD_N_MAX, false,                                                               \
    "philosopher i: take fork i, take fork i+1, release i, release i+1")                                         \
  X(RENDEZVOUS, "rendezvous", 2, HD_WORKLOAD_N_MAX, false,                                                       \
    "dining over unbuffered channels to n fork processes (receive take, receive release)")                       \
  X(CHAIN, "chain", 1, UINT32_MAX, false, "one run: x = 0, 1, ..., n")                                           \
  X(FAN, "fan", 1, 1u << 21, false, "one state with n successors")

typedef enum hd_workload {
#define HDI_WORKLOAD_ENUM(identifier, name, least, most, two, what) HD_WORKLOAD_##identifier,
  HD_WORKLOAD_TABLE(HDI_WORKLOAD_ENUM)
#undef HDI_WORKLOAD_ENUM
      HD_WORKLOAD_COUNT
} hd_workload;

typedef struct hd_workload_size {
  uint32_t n;
  uint32_t k;         /* counter only */
  uint32_t words;     /* at least this many words per state: constants fill what is not needed; 0 = as needed */
  bool free_receives; /* ring only: receives have weight 0, so that levels count sends */
} hd_workload_size;

/* The workload of that name; HD_WORKLOAD_COUNT when there is none. */
hd_workload hd_workload_find(const char *name);
const char *hd_workload_name(hd_workload workload);
const char *hd_workload_words(hd_workload workload); /* what it is */
bool hd_workload_has_k(hd_workload workload);
/* Is the size one that can be built? */
bool hd_workload_fits(hd_workload workload, hd_workload_size size);
/* Builds the model; it belongs to the caller. HD_E_NOMEM, HD_E_LIMIT. Requires a size that fits. */
hd_status hd_workload_build(hd_workload workload, hd_workload_size size, hd_model **out);
/* Exact numbers of states and transitions, from a closed form, or for counter and filter from three explorers that
 * share no code and agree. False when they are not known for this size. */
bool hd_workload_expected(hd_workload workload, hd_workload_size size, uint64_t *states, uint64_t *transitions);
/* Appends the workload as .fsa text: ring, pairs, star and pipeline; false for the others. */
bool hd_workload_print_fsa(hd_workload workload, hd_workload_size size, hd_buffer *out);

#endif
