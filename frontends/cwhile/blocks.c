/* From protected yields to blocks (blocks.h).
 *
 *   a; b; if (c) { d; e; } f;
 *      ^ yield before b: a and b are joined           ^ yield before e: d and e, inside
 *                   ^ yield before d: the whole if    ^ yield before f: the whole if and f
 *
 * In each list of statements: places that are joined with the one before, and places that must be inside some block as
 * a whole. Maximal runs of joined places become blocks; a place that is in a block is not looked into any more. What a
 * yield before the first statement of a list means is decided where the list stands: by the if or while, whose
 * condition comes before it, by the block, which takes no step, or by the call. Threads: pure function. Cost: linear in
 * the text, times the depth of calls. */
#include "frontends/cwhile/blocks.h"

#include <string.h>

/* Of a statement that is executed piece by piece: the last piece, and all before it together. */
enum { REAL_LAST = 1, REAL_PIECES = 2 };

typedef struct maker {
  const hdi_cw_yields *yields;
  const hd_cw_program *program;
  const bool *chosen;
  hdi_cw_wrap_kind kind;
  hd_arena *arena;
  hdi_cw_blocks *out;
  hdi_cw_list_edit *lists;
  bool *held;    /* per statement: no thread rests before it */
  bool *split;   /* per statement: nor inside it, where it is executed piece by piece */
  uint8_t *real; /* per statement: which of its steps touch something shared that is not ghost */
  bool failed;
} maker;

/* ---- statements ---- */

static bool is_transparent(const hd_cw_stmt *stmt) {
  return stmt->kind == HD_CW_BLOCK || stmt->kind == HD_CW_NOREORDER || stmt->kind == HD_CW_WATOMIC;
}

/* The first statement of a list that takes a step, entered as flow_stmt.c does; NULL: none does. */
static const hd_cw_stmt *entry_of_list(const hd_cw_program *program, const hd_cw_stmt *first) {
  for (const hd_cw_stmt *stmt = first; stmt != NULL; stmt = stmt->next) {
    const hd_cw_stmt *entry = stmt;
    if (is_transparent(stmt)) {
      entry = entry_of_list(program, stmt->body);
    } else if (stmt->kind == HD_CW_CALL && !hdi_cw_call_has_values(program, stmt)) {
      entry = entry_of_list(program, program->bodies[stmt->proc].first);
    }
    if (entry != NULL) {
      return entry;
    }
  }
  return NULL;
}

static const hd_cw_stmt *entry_of(const hd_cw_program *program, const hd_cw_stmt *stmt) {
  if (is_transparent(stmt)) {
    return entry_of_list(program, stmt->body);
  }
  if (stmt->kind == HD_CW_CALL && !hdi_cw_call_has_values(program, stmt)) {
    return entry_of_list(program, program->bodies[stmt->proc].first);
  }
  return stmt;
}

static bool list_is_held(const maker *m, const hd_cw_stmt *first) {
  const hd_cw_stmt *entry = entry_of_list(m->program, first);
  return entry != NULL && m->held[entry->number];
}

/* Must the statement as a whole be in a block? */
static bool is_needed_whole(const maker *m, const hd_cw_stmt *stmt) {
  switch (stmt->kind) {
    case HD_CW_IF:
      return list_is_held(m, stmt->body) || list_is_held(m, stmt->other);
    case HD_CW_WHILE: /* its head is reached from its own body too */
      return m->held[stmt->number] || list_is_held(m, stmt->body);
    case HD_CW_CALL:
      return hdi_cw_call_has_values(m->program, stmt) && list_is_held(m, m->program->bodies[stmt->proc].first);
    case HD_CW_SKIP:
    case HD_CW_ASSIGN:
    case HD_CW_ASSUME:
    case HD_CW_ASSERT:
    case HD_CW_AWAIT:
    case HD_CW_LOCK:
    case HD_CW_UNLOCK:
    case HD_CW_BLOCK:
    case HD_CW_ATOMIC:
    case HD_CW_WATOMIC:
    case HD_CW_NOREORDER:
    case HD_CW_ASYNC:
    case HD_CW_JOIN:
    case HD_CW_YIELD:
    case HD_CW_STMT_COUNT:
      break;
  }
  return false;
}

/* ---- what a block holds ---- */

/* Steps of the statement that touch shared data that is not ghost, those inside included; all statements are counted in
 * the block. */
static uint32_t count_real(maker *m, const hd_cw_stmt *stmt, bool inside) {
  m->out->statement_count++;
  if (inside && m->yields->of_statement[stmt->number] != HD_NONE && !m->held[stmt->number]) {
    m->out->widened++;
  }
  uint32_t real = (m->real[stmt->number] & REAL_PIECES) != 0;
  real += (m->real[stmt->number] & REAL_LAST) != 0;
  real += stmt->kind == HD_CW_CALL || stmt->kind == HD_CW_ASYNC ? 2 : 0; /* not looked into */
  for (const hd_cw_stmt *s = stmt->body; s != NULL; s = s->next) {
    real += count_real(m, s, stmt->kind != HD_CW_ATOMIC);
  }
  for (const hd_cw_stmt *s = stmt->other; s != NULL; s = s->next) {
    real += count_real(m, s, true);
  }
  return real;
}

static void describe_block(maker *m, const hd_cw_stmt *first, const hd_cw_stmt *last) {
  uint32_t real = 0;
  for (const hd_cw_stmt *stmt = first;; stmt = stmt->next) {
    real += count_real(m, stmt, stmt != first || stmt->kind == HD_CW_WHILE);
    if (stmt == last) {
      break;
    }
  }
  m->out->blocks[m->out->block_count++] = (hdi_cw_block){first, last};
  m->out->only_ghost = m->out->only_ghost && real < 2;
}

/* ---- lists ---- */

static void visit_list(maker *m, const hd_cw_stmt *head, bool starts);

static void visit_inside(maker *m, const hd_cw_stmt *stmt) {
  if (stmt->kind != HD_CW_ATOMIC) {
    visit_list(m, stmt->body, false);
    visit_list(m, stmt->other, false);
  }
}

static void add_wraps(maker *m, const hd_cw_stmt *head, uint32_t count, const bool *joined, const bool *whole) {
  hdi_cw_wrap *wraps = hd_arena_alloc_array(m->arena, count, sizeof *wraps);
  if (wraps == NULL) {
    m->failed = true;
    return;
  }
  uint32_t made = 0;
  for (uint32_t i = 0; i < count;) {
    uint32_t last = i;
    while (last + 1 < count && joined[last + 1]) {
      last++;
    }
    bool block = last > i || whole[i];
    if (block) {
      wraps[made++] = (hdi_cw_wrap){m->kind, i, last};
      describe_block(m, hdi_cw_list_at(head, i), hdi_cw_list_at(head, last));
    } else {
      visit_inside(m, hdi_cw_list_at(head, i));
    }
    i = last + 1;
  }
  if (made > 0) {
    m->lists[m->out->edit.list_count++] =
        (hdi_cw_list_edit){.head = head, .count = count, .wraps = wraps, .wrap_count = made};
  }
}

/* `starts`: a chosen start comes before the list. */
static void visit_list(maker *m, const hd_cw_stmt *head, bool starts) {
  uint32_t count = hdi_cw_list_length(head);
  if (count == 0 || m->failed) {
    return;
  }
  bool *joined = hd_arena_alloc_array(m->arena, (size_t)count + 1, sizeof *joined);
  bool *whole = hd_arena_alloc_array(m->arena, (size_t)count + 1, sizeof *whole);
  if (joined == NULL || whole == NULL) {
    m->failed = true;
    return;
  }
  bool before = false; /* did a statement before this one take a step? */
  uint32_t last_step = 0;
  const hd_cw_stmt *stmt = head;
  for (uint32_t i = 0; i < count; i++, stmt = stmt->next) {
    const hd_cw_stmt *entry = entry_of(m->program, stmt);
    if (entry == NULL) {
      continue;
    }
    for (uint32_t j = last_step + 1; before && m->held[entry->number] && j <= i; j++) {
      joined[j] = true;
    }
    whole[i] = is_needed_whole(m, stmt) || (starts && !before) ||
               (!before && m->held[entry->number] && m->split[entry->number]);
    last_step = i;
    before = true;
  }
  add_wraps(m, head, count, joined, whole);
}

/* Statements before which no thread rests. */
static void find_held(maker *m) {
  const hdi_cw_flow *flow = &m->yields->lowering->flow;
  for (uint32_t l = 0; l < flow->locs.count; l++) {
    const hdi_cw_loc *loc = &flow->locs.data[l];
    bool first = flow->threads.data[loc->thread].first == l;
    if (loc->stmt != NULL && !first && !loc->inner && hdi_cw_is_protected(m->yields, l, m->chosen)) {
      m->held[loc->stmt->number] = true;
      m->split[loc->stmt->number] |= loc->piece;
    }
  }
}

static void find_real(maker *m) {
  const hdi_cw_flow *flow = &m->yields->lowering->flow;
  for (uint32_t e = 0; e < flow->edges.count; e++) {
    const hdi_cw_edge *edge = &flow->edges.data[e];
    if (hdi_cw_edge_touches_shared(flow, edge, false)) {
      m->real[edge->stmt->number] |= flow->locs.data[edge->to].piece ? REAL_PIECES : REAL_LAST;
    }
  }
}

hd_status hdi_cw_blocks_make(const hdi_cw_yields *yields, const bool *chosen, hdi_cw_wrap_kind kind, hd_arena *arena,
                             hdi_cw_blocks *out) {
  const hd_cw_program *program = yields->lowering->program;
  *out = (hdi_cw_blocks){.only_ghost = true};
  maker m = {.yields = yields, .program = program, .chosen = chosen, .kind = kind, .arena = arena, .out = out};
  size_t most = (size_t)program->statement_count + 1;
  m.lists = hd_arena_alloc_array(arena, most, sizeof *m.lists);
  m.held = hd_arena_alloc_array(arena, most, sizeof *m.held);
  out->blocks = hd_arena_alloc_array(arena, most, sizeof *out->blocks);
  m.split = hd_arena_alloc_array(arena, most, sizeof *m.split);
  m.real = hd_arena_alloc_array(arena, most, sizeof *m.real);
  if (m.lists == NULL || m.held == NULL || m.split == NULL || m.real == NULL || out->blocks == NULL) {
    return HD_E_NOMEM;
  }
  find_held(&m);
  find_real(&m);
  for (uint32_t b = 0; b < program->body_count; b++) {
    const hd_cw_body *body = &program->bodies[b];
    uint32_t start = yields->of_body[b];
    if (!body->fixed) {
      visit_list(&m, body->first, kind != HDI_CW_WRAP_ATOMIC && start != HD_NONE && chosen[start]);
    }
  }
  out->edit.lists = m.lists;
  return m.failed ? HD_E_NOMEM : HD_OK;
}
