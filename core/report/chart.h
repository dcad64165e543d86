/* Sequence charts as text: who sends what to whom, from top to bottom. */
#ifndef HEDDLE_CORE_REPORT_CHART_H
#define HEDDLE_CORE_REPORT_CHART_H

#include "core/base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum hd_chart_mark {
  HD_CHART_ARRIVES, /* sent and read */
  HD_CHART_WAITS,   /* sent, and not read yet */
  HD_CHART_READ,    /* read now by `to`, sent by `from` before */
  HD_CHART_WRONG    /* sent where it must not be */
} hd_chart_mark;

typedef struct hd_chart_event {
  uint32_t from, to; /* lifelines, different ones */
  const char *label;
  hd_chart_mark mark;
} hd_chart_event;

typedef struct hd_chart {
  const char *const *names; /* of the lifelines, from left to right */
  uint32_t name_count;
  const hd_chart_event *events;
  uint32_t event_count;
} hd_chart;

/* Appends the chart. Only lifelines that take part are drawn, in columns of equal width; labels and names are cut to
 * fit into `width` characters a line as far as eight characters a column allow. What waits, is read or is wrong has a
 * note at the end of its line. Texts are made safe to print. HD_E_NOMEM leaves the buffer failed. O(size of the
 * output) */
hd_status hd_chart_print(const hd_chart *chart, uint32_t width, hd_buffer *out);

#endif
