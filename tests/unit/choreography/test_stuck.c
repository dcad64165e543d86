/* Kinds of stuck configurations, one small system for each kind and each borderline between two kinds. */
#include "frontends/choreography/lower.h"
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

#include <stdlib.h>
#include <string.h>

/* Explores machines and returns how many findings of `kind` there are (0 or 1), with the number of such configurations
 * in *count. */
static size_t findings(const char *fsa, uint32_t bound, const char *kind, uint64_t *count) {
  run_text run;
  run_text_init(&run);
  run.options.bound = bound;
  run_text_command(&run, HD_COMMAND_EXPLORE, "t.fsa", fsa);
  cr_assert_eq(run.status, HD_OK);
  size_t found = 0;
  for (size_t i = 0; i < run.result->finding_count; i++) {
    if (strcmp(run.result->findings[i].kind, kind) == 0) {
      found++;
      *count = run.result->findings[i].count;
    }
  }
  if (found == 0) {
    cr_assert(run.result->finding_count <= 1);
  }
  run_text_free(&run);
  return found;
}

Test(stuck, both_wait_with_empty_queues_is_a_deadlock) {
  uint64_t count = 0;
  static const char *const fsa =
      ".outputs A\n.state graph\na0 B ? x a1\n.marking a0\n.end\n.outputs B\n.state graph\nb0 A ? y b1\n.marking "
      "b0\n.end\n";
  cr_assert_eq(findings(fsa, 1, "deadlock", &count), 1u);
  cr_assert_eq(count, 1u);
}

Test(stuck, both_want_room_is_a_deadlock_of_that_bound_only) {
  uint64_t count = 0;
  static const char *const fsa =
      ".outputs A\n.state graph\na0 B ! x a1\na1 B ! x a2\na2 B ? y a3\na3 B ? y a4\n.marking a0\n.end\n"
      ".outputs B\n.state graph\nb0 A ! y b1\nb1 A ! y b2\nb2 A ? x b3\nb3 A ? x b4\n.marking b0\n.end\n";
  cr_assert_eq(findings(fsa, 1, "deadlock", &count), 1u);
  cr_assert_eq(count, 1u);
  cr_assert_eq(findings(fsa, 2, "deadlock", &count), 0u);
}

Test(stuck, a_head_that_cannot_be_read_is_an_unspecified_reception) {
  uint64_t count = 0;
  static const char *const fsa =
      ".outputs A\n.state graph\na0 B ! x a1\na1 B ! z a2\n.marking a0\n.end\n"
      ".outputs B\n.state graph\nb0 A ? z b1\nb1 A ? x b2\n.marking b0\n.end\n";
  cr_assert_eq(findings(fsa, 2, "unspecified-reception", &count), 1u);
  cr_assert_eq(count, 1u);
}

Test(stuck, a_message_left_when_all_have_ended_is_an_orphan) {
  uint64_t count = 0;
  static const char *const fsa =
      ".outputs A\n.state graph\na0 B ! x a1\na1 B ! x a2\n.marking a0\n.end\n"
      ".outputs B\n.state graph\nb0 A ? x b1\n.marking b0\n.end\n";
  cr_assert_eq(findings(fsa, 2, "orphan-message", &count), 1u);
  cr_assert_eq(count, 1u);
}

Test(stuck, a_clean_end_is_not_stuck) {
  uint64_t count = 0;
  static const char *const fsa =
      ".outputs A\n.state graph\na0 B ! x a1\n.marking a0\n.end\n.outputs B\n.state graph\nb0 A ? x b1\n.marking "
      "b0\n.end\n";
  cr_assert_eq(findings(fsa, 1, "deadlock", &count), 0u);
  cr_assert_eq(findings(fsa, 1, "orphan-message", &count), 0u);
}

/* A server that goes round: that it may stop there makes its waiting at the end no deadlock. */
Test(stuck, final_states_make_a_waiting_end_a_clean_one) {
  uint64_t count = 0;
  static const char *const lines[] = {"", "--@ final b0", "--@ final"};
  for (size_t i = 0; i < 3; i++) {
    hd_buffer text = {0};
    hd_buffer_printf(&text,
                     ".outputs A\n.state graph\na0 B ! x a1\n.marking a0\n.end\n"
                     ".outputs B\n.state graph\nb0 A ? x b0\n.marking b0\n%s\n.end\n",
                     lines[i]);
    cr_assert_eq(findings(text.data, 1, "deadlock", &count), i == 1 ? 0u : 1u, "%s", lines[i]);
    hd_buffer_free(&text);
  }
}

/* The choreography's projection as .fsa text; malloc'd. */
static char *projection_text(const char *chor) {
  hd_text *text = NULL;
  hd_chor_file *file = NULL;
  hd_system *system = NULL;
  hd_buffer out = {0};
  cr_assert(hd_text_from_bytes("t.chor", chor, strlen(chor), &text) == HD_OK);
  cr_assert(hd_chor_read(text, NULL, &file) == HD_OK &&
            hd_project(file, &(hd_subset_limits){.states_max = 1000}, &system) == HD_OK);
  hd_fsa_print(system, (hd_peer){HD_NONE}, &out);
  hd_system_free(system);
  hd_chor_file_free(file);
  hd_text_free(text);
  return hd_buffer_take(&out);
}

/* "deadlock 3 steps, 2 states; ..." of the stuck findings alone; malloc'd. */
static char *stuck_findings(hd_command command, const char *name, const char *text, uint32_t bound, int semantics) {
  run_text run;
  hd_buffer out = {0};
  run_text_init(&run);
  run.options.bound = bound;
  run.options.semantics = semantics;
  run.options.all = true;
  run_text_command(&run, command, name, text);
  cr_assert_eq(run.status, HD_OK);
  for (size_t i = 0; i < run.result->finding_count; i++) {
    const hd_finding *finding = &run.result->findings[i];
    if (strcmp(finding->kind, "unrealizable") != 0) {
      hd_buffer_printf(&out, "%s %u steps, %llu states; ", finding->kind, (unsigned)finding->length,
                       (unsigned long long)finding->count);
    }
  }
  hd_buffer_add_text(&out, "that is all");
  run_text_free(&run);
  return hd_buffer_take(&out);
}

static void same_findings(const char *name, const char *chor) {
  static const hd_command commands[] = {HD_COMMAND_CHECK, HD_COMMAND_EXPLORE};
  char *fsa = projection_text(chor);
  for (unsigned way = 0; way < 8; way++) {
    hd_command command = commands[way % 2];
    uint32_t bound = 1 + way / 2 % 2;
    int semantics = (int)(way / 4);
    char *of_choreography = stuck_findings(command, "t.chor", chor, bound, semantics);
    char *of_projection = stuck_findings(command, "t.fsa", fsa, bound, semantics);
    cr_assert_str_eq(of_choreography, of_projection, "%s, way %u: %s, but %s", name, way, of_choreography,
                     of_projection);
    free(of_choreography);
    free(of_projection);
  }
  free(fsa);
}

Test(stuck, a_projection_is_as_stuck_as_its_choreography) {
  json_t *expected = run_text_expected();
  const char *name;
  json_t *entries;
  json_object_foreach(expected, name, entries) {
    char path[256];
    (void)snprintf(path, sizeof path, "tests/cases/choreography/%s.chor", name);
    char *text = run_text_load(path);
    cr_assert_not_null(text, "%s", path);
    same_findings(name, text);
    free(text);
  }
  json_decref(expected);
  /* A server waits for ever for what no client sends any more, and may; then peers that may stop nowhere. */
  same_findings("a server that may stop",
                "final state s:\n  A -> S : ask => t\n  B -> S : bye => u\nstate t:\n  S -> A : yes => s\n"
                "final state u:\n  S -> S2 : log => u\n");
  same_findings("no end is reached", "state s:\n  A -> B : m => t\nfinal state u:\n");
}

Test(stuck, names_and_codes_are_those_of_the_interface) {
  cr_assert_str_eq(hd_stuck_name(HD_STUCK_DEADLOCK), "deadlock");
  cr_assert_str_eq(hd_stuck_name(HD_STUCK_UNSPECIFIED), "unspecified-reception");
  cr_assert_str_eq(hd_stuck_name(HD_STUCK_ORPHAN), "orphan-message");
  cr_assert_eq(hd_stuck_code(HD_STUCK_ORPHAN), HD_DIAG_ORPHAN_MESSAGE);
  cr_assert_eq(hd_stuck_code(HD_STUCK_UNSPECIFIED), HD_DIAG_UNSPECIFIED_RECEPTION);
  cr_assert_eq(hd_stuck_code(HD_STUCK_DEADLOCK), HD_DIAG_DEADLOCK);
}
