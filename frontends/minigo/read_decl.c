/* Reads declarations from the concrete tree: imports, constants, types, variables, functions and methods.
 * Threads: as reader.h. Cost: linear in the nodes. */
#include "core/base/check.h"
#include "frontends/minigo/reader.h"

static hd_span span_of(const hdi_go_reader *reader, uint32_t node) {
  return hdi_go_at(reader, node)->span;
}

static hd_go_expr *optional(hdi_go_reader *reader, uint32_t node, hdi_go_field_kind field) {
  uint32_t child = hdi_go_child(reader, node, field);
  return child == 0 ? NULL : hdi_go_read_expr(reader, child);
}

static hd_go_spec *read_spec(hdi_go_reader *reader, uint32_t node) {
  hd_go_spec *spec = hdi_go_new_spec(reader, span_of(reader, node));
  hdi_go_kind kind = hdi_go_kind_of(reader, node);
  spec->names = hdi_go_read_names(reader, node);
  spec->type = optional(reader, node, HDI_GO_F_TYPE);
  spec->values = kind == HDI_GO_N_IMPORT_SPEC ? optional(reader, node, HDI_GO_F_PATH)
                                              : hdi_go_read_list(reader, hdi_go_child(reader, node, HDI_GO_F_VALUE));
  spec->type_parameters = hdi_go_read_type_parameters(reader, hdi_go_child(reader, node, HDI_GO_F_TYPE_PARAMETERS));
  spec->alias = kind == HDI_GO_N_TYPE_ALIAS;
  return spec;
}

/* The specs of a declaration; those of imports and variables in parentheses stand in a list of their own. */
static hd_go_spec *read_specs(hdi_go_reader *reader, uint32_t node) {
  hd_go_spec *first = NULL, **end = &first;
  uint32_t child = hdi_go_first(reader, node);
  if (child != 0 && (hdi_go_kind_of(reader, child) == HDI_GO_N_IMPORT_SPEC_LIST ||
                     hdi_go_kind_of(reader, child) == HDI_GO_N_VAR_SPEC_LIST)) {
    child = hdi_go_first(reader, child);
  }
  for (; child != 0; child = hdi_go_next(reader, child)) {
    *end = read_spec(reader, child);
    end = &(*end)->next;
  }
  return first;
}

static bool has_parentheses(const hdi_go_reader *reader, uint32_t node) {
  uint32_t child = hdi_go_first(reader, node);
  return hdi_go_token(reader, node, "(") != 0 ||
         (child != 0 && (hdi_go_kind_of(reader, child) == HDI_GO_N_IMPORT_SPEC_LIST ||
                         hdi_go_kind_of(reader, child) == HDI_GO_N_VAR_SPEC_LIST));
}

static hd_go_decl *read_group(hdi_go_reader *reader, uint32_t node, hd_go_decl_kind kind) {
  hd_go_decl *decl = hdi_go_new_decl(reader, kind, span_of(reader, node));
  decl->specs = read_specs(reader, node);
  decl->group = has_parentheses(reader, node);
  if (kind == HD_GO_DECL_CONST && reader->status == HD_OK && decl->specs != NULL && decl->specs->values == NULL) {
    const hd_go_name *name = &decl->specs->names->name;
    hdi_go_report(reader, HDI_GO_CONST_VALUE, name->span, hdi_go_show(reader, name->span).text, NULL);
  }
  return decl;
}

static hd_go_decl *read_function(hdi_go_reader *reader, uint32_t node) {
  hd_go_decl *decl = hdi_go_new_decl(reader, HD_GO_DECL_FUNC, span_of(reader, node));
  hd_go_function *function = hdi_go_new_function(reader);
  uint32_t receiver = hdi_go_child(reader, node, HDI_GO_F_RECEIVER);
  uint32_t body = hdi_go_child(reader, node, HDI_GO_F_BODY);
  decl->function = function;
  function->name = hdi_go_name_of(reader, span_of(reader, hdi_go_child(reader, node, HDI_GO_F_NAME)));
  if (receiver != 0) {
    function->receiver = hdi_go_read_parameters(reader, receiver, false);
    uint64_t count = 0;
    for (const hd_go_field *field = function->receiver; field != NULL && reader->status == HD_OK; field = field->next) {
      count += field->names == NULL || field->names->next == NULL ? 1 : 2;
    }
    if (count != 1 && reader->status == HD_OK) {
      hdi_go_report(reader, HDI_GO_RECEIVER, span_of(reader, receiver), hdi_go_show_number(count).text, NULL);
    }
  }
  hdi_go_read_signature(reader, node, &function->signature);
  function->body = body == 0 ? NULL : hdi_go_read_body(reader, body);
  return decl;
}

hd_go_decl *hdi_go_read_decl(hdi_go_reader *reader, uint32_t node) {
  static const uint8_t kinds[HDI_GO_N_OTHER + 1] = {
      [HDI_GO_N_IMPORT_DECLARATION] = HD_GO_DECL_IMPORT, [HDI_GO_N_CONST_DECLARATION] = HD_GO_DECL_CONST,
      [HDI_GO_N_TYPE_DECLARATION] = HD_GO_DECL_TYPE,     [HDI_GO_N_VAR_DECLARATION] = HD_GO_DECL_VAR,
      [HDI_GO_N_FUNCTION_DECLARATION] = HD_GO_DECL_FUNC, [HDI_GO_N_METHOD_DECLARATION] = HD_GO_DECL_FUNC,
  };
  hd_go_decl_kind kind = (hd_go_decl_kind)kinds[hdi_go_kind_of(reader, node)];
  return kind == HD_GO_DECL_FUNC ? read_function(reader, node) : read_group(reader, node, kind);
}
