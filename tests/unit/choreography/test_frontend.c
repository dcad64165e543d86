/* What the commands share: outcomes of a search become findings and words. */
#include "frontends/choreography/frontend.h"
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

static const char machines[] =
    ".outputs A\n.state graph\na B ? m b\n.marking a\n.end\n"
    ".outputs B\n.state graph\nc A ? n d\n.marking c\n.end\n";

/* Runs `body` on the lowered machines and a result to fill. */
static void with_machines(void (*body)(const hd_lowering *lowering, hd_result *result)) {
  run_text run;
  run_text_init(&run);
  run_text_command(&run, HD_COMMAND_EXPLORE, "t.fsa", machines);
  hd_lowering *lowering = NULL;
  cr_assert_eq(hd_lower_system(run.ast->machines, NULL, NULL, 1, HD_MAILBOX, false, &lowering), HD_OK);
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "t.fsa");
  cr_assert_not_null(result);
  body(lowering, result);
  hd_result_free(result);
  hd_lowering_free(lowering);
  run_text_free(&run);
}

static void lost_runs(const hd_lowering *lowering, hd_result *result) {
  static const hd_status reasons[] = {HD_E_NOMEM, HD_E_LIMIT, HD_E_CANCELLED};
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    hd_outcome outcome = {.end = HD_END_COMPLETE};
    outcome.found[HD_SLOT_STOP(HD_STUCK_DEADLOCK)] = (hd_found){.count = 3, .level = 2, .trace_status = reasons[i]};
    cr_assert_eq(hdi_add_stuck_findings(lowering, &outcome, result), HD_OK);
    cr_assert_eq(result->finding_count, i + 1);
    const hd_finding *finding = &result->findings[i];
    cr_assert_str_eq(finding->kind, "deadlock");
    cr_assert(finding->count == 3 && finding->length == 2 && finding->trace == NULL && finding->position.line == 0);
    cr_assert_eq(finding->detail_count, 1u);
    cr_assert_not_null(strstr(finding->details[0], hd_status_words(reasons[i])), "%s", finding->details[0]);
  }
  hd_outcome wrong = {.end = HD_END_COMPLETE};
  wrong.found[HD_SLOT_STOP(HD_STUCK_ORPHAN)] = (hd_found){.count = 1, .trace_status = HD_E_INTERNAL};
  cr_assert_eq(hdi_add_stuck_findings(lowering, &wrong, result), HD_E_INTERNAL);
}

Test(frontend, a_finding_stands_when_its_run_is_lost) {
  with_machines(lost_runs);
}

static void not_covered(const hd_lowering *lowering, hd_result *result) {
  (void)lowering;
  hd_outcome outcome = {.end = HD_END_COMPLETE, .states = 5, .expanded = 3, .levels = 2};
  cr_assert_null(hdi_not_covered(&outcome, result));
  outcome.end = HD_END_TIMEOUT;
  cr_assert_str_eq(hdi_not_covered(&outcome, result),
                   "the time limit was reached: 3 of the 5 states seen were expanded, 2 levels deep; what lies beyond "
                   "them is unknown");
}

Test(frontend, what_was_cut_short_says_what_was_not_covered) {
  with_machines(not_covered);
}

static void limits(const hd_lowering *lowering, hd_result *result) {
  (void)result;
  hd_atomic_u32 cancel = 0;
  hd_options options;
  hd_options_init(&options);
  options.threads = 3;
  options.memory = 1 << 20;
  options.depth = 9;
  hd_request request = {.options = &options, .cancel = &cancel, .deadline_seconds = 1e-3}; /* long ago */
  hd_search search;
  hdi_search_init(lowering, &request, &search);
  cr_assert(search.threads == 3 && search.memory_max_bytes == 1 << 20 && search.depth_max == 9);
  cr_assert(search.cancel == &cancel && search.timeout_seconds > 0 && search.timeout_seconds < 1e-6);
  for (uint32_t kind = 1; kind < HD_STUCK_COUNT; kind++) {
    cr_assert(hd_slots_has(search.trace_slots, HD_SLOT_STOP(kind)));
  }
  hd_options_free(&options);
}

Test(frontend, a_search_has_the_limits_of_the_request) {
  with_machines(limits);
}
