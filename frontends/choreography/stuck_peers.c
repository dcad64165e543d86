/* Stuck peers: a peer that may not stop where it is and has something to do there never moves again, while others go on
 * for ever. A search for configurations without moves does not see it.
 *
 * I_k is searched without any reduction (core/explore/bottom.h); configurations from which nobody moves any more can be
 * reached are left to the search for stuck configurations. A finding shows the run to where the first peer is left
 * behind, a way on into a part of the system that is never left again, and once round it. The verdict becomes
 * "violated" with a finding, and "inconclusive" instead of "holds" when the search was cut short; "holds" is then for
 * this length of the queues only, for no theorem here excludes stuck peers. One thread, and teams of the search. */
#include "core/base/machine.h"
#include "core/explore/bottom.h"
#include "frontends/choreography/explain.h"
#include "frontends/choreography/frontend.h"

#include <string.h>

typedef bool (*takes_peer)(const void *set, uint32_t peer);

static bool in_bits(const void *set, uint32_t peer) {
  const uint64_t *bits = set;
  return ((bits[peer / 64] >> (peer % 64)) & 1) != 0;
}

static bool is_found(const void *set, uint32_t peer) {
  const hd_bottom_instance *instances = set;
  return instances[peer].count != 0;
}

/* "A", "A and B", "A, B and C"; *count of them. NULL when memory is out. */
static const char *names_of(const hd_lowering *lowering, takes_peer takes, const void *set, hd_arena *arena,
                            uint32_t *count) {
  const hd_system *system = lowering->system;
  uint32_t left = 0;
  for (uint32_t i = 0; i < system->machine_count; i++) {
    left += takes(set, i) ? 1u : 0u;
  }
  *count = left;
  hd_buffer words = {0};
  hd_buffer_add_text(&words, "");
  for (uint32_t i = 0, before = 0; i < system->machine_count; i++) {
    if (takes(set, i)) {
      left--;
      hd_buffer_add_text(&words, before++ == 0 ? "" : left == 0 ? " and " : ", ");
      hd_buffer_add_text(&words, system->alphabet.peers[system->machines[i].peer.v]);
    }
  }
  const char *copy =
      words.failed ? NULL : hd_arena_copy_text(arena, words.size_bytes == 0 ? "" : words.data, words.size_bytes);
  hd_buffer_free(&words);
  return copy;
}

static const char *message(const hd_lowering *lowering, const hd_bottom_found *found, hd_arena *arena) {
  uint32_t stuck = 0, going = 0;
  const char *who = names_of(lowering, in_bits, found->left_behind, arena, &stuck);
  const char *others = found->going == NULL ? "others" : names_of(lowering, in_bits, found->going, arena, &going);
  if (who == NULL || others == NULL) {
    return NULL;
  }
  return hd_arena_printf(arena, "%s can never move again, while %s %s on for ever", who, others,
                         going == 1 ? "goes" : "go");
}

/* Sentences about the configuration, and what the run does or does not show. */
static hd_status describe(const hd_lowering *lowering, const hd_bottom_found *found, hd_result *result,
                          hd_finding *finding) {
  hd_arena *arena = result->arena;
  const char **details;
  size_t count = 0;
  if (found->trace == NULL) {
    details = hd_arena_alloc_array(arena, 1, sizeof *details);
  } else {
    const uint64_t *state = found->trace->states + found->reached * found->trace->words;
    details = hd_explain_left_behind(lowering, state, found->left_behind, arena, &count);
  }
  if (details == NULL) {
    return HD_E_NOMEM;
  }
  hd_status missing = found->trace == NULL ? found->trace_status : found->lasso_status;
  if (missing != HD_OK) {
    details[count] = hd_arena_printf(arena, "%s could not be rebuilt: %s",
                                     found->trace == NULL ? "the run that leads there" : "what goes on for ever",
                                     hd_status_words(missing));
    if (details[count++] == NULL) {
      return HD_E_NOMEM;
    }
  }
  finding->details = details;
  finding->detail_count = count;
  return HD_OK;
}

static hd_status add_finding(const hd_lowering *lowering, const hd_bottom_found *found, hd_result *result) {
  hd_finding *finding = hd_result_add_finding(result);
  if (finding == NULL) {
    return HD_E_NOMEM;
  }
  finding->kind = "stuck-peer";
  finding->code = HD_DIAG_STUCK_PEER;
  finding->count = found->count;
  finding->message = message(lowering, found, result->arena);
  if (finding->message == NULL) {
    return HD_E_NOMEM;
  }
  hd_status status = found->trace == NULL ? HD_OK : hd_explain_trace(lowering, found->trace, false, result, finding);
  finding->length = found->level; /* sends up to where the first peer is left behind */
  finding->shortest = found->trace == NULL ? HD_SHORTEST_UNSAID : HD_SHORTEST_YES; /* of least level, unreduced */
  finding->unit = "send";
  finding->position =
      found->reached == 0 || status != HD_OK ? (hd_position){1, 1} : finding->trace[found->reached - 1].position;
  if (found->trace != NULL && found->cycle < found->trace->length) {
    finding->cycle = found->cycle + 1;
  }
  return status == HD_OK ? describe(lowering, found, result, finding) : status;
}

/* Nothing was found: the verdict, its scope and basis take the search into account. */
static hd_status conclude_none(const hd_bottom_outcome *outcome, uint32_t bound, hd_result *result) {
  hd_arena *arena = result->arena;
  if (outcome->end != HD_END_COMPLETE) {
    const char *more = hd_arena_printf(arena, "%s%speers that wait for ever while others go on: %s",
                                       result->not_covered == NULL ? "" : result->not_covered,
                                       result->not_covered == NULL ? "" : "; ", hd_end_words(outcome->end));
    result->verdict = result->verdict == HD_VERDICT_HOLDS ? HD_VERDICT_INCONCLUSIVE : result->verdict;
    result->not_covered = more;
    return more == NULL ? HD_E_NOMEM : HD_OK;
  }
  if (result->verdict != HD_VERDICT_HOLDS) {
    return HD_OK;
  }
  result->scope = hd_arena_printf(arena, "for queues of length %u", bound);
  result->basis = hd_arena_printf(arena, "%s; stuck peers: I_%u explored completely", result->basis, bound);
  return result->scope == NULL || result->basis == NULL ? HD_E_NOMEM : HD_OK;
}

static hd_status conclude_found(const hd_lowering *lowering, const hd_bottom_found *found, const hdi_subject *subject,
                                hd_result *result) {
  hd_status status = add_finding(lowering, found, result);
  if (result->verdict != HD_VERDICT_VIOLATED) {
    result->verdict = HD_VERDICT_VIOLATED;
    result->scope = hd_arena_printf(result->arena, "with queues of length %u", lowering->bound);
    status = result->scope == NULL ? HD_E_NOMEM : status;
  }
  const char *before = result->basis == NULL ? "" : result->basis;
  result->basis = hd_arena_printf(result->arena, "%s%sstuck peers: I_%u explored completely", before,
                                  *before == '\0' ? "" : "; ", lowering->bound);
  if (status == HD_OK && found->trace != NULL && result->trace == NULL) {
    status = hdi_set_emits(subject->ast, lowering, found->trace, result);
  }
  return result->basis == NULL ? HD_E_NOMEM : status;
}

static hd_status conclude(const hd_lowering *lowering, const hd_bottom_outcome *outcome, const hdi_subject *subject,
                          hd_result *result) {
  uint32_t count = 0;
  const char *names = names_of(lowering, is_found, outcome->instances, result->arena, &count);
  if (names == NULL) {
    return HD_E_NOMEM;
  }
  bool complete = outcome->end == HD_END_COMPLETE;
  hd_result_add_text(result, "stuck_peers", !complete ? "not decided" : count == 0 ? "none" : names);
  result->seconds += outcome->seconds;
  const hd_bottom_found *found = &outcome->found[1];
  return complete && found->count != 0 ? conclude_found(lowering, found, subject, result)
                                       : conclude_none(outcome, lowering->bound, result);
}

hd_status hdi_check_stuck_peers(const hdi_subject *subject, uint32_t bound, hd_semantics semantics,
                                const hd_request *request, hd_result *result) {
  hd_lowering *lowering = NULL;
  hd_bottom_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  hd_status status = hd_lower_system(subject->system, NULL, NULL, bound, semantics, false, &lowering);
  if (status == HD_E_LIMIT) { /* I_k is too large to be built */
    outcome.end = HD_END_MEMORY;
    hd_result_add_text(result, "stuck_peers", "not decided");
    return conclude_none(&outcome, bound, result);
  }
  if (status == HD_OK) {
    hd_search search;
    hdi_search_init(lowering, request, &search);
    hd_bottom_query query = {.must_go_on = hd_stuck_must_go_on, .context = lowering, .going_on = true};
    status = hd_bottom_search(&search, &query, &outcome);
  }
  if (status == HD_OK) {
    status = conclude(lowering, &outcome, subject, result);
  }
  hd_bottom_outcome_clear(&outcome);
  hd_lowering_free(lowering);
  return status;
}
