/* Comparison and checking of read choreography files, field by field, in the order of choreography.h.
 *
 * Every function returns the first complaint or NULL, so that complaints chain with the macro DEMAND. */
#include "tests/support/chor_equal.h"

#include <string.h>

#define DEMAND(condition, complaint) \
  do {                               \
    if (!(condition)) {              \
      return complaint;              \
    }                                \
  } while (0)

static bool same_text(const char *a, const char *b) {
  return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static const char *alphabet_difference(const hd_alphabet *a, const hd_alphabet *b) {
  DEMAND(a->peer_count == b->peer_count, "number of peers");
  for (uint32_t i = 0; i < a->peer_count; i++) {
    DEMAND(same_text(a->peers[i], b->peers[i]), "a peer's name");
  }
  DEMAND(a->message_count == b->message_count, "number of messages");
  for (uint32_t i = 0; i < a->message_count; i++) {
    const hd_message_info *m = &a->messages[i], *n = &b->messages[i];
    DEMAND(m->from.v == n->from.v && m->to.v == n->to.v && same_text(m->name, n->name), "a message");
  }
  return NULL;
}

static const char *block_difference(const hd_chor *a, const hd_chor *b) {
  DEMAND(same_text(a->name, b->name), "a block's name");
  DEMAND(a->state_count == b->state_count, "number of states");
  DEMAND(a->initial == b->initial, "the initial state");
  DEMAND(a->has_final == b->has_final, "has_final");
  DEMAND(a->arc_count == b->arc_count, "number of arcs");
  DEMAND(a->rule_count == b->rule_count, "number of rules");
  for (uint32_t i = 0; i < a->state_count; i++) {
    DEMAND(same_text(a->states[i].name, b->states[i].name), "a state's name");
    DEMAND(a->states[i].final == b->states[i].final, "a final state");
  }
  for (uint32_t i = 0; i < a->arc_count; i++) {
    const hd_chor_arc *x = &a->arcs[i], *y = &b->arcs[i];
    DEMAND(x->from == y->from && x->to == y->to && x->message.v == y->message.v, "an arc");
  }
  for (uint32_t i = 0; i < a->rule_count; i++) {
    const hd_chor_rule *x = &a->rules[i], *y = &b->rules[i];
    DEMAND(same_text(x->first, y->first) && same_text(x->second, y->second) && x->anywhere == y->anywhere, "a rule");
  }
  return NULL;
}

const char *chor_difference(const hd_chor_file *a, const hd_chor_file *b) {
  const char *difference = alphabet_difference(&a->alphabet, &b->alphabet);
  DEMAND(difference != NULL || a->block_count == b->block_count, "number of blocks");
  for (uint32_t i = 0; difference == NULL && i < a->block_count; i++) {
    difference = block_difference(&a->blocks[i], &b->blocks[i]);
  }
  return difference;
}

/* The state of the block called so, HD_NONE when there is none. */
static uint32_t state_called(const hd_chor *chor, const char *name) {
  for (uint32_t s = 0; s < chor->state_count; s++) {
    if (strcmp(chor->states[s].name, name) == 0) {
      return s;
    }
  }
  return HD_NONE;
}

static bool same_message(const hd_chor_file *a, hd_message x, const hd_chor_file *b, hd_message y) {
  const hd_message_info *m = &a->alphabet.messages[x.v], *n = &b->alphabet.messages[y.v];
  return same_text(m->name, n->name) && same_text(a->alphabet.peers[m->from.v], b->alphabet.peers[n->from.v]) &&
         same_text(a->alphabet.peers[m->to.v], b->alphabet.peers[n->to.v]);
}

static const char *renumbered_state_difference(const hd_chor_file *a, const hd_chor *c, uint32_t s,
                                               const hd_chor_file *b, const hd_chor *d) {
  uint32_t t = state_called(d, c->states[s].name);
  DEMAND(t != HD_NONE, "a state that is missing");
  DEMAND(c->states[s].final == d->states[t].final, "a final state");
  uint32_t arcs = c->first_arc[s + 1] - c->first_arc[s];
  DEMAND(arcs == d->first_arc[t + 1] - d->first_arc[t], "number of a state's arcs");
  for (uint32_t i = 0; i < arcs; i++) {
    const hd_chor_arc *x = &c->arcs[c->first_arc[s] + i], *y = &d->arcs[d->first_arc[t] + i];
    DEMAND(same_message(a, x->message, b, y->message), "an arc's message");
    DEMAND(same_text(c->states[x->to].name, d->states[y->to].name), "an arc's target");
  }
  return NULL;
}

const char *chor_renumbered_difference(const hd_chor_file *a, const hd_chor_file *b) {
  DEMAND(a->block_count == b->block_count, "number of blocks");
  for (uint32_t i = 0; i < a->block_count; i++) {
    const hd_chor *c = &a->blocks[i], *d = &b->blocks[i];
    DEMAND(same_text(c->name, d->name), "a block's name");
    DEMAND(c->state_count == d->state_count, "number of states");
    DEMAND(same_text(c->states[c->initial].name, d->states[d->initial].name), "the initial state");
    DEMAND(c->has_final == d->has_final, "has_final");
    DEMAND(c->rule_count == d->rule_count, "number of rules");
    for (uint32_t r = 0; r < c->rule_count; r++) {
      DEMAND(same_text(c->rules[r].first, d->rules[r].first) && same_text(c->rules[r].second, d->rules[r].second) &&
                 c->rules[r].anywhere == d->rules[r].anywhere,
             "a rule");
    }
    for (uint32_t s = 0; s < c->state_count; s++) {
      const char *difference = renumbered_state_difference(a, c, s, b, d);
      DEMAND(difference == NULL, difference);
    }
  }
  return NULL;
}

static const char *machine_difference(const hd_machine *a, const hd_machine *b) {
  DEMAND(a->peer.v == b->peer.v, "a machine's peer");
  DEMAND(a->state_count == b->state_count, "number of local states");
  DEMAND(a->initial == b->initial, "the initial local state");
  DEMAND(a->arc_count == b->arc_count, "number of transitions");
  for (uint32_t i = 0; i < a->state_count; i++) {
    DEMAND(same_text(a->state_names[i], b->state_names[i]), "a local state's name");
    DEMAND(a->may_stop[i] == b->may_stop[i], "may_stop");
  }
  for (uint32_t i = 0; i < a->arc_count; i++) {
    const hd_machine_arc *x = &a->arcs[i], *y = &b->arcs[i];
    DEMAND(x->from == y->from && x->to == y->to && x->message.v == y->message.v && x->send == y->send, "a transition");
  }
  return NULL;
}

const char *system_difference(const hd_system *a, const hd_system *b) {
  const char *difference = alphabet_difference(&a->alphabet, &b->alphabet);
  DEMAND(difference != NULL || a->machine_count == b->machine_count, "number of machines");
  for (uint32_t i = 0; difference == NULL && i < a->machine_count; i++) {
    difference = machine_difference(&a->machines[i], &b->machines[i]);
  }
  return difference;
}

static bool good_span(hd_span span, size_t text_size) {
  return span.begin < span.end && span.end <= text_size;
}

static const char *alphabet_fault(const hd_alphabet *alphabet, size_t text_size) {
  for (uint32_t i = 0; i < alphabet->message_count; i++) {
    const hd_message_info *message = &alphabet->messages[i];
    DEMAND(message->from.v < alphabet->peer_count && message->to.v < alphabet->peer_count, "a message's peer");
    DEMAND(message->from.v != message->to.v, "a message to its sender");
    DEMAND(good_span(message->first, text_size), "a message's span");
  }
  return NULL;
}

static const char *block_fault(const hd_chor *chor, const hd_alphabet *alphabet, size_t text_size) {
  bool some_final = false;
  DEMAND(chor->state_count > 0 && chor->initial < chor->state_count, "the initial state's number");
  DEMAND(chor->arc_count > 0, "a block without arcs");
  DEMAND(chor->first_arc[0] == 0 && chor->first_arc[chor->state_count] == chor->arc_count, "first_arc's ends");
  DEMAND(good_span(chor->span, text_size), "a block's span");
  for (uint32_t s = 0; s < chor->state_count; s++) {
    DEMAND(good_span(chor->states[s].span, text_size), "a state's span");
    some_final |= chor->states[s].final;
    for (uint32_t a = chor->first_arc[s]; a < chor->first_arc[s + 1]; a++) {
      DEMAND(chor->arcs[a].from == s, "first_arc");
      DEMAND(chor->arcs[a].to < chor->state_count, "an arc's target");
      DEMAND(chor->arcs[a].message.v < alphabet->message_count, "an arc's message");
      DEMAND(good_span(chor->arcs[a].span, text_size), "an arc's span");
    }
  }
  DEMAND(some_final == chor->has_final, "has_final");
  for (uint32_t r = 0; r < chor->rule_count; r++) {
    DEMAND(good_span(chor->rules[r].span, text_size), "a rule's span");
  }
  return NULL;
}

const char *chor_fault(const hd_chor_file *file, size_t text_size) {
  const char *fault = alphabet_fault(&file->alphabet, text_size);
  DEMAND(fault != NULL || file->block_count > 0, "no block");
  for (uint32_t i = 0; fault == NULL && i < file->block_count; i++) {
    fault = block_fault(&file->blocks[i], &file->alphabet, text_size);
  }
  return fault;
}

/* The order that choreography.h promises of a machine's arcs; equal ones are not allowed either. */
static bool in_order(const hd_machine_arc *a, const hd_machine_arc *b) {
  if (a->from != b->from) {
    return a->from < b->from;
  }
  if (a->send != b->send) {
    return a->send;
  }
  return a->message.v != b->message.v ? a->message.v < b->message.v : a->to < b->to;
}

/* `plain`: the text cannot say where a peer may stop. */
static const char *machine_fault(const hd_machine *machine, const hd_alphabet *alphabet, size_t text_size, bool plain) {
  DEMAND(machine->state_count > 0 && machine->initial < machine->state_count, "the initial local state's number");
  DEMAND(machine->first_arc[0] == 0 && machine->first_arc[machine->state_count] == machine->arc_count,
         "a machine's first_arc's ends");
  for (uint32_t s = 0; s < machine->state_count; s++) {
    DEMAND(!plain || machine->may_stop[s] == (machine->first_arc[s] == machine->first_arc[s + 1]), "may_stop");
    for (uint32_t a = machine->first_arc[s]; a < machine->first_arc[s + 1]; a++) {
      const hd_machine_arc *arc = &machine->arcs[a];
      DEMAND(arc->from == s && arc->to < machine->state_count, "a machine's first_arc");
      DEMAND(arc->message.v < alphabet->message_count, "a transition's message");
      const hd_message_info *message = &alphabet->messages[arc->message.v];
      DEMAND((arc->send ? message->from : message->to).v == machine->peer.v, "whose transition it is");
      DEMAND(a == 0 || in_order(&arc[-1], arc), "the order of transitions");
      DEMAND(good_span(arc->span, text_size), "a transition's span");
    }
  }
  return NULL;
}

const char *system_fault(const hd_system *system, size_t text_size) {
  const char *fault = alphabet_fault(&system->alphabet, text_size);
  bool plain = strstr(system->text->data, "--@") == NULL;
  DEMAND(fault != NULL || system->machine_count == system->alphabet.peer_count, "a machine for every peer");
  for (uint32_t i = 0; fault == NULL && i < system->machine_count; i++) {
    DEMAND(system->machines[i].peer.v == i, "machines in peer order");
    fault = machine_fault(&system->machines[i], &system->alphabet, text_size, plain);
  }
  return fault;
}

static const char *chor_round_trip_fault(const hd_chor_file *file) {
  hd_buffer printed = {0};
  hd_text *text = NULL;
  hd_chor_file *again = NULL;
  hd_chor_print(file, &printed);
  const char *fault = NULL;
  if (printed.failed || hd_text_from_bytes("printed", printed.data, printed.size_bytes, &text) != HD_OK) {
    fault = "printing failed";
  } else if (hd_chor_read(text, NULL, &again) != HD_OK) {
    fault = "what was printed cannot be read";
  } else {
    fault = chor_difference(file, again);
  }
  hd_chor_file_free(again);
  hd_text_free(text);
  hd_buffer_free(&printed);
  return fault;
}

static const char *fsa_round_trip_fault(const hd_system *system) {
  hd_buffer printed = {0};
  hd_text *text = NULL;
  hd_system *again = NULL;
  hd_fsa_print(system, (hd_peer){HD_NONE}, &printed);
  const char *fault = NULL;
  if (printed.failed || hd_text_from_bytes("printed", printed.data, printed.size_bytes, &text) != HD_OK) {
    fault = "printing failed";
  } else if (hd_fsa_read(text, NULL, &again) != HD_OK) {
    fault = "what was printed cannot be read";
  } else {
    fault = system_difference(system, again);
  }
  hd_system_free(again);
  hd_text_free(text);
  hd_buffer_free(&printed);
  return fault;
}

/* What a refusal must look like. */
static const char *refusal_fault(hd_status status, const hd_diag *diag, const void *out) {
  DEMAND(status == HD_E_INPUT, "a status that is neither HD_OK nor HD_E_INPUT");
  DEMAND(hd_diag_errors(diag) > 0, "refused without an error");
  DEMAND(out == NULL, "refused with a result");
  return NULL;
}

const char *chor_reading_fault(const char *data, size_t size_bytes) {
  hd_text *text = NULL;
  hd_diag *diag = hd_diag_new();
  hd_chor_file *file = NULL;
  const char *fault = "out of memory";
  if (diag != NULL && hd_text_from_bytes("text.chor", data, size_bytes, &text) == HD_OK) {
    hd_status status = hd_chor_read(text, diag, &file);
    if (status != HD_OK) {
      fault = refusal_fault(status, diag, file);
    } else if (hd_diag_errors(diag) != 0) {
      fault = "accepted with an error";
    } else {
      fault = chor_fault(file, size_bytes);
      fault = fault == NULL ? chor_round_trip_fault(file) : fault;
    }
  }
  hd_chor_file_free(file);
  hd_text_free(text);
  hd_diag_free(diag);
  return fault;
}

const char *fsa_reading_fault(const char *data, size_t size_bytes) {
  hd_text *text = NULL;
  hd_diag *diag = hd_diag_new();
  hd_system *system = NULL;
  const char *fault = "out of memory";
  if (diag != NULL && hd_text_from_bytes("text.fsa", data, size_bytes, &text) == HD_OK) {
    hd_status status = hd_fsa_read(text, diag, &system);
    if (status != HD_OK) {
      fault = refusal_fault(status, diag, system);
    } else if (hd_diag_errors(diag) != 0) {
      fault = "accepted with an error";
    } else {
      fault = system_fault(system, size_bytes);
      fault = fault == NULL ? fsa_round_trip_fault(system) : fault;
    }
  }
  hd_system_free(system);
  hd_text_free(text);
  hd_diag_free(diag);
  return fault;
}
