/* `--costs` (costs.h): one pass over the text, no state. */
#include "core/repair/costs.h"

#include "core/base/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static hd_status refuse(const char *at, const hd_cost *costs, size_t count, hd_diag *diag) {
  hd_buffer hint = {0};
  hd_buffer_add_text(&hint, "expected ");
  for (size_t i = 0; i < count; i++) {
    hd_buffer_printf(&hint, "%s%s=N", i == 0 ? "" : ",", costs[i].name);
  }
  hd_buffer_printf(&hint, ", each N from 1 to %u", HD_COST_MAX);
  hd_status status = hint.failed ? HD_E_NOMEM : HD_E_USAGE;
  if (!hint.failed) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, hint.data, "--costs '%s': not a cost", at);
  }
  hd_buffer_free(&hint);
  return status;
}

hd_status hd_costs_read(const char *text, const hd_cost *costs, size_t count, hd_diag *diag) {
  for (const char *at = text == NULL ? "" : text; *at != '\0';) {
    size_t which = 0, length = strcspn(at, "=");
    while (which < count && (strlen(costs[which].name) != length || strncmp(at, costs[which].name, length) != 0)) {
      which++;
    }
    if (which == count || at[length] != '=') {
      return refuse(at, costs, count, diag);
    }
    const char *number = at + length + 1;
    char *end = NULL;
    errno = 0;
    unsigned long value = *number >= '0' && *number <= '9' ? strtoul(number, &end, 10) : 0;
    if (errno != 0 || value < 1 || value > HD_COST_MAX || (*end != '\0' && *end != ',')) {
      return refuse(number, costs, count, diag);
    }
    *costs[which].value = (uint32_t)value;
    at = *end == ',' ? end + 1 : end;
  }
  return HD_OK;
}
