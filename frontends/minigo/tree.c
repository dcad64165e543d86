/* Runs tree-sitter's parser and copies its tree into an array of nodes, in the order of the text.
 *
 *   source_file 0 -> first 1: package_clause, next 4: function_declaration, ...
 *
 * The copy is walked with a cursor (asking a node for its children by number would be quadratic) and needs no stack of
 * its own beyond one word per level, so that no input is nested too deeply for it; who reads the array bounds the
 * depth. Comments are among the nodes. The parser is told the text's length; NULs are bytes like others. Threads: no
 * shared state; the tables of the grammar are constants. Cost: O(size) expected. */
#include "frontends/minigo/tree.h"

#include "core/base/check.h"
#include "frontends/minigo/program.h"

#include <string.h>
#include <tree_sitter/api.h>

#if TREE_SITTER_LANGUAGE_VERSION < 14
#error "libtree-sitter 0.20.7 or later is needed, for grammars of ABI 14"
#endif

/* Defined by the grammar's parser.c, which has no header. */
const TSLanguage *tree_sitter_go(void);

#define HD_ARRAY_NAME node_list
#define HD_ARRAY_TYPE hdi_go_node
#include "core/base/array.h"

#define HD_ARRAY_NAME level_stack
#define HD_ARRAY_TYPE uint32_t
#include "core/base/array.h"

static const char *const kind_names[HDI_GO_N_COUNT] = {
#define HDI_GO_KIND(identifier, node) [HDI_GO_N_##identifier] = (node),
#include "frontends/minigo/kinds.def"
#undef HDI_GO_KIND
};

static const char *const field_names[HDI_GO_F_COUNT] = {
#define HDI_GO_FIELD(identifier, field) [HDI_GO_F_##identifier] = (field),
#include "frontends/minigo/kinds.def"
#undef HDI_GO_FIELD
};

#define FIELDS_MAX 64u
#define ERROR_SYMBOL ((TSSymbol)-1)

typedef struct grammar_maps {
  uint8_t *kinds; /* by symbol; owned */
  uint8_t fields[FIELDS_MAX];
} grammar_maps;

/* Several symbols may have one name (aliases). */
static hd_status map_kinds(const TSLanguage *language, grammar_maps *maps) {
  uint32_t count = ts_language_symbol_count(language);
  maps->kinds = malloc(count + 1u);
  if (maps->kinds == NULL) {
    return HD_E_NOMEM;
  }
  bool found[HDI_GO_N_COUNT] = {false};
  for (uint32_t s = 0; s < count; s++) {
    maps->kinds[s] = HDI_GO_N_TOKEN;
    if (ts_language_symbol_type(language, (TSSymbol)s) != TSSymbolTypeRegular) {
      continue;
    }
    maps->kinds[s] = HDI_GO_N_OTHER;
    for (uint32_t k = 0; k < HDI_GO_N_COUNT; k++) {
      if (strcmp(ts_language_symbol_name(language, (TSSymbol)s), kind_names[k]) == 0) {
        maps->kinds[s] = (uint8_t)k;
        found[k] = true;
      }
    }
  }
  for (uint32_t k = 0; k < HDI_GO_N_COUNT; k++) {
    if (!found[k]) {
      return HD_E_INTERNAL;
    }
  }
  return HD_OK;
}

static hd_status map_fields(const TSLanguage *language, grammar_maps *maps) {
  memset(maps->fields, HDI_GO_F_NONE, sizeof maps->fields);
  for (uint32_t f = 0; f < HDI_GO_F_COUNT; f++) {
    TSFieldId id = ts_language_field_id_for_name(language, field_names[f], (uint32_t)strlen(field_names[f]));
    if (id == 0 || id >= FIELDS_MAX) {
      return HD_E_INTERNAL;
    }
    maps->fields[id] = (uint8_t)f;
  }
  return HD_OK;
}

static hdi_go_node node_at(const TSTreeCursor *cursor, const grammar_maps *maps) {
  TSNode node = ts_tree_cursor_current_node(cursor);
  TSSymbol symbol = ts_node_symbol(node);
  bool missing = ts_node_is_missing(node);
  return (hdi_go_node){.kind = symbol == ERROR_SYMBOL ? HDI_GO_N_ERROR : maps->kinds[symbol],
                       .field = maps->fields[ts_tree_cursor_current_field_id(cursor)],
                       .missing = missing,
                       .expected = missing ? ts_node_type(node) : NULL,
                       .span = {ts_node_start_byte(node), ts_node_end_byte(node)}};
}

/* The parts of a string are not of interest, and long strings with many escapes have many; but what is wrong in one is.
 */
static bool has_parts(const hdi_go_node *node, const TSTreeCursor *cursor) {
  return (node->kind != HDI_GO_N_STRING && node->kind != HDI_GO_N_RAW_STRING) ||
         ts_node_has_error(ts_tree_cursor_current_node(cursor));
}

static hd_status add(node_list *list, const hdi_go_node *node, hdi_go_tree *out) {
  out->wrong = out->wrong || node->missing || node->kind == HDI_GO_N_ERROR;
  return list->count >= UINT32_MAX - 1u ? HD_E_LIMIT : node_list_push(list, *node);
}

/* `levels`: the number of the last node added on each level above the cursor. */
static hd_status copy(TSTreeCursor *cursor, const grammar_maps *maps, node_list *list, level_stack *levels,
                      hdi_go_tree *out) {
  hdi_go_node node = node_at(cursor, maps);
  hd_status status = add(list, &node, out);
  uint32_t current = 0;
  while (status == HD_OK) {
    bool down = has_parts(&list->data[current], cursor) && ts_tree_cursor_goto_first_child(cursor);
    if (down) {
      status = level_stack_push(levels, current);
    } else {
      while (!ts_tree_cursor_goto_next_sibling(cursor)) {
        if (levels->count == 0 || !ts_tree_cursor_goto_parent(cursor)) {
          return HD_OK;
        }
        current = level_stack_pop(levels);
      }
    }
    node = node_at(cursor, maps);
    uint32_t number = (uint32_t)list->count;
    status = status == HD_OK ? add(list, &node, out) : status;
    if (status == HD_OK) {
      *(down ? &list->data[current].first : &list->data[current].next) = number;
      current = number;
    }
  }
  return status;
}

static hd_status walk(const TSTree *tree, const TSLanguage *language, hdi_go_tree *out) {
  grammar_maps maps = {.kinds = NULL};
  node_list list = {0};
  level_stack levels = {0};
  hd_status status = map_kinds(language, &maps);
  status = status == HD_OK ? map_fields(language, &maps) : status;
  if (status == HD_OK) {
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    status = copy(&cursor, &maps, &list, &levels, out);
    ts_tree_cursor_delete(&cursor);
  }
  free(maps.kinds);
  level_stack_free(&levels);
  if (status != HD_OK) {
    node_list_free(&list);
    return status;
  }
  out->nodes = list.data;
  out->count = (uint32_t)list.count;
  return HD_OK;
}

hd_status hdi_go_tree_parse(const hd_text *text, hdi_go_tree *out) {
  HD_REQUIRE(text->size_bytes <= HD_GO_FILE_BYTES_MAX);
  *out = (hdi_go_tree){0};
  const TSLanguage *language = tree_sitter_go();
  TSParser *parser = ts_parser_new();
  hd_status status = HD_E_INTERNAL;
  if (ts_parser_set_language(parser, language)) {
    TSTree *tree = ts_parser_parse_string(parser, NULL, text->data, (uint32_t)text->size_bytes);
    if (tree != NULL) {
      status = walk(tree, language, out);
      ts_tree_delete(tree);
    }
  }
  ts_parser_delete(parser);
  return status;
}

void hdi_go_tree_free(hdi_go_tree *tree) {
  free(tree->nodes);
  *tree = (hdi_go_tree){0};
}
