/* Edits become text (edit.h).
 *
 *   list    unit gap unit gap unit       unit: a statement with its label, or the whole lines that it stands on
 *   edited  gaps stay in their places, units come in the new order, each printed with the edits inside it
 *   wrapped open, units and gaps from first to last, close
 *
 * A list is edited by lines when each of its statements begins a line and nothing but blanks and comments stands behind
 * it on its last line; otherwise by bytes. Reading the text again gives the same tree with the edit made, which is
 * checked statement by statement on the way to `origin`.
 * Threads: pure functions. Cost: see the header. */
#include "frontends/cwhile/edit.h"

#include "core/base/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *hdi_cw_wrap_name(hdi_cw_wrap_kind kind) {
  static const char *const names[HDI_CW_WRAP_COUNT] = {
#define NAME(identifier, words) [HDI_CW_WRAP_##identifier] = words,
      HDI_CW_WRAP_TABLE(NAME)
#undef NAME
  };
  return names[kind];
}

uint32_t hdi_cw_list_length(const hd_cw_stmt *head) {
  uint32_t count = 0;
  for (; head != NULL; head = head->next) {
    count++;
  }
  return count;
}

const hd_cw_stmt *hdi_cw_list_at(const hd_cw_stmt *head, uint32_t place) {
  for (; place > 0; place--) {
    head = head->next;
  }
  return head;
}

static uint32_t place_before(const hdi_cw_list_edit *list, uint32_t place) {
  return list->order == NULL ? place : list->order[place];
}

/* ---- the text of a list ---- */

typedef struct printer {
  const hd_cw_program *program;
  const hdi_cw_edit *edit;
  hd_buffer *out;
  const char *end_of_line;
  char lock[24]; /* name of the new lock; empty: none is needed */
} printer;

static uint32_t begin_of(const hd_cw_stmt *stmt) {
  return stmt->label.text != NULL ? stmt->label.span.begin : stmt->span.begin;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* Where the line begins when only blanks stand before `at` on it; HD_NONE otherwise. */
static uint32_t line_begin(const hd_text *text, uint32_t at) {
  while (at > 0 && is_blank(text->data[at - 1])) {
    at--;
  }
  return at == 0 || text->data[at - 1] == '\n' ? at : HD_NONE;
}

/* Where the line ends, its end of line apart, when only blanks and comments stand behind `at` on it; HD_NONE otherwise.
 */
static uint32_t line_end(const hd_text *text, uint32_t at) {
  const char *data = text->data;
  while (at < text->size_bytes && data[at] != '\n') {
    if (data[at] == '#' || (data[at] == '/' && data[at + 1] == '/')) {
      while (at < text->size_bytes && data[at] != '\n') {
        at++;
      }
    } else if (data[at] == '/' && data[at + 1] == '*') {
      const char *close = strstr(data + at + 2, "*/");
      if (close == NULL || memchr(data + at, '\n', (size_t)(close - (data + at))) != NULL) {
        return HD_NONE; /* a comment of several lines belongs to nobody */
      }
      at = (uint32_t)(close - data) + 2;
    } else if (is_blank(data[at]) || data[at] == '\r') {
      at++;
    } else {
      return HD_NONE;
    }
  }
  return at > 0 && data[at - 1] == '\r' ? at - 1 : at;
}

static bool is_by_lines(const printer *p, const hd_cw_stmt *head) {
  for (; head != NULL; head = head->next) {
    if (line_begin(p->program->text, begin_of(head)) == HD_NONE ||
        line_end(p->program->text, head->span.end) == HD_NONE) {
      return false;
    }
  }
  return true;
}

static hd_span unit_of(const printer *p, const hd_cw_stmt *stmt, bool by_lines) {
  if (by_lines) {
    return (hd_span){line_begin(p->program->text, begin_of(stmt)), line_end(p->program->text, stmt->span.end)};
  }
  return (hd_span){begin_of(stmt), stmt->span.end};
}

static void print_list(const printer *p, const hdi_cw_list_edit *list, hd_buffer *out);

/* The edited list that begins first behind `after` and ends up to `end`; NULL: none. */
static const hdi_cw_list_edit *next_list(const printer *p, int64_t after, uint32_t end) {
  const hdi_cw_list_edit *next = NULL;
  for (uint32_t i = 0; i < p->edit->list_count; i++) {
    const hdi_cw_list_edit *list = &p->edit->lists[i];
    uint32_t begin = begin_of(list->head);
    if ((int64_t)begin > after && begin < end && (next == NULL || begin < begin_of(next->head))) {
      next = list;
    }
  }
  return next;
}

/* The bytes from `begin` to `end`, with the edits of lists that begin behind `after`. */
static void print_range(const printer *p, uint32_t begin, uint32_t end, int64_t after, hd_buffer *out) {
  const hdi_cw_list_edit *list;
  while ((list = next_list(p, after, end)) != NULL) {
    bool by_lines = is_by_lines(p, list->head);
    uint32_t first = unit_of(p, list->head, by_lines).begin;
    hd_buffer_add(out, p->program->text->data + begin, first - begin);
    print_list(p, list, out);
    begin = unit_of(p, hdi_cw_list_at(list->head, list->count - 1), by_lines).end;
    after = (int64_t)begin - 1; /* lists inside this one are behind us */
  }
  hd_buffer_add(out, p->program->text->data + begin, end - begin);
}

/* The same in a buffer of its own, with two blanks more before each line that is not empty. */
static void add_indented(const char *data, size_t size_bytes, hd_buffer *out) {
  bool at_begin = true;
  for (size_t i = 0; i < size_bytes; i++) {
    if (at_begin && data[i] != '\n' && data[i] != '\r') {
      hd_buffer_add_text(out, "  ");
    }
    at_begin = data[i] == '\n';
    hd_buffer_add(out, data + i, 1);
  }
}

static void add_words(const printer *p, const char *before, const char *after, hd_buffer *out) {
  hd_buffer_add_text(out, before);
  if (after != NULL) {
    hd_buffer_printf(out, "%s%s", p->lock, after);
  }
}

/* A list of one statement that stands behind a condition or an else without braces of its own. */
static bool is_alone(const printer *p, const hdi_cw_list_edit *list) {
  const char *data = p->program->text->data;
  uint32_t at = begin_of(list->head);
  while (at > 0 && (is_blank(data[at - 1]) || data[at - 1] == '\n' || data[at - 1] == '\r')) {
    at--;
  }
  return list->count == 1 && (at == 0 || (data[at - 1] != '{' && data[at - 1] != ';' && data[at - 1] != '}'));
}

/* What opens (or closes) a run; where a list stands without braces, they come with it. */
static void open_wrap(const printer *p, const hdi_cw_wrap *wrap, bool alone, hd_buffer *out) {
  switch (wrap->kind) {
    case HDI_CW_WRAP_ATOMIC:
      hd_buffer_add_text(out, "atomic {");
      return;
    case HDI_CW_WRAP_WATOMIC:
      hd_buffer_add_text(out, "watomic {");
      return;
    case HDI_CW_WRAP_LOCK:
      add_words(p, alone ? "{ lock(" : "lock(", ");", out);
      return;
    case HDI_CW_WRAP_COUNT:
      break;
  }
}

static void close_wrap(const printer *p, const hdi_cw_wrap *wrap, bool alone, hd_buffer *out) {
  if (wrap->kind != HDI_CW_WRAP_LOCK) {
    hd_buffer_add_text(out, "}");
    return;
  }
  add_words(p, "unlock(", alone ? "); }" : ");", out);
}

static void print_units(const printer *p, const hdi_cw_list_edit *list, bool by_lines, uint32_t first, uint32_t last,
                        hd_buffer *out) {
  for (uint32_t i = first; i <= last; i++) {
    hd_span unit = unit_of(p, hdi_cw_list_at(list->head, place_before(list, i)), by_lines);
    uint32_t own = begin_of(hdi_cw_list_at(list->head, place_before(list, i)));
    print_range(p, unit.begin, unit.end, own, out);
    if (i < last) { /* the gap behind this place */
      hd_span here = unit_of(p, hdi_cw_list_at(list->head, i), by_lines);
      hd_span next = unit_of(p, hdi_cw_list_at(list->head, i + 1), by_lines);
      hd_buffer_add(out, p->program->text->data + here.end, next.begin - here.end);
    }
  }
}

static void print_wrap(const printer *p, const hdi_cw_list_edit *list, bool by_lines, const hdi_cw_wrap *wrap,
                       hd_buffer *out) {
  bool alone = is_alone(p, list);
  if (!by_lines) {
    open_wrap(p, wrap, alone, out);
    hd_buffer_add_text(out, " ");
    print_units(p, list, by_lines, wrap->first, wrap->last, out);
    hd_buffer_add_text(out, " ");
    close_wrap(p, wrap, alone, out);
    return;
  }
  const hd_text *text = p->program->text;
  const hd_cw_stmt *stmt = hdi_cw_list_at(list->head, place_before(list, wrap->first));
  uint32_t begin = line_begin(text, begin_of(stmt)), indent = begin_of(stmt) - begin;
  hd_buffer inside = {0};
  print_units(p, list, by_lines, wrap->first, wrap->last, &inside);
  hd_buffer_add(out, text->data + begin, indent);
  open_wrap(p, wrap, alone, out);
  hd_buffer_add_text(out, p->end_of_line);
  add_indented(inside.data, inside.size_bytes, out);
  hd_buffer_add_text(out, p->end_of_line);
  hd_buffer_add(out, text->data + begin, indent);
  close_wrap(p, wrap, alone, out);
  out->failed |= inside.failed;
  hd_buffer_free(&inside);
}

static void print_list(const printer *p, const hdi_cw_list_edit *list, hd_buffer *out) {
  bool by_lines = is_by_lines(p, list->head);
  for (uint32_t place = 0, wrap = 0; place < list->count;) {
    uint32_t last = place;
    if (wrap < list->wrap_count && list->wraps[wrap].first == place) {
      last = list->wraps[wrap].last;
      print_wrap(p, list, by_lines, &list->wraps[wrap++], out);
    } else {
      print_units(p, list, by_lines, place, place, out);
    }
    if (last + 1 < list->count) {
      hd_span here = unit_of(p, hdi_cw_list_at(list->head, last), by_lines);
      hd_span next = unit_of(p, hdi_cw_list_at(list->head, last + 1), by_lines);
      hd_buffer_add(out, p->program->text->data + here.end, next.begin - here.end);
    }
    place = last + 1;
  }
}

/* ---- the whole text ---- */

static bool needs_lock(const hdi_cw_edit *edit) {
  for (uint32_t i = 0; i < edit->list_count; i++) {
    for (uint32_t w = 0; w < edit->lists[i].wrap_count; w++) {
      if (edit->lists[i].wraps[w].kind == HDI_CW_WRAP_LOCK) {
        return true;
      }
    }
  }
  return false;
}

/* A name that stands nowhere in the text. */
static void choose_lock(printer *p) {
  for (unsigned number = 0; number == 0 || strstr(p->program->text->data, p->lock) != NULL; number++) {
    if (number == 0) {
      (void)snprintf(p->lock, sizeof p->lock, "region_lock");
    } else {
      (void)snprintf(p->lock, sizeof p->lock, "region_lock%u", number + 1);
    }
  }
}

hd_status hdi_cw_edit_print(const hd_cw_program *program, const hdi_cw_edit *edit, hd_buffer *out) {
  const hd_text *text = program->text;
  const char *line = memchr(text->data, '\n', text->size_bytes);
  printer p = {.program = program, .edit = edit, .out = out};
  p.end_of_line = line != NULL && line > text->data && line[-1] == '\r' ? "\r\n" : "\n";
  uint32_t begin = 0;
  if (needs_lock(edit)) {
    choose_lock(&p);
    uint32_t first = program->bodies[0].span.begin, at = line_begin(text, first);
    at = at == HD_NONE ? first : at;
    hd_buffer_add(out, text->data, at);
    hd_buffer_printf(out, "lock %s;%s", p.lock,
                     at == first && first != 0 && text->data[first - 1] != '\n' ? " " : p.end_of_line);
    begin = at;
  }
  print_range(&p, begin, (uint32_t)text->size_bytes, -1, out);
  return out->failed ? HD_E_NOMEM : HD_OK;
}

/* ---- reading it again ---- */

typedef struct matcher {
  const hdi_cw_edit *edit;
  uint32_t *origin;
} matcher;

static const hdi_cw_list_edit *edit_of(const matcher *m, const hd_cw_stmt *head) {
  for (uint32_t i = 0; i < m->edit->list_count; i++) {
    if (m->edit->lists[i].head == head) {
      return &m->edit->lists[i];
    }
  }
  return NULL;
}

static bool match_list(const matcher *m, const hd_cw_stmt *before, const hd_cw_stmt *after);

static bool match_statement(const matcher *m, const hd_cw_stmt *before, const hd_cw_stmt *after) {
  if (after == NULL || before->kind != after->kind) {
    return false;
  }
  m->origin[after->number] = before->number;
  return match_list(m, before->body, after->body) && match_list(m, before->other, after->other);
}

/* Places first .. last of the list against what begins at *after, which moves behind it. */
static bool match_places(const matcher *m, const hd_cw_stmt *before, const hdi_cw_list_edit *list, uint32_t first,
                         uint32_t last, const hd_cw_stmt **after) {
  for (uint32_t i = first; i <= last; i++) {
    uint32_t place = list == NULL ? i : place_before(list, i);
    if (!match_statement(m, hdi_cw_list_at(before, place), *after)) {
      return false;
    }
    *after = (*after)->next;
  }
  return true;
}

static bool match_wrap(const matcher *m, const hdi_cw_list_edit *list, const hdi_cw_wrap *wrap,
                       const hd_cw_stmt **after) {
  const hd_cw_stmt *at = *after;
  if (wrap->kind == HDI_CW_WRAP_LOCK && list->count == 1 && at != NULL && at->kind == HD_CW_BLOCK) {
    *after = at->next;
    const hd_cw_stmt *inside = at->body;
    hdi_cw_list_edit longer = *list;
    longer.count = 2; /* the braces are seen through: not alone any more */
    return match_wrap(m, &longer, wrap, &inside) && inside == NULL;
  }
  if (wrap->kind == HDI_CW_WRAP_LOCK) {
    if (at == NULL || at->kind != HD_CW_LOCK) {
      return false;
    }
    *after = at->next;
    if (!match_places(m, list->head, list, wrap->first, wrap->last, after) || *after == NULL ||
        (*after)->kind != HD_CW_UNLOCK) {
      return false;
    }
    *after = (*after)->next;
    return true;
  }
  hd_cw_stmt_kind kind = wrap->kind == HDI_CW_WRAP_ATOMIC ? HD_CW_ATOMIC : HD_CW_WATOMIC;
  if (at == NULL || at->kind != kind) {
    return false;
  }
  const hd_cw_stmt *inside = at->body;
  *after = at->next;
  return match_places(m, list->head, list, wrap->first, wrap->last, &inside) && inside == NULL;
}

static bool match_list(const matcher *m, const hd_cw_stmt *before, const hd_cw_stmt *after) {
  if (before == NULL || after == NULL) {
    return before == NULL && after == NULL;
  }
  const hdi_cw_list_edit *list = edit_of(m, before);
  uint32_t count = hdi_cw_list_length(before);
  for (uint32_t place = 0, wrap = 0; place < count;) {
    if (list != NULL && wrap < list->wrap_count && list->wraps[wrap].first == place) {
      if (!match_wrap(m, list, &list->wraps[wrap], &after)) {
        return false;
      }
      place = list->wraps[wrap++].last + 1;
    } else if (match_places(m, before, list, place, place, &after)) {
      place++;
    } else {
      return false;
    }
  }
  return after == NULL;
}

static bool match_programs(const matcher *m, const hd_cw_program *before, const hd_cw_program *after) {
  if (before->body_count != after->body_count) {
    return false;
  }
  for (uint32_t i = 0; i < before->body_count; i++) {
    if (!match_list(m, before->bodies[i].first, after->bodies[i].first)) {
      return false;
    }
  }
  return true;
}

hd_status hdi_cw_edit_apply(const hd_cw_program *program, const hdi_cw_edit *edit, hdi_cw_edited *out) {
  *out = (hdi_cw_edited){0};
  hd_buffer buffer = {0};
  hd_diag *diag = hd_diag_new();
  hd_status status = diag == NULL ? HD_E_NOMEM : hdi_cw_edit_print(program, edit, &buffer);
  if (status == HD_OK) {
    status = hd_text_from_bytes(program->text->name, buffer.data, buffer.size_bytes, &out->text);
  }
  if (status == HD_OK) {
    status = hd_cw_read(out->text, diag, &out->program);
  }
  if (status == HD_OK) {
    out->origin = malloc(((size_t)out->program->statement_count + 1) * sizeof *out->origin);
    status = out->origin == NULL ? HD_E_NOMEM : HD_OK;
  }
  if (status == HD_OK) {
    for (uint32_t i = 0; i < out->program->statement_count; i++) {
      out->origin[i] = HD_NONE;
    }
    matcher m = {edit, out->origin};
    status = match_programs(&m, program, out->program) ? HD_OK : HD_E_INTERNAL;
  }
  hd_buffer_free(&buffer);
  hd_diag_free(diag);
  return status;
}

void hdi_cw_edited_clear(hdi_cw_edited *edited) {
  free(edited->origin);
  hd_cw_program_free(edited->program);
  hd_text_free(edited->text);
  *edited = (hdi_cw_edited){0};
}
