/* Prints machines as .fsa text that reads back to the same machines.
 *
 * Partners are printed as block numbers, which every tool that reads the format understands; the number is the peer's
 * index, so the text of one machine alone fits into a file with all the others, in peer order. Names that a reader
 * would take for something else (a comment, a directive, several tokens) are put in quotes, an extension of ours;
 * names from a .chor file need them only when they start with `.` or `--`.
 * Where a peer may stop is said in a line that other tools take for a comment, and only when it is not in the states
 * without arcs, so that most of what is printed is the plain format.
 * A state that no arc mentions cannot be said in this format unless it is the initial one.
 * Threads: any. Cost: linear. Failure: sticks in the buffer. */
#include "frontends/choreography/choreography.h"

#include "core/base/check.h"

#include <string.h>

static void print_name(const char *name, hd_buffer *out) {
  bool bare = name[0] != '\0' && name[0] != '.' && strncmp(name, "--", 2) != 0 && strpbrk(name, " !?\"") == NULL;
  if (bare) {
    hd_buffer_add_text(out, name);
    return;
  }
  hd_buffer_add_text(out, "\"");
  for (const char *at = name; *at != '\0'; at++) {
    hd_buffer_add(out, *at == '"' ? "'" : at, 1); /* the format cannot say a quote */
  }
  hd_buffer_add_text(out, "\"");
}

static bool stops_without_arcs(const hd_machine *machine) {
  for (uint32_t s = 0; s < machine->state_count; s++) {
    if (machine->may_stop[s] != (machine->first_arc[s] == machine->first_arc[s + 1])) {
      return false;
    }
  }
  return true;
}

static void print_finals(const hd_machine *machine, hd_buffer *out) {
  hd_buffer_add_text(out, "\n--@ final");
  for (uint32_t s = 0; s < machine->state_count; s++) {
    if (machine->may_stop[s]) {
      hd_buffer_add_text(out, " ");
      print_name(machine->state_names[s], out);
    }
  }
}

static void print_machine(const hd_system *system, const hd_machine *machine, hd_buffer *out) {
  hd_buffer_add_text(out, out->size_bytes > 0 ? "\n.outputs " : ".outputs ");
  print_name(system->alphabet.peers[machine->peer.v], out);
  hd_buffer_add_text(out, "\n.state graph\n");
  for (uint32_t a = 0; a < machine->arc_count; a++) {
    const hd_machine_arc *arc = &machine->arcs[a];
    const hd_message_info *message = &system->alphabet.messages[arc->message.v];
    print_name(machine->state_names[arc->from], out);
    hd_buffer_printf(out, " %u %c ", (unsigned)(arc->send ? message->to : message->from).v, arc->send ? '!' : '?');
    print_name(message->name, out);
    hd_buffer_add_text(out, " ");
    print_name(machine->state_names[arc->to], out);
    hd_buffer_add_text(out, "\n");
  }
  hd_buffer_add_text(out, ".marking ");
  print_name(machine->state_names[machine->initial], out);
  if (!stops_without_arcs(machine)) {
    print_finals(machine, out);
  }
  hd_buffer_add_text(out, "\n.end\n");
}

void hd_fsa_print(const hd_system *system, hd_peer peer, hd_buffer *out) {
  HD_REQUIRE(system != NULL && out != NULL && (peer.v == HD_NONE || peer.v < system->machine_count));
  for (uint32_t m = 0; m < system->machine_count; m++) {
    if (peer.v == HD_NONE || peer.v == m) {
      print_machine(system, &system->machines[m], out);
    }
  }
}
