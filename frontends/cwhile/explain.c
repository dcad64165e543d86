/* Runs in the program's own terms.
 *
 * A model step carries the edge that moved; its tag leads to the flow's edge, hence to thread, statement and line. What
 * changed is read off the two states. Pure functions over read-only data; any thread; cost: variables times steps. */
#include "frontends/cwhile/explain.h"

#include <inttypes.h>
#include <string.h>

/* Most changed values told of one step, most values of an array, most threads and values told of one state. */
#define CHANGES_MAX 8u
#define TOLD_MAX 16u

static const char *finish(hd_buffer *words, hd_arena *arena) {
  const char *copy = words->failed            ? NULL
                     : words->size_bytes == 0 ? hd_arena_copy_text(arena, "", 0)
                                              : hd_arena_copy_text(arena, words->data, words->size_bytes);
  hd_buffer_free(words);
  return copy;
}

static const hdi_cw_edge *edge_of(const hd_cw_lowering *lowering, hd_edge edge) {
  return &lowering->flow.edges.data[hd_model_edge_tag(lowering->model, edge)];
}

static bool is_alive(const hd_cw_lowering *lowering, const uint64_t *state, uint32_t thread) {
  return !hd_model_loc_is_dead(lowering->model, hd_model_location(lowering->model, state, thread));
}

static int64_t value_of(const hd_cw_lowering *lowering, const uint64_t *state, uint32_t var, uint32_t index) {
  uint32_t thread = lowering->flow.vars.data[var].thread;
  return hd_model_value(lowering->model, state, lowering->vars[var], thread == HD_NONE ? 0 : thread, index);
}

static void add_name(const hd_cw_lowering *lowering, uint32_t var, uint32_t index, hd_buffer *out) {
  hd_buffer_add_text(out, lowering->flow.vars.data[var].name);
  if (lowering->flow.vars.data[var].length > 0) {
    hd_buffer_printf(out, "[%u]", (unsigned)index);
  }
}

static void add_value(const hd_cw_lowering *lowering, uint32_t var, int64_t value, hd_buffer *out) {
  if (lowering->flow.vars.data[var].is_bool) {
    hd_buffer_add_text(out, value == 0 ? "false" : "true");
  } else {
    hd_buffer_printf(out, "%" PRId64, value);
  }
}

/* "x: 0 -> 1, y: 2 -> 3" */
static void add_changes(const hd_cw_lowering *lowering, const uint64_t *state, const uint64_t *next, hd_buffer *out) {
  uint32_t told = 0;
  for (uint32_t v = 0; v < lowering->flow.vars.count; v++) {
    const hdi_cw_variable *var = &lowering->flow.vars.data[v];
    /* A thread that dies is reset: that is no assignment. */
    if (var->hidden || (var->thread != HD_NONE && !is_alive(lowering, next, var->thread))) {
      continue;
    }
    for (uint32_t i = 0; i < (var->length == 0 ? 1 : var->length); i++) {
      int64_t before = value_of(lowering, state, v, i), after = value_of(lowering, next, v, i);
      if (before == after) {
        continue;
      }
      if (told++ < CHANGES_MAX) {
        hd_buffer_add_text(out, out->size_bytes == 0 ? "" : ", ");
        add_name(lowering, v, i, out);
        hd_buffer_add_text(out, ": ");
        add_value(lowering, v, before, out);
        hd_buffer_add_text(out, " -> ");
        add_value(lowering, v, after, out);
      }
    }
  }
  if (told > CHANGES_MAX) {
    hd_buffer_printf(out, ", and %u more", (unsigned)(told - CHANGES_MAX));
  }
}

static void add_list(const hd_cw_stmt *first, hd_buffer *out) {
  for (const hd_cw_stmt *stmt = first; stmt != NULL; stmt = stmt->next) {
    if (stmt->kind == HD_CW_BLOCK || stmt->kind == HD_CW_NOREORDER || stmt->kind == HD_CW_ATOMIC) {
      add_list(stmt->body, out);
    } else {
      hd_cw_print_head(stmt, out);
      hd_buffer_add_text(out, "; ");
    }
  }
}

/* "atomic { await(l == 0); l = 1; }": what the block did, step by step. */
static void add_block(const hd_cw_lowering *lowering, const hd_step *step, const hd_inner *inner, size_t inner_count,
                      hd_buffer *out) {
  hd_buffer_add_text(out, "atomic { ");
  if (!step->compound) {
    add_list(edge_of(lowering, step->edge)->stmt->body, out);
  }
  for (size_t i = 0; step->compound && i < inner_count; i++) {
    const hdi_cw_edge *edge = edge_of(lowering, inner[i].edge);
    hd_cw_print_head(edge->stmt, out);
    hd_buffer_add_text(out, edge->branch == 1 ? " holds; " : edge->branch == -1 ? " does not hold; " : "; ");
  }
  hd_buffer_add_text(out, "}");
}

static const char *fault_words(hd_fault fault) {
  switch (fault) {
    case HD_FAULT_RANGE:
      return "a value leaves the domain of its variable";
    case HD_FAULT_DIVISION:
      return "division by zero";
    case HD_FAULT_INDEX:
      return "the index is outside the array";
    case HD_FAULT_ENDLESS:
      return "the atomic block can run for ever";
    case HD_FAULT_POOL:
      return "the thread is started anew while it runs: a bound of the model";
    case HD_FAULT_BLOCK_LIMIT:
      return "the atomic block takes too many inner steps: a bound of the model";
    case HD_FAULT_NONE:
    case HD_FAULT_MONITOR:
    case HD_FAULT_COUNT:
      break;
  }
  return "";
}

static const char *note_of(const hd_cw_lowering *lowering, const hd_step *step, const uint64_t *state,
                           const uint64_t *next, hd_arena *arena) {
  const hdi_cw_edge *edge = edge_of(lowering, step->edge);
  hd_buffer words = {0};
  if (edge->branch != 0) {
    hd_buffer_add_text(&words, edge->branch == 1 ? "holds" : "does not hold");
  }
  if (next != NULL) {
    add_changes(lowering, state, next, &words);
  }
  if (step->checks_failed != 0) {
    hd_buffer_add_text(&words, words.size_bytes == 0 ? "" : ", ");
    hd_buffer_add_text(&words, "the assertion fails");
  }
  if (step->fault != HD_FAULT_NONE) {
    hd_buffer_add_text(&words, words.size_bytes == 0 ? "" : ", ");
    hd_buffer_add_text(&words, fault_words(step->fault));
  }
  bool any = words.size_bytes > 0 || words.failed;
  return any ? finish(&words, arena) : NULL;
}

bool hdi_cw_explain_step(const hd_cw_lowering *lowering, const hd_step *step, const hd_inner *inner, size_t inner_count,
                         const uint64_t *state, const uint64_t *next, hd_arena *arena, hd_trace_line *line) {
  const hdi_cw_edge *edge = edge_of(lowering, step->edge);
  const char *name = lowering->flow.threads.data[edge->thread].name;
  hd_buffer label = {0};
  if (edge->stmt->kind == HD_CW_ATOMIC) {
    add_block(lowering, step, inner, inner_count, &label);
  } else {
    hd_cw_print_head(edge->stmt, &label);
  }
  line->actor = hd_arena_copy_text(arena, name, strlen(name));
  line->action = hd_cw_stmt_word(edge->stmt->kind);
  line->label = finish(&label, arena);
  line->note = note_of(lowering, step, state, next, arena);
  line->position = hd_text_position(lowering->program->text, edge->stmt->span.begin);
  line->visible = true;
  bool noteless = edge->branch == 0 && step->checks_failed == 0 && step->fault == HD_FAULT_NONE;
  return line->actor != NULL && line->label != NULL && (line->note != NULL || noteless);
}

static const hd_inner *inner_of(const hd_trace *trace, size_t step, size_t *count) {
  size_t begin = step == 0 ? 0 : trace->inner_end[step - 1];
  *count = trace->inner_end[step] - begin;
  return *count == 0 ? NULL : trace->inner + begin;
}

hd_status hdi_cw_explain_trace(const hd_cw_lowering *lowering, const hd_trace *trace, hd_result *result,
                               hd_finding *finding) {
  finding->trace = hd_arena_alloc_array(result->arena, trace->length == 0 ? 1 : trace->length, sizeof *finding->trace);
  if (finding->trace == NULL) {
    return HD_E_NOMEM;
  }
  finding->trace_lines = finding->length = trace->length;
  for (size_t i = 0; i < trace->length; i++) {
    size_t inner_count = 0;
    const hd_inner *inner = inner_of(trace, i, &inner_count);
    const uint64_t *state = trace->states + i * trace->words;
    const uint64_t *next = trace->steps[i].fault != HD_FAULT_NONE ? NULL : state + trace->words;
    if (!hdi_cw_explain_step(lowering, &trace->steps[i], inner, inner_count, state, next, result->arena,
                             &finding->trace[i])) {
      return HD_E_NOMEM;
    }
  }
  return HD_OK;
}

uint64_t hdi_cw_switches(const hd_trace *trace) {
  uint64_t switches = 0;
  for (size_t i = 1; i < trace->length; i++) {
    switches += trace->steps[i].instance != trace->steps[i - 1].instance;
  }
  return switches;
}

/* "t1 waits in line 4: await(x == 1)" */
static const char *thread_words(const hd_cw_lowering *lowering, const uint64_t *state, uint32_t thread,
                                hd_arena *arena) {
  hd_loc at = hd_model_location(lowering->model, state, thread);
  const hdi_cw_loc *loc = &lowering->flow.locs.data[hd_model_loc_tag(lowering->model, at)];
  hd_buffer words = {0};
  hd_position position = hd_text_position(lowering->program->text, loc->stmt->span.begin);
  hd_buffer_printf(&words, "%s%s is in line %u, before ", lowering->flow.threads.data[thread].name,
                   lowering->flow.threads.data[thread].daemon ? " (a daemon)" : "", (unsigned)position.line);
  hd_cw_print_head(loc->stmt, &words);
  return finish(&words, arena);
}

static const char *values_words(const hd_cw_lowering *lowering, const uint64_t *state, hd_arena *arena) {
  hd_buffer words = {0};
  uint32_t told = 0;
  for (uint32_t v = 0; v < lowering->flow.vars.count; v++) {
    const hdi_cw_variable *var = &lowering->flow.vars.data[v];
    for (uint32_t i = 0; var->thread == HD_NONE && !var->hidden && i < (var->length == 0 ? 1 : var->length); i++) {
      if (told++ < TOLD_MAX) {
        hd_buffer_add_text(&words, told == 1 ? "shared variables: " : ", ");
        add_name(lowering, v, i, &words);
        hd_buffer_add_text(&words, " = ");
        add_value(lowering, v, value_of(lowering, state, v, i), &words);
      }
    }
  }
  hd_buffer_add_text(&words, told > TOLD_MAX ? ", ..." : told == 0 ? "there are no shared variables" : "");
  return finish(&words, arena);
}

const char *const *hdi_cw_explain_state(const hd_cw_lowering *lowering, const uint64_t *state, hd_arena *arena,
                                        size_t *count) {
  const char **sentences = hd_arena_alloc_array(arena, TOLD_MAX + 2, sizeof *sentences);
  if (sentences == NULL) {
    return NULL;
  }
  *count = 0;
  uint32_t left_out = 0;
  for (uint32_t t = 0; t < lowering->flow.threads.count; t++) {
    hd_loc at = hd_model_location(lowering->model, state, t);
    if (!is_alive(lowering, state, t) || (hd_model_loc_flags(lowering->model, at) & HD_LOC_END) != 0) {
      continue;
    }
    if (*count == TOLD_MAX) {
      left_out++;
      continue;
    }
    sentences[*count] = thread_words(lowering, state, t, arena);
    if (sentences[(*count)++] == NULL) {
      return NULL;
    }
  }
  if (left_out > 0) {
    sentences[*count] = hd_arena_printf(arena, "and %u more threads have not ended", (unsigned)left_out);
    if (sentences[(*count)++] == NULL) {
      return NULL;
    }
  }
  sentences[*count] = values_words(lowering, state, arena);
  return sentences[(*count)++] == NULL ? NULL : sentences;
}
