/* Restriction: the cheapest set of new messages, by minimum hitting sets (repair.h).
 *
 *   sites so far, what was learned --hitting set--> cheapest choices --insert, decide--> a difference: learn
 *        ^                                                                               none: the gate takes it,
 *        +-------------------------------------------------------------------------------or it is excluded
 *
 * An element is a site: an arc of the block, before or after its message, one of two ranks there (so that two new
 * messages can stand in either order), from one peer to another. At most one message stands in a rank, and rank 1 is
 * used only beside rank 0: otherwise one repair would have several names.
 *
 * A difference of the block with the sites S chosen says of every choice that has the premise P, a part of S: it has
 * one of the sites that hdi_repair_sites lists, apart from those in S. For its peer would see the same on both paths,
 * and the choreography would allow no more after the word: new messages elsewhere only take paths away from it, and P
 * holds what of S keeps other paths from allowing the extra message (found by walking the word without each of S). So
 * what is learned is necessary, and the first choice that the gate takes is a cheapest one. A choice that the gate
 * refuses is excluded exactly, since a larger one may pass. Proof: docs/choreography-repair.md.
 *
 * When the budget ends first, the restriction that always exists (fallback.c) is made, and its messages are taken out
 * again one by one as long as the gate agrees: a repair that none of them can be missing from, not a cheapest one.
 * Threads: candidates of one cost are decided on all. @source hitting sets: core/repair/hitting_set.h */
#include "core/repair/hitting_set.h"
#include "frontends/choreography/repair.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH_MAX = 64, SITES_MAX = 2048, NODES_MAX = 200000, RANKS = 2, ELEMENTS_CHOSEN_MAX = 64 };

/* Appends the sites on one arc that concern the peer. */
static void add_sites_of_arc(const hdi_draft *draft, uint32_t arc, hd_peer peer, hdi_sync_site *sites, size_t *count) {
  for (int after = 0; after < 2; after++) {
    for (uint32_t other = 0; other < draft->alphabet.peer_count; other++) {
      if (other == peer.v) {
        continue;
      }
      sites[(*count)++] = (hdi_sync_site){arc, after == 0, 0, (hd_peer){other}, peer};
      sites[(*count)++] = (hdi_sync_site){arc, after == 0, 0, peer, (hd_peer){other}};
    }
  }
}

/* Peers of other blocks have no part in this one: only peers that some arc of the draft names. */
static bool takes_part(const hdi_draft *draft, uint32_t peer) {
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    const hd_message_info *info = &draft->alphabet.messages[draft->arcs[a].message.v];
    if (info->from.v == peer || info->to.v == peer) {
      return true;
    }
  }
  return false;
}

static size_t keep_own_peers(const hdi_draft *draft, hdi_sync_site *sites, size_t count, hd_arena *arena) {
  bool *own = hd_arena_alloc_array(arena, draft->alphabet.peer_count, sizeof *own);
  if (own == NULL) {
    return SIZE_MAX;
  }
  for (uint32_t p = 0; p < draft->alphabet.peer_count; p++) {
    own[p] = takes_part(draft, p);
  }
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (own[sites[i].from.v] && own[sites[i].to.v]) {
      sites[kept++] = sites[i];
    }
  }
  return kept;
}

hd_status hdi_repair_sites(const hdi_draft *draft, const hdi_paper_difference *d, hd_arena *arena, hdi_sync_site **out,
                           size_t *count) {
  const hd_witness *witness = d->witness;
  *count = 0;
  uint32_t *word = hdi_draft_find_path(draft, d->word, d->word_length, d->state, arena);
  uint32_t *twin = hdi_draft_find_path(draft, witness->twin, witness->twin_length, draft->arcs[d->arc].from, arena);
  bool *on_path = hd_arena_alloc_array(arena, draft->arc_count, sizeof *on_path);
  if (word == NULL || twin == NULL || on_path == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t i = 0; i < d->word_length; i++) {
    on_path[word[i]] = true;
  }
  for (size_t i = 0; i < witness->twin_length; i++) {
    on_path[twin[i]] = true;
  }
  on_path[d->arc] = true;
  size_t arcs = 0;
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    arcs += on_path[a] ? 1 : 0;
  }
  *out = hd_arena_alloc_array(arena, arcs * 4 * draft->alphabet.peer_count, sizeof **out);
  if (*out == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    if (on_path[a]) {
      add_sites_of_arc(draft, a, d->peer, *out, count);
    }
  }
  *count = keep_own_peers(draft, *out, *count, arena);
  return *count == SIZE_MAX ? HD_E_NOMEM : HD_OK;
}

hd_status hdi_repair_insert(hdi_draft *draft, const hdi_sync_site *site) {
  const hdi_draft_arc *arc = &draft->arcs[site->arc];
  const hd_message_info *info = &draft->alphabet.messages[arc->message.v];
  const hd_chor *chor = &draft->file->blocks[draft->block];
  hd_span span = arc->origin == HD_NONE ? chor->span : chor->arcs[arc->origin].span;
  const char *const *peers = draft->alphabet.peers;
  hd_message sync;
  hd_status status = hdi_draft_begin(draft, HDI_EDIT_ADD_SYNC, HDI_CASE_NONE, span,
                                     "%s sends %s a new message %s %s -> %s : %s from %s", peers[site->from.v],
                                     peers[site->to.v], site->before ? "before" : "after", peers[info->from.v],
                                     peers[info->to.v], info->name, draft->states[arc->from].name);
  if (status == HD_OK) {
    status = hdi_draft_add_message(draft, site->from, site->to, &sync);
  }
  return status == HD_OK ? hdi_draft_sync(draft, site->arc, site->before, sync) : status;
}

/* Something learned: with all of the premise, one of the elements. */
typedef struct lesson {
  uint32_t *premise, *elements; /* in the arena */
  uint32_t premise_count, count;
} lesson;

/* The search's sites in order of discovery, and what is known about choices of them. */
typedef struct restriction {
  hdi_repair_run *run;
  hdi_repair_search *search;
  hd_arena *arena;
  hdi_sync_site *sites;
  uint32_t site_count;
  lesson *required, *excluded; /* of excluded: elements only */
  size_t required_count, excluded_count, list_capacity;
  uint64_t accepted_cost; /* UINT64_MAX: none yet */
} restriction;

static bool same_side(const hdi_sync_site *a, const hdi_sync_site *b) {
  return a->arc == b->arc && a->before == b->before;
}

/* The number of a site, a new one when it was not met before; HD_NONE: too many. */
static uint32_t number_of(restriction *r, const hdi_sync_site *site) {
  for (uint32_t i = 0; i < r->site_count; i++) {
    const hdi_sync_site *known = &r->sites[i];
    if (same_side(known, site) && known->rank == site->rank && known->from.v == site->from.v &&
        known->to.v == site->to.v) {
      return i;
    }
  }
  if (r->site_count == SITES_MAX) {
    return HD_NONE;
  }
  r->sites[r->site_count] = *site;
  return r->site_count++;
}

static uint32_t *copy_list(hd_arena *arena, const uint32_t *list, uint32_t count) {
  uint32_t *copy = hd_arena_alloc_array(arena, (size_t)count + 1, sizeof *copy);
  if (copy != NULL && count != 0) {
    memcpy(copy, list, count * sizeof *copy);
  }
  return copy;
}

static hd_status keep_lesson(restriction *r, lesson *lessons, size_t *count, const lesson *what) {
  if (*count == r->list_capacity) {
    return HD_E_LIMIT;
  }
  lesson copy = *what;
  copy.premise = copy_list(r->arena, what->premise, what->premise_count);
  copy.elements = copy_list(r->arena, what->elements, what->count);
  if (copy.premise == NULL || copy.elements == NULL) {
    return HD_E_NOMEM;
  }
  lessons[(*count)++] = copy;
  return HD_OK;
}

static bool is_listed(const uint32_t *list, uint32_t count, uint32_t element) {
  for (uint32_t i = 0; i < count; i++) {
    if (list[i] == element) {
      return true;
    }
  }
  return false;
}

/* The block with the chosen sites. Those of rank 0 are inserted first, since what comes later stands nearer to the
 * arc's own message; the messages that are added are numbered in that order, which `order` (NULL allowed) receives. */
static hd_status draft_of(const restriction *r, const hdi_sync_site *sites, const uint32_t *chosen, uint32_t count,
                          uint32_t *order, hdi_draft **out) {
  const hdi_repair_query *query = r->run->query;
  hd_status status = hdi_draft_open(query->file, query->block, query->costs, out);
  uint32_t made = 0;
  for (uint32_t rank = 0; rank < RANKS; rank++) {
    for (uint32_t i = 0; status == HD_OK && i < count; i++) {
      uint32_t site = chosen == NULL ? i : chosen[i];
      if (sites[site].rank == rank) {
        status = hdi_repair_insert(*out, &sites[site]);
        if (order != NULL) {
          order[made++] = site;
        }
      }
    }
  }
  if (status != HD_OK) {
    hdi_draft_free(*out);
    *out = NULL;
  }
  return status;
}

/* Does the draft made of `chosen` read the word of the difference, without the messages of sites that are not chosen,
 * and not allow the extra message then? `order` names the sites of the difference's own new messages. */
static hd_status still_differs(const restriction *r, const hdi_paper_difference *d, const uint32_t *order,
                               const uint32_t *chosen, uint32_t count, bool *differs) {
  uint32_t known = r->run->query->file->alphabet.message_count, own[ELEMENTS_CHOSEN_MAX];
  *differs = false;
  if (d->extra.v >= known && !is_listed(chosen, count, order[d->extra.v - known])) {
    return HD_OK;
  }
  hdi_draft *draft = NULL;
  hd_status status = draft_of(r, r->sites, chosen, count, own, &draft);
  hd_arena *arena = status == HD_OK ? hd_arena_new() : NULL;
  bool *now = arena == NULL ? NULL : hd_arena_alloc_array(arena, draft->state_count, sizeof *now);
  bool *next = arena == NULL ? NULL : hd_arena_alloc_array(arena, draft->state_count, sizeof *next);
  if (status == HD_OK && (now == NULL || next == NULL)) {
    status = HD_E_NOMEM;
  }
  if (status == HD_OK) {
    now[draft->initial] = true;
    for (uint32_t i = 0; i <= d->word_length; i++) {
      hd_message message = i < d->word_length ? d->word[i] : d->extra;
      if (message.v >= known) {
        uint32_t at = 0;
        while (at < count && own[at] != order[message.v - known]) {
          at++;
        }
        if (at == count) {
          continue;
        }
        message.v = known + at;
      }
      memset(next, 0, draft->state_count * sizeof *next);
      bool any = false;
      for (uint32_t a = 0; a < draft->arc_count; a++) {
        const hdi_draft_arc *arc = &draft->arcs[a];
        if (!arc->removed && arc->message.v == message.v && now[arc->from]) {
          next[arc->to] = any = true;
        }
      }
      *differs = i == d->word_length && !any;
      bool *spare = now;
      now = next;
      next = spare;
    }
  }
  hd_arena_free(arena);
  hdi_draft_free(draft);
  return status;
}

/* The chosen sites that the difference cannot do without. */
static hd_status find_premise(const restriction *r, const hdi_paper_difference *d, const uint32_t *order,
                              const hd_hitting_choice *choice, uint32_t *premise, uint32_t *count) {
  *count = choice->count;
  memcpy(premise, choice->elements, choice->count * sizeof *premise);
  for (uint32_t i = choice->count; i > 0; i--) {
    uint32_t out = premise[i - 1];
    bool differs = false;
    memmove(&premise[i - 1], &premise[i], (*count - i) * sizeof *premise);
    hd_status status = still_differs(r, d, order, premise, *count - 1, &differs);
    if (status != HD_OK) {
      return status;
    }
    if (differs) {
      (*count)--;
    } else {
      memmove(&premise[i], &premise[i - 1], (*count - i) * sizeof *premise);
      premise[i - 1] = out;
    }
  }
  return HD_OK;
}

/* The sites on the block's arcs that are meant by sites of the draft: on an inserted message's arc, those of the side
 * that it stands on; everywhere, every rank. Numbers without repetition and without the chosen ones. */
static hd_status number_sites(restriction *r, const hdi_sync_site *sites, size_t count, const uint32_t *order,
                              const hd_hitting_choice *choice, uint32_t *elements, uint32_t *length) {
  uint32_t known = r->run->query->file->blocks[r->run->query->block].arc_count;
  for (size_t i = 0; i < count; i++) {
    hdi_sync_site site = sites[i];
    if (site.arc >= known) {
      const hdi_sync_site *stands = &r->sites[order[site.arc - known]];
      site.arc = stands->arc;
      site.before = stands->before;
    }
    for (site.rank = 0; site.rank < RANKS; site.rank++) {
      uint32_t number = number_of(r, &site);
      if (number == HD_NONE) {
        return HD_E_LIMIT;
      }
      if (!is_listed(choice->elements, choice->count, number) && !is_listed(elements, *length, number)) {
        elements[(*length)++] = number;
      }
    }
  }
  return HD_OK;
}

/* What the difference asks of every choice with its premise. HD_E_LIMIT: more sites than are handled. */
static hd_status learn(restriction *r, const hdi_candidate *candidate, const hd_hitting_choice *choice,
                       const uint32_t *order) {
  hdi_sync_site *sites = NULL;
  size_t count = 0;
  const hdi_paper_difference *d = &candidate->differences[0];
  uint32_t premise[ELEMENTS_CHOSEN_MAX];
  lesson what = {.premise = premise};
  hd_status status = hdi_repair_sites(candidate->draft, d, candidate->arena, &sites, &count);
  if (status == HD_OK) {
    what.elements = hd_arena_alloc_array(candidate->arena, RANKS * count + 1, sizeof *what.elements);
    status =
        what.elements == NULL ? HD_E_NOMEM : number_sites(r, sites, count, order, choice, what.elements, &what.count);
  }
  if (status == HD_OK) {
    status = find_premise(r, d, order, choice, premise, &what.premise_count);
  }
  if (status != HD_OK) {
    return status;
  }
  hdi_repair_say(r->run, "  %u message%s: not yet, %s; with %u of them, one of %u sites is needed", choice->count,
                 choice->count == 1 ? "" : "s", d->words, what.premise_count, what.count);
  return keep_lesson(r, r->required, &r->required_count, &what);
}

/* At most one message stands in a rank, and rank 1 only beside rank 0. */
static hd_status add_shape(const restriction *r, hd_hitting_set *problem, uint32_t *scratch) {
  hd_status status = HD_OK;
  for (uint32_t i = 0; i < r->site_count && status == HD_OK; i++) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < r->site_count && status == HD_OK; j++) {
      if (!same_side(&r->sites[i], &r->sites[j])) {
        continue;
      }
      if (r->sites[j].rank + 1 == r->sites[i].rank) {
        scratch[count++] = j;
      } else if (j > i && r->sites[j].rank == r->sites[i].rank) {
        status = hd_hitting_set_require_with(problem, (uint32_t[]){i, j}, 2, NULL, 0);
      }
    }
    if (status == HD_OK && r->sites[i].rank > 0) {
      status = hd_hitting_set_require_with(problem, &i, 1, scratch, count);
    }
  }
  return status;
}

/* The cheapest choices that all that was learned allows. */
static hd_status solve(const restriction *r, size_t most, hd_hitting_answer *answer) {
  const hdi_repair_query *query = r->run->query;
  uint32_t cost = query->costs == NULL || query->costs->message == 0 ? 1 : query->costs->message;
  uint32_t *numbers = calloc((size_t)r->site_count + 1, sizeof *numbers);
  for (uint32_t i = 0; numbers != NULL && i < r->site_count; i++) {
    numbers[i] = cost;
  }
  hd_hitting_set *problem = numbers == NULL ? NULL : hd_hitting_set_new(numbers, r->site_count);
  hd_status status = problem == NULL ? HD_E_NOMEM : add_shape(r, problem, numbers);
  for (size_t i = 0; status == HD_OK && i < r->required_count; i++) {
    const lesson *what = &r->required[i];
    status = hd_hitting_set_require_with(problem, what->premise, what->premise_count, what->elements, what->count);
  }
  for (size_t i = 0; status == HD_OK && i < r->excluded_count; i++) {
    status = hd_hitting_set_exclude(problem, r->excluded[i].elements, r->excluded[i].count);
  }
  if (status == HD_OK) {
    hd_hitting_limits limits = {.nodes_max = NODES_MAX,
                                .cost_max = (uint64_t)cost * ELEMENTS_CHOSEN_MAX,
                                .choices_max = most,
                                .deadline_seconds = query->deadline_seconds,
                                .cancel = query->cancel};
    status = hd_hitting_set_solve(problem, &limits, answer);
  }
  hd_hitting_set_free(problem);
  free(numbers);
  return status;
}

/* A choice on its way through the loop. */
typedef struct trial {
  hdi_candidate candidate;
  hd_hitting_choice choice; /* of the trial's own */
  uint64_t cost;
  uint32_t order[ELEMENTS_CHOSEN_MAX];
  uint32_t elements[ELEMENTS_CHOSEN_MAX];
} trial;

static void discard(void *problem, void *candidate) {
  (void)problem;
  trial *t = candidate;
  if (t != NULL) {
    hdi_candidate_clear(&t->candidate);
  }
  free(t);
}

static hd_status make_trial(const restriction *r, const hd_hitting_choice *choice, uint64_t cost, trial **out) {
  trial *t = calloc(1, sizeof *t);
  *out = t;
  if (t == NULL) {
    return HD_E_NOMEM;
  }
  memcpy(t->elements, choice->elements, choice->count * sizeof *t->elements);
  t->choice = (hd_hitting_choice){t->elements, choice->count};
  t->cost = cost;
  return draft_of(r, r->sites, t->elements, choice->count, t->order, &t->candidate.draft);
}

/* The cheapest choices, until they are dearer than what was taken: optimal ones, so all that is cheaper is excluded. */
static hd_status propose(void *problem, size_t most, void **candidates, size_t *count) {
  restriction *r = problem;
  hd_hitting_answer answer;
  *count = 0;
  hd_status status = solve(r, most, &answer);
  if (status != HD_OK) {
    return status;
  }
  if (answer.optimal && answer.cost <= r->accepted_cost) {
    for (size_t i = 0; i < answer.choice_count && status == HD_OK; i++) {
      trial *t = NULL;
      status = make_trial(r, &answer.choices[i], answer.cost, &t);
      candidates[(*count)++] = t;
    }
  }
  hd_hitting_answer_clear(&answer);
  for (size_t i = 0; i < *count && status != HD_OK; i++) {
    discard(r, candidates[i]);
  }
  *count = status == HD_OK ? *count : 0;
  return status;
}

static hd_status decide(const void *problem, void *candidate, uint32_t threads) {
  const restriction *r = problem;
  trial *t = candidate;
  return hdi_repair_decide(r->run, HDI_MECHANISM_RESTRICTION, &t->candidate, threads);
}

/* What deciding one choice means for the search. */
static hd_status take_in(void *problem, void *proposed, hd_candidate_end *end) {
  restriction *r = problem;
  trial *t = proposed;
  hdi_candidate *candidate = &t->candidate;
  const char *plural = t->choice.count == 1 ? "" : "s";
  if (candidate->status != HD_OK) { /* cut short: nothing is known about it */
    return candidate->status;
  }
  if (candidate->difference_count != 0) {
    *end = HD_CANDIDATE_FAILS;
    return learn(r, candidate, &t->choice, t->order);
  }
  lesson what = {.elements = t->elements, .count = t->choice.count};
  hd_status status = keep_lesson(r, r->excluded, &r->excluded_count, &what);
  if (status != HD_OK) {
    return status;
  }
  if (candidate->evidence.accepted) {
    *end = HD_CANDIDATE_ACCEPTED;
    r->accepted_cost = t->cost;
    hdi_repair_say(r->run, "  %u message%s: proved", t->choice.count, plural);
    return hdi_repair_accept(r->run, HDI_MECHANISM_RESTRICTION, candidate);
  }
  hdi_repair_say(r->run, "  %u message%s: refused: %s", t->choice.count, plural, candidate->evidence.reason);
  *end = HD_CANDIDATE_REFUSED;
  return candidate->evidence.undecided ? HD_E_LIMIT : HD_OK;
}

/* Nothing is replayed: the solver proposes only what every lesson allows. */
static const hd_repair_steps STEPS = {propose, NULL, decide, take_in, discard};

/* Rounds until the cheapest choices are all known, the budget ends, or there is none. */
static hd_status run_rounds(restriction *r) {
  hd_repair_limits limits = hdi_repair_loop_limits(r->run, BATCH_MAX);
  hd_repair_progress progress;
  hd_status status = hd_repair_loop_run(&STEPS, r, &limits, &progress);
  r->search->tried += progress.tried;
  /* The first taken choice is a cheapest one, since rounds go by cost, even when a limit then ends the listing. */
  r->search->complete = r->accepted_cost != UINT64_MAX;
  r->search->cut_short = progress.end == HD_E_CANCELLED || hdi_repair_is_over(r->run);
  return status;
}

/* Decides one list of sites; *accepted and the candidate's draft tell. */
static hd_status decide_sites(restriction *r, const hdi_sync_site *sites, size_t count, hdi_candidate *out) {
  *out = (hdi_candidate){0};
  hd_status status = draft_of(r, sites, NULL, (uint32_t)count, NULL, &out->draft);
  r->search->tried++;
  return status == HD_OK ? hdi_repair_decide(r->run, HDI_MECHANISM_RESTRICTION, out, r->run->query->threads) : status;
}

static bool is_taken(const hdi_candidate *candidate) {
  return candidate->status == HD_OK && candidate->difference_count == 0 && candidate->evidence.accepted;
}

/* The restriction that always exists, with what it does not need taken out. */
static hd_status fall_back(restriction *r) {
  hdi_sync_site *sites = NULL;
  size_t count = 0;
  hd_status status = hdi_fallback_sites(r->run->query, r->arena, &sites, &count);
  hdi_candidate best = {0};
  if (status == HD_OK) {
    status = decide_sites(r, sites, count, &best);
  }
  if (status == HD_OK && is_taken(&best)) {
    hdi_repair_say(r->run, "  one peer decides at a time: %zu messages, proved", count);
    uint32_t tries = r->run->query->tries_max;
    for (size_t i = count; i > 0 && tries > 0 && status == HD_OK && !hdi_repair_is_over(r->run); i--, tries--) {
      hdi_sync_site out = sites[i - 1];
      memmove(&sites[i - 1], &sites[i], (count - i) * sizeof *sites);
      hdi_candidate without;
      status = decide_sites(r, sites, count - 1, &without);
      if (status == HD_OK && is_taken(&without)) {
        hdi_candidate_clear(&best);
        best = without;
        count--;
        continue;
      }
      hdi_candidate_clear(&without);
      memmove(&sites[i], &sites[i - 1], (count - i) * sizeof *sites);
      sites[i - 1] = out;
    }
    hdi_repair_say(r->run, "  %zu messages are needed of them", count);
    status = status == HD_OK ? hdi_repair_accept(r->run, HDI_MECHANISM_RESTRICTION, &best) : status;
  }
  hdi_candidate_clear(&best);
  return status;
}

hd_status hdi_repair_restrict(hdi_repair_run *run) {
  restriction r = {.run = run,
                   .search = &run->answer->searches[HDI_MECHANISM_RESTRICTION],
                   .arena = hd_arena_new(),
                   .accepted_cost = UINT64_MAX,
                   .list_capacity = (size_t)run->query->tries_max + BATCH_MAX};
  hd_status status = r.arena == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK) {
    r.sites = hd_arena_alloc_array(r.arena, SITES_MAX, sizeof *r.sites);
    r.required = hd_arena_alloc_array(r.arena, r.list_capacity, sizeof *r.required);
    r.excluded = hd_arena_alloc_array(r.arena, r.list_capacity, sizeof *r.excluded);
    status = r.sites == NULL || r.required == NULL || r.excluded == NULL ? HD_E_NOMEM : run_rounds(&r);
  }
  if (status == HD_OK && r.accepted_cost == UINT64_MAX && !r.search->cut_short) {
    status = fall_back(&r);
  }
  hd_arena_free(r.arena);
  return status;
}
