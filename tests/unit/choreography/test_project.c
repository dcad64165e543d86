/* Projection: exact machines of known choreographies, and on random ones every set and arc against the definition. */
#include "tests/support/chor_input.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "{s0} -!ms-> {s1}; ..." in the machine's own order. */
static char *describe(const chor_input *input, uint32_t peer) {
  const hd_machine *m = &input->system->machines[peer];
  hd_buffer text = {0};
  hd_buffer_printf(&text, "%u:", m->state_count);
  for (uint32_t a = 0; a < m->arc_count; a++) {
    const hd_machine_arc *arc = &m->arcs[a];
    hd_buffer_printf(&text, " %s%s%s%s", m->state_names[arc->from], arc->send ? "!" : "?",
                     input->file->alphabet.messages[arc->message.v].name, m->state_names[arc->to]);
  }
  hd_buffer_add_text(&text, " stop");
  for (uint32_t s = 0; s < m->state_count; s++) {
    hd_buffer_printf(&text, " %d", m->may_stop[s]);
  }
  return hd_buffer_take(&text);
}

static void expect_machine(const chor_input *input, const char *peer, const char *wanted) {
  char *found = describe(input, chor_input_peer(input, peer).v);
  cr_assert_str_eq(found, wanted, "%s is %s instead of %s", peer, found, wanted);
  free(found);
}

Test(project, file_transfer_gives_the_papers_figure_3) {
  chor_input input;
  chor_input_open_case(&input, "file_transfer");
  expect_machine(&input, "P1", "5: {s0}!ms{s1} {s1}!mc{s2} {s1}?mf{s3} {s2}?mf{s4} stop 0 0 0 1 1");
  expect_machine(&input, "P2", "5: {s0}?ms{s1} {s1}!mf{s3} {s1}?mc{s2} {s2}!mf{s4} stop 0 0 1 0 1");
  chor_input_close(&input);
}

Test(project, silent_moves_and_nondeterminism_join_states) {
  chor_input input;
  chor_input_open(&input,
                  "state a:\n A -> B : x => b\n A -> B : x => c\n B -> C : y => d\n"
                  "state b:\n C -> B : z => d\nstate c:\n A -> C : w => a\n");
  expect_machine(&input, "A", "2: {a,d}!x{b,c,d} {b,c,d}!w{a,d} stop 1 1");
  chor_input_close(&input);
}

Test(project, the_end_states_decide_where_a_peer_may_stop) {
  chor_input input;
  chor_input_open(&input,
                  "state a:\n A -> B : x => b\nfinal state b:\n B -> C : y => c\nfinal state c:\n C -> B : z => b\n");
  expect_machine(&input, "A", "2: {a}!x{b,c} stop 0 1");
  expect_machine(&input, "C", "3: {a,b}?y{c} {c}!z{b} {b}?y{c} stop 1 1 1");
  chor_input_close(&input);
}

Test(project, a_peer_without_messages_has_nothing_to_do) {
  chor_input input;
  chor_input_open(&input, "peers A, B, Idle\nstate a:\n A -> B : x => a\n");
  expect_machine(&input, "A", "1: {a}!x{a} stop 0");
  expect_machine(&input, "Idle", "1: stop 1");
  chor_input_close(&input);
}

Test(project, each_block_gives_the_machines_of_its_own_peers) {
  chor_input input;
  chor_input_open(&input,
                  "choreography one\nstate a:\n A -> B : x => b\nstate b:\n A -> B : y => a\n"
                  "choreography two\nstate a:\n D -> C : x => a\n");
  expect_machine(&input, "B", "2: {a}?x{b} {b}?y{a} stop 0 0");
  expect_machine(&input, "C", "1: {a}?x{a} stop 0");
  chor_input_close(&input);
}

Test(project, more_states_than_allowed_is_a_limit) {
  chor_input input;
  chor_input_open_case(&input, "file_transfer");
  hd_system *system = NULL;
  cr_assert_eq(hd_project(input.file, &(hd_subset_limits){.states_max = 4}, &system), HD_E_LIMIT);
  cr_assert_null(system);
  cr_assert_eq(hd_project(input.file, &(hd_subset_limits){.states_max = 5}, &system), HD_OK);
  hd_system_free(system);
  chor_input_close(&input);
}

Test(project, the_clock_or_the_caller_ends_it) {
  chor_input input;
  chor_input_open_case(&input, "file_transfer");
  hd_system *system = NULL;
  cr_assert_eq(hd_project(input.file, &(hd_subset_limits){.states_max = 5, .deadline_seconds = 1e-9}, &system),
               HD_E_LIMIT);
  cr_assert_null(system);
  hd_atomic_u32 cancel;
  hd_store_rlx(&cancel, 0);
  cr_assert_eq(hd_project(input.file, &(hd_subset_limits){.states_max = 5, .cancel = &cancel}, &system), HD_OK);
  hd_system_free(system);
  hd_store_rlx(&cancel, 1);
  cr_assert_eq(hd_project(input.file, &(hd_subset_limits){.states_max = 5, .cancel = &cancel}, &system),
               HD_E_CANCELLED);
  cr_assert_null(system);
  chor_input_close(&input);
}

static bool is_silent(const chor_input *input, uint32_t peer, const hd_chor_arc *arc) {
  const hd_message_info *m = &input->file->alphabet.messages[arc->message.v];
  return m->from.v != peer && m->to.v != peer;
}

/* The definition: a set closed under silent arcs; true when it grew. */
static bool grow(const chor_input *input, const hd_chor *block, uint32_t peer, bool *set) {
  bool grown = false;
  for (uint32_t a = 0; a < block->arc_count; a++) {
    const hd_chor_arc *arc = &block->arcs[a];
    if (is_silent(input, peer, arc) && set[arc->from] && !set[arc->to]) {
      set[arc->to] = grown = true;
    }
  }
  return grown;
}

static void expect_set(const chor_input *input, const hd_chor *block, const hd_machine *m, uint32_t state, bool *set) {
  while (grow(input, block, m->peer.v, set)) {}
  uint32_t at = m->set_start[state];
  bool may_stop = m->arc_count == 0;
  for (uint32_t s = 0; s < block->state_count; s++) {
    if (set[s]) {
      cr_assert(at < m->set_start[state + 1] && m->members[at] == s, "a member is missing or out of order");
      at++;
      may_stop = may_stop || hd_chor_is_end(block, s);
    }
  }
  cr_assert_eq(at, m->set_start[state + 1], "a member is too many");
  cr_assert_eq(m->may_stop[state], may_stop);
}

/* Every message from or to the peer at `state`: an arc exactly when the definition gives one, leading to its set. */
static void check_state(const chor_input *input, const hd_chor *block, const hd_machine *m, uint32_t state) {
  uint32_t at = m->first_arc[state], messages = input->file->alphabet.message_count;
  for (uint32_t action = 0; action < 2 * messages; action++) {
    bool send = action < messages;
    uint32_t message = action % messages;
    const hd_message_info *info = &input->file->alphabet.messages[message];
    bool *set = calloc(block->state_count, sizeof *set);
    bool any = false;
    for (uint32_t i = m->set_start[state]; i < m->set_start[state + 1]; i++) {
      for (uint32_t a = block->first_arc[m->members[i]]; a < block->first_arc[m->members[i] + 1]; a++) {
        if (block->arcs[a].message.v == message && (send ? info->from.v : info->to.v) == m->peer.v) {
          set[block->arcs[a].to] = any = true;
        }
      }
    }
    if (any) {
      cr_assert_lt(at, m->first_arc[state + 1], "an arc is missing");
      cr_assert(m->arcs[at].from == state && m->arcs[at].send == send && m->arcs[at].message.v == message);
      expect_set(input, block, m, m->arcs[at].to, set);
      at++;
    }
    free(set);
  }
  cr_assert_eq(at, m->first_arc[state + 1], "an arc is too many");
}

static void check_machine(const chor_input *input, const hd_chor *block, const hd_machine *m) {
  bool *set = calloc(block->state_count, sizeof *set);
  set[block->initial] = true;
  cr_assert_eq(m->initial, 0u);
  expect_set(input, block, m, 0, set);
  free(set);
  uint32_t next = 1; /* breadth-first: new states appear in the order of the arcs */
  for (uint32_t s = 0; s < m->state_count; s++) {
    check_state(input, block, m, s);
    for (uint32_t a = m->first_arc[s]; a < m->first_arc[s + 1]; a++) {
      cr_assert_leq(m->arcs[a].to, next);
      next += m->arcs[a].to == next;
    }
  }
  cr_assert_eq(next, m->state_count);
}

Test(project, random_choreographies_fit_the_definition) {
  size_t machines = 0;
  for (uint64_t seed = 0; seed < 600; seed++) {
    char *text = hd_random_chor(seed, 2, 5);
    chor_input input;
    chor_input_open(&input, text);
    for (uint32_t b = 0; b < input.file->block_count; b++) {
      const hd_chor *block = &input.file->blocks[b];
      for (uint32_t a = 0; a < block->arc_count; a++) {
        const hd_message_info *m = &input.file->alphabet.messages[block->arcs[a].message.v];
        check_machine(&input, block, &input.system->machines[m->from.v]);
        check_machine(&input, block, &input.system->machines[m->to.v]);
        machines += 2;
      }
    }
    chor_input_close(&input);
    free(text);
  }
  cr_assert_gt(machines, 3000u);
}

Test(project, names_of_large_sets_are_short_and_different) {
  char *text = hd_large_chor(3, 12, 400);
  chor_input input;
  chor_input_open(&input, text);
  size_t shortened = 0;
  for (uint32_t p = 0; p < input.system->machine_count; p++) {
    const hd_machine *m = &input.system->machines[p];
    for (uint32_t s = 0; s < m->state_count; s++) {
      cr_assert_lt(strlen(m->state_names[s]), 256u);
      shortened += strchr(m->state_names[s], '@') != NULL;
      for (uint32_t t = 0; t < s; t++) {
        cr_assert_str_neq(m->state_names[s], m->state_names[t]);
      }
    }
  }
  cr_assert_gt(shortened, 10u);
  chor_input_close(&input);
  free(text);
}
