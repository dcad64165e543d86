/* The tables behind the .fsa reader: names, partners, and the checks.
 *
 *   machines     P0        | P1    | P2        in the order of their blocks; a block number is an index here
 *   states       q0 q1 q2  | q0 q1 | a         by first mention, contiguous per machine
 *   transitions  ......... | ..... |           in the order of the text
 *   finals       q2        |       | a         names as listed, looked up at the end of their block
 *
 * A partner may be a block further down, so partners are looked up when all blocks are known; the finished system is
 * then made by fsa_system.c. Checks that need a whole block or file are made only when nothing was wrong before in it,
 * so that one mistake is not reported as another one's consequence too.
 * Threads: one builder, one thread. Cost: O(size of the file) expected. */
#include "frontends/choreography/fsa_builder.h"

#include "core/base/check.h"

#include <stdio.h>
#include <string.h>

bool hdi_fsa_builder_open(hdi_fsa_builder *builder, hdi_lexer *lexer, uint32_t items_max) {
  *builder = (hdi_fsa_builder){.lexer = lexer, .items_max = items_max, .names = hd_names_new()};
  return hdi_keep(lexer, builder->names == NULL ? HD_E_NOMEM : HD_OK);
}

void hdi_fsa_builder_close(hdi_fsa_builder *builder) {
  hd_names_free(builder->names);
  hdi_machine_drafts_free(&builder->machines);
  hdi_local_state_drafts_free(&builder->states);
  hdi_transition_drafts_free(&builder->transitions);
  hdi_final_drafts_free(&builder->finals);
  hdi_pair_map_free(&builder->machine_of);
  hdi_pair_map_free(&builder->state_of);
}

static bool keep(hdi_fsa_builder *builder, hd_status status) {
  return hdi_keep(builder->lexer, status);
}

static bool has_room(hdi_fsa_builder *builder, size_t count, const char *what, hd_span span) {
  if (count < builder->items_max) {
    return true;
  }
  hdi_report(builder->lexer, HDI_TOO_MANY, span, hdi_show_number(builder->items_max).text, what);
  return false;
}

static bool intern(hdi_fsa_builder *builder, const hdi_token *token, hd_name *name) {
  return keep(builder, hd_names_add(builder->names, token->data, token->length, name));
}

static hdi_machine_draft *current(const hdi_fsa_builder *builder) {
  HD_ASSERT(builder->machines.count > 0);
  return &builder->machines.data[builder->machines.count - 1];
}

hdi_machine_draft hdi_fsa_machine_end(const hdi_fsa_builder *builder, uint32_t machine) {
  if (machine + 1 < builder->machines.count) {
    return builder->machines.data[machine + 1];
  }
  return (hdi_machine_draft){.state_start = (uint32_t)builder->states.count,
                             .transition_start = (uint32_t)builder->transitions.count};
}

bool hdi_fsa_add_machine(hdi_fsa_builder *builder, const hdi_token *name, hd_span span) {
  hdi_machine_draft machine = {.name = HD_NO_NAME,
                               .span = name == NULL ? span : name->span,
                               .initial = HD_NONE,
                               .state_start = (uint32_t)builder->states.count,
                               .transition_start = (uint32_t)builder->transitions.count,
                               .final_start = (uint32_t)builder->finals.count,
                               .errors_before = builder->lexer->errors};
  if (!has_room(builder, builder->machines.count, "machines", span)) {
    return false;
  }
  if (name != NULL) {
    uint32_t *known = NULL;
    bool fresh = false;
    if (!intern(builder, name, &machine.name) ||
        !keep(builder, hdi_pair_map_put(&builder->machine_of, (hdi_pair){0, machine.name.v},
                                        (uint32_t)builder->machines.count, &known, &fresh))) {
      return false;
    }
    if (!fresh) {
      hdi_report(builder->lexer, HDI_MACHINE_TWICE, name->span, hdi_show(name->data, name->length).text,
                 hdi_show_line(builder->lexer, builder->machines.data[*known].span).text);
    }
  }
  return keep(builder, hdi_machine_drafts_push(&builder->machines, machine));
}

void hdi_fsa_set_graph(hdi_fsa_builder *builder, hd_span span) {
  hdi_machine_draft *machine = current(builder);
  if (machine->has_graph) {
    hdi_report(builder->lexer, HDI_GRAPH_TWICE, span, hdi_show_line(builder->lexer, machine->graph_span).text, NULL);
    return;
  }
  machine->has_graph = true;
  machine->graph_span = span;
}

static bool find_state(hdi_fsa_builder *builder, const hdi_token *token, bool in_transition, uint32_t *out) {
  uint32_t *known = NULL;
  bool fresh = false;
  hd_name name;
  if (!intern(builder, token, &name) ||
      !keep(builder, hdi_pair_map_put(&builder->state_of, (hdi_pair){(uint32_t)builder->machines.count, name.v},
                                      (uint32_t)builder->states.count, &known, &fresh))) {
    return false;
  }
  *out = *known;
  if (fresh) {
    hdi_local_state_draft draft = {.name = name, .final_at = HD_NONE, .span = token->span};
    if (!has_room(builder, builder->states.count, "states", token->span) ||
        !keep(builder, hdi_local_state_drafts_push(&builder->states, draft))) {
      return false;
    }
  }
  builder->states.data[*out].in_transition |= in_transition;
  return true;
}

bool hdi_fsa_set_initial(hdi_fsa_builder *builder, const hdi_token *state) {
  hdi_machine_draft *machine = current(builder);
  if (machine->initial != HD_NONE) {
    hdi_report(builder->lexer, HDI_INITIAL_TWICE, state->span, hdi_show(state->data, state->length).text,
               hdi_show_line(builder->lexer, machine->initial_span).text);
    return true;
  }
  machine->initial_span = state->span;
  return find_state(builder, state, false, &machine->initial);
}

void hdi_fsa_set_finals(hdi_fsa_builder *builder) {
  current(builder)->has_finals = true;
}

bool hdi_fsa_add_final(hdi_fsa_builder *builder, const hdi_token *state) {
  hdi_final_draft draft = {.span = state->span};
  return has_room(builder, builder->finals.count, "final states", state->span) && intern(builder, state, &draft.name) &&
         keep(builder, hdi_final_drafts_push(&builder->finals, draft));
}

static bool is_number(const hdi_token *token) {
  for (size_t i = 0; i < token->length; i++) {
    if (token->data[i] < '0' || token->data[i] > '9') {
      return false;
    }
  }
  return !token->quoted;
}

bool hdi_fsa_add_transition(hdi_fsa_builder *builder, const hdi_transition_words *words) {
  hdi_transition_draft draft = {.partner_span = words->partner.span,
                                .partner_machine = HD_NONE,
                                .message_span = words->message.span,
                                .send = words->send,
                                .partner_is_number = is_number(&words->partner),
                                .span = {words->from.span.begin, words->to.span.end}};
  return has_room(builder, builder->transitions.count, "transitions", draft.span) &&
         find_state(builder, &words->from, true, &draft.from) && intern(builder, &words->partner, &draft.partner) &&
         intern(builder, &words->message, &draft.message) && find_state(builder, &words->to, true, &draft.to) &&
         keep(builder, hdi_transition_drafts_push(&builder->transitions, draft));
}

static hdi_words show_name(const hdi_fsa_builder *builder, hd_name name) {
  const char *text = hd_names_text(builder->names, name);
  return hdi_show(text, strlen(text));
}

/* The generated name of a block without one: M and its number, with a further number while a block is called so. */
static bool name_machine(hdi_fsa_builder *builder, uint32_t machine) {
  hdi_words words;
  (void)snprintf(words.text, sizeof words.text, "M%u", (unsigned)machine);
  bool fresh = false;
  for (unsigned attempt = 1; !fresh; attempt++) {
    hd_name name;
    if (!keep(builder, hd_names_add(builder->names, words.text, strlen(words.text), &name)) ||
        !keep(builder, hdi_pair_map_put(&builder->machine_of, (hdi_pair){0, name.v}, machine, NULL, &fresh))) {
      return false;
    }
    builder->machines.data[machine].name = name;
    (void)snprintf(words.text, sizeof words.text, "M%u.%u", (unsigned)machine, attempt);
  }
  return true;
}

/* Looks up the final states of the block that ends. */
static void resolve_finals(hdi_fsa_builder *builder) {
  for (size_t i = current(builder)->final_start; i < builder->finals.count; i++) {
    const hdi_final_draft *draft = &builder->finals.data[i];
    hdi_pair key = {(uint32_t)builder->machines.count, draft->name.v};
    const uint32_t *known = hdi_pair_map_get(&builder->state_of, key);
    if (known == NULL) {
      hdi_report(builder->lexer, HDI_FINAL_UNKNOWN, draft->span, show_name(builder, draft->name).text, NULL);
      continue;
    }
    uint32_t *final_at = &builder->states.data[*known].final_at;
    if (*final_at == HD_NONE) {
      *final_at = draft->span.begin;
    } else {
      hdi_report(builder->lexer, HDI_FINAL_TWICE, draft->span, show_name(builder, draft->name).text,
                 hdi_show_line(builder->lexer, (hd_span){*final_at, *final_at}).text);
    }
  }
}

void hdi_fsa_end_machine(hdi_fsa_builder *builder, hd_span span) {
  const hdi_machine_draft *machine = current(builder);
  if (builder->lexer->errors != machine->errors_before) {
    return;
  }
  if (machine->initial != HD_NONE) {
    resolve_finals(builder);
    return;
  }
  hdi_words name;
  if (machine->name.v != HD_NO_NAME.v) {
    name = show_name(builder, machine->name);
  } else {
    (void)snprintf(name.text, sizeof name.text, "M%zu", builder->machines.count - 1);
  }
  hdi_report(builder->lexer, HDI_NO_MARKING, span, name.text, NULL);
}

/* The block number that the digits name; machines.count or more when there is none. */
static size_t parse_number(const hdi_fsa_builder *builder, const char *digits) {
  size_t number = 0;
  for (const char *at = digits; *at != '\0' && number < builder->machines.count; at++) {
    number = number * 10 + (size_t)(*at - '0');
  }
  return number;
}

static void resolve_partner(hdi_fsa_builder *builder, uint32_t machine, hdi_transition_draft *draft) {
  hdi_words shown = show_name(builder, draft->partner);
  if (draft->partner_is_number) {
    size_t number = parse_number(builder, hd_names_text(builder->names, draft->partner));
    if (number >= builder->machines.count) {
      hdi_report(builder->lexer, HDI_PARTNER_NUMBER, draft->partner_span, shown.text,
                 hdi_show_number(builder->machines.count - 1).text);
      return;
    }
    draft->partner_machine = (uint32_t)number;
  } else {
    const uint32_t *known = hdi_pair_map_get(&builder->machine_of, (hdi_pair){0, draft->partner.v});
    if (known == NULL) {
      hdi_report(builder->lexer, HDI_PARTNER_UNKNOWN, draft->partner_span, shown.text, NULL);
      return;
    }
    draft->partner_machine = *known;
  }
  if (draft->partner_machine == machine) {
    hdi_report(builder->lexer, HDI_SELF_MESSAGE, draft->partner_span,
               show_name(builder, builder->machines.data[machine].name).text, NULL);
  }
}

static void check_machine(hdi_fsa_builder *builder, uint32_t number) {
  const hdi_machine_draft *machine = &builder->machines.data[number];
  hdi_machine_draft end = hdi_fsa_machine_end(builder, number);
  for (uint32_t t = machine->transition_start; t < end.transition_start; t++) {
    resolve_partner(builder, number, &builder->transitions.data[t]);
  }
  HD_ASSERT(machine->initial != HD_NONE); /* hdi_fsa_end_machine reports its absence */
  const hdi_local_state_draft *initial = &builder->states.data[machine->initial];
  if (machine->transition_start != end.transition_start && !initial->in_transition) {
    hdi_report(builder->lexer, HDI_MARKING_UNKNOWN, machine->initial_span, show_name(builder, initial->name).text,
               NULL);
  }
}

/* False when memory is out or something is wrong; nothing is said about a file that already has errors. */
static bool check_whole(hdi_fsa_builder *builder) {
  hdi_lexer *lexer = builder->lexer;
  if (lexer->errors != 0) {
    return false;
  }
  if (builder->machines.count == 0) {
    hdi_report(lexer, HDI_NO_MACHINE, (hd_span){0, 0}, NULL, NULL);
  } else if (builder->transitions.count == 0) {
    hdi_report(lexer, HDI_NO_TRANSITION, builder->machines.data[0].span, NULL, NULL);
  }
  for (uint32_t i = 0; i < builder->machines.count; i++) {
    if (builder->machines.data[i].name.v == HD_NO_NAME.v && !name_machine(builder, i)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < builder->machines.count; i++) {
    check_machine(builder, i);
  }
  return lexer->errors == 0;
}

hd_system *hdi_fsa_finish(hdi_fsa_builder *builder) {
  if (!check_whole(builder)) {
    return NULL;
  }
  hd_system *system = hdi_fsa_build_system(builder);
  (void)keep(builder, system == NULL ? HD_E_NOMEM : HD_OK);
  return system;
}
