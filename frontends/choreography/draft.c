/* Drafts of a block under repair (draft.h): the table and the changes that edits make to it.
 *
 *   states  | the block's own, with their numbers | added, in order of adding |
 *   arcs    | the block's own, with their numbers | added ...                 |     removed ones stay, marked
 *   edits   | e0 | e1 | ...                          every added or redirected thing names its edit
 *
 * A change first gets all the memory that it needs and only then writes, so one that fails leaves nothing behind but
 * unused bytes of the arena. Arrays grow in the arena by doubling; what they leave behind is less than what they hold.
 * Names of the user's things are borrowed from the file; names and words of edits live in the arena.
 *
 * Places. The arcs of a state are ordered by (place, number), and place is the number, with one exception: a message
 * put before arc a takes the place of a, which moves on to a new state. So the text can be changed where the arc stood.
 *
 * Fresh names. Opening scans every name of the file for "ns<number>" and "nm<number>" and counts on from the largest;
 * numbers of more than 18 digits, or written with leading zeros, are none that counting could reach.
 * Threads: one draft, one thread. Cost: O(1) amortised per added thing; split and copy: the arcs of the draft. */
#include "frontends/choreography/draft.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 18, ITEMS_MAX = 1 << 30 };

const char *hdi_chor_edit_name(hdi_chor_edit_kind kind) {
  static const char *const names[HDI_EDIT_KIND_COUNT] = {
#define HDI_CHOR_EDIT_NAME(identifier, name, relaxes, restricts) [HDI_EDIT_##identifier] = (name),
      HD_CHOR_EDIT_TABLE(HDI_CHOR_EDIT_NAME)
#undef HDI_CHOR_EDIT_NAME
  };
  return names[kind];
}

bool hdi_chor_edit_relaxes(hdi_chor_edit_kind kind) {
  static const bool answers[HDI_EDIT_KIND_COUNT] = {
#define HDI_CHOR_EDIT_RELAXES(identifier, name, relaxes, restricts) [HDI_EDIT_##identifier] = (relaxes),
      HD_CHOR_EDIT_TABLE(HDI_CHOR_EDIT_RELAXES)
#undef HDI_CHOR_EDIT_RELAXES
  };
  return answers[kind];
}

bool hdi_chor_edit_restricts(hdi_chor_edit_kind kind) {
  static const bool answers[HDI_EDIT_KIND_COUNT] = {
#define HDI_CHOR_EDIT_RESTRICTS(identifier, name, relaxes, restricts) [HDI_EDIT_##identifier] = (restricts),
      HD_CHOR_EDIT_TABLE(HDI_CHOR_EDIT_RESTRICTS)
#undef HDI_CHOR_EDIT_RESTRICTS
  };
  return answers[kind];
}

const char *hdi_chor_case_name(hdi_chor_case paper_case) {
  static const char *const names[HDI_CASE_COUNT] = {
#define HDI_CHOR_CASE_NAME(identifier, name) [HDI_CASE_##identifier] = (name),
      HD_CHOR_CASE_TABLE(HDI_CHOR_CASE_NAME)
#undef HDI_CHOR_CASE_NAME
  };
  return names[paper_case];
}

/* `data` with room for `extra` more of its `count` elements: itself, or a larger copy. NULL when memory is out. */
static void *with_room(hd_arena *arena, void *data, uint32_t count, uint32_t extra, uint32_t *capacity, size_t size) {
  if (extra <= *capacity - count) {
    return data;
  }
  if (extra > ITEMS_MAX - count) {
    return NULL;
  }
  uint32_t grown = count + extra > 2 * *capacity ? count + extra : 2 * *capacity;
  grown = grown < 8 ? 8 : grown;
  void *larger = hd_arena_alloc_array(arena, grown, size);
  if (larger != NULL) {
    if (count != 0) {
      memcpy(larger, data, count * size);
    }
    *capacity = grown;
  }
  return larger;
}

static bool states_fit(hdi_draft *draft, uint32_t extra) {
  hdi_draft_state *states = with_room(draft->arena, draft->states, draft->state_count, extra, &draft->state_capacity,
                                      sizeof draft->states[0]);
  draft->states = states == NULL ? draft->states : states;
  return states != NULL;
}

static bool arcs_fit(hdi_draft *draft, uint32_t extra) {
  hdi_draft_arc *arcs =
      with_room(draft->arena, draft->arcs, draft->arc_count, extra, &draft->arc_capacity, sizeof draft->arcs[0]);
  draft->arcs = arcs == NULL ? draft->arcs : arcs;
  return arcs != NULL;
}

/* The number after `prefix` when that is all of `name` and a number that counting could give, otherwise -1. */
static int64_t number_in(const char *name, const char *prefix) {
  size_t skip = strlen(prefix);
  if (strncmp(name, prefix, skip) != 0) {
    return -1;
  }
  const char *digits = name + skip;
  size_t length = strspn(digits, "0123456789");
  bool canonical = length == 1 || (length > 1 && length <= DIGITS_MAX && digits[0] != '0');
  return canonical && digits[length] == '\0' ? strtoll(digits, NULL, 10) : -1;
}

static void avoid_name(hdi_draft *draft, const char *name) {
  int64_t state = number_in(name, "ns"), message = number_in(name, "nm");
  if (state >= 0 && (uint64_t)state >= draft->state_number) {
    draft->state_number = (uint64_t)state + 1;
  }
  if (message >= 0 && (uint64_t)message >= draft->message_number) {
    draft->message_number = (uint64_t)message + 1;
  }
}

static void avoid_names(hdi_draft *draft, const hd_chor_file *file) {
  for (uint32_t p = 0; p < file->alphabet.peer_count; p++) {
    avoid_name(draft, file->alphabet.peers[p]);
  }
  for (uint32_t m = 0; m < file->alphabet.message_count; m++) {
    avoid_name(draft, file->alphabet.messages[m].name);
  }
  for (uint32_t b = 0; b < file->block_count; b++) {
    for (uint32_t s = 0; s < file->blocks[b].state_count; s++) {
      avoid_name(draft, file->blocks[b].states[s].name);
    }
  }
}

static bool copy_block(hdi_draft *draft, const hd_chor *chor) {
  if (!states_fit(draft, chor->state_count) || !arcs_fit(draft, chor->arc_count)) {
    return false;
  }
  for (uint32_t s = 0; s < chor->state_count; s++) {
    draft->states[s] =
        (hdi_draft_state){.name = chor->states[s].name, .final = chor->states[s].final, .origin = s, .edit = HD_NONE};
  }
  for (uint32_t a = 0; a < chor->arc_count; a++) {
    const hd_chor_arc *arc = &chor->arcs[a];
    draft->arcs[a] = (hdi_draft_arc){
        .from = arc->from, .to = arc->to, .message = arc->message, .origin = a, .edit = HD_NONE, .place = a};
  }
  draft->state_count = chor->state_count;
  draft->arc_count = chor->arc_count;
  draft->initial = chor->initial;
  return true;
}

hd_status hdi_draft_open(const hd_chor_file *file, uint32_t block, const hdi_edit_costs *costs, hdi_draft **out) {
  HD_REQUIRE(file != NULL && block < file->block_count);
  *out = NULL;
  hd_arena *arena = hd_arena_new();
  hdi_draft *draft = arena == NULL ? NULL : hd_arena_alloc(arena, sizeof *draft);
  bool made = draft != NULL;
  if (made) {
    *draft = (hdi_draft){.arena = arena, .file = file, .block = block, .alphabet = file->alphabet};
    draft->message_capacity = file->alphabet.message_count; /* full: the first new message copies the table */
    draft->costs = costs != NULL ? *costs : (hdi_edit_costs){1, 1, 1};
    made = copy_block(draft, &file->blocks[block]);
  }
  if (!made) {
    hd_arena_free(arena);
    return HD_E_NOMEM;
  }
  avoid_names(draft, file);
  *out = draft;
  return HD_OK;
}

void hdi_draft_free(hdi_draft *draft) {
  if (draft != NULL) {
    hd_arena_free(draft->arena);
  }
}

static const char *copy_text(hd_arena *arena, const char *text) {
  return hd_arena_copy_text(arena, text, strlen(text));
}

/* Gives `copy`, whose tables still are those of another draft, tables and texts of its own. */
static bool own_tables(hdi_draft *copy) {
  hd_arena *arena = copy->arena;
  const hdi_draft old = *copy;
  copy->state_capacity = copy->arc_capacity = copy->edit_capacity = copy->message_capacity = 0;
  copy->states = with_room(arena, old.states, 0, old.state_count, &copy->state_capacity, sizeof old.states[0]);
  copy->arcs = with_room(arena, old.arcs, 0, old.arc_count, &copy->arc_capacity, sizeof old.arcs[0]);
  copy->edits = hd_arena_alloc_array(arena, old.edit_count, sizeof old.edits[0]);
  copy->edit_capacity = old.edit_count;
  if (copy->states == NULL || copy->arcs == NULL || copy->edits == NULL) {
    return false;
  }
  memcpy(copy->states, old.states, old.state_count * sizeof old.states[0]);
  memcpy(copy->arcs, old.arcs, old.arc_count * sizeof old.arcs[0]);
  for (uint32_t s = 0; s < copy->state_count; s++) {
    bool own = copy->states[s].edit == HD_NONE;
    copy->states[s].name = own ? old.states[s].name : copy_text(arena, old.states[s].name);
    if (copy->states[s].name == NULL) {
      return false;
    }
  }
  for (uint32_t e = 0; e < copy->edit_count; e++) {
    copy->edits[e] = old.edits[e];
    copy->edits[e].words = copy_text(arena, old.edits[e].words);
    if (copy->edits[e].words == NULL) {
      return false;
    }
  }
  return true;
}

/* The messages that edits added, with their names. Without any the table stays that of the file. */
static bool own_messages(hdi_draft *copy) {
  const hd_alphabet *known = &copy->file->alphabet;
  const hd_message_info *old = copy->alphabet.messages;
  copy->message_capacity = copy->alphabet.message_count;
  if (copy->alphabet.message_count == known->message_count) {
    copy->alphabet.messages = known->messages;
    return true;
  }
  hd_message_info *messages = hd_arena_alloc_array(copy->arena, copy->message_capacity, sizeof messages[0]);
  if (messages == NULL) {
    return false;
  }
  memcpy(messages, old, copy->message_capacity * sizeof messages[0]);
  for (uint32_t m = known->message_count; m < copy->message_capacity; m++) {
    messages[m].name = copy_text(copy->arena, old[m].name);
    if (messages[m].name == NULL) {
      return false;
    }
  }
  copy->alphabet.messages = messages;
  return true;
}

hd_status hdi_draft_clone(const hdi_draft *draft, hdi_draft **out) {
  HD_REQUIRE(draft != NULL);
  *out = NULL;
  hd_arena *arena = hd_arena_new();
  hdi_draft *copy = arena == NULL ? NULL : hd_arena_alloc(arena, sizeof *copy);
  bool made = copy != NULL;
  if (made) {
    *copy = *draft;
    copy->arena = arena;
    made = own_tables(copy) && own_messages(copy);
  }
  if (!made) {
    hd_arena_free(arena);
    return HD_E_NOMEM;
  }
  *out = copy;
  return HD_OK;
}

/* The words of an edit in the arena; NULL when memory is out. */
HD_PRINTF(2, 0)
static const char *write_words(hd_arena *arena, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *text = length < 0 ? NULL : hd_arena_alloc(arena, (size_t)length + 1);
  if (text != NULL) {
    (void)vsnprintf(text, (size_t)length + 1, format, again);
  }
  va_end(again);
  return text;
}

hd_status hdi_draft_begin(hdi_draft *draft, hdi_chor_edit_kind kind, hdi_chor_case paper_case, hd_span span,
                          const char *words, ...) {
  hdi_edit *edits =
      with_room(draft->arena, draft->edits, draft->edit_count, 1, &draft->edit_capacity, sizeof draft->edits[0]);
  if (edits == NULL) {
    return HD_E_NOMEM;
  }
  draft->edits = edits;
  va_list arguments;
  va_start(arguments, words);
  const char *text = write_words(draft->arena, words, arguments);
  va_end(arguments);
  if (text == NULL) {
    return HD_E_NOMEM;
  }
  draft->edits[draft->edit_count++] = (hdi_edit){.kind = kind, .paper_case = paper_case, .words = text, .span = span};
  return HD_OK;
}

static uint32_t current_edit(const hdi_draft *draft) {
  HD_REQUIRE(draft->edit_count > 0);
  return draft->edit_count - 1;
}

static void charge(hdi_draft *draft, uint64_t amount) {
  uint32_t *own = &draft->edits[current_edit(draft)].cost;
  *own = amount > UINT32_MAX - *own ? UINT32_MAX : *own + (uint32_t)amount;
  draft->cost = amount > UINT32_MAX - draft->cost ? UINT32_MAX : draft->cost + (uint32_t)amount;
}

/* A fresh state; room for it has been made. NULL name: memory is out, nothing changed. */
static bool push_state(hdi_draft *draft, const char *name, uint32_t origin, bool final, uint32_t *state) {
  if (name == NULL) {
    return false;
  }
  *state = draft->state_count;
  draft->states[draft->state_count++] =
      (hdi_draft_state){.name = name, .final = final, .origin = origin, .edit = current_edit(draft)};
  return true;
}

/* The name of the `ahead`th next fresh state. */
static const char *state_name(hdi_draft *draft, uint32_t ahead) {
  return hd_arena_printf(draft->arena, "ns%" PRIu64, draft->state_number + ahead);
}

/* An arc for which there is room. */
static void push_arc(hdi_draft *draft, uint32_t from, hd_message message, uint32_t to, uint32_t origin) {
  uint32_t number = draft->arc_count++;
  draft->arcs[number] = (hdi_draft_arc){
      .from = from, .to = to, .message = message, .origin = origin, .edit = current_edit(draft), .place = number};
}

hd_status hdi_draft_add_state(hdi_draft *draft, uint32_t origin, bool final, uint32_t *state) {
  HD_REQUIRE(draft->edit_count > 0);
  if (!states_fit(draft, 1) || !push_state(draft, state_name(draft, 0), origin, final, state)) {
    return HD_E_NOMEM;
  }
  draft->state_number++;
  charge(draft, origin == HD_NONE ? 0 : draft->costs.state);
  return HD_OK;
}

hd_status hdi_draft_add_arc(hdi_draft *draft, uint32_t from, hd_message message, uint32_t to, uint32_t origin) {
  HD_REQUIRE(draft->edit_count > 0 && from < draft->state_count && to < draft->state_count);
  HD_REQUIRE(message.v < draft->alphabet.message_count);
  if (!arcs_fit(draft, 1)) {
    return HD_E_NOMEM;
  }
  push_arc(draft, from, message, to, origin);
  charge(draft, origin == HD_NONE ? draft->costs.transition : 0);
  return HD_OK;
}

static void lead_to(hdi_draft *draft, uint32_t arc, uint32_t to) {
  draft->arcs[arc].to = to;
  draft->arcs[arc].edit = current_edit(draft);
}

hd_status hdi_draft_redirect(hdi_draft *draft, uint32_t arc, uint32_t to) {
  HD_REQUIRE(arc < draft->arc_count && !draft->arcs[arc].removed && to < draft->state_count);
  lead_to(draft, arc, to);
  charge(draft, draft->costs.transition);
  return HD_OK;
}

hd_status hdi_draft_remove(hdi_draft *draft, uint32_t arc) {
  HD_REQUIRE(arc < draft->arc_count && !draft->arcs[arc].removed);
  draft->arcs[arc].removed = true;
  draft->arcs[arc].edit = current_edit(draft);
  return HD_OK;
}

hd_status hdi_draft_set_initial(hdi_draft *draft, uint32_t state) {
  HD_REQUIRE(draft->edit_count > 0 && state < draft->state_count);
  draft->initial = state;
  return HD_OK;
}

hd_status hdi_draft_add_message(hdi_draft *draft, hd_peer from, hd_peer to, hd_message *message) {
  HD_REQUIRE(from.v != to.v && from.v < draft->alphabet.peer_count && to.v < draft->alphabet.peer_count);
  hd_span span = draft->edits[current_edit(draft)].span;
  hd_message_info *messages = with_room(draft->arena, draft->alphabet.messages, draft->alphabet.message_count, 1,
                                        &draft->message_capacity, sizeof messages[0]);
  if (messages == NULL) {
    return HD_E_NOMEM;
  }
  draft->alphabet.messages = messages;
  const char *name = hd_arena_printf(draft->arena, "nm%" PRIu64, draft->message_number);
  if (name == NULL) {
    return HD_E_NOMEM;
  }
  draft->message_number++;
  *message = (hd_message){draft->alphabet.message_count++};
  draft->alphabet.messages[message->v] = (hd_message_info){.from = from, .to = to, .name = name, .first = span};
  return HD_OK;
}

hd_status hdi_draft_split(hdi_draft *draft, uint32_t state, const uint32_t *arcs, uint32_t arc_count, uint32_t *copy) {
  HD_REQUIRE(draft->edit_count > 0 && state < draft->state_count);
  uint32_t outgoing = 0, known = draft->arc_count;
  for (uint32_t a = 0; a < known; a++) {
    outgoing += !draft->arcs[a].removed && draft->arcs[a].from == state ? 1 : 0;
  }
  hdi_draft_state was = draft->states[state];
  if (!arcs_fit(draft, outgoing) || !states_fit(draft, 1) ||
      !push_state(draft, state_name(draft, 0), was.origin, was.final, copy)) {
    return HD_E_NOMEM;
  }
  draft->state_number++;
  for (uint32_t a = 0; a < known; a++) {
    if (!draft->arcs[a].removed && draft->arcs[a].from == state) {
      push_arc(draft, *copy, draft->arcs[a].message, draft->arcs[a].to, draft->arcs[a].origin);
    }
  }
  for (uint32_t i = 0; i < arc_count; i++) {
    HD_REQUIRE(arcs[i] < known && !draft->arcs[arcs[i]].removed && draft->arcs[arcs[i]].to == state);
    lead_to(draft, arcs[i], *copy);
  }
  charge(draft, draft->costs.state);
  return HD_OK;
}

/* What a walk over the draft needs: copy_of per state, all HD_NONE at first, and room for every state in found; the
 * arcs of a state are chained, head to next. */
typedef struct walk {
  uint32_t *copy_of, *found, *head, *next;
} walk;

static bool open_walk(const hdi_draft *draft, walk *w) {
  size_t states = draft->state_count, arcs = (size_t)draft->arc_count + 1;
  *w = (walk){.copy_of = malloc(states * sizeof w->copy_of[0]),
              .found = malloc(states * sizeof w->found[0]),
              .head = malloc(states * sizeof w->head[0]),
              .next = malloc(arcs * sizeof w->next[0])};
  if (w->copy_of == NULL || w->found == NULL || w->head == NULL || w->next == NULL) {
    return false;
  }
  memset(w->copy_of, 0xFF, states * sizeof w->copy_of[0]);
  memset(w->head, 0xFF, states * sizeof w->head[0]);
  for (uint32_t a = draft->arc_count; a-- > 0;) {
    if (!draft->arcs[a].removed) {
      w->next[a] = w->head[draft->arcs[a].from];
      w->head[draft->arcs[a].from] = a;
    }
  }
  return true;
}

static void close_walk(walk *w) {
  free(w->copy_of);
  free(w->found);
  free(w->head);
  free(w->next);
}

/* Numbers what is reachable from `state` from 0, breadth-first. Returns how many states that are; *arcs: how many arcs
 * they have. */
static uint32_t find_reachable(const hdi_draft *draft, uint32_t state, walk *w, uint32_t *arcs) {
  uint32_t count = 0;
  w->copy_of[state] = count;
  w->found[count++] = state;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t a = w->head[w->found[i]]; a != HD_NONE; a = w->next[a]) {
      uint32_t to = draft->arcs[a].to;
      (*arcs)++;
      if (w->copy_of[to] == HD_NONE) {
        w->copy_of[to] = count;
        w->found[count++] = to;
      }
    }
  }
  return count;
}

/* Names for `count` copies, made ahead of them. */
static bool name_copies(hdi_draft *draft, uint32_t count, const char **names) {
  for (uint32_t i = 0; i < count; i++) {
    names[i] = state_name(draft, i);
    if (names[i] == NULL) {
      return false;
    }
  }
  return true;
}

static hd_status copy_found(hdi_draft *draft, uint32_t *copy_of, const uint32_t *found, uint32_t count, uint32_t arcs) {
  const char **names = hd_arena_alloc_array(draft->arena, count, sizeof names[0]);
  if (names == NULL || !states_fit(draft, count) || !arcs_fit(draft, arcs) || !name_copies(draft, count, names)) {
    return HD_E_NOMEM;
  }
  uint32_t known = draft->arc_count;
  for (uint32_t i = 0; i < count; i++) {
    const hdi_draft_state was = draft->states[found[i]];
    (void)push_state(draft, names[i], was.origin, was.final, &copy_of[found[i]]);
  }
  for (uint32_t a = 0; a < known; a++) {
    const hdi_draft_arc was = draft->arcs[a];
    if (!was.removed && copy_of[was.from] != HD_NONE) {
      push_arc(draft, copy_of[was.from], was.message, copy_of[was.to], was.origin);
    }
  }
  draft->state_number += count;
  charge(draft, (uint64_t)count * draft->costs.state);
  return HD_OK;
}

hd_status hdi_draft_copy_from(hdi_draft *draft, uint32_t state, uint32_t states_max, uint32_t *copy) {
  HD_REQUIRE(draft->edit_count > 0 && state < draft->state_count);
  walk w;
  hd_status status = open_walk(draft, &w) ? HD_OK : HD_E_NOMEM;
  if (status == HD_OK) {
    uint32_t arcs = 0, count = find_reachable(draft, state, &w, &arcs);
    bool fits = draft->state_count <= states_max && count <= states_max - draft->state_count;
    status = fits ? copy_found(draft, w.copy_of, w.found, count, arcs) : HD_E_LIMIT;
    *copy = status == HD_OK ? w.copy_of[state] : HD_NONE;
  }
  close_walk(&w);
  return status;
}

hd_status hdi_draft_sync(hdi_draft *draft, uint32_t arc, bool before, hd_message sync) {
  HD_REQUIRE(arc < draft->arc_count && !draft->arcs[arc].removed && sync.v < draft->alphabet.message_count);
  uint32_t between;
  if (!arcs_fit(draft, 1) || !states_fit(draft, 1) ||
      !push_state(draft, state_name(draft, 0), HD_NONE, false, &between)) {
    return HD_E_NOMEM;
  }
  draft->state_number++;
  hdi_draft_arc *own = &draft->arcs[arc];
  if (before) {
    push_arc(draft, own->from, sync, between, HD_NONE);
    draft->arcs[draft->arc_count - 1].place = own->place;
    own->from = between;
    own->place = arc;
    own->edit = current_edit(draft);
  } else {
    push_arc(draft, between, sync, own->to, HD_NONE);
    lead_to(draft, arc, between);
  }
  charge(draft, draft->costs.message);
  return HD_OK;
}

uint32_t hdi_draft_find_arc(const hdi_draft *draft, uint32_t from, hd_message message, uint32_t to) {
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    const hdi_draft_arc *arc = &draft->arcs[a];
    if (!arc->removed && arc->from == from && arc->message.v == message.v && arc->to == to) {
      return a;
    }
  }
  return HD_NONE;
}
