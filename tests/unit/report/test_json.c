/* The JSON line of a result: exact text, and that any result gives valid JSON. */
#include "tests/support/hd_test.h"
#include "tests/unit/report/sample.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static char *print(const hd_result *result) {
  hd_buffer out = {0};
  cr_assert_eq(hd_result_print_json(result, &out), HD_OK);
  return hd_buffer_take(&out);
}

/* Prints, checks that it is one line, and parses. */
static json_t *parse(const hd_result *result) {
  char *line = print(result);
  char *end = strchr(line, '\n');
  cr_assert_not_null(end);
  cr_assert_eq(end[1], '\0');
  json_error_t error;
  json_t *root = json_loads(line, JSON_REJECT_DUPLICATES, &error);
  cr_assert_not_null(root, "%s", error.text);
  free(line);
  return root;
}

Test(report_json, full_result_is_this_line) {
  hd_result *result = sample_new();
  char *line = print(result);
  cr_assert_str_eq(
      line,
      "{\"schema\":\"heddle.result/1\",\"command\":\"check\",\"file\":\"tpm.chor\",\"frontend\":\"choreography\","
      "\"verdict\":\"violated\",\"basis\":\"the per-peer check\",\"bound\":1,\"semantics\":\"mailbox\","
      "\"assumptions\":[\"peers do not crash\"],"
      "\"facts\":{\"realizable\":false,\"confused_peer\":\"S\",\"peers\":2},"
      "\"findings\":[{\"kind\":\"unrealizable\",\"code\":\"HD201\",\"message\":\"S sends too early\","
      "\"details\":[\"S cannot tell the two apart\",\"second\"],"
      "\"span\":{\"file\":\"tpm.chor\",\"line\":7,\"column\":3},"
      "\"trace\":[{\"actor\":\"Client\",\"action\":\"send\",\"label\":\"Go\",\"peer\":\"S\",\"line\":4,"
      "\"visible\":true},"
      "{\"actor\":\"S\",\"action\":\"receive\",\"label\":\"Go\",\"peer\":\"Client\",\"visible\":false},"
      "{\"actor\":\"S\",\"action\":\"step\",\"visible\":true,\"note\":\"not allowed here\"}],"
      "\"length\":2,\"shortest\":true,\"count\":5}],"
      "\"statistics\":{\"states\":14,\"transitions\":17,\"levels\":9,\"deadlocks\":1,\"expanded\":14,"
      "\"complete\":true,\"threads\":2,\"seconds\":0.25,\"bytes_per_state\":8.0,\"states_per_second\":56.0,"
      "\"visited_bytes\":112,\"memory_bytes\":3145728,\"store\":\"word\"}}\n");
  free(line);
  hd_result_free(result);
}

Test(report_json, empty_result_leaves_out_what_does_not_apply) {
  hd_result *result = hd_result_new(HD_COMMAND_EXPLORE, "-");
  char *line = print(result);
  cr_assert_str_eq(line, "{\"schema\":\"heddle.result/1\",\"command\":\"explore\",\"file\":\"-\",\"findings\":[]}\n");
  free(line);
  hd_result_free(result);
}

Test(report_json, finding_without_code_place_and_run) {
  hd_result *result = hd_result_new(HD_COMMAND_REPLAY, "f");
  hd_finding *finding = hd_result_add_finding(result);
  finding->kind = "replay";
  finding->message = "m";
  char *line = print(result);
  cr_assert_not_null(strstr(line, "\"findings\":[{\"kind\":\"replay\",\"message\":\"m\",\"length\":0}]"), "%s", line);
  free(line);
  hd_result_free(result);
}

Test(report_json, a_run_that_need_not_be_a_shortest_one_says_so) {
  hd_result *result = sample_new();
  result->findings[0].shortest = HD_SHORTEST_NO;
  char *line = print(result);
  cr_assert_not_null(strstr(line, "\"length\":2,\"shortest\":false,\"count\":5"), "%s", line);
  free(line);
  result->findings[0].shortest = HD_SHORTEST_UNSAID;
  line = print(result);
  cr_assert_null(strstr(line, "shortest"), "%s", line);
  free(line);
  hd_result_free(result);
}

Test(report_json, empty_run_is_an_empty_array) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "f");
  hd_trace_line none;
  hd_finding *finding = hd_result_add_finding(result);
  finding->kind = "deadlock";
  finding->message = "m";
  finding->code = HD_DIAG_DEADLOCK;
  finding->trace = &none;
  char *line = print(result);
  cr_assert_not_null(strstr(line, "\"code\":\"HD202\",\"message\":\"m\",\"trace\":[],\"length\":0"), "%s", line);
  free(line);
  hd_result_free(result);
}

Test(report_json, reals_stay_reals_and_never_break_the_syntax) {
  hd_result *result = hd_result_new(HD_COMMAND_EXPLORE, "f");
  result->has_statistics = true;
  static const double seconds[] = {0.0, 1.0, 1e-9, 3600.0, INFINITY, NAN};
  for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
    result->seconds = seconds[i];
    result->states = 1000000;
    json_t *root = parse(result);
    json_t *statistics = json_object_get(root, "statistics");
    cr_assert(json_is_real(json_object_get(statistics, "seconds")));
    cr_assert(json_is_real(json_object_get(statistics, "states_per_second")));
    cr_assert(json_is_real(json_object_get(statistics, "bytes_per_state")));
    if (i == 1) {
      cr_assert_eq(json_real_value(json_object_get(statistics, "states_per_second")), 1e6);
    }
    json_decref(root);
  }
  hd_result_free(result);
}

Test(report_json, huge_counts_are_clamped) {
  hd_result *result = hd_result_new(HD_COMMAND_EXPLORE, "f");
  hd_result_add_number(result, "most", UINT64_MAX);
  json_t *root = parse(result);
  cr_assert_eq(json_integer_value(json_object_get(json_object_get(root, "facts"), "most")), INT64_MAX);
  json_decref(root);
  hd_result_free(result);
}

Test(report_json, any_bytes_give_valid_json) {
  hd_result *result = hd_result_new(HD_COMMAND_CHECK, "dir\xFF/\"quoted\"\n.chor");
  hd_result_add_text(result, "text", "tab\t\x01\xC3\xA9\xC3");
  json_t *root = parse(result);
  cr_assert_str_eq(json_string_value(json_object_get(root, "file")), "dir\\xff/\"quoted\"\n.chor");
  cr_assert_str_eq(json_string_value(json_object_get(json_object_get(root, "facts"), "text")),
                   "tab\t\x01\xC3\xA9\\xc3");
  json_decref(root);
  hd_result_free(result);
}

Test(report_json, appends_after_what_is_there_and_respects_failure) {
  hd_result *result = hd_result_new(HD_COMMAND_EXPLORE, "f");
  hd_buffer out = {0};
  hd_buffer_add_text(&out, "before\n");
  cr_assert_eq(hd_result_print_json(result, &out), HD_OK);
  cr_assert_eq(strncmp(out.data, "before\n{", 8), 0);
  hd_buffer_free(&out);
  out.failed = 1;
  cr_assert_eq(hd_result_print_json(result, &out), HD_E_NOMEM);
  hd_buffer_free(&out);
  hd_result_free(result);
}

static size_t allocations_left;

static void *failing_malloc(size_t size_bytes) {
  if (allocations_left == 0) {
    return NULL;
  }
  allocations_left--;
  return malloc(size_bytes);
}

/* Wherever the JSON library runs out of memory, the answer is an error and never a line that lacks something. */
Test(report_json, each_failed_allocation_is_told) {
  hd_result *result = sample_new();
  char *whole = print(result);
  json_set_alloc_funcs(failing_malloc, free);
  size_t failures = 0;
  for (;; failures++) {
    cr_assert_lt(failures, 10000);
    hd_buffer out = {0};
    allocations_left = failures;
    hd_status status = hd_result_print_json(result, &out);
    char *line = hd_buffer_take(&out);
    if (status == HD_OK) {
      cr_assert_str_eq(line, whole);
      free(line);
      break;
    }
    cr_assert_eq(status, HD_E_NOMEM);
    cr_assert_null(line);
  }
  json_set_alloc_funcs(malloc, free);
  cr_assert_gt(failures, 50);
  free(whole);
  hd_result_free(result);
}
