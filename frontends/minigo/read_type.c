/* Reads types, signatures, fields and parameters from the concrete tree.
 *
 * The grammar takes `chan <-chan T` for a channel of receive-only channels, which the language does not: the arrow
 * belongs to the leftmost chan that it can belong to. Here it is given back.
 * Threads: as reader.h. Cost: linear in the nodes. */
#include "frontends/minigo/reader.h"

static hd_span span_of(const hdi_go_reader *reader, uint32_t node) {
  return hdi_go_at(reader, node)->span;
}

static hd_go_expr *part(hdi_go_reader *reader, uint32_t node, hdi_go_field_kind field) {
  return hdi_go_read_expr(reader, hdi_go_child(reader, node, field));
}

static hd_go_expr *read_inner(hdi_go_reader *reader, uint32_t node, hd_go_expr_kind kind) {
  hd_go_expr *expr = hdi_go_new_expr(reader, kind, span_of(reader, node));
  expr->a = hdi_go_read_expr(reader, hdi_go_first(reader, node));
  return expr;
}

static hd_go_expr *read_qualified(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_SELECTOR, span_of(reader, node));
  expr->a = part(reader, node, HDI_GO_F_PACKAGE);
  expr->name = hdi_go_name_of(reader, span_of(reader, hdi_go_child(reader, node, HDI_GO_F_NAME)));
  return expr;
}

static hd_go_expr *read_generic(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_INDEX, span_of(reader, node));
  expr->a = part(reader, node, HDI_GO_F_TYPE);
  hd_go_expr **end = &expr->list;
  uint32_t arguments = hdi_go_child(reader, node, HDI_GO_F_TYPE_ARGUMENTS);
  for (uint32_t child = hdi_go_first(reader, arguments); child != 0; child = hdi_go_next(reader, child)) {
    *end = hdi_go_read_expr(reader, child);
    end = &(*end)->next;
  }
  return expr;
}

static hd_go_expr *read_array(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_ARRAY_TYPE, span_of(reader, node));
  uint32_t length = hdi_go_child(reader, node, HDI_GO_F_LENGTH);
  expr->b = length == 0 ? NULL : hdi_go_read_expr(reader, length);
  expr->spread = hdi_go_kind_of(reader, node) == HDI_GO_N_IMPLICIT_ARRAY_TYPE;
  expr->a = part(reader, node, HDI_GO_F_ELEMENT);
  return expr;
}

static hd_go_expr *read_map(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_MAP_TYPE, span_of(reader, node));
  expr->b = part(reader, node, HDI_GO_F_KEY);
  expr->a = part(reader, node, HDI_GO_F_VALUE);
  return expr;
}

static bool starts_with_arrow(const hdi_go_reader *reader, uint32_t node) {
  return hdi_go_spells(reader, span_of(reader, hdi_go_at(reader, node)->first), "<-");
}

/* The channel type `node` without an arrow at its start, of which that was taken: `<-chan T` read as `chan T`. */
static hd_go_expr *read_without_arrow(hdi_go_reader *reader, uint32_t node, hd_go_expr *expr);

static hd_go_expr *read_channel(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_CHAN_TYPE, span_of(reader, node));
  if (starts_with_arrow(reader, node)) {
    expr->direction = HD_GO_RECEIVE_ONLY;
    expr->a = part(reader, node, HDI_GO_F_VALUE);
    return expr;
  }
  return read_without_arrow(reader, node, expr);
}

static hd_go_expr *read_without_arrow(hdi_go_reader *reader, uint32_t node, hd_go_expr *expr) {
  uint32_t value = hdi_go_child(reader, node, HDI_GO_F_VALUE);
  if (!starts_with_arrow(reader, node) && hdi_go_token(reader, node, "<-") != 0) {
    expr->direction = HD_GO_SEND_ONLY;
  } else if (hdi_go_kind_of(reader, value) == HDI_GO_N_CHANNEL_TYPE && starts_with_arrow(reader, value)) {
    expr->direction = HD_GO_SEND_ONLY;
    if (hdi_go_enter(reader, span_of(reader, value))) {
      hd_span span = {span_of(reader, hdi_go_token(reader, value, "chan")).begin, span_of(reader, value).end};
      expr->a = read_without_arrow(reader, value, hdi_go_new_expr(reader, HD_GO_CHAN_TYPE, span));
      hdi_go_leave(reader);
    }
    return expr;
  }
  expr->a = hdi_go_read_expr(reader, value);
  return expr;
}

static hd_go_expr *read_function_type(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_FUNC_TYPE, span_of(reader, node));
  expr->signature = hdi_go_new_signature(reader);
  hdi_go_read_signature(reader, node, expr->signature);
  return expr;
}

static hd_go_field *read_struct_field(hdi_go_reader *reader, uint32_t node) {
  hd_go_field *field = hdi_go_new_field(reader, span_of(reader, node));
  field->names = hdi_go_read_names(reader, node);
  field->type = part(reader, node, HDI_GO_F_TYPE);
  uint32_t star = hdi_go_token(reader, node, "*"), tag = hdi_go_child(reader, node, HDI_GO_F_TAG);
  if (star != 0) {
    hd_span span = {span_of(reader, star).begin, field->type->span.end};
    hd_go_expr *pointer = hdi_go_new_expr(reader, HD_GO_STAR, span);
    pointer->op = HD_GO_OP_MUL;
    pointer->a = field->type;
    field->type = pointer;
  }
  field->tag = tag == 0 ? NULL : hdi_go_read_expr(reader, tag);
  return field;
}

static hd_go_expr *read_struct(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_STRUCT_TYPE, span_of(reader, node));
  hd_go_field **end = &expr->fields;
  uint32_t list = hdi_go_first(reader, node);
  for (uint32_t child = hdi_go_first(reader, list); child != 0; child = hdi_go_next(reader, child)) {
    *end = read_struct_field(reader, child);
    end = &(*end)->next;
  }
  return expr;
}

static hd_go_expr *read_interface(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_INTERFACE_TYPE, span_of(reader, node));
  hd_go_field **end = &expr->fields;
  for (uint32_t child = hdi_go_first(reader, node); child != 0; child = hdi_go_next(reader, child)) {
    hd_go_field *field = hdi_go_new_field(reader, span_of(reader, child));
    if (hdi_go_kind_of(reader, child) == HDI_GO_N_METHOD_ELEM) {
      field->names = hdi_go_read_names(reader, child);
      field->type = read_function_type(reader, child);
    } else {
      field->type = hdi_go_read_expr(reader, child);
    }
    *end = field;
    end = &field->next;
  }
  return expr;
}

/* `A | B`; one alone is itself. */
static hd_go_expr *read_union(hdi_go_reader *reader, uint32_t node) {
  uint32_t child = hdi_go_first(reader, node);
  if (hdi_go_next(reader, child) == 0) {
    return hdi_go_read_expr(reader, child);
  }
  hd_go_expr *expr = hdi_go_new_expr(reader, HD_GO_UNION, span_of(reader, node));
  hd_go_expr **end = &expr->list;
  for (; child != 0; child = hdi_go_next(reader, child)) {
    *end = hdi_go_read_expr(reader, child);
    end = &(*end)->next;
  }
  return expr;
}

static hd_go_expr *read_paren(hdi_go_reader *reader, uint32_t node) {
  return read_inner(reader, node, HD_GO_PAREN);
}

static hd_go_expr *read_pointer(hdi_go_reader *reader, uint32_t node) {
  hd_go_expr *expr = read_inner(reader, node, HD_GO_STAR);
  expr->op = HD_GO_OP_MUL;
  return expr;
}

static hd_go_expr *read_tilde(hdi_go_reader *reader, uint32_t node) {
  return read_inner(reader, node, HD_GO_TILDE);
}

static hd_go_expr *(*const types[HDI_GO_N_OTHER + 1])(hdi_go_reader *reader, uint32_t node) = {
    [HDI_GO_N_PAREN] = read_paren,
    [HDI_GO_N_PAREN_TYPE] = read_paren,
    [HDI_GO_N_POINTER_TYPE] = read_pointer,
    [HDI_GO_N_NEGATED_TYPE] = read_tilde,
    [HDI_GO_N_QUALIFIED_TYPE] = read_qualified,
    [HDI_GO_N_GENERIC_TYPE] = read_generic,
    [HDI_GO_N_ARRAY_TYPE] = read_array,
    [HDI_GO_N_SLICE_TYPE] = read_array,
    [HDI_GO_N_IMPLICIT_ARRAY_TYPE] = read_array,
    [HDI_GO_N_MAP_TYPE] = read_map,
    [HDI_GO_N_CHANNEL_TYPE] = read_channel,
    [HDI_GO_N_FUNCTION_TYPE] = read_function_type,
    [HDI_GO_N_STRUCT_TYPE] = read_struct,
    [HDI_GO_N_INTERFACE_TYPE] = read_interface,
    [HDI_GO_N_TYPE_ELEM] = read_union,
    [HDI_GO_N_TYPE_CONSTRAINT] = read_union,
};

hd_go_expr *hdi_go_read_type(hdi_go_reader *reader, uint32_t node) {
  hdi_go_kind kind = hdi_go_kind_of(reader, node);
  if (types[kind] != NULL) {
    return types[kind](reader, node);
  }
  hd_span span = span_of(reader, node);
  hdi_go_report(reader, HDI_GO_UNEXPECTED, span, hdi_go_show(reader, span).text, NULL);
  return hdi_go_new_expr(reader, HD_GO_IDENT, span);
}

/* ---- parameters and results ---- */

/* The parser gives up telling apart many names with one type: `a, b, ..., k T` then comes as types a to j and k of type
 * T. Where any parameter has a name all have, so these types are names of the next one that has a type. */
static hd_go_field *join_names(hdi_go_reader *reader, hd_go_field *first, hd_span whole) {
  hd_go_field *kept = NULL, **end = &kept, *pending = NULL;
  hd_go_ident *names = NULL, **names_end = &names;
  for (hd_go_field *field = first; field != NULL; field = field->next) {
    if (field->names == NULL && field->type->kind == HD_GO_IDENT && !field->variadic) {
      *names_end = hdi_go_new_ident_named(reader, &field->type->name);
      names_end = &(*names_end)->next;
      pending = pending == NULL ? field : pending;
      continue;
    }
    if (field->names == NULL) {
      break;
    }
    *names_end = field->names;
    field->names = names;
    field->span.begin = pending == NULL ? field->span.begin : pending->span.begin;
    names = NULL;
    names_end = &names;
    pending = NULL;
    *end = field;
    end = &field->next;
    if (field->next == NULL) {
      return kept;
    }
  }
  hdi_go_report(reader, HDI_GO_MIXED_PARAMETERS, whole, NULL, NULL);
  return first;
}

static hd_go_field *read_single(hdi_go_reader *reader, uint32_t node) {
  hd_go_field *field = hdi_go_new_field(reader, span_of(reader, node));
  field->type = hdi_go_read_expr(reader, node);
  return field;
}

hd_go_field *hdi_go_read_parameters(hdi_go_reader *reader, uint32_t node, bool results) {
  hd_go_field *first = NULL, **end = &first;
  if (node == 0 || hdi_go_kind_of(reader, node) != HDI_GO_N_PARAMETER_LIST) {
    return node == 0 ? NULL : read_single(reader, node);
  }
  bool any_named = false, all_named = true;
  for (uint32_t child = hdi_go_first(reader, node); child != 0; child = hdi_go_next(reader, child)) {
    hd_go_field *field = hdi_go_new_field(reader, span_of(reader, child));
    field->variadic = hdi_go_kind_of(reader, child) == HDI_GO_N_VARIADIC_PARAMETER;
    field->names = hdi_go_read_names(reader, child);
    field->type = part(reader, child, HDI_GO_F_TYPE);
    any_named = any_named || field->names != NULL;
    all_named = all_named && field->names != NULL;
    if (field->variadic && (results || hdi_go_next(reader, child) != 0)) {
      hdi_go_report(reader, HDI_GO_VARIADIC_PLACE, field->span, NULL, NULL);
    }
    *end = field;
    end = &field->next;
  }
  bool mixed = any_named && !all_named && reader->status == HD_OK;
  return mixed ? join_names(reader, first, span_of(reader, node)) : first;
}

hd_go_field *hdi_go_read_type_parameters(hdi_go_reader *reader, uint32_t node) {
  hd_go_field *first = NULL, **end = &first;
  for (uint32_t child = node == 0 ? 0 : hdi_go_first(reader, node); child != 0; child = hdi_go_next(reader, child)) {
    hd_go_field *field = hdi_go_new_field(reader, span_of(reader, child));
    field->names = hdi_go_read_names(reader, child);
    field->type = part(reader, child, HDI_GO_F_TYPE);
    *end = field;
    end = &field->next;
  }
  return first;
}

void hdi_go_read_signature(hdi_go_reader *reader, uint32_t node, hd_go_signature *out) {
  out->type_parameters = hdi_go_read_type_parameters(reader, hdi_go_child(reader, node, HDI_GO_F_TYPE_PARAMETERS));
  out->parameters = hdi_go_read_parameters(reader, hdi_go_child(reader, node, HDI_GO_F_PARAMETERS), false);
  out->results = hdi_go_read_parameters(reader, hdi_go_child(reader, node, HDI_GO_F_RESULT), true);
}
