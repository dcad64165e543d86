/* See models.h. The families are those of bench/; graphs are built here. */
#include "tests/support/models.h"

#include "bench/workloads.h"
#include "core/model/builder.h"
#include "tests/support/hd_test.h"

static hd_model *family(hd_workload workload, hd_workload_size size) {
  hd_model *model = NULL;
  cr_assert_eq(hd_workload_build(workload, size, &model), HD_OK);
  cr_assert_not_null(model);
  return model;
}

hd_model *hd_model_ring(uint32_t n, uint32_t receive_weight) {
  return family(HD_WORKLOAD_RING, (hd_workload_size){.n = n, .free_receives = receive_weight == 0});
}

hd_model *hd_model_pairs(uint32_t n) {
  return family(HD_WORKLOAD_PAIRS, (hd_workload_size){.n = n});
}

hd_model *hd_model_star(uint32_t n) {
  return family(HD_WORKLOAD_STAR, (hd_workload_size){.n = n});
}

hd_model *hd_model_pipeline(uint32_t n) {
  return family(HD_WORKLOAD_PIPELINE, (hd_workload_size){.n = n});
}

hd_model *hd_model_counter(uint32_t n, uint32_t k) {
  return family(HD_WORKLOAD_COUNTER, (hd_workload_size){.n = n, .k = k});
}

hd_model *hd_model_filter(uint32_t n) {
  return family(HD_WORKLOAD_FILTER, (hd_workload_size){.n = n});
}

hd_model *hd_model_dining(uint32_t n) {
  return family(HD_WORKLOAD_DINING, (hd_workload_size){.n = n});
}

hd_model *hd_model_rendezvous_dining(uint32_t n) {
  return family(HD_WORKLOAD_RENDEZVOUS, (hd_workload_size){.n = n});
}

hd_model *hd_model_chain(uint32_t n, uint32_t words) {
  return family(HD_WORKLOAD_CHAIN, (hd_workload_size){.n = n, .words = words});
}

hd_model *hd_model_fan(uint32_t n) {
  return family(HD_WORKLOAD_FAN, (hd_workload_size){.n = n});
}

hd_model *hd_model_graph(uint32_t vertices, const hd_arc *arcs, size_t arc_count, uint32_t padding) {
  hd_builder *b = hd_builder_new();
  cr_assert_not_null(b);
  hd_process walker = hd_build_process(b, &(hd_process_desc){.name = "walker", .instances = 1, .started = 1});
  for (uint32_t i = 1; i <= padding; i++) { /* variables that never change and take a word each */
    (void)hd_build_var(
        b, &(hd_var_desc){.name = "padding", .hi = INT64_MAX, .init_lo = i, .init_hi = i, .process = HD_NO_PROCESS});
  }
  hd_var bit = hd_build_var(b, &(hd_var_desc){.name = "bit", .hi = 1, .process = HD_NO_PROCESS});
  hd_loc first = {0};
  for (uint32_t i = 0; i < vertices; i++) {
    hd_loc loc = hd_build_loc(b, walker, "vertex", 0, i);
    first = i == 0 ? loc : first;
    cr_assert_eq(loc.v, first.v + i, "locations of one process are numbered in a row");
  }
  for (size_t i = 0; i < arc_count; i++) {
    hd_stmt stmts[2];
    uint32_t count = 0;
    if (arcs[i].check >= 0) {
      stmts[count++] = (hd_stmt){.kind = HD_STMT_CHECK, .a = hd_build_const(b, 0), .code = (uint32_t)arcs[i].check};
    }
    if (arcs[i].fault) {
      stmts[count++] = (hd_stmt){.kind = HD_STMT_ASSIGN, .var = bit, .a = hd_build_const(b, 2)};
    }
    (void)hd_build_edge(b, &(hd_edge_desc){.from = {first.v + arcs[i].from},
                                           .to = {first.v + arcs[i].to},
                                           .stmts = stmts,
                                           .stmt_count = count,
                                           .statement = (uint32_t)i,
                                           .weight = arcs[i].weight});
  }
  hd_model *model = NULL;
  cr_assert_eq(hd_builder_finish(b, &model), HD_OK);
  return model;
}

uint32_t hd_graph_vertex(const hd_model *model, const uint64_t *state) {
  return hd_model_loc_tag(model, hd_model_location(model, state, 0));
}

void hd_random_arcs(uint64_t seed, uint32_t vertices, hd_arc *arcs, size_t arc_count, uint32_t zero_in) {
  uint64_t x = seed * 0x9e3779b97f4a7c15ULL + 1;
  for (size_t i = 0; i < arc_count; i++) {
    uint64_t r[5];
    for (size_t j = 0; j < 5; j++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      r[j] = x >> 11;
    }
    arcs[i] = (hd_arc){.from = (uint32_t)(r[0] % vertices),
                       .to = (uint32_t)(r[1] % vertices),
                       .weight = zero_in != 0 && r[2] % zero_in == 0 ? 0 : 1,
                       .check = r[3] % 16 == 0 ? (int)(r[3] / 16 % 3) : -1,
                       .fault = r[4] % 16 == 0};
  }
}
