/* The gate: does an edited choreography C' repair C?
 *
 *   C  --Det--------------------> D  --+-- inclusions, ends, rules, counts
 *   C' --Det, new messages silent-> D' --+
 *   C' --project, per-peer check, certificate, diamond or I_k--> realizable, no new kind of stuck configuration
 *
 * Messages of the two files are matched by sender, receiver and name, so that C' may be a file read from edited text;
 * what has no match is new. Everything is decided on automata made here from the two files: nothing that the search for
 * repairs believed is used.
 *
 *   promise    walk D and D' together over all words of D: D' must follow (all mechanisms), may end wherever D may when
 *              the choreography has final states, and for a restriction must offer nothing more
 *   rules      a rule that C keeps must be kept by C'
 *   progress   D' may have a state from which nothing follows only if D has one (a choreography that never ends must
 *              not be repaired into one that does), and I_k of C' has no kind of stuck configuration that I_k of C has
 *              not
 *
 * Threads: one call, one thread; the searches of I_k start teams when query->threads > 1. */
#include "frontends/choreography/verify.h"

#include "core/base/machine.h"
#include "core/explore/explore.h"
#include "frontends/choreography/lower.h"
#include "frontends/choreography/subset.h"

#include <string.h>

#define SUBSETS_MAX (1u << 20)

static const char *const names[HDI_MECHANISM_COUNT] = {
#define HDI_MECHANISM_NAME(identifier, name, promise) name,
    HD_MECHANISM_TABLE(HDI_MECHANISM_NAME)
#undef HDI_MECHANISM_NAME
};
static const char *const promises[HDI_MECHANISM_COUNT] = {
#define HDI_MECHANISM_PROMISE(identifier, name, promise) promise,
    HD_MECHANISM_TABLE(HDI_MECHANISM_PROMISE)
#undef HDI_MECHANISM_PROMISE
};

const char *hdi_mechanism_name(hdi_mechanism mechanism) {
  return names[mechanism];
}

const char *hdi_mechanism_promise(hdi_mechanism mechanism) {
  return promises[mechanism];
}

/* One side of the comparison: a deterministic automaton over the messages of `before`. */
typedef struct side {
  hd_dfa dfa;
  bool *may_end; /* per state */
} side;

typedef struct gate {
  const hdi_verify_query *query;
  hd_arena *arena; /* scratch */
  hd_arena *words; /* the caller's */
  hdi_evidence *out;
  uint32_t *known_as; /* per message of after: its number in before, HD_NONE: new */
  side before, after;
} gate;

static hd_subset_limits limits_of(const hdi_verify_query *query) {
  return (hd_subset_limits){
      .states_max = SUBSETS_MAX, .deadline_seconds = query->deadline_seconds, .cancel = query->cancel};
}

static bool refuse(gate *g, const char *reason) {
  if (g->out->reason == NULL) {
    g->out->reason = reason;
  }
  return false;
}

/* Which message of the old file each message of the new one is. */
static hd_status match_messages(gate *g) {
  const hd_alphabet *old = &g->query->before->alphabet, *new = &g->query->after->alphabet;
  g->known_as = hd_arena_alloc_array(g->arena, new->message_count, sizeof *g->known_as);
  if (g->known_as == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t m = 0; m < new->message_count; m++) {
    const hd_message_info *info = &new->messages[m];
    g->known_as[m] = HD_NONE;
    for (uint32_t o = 0; o < old->message_count && g->known_as[m] == HD_NONE; o++) {
      const hd_message_info *other = &old->messages[o];
      if (strcmp(info->name, other->name) == 0 && strcmp(new->peers[info->from.v], old->peers[other->from.v]) == 0 &&
          strcmp(new->peers[info->to.v], old->peers[other->to.v]) == 0) {
        g->known_as[m] = o;
      }
    }
  }
  return HD_OK;
}

/* Det of a block with its messages renamed by `known_as` (NULL: as they are), unknown ones silent. */
static hd_status determinise(gate *g, const hd_chor *chor, const uint32_t *known_as, side *out) {
  uint32_t *labels = hd_arena_alloc_array(g->arena, chor->arc_count, sizeof *labels);
  uint32_t *targets = hd_arena_alloc_array(g->arena, chor->arc_count, sizeof *targets);
  if (labels == NULL || targets == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < chor->arc_count; a++) {
    uint32_t message = chor->arcs[a].message.v;
    uint32_t known = known_as == NULL ? message : known_as[message];
    labels[a] = known == HD_NONE ? HDI_SILENT : known;
    targets[a] = chor->arcs[a].to;
  }
  hdi_nfa nfa = {.state_count = chor->state_count,
                 .initial = chor->initial,
                 .first_arc = chor->first_arc,
                 .arc_label = labels,
                 .arc_to = targets};
  hd_subset_limits limits = limits_of(g->query);
  hdi_subsets subsets;
  hd_status status = hdi_subset_construct(&nfa, g->arena, &limits, &subsets);
  if (status != HD_OK) {
    return status;
  }
  out->dfa = (hd_dfa){.state_count = subsets.state_count,
                      .arc_count = subsets.arc_count,
                      .first_arc = subsets.first_arc,
                      .members = subsets.members,
                      .set_start = subsets.set_start};
  out->dfa.arcs = hd_arena_alloc_array(g->arena, subsets.arc_count, sizeof *out->dfa.arcs);
  out->may_end = hd_arena_alloc_array(g->arena, subsets.state_count, sizeof *out->may_end);
  if (out->dfa.arcs == NULL || out->may_end == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < subsets.arc_count; a++) {
    out->dfa.arcs[a] = (hd_dfa_arc){subsets.arcs[a].from, subsets.arcs[a].to, {subsets.arcs[a].label}};
  }
  for (uint32_t s = 0; s < subsets.state_count; s++) {
    for (uint32_t i = subsets.set_start[s]; i < subsets.set_start[s + 1]; i++) {
      out->may_end[s] = out->may_end[s] || hd_chor_is_end(chor, subsets.members[i]);
    }
  }
  return HD_OK;
}

static uint32_t arcs_of(const hd_dfa *dfa, uint32_t state) {
  return dfa->first_arc[state + 1] - dfa->first_arc[state];
}

/* Walks both automata over all words of the old one. */
static hd_status walk_together(gate *g, bool *kept) {
  const hd_dfa *old = &g->before.dfa, *new = &g->after.dfa;
  size_t pairs = (size_t)old->state_count * new->state_count;
  bool *seen = hd_arena_alloc_array(g->arena, pairs, sizeof *seen);
  size_t *queue = hd_arena_alloc_array(g->arena, pairs, sizeof *queue);
  if (seen == NULL || queue == NULL) {
    return HD_E_NOMEM;
  }
  bool has_final = g->query->before->blocks[g->query->before_block].has_final;
  size_t count = 1;
  seen[0] = true;
  *kept = true;
  for (size_t i = 0; i < count && *kept; i++) {
    uint32_t a = (uint32_t)(queue[i] / new->state_count), b = (uint32_t)(queue[i] % new->state_count);
    /* Without any `final` the ends are the states without arcs, and an end that gets an arc is an end no more: that is
     * what relaxing it means. */
    if (has_final && g->before.may_end[a] && !g->after.may_end[b]) {
      *kept = refuse(g, "it may no longer end where it could");
    }
    if (g->query->mechanism == HDI_MECHANISM_RESTRICTION && arcs_of(old, a) != arcs_of(new, b)) {
      *kept = refuse(g, "without the new messages it allows something else than before");
    }
    for (uint32_t x = old->first_arc[a]; x < old->first_arc[a + 1] && *kept; x++) {
      uint32_t to = hd_dfa_next(new, b, old->arcs[x].message);
      if (to == HD_NONE) {
        *kept = refuse(g, "it no longer allows everything that was allowed");
        continue;
      }
      size_t pair = (size_t)old->arcs[x].to * new->state_count + to;
      if (!seen[pair]) {
        seen[pair] = true;
        queue[count++] = pair;
      }
    }
  }
  return HD_OK;
}

static bool has_dead_end(const hd_dfa *dfa) {
  for (uint32_t s = 0; s < dfa->state_count; s++) {
    if (arcs_of(dfa, s) == 0) {
      return true;
    }
  }
  return false;
}

/* Marks the states reachable from the targets of arcs with this name; every arc `second` from a marked state breaks
 * the rule. Without `anywhere` only the targets themselves are marked. */
bool hdi_rule_is_broken(const hd_dfa *dfa, const hd_alphabet *alphabet, const hd_chor_rule *rule, hd_arena *arena,
                        hd_status *status) {
  bool *marked = hd_arena_alloc_array(arena, dfa->state_count, sizeof *marked);
  if (marked == NULL) {
    *status = HD_E_NOMEM;
    return false;
  }
  for (uint32_t a = 0; a < dfa->arc_count; a++) {
    if (strcmp(alphabet->messages[dfa->arcs[a].message.v].name, rule->first) == 0) {
      marked[dfa->arcs[a].to] = true;
    }
  }
  for (bool grew = rule->anywhere; grew;) {
    grew = false;
    for (uint32_t a = 0; a < dfa->arc_count; a++) {
      if (marked[dfa->arcs[a].from] && !marked[dfa->arcs[a].to]) {
        marked[dfa->arcs[a].to] = grew = true;
      }
    }
  }
  for (uint32_t a = 0; a < dfa->arc_count; a++) {
    if (marked[dfa->arcs[a].from] && strcmp(alphabet->messages[dfa->arcs[a].message.v].name, rule->second) == 0) {
      return true;
    }
  }
  return false;
}

static hd_status check_rules(gate *g, const hdi_rules *rules, bool *kept) {
  const hd_alphabet *alphabet = &g->query->before->alphabet;
  hd_status status = HD_OK;
  for (uint32_t r = 0; r < rules->count && *kept && status == HD_OK; r++) {
    const hd_chor_rule *rule = &rules->rules[r];
    if (hdi_rule_is_broken(&g->after.dfa, alphabet, rule, g->arena, &status) &&
        !hdi_rule_is_broken(&g->before.dfa, alphabet, rule, g->arena, &status) && status == HD_OK) {
      const char *words = hd_arena_printf(g->words, "it breaks the rule: never %s%s %s", rule->first,
                                          rule->anywhere ? " .." : ",", rule->second);
      status = words == NULL ? HD_E_NOMEM : HD_OK;
      *kept = refuse(g, words);
    }
  }
  return status;
}

hd_status hdi_count_words(const hd_dfa *dfa, uint32_t length, hd_arena *arena, uint64_t *out) {
  uint64_t *now = hd_arena_alloc_array(arena, dfa->state_count, sizeof *now);
  uint64_t *next = hd_arena_alloc_array(arena, dfa->state_count, sizeof *next);
  if (now == NULL || next == NULL) {
    return HD_E_NOMEM;
  }
  uint64_t total = 1;
  now[0] = 1;
  for (uint32_t i = 0; i < length; i++) {
    memset(next, 0, dfa->state_count * sizeof *next);
    for (uint32_t a = 0; a < dfa->arc_count; a++) {
      uint64_t add = now[dfa->arcs[a].from], *to = &next[dfa->arcs[a].to];
      *to = *to > UINT64_MAX - add ? UINT64_MAX : *to + add;
      total = total > UINT64_MAX - add ? UINT64_MAX : total + add;
    }
    uint64_t *spare = now;
    now = next;
    next = spare;
  }
  *out = total;
  return HD_OK;
}

/* The language side: promise, ends, rules, and what is counted. */
static hd_status compare_languages(gate *g, bool *kept) {
  const hdi_verify_query *query = g->query;
  hdi_evidence *out = g->out;
  hd_status status = match_messages(g);
  if (status == HD_OK) {
    status = determinise(g, &query->before->blocks[query->before_block], NULL, &g->before);
  }
  if (status == HD_OK) {
    status = determinise(g, &query->after->blocks[query->after_block], g->known_as, &g->after);
  }
  if (status == HD_OK) {
    status = walk_together(g, kept);
  }
  if (status == HD_OK && *kept && has_dead_end(&g->after.dfa) && !has_dead_end(&g->before.dfa)) {
    *kept = refuse(g, "it can come to an end, and the choreography always goes on");
  }
  if (status == HD_OK && *kept) {
    status = check_rules(g, &query->file_rules, kept);
  }
  if (status == HD_OK && *kept) {
    status = check_rules(g, &query->option_rules, kept);
  }
  out->states_before = g->before.dfa.state_count;
  out->states_after = g->after.dfa.state_count;
  const hd_chor *after = &query->after->blocks[query->after_block];
  bool *counted = hd_arena_alloc_array(g->arena, query->after->alphabet.message_count, sizeof *counted);
  status = status == HD_OK && counted == NULL ? HD_E_NOMEM : status;
  for (uint32_t a = 0; status == HD_OK && a < after->arc_count; a++) {
    uint32_t m = after->arcs[a].message.v;
    out->messages_added += g->known_as[m] == HD_NONE && !counted[m] ? 1 : 0;
    counted[m] = true;
  }
  if (status == HD_OK) {
    status = hdi_count_words(&g->before.dfa, query->count_length, g->arena, &out->sequences_before);
  }
  if (status == HD_OK) {
    status = hdi_count_words(&g->after.dfa, query->count_length, g->arena, &out->sequences_after);
  }
  if (status == HD_OK && *kept && query->mechanism == HDI_MECHANISM_RELAXATION && out->messages_added != 0) {
    *kept = refuse(g, "a relaxation has no new messages");
  }
  return status;
}

/* A block as a file of its own, which borrows everything. */
static hd_chor_file one_block(const hd_chor_file *file, uint32_t block) {
  hd_chor_file alone = *file;
  alone.blocks = &file->blocks[block];
  alone.block_count = 1;
  return alone;
}

/* Which kinds of stuck configurations I_k has, as bits, and how many in all. */
static hd_status search_stuck(const hdi_verify_query *query, const hd_system *system, uint32_t *kinds,
                              uint64_t *count) {
  hd_lowering *lowering = NULL;
  hd_status status = hd_lower_system(system, NULL, NULL, query->bound, query->semantics, true, &lowering);
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  if (status == HD_OK) {
    hd_search search = {.model = lowering->model,
                        .reduction = HD_REDUCE_FOR_DEADLOCKS,
                        .threads = query->threads == 0 ? 1 : query->threads,
                        .memory_max_bytes = query->memory_max_bytes,
                        .states_budget = query->states_max,
                        .classify = hd_stuck_classify,
                        .classify_context = lowering,
                        .cancel = query->cancel};
    if (query->deadline_seconds > 0) {
      double left = query->deadline_seconds - hd_machine_seconds();
      search.timeout_seconds = left > 1e-9 ? left : 1e-9;
    }
    status = hd_explore(&search, &outcome);
  }
  *kinds = 0;
  *count = 0;
  for (uint32_t kind = 1; status == HD_OK && kind < HD_STUCK_COUNT; kind++) {
    uint64_t found = outcome.found[HD_SLOT_STOP(kind)].count;
    *kinds |= found != 0 ? 1u << kind : 0;
    *count += found;
  }
  if (status == HD_OK && outcome.end != HD_END_COMPLETE) {
    status = HD_E_LIMIT;
  }
  hd_outcome_clear(&outcome);
  hd_lowering_free(lowering);
  return status;
}

/* No diamond: I_k of C' is searched, and when it has stuck configurations that of C too. */
static hd_status compare_stuck(gate *g, const hd_system *system, bool *kept) {
  uint32_t kinds = 0, kinds_before = 0;
  uint64_t before = 0;
  hd_status status = search_stuck(g->query, system, &kinds, &g->out->stuck);
  g->out->stuck_free = status == HD_OK && kinds == 0;
  if (status != HD_OK || kinds == 0) {
    return status;
  }
  hd_chor_file alone = one_block(g->query->before, g->query->before_block);
  hd_subset_limits limits = limits_of(g->query);
  hd_system *old = NULL;
  status = hd_project(&alone, &limits, &old);
  if (status == HD_OK) {
    status = search_stuck(g->query, old, &kinds_before, &before);
  }
  hd_system_free(old);
  for (uint32_t kind = 1; status == HD_OK && kind < HD_STUCK_COUNT; kind++) {
    if ((kinds & ~kinds_before & 1u << kind) != 0) {
      const char *words =
          hd_arena_printf(g->words, "its peers can get stuck in a new way: %s", hd_stuck_name((hd_stuck)kind));
      status = words == NULL ? HD_E_NOMEM : HD_OK;
      *kept = refuse(g, words);
    }
  }
  return status;
}

/* The system's side: realizable, for how long queues, and stuck configurations. */
static hd_status decide_system(gate *g, bool *kept) {
  const hdi_verify_query *query = g->query;
  hd_chor_file alone = one_block(query->after, query->after_block);
  hd_subset_limits limits = limits_of(query);
  hd_system *system = NULL;
  hd_dfa dfa;
  hd_status status = hd_project(&alone, &limits, &system);
  if (status == HD_OK) {
    status = hd_chor_determinise(alone.blocks, g->arena, &limits, &dfa);
  }
  hd_realizability answer = {.complete = false};
  hd_realizability_query ask = {.file = &alone,
                                .system = system,
                                .dfas = &dfa,
                                .bound = query->bound,
                                .semantics = query->semantics,
                                .threads = 1,
                                .memory_max_bytes = query->memory_max_bytes,
                                .deadline_seconds = query->deadline_seconds,
                                .cancel = query->cancel};
  if (status == HD_OK) {
    status = hd_realizability_decide(&ask, g->arena, &answer);
  }
  if (status == HD_OK && !answer.realizable) {
    *kept = refuse(g, "it is not realizable");
  } else if (status == HD_OK && !answer.complete) {
    status = answer.end_status;
  }
  bool diamond = false;
  if (status == HD_OK && *kept) {
    status = hd_diamond_holds(&alone, system, &dfa, query->semantics, &diamond);
  }
  if (status == HD_OK && *kept) {
    status = hd_certify(&ask, &answer, diamond, &g->out->certificate);
  }
  g->out->stuck_free = diamond;
  if (status == HD_OK && *kept && !diamond) {
    status = compare_stuck(g, system, kept);
  }
  hd_system_free(system);
  return status;
}

static const char *basis_of(const gate *g) {
  const hdi_evidence *out = g->out;
  const char *stuck =
      !out->stuck_free ? "no new kind of stuck configuration (both systems explored)" : "no stuck configuration";
  if (out->certificate != HD_CERTIFICATE_NONE) {
    return hd_arena_printf(g->words, "realizable for every queue length (%s); %s; %s",
                           hd_certificate_words(out->certificate), stuck, hdi_mechanism_promise(g->query->mechanism));
  }
  return hd_arena_printf(g->words, "realizable for queues of length %u (per-peer check); %s; %s", g->query->bound,
                         stuck, hdi_mechanism_promise(g->query->mechanism));
}

hd_status hdi_verify_repair(const hdi_verify_query *query, hd_arena *arena, hdi_evidence *out) {
  *out = (hdi_evidence){0};
  gate g = {.query = query, .arena = hd_arena_new(), .words = arena, .out = out};
  bool kept = true;
  hd_status status = g.arena == NULL ? HD_E_NOMEM : compare_languages(&g, &kept);
  if (status == HD_OK && kept) {
    status = decide_system(&g, &kept);
  }
  hd_arena_free(g.arena);
  if (status == HD_E_LIMIT || status == HD_E_CANCELLED) {
    out->undecided = true;
    out->reason = status == HD_E_CANCELLED ? "its verification was cancelled"
                                           : "its verification passed a limit of time, memory or states";
    return HD_OK;
  }
  out->accepted = status == HD_OK && kept;
  if (out->accepted) {
    out->basis = basis_of(&g);
    return out->basis == NULL ? HD_E_NOMEM : HD_OK;
  }
  return status;
}
