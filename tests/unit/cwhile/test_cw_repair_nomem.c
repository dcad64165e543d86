/* Repairs of threads when memory runs out: the nth allocation fails, for every n. Each part must then say so, give
 * nothing and lose nothing. (What the solver of orders does then is its own affair: core/repair/formula.h.) */
#include "frontends/cwhile/good_trace.h"
#include "frontends/cwhile/regions.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

static const char source[] =
    "int x = 0, y = 0;\n"
    "thread t1 {\n  x = 1;\n  y = 1;\n}\n"
    "thread t2 {\n  await(y == 0 || x == 1);\n  assert(x == y);\n  skip;\n}\n";

static hd_text *given;
static hd_cw_program *program;
static hdi_cw_baseline baseline;
static const hdi_cw_gate_limits GATE = {.threads = 1};

static hd_status try_editing(uint64_t failing, uint64_t *asked) {
  const uint32_t order[] = {1, 0};
  const hdi_cw_wrap wraps[] = {{HDI_CW_WRAP_LOCK, 0, 1}};
  hdi_cw_list_edit list = {
      .head = program->bodies[0].first, .count = 2, .order = order, .wraps = wraps, .wrap_count = 1};
  hdi_cw_edit edit = {&list, 1};
  hdi_cw_edited edited;
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_cw_edit_apply(program, &edit, &edited);
  *asked = hd_fail_alloc_stop();
  hdi_cw_edited_clear(&edited);
  return status;
}

static hd_status try_exploring(uint64_t failing, uint64_t *asked) {
  hdi_cw_baseline own;
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_cw_baseline_make(program, false, &GATE, &own);
  *asked = hd_fail_alloc_stop();
  hdi_cw_baseline_clear(&own);
  return status;
}

static hd_status find_regions(uint64_t failing, uint64_t *asked, hdi_cw_wrap_kind kind) {
  hdi_cw_region_query query = {
      .baseline = &baseline, .kind = kind, .yields_max = 3, .tries_max = 6, .repairs_max = 2, .threads = 1};
  hdi_cw_region_answer answer;
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_cw_regions_find(&query, &answer);
  *asked = hd_fail_alloc_stop();
  hdi_cw_region_answer_clear(&answer);
  return status;
}

static hd_status try_strong(uint64_t failing, uint64_t *asked) {
  return find_regions(failing, asked, HDI_CW_WRAP_ATOMIC);
}

static hd_status try_weak(uint64_t failing, uint64_t *asked) {
  return find_regions(failing, asked, HDI_CW_WRAP_WATOMIC);
}

static hd_status try_learning(uint64_t failing, uint64_t *asked) {
  static const hdi_cw_costs costs = {.swap = 1};
  hd_cw_lower_options options = {.access = false};
  hd_cw_lowering *lowering = NULL;
  cr_assert(hd_cw_lower(program, &options, &lowering) == HD_OK);
  hdi_cw_orders orders;
  hdi_cw_lessons lessons = {0};
  hd_trace **traces = NULL;
  uint32_t count = 0;
  hd_arena *arena = hd_arena_new();
  cr_assert(arena != NULL);
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_cw_orders_make(lowering, &costs, true, &orders);
  if (status == HD_OK) {
    status = hdi_cw_find_good(lowering, 4, &traces, &count);
  }
  for (uint32_t i = 0; i < count && status == HD_OK; i++) {
    status = hdi_cw_learn_good(&orders, lowering, traces[i], arena, &lessons);
  }
  *asked = hd_fail_alloc_stop();
  for (uint32_t i = 0; i < count; i++) {
    hd_trace_free(traces[i]);
  }
  free(traces);
  hdi_cw_orders_clear(&orders);
  hd_arena_free(arena);
  hd_cw_lowering_free(lowering);
  return status;
}

static void begin(void) {
  cr_assert(hd_text_from_bytes("t.cw", source, strlen(source), &given) == HD_OK);
  cr_assert(hd_cw_read(given, NULL, &program) == HD_OK);
  cr_assert(hdi_cw_baseline_make(program, false, &GATE, &baseline) == HD_OK);
}

static void end(void) {
  hdi_cw_baseline_clear(&baseline);
  hd_cw_program_free(program);
  hd_text_free(given);
}

static void run(hd_status (*attempt)(uint64_t failing, uint64_t *asked)) {
  begin();
  hd_fail_alloc_exhaust(attempt);
  end();
}

/* A search may do without what it was refused, or end at a limit: then it says so, and loses nothing either. */
static void run_search(hd_status (*attempt)(uint64_t failing, uint64_t *asked)) {
  begin();
  uint64_t asked = 1, refused = 0;
  for (uint64_t failing = 0; failing < asked; failing++) {
    int64_t live = hd_fail_alloc_live();
    hd_status status = attempt(failing, &asked);
    refused += status != HD_OK;
    cr_assert(status == HD_OK || status == HD_E_NOMEM || status == HD_E_LIMIT, "allocation %d: status %d", (int)failing,
              (int)status);
    cr_assert(hd_fail_alloc_live() == live, "allocation %d: something was lost", (int)failing);
  }
  cr_assert(refused > asked / 2);
  end();
}

Test(cw_repair_nomem, editing) {
  run(try_editing);
}

Test(cw_repair_nomem, exploring) {
  run_search(try_exploring);
}

Test(cw_repair_nomem, strong_regions) {
  run_search(try_strong);
}

Test(cw_repair_nomem, weak_regions) {
  run_search(try_weak);
}

Test(cw_repair_nomem, learning) {
  run(try_learning);
}
