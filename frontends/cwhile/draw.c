/* A program as a drawing in DOT: one cluster a thread, its locations and steps; those of a run are marked and numbered.
 * Cost: linear in the inlined program and the run. */
#include "frontends/cwhile/explain.h"

#include <string.h>

static void add_quoted(const char *text, hd_buffer *out) {
  for (const char *at = text; *at != '\0'; at++) {
    hd_buffer_printf(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
  }
}

/* The numbers of the steps of a run that took an edge, from 1: " 2,5". */
static bool add_numbers(const hd_cw_lowering *lowering, const hd_trace *trace, uint32_t edge, hd_buffer *out) {
  bool any = false;
  for (size_t i = 0; trace != NULL && i < trace->length; i++) {
    bool took = hd_model_edge_tag(lowering->model, trace->steps[i].edge) == edge;
    for (size_t j = i == 0 ? 0 : trace->inner_end[i - 1]; j < trace->inner_end[i] && !took; j++) {
      took = hd_model_edge_tag(lowering->model, trace->inner[j].edge) == edge;
    }
    if (took) {
      hd_buffer_printf(out, "%s%zu", any ? "," : "", i + 1);
      any = true;
    }
  }
  return any;
}

static void draw_edge(const hd_cw_lowering *lowering, const hd_trace *trace, uint32_t number, hd_buffer *out) {
  const hdi_cw_edge *edge = &lowering->flow.edges.data[number];
  hd_buffer words = {0}, numbers = {0};
  hd_cw_print_head(edge->stmt, &words);
  hd_buffer_add_text(&words, edge->branch == 1 ? " holds" : edge->branch == -1 ? " does not hold" : "");
  bool taken = add_numbers(lowering, trace, number, &numbers);
  hd_buffer_printf(out, "  l%u -> l%u [label=\"", (unsigned)edge->from, (unsigned)edge->to);
  if (taken && numbers.data != NULL) {
    hd_buffer_printf(out, "%s: ", numbers.data);
  }
  add_quoted(words.data == NULL ? "" : words.data, out);
  hd_buffer_add_text(out, taken ? "\", color=red, fontcolor=red];\n" : "\"];\n");
  out->failed = out->failed || words.failed || numbers.failed;
  hd_buffer_free(&words);
  hd_buffer_free(&numbers);
}

const char *hdi_cw_draw(const hd_cw_lowering *lowering, const hd_trace *trace, hd_arena *arena) {
  const hdi_cw_flow *flow = &lowering->flow;
  hd_buffer out = {0};
  hd_buffer_add_text(&out, "digraph program {\n  node [shape=circle, label=\"\", width=0.15];\n");
  for (uint32_t t = 0; t < flow->threads.count; t++) {
    hd_buffer_printf(&out, "  subgraph cluster_%u {\n    label=\"%s%s\";\n", (unsigned)t,
                     flow->threads.data[t].daemon ? "daemon " : "", flow->threads.data[t].name);
    for (uint32_t l = 0; l < flow->locs.count; l++) {
      const hdi_cw_loc *loc = &flow->locs.data[l];
      if (loc->thread == t) {
        hd_buffer_printf(&out, "    l%u%s;\n", (unsigned)l,
                         loc->end     ? " [shape=doublecircle]"
                         : loc->inner ? " [shape=point]"
                                      : "");
      }
    }
    hd_buffer_add_text(&out, "  }\n");
  }
  for (uint32_t e = 0; e < flow->edges.count; e++) {
    draw_edge(lowering, trace, e, &out);
  }
  hd_buffer_add_text(&out, "}\n");
  const char *copy = out.failed ? NULL : hd_arena_copy_text(arena, out.data, out.size_bytes);
  hd_buffer_free(&out);
  return copy;
}
