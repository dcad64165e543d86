/* Writes repaired choreographies back as contracts (contract.h).
 *
 *   kept: everything up to the first `state`   new: declarations of new messages, the states   kept: from the `}` on
 *
 * A state has a name of its own when several transitions lead to it and it goes on, when several start in it, when it
 * is the initial state, or when the user named it; otherwise it is a point between two messages of the sequence that
 * passes through. A state between messages that needs a name gets that of its place with _ for the points, and a number
 * when that is taken. Threads: any. Cost: quadratic in the states of a contract, which are few. */
#include "frontends/choreography/contract.h"

#include <stdlib.h>
#include <string.h>

typedef struct writer {
  const hd_chor_file *file; /* of one block */
  const hd_chor *chor;
  uint32_t *ways; /* per state: transitions that lead to it */
  hd_arena *arena;
  const char **names; /* per state: its name, NULL: it has none */
  hd_buffer *out;
} writer;

static bool is_unnamed(const hd_chor *chor, uint32_t state) {
  return strchr(chor->states[state].name, '.') != NULL;
}

/* Can the state stand between two messages, or end a sequence, without a name? */
static bool is_point(const writer *w, uint32_t state) {
  uint32_t arcs = w->chor->first_arc[state + 1] - w->chor->first_arc[state];
  bool ends = arcs == 0; /* any number of sequences may end without naming where */
  return is_unnamed(w->chor, state) && state != w->chor->initial && (ends || (w->ways[state] <= 1 && arcs == 1));
}

static bool is_taken(const writer *w, const char *name) {
  for (uint32_t s = 0; s < w->chor->state_count; s++) {
    const char *known = w->names[s] != NULL ? w->names[s] : w->chor->states[s].name;
    if (strcmp(known, name) == 0) {
      return true;
    }
  }
  for (uint32_t m = 0; m < w->file->alphabet.message_count; m++) {
    if (strcmp(w->file->alphabet.messages[m].name, name) == 0) {
      return true;
    }
  }
  return false;
}

static hd_status name_states(writer *w) {
  for (uint32_t s = 0; s < w->chor->state_count; s++) {
    if (is_point(w, s)) {
      continue;
    }
    if (!is_unnamed(w->chor, s)) {
      w->names[s] = w->chor->states[s].name;
      continue;
    }
    char *name = hd_arena_copy_text(w->arena, w->chor->states[s].name, strlen(w->chor->states[s].name));
    for (char *c = name; name != NULL && *c != '\0'; c++) {
      *c = *c == '.' ? '_' : *c;
    }
    const char *fresh = name;
    for (uint32_t n = 1; fresh != NULL && is_taken(w, fresh); n++) {
      fresh = hd_arena_printf(w->arena, "%s_%u", name, n);
    }
    if (fresh == NULL) {
      return HD_E_NOMEM;
    }
    w->names[s] = fresh;
  }
  return HD_OK;
}

/* A sequence from one transition on, through the points. */
static void write_sequence(const writer *w, uint32_t arc) {
  const hd_alphabet *alphabet = &w->file->alphabet;
  for (;;) {
    const hd_chor_arc *a = &w->chor->arcs[arc];
    const hd_message_info *info = &alphabet->messages[a->message.v];
    bool from_client = alphabet->peers[info->from.v][0] == 'C';
    hd_buffer_printf(w->out, "%s%c", info->name, from_client ? '?' : '!');
    if (w->names[a->to] != NULL) {
      hd_buffer_printf(w->out, " -> %s", w->names[a->to]);
      break;
    }
    if (w->chor->first_arc[a->to] == w->chor->first_arc[a->to + 1]) {
      break; /* the sequence ends here */
    }
    hd_buffer_add_text(w->out, " -> ");
    arc = w->chor->first_arc[a->to];
  }
  hd_buffer_add_text(w->out, ";");
}

static void write_state(const writer *w, uint32_t state) {
  uint32_t first = w->chor->first_arc[state], end = w->chor->first_arc[state + 1];
  hd_buffer_printf(w->out, "  state %s: ", w->names[state]);
  if (end - first == 1) {
    write_sequence(w, first);
    hd_buffer_add_text(w->out, "\n");
    return;
  }
  hd_buffer_add_text(w->out, "{\n");
  for (uint32_t a = first; a < end; a++) {
    hd_buffer_add_text(w->out, "    ");
    write_sequence(w, a);
    hd_buffer_add_text(w->out, "\n");
  }
  hd_buffer_add_text(w->out, "  }\n");
}

/* New messages have numbers from `known` on. */
static void write_declarations(const writer *w, uint32_t known) {
  const hd_alphabet *alphabet = &w->file->alphabet;
  for (uint32_t m = known; m < alphabet->message_count; m++) {
    bool from_client = alphabet->peers[alphabet->messages[m].from.v][0] == 'C';
    hd_buffer_printf(w->out, "  %s message %s();\n", from_client ? "in" : "out", alphabet->messages[m].name);
  }
}

/* The initial state comes first: a repair may have given the block another one. */
static hd_status write_block(const hdi_draft *draft, hd_buffer *out) {
  hd_chor_file *file = NULL;
  hd_status status = hdi_draft_file(draft, true, &file);
  writer w = {.file = file, .out = out, .arena = hd_arena_new()};
  if (status == HD_OK && w.arena == NULL) {
    status = HD_E_NOMEM;
  }
  if (status == HD_OK) {
    w.chor = file->blocks;
    w.ways = hd_arena_alloc_array(w.arena, w.chor->state_count, sizeof *w.ways);
    w.names = hd_arena_alloc_array(w.arena, w.chor->state_count, sizeof *w.names);
    status = w.ways == NULL || w.names == NULL ? HD_E_NOMEM : HD_OK;
  }
  if (status == HD_OK) {
    for (uint32_t a = 0; a < w.chor->arc_count; a++) {
      w.ways[w.chor->arcs[a].to]++;
    }
    status = name_states(&w);
  }
  if (status == HD_OK) {
    write_declarations(&w, draft->file->alphabet.message_count);
    write_state(&w, w.chor->initial);
    for (uint32_t s = 0; s < w.chor->state_count; s++) {
      if (s != w.chor->initial && w.names[s] != NULL) {
        write_state(&w, s);
      }
    }
  }
  hd_arena_free(w.arena);
  hd_chor_file_free(file);
  return status;
}

/* The offset of the line that `at` stands in, when only blanks come before it there; else `at`. */
static uint32_t line_start(const hd_text *text, uint32_t at) {
  uint32_t begin = at;
  while (begin > 0 && (text->data[begin - 1] == ' ' || text->data[begin - 1] == '\t')) {
    begin--;
  }
  return begin > 0 && text->data[begin - 1] != '\n' ? at : begin;
}

hd_status hd_contract_patch(const hd_chor_file *file, hdi_draft *const *drafts, hd_buffer *out) {
  uint32_t copied = 0;
  hd_status status = HD_OK;
  for (uint32_t b = 0; b < file->block_count && status == HD_OK; b++) {
    if (drafts[b] == NULL) {
      continue;
    }
    uint32_t states_at = 0, close_at = 0;
    status = hdi_contract_places(file->text, b, &states_at, &close_at);
    if (status == HD_OK) {
      uint32_t from = line_start(file->text, states_at);
      hd_buffer_add(out, file->text->data + copied, from - copied);
      status = write_block(drafts[b], out);
      copied = close_at;
    }
  }
  hd_buffer_add(out, file->text->data + copied, file->text->size_bytes - copied);
  return status == HD_OK && out->failed ? HD_E_NOMEM : status;
}
