/* What the parts of the Go reader share: messages, access to the concrete tree, new nodes.
 *
 * When memory is out an allocation answers the reader's spare node of that kind, zeroed, and sets the status: readers
 * then go on to the end of the file without looking, for they are driven by the concrete tree and never walk what they
 * made, and the package is freed.
 * Threads: one reader, one thread. Cost: O(1) each, but for looks at all children of one node. */
#include "frontends/minigo/reader.h"

#include "core/base/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct message_row {
  hd_diag_code code;
  const char *words, *hint;
} message_row;

static const message_row messages[HDI_GO_MESSAGE_COUNT] = {
#define HDI_GO_MESSAGE(identifier, code, words, hint) [identifier] = {code, words, hint},
#include "frontends/minigo/messages.def"
#undef HDI_GO_MESSAGE
};

/* Copies `pattern` with %1 and %2 replaced; cuts what does not fit. */
static void fill_in(char *out, size_t capacity, const char *pattern, const char *a, const char *b) {
  size_t used = 0;
  for (const char *at = pattern; *at != '\0' && used + 1 < capacity; at++) {
    if (at[0] == '%' && (at[1] == '1' || at[1] == '2')) {
      const char *piece = at[1] == '1' ? a : b;
      HD_ASSERT(piece != NULL);
      size_t length = strlen(piece);
      length = length < capacity - used - 1 ? length : capacity - used - 1;
      memcpy(out + used, piece, length);
      used += length;
      at++;
    } else {
      out[used++] = *at;
    }
  }
  out[used] = '\0';
}

void hdi_go_report(hdi_go_reader *reader, hdi_go_message message, hd_span span, const char *a, const char *b) {
  const message_row *row = &messages[message];
  char words[256], hint[256];
  fill_in(words, sizeof words, row->words, a, b);
  fill_in(hint, sizeof hint, row->hint, a, b);
  reader->errors++;
  hd_diag_add(reader->diag, row->code, reader->text, span, hint, "%s", words);
}

hdi_go_words hdi_go_show(const hdi_go_reader *reader, hd_span span) {
  hdi_go_words shown;
  const char *data = reader->text->data + span.begin;
  size_t length = span.end - span.begin, room = sizeof shown.text - 4;
  const char *line_end = memchr(data, '\n', length);
  size_t first_line = line_end == NULL ? length : (size_t)(line_end - data);
  size_t kept = first_line < room ? first_line : room;
  while (kept > 0 && kept < first_line && ((unsigned char)data[kept] & 0xC0u) == 0x80u) {
    kept--; /* not inside a character */
  }
  memcpy(shown.text, data, kept);
  memcpy(shown.text + kept, kept < length ? "..." : "", kept < length ? 4 : 1);
  return shown;
}

hdi_go_words hdi_go_show_number(uint64_t number) {
  hdi_go_words shown;
  (void)snprintf(shown.text, sizeof shown.text, "%" PRIu64, number);
  return shown;
}

hdi_go_words hdi_go_show_line(const hdi_go_reader *reader, hd_span span) {
  return hdi_go_show_number(hd_text_position(reader->text, span.begin).line);
}

/* ---- the concrete tree ---- */

const hdi_go_node *hdi_go_at(const hdi_go_reader *reader, uint32_t node) {
  HD_ASSERT(node < reader->tree.count);
  return &reader->tree.nodes[node];
}

hdi_go_kind hdi_go_kind_of(const hdi_go_reader *reader, uint32_t node) {
  return (hdi_go_kind)hdi_go_at(reader, node)->kind;
}

static bool counts(const hdi_go_node *node) {
  return node->kind != HDI_GO_N_TOKEN && node->kind != HDI_GO_N_COMMENT;
}

static uint32_t from(const hdi_go_reader *reader, uint32_t node) {
  while (node != 0 && !counts(hdi_go_at(reader, node))) {
    node = hdi_go_at(reader, node)->next;
  }
  return node;
}

uint32_t hdi_go_first(const hdi_go_reader *reader, uint32_t node) {
  return from(reader, hdi_go_at(reader, node)->first);
}

uint32_t hdi_go_next(const hdi_go_reader *reader, uint32_t node) {
  return from(reader, hdi_go_at(reader, node)->next);
}

uint32_t hdi_go_child(const hdi_go_reader *reader, uint32_t node, hdi_go_field_kind field) {
  uint32_t child = hdi_go_first(reader, node);
  while (child != 0 && hdi_go_at(reader, child)->field != field) {
    child = hdi_go_next(reader, child);
  }
  return child;
}

bool hdi_go_spells(const hdi_go_reader *reader, hd_span span, const char *text) {
  size_t length = strlen(text);
  return span.end - span.begin == length && memcmp(reader->text->data + span.begin, text, length) == 0;
}

uint32_t hdi_go_token(const hdi_go_reader *reader, uint32_t node, const char *token) {
  uint32_t child = hdi_go_at(reader, node)->first;
  while (child != 0 && (hdi_go_at(reader, child)->kind != HDI_GO_N_TOKEN ||
                        !hdi_go_spells(reader, hdi_go_at(reader, child)->span, token))) {
    child = hdi_go_at(reader, child)->next;
  }
  return child;
}

/* ---- new nodes ---- */

/* Zeroed memory, or the spare. */
static void *allocate(hdi_go_reader *reader, size_t size_bytes, void *spare) {
  void *made = reader->status == HD_OK ? hd_arena_alloc(reader->package->arena, size_bytes) : NULL;
  if (made == NULL) {
    reader->status = reader->status == HD_OK ? HD_E_NOMEM : reader->status;
    memset(spare, 0, size_bytes);
    return spare;
  }
  return made;
}

hd_go_expr *hdi_go_new_expr(hdi_go_reader *reader, hd_go_expr_kind kind, hd_span span) {
  hd_go_expr *expr = allocate(reader, sizeof *expr, &reader->spare_expr);
  expr->kind = kind;
  expr->span = span;
  reader->file->expr_count++;
  return expr;
}

hd_go_stmt *hdi_go_new_stmt(hdi_go_reader *reader, hd_go_stmt_kind kind, hd_span span) {
  hd_go_stmt *stmt = allocate(reader, sizeof *stmt, &reader->spare_stmt);
  stmt->kind = kind;
  stmt->span = stmt->head = span;
  reader->file->stmt_count++;
  return stmt;
}

hd_go_field *hdi_go_new_field(hdi_go_reader *reader, hd_span span) {
  hd_go_field *field = allocate(reader, sizeof *field, &reader->spare_field);
  field->span = span;
  return field;
}

hd_go_ident *hdi_go_new_ident_named(hdi_go_reader *reader, const hd_go_name *name) {
  hd_go_ident *ident = allocate(reader, sizeof *ident, &reader->spare_ident);
  ident->name = *name;
  return ident;
}

hd_go_ident *hdi_go_new_ident(hdi_go_reader *reader, uint32_t node) {
  hd_go_name name = hdi_go_name_of(reader, hdi_go_at(reader, node)->span);
  return hdi_go_new_ident_named(reader, &name);
}

hd_go_spec *hdi_go_new_spec(hdi_go_reader *reader, hd_span span) {
  hd_go_spec *spec = allocate(reader, sizeof *spec, &reader->spare_spec);
  spec->span = span;
  return spec;
}

hd_go_decl *hdi_go_new_decl(hdi_go_reader *reader, hd_go_decl_kind kind, hd_span span) {
  hd_go_decl *decl = allocate(reader, sizeof *decl, &reader->spare_decl);
  decl->kind = kind;
  decl->span = span;
  return decl;
}

hd_go_function *hdi_go_new_function(hdi_go_reader *reader) {
  return allocate(reader, sizeof(hd_go_function), &reader->spare_function);
}

hd_go_signature *hdi_go_new_signature(hdi_go_reader *reader) {
  return allocate(reader, sizeof(hd_go_signature), &reader->spare_signature);
}

hd_go_directive *hdi_go_new_directive(hdi_go_reader *reader, hd_span span) {
  hd_go_directive *directive = allocate(reader, sizeof *directive, &reader->spare_directive);
  directive->span = span;
  return directive;
}

hd_go_name hdi_go_name_of(hdi_go_reader *reader, hd_span span) {
  hd_go_name name = {"", HD_NO_NAME, span};
  if (reader->status == HD_OK) {
    const char *text = reader->text->data + span.begin;
    reader->status = hd_names_add(reader->package->names, text, span.end - span.begin, &name.id);
  }
  if (reader->status == HD_OK) {
    name.text = hd_names_text(reader->package->names, name.id);
  }
  return name;
}

hd_go_ident *hdi_go_read_names(hdi_go_reader *reader, uint32_t node) {
  hd_go_ident *first = NULL, **end = &first;
  for (uint32_t child = hdi_go_first(reader, node); child != 0; child = hdi_go_next(reader, child)) {
    if (hdi_go_at(reader, child)->field == HDI_GO_F_NAME) {
      *end = hdi_go_new_ident(reader, child);
      end = &(*end)->next;
    }
  }
  return first;
}

bool hdi_go_enter(hdi_go_reader *reader, hd_span span) {
  if (reader->depth >= HD_GO_DEPTH_MAX) {
    if (!reader->too_deep) {
      reader->too_deep = true;
      hdi_go_report(reader, HDI_GO_TOO_DEEP, span, hdi_go_show_number(HD_GO_DEPTH_MAX).text, NULL);
    }
    return false;
  }
  reader->depth++;
  return true;
}

void hdi_go_leave(hdi_go_reader *reader) {
  HD_ASSERT(reader->depth > 0);
  reader->depth--;
}
