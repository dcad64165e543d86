/* Reads a Go package: each file through the parser, from the concrete tree into ours, then what the files say together.
 *
 *   text --tree.c--> concrete tree --read_decl.c, read_stmt.c, read_expr.c, read_type.c--> hd_go_file
 *
 * A file with a syntax error gives no tree, only reports; the others are read all the same, so that all errors are seen
 * at once. Equal names of a package share one text.
 * Threads: none shared; any number of readings at once. Cost: O(size) expected. */
#include "frontends/minigo/reader.h"

#include <stdio.h>
#include <string.h>

typedef struct declared_key {
  uint32_t receiver, name; /* numbers of names; receiver UINT32_MAX: none */
} declared_key;

typedef struct first_place {
  const hd_go_file *file;
  hd_span span;
} first_place;

#define HD_MAP_NAME declared_map
#define HD_MAP_KEY declared_key
#define HD_MAP_VALUE first_place
#define HD_MAP_HASH(key) hd_hash_word(((uint64_t)(key).receiver << 32) | (key).name)
#define HD_MAP_EQUAL(a, b) ((a).receiver == (b).receiver && (a).name == (b).name)
#include "core/base/map.h"

/* ---- one file ---- */

static void read_package_clause(hdi_go_reader *reader, uint32_t node) {
  uint32_t name = hdi_go_first(reader, node);
  if (reader->file->package_name.text != NULL) {
    hdi_go_report(reader, HDI_GO_SECOND_PACKAGE, hdi_go_at(reader, node)->span, NULL, NULL);
    return;
  }
  reader->file->package_name = hdi_go_name_of(reader, hdi_go_at(reader, name)->span);
}

typedef enum place_of_kind { IS_STATEMENT, IS_PACKAGE, IS_IMPORT, IS_DECLARATION, IS_NOTHING } place_of_kind;

static place_of_kind place_of(hdi_go_kind kind) {
  static const uint8_t places[HDI_GO_N_OTHER + 1] = {
      [HDI_GO_N_PACKAGE_CLAUSE] = IS_PACKAGE,         [HDI_GO_N_IMPORT_DECLARATION] = IS_IMPORT,
      [HDI_GO_N_CONST_DECLARATION] = IS_DECLARATION,  [HDI_GO_N_TYPE_DECLARATION] = IS_DECLARATION,
      [HDI_GO_N_VAR_DECLARATION] = IS_DECLARATION,    [HDI_GO_N_FUNCTION_DECLARATION] = IS_DECLARATION,
      [HDI_GO_N_METHOD_DECLARATION] = IS_DECLARATION, [HDI_GO_N_EMPTY] = IS_NOTHING,
  };
  return (place_of_kind)places[kind];
}

static void read_top(hdi_go_reader *reader) {
  hd_go_decl **end = &reader->file->decls;
  bool declared = false, complained = false;
  for (uint32_t node = hdi_go_first(reader, 0); node != 0; node = hdi_go_next(reader, node)) {
    hd_span span = hdi_go_at(reader, node)->span;
    place_of_kind place = place_of(hdi_go_kind_of(reader, node));
    if (place == IS_NOTHING) {
      continue;
    }
    if (place != IS_PACKAGE && reader->file->package_name.text == NULL && !complained) {
      hdi_go_report(reader, HDI_GO_NO_PACKAGE, span, NULL, NULL);
      complained = true;
    }
    if (place == IS_PACKAGE) {
      read_package_clause(reader, node);
      continue;
    }
    if (place == IS_STATEMENT) {
      hdi_go_report(reader, HDI_GO_TOP_STATEMENT, span, NULL, NULL);
      continue;
    }
    if (place == IS_IMPORT && declared) {
      hdi_go_report(reader, HDI_GO_LATE_IMPORT, span, NULL, NULL);
    }
    declared = declared || place == IS_DECLARATION;
    *end = hdi_go_read_decl(reader, node);
    end = &(*end)->next;
  }
  if (reader->file->package_name.text == NULL && !complained) {
    hdi_go_report(reader, HDI_GO_NO_PACKAGE, (hd_span){0, 0}, NULL, NULL);
  }
}

#define DIRECTIVE "//heddle:"

static bool starts_line(const hd_text *text, uint32_t offset) {
  while (offset > 0 && (text->data[offset - 1] == ' ' || text->data[offset - 1] == '\t')) {
    offset--;
  }
  return offset == 0 || text->data[offset - 1] == '\n';
}

static void read_directives(hdi_go_reader *reader) {
  hd_go_directive **end = &reader->file->directives;
  size_t prefix = strlen(DIRECTIVE);
  for (uint32_t n = 0; n < reader->tree.count; n++) {
    const hdi_go_node *node = hdi_go_at(reader, n);
    hd_span span = node->span;
    if (node->kind != HDI_GO_N_COMMENT || span.end - span.begin <= prefix ||
        memcmp(reader->text->data + span.begin, DIRECTIVE, prefix) != 0) {
      continue;
    }
    hd_span word = {span.begin + (uint32_t)prefix, span.begin + (uint32_t)prefix};
    while (word.end < span.end && strchr(" \t\r", reader->text->data[word.end]) == NULL) {
      word.end++;
    }
    hd_go_directive *directive = hdi_go_new_directive(reader, span);
    directive->word = hdi_go_name_of(reader, word);
    directive->own_line = starts_line(reader->text, span.begin);
    *end = directive;
    end = &directive->next;
  }
}

/* Reports what keeps the text from being parsed. */
static void check_bytes(hdi_go_reader *reader) {
  const hd_text *text = reader->text;
  const char *nul = memchr(text->data, '\0', text->size_bytes);
  if (text->size_bytes > HD_GO_FILE_BYTES_MAX) {
    hdi_go_report(reader, HDI_GO_FILE_TOO_LARGE, (hd_span){0, 0}, hdi_go_show_number(HD_GO_FILE_BYTES_MAX).text, NULL);
  } else if (nul != NULL) {
    uint32_t at = (uint32_t)(nul - text->data);
    hdi_go_report(reader, HDI_GO_NUL_BYTE, (hd_span){at, at + 1}, NULL, NULL);
  }
}

static hd_status read_file(hdi_go_reader *reader) {
  check_bytes(reader);
  if (reader->errors > 0) {
    return HD_E_INPUT;
  }
  reader->status = hdi_go_tree_parse(reader->text, &reader->tree);
  if (reader->status == HD_OK && reader->tree.wrong) {
    hdi_go_report_wrong(reader);
  } else if (reader->status == HD_OK) {
    read_top(reader);
    read_directives(reader);
  }
  hdi_go_tree_free(&reader->tree);
  return reader->status != HD_OK ? reader->status : reader->errors > 0 ? HD_E_INPUT : HD_OK;
}

/* ---- what the files say together ---- */

typedef struct package_join {
  hdi_go_reader *reader;
  declared_map declared; /* owned */
} package_join;

static void declare(package_join *joiner, uint32_t receiver, const hd_go_name *name) {
  hdi_go_reader *reader = joiner->reader;
  if (reader->status != HD_OK || strcmp(name->text, "_") == 0) {
    return;
  }
  first_place here = {reader->file, name->span}, *first = NULL;
  bool fresh = false;
  reader->status = declared_map_put(&joiner->declared, (declared_key){receiver, name->id.v}, here, &first, &fresh);
  if (reader->status == HD_OK && !fresh) {
    char where[96];
    hd_position position = hd_text_position(first->file->text, first->span.begin);
    (void)snprintf(where, sizeof where, "%.60s:%u:%u", first->file->text->name, (unsigned)position.line,
                   (unsigned)position.column);
    hdi_go_report(reader, HDI_GO_DECLARED_TWICE, name->span, hdi_go_show(reader, name->span).text, where);
  }
}

/* The type that a receiver names: T of `(t *T[P])`. UINT32_MAX: none. */
static uint32_t receiver_name(const hd_go_field *receiver) {
  const hd_go_expr *type = receiver->type;
  while (type->kind == HD_GO_STAR || type->kind == HD_GO_PAREN || type->kind == HD_GO_INDEX) {
    type = type->a;
  }
  return type->kind == HD_GO_IDENT ? type->name.id.v : UINT32_MAX;
}

static void declare_all(package_join *joiner, const hd_go_decl *decl) {
  if (decl->kind == HD_GO_DECL_FUNC) {
    const hd_go_function *function = decl->function;
    bool method = function->receiver != NULL;
    if (method || (strcmp(function->name.text, "init") != 0)) {
      declare(joiner, method ? receiver_name(function->receiver) : UINT32_MAX, &function->name);
    }
    return;
  }
  for (const hd_go_spec *spec = decl->specs; spec != NULL && decl->kind != HD_GO_DECL_IMPORT; spec = spec->next) {
    for (const hd_go_ident *ident = spec->names; ident != NULL; ident = ident->next) {
      declare(joiner, UINT32_MAX, &ident->name);
    }
  }
}

static hd_status join(hd_go_package *package, hd_diag *diag) {
  hdi_go_reader reader = {.package = package, .diag = diag};
  package_join joiner = {.reader = &reader};
  for (uint32_t f = 0; f < package->file_count && reader.status == HD_OK; f++) {
    const hd_go_name *name = &package->files[f].package_name, *first = &package->files[0].package_name;
    reader.file = &package->files[f];
    reader.text = reader.file->text;
    if (name->id.v != first->id.v) {
      hdi_go_report(&reader, HDI_GO_OTHER_PACKAGE, name->span, name->text, first->text);
    }
    for (const hd_go_decl *decl = reader.file->decls; decl != NULL; decl = decl->next) {
      declare_all(&joiner, decl);
    }
  }
  declared_map_free(&joiner.declared);
  return reader.status != HD_OK ? reader.status : reader.errors > 0 ? HD_E_INPUT : HD_OK;
}

static hd_go_package *new_package(uint32_t count) {
  hd_arena *arena = hd_arena_new();
  hd_go_package *package = arena == NULL ? NULL : hd_arena_alloc(arena, sizeof *package);
  if (package == NULL) {
    hd_arena_free(arena);
    return NULL;
  }
  package->arena = arena;
  package->names = hd_names_new();
  package->files = hd_arena_alloc_array(arena, count == 0 ? 1 : count, sizeof *package->files);
  if (package->names == NULL || package->files == NULL) {
    hd_go_package_free(package);
    return NULL;
  }
  package->file_count = count;
  return package;
}

void hd_go_package_free(hd_go_package *package) {
  if (package != NULL) {
    hd_names_free(package->names);
    hd_arena_free(package->arena);
  }
}

hd_status hd_go_read(const hd_text *const *texts, uint32_t count, hd_diag *diag, hd_go_package **out) {
  *out = NULL;
  hd_go_package *package = new_package(count);
  if (package == NULL) {
    return HD_E_NOMEM;
  }
  hd_status status = HD_OK;
  for (uint32_t f = 0; f < count && (status == HD_OK || status == HD_E_INPUT); f++) {
    hd_go_file *file = &package->files[f];
    file->text = texts[f];
    hdi_go_reader reader = {.package = package, .file = file, .text = texts[f], .diag = diag};
    hd_status read = read_file(&reader);
    status = read == HD_OK ? status : read;
  }
  status = status == HD_OK ? join(package, diag) : status;
  if (status != HD_OK) {
    hd_go_package_free(package);
    return status;
  }
  *out = package;
  return HD_OK;
}
