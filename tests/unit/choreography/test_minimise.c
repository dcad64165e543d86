/* Minimisation: a known machine, and random ones against the textbook's table filling. */
#include "frontends/choreography/minimise.h"

#include "tests/support/chor_input.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"

#include <stdlib.h>

/* differs[i * n + j]: the states are told apart by may_stop, by an action that one lacks, or by where one leads. */
static bool *fill_table(const hd_machine *m, uint32_t message_count) {
  uint32_t n = m->state_count;
  bool *differs = calloc((size_t)n * n, sizeof *differs);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < n; i++) {
      for (uint32_t j = 0; j < n; j++) {
        bool apart = differs[i * n + j] || m->may_stop[i] != m->may_stop[j];
        for (uint32_t action = 0; action < 2 * message_count && !apart; action++) {
          uint32_t x = HD_NONE, y = HD_NONE;
          for (uint32_t a = 0; a < m->arc_count; a++) {
            const hd_machine_arc *arc = &m->arcs[a];
            if (arc->message.v == action / 2 && arc->send == (action % 2 == 1)) {
              x = arc->from == i ? arc->to : x;
              y = arc->from == j ? arc->to : y;
            }
          }
          apart = (x == HD_NONE) != (y == HD_NONE) || (x != HD_NONE && differs[x * n + y]);
        }
        changed = changed || apart != differs[i * n + j];
        differs[i * n + j] = apart;
      }
    }
  }
  return differs;
}

/* Returns how many states were merged away. */
static uint32_t check_machine(const hd_machine *m, uint32_t message_count) {
  hd_arena *arena = hd_arena_new();
  hdi_minimal minimal;
  cr_assert_eq(hdi_machine_minimise(m, arena, &minimal), HD_OK);
  bool *differs = fill_table(m, message_count);
  uint32_t classes = 0;
  for (uint32_t i = 0; i < m->state_count; i++) {
    bool least = true;
    for (uint32_t j = 0; j < m->state_count; j++) {
      bool apart = differs[i * m->state_count + j];
      cr_assert_eq(minimal.class_of[i] != minimal.class_of[j], apart, "states %u and %u", i, j);
      least = least && (j >= i || apart);
    }
    if (least) {
      cr_assert_eq(minimal.class_of[i], classes, "classes are numbered by their least state");
      cr_assert_eq(minimal.representative[classes], i);
      classes++;
    }
  }
  cr_assert_eq(minimal.class_count, classes);
  free(differs);
  hd_arena_free(arena);
  return m->state_count - classes;
}

Test(minimise, equal_futures_are_one_class) {
  chor_input input;
  chor_input_open(&input,
                  "state a:\n A -> B : x => b\n A -> B : y => c\nstate b:\n B -> A : z => d\n"
                  "state c:\n B -> A : z => e\nstate d:\n A -> B : x => f\nstate e:\n A -> B : x => g\n");
  hd_arena *arena = hd_arena_new();
  hdi_minimal minimal;
  cr_assert_eq(hdi_machine_minimise(&input.system->machines[0], arena, &minimal), HD_OK);
  cr_assert_eq(input.system->machines[0].state_count, 7u);
  cr_assert_eq(minimal.class_count, 4u);
  hd_arena_free(arena);
  chor_input_close(&input);
}

Test(minimise, where_a_peer_may_stop_counts) {
  chor_input input;
  chor_input_open(&input,
                  "state a:\n A -> B : x => b\n A -> B : y => c\nfinal state b:\n B -> A : z => d\n"
                  "state c:\n B -> A : z => d\nfinal state d:\n");
  hd_arena *arena = hd_arena_new();
  hdi_minimal minimal;
  cr_assert_eq(hdi_machine_minimise(&input.system->machines[0], arena, &minimal), HD_OK);
  cr_assert_eq(minimal.class_count, 4u);
  hd_arena_free(arena);
  chor_input_close(&input);
}

Test(minimise, random_machines_agree_with_table_filling) {
  uint32_t merged = 0, machines = 0;
  for (uint64_t seed = 0; seed < 1000; seed++) {
    char *text = hd_random_chor(seed, 2, 4);
    chor_input input;
    chor_input_open(&input, text);
    for (uint32_t p = 0; p < input.system->machine_count; p++) {
      merged += check_machine(&input.system->machines[p], input.file->alphabet.message_count);
      machines++;
    }
    chor_input_close(&input);
    free(text);
  }
  cr_assert_gt(machines, 2000u);
  cr_assert_gt(merged, 100u, "only %u states were merged", merged);
}

Test(minimise, the_step_finds_every_arc_and_nothing_else) {
  chor_input input;
  chor_input_open_case(&input, "k1_is_not_enough");
  for (uint32_t p = 0; p < input.system->machine_count; p++) {
    const hd_machine *m = &input.system->machines[p];
    uint32_t found = 0;
    for (uint32_t s = 0; s < m->state_count; s++) {
      for (uint32_t message = 0; message < input.file->alphabet.message_count; message++) {
        for (uint32_t send = 0; send < 2; send++) {
          uint32_t to = hdi_machine_next(m, s, send == 1, (hd_message){message});
          for (uint32_t a = 0; to != HD_NONE && a < m->arc_count; a++) {
            const hd_machine_arc *arc = &m->arcs[a];
            found += arc->from == s && arc->to == to && arc->message.v == message && arc->send == (send == 1);
          }
        }
      }
    }
    cr_assert_eq(found, m->arc_count);
  }
  chor_input_close(&input);
}
