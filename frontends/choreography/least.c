/* The least relaxation: what the peers do anyway, made the choreography (repair.h).
 *
 *   C --project--> I_k, state by state --receives silent, subset construction, minimal--> C_1 --the same--> C_2 ...
 *
 * L(I_k of C) lies in every relaxation that is realizable at k, because such a relaxation C' has L(C) in L(C'), so that
 * each peer of C' can do what the peer of C can, and L(I_k of C) in L(I_k of C') = L(C'). So each round is a lower
 * bound for the behaviour of every relaxation, and when a round adds nothing the limit is the least one. For acyclic
 * choreographies that takes few rounds; with cycles the limit may be no regular language at all, so rounds, states of
 * I_k and of the automata are bounded.
 *
 * A state of I_k is a row of numbers: each peer's local state, then each queue's messages from the head on, filled up
 * with EMPTY. Queues: one a receiver (mailbox) or one an ordered pair (p2p), that exchanges something.
 * Threads: one. Cost: states of I_k times peers, and a determination per round. */
#include "frontends/choreography/minimise.h"
#include "frontends/choreography/repair.h"
#include "frontends/choreography/sequence.h"
#include "frontends/choreography/subset.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 4, SYSTEM_STATES_MAX = 20000, AUTOMATON_STATES_MAX = 400 };
#define EMPTY UINT32_MAX

typedef struct arc {
  uint32_t from, label, to;
} arc;
#define HD_ARRAY_NAME arcs
#define HD_ARRAY_TYPE arc
#include "core/base/array.h"

/* I_k of one system, explored. */
typedef struct space {
  const hd_system *system;
  uint32_t bound, width; /* of a row */
  uint32_t *queue_of;    /* per message: the offset of its queue in a row */
  uint32_t queues;
  hdi_sequences rows;
  arcs found;
  uint32_t *row, *next; /* scratch */
} space;

static hd_status place_queues(space *s, hd_semantics semantics, hd_arena *arena) {
  const hd_alphabet *alphabet = &s->system->alphabet;
  s->queue_of = hd_arena_alloc_array(arena, alphabet->message_count, sizeof *s->queue_of);
  if (s->queue_of == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t m = 0; m < alphabet->message_count; m++) {
    const hd_message_info *info = &alphabet->messages[m];
    uint32_t offset = EMPTY;
    for (uint32_t o = 0; o < m && offset == EMPTY; o++) {
      const hd_message_info *other = &alphabet->messages[o];
      bool same = other->to.v == info->to.v && (semantics == HD_MAILBOX || other->from.v == info->from.v);
      offset = same ? s->queue_of[o] : EMPTY;
    }
    s->queue_of[m] = offset != EMPTY ? offset : s->system->machine_count + s->bound * s->queues++;
  }
  s->width = s->system->machine_count + s->bound * s->queues;
  s->row = hd_arena_alloc_array(arena, s->width, sizeof *s->row);
  s->next = hd_arena_alloc_array(arena, s->width, sizeof *s->next);
  return s->row == NULL || s->next == NULL ? HD_E_NOMEM : HD_OK;
}

/* The row after the machine's arc, in s->next; false when it is not possible now. */
static bool move(space *s, uint32_t machine, const hd_machine_arc *a) {
  uint32_t *queue = s->next + s->queue_of[a->message.v];
  memcpy(s->next, s->row, s->width * sizeof *s->next);
  s->next[machine] = a->to;
  if (!a->send) {
    if (queue[0] != a->message.v) {
      return false;
    }
    memmove(queue, queue + 1, (s->bound - 1) * sizeof *queue);
    queue[s->bound - 1] = EMPTY;
    return true;
  }
  uint32_t at = 0;
  while (at < s->bound && queue[at] != EMPTY) {
    at++;
  }
  if (at == s->bound) {
    return false;
  }
  queue[at] = a->message.v;
  return true;
}

static hd_status expand_row(space *s, uint32_t number) {
  uint32_t length = 0;
  memcpy(s->row, hdi_sequences_get(&s->rows, number, &length), s->width * sizeof *s->row);
  for (uint32_t m = 0; m < s->system->machine_count; m++) {
    const hd_machine *machine = &s->system->machines[m];
    uint32_t local = s->row[m];
    for (uint32_t i = machine->first_arc[local]; i < machine->first_arc[local + 1]; i++) {
      const hd_machine_arc *a = &machine->arcs[i];
      if (!move(s, m, a)) {
        continue;
      }
      arc found = {.from = number, .label = a->send ? a->message.v : HDI_SILENT};
      hd_status status = hdi_sequences_add(&s->rows, s->next, s->width, &found.to, NULL);
      status = status == HD_OK ? arcs_push(&s->found, found) : status;
      if (status != HD_OK) {
        return status;
      }
    }
  }
  return s->rows.count > SYSTEM_STATES_MAX ? HD_E_LIMIT : HD_OK;
}

static hd_status explore(space *s) {
  for (uint32_t i = 0; i < s->width; i++) {
    s->row[i] = i < s->system->machine_count ? s->system->machines[i].initial : EMPTY;
  }
  uint32_t first = 0;
  hd_status status = hdi_sequences_add(&s->rows, s->row, s->width, &first, NULL);
  for (uint32_t i = 0; status == HD_OK && i < s->rows.count; i++) {
    status = expand_row(s, i);
  }
  return status;
}

/* All queues empty and every peer may stop. */
static bool may_stop(const space *s, uint32_t number) {
  uint32_t length = 0;
  const uint32_t *row = hdi_sequences_get(&s->rows, number, &length);
  for (uint32_t i = 0; i < s->width; i++) {
    bool fine = i < s->system->machine_count ? s->system->machines[i].may_stop[row[i]] : row[i] == EMPTY;
    if (!fine) {
      return false;
    }
  }
  return true;
}

/* Det of the sends, minimal: a machine of sends whose may_stop says where the system may end. */
static hd_status make_automaton(const space *s, const hd_subset_limits *limits, hd_arena *arena, hd_machine *out,
                                hdi_minimal *minimal) {
  uint32_t count = s->rows.count, arc_count = (uint32_t)s->found.count;
  uint32_t *first = hd_arena_alloc_array(arena, (size_t)count + 1, sizeof *first);
  uint32_t *labels = hd_arena_alloc_array(arena, (size_t)arc_count + 1, sizeof *labels);
  uint32_t *targets = hd_arena_alloc_array(arena, (size_t)arc_count + 1, sizeof *targets);
  if (first == NULL || labels == NULL || targets == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < arc_count; a++) { /* found in the order of `from` */
    first[s->found.data[a].from + 1]++;
    labels[a] = s->found.data[a].label;
    targets[a] = s->found.data[a].to;
  }
  for (uint32_t i = 0; i < count; i++) {
    first[i + 1] += first[i];
  }
  hdi_nfa nfa = {.state_count = count, .initial = 0, .first_arc = first, .arc_label = labels, .arc_to = targets};
  hdi_subsets subsets;
  hd_status status = hdi_subset_construct(&nfa, arena, limits, &subsets);
  if (status != HD_OK) {
    return status;
  }
  *out =
      (hd_machine){.state_count = subsets.state_count, .arc_count = subsets.arc_count, .first_arc = subsets.first_arc};
  out->arcs = hd_arena_alloc_array(arena, (size_t)subsets.arc_count + 1, sizeof *out->arcs);
  out->may_stop = hd_arena_alloc_array(arena, subsets.state_count, sizeof *out->may_stop);
  if (out->arcs == NULL || out->may_stop == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < subsets.arc_count; a++) {
    const hdi_subset_arc *from = &subsets.arcs[a];
    out->arcs[a] = (hd_machine_arc){.from = from->from, .to = from->to, .message = {from->label}, .send = true};
  }
  for (uint32_t d = 0; d < subsets.state_count; d++) {
    for (uint32_t i = subsets.set_start[d]; i < subsets.set_start[d + 1]; i++) {
      out->may_stop[d] = out->may_stop[d] || may_stop(s, subsets.members[i]);
    }
  }
  return hdi_machine_minimise(out, arena, minimal);
}

/* The block with its behaviour replaced by the automaton; without any `final` in the block, ends are what they are. */
static hd_status draft_of(const hdi_repair_query *query, const hd_machine *machine, const hdi_minimal *minimal,
                          hd_arena *arena, hdi_draft **out) {
  const hd_chor *chor = &query->file->blocks[query->block];
  uint32_t *state_of = hd_arena_alloc_array(arena, minimal->class_count, sizeof *state_of);
  hd_status status = state_of == NULL ? HD_E_NOMEM : hdi_draft_open(query->file, query->block, query->costs, out);
  if (status == HD_OK) {
    status = hdi_draft_begin(*out, HDI_EDIT_REPLACE, HDI_CASE_NONE, chor->span,
                             "replaces the behaviour by the least one that the peers can keep to");
  }
  for (uint32_t c = 0; c < minimal->class_count && status == HD_OK; c++) {
    bool final = chor->has_final && machine->may_stop[minimal->representative[c]];
    status = hdi_draft_add_state(*out, HD_NONE, final, &state_of[c]);
  }
  for (uint32_t c = 0; c < minimal->class_count && status == HD_OK; c++) {
    uint32_t state = minimal->representative[c];
    for (uint32_t a = machine->first_arc[state]; a < machine->first_arc[state + 1] && status == HD_OK; a++) {
      uint32_t to = state_of[minimal->class_of[machine->arcs[a].to]];
      status = hdi_draft_add_arc(*out, state_of[c], machine->arcs[a].message, to, HD_NONE);
    }
  }
  return status == HD_OK ? hdi_draft_set_initial(*out, state_of[minimal->class_of[0]]) : status;
}

/* One round: from a file of one block (the messages are the query's) to the next draft. *states: of the automaton. */
static hd_status take_round(const hdi_repair_query *query, const hd_chor_file *file, hdi_draft **out, uint32_t *states,
                            uint32_t *arc_count) {
  hd_subset_limits limits = {
      .states_max = AUTOMATON_STATES_MAX, .deadline_seconds = query->deadline_seconds, .cancel = query->cancel};
  hd_arena *arena = hd_arena_new();
  hd_system *system = NULL;
  space s = {.bound = query->bound};
  hd_machine machine;
  hdi_minimal minimal;
  hd_status status = arena == NULL ? HD_E_NOMEM : hd_project(file, &limits, &system);
  s.system = system;
  if (status == HD_OK) {
    status = place_queues(&s, query->semantics, arena);
  }
  if (status == HD_OK) {
    status = explore(&s);
  }
  if (status == HD_OK) {
    status = make_automaton(&s, &limits, arena, &machine, &minimal);
  }
  if (status == HD_OK) {
    *states = minimal.class_count;
    *arc_count = machine.arc_count;
    status = draft_of(query, &machine, &minimal, arena, out);
  }
  hdi_sequences_free(&s.rows);
  arcs_free(&s.found);
  hd_system_free(system);
  hd_arena_free(arena);
  return status;
}

hd_status hdi_least_relaxation(const hdi_repair_query *query, hdi_draft **draft) {
  *draft = NULL;
  hdi_draft *now = NULL;
  hd_status status = hdi_draft_open(query->file, query->block, query->costs, &now);
  uint32_t states = 0, arc_count = 0;
  for (uint32_t round = 0; status == HD_OK && round < ROUNDS_MAX; round++) {
    hd_chor_file *file = NULL;
    hdi_draft *next = NULL;
    uint32_t states_before = states, arcs_before = arc_count;
    status = hdi_draft_file(now, true, &file);
    if (status == HD_OK) {
      status = take_round(query, file, &next, &states, &arc_count);
    }
    hd_chor_file_free(file);
    hdi_draft_free(now);
    now = next;
    if (status == HD_OK && round > 0 && states == states_before && arc_count == arcs_before) {
      break; /* both minimal, one language inside the other: most likely the limit; deciding it will tell */
    }
  }
  if (status != HD_OK) {
    hdi_draft_free(now);
    return status;
  }
  *draft = now;
  return HD_OK;
}
