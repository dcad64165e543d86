/* Writes drafts into the user's text (draft.h), line by line, copying all that no edit touches.
 *
 *   text   | ... copied or left out | at ...                        out   | ... the same, changed |
 *
 * Every own arc has its line, and the line is the place of the arcs whose `place` is that arc: the first of them is
 * written where the arc stood, further ones below it; with none the statement goes and a comment behind it stays. Arcs
 * of other places follow the last line of their state, states without a header the last line of their block. So what is
 * written has the arcs of each state in the order of hdi_draft_look, and reads back as that.
 *
 * The initial state is the first header unless one says `initial`; the word is put in or taken out where the first
 * header that is left is another one. When no own header of a block is left, everything from the first one to the last
 * line of the block goes, comments too, and the new states stand there; rules among them stay.
 * New lines end like the line before them; when the last line of the text is not ended, neither is what becomes the
 * last. Threads: any. Cost: the text, and the drafts. */
#include "frontends/choreography/draft_lines.h"

#include "core/base/check.h"
#include "frontends/choreography/draft.h"

#include <string.h>

/* A place in the text, copied when lines are put in. */
typedef struct piece {
  const char *data;
  size_t length;
} piece;

typedef struct patcher {
  const hd_chor_file *file;
  hd_arena *arena; /* scratch */
  hdi_line *lines;
  uint32_t line_count;
  hd_buffer *out;
  size_t start;    /* of what is written in out */
  uint32_t at;     /* the text before this is dealt with */
  bool inserted;   /* what was written last is a line that was put in */
  const char *eol; /* how the current line ends */
  /* Of the current block. */
  const hd_chor *chor;
  const hdi_draft *draft;
  hdi_draft_view view;
  uint32_t first_line, end_line; /* its lines */
  uint32_t header_count;         /* states 0 .. header_count - 1 have a header in the text */
  uint32_t first_header;         /* the first state that will have one */
  uint32_t *last_line;           /* per own state with a header: its last line */
  bool *mentioned;               /* per state of the draft: some arc leads there */
  bool anew;                     /* no own header is left */
  bool spaced;                   /* empty lines stand before most headers */
  piece header_indent, arc_indent;
} patcher;

static void copy_to(patcher *p, uint32_t offset) {
  HD_ASSERT(offset >= p->at);
  if (offset > p->at) {
    hd_buffer_add(p->out, p->file->text->data + p->at, offset - p->at);
    p->at = offset;
    p->inserted = false;
  }
}

static void skip_to(patcher *p, uint32_t offset) {
  HD_ASSERT(offset >= p->at);
  p->at = offset;
}

static void put(patcher *p, const char *text) {
  hd_buffer_add_text(p->out, text);
}

/* Begins a line that is put in. */
static void begin_line(patcher *p, piece indent) {
  bool middle = p->out->size_bytes > p->start && !p->out->failed && p->out->data[p->out->size_bytes - 1] != '\n';
  put(p, middle ? p->eol : "");
  hd_buffer_add(p->out, indent.data, indent.length);
}

static void end_line(patcher *p) {
  put(p, p->eol);
  p->inserted = true;
}

static void put_arc(patcher *p, uint32_t a) {
  const hdi_draft *draft = p->draft;
  const hd_message_info *message = &draft->alphabet.messages[draft->arcs[a].message.v];
  hd_buffer_printf(p->out, "%s -> %s : %s => %s", draft->alphabet.peers[message->from.v],
                   draft->alphabet.peers[message->to.v], message->name, draft->states[draft->arcs[a].to].name);
}

static void insert_arc(patcher *p, piece indent, uint32_t a) {
  begin_line(p, indent);
  put_arc(p, a);
  end_line(p);
}

/* How the line ends, or the first one when this is the last and not ended. */
static const char *line_ending(const hd_text *text, uint32_t next) {
  if (next == 0 || text->data[next - 1] != '\n') {
    next = text->line_count > 1 ? text->line_starts[1] : 0;
  }
  return next >= 2 && text->data[next - 2] == '\r' ? "\r\n" : "\n";
}

/* Where a comment begins behind the statement of the line; its `next` when there is none. */
static uint32_t comment_of(const patcher *p, const hdi_line *line) {
  const char *data = p->file->text->data;
  uint32_t at = line->last;
  while (at < line->next && (data[at] == ' ' || data[at] == '\t' || data[at] == '\r' || data[at] == '\n')) {
    at++;
  }
  return at;
}

/* Takes the statement out, and the line with it unless a comment stands there. */
static void cut_line(patcher *p, const hdi_line *line) {
  uint32_t comment = comment_of(p, line);
  bool commented = comment < line->next;
  copy_to(p, commented ? line->word : line->begin);
  skip_to(p, comment);
}

/* Takes the arc out of its line. */
static void cut_arc(patcher *p, const hdi_line *line) {
  if (line->state == HD_NONE) {
    cut_line(p, line);
    return;
  }
  copy_to(p, line->header_end);
  skip_to(p, line->arc_span.end);
}

/* The first of the state's arcs in the view whose place is not before `place`; the end of its arcs when there is none.
 */
static uint32_t find_place(const patcher *p, uint32_t state, uint32_t place) {
  uint32_t begin = p->view.first_arc[state], end = p->view.first_arc[state + 1];
  while (begin < end) {
    uint32_t middle = begin + (end - begin) / 2;
    if (p->draft->arcs[p->view.arcs[middle]].place < place) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/* Writes arc `taker` over the arc that the line holds. */
static void take_place(patcher *p, const hdi_line *line, uint32_t taker) {
  uint32_t to = p->draft->arcs[taker].to, was = p->chor->arcs[line->arc].to;
  if (taker != line->arc) {
    copy_to(p, line->arc_span.begin);
    skip_to(p, line->arc_span.end);
    put_arc(p, taker);
  } else if (to != was) { /* the target's name only: the rest is laid out as the user likes it */
    copy_to(p, line->arc_span.end - (uint32_t)strlen(p->chor->states[was].name));
    skip_to(p, line->arc_span.end);
    put(p, p->draft->states[to].name);
  }
}

static piece indent_of(const patcher *p, const hdi_line *line) {
  return (piece){p->file->text->data + line->begin, line->word - line->begin};
}

static void patch_arc(patcher *p, const hdi_line *line) {
  uint32_t state = p->chor->arcs[line->arc].from;
  uint32_t begin = find_place(p, state, line->arc), end = find_place(p, state, line->arc + 1);
  bool same =
      begin < end && p->view.arcs[begin] == line->arc && p->draft->arcs[line->arc].to == p->chor->arcs[line->arc].to;
  if (begin == end || (line->repeated && !same)) {
    cut_arc(p, line);
    return;
  }
  take_place(p, line, p->view.arcs[begin]);
  for (uint32_t i = begin + 1; !line->repeated && i < end; i++) {
    copy_to(p, line->next);
    insert_arc(p, line->state == HD_NONE ? indent_of(p, line) : p->arc_indent, p->view.arcs[i]);
  }
}

/* Puts the word `initial` in or takes it out. */
static void patch_header(patcher *p, const hdi_line *line) {
  bool initial = line->state == p->draft->initial;
  bool says = line->initial_word.begin != line->initial_word.end;
  if (says && !initial) {
    copy_to(p, line->initial_word.begin);
    skip_to(p, line->initial_word.end);
  } else if (!says && initial && line->state != p->first_header) {
    copy_to(p, line->word);
    put(p, "initial ");
  }
}

static bool is_sent(const patcher *p, hd_span name) {
  for (uint32_t i = 0; i < p->view.arc_count; i++) {
    const char *sent = p->draft->alphabet.messages[p->draft->arcs[p->view.arcs[i]].message.v].name;
    size_t length = name.end - name.begin;
    if (strlen(sent) == length && memcmp(p->file->text->data + name.begin, sent, length) == 0) {
      return true;
    }
  }
  return false;
}

/* Arcs of `state` that have no place in the text, after the state's last line. */
static void insert_arcs(patcher *p, const hdi_line *line, uint32_t state) {
  for (uint32_t i = find_place(p, state, p->chor->first_arc[state + 1]); i < p->view.first_arc[state + 1]; i++) {
    copy_to(p, line->next);
    insert_arc(p, line->state == HD_NONE ? indent_of(p, line) : p->arc_indent, p->view.arcs[i]);
  }
}

/* Must this state, which has no header in the text, have one? */
static bool needs_header(const patcher *p, uint32_t state) {
  return p->view.number[state] != HD_NONE &&
         (p->view.first_arc[state] != p->view.first_arc[state + 1] || p->draft->states[state].final ||
          state == p->draft->initial || !p->mentioned[state]);
}

static void insert_state(patcher *p, uint32_t state) {
  bool initial = state == p->draft->initial && state != p->first_header;
  begin_line(p, p->header_indent);
  hd_buffer_printf(p->out, "%s%sstate %s:", initial ? "initial " : "", p->draft->states[state].final ? "final " : "",
                   p->draft->states[state].name);
  end_line(p);
  for (uint32_t i = p->view.first_arc[state]; i < p->view.first_arc[state + 1]; i++) {
    insert_arc(p, p->arc_indent, p->view.arcs[i]);
  }
}

static void insert_states(patcher *p) {
  copy_to(p, p->lines[p->end_line - 1].next);
  bool first = p->anew;
  for (uint32_t s = p->header_count; s < p->draft->state_count; s++) {
    if (needs_header(p, s)) {
      if (p->spaced && !first) {
        begin_line(p, (piece){"", 0});
        end_line(p);
      }
      insert_state(p, s);
      first = false;
    }
  }
}

/* A line of a block of which no own state is left. */
static void patch_line_anew(patcher *p, uint32_t index, uint32_t first_header_line) {
  const hdi_line *line = &p->lines[index];
  if (index == first_header_line) {
    copy_to(p, line->begin);
  } else if (index > first_header_line) {
    skip_to(p, line->begin);
  }
  if (line->state != HD_NONE || line->arc != HD_NONE) {
    skip_to(p, line->next);
  } else if (line->is_rule && !(is_sent(p, line->rule[0]) && is_sent(p, line->rule[1]))) {
    cut_line(p, line);
  }
  copy_to(p, line->next);
}

static void patch_line(patcher *p, uint32_t index, uint32_t *state) {
  const hdi_line *line = &p->lines[index];
  *state = line->state != HD_NONE ? line->state : *state;
  if (line->is_rule && !(is_sent(p, line->rule[0]) && is_sent(p, line->rule[1]))) {
    cut_line(p, line);
  }
  if (line->state == HD_NONE && line->arc == HD_NONE) {
    return;
  }
  if (p->view.number[*state] == HD_NONE) {
    cut_line(p, line);
    return;
  }
  if (line->state != HD_NONE) {
    patch_header(p, line);
  }
  if (line->arc != HD_NONE) {
    patch_arc(p, line);
  }
  if (index == p->last_line[*state]) {
    insert_arcs(p, line, *state);
  }
}

/* Does an empty line stand between the statement before, which is of the block, and this one? */
static bool follows_empty(const patcher *p, const hdi_line *line) {
  for (uint32_t n = line[-1].number + 1; n < line->number; n++) {
    size_t length;
    const char *between = hd_text_line(p->file->text, n + 1, &length); /* counts from 1 */
    while (length > 0 && (between[length - 1] == ' ' || between[length - 1] == '\t' || between[length - 1] == '\r')) {
      length--;
    }
    if (length == 0) {
      return true;
    }
  }
  return false;
}

/* Where things stand in the block's text. Returns its first line with a header. */
static uint32_t survey(patcher *p) {
  uint32_t first_header_line = HD_NONE, state = HD_NONE;
  bool arc_seen = false;
  uint32_t spaced = 0;
  p->header_count = 0;
  for (uint32_t i = p->first_line; i < p->end_line; i++) {
    const hdi_line *line = &p->lines[i];
    if (line->state != HD_NONE) {
      state = line->state;
      p->header_count++;
      p->header_indent = indent_of(p, line);
      spaced += first_header_line != HD_NONE && follows_empty(p, line) ? 1 : 0;
      first_header_line = first_header_line == HD_NONE ? i : first_header_line;
    } else if (line->arc != HD_NONE && !arc_seen) {
      arc_seen = true;
      p->arc_indent = indent_of(p, line);
    }
    if (line->state != HD_NONE || line->arc != HD_NONE) {
      p->last_line[state] = i;
    }
  }
  p->spaced = 2 * spaced > p->header_count - 1;
  if (!arc_seen) {
    piece header = p->header_indent;
    const char *indent = hd_arena_printf(p->arena, "%.*s  ", (int)header.length, header.data);
    p->out->failed |= indent == NULL;
    p->arc_indent = (piece){indent == NULL ? "" : indent, indent == NULL ? 0 : header.length + 2};
  }
  return first_header_line;
}

static void find_first_header(patcher *p) {
  p->first_header = HD_NONE;
  for (uint32_t s = 0; s < p->draft->state_count && p->first_header == HD_NONE; s++) {
    if (s < p->header_count ? p->view.number[s] != HD_NONE : needs_header(p, s)) {
      p->first_header = s;
    }
  }
  HD_ASSERT(p->first_header != HD_NONE); /* the initial state has a header or needs one */
  p->anew = p->first_header >= p->header_count;
}

static hd_status patch_block(patcher *p) {
  hd_status status = hdi_draft_look(p->draft, p->arena, &p->view);
  if (status != HD_OK) {
    return status;
  }
  if (p->view.arc_count == 0) {
    return HD_E_USAGE;
  }
  p->last_line = hd_arena_alloc_array(p->arena, p->chor->state_count, sizeof p->last_line[0]);
  p->mentioned = hd_arena_alloc_array(p->arena, p->draft->state_count, sizeof p->mentioned[0]);
  if (p->last_line == NULL || p->mentioned == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t i = 0; i < p->view.arc_count; i++) {
    p->mentioned[p->draft->arcs[p->view.arcs[i]].to] = true;
  }
  uint32_t first_header_line = survey(p), state = HD_NONE;
  find_first_header(p);
  for (uint32_t i = p->first_line; i < p->end_line; i++) {
    p->eol = line_ending(p->file->text, p->lines[i].next);
    if (p->anew) {
      patch_line_anew(p, i, first_header_line);
    } else {
      patch_line(p, i, &state);
    }
  }
  insert_states(p);
  return HD_OK;
}

static hd_status patch_blocks(patcher *p, hdi_draft *const *drafts) {
  hd_status status = HD_OK;
  uint32_t line = 0;
  for (uint32_t b = 0; status == HD_OK && b < p->file->block_count; b++) {
    p->first_line = line;
    while (line < p->line_count && p->lines[line].block == b) {
      line++;
    }
    p->end_line = line;
    if (drafts[b] != NULL) {
      HD_REQUIRE(drafts[b]->file == p->file && drafts[b]->block == b);
      p->chor = &p->file->blocks[b];
      p->draft = drafts[b];
      status = patch_block(p);
    }
  }
  return status;
}

/* The rest of the text; a last line that is put in is ended only if the text was. */
static void finish(patcher *p) {
  const hd_text *text = p->file->text;
  copy_to(p, (uint32_t)text->size_bytes);
  bool ended = text->size_bytes > 0 && text->data[text->size_bytes - 1] == '\n';
  if (p->inserted && !ended && !p->out->failed) {
    p->out->size_bytes -= strlen(p->eol);
    p->out->data[p->out->size_bytes] = '\0';
  }
}

hd_status hdi_draft_patch(const hd_chor_file *file, hdi_draft *const *drafts, hd_buffer *out) {
  HD_REQUIRE(file != NULL && drafts != NULL && out != NULL);
  hd_arena *arena = hd_arena_new();
  patcher p = {.file = file, .arena = arena, .out = out, .start = out->size_bytes, .eol = "\n"};
  hd_status status = arena == NULL ? HD_E_NOMEM : hdi_lines_scan(file, arena, &p.lines, &p.line_count);
  if (status == HD_OK) {
    status = patch_blocks(&p, drafts);
  }
  if (status == HD_OK) {
    finish(&p);
  }
  hd_arena_free(arena);
  return status == HD_OK && out->failed ? HD_E_NOMEM : status;
}
