/* Algorithm 1 of the paper: differences, the loop, and the reasons to stop (paper.h).
 *
 *   draft --hdi_draft_file--> C --project, Det--> per-peer check at k = 1 --> shortest witnesses --> differences
 *     ^                                                                                                  |
 *     +------------------------------ relax or restrict, as chosen <-------------------------------------+
 *
 * From a witness of peer P (realizability.h) the paper's names follow so. The word m_1 .. m_(i-1) is what was sent; P
 * lags behind it by what it has not read, which is the queue Q_i. t_i is a state of C after the word: Det(C) may have
 * several there, the one of the least number is taken, as an arc from any of them allows the new word. The twin word is
 * how P explains to itself what it saw; C allows m_i after it, and the first arc that does so, from the least state
 * there, is c_i -m_i-> c_(i+1). So t_i, c_i and c_(i+1) are single states of C, as in the paper.
 *
 * A run that would go on for ever is cut by its step limit; when its last steps went round in circles (the same cases
 * for the same peers and messages three times over, on words that do not get shorter) the reason says so. It stays an
 * observation: nothing is proved about further steps.
 * Threads: a run on one thread. Cost per step: a projection and a product for each peer, and the rule's walks. */
#include "frontends/choreography/paper.h"

#include <string.h>

enum { ROUNDS = 3 }; /* repetitions that make a circle */

const char *hdi_paper_end_name(hdi_paper_end end) {
  static const char *const names[HDI_PAPER_END_COUNT] = {
#define HDI_PAPER_END_NAME(identifier, name) [HDI_PAPER_END_##identifier] = (name),
      HD_PAPER_END_TABLE(HDI_PAPER_END_NAME)
#undef HDI_PAPER_END_NAME
  };
  return names[end];
}

/* One decision about a draft. */
typedef struct decision {
  hd_arena *arena; /* scratch */
  hd_chor_file *file;
  hd_system *system;
  hd_dfa dfa;
  hdi_draft_view view;
  hd_realizability answer; /* in the caller's arena */
} decision;

static hd_status decide(const hdi_draft *draft, const hdi_paper_limits *limits, hd_arena *arena, decision *d) {
  hd_subset_limits subsets = {
      .states_max = limits->states_max, .deadline_seconds = limits->deadline_seconds, .cancel = limits->cancel};
  d->arena = hd_arena_new();
  hd_status status = d->arena == NULL ? HD_E_NOMEM : hdi_draft_look(draft, d->arena, &d->view);
  if (status == HD_OK) {
    status = hdi_draft_file(draft, true, &d->file);
  }
  if (status == HD_OK) {
    status = hd_project(d->file, &subsets, &d->system);
  }
  if (status == HD_OK) {
    status = hd_chor_determinise(&d->file->blocks[0], d->arena, &subsets, &d->dfa);
  }
  if (status == HD_OK) {
    hd_realizability_query query = {.file = d->file,
                                    .system = d->system,
                                    .dfas = &d->dfa,
                                    .bound = limits->bound == 0 ? 1 : limits->bound,
                                    .semantics = limits->semantics,
                                    .threads = 1,
                                    .memory_max_bytes = limits->memory_max_bytes,
                                    .deadline_seconds = limits->deadline_seconds,
                                    .cancel = limits->cancel};
    status = hd_realizability_decide(&query, arena, &d->answer);
  }
  return status == HD_OK && !d->answer.complete ? d->answer.end_status : status;
}

static void clear_decision(decision *d) {
  hd_system_free(d->system);
  hd_chor_file_free(d->file);
  hd_arena_free(d->arena);
}

/* The words of a difference, "ms mf mc". */
static const char *name_word(const hdi_draft *draft, const hdi_paper_difference *difference, hd_arena *arena) {
  hd_buffer text = {0};
  for (uint32_t i = 0; i < difference->word_length; i++) {
    hd_buffer_printf(&text, "%s ", draft->alphabet.messages[difference->word[i].v].name);
  }
  hd_buffer_add_text(&text, draft->alphabet.messages[difference->extra.v].name);
  const char *words = text.failed ? NULL : hd_arena_copy_text(arena, text.data, text.size_bytes);
  hd_buffer_free(&text);
  return words;
}

/* What was sent, and what of it waits for the peer, from the moves of the witness. */
static hd_status replay(const hd_witness *witness, hd_arena *arena, hdi_paper_difference *out) {
  hd_message *word = hd_arena_alloc_array(arena, witness->move_count, sizeof word[0]);
  hd_message *pending = hd_arena_alloc_array(arena, witness->move_count, sizeof pending[0]);
  if (word == NULL || pending == NULL) {
    return HD_E_NOMEM;
  }
  for (size_t i = 0; i + 1 < witness->move_count; i++) {
    hd_message message = witness->moves[i].message;
    if (witness->moves[i].kind != HD_MOVE_READ) {
      word[out->word_length++] = message;
    }
    if (witness->moves[i].kind == HD_MOVE_SEND) {
      pending[out->pending_count++] = message;
    } else if (witness->moves[i].kind == HD_MOVE_READ) {
      uint32_t at = 0;
      while (pending[at].v != message.v) {
        at++;
      }
      out->pending_count--;
      memmove(&pending[at], &pending[at + 1], (out->pending_count - at) * sizeof pending[0]);
    }
  }
  out->word = word;
  out->pending = pending;
  return HD_OK;
}

/* The state of Det(C) after the word. */
static uint32_t run_word(const hd_dfa *dfa, const hd_message *word, size_t length) {
  uint32_t state = 0;
  for (size_t i = 0; i < length; i++) {
    state = hd_dfa_next(dfa, state, word[i]);
    HD_ASSERT(state != HD_NONE);
  }
  return state;
}

/* The draft's number of the first arc of `message` from the states of a set of Det(C). */
static uint32_t first_arc_of(const decision *d, uint32_t set, hd_message message) {
  const hd_chor *chor = &d->file->blocks[0];
  for (uint32_t i = d->dfa.set_start[set]; i < d->dfa.set_start[set + 1]; i++) {
    uint32_t state = d->dfa.members[i];
    for (uint32_t a = chor->first_arc[state]; a < chor->first_arc[state + 1]; a++) {
      if (chor->arcs[a].message.v == message.v) {
        return d->view.arcs[a];
      }
    }
  }
  return HD_NONE;
}

static hd_status describe(const hdi_draft *draft, const decision *d, const hd_witness *witness, hd_arena *arena,
                          hdi_paper_difference *out) {
  *out = (hdi_paper_difference){
      .peer = witness->peer, .extra = witness->moves[witness->move_count - 1].message, .witness = witness};
  hd_status status = replay(witness, arena, out);
  if (status != HD_OK) {
    return status;
  }
  uint32_t after = run_word(&d->dfa, out->word, out->word_length);
  out->state = d->view.state_of[d->dfa.members[d->dfa.set_start[after]]];
  out->arc = first_arc_of(d, run_word(&d->dfa, witness->twin, witness->twin_length), out->extra);
  out->words = name_word(draft, out, arena);
  if (out->arc == HD_NONE) {
    return HD_E_INTERNAL; /* the twin word allows m_i */
  }
  return out->words == NULL ? HD_E_NOMEM : HD_OK;
}

hd_status hdi_paper_find(const hdi_draft *draft, const hdi_paper_limits *limits, hd_arena *arena,
                         hdi_paper_difference **out, uint32_t *count) {
  decision d = {0};
  *out = NULL;
  *count = 0;
  hd_status status = decide(draft, limits, arena, &d);
  if (status == HD_OK && !d.answer.realizable) {
    *out = hd_arena_alloc_array(arena, d.answer.witness_count, sizeof **out);
    status = *out == NULL ? HD_E_NOMEM : HD_OK;
    for (; status == HD_OK && *count < d.answer.witness_count; (*count)++) {
      status = describe(draft, &d, &d.answer.witnesses[*count], arena, &(*out)[*count]);
    }
  }
  clear_decision(&d);
  return status;
}

static hd_status end_run(hdi_paper_run *run, hdi_paper_end end, const char *reason) {
  run->end = end;
  run->reason = reason;
  return reason == NULL ? HD_E_NOMEM : HD_OK;
}

/* Did these two steps do the same to what may be different messages of ours? */
static bool alike(const hdi_paper_run *run, const hdi_paper_step *a, const hdi_paper_step *b) {
  uint32_t known = run->draft->file->alphabet.message_count;
  uint32_t x = a->difference.extra.v, y = b->difference.extra.v;
  return run->draft->edits[a->edit].paper_case == run->draft->edits[b->edit].paper_case &&
         a->difference.peer.v == b->difference.peer.v && (x == y || (x >= known && y >= known));
}

/* The number of steps after which the last steps repeat, 0 when they do not. */
static uint32_t find_circle(const hdi_paper_run *run) {
  for (uint32_t period = 1; period <= run->step_count / ROUNDS; period++) {
    bool repeats = true;
    for (uint32_t i = run->step_count - (ROUNDS - 1) * period; repeats && i < run->step_count; i++) {
      const hdi_paper_step *step = &run->steps[i], *before = &run->steps[i - period];
      repeats = alike(run, step, before) && step->difference.word_length >= before->difference.word_length;
    }
    if (repeats) {
      return period;
    }
  }
  return 0;
}

/* At the step limit, with a difference left. */
static hd_status end_at_limit(hdi_paper_run *run, uint32_t steps_max, const hdi_paper_difference *left) {
  uint32_t sends = left->word_length + 1;
  uint32_t at_first = run->step_count > 0 ? run->steps[0].difference.word_length + 1 : sends;
  uint32_t period = find_circle(run);
  if (period == 0) {
    return end_run(
        run, HDI_PAPER_END_STEP_LIMIT,
        hd_arena_printf(run->arena,
                        "not done after %u steps: the shortest difference left has %u sends, the first had %u",
                        steps_max, sends, at_first));
  }
  hd_buffer cases = {0};
  for (uint32_t i = run->step_count - period; i < run->step_count; i++) {
    const hdi_edit *edit = &run->draft->edits[run->steps[i].edit];
    hd_buffer_printf(&cases, "%s%s", i == run->step_count - period ? "" : ", ", hdi_chor_case_name(edit->paper_case));
  }
  const char *reason =
      cases.failed ? NULL
                   : hd_arena_printf(run->arena,
                                     "the literal rules go round in circles: after %u steps the last ones repeat %s, "
                                     "and the shortest difference has %u sends where the first had %u",
                                     steps_max, cases.data, sends, at_first);
  hd_buffer_free(&cases);
  return end_run(run, HDI_PAPER_END_REPEATS, reason);
}

static hd_status end_unfit(hdi_paper_run *run, const hdi_paper_difference *difference) {
  const hd_alphabet *alphabet = &run->draft->alphabet;
  return end_run(
      run, HDI_PAPER_END_SELF_SEND,
      hd_arena_printf(run->arena,
                      "restriction 2 makes %s wait for a message from itself: of \"%s\" it sends both %s and "
                      "the message before it",
                      alphabet->peers[difference->peer.v], difference->words,
                      alphabet->messages[difference->extra.v].name));
}

static hd_status end_cut(hdi_paper_run *run, hd_status status) {
  if (status == HD_E_CANCELLED) {
    return end_run(run, HDI_PAPER_END_CANCELLED,
                   hd_arena_printf(run->arena, "cancelled after %u steps", run->step_count));
  }
  if (status == HD_E_LIMIT) {
    return end_run(
        run, HDI_PAPER_END_LIMIT,
        hd_arena_printf(run->arena, "cut short after %u steps by a limit of time, memory or states", run->step_count));
  }
  return status;
}

static hdi_paper_choice choose(const hdi_paper_query *query, const hdi_paper_run *run,
                               const hdi_paper_difference *differences, uint32_t count) {
  hdi_paper_choice choice = {query->prefer, HD_NONE};
  if (query->choose != NULL) {
    choice = query->choose(query->payload, run->draft, differences, count);
  }
  if (choice.difference == HD_NONE) {
    choice.difference = choice.mechanism == HDI_PAPER_RESTRICT ? count - 1 : 0;
  }
  HD_REQUIRE(choice.difference < count);
  return choice;
}

/* One step. *ended: the run has its reason. */
static hd_status take_step(const hdi_paper_query *query, hdi_paper_run *run, bool *ended) {
  hdi_paper_difference *differences;
  uint32_t count;
  *ended = true;
  hd_status status = hdi_paper_find(run->draft, &query->limits, run->arena, &differences, &count);
  if (status != HD_OK) {
    return end_cut(run, status);
  }
  if (count == 0) {
    return end_run(run, HDI_PAPER_END_REALIZABLE, "no difference is left");
  }
  if (run->step_count == query->steps_max) {
    return end_at_limit(run, query->steps_max, &differences[0]);
  }
  hdi_paper_choice choice = choose(query, run, differences, count);
  const hdi_paper_difference *difference = &differences[choice.difference];
  bool applied = true;
  switch (choice.mechanism) {
    case HDI_PAPER_STOP:
      return end_run(run, HDI_PAPER_END_STOPPED,
                     hd_arena_printf(run->arena, "stopped by choice after %u steps", run->step_count));
    case HDI_PAPER_RELAX:
      status = hdi_paper_relax(run->draft, difference, query->limits.states_max);
      break;
    case HDI_PAPER_RESTRICT:
      status = hdi_paper_restrict(run->draft, difference, &applied);
      break;
  }
  if (status != HD_OK) {
    return end_cut(run, status);
  }
  if (!applied) {
    return end_unfit(run, difference);
  }
  run->steps[run->step_count++] =
      (hdi_paper_step){.difference = *difference, .mechanism = choice.mechanism, .edit = run->draft->edit_count - 1};
  *ended = false;
  return HD_OK;
}

hd_status hdi_paper_repair(const hdi_paper_query *query, hdi_paper_run *out) {
  *out = (hdi_paper_run){.arena = hd_arena_new()};
  hd_status status = out->arena == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK) {
    status = hdi_draft_open(query->file, query->block, query->costs, &out->draft);
  }
  if (status == HD_OK) {
    out->steps = hd_arena_alloc_array(out->arena, query->steps_max, sizeof out->steps[0]);
    status = out->steps == NULL ? HD_E_NOMEM : HD_OK;
  }
  for (bool ended = false; status == HD_OK && !ended;) {
    status = take_step(query, out, &ended);
  }
  if (status != HD_OK) {
    hdi_paper_run_clear(out);
  }
  return status;
}

void hdi_paper_run_clear(hdi_paper_run *run) {
  hdi_draft_free(run->draft);
  hd_arena_free(run->arena);
  *run = (hdi_paper_run){0};
}
