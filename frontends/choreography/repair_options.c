/* What the options of `heddle repair` say about choreographies: --never and --costs (repair_options.h). Threads: no
 * state. Cost: linear. */
#include "frontends/choreography/repair_options.h"

#include <errno.h>
#include <stdlib.h>
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

/* "transition=2,message=1,state=3", any of them, in any order. */
hd_status hdi_repair_read_costs(const char *text, hd_diag *diag, hdi_edit_costs *costs) {
  *costs = (hdi_edit_costs){1, 1, 1};
  const struct {
    const char *name;
    uint32_t *cost;
  } known[] = {{"transition=", &costs->transition}, {"message=", &costs->message}, {"state=", &costs->state}};
  for (const char *at = text == NULL ? "" : text; *at != '\0';) {
    size_t which = 0;
    while (which < 3 && strncmp(at, known[which].name, strlen(known[which].name)) != 0) {
      which++;
    }
    const char *hint = "expected transition=N,message=N,state=N, each N from 1 to 1000000";
    if (which == 3) {
      return usage(diag, hint, "--costs", at, "not a cost");
    }
    at += strlen(known[which].name);
    char *end = NULL;
    errno = 0;
    unsigned long value = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
    if (errno != 0 || value < 1 || value > 1000000 || (*end != '\0' && *end != ',')) {
      return usage(diag, hint, "--costs", at, "not a cost");
    }
    *known[which].cost = (uint32_t)value;
    at = *end == ',' ? end + 1 : end;
  }
  return HD_OK;
}
