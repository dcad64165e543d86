/* Atomic sections beside the order of the statements (sections.h).
 *
 *   variables   pairs | together(u, v) for two units of a block | whole(u) for a unit of several statements | joined(u)
 *   formula     together is transitive; what stands between two units of a section belongs to it; a unit of a
 *               section is whole; a unit is joined exactly when one of its section stands before it
 *
 * The cost is that of whole(u), a yield for each statement of the unit but the first, and of joined(u), one for its
 * first statement, more when the unit waits: then the section spans a place where threads change in runs without
 * preemptions. Threads: pure functions once made. */
#include "frontends/cwhile/sections.h"

#include <string.h>

/* Steps that a statement takes when it stands alone. */
static uint32_t count_steps(const hd_cw_stmt *stmt) {
  if (stmt->kind != HD_CW_BLOCK && stmt->kind != HD_CW_NOREORDER && stmt->kind != HD_CW_WATOMIC) {
    return 1;
  }
  uint32_t steps = 0;
  for (const hd_cw_stmt *inside = stmt->body; inside != NULL; inside = inside->next) {
    steps += count_steps(inside);
  }
  return steps;
}

static uint32_t count_unit_steps(const hdi_cw_unit *unit) {
  uint32_t steps = 0;
  for (const hd_cw_stmt *stmt = unit->first;; stmt = stmt->next) {
    steps += count_steps(stmt);
    if (stmt == unit->last) {
      return steps;
    }
  }
}

static bool same_block(const hdi_cw_orders *orders, uint32_t a, uint32_t b) {
  return orders->units[a].block != HD_NONE && orders->units[a].block == orders->units[b].block;
}

static void number_variables(hdi_cw_orders *orders, const hdi_cw_costs *costs) {
  uint32_t units = orders->unit_count;
  for (uint32_t a = 0; a < units; a++) {
    orders->joined[a] = HD_NONE;
    for (uint32_t b = 0; b < units; b++) {
      orders->section_of[(size_t)a * units + b] = HD_NONE;
    }
  }
  for (uint32_t a = 0; a < units; a++) {
    if (orders->units[a].block == HD_NONE) {
      continue;
    }
    bool alone = true;
    for (uint32_t b = 0; b < units; b++) {
      alone = alone && (a == b || !same_block(orders, a, b));
      if (b > a && same_block(orders, a, b)) {
        orders->section_of[(size_t)a * units + b] = orders->section_of[(size_t)b * units + a] = orders->variable_count;
        orders->costs[orders->variable_count++] = 0;
      }
    }
    uint32_t steps = count_unit_steps(&orders->units[a]);
    if (steps > 1) {
      orders->section_of[(size_t)a * units + a] = orders->variable_count;
      orders->costs[orders->variable_count++] = hdi_cw_cost_times(costs->yield, steps - 1);
    }
    if (!alone) {
      orders->joined[a] = orders->variable_count;
      orders->costs[orders->variable_count++] =
          hdi_cw_cost_times((uint64_t)costs->yield + (orders->units[a].waits ? costs->await : 0), 1);
    }
  }
}

hd_status hdi_cw_sections_make(hdi_cw_orders *orders, const hdi_cw_costs *costs, bool sections) {
  size_t units = orders->unit_count, most = orders->pair_count + (sections ? units * (units + 1) / 2 + units : 0);
  orders->costs = hd_arena_alloc_array(orders->arena, most + 1, sizeof *orders->costs);
  if (orders->costs == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t p = 0; p < orders->pair_count; p++) {
    orders->costs[p] = orders->pairs[p].cost;
  }
  orders->variable_count = orders->pair_count;
  if (!sections) {
    return HD_OK;
  }
  orders->section_of = hd_arena_alloc_array(orders->arena, units * units + 1, sizeof *orders->section_of);
  orders->joined = hd_arena_alloc_array(orders->arena, units + 1, sizeof *orders->joined);
  if (orders->section_of == NULL || orders->joined == NULL) {
    return HD_E_NOMEM;
  }
  number_variables(orders, costs);
  return HD_OK;
}

bool hdi_cw_section_literal(const hdi_cw_orders *orders, uint32_t a, uint32_t b, hd_literal *out) {
  uint32_t variable = orders->section_of == NULL ? HD_NONE : orders->section_of[(size_t)a * orders->unit_count + b];
  *out = (hd_literal){variable, false};
  return variable != HD_NONE;
}

bool hdi_cw_share_section(const hdi_cw_orders *orders, const bool *chosen, uint32_t a, uint32_t b) {
  hd_literal literal;
  return hdi_cw_section_literal(orders, a, b, &literal) && chosen[literal.variable];
}

/* ---- the formula ---- */

static hd_literal together(const hdi_cw_orders *orders, uint32_t a, uint32_t b, bool negated) {
  return (hd_literal){orders->section_of[(size_t)a * orders->unit_count + b], negated};
}

/* Of three units: a with b and b with c is a with c; b between a and c is with a. */
static hd_status state_three(const hdi_cw_orders *orders, hd_formula *formula, uint32_t a, uint32_t b, uint32_t c) {
  hd_literal clause[4] = {together(orders, a, b, true), together(orders, b, c, true), together(orders, a, c, false)};
  hd_status status = hd_formula_clause(formula, clause, 3);
  size_t count = 2;
  clause[0] = together(orders, a, c, true);
  clause[1] = together(orders, a, b, false);
  if (status == HD_OK && hdi_cw_order_add(orders, a, b, true, clause, &count) &&
      hdi_cw_order_add(orders, b, c, true, clause, &count)) {
    status = hd_formula_clause(formula, clause, count);
  }
  return status;
}

/* joined(a) exactly when some unit of its section stands before it. */
static hd_status state_joined(const hdi_cw_orders *orders, hd_formula *formula, uint32_t a, hd_literal *reasons) {
  size_t count = 0;
  hd_status status = HD_OK;
  reasons[count++] = (hd_literal){orders->joined[a], true};
  for (uint32_t b = 0; b < orders->unit_count && status == HD_OK; b++) {
    hd_literal both[2] = {{0, false}};
    if (a == b || !same_block(orders, a, b)) {
      continue;
    }
    both[0] = together(orders, a, b, false);
    size_t known = 1; /* b before a: nothing, a literal, or never */
    bool sometimes = hdi_cw_order_add(orders, b, a, false, both, &known);
    if (!sometimes) { /* it is so in the order of the text */
      hd_literal clause[] = {together(orders, a, b, true), {orders->joined[a], false}};
      reasons[count++] = both[0];
      status = hd_formula_clause(formula, clause, 2);
    } else if (known == 2) {
      hd_literal clause[] = {
          together(orders, a, b, true), {both[1].variable, !both[1].negated}, {orders->joined[a], 0}};
      status = hd_formula_clause(formula, clause, 3);
      if (status == HD_OK) {
        status = hd_formula_all_of(formula, both, 2, &reasons[count].variable);
        reasons[count++].negated = false;
      }
    }
  }
  return status == HD_OK ? hd_formula_clause(formula, reasons, count) : status;
}

static hd_status state_unit(const hdi_cw_orders *orders, hd_formula *formula, uint32_t a, hd_literal *scratch) {
  hd_status status = orders->joined[a] == HD_NONE ? HD_OK : state_joined(orders, formula, a, scratch);
  for (uint32_t b = 0; b < orders->unit_count && status == HD_OK; b++) {
    if (a == b || !same_block(orders, a, b)) {
      continue;
    }
    hd_literal whole[] = {together(orders, a, b, true), together(orders, a, a, false)};
    if (whole[1].variable != HD_NONE) {
      status = hd_formula_clause(formula, whole, 2);
    }
    for (uint32_t c = 0; c < orders->unit_count && status == HD_OK; c++) {
      if (c != a && c != b && same_block(orders, a, c)) {
        status = state_three(orders, formula, a, b, c);
      }
    }
  }
  return status;
}

hd_status hdi_cw_sections_state(const hdi_cw_orders *orders, hd_formula *formula) {
  if (orders->section_of == NULL) {
    return HD_OK;
  }
  hd_status status = HD_OK;
  hd_literal *scratch = hd_arena_alloc_array(orders->arena, (size_t)orders->unit_count + 1, sizeof *scratch);
  if (scratch == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < orders->unit_count && status == HD_OK; a++) {
    if (orders->units[a].block != HD_NONE) {
      status = state_unit(orders, formula, a, scratch);
    }
  }
  return status;
}

hd_status hdi_cw_sections_require_both(const hdi_cw_orders *orders, hd_formula *formula) {
  hd_literal *clause = hd_arena_alloc_array(orders->arena, (size_t)orders->variable_count + 1, sizeof *clause);
  if (clause == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t p = 0; p < orders->pair_count; p++) {
    clause[p] = (hd_literal){p, false};
  }
  hd_status status = hd_formula_clause(formula, clause, orders->pair_count);
  size_t count = 0;
  for (uint32_t v = orders->pair_count; v < orders->variable_count; v++) {
    clause[count++] = (hd_literal){v, false};
  }
  return status == HD_OK ? hd_formula_clause(formula, clause, count) : status;
}

/* ---- what is chosen ---- */

/* Does unit u begin a section, and which is the last of its row? `units` in the new order. */
static uint32_t section_end(const hdi_cw_orders *orders, const bool *chosen, const uint32_t *units, uint32_t count,
                            uint32_t at) {
  uint32_t end = at + 1;
  while (end < count && hdi_cw_share_section(orders, chosen, units[at], units[end])) {
    end++;
  }
  return end;
}

bool hdi_cw_sections_wrap(const hdi_cw_orders *orders, const bool *chosen, const uint32_t *units, uint32_t unit_count,
                          hd_arena *arena, hdi_cw_list_edit *edit) {
  if (orders->section_of == NULL) {
    return true;
  }
  hdi_cw_wrap *wraps = hd_arena_alloc_array(arena, (size_t)unit_count + 1, sizeof *wraps);
  edit->wraps = wraps;
  for (uint32_t at = 0, place = 0; at < unit_count && wraps != NULL;) {
    uint32_t end = section_end(orders, chosen, units, unit_count, at), first = place;
    bool whole = hdi_cw_share_section(orders, chosen, units[at], units[at]);
    bool section = end > at + 1 || whole;
    for (; at < end; at++) {
      place += orders->units[units[at]].count;
    }
    if (section) {
      wraps[edit->wrap_count++] = (hdi_cw_wrap){HDI_CW_WRAP_ATOMIC, first, place - 1};
    }
  }
  return wraps != NULL;
}

/* A unit is the first of its section in the text when none before it shares one with it. */
static bool begins_section(const hdi_cw_orders *orders, const bool *chosen, uint32_t unit) {
  bool shares = hdi_cw_share_section(orders, chosen, unit, unit);
  for (uint32_t u = 0; u < orders->unit_count; u++) {
    if (u != unit && hdi_cw_share_section(orders, chosen, unit, u)) {
      shares = true;
      if (u < unit) {
        return false;
      }
    }
  }
  return shares;
}

static uint64_t cost_in_section(const hdi_cw_orders *orders, const bool *chosen, uint32_t unit) {
  uint32_t whole = orders->section_of[(size_t)unit * orders->unit_count + unit], joined = orders->joined[unit];
  uint64_t cost = whole != HD_NONE && chosen[whole] ? orders->costs[whole] : 0;
  return cost + (joined != HD_NONE && chosen[joined] ? orders->costs[joined] : 0);
}

hd_status hdi_cw_sections_list(const hdi_cw_orders *orders, const bool *chosen, hd_arena *arena, hdi_cw_section **out,
                               uint32_t *count) {
  uint32_t units = orders->unit_count;
  *count = 0;
  *out = hd_arena_alloc_array(arena, (size_t)units + 1, sizeof **out);
  for (uint32_t u = 0; u < units && *out != NULL; u++) {
    if (!begins_section(orders, chosen, u)) {
      continue;
    }
    uint32_t *members = hd_arena_alloc_array(arena, units, sizeof *members);
    hdi_cw_section *section = &(*out)[*count];
    *section = (hdi_cw_section){.statements = hd_arena_alloc_array(arena, units, sizeof(const hd_cw_stmt *))};
    if (members == NULL || section->statements == NULL) {
      return HD_E_NOMEM;
    }
    for (uint32_t v = 0; v < units; v++) { /* insertion in the new order */
      if (v != u && !hdi_cw_share_section(orders, chosen, u, v)) {
        continue;
      }
      uint32_t at = section->count++;
      while (at > 0 && !hdi_cw_comes_before(orders, chosen, members[at - 1], v)) {
        members[at] = members[at - 1];
        at--;
      }
      members[at] = v;
    }
    for (uint32_t i = 0; i < section->count; i++) {
      section->statements[i] = orders->units[members[i]].last;
      section->cost += cost_in_section(orders, chosen, members[i]);
    }
    (*count)++;
  }
  return *out == NULL ? HD_E_NOMEM : HD_OK;
}

bool hdi_cw_sections_only_ghost(const hdi_cw_orders *orders, const bool *chosen) {
  bool any = false;
  for (uint32_t u = 0; u < orders->unit_count; u++) {
    if (!begins_section(orders, chosen, u)) {
      continue;
    }
    uint32_t real = orders->units[u].real;
    for (uint32_t v = u + 1; v < orders->unit_count; v++) {
      real += hdi_cw_share_section(orders, chosen, u, v) ? orders->units[v].real : 0;
    }
    if (real >= 2) {
      return false;
    }
    any = true;
  }
  return any;
}
