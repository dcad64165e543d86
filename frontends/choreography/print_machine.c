/* Draws machines: DOT for people, Aldebaran .aut for tools that compare automata.
 *
 *   DOT   a digraph per machine; an arrow without a source marks the initial state, a double circle one in which the
 *         peer may stop; a send of m to Q is labelled Q!m, a receive of m from Q is labelled Q?m
 *   .aut  des (initial, arcs, states), then one (from, "label", to) a line, with the same labels
 *
 * Sends and receives differ in colour as well as in their mark. Names are escaped for strings in quotes.
 * Threads: any. Cost: linear. Failure: sticks in the buffer. */
#include "frontends/choreography/choreography.h"

#include "core/base/check.h"

void hd_print_escaped(const char *text, hd_buffer *out) {
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\') {
      hd_buffer_add_text(out, "\\");
    }
    hd_buffer_add(out, at, 1);
  }
}

void hd_machine_print_label(const hd_system *system, const hd_machine_arc *arc, hd_buffer *out) {
  const hd_message_info *message = &system->alphabet.messages[arc->message.v];
  hd_print_escaped(system->alphabet.peers[(arc->send ? message->to : message->from).v], out);
  hd_buffer_add_text(out, arc->send ? "!" : "?");
  hd_print_escaped(message->name, out);
}

static void draw_machine(const hd_system *system, const hd_machine *machine, hd_buffer *out) {
  hd_buffer_add_text(out, "digraph \"");
  hd_print_escaped(system->alphabet.peers[machine->peer.v], out);
  hd_buffer_add_text(out, "\" {\n  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n");
  for (uint32_t s = 0; s < machine->state_count; s++) {
    hd_buffer_printf(out, "  n%u [label=\"", (unsigned)s);
    hd_print_escaped(machine->state_names[s], out);
    hd_buffer_add_text(out, machine->may_stop[s] ? "\", shape=doublecircle];\n" : "\"];\n");
  }
  hd_buffer_printf(out, "  start -> n%u;\n", (unsigned)machine->initial);
  for (uint32_t a = 0; a < machine->arc_count; a++) {
    const hd_machine_arc *arc = &machine->arcs[a];
    hd_buffer_printf(out, "  n%u -> n%u [label=\"", (unsigned)arc->from, (unsigned)arc->to);
    hd_machine_print_label(system, arc, out);
    hd_buffer_printf(out, "\", color=%s];\n", arc->send ? "blue" : "darkgreen");
  }
  hd_buffer_add_text(out, "}\n");
}

void hd_machine_print_dot(const hd_system *system, hd_peer peer, hd_buffer *out) {
  HD_REQUIRE(system != NULL && out != NULL && (peer.v == HD_NONE || peer.v < system->machine_count));
  for (uint32_t m = 0; m < system->machine_count; m++) {
    if (peer.v == HD_NONE || peer.v == m) {
      draw_machine(system, &system->machines[m], out);
    }
  }
}

void hd_machine_print_aut(const hd_system *system, hd_peer peer, hd_buffer *out) {
  HD_REQUIRE(system != NULL && out != NULL && peer.v < system->machine_count);
  const hd_machine *machine = &system->machines[peer.v];
  hd_buffer_printf(out, "des (%u, %u, %u)\n", (unsigned)machine->initial, (unsigned)machine->arc_count,
                   (unsigned)machine->state_count);
  for (uint32_t a = 0; a < machine->arc_count; a++) {
    hd_buffer_printf(out, "(%u, \"", (unsigned)machine->arcs[a].from);
    hd_machine_print_label(system, &machine->arcs[a], out);
    hd_buffer_printf(out, "\", %u)\n", (unsigned)machine->arcs[a].to);
  }
}
