/* Yields of a lowering (yields.h).
 *
 * A location whose edges touch shared data has the yield of its statement. Any other has those of the locations that
 * its edges lead to, followed through statements that touch nothing shared. Locations inside atomic blocks, of fixed
 * threads and at ends have none; the first location of a thread has the yield of its start only, since a thread that
 * has not moved has not been interrupted (start_apart keeps loops from coming back to it). Threads: pure functions once
 * made. Cost: see the header. */
#include "frontends/cwhile/yields.h"

#include "core/base/check.h"

#include <string.h>

/* ---- which locations touch shared data ---- */

static bool reads_shared(const hdi_cw_flow *flow, const hdi_cw_node *node) {
  if (node == NULL) {
    return false;
  }
  bool own = node->kind == HDI_CW_NODE_ENDED || ((node->kind == HDI_CW_NODE_VAR || node->kind == HDI_CW_NODE_ELEMENT) &&
                                                 flow->vars.data[node->var].thread == HD_NONE);
  return own || reads_shared(flow, node->a) || reads_shared(flow, node->b);
}

static bool edge_is_shared(const hdi_cw_flow *flow, const hdi_cw_edge *edge) {
  if (reads_shared(flow, edge->guard)) {
    return true;
  }
  for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
    bool writes =
        action->kind == HDI_CW_START || (action->kind == HDI_CW_SET && flow->vars.data[action->var].thread == HD_NONE);
    if (writes || reads_shared(flow, action->index) || reads_shared(flow, action->value)) {
      return true;
    }
  }
  return false;
}

typedef struct maker {
  hdi_cw_yields *out;
  const hdi_cw_flow *flow;
  bool *shared, *seen, *listed; /* per location, per location, per yield */
  uint32_t *queue;              /* locations */
} maker;

static bool is_first(const hdi_cw_flow *flow, uint32_t loc) {
  return flow->threads.data[flow->locs.data[loc].thread].first == loc;
}

static bool is_fixed(const hdi_cw_flow *flow, uint32_t loc) {
  return flow->program->bodies[flow->threads.data[flow->locs.data[loc].thread].body].fixed;
}

/* Only edges that leave a location from outside a block start there; an inner location's edges belong to a block that
 * its entry stands for, which is then shared when anything inside is. */
static void find_shared(maker *m) {
  for (uint32_t e = 0; e < m->flow->edges.count; e++) {
    const hdi_cw_edge *edge = &m->flow->edges.data[e];
    m->shared[edge->from] |= edge_is_shared(m->flow, edge);
    m->shared[edge->from] |= m->flow->locs.data[edge->to].inner;
  }
}

static void number_yields(maker *m) {
  hdi_cw_yields *out = m->out;
  const hdi_cw_flow *flow = m->flow;
  const hd_cw_program *program = flow->program;
  for (uint32_t s = 0; s < program->statement_count; s++) {
    out->of_statement[s] = HD_NONE;
  }
  for (uint32_t l = 0; l < flow->locs.count; l++) {
    const hdi_cw_loc *loc = &flow->locs.data[l];
    if (m->shared[l] && !loc->inner && loc->stmt != NULL && !is_first(flow, l) && !is_fixed(flow, l)) {
      out->of_statement[loc->stmt->number] = 0;
    }
  }
  for (uint32_t s = 0; s < program->statement_count; s++) {
    if (out->of_statement[s] != HD_NONE) {
      out->statement[out->count] = s;
      out->body[out->count] = HD_NONE;
      out->of_statement[s] = out->count++;
    }
  }
  out->statement_count = out->count;
  for (uint32_t b = 0; b < program->body_count; b++) {
    bool started = program->bodies[b].thread;
    for (uint32_t t = 0; t < flow->threads.count; t++) {
      started |= flow->threads.data[t].body == b;
    }
    out->of_body[b] = HD_NONE;
    if (started && !program->bodies[b].fixed && program->bodies[b].first != NULL) {
      out->statement[out->count] = HD_NONE;
      out->body[out->count] = b;
      out->of_body[b] = out->count++;
    }
  }
}

/* Appends the yields of a location to the list. */
static void list_yields(maker *m, uint32_t loc, uint32_t *length) {
  const hdi_cw_flow *flow = m->flow;
  hdi_cw_yields *out = m->out;
  if (flow->locs.data[loc].inner || flow->locs.data[loc].end || is_fixed(flow, loc)) {
    return;
  }
  if (is_first(flow, loc)) {
    uint32_t yield = out->of_body[flow->threads.data[flow->locs.data[loc].thread].body];
    if (yield != HD_NONE) {
      out->list[(*length)++] = yield;
    }
    return;
  }
  memset(m->seen, 0, flow->locs.count * sizeof *m->seen);
  memset(m->listed, 0, out->count * sizeof *m->listed);
  uint32_t head = 0, tail = 0;
  m->queue[tail++] = loc;
  m->seen[loc] = true;
  while (head < tail) {
    uint32_t at = m->queue[head++];
    const hd_cw_stmt *stmt = flow->locs.data[at].stmt;
    uint32_t yield = m->shared[at] && stmt != NULL ? out->of_statement[stmt->number] : HD_NONE;
    if (yield != HD_NONE && !m->listed[yield]) {
      m->listed[yield] = true;
      out->list[(*length)++] = yield;
    }
    for (uint32_t e = 0; !m->shared[at] && e < flow->edges.count; e++) {
      const hdi_cw_edge *edge = &flow->edges.data[e];
      if (edge->from == at && !m->seen[edge->to]) {
        m->seen[edge->to] = true;
        m->queue[tail++] = edge->to;
      }
    }
  }
}

static void find_model_locs(maker *m) {
  const hd_model *model = m->out->lowering->model;
  for (uint32_t l = 0; l < m->flow->locs.count; l++) {
    m->out->locs[l] = HD_NO_LOC;
  }
  for (uint32_t i = 0; i < hd_model_locs(model); i++) {
    hd_loc loc = {i};
    if (!hd_model_loc_is_dead(model, loc)) {
      m->out->locs[hd_model_loc_tag(model, loc)] = loc;
    }
  }
}

static hd_status make(maker *m) {
  hdi_cw_yields *out = m->out;
  const hd_cw_program *program = m->flow->program;
  size_t locs = m->flow->locs.count, most = (size_t)program->statement_count + program->body_count;
  hd_arena *arena = out->arena, *scratch = hd_arena_new();
  if (arena == NULL || scratch == NULL) {
    hd_arena_free(scratch);
    return HD_E_NOMEM;
  }
  out->statement = hd_arena_alloc_array(arena, most + 1, sizeof *out->statement);
  out->body = hd_arena_alloc_array(arena, most + 1, sizeof *out->body);
  out->of_statement = hd_arena_alloc_array(arena, (size_t)program->statement_count + 1, sizeof *out->of_statement);
  out->of_body = hd_arena_alloc_array(arena, program->body_count, sizeof *out->of_body);
  out->first = hd_arena_alloc_array(arena, locs + 1, sizeof *out->first);
  out->locs = hd_arena_alloc_array(arena, locs, sizeof *out->locs);
  m->shared = hd_arena_alloc_array(scratch, locs, sizeof *m->shared);
  m->seen = hd_arena_alloc_array(scratch, locs, sizeof *m->seen);
  m->listed = hd_arena_alloc_array(scratch, most + 1, sizeof *m->listed);
  m->queue = hd_arena_alloc_array(scratch, locs, sizeof *m->queue);
  bool made = out->statement != NULL && out->body != NULL && out->of_statement != NULL && out->of_body != NULL &&
              out->first != NULL && out->locs != NULL && m->shared != NULL && m->seen != NULL && m->listed != NULL &&
              m->queue != NULL;
  if (made) {
    find_shared(m);
    number_yields(m);
    out->list = hd_arena_alloc_array(arena, locs * (out->count + 1), sizeof *out->list);
    made = out->list != NULL;
  }
  uint32_t length = 0;
  for (uint32_t l = 0; made && l < locs; l++) {
    out->first[l] = length;
    list_yields(m, l, &length);
  }
  if (made) {
    out->first[locs] = length;
    find_model_locs(m);
  }
  hd_arena_free(scratch);
  return made ? HD_OK : HD_E_NOMEM;
}

hd_status hdi_cw_yields_make(const hd_cw_lowering *lowering, hdi_cw_yields *out) {
  *out = (hdi_cw_yields){.arena = hd_arena_new(), .lowering = lowering};
  HD_ASSERT(lowering->flow.start_apart);
  maker m = {.out = out, .flow = &lowering->flow};
  return make(&m);
}

void hdi_cw_yields_clear(hdi_cw_yields *yields) {
  hd_arena_free(yields->arena);
  *yields = (hdi_cw_yields){0};
}

/* ---- what is protected ---- */

bool hdi_cw_is_protected(const hdi_cw_yields *yields, uint32_t loc, const bool *chosen) {
  for (uint32_t i = yields->first[loc]; i < yields->first[loc + 1]; i++) {
    if (!chosen[yields->list[i]]) {
      return false;
    }
  }
  return yields->first[loc] < yields->first[loc + 1];
}

hd_filter *hdi_cw_yields_filter(const hdi_cw_yields *yields, const bool *chosen, bool weak) {
  hd_filter *filter = hd_filter_new(yields->lowering->model);
  const hdi_cw_flow *flow = &yields->lowering->flow;
  for (uint32_t l = 0; filter != NULL && l < flow->locs.count; l++) {
    if (!hdi_cw_is_protected(yields, l, chosen)) {
      continue;
    }
    if (is_first(flow, l)) {
      if (weak) {
        hd_filter_protect_weak_start(filter, yields->locs[l]);
      }
    } else if (weak) {
      hd_filter_protect_weak(filter, yields->locs[l]);
    } else {
      hd_filter_protect_strong(filter, yields->locs[l]);
    }
  }
  return filter;
}

void hdi_cw_yield_words(const hdi_cw_yields *yields, uint32_t yield, hd_buffer *out) {
  const hd_cw_program *program = yields->lowering->program;
  if (yields->statement[yield] == HD_NONE) {
    hd_buffer_printf(out, "at the start of %s", program->bodies[yields->body[yield]].name.text);
    return;
  }
  const hd_cw_stmt *stmt = program->statements[yields->statement[yield]];
  hd_buffer_add_text(out, "before '");
  hd_cw_print_head(stmt, out);
  hd_buffer_printf(out, "' in line %u", (unsigned)hd_text_position(program->text, stmt->span.begin).line);
}

/* ---- runs ---- */

uint32_t hdi_cw_resting_place(const hd_cw_lowering *lowering, const uint64_t *state, uint32_t thread) {
  hd_loc loc = hd_model_location(lowering->model, state, thread);
  if (hd_model_loc_is_dead(lowering->model, loc)) {
    return HD_NONE;
  }
  uint32_t place = hd_model_loc_tag(lowering->model, loc);
  return lowering->flow.locs.data[place].end ? HD_NONE : place;
}

static void mark(const hdi_cw_yields *yields, uint32_t loc, bool *marks) {
  if (loc == HD_NONE || is_first(&yields->lowering->flow, loc)) {
    return;
  }
  for (uint32_t i = yields->first[loc]; i < yields->first[loc + 1]; i++) {
    marks[yields->list[i]] = true;
  }
}

void hdi_cw_switch_yields(const hdi_cw_yields *yields, const hd_trace *trace, bool rest, bool *marks) {
  for (size_t i = 1; i < trace->length; i++) {
    uint32_t before = trace->steps[i - 1].instance;
    if (trace->steps[i].instance != before) {
      mark(yields, hdi_cw_resting_place(yields->lowering, trace->states + i * trace->words, before), marks);
    }
  }
  const uint64_t *last = trace->states + trace->length * trace->words;
  for (uint32_t t = 0; rest && t < yields->lowering->flow.threads.count; t++) {
    mark(yields, hdi_cw_resting_place(yields->lowering, last, t), marks);
  }
}

static hd_status add_conflict(hd_arena *arena, hdi_cw_conflict conflict, hdi_cw_conflict **list, size_t *count,
                              size_t *capacity) {
  for (size_t i = 0; i < *count; i++) {
    if ((*list)[i].arrival == conflict.arrival && (*list)[i].resting == conflict.resting) {
      return HD_OK;
    }
  }
  if (*count == *capacity) {
    size_t larger = *capacity == 0 ? 16 : *capacity * 2;
    hdi_cw_conflict *copy = hd_arena_alloc_array(arena, larger, sizeof *copy);
    if (copy == NULL) {
      return HD_E_NOMEM;
    }
    if (*count != 0) {
      memcpy(copy, *list, *count * sizeof *copy);
    }
    *list = copy;
    *capacity = larger;
  }
  (*list)[(*count)++] = conflict;
  return HD_OK;
}

hd_status hdi_cw_conflicts(const hdi_cw_yields *yields, const hd_trace *trace, hd_arena *arena, hdi_cw_conflict **out,
                           size_t *count) {
  const hd_cw_lowering *lowering = yields->lowering;
  const hdi_cw_flow *flow = &lowering->flow;
  size_t capacity = 0;
  hd_status status = HD_OK;
  *out = NULL;
  *count = 0;
  for (size_t i = 0; i < trace->length && status == HD_OK; i++) {
    const uint64_t *state = trace->states + i * trace->words, *next = state + trace->words;
    uint32_t mover = trace->steps[i].instance;
    uint32_t from = hdi_cw_resting_place(lowering, state, mover), to = hdi_cw_resting_place(lowering, next, mover);
    for (uint32_t t = 0; t < flow->threads.count && status == HD_OK; t++) {
      uint32_t rests = t == mover ? HD_NONE : hdi_cw_resting_place(lowering, next, t);
      if (rests == HD_NONE || is_first(flow, rests)) {
        continue;
      }
      if (from != HD_NONE && is_first(flow, from)) {
        status = add_conflict(arena, (hdi_cw_conflict){from, rests}, out, count, &capacity);
      }
      if (to != HD_NONE && status == HD_OK) {
        status = add_conflict(arena, (hdi_cw_conflict){to, rests}, out, count, &capacity);
      }
    }
  }
  return status;
}
