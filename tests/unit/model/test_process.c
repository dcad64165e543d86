/* Processes: spawning and dying, pools, exclusive locations, rendezvous, and why a state stops. */
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

/* A parent that spawns for ever, workers that end at once: the pool runs out in some runs, and slots are used again. */
Test(process, spawn_uses_dead_slots_and_reports_exhaustion) {
  hd_builder *b = hd_builder_new();
  hd_process parent = add_process(b, "parent", 1, 1);
  hd_process worker = add_process(b, "worker", 3, 1);
  hd_var n = add_local(b, worker, "n", 0, 5, 3);
  hd_var kept = add_local(b, worker, "kept", 0, 7, 4);
  hd_loc p0 = add_loc(b, parent, 0);
  hd_loc w0 = add_loc(b, worker, 0);
  hd_expr argument = num(b, 5);
  hd_stmt go = {.kind = HD_STMT_SPAWN, .process = worker, .arguments = &argument, .argument_count = 1};
  hd_edge_desc desc = {.from = p0, .to = p0, .stmts = &go, .stmt_count = 1, .statement = 12};
  hd_build_edge(b, &desc);
  add_do(b, w0, hd_build_dead(b, worker), HD_NO_EXPR, set(b, kept, 7));
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  /* Each slot is dead, started at the beginning (only slot 0) or spawned with n = 5. */
  cr_assert_eq(w.count, 3 * 2 * 2);
  cr_assert_eq(w.faults[HD_FAULT_POOL], 2, "all three busy, slot 0 with its old or a new worker");
  for (size_t i = 0; i < w.count; i++) {
    const uint64_t *state = w.states + i * hd_model_words(model);
    for (uint32_t k = 1; k < 4; k++) {
      bool dead = hd_model_loc_is_dead(model, hd_model_location(model, state, k));
      cr_assert_eq(hd_model_value(model, state, kept, k, 0), 4,
                   "a dead slot is reset, and started with the initial value");
      int64_t value = hd_model_value(model, state, n, k, 0);
      cr_assert(dead ? value == 3 : value == 5 || (k == 1 && value == 3));
    }
  }
  walk_free(&w);
  hd_model_free(model);
}

Test(process, the_first_dead_instance_is_taken) {
  hd_builder *b = hd_builder_new();
  hd_process parent = add_process(b, "parent", 1, 1);
  hd_process worker = add_process(b, "worker", 3, 0);
  hd_var n = add_local(b, worker, "n", 0, 5, 0);
  hd_loc at[5];
  for (int i = 0; i < 5; i++) {
    at[i] = add_loc(b, parent, HD_LOC_END);
  }
  hd_loc w0 = add_loc(b, worker, HD_LOC_END);
  hd_expr stop_second = op2(b, HD_OP_EQ, hd_build_self(b), num(b, 1));
  hd_expr now = hd_build_at(b, 0, at[3]);
  add_edge(b, w0, hd_build_dead(b, worker), op2(b, HD_OP_AND, stop_second, now), NULL, 0);
  for (int i = 0; i < 4; i++) { /* the fourth one waits until the second is gone */
    hd_expr argument = num(b, i + 1);
    hd_stmt go = {.kind = HD_STMT_SPAWN, .process = worker, .arguments = &argument, .argument_count = 1};
    hd_expr gone = hd_build_at(b, 1, hd_build_dead(b, worker));
    add_do(b, at[i], at[i + 1], i == 3 ? gone : HD_NO_EXPR, go);
  }
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 6);
  const uint64_t *last = w.states + 5 * hd_model_words(model);
  static const int64_t expected[] = {1, 4, 3};
  for (uint32_t i = 0; i < 3; i++) {
    cr_assert_eq(hd_model_value(model, last, n, 1 + i, 0), expected[i]);
  }
  cr_assert_eq(w.faults[HD_FAULT_POOL], 0);
  walk_free(&w);
  hd_model_free(model);
}

Test(process, a_spawn_argument_outside_the_domain_is_a_fault) {
  hd_builder *b = hd_builder_new();
  hd_process parent = add_process(b, "parent", 1, 1);
  hd_process worker = add_process(b, "worker", 1, 0);
  add_local(b, worker, "n", 0, 5, 0);
  hd_loc p0 = add_loc(b, parent, 0);
  hd_loc p1 = add_loc(b, parent, HD_LOC_END);
  add_loc(b, worker, 0);
  hd_expr argument = num(b, 6);
  hd_stmt go = {.kind = HD_STMT_SPAWN, .process = worker, .arguments = &argument, .argument_count = 1};
  add_do(b, p0, p1, HD_NO_EXPR, go);
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 1);
  cr_assert_eq(w.faults[HD_FAULT_RANGE], 1);
  walk_free(&w);
  hd_model_free(model);
}

/* take, take, take: the third fails in a pool of two; giving back makes room again. */
Test(process, take_finds_the_first_free_index) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  hd_var pool = add_array(b, "pool", 0, 1, 0, 2);
  hd_var got = add_array(b, "got", -1, 1, -1, 4);
  hd_loc here = add_loc(b, p, 0);
  for (int i = 0; i < 4; i++) {
    hd_loc next = add_loc(b, p, i == 3 ? HD_LOC_END : 0);
    hd_stmt stmts[2] = {{.kind = HD_STMT_ASSIGN, .var = pool, .index = num(b, 0), .a = num(b, 0)},
                        {.kind = HD_STMT_TAKE, .var = got, .index = num(b, i), .array = pool}};
    bool gives_back = i == 2;
    add_edge(b, here, next, HD_NO_EXPR, gives_back ? stmts : stmts + 1, gives_back ? 2 : 1);
    here = next;
  }
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 4);
  cr_assert_eq(w.faults[HD_FAULT_POOL], 1);
  const uint64_t *last = w.states + 3 * hd_model_words(model);
  static const int64_t expected[] = {0, 1, 0, -1};
  for (uint32_t i = 0; i < 4; i++) {
    cr_assert_eq(hd_model_value(model, last, got, 0, i), expected[i]);
  }
  walk_free(&w);
  hd_model_free(model);
}

/* Two processes of k private steps, one with an exclusive middle. */
Test(process, exclusive_locations_stop_the_others) {
  for (int exclusive = 0; exclusive < 2; exclusive++) {
    hd_builder *b = hd_builder_new();
    for (int t = 0; t < 2; t++) {
      hd_process p = add_process(b, "p", 1, 1);
      hd_loc here = add_loc(b, p, 0);
      for (int i = 0; i < 3; i++) {
        hd_loc next = add_loc(b, p, (i == 2 ? HD_LOC_END : 0) | (exclusive && t == 0 && i < 2 ? HD_LOC_EXCLUSIVE : 0));
        add_skip(b, here, next);
        here = next;
      }
    }
    hd_model *model = finish(b);
    walk w = walk_model(model, NULL);
    /* All pairs of places either way; but no step of the second while the first is in its middle. */
    cr_assert_eq(w.count, 16);
    cr_assert_eq(w.transitions, exclusive ? 12 + 6 : 24);
    walk_free(&w);
    hd_model_free(model);
  }
}

/* While somebody is at an exclusive location, others may still be met by it, but start nothing. */
Test(process, exclusive_processes_can_meet_others) {
  hd_builder *b = hd_builder_new();
  hd_process a = add_process(b, "a", 1, 1);
  hd_process r = add_process(b, "r", 1, 1);
  hd_process s = add_process(b, "s", 1, 1);
  hd_loc a0 = add_loc(b, a, HD_LOC_EXCLUSIVE);
  hd_loc a1 = add_loc(b, a, HD_LOC_END);
  hd_loc r0 = add_loc(b, r, 0);
  hd_loc r1 = add_loc(b, r, HD_LOC_END);
  hd_loc s0 = add_loc(b, s, 0);
  hd_loc s1 = add_loc(b, s, HD_LOC_END);
  add_send(b, a0, a1, num(b, 1), HD_NO_EXPR);
  add_receive(b, r0, r1, num(b, 1), NULL, 0);
  add_send(b, s0, s1, num(b, 1), HD_NO_EXPR);
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 2, "only a meets r");
  cr_assert_eq(w.stuck, 1, "s is left without partner");
  walk_free(&w);
  hd_model_free(model);
}

typedef struct meetings {
  const hd_model *model;
  hd_var v;
  size_t count;
  uint32_t sender[8], receiver[8];
  int64_t value[8];
} meetings;

static bool note_meeting(void *payload, const uint64_t *next, const hd_step *step) {
  meetings *m = payload;
  m->sender[m->count] = step->instance;
  m->receiver[m->count] = step->partner_instance;
  m->value[m->count] = hd_model_value(m->model, next, m->v, step->partner_instance, 0);
  m->count++;
  return true;
}

/* Sender i hands i*10 over on channel i % 2; receivers listen on the channel in their variable. All pairs, in order. */
Test(process, rendezvous_pairs_in_step_order) {
  hd_builder *b = hd_builder_new();
  hd_process s = add_process(b, "s", 3, 3);
  hd_process r = add_process(b, "r", 2, 2);
  hd_var v = add_local(b, r, "v", 0, 30, 0);
  hd_loc s0 = add_loc(b, s, 0);
  hd_loc s1 = add_loc(b, s, HD_LOC_END);
  hd_loc r0 = add_loc(b, r, 0);
  hd_loc r1 = add_loc(b, r, HD_LOC_END);
  hd_expr ten = op2(b, HD_OP_MUL, hd_build_self(b), num(b, 10));
  add_send(b, s0, s1, op2(b, HD_OP_MOD, hd_build_self(b), num(b, 2)), ten);
  hd_stmt take = assign(v, op2(b, HD_OP_ADD, hd_build_received(b), rd(b, v)));
  add_receive(b, r0, r1, rd(b, v), &take, 1);
  hd_model *model = finish(b);
  const uint64_t *initial = NULL;
  (void)hd_model_initial(model, &initial);
  meetings m = {.model = model, .v = v};
  hd_stepper *stepper = hd_stepper_new(model, NULL);
  cr_assert_eq(hd_stepper_run(stepper, initial, HD_WEIGHT_ANY, note_meeting, &m), HD_OK);
  static const uint32_t senders[] = {0, 0, 2, 2};
  static const uint32_t receivers[] = {3, 4, 3, 4};
  cr_assert_eq(m.count, 4, "v = 0 listens on channel 0, where senders 0 and 2 are");
  for (size_t i = 0; i < 4; i++) {
    cr_assert_eq(m.sender[i], senders[i]);
    cr_assert_eq(m.receiver[i], receivers[i]);
    cr_assert_eq(m.value[i], (int64_t)senders[i] * 10);
  }
  hd_stepper_free(stepper);
  hd_model_free(model);
}

static bool note_weight(void *payload, const uint64_t *next, const hd_step *step) {
  (void)next;
  *(uint32_t *)payload = step->weight;
  return true;
}

Test(process, a_rendezvous_has_the_larger_weight) {
  for (uint32_t weights = 0; weights < 4; weights++) {
    hd_builder *b = hd_builder_new();
    hd_loc s0 = add_loc(b, add_process(b, "s", 1, 1), 0);
    hd_loc r0 = add_loc(b, add_process(b, "r", 1, 1), 0);
    hd_edge_desc desc = {.from = s0, .to = s0, .side = HD_SIDE_SEND, .channel = num(b, 0), .weight = weights & 1};
    hd_build_edge(b, &desc);
    desc = (hd_edge_desc){.from = r0, .to = r0, .side = HD_SIDE_RECEIVE, .channel = num(b, 0), .weight = weights >> 1};
    hd_build_edge(b, &desc);
    hd_model *model = finish(b);
    const uint64_t *initial = NULL;
    (void)hd_model_initial(model, &initial);
    hd_stepper *stepper = hd_stepper_new(model, NULL);
    uint32_t weight = 9;
    cr_assert_eq(hd_stepper_run(stepper, initial, HD_WEIGHT_ANY, note_weight, &weight), HD_OK);
    cr_assert_eq(weight, weights != 0);
    uint32_t filtered = 9;
    cr_assert_eq(
        hd_stepper_run(stepper, initial, weights != 0 ? HD_WEIGHT_ZERO : HD_WEIGHT_ONE, note_weight, &filtered), HD_OK);
    cr_assert_eq(filtered, 9, "not of the weight asked for");
    hd_stepper_free(stepper);
    hd_model_free(model);
  }
}

/* The value and the channel are taken before the step; the sender's statements run before the receiver's. */
Test(process, order_of_effects_in_a_rendezvous) {
  hd_builder *b = hd_builder_new();
  hd_var x = add_var(b, "x", 0, 99, 1);
  hd_var y = add_var(b, "y", 0, 99, 0);
  hd_process s = add_process(b, "s", 1, 1);
  hd_process r = add_process(b, "r", 1, 1);
  hd_loc s0 = add_loc(b, s, 0);
  hd_loc s1 = add_loc(b, s, HD_LOC_END);
  hd_loc r0 = add_loc(b, r, 0);
  hd_loc r1 = add_loc(b, r, HD_LOC_END);
  hd_stmt raise = assign(x, op2(b, HD_OP_ADD, rd(b, x), num(b, 4)));
  hd_edge_desc desc = {.from = s0, .to = s1, .side = HD_SIDE_SEND, .channel = rd(b, x), .value = rd(b, x)};
  desc.stmts = &raise;
  desc.stmt_count = 1;
  hd_build_edge(b, &desc);
  hd_stmt combine = assign(y, op2(b, HD_OP_ADD, op2(b, HD_OP_MUL, rd(b, x), num(b, 10)), hd_build_received(b)));
  add_receive(b, r0, r1, num(b, 1), &combine, 1);
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 2);
  cr_assert_eq(hd_model_value(model, w.states + hd_model_words(model), y, 0, 0), 51);
  walk_free(&w);
  hd_model_free(model);
}

/* A process does not meet itself, and does not count as its own ready partner. */
Test(process, nobody_is_its_own_partner) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  hd_loc l0 = add_loc(b, p, 0);
  hd_loc l1 = add_loc(b, p, HD_LOC_END);
  add_send(b, l0, l1, num(b, 0), HD_NO_EXPR);
  add_receive(b, l0, l1, num(b, 0), NULL, 0);
  add_edge(b, l0, l1, hd_build_partner_ready(b, HD_SIDE_SEND, num(b, 0)), NULL, 0);
  add_edge(b, l0, l1, hd_build_partner_ready(b, HD_SIDE_RECEIVE, num(b, 0)), NULL, 0);
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 1);
  cr_assert_eq(w.stuck, 1);
  walk_free(&w);
  hd_model_free(model);
}

/* A guard of a receiving edge that faults is one faulting step, however many senders there are. */
Test(process, faults_of_receiving_guards) {
  for (uint32_t senders = 0; senders < 3; senders++) {
    hd_builder *b = hd_builder_new();
    hd_var zero = add_var(b, "zero", 0, 1, 0);
    hd_process r = add_process(b, "r", 1, 1);
    hd_loc r0 = add_loc(b, r, 0);
    hd_edge_desc desc = {.from = r0, .to = r0, .side = HD_SIDE_RECEIVE, .channel = num(b, 0), .statement = 3};
    desc.guard = op2(b, HD_OP_DIV, num(b, 1), rd(b, zero));
    hd_build_edge(b, &desc);
    if (senders > 0) {
      hd_process s = add_process(b, "s", senders, senders);
      hd_loc s0 = add_loc(b, s, 0);
      add_send(b, s0, s0, num(b, 0), HD_NO_EXPR);
    }
    hd_model *model = finish(b);
    walk w = walk_model(model, NULL);
    cr_assert_eq(w.faults[HD_FAULT_DIVISION], 1);
    cr_assert_eq(w.transitions, 0);
    walk_free(&w);
    hd_model_free(model);
  }
}

/* ---- why a state stops ---- */

static hd_stop stop_of(uint32_t first_flags, uint32_t second_flags, hd_edge_kind kind, bool letter) {
  hd_builder *b = hd_builder_new();
  hd_var never = add_var(b, "never", 0, 1, 0);
  hd_queue q =
      hd_build_queue(b, &(hd_queue_desc){.capacity = 1, .letters = 1, .must_be_empty = true, .owner = HD_NO_PROCESS});
  hd_process p[2] = {add_process(b, "p", 1, 1), add_process(b, "p", 1, 1)};
  hd_loc first = add_loc(b, p[0], first_flags);
  hd_loc second = add_loc(b, p[1], second_flags);
  hd_process other = add_process(b, "pusher", 1, 1);
  hd_loc o0 = add_loc(b, other, 0);
  if (letter) {
    add_do(b, o0, hd_build_dead(b, other), HD_NO_EXPR, push(b, q, 1));
  } else {
    add_skip(b, o0, hd_build_dead(b, other));
  }
  hd_edge_desc desc = {.from = first, .to = first, .guard = is(b, never, 1), .kind = kind};
  hd_build_edge(b, &desc);
  desc = (hd_edge_desc){.from = second, .to = second, .guard = is(b, never, 1), .kind = HD_EDGE_AWAIT};
  hd_build_edge(b, &desc);
  hd_model *model = finish(b);
  walk w = walk_model(model, NULL);
  cr_assert_eq(w.count, 2);
  hd_stop stop = hd_model_stop(model, w.states + hd_model_words(model));
  walk_free(&w);
  hd_model_free(model);
  return stop;
}

Test(process, why_a_state_stops) {
  cr_assert_eq(stop_of(HD_LOC_END, HD_LOC_END, HD_EDGE_AWAIT, false), HD_STOP_PROPER);
  cr_assert_eq(stop_of(HD_LOC_END, HD_LOC_DAEMON, HD_EDGE_AWAIT, false), HD_STOP_PROPER);
  cr_assert_eq(stop_of(HD_LOC_END, HD_LOC_END, HD_EDGE_AWAIT, true), HD_STOP_STUCK);
  cr_assert_eq(stop_of(0, HD_LOC_END, HD_EDGE_AWAIT, false), HD_STOP_STUCK);
  cr_assert_eq(stop_of(0, HD_LOC_END, HD_EDGE_ASSUME, false), HD_STOP_PRUNED);
  cr_assert_eq(stop_of(0, 0, HD_EDGE_ASSUME, false), HD_STOP_PRUNED);
  cr_assert_eq(stop_of(HD_LOC_DAEMON, HD_LOC_END, HD_EDGE_ASSUME, false), HD_STOP_PROPER);
  cr_assert_eq(stop_of(HD_LOC_DAEMON, 0, HD_EDGE_ASSUME, false), HD_STOP_STUCK);
}
