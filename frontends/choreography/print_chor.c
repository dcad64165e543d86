/* Prints a choreography file as .chor text that reads back to the same structure.
 *
 * The reader numbers states by their headers first and then by first mention, and messages and peers by first mention.
 * So: a `peers` line in the order of the alphabet, headers in the order of the states, arcs below their state. States
 * at the end that need no header (no arcs, not final, not initial) get none when their first mention in the printed
 * arcs gives them the same number; a file as people write it is printed as they write it.
 * Requires what the reader guarantees: disjoint peers per block, in block order; states' arcs together, from sorted.
 * A peer that no arc mentions is printed with the block of the peer before it in the alphabet.
 * Threads: any. Cost: linear. Failure: sticks in the buffer. */
#include "frontends/choreography/choreography.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

/* block_of[p]: the block that peer p is printed with. */
static void find_blocks(const hd_chor_file *file, uint32_t *block_of) {
  const hd_alphabet *alphabet = &file->alphabet;
  for (uint32_t p = 0; p < alphabet->peer_count; p++) {
    block_of[p] = HD_NONE;
  }
  for (uint32_t b = 0; b < file->block_count; b++) {
    for (uint32_t a = 0; a < file->blocks[b].arc_count; a++) {
      const hd_message_info *message = &alphabet->messages[file->blocks[b].arcs[a].message.v];
      block_of[message->from.v] = block_of[message->to.v] = b;
    }
  }
  uint32_t block = 0;
  for (uint32_t p = 0; p < alphabet->peer_count; p++) {
    block = block_of[p] == HD_NONE ? block : block_of[p];
    block_of[p] = block;
  }
}

/* How many states, counted from 0, get a header. */
static uint32_t count_headers(const hd_chor *chor) {
  uint32_t needed = chor->initial + 1;
  for (uint32_t s = 0; s < chor->state_count; s++) {
    if (chor->states[s].final || chor->first_arc[s] != chor->first_arc[s + 1]) {
      needed = s + 1 > needed ? s + 1 : needed;
    }
  }
  uint32_t next = needed; /* the number that the next state without a header gets when it is read */
  for (uint32_t a = 0; a < chor->arc_count; a++) {
    uint32_t to = chor->arcs[a].to;
    if (to > next) {
      return chor->state_count; /* mentioned out of order */
    }
    next += to == next ? 1 : 0;
  }
  return next == chor->state_count ? needed : chor->state_count; /* all mentioned, in order */
}

static void print_rules(const hd_chor *chor, hd_buffer *out) {
  for (uint32_t r = 0; r < chor->rule_count; r++) {
    const hd_chor_rule *rule = &chor->rules[r];
    hd_buffer_printf(out, "never %s%s %s\n", rule->first, rule->anywhere ? " .." : ",", rule->second);
  }
}

static void print_states(const hd_chor_file *file, const hd_chor *chor, hd_buffer *out) {
  uint32_t headers = count_headers(chor);
  for (uint32_t s = 0; s < headers; s++) {
    bool say_initial = s == chor->initial && s != 0; /* the first header is the initial state without saying so */
    hd_buffer_printf(out, "%s%sstate %s:\n", say_initial ? "initial " : "", chor->states[s].final ? "final " : "",
                     chor->states[s].name);
    for (uint32_t a = chor->first_arc[s]; a < chor->first_arc[s + 1]; a++) {
      const hd_message_info *message = &file->alphabet.messages[chor->arcs[a].message.v];
      hd_buffer_printf(out, "  %s -> %s : %s => %s\n", file->alphabet.peers[message->from.v],
                       file->alphabet.peers[message->to.v], message->name, chor->states[chor->arcs[a].to].name);
    }
  }
}

void hd_chor_print(const hd_chor_file *file, hd_buffer *out) {
  HD_REQUIRE(file != NULL && out != NULL);
  const hd_alphabet *alphabet = &file->alphabet;
  uint32_t *block_of = malloc(((size_t)alphabet->peer_count + 1) * sizeof block_of[0]);
  if (block_of == NULL) {
    out->failed = 1;
    return;
  }
  find_blocks(file, block_of);
  uint32_t peer = 0;
  for (uint32_t b = 0; b < file->block_count; b++) {
    const hd_chor *chor = &file->blocks[b];
    hd_buffer_add_text(out, b > 0 ? "\n" : "");
    if (chor->name != NULL) {
      hd_buffer_printf(out, "choreography %s\n", chor->name);
    } else if (b > 0) {
      hd_buffer_add_text(out, "choreography\n");
    }
    for (uint32_t first = peer; peer < alphabet->peer_count && block_of[peer] == b; peer++) {
      hd_buffer_printf(out, "%s%s", peer == first ? "peers " : ", ", alphabet->peers[peer]);
    }
    hd_buffer_add_text(out, "\n");
    print_rules(chor, out);
    print_states(file, chor, out);
  }
  HD_ASSERT(peer == alphabet->peer_count);
  free(block_of);
}
