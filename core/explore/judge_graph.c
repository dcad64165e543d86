/* The arcs of the states that are not settled, by their target: what makes judging linear.
 *
 * Passes settle most states at once, but a system can be made in which each pass brings a bit one step further only, so
 * that there would be as many passes as states. When HDI_JUDGE_PASSES of them have not ended it, the arcs that still
 * matter are stored, and from then on a state whose mask has changed is told to its predecessors:
 *
 *   COUNT   ends[t] += 1 for each arc s -> t, s not settled
 *   FILL    begins, ends: the predecessors of t are before[begins[t] .. ends[t])
 *   SEED    every t hands its mask to its predecessors; those that gained bits are the first round
 *   SPREAD  every t of the round does so; those that gained bits are the next round
 *
 * COUNT and FILL change no mask, so they see the same states as settled and the same arcs. Arcs of settled states
 * matter no more: nothing can be added to their masks. At the end of a round every arc s -> t has mask(s) containing
 * mask(t) unless t is in the next round; with no next round all equations hold and no bit too many was ever added: the
 * least solution. A state whose mask grows while it is being handed on is in the next round, whether or not it was read
 * before: its bit in `queued` is cleared between rounds only. A mask can grow as often as it has bits, and each time
 * costs its arcs: at most bits x arcs look-ups of one word, without stepping or hashing.
 *
 * Rounds of few states are worker 0's, so a long chain costs no barriers. Memory: 16 bytes and a bit a state, 4 bytes
 * an arc; when the limit does not bear that the passes go on. Threads: as judge.c. */
#include "core/explore/judge.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

static size_t state_bytes(const hdi_judge *judge) {
  return (size_t)judge->places.states * 16 + judge->places.states / 8 + 8;
}

bool hdi_graph_begin(hdi_judge *judge) {
  hdi_judge_graph *graph = &judge->graph;
  size_t states = (size_t)judge->places.states;
  if (graph->refused || judge->places.states > UINT32_MAX || state_bytes(judge) > judge->memory_max_bytes) {
    graph->refused = true;
    return false;
  }
  graph->ends = calloc(states, sizeof *graph->ends);
  graph->begins = malloc(states * sizeof *graph->begins);
  graph->queued = calloc(states / 64 + 1, sizeof *graph->queued);
  if (graph->ends == NULL || graph->begins == NULL || graph->queued == NULL) {
    hdi_graph_clear(judge);
    graph->refused = true;
    return false;
  }
  return true;
}

bool hdi_graph_reserve(hdi_judge *judge) {
  hdi_judge_graph *graph = &judge->graph;
  uint64_t arcs = 0;
  for (size_t i = 0; i < judge->places.states; i++) {
    graph->begins[i] = arcs;
    /* HD-SYNC G1: relaxed; pairs with G2. Publishes: nothing; the barrier orders it. Why not weaker: it is the weakest.
     * Why not stronger: quiescent. */
    arcs += hd_load_rlx(&graph->ends[i]);
    hd_store_rlx(&graph->ends[i], graph->begins[i]); /* HD-SYNC G1 again */
  }
  size_t left_bytes = judge->memory_max_bytes - state_bytes(judge);
  graph->before = arcs < left_bytes / sizeof *graph->before ? malloc(((size_t)arcs + 1) * sizeof *graph->before) : NULL;
  if (graph->before == NULL) {
    hdi_graph_clear(judge);
    graph->refused = true;
    return false;
  }
  return true;
}

void hdi_graph_clear(hdi_judge *judge) {
  hdi_judge_graph *graph = &judge->graph;
  free((void *)graph->ends);
  free(graph->begins);
  free(graph->before);
  free((void *)graph->queued);
  hdi_state_numbers_free(&graph->round);
  memset(graph, 0, sizeof *graph);
}

void hdi_graph_add_arc(hdi_judge *judge, uint64_t from, uint64_t to) {
  hdi_judge_graph *graph = &judge->graph;
  /* HD-SYNC G2: relaxed; pairs with G1, G2 of other workers, G3. Publishes: nothing; it counts, or hands out a place in
   * `before` that nobody else gets and that is read behind a barrier. Why not weaker: it must be one read-modify-write.
   * Why not stronger: see above. */
  uint64_t place = hd_add_rlx(&graph->ends[to], 1);
  if (judge->phase == HDI_JUDGE_FILL) {
    graph->before[place] = (uint32_t)from;
  }
}

/* Adds `number` to the worker's part of the next round, unless somebody has. */
static void queue(hdi_judge_worker *worker, uint32_t number) {
  uint64_t bit = (uint64_t)1 << (number % 64);
  /* HD-SYNC G4: relaxed; pairs with G4 of other workers, G5. Publishes: nothing; the barrier before the round orders
   * the mask. Why not weaker: exactly one must see the bit clear. Why not stronger: see above. */
  if ((hd_or_rlx(&worker->judge->graph.queued[number / 64], bit) & bit) == 0 &&
      hdi_state_numbers_push(&worker->next, number) != HD_OK) {
    hdi_judge_fail(worker, HD_E_NOMEM);
  }
}

/* Hands the mask of state `number` to its predecessors. */
static bool hand_on(hdi_judge_worker *worker, uint64_t number) {
  hdi_judge *judge = worker->judge;
  const hdi_judge_graph *graph = &judge->graph;
  memset(worker->sum, 0, judge->mask_words * sizeof *worker->sum);
  hdi_mask_read(judge, number, worker->sum);
  /* HD-SYNC G3: relaxed; pairs with G2. Publishes: nothing; a barrier lies between. Why not weaker: it is the weakest.
   * Why not stronger: see there. */
  uint64_t end = hd_load_rlx(&graph->ends[number]);
  for (uint64_t i = graph->begins[number]; i < end; i++) {
    if (hdi_mask_add(judge, graph->before[i], worker->sum)) {
      queue(worker, graph->before[i]);
    }
    if (!hdi_judge_tick(worker)) {
      return false;
    }
  }
  return hdi_judge_tick(worker);
}

bool hdi_graph_seed_chunk(hdi_judge_worker *worker, size_t index) {
  const hdi_places *places = &worker->judge->places;
  uint32_t count = places->history->chunks.data[index]->count;
  for (uint32_t i = 0; i < count; i++) {
    if (!hand_on(worker, places->first[index] + i)) {
      return false;
    }
  }
  return true;
}

bool hdi_graph_spread_part(hdi_judge_worker *worker, size_t index) {
  const hdi_state_numbers *round = &worker->judge->graph.round;
  size_t begin = index * HDI_GRAPH_PART, end = begin + HDI_GRAPH_PART;
  for (size_t i = begin; i < end && i < round->count; i++) {
    if (!hand_on(worker, round->data[i])) {
      return false;
    }
  }
  return true;
}

bool hdi_graph_next_round(hdi_judge *judge) {
  hdi_judge_graph *graph = &judge->graph;
  hdi_state_numbers_clear(&graph->round);
  for (uint32_t w = 0; w < judge->worker_count; w++) {
    hdi_state_numbers *next = &judge->workers[w].next;
    if (hdi_state_numbers_reserve(&graph->round, graph->round.count + next->count) != HD_OK) {
      hdi_judge_fail(&judge->workers[0], HD_E_NOMEM);
      return false;
    }
    for (size_t i = 0; i < next->count; i++) {
      uint32_t number = next->data[i];
      graph->round.data[graph->round.count++] = number;
      /* HD-SYNC G5: relaxed; pairs with G4. Publishes: nothing; the barrier orders it. All bits of the word belong to
       * states of this round. Why not weaker: it is the weakest. Why not stronger: quiescent. */
      hd_store_rlx(&graph->queued[number / 64], 0);
    }
    hdi_state_numbers_clear(next);
  }
  return graph->round.count > 0;
}
