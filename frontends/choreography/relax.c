/* Relaxation, and mixtures: the cheapest edits first (repair.h).
 *
 *   open candidates by cost --cheapest batch, decided on all threads--> realizable: the gate takes or refuses it
 *        ^                                                              a difference w m: one child for each edit that
 *        +--------------------------------------------------------------allows w m (or, in a mixture, prevents it)
 *
 * The edits for a difference "w, and then P sends m", with t the state after w and c -m-> c' the arc P believes in:
 *
 *   add-transition   t -m-> x for every state x, and for a new state
 *   split-state      the same from a copy of t that only the last arc of w leads to, when other arcs lead to t too
 *   add-crossing     when w's last arc starts in c as well: both orders, c -m'-> t -m-> x and c -m-> c' -m'-> x, with t
 *                    and c' split off from their other incoming arcs; one edit
 *   copy-from        t -m-> into a copy of everything that c' reaches
 *   and the published rule for this difference (paper.h)
 *   mixture          also each site of a new message that can prevent it (restrict.c)
 *
 * An arc that would break a `never` rule at once, because w m does, is not tried. Candidates of one
 * cost that are equal but for names and the order of edits (draft_key.c) are tried once. Children of one candidate are
 * made in a fixed order, and candidates of one cost are taken in the order in which they were made.
 *
 * The least relaxation (least.c) is tried once, whatever it costs. After the first repair is taken the search goes on
 * through costs SLACK higher, because a dearer repair may add less behaviour; it is complete when everything below the
 * cheapest repair was decided. When nothing was found within the budget, the relaxation that always exists is asked
 * (fallback.c). Threads: candidates of one cost are decided on all. Cost: tries_max decisions. */
#include "frontends/choreography/paper.h"
#include "frontends/choreography/repair.h"
#include "frontends/choreography/sequence.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH_MAX = 64, SLACK = 2, OPEN_FACTOR = 32, TARGETS_MAX = 48, COPIES_MAX = 64 };

typedef struct relaxation {
  hdi_repair_run *run;
  hdi_mechanism mechanism;
  hdi_repair_search *search;
  hdi_draft **open; /* owned drafts, in the order in which they were made */
  size_t open_count, open_capacity;
  hdi_sequences seen;
  uint64_t accepted_cost; /* of the cheapest; UINT64_MAX: none yet */
  bool dropped;           /* some candidate was not kept, or not all edits of one were tried */
} relaxation;

/* ---- candidates that are the same automaton ---- */

/* Was an equal draft of the same cost met before? One that costs less may come later, and is another. */
static hd_status is_fresh(relaxation *r, const hdi_draft *draft, bool *fresh) {
  uint32_t length = 0, id = 0;
  uint32_t *key = hdi_draft_key(draft, &length);
  if (key == NULL) {
    return HD_E_NOMEM;
  }
  key[length++] = draft->cost;
  hd_status status = hdi_sequences_add(&r->seen, key, length, &id, fresh);
  free(key);
  return status;
}

/* Takes the child over. */
static hd_status push(relaxation *r, hdi_draft *child) {
  bool fresh = false;
  hd_status status = is_fresh(r, child, &fresh);
  bool dear = r->accepted_cost != UINT64_MAX && child->cost > r->accepted_cost + SLACK;
  bool full = r->open_count >= (size_t)r->run->query->tries_max * OPEN_FACTOR;
  r->dropped |= full;
  if (status != HD_OK || !fresh || dear || full) {
    hdi_draft_free(child);
    return status;
  }
  if (r->open_count == r->open_capacity) {
    size_t larger = r->open_capacity == 0 ? 64 : r->open_capacity * 2;
    hdi_draft **open = realloc(r->open, larger * sizeof(hdi_draft *));
    if (open == NULL) {
      hdi_draft_free(child);
      return HD_E_NOMEM;
    }
    r->open = open;
    r->open_capacity = larger;
  }
  r->open[r->open_count++] = child;
  return HD_OK;
}

/* Takes the child when `made` is HD_OK; a limit only means that this edit is not possible. */
static hd_status push_if(relaxation *r, hdi_draft *child, hd_status made) {
  if (made == HD_OK) {
    return push(r, child);
  }
  hdi_draft_free(child);
  r->dropped |= made == HD_E_LIMIT;
  return made == HD_E_LIMIT ? HD_OK : made;
}

/* ---- edits ---- */

typedef struct place {
  const hdi_draft *draft;
  const hdi_paper_difference *d;
  uint32_t last;    /* the arc by which w comes to t; HD_NONE: w is empty */
  hd_span span;     /* of what the edits change */
  bool *live;       /* per state of the draft: some run reaches it */
  uint32_t targets; /* live states */
} place;

static const hd_message_info *message_of(const place *p, hd_message message) {
  return &p->draft->alphabet.messages[message.v];
}

static const char *peer_of(const place *p, hd_peer peer) {
  return p->draft->alphabet.peers[peer.v];
}

/* Arcs that lead into the state, one more for the initial state. */
static uint32_t ways_into(const hdi_draft *draft, uint32_t state) {
  uint32_t count = draft->initial == state ? 1 : 0;
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    count += !draft->arcs[a].removed && draft->arcs[a].to == state ? 1 : 0;
  }
  return count;
}

/* A state that may end where c' may. */
static hd_status new_state(hdi_draft *draft, const place *p, uint32_t *state) {
  bool final = p->draft->states[p->draft->arcs[p->d->arc].to].final;
  return hdi_draft_add_state(draft, HD_NONE, final, state);
}

static hd_status begin_arc(hdi_draft *draft, const place *p, uint32_t from, const char *to) {
  const hd_message_info *info = message_of(p, p->d->extra);
  return hdi_draft_begin(draft, HDI_EDIT_ADD_ARC, HDI_CASE_NONE, p->span,
                         "allows %s -> %s : %s from %s, which leads to %s", peer_of(p, info->from),
                         peer_of(p, info->to), info->name, draft->states[from].name, to);
}

/* t -m-> x from the state `from` of the child; HD_NONE: x is a new state. */
static hd_status add_arc(hdi_draft *child, const place *p, uint32_t from, uint32_t to) {
  hd_status status = begin_arc(child, p, from, to == HD_NONE ? "a new state" : child->states[to].name);
  if (status == HD_OK && to == HD_NONE) {
    status = new_state(child, p, &to);
  }
  return status == HD_OK ? hdi_draft_add_arc(child, from, p->d->extra, to, HD_NONE) : status;
}

/* Splits t off for the last arc of w, as an edit of its own. */
static hd_status split_off(hdi_draft *child, const place *p, uint32_t *copy) {
  const hdi_draft_arc *last = &p->draft->arcs[p->last];
  hd_status status = hdi_draft_begin(child, HDI_EDIT_SPLIT_STATE, HDI_CASE_NONE, p->span,
                                     "gives %s after %s from %s a copy of its own", child->states[last->to].name,
                                     message_of(p, last->message)->name, child->states[last->from].name);
  return status == HD_OK ? hdi_draft_split(child, last->to, &p->last, 1, copy) : status;
}

/* Both orders of the two messages, t and c' split off when other arcs lead to them. */
static hd_status add_crossing(hdi_draft *child, const place *p, uint32_t to) {
  const hdi_draft_arc last = p->draft->arcs[p->last], own = p->draft->arcs[p->d->arc];
  const hd_message_info *first = message_of(p, last.message), *second = message_of(p, own.message);
  hd_status status =
      hdi_draft_begin(child, HDI_EDIT_ADD_CROSSING, HDI_CASE_NONE, p->span,
                      "lets %s -> %s : %s and %s -> %s : %s cross: both orders are allowed from %s",
                      peer_of(p, first->from), peer_of(p, first->to), first->name, peer_of(p, second->from),
                      peer_of(p, second->to), second->name, child->states[own.from].name);
  uint32_t after_first = last.to, after_second = own.to;
  if (status == HD_OK && ways_into(child, last.to) > 1) {
    status = hdi_draft_split(child, last.to, &p->last, 1, &after_first);
  }
  if (status == HD_OK && ways_into(child, own.to) > 1) {
    status = hdi_draft_split(child, own.to, &p->d->arc, 1, &after_second);
  }
  if (status == HD_OK && to == HD_NONE) {
    status = new_state(child, p, &to);
  }
  if (status == HD_OK) {
    status = hdi_draft_add_arc(child, after_first, own.message, to, HD_NONE);
  }
  if (status == HD_OK && hdi_draft_find_arc(child, after_second, last.message, to) == HD_NONE) {
    status = hdi_draft_add_arc(child, after_second, last.message, to, HD_NONE);
  }
  return status;
}

static hd_status add_copy(hdi_draft *child, const place *p) {
  uint32_t copy = 0, to = p->draft->arcs[p->d->arc].to;
  const hd_message_info *info = message_of(p, p->d->extra);
  hd_status status =
      hdi_draft_begin(child, HDI_EDIT_COPY_FROM, HDI_CASE_NONE, p->span,
                      "allows %s -> %s : %s from %s, which leads to a copy of %s", peer_of(p, info->from),
                      peer_of(p, info->to), info->name, child->states[p->d->state].name, child->states[to].name);
  if (status == HD_OK) {
    status = hdi_draft_copy_from(child, to, child->state_count + COPIES_MAX, &copy);
  }
  return status == HD_OK ? hdi_draft_add_arc(child, p->d->state, p->d->extra, copy, HD_NONE) : status;
}

/* ---- children of one candidate ---- */

/* Would w m break the rule? */
static bool breaks(const place *p, const hd_chor_rule *rule) {
  if (strcmp(message_of(p, p->d->extra)->name, rule->second) != 0) {
    return false;
  }
  uint32_t from = rule->anywhere || p->d->word_length == 0 ? 0 : p->d->word_length - 1;
  for (uint32_t i = from; i < p->d->word_length; i++) {
    if (strcmp(message_of(p, p->d->word[i])->name, rule->first) == 0) {
      return true;
    }
  }
  return false;
}

static bool may_relax(const relaxation *r, const place *p) {
  const hd_chor *chor = &p->draft->file->blocks[p->draft->block];
  const hdi_rules *options = &r->run->query->option_rules;
  for (uint32_t i = 0; i < chor->rule_count; i++) {
    if (breaks(p, &chor->rules[i])) {
      return false;
    }
  }
  for (uint32_t i = 0; i < options->count; i++) {
    if (breaks(p, &options->rules[i])) {
      return false;
    }
  }
  return true;
}

/* States that a run reaches; in the order of their numbers. */
static hd_status find_live(place *p, hd_arena *arena) {
  p->live = hd_arena_alloc_array(arena, p->draft->state_count, sizeof *p->live);
  if (p->live == NULL) {
    return HD_E_NOMEM;
  }
  p->live[p->draft->initial] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (uint32_t a = 0; a < p->draft->arc_count; a++) {
      const hdi_draft_arc *arc = &p->draft->arcs[a];
      if (!arc->removed && p->live[arc->from] && !p->live[arc->to]) {
        p->live[arc->to] = grew = true;
      }
    }
  }
  for (uint32_t s = 0; s < p->draft->state_count; s++) {
    p->targets += p->live[s] ? 1 : 0;
  }
  return HD_OK;
}

typedef enum variant { VARIANT_ARC, VARIANT_SPLIT, VARIANT_CROSSING } variant;

static hd_status make(hdi_draft *child, const place *p, variant which, uint32_t to) {
  uint32_t copy = 0;
  switch (which) {
    case VARIANT_ARC:
      return add_arc(child, p, p->d->state, to);
    case VARIANT_SPLIT: {
      hd_status status = split_off(child, p, &copy);
      return status == HD_OK ? add_arc(child, p, copy, to) : status;
    }
    case VARIANT_CROSSING:
      return add_crossing(child, p, to);
  }
  return HD_E_INTERNAL;
}

/* One child per target of the new arc: near ones only when there are many states. */
static hd_status add_variant(relaxation *r, const place *p, variant which) {
  bool all = p->targets <= TARGETS_MAX;
  r->dropped |= !all;
  hd_status status = HD_OK;
  for (uint32_t s = 0; s <= p->draft->state_count && status == HD_OK; s++) {
    uint32_t to = s < p->draft->state_count ? s : HD_NONE;
    bool near = to == HD_NONE || to == p->d->state || to == p->draft->arcs[p->d->arc].to;
    if (to != HD_NONE && (!p->live[to] || (!all && !near))) {
      continue;
    }
    hdi_draft *child = NULL;
    status = hdi_draft_clone(p->draft, &child);
    if (status == HD_OK) {
      status = push_if(r, child, make(child, p, which, to));
    }
  }
  return status;
}

static hd_status add_published(relaxation *r, const place *p) {
  hdi_draft *child = NULL;
  hd_status status = hdi_draft_clone(p->draft, &child);
  if (status == HD_OK) {
    status = push_if(r, child, hdi_paper_relax(child, p->d, child->state_count + COPIES_MAX));
  }
  child = NULL;
  status = status == HD_OK ? hdi_draft_clone(p->draft, &child) : status;
  return status == HD_OK ? push_if(r, child, add_copy(child, p)) : status;
}

static hd_status add_relaxations(relaxation *r, place *p, hd_arena *arena) {
  hd_status status = find_live(p, arena);
  if (status == HD_OK) {
    status = add_published(r, p);
  }
  if (status == HD_OK) {
    status = add_variant(r, p, VARIANT_ARC);
  }
  if (status == HD_OK && p->last != HD_NONE && ways_into(p->draft, p->d->state) > 1) {
    status = add_variant(r, p, VARIANT_SPLIT);
  }
  bool apart = p->last != HD_NONE && p->last != p->d->arc;
  if (status == HD_OK && apart && p->draft->arcs[p->last].from == p->draft->arcs[p->d->arc].from) {
    status = add_variant(r, p, VARIANT_CROSSING);
  }
  return status;
}

static hd_status add_sites(relaxation *r, const place *p, hd_arena *arena) {
  hdi_sync_site *sites = NULL;
  size_t count = 0;
  hd_status status = hdi_repair_sites(p->draft, p->d, arena, &sites, &count);
  for (size_t i = 0; i < count && status == HD_OK; i++) {
    hdi_draft *child = NULL;
    status = hdi_draft_clone(p->draft, &child);
    if (status == HD_OK) {
      status = push_if(r, child, hdi_repair_insert(child, &sites[i]));
    }
  }
  return status;
}

static hd_status expand(relaxation *r, const hdi_candidate *candidate) {
  const hdi_paper_difference *d = &candidate->differences[0];
  place p = {.draft = candidate->draft, .d = d, .last = HD_NONE};
  hd_arena *arena = candidate->arena;
  const hd_chor *chor = &p.draft->file->blocks[p.draft->block];
  uint32_t origin = p.draft->states[d->state].origin;
  p.span = origin == HD_NONE ? chor->span : chor->states[origin].span;
  uint32_t *path = hdi_draft_find_path(p.draft, d->word, d->word_length, d->state, arena);
  if (path == NULL) {
    return HD_E_NOMEM;
  }
  p.last = d->word_length == 0 ? HD_NONE : path[d->word_length - 1];
  hd_status status = may_relax(r, &p) ? add_relaxations(r, &p, arena) : HD_OK;
  if (status == HD_OK && r->mechanism == HDI_MECHANISM_MIXTURE) {
    status = add_sites(r, &p, arena);
  }
  return status;
}

/* ---- the search ---- */

static void discard(void *problem, void *candidate) {
  (void)problem;
  hdi_candidate_clear(candidate);
  free(candidate);
}

/* Takes the first open drafts of the least cost. */
static hd_status propose(void *problem, size_t most, void **candidates, size_t *count) {
  relaxation *r = problem;
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < r->open_count; i++) {
    least = r->open[i]->cost < least ? r->open[i]->cost : least;
  }
  *count = 0;
  if (r->accepted_cost != UINT64_MAX && least > r->accepted_cost + SLACK) {
    return HD_OK;
  }
  size_t kept = 0;
  hd_status status = HD_OK;
  for (size_t i = 0; i < r->open_count; i++) {
    hdi_candidate *candidate = NULL;
    if (status == HD_OK && r->open[i]->cost == least && *count < most) {
      candidate = calloc(1, sizeof *candidate);
      status = candidate == NULL ? HD_E_NOMEM : HD_OK;
    }
    if (candidate == NULL) {
      r->open[kept++] = r->open[i];
    } else {
      candidate->draft = r->open[i];
      candidates[(*count)++] = candidate;
    }
  }
  r->open_count = kept;
  for (size_t i = 0; status != HD_OK && i < *count; i++) {
    discard(r, candidates[i]);
  }
  return status;
}

static hd_status decide(const void *problem, void *candidate, uint32_t threads) {
  const relaxation *r = problem;
  return hdi_repair_decide(r->run, r->mechanism, candidate, threads);
}

static hd_status take_in(void *problem, void *proposed, hd_candidate_end *end) {
  relaxation *r = problem;
  hdi_candidate *candidate = proposed;
  if (candidate->status != HD_OK || (candidate->difference_count == 0 && candidate->evidence.undecided)) {
    r->dropped = true; /* nothing is known about it */
    *end = HD_CANDIDATE_UNDECIDED;
    return HD_OK;
  }
  if (candidate->difference_count != 0) {
    *end = HD_CANDIDATE_FAILS;
    return expand(r, candidate);
  }
  const hdi_draft *draft = candidate->draft;
  *end = HD_CANDIDATE_REFUSED;
  if (r->mechanism == HDI_MECHANISM_MIXTURE && hdi_repair_mechanism(draft) != HDI_MECHANISM_MIXTURE) {
    return HD_OK; /* a mixture has to earn its name */
  }
  if (!candidate->evidence.accepted) {
    hdi_repair_say(r->run, "  cost %u: refused: %s", draft->cost, candidate->evidence.reason);
    return HD_OK;
  }
  *end = HD_CANDIDATE_ACCEPTED;
  if (draft->cost < r->accepted_cost) {
    r->accepted_cost = draft->cost;
    r->search->complete = !r->dropped;
  }
  hdi_repair_say(r->run, "  cost %u: proved: %s%s", draft->cost, draft->edits[0].words,
                 draft->edit_count > 1 ? ", ..." : "");
  return hdi_repair_accept(r->run, r->mechanism, candidate);
}

/* Nothing is replayed: a failing candidate is not only given up but has children, made for its shortest difference. */
static const hd_repair_steps STEPS = {propose, NULL, decide, take_in, discard};

static hd_status run_batches(relaxation *r) {
  hd_repair_limits limits = hdi_repair_loop_limits(r->run, BATCH_MAX);
  hd_repair_progress progress;
  hd_status status = hd_repair_loop_run(&STEPS, r, &limits, &progress);
  r->search->tried += progress.tried;
  r->search->cut_short = progress.end == HD_E_CANCELLED;
  return status;
}

/* Decides one candidate that is not found by edits. */
static hd_status decide_one(const relaxation *r, hdi_candidate *candidate) {
  r->search->tried++;
  return hdi_repair_decide(r->run, r->mechanism, candidate, r->run->query->threads);
}

static hd_status fall_back(relaxation *r) {
  hdi_candidate last = {0};
  hd_status status = hdi_fallback_relaxation(r->run->query, &last.draft);
  if (status == HD_OK) {
    status = decide_one(r, &last);
  }
  if (status == HD_OK && last.status == HD_OK && last.difference_count == 0) {
    if (last.evidence.accepted) {
      hdi_repair_say(r->run, "  every message at any time: proved");
      status = hdi_repair_accept(r->run, r->mechanism, &last);
    } else {
      hdi_repair_say(r->run, "  every message at any time: refused: %s", last.evidence.reason);
    }
  }
  hdi_candidate_clear(&last);
  return status;
}

/* The least relaxation is a yardstick, and a candidate when it is realizable. */
static hd_status try_least(relaxation *r) {
  hdi_candidate least = {0};
  hd_status status = hdi_least_relaxation(r->run->query, &least.draft);
  if (status == HD_E_LIMIT || status == HD_E_CANCELLED) {
    return HD_OK;
  }
  if (status == HD_OK) {
    status = decide_one(r, &least);
  }
  if (status == HD_OK) { /* a yardstick: without it the repairs that were found stand all the same */
    status = hdi_repair_count(r->run, least.draft, &r->run->answer->least_sequences);
    status = status == HD_E_LIMIT || status == HD_E_CANCELLED ? HD_OK : status;
  }
  bool realizable = status == HD_OK && least.status == HD_OK && least.difference_count == 0;
  if (realizable) {
    hdi_repair_say(r->run, "  the least relaxation: %s", least.evidence.accepted ? "proved" : least.evidence.reason);
  }
  if (realizable && least.evidence.accepted) {
    status = hdi_repair_accept(r->run, r->mechanism, &least);
  }
  hdi_candidate_clear(&least);
  return status;
}

hd_status hdi_repair_relax(hdi_repair_run *run, hdi_mechanism mechanism) {
  const hdi_repair_query *query = run->query;
  relaxation r = {
      .run = run, .mechanism = mechanism, .search = &run->answer->searches[mechanism], .accepted_cost = UINT64_MAX};
  hdi_draft *start = NULL;
  uint32_t found_before = run->answer->repair_count;
  hd_status status = hdi_draft_open(query->file, query->block, query->costs, &start);
  if (status == HD_OK) {
    status = push(&r, start);
  }
  if (status == HD_OK) {
    status = run_batches(&r);
  }
  if (status == HD_OK && mechanism == HDI_MECHANISM_RELAXATION && !hdi_repair_is_over(run)) {
    status = try_least(&r);
  }
  bool nothing = status == HD_OK && run->answer->repair_count == found_before && !r.search->cut_short;
  if (nothing && mechanism == HDI_MECHANISM_RELAXATION) {
    status = fall_back(&r);
  }
  for (size_t i = 0; i < r.open_count; i++) {
    hdi_draft_free(r.open[i]);
  }
  free(r.open);
  hdi_sequences_free(&r.seen);
  return status;
}

/* Cheapest first; equals stay in the order in which they were made. */
static void sort_offers(hdi_draft **offers, size_t count) {
  for (size_t i = 1; i < count; i++) {
    hdi_draft *moved = offers[i];
    size_t at = i;
    while (at > 0 && moved->cost < offers[at - 1]->cost) {
      offers[at] = offers[at - 1];
      at--;
    }
    offers[at] = moved;
  }
}

hd_status hdi_repair_offer(const hdi_repair_query *query, const hdi_draft *draft, hd_arena *arena,
                           const hdi_paper_difference **difference, hdi_draft ***offers, size_t *count) {
  hdi_repair_answer none = {0};
  hdi_repair_run run = {.query = query, .answer = &none};
  relaxation r = {.run = &run,
                  .mechanism = HDI_MECHANISM_MIXTURE,
                  .search = &none.searches[HDI_MECHANISM_MIXTURE],
                  .accepted_cost = UINT64_MAX};
  hdi_paper_limits limits = hdi_repair_limits(query);
  hdi_candidate candidate = {.arena = arena};
  hdi_draft *own = NULL;
  hd_status status = hdi_draft_clone(draft, &own);
  candidate.draft = own;
  if (status == HD_OK) {
    status = hdi_paper_find(own, &limits, arena, &candidate.differences, &candidate.difference_count);
  }
  *difference = candidate.difference_count == 0 ? NULL : candidate.differences;
  if (status == HD_OK && candidate.difference_count != 0) {
    status = expand(&r, &candidate);
  }
  hdi_draft_free(own);
  hdi_sequences_free(&r.seen);
  if (status != HD_OK) {
    for (size_t i = 0; i < r.open_count; i++) {
      hdi_draft_free(r.open[i]);
    }
    free(r.open);
    return status;
  }
  sort_offers(r.open, r.open_count);
  *offers = r.open;
  *count = r.open_count;
  return HD_OK;
}
