/* Shares nothing with core/explore but the stepper: arcs are stored, components come from Tarjan's recursive algorithm,
 * "fine from here on" from a search backwards over the arcs, distances from a search forwards. */
#include "tests/unit/explore/bottom_reference.h"

#include "core/explore/judge.h"
#include "core/model/builder.h"
#include "tests/support/hd_test.h"
#include "tests/support/outcomes.h"
#include "tests/support/reference.h"

#include <stdlib.h>
#include <string.h>

/* ---- the explicit graph ---- */

typedef struct graph {
  const hd_model *model;
  hd_reference *r;
  size_t *first_out, *out; /* arcs by source: targets */
  size_t *first_in, *in;   /* arcs by target: sources */
  uint64_t *moves;         /* per state: bits of those who take part in a step */
  size_t *component;
  bool *bottom; /* per component */
  /* Tarjan */
  size_t *order, *low, *stack, visited, stacked, components;
} graph;

static void *zeroes(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  cr_assert_not_null(memory);
  return memory;
}

static void sort_arcs(const hd_reference *r, bool by_source, size_t **first, size_t **ends) {
  *first = zeroes(r->states + 1, sizeof **first);
  *ends = zeroes(r->arcs, sizeof **ends);
  for (size_t i = 0; i < r->arcs; i++) {
    (*first)[(by_source ? r->arc[i].from : r->arc[i].to) + 1]++;
  }
  for (size_t s = 0; s < r->states; s++) {
    (*first)[s + 1] += (*first)[s];
  }
  size_t *next = zeroes(r->states, sizeof *next);
  memcpy(next, *first, r->states * sizeof *next);
  for (size_t i = 0; i < r->arcs; i++) {
    size_t key = by_source ? r->arc[i].from : r->arc[i].to;
    (*ends)[next[key]++] = by_source ? r->arc[i].to : r->arc[i].from;
  }
  free(next);
}

typedef struct mover {
  hd_stepper *stepper;
  uint64_t *bits;
} mover;

static bool note_movers(void *payload, const uint64_t *next, const hd_step *step) {
  mover *m = payload;
  (void)next;
  *m->bits |= (uint64_t)1 << step->instance;
  *m->bits |= step->partner_instance == HD_NONE ? 0 : (uint64_t)1 << step->partner_instance;
  const hd_inner *inner;
  size_t count = hd_stepper_inner(m->stepper, &inner);
  for (size_t i = 0; i < count; i++) {
    *m->bits |= (uint64_t)1 << inner[i].instance;
    *m->bits |= inner[i].partner_instance == HD_NONE ? 0 : (uint64_t)1 << inner[i].partner_instance;
  }
  return true;
}

static void visit(graph *g, size_t s) {
  g->order[s] = g->low[s] = ++g->visited;
  g->stack[g->stacked++] = s;
  for (size_t a = g->first_out[s]; a < g->first_out[s + 1]; a++) {
    size_t t = g->out[a];
    if (g->order[t] == 0) {
      visit(g, t);
      g->low[s] = g->low[t] < g->low[s] ? g->low[t] : g->low[s];
    } else if (g->component[t] == SIZE_MAX) {
      g->low[s] = g->order[t] < g->low[s] ? g->order[t] : g->low[s];
    }
  }
  if (g->low[s] == g->order[s]) {
    size_t t;
    do {
      t = g->stack[--g->stacked];
      g->component[t] = g->components;
    } while (t != s);
    g->components++;
  }
}

static void find_components(graph *g) {
  size_t n = g->r->states;
  g->order = zeroes(n, sizeof *g->order);
  g->low = zeroes(n, sizeof *g->low);
  g->stack = zeroes(n, sizeof *g->stack);
  g->component = zeroes(n, sizeof *g->component);
  memset(g->component, 0xff, n * sizeof *g->component);
  for (size_t s = 0; s < n; s++) {
    if (g->order[s] == 0) {
      visit(g, s);
    }
  }
  g->bottom = zeroes(g->components, sizeof *g->bottom);
  memset(g->bottom, 1, g->components * sizeof *g->bottom);
  for (size_t i = 0; i < g->r->arcs; i++) {
    size_t from = g->component[g->r->arc[i].from], to = g->component[g->r->arc[i].to];
    g->bottom[from] = g->bottom[from] && from == to;
  }
}

static const uint64_t *words_of(const graph *g, size_t s) {
  return g->r->state_words + s * g->r->words;
}

static void make_graph(graph *g, const hd_model *model) {
  memset(g, 0, sizeof *g);
  cr_assert_leq(hd_model_instances(model), 64);
  g->model = model;
  g->r = hd_reference_explore(model);
  sort_arcs(g->r, true, &g->first_out, &g->out);
  sort_arcs(g->r, false, &g->first_in, &g->in);
  g->moves = zeroes(g->r->states, sizeof *g->moves);
  mover m = {.stepper = hd_stepper_new(model, NULL)};
  cr_assert_not_null(m.stepper);
  for (size_t s = 0; s < g->r->states; s++) {
    m.bits = &g->moves[s];
    cr_assert_eq(hd_stepper_run(m.stepper, words_of(g, s), HD_WEIGHT_ANY, note_movers, &m), HD_OK);
  }
  hd_stepper_free(m.stepper);
  find_components(g);
}

static void free_graph(graph *g) {
  hd_reference_free(g->r);
  free(g->first_out);
  free(g->out);
  free(g->first_in);
  free(g->in);
  free(g->moves);
  free(g->component);
  free(g->bottom);
  free(g->order);
  free(g->low);
  free(g->stack);
}

/* ---- who is left behind ---- */

static bool is_end(const graph *g, size_t s) {
  return g->first_out[s] == g->first_out[s + 1];
}

static uint32_t kind_of(const graph *g, const hd_bottom_query *query, size_t s, uint32_t instance) {
  return hdi_must_go_on(query, g->model, words_of(g, s), instance);
}

/* reached[s]: can one of the `marked` states be reached from s? */
static void search_backwards(const graph *g, bool *reached) {
  size_t n = g->r->states, count = 0;
  size_t *queue = zeroes(n, sizeof *queue);
  for (size_t s = 0; s < n; s++) {
    if (reached[s]) {
      queue[count++] = s;
    }
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t a = g->first_in[queue[i]]; a < g->first_in[queue[i] + 1]; a++) {
      size_t from = g->in[a];
      if (!reached[from]) {
        reached[from] = true;
        queue[count++] = from;
      }
    }
  }
  free(queue);
}

/* Is the instance left behind in some bottom component? By the definition. */
static bool is_left_somewhere(const graph *g, const hd_bottom_query *query, uint32_t instance) {
  bool *left = zeroes(g->components, sizeof *left);
  memcpy(left, g->bottom, g->components * sizeof *left);
  for (size_t s = 0; s < g->r->states; s++) {
    bool moves = ((g->moves[s] >> instance) & 1) != 0;
    bool ends = query->going_on && is_end(g, s);
    left[g->component[s]] = left[g->component[s]] && !moves && !ends && kind_of(g, query, s, instance) != 0;
  }
  bool any = false;
  for (size_t c = 0; c < g->components; c++) {
    any = any || left[c];
  }
  free(left);
  return any;
}

/* Bits of the instances left behind from each state on. */
static uint64_t *find_left(const graph *g, const hd_bottom_query *query, const hd_bottom_outcome *outcome) {
  size_t n = g->r->states;
  uint64_t *left = zeroes(n, sizeof *left);
  bool *fine = zeroes(n, sizeof *fine);
  for (uint32_t p = 0; p < outcome->instance_count; p++) {
    for (size_t s = 0; s < n; s++) {
      fine[s] = ((g->moves[s] >> p) & 1) != 0 || kind_of(g, query, s, p) == 0 || (query->going_on && is_end(g, s));
    }
    search_backwards(g, fine);
    uint64_t count = 0, level = UINT64_MAX;
    for (size_t s = 0; s < n; s++) {
      if (!fine[s]) {
        left[s] |= (uint64_t)1 << p;
        count++;
        level = g->r->level[s] < level ? g->r->level[s] : level;
      }
    }
    cr_assert_eq(count != 0, is_left_somewhere(g, query, p), "the theorem");
    cr_assert_eq(outcome->instances[p].count, count, "instance %u: %llu, not %llu", p,
                 (unsigned long long)outcome->instances[p].count, (unsigned long long)count);
    cr_assert_eq(outcome->instances[p].level, level);
  }
  free(fine);
  return left;
}

static bool has_kind(const graph *g, const hd_bottom_query *query, size_t s, uint64_t left, uint32_t kind) {
  for (uint32_t p = 0; p < hd_model_instances(g->model); p++) {
    if (((left >> p) & 1) != 0 && kind_of(g, query, s, p) == kind) {
      return true;
    }
  }
  return false;
}

/* Steps from `from` to each state, the first step counted as such: distance[from] is the length of a shortest cycle. */
static size_t *distances(const graph *g, size_t from) {
  size_t n = g->r->states, count = 0;
  size_t *distance = zeroes(n, sizeof *distance), *queue = zeroes(n + 1, sizeof *queue);
  memset(distance, 0xff, n * sizeof *distance);
  queue[count++] = from;
  for (size_t i = 0; i < count; i++) {
    size_t s = queue[i], length = i == 0 ? 0 : distance[s];
    for (size_t a = g->first_out[s]; a < g->first_out[s + 1]; a++) {
      if (distance[g->out[a]] == SIZE_MAX) {
        distance[g->out[a]] = length + 1;
        if (g->out[a] != from) {
          queue[count++] = g->out[a];
        }
      }
    }
  }
  free(queue);
  return distance;
}

static void check_lasso(const graph *g, const hd_bottom_found *found, size_t reached) {
  const hd_trace *trace = found->trace;
  size_t *way = distances(g, reached), nearest = g->bottom[g->component[reached]] ? 0 : SIZE_MAX;
  for (size_t s = 0; s < g->r->states && nearest != 0; s++) {
    nearest = g->bottom[g->component[s]] && way[s] < nearest ? way[s] : nearest;
  }
  size_t turn = hd_reference_find(g->r, trace->states + found->cycle * trace->words);
  cr_assert(g->bottom[g->component[turn]]);
  cr_assert_eq(found->cycle - found->reached, nearest, "the way into the component is shortest");
  size_t *round = distances(g, turn);
  if (found->cycle == trace->length) {
    cr_assert_eq(round[turn], SIZE_MAX, "there is no cycle");
  } else {
    cr_assert_eq(trace->length - found->cycle, round[turn], "the cycle is shortest");
    cr_assert_eq(hd_reference_find(g->r, trace->states + trace->length * trace->words), turn);
  }
  uint64_t going = 0;
  for (size_t s = 0; s < g->r->states; s++) {
    going |= g->component[s] == g->component[turn] ? g->moves[s] : 0;
  }
  cr_assert_eq(*found->going, going);
  cr_assert_eq(*found->left_behind & going, 0);
  free(way);
  free(round);
}

static void check_kind(const graph *g, const hd_bottom_query *query, const uint64_t *left, uint32_t kind,
                       const hd_bottom_found *found) {
  uint64_t count = 0;
  size_t least = SIZE_MAX;
  for (size_t s = 0; s < g->r->states; s++) {
    if (!has_kind(g, query, s, left[s], kind)) {
      continue;
    }
    count++;
    if (least == SIZE_MAX || g->r->level[s] < g->r->level[least] ||
        (g->r->level[s] == g->r->level[least] &&
         hd_model_compare_states(g->model, words_of(g, s), words_of(g, least)) < 0)) {
      least = s;
    }
  }
  cr_assert_eq(found->count, count, "kind %u", kind);
  if (count == 0) {
    cr_assert_null(found->trace);
    return;
  }
  cr_assert_eq(found->level, g->r->level[least]);
  cr_assert_eq(found->trace_status, HD_OK);
  cr_assert_eq(found->lasso_status, HD_OK);
  cr_assert_not_null(found->trace);
  const hd_trace *trace = found->trace;
  cr_assert_eq(hd_reference_find(g->r, trace->states + found->reached * trace->words), least);
  uint64_t cost = 0;
  for (size_t i = 0; i < found->reached; i++) {
    cost += trace->steps[i].weight;
  }
  cr_assert_eq(cost, found->level);
  cr_assert_eq(*found->left_behind, left[least]);
  check_lasso(g, found, least);
}

void check_against_reference(const hd_model *model, const hd_bottom_query *query, const hd_bottom_outcome *outcome) {
  graph g;
  make_graph(&g, model);
  cr_assert_eq(outcome->end, HD_END_COMPLETE);
  cr_assert_eq(outcome->states, g.r->states);
  cr_assert_eq(outcome->transitions, g.r->transitions);
  cr_assert_eq(outcome->levels, g.r->levels);
  uint64_t *left = find_left(&g, query, outcome);
  for (uint32_t kind = 1; kind < HD_STOP_KIND_MAX; kind++) {
    check_kind(&g, query, left, kind, &outcome->found[kind]);
  }
  free(left);
  free_graph(&g);
}

/* ---- comparing outcomes ---- */

static void check_same_found(const hd_bottom_found *a, const hd_bottom_found *b, size_t bits_words) {
  cr_assert_eq(a->count, b->count);
  cr_assert_eq(a->level, b->level);
  cr_assert_eq(a->reached, b->reached);
  cr_assert_eq(a->cycle, b->cycle);
  cr_assert_eq(a->trace_status, b->trace_status);
  cr_assert_eq(a->lasso_status, b->lasso_status);
  cr_assert_eq(a->left_behind == NULL, b->left_behind == NULL);
  cr_assert_eq(a->going == NULL, b->going == NULL);
  if (a->left_behind != NULL) {
    cr_assert_eq(memcmp(a->left_behind, b->left_behind, bits_words * sizeof(uint64_t)), 0);
  }
  if (a->going != NULL) {
    cr_assert_eq(memcmp(a->going, b->going, bits_words * sizeof(uint64_t)), 0);
  }
  hd_check_same_trace(a->trace, b->trace);
}

void check_same_bottom(const hd_bottom_outcome *a, const hd_bottom_outcome *b) {
  cr_assert_eq(a->end, b->end);
  cr_assert_eq(a->states, b->states);
  cr_assert_eq(a->transitions, b->transitions);
  cr_assert_eq(a->levels, b->levels);
  cr_assert_eq(a->instance_count, b->instance_count);
  for (uint32_t i = 0; i < a->instance_count; i++) {
    cr_assert_eq(a->instances[i].count, b->instances[i].count);
    cr_assert_eq(a->instances[i].level, b->instances[i].level);
  }
  for (uint32_t kind = 0; kind < HD_STOP_KIND_MAX; kind++) {
    check_same_found(&a->found[kind], &b->found[kind], a->instance_count / 64 + 1);
  }
}

void run_bottom(const hd_model *model, const hd_bottom_query *query, hd_bottom_outcome *outcome) {
  for (size_t i = 0; i < 4; i++) {
    hd_search search = {.model = model, .threads = hd_thread_counts[i]};
    hd_bottom_outcome other;
    cr_assert_eq(hd_bottom_search(&search, query, i == 0 ? outcome : &other), HD_OK);
    if (i > 0) {
      cr_assert_eq(other.threads, hd_thread_counts[i]);
      check_same_bottom(outcome, &other);
      hd_bottom_outcome_clear(&other);
    }
  }
}

/* ---- random systems ---- */

static uint32_t below(uint64_t *seed, uint32_t bound) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (uint32_t)((*seed >> 20) % bound);
}

static hd_model *finish(hd_builder *b) {
  hd_model *model = NULL;
  cr_assert_eq(hd_builder_finish(b, &model), HD_OK);
  return model;
}

static hd_expr equals(hd_builder *b, hd_var var, uint32_t value) {
  return hd_build_op(b, HD_OP_EQ, hd_build_read(b, var), hd_build_const(b, value), HD_NO_EXPR);
}

static void add_random_edge(hd_builder *b, uint64_t *seed, hd_var var, const hd_loc *locs, uint32_t loc_count) {
  hd_stmt assign = {
      .kind = HD_STMT_ASSIGN, .var = var, .a = hd_build_const(b, below(seed, 40) == 0 ? 3 : below(seed, 3))};
  hd_edge_desc edge = {.from = locs[below(seed, loc_count)],
                       .to = locs[below(seed, loc_count)],
                       .weight = below(seed, 4) != 0,
                       .stmts = &assign,
                       .stmt_count = below(seed, 2)};
  if (below(seed, 3) != 0) {
    edge.guard = equals(b, var, below(seed, 3));
  }
  if (below(seed, 3) == 0) {
    edge.side = below(seed, 2) == 0 ? HD_SIDE_SEND : HD_SIDE_RECEIVE;
    edge.channel = hd_build_const(b, below(seed, 2));
  }
  (void)hd_build_edge(b, &edge);
}

hd_model *random_system(uint64_t seed) {
  enum { LOCS_MAX = 4 };
  static const uint32_t flags[] = {HD_LOC_END, HD_LOC_DAEMON, HD_LOC_ATOMIC};
  seed = seed * 0x9e3779b97f4a7c15ULL + 1;
  hd_builder *b = hd_builder_new();
  cr_assert_not_null(b);
  hd_var var = hd_build_var(b, &(hd_var_desc){.name = "shared", .hi = 2, .process = HD_NO_PROCESS});
  uint32_t processes = 2 + below(&seed, 3);
  for (uint32_t p = 0; p < processes; p++) {
    hd_process process = hd_build_process(b, &(hd_process_desc){.name = "p", .instances = 1, .started = 1});
    hd_loc locs[LOCS_MAX];
    uint32_t count = 1 + below(&seed, LOCS_MAX);
    for (uint32_t i = 0; i < count; i++) {
      locs[i] = hd_build_loc(b, process, "l", below(&seed, 5) == 0 ? flags[below(&seed, 3)] : 0, i);
    }
    for (uint32_t edges = below(&seed, 2 + 2 * count); edges > 0; edges--) {
      add_random_edge(b, &seed, var, locs, count);
    }
  }
  return finish(b);
}

hd_model *random_walker(uint64_t seed, uint32_t vertices) {
  seed = seed * 0x9e3779b97f4a7c15ULL + 1;
  hd_builder *b = hd_builder_new();
  cr_assert_not_null(b);
  hd_process walker = hd_build_process(b, &(hd_process_desc){.name = "walker", .instances = 1, .started = 1});
  hd_loc first = hd_build_loc(b, walker, "v", 0, 0);
  for (uint32_t i = 1; i < vertices; i++) {
    (void)hd_build_loc(b, walker, "v", 0, i);
  }
  for (uint32_t i = 0; i < vertices; i++) { /* a tree, so that all are reached, and half as many arcs at random */
    (void)hd_build_edge(b, &(hd_edge_desc){.from = {first.v + i / 3}, .to = {first.v + i}, .weight = 1});
    if (below(&seed, 2) == 0) {
      (void)hd_build_edge(b, &(hd_edge_desc){.from = {first.v + below(&seed, vertices)},
                                             .to = {first.v + below(&seed, vertices)},
                                             .weight = below(&seed, 8) != 0});
    }
  }
  for (uint32_t p = 0; p < 3; p++) {
    hd_process other = hd_build_process(b, &(hd_process_desc){.name = "other", .instances = 1, .started = 1});
    hd_loc here = hd_build_loc(b, other, "here", 0, 0),
           there = hd_build_loc(b, other, "there", p == 0 ? HD_LOC_END : 0, 1);
    for (uint32_t i = 0; i < 6; i++) {
      hd_expr at = hd_build_at(b, 0, (hd_loc){first.v + below(&seed, vertices)});
      bool back = below(&seed, 2) == 0;
      (void)hd_build_edge(
          b, &(hd_edge_desc){.from = back ? there : here, .to = back ? here : there, .guard = at, .weight = 1});
    }
  }
  return finish(b);
}
