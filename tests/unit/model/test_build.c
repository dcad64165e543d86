/* The builder: initial states, limits, names and tables, and misuse. */
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

#include <signal.h>

static hd_var add_range(hd_builder *b, int64_t lo, int64_t hi, int64_t init_lo, int64_t init_hi, uint32_t length) {
  hd_var_desc desc = {.name = "r", .lo = lo, .hi = hi, .init_lo = init_lo, .init_hi = init_hi, .length = length};
  desc.process = HD_NO_PROCESS;
  return hd_build_var(b, &desc);
}

Test(build, initial_states_are_sorted_and_complete) {
  uint64_t seed = 8;
  for (int round = 0; round < 50; round++) {
    hd_builder *b = hd_builder_new();
    add_loc(b, add_process(b, "p", 1, 1), 0);
    size_t expected = 1;
    for (int i = 0; i < 4; i++) {
      uint32_t size = 1 + draw_below(&seed, 4);
      uint32_t length = 1 + draw_below(&seed, 2);
      int64_t lo = (int64_t)draw_below(&seed, 9) - 4;
      add_range(b, lo - 1, lo + (int64_t)draw_below(&seed, 1000) + 4, lo, lo + size - 1, length);
      add_var(b, "fixed", 0, (int64_t)1 << (20 + draw_below(&seed, 20)), 77);
      expected *= length == 1 ? size : size * size;
    }
    hd_model *model = finish(b);
    const uint64_t *states = NULL;
    cr_assert_eq(hd_model_initial(model, &states), expected);
    for (size_t i = 0; i < expected; i++) {
      const uint64_t *state = states + i * hd_model_words(model);
      cr_assert(hd_model_state_is_valid(model, state));
      cr_assert(i == 0 || hd_model_compare_states(model, state - hd_model_words(model), state) < 0);
      for (uint32_t v = 0; v < hd_model_vars(model); v += 2) {
        int64_t value = hd_model_value(model, state, (hd_var){v}, 0, 0);
        int64_t first = hd_model_value(model, states, (hd_var){v}, 0, 0);
        cr_assert(value >= first && value < first + 4);
        cr_assert_eq(hd_model_value(model, state, (hd_var){v + 1}, 0, 0), 77);
      }
    }
    hd_model_free(model);
  }
}

Test(build, too_many_initial_states) {
  for (int over = 0; over < 3; over++) {
    hd_builder *b = hd_builder_new();
    add_loc(b, add_process(b, "p", 1, 1), 0);
    add_range(b, 0, 1023, 0, 1023, over == 2 ? 200 : 2); /* 2^20, or more than 2^64 */
    if (over == 1) {
      add_range(b, 0, 1, 0, 1, 1);
    }
    hd_model *model = NULL;
    cr_assert_eq(hd_builder_finish(b, &model), over == 0 ? HD_OK : HD_E_LIMIT);
    cr_assert_eq(model == NULL, over != 0);
    hd_model_free(model);
  }
}

Test(build, errors_stick) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", UINT32_MAX, 1); /* more instances than a table holds */
  hd_loc l = add_loc(b, p, 0);
  hd_queue q = hd_build_queue(b, &(hd_queue_desc){.capacity = 1, .letters = 1, .owner = p});
  hd_var x = add_local(b, p, "x", 0, 1, 0);
  add_do(b, l, hd_build_dead(b, p), is(b, x, 1), push(b, q, 1));
  hd_monitor m = hd_build_monitor(b, "m", 1, 0, NULL, 0);
  hd_build_monitor_arc(b, m, 0, hd_build_label(b, "a"), 0);
  hd_build_op(b, HD_OP_ADD, hd_build_self(b), hd_build_received(b), HD_NO_EXPR);
  hd_build_partner_ready(b, HD_SIDE_SEND, hd_build_queue_head(b, q));
  hd_build_at(b, 0, l);
  hd_model *model = NULL;
  cr_assert_eq(hd_builder_finish(b, &model), HD_E_LIMIT);
  cr_assert_null(model);
  hd_builder_free(NULL);
  hd_model_free(NULL);
  hd_stepper_free(NULL);
  hd_filter_free(NULL);
  hd_builder_free(hd_builder_new()); /* never finished */
}

Test(build, what_was_said_can_be_asked) {
  hd_builder *b = hd_builder_new();
  hd_process p = hd_build_process(b, &(hd_process_desc){.name = "worker", .instances = 2, .started = 1});
  hd_process r = hd_build_process(b, &(hd_process_desc){.name = "other", .instances = 1, .started = 1});
  hd_loc r0 = hd_build_loc(b, r, "only", HD_LOC_DAEMON, 3);
  hd_loc l0 = hd_build_loc(b, p, "first", 0, 70);
  hd_loc l1 = hd_build_loc(b, p, "second", HD_LOC_END | HD_LOC_ATOMIC, 71);
  hd_loc dead = hd_build_dead(b, p);
  hd_var_desc desc = {.name = "a", .lo = 0, .hi = 3, .length = 4, .process = p};
  hd_var a = hd_build_var(b, &desc);
  hd_queue q = hd_build_queue(b, &(hd_queue_desc){.name = "mail", .capacity = 3, .letters = 2, .owner = p});
  hd_label label = hd_build_label(b, "hello");
  hd_edge_desc edge = {
      .from = l0, .to = l1, .kind = HD_EDGE_LOCK, .label = label, .span = {4, 9}, .statement = 5, .tag = 6};
  hd_edge e = hd_build_edge(b, &edge);
  hd_model *model = finish(b);
  const uint64_t *initial = NULL;
  (void)hd_model_initial(model, &initial);
  cr_assert_eq(hd_model_instances(model), 3);
  cr_assert_eq(hd_model_instance_process(model, 1).v, p.v);
  cr_assert_eq(hd_model_instance_number(model, 1), 1);
  cr_assert_eq(hd_model_instance_process(model, 2).v, r.v);
  cr_assert_str_eq(hd_model_process_name(model, p), "worker");
  cr_assert_eq(hd_model_location(model, initial, 0).v, l0.v, "the first location built is where it starts");
  cr_assert_eq(hd_model_location(model, initial, 1).v, dead.v);
  cr_assert_eq(hd_model_location(model, initial, 2).v, r0.v);
  cr_assert(hd_model_loc_is_dead(model, dead) && !hd_model_loc_is_dead(model, l0));
  cr_assert_eq(hd_model_loc_flags(model, l1), HD_LOC_END | HD_LOC_ATOMIC);
  cr_assert_str_eq(hd_model_loc_name(model, l1), "second");
  cr_assert_eq(hd_model_loc_tag(model, l1), 71);
  cr_assert_eq(hd_model_locs(model), 5);
  cr_assert_str_eq(hd_model_var_name(model, a), "a");
  cr_assert_eq(hd_model_var_length(model, a), 4);
  cr_assert_eq(hd_model_vars(model), 1);
  cr_assert_eq(hd_model_queue_capacity(model, q), 3);
  cr_assert_str_eq(hd_model_queue_name(model, q), "mail");
  cr_assert_eq(hd_model_queues(model), 1);
  cr_assert_eq(hd_model_edge_kind(model, e), HD_EDGE_LOCK);
  cr_assert_eq(hd_model_edge_span(model, e).begin, 4);
  cr_assert_eq(hd_model_edge_statement(model, e), 5);
  cr_assert_eq(hd_model_edge_tag(model, e), 6);
  cr_assert_eq(hd_model_edge_from(model, e).v, l0.v);
  cr_assert_eq(hd_model_edge_to(model, e).v, l1.v);
  cr_assert_str_eq(hd_model_label_name(model, label), "hello");
  cr_assert_eq(hd_model_edges(model), 1);
  cr_assert(hd_model_has_zero_weights(model));
  hd_model_free(model);
}

/* ---- misuse ---- */

Test(build, an_empty_domain_is_misuse, .signal = SIGABRT) {
  add_var(hd_builder_new(), "x", 1, 0, 0);
}

Test(build, a_domain_of_more_than_2_to_the_63_is_misuse, .signal = SIGABRT) {
  add_var(hd_builder_new(), "x", -1, INT64_MAX, 0);
}

Test(build, an_initial_value_outside_is_misuse, .signal = SIGABRT) {
  add_var(hd_builder_new(), "x", 0, 3, 4);
}

Test(build, an_edge_between_processes_is_misuse, .signal = SIGABRT) {
  hd_builder *b = hd_builder_new();
  hd_loc one = add_loc(b, add_process(b, "p", 1, 1), 0);
  hd_loc two = add_loc(b, add_process(b, "q", 1, 1), 0);
  add_skip(b, one, two);
}

Test(build, an_edge_from_the_dead_location_is_misuse, .signal = SIGABRT) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  add_skip(b, hd_build_dead(b, p), add_loc(b, p, 0));
}

Test(build, a_foreign_local_is_misuse, .signal = SIGABRT) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  hd_process q = add_process(b, "q", 1, 1);
  hd_var x = add_local(b, p, "x", 0, 1, 0);
  hd_loc l = add_loc(b, q, 0);
  add_edge(b, l, l, is(b, x, 0), NULL, 0);
}

Test(build, a_received_value_without_receiving_is_misuse, .signal = SIGABRT) {
  hd_builder *b = hd_builder_new();
  hd_loc l = add_loc(b, add_process(b, "p", 1, 1), 0);
  hd_var x = add_var(b, "x", 0, 1, 0);
  add_do(b, l, l, HD_NO_EXPR, assign(x, hd_build_received(b)));
}

Test(build, asking_for_partners_while_synchronising_is_misuse, .signal = SIGABRT) {
  hd_builder *b = hd_builder_new();
  hd_loc l = add_loc(b, add_process(b, "p", 1, 1), 0);
  hd_edge_desc desc = {.from = l, .to = l, .side = HD_SIDE_SEND, .channel = num(b, 0)};
  desc.guard = hd_build_partner_ready(b, HD_SIDE_SEND, num(b, 0));
  hd_build_edge(b, &desc);
}

Test(build, two_statements_on_one_queue_are_misuse, .signal = SIGABRT) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  hd_queue q = hd_build_queue(b, &(hd_queue_desc){.capacity = 1, .letters = 1, .owner = p});
  hd_loc l = add_loc(b, p, 0);
  hd_stmt stmts[2] = {pop(b, q, 1), push(b, q, 1)};
  add_edge(b, l, l, HD_NO_EXPR, stmts, 2);
}

Test(build, a_process_without_a_location_is_misuse, .signal = SIGABRT) {
  hd_builder *b = hd_builder_new();
  add_process(b, "p", 1, 1);
  hd_model *model = NULL;
  (void)hd_builder_finish(b, &model);
}

Test(build, protecting_the_dead_is_misuse, .signal = SIGABRT) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  add_loc(b, p, 0);
  hd_loc dead = hd_build_dead(b, p);
  hd_filter *filter = hd_filter_new(finish(b));
  hd_filter_protect_strong(filter, dead);
}
