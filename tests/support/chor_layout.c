/* Random layouts and edits (chor_layout.h). The generator is splitmix64; the modulo bias does not matter here. */
#include "tests/support/chor_layout.h"

#include "tests/support/hd_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *seed) {
  uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static uint32_t below(uint64_t *seed, uint32_t limit) {
  return (uint32_t)(next_random(seed) % limit);
}

static bool chance(uint64_t *seed, uint32_t percent) {
  return below(seed, 100) < percent;
}

typedef struct layout {
  const hd_chor_file *file;
  uint64_t seed;
  hd_buffer out;
  const char *eol;
  uint32_t comments;
} layout;

/* At least `least` blanks. */
static void blanks(layout *l, uint32_t least) {
  uint32_t count = least + (chance(&l->seed, 25) ? below(&l->seed, 3) : 0);
  for (uint32_t i = 0; i < count; i++) {
    hd_buffer_add_text(&l->out, chance(&l->seed, 15) ? "\t" : " ");
  }
}

static void word(layout *l, const char *text) {
  hd_buffer_add_text(&l->out, text);
}

static void comment(layout *l) {
  hd_buffer_printf(&l->out, "%s <%u>", chance(&l->seed, 50) ? "#" : "// state x:", l->comments++);
}

static void end_line(layout *l) {
  if (chance(&l->seed, 25)) {
    blanks(l, 0);
    comment(l);
  } else if (chance(&l->seed, 10)) {
    blanks(l, 1);
  }
  word(l, l->eol);
}

/* What may stand between two lines. */
static void between(layout *l) {
  while (chance(&l->seed, 25)) {
    blanks(l, 0);
    if (chance(&l->seed, 60)) {
      comment(l);
    }
    word(l, l->eol);
  }
}

static void lay_arc(layout *l, const hd_chor *chor, uint32_t a) {
  const hd_alphabet *alphabet = &l->file->alphabet;
  const hd_message_info *message = &alphabet->messages[chor->arcs[a].message.v];
  word(l, alphabet->peers[message->from.v]);
  blanks(l, 1);
  word(l, "->");
  blanks(l, 1);
  word(l, alphabet->peers[message->to.v]);
  blanks(l, 0);
  word(l, ":");
  blanks(l, 0);
  word(l, message->name);
  blanks(l, 1);
  word(l, "=>");
  blanks(l, 1);
  word(l, chor->states[chor->arcs[a].to].name);
}

static void lay_header(layout *l, const hd_chor *chor, uint32_t state, bool say_initial) {
  bool final = chor->states[state].final, swap = chance(&l->seed, 50);
  blanks(l, 0);
  const char *words[] = {say_initial && !swap ? "initial" : "", final ? "final" : "",
                         say_initial && swap ? "initial" : "", "state"};
  for (uint32_t i = 0; i < 4; i++) {
    word(l, words[i]);
    blanks(l, words[i][0] == '\0' ? 0 : 1);
  }
  word(l, chor->states[state].name);
  blanks(l, 0);
  word(l, ":");
}

static void lay_state(layout *l, const hd_chor *chor, uint32_t state, bool say_initial) {
  between(l);
  lay_header(l, chor, state, say_initial);
  bool behind = chance(&l->seed, 20);
  for (uint32_t a = chor->first_arc[state]; a < chor->first_arc[state + 1]; a++) {
    for (uint32_t times = chance(&l->seed, 7) ? 2 : 1; times > 0; times--) {
      if (!behind) {
        end_line(l);
        between(l);
      }
      blanks(l, chance(&l->seed, 80) ? 2 : 0);
      lay_arc(l, chor, a);
      behind = false;
    }
  }
  end_line(l);
}

static void lay_rules(layout *l, const hd_chor *chor) {
  uint32_t first = below(&l->seed, chor->arc_count), second = below(&l->seed, chor->arc_count);
  if (chance(&l->seed, 25)) {
    between(l);
    hd_buffer_printf(&l->out, "never %s%s %s", l->file->alphabet.messages[chor->arcs[first].message.v].name,
                     chance(&l->seed, 50) ? " .." : ",", l->file->alphabet.messages[chor->arcs[second].message.v].name);
    end_line(l);
  }
}

static void lay_peers(layout *l, const hd_chor *chor) {
  bool first = true;
  for (uint32_t p = 0; p < l->file->alphabet.peer_count; p++) {
    bool member = false;
    for (uint32_t a = 0; a < chor->arc_count; a++) {
      const hd_message_info *message = &l->file->alphabet.messages[chor->arcs[a].message.v];
      member |= message->from.v == p || message->to.v == p;
    }
    if (member) {
      word(l, first ? "peers" : " ,");
      blanks(l, 1);
      word(l, l->file->alphabet.peers[p]);
      first = false;
    }
  }
  end_line(l);
}

/* Must the state be named by a header? */
static bool needs_header(const hd_chor *chor, uint32_t state) {
  bool mentioned = false;
  for (uint32_t a = 0; a < chor->arc_count; a++) {
    mentioned |= chor->arcs[a].to == state;
  }
  return !mentioned || chor->states[state].final || state == chor->initial ||
         chor->first_arc[state] != chor->first_arc[state + 1];
}

static void lay_block(layout *l, const hd_chor *chor, bool first) {
  between(l);
  if (!first || chor->name != NULL) {
    word(l, "choreography");
    blanks(l, 1);
    word(l, chor->name == NULL ? "" : chor->name);
    end_line(l);
    between(l);
  }
  if (chance(&l->seed, 50)) {
    lay_peers(l, chor);
  }
  uint32_t *order = malloc(chor->state_count * sizeof order[0]);
  cr_assert_not_null(order);
  for (uint32_t s = 0; s < chor->state_count; s++) { /* a random order, mostly the given one */
    order[s] = s;
    uint32_t other = chance(&l->seed, 30) ? below(&l->seed, s + 1) : s;
    order[s] = order[other];
    order[other] = s;
  }
  lay_rules(l, chor);
  bool any = false;
  for (uint32_t i = 0; i < chor->state_count; i++) {
    if (needs_header(chor, order[i]) || chance(&l->seed, 50)) {
      bool initial = order[i] == chor->initial;
      lay_state(l, chor, order[i], initial && (any || chance(&l->seed, 30)));
      any = true;
    }
  }
  lay_rules(l, chor);
  free(order);
}

char *chor_lay_out(const hd_chor_file *file, uint64_t seed) {
  layout l = {.file = file, .seed = seed * UINT64_C(0x2545f4914f6cdd1d) + 7};
  l.eol = chance(&l.seed, 30) ? "\r\n" : "\n";
  word(&l, chance(&l.seed, 15) ? "\xEF\xBB\xBF" : "");
  for (uint32_t b = 0; b < file->block_count; b++) {
    lay_block(&l, &file->blocks[b], b == 0);
  }
  between(&l);
  if (chance(&l.seed, 25) && !l.out.failed) {
    l.out.size_bytes -= strlen(l.eol);
    l.out.data[l.out.size_bytes] = '\0';
  }
  return hd_buffer_take(&l.out);
}

uint32_t chor_layout_comments(const char *text) {
  uint32_t count = 0;
  char wanted[32];
  do {
    (void)snprintf(wanted, sizeof wanted, "<%u>", count++);
  } while (strstr(text, wanted) != NULL);
  return count - 1;
}

/* An arc that is not removed. */
static uint32_t some_arc(const hdi_draft *draft, uint64_t *seed) {
  uint32_t a = below(seed, draft->arc_count);
  while (draft->arcs[a].removed) {
    a = (a + 1) % draft->arc_count;
  }
  return a;
}

static uint32_t some_state(const hdi_draft *draft, uint64_t *seed) {
  return below(seed, draft->state_count);
}

/* A message of the block. */
static hd_message some_message(const hdi_draft *draft, uint64_t *seed) {
  return draft->arcs[below(seed, draft->arc_count)].message;
}

static hd_status add_sync(hdi_draft *draft, uint64_t *seed) {
  const hd_message_info *between = &draft->alphabet.messages[some_message(draft, seed).v];
  hd_message sync;
  hd_status status = hdi_draft_add_message(draft, between->to, between->from, &sync);
  return status == HD_OK ? hdi_draft_sync(draft, some_arc(draft, seed), chance(seed, 50), sync) : status;
}

static hd_status split(hdi_draft *draft, uint64_t *seed) {
  uint32_t state = some_state(draft, seed), arcs[64], count = 0, copy;
  for (uint32_t a = 0; a < draft->arc_count && count < 64; a++) {
    if (!draft->arcs[a].removed && draft->arcs[a].to == state && chance(seed, 50)) {
      arcs[count++] = a;
    }
  }
  return hdi_draft_split(draft, state, arcs, count, &copy);
}

static hd_status copy_from(hdi_draft *draft, uint64_t *seed) {
  uint32_t copy;
  hd_status status = hdi_draft_copy_from(draft, some_state(draft, seed), 60, &copy);
  if (status == HD_E_LIMIT) {
    return HD_OK;
  }
  return status == HD_OK ? hdi_draft_add_arc(draft, some_state(draft, seed), some_message(draft, seed), copy, HD_NONE)
                         : status;
}

/* Everything removed, a few new states and arcs instead. */
static hd_status replace(hdi_draft *draft, uint64_t *seed) {
  hd_message message = some_message(draft, seed), other = some_message(draft, seed);
  hd_status status = HD_OK;
  for (uint32_t a = 0; status == HD_OK && a < draft->arc_count; a++) {
    status = draft->arcs[a].removed ? HD_OK : hdi_draft_remove(draft, a);
  }
  bool final = draft->file->blocks[draft->block].has_final;
  uint32_t first, second;
  status = status == HD_OK ? hdi_draft_add_state(draft, HD_NONE, false, &first) : status;
  status = status == HD_OK ? hdi_draft_add_state(draft, HD_NONE, final, &second) : status;
  status = status == HD_OK ? hdi_draft_add_arc(draft, first, message, second, HD_NONE) : status;
  status = status == HD_OK ? hdi_draft_add_arc(draft, second, other, first, HD_NONE) : status;
  return status == HD_OK ? hdi_draft_set_initial(draft, first) : status;
}

static uint32_t live_arcs_of_initial(const hdi_draft *draft, uint32_t *last) {
  uint32_t count = 0;
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    if (!draft->arcs[a].removed && draft->arcs[a].from == draft->initial) {
      *last = a;
      count++;
    }
  }
  return count;
}

static hd_status apply(hdi_draft *draft, hdi_chor_edit_kind kind, uint64_t *seed) {
  uint32_t state;
  switch (kind) {
    case HDI_EDIT_ADD_ARC:
      return hdi_draft_add_arc(draft, some_state(draft, seed), some_message(draft, seed), some_state(draft, seed),
                               HD_NONE);
    case HDI_EDIT_ADD_CROSSING: { /* here: a new state that may be final, or a new beginning */
      hd_status status =
          hdi_draft_add_state(draft, HD_NONE, draft->file->blocks[draft->block].has_final && chance(seed, 50), &state);
      if (status == HD_OK && chance(seed, 15)) {
        status = hdi_draft_add_arc(draft, state, some_message(draft, seed), some_state(draft, seed), HD_NONE);
        return status == HD_OK ? hdi_draft_set_initial(draft, state) : status;
      }
      return status == HD_OK
                 ? hdi_draft_add_arc(draft, some_state(draft, seed), some_message(draft, seed), state, HD_NONE)
                 : status;
    }
    case HDI_EDIT_SPLIT_STATE:
      return split(draft, seed);
    case HDI_EDIT_COPY_FROM:
      return copy_from(draft, seed);
    case HDI_EDIT_ADD_SYNC:
      return add_sync(draft, seed);
    case HDI_EDIT_REPLACE: {
      uint32_t last = HD_NONE, arc = some_arc(draft, seed);
      if (chance(seed, 20)) {
        return replace(draft, seed);
      }
      if (chance(seed, 60)) {
        return hdi_draft_redirect(draft, arc, some_state(draft, seed));
      }
      bool only = live_arcs_of_initial(draft, &last) == 1 && last == arc;
      return only ? HD_OK : hdi_draft_remove(draft, arc);
    }
    case HDI_EDIT_KIND_COUNT:
      break;
  }
  return HD_E_INTERNAL;
}

void chor_random_edits(hdi_draft *draft, uint64_t seed, uint32_t edits) {
  uint64_t state = seed * UINT64_C(0x9fb21c651e98df25) + 3;
  for (uint32_t i = 0; i < edits; i++) {
    hdi_chor_edit_kind kind = (hdi_chor_edit_kind)below(&state, HDI_EDIT_KIND_COUNT);
    hd_span span = draft->file->blocks[draft->block].states[0].span;
    cr_assert_eq(hdi_draft_begin(draft, kind, HDI_CASE_NONE, span, "edit %u", i), HD_OK);
    cr_assert_eq(apply(draft, kind, &state), HD_OK);
  }
}
