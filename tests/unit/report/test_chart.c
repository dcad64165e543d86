/* Sequence charts as text. */
#include "core/report/chart.h"
#include "tests/support/hd_test.h"

#include <string.h>

static const char *const names[] = {"P1", "server", "P3", "idle"};

static char *print(const hd_chart_event *events, uint32_t count, uint32_t width) {
  hd_chart chart = {.names = names, .name_count = 4, .events = events, .event_count = count};
  hd_buffer out = {0};
  cr_assert_eq(hd_chart_print(&chart, width, &out), HD_OK);
  return hd_buffer_take(&out);
}

Test(report_chart, two_lifelines) {
  const hd_chart_event events[] = {{0, 1, "ms", HD_CHART_ARRIVES},
                                   {1, 0, "mf", HD_CHART_WAITS},
                                   {0, 1, "mc", HD_CHART_WRONG},
                                   {1, 0, "mf", HD_CHART_READ}};
  char *text = print(events, 4, 80);
  cr_assert_str_eq(text,
                   "P1            server\n"
                   "|-----ms----->|\n"
                   "|o----mf------|   mf waits unread\n"
                   "|-----mc-----X|   mc is not allowed here\n"
                   "*             |   mf is read now\n");
  free(text);
}

Test(report_chart, arrows_pass_lifelines_between) {
  const hd_chart_event events[] = {{0, 1, "a", HD_CHART_ARRIVES}, {2, 0, "b", HD_CHART_ARRIVES}};
  char *text = print(events, 2, 80);
  cr_assert_str_eq(text,
                   "P1            server        P3\n"
                   "|------a----->|             |\n"
                   "|<------------b-------------|\n");
  free(text);
}

Test(report_chart, narrow_terminals_and_odd_bytes) {
  const hd_chart_event events[] = {{0, 1, "a_very_long_label_indeed", HD_CHART_ARRIVES},
                                   {1, 2, "\033[31m", HD_CHART_WAITS}};
  char *text = print(events, 2, 20);
  cr_assert_str_eq(text,
                   "P1      server  P3\n"
                   "|-a_ver>|       |\n"
                   "|       |-?[31mo|   \\x1b[31m waits unread\n");
  free(text);
}

Test(report_chart, nothing) {
  char *text = print(NULL, 0, 80);
  cr_assert_str_eq(text, "\n");
  free(text);
}
