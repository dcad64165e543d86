/* Building a result, and what its exit code is.
 *
 * Everything a result points to lives in its one arena, so that a frontend fills it without freeing anything and the
 * caller frees it with one call. Growing tables copy themselves inside the arena: the blocks left behind are as large
 * together as the table itself, and a result has a handful of findings.
 *
 * Memory. The add functions have no status of their own: running out of memory is remembered in result->status, which
 * no later success overwrites, and the caller asks once at the end.
 *
 * Invariants: count <= capacity for both tables; a zeroed finding is valid to print (kind and message NULL print as
 * empty text). Threads: a result belongs to one thread at a time. Cost: amortised O(1) per call, copies excepted. */
#include "core/report/result.h"

#include "core/base/check.h"
#include "core/model/model.h"

#include <stdio.h>
#include <string.h>

hd_result *hd_result_new(hd_command command, const char *file) {
  HD_REQUIRE(file != NULL);
  hd_arena *arena = hd_arena_new();
  if (arena == NULL) {
    return NULL;
  }
  hd_result *result = hd_arena_alloc(arena, sizeof *result);
  char *name = hd_arena_copy_text(arena, file, strlen(file));
  if (result == NULL || name == NULL) {
    hd_arena_free(arena);
    return NULL;
  }
  result->arena = arena;
  result->command = command;
  result->file = name;
  result->status = HD_OK;
  return result;
}

void hd_result_free(hd_result *result) {
  if (result != NULL) {
    hd_arena_free(result->arena); /* the result itself lives in it */
  }
}

static void out_of_memory(hd_result *result) {
  if (result->status == HD_OK) {
    result->status = HD_E_NOMEM;
  }
}

/* Makes room for one more element of `size_bytes` and zeroes it; returns its index's address, or NULL. */
static void *grow(hd_result *result, void **table, size_t *count, size_t *capacity, size_t size_bytes) {
  if (*count == *capacity) {
    size_t larger = *capacity == 0 ? 4 : *capacity * 2;
    void *moved = hd_arena_alloc_array(result->arena, larger, size_bytes);
    if (moved == NULL) {
      out_of_memory(result);
      return NULL;
    }
    if (*count != 0) {
      memcpy(moved, *table, *count * size_bytes);
    }
    *table = moved;
    *capacity = larger;
  }
  void *slot = (char *)*table + *count * size_bytes;
  *count += 1;
  return memset(slot, 0, size_bytes);
}

hd_finding *hd_result_add_finding(hd_result *result) {
  void *table = result->findings;
  hd_finding *finding = grow(result, &table, &result->finding_count, &result->finding_capacity, sizeof(hd_finding));
  result->findings = table;
  return finding;
}

hd_repair *hd_result_add_repair(hd_result *result) {
  void *table = result->repairs;
  hd_repair *repair = grow(result, &table, &result->repair_count, &result->repair_capacity, sizeof(hd_repair));
  result->repairs = table;
  return repair;
}

void hd_repair_add_number(hd_result *result, hd_repair *repair, const char *name, uint64_t number) {
  void *table = repair->evidence;
  hd_fact *fact = grow(result, &table, &repair->evidence_count, &repair->evidence_capacity, sizeof(hd_fact));
  repair->evidence = table;
  if (fact != NULL) {
    *fact = (hd_fact){.name = name, .kind = HD_FACT_NUMBER, .number = number};
  }
}

/* A zeroed fact with a copy of `name`; NULL when memory is out. */
static hd_fact *add_fact(hd_result *result, const char *name) {
  char *copy = hd_arena_copy_text(result->arena, name, strlen(name));
  if (copy == NULL) {
    out_of_memory(result);
    return NULL;
  }
  void *table = result->facts;
  hd_fact *fact = grow(result, &table, &result->fact_count, &result->fact_capacity, sizeof(hd_fact));
  result->facts = table;
  if (fact != NULL) {
    fact->name = copy;
  }
  return fact;
}

void hd_result_add_text(hd_result *result, const char *name, const char *text) {
  HD_REQUIRE(name != NULL && text != NULL);
  char *copy = hd_arena_copy_text(result->arena, text, strlen(text));
  if (copy == NULL) {
    out_of_memory(result);
    return;
  }
  hd_fact *fact = add_fact(result, name);
  if (fact != NULL) {
    fact->kind = HD_FACT_TEXT;
    fact->text = copy;
  }
}

void hd_result_add_number(hd_result *result, const char *name, uint64_t number) {
  HD_REQUIRE(name != NULL);
  hd_fact *fact = add_fact(result, name);
  if (fact != NULL) {
    fact->kind = HD_FACT_NUMBER;
    fact->number = number;
  }
}

void hd_result_add_bool(hd_result *result, const char *name, bool value) {
  HD_REQUIRE(name != NULL);
  hd_fact *fact = add_fact(result, name);
  if (fact != NULL) {
    fact->kind = HD_FACT_BOOL;
    fact->number = value;
  }
}

/* True when the search ended although there was more to see and nobody had asked for that as an answer. */
static bool was_cut_short(hd_end end) {
  switch (end) {
    case HD_END_COMPLETE:
    case HD_END_FOUND:
      return false;
    case HD_END_BUDGET:
    case HD_END_TIMEOUT:
    case HD_END_MEMORY:
    case HD_END_DEPTH:
    case HD_END_SIGNAL:
    case HD_END_LOSSY:
    case HD_END_COUNT:
      return true;
  }
  return true;
}

void hd_result_take_native(hd_result *result, const hd_outcome *outcome) {
  result->native = outcome->native == HD_NATIVE_NOT_ASKED ? NULL : hd_native_use_words(outcome->native);
  result->native_used = outcome->native == HD_NATIVE_USED;
}

void hd_result_take_outcome(hd_result *result, const hd_outcome *outcome, uint64_t deadlocks) {
  result->has_statistics = true;
  result->states = outcome->states;
  result->transitions = outcome->transitions;
  bool any_order = outcome->levels == 0 && outcome->states > 0;
  result->levels = any_order ? HD_LEVEL_UNKNOWN : outcome->levels;
  result->deadlocks = deadlocks;
  result->expanded = outcome->expanded;
  result->complete = outcome->end == HD_END_COMPLETE;
  result->threads = outcome->threads;
  result->seconds = outcome->seconds;
  result->visited_bytes = outcome->visited_bytes;
  result->memory_bytes = outcome->memory_bytes;
  hd_result_take_native(result, outcome);
  if (outcome->store != NULL) {
    result->store = hd_arena_copy_text(result->arena, outcome->store, strlen(outcome->store));
    if (result->store == NULL) {
      out_of_memory(result);
    }
  }
  if (outcome->lossy) {
    char text[96];
    (void)snprintf(text, sizeof text,
                   "%.2f %% of the bits are set; the next new state is left out with probability %.2g",
                   outcome->loss.fill * 100, outcome->loss.omission);
    hd_result_add_text(result, "bitstate", text);
  }
  if (was_cut_short(outcome->end) && result->not_covered == NULL) {
    uint64_t open = outcome->states - outcome->expanded;
    result->not_covered =
        hd_arena_printf(result->arena, "%s: %llu of the %llu states found were not expanded, nor what lies behind them",
                        hd_end_words(outcome->end), (unsigned long long)open, (unsigned long long)outcome->states);
    if (result->not_covered == NULL) {
      out_of_memory(result);
    }
  }
}

const char *hd_verdict_name(hd_verdict verdict) {
  switch (verdict) {
    case HD_VERDICT_NONE:
      return NULL;
    case HD_VERDICT_HOLDS:
      return "holds";
    case HD_VERDICT_VIOLATED:
      return "violated";
    case HD_VERDICT_INCONCLUSIVE:
      return "inconclusive";
  }
  return NULL;
}

int hd_status_exit_code(hd_status status) {
  switch (status) {
    case HD_OK:
      return 0;
    case HD_E_USAGE:
      return 2;
    case HD_E_INPUT:
    case HD_E_IO:
      return 3;
    case HD_E_NOMEM:
    case HD_E_LIMIT:
    case HD_E_CANCELLED:
      return 4;
    case HD_E_INTERNAL:
      return 5;
  }
  return 5;
}

int hd_result_exit_code(const hd_result *result) {
  if (result->status != HD_OK) {
    return hd_status_exit_code(result->status);
  }
  if (result->repair_count != 0) {
    return 0; /* the verdict is the input's: a repair was found for it */
  }
  switch (result->verdict) {
    case HD_VERDICT_HOLDS:
      return 0;
    case HD_VERDICT_VIOLATED:
      return 1;
    case HD_VERDICT_INCONCLUSIVE:
      return 4;
    case HD_VERDICT_NONE:
      return result->not_covered != NULL ? 4 : 0;
  }
  return 5;
}

int hd_exit_code_join(int a, int b) {
  static const int order[] = {5, 3, 2, 1, 4, 0}; /* most important first */
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    if (a == order[i] || b == order[i]) {
      return order[i];
    }
  }
  return 5;
}
