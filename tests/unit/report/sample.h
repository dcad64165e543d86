/* A result with everything in it, for the printers' tests. */
#ifndef HEDDLE_TESTS_UNIT_REPORT_SAMPLE_H
#define HEDDLE_TESTS_UNIT_REPORT_SAMPLE_H

#include "core/base/check.h"
#include "core/report/result.h"

static inline hd_result *sample_new(void) {
  static const char *const details[] = {"S cannot tell the two apart", "second"};
  static const char *const assumptions[] = {"peers do not crash"};
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "tpm.chor");
  HD_REQUIRE(result != NULL);
  result->frontend = "choreography";
  result->verdict = HD_VERDICT_VIOLATED;
  result->basis = "the per-peer check";
  result->bound = 1;
  result->semantics = "mailbox";
  result->assumptions = assumptions;
  result->assumption_count = 1;
  hd_result_add_bool(result, "realizable", false);
  hd_result_add_text(result, "confused_peer", "S");
  hd_result_add_number(result, "peers", 2);
  hd_trace_line *trace = hd_arena_alloc_array(result->arena, 3, sizeof *trace);
  HD_REQUIRE(trace != NULL);
  trace[0] = (hd_trace_line){
      .actor = "Client", .action = "send", .label = "Go", .peer = "S", .position = {4, 3}, .visible = true};
  trace[1] = (hd_trace_line){.actor = "S", .action = "receive", .label = "Go", .peer = "Client"};
  trace[2] = (hd_trace_line){.actor = "S", .action = "step", .note = "not allowed here", .visible = true};
  hd_finding *finding = hd_result_add_finding(result);
  HD_REQUIRE(finding != NULL);
  *finding = (hd_finding){.kind = "unrealizable",
                          .code = HD_DIAG_UNREALIZABLE,
                          .message = "S sends too early",
                          .details = details,
                          .detail_count = 2,
                          .position = {7, 3},
                          .trace = trace,
                          .trace_lines = 3,
                          .length = 2,
                          .shortest = HD_SHORTEST_YES,
                          .count = 5};
  hd_outcome outcome = {.end = HD_END_COMPLETE,
                        .states = 14,
                        .transitions = 17,
                        .levels = 9,
                        .expanded = 14,
                        .threads = 2,
                        .seconds = 0.25,
                        .visited_bytes = 112,
                        .memory_bytes = 3145728,
                        .store = "word"};
  hd_result_take_outcome(result, &outcome, 1);
  return result;
}

#endif
