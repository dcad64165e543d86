/* Makes the system out of what the .fsa reader collected: the canonical numbering of messages and states.
 *
 * What is printed must read back to the same numbers, although the printed order is that of the sorted arcs and not
 * that of the user's file. So the numbers do not follow the order of the text:
 *   - messages are sorted by (sender, receiver, name);
 *   - states are numbered breadth-first from the initial state, over arcs in the order (send before receive, message,
 *     target); states that are not reached follow, each as a new start, in the order of first mention.
 * The order of first mention also breaks ties between targets of one state and message (nondeterminism). Printing by
 * state number mentions them in the order of their numbers, so reading again gives the same ones.
 * Threads: one builder, one thread. Cost: O(n log n) for n transitions. */
#include "frontends/choreography/fsa_builder.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

typedef struct sorted_message {
  uint32_t from, to;
  const char *name; /* borrowed from the names */
  hd_span span;
  uint32_t index; /* in order of first mention */
} sorted_message;

typedef struct system_maker {
  hdi_fsa_builder *builder;
  hd_arena *arena;
  sorted_message *messages; /* message_count of them */
  uint32_t message_count;
  uint32_t *message_of; /* per transition: its message, by first mention and later by sorted order */
  uint32_t *rank;       /* message by first mention -> sorted */
  /* Of one machine at a time, as large as the largest may be. */
  hd_machine_arc *arcs;
  uint32_t *first_arc, *number, *queue; /* per state */
} system_maker;

static int compare_numbers(uint32_t a, uint32_t b) {
  return (a > b) - (a < b);
}

static int compare_messages(const void *left, const void *right) {
  const sorted_message *a = left, *b = right;
  int order = compare_numbers(a->from, b->from);
  order = order != 0 ? order : compare_numbers(a->to, b->to);
  return order != 0 ? order : strcmp(a->name, b->name);
}

/* The order of hd_machine.arcs; of equal ones the first in the text comes first. */
static int compare_arcs(const void *left, const void *right) {
  const hd_machine_arc *a = left, *b = right;
  int order = compare_numbers(a->from, b->from);
  order = order != 0 ? order : (int)b->send - (int)a->send;
  order = order != 0 ? order : compare_numbers(a->message.v, b->message.v);
  order = order != 0 ? order : compare_numbers(a->to, b->to);
  return order != 0 ? order : compare_numbers(a->span.begin, b->span.begin);
}

static bool same_arc(const hd_machine_arc *a, const hd_machine_arc *b) {
  return a->from == b->from && a->send == b->send && a->message.v == b->message.v && a->to == b->to;
}

/* Collects the message of one transition of `machine`. */
static bool collect_message(system_maker *maker, hdi_triple_map *known, uint32_t machine, uint32_t transition) {
  const hdi_transition_draft *draft = &maker->builder->transitions.data[transition];
  uint32_t from = draft->send ? machine : draft->partner_machine;
  uint32_t to = draft->send ? draft->partner_machine : machine;
  uint32_t *index = NULL;
  bool fresh = false;
  if (!hdi_keep(maker->builder->lexer, hdi_triple_map_put(known, (hdi_triple){from, to, draft->message.v},
                                                          maker->message_count, &index, &fresh))) {
    return false;
  }
  maker->message_of[transition] = *index;
  if (fresh) {
    maker->messages[maker->message_count] =
        (sorted_message){.from = from,
                         .to = to,
                         .name = hd_names_text(maker->builder->names, draft->message),
                         .span = draft->message_span,
                         .index = maker->message_count};
    maker->message_count++;
  }
  return true;
}

static bool collect_messages(system_maker *maker) {
  hdi_triple_map known = {0};
  bool made = true;
  for (uint32_t m = 0; made && m < maker->builder->machines.count; m++) {
    uint32_t end = hdi_fsa_machine_end(maker->builder, m).transition_start;
    for (uint32_t t = maker->builder->machines.data[m].transition_start; made && t < end; t++) {
      made = collect_message(maker, &known, m, t);
    }
  }
  hdi_triple_map_free(&known);
  return made;
}

static void sort_messages(system_maker *maker) {
  qsort(maker->messages, maker->message_count, sizeof maker->messages[0], compare_messages);
  for (uint32_t i = 0; i < maker->message_count; i++) {
    maker->rank[maker->messages[i].index] = i;
  }
  for (size_t t = 0; t < maker->builder->transitions.count; t++) {
    maker->message_of[t] = maker->rank[maker->message_of[t]];
  }
}

static const char *copy_name(const system_maker *maker, hd_name name) {
  const char *text = hd_names_text(maker->builder->names, name);
  return hd_arena_copy_text(maker->arena, text, strlen(text));
}

static bool build_alphabet(const system_maker *maker, hd_alphabet *out) {
  out->peer_count = (uint32_t)maker->builder->machines.count;
  out->message_count = maker->message_count;
  out->peers = hd_arena_alloc_array(maker->arena, out->peer_count, sizeof out->peers[0]);
  out->messages = hd_arena_alloc_array(maker->arena, out->message_count, sizeof out->messages[0]);
  if (out->peers == NULL || out->messages == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < out->peer_count; i++) {
    out->peers[i] = copy_name(maker, maker->builder->machines.data[i].name);
    if (out->peers[i] == NULL) {
      return false;
    }
  }
  for (uint32_t i = 0; i < out->message_count; i++) {
    const sorted_message *message = &maker->messages[i];
    out->messages[i] = (hd_message_info){.from = {message->from},
                                         .to = {message->to},
                                         .name = hd_arena_copy_text(maker->arena, message->name, strlen(message->name)),
                                         .first = message->span};
    if (out->messages[i].name == NULL) {
      return false;
    }
  }
  return true;
}

/* Takes the machine's transitions, without repetitions, into maker->arcs, sorted by states as first mentioned. */
static uint32_t take_arcs(system_maker *maker, uint32_t machine, uint32_t state_start) {
  uint32_t begin = maker->builder->machines.data[machine].transition_start;
  uint32_t given = hdi_fsa_machine_end(maker->builder, machine).transition_start - begin;
  hd_machine_arc *arcs = maker->arcs;
  for (uint32_t i = 0; i < given; i++) {
    const hdi_transition_draft *draft = &maker->builder->transitions.data[begin + i];
    arcs[i] = (hd_machine_arc){.from = draft->from - state_start,
                               .to = draft->to - state_start,
                               .message = {maker->message_of[begin + i]},
                               .send = draft->send,
                               .span = draft->span};
  }
  qsort(arcs, given, sizeof arcs[0], compare_arcs);
  uint32_t count = 0;
  for (uint32_t i = 0; i < given; i++) {
    if (count > 0 && same_arc(&arcs[count - 1], &arcs[i])) {
      hdi_report(maker->builder->lexer, HDI_TRANSITION_TWICE, arcs[i].span,
                 hdi_show_line(maker->builder->lexer, arcs[count - 1].span).text, NULL);
    } else {
      arcs[count++] = arcs[i];
    }
  }
  return count;
}

/* Offsets of each state's arcs in `arcs`, which are sorted by from; first_arc[0 .. state_count] are zero before. */
static void index_arcs(const hd_machine_arc *arcs, uint32_t arc_count, uint32_t state_count, uint32_t *first_arc) {
  for (uint32_t i = 0; i < arc_count; i++) {
    first_arc[arcs[i].from + 1]++;
  }
  for (uint32_t s = 0; s < state_count; s++) {
    first_arc[s + 1] += first_arc[s];
  }
}

/* Numbers, in breadth-first order, everything that `start` reaches and that has no number yet. */
static uint32_t number_from(system_maker *maker, uint32_t start, uint32_t next) {
  uint32_t done = next;
  maker->number[start] = next;
  maker->queue[next++] = start;
  while (done < next) {
    uint32_t state = maker->queue[done++];
    for (uint32_t a = maker->first_arc[state]; a < maker->first_arc[state + 1]; a++) {
      uint32_t to = maker->arcs[a].to;
      if (maker->number[to] == HD_NONE) {
        maker->number[to] = next;
        maker->queue[next++] = to;
      }
    }
  }
  return next;
}

static void number_states(system_maker *maker, uint32_t machine, uint32_t state_start, uint32_t state_count,
                          uint32_t arc_count) {
  const hdi_fsa_builder *builder = maker->builder;
  memset(maker->first_arc, 0, ((size_t)state_count + 1) * sizeof maker->first_arc[0]);
  memset(maker->number, 0xFF, state_count * sizeof maker->number[0]);
  index_arcs(maker->arcs, arc_count, state_count, maker->first_arc);
  uint32_t initial = builder->machines.data[machine].initial;
  uint32_t next = number_from(maker, initial - state_start, 0);
  uint32_t reached = next;
  for (uint32_t s = 0; next < state_count && s < state_count; s++) {
    if (maker->number[s] == HD_NONE) {
      next = number_from(maker, s, next);
    }
  }
  HD_ASSERT(next == state_count);
  const char *initial_name = hd_names_text(builder->names, builder->states.data[initial].name);
  for (uint32_t i = reached; i < state_count; i++) {
    const hdi_local_state_draft *draft = &builder->states.data[state_start + maker->queue[i]];
    const char *name = hd_names_text(builder->names, draft->name);
    hdi_report(builder->lexer, HDI_UNREACHABLE, draft->span, hdi_show(name, strlen(name)).text,
               hdi_show(initial_name, strlen(initial_name)).text);
  }
}

static bool build_machine(system_maker *maker, uint32_t index, hd_machine *out) {
  uint32_t state_start = maker->builder->machines.data[index].state_start;
  *out = (hd_machine){.peer = {index},
                      .state_count = hdi_fsa_machine_end(maker->builder, index).state_start - state_start,
                      .initial = 0};
  out->arc_count = take_arcs(maker, index, state_start);
  number_states(maker, index, state_start, out->state_count, out->arc_count);
  for (uint32_t i = 0; i < out->arc_count; i++) {
    maker->arcs[i].from = maker->number[maker->arcs[i].from];
    maker->arcs[i].to = maker->number[maker->arcs[i].to];
  }
  qsort(maker->arcs, out->arc_count, sizeof maker->arcs[0], compare_arcs);
  out->arcs = hd_arena_alloc_array(maker->arena, out->arc_count, sizeof out->arcs[0]);
  out->first_arc = hd_arena_alloc_array(maker->arena, (size_t)out->state_count + 1, sizeof out->first_arc[0]);
  out->state_names = hd_arena_alloc_array(maker->arena, out->state_count, sizeof out->state_names[0]);
  out->may_stop = hd_arena_alloc_array(maker->arena, out->state_count, sizeof out->may_stop[0]);
  if (out->arcs == NULL || out->first_arc == NULL || out->state_names == NULL || out->may_stop == NULL) {
    return false;
  }
  memcpy(out->arcs, maker->arcs, out->arc_count * sizeof out->arcs[0]);
  index_arcs(out->arcs, out->arc_count, out->state_count, out->first_arc);
  for (uint32_t s = 0; s < out->state_count; s++) {
    uint32_t draft = state_start + maker->queue[s];
    out->may_stop[s] = maker->builder->machines.data[index].has_finals
                           ? maker->builder->states.data[draft].final_at != HD_NONE
                           : out->first_arc[s] == out->first_arc[s + 1];
    out->state_names[s] = copy_name(maker, maker->builder->states.data[draft].name);
    if (out->state_names[s] == NULL) {
      return false;
    }
  }
  return true;
}

static hd_system *build_system(system_maker *maker) {
  hd_system *system = hd_arena_alloc(maker->arena, sizeof *system);
  if (system == NULL || !collect_messages(maker)) {
    return NULL;
  }
  sort_messages(maker);
  system->arena = maker->arena;
  system->text = maker->builder->lexer->text;
  system->machine_count = (uint32_t)maker->builder->machines.count;
  system->machines = hd_arena_alloc_array(maker->arena, system->machine_count, sizeof system->machines[0]);
  bool made = system->machines != NULL && build_alphabet(maker, &system->alphabet);
  for (uint32_t i = 0; made && i < system->machine_count; i++) {
    made = build_machine(maker, i, &system->machines[i]);
  }
  return made ? system : NULL;
}

hd_system *hdi_fsa_build_system(hdi_fsa_builder *builder) {
  size_t transitions = builder->transitions.count, states = builder->states.count;
  HD_ASSERT(transitions > 0 && states > 0);
  system_maker maker = {.builder = builder,
                        .arena = hd_arena_new(),
                        .messages = calloc(transitions, sizeof maker.messages[0]),
                        .message_of = calloc(transitions, sizeof maker.message_of[0]),
                        .rank = calloc(transitions, sizeof maker.rank[0]),
                        .arcs = malloc(transitions * sizeof maker.arcs[0]),
                        .first_arc = malloc((states + 1) * sizeof maker.first_arc[0]),
                        .number = malloc(states * sizeof maker.number[0]),
                        .queue = malloc(states * sizeof maker.queue[0])};
  bool ready = maker.arena != NULL && maker.messages != NULL && maker.message_of != NULL && maker.rank != NULL &&
               maker.arcs != NULL && maker.first_arc != NULL && maker.number != NULL && maker.queue != NULL;
  hd_system *system = ready ? build_system(&maker) : NULL;
  if (system == NULL) {
    hd_arena_free(maker.arena);
  }
  free(maker.messages);
  free(maker.message_of);
  free(maker.rank);
  free(maker.arcs);
  free(maker.first_arc);
  free(maker.number);
  free(maker.queue);
  return system;
}
