/* Models as Promela and Murphi: what is refused, what form is chosen, names, and memory. That the other tools count the
 * same states is tests/bench/test_peers.py's. */
#include "bench/workloads.h"
#include "core/model/builder.h"
#include "core/report/print_model.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <string.h>

static hd_builder *b;
static hd_process process;
static hd_loc from, to;

static void begin(const char *name) {
  b = hd_builder_new();
  process = hd_build_process(b, &(hd_process_desc){.name = name, .instances = 2, .started = 2});
  from = hd_build_loc(b, process, "from", 0, 0);
  to = hd_build_loc(b, process, "to", 0, 0);
}

static hd_var variable(int64_t lo, int64_t hi) {
  return hd_build_var(b, &(hd_var_desc){.name = "x", .lo = lo, .hi = hi, .process = HD_NO_PROCESS});
}

static void edge(hd_expr guard, const hd_stmt *stmt) {
  (void)hd_build_edge(
      b,
      &(hd_edge_desc){.from = from, .to = to, .guard = guard, .stmts = stmt, .stmt_count = stmt != NULL, .weight = 1});
}

static hd_model *finish(void) {
  hd_model *model = NULL;
  cr_assert_eq(hd_builder_finish(b, &model), HD_OK);
  return model;
}

static char *promela(const hd_model *model) {
  hd_buffer out = {0};
  const char *why = NULL;
  cr_assert_eq(hd_model_print_promela(model, &out, &why), HD_OK, "%s", why);
  return hd_buffer_take(&out);
}

/* Both languages, or Promela alone, refuse for this reason. */
static void expect_refused(const char *reason, bool both) {
  hd_model *model = finish();
  for (int murphi = 0; murphi <= both; murphi++) {
    hd_buffer out = {0};
    const char *why = NULL;
    hd_status status = murphi ? hd_model_print_murphi(model, &out, &why) : hd_model_print_promela(model, &out, &why);
    cr_assert_eq(status, HD_E_LIMIT);
    cr_assert(why != NULL && strstr(why, reason) != NULL, "%s", why == NULL ? "no reason" : why);
    hd_buffer_free(&out);
  }
  hd_model_free(model);
}

static hd_expr op(hd_op o, hd_expr x, hd_expr y) {
  return hd_build_op(b, o, x, y, HD_NO_EXPR);
}

static hd_expr constant(int64_t value) {
  return hd_build_const(b, value);
}

Test(print_model, refuses_atomic_blocks) {
  begin("p");
  (void)hd_build_loc(b, process, "inside", HD_LOC_ATOMIC, 0);
  edge(HD_NO_EXPR, NULL);
  expect_refused("atomic", true);
}

Test(print_model, refuses_reduced_models) {
  begin("p");
  (void)hd_build_loc(b, process, "eager", HD_LOC_EAGER, 0);
  edge(HD_NO_EXPR, NULL);
  expect_refused("reduced", true);
}

Test(print_model, refuses_monitors) {
  begin("p");
  hd_label label = hd_build_label(b, "a");
  (void)hd_build_monitor(b, "m", 1, 0, &label, 1);
  edge(HD_NO_EXPR, NULL);
  expect_refused("monitors", true);
}

Test(print_model, refuses_several_initial_states) {
  begin("p");
  (void)hd_build_var(b, &(hd_var_desc){.name = "x", .hi = 3, .init_hi = 1, .process = HD_NO_PROCESS});
  edge(HD_NO_EXPR, NULL);
  expect_refused("several initial states", true);
}

Test(print_model, refuses_what_needs_more_than_32_bits) {
  begin("p");
  (void)variable(0, (int64_t)1 << 31);
  edge(HD_NO_EXPR, NULL);
  expect_refused("32 bits", true);
  begin("p");
  hd_var x = variable(0, 1 << 16);
  hd_expr square = op(HD_OP_MUL, hd_build_read(b, x), hd_build_read(b, x));
  edge(op(HD_OP_GT, square, constant(5)), NULL);
  expect_refused("32 bits", true);
}

Test(print_model, refuses_faults_of_operators) {
  begin("p");
  hd_var x = variable(0, 9);
  edge(op(HD_OP_DIV, constant(8), hd_build_read(b, x)), NULL);
  expect_refused("divisor", true);
  begin("p");
  x = variable(0, 40);
  edge(op(HD_OP_SHL, constant(1), hd_build_read(b, x)), NULL);
  expect_refused("distance", true);
  begin("p");
  x = variable(-1, 1);
  edge(op(HD_OP_SHR, hd_build_read(b, x), constant(1)), NULL);
  expect_refused("negative", true);
}

Test(print_model, division_by_what_cannot_be_zero_is_printed) {
  begin("p");
  hd_var x = variable(0, 9);
  hd_expr divisor = op(HD_OP_ADD, hd_build_read(b, x), constant(1));
  edge(op(HD_OP_MOD, op(HD_OP_DIV, constant(8), divisor), constant(-3)), NULL);
  hd_model *model = finish();
  char *text = promela(model);
  cr_assert_not_null(strstr(text, "((8 / (v0_x + 1)) % (-3))"));
  free(text);
  hd_model_free(model);
}

Test(print_model, refuses_letters_outside_the_queue) {
  begin("p");
  hd_queue queue = hd_build_queue(b, &(hd_queue_desc){.name = "q", .capacity = 1, .letters = 2, .owner = process});
  edge(HD_NO_EXPR, &(hd_stmt){.kind = HD_STMT_PUSH, .queue = queue, .a = constant(3)});
  expect_refused("letter", true);
}

Test(print_model, names_are_made_safe) {
  begin("a\"b */ \n -- c\xc3\xa9");
  hd_var x = hd_build_var(b, &(hd_var_desc){.name = "proctype", .hi = 1, .process = HD_NO_PROCESS});
  edge(HD_NO_EXPR, &(hd_stmt){.kind = HD_STMT_ASSIGN, .var = x, .a = constant(1)});
  hd_model *model = finish();
  char *text = promela(model);
  cr_assert_not_null(strstr(text, "active proctype p0_abc() {"));
  cr_assert_not_null(strstr(text, "byte v0_proctype = 0;"));
  free(text);
  hd_buffer out = {0};
  const char *why = NULL;
  cr_assert_eq(hd_model_print_murphi(model, &out, &why), HD_OK);
  cr_assert_not_null(strstr(out.data, "rule \"p0_abc: l1_from -> l2_to\""));
  hd_buffer_free(&out);
  hd_model_free(model);
}

/* What labels and channels cannot say makes one process of guarded commands. */
Test(print_model, form_of_promela) {
  begin("p");
  edge(HD_NO_EXPR, NULL);
  hd_model *model = finish();
  char *text = promela(model);
  cr_assert_not_null(strstr(text, "proctype p1_p"));
  cr_assert_null(strstr(text, "proctype system"));
  free(text);
  hd_model_free(model);
  begin("p");
  edge(hd_build_at(b, 1, to), NULL);
  model = finish();
  text = promela(model);
  cr_assert_not_null(strstr(text, "proctype system"));
  cr_assert_not_null(strstr(text, ":: d_step { at0_p == 1 && at1_p == 2 -> at0_p = 2; }"));
  free(text);
  hd_model_free(model);
}

Test(print_model, values_outside_a_domain_are_assertions_in_promela) {
  begin("p");
  hd_var x = variable(0, 9);
  edge(HD_NO_EXPR, &(hd_stmt){.kind = HD_STMT_ASSIGN, .var = x, .a = op(HD_OP_ADD, hd_build_read(b, x), constant(1))});
  hd_model *model = finish();
  char *text = promela(model);
  cr_assert_not_null(strstr(text, "assert((v0_x + 1) >= 0 && (v0_x + 1) <= 9); v0_x = (v0_x + 1);"));
  free(text);
  hd_model_free(model);
}

static bool is_murphi;

static bool print_once(void *payload, bool *succeeded) {
  hd_buffer out = {0};
  const char *why = NULL;
  hd_status status =
      is_murphi ? hd_model_print_murphi(payload, &out, &why) : hd_model_print_promela(payload, &out, &why);
  *succeeded = status == HD_OK;
  hd_buffer_free(&out);
  return why == NULL && (status == HD_OK || status == HD_E_NOMEM);
}

Test(print_model, memory) {
  hd_model *model = NULL;
  cr_assert_eq(hd_workload_build(HD_WORKLOAD_RENDEZVOUS, (hd_workload_size){.n = 3}, &model), HD_OK);
  for (int murphi = 0; murphi < 2; murphi++) {
    is_murphi = murphi == 1;
    cr_assert_gt(hd_fail_alloc_sweep(print_once, model), 3);
  }
  hd_model_free(model);
}
