/* Sequence charts as text.
 *
 *   P1                P2
 *   |-------ms------->|
 *   |<------mf-------o|   mf waits unread
 *   |-------mc-------X|   mc is not allowed here
 *
 * Columns are `step` characters apart. One event is one line: every lifeline shows `|`, the stretch between sender and
 * receiver is filled with dashes, the label stands in its middle, and the receiver's end shows what became of the
 * message. Everything is ASCII, so that it reads the same on every terminal. Threads: no state. */
#include "core/report/chart.h"

#include "core/report/escape.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_MIN = 8, GAP = 4 };

typedef struct layout {
  const hd_chart *chart;
  uint32_t *column; /* per lifeline: its place, UINT32_MAX: it takes no part */
  uint32_t columns;
  size_t step;
  char *line; /* columns * step + 1 characters */
} layout;

/* `text` without bytes that could steer a terminal; bytes outside ASCII count one each. */
static size_t clean_length(const char *text) {
  return text == NULL ? 0 : strlen(text);
}

static void put_text(char *at, const char *text, size_t most) {
  for (size_t i = 0; i < most && text[i] != '\0'; i++) {
    at[i] = (unsigned char)text[i] < ' ' || (unsigned char)text[i] >= 0x7F ? '?' : text[i];
  }
}

static void choose_step(layout *l, uint32_t width) {
  size_t longest = 0;
  for (uint32_t e = 0; e < l->chart->event_count; e++) {
    size_t length = clean_length(l->chart->events[e].label);
    longest = length > longest ? length : longest;
  }
  for (uint32_t p = 0; p < l->chart->name_count; p++) {
    size_t length = l->column[p] == UINT32_MAX ? 0 : clean_length(l->chart->names[p]);
    longest = length > longest ? length : longest;
  }
  l->step = longest + 2 * GAP;
  size_t fits = l->columns > 1 ? width / l->columns : width;
  l->step = l->step > fits ? fits : l->step;
  l->step = l->step < STEP_MIN ? STEP_MIN : l->step;
}

static void end_line(const layout *l, hd_buffer *out) {
  size_t length = l->columns * l->step;
  while (length > 0 && l->line[length - 1] == ' ') {
    length--;
  }
  hd_buffer_add(out, l->line, length);
}

static void print_names(const layout *l, hd_buffer *out) {
  memset(l->line, ' ', l->columns * l->step);
  for (uint32_t p = 0; p < l->chart->name_count; p++) {
    if (l->column[p] != UINT32_MAX) {
      put_text(l->line + l->column[p] * l->step, l->chart->names[p], l->step - 1);
    }
  }
  end_line(l, out);
  hd_buffer_add_text(out, "\n");
}

static void draw_lifelines(const layout *l) {
  memset(l->line, ' ', l->columns * l->step);
  for (uint32_t c = 0; c < l->columns; c++) {
    l->line[c * l->step] = '|';
  }
}

/* The stretch between two lifelines, with its label and its arrow head. */
static void draw_arrow(const layout *l, const hd_chart_event *event) {
  size_t from = l->column[event->from] * l->step, to = l->column[event->to] * l->step;
  size_t left = from < to ? from : to, right = from < to ? to : from;
  for (size_t i = left + 1; i < right; i++) {
    l->line[i] = l->line[i] == '|' ? '+' : '-';
  }
  size_t room = right - left - 3, length = clean_length(event->label);
  length = length > room ? room : length;
  put_text(l->line + left + 2 + (room - length) / 2, event->label, length);
  char head = event->mark == HD_CHART_WRONG ? 'X' : event->mark == HD_CHART_WAITS ? 'o' : from < to ? '>' : '<';
  l->line[from < to ? right - 1 : left + 1] = head;
}

static const char *note_of(hd_chart_mark mark) {
  switch (mark) {
    case HD_CHART_ARRIVES:
      return NULL;
    case HD_CHART_WAITS:
      return "waits unread";
    case HD_CHART_READ:
      return "is read now";
    case HD_CHART_WRONG:
      return "is not allowed here";
  }
  return NULL;
}

static void print_event(const layout *l, const hd_chart_event *event, hd_buffer *out) {
  draw_lifelines(l);
  if (event->mark == HD_CHART_READ) {
    l->line[l->column[event->to] * l->step] = '*';
  } else {
    draw_arrow(l, event);
  }
  end_line(l, out);
  const char *note = note_of(event->mark);
  if (note != NULL) {
    hd_buffer_add_text(out, "   ");
    hdi_escape_text(out, event->label, true);
    hd_buffer_printf(out, " %s", note);
  }
  hd_buffer_add_text(out, "\n");
}

hd_status hd_chart_print(const hd_chart *chart, uint32_t width, hd_buffer *out) {
  layout l = {.chart = chart, .column = malloc((chart->name_count + 1) * sizeof *l.column)};
  if (l.column != NULL) {
    for (uint32_t p = 0; p < chart->name_count; p++) {
      l.column[p] = UINT32_MAX;
      for (uint32_t e = 0; e < chart->event_count && l.column[p] == UINT32_MAX; e++) {
        if (chart->events[e].from == p || chart->events[e].to == p) {
          l.column[p] = l.columns++;
        }
      }
    }
    choose_step(&l, width);
    l.line = malloc(l.columns * l.step + 1);
  }
  if (l.column == NULL || l.line == NULL) {
    out->failed = 1;
  } else {
    print_names(&l, out);
    for (uint32_t e = 0; e < chart->event_count; e++) {
      print_event(&l, &chart->events[e], out);
    }
  }
  free(l.line);
  free(l.column);
  return out->failed ? HD_E_NOMEM : HD_OK;
}
