/* Who is left behind: hand-made systems, random ones against a plain reference, limits. */
#include "core/explore/bottom.h"

#include "core/base/machine.h"
#include "core/model/builder.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"
#include "tests/support/models.h"
#include "tests/support/outcomes.h"
#include "tests/unit/explore/bottom_reference.h"

static const hd_bottom_query plain = {0};
static const hd_bottom_query going_on = {.going_on = true};

/* Runs on all thread counts and compares with the reference. */
static void run_and_check(const hd_model *model, const hd_bottom_query *query, hd_bottom_outcome *outcome) {
  run_bottom(model, query, outcome);
  check_against_reference(model, query, outcome);
}

static hd_model *finish(hd_builder *b) {
  hd_model *model = NULL;
  cr_assert_eq(hd_builder_finish(b, &model), HD_OK);
  return model;
}

static hd_process add_process(hd_builder *b, const char *name) {
  return hd_build_process(b, &(hd_process_desc){.name = name, .instances = 1, .started = 1});
}

static hd_var add_bit(hd_builder *b) {
  return hd_build_var(b, &(hd_var_desc){.name = "bit", .hi = 1, .process = HD_NO_PROCESS});
}

static void add_edge(hd_builder *b, hd_loc from, hd_loc to, hd_expr guard) {
  (void)hd_build_edge(b, &(hd_edge_desc){.from = from, .to = to, .guard = guard, .weight = 1});
}

static hd_expr is_set(hd_builder *b, hd_var bit, int64_t value) {
  return hd_build_op(b, HD_OP_EQ, hd_build_read(b, bit), hd_build_const(b, value), HD_NO_EXPR);
}

/* ---- hand-made systems ---- */

/* One process turns on its heel for ever, another waits for a bit that nobody sets: no state is without steps. */
static hd_model *looper_and_waiter(uint32_t waiter_flags) {
  hd_builder *b = hd_builder_new();
  hd_var bit = add_bit(b);
  hd_process looper = add_process(b, "looper"), waiter = add_process(b, "waiter");
  hd_loc loop = hd_build_loc(b, looper, "loop", 0, 0);
  hd_loc wait = hd_build_loc(b, waiter, "wait", waiter_flags, 0), done = hd_build_loc(b, waiter, "done", HD_LOC_END, 1);
  add_edge(b, loop, loop, HD_NO_EXPR);
  add_edge(b, wait, done, is_set(b, bit, 1));
  return finish(b);
}

Test(bottom, a_looping_process_hides_a_blocked_one) {
  hd_model *model = looper_and_waiter(0);
  hd_search search = {.model = model};
  hd_outcome stops;
  hd_run_search(&search, 1, &stops);
  cr_assert_eq(stops.stopped, 0, "a search for stops sees nothing");
  hd_outcome_clear(&stops);
  hd_bottom_outcome outcome;
  run_and_check(model, &going_on, &outcome);
  const hd_bottom_found *found = &outcome.found[1];
  cr_assert_eq(found->count, 1);
  cr_assert_eq(found->level, 0);
  cr_assert_eq(found->reached, 0);
  cr_assert_eq(found->cycle, 0);
  cr_assert_eq(found->trace->length, 1, "once round");
  cr_assert_eq(*found->left_behind, 2);
  cr_assert_eq(*found->going, 1);
  cr_assert_eq(outcome.instances[0].count, 0);
  cr_assert_eq(outcome.instances[1].count, 1);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(bottom, daemons_and_ends_may_wait) {
  static const uint32_t flags[] = {HD_LOC_DAEMON, HD_LOC_END};
  for (int i = 0; i < 2; i++) {
    hd_model *model = looper_and_waiter(flags[i]);
    hd_bottom_outcome outcome;
    run_and_check(model, &plain, &outcome);
    cr_assert_eq(outcome.found[1].count, 0);
    hd_bottom_outcome_clear(&outcome);
    hd_model_free(model);
  }
}

/* One process sets and clears the bit in turn; the other needs it set. It may be overtaken for ever, but it can always
 * move again: that is for fairness, not for us. */
Test(bottom, who_can_still_be_scheduled_is_not_left_behind) {
  hd_builder *b = hd_builder_new();
  hd_var bit = add_bit(b);
  hd_process switcher = add_process(b, "switcher"), waiter = add_process(b, "waiter");
  hd_loc off = hd_build_loc(b, switcher, "off", 0, 0), on = hd_build_loc(b, switcher, "on", 0, 1);
  hd_loc wait = hd_build_loc(b, waiter, "wait", 0, 0);
  hd_stmt set = {.kind = HD_STMT_ASSIGN, .var = bit, .a = hd_build_const(b, 1)};
  hd_stmt clear = {.kind = HD_STMT_ASSIGN, .var = bit, .a = hd_build_const(b, 0)};
  (void)hd_build_edge(b, &(hd_edge_desc){.from = off, .to = on, .stmts = &set, .stmt_count = 1, .weight = 1});
  (void)hd_build_edge(b, &(hd_edge_desc){.from = on, .to = off, .stmts = &clear, .stmt_count = 1, .weight = 1});
  add_edge(b, wait, wait, is_set(b, bit, 1));
  hd_model *model = finish(b);
  hd_bottom_outcome outcome;
  run_and_check(model, &plain, &outcome);
  cr_assert_eq(outcome.states, 2);
  cr_assert_eq(outcome.found[1].count, 0);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

/* The walker goes round 0 1 2 as long as it likes, leaves from 1 to 3, and then goes round 3 4 for ever. The other can
 * move while the walker is at 2. So the first round is no finding, the second is; the way to it is 0 1 3. */
Test(bottom, a_component_with_a_way_out_is_no_finding) {
  hd_builder *b = hd_builder_new();
  hd_process walker = add_process(b, "walker"), other = add_process(b, "other");
  hd_loc v[5];
  for (uint32_t i = 0; i < 5; i++) {
    v[i] = hd_build_loc(b, walker, "v", 0, i);
  }
  static const int arcs[][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 3}, {3, 4}, {4, 3}};
  for (size_t i = 0; i < sizeof arcs / sizeof arcs[0]; i++) {
    add_edge(b, v[arcs[i][0]], v[arcs[i][1]], HD_NO_EXPR);
  }
  hd_loc here = hd_build_loc(b, other, "here", 0, 0);
  add_edge(b, here, here, hd_build_at(b, 0, v[2]));
  hd_model *model = finish(b);
  hd_bottom_outcome outcome;
  run_and_check(model, &going_on, &outcome);
  const hd_bottom_found *found = &outcome.found[1];
  cr_assert_eq(found->count, 2);
  cr_assert_eq(found->level, 2);
  cr_assert_eq(found->reached, 2);
  cr_assert_eq(found->cycle, 2);
  cr_assert_eq(found->trace->length, 4);
  cr_assert_eq(outcome.instances[1].level, 2);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

/* Everybody stops: a finding by the definition, and none when somebody must go on for ever. */
Test(bottom, a_plain_deadlock_can_be_left_out) {
  hd_model *model = hd_model_dining(4);
  hd_bottom_outcome outcome;
  run_and_check(model, &plain, &outcome);
  cr_assert_eq(outcome.found[1].count, 1);
  cr_assert_eq(outcome.found[1].level, 4);
  cr_assert_eq(outcome.found[1].cycle, outcome.found[1].trace->length, "nobody moves there");
  cr_assert_eq(*outcome.found[1].going, 0);
  hd_bottom_outcome_clear(&outcome);
  run_and_check(model, &going_on, &outcome);
  cr_assert_eq(outcome.found[1].count, 0);
  cr_assert_null(outcome.found[1].left_behind);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

/* Who only answers takes part in the step too. */
Test(bottom, the_receiving_side_moves) {
  hd_builder *b = hd_builder_new();
  hd_process sender = add_process(b, "sender"), receiver = add_process(b, "receiver"), idle = add_process(b, "idle");
  hd_loc s = hd_build_loc(b, sender, "s", 0, 0), r = hd_build_loc(b, receiver, "r", 0, 0);
  hd_loc i = hd_build_loc(b, idle, "i", 0, 0);
  hd_expr channel = hd_build_const(b, 7), closed = hd_build_const(b, 8);
  (void)hd_build_edge(b, &(hd_edge_desc){.from = s, .to = s, .side = HD_SIDE_SEND, .channel = channel, .weight = 1});
  (void)hd_build_edge(b, &(hd_edge_desc){.from = r, .to = r, .side = HD_SIDE_RECEIVE, .channel = channel});
  (void)hd_build_edge(b, &(hd_edge_desc){.from = i, .to = i, .side = HD_SIDE_RECEIVE, .channel = closed});
  hd_model *model = finish(b);
  hd_bottom_outcome outcome;
  run_and_check(model, &plain, &outcome);
  cr_assert_eq(*outcome.found[1].left_behind, 4);
  cr_assert_eq(*outcome.found[1].going, 3);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

/* Who takes part in an atomic block, on either side of a rendezvous inside it, moves with it. */
Test(bottom, who_is_met_inside_a_block_moves) {
  for (int meets_sender = 0; meets_sender < 2; meets_sender++) {
    hd_builder *b = hd_builder_new();
    hd_process starter = add_process(b, "starter"), met = add_process(b, "met");
    hd_loc begin = hd_build_loc(b, starter, "begin", 0, 0);
    hd_loc inside = hd_build_loc(b, starter, "inside", HD_LOC_ATOMIC, 1);
    hd_loc here = hd_build_loc(b, met, "here", 0, 0);
    hd_expr channel = hd_build_const(b, 1);
    hd_side side = meets_sender == 0 ? HD_SIDE_SEND : HD_SIDE_RECEIVE;
    hd_side other_side = meets_sender == 0 ? HD_SIDE_RECEIVE : HD_SIDE_SEND;
    add_edge(b, begin, inside, HD_NO_EXPR);
    (void)hd_build_edge(b, &(hd_edge_desc){.from = inside, .to = begin, .side = side, .channel = channel, .weight = 1});
    /* one that could begin by itself would be no test of what happens inside */
    hd_expr in_block = hd_build_at(b, 0, inside);
    (void)hd_build_edge(
        b, &(hd_edge_desc){.from = here, .to = here, .guard = in_block, .side = other_side, .channel = channel});
    hd_model *model = finish(b);
    hd_bottom_outcome outcome;
    run_and_check(model, &plain, &outcome);
    cr_assert_eq(outcome.transitions, 1);
    cr_assert_eq(outcome.found[1].count, 0);
    hd_bottom_outcome_clear(&outcome);
    hd_model_free(model);
  }
}

/* A step that goes wrong is a move of who makes it; who waits beside it is left behind unless ends are left out. */
Test(bottom, a_fault_is_a_move_that_leads_nowhere) {
  hd_builder *b = hd_builder_new();
  hd_var bit = add_bit(b);
  hd_process crasher = add_process(b, "crasher"), waiter = add_process(b, "waiter");
  hd_loc c = hd_build_loc(b, crasher, "c", 0, 0), w = hd_build_loc(b, waiter, "w", 0, 0);
  hd_stmt crash = {.kind = HD_STMT_ASSIGN, .var = bit, .a = hd_build_const(b, 2)};
  (void)hd_build_edge(b, &(hd_edge_desc){.from = c, .to = c, .stmts = &crash, .stmt_count = 1, .weight = 1});
  add_edge(b, w, w, is_set(b, bit, 1));
  hd_model *model = finish(b);
  hd_bottom_outcome outcome;
  run_and_check(model, &plain, &outcome);
  cr_assert_eq(*outcome.found[1].left_behind, 2);
  cr_assert_eq(outcome.found[1].trace->length, 0);
  hd_bottom_outcome_clear(&outcome);
  run_and_check(model, &going_on, &outcome);
  cr_assert_eq(outcome.found[1].count, 0);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

static uint32_t kind_by_parity(const void *context, const hd_model *model, const uint64_t *state, uint32_t instance) {
  const uint32_t *skip = context;
  (void)model;
  (void)state;
  return instance == *skip ? 0 : 1 + instance % 2;
}

/* More instances than a word has bits: instance 69 of 70 and 128 of 130 have nothing to do and the others turn round.
 */
Test(bottom, many_instances) {
  static const uint32_t sizes[][2] = {{70, 69}, {130, 128}, {64, 63}, {65, 64}};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    uint32_t count = sizes[k][0], lazy = sizes[k][1];
    hd_builder *b = hd_builder_new();
    hd_process process = hd_build_process(b, &(hd_process_desc){.name = "p", .instances = count, .started = count});
    hd_loc loc = hd_build_loc(b, process, "l", 0, 0);
    add_edge(b, loc, loc, hd_build_op(b, HD_OP_NE, hd_build_self(b), hd_build_const(b, (int64_t)lazy), HD_NO_EXPR));
    hd_model *model = finish(b);
    uint32_t skip = HD_NONE;
    hd_bottom_query query = {.must_go_on = kind_by_parity, .context = &skip};
    hd_bottom_outcome outcome;
    run_bottom(model, &query, &outcome);
    const hd_bottom_found *found = &outcome.found[1 + lazy % 2];
    cr_assert_eq(found->count, 1);
    cr_assert_eq(outcome.found[2 - lazy % 2].count, 0);
    for (uint32_t i = 0; i < count; i++) {
      cr_assert_eq((found->left_behind[i / 64] >> (i % 64)) & 1, i == lazy);
      cr_assert_eq((found->going[i / 64] >> (i % 64)) & 1, i != lazy);
      cr_assert_eq(outcome.instances[i].count, i == lazy);
    }
    hd_bottom_outcome_clear(&outcome);
    skip = lazy;
    run_bottom(model, &query, &outcome);
    cr_assert_eq(outcome.found[1].count + outcome.found[2].count, 0, "who need not go on is not left behind");
    hd_bottom_outcome_clear(&outcome);
    hd_model_free(model);
  }
}

/* A slot that nobody runs in is nobody left behind, and neither is one that has ended. */
Test(bottom, the_dead_are_at_rest) {
  hd_builder *b = hd_builder_new();
  hd_process parent = add_process(b, "parent");
  hd_process child = hd_build_process(b, &(hd_process_desc){.name = "child", .instances = 2, .started = 1});
  hd_loc p = hd_build_loc(b, parent, "p", 0, 0), c = hd_build_loc(b, child, "c", 0, 0);
  add_edge(b, p, p, HD_NO_EXPR);
  add_edge(b, c, hd_build_dead(b, child), HD_NO_EXPR);
  hd_model *model = finish(b);
  hd_bottom_outcome outcome;
  run_and_check(model, &plain, &outcome);
  cr_assert_eq(outcome.states, 2);
  cr_assert_eq(outcome.found[1].count, 0);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

/* ---- random systems ---- */

Test(bottom, random_systems) {
  uint64_t found = 0, hidden = 0;
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(400); seed++) {
    hd_model *model = random_system(seed);
    for (int i = 0; i < 2; i++) {
      hd_bottom_outcome outcome;
      run_and_check(model, i == 0 ? &plain : &going_on, &outcome);
      *(i == 0 ? &found : &hidden) += outcome.found[1].count != 0;
      hd_bottom_outcome_clear(&outcome);
    }
    hd_model_free(model);
  }
  cr_assert_gt(found, HD_TEST_COUNT(100));
  cr_assert_gt(hidden, HD_TEST_COUNT(40));
  cr_assert_lt(hidden, found);
}

Test(bottom, random_walkers) {
  uint64_t found = 0;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    hd_model *model = random_walker(seed, 20 + (uint32_t)seed * 13);
    hd_bottom_outcome outcome;
    run_and_check(model, seed % 2 == 0 ? &plain : &going_on, &outcome);
    found += outcome.found[1].count != 0;
    hd_bottom_outcome_clear(&outcome);
    hd_model_free(model);
  }
  cr_assert_gt(found, 10);
}

Test(bottom, wide_levels_are_shared) {
  for (uint64_t seed = 1; seed <= 2; seed++) {
    hd_model *model = random_walker(seed, 1500);
    hd_bottom_outcome outcome;
    run_and_check(model, &plain, &outcome);
    cr_assert_gt(outcome.found[1].count, 0);
    hd_bottom_outcome_clear(&outcome);
    hd_model_free(model);
  }
}

/* ---- families ---- */

Test(bottom, in_the_families_only_the_hungry_are_left_behind) {
  hd_model *models[] = {hd_model_ring(7, 1), hd_model_ring(6, 0), hd_model_pairs(5), hd_model_star(6),
                        hd_model_pipeline(6)};
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    hd_bottom_outcome outcome;
    run_and_check(models[i], &plain, &outcome);
    cr_assert_eq(outcome.found[1].count, 0);
    cr_assert_leq(outcome.passes, 4, "%llu passes", (unsigned long long)outcome.passes);
    hd_bottom_outcome_clear(&outcome);
    hd_model_free(models[i]);
  }
  hd_model *dining[] = {hd_model_dining(7), hd_model_rendezvous_dining(6)};
  for (size_t i = 0; i < 2; i++) {
    hd_bottom_outcome outcome;
    run_and_check(dining[i], &plain, &outcome);
    cr_assert_eq(outcome.found[1].count, 1);
    hd_bottom_outcome_clear(&outcome);
    hd_model_free(dining[i]);
  }
}

Test(bottom, every_store_gives_the_same_answer) {
  hd_model *model = hd_model_dining(7);
  hd_bottom_outcome expected;
  run_bottom(model, &plain, &expected);
  size_t stores = 0;
  for (uint32_t store = 0; store < HD_STORE_COUNT; store++) {
    hd_search search = {.model = model, .threads = 2, .store = (hd_store)store};
    if (hd_store_refusal(search.store, hd_model_words(model), hd_model_bits(model)) != NULL) {
      continue;
    }
    hd_bottom_outcome outcome;
    cr_assert_eq(hd_bottom_search(&search, &plain, &outcome), HD_OK);
    check_same_bottom(&expected, &outcome); /* in place of a lossy store an exact one is used */
    stores++;
    hd_bottom_outcome_clear(&outcome);
  }
  cr_assert_geq(stores, 4u);
  hd_bottom_outcome_clear(&expected);
  hd_model_free(model);
}

Test(bottom, a_long_chain_takes_one_pass_for_any_number_of_threads) {
  hd_model *model = hd_model_chain(100000, 1);
  hd_bottom_outcome outcome;
  run_bottom(model, &plain, &outcome);
  cr_assert_eq(outcome.states, 100001);
  cr_assert_leq(outcome.passes, 2);
  cr_assert_eq(outcome.found[1].count, 1);
  cr_assert_eq(outcome.found[1].level, 100000);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

Test(bottom, a_state_with_more_successors_than_a_batch) {
  hd_model *model = hd_model_fan(1000);
  hd_bottom_outcome outcome;
  run_bottom(model, &plain, &outcome);
  cr_assert_eq(outcome.found[1].count, 1000);
  cr_assert_eq(outcome.found[1].level, 1);
  cr_assert_eq(outcome.found[1].trace->length, 1);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

/* A system made to need a pass for each step: what is known at a1 reaches a2, a3, ... through arcs that lead to lower
 * and higher levels in turn.
 *
 *     level     i-2        i-1        i
 *     spine   s(i-2) --> s(i-1) --> s(i) ...
 *                  \-> c(i+1)                 c(i) --> a(i-1), a(i) --> c(i)
 *
 * The waiter can move at a1 only. The spine ends in a trap from which a1 cannot be reached. `toggles` independent
 * processes make 2^toggles copies of everything. */
static hd_model *sawtooth(uint32_t n, uint32_t toggles) {
  hd_builder *b = hd_builder_new();
  hd_process walker = add_process(b, "walker"), waiter = add_process(b, "waiter");
  hd_loc first = hd_build_loc(b, walker, "v", 0, 0);
  for (uint32_t i = 1; i < 3 * (n + 1); i++) {
    (void)hd_build_loc(b, walker, "v", 0, i);
  }
  for (uint32_t i = 0; i <= n; i++) { /* s(i), c(i), a(i): 3i, 3i+1, 3i+2 */
    hd_loc s = {first.v + 3 * i}, c = {s.v + 1}, a = {s.v + 2};
    add_edge(b, s, (hd_loc){i < n ? s.v + 3 : s.v}, HD_NO_EXPR);
    if (i + 3 <= n) {
      add_edge(b, s, (hd_loc){c.v + 9}, HD_NO_EXPR);
    }
    add_edge(b, a, i < 3 ? a : c, HD_NO_EXPR);
    if (i >= 2) {
      add_edge(b, c, (hd_loc){a.v - 3}, HD_NO_EXPR);
    }
  }
  for (uint32_t t = 0; t < toggles; t++) {
    hd_process toggle = add_process(b, "toggle");
    hd_loc off = hd_build_loc(b, toggle, "off", 0, 0), on = hd_build_loc(b, toggle, "on", 0, 1);
    add_edge(b, off, on, HD_NO_EXPR);
    add_edge(b, on, off, HD_NO_EXPR);
  }
  hd_loc wait = hd_build_loc(b, waiter, "wait", 0, 0);
  add_edge(b, wait, wait, hd_build_at(b, 0, (hd_loc){first.v + 3 * 2 + 2}));
  return finish(b);
}

Test(bottom, many_passes_are_avoided) {
  hd_model *model = sawtooth(120, 0);
  hd_bottom_outcome outcome;
  run_and_check(model, &plain, &outcome);
  cr_assert_eq(outcome.passes, 4, "then the arcs are stored");
  cr_assert_eq(outcome.found[1].level, 118, "from where no c leads back any more");
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
  model = sawtooth(40, 9); /* rounds of 512 states, which the team shares */
  run_bottom(model, &plain, &outcome);
  cr_assert_eq(outcome.passes, 4);
  cr_assert_eq(outcome.found[1].count, 3 * 512);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

/* Without memory for the arcs there are passes only, and the same answer. */
Test(bottom, little_memory_means_many_passes) {
  hd_model *model = sawtooth(400, 0);
  size_t few = 0, many = 0;
  hd_bottom_outcome enough;
  hd_search search = {.model = model, .threads = 1};
  cr_assert_eq(hd_bottom_search(&search, &plain, &enough), HD_OK);
  for (search.memory_max_bytes = (size_t)40 << 10; few == 0; search.memory_max_bytes += 4096) {
    hd_bottom_outcome outcome;
    cr_assert_eq(hd_bottom_search(&search, &plain, &outcome), HD_OK);
    if (outcome.end == HD_END_COMPLETE) {
      cr_assert_eq(outcome.found[1].count, enough.found[1].count);
      cr_assert_eq(outcome.instances[1].count, enough.instances[1].count);
      few += outcome.passes <= 4;
      many += outcome.passes > 300;
    }
    hd_bottom_outcome_clear(&outcome);
  }
  cr_assert_gt(many, 0);
  hd_bottom_outcome_clear(&enough);
  hd_model_free(model);
}

/* ---- limits ---- */

Test(bottom, a_time_limit_leaves_nothing_said) {
  hd_model *model = hd_model_ring(14, 1);
  for (size_t i = 0; i < 4; i++) {
    hd_search search = {.model = model, .threads = hd_thread_counts[i], .timeout_seconds = 0.2};
    hd_bottom_outcome outcome;
    cr_assert_eq(hd_bottom_search(&search, &plain, &outcome), HD_OK);
    cr_assert_eq(outcome.end, HD_END_TIMEOUT);
    cr_assert_eq(outcome.found[1].count, 0);
    hd_bottom_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

/* Sets the caller's flag once the states are being judged: the callback is called only then. */
typedef struct canceller {
  hd_atomic_u32 flag;
} canceller;

static uint32_t cancel_now(const void *context, const hd_model *model, const uint64_t *state, uint32_t instance) {
  canceller *const *c = context;
  (void)model;
  (void)state;
  (void)instance;
  hd_store_rlx(&(*c)->flag, 1);
  return 1;
}

Test(bottom, the_caller_can_stop_the_judging) {
  hd_model *model = hd_model_dining(8);
  for (size_t i = 0; i < 4; i++) {
    canceller c = {0};
    const canceller *context = &c;
    hd_search search = {.model = model, .threads = hd_thread_counts[i], .cancel = &c.flag};
    hd_bottom_query query = {.must_go_on = cancel_now, .context = &context};
    hd_bottom_outcome outcome;
    cr_assert_eq(hd_bottom_search(&search, &query, &outcome), HD_OK);
    cr_assert_eq(outcome.end, HD_END_SIGNAL);
    cr_assert_eq(outcome.states, 6560);
    cr_assert_eq(outcome.found[1].count, 0);
    hd_bottom_outcome_clear(&outcome);
  }
  hd_model_free(model);
}

/* The states fit, and what judging them takes does not: it is announced. */
Test(bottom, the_memory_needed_is_announced) {
  hd_model *model = hd_model_chain(8000, 1);
  hd_search search = {.model = model, .threads = 1};
  hd_bottom_outcome outcome;
  cr_assert_eq(hd_bottom_search(&search, &plain, &outcome), HD_OK);
  cr_assert_eq(outcome.end, HD_END_COMPLETE);
  size_t needed_bytes = outcome.needed_bytes;
  cr_assert_geq(needed_bytes, outcome.states * 20);
  cr_assert_leq(needed_bytes, outcome.states * 40);
  hd_bottom_outcome_clear(&outcome);
  size_t refused = 0;
  for (search.memory_max_bytes = (size_t)32 << 10; search.memory_max_bytes < 8 * needed_bytes;
       search.memory_max_bytes += needed_bytes / 4) {
    cr_assert_eq(hd_bottom_search(&search, &plain, &outcome), HD_OK);
    cr_assert(outcome.needed_bytes == 0 || outcome.needed_bytes == needed_bytes);
    if (outcome.end == HD_END_MEMORY) {
      refused += outcome.needed_bytes != 0;
      cr_assert_eq(outcome.found[1].count, 0);
    } else {
      cr_assert_eq(outcome.found[1].count, 1);
    }
    hd_bottom_outcome_clear(&outcome);
  }
  cr_assert_gt(refused, 0, "some limit was too small for judging only");
  hd_model_free(model);
}

Test(bottom, a_depth_limit_is_not_a_complete_search) {
  hd_model *model = looper_and_waiter(0);
  hd_search search = {.model = model, .depth_max = 1};
  hd_bottom_outcome outcome;
  cr_assert_eq(hd_bottom_search(&search, &plain, &outcome), HD_OK);
  cr_assert_eq(outcome.end, HD_END_COMPLETE, "the one level is all there is");
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
  model = hd_model_dining(4);
  search.model = model;
  search.depth_max = 3;
  cr_assert_eq(hd_bottom_search(&search, &plain, &outcome), HD_OK);
  cr_assert_eq(outcome.end, HD_END_DEPTH);
  cr_assert_eq(outcome.found[1].count, 0);
  hd_bottom_outcome_clear(&outcome);
  hd_model_free(model);
}

/* Runs one search with allocation number `failing` refused; true when that many were made. */
static bool run_failing(const hd_search *search, uint64_t failing, bool for_good, const hd_bottom_outcome *expected) {
  hd_bottom_outcome outcome;
  hd_fail_alloc_after(failing, for_good);
  hd_status status = hd_bottom_search(search, &plain, &outcome);
  bool failed = hd_fail_alloc_stop() > failing;
  cr_assert(status == HD_OK || (failed && status == HD_E_NOMEM), "status %d at %llu", (int)status,
            (unsigned long long)failing);
  if (status == HD_OK && outcome.end == HD_END_COMPLETE) {
    const hd_bottom_found *found = &outcome.found[1];
    cr_assert_eq(found->count, expected->found[1].count);
    cr_assert_eq(found->trace == NULL, found->trace_status != HD_OK);
    cr_assert_eq(found->going == NULL, found->trace == NULL || found->lasso_status != HD_OK);
    cr_assert(failed || (found->trace_status == HD_OK && found->lasso_status == HD_OK));
  } else if (status == HD_OK) {
    cr_assert(failed);
    cr_assert_eq(outcome.end, HD_END_MEMORY);
  }
  hd_bottom_outcome_clear(&outcome);
  return failed;
}

Test(bottom, failed_allocations_end_it_cleanly) {
  hd_model *models[] = {hd_model_dining(5), looper_and_waiter(0), hd_model_chain(300, 3), sawtooth(30, 1)};
  for (size_t m = 0; m < 4; m++) {
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
      hd_search search = {.model = models[m], .threads = threads};
      hd_bottom_outcome expected;
      cr_assert_eq(hd_bottom_search(&search, &plain, &expected), HD_OK);
      cr_assert_gt(expected.found[1].count, 0);
      int64_t live = hd_fail_alloc_live();
      for (int for_good = 0; for_good < 2; for_good++) {
        uint64_t failing = 0, step = 1;
        while (run_failing(&search, failing, for_good != 0, &expected)) {
          failing += step;
          step = failing < 150 ? 1 : failing / 16;
        }
        cr_assert_gt(failing, 30);
      }
      cr_assert_eq(hd_fail_alloc_live(), live, "nothing is lost");
      hd_bottom_outcome_clear(&expected);
    }
    hd_model_free(models[m]);
  }
}
