/* What the options of `heddle repair` say about choreographies: --never and --costs (repair_options.h). Threads: no
 * state. Cost: linear. */
#include "frontends/choreography/repair_options.h"

#include "core/repair/costs.h"

#include <string.h>

static bool is_message_name(const hd_chor_file *file, const char *name) {
  for (uint32_t m = 0; m < file->alphabet.message_count; m++) {
    if (strcmp(file->alphabet.messages[m].name, name) == 0) {
      return true;
    }
  }
  return false;
}

static hd_status usage(hd_diag *diag, const char *hint, const char *option, const char *value, const char *what) {
  hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, hint, "%s '%s': %s", option, value, what);
  return HD_E_USAGE;
}

static const char *copy_trimmed(hd_arena *arena, const char *start, size_t length) {
  while (length != 0 && (*start == ' ' || *start == '\t')) {
    start++;
    length--;
  }
  while (length != 0 && (start[length - 1] == ' ' || start[length - 1] == '\t')) {
    length--;
  }
  return hd_arena_copy_text(arena, start, length);
}

/* "a, b" or "a .. b", as in the file. */
static hd_status read_rule(const hd_chor_file *file, const char *text, hd_diag *diag, hd_arena *arena,
                           hd_chor_rule *rule) {
  const char *hint = "expected 'FIRST, SECOND' (directly after) or 'FIRST .. SECOND' (anywhere after)";
  const char *dots = strstr(text, " .. "), *comma = strchr(text, ',');
  const char *mark = dots != NULL ? dots : comma;
  if (mark == NULL) {
    return usage(diag, hint, "--never", text, "two messages are needed");
  }
  *rule = (hd_chor_rule){.anywhere = dots != NULL};
  rule->first = copy_trimmed(arena, text, (size_t)(mark - text));
  const char *rest = mark + (dots != NULL ? 4 : 1);
  rule->second = copy_trimmed(arena, rest, strlen(rest));
  if (rule->first == NULL || rule->second == NULL) {
    return HD_E_NOMEM;
  }
  const char *unknown = !is_message_name(file, rule->first)    ? rule->first
                        : !is_message_name(file, rule->second) ? rule->second
                                                               : NULL;
  return unknown == NULL ? HD_OK
                         : usage(diag, hint, "--never", unknown, "the choreography has no message of this name");
}

hd_status hdi_repair_read_rules(const hd_chor_file *file, const hd_text_list *never, hd_diag *diag, hd_arena *arena,
                                hd_chor_rule **rules, uint32_t *count) {
  *rules = hd_arena_alloc_array(arena, never->count, sizeof **rules);
  hd_status status = *rules == NULL ? HD_E_NOMEM : HD_OK;
  for (size_t i = 0; i < never->count && status == HD_OK; i++) {
    status = read_rule(file, never->items[i], diag, arena, &(*rules)[i]);
  }
  *count = (uint32_t)never->count;
  return status;
}

hd_status hdi_repair_read_costs(const char *text, hd_diag *diag, hdi_edit_costs *costs) {
  *costs = (hdi_edit_costs){1, 1, 1};
  const hd_cost known[] = {{"transition", &costs->transition}, {"message", &costs->message}, {"state", &costs->state}};
  return hd_costs_read(text, known, sizeof known / sizeof known[0], diag);
}
