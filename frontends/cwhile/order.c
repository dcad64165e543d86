/* Which statements may change places (order.h).
 *
 * Units are found list by list: assertions wait for the statement behind them, which they belong to; assertions behind
 * the last statement of a block stay where they are, since nothing is left that they guard. Blocks { }, noreorder { },
 * watomic { } and atomic { } are units; all but atomic ones only when what they hold is a straight run of statements,
 * because the place of a thread in them must be a place in the order.
 *
 * What a unit touches is the union over its edges in the flow of every thread that has it, so references and procedures
 * are seen through. A critical section is a lock statement and what follows: moving something out of it costs more,
 * into it nothing more (sections that are written with awaits and assignments are not known as such). Permutations: of
 * three units of a block the pairs are transitive, which with two for each pair is all there is to it. Threads: pure
 * functions once made. */
#include "frontends/cwhile/order.h"

#include "core/base/check.h"
#include "frontends/cwhile/sections.h"

#include <string.h>

typedef struct maker {
  hdi_cw_orders *out;
  const hdi_cw_flow *flow;
  const hdi_cw_costs *costs;
  hd_arena *scratch;
  bool *reads, *writes; /* unit * variables of the flow */
  bool *real;           /* per statement: it touches something shared that is not ghost */
  uint32_t blocks;
  bool sections;
} maker;

/* ---- units ---- */

static bool is_run(const hd_cw_stmt *first) {
  for (const hd_cw_stmt *stmt = first; stmt != NULL; stmt = stmt->next) {
    switch (stmt->kind) {
      case HD_CW_IF:
      case HD_CW_WHILE:
      case HD_CW_CALL:
      case HD_CW_ASYNC:
      case HD_CW_JOIN:
      case HD_CW_YIELD:
        return false;
      case HD_CW_BLOCK:
      case HD_CW_NOREORDER:
      case HD_CW_WATOMIC:
        if (!is_run(stmt->body)) {
          return false;
        }
        break;
      case HD_CW_SKIP:
      case HD_CW_ASSIGN:
      case HD_CW_ASSUME:
      case HD_CW_ASSERT:
      case HD_CW_AWAIT:
      case HD_CW_LOCK:
      case HD_CW_UNLOCK:
      case HD_CW_ATOMIC:
      case HD_CW_STMT_COUNT:
        break;
    }
  }
  return true;
}

/* May the statement be (the last of) a unit? */
static bool may_move(const hd_cw_stmt *stmt) {
  switch (stmt->kind) {
    case HD_CW_SKIP:
    case HD_CW_ASSIGN:
    case HD_CW_ASSUME:
    case HD_CW_AWAIT:
    case HD_CW_LOCK:
    case HD_CW_UNLOCK:
    case HD_CW_ATOMIC:
      return stmt->label.text == NULL;
    case HD_CW_BLOCK:
    case HD_CW_NOREORDER:
    case HD_CW_WATOMIC:
      return stmt->label.text == NULL && stmt->body != NULL && is_run(stmt->body);
    case HD_CW_ASSERT:
    case HD_CW_IF:
    case HD_CW_WHILE:
    case HD_CW_CALL:
    case HD_CW_ASYNC:
    case HD_CW_JOIN:
    case HD_CW_YIELD:
    case HD_CW_STMT_COUNT:
      break;
  }
  return false;
}

static bool holds_kind(const hd_cw_stmt *stmt, hd_cw_stmt_kind kind) {
  if (stmt->kind == kind) {
    return true;
  }
  for (const hd_cw_stmt *inside = stmt->body; inside != NULL; inside = inside->next) {
    if (holds_kind(inside, kind)) {
      return true;
    }
  }
  return false;
}

static const hd_cw_stmt *entry_of(const hd_cw_stmt *stmt) {
  while (stmt->kind == HD_CW_BLOCK || stmt->kind == HD_CW_NOREORDER || stmt->kind == HD_CW_WATOMIC) {
    stmt = stmt->body;
  }
  return stmt;
}

static void own_statements(maker *m, const hd_cw_stmt *stmt, uint32_t unit) {
  m->out->unit_of[stmt->number] = unit;
  for (const hd_cw_stmt *inside = stmt->body; inside != NULL; inside = inside->next) {
    own_statements(m, inside, unit);
  }
  for (const hd_cw_stmt *inside = stmt->other; inside != NULL; inside = inside->next) {
    own_statements(m, inside, unit);
  }
}

/* The statements from `first`, at place `begin`, to `last` become a unit of the block. */
static void add_unit(maker *m, const hd_cw_stmt *first, const hd_cw_stmt *last, uint32_t begin, uint32_t block) {
  hdi_cw_orders *out = m->out;
  uint32_t number = out->unit_count++;
  hdi_cw_unit *unit = &out->units[number];
  *unit = (hdi_cw_unit){.first = first, .last = last, .list = out->list_count, .block = block, .begin = begin};
  unit->entry = entry_of(first);
  for (const hd_cw_stmt *stmt = first;; stmt = stmt->next) {
    unit->count++;
    unit->statements++;
    unit->waits = unit->waits || holds_kind(stmt, HD_CW_AWAIT) || holds_kind(stmt, HD_CW_LOCK);
    unit->locks = unit->locks || holds_kind(stmt, HD_CW_LOCK);
    unit->unlocks = unit->unlocks || holds_kind(stmt, HD_CW_UNLOCK);
    if (block != HD_NONE) {
      own_statements(m, stmt, number);
    }
    if (stmt == last) {
      break;
    }
  }
}

static void visit_list(maker *m, const hd_cw_stmt *head);

static void visit_inside(maker *m, const hd_cw_stmt *head) {
  for (const hd_cw_stmt *stmt = head; stmt != NULL; stmt = stmt->next) {
    if (stmt->kind != HD_CW_ATOMIC && stmt->kind != HD_CW_NOREORDER) {
      visit_list(m, stmt->body);
      visit_list(m, stmt->other);
    }
  }
}

static void visit_list(maker *m, const hd_cw_stmt *head) {
  hdi_cw_orders *out = m->out;
  if (head == NULL) {
    return;
  }
  hdi_cw_list_order *list = &out->lists[out->list_count];
  *list = (hdi_cw_list_order){.head = head, .count = hdi_cw_list_length(head), .first_unit = out->unit_count};
  const hd_cw_stmt *first = NULL; /* of the assertions that wait for their statement */
  uint32_t begin = 0, place = 0, block = m->blocks++;
  for (const hd_cw_stmt *stmt = head; stmt != NULL; stmt = stmt->next, place++) {
    if (first == NULL) {
      first = stmt;
      begin = place;
    }
    bool guards = stmt->kind == HD_CW_ASSERT && stmt->label.text == NULL;
    if (guards && stmt->next != NULL && (may_move(stmt->next) || stmt->next->kind == HD_CW_ASSERT)) {
      continue;
    }
    bool moves = may_move(stmt), joins = moves || (m->sections && guards);
    add_unit(m, first, stmt, begin, joins ? block : HD_NONE);
    out->units[out->unit_count - 1].stays = !moves;
    block = moves ? block : m->blocks++;
    first = NULL;
  }
  list->unit_end = out->unit_count;
  out->list_count++;
  visit_inside(m, head);
}

/* ---- what units touch ---- */

static void note_reads(const maker *m, const hdi_cw_node *node, bool *reads) {
  if (node != NULL) {
    if (node->kind == HDI_CW_NODE_VAR || node->kind == HDI_CW_NODE_ELEMENT) {
      reads[node->var] = true;
    }
    note_reads(m, node->a, reads);
    note_reads(m, node->b, reads);
  }
}

static void note_edges(maker *m) {
  size_t vars = m->flow->vars.count;
  for (uint32_t e = 0; e < m->flow->edges.count; e++) {
    const hdi_cw_edge *edge = &m->flow->edges.data[e];
    uint32_t unit = m->out->unit_of[edge->stmt->number];
    if (unit == HD_NONE) {
      continue;
    }
    bool *reads = m->reads + unit * vars, *writes = m->writes + unit * vars;
    note_reads(m, edge->guard, reads);
    for (const hdi_cw_action *action = edge->actions; action != NULL; action = action->next) {
      note_reads(m, action->index, reads);
      note_reads(m, action->value, reads);
      if (action->kind == HDI_CW_SET && !m->flow->vars.data[action->var].hidden) {
        writes[action->var] = true;
      }
    }
    m->real[edge->stmt->number] |= hdi_cw_edge_touches_shared(m->flow, edge, false);
  }
  for (uint32_t s = 0; s < m->out->program->statement_count; s++) {
    if (m->real[s]) {
      m->out->units[m->out->unit_of[s]].real++;
    }
  }
}

static bool depend(const maker *m, uint32_t a, uint32_t b) {
  size_t vars = m->flow->vars.count;
  for (size_t v = 0; v < vars; v++) {
    bool wa = m->writes[a * vars + v], wb = m->writes[b * vars + v];
    bool ra = m->reads[a * vars + v], rb = m->reads[b * vars + v];
    if ((wa && (wb || rb)) || (wb && ra)) {
      return true;
    }
  }
  return false;
}

/* ---- pairs ---- */

/* What inverting a, which stands before b, costs. An access may move into a critical section, not out of it. */
static uint32_t cost_of(const maker *m, const hdi_cw_unit *a, const hdi_cw_unit *b) {
  uint32_t cost = m->costs->swap * a->statements * b->statements;
  cost += a->waits || b->waits ? m->costs->await : 0;
  bool leaves = a->locks || b->unlocks; /* b would stand before the lock, or a behind the unlock */
  return cost + (leaves ? m->costs->lock : 0);
}

static void add_pairs(maker *m) {
  hdi_cw_orders *out = m->out;
  for (uint32_t a = 0; a < out->unit_count; a++) {
    for (uint32_t b = 0; b < out->unit_count; b++) {
      out->pair_of[(size_t)a * out->unit_count + b] = HD_NONE;
    }
  }
  for (uint32_t a = 0; a < out->unit_count; a++) {
    for (uint32_t b = a + 1; b < out->unit_count && out->units[a].block != HD_NONE; b++) {
      if (out->units[a].block != out->units[b].block || out->units[b].stays || depend(m, a, b)) {
        continue;
      }
      out->pair_of[(size_t)a * out->unit_count + b] = out->pair_of[(size_t)b * out->unit_count + a] = out->pair_count;
      out->pairs[out->pair_count++] = (hdi_cw_pair){a, b, cost_of(m, &out->units[a], &out->units[b])};
    }
  }
}

static hd_status make(maker *m) {
  hdi_cw_orders *out = m->out;
  const hd_cw_program *program = out->program;
  size_t statements = (size_t)program->statement_count + 1, vars = m->flow->vars.count;
  out->lists = hd_arena_alloc_array(out->arena, statements, sizeof *out->lists);
  out->units = hd_arena_alloc_array(out->arena, statements, sizeof *out->units);
  out->unit_of = hd_arena_alloc_array(out->arena, statements, sizeof *out->unit_of);
  if (out->lists == NULL || out->units == NULL || out->unit_of == NULL) {
    return HD_E_NOMEM;
  }
  for (size_t s = 0; s < statements; s++) {
    out->unit_of[s] = HD_NONE;
  }
  for (uint32_t b = 0; b < program->body_count; b++) {
    if (!program->bodies[b].fixed) {
      visit_list(m, program->bodies[b].first);
    }
  }
  size_t units = (size_t)out->unit_count + 1;
  m->reads = hd_arena_alloc_array(m->scratch, units * vars + 1, sizeof *m->reads);
  m->writes = hd_arena_alloc_array(m->scratch, units * vars + 1, sizeof *m->writes);
  m->real = hd_arena_alloc_array(m->scratch, statements, sizeof *m->real);
  out->pairs = hd_arena_alloc_array(out->arena, units * units, sizeof *out->pairs);
  out->pair_of = hd_arena_alloc_array(out->arena, units * units, sizeof *out->pair_of);
  if (m->reads == NULL || m->writes == NULL || m->real == NULL || out->pairs == NULL || out->pair_of == NULL) {
    return HD_E_NOMEM;
  }
  note_edges(m);
  add_pairs(m);
  return hdi_cw_sections_make(out, m->costs, m->sections);
}

hd_status hdi_cw_orders_make(const hd_cw_lowering *lowering, const hdi_cw_costs *costs, bool sections,
                             hdi_cw_orders *out) {
  *out = (hdi_cw_orders){.arena = hd_arena_new(), .program = lowering->program};
  maker m = {.out = out, .flow = &lowering->flow, .costs = costs, .scratch = hd_arena_new(), .sections = sections};
  hd_status status = out->arena == NULL || m.scratch == NULL ? HD_E_NOMEM : make(&m);
  hd_arena_free(m.scratch);
  return status;
}

void hdi_cw_orders_clear(hdi_cw_orders *orders) {
  hd_arena_free(orders->arena);
  *orders = (hdi_cw_orders){0};
}

/* ---- permutations ---- */

bool hdi_cw_order_add(const hdi_cw_orders *orders, uint32_t a, uint32_t b, bool contrary, hd_literal *clause,
                      size_t *count) {
  uint32_t pair = orders->pair_of[(size_t)a * orders->unit_count + b];
  bool before_in_text = a < b;
  if (pair == HD_NONE) {
    return before_in_text == contrary;
  }
  clause[(*count)++] = (hd_literal){pair, before_in_text != contrary};
  return true;
}

static hd_status add_transitivity(const hdi_cw_orders *orders, hd_formula *formula) {
  hd_status status = HD_OK;
  for (uint32_t a = 0; a < orders->unit_count; a++) {
    for (uint32_t b = 0; b < orders->unit_count; b++) {
      for (uint32_t c = 0; c < orders->unit_count && status == HD_OK; c++) {
        uint32_t block = orders->units[a].block;
        if (a == b || b == c || a == c || block == HD_NONE || orders->units[b].block != block ||
            orders->units[c].block != block) {
          continue;
        }
        hd_literal clause[3];
        size_t count = 0; /* a before b and b before c: a before c */
        if (hdi_cw_order_add(orders, a, b, true, clause, &count) &&
            hdi_cw_order_add(orders, b, c, true, clause, &count) &&
            hdi_cw_order_add(orders, a, c, false, clause, &count)) {
          status = hd_formula_clause(formula, clause, count);
        }
      }
    }
  }
  return status;
}

hd_formula *hdi_cw_orders_formula(const hdi_cw_orders *orders) {
  hd_formula *formula = hd_formula_new(orders->costs, orders->variable_count);
  if (formula != NULL &&
      (add_transitivity(orders, formula) != HD_OK || hdi_cw_sections_state(orders, formula) != HD_OK)) {
    hd_formula_free(formula);
    formula = NULL;
  }
  return formula;
}

bool hdi_cw_comes_before(const hdi_cw_orders *orders, const bool *inverted, uint32_t a, uint32_t b) {
  uint32_t pair = orders->pair_of[(size_t)a * orders->unit_count + b];
  return (a < b) != (pair != HD_NONE && inverted[pair]);
}

/* Units of a list, and places of its statements, in the new order. */
static void order_list(const hdi_cw_orders *orders, const hdi_cw_list_order *list, const bool *inverted,
                       uint32_t *units, uint32_t *order) {
  uint32_t count = 0;
  for (uint32_t u = list->first_unit; u < list->unit_end; u++) { /* insertion: the pairs are a total order */
    uint32_t at = count++;
    while (at > 0 && !hdi_cw_comes_before(orders, inverted, units[at - 1], u)) {
      units[at] = units[at - 1];
      at--;
    }
    units[at] = u;
  }
  uint32_t place = 0;
  for (uint32_t i = 0; i < count; i++) {
    const hdi_cw_unit *unit = &orders->units[units[i]];
    for (uint32_t s = 0; s < unit->count; s++) {
      order[place++] = unit->begin + s;
    }
  }
}

hd_status hdi_cw_orders_edit(const hdi_cw_orders *orders, const bool *inverted, hd_arena *arena, hdi_cw_edit *out) {
  hdi_cw_list_edit *lists = hd_arena_alloc_array(arena, (size_t)orders->list_count + 1, sizeof *lists);
  uint32_t *units = hd_arena_alloc_array(arena, (size_t)orders->unit_count + 1, sizeof *units);
  *out = (hdi_cw_edit){.lists = lists};
  if (lists == NULL || units == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t l = 0; l < orders->list_count; l++) {
    const hdi_cw_list_order *list = &orders->lists[l];
    bool changes = false;
    for (uint32_t p = 0; p < orders->pair_count; p++) {
      changes = changes || (inverted[p] && orders->units[orders->pairs[p].a].list == l);
    }
    uint32_t *order = hd_arena_alloc_array(arena, list->count, sizeof *order);
    hdi_cw_list_edit made = {.head = list->head, .count = list->count, .order = order};
    if (order == NULL) {
      return HD_E_NOMEM;
    }
    order_list(orders, list, inverted, units, order);
    if (!hdi_cw_sections_wrap(orders, inverted, units, list->unit_end - list->first_unit, arena, &made)) {
      return HD_E_NOMEM;
    }
    if (changes || made.wrap_count > 0) {
      lists[out->list_count++] = made;
    }
  }
  return HD_OK;
}
