/* Core-guided minimisation (core_guided.h).
 *
 * The softs are assumed. A set of softs that cannot all hold, a core, must cost at least its least weight w: the lower
 * bound grows by w, each soft of the core loses w, and a counter over the core's negations takes their place, whose
 * output k says that k or more of them do not hold. For any assignment in which one does not hold,
 *   w * (how many do not hold)  =  w  +  w * [2 or more]  +  w * [3 or more]  +  ...
 * so nothing is lost: cost = lower_bound + the weights of the softs that do not hold, whatever the order of the cores.
 * Only output 2 is a soft at first; k + 1 becomes one when k is in a core, for it cannot be true before k is. The
 * assignments of least cost are therefore exactly those in which all softs hold, once they can.
 *
 *   counter  a binary tree over its inputs; a node's outputs are made one by one, as they are asked for, with the
 *            clauses l[i] and r[j] -> o[i + j] (l[0] and r[0] are true). One direction is enough: outputs are only
 *            ever wanted false.
 *   cores    are first asked for again with themselves only, then thinned out, the softs of least weight first, with a
 *            limit for each attempt.
 *
 * Threads: one at a time. The solver is C++ and has no way to say that memory is out: it ends the process.
 * @source Morgado, Dodaro, Marques-Silva, Core-Guided MaxSAT with Soft Cardinality Constraints, CP 2014 (OLL);
 * Ignatiev, Morgado, Marques-Silva, RC2, JSAT 2019; the counter: Bailleux, Boufkhad, Efficient CNF Encoding of Boolean
 * Cardinality Constraints, CP 2003; the solver: Biere et al., CaDiCaL at the SAT Competition 2020 */
#include "core/repair/core_guided.h"

#include "core/base/compiler.h"
#include "core/base/machine.h"

#include <ccadical.h>
#include <limits.h>
#include <stdlib.h>

enum { THIN_MAX = 128, THIN_CONFLICTS = 15, TRIMS_MAX = 8, NUMBERS_MAX = INT_MAX - 1 };

/* For the solver: should it give up? */
static int is_over(void *payload) {
  hdi_guided *g = payload;
  const hd_hitting_limits *limits = g->limits;
  /* HD-SYNC S11: relaxed; pairs with none (the caller's store of the flag, of any order). Publishes: nothing; the flag
   * is the whole message. Why not weaker: it is written while it is read. Why not stronger: no data comes with it. */
  if (limits->cancel != NULL && hd_load_rlx(limits->cancel) != 0) {
    g->end = HD_E_CANCELLED;
  } else if (limits->deadline_seconds > 0 && hd_machine_seconds() >= limits->deadline_seconds) {
    g->end = HD_E_LIMIT;
  }
  return g->end != HD_OK;
}

static void count_learned(void *payload, int *clause) {
  (void)clause;
  ((hdi_guided *)payload)->learned++;
}

hd_status hdi_guided_start(hdi_guided *g) {
  g->next = 1;
  g->solver = ccadical_init();
  if (g->solver == NULL) {
    return HD_E_NOMEM;
  }
  ccadical_set_option(g->solver, "quiet", 1); /* a library never prints */
  ccadical_set_option(g->solver, "phase", 0); /* what is false costs nothing */
  ccadical_set_terminate(g->solver, g, is_over);
  ccadical_set_learn(g->solver, g, INT_MAX, count_learned);
  return HD_OK;
}

void hdi_guided_stop(hdi_guided *g) {
  if (g->solver != NULL) {
    ccadical_release(g->solver);
  }
  hdi_softs_free(&g->softs);
  hdi_counter_nodes_free(&g->nodes);
  hdi_literals_free(&g->outputs);
  hdi_literals_free(&g->core);
  hdi_literals_free(&g->kept);
  *g = (hdi_guided){0};
}

void hdi_guided_limit(hdi_guided *g, const hd_hitting_limits *limits) {
  g->limits = limits;
  g->end = HD_OK;
  g->learned = 0;
}

/* May the solver be called? Asked before anything is assumed, since what is assumed for a call that is not made would
 * hold in the next one. */
static bool may_call(hdi_guided *g) {
  if (g->end == HD_OK && is_over(g) == 0 && g->limits->nodes_max != 0 && g->learned >= g->limits->nodes_max) {
    g->end = HD_E_LIMIT;
  }
  return g->end == HD_OK;
}

/* One call with what was assumed; `conflicts` 0: no limit of its own. */
static int call_solver(hdi_guided *g, uint64_t conflicts) {
  uint64_t most = conflicts;
  if (g->limits->nodes_max != 0) {
    uint64_t left = g->limits->nodes_max - g->learned;
    most = most == 0 || left < most ? left : most;
  }
  if (most != 0) {
    ccadical_limit(g->solver, "conflicts", most > INT_MAX ? INT_MAX : (int)most);
  }
  int result = ccadical_solve(g->solver);
  if (result == 0 && g->end == HD_OK && (conflicts == 0 || most < conflicts)) {
    g->end = HD_E_LIMIT;
  }
  return result;
}

int hdi_guided_solve(hdi_guided *g, uint64_t threshold, const hdi_literals *also, const hdi_literals *one_of) {
  if (g->unsatisfiable) {
    return HDI_UNSATISFIABLE;
  }
  if (!may_call(g)) {
    return 0;
  }
  for (size_t i = 0; i < g->softs.count; i++) {
    if (g->softs.data[i].weight != 0 && g->softs.data[i].weight >= threshold) {
      ccadical_assume(g->solver, g->softs.data[i].literal);
    }
  }
  for (size_t i = 0; also != NULL && i < also->count; i++) {
    ccadical_assume(g->solver, also->data[i]);
  }
  for (size_t i = 0; one_of != NULL && i < one_of->count; i++) {
    ccadical_constrain(g->solver, one_of->data[i]);
  }
  if (one_of != NULL) {
    ccadical_constrain(g->solver, 0);
  }
  return call_solver(g, 0);
}

bool hdi_guided_value(const hdi_guided *g, int number) {
  return ccadical_val(g->solver, number) > 0;
}

/* ---- counters ---- */

static hd_status new_number(hdi_guided *g, int *number) {
  if (g->next >= NUMBERS_MAX) {
    return HD_E_NOMEM;
  }
  *number = g->next++;
  return HD_OK;
}

/* A node over the inputs below `left` and `right`, or over one input. */
static hd_status new_node(hdi_guided *g, uint32_t left, uint32_t right, uint32_t size, int input, uint32_t *out) {
  hdi_counter_node node = {.left = left, .right = right, .size = size, .first = g->outputs.count};
  node.made = left == HDI_NO_NODE ? 1 : 0;
  hd_status status = hdi_literals_reserve(&g->outputs, g->outputs.count + size);
  if (status == HD_OK) {
    status = hdi_counter_nodes_push(&g->nodes, node);
  }
  if (status == HD_OK) {
    for (uint32_t i = 0; i < size; i++) {
      g->outputs.data[g->outputs.count++] = input;
    }
    *out = (uint32_t)g->nodes.count - 1;
  }
  return status;
}

/* A tree over count >= 1 inputs, the negations of `literals`. */
static hd_status new_counter(hdi_guided *g, const int *literals, size_t count, uint32_t *out) {
  if (count == 1) {
    return new_node(g, HDI_NO_NODE, HDI_NO_NODE, 1, -literals[0], out);
  }
  uint32_t left = 0, right = 0;
  hd_status status = new_counter(g, literals, count / 2, &left);
  if (status == HD_OK) {
    status = new_counter(g, literals + count / 2, count - count / 2, &right);
  }
  return status == HD_OK ? new_node(g, left, right, (uint32_t)count, 0, out) : status;
}

/* Makes the node's outputs 1 .. rank. Depth: log of the inputs. */
static hd_status make_outputs(hdi_guided *g, uint32_t at, uint32_t rank) {
  hdi_counter_node *node = &g->nodes.data[at];
  rank = rank < node->size ? rank : node->size;
  if (rank <= node->made) {
    return HD_OK;
  }
  hd_status status = make_outputs(g, node->left, rank);
  if (status == HD_OK) {
    status = make_outputs(g, node->right, rank);
  }
  const hdi_counter_node *left = &g->nodes.data[node->left], *right = &g->nodes.data[node->right];
  while (status == HD_OK && node->made < rank) {
    uint32_t sum = node->made + 1;
    int output = 0;
    status = new_number(g, &output);
    for (uint32_t i = sum > right->size ? sum - right->size : 0; status == HD_OK && i <= left->size && i <= sum; i++) {
      if (i != 0) {
        ccadical_add(g->solver, -g->outputs.data[left->first + i - 1]);
      }
      if (i != sum) {
        ccadical_add(g->solver, -g->outputs.data[right->first + (sum - i) - 1]);
      }
      ccadical_add(g->solver, output);
      ccadical_add(g->solver, 0);
    }
    if (status == HD_OK) {
      g->outputs.data[node->first + node->made++] = output;
    }
  }
  return status;
}

/* The soft that fewer than `rank` of the node's inputs are true gains `weight`. */
static hd_status add_output(hdi_guided *g, uint32_t node, uint32_t rank, uint64_t weight) {
  if (rank > g->nodes.data[node].size) {
    return HD_OK;
  }
  for (size_t i = g->softs.count; i > 0; i--) { /* a counter's softs are near the end as a rule */
    hdi_soft *soft = &g->softs.data[i - 1];
    if (soft->node == node && soft->rank == rank) {
      soft->weight += weight;
      return HD_OK;
    }
  }
  hd_status status = make_outputs(g, node, rank);
  if (status == HD_OK) {
    int output = g->outputs.data[g->nodes.data[node].first + rank - 1];
    status = hdi_softs_push(&g->softs, (hdi_soft){-output, weight, node, rank});
  }
  return status;
}

/* ---- cores ---- */

/* The core is what failed of the numbers of softs in g->core. */
static void keep_failed(hdi_guided *g) {
  size_t kept = 0;
  for (size_t i = 0; i < g->core.count; i++) {
    int soft = g->core.data[i];
    if (ccadical_failed(g->solver, g->softs.data[soft].literal) != 0) {
      g->core.data[kept++] = soft;
    }
  }
  g->core.count = kept;
}

static void assume_core(hdi_guided *g, size_t without) {
  for (size_t i = 0; i < g->core.count; i++) {
    if (i != without) {
      ccadical_assume(g->solver, g->softs.data[g->core.data[i]].literal);
    }
  }
}

/* Tries to do without the soft at `at`. */
static bool drop(hdi_guided *g, size_t at) {
  if (!may_call(g)) {
    return false;
  }
  assume_core(g, at);
  if (call_solver(g, THIN_CONFLICTS) != HDI_UNSATISFIABLE) {
    return false;
  }
  keep_failed(g);
  return true;
}

/* Sorts the core by weight, then by number, so that what is dropped first lets the least weight grow. */
static void sort_core(hdi_guided *g) {
  int *core = g->core.data;
  for (size_t i = 1; i < g->core.count; i++) {
    int moving = core[i];
    uint64_t weight = g->softs.data[moving].weight;
    size_t at = i;
    while (at > 0 && (g->softs.data[core[at - 1]].weight > weight ||
                      (g->softs.data[core[at - 1]].weight == weight && core[at - 1] > moving))) {
      core[at] = core[at - 1];
      at--;
    }
    core[at] = moving;
  }
}

/* A core among the softs of weight >= threshold, thinned out, in g->core. */
static hd_status find_core(hdi_guided *g, uint64_t threshold) {
  hdi_literals_clear(&g->core);
  for (size_t i = 0; i < g->softs.count; i++) {
    if (g->softs.data[i].weight != 0 && g->softs.data[i].weight >= threshold &&
        hdi_literals_push(&g->core, (int)i) != HD_OK) {
      return HD_E_NOMEM;
    }
  }
  keep_failed(g);
  for (size_t before = SIZE_MAX, trims = 0; g->core.count < before && trims < TRIMS_MAX && g->core.count > 1; trims++) {
    before = g->core.count;
    (void)drop(g, SIZE_MAX);
  }
  if (g->core.count <= THIN_MAX) {
    sort_core(g);
    for (size_t at = 0; at < g->core.count && g->core.count > 1 && g->end == HD_OK;) {
      at += drop(g, at) ? 0 : 1; /* what is before `at` is needed, and still in the core */
    }
  }
  return HD_OK;
}

hd_status hdi_guided_raise(hdi_guided *g, uint64_t threshold) {
  hd_status status = find_core(g, threshold);
  if (status != HD_OK) {
    return status;
  }
  if (g->core.count == 0) {
    g->unsatisfiable = true;
    return HD_OK;
  }
  uint64_t weight = UINT64_MAX;
  hdi_literals_clear(&g->kept);
  for (size_t i = 0; i < g->core.count && status == HD_OK; i++) {
    const hdi_soft *soft = &g->softs.data[g->core.data[i]];
    weight = soft->weight < weight ? soft->weight : weight;
    status = hdi_literals_push(&g->kept, soft->literal);
    ccadical_add(g->solver, -soft->literal); /* one of them does not hold */
  }
  ccadical_add(g->solver, 0);
  g->lower_bound += weight;
  for (size_t i = 0; i < g->core.count && status == HD_OK; i++) {
    hdi_soft *soft = &g->softs.data[g->core.data[i]];
    soft->weight -= weight;
    if (soft->node != HDI_NO_NODE) {
      status = add_output(g, soft->node, soft->rank + 1, weight);
    }
  }
  uint32_t counter = 0;
  if (status == HD_OK && g->kept.count > 1) {
    status = new_counter(g, g->kept.data, g->kept.count, &counter);
    if (status == HD_OK) {
      status = add_output(g, counter, 2, weight);
    }
  }
  return status;
}
