/* Monitors move with labels of their alphabet, and having no move is a fault. */
#include "core/model/internal.h"
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

#include <signal.h>

static hd_edge labelled(hd_builder *b, hd_loc from, hd_loc to, hd_label label) {
  hd_edge_desc desc = {.from = from, .to = to, .label = label, .weight = 1};
  return hd_build_edge(b, &desc);
}

/* A process free to do a, b, c and a silent step for ever; two monitors. */
static hd_model *monitored(hd_monitor monitors[2]) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  hd_loc l = add_loc(b, p, HD_LOC_END);
  hd_label names[3] = {hd_build_label(b, "a"), hd_build_label(b, "b"), hd_build_label(b, "c")};
  cr_assert_eq(hd_build_label(b, "b").v, names[1].v, "equal names give equal labels");
  for (int i = 0; i < 3; i++) {
    labelled(b, l, l, names[i]);
  }
  labelled(b, l, l, HD_NO_LABEL);
  hd_label twice[3] = {names[0], names[1], names[0]};
  monitors[0] = hd_build_monitor(b, "alternation", 2, 0, twice, 3); /* a b a b ... */
  hd_build_monitor_arc(b, monitors[0], 1, names[1], 0);
  hd_build_monitor_arc(b, monitors[0], 0, names[0], 1);
  monitors[1] = hd_build_monitor(b, "at most four b", 5, 0, &names[1], 1);
  for (uint32_t i = 0; i < 4; i++) {
    hd_build_monitor_arc(b, monitors[1], 3 - i, names[1], 4 - i);
  }
  return finish(b);
}

typedef struct fault_watch {
  uint32_t faults[3][2]; /* per label, per monitor */
  uint32_t moves[4];     /* per label; 0 = silent */
} fault_watch;

static bool watch_faults(void *payload, const uint64_t *next, const hd_step *step) {
  fault_watch *watch = payload;
  if (next == NULL) {
    cr_assert_eq(step->fault, HD_FAULT_MONITOR);
    watch->faults[step->label.v - 1][step->fault_detail]++;
  } else {
    watch->moves[step->label.v]++;
  }
  return true;
}

Test(monitor, moves_and_faults) {
  hd_monitor monitors[2];
  hd_model *model = monitored(monitors);
  walk w = walk_model(model, NULL);
  /* After n times `a b`: n = 0..4, and an a in between; the fifth b has no move in the second monitor. */
  cr_assert_eq(w.count, 10);
  fault_watch watch = {0};
  hd_stepper *stepper = hd_stepper_new(model, NULL);
  for (size_t i = 0; i < w.count; i++) {
    const uint64_t *state = w.states + i * hd_model_words(model);
    cr_assert(hd_model_monitor_state(model, state, monitors[0]) < 2);
    cr_assert(hd_model_monitor_state(model, state, monitors[1]) < 5);
    cr_assert_eq(hd_stepper_run(stepper, state, HD_WEIGHT_ANY, watch_faults, &watch), HD_OK);
  }
  cr_assert_eq(watch.moves[0], 10, "silent steps leave monitors alone");
  cr_assert_eq(watch.moves[3], 10, "c is in no alphabet");
  cr_assert_eq(watch.moves[1], 5);
  cr_assert_eq(watch.faults[0][0], 5);
  cr_assert_eq(watch.moves[2], 4);
  cr_assert_eq(watch.faults[1][0], 5);
  cr_assert_eq(watch.faults[1][1], 1);
  cr_assert_eq(w.faults[HD_FAULT_MONITOR], 11);
  hd_stepper_free(stepper);
  walk_free(&w);
  hd_model_free(model);
}

/* In a rendezvous the sender's label counts, the receiver's when the sender is silent. */
Test(monitor, label_of_a_rendezvous) {
  for (int loud = 0; loud < 4; loud++) {
    hd_builder *b = hd_builder_new();
    hd_label label_a = hd_build_label(b, "a");
    hd_label label_b = hd_build_label(b, "b");
    hd_label both[2] = {label_a, label_b};
    hd_monitor m = hd_build_monitor(b, "m", 3, 0, both, 2);
    hd_build_monitor_arc(b, m, 0, label_a, 1);
    hd_build_monitor_arc(b, m, 0, label_b, 2);
    hd_process s = add_process(b, "s", 1, 1);
    hd_process r = add_process(b, "r", 1, 1);
    hd_loc s0 = add_loc(b, s, 0);
    hd_loc s1 = add_loc(b, s, HD_LOC_END);
    hd_loc r0 = add_loc(b, r, 0);
    hd_loc r1 = add_loc(b, r, HD_LOC_END);
    hd_edge_desc desc = {.from = s0, .to = s1, .side = HD_SIDE_SEND, .channel = num(b, 0)};
    desc.label = (loud & 1) != 0 ? label_a : HD_NO_LABEL;
    hd_build_edge(b, &desc);
    desc = (hd_edge_desc){.from = r0, .to = r1, .side = HD_SIDE_RECEIVE, .channel = num(b, 0)};
    desc.label = (loud & 2) != 0 ? label_b : HD_NO_LABEL;
    hd_build_edge(b, &desc);
    hd_model *model = finish(b);
    walk w = walk_model(model, NULL);
    static const uint32_t expected[] = {0, 1, 2, 1};
    cr_assert_eq(w.count, 2);
    cr_assert_eq(hd_model_monitor_state(model, w.states + hd_model_words(model), m), expected[loud]);
    walk_free(&w);
    hd_model_free(model);
  }
}

static void build_arcs(uint32_t second_to, bool outside) {
  hd_builder *b = hd_builder_new();
  add_loc(b, add_process(b, "p", 1, 1), 0);
  hd_label a = hd_build_label(b, "a");
  hd_label other = hd_build_label(b, "other");
  hd_monitor m = hd_build_monitor(b, "m", 2, 0, &a, 1);
  hd_build_monitor_arc(b, m, 0, a, 1);
  hd_build_monitor_arc(b, m, outside ? 1 : 0, outside ? other : a, second_to);
  hd_model *model = NULL;
  (void)hd_builder_finish(b, &model);
  hd_model_free(model);
}

Test(monitor, two_arcs_for_one_label_are_misuse, .signal = SIGABRT) {
  build_arcs(0, false);
}

Test(monitor, an_arc_outside_the_alphabet_is_misuse, .signal = SIGABRT) {
  build_arcs(0, true);
}

/* Random monitors against a table. */
Test(monitor, random_automata) {
  uint64_t seed = 3;
  for (int round = 0; round < 100; round++) {
    enum { STATES = 9, LABELS = 7 };
    uint32_t table[STATES][LABELS];
    hd_builder *b = hd_builder_new();
    hd_process p = add_process(b, "p", 1, 1);
    hd_loc l = add_loc(b, p, 0);
    hd_label labels[LABELS];
    for (int i = 0; i < LABELS; i++) {
      char name[2] = {(char)('a' + i), 0};
      labels[i] = hd_build_label(b, name);
      labelled(b, l, l, labels[i]);
    }
    hd_monitor m = hd_build_monitor(b, "m", STATES, 4, labels, LABELS);
    for (uint32_t s = STATES; s-- > 0;) {
      for (int i = 0; i < LABELS; i++) {
        table[s][i] = draw_below(&seed, 2) == 0 ? HD_NONE : draw_below(&seed, STATES);
        if (table[s][i] != HD_NONE) {
          hd_build_monitor_arc(b, m, s, labels[i], table[s][i]);
        }
      }
    }
    hd_model *model = finish(b);
    const hdi_field *field = &model->fields.data[model->monitors.data[m.v].field];
    for (uint32_t s = 0; s < STATES; s++) {
      for (int i = 0; i < LABELS; i++) {
        uint64_t state = 0;
        hdi_field_put(field, &state, s);
        uint32_t missing = hdi_monitors_move(model, &state, labels[i].v);
        cr_assert_eq(missing, table[s][i] == HD_NONE ? m.v : HD_NONE);
        cr_assert_eq(hdi_field_bits(field, &state), table[s][i] == HD_NONE ? s : table[s][i]);
      }
    }
    hd_model_free(model);
  }
}
