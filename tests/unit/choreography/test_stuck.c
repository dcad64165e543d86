/* Kinds of stuck configurations, one small system for each kind and each borderline between two kinds. */
#include "frontends/choreography/lower.h"
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

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

Test(stuck, names_and_codes_are_those_of_the_interface) {
  cr_assert_str_eq(hd_stuck_name(HD_STUCK_DEADLOCK), "deadlock");
  cr_assert_str_eq(hd_stuck_name(HD_STUCK_UNSPECIFIED), "unspecified-reception");
  cr_assert_str_eq(hd_stuck_name(HD_STUCK_ORPHAN), "orphan-message");
  cr_assert_eq(hd_stuck_code(HD_STUCK_ORPHAN), HD_DIAG_ORPHAN_MESSAGE);
  cr_assert_eq(hd_stuck_code(HD_STUCK_UNSPECIFIED), HD_DIAG_UNSPECIFIED_RECEPTION);
  cr_assert_eq(hd_stuck_code(HD_STUCK_DEADLOCK), HD_DIAG_DEADLOCK);
}
